"""Values in several answers to assistants: an episode, its transcript, and the sources of its values."""

from collections.abc import Iterable
from typing import Any

from django.http import HttpRequest

from ..fields import FACT_FIELDS, SOURCED_FIELDS
from ..models import Episode, Source, Transcript
from ..outputs import catalog_json

JsonObject = dict[str, Any]


def episode_as_json(request: HttpRequest, episode: Episode) -> JsonObject:
    return {
        "slug": episode.slug,
        "show": episode.podcast.title,
        **catalog_json.export_fields(episode, FACT_FIELDS),
        "address": request.build_absolute_uri(episode.get_absolute_url()),
        "provenance": provenance_as_json(episode),
    }


def provenance_as_json(episode: Episode) -> dict[str, str | None]:
    """Return the slug of the source of each displayed value, "curator" for a curator's value."""
    return catalog_json.export_provenance(episode, SOURCED_FIELDS)


def transcript_as_json(episode: Episode, transcript: Transcript) -> JsonObject:
    """Return the file of a transcript, None if its address is secret, and who wrote the words down.

    `machine_made` is None if it is not known.
    """
    return {
        "file": episode.podcast.public(transcript.url) or None,
        "machine_made": transcript.machine_made,
        "corrections_by_curators": len(transcript.corrections),
    }


def distinct_sources_as_json(episodes: Iterable[Episode]) -> list[JsonObject]:
    # The sources of the displayed values. Shows may have sources of the same slug, such as `feed`.
    slugs_by_show: dict[int, set[str | None]] = {}
    for episode in episodes:
        slugs = slugs_by_show.setdefault(episode.podcast_id, set())
        slugs.update(provenance_as_json(episode).values())
    rows = []
    sources = Source.objects.filter(podcast__in=slugs_by_show).select_related("podcast")
    for source in sources:
        if source.slug in slugs_by_show[source.podcast_id]:
            rows.append(
                {
                    "podcast": source.podcast.slug,
                    "source": source.slug,
                    "title": source.heading,
                    "url": source.public(source.address) or None,
                }
            )
    return rows
