"""The people: what they did in how many episodes, and what they are called there."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django.db.models import Count, Exists, OuterRef, Prefetch

from ...models import NAMED, Credit, Episode, Person, Snapshot, newest
from ...site import Site
from ...text.formatting import sentence

MOST_EPISODES = 3
MOST_ROLES = 3


@dataclass(frozen=True)
class PersonRow:
    """A person in the index: the parts they had, in how many episodes, and the newest of these."""

    person: Person
    parts: str
    count: int
    episodes: list[Episode]


class CreditedPeople(Sequence[Person]):
    """Everybody who is credited, those of most episodes first, as a paginator takes them: each on a page with `n`, the
    number of their episodes, and `latest`, the credits of the newest."""

    def __init__(self, now: Snapshot, site: Site) -> None:
        self.ids, self.counts = now.kept("people", _ranked)
        self.one_show = not site.several

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, part: Any) -> Any:
        credited = Credit.objects.select_related("episode").only("person", *(f"episode__{f}" for f in NAMED))
        credited = credited.order_by(*newest(self.one_show, of="episode__"), "role")
        # Who has several roles in an episode has several credits for it.
        latest = Prefetch("credits", credited[: MOST_EPISODES * MOST_ROLES], to_attr="latest")
        known: dict[int, Any] = Person.objects.prefetch_related(latest).in_bulk(self.ids[part])
        found = [(known[pk], n) for pk, n in zip(self.ids[part], self.counts[part], strict=True) if pk in known]
        for person, n in found:
            person.n = n
        return [person for person, _ in found]


def _ranked() -> tuple[array[int], array[int]]:
    """The ids of everybody who is credited, and in how many episodes each is."""
    people = Person.objects.filter(Exists(Credit.objects.filter(person=OuterRef("pk"))))
    counted = people.annotate(n=Count("credits__episode", distinct=True)).order_by("-n", "name", "slug")
    ids, counts = array("q"), array("q")
    for pk, n in counted.values_list("pk", "n"):
        ids.append(pk)
        counts.append(n)
    return ids, counts


def rows(people: Sequence[Any]) -> list[PersonRow]:
    """These of everybody as the index shows them."""
    roles: dict[int, dict[str, int]] = {}
    credited = Credit.objects.filter(person__in=people).order_by("role").values_list("person", "role")
    for person, role, count in credited.annotate(n=Count("episode")):
        roles.setdefault(person, {})[role] = count
    return [PersonRow(p, parts(roles[p.pk]), p.n, _episodes(p.latest)[:MOST_EPISODES]) for p in people]


def _episodes(credits_: Iterable[Credit]) -> list[Episode]:
    return list({credit.episode_id: credit.episode for credit in credits_}.values())


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


def part(credits_: Sequence[Credit], name: str) -> str:
    """`host, credited as ezyang`: what somebody did in one episode."""
    roles = ", ".join(sorted({credit.role for credit in credits_}))
    aliases = sorted({credit.credited_as for credit in credits_} - {"", name})
    return f"{roles}, credited as {' and '.join(aliases)}" if aliases else roles


def credited(credits_: Iterable[Credit]) -> list[tuple[Person, str]]:
    """Who is credited in an episode, by name, and with what."""
    ordered = sorted(credits_, key=lambda credit: (credit.person.name, credit.person_id, credit.role))
    rows = [(person, list(group)) for person, group in groupby(ordered, key=lambda credit: credit.person)]
    return [(person, part(group, person.name)) for person, group in rows]
