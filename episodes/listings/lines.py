"""Lists in the layout of one site: the lines that begin or end an entry, in saved text, and in HTML
read line by line."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, takewhile

from ..dates import is_ago, printed_length, read_date, read_feed_date
from ..records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from .document import PageDocument
from .rows import Row, highest_headings
from .show_names import is_show, is_titled_after, says

TOP = 40  # rows at either end of a page in which its site is named
MOST = 20_000  # entries of a page
LONGEST, LONGEST_FACTS = 1_000, 80  # characters of lines that begin an entry, or say when
TAIL = 200  # characters in which the end of a text is looked for
DOTS = re.compile(r"\s?(?:\.\.\.|…)\s*$")
SENTENCE = (".", "!", "?", "…")
FACTS = re.compile(r"\s{0,9}[•·|]\s{0,9}")  # between date and length


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    r"""The lines that begin an entry, or end it.

    `begin`: the line that begins an entry, or two with "\n" between, with the groups `title`,
    `show`, `date`, `length`, and `rank`, which counts on from 1; the first paragraph below is the
    entry's text. `end`: the end of an entry's last line; the last paragraph above is its text, or
    all from the first on (`whole`); the heading above that is its title, or the line (`titled`).
    Lines that only say when and how long are read. `prose`: words of a line that is a paragraph;
    `noise`: lines that say nothing. `sign`: the name of a site whose entries are posts, never
    episodes; its pages have it in their title or their first or last lines. `above`: the line that
    names the show above the list, where that is more than its name. `cut`: what stands at the end
    of a text that the site cut; `ends`: what stands there and says nothing. `like`: an entry in
    words, for refusals.
    """

    begin: str = ""
    end: str = ""
    noise: str = ""
    prose: int = 4
    whole: bool = False
    titled: bool = False
    sign: str = ""
    above: str = "(?!)"
    cut: str = "(?!)"
    ends: str = "(?!)"
    like: str = "entry in the layout that its reader expects"

    def recognises(self, page: FetchedDocument) -> bool:
        """True where a page has the site's sign, and two entries."""
        try:
            return len(self._entries(PageDocument.of(page), Show("", ""))[1]) > 1
        except DocumentRejected:
            return False

    def read(self, page: FetchedDocument, show: Show) -> ParsedPage:
        """The entries of the show in the order of the page; those of other shows are counted and
        left alone.

        Raises:
            DocumentRejected: it is no text, has no entry of that layout, or does not say that they
            are the show's.
        """
        document = PageDocument.of(page)
        above, entries = self._entries(document, show)
        if not entries:
            raise DocumentRejected(f"no {self.like} found")
        ours = [said for said in entries if not said.show or is_show(said.show, show.title)]
        if not ours:
            raise WrongShow(f"none of its {len(entries)} entries names {show.title}")
        if not entries[0].show + self.sign:
            self._check_show(document.head.title, above, show)
        names = {said.show for said in ours}
        others = (said for said in entries if said.show not in names)
        left_out = tuple((said.title, f"it names {said.show}") for said in others)
        return ParsedPage(tuple(ours), show.title, len(left_out), left_out, posts=bool(self.sign))

    def _check_show(self, title: str, above: Sequence[Row], show: Show) -> None:
        """Refuse a page that does not name the show above its entries.

        The page's highest headings decide, or its title; any row only where it has no heading: a
        page of another show may mention this one in a menu.
        """
        names = [*highest_headings(above), title]
        line = _pattern(self.above, show)
        if not any(is_titled_after(name, show) or line.fullmatch(name) for name in names):
            named = next(filter(None, names), "none is named")
            raise WrongShow(f"it is about another show: {named}, not {show.title}")

    def _entries(self, document: PageDocument, show: Show) -> tuple[Sequence[Row], list[EntryData]]:
        """The rows above the first text of the list, with the page's heading, and its entries."""
        self._check_sign(document)
        noise = _pattern(f"(?:{self.noise})?", show)  # and rows without text
        rows = [
            row
            for row in document.rows.rows
            if row.heading or not (row.in_menu or noise.fullmatch(row.text[:LONGEST]))
        ]
        blocks = self._begun(rows, show) if self.begin else self._ended(rows, show)
        found = list(islice(blocks, MOST))
        above = rows[: found[0][0]] if found else []
        return above, [said for _, said in found]

    def _check_sign(self, document: PageDocument) -> None:
        """Refuse a page that does not name the site in its title, or at its top or end."""
        rows = document.rows.rows
        words = (document.head.title, *(row.text for row in (*rows[:TOP], *rows[-TOP:])))
        if self.sign and not any(says(text, self.sign) for text in words):
            raise DocumentRejected(f"not a page of {self.sign}")

    def _begun(self, rows: list[Row], show: Show) -> Iterator[tuple[int, EntryData]]:
        """The entries that their first lines tell, each with its place."""
        pattern, height = _pattern(self.begin, show), self.begin.count(r"\n") + 1
        starts: list[tuple[int, dict[str, str]]] = []
        for place in range(len(rows)):
            lines = "\n".join(row.text for row in rows[place : place + height])
            match, rank = pattern.fullmatch(lines[:LONGEST]), str(len(starts) + 1)
            if match and match.groupdict().get("rank", rank) == rank:
                starts.append((place, match.groupdict("")))
        ends = [*(place for place, _ in starts[1:]), len(rows)]
        for (start, fields), end in zip(starts, ends, strict=False):
            title, *rest = replace(rows[start], text=fields["title"]), *rows[start + height : end]
            if not title.text and rest:  # its rank stands in an element of its own
                title, *rest = rest
            body = list(takewhile(lambda row: not row.heading, rest))
            text = self._text(body, 0)
            yield start, self._entry([title], text, _facts(body) | fields, show)

    def _ended(self, rows: list[Row], show: Show) -> Iterator[tuple[int, EntryData]]:
        """The entries that their last lines tell, which may be the last line of a text."""
        group: list[Row] = []
        for place, row in enumerate(rows, 1):
            text, ends = _without(row.text, self.end, show)
            group.append(replace(row, text=text.rstrip()))
            if ends:
                top = max((n for n, row in enumerate(group) if row.heading > 1), default=0)
                group = group[top:]
                lines = self._text(group, -1)
                first = group.index(lines[0]) if lines else 0
                above = [row for row in group[:first] if _facts_in(row.text) is None]
                title = group[:1] if group[0].heading > 1 else above[-1:] * self.titled
                said = self._entry(title, lines, _facts(group[::-1]), show)
                yield place - len(group) + first, said
                group = []

    def _text(self, rows: Sequence[Row], which: int) -> Sequence[Row]:
        """The first or last paragraph, which line breaks may part; `whole`: all from the first
        on."""
        prose = [place for place, row in enumerate(rows) if self._is_prose(row)]
        if not prose:
            return []
        one = rows[prose[which]]
        return rows[prose[0] :] if self.whole else [row for row in rows if row.path == one.path]

    def _is_prose(self, row: Row) -> bool:
        """True for a line that can be a text, as a heading or a caption cannot."""
        sentence = not self.whole and row.text.endswith(SENTENCE)
        long = sentence or len(row.text.split(None, self.prose)) >= self.prose
        return long and not row.heading and _facts_in(row.text) is None

    def _entry(
        self, titles: Sequence[Row], lines: Sequence[Row], fields: dict[str, str], show: Show
    ) -> EntryData:
        """The values of an entry; its text without the end that the site adds."""
        date, length = fields.get("date", ""), fields.get("length", "")
        at, span = read_feed_date(date), printed_length(length) or (None, None)
        text = "\n".join(row.text for row in lines).rstrip()
        bare, cut = _without(text, self.cut, show)
        whole, _ = _without(text, self.ends, show)
        return EntryData(
            title="".join(row.text for row in titles),
            text=DOTS.sub("", bare) if cut else whole.rstrip(),
            cut=None if self.sign or not text else cut,
            show=fields.get("show", ""),
            url="".join(link for row in titles for link in row.links[:1]),
            date_raw=date,
            published=at.isoformat() if at else "",
            length_raw=length,
            seconds_low=span[0],
            seconds_high=span[1],
        )


@lru_cache(maxsize=500)
def _pattern(form: str, show: Show) -> re.Pattern[str]:
    """A regular expression, whatever the case, with the name of the show in the place of {name},
    and its first words in that of {start}."""
    words = [re.escape(word) for word in show.title.split()]
    starts = "|".join(r"\s".join(words[:count]) for count in range(len(words), 0, -1))
    named = form.replace("{name}", r"\s".join(words)).replace("{start}", f"(?:{starts})")
    return re.compile(named, re.I)


def _without(text: str, end: str, show: Show) -> tuple[str, bool]:
    """A text without the end that it may have, and whether it has it."""
    match = _pattern(rf"(?:{end})\W*$", show).search(text, max(0, len(text) - TAIL))
    return (text[: match.start()], True) if match else (text, False)


def _facts_in(line: str) -> dict[str, str] | None:
    """Date and length of a line that says nothing but when and how long: "16:33", "2y ago", "Aug 4,
    2024 • 16:33"; None for any other."""
    found = {}
    for fact in FACTS.split(line[:LONGEST_FACTS]):
        if read_date(fact):
            found["date"] = fact
        elif printed_length(fact):
            found["length"] = fact
        elif not is_ago(fact):
            return None
    return found


def _facts(rows: Iterable[Row]) -> dict[str, str]:
    """Date and length of an entry: the first that stand on lines of their own."""
    found: dict[str, str] = {}
    for row in rows:
        found = (_facts_in(row.text) or {}) | found
    return found
