"""Measures what pages and imports cost; docs/benchmark.md says how to read it."""
