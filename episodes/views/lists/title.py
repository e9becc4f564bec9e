"""Titles of lists of episodes in words."""

from __future__ import annotations

from ...text.formatting import episodes, lengths
from .selection import Selection


def title(count: int, selection: Selection, names: dict[tuple[str, str], str]) -> str:
    """What a list shows: `12 episodes about Autograd and CUDA, 2021, up to 15 min`. `names` are those of slugs."""
    return episodes(count) + asked(selection, names, several=count != 1)


def asked(selection: Selection, names: dict[tuple[str, str], str], several: bool = True) -> str:
    """What is asked of episodes, to be said after the word: ` about Autograd and CUDA, 2021`; "" where nothing is."""

    def named(name: str) -> str:
        return names.get((name, selection.one(name)), selection.one(name))

    parts = []
    if topics := [names.get(("topic", slug), slug) for slug in selection.all("topic")]:
        parts.append(f" about {' and '.join(filter(None, (', '.join(topics[:-1]), topics[-1])))}")
    parts += [
        f" {words.format(named(name))}"
        for name, words in (
            ("q", "that mention “{}”" if several else "that mentions “{}”"),
            ("person", "with {}"),
            ("link_kind", "linking to {}"),
            ("source", "known to {}"),
            ("podcast", "of {}"),
        )
        if selection.one(name)
    ]
    parts += [f", {words}" for words in (_year(selection), _lengths(selection)) if words]
    return "".join(parts)


def _year(selection: Selection) -> str:
    return "date not known" if selection.one("year") == "unknown" else selection.one("year")


def _lengths(selection: Selection) -> str:
    return lengths(selection.one("min_minutes"), selection.one("max_minutes"))
