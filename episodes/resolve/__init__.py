"""Evidence and decisions in, catalog out: pure steps, and apply.py which writes the result."""

from .apply import (
    address_of,
    apply,
    clear,
    link_identity,
    link_key,
    owner_of,
    person_identity,
    posts_met,
    release,
    term_trouble,
)
from .apply_people import only_public_addresses
from .follow_ups import catch_up, follow_up, renew, waiting

__all__ = [
    "address_of",
    "apply",
    "catch_up",
    "clear",
    "follow_up",
    "link_identity",
    "link_key",
    "only_public_addresses",
    "owner_of",
    "person_identity",
    "posts_met",
    "release",
    "renew",
    "term_trouble",
    "waiting",
]
