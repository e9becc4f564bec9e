"""An administrator's changes of shows: add one by its feed, follow a feed that moved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from ..ingest import (
    Loaded,
    Options,
    ShowPreview,
    Target,
    Unreachable,
    feed_columns,
    feed_row,
    find_feed,
    is_opml,
    preview,
    same_address,
    show_row,
    subscriptions,
    take,
)
from ..models import Podcast, Source
from ..records import Channel, DocumentRejected, FetchedDocument
from .history import CONFIGURE, Impossible, User, require
from .vocabulary import save_configuration


@contextmanager
def refusals(before: str = "", after: str = "") -> Iterator[None]:
    """Tell a person what cannot be reached or read, between these words.

    Raises:
        Impossible: says what.
    """
    try:
        yield
    except (Unreachable, DocumentRejected) as trouble:
        raise Impossible(f"{before}{trouble}{after}") from None


def feed_at(address: str, allow: frozenset[str]) -> FetchedDocument:
    """The feed at an address, or the one that the page there links.

    Raises:
        Impossible: says why there is none.
    """
    with refusals(after="."):
        return find_feed(address, allow)


def show_preview(page: FetchedDocument) -> ShowPreview:
    """Preview of a show: its feed's description of it, and the effect of adding it.

    Raises:
        Impossible: it cannot be read.
    """
    with refusals():
        return preview(page)


@dataclass(frozen=True)
class ListedShow:
    """A subscription of a list; `note`: why it is not added."""

    title: str
    address: str
    note: str = ""


def listed_shows(page: FetchedDocument) -> list[ListedShow]:
    """The shows of a list of subscriptions (OPML); none of another file.

    Raises:
        Impossible: it cannot be read.
    """
    if not is_opml(page):
        return []
    sources = list(Source.objects.filter(reader="feed").select_related("podcast"))
    found = []
    with refusals():
        for one in subscriptions(page):
            known = _at(one.address, sources)
            note = f"already here: {known.podcast}" if known else ""
            found.append(ListedShow(one.title, one.address, one.trouble or note))
    return found


def _at(address: str, sources: Iterable[Source]) -> Source | None:
    """The one of the sources that has this address."""
    for source in sources:
        if same_address(source.address) == same_address(address):
            return source
    return None


def add_listed_shows(user: User, listed: Iterable[ListedShow]) -> int:
    """Set up the shows of a list that are new; the schedule imports them."""
    require(user, CONFIGURE)
    new = {one.address: one.title or one.address for one in listed if not one.note}
    with transaction.atomic():
        for address, title in new.items():
            podcast = show_row(Channel(title=title), address)
            save_configuration(user, podcast)
            save_configuration(user, feed_row(podcast, address))
    return len(new)


def add_show(user: User, page: FetchedDocument) -> Podcast:
    """Add the show of a feed with its episodes. That it is another show than any known is the
    user's word.

    Raises:
        Impossible: the feed is a known show's, or cannot be imported.
    """
    require(user, CONFIGURE)
    found = show_preview(page)
    if found.known:
        raise Impossible(f"{found.known.podcast} is here already, with this feed.")
    with transaction.atomic():
        podcast = show_row(found.channel, page.address)
        save_configuration(user, podcast)
        source = feed_row(podcast, page.address)
        save_configuration(user, source)
        report = take(Loaded(Target(page.address, source), page), Options(), timezone.now)
        if not report.ok:
            raise Impossible(f"The feed cannot be imported: {report.reason}")
    return podcast


def save_source(user: User, source: Source, *, seen: str = "", reason: str = "") -> None:
    """Make or change a source. What is stored of one that moves stays the same document; if it is a
    show's feed, the show's feed address changes with it.

    Raises:
        Impossible: another source of the show has its new address. Stale: somebody was faster.
    """
    podcast, before = source.podcast, Source.objects.filter(pk=source.pk).first()
    with transaction.atomic():
        if before and before.address != source.address:
            source.moved_to = ""
            others = podcast.sources.exclude(pk=source.pk).exclude(address="")
            if same := _at(source.address, others):
                name = same.name(several=True)
                raise Impossible(f"{source.address} is the address of {name} already.")
            if source.reader == "feed" and podcast.feed_url == before.address:
                podcast.feed_url = source.address
                save_configuration(user, podcast, reason=reason)
        save_configuration(user, source, seen=seen, reason=reason)


def stated_otherwise(podcast: Podcast) -> dict[str, str]:
    """The columns of a show that an administrator edited, with what its feed has for them now."""
    if not podcast.said:
        return {}
    stated = feed_columns(podcast.channel)
    return {name: value for name, value in stated.items() if getattr(podcast, name) != value}
