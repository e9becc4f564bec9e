"""Curators' corrections of people, links and symbols, by the natural key of each. Pure.

A correction is (kind, key, field, value).

    kind    key         fields
    person  identity    name, url, image, same, hidden
    link    folded key  label, kind, replacement, hidden
    symbol  the symbol  same, hidden

`same` is the key of the person or symbol that this one is. `hidden` is set if it is not to be shown.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from ..records import CorrectedValue

PERSON, LINK, SYMBOL = "person", "link", "symbol"


class Corrections:
    """Curators' corrections of people, links and symbols."""

    def __init__(self, rows: Iterable[CorrectedValue] = ()) -> None:
        """`rows` are the corrections in force. The last row about a field counts."""
        self._values: dict[tuple[str, str], dict[str, str]] = {}
        for row in rows:
            self._values.setdefault((row.kind, row.key), {})[row.field] = row.value

    def values_of(self, kind: str, key: str) -> Mapping[str, str]:
        return self._values.get((kind, key), {})

    def keys(self, kind: str) -> list[str]:
        return sorted(key for row_kind, key in self._values if row_kind == kind)

    def find_final_key(
        self, kind: str, key: str, replacement_keys: Mapping[str, str] = MappingProxyType({})
    ) -> str:
        """Return the key of the person or symbol that a key stands for, or the key itself.

        `replacement_keys` leads on from keys without a correction. In a circle the first key by name counts.
        """
        path = [key]
        while True:
            last = path[-1]
            corrected_key = self.values_of(kind, last).get("same")
            next_key = corrected_key or replacement_keys.get(last, last)
            if next_key == last:  # nothing leads on
                return last
            if next_key in path:
                # Curators merged Ada into Bo, and Bo into Ada.
                circle = path[path.index(next_key) :]
                return min(circle)
            path.append(next_key)
