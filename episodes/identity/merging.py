"""Merges the values of the entries of an episode, field by field. Pure."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..fields import NOTES_FIELD, SOURCED_FIELDS, STATED_FIELDS, Field, SourcedValue
from ..records import FieldConflict, MergedValues, NotesText, Provenance, RankedEntry
from ..text.show_notes import notes_to_safe_html

CURATOR = "curator"


def merge_values(
    ranked_entries: Sequence[RankedEntry],
    overrides: Mapping[str, str],
    to_safe_html: Callable[[str, str, bool], str] = notes_to_safe_html,
) -> MergedValues:
    """Return the best value of each field: a curator's override, else the best of the entries that may
    give one.

    `ranked_entries` is in the order of priority. `to_safe_html` makes the markup of notes fit for a page.
    """
    # A directory's page, audio or guid would send listeners away from the show.
    publisher_entries = [entry for entry in ranked_entries if entry.entry.is_publisher]
    values: dict[str, Any] = {}
    provenance: dict[str, Provenance] = {}
    conflicts: list[FieldConflict] = []
    for field in STATED_FIELDS:
        if field.name in overrides:
            chosen = SourcedValue(field.parse(overrides[field.name]), CURATOR)
        elif field.is_publisher_only:
            chosen = field.choose_sourced_value(publisher_entries)
        else:
            chosen = field.choose_sourced_value(ranked_entries)
        values[field.name] = chosen.value
        # Pages show the source and the conflicts of these fields.
        if field in SOURCED_FIELDS:
            statements = _collect_statements(field, ranked_entries)
            provenance[field.name] = _build_provenance(field, statements, chosen)
            conflicts += _find_conflicts(field, statements)
    notes = values[NOTES_FIELD.name] or NotesText("")
    html = to_safe_html(notes.html, notes.text, notes.cut)
    values[NOTES_FIELD.name] = replace(notes, html=html)
    return MergedValues(values, provenance, tuple(conflicts))


@dataclass(frozen=True, slots=True)
class FieldStatement:
    """The value of a field as an entry states it."""

    entry: RankedEntry
    text: str


def _collect_statements(
    field: Field[Any], ranked_entries: Sequence[RankedEntry]
) -> list[FieldStatement]:
    statements = []
    for entry in ranked_entries:
        text = field.text_of_entry(entry.values)
        if text:
            statements.append(FieldStatement(entry, text))
    return statements


def _find_conflicts(field: Field[Any], statements: Sequence[FieldStatement]) -> list[FieldConflict]:
    if not statements:
        return []
    first, *others = statements
    conflicts = []
    for other in others:
        if field.entries_contradict(first.entry, other.entry):
            conflict = FieldConflict(
                field.name, first.entry.source, first.text, other.entry.source, other.text
            )
            conflicts.append(conflict)
    return conflicts


def _build_provenance(
    field: Field[Any], statements: Sequence[FieldStatement], chosen: SourcedValue[Any]
) -> Provenance:
    """Return the source of the chosen value, and every other value with its sources, the best-ranked
    value first."""
    chosen_text = field.to_text(chosen.value)
    sources_by_text = defaultdict[str, set[str]](set)
    for statement in statements:
        sources_by_text[statement.text].add(statement.entry.source)
    agreeing = sources_by_text.pop(chosen_text, set())
    other_values = []
    for text, sources in sources_by_text.items():
        other_values.append((text, tuple(sorted(sources))))
    return Provenance(
        source=chosen.source if chosen_text else None,
        locked=chosen.source == CURATOR,
        agree=tuple(sorted(agreeing)),
        others=tuple(other_values),
    )
