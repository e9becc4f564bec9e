"""Tests of the steps from evidence to catalog."""
