"""The contents of show notes: links, topics, people, references, names of code; pure."""

from .attempts import Attempts
from .corrections import LINK, PERSON, SYMBOL, Corrections
from .credits import PersonCredit
from .declared_topics import TopicNames, find_declared_topics, name_key, topic_key, topic_slug
from .links import folded_key, identify_link
from .person_identity import identity_of, person_slug, settle_identities
from .references import EpisodeNames, NamedTarget, PossibleMention, know
from .related import collect_traits, related
from .topics import TopicRule, tag, trouble_with_term

__all__ = [
    "LINK",
    "PERSON",
    "SYMBOL",
    "Attempts",
    "Corrections",
    "EpisodeNames",
    "NamedTarget",
    "PersonCredit",
    "PossibleMention",
    "TopicNames",
    "TopicRule",
    "collect_traits",
    "find_declared_topics",
    "folded_key",
    "identify_link",
    "identity_of",
    "know",
    "name_key",
    "person_slug",
    "read_notes",
    "related",
    "settle_identities",
    "tag",
    "topic_key",
    "topic_slug",
    "trouble_with_term",
]
