"""Decides which entries of a page are the show's: by what the page names, by labels, and by what speaks against it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

from ...records import Show
from ..names import is_show, normalize_show_name
from .described import Described
from .entries import PageEntry, agrees, is_prose, votes
from .fields import Gatherer
from .known import squashed
from .lines import NOISE, Line, rest
from .naming import Naming

HEADING_ABOVE = 400  # rows above an entry in which the heading over it stands


def _convincing(entries: Sequence[PageEntry]) -> bool:
    """Whether days and lengths of three entries agree with what is known, and none does not."""
    agreed = votes(entries)
    return agreed.count(1) >= 3 and -1 not in agreed


def _proven(entries: Sequence[PageEntry]) -> bool:
    """Whether most entries of a list carry their episodes' own texts, or their days and hardly one another: it can only
    be the show's."""
    known = [entry for entry in entries if entry.start.episode]
    told = [entry for entry in known if entry.start.told]
    days = votes(known, "date")
    if days.count(1) >= 5 and days.count(-1) * 10 <= days.count(1):
        return True
    return len(told) >= 3 and len(told) * 2 > len(known) and _convincing(known)


def _unlike(gatherer: Gatherer) -> bool:
    """Whether most entries of episodes whose texts are known have texts that are none of these."""
    own = other = told = 0
    for n, entry in enumerate(gatherer.entries):
        episode = entry.start.episode
        if episode and episode.texts:
            told += 1
            own += entry.start.told
            other += not entry.start.told and gatherer.has_prose(n)
    return other > own and other * 3 > told


def _parts(address: str) -> list[str]:
    """The parts of an address's path."""
    try:
        return urlsplit(address).path.lower().strip("/").split("/")
    except ValueError:
        return []


class Belonging:
    """Tells the show's entries from others'; `named` is how the page names the show, once its texts had their say."""

    def __init__(self, show: Show, lines: Sequence[Line], told: Described, naming: Naming, *, markup: bool) -> None:
        self.show, self.lines, self.told, self.naming = show, lines, told, naming
        self.named = naming.kind
        self.slug = "-".join(re.findall(r"\w+", normalize_show_name(show.title)))
        self.markup = markup

    def kept(self, gatherer: Gatherer) -> tuple[list[tuple[PageEntry, str]], int]:
        """The show's entries, each with the show's name where it or the page says it, and how many are another show's."""
        labelled = self._labels(gatherer)
        share = sum(labelled) * 3 >= len(labelled) and sum(labelled) >= 2
        by_label = any(labelled) and (self.named != "ours" or share)
        foreign = len(self.told.others)
        others = self._others(gatherer.entries) | self._at_end(gatherer)
        unlike = not self.naming.clear and _unlike(gatherer)
        if unlike and self.named == "ours":
            self.named = "aside"
        sure = self.named == "mention" and _convincing(gatherer.entries)
        sure = sure or (self.named == "aside" and not unlike and _proven(gatherer.entries))
        sure = sure or (self.named in ("aside", "other") and not self.told.series and self._numbered(gatherer.entries))
        usual = gatherer.usual() if sure else frozenset()
        signed = {id(e) for n, e in enumerate(gatherer.entries) if sure and gatherer.signed(n, usual)}
        likely = self._likely(gatherer) if not self.named and not unlike else set()
        strange = {squashed(said.title) for said in self.told.others} - {
            squashed(said.title) for said in self.told.ours
        }
        kept: list[tuple[PageEntry, str]] = []
        for entry, own in zip(gatherer.entries, labelled, strict=True):
            described = entry.start.episode is not None and entry.start.episode.title in strange
            if not own and (by_label or id(entry) in others or described):
                foreign += 1
            elif own or self.named == "ours":
                kept.append((entry, self.show.title))
            elif entry.start.told or (sure and entry.start.episode and id(entry) not in signed) or id(entry) in likely:
                kept.append((entry, ""))
            else:
                foreign += self.named in ("other", "aside") and bool(entry.start.title)
        return kept, foreign

    def _numbered(self, entries: Sequence[PageEntry]) -> bool:
        """Whether both number and day of three entries are their episodes' own, and none is another's: no other show has
        them so."""
        both = 0
        for entry in entries:
            episode, date = entry.start.episode, entry.found.get("date")
            if episode is None or date is None:
                continue
            numbers = {n.number for place in (*entry.rows, *entry.places.values()) for n in self.lines[place].numbers}
            day = agrees(date, episode)
            if day == -1 or (numbers and episode.numbers and not numbers & episode.numbers):
                return False
            both += day == 1 and bool(numbers & episode.numbers)
        return both >= 3

    def _likely(self, gatherer: Gatherer) -> set[int]:
        """Of a page that names no show at all, the entries that have a known title, whole, and a field of their own: only
        a person can have said which show it is about. None where entries carry names, or most fields speak against it."""
        known = [(n, e) for n, e in enumerate(gatherer.entries) if e.start.title and not e.start.title.weak]
        agreed = votes(e for _, e in known)
        signed = [n for n, _ in known if gatherer.signed(n)]
        if agreed.count(-1) > agreed.count(1) or len(signed) * 3 > len(known):
            return set()
        numbered = {id(e) for _, e in known if any(self.lines[place].numbers for place in e.start.rows)}
        return {
            id(e)
            for n, e in known
            if n not in signed and ({"date", "length", "clock"} & set(e.found) or e.start.told or id(e) in numbered)
        }

    def _at_end(self, gatherer: Gatherer) -> set[int]:
        """The last entries of saved text, where they carry names between title and fields and all before them do not."""
        if self.markup or len(gatherer.entries) < 4:
            return set()
        signed = [gatherer.signed_within(n) for n in range(len(gatherer.entries))]
        last = len(signed) - next((n for n, sign in enumerate(reversed(signed)) if not sign), len(signed))
        if last < 3 or any(signed[:last]):
            return set()
        return {id(entry) for entry in gatherer.entries[last:] if not entry.start.told}

    def _others(self, entries: Sequence[PageEntry]) -> set[int]:
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

    def _heading(self, entry: PageEntry) -> int:
        """The row of the nearest higher heading above an entry."""
        return next(iter(self._headings(entry)), -1)

    def _labels(self, gatherer: Gatherer) -> list[bool]:
        """Which entries name the show: in their rows, in the heading of their part of the page, or in a row at the one
        distance from their titles at which such rows stand."""
        entries = gatherer.entries
        own = [
            self._labelled(e, {*e.rows, *e.start.rows, *e.places.values()}) or self._leads_to_show(e) for e in entries
        ]
        if self.named != "ours" or not self.markup:
            own = [label or self._under_name(entry) for label, entry in zip(own, entries, strict=True)]
        if any(entry.block for entry in entries):
            return own
        steps: list[set[int]] = []
        for n, (entry, label) in enumerate(zip(entries, own, strict=True)):
            mine = sorted({*entry.rows, *entry.start.rows, *entry.places.values()})
            places = mine if label else [*gatherer.behind(n)[:3], *gatherer.before(n)[:3]]
            steps.append({place - entry.start.place for place in places if self._labelled(entry, {place})})
        close = [{s for s in found if self._together(e, s)} for e, found in zip(entries, steps, strict=True)]
        steps = close if any(close) else steps
        often = Counter(
            step for found, label in zip(steps, own, strict=True) if label or not any(own) for step in found
        )
        if not often:
            return own
        best = min(often, key=lambda step: (-often[step], abs(step), step))
        # One name above the list, or below it, is the page's.
        alone = not any(close) and often[best] == 1
        return own if alone else [label or best in found for label, found in zip(own, steps, strict=True)]

    def _together(self, entry: PageEntry, step: int) -> bool:
        """Whether no blank line stands between a title and a row."""
        low, high = sorted((entry.start.place, entry.start.place + step))
        return not any(line.row.gap for line in self.lines[low + 1 : high + 1])

    def _under_name(self, entry: PageEntry) -> bool:
        """Whether a heading over an entry, or the first row of its paragraph, is the show's name."""
        places = [] if self.named == "ours" else self._headings(entry)
        if not self.markup:
            places.append(self._first_of_paragraph(entry))
        return any(place >= 0 and is_show(self.lines[place].text, self.show.title) for place in places)

    def _headings(self, entry: PageEntry) -> list[int]:
        """The rows of the headings over an entry, each of a higher rank than the one before."""
        found: list[int] = []
        level = self.lines[entry.start.place].row.heading or 7
        for line in reversed(self.lines[max(0, entry.start.first - HEADING_ABOVE) : entry.start.first]):
            if 0 < line.row.heading < level:
                found.append(line.place)
                level = line.row.heading
        return found

    def _first_of_paragraph(self, entry: PageEntry) -> int:
        place = entry.start.first
        while place and not self.lines[place].row.gap:
            place -= 1
        return place if place < entry.start.first else -1

    def _labelled(self, entry: PageEntry, places: set[int]) -> bool:
        """Whether an entry names the show: beside its title, or in a row that says nothing else."""
        free = [place for place in places if place not in entry.text_rows or place == entry.start.place]
        return any(self._names(self.lines[place], entry) for place in free)

    def _leads_to_show(self, entry: PageEntry) -> bool:
        """Whether the title of an entry is a link below the show's name: `/pytorch-developer-podcast/vmap`."""
        return any(self.slug in _parts(href)[:-1] for place in entry.start.rows for href in self.lines[place].row.links)

    def _goes_on(self, line: Line, span: tuple[int, int], entry: PageEntry) -> bool:
        """Whether the show's name is only a part of another: "The … Club"."""
        end = span[1]
        title = entry.start.title
        word = re.match(r" ([^\W\d_]\w*)", line.text[end:])
        if word is None or end in line.ends or not word[1][0].isupper() or word[1].casefold() in NOISE:
            return False
        place = end + 1
        within = title is not None and title.start <= place < title.end
        within = within or (entry.start.unknown is not None and place == entry.start.unknown[0])
        return not within and not any(mark.start <= place < mark.end for mark in line.marks)

    def _is_most(self, text: str) -> bool:
        """Whether a text that dots cut off is more than half of the show's name."""
        name, said = squashed(self.show.title), squashed(text)
        return name.startswith(said) and len(said) * 2 > len(name)

    def _names(self, line: Line, entry: PageEntry) -> bool:
        if not line.shows:
            return False
        name = squashed(self.show.title)
        spans = list(line.every(name)) or [span for span in line.shows if self._is_most(line.text[slice(*span)])]
        if not spans:
            return False
        title = entry.start.title
        again = line.every(title.episode.title) if title else ()
        if line.place in entry.text_rows:
            return title is not None and any(end <= title.text or end <= title.start for _, end in spans)
        if line.place == entry.start.place and (title or entry.start.unknown):
            return any(not self._goes_on(line, span, entry) for span in spans)
        return not rest(line.left(0, len(line.text), again)) or any(
            is_show(line.text[piece.start : piece.end], self.show.title) for piece in line.row.pieces
        )
