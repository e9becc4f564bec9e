"""Evidence and decisions in, catalog out: the pure steps of `pipeline.py`, and `write.py`, which writes the result."""

from ..identity import slug_of as address_of
from ..notes import folded_key, topic_slug, trouble_with_term
from ..transcripts import WordCorrection, places_of
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
from .ledger import owner_of
from .people import only_public_addresses
from .write import (
    apply,
    clear,
    link_key,
    page_identity,
    person_identity,
    release,
)
from .write_episodes import retitle

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
