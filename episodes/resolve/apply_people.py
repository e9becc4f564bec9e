"""Writes people and their credits, and gives names and addresses to those whom a change can affect.

People whose names make the same address form a group: one of them has it as it is, the others with
eight hex digits of their identity. It stays with the show that had it first, by the ledger of
addresses: nobody of another show gets it by name alone. No two groups share an address, so a change
looks only at the groups of the people it touches.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import models

from ..identity import candidates, short_hash, slug_of
from ..models import Credit, Person, Redirect, batches
from ..notes import person_slug
from ..records import CreditData
from .rows import BATCH, changed, ids_of, sync, update

CORRECTED = {
    "name": "name",
    "url": "url",
    "image": "image_url",
}  # the column that shows a correction
HEX, MARK = (
    frozenset("0123456789abcdef"),
    8,
)  # of the hex digits that tell the people of a group apart


def write_people(
    credited: Mapping[str, Sequence[CreditData]],
    episodes: Mapping[str, int],
    before: Collection[int],
    scope: Mapping[str, Any],
) -> None:
    """Write people by identity, and their credits, which are given by the episodes' addresses.

    `before` are the ids of those whom the episodes credited before.
    """
    people = _people({credit.identity for own in credited.values() for credit in own})
    wanted = {
        (episodes[slug], people[c.identity], c.role): {
            "credited_as": c.credited_as,
            "full_name": c.full_name,
            "corrected": c.corrected,
        }
        for slug, own in credited.items()
        for c in own
    }
    sync(Credit, ("episode_id", "person_id", "role"), wanted, scope)
    touched, left = {*before, *people.values()}, set[str]()
    for some in batches(set(before) - set(people.values())):
        left |= forget_people(Person.objects.filter(pk__in=some, credits__isnull=True))
    name_people(touched, left)


def _people(identities: Collection[str]) -> dict[str, int]:
    """The id of each identity; new people are added."""
    there = ids_of(Person, "identity", identities)
    new = sorted(identities - there.keys())
    made = [
        Person(identity=identity, name=identity[:300], slug=f"new-{short_hash(identity)}")
        for identity in new
    ]
    return there | {
        person.identity: person.pk for person in Person.objects.bulk_create(made, batch_size=BATCH)
    }


def forget_people(people: models.QuerySet[Person]) -> set[str]:
    """Delete people whom no episode credits any more, and give the groups that they leave. Another
    may now be the first there: `name_people` tells."""
    left = set(people.order_by().values_list("base", flat=True))
    people.delete()
    return left


def name_people(touched: Collection[int], left: Collection[str] = ()) -> None:
    """Give people the name of their credits, or the one that a curator gave, and the address it
    makes.

    The first of a group is who had its address first, then the person of the show that was added
    first, then the first by identity. `touched` are ids of people, `left` further groups.
    """
    rows = _rows("pk", touched)
    shown = _shown(rows)
    bases = {pk: _base(shown[pk]["name"], row.identity) for pk, row in rows.items()}
    groups = {*left, *bases.values(), *(row.base for row in rows.values())}
    rows = _rows("base", groups - {""}) | rows
    wanted = {
        pk: {**shown.get(pk, {}), "base": bases.get(pk, row.base)} for pk, row in rows.items()
    }
    slugs = _slugs(rows, {pk: own["base"] for pk, own in wanted.items()})
    different = changed((row, {**wanted[pk], "slug": slugs[pk]}) for pk, row in rows.items())
    _move_away([row for fields, people in different.items() if "slug" in fields for row in people])
    update(Person, different)
    _remember(rows.values())


def _rows(field: str, values: Collection[Any]) -> dict[int, Person]:
    """The people who have one of these values, by id."""
    found: dict[int, Person] = {}
    for some in batches(values):
        found |= {row.pk: row for row in Person.objects.filter(**{f"{field}__in": some})}
    return found


def _move_away(people: Iterable[Person]) -> None:
    """Free their addresses: these are unique, and databases check row by row."""
    for row in people:
        Person.objects.filter(pk=row.pk).update(slug=f"moving-{row.pk}")


def _base(name: str, identity: str) -> str:
    """The address that a name makes; with a mark where it looks like that of a second person in
    another group."""
    slug, mark = person_slug(name, identity), short_hash(identity)
    words = slug.removesuffix(mark).split("-")[
        1:
    ]  # a name without letters has its own mark already
    return (
        f"{slug}-{mark}"
        if any(len(word) == MARK and HEX.issuperset(word) for word in words)
        else slug
    )


def _slugs(people: Mapping[int, Person], bases: Mapping[int, str]) -> dict[int, str]:
    groups: dict[str, list[int]] = defaultdict(list)
    for pk, base in bases.items():
        groups[base].append(pk)
    owners, shows = _owners(groups), _shows(bases)
    slugs: dict[int, str] = {}
    for base, group in groups.items():
        owner = owners.get(base, "")
        heirs = {pk for pk in group if _is_heir(people[pk].identity, owner, shows[pk])}
        given = {base} if _show_of(owner) and not heirs else set[str]()
        claims = {
            pk: (
                pk not in heirs,
                people[pk].identity != owner,
                min(shows[pk].values(), default=0),
                people[pk].identity,
            )
            for pk in group
        }
        for pk in sorted(group, key=claims.__getitem__):
            slugs[pk] = next(
                slug for slug in candidates(base, None, people[pk].identity) if slug not in given
            )
            given.add(slugs[pk])
    return slugs


def _owners(bases: Collection[str]) -> dict[str, str]:
    """The identity that had each address first."""
    owners: dict[str, str] = {}
    for some in batches(bases):
        owners |= (
            Redirect.objects.of("person")
            .filter(slug__in=some)
            .order_by("-id")
            .values_list("slug", "identity")
        )
    return owners


def _shows(people: Collection[int]) -> dict[int, dict[str, int]]:
    """The shows that credit each of these people, with their ranks."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for some in batches(people):
        rows = Credit.objects.filter(person__in=some).order_by().distinct()
        for person, show, rank in rows.values_list(
            "person", "episode__podcast__slug", "episode__podcast__rank"
        ):
            found[person][show] = rank
    return found


def _is_heir(identity: str, owner: str, shows: Collection[str]) -> bool:
    """True for who had an address first, and for others of that name in the same show: it may know
    an address of theirs by now. `owner` is who had it first; before there were names in them, the
    address alone."""
    return owner in (identity, identity.partition(" ")[2]) or _show_of(owner) in shows


def _show_of(identity: str) -> str:
    """The show in which a name alone tells who somebody is; "" for a handle or an address."""
    name, _, show = identity.rpartition("@")
    return show if name and name == slug_of(name) else ""


def _shown(people: Collection[int]) -> dict[int, dict[str, Any]]:
    """The values that pages show of people: the fullest name in the first show that credits them,
    since a later show renames nobody, and what curators gave."""
    found: dict[int, dict[str, Any]] = {}
    for some in batches(people):
        rows = Credit.objects.filter(person__in=some).order_by()
        names = rows.values_list("person", "full_name", "episode__podcast__rank").distinct()
        best_last = sorted(
            names, key=lambda row: (-row[2], len(row[1].split()), len(row[1]), row[1])
        )
        given = _given(rows)
        found |= {
            pk: {"name": name, "url": "", "image_url": ""} | given.get(pk, {})
            for pk, name, _ in best_last
        }
    return found


def _given(credits_: models.QuerySet[Credit]) -> dict[int, dict[str, str]]:
    """Columns of people as curators gave them. Where shows differ, because one knows a name to be
    somebody's and another does not, the last by name counts, so that no order of resolving
    matters."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for person, values in credits_.exclude(corrected={}).values_list("person", "corrected"):
        for field, value in values.items():
            found[person][CORRECTED[field]] = max(found[person].get(CORRECTED[field], ""), value)
    return found


def _remember(people: Iterable[Person]) -> None:
    """Add the addresses that people have now to the ledger."""
    now = {row.slug: row.identity for row in people}
    there: set[tuple[str, str]] = set()
    for some in batches(sorted(now)):
        there |= set(
            Redirect.objects.of("person")
            .filter(slug__in=some)
            .order_by()
            .values_list("slug", "identity")
        )
    new = [
        Redirect(kind="person", slug=slug, identity=now[slug])
        for slug in sorted(now)
        if (slug, now[slug]) not in there
    ]
    Redirect.objects.bulk_create(new, batch_size=BATCH)


@contextmanager
def only_public_addresses() -> Iterator[None]:
    """Add to the ledger only addresses that people have at the end of a transaction. Before another
    show was made anew somebody may have had one that nobody saw."""
    last = Redirect.objects.aggregate(last=models.Max("pk"))["last"] or 0
    yield
    now = Person.objects.filter(slug=models.OuterRef("slug"), identity=models.OuterRef("identity"))
    Redirect.objects.of("person").filter(~models.Exists(now), pk__gt=last).delete()
