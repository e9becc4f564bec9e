"""Decides whether an entry of a page lists an episode: which values agree, and which contradict."""

from dataclasses import dataclass
from typing import NamedTuple

from ...records import DurationRange
from .find_entries import PageEntry
from .find_titles import TitleMatch
from .known_episodes import NO_INDEX, KnownEpisode, KnownEpisodes, only_item

# For each value of an Agreement, in its order.
AGREEMENT_REASONS = (
    "the opening of its text agrees", "its page or audio file is the episode's", "its date agrees", "its number agrees",
    "its length agrees",
)  # fmt: skip


class Agreement(NamedTuple):
    """Which values of an entry are an episode's, in the order of their weight."""

    opening: bool = False
    address: bool = False
    day: bool = False
    number: bool = False
    length: bool = False


NO_AGREEMENT = Agreement()  # only the title agrees


@dataclass(frozen=True, slots=True)
class Verdict:
    """The episode that an entry lists, and why. Without an episode the entry is ignored."""

    episode_index: int  # or NO_INDEX
    reason: str
    agreement: Agreement = NO_AGREEMENT

    @property
    def has_more_than_title(self) -> bool:
        return any(self.agreement)


class JudgedEntry(NamedTuple):
    """An entry of a page with its verdict."""

    entry: PageEntry
    verdict: Verdict


def choose_listed_episode_with_reason(entry: PageEntry, known_episodes: KnownEpisodes) -> Verdict:
    """Return the one episode that an entry lists, or none, with the reason."""
    agreements: dict[int, Agreement] = {}  # by the index of the episode
    contradiction = ""  # of the last episode that the entry cannot list
    # Several episodes, such as re-runs and parts, may have the title.
    for index in sorted(entry.match.episode_indexes):
        episode = known_episodes.episodes[index]
        agreement = _find_agreeing_values(entry, episode, known_episodes)
        reason = _contradiction_or_blank(entry, episode, agreement)
        if reason:
            contradiction = reason
        else:
            agreements[index] = agreement
    if not agreements:
        return Verdict(NO_INDEX, contradiction)
    return _verdict_by_best_agreement(agreements, entry.match)


def _verdict_by_best_agreement(agreements: dict[int, Agreement], match: TitleMatch) -> Verdict:
    """Return the episode with the weightiest agreement. `agreements` is by the index of the episode."""
    # As tuples of bools they compare value by value, the weightiest first: a date counts more than number
    # and length together.
    best_index = max(agreements, key=lambda index: agreements[index])
    best_agreement = agreements[best_index]
    # The same values agree with another episode, such as the date with two episodes of one day.
    is_ambiguous = list(agreements.values()).count(best_agreement) > 1
    if any(best_agreement) and not is_ambiguous:
        weightiest = best_agreement.index(True)
        return Verdict(best_index, AGREEMENT_REASONS[weightiest], best_agreement)
    # Such a title is of one episode alone, so `agreements` has no other.
    if match.is_enough:
        return Verdict(best_index, "its whole title, which no other episode has")
    if len(agreements) > 1 and match.is_title and not match.is_whole:
        return Verdict(NO_INDEX, "its title is cut and fits several known episodes")
    return Verdict(NO_INDEX, "its title is short, cut or shared, and nothing else agrees")


def _find_agreeing_values(
    entry: PageEntry, episode: KnownEpisode, known_episodes: KnownEpisodes
) -> Agreement:
    """Return which values of the entry agree with the episode's."""
    values = entry.values
    # An entry without the episode's title was matched by the opening of its text.
    is_found_by_opening = not entry.match.is_title
    addresses = episode.addresses & values.addresses & known_episodes.distinct_addresses
    numbers = entry.match.printed_numbers | values.numbers
    if entry.match.is_whole:
        numbers |= entry.match.numbers_in_title & episode.counters_in_title
    else:
        # Of "Season 2: Springs" the part "Season 2" says nothing.
        numbers -= entry.match.numbers_in_title
    has_equal_opening = any(
        known_episodes.only_episode_index_by_line(opening) == episode.index
        for opening in values.openings
    )
    has_equal_length = any(has_length(episode, printed.length) for printed in values.lengths)
    return Agreement(
        opening=is_found_by_opening or has_equal_opening,
        address=bool(addresses),
        day=any(map(episode.has_day, values.days)),
        number=not numbers.isdisjoint(episode.episode_numbers),
        length=has_equal_length,
    )


def has_length(episode: KnownEpisode, printed: DurationRange) -> bool:
    # To the minute.
    return any(printed.gap(length) <= 60 for length in episode.lengths)


def _contradiction_or_blank(entry: PageEntry, episode: KnownEpisode, agreement: Agreement) -> str:
    """Return why an entry cannot list an episode, or "" if nothing contradicts."""
    # Each of these identifies the episode. Then another number or length is a slip of the page.
    if agreement.opening or agreement.address or agreement.day:
        return ""
    if not agreement.length and _is_length_far(entry, episode):
        return "its length is not the episode's"
    # Of several days, or "4/5/21", which may be two, it is not known which one is the entry's.
    day = only_item(entry.values.days_outside_sentences)
    if day and episode.is_far_from(day):
        return f"its date is {day}, which is far from the episode's"
    # The number beside the title: "#12 Springs" is not the known episode 7.
    numbers = entry.match.printed_numbers
    if numbers and episode.episode_numbers and not agreement.number:
        return f"its number is {min(numbers)}, not the episode's"
    return ""


def _is_length_far(entry: PageEntry, episode: KnownEpisode) -> bool:
    printed = only_item({printed.length for printed in entry.values.lengths})
    # A number of minutes may be the time that a text takes to read.
    if printed is None or not printed.exact or not episode.lengths:
        return False
    # Some files have a minute of advertisements that others lack.
    return all(
        printed.gap(length) > max(printed.high, length.high) / 4 for length in episode.lengths
    )
