"""The people: what they did in how many episodes, what they are called there, and the way from an
address that somebody's page had."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from django import forms
from django.core.paginator import Page
from django.db.models import Count, QuerySet
from django.http import Http404, QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from ...models import USED, Credit, Decision, Person, Redirect
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


def credited(credits_: Iterable[Credit]) -> list[tuple[Person, str]]:
    """The people who are credited in an episode, by name, each with what they did: `host, credited
    as ezyang`."""
    ordered = sorted(
        credits_, key=lambda credit: (credit.person.name, credit.person_id, credit.role)
    )
    found = []
    for person, group in groupby(ordered, key=lambda credit: credit.person):
        own = [*group]
        part = ", ".join(sorted({credit.role for credit in own}))
        aliases = sorted({credit.credited_as for credit in own} - {"", person.name})
        if aliases:
            part += f", credited as {' and '.join(aliases)}"
        found.append((person, part))
    return found


NOBODY = "A curator found that this is not a person."
MOST_FORMER = 20


def now_at(slug: str) -> str:
    """The address that a former one leads to: a person's, else a search for their name; "" for who
    is no person.

    Raises:
        Http404: it never was anybody's.
    """
    rows = list(
        Redirect.objects.filter(kind="person")
        .filter(slug=slug)
        .order_by("id")
        .values_list("identity", flat=True)[:MOST_FORMER]
    )
    if not rows:
        raise Http404("Person not found.")
    same = dict(_in_force("same").values_list("key", "value"))
    identities = [_onward(identity, same) for identity in rows]
    people = Person.objects.filter(identity__in=identities)
    # The address is that of who had it first.
    person = min(people, key=lambda row: identities.index(row.identity), default=None)
    if person:
        return person.get_absolute_url()
    if _in_force("hidden").filter(key__in=identities).exists():
        return ""
    return f"{reverse('episodes')}?{urlencode({'q': slug.replace('-', ' ')})}"


def _in_force(field: str) -> QuerySet[Decision]:
    return Decision.objects.in_force("correct-person").filter(field=field, podcast=None)


def _onward(identity: str, same: dict[str, str]) -> str:
    """The identity of a person after all merges by curators."""
    passed = {identity}
    # Two merges by curators may lead to each other.
    while (onward := same.get(identity, identity)) not in passed:
        passed.add(onward)
        identity = onward
    return identity
