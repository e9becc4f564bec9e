"""The sources of an episode's values, field by field, and since when they have said so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Any

from ...fields import NUMBER, SOURCED, TITLE, Field
from ...models import Episode
from ...records import EntryData, Provenance
from ...text.formatting import day


@dataclass(frozen=True)
class OtherValue:
    """A value that some sources say instead, and whether both cannot be right."""

    value: str
    sources: str
    conflicts: bool


@dataclass(frozen=True)
class FieldSource:
    """A field of an episode: whose value is shown, who else says so, and what is said instead."""

    name: str
    source: str
    agree: str  # "Player FM agrees"; "" for nobody
    others: list[OtherValue]
    since: str  # "first seen 3 May 2021, last checked 21 November 2026"; "" for a curator's value


@dataclass(frozen=True)
class FieldSources:
    """The fields in which a source is named or differs, and those that no source knows."""

    fields: list[FieldSource]
    sources: list[str]  # whose values are shown, that of the title first
    checked: datetime | None  # when an entry was last read

    @property
    def since(self) -> str:
        """Since when all that is shown has been said; "" where that differs from field to field."""
        spans = {field.since for field in self.fields if field.source}
        return spans.pop() if len(spans) == 1 else ""


@dataclass(frozen=True)
class Confirmed:
    """When a value was first and last confirmed by its source."""

    first: datetime
    last: datetime

    def __str__(self) -> str:
        return f"first seen {day(self.first)}, last checked {day(self.last)}"


def confirmed(attachments: Iterable[Any]) -> dict[tuple[str, str], Confirmed]:
    """For each (source, field) since when its newest entry has said what it says, and when it was
    last read with it."""
    found: dict[tuple[str, str], Confirmed] = {}
    # Entries that are still listed come last and so have the last word.
    for attachment in sorted(
        attachments, key=lambda a: (a.item.gone_version is None, -a.item.document_id)
    ):
        item = attachment.item
        last = attachment.left_at if item.gone_version else attachment.read_at
        revisions = [(revision.recorded_at, revision.said) for revision in item.revisions.all()]
        for field in SOURCED:
            if last and field.words_in(revisions[0][1]):
                found[(item.document.source.slug, field.name)] = Confirmed(
                    _since(field, revisions), last
                )
    return found


def _since(field: Field[Any], revisions: Sequence[tuple[datetime, EntryData]]) -> datetime:
    """When the value of the newest revision, which comes first, began to be said without a
    break."""
    now = field.words_in(revisions[0][1])
    *_, (first, _) = takewhile(lambda revision: field.words_in(revision[1]) == now, revisions)
    return first


def field_sources(episode: Episode, attachments: Sequence[Any]) -> FieldSources:
    """The sources of an episode, told by its entries."""
    seen = confirmed(attachments)
    titles = {"curator": "the curator"}
    for attachment in attachments:
        source = attachment.item.document.source
        titles[source.slug] = source.heading
    conflicts = {
        (conflict.get("field"), conflict.get("other_value")) for conflict in episode.conflicts
    }
    fields, sources = [], dict[str, None]()
    for field in SOURCED:
        known = Provenance.from_payload(episode.provenance.get(field.name, {}))
        others = [
            OtherValue(
                field.words(value),
                _listed(sources_of_it, titles),
                (field.name, value) in conflicts,
            )
            for value, sources_of_it in known.others
        ]
        title, since, is_in_title = "", "", False
        if known.source:
            is_in_title = field is NUMBER and (known.source, field.name) not in seen
            is_in_title &= not known.locked
            title = titles.get(known.source, known.source)
            sources[title] = None
            stated = TITLE if is_in_title else field
            since = str(seen.get((known.source, stated.name), ""))
        elif field.optional and not others:
            continue
        title += " (summary written for the catalog)" if known.editorial else ""
        title += " (in the title)" if is_in_title else ""
        fields.append(FieldSource(field.label, title, _agree(known, titles), others, since))
    return FieldSources(
        fields, list(sources), max((one.last for one in seen.values()), default=None)
    )


def _agree(known: Provenance, titles: Mapping[str, str]) -> str:
    slugs = [slug for slug in known.agree if slug != known.source]
    return f"{_listed(slugs, titles)} {'agrees' if len(slugs) == 1 else 'agree'}" if slugs else ""


def _listed(slugs: Iterable[str], titles: Mapping[str, str]) -> str:
    return ", ".join(titles.get(slug, slug) for slug in slugs)
