"""Reads a site's lists by their layout: what its entries look like, said once, is all that most sites' readers need.

A pattern is a regular expression of lines with fields, such as "{number}. {title}", whatever the case. Fields that are taken:
{title} {show} {date} {length} {number} {rank}; dates in any language, with a time of day where one stands there. A {rank}
only counts entries. {name} is the name of the show that is read, {start} its first words.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, takewhile

from selectolax.lexbor import LexborNode, SelectolaxError

from ..records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from .dates import Calendar, Mark, marks, moment, printed_length
from .document import Document
from .html import base_of
from .json_ld import fill
from .rows import Row, rows_in
from .show_names import heads, is_show, says

TOP = 40  # rows in which a page says whose it is
MOST = 20_000  # entries of a page
WIDE = 40  # elements that stand beside the one that begins an entry and belong to it
DEEP = 50  # elements up to the entry that another stands in
LONGEST = 1_000  # characters of lines that are compared with a pattern
LONGEST_TITLE, LONGEST_FACT = 200, 80
TAIL = 200  # characters in which the end of a text is looked for
SENTENCE = (".", "!", "?", "…")
DOTS = re.compile(r"\s?(?:\.\.\.|…)\s*$")
# Dates and lengths stand in a line as one sign each while it is compared.
SIGNS = {"date": "\ue000", "length": "\ue001", "clock": "\ue001", "time": "\ue002", "ago": "\ue003"}
SIGN = re.compile("[\ue000-\ue003]")
FIELDS = {
    "date": "(?P<date>\ue000(?:,? (?:at )?[\ue001\ue002])?)",
    "length": "(?P<length>\ue001)",
    "title": r"(?P<title>\S.{0,400}?)",
    "show": r"(?P<show>\S.{0,300}?)",
    "number": r"(?P<number>\d{1,6})",
    "rank": r"(?P<rank>\d{1,4})",
}
DATE_OR_LENGTH = re.compile(f"{FIELDS['date']}|{FIELDS['length']}")
FIELD = re.compile(r"\{(" + "|".join((*FIELDS, "name", "start")) + r")\}")


@dataclass(frozen=True, slots=True)
class Found:
    """What stands in an entry, with its date as it was found."""

    said: EntryData
    mark: Mark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What all layouts may say.

    `sign`: words that the site's pages have in their title or their first or last lines. `above`: the line that names the
    show above the list, where that is more than its name. `cut`: what stands at the end of a text that the site cut;
    `ends`: what stands there and says nothing. `cut_at`: characters from which on dots at the end are the site's, not the
    author's. `numeric`: "dmy" or "mdy", how the site means 08/04/2024. `like`: an entry in words, for refusals. `posts`:
    entries are posts that are never episodes, on pages that the sign alone tells.
    """

    sign: str = ""
    above: str = ""
    cut: str = ""
    ends: str = ""
    cut_at: int = 0
    numeric: str = ""
    like: str = "of the layout that its reader knows"
    posts: bool = False

    @abstractmethod
    def find(self, document: Document, show: Show) -> tuple[list[Found], Sequence[Row]]:
        """The page's entries, and the rows above them."""

    def recognises(self, page: FetchedDocument) -> bool:
        """True where a page has the site's sign, and two entries."""
        document = Document.of(page)
        try:
            return self.has_sign(document) and len(self.find(document, Show("", ""))[0]) > 1
        except DocumentRejected:
            return False

    def has_sign(self, document: Document) -> bool:
        rows = document.rows.rows
        return not self.sign or any(
            says(text, self.sign) for text in (document.title, *(row.text for row in (*rows[:TOP], *rows[-TOP:])))
        )

    def read(self, page: FetchedDocument, show: Show) -> ParsedPage:
        """The entries of the show in the order of the page; those of other shows are counted and left alone.

        Raises:
            DocumentRejected: it is no text, has no entry of that layout, or does not say that they are the show's.
        """
        document = Document.of(page)
        if self.posts and not self.has_sign(document):
            raise DocumentRejected(f"not a page of {self.sign}")
        found, above = self.find(document, show)
        if not found:
            raise DocumentRejected(f"no {'post' if self.posts else 'entry'} {self.like} in it")
        ours = found
        if any(one.said.show for one in found):
            ours = [one for one in found if is_show(one.said.show, show.title)]
            if not ours:
                raise WrongShow(f"none of its {len(found)} entries names {show.title}")
        elif not self.posts:
            self._check_show(document, above, show)
        entries = fill(self._dated(ours), document, show)
        return ParsedPage(entries, show.title, len(found) - len(ours), posts=self.posts)

    def _check_show(self, document: Document, above: Sequence[Row], show: Show) -> None:
        """Refuse a page that does not name the show above its entries.

        The page's highest headings decide, or its title; any row only where it has no heading: a page of another show may
        mention this one in a menu.
        """
        top = min((row.heading for row in above if row.heading), default=0)
        names = [row.text for row in above if row.heading == top]
        for name in (*names, document.title):
            if heads(name, show.title, self.sign) or (self.above and _pattern(self.above, show).fullmatch(name)):
                return
        named = next((name for name in (*names, document.title) if name), "")
        raise WrongShow(
            f"it is about another show: {named}, not {show.title}" if named else "it names no show above its list"
        )

    def _dated(self, found: Sequence[Found]) -> tuple[EntryData, ...]:
        """The entries, with numeric dates as the layout means them, or as all of the page's allow."""
        calendar = Calendar([one.mark for one in found if one.mark], self.numeric)
        read = ((one.said, calendar.read(one.mark) if one.mark else "") for one in found)
        return tuple(replace(said, published=said.published or date) for said, date in read)

    def text_of(self, text: str, show: Show) -> tuple[str, bool | None]:
        """A text without what the site puts at its end, and whether the site cut it: None where it never says so."""
        whole = _without(text, self.cut, show)
        if whole is not None:
            return DOTS.sub("", whole), True
        bare = DOTS.sub("", text)
        if self.cut_at and bare != text and len(bare) >= self.cut_at:
            return bare, True
        text = (_without(text, self.ends, show) or text).rstrip()
        return text, False if text and (self.cut or self.cut_at) else None


# -- patterns ---------------------------------------------------------------------------------------------------------


def _without(text: str, end: str, show: Show) -> str | None:
    """A text without the end that it has; None where it ends otherwise."""
    match = _pattern(rf"(?:{end})\W*$", show).search(text, max(0, len(text) - TAIL)) if end else None
    return text[: match.start()] if match else None


@lru_cache(maxsize=500)
def _pattern(form: str, show: Show) -> re.Pattern[str]:
    words = [re.escape(word) for word in show.title.split()]
    start = "".join(rf"(?:\s{word}" for word in words[1:]) + ")?" * len(words[1:])
    known = FIELDS | {"name": r"\s".join(words) or "(?!)", "start": "".join(words[:1]) + start if words else "(?!)"}
    return re.compile(FIELD.sub(lambda field: known[field[1]], form), re.I)


class _Signed:
    """A line with one sign for each date and length in it; a line may not bring such signs itself."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.marks = [mark for mark in marks(text, language) if mark.kind in SIGNS]
        pieces, place = [], 0
        for mark in self.marks:
            pieces += [SIGN.sub("?", text[place : mark.start]), SIGNS[mark.kind]]
            place = mark.end
        self.signed = "".join([*pieces, SIGN.sub("?", text[place:])])

    def place(self, at: int) -> int:
        """Where in the line a place of the signed line is."""
        before = self.marks[: len(SIGN.findall(self.signed[:at]))]
        return at + sum(mark.end - mark.start - 1 for mark in before)

    def match(self, pattern: re.Pattern[str]) -> dict[str, str] | None:
        """What the pattern's fields are in the line; None where it has another form."""
        match = pattern.fullmatch(self.signed)
        return self._said(match) if match else None

    def fields(self) -> dict[str, str]:
        """The first date and the first length in the line."""
        found: dict[str, str] = {}
        for match in DATE_OR_LENGTH.finditer(self.signed):
            found = self._said(match) | found
        return found

    def _said(self, match: re.Match[str]) -> dict[str, str]:
        spans = {name: match.span(name) for name in match.re.groupindex if match[name]}
        return {name: self.text[self.place(low) : self.place(high)].strip() for name, (low, high) in spans.items()}


def _found(fields: dict[str, str], language: str, url: str = "", text: str = "", cut: bool | None = None) -> Found:
    """An entry of fields as they are printed."""
    date, length = fields.get("date", ""), fields.get("length", "")
    at = moment(date)
    whole = (mark.span for mark in marks(length, language) if mark.end - mark.start == len(length))
    span = printed_length(length) or next(whole, None)
    said = EntryData(
        title=fields.get("title", ""),
        text=text,
        cut=cut,
        show=fields.get("show", ""),
        url=url,
        number=int(fields["number"]) if "number" in fields else None,
        date_raw=date,
        published=at.isoformat() if at else "",
        length_raw=length,
        seconds_low=span[0] if span else None,
        seconds_high=span[1] if span else None,
    )
    return Found(said, next((mark for mark in marks(date, language) if mark.kind == "date"), None))


# -- HTML -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Selectors(Layout):
    """Where things stand in HTML, as CSS selectors: `entry` in the page, the others in an entry, "" for what is not there.

    `spread`: an entry is the element of `entry` and those beside it, up to the next. `title_form`: the pattern of what the
    title's element says.
    """

    entry: str
    spread: bool = False
    title: str = ""
    title_form: str = "{title}"
    date: str = ""
    length: str = ""
    text: str = ""
    link: str = ""
    show: str = ""

    def find(self, document: Document, show: Show) -> tuple[list[Found], Sequence[Row]]:
        tree = document.tree
        if not tree or not tree.root:
            raise DocumentRejected("it is no HTML page, as those of its site are")
        nodes = _select(tree.root, self.entry)[:MOST]
        tops = {node.mem_id for node in nodes}
        root = base_of(tree, document.address)
        nodes = [node for node in nodes if not _within(node, tops)]
        whole = ([node, *_beside(node, tops)] if self.spread else [node] for node in nodes)
        entries = [self._entry(entry, show, root, document.head.language) for entry in whole]
        first = rows_in(nodes[0], root)[:1] if nodes else []
        return [one for one in entries if one], _above(document.rows.rows, first)

    def _entry(self, nodes: Sequence[LexborNode], show: Show, root: str, language: str) -> Found | None:
        rows = {
            name: _rows(nodes, getattr(self, name), root)
            for name in ("title", "date", "length", "text", "link", "show")
        }
        heading = " ".join(row.text for row in rows["title"])[:LONGEST]
        title = _Signed(heading, language).match(_pattern(self.title_form, show))
        if self.title and not title:
            return None
        own = {name: _printed(rows[name], name, language) for name in ("date", "length")}
        own |= {"show": " ".join(row.text for row in rows["show"])}
        fields = (title or {}) | {name: value for name, value in own.items() if value}
        text, cut = self.text_of("\n".join(row.text for row in rows["text"]), show)
        if not title and not text:
            return None
        links = [link for row in rows["link"] for link in row.links]
        return _found(fields, language, "".join(links[:1]), text, cut)


def _above(rows: Sequence[Row], first: Sequence[Row]) -> Sequence[Row]:
    """The rows of a page above the first entry."""
    text = first[0].text if first else ""
    return rows[: next((place for place, row in enumerate(rows) if row.text == text), 0)]


def _within(node: LexborNode, tops: set[int]) -> bool:
    """True for an entry's element in another's: each would be read again with all that is below it."""
    above = node.parent
    for _ in range(DEEP):
        if above is None or above.mem_id in tops:
            return above is not None
        above = above.parent
    return False


def _beside(node: LexborNode, tops: set[int]) -> Iterator[LexborNode]:
    """The elements behind one that begins an entry, up to the next that does."""
    following = node.next
    for _ in range(WIDE):
        if following is None or following.mem_id in tops:
            return
        if not (following.tag or "-").startswith("-"):
            yield following
        following = following.next


def _select(node: LexborNode, selector: str) -> list[LexborNode]:
    """The elements of a selector.

    Raises:
        DocumentRejected: it is no selector.
    """
    try:
        return node.css(selector)
    except SelectolaxError:
        raise DocumentRejected(f"{selector!r}, by which its reader finds entries, is no CSS selector") from None


def _rows(nodes: Sequence[LexborNode], selector: str, root: str) -> list[Row]:
    """The rows of the first element of a selector in an entry's elements."""
    found = (one for node in nodes for one in _select(node, selector)) if selector else iter(())
    node = next(found, None)
    return rows_in(node, root) if node else []


def _printed(rows: Sequence[Row], name: str, language: str) -> str:
    """The date or the length of an element: the one for machines, else the one for people."""
    read = moment if name == "date" else printed_length
    stamps = (stamp for row in rows for stamp in row.stamps if read(stamp))
    return next(stamps, "") or _Signed(" ".join(row.text for row in rows)[:LONGEST], language).fields().get(name, "")


# -- lines ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Block:
    """The rows of an entry, and what the lines that begin it say."""

    rows: list[Row]
    fields: dict[str, str]
    url: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines(Layout):
    r"""The lines that begin an entry, or end it, for saved text and for HTML read line by line.

    `begin`: the pattern of a line that begins an entry, or of two with "\n" between; the first paragraph below is its text.
    `end`: what stands at the end of an entry's last line; the last paragraph above is its text, or all from the first on
    (`whole`), and what stands above that is its title, where every entry has one (`titled`) or all but the first. Lines
    that only say when and how long are read. `prose`: words of a line that is a paragraph; `noise`: lines that say nothing.
    """

    begin: str = ""
    end: str = ""
    noise: str = "(?!)"
    prose: int = 4
    whole: bool = False
    titled: bool = True

    def find(self, document: Document, show: Show) -> tuple[list[Found], Sequence[Row]]:
        asides = {number for number, shape in document.rows.shapes.items() if shape.split()[0] == "aside"}
        rows = [row for row in document.rows.rows if self._counts(row, show) and asides.isdisjoint(row.path)]
        language = document.head.language
        blocks, above = (self._begun if self.begin else self._ended)(rows, show, language)
        said = ((block, _facts(block.rows, language) | block.fields) for block in blocks)
        return [
            _found(fields, language, block.url, *self.text_of(block.text, show))
            for block, fields in said
            if block.text or fields.get("title")
        ], above

    def _counts(self, row: Row, show: Show) -> bool:
        """True for a row of the list, and for the page's heading; a button only says that a text ends."""
        if not row.text or row.heading == 1:
            return bool(row.text)
        if row.region or ("button" in " ".join(row.shape[-1:]).split()[:1] and not self._is_end(row, show)):
            return False
        return row.heading > 0 or not _pattern(self.noise, show).fullmatch(row.text[:LONGEST])

    def _is_end(self, row: Row, show: Show) -> bool:
        return any(_without(row.text, end, show) is not None for end in (self.cut, self.ends, self.end))

    def _is_prose(self, row: Row, language: str) -> bool:
        """True for a line that can be a text, as a heading, a caption or a copyright line cannot."""
        if row.heading or row.text.startswith("©") or _is_fact(row, language):
            return False
        return len(row.text.split(None, self.prose)) >= self.prose or (
            not self.whole and (row.text.endswith(SENTENCE) or "://" in row.text)
        )

    # -- by what begins an entry

    def _begun(self, rows: Sequence[Row], show: Show, language: str) -> tuple[list[_Block], Sequence[Row]]:
        pattern, height = _pattern(self.begin, show), self.begin.count(r"\n") + 1
        starts: list[tuple[int, dict[str, str]]] = []
        for place in range(len(rows)):
            lines = "\n".join(row.text for row in rows[place : place + height])
            fields = _Signed(lines, language).match(pattern) if len(lines) <= LONGEST else None
            if fields and int(fields.get("rank", len(starts) + 1)) == len(starts) + 1:
                starts.append((place, fields))
        places = [*(place for place, _ in starts), len(rows)]
        blocks = [
            self._from_beginning(rows[start:end], height, fields, show, language)
            for (start, end), (_, fields) in zip(pairwise(places), starts, strict=True)
        ]
        return blocks[:MOST], rows[: places[0]]

    def _from_beginning(
        self, rows: Sequence[Row], height: int, fields: dict[str, str], show: Show, language: str
    ) -> _Block:
        title, rest = rows[0], rows[height:]
        if "title" not in fields and rest:  # the rank stands in an element of its own
            title, rest, fields = rest[0], rest[1:], fields | {"title": rest[0].text}
        body = list(takewhile(lambda row: not row.heading, rest))
        first = next((n for n, row in enumerate(body) if self._is_prose(row, language)), len(body))
        end = next((n for n in range(first, len(body)) if self._is_end(body[n], show)), first)
        text = "\n".join(row.text for row in body[_paragraph(body, first)[0] : _paragraph(body, end)[1]])
        return _Block(body, fields, "".join(title.links[:1]), text)

    # -- by what ends an entry

    def _ended(self, rows: Sequence[Row], show: Show, language: str) -> tuple[list[_Block], Sequence[Row]]:
        groups: list[list[Row]] = [[]]
        for row in rows:
            rest = _without(row.text, self.end, show)
            if rest is None or rest.strip():
                groups[-1].append(row if rest is None else replace(row, text=rest.rstrip()))
            if rest is not None:
                groups.append([])
        groups = [group for group in groups[:-1] if group][:MOST]
        marked = sum(row.heading > 0 for row in rows) > len(groups)
        parts = [self._title_and_text(group, language, marked=marked) for group in groups]
        if not self.titled and not marked and not all(title for title, _, _ in parts[1:] or [(None, 0, 0)]):
            parts = [(None, first, end) for _, first, end in parts]
        blocks = [self._up_to_end(group, *part) for group, part in zip(groups, parts, strict=True)]
        above = [row for row in groups[0][: parts[0][1]] if row is not parts[0][0]] if groups else ()
        return blocks, above

    def _title_and_text(self, rows: Sequence[Row], language: str, *, marked: bool) -> tuple[Row | None, int, int]:
        """The row of an entry that is its title, a heading where entries have one, and where its text begins and ends."""
        top = max((n + 1 for n, row in enumerate(rows) if marked and row.heading), default=0)
        prose = [n for n in range(top, len(rows)) if self._is_prose(rows[n], language)]
        if not prose:
            return (rows[top - 1] if top else None), len(rows), len(rows)
        first, end = (prose[0], len(rows)) if self.whole else _paragraph(rows, prose[-1])
        above = [row for row in rows[:first] if not _is_fact(row, language)]
        title = rows[top - 1] if top else next(iter(above[-1:]), None)
        return (title if title and len(title.text) <= LONGEST_TITLE else None), first, end

    def _up_to_end(self, rows: Sequence[Row], title: Row | None, first: int, end: int) -> _Block:
        start = next((n for n, row in enumerate(rows) if row is title), first)
        fields = {"title": title.text} if title else {}
        text = "\n".join(row.text for row in rows[first:end])
        return _Block([*rows[start:first], *rows[end:]], fields, "".join(title.links[:1]) if title else "", text)


def _same_block(one: Row, other: Row) -> bool:
    """True for rows that nothing but a line break parts."""
    return bool(one.path) and one.path == other.path


def _paragraph(rows: Sequence[Row], place: int) -> tuple[int, int]:
    """Where the paragraph of a row begins and ends."""
    start, end = place, min(place + 1, len(rows))
    while 0 < start < len(rows) and _same_block(rows[start - 1], rows[start]):
        start -= 1
    while 0 < end < len(rows) and _same_block(rows[end - 1], rows[end]):
        end += 1
    return start, end


def _is_fact(row: Row, language: str) -> bool:
    """True for a line that only says when or how long: "16:33", "2y ago", "Aug 4, 2024 • 16:33"."""
    if len(row.text) > LONGEST_FACT:
        return False
    signed = _Signed(row.text, language)
    return bool(signed.marks) and not any(c.isalnum() for c in SIGN.sub("", signed.signed))


def _facts(rows: Sequence[Row], language: str) -> dict[str, str]:
    """Date and length of an entry: the first that stand on lines of their own."""
    found: dict[str, str] = {}
    for row in rows:
        if _is_fact(row, language):
            found = _Signed(row.text, language).fields() | found
    return found
