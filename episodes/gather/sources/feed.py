"""Reads a podcast's RSS, Atom or JSON feed. lxml parses the whole feed, feedparser a few items at a time.
Values that feedparser loses are read from the elements."""

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape, unescape
from itertools import islice
from typing import Any

import feedparser
from lxml import etree

from ...listings import (
    BROKEN_ATTRIBUTE,
    Element,
    PageDocument,
    absolute_address,
    decode_page,
    defines_entities,
    is_html,
    parse_xml,
    read_feed_date,
    read_length,
)
from ...records import (
    DETAIL_ELEMENTS,
    MAX_STORED_TITLE,
    Channel,
    DocumentRejected,
    EarlierFeed,
    EntryData,
    FetchedDocument,
    ParsedPage,
    Show,
)
from ...text.addresses import drop_mail_addresses
from ...text.fingerprints import fingerprint, fingerprint_of_code
from ...text.markup import strip_formatting, unescape_entities
from ...text.media_types import playable_type
from ...text.normalize import DIRECTION_OVERRIDES, HIDDEN_CHARACTERS
from ...text.show_notes import to_text

TITLE = "RSS feed"
HOSTS: tuple[str, ...] = ()
MIN_WITH_TEXT = 0.2


# -- an item, as feedparser's entry and as lxml's element -----------------------------------------

ATOM_LINK = "{http://www.w3.org/2005/Atom}link"
# Characters of broken XML and JSON that cannot be stored.
UNSTORABLE = re.compile(rf"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|{HIDDEN_CHARACTERS}")
WITHOUT_TURNING = str.maketrans("", "", DIRECTION_OVERRIDES)


def stored(value: Any) -> str:
    return UNSTORABLE.sub("", str(value or ""))


def one_line(value: Any) -> str:
    return " ".join(stored(value).translate(WITHOUT_TURNING).split())


def address(value: Any, base: str = "") -> str:
    """Return a complete http(s) address, relative to `base`; "" for anything else."""
    return absolute_address(one_line(value), base)


ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
CHAPTERS = "{http://podlove.org/simple-chapters}"
PODCAST = "{https://podcastindex.org/namespace/1.0}"
# Each kind of row with its element and where its values are.
OFFERED = {
    "transcript": ("transcript", ("@url", "@type", "@language", "@rel")),
    "chapters": ("chapters", ("@url", "@type")),
    **{
        kind: (detail.element, tuple(detail.values.values()))
        for kind, detail in DETAIL_ELEMENTS.items()
    },
}
WITH_CAPITALS = {
    "alternateenclosure": "alternateEnclosure",
    "contentlink": "contentLink",
    "socialinteract": "socialInteract",
}
MOST_PEOPLE = 1000  # of an item
ADDRESSES = ("@url", "@uri", "@href", "source@uri")
# Rows of these kinds need their first value. Other rows need any value.
ADDRESSED = ("transcript", "chapters", "social", "alternate", "soundbite")
EXPLICIT = {
    "yes": "yes",
    "true": "yes",
    "explicit": "yes",
    "no": "no",
    "false": "no",
    "clean": "no",
}


def people(element: Element) -> Iterator[tuple[str, str, str]]:
    """Yield name, role and address of each `podcast:person`."""
    for person in islice(element.iterfind(f"{PODCAST}person"), MOST_PEOPLE):
        if SEEN.search(name := one_line(unescape_entities(stored(person.text)))):
            yield name, one_line(person.get("role") or "host").lower(), address(person.get("href"))


def detail_rows(element: Element) -> Iterator[tuple[str, ...]]:
    """Yield a row for each further element of an item or channel, such as a transcript, each once."""
    rows = [*_podcasting_20_rows(element)]
    # Podlove Simple Chapters are part of the feed itself.
    for chapter in element.iterfind(f"{CHAPTERS}chapters/{CHAPTERS}chapter"):
        start, title = one_line(chapter.get("start")), one_line(chapter.get("title"))
        if start or title:
            link, image = address(chapter.get("href")), address(chapter.get("image"))
            rows.append(("chapter", start, title, link, image))
    yield from dict.fromkeys(rows)


def explicit(element: Element) -> str:
    """Return `yes`, `no`, or "" if the element does not tell."""
    return EXPLICIT.get(one_line(element.findtext(f"{ITUNES}explicit")).lower(), "")


def is_blocked(element: Element) -> bool:
    """Return True if a feed asks all directories not to list it."""
    tags = (*element.iterfind(f"{ITUNES}block"), *element.iterfind(f"{PODCAST}block"))
    # A tag with an id is for a single directory.
    return "yes" in [one_line(tag.text).lower() for tag in tags if not tag.get("id")]


def _podcasting_20_rows(element: Element) -> Iterator[tuple[str, ...]]:
    """Yield a row for each element of Podcasting 2.0: its kind, and its values."""
    for kind, (name, paths) in OFFERED.items():
        for child in element.iterfind(PODCAST + name):
            values = tuple(_value_at(child, path) for path in paths)
            needs_first = kind in ADDRESSED
            if values[0] or (any(values) and not needs_first):
                yield (kind, *values)


def _value_at(element: Element, path: str) -> str:
    """Return the text or attribute at a path below an element, "" for an address that is not http(s)."""
    child, _, attribute = path.rpartition("@")
    if child:
        element = next(element.iterchildren(f"{{*}}{child}"), etree.Element("none"))
    if path == ".":
        return one_line(unescape_entities(stored(element.text)))
    value = element.get(attribute)
    return address(value) if path in ADDRESSES else one_line(value)


MAX_NOTES = 1_000_000  # characters: three times a transcript in place of notes
# A link with a relative address. "github.com/x" only lacks its scheme.
RELATIVE = re.compile(
    r"""(<a\s(?:[^<>]{0,300}\s)?href\s*=\s*["']?)(\.{0,2}/(?!/)[^"'<>\s]*)""", re.I
)
WORDED = re.compile(r"(?:\A|>)[^<>]*[^\s<>]")  # text between tags
# Notes without a tag but with tags that were escaped once more than needed.
ESCAPED_TWICE = re.compile(
    r"[^<]*?&lt;(?:/[a-z][a-z0-9]{0,15}|br\s{0,9}/?|a\s[^<>]{0,1000}?href=[^<>]{0,1000}?)\s{0,9}&gt;[^<]*",
    re.I,
)
SEEN = re.compile(
    r"[^\s\u00ad\u200b-\u200f\u2060-\u2064\ufe0f\ufeff]"
)  # not a joiner or mark alone
CONTENT = "{http://purl.org/rss/1.0/modules/content/}"
RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
ENC = "{http://purl.oclc.org/net/rss_2.0/enc#}"


def read_item(entry: Any, element: Element, base: str = "", site: str = "") -> EntryData:
    """Return the values of an item. Its relative addresses start from `base`, those in its notes from
    `site`."""
    date_raw = _raw_date(entry)
    date = read_feed_date(date_raw)
    files = _read_media_files(entry, element, base)
    audio = next(iter(files), MediaFile())
    length = one_line(entry.get("itunes_duration"))
    shortest, longest = read_length(length) or (None, None)
    kind = one_line(entry.get("itunes_episodetype")).lower()
    # A trailer or bonus has the number of the episode that it belongs to.
    number = None if kind in ("trailer", "bonus") else _read_number(entry, element, "episode")
    return EntryData(
        title=title_of(entry, element),
        html=_with_complete_links(_read_notes(entry, element), site),
        date_raw=date_raw,
        published=date.isoformat() if date else "",
        length_raw=length,
        seconds_low=shortest,
        seconds_high=longest,
        number=number,
        season=_read_number(entry, element, "season"),
        episode_type=kind,
        guid=one_line(entry.get("id")),
        url=_page(entry, base),
        audio_url=audio.url,
        audio_type=audio.declared,
        image_url=address(entry.get("image", {}).get("href"), base),
        explicit=explicit(element),
        author=one_line(entry.get("author")),
        keywords=_keywords(entry),
        people=tuple(people(element)),
        extras=(
            *detail_rows(element),
            *(("alternate", file.url, file.type, "") for file in files[1:] if file.type),
        ),
        is_broken=BROKEN_ATTRIBUTE in element.attrib,
    )


def title_of(entry: Any, element: Element) -> str:
    """Return the title of an item or a show as plain text, without formatting. Keep other markup as text.
    Treat an invisible title as missing."""
    title = one_line(
        unescape_entities(stored(entry.get("title") or element.findtext(f"{ITUNES}title")))
    )
    return strip_formatting(title) if SEEN.search(title) else ""


def _keywords(entry: Any) -> tuple[str, ...]:
    terms = {one_line(tag.get("term")) for tag in entry.get("tags", []) if tag.get("term")}
    return tuple(sorted(terms))


def _with_complete_links(notes: str, site: str) -> str:
    """Return notes with relative addresses of links completed."""

    def complete(link: re.Match[str]) -> str:
        return link[1] + (address(link[2], site) or link[2])

    return RELATIVE.sub(complete, notes)


def _page(entry: Any, base: str) -> str:
    """Return the address of the item's page: its link, else its guid if that is a permalink."""
    permalink = entry.get("id") if entry.get("guidislink") else ""
    # feedparser makes a link of such a guid, which may be no more than a number.
    link = "" if entry.get("link") == permalink else address(entry.get("link"), base)
    return link or address(permalink)


def _read_number(entry: Any, element: Element, name: str) -> int | None:
    """Return the number of an episode or a season from iTunes' element, else from that of Podcasting 2.0."""
    for value in (entry.get(f"itunes_{name}"), element.findtext(f"{PODCAST}{name}")):
        text = one_line(value)
        if text.isdecimal() and len(text) < 7:
            return int(text)
    return None


def _raw_date(entry: Any) -> str:
    """Return the date as the feed prints it. feedparser's parsed date is not used: it makes today of a
    time without a date, and New Year's Day of "2024"."""
    # By dict.get: without `updated`, feedparser itself warns and returns another date.
    return one_line(dict.get(entry, "published") or dict.get(entry, "updated"))


def _read_notes(entry: Any, element: Element) -> str:
    """Return the longest text of the item, else its subtitle. feedparser can lose one of several texts."""
    texts = [content.get("value") for content in entry.get("content", [])]
    texts += [entry.get("summary"), entry.get("description")]
    texts += [element.findtext("description"), element.findtext(f"{CONTENT}encoded")]
    worded = [text for text in map(_markup_of, texts) if WORDED.search(text)]
    worded = worded or [_markup_of(entry.get("subtitle"))]
    # An itunes:summary without markup is a copy of the notes with the links lost.
    marked = [text for text in worded if "<" in text]
    return max(marked or worded, key=len)[:MAX_NOTES].strip()


def _markup_of(value: Any) -> str:
    """Return notes as markup, also if they were escaped twice."""
    text = stored(value)
    return unescape_entities(text) if ESCAPED_TWICE.fullmatch(text) else text


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A file that an item encloses: its type, "" if it is unknown, and the declared type."""

    url: str = ""
    type: str = ""
    declared: str = ""


def _read_media_files(entry: Any, element: Element, base: str) -> list[MediaFile]:
    """Return the media files of an item: its enclosures, else those of RSS 1.0, else its media elements."""
    enclosures = [(file.get("href"), file.get("type"), "") for file in entry.get("enclosures", [])]
    of_rss_1 = [
        (file.get(f"{RDF}resource"), file.get(f"{ENC}type"), "")
        for file in element.iterfind(f"{ENC}enclosure")
    ]
    media = [
        (file.get("url"), file.get("type"), file.get("medium"))
        for file in entry.get("media_content", [])
    ]
    # Media elements without a type are mostly pictures.
    typed_media = [file for file in _media_files(media, base) if file.type]
    return _media_files(enclosures, base) or _media_files(of_rss_1, base) or typed_media


def _media_files(rows: Sequence[tuple[Any, Any, Any]], base: str) -> list[MediaFile]:
    """Return the media files of rows of address, type and medium, each once. Those without a type come last."""
    files = []
    for url, kind, medium in rows:
        file_address, declared = address(url, base), one_line(kind)
        media_type = playable_type(file_address, declared, one_line(medium))
        if file_address and media_type is not None:
            # The medium is not stored, but the type that it means.
            files.append(MediaFile(file_address, media_type, media_type if medium else declared))
    return sorted(dict.fromkeys(files), key=lambda file: not file.type)


# -- a JSON Feed (jsonfeed.org) as RSS, so that it is read like every other feed -------------------

SIGN = "jsonfeed.org/version/"
# Elements of RSS with the keys that have their values.
CHANNEL = {
    "title": "title",
    "link": "home_page_url",
    "description": "description",
    "language": "language",
}
ITEM = {"title": "title", "link": "url", "guid": "id", "pubDate": "date_published"}


def convert_json_feed_to_rss(text: str) -> str:
    """Return a JSON Feed as RSS. Values of a wrong type are left out.

    Raises:
        DocumentRejected: the text is cut off, or is no JSON.
    """
    try:
        feed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentRejected(f"the JSON Feed cannot be read: {error}") from error
    rss = etree.Element("rss", version="2.0")
    channel = etree.SubElement(rss, "channel")
    _add_json_values(channel, feed, CHANNEL)
    etree.SubElement(channel, ATOM_LINK, rel="next", href=_text(feed.get("next_url")))
    for values in _objects(feed.get("items")):
        item = etree.SubElement(channel, "item")
        _add_json_values(item, values, ITEM)
        # A description of RSS is markup.
        text = _text(values.get("content_text")) or _text(values.get("summary"))
        html = _text(values.get("content_html")) or escape(text, quote=False)
        _add(item, "description", html)
        files = _objects(values.get("attachments"))
        for file in files:
            enclosure = {"url": _text(file.get("url")), "type": _text(file.get("mime_type"))}
            etree.SubElement(item, "enclosure", enclosure)
        lengths = (_text(file.get("duration_in_seconds")) for file in files)
        _add(item, f"{ITUNES}duration", next(filter(None, lengths), ""))
    return str(etree.tostring(rss, encoding="unicode"))


def _add_json_values(element: Element, values: dict[str, Any], keys: dict[str, str]) -> None:
    """Add the values of a feed or an item to its element."""
    for name, key in keys.items():
        _add(element, name, _text(values.get(key)))
    authors = _objects(values.get("authors")) or _objects([values.get("author")])
    _add(element, f"{ITUNES}author", ", ".join(_text(author.get("name")) for author in authors))
    image = _text(values.get("image")) or _text(values.get("icon"))
    etree.SubElement(element, f"{ITUNES}image", href=image)


def _add(parent: Element, name: str, text: str) -> None:
    etree.SubElement(parent, name).text = text


def _objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects in a list, [] for anything else."""
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, dict)]


def _text(value: Any) -> str:
    """Return text, or a number as text; "" for anything else."""
    return stored(value) if isinstance(value, str | int | float) else ""


# -- a feed ----------------------------------------------------------------------------------------

ROOT = re.compile(r"<((?:\w+:)?(?:rss|feed|rdf))[\s>]", re.I)
HTML = re.compile(r"<(?:!doctype )?html", re.I)
OLDER = ("next", "prev-archive")  # RFC 5005: relations of the page with older items
ITEMS = ("{http://www.w3.org/2005/Atom}entry", "{http://purl.org/rss/1.0/}item")
BASES = ("{http://www.w3.org/XML/1998/namespace}base", "base")
# Namespaces with the prefix that they have whatever a feed calls them: feedparser remembers a
# prefix from one item to the next.
NAMESPACES = {
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "media": "http://search.yahoo.com/mrss/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
}
# Namespaces of prefixes that feeds forget to declare.
PREFIXES = {
    **NAMESPACES,
    "atom": "http://www.w3.org/2005/Atom",
    "googleplay": "http://www.google.com/schemas/play-podcasts/1.0",
    "podcast": PODCAST.strip("{}"),
    "psc": CHAPTERS.strip("{}"),
}
# A namespace is known in any spelling: with https or http, a slash or an ending behind it, in
# capitals, and as the page that describes it.
SPELLINGS = re.compile(
    r"(?P<itunes>itunes\.com/dtds/podcast-)|(?P<podcast>podcastindex\.org/namespace/|podcastindex-org/podcast-namespace)"
    r"|(?P<psc>podlove\.org/simple-chapters)|(?P<content>purl\.org/rss/1\.0/modules/content)"
    r"|(?P<media>search\.yahoo\.com/mrss)|(?P<atom>www\.w3\.org/2005/atom)",
    re.I,
)
DECLARATION = re.compile(r"""(xmlns(?::[\w.-]+)?\s*=\s*)(["'])([^"'<>]{1,300})\2""", re.I)
# feedparser gives up a whole feed for one chapter without a start or one position outside its
# place.
DROPPED = re.compile(
    rb"""</?(?:[\w.-]{1,40}:)?(?:chapters?|pos(?:list)?)(?=[\s/>])(?:[^<>"']|"[^"<]*"|'[^'<]*')*>""",
    re.I,
)
LONGEST = 100_000  # characters of a description
AT_ONCE = (
    100  # items given to feedparser, so that its memory is bounded whatever the size of the feed
)
# What the reading of an item depends on.
CODE = ("gather/sources", "listings", "dates", "text", "records.py")
_code = partial(fingerprint_of_code, *CODE, libraries=("feedparser", "lxml", "webencodings"))
NO_FEED = EarlierFeed(b"", (), "")
PROLOG = 16_384  # characters in which a feed must have begun


def recognises(page: FetchedDocument) -> bool:
    return _root(text_of(page)) is not None


@dataclass(frozen=True, slots=True)
class ChangedItems:
    """A parsed feed with its new entries only. For each item, `known_positions` has the position of the
    same item in the known version, or None."""

    parsed: ParsedPage
    known_positions: tuple[int | None, ...]

    def with_unchanged_items(self, known: Sequence[EntryData]) -> ParsedPage:
        """Return the parsed feed with all entries."""
        new_entries = iter(self.parsed.entries)
        entries = []
        for position in self.known_positions:
            entries.append(next(new_entries) if position is None else known[position])
        return replace(self.parsed, entries=tuple(entries))


def read(page: FetchedDocument, show: Show) -> ParsedPage:
    """Return the feed's items in their order, and its description of the show.

    Raises:
        DocumentRejected: it is an HTML page, no feed, cut off, or defines entities.
    """
    return read_changed_items(page).with_unchanged_items(())


def read_changed_items(page: FetchedDocument, known: EarlierFeed = NO_FEED) -> ChangedItems:
    """Return the same with only the items that are new since the `known` version.

    Raises:
        DocumentRejected: as `read`.
    """
    # First, because two trees at a time would take twice the memory.
    known_position_of = _position_by_fingerprint(known)
    tree, broken_items = _parse_tree(_feed_text(page))
    parent = next((item.getparent() for item in _items(tree)), tree)
    items = _remove_items(tree)
    frame = _parse_with_feedparser(etree.tostring(tree))
    channel = _read_channel(frame.feed, channel_element(tree))
    link = one_line(frame.feed.get("link"))
    # Relative addresses of items start from `base`, those in their notes from `site`.
    base = page.address or link
    site = address(link, base) or base
    next_page = next((address(link.get("href"), base) for link in _older_page_links(tree)), "")
    reading_fingerprint = fingerprint(_code(), base, site, str(parent.base))
    if known.fingerprint != reading_fingerprint:
        known_position_of = {}
    positions = tuple(known_position_of.get(_item_fingerprint(item)) for item in items)
    new_items = [item for item, position in zip(items, positions, strict=True) if position is None]
    entries = _read_items(tree, parent, new_items, partial(read_item, base=base, site=site))
    parsed = ParsedPage(
        tuple(entries),
        channel.title,
        channel=channel,
        fingerprint=reading_fingerprint,
        next_page=next_page,
        broken_entries=broken_items,
    )
    return ChangedItems(parsed, positions)


def _older_page_links(tree: Element) -> list[Element]:
    """Return the links of a feed to the page with its older items."""
    links = channel_element(tree).iterchildren(ATOM_LINK)
    return [link for link in links if link.get("rel") in OLDER]


def join_feed_pages(pages: Sequence[FetchedDocument], *, is_whole: bool) -> FetchedDocument:
    """Return the first page of a feed with the items of the other pages after its own. `is_whole`: there
    are no further pages.

    Raises:
        DocumentRejected: as `read`.
    """
    tree, *others = [_parse_tree(_feed_text(page))[0] for page in pages]
    parent = next((item.getparent() for item in _items(tree)), tree)
    for other in others:
        parent.extend(list(_items(other)))
    if is_whole:
        for link in _older_page_links(tree):
            channel_element(tree).remove(link)
    kind = "application/xml; charset=utf-8"
    return replace(pages[0], body=etree.tostring(tree, encoding="utf-8"), content_type=kind)


def _read_items(
    tree: Element,
    parent: Element,
    items: Sequence[Element],
    read_one: Callable[[Any, Element], EntryData],
) -> Iterator[EntryData]:
    """Yield the entries of these items. They replace the children of `parent`, which are read already.

    Raises:
        DocumentRejected: feedparser does not find them.
    """
    for start in range(0, len(items), AT_ONCE):
        batch = items[start : start + AT_ONCE]
        parent[:] = batch
        feedparser_entries = _parse_with_feedparser(etree.tostring(tree)).entries
        if len(feedparser_entries) != len(batch):
            raise DocumentRejected("unreadable feed (its items cannot be told apart)")
        yield from map(read_one, feedparser_entries, batch)


def _items(tree: Element) -> Iterator[Element]:
    """Yield the elements below the root that feedparser takes for items, in any of the namespaces that
    RSS had."""
    for element in tree.iter("{*}item", "{*}entry"):
        is_item = element.prefix is None or element.tag in ITEMS
        if is_item and element is not tree:
            yield element


def _remove_items(tree: Element) -> list[Element]:
    """Remove the items from a feed, and return them."""
    items = list(_items(tree))
    for item in items:
        item.getparent().remove(item)
        # feedparser would resolve what follows against this, too.
        etree.strip_attributes(item, *BASES)
    return items


def _position_by_fingerprint(known: EarlierFeed) -> dict[str, int]:
    """Return the positions of the items of a known version by their fingerprints."""
    if not known.body:
        return {}
    items = _remove_items(_parse_tree(_feed_text(FetchedDocument(known.body)))[0])
    if len(items) != len(known.entries):
        return {}
    return {_item_fingerprint(item): position for position, item in enumerate(items)}


def _item_fingerprint(item: Element) -> str:
    return fingerprint(etree.tostring(item, with_tail=False))


def _feed_text(page: FetchedDocument) -> str:
    """Return the text of a feed from its root on, with namespaces in their usual spelling.

    Raises:
        DocumentRejected: it is no feed, or defines entities.
    """
    text = text_of(page)
    root = _root(text)
    if root is None:
        if is_html(text):
            title = PageDocument.from_fetched(page).head.title or "untitled"
            raise DocumentRejected(f"an HTML page in place of a feed: {title}")
        raise DocumentRejected("not a feed (no <rss> or <feed> element)")
    if defines_entities(text[: root.start()]):
        raise DocumentRejected("the feed defines its own XML entities, which is unsafe")
    return DECLARATION.sub(_usual_declaration, text[root.start() :])


def _usual_declaration(declaration: re.Match[str]) -> str:
    """Return the declaration of a namespace in its usual spelling."""
    spelling = SPELLINGS.search(declaration[3])
    address = PREFIXES[str(spelling.lastgroup)] if spelling else declaration[3]
    return f"{declaration[1]}{declaration[2]}{address}{declaration[2]}"


def _parse_tree(text: str) -> tuple[Element, int | None]:
    """Return a feed as a tree, and the number of its broken items, None if it is well-formed.

    Raises:
        DocumentRejected: the feed is cut off.
    """
    document = parse_xml(text, PREFIXES)
    if not document.is_complete:
        root = ROOT.match(text)
        raise DocumentRejected(f"the feed is cut off: it ends without </{root and root[1]}>")
    tree = document.root
    if next(_items(tree), None) is None:
        _lower_names(tree)
    etree.cleanup_namespaces(tree, top_nsmap=NAMESPACES)
    return tree, document.broken_items


def _lower_names(tree: Element) -> None:
    """Write the names of elements in lower case, but keep the capitals of Podcasting 2.0."""
    for element in tree.iter("*"):
        name = etree.QName(element)
        lower = name.localname.lower()
        element.tag = etree.QName(name.namespace, WITH_CAPITALS.get(lower, lower)).text


def text_of(page: FetchedDocument) -> str:
    """Return the document without leading white space, a JSON Feed as RSS."""
    text = decode_page(page).lstrip("\ufeff \t\r\n")
    is_json_feed = text.startswith("{") and SIGN in text.replace(r"\/", "/")
    return convert_json_feed_to_rss(text) if is_json_feed else text


def _root(text: str) -> re.Match[str] | None:
    """Return the start tag of the feed, None if HTML begins before it, as in a page about feeds."""
    root = ROOT.search(text[:PROLOG])
    if root is None or HTML.search(text[: root.start()]):
        return None
    return root


def _parse_with_feedparser(body: bytes) -> Any:
    try:
        # As a stream, since feedparser may take bytes for a file name. Without its sanitiser and its
        # address resolution: nh3 cleans notes when they are rendered.
        stream = io.BytesIO(DROPPED.sub(b"", body))
        parsed = feedparser.parse(stream, sanitize_html=False, resolve_relative_uris=False)
    except Exception as error:  # broken feeds raise any kind
        raise DocumentRejected(f"unreadable feed ({type(error).__name__})") from error
    return parsed


def _read_channel(channel: Any, element: Element) -> Channel:
    terms = (one_line(tag.get("term")) for tag in channel.get("tags", []))
    # feedparser returns the owner's name as the author if the owner comes later.
    author = one_line(element.findtext(f"{ITUNES}author")) or one_line(channel.get("author"))
    # feedparser keeps only one of a channel's descriptions.
    names = ("description", f"{ITUNES}summary", f"{ITUNES}subtitle")
    descriptions = [element.findtext(name) for name in names]
    descriptions += [channel.get("subtitle"), channel.get("summary")]
    images = (channel.get("image", {}).get("href"), channel.get("logo"), channel.get("icon"))
    return Channel(
        title=title_of(channel, element)[:MAX_STORED_TITLE],
        author=drop_mail_addresses(unescape(author)),
        owner=one_line(element.findtext(f"{ITUNES}owner/{ITUNES}name")),
        language=one_line(channel.get("language")),
        site_url=one_line(channel.get("link")),
        description=max(
            (one_line(to_text(stored(text)[:LONGEST])) for text in descriptions), key=len
        ),
        self_url=one_line(
            element.xpath("string(atom:link[@rel='self']/@href)", namespaces=PREFIXES)
        ),
        new_feed_url=address(channel.get("itunes_new-feed-url")),
        guid=one_line(element.findtext(f"{PODCAST}guid")),
        image_url=address(next(filter(None, map(one_line, images)), "")),
        explicit=explicit(element),
        kind=one_line(channel.get("itunes_type")).lower(),
        medium=one_line(element.findtext(f"{PODCAST}medium")).lower(),
        blocked=is_blocked(element),
        copyright=one_line(channel.get("rights")),
        categories=tuple(dict.fromkeys(filter(None, terms))),
        people=tuple(people(element)),
        details=tuple(detail_rows(element)),
    )


def channel_element(tree: Element) -> Element:
    """Return the element that describes the show: `channel`, or the root of an Atom feed."""
    return next(tree.iterchildren("{*}channel"), tree)
