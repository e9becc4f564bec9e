"""Turns a page, HTML or saved text, into rows with their position in the tree, their links and dates.
Refuses HTML that is made to hold up its parser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, pairwise
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..records import DocumentRejected
from .decoding import clean_text

OPENING = re.compile(
    r"<(/?)(?:div|section|article|main|blockquote|ul|ol|h[1-6]|table|form)\b", re.I
)
DEEPEST_TREE = 50_000
LONG_TAG = re.compile(r"<[a-z][^<>]{20000,}", re.I)
QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def parse_html(text: str) -> LexborHTMLParser:
    """Return the tree of an HTML page.

    Raises:
        DocumentRejected: the page is made to hold up its parser.
    """
    # The parser's time grows with the square of the depth, and of the attributes of a tag.
    depth = 0
    for tag in OPENING.finditer(text):
        depth = max(0, depth - 1) if tag[1] else depth + 1
        if depth > DEEPEST_TREE:
            raise DocumentRejected("HTML nested too deeply")
    for tag in LONG_TAG.finditer(text):
        attributes = QUOTED.sub("", tag[0]).split()
        if len(attributes) > 5_000:
            raise DocumentRejected("HTML tag with thousands of attributes")
    return LexborHTMLParser(text)


def attribute(node: LexborNode, name: str) -> str:
    """Return an attribute of an element, "" if it is missing or has no value."""
    return node.attributes.get(name) or ""


def absolute_address(href: str, base: str) -> str:
    """Return `href` as a complete http(s) address, relative to the page at `base`, or "" for a link
    within the page and for any other address."""
    href = href.strip()
    if not href or href.startswith("#"):
        return ""
    try:
        complete = urljoin(base, href)
        parts = urlsplit(complete)
    except ValueError:
        return ""
    return complete if parts.scheme in ("http", "https") and parts.netloc else ""


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
PARTS_OF_PAGE = ("article", "li", "section", "main", "tr")  # may have a header and a footer
STAMPED = ("datePublished", "uploadDate", "duration", "timeRequired")
# Classes of reading times, which are no lengths of episodes.
READING_TIME = re.compile(
    r"read(?:ing)?[-_]?time|time[-_]?to[-_]?read|min(?:ute)?s?[-_]?read", re.I
)
NUMBER = re.compile(r"\d+")
# Classes and ids of comments, which quote titles.
REMARKS = re.compile(r"(?:^|[\s_-])(?:comment|review)", re.I)
HEADING = re.compile(
    r"(?P<sign>#{1,6}|={2,6}) (?P<name>\S.{0,200}?)(?: ={2,6}| #{1,6})?$"
)  # a heading in saved text
ITEM = re.compile(r"(?:[-*+•–—]|\d{1,4}[.)])\s")  # begins a line of a list in saved text
RULES = "=~-"  # drawn below headings, the highest first
RULE = re.compile(rf"([{RULES}])\1{{3,}}")
BARE_LINK = re.compile(r"https?://[^\s<>\"]{3,1000}")
# In a line of saved text: "[name](address)", "[[page|name]]" of a wiki, an address, or the blanks
# between cells.
PART = re.compile(
    r"\[(?P<name>[^\[\]]{1,300})\]\((?P<to>[^\s()]{1,500})\)|\[\[(?:[^\[\]|]{1,300}\|)?(?P<page>[^\[\]|]{1,300})\]\]"
    rf"|(?P<bare>{BARE_LINK.pattern})|\t\s*|\s{{2,}}"
)
NAMES = (
    'meta[property="og:title"], meta[property="og:site_name"], meta[name="twitter:title"], meta[property="twitter:title"], '
    'meta[name="title"], meta[name="application-name"]'
)
NO_COLUMN = (0, 0)  # of a row outside of tables


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a row with its own element."""

    start: int
    end: int
    href: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a page: text with single blanks, its parts, and the numbers of the blocks around it,
    outermost first."""

    text: str
    pieces: tuple[Piece, ...] = ()
    path: tuple[int, ...] = ()
    shape: tuple[str, ...] = ()  # tags and classes of the innermost blocks
    heading: int = 0
    in_menu: bool = False
    stamps: tuple[str, ...] = ()  # dates and lengths for machines
    media: tuple[str, ...] = ()
    column: tuple[int, int] = NO_COLUMN  # the number of the table, and that of the column

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
    """The blocks of a page by number: tag and classes, and the parent block. 0 is the page."""

    def __init__(self) -> None:
        self.shapes = [""]
        self.parents = [0]

    def add(self, shape: str, parent: int) -> int:
        self.shapes.append(shape)
        self.parents.append(parent)
        return len(self.shapes) - 1


@dataclass(frozen=True, slots=True)
class PageRows:
    """The rows of a page in reading order. `markup` is True for HTML, False for saved text and data."""

    rows: tuple[Row, ...]
    head: Head = Head()
    markup: bool = False
    blocks: Blocks = field(default_factory=Blocks)


def highest_headings(rows: Sequence[Row]) -> list[str]:
    """Return the headings of the highest level, or all rows if none is a heading."""
    top = min((row.heading for row in rows if row.heading), default=0)
    return [row.text for row in rows if row.heading == top]


def rows_of_markup(tree: LexborHTMLParser, address: str, head: Head) -> PageRows:
    """Return the rows of an HTML page at an address. Links may be relative to its `<base>`."""
    base = tree.css_first("base[href]")
    if base:
        address = absolute_address(attribute(base, "href"), address) or address
    walk = _TreeWalk(address)
    rows = tuple(walk.rows(tree.body)) if tree.body else ()
    return PageRows(rows, head, markup=True, blocks=walk.blocks)


def rows_of_text(text: str, address: str) -> PageRows:
    """Return the rows of saved text. Its blocks are sections below headings, paragraphs in them, and lines
    and items of lists in paragraphs."""
    blocks = Blocks()
    rows: list[Row] = []
    sections = [(0, 0)]  # heading level and block of each open section
    paragraph = 0  # the block of the open paragraph, 0 after an empty line
    lines = [clean_text(raw).strip() for raw in text.splitlines()]
    for line, line_below in pairwise([*lines, ""]):
        if not line:
            paragraph = 0
            continue
        heading = HEADING.match(line)
        level = len(heading["sign"]) if heading else _underlined_level(line, line_below)
        if level:
            while sections[-1][0] >= level:
                sections.pop()
            sections.append((level, blocks.add("section", sections[-1][1])))
            paragraph = 0
        if not paragraph:
            paragraph = blocks.add("paragraph", sections[-1][1])
        shape = "item" if ITEM.match(line) else "line"
        section_blocks = [block for _, block in sections[1:]]
        path = (*section_blocks, paragraph, blocks.add(shape, paragraph))
        title = heading["name"] if heading else line
        rows.append(_row_of_line(title, _Position(path, heading=level), address))
    return PageRows(tuple(rows), blocks=blocks)


def _underlined_level(line: str, line_below: str) -> int:
    """Return the level of a heading from the rule drawn below it, 0 for other lines."""
    is_heading = RULE.fullmatch(line_below) and len(line_below) * 2 >= len(line)
    return 1 + RULES.index(line_below[0]) if is_heading else 0


def _row_of_line(text: str, position: _Position, address: str) -> Row:
    """Return the row of a line of saved text. Its first 50 links and cells are pieces."""
    line, start = _InlineText(position), 0
    for part in islice(PART.finditer(text), 50):
        line.add(text[start : part.start()], position)
        line.is_new_piece = True
        href = absolute_address(part["to"] or part["bare"] or "", address)
        line.add(part["name"] or part["page"] or part[0], replace(position, href=href))
        line.is_new_piece, start = True, part.end()
    line.add(text[start:], position)
    return line.row()


# -- the head of an HTML page ----------------------------------------------------------------------


def read_head(tree: LexborHTMLParser) -> Head:
    """Return title, names and language of an HTML page."""
    title = tree.css_first("head > title")
    html = tree.css_first("html")
    names = []
    # The limits bound the time and memory for hostile pages.
    for node in tree.css(NAMES)[:200]:
        names.append(_cleaned_line(attribute(node, "content"))[:500])
    return Head(
        title=_cleaned_line(title.text()) if title else "",
        names=tuple(names),
        language=attribute(html, "lang").strip().lower().partition("-")[0] if html else "",
    )


def _cleaned_line(text: str) -> str:
    return clean_text(" ".join(text.split()))


# -- the body of an HTML page ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Position:
    """The position of a node in the tree, and facts about the elements around it."""

    path: tuple[int, ...] = ()
    shape: tuple[str, ...] = ()
    heading: int = 0
    href: str = ""
    in_menu: bool = False
    in_part: bool = False  # of the page, such as an article
    column: tuple[int, int] = NO_COLUMN


class _InlineText:
    """The inline text between the beginnings and ends of two blocks."""

    def __init__(self, position: _Position) -> None:
        """Begin an empty text. `position` is the position of its row if no text is added."""
        self.position = position  # of the row if it has no text
        self.first: _Position | None = None
        self.text: list[str] = []
        self.length = 0
        self.pieces: list[Piece] = []
        self.stamps: list[str] = []
        self.media: list[str] = []
        self.is_new_piece = True  # the next text has another element

    def add(self, text: str, position: _Position) -> None:
        """Add text at a position with single blanks. It is a new piece if it is the first of its element."""
        cleaned = clean_text(text)
        folded = " ".join(cleaned.split())
        if cleaned[:1].isspace():
            self._add_blank()
        if not folded:
            return
        start = self.length if self.is_new_piece else self.pieces.pop().start
        self.text.append(folded)
        self.length += len(folded)
        self.pieces.append(Piece(start, self.length, position.href))
        self.is_new_piece = False
        self.first = self.first or position
        if cleaned[-1].isspace():
            self._add_blank()

    def _add_blank(self) -> None:
        if self.text and self.text[-1] != " ":
            self.text.append(" ")
            self.length += 1

    def row(self) -> Row:
        """Return the row of the text, with the facts of its first text's position."""
        position = self.first or self.position
        return Row(
            "".join(self.text).rstrip(), tuple(self.pieces), position.path, position.shape, position.heading,
            position.in_menu, tuple(self.stamps), tuple(self.media), column=position.column,
        )  # fmt: skip


class _TreeWalk:
    """A walk through a tree without recursion: hostile pages nest deeper than Python recurses."""

    def __init__(self, base_address: str) -> None:
        """Begin a walk. Links are relative to `base_address`."""
        self.base_address = base_address
        self.blocks = Blocks()
        self.cells: Counter[int] = Counter()  # the number of cells so far in each line of a table
        self.line = _InlineText(_Position())
        # Node, position and outer position. Without a position the node ends.
        self.stack: list[tuple[LexborNode, _Position | None, _Position]] = []

    def rows(self, top: LexborNode) -> Iterator[Row]:
        """Yield the rows of an element in reading order."""
        self.stack.append((top, _Position(), _Position()))
        while self.stack:
            node, position, outer = self.stack.pop()
            tag = node.tag or ""
            if tag == "-text" and position:
                yield from self._add_text(node.text_content or "", position)
                continue
            is_block = _is_block(node, tag)
            if is_block:
                yield from self._finish_line(position or outer)
            self.line.is_new_piece = True
            if position and tag != "br":
                self._enter_element(node, tag, position, is_block=is_block)

    def _add_text(self, text: str, position: _Position) -> Iterator[Row]:
        """Add a text to the open line. Yield the rows that end in it: in `<pre>` each line is a row."""
        in_lines = position.shape[-1:] and PRE.match(position.shape[-1])
        first_line, *lines = text.split("\n") if in_lines else [text]
        self.line.add(first_line, position)
        for line in lines:
            yield from self._finish_line(position)
            self.line.add(line, position)

    def _finish_line(self, next_position: _Position) -> Iterator[Row]:
        """Yield the row of the open line, if it has content, and open the next line."""
        line, self.line = self.line, _InlineText(next_position)
        if line.pieces or line.stamps or line.media:
            row = line.row()
            if row.shape[-1:] and PRE.match(row.shape[-1]):
                row = replace(row, path=(*row.path, self.blocks.add("line", row.path[-1])))
            yield row

    def _enter_element(
        self, node: LexborNode, tag: str, position: _Position, *, is_block: bool
    ) -> None:
        """Put the children of an element and its end on the stack."""
        inner = position
        if tag == "a":
            href = absolute_address(attribute(node, "href"), self.base_address)
            inner = replace(position, href=href)
        if is_block:
            inner = self.line.position = self._enter_block(node, tag, inner)
        self._add_machine_values(node, tag, inner)
        self.stack.append((node, None, position))
        children = [child for child in node.iter(include_text=True) if not _is_left_out(child)]
        self.stack.extend((child, inner, position) for child in reversed(children))

    def _enter_block(self, node: LexborNode, tag: str, position: _Position) -> _Position:
        """Add a block element to the blocks, and return the position of its content."""
        shape = _normalized_shape(tag, attribute(node, "class"))
        parent = position.path[-1] if position.path else 0
        max_depth = 60
        path = (*position.path, self.blocks.add(shape, parent))[:max_depth]
        # The header or footer of a part of the page, such as an article, is no menu.
        is_menu = tag == "nav" or (tag in ("header", "footer") and not position.in_part)
        heading = HEADINGS.get(tag, position.heading)
        column = position.column
        if tag in ("td", "th"):  # in table, tbody and tr: the parser adds a missing tbody
            table, _, line = position.path[-3:]
            self.cells[line] += 1
            column = (table, self.cells[line])
        return _Position(
            path, (*position.shape[-2:], shape), heading, position.href, position.in_menu or is_menu,
            position.in_part or tag in PARTS_OF_PAGE, column,
        )  # fmt: skip

    def _add_machine_values(self, node: LexborNode, tag: str, position: _Position) -> None:
        """Add the values of an element that are not text: dates, lengths, media, and links without text."""
        value = attribute(node, "datetime") if tag == "time" else ""
        if not value and attribute(node, "itemprop") in STAMPED:
            value = attribute(node, "content")
        stamp = clean_text(value)[:60]  # longer than any date or length
        if stamp:
            self.line.stamps.append(stamp)
        if tag in ("audio", "source", "video"):
            address = absolute_address(attribute(node, "src"), self.base_address)
            if address:
                self.line.media.append(address)
        if tag == "a" and position.href and not node.text().strip():
            self.line.pieces.append(Piece(self.line.length, self.line.length, position.href))


@lru_cache(maxsize=5_000)
def _normalized_shape(tag: str, classes: str) -> str:
    """Return tag and classes of a block in one spelling for all blocks that look alike."""
    # Many sites number their articles: "post-2189". The limits bound the memory for hostile classes.
    return " ".join((tag, *sorted(set(NUMBER.sub("0", classes).split()))[:6]))[:200]


def _is_left_out(node: LexborNode) -> bool:
    """Return True for an element without rows: it is hidden, or a script, a comment, a reading time or the
    like."""
    tag = node.tag or ""
    if tag == "-text":
        return False
    names = f"{attribute(node, 'class')} {attribute(node, 'id')}"
    silent = SILENT.fullmatch(tag) or READING_TIME.search(names) or REMARKS.search(names)
    return silent is not None or "hidden" in node.attributes


def _is_block(node: LexborNode, tag: str) -> bool:
    """Return True for a block element. A link or a custom element with several children is a block."""
    if tag == "a" or "-" in tag:
        return sum(child.tag not in ("br", "wbr") for child in node.iter(include_text=False)) > 1
    return BLOCKS.fullmatch(tag) is not None
