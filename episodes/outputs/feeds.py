"""Lists as RSS, with the elements of Apple (`itunes:`) and Podcasting 2.0 (`podcast:`), and as
Atom; the catalog as RSS for `manage.py export`; and XML that is well-formed whatever the text in
it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID, uuid5

from django.template.loader import render_to_string

from ..fields import IN_RSS, by_kind, details
from ..models import (
    Chapter,
    ChosenMoment,
    Credit,
    Episode,
    Podcast,
    Transcript,
    any_number,
    chosen_moments,
)
from ..records import DETAILS
from ..text.urls import taken_apart
from .listing import UNSHOWN, Listing, add_credits, audio, identity, people, urn, with_ids

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


class Item(NamedTuple):
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
    parts = taken_apart(listing.own)
    query = f"?{parts.query}" if parts.query else ""
    items = []
    for e in listing.episodes:
        rows = by_kind(e.details)
        fields = [(str(field.rss), text) for field in IN_RSS if (text := field.in_rss(e))]
        items.append(
            Item(
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
        guid=uuid5(OF_FEEDS, f"{parts.netloc}{parts.path}{query}".rstrip("/")),
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
