"""The values of the filters in an address, in words, and the addresses one change away from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import quote_plus

from django.utils.text import get_text_list

from ..models import UNKNOWN
from ..site import Site
from ..text.formatting import format_episode_count, format_length_range, isolate_direction

# The parameters of the episode list, in the order that they have in an address: one choice has
# one spelling.
EPISODE_PARAMETERS = (
    "q",
    "topic",
    "year",
    "month",
    "person",
    "source",
    "link_kind",
    "length",
    "min_minutes",
    "max_minutes",
    "podcast",
    "language",
    "sort",
    "as_typed",
)


@dataclass(frozen=True)
class Selection:
    """The values of each filter in force; never a page, for another choice is another list."""

    values: Mapping[str, tuple[str, ...]]
    parameters: tuple[str, ...] = EPISODE_PARAMETERS

    def all(self, parameter: str) -> tuple[str, ...]:
        return self.values.get(parameter, ())

    def first(self, parameter: str) -> str:
        values = self.all(parameter)
        return values[0] if values else ""

    def pairs(self) -> list[tuple[str, str]]:
        pairs = []
        for name in self.parameters:
            for value in self.values.get(name, ()):
                pairs.append((name, value))
        return pairs

    def narrowing_pairs(self) -> list[tuple[str, str]]:
        """Return the pairs that leave anything out, so without an order."""
        display_parameters = ("sort", "as_typed")
        return [(name, value) for name, value in self.pairs() if name not in display_parameters]

    def narrows(self) -> bool:
        return bool(self.narrowing_pairs())

    def replaced(self, **changes: str) -> Selection:
        """Return a copy with each of these filters set to one value; "" takes a filter off."""
        changed = {}
        for name, value in changes.items():
            changed[name] = (value,) if value else ()
        return self._changed(changed)

    def without(self, *names: str) -> Selection:
        return self.replaced(**dict.fromkeys(names, ""))

    def toggled(self, parameter: str, value: str) -> Selection:
        """Return a copy with the value added to the filter, or without it if it is selected."""
        values = list(self.all(parameter))
        if value in values:
            values.remove(value)
        else:
            values.append(value)
        return self._changed({parameter: tuple(values)})

    def switched(self, parameter: str, value: str) -> Selection:
        """Return a copy with the value as the only one of the filter, or without it if it is selected."""
        is_selected = value == self.first(parameter)
        return self.replaced(**{parameter: "" if is_selected else value})

    def _changed(self, changes: Mapping[str, tuple[str, ...]]) -> Selection:
        # `as_typed` switches off the correction of the searched words. Other words are corrected again.
        unchanged = {**self.values, "as_typed": ()} if "q" in changes else self.values
        return Selection({**unchanged, **changes}, self.parameters)

    def query(self, page: int = 1) -> str:
        """Return the query string with its question mark; "" for the whole list."""
        pairs = self.pairs()
        if page > 1:
            pairs.append(("page", str(page)))
        quoted = [f"{name}={_encode_for_query(value)}" for name, value in pairs]
        return f"?{'&'.join(quoted)}" if quoted else ""


# A list has hundreds of addresses, which have most values in common.
@lru_cache(maxsize=1024)
def _encode_for_query(value: str) -> str:
    return quote_plus(value, errors="replace")


class QueryChoice(NamedTuple):
    """A value that a reader can choose, and the query string that selects it."""

    label: str
    query: str
    is_selected: bool


FilterLabels = Mapping[tuple[str, str], str]  # by parameter and value


@dataclass(frozen=True)
class ResultCount:
    """The number of episodes in a list, and how they relate to the words that were searched."""

    total: int
    has_more: bool = False  # more match than are listed
    relation: str = "matching"  # "close to" if no episode has all words

    def in_words(self) -> str:
        """Return `12 episodes`, or `5,000+ episodes`."""
        if self.has_more:
            return f"{self.total:,}+ episodes"
        return format_episode_count(self.total)


def list_headline(
    count: ResultCount, selection: Selection, labels: FilterLabels, current_site: Site
) -> str:
    """Return the headline of a list.

    For a whole show `PyTorch Developer Podcast: 82 episodes`, else
    `12 episodes about Autograd and CUDA, 2021, up to 15 min`.
    """
    is_whole_show_or_site = not selection.without("podcast").narrows()
    if is_whole_show_or_site:
        show = current_site.find_show_with_slug_or_only_show(selection.first("podcast"))
        name = str(show or current_site)
        return f"{isolate_direction(name)}: {format_episode_count(count.total)}"
    return count.in_words() + filters_in_words(selection, labels, count.relation)


def filters_in_words(selection: Selection, labels: FilterLabels, relation_to_query: str) -> str:
    """Return the words that follow "episodes": ` about Autograd and CUDA, 2021`; "" without filters.

    `relation_to_query` stands before the searched words: "matching" or "close to".
    """
    prepositions = (
        ("about", "topic"),
        (relation_to_query, "q"),
        ("with", "person"),
        ("linking to", "link_kind"),
        ("listed by", "source"),
        ("from", "podcast"),
        ("in", "language"),
    )
    words = ""
    for preposition, parameter in prepositions:
        labels_of_filter = _labels_of_parameter(selection, labels, parameter)
        if labels_of_filter:
            # " about Autograd and CUDA": an episode has all selected topics.
            words += f" {preposition} {get_text_list(labels_of_filter, 'and')}"
    # Times and lengths follow as ", 2021" and ", up to 15 min". Within a line "Undated" is "undated".
    limits = [label.lower() for label in _labels_of_parameter(selection, labels, "year")]
    limits += _labels_of_parameter(selection, labels, "month")
    limits += _selected_length_texts(selection)
    for limit in limits:
        words += f", {limit}"
    return words


def _labels_of_parameter(selection: Selection, labels: FilterLabels, parameter: str) -> list[str]:
    return [
        isolate_direction(labels.get((parameter, value), value))
        for value in selection.all(parameter)
    ]


def length_in_words(selection: Selection) -> str:
    """Return the selected lengths: `15 to 20 min`; "" without any."""
    return ", ".join(_selected_length_texts(selection))


def _selected_length_texts(selection: Selection) -> list[str]:
    lengths = [length_band_in_words(band) for band in selection.all("length")]
    typed_limits = format_length_range(
        selection.first("min_minutes"), selection.first("max_minutes")
    )
    if typed_limits:
        lengths.append(typed_limits)
    return lengths


def length_band_in_words(band: str) -> str:
    """Return a band of lengths, such as `15-20`, as `15 to 20 min`, `under 15 min` or `length unknown`."""
    if band == UNKNOWN:
        return "length unknown"
    # `60-` is a band without an upper limit.
    min_minutes, _, max_minutes = band.partition("-")
    if max_minutes and int(min_minutes) == 0:
        return f"under {max_minutes} min"
    return format_length_range(min_minutes, max_minutes)
