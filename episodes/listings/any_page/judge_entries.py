"""Decides whether an entry of a page lists an episode: what agrees, and what contradicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from ...dates import Mark
from ...records import DurationRange
from .find_entries import EntryValues, PageEntry
from .known_episodes import DAYS_AGREE, OPENING, KnownEpisode, KnownEpisodes

DAYS_FAR = 30  # a date of another day by so much is another episode's
SECONDS_AGREE = 60
LENGTH_FAR = 0.25
MAX_VALUES = 12  # of one kind: more of them stand in several entries
ENOUGH = "its whole title, which no other episode has"
OTHER_LENGTH = "its length is not the episode's"
NOT_ENOUGH = "its title is short, cut or shared, and nothing else agrees"
OPENING_AGREES = "the opening of its text agrees"
# In the order of their weight.
AGREEMENTS = (
    OPENING_AGREES, "its page or audio file is the episode's", "its date agrees", "its number agrees",
    "its length agrees",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """The episode that an entry lists, and why. Without an episode the entry is ignored."""

    episode: KnownEpisode | None
    reason: str
    weight: int = 0


def judge(entry: PageEntry, known: KnownEpisodes, *, strict: bool) -> Verdict:
    """Return the one episode that an entry lists. `strict`: the page does not say that it is about the
    show, so another length contradicts whatever else agrees."""
    match = entry.match
    agreements: dict[int, list[bool]] = {}
    contradiction = ""
    for number in sorted(match.episodes):
        episode = known.episodes[number]
        agreeing = _agreements(entry, episode, known)
        reason = _contradiction(entry, episode, agreeing, strict=strict)
        contradiction = contradiction or reason
        if not reason:
            agreements[number] = agreeing
    ranked = sorted(agreements, key=lambda number: agreements[number], reverse=True)
    if not ranked:
        return Verdict(None, contradiction)
    best, best_agreements = known.episodes[ranked[0]], agreements[ranked[0]]
    is_ambiguous = len(ranked) > 1 and agreements[ranked[1]] == best_agreements
    if any(best_agreements) and not is_ambiguous:
        first = best_agreements.index(True)
        return Verdict(best, AGREEMENTS[first], weight=1 + len(AGREEMENTS) - first)
    if match.is_enough:
        return Verdict(best, ENOUGH)
    return Verdict(None, NOT_ENOUGH)


def _agreements(entry: PageEntry, episode: KnownEpisode, known: KnownEpisodes) -> list[bool]:
    """Return for each of AGREEMENTS whether it holds."""
    values, match = entry.values, entry.match
    addresses = episode.addresses & values.addresses
    numbers = values.numbers if len(values.numbers) <= MAX_VALUES else set()
    return [
        not match.is_title or _has_opening(values, episode),
        not addresses.isdisjoint(known.distinct_addresses),
        _has_day(values, episode),
        match.printed_number in episode.episode_numbers
        or not numbers.isdisjoint(episode.episode_numbers),
        _has_length(values, episode.lengths),
    ]


def _has_opening(values: EntryValues, episode: KnownEpisode) -> bool:
    for opening in episode.openings:
        if any(opening.startswith(printed[:OPENING]) for printed in values.openings):
            return True
    return False


def _has_day(values: EntryValues, episode: KnownEpisode) -> bool:
    if len(values.days) > MAX_VALUES:
        return False
    for day in episode.days:
        for days in range(-DAYS_AGREE, DAYS_AGREE + 1):
            if day + timedelta(days) in values.days:
                return True
    return False


def _has_length(values: EntryValues, lengths: Sequence[DurationRange]) -> bool:
    if len(values.lengths) > MAX_VALUES:
        return False
    return any(is_length(value.mark, lengths) for value in values.lengths)


def is_length(mark: Mark, lengths: Sequence[DurationRange]) -> bool:
    """Return True if a printed length is one of these, to the minute."""
    low, high = mark.span or (0, 0)
    printed = DurationRange(low, high)
    return any(printed.gap(length) <= SECONDS_AGREE for length in lengths)


def _contradiction(
    entry: PageEntry, episode: KnownEpisode, agreeing: Sequence[bool], *, strict: bool
) -> str:
    """Return what speaks against an episode, or ""."""
    has_opening, has_address, has_day, has_number, has_length = agreeing
    if has_opening or has_address:
        return ""
    if strict and not has_length and _has_other_length(entry.values, episode):
        return OTHER_LENGTH
    if has_day:
        return ""
    days = {day for value in entry.values.dates for day in value.mark.days}
    if len(days) == 1 and episode.days:
        (day,) = days
        if min(abs((day - known).days) for known in episode.days) > DAYS_FAR:
            return f"its date is {day}, which is far from the episode's"
    printed = entry.match.printed_number
    if printed is not None and episode.episode_numbers and not has_number:
        return f"its number is {printed}, not the episode's"
    if not has_length and _has_other_length(entry.values, episode, exact=True):
        return OTHER_LENGTH
    return ""


def _has_other_length(values: EntryValues, episode: KnownEpisode, *, exact: bool = False) -> bool:
    """Return True if the one length of an entry is far from all of an episode's. A number of minutes may
    be the time that a text takes to read."""
    spans = {value.mark.span for value in values.lengths if value.mark.span}
    if len(spans) != 1 or not episode.lengths:
        return False
    printed = DurationRange(*spans.pop())
    is_far = all(
        printed.gap(length) > LENGTH_FAR * max(printed.high, length.high)
        for length in episode.lengths
    )
    return is_far and (printed.exact or not exact)
