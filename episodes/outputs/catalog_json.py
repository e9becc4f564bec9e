"""The JSON export of the catalog: no timestamps of the run, no ids, every list in a stated
order."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.db.models import Model, Prefetch, Q

from ..fields import FIELDS, Field, plain_notes
from ..models import (
    BATCH,
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
    routes,
)
from ..records import EntryData

EXPLAINED = ("title", "published", "duration_seconds", "description_text")


# The JSON Schema of `dump`.
SCHEMA = Path(__file__).parent / "data" / "export.schema.json"


def dump(podcasts: Sequence[Podcast]) -> str:
    """The export as indented JSON with a final line break."""
    # The addresses of episodes that were taken out, and those of the episodes that replace them.
    gone = WithdrawnEpisode.objects.filter(podcast__in=podcasts).order_by("slug")
    gone_columns = gone.values_list("podcast__slug", "slug", "replaced_by__slug")
    held = []
    for podcast in podcasts:
        rows = Held.objects.filter(podcast=podcast).select_related("item__document__source")
        of_podcast = []
        for row in rows.prefetch_related("item__revisions").iterator(BATCH):
            said = row.item.said
            named = {"podcast": podcast.slug, **_entry(row.item), **_columns(said, "title")}
            # An episode that was taken out is named under `gone` alone.
            shown = [one for one in row.candidates if not one.get("withdrawn")]
            of_podcast.append(named | {"text": plain_notes(said) or None, "candidates": shown})
        held += _sorted(of_podcast, "source", "position", "title", "text")
    data = {
        "podcasts": [_show(podcast) for podcast in podcasts],
        "episodes": [episode(e) for e in with_all(Episode.objects.of_shows(podcasts)).in_batches()],
        "held": held,
        "paths": paths(podcasts),
        "gone": [
            {"podcast": show, "slug": slug, "replaced_by": other}
            for show, slug, other in gone_columns
        ],
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _show(podcast: Podcast) -> dict[str, Any]:
    columns = _columns(podcast, "slug", "title", "feed_url", "site_url", "author", "language")
    return columns | {"feed_url": podcast.public_feed_url or None}


def _columns(row: Model | EntryData, *names: str) -> dict[str, Any]:
    """Columns of a row: None where unknown."""
    return {name: getattr(row, name) or None for name in names}


def paths(podcasts: Sequence[Podcast]) -> list[dict[str, Any]]:
    """The published paths of these shows and of all, with the episodes that are there."""
    rows = LearningPath.objects.shown().filter(Q(podcast__in=podcasts) | Q(podcast=None))
    return [
        {
            "podcast": getattr(route.path.podcast, "slug", None),
            "slug": route.path.slug,
            "title": route.path.title,
            "description": route.path.description or None,
            "made_by": route.path.author or None,
            "steps": [{"episode": part.episode.slug, "why": part.step.why} for part in route.parts],
        }
        for route in routes(rows.select_related("podcast"))
    ]


def with_all(rows: EpisodeQuerySet) -> EpisodeQuerySet:
    """The episodes with what the export says of them, in a fixed number of queries."""
    attached = Attachment.objects.select_related("item__document__source")
    return (
        rows.select_related("podcast", "transcript")
        # The export says where a transcript is from, never its words.
        .defer("transcript__text", "transcript__cues")
        .prefetch_related(
            Prefetch("topic_uses", EpisodeTopic.objects.select_related("topic")),
            Prefetch("mentions", EpisodeLink.objects.select_related("link").order_by("position")),
            Prefetch(
                "references",
                Reference.objects.select_related("target").only("episode", "kind", "target__slug"),
            ),
            Prefetch("credits", Credit.objects.select_related("person")),
            Prefetch("attachments", attached.prefetch_related("item__revisions")),
        )
    )


def exported(e: Episode, rows: Iterable[Field[Any]] = FIELDS) -> dict[str, Any]:
    """Fields of an episode as the export has them: None where unknown, a day as a day."""
    return {name: value for field in rows for name, value in field.export(e).items()}


def episode(e: Episode) -> dict[str, Any]:
    """One of `with_all`, as the export has it."""
    references = sorted((reference.target.slug, reference.kind) for reference in e.references.all())
    people = [
        _columns(c.person, "name") | {"role": c.role} | _columns(c.person, "url", "image_url")
        for c in e.credits.all()
    ]
    said: Transcript | None = getattr(e, "transcript", None)
    return {
        "podcast": e.podcast.slug,
        "slug": e.slug,
        **exported(e),
        "topics": sorted(use.topic.slug for use in e.topic_uses.all()),
        "links": [
            {"url": mention.url} | _columns(mention.link, "kind", "key", "title", "replacement")
            for mention in e.mentions.all()
        ],
        "references": [{"kind": kind, "episode": slug} for slug, kind in references],
        "replaces": _before(e, "replaces"),
        "repeats": _before(e, "repeats"),
        "people": _sorted(people, "name", "role", "url"),
        "transcript": said and _transcript(said, e.podcast),
        "sources": _sources(e),
        "provenance": {name: e.provenance.get(name, {}).get("source") for name in EXPLAINED},
    }


def _transcript(transcript: Transcript, podcast: Podcast) -> dict[str, Any]:
    file = None if podcast.hides(transcript.url) else transcript.url
    return {"file": file, "machine_made": bool(transcript.machine_made)}


def _before(e: Episode, kind: str) -> list[str]:
    """The episodes that this one replaces, or repeats, as curators accepted it."""
    return sorted(version["slug"] for version in e.versions if version["is"] == kind)


def _sources(e: Episode) -> list[dict[str, Any]]:
    """The entry that each document lists for an episode now, else the one that it listed last."""
    entries = [attachment.item for attachment in e.attachments.all()]
    for item in entries:
        item.document.source.podcast = e.podcast  # else each would be asked for
    # What is listed now comes last, and so takes the place of what was listed before.
    entries.sort(key=lambda item: (item.gone_version is None, item.gone_version or 0, item.key))
    found = {
        item.document_id: _entry(item) | {"url": item.said.url or item.document.public_url or None}
        for item in entries
    }
    return _sorted(found.values(), "source", "position", "url")


def _entry(item: Item) -> dict[str, Any]:
    return {
        "source": item.document.source.slug,
        "position": item.position if item.gone_version is None else None,
    }


def _sorted(rows: Iterable[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    """The rows sorted by these values; unknown texts come first, unknown positions last."""
    unknown = {"position": 1 << 31}
    return sorted(rows, key=lambda row: [row[name] or unknown.get(name, "") for name in names])
