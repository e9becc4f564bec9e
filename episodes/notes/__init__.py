"""The contents of show notes: links, topics, people, references, names of code; pure.

Searches read topics alone: `enrich`, which reads whole notes, is imported by those who use it, since
its patterns take megabytes.
"""

from .corrections import Corrections
from .links import folded_key, identify_link
from .memory import Memory
from .person_identity import identity_of, person_slug
from .related import related, traits
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
    "enrich",
    "folded_key",
    "identify_link",
    "identity_of",
    "person_slug",
    "proposed_topics",
    "proposing_count",
    "related",
    "tag",
    "topic_key",
    "traits",
    "trouble_with_term",
]
