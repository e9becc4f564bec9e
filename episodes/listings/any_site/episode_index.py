"""The known episodes of a show, found by title, by the forms in which sites print it, and by the
beginning of their text; and those that a row of a page may name."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain

from rapidfuzz.distance import Prefix

from ...dates import Mark, marks
from ...identity import bare_title, printed_number
from ...records import EntryData, Show
from ...text.show_notes import to_text
from ...text.vocabulary import alternatives, load
from ..decoding import clean
from .page_rows import CALLED, REST_LENGTH, WORD, PageRow, key_of

COMMON = 0.4  # share of titles that have the same first or last part: it is no part of their names
FEW = 3  # titles with different numbers in the same place, which count episodes then
ROUNDS = 2  # parts that may stand one behind the other at the ends of a title
WORDS = 6  # in front of a number that counts: "The Rope Walk, Episode 12"
LONGEST = 60  # characters of a part that counts
SEPARATOR = re.compile(r"\s{1,9}[-–—|:•]\s{1,9}|:\s{1,9}|\s{1,9}[|•]\s{0,9}|\s{0,9}[｜：]\s{0,9}")
NUMBER = re.compile(r"\d{1,9}")
# A number with what is glued to it: "12b", "12회".
COUNTER = re.compile(r"\d+(?:[\u2e80-\U0010ffff]|[^\W\d_]{1,2}(?![^\W_]))?")
# The end of a title that counts: "(#12)", "[HN-12]", "Episode 12b".
TAIL = re.compile(r"\s\W{0,20}(?:[^\W\d_]{1,40}\W{0,2})?\d{1,9}(?:[^\W\d_]{1,2})?\W{0,20}$")
# "Rope Walk (with Ada Roe)", and "Bonus: a walk on the ropes", "Bonus – a walk on the ropes" with several words behind.
ASIDE = re.compile(r"(?<=\w)\W*(?:\s|(?<=[\u2e80-\uffff]))[(\[（【][^()\[\]（）【】]+[)\]）】]\W*$")
LEAD = re.compile(r"^(?:[^:]{1,30}:|\w{1,20}\s[–—|-])\s+(?=\S+\s+\S)")
_WORDS = load(__file__, "title_words")
# "Rope Walk, with Ada Roe", "Rope Walk ft. Ada Roe": from there on a title names who is heard.
CREDIT = re.compile(
    rf"(?:(?<=[^\w\s])\s?(?:{alternatives(_WORDS['with'])})"
    rf"|\s(?:{alternatives(_WORDS['short'])}))(?:(?<!\w)|(?!\w))",
    re.I,
)
ANDS = _WORDS["and"].split()
AND = re.compile(rf"\s(?:{'|'.join(ANDS)})\s", re.I)
SIGNS = re.compile(r"^[^\w(\[（【¿¡]+|[^\w)\]）】!?]+$|^[(\[]?\W*[)\]]\W*|\W*[(\[]\W*[)\]]?$")


def forms(titles: Sequence[str], show: str) -> Iterator[tuple[int, str]]:
    """The shorter forms of each title, by its place: an end goes when the numbers in it count
    episodes, when very many titles have it, and when it stands in brackets or before a colon."""
    for place, form in _without_ends(titles, show):
        for short in (form, CREDIT.split(form, maxsplit=1)[0]):
            yield place, short
            yield place, ASIDE.sub("", short)
            yield place, LEAD.sub("", short)


def spellings(title: str) -> Iterator[str]:
    """A title with "&" and with words for it."""
    yield title
    yield AND.sub(" & ", title)
    if "&" in title:
        yield from (title.replace("&", word) for word in ANDS)


def _without_ends(titles: Sequence[str], show: str) -> Iterator[tuple[int, str]]:
    texts = dict(enumerate(titles))
    for place, title in enumerate(titles):
        yield place, bare_title(title, show)[0]
    for _ in range(ROUNDS):
        shared = _shared_ends(texts.values())
        shorter = {place: _shorter(text, shared) for place, text in texts.items()}
        yield from ((place, form) for place, own in shorter.items() for form in own)
        texts = {place: own[-1] for place, own in shorter.items() if own}


def _shorter(title: str, shared: frozenset[tuple[bool, str]]) -> list[str]:
    """The title without its first, and then without its last part that is shared."""
    found: list[str] = []
    text = title
    for behind in (False, True):
        for low, high in _ends(text, behind=behind):
            part, rest = key_of(text[low:high]), SIGNS.sub("", (text[:low] + text[high:]).strip())
            if (behind, _pattern(part)) in shared and WORD.search(rest):
                found.append(rest)
                text = rest
                break
    return found


def _shared_ends(titles: Iterable[str]) -> frozenset[tuple[bool, str]]:
    """Beginnings and ends, numbers left out, that count episodes or that very many titles have."""
    found: dict[tuple[bool, str], list[str]] = defaultdict(list)
    total = 0
    for title in titles:
        total += 1
        for behind in (False, True):
            for part in {key_of(title[low:high]) for low, high in _ends(title, behind=behind)}:
                found[behind, _pattern(part)].append(part)
    return frozenset(
        end
        for end, parts in found.items()
        if len(set(parts)) >= FEW or len(parts) > max(2, COMMON * total)
    )


def _pattern(key: str) -> str:
    """A part with its numbers left out."""
    return NUMBER.sub("0", key)


def _ends(title: str, *, behind: bool) -> list[tuple[int, int]]:
    """Places in which a part of a title can end, the longest first: up to a sign, in front up to
    a number, too."""
    cuts = list(SEPARATOR.finditer(title))
    if behind:
        tails = [*cuts[-1:], *TAIL.finditer(title, max(0, len(title) - LONGEST))]
        return sorted({(tail.start(), len(title)) for tail in tails})
    counters = [
        (0, counter.end())
        for counter in COUNTER.finditer(title[:LONGEST])
        if len(WORD.findall(title, 0, counter.start())) <= WORDS
    ]
    return sorted({*counters, *((0, cut.end()) for cut in cuts[:1])}, reverse=True)


GRAM = 24  # characters of an opening under which it is found
OPENING = 66  # characters that identify an episode; a whole text of WHOLE does too
WHOLE = 34
DISTINCT = 34  # by which the longest common beginning must outrun those of other episodes
# Bytes of a cut title from which it is looked up: a sign that is a syllable or a word has three.
CUT_LETTERS = 12
LEAST = 4  # of them before the cut
LAST = "\U0010ffff"  # behind every letter
LONGEST_TITLE = 300
LONGEST_TEXT = 4_000
BLURB = 600  # characters of a text whose words tell what it is about
SAME_DAY = 2
MINUTE = 60  # by which lengths may differ


@dataclass(slots=True)
class KnownEpisode:
    """All that is known of one episode."""

    name: int
    title: str = ""
    days: set[date] = field(default_factory=set)
    spans: set[tuple[int, int]] = field(default_factory=set)
    numbers: set[int] = field(default_factory=set)
    declares_number: bool = False
    openings: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    def agrees_with_day(self, days: Iterable[date]) -> int:
        """1 where one of the days is the episode's, -1 where none is, 0 where nothing is known."""
        return vote(abs((a - b).days) <= SAME_DAY for a in days for b in self.days)

    def agrees_with(self, mark: Mark) -> int:
        """The same of a date, or of a length."""
        if mark.kind == "date":
            return self.agrees_with_day(mark.days)
        low, high = mark.span or (0, 0)
        return vote(max(low - MINUTE, a) <= min(high + MINUTE, b) for a, b in self.spans)


def vote(agreeing: Iterable[bool]) -> int:
    """1 where one comparison agrees, -1 where none does, 0 where there is none."""
    return max((1 if agrees else -1 for agrees in agreeing), default=0)


class EpisodeIndex:
    """Known episodes by what a page can say of them; built in an order of its own, so that theirs
    does not matter."""

    def __init__(self, known: Sequence[EntryData], show: Show) -> None:
        self.show = show
        self.episodes: list[KnownEpisode] = []
        self.by_title: dict[str, list[KnownEpisode]] = defaultdict(list)
        # Numbers of the title that a shorter form of it leaves out.
        self.dropped: dict[str, frozenset[int]] = {}
        self.by_gram: dict[str, list[tuple[str, KnownEpisode]]] = defaultdict(list)
        ordered = sorted(
            known, key=lambda data: (key_of(data.title), repr(sorted(data.payload().items())))
        )
        for data in sorted(ordered, key=lambda data: not data.title):
            self._add(data)
        self._add_forms()
        self.longest = max(map(len, self.by_title), default=0)
        self.sorted_titles = sorted(self.by_title)

    def _add(self, data: EntryData) -> None:
        title = key_of(clean(data.title))[:LONGEST_TITLE]
        text = (data.text or to_text(data.html))[:LONGEST_TEXT]
        opening = key_of(text)
        episode = self._existing(title, opening, data)
        if episode is None:
            episode = KnownEpisode(len(self.episodes), " ".join(data.title.split()))
            self.episodes.append(episode)
            if title:
                self.by_title[title].append(episode)
        episode.notes.append(text[:BLURB])
        if data.moment:
            # The day on the clock of the publisher, too, which sites print.
            episode.days.update({data.moment.at.date()}, *(m.days for m in marks(data.date_raw)))
        if data.length:
            episode.spans.add((data.length.low, data.length.high))
        if data.number is not None:
            episode.numbers.add(data.number)
            episode.declares_number = True
        if len(opening) >= GRAM and opening not in episode.openings:
            episode.openings.add(opening)
            self.by_gram[opening[:GRAM]].append((opening, episode))

    def _existing(self, title: str, opening: str, data: EntryData) -> KnownEpisode | None:
        if not title:
            found = self.opening_at(opening, 0)
            return found[0] if found else None
        days = [data.moment.at.date()] if data.moment else []
        return next((one for one in self.by_title[title] if one.agrees_with_day(days) >= 0), None)

    # -- titles in the forms that sites give them --------------------------------------------------

    def _add_forms(self) -> None:
        """Titles in the shorter forms that are one episode's alone."""
        titled = [episode for episode in self.episodes if episode.title]
        titles = [episode.title[:LONGEST_TITLE] for episode in titled]
        found: dict[str, dict[int, str]] = defaultdict(dict)
        for place, form in forms(titles, self.show.title):
            for spelling in spellings(form):
                found[key_of(spelling)][titled[place].name] = form
        for key, named in found.items():
            if len(named) == 1 and len(key) > 2 and key not in self.by_title:
                (name, form), *_ = named.items()
                episode = self.episodes[name]
                self.by_title[key].append(episode)
                self.dropped[key] = frozenset(_numbers(episode.title) - _numbers(form))
                if not episode.declares_number:
                    printed = printed_number(episode.title, self.show.title)
                    episode.numbers |= self.dropped[key] & {printed}

    # -- looking up --------------------------------------------------------------------------------

    def titled(self, key: str) -> list[KnownEpisode]:
        """Episodes with this title."""
        return self.by_title.get(key, []) if 0 < len(key) <= self.longest else []

    def begun(self, key: str, end: str = "") -> list[KnownEpisode]:
        """The episode whose titles alone begin so, and end so, where a site cuts them."""
        low, high = (bisect_left(self.sorted_titles, part) for part in (key, key + LAST))
        if len(key) < LEAST or len((key + end).encode()) < CUT_LETTERS:
            return []
        titles = [title for title in self.sorted_titles[low:high] if title.endswith(end)]
        episodes = {one.name: one for title in titles for one in self.by_title[title]}
        return list(episodes.values()) if len(episodes) == 1 else []

    def opening_at(self, key: str, start: int) -> tuple[KnownEpisode, int] | None:
        """The one episode whose text begins there, and how many characters of it follow."""
        lengths: dict[int, int] = {}
        rest = key[start:]
        for opening, episode in self.by_gram.get(rest[:GRAM], ())[:200]:
            length = Prefix.similarity(rest, opening)
            whole = length in (len(opening), len(rest)) and length >= WHOLE
            if length >= OPENING or whole:
                lengths[episode.name] = max(lengths.get(episode.name, 0), length)
        ranked = sorted(lengths.items(), key=lambda pair: -pair[1])
        if not ranked or (len(ranked) > 1 and ranked[1][1] + DISTINCT > ranked[0][1]):
            return None
        return self.episodes[ranked[0][0]], ranked[0][1]


def _numbers(title: str) -> set[int]:
    """The numbers of a title, without those of a date."""
    dates = [mark for mark in marks(title) if mark.kind == "date"]
    found = NUMBER.finditer(title)
    return {
        int(number[0])
        for number in found
        if not any(date.start <= number.start() < date.end for date in dates)
    }


# -- what a row names -----------------------------------------------------------------------------

SEPARATORS = re.compile(
    r"\s[-–—|·•/:]+\s|[|｜·•»›:：;／\t…]|\.\.\.|\s{2,}|[“”„«»「」『』\"()\[\]<>{}]|^\W*(?:\d{1,5}(?:[.)]\s|[-_]))?|[,;](?=\S)|\.(?!\d)\w{2,4}$|\s[#№]\s?\d{1,5}\W*$|[▶►\u2600-\u27bf\U0001f300-\U0001faff]"
)
LONG_WORD = re.compile(r"[^\W\d_]{2,}")
COUNTED = re.compile(
    r"\W*(?:(?:[^\W\d_]{1,10}\W{0,2}|\d{1,2}x)?\d{1,5}\W*){1,2}\s"
)  # at the beginning, or behind a date
COUNTED_BEHIND = re.compile(r"\s\W{0,20}[^\W\d_]{1,10}\W{0,2}\d{1,5}\W{0,20}$")
CUT = re.compile(r"\s?(?:…|\.{3})")  # behind a title that a site cuts, or in its middle
CUT_SIGNS = 4  # characters of it
FEW_EDGES = 12
MANY_EDGES = 60
FEW_TITLES = 8  # of a row that names each of them
# Kinds of hits in the place of a title, of lists that words and lengths confirm, or titles, or
# neither: these need a page that says the show's name.
OF_SIGNS = TELLING, BY_SIGNS, DOUBTFUL = "telling signs", "signs", "doubtful signs"
UNKNOWN = "unknown"
UNNAMED = (*OF_SIGNS, UNKNOWN)  # neither a title nor a text names an episode
CONFIRMED = "confirmed title"  # in an element that tells the same episode
FARTHEST = 400  # characters of a row before which its text has begun


@dataclass(frozen=True, slots=True)
class Hit:
    """Episodes that a stretch of a row may name; `rest` counts the other words of the row."""

    row: int
    start: int
    end: int
    episodes: tuple[int, ...]
    kind: str  # title | confirmed title | text | telling signs | signs | doubtful signs | unknown
    rest: int = 0
    words: int = 0


def hits(row: PageRow, index: EpisodeIndex) -> list[Hit]:
    """The titles that the row may name, no two of them overlapping, in their order."""
    texts = list(_texts(row, index))
    titles = list(_titles(row, index, texts))
    # Of equal names the one with the fewest signs around it, of names within names the longest.
    ranked = sorted(
        titles,
        key=lambda hit: (-len(row.keyed.between(hit.start, hit.end)), hit.end - hit.start),
    )
    kept: list[Hit] = []
    for hit in (*texts, *ranked):
        if not any(hit.start < other.end and other.start < hit.end for other in kept):
            kept.append(hit)
    kept.sort(key=lambda hit: hit.start)
    titled = [hit.words for hit in kept if hit.kind == "title"]
    words = sum(titled) if len(titled) < FEW_TITLES else 0
    return [replace(hit, rest=hit.rest - max(0, words - hit.words)) for hit in kept]


def _texts(row: PageRow, index: EpisodeIndex) -> Iterator[Hit]:
    """The first place of the row at which the text of a known episode begins."""
    key = row.keyed.key
    for start in range(max(0, min(len(key) - GRAM, FARTHEST) + 1)):
        if key[start : start + GRAM] in index.by_gram and (found := index.opening_at(key, start)):
            episode, length = found
            low, high = row.keyed.place(start), row.keyed.place(start + length - 1) + 1
            yield Hit(
                row.place, low, high, (episode.name,), "text", rest_of(row, low, len(row.text)), 99
            )
            return


def _titles(row: PageRow, index: EpisodeIndex, texts: Sequence[Hit]) -> Iterator[Hit]:
    for start, end in _stretches(row, texts, index.longest):
        key = row.keyed.between(start, end)
        found = _named(row, start, end, index)
        own = index.dropped.get(key, frozenset())
        # Other numbers alone beside a title whose own were left out are another episode's.
        beside = (
            {*row.numbers(0, start, CALLED), *row.numbers(end, len(row.text), CALLED)}
            if own
            else own
        )
        if found and (not beside or not own.isdisjoint(beside)):
            names = tuple(sorted(episode.name for episode in found))
            behind = min((hit.start for hit in texts if hit.start >= end), default=len(row.text))
            words = len(LONG_WORD.findall(row.text[start:end]))
            yield Hit(
                row.place, start, end, names, "title", rest_of(row, start, end, behind), words
            )


def _named(row: PageRow, start: int, end: int, index: EpisodeIndex) -> Sequence[KnownEpisode]:
    """The episodes that a stretch is the title of, whole or cut."""
    key = row.keyed.between(start, end)
    cut = CUT.search(row.text, start, end + CUT_SIGNS)
    if cut is None:
        return index.titled(key)
    low, high = min(cut.start(), end), min(cut.end(), end)
    found = index.begun(row.keyed.between(start, low), row.keyed.between(high, end))
    return found or index.titled(key if low < end else "")


def _stretches(row: PageRow, texts: Sequence[Hit], longest: int) -> Iterator[tuple[int, int]]:
    """The places where a title of at most so many letters can stand."""
    edges = _edges(row, texts)
    most = FEW_EDGES if len(edges) > FEW_EDGES * 2 else len(edges)
    for low, start in enumerate(edges):
        for end in edges[low + 1 : low + 1 + most]:
            if len(row.keyed.between(start, end)) > longest:
                break
            yield start, end


def rest_of(row: PageRow, start: int, end: int, limit: int = REST_LENGTH) -> int:
    """Count the words of the row, up to `limit`, beside the stretch. Do not count dates, lengths,
    addresses, the show's name, and elements of their own that a site names."""
    chars = list(row.unmarked_beginning[:limit])
    spans = [(start, end)]
    if end > 0:
        spans += [(low, high) for low, high in row.label_spans if low >= end]
    for low, high in spans:
        chars[low:high] = " " * (min(high, len(chars)) - low)
    return len(LONG_WORD.findall("".join(chars)))


def _edges(row: PageRow, texts: Sequence[Hit]) -> list[int]:
    """The places where a title can begin or end: at signs, at fields, at links and names; at signs only while
    they are few."""
    text, starts = row.keyed.text, (0, *(mark.end for mark in row.marks))
    spans = [
        *((piece.start, piece.end) for piece in row.row.pieces),
        *((mark.start, mark.end) for mark in row.marks),
        *(match.span() for place in starts if (match := COUNTED.match(text, place))),
        *(match.span() for match in COUNTED_BEHIND.finditer(text)),
        *((match.start(), match.start()) for match in CREDIT.finditer(text)),
        *((hit.start, hit.start) for hit in texts),
    ]
    found = {0, len(text), *chain.from_iterable([*spans, *row.show_names, *row.addresses])}
    signs = set(chain.from_iterable(match.span() for match in SEPARATORS.finditer(text)))
    found |= signs if len(found) + len(signs) < MANY_EDGES else set()
    return sorted({min(place, len(text)) for place in found})
