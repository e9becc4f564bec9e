"""The people: what they did in how many episodes, and what they are called there."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django import forms
from django.core.paginator import Page
from django.db.models import Count, QuerySet
from django.http import QueryDict

from ...models import USED, Credit, Person
from ...text.formatting import sentence
from ..lists.filters import LONGEST_QUERY, AppliedFilters, InShow, ListFilter
from ..shared import letters


@dataclass(frozen=True)
class PersonRow:
    """A person in the index, and the parts they had in how many episodes."""

    person: Person
    parts: str


class PeopleIndex(AppliedFilters):
    """The people whom an address asks for: those who are credited in some episode."""

    q = ListFilter(
        forms.CharField,
        field_name="name",
        lookup_expr="icontains",
        max_length=LONGEST_QUERY,
    )
    letter = ListFilter(
        forms.CharField,
        field_name="name",
        lookup_expr="istartswith",
        max_length=1,
    )
    podcast = InShow(Credit, "person")

    names = ("q", "letter", "podcast")

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data, Person.objects.filter(USED))

    def rows(self) -> QuerySet[Person]:
        """The people, with most episodes first."""
        people: QuerySet[Person] = self.narrowed()
        return people.order_by("-episode_count", "name", "slug")

    def shown(self, page: Page[Person]) -> dict[str, Any]:
        """The people of a page with their parts, beside the first letters of all."""
        asked = self.selection
        return {
            "chosen": asked,
            "asked": asked,
            "sought": asked.one("q"),
            "complaints": self.complaints(),
            "people": rows_of(list(page), asked.one("podcast")),
            "letters": letters(self, "name"),
        }


def rows_of(people: Sequence[Person], show: str = "") -> list[PersonRow]:
    """These people with their parts, in all shows or in that of this slug."""
    of_show = {"episode__podcast__slug": show} if show else {}
    credited = Credit.objects.filter(person__in=people, **of_show).order_by()
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
    """The people who are credited in an episode, by name, each with their roles."""
    ordered = sorted(
        credits_, key=lambda credit: (credit.person.name, credit.person_id, credit.role)
    )
    by_person = groupby(ordered, key=lambda credit: credit.person)
    return [(person, part(list(group), person.name)) for person, group in by_person]
