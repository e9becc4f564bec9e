"""The Django admin of the catalog: curators decide in it, administrators set shows and sources up,
evidence is read."""

from . import accounts, catalog, evidence, history, inbox, paths, shows, things

__all__ = [
    "accounts",
    "catalog",
    "evidence",
    "history",
    "inbox",
    "paths",
    "shows",
    "things",
]
