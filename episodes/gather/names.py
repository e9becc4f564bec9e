"""Tells whether the name that a page prints is a show's name, so that no other show's page is taken for ours."""

from __future__ import annotations

import re

SEPARATORS = re.compile(r"\s+[-–—|·•:]\s+|\s*[|·•:]\s+")


def fold(name: str) -> str:
    """Words of a name in lower case, without punctuation and a leading article."""
    words = re.findall(r"[\w+#]+", name.casefold())
    return " ".join(words[1:] if words[:1] == ["the"] and len(words) > 1 else words)


def is_show(name: str, title: str) -> bool:
    """Whether `name` is the show `title`: equal, or equal in one part of a "Show | Site" or "Site: Show" heading.

    "PyTorch Developer Podcast Reloaded" is another show; "PyTorch Developer Podcast - Player FM" is this one.
    """
    wanted = fold(title)
    return bool(wanted) and any(fold(part) == wanted for part in (name, *SEPARATORS.split(name)))
