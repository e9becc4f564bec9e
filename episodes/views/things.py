"""What episodes share: topics and learning paths, the people who speak in them, and the symbols
(names of code) that titles and notes use: an index of each, and a page of each one."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from django import forms
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils.text import capfirst
from django.views.decorators.http import require_safe

from ..models import (
    ON_CARDS,
    USED,
    CodeMention,
    CodeName,
    Counts,
    Credit,
    Episode,
    EpisodeQuerySet,
    LearningPath,
    Person,
    Podcast,
    Redirect,
    Route,
    Topic,
    add_shows_and_topics,
    counts_by_show,
    counts_of,
    routes,
)
from ..site import site
from ..text.formatting import counted, episodes, together
from .facets import in_groups, share
from .filters import LONGEST_QUERY, AppliedFilters, InShow, ListFilter, letters
from .moments import listen_first, needs, of_topic
from .page import (
    NOBODY,
    ON_ONE_PAGE,
    PER_LIST,
    former_owner,
    gone,
    moved,
    offered_as,
    paged,
    paged_episodes,
    share_image,
    show_page,
    subscription,
    thing_page,
)


def topics_of(counts: Counts, topics: QuerySet[Topic]) -> list[tuple[Topic, int]]:
    """The topics of counted episodes with their numbers, those of most episodes first."""
    used = counts.of("topic")
    return sorted(
        ((topic, used[str(topic.pk)]) for topic in topics.filter(pk__in=used)),
        key=lambda row: -row[1],
    )


MOST_RELATED = 8
# Topics with the number of their episodes and its share, by the name of their group.
TopicGroups = list[tuple[str, list[tuple[Topic, int, int]]]]


@require_safe
def topics(request: HttpRequest) -> HttpResponse:
    """Show the topics in their groups, of several shows by show, with the numbers of their episodes, and
    those without episodes."""
    of_site = site()
    counts = counts_of(Episode.objects.listed()).of("topic")
    page = paged(request, in_groups(Topic.objects.filter(pk__in=counts)), ON_ONE_PAGE)
    sections: list[tuple[Podcast | None, TopicGroups]] = [(None, _topic_groups(page, counts))]
    if of_site.several:
        shows = Podcast.objects.shown().order_by("title")
        of_shows = counts_by_show()
        sections = [(show, _topic_groups(page, of_shows[show.pk].of("topic"))) for show in shows]
    return thing_page(
        request,
        "topics",
        of_site,
        page,
        title=counted(page.paginator.count, "topic", "topics"),
        sections=[(show, groups) for show, groups in sections if groups],
        unused=in_groups(Topic.objects.exclude(pk__in=counts).exclude(declared=True)),
    )


def _topic_groups(topics: Iterable[Topic], counts: Mapping[str, int]) -> TopicGroups:
    """Return the topics that have episodes by group, each with their number and its share."""
    used = [topic for topic in topics if str(topic.pk) in counts]
    most = max(counts.values(), default=1)
    groups = []
    for name, group in groupby(used, key=lambda topic: topic.group):
        rows = []
        for topic in group:
            number = counts[str(topic.pk)]
            rows.append((topic, number, share(number, most)))
        groups.append((name, rows))
    return groups


@require_safe
def topic(request: HttpRequest, slug: str) -> HttpResponse:
    """A topic with its episodes in the order of the path that has most of them, else the oldest
    first; one that builds on others says so."""
    found = Topic.objects.filter(slug=slug).first()
    if found is None:
        return moved(Redirect.objects.filter(kind="topic"), "topic", slug, "topics")
    of_site, about = site(), Episode.objects.listed().about_all([found.pk])
    oldest = about.sorted_by("oldest", one_show=not of_site.several)
    counts = counts_of(about, f"topic:{found.pk}")
    ways = paths_through(about)
    guide = next((way for way, n in ways if 2 * n > counts["matches"]), None)
    ids: Sequence[int] | QuerySet[Any, int] = oldest.values_list("pk", flat=True)
    if guide:
        # Those that the path leaves out follow as they are.
        steps = {episode.pk: place for place, episode in enumerate(guide.episodes)}
        ids = sorted(ids, key=lambda pk: steps.get(pk, len(steps)))
    page = paged_episodes(request, of_site, ids, count=counts["matches"])
    return thing_page(
        request,
        "topic",
        of_site,
        page,
        found.get_absolute_url(),
        **offered_as("topic", slug),
        section="topics",
        topic=found,
        extent=counts,
        count=episodes(counts["matches"]),
        together=together(counts),
        episodes=page.object_list,
        moments=of_topic(found, list(page)),
        reasons=listen_first(page, needs()),
        kin=topics_of(counts, Topic.objects.exclude(pk=found.pk))[:MOST_RELATED],
        ways=ways,
        guide=guide,
        subscription=subscription(request.build_absolute_uri, "topic", slug, extent=counts),
    )


@require_safe
def path(request: HttpRequest, slug: str) -> HttpResponse:
    """A path; an address it once had leads to the one it has."""
    found = LearningPath.objects.shown().filter(slug=slug).first()
    if found is None:
        return moved(Redirect.objects.filter(kind="path"), "path", slug, "paths")
    (route,) = whole([found])
    context = offered_as("path", slug) | {
        "section": "paths",
        "site": site(),
        "path": found,
        "summary": summary(route),
        "subscription": subscription(request.build_absolute_uri, "path", slug),
        "reasons": listen_first(route.episodes, needs()),
        "canonical": request.build_absolute_uri(found.get_absolute_url()),
    }
    return show_page(request, "episodes/path.html", context)


def whole(found: Sequence[LearningPath]) -> list[Route]:
    """Paths with everything that a card shows of their episodes."""
    read = routes(found, Episode.objects.only(*ON_CARDS))
    add_shows_and_topics([*chain.from_iterable(route.episodes for route in read)])
    return read


def summary(route: Route) -> dict[str, object]:
    """A path with its episodes, how many they are, and how long together, as far as is known."""
    known = [e.duration_seconds for e in route.episodes if e.duration_seconds is not None]
    count, seconds = len(route.parts), sum(known)
    return {
        "path": route.path,
        "parts": route.parts,
        "count": episodes(count),
        "length": together({"episodes": count, "timed": len(known), "seconds": seconds}),
    }


@require_safe
def paths(request: HttpRequest) -> HttpResponse:
    """The published paths with their episodes."""
    published = whole(list(LearningPath.objects.shown()))
    page = paged(request, [summary(route) for route in published if route.parts], ON_ONE_PAGE)
    return thing_page(
        request,
        "paths",
        site(),
        page,
        title=counted(page.paginator.count, "learning path", "learning paths"),
        paths=page.object_list,
    )


def places(episode: Episode) -> list[dict[str, object]]:
    """The place of an episode in each of the published paths that leads through it, and the part
    after it."""
    found = []
    for route in routes(LearningPath.objects.shown()):
        for number, part in enumerate(route.parts, 1):
            if part.episode == episode:
                found.append(
                    {
                        "path": route.path,
                        "number": number,
                        "count": len(route.parts),
                        "next": next(iter(route.parts[number:]), None),
                    }
                )
    return found


def paths_through(about: EpisodeQuerySet) -> list[tuple[Route, int]]:
    """The published paths through some of these episodes, with the number of these, most first."""
    published = routes(LearningPath.objects.shown())
    steps = [{episode.pk for episode in route.episodes} for route in published]
    through = {*about.among(set[int]().union(*steps)).values_list("pk", flat=True)}
    counts = [len(ids & through) for ids in steps]
    return sorted(
        filter(itemgetter(1), zip(published, counts, strict=True)), key=lambda row: -row[1]
    )


# -- people and symbols ----------------------------------------------------------------------------


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
        return former_person(request, slug)
    role_counts = Counter[str]()
    names = set()
    credited = Credit.objects.filter(person=found).order_by().values_list("role", "credited_as")
    for role, name, count in credited.annotate(count=Count("pk")):
        role_counts[role] += count
        names.add(name)
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
        parts=parts(role_counts),
        aliases=sorted(names - {"", found.name}),
        namesakes=Person.objects.filter(USED, name=found.name).exclude(pk=found.pk)[:MOST_RELATED],
        subscription=subscription(request.build_absolute_uri, "person", slug),
    )


def former_person(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Answer for an address that nobody has now: lead to the person who had it, or say that the person
    is no longer credited.

    Raises:
        Http404: it never was anybody's.
    """
    former = former_owner(slug)
    if former.person:
        return redirect(former.person, permanent=True)
    if former.is_hidden:
        return gone(request, NOBODY)
    context = {"section": "people", "site": site(), "name": former.name}
    return show_page(request, "episodes/former_person.html", context)


class PeopleIndex(AppliedFilters):
    """The people whom an address asks for: those who are credited in some episode."""

    q = ListFilter(
        forms.CharField,
        field_name="name",
        lookup_expr="has_letters",
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
    return capfirst(", ".join(texts))


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
