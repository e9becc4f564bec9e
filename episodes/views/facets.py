"""The choices beside a list, each with the number of episodes that choosing it gives, and its
months as bars."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar

from django.db.models import Count, Max
from django.utils.text import capfirst

from ..models import BANDS, UNKNOWN, Person, Podcast, Source, Topic
from ..site import Site
from ..text import formatting
from ..text.link_labels import KINDS
from .filters import LENGTHS, NOT_NARROWING, EpisodeFilter, Selection, band, length

STEPS = 10
MOST_TOPICS = 12  # shown at once


@dataclass(frozen=True)
class FacetChoice:
    """A line of a facet: what it is called, how many it gives, where it leads, and its share of the
    largest in 1…10."""

    label: str
    count: int
    query: str
    chosen: bool
    share: int
    group: str = ""


@dataclass(frozen=True)
class Chip:
    """A filter in force and the address without it; `names` are its parameters, `value` the one of
    several topics."""

    label: str
    query: str
    names: tuple[str, ...] = ()
    value: str = ""


def choices(rows: Iterable[tuple[str, int, str, bool, str]]) -> list[FacetChoice]:
    """Lines for (label, count, query, chosen, group); those that give nothing are left out."""
    # A chosen one stays even where it gives nothing, so that it can be taken off.
    shown = [row for row in rows if row[1] or row[3]]
    most = max([1, *(count for _, count, *_ in shown)])
    return [
        FacetChoice(label, count, query, chosen, share(count, most), group)
        for label, count, query, chosen, group in shown
    ]


def facet(
    chosen: Selection, name: str, rows: Iterable[tuple[str, str, int]], off: tuple[str, ...] = ()
) -> list[FacetChoice]:
    """Lines for (value, label, count) of a filter with one value, which take the filters in `off`
    off, too."""
    bare = chosen.replaced(**dict.fromkeys(set(off) - {name}, ""))
    return choices(
        (label, count, bare.switched(name, value).query(), value == chosen.one(name), "")
        for value, label, count in rows
    )


def share(count: int, most: int, steps: int = STEPS) -> int:
    """The share of the largest, in steps of which the largest has all."""
    # Rounded up, so that whatever has any episodes has a bar that can be seen.
    return -(-count * steps // most)


AnyTopic = TypeVar("AnyTopic", bound=Topic)
Groups = list[tuple[str, list[FacetChoice]]]


def topic_choices(listed: EpisodeFilter) -> tuple[list[FacetChoice], Groups]:
    """The topics of most of the episodes shown, those chosen first; and the others in their
    groups."""
    chosen, counts = listed.selection, listed.counts()
    asked = chosen.all("topic")
    lines = choices(
        (
            t.name,
            counts[f"topic:{t.pk}"],
            chosen.toggled("topic", t.slug).query(),
            t.slug in asked,
            t.group,
        )
        for t in in_groups(listed.topics.values())
    )
    by_use = sorted(lines, key=lambda line: (not line.chosen, -line.count))
    first = by_use[:MOST_TOPICS]
    others = [line for line in lines if line not in first]
    return first, [
        (name, list(group)) for name, group in groupby(others, key=lambda line: line.group)
    ]


def in_groups(topics: Iterable[AnyTopic]) -> list[AnyTopic]:
    """Topics of a group side by side, the groups in the order of their first topics."""
    ordered = list(topics)
    groups = list(dict.fromkeys(topic.group for topic in ordered))
    return sorted(ordered, key=lambda topic: groups.index(topic.group))


def years(listed: EpisodeFilter) -> list[FacetChoice]:
    """The years of the episodes that pass all other filters, and the one chosen."""
    counts = listed.counts("year", "month").by_year()
    counts[UNKNOWN] = counts.pop("", 0)
    # A chosen year stays among the choices.
    counts.update(dict.fromkeys(listed.selection.all("year"), 0))
    rows = [
        (year, "Undated" if year == UNKNOWN else year, count)
        for year, count in sorted(counts.items())
    ]
    # A month lies in one year, so the choice of another year takes it off.
    return facet(listed.selection, "year", rows, off=("month",))


def bands(listed: EpisodeFilter) -> list[FacetChoice]:
    """Bands of lengths, the unknown lengths last: every episode is counted in one of them."""
    counts = listed.counts(*LENGTHS)
    rows = [(name, capfirst(band(name)), counts[f"band:{name}"]) for name in BANDS]
    # A band and limits in minutes that were typed could leave nothing together.
    return facet(listed.selection, "length", rows, off=LENGTHS)


def shows(listed: EpisodeFilter, site: Site) -> list[FacetChoice]:
    """The shows of the episodes listed, were none chosen; none where the site has but one."""
    if not site.several:
        return []
    counts = listed.counts("podcast")
    return facet(
        listed.selection,
        "podcast",
        [(show.slug, show.title, counts[f"show:{show.pk}"]) for show in site.shows],
    )


def names(
    selection: Selection, topics: Mapping[str, Topic], show: Podcast | None = None
) -> dict[tuple[str, str], str]:
    """The names of the chosen slugs and values."""
    found = {("topic", slug): topics[slug].name for slug in selection.all("topic")}
    found |= {("link_kind", kind): label.lower() for kind, label in KINDS.items()}
    found |= {("month", month): formatting.month(month) for month in selection.all("month")}
    found |= {("q", words): f"“{words}”" for words in selection.all("q")}
    found["year", UNKNOWN] = "Undated"
    if show:
        found["podcast", show.slug] = show.title
    people = Person.objects.filter(slug__in=selection.all("person")).values_list("slug", "name")
    found |= {("person", slug): name for slug, name in people}
    # Sources of several shows may have one slug under several titles.
    of_slug = Source.objects.filter(slug__in=selection.all("source")).order_by().values("slug")
    sources = of_slug.annotate(titles=Count("title", distinct=True), only=Max("title"))
    rows = sources.filter(titles=1).values_list("slug", "only")
    return found | {("source", slug): title for slug, title in rows}


def chips(selection: Selection, named: Mapping[tuple[str, str], str]) -> list[Chip]:
    """The filters in force, each with the address of the list without it."""
    found = []
    for name, value in selection.pairs():
        if name not in (*NOT_NARROWING, *LENGTHS):
            label = named.get((name, value), value)
            found.append(Chip(label, selection.toggled(name, value).query(), (name,), value))
    if words := length(selection):
        found.append(
            Chip(
                capfirst(words),
                selection.replaced(**dict.fromkeys(LENGTHS, "")).query(),
                LENGTHS,
            )
        )
    return found


HEIGHT = 40
MOST_YEARS = 10  # shown month by month; more have a bar each
# The filter that a bar chooses, the one that it takes off, and what follows the year in its period.
BY_MONTH = ("month", "year", [f"-{month:02}" for month in range(1, 13)])
BY_YEAR = ("year", "month", [""])


def timeline(
    whole: Mapping[str, int], shown: Mapping[str, int], chosen: Selection
) -> list[dict[str, Any]]:
    """Every year from the first episode to the last, also those without any, with the address of
    its list and a bar for each month, or one for the year, None where there are no episodes; none
    where fewer than two of the episodes shown have a date.

    `whole` counts all episodes by months such as `2021-03`, `shown` those that pass all filters but
    year and month."""
    dated = sorted(whole.keys() - {""})
    # A picture of one episode would say less than its date.
    if sum(shown.get(month, 0) for month in dated) < 2:
        return []
    years = range(int(dated[0][:4]), int(dated[-1][:4]) + 1)
    name, other, endings = BY_MONTH if len(years) <= MOST_YEARS else BY_YEAR
    asked = chosen.one("month") or chosen.one("year")
    counts, inked = Counter[str](), Counter[str]()
    for month in dated:
        period = month[: len(f"2021{endings[0]}")]
        counts[period] += whole[month]
        inked[period] += shown.get(month, 0) * month.startswith(asked)
    bars, bare, most = {}, chosen.replaced(**{other: ""}), max(counts.values())
    for period, count in counts.items():
        ink = inked[period]
        bars[period] = {
            "label": f"{formatting.month(period)}: {ink}"
            + (f" of {count}" if ink != count else ""),
            "shown": ink,
            "all_height": share(count, most, HEIGHT),
            "shown_height": share(ink, most, HEIGHT),  # how much of the bar is inked
            "query": bare.switched(name, period).query(),
            "chosen": period == chosen.one("month"),
        }
    found, without_month = [], chosen.replaced(month="")
    for year in map(str, years):
        found.append(
            {
                "year": year,
                "bars": [bars.get(f"{year}{ending}") for ending in endings],
                "query": without_month.switched("year", year).query(),
                "chosen": chosen.one("year") == year,
            }
        )
    return found
