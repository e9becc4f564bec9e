"""The Django admin of the catalog: curators decide in it, administrators set shows and sources up, evidence is read."""

from . import (
    catalog,
    configuration,
    decisions,
    evidence,
    held,
    history,
    inbox,
    links,
    paths,
    people,
    proposals,
    repeats,
    topics,
)

__all__ = [
    "catalog",
    "configuration",
    "decisions",
    "evidence",
    "held",
    "history",
    "inbox",
    "links",
    "paths",
    "people",
    "proposals",
    "repeats",
    "topics",
]
