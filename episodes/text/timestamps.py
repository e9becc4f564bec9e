"""Finds where notes name a position in the audio, "12:34" or "1:02:03", and leaves the times and ratios that look alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from .addresses import without_addresses
from .timecodes import IN_TEXT, OF_THE_DAY, seconds_of
from .vocabulary import Phrases, lists_of, load

LONGEST_LINE = 2000  # characters in which the beginning of a line is looked for
AROUND = 60  # characters before and after a time that are looked at

_WORDS = load(__file__, "timestamps")
_LISTS = lists_of(_WORDS["lists"])
_PHRASES: dict[str, list[str]] = _WORDS["phrases"]
_DATE = (
    rf"(?:\d{{4}}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{{2,4}}|{_LISTS['month']}\d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)? {_LISTS['month']}(?:,? \d{{4}})?|{_LISTS['day']})"
)

_TIME = re.compile(
    rf"(?<![\w:.,/\\+=$€£#&?%<>]){IN_TEXT}(?:[.,][0-9]{{3}}(?=[\s)\]]|\Z))?(?!(?![A-Z])\w|[/%\\+=@]|[:.,]\w)"
)

# What leads to a position: the beginning of a line, a bracket, or one of these words.
_AT_LINE = re.compile(r"\W*(?:\d{1,3}[.)]\s+)?\W*")
_IN_BRACKETS = re.compile(r"(?<!\w)[\[(]\s*(?:~|≈|@|ca?\.|cf\.|see)?\s*\Z", re.IGNORECASE)
_LED = Phrases(_PHRASES["led"], _LISTS, after=r":?\s*\Z")
_SIGNS = ("~", "≈", "@")
_GOES_ON = re.compile(r"\s*(?:[-–—,;/&]|,?\s*(?:to|and|until|till|or|through|again at|and again at))\s*", re.IGNORECASE)

# What makes it something else: a time of day, a length, a ratio, a score.
_DATED = re.compile(rf"\b{_DATE}(?:[,\s@(–—-]|\b(?:at|from|around)\b)*\Z", re.IGNORECASE)
_DATED_AFTER = re.compile(
    rf"\s*[,(]?\s*(?:(?-i:[ECMP]T)\b|(?:(?:on|this|next|last|every|each) )*{_DATE})", re.IGNORECASE
)
_ELSE_BEFORE = Phrases(_PHRASES["else_before"], after=r"[\s:=(\[~–—-]*\Z")
_ON_AIR = Phrases(_PHRASES["on_air"], after=r"[^.!?]{0,30}\Z")
_ELSE_AFTER = Phrases(_PHRASES["else_after"], before=r"\s*[,(]?\s*")
_LENGTH = Phrases(["minute/minutes/min/mins/hour/hours/hr/hrs [.] [long/total]", "long/total", "in length"],
                  before=r"\s*", after=r"\s*(?:[)\]]|\Z)")  # fmt: skip
_RANGE = re.compile(rf"\s*(?:-|–|—|to|and|until|till)\s*{IN_TEXT}(?![\w:])")


# A list of positions: each with a title behind it in one line, or at the end of a line that is its title.
_LIST = Phrases(_PHRASES["list"], before=r"\W*", after=r"\W*\Z")
_TITLED = re.compile(rf"(?:\s*(?:-|–|—|to)\s*{IN_TEXT})?[\s)\]|:.–—-]*[^\W\d_]")
_TITLE_BEFORE = re.compile(r"[^\n]*[^\W\d_][^\n]*[\s.…:|(\[–—-]\Z")
_CLOSING = re.compile(r"[\s)\]]*\Z")


@dataclass(slots=True)
class _Time:
    """What is written as a position: where it stands, and what the words around it say."""

    first: int
    last: int
    seconds: int
    line: int  # where its line begins
    sure: bool = False
    titled: bool = False  # a title follows
    closes: bool = False  # its line ends with it, and has words before


def timestamps(text: str, length: int | None) -> tuple[tuple[int, int, int], ...]:
    """The positions in the audio that plain notes name: first and last offset (`text[first:last]`), and seconds.

    `length` is that of the episode, in seconds, where known: nothing at or beyond it is a position. A time counts at the
    beginning of a line, in brackets, behind words such as "at", "from" or "~", and in a list that goes forward; never in
    addresses and dates. Linear.
    """
    times = list(_times(text, length))
    for _, together in groupby(times, key=lambda time: time.line):
        _mark_list(text, list(together))
    _mark_closing([time for time in times if time.closes])
    return tuple((time.first, time.last, time.seconds) for time in times if time.sure)


def _times(text: str, length: int | None) -> Iterator[_Time]:
    """All times that may be positions; those that no list is needed for are sure."""
    masked = without_addresses(text)
    taken = -AROUND  # where the last sure position ended
    for found in _TIME.finditer(masked):
        first, last = found.span()
        seconds = seconds_of(found)
        if length is not None and seconds >= length:
            continue
        before, after, opens = _around(masked, first, last)
        if _is_else(before, after, opens) or (after[:1].isupper() and not opens):
            continue
        follows = first - taken < AROUND and _GOES_ON.fullmatch(masked, taken, first) is not None
        line = text.rfind("\n", max(0, first - LONGEST_LINE), first)
        sure = opens or follows or _is_led(before)
        closes = _CLOSING.match(after) is not None and _TITLE_BEFORE.match(before) is not None
        taken = last if sure else taken
        yield _Time(first, last, seconds, line, sure, _TITLED.match(after) is not None, closes)


def _around(text: str, first: int, last: int) -> tuple[str, str, bool]:
    """What stands in the line before and after a time, and whether nothing of meaning stands before it."""
    window, after = text[max(0, first - AROUND) : first], text[last : last + AROUND].partition("\n")[0]
    _, newline, before = window.rpartition("\n")
    return before, after, bool(newline or first <= AROUND) and _AT_LINE.fullmatch(before) is not None


def _mark_list(text: str, times: Sequence[_Time]) -> None:
    """Take a line of titled times that go forward for a list, if it begins as one, or has three."""
    listed = [time for time in times if time.titled or time.sure]
    if len(listed) < 2 or not all(one.seconds <= other.seconds for one, other in pairwise(listed)):
        return
    first = listed[0]
    led = _LIST.match(text[max(first.line + 1, first.first - AROUND) : first.first])
    if any((first.sure, first.seconds == 0, led, len(listed) > 2)):
        for time in listed:
            time.sure = True


def _mark_closing(times: Sequence[_Time]) -> None:
    """Take times that end lines for a list, if two or more go forward and none goes back."""
    if len(times) > 1 and all(one.seconds < other.seconds for one, other in pairwise(times)):
        for time in times:
            time.sure = True


def _is_else(before: str, after: str, opens: bool) -> bool:
    """True if it is not a position. After a time that opens a line stands a title, which may begin with any word."""
    second = _RANGE.match(after)
    if OF_THE_DAY.match(after) or _LENGTH.match(after) or (second and OF_THE_DAY.match(after[second.end() :])):
        return True
    around = (
        *(pattern.search(before) for pattern in (_DATED, _ELSE_BEFORE, _ON_AIR)),
        *(pattern.match(after) for pattern in (_DATED_AFTER, _ELSE_AFTER)),
    )
    return any(around) and not opens


def _is_led(before: str) -> bool:
    return before.rstrip().endswith(_SIGNS) or bool(_IN_BRACKETS.search(before) or _LED.search(before))
