"""Reads a page of any site about a known show: finds the entries of known episodes, and takes what the page adds to them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from ...records import Page, Reading, Refused, Said, Show
from ..dates import moment
from ..local_dates import Calendar
from ..names import fold, is_show
from .anchors import Finder, Scanner, Title, split
from .described import Described, by_title, described
from .fields import Entry, Gatherer, agrees, calendar, is_prose
from .known import Known, squashed
from .lines import Line, names_of, rest
from .naming import names_show, page_names
from .rows import Sheet, sheet
from .starts import Start, found_starts, strangers, strangers_in_text

REMARKS = re.compile(
    r"(?:\(?\d{1,5}\)?\s*)?(?:comments?|reviews?|replies|responses|kommentare?|bewertungen|commentaires?|avis|comentarios?|reseñas|"
    r"comentários?|commenti|recensioni|reacties|kommentarer|komentarze|комментари\w+|отзывы|коментарі|コメント|レビュー|评论|評論|댓글|"
    r"leave a (?:comment|reply)|join the discussion|discussion)\s*(?:\(?\d{1,5}\)?)?\s*:?",
    re.I,
)
# What stands over other shows' episodes on the page of a show.
RELATED = re.compile(
    r"you (?:may|might)|also (?:like|listen|enjoy)|related|similar|recommend|suggest|(?:more|other) (?:podcasts|shows)|"
    r"discover|trending|das könnte|ähnliche|empfehl|auch interess|weitere podcasts|vous aimerez|similaires|recommand|suggestion|"
    r"también te|relacionad|recomend|parecid|semelhante|potrebbe|potrebbero|simili|consigliat|dit vind|vergelijkbare|aanbevolen|"
    r"похож|рекоменд|понрави|схожі|podobne|polecan|doporuč|podobné|liknande|rekommend|lignende|anbefal|suositel|hasonló|ajánl|"
    r"benzer|önerilen|おすすめ|関連|他の番組|推荐|推薦|相关|相關|猜你|추천|관련|مشابه|مقترح|מומלצ|προτειν|παρόμοι",
    re.I,
)
HEADING_ABOVE = 400  # rows above an entry in which the heading over it stands
AUDIO = re.compile(r"\.(?:mp3|m4a|ogg|opus|aac|wav|mp4)(?:$|[?#])", re.I)


def read(page: Page, show: Show, known: Sequence[Said]) -> Reading:
    """The entries of the page that belong to the show, in their order, each with what the page says of it.

    `known` is what other sources say about the show's episodes, in any order. Entries that name another show are
    counted in `foreign`. An entry says `show` only where it, or the page as a whole, names the show.

    Raises:
        Refused: it is no text, is made to hold up who reads it, or is about another show.
    """
    paper = sheet(page)
    index = Known(known, show)
    names = names_of(show)
    language = paper.head.language
    scanner = Scanner(index)
    rows = split(paper.rows, scanner, names, language)
    lines = [Line(place, row, names, language) for place, row in enumerate(rows)]
    told = described(page, show)
    blocked = _blocked(lines)
    finder = Finder(lines, scanner)
    starts = found_starts(lines, finder, blocked)
    if related := _related(lines, starts, show):
        blocked |= related
        starts = found_starts(lines, finder, blocked)
    # A menu of titles above the list is no part of it.
    listed = [s for s in starts if s.score >= 4] or starts
    first = listed[0].first if listed else len(lines)
    titles = frozenset(fold(said.title) for said in known if said.title)
    named, other = page_names(lines, first, paper.head, told.series, show, page.address, titles)
    if named == "other" and told.series:
        raise Refused(f"it is about another show: {other}, not {show.title}")
    unknown = strangers(starts, lines, blocked)
    gatherer = Gatherer(_in_order([*starts, *unknown]), lines, blocked)
    if not paper.markup:
        unknown = strangers_in_text(starts, list(gatherer.places()), lines, blocked)
        gatherer = Gatherer(_in_order([*starts, *unknown]), lines, blocked) if unknown else gatherer
    dates = calendar(lines, gatherer.entries, blocked)
    return _Reader(paper, page, show, lines, told, named, dates).reading(gatherer)


def _in_order(starts: Sequence[Start]) -> list[Start]:
    return sorted(starts, key=lambda start: start.place)


def _blocked(lines: Sequence[Line]) -> set[int]:
    """Rows of what visitors wrote: marked as such, or below a heading that says so once."""
    found = {line.place for line in lines if line.row.region == "remarks"}
    heads = [line for line in lines if len(line.text) < 40 and REMARKS.fullmatch(line.text)]
    if len(heads) == 1:
        head = heads[0]
        for line in lines[head.place :]:
            if line.place > head.place and head.row.heading and 0 < line.row.heading <= head.row.heading:
                break
            found.add(line.place)
    return found


def _related(lines: Sequence[Line], starts: Sequence[Start], show: Show) -> set[int]:
    """Rows below a heading over other shows' episodes that stands behind entries of the page: up to the next heading of
    its rank, or to the end."""
    first = min((start.first for start in starts if start.score >= 2), default=len(lines))
    often = Counter(line.text for line in lines)
    found: set[int] = set()
    for line in lines[first:]:
        heads = (line.row.heading or not line.row.path) and len(line.text) < 60 and often[line.text] == 1
        if heads and RELATED.search(line.text) and not names_show(line.text, show):
            found |= _below(line, lines)
    return found


def _below(head: Line, lines: Sequence[Line]) -> set[int]:
    if not head.row.path:
        alone = head.row.gap and not head.marks and len(head.text.split()) < 7
        return {line.place for line in lines[head.place :]} if alone and not head.text.endswith(".") else set()
    found = {head.place}
    for line in lines[head.place + 1 :]:
        if 0 < line.row.heading <= head.row.heading:
            break
        found.add(line.place)
    return found


def _convincing(entries: Sequence[Entry]) -> bool:
    """Whether days and lengths of three entries agree with what is known, and none does not."""
    votes = [agrees(mark, e.start.episode) for e in entries if e.start.episode for mark in e.found.values()]
    return votes.count(1) >= 3 and -1 not in votes


class _Reader:
    """Makes of entries what is said, and leaves out those that are not the show's."""

    def __init__(
        self, paper: Sheet, page: Page, show: Show, lines: Sequence[Line], told: Described, named: str, dates: Calendar
    ) -> None:
        self.paper, self.page, self.show, self.lines = paper, page, show, lines
        self.told, self.named, self.dates = told, named, dates

    def reading(self, gatherer: Gatherer) -> Reading:
        labelled = self._labels(gatherer)
        share = sum(labelled) * 3 >= len(labelled) and sum(labelled) >= 2
        by_label = any(labelled) and (self.named != "ours" or share)
        foreign = len(self.told.others)
        others = self._others(gatherer.entries)
        sure = self.named == "mention" and _convincing(gatherer.entries)
        kept: list[tuple[Entry, str]] = []
        for entry, own in zip(gatherer.entries, labelled, strict=True):
            if (by_label and not own) or id(entry) in others:
                foreign += 1
            elif own or self.named == "ours":
                kept.append((entry, self.show.title))
            elif entry.start.told or (sure and entry.start.episode):
                kept.append((entry, ""))
            else:
                foreign += self.named == "other" and bool(entry.start.title)
        said = self._said(kept)
        return Reading(tuple(said), self.show.title if self.named == "ours" else "", foreign)

    def _others(self, entries: Sequence[Entry]) -> set[int]:
        """Entries under a later heading that carry a name which those under the first one do not, as other shows' do."""
        heads = [self._heading(entry) for entry in entries]
        if len(set(heads)) < 2:
            return set()
        usual = {
            self.lines[place].text
            for e, head in zip(entries, heads, strict=True)
            if head == heads[0]
            for place in e.rows
        }
        found = set()
        for entry, head in zip(entries, heads, strict=True):
            rows = [self.lines[place] for place in entry.rows if place not in entry.text_rows | entry.start.rows]
            names = [line for line in rows if line.text not in usual and not line.shows and not is_prose(line)]
            named = any(rest(line.left(0, len(line.text))) and len(line.text.split()) < 7 for line in names)
            if head != heads[0] and entry.block and named:
                found.add(id(entry))
        return found

    def _heading(self, entry: Entry) -> int:
        """The row of the nearest higher heading above an entry."""
        level = self.lines[entry.start.place].row.heading or 7
        above = self.lines[max(0, entry.start.first - HEADING_ABOVE) : entry.start.first]
        return next((line.place for line in reversed(above) if 0 < line.row.heading < level), -1)

    def _labels(self, gatherer: Gatherer) -> list[bool]:
        """Which entries name the show: in their rows, in the heading of their part of the page, or in a row at the one
        distance from their titles at which such rows stand."""
        entries = gatherer.entries
        own = [self._labelled(e, {*e.rows, *e.start.rows, *e.places.values()}) for e in entries]
        if self.named != "ours":
            own = [label or self._under_name(entry) for label, entry in zip(own, entries, strict=True)]
        if any(own) or any(entry.block for entry in entries):
            return own
        steps: list[set[int]] = []
        for n, entry in enumerate(entries):
            places = [*gatherer.behind(n)[:3], *gatherer.before(n)[:3]]
            steps.append({p - entry.start.place for p in places if self._labelled(entry, {p})})
        close = [{s for s in found if self._together(e, s)} for e, found in zip(entries, steps, strict=True)]
        steps = close if any(close) else steps
        often = Counter(step for found in steps for step in found)
        if not often:
            return own
        best = min(often, key=lambda step: (-often[step], abs(step), step))
        # One name above the list, or below it, is the page's.
        return [best in found for found in steps] if any(close) or often[best] > 1 else own

    def _together(self, entry: Entry, step: int) -> bool:
        """Whether no blank line stands between a title and a row."""
        low, high = sorted((entry.start.place, entry.start.place + step))
        return not any(line.row.gap for line in self.lines[low + 1 : high + 1])

    def _under_name(self, entry: Entry) -> bool:
        """Whether the nearest higher heading above an entry is the show's name."""
        place = self._heading(entry)
        return place >= 0 and is_show(self.lines[place].text, self.show.title)

    def _labelled(self, entry: Entry, places: set[int]) -> bool:
        """Whether an entry names the show: beside its title, or in a row that says nothing else."""
        free = [place for place in places if place not in entry.text_rows or place == entry.start.place]
        return any(self._names(self.lines[place], entry) for place in free)

    def _names(self, line: Line, entry: Entry) -> bool:
        if not line.shows:
            return False
        name = squashed(self.show.title)
        spans = list(line.every(name))
        if not spans:
            return False
        title = entry.start.title
        again = line.every(title.episode.title) if title else ()
        if line.place in entry.text_rows:
            return title is not None and any(end <= title.text or end <= title.start for _, end in spans)
        if line.place == entry.start.place and (title or entry.start.unknown):
            return True
        return not rest(line.left(0, len(line.text), again)) or any(
            is_show(line.text[piece.start : piece.end], self.show.title) for piece in line.row.pieces
        )

    # -- what entries say ---------------------------------------------------------------------------------------------

    def _said(self, kept: Sequence[tuple[Entry, str]]) -> list[Said]:
        told = by_title(self.told.ours)
        numbers = self._numbers([entry for entry, _ in kept])
        clocks = self._clocks([entry for entry, _ in kept])
        urls = self._addresses([entry for entry, _ in kept])
        found: list[tuple[Entry, Said]] = []
        for entry, show in kept:
            title = self._title(entry)
            if not title and not entry.text:
                continue
            date, length = (
                entry.found.get("date"),
                entry.found.get("length") or (entry.found.get("clock") if clocks else None),
            )
            raw = entry.raw.get("length") or (entry.raw.get("clock", "") if clocks else "")
            at = self.dates.read(date) if date else ""
            span = length.span if length else None
            said = Said(
                title=title,
                text=entry.text,
                cut=entry.cut,
                date_raw=entry.raw.get("date") or entry.raw.get("ago", ""),
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

    def _title(self, entry: Entry) -> str:
        start = entry.start
        text = self.lines[start.place].text
        if start.title:
            return text[start.title.start : start.title.end].strip()
        if start.unknown:
            return text[start.unknown[0] : start.unknown[1]].strip()
        return ""

    def _audio(self, entry: Entry) -> str:
        """The one audio file that its rows play or offer; of a page about one episode, the page's one."""
        subject = self._is_subject(entry)
        rows = [line.row for line in self.lines] if subject else [self.lines[place].row for place in entry.rows]
        found = {address for row in rows for address in (*row.media, *(a for a in row.links if AUDIO.search(a)))}
        return next(iter(found)) if len(found) == 1 and (entry.block or subject) else ""

    def _numbers(self, entries: Sequence[Entry]) -> dict[int, int]:
        """Declared numbers; none where they contradict known ones, or only count the page."""
        found: dict[int, int] = {}
        good = bad = 0
        for entry in entries:
            start = entry.start
            rows = [(place, number) for place in sorted(start.rows) for number in self.lines[place].numbers]
            numbers = [number for place, number in rows if not _in_title(number.start, place, start)]
            numbers = [n for n in numbers if n.start < 60] if start.title and start.title.text >= 0 else numbers
            if len({n.number for n in numbers}) != 1:
                continue
            found[id(entry)] = numbers[0].number
            if start.episode and start.episode.numbers:
                good += numbers[0].number in start.episode.numbers
                bad += numbers[0].number not in start.episode.numbers
        counted = list(found.values()) == list(range(1, len(found) + 1)) and len(found) > 1
        return {} if bad > good or (bad and bad * 5 > good) or (counted and not good) else found

    def _clocks(self, entries: Sequence[Entry]) -> bool:
        """Whether bare clocks say how long: not where they contradict what is known, nor right behind dates in doubt."""
        marked = [entry for entry in entries if "clock" in entry.found and "length" not in entry.found]
        votes = [agrees(e.found["clock"], e.start.episode) for e in marked if e.start.episode]
        good, bad = votes.count(1), votes.count(-1)
        if good or bad:
            return good > bad
        if any("length" in entry.found for entry in entries):
            return False
        behind = sum(_behind_date(e) for e in marked)
        return behind * 2 < len(marked)

    def _addresses(self, entries: Sequence[Entry]) -> dict[int, str]:
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
                if piece.href and (place not in entry.text_rows or _is_tail(entry, place, piece.start))
            ]
            choices[id(entry)] = [href for href in dict.fromkeys(own) if not AUDIO.search(href)]
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

    def _is_subject(self, entry: Entry) -> bool:
        """Whether the whole page is about one episode: its title is the page's own heading."""
        title = fold(self._title(entry))
        row = self.lines[entry.start.place].row
        named = [name for name in (self.paper.head.title, *self.paper.head.names) if name]
        heads = bool(title) and row.heading == 1 and not row.links
        return heads and (not named or any(title in fold(name) for name in named))

    def _described(self, seen: set[str]) -> list[Said]:
        """Episodes of the show that only the data for machines names."""
        ours = [said for said in self.told.ours if said.title and (said.show or self.named == "ours")]
        return [replace(said, show=self.show.title) for said in ours if squashed(said.title) not in seen]


def _in_title(place: int, row: int, start: Start) -> bool:
    title: Title | None = start.title
    return title is not None and title.place == row and title.start <= place < title.end


def _is_tail(entry: Entry, place: int, start: int) -> bool:
    return any(row == place and start >= end for row, end in entry.tails)


def _behind_date(entry: Entry) -> bool:
    date, clock = entry.found.get("date"), entry.found["clock"]
    return date is not None and 0 <= clock.start - date.end <= 2


def _bare(address: str) -> str:
    return address.partition("#")[0].rstrip("/") if address else ""


def _filled(said: Said, same: Sequence[Said]) -> Said:
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


def _once(found: Sequence[tuple[Entry, Said]]) -> list[Said]:
    """Each episode once: of several places the one that says most; several stay where their dates are of different days."""
    groups: dict[object, list[tuple[Entry, Said]]] = defaultdict(list)
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


def _worth(entry: Entry, said: Said) -> int:
    episode = entry.start.episode
    sure = sum(agrees(mark, episode) for mark in entry.found.values()) if episode else 0
    own = episode is not None and bool(said.text) and (entry.start.opening is not None)
    return 3 * sure + 4 * own + bool(said.published) + bool(said.seconds_low) + bool(said.url) + bool(said.text)
