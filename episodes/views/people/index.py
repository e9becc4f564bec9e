"""The people: what they did in how many episodes, and what they are called there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Count

from ...models import Credit, Person
from ...text.formatting import sentence


@dataclass(frozen=True)
class PersonRow:
    """A person in the index, and the parts they had in how many episodes."""

    person: Person
    parts: str


def rows_of(people: Sequence[Person]) -> list[PersonRow]:
    """These people with their parts."""
    credited = Credit.objects.filter(person__in=people).order_by()
    roles: defaultdict[int, dict[str, int]] = defaultdict(dict)
    by_role = credited.values_list("person", "role").annotate(n=Count("episode", distinct=True))
    for person, role, count in by_role:
        roles[person][role] = count
    return [PersonRow(person, parts(roles[person.pk])) for person in people]


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
