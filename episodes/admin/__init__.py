"""The Django admin of the catalog: curators decide in it, administrators set shows and sources up,
evidence is read."""

from . import (
    catalog,
    configuration,
    corrections,
    decisions,
    evidence,
    history,
    inbox,
    links,
    paths,
    people,
    sources,
    speakers,
    symbols,
    topics,
)

__all__ = [
    "catalog",
    "configuration",
    "corrections",
    "decisions",
    "evidence",
    "history",
    "inbox",
    "links",
    "paths",
    "people",
    "sources",
    "speakers",
    "symbols",
    "topics",
]
