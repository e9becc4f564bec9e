"""The contents of show notes: links, topics, people, references, names of code; pure.

Searches read topics alone: `enrich` and `people`, which read whole notes, are imported by those who
use them, since their patterns take megabytes.
"""

from .corrections import Corrections
from .links import folded_key, identify_link
from .memory import Memory
from .related import collect_traits, related
from .topic_proposals import (
    ProposingEpisode,
    proposed_topics,
    proposing_count,
    topic_key,
)
from .topics import TopicRule, tag, trouble_with_term

__all__ = [
    "Corrections",
    "Memory",
    "ProposingEpisode",
    "TopicRule",
    "collect_traits",
    "enrich",
    "folded_key",
    "identify_link",
    "people",
    "proposed_topics",
    "proposing_count",
    "related",
    "tag",
    "topic_key",
    "trouble_with_term",
]
