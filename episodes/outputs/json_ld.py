"""Pages in the words of schema.org, as JSON-LD."""

from collections.abc import Iterable
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from ..fields import PUBLISHED
from ..models import Episode, Podcast
from ..site import Site
from ..text.link_labels import followable
from .lists import Absolute, known, people

CONTEXT = {"@context": "https://schema.org"}


def shows(site: Site, absolute: Absolute, chosen: str) -> dict[str, Any]:
    """The show that was chosen, or the only one, as `PodcastSeries`; several as a graph of them."""
    home = absolute(reverse("episodes"))
    if show := site.of(chosen):
        return CONTEXT | series(show, home + _chosen(show, site))
    return CONTEXT | {"@graph": [series(show, home + _chosen(show, site)) for show in site.shows]}


def _chosen(show: Podcast, site: Site) -> str:
    """The part of an address that names one of several shows."""
    return "" if site.show else f"?{urlencode({'podcast': show.slug})}"


def series(show: Podcast, address: str) -> dict[str, Any]:
    """A show with its list here; its own addresses are the same thing elsewhere."""
    return {"@type": "PodcastSeries"} | known(
        {
            "name": show.title,
            "url": address,
            "description": show.description,
            "inLanguage": show.language,
            "creditText": show.author,
            "webFeed": followable(show.public_feed_url),
            "sameAs": followable(show.site_url),
        }
    )


def episode(found: Episode, absolute: Absolute, site: Site) -> dict[str, Any]:
    """An episode as `PodcastEpisode` in its series; what is not known is left out."""
    show = found.podcast
    length = f"PT{found.duration_seconds}S" if found.duration_seconds else ""
    # Parts of which nothing is known are left out whole.
    season = known({"seasonNumber": found.season})
    heard = followable(found.audio_url)
    media = {"contentUrl": heard, "encodingFormat": found.audio_type, "duration": length}
    return (
        CONTEXT
        | {"@type": "PodcastEpisode"}
        | known(
            {
                "name": found.heading,
                "url": absolute(found.get_absolute_url()),
                "datePublished": PUBLISHED.shown(found),
                "duration": length,
                "episodeNumber": found.number,
                "partOfSeason": {"@type": "PodcastSeason"} | season if season else None,
                "description": found.summary,
                "inLanguage": show.language,
                "keywords": [topic.name for topic in found.topics_in_order],
                "author": _people(found, ("host",)),
                "actor": _people(found, ("host", "guest")),
                "associatedMedia": {"@type": "AudioObject"} | known(media) if heard else None,
                "sameAs": followable(found.url),
                "partOfSeries": {
                    "@type": "PodcastSeries",
                    "name": show.title,
                    "url": absolute(reverse("episodes") + _chosen(show, site)),
                },
            }
        )
    )


def clip(words: str, start: int, end: int, address: str) -> dict[str, Any]:
    """The part of an episode that says these words, from one second to another."""
    offsets = {"startOffset": start, "endOffset": end}
    return {"hasPart": {"@type": "Clip", "name": words, "url": address} | offsets}


def _people(found: Episode, roles: Iterable[str]) -> list[dict[str, str]]:
    names = dict.fromkeys(c.person.name for c in people(found) if c.role in roles)
    return [{"@type": "Person", "name": name} for name in names]
