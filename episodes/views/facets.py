"""The choices beside a list, each with the number of episodes that choosing it gives."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from math import ceil
from typing import NamedTuple, TypeVar

from django.conf.locale import LANG_INFO
from django.db.models import Count, Max
from django.utils.text import capfirst

from ..models import LENGTH_BANDS, UNKNOWN, Person, Podcast, Source, Topic
from ..site import Site
from ..text import formatting
from ..text.link_labels import LINK_KIND_PLURALS
from .episode_filter import LENGTH_PARAMETERS, EpisodeFilter
from .selection import FilterLabels, Selection, length_band_in_words, length_in_words


@dataclass
class FacetChoice:
    """A line of a facet: its label, the episodes that it gives, and the query string that selects it."""

    label: str
    count: int
    query: str
    is_selected: bool
    group: str = ""
    share: int = 0  # of the largest choice, from 1 to 10
    show: Podcast | None = None  # its label is in the language of this show


class Facet(NamedTuple):
    """The choices of a filter, and choices that a reader has to open."""

    name: str
    choices: Sequence[FacetChoice]
    folded: Sequence[FacetChoice] = ()

    @property
    def has_alternatives(self) -> bool:
        # Two choices, or a single one that can be taken off.
        selected_count = sum(choice.is_selected for choice in self.choices)
        return len(self.choices) + selected_count > 1


def with_alternatives(*facets: Facet) -> list[Facet]:
    return [facet for facet in facets if facet.has_alternatives]


@dataclass(frozen=True)
class ActiveFilter:
    """A filter in force, and the query string of the list without it."""

    label: str
    query: str


def choices_of_single_value_filter(
    selection: Selection,
    parameter: str,
    labels_by_value: Mapping[str, str],
    counts_by_value: Mapping[str, int],
    conflicting_parameters: Sequence[str] = (),
) -> list[FacetChoice]:
    """Return the choices of a filter with one value.

    Each choice takes the conflicting filters off, too. Leave out values without episodes, unless they
    are selected.
    """
    without_conflicts = selection.without(*conflicting_parameters)
    choices = []
    for value, label in labels_by_value.items():
        query = without_conflicts.switched(parameter, value).query()
        is_selected = value == selection.first(parameter)
        count = counts_by_value.get(value, 0)
        choices.append(FacetChoice(label, count, query, is_selected))
    return drop_empty_and_add_shares(choices)


def drop_empty_and_add_shares(choices: Sequence[FacetChoice]) -> list[FacetChoice]:
    """Return the choices with their shares of the largest. Leave out choices without episodes."""
    # A selected choice stays, so that it can be taken off.
    useful = [choice for choice in choices if choice.count or choice.is_selected]
    largest = max((choice.count for choice in useful), default=0)
    for choice in useful:
        choice.share = share_of_largest(choice.count, largest)
    return useful


def share_of_largest(count: int, largest: int, steps: int = 10) -> int:
    """Return the share of the largest in steps, rounded up: 1 of 10 for 3 of 50. Only 0 cannot be seen."""
    return ceil(count * steps / max(largest, 1))


AnyTopic = TypeVar("AnyTopic", bound=Topic)


class TopicGroup(NamedTuple):
    """Choices of topics: of a show, or of a group of topics."""

    name: str
    choices: list[FacetChoice]
    show: Podcast | None


def first_topics_and_other_topics_by_group(
    filters: EpisodeFilter, current_site: Site
) -> tuple[list[FacetChoice], list[TopicGroup]]:
    """Return the topics to show at once, and by group the others, which a reader opens.

    The first ones are the selected topics, then the topics with the most episodes. In a list of several
    shows the groups are the shows.
    """
    choices = drop_empty_and_add_shares(_topic_choices(filters, current_site))
    max_first_topics = 12
    first_topics = sort_by_use(choices)[:max_first_topics]
    other_topics = [choice for choice in choices if choice not in first_topics]
    groups = []
    # The other topics still have the order of their groups: `groupby` joins only neighbours.
    for group_name, choices_of_group in groupby(other_topics, key=lambda choice: choice.group):
        topics_of_group = list(choices_of_group)
        groups.append(TopicGroup(group_name, topics_of_group, topics_of_group[0].show))
    return first_topics, groups


def _topic_choices(filters: EpisodeFilter, current_site: Site) -> list[FacetChoice]:
    """Return a choice for each topic, the topics of a group in a row."""
    selection = filters.selection
    counts = filters.facet_counts()
    # In a list of several shows the topics of a show are a group with its title. A list of one show has
    # the groups that the topics name, such as "Nature".
    shows_by_id: dict[int | None, Podcast] = {}
    if not filters.is_of_one_show(current_site):
        shows_by_id = _shows_of_topics_by_id(filters.topics.values(), current_site)
    choices = []
    for topic in _order_by_show_and_group(filters.topics.values(), shows_by_id):
        # Choosing a selected topic takes it off.
        query = selection.toggled("topic", topic.slug).query()
        is_selected = topic.slug in selection.all("topic")
        count = counts[f"topic:{topic.pk}"]
        show = shows_by_id.get(topic.podcast_id)
        group = str(show) if show else topic.group
        choices.append(FacetChoice(topic.name, count, query, is_selected, group, show=show))
    return choices


def _shows_of_topics_by_id(
    topics: Iterable[Topic], current_site: Site
) -> dict[int | None, Podcast]:
    # A site of very many shows has only some of them loaded. A topic may be for all shows (None).
    loaded_shows = {show.pk: show for show in current_site.shows}
    ids_of_topics = {topic.podcast_id for topic in topics}
    missing_ids = ids_of_topics - loaded_shows.keys() - {None}
    return {**loaded_shows, **Podcast.objects.in_bulk(missing_ids)}


def sort_by_use(choices: Iterable[FacetChoice]) -> list[FacetChoice]:
    return sorted(choices, key=lambda choice: (not choice.is_selected, -choice.count))


def _order_by_show_and_group(
    topics: Iterable[AnyTopic], shows: Mapping[int | None, Podcast]
) -> list[AnyTopic]:
    def title_of_show(topic: AnyTopic) -> str:
        return str(shows.get(topic.podcast_id, "")).casefold()

    return sorted(order_by_group(topics), key=title_of_show)


def order_by_group(topics: Iterable[AnyTopic]) -> list[AnyTopic]:
    return list(chain.from_iterable(group_topics(topics).values()))


def group_topics(topics: Iterable[AnyTopic]) -> Mapping[str, list[AnyTopic]]:
    """Return topics by group, the groups in the order of their first topics."""
    groups = defaultdict(list)
    for topic in topics:
        groups[topic.group].append(topic)
    return groups


def year_choices(filters: EpisodeFilter) -> list[FacetChoice]:
    """Return the years of the episodes that pass all other filters, and the selected year."""
    counts = filters.facet_counts(ignoring={"year", "month"}).counts_by_year()
    # The counts have undated episodes as "", addresses as "unknown".
    counts[UNKNOWN] = counts.pop("", 0)
    # "unknown" sorts after all years.
    years = sorted({*counts, *filters.selection.all("year")})
    labels = {year: year for year in years}
    labels[UNKNOWN] = "Undated"
    # A month lies in one year, so the choice of another year takes it off.
    return choices_of_single_value_filter(
        filters.selection, "year", labels, counts, conflicting_parameters=("month",)
    )


def length_choices(filters: EpisodeFilter) -> list[FacetChoice]:
    """Return bands of lengths, unknown lengths last. Every episode is in one band."""
    counts_of_any_length = filters.facet_counts(ignoring=set(LENGTH_PARAMETERS))
    counts = counts_of_any_length.counts_of_facet_by_value("band")
    labels = {band: capfirst(length_band_in_words(band)) for band in LENGTH_BANDS}
    # A band and typed limits could exclude each other, so a band takes the limits off.
    limits = ("min_minutes", "max_minutes")
    return choices_of_single_value_filter(
        filters.selection, "length", labels, counts, conflicting_parameters=limits
    )


def facet_of_shows(filters: EpisodeFilter, current_site: Site) -> Facet:
    """Return the shows of the episodes, without the filter of the show, the most frequent first.

    A site with one show has no choices.
    """
    if not current_site.several:
        return Facet("Show", ())
    # Ignoring the selected show, so that a reader can choose another.
    counts = filters.facet_counts(ignoring={"podcast"})
    choices = []
    for show in current_site.shows:
        query = filters.selection.switched("podcast", show.slug).query()
        is_selected = show.slug == filters.selection.first("podcast")
        count = counts[f"show:{show.pk}"]
        choices.append(FacetChoice(show.title, count, query, is_selected, show=show))
    by_use = sort_by_use(drop_empty_and_add_shares(choices))
    max_open_choices = 8
    return Facet("Show", by_use[:max_open_choices], folded=by_use[max_open_choices:])


def language_choices(filters: EpisodeFilter, current_site: Site) -> list[FacetChoice]:
    """Return the languages of the episodes' shows, without the filter of the language; [] for one show."""
    if not current_site.several:
        return []
    # Ignoring the selected language, so that a reader can choose another. Episodes are counted by show,
    # and each show has one language.
    counts_of_any_language = filters.facet_counts(ignoring={"language"})
    counts_by_code = Counter[str]()
    for show in current_site.load_all_shows():
        counts_by_code[show.primary_language] += counts_of_any_language[f"show:{show.pk}"]
    counts_by_code.pop("", None)  # a feed may name no language
    names_by_code = {
        code: language_name(code) for code in sorted(counts_by_code, key=language_name)
    }
    # A selected show could exclude another language, so a language takes the show off.
    return choices_of_single_value_filter(
        filters.selection,
        "language",
        names_by_code,
        counts_by_code,
        conflicting_parameters=("podcast",),
    )


def language_name(code: str) -> str:
    return str(LANG_INFO.get(code, {}).get("name", code))


def labels_by_parameter_value_pair(
    selection: Selection, topics: Mapping[str, Topic], show: Podcast | None = None
) -> dict[tuple[str, str], str]:
    """Return the words for the selected values, by (parameter, value): `("year", "unknown"): "Undated"`."""
    labels = _labels_of_people_and_sources(selection)
    # All other years, and lengths, are their own words.
    labels["year", UNKNOWN] = "Undated"
    for slug in selection.all("topic"):
        labels["topic", slug] = topics[slug].name
    # Each filter below has one value if it is in force, and `all` is empty if it is not.
    for link_kind in selection.all("link_kind"):
        labels["link_kind", link_kind] = LINK_KIND_PLURALS[link_kind].lower()
    for month in selection.all("month"):
        labels["month", month] = formatting.format_month(month)
    for language in selection.all("language"):
        labels["language", language] = language_name(language)
    for words in selection.all("q"):
        labels["q", words] = f"“{words}”"
    if show:
        labels["podcast", show.slug] = show.title
    return labels


def _labels_of_people_and_sources(selection: Selection) -> dict[tuple[str, str], str]:
    labels = {}
    if selection.all("person"):
        people = Person.objects.filter(slug__in=selection.all("person"))
        for slug, name in people.values_list("slug", "name"):
            labels["person", slug] = name
    if selection.all("source"):
        # Sources of several shows may have one slug, such as `blog`. With several titles it has no label,
        # and is named by the slug. `Max` returns the title, as there is only one.
        sources = Source.objects.filter(slug__in=selection.all("source")).order_by().values("slug")
        by_slug = sources.annotate(titles=Count("title", distinct=True), only_title=Max("title"))
        for slug, title in by_slug.filter(titles=1).values_list("slug", "only_title"):
            labels["source", slug] = title
    return labels


def active_filters(selection: Selection, labels: FilterLabels) -> list[ActiveFilter]:
    filters = []
    for name, value in selection.without(*LENGTH_PARAMETERS).narrowing_pairs():
        label = labels.get((name, value), value)
        # The value is selected, so toggling takes it off.
        query = selection.toggled(name, value).query()
        filters.append(ActiveFilter(label, query))
    # The parameters of the length are one filter: "15 to 20 min".
    lengths = length_in_words(selection)
    if lengths:
        query = selection.without(*LENGTH_PARAMETERS).query()
        filters.append(ActiveFilter(capfirst(lengths), query))
    return filters
