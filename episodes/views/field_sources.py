"""The sources of an episode's values, field by field: provenance, conflicts and dates."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery, prefetch_related_objects

from ..fields import SOURCED_FIELDS, Field
from ..models import Attachment, Capture, Episode, IngestRun, Revision
from ..records import Provenance
from ..text.formatting import format_day


def load_entries_of_episode(episode: Episode) -> Sequence[Attachment]:
    """Return the entries of an episode with all their revisions, the best source first.

    `read_at` of each is when its document was last imported. `left_at` is when the last version that
    listed the entry was fetched, and None if the entry is still listed.
    """
    rows = _with_times_of_reading_and_leaving(Attachment.objects.filter(episode=episode))
    best_source_first = rows.select_related("item__document__source__podcast").order_by(
        "item__document__source__rank", "item__document__source__slug", "item__position"
    )
    attachments = list(best_source_first)
    revisions = Prefetch("item__revisions", Revision.objects.order_by("-version"))
    prefetch_related_objects(attachments, revisions)
    return attachments


def _with_times_of_reading_and_leaving(attachments: QuerySet[Attachment]) -> QuerySet[Any]:
    # An import that found the document unchanged is good, too. A refused or failed one is not.
    good_runs = IngestRun.objects.filter(
        document=OuterRef("item__document"), outcome__in=IngestRun.GOOD
    )
    last_good_run = good_runs.order_by("-started_at").values("started_at")[:1]
    # `gone_version` is the number of the first version without the entry.
    last_version_with_entry = Capture.objects.filter(
        document=OuterRef("item__document"), version=OuterRef("item__gone_version") - 1
    )
    return attachments.annotate(
        read_at=Subquery(last_good_run),
        left_at=Subquery(last_version_with_entry.order_by().values("taken_at")),
    )


@dataclass(frozen=True)
class Confirmed:
    """When a value was first and last confirmed by its source."""

    first: datetime
    last: datetime

    def __str__(self) -> str:
        return f"first seen {format_day(self.first)}, last checked {format_day(self.last)}"


ConfirmationPeriods = Mapping[tuple[str, str], Confirmed]  # by source and field


def confirmation_periods_by_source_and_field(attachments: Iterable[Any]) -> ConfirmationPeriods:
    """Return since when each source has had its present value, by (source slug, field name)."""
    periods = {}
    # A later entry of a source replaces the periods of an earlier one.
    for attachment in sorted(attachments, key=_sort_key_with_best_entry_last):
        entry = attachment.item
        # An entry that is gone was last confirmed when a version still listed it.
        last_confirmed = attachment.left_at if entry.gone_version else attachment.read_at
        # The document was never imported with success.
        if not last_confirmed:
            continue
        source_slug = entry.document.source.slug
        revisions_newest_first = list(entry.revisions.all())
        for field in SOURCED_FIELDS:
            unchanged_since = _current_value_since_or_none(field, revisions_newest_first)
            if unchanged_since:
                periods[source_slug, field.name] = Confirmed(unchanged_since, last_confirmed)
    return periods


def _sort_key_with_best_entry_last(attachment: Any) -> tuple[bool, int]:
    # Listed entries are better than entries that are gone, and the source's first document than others.
    entry = attachment.item
    is_listed = entry.gone_version is None
    return is_listed, -entry.document_id


def _current_value_since_or_none(
    field: Field[Any], revisions_newest_first: Sequence[Revision]
) -> datetime | None:
    current_value = field.display_entry_value(revisions_newest_first[0].values)
    if not current_value:
        return None
    # The time of the first of the newest revisions with the value. Another value ends them, even if
    # older revisions have the current value again: of A, B, A, A it is the time of the third.
    unchanged_since = None
    for revision in revisions_newest_first:
        if field.display_entry_value(revision.values) != current_value:
            break
        unchanged_since = revision.recorded_at
    return unchanged_since


@dataclass(frozen=True)
class OtherValue:
    """A value that is not shown, and the sources that have it."""

    value: str
    sources: str
    conflicts: bool


@dataclass(frozen=True)
class FieldSources:
    """The sources of one field."""

    name: str
    source: str  # of the displayed value, "" if no source has one
    agreeing: str  # other sources with the same value
    other_values: list[OtherValue]
    confirmed: str  # `first seen 3 May 2021, last checked …`, "" for a curator's value


@dataclass(frozen=True)
class EpisodeSources:
    """The sources of all fields of an episode."""

    fields: list[FieldSources]
    sources: list[str]  # of displayed values, that of the title first
    last_checked: datetime | None
    confirmed: str  # of all fields, "" if they differ


def describe_field_sources(episode: Episode, attachments: Sequence[Any]) -> EpisodeSources:
    """Return the sources of each field that has a value, and of required fields."""
    confirmation_periods = confirmation_periods_by_source_and_field(attachments)
    titles_by_slug = _source_titles_by_slug(attachments)
    fields = []
    titles_of_displayed_sources = []
    displayed_periods = set()
    for field in SOURCED_FIELDS:
        field_sources = _build_field_sources(episode, field, titles_by_slug, confirmation_periods)
        # A required field has a line also if no source has a value.
        if field_sources.source or field_sources.other_values or not field.optional:
            fields.append(field_sources)
        if field_sources.source:
            titles_of_displayed_sources.append(field_sources.source)
            displayed_periods.add(field_sources.confirmed)
    # If all fields have the same period, the page has it once, and not in every line.
    common_period = displayed_periods.pop() if len(displayed_periods) == 1 else ""
    check_times = [period.last for period in confirmation_periods.values()]
    return EpisodeSources(
        fields=fields,
        # Each source once, in the order of the fields.
        sources=list(dict.fromkeys(titles_of_displayed_sources)),
        last_checked=max(check_times, default=None),
        confirmed=common_period,
    )


def _source_titles_by_slug(attachments: Iterable[Any]) -> dict[str, str]:
    titles_by_slug = {"curator": "the curator"}
    for attachment in attachments:
        source = attachment.item.document.source
        titles_by_slug[source.slug] = source.heading
    return titles_by_slug


def _build_field_sources(
    episode: Episode,
    field: Field[Any],
    titles_by_slug: Mapping[str, str],
    periods_by_source_and_field: ConfirmationPeriods,
) -> FieldSources:
    # The source of the displayed value, sources that agree with it, and the values of others.
    provenance = Provenance.from_payload(episode.provenance.get(field.name, {}))
    source_slug = provenance.source or ""
    # Not every other value is a conflict: "12. Vmap" is the title "Vmap" with its number.
    conflicts = [(row.get("field"), row.get("other_value")) for row in episode.conflicts]
    other_values = []
    for value, slugs in provenance.others:
        titles = _join_titles(slugs, titles_by_slug)
        is_conflict = (field.name, value) in conflicts
        other_values.append(OtherValue(field.display(value), titles, is_conflict))
    agreeing_slugs = sorted(set(provenance.agree) - {source_slug})
    # "first seen 3 May 2021, last checked …". A curator's value has no period.
    seen_period = periods_by_source_and_field.get((source_slug, field.name), "")
    return FieldSources(
        name=field.label,
        source=titles_by_slug.get(source_slug, source_slug),
        agreeing=_join_titles(agreeing_slugs, titles_by_slug),
        other_values=other_values,
        confirmed=str(seen_period),
    )


def _join_titles(slugs: Iterable[str], titles_by_slug: Mapping[str, str]) -> str:
    return ", ".join(titles_by_slug.get(slug, slug) for slug in slugs)
