"""Shows and episodes in the vocabulary of schema.org, as JSON-LD."""

from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from ..fields import PUBLISHED_FIELD
from ..models import Episode, Podcast
from ..site import Site
from ..text.link_labels import safe_href
from .listing import Absolute, credits_of, drop_unknown

JsonLd = dict[str, Any]

_SCHEMA_ORG = {"@context": "https://schema.org"}


def shows_json_ld(site: Site, make_absolute: Absolute, show_slug: str) -> JsonLd:
    show = site.find_show_with_slug_or_only_show(show_slug)
    list_address = make_absolute(reverse("episodes"))
    if show:
        return {**_SCHEMA_ORG, **_series_data(show, site, list_address)}
    graph = [_series_data(show, site, list_address) for show in site.shows]
    return {**_SCHEMA_ORG, "@graph": graph}


def _series_data(show: Podcast, site: Site, list_address: str) -> JsonLd:
    values = {
        "name": show.title,
        "url": list_address + _show_query(show, site),
        "description": show.description,
        "inLanguage": show.language,
        "creditText": show.author,
        "webFeed": safe_href(show.public_feed_url),
        "sameAs": safe_href(show.site_url),
    }
    return {"@type": "PodcastSeries", **drop_unknown(values)}


def _show_query(show: Podcast, site: Site) -> str:
    """Return the query string that filters the episode list by the show; "" if the site has no other show."""
    return "" if site.show else f"?{urlencode({'podcast': show.slug})}"


def episode_json_ld(episode: Episode, make_absolute: Absolute, site: Site) -> JsonLd:
    """Return an episode as `PodcastEpisode` in its series, without unknown values."""
    iso_duration = f"PT{episode.duration_seconds}S" if episode.duration_seconds else ""
    season = None
    if episode.season is not None:
        season = {"@type": "PodcastSeason", "seasonNumber": episode.season}
    values = {
        "name": episode.heading,
        "url": make_absolute(episode.get_absolute_url()),
        "datePublished": PUBLISHED_FIELD.text_of_episode(episode),
        "duration": iso_duration,
        "episodeNumber": episode.number,
        "partOfSeason": season,
        "description": episode.summary,
        "inLanguage": episode.podcast.language,
        "keywords": [topic.name for topic in episode.topics_in_order],
        "author": _people_as_json_ld(episode, "host"),
        "actor": _people_as_json_ld(episode, "host", "guest"),  # all who are heard
        "associatedMedia": _audio_object_or_none(episode, iso_duration),
        "sameAs": safe_href(episode.url),
    }
    series = {
        "@type": "PodcastSeries",
        "name": episode.podcast.title,
        "url": make_absolute(reverse("episodes")) + _show_query(episode.podcast, site),
    }
    known_values = drop_unknown(values)
    return {**_SCHEMA_ORG, "@type": "PodcastEpisode", **known_values, "partOfSeries": series}


def _audio_object_or_none(episode: Episode, iso_duration: str) -> JsonLd | None:
    address = safe_href(episode.audio_url)
    if not address:
        return None
    values = {"contentUrl": address, "encodingFormat": episode.audio_type, "duration": iso_duration}
    return {"@type": "AudioObject", **drop_unknown(values)}


def _people_as_json_ld(episode: Episode, *roles: str) -> list[dict[str, str]]:
    # By name: a person may have several of these roles.
    people = {}
    for credit in credits_of(episode):
        if credit.role in roles:
            name = credit.person.name
            people[name] = {"@type": "Person", "name": name}
    return list(people.values())


def clip_json_ld(words: str, start: int, end: int, address: str) -> JsonLd:
    """Return the part of an episode that says these words, from one second to another."""
    part = {
        "@type": "Clip",
        "name": words,
        "url": address,
        "startOffset": start,
        "endOffset": end,
    }
    return {"hasPart": part}
