"""Forms of lines, such as "{n}. {title} ({date})": what a site prints around a title, a date and a length."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .local_dates import Mark, marks
from .show_names import normalize_show_name

# Dates and lengths stand in a line as one sign each while it is compared, so that a title may be glued to them.
SIGNS = {"date": "\ue000", "length": "\ue001", "clock": "\ue002", "ago": "\ue003"}
SIGN = re.compile("[\ue000-\ue003]")
FIELDS = {
    "date": "(?P<date>\ue000)",
    "length": "(?P<length>[\ue001\ue002])",
    "time": "[\ue001\ue002]",
    "ago": "\ue003",
    "title": r"(?P<title>.+?)",
    "text": r"(?P<text>.+)",
    "show": r"(?P<show>.+?)",
    "number": r"(?P<number>\d{1,6}+)",
    "n": r"\d{1,6}+",
    "word": r"[^\W\d_]++",
    "*": r".*?",
}
FIELD = re.compile(r"\{(" + "|".join(map(re.escape, FIELDS)) + r")\}")
OPEN = ("title", "text", "show", "*")
# Characters of a line that is compared with a form of so many open fields: the work is their power.
LONGEST = (100_000, 100_000, 1000, 300, 100)
TAIL = 300  # characters in which the end of a text is looked for


@dataclass(frozen=True, slots=True)
class Found:
    """What the fields of a form are in a line; "" and None where the form has none."""

    title: str = ""
    text: str = ""
    show: str = ""
    date: Mark | None = None
    date_raw: str = ""
    length: Mark | None = None
    length_raw: str = ""
    number: int | None = None


class Form:
    """One form, ready to be compared. What it says outside its fields must stand in a line to the letter.

    Fields are {title} {text} {show} {date} {length} {number}, which are taken, and {time} {ago} {n} {word} {*}, which
    are read over: a time of day or another length, "2 years ago", any number, any word, anything.
    """

    def __init__(self, form: str) -> None:
        self.form = form
        parts = FIELD.split(form)
        self.fields = tuple(parts[1::2])
        self.literal = " ".join("".join(parts[::2]).split())
        pattern, seen = "", set()
        for place, part in enumerate(parts):
            if place % 2 == 0:
                pattern += r"\s*+".join(re.escape(word) for word in re.split(r"\s+", part))
            else:
                # A second {title} says the first again.
                named = f"(?P<{part}>" in FIELDS[part]
                pattern += f"(?P={part})" if named and part in seen else FIELDS[part]
                seen.add(part)
        self.pattern = re.compile(pattern, re.I | re.S)
        self.ending = re.compile(pattern + r"\s*\Z", re.I | re.S)
        self.limit = LONGEST[min(sum(field in OPEN for field in self.fields), len(LONGEST) - 1)]

    @property
    def hard(self) -> bool:
        """Whether it can tell a line from others by itself."""
        return bool(self.literal.strip(" .,:;|-–—")) or any(field not in OPEN for field in self.fields)

    def read(self, line: str, language: str = "") -> Found | None:
        """What a line says by this form; None where it has another one."""
        if len(line) > self.limit:
            return None
        found = marks(line, language) if any(field in SIGNS or field == "time" for field in self.fields) else ()
        signed, spans = masked(line, found)
        match = self.pattern.fullmatch(signed)
        if not match:
            return None
        part = match.groupdict()
        date, length = (_mark(match, name, signed, spans) for name in ("date", "length"))
        title, text, show = (_plain(match, name, line, signed, spans) for name in ("title", "text", "show"))
        return Found(
            title=title,
            text=text,
            show=show,
            date=date,
            date_raw=line[date.start : date.end] if date else "",
            length=length if length and length.span else None,
            length_raw=line[length.start : length.end] if length and length.span else "",
            number=int(part["number"]) if part.get("number") else None,
        )


def _mark(match: re.Match[str], name: str, signed: str, spans: Sequence[Mark]) -> Mark | None:
    if name not in match.re.groupindex or match.start(name) < 0:
        return None
    return spans[len(SIGN.findall(signed[: match.start(name)]))]


def masked(line: str, found: Sequence[Mark]) -> tuple[str, tuple[Mark, ...]]:
    """The line with one sign for each date and length in it, and these; a line may not bring such signs itself."""
    pieces, used, place = [], [], 0
    for mark in found:
        if mark.kind in SIGNS:
            pieces += [SIGN.sub("?", line[place : mark.start]), SIGNS[mark.kind]]
            used.append(mark)
            place = mark.end
    return "".join([*pieces, SIGN.sub("?", line[place:])]), tuple(used)


def _plain(match: re.Match[str], name: str, line: str, signed: str, spans: Sequence[Mark]) -> str:
    """What a field holds, as the line has it."""
    if name not in match.re.groupindex or match.start(name) < 0:
        return ""
    low, high = (_place(at, signed, spans) for at in match.span(name))
    return line[low:high].strip()


def _place(at: int, signed: str, spans: Sequence[Mark]) -> int:
    """Where in the line a place of the signed line is."""
    count = len(SIGN.findall(signed[:at]))
    return at + sum(mark.end - mark.start - 1 for mark in spans[:count])


@lru_cache(maxsize=500)
def form_of(form: str) -> Form:
    return Form(form)


def without_end(text: str, ends: Sequence[str], language: str = "") -> tuple[str, bool]:
    """The text without the longest of `ends` (forms) that it ends in, and whether it ends in one."""
    tail = text[-TAIL:]
    signed, spans = masked(tail, marks(tail, language) if any(FIELD.search(end) for end in ends) else ())
    lows = [match.start() for end in ends if end and (match := form_of(end).ending.search(signed))]
    if not lows:
        return text, False
    return (text[:-TAIL] + tail[: _place(min(lows), signed, spans)]).rstrip(), True


def tokens(text: str, language: str, show: str) -> Iterator[tuple[str, str]]:
    """What stands in a part of a line, piece by piece: the field that it would be in a form ("" for none), and itself."""
    signed, spans = masked(text, marks(text, language))
    kinds = {sign: kind for kind, sign in SIGNS.items()}
    count = 0
    wanted = re.compile("|".join(filter(None, [r"(?P<show>" + re.escape(show) + ")" if normalize_show_name(show) else "",
                                               r"(?P<n>\d{1,6})|(?P<sign>[\ue000-\ue003])|(?P<word>[^\W\d_]+)|(?P<other>.)"])),
                        re.I | re.S)  # fmt: skip
    for match in wanted.finditer(signed):
        kind = match.lastgroup or "other"
        if kind == "sign":
            mark = spans[count]
            count += 1
            yield kinds[match[0]], text[mark.start : mark.end]
        else:
            yield ("" if kind == "other" else kind), match[0]
