"""The Django admin of the catalog: curators decide in it, administrators set shows and sources up,
evidence is read."""

from . import accounts, catalog, corrections, history, inbox, paths, shows, topics

__all__ = [
    "accounts",
    "catalog",
    "corrections",
    "history",
    "inbox",
    "paths",
    "shows",
    "topics",
]
