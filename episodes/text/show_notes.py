"""Makes show notes fit to read: as plain text, and as markup that is safe to put on a page."""

import html as entities
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from .addresses import PlainText, TextSpan, addresses_in, is_link, link_address
from .markup import (
    BLOCKS,
    CELLS,
    TextPiece,
    cleaned_markup,
    flat,
    flatten,
    is_markup,
    pieces,
    plain,
    storable,
)
from .vocabulary import word_set

SHOWN = word_set("a b blockquote br code em h3 h4 hr i li ol p pre strong ul")

# The page has its own headings above h3; all other boxes are only paragraphs here.
SHOWN_AS = {"h1": "h3", "h2": "h3", "h5": "h4", "h6": "h4"}
INSTEAD = dict.fromkeys(BLOCKS - SHOWN | {"p"}, "<p>") | dict.fromkeys(CELLS, " ")
PASSES = 8

_EMPTY = re.compile(r"<(\w+)(?: [^<>]*)?>(?:\s|&nbsp;|<br>)*</\1>")


@lru_cache(maxsize=256)  # asked again at once, and then no more
def to_text(html: str) -> str:
    """The notes as plain text: a line for each paragraph and list item, white space collapsed,
    entities decoded, scripts and styles gone. Never raises."""
    return flatten(html).text


@lru_cache(maxsize=256)  # asked again at once, and then no more
def to_html(html: str, text: str, cut: bool) -> str:
    """The notes as markup to show: an allow-list of tags, http(s) links only, addresses live.

    `text` stands in where there is no markup. Balanced and safe.
    """
    source = html if html.strip() else entities.escape(storable(text), quote=False)
    if not is_markup(source):
        source = "".join(f"<p>{_escape(line)}</p>" for line in plain(source).splitlines())
    found = pieces(source)
    kept = {span.anchor: span for span in addresses_in(flat(found), cut)}
    # The parser closes a paragraph where the next one begins, and what is still open at the end.
    shown = cleaned_markup(f"<p>{''.join(_written(found, kept, cut))}", SHOWN)
    for _ in range(PASSES):
        shown, emptied = _EMPTY.subn("", shown)
        if not emptied:
            break
    return shown.strip()


def _written(found: Sequence[TextPiece], kept: Mapping[int, TextSpan], cut: bool) -> Iterator[str]:
    """The pieces anew, with live addresses and with the links that are kept."""
    last = max((place for place, piece in enumerate(found) if piece.text.strip()), default=0)
    links, is_linked = 0, False
    for place, piece in enumerate(found):
        if piece.tag == "a":
            is_linked = is_link(piece.href)
            link = kept.get(links) if is_linked else None
            links += is_linked
            if link is None:
                yield "</a>"
            else:  # all of a link around a picture
                yield (_opening if link.start < link.end else _link)(link.address)
        elif piece.tag:
            tag = SHOWN_AS.get(piece.tag, piece.tag)
            # The parser needs a paragraph for what follows a block.
            after = "<p>" if piece.closing and tag in BLOCKS else ""
            yield INSTEAD.get(tag) or f"<{'/' * piece.closing}{tag}>{after}"
        elif is_linked:
            yield _escape(piece.text)
        else:
            yield from _live(piece.text, cut and place == last)


def _live(text: str, cut: bool) -> Iterator[str]:
    after = 0
    for span in addresses_in(PlainText(text, ()), cut):
        yield _escape(text[after : span.start]) + _link(span.address)
        after = span.end
    yield _escape(text[after:])


def _escape(text: str) -> str:
    return entities.escape(text, quote=False)


def _opening(address: str) -> str:
    return f'<a href="{entities.escape(link_address(address))}">'


def _link(address: str) -> str:
    return f"{_opening(address)}{_escape(address)}</a>"
