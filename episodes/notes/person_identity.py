"""Identities of people: which credits of a show are one person, and the addresses of their pages."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import Protocol

from rapidfuzz.distance import OSA

from ..identity import make_slug, short_hash
from ..text.normalize import plain_letters
from ..text.urls import page_key


class Named(Protocol):
    """A credit as far as it identifies somebody."""

    @property
    def name(self) -> str: ...
    @property
    def show(self) -> str: ...
    @property
    def address(self) -> str: ...
    @property
    def identity(self) -> str: ...


def person_slug(name: str, identity: str = "") -> str:
    """Return the address of a person's page. Letters of every script stay. A name without letters
    becomes eight hex digits."""
    return make_slug(name) or f"person-{short_hash(identity or name)}"


def make_identity(name: str, address: str, show: str) -> str:
    """Return the identity of a person without a handle. The name is part of it because people share
    the address of a network."""
    slug = person_slug(name)
    return f"{slug} {page_key(address)}" if address.strip() else f"{slug}@{show}"


def may_be_same_name(left: str, right: str) -> bool:
    """Return whether two names may be spellings of one: "J. Roe" or "Jane" beside "Jane Roe", or
    names that differ in one letter of ten."""
    shorter, longer = sorted((plain_letters(left), plain_letters(right)), key=len)
    parts = shorter.split()
    # The space before each means: at the beginning of a word.
    all_parts_match = all(f" {part.rstrip('.')}" in f" {longer}" for part in parts)
    if parts and all_parts_match:
        return True
    return OSA.normalized_similarity(shorter, longer) >= 0.9


def unified_identity_by_identity(credits_by_episode: Iterable[Iterable[Named]]) -> dict[str, str]:
    """Return, for each identity in the credits of a show, the identity to use for it: "@adaroe" for
    "ada-roe@loom". Return the identity of an address, too, if one person has it.

    A name alone stands for the only person with a handle or an address who has this name. The order of
    the episodes does not matter.
    """
    person_credits = list(chain.from_iterable(credits_by_episode))
    unified = {credit.identity: credit.identity for credit in person_credits}
    identities_by_bare_identity: dict[str, set[str]] = defaultdict(set)
    for credit in person_credits:
        # "ada-roe@loom", as if the credit had a name alone.
        bare_identity = make_identity(credit.name, address="", show=credit.show)
        identities_by_bare_identity[bare_identity].add(credit.identity)
    for bare_identity, identities in identities_by_bare_identity.items():
        # With a handle or an address. Several are several people, and the name alone may be any of them.
        full_identities = identities - {bare_identity}
        if len(full_identities) == 1:
            unified[bare_identity] = full_identities.pop()
    # Older decisions name a person by the address alone.
    return unified | _identity_by_unshared_address(person_credits)


def _identity_by_unshared_address(person_credits: Iterable[Named]) -> dict[str, str]:
    identities_by_address: dict[str, set[str]] = defaultdict(set)
    for credit in person_credits:
        if credit.address:
            identities_by_address[credit.address].add(credit.identity)
    identity_by_address = {}
    for address, identities in identities_by_address.items():
        if len(identities) == 1:
            identity_by_address[address] = identities.pop()
    return identity_by_address
