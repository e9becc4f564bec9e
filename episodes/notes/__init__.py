"""The contents of show notes: links, topics, people, references, names of code; pure.

Searches read topics alone: what reads whole notes is imported when it is first asked for, since its
patterns take megabytes.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .corrections import Corrections
from .links import folded_key, identify_link
from .memory import Memory
from .related import related, traits
from .topic_proposals import (
    ProposingEpisode,
    proposed_topics,
    proposing_count,
    topic_key,
)
from .topics import TopicRule, tag, trouble_with_term

if TYPE_CHECKING:
    from . import enrich
    from .enrich import own_sites
    from .people import identity_of, person_slug

__all__ = [
    "Corrections",
    "Memory",
    "ProposingEpisode",
    "TopicRule",
    "enrich",
    "folded_key",
    "identify_link",
    "identity_of",
    "own_sites",
    "person_slug",
    "proposed_topics",
    "proposing_count",
    "related",
    "tag",
    "topic_key",
    "traits",
    "trouble_with_term",
]


def __getattr__(name: str) -> Any:
    """Import a name of this package when it is first asked for."""
    match name:
        case "own_sites":
            return import_module(".enrich", __name__).own_sites
        case "identity_of" | "person_slug":
            return getattr(import_module(".people", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
