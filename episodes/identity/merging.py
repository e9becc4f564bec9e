"""Merges what the entries of one episode say, field by field, and keeps who said what; pure."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..fields import NOTES, SOURCED, STATED, Chosen, Field
from ..records import FieldConflict, Merged, NotesText, Provenance, RankedEntry
from ..text.show_notes import to_html

CURATOR = "curator"
Stated = Sequence[tuple[RankedEntry, str]]  # the entries that state a field, with its text


def merge(
    voices: Sequence[RankedEntry],
    overrides: Mapping[str, str],
    shown: Callable[[str, str, bool], str] = to_html,
) -> Merged:
    """Return the best value of each field: a curator's, else the best of the sources that may give one.

    `voices` are in the order of rank. `overrides` are a curator's values by field. `shown` makes the
    notes' markup fit to show.
    """
    # By `field.own`: a directory's page, audio or guid would send listeners away from the show.
    heard = voices, [voice for voice in voices if voice.entry.own]
    chosen: dict[str, Chosen[Any]] = {}
    told: dict[str, Provenance] = {}
    conflicts: list[FieldConflict] = []
    for field in STATED:
        if field.name in overrides:
            chosen[field.name] = Chosen(field.parse(overrides[field.name]), CURATOR)
        else:
            chosen[field.name] = field.choose(heard[field.own])
        if field in SOURCED:
            stated = [(v, text) for v in voices if (text := field.text_in(v.said))]
            told[field.name] = _provenance(field, stated, chosen[field.name])
            # Against the best alone: where two of the others differ, no reader sees either.
            for voice, text in stated[1:]:
                first, shown_text = stated[0]
                if field.differ(first, voice):
                    conflicts.append(
                        FieldConflict(field.name, first.source, shown_text, voice.source, text)
                    )
    values = {name: one.value for name, one in chosen.items()}
    notes = values[NOTES.name] or NotesText("")
    values[NOTES.name] = replace(notes, html=shown(notes.html, notes.text, notes.cut))
    return Merged(values, told, tuple(conflicts))


def _provenance(field: Field[Any], stated: Stated, chosen: Chosen[Any]) -> Provenance:
    """Return the source of the value that is shown, and every other value with the sources that gave it,
    best-ranked first."""
    shown = field.text(chosen.value)
    givers: dict[str, set[str]] = defaultdict(set)
    for voice, text in stated:
        givers[text].add(voice.source)
    agreeing = givers.pop(shown, ())
    return Provenance(
        source=chosen.source if shown else None,
        locked=chosen.source == CURATOR,
        agree=tuple(sorted(agreeing)),
        others=tuple((value, tuple(sorted(sources))) for value, sources in givers.items()),
    )
