"""The contents of show notes: links, topics, people, references, names of code; pure."""

from . import enrich
from .corrections import Corrections
from .enrich import own_sites
from .links import folded_key, identify_link
from .memory import Memory
from .people import person_slug
from .related import related, traits
from .topic_proposals import ProposingEpisode, proposed_topics, proposing_count
from .topic_words import topic_key
from .topics import TopicRule, tag, trouble_with_term

__all__ = [
    "Corrections",
    "Memory",
    "ProposingEpisode",
    "TopicRule",
    "enrich",
    "folded_key",
    "identify_link",
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
