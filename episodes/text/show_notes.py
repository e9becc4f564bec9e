"""Makes show notes fit to read: as plain text, and as markup that is safe to put on a page."""

from __future__ import annotations

import html as entities
import re
from functools import lru_cache

from .addresses import PlainText, addresses_in, is_link, link_address
from .markup import (
    BLOCKS,
    VOID,
    TextPiece,
    cleaned_markup,
    flatten,
    is_markup,
    pieces,
    plain,
    storable,
)

SHOWN = frozenset(
    [
        "a",
        "b",
        "blockquote",
        "br",
        "code",
        "em",
        "h3",
        "h4",
        "hr",
        "i",
        "li",
        "ol",
        "p",
        "pre",
        "strong",
        "ul",
    ]
)

# Shown as something else: the page has its own headings above h3, and boxes are only paragraphs
# here.
SHOWN_AS = {
    **dict.fromkeys(["h1", "h2"], "h3"),
    **dict.fromkeys(["h5", "h6"], "h4"),
    **dict.fromkeys(["dd", "dt", "figcaption", "tr", "summary", "address"], "p"),
    **dict.fromkeys(
        [
            "article",
            "aside",
            "details",
            "div",
            "figure",
            "footer",
            "header",
            "main",
            "nav",
            "section",
        ],
        "p",
    ),
}
PASSES = 8

_RENAMED = re.compile(rf"<(/?)({'|'.join(SHOWN_AS)})(?=[\s>])")
_TOP = BLOCKS & SHOWN


@lru_cache(maxsize=256)  # asked again at once, and then no more
def to_text(html: str) -> str:
    """The notes as plain text: a line for each paragraph and list item, white space collapsed,
    entities decoded, scripts and styles gone. Never raises."""
    return flatten(html).text


@lru_cache(maxsize=256)  # asked again at once, and then no more
def to_html(html: str, text: str, cut: bool) -> str:
    """The notes as markup to show: an allow-list of tags, http(s) links only, every address live
    that `mentions` finds.

    `text` stands in where there is no markup. Balanced and safe; made again from its own outcome it
    is the same.
    """
    source = html if html.strip() else entities.escape(storable(text), quote=False)
    shown = _settled(source if is_markup(source) else _paragraphs(plain(source)), cut)
    return shown if shown is not None else _settled(_paragraphs(to_text(source)), cut) or ""


def _settled(markup: str, cut: bool) -> str | None:
    """Markup tidied until tidying changes nothing; None for markup that finds no rest, as only
    hostile markup does."""
    for _ in range(PASSES):
        tidied = cleaned_markup(_tidied(_renamed(markup), cut), SHOWN)
        if tidied == markup:
            return tidied
        markup = tidied
    return None


def _renamed(markup: str) -> str:
    return _RENAMED.sub(
        lambda found: f"<{found[1]}{SHOWN_AS[found[2]]}",
        cleaned_markup(markup, SHOWN | set(SHOWN_AS)),
    )


def _paragraphs(text: str) -> str:
    lines = (" ".join(line.split()) for line in text.splitlines())
    return "".join(f"<p>{entities.escape(line, quote=False)}</p>" for line in lines if line)


def _tidied(markup: str, cut: bool) -> str:
    found = pieces(markup, SHOWN)
    return _Tidier(found, cut).markup()


class _Tidier:
    """Writes pieces of markup anew: addresses live, text in paragraphs, nothing empty."""

    def __init__(self, found: list[TextPiece], cut: bool) -> None:
        self.found = found
        self.out: list[str] = []
        self.open: list[
            tuple[str, int, bool]
        ] = []  # tag, its place in `out`, whether it shows something
        self.shows = False
        flat, self.anchor_places = _laid_out(found)
        spans = addresses_in(flat, cut)
        self.kept = {span.anchor: span.address for span in spans if span.anchor >= 0}
        self.bare = [span for span in spans if span.anchor < 0]
        self.next_bare = 0
        self.offset = 0
        self.address = ""  # of the link that is open

    def markup(self) -> str:
        for place, piece in enumerate(self.found):
            if not piece.tag:
                self._text(piece)
            elif piece.tag in VOID:
                self._void(piece)
            elif piece.closing:
                self._close(piece.tag)
            else:
                self._open(piece, place)
            self.offset += len(_laid(piece))
        self._end_paragraph()
        return "".join(self.out)

    def _text(self, piece: TextPiece) -> None:
        if not self.open and piece.text.strip():
            self._begin("p", "<p>")
        if self.open or piece.text.strip():
            self.out.append(self._live(piece))
        self.shows = self.shows or bool(piece.text.strip())

    def _live(self, piece: TextPiece) -> str:
        text = (
            piece.text.lstrip("\n")
            if self.open[-1][0] == "pre" and self._is_first()
            else piece.text
        )
        shift = len(piece.text) - len(text)
        after, parts, end = shift, [], self.offset + len(piece.text)
        while self.next_bare < len(self.bare) and self.bare[self.next_bare].start < end:
            span = self.bare[self.next_bare]
            self.next_bare += 1
            start, stop = span.start - self.offset, span.end - self.offset
            if start >= after and stop <= len(piece.text):
                parts += [_escape(piece.text[after:start]), _link(span.address)]
                after = stop
        return "".join(parts) + _escape(piece.text[after:])

    def _is_first(self) -> bool:
        return self.open[-1][1] == len(self.out) - 1

    def _void(self, piece: TextPiece) -> None:
        if piece.tag == "hr":
            self._end_paragraph()
            self.out.append(piece.raw)
            self.shows = True
        elif self.open:
            self.out.append(piece.raw)

    def _open(self, piece: TextPiece, place: int) -> None:
        if piece.tag in _TOP:
            self._end_paragraph()
        elif not self.open:
            self._begin("p", "<p>")
        if piece.tag != "a":
            self._begin(piece.tag, piece.raw)
        else:
            address = self.address = self.kept.get(self.anchor_places.get(place, -1), "")
            self._begin("a" if address else "", _opening(address) if address else "")

    def _begin(self, tag: str, raw: str) -> None:
        self.open.append((tag, len(self.out), self.shows))
        self.out.append(raw)
        self.shows = False

    def _close(self, tag: str) -> None:
        if not self.open:
            return
        opened, place, shown_before = self.open.pop()
        if opened == "a" and not self.shows:  # around a picture
            self.out.append(_escape(self.address))
            self.shows = True
        if not self.shows:
            del self.out[place:]
        elif opened:
            self._trim_breaks(opened)
            self.out.append(f"</{opened}>")
        self.shows = self.shows or shown_before

    def _trim_breaks(self, tag: str) -> None:
        if tag not in _TOP or tag == "pre":
            return
        while self.out[-1] == "<br>" or self.out[-1].isspace():
            self.out.pop()

    def _end_paragraph(self) -> None:
        """Close the paragraph that was begun for loose text, now that a block follows."""
        if (
            self.open
            and self.open[0][0] == "p"
            and self.out[self.open[0][1]] == "<p>"
            and len(self.open) == 1
        ):
            self._close("p")


def _laid_out(found: list[TextPiece]) -> tuple[PlainText, dict[int, int]]:
    """The pieces as one text in which each keeps its length, and which piece opens which link."""
    parts: list[str] = []
    anchors: list[tuple[int, int, str]] = []
    edges: list[int] = []
    places: dict[int, int] = {}
    length, opened = 0, (0, 0, "")
    for place, piece in enumerate(found):
        if piece.tag == "a" and not piece.closing:
            opened = (place, length, piece.href)
        elif piece.tag == "a" and opened[2] and is_link(opened[2]):
            places[opened[0]] = len(anchors)
            anchors.append((opened[1], length, opened[2]))
        elif piece.tag and not _laid(piece):
            edges.append(length)
        parts.append(_laid(piece))
        length += len(parts[-1])
    return PlainText("".join(parts), tuple(anchors), tuple(edges)), places


def _laid(piece: TextPiece) -> str:
    return piece.text if not piece.tag else "\n" if piece.tag in BLOCKS or piece.tag == "br" else ""


def _escape(text: str) -> str:
    return entities.escape(text, quote=False)


def _opening(address: str) -> str:
    return f'<a href="{entities.escape(link_address(address))}">'


def _link(address: str) -> str:
    return f"{_opening(address)}{_escape(address)}</a>"
