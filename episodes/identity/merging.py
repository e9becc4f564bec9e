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
    publisher_entries = [entry for entry in ranked_entries if entry.entry.is_publisher]
    values: dict[str, Any] = {}
    provenance: dict[str, Provenance] = {}
    conflicts: list[FieldConflict] = []
    for field in STATED_FIELDS:
        if field.name in overrides:
            chosen = SourcedValue(field.parse(overrides[field.name]), CURATOR)
        elif field.is_publisher_only:
            # A directory's page, audio or guid would send listeners away from the show.
            chosen = field.choose_sourced_value(publisher_entries)
        else:
            chosen = field.choose_sourced_value(ranked_entries)
        values[field.name] = chosen.value
        # Pages show the source and the conflicts of these fields.
        if field in SOURCED_FIELDS:
            statements = _collect_statements(field, ranked_entries)
            provenance[field.name] = _build_provenance(field, statements, chosen)
            conflicts += _find_conflicts(field, statements)
    values[NOTES_FIELD.name] = _with_safe_html(values[NOTES_FIELD.name], to_safe_html)
    return MergedValues(values, provenance, tuple(conflicts))


def _with_safe_html(
    notes: NotesText | None, to_safe_html: Callable[[str, str, bool], str]
) -> NotesText:
    notes = notes or NotesText("")
    html = to_safe_html(notes.html, notes.text, notes.cut)
    return replace(notes, html=html)


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
    """Return the statements that contradict the first, which is of the source of the highest priority."""
    conflicts = []
    for statement in statements[1:]:
        first = statements[0]
        if field.entries_contradict(first.entry, statement.entry):
            conflict = FieldConflict(
                field.name, first.entry.source, first.text, statement.entry.source, statement.text
            )
            conflicts.append(conflict)
    return conflicts


def _build_provenance(
    field: Field[Any], statements: Sequence[FieldStatement], chosen: SourcedValue[Any]
) -> Provenance:
    """Return the source of the chosen value, the sources that agree, and every other value with its sources,
    in the order of priority."""
    chosen_text = field.to_text(chosen.value)  # "" of an unknown value
    sources_by_text = defaultdict[str, set[str]](set)
    for statement in statements:
        sources_by_text[statement.text].add(statement.entry.source)
    agreeing_sources = sources_by_text.pop(chosen_text, set())
    other_values = []
    for text, sources in sources_by_text.items():
        other_values.append((text, tuple(sorted(sources))))
    return Provenance(
        source=chosen.source if chosen_text else None,
        locked=chosen.source == CURATOR,
        agree=tuple(sorted(agreeing_sources)),
        others=tuple(other_values),
    )
