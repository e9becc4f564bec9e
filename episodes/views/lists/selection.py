"""What a reader chose on a list, and the addresses one step away from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote_plus

# Those of the episode list, in the order in which they stand in an address: one choice has one spelling.
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
ANY = "\0"  # no value: forms refuse it


@dataclass(frozen=True)
class Selection:
    """The values of each filter in force; never a page, for another choice is another list."""

    values: Mapping[str, tuple[str, ...]]
    names: tuple[str, ...] = NAMES

    def all(self, name: str) -> tuple[str, ...]:
        return self.values.get(name, ())

    def one(self, name: str) -> str:
        return (self.all(name) or ("",))[0]

    def pairs(self) -> list[tuple[str, str]]:
        return [(name, value) for name in self.names for value in self.values.get(name, ())]

    def narrows(self) -> bool:
        """True if it leaves anything out: an order does not."""
        return any(name not in NOT_NARROWING for name, _ in self.pairs())

    def replaced(self, **changes: str) -> Selection:
        """With these values in place of what was chosen; "" takes a filter off. Other words are corrected again."""
        changes = {**({"as_typed": ""} if "q" in changes else {}), **changes}
        values = {**self.values, **{name: (value,) if value else () for name, value in changes.items()}}
        return Selection(values, self.names)

    def toggled(self, name: str, value: str) -> Selection:
        """With the value added to those of the filter, or taken from them."""
        chosen = self.all(name)
        kept = tuple(v for v in chosen if v != value) if value in chosen else (*chosen, value)
        return Selection({**self.values, name: kept}, self.names)

    def each(self, name: str, *off: str) -> Callable[[str], str]:
        """For each value of a filter the query with it in place of what was chosen, and without the filters in `off`."""
        before, after = self.replaced(**dict.fromkeys(off, ""), **{name: ANY}).query().split(_quoted(name, ANY))
        return lambda value: f"{before}{_quoted(name, value)}{after}"

    def query(self, page: int = 1) -> str:
        """The part of an address that stands for it, with its question mark; "" for the whole list."""
        pairs = [*self.pairs(), *([("page", str(page))] if page > 1 else [])]
        return f"?{'&'.join(_quoted(*pair) for pair in pairs)}" if pairs else ""


@lru_cache(maxsize=5_000)
def _quoted(name: str, value: str) -> str:
    return f"{quote_plus(name)}={quote_plus(value, errors='replace')}"
