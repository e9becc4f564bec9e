"""The people: what they did in how many episodes, and what they are called there."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from ...models import Credit, EpisodeLine, Person, Snapshot, Statement, address, episode_lines, newest
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
    episodes: list[EpisodeLine]

    def get_absolute_url(self) -> str:
        return address("person", self.slug)


class CreditedPeople(Sequence[PersonRow]):
    """Everybody who is credited, those of most episodes first, as a paginator takes them."""

    def __init__(self, now: Snapshot, site: Site) -> None:
        self.known = now.kept("people", lambda: _Ranked(one_show=not site.several))

    def __len__(self) -> int:
        return len(self.known.ids)

    def __getitem__(self, part: Any) -> Any:
        known, places = self.known, range(len(self))[part]
        people = {pk: (slug, name) for pk, slug, name in PEOPLE(known.ids[part].tolist() or [0])}
        latest = {place: known.latest[MOST_EPISODES * place : MOST_EPISODES * (place + 1)] for place in places}
        lines = episode_lines({pk for ids in latest.values() for pk in ids if pk})
        return [
            PersonRow(
                *people[known.ids[place]],
                parts({role: counts[place] for role, counts in known.roles.items() if counts[place]}),
                known.counts[place],
                [lines[pk] for pk in latest[place] if pk in lines],
            )
            for place in places
            if known.ids[place] in people
        ]


PEOPLE = Statement(lambda ids: Person.objects.filter(pk__in=ids).order_by().values_list("pk", "slug", "name"))


class _Ranked:
    """For everybody who is credited, in the order of the index: their id, in how many episodes and in which roles they are
    credited, and the newest of these episodes, 0 for none."""

    def __init__(self, *, one_show: bool) -> None:
        found: dict[int, _Credited] = {}
        credited_ = Credit.objects.order_by(*newest(one_show, of="episode__"), "role")
        for person, episode, role in credited_.values_list("person", "episode", "role").iterator():
            found.setdefault(person, _Credited()).add(episode, role)
        by_name = Person.objects.order_by("name", "slug").values_list("pk", flat=True)
        ranked = sorted((pk for pk in by_name if pk in found), key=lambda pk: -found[pk].count)
        self.ids = array("q", ranked)
        self.counts = array("i", (found[pk].count for pk in ranked))
        self.latest = array("q", (episode for pk in ranked for episode in found[pk].latest))
        roles = sorted({role for row in found.values() for role in row.roles})
        self.roles = {role: array("i", (found[pk].roles[role] for pk in ranked)) for role in roles}


class _Credited:
    """Somebody's credits, counted from the newest episode on."""

    __slots__ = ("count", "last", "latest", "roles")

    def __init__(self) -> None:
        self.count, self.last, self.latest = 0, 0, [0] * MOST_EPISODES
        self.roles: Counter[str] = Counter()

    def add(self, episode: int, role: str) -> None:
        self.roles[role] += 1
        if episode != self.last:  # who has several roles in an episode has several credits for it
            if self.count < MOST_EPISODES:
                self.latest[self.count] = episode
            self.count, self.last = self.count + 1, episode


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
