"""Writes people and their credits, and gives names and addresses to those whose credits changed.

An address is that of who had it first, by the ledger of addresses, for ever: another person of that
name gets it with eight hex digits of their identity. Who is known by name alone leaves it to whom
the same show names when it comes to know an address or a handle of theirs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from operator import itemgetter
from typing import Any

from django.db import models

from ..identity import candidates, short_hash, slug_of
from ..models import Credit, Person, Redirect, batches
from ..notes import person_slug
from ..records import CreditData
from .rows import all_ids, sync

CORRECTED = {
    "name": "name",
    "url": "url",
    "image": "image_url",
}  # the column that shows a correction
TRIED = 3  # addresses


def write_credits(
    credited: Mapping[str, Sequence[CreditData]],
    episodes: Mapping[str, int],
    scope: Mapping[str, Any],
) -> set[int]:
    """Write people by identity, and their credits, which are given by the episodes' addresses; give
    the people whose credits changed."""
    identities = {credit.identity for own in credited.values() for credit in own}
    named = {
        identity: {"name": identity[:300], "slug": f"new-{short_hash(identity)}"}
        for identity in sorted(identities)
    }
    people = all_ids(Person, "identity", named)
    wanted = {
        (episodes[slug], people[c.identity], c.role): {
            "credited_as": c.credited_as,
            "full_name": c.full_name,
            "corrected": c.corrected,
            "evidence": c.evidence,
        }
        for slug, own in credited.items()
        for c in own
    }
    changed = sync(Credit, ("episode_id", "person_id", "role"), wanted, scope)
    return {person for _, person, _ in changed}


def name_people(touched: Collection[int]) -> None:
    """Give people the name of their credits, or the one that a curator gave, and the address that
    it makes."""
    for some in batches(sorted(touched)):
        people = Person.objects.in_bulk(some)
        shown, shows = _shown(some)
        slugs = _slugs(people, shown, shows)
        wanted = {(pk,): {**shown[pk], "slug": slug} for pk, slug in slugs.items()}
        sync(Person, ("pk",), wanted, {"pk__in": some}, keep_others=True)
        ledger = [
            Redirect(kind="person", slug=slugs[pk], identity=people[pk].identity) for pk in slugs
        ]
        Redirect.objects.bulk_create(ledger, ignore_conflicts=True)


def _shown(people: Collection[int]) -> tuple[dict[int, dict[str, str]], dict[int, set[str]]]:
    """The values that pages show of people, and the shows that credit them.

    Their name is the fullest one in the first of these shows, since a later one renames nobody, or
    what curators gave. Where shows differ in that, because one knows a name to be somebody's and
    another does not, no order of resolving matters.
    """
    found: dict[int, dict[str, str]] = {}
    shows: dict[int, set[str]] = defaultdict(set)
    rows = Credit.objects.filter(person__in=people).order_by()
    show = ("episode__podcast__rank", "episode__podcast__slug")
    names = rows.values_list("person", "full_name", *show).distinct()
    for pk, name, _, slug in sorted(
        names, key=lambda row: (-row[2], len(row[1].split()), len(row[1]), row[1])
    ):
        found[pk] = {"name": name, "url": "", "image_url": ""}
        shows[pk].add(slug)
    corrected = rows.exclude(corrected={}).values_list("person", "corrected")
    for pk, values in sorted(corrected, key=str):
        found[pk] |= {CORRECTED[field]: value for field, value in values.items()}
    return found, shows


def _slugs(
    people: Mapping[int, Person],
    shown: Mapping[int, Mapping[str, str]],
    shows: Mapping[int, Collection[str]],
) -> dict[int, str]:
    """An address for each person: one that was theirs, else the first that is nobody else's."""
    identities = {pk: people[pk].identity for pk in shown}
    tried = {
        pk: list(islice(candidates(person_slug(shown[pk]["name"], own), None, own), TRIED))
        for pk, own in identities.items()
    }
    every = {slug for own in tried.values() for slug in own}
    holders = dict(Person.objects.filter(slug__in=every).values_list("slug", "identity"))
    ledger = Redirect.objects.filter(kind="person").filter(slug__in=every).order_by("-id")
    rows = list(ledger.values_list("slug", "identity"))
    first, theirs = dict(rows), set(rows)
    slugs: dict[int, str] = {}
    # By identity, so that two new ones of one name get the same addresses in any order of shows.
    for pk, identity in sorted(identities.items(), key=itemgetter(1)):
        free = [slug for slug in tried[pk] if holders.get(slug, identity) == identity]
        for slug in sorted(free, key=lambda slug: (slug, identity) not in theirs):
            if _may_have(identity, first.get(slug, identity), shows[pk]):
                slugs[pk] = slug
                holders[slug] = identity
                break
    return slugs


def _may_have(identity: str, owner: str, shows: Collection[str]) -> bool:
    """True for who had an address first, and for others of that name in the same show: it may know
    an address of theirs by now. Before there were names in identities, they were the address."""
    name, _, show = owner.rpartition("@")
    is_name_alone = name != "" and name == slug_of(name)  # no handle, and no address
    is_the_same = owner in (identity, identity.partition(" ")[2])
    return is_the_same or (is_name_alone and show in shows)


@contextmanager
def only_public_addresses() -> Iterator[None]:
    """Add to the ledger only addresses that people have at the end of a transaction. Before another
    show was made anew somebody may have had one that nobody saw."""
    last = Redirect.objects.aggregate(last=models.Max("pk"))["last"] or 0
    yield
    now = Person.objects.filter(slug=models.OuterRef("slug"), identity=models.OuterRef("identity"))
    Redirect.objects.filter(kind="person").filter(~models.Exists(now), pk__gt=last).delete()
