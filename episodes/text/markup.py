"""Markup: tests for it, cleaning, and the plain text that a reader sees."""

import html as entities
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import nh3

from .addresses import WRITTEN_ADDRESS, LinkAnchor, PlainText, is_public_link
from .normalize import HIDDEN_CHARACTERS
from .vocabulary import word_set


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A tag or a text of balanced markup. Entities in `text` and `href` are decoded."""

    tag: str
    closing: bool
    href: str
    text: str


BLOCKS = word_set("""
address article aside blockquote dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav
ol p pre section summary table tbody tfoot thead tr ul
""")
CELLS = word_set("td th")
TAGS_DROPPED_WITH_CONTENT = word_set("""
audio button canvas embed iframe math noembed noframes noscript object option select script style svg template textarea
title video xmp
""")
# Without tags that are also words of code: "Map<object>", "std::vector<option>".
HTML_TAGS = (
    BLOCKS
    | CELLS
    | word_set("""
a abbr acronym applet area b base basefont bdi bdo bgsound big blink body br caption center cite code col colgroup data
datalist del dfn dialog dir em fieldset font form frame frameset head hgroup html i img input ins kbd label legend link
map mark marquee menu meta meter nobr optgroup output param picture plaintext portal progress q rp rt ruby s samp script
search slot small source span strike strong style sub summary sup textarea time track tt u var wbr xmp
""")
)
# Tags that separate words, with the white space in place of each.
SPACE_OF_TAG = dict.fromkeys(BLOCKS | {"br"}, "\n") | dict.fromkeys(CELLS, " ")

# As the sanitiser writes them.
_PIECE = re.compile(
    r'<(?P<closing>/?)(?P<tag>[a-z][a-z0-9]*)(?: (?:href="(?P<href>[^"]*)"|[a-z]+="[^"]*")){0,9} ?/?>'
    r"|(?P<text>[^<]+)"
)
_SPACE = re.compile(r"\s+")
_AUTOLINK = re.compile(r"<(https?://[^<>\s]+)>", re.IGNORECASE)
_TAG_OR_BRACKET = re.compile(r"<(?P<slash>/?)(?P<name>[A-Za-z][\w:.-]*)(?P<rest>[^<>]*)(?P<end>>?)")
_ATTRIBUTE = re.compile(r"\s[\w:-]+\s*=")
_PRE = re.compile(r"<pre>.*?</pre>", re.DOTALL)
# And soft hyphens, which no reader sees.
_CONTROLS = re.compile(rf"[\x00-\x08\x0e-\x1f\x7f\xad]|{HIDDEN_CHARACTERS}")


def is_markup(html: str) -> bool:
    if has_too_many_tags(html):
        return False
    return re.search(r"<[A-Za-z/!?]", _escape_text_and_rename_unknown_tags(html)) is not None


def has_too_many_tags(html: str) -> bool:
    """Return whether parsing would take too long: the parser looks through all open elements at each tag."""
    # Far beyond any notes.
    max_tags, max_unclosed_tags = 10_000, 1_000
    tags = html.count("<") - html.count("<!")  # comments nest nothing
    if tags <= max_unclosed_tags:
        return False
    # An end tag closes one start tag, so both count.
    tags_without_end = re.findall(r"<(?:br|hr|img)\b", html, flags=re.IGNORECASE)
    closed_tags = 2 * html.count("</") + len(tags_without_end)
    return tags > max_tags or tags - closed_tags > max_unclosed_tags


def storable_text(text: str) -> str:
    """Return a text without control characters, halves of characters and hidden characters. Parsers
    and databases refuse them."""
    without_controls = _CONTROLS.sub("", text)
    return re.sub(r"[\ud800-\udfff]", "\ufffd", without_controls)


def unescape_entities(text: str) -> str:
    """Return text with characters in place of its entities: "&amp;", "&#8217;", "&#x2019;"."""
    return re.sub(
        r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});",
        lambda entity: entities.unescape(entity[0]),
        text,
        flags=re.IGNORECASE,
    )


def strip_formatting_tags(line: str) -> str:
    """Return a title or a name without the tags that format it. Other markup there is text:
    "vector<int>", "The <canvas> element"."""
    for _ in range(4):  # nested tags, the inner ones first
        line = re.sub(
            r"<(a|abbr|b|code|em|font|i|s|small|span|strong|sub|sup|u)\b[^<>]{0,300}>([^<>]*)</\1>",
            r"\2",
            line,
            flags=re.IGNORECASE,
        )
        # Blocks separate words.
        line = re.sub(
            r"<(center|div|h[1-6]|p)\b[^<>]{0,300}>([^<>]*)</\1>",
            r" \2 ",
            line,
            flags=re.IGNORECASE,
        )
    # "the <br> element" has spaces on both sides, and is text.
    without_breaks = re.sub(r"<br\s*/>|(?<!\s)<br>|<br>(?!\s)", " ", line, flags=re.IGNORECASE)
    return " ".join(without_breaks.split())


def plain(html: str) -> str:
    """Return a text with its entities decoded. Tags stay as text, unless there are far too many."""
    text = storable_text(html)
    if has_too_many_tags(text):
        text = re.sub(r"<[A-Za-z/!?][^<>]*>", " ", text)
    return storable_text(entities.unescape(_AUTOLINK.sub(r"\1", text)))


def split_into_allowed_tags_and_texts(html: str) -> list[TextPiece]:
    """Return markup as balanced pieces with tags for blocks, links, code and stress only. Scripts, styles
    and embedded content are dropped. A line break in `<pre>` becomes a `<br>`."""
    balanced = cleaned_markup(html, BLOCKS | word_set("a b br code em i strong td th"))
    with_breaks = _PRE.sub(lambda pre: pre[0].replace("\n", "<br>"), balanced)
    pieces = []
    for match in _PIECE.finditer(with_breaks):
        parts = match.groupdict("")
        piece = TextPiece(
            tag=parts["tag"],
            closing=parts["closing"] != "",
            href=entities.unescape(parts["href"]).strip(),
            text=storable_text(entities.unescape(parts["text"])),
        )
        pieces.append(piece)
    return pieces


def cleaned_markup(html: str, tags: frozenset[str]) -> str:
    return _cleaner(tags).clean(_escape_text_and_rename_unknown_tags(storable_text(html)))


def _escape_text_and_rename_unknown_tags(html: str) -> str:
    """Return markup with "&lt;" in place of each "<" that begins no tag: "vector<int>", "a <b and c".

    Tags that HTML does not know become `<x>`. The parser takes some of them, such as `<path>` and `<set>`,
    for MathML or SVG, and the cleaner would drop them with all that follows.
    """
    # "<https://loom.example>" is an address in brackets.
    with_addresses = _AUTOLINK.sub(r"&lt;\1&gt;", html)
    end_tags = re.findall(r"</([A-Za-z][\w:.-]*)", with_addresses)
    closed_names = {name.lower() for name in end_tags}

    def bracket_for_cleaner(bracket: re.Match[str]) -> str:
        name = bracket["name"].lower()
        if not _is_tag(bracket, has_end_tag=name in closed_names):
            return bracket[0].replace("<", "&lt;")
        # The cleaner knows these. It drops some of them with their content, such as <script>.
        if name in HTML_TAGS or name in TAGS_DROPPED_WITH_CONTENT:
            return bracket[0]
        # Of `<x>` the cleaner drops the tag and keeps the content.
        return f"<{bracket['slash']}x>"

    return _TAG_OR_BRACKET.sub(bracket_for_cleaner, with_addresses)


def _is_tag(bracket: re.Match[str], *, has_end_tag: bool) -> bool:
    behind_name = bracket["rest"]
    is_name_complete = behind_name[:1] in ("", " ", "\t", "\r", "\n", "/")
    if not is_name_complete:
        return False  # <me@loom.example>, <std::string, int>
    is_closed = bracket["end"] != ""
    has_attribute = _ATTRIBUTE.match(behind_name) is not None
    if bracket["name"].lower() in HTML_TAGS:
        # `<b>`, and `<a href="/1"` without its end, but not "a <b and c".
        return is_closed or has_attribute or not behind_name.strip()
    # A name that HTML does not know: `<path d="…">`, `<set/>`, but not "vector<int>".
    is_end_tag = bracket["slash"] != ""
    closes_itself = behind_name.endswith("/")
    looks_like_tag = is_end_tag or has_end_tag or closes_itself or has_attribute
    return is_closed and looks_like_tag


@cache
def _cleaner(tags: frozenset[str]) -> nh3.Cleaner:
    return nh3.Cleaner(
        tags=set(tags),
        clean_content_tags=set(TAGS_DROPPED_WITH_CONTENT),
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        url_relative=_allow_relative_address,
        link_rel="nofollow noopener noreferrer",
    )


def _allow_relative_address(address: str) -> str | None:
    """Return an address that only lacks its scheme, or None for an address that is relative to its site,
    which drops the link."""
    stripped = address.strip()
    has_host = stripped.startswith("//") or WRITTEN_ADDRESS.fullmatch(stripped)
    return stripped if has_host else None


def plain_text_of_markup(html: str) -> PlainText:
    """Return markup as text: a line for each block, list item and line break, with white space folded
    and entities decoded. Text without a tag keeps its own lines."""
    if is_markup(html):
        return plain_text_and_links_of_pieces(split_into_allowed_tags_and_texts(html))
    lines = [" ".join(line.split()) for line in plain(html).splitlines() if line.strip()]
    return PlainText("\n".join(lines), ())


def plain_text_and_links_of_pieces(text_pieces: Iterable[TextPiece]) -> PlainText:
    """Return the text of balanced markup, and its links to public hosts: "See the loom" and a link from 4 to 12
    for `See <a href="https://loom.example/">the loom</a>`."""
    text = ""
    open_href = ""  # of the link that has begun, "" outside of links
    length_before_link = 0
    anchors: list[LinkAnchor] = []
    for piece, space_and_words in _iterate_pieces_and_spaced_words(text_pieces):
        if piece.tag == "a":  # the start or the end of a link
            if open_href:
                # " the loom" was added since the start, and its space is no part of the link.
                words_of_link = text[length_before_link:].lstrip()
                start = len(text) - len(words_of_link)
                anchors.append(LinkAnchor(start, len(text), open_href))
            open_href = piece.href if is_public_link(piece.href) else ""
            length_before_link = len(text)
        text += space_and_words
    return PlainText(text, tuple(anchors))


def _iterate_pieces_and_spaced_words(
    text_pieces: Iterable[TextPiece],
) -> Iterator[tuple[TextPiece, str]]:
    """Yield each piece with its words, and in front of them one character of the white space since the
    last words. Tags have no words."""
    gap = ""  # white space since the last words
    has_words_before = False
    for piece in text_pieces:
        # "\n" for a block, " " for a cell. Other tags have an empty text.
        spaced_words = SPACE_OF_TAG.get(piece.tag, _SPACE.sub(" ", piece.text))
        words = spaced_words.strip()
        if not words:
            gap += spaced_words
            yield piece, ""
            continue
        space_before, _, space_behind = spaced_words.partition(words)
        gap += space_before
        separator = "\n" if "\n" in gap else gap[:1]
        # The first words of the text have no white space in front.
        yield piece, separator + words if has_words_before else words
        gap = space_behind
        has_words_before = True
