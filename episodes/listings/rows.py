"""Turns a page, HTML or saved text, into rows that know their place: in the tree, in which links, beside which dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, islice

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..records import FetchedDocument
from .decoding import clean, decode, is_html
from .html import BLOCKS, HEADINGS, absolute, tree_of, urljoin_safe
from .script_state import shown
from .text_tables import as_html

SILENT = re.compile(r"head|iframe|math|noscript|object|script|select|style|svg|template|textarea|dialog|datalist")
MENU_TAGS = ("nav", "header", "footer")
COLUMNS = ("td", "th")
WITHIN = ("article", "li", "section", "main", "tr")  # whose own header or footer is no page's
# How the classes of what visitors wrote begin, in the languages whose words sites use for them.
REMARKS = re.compile(
    r"comment(?!ary)|coment|komment|koment|disqus|respond$|repl(?:y|ies)$|remarks?$|discuss|diskus|reacties|reaktionen|"
    r"opiniones|yorum|kommentti|bewertung|reviews?$|testimonial"
)
MENUS = frozenset(("menu", "navbar", "breadcrumb", "breadcrumbs", "tagcloud", "topnav", "subnav", "sitemap", "toc"))
# The class of an element that says how long a text takes to read, which is no length of an episode.
READING_TIME = re.compile(r"read(?:ing)?[-_]?time|time[-_]?to[-_]?read|min(?:ute)?s?[-_]?read", re.I)
HEADING = re.compile(r"(?P<sign>#{1,6}|={2,6}) (?P<name>\S.{0,200}?)(?: ={2,6}| #{1,6})?$")  # a heading in saved text
CELLS = re.compile(r"\t\s*|\s{2,}")
PLAIN_LINK = re.compile(r"\[(?P<text>[^\[\]]{1,300})\]\((?P<to>https?://[^\s()]{1,500})\)")
BARE_LINK = re.compile(r"https?://[^\s<>\"]{3,1000}")
LOGO = "h1 img[alt], header img[alt], img[class*=logo][alt], [class*=logo] img[alt]"
NOTE = re.compile(r"\[[^\[\]]{1,4}\]|\d{1,2}")
CUT_OFF = re.compile(r"\s?(?:\.\.\.|…)$")
DEEPEST = 60  # ancestors that are remembered of a row


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a row that stands in an element of its own."""

    start: int
    end: int
    href: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a page: text with single blanks, its parts, and the numbers of the blocks that hold it, outermost first."""

    text: str
    pieces: tuple[Piece, ...] = ()
    path: tuple[int, ...] = ()
    shape: tuple[str, ...] = ()  # tags and classes of the innermost blocks
    heading: int = 0
    region: str = ""  # menu | remarks
    stamps: tuple[str, ...] = ()  # machine-readable dates and lengths
    media: tuple[str, ...] = ()
    gap: int = 0  # blank lines before it in saved text

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(piece.href for piece in self.pieces if piece.href))


@dataclass(frozen=True, slots=True)
class Head:
    """What an HTML page says of itself before its body."""

    title: str = ""
    names: tuple[str, ...] = ()  # og:title and the like
    address: str = ""
    language: str = ""
    pictures: tuple[str, ...] = ()  # what pictures in its heading say


@dataclass(frozen=True, slots=True)
class PageRows:
    rows: tuple[Row, ...]
    head: Head = Head()
    markup: bool = False
    shapes: dict[int, str] = field(default_factory=dict)  # of every numbered block: tag and classes
    parents: dict[int, int] = field(default_factory=dict)


@lru_cache(maxsize=2)
def sheet(page: FetchedDocument) -> PageRows:
    """The page's rows in reading order.

    Raises:
        DocumentRejected: it is empty, is no text, or is made to hold up who reads it.
    """
    text = decode(page)
    if not is_html(text):
        text = shown(text)[1]
        text = as_html(text) or text
    if is_html(text):
        tree = tree_of(text)
        walk = _Walk(tree, page.address)
        rows = tuple(walk.rows())
        return PageRows(rows, _head(tree, page.address), True, walk.shapes, walk.parents)
    return PageRows(tuple(_text_rows(text)))


def _text_rows(text: str) -> Iterator[Row]:
    gap = 0
    for raw in text.splitlines():
        cells = [" ".join(cell.split()) for cell in CELLS.split(clean(raw).strip())]
        line = " ".join(cells)
        if not line:
            gap += 1
            continue
        heading = HEADING.match(line)
        if heading:
            line = heading["name"]
        pieces: list[Piece] = []
        while "](" in line and (link := PLAIN_LINK.search(line)):
            line = line[: link.start()] + link["text"] + line[link.end() :]
            pieces.append(Piece(link.start(), link.start() + len(link["text"]), link["to"]))
            if len(pieces) > 50:
                break
        if BARE_LINK.fullmatch(line.strip("<>()[] ")):
            pieces = [Piece(0, len(line), line.strip("<>()[] "))]
        elif "://" in line and not pieces:
            pieces = [Piece(found.start(), found.end(), found[0]) for found in islice(BARE_LINK.finditer(line), 50)]
        if len(cells) > 1 and not pieces and not heading:
            ends = list(accumulate(len(cell) + 1 for cell in cells))
            pieces = [Piece(end - 1 - len(cell), end - 1) for cell, end in zip(cells, ends, strict=True)]
        yield Row(line, tuple(pieces), gap=gap, heading=len(heading["sign"]) if heading else 0)
        gap = 0


def _head(tree: LexborHTMLParser, address: str) -> Head:
    title = tree.css_first("head > title")
    names, own = [], ""
    for meta in tree.css("meta[property], meta[name]")[:200]:
        name = (meta.attributes.get("property") or meta.attributes.get("name") or "").lower()
        value = clean(" ".join((meta.attributes.get("content") or "").split()))
        if name in ("og:title", "twitter:title", "og:site_name", "title", "application-name"):
            names.append(value[:500])
        elif name == "og:url":
            own = own or absolute(value, address)
    link = tree.css_first('link[rel="canonical"]')
    if link:
        own = absolute(link.attributes.get("href") or "", address) or own
    root = tree.css_first("html")
    language = ((root.attributes.get("lang") or "") if root else "").lower().split("-")[0]
    pictures = [clean(" ".join((node.attributes.get("alt") or "").split()))[:200] for node in tree.css(LOGO)[:5]]
    named = clean(" ".join(title.text().split())) if title else ""
    return Head(named, tuple(names), own, language, tuple(filter(None, pictures)))


@dataclass(frozen=True, slots=True)
class _Place:
    path: tuple[int, ...] = ()
    shape: tuple[str, ...] = ()
    heading: int = 0
    href: str = ""
    region: str = ""
    inside: bool = False


class _Walk:
    """Walks a tree without recursion and gathers inline text until a block begins or ends."""

    def __init__(self, tree: LexborHTMLParser, address: str) -> None:
        self.body = tree.body
        base = tree.css_first("base[href]")
        self.root = urljoin_safe(address, (base.attributes.get("href") or "") if base else "")
        self.shapes: dict[int, str] = {}
        self.parents: dict[int, int] = {}
        self.numbers = 0
        self._reset(_Place())

    def _reset(self, place: _Place) -> None:
        self.text: list[str] = []
        self.length = 0
        self.pieces: list[Piece] = []
        self.place = place
        self.first: _Place | None = None
        self.stamps: list[str] = []
        self.media: list[str] = []
        self.split = True

    def _add(self, text: str, place: _Place) -> None:
        words = clean(text)
        folded = " ".join(words.split())
        if not folded:
            if words and self.text and self.text[-1] != " ":
                self.text.append(" ")
                self.length += 1
            return
        if words[0].isspace() and self.text and self.text[-1] != " ":
            self.text.append(" ")
            self.length += 1
        start = self.length
        self.text.append(folded)
        self.length += len(folded)
        if not self.split and self.pieces and self.pieces[-1].href == place.href:
            self.pieces[-1] = Piece(self.pieces[-1].start, self.length, place.href)
        else:
            self.pieces.append(Piece(start, self.length, place.href))
        self.split = False
        self.first = self.first or place
        if place.heading and not self.first.heading:
            self.first = place
        if words[-1].isspace():
            self.text.append(" ")
            self.length += 1

    def _flush(self, next_place: _Place) -> Iterator[Row]:
        text = "".join(self.text).rstrip()
        place = self.first or self.place
        if text or self.stamps or self.media or self.pieces:
            yield Row(
                text, tuple(self.pieces), place.path[:DEEPEST], place.shape, place.heading, place.region,
                tuple(self.stamps), tuple(self.media),
            )  # fmt: skip
        self._reset(next_place)

    def rows(self) -> Iterator[Row]:
        stack: list[tuple[LexborNode, _Place | None, _Place]] = []
        if self.body:
            stack.append((self.body, _Place(), _Place()))
        while stack:
            node, place, outer = stack.pop()
            tag = node.tag or ""
            if place is None:
                if _is_block(node, tag):
                    yield from self._flush(outer)
                self.split = True
            elif tag == "-text":
                self._add(node.text_content or "", place)
            elif not (
                tag.startswith("-")
                or SILENT.fullmatch(tag)
                or "hidden" in node.attributes
                or _is_note(node, tag)
                or READING_TIME.search(node.attributes.get("class") or "")
            ):
                inner = place
                block = _is_block(node, tag)
                if block:
                    yield from self._flush(place)
                if tag == "br":
                    continue
                inner = self._inner(node, tag, place, block=block)
                if block:
                    self.place = inner
                self._machine(node, tag, inner)
                self.split = True
                stack.append((node, None, place))
                if whole := _whole(node):
                    self._add(whole, inner)
                    continue
                children = list(node.iter(include_text=True))
                stack.extend([(child, inner, place) for child in reversed(children)])
        yield from self._flush(_Place())

    def _machine(self, node: LexborNode, tag: str, place: _Place) -> None:
        """What an element says to machines: when, how long, what to play, where an empty link leads."""
        attributes = node.attributes
        if tag == "time" and attributes.get("datetime"):
            self.stamps.append(clean(str(attributes["datetime"]))[:60])
        elif tag in ("meta", "time", "span", "data") and attributes.get("itemprop") in (
            "datePublished", "uploadDate", "duration", "timeRequired",
        ):  # fmt: skip
            value = attributes.get("content") or attributes.get("datetime") or ""
            if value:
                self.stamps.append(clean(value)[:60])
        elif tag in ("audio", "source", "video") and attributes.get("src"):
            if address := absolute(attributes["src"] or "", self.root):
                self.media.append(address)
        elif tag == "a" and place.href and not node.text().strip():
            self.pieces.append(Piece(self.length, self.length, place.href))

    def _inner(self, node: LexborNode, tag: str, place: _Place, *, block: bool) -> _Place:
        href = absolute(node.attributes.get("href") or "", self.root) if tag == "a" else place.href
        if not block:
            return _Place(place.path, place.shape, place.heading, href, place.region, place.inside)
        self.numbers += 1
        attributes = node.attributes
        shape = _shape(tag, attributes.get("class") or "")
        if tag in COLUMNS:
            shape += f" {_column(node)}"
        self.shapes[self.numbers] = shape
        self.parents[self.numbers] = place.path[-1] if place.path else 0
        path = (*place.path, self.numbers) if len(place.path) < DEEPEST else place.path
        region = place.region or _region(
            tag, attributes.get("class") or "", attributes.get("id") or "", attributes.get("role") or "", place.inside
        )
        heading = HEADINGS.get(tag, place.heading)
        return _Place(path, (*place.shape[-2:], shape), heading, href, region, place.inside or tag in WITHIN)


@lru_cache(maxsize=5_000)
def _shape(tag: str, classes: str) -> str:
    return " ".join((tag, *sorted(set(classes.split()))[:6]))[:200]


def _is_block(node: LexborNode, tag: str) -> bool:
    """Whether an element stands apart: a link around several elements is a card, whatever it is called."""
    if tag == "a":
        return sum(child.tag not in ("br", "wbr") for child in node.iter(include_text=False)) > 1
    if "-" in tag:  # a site's own element
        return any("-" in (child.tag or "") or _is_named_block(child.tag or "") for child in node.iter())
    return _is_named_block(tag)


def _is_named_block(tag: str) -> bool:
    return BLOCKS.fullmatch(tag) is not None or tag in ("nav", "center", "hgroup", "search")


def _is_note(node: LexborNode, tag: str) -> bool:
    """Whether an element is the mark of a footnote."""
    return tag == "sup" and NOTE.fullmatch(node.text().strip()) is not None


def _whole(node: LexborNode) -> str:
    """What an element's attribute says in full, where dots cut it off in what is shown."""
    name = node.attributes.get("title") or ""
    if not name:
        return ""
    shown = " ".join(node.text().split())
    bare = CUT_OFF.sub("", shown)
    return name[:2_000] if bare != shown and " ".join(name.split()).startswith(bare) else ""


def _column(node: LexborNode) -> int:
    place, before = 0, node.prev
    while before is not None and place < 30:
        place += before.tag in COLUMNS
        before = before.prev
    return place


@lru_cache(maxsize=5_000)
def _region(tag: str, classes: str, name: str, role: str, inside: bool) -> str:
    """Whether a block is a menu, or what visitors wrote."""
    if tag in ("body", "main", "html"):
        return ""
    names = f"{classes} {name}".lower().split()
    words = {word for name in names for word in (name, *re.split(r"[-_]", name))}
    if any(REMARKS.match(word) for word in words):
        return "remarks"
    menu = tag == "nav" or (tag in MENU_TAGS and not inside) or words & MENUS
    return "menu" if menu or role in ("navigation", "menu", "menubar") else ""
