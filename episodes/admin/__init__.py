"""The Django admin of the catalog: curators decide in it, administrators set shows and sources up,
evidence is read."""

from . import accounts, catalog, history, inbox, shows, things

__all__ = [
    "accounts",
    "catalog",
    "history",
    "inbox",
    "shows",
    "things",
]
