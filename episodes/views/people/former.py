"""The way from an address that somebody's page had to where they are now."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from django.utils.http import urlencode

from ...models import Decision, Person, Redirect

NOBODY = "A curator found that this is not a person."
MOST_FORMER = 20


def now_at(slug: str) -> str:
    """The address that a former one leads to: a person's, else a search for their name; "" for who
    is no person.

    Raises:
        Http404: it never was anybody's.
    """
    rows = list(
        Redirect.objects.of("person")
        .filter(slug=slug)
        .order_by("id")
        .values_list("identity", flat=True)[:MOST_FORMER]
    )
    if not rows:
        raise Http404("Person not found.")
    same = dict(_in_force("same").values_list("key", "value"))
    identities = [_onward(identity, same) for identity in rows]
    people = Person.objects.filter(identity__in=identities)
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
    while (onward := same.get(identity, identity)) not in passed:
        passed.add(onward)
        identity = onward
    return identity
