"""Identities of people: which credits of a show are one person, and the addresses of their pages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Protocol

from rapidfuzz.distance import OSA

from ..identity import make_slug, short_hash
from ..text.normalize import fold, plain_letters
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


def unified_identity_by_identity(credits_by_episode: Sequence[Sequence[Named]]) -> dict[str, str]:
    """Return, for each identity in the credits of a show, the identity to use for it.

    Spellings of a name at one address are one person, unless an episode has two people there. A name
    alone stands for the only person with a handle or an address who has this name. The order of the
    episodes does not matter.
    """
    person_credits = [credit for episode in credits_by_episode for credit in episode]
    person_credits.sort(key=lambda credit: credit.name)
    names = {credit.identity: credit.name for credit in person_credits}
    settled = {identity: identity for identity in names}
    for address, identities in _identities_by_address(credits_by_episode).items():
        fullest = max(identities, key=_fullness)
        spellings = []
        for identity in identities:
            if may_be_same_name(names[identity], names[fullest]):
                spellings.append(identity)
                settled[identity] = fullest
        # Older decisions name a person by the address alone. That is clear if one person has it.
        if len(spellings) == len(identities):
            settled[address] = fullest
    return settled | _identity_by_bare_identity(person_credits, settled)


def _fullness(identity: str) -> tuple[int, int, str]:
    """Return a key that sorts identities with more and longer names last."""
    return identity.count("-"), len(identity), identity


def _identities_by_address(credits_by_episode: Sequence[Sequence[Named]]) -> dict[str, set[str]]:
    """Return the identities at each address. Leave out addresses that two people of one episode
    share."""
    by_address: dict[str, set[str]] = defaultdict(set)
    left_out = {""}  # credits without an address
    for person_credits in credits_by_episode:
        in_episode: dict[str, set[str]] = defaultdict(set)
        for credit in person_credits:
            in_episode[credit.address].add(credit.identity)
        for address, identities in in_episode.items():
            by_address[address] |= identities
            if len(identities) > 1:
                left_out.add(address)
    for address in left_out:
        by_address.pop(address, None)
    return by_address


def _identity_by_bare_identity(
    person_credits: Sequence[Named], settled_identities: Mapping[str, str]
) -> dict[str, str]:
    """Return the identity with a handle or address for each identity by name alone, if one person
    alone has the name."""
    identities_by_name: dict[str, set[str]] = defaultdict(set)
    for credit in person_credits:
        identities_by_name[fold(credit.name)].add(settled_identities[credit.identity])
    identity_by_bare = {}
    for credit in person_credits:
        bare_identity = make_identity(credit.name, "", credit.show)
        full_identities = identities_by_name[fold(credit.name)] - {bare_identity}
        if len(full_identities) == 1:
            identity_by_bare[bare_identity] = full_identities.pop()
    return identity_by_bare
