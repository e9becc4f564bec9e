"""The choices beside a list, each with the number of episodes that choosing it gives."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from django.db.models import Count, Q

from ...models import Attachment, EpisodeTopic, Podcast, Source, Topic
from ...site import Site
from ...text.formatting import lengths, sentence
from ...text.link_labels import KINDS
from .filters import UNKNOWN_YEAR, EpisodeFilter
from .selection import Selection

STEPS = 20
PLACE = "item__document__source__"
OF_PLACE = (
    "podcast__rank",
    "podcast__slug",
    "podcast__title",
    "rank",
    "slug",
    "title",
)  # sorts by the first that differ
BANDS = (("", "15"), ("15", "20"), ("20", ""))


@dataclass(frozen=True)
class FacetChoice:
    """A line of a facet: what it is called, how many it gives, where it leads, and its share of the largest in 1…20."""

    label: str
    count: int
    query: str
    chosen: bool
    share: int
    group: str = ""


@dataclass(frozen=True)
class Chip:
    """A filter in force and the address without it."""

    label: str
    query: str


def choices(rows: Iterable[tuple[str, int, Selection, bool, str]]) -> list[FacetChoice]:
    """Lines for (label, count, where it leads, chosen, group); those that give nothing are left out."""
    shown = [row for row in rows if row[1] or row[3]]
    most = max((count for _, count, *_ in shown), default=1) or 1
    return [
        FacetChoice(label, count, to.query(), chosen, share(count, most), group)
        for label, count, to, chosen, group in shown
    ]


def share(count: int, most: int) -> int:
    """How much of the largest this is, in steps of which the largest has twenty."""
    return -(-count * STEPS // most)


def topic_groups(listed: EpisodeFilter, topics: Mapping[str, Topic]) -> list[tuple[str, list[FacetChoice]]]:
    """The topics of the episodes shown, under the names of their groups."""
    chosen = listed.selection
    counts = EpisodeTopic.objects.within(listed.narrowed()).counts()
    lines = choices(
        (t.name, counts.get(t.slug, 0), chosen.toggled("topic", t.slug), t.slug in chosen.all("topic"), t.group)
        for t in in_groups(topics.values())
    )
    return [(name, list(group)) for name, group in groupby(lines, key=lambda line: line.group)]


def in_groups(topics: Iterable[Topic]) -> list[Topic]:
    """Topics of a group side by side, the groups in the order of their first topics."""
    ordered = list(topics)
    first: dict[str, int] = {}
    for place, topic in enumerate(ordered):
        first.setdefault(topic.group, place)
    return sorted(ordered, key=lambda topic: first[topic.group])


def years(listed: EpisodeFilter, months: Mapping[date | None, int]) -> list[FacetChoice]:
    """The years of the episodes shown, were no year chosen: `months` counts those."""
    chosen = listed.selection
    counts: dict[str, int] = {}
    for month, count in sorted(months.items(), key=lambda row: row[0] or date.max):
        year = str(month.year) if month else UNKNOWN_YEAR
        counts[year] = counts.get(year, 0) + count
    return choices(
        (
            "Date not known" if year == UNKNOWN_YEAR else year,
            count,
            chosen.replaced(year="" if year == chosen.one("year") else year),
            year == chosen.one("year"),
            "",
        )
        for year, count in counts.items()
    )


def bands(listed: EpisodeFilter) -> list[FacetChoice]:
    """Three lengths; an episode of unknown length is in none of them."""
    limits = {
        f"band{place}": Count("pk", filter=Q(**_between(least, most))) for place, (least, most) in enumerate(BANDS)
    }
    counts = listed.narrowed("min_minutes", "max_minutes").aggregate(**limits)
    asked = (listed.selection.one("min_minutes"), listed.selection.one("max_minutes"))
    rows = []
    for place, (least, most) in enumerate(BANDS):
        chosen = asked == (least, most)
        to = listed.selection.replaced(min_minutes="" if chosen else least, max_minutes="" if chosen else most)
        rows.append((sentence(lengths(least, most)), counts[f"band{place}"], to, chosen, ""))
    return choices(rows)


def _between(least: str, most: str) -> dict[str, int]:
    limits = {"duration_seconds__gte": int(least or 0) * 60}
    return limits | ({"duration_seconds__lte": int(most) * 60} if most else {})


def shows(listed: EpisodeFilter, site: Site) -> list[FacetChoice]:
    """The shows of the episodes listed, were none chosen; none where the site has but one."""
    if not site.several:
        return []
    chosen = listed.selection
    counts = dict(listed.narrowed("podcast").order_by().values_list("podcast__slug").annotate(n=Count("pk")))
    return choices(
        (
            show.title,
            counts.get(show.slug, 0),
            chosen.replaced(podcast="" if show.slug == chosen.one("podcast") else show.slug),
            show.slug == chosen.one("podcast"),
            "",
        )
        for show in site.shows
    )


def sources(listed: EpisodeFilter, site: Site) -> list[FacetChoice]:
    """The places that list the episodes shown, were no place chosen. To choose one of several shows chooses its show."""
    chosen = listed.selection
    found = listed.narrowed("source")
    several = site.several and not chosen.one("podcast")
    fields = [PLACE + name for name in OF_PLACE]
    rows = Attachment.objects.filter(episode__in=found.values("pk")).order_by(*fields).values_list(*fields)
    counts = rows.annotate(n=Count("episode", distinct=True))
    lines = []
    for show_rank, show, show_title, _rank, slug, title, count in counts:
        place = Source(slug=slug, title=title, podcast=Podcast(slug=show, title=show_title, rank=show_rank))
        is_chosen = slug == chosen.one("source")
        to = chosen.replaced(source="" if is_chosen else slug, **({"podcast": show} if several else {}))
        lines.append((place.label(several=several), count, to, is_chosen, ""))
    return choices(lines)


def names(
    selection: Selection, topics: Mapping[str, Topic], places: Sequence[FacetChoice] = (), show: Podcast | None = None
) -> dict[tuple[str, str], str]:
    """What the chosen slugs are called."""
    found = {("topic", slug): topics[slug].name for slug in selection.all("topic")}
    found |= {("link_kind", kind): label.lower() for kind, label in KINDS.items()}
    found |= {("podcast", show.slug): show.title} if show else {}
    labels = {place.label for place in places if place.chosen}
    # Sources of several shows can have one slug.
    return found | ({("source", selection.one("source")): labels.pop()} if len(labels) == 1 else {})


def chips(selection: Selection, named: Mapping[tuple[str, str], str]) -> list[Chip]:
    """What is chosen, each with the address of the list without it."""
    return list(_chips(selection, named))


def _chips(selection: Selection, named: Mapping[tuple[str, str], str]) -> Iterator[Chip]:
    for name, value in selection.pairs():
        if name in ("sort", "min_minutes", "max_minutes"):
            continue
        label = f"“{value}”" if name == "q" else named.get((name, value), value)
        label = "Date not known" if (name, value) == ("year", UNKNOWN_YEAR) else label
        yield Chip(label, selection.toggled(name, value).query())
    if words := lengths(selection.one("min_minutes"), selection.one("max_minutes")):
        yield Chip(sentence(words), selection.replaced(min_minutes="", max_minutes="").query())


def nearest(selection: Selection, topics: Mapping[str, Topic], most: int = 5) -> list[Topic]:
    """The topics closest to what was asked for: those chosen, then those whose name or alias is spelled alike."""
    found = [topics[slug] for slug in selection.all("topic")]
    spelled: dict[str, Topic] = {}
    for topic in topics.values():
        for name in (topic.name, topic.slug, *topic.aliases):
            spelled.setdefault(str(name).lower(), topic)
    for word in [selection.one("q").lower(), *selection.one("q").lower().split()]:
        for name in difflib.get_close_matches(word, spelled, n=3, cutoff=0.6) if word else ():
            found.append(spelled[name])
    return list(dict.fromkeys(found))[:most]
