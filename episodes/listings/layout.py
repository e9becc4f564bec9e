"""What all layouts of sites' lists have in common: whose page it is, how texts end, what a date
means."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..dates import Calendar, Mark, marks, printed_length, read_date
from ..records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show, WrongShow
from .document import PageDocument
from .patterns import pattern_of, without
from .rows import Row
from .show_names import is_show, is_titled_after, says

TOP = 40  # rows in which a page says whose it is
MOST = 20_000  # entries of a page
LONGEST = 1_000  # characters of lines that are compared with a pattern
DOTS = re.compile(r"\s?(?:\.\.\.|…)\s*$")


@dataclass(frozen=True, slots=True)
class FoundEntry:
    """What stands in an entry, with its date as it was found."""

    said: EntryData
    mark: Mark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What all layouts may say.

    `sign`: words that the site's pages have in their title or their first or last lines. `above`:
    the line that names the show above the list, where that is more than its name. `cut`: what
    stands at the end of a text that the site cut; `ends`: what stands there and says nothing.
    `cut_at`: characters from which on dots at the end are the site's, not the author's. `like`: an
    entry in words, for refusals. `posts`: entries are posts that are never episodes, on pages that
    the sign alone tells.
    """

    sign: str = ""
    above: str = ""
    cut: str = ""
    ends: str = ""
    cut_at: int = 0
    like: str = "in the layout that its reader expects"
    posts: bool = False

    @abstractmethod
    def find(self, document: PageDocument, show: Show) -> tuple[list[FoundEntry], Sequence[Row]]:
        """The page's entries, and the rows above them."""

    def recognises(self, page: FetchedDocument) -> bool:
        """True where a page has the site's sign, and two entries."""
        document = PageDocument.of(page)
        try:
            return self.has_sign(document) and len(self.find(document, Show("", ""))[0]) > 1
        except DocumentRejected:
            return False

    def has_sign(self, document: PageDocument) -> bool:
        rows = document.rows.rows
        return not self.sign or any(
            says(text, self.sign)
            for text in (document.title, *(row.text for row in (*rows[:TOP], *rows[-TOP:])))
        )

    def read(self, page: FetchedDocument, show: Show) -> ParsedPage:
        """The entries of the show in the order of the page; those of other shows are counted and
        left alone.

        Raises:
            DocumentRejected: it is no text, has no entry of that layout, or does not say that they
            are the show's.
        """
        document = PageDocument.of(page)
        if self.posts and not self.has_sign(document):
            raise DocumentRejected(f"not a page of {self.sign}")
        found, above = self.find(document, show)
        if not found:
            raise DocumentRejected(f"no {'post' if self.posts else 'entry'} {self.like} found")
        ours = found
        if any(one.said.show for one in found):
            ours = [one for one in found if is_show(one.said.show, show.title)]
            if not ours:
                raise WrongShow(f"none of its {len(found)} entries names {show.title}")
        elif not self.posts:
            self._check_show(document, above, show)
        return ParsedPage(self._dated(ours), show.title, len(found) - len(ours), posts=self.posts)

    def _check_show(self, document: PageDocument, above: Sequence[Row], show: Show) -> None:
        """Refuse a page that does not name the show above its entries.

        The page's highest headings decide, or its title; any row only where it has no heading: a
        page of another show may mention this one in a menu.
        """
        top = min((row.heading for row in above if row.heading), default=0)
        names = [row.text for row in above if row.heading == top]
        for name in (*names, document.title):
            if is_titled_after(name, show) or (
                self.above and pattern_of(self.above, show).fullmatch(name)
            ):
                return
        named = next((name for name in (*names, document.title) if name), "")
        raise WrongShow(
            f"it is about another show: {named}, not {show.title}"
            if named
            else "no show is named above its list"
        )

    def _dated(self, found: Sequence[FoundEntry]) -> tuple[EntryData, ...]:
        """The entries, with numeric dates as all of the page's allow."""
        calendar = Calendar([one.mark for one in found if one.mark])
        read = ((one.said, calendar.read(one.mark) if one.mark else "") for one in found)
        return tuple(replace(said, published=said.published or date) for said, date in read)

    def text_of(self, text: str, show: Show) -> tuple[str, bool | None]:
        """A text without what the site puts at its end, and whether the site cut it: None where it
        never says so."""
        whole = without(text, self.cut, show)
        if whole is not None:
            return DOTS.sub("", whole), True
        bare = DOTS.sub("", text)
        if self.cut_at and bare != text and len(bare) >= self.cut_at:
            return bare, True
        text = (without(text, self.ends, show) or text).rstrip()
        return text, False if text and (self.cut or self.cut_at) else None


def entry_of(
    fields: dict[str, str], language: str, url: str = "", text: str = "", cut: bool | None = None
) -> FoundEntry:
    """An entry of fields as they are printed."""
    date, length = fields.get("date", ""), fields.get("length", "")
    at = read_date(date)
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
    return FoundEntry(
        said, next((mark for mark in marks(date, language) if mark.kind == "date"), None)
    )
