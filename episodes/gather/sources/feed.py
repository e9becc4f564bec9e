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
from typing import Any, NamedTuple

import feedparser
from lxml import etree

from ...listings import (
    BROKEN_ATTRIBUTE,
    Element,
    PageDocument,
    ParsedXml,
    absolute_web_address_or_blank,
    begins_like_html,
    decode_page,
    defines_entities,
    feed_length_seconds_range,
    parse_or_repair_xml,
    read_feed_date,
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
from ...text.markup import strip_formatting_tags, unescape_entities
from ...text.media_types import playable_media_type_or_none
from ...text.normalize import DIRECTION_OVERRIDES, HIDDEN_CHARACTERS, is_visible
from ...text.show_notes import to_text
from . import Reader

# -- an item, as feedparser's entry (`parsed_item`) and as lxml's element -----------------------------------------

# Namespaces with the prefix that they have here, whatever a feed calls them.
NAMESPACES = {
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "media": "http://search.yahoo.com/mrss/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "atom": "http://www.w3.org/2005/Atom",
    "googleplay": "http://www.google.com/schemas/play-podcasts/1.0",
    "podcast": "https://podcastindex.org/namespace/1.0",
    "psc": "http://podlove.org/simple-chapters",
}
ITUNES = f"{{{NAMESPACES['itunes']}}}"
# Of the enclosures of RSS 1.0, which is RDF.
RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
ENC = "{http://purl.oclc.org/net/rss_2.0/enc#}"
XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"
# The attribute of an item with its xml:base. feedparser must not see xml:base: it resolves only some addresses
# against it, and addresses of later items, too.
BASE_ATTRIBUTE = "item-base"
# Characters of broken XML and JSON that cannot be stored.
UNSTORABLE = re.compile(rf"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|{HIDDEN_CHARACTERS}")

# A link with a relative address: <a href="/notes">, <a href="../1">. "github.com/x" only lacks its scheme.
RELATIVE_LINK = re.compile(
    r"""(<a\s(?:[^<>]{0,300}\s)?href\s*=\s*["']?)(\.{0,2}/(?!/)[^"'<>\s]*)""", re.I
)
# Notes without a tag but with tags that were escaped once more than needed: "&lt;p&gt;Hello&lt;/p&gt;".
ESCAPED_TWICE = re.compile(
    r"[^<]*?&lt;(?:/[a-z][a-z0-9]{0,15}|br\s{0,9}/?|a\s[^<>]{0,1000}?href=[^<>]{0,1000}?)\s{0,9}&gt;[^<]*",
    re.I,
)
NAMESPACE_DECLARATION = re.compile(
    r"""(?P<name>xmlns(?::[\w.-]+)?\s*=\s*)(?P<quote>["'])(?P<address>[^"'<>]{1,300})(?P=quote)""",
    re.I,
)


def storable(feed_value: Any) -> str:
    return UNSTORABLE.sub("", str(feed_value or ""))


def one_line(feed_value: Any) -> str:
    without_overrides = storable(feed_value).translate(str.maketrans("", "", DIRECTION_OVERRIDES))
    return " ".join(without_overrides.split())


def web_address(address: Any, base: str = "") -> str:
    # Some feeds escape "&" twice. Browsers play an address with a space, other players do not.
    target = one_line(address).replace("&amp;", "&").replace(" ", "%20")
    return absolute_web_address_or_blank(target, base)


def child_line(element: Element, path: str) -> str:
    """Return the text of a child in one line, "" without the child: `itunes:author`."""
    return one_line(element.findtext(path, namespaces=NAMESPACES))


# The kinds of rows, each with its element and the paths of its values.
ROW_VALUES = {
    "transcript": ("transcript", ("@url", "@type", "@language", "@rel")),
    "chapters": ("chapters", ("@url", "@type")),
    **{
        kind: (detail.element, tuple(detail.values.values()))
        for kind, detail in DETAIL_ELEMENTS.items()
    },
}


def iterate_people_with_role_and_address(element: Element) -> Iterator[tuple[str, str, str]]:
    max_people = 1_000  # bounds the time for hostile feeds
    for person in islice(element.iterfind("podcast:person", NAMESPACES), max_people):
        name = one_line(unescape_entities(storable(person.text)))
        role = one_line(person.get("role") or "host").lower()
        if is_visible(name):
            yield name, role, web_address(person.get("href"))


def iterate_detail_rows(element: Element, base: str) -> Iterator[tuple[str, ...]]:
    """Yield a row for each further element of an item or channel, each once.

    A row has its kind and its values: ("transcript", "https://loom.example/1.vtt", "text/vtt", "en", "").
    """
    rows = [*_iterate_podcasting_20_rows(element, base)]
    # Podlove Simple Chapters are part of the feed itself: <psc:chapter start="00:01:30" title="Warp"/>.
    for chapter in element.iterfind("psc:chapters/psc:chapter", NAMESPACES):
        start = one_line(chapter.get("start"))
        title = one_line(chapter.get("title"))
        link = web_address(chapter.get("href"), base)
        image = web_address(chapter.get("image"), base)
        if start or title:
            rows.append(("chapter", start, title, link, image))
    yield from dict.fromkeys(rows)


def read_explicit(element: Element) -> str:
    # Older feeds write "explicit" and "clean".
    answers = {
        "yes": "yes",
        "true": "yes",
        "explicit": "yes",
        "no": "no",
        "false": "no",
        "clean": "no",
    }
    return answers.get(child_line(element, "itunes:explicit").lower(), "")


def read_itunes_image(element: Element) -> str:
    address = ""
    # Of several images the last with an address counts, as in feedparser.
    for image in element.iterfind("itunes:image", NAMESPACES):
        # Some feeds print the address as text: <itunes:image>https://loom.example/1.png</itunes:image>.
        address = one_line(image.get("href")) or web_address(image.text) or address
    return address


def is_blocked(element: Element) -> bool:
    """Return True if a feed asks all directories not to list it."""
    # A tag with an id is for a single directory.
    path = "(itunes:block | podcast:block)[not(@id)]"
    tags = element.xpath(path, namespaces=NAMESPACES)
    return "yes" in [one_line(tag.text).lower() for tag in tags]


def _iterate_podcasting_20_rows(element: Element, base: str) -> Iterator[tuple[str, ...]]:
    # A transcript needs its address, which comes first. A location needs any value.
    kinds_that_need_first_value = ("transcript", "chapters", "social", "alternate", "soundbite")
    for kind, (element_name, value_paths) in ROW_VALUES.items():
        for child in element.iterfind(f"podcast:{element_name}", NAMESPACES):
            # A file may lie beside the feed. Another relative address only lacks its "https://", as "patreon.com/ada"
            # does, and is read as none.
            file_base = base if kind in ("transcript", "chapters", "alternate") else ""
            values = [_text_or_attribute_at_path(child, path, file_base) for path in value_paths]
            needed_values = values[:1] if kind in kinds_that_need_first_value else values
            if any(needed_values):
                yield (kind, *values)


def _text_or_attribute_at_path(element: Element, path: str, base: str) -> str:
    """Return the text (`.`), an attribute (`@name`) or the attribute of a child (`child@name`) of an
    element, "" for an address that is not http(s)."""
    if path == ".":
        return one_line(unescape_entities(storable(element.text)))
    child_name, _, attribute = path.rpartition("@")
    # "{*}" stands for any namespace. Without the name of a child the attribute is the element's own.
    steps = f"{{*}}{child_name}" if child_name else "."
    owner = element.find(steps)
    value = "" if owner is None else owner.get(attribute)
    is_address = path in ("@url", "@uri", "@href", "source@uri")
    return web_address(value, base) if is_address else one_line(value)


def read_entry_of_item(
    parsed_item: Any, element: Element, base_address: str = "", site_address: str = ""
) -> EntryData:
    """Return the values of an item, which feedparser parsed as `parsed_item`, and lxml as `element`.

    Its relative addresses start from `base_address`, and in its notes from `site_address`, unless the item
    has a base.
    """
    item_base = web_address(element.get(BASE_ATTRIBUTE), base_address)
    if item_base:
        base_address = site_address = item_base
    date_raw = _read_raw_date(parsed_item)
    date = read_feed_date(date_raw)
    files = _read_media_files(parsed_item, element, base_address)
    audio = next(iter(files), MediaFile())  # an empty file for an item without files
    # Further files are alternates of the audio: kind, address, type, title. A reader cannot choose one of
    # an unknown type.
    alternates = [
        ("alternate", file.url, file.media_type, "") for file in files[1:] if file.media_type
    ]
    media_seconds = element.xpath("string(.//media:content/@duration)", namespaces=NAMESPACES)
    length = one_line(parsed_item.get("itunes_duration") or media_seconds)
    # A range of seconds: "13:20" is from 800 to 800, "13 minutes" from 780 to 839.
    min_seconds, max_seconds = feed_length_seconds_range(length) or (None, None)
    episode_type = one_line(parsed_item.get("itunes_episodetype")).lower()
    number = None
    # A trailer or bonus has the number of the episode that it belongs to.
    if episode_type not in ("trailer", "bonus"):
        number = _read_episode_or_season_number(parsed_item, element, "episode")
    image = read_itunes_image(element) or parsed_item.get("image", {}).get("href")
    return EntryData(
        title=read_title(parsed_item, element),
        html=_with_complete_links(_read_best_notes(parsed_item, element), site_address),
        date_raw=date_raw,
        published=date.isoformat() if date else "",
        length_raw=length,
        seconds_low=min_seconds,
        seconds_high=max_seconds,
        number=number,
        season=_read_episode_or_season_number(parsed_item, element, "season"),
        episode_type=episode_type,
        guid=one_line(parsed_item.get("id")),
        url=_read_page_address(parsed_item, base_address),
        audio_url=audio.url,
        audio_type=audio.declared_type,
        image_url=web_address(image, base_address),
        explicit=read_explicit(element),
        author=_read_authors_with_commas(parsed_item, element),
        # A set in one order, so that the same keywords in another order are no change.
        keywords=tuple(sorted(set(_read_terms(parsed_item)))),
        people=tuple(iterate_people_with_role_and_address(element)),
        extras=(*iterate_detail_rows(element, base_address), *alternates),
        is_broken=BROKEN_ATTRIBUTE in element.attrib,
    )


def read_title(parsed_item: Any, element: Element) -> str:
    """Return the title of an item or a show as plain text, without formatting. Keep other markup as text, unless
    Atom's title says that it is HTML. Treat an invisible title as missing."""
    title_markup = parsed_item.get("title")
    atom_title = element.find("atom:title[@type]", NAMESPACES)
    if atom_title is not None and atom_title.get("type") in ("html", "xhtml"):
        title_markup = to_text(title_markup or "")
    itunes_title = element.findtext("itunes:title", namespaces=NAMESPACES)
    for markup in (title_markup, itunes_title):
        title = _without_cdata_marks(one_line(unescape_entities(storable(markup))))
        if is_visible(title):
            return strip_formatting_tags(title)
    return ""


def _without_cdata_marks(text: str) -> str:
    # "<![CDATA[Warp]]>" is "Warp". XML has no such marks in a text, unless they were escaped.
    marked = re.fullmatch(r"\s*<!\[CDATA\[(?P<text>.*)\]\]>\s*", text, re.DOTALL)
    return marked["text"].strip() if marked else text


def _read_authors_with_commas(parsed_item: Any, element: Element) -> str:
    # feedparser gives the last of several authors.
    for path in ("atom:author/atom:name", "dc:creator", "itunes:author"):
        names = [one_line(author.text) for author in element.iterfind(path, NAMESPACES)]
        if len(names) > 1:
            return ", ".join(dict.fromkeys(filter(None, names)))
    return one_line(parsed_item.get("author"))


def _read_terms(parsed: Any) -> list[str]:
    # CDATA may have "Food &amp; Drink".
    terms = [tag["term"] for tag in parsed.get("tags", []) if tag.get("term")]
    return [one_line(unescape_entities(storable(term))) for term in terms]


def _with_complete_links(notes: str, site: str) -> str:
    # <a href="/notes"> becomes <a href="https://loom.example/notes">.
    def complete(link: re.Match[str]) -> str:
        before, address = link.groups()
        return f"{before}{web_address(address, site) or address}"

    return RELATIVE_LINK.sub(complete, notes)


def _read_page_address(parsed_item: Any, base: str) -> str:
    permalink = parsed_item.get("id") if parsed_item.get("guidislink") else ""
    link = parsed_item.get("link")
    # For an item without a link, feedparser gives the guid as the link. The guid may be a number, which
    # must not be completed to an address of the site.
    if link == permalink:
        return web_address(permalink)
    return web_address(link, base) or web_address(permalink)


def _read_episode_or_season_number(parsed_item: Any, element: Element, kind: str) -> int | None:
    """Return the number of an item from iTunes' element, else from Podcasting 2.0's. `kind`: "episode" or
    "season"."""
    itunes_value = one_line(parsed_item.get(f"itunes_{kind}"))
    for text in (itunes_value, child_line(element, f"podcast:{kind}")):
        # A longer number is a date or an id.
        if text.isdecimal() and len(text) < 7:
            return int(text)
    return None


def _read_raw_date(parsed_item: Any) -> str:
    """Return the date as the feed prints it. feedparser's parsed date is not used: it makes today of a
    time without a date, and New Year's Day of "2024"."""
    # With dict.get, because feedparser's own `get` returns another date if `updated` is missing.
    return one_line(dict.get(parsed_item, "published") or dict.get(parsed_item, "updated"))


def _read_best_notes(parsed_item: Any, element: Element) -> str:
    """Return the notes of an item as markup: the longest of its texts, else its subtitle, else the description
    of its media."""
    candidates = list(_iterate_notes(parsed_item, element))
    # An itunes:summary without markup is a copy of the notes with the links lost.
    with_markup = [notes for notes in candidates if "<" in notes]
    best = max(with_markup or candidates, key=len, default=None)
    if best is None:
        media_description = element.findtext(".//media:description", namespaces=NAMESPACES)
        best = _unescape_notes(parsed_item.get("subtitle") or media_description)
    max_length = 1_000_000  # characters: three times a transcript in place of notes
    return best[:max_length].strip()


def _iterate_notes(parsed_item: Any, element: Element) -> Iterator[str]:
    """Yield the texts of an item that have words or a link. feedparser can lose one of several texts, so
    they are also read from the element."""
    texts = [content.get("value") for content in parsed_item.get("content", [])]
    texts.append(parsed_item.get("summary"))
    # feedparser adds the captions of pictures.
    media_descriptions = element.iterfind(".//media:description", NAMESPACES)
    captions = {storable(description.text).strip() for description in media_descriptions}
    texts = [text for text in texts if text not in captions]
    for path in ("description", "content:encoded"):
        texts.append(element.findtext(path, namespaces=NAMESPACES))
    for text in texts:
        notes = _unescape_notes(text)
        if _has_words(notes):
            yield notes
        elif notes.strip().lower().startswith(("<https://", "<http://")):
            yield notes  # nothing but a link, which looks like a tag: <https://loom.example/1>


def _unescape_notes(markup: Any) -> str:
    text = _without_cdata_marks(storable(markup))
    # "&lt;p&gt;Hello&lt;/p&gt;" is "<p>Hello</p>", but "<p>Write &lt;p&gt;</p>" stays.
    return unescape_entities(text) if ESCAPED_TWICE.fullmatch(text) else text


def _has_words(markup: str) -> bool:
    """Return True if there is text between the tags: not in "<p> </p>"."""
    # With ">" in front, the text before the first tag looks as if it followed a tag, too.
    pieces = f">{markup}".split("<")
    return any(piece.partition(">")[2].strip() for piece in pieces)


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A file that an item encloses."""

    url: str = ""
    media_type: str = ""  # "" if it is unknown
    declared_type: str = ""  # as the feed prints it


def _read_media_files(parsed_item: Any, element: Element, base: str) -> list[MediaFile]:
    """Return the files of an item that can be played, each once: its enclosures, else its media elements.
    Files without a type come last."""
    enclosures: list[MediaFile] = []
    for file in parsed_item.get("enclosures", []):
        _add_if_playable(enclosures, file.get("href"), file.get("type"), base)
    # Enclosures of RSS 1.0: <enc:enclosure rdf:resource="https://…" enc:type="…"/>.
    for file in element.iterfind(f"{ENC}enclosure"):
        _add_if_playable(enclosures, file.get(f"{RDF}resource"), file.get(f"{ENC}type"), base)
    media_elements: list[MediaFile] = []
    for file in parsed_item.get("media_content", []):
        medium = file.get("medium")
        _add_if_playable(media_elements, file.get("url"), file.get("type"), base, medium=medium)
    # Media elements without a type are mostly pictures.
    files = enclosures or [file for file in media_elements if file.media_type]
    unique_files = dict.fromkeys(files)
    return sorted(unique_files, key=lambda file: file.media_type == "")  # False sorts before True


def _add_if_playable(
    files: list[MediaFile], url: Any, declared_type: Any, base: str, *, medium: Any = ""
) -> None:
    """Add a file to a list if it has an address and can be played. `medium` is "audio", "video" or the
    like."""
    file_address = web_address(url, base)
    declared = one_line(declared_type)
    media_type = playable_media_type_or_none(file_address, declared, one_line(medium))
    if file_address and media_type is not None:
        # The medium is not stored, so the type that follows from it is: "video/mp4" of "video".
        stored_type = media_type if medium else declared
        files.append(MediaFile(file_address, media_type, stored_type))


# -- a JSON Feed (jsonfeed.org) as RSS, so that it is read like every other feed -------------------


def convert_json_feed_to_rss(text: str) -> str:
    """Return a JSON Feed as RSS. Values of a wrong type are left out.

    `text` begins with "{", so that it is an object if it is JSON.

    Raises:
        DocumentRejected: the text is cut off, or is no JSON.
    """
    try:
        # As text, because Python refuses numbers of thousands of digits, and one item may have one.
        feed = json.loads(text, parse_int=str)
    except (ValueError, RecursionError) as error:
        raise DocumentRejected(f"the JSON Feed cannot be read: {error}") from error
    rss = etree.Element("rss", version="2.0")
    channel = etree.SubElement(rss, "channel")
    _add_json_values_as_children(
        channel,
        feed,
        {
            "title": "title",
            "link": "home_page_url",
            "description": "description",
            "language": "language",
        },
    )
    _add_json_authors_and_image(channel, feed)
    atom_link = f"{{{NAMESPACES['atom']}}}link"
    # Without a next page the address is "", which is read as no link.
    etree.SubElement(channel, atom_link, rel="next", href=_json_text(feed.get("next_url")))
    for item in _json_objects(feed.get("items")):
        _add_json_item(channel, item)
    return str(etree.tostring(rss, encoding="unicode"))


def _add_json_item(channel: Element, json_item: dict[str, Any]) -> None:
    item = etree.SubElement(channel, "item")
    _add_json_values_as_children(item, json_item, {"title": "title", "link": "url", "guid": "id"})
    date = _json_text(json_item.get("date_published")) or _json_text(json_item.get("date_modified"))
    _add_child(item, "pubDate", date)
    _add_json_authors_and_image(item, json_item)
    tags = json_item.get("tags")
    for tag in tags if isinstance(tags, list) else ():
        _add_child(item, "category", _json_text(tag))
    # A description of RSS is markup, so "<" in a plain text becomes "&lt;".
    plain_text = _json_text(json_item.get("content_text")) or _json_text(json_item.get("summary"))
    html = _json_text(json_item.get("content_html")) or escape(plain_text, quote=False)
    _add_child(item, "description", html)
    _add_json_attachments(item, _json_objects(json_item.get("attachments")))


def _add_json_attachments(item: Element, attachments: Sequence[dict[str, Any]]) -> None:
    """Add an enclosure for each attachment, and the length of the file that is played."""
    for attachment in attachments:
        url = _json_text(attachment.get("url"))
        mime_type = _json_text(attachment.get("mime_type"))
        etree.SubElement(item, "enclosure", url=url, type=mime_type)
    played_attachment = min(attachments, key=_order_to_play, default={})
    seconds = ""
    for attachment in attachments:
        # The same file may be attached twice, once without its length.
        if attachment.get("url") == played_attachment.get("url"):
            seconds = seconds or _json_text(attachment.get("duration_in_seconds"))
    # Only whole seconds: an itunes:duration of 13.45 is read as no length, because it may be minutes.
    whole_seconds, _, _ = seconds.partition(".")
    _add_child(item, f"{ITUNES}duration", whole_seconds)


def _order_to_play(attachment: dict[str, Any]) -> tuple[bool, bool]:
    # As `_read_media_files` sorts them: playable files first, of unknown type last.
    url = _json_text(attachment.get("url"))
    media_type = playable_media_type_or_none(url, _json_text(attachment.get("mime_type")))
    return media_type is None, media_type == ""


def _add_json_values_as_children(
    element: Element, json_object: dict[str, Any], keys_by_child: dict[str, str]
) -> None:
    """Add values of a feed or an item to its element. `keys_by_child`: the key for each child by its name."""
    for name, key in keys_by_child.items():
        _add_child(element, name, _json_text(json_object.get(key)))


def _add_json_authors_and_image(element: Element, json_object: dict[str, Any]) -> None:
    # Version 1.0 has one `author`.
    authors = _json_objects(json_object.get("authors")) or _json_objects(
        [json_object.get("author")]
    )
    names = [_json_text(author.get("name")) for author in authors]
    _add_child(element, f"{ITUNES}author", ", ".join(filter(None, names)))
    # Without an image the address is "", which is read as no image.
    image = _json_text(json_object.get("image")) or _json_text(json_object.get("icon"))
    etree.SubElement(element, f"{ITUNES}image", href=image)


def _add_child(parent: Element, name: str, text: str) -> None:
    etree.SubElement(parent, name).text = text


def _json_objects(json_value: Any) -> list[dict[str, Any]]:
    if not isinstance(json_value, list):
        return []
    return [member for member in json_value if isinstance(member, dict)]


def _json_text(json_value: Any) -> str:
    return storable(json_value) if isinstance(json_value, str | float) else ""


# -- a feed ----------------------------------------------------------------------------------------

# Of all that the values of an item depend on.
_code_fingerprint = partial(
    fingerprint_of_code,
    *("gather/sources", "listings", "dates", "text", "records.py"),
    libraries=("feedparser", "lxml", "webencodings"),
)


def recognises(page: FetchedDocument) -> bool:
    return _find_feed_root_offset(decode_feed(page)) is not None


@dataclass(frozen=True, slots=True)
class ChangedItems:
    """A parsed feed with its new entries only. For each item, `earlier_positions` has the position of the
    same item in the earlier version, or None."""

    parsed: ParsedPage
    earlier_positions: tuple[int | None, ...]

    def parsed_page_with_unchanged_entries(
        self, earlier_entries: Sequence[EntryData]
    ) -> ParsedPage:
        """Return the parsed feed with all entries in their order. Unchanged items have the entries of
        `earlier_entries`."""
        new_entries = iter(self.parsed.entries)
        entries = []
        for earlier_position in self.earlier_positions:
            if earlier_position is None:
                entries.append(next(new_entries))
            else:
                entries.append(earlier_entries[earlier_position])
        return replace(self.parsed, entries=tuple(entries))


def read(page: FetchedDocument, show: Show) -> ParsedPage:
    """Return the feed's items in their order, and its description of the show.

    Raises:
        DocumentRejected: it is an HTML page, no feed, cut off, or defines entities.
    """
    no_earlier_feed = EarlierFeed(b"", (), "")
    return read_feed_with_changed_entries(page, no_earlier_feed).parsed_page_with_unchanged_entries(
        ()
    )


def read_feed_with_changed_entries(
    page: FetchedDocument, earlier_feed: EarlierFeed
) -> ChangedItems:
    """Return a feed with the entries of only the items that the `earlier_feed` version does not have.

    Raises:
        DocumentRejected: as `read`.
    """
    # The earlier version is parsed before the new one, as two trees take twice the memory.
    positions_by_fingerprint = _positions_by_item_fingerprint(earlier_feed)
    document = _parse_or_repair_feed(page)
    tree = document.root
    item_parent = _parent_of_items(tree)
    base_attribute = item_parent.base  # the attribute xml:base of the feed, or None
    items = _remove_and_return_items(tree)
    etree.strip_attributes(tree, XML_BASE)
    feed = _read_feed_without_items(tree, page.address, base_attribute)
    # An entry also depends on the code, and on the addresses that complete its links. If they are not as
    # before, every item is read again.
    context_fingerprint = fingerprint(_code_fingerprint(), feed.base, feed.site)
    if earlier_feed.fingerprint != context_fingerprint:
        positions_by_fingerprint = {}
    earlier_positions = []
    new_items = []
    for item in items:
        earlier_position = positions_by_fingerprint.get(_item_fingerprint(item))
        earlier_positions.append(earlier_position)
        if earlier_position is None:
            new_items.append(item)
    read_entry = partial(read_entry_of_item, base_address=feed.base, site_address=feed.site)
    new_entries = tuple(_iterate_entries_in_batches(tree, item_parent, new_items, read_entry))
    parsed = ParsedPage(
        new_entries,
        show=feed.channel.title,
        channel=feed.channel,
        fingerprint=context_fingerprint,
        next_page=feed.next_page,
        broken_entries=document.broken_items,
    )
    return ChangedItems(parsed, tuple(earlier_positions))


class _FeedWithoutItems(NamedTuple):
    """The values of a feed beside its items."""

    base: str  # relative addresses of items start from it
    site: str  # relative addresses in the notes of items start from it
    channel: Channel
    next_page: str  # "" if there is none


def _read_feed_without_items(
    tree: Element, page_address: str, base_attribute: str | None
) -> _FeedWithoutItems:
    # feedparser would take the values of a live item for the channel's.
    for live_item in list(tree.iter(f"{{{NAMESPACES['podcast']}}}liveItem")):
        live_item.clear(keep_tail=True)
    feedparser_channel = _parse_with_feedparser(etree.tostring(tree)).feed
    link = one_line(feedparser_channel.get("link"))
    feed_address = page_address or link
    base = web_address(base_attribute, feed_address) or feed_address
    site = web_address(link, base) or base
    channel = _read_channel(feedparser_channel, find_channel_element(tree), base)
    links = _older_page_links(tree)
    next_page = web_address(links[0].get("href"), base) if links else ""
    return _FeedWithoutItems(base, site, channel, next_page)


def _older_page_links(tree: Element) -> list[Element]:
    path = "atom:link[@rel='next' or @rel='prev-archive']"  # RFC 5005
    links: list[Element] = find_channel_element(tree).xpath(path, namespaces=NAMESPACES)
    return links


def join_feed_pages(pages: Sequence[FetchedDocument], *, is_complete: bool) -> FetchedDocument:
    """Return the first page of a feed with the items of the other pages after its own. `is_complete`: there
    are no further pages.

    Raises:
        DocumentRejected: as `read`.
    """
    first_tree, *older_trees = [_parse_or_repair_feed(page).root for page in pages]
    parent = _parent_of_items(first_tree)
    for older_tree in older_trees:
        parent.extend(list(_find_items(older_tree)))  # moves them
    if is_complete:
        # A link to an older page tells the import that entries may be on that page. So entries that the feed
        # no longer lists would not count as vanished.
        for link in _older_page_links(first_tree):
            find_channel_element(first_tree).remove(link)
    body = etree.tostring(first_tree, encoding="utf-8")
    return replace(pages[0], body=body, content_type="application/xml; charset=utf-8")


def _iterate_entries_in_batches(
    tree: Element,
    item_parent: Element,
    items: Sequence[Element],
    read_entry: Callable[[Any, Element], EntryData],
) -> Iterator[EntryData]:
    """Yield the entries of these items. They replace the children of `item_parent`, which are read already.

    Raises:
        DocumentRejected: feedparser does not find them.
    """
    batch_size = 100  # bounds the memory of feedparser, whatever the size of the feed
    for start in range(0, len(items), batch_size):
        batch = items[start : start + batch_size]
        item_parent[:] = batch  # so that the tree has only these items
        parsed_items = _parse_with_feedparser(etree.tostring(tree)).entries
        if len(parsed_items) != len(batch):
            raise DocumentRejected("unreadable feed (its items cannot be told apart)")
        yield from map(read_entry, parsed_items, batch)


def _find_items(tree: Element) -> Iterator[Element]:
    """Yield the elements below the root that feedparser takes for items: those of RSS and Atom under any prefix,
    and those without a prefix, whatever the default namespace is."""
    for element in tree.iter("{*}item", "{*}entry"):
        is_item = element.prefix is None or element.tag in (
            "{http://www.w3.org/2005/Atom}entry",
            "{http://purl.org/rss/1.0/}item",
        )
        if is_item and element is not tree:
            yield element


def _parent_of_items(tree: Element) -> Element:
    first = next(_find_items(tree), None)
    return tree if first is None else first.getparent()


def _remove_and_return_items(tree: Element) -> list[Element]:
    items = list(_find_items(tree))
    for item in items:
        item.getparent().remove(item)
        base = item.get(XML_BASE)
        etree.strip_attributes(item, XML_BASE, "base")
        if base:
            item.set(BASE_ATTRIBUTE, base)
    return items


def _positions_by_item_fingerprint(earlier_feed: EarlierFeed) -> dict[str, int]:
    if not earlier_feed.body:
        return {}
    try:
        document = _parse_or_repair_feed(FetchedDocument(earlier_feed.body))
    # Perhaps only the server declared its encoding, or an earlier release accepted it.
    except DocumentRejected:
        return {}
    items = _remove_and_return_items(document.root)
    # Repeated entries are not stored, so it is not known which entry belongs to which item.
    if len(items) != len(earlier_feed.entries):
        return {}
    return {_item_fingerprint(item): position for position, item in enumerate(items)}


def _item_fingerprint(item: Element) -> str:
    # The tail is the text behind the item.
    return fingerprint(etree.tostring(item, with_tail=False))


def _feed_text_from_root(page: FetchedDocument) -> str:
    """Return the text of a feed from its root ("<rss version=…") on, with namespaces in their usual spelling.

    Raises:
        DocumentRejected: it is no feed, or defines entities.
    """
    text = decode_feed(page)
    root_offset = _find_feed_root_offset(text)
    if root_offset is None and begins_like_html(text):
        title = PageDocument.from_fetched(page).head.title or "untitled"
        raise DocumentRejected(f"an HTML page in place of a feed: {title}")
    # Entities stand before the root: <!DOCTYPE rss [<!ENTITY a "…">]>. Nested, a few lines expand to gigabytes.
    # Long ones hide the root, which is not searched for in the whole text.
    if defines_entities(text[:root_offset]):
        raise DocumentRejected("the feed defines its own XML entities, which is unsafe")
    if root_offset is None:
        raise DocumentRejected("not a feed (no <rss> or <feed> element)")
    return NAMESPACE_DECLARATION.sub(_with_usual_namespace_address, text[root_offset:])


def _with_usual_namespace_address(declaration: re.Match[str]) -> str:
    """Return a declaration of a namespace with the address in its usual spelling.

    A namespace is recognised in any spelling: with https or http, a slash or an ending behind it, in
    capitals, and as the page that describes it.
    """
    address = declaration["address"].lower()
    prefix_by_part = {
        "itunes.com/dtds/podcast-": "itunes",
        "podcastindex.org/namespace/": "podcast",
        "podcastindex-org/podcast-namespace": "podcast",
        "podlove.org/simple-chapters": "psc",
        "purl.org/rss/1.0/modules/content": "content",
        "search.yahoo.com/mrss": "media",
        "www.w3.org/2005/atom": "atom",
    }
    for part, prefix in prefix_by_part.items():
        if part in address:
            quote = declaration["quote"]
            return f"{declaration['name']}{quote}{NAMESPACES[prefix]}{quote}"
    return declaration[0]


def _parse_or_repair_feed(page: FetchedDocument) -> ParsedXml:
    """Return a feed as a tree, and the number of items in which tags could not be told apart.

    Raises:
        DocumentRejected: it is no feed, cut off, or defines entities.
    """
    text = _feed_text_from_root(page)
    # Feeds forget to declare some of these namespaces.
    document = parse_or_repair_xml(text, NAMESPACES)
    if not document.is_complete:
        # The text begins with "<rss version=…".
        root_tag, _, _ = text.partition(">")
        root_name = root_tag.split()[0].removeprefix("<")
        raise DocumentRejected(f"the feed is cut off: it ends without </{root_name}>")
    # Declare all namespaces at the root. If an item declares x for iTunes, feedparser reads `x:author` of
    # later items as iTunes' author, whatever they declare x for.
    etree.cleanup_namespaces(document.root, top_nsmap=NAMESPACES)
    return document


def decode_feed(page: FetchedDocument) -> str:
    text = decode_page(page).lstrip("\ufeff \t\r\n")
    # JSON may escape a slash.
    is_json_feed = text.startswith("{") and "jsonfeed.org/version/" in text.replace(r"\/", "/")
    return convert_json_feed_to_rss(text) if is_json_feed else text


def _find_feed_root_offset(text: str) -> int | None:
    max_prolog = 16_384  # characters before the root element
    root = re.search(r"<(?:\w+:)?(?:rss|feed|rdf)[\s>]", text[:max_prolog], re.I)
    if root is None:
        return None
    prolog = text[: root.start()].lower()
    is_html = "<html" in prolog or "<!doctype html" in prolog
    return None if is_html else root.start()


def _parse_with_feedparser(body: bytes) -> Any:
    # feedparser gives up a whole feed for one chapter without a start, or for a stray element of GeoRSS (`pos`).
    chapter_tag = rb"</?(?:[\w.-]+:)?(?:chapters?|pos(?:list)?)\b[^<>]*>"
    try:
        # A stream, because feedparser may take bytes for a file name. Its sanitiser is off, because nh3
        # cleans notes when they are merged.
        stream = io.BytesIO(re.sub(chapter_tag, b"", body, flags=re.I))
        parsed = feedparser.parse(stream, sanitize_html=False, resolve_relative_uris=False)
    except Exception as error:  # broken feeds raise any kind
        raise DocumentRejected(f"unreadable feed ({type(error).__name__})") from error
    return parsed


def _read_channel(feedparser_channel: Any, channel_element: Element, base: str) -> Channel:
    # feedparser returns the owner's name as the author if the owner comes later.
    author = child_line(channel_element, "itunes:author") or one_line(
        feedparser_channel.get("author")
    )
    # feedparser returns the RSS image if it comes after itunes:image.
    image = (
        read_itunes_image(channel_element)
        or feedparser_channel.get("image", {}).get("href")
        or feedparser_channel.get("logo")
    )
    self_link = channel_element.xpath("string(atom:link[@rel='self']/@href)", namespaces=NAMESPACES)
    return Channel(
        title=read_title(feedparser_channel, channel_element)[:MAX_STORED_TITLE],
        author=drop_mail_addresses(unescape(author)),  # some feeds escape it twice
        owner=child_line(channel_element, "itunes:owner/itunes:name"),
        language=one_line(feedparser_channel.get("language")),
        site_url=_address_of_channel(feedparser_channel.get("link"), base),
        description=_longest_description(feedparser_channel, channel_element),
        self_url=one_line(self_link),
        new_feed_url=web_address(feedparser_channel.get("itunes_new-feed-url")),
        guid=child_line(channel_element, "podcast:guid"),
        image_url=_address_of_channel(image, base),
        explicit=read_explicit(channel_element),
        kind=one_line(feedparser_channel.get("itunes_type")).lower(),
        medium=child_line(channel_element, "podcast:medium").lower(),
        blocked=is_blocked(channel_element),
        copyright=one_line(feedparser_channel.get("rights")),
        categories=tuple(dict.fromkeys(_read_terms(feedparser_channel))),
        people=tuple(iterate_people_with_role_and_address(channel_element)),
        details=tuple(iterate_detail_rows(channel_element, base)),
    )


def _longest_description(feedparser_channel: Any, channel_element: Element) -> str:
    # feedparser keeps only one of a channel's descriptions.
    markups = [feedparser_channel.get("subtitle"), feedparser_channel.get("summary")]
    for path in ("description", "itunes:summary", "itunes:subtitle"):
        markups.append(channel_element.findtext(path, namespaces=NAMESPACES))
    descriptions = []
    for markup in markups:
        descriptions.append(one_line(to_text(storable(markup)[:100_000])))  # bounds the time
    return max(descriptions, key=len)


def _address_of_channel(printed_address: Any, base: str) -> str:
    address = one_line(printed_address)
    # "www.loom.example" only lacks its scheme.
    is_relative = address.startswith(("/", "."))
    return web_address(address, base if is_relative else "")


def find_channel_element(tree: Element) -> Element:
    return next(tree.iterchildren("{*}channel"), tree)


READER = Reader(title="RSS feed", min_with_text=0.2, recognises=recognises, read=read)
