"""Compares names that pages print with the title of a show."""

import re
import unicodedata
from functools import cache, lru_cache
from pathlib import Path

from ..records import FetchedDocument, Show
from .document import PageDocument

# Separators between the names of a show and its site.
NAME_SEPARATOR = re.compile(
    r"(\s{0,9}[|·•»«›‹→>]\s{0,9}|\s{1,9}/\s{1,9}|\s{1,9}[-–—―〜～]{1,9}\s{1,9}|[–—―]|\s{0,9}:\s{0,9})"
)
MAX_NAME_LENGTH = 1_000
# Marks on Latin, Greek and Cyrillic letters, and signs that choose how a letter is drawn.
ACCENTS = dict.fromkeys((*range(0x300, 0x370), *range(0xFE00, 0xFE10)))


def normalize_show_name(name: str) -> str:
    """Return the words of a name in lower case, without accents, punctuation, invisible characters and
    a leading article: "The Café-Show!" is "cafe show"."""
    # NFKD splits "é" into "e" and its accent, and makes plain letters of "ﬁ". NFKC joins the marks that are
    # kept with their letters again.
    decomposed = unicodedata.normalize("NFKD", name[:MAX_NAME_LENGTH].casefold())
    without_accents = decomposed.translate(ACCENTS)
    characters = []
    for character in unicodedata.normalize("NFKC", without_accents).casefold():
        category = unicodedata.category(character)
        # Letters, marks and numbers. Vowel signs of many scripts are marks, and make the word.
        is_of_word = category[0] in "LMN" or character in "+#_"  # "c++", "c#"
        is_invisible = category == "Cf"  # such as a soft hyphen, which divides no word
        if is_of_word:
            characters.append(character)
        elif not is_invisible:
            characters.append(" ")
    words = "".join(characters).split()
    return " ".join(words).removeprefix("the ")


def is_name_of_show(name: str, title: str) -> bool:
    normalized_title = normalize_show_name(title)
    if normalized_title:
        return normalize_show_name(name) == normalized_title
    # Titles of signs alone, such as "..", differ only in their signs.
    signs = title.strip()
    return signs != "" and name.strip() == signs


def is_lookalike(name: str, title: str) -> bool:
    """Return True for names that people confuse: with letters of another script, or with accents."""
    has_latin_name = is_name_of_show(_with_latin_letters(name), _with_latin_letters(title))
    return has_latin_name or is_name_of_show(name, title)


def _with_latin_letters(name: str) -> str:
    bare = unicodedata.normalize("NFKD", name[:MAX_NAME_LENGTH]).translate(ACCENTS)
    return bare.translate(_latin_letters_by_look_alike())


@cache
def _latin_letters_by_look_alike() -> dict[int, str]:
    path = Path(__file__).with_name("look_alikes.txt")
    latin_of = {}
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            latin, look_alikes = line.split()  # "A", "АΑ"
            for look_alike in look_alikes:
                latin_of[ord(look_alike)] = latin
    return latin_of


@lru_cache(maxsize=500)
def name_pattern(title: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, title.split()))
    return re.compile(rf"(?<!\w){words}(?!\w)" if words else "(?!)", re.I)


def contains_name(text: str, name: str) -> bool:
    words = normalize_show_name(name)
    return bool(words) and f" {words} " in f" {normalize_show_name(text)} "


def has_show_name_as_part(text: str, show: Show) -> bool:
    """Return True for a title or heading that is the show's name, alone or beside the name of its site.

    "Episodes | Bee Talk | Hive.example" has the part "Bee Talk". A colon and a capital letter after the name
    make another show: "Bee Talk: Reloaded".
    """
    rest = unicodedata.normalize("NFKC", text[:MAX_NAME_LENGTH])
    while rest:
        separator = NAME_SEPARATOR.search(rest)
        if separator is None:
            return is_name_of_show(rest, show.title)  # the last part
        part = rest[: separator.start()]
        rest = rest[separator.end() :]
        is_other_show = separator[0].strip() == ":" and rest[:1].isupper()
        if is_name_of_show(part, show.title) and not is_other_show:
            return True
    return False


def names_show(page: FetchedDocument, title: str) -> bool:
    """Return True if a page has the show's name in its title or in any row, as whole words."""
    document = PageDocument.from_fetched(page)
    texts = [document.head.title, *(row.text for row in document.rows.rows)]
    return any(contains_name(text, title) for text in texts)
