"""Finds where notes name a position in the audio, "12:34" or "1:02:03", and leaves the times and ratios that look alike."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from .timecodes import IN_TEXT, OF_THE_DAY, seconds_of

LONGEST_LINE = 2000  # characters in which the beginning of a line is looked for
AROUND = 60  # characters before and after a time that are looked at

_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?)"
)
_DAY = (
    "(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|tue|wed|thu|fri|sat|sun)[.,]|weekdays?|weekends?|daily"
    "|today|tomorrow|tonight|yesterday)"
)
_DATE = (
    rf"(?:\d{{4}}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{{2,4}}|{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    rf"|\d{{1,2}}(?:st|nd|rd|th|\.)? {_MONTH}\.?(?:,? \d{{4}})?|{_DAY})"
)

_TIME = re.compile(
    rf"(?<![\w:.,/\\+=$€£#&?%<>]){IN_TEXT}(?:[.,][0-9]{{3}}(?=[\s)\]]|\Z))?(?!(?![A-Z])\w|[/%\\+=@]|[:.,]\w)"
)
_MASKED = re.compile(
    r"(?:https?://|www\.)\S{1,4000}|[\w.+-]{1,64}@[\w-]{1,63}\.\S{1,200}|\b(?:[\w-]{1,63}\.){1,8}[a-z]{2,24}[/:]\S{1,4000}"
)

# What leads to a position: the beginning of a line, a bracket, or one of these words.
_AT_LINE = re.compile(r"\W*(?:\d{1,3}[.)]\s+)?\W*")
_IN_BRACKETS = re.compile(r"(?<!\w)[\[(]\s*(?:~|≈|@|ca?\.|cf\.|see)?\s*\Z", re.IGNORECASE)
_LED = re.compile(
    r"(?:[~≈@]|\b(?:at|from|around|starting|starts?|begins?|timestamps?|time ?(?:codes?|marks?|positions?)"
    r"|(?:minutes?|mins?|mark|position|skip|jump|forward)(?: (?:to|at|of|mark))?)"
    r"(?: (?:about|around|roughly|approximately|the))?:?)\s*\Z",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"\s*(?:[-–—,;/&]|,?\s*(?:to|and|until|till|or|through|again at|and again at))\s*", re.IGNORECASE)

# What makes it something else: a time of day, a length, a ratio, a score.
_ELSE_BEFORE = re.compile(
    rf"(?:\b{_DATE}(?:[,\s@(–—-]|\b(?:at|from|around)\b)*"
    r"|\b(?:duration|length|run(?:ning)?[ -]?time|runs|lasts|total(?: time)?|clock(?:s|ed|ing)? in|(?:comes?|coming|came) in"
    r"|long|score[ds]?|won|lost|tied|beat|ratio|odds|verses?|pace)(?: (?:of|is|was|at|for|about))*[\s:=(\[~–—-]*)\Z",
    re.IGNORECASE,
)
_ON_AIR = re.compile(
    r"\b(?:live|livestream|streams?|streaming|meet(?:up|ing|s)?|doors|recorded|published|posted|updated|air(?:s|ed|ing)?"
    r"|broadcast|premieres?|tune in|join us|every (?:day|week|morning|evening|night)|w[ao]ke up)\b[^.!?]{0,30}\Z",
    re.IGNORECASE,
)
_ELSE_AFTER = re.compile(
    r"\s*[,(]?\s*(?:(?-i:[ECMP]T)\b|h\b|hrs?\b|hours?\b|local\b|(?:eastern|pacific|central|mountain|london|berlin)\b"
    rf"|in the (?:morning|afternoon|evening)\b|at night\b|(?:(?:on|this|next|last|every|each) )*{_DATE}"
    r"|(?:minutes?|mins?\.?)? ?(?:long|in length|total|runtime|duration)\b|(?:minutes|mins?)\b"
    r"|(?:aspect|ratio|odds|scale|split|score|win|loss|pace|victory|translation)\b)",
    re.IGNORECASE,
)
_LENGTH = re.compile(
    r"\s*(?:minutes?|mins?\.?|hours?|hrs?|(?:(?:minutes?|mins?) )?(?:long|in length|total))\s*(?:[)\]]|\Z)", re.I
)
_RANGE = re.compile(rf"\s*(?:-|–|—|to|and|until|till)\s*{IN_TEXT}(?![\w:])")


# A list of positions: each with a title behind it in one line, or at the end of a line that is its title.
_LIST = re.compile(
    r"\W*(?:chapters?|time ?stamps?|time ?codes?|topics|contents|outline|index|rundown|in this episode)\W*\Z", re.I
)
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
    masked = _MASKED.sub(lambda found: "\ufffc" * len(found[0]), text)
    taken = -AROUND  # where the last sure position ended
    for found in _TIME.finditer(masked):
        first, last = found.span()
        seconds = seconds_of(found)
        if length is not None and seconds >= length:
            continue
        window, after = masked[max(0, first - AROUND) : first], masked[last : last + AROUND].partition("\n")[0]
        _, newline, before = window.rpartition("\n")
        opens = bool(newline or first <= AROUND) and _AT_LINE.fullmatch(before) is not None
        if _is_else(before, after, opens) or (after[:1].isupper() and not opens):
            continue
        follows = first - taken < AROUND and _GOES_ON.fullmatch(masked, taken, first) is not None
        time = _Time(first, last, seconds, text.rfind("\n", max(0, first - LONGEST_LINE), first))
        time.sure = bool(opens or follows or _IN_BRACKETS.search(before) or _LED.search(before))
        time.titled = _TITLED.match(after) is not None
        time.closes = _CLOSING.match(after) is not None and _TITLE_BEFORE.match(before) is not None
        taken = last if time.sure else taken
        yield time


def _mark_list(text: str, times: Sequence[_Time]) -> None:
    """Take a line of titled times that go forward for a list, if it begins as one, or has three."""
    listed = [time for time in times if time.titled or time.sure]
    forward = all(one.seconds <= other.seconds for one, other in pairwise(listed))
    if len(listed) < 2 or not forward:
        return
    first = listed[0]
    led = _LIST.fullmatch(text[max(first.line + 1, first.first - AROUND) : first.first])
    if first.sure or first.seconds == 0 or led or len(listed) > 2:
        for time in listed:
            time.sure = True


def _mark_closing(times: Sequence[_Time]) -> None:
    """Take times that end lines for a list, if two or more go forward and none goes back."""
    if len(times) > 1 and all(one.seconds < other.seconds for one, other in pairwise(times)):
        for time in times:
            time.sure = True


def _is_else(before: str, after: str, opens: bool) -> bool:
    """Whether it is no position. After a time that opens a line stands a title, which may begin with any word."""
    second = _RANGE.match(after)
    if OF_THE_DAY.match(after) or _LENGTH.match(after) or (second and OF_THE_DAY.match(after[second.end() :])):
        return True
    around = _ELSE_BEFORE.search(before) or _ON_AIR.search(before) or _ELSE_AFTER.match(after)
    return around is not None and not opens
