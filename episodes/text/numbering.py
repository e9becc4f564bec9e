"""Season and episode numbers, as titles print them and as pages write them."""

import re

from .vocabulary import load_vocabulary, pattern_of_words

NAME_SEPARATORS = "-:|·•>/,"  # between a show's name and the rest of a title
WORDS = load_vocabulary(__file__, "numbering")
SEASON_WORD = pattern_of_words(WORDS["season"])
SEASON_SIGN = rf"(?:{SEASON_WORD}|[st])"
_EPISODE_WORD = pattern_of_words(WORDS["episode"])
_EPISODE_OR_PART = pattern_of_words(f"{WORDS['episode']} {WORDS['part']}")
_MARKS = r"[\s,:;.|·/–-]*"
# "S2E5", "S2-E5", "2x05", "T2x05", "Season 2, Episode 5", "Staffel 2 Folge 5", "2. Sezon 5. Bölüm". Of
# "16x16 tiles" and "2x12" only a leading zero, or a mark behind the beginning of a title, tells
# which of them numbers an episode.
SEASON_AND_NUMBER = re.compile(
    r"(?<![\w.,/'’-])[(\[]?"
    rf"(?:{SEASON_SIGN}[\s.]*(?P<season>\d{{1,3}}){_MARKS}{_EPISODE_OR_PART}[\s.#]*(?P<number>\d{{1,5}})"
    rf"|(?P<first>\d{{1,3}})\.?\s*{SEASON_WORD}{_MARKS}(?P<second>\d{{1,5}})\.?\s*{_EPISODE_OR_PART}"
    r"|[st]?(?P<of>\d{1,2})x(?P<place>0\d|(?:(?<=^\dx)|(?<=^[st]\dx))\d{2,3}(?=\s*[-–—:|.)\]])))"
    r"(?:[)\]]?\s*[-–—:|.,;!?)\]]+\s*|[)\]]?\s+|[)\]]?$)",
    re.IGNORECASE,
)
# "#12", "Ep. 12", "(Folge 12)", "12. Bölüm", "第12回", "12화". Not "#1217-A", "Ep. 2.5" and "E2E".
_MARKED_NUMBER = re.compile(
    rf"[(\[]?(?:{_EPISODE_WORD}\.?(?:\s*#)?\s*(?P<number>\d{{1,5}})"
    rf"|(?P<ordinal>\d{{1,5}})\.?\s*(?:{_EPISODE_WORD}|화))"
    r"(?:[回話话集期회화]|(?![.,:/-]\d|-[a-z]\b)(?=[\s:|.,;)\]–—-]|$))",
    re.IGNORECASE,
)
# "12: Springs", "No. 12 - Springs", and behind a show's name "12" alone. A year is no number: "2019: a review".
_BARE_NUMBER = re.compile(
    r"(?:n[o°]\.?\s*)?(?!(?:19|20)\d\d(?!\d))(?P<number>\d{1,4})(?:\s*:\s|\s+[-–—]\s+(?!\d)|(?P<end>$))"
)


def season_and_number(title: str) -> tuple[int, int] | None:
    match = SEASON_AND_NUMBER.search(title.strip())
    return season_and_number_of_match(match) if match else None


def season_and_number_of_match(match: re.Match[str]) -> tuple[int, int]:
    # Only the alternative that matched has its two groups.
    season, number = filter(None, match.groups())
    return int(season), int(number)


def leading_episode_number_or_none(title: str, *, may_be_alone: bool = False) -> int | None:
    """Return the number of an episode that a title begins with, or None.

    A title that is nothing but a number has one only if it `may_be_alone`, as behind the name of its show.
    """
    marked = _MARKED_NUMBER.match(title)
    if marked:
        # "Ep. 12" has a number and "12. Bölüm" an ordinal, never both.
        parts = marked.groupdict("")
        return int(parts["number"] + parts["ordinal"])
    bare = _BARE_NUMBER.match(title)  # "12: Springs", or "12" alone
    if bare is None:
        return None
    is_alone = bare["end"] is not None
    if is_alone and not may_be_alone:
        return None
    return int(bare["number"])


def text_after_show_title_or_none(folded_title: str, folded_name: str) -> str | None:
    """Return the rest of a title that begins with the show's name, or None.

    The name counts also without "the", "podcast", "show" and a subtitle.
    """
    short_name = re.sub(r"^the | (?:podcast|show)$", "", folded_name)
    name_without_subtitle = re.split(r":|\s[|-]\s", folded_name)[0]
    prefixes = (folded_name, folded_name.removeprefix("the "), short_name, name_without_subtitle)
    for prefix in prefixes:
        rest = folded_title.removeprefix(prefix)
        begins_with_name = rest != folded_title
        # "Loomsbury" does not begin with the name "Looms".
        goes_on_in_word = rest[:1].isalnum()
        if begins_with_name and not goes_on_in_word:
            return rest
    return None


def prints_number(title: str, season: int | None, number: int | None) -> bool:
    if season is not None:
        return season_and_number(title) == (season, number)
    return number in set(map(int, re.findall(r"\d{1,9}", title)))


def format_heading(title: str, season: int | None, number: int | None) -> str:
    if title:
        return title
    # Compared with None, because a feed may number its trailer 0.
    return (
        f"Episode {format_numbering(season, number)}" if number is not None else "Untitled episode"
    )


def format_numbering(season: int | None, number: int | None) -> str:
    """Return `S2 E5`, `5` without a season, `S2` without a number, and "" without both."""
    if season is None:
        return "" if number is None else str(number)
    return f"S{season}" if number is None else f"S{season} E{number}"
