"""Season and episode numbers: how titles write them, and how pages do."""

import re
from collections.abc import Iterator
from unicodedata import normalize

SEASON_WORD = (
    r"(?:season|series|staffel|saison|temporada|stagione|seizoen|säsong|sæson|sesong|sezon|sezóna|séria|évad|kausi"
    r"|сезон)"
)
SEASON_SIGN = rf"(?:{SEASON_WORD}|[st])"
_EPISODE_WORD = (
    r"(?:episode|épisode|episodio|episódio|capítulo|folge|teil|aflevering|afl|avsnitt|afsnit|odcinek|epizoda|díl|rész"
    r"|jakso|bölüm|выпуск|серия|серія|эпизод|випуск|part|cap|ep|e|no|nr|#)"
)
_MARKS = r"[\s,:;.|·/–-]*"
# At the beginning, or after the show's name: "S2E5", "S2-E5", "2x05", "Season 2, Episode 5",
# "Staffel 2 Folge 5", "2. Sezon 5. Bölüm". Of "16x16 tiles" and "2x12" only a leading zero or a
# mark behind it tells which of them counts episodes.
BOTH = re.compile(
    r"(?P<lead>[^-–—:|·•]{1,60}\s?[-–—:|·•]\s)?[(\[]?"
    rf"(?:{SEASON_SIGN}[\s.]*(?P<season>\d{{1,3}}){_MARKS}{_EPISODE_WORD}[\s.#]*(?P<number>\d{{1,5}})"
    rf"|(?P<first>\d{{1,3}})\.?\s*{SEASON_WORD}{_MARKS}(?P<second>\d{{1,5}})\.?\s*{_EPISODE_WORD}"
    r"|(?P<of>\d{1,2})x(?P<place>0\d|\d{2,3}(?=\s*[-–—:|.)\]])))"
    r"(?:[)\]]?\s*[-–—:|.)]+\s*|[)\]]?\s+|[)\]]?$)",
    re.IGNORECASE,
)

# "Ep. 9", "KP #193", "(12)", "137 – …", "第12回": a number with the word or sign that leads it. Not
# "24/7", "2.0", "100th", "1,000"; one that nothing leads begins the title, and a sign or a zero
# tells it from "5 tips". Not "8 bis", "8½" and "17-A" either, which come behind a whole 8 and 17.
COUNT = re.compile(
    r"(?P<lead>[第제#]|(?<![\w.,/'’-])(?:[(\[]|(?:[^\W\d_]{1,12}\.?)?))\s?"
    r"(?P<number>\d{1,4})(?![\d%⁄a-z]|[.,:/-]\d|-[a-z]\b|\s(?:bis|ter)\b)"
    r"(?P<sign>\s*[:|–—]|\s*[.)\]-](?!\S)|[回話话集期회화]|$)?"
)
# "2.06 – …", "Loom Hour 2x06 – …", "2x16 …": the season, and two digits that count in it.
IN_SEASON = re.compile(
    r"(?:^|(?<=\s))(?P<season>\d{1,2})[.x×](?P<number>\d{2})(?=\s*[-–—:|]|(?<=^\dx\d\d)\s)", re.I
)
# "Season 2, 10:12", "3/8 – …", "(3 of 8)": which of how many.
OF_ALL = re.compile(
    rf"(?:(?:^|(?<=[-–—:|]\s)){SEASON_SIGN}\s?(?P<season>\d{{1,3}}){_MARKS})?"
    r"(?<![\w.,:/-])(?P<number>\d{1,3})(?:[:/]|\s(?:of|von|de|di|av|af|van|из)\s)(?P<all>\d{1,3})(?![\w:/-])",
    re.IGNORECASE,
)


def counts_in(title: str) -> Iterator[tuple[str, int | None, int]]:
    """The numbers in a title that may count the episode, each with the word or sign that leads it
    and its season, where it says one."""
    if season_and_number(title):
        return
    if both := IN_SEASON.search(title):
        yield ".", int(both["season"]), int(both["number"])
    for part in OF_ALL.finditer(title):
        season = int(part["season"]) if part["season"] else None
        yield f"of {part['all']}", season, int(part["number"])
    for found in COUNT.finditer(normalize("NFKC", title).casefold()):
        lead, number = found["lead"], found["number"]
        is_told = found["sign"] is not None or number.startswith("0")
        if lead or (found.start() == 0 and is_told):
            yield lead.rstrip("."), None, int(number)


def season_and_number(title: str) -> tuple[int, int] | None:
    """The season and the number in it that a title begins with; None where it does not say both."""
    found = BOTH.match(title.strip())
    return numbers_in(found) if found else None


def numbers_of(title: str) -> Iterator[tuple[int | None, int | None]]:
    """The seasons and numbers that a title may say, without the season where it says one alone."""
    if both := season_and_number(title):
        yield both
    yield from ((season, number) for _, season, number in counts_in(title))


def numbers_in(found: re.Match[str]) -> tuple[int, int]:
    """Season and number of what `BOTH` found."""
    season, number = filter(None, found.groups()[1:])
    return int(season), int(number)


def numbering(season: int | None, number: int | None) -> str:
    """`S2 E5`, `5` where there is no season, `S2` where there is no number; "" where there is
    neither."""
    if season is None:
        return "" if number is None else str(number)
    return f"S{season}" if number is None else f"S{season} E{number}"
