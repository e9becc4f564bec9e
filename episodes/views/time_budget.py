"""A playlist for the time a reader has."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from operator import itemgetter
from typing import Any, NamedTuple

from django import forms
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ..models import Episode, EpisodeQuerySet, Podcast, Topic
from ..site import Site, load_shows_and_sections
from ..text import formatting
from .episode_filter import BaseEpisodeFilters, choices_of_show_languages
from .facets import group_topics, language_name
from .filters import AddressParameter, KnownValueField
from .rendering import load_cards, render_page
from .selection import QueryChoice

_MAX_MINUTES = 24 * 60
_MAX_SKIP = 20  # each playlist that is skipped has to be made
_ANY_LANGUAGE = "any"


def _languages_or_any() -> list[tuple[str, str]]:
    return [(_ANY_LANGUAGE, ""), *choices_of_show_languages()]


class _PlaylistFilters(BaseEpisodeFilters):
    """The parameters of a playlist: minutes, topic, show, language, order, and playlists to skip."""

    minutes = AddressParameter(forms.IntegerField, min_value=1, max_value=_MAX_MINUTES)
    topic = AddressParameter(KnownValueField, "with_topic", model=Topic)
    podcast = AddressParameter(KnownValueField, field_name="podcast__slug", model=Podcast)
    language = AddressParameter(forms.ChoiceField, choices=_languages_or_any)
    sort = AddressParameter(forms.ChoiceField, choices=[("newest", ""), ("oldest", "")])
    skip = AddressParameter(forms.IntegerField, min_value=0, max_value=_MAX_SKIP)

    @property
    def budget(self) -> int:
        return self.values.get("minutes") or 0

    @property
    def skip_count(self) -> int:
        return self.values.get("skip") or 0

    @property
    def order(self) -> str:
        return self.selection.first("sort") or "newest"


@require_safe
def time_budget_page(request: HttpRequest) -> HttpResponse:
    filters = _PlaylistFilters(request.GET)
    selection = filters.selection
    current_site = load_shows_and_sections()
    list_url = reverse("time")
    podcasts = list(Podcast.objects.listed())
    playlist = _make_playlist(filters, current_site, podcasts) if filters.budget else None
    title = "How much time do you have?"
    if filters.budget:
        title = f"A playlist for {filters.budget} minutes"
    context = {
        "section": "time",
        "title": title,
        "site": current_site,
        "list_url": list_url,
        "selection": selection,
        "complaints": filters.complaints(),
        "minutes": filters.budget,
        "max_minutes": _MAX_MINUTES,
        "common_budgets": _common_budget_choices(filters),
        "groups": group_topics(filters.topics.values()).items(),
        "orders": (("", "Newest first"), ("oldest", "Oldest first")),
        "shows": _show_choices(podcasts),
        "languages": _language_choices(podcasts),
        "playlist": playlist,
        "canonical": request.build_absolute_uri(list_url + selection.query()),
    }
    return render_page(request, "episodes/time.html", context)


def _common_budget_choices(filters: _PlaylistFilters) -> list[QueryChoice]:
    budgets = []
    for minutes in (15, 30, 45, 60, 90):
        label = str(minutes)
        query = filters.selection.replaced(minutes=label, skip="").query()
        budgets.append(QueryChoice(label, query, minutes == filters.budget))
    return budgets


def _show_choices(podcasts: Sequence[Podcast]) -> list[tuple[str, str]]:
    if len(podcasts) < 2:
        return []
    return [("", "any show"), *((podcast.slug, podcast.title) for podcast in podcasts)]


def _language_choices(podcasts: Sequence[Podcast]) -> list[tuple[str, str]]:
    names = _language_names_by_code(podcasts)
    if len(names) < 2:
        return []
    return [("", "one language"), *names.items(), (_ANY_LANGUAGE, "any language")]


@dataclass(frozen=True)
class Playlist:
    """Episodes that fit into a time."""

    episodes: list[Episode]
    total_length: str
    fit: str  # `exact fit · all in English`
    language_name: str  # "" if the episodes may have any language
    shortest: str  # the shortest length of all candidates, "" without any
    untimed: int  # candidates without a length
    next_query: str  # the query string of another playlist, "" if there is none


def _make_playlist(
    filters: _PlaylistFilters, current_site: Site, podcasts: Sequence[Podcast]
) -> Playlist:
    """Return a playlist for the minutes in the address, of one language unless the address has a show or "any"."""
    in_all_languages = _episodes_to_choose_from(filters)
    language = _choose_language(filters, in_all_languages, podcasts)
    in_language = in_all_languages.filter(podcast__in=_shows_in_language(podcasts, language))
    # An episode of 0 seconds would fit into any time.
    timed = in_language.filter(duration_seconds__gt=0)
    is_single_show = filters.is_of_one_show(current_site)
    ordered = timed.sorted_by(filters.order, is_single_show=is_single_show)
    available_seconds = filters.budget * 60
    lengths = _load_fitting_lengths(ordered, available_seconds)
    chosen = choose_playlist(lengths, available_seconds, filters.skip_count)
    seconds = total_seconds(chosen.lengths)
    minutes_left = filters.budget - round(seconds / 60)
    shortest_first = timed.order_by("duration_seconds").values_list("duration_seconds", flat=True)
    # In whole minutes that the episode fits into.
    shortest_minutes = ceil((shortest_first.first() or 0) / 60)
    # "" in a catalog of one language, which nobody has to be told, and for a playlist in any language.
    common_language = _common_language_name(language, podcasts)
    return Playlist(
        episodes=load_cards([length.episode_id for length in chosen.lengths], current_site),
        total_length=formatting.format_hours(seconds),
        fit=_describe_fit(minutes_left, common_language),
        language_name=common_language,
        # If no episode fits, the page says how long the shortest one is.
        shortest=formatting.format_minutes(shortest_minutes * 60),
        untimed=in_language.count() - timed.count(),
        next_query=_next_playlist_query(filters) if chosen.has_next else "",
    )


def _episodes_to_choose_from(filters: _PlaylistFilters) -> EpisodeQuerySet:
    # The topic and the show are filters of rows. `_make_playlist` applies the minutes, the language and
    # the playlists to skip.
    rows: EpisodeQuerySet = filters.filtered_rows(ignoring={"minutes", "language", "skip"})
    return rows.exclude(episode_type="trailer")


def _shows_in_language(podcasts: Sequence[Podcast], language: str) -> Sequence[Podcast]:
    if language == _ANY_LANGUAGE:
        return podcasts
    return [podcast for podcast in podcasts if podcast.primary_language == language]


def _next_playlist_query(filters: _PlaylistFilters) -> str:
    # After the last playlist the first one comes again.
    next_skip_count = (filters.skip_count + 1) % (_MAX_SKIP + 1)
    return filters.selection.replaced(skip=str(next_skip_count)).query()


def _common_language_name(language: str, podcasts: Sequence[Podcast]) -> str:
    names = _language_names_by_code(podcasts)
    return names.get(language, "") if len(names) > 1 else ""


def _describe_fit(minutes_left: int, language_name: str) -> str:
    fit = f"about {minutes_left} min left over" if minutes_left > 0 else "exact fit"
    return f"{fit} · all in {language_name}" if language_name else fit


def _load_fitting_lengths(
    episodes: EpisodeQuerySet, available_seconds: int
) -> list["EpisodeLength"]:
    fitting = episodes.filter(duration_seconds__lte=available_seconds)
    rows: Any = fitting.values_list("pk", "podcast", "duration_seconds")
    # A limit on the work, above the number of episodes that fit into most days.
    return [EpisodeLength(*row) for row in rows[:500]]


# -- languages -------------------------------------------------------------------------------------


def _language_names_by_code(podcasts: Iterable[Podcast]) -> dict[str, str]:
    names = {}
    for podcast in podcasts:
        code = podcast.primary_language
        names[code] = language_name(code)
    names.pop("", None)
    return dict(sorted(names.items(), key=itemgetter(1)))


def _choose_language(
    filters: _PlaylistFilters, candidates: EpisodeQuerySet, podcasts: Sequence[Podcast]
) -> str:
    """Return the code of the language in the address, else that of most candidates.

    A selected show has its own language.
    """
    if filters.selection.first("podcast"):
        return _ANY_LANGUAGE
    return filters.selection.first("language") or _most_frequent_language(candidates, podcasts)


def _most_frequent_language(candidates: EpisodeQuerySet, podcasts: Iterable[Podcast]) -> str:
    codes = {podcast.pk: podcast.primary_language for podcast in podcasts}
    timed = candidates.filter(duration_seconds__gt=0).order_by()
    counts = Counter[str]()
    for podcast_id, count in timed.values_list("podcast").annotate(Count("pk")):
        counts[codes.get(podcast_id, "")] += count
    # Of equal counts `max` takes the first one, so that the choice does not change by chance.
    alphabetical = sorted(counts)
    return max(alphabetical, key=counts.__getitem__, default=_ANY_LANGUAGE)


# -- filling a time --------------------------------------------------------------------------------


class EpisodeLength(NamedTuple):
    """The length of an episode."""

    episode_id: int
    podcast_id: int
    seconds: int


@dataclass(frozen=True)
class ChosenPlaylist:
    """The episodes of a playlist, and whether there is another playlist after it."""

    lengths: list[EpisodeLength]
    has_next: bool


def choose_playlist(
    lengths: Sequence[EpisodeLength], available_seconds: int, playlists_to_skip: int
) -> ChosenPlaylist:
    """Return the playlist after the first `playlists_to_skip` playlists. Its episodes have the order of `lengths`.

    After each playlist its first episode is left out, and its other episodes go behind the rest. So the
    same address always gives the same playlist, and the next address another one.
    """
    remaining = _alternate_shows(lengths)
    playlist: list[EpisodeLength] = []
    # The playlists before this one are made and forgotten. After the loop `remaining` is for the next one.
    for _ in range(playlists_to_skip + 1):
        playlist = choose_first_lengths_filling_time(remaining, available_seconds)
        not_in_playlist = [length for length in remaining if length not in playlist]
        remaining = not_in_playlist + playlist[1:]
    next_playlist = choose_first_lengths_filling_time(remaining, available_seconds)
    # Another playlist is no help if it is empty, or less than 0.8 as long as this one.
    min_seconds = max(1, 0.8 * total_seconds(playlist))
    has_next = total_seconds(next_playlist) >= min_seconds
    return ChosenPlaylist(sorted(playlist, key=lengths.index), has_next)


def _alternate_shows(lengths: Iterable[EpisodeLength]) -> list[EpisodeLength]:
    """Return the first episode of each show, then the second of each, and so on.

    Else the newest episodes would all be of the show that publishes daily.
    """
    # In round 0 each show has its first episode, in round 1 its second.
    next_round_by_show = Counter[int]()
    round_by_length = {}
    for length in lengths:
        round_by_length[length] = next_round_by_show[length.podcast_id]
        next_round_by_show[length.podcast_id] += 1
    return sorted(round_by_length, key=round_by_length.__getitem__)


def total_seconds(lengths: Iterable[EpisodeLength]) -> int:
    return sum(length.seconds for length in lengths)


def choose_first_lengths_filling_time(
    lengths: Sequence[EpisodeLength], available_seconds: int
) -> list[EpisodeLength]:
    """Return episodes that fill the time best, in their order.

    A reader prefers the first ones, so use no more of them than are needed to leave at most half a
    minute.
    """
    # A set of sums is one number. Its bit n is 1 if some of the episodes last n seconds together: for
    # episodes of 1 and 3 seconds it is 0b11011, for the sums 0, 1, 3 and 4. Shifting it by the seconds of
    # an episode adds the episode to each sum at once.
    possible_sums = 1  # without any episode, 0 seconds
    longest_sum = 0
    all_sums_that_fit = (1 << (available_seconds + 1)) - 1
    tried_with_sums_before = []
    for length in lengths:
        tried_with_sums_before.append((length, possible_sums))
        sums_with_episode = possible_sums << length.seconds
        possible_sums |= sums_with_episode & all_sums_that_fit
        longest_sum = possible_sums.bit_length() - 1  # the highest bit
        # The page rounds to minutes, so half a minute may be left over.
        if available_seconds - longest_sum <= 30:
            break
    chosen = []
    remaining_seconds = longest_sum
    # From the last to the first: an episode is left out if the episodes before it can fill the rest alone.
    for length, sums_before in reversed(tried_with_sums_before):
        # The bit of the remaining seconds.
        is_possible_without = (sums_before >> remaining_seconds) & 1
        if not is_possible_without:
            chosen.append(length)
            remaining_seconds -= length.seconds
    chosen.reverse()
    return chosen
