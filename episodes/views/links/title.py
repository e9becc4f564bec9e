"""The title of the index of links in words."""

from __future__ import annotations

from ...text.formatting import counted
from ...text.link_labels import KINDS, ONE
from ..lists.selection import Selection


def title(count: int, selection: Selection) -> str:
    """What the index of links shows: `13 pull requests in pytorch/pytorch that mention “vmap”`."""
    kind = selection.one("kind")
    if kind in ("docs", "other"):
        what = counted(count, "link", "links") + (" to documentation" if kind == "docs" else " elsewhere")
    else:
        what = counted(count, *((ONE[kind].lower(), KINDS[kind].lower()) if kind else ("link", "links")))
        what = what.replace("google", "Google")
    where = f" in {selection.one('repository')}" if selection.one("repository") else ""
    words = f" that match{'es' if count == 1 else ''} “{selection.one('q')}”" if selection.one("q") else ""
    return what + where + words
