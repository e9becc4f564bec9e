"""Sets shows and their sources up, from feeds and for what curators write by hand, and keeps what feeds
say of their show. Finds the source of a document: by its address or its bytes, or by a layout that only
one site has; new ones make their own.

What a feed from an unknown address says of a known show makes it nobody's: a person decides."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.conf import settings
from django.db.models import QuerySet

from ..gather import (
    LISTING,
    Reader,
    check_readable,
    evidence,
    find_layouts,
    find_shows,
    is_feed,
    parse_feed,
    parse_page,
    readers,
    title_of_page,
)
from ..gather import by_hand as hand
from ..identity import short_hash, slug_of
from ..listings import looks_like
from ..models import Document, Episode, FeedAccess, Item, Podcast, Source, SourceQuerySet
from ..records import (
    Channel,
    DocumentRejected,
    EntryData,
    FetchedDocument,
    ParsedPage,
    WrongShow,
)
from ..text.normalize import fold
from ..text.private_addresses import split_login, without_secret
from ..text.urls import host_of, site_of
from .load_document import Options, Unclear, same_address

move_documents = evidence.move_documents
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


def new_feed(podcast: Podcast, page: FetchedDocument) -> Source:
    source = feed_row(podcast, page.address, page.login)
    source.save()
    return source


def show_row(channel: Channel, address: str, login: str = "") -> Podcast:
    """A show as its feed describes it, not saved yet; the address of a feed with a login is secret.

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
    return Podcast(
        slug=slug,
        feed_url=address,
        feed_access=feed_access(login),
        said=channel.payload(),
        **feed_columns(channel),
    )


def feed_access(login: str) -> FeedAccess:
    """Return who may see the address of a new feed."""
    return FeedAccess.SECRET if login else FeedAccess.AUTOMATIC


def feed_row(podcast: Podcast, address: str, login: str = "") -> Source:
    """The feed of a show as its first source, not saved yet."""
    return Source(
        podcast=podcast,
        slug="feed",
        title="The show's RSS feed",
        reader="feed",
        address=address,
        login=login,
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


def keep_login(source: Source, login: str) -> None:
    """Store the login that somebody typed for the source's server, in place of the one it had."""
    if login:
        source.login = login
        source.save(update_fields=["login"])


def propose_move(source: Source, page: FetchedDocument, elsewhere: str) -> str:
    """Note where a feed at the source's address is said to be now, by its server for good or by
    itself; the note for people, "" where it did not move."""
    if same_address(page.address) == same_address(source.address):
        has_moved = same_address(elsewhere) != same_address(source.address)
        moved_to = split_login(elsewhere)[0][:2000] if has_moved else ""
        # To save a source renews the pages of all readers.
        if moved_to != source.moved_to:
            source.moved_to = moved_to
            source.save(update_fields=["moved_to"])
    if not source.moved_to:
        return ""
    return (
        f"the feed moved to {source.display_moved_to}; accept that in the admin, or with add_show "
        f"--moved-from {source.podcast.slug}"
    )


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
    document = evidence.get_or_create_document(
        source, FetchedDocument(b"", name="by-hand"), confirmed=True
    )
    said = evidence.current_entries(document)
    entries = (*said.values(), *wanted)
    page = FetchedDocument(hand.write(entries), content_type="application/json", name="by-hand")
    reading = ParsedPage(entries, podcast.title)
    evidence.store_version(evidence.build_version(document, page, reading, said), now)
    items = Item.objects.select_related("document__source").filter(
        document=document, gone_version=None
    )
    # In the order in which they were given, which is not that of the keys.
    by_key = {item.key: item for item in items}
    return [by_key[f"guid:{said.guid}"] for said in wanted]


# -- the source of a document ----------------------------------------------------------------------

SAVED = "saved-pages"  # the source of files of which only they themselves say where they were


def source_of(page: FetchedDocument, options: Options, sources: SourceQuerySet) -> Source:
    """The source that a page is of: named by the person, else known, else new.

    Raises:
        DocumentRejected: nothing tells, or too much does.
    """
    if named := only(page, list(sources.filter(slug=options.source))):
        return named
    if is_feed(page):
        return _source_of_feed(page, options, sources)
    if known := only(page, sources_with(page, sources)):
        return known
    found = only(page, like(page, sources))
    # A page that the site's own reader cannot read, and a page that somebody names the show of, are
    # for the general reader.
    if found and reads(page, found, any_show=not options.podcast):
        return found
    return _page_of_any_site(page, options)


def is_confirmed(page: FetchedDocument, source: Source, options: Options) -> bool:
    """Return True if a document is confirmed, so that its values count.

    That takes `--source`, the address that the source is configured with, or the bytes of a shipped
    file or of a confirmed document. A host proves nothing: anybody can have a page there. A feed is
    found by its address or its bytes alone.
    """
    if options.source or source.reader == "feed":
        return True
    if not page.address:
        return bool(sources_with(page, Source.objects.filter(pk=source.pk)))
    return same_address(page.address) == same_address(source.address)


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
        slug, best = options.podcast, feeds.first()
        if best is None:
            return new_feed(Podcast.objects.get(slug=slug), page)
        if page.address and best.address:
            raise DocumentRejected(
                f"this feed is at {best.for_display(page.address)}, but the feed of {best.podcast.title} is at "
                f"{best.display_address}; "
                f"if the show moved, import it with --podcast {slug} --source {best.slug}"
            )
        raise Unclear(
            f"a file's name and words do not tell whether it is the feed of {best.podcast.title}. "
            f"If it is, import it with --podcast {slug} --source {best.slug}"
        )
    reading = parse_feed(page)
    if not options.new and (claims := claims_of(reading)):
        # Without an address there is no document that could be kept for a look.
        refusal = DocumentRejected if page.address else Unclear
        raise refusal(claims[0].advice(without_secret(page.address)))
    podcast = show_row(cast(Channel, reading.channel), page.address, page.login)
    podcast.save()
    return new_feed(podcast, page)


# -- a page of a site that nobody wrote a reader for -----------------------------------------------


def _page_of_any_site(page: FetchedDocument, options: Options) -> Source:
    """The source of a page's host, of the show that it is said to be about, else of the one that it
    names.

    Raises:
        DocumentRejected: it names no show, or several.
    """
    if options.podcast:
        check_readable(page)
        named = [Podcast.objects.get(slug=options.podcast)]
    else:
        shows = list(Podcast.objects.all())
        named_titles = find_shows(page, [show.title for show in shows])
        named = [show for show in shows if show.title in named_titles]
    if len(named) != 1:
        titles = " and ".join(show.title for show in named) or "no show of this catalog"
        raise DocumentRejected(
            f"the page names {titles}; give its show with --podcast. If it should be a feed, see "
            "what the address serves"
        )
    host = (site_of(page.address) or SAVED)[:200]
    defaults = {"title": host, "reader": LISTING, "rank": 100, "own": False}
    return Source.objects.get_or_create(podcast=named[0], slug=host, defaults=defaults)[0]


# -- what documents and sources have in common -----------------------------------------------------


def reader_of(source: Source) -> Reader:
    """The reader of a source's pages.

    Raises:
        DocumentRejected: the source names none that exists.
    """
    try:
        return readers()[source.reader]
    except KeyError:
        raise DocumentRejected(
            f"no reader for its pages ({source.reader!r} is configured)"
        ) from None


def sources_with(page: FetchedDocument, sources: SourceQuerySet) -> Sequence[Source]:
    """The sources that a document is of, whatever it says: those configured with its address, or,
    where it has none, with a shipped file of its bytes; else those of a stored document that has
    them."""
    stored: QuerySet[Document]
    if page.address:
        wanted = same_address(page.address)
        configured = [s for s in sources if same_address(s.address) == wanted]
        stored = Document.objects.filter(
            address=page.address, kind="listing", captures__version__isnull=False
        )
    else:
        fixtures = settings.BASE_DIR / "fixtures"
        shipped = [(s, fixtures / s.shipped_file) for s in sources.exclude(shipped_file="")]
        configured = [s for s, path in shipped if path.is_file() and path.read_bytes() == page.body]
        stored = evidence.documents_with_bytes(page).filter(vouched=True)
    return configured or list(sources.filter(pk__in=stored.values("source")))


def only(page: FetchedDocument, found: Sequence[Source]) -> Source | None:
    """The source that was found, None where none was; of several shows' sources of one kind, the one
    whose show the page is about.

    Raises:
        DocumentRejected: there are several, and the page tells none of them apart.
    """
    if len(found) > 1:
        # Sources of several shows may read one site: the page's own words tell which show it is about.
        found = [source for source in found if reads(page, source, any_show=False)] or found
    if len(found) > 1:
        names = ", ".join(f"{source.podcast.slug}/{source.slug}" for source in found)
        raise DocumentRejected(
            f"it could belong to {names}; choose one with --podcast and --source"
        )
    return next(iter(found), None)


def like(page: FetchedDocument, sources: SourceQuerySet) -> Sequence[Source]:
    """The sources that read the pages of this host, or, of a page without an address, those whose
    reader knows its layout: any site can have that. A feed says nothing about the other pages of
    its host."""
    if page.address:
        host = site_of(page.address)
        others = sources.exclude(reader="feed")
        return [s for s in others if is_at(host, [*_hosts(s), host_of(s.address)])]
    # The first alone: layouts of sites may look alike, and the order of readers is the same each time.
    return list(sources.filter(reader__in=find_layouts(page)[:1]))


def _hosts(source: Source) -> Sequence[str]:
    """The hosts that the source's reader is for."""
    hosts: Sequence[str] = getattr(readers().get(source.reader), "HOSTS", ())
    return hosts


def is_at(host: str, names: Sequence[str]) -> bool:
    """True for a host of these names, or below one."""
    return f".{host}".endswith(tuple(f".{name.removeprefix('www.')}" for name in names if name))


def reads(page: FetchedDocument, source: Source, *, any_show: bool) -> bool:
    """True where the source's reader finds entries on the page: of its own show, or of any."""
    try:
        parse_page(reader_of(source), page, source.podcast.show)
    except WrongShow:
        return any_show
    except DocumentRejected:
        return False
    return True


# -- known shows that a feed from an unknown address speaks of -------------------------------------


@dataclass(frozen=True, slots=True)
class Claim:
    """A known show that a feed speaks of, and how."""

    podcast: Podcast
    how: str
    by_name: bool = False  # only its title says so, which another show may have as well

    def advice(self, address: str) -> str:
        """A sentence for the person who brought the feed: the ways to go on."""
        slug, title = self.podcast.slug, self.podcast.title
        if not address:
            return (
                f"it {self.how} {title}, but a file's name and words do not tell whose it is. If it is that show's feed, "
                f"import it with --podcast {slug} --source feed. If it is another show's, give its address with --url"
            )
        return (
            f"it {self.how} {title}, but is not at the address of that show's feed. If it is the same feed, import it with "
            f"--podcast {slug} --source feed, or move the show: manage.py add_show {address} --moved-from {slug}. "
            f"If it is another show: manage.py add_show {address} --new"
        )


def claims_of(reading: ParsedPage) -> list[Claim]:
    """The known shows that a feed speaks of; those that it only shares its title with come last."""
    found = [claim for podcast in Podcast.objects.all() if (claim := _claim(reading, podcast))]
    return sorted(found, key=lambda claim: claim.by_name)


def _claim(reading: ParsedPage, podcast: Podcast) -> Claim | None:
    """The weightiest claim on a show."""
    channel = cast(Channel, reading.channel)
    feeds = podcast.sources.filter(reader="feed").exclude(address="")
    own = set(map(same_address, feeds.values_list("address", flat=True)))
    if channel.guid and channel.guid.casefold() == podcast.channel.guid.casefold():
        return Claim(podcast, "has the podcast:guid of")
    if own & {same_address(channel.self_url), same_address(channel.new_feed_url)}:
        return Claim(podcast, "gives the address of")
    rows = Episode.objects.filter(podcast=podcast, published_at__isnull=False)
    known = {
        (fold(title), f"{at:%Y-%m-%d}") for title, at in rows.values_list("title", "published_at")
    }
    same = [said for said in reading.entries if (fold(said.title), said.published[:10]) in known]
    # One alone may be an announcement that two shows have.
    if len(same) >= 2 and len(same) * 2 > len(reading.entries):
        return Claim(podcast, "lists the episodes of")
    if looks_like(reading.show, podcast.title):
        return Claim(podcast, "has a title like that of", by_name=True)
    return None


# -- pages that may become a source ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageDescription:
    """A page in its own words; "" where it says nothing. `channel`: of a feed, what it says of
    its show."""

    reader: str
    slug: str
    title: str
    channel: Channel | None = None


def describe(page: FetchedDocument) -> PageDescription:
    """A page in its own words, and the reader for it: of its site, or of any site.

    Raises:
        DocumentRejected: it is a feed that cannot be read.
    """
    if is_feed(page):
        return PageDescription("feed", "feed", "RSS feed", parse_feed(page).channel)
    host = site_of(page.address)
    known = readers()
    name = next((name for name in known if is_at(host, known[name].HOSTS)), LISTING)
    if name == LISTING:
        return PageDescription(LISTING, host[:200], (title_of_page(page) or host)[:200])
    return PageDescription(name, name, known[name].TITLE)
