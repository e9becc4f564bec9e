"""Patterns of lines with fields, such as "{number}. {title}": what a site prints around a title, a
date and a length.

They are regular expressions, whatever the case. Fields that are taken: {title} {show} {date}
{length} {number} {rank}; dates in any language, with a time of day where one stands there. A {rank}
only counts entries. {name} is the name of the show that is read, {start} its first words.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..dates import marks
from ..records import Show

TAIL = 200  # characters in which the end of a text is looked for
# Dates and lengths stand in a line as one sign each while it is compared.
SIGNS = {"date": "\ue000", "length": "\ue001", "clock": "\ue001", "time": "\ue002", "ago": "\ue003"}
SIGN = re.compile("[\ue000-\ue003]")
FIELDS = {
    "date": "(?P<date>\ue000(?:,? (?:at )?[\ue001\ue002])?)",
    "length": "(?P<length>\ue001)",
    "title": r"(?P<title>\S.{0,400}?)",
    "show": r"(?P<show>\S.{0,300}?)",
    "number": r"(?P<number>\d{1,6})",
    "rank": r"(?P<rank>\d{1,4})",
}
DATE_OR_LENGTH = re.compile(f"{FIELDS['date']}|{FIELDS['length']}")
# A set of signs, or a group without another one in it.
INNER = re.compile(r"\[\^?\]?[^\]]*\]|(?<!\\)\((?:[^()\[\\]|\\.)*\)")
FIELD = re.compile(r"\{(" + "|".join((*FIELDS, "name", "start")) + r")\}")


def without(text: str, end: str, show: Show) -> str | None:
    """A text without the end that it has; None where it ends otherwise."""
    match = (
        pattern_of(rf"(?:{end})\W*$", show).search(text, max(0, len(text) - TAIL)) if end else None
    )
    return text[: match.start()] if match else None


@lru_cache(maxsize=500)
def pattern_of(form: str, show: Show) -> re.Pattern[str]:
    words = [re.escape(word) for word in show.title.split()]
    start = "".join(rf"(?:\s{word}" for word in words[1:]) + ")?" * len(words[1:])
    known = FIELDS | {
        "name": r"\s".join(words) or "(?!)",
        "start": "".join(words[:1]) + start if words else "(?!)",
    }
    return re.compile(_needed(form) + FIELD.sub(lambda field: known[field[1]], form), re.I)


def _needed(form: str) -> str:
    """A look ahead for the dates and lengths that a line of this form must have: most lines have
    none, and would be compared in vain with every way to part them."""
    outer = form
    while (inner := INNER.sub("", outer)) != outer:
        outer = inner
    signs = (
        SIGNS[name] for name in ("date", "length") if f"{{{name}}}" in outer and "|" not in outer
    )
    return "".join(f"(?=[^{sign}]*{sign})" for sign in signs)


class SignedLine:
    """A line with one sign for each date and length in it; a line may not bring such signs
    itself."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.marks = [mark for mark in marks(text, language) if mark.kind in SIGNS]
        pieces, place = [], 0
        for mark in self.marks:
            pieces += [SIGN.sub("?", text[place : mark.start]), SIGNS[mark.kind]]
            place = mark.end
        self.signed = "".join([*pieces, SIGN.sub("?", text[place:])])

    def place(self, at: int) -> int:
        """Where in the line a place of the signed line is."""
        before = self.marks[: len(SIGN.findall(self.signed[:at]))]
        return at + sum(mark.end - mark.start - 1 for mark in before)

    def match(self, pattern: re.Pattern[str]) -> dict[str, str] | None:
        """What the pattern's fields are in the line; None where it has another form."""
        match = pattern.fullmatch(self.signed)
        return self._said(match) if match else None

    def fields(self) -> dict[str, str]:
        """The first date and the first length in the line."""
        found: dict[str, str] = {}
        for match in DATE_OR_LENGTH.finditer(self.signed):
            found = self._said(match) | found
        return found

    def _said(self, match: re.Match[str]) -> dict[str, str]:
        spans = {name: match.span(name) for name in match.re.groupindex if match[name]}
        return {
            name: self.text[self.place(low) : self.place(high)].strip()
            for name, (low, high) in spans.items()
        }
