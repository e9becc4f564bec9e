"""Tests of the schedule: who reads what when, and who is told."""
