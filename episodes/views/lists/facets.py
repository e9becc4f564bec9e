"""The choices beside a list, each with the number of episodes that choosing it gives."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from ...models import BANDS, Person, Podcast, Source, Topic
from ...site import Site
from ...text import formatting
from ...text.formatting import isolated, sentence
from ...text.link_labels import KINDS
from . import length_bands
from .filters import LENGTHS, UNKNOWN_YEAR, EpisodeFilter
from .selection import NOT_NARROWING, Selection
from .title import length

STEPS = 10
MOST_TOPICS = 10  # shown at once; of a few more, all


@dataclass(frozen=True)
class FacetChoice:
    """A line of a facet: what it is called, how many it gives, where it leads, and its share of the largest in 1…10."""

    label: str
    count: int
    query: str
    chosen: bool
    share: int
    group: str = ""


@dataclass(frozen=True)
class Chip:
    """A filter in force and the address without it; `names` are its parameters, `value` the one of several topics."""

    label: str
    query: str
    names: tuple[str, ...] = ()
    value: str = ""


def choices(rows: Iterable[tuple[str, int, str, bool, str]]) -> list[FacetChoice]:
    """Lines for (label, count, query, chosen, group); those that give nothing are left out."""
    shown = [row for row in rows if row[1] or row[3]]
    most = max((count for _, count, *_ in shown), default=1) or 1
    return [
        FacetChoice(label, count, query, chosen, share(count, most), group)
        for label, count, query, chosen, group in shown
    ]


def share(count: int, most: int) -> int:
    """How much of the largest this is, in steps of which the largest has ten."""
    return -(-count * STEPS // most)


Groups = list[tuple[str, list[FacetChoice]]]


def topic_choices(listed: EpisodeFilter) -> tuple[list[FacetChoice], Groups]:
    """The topics of most of the episodes shown, those chosen first; and the others in their groups."""
    chosen = listed.selection
    counts = listed.counts().of("topic")
    asked = chosen.all("topic")
    lines = choices(
        (t.name, counts.get(str(t.pk), 0), chosen.toggled("topic", t.slug).query(), t.slug in asked, t.group)
        for t in in_groups(listed.topics.values())
        if str(t.pk) in counts or t.slug in asked
    )
    by_use = sorted(lines, key=lambda line: (not line.chosen, -line.count))
    first = by_use if len(lines) <= MOST_TOPICS + 3 else by_use[:MOST_TOPICS]
    others = [line for line in lines if line not in first]
    return first, [(name, list(group)) for name, group in groupby(others, key=lambda line: line.group)]


def in_groups(topics: Iterable[Topic]) -> list[Topic]:
    """Topics of a group side by side, the groups in the order of their first topics."""
    ordered = list(topics)
    first: dict[str, int] = {}
    for place, topic in enumerate(ordered):
        first.setdefault(topic.group, place)
    return sorted(ordered, key=lambda topic: first[topic.group])


def years(listed: EpisodeFilter, months: Mapping[str, int]) -> list[FacetChoice]:
    """The years of the episodes that pass all other filters: `months` counts these, under "" the undated ones."""
    chosen = listed.selection
    asked, query = chosen.one("year"), chosen.each("year", "month")
    counts: dict[str, int] = {asked: 0} if asked else {}
    for month, count in months.items():
        year = month[:4] or UNKNOWN_YEAR
        counts[year] = counts.get(year, 0) + count
    return choices(
        (
            "Undated" if year == UNKNOWN_YEAR else year,
            count,
            chosen.replaced(month="", year="").query() if year == asked else query(year),
            year == asked,
            "",
        )
        for year, count in sorted(counts.items())
    )


def bands(listed: EpisodeFilter) -> list[FacetChoice]:
    """Bands of lengths, the unknown lengths last: every episode is counted in one of them."""
    counts = listed.counts(*LENGTHS).of("band")
    bare, asked = _without_length(listed.selection), listed.selection.one("length")
    return choices(
        (
            sentence(length_bands.in_words(band)),
            counts.get(band, 0),
            bare.replaced(length="" if band == asked else band).query(),
            band == asked,
            "",
        )
        for band in BANDS
    )


def shows(listed: EpisodeFilter, site: Site) -> list[FacetChoice]:
    """The shows of the episodes listed, were none chosen; none where the site has but one."""
    if not site.several:
        return []
    chosen = listed.selection
    asked, query = chosen.one("podcast"), chosen.each("podcast")
    counts = listed.counts("podcast").of("show")
    return choices(
        (
            show.title,
            counts.get(str(show.pk), 0),
            chosen.replaced(podcast="").query() if show.slug == asked else query(show.slug),
            show.slug == asked,
            "",
        )
        for show in site.shows
    )


def names(selection: Selection, topics: Mapping[str, Topic], show: Podcast | None = None) -> dict[tuple[str, str], str]:
    """What the chosen slugs and values are called."""
    found = {("topic", slug): topics[slug].name for slug in selection.all("topic")}
    found |= {("link_kind", kind): label.lower() for kind, label in KINDS.items()}
    found |= {("podcast", show.slug): show.title} if show else {}
    found["year", UNKNOWN_YEAR] = "Undated"
    if asked := selection.one("month"):
        found["month", asked] = formatting.month(asked)
    if slug := selection.one("person"):
        found["person", slug] = Person.objects.get(slug=slug).name
    if slug := selection.one("source"):
        found["source", slug] = _source_name(slug, selection.one("podcast"))
    return found


def _source_name(slug: str, show: str) -> str:
    """The title of a source; its slug where sources of several shows have it under several titles."""
    sources = Source.objects.filter(slug=slug)
    titles = set((sources.filter(podcast__slug=show) if show else sources).values_list("title", flat=True))
    return (titles.pop() if len(titles) == 1 else "") or slug


def chips(selection: Selection, named: Mapping[tuple[str, str], str]) -> list[Chip]:
    """What is chosen, each with the address of the list without it."""
    return list(_chips(selection, named))


def _chips(selection: Selection, named: Mapping[tuple[str, str], str]) -> Iterator[Chip]:
    for name, value in selection.pairs():
        if name in NOT_NARROWING or name in LENGTHS:
            continue
        label = f"“{isolated(value)}”" if name == "q" else named.get((name, value), value)
        without = selection.toggled(name, value) if name == "topic" else selection.replaced(**{name: ""})
        yield Chip(label, without.query(), (name,), value)
    if words := length(selection):
        yield Chip(sentence(words), _without_length(selection).query(), LENGTHS)


def _without_length(selection: Selection) -> Selection:
    return selection.replaced(**dict.fromkeys(LENGTHS, ""))


def nearest(selection: Selection, topics: Mapping[str, Topic], most: int = 5) -> list[Topic]:
    """The topics whose name or alias is spelled like a word of the query, without those that were chosen."""
    found: list[Topic] = []
    spelled: dict[str, Topic] = {}
    for topic in topics.values():
        for name in (topic.name, topic.slug, *topic.aliases):
            spelled.setdefault(str(name).lower(), topic)
    typed = selection.one("q").lower()
    for word in dict.fromkeys([typed, *typed.split()]):
        for name in difflib.get_close_matches(word, spelled, n=3, cutoff=0.6) if word else ():
            found.append(spelled[name])
    return [topic for topic in dict.fromkeys(found) if topic.slug not in selection.all("topic")][:most]
