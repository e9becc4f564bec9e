"""Parses XML as strangers write it. A document that is not well-formed is written anew, tag by tag, so
that a fault costs at most the item that it is in."""

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from html import escape, unescape
from html.entities import html5
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from lxml import etree

from ..text.vocabulary import word_set

Element: TypeAlias = etree._Element

BROKEN_ATTRIBUTE = "broken"  # attribute of an item in which tags could not be told apart
END_OF_BROKEN_TAG = f' {BROKEN_ATTRIBUTE}="">'
MAX_DEPTH = 100  # far beyond any feed or list; libxml2 refuses 256
NO_PREFIXES: Mapping[str, str] = MappingProxyType({})
XML_PROLOG = re.compile(
    r"\A(?:\s|\ufeff|<\?.*?\?>|<!--.*?-->|<!doctype[^>\[]*(?:\[.*?\]\s*)?>)*", re.I | re.S
)
NAME = r"[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?"
# A quoted value may have "<" in it. If its end is missing, the tag ends at the next ">".
VALUE = r"""(?:"[^"]{0,4000}"|'[^']{0,4000}')(?=[\s/?>])"""
TAG = rf"""
    (?P<name>{NAME})(?P<attributes>(?:[\s/](?:[^<>"']|{VALUE})*+)?+(?=>)|[\s/][^<>]*)>
"""
ROOT_TAG = re.compile(f"<{TAG}", re.A | re.X)
TOKEN = re.compile(
    rf"(?P<comment><!--) | (?P<cdata><!\[CDATA\[) | \]\]> | <[?!][^<>]*> | <(?P<slash>/?){TAG}",
    re.A | re.X,
)
# name="value", name='value' and name=value. A quote without an end is left out: name="value
ATTRIBUTE = re.compile(
    rf"""
    (?<![\w:.-])(?P<name>{NAME})\s*=\s*
    (?: "(?P<double_quoted>[^"]*)" | '(?P<single_quoted>[^']*)' | ["']?(?P<unquoted>[^\s"'>]+) )
    """,
    re.A | re.X,
)
# Nothing, if another comment begins before: then the first one has no end.
REST_OF_COMMENT = re.compile(r"(?:(?:(?!<!--).)*?-->)?", re.S)
NOT_IN_XML = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# A bare "&" ("Q&A"), names of characters that HTML knows and XML does not, and numbers of characters.
AMPERSAND = re.compile(
    r"&(?!(?:amp|lt|gt|quot|apos);)(?P<reference>#\d{1,9};|#x[0-9a-f]{1,9};|[a-z]\w{1,30};|)",
    re.I,
)
NO_ELEMENT = "<none/>"

CONTAINERS = ("rss", "rdf:rdf", "feed", "atom:feed", "channel")
ITEM_NAMES = ("item", "entry", "atom:entry")
EDGE_OF_ITEM = rf"</?(?:{'|'.join(ITEM_NAMES)})[\s>]"
# Elements without a prefix that are never part of a text.
STRUCTURE = word_set("""
author category comments content description enclosure guid id image link pubdate published title updated
channel entry feed item rss
""")
# Values of feeds have these as text, whether they are balanced or not.
HTML_TAGS = word_set("""
a abbr article aside audio b big blockquote br button center cite code dd del div dl dt em embed figcaption figure font
footer form h1 h2 h3 h4 h5 h6 header hr i iframe img input ins li main mark nav noscript ol p param picture pre q s
script section small span strike strong style sub sup svg table tbody td th thead time tr tt u ul video wbr
""")


class ParsedXml(NamedTuple):
    """A parsed document."""

    root: Element
    is_complete: bool  # the root has an end
    broken_items: int | None  # with BROKEN_ATTRIBUTE, None if the document is well-formed


def parse_or_repair_xml(text: str, prefixes: Mapping[str, str] = NO_PREFIXES) -> ParsedXml:
    """Return the tree of an XML document. A document without an element has the root `<none/>`.

    `prefixes` are the namespaces of prefixes that documents forget to declare. If the tags in an item of a
    feed could not be told apart, the item has BROKEN_ATTRIBUTE.
    """
    body = XML_PROLOG.sub("", text, count=1)
    # With a CDATA section over several items a document can be well-formed, but these items would be text.
    if not _swallows_items(body):
        with suppress(etree.XMLSyntaxError):
            root = _parse_xml(body, accepts_faults=False)
            return ParsedXml(root, is_complete=True, broken_items=None)
    repair = _Repair(prefixes)
    # Tags of HTML become text, so the text of <content type="xhtml"> is HTML from now on.
    with_html = re.sub(r"""(\stype\s*=\s*["'])xhtml(?=["'])""", r"\1html", body)
    repaired = repair.repair(with_html)
    root = _parse_xml(repaired, accepts_faults=True)
    return ParsedXml(root, repair.has_root_end, repaired.count(END_OF_BROKEN_TAG))


def defines_entities(text: str) -> bool:
    """Return True for a document type that defines entities, which no feed needs and attacks use."""
    return "<!ENTITY" in text.upper()


def _swallows_items(text: str) -> bool:
    """Return True if a CDATA section without an end takes in items, up to the end of a later section."""
    _, *sections = text.split("<![CDATA[")
    open_sections = [section for section in sections if "]]>" not in section]
    return re.search(EDGE_OF_ITEM, "\n".join(open_sections), re.I) is not None


def _parse_xml(text: str, *, accepts_faults: bool) -> Element:
    # A document may refer to other files, which the parser must not load.
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        remove_comments=True,
        remove_pis=True,
        recover=accepts_faults,
    )
    return etree.fromstring(text.encode("utf-8", "replace"), parser)


@dataclass(slots=True)
class _OpenElement:
    """An element before its end tag."""

    name: str
    part: int  # the index of its start tag
    has_text: bool = False

    @property
    def lower_name(self) -> str:
        return self.name.lower()


class _Repair:
    """A document that is written anew: each tag has an end, each attribute is there once, and each
    prefix is declared."""

    def __init__(self, prefixes: Mapping[str, str]) -> None:
        self.prefixes = prefixes
        self.used_prefixes: set[str] = set()
        self.is_feed = False
        self.parts: list[str] = []
        self.open_elements: list[_OpenElement] = []
        self.has_root_end = False

    def repair(self, text: str) -> str:
        """Return the document as well-formed XML. Content behind the end of the root is put into the root."""
        root_tag = ROOT_TAG.search(text)
        if root_tag is None:
            return NO_ELEMENT
        self.is_feed = root_tag["name"].lower() in CONTAINERS
        root_attributes = self._open_element_and_get_attributes(root_tag)
        self._add_content(text, root_tag.end())
        self._close_down_to(0)
        # Only now all prefixes are known that the root must declare. So its start tag is written again.
        declared_attributes = self._with_declared_prefixes(root_attributes)
        self.parts[0] = _render_start_tag(root_tag["name"], declared_attributes)
        return "".join(self.parts)

    def _add_content(self, text: str, position: int) -> None:
        """Write the text from a position on, token by token: texts, tags and CDATA sections."""
        while token := TOKEN.search(text, position):
            self._add_text(text[position : token.start()])
            position = token.end()
            # Tokens of other kinds are dropped: declarations, and a "]]>" without a beginning.
            if token["cdata"]:
                position = self._add_cdata_and_find_end(text, position)
            elif token["comment"]:
                position = REST_OF_COMMENT.match(text, position).end()  # type: ignore[union-attr]
            elif token["name"]:
                self._add_tag_or_text(token)
        self._add_text(text[position:])

    # -- text --------------------------------------------------------------------------------------

    def _add_text(self, text: str) -> None:
        # A "<" between two tags may be the rest of a broken tag.
        if re.search("<[A-Za-z/]", text):
            self._mark_item_as_broken()
        self._write_text(_escaped(text))

    def _add_cdata_and_find_end(self, text: str, start: int) -> int:
        """Write the text of a CDATA section, and return the position of its end.

        In a section, "<![CDATA[a <b> c]]>", tags are text. A section without an end takes the rest of its
        element. Sections in it become text.
        """
        not_found = -1  # by `find`
        end = text.find("]]>", start)
        # If another section begins before it, the end belongs to that section.
        has_end = end != not_found and "<![CDATA[" not in text[start:end]
        if not has_end:
            # The last "]]>" of the element ends the section.
            end_of_element = self._end_of_element(text, start)
            end = text.rfind("]]>", start, end_of_element)
            if end == not_found:
                end = end_of_element
                self._mark_item_as_broken()
        section = text[start:end].replace("<![CDATA[", "").replace("]]>", "")
        self._write_text(escape(section, quote=False))
        return end

    def _end_of_element(self, text: str, start: int) -> int:
        end_tag = rf"</{re.escape(self.open_elements[-1].name)}\s*>"
        end = re.compile(rf"{end_tag}|{EDGE_OF_ITEM}|\Z", re.I).search(text, start)
        return end.start()  # type: ignore[union-attr]

    def _write_text(self, escaped: str) -> None:
        self.parts.append(NOT_IN_XML.sub("", escaped))
        self.open_elements[-1].has_text |= bool(escaped.strip())

    # -- tags --------------------------------------------------------------------------------------

    def _add_tag_or_text(self, tag: re.Match[str]) -> None:
        """Write a tag, or its characters as text if it belongs to a text. Close elements before it that lack
        an end."""
        name = tag["name"].lower()
        is_end_tag = tag["slash"] != ""
        if is_end_tag and self._try_to_close_element(name):
            return
        if self._is_part_of_text(name):  # such as <b> in a title
            self._write_text(_escaped(tag[0]))
        elif is_end_tag:
            # Its start tag is missing. The end tag is dropped.
            self._mark_item_as_broken()
        else:
            self._close_unended_before(name)
            self._open_element_and_get_attributes(tag)
            is_empty_element = tag["attributes"].endswith("/")  # <br/>
            # No feed nests so deep. Such elements are closed at once.
            if is_empty_element or len(self.open_elements) > MAX_DEPTH:
                self._close_down_to(len(self.open_elements) - 1)

    def _open_element_and_get_attributes(self, tag: re.Match[str]) -> dict[str, str]:
        """Write a start tag, open its element, and return its attributes. Of equal names the first counts."""
        attributes: dict[str, str] = {}
        for attribute in ATTRIBUTE.finditer(tag["attributes"]):
            # "double_quoted", "single_quoted" or "unquoted"
            group_of_value = str(attribute.lastgroup)
            attributes.setdefault(attribute["name"], attribute[group_of_value])
        self.open_elements.append(_OpenElement(tag["name"], part=len(self.parts)))
        self.parts.append(_render_start_tag(tag["name"], attributes))
        for name in (tag["name"], *attributes):
            prefix, _, _ = name.rpartition(":")  # "itunes" of "itunes:image", "" without a colon
            self.used_prefixes.add(prefix)
        return attributes

    def _try_to_close_element(self, lower_name: str) -> bool:
        """Close the open element of a name, and the elements in it. Return False if no open element has the
        name."""
        is_value = lower_name not in (*ITEM_NAMES, *CONTAINERS)
        # An end tag of a value, such as </title>, closes nothing outside of its item.
        outermost = self._index_of_item_or_container() + 1 if is_value else 0
        innermost = len(self.open_elements) - 1
        for index in range(innermost, outermost - 1, -1):
            if self.open_elements[index].lower_name == lower_name:
                # The elements in it lack their end tags.
                self._close_broken_elements_in(index)
                is_root = index == 0
                if is_root:
                    # It stays open for content behind its end.
                    self.has_root_end = True
                else:
                    self._close_down_to(index)
                return True
        return False

    def _close_unended_before(self, lower_name: str) -> None:
        """Close elements without an end tag before an element that begins: an item before the next item,
        and a value before the next value."""
        if lower_name in ITEM_NAMES:
            self._close_broken_elements_in(self._index_of_innermost(CONTAINERS))
            return
        # In a feed an element with text is a value, such as a title, and has no elements in it.
        is_in_value = self.is_feed and self.open_elements[-1].has_text
        if is_in_value:
            self._close_broken_elements_in(self._index_of_item_or_container())

    def _close_broken_elements_in(self, index: int) -> None:
        """Close the elements that are open in the element at an index. They lack an end tag, so their item is
        marked as broken."""
        open_count = index + 1  # with this element
        if len(self.open_elements) > open_count:
            self._mark_item_as_broken()
            self._close_down_to(open_count)

    def _close_down_to(self, depth: int) -> None:
        while len(self.open_elements) > depth:
            self.parts.append(f"</{self.open_elements.pop().name}>")

    def _index_of_item_or_container(self) -> int:
        return self._index_of_innermost((*ITEM_NAMES, *CONTAINERS))

    def _index_of_innermost(self, names: Collection[str]) -> int:
        """Return the index of the innermost open element with one of the names, 0 for the root."""
        for index in range(len(self.open_elements) - 1, 0, -1):
            if self.open_elements[index].lower_name in names:
                return index
        return 0

    def _is_part_of_text(self, lower_name: str) -> bool:
        """Return True for a tag that is part of a text of a feed: HTML, or "vector<int>"."""
        if not self.is_feed:
            return False
        if lower_name in HTML_TAGS:
            return True
        prefix, _, _ = lower_name.rpartition(":")
        is_element_of_feed = lower_name in STRUCTURE or prefix in self.prefixes
        is_behind_text = self.open_elements[-1].has_text
        return is_behind_text and not is_element_of_feed

    def _mark_item_as_broken(self) -> None:
        element = self.open_elements[self._index_of_item_or_container()]
        # A fault outside of all items costs no item.
        if element.lower_name in ITEM_NAMES:
            # An item that is marked already stays as it is.
            start_tag = self.parts[element.part].removesuffix(END_OF_BROKEN_TAG)
            self.parts[element.part] = start_tag.removesuffix(">") + END_OF_BROKEN_TAG

    def _with_declared_prefixes(self, attributes: Mapping[str, str]) -> dict[str, str]:
        declared = dict(attributes)
        for prefix in sorted(self.used_prefixes - {"", "xml", "xmlns"}):
            namespace = self.prefixes.get(prefix.lower(), f"urn:undeclared:{prefix}")
            declared.setdefault(f"xmlns:{prefix}", namespace)
        return declared


def _render_start_tag(name: str, attributes: Mapping[str, str]) -> str:
    written = [f"<{name}"]
    for attribute, value in attributes.items():
        escaped = NOT_IN_XML.sub("", _escaped(value)).replace('"', "&quot;")
        written.append(f' {attribute}="{escaped}"')
    return "".join([*written, ">"])


def _escaped(text: str) -> str:
    """Return text as XML. Its ampersands may be bare."""
    return (
        AMPERSAND.sub(_resolve_entity_or_escape_ampersand, text)
        .replace("<", "&lt;")
        .replace(">", "&gt;")
    )


def _resolve_entity_or_escape_ampersand(match: re.Match[str]) -> str:
    """Return the character of an entity of HTML or of a number, "" for a number without a character. Keep any
    other ampersand as text."""
    reference = match["reference"]
    if reference.startswith("#") or reference in html5:
        replacement_character = "\ufffd"  # for a number without a character
        character = unescape(match[0]).replace(replacement_character, "")
        return escape(NOT_IN_XML.sub("", character), quote=False)
    return f"&amp;{reference}"
