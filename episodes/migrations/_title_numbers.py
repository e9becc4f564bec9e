"""The numbers that earlier releases learned from titles and names of audio files, as they did.

A frozen copy: migration 0440 keeps the addresses `/NUMBER` of these numbers by it, also from a backup
that has no catalog.
"""

import re
from bisect import bisect_left
from collections import defaultdict
from itertools import pairwise
from unicodedata import normalize

FEWEST_TITLES = 5
MAX_SHARE_OF_EXCEPTIONS = 0.1
YEARS = 10
MAX_GAP = 5
AUDIO_FILE = re.compile(
    r"[^?#]*(?P<lead>/(?:[^/?#]*?[^/?#\d])??)(?P<number>\d{1,4})(?!\d)[^/?#\d]*?(?:\.\w{2,4})?(?:[?#].*)?"
)
SEASON_WORD = (
    r"(?:season|series|staffel|saison|temporada|stagione|seizoen|säsong|sæson|sesong|sezon|sezóna|séria|évad|kausi"
    r"|сезон)"
)
SEASON_SIGN = rf"(?:{SEASON_WORD}|[st])"
EPISODE_WORD = (
    r"(?:episode|épisode|episodio|episódio|capítulo|folge|teil|aflevering|afl|avsnitt|afsnit|odcinek|epizoda|díl|rész"
    r"|jakso|bölüm|выпуск|серия|серія|эпизод|випуск|part|cap|ep|e|no|nr|#)"
)
MARKS = r"[\s,:;.|·/–-]*"
BOTH = re.compile(
    r"(?P<lead>[^-–—:|·•]{1,60}\s?[-–—:|·•]\s)?[(\[]?"
    rf"(?:{SEASON_SIGN}[\s.]*(?P<season>\d{{1,3}}){MARKS}{EPISODE_WORD}[\s.#]*(?P<number>\d{{1,5}})"
    rf"|(?P<first>\d{{1,3}})\.?\s*{SEASON_WORD}{MARKS}(?P<second>\d{{1,5}})\.?\s*{EPISODE_WORD}"
    r"|(?P<of>\d{1,2})x(?P<place>0\d|\d{2,3}(?=\s*[-–—:|.)\]])))"
    r"(?:[)\]]?\s*[-–—:|.)]+\s*|[)\]]?\s+|[)\]]?$)",
    re.IGNORECASE,
)
COUNT = re.compile(
    r"(?P<lead>[第제#]|(?<![\w.,/'’-])(?:[(\[]|(?:[^\W\d_]{1,12}\.?)?))\s?"
    r"(?P<number>\d{1,4})(?![\d%⁄a-z]|[.,:/-]\d|-[a-z]\b|\s(?:bis|ter)\b)"
    r"(?P<sign>\s*[:|–—]|\s*[.)\]-](?!\S)|[回話话集期회화]|$)?"
)
IN_SEASON = re.compile(
    r"(?:^|(?<=\s))(?P<season>\d{1,2})[.x×](?P<number>\d{2})(?=\s*[-–—:|]|(?<=^\dx\d\d)\s)", re.I
)
OF_ALL = re.compile(
    rf"(?:(?:^|(?<=[-–—:|]\s)){SEASON_SIGN}\s?(?P<season>\d{{1,3}}){MARKS})?"
    r"(?<![\w.,:/-])(?P<number>\d{1,3})(?:[:/]|\s(?:of|von|de|di|av|af|van|из)\s)(?P<all>\d{1,3})(?![\w:/-])",
    re.IGNORECASE,
)


def learn_numbers(entries):
    """Return the season and number of each entry of a source whose title or file gives it one.

    `entries` are payloads of revisions, by the key of their item.
    """
    dated = {}
    for key, values in entries.items():
        is_extra = values.get("episode_type", "") in ("trailer", "bonus")
        if values.get("published") and not is_extra:
            dated[key] = values
    by_lead = defaultdict(dict)
    for key, values in dated.items():
        for lead, season, number in numbers_in(values):
            by_lead[lead].setdefault(key, (season, number))
    declared = {key: both_of(values) for key, values in dated.items() if both_of(values)[1] is not None}
    leads, believed = [], declared
    for lead in sorted(by_lead, key=lambda lead: lead.startswith("/")):
        numbers, fewest = by_lead[lead], FEWEST_TITLES * lead.startswith("/")
        if len(numbers) >= FEWEST_TITLES and is_habit(dated, numbers, believed, fewest):
            leads.append(lead)
            believed = numbers | believed
    learned = {key: number_of(values, leads) for key, values in dated.items()}
    learned = {key: number for key, number in learned.items() if number is not None}
    if 2 * len(learned) < len(dated):
        return {}
    right = going_up(dated, learned | declared) | declared.keys()
    return {key: number for key, number in learned.items() if key in right and key not in declared}


def numbers_in(values):
    title = values.get("title", "")
    yield from counts_in(title)
    if file := AUDIO_FILE.fullmatch(values.get("audio_url", "")):
        yield file["lead"].casefold(), None, int(file["number"])


def counts_in(title):
    if BOTH.match(title.strip()):
        return
    if both := IN_SEASON.search(title):
        yield ".", int(both["season"]), int(both["number"])
    for part in OF_ALL.finditer(title):
        season = int(part["season"]) if part["season"] else None
        yield f"of {part['all']}", season, int(part["number"])
    for count in COUNT.finditer(normalize("NFKC", title).casefold()):
        lead, number = count["lead"], count["number"]
        has_sign = count["sign"] is not None or number.startswith("0")
        if lead or (count.start() == 0 and has_sign):
            yield lead.rstrip("."), None, int(number)


def both_of(values):
    match = BOTH.match(values.get("title", "").strip())
    season, number = filter(None, match.groups()[1:]) if match else (None, None)
    return (
        values.get("season", season and int(season)),
        values.get("number", number and int(number)),
    )


def number_of(values, leads):
    for lead, season, number in numbers_in(values):
        if lead in leads:
            return season, number
    return None


def is_habit(entries, numbers, believed, fewest):
    equal = [believed[key][1] == number for key, (_, number) in numbers.items() if key in believed]
    dates = [key for key, number in numbers.items() if is_of_date(entries[key]["published"], number)]
    rising, exceptions = going_up(entries, numbers), 1 + MAX_SHARE_OF_EXCEPTIONS * len(numbers)
    return (
        len(rising) >= FEWEST_TITLES
        and sum(equal) >= fewest
        and max(len(numbers) - len(rising), equal.count(False)) <= exceptions
        and 2 * len(dates) < len(numbers)
    )


def is_of_date(published, number):
    season, count = number
    first = count if season is None else season
    return abs(first - int(published[:4])) <= YEARS or abs(first - int(published[8:10])) <= 1


def going_up(entries, numbers):
    """Return the keys of the most entries whose numbers go up with the dates."""
    rows = []
    for key, values in entries.items():
        season, number = numbers.get(key, (None, 0))
        rows.append((values["published"], season or both_of(values)[0] or 0, number, key))
    counted = [(place, *row[1:]) for place, row in enumerate(sorted(rows)) if row[3] in numbers]
    rising = [counted[place] for place in longest_rise([row[1:3] for row in counted])]
    near = set()
    for (place, season, number, key), (later, next_season, next_number, next_key) in pairwise(rising):
        if season == next_season and next_number - number <= later - place + MAX_GAP:
            near |= {key, next_key}
    return near


def longest_rise(values):
    """Return the places of the longest rising subsequence (patience sorting)."""
    ends, places, before = [], [], []
    for place, value in enumerate(values):
        length = bisect_left(ends, value)
        before.append(places[length - 1] if length else -1)
        if value not in ends[length : length + 1]:
            ends[length : length + 1] = [value]
            places[length : length + 1] = [place]
    rise = places[-1:]
    while rise and before[rise[-1]] >= 0:
        rise.append(before[rise[-1]])
    return rise[::-1]
