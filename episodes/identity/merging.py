"""Merges what the entries of one episode say, field by field, and keeps who said what (rules.md 12-14); pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..records import Merged, PublicationDate, SourceEntry, parse_date
from ..text.normalize import fold, squash
from ..text.show_notes import to_html
from .match_keys import MatchKeys, without_tail
from .signals import DAYS_AGREE, LENGTH_OFF, gap

FIELDS = ("title", "number", "published", "duration_seconds", "description_text")
CURATOR = "curator"


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """One entry with what was read off it."""

    entry: SourceEntry
    facts: MatchKeys

    @property
    def source(self) -> str:
        return self.entry.source


@dataclass(frozen=True, slots=True)
class NotesChoice:
    voice: RankedEntry
    plain: str  # without the marks of a cut
    folded: str
    cut: bool


def merge(
    voices: Sequence[RankedEntry], overrides: dict[str, str], shown: Callable[[str, str, bool], str] = to_html
) -> Merged:
    """The best value of each field. `voices` are in the order of rank; `overrides` are a curator's values by field;
    `shown` gives notes as markup."""
    chosen: dict[str, tuple[Any, str]] = {
        "title": _first(voices, lambda v: _whole_title(v, voices)),
        "number": _first(voices, lambda v: v.entry.said.number),
        "published": _date(voices),
        "duration_seconds": _length(voices),
    }
    text = _text(voices)
    chosen["description_text"] = (text.plain if text else "", text.voice.source if text else "")
    locked = {name: _override(name, value) for name, value in overrides.items() if name in FIELDS}
    chosen |= {name: (value, CURATOR) for name, value in locked.items()}
    moment, length = chosen["published"][0], chosen["duration_seconds"][0]
    own_text = "description_text" in locked
    # A directory's page lists an episode; where it is at home only the show itself says (rules.md 27).
    own = [v for v in voices if v.entry.own]
    audio = next((v.entry.said for v in own if v.entry.said.audio_url), None)
    return Merged(
        title=chosen["title"][0] or "",
        number=chosen["number"][0],
        moment=moment,
        seconds=length[0] if length else None,
        seconds_exact=length[1] if length else True,
        text=chosen["description_text"][0] or "",
        html=_html(chosen["description_text"][0], None if own_text else text, shown),
        cut=bool(text and text.cut and not own_text),
        guid=_first(own, lambda v: v.facts.guid)[0] or "",
        url=overrides.get("url", _first(own, lambda v: v.entry.said.url)[0] or ""),
        audio_url=overrides.get("audio_url", audio.audio_url if audio else ""),
        audio_type=audio.audio_type if audio and "audio_url" not in overrides else "",
        provenance={name: _provenance(name, voices, chosen[name]) for name in FIELDS},
        conflicts=tuple(_conflicts(voices)),
    )


def _first(voices: Sequence[RankedEntry], value: Callable[[RankedEntry], Any]) -> tuple[Any, str]:
    """The value of the best-ranked voice that has one, and its source; an empty value never replaces a known one."""
    return next(((found, v.source) for v in voices if (found := value(v)) not in (None, "")), (None, ""))


def _override(name: str, value: str) -> Any:
    if name == "published":
        return parse_date(value)
    if name == "number":
        return int(value) if value.isdecimal() else None
    if name == "duration_seconds":
        return (int(value), True) if value.isdecimal() else None
    return value


def _whole_title(voice: RankedEntry, voices: Sequence[RankedEntry]) -> str:
    """The title, unless it is cut ("History and constra…") and another voice has the whole of it."""
    title = voice.entry.said.title
    bare = without_tail(title)
    if bare != title:
        begin = fold(bare)
        if any(
            fold(v.entry.said.title).startswith(begin) and without_tail(v.entry.said.title) == v.entry.said.title
            for v in voices
            if v is not voice
        ):
            return ""
    return title


def _date(voices: Sequence[RankedEntry]) -> tuple[PublicationDate | None, str]:
    """The best-ranked date; a day gives way to an instant of that UTC day."""
    moment, source = _first(voices, lambda v: v.facts.moment)
    if moment is not None and moment.is_day:
        for voice in voices:
            other = voice.facts.moment
            if other and not other.is_day and other.at.date() == moment.at.date():
                return other, voice.source
    return moment, source


def _length(voices: Sequence[RankedEntry]) -> tuple[tuple[int, bool] | None, str]:
    """Seconds, and whether they are exact; whole minutes give way to an exact length that they allow."""
    length, source = _first(voices, lambda v: v.facts.length)
    if length is None:
        return None, ""
    if not length.exact:
        for voice in voices:
            other = voice.facts.length
            if other and other.exact and length.low <= other.low <= length.high:
                return (other.low, True), voice.source
    return (length.low, length.exact), source


def texts(voices: Sequence[RankedEntry]) -> list[NotesChoice]:
    """Every voice's text with whether it is cut: as its site's convention says, or because another text goes on where it ends."""
    plain = [
        (v, without_tail(v.facts.text) if v.entry.said.cut is not False else v.facts.text)
        for v in voices
        if v.facts.text
    ]
    folded = [squash(text) for _, text in plain]
    found = []
    for (voice, text), own in zip(plain, folded, strict=True):
        begun = squash(without_tail(text))
        continued = any(len(other) > len(own) and other.startswith(begun) for other in folded)
        marked = voice.entry.said.cut is None and text != voice.facts.text
        found.append(NotesChoice(voice, text, own, bool(voice.entry.said.cut) or continued or marked))
    return found


def _text(voices: Sequence[RankedEntry]) -> NotesChoice | None:
    """The best whole text by rank; else, of the best-ranked text and those that continue it, the longest."""
    found = [text for text in texts(voices) if text.folded]
    whole = [text for text in found if not text.cut]
    if whole or not found:
        return whole[0] if whole else None
    line = [text for text in found if text.folded.startswith(found[0].folded)]
    return max(line, key=lambda text: len(text.folded))


def _html(text: str, chosen: NotesChoice | None, shown: Callable[[str, str, bool], str]) -> str:
    if chosen is None:
        return shown("", text or "", False)
    return shown(chosen.voice.entry.said.html, chosen.plain, chosen.cut)


# -- provenance and conflicts ---------------------------------------------------------------------------------------


def _provenance(name: str, voices: Sequence[RankedEntry], chosen: tuple[Any, str]) -> dict[str, Any]:
    """Whose value is shown, and every other value with the sources that gave it, best-ranked first."""
    value, source = chosen
    shown = shown_as(name, value)
    others: dict[str, list[str]] = {}
    for voice in voices:
        said = said_as(name, voice)
        if said and said != shown and voice.source not in others.setdefault(said, []):
            others[said].append(voice.source)
    agreeing = [v.source for v in voices if said_as(name, v) == shown and shown]
    if source and source != CURATOR and agreeing:
        source = agreeing[0]
    return {
        "source": source if shown else None,
        "locked": source == CURATOR,
        "agree": sorted(set(agreeing)),
        "others": [[said, sorted(sources)] for said, sources in others.items() if sources],
    }


def shown_as(name: str, value: Any) -> str:
    """A field's value as text, the same for what is shown and for what a source says."""
    if value in (None, ""):
        return ""
    if name == "published":
        return str(value.isoformat())
    if name == "duration_seconds":
        return str(value[0])
    return str(value)


def said_as(name: str, voice: RankedEntry) -> str:
    said, facts = voice.entry.said, voice.facts
    match name:
        case "title":
            return said.title
        case "number":
            return shown_as(name, said.number)
        case "published":
            return shown_as(name, facts.moment) or said.date_raw
        case "duration_seconds":
            return shown_as(name, (facts.length.low, True) if facts.length else None) or said.length_raw
        case _:
            return without_tail(facts.text) if said.cut is not False else facts.text


def _conflicts(voices: Sequence[RankedEntry]) -> Iterator[dict[str, Any]]:
    """What sources say that cannot both be right, against the best-ranked that says anything."""
    for name, differs in (
        ("title", _titles_differ),
        ("number", _numbers_differ),
        ("published", _days_differ),
        ("duration_seconds", _lengths_differ),
    ):
        speaking = [v for v in voices if said_as(name, v)]
        for other in speaking[1:]:
            if differs(speaking[0], other):
                yield {
                    "field": name,
                    "source": speaking[0].source,
                    "value": said_as(name, speaking[0]),
                    "other_source": other.source,
                    "other_value": said_as(name, other),
                }


def _titles_differ(one: RankedEntry, other: RankedEntry) -> bool:
    return bool(one.facts.title and other.facts.title) and one.facts.title != other.facts.title


def _numbers_differ(one: RankedEntry, other: RankedEntry) -> bool:
    return one.entry.said.number != other.entry.said.number


def _days_differ(one: RankedEntry, other: RankedEntry) -> bool:
    return bool(one.facts.day and other.facts.day) and abs((one.facts.day - other.facts.day).days) > DAYS_AGREE  # type: ignore[operator]


def _lengths_differ(one: RankedEntry, other: RankedEntry) -> bool:
    a, b = one.facts.length, other.facts.length
    return bool(a and b) and gap(a, b) > LENGTH_OFF * max(a.high, b.high)  # type: ignore[arg-type,union-attr]
