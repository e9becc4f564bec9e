"""A list of episodes as every format of it takes it, and what the formats say alike."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from django.db.models import Exists, OuterRef

from ..models import Credit, Episode, EpisodeQuerySet, Podcast, any_number
from ..records import NO_DATE
from ..text.link_labels import followable

# RSS demands a type of each enclosure, JSON Feed of each attachment; most are this.
NO_TYPE = "audio/mpeg"


@dataclass(frozen=True)
class Listing:
    """The content of a document of any format; addresses are whole ones, "" where there is none.

    Without `absolute`, which makes an address of the site whole, the document belongs to no site
    and names none of its pages.
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
    def podcast(self) -> Podcast:
        """The one show; an empty one where there are several."""
        return self.show or Podcast(rank=0)

    @property
    def latest(self) -> datetime:
        """When the newest of its episodes came out."""
        # Not the time of the request: the same episodes give the same bytes.
        return max((episode.sorted_at for episode in self.episodes), default=NO_DATE)

    def whole(self, address: str) -> str:
        """The whole address of a page of the site; "" where the document belongs to none."""
        return self.absolute(address) if self.absolute else ""


UNSHOWN = ("provenance", "conflicts", "versions")


def with_ids(found: EpisodeQuerySet) -> EpisodeQuerySet:
    """With what `identity` needs."""
    others = Episode.objects.filter(guid_hash=OuterRef("guid_hash")).exclude(pk=OuterRef("pk"))
    return found.annotate(shares_guid=Exists(others))


def add_credits(episodes: Sequence[Episode]) -> None:
    """Give episodes the credits that `people` tells. What Django fetches beforehand holds its
    episode, in a circle that keeps the texts of a whole feed in memory until somebody looks for
    circles."""
    found: dict[int, list[Credit]] = {episode.pk: [] for episode in episodes}
    credits_ = Credit.objects.filter(episode__in=any_number(found)).select_related("person")
    for credit in credits_.order_by("person__name", "person_id", "role"):
        found[credit.episode_id].append(credit)
    for episode in episodes:
        vars(episode)["people_credited"] = found[episode.pk]


def people(episode: Episode) -> Sequence[Credit]:
    """The credits of an episode that was given them, by name."""
    credits_: Sequence[Credit] = vars(episode)["people_credited"]
    return credits_


def identity(episode: Episode) -> str:
    """The id by which clients know an episode of `with_ids`: the guid that its source gives;
    our own where there is none or another episode of the catalog has the same.

    The same on every site that serves the catalog, whatever becomes of title and address.
    """
    shared: bool = episode.shares_guid  # type: ignore[attr-defined]
    return episode.guid if episode.guid_hash and not shared else episode.own_guid


def urn(episode: Episode) -> str:
    """The same as an IRI, for formats that take no other."""
    # An own GUID is a URN already, and those of sources may be any text (RFC 4287 wants an IRI).
    known = identity(episode)
    return (
        known
        if known == episode.own_guid
        else uuid5(NAMESPACE_URL, f"{episode.podcast.slug} {known}").urn
    )


def stamp(moment: datetime) -> str:
    """`2021-06-21T13:00:00Z`."""
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def audio(episode: Episode) -> tuple[str, str] | None:
    """Address and type of the audio; None where none can be played."""
    address = followable(episode.audio_url)
    return (address, episode.audio_type or NO_TYPE) if address else None


def known(values: dict[str, Any]) -> dict[str, Any]:
    """The values that are known."""
    # Not by truth: 0 is a known value, such as the second at which the first chapter begins.
    return {name: value for name, value in values.items() if value not in ("", None, [])}
