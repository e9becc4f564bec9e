"""Readers' pages: the environment of their Jinja2 templates, and its filters."""

from .environment import environment

__all__ = ["environment"]
