"""A list of episodes, and the formats in which any list can be had: RSS with the elements of Apple
(`itunes:`) and Podcasting 2.0 (`podcast:`), Atom, JSON Feed and CSV; the catalog as RSS and as CSV
for `manage.py export`; XML that is well-formed whatever the text in it; and the apps that open
feeds."""

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote
from uuid import NAMESPACE_URL, UUID, uuid5

from django.db.models import Exists, OuterRef
from django.template.loader import render_to_string

from ..fields import BY_NAME, CSV, FACTS, IN_RSS, by_kind, details
from ..models import (
    Chapter,
    ChosenMoment,
    Credit,
    Episode,
    EpisodeQuerySet,
    Podcast,
    Transcript,
    any_number,
    chosen_moments,
)
from ..records import DETAILS, NO_DATE
from ..text.formulas import harmless
from ..text.link_labels import followable
from ..text.urls import taken_apart
from ..text.vocabulary import load
from .catalog_json import exported

# RSS demands a type of each enclosure, JSON Feed of each attachment; most are this.
NO_TYPE = "audio/mpeg"


Absolute: TypeAlias = Callable[[str], str]  # makes an address of the site a whole one


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
    absolute: Absolute | None = None

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
    guid = identity(episode)
    own = guid == episode.own_guid
    return guid if own else uuid5(NAMESPACE_URL, f"{episode.podcast.slug} {guid}").urn


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


# -- RSS and Atom ----------------------------------------------------------------------------------

# What XML 1.0 cannot carry at all, and the control characters that it advises against.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def xml_text(text: str) -> str:
    return NOT_XML.sub("", text)


def document(template: str, **context: Any) -> str:
    """A whole document."""
    # Over the whole document, because any text in it may bring such characters.
    return xml_text(render_to_string(f"feeds/{template}.xml", context, using="jinja2"))


# The namespace that Podcasting 2.0 makes the guid of a feed with, of its address without the
# scheme.
OF_FEEDS = UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")
# Details that need more than what the feed said of them.
WRITTEN_APART = ("season", "episode", "alternate")

Element: TypeAlias = tuple[str, Mapping[str, str], str]  # name, attributes, text


class RssItem(NamedTuple):
    """An episode with what its item says, worked out here: a template needs longer for a call than
    for a line."""

    episode: Episode
    page: str
    guid: str
    audio: tuple[str, str] | None
    fields: list[tuple[str, str]]
    displays: Sequence[Mapping[str, str]]
    alternates: Sequence[Mapping[str, str]]
    passed_on: Iterator[Element]
    people: Sequence[Credit]


def write_rss(listing: Listing) -> str:
    """An item for each episode. A date known to the day is 00:00 UTC of that day; `sorted_at`
    stands in for no date."""
    # A document that belongs to no site has no addresses for chapters and transcripts.
    keys = any_number([e.pk for e in listing.episodes] if listing.absolute else [])
    chaptered = Chapter.objects.filter(episode__in=keys).order_by()
    # SQLite takes a null for a text, which is greater than every number, and PostgreSQL for less
    # than any.
    timed = Transcript.objects.filter(episode__in=keys, cues__0__0__gte=0, cues__0__0__lt=1 << 31)
    show, soundbites = listing.podcast, defaultdict[int, list[ChosenMoment]](list)
    # Podcasting 2.0 has soundbites, so that apps can offer a part of an episode as a preview.
    for moment in chosen_moments(podcast__in={episode.podcast_id for episode in listing.episodes}):
        soundbites[moment.episode.pk].append(moment)
    named = taken_apart(listing.own)._replace(scheme="", fragment="").geturl()
    items = []
    for e in listing.episodes:
        rows = by_kind(e.details)
        fields = [(str(field.rss), text) for field in IN_RSS if (text := field.in_rss(e))]
        items.append(
            RssItem(
                e,
                listing.address(e),
                identity(e),
                audio(e),
                fields,
                rows.get("episode", ()),
                rows.get("alternate", ()),
                _passed_on(e.details),
                people(e),
            )
        )
    return document(
        "rss",
        listing=listing,
        show=show,
        channel=show.channel,
        passed_on=_passed_on(details(show.channel.details)),
        guid=uuid5(OF_FEEDS, named.removeprefix("//").rstrip("/")),
        items=items,
        chaptered=set(chaptered.values_list("episode", flat=True)),
        timed=set(timed.values_list("episode", flat=True)),
        soundbites=soundbites,
    )


def _passed_on(
    rows: Iterable[Mapping[str, str]],
) -> Iterator[Element]:
    """Details of an episode or a show, each with the element that it came in, its attributes and
    its text."""
    for said in rows:
        if said["kind"] not in WRITTEN_APART:
            detail = DETAILS[said["kind"]]
            values = {
                place.removeprefix("@"): said[name]
                for name, place in detail.values.items()
                if said.get(name)
            }
            yield detail.element, values, values.pop(".", "")


# RSS demands a title and a description of every channel.
SEVERAL_SHOWS = Podcast(rank=0, title="Podcast catalog", description="All episodes of all shows")


def dump_rss(podcasts: Sequence[Podcast]) -> str:
    """All episodes of the shows, newest first, as one feed; an item's link is that of its
    source."""
    show = podcasts[0] if len(podcasts) == 1 else SEVERAL_SHOWS
    rows = with_ids(Episode.objects.of_shows(podcasts).for_list()).defer(*UNSHOWN)
    episodes = list(rows.in_batches())
    add_credits(episodes)
    return write_rss(
        Listing(
            title=show.title,
            description=show.description,
            episodes=episodes,
            address=lambda e: e.url,
            page=show.site_url,
            show=show,
        )
    )


ATOM = "application/atom+xml"


def write_atom(listing: Listing) -> str:
    """An entry for each episode; `updated` by `sorted_at`, `published` where the date has come."""
    return document(
        "atom", listing=listing, show=listing.podcast, audio=audio, people=people, urn=urn
    )


# -- JSON Feed 1.1 (https://www.jsonfeed.org/version/1.1/) -----------------------------------------


def write_json_feed(listing: Listing) -> str:
    """An item for each episode, with what the format has no name for under `_episode`; what is not
    known is left out."""
    author = listing.podcast.author
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": listing.title,
        "home_page_url": listing.page,
        "feed_url": listing.own,
        "next_url": listing.next,
        "description": listing.description,
        "icon": listing.image,
        "language": listing.podcast.language,
        "authors": [{"name": author}] if author else [],
    }
    items = []
    for e in listing.episodes:
        authors = dict.fromkeys(credit.person for credit in people(e))
        topics = [topic.slug for topic in e.topics_in_order]
        attachments = []
        if heard := audio(e):
            file = dict(zip(("url", "mime_type"), heard, strict=True))
            attachments = [known({**file, "duration_in_seconds": e.duration_seconds})]
        item = {
            "id": identity(e),
            "url": listing.address(e),
            "external_url": e.url,
            "title": e.heading,
            "date_published": stamp(e.sorted_at),
            "authors": [{"name": person.name} for person in authors],
            "tags": topics,
            "attachments": attachments,
            # Exactly as the export says it: an unknown value is null, and a day is a day.
            # JSON Feed leaves names with an underscore in front to extensions.
            "_episode": {
                "podcast": e.podcast.slug,
                "slug": e.slug,
                **exported(e, FACTS),
                "topics": topics,
            },
        }
        # Readers want the content even where there is nothing in it.
        items.append(known(item) | {"content_html": e.description_html})
    text = json.dumps({**known(feed), "items": items}, ensure_ascii=False, indent=1)
    return xml_text(text) + "\n"


# -- CSV, harmless when a spreadsheet opens it -----------------------------------------------------


def dump_csv(podcasts: Sequence[Podcast]) -> str:
    """All episodes of the shows, newest first."""
    return csv_table(Episode.objects.of_shows(podcasts).for_list().in_batches())


def csv_table(episodes: Iterable[Episode]) -> str:
    """The header and a row for each episode; topics are slugs with a space between them."""
    out = io.StringIO()
    # RFC 4180 ends a line so.
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(CSV)
    for e in episodes:
        topics = " ".join(sorted(topic.slug for topic in e.topics_in_order))
        values = {"podcast": e.podcast.slug, "topics": topics}
        writer.writerow(
            [harmless(values[name] if name in values else BY_NAME[name].shown(e)) for name in CSV]
        )
    return out.getvalue()


# -- the formats, and the apps ---------------------------------------------------------------------


class Format(NamedTuple):
    """The name of a format, its media type, who writes it, and what of an episode it shows."""

    name: str
    type: str
    write: Callable[[Listing], str]
    is_feed: bool = True  # with ids and people
    unshown: tuple[str, ...] = ("description_text",)

    @property
    def content_type(self) -> str:
        return f"{self.type}; charset=utf-8"

    def rows(self, found: EpisodeQuerySet) -> EpisodeQuerySet:
        """The episodes with what the format shows but their shows and topics, which are in memory,
        and their credits."""
        return (with_ids(found) if self.is_feed else found).defer(*UNSHOWN, *self.unshown)


# By the ending of the address.
FORMATS = {
    "rss": Format("RSS", "application/rss+xml", write_rss),
    "atom": Format("Atom", ATOM, write_atom),
    # The type of JSON Feed 1.1, not plain JSON, by which readers know a feed.
    "json": Format("JSON Feed", "application/feed+json", write_json_feed),
    "csv": Format(
        "CSV",
        "text/csv",
        lambda listing: csv_table(listing.episodes),
        is_feed=False,
        unshown=("description_html",),
    ),
}
# Those that a feed reader finds by itself.
FEEDS = ("rss", "atom", "json")


APPS = tuple((app["name"], app["opens"]) for app in load(__file__, "podcast_apps")["app"])


class AppLink(NamedTuple):
    """A podcast app and the address that subscribes there."""

    name: str
    address: str


def app_links(feed: str) -> list[AppLink]:
    """One for each app."""
    # Some apps have a scheme of their own in place of that of the feed.
    bare, encoded = feed.partition("://")[2], quote(feed, safe="")
    return [AppLink(name, pattern.format(address=bare, encoded=encoded)) for name, pattern in APPS]
