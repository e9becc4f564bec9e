"""The best matches first, by sets: the order of `search.ranked`, without asking the database about every match.

Episodes that hold the terms in the same places are one set with one score; only those of a page need an order of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, partial, reduce
from itertools import chain
from operator import and_, or_

from ...models import CatalogIndex, Episode, Snapshot, batches
from ...search import VERY, Places, PreparedQuery, ids_of, places, relaxed

MOST_TITLES = 400  # titles that are looked at: of more matches the newest come first


def best_matches(now: Snapshot, asked: PreparedQuery, most: int, *, one_show: bool) -> list[int]:
    """The ids of the best listed matches of a query."""
    return _best(now, asked, ranking(now.index, asked), most, one_show)


def best_or_nearest(
    now: Snapshot, asked: PreparedQuery, most: int, *, one_show: bool
) -> tuple[PreparedQuery, list[int]]:
    """The query with the ids of its best listed matches; if no episode holds all of it, the relaxed query with the nearest."""
    found = ranking(now.index, asked)
    if found and not found.held:
        asked = relaxed(asked, found.counts)
    if asked.nearest is not None:
        return asked, list(asked.nearest)[:most]
    return asked, _best(now, asked, found, most, one_show)


def _best(now: Snapshot, asked: PreparedQuery, found: Ranking | None, most: int, one_show: bool) -> list[int]:
    if found is None:
        listed = Episode.objects.listed().search(asked).sorted_by("match", asked, one_show=one_show)
        return list(listed.values_list("pk", flat=True)[:most])
    return [now.index.ids[place] for place in found.best(found.held, 0, most, one_show=one_show)]


def ranking(index: CatalogIndex, asked: PreparedQuery) -> Ranking | None:
    """The episodes that hold a query; None for one without words."""
    held = places(asked)
    return Ranking(index, held, asked) if held else None


class Ranking:
    """The episodes that hold every term of a query, and their order."""

    def __init__(self, index: CatalogIndex, places: Places, asked: PreparedQuery) -> None:
        self.index, self.typed = index, asked.query.typed.lower()
        *held, self.titled, self.alike = index.answers(places.questions, partial(ids_of, asked))
        sets = iter(held)
        of_terms = [[(kind, next(sets), worth) for kind, _, worth in term] for term in places.terms]
        self.sets = [[part for part in term if part[1]] for term in of_terms]
        self._own_words = list(sets)
        self._known_titles: dict[int, str] = {}

    @cached_property
    def _anywhere(self) -> list[int]:
        """For each term the set of episodes that hold it somewhere."""
        return [reduce(or_, (bits for _, bits, _ in term), 0) for term in self.sets]

    @property
    def counts(self) -> list[int]:
        """The number of episodes that hold each term."""
        return [bits.bit_count() for bits in self._anywhere]

    @cached_property
    def held(self) -> int:
        """The set of those that hold every term somewhere."""
        return reduce(and_, self._anywhere, self.index.all) | self.alike

    @cached_property
    def mentioning(self) -> int:
        """The set of those that say every term themselves, in title, notes or transcript."""
        return reduce(and_, self._own_words, self.index.all) | self.alike

    def best(self, among: int, start: int, stop: int, *, one_show: bool) -> list[int]:
        """The places of the best of a set, from `start` to `stop`; of equals the newest come first."""
        groups, count = [], 0
        for group in self._groups(among):
            if count >= stop:
                break
            groups.append(group)
            count += group.bit_count()
        lengths = self._lengths(groups)
        found: list[int] = []
        for group in groups:
            # Shorter titles first, if a term is in them; the rest stay in the order of equals.
            places = self.index.newest(group, one_show=one_show)
            found += sorted(places, key=lambda place: lengths.get(place, 0))
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
                    if part:
                        scores[now] = scores.get(now, 0) | part
        yield from (scores[score] for score in sorted(scores, reverse=True))

    def _same(self, among: int) -> Iterator[int]:
        """Those whose title is what was typed: to the letter, to the word, but for spaces."""
        titled = among & (self.titled | self.alike)
        others = among & ~titled
        looked_at = titled | (others if others.bit_count() <= MOST_TITLES else others & self._in_title)
        titles = self._titles(looked_at) if looked_at.bit_count() <= MOST_TITLES else {}
        by_letter = self.index.of_ids(pk for pk, title in titles.items() if title.lower() == self.typed) | (
            among & self.alike
        )
        unspaced = self.typed.replace(" ", "")
        spaced = (pk for pk, title in titles.items() if title.lower().replace(" ", "") == unspaced)
        yield from (by_letter & among, titled & ~by_letter, self.index.of_ids(spaced) & others & ~by_letter)

    @cached_property
    def _in_title(self) -> int:
        titles = (bits for kind, bits, _ in chain.from_iterable(self.sets) if kind in ("title", VERY))
        return reduce(or_, titles, 0)

    def _lengths(self, groups: Sequence[int]) -> dict[int, int]:
        """How long the titles are, by place, of those with a term in it; not in a group of too many to look at."""
        with_title = (group & self._in_title for group in groups)
        few = reduce(or_, (part for part in with_title if part.bit_count() <= MOST_TITLES), 0)
        titles = self._titles(few)
        return {place: len(titles.get(self.index.ids[place], "")) for place in self.index.members(few)}

    def _titles(self, among: int) -> dict[int, str]:
        """The titles of a set by id, each read once."""
        ids = [self.index.ids[place] for place in self.index.members(among)]
        for some in batches([pk for pk in ids if pk not in self._known_titles]):
            found = Episode.objects.filter(pk__in=some).order_by().values_list("pk", "title")
            self._known_titles.update(found)
        return {pk: self._known_titles[pk] for pk in ids if pk in self._known_titles}
