"""Turns a page, HTML or saved text, into rows that know their place: in the tree, in which links,
beside which dates; parses markup of strangers without being held up by it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, pairwise
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..records import DocumentRejected
from .decoding import clean

OPENING = re.compile(
    r"<(/?)(?:div|section|article|main|blockquote|ul|ol|h[1-6]|table|form)\b", re.I
)
DEEPEST_TREE = 50_000
LONG_TAG = re.compile(r"<[a-z][^<>]{20000,}", re.I)
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")
MOST_ATTRIBUTES = 5_000


def tree_of(text: str) -> LexborHTMLParser:
    """An HTML page's tree.

    Raises:
        DocumentRejected: it is made to hold up who reads it.
    """
    # The parser takes the square of the depth, and of the attributes of one tag: pages have
    # hundreds, not thousands.
    depth = 0
    for tag in OPENING.finditer(text):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > DEEPEST_TREE:
            raise DocumentRejected("HTML nested too deeply")
    if any(
        len(QUOTED.sub("", tag[0]).split()) > MOST_ATTRIBUTES for tag in LONG_TAG.finditer(text)
    ):
        raise DocumentRejected("HTML tag with thousands of attributes")
    return LexborHTMLParser(text)


def attribute(node: LexborNode, name: str) -> str:
    """An attribute of an element; "" where it has none, or one without a value."""
    return node.attributes.get(name) or ""


def absolute(href: str, base: str) -> str:
    """`href` as a whole http(s) address seen from the page at `base`; "" where it leads nowhere
    else."""
    href = href.strip()
    if not href or href.startswith("#"):
        return ""
    try:
        whole = urljoin(base, href)
        parts = urlsplit(whole)
    except ValueError:
        return ""
    return whole if parts.scheme in ("http", "https") and parts.netloc else ""


BLOCKS = re.compile(
    "address|article|aside|blockquote|body|br|button|caption|center|dd|details|div|dl|dt|fieldset|figcaption|figure|"
    "footer|form|h[1-6]|header|hgroup|hr|html|legend|li|main|menu|nav|ol|option|p|pre|search|section|summary|table|tbody|"
    "td|tfoot|th|thead|title|tr|ul"
)
PRE = re.compile(r"pre\b")
HEADINGS = {f"h{level}": level for level in range(1, 7)}
SILENT = re.compile(
    r"-.*|head|iframe|math|noscript|object|script|select|style|svg|template|textarea|dialog|datalist"
)
WITHIN = ("article", "li", "section", "main", "tr")  # whose own header or footer is no page's
STAMPED = ("datePublished", "uploadDate", "duration", "timeRequired")
# Classes of the time that a text takes to read, which is no length of an episode.
READING_TIME = re.compile(
    r"read(?:ing)?[-_]?time|time[-_]?to[-_]?read|min(?:ute)?s?[-_]?read", re.I
)
# Classes and ids of what visitors wrote, which quotes titles.
NUMBER = re.compile(r"\d+")
REMARKS = re.compile(r"(?:^|[\s_-])(?:comment|review)", re.I)
HEADING = re.compile(
    r"(?P<sign>#{1,6}|={2,6}) (?P<name>\S.{0,200}?)(?: ={2,6}| #{1,6})?$"
)  # a heading in saved text
ITEM = re.compile(r"(?:[-*+•–—]|\d{1,4}[.)])\s")  # begins a line of a list in saved text
RULES = "=~-"  # drawn below headings, the highest first
RULE = re.compile(rf"([{RULES}])\1{{3,}}")
BARE_LINK = re.compile(r"https?://[^\s<>\"]{3,1000}")
# Of a line of saved text: "[name](address)", "[[page|name]]" of a wiki, an address, or the blanks
# between cells.
PART = re.compile(
    r"\[(?P<name>[^\[\]]{1,300})\]\((?P<to>[^\s()]{1,500})\)|\[\[(?:[^\[\]|]{1,300}\|)?(?P<page>[^\[\]|]{1,300})\]\]"
    rf"|(?P<bare>{BARE_LINK.pattern})|\t\s*|\s{{2,}}"
)
NAMES = (
    'meta[property="og:title"], meta[property="og:site_name"], meta[name="twitter:title"], meta[property="twitter:title"], '
    'meta[name="title"], meta[name="application-name"]'
)
NO_COLUMN = (0, 0)  # of a row in no table
DEEPEST = 60  # ancestors that are remembered of a row
MOST_PIECES = 50  # of a row of saved text


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a row that stands in an element of its own."""

    start: int
    end: int
    href: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a page: text with single blanks, its parts, and the numbers of the blocks that hold
    it, outermost first."""

    text: str
    pieces: tuple[Piece, ...] = ()
    path: tuple[int, ...] = ()
    shape: tuple[str, ...] = ()  # tags and classes of the innermost blocks
    heading: int = 0
    in_menu: bool = False
    stamps: tuple[str, ...] = ()  # dates and lengths for machines
    media: tuple[str, ...] = ()
    column: tuple[int, int] = NO_COLUMN  # of a table: the table's number, and the cell's place

    @property
    def links(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(piece.href for piece in self.pieces if piece.href))


@dataclass(frozen=True, slots=True)
class Head:
    """The head of an HTML page: its title, names and language."""

    title: str = ""
    names: tuple[str, ...] = ()  # og:title and the like
    language: str = ""


class Blocks:
    """The blocks of a page by their numbers: tag and classes, and the block around; 0 is the
    page."""

    def __init__(self) -> None:
        self.shapes = [""]
        self.parents = [0]

    def add(self, shape: str, parent: int) -> int:
        self.shapes.append(shape)
        self.parents.append(parent)
        return len(self.shapes) - 1


@dataclass(frozen=True, slots=True)
class PageRows:
    """The rows of a page in reading order."""

    rows: tuple[Row, ...]
    head: Head = Head()
    markup: bool = False
    blocks: Blocks = field(default_factory=Blocks)


def highest_headings(rows: Sequence[Row]) -> list[str]:
    """The headings of the highest level that there is; all rows where none is a heading."""
    top = min((row.heading for row in rows if row.heading), default=0)
    return [row.text for row in rows if row.heading == top]


def rows_of_markup(tree: LexborHTMLParser, address: str, head: Head) -> PageRows:
    # The address that the page's links are relative to.
    base = tree.css_first("base[href]")
    with suppress(ValueError):
        address = urljoin(address, attribute(base, "href").strip() if base else "")
    walk = _Walk(address)
    rows = tuple(walk.rows(tree.body)) if tree.body else ()
    return PageRows(rows, head, True, walk.blocks)


def rows_of_text(text: str, address: str) -> PageRows:
    """The rows of saved text, in blocks of their own: lines, and items of lists, in paragraphs in
    sections below headings."""
    blocks = Blocks()
    rows: list[Row] = []
    sections = [(0, 0)]  # level of the heading, and the block, of each section that is open
    gap, paragraph = 0, 0
    lines = [clean(raw).strip() for raw in text.splitlines()]
    for line, below in pairwise([*lines, ""]):
        if not line:
            gap += 1
            continue
        heading = HEADING.match(line)
        level = len(heading["sign"]) if heading else _underlined(line, below)
        if level:
            sections = [section for section in sections if section[0] < level]
            sections.append((level, blocks.add("section", sections[-1][1])))
        if gap or level or not rows:
            paragraph = blocks.add("paragraph", sections[-1][1])
        shape = "item" if ITEM.match(line) else "line"
        own = (*(number for _, number in sections[1:]), paragraph, blocks.add(shape, paragraph))
        rows.append(
            _text_row(heading["name"] if heading else line, _Place(own, heading=level), address)
        )
        gap = 0
    return PageRows(tuple(rows), blocks=blocks)


def _underlined(line: str, below: str) -> int:
    """The level of a heading by the line drawn below it, which is about as long; 0 for other
    lines."""
    is_heading = RULE.fullmatch(below) and len(below) * 2 >= len(line)
    return 1 + RULES.index(below[0]) if is_heading else 0


def _text_row(text: str, place: _Place, address: str) -> Row:
    """A line of saved text; its links and cells are its pieces."""
    line, start = _Line(place), 0
    for part in islice(PART.finditer(text), MOST_PIECES):
        line.add(text[start : part.start()], place)
        line.apart = True
        href = absolute(part["to"] or part["bare"] or "", address)
        line.add(part["name"] or part["page"] or part[0], replace(place, href=href))
        line.apart, start = True, part.end()
    line.add(text[start:], place)
    return line.row()


# -- what a page says of itself --------------------------------------------------------------------


def head_of(tree: LexborHTMLParser) -> Head:
    title = tree.css_first("head > title")
    return Head(
        title=clean(" ".join(title.text().split())) if title else "",
        names=tuple(name[:500] for name in _said(tree, NAMES, "content")),
        language="".join(_said(tree, "html", "lang")[:1]).lower().split("-")[0],
    )


def _said(tree: LexborHTMLParser, selector: str, name: str) -> list[str]:
    """The values of an attribute of the first elements that a selector finds."""
    values = (attribute(node, name) for node in tree.css(selector)[:200])
    return [text for value in values if (text := clean(" ".join(value.split())))]


# -- the body of an HTML page ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a node in the tree, as far as its text needs it."""

    path: tuple[int, ...] = ()
    shape: tuple[str, ...] = ()
    heading: int = 0
    href: str = ""
    in_menu: bool = False
    inside: bool = False
    column: tuple[int, int] = NO_COLUMN


class _Line:
    """Inline text, gathered until a block begins or ends."""

    def __init__(self, place: _Place) -> None:
        self.place = place  # of the row, where no text tells a better one
        self.first: _Place | None = None
        self.text: list[str] = []
        self.length = 0
        self.pieces: list[Piece] = []
        self.stamps: list[str] = []
        self.media: list[str] = []
        self.apart = True  # the next text stands in an element of its own

    def add(self, text: str, place: _Place) -> None:
        words = clean(text)
        folded = " ".join(words.split())
        if words[:1].isspace():
            self._blank()
        if not folded:
            return
        start = self.length if self.apart else self.pieces.pop().start
        self.text.append(folded)
        self.length += len(folded)
        self.pieces.append(Piece(start, self.length, place.href))
        self.apart = False
        self.first = self.first or place
        if words[-1].isspace():
            self._blank()

    def _blank(self) -> None:
        if self.text and self.text[-1] != " ":
            self.text.append(" ")
            self.length += 1

    def row(self) -> Row:
        place = self.first or self.place
        return Row(
            "".join(self.text).rstrip(), tuple(self.pieces), place.path, place.shape, place.heading,
            place.in_menu, tuple(self.stamps), tuple(self.media), column=place.column,
        )  # fmt: skip


class _Walk:
    """Walks a tree without recursion: hostile pages nest deeper than Python recurses."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.blocks = Blocks()
        self.cells: Counter[int] = Counter()  # of each line of a table
        self.line = _Line(_Place())
        # A node without a place is one that closes; behind it stands the place around it.
        self.stack: list[tuple[LexborNode, _Place | None, _Place]] = []

    def rows(self, top: LexborNode) -> Iterator[Row]:
        self.stack.append((top, _Place(), _Place()))
        while self.stack:
            node, place, outer = self.stack.pop()
            tag = node.tag or ""
            if tag == "-text" and place:
                yield from self._text(node.text_content or "", place)
                continue
            block = _is_block(node, tag)
            if block:
                yield from self._flush(place or outer)
            self.line.apart = True
            if place and tag != "br":
                self._enter(node, tag, place, block=block)

    def _text(self, text: str, place: _Place) -> Iterator[Row]:
        """A text; of one that keeps its line breaks each line is a row."""
        in_lines = place.shape[-1:] and PRE.match(place.shape[-1])
        first, *others = text.split("\n") if in_lines else [text]
        self.line.add(first, place)
        for line in others:
            yield from self._flush(place)
            self.line.add(line, place)

    def _flush(self, next_place: _Place) -> Iterator[Row]:
        line, self.line = self.line, _Line(next_place)
        if line.pieces or line.stamps or line.media:
            row = line.row()
            if row.shape[-1:] and PRE.match(row.shape[-1]):
                row = replace(row, path=(*row.path, self.blocks.add("line", row.path[-1])))
            yield row

    def _enter(self, node: LexborNode, tag: str, place: _Place, *, block: bool) -> None:
        href = absolute(attribute(node, "href"), self.root) if tag == "a" else place.href
        inner = replace(place, href=href)
        if block:
            inner = self.line.place = self._block(node, tag, inner)
        self._machine(node, tag, inner)
        self.stack.append((node, None, place))
        children = [child for child in node.iter(include_text=True) if not _is_silent(child)]
        self.stack.extend((child, inner, place) for child in reversed(children))

    def _block(self, node: LexborNode, tag: str, place: _Place) -> _Place:
        shape = _shape(tag, attribute(node, "class"))
        number = self.blocks.add(shape, next(reversed(place.path), 0))
        path = (*place.path, number)[:DEEPEST]
        # The header or footer of a part, as of an entry, is no menu.
        beside = tag == "nav" or (tag in ("header", "footer") and not place.inside)
        heading = HEADINGS.get(tag, place.heading)
        column = place.column
        if tag in ("td", "th"):  # of a table with a body and a line, whatever the page left out
            table, _, line = place.path[-3:]
            self.cells[line] += 1
            column = (table, self.cells[line])
        return _Place(
            path, (*place.shape[-2:], shape), heading, place.href, place.in_menu or beside,
            place.inside or tag in WITHIN, column,
        )  # fmt: skip

    def _machine(self, node: LexborNode, tag: str, place: _Place) -> None:
        """The values of an element for machines: when, how long, what to play, where an empty link
        leads."""
        value = attribute(node, "datetime") if tag == "time" else ""
        if not value and attribute(node, "itemprop") in STAMPED:
            value = attribute(node, "content")
        if stamp := clean(value)[:60]:
            self.line.stamps.append(stamp)
        if tag in ("audio", "source", "video") and (
            address := absolute(attribute(node, "src"), self.root)
        ):
            self.line.media.append(address)
        if tag == "a" and place.href and not node.text().strip():
            self.line.pieces.append(Piece(self.line.length, self.line.length, place.href))


@lru_cache(maxsize=5_000)
def _shape(tag: str, classes: str) -> str:
    # Many sites number their articles: "post-2189".
    return " ".join((tag, *sorted(set(NUMBER.sub("0", classes).split()))[:6]))[:200]


def _is_silent(node: LexborNode) -> bool:
    tag = node.tag or ""
    if tag == "-text":
        return False
    names = f"{attribute(node, 'class')} {attribute(node, 'id')}"
    silent = SILENT.fullmatch(tag) or READING_TIME.search(names) or REMARKS.search(names)
    return silent is not None or "hidden" in node.attributes


def _is_block(node: LexborNode, tag: str) -> bool:
    """True for an element that stands apart: a link or a custom element around several elements is
    a card, whatever it is called."""
    if tag == "a" or "-" in tag:
        return sum(child.tag not in ("br", "wbr") for child in node.iter(include_text=False)) > 1
    return BLOCKS.fullmatch(tag) is not None
