"""Finds where notes name a position in the audio, "12:34" or "1:02:03", and leaves the times and
ratios that look alike."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .addresses import without_addresses
from .timecodes import IN_TEXT, OF_THE_DAY, seconds_of
from .vocabulary import Phrases, lists_of, load

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
_GOES_ON = re.compile(
    r"\s*(?:[-–—,;/&]|,?\s*(?:to|and|until|till|or|through|again at|and again at))\s*",
    re.IGNORECASE,
)

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


# A line of words that ends in a position.
_CLOSING = re.compile(r"[\s)\]]*\Z")
_TITLE_BEFORE = re.compile(r"[^\n]*[^\W\d_][^\n]*[\s.…:|(\[–—-]\Z")
Position = tuple[int, int, int]


def timestamps(text: str, length: int | None) -> tuple[Position, ...]:
    """The positions in the audio that plain notes name: offsets (`text[first:last]`), and seconds.

    `length` is that of the episode, in seconds, where known: nothing at or beyond it is a position.
    A time counts at the beginning of a line, in brackets, behind words such as "at", "from" or "~",
    behind another one, and at the end of lines that go forward; never in addresses and dates.
    """
    sure: list[Position] = []
    closing: list[Position] = []
    for position, before, after, opens in _times(text):
        first, _last, seconds = position
        if (length is not None and seconds >= length) or _is_else(before, after, opens):
            continue
        follows = bool(sure) and _GOES_ON.fullmatch(text, sure[-1][1], first) is not None
        if opens or follows or _is_led(before):
            sure.append(position)
        elif _CLOSING.match(after) and _TITLE_BEFORE.match(before):
            closing.append(position)
    return tuple(sorted([*sure, *(closing if _is_list(closing) else [])]))


def _is_list(positions: list[Position]) -> bool:
    """True for two positions or more that go forward."""
    seconds = [position[2] for position in positions]
    return len(seconds) > 1 and seconds == sorted(set(seconds))


def _times(text: str) -> Iterator[tuple[Position, str, str, bool]]:
    """All times, with the words before and behind them, and whether they open a line."""
    masked = without_addresses(text)
    for found in _TIME.finditer(masked):
        first, last = found.span()
        line = masked.rfind("\n", 0, first) + 1
        before, after = masked[max(line, first - AROUND) : first], masked[last : last + AROUND]
        opens = first - line <= AROUND and _AT_LINE.fullmatch(before) is not None
        yield (first, last, seconds_of(found)), before, after.partition("\n")[0], opens


def _is_else(before: str, after: str, opens: bool) -> bool:
    """True if it is no position. Behind a time that opens a line stands a title of any words."""
    second = _RANGE.match(after)
    if _LENGTH.match(after) or OF_THE_DAY.match(after[second.end() if second else 0 :]):
        return True
    if opens:
        return False
    is_dated = _DATED.search(before) or _DATED_AFTER.match(after) or _ON_AIR.search(before)
    is_other = _ELSE_BEFORE.search(before) or _ELSE_AFTER.match(after)
    return bool(is_dated or is_other) or after[:1].isupper()


def _is_led(before: str) -> bool:
    is_marked = before.rstrip().endswith(_SIGNS) or _IN_BRACKETS.search(before)
    return bool(is_marked or _LED.search(before))
