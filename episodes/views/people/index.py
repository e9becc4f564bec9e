"""The people: what they did in how many episodes, and what they are called there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import RowNumber

from ...models import Credit, Episode, Person, address, in_order, newest
from ...site import Site
from ...text.formatting import sentence

MOST_EPISODES = 3


@dataclass(frozen=True)
class PersonRow:
    """A person in the index: the parts they had, in how many episodes, and the newest of these."""

    slug: str
    name: str
    parts: str
    count: int
    episodes: list[Episode]

    def get_absolute_url(self) -> str:
        return address("person", self.slug)


def credited_people() -> QuerySet[Person]:
    """Everybody who is credited with the number of their episodes (`count`), those of most episodes first."""
    people = Person.objects.annotate(count=Count("credits__episode", distinct=True)).filter(count__gt=0)
    return people.order_by("-count", "name", "slug")


def rows_of(people: Iterable[Person], site: Site) -> list[PersonRow]:
    """These people with their parts and newest episodes."""
    people = list(people)
    roles: dict[int, dict[str, int]] = {person.pk: {} for person in people}
    credits_ = Credit.objects.filter(person__in=people).order_by()
    for person, role, count in credits_.values_list("person", "role").annotate(n=Count("episode", distinct=True)):
        roles[person][role] = count
    latest = latest_of(people, one_show=not site.several)
    rows = {row.pk: row for row in in_order({pk for pk, _ in latest}, Episode.objects.named())}
    theirs: dict[int, list[Episode]] = {}
    for episode, person in latest:
        theirs.setdefault(person, []).append(rows[episode])
    return [
        PersonRow(one.slug, one.name, parts(roles[one.pk]), one.count, theirs[one.pk])  # type: ignore[attr-defined]
        for one in people
    ]


def latest_of(people: Sequence[Person], *, one_show: bool) -> list[tuple[int, int]]:
    """The ids of the newest episodes of these people, each with the id of the person, in order."""
    once = Credit.objects.filter(person__in=people).order_by().values("episode", "person").distinct()
    order = [F(name[1:]).desc() if name[0] == "-" else F(name).asc() for name in newest(one_show, of="episode__")]
    place = Window(RowNumber(), partition_by="person", order_by=order)
    ranked = once.annotate(place=place).filter(place__lte=MOST_EPISODES).order_by("place")
    return list(ranked.values_list("episode", "person"))


def parts(counts: dict[str, int]) -> str:
    """`Host of 60 episodes, guest on 3`."""
    ordered = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    texts = [f"{role} {'on' if role == 'guest' else 'of'} {count}" for role, count in ordered]
    if texts:
        texts[0] += " episode" if ordered[0][1] == 1 else " episodes"
    return sentence(", ".join(texts))


def summed(credits_: Iterable[tuple[str, str]], name: str) -> tuple[str, list[str]]:
    """The parts of somebody with these (role, credited as), and the names other than their own they are credited by."""
    rows = list(credits_)
    return parts(Counter(role for role, _ in rows)), sorted({alias for _, alias in rows if alias not in ("", name)})


class Did(NamedTuple):
    """What somebody did in an episode, and the name it credits them by."""

    role: str
    credited_as: str


def part(credits_: Sequence[Credit | Did], name: str) -> str:
    """`host, credited as ezyang`: what somebody did in one episode."""
    roles = ", ".join(sorted({credit.role for credit in credits_}))
    aliases = sorted({credit.credited_as for credit in credits_} - {"", name})
    return f"{roles}, credited as {' and '.join(aliases)}" if aliases else roles


def credited(credits_: Iterable[Credit]) -> list[tuple[Person, str]]:
    """Who is credited in an episode, by name, and with what."""
    ordered = sorted(credits_, key=lambda credit: (credit.person.name, credit.person_id, credit.role))
    rows = [(person, list(group)) for person, group in groupby(ordered, key=lambda credit: credit.person)]
    return [(person, part(group, person.name)) for person, group in rows]
