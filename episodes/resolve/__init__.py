"""Evidence and decisions in, catalog out: pure steps, and apply.py which writes the result."""

from .apply import address_of, apply, clear, link_identity, link_key, owner_of, person_identity, resolved, term_trouble

__all__ = [
    "address_of",
    "apply",
    "clear",
    "link_identity",
    "link_key",
    "owner_of",
    "person_identity",
    "resolved",
    "term_trouble",
]
