"""Tests of gathering: fetching, reading, keeping evidence."""
