"""The episode list, the suggestions of the search box, and what a list of results says beside its
episodes: how the query was read, why each was found, and the way out where none was."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from ..models import (
    UNKNOWN,
    Chapter,
    Credit,
    Episode,
    EpisodeLink,
    Link,
    Podcast,
    counts_of,
    in_order,
)
from ..outputs import json_ld
from ..search import (
    PreparedQuery,
    Query,
    excerpts,
    named,
    parse_query,
    prepare,
    results,
    terms_in,
)
from ..site import Site, site
from ..text import link_labels
from ..text.formatting import clock, together
from . import facets
from .filters import LENGTHS, LONGEST_QUERY, NOT_NARROWING, SORTS, EpisodeFilter, heading
from .moments import Reason, lines
from .page import PER_LIST, offered_as, page_links, paged_episodes, show_page, subscription


@require_safe
def episodes(request: HttpRequest) -> HttpResponse:
    """The episodes that the address asks for, newest first unless it says otherwise."""
    listed, of_site = EpisodeFilter(request.GET).corrected(), site()
    chosen, counts = listed.selection, listed.counts()
    page = paged_episodes(
        request, of_site, listed.ids(of_site), PER_LIST, listed.total, listed.topics.values()
    )
    names = facets.names(chosen, listed.topics, of_site.of(chosen.one("podcast")))
    more = listed.is_search and listed.results().cut
    title = heading(
        listed.total,
        chosen,
        names,
        of_site,
        relation=listed.relation,
        related=listed.related,
        more=more,
    )
    query, absolute = chosen.query(), request.build_absolute_uri
    context = page_links(request, page, reverse("episodes"), chosen)
    context |= beside(listed, facets.shows(listed, of_site)) | {
        "sorts": sorts(listed) if listed.total else []
    }
    context |= offered_as("episodes", query=query) | {
        "section": "episodes",
        "searches_here": True,
        "words": chosen.one("q"),
        # Without a script the search form has to carry the other filters itself.
        "hidden": [
            (name, value) for name, value in chosen.pairs() if name not in ("q", *NOT_NARROWING)
        ],
        "title": title,
        "narrowed": chosen.narrows(),
        "together": together(counts),
        "complaints": listed.complaints(),
        "chips": facets.chips(chosen, names),
        "site": of_site,
        "names_shows": not of_site.of(chosen.one("podcast")),
        "structured": json_ld.shows(of_site, absolute, chosen.one("podcast")),
        "subscription": subscription(absolute, "episodes", query=query),
    }
    context |= understood(listed, of_site, page.number == 1)
    shown = list(page)
    context |= (
        {"reasons": search_notes(listed, shown), "headings": group_headings(listed, shown)}
        if shown
        else {
            "removals": list(removals(listed, context["chips"])),
            "unknowns": list(unknowns(listed)),
        }
    )
    return show_page(request, "episodes/list.html", context)


def beside(listed: EpisodeFilter, shows: Sequence[facets.FacetChoice] = ()) -> dict[str, object]:
    """The months and filters of a list; they are the same on each of its pages."""
    chosen = listed.selection
    months = listed.counts("year", "month").of("month")
    whole = listed.counts(*listed.asked.keys() - {"podcast"}).of("month")
    first_topics, topic_groups = facets.topic_choices(listed)
    columns = (
        ("Show", shows),
        ("Year", facets.years(listed)),
        ("Length", facets.bands(listed)),
        ("Topics", first_topics),
    )
    return {
        "columns": [(name, choices) for name, choices in columns if choices],
        "groups": topic_groups,
        "years": facets.timeline(whole, months, chosen),
        # `months` leave year and month out, and so count undated episodes that such a list has not.
        "undated": 0 if listed.asked.keys() & {"year", "month"} else months.get("", 0),
        "undated_query": chosen.replaced(year=UNKNOWN).query(),
    }


def search_notes(listed: EpisodeFilter, shown: Sequence[Episode]) -> dict[int, list[Reason]]:
    """The reasons why the episodes of a page were found, where their cards would not show it."""
    if not listed.is_near:
        return reasons(shown, listed.selection.one("q")) if listed.is_search else {}
    query, found = listed.search.asked.query, {}
    # Of the nearest episodes the words that each lacks.
    for episode in shown:
        missing = [
            query.terms[number].typed for number in sorted(listed.search.lacking[episode.pk])
        ]
        label = "Missing" if len(missing) < len(query.terms) else "Only related; missing"
        found[episode.pk] = [Reason(label, missing=missing)]
    for pk, said in lines(shown, query, not_on_cards(shown, query)).items():
        found[pk] += said
    return found


def sorts(listed: EpisodeFilter) -> list[tuple[str, str, bool]]:
    """The orders a reader may choose: name, address, whether it is in force."""
    offered = list(SORTS)[0 if listed.selection.one("q") else 1 :]
    usual = offered[0]
    return [
        (
            SORTS[name],
            listed.selection.replaced(sort="" if name == usual else name).query(),
            name == listed.order,
        )
        for name in offered
    ]


def reasons(episodes: Sequence[Episode], words: str) -> dict[int, list[Reason]]:
    """For each episode what holds the terms that its card would not show, and the moments at which
    they are said together."""
    query = parse_query(words)
    missing = not_on_cards(episodes, query)
    found: defaultdict[int, list[Reason]] = defaultdict(list)
    for pk, label, shown, indexed in _texts([e for e in episodes if missing[e.pk]]):
        if not any(missing.values()):
            break  # the other texts need not be read
        if held := terms_in(indexed, query) & missing[pk]:
            missing[pk] -= held
            found[pk].append(Reason(label, excerpts.marked(shown, query)))
    for pk, said in lines(episodes, query, missing).items():
        found[pk] += said
    return found


def not_on_cards(episodes: Sequence[Episode], query: Query) -> dict[int, set[int]]:
    """For each episode the numbers of the terms that neither its title nor its notes have."""
    numbers = set(range(len(query.terms)))
    return {e.pk: numbers - terms_in(f"{e.heading}\n{e.description_text}", query) for e in episodes}


def _texts(episodes: Sequence[Episode]) -> Iterator[tuple[int, str, str, str]]:
    """Topics, links, people and chapters of episodes: the id of the episode, the label of the text,
    how it is shown, and what of it is indexed."""
    for episode in episodes:
        for topic in episode.topics_in_order:
            yield episode.pk, "Topic", topic.name, topic.name
            for alias in map(str, topic.aliases):
                yield episode.pk, "Topic", f"{topic.name} ({alias})", alias
    of = {"episode__in": [episode.pk for episode in episodes]}
    for mention in EpisodeLink.objects.filter(**of).select_related("link").order_by("position"):
        link, kind = mention.link, link_labels.ONE.get(mention.link.kind, "Link")
        indexed = f"{link.key} {mention.url} {kind} {link.title} PR"[:2_000]
        yield mention.episode_id, kind, link.title or link_labels.named(link.key).whole, indexed
    for credit in Credit.objects.filter(**of).select_related("person").order_by("person", "role"):
        name = credit.person.name
        yield credit.episode_id, credit.role.capitalize(), name, name
    for chapter in Chapter.objects.filter(**of).order_by("start"):
        yield chapter.episode_id, f"Chapter at {clock(chapter.start)}", chapter.title, chapter.title


MOST_REMOVALS = 5


def removals(
    listed: EpisodeFilter, chips: Sequence[facets.Chip]
) -> Iterator[tuple[facets.Chip, int]]:
    """The filters without which there are episodes, with the number of these; a single filter is
    not worth a line."""
    # Each costs a count of its own.
    for chip in chips[:MOST_REMOVALS] if len(chips) > 1 else ():
        if count := listed.without(chip.names, chip.value).count():
            yield chip, count


def unknowns(listed: EpisodeFilter) -> Iterator[dict[str, object]]:
    """The episodes that a filter for lengths or dates leaves out because it cannot judge them,
    where one is in force: their number and their address."""
    chosen = listed.selection
    for names, unknown, words in (
        (LENGTHS, f"band:{UNKNOWN}", "length"),
        (("year", "month"), "month:", "date"),
    ):
        missing = listed.counts(*names)[unknown] if listed.asked.keys() & {*names} else 0
        if missing:
            query = chosen.replaced(**{**dict.fromkeys(names, ""), names[0]: UNKNOWN}).query()
            yield {"count": missing, "words": words, "query": query}


GROUPS = ("In the title", "Said or written", "About a related topic")


def understood(listed: EpisodeFilter, of_site: Site, first_page: bool) -> dict[str, object]:
    """The lines above the results of a search."""
    usual = {
        "typed": listed.typed,
        "typed_query": listed.typed_query,
        "order": listed.order,
    }
    if not listed.is_search:
        return usual | {"facts": [], "near": False, "direct_hits": []}
    query = listed.search.asked
    alone = first_page and len(listed.selection.pairs()) == 1
    return usual | {
        "facts": list(filter(None, (term.understood for term in query.query.terms))),
        "near": listed.is_near,
        "direct_hits": direct_hits(query, of_site) if alone else [],
    }


def group_headings(listed: EpisodeFilter, shown: Sequence[Episode]) -> dict[int, tuple[str, str]]:
    """The headings of groups of results with the number in each, by the id of the episode on this
    page that each comes before."""
    if listed.order != "match" or listed.is_near:
        return {}
    found = listed.results()
    counts = Counter(map(found.groups.get, found.ids))
    # Reversed, because a dict keeps the last of equal keys.
    first = {found.groups[episode.pk]: episode.pk for episode in reversed(shown)}
    return {pk: (GROUPS[n], "" if found.cut else f"{counts[n]:,}") for n, pk in first.items()}


VIEWS = {"topic": ("topic", "Topic"), "name": ("name", "Symbol"), "person": ("person", "Person")}
MOST = 3  # of a kind


@dataclass(frozen=True)
class DirectHit:
    """Something that a query names: its name, the kind of thing it is, and the address of its
    page."""

    name: str
    kind: str
    address: str


def direct_hits(asked: PreparedQuery, of_site: Site) -> list[DirectHit]:
    """Shows, where there are several, whose titles have the query, then topics, symbols, people and
    links that hold every word of it, a few of each."""
    words = asked.query.typed if of_site.several else ""
    shows = Podcast.objects.shown().filter(title__has_letters=words)[: MOST if words else 0]
    hits = [DirectHit(show.title, "Show", show.get_absolute_url()) for show in shows]
    for kind, name, slug, of_link in named(asked, MOST):
        if kind == "link":
            title = link_labels.named(slug).whole if name == slug else name
            hits.append(
                DirectHit(
                    title, link_labels.ONE.get(of_link, "Link"), Link(key=slug).get_absolute_url()
                )
            )
        else:
            view, what = VIEWS[kind]
            hits.append(DirectHit(name, what, reverse(view, args=[slug])))
    return hits


# One letter begins too many names.
SHORTEST = 2
MOST_EPISODES = 5


@require_safe
@cache_control(max_age=60)
def suggest(request: HttpRequest) -> HttpResponse:
    """A piece of a page: the best episodes and direct hits, each an option of a list box."""
    words, of_site = request.GET.get("q", "")[:LONGEST_QUERY].strip(), site()
    hits = []
    if len(words) >= SHORTEST:
        found = results(prepare(words), counts_of(Episode.objects.listed())["episodes"])
        best = in_order(
            found.ids[:MOST_EPISODES], Episode.objects.named().prefetch_related("podcast")
        )
        for e in best:
            kind = e.podcast.title if of_site.several else f"Episode {e.numbering}".strip()
            hits.append(DirectHit(e.heading, kind, e.get_absolute_url()))
        hits += direct_hits(found.asked, of_site)
    answer = render(request, "episodes/includes/_suggestions.html", {"hits": hits, "words": words})
    # A piece without a frame is no page for search engines to list.
    answer["X-Robots-Tag"] = "noindex"
    return answer
