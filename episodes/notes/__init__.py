"""The contents of show notes: links, topics, people, references, names of code. Pure."""

from .attempts import Attempts
from .corrections import LINK, PERSON, SYMBOL, Corrections
from .credits import PersonCredit
from .declared_topics import (
    TopicNames,
    declared_topics_by_keyword,
    name_key,
    topic_name_key,
    topic_slug,
)
from .links import fold_link_key, identify_link
from .person_identity import make_identity, person_slug, unified_identity_by_identity
from .references import (
    EpisodeNames,
    PossibleMention,
    ReferenceMatch,
    ReferenceTarget,
    build_episode_name_lookups,
)
from .related import list_traits_without_usual_sites, related_episodes_by_slug
from .topics import MIN_POINTS, TopicRule, describe_term_fault, find_topic_tags, score_topics

__all__ = [
    "LINK",
    "MIN_POINTS",
    "PERSON",
    "SYMBOL",
    "Attempts",
    "Corrections",
    "EpisodeNames",
    "PersonCredit",
    "PossibleMention",
    "ReferenceMatch",
    "ReferenceTarget",
    "TopicNames",
    "TopicRule",
    "build_episode_name_lookups",
    "declared_topics_by_keyword",
    "describe_term_fault",
    "find_topic_tags",
    "fold_link_key",
    "identify_link",
    "list_traits_without_usual_sites",
    "make_identity",
    "name_key",
    "person_slug",
    "read_notes",
    "related_episodes_by_slug",
    "score_topics",
    "topic_name_key",
    "topic_slug",
    "unified_identity_by_identity",
]
