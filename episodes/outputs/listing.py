"""A list of episodes for a feed or table, and what its formats share: ids, credits, audio, XML."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias
from uuid import NAMESPACE_URL, uuid5

from django.db.models import Exists, OuterRef
from django.template.loader import render_to_string

from ..models import Credit, Episode, EpisodeQuerySet, Podcast, ids_subquery
from ..records import NO_DATE
from ..text.link_labels import safe_href

Absolute: TypeAlias = Callable[[str], str]  # makes an address of the site absolute


@dataclass(frozen=True)
class EpisodeListing:
    """The content of a feed or table. Addresses are absolute, "" if there is none.

    Without `absolute` the document belongs to no site and has no addresses of its pages.
    """

    title: str
    description: str
    episodes: Sequence[Episode]
    page: str = ""
    feed: str = ""
    next_address: str = ""
    image: str = ""
    show: Podcast | None = None
    absolute: Absolute | None = None

    @property
    def podcast(self) -> Podcast:
        """Return the only show; an empty show if there are several."""
        return self.show or Podcast(rank=0)  # without a rank the default would take a query

    @property
    def latest(self) -> datetime:
        # Not the time of the request: the same episodes give the same bytes.
        return max((episode.sorted_at for episode in self.episodes), default=NO_DATE)

    def address_on_site(self, address: str) -> str:
        return self.absolute(address) if self.absolute else ""

    def episode_address(self, episode: Episode) -> str:
        """Return the address of the episode's page here; its page at the publisher without a site."""
        if self.absolute:
            return self.absolute(episode.get_absolute_url())
        return episode.url


# -- credits ---------------------------------------------------------------------------------------


def load_credits_into_episodes(episodes: Sequence[Episode]) -> None:
    """Set the credits of episodes, by name, for `credits_of`.

    Django's own prefetching makes circles of objects, which keep the texts of a whole feed in memory
    until the garbage collector runs.
    """
    credits_by_episode: dict[int, list[Credit]] = {episode.pk: [] for episode in episodes}
    ids = ids_subquery(credits_by_episode)
    rows = Credit.objects.filter(episode__in=ids).select_related("person")
    for credit in rows.order_by("person__name", "person_id", "role"):
        credits_by_episode[credit.episode_id].append(credit)
    for episode in episodes:
        # The model declares no such attribute, so it is set in the object's dict.
        vars(episode)["loaded_credits"] = credits_by_episode[episode.pk]


def credits_of(episode: Episode) -> Sequence[Credit]:
    """Return the credits of an episode by name. `load_credits_into_episodes` must have loaded them."""
    loaded: Sequence[Credit] = vars(episode)["loaded_credits"]
    return loaded


# -- ids -------------------------------------------------------------------------------------------


def with_shared_guids(episodes: EpisodeQuerySet) -> EpisodeQuerySet:
    """Add to episodes whether another episode has the same guid, for `feed_id`."""
    same_guid = Episode.objects.filter(guid_hash=OuterRef("guid_hash")).exclude(pk=OuterRef("pk"))
    return episodes.annotate(shares_guid=Exists(same_guid))


def feed_id(episode: Episode) -> str:
    """Return the id of an episode for clients: its guid, or our own if that is missing or shared.

    It is the same on every site that serves the catalog, whatever title and address become.
    """
    is_shared: bool = episode.shares_guid  # type: ignore[attr-defined]
    if is_shared or not episode.guid_hash:
        return episode.own_guid
    return episode.guid


def feed_urn(episode: Episode) -> str:
    """Return the id as an IRI, for formats that take nothing else."""
    guid = feed_id(episode)
    # Our own ids are URNs. Guids of sources may be any text (RFC 4287 wants an IRI).
    if guid == episode.own_guid:
        return guid
    return uuid5(NAMESPACE_URL, f"{episode.podcast.slug} {guid}").urn


# -- values ----------------------------------------------------------------------------------------


class FeedAudio(NamedTuple):
    """The audio of an episode."""

    address: str
    type: str


def audio_file(episode: Episode) -> FeedAudio | None:
    """Return the audio of an episode; None if it cannot be played."""
    address = safe_href(episode.audio_url)
    if not address:
        return None
    # RSS and JSON Feed demand a type. Most files are this.
    return FeedAudio(address, episode.audio_type or "audio/mpeg")


def format_timestamp(at: datetime) -> str:
    """Return `2021-06-21T13:00:00Z`."""
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def join_known(separator: str, *texts: str) -> str:
    """Return the texts that are not "", with a separator between them."""
    return separator.join(text for text in texts if text)


def drop_unknown(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values without "", None and []. 0 is a known value."""
    return {name: value for name, value in values.items() if value not in ("", None, [])}


# -- XML -------------------------------------------------------------------------------------------

# Characters that XML 1.0 cannot carry at all, and control characters that it advises against.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def without_control_characters(text: str) -> str:
    """Return a text without control characters, and without others that XML cannot carry."""
    return _NOT_XML.sub("", text)


def render_xml(template: str, **context: Any) -> str:
    """Return a whole document of a template in `templates/feeds/`."""
    text = render_to_string(f"feeds/{template}.xml", context, using="jinja2")
    # Titles and notes of sources may have characters that XML cannot carry.
    return without_control_characters(text)
