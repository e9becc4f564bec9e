"""Makes of the entries of a page what is said: title, date, length, number, text and addresses."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...records import EntryData, FetchedDocument, Show
from ..dates import moment
from ..html import host_of
from ..local_dates import Calendar
from ..names import normalize_show_name
from .anchors import Title
from .described import Described, by_title
from .entries import PageEntry, agrees, votes
from .fields import Gatherer
from .known import squashed
from .lines import rest, unquoted
from .naming import ADDRESS_SEARCH
from .rows import PageRows, Piece
from .starts import Start

CELL = re.compile(r"[#№]?\s?\d{1,5}\.?")  # a number in a table
MANY = 4  # entries whose numbers in a column must be the known ones
LAST_HOUR = 24 * 60  # seconds of "24:00" read as minutes: no time of day
AUDIO = re.compile(r"\.(?:mp3|m4a|ogg|opus|aac|wav|mp4)(?:$|[?#])", re.I)


class Sayer:
    def __init__(
        self,
        paper: PageRows,
        page: FetchedDocument,
        show: Show,
        gatherer: Gatherer,
        told: Described,
        dates: Calendar,
        named: str,
    ) -> None:
        self.paper, self.page, self.show, self.gatherer, self.lines = paper, page, show, gatherer, gatherer.lines
        self.told, self.dates, self.named = told, dates, named

    def said(self, kept: Sequence[tuple[PageEntry, str]]) -> list[EntryData]:
        told = by_title(self.told.ours)
        numbers = self._numbers([entry for entry, _ in kept])
        clocks = self._clocks([entry for entry, _ in kept])
        urls = self._addresses([entry for entry, _ in kept])
        # Days on which somebody listened are no dates of publication, and minutes of reading no lengths.
        published = _agree_with_what_is_known([entry for entry, _ in kept], "date")
        lengths = _agree_with_what_is_known([entry for entry, _ in kept], "length")
        found: list[tuple[PageEntry, EntryData]] = []
        blurbs = Counter(entry.text for entry, _ in kept if not entry.start.told)
        for entry, show in kept:
            title = self._title(entry)
            if blurbs[entry.text] > 1 and not entry.start.told:
                entry.text, entry.cut = "", None  # what stands under several titles is none's own
            if (not title and not entry.text) or _is_doubtful(entry, numbers.get(id(entry))):
                continue
            date, length = (
                entry.found.get("date"),
                (entry.found.get("length") if lengths else None) or (entry.found.get("clock") if clocks else None),
            )
            raw = entry.raw.get("length") or (entry.raw.get("clock", "") if clocks else "")
            date = date if published else None
            at = self.dates.read(date) if date else ""
            span = length.span if length else None
            said = EntryData(
                title=title,
                text=entry.text,
                cut=entry.cut,
                date_raw=(entry.raw.get("date") if date else "") or entry.raw.get("ago", ""),
                published=at,
                length_raw=raw if length else "",
                seconds_low=span[0] if span else None,
                seconds_high=span[1] if span else None,
                number=numbers.get(id(entry)),
                url=urls.get(id(entry), ""),
                audio_url=self._audio(entry),
                show=show,
            )
            said = _filled(said, told.get(squashed(title), [])) if title else said
            if entry.start.episode or (show and (said.published or said.seconds_low or said.url)):
                found.append((entry, said))
        return [*_once(found), *self._described({squashed(said.title) for _, said in found})]

    def _title(self, entry: PageEntry) -> str:
        start = entry.start
        text = self.lines[start.place].text
        if start.title and start.title.cut:
            return start.title.episode.shown
        if start.title:
            return text[start.title.start : start.title.end].strip()
        if start.unknown:
            return unquoted(text[start.unknown[0] : start.unknown[1]].strip())
        return ""

    def _audio(self, entry: PageEntry) -> str:
        """The one audio file that its rows play or offer; of a page about one episode, the page's one."""
        subject = self._is_subject(entry)
        rows = [line.row for line in self.lines] if subject else [self.lines[place].row for place in entry.rows]
        found = {address for row in rows for address in (*row.media, *(a for a in row.links if AUDIO.search(a)))}
        return next(iter(found)) if len(found) == 1 and (entry.block or subject) else ""

    def _numbers(self, entries: Sequence[PageEntry]) -> dict[int, int]:
        """Declared numbers; none where they contradict known ones, or only count the page."""
        found: dict[int, int] = {}
        good = bad = 0
        for entry in entries:
            start = entry.start
            places = sorted(start.rows | {place for place in entry.rows if self._only_number(place)})
            rows = [(place, number) for place in places for number in self.lines[place].numbers]
            numbers = [number for place, number in rows if not _in_title(number.start, place, start)]
            numbers = [n for n in numbers if n.start < 60] if start.title and start.title.text >= 0 else numbers
            if len({n.number for n in numbers}) != 1:
                continue
            found[id(entry)] = numbers[0].number
            if start.episode and start.episode.numbers:
                good += numbers[0].number in start.episode.numbers
                bad += numbers[0].number not in start.episode.numbers
        if len(found) * 2 < len(entries):
            found = self._column(entries) or self._rows_of(entries) or found
        counted = list(found.values()) == list(range(1, len(found) + 1)) and len(found) > 1
        return {} if bad > good or (bad and bad * 5 > good) or (counted and not good) else found

    def _rows_of(self, entries: Sequence[PageEntry]) -> dict[int, int]:
        """The numbers in rows of their own on that side of the titles where they are the known episodes' own."""
        for side in (self.gatherer.before, self.gatherer.behind):
            numbers = {}
            for entry in entries:
                rows = [place for place in side(self.gatherer.number(entry))[:3] if self._only_number(place)]
                if rows and not entry.block:
                    numbers[id(entry)] = self.lines[rows[0]].numbers[0].number
            if _are_known(numbers, entries):
                return numbers
        return {}

    def _column(self, entries: Sequence[PageEntry]) -> dict[int, int]:
        """The numbers in the one column of a table that are the known episodes' own, nearly all of them."""
        columns: dict[str, dict[int, int]] = defaultdict(dict)
        for entry in entries:
            for column, text in self._cells(entry):
                if CELL.fullmatch(text):
                    columns[column][id(entry)] = int(re.sub(r"\D", "", text))
        return next((numbers for numbers in columns.values() if _are_known(numbers, entries)), {})

    def _cells(self, entry: PageEntry) -> Iterator[tuple[str, str]]:
        """The cells of an entry of a table, each with its column: parts of a row of saved text, or rows of HTML."""
        line = self.lines[entry.start.place]
        for n, piece in enumerate(line.row.pieces if not line.row.path else ()):
            yield f"cell {n}", line.text[piece.start : piece.end]
        for row in (self.lines[place].row for place in entry.rows):
            if row.shape[-1:] and row.shape[-1].startswith("td"):
                yield row.shape[-1], row.text

    def _only_number(self, place: int) -> bool:
        line = self.lines[place]
        return len(line.numbers) == 1 and not rest(line.left(0, len(line.text)))

    def _clocks(self, entries: Sequence[PageEntry]) -> bool:
        """Whether bare clocks say how long: not where they contradict what is known, nor right behind dates in doubt."""
        marked = [entry for entry in entries if "clock" in entry.found and "length" not in entry.found]
        agreed = votes(marked, "clock")
        good, bad = agreed.count(1), agreed.count(-1)
        if good or bad:
            return good > bad
        if any("length" in entry.found for entry in entries):
            return False
        if any(
            e.found["clock"].span[0] >= LAST_HOUR for e in marked if e.found["clock"].span and ":" in e.raw["clock"]
        ):
            return True
        behind = sum(_behind_date(e) for e in marked)
        return behind * 2 < len(marked)

    def _addresses(self, entries: Sequence[PageEntry]) -> dict[int, str]:
        """Each entry's own address: where its title leads, else a link of its block that no other has."""
        choices: dict[int, list[str]] = {}
        for entry in entries:
            start = entry.start
            row = self.lines[start.place].row
            span = (start.title.start, start.title.end) if start.title else start.unknown
            own = [p.href for p in row.pieces if p.href and span and p.start < span[1] and p.end > span[0]]
            own += [
                href
                for place in sorted(start.rows)
                if place not in entry.text_rows
                for href in self.lines[place].row.links
            ]
            own += [
                piece.href
                for place in entry.rows
                for piece in self.lines[place].row.pieces
                if piece.href and (place not in entry.text_rows or self._is_beside(entry, place, piece))
            ]
            own += [href for href in self.gatherer.links(entry) if self._is_page_of(href, entry)]
            choices[id(entry)] = [
                href for href in dict.fromkeys(own) if not AUDIO.search(href) and not ADDRESS_SEARCH.search(href)
            ]
        owners: dict[str, set[object]] = defaultdict(set)
        for entry in entries:
            for href in choices[id(entry)]:
                owners[_bare(href)].add(entry.start.episode.name if entry.start.episode else id(entry))
        home = {_bare(self.show.site_url), _bare(self.page.address), _bare(self.paper.head.address)}
        found = {
            key: next((_bare(href) for href in hrefs if len(owners[_bare(href)]) == 1 and _bare(href) not in home), "")
            for key, hrefs in choices.items()
        }
        for entry in entries:
            if self._is_subject(entry):
                found[id(entry)] = self.paper.head.address or self.page.address
        return found

    def _is_beside(self, entry: PageEntry, place: int, piece: Piece) -> bool:
        """Whether a part of a row that holds the entry's text stands before its title, between the two, or behind the text.

        In saved text the addresses that a text ends in look alike; only the page's own site tells.
        """
        title = entry.start.title
        ahead = title is not None and title.place == place and piece.end <= max(title.start, title.text)
        behind = any(row == place and piece.start >= end for row, end in entry.tails)
        return ahead or (behind and (self.paper.markup or self._is_page_of(piece.href, entry)))

    def _is_page_of(self, href: str, entry: PageEntry, *, by_title: bool = False) -> bool:
        """Whether an address is of the page's site; where that is not known, or `by_title`, whether it says the title."""
        if not by_title and host_of(self.page.address):
            return host_of(href) == host_of(self.page.address)
        words = normalize_show_name(self._title(entry)).split()
        path = "-".join(
            re.findall(r"\w+", normalize_show_name(href.partition("?")[0].partition("://")[2].partition("/")[2]))
        )
        return len("".join(words)) > 3 and "-".join(re.findall(r"\w+", " ".join(words))) in path

    def _is_subject(self, entry: PageEntry) -> bool:
        """Whether the whole page is about one episode: its title is the page's own heading."""
        title = normalize_show_name(self._title(entry))
        row = self.lines[entry.start.place].row
        named = [name for name in (self.paper.head.title, *self.paper.head.names) if name]
        if not self.paper.markup:
            return self._is_page_of(self.page.address, entry, by_title=True)
        heads = bool(title) and row.heading == 1 and not row.links
        return heads and (not named or any(title in normalize_show_name(name) for name in named))

    def _described(self, seen: set[str]) -> list[EntryData]:
        """Episodes of the show that only the data for machines names."""
        ours = [said for said in self.told.ours if said.title and (said.show or self.named == "ours")]
        return [replace(said, show=self.show.title) for said in ours if squashed(said.title) not in seen]


def _agree_with_what_is_known(entries: Sequence[PageEntry], kind: str) -> bool:
    """False where three dates or lengths of a page contradict what is known and hardly one agrees: they mean other things."""
    found = votes(entries, kind)
    return found.count(-1) < 3 or found.count(1) * 3 >= found.count(-1)


def _is_doubtful(entry: PageEntry, number: int | None) -> bool:
    """Whether only the beginning of a title says which episode it is, and nothing else agrees."""
    title = entry.start.title
    if title is None or not title.cut or entry.start.told:
        return False
    votes = [agrees(mark, title.episode) for mark in entry.found.values()]
    return number not in title.episode.numbers and (1 not in votes or -1 in votes)


def _in_title(place: int, row: int, start: Start) -> bool:
    title: Title | None = start.title
    return title is not None and title.place == row and title.start <= place < title.end


def _are_known(numbers: dict[int, int], entries: Sequence[PageEntry]) -> bool:
    """Whether nearly all of the entries' numbers are those of their episodes."""
    known = [(numbers[id(e)], e.start.episode.numbers) for e in entries if id(e) in numbers and e.start.episode]
    votes = [number in own for number, own in known if own]
    return votes.count(True) >= MANY and votes.count(False) * 10 <= len(votes)


def _behind_date(entry: PageEntry) -> bool:
    date, clock = entry.found.get("date"), entry.found["clock"]
    together = entry.places.get("date") == entry.places["clock"]
    return date is not None and together and 0 <= clock.start - date.end <= 2


def _bare(address: str) -> str:
    return address.partition("#")[0].rstrip("/") if address else ""


def _filled(said: EntryData, same: Sequence[EntryData]) -> EntryData:
    """What the page shows, with what it leaves out taken from what it says to machines of the one episode of that title."""
    if len(same) != 1:
        return said
    other = same[0]
    news: dict[str, object] = {
        name: getattr(other, name) for name in ("url", "audio_url", "number") if not getattr(said, name)
    }
    if not said.text:
        news |= {"text": other.text}
    if not said.published and moment(other.date_raw):
        news |= {"date_raw": other.date_raw, "published": other.published}
    if said.seconds_low is None:
        news |= {name: getattr(other, name) for name in ("length_raw", "seconds_low", "seconds_high")}
    return replace(said, **news)  # type: ignore[arg-type]


def _once(found: Sequence[tuple[PageEntry, EntryData]]) -> list[EntryData]:
    """Each episode once: of several places the one that says most; several stay where their dates are of different days."""
    groups: dict[object, list[tuple[PageEntry, EntryData]]] = defaultdict(list)
    for entry, said in found:
        groups[entry.start.episode.name if entry.start.episode else id(entry)].append((entry, said))
    kept: set[int] = set()
    for own in groups.values():
        best = max(own, key=lambda pair: (_worth(*pair), -pair[0].start.place))
        kept.add(id(best[0]))
        days = {best[1].published[:10]}
        for entry, said in own:
            if said.published and said.published[:10] not in days and best[1].published and _worth(entry, said) >= 0:
                kept.add(id(entry))
                days.add(said.published[:10])
    return [said for entry, said in found if id(entry) in kept]


def _worth(entry: PageEntry, said: EntryData) -> int:
    episode = entry.start.episode
    sure = sum(agrees(mark, episode) for mark in entry.found.values()) if episode else 0
    own = episode is not None and bool(said.text) and (entry.start.opening is not None)
    return 3 * sure + 4 * own + bool(said.published) + bool(said.seconds_low) + bool(said.url) + bool(said.text)
