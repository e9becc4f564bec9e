"""The formats of a list: RSS, Atom, JSON Feed and CSV, and the apps that open feeds."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from ..fields import CSV_COLUMNS, FACT_FIELDS, FIELDS_BY_NAME
from ..models import Episode, EpisodeQuerySet, Podcast
from ..text.formulas import escape_formula
from ..text.vocabulary import load_vocabulary
from .catalog_json import export_fields
from .listing import (
    EpisodeListing,
    audio_file,
    credits_of,
    drop_unknown,
    feed_id,
    format_timestamp,
    with_shared_guids,
    without_control_characters,
)
from .rss import ATOM_TYPE, UNUSED_COLUMNS, render_atom, render_rss


def render_json_feed(listing: EpisodeListing) -> str:
    """Return a JSON Feed (https://www.jsonfeed.org/version/1.1/) without unknown values."""
    author = listing.podcast.author
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": listing.title,
        "home_page_url": listing.page,
        "feed_url": listing.feed,
        "next_url": listing.next_address,
        "description": listing.description,
        "icon": listing.image,
        "language": listing.podcast.language,
        "authors": [{"name": author}] if author else [],
    }
    items = [_json_feed_item(listing, episode) for episode in listing.episodes]
    text = json.dumps({**drop_unknown(feed), "items": items}, ensure_ascii=False, indent=1)
    # As in RSS and Atom. Half of a surrogate pair could not be encoded at all.
    return without_control_characters(text) + "\n"


def _json_feed_item(listing: EpisodeListing, episode: Episode) -> dict[str, Any]:
    # A person with several roles is named once.
    people = dict.fromkeys(credit.person for credit in credits_of(episode))
    topics = [topic.slug for topic in episode.topics_in_order]
    # JSON Feed leaves names with an underscore in front to extensions. The values are as in the
    # export: an unknown value is null, and a day is a day.
    extension_values = {
        "podcast": episode.podcast.slug,
        "slug": episode.slug,
        **export_fields(episode, FACT_FIELDS),
        "topics": topics,
    }
    values = {
        "id": feed_id(episode),
        "url": listing.episode_address(episode),
        "external_url": episode.url,
        "title": episode.heading,
        "date_published": format_timestamp(episode.sorted_at),  # as in RSS, also of undated ones
        "authors": [{"name": person.name} for person in people],
        "tags": topics,
        "attachments": _json_feed_attachments(episode),
        "_episode": extension_values,
    }
    # Readers want the content even if it is empty.
    return {**drop_unknown(values), "content_html": episode.description_html}


def _json_feed_attachments(episode: Episode) -> list[dict[str, Any]]:
    audio = audio_file(episode)
    if audio is None:
        return []
    values = {
        "url": audio.address,
        "mime_type": audio.type,
        "duration_in_seconds": episode.duration_seconds,
    }
    return [drop_unknown(values)]


def dump_csv(podcasts: Sequence[Podcast]) -> str:
    """Return all episodes of the shows, newest first, as CSV."""
    return _episodes_as_csv(Episode.objects.of_shows(podcasts).for_list().in_batches())


def write_csv(listing: EpisodeListing) -> str:
    return _episodes_as_csv(listing.episodes)


def _episodes_as_csv(episodes: Iterable[Episode]) -> str:
    """Return a row for each episode. Slugs of topics have a space between them."""
    rows = []
    for episode in episodes:
        topics = sorted(topic.slug for topic in episode.topics_in_order)
        # These two columns are no fields of an episode. All others are.
        text_by_column = {"podcast": episode.podcast.slug, "topics": " ".join(topics)}
        for column in CSV_COLUMNS:
            if column not in text_by_column:
                text_by_column[column] = FIELDS_BY_NAME[column].text_of_episode(episode)
        rows.append([text_by_column[column] for column in CSV_COLUMNS])
    return render_csv(CSV_COLUMNS, rows)


def render_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as CSV (RFC 4180), with the names of its columns above the rows."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        # Strangers write titles, and a spreadsheet would run a title that begins as a formula.
        writer.writerow([escape_formula(cell) for cell in row])
    return out.getvalue()


class ListFormat(NamedTuple):
    """A format of a list: its name, its media type, the function that writes it, and what it leaves out."""

    name: str
    media_type: str
    write: Callable[[EpisodeListing], str]
    unused_columns: tuple[str, ...] = ("description_text",)

    @property
    def content_type(self) -> str:
        return f"{self.media_type}; charset=utf-8"

    def rows(self, episodes: EpisodeQuerySet) -> EpisodeQuerySet:
        """Return the episodes with the columns of the format, without shows, topics and credits."""
        return with_shared_guids(episodes).defer(*UNUSED_COLUMNS, *self.unused_columns)


# By the ending of the address.
LIST_FORMATS = {
    "rss": ListFormat("RSS", "application/rss+xml", render_rss),
    "atom": ListFormat("Atom", ATOM_TYPE, render_atom),
    # The type of JSON Feed 1.1, not plain JSON: readers know a feed by it.
    "json": ListFormat("JSON Feed", "application/feed+json", render_json_feed),
    "csv": ListFormat(
        "CSV",
        "text/csv",
        write_csv,
        unused_columns=("description_html",),
    ),
}
# Feed readers find these by themselves.
FEED_FORMATS = ("rss", "atom", "json")


class AppLink(NamedTuple):
    """A podcast app and the address that subscribes there."""

    name: str
    address: str


_APPS = load_vocabulary(__file__, "podcast_apps")["app"]


def podcast_app_links(feed_address: str) -> list[AppLink]:
    # Some apps replace the scheme of the feed with their own: `podcast://example.org/feed`.
    _, _, without_scheme = feed_address.partition("://")
    # Others take the feed as a part of their own address: `https://…/import?url=https%3A%2F%2F…`.
    encoded = quote(feed_address, safe="")
    links = []
    for app in _APPS:
        address = app["opens"].format(address=without_scheme, encoded=encoded)
        links.append(AppLink(app["name"], address))
    return links
