"""The Django admin of the catalog: curators decide in it, administrators set shows and sources up, evidence is read."""

from . import (
    catalog,
    configuration,
    decisions,
    evidence,
    held,
    history,
    links,
    paths,
    people,
    proposals,
    repeats,
    sources,
    topics,
)

__all__ = [
    "catalog",
    "configuration",
    "decisions",
    "evidence",
    "held",
    "history",
    "links",
    "paths",
    "people",
    "proposals",
    "repeats",
    "sources",
    "topics",
]
