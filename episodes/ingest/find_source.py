"""Finds the source of a document: by its address, its bytes, or its layout. Creates shows and their
sources, and updates shows from their feeds.

A feed at an unknown address never becomes a known show's feed by itself: a person decides."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, cast

from django.conf import settings
from django.db.models import QuerySet

from ..gather import (
    LISTING_KIND,
    Reader,
    by_hand,
    evidence,
    find_layouts,
    find_shows,
    is_feed,
    parse_feed,
    parse_page,
    readers,
    require_readable_page,
    title_of_page,
)
from ..identity import make_slug, short_hash
from ..listings import is_lookalike
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
from ..text.private_addresses import (
    mask_parts_of_secret_address,
    mask_secrets,
    split_login,
    without_secret,
)
from ..text.urls import host_of, site_of
from .load_document import AmbiguousDocument, ImportOptions, address_key, documents_at_address


def build_unsaved_podcast(channel: Channel, address: str, login: str = "") -> Podcast:
    """Return a show as its feed describes it, not saved yet.

    Raises:
        DocumentRejected: the feed has no title.
    """
    if not channel.title:
        raise DocumentRejected(
            "the feed has no title. If it is of a known show: ingest it with --podcast SLUG"
        )
    # A title of signs alone, such as "???", has no slug.
    max_slug_length = 150  # leaves room for a hash
    slug = make_slug(channel.title)[:max_slug_length] or f"show-{short_hash(channel.title)}"
    if Podcast.objects.filter(slug=slug).exists():
        slug = f"{slug}-{short_hash(address or channel.title)}"
    return Podcast(
        slug=slug,
        feed_url=address,
        feed_access=feed_access(login),
        said=channel.payload(),
        **podcast_columns_of_channel(channel),
    )


def feed_access(login: str) -> FeedAccess:
    return FeedAccess.SECRET if login else FeedAccess.AUTOMATIC


def unsaved_feed_source(podcast: Podcast, address: str, login: str) -> Source:
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


def move_feed_to_address(source: Source, new_address: str) -> None:
    """Store another address for a show's feed, its document and its show. The document stays the same, so
    that the next version is compared with the one before.

    The caller has to check that no other show has the address.
    """
    evidence.move_documents(source, source.address, new_address)
    podcast = source.podcast
    podcast.feed_url = new_address
    podcast.save(update_fields=["feed_url"])
    source.address = new_address
    source.moved_to = ""
    source.save(update_fields=["address", "moved_to"])


def store_login(source: Source, login: str) -> None:
    if login:
        source.login = login
        source.save(update_fields=["login"])


def propose_move_and_describe(source: Source, page: FetchedDocument, new_address: str) -> str:
    """Store the new address that a feed or its server gives. Return a note for people, "" if the feed
    did not move.

    Only a page from the source's own address proposes a move, or takes its proposal back.
    """
    # Without the scheme: a change from http to https is no move.
    source_key = address_key(source.address)
    moved_to = ""
    if address_key(new_address) != source_key:
        address_without_login, _ = split_login(new_address)
        moved_to = address_without_login[:2000]  # the size of the column
    is_page_of_source = address_key(page.address) == source_key
    # Saving a source empties the page cache, so save only a change.
    if is_page_of_source and moved_to != source.moved_to:
        source.moved_to = moved_to
        source.save(update_fields=["moved_to"])
    if not source.moved_to:
        return ""
    return (
        f"the feed moved to {source.display_moved_to}; accept that in the admin, or with add_show "
        f"--moved-from {source.podcast.slug}"
    )


def update_unedited_show_columns(source: Source, channel: Channel) -> None:
    """Store the description of a show in its feed, and update the columns that no person edited.

    If the show has several feeds, such as one with video, only the first feed describes it.
    """
    podcast = source.podcast
    last_channel = podcast.channel
    earlier_feeds = podcast.sources.filter(reader="feed", rank__lt=source.rank)
    # A feed without a stored version describes nothing yet.
    earlier_stored_feeds = earlier_feeds.filter(documents__captures__version__isnull=False)
    if earlier_stored_feeds.exists():
        return
    # First the whole description: it says whether the feed blocks directories, which makes the feed private.
    podcast.said = channel.payload()
    # Then the description without the addresses that a private feed hides.
    channel = _channel_without_secret_addresses(podcast, channel)
    podcast.said = channel.payload()
    if channel == last_channel:
        return
    last_feed_values = podcast_columns_of_channel(last_channel)
    new_feed_values = podcast_columns_of_channel(channel)
    if not channel.title:
        del new_feed_values["title"]  # a show never loses its title
    # A column with another value than the feed gave was edited by a person.
    unedited = [
        column for column in new_feed_values if getattr(podcast, column) == last_feed_values[column]
    ]
    for column in unedited:
        setattr(podcast, column, new_feed_values[column])
    podcast.save(update_fields=[*unedited, "said"])


def _channel_without_secret_addresses(podcast: Podcast, channel: Channel) -> Channel:
    """Return a channel as it is stored. If the feed is private, links with a secret are blank, and texts name their
    host alone. Its image stays, which may need its token."""
    if not podcast.has_secret_feed:
        return channel
    feed_key = address_key(podcast.feed_url)

    def is_secret(address: str) -> bool:
        return address_key(address) == feed_key or podcast.hides(address)

    def conceal(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(conceal(part) for part in value)
        if not isinstance(value, str):
            return value
        # "https://loom.example has our notes" is a text.
        is_link = value.lower().startswith(("http://", "https://")) and " " not in value
        return "" if is_link and is_secret(value) else conceal_text(value)

    def conceal_text(text: str) -> str:
        text = mask_secrets(text, is_secret)
        return mask_parts_of_secret_address(text, podcast.feed_url)

    concealed = {field.name: conceal(getattr(channel, field.name)) for field in fields(channel)}
    concealed["title"] = conceal_text(channel.title)  # a show needs a title
    concealed["image_url"] = channel.image_url
    return replace(channel, **concealed)


def podcast_columns_of_channel(channel: Channel) -> dict[str, str]:
    """Return the columns of a show that follow its feed until a person edits them."""
    has_web_address = channel.site_url.startswith("http")
    site_url = channel.site_url if has_web_address else ""
    # Cut to the sizes of the columns.
    return {
        "title": channel.title[:500],
        "author": channel.author[:500],
        "language": channel.language[:20],
        "description": channel.description[:100_000],
        "site_url": site_url[:2000],
        "image_url": channel.image_url[:2000],
    }


def store_typed_entries_and_get_items(
    podcast: Podcast, new_entries: Sequence[EntryData], now: datetime
) -> list[Item]:
    """Store entries that a curator wrote. Return their items in the order of `new_entries`.

    Call it with the show's row locked, and resolve the show afterwards.
    """
    source = _find_or_create_source_of_typed_entries(podcast)
    # The document is looked up by its name alone, as its bytes change with each entry.
    page_without_bytes = FetchedDocument(b"", name="by-hand")
    document = evidence.find_or_create_document(source, page_without_bytes, confirmed=True)
    previous = evidence.current_entries(document)
    # The document of typed entries holds all of them, so its next version has the old ones, too.
    entries = (*previous.values(), *new_entries)
    body = by_hand.write(entries)
    page = FetchedDocument(body, content_type="application/json", name="by-hand")
    parsed = ParsedPage(entries, podcast.title)
    new_version = evidence.build_new_version(document, page, parsed, previous)
    evidence.store_or_find_version(new_version, now)
    items = evidence.current_items(document).select_related("document__source")
    item_by_key = {item.key: item for item in items}
    # Each typed entry has a random guid, from which its key follows.
    return [item_by_key[f"guid:{entry.guid}"] for entry in new_entries]


def _find_or_create_source_of_typed_entries(podcast: Podcast) -> Source:
    source, _ = Source.objects.get_or_create(
        podcast=podcast,
        slug="by-hand",
        defaults={
            "title": by_hand.READER.title,
            "reader": "by-hand",
            "rank": 900,  # behind the feed and the pages of sites
            "may_create": True,
            "own": True,
        },
    )
    return source


# -- the source of a document ----------------------------------------------------------------------


def find_or_create_source(
    page: FetchedDocument, options: ImportOptions, sources: SourceQuerySet
) -> Source:
    """Return the source of a page: the source that the options name, else a stored source with its address,
    bytes, host or layout, else a new source, which is stored.

    Raises:
        DocumentRejected: no source fits, or several do.
    """
    # Without `--source` the slug is "", which no source has.
    option_sources = list(sources.filter(slug=options.source))
    option_source = _pick_candidate_or_raise_ambiguity(page, option_sources)
    if option_source:
        return option_source
    if is_feed(page):
        return _find_or_create_feed_source(page, options, sources)
    stored_sources = sources_with_address_or_bytes(page, sources)
    stored_source = _pick_candidate_or_raise_ambiguity(page, stored_sources)
    if stored_source:
        return stored_source
    site_sources = _sources_with_host_or_layout(page, sources)
    site_source = _pick_candidate_or_raise_ambiguity(page, site_sources)
    is_show_named_by_person = options.podcast != ""
    # Without a named show, a page of another show goes to the site's source too, and the import reports the
    # refusal of its reader. With a named show it goes to the reader of any site.
    if site_source and _can_parse(
        page, site_source, accepts_other_show=not is_show_named_by_person
    ):
        return site_source
    return _find_or_create_site_source(page, options)


def is_provably_of_source(page: FetchedDocument, source: Source, options: ImportOptions) -> bool:
    """Return True if a document provably belongs to its source. Only then its values count.

    Each of these is proof:

        a person named the source (`--source`)
        the address that the source is configured with
        without an address: the bytes of a shipped file, or of a document that was confirmed before

    A host proves nothing: anybody can have a page there.
    """
    is_named_by_person = bool(options.source)
    # The address or the bytes of a feed were compared when its source was found.
    is_feed_of_source = source.reader == "feed"
    if is_named_by_person or is_feed_of_source:
        return True
    if page.address:
        return address_key(page.address) == address_key(source.address)
    only_source = Source.objects.filter(pk=source.pk)
    return bool(sources_with_address_or_bytes(page, only_source))


def _pick_candidate_or_raise_ambiguity(
    page: FetchedDocument, candidates: Sequence[Source]
) -> Source | None:
    """Return the only candidate, or None without candidates. If there are several, return the source
    of the show that the page is about.

    Raises:
        DocumentRejected: several candidates remain.
    """
    if not candidates:
        return None
    if len(candidates) == 1:
        return candidates[0]
    parsable = [
        source for source in candidates if _can_parse(page, source, accepts_other_show=False)
    ]
    if len(parsable) == 1:
        return parsable[0]
    sources = ", ".join(f"{source.podcast.slug}/{source.slug}" for source in parsable or candidates)
    raise DocumentRejected(f"it could belong to {sources}; choose one with --podcast and --source")


def _can_parse(page: FetchedDocument, source: Source, *, accepts_other_show: bool) -> bool:
    try:
        parse_page(reader_of(source), page, source.podcast.show)
    except WrongShow:
        return accepts_other_show
    except DocumentRejected:
        return False
    return True


def reader_of(source: Source) -> Reader:
    """Return the reader of a source's pages.

    Raises:
        DocumentRejected: no reader has the configured name.
    """
    try:
        return readers()[source.reader]
    except KeyError:
        raise DocumentRejected(
            f"no reader for its pages ({source.reader!r} is configured)"
        ) from None


def sources_with_address_or_bytes(
    page: FetchedDocument, sources: SourceQuerySet
) -> Sequence[Source]:
    """Return the sources that have a document's address, or its bytes if it has no address. Look at
    stored documents only if no configured address and no shipped file fits."""
    configured = [source for source in sources if _is_configured_for(source, page)]
    if configured:
        return configured
    documents: QuerySet[Document]
    if page.address:
        documents = documents_at_address(page.address)
    else:
        # Only confirmed documents: anybody can upload a file, and later another one with the same bytes.
        documents = evidence.documents_with_bytes(page).filter(vouched=True)
    return list(sources.filter(pk__in=documents.values("source")))


def _is_configured_for(source: Source, page: FetchedDocument) -> bool:
    if page.address:
        return address_key(source.address) == address_key(page.address)
    # Without a shipped file this is the path of the folder.
    path = settings.BASE_DIR / "fixtures" / source.shipped_file
    return path.is_file() and path.read_bytes() == page.body


def _sources_with_host_or_layout(
    page: FetchedDocument, sources: SourceQuerySet
) -> Sequence[Source]:
    if page.address:
        host = site_of(page.address)
        # A feed says nothing about the other pages of its host.
        return [source for source in sources.exclude(reader="feed") if _is_at_site(source, host)]
    # Only the first layout counts, because layouts of sites may look alike. It may fit none.
    first_layout = find_layouts(page)[:1]
    return list(sources.filter(reader__in=first_layout))


def _is_at_site(source: Source, host: str) -> bool:
    reader = readers().get(source.reader)
    reader_hosts = reader.hosts if reader else ()
    return _is_host_of([*reader_hosts, host_of(source.address)], host)


def _is_host_of(site_hosts: Sequence[str], host: str) -> bool:
    # The dot: "notloom.example" is no subdomain of "loom.example".
    suffixes = tuple(f".{name.removeprefix('www.')}" for name in site_hosts if name)
    return f".{host}".endswith(suffixes)


# -- feeds: the address is the identity (a feed's own words never make it a known show's) ----------


def _find_or_create_feed_source(
    page: FetchedDocument, options: ImportOptions, sources: SourceQuerySet
) -> Source:
    """Return the source with the feed's address or bytes, else the first source of the named show, else the
    first source of a new show. New shows and sources are stored.

    Raises:
        DocumentRejected: several sources fit, the named show's feed has another address, or the feed
            looks like the feed of a known show.
    """
    feeds = sources.filter(reader="feed").order_by("rank", "slug")
    stored_feeds = sources_with_address_or_bytes(page, feeds)
    stored_source = _pick_candidate_or_raise_ambiguity(page, stored_feeds)
    if stored_source:
        return stored_source
    if options.podcast:
        first_feed = feeds.first()  # with `--podcast` all of `sources` are of the named show
        if first_feed:
            # A person decides whether a feed at another address is the show's.
            raise _build_feed_address_error(page, first_feed)
        return _create_feed(Podcast.objects.get(slug=options.podcast), page)
    return _create_show_with_feed(page, accepts_claims=options.new)


def _create_show_with_feed(page: FetchedDocument, *, accepts_claims: bool) -> Source:
    """Create a show and its source. Refuse a feed that may be of a known show, unless `accepts_claims`."""
    parsed = parse_feed(page)
    claims = [] if accepts_claims else find_claims_of_feed_on_shows(parsed)
    if claims:
        advice = claims[0].advice(without_secret(page.address))
        if page.address:
            raise DocumentRejected(advice)
        # A file proves nothing, so a person has to say whose it is.
        raise AmbiguousDocument(advice)
    podcast = build_unsaved_podcast(cast(Channel, parsed.channel), page.address, page.login)
    podcast.save()
    return _create_feed(podcast, page)


def _create_feed(podcast: Podcast, page: FetchedDocument) -> Source:
    source = unsaved_feed_source(podcast, page.address, page.login)
    source.save()
    return source


def _build_feed_address_error(page: FetchedDocument, feed: Source) -> DocumentRejected:
    show = feed.podcast
    if page.address and feed.address:
        return DocumentRejected(
            f"this feed is at {feed.for_display(page.address)}, but the feed of {show.title} is at "
            f"{feed.display_address}; "
            f"if the show moved, import it with --podcast {show.slug} --source {feed.slug}"
        )
    return AmbiguousDocument(
        f"a file's name and words do not tell whether it is the feed of {show.title}. "
        f"If it is, import it with --podcast {show.slug} --source {feed.slug}"
    )


# -- a page of a site without a reader -------------------------------------------------------------


def _find_or_create_site_source(page: FetchedDocument, options: ImportOptions) -> Source:
    if options.podcast:
        require_readable_page(page)
        podcast = Podcast.objects.get(slug=options.podcast)
    else:
        podcast = _only_show_in_text_or_raise(page)
    if not page.address:
        # The same page came with its address before.
        copies = evidence.documents_with_bytes(page).filter(source__podcast=podcast)
        copy = copies.filter(source__reader=LISTING_KIND).order_by("pk").first()
        if copy:
            return copy.source
    # Saved files without an address are one source.
    host = (site_of(page.address) or "saved-pages")[:200]  # the size of the column
    source, _ = Source.objects.get_or_create(
        podcast=podcast,
        slug=host,
        defaults={
            "title": host,
            "reader": LISTING_KIND,
            "rank": 100,  # behind the feed, before entries that a curator typed
            "own": False,
        },
    )
    return source


def _only_show_in_text_or_raise(page: FetchedDocument) -> Podcast:
    titles = list(Podcast.objects.values_list("title", flat=True))
    shows = Podcast.objects.filter(title__in=find_shows(page, titles))
    if len(shows) != 1:
        names = " and ".join(show.title for show in shows) or "no show of this catalog"
        raise DocumentRejected(
            f"the page names {names}; give its show with --podcast. If it should be a feed, see "
            "what the address serves"
        )
    return shows[0]


# -- known shows that a feed may be of -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Claim:
    """A known show that a feed may be of, and the reason."""

    podcast: Podcast
    relation: str  # of the feed to the show, in words: "has the podcast:guid of"
    by_name: bool = False  # the title is the only reason

    def advice(self, address: str) -> str:
        slug = self.podcast.slug
        title = self.podcast.title
        if not address:
            return (
                f"it {self.relation} {title}, but a file's name and words do not tell whose it is. If it is that show's feed, "
                f"import it with --podcast {slug} --source feed. If it is another show's, give its address with --url"
            )
        return (
            f"it {self.relation} {title}, but is not at the address of that show's feed. If it is the same feed, import it with "
            f"--podcast {slug} --source feed, or move the show: manage.py add_show {address} --moved-from {slug}. "
            f"If it is another show: manage.py add_show {address} --new"
        )


def find_claims_of_feed_on_shows(parsed_feed: ParsedPage) -> list[Claim]:
    """Return the known shows that a feed may be of, each with the reason. Shows with only a like title come
    last."""
    claims = []
    for podcast in Podcast.objects.all():
        claim = _claim_of_feed_or_none(parsed_feed, podcast)
        if claim:
            claims.append(claim)
    return sorted(claims, key=lambda claim: claim.by_name)


def _claim_of_feed_or_none(parsed_feed: ParsedPage, podcast: Podcast) -> Claim | None:
    channel = cast(Channel, parsed_feed.channel)
    # The strongest reason first. A podcast:guid identifies a show at whichever host its feed is.
    if channel.guid and channel.guid.casefold() == podcast.channel.guid.casefold():
        return Claim(podcast, "has the podcast:guid of")
    feeds = podcast.sources.filter(reader="feed").exclude(address="")
    feed_addresses = {address_key(address) for address in feeds.values_list("address", flat=True)}
    # By its <atom:link rel="self"> and <itunes:new-feed-url>.
    stated_addresses = {address_key(channel.self_url), address_key(channel.new_feed_url)}
    if feed_addresses & stated_addresses:
        return Claim(podcast, "gives the address of")
    if _lists_mostly_episodes_of(parsed_feed, podcast):
        return Claim(podcast, "lists the episodes of")
    if is_lookalike(parsed_feed.show, podcast.title):
        return Claim(podcast, "has a title like that of", by_name=True)
    return None


def _lists_mostly_episodes_of(parsed_feed: ParsedPage, podcast: Podcast) -> bool:
    """Return True if most entries have title and day of an episode of the show."""
    dated = Episode.objects.filter(podcast=podcast, published_at__isnull=False)
    titles_and_days = set()  # such as ("warm springs", "2024-05-17")
    for title, published_at in dated.values_list("title", "published_at"):
        titles_and_days.add((fold(title), f"{published_at:%Y-%m-%d}"))
    match_count = 0
    for entry in parsed_feed.entries:
        day = entry.published[:10]  # of "2024-05-17T08:00:00Z", in UTC like the dates of episodes
        if (fold(entry.title), day) in titles_and_days:
            match_count += 1
    # A single entry may be an announcement that two shows publish.
    return match_count >= 2 and match_count * 2 > len(parsed_feed.entries)


# -- pages that may become a source ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PageDescription:
    """The reader for a page, and the slug and title that its source would have. `channel` is the
    description of the show in a feed."""

    reader: str
    slug: str
    title: str
    channel: Channel | None = None


def describe_source_for_page(page: FetchedDocument) -> PageDescription:
    """Return the reader for a page, and slug and title for its source. Store nothing.

    Raises:
        DocumentRejected: it is a feed that cannot be read.
    """
    if is_feed(page):
        channel = parse_feed(page).channel
        return PageDescription(reader="feed", slug="feed", title="RSS feed", channel=channel)
    host = site_of(page.address)
    for name, reader in readers().items():
        if _is_host_of(reader.hosts, host):
            return PageDescription(reader=name, slug=name, title=reader.title)
    title = title_of_page(page) or host
    # Cut to the sizes of the columns.
    return PageDescription(reader=LISTING_KIND, slug=host[:200], title=title[:200])
