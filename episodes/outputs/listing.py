"""A list of episodes as every format of it takes it, and what the formats say alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import NAMESPACE_URL, uuid5

from django.db.models import Prefetch

from ..link_labels import followable
from ..models import Credit, Episode, Podcast
from ..querysets import EpisodeQuerySet

NO_TYPE = "audio/mpeg"


@dataclass(frozen=True)
class Listing:
    """What a document of any format is made of; addresses are whole ones, "" where there is none.

    Without `absolute`, which makes an address of the site whole, the document belongs to no site and names none of
    its pages.
    """

    title: str
    description: str
    episodes: Sequence[Episode]
    address: Callable[[Episode], str]
    page: str = ""
    own: str = ""
    next: str = ""
    image: str = ""
    show: Podcast | None = None
    absolute: Callable[[str], str] | None = None

    @property
    def author(self) -> str:
        return self.show.author if self.show else ""

    @property
    def language(self) -> str:
        return self.show.language if self.show else ""


def rows(found: EpisodeQuerySet) -> EpisodeQuerySet:
    """The episodes with what the formats show, in a fixed number of queries."""
    credited = Credit.objects.select_related("person").order_by("person__name", "person_id", "role")
    return found.for_list().defer("provenance", "conflicts").prefetch_related(Prefetch("credits", credited))


def identity(episode: Episode) -> str:
    """What a reader knows an episode by: the guid of the show's own feed, else show and address.

    The same on every site that serves the catalog, and for a title that was corrected where a feed gives a guid.
    """
    return episode.guid or f"{episode.podcast.slug}/{episode.slug}"


def urn(episode: Episode) -> str:
    """The same as an IRI, for formats that take no other."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'{episode.podcast.slug} {identity(episode)}')}"


def audio(episode: Episode) -> tuple[str, str] | None:
    """Address and type of the audio; None where none can be played."""
    address = followable(episode.audio_url)
    return (address, episode.audio_type or NO_TYPE) if address else None
