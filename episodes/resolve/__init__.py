"""Evidence and decisions in, catalog out: pure steps, and apply.py which writes the result."""

from ..identity import slug_of as address_of
from ..notes import folded_key, topic_slug, trouble_with_term
from ..transcripts import WordCorrection, places_of
from .apply import (
    apply,
    clear,
    link_key,
    owner_of,
    page_identity,
    person_identity,
    release,
    retitle,
)
from .apply_shared import only_public_addresses
from .follow_ups import (
    catch_up,
    follow_up,
    queue_resolve,
    renew,
    resolve_forgotten,
    shows_to_resolve,
    unresolved,
    waiting,
)

__all__ = [
    "WordCorrection",
    "address_of",
    "apply",
    "catch_up",
    "clear",
    "folded_key",
    "follow_up",
    "link_key",
    "only_public_addresses",
    "owner_of",
    "page_identity",
    "person_identity",
    "places_of",
    "queue_resolve",
    "release",
    "renew",
    "resolve_forgotten",
    "retitle",
    "shows_to_resolve",
    "topic_slug",
    "trouble_with_term",
    "unresolved",
    "waiting",
]
