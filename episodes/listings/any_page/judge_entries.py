"""Decides whether an entry of a page lists an episode: which values agree, and which contradict."""

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from ...records import DurationRange
from .find_entries import PageEntry
from .known_episodes import KnownEpisode, KnownEpisodes

SECONDS_AGREE = 60
LENGTH_FAR = 0.25
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
    """Return the verdict: the one episode that an entry lists, or none, with the reason.

    `strict`: the page does not say that it is about the show, so another length contradicts whatever else
    agrees.
    """
    agreements: dict[int, Agreement] = {}
    contradiction = ""
    for number in sorted(entry.match.episodes):
        agreement = _compare(entry, known.episodes[number], known)
        reason = _reason_against_episode(entry, known.episodes[number], agreement, strict=strict)
        if reason:
            contradiction = reason
        else:
            agreements[number] = agreement
    if not agreements:
        return Verdict(None, contradiction)
    best = max(agreements, key=lambda number: agreements[number])
    is_ambiguous = list(agreements.values()).count(agreements[best]) > 1
    if True in agreements[best] and not is_ambiguous:
        index = agreements[best].index(True)
        return Verdict(known.episodes[best], REASONS[index], weight=len(REASONS) - index)
    if entry.match.is_enough:
        return Verdict(known.episodes[best], "its whole title, which no other episode has")
    return Verdict(None, "its title is short, cut or shared, and nothing else agrees")


def _compare(entry: PageEntry, episode: KnownEpisode, known: KnownEpisodes) -> Agreement:
    """Return which values of an entry are the episode's."""
    values, match = entry.values, entry.match
    addresses = episode.addresses & values.addresses & known.distinct_addresses
    numbers = {match.printed_number, *values.numbers}
    return Agreement(
        opening=not match.is_title or any(map(episode.opens_with, values.openings)),
        address=bool(addresses),
        day=any(map(episode.has_day, values.days)),
        number=not numbers.isdisjoint(episode.episode_numbers),
        length=any(has_length(episode, printed.length) for printed in values.lengths),
    )


def has_length(episode: KnownEpisode, printed: DurationRange) -> bool:
    """Return True if a printed length is one of the episode's lengths, to the minute."""
    return any(printed.gap(length) <= SECONDS_AGREE for length in episode.lengths)


def _reason_against_episode(
    entry: PageEntry, episode: KnownEpisode, agreement: Agreement, *, strict: bool
) -> str:
    """Return why an entry cannot list an episode, or "" if nothing contradicts."""
    if agreement.opening or agreement.address:
        return ""
    has_other_length = not agreement.length and _has_other_length(
        entry, episode, needs_seconds=not strict
    )
    if has_other_length and (strict or not agreement.day):
        return "its length is not the episode's"
    if agreement.day:
        return ""
    days: set[date] = set()
    for printed_date in entry.values.dates:
        days.update(printed_date.mention.days)
    if len(days) == 1 and episode.is_far_from(*days):
        return f"its date is {min(days)}, which is far from the episode's"
    printed = entry.match.printed_number
    if printed is not None and episode.episode_numbers and not agreement.number:
        return f"its number is {printed}, not the episode's"
    return ""


def _has_other_length(entry: PageEntry, episode: KnownEpisode, *, needs_seconds: bool) -> bool:
    """Return True if the one length of an entry is far from all of an episode's.

    `needs_seconds`: a number of minutes is no length, as it may be the time that a text takes to read.
    """
    lengths = {printed.length for printed in entry.values.lengths}
    if len(lengths) != 1 or not episode.lengths:
        return False
    printed = lengths.pop()
    for length in episode.lengths:
        if printed.gap(length) <= LENGTH_FAR * max(printed.high, length.high):
            return False
    return printed.exact or not needs_seconds
