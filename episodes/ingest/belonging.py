"""Finds the source of a document: by its address or its bytes, a page also by its layout; new ones
make their own."""

from __future__ import annotations

from typing import cast

from ..gather import (
    LISTING,
    feed,
    is_of,
    like,
    only,
    read_feed,
    reads,
    sources_with,
)
from ..listings import PageDocument, check_page, names_show
from ..models import Podcast, Source, SourceQuerySet
from ..records import Channel, DocumentRejected, FetchedDocument
from ..text.urls import site_of
from .claims import claims_of
from .shapes import Options, Unclear
from .shows import new_feed, new_show

SAVED = "saved-pages"  # the source of files of which only they themselves say where they were


def source_of(page: FetchedDocument, options: Options, sources: SourceQuerySet) -> Source:
    """The source that a page is of: named by the person, else known, else new.

    Raises:
        DocumentRejected: nothing tells, or too much does.
    """
    if named := only(page, list(sources.filter(slug=options.source))):
        return named
    if feed.recognises(page):
        return _source_of_feed(page, options, sources)
    page = PageDocument.of(page)  # readers and shows are tried on it, one after the other
    if known := only(page, sources_with(page, sources)):
        return known
    found = only(page, like(page, sources))
    # A page that the site's own reader cannot read is for the general reader.
    if found and reads(page, found):
        return found
    return _page_of_any_site(page, options)


def is_vouched(page: FetchedDocument, source: Source, options: Options) -> bool:
    """True for a document of which more than its own words says whose it is: a person, its address,
    or known bytes. A feed is never found by its words."""
    is_named = bool(options.podcast or options.source)
    return is_named or source.reader == "feed" or is_of(page, source)


# -- feeds: the address is the identity (a feed's own words never make it a known show's) ----------


def _source_of_feed(page: FetchedDocument, options: Options, sources: SourceQuerySet) -> Source:
    """The source whose address or bytes a feed has; else that of the show that was named; else the
    first one of a new show.

    Raises:
        DocumentRejected: several sources have it, the named show's feed has another address, or it
        speaks of a known show and nobody said that it is another.
    """
    feeds = sources.filter(reader="feed").order_by("rank", "slug")
    if known := only(page, sources_with(page, feeds)):
        return known
    if options.podcast:
        return _feed_of_named_show(page, options.podcast, feeds)
    reading = read_feed(page)
    if not options.new and (claims := claims_of(reading)):
        refusal = DocumentRejected if page.address else Unclear
        raise refusal(claims[0].advice(page.address))
    return new_show(cast(Channel, reading.channel), page.address)


def _feed_of_named_show(page: FetchedDocument, slug: str, feeds: SourceQuerySet) -> Source:
    """The show's own feed, for a saved copy of it; a show that has none gets this one.

    Raises:
        DocumentRejected: the feed comes from another address than the show's.
    """
    best = feeds.first()
    if best is None:
        return new_feed(Podcast.objects.get(slug=slug), page.address)
    if page.address and best.address:
        raise DocumentRejected(
            f"this feed is at {page.address}, but the feed of {best.podcast.title} is at {best.address}; "
            f"if the show moved, import it with --podcast {slug} --source {best.slug}"
        )
    return best


# -- a page of a site that nobody wrote a reader for -----------------------------------------------


def _page_of_any_site(page: FetchedDocument, options: Options) -> Source:
    """The source of a page's host, of the show that it is said to be about, else of the one that it
    names.

    Raises:
        DocumentRejected: it names no show, or several.
    """
    if options.podcast:
        check_page(page)
        named = [Podcast.objects.get(slug=options.podcast)]
    else:
        named = [show for show in Podcast.objects.all() if names_show(page, show.title)]
    if len(named) != 1:
        titles = " and ".join(show.title for show in named) or "no show of this catalog"
        raise DocumentRejected(
            f"the page names {titles}; give its show with --podcast. If it should be a feed, see "
            "what the address serves"
        )
    host = (site_of(page.address) or SAVED)[:200]
    defaults = {"title": host, "reader": LISTING, "rank": 100, "own": False}
    return Source.objects.get_or_create(podcast=named[0], slug=host, defaults=defaults)[0]
