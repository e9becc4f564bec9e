"""Reads pages of sites that nobody wrote a reader for: entries found by what agrees with the known
episodes of a show."""

from .reading import parse

__all__ = ["parse"]
