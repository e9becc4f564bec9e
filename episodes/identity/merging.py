"""Merges what the entries of one episode say, field by field, and keeps who said what; finds the
fields in which a source contradicts better ones too often to fill gaps; pure."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..fields import NOTES, REFUTABLE, SOURCED, STATED, Chosen, Field
from ..records import FieldConflict, Merged, NotesText, Provenance, RankedEntry
from ..text.show_notes import to_html

CURATOR = "curator"
FEWEST = 5  # episodes that can refute a source

Refuted = Mapping[str, frozenset[str]]  # by field the sources that are not used
NONE_REFUTED: Refuted = {}
Stated = Sequence[tuple[RankedEntry, str]]  # the entries that state a field, with its text


def merge(
    voices: Sequence[RankedEntry],
    overrides: Mapping[str, str],
    shown: Callable[[str, str, bool], str] = to_html,
    refuted: Refuted = NONE_REFUTED,
) -> Merged:
    """The best value of each field: a curator's, else the best of the sources that may give one.
    `voices` are in the order of rank; `overrides` are a curator's values by field; `shown` makes the
    notes' markup fit to show; `refuted` has the sources that are not used."""
    # By `field.own`: a directory's page, audio or guid would send listeners away from the show.
    heard = voices, [voice for voice in voices if voice.entry.own]
    chosen: dict[str, Chosen[Any]] = {}
    told: dict[str, Provenance] = {}
    conflicts: list[FieldConflict] = []
    for field in STATED:
        unused = refuted.get(field.name, frozenset())
        if field.name in overrides:
            chosen[field.name] = Chosen(field.parse(overrides[field.name]), CURATOR)
        else:
            believed = [voice for voice in heard[field.own] if voice.source not in unused]
            chosen[field.name] = field.choose(believed)
        if field in SOURCED:
            stated = [(v, text) for v in voices if (text := field.text_in(v.said))]
            told[field.name] = _provenance(field, stated, chosen[field.name], unused)
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


def _provenance(
    field: Field[Any], stated: Stated, chosen: Chosen[Any], unused: frozenset[str]
) -> Provenance:
    """The source of the value that is shown, and every other value with the sources that gave it,
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
        refuted=tuple(sorted(unused.intersection(voice.source for voice, _ in stated))),
    )


def refuted_sources(episodes: Sequence[Sequence[RankedEntry]]) -> dict[str, frozenset[str]]:
    """By field the sources whose values are not used.

    Over all episodes these contradict better-ranked sources more often than they agree. The entries
    of an episode come in the order of rank; each is compared with the best value.
    """
    refuted = {}
    for field in REFUTABLE:
        votes: dict[str, Counter[bool]] = defaultdict(Counter)
        for voices in episodes:
            stated = [voice for voice in voices if field.value_in(voice.said) is not None]
            # Two documents of a source are one voice, that of the better one.
            first_of_each = {voice.source: voice for voice in reversed(stated)}
            for source, voice in first_of_each.items():
                if voice.entry.rank > stated[0].entry.rank:
                    votes[source][field.contradicts(stated[0], voice)] += 1
        refuted[field.name] = frozenset(
            name for name, own in votes.items() if own.total() >= FEWEST and own[True] > own[False]
        )
    return refuted
