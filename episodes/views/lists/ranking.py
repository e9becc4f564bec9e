"""The best matches first, by sets: the order of `search.ranked`, without asking the database about every match.

Episodes that hold the terms in the same places are one set with one score; only those of a page need an order of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from itertools import chain
from operator import or_

from ...models import CatalogIndex, Episode, Snapshot, batches
from ...search import VERY, Places, PreparedQuery, places

MOST_TITLES = 400  # titles that are looked at: of more matches the newest come first


def best_matches(now: Snapshot, asked: PreparedQuery, most: int, *, one_show: bool) -> list[int]:
    """The ids of the best listed matches of a query."""
    found = ranking(now.index, asked)
    if found is None:
        listed = Episode.objects.listed().search(asked).sorted_by("match", asked, one_show=one_show)
        return list(listed.values_list("pk", flat=True)[:most])
    order = now.index.order("newest", one_show=one_show)
    return [now.index.ids[place] for place in found.best(found.held, order, 0, most)]


def ranking(index: CatalogIndex, asked: PreparedQuery) -> Ranking | None:
    """The episodes that hold a query; None where only the database can tell."""
    held = places(asked)
    return Ranking(index, held, asked.query.typed) if held else None


class Ranking:
    """The episodes that hold every term of a query, and their order."""

    def __init__(self, index: CatalogIndex, places: Places, typed: str) -> None:
        self.index, self.typed = index, typed.lower()
        self.sets = [[(kind, index.of_ids(ids), worth) for kind, ids, worth in term if ids] for term in places.terms]
        self.titled = index.of_ids(places.titled)

    @cached_property
    def held(self) -> int:
        """The set of those that hold every term somewhere."""
        found = self.index.all
        for term in self.sets:
            anywhere = 0
            for _, bits, _ in term:
                anywhere |= bits
            found &= anywhere
        return found

    def best(self, among: int, order: Sequence[int], start: int, stop: int) -> list[int]:
        """The places of the best of a set, from one to another; `order` is that of equals."""
        found: list[int] = []
        for group in self._groups(among):
            if len(found) >= stop:
                break
            found += self._sorted(group, order, stop - len(found))
        return found[start:stop]

    def _groups(self, among: int) -> Iterator[int]:
        """Sets of equal rank, the best first: those titled so, then by score."""
        for same in self._same(among):
            yield same
            among &= ~same
        yield from self._by_score(among)

    def _by_score(self, among: int) -> Iterator[int]:
        scores = {0: among}
        for _, bits, worth in chain.from_iterable(self.sets):
            before, scores = scores, {}
            for score, group in before.items():
                for now, part in ((score + worth, group & bits), (score, group & ~bits)):
                    scores[now] = scores.get(now, 0) | part
        yield from (scores[score] for score in sorted(scores, reverse=True))

    def _same(self, among: int) -> Iterator[int]:
        """Those whose title is what was typed: to the letter, to the word, but for spaces."""
        titled = among & self.titled
        others = among & ~titled
        looked_at = titled | (others if others.bit_count() <= MOST_TITLES else others & self._in_title)
        titles = self._titles(looked_at)
        by_letter = self.index.of_ids(pk for pk, title in titles.items() if title.lower() == self.typed)
        unspaced = self.typed.replace(" ", "")
        spaced = (pk for pk, title in titles.items() if title.lower().replace(" ", "") == unspaced)
        yield from (by_letter & among, titled & ~by_letter, self.index.of_ids(spaced) & others & ~by_letter)

    @property
    def _in_title(self) -> int:
        titles = (bits for kind, bits, _ in chain.from_iterable(self.sets) if kind in ("title", VERY))
        return reduce(or_, titles, 0)

    def _sorted(self, group: int, order: Sequence[int], most: int) -> list[int]:
        """Those with a term in the title by its length, then as equals are."""
        in_title = group & self._in_title
        if not in_title or in_title.bit_count() > MOST_TITLES:
            return self.index.places(group, order, 0, most)
        titles = self._titles(in_title)
        lengths = {place: len(titles.get(self.index.ids[place], "")) for place in self.index.places(in_title, order)}
        return sorted(self.index.places(group, order), key=lambda place: lengths.get(place, 0))[:most]

    def _titles(self, among: int) -> dict[int, str]:
        if among.bit_count() > MOST_TITLES:
            return {}
        ids = [self.index.ids[place] for place in self.index.places(among, range(self.index.total))]
        return {
            pk: title
            for some in batches(ids)
            for pk, title in Episode.objects.filter(pk__in=some).order_by().values_list("pk", "title")
        }
