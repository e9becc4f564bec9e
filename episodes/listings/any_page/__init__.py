"""Reads pages of sites without a reader of their own, by the known episodes of a show."""

from .read_page import parse_known_episodes

__all__ = ["parse_known_episodes"]
