"""Reads player.fm's list of a series: descriptions that end in "continue reading", with titles only where the page has them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...listings.dates import moment, printed_length
from ...listings.entries import entry, paragraph
from ...listings.html import TextLine, lines, title_of
from ...listings.json_ld import fill
from ...listings.show_names import heads, is_show, normalize_show_name, show_above
from ...records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show, WrongShow

TITLE = "Player FM"
HOSTS = ("player.fm", "ru.player.fm", "uk.player.fm", "www.player.fm")
MIN_ENTRIES = 1
MIN_WITH_TEXT = 0.9

# "Public" and "open" as the site's interface says it behind a series' name.
BADGES = frozenset(
    (
        "public publique publics ouvert ouverts open öffentlich offen offene público pública públicos abierto "
        "abiertos aberto abertos pubblico pubblica pubblici aperto aperti openbaar otwarte otwarty publiczny "
        "publiczne offentlig offentligt offentliga åpen åpent öppen öppet öppna åben åbent julkinen avoin "
        "veřejný veřejné verejný verejné otevřené nyilvános nyitott открытый открытые публичный публичные "
        "общедоступный відкриті відкритий публічний публічні отворен јавно javno javni δημόσιο ανοιχτό açık "
        "ציבורי פתוח عام مفتوح 公開 公开 공개 สาธารณะ सार्वजनिक umum awam"
    ).split()
)
MARK = re.compile(r"(?:^|(?<=\s)|(?<=[….]))continue reading\W*$", re.I)
LIMIT = 350  # characters after which the site cuts a text; it puts "…" after shorter, whole ones too
LONGEST_TITLE = 200
ADDRESS_AT_END = re.compile(r"https?://\S+$")
SENTENCE_END = re.compile(r"[.!?:)\]\"'’”]$")
AGO = re.compile(r"\d{1,3}\s*(?:[a-z]{1,2}|seconds?|minutes?|hours?|days?|weeks?|months?|years?) ago", re.I)
PARTS = re.compile(r"\s*[•·|]\s*")

Block = list[TextLine]


def recognises(page: FetchedDocument) -> bool:
    return len(_blocks(lines(page))) >= 2


def read(page: FetchedDocument, show: Show) -> ParsedPage:
    """Entries newest first, as the page lists them; most have a text and nothing else.

    Raises:
        DocumentRejected: it has no such entry, or is the page of another series.
    """
    blocks = _blocks(lines(page))
    if not blocks:
        raise DocumentRejected('no entry that ends in "continue reading" in it')
    name, ours = _series(blocks[0], show, title_of(page))
    if not ours:
        raise WrongShow(f"it is about another show: {name or 'unnamed'}, not {show.title}")
    often = Counter(text for block in blocks for text in {line.text for line in block if not line.is_prose})
    noise = {text for text, count in often.items() if len(blocks) > 3 and count * 3 > len(blocks)}
    split = [_split([x for x in block if x.text not in noise and not _is_name(x, name, show)]) for block in blocks]
    titled = _titled([head for head, _, _ in split])
    entries = [_entry(*parts, titled, name, show) for parts in split]
    return ParsedPage(fill(tuple(said for said in entries if said), page, show), show.title)


def _blocks(found: tuple[TextLine, ...]) -> list[Block]:
    """The lines of each entry, up to the label that ends it, which may stand in the same line as the text."""
    blocks: list[Block] = []
    block: Block = []
    for line in found:
        mark = MARK.search(line.text, max(0, len(line.text) - 40))
        rest = line.text[: mark.start()].rstrip() if mark else line.text
        if rest:
            block.append(replace(line, text=rest))
        if mark:
            blocks.append(block)
            block = []
    return blocks


def _series(first: Block, show: Show, page_title: str) -> tuple[str, bool]:
    """The name in the page's heading, and whether it is the show's.

    "PyTorch відкриті" is a name, which the site shortens to its first words, and the word for "public" in the language
    of the interface; without that word it has to be the whole name.
    """
    plain = [replace(line, text=_without_badge(line.text)) for line in first]
    for above in (plain, first):
        if show_above(above, show.title, page_title) == show.title:
            return show.title, True
    if any(heads(line.text, show.title) for line in plain if not any(x.heading for x in first)):
        return show.title, True
    top = min((line.heading for line in first if line.heading), default=0)
    name = next((line.text for line in plain if line.heading == top), page_title)
    badged = any(line.text != without.text for line, without in zip(first, plain, strict=True))
    return name, badged and bool(normalize_show_name(name)) and f"{normalize_show_name(show.title)} ".startswith(
        f"{normalize_show_name(name)} "
    )


def _without_badge(heading: str) -> str:
    words = heading.split()
    return " ".join(words[:-1]) if len(words) > 1 and words[-1].casefold() in BADGES else heading


def _is_name(line: TextLine, name: str, show: Show) -> bool:
    return line.text == name or is_show(_without_badge(line.text), show.title)


def _split(block: Block) -> tuple[Block, Block, Block]:
    """What stands above an entry's text, the lines of that text, and the lines that say when and how long."""
    start = end = next((n for n in range(len(block), 0, -1) if not _times(block[n - 1].text)), 0)
    if start and block[start - 1].is_prose:
        start -= 1
        start, _ = paragraph(block, start)
    after = max((place for place, line in enumerate(block[:start]) if line.heading), default=-1)
    times = [line for line in (*block[after + 1 : start], *block[end:]) if _times(line.text)]
    return [line for line in block[:start] if not _times(line.text)], block[start:end], times


def _times(text: str) -> bool:
    """Whether a line says when or how long: "16:33", "2y ago", "Aug 4, 2024 • 16:33"."""
    return len(text) < 80 and all(
        moment(part) or printed_length(part) or AGO.fullmatch(part) for part in PARTS.split(text)
    )


def _titled(above: Sequence[Block]) -> bool:
    """Whether what stands above the texts is titles: marked as headings, or another line above each, which no menu is.

    The first is not asked: all that the page begins with stands above it.
    """
    rest = above[1:] or above
    if any(line.heading for head in rest for line in head):
        return len(above) > 1 or any(line.heading and line.links for line in above[0])
    last = [head[-1].text for head in rest if head and len(head[-1].text) <= LONGEST_TITLE]
    return len(rest) >= 2 and len(set(last)) == len(rest)


def _entry(head: Block, body: Block, times: Block, titled: bool, name: str, show: Show) -> EntryData | None:
    marked = [line for line in head if line.heading] or (
        head[-1:] if head and len(head[-1].text) <= LONGEST_TITLE else []
    )
    title = marked[-1] if titled and marked else None
    text, cut = _text("\n".join(line.text for line in body), (name, show.title)) if body else ("", None)
    if not title and not text:
        return None
    parts = [part for line in times for part in PARTS.split(line.text)]
    return entry(title, text, cut, parts)


def _text(body: str, names: Iterable[str]) -> tuple[str, bool | None]:
    """The text without what the site glues to its end, and whether the site cut it."""
    if not body.endswith("…"):
        if body.endswith("...") and len(body) >= LIMIT:
            return body[:-3], True
        # A whole text without "…" has the series' name stuck to its last address instead.
        for name in names:
            if name and body.endswith(name) and ADDRESS_AT_END.search(body[: -len(name)]):
                return body[: -len(name)], False
        return body, False
    text = body[:-1]
    if len(text) >= LIMIT:
        return text, True
    if len(text) < LIMIT - 50 or SENTENCE_END.search(text):
        return text, False
    address = ADDRESS_AT_END.search(text) is not None
    return text, None if address and len(text) >= LIMIT - 10 else not address
