"""Finds which other episodes of its show an episode refers to, by address or by name, and what they are to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..identity.match_keys import counted
from ..text.urls import canonical
from . import reference_patterns as cues
from .episode_names import EpisodeName, EpisodeNames, linked, word_key


@dataclass(frozen=True, slots=True)
class FoundReference:
    """What another episode (its slug is `target`) is to the one that speaks, and the words that say so.

    `kind` is prerequisite (hear it before), follow-up (hear it after) or see-also. `field` is notes, where `position`
    is the 0-based offset in the text, or links, where it is the index among the links given.
    """

    kind: str
    target: str
    field: str
    position: int
    evidence: str


@dataclass(frozen=True, slots=True)
class _Mention:
    start: int
    end: int
    name: EpisodeName | None = None  # None: an address
    slug: str = ""


def references(
    slug: str,
    text: str,
    links: Sequence[tuple[str, str, int]],
    known: EpisodeNames,
    show: str = "",
) -> tuple[FoundReference, ...]:
    """At most one reference a target, of its strongest kind, by slug of the target; never the episode itself.

    `links` are (key, address, offset in `text`, or -1 for one that only another source's text has); an address counts
    if it is a page of a target or its key `episode:…` names one. A -1 is a see-also, unless the text ends in a lead
    whose list was cut off in the middle of an address that it continues. `show` is the show's title, to tell its own
    episodes from those of other podcasts. Linear in the text; never raises.
    """
    reader = _Reader(slug, text, known, show)
    at_hand, elsewhere = [], []
    for index, (key, address, position) in enumerate(links):
        target = linked(key, address, known)
        if target is None or target == slug:
            continue
        if 0 <= position < len(text):
            end = position + (len(address) if text.startswith(address, position) else 0)
            at_hand.append(_Mention(position, end, None, target))
        else:
            elsewhere.append((index, target, address))
    found = list(reader.read(at_hand))
    for index, target, address in elsewhere:
        kind, lead = reader.cut_lead if reader.cut_lead and reader.is_cut_from(address) else (cues.SEE_ALSO, "")
        found.append(FoundReference(kind, target, "links", index, f"{lead} {address}".strip()))
    return strongest(found)


def strongest(found: Iterable[FoundReference]) -> tuple[FoundReference, ...]:
    """One reference a target, by slug: the strongest kind, in the notes before the links, the earliest. Order-free, so
    what several sources' texts say of one episode can be put together."""
    best: dict[str, FoundReference] = {}
    for reference in sorted(found, key=_rank):
        best.setdefault(reference.target, reference)
    return tuple(best[target] for target in sorted(best))


# --- What the words say ----------------------------------------------------------------------------------------------


class _Reader:
    """Reads one text from its beginning to its end and remembers the lead that governs a list."""

    def __init__(self, own: str, text: str, known: EpisodeNames, show: str) -> None:
        self.own = own
        self.text = text
        self.masked = cues.ADDRESS.sub(lambda found: cues.MASK * len(found[0]), text)
        self.known = known
        self.show = {word.casefold() for word in cues.WORD.findall(show)}
        self.governing: tuple[str, str] | None = None  # kind, and the words of the lead
        self.names_episodes = False  # whether that lead says that episodes follow
        self.count: dict[str, int] = {}
        self.numbered = 0
        self.cut = cues.CUT.search(text, max(0, len(text) - 400))
        self.cut_lead: tuple[str, str] | None = None
        self.cut_address = ""

    def read(self, addresses: Sequence[_Mention]) -> Iterator[FoundReference]:
        addresses = sorted(addresses, key=lambda mention: (mention.start, mention.slug))
        next_address = 0
        last: list[FoundReference] = []
        after = 0
        for start, end in self._segments():
            inside = []
            while next_address < len(addresses) and addresses[next_address].start < end:
                inside.append(addresses[next_address])
                next_address += 1
            found = list(self._segment(start, end, inside))
            if cues.POINTS_BACK.search(self.masked, start, end):
                # "X was the episode about it. This is its sequel, so listen to that one first."
                same = found or (last if "\n" not in self.text[after:start] else [])
                found += [replace(reference, kind=cues.PREREQUISITE) for reference in same[-1:]]
            yield from found
            last, after = found or last, end

    def is_cut_from(self, address: str) -> bool:
        return bool(self.cut_address) and canonical(address).startswith(self.cut_address)

    def _segments(self) -> Iterator[tuple[int, int]]:
        start = 0
        for found in cues.BREAK.finditer(self.masked):
            if "\n" not in found[0] and cues.ABBREVIATED.search(
                self.masked[max(start, found.start() - 12) : found.start()]
            ):
                continue
            if found.start() > start:
                yield start, found.start()
            start = found.end()
        if start < len(self.masked):
            yield start, len(self.masked)

    def _segment(self, start: int, end: int, addresses: Sequence[_Mention]) -> Iterator[FoundReference]:
        in_prose = []
        for run in self._named(start, end):
            in_prose.append(run)
            kind = self._kind(start, end, run[0].start, run[-1].end)
            for mention in run:
                yield from self._reference(mention, kind, start, end)
        last = start
        for mention in addresses:
            kind = self._kind(start, end, mention.start, mention.end, last)
            yield from self._reference(mention, kind, start, end)
            last = mention.end
        self._govern(start, end, [*addresses, *(mention for run in in_prose for mention in run)])

    def _reference(self, mention: _Mention, kind: str, start: int, end: int) -> Iterator[FoundReference]:
        count = self.count.get(mention.slug, 0)
        if mention.slug == self.own or count >= cues.MOST_MENTIONS:
            return
        self.count[mention.slug] = count + 1
        kind = self._by_part(mention.slug) or kind
        words = _around(self.text, start, end, mention.start, mention.end)
        if self.governing and kind == self.governing[0] and self.governing[1] not in words:
            words = f"{self.governing[1]} {words}"
        yield FoundReference(kind, mention.slug, "notes", mention.start, words)

    def _by_part(self, slug: str) -> str:
        """What the parts of one title are to each other, whatever the words."""
        own, other = self.known.parts.get(self.own), self.known.parts.get(slug)
        if own is None or other is None or own[0] != other[0]:
            return ""
        return cues.PREREQUISITE if other[1] < own[1] else cues.FOLLOW_UP

    def _govern(self, start: int, end: int, mentions: Sequence[_Mention]) -> None:
        """Let a lead govern what follows it, until a heading or a sentence of prose."""
        segment = self.masked[start : min(end, start + 400)]
        first = min((m.start for m in mentions), default=min(end, _first_masked(self.masked, start, end)))
        lead = self.masked[max(start, first - 200) : first].rstrip()
        words = cues.LETTERS.findall(lead)
        whole = first >= end
        if lead.endswith(":") or (whole and 0 < len(words) <= 8):
            kind = self._cue(lead)
            if kind:
                said = " ".join(lead.split())[-160:]
                self.governing = (kind, said)
                self.names_episodes = bool(re.search(rf"{cues.NOUN}|listen", lead, re.IGNORECASE))
                self._look_at_cut(start, end, kind, said)
                return
            if cues.HEADINGS.fullmatch(lead.strip(" :.-*#")) or (whole and lead.endswith(":")):
                self.governing = None
                return
        if len(cues.LETTERS.findall(segment)) > 6 and not (mentions and len(words) <= 6):
            self.governing = None
        elif self.governing:
            self._look_at_cut(start, end, *self.governing)

    def _look_at_cut(self, start: int, end: int, kind: str, lead: str) -> None:
        """Whether the text ends in the middle of an address that the lead governs."""
        if self.cut and start <= self.cut.start() < end:
            self.cut_lead, self.cut_address = (kind, lead), canonical(self.cut[1]).rstrip("/")

    def _cue(self, before: str) -> str:
        best = (0, 0, "")
        for kind, cue in cues.CUES_BEFORE:
            for found in cue.finditer(before):
                candidate = (found.end(), -found.start(), kind)
                if candidate[:2] > best[:2]:
                    best = candidate
        return best[2]

    def _kind(self, start: int, end: int, first: int, last: int, after_link: int = 0) -> str:
        before = " ".join(self.masked[max(start, first - 240) : first].split())
        after = " ".join(cues.MASKED.sub(cues.MASK, self.masked[last : min(end, last + 500)]).split())[:120]
        for kind, cue in cues.CUES_AFTER:
            if cue.match(f" {after}") or cue.match(after):
                return kind
        if cues.FIRST.match(after) and cues.TOLD_TO_HEAR.search(before[-80:]):
            return cues.PREREQUISITE
        kind = self._near_cue(before)
        if kind == cues.SEE_ALSO and re.search(r"(?<!\w)see also\W*\Z", before, re.IGNORECASE):
            return kind
        if kind and (kind != cues.SEE_ALSO or not self.governing):
            return kind
        return self.governing[0] if self.governing else cues.SEE_ALSO

    def _near_cue(self, before: str) -> str:
        """The kind that the words before say, unless too much else stands between."""
        best = (0, 0, "")
        for kind, cue in cues.CUES_BEFORE:
            for found in cue.finditer(before):
                if (found.end(), -found.start()) > best[:2]:
                    best = (found.end(), -found.start(), kind)
        between = before[best[0] :].replace(cues.MASK, "")
        return best[2] if best[2] and len(between) <= 60 else ""

    # Titles in prose

    def _named(self, start: int, end: int) -> Iterator[list[_Mention]]:
        """The titles that a segment names as episodes, in runs that share their words before and after."""
        if not (self.governing or cues.CUE_WORDS.search(self.masked, start, end)):
            yield from self._bare(start, end)
            return
        run: list[_Mention] = []
        for mention in self._titles(start, end):
            if run and not cues.JOINT.fullmatch(self.masked[run[-1].end : mention.start][:60]):
                yield from self._accepted(run, start, end)
                run = []
            run.append(mention)
        yield from self._accepted(run, start, end)
        yield from self._numbered(start, end)

    def _bare(self, start: int, end: int) -> Iterator[list[_Mention]]:
        for mention in self._titles(start, end):
            if self._is_long(mention, start):
                yield [mention]

    def _titles(self, start: int, end: int) -> Iterator[_Mention]:
        words = [
            (word_key(found[0]), found.start(), found.end()) for found in cues.WORD.finditer(self.masked, start, end)
        ]
        place = 0
        while place < len(words):
            keys: tuple[str, ...] = ()
            best: tuple[int, EpisodeName] | None = None
            for ahead in range(place, len(words)):
                if ahead > place and not cues.GAP.fullmatch(self.masked[words[ahead - 1][2] : words[ahead][1]][:6]):
                    break
                keys = (*keys, words[ahead][0])
                if keys not in self.known.beginnings:
                    break
                name = self.known.names.get(keys)
                if name is not None:
                    best = (ahead, name)
                elif keys in self.known.names:
                    best = None  # two episodes of that title: it names neither, nor a shorter one
            if best is None:
                place += 1
                continue
            last, name = best
            yield self._with_markup(words[place][1], words[last][2], name)
            place = last + 1

    def _with_markup(self, start: int, end: int, name: EpisodeName) -> _Mention:
        """The mention with the signs that belong to it (`__torch_function__`), never half of another word."""
        low, high = start, end
        while low > 0 and self.masked[low - 1] in "_*`":
            low -= 1
        while high < len(self.masked) and self.masked[high] in "_*`":
            high += 1
        low = start if self.masked[low - 1 : low].isalnum() else low
        high = end if self.masked[high : high + 1].isalnum() else high
        return _Mention(low, high, name, name.slug)

    def _accepted(self, run: list[_Mention], start: int, end: int) -> Iterator[list[_Mention]]:
        if all(self.count.get(mention.slug, 0) >= cues.MOST_MENTIONS for mention in run):
            return
        while run:
            if self._ends_there(run[-1], end):
                before = self.masked[max(start, run[0].start - 160) : run[0].start]
                after = self.masked[run[-1].end : min(end, run[-1].end + 120)]
                kept = [mention for mention in run if self._is_reference(mention, run, before, after, start, end)]
                if kept:
                    yield kept
                return
            run = run[:-1]

    def _ends_there(self, mention: _Mention, end: int) -> bool:
        """Whether the name ends where the title does: "the episode on vmap rules" is not the one on vmap."""
        after = self.masked[mention.end : min(end, mention.end + 40)]
        found = cues.WORD.search(after)
        if found is None or re.search(r"[^\s\w]", after[: found.start()].replace("-", "").replace("'", "")):
            return not after.startswith("-")
        return not after.startswith(("-", "_")) and word_key(re.split("['’]", found[0])[0]) in cues.GOES_ON

    def _is_reference(
        self, mention: _Mention, run: Sequence[_Mention], before: str, after: str, start: int, end: int
    ) -> bool:
        name = mention.name
        assert name is not None
        if mention.slug == self.own or self._is_elsewhere(after):
            return False
        if (lead := cues.LEAD.search(before)) and self._is_theirs(before[: lead.start()]):
            return False
        if self._by_part(mention.slug) and self._is_exact(mention):
            return True
        if name.initials:
            own_words = self.masked[mention.start : mention.end]
            return own_words == name.words[0] and self._is_own_episode(before, after)
        if self._led(before) or self._followed(before, after) or self._is_listed(mention, start, end):
            return True
        if self._said_outright(mention, before):
            return True
        if len(name.words) > 1 and self._is_meant(mention, before, after, self.masked[run[-1].end : end][:120]):
            return True
        return len(run) == 1 and self._is_long(mention, start)

    def _said_outright(self, mention: _Mention, before: str) -> bool:
        """Whether the words before take nothing but an episode: "if you haven't heard X", "we continue this in X"."""
        assert mention.name is not None
        if (lead := cues.HEARD.search(before)) and not cues.DENIED.search(
            cues.HAVE_NOT.sub("", before[: lead.start()])
        ):
            return len(mention.name.words) > 1 or self._is_exact(mention)
        if self._stands_out(mention) and cues.SEE_ALSO_ONE.search(before):
            return True
        lead = cues.SAID_OUTRIGHT.search(before)
        return lead is not None and self._is_exact(mention) and not cues.DENIED.search(before[: lead.start()])

    def _is_meant(self, mention: _Mention, before: str, after: str, after_run: str) -> bool:
        """Whether a title of several words is named as one, by words that could stand beside something else too."""
        if cues.NEXT_TIME.search(before) or cues.GOOD_TO_HEAR.match(after_run):
            return True
        if cues.THE_ONE.search(before) and cues.ANY_NOUN.search(before):
            return True
        if self._stands_out(mention) and before.endswith("in "):
            return True
        quoted = self._is_quoted(mention)
        if quoted and cues.HINT.search(f"{before} {after}") and not cues.SELF.search(before[:-1]):
            return True
        if quoted and cues.SEQUEL.search(before):
            return True
        if not self._is_exact(mention):
            return False
        in_it = before.endswith("in ") and cues.WE_SPEAK.match(after)
        return bool(in_it or cues.BUILDS_ON.search(before) or cues.SEQUEL.search(before) or cues.TOLD_TO.search(before))

    def _led(self, before: str) -> bool:
        """Whether the words before say that an episode of this show is named: "our previous episode about"."""
        if cues.TIME_LEAD.search(before):
            return True
        lead = cues.LEAD.search(before)
        return lead is not None and self._is_ours(before[: lead.start()], lead["noun"])

    def _followed(self, before: str, after: str) -> bool:
        """Whether the words after do: "the vmap episode", "… in an earlier episode"."""
        noun = cues.NOUN_AFTER.match(after)
        if noun:
            return self._is_ours(before.rstrip("\"“'‘«(["), noun[0]) and not self._is_elsewhere(after[noun.end() :])
        return (
            bool(cues.SUBJECT.search(before))
            and bool(cues.EPISODE_AFTER.match(after))
            and not cues.DENIED.search(before)
        )

    def _is_own_episode(self, before: str, after: str) -> bool:
        """Whether initials are named as an episode, and as one of ours in so many words."""
        ours = r"(?:\b(?:our|my|previous|earlier|last|old|older|first)\s+(?:\w+\s+){0,2})\Z"
        lead = cues.LEAD.search(before)
        if lead:
            return bool(re.search(ours, before[: lead.start()], re.IGNORECASE)) and self._led(before)
        return (
            bool(cues.NOUN_AFTER.match(after)) and bool(re.search(ours, before, re.I)) and self._followed(before, after)
        )

    def _is_ours(self, before: str, noun: str) -> bool:
        """Whether an episode with these words before it is another one, and of this show."""
        owned = cues.OWNED.search(before)
        if cues.SELF.search(before) or cues.DENIED.search(before) or (owned and owned[1].casefold() not in cues.DAYS):
            return False
        if self._is_theirs(before):
            return False
        if noun.strip().lower() == "podcast" and cues.SOME_PODCAST.search(before):
            return bool(re.search(r"\b(?:did|made|recorded|have|had|released|done)\s+\w+\s+\Z", before, re.IGNORECASE))
        if noun.strip().lower() == "podcasts" and not re.search(
            r"\b(?:our|my|the|earlier|previous|other)\s+\Z", before, re.I
        ):
            return False
        named = cues.NAMED.search(before)
        for word in reversed(named[1].split() if named else []):
            plain = word.casefold().strip(".,'’")
            if plain in cues.PLAIN or not word[0].isupper():
                return True
            if plain not in self.show:
                return len(before.split()) == 1 and plain.endswith("ly")
        return True

    def _is_theirs(self, before: str) -> bool:
        """Whether "… have an episode" says so of somebody else than us."""
        found = cues.THEIRS.search(before)
        if found and found["who"].casefold() not in (*cues.PLAIN, *self.show):
            return True
        for elsewhere in (cues.ON_ANOTHER, cues.OTHER_SHOW):
            place = elsewhere.search(before)
            if place and not self._names_us(place["name"]):
                return True
        return False

    def _is_elsewhere(self, after: str) -> bool:
        found = cues.ELSEWHERE.match(after)
        return found is not None and not {w.casefold() for w in cues.WORD.findall(found["name"])} - {"the"} <= self.show

    def _is_listed(self, mention: _Mention, start: int, end: int) -> bool:
        """Whether a line under a lead that names episodes is this title and nothing else but an address."""
        if not self.governing or mention.name is None:
            return False
        rest = self.masked[start : mention.start] + self.masked[mention.end : min(end, mention.end + 400)]
        if cues.LETTERS.search(rest.replace(cues.MASK, "")):
            return False
        return self.names_episodes or len(mention.name.words) > 1

    def _is_exact(self, mention: _Mention) -> bool:
        """Whether it is written as the title is, or with a capital for each of several words."""
        written = tuple(cues.WORD.findall(self.masked, mention.start, mention.end))
        if mention.name is None or written == mention.name.words:
            return mention.name is not None
        capitals = len(written) > 1 and all(word[0].isupper() or len(word) < 4 for word in written)
        return capitals and [word_key(word) for word in written] == [word_key(word) for word in mention.name.words]

    def _stands_out(self, mention: _Mention) -> bool:
        """Whether it is written as the title is, with a capital that its first word has only as a title."""
        word = self.masked[mention.start : mention.end].split()[0]
        return word[0].isupper() and word[1:].islower() and self._is_exact(mention)

    def _is_quoted(self, mention: _Mention) -> bool:
        around = self.masked[max(0, mention.start - 1) : mention.start], self.masked[mention.end : mention.end + 2]
        return around[0] in ('"', "“", "‘", "'", "«", "„") and bool(re.match("[.,?!]?[\"”’'»“]", around[1]))

    def _is_long(self, mention: _Mention, start: int) -> bool:
        """Whether a title is so much of its own that it needs no other words; a sentence that begins so may not mean it."""
        assert mention.name is not None
        begins = not cues.LETTERS.search(self.masked, start, mention.start)
        if mention.slug == self.own or not self._is_exact(mention):
            return False
        if self._is_quoted(mention):
            return len(mention.name.words) >= 4
        return len(mention.name.words) >= 5 and not begins

    def _numbered(self, start: int, end: int) -> Iterator[list[_Mention]]:
        for found in cues.NUMBERS.finditer(self.masked, start, end):
            before = self.masked[max(start, found.start() - 80) : found.start()]
            after = self.masked[found.end() : min(end, found.end() + 80)]
            if self.numbered >= cues.MOST_MENTIONS * 8:
                return
            self.numbered += 1
            if self._numbers_itself(found) or not self._is_ours(before, "episode") or self._is_elsewhere(after):
                continue
            if self._is_of_another(after) or re.search(r"\bseason (?:\d+|one|two|three), \Z", before, re.IGNORECASE):
                continue
            run = []
            for number, low, high in _numbers(found[1]):
                slug = self.known.numbers.get(number)
                if slug is not None and slug != self.own:
                    run.append(_Mention(found.start(1) + low, found.start(1) + high, None, slug))
            if run:
                yield run

    def _is_of_another(self, after: str) -> bool:
        """Whether a number is that of an episode of something else: "episode 4 of Silicon Valley"."""
        found = cues.OF_ANOTHER.match(after)
        return found is not None and not self._names_us(found["name"])

    def _names_us(self, name: str) -> bool:
        """Whether a name is the show's, or begins as a title of it does."""
        keys = [word_key(word) for word in cues.WORD.findall(name)]
        return bool(keys) and ((keys[0],) in self.known.beginnings or {*keys} <= self.show)

    def _numbers_itself(self, found: re.Match[str]) -> bool:
        """Whether a text begins with its own number: "Episode 12. Today …"."""
        return found.start() < 40 and not self.masked[: found.start()].strip() and found[1].isdigit()


def _numbers(written: str) -> Iterator[tuple[int, int, int]]:
    """The numbers of "2 to 4, seven and #9", and where in it each stands."""
    spans = [(int(r["low"]), int(r["high"]), *r.span()) for r in cues.RANGE.finditer(written)]
    for low, high, start, end in spans:
        if low < high <= low + cues.LONGEST_RANGE:
            yield from ((number, start, end) for number in range(low, high + 1))
    for found in re.finditer(r"\d+|[a-z]+", written, re.IGNORECASE):
        if not any(start <= found.start() < end and low < high for low, high, start, end in spans):
            number = counted(found[0].casefold())
            if number or found[0].isdecimal():
                yield number, found.start(), found.end()


def _first_masked(masked: str, start: int, end: int) -> int:
    place = masked.find(cues.MASK, start, end)
    return place if place >= 0 else end


def _around(text: str, start: int, end: int, first: int, last: int) -> str:
    """The sentence of a mention, cut to what stands near it where it is long."""
    low, high = max(start, first - 160), min(end, max(last, first + 1) + 80)
    words = text[low:high]
    if low > start:
        words = words.partition(" ")[2] or words
    if high < end and not words[-1:].isspace() and not text[high : high + 1].isspace():
        words = words.rpartition(" ")[0] or words
    return " ".join(words.split())


def _rank(reference: FoundReference) -> tuple[str, int, bool, int, str]:
    return (
        reference.target,
        cues.STRENGTH.index(reference.kind),
        reference.field != "notes",
        reference.position,
        reference.evidence,
    )
