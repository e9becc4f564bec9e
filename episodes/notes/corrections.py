"""Curators' corrections of people, links and symbols, by the natural key of each; pure.

A correction is (kind, key, field, value). Of a person the fields are name, url and image; of a link
label, kind and replacement; of all of them `hidden` (it is none, or not to be shown) and of people
and symbols `same` (it is the one with that key). A person's key is an identity, a link's its folded
key, a symbol's the symbol itself.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ..records import CorrectedValue

PERSON, LINK, SYMBOL = "person", "link", "symbol"
NOTHING: Mapping[str, str] = MappingProxyType({})


class Corrections:
    """Curators' corrections of people, links and symbols, and which of these are one."""

    def __init__(self, rows: Iterable[CorrectedValue] = ()) -> None:
        """`rows` in force; of those about one field the last holds."""
        self._values: dict[tuple[str, str], dict[str, str]] = {}
        for row in rows:
            self._values.setdefault((row.kind, row.key), {})[row.field] = row.value

    def of(self, kind: str, key: str) -> Mapping[str, str]:
        """The fields of a thing that are corrected."""
        return self._values.get((kind, key), {})

    def keys(self, kind: str) -> list[str]:
        return sorted(key for one, key in self._values if one == kind)

    def joined(self, kind: str, key: str, known: Mapping[str, str] = NOTHING) -> str:
        """The key of the thing that this one is the same as, itself where there is none.

        `known` leads on where no correction does. Of things that lead to each other in a circle it
        is the first by name.
        """
        way = [key]
        while (
            onward := self.of(kind, way[-1]).get("same") or known.get(way[-1], way[-1])
        ) not in way:
            way.append(onward)
        return way[-1] if onward == way[-1] else min(way[way.index(onward) :])
