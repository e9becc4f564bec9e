"""Tests of matching and merging."""
