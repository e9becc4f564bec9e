"""Titles of lists of episodes in words."""

from __future__ import annotations

from collections.abc import Mapping

from ...site import Site
from ...text.formatting import episodes, isolated, lengths, month
from . import length_bands
from .found_by import FoundBy
from .selection import Selection

Names = Mapping[tuple[str, str], str]  # of values of filters


def heading(
    count: int, selection: Selection, names: Names, found: FoundBy | None, of_site: Site, more: bool = False
) -> str:
    """The headline of a list: `PyTorch Developer Podcast: all 82 episodes` for a whole show, else
    `12 episodes about Autograd and CUDA, 2021, up to 15 min`; `5,000+ episodes …` where there are `more`. `names` are
    those of slugs."""
    if found and found.title:
        return found.title
    if selection.replaced(podcast="").narrows():
        counted = f"{count:,}+ episodes" if more else episodes(count)
        return counted + asked(selection, names, found, several=count != 1)
    show = of_site.of(selection.one("podcast")) or of_site
    return f"{isolated(str(show))}: {'all ' if count > 1 else ''}{episodes(count) if count else 'no episodes yet'}"


def asked(selection: Selection, names: Names, found: FoundBy | None = None, several: bool = True) -> str:
    """What is asked of episodes, to be said after the word: ` about Autograd and CUDA, 2021`; "" where nothing is."""

    def named(name: str) -> str:
        return isolated(names.get((name, selection.one(name)), selection.one(name)))

    parts = []
    if topics := [isolated(names.get(("topic", slug), slug)) for slug in selection.all("topic")]:
        parts.append(f" about {' and '.join(filter(None, (', '.join(topics[:-1]), topics[-1])))}")
    if found:
        parts.append(f" {found.many if several else found.one}")
    parts += [
        f" {words.format(named(name))}"
        for name, words in (
            ("person", "with {}"),
            ("link_kind", "linking to {}"),
            ("source", "listed by {}"),
            ("podcast", "from {}"),
        )
        if selection.one(name)
    ]
    words = (_year(selection), month(selection.one("month")), length(selection))
    parts += [f", {part}" for part in words if part]
    return "".join(parts)


def _year(selection: Selection) -> str:
    return "undated" if selection.one("year") == "unknown" else selection.one("year")


def length(selection: Selection) -> str:
    """The lengths that are asked for: `15 to 20 min`; "" where none are."""
    limits = lengths(selection.one("min_minutes"), selection.one("max_minutes"))
    return ", ".join(filter(None, (length_bands.in_words(selection.one("length")), limits)))
