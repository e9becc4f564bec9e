"""The people who speak in the episodes, and the symbols (names of code) that titles and notes use: an
index of each, and a page of each one."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby

from django import forms
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_safe

from ..models import USED, CodeMention, CodeName, Credit, Episode, Person
from ..site import site
from ..text.formatting import counted, episodes, sentence
from .facets import share
from .filters import LONGEST_QUERY, AppliedFilters, InShow, ListFilter, letters
from .page import (
    NOBODY,
    PER_LIST,
    gone,
    now_at,
    offered_as,
    paged,
    paged_episodes,
    share_image,
    subscription,
    thing_page,
)


@require_safe
def people(request: HttpRequest) -> HttpResponse:
    """Everybody who is credited, or those whom the address asks for."""
    index = PeopleIndex(request.GET, Person.objects.filter(USED))
    asked = index.selection
    page = paged(request, index.narrowed().order_by("-episode_count", "name", "slug"))
    # What they did in all shows, or in the one that is asked for, and the titles of these.
    credited = Credit.objects.filter(person__in=list(page)).order_by()
    if show := asked.one("podcast"):
        credited = credited.filter(episode__podcast__slug=show)
    by_role = credited.values_list("person", "role", "episode__podcast__title")
    roles: defaultdict[int, Counter[str]] = defaultdict(Counter)
    titles: defaultdict[int, set[str]] = defaultdict(set)
    for pk, role, title, count in by_role.annotate(n=Count("episode", distinct=True)):
        roles[pk][role] += count
        titles[pk].add(title)
    return thing_page(
        request,
        "people",
        site(),
        page,
        title=counted(page.paginator.count, "person", "people"),
        chosen=asked,
        asked=asked,
        sought=asked.one("q"),
        complaints=index.complaints(),
        people=[
            {
                "person": person,
                "parts": parts(roles[person.pk]),
                "shows": sorted(titles[person.pk]),
            }
            for person in page
        ],
        letters=letters(index, "name"),
    )


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


class NameIndex(AppliedFilters):
    """The names of code that an address asks for: those that titles or notes use."""

    letter = ListFilter(
        forms.CharField, field_name="sort_name", lookup_expr="istartswith", max_length=1
    )


@require_safe
def names(request: HttpRequest) -> HttpResponse:
    """All symbols, or those of a letter."""
    index = NameIndex(request.GET, CodeName.objects.filter(USED))
    page = paged(request, index.narrowed().order_by("letter", "sort_name", "name"))
    most = max((row.episode_count for row in page), default=1)
    return thing_page(
        request,
        "names",
        site(),
        page,
        title=counted(page.paginator.count, "symbol", "symbols"),
        chosen=index.selection,
        complaints=index.complaints(),
        letters=letters(index, "sort_name"),
        names=[(row, share(row.episode_count, most)) for row in page],
    )


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
        uses=[{"episode": episode, "sentences": list(sentences[episode.pk])} for episode in page],
    )
