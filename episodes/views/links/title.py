"""The title of the index of links in words."""

from __future__ import annotations

from ...text.formatting import counted
from ...text.link_labels import KINDS, ONE
from ..lists.selection import Selection

NOUNS = {kind: (ONE[kind].lower(), KINDS[kind].lower()) for kind in KINDS} | {
    "": ("link", "links"),
    "docs": ("link to documentation", "links to documentation"),
    "gdoc": ("Google document", "Google documents"),
}


def title(count: int, selection: Selection) -> str:
    """The title of the index: `13 pull requests in pytorch/pytorch that match “vmap”`."""
    where = f" in {selection.one('repository')}" if selection.one("repository") else ""
    words = f" matching “{selection.one('q')}”" if selection.one("q") else ""
    return f"{counted(count, *NOUNS[selection.one('kind')])}{where}{words}"
