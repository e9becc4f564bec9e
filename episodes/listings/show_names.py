"""Tells whether the name that a page prints is a show's name, so that no other show's page is taken for ours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from ..records import FetchedDocument
from .html import TextLine, lines, title_of

SITE_BREAK = re.compile(r"\s*[|·•»]\s*")  # between a show and its site
PART_BREAK = re.compile(r"\s+[-–—:]\s+|:\s+")  # the same, or between a show and its subtitle, which makes another show
BESIDE = frozenset(
    ("player fm", "pod casts io", "podcast", "podcasts", "episodes", "all episodes", "latest episodes", "show")
)


def normalize_show_name(name: str) -> str:
    """Words of a name in lower case, without punctuation and a leading article."""
    folded = unicodedata.normalize("NFKC", name[:1000]).casefold()
    # Vowel signs of many scripts are marks, not letters, and make the word.
    kept = (c if c in "+#_" or c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in folded)
    words = "".join(kept).split()
    return " ".join(words[1:] if words[:1] == ["the"] and len(words) > 1 else words)


def is_show(name: str, title: str) -> bool:
    """Whether `name` is the show `title` and nothing else."""
    wanted = normalize_show_name(title)
    return bool(wanted) and normalize_show_name(name) == wanted


def heads(name: str, title: str) -> bool:
    """Whether a heading is the show `title`, perhaps beside the name of the site.

    "PyTorch Developer Podcast - Player FM" is this one; "PyTorch Developer Podcast: Reloaded" is another show.
    """
    for chunk in (name, *SITE_BREAK.split(name[:1000])):
        parts = [chunk, *(PART_BREAK.split(chunk))]
        others = {normalize_show_name(part) for part in parts[1:] if not is_show(part, title)}
        if is_show(chunk, title) or (len(others) < len(parts) - 1 and others <= BESIDE):
            return True
    return False


def names_show(page: FetchedDocument, title: str) -> bool:
    """Whether a page says the show's name anywhere, as words of its own: in its title, or in a line."""
    wanted = f" {normalize_show_name(title)} "
    said = (title_of(page), *(line.text for line in lines(page)))
    return wanted != "  " and any(wanted in f" {normalize_show_name(text)} " for text in said)


def show_above(above: Sequence[TextLine], title: str, page_title: str = "") -> str:
    """The show that a list is of, by what stands above it: `title` if it is that one, else the name that is there.

    The page's highest headings decide, or what the page calls itself; any line only where it has no heading: a page of
    another show may mention this one in a menu.
    """
    top = min((line.heading for line in above if line.heading), default=0)
    names = [line.text for line in above if line.heading == top]
    if any(heads(name, title) for name in (*names, page_title)):
        return title
    return (names[0] if top else names[-1]) if names else page_title
