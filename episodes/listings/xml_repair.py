"""Parses XML as strangers write it. A document that is not well-formed is written anew, tag by tag, so
that a fault costs at most the item that it is in."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from html import escape, unescape
from html.entities import html5
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from lxml import etree

from ..text.vocabulary import word_set

Element: TypeAlias = etree._Element

BROKEN = "broken"  # attribute of an item in which tags could not be told apart
MAX_DEPTH = 100  # far beyond any feed or list; libxml2 refuses 256
NO_PREFIXES: Mapping[str, str] = MappingProxyType({})
PROLOG = re.compile(
    r"\A(?:\s|\ufeff|<\?.*?\?>|<!--.*?-->|<!doctype[^>\[]*(?:\[.*?\]\s*)?>)*", re.I | re.S
)
NAME = r"[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?"
# A quoted value may have "<" in it. If its end is missing, the tag ends at the next ">".
VALUE = r"""(?:"[^"]{0,4000}"|'[^']{0,4000}')(?=[\s/?>])"""
TOKEN = re.compile(
    rf"""
    (?P<comment><!--)
    | (?P<cdata><!\[CDATA\[)
    | <[?!][^<>]*>
    | <(?P<slash>/?)(?P<name>{NAME})
      (?P<attributes>(?:[\s/](?:[^<>"']|{VALUE})*+)?+(?=>)|[\s/][^<>]*)>
    """,
    re.A | re.X,
)
ATTRIBUTE = re.compile(
    rf"""(?P<name>{NAME})\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|["']?(?P<bare>[^\s"'>]+))""",
    re.A,
)
TAG_WITHOUT_END = re.compile(r"<[A-Za-z/]")
NOT_IN_XML = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# A bare "&" ("Q&A"), names of characters that HTML knows and XML does not, and numbers of characters.
AMPERSAND = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos);)(#\d{1,9};|#x[0-9a-f]{1,9};|[a-z]\w{1,30};)?", re.I
)

CONTAINERS = ("rss", "rdf:rdf", "feed", "atom:feed", "channel")
ITEMS = ("item", "entry", "atom:entry")
EDGE_OF_ITEM = rf"</?(?:{'|'.join(ITEMS)})[\s>]"
# Elements without a prefix that begin a value of an item or a channel.
FIELDS = word_set("""
author category comments content description enclosure guid id image link pubdate published title updated
""")
# Values of feeds have these as text, whether they are balanced or not.
HTML_TAGS = word_set("""
a abbr article aside audio b big blockquote br button center cite code dd del div dl dt em embed figcaption figure font
footer form h1 h2 h3 h4 h5 h6 header hr i iframe img input ins li main mark nav noscript ol p param picture pre q s
script section small span strike strong style sub sup svg table tbody td th thead time tr tt u ul video wbr
""")


class ParsedXml(NamedTuple):
    """The root of a document. If the document was not well-formed, it is whole if its root ends."""

    root: Element
    is_well_formed: bool
    is_whole: bool


def parse_xml(text: str, prefixes: Mapping[str, str] = NO_PREFIXES) -> ParsedXml | None:
    """Return the tree of an XML document, or None if it has no element.

    `prefixes` are the namespaces of prefixes that documents forget to declare. An item of a feed in
    which tags could not be told apart has the attribute BROKEN.
    """
    prolog = PROLOG.match(text)
    body = text[prolog.end() :] if prolog else text
    if not _swallows_items(body):
        with suppress(etree.XMLSyntaxError):
            root = etree.fromstring(_encoded(body), _parser(recover=False))
            return ParsedXml(root, is_well_formed=True, is_whole=True)
    repair = _Repair(prefixes)
    repaired = repair.run(body)
    root = etree.fromstring(_encoded(repaired), _parser(recover=True)) if repaired else None
    if root is None:
        return None
    return ParsedXml(root, is_well_formed=False, is_whole=repair.is_whole)


def defines_entities(text: str) -> bool:
    """True for a document type that defines entities, which no feed needs and attacks use."""
    return "<!ENTITY" in text.upper()


def _swallows_items(text: str) -> bool:
    """True for a CDATA section without an end that takes in items up to the end of another one."""
    _, *sections = text.split("<![CDATA[")
    return any(
        "]]>" not in section and re.search(EDGE_OF_ITEM, section, re.I) for section in sections
    )


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _parser(*, recover: bool) -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        recover=recover,
    )


@dataclass(slots=True)
class _OpenElement:
    """An element whose end has not come yet."""

    name: str
    part: int  # the index of its start tag
    has_text: bool = False

    @property
    def key(self) -> str:
        return self.name.lower()


class _Repair:
    """A document that is written anew: each tag has an end, each attribute is there once, and each
    prefix is declared."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self.prefixes = prefixes
        self.parts: list[str] = []
        self.open: list[_OpenElement] = []
        self.is_feed = False
        self.is_whole = False
        self.root_name = ""
        self.root_attributes: dict[str, str] = {}
        self.used_prefixes: set[str] = set()

    def run(self, text: str) -> str:
        """Return the document, or "" if it has no tag."""
        position = 0
        while token := TOKEN.search(text, position):
            self._add_text(text[position : token.start()])
            position = token.end()
            if token["cdata"]:
                position = self._add_cdata(text, position)
            elif token["comment"]:
                position = _end_of_comment(text, position)
            elif token["name"]:
                self._add_tag(token)
        self._add_text(text[position:])
        if not self.open:
            return ""
        self._close_to(0)
        self._declare_prefixes()
        return "".join(self.parts)

    # -- text --------------------------------------------------------------------------------------

    def _add_text(self, text: str) -> None:
        if TAG_WITHOUT_END.search(text):
            self._mark_item()
        self._write_text(_escaped(text))

    def _add_cdata(self, text: str, start: int) -> int:
        """Write the text of a CDATA section, and return where it ends.

        One without an end ends where its element does. One with others inside has them as text.
        """
        end = text.find("]]>", start)
        next_text = end + len("]]>")
        if end < 0 or "<![CDATA[" in text[start:end]:
            end_of_element = self._end_of_element(text, start)
            if end < 0 or end_of_element < end:
                self._mark_item()
                end = next_text = end_of_element
            else:
                end = text.rfind("]]>", start, end_of_element)
                next_text = end + len("]]>")
        section = text[start:end].replace("<![CDATA[", "").replace("]]>", "")
        self._write_text(escape(section, quote=False))
        return next_text

    def _end_of_element(self, text: str, start: int) -> int:
        """Return where the open element ends, or at the latest the item that it is in."""
        name = self.open[-1].name if self.open else ""
        pattern = re.compile(rf"</{re.escape(name)}\s*>|{EDGE_OF_ITEM}", re.I)
        end = pattern.search(text, start)
        return end.start() if end else len(text)

    def _write_text(self, escaped: str) -> None:
        if not self.open:
            return
        self.parts.append(NOT_IN_XML.sub("", escaped))
        if escaped.strip():
            self.open[-1].has_text = True

    # -- tags --------------------------------------------------------------------------------------

    def _add_tag(self, tag: re.Match[str]) -> None:
        key = tag["name"].lower()
        if tag["slash"] and self._close(key):
            return
        if self._is_text(key):
            self._write_text(_escaped(tag[0]))
        elif tag["slash"]:
            self._mark_item()
        else:
            self._start(tag, key)

    def _start(self, tag: re.Match[str], key: str) -> None:
        """Write a start tag behind the ends of elements that it cannot be inside of."""
        is_root = not self.open
        if is_root:
            self.is_feed = key in CONTAINERS
        self._close_before(key)
        attributes = self._attributes_of(tag["attributes"])
        if is_root:
            self.root_name, self.root_attributes = tag["name"], attributes
        self.open.append(_OpenElement(tag["name"], len(self.parts)))
        self.parts.append(_start_tag(tag["name"], attributes))
        self._note_prefix(tag["name"])
        # What follows the end of the root is put into the root.
        is_empty = tag["attributes"].endswith("/") or len(self.open) > MAX_DEPTH
        if is_empty and not is_root:
            self._close_to(len(self.open) - 1)

    def _close(self, key: str) -> bool:
        """Close the open element of a name, and what is open in it. False if there is none."""
        # An end tag in an item closes nothing outside of it.
        lowest = 0 if key in (*ITEMS, *CONTAINERS) else self._base() + 1
        for index in range(len(self.open) - 1, lowest - 1, -1):
            if self.open[index].key == key:
                if index < len(self.open) - 1:
                    self._mark_item()
                self.is_whole |= index == 0
                self._close_to(max(index, 1))
                return True
        return False

    def _close_before(self, key: str) -> None:
        """Close what lacks its end before an element that begins: an item before the next item, and
        text before the next field."""
        if not self.is_feed:
            return
        for index, element in enumerate(self.open):
            is_open_item = key in ITEMS and element.key not in CONTAINERS
            is_open_text = element.has_text and index > self._base() and self._is_field(key)
            if is_open_item or is_open_text:
                self._mark_item()
                self._close_to(index)
                return

    def _close_to(self, depth: int) -> None:
        while len(self.open) > depth:
            self.parts.append(f"</{self.open.pop().name}>")

    def _base(self) -> int:
        """Return the index of the innermost item or container; 0 for the root."""
        for index in range(len(self.open) - 1, 0, -1):
            if self.is_feed and self.open[index].key in (*ITEMS, *CONTAINERS):
                return index
        return 0

    def _is_text(self, key: str) -> bool:
        """True for a tag that is part of a text: HTML, or "vector<int>"."""
        if not (self.is_feed and self.open):
            return False
        is_structure = self._is_field(key) or key in (*ITEMS, *CONTAINERS)
        return key in HTML_TAGS or (self.open[-1].has_text and not is_structure)

    def _is_field(self, key: str) -> bool:
        prefix = key.rpartition(":")[0]
        is_known = prefix in self.prefixes or f"xmlns:{prefix}" in self.root_attributes
        return key in FIELDS or is_known

    def _mark_item(self) -> None:
        """Mark the open item as broken."""
        for element in self.open:
            start_tag = self.parts[element.part]
            if self.is_feed and element.key in ITEMS and f' {BROKEN}=""' not in start_tag:
                self.parts[element.part] = f'{start_tag[:-1]} {BROKEN}="">'

    # -- attributes and prefixes -------------------------------------------------------------------

    def _attributes_of(self, text: str) -> dict[str, str]:
        attributes: dict[str, str] = {}
        for attribute in ATTRIBUTE.finditer(text):
            name = attribute["name"]
            value = attribute["double"] or attribute["single"] or attribute["bare"] or ""
            if name == "type" and value == "xhtml" and self.is_feed:
                value = "html"  # its tags are text now
            is_empty_declaration = name.startswith("xmlns:") and not value.strip()
            if not is_empty_declaration:
                attributes.setdefault(name, value)
                self._note_prefix(name)
        return attributes

    def _note_prefix(self, name: str) -> None:
        prefix = name.rpartition(":")[0]
        if prefix not in ("", "xml", "xmlns"):
            self.used_prefixes.add(prefix)

    def _declare_prefixes(self) -> None:
        for prefix in sorted(self.used_prefixes):
            namespace = self.prefixes.get(prefix.lower(), f"urn:undeclared:{prefix}")
            self.root_attributes.setdefault(f"xmlns:{prefix}", namespace)
        self.parts[0] = _start_tag(self.root_name, self.root_attributes)


def _start_tag(name: str, attributes: Mapping[str, str]) -> str:
    written = [f"<{name}"]
    for attribute, value in attributes.items():
        escaped = NOT_IN_XML.sub("", _escaped(value)).replace('"', "&quot;")
        written.append(f' {attribute}="{escaped}"')
    return "".join([*written, ">"])


def _end_of_comment(text: str, start: int) -> int:
    """Return where a comment ends. One without an end is no more than its beginning."""
    next_comment = text.find("<!--", start)
    end = text.find("-->", start, next_comment if next_comment >= 0 else len(text))
    return end + len("-->") if end >= 0 else start


def _escaped(text: str) -> str:
    """Return text as XML, in which an ampersand may be bare."""
    return AMPERSAND.sub(_escape_ampersand, text).replace("<", "&lt;").replace(">", "&gt;")


def _escape_ampersand(match: re.Match[str]) -> str:
    """Return the character that a name of HTML or a number means, or "" for a number of none. Any
    other ampersand is text."""
    reference = match[1] or ""
    if reference.startswith("#"):
        return escape(NOT_IN_XML.sub("", unescape(match[0])).replace("\ufffd", ""), quote=False)
    if reference in html5:
        return escape(html5[reference], quote=False)
    return f"&amp;{reference}"
