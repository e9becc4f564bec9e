"""The JSON export of the catalog: no timestamps of the run, no ids, every list in a stated order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from django.db.models import Prefetch, Q

from ..fields import FIELDS, Field, plain_notes
from ..models import (
    BATCH,
    Attachment,
    Credit,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Held,
    LearningPath,
    Podcast,
    Reference,
    WithdrawnEpisode,
    routes,
)
from ..records import EntryData, Provenance

EXPLAINED = ("title", "published", "duration_seconds", "description_text")


def schema() -> str:
    """The JSON Schema of `dump`."""
    return (Path(__file__).parent / "data" / "export.schema.json").read_text()


def dump(podcasts: Sequence[Podcast]) -> str:
    """The export as indented JSON with a final line break."""
    data = {
        "podcasts": [_podcast(p) for p in podcasts],
        "episodes": [_episode(e) for e in _episodes(podcasts)],
        "held": [h for p in podcasts for h in _held(p)],
        "paths": _paths(podcasts),
        "gone": _gone(podcasts),
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def _podcast(podcast: Podcast) -> dict[str, str | None]:
    names = ("slug", "title", "feed_url", "site_url", "author", "language")
    return {name: getattr(podcast, name) or None for name in names}


def _paths(podcasts: Sequence[Podcast]) -> list[dict[str, Any]]:
    """The published paths of these shows and of all, with the episodes that are there."""
    rows = LearningPath.objects.shown().filter(Q(podcast__in=podcasts) | Q(podcast=None))
    return [
        {
            "podcast": route.path.podcast.slug if route.path.podcast else None,
            "slug": route.path.slug,
            "title": route.path.title,
            "description": route.path.description or None,
            "made_by": route.path.author or None,
            "steps": [{"episode": part.episode.slug, "why": part.why} for part in route.parts],
        }
        for route in routes(rows.select_related("podcast"))
    ]


def _episodes(podcasts: Sequence[Podcast]) -> Iterator[Episode]:
    attached = Attachment.objects.select_related("item__document__source")
    return (
        Episode.objects.of_shows(podcasts)
        .select_related("podcast")
        .prefetch_related(
            Prefetch("topic_uses", EpisodeTopic.objects.select_related("topic")),
            Prefetch("mentions", EpisodeLink.objects.select_related("link")),
            Prefetch("references", Reference.objects.select_related("target").only("episode", "kind", "target__slug")),
            Prefetch("credits", Credit.objects.select_related("person")),
            Prefetch("attachments", attached.prefetch_related("item__revisions")),
        )
        .in_batches()
    )


def exported(e: Episode, rows: Iterable[Field[Any]] = FIELDS) -> dict[str, Any]:
    """Fields of an episode as the export has them: None where unknown, a day as a day."""
    return {name: value for field in rows for name, value in field.export(e).items()}


def _episode(e: Episode) -> dict[str, Any]:
    mentions = sorted(e.mentions.all(), key=lambda m: m.position)
    references = sorted((r.kind, r.target.slug) for r in e.references.all())
    return {
        "podcast": e.podcast.slug,
        "slug": e.slug,
        **exported(e),
        "topics": sorted(use.topic.slug for use in e.topic_uses.all()),
        "links": [_link(m) for m in mentions],
        "references": [
            {"kind": kind, "episode": slug} for kind, slug in sorted(references, key=lambda r: (r[1], r[0]))
        ],
        "replaces": _before(e, "replaces"),
        "repeats": _before(e, "repeats"),
        "people": sorted(
            map(_credit, e.credits.all()), key=lambda p: (p["name"] or "", p["role"] or "", p["url"] or "")
        ),
        "sources": sorted((_source(a) for a in _one_a_document(e.attachments.all())), key=_source_order),
        "provenance": {name: Provenance.from_payload(e.provenance.get(name)).source for name in EXPLAINED},
    }


def _link(mention: EpisodeLink) -> dict[str, str | None]:
    link = mention.link
    own = {"title": link.title or None, "replacement": link.replacement or None}
    return {"url": mention.url, "kind": link.kind, "key": link.key, **own}


def _credit(credit: Credit) -> dict[str, str | None]:
    person = credit.person
    own = {"url": person.url or None, "image_url": person.image_url or None}
    return {"name": person.name, "role": credit.role, **own}


def _before(e: Episode, kind: str) -> list[str]:
    """The episodes that this one replaces, or repeats, as curators accepted it."""
    return sorted(version["slug"] for version in e.versions if version["is"] == kind)


def _one_a_document(attachments: Iterable[Attachment]) -> list[Attachment]:
    """Of the entries that a document ever had for an episode the one it lists now, else the one it listed last."""
    found: dict[int, Attachment] = {}
    for a in sorted(attachments, key=lambda a: (a.item.gone_version is None, a.item.gone_version or 0, a.item.key)):
        found[a.item.document_id] = a
    return list(found.values())


def _source(attachment: Attachment) -> dict[str, Any]:
    item = attachment.item
    said = item.revisions.all()[0].said
    return {
        "source": item.document.source.slug,
        "position": item.position if item.gone_version is None else None,
        "url": said.url or item.document.url or None,
    }


def _gone(podcasts: Sequence[Podcast]) -> list[dict[str, str | None]]:
    """The addresses of episodes that were taken out, and those of the episodes that replace them."""
    rows = WithdrawnEpisode.objects.filter(podcast__in=podcasts).order_by("slug")
    columns = rows.values_list("podcast__slug", "slug", "replaced_by__slug")
    return [{"podcast": show, "slug": slug, "replaced_by": other} for show, slug, other in columns]


def _source_order(source: dict[str, Any]) -> tuple[str, int, str]:
    return (source["source"], source["position"] or 1 << 31, source["url"] or "")


def _held(podcast: Podcast) -> list[dict[str, Any]]:
    rows = (
        Held.objects.filter(podcast=podcast)
        .select_related("item__document__source")
        .prefetch_related("item__revisions")
        .iterator(BATCH)
    )
    held = []
    for row in rows:
        said: EntryData = row.item.revisions.all()[0].said
        held.append(
            {
                "podcast": podcast.slug,
                "source": row.item.document.source.slug,
                "position": row.item.position if row.item.gone_version is None else None,
                "title": said.title or None,
                "text": plain_notes(said) or None,
                "candidates": [c for c in row.candidates if not c.get("withdrawn")],
            }
        )
    return sorted(held, key=lambda h: (h["source"], h["position"] or 1 << 31, h["title"] or "", h["text"] or ""))
