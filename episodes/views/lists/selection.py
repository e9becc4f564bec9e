"""The filters that a reader chose on a list, in words, and the addresses one step away from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.text import get_text_list

from ...models import UNKNOWN
from ...site import Site
from ...text.formatting import episodes, isolated, lengths

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


Names = Mapping[tuple[str, str], str]  # of values of filters


def heading(
    count: int,
    selection: Selection,
    names: Names,
    of_site: Site,
    *,
    relation: str = "",
    related: int = 0,
    more: bool = False,
) -> str:
    """The headline of a list: `PyTorch Developer Podcast: 82 episodes` for a whole show, else
    `12 episodes about Autograd and CUDA, 2021, up to 15 min`; `5,000+ episodes …` where there are
    `more`. `names` are those of values; `relation` as for `asked`. What is only about a
    topic with these words (`related`) is counted apart."""
    if not selection.replaced(podcast="").narrows():
        show = of_site.of(selection.one("podcast")) or of_site
        return f"{isolated(str(show))}: {episodes(count)}"
    apart = 0 if relation or more else related
    counted = f"{count:,}+ episodes" if more else episodes(count - apart)
    further = f", {apart:,} more on related topics" if apart else ""
    return f"{counted}{asked(selection, names, relation=relation)}{further}"


def asked(selection: Selection, names: Names, *, relation: str = "") -> str:
    """The selection in words, to be said after the word: ` about Autograd and CUDA, 2021`; ""
    where nothing is. `relation` is what the episodes are to words that they do not have."""

    def named(name: str) -> list[str]:
        return [isolated(names.get((name, value), value)) for value in selection.all(name)]

    parts = [
        f" {words} {get_text_list(values, 'and')}"
        for words, name in (
            ("about", "topic"),
            (relation or "matching", "q"),
            ("with", "person"),
            ("linking to", "link_kind"),
            ("listed by", "source"),
            ("from", "podcast"),
        )
        if (values := named(name))
    ]
    limits = (*map(str.lower, named("year")), *named("month"), length(selection))
    return "".join([*parts, *(f", {part}" for part in limits if part)])


def length(selection: Selection) -> str:
    """The lengths that are asked for: `15 to 20 min`; "" where none are."""
    limits = lengths(selection.one("min_minutes"), selection.one("max_minutes"))
    return ", ".join([*map(band, selection.all("length")), *filter(None, [limits])])


def band(name: str) -> str:
    """A band of lengths: `under 15 min`, `15 to 20 min`, `60 min or longer`, `length unknown`."""
    least, _, most = name.partition("-")
    if name == UNKNOWN:
        return "length unknown"
    return f"under {most} min" if most and not int(least) else lengths(least, most)
