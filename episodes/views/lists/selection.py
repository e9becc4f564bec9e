"""The filters that a reader chose on a list, and the addresses one step away from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

# The parameters of the episode list, in the order in which they are in an address: one choice has
# one spelling.
NAMES = (
    "q",
    "topic",
    "year",
    "month",
    "person",
    "source",
    "link_kind",
    "length",
    "min_minutes",
    "max_minutes",
    "podcast",
    "sort",
    "as_typed",
)
NOT_NARROWING = ("sort", "as_typed")


@dataclass(frozen=True)
class Selection:
    """The values of each filter in force; never a page, for another choice is another list."""

    values: Mapping[str, tuple[str, ...]]
    names: tuple[str, ...] = NAMES

    def all(self, name: str) -> tuple[str, ...]:
        return self.values.get(name, ())

    def one(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    def pairs(self) -> list[tuple[str, str]]:
        return [(name, value) for name in self.names for value in self.values.get(name, ())]

    def narrows(self) -> bool:
        """True if it leaves anything out: an order does not."""
        return not {*NOT_NARROWING}.issuperset(name for name, _ in self.pairs())

    def replaced(self, **changes: str) -> Selection:
        """With these values in place of what was chosen; "" takes a filter off."""
        return self._with({name: (value,) * bool(value) for name, value in changes.items()})

    def toggled(self, name: str, value: str) -> Selection:
        """With the value added to those of the filter, or taken from them."""
        chosen = dict.fromkeys(self.all(name))
        if value in chosen:
            del chosen[value]
        else:
            chosen[value] = None
        return self._with({name: tuple(chosen)})

    def switched(self, name: str, value: str) -> Selection:
        """With the value as the only one of the filter, or without it where it is chosen."""
        return self.replaced(**{name: "" if value == self.one(name) else value})

    def _with(self, changes: Mapping[str, tuple[str, ...]]) -> Selection:
        # Other words are corrected again.
        as_typed = {"as_typed": ()} if "q" in changes else {}
        return Selection({**self.values, **as_typed, **changes}, self.names)

    def query(self, page: int = 1) -> str:
        """The part of an address that stands for it, with its question mark; "" for the whole
        list."""
        pairs = self.pairs() + ([("page", str(page))] if page > 1 else [])
        return f"?{urlencode(pairs, errors='replace')}" if pairs else ""
