"""Tells whether a name that a page prints is the show's, so that no other show's page is taken for
ours."""

import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path

from ..records import FetchedDocument, Show
from .document import PageDocument

# Between a show and its site.
PARTS = re.compile(
    r"(\s{0,9}[|·•»«›‹→>]\s{0,9}|\s{1,9}/\s{1,9}|\s{1,9}[-–—―〜～]{1,9}\s{1,9}|[–—―]|\s{0,9}:\s{0,9})"
)
LONGEST = 1_000
LOOK_ALIKES = Path(__file__).with_name("look_alikes.txt")
# Marks on Latin, Greek and Cyrillic letters, and signs that choose how a letter is drawn.
ACCENTS = dict.fromkeys((*range(0x300, 0x370), *range(0xFE00, 0xFE10)))


def normalize_show_name(name: str) -> str:
    """Return the words of a name in lower case, without accents, punctuation, invisible characters and
    a leading article."""
    bare = unicodedata.normalize("NFKD", name[:LONGEST].casefold()).translate(ACCENTS)
    words = []
    for character in unicodedata.normalize("NFKC", bare).casefold():
        category = unicodedata.category(character)
        # Vowel signs of many scripts are marks, not letters, and make the word.
        if character in "+#_" or character.isalnum() or category[0] == "M":
            words.append(character)
        elif category != "Cf":
            words.append(" ")
    return " ".join("".join(words).split()).removeprefix("the ")


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
    bare = unicodedata.normalize("NFKD", name[:LONGEST]).translate(ACCENTS)
    return bare.translate(_latin())


@cache
def _latin() -> dict[int, str]:
    lines = LOOK_ALIKES.read_text("utf-8").splitlines()
    pairs = (line.split() for line in lines if not line.startswith("#"))
    return {ord(other): latin for latin, others in pairs for other in others}


@lru_cache(maxsize=500)
def name_pattern(title: str) -> re.Pattern[str]:
    """Return a pattern of a show's name in any case, as words of its own."""
    words = r"\s+".join(map(re.escape, title.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)" if words else "(?!)", re.I)


def says(text: str, name: str) -> bool:
    """True where a text has a name as words of its own."""
    wanted = normalize_show_name(name)
    return bool(wanted) and f" {wanted} " in f" {normalize_show_name(text)} "


def is_titled_after(text: str, show: Show) -> bool:
    """True for a title or heading that is the show's name, alone or beside its site.

    What follows the name and a colon in capitals makes another show: "NAME: Reloaded".
    """
    pieces = [*PARTS.split(unicodedata.normalize("NFKC", text[:LONGEST])), "", ""]
    return any(
        is_show(name, show.title) and not (sign.strip() == ":" and rest[:1].isupper())
        for name, sign, rest in zip(pieces[::2], pieces[1::2], pieces[2::2], strict=False)
    )


def names_show(page: FetchedDocument, title: str) -> bool:
    """True where a page says the show's name anywhere as words of its own: in its title, or in a
    row."""
    document = PageDocument.of(page)
    return any(
        says(text, title)
        for text in (document.head.title, *(row.text for row in document.rows.rows))
    )
