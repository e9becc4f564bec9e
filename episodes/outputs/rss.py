"""RSS with the elements of Apple (`itunes:`) and Podcasting 2.0 (`podcast:`), and Atom."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID, uuid5

from ..fields import RSS_FIELDS, detail_dicts_without_blanks, details_by_kind
from ..models import (
    Chapter,
    Credit,
    DecidedMoment,
    Episode,
    Podcast,
    Transcript,
    decided_moments,
    ids_subquery,
)
from ..records import DETAIL_ELEMENTS
from ..text.urls import safe_urlsplit
from .listing import (
    EpisodeListing,
    FeedAudio,
    audio_file,
    credits_of,
    drop_unknown,
    feed_id,
    feed_urn,
    load_credits_into_episodes,
    render_xml,
    with_shared_guids,
)

# Columns of an episode that no format needs.
UNUSED_COLUMNS = ("provenance", "conflicts", "versions")


def dump_rss(podcasts: Sequence[Podcast]) -> str:
    """Return all episodes of the shows, newest first, as one feed that belongs to no site."""
    if len(podcasts) == 1:
        show = podcasts[0]
    else:
        # RSS demands a title and a description of every channel.
        # With a rank, because the default rank of a show takes a query.
        show = Podcast(rank=0, title="Podcast catalog", description="All episodes of all shows")
    rows = with_shared_guids(Episode.objects.of_shows(podcasts).for_list())
    episodes = list(rows.defer(*UNUSED_COLUMNS).in_batches())
    load_credits_into_episodes(episodes)
    return render_rss(
        EpisodeListing(
            title=show.title,
            description=show.description,
            episodes=episodes,
            page=show.site_url,
            show=show,
        )
    )


class RssElement(NamedTuple):
    """An element of Podcasting 2.0 that a source gives an episode or show."""

    name: str
    attributes: Mapping[str, str]
    text: str


class RssItem(NamedTuple):
    """An episode with the values of its item: a template needs longer for a call than for a line."""

    episode: Episode
    page: str
    guid: str
    audio: FeedAudio | None
    fields: list[tuple[str, str]]
    displays: Sequence[Mapping[str, str]]  # texts for its number, such as "Chapter 3"
    alternates: Sequence[Mapping[str, str]]  # other files of it, such as a video
    details: list[RssElement]
    people: Sequence[Credit]


def render_rss(listing: EpisodeListing) -> str:
    """Return RSS with an item for each episode.

    A date known to the day is 00:00 UTC of that day. `sorted_at` replaces an unknown date.
    """
    linkable_episode_ids: list[int] = []
    # A document that belongs to no site has no addresses for chapters and transcripts.
    if listing.absolute:
        linkable_episode_ids = [episode.pk for episode in listing.episodes]
    ids = ids_subquery(linkable_episode_ids)
    chapters = Chapter.objects.filter(episode__in=ids).order_by()
    # The first value of the first cue is its second, null if it has no time. SQLite sorts null above
    # every number, PostgreSQL below, so the second needs both limits.
    timed_transcripts = Transcript.objects.filter(
        episode__in=ids, cues__0__0__gte=0, cues__0__0__lt=1 << 31
    )
    show = listing.podcast
    show_details = detail_dicts_without_blanks(show.channel.details)
    return render_xml(
        "rss",
        listing=listing,
        show=show,
        channel=show.channel,
        details=list(_iterate_podcast_elements_of_details(show_details)),
        guid=_feed_guid(listing.feed),
        items=[_template_values_of_item(listing, episode) for episode in listing.episodes],
        chaptered=set(chapters.values_list("episode", flat=True)),
        timed=set(timed_transcripts.values_list("episode", flat=True)),
        soundbites=_soundbites_by_episode(listing.episodes),
    )


def _template_values_of_item(listing: EpisodeListing, episode: Episode) -> RssItem:
    # The template has elements of its own for two of these kinds.
    rows_by_kind = details_by_kind(episode.details)
    fields = []
    for field in RSS_FIELDS:
        text = field.rss_text(episode)
        if text:
            fields.append((str(field.rss_element), text))
    return RssItem(
        episode=episode,
        page=listing.episode_address(episode),
        guid=feed_id(episode),
        audio=audio_file(episode),
        fields=fields,
        displays=rows_by_kind.get("episode", ()),
        alternates=rows_by_kind.get("alternate", ()),
        details=list(_iterate_podcast_elements_of_details(episode.details)),
        people=credits_of(episode),
    )


def _iterate_podcast_elements_of_details(
    details: Iterable[Mapping[str, str]],
) -> Iterator[RssElement]:
    """Yield details of an episode or a show as the elements of their feed.

    `{"kind": "location", "name": "Bath", "geo": "geo:51,-2"}` is
    `<podcast:location geo="geo:51,-2">Bath</podcast:location>`.
    """
    for detail in details:
        # These have elements of their own in the template.
        if detail["kind"] in ("season", "episode", "alternate"):
            continue
        if detail["kind"] == "soundbite" and not _is_valid_soundbite(detail):
            continue
        yield _podcast_element_of_detail(detail)


def _podcast_element_of_detail(detail: Mapping[str, str]) -> RssElement:
    element = DETAIL_ELEMENTS[detail["kind"]]
    text = ""
    attributes = {}
    # The path "." is the text of the element, "@geo" its attribute `geo`.
    for value_name, path in element.values.items():
        value = detail.get(value_name, "")
        if path == ".":
            text = value
        else:
            attributes[path.removeprefix("@")] = value
    return RssElement(element.element, drop_unknown(attributes), text)


def _is_valid_soundbite(detail: Mapping[str, str]) -> bool:
    """Return True if the start and the duration are numbers of seconds, which Podcasting 2.0 demands."""
    times = (detail.get("start", ""), detail.get("duration", ""))
    return all(re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", seconds) for seconds in times)


def _feed_guid(address: str) -> UUID:
    """Return the guid that Podcasting 2.0 makes of a feed's address without the scheme."""
    # The namespace is a constant of https://podcasting2.org/docs/podcast-namespace/tags/guid.
    namespace = UUID("ead4c236-bf58-58c6-a2c6-a6b28d128cb6")
    without_scheme = safe_urlsplit(address)._replace(scheme="", fragment="").geturl()
    return uuid5(namespace, without_scheme.removeprefix("//").rstrip("/"))


def _soundbites_by_episode(episodes: Sequence[Episode]) -> defaultdict[int, list[DecidedMoment]]:
    # The soundbites of an episode are the moments that curators decided about.
    soundbites = defaultdict(list)
    show_ids = {episode.podcast_id for episode in episodes}
    for moment in decided_moments(podcast__in=show_ids):
        soundbites[moment.episode.pk].append(moment)
    return soundbites


ATOM_TYPE = "application/atom+xml"


def render_atom(listing: EpisodeListing) -> str:
    """Return Atom with an entry for each episode.

    `updated` is `sorted_at`. `published` is missing if the date has not come yet.
    """
    return render_xml(
        "atom",
        listing=listing,
        show=listing.podcast,
        audio_file=audio_file,
        credits_of=credits_of,
        feed_urn=feed_urn,
    )
