"""Turns a page, HTML or saved text, into rows with their position in the tree, their links and dates.
Refuses HTML that is made to hold up its parser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, pairwise
from typing import NamedTuple
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from ..records import DocumentRejected
from .decoding import clean_text

# Void tags such as <br> do not nest.
NESTING_TAG = re.compile(
    r"<(?P<slash>/?)(?:div|section|article|main|blockquote|ul|ol|h[1-6]|table|form)\b", re.I
)


def parse_untrusted_html(text: str) -> LexborHTMLParser:
    """Return the tree of an HTML page.

    Raises:
        DocumentRejected: the page is made to hold up its parser.
    """
    # The parser's time grows with the square of the depth, and of the attributes of a tag.
    _refuse_deep_nesting(text)
    _refuse_thousands_of_attributes(text)
    return LexborHTMLParser(text)


def _refuse_deep_nesting(text: str) -> None:
    max_depth = 50_000
    depth = 0  # the number of open elements
    for tag in NESTING_TAG.finditer(text):
        if tag["slash"]:
            depth = max(0, depth - 1)  # an end tag may have no start tag
        else:
            depth += 1
        if depth > max_depth:
            raise DocumentRejected("HTML nested too deeply")


def _refuse_thousands_of_attributes(text: str) -> None:
    max_attributes = 5_000
    # Shorter tags are not counted: 5,000 names of three letters, each with a blank, have 20,000 characters.
    for tag in re.finditer(r"<[a-z][^<>]{20000,}", text, re.I):
        # Quoted values may have blanks, which separate no attributes.
        attributes = re.sub(r"\"[^\"]*\"|'[^']*'", "", tag[0]).split()
        if len(attributes) > max_attributes:
            raise DocumentRejected("HTML tag with thousands of attributes")


def attribute(node: LexborNode, name: str) -> str:
    return node.attributes.get(name) or ""


def absolute_web_address_or_blank(href: str, base: str) -> str:
    """Return `href` as a complete http(s) address, relative to the page at `base`, or "" for a link
    within the page and for any other address."""
    target = href.strip()
    is_within_page = target.startswith("#") or target == ""
    try:
        complete = urljoin(base, target)
        parts = urlsplit(complete)
    except ValueError:
        return ""
    is_web_address = parts.scheme in ("http", "https") and parts.netloc != ""
    return complete if is_web_address and not is_within_page else ""


# Elements that begin and end a line, and "br".
BLOCKS = re.compile(
    "address|article|aside|blockquote|body|br|button|caption|center|dd|details|div|dl|dt|fieldset|figcaption|figure|"
    "footer|form|h[1-6]|header|hgroup|hr|html|legend|li|main|menu|nav|noscript|ol|option|p|pre|search|section|summary|table|tbody|"
    "td|tfoot|th|thead|title|tr|ul"
)
# Elements without text for readers. "-comment" and "-doctype" are the parser's names.
SILENT = re.compile(
    r"-.*|head|iframe|math|noscript|object|script|select|style|svg|template|textarea|dialog|datalist"
)
# Classes and ids of comments, which quote titles, and of reading times, which are no lengths of
# episodes: "comment-body", "post-reviews", "reading-time", "min-read".
SIDE_REMARK = re.compile(
    r"(?:^|[\s_-])(?:comment|review)"
    r"|read(?:ing)?[-_]?time|time[-_]?to[-_]?read|min(?:ute)?s?[-_]?read",
    re.I,
)
HEADING = re.compile(
    r"(?P<sign>#{1,6}|={2,6}) (?P<name>\S.{0,200}?)(?: ={2,6}| #{1,6})?$"
)  # a heading in saved text
ITEM = re.compile(r"(?:[-*+•–—]|\d{1,4}[.)])\s")  # begins a line of a list in saved text
# The parts of a line of saved text that are links or separate cells.
PART = re.compile(
    r"""
    \[(?P<link_text>[^\[\]]{1,300})\]\((?P<link_target>[^\s()]{1,500})\)   # [text](address)
    | \[\[(?:[^\[\]|]{1,300}\|)?(?P<wiki_text>[^\[\]|]{1,300})\]\]         # [[page|text]] or [[page]]
    | (?P<bare_address>https?://[^\s<>"]{3,1000})
    | \t\s*                                                                    # blanks between two cells
    | \s{2,}
    """,
    re.X,
)
MAX_LABEL = 500  # characters of the label of a picture or a link
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
    from the page (0) to the innermost."""

    text: str
    pieces: tuple[Piece, ...] = ()
    path: tuple[int, ...] = (0,)
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
    """What the head of an HTML page says of the page: its titles and its language."""

    title: str = ""
    declared_names: tuple[str, ...] = ()  # of the page or the site, by meta elements: og:title
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
    """The rows of a page in reading order."""

    rows: tuple[Row, ...]
    head: Head = Head()
    blocks: Blocks = field(default_factory=Blocks)


def highest_headings(rows: Sequence[Row]) -> list[str]:
    """Return the headings of the highest level, or all rows if none is a heading."""
    top = min((row.heading for row in rows if row.heading), default=0)
    return [row.text for row in rows if row.heading == top]


def page_rows_of_html(
    tree: LexborHTMLParser, address: str, head: Head, *, with_alternatives: bool = False
) -> PageRows:
    """Return the rows of a page as browsers show it, or as they show it without scripts and pictures."""
    base = tree.css_first("base[href]")
    if base:
        address = absolute_web_address_or_blank(attribute(base, "href"), address) or address
    walk = _TreeWalk(address, with_alternatives=with_alternatives)
    # Also adds the blocks of the rows to `walk.blocks`.
    rows = tuple(walk.iterate_rows_of_lines(tree.body)) if tree.body else ()
    return PageRows(rows, head, walk.blocks)


class _Section(NamedTuple):
    """A section of saved text below a heading."""

    level: int  # of its heading, 0 for the whole page
    block: int


def page_rows_of_saved_text(text: str, base_address: str) -> PageRows:
    """Return the rows of saved text from an address, which its links may be relative to.

    Its blocks are sections below headings, paragraphs in them, and lines and items of lists in paragraphs.
    """
    blocks = Blocks()
    rows: list[Row] = []
    open_sections = [_Section(level=0, block=0)]
    paragraph = 0  # the block of the open paragraph, 0 after an empty line
    lines = [clean_text(raw).strip() for raw in text.splitlines()]
    for line, line_below in pairwise([*lines, ""]):
        if not line:
            paragraph = 0
            continue
        line_text, level = _text_and_heading_level(line, line_below)
        if level > 0:
            _begin_section(level, open_sections, blocks)
            paragraph = 0
        # The lines directly below a heading are in one paragraph with it.
        if not paragraph:
            paragraph = blocks.add("paragraph", open_sections[-1].block)
        shape = "item" if ITEM.match(line) else "line"
        section_blocks = [section.block for section in open_sections]
        path = (*section_blocks, paragraph, blocks.add(shape, paragraph))
        rows.append(_row_of_saved_line(line_text, _Position(path, heading=level), base_address))
    return PageRows(tuple(rows), blocks=blocks)


def _begin_section(level: int, open_sections: list[_Section], blocks: Blocks) -> None:
    """Add a section to the open sections and to the blocks. It ends the sections of its level and of lower
    levels: "## Wells" ends "## Springs" and its "### Notes"."""
    while open_sections[-1].level >= level:
        open_sections.pop()
    block = blocks.add("section", parent=open_sections[-1].block)
    open_sections.append(_Section(level, block))


def _text_and_heading_level(line: str, line_below: str) -> tuple[str, int]:
    """Return ("Springs", 2) for "## Springs", and the line with level 0 if it is no heading."""
    heading = HEADING.match(line)
    if heading:
        return heading["name"], len(heading["sign"])
    # A rule below a line makes it a heading: "=====" is level 1. A short rule divides paragraphs.
    rule = re.fullmatch(r"={4,}|~{4,}|-{4,}", line_below)
    is_half_as_long = len(line_below) * 2 >= len(line)
    if rule and is_half_as_long:
        level_by_sign = {"=": 1, "~": 2, "-": 3}
        return line, level_by_sign[line_below[0]]
    return line, 0


def _row_of_saved_line(text: str, position: _Position, base_address: str) -> Row:
    """Return the row of a line of saved text. Each link and each cell is a piece of it.

    "See [the notes](/notes) now" has the pieces "See", "the notes" with a link, and "now". Links are
    relative to `base_address`.
    """
    max_parts = 50  # bounds the pieces of hostile lines; the rest of the line is one piece
    line = _InlineText(position)
    end_of_last_part = 0
    for part in islice(PART.finditer(text), max_parts):
        line.add_with_single_blanks(text[end_of_last_part : part.start()], position)
        target = part["link_target"] or part["bare_address"] or ""
        href = absolute_web_address_or_blank(target, base_address)
        # Any other part is a bare address or the blanks between two cells, and is its own text.
        part_text = part["link_text"] or part["wiki_text"] or part[0]
        line.begin_piece()
        line.add_with_single_blanks(part_text, replace(position, href=href))
        line.begin_piece()
        end_of_last_part = part.end()
    line.add_with_single_blanks(text[end_of_last_part:], position)
    return line.row()


# -- the head of an HTML page ----------------------------------------------------------------------


def read_head(tree: LexborHTMLParser) -> Head:
    title_node = tree.css_first("head > title")
    title = _cleaned_line(title_node.text()) if title_node else ""
    # <meta property="og:title" content="Springs"> is the title that a page gives to social networks.
    names = (
        'meta[property="og:title"], meta[property="og:site_name"], meta[name="twitter:title"], '
        'meta[property="twitter:title"], meta[name="title"], meta[name="application-name"]'
    )
    # The limits bound the time and memory for hostile pages.
    declared_names = tuple(
        _cleaned_line(attribute(node, "content"))[:500] for node in tree.css(names)[:200]
    )
    locale = attribute(tree.root, "lang").strip().lower() if tree.root else ""  # "en-us"
    language = locale.partition("-")[0]
    return Head(title=title, declared_names=declared_names, language=language)


def _cleaned_line(text: str) -> str:
    return clean_text(" ".join(text.split()))


# -- the body of an HTML page ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Position:
    """The position of a node in the tree, and facts about the elements around it."""

    path: tuple[int, ...] = (0,)
    shape: tuple[str, ...] = ()
    heading: int = 0
    href: str = ""
    in_menu: bool = False
    in_part: bool = False  # of the page, such as an article
    column: tuple[int, int] = NO_COLUMN


class _InlineText:
    """The inline text between the beginnings and ends of two blocks."""

    def __init__(self, position: _Position) -> None:
        self.position = position  # of the first text, if there is one
        self.text: list[str] = []
        self.length = 0  # of the text
        self.pieces: list[Piece] = []
        self.stamps: list[str] = []  # dates and lengths for machines
        self.media: list[str] = []  # addresses of audio
        self.is_new_piece = True  # the next text has another element

    def add_with_single_blanks(self, text: str, position: _Position) -> None:
        """Add text at a position with single blanks: "  Of\\nkettles " as " Of kettles ".

        It continues the last piece, or is a new piece after `begin_piece`.
        """
        cleaned = clean_text(text)
        with_single_blanks = " ".join(cleaned.split())
        if cleaned[:1].isspace():
            self._add_blank()
        if not with_single_blanks:  # the text is a blank
            return
        if not self.text:  # this is the first text
            self.position = position
        if self.is_new_piece:
            start = self.length
        else:
            start = self.pieces.pop().start  # the longer piece replaces the last one
        self.text.append(with_single_blanks)
        self.length += len(with_single_blanks)
        self.pieces.append(Piece(start, self.length, position.href))
        self.is_new_piece = False
        if cleaned[-1].isspace():
            self._add_blank()

    def begin_piece(self) -> None:
        self.is_new_piece = True

    def _add_blank(self) -> None:
        if self.text and self.text[-1] != " ":
            self.text.append(" ")
            self.length += 1

    def row(self) -> Row:
        position = self.position
        return Row(
            text="".join(self.text).rstrip(),
            pieces=tuple(self.pieces),
            path=position.path,
            shape=position.shape,
            heading=position.heading,
            in_menu=position.in_menu,
            stamps=tuple(self.stamps),
            media=tuple(self.media),
            column=position.column,
        )


class _Visit(NamedTuple):
    """The start or the end of a node in the walk through a tree."""

    node: LexborNode
    position_around: _Position  # of the element that holds the node
    is_end: bool = False


class _TreeWalk:
    """A walk through a tree without recursion: hostile pages nest deeper than Python recurses."""

    def __init__(self, base_address: str, *, with_alternatives: bool) -> None:
        self.base_address = base_address
        self.with_alternatives = with_alternatives
        self.blocks = Blocks()
        self.cells: Counter[int] = Counter()  # the number of cells so far in each line of a table
        self.line = _InlineText(_Position())
        self.stack: list[_Visit] = []

    def iterate_rows_of_lines(self, top: LexborNode) -> Iterator[Row]:
        """Yield a row for each line of text in the tree, in their order.

        An element is visited twice: at its begin, which plans the visits of its children and of its end,
        and at its end.
        """
        self.stack.append(_Visit(top, _Position()))
        while self.stack:
            visit = self.stack.pop()
            node, position = visit.node, visit.position_around
            tag = node.tag or ""
            if tag == "-text":  # the parser's name of a text between tags
                yield from self._add_text_and_iterate_rows(node.text_content or "", position)
                continue
            # A line ends where a block begins or ends. A heading with `<br>` is one title.
            is_line_break = tag == "br"
            is_block = _is_block_element(node, tag)
            if is_line_break and position.heading:
                self.line.add_with_single_blanks(" ", position)
            elif is_block:
                yield from self._close_line_and_iterate_rows(position)
            # The text before the tag and the text behind it are in different elements.
            self.line.begin_piece()
            # `<br>` ends a line as a block does, but has no content to visit.
            if not visit.is_end and not is_line_break:
                self._enter_element_and_plan_visits(node, tag, position, is_block=is_block)

    def _add_text_and_iterate_rows(self, text: str, position: _Position) -> Iterator[Row]:
        """Add a text to the open line. Yield the rows that end in it: in `<pre>` each line is a row."""
        lines = text.split("\n") if _is_in_pre(position.shape) else [text]
        self.line.add_with_single_blanks(lines[0], position)
        for line in lines[1:]:
            yield from self._close_line_and_iterate_rows(position)
            self.line.add_with_single_blanks(line, position)

    def _close_line_and_iterate_rows(self, next_position: _Position) -> Iterator[Row]:
        """Close the open line, open the next one at a position, and yield the row of the closed line if it
        has content."""
        line = self.line
        self.line = _InlineText(next_position)
        if line.pieces or line.stamps or line.media:
            row = line.row()
            if _is_in_pre(row.shape):
                # Each line of preformatted text is a block, like the lines of saved text.
                line_block = self.blocks.add("line", row.path[-1])
                row = replace(row, path=(*row.path, line_block))
            yield row

    def _enter_element_and_plan_visits(
        self, node: LexborNode, tag: str, position: _Position, *, is_block: bool
    ) -> None:
        """Add the values of an element for machines, and plan the visits of its children and of its end.

        `position` is the position around the element.
        """
        inner = position
        # Links are `<a>`, and elements of a site's own: `<music-link href>`.
        if "href" in node.attributes and tag != "link":
            href = absolute_web_address_or_blank(attribute(node, "href"), self.base_address)
            inner = replace(position, href=href)
        if is_block:
            inner = self._begin_block_and_get_inner_position(node, tag, inner)
        self._add_nontext_values_to_line(node, tag, inner)
        # The last visit on the stack is the next one. So the end of the element comes first, and then its
        # children from the last to the first.
        self.stack.append(_Visit(node, position, is_end=True))
        visits_of_children = [
            _Visit(child, inner)
            for child in node.iter(include_text=True)
            if not self._is_left_out(child)
        ]
        self.stack.extend(reversed(visits_of_children))

    def _is_left_out(self, node: LexborNode) -> bool:
        if node.tag == "noscript" and self.with_alternatives:
            return False
        return _is_hidden_or_irrelevant(node)

    def _begin_block_and_get_inner_position(
        self, node: LexborNode, tag: str, position: _Position
    ) -> _Position:
        """Add the block of an element at a position, move the open line, which is empty, into the block, and
        return the position of its content."""
        shape = _normalized_shape(tag, attribute(node, "class"))  # "div card"
        block = self.blocks.add(shape, parent=position.path[-1])
        path = (*position.path, block)
        max_depth = 60  # bounds the paths of hostile pages
        # The header or footer of a part of the page, such as an article, is no menu.
        is_menu = tag == "nav" or (tag in ("header", "footer") and not position.in_part)
        is_part_of_page = tag in ("article", "li", "section", "main", "tr")
        is_heading = re.fullmatch("h[1-6]", tag) is not None
        column = position.column
        if tag in ("td", "th"):
            column = self._count_cell_and_get_column(position)
        inner = _Position(
            path=path[:max_depth],
            shape=(*position.shape[-2:], shape),  # of the three innermost blocks
            heading=int(tag[1]) if is_heading else position.heading,
            href=position.href,
            in_menu=position.in_menu or is_menu,
            in_part=position.in_part or is_part_of_page,
            column=column,
        )
        self.line.position = inner
        return inner

    def _count_cell_and_get_column(self, position: _Position) -> tuple[int, int]:
        """Return the number of the table, and the number of the next cell in its row."""
        # The parser adds a missing <tbody>, so a cell is always in these three. Only hostile pages have tables that
        # are deeper than the path.
        table, _tbody, table_row = position.path[-3:]
        self.cells[table_row] += 1
        return (table, self.cells[table_row])

    def _add_nontext_values_to_line(self, node: LexborNode, tag: str, position: _Position) -> None:
        """Add the values of an element that are not text: dates, lengths, media, and links without text."""
        date_or_length = attribute(node, "datetime")  # <time datetime="2024-05-17">
        properties = ("datePublished", "uploadDate", "duration", "timeRequired")
        if attribute(node, "itemprop") in properties:  # <meta itemprop="duration" content="PT21M">
            date_or_length = date_or_length or attribute(node, "content")
        stamp = clean_text(date_or_length)[:60]  # longer than any date or length
        if stamp:
            self.line.stamps.append(stamp)
        if tag in ("audio", "source", "video"):
            address = absolute_web_address_or_blank(attribute(node, "src"), self.base_address)
            if address:
                self.line.media.append(address)
        # Such as a picture that leads to the episode.
        is_link = "href" in node.attributes and position.href != ""
        is_link_without_text = is_link and not node.text().strip()
        if is_link_without_text and self.with_alternatives:
            self.line.add_with_single_blanks(_label_of_link(node), position)
        elif is_link_without_text:
            end_of_line = self.line.length
            self.line.pieces.append(Piece(end_of_line, end_of_line, position.href))


def _label_of_link(node: LexborNode) -> str:
    """Return the text of a link for browsers without pictures."""
    picture = node.css_first("img[alt]")
    label = attribute(node, "aria-label") or attribute(node, "title")
    if not label and picture:
        label = attribute(picture, "alt")
    return label[:MAX_LABEL]


def _is_in_pre(shape: Sequence[str]) -> bool:
    innermost = "".join(shape[-1:])  # tag and classes, "" outside of blocks
    return re.match(r"pre\b", innermost) is not None


@lru_cache(maxsize=5_000)
def _normalized_shape(tag: str, classes: str) -> str:
    """Return tag and classes of a block in one spelling for all blocks that look alike."""
    # Many sites number their articles: "post-2189".
    class_names = set(re.sub(r"\d+", "0", classes).split())
    # The limits bound the memory for hostile classes.
    shape = " ".join([tag, *sorted(class_names)[:6]])
    return shape[:200]


def _is_hidden_or_irrelevant(node: LexborNode) -> bool:
    """Return True for an element without rows: it is hidden, or a script, a comment, a reading time or the
    like."""
    tag = node.tag or ""
    if tag == "-text":
        return False
    if "hidden" in node.attributes or SILENT.fullmatch(tag):
        return True
    names = f"{attribute(node, 'class')} {attribute(node, 'id')}"
    return SIDE_REMARK.search(names) is not None


def _is_block_element(node: LexborNode, tag: str) -> bool:
    is_custom_element = "-" in tag
    if tag == "a" or is_custom_element:
        # With several children, as <a><h3>Springs</h3><p>Of kettles</p></a>, it is a card. Else it is a word in a line.
        children = [
            child for child in node.iter(include_text=False) if child.tag not in ("br", "wbr")
        ]
        return len(children) > 1
    return BLOCKS.fullmatch(tag) is not None
