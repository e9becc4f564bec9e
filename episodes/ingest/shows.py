"""Sets shows and their sources up, from feeds and for what curators write by hand, and keeps what
feeds say of their show."""

from collections.abc import Sequence
from datetime import datetime

from ..gather import by_hand as hand
from ..gather import store
from ..identity import short_hash, slug_of
from ..models import Item, Podcast, Source
from ..records import Channel, DocumentRejected, EntryData, FetchedDocument, ParsedPage
from .shapes import same_address

move_documents = store.move
# Columns of a show that follow its feed for as long as nobody edits them, and what they take at
# most.
FOLLOWING = {
    "title": 500,
    "author": 500,
    "language": 20,
    "description": 100_000,
    "site_url": 2000,
    "image_url": 2000,
}


def new_show(channel: Channel, address: str) -> Source:
    """A new show with its feed as its first source, saved.

    Raises:
        DocumentRejected: the feed has no title.
    """
    podcast = show_row(channel, address)
    podcast.save()
    return new_feed(podcast, address)


def new_feed(podcast: Podcast, address: str) -> Source:
    source = feed_row(podcast, address)
    source.save()
    return source


def show_row(channel: Channel, address: str) -> Podcast:
    """A show as its feed describes it, not saved yet.

    Raises:
        DocumentRejected: the feed has no title.
    """
    if not channel.title:
        raise DocumentRejected(
            "the feed has no title. If it is of a known show: ingest it with --podcast SLUG"
        )
    # A title in a script without letters of ours may have no slug.
    base = slug_of(channel.title)[:150] or f"show-{short_hash(channel.title)}"
    slug = (
        base
        if not Podcast.objects.filter(slug=base).exists()
        else f"{base}-{short_hash(address or channel.title)}"
    )
    return Podcast(slug=slug, feed_url=address, said=channel.payload(), **feed_columns(channel))


def feed_row(podcast: Podcast, address: str) -> Source:
    """The feed of a show as its first source, not saved yet."""
    return Source(
        podcast=podcast,
        slug="feed",
        title="The show's RSS feed",
        reader="feed",
        address=address,
        rank=1,
        may_create=True,
        complete=True,
        own=True,
    )


def move_feed(source: Source, address: str) -> None:
    """Give a show's feed another address. What is stored of it stays the same document, so that the
    next version is judged by the one before."""
    move_documents(source, source.address, address)
    podcast = source.podcast
    podcast.feed_url = address
    podcast.save(update_fields=["feed_url"])
    source.address, source.moved_to = address, ""
    source.save(update_fields=["address", "moved_to"])


def propose_move(source: Source, page: FetchedDocument, elsewhere: str) -> str:
    """Note where a feed at the source's address is said to be now, by its server for good or by
    itself; the note for people, "" where it did not move."""
    if same_address(page.address) == same_address(source.address):
        has_moved = same_address(elsewhere) != same_address(source.address)
        source.moved_to = elsewhere[:2000] if has_moved else ""
        source.save(update_fields=["moved_to"])
    if not source.moved_to:
        return ""
    return f"the feed moved to {source.moved_to}; accept that in the admin, or with add_show --moved-from {source.podcast.slug}"


def follow(source: Source, channel: Channel) -> None:
    """Keep what a show's first feed says of the show now; columns that nobody edited follow it, and
    blank ones."""
    podcast = source.podcast
    read = podcast.sources.filter(
        reader="feed", documents__captures__version__isnull=False
    ).exclude(pk=source.pk)
    # Of several feeds, such as one with video, the first one speaks for the show.
    if read.filter(rank__lt=source.rank).exists() or podcast.said == channel.payload():
        return
    before, now = feed_columns(podcast.channel), feed_columns(channel)
    now["title"] = now["title"] or before["title"]  # a show is never without a name
    news = [name for name in FOLLOWING if getattr(podcast, name) == before[name]]
    for name in news:
        setattr(podcast, name, now[name])
    podcast.said = channel.payload()
    podcast.save(update_fields=[*news, "said"])


def feed_columns(channel: Channel) -> dict[str, str]:
    """The columns of a show as its feed states them."""
    stated = {name: getattr(channel, name)[:longest] for name, longest in FOLLOWING.items()}
    return stated | {"site_url": stated["site_url"] if channel.site_url.startswith("http") else ""}


def by_hand(podcast: Podcast, wanted: Sequence[EntryData], now: datetime) -> list[Item]:
    """Store entries that a curator wrote. Call it with the show's row locked; the catalog is not
    brought up to date."""
    source, _ = Source.objects.get_or_create(
        podcast=podcast,
        slug="by-hand",
        defaults={
            "title": hand.TITLE,
            "reader": "by-hand",
            "rank": 900,
            "may_create": True,
            "own": True,
        },
    )
    document = store.document_of(source, FetchedDocument(b"", name="by-hand"), vouched=True)
    said = store.said_now(document)
    entries = (*said.values(), *wanted)
    page = FetchedDocument(hand.write(entries), content_type="application/json", name="by-hand")
    reading = ParsedPage(entries, podcast.title)
    store.store(store.version_of(document, page, reading, said), now)
    items = Item.objects.select_related("document__source").filter(
        document=document, gone_version=None
    )
    # In the order in which they were given, which is not that of the keys.
    by_key = {item.key: item for item in items}
    return [by_key[f"guid:{said.guid}"] for said in wanted]
