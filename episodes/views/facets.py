"""The choices beside a list, each with the number of episodes that choosing it gives."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeVar

from django.db.models import Count, Max
from django.utils.text import capfirst

from ..models import LENGTH_BANDS, UNKNOWN, Person, Podcast, Source, Topic
from ..site import Site
from ..text import formatting
from ..text.link_labels import LINK_KIND_PLURALS
from .episode_filter import LENGTH_PARAMETERS, EpisodeFilter
from .selection import DISPLAY_PARAMETERS, FilterLabels, Selection, band_in_words, length_in_words


@dataclass(frozen=True)
class FacetChoice:
    """A line of a facet: its label, the episodes that it gives, and the query string that selects it."""

    label: str
    count: int
    query: str
    is_selected: bool
    group: str = ""
    share: int = 0  # of the largest choice, from 1 to 10


@dataclass(frozen=True)
class FilterChoice:
    """A value of a filter with one value, and how many episodes it gives."""

    value: str
    label: str
    count: int


@dataclass(frozen=True)
class ActiveFilter:
    """A filter in force, and the query string of the list without it."""

    label: str
    query: str


def single_choice_lines(
    selection: Selection,
    parameter: str,
    choices: Iterable[FilterChoice],
    conflicting: Sequence[str] = (),
) -> list[FacetChoice]:
    """Return the lines of a filter with one value. Each takes the conflicting filters off, too."""
    base = selection.without(*conflicting)
    lines = []
    for choice in choices:
        query = base.switched(parameter, choice.value).query()
        is_selected = choice.value == selection.first(parameter)
        lines.append(FacetChoice(choice.label, choice.count, query, is_selected))
    return with_shares_of_largest(lines)


def with_shares_of_largest(choices: Sequence[FacetChoice]) -> list[FacetChoice]:
    """Return the choices with their shares of the largest. Leave out choices without episodes."""
    # A selected one stays, so that it can be taken off.
    useful = [choice for choice in choices if choice.count or choice.is_selected]
    largest = max([1, *(choice.count for choice in useful)])
    return [replace(choice, share=share_of_largest(choice.count, largest)) for choice in useful]


def share_of_largest(count: int, largest: int, steps: int = 10) -> int:
    """Return the share of the largest in steps, rounded up so that it can be seen unless it is 0."""
    return -(-count * steps // largest)


AnyTopic = TypeVar("AnyTopic", bound=Topic)
TopicGroups = list[tuple[str, list[FacetChoice]]]


def topic_choices_and_groups(
    filters: EpisodeFilter, max_topics: int = 12
) -> tuple[list[FacetChoice], TopicGroups]:
    """Return the topics with the most episodes, selected ones first, and the other topics by group.

    The other topics are pairs of a group and its choices.
    """
    selection = filters.selection
    counts = filters.counts()
    choices = []
    for topic in order_by_group(filters.topics.values()):
        query = selection.toggled("topic", topic.slug).query()
        is_selected = topic.slug in selection.all("topic")
        count = counts[f"topic:{topic.pk}"]
        choices.append(FacetChoice(topic.name, count, query, is_selected, topic.group))
    lines = with_shares_of_largest(choices)
    by_use = sorted(lines, key=lambda line: (not line.is_selected, -line.count))
    first = by_use[:max_topics]
    remaining = [line for line in lines if line not in first]
    groups = []
    for name, group in groupby(remaining, key=lambda line: line.group):
        groups.append((name, list(group)))
    return first, groups


def order_by_group(topics: Iterable[AnyTopic]) -> list[AnyTopic]:
    """Return topics with each group together, the groups in the order of their first topics."""
    topics = list(topics)
    groups = list(dict.fromkeys(topic.group for topic in topics))
    return sorted(topics, key=lambda topic: groups.index(topic.group))


def year_choices(filters: EpisodeFilter) -> list[FacetChoice]:
    """Return the years of the episodes that pass all other filters, and the selected year."""
    counts = filters.counts("year", "month").by_year()
    counts[UNKNOWN] = counts.pop("", 0)
    for year in filters.selection.all("year"):
        counts.setdefault(year, 0)
    choices = []
    for year, count in sorted(counts.items()):
        label = "Undated" if year == UNKNOWN else year
        choices.append(FilterChoice(year, label, count))
    # A month lies in one year, so the choice of another year takes it off.
    return single_choice_lines(filters.selection, "year", choices, conflicting=("month",))


def length_choices(filters: EpisodeFilter) -> list[FacetChoice]:
    """Return bands of lengths, unknown lengths last. Every episode is in one band."""
    counts = filters.counts(*LENGTH_PARAMETERS)
    choices = []
    for band in LENGTH_BANDS:
        choices.append(FilterChoice(band, capfirst(band_in_words(band)), counts[f"band:{band}"]))
    # A band and limits in minutes that were typed could leave nothing together.
    limits = ("min_minutes", "max_minutes")
    return single_choice_lines(filters.selection, "length", choices, conflicting=limits)


def show_choices(filters: EpisodeFilter, current_site: Site) -> list[FacetChoice]:
    """Return the shows of the episodes, without the filter of the show; [] if the site has one show."""
    if not current_site.several:
        return []
    counts = filters.counts("podcast")
    choices = []
    for show in current_site.shows:
        choices.append(FilterChoice(show.slug, show.title, counts[f"show:{show.pk}"]))
    return single_choice_lines(filters.selection, "podcast", choices)


def filter_labels(
    selection: Selection, topics: Mapping[str, Topic], show: Podcast | None = None
) -> dict[tuple[str, str], str]:
    """Return the words for the selected values, by (parameter, value): `("year", "unknown"): "Undated"`."""
    labels = {("year", UNKNOWN): "Undated"}
    for slug in selection.all("topic"):
        labels["topic", slug] = topics[slug].name
    for kind, label in LINK_KIND_PLURALS.items():
        labels["link_kind", kind] = label.lower()
    for month in selection.all("month"):
        labels["month", month] = formatting.format_month(month)
    words = selection.first("q")
    labels["q", words] = f"“{words}”"
    if show:
        labels["podcast", show.slug] = show.title
    people = Person.objects.filter(slug__in=selection.all("person"))
    for slug, name in people.values_list("slug", "name"):
        labels["person", slug] = name
    # Sources of several shows may have one slug under several titles.
    sources = Source.objects.filter(slug__in=selection.all("source")).order_by().values("slug")
    titles = sources.annotate(titles=Count("title", distinct=True), only_title=Max("title"))
    for slug, title in titles.filter(titles=1).values_list("slug", "only_title"):
        labels["source", slug] = title
    return labels


def active_filters(selection: Selection, labels: FilterLabels) -> list[ActiveFilter]:
    """Return the filters in force, each with the query string of the list without it."""
    filters = []
    for name, value in selection.pairs():
        if name not in DISPLAY_PARAMETERS and name not in LENGTH_PARAMETERS:
            label = labels.get((name, value), value)
            query = selection.toggled(name, value).query()
            filters.append(ActiveFilter(label, query))
    if words := length_in_words(selection):
        query = selection.without(*LENGTH_PARAMETERS).query()
        filters.append(ActiveFilter(capfirst(words), query))
    return filters
