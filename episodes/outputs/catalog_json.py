"""The JSON export of the catalog: without times of the run and ids, every list in a stated order."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.db.models import Model, Prefetch, Q

from ..fields import DURATION, FIELDS, NOTES_FIELD, PUBLISHED_FIELD, TITLE_FIELD, Field, plain_notes
from ..models import (
    QUERY_BATCH_SIZE,
    Attachment,
    Credit,
    Episode,
    EpisodeLink,
    EpisodeQuerySet,
    EpisodeTopic,
    Held,
    Item,
    LearningPath,
    Podcast,
    Reference,
    Transcript,
    WithdrawnEpisode,
    load_paths_with_episodes,
)
from ..records import EntryData

JsonRow = dict[str, Any]

SCHEMA_FILE = Path(__file__).parent / "data" / "export.schema.json"


def dump_json(podcasts: Sequence[Podcast]) -> str:
    held: list[JsonRow] = []
    for podcast in podcasts:
        held += _export_unmatched_entries(podcast)
    episodes = prefetch_export_relations(Episode.objects.of_shows(podcasts))
    data = {
        "podcasts": [_export_show(podcast) for podcast in podcasts],
        "episodes": [export_episode(episode) for episode in episodes.in_batches()],
        "held": held,
        "paths": export_learning_paths(podcasts),
        "gone": _export_withdrawn_episodes(podcasts),
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _export_show(podcast: Podcast) -> JsonRow:
    row = _known_columns(podcast, "slug", "title", "feed_url", "site_url", "author", "language")
    # The address of a private feed is secret.
    row["feed_url"] = podcast.public_feed_url or None
    return row


def _export_unmatched_entries(podcast: Podcast) -> list[JsonRow]:
    rows = []
    unmatched = Held.objects.filter(podcast=podcast).select_related("item__document__source")
    unmatched = unmatched.prefetch_related("item__revisions")
    for unmatched_entry in unmatched.iterator(QUERY_BATCH_SIZE):
        values = unmatched_entry.item.values
        # Withdrawn episodes are listed under `gone` alone.
        candidates = [row for row in unmatched_entry.candidates if not row.get("withdrawn")]
        rows.append(
            {
                "podcast": podcast.slug,
                **_source_and_position(unmatched_entry.item),
                **_known_columns(values, "title"),
                "text": plain_notes(values) or None,
                "candidates": candidates,
            }
        )
    return sort_rows(rows, "source", "position", "title", "text")


def _export_withdrawn_episodes(podcasts: Sequence[Podcast]) -> list[JsonRow]:
    withdrawn = WithdrawnEpisode.objects.filter(podcast__in=podcasts).order_by("slug")
    slugs = withdrawn.values_list("podcast__slug", "slug", "replaced_by__slug")
    rows = []
    for show_slug, slug, replacement_slug in slugs:
        rows.append({"podcast": show_slug, "slug": slug, "replaced_by": replacement_slug})
    return rows


def export_learning_paths(podcasts: Sequence[Podcast]) -> list[JsonRow]:
    """Return a row for each published path, with its steps: an episode, and the reason to listen to it."""
    # A path need not belong to a show.
    of_shows_or_no_show = Q(podcast__in=podcasts) | Q(podcast=None)
    published = LearningPath.objects.published().filter(of_shows_or_no_show)
    rows = []
    for loaded_path in load_paths_with_episodes(published.select_related("podcast")):
        path = loaded_path.path
        steps = []
        for loaded_step in loaded_path.steps:
            steps.append({"episode": loaded_step.episode.slug, "why": loaded_step.step.reason})
        rows.append(
            {
                "podcast": path.podcast.slug if path.podcast else None,
                **_known_columns(path, "slug", "title", "description"),
                "made_by": path.author or None,
                "steps": steps,
            }
        )
    return rows


# -- an episode ------------------------------------------------------------------------------------


def prefetch_export_relations(episodes: EpisodeQuerySet) -> EpisodeQuerySet:
    topic_uses = EpisodeTopic.objects.select_related("topic")
    mentions = EpisodeLink.objects.select_related("link").order_by("position")
    references = Reference.objects.select_related("target").only("episode", "kind", "target__slug")
    credit_rows = Credit.objects.select_related("person")
    entries = Attachment.objects.select_related("item__document__source")
    # The export says where a transcript is from, never its words.
    words_of_transcript = ("transcript__text", "transcript__cues")
    rows = episodes.select_related("podcast", "transcript").defer(*words_of_transcript)
    return rows.prefetch_related(
        Prefetch("topic_uses", topic_uses),
        Prefetch("mentions", mentions),
        Prefetch("references", references),
        Prefetch("credits", credit_rows),
        Prefetch("attachments", entries.prefetch_related("item__revisions")),
    )


def export_episode(episode: Episode) -> JsonRow:
    return {
        "podcast": episode.podcast.slug,
        "slug": episode.slug,
        **export_fields(episode),
        "topics": sorted(use.topic.slug for use in episode.topic_uses.all()),
        "links": _export_links(episode),
        "references": _export_references(episode),
        "replaces": _export_versions(episode, "replaces"),
        "repeats": _export_versions(episode, "repeats"),
        "people": _export_people(episode),
        "transcript": _export_transcript_file_or_none(episode),
        "sources": _export_last_entry_of_each_document(episode),
        "provenance": export_provenance(episode),
    }


def export_provenance(
    episode: Episode,
    fields: Iterable[Field[Any]] = (TITLE_FIELD, PUBLISHED_FIELD, DURATION, NOTES_FIELD),
) -> dict[str, str | None]:
    """Return the slug of the source of each of these fields: "curator" for an override, None for a
    field without a source."""
    source_by_field = {}
    for field in fields:
        source_by_field[field.name] = episode.provenance.get(field.name, {}).get("source")
    return source_by_field


def export_fields(episode: Episode, fields: Iterable[Field[Any]] = FIELDS) -> JsonRow:
    """Return fields of an episode: None if unknown, a day as a day."""
    row: JsonRow = {}
    for field in fields:
        row.update(field.export_members(episode))
    return row


def _export_links(episode: Episode) -> list[JsonRow]:
    rows = []
    for mention in episode.mentions.all():
        link_columns = _known_columns(mention.link, "kind", "key", "title", "replacement")
        rows.append({"url": mention.url, **link_columns})
    return rows


def _export_references(episode: Episode) -> list[JsonRow]:
    rows = []
    for reference in episode.references.all():
        rows.append({"kind": reference.kind, "episode": reference.target.slug})
    return sort_rows(rows, "episode", "kind")


def _export_versions(episode: Episode, kind: str) -> list[str]:
    return sorted(version["slug"] for version in episode.versions if version["is"] == kind)


def _export_people(episode: Episode) -> list[JsonRow]:
    rows = []
    for credit in episode.credits.all():
        row = _known_columns(credit.person, "name")
        row["role"] = credit.role
        row.update(_known_columns(credit.person, "url", "image_url"))
        rows.append(row)
    return sort_rows(rows, "name", "role", "url")


def _export_transcript_file_or_none(episode: Episode) -> JsonRow | None:
    """Return the address of the transcript file, null if it is private, and whether a machine made it.

    Return None without a transcript.
    """
    transcript: Transcript | None = getattr(episode, "transcript", None)
    if transcript is None:
        return None
    address = episode.podcast.public(transcript.url)
    # The schema has no null for it: false also if nothing says who wrote the words.
    return {"file": address or None, "machine_made": bool(transcript.machine_made)}


def _export_last_entry_of_each_document(episode: Episode) -> list[JsonRow]:
    """Return one row for each document with entries of an episode: its present entry, else the entry
    that it listed last."""

    def order_of_removal(attachment: Attachment) -> tuple[bool, int, str]:
        """Sort entries by the version that no longer listed them, present entries last."""
        entry = attachment.item
        is_present = entry.gone_version is None
        return is_present, entry.gone_version or 0, entry.key

    row_by_document_id = {}
    # The last entry of a document replaces its earlier ones.
    for attachment in sorted(episode.attachments.all(), key=order_of_removal):
        entry = attachment.item
        # `public_url` reads the show, which would be a query for each entry.
        entry.document.source.podcast = episode.podcast
        row = _source_and_position(entry)
        row["url"] = entry.values.url or entry.document.public_url or None
        row_by_document_id[entry.document_id] = row
    return sort_rows(row_by_document_id.values(), "source", "position", "url")


def _source_and_position(entry: Item) -> JsonRow:
    """Return the source of an entry, and its position; a position of null means that it is no longer listed."""
    is_listed = entry.gone_version is None
    return {
        "source": entry.document.source.slug,
        "position": entry.position if is_listed else None,
    }


def _known_columns(row: Model | EntryData, *names: str) -> JsonRow:
    """Return columns of a row: None if unknown."""
    return {name: getattr(row, name) or None for name in names}


def sort_rows(rows: Iterable[JsonRow], *columns: str) -> list[JsonRow]:
    """Sort rows by these columns. Unknown texts come first, unknown positions last."""
    after_every_position = 1 << 31

    def sort_key(row: JsonRow) -> list[Any]:
        key = []
        for column in columns:
            value = row[column]
            if value is None:
                value = after_every_position if column == "position" else ""
            key.append(value)
        return key

    return sorted(rows, key=sort_key)
