"""The people who speak in the episodes."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from django import forms
from django.core.paginator import Page
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_safe

from ..models import USED, CodeMention, CodeName, Credit, Episode, Person
from ..site import site
from ..text.formatting import episodes, sentence
from .elsewhere import NOBODY, gone, now_at
from .facets import share
from .page import (
    PER_LIST,
    Index,
    offered_as,
    paged,
    paged_episodes,
    share_image,
    subscription,
    thing_page,
)
from .selection import LONGEST_QUERY, AppliedFilters, InShow, ListFilter, letters


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    """Everybody who is credited, or those whom the address asks for."""
    index = PeopleIndex(request.GET)
    return Index("people", ("person", "people"), index.rows, index.shown)(request)


@require_safe
def person(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Somebody with their episodes, newest first, and what they did; an address they had
    leads to their own."""
    of_site = site()
    found = Person.objects.filter(slug=slug).first()
    if found is None:
        elsewhere = now_at(slug)
        return redirect(elsewhere, permanent=True) if elsewhere else gone(request, NOBODY)
    theirs = Credit.objects.filter(person=found).order_by("role", "credited_as")
    did = list(theirs.values_list("role", "credited_as").annotate(n=Count("pk")))
    roles: Counter[str] = Counter()
    for role, _, count in did:
        roles[role] += count
    episodes = Episode.objects.with_person(slug).newest_first(one_show=not of_site.several)
    page = paged_episodes(request, of_site, episodes.values_list("pk", flat=True), PER_LIST)
    return thing_page(
        request,
        "person",
        of_site,
        page,
        found.get_absolute_url(),
        **offered_as("person", slug),
        section="people",
        person=found,
        share_image=share_image(request, found) if found.image_url else None,
        parts=parts(roles),
        aliases=sorted({alias for _, alias, _ in did} - {"", found.name}),
        subscription=subscription(request.build_absolute_uri, "person", slug),
    )


@dataclass(frozen=True)
class PersonRow:
    """A person in the index, the parts they had in how many episodes, and the titles of the shows
    of these."""

    person: Person
    parts: str
    shows: list[str]


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
    roles: defaultdict[int, Counter[str]] = defaultdict(Counter)
    titles: defaultdict[int, set[str]] = defaultdict(set)
    by_role = credited.values_list("person", "role", "episode__podcast__title")
    for person, role, title, count in by_role.annotate(n=Count("episode", distinct=True)):
        roles[person][role] += count
        titles[person].add(title)
    return [PersonRow(who, parts(roles[who.pk]), sorted(titles[who.pk])) for who in people]


def parts(counts: Mapping[str, int]) -> str:
    """`Host of 60 episodes, guest on 3`."""
    ordered = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    texts = [f"{role} {'on' if role == 'guest' else 'of'} {count:,}" for role, count in ordered]
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


class SymbolSentences(NamedTuple):
    """An episode that uses a symbol, with its sentences."""

    episode: Episode
    sentences: list[str]


class NameIndex(AppliedFilters):
    """The names of code that an address asks for: those that titles or notes use."""

    letter = ListFilter(
        forms.CharField, field_name="sort_name", lookup_expr="istartswith", max_length=1
    )

    names = ("letter",)

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data, CodeName.objects.filter(USED))

    def rows(self) -> QuerySet[CodeName]:
        """The symbols that begin with a letter."""
        found: QuerySet[CodeName] = self.narrowed()
        return found.order_by("letter", "sort_name", "name")

    def shown(self, page: Page[CodeName]) -> dict[str, Any]:
        """The names of a page with their shares of the most used, beside the letters of all."""
        most = max((row.episode_count for row in page), default=1)
        return {
            "chosen": self.selection,
            "complaints": self.complaints(),
            "letters": letters(self, "sort_name"),
            "names": [(row, share(row.episode_count, most)) for row in page],
        }


@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """All symbols, or those of a letter."""
    index = NameIndex(request.GET)
    return Index("names", ("symbol", "symbols"), index.rows, index.shown)(request)


@require_safe
def name(request: HttpRequest, slug: str) -> HttpResponse:
    """A name with the sentences that use it, oldest first."""
    of_site = site()
    symbol = get_object_or_404(CodeName, slug=slug)
    mentions = CodeMention.objects.filter(name=symbol)
    using = Episode.objects.filter(pk__in=mentions.order_by().values("episode"))
    page = paged(request, using.named().sorted_by("oldest", one_show=not of_site.several))
    sentences: dict[int, dict[str, None]] = {episode.pk: {} for episode in page}
    # The title is the heading above the sentences.
    on_page = mentions.filter(episode__in=sentences).exclude(field="title").exclude(sentence="")
    for episode, words in on_page.order_by("field", "position").values_list("episode", "sentence"):
        sentences[episode][words] = None
    return thing_page(
        request,
        "name",
        of_site,
        page,
        symbol.get_absolute_url(),
        section="names",
        name=symbol,
        count=episodes(page.paginator.count),
        uses=[SymbolSentences(episode, list(sentences[episode.pk])) for episode in page],
    )
