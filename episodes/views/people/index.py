"""The people: what they did in how many episodes, and what they are called there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Count, QuerySet, Window
from django.db.models.functions import DenseRank

from ...models import Credit, Episode, Person, newest
from ...site import Site
from ...text.formatting import sentence

MOST_EPISODES = 3


@dataclass(frozen=True)
class PersonRow:
    """A person in the index: the parts they had, in how many episodes, and the newest of these."""

    person: Person
    parts: str
    episodes: list[Episode]


def rows_of(people: Sequence[Person], site: Site) -> list[PersonRow]:
    """These people with their parts and newest episodes."""
    credited = Credit.objects.filter(person__in=people).order_by()
    roles: defaultdict[int, dict[str, int]] = defaultdict(dict)
    by_role = credited.values_list("person", "role").annotate(n=Count("episode", distinct=True))
    for person, role, count in by_role:
        roles[person][role] = count
    latest = latest_of(credited, site)
    episodes = Episode.objects.named().order_by().in_bulk({e for _, e in latest})
    theirs: defaultdict[int, list[Episode]] = defaultdict(list)
    for person, episode in latest:
        theirs[person].append(episodes[episode])
    return [PersonRow(person, parts(roles[person.pk]), theirs[person.pk]) for person in people]


def latest_of(credited: QuerySet[Credit], site: Site) -> list[tuple[int, int]]:
    """The ids of people, each with those of their newest episodes, in order."""
    # A rank, and no row number: somebody may have several parts in one episode.
    place = Window(
        DenseRank(), partition_by="person", order_by=[*newest(not site.several, of="episode__")]
    )
    ranked = (
        credited.annotate(place=place).filter(place__lte=MOST_EPISODES).order_by("place").distinct()
    )
    return list(ranked.values_list("person", "episode"))


def parts(counts: Mapping[str, int]) -> str:
    """`Host of 60 episodes, guest on 3`."""
    ordered = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    texts = [f"{role} {'on' if role == 'guest' else 'of'} {count}" for role, count in ordered]
    if texts:
        texts[0] += " episode" if ordered[0][1] == 1 else " episodes"
    return sentence(", ".join(texts))


def part(credits_: Sequence[Credit], name: str) -> str:
    """`host, credited as ezyang`: what somebody did in one episode."""
    roles = ", ".join(sorted({credit.role for credit in credits_}))
    aliases = sorted({credit.credited_as for credit in credits_} - {"", name})
    return f"{roles}, credited as {' and '.join(aliases)}" if aliases else roles


def credited(credits_: Iterable[Credit]) -> list[tuple[Person, str]]:
    """Who is credited in an episode, by name, and with what."""
    ordered = sorted(
        credits_, key=lambda credit: (credit.person.name, credit.person_id, credit.role)
    )
    by_person = groupby(ordered, key=lambda credit: credit.person)
    return [(person, part(list(group), person.name)) for person, group in by_person]
