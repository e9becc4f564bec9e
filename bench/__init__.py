"""Measures what pages and imports cost, on catalogs of its own (docs/benchmark.md)."""
