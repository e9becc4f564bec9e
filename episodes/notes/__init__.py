"""The contents of show notes: links, topics, people, references, names of code; pure.

Searches read topics alone: `enrich`, which reads whole notes, is imported by those who use it, since
its patterns take megabytes.
"""

from .attempts import Attempts
from .corrections import Corrections
from .declared_topics import TopicNames, find_declared_topics, name_key, topic_key, topic_slug
from .links import folded_key, identify_link
from .person_identity import identity_of, person_slug
from .related import collect_traits, related
from .topics import TopicRule, tag, trouble_with_term

__all__ = [
    "Attempts",
    "Corrections",
    "TopicNames",
    "TopicRule",
    "collect_traits",
    "enrich",
    "find_declared_topics",
    "folded_key",
    "identify_link",
    "identity_of",
    "name_key",
    "person_slug",
    "related",
    "tag",
    "topic_key",
    "topic_slug",
    "trouble_with_term",
]
