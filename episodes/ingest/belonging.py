"""Finds out which source of which show a document is of; a feed of a new show, and a page of a new site, make their own."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from ..folding import fold
from ..gather.html import address_of, lines
from ..gather.keys import item_keys
from ..gather.locate import located
from ..gather.names import is_show, names_show
from ..gather.sources import feed
from ..gather.store import LISTING, known_entries
from ..models import Podcast, Source
from ..records import Page, Reading, Refused, Show
from ..resolve.slugs import short_hash, slug_of
from .shapes import Options
from .targets import with_slug


def source_of(page: Page, options: Options, sources: Sequence[Source]) -> Source:
    """The source that a page is of: named, else recognised by address, file or content, else new.

    Raises:
        Refused: nothing tells, or too much does.
    """
    if options.source:
        named = with_slug(options.source, sources)
        if len(named) > 1:
            raise Refused(f"{options.source} is a source of several podcasts; say which with --podcast")
        return named[0]
    found = located(page, sources)
    if feed.recognises(page):
        if found and (options.podcast or not _is_of_a_new_show(page, found, options)):
            return found
        return _feed_of_a_new_show(page, options)
    return found or _page_of_any_site(page, options)


# -- a feed of a show that nobody set up ------------------------------------------------------------------------------


def _is_of_a_new_show(page: Page, found: Source, options: Options) -> bool:
    """Whether a feed was only taken for a known show's because it is a feed."""
    if page.address and found.address == page.address:
        return False
    try:
        feed.read(page, found.podcast.show)
    except Refused:
        title = feed.title(page)
        return title != "" and not is_show(title, found.podcast.title)
    return False


def _feed_of_a_new_show(page: Page, options: Options) -> Source:
    """Set up the show of a feed, with the feed as its first source.

    Raises:
        Refused: it names no show, or its episodes are those of a known one under another name.
    """
    title = feed.title(page)
    if not title or options.podcast:
        raise Refused("the feed has no title; say which show it is of with --podcast")
    reading = feed.read(page, Show("", title))
    for podcast in Podcast.objects.all():
        if is_show(title, podcast.title) or _shares_episodes(reading, podcast):
            raise Refused(
                f"the feed of another show: {title}, with episodes of {podcast.title}; "
                f"name it with --podcast {podcast.slug}"
            )
    base = slug_of(title)[:150] or f"show-{short_hash(title)}"
    slug = base if not Podcast.objects.filter(slug=base).exists() else f"{base}-{short_hash(title)}"
    told = reading.feed
    podcast = Podcast.objects.create(
        slug=slug,
        title=title[:500],
        feed_url=page.address,
        site_url=told.get("site_url", "")[:2000] if told.get("site_url", "").startswith("http") else "",
        author=told.get("author", "")[:500],
        language=told.get("language", "")[:20],
        description=told.get("description", ""),
    )
    return Source.objects.create(
        podcast=podcast,
        slug="feed",
        title="The show's RSS feed",
        reader="feed",
        address=page.address,
        rank=1,
        may_create=True,
        complete=True,
        own=True,
    )


def _shares_episodes(reading: Reading, podcast: Podcast) -> bool:
    """Whether half of a feed's items are a known show's: by guid, page, or title and day."""
    known = known_entries(podcast)
    names = {*item_keys(known), *(f"day:{fold(said.title)}:{said.published[:10]}" for said in known)}
    same = sum(
        key in names or f"day:{fold(said.title)}:{said.published[:10]}" in names
        for key, said in zip(item_keys(reading.entries), reading.entries, strict=True)
    )
    return same * 2 >= len(reading.entries) > 0


# -- a page of a site that nobody wrote a reader for ------------------------------------------------------------------


def _page_of_any_site(page: Page, options: Options) -> Source:
    """The source of a page's host, of the show that it is said to be about, else of the one that it names.

    Raises:
        Refused: it names none, or several.
    """
    shows = Podcast.objects.all()
    if options.podcast:
        podcast = shows.get(slug=options.podcast)
        lines(page)  # refuses what is no text
    else:
        named = [show for show in shows if names_show(page, show.title)]
        if not named:
            raise Refused("it names no show of this catalog; if it is about one all the same, say so with --podcast")
        if len(named) > 1:
            raise Refused(f"it names {' and '.join(s.title for s in named)}; say which it is about with --podcast")
        podcast = named[0]
    host = (urlsplit(page.address or address_of(page)).hostname or "saved-pages").removeprefix("www.")[:200]
    defaults = {"title": host, "reader": LISTING, "rank": 100, "own": False}
    return Source.objects.get_or_create(podcast=podcast, slug=host, defaults=defaults)[0]
