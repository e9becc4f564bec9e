"""Merges what the entries of one episode say, field by field, and keeps who said what; pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..fields import NOTES, NUMBER, SOURCED, STATED, Chosen, Field
from ..records import (
    EntryData,
    FieldConflict,
    Merged,
    NotesText,
    Provenance,
    SourceEntry,
)
from ..text.show_notes import to_html
from .match_keys import MatchKeys

CURATOR = "curator"

Refuted = Mapping[str, frozenset[str]]  # by field the sources that are not used
NONE_REFUTED: Refuted = {}


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """One entry with what was read off it; a `Voice` of fields.py."""

    entry: SourceEntry
    facts: MatchKeys
    titled: int | None = None  # the number by which its title counts it

    @property
    def source(self) -> str:
        return self.entry.source

    @property
    def said(self) -> EntryData:
        return self.entry.said

    @property
    def text(self) -> str:
        return self.facts.text

    @property
    def bare_title(self) -> str:
        return self.facts.title


def merge(
    voices: Sequence[RankedEntry],
    overrides: Mapping[str, str],
    shown: Callable[[str, str, bool], str] = to_html,
    refuted: Refuted = NONE_REFUTED,
) -> Merged:
    """The best value of each field. `voices` are in the order of rank; `overrides` are a curator's
    values by field; `shown` makes the notes' markup fit to show; `refuted` has the sources that are
    not used."""
    heard = voices, [voice for voice in voices if voice.entry.own]
    chosen = {}
    for field in STATED:
        unused = refuted.get(field.name, ())
        believed = [voice for voice in heard[field.own] if voice.source not in unused]
        chosen[field.name] = _chosen(field, believed, overrides)
    notes = chosen[NOTES.name].value or NotesText("")
    told: dict[str, Provenance] = {}
    conflicts: list[FieldConflict] = []
    for own in SOURCED:
        stated = [(voice, own.text_from(voice)) for voice in voices]
        told[own.name] = _provenance(own, stated, chosen[own.name], refuted)
        conflicts += _conflicts(own, stated)
    return Merged(
        values={name: one.value for name, one in chosen.items()}
        | {NOTES.name: replace(notes, html=shown(notes.html, notes.text, notes.cut))},
        provenance=told,
        conflicts=(*conflicts, *_miscounted(voices)),
    )


def _chosen(
    field: Field[Any], voices: Sequence[RankedEntry], overrides: Mapping[str, str]
) -> Chosen[Any]:
    """A curator's value, else the best of the sources that may give one."""
    if field.overridable and field.name in overrides:
        return Chosen(field.parse(overrides[field.name]), CURATOR)
    return field.choose(voices)


Stated = Sequence[tuple[RankedEntry, str]]  # the entries with their values as texts


def _provenance(
    field: Field[Any],
    stated: Stated,
    chosen: Chosen[Any],
    refuted: Refuted,
) -> Provenance:
    """The source of the value that is shown, and every other value with the sources that gave it,
    best-ranked first."""
    shown = field.text(chosen.value)
    givers: dict[str, dict[str, None]] = {}
    for voice, text in stated:
        givers.setdefault(text, {})[voice.source] = None
    agreeing = list(givers.pop(shown, {})) if shown else []
    givers.pop("", None)
    locked = chosen.source == CURATOR
    source = CURATOR if locked else next(iter(agreeing), chosen.source)
    unused = refuted.get(field.name, frozenset()).intersection(voice.source for voice, _ in stated)
    return Provenance(
        source=source if shown else None,
        locked=locked,
        agree=tuple(sorted(agreeing)),
        others=tuple((value, tuple(sorted(sources))) for value, sources in givers.items()),
        refuted=tuple(sorted(unused)),
    )


def _conflicts(field: Field[Any], stated: Stated) -> Iterator[FieldConflict]:
    """Values of sources that cannot both be right, against the best-ranked that says anything."""
    speaking = [(voice, text) for voice, text in stated if text]
    for voice, text in speaking[1:]:
        first, shown = speaking[0]
        if field.differ(first, voice):
            yield FieldConflict(field.name, first.source, shown, voice.source, text)


def _miscounted(voices: Sequence[RankedEntry]) -> Iterator[FieldConflict]:
    """Declared numbers that are not those by which the titles count."""
    for voice in voices:
        declared = NUMBER.text_from(voice)
        if voice.titled is not None and declared != str(voice.titled):
            yield FieldConflict(
                NUMBER.name, voice.source, declared, voice.source, str(voice.titled)
            )
