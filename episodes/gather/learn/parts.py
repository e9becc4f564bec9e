"""Makes forms of lines that are examples: what is known of an entry becomes a field, what all entries say stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...records import EntryData
from ..forms import FIELD, tokens
from ..local_dates import marks

OPENING = 60  # characters of a text by which it is found again
LEVELS = (0, 1, 2)  # words of other parts to the letter; any words; anything
LONGEST_FORM = 160
MOST_OPEN, MOST_WORDS = 2, 4  # what more leaves open tells no line from others


@dataclass(frozen=True, slots=True)
class Around:
    """What examples are compared by: the show's name, and the page's language."""

    show: str
    language: str = ""


def opening(said: EntryData) -> str:
    return said.text.split("\n")[0][:OPENING]


def text_at(line: str, said: EntryData) -> int:
    """Where in a line the entry's text, or a further paragraph of it, begins; -1 where it does not."""
    if said.text and (place := line.find(opening(said))) >= 0:
        return place
    parts = said.text.split("\n")[1:]
    return next((0 for part in parts if part and line.startswith(part)), -1)


def form_for(line: str, said: EntryData, around: Around, level: int) -> str:
    """The form of a line of an entry."""
    stop = text_at(line, said)
    text = "{text}" if stop >= 0 else ""
    rest = line[:stop] if text else line
    pieces: list[str] = []
    place = rest.find(said.title) if said.title else -1
    while place >= 0:
        pieces += [_between(rest[:place], said, around, level), "{title}"]
        rest = rest[place + len(said.title) :]
        place = rest.find(said.title)
    form = "".join([*pieces, _between(rest, said, around, level), text])
    wide = form.count("{*}") > MOST_OPEN or form.count("{word}") > MOST_WORDS
    return form if len(form) <= LONGEST_FORM and not wide else ""


def _between(text: str, said: EntryData, around: Around, level: int) -> str:
    found = "".join(_piece(kind, piece, said, level) for kind, piece in tokens(text, around.language, around.show))
    if level < 2 or not found.strip():
        return found
    # Signs between two fields stay; what has words or numbers may be anything.
    parts = FIELD.split(found)
    wide = ""
    for place, part in enumerate(parts):
        if place % 2:
            wide += "{*}" if part in ("word", "n", "ago", "time", "*") else f"{{{part}}}"
        else:
            wide += "{*}" if any(c.isalnum() for c in part) else part
    while (shorter := wide.replace("{*}{*}", "{*}").replace("{*} {*}", "{*}")) != wide:
        wide = shorter
    return wide


def _piece(kind: str, piece: str, said: EntryData, level: int) -> str:
    if kind == "date":
        return "{date}" if not said.date_raw or _is_day(piece, said) else "{*}"
    if kind in ("length", "clock"):
        return "{length}" if _is_length(piece, said) else "{time}"
    if kind == "n":
        return "{number}" if said.number == int(piece) else "{n}"
    if kind == "word":
        return piece if level == 0 else "{word}"
    return f"{{{kind}}}" if kind else piece


def _is_day(piece: str, said: EntryData) -> bool:
    days = {mark.day.isoformat() for mark in marks(piece) if mark.day}
    return piece == said.date_raw or said.published[:10] in days


def _is_length(piece: str, said: EntryData) -> bool:
    spans = [mark.span for mark in marks(piece) if mark.span]
    low, high = said.seconds_low, said.seconds_high
    return low is not None and high is not None and any(a - 60 <= high and low <= b + 60 for a, b in spans)


def ends(pairs: Iterable[tuple[str, EntryData]], around: Around) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What stands behind texts that are cut, and behind others, from what the page has of each text, and the entry."""
    cut, whole = Counter[str](), Counter[str]()
    for printed, said in pairs:
        place = printed.find(said.text) if said.text else -1
        if place < 0:
            continue
        tail = " ".join(printed[place + len(said.text) :].split())
        form = "".join(_piece(kind, piece, said, 0) for kind, piece in tokens(tail, around.language, around.show))
        if form and len(form) < 80:
            (cut if said.cut else whole)[form] += 1
    return _often(cut, whole), _often(whole, Counter())


def _often(forms: Counter[str], against: Counter[str]) -> tuple[str, ...]:
    return tuple(form for form, count in forms.most_common(4) if count > 1 and count > 3 * against[form])


def numeric(entries: Sequence[EntryData]) -> str:
    """How numeric dates were meant, where the entries' own dates tell."""
    votes = Counter[str]()
    for said in entries:
        for mark in marks(said.date_raw):
            if mark.numbers and said.published:
                first, second, year = mark.numbers
                votes["dmy"] += said.published[:10] == f"{year}-{second:02}-{first:02}"
                votes["mdy"] += said.published[:10] == f"{year}-{first:02}-{second:02}"
    best, other = (votes["dmy"], "dmy"), (votes["mdy"], "mdy")
    return max(best, other)[1] if votes["dmy"] != votes["mdy"] else ""
