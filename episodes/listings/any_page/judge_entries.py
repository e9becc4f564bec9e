"""Decides whether an entry of a page lists an episode: what agrees, and what contradicts."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from ...dates import TimeMention
from ...records import DurationRange
from .find_entries import PageEntry
from .known_episodes import KnownEpisode, KnownEpisodes

T = TypeVar("T")
SECONDS_AGREE = 60
LENGTH_FAR = 0.25
MAX_VALUES = 12  # of one kind: more of them stand in several entries
ENOUGH = "its whole title, which no other episode has"
OTHER_LENGTH = "its length is not the episode's"
NOT_ENOUGH = "its title is short, cut or shared, and nothing else agrees"
# For each value of an Agreement.
REASONS = (
    "the opening of its text agrees", "its page or audio file is the episode's", "its date agrees", "its number agrees",
    "its length agrees",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Verdict:
    """The episode that an entry lists, and why. Without an episode the entry is ignored."""

    episode: KnownEpisode | None
    reason: str
    weight: int = 0  # of the value that agrees beside the title

    @property
    def number(self) -> int:
        return self.episode.number if self.episode else -1


class Agreement(NamedTuple):
    """Which values of an entry are an episode's, in the order of their weight."""

    opening: bool
    address: bool
    day: bool
    number: bool
    length: bool


def judge_entry(entry: PageEntry, known: KnownEpisodes, *, strict: bool) -> Verdict:
    """Return the one episode that an entry lists. `strict`: the page does not say that it is about the
    show, so another length contradicts whatever else agrees."""
    agreements: dict[int, Agreement] = {}
    contradiction = ""
    for number in sorted(entry.match.episodes):
        agreement = _compare(entry, known.episodes[number], known)
        reason = _find_contradiction(entry, known.episodes[number], agreement, strict=strict)
        if reason:
            contradiction = reason
        else:
            agreements[number] = agreement
    if not agreements:
        return Verdict(None, contradiction)
    best = max(agreements, key=lambda number: agreements[number])
    is_ambiguous = list(agreements.values()).count(agreements[best]) > 1
    if True in agreements[best] and not is_ambiguous:
        place = agreements[best].index(True)
        return Verdict(known.episodes[best], REASONS[place], weight=len(REASONS) - place)
    if entry.match.is_enough:
        return Verdict(known.episodes[best], ENOUGH)
    return Verdict(None, NOT_ENOUGH)


def _compare(entry: PageEntry, episode: KnownEpisode, known: KnownEpisodes) -> Agreement:
    values, match = entry.values, entry.match
    addresses = episode.addresses & values.addresses & known.distinct_addresses
    numbers = {match.printed_number, *_few(values.numbers)}
    return Agreement(
        opening=not match.is_title or any(map(episode.opens_with, values.openings)),
        address=bool(addresses),
        day=any(map(episode.has_day, _few(values.days))),
        number=not numbers.isdisjoint(episode.episode_numbers),
        length=any(is_length(value.mark, episode.lengths) for value in _few(values.lengths)),
    )


def _few(values: Collection[T]) -> Collection[T]:
    return values if len(values) <= MAX_VALUES else ()


def is_length(mark: TimeMention, lengths: Sequence[DurationRange]) -> bool:
    """Return True if a printed length is one of these, to the minute."""
    low, high = mark.seconds_range or (0, 0)
    printed = DurationRange(low, high)
    return any(printed.gap(length) <= SECONDS_AGREE for length in lengths)


def _find_contradiction(
    entry: PageEntry, episode: KnownEpisode, agreement: Agreement, *, strict: bool
) -> str:
    """Return what speaks against an episode, or ""."""
    if agreement.opening or agreement.address:
        return ""
    has_other_length = not agreement.length and _has_other_length(entry, episode, exact=not strict)
    if has_other_length and (strict or not agreement.day):
        return OTHER_LENGTH
    if agreement.day:
        return ""
    days = {day for value in entry.values.dates for day in value.mark.days}
    if len(days) == 1 and episode.is_far_from(*days):
        return f"its date is {min(days)}, which is far from the episode's"
    printed = entry.match.printed_number
    if printed is not None and episode.episode_numbers and not agreement.number:
        return f"its number is {printed}, not the episode's"
    return ""


def _has_other_length(entry: PageEntry, episode: KnownEpisode, *, exact: bool) -> bool:
    """Return True if the one length of an entry is far from all of an episode's. `exact`: a number of
    minutes is no length, as it may be the time that a text takes to read."""
    spans = {value.mark.seconds_range for value in entry.values.lengths}
    if len(spans) != 1 or not episode.lengths:
        return False
    printed = DurationRange(*(spans.pop() or (0, 0)))
    near = [
        length
        for length in episode.lengths
        if printed.gap(length) <= LENGTH_FAR * max(printed.high, length.high)
    ]
    return not near and (printed.exact or not exact)
