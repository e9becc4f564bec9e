"""Takes off texts what is the page's own: what many begin or end in, and links to the rest."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from ...text.sentences import sentences
from ...text.urls import page_key
from ..rows import Row

MANY = 3  # texts, and half of all entries, that have words in common
LEADS_ON = (*"→⇒➔➜➝➞⟶»›>…", "...")  # signs that end the words of a link to the rest
AUDIO = re.compile(r"\.(?:mp3|m4a|ogg|opus|aac|wav|mp4)(?:$|[?#])", re.I)


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of an entry as its page prints it, with the link that it ends in."""

    text: str
    link: str = ""  # its words
    href: str = ""
    goes_on: bool = False  # the rest is elsewhere
    begun: bool = False  # another source has its beginning
    whole: bool = False  # another source has all of it

    @property
    def first(self) -> str:
        """The sentence or line that it begins with; "" where another source has it too."""
        return "" if self.begun else self._sentence(0)

    @property
    def last(self) -> str:
        """The sentence or line that it ends in; "" where another source has it too."""
        return "" if self.whole else self._sentence(-1)

    def _sentence(self, place: int) -> str:
        start, end = (list(sentences(self.text)) or [(0, 0)])[place]
        return self.text[start:end]

    def without_first(self) -> PageText:
        return replace(self, text=self.text.removeprefix(self.first).lstrip())

    def without_last(self) -> PageText:
        leads_on = not self.href and self.last.endswith(LEADS_ON)
        return self._ending_before(self.last, goes_on=leads_on)

    def without_link(self) -> PageText:
        return self._ending_before(self.link, goes_on=not AUDIO.search(self.href))

    def _ending_before(self, words: str, *, goes_on: bool) -> PageText:
        text = self.text.removesuffix(words).rstrip()
        return replace(self, text=text, link="", href="", goes_on=self.goes_on or goes_on)


def with_link(text: PageText, row: Row) -> PageText:
    """A text that ends in a row, with the link that it ends in and is not itself."""
    href = row.pieces[-1].href if row.pieces else ""
    linked = takewhile(lambda piece: piece.href == href, reversed(row.pieces))
    words = row.text[min((piece.start for piece in linked), default=0) :]
    is_end = href and words not in (row.text, text.text) and text.text.endswith(words)
    return replace(text, link=words, href=href) if is_end else text


def is_link_to_rest(row: Row, page: str, *, repeated: bool) -> bool:
    """True for a row below a text that ends in the sign of a link which leads on.

    It leads to the entry's own page; in saved text, without links, it stands in several entries.
    """
    own = page_key(page) in map(page_key, row.links) if row.links else repeated
    return own and row.text.endswith(LEADS_ON)


def without_furniture(texts: Sequence[PageText]) -> list[PageText]:
    """The texts without equal links that lead apart, and without what many begin or end in."""
    places: dict[str, set[str]] = defaultdict(set)
    for own in texts:
        places[own.link].add(own.href)
    apart = {words for words, addresses in places.items() if len(addresses) > 1}
    rest = _without(texts, lambda own: own.link if own.link in apart else "", PageText.without_link)
    rest = _without(rest, lambda own: own.last, PageText.without_last)
    return _without(rest, lambda own: own.first, PageText.without_first)


def _without(
    texts: Sequence[PageText],
    words: Callable[[PageText], str],
    cut: Callable[[PageText], PageText],
) -> list[PageText]:
    """The texts without these words as long as many have the same."""
    least = max(MANY, len(texts) / 2)
    while common := {said for said, n in Counter(map(words, texts)).items() if said and n >= least}:
        texts = [cut(own) if words(own) in common else own for own in texts]
    return list(texts)
