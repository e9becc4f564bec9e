"""Tells whether a name that a page prints is the show's, so that no other show's page is taken for
ours."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from ..records import FetchedDocument, Show
from .document import PageDocument
from .words import phrases, words

PARTS = re.compile(
    r"(\s*[|·•»«›‹→>]\s*|\s+/\s+|\s+[-–—]+\s+|[–—]|\s?[:：]\s?)"
)  # between a show and its site
SITE_BREAK = re.compile(r"\s*[|·•»]\s*")  # between a show and its site
PART_BREAK = re.compile(
    r"\s+[-–—:]\s+|:\s+"
)  # the same, or before a subtitle, which makes another show
MOST_BESIDE = 8  # words beside a name
LONGEST = 1_000
MARKS = range(
    0x300, 0x370
)  # on Latin, Greek and Cyrillic letters; marks of other scripts make the word


def normalize_show_name(name: str) -> str:
    """Words of a name in lower case, without punctuation, invisible characters and a leading
    article."""
    shown = (
        c for c in unicodedata.normalize("NFKC", name[:LONGEST]) if unicodedata.category(c) != "Cf"
    )
    folded = "".join(shown).casefold()
    # Vowel signs of many scripts are marks, not letters, and make the word.
    kept = (
        c if c in "+#_" or c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in folded
    )
    found = "".join(kept).split()
    return " ".join(found[1:] if found[:1] == ["the"] and len(found) > 1 else found)


def is_show(name: str, title: str) -> bool:
    """True where `name` is the show `title` and nothing else; one of signs alone ("..") is what it
    is."""
    wanted = normalize_show_name(title)
    return normalize_show_name(name) == wanted if wanted else name.split() == title.split() != []


def looks_like(name: str, title: str) -> bool:
    """True for names that a reader takes for one another: letters of another script, or with marks
    on them."""
    return is_show(name, title) or is_show(_seen(name), _seen(title))


def _seen(name: str) -> str:
    return unicodedata.normalize("NFKD", name[:LONGEST]).translate(_latin())


@cache
def _latin() -> dict[int, str]:
    pairs = (line.split() for line in phrases("look_alikes"))
    return dict.fromkeys(MARKS, "") | {
        ord(other): latin for latin, others in pairs for other in others
    }


def says(text: str, name: str) -> bool:
    """True where a text has a name as words of its own."""
    wanted = normalize_show_name(name)
    return bool(wanted) and f" {wanted} " in f" {normalize_show_name(text)} "


def is_titled_after(text: str, show: Show) -> bool:
    """True for a title or heading that is the show's name, alone or beside its site and words that
    any page has.

    What follows the name and a colon in capitals makes another show: "NAME: Reloaded".
    """
    pieces = [*PARTS.split(text[:500]), "", ""]
    for name, sign, rest in zip(pieces[::2], pieces[1::2], pieces[2::2], strict=False):
        colon = sign.strip() in (":", "：") and rest.strip()[:1].isupper()
        if _around(name, show) and not (colon and not _around(rest, show)):
            return True
    return False


def _around(part: str, show: Show) -> bool:
    """True for the show's name, alone or among words that make no other name of it."""
    name = normalize_show_name(show.title)
    before, named, behind = f" {normalize_show_name(part)} ".partition(f" {name} ")
    others = [*before.split(), *behind.split()]
    beside = words("around_names") | set(normalize_show_name(show.author).split())
    common = (
        all(word in beside or word.isdecimal() for word in others) and len(others) <= MOST_BESIDE
    )
    return is_show(part, show.title) or bool(name and named and common)


def heads(heading: str, title: str, site: str = "") -> bool:
    """True for a heading that is the show `title`, perhaps beside the name of the known site and
    common words.

    "PyTorch Developer Podcast - Player FM" is this one; "PyTorch Developer Podcast - Reloaded" is
    another show.
    """
    for chunk in (heading, *SITE_BREAK.split(heading[:LONGEST])):
        parts = PART_BREAK.split(chunk)
        others = [part for part in parts if not is_show(part, title)]
        common = (
            set(normalize_show_name(part).split()) <= words("around_names") for part in others
        )
        if len(others) < len(parts) and all(
            same or is_show(part, site) for part, same in zip(others, common, strict=True)
        ):
            return True
    return False


def names_show(page: FetchedDocument, title: str) -> bool:
    """True where a page says the show's name anywhere as words of its own: in its title, or in a
    row."""
    document = PageDocument.of(page)
    return any(
        says(text, title) for text in (document.title, *(row.text for row in document.rows.rows))
    )
