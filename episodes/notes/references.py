"""Finds which other episodes of its show an episode refers to, by address or by name, and what they are to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..identity import NUMBER_WORDS, number_of
from ..text.addresses import BLANK, without_addresses
from ..text.sentences import WORD, excerpt, sentences
from ..text.urls import canonical, page_key
from ..text.vocabulary import Phrases
from . import reference_phrases as said
from .episode_names import LONGEST_RANGE, EpisodeName, EpisodeNames, NamesAtHand, word_key, words_of
from .reference_phrases import PREREQUISITE, SEE_ALSO, STRENGTH

MOST_MENTIONS = 64  # of one target that are looked at: its strongest kind is known long before
MOST_NUMBERS = 512

_NUMBER = rf"(?:\d{{1,4}}|(?:{'|'.join(NUMBER_WORDS)})\b)"
_NUMBERS = re.compile(
    r"\b(?:episodes?|eps?\.?|podcasts?) ?(?:#|no\.? ?|number |nr\.? ?)?"
    rf"({_NUMBER}(?:(?:, and |, | and | & | or | to | through | ?[–-] ?)#?{_NUMBER})*)(?![\w%]|[.:,]\d| (?:minutes|hours) )",
    re.IGNORECASE,
)
_RANGE_OR_NUMBER = re.compile(r"(\d{1,4})(?: to | through | ?[–-] ?)#?(\d{1,4})|\d+|[a-z]+", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]+")
_BLANKS = re.compile(f"{BLANK}+")
_JOINT = re.compile(
    rf"{said.CLOSES}\s*(?:,|&|\band\b|\bor\b|,\s*and\b|,\s*or\b|\bas well as\b|/)\s*(?:(?:to|of|on|in) )?{said.OPENS}",
    re.I,
)
_GAP = re.compile(r"(?!.{0,4}[.?!;]\s)[\s\-_./:,'\"“”‘’()–—|]{0,5}")
_CUT = re.compile(
    r"(https?://[^\s…]{0,300}?|www\.[^\s…]{0,300}?)(?:\.{3}|…)(?:\s{0,9}(?:show more|continue reading|read more))?\s*\Z",
    re.I,
)
# Another show: "… of Silicon Valley", "the Signal Path podcast", "on CoRecursive, in the", "on the Lex Fridman podcast".
_OF_ANOTHER = re.compile(rf"{said.CLOSES}\s+(?:of|from|on|in|by|at)\s+(?:the\s+)?((?:[A-Z][\w&.'’-]*\s?){{1,5}})")
_OTHER_SHOW = re.compile(
    r"((?:[A-Z][\w'’&-]*\s+){1,5})(?:[Pp]odcast|[Ss]how)\b(?:,|\s+(?:has|have|had|did|made|with|called|and|is|where))"
    r"|\b(?:[Oo]n|[Ff]or|[Aa]t)\s+(?:the\s+)?([A-Z][\w&.'’-]*(?:\s+[A-Z][\w&.'’-]*){0,4}),?\s+(?:in|has|had|the)\b[^.;:!?\n]{0,40}\Z"
)
_NAMED = re.compile(r"((?:[^\W\d_][\w.&+'’-]*\s+){1,6})\Z")


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


class _Lead(NamedTuple):
    """What is said of all that a list below it names: the kind, its words, and whether it says that episodes follow."""

    kind: str
    words: str
    lists_episodes: bool


class _Mention(NamedTuple):
    start: int
    end: int
    slug: str
    name: EpisodeName | None = None  # None: an address or a number


def references(
    slug: str, text: str, links: Sequence[tuple[str, str, int]], known: EpisodeNames, show: str = ""
) -> tuple[FoundReference, ...]:
    """The references of a text among all episodes that are known; `links` are (key, address, offset) of `text`."""
    targets = [(known.linked(key, page_key(address)), address, position) for key, address, position in links]
    given = [(target, address, position) for target, address, position in targets if target]
    return references_to(slug, text, given, known.within(words_of(text), [target for target, *_ in given], slug), show)


def references_to(
    slug: str, text: str, links: Sequence[tuple[str, str, int]], known: NamesAtHand, show: str
) -> tuple[FoundReference, ...]:
    """At most one reference a target, of its strongest kind, by slug of the target; never the episode itself.

    `links` are those to episodes: (slug, address, offset in `text`, or -1 for one that only another source's text has).
    A -1 is a see-also, unless the text ends in a lead whose list was cut off in the middle of an address that it
    continues. `known` are the names that the text can hold, `show` is the show's title, to tell its own episodes from
    those of other podcasts. Linear in the text; never raises.
    """
    if not (links or known.names_another(slug)):
        return ()
    reader = _Reader(slug, text, known, show)
    others = [(index, *link) for index, link in enumerate(links) if link[0] != slug]
    at_hand = [
        _Mention(position, position + len(address) * text.startswith(address, position), target)
        for _, target, address, position in others
        if 0 <= position < len(text)
    ]
    found = list(reader.read(at_hand))
    for index, target, address, position in others:
        if not 0 <= position < len(text):
            kind, lead = reader.lead_cut_off_before(address)
            found.append(FoundReference(kind, target, "links", index, f"{lead} {address}".strip()))
    return strongest(found)


def strongest(found: Iterable[FoundReference]) -> tuple[FoundReference, ...]:
    """One reference a target, by slug: the strongest kind, in the notes before the links, the earliest. Order-free, so
    what several sources' texts say of one episode can be put together."""
    best: dict[str, FoundReference] = {}
    for reference in sorted(found, key=_rank):
        best.setdefault(reference.target, reference)
    return tuple(best[target] for target in sorted(best))


def _rank(found: FoundReference) -> tuple[str, int, bool, int, str]:
    return (found.target, STRENGTH.index(found.kind), found.field != "notes", found.position, found.evidence)


class _Reader:
    """Reads one text from its beginning to its end and remembers the lead that governs a list."""

    def __init__(self, own: str, text: str, known: NamesAtHand, show: str) -> None:
        self.own, self.text, self.known = own, text, known
        self.masked = without_addresses(text)
        self.titles = _Titles(own, self.masked, known, show)
        self.governing: _Lead | None = None
        self.count: dict[str, int] = {}
        self.cut = _CUT.search(text, max(0, len(text) - 400))
        self.cut_lead: _Lead | None = None

    def read(self, addresses: Sequence[_Mention]) -> Iterator[FoundReference]:
        waiting = sorted(addresses, reverse=True)
        last: list[FoundReference] = []
        after = 0
        for start, end in _parts(self.masked):
            inside = []
            while waiting and waiting[-1].start < end:
                inside.append(waiting.pop())
            found = list(self._part(start, end, inside))
            if said.POINTS_BACK.search(self.masked, start, end):
                # "X was the episode about it. This is its sequel, so listen to that one first."
                same = found or (last if "\n" not in self.text[after:start] else [])
                found += [replace(reference, kind=PREREQUISITE) for reference in same[-1:]]
            yield from found
            last, after = found or last, end

    def lead_cut_off_before(self, address: str) -> tuple[str, str]:
        """The kind and the words of a lead at the text's end, whose list this address goes on; else a see-also."""
        if self.cut and self.cut_lead and canonical(address).startswith(canonical(self.cut[1]).rstrip("/")):
            return self.cut_lead.kind, self.cut_lead.words
        return SEE_ALSO, ""

    def _part(self, start: int, end: int, addresses: Sequence[_Mention]) -> Iterator[FoundReference]:
        runs = list(filter(None, self.titles.named(start, end, self.governing)))
        for run in runs:
            kind = self._kind(start, end, run[0].start, run[-1].end)
            for mention in run:
                yield from self._reference(mention, kind, start, end)
        for mention in addresses:
            kind = self._kind(start, end, mention.start, mention.end)
            yield from self._reference(mention, kind, start, end)
        self._govern(start, end, [*addresses, *(mention for run in runs for mention in run)])

    def _reference(self, mention: _Mention, kind: str, start: int, end: int) -> Iterator[FoundReference]:
        count = self.count[mention.slug] = self.count.get(mention.slug, 0) + 1
        if mention.slug == self.own or count > MOST_MENTIONS:
            return
        kind = self.known.by_part(self.own, mention.slug) or kind
        words = excerpt(self.text, (start, end), mention.start, mention.end)
        if self.governing and kind == self.governing.kind and self.governing.words not in words:
            words = f"{self.governing.words} {words}"
        yield FoundReference(kind, mention.slug, "notes", mention.start, words)

    def _govern(self, start: int, end: int, mentions: Sequence[_Mention]) -> None:
        """Let a lead govern what follows it, until a heading or a sentence of prose."""
        first = min([mention.start for mention in mentions] or [self._first_blank(start, end)])
        lead = self.masked[max(start, first - 200) : first].rstrip()
        words = _LETTERS.findall(lead)
        if lead.endswith(":") or (first >= end and 0 < len(words) <= 8):
            self._head(lead, words, first >= end)
        elif not mentions or len(words) > 6:
            self._pass_by(start, end)
        if self.cut and start <= self.cut.start() < end:
            self.cut_lead = self.governing

    def _pass_by(self, start: int, end: int) -> None:
        """Let prose end what a lead governs; an address with a few words does not."""
        if len(_LETTERS.findall(self.masked, start, min(end, start + 400))) > 6:
            self.governing = None

    def _first_blank(self, start: int, end: int) -> int:
        blank = self.masked.find(BLANK, start, end)
        return blank if blank >= 0 else end

    def _head(self, lead: str, words: Sequence[str], is_line: bool) -> None:
        """Begin a list under a lead that says what its items are; any other heading ends the one before."""
        if kind := _near(lead, len(lead)):
            lists_episodes = said.LISTS_EPISODES.search(lead) is not None
            self.governing = _Lead(kind, " ".join(lead.split())[-160:], lists_episodes)
        elif (is_line and lead.endswith(":")) or {word.casefold() for word in words} <= said.HEADINGS:
            self.governing = None

    def _kind(self, start: int, end: int, first: int, last: int) -> str:
        before = " ".join(self.masked[max(start, first - 240) : first].split())
        after = " ".join(_BLANKS.sub(BLANK, self.masked[last : min(end, last + 500)]).split())[:120]
        for kind, phrase in said.AFTER:
            if phrase.match(after):
                return kind
        if said.FIRST.match(after) and said.TOLD.search(before[-80:]):
            return PREREQUISITE
        near = _near(before, 60)
        governed = self.governing.kind if self.governing else SEE_ALSO
        is_weak = near in ("", SEE_ALSO) and not before.lower().rstrip(": ").endswith("see also")
        return governed if is_weak else near


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Sentences, and what stands between semicolons in them."""
    for start, end in sentences(text):
        while (stop := text.find("; ", start, end)) >= 0:
            yield start, stop
            start = stop + 2
        yield start, end


def _near(before: str, reach: int) -> str:
    """The kind that the phrase says which ends last before a mention, unless more than that stands between."""
    found = [(one.end(), -one.start(), kind) for kind, phrase in said.BEFORE for one in phrase.finditer(before)]
    end, _, kind = max(found, default=(0, 0, ""))
    return kind if len(before[end:].replace(BLANK, "")) <= reach else ""


class _Titles:
    """Tells where the prose of a text names an episode by its title or number."""

    def __init__(self, own: str, masked: str, known: NamesAtHand, show: str) -> None:
        self.own, self.masked, self.known = own, masked, known
        self.show = {word.casefold() for word in WORD.findall(show)}
        self.numbered = 0

    def named(self, start: int, end: int, governing: _Lead | None) -> Iterator[list[_Mention]]:
        """The titles and numbers that a part names as episodes, in runs that share their words before and after."""
        run: list[_Mention] = []
        for mention in self._all(start, end):
            if run and not _JOINT.fullmatch(self.masked, run[-1].end, mention.start):
                yield from self._accepted(run, start, end, governing)
                run = []
            run.append(mention)
        yield from self._accepted(run, start, end, governing)
        yield from self._numbers(start, end)

    def _all(self, start: int, end: int) -> Iterator[_Mention]:
        """The titles in a part, the longest at each place; one that two episodes have names neither, nor a shorter one."""
        words = [(word_key(one[0]), one.start(), one.end()) for one in WORD.finditer(self.masked, start, end)]
        place = 0
        while place < len(words):
            ahead, name = self._longest(words, place)
            if name:
                yield self._with_markup(words[place][1], words[ahead][2], name)
            place = ahead + 1 if name else place + 1

    def _longest(self, words: Sequence[tuple[str, int, int]], place: int) -> tuple[int, EpisodeName | None]:
        keys: tuple[str, ...] = ()
        best: tuple[int, EpisodeName | None] = (place, None)
        for ahead in range(place, len(words)):
            if ahead > place and not _GAP.fullmatch(self.masked, words[ahead - 1][2], words[ahead][1]):
                break
            keys = (*keys, words[ahead][0])
            if keys not in self.known.beginnings:
                break
            if keys in self.known.names:
                best = ahead, self.known.names[keys]
        return best

    def _with_markup(self, start: int, end: int, name: EpisodeName) -> _Mention:
        """The mention with the signs that belong to it (`__torch_function__`), never half of another word."""
        before, after = self.masked[max(0, start - 8) : start], self.masked[end : end + 8]
        low, high = start - len(before) + len(before.rstrip("_*`")), end + len(after) - len(after.lstrip("_*`"))
        low = start if self.masked[low - 1 : low].isalnum() else low
        high = end if self.masked[high : high + 1].isalnum() else high
        return _Mention(low, high, name.slug, name)

    def _accepted(self, run: list[_Mention], start: int, end: int, governing: _Lead | None) -> Iterator[list[_Mention]]:
        while run and not self._ends_there(run[-1], end):
            run = run[:-1]
        if not run:
            return
        before = self.masked[max(start, run[0].start - 160) : run[0].start]
        after = self.masked[run[-1].end : min(end, run[-1].end + 120)]
        if self._is_of_another(after) or self._is_led_to_theirs(before):
            return
        is_led = self._is_led(before) or self._is_followed(before, after)
        listed = {one for one in run if self._is_listed(one, governing, start, end)}
        yield [one for one in run if one in listed or self._is_meant(one, before, is_led, start)]

    def _is_led_to_theirs(self, before: str) -> bool:
        lead = said.ANY.search(before)
        return lead is not None and self._is_theirs(before[: lead.start()])

    def _ends_there(self, mention: _Mention, end: int) -> bool:
        """True where the name ends where the title does: "the episode on vmap rules" is not the one on vmap."""
        after = self.masked[mention.end : min(end, mention.end + 40)]
        if after.startswith(("-", "_")):
            return False
        next_word = WORD.search(after)
        if next_word is None or not after[: next_word.start()].replace("'", "").isspace():
            return True
        return word_key(next_word[0].partition("'")[0].partition("’")[0]) in said.GOES_ON

    def _is_meant(self, mention: _Mention, before: str, is_led: bool, start: int) -> bool:
        """True where a title is named as an episode, not as a thing."""
        name, written = mention.name, self._written(mention)
        if name is None or name.slug == self.own:
            return False
        if name.initials:
            own_words = self.masked[mention.start : mention.end] == name.words[0]
            return own_words and is_led and self._is_ours_outright(before)
        if "exact" in written and self.known.by_part(self.own, mention.slug):
            return True
        return is_led or self._is_led_as_written(written, before) or self._is_long(mention, written, start)

    def _is_led_as_written(self, written: tuple[str, ...], before: str) -> bool:
        return any(level in written and self._leads(lead, before) for level, lead in said.LEADS)

    def _is_ours_outright(self, before: str) -> bool:
        """True where the words before say in so many words that it is one of our episodes: "our old podcast about"."""
        lead = said.ANY.search(before)
        return said.OURS.search(before[: lead.start()] if lead else before) is not None

    def _leads(self, lead: Phrases, before: str) -> bool:
        found = lead.search(before)
        if found is None:
            return False
        return not said.DENIED.search(before[: found.start()]) or said.NOT_DENIED.search(before) is not None

    def _written(self, mention: _Mention) -> tuple[str, ...]:
        """How a title is written: as it is ("exact"), or in other letters; and whether it is of "several" words."""
        written = tuple(WORD.findall(self.masked, mention.start, mention.end))
        words = mention.name.words if mention.name else ()
        several = len(words) > 1
        capitals = several and all(word[0].isupper() or len(word) < 4 for word in written)
        keys = [[word_key(word) for word in some] for some in (written, words)]
        exact = written == words or (capitals and keys[0] == keys[1])
        return ("exact",) * exact + ("several",) * several + ("exact several",) * (exact and several)

    def _is_led(self, before: str) -> bool:
        """True where the words before say that an episode of this show is named: "our previous episode about"."""
        lead = said.ANY.search(before)
        return lead is not None and self._is_ours(before[: lead.start()])

    def _is_followed(self, before: str, after: str) -> bool:
        """True where the words after do: "the vmap episode", "… in an earlier episode"."""
        noun = said.EPISODE_BEHIND.match(after)
        if noun:
            return self._is_ours(before.rstrip("\"“'‘«([")) and not self._is_of_another(after[noun.end() - 1 :])
        is_told = said.SUBJECT.search(before) and said.IN_ANOTHER.match(after)
        return bool(is_told) and not said.DENIED.search(before)

    def _is_ours(self, before: str) -> bool:
        """True where an episode with these words before it is another one, and of this show."""
        is_none = said.SELF.search(before) or said.DENIED.search(before)
        return not (is_none or self._is_theirs(before)) and self._is_plain(before)

    def _is_plain(self, before: str) -> bool:
        """True where no name of another show stands right before: "the Lex Fridman", but not "the Widget Show" of ours."""
        named = _NAMED.search(before)
        for word in reversed(named[1].split() if named else []):
            plain = word.casefold().strip(".,'’")
            if plain in said.PLAIN or not word[0].isupper():
                return True
            if plain not in self.show:
                return False
        return True

    def _is_theirs(self, before: str) -> bool:
        """True where "… have an episode" says so of somebody else than us, or another show is named before it."""
        who, other = said.THEIRS.search(before), _OTHER_SHOW.search(before)
        if who and who[1].casefold() not in said.PLAIN | self.show:
            return True
        return other is not None and not self._names_us(other[1] or other[2])

    def _is_of_another(self, after: str) -> bool:
        """True for an episode of something else: "episode 4 of Silicon Valley"."""
        found = _OF_ANOTHER.match(after)
        return found is not None and not self._names_us(found[1])

    def _names_us(self, name: str) -> bool:
        """True where a name is the show's, or begins as a title of it does."""
        keys = [word_key(word) for word in WORD.findall(name)]
        return bool(keys) and ((keys[0],) in self.known.beginnings or {*keys} <= self.show)

    def _is_listed(self, mention: _Mention, lead: _Lead | None, start: int, end: int) -> bool:
        """True for a line under a lead that is this title and nothing else but an address."""
        if mention.slug == self.own or lead is None:
            return False
        rest = self.masked[start : mention.start] + self.masked[mention.end : min(end, mention.end + 400)]
        may_be = lead.lists_episodes or (mention.name is not None and len(mention.name.words) > 1)
        return may_be and _LETTERS.search(rest.replace(BLANK, "")) is None

    def _is_quoted(self, mention: _Mention) -> bool:
        before, after = self.masked[mention.start - 1 : mention.start], self.masked[mention.end : mention.end + 2]
        return bool(before) and before in "\"“‘'«„" and after.lstrip(".,?!")[:1] in tuple("\"”’'»“")

    def _is_long(self, mention: _Mention, written: tuple[str, ...], start: int) -> bool:
        """True for a title so much of its own that it needs no other words; a sentence that begins so may not mean it."""
        words = len(mention.name.words) if mention.name and "exact" in written else 0
        if self._is_quoted(mention):
            return words >= 4
        return words >= 5 and _LETTERS.search(self.masked, start, mention.start) is not None

    def _numbers(self, start: int, end: int) -> Iterator[list[_Mention]]:
        for found in _NUMBERS.finditer(self.masked, start, end):
            self.numbered += 1
            if self.numbered <= MOST_NUMBERS and self._is_number_of_ours(found, start, end):
                slugs = dict.fromkeys(self.known.numbers.get(number, self.own) for number in _numbers(found[1]))
                run = [_Mention(found.start(1), found.end(1), slug) for slug in slugs if slug != self.own]
                yield from [run] if run else []

    def _is_number_of_ours(self, found: re.Match[str], start: int, end: int) -> bool:
        before = self.masked[max(start, found.start() - 80) : found.start()]
        after = self.masked[found.end() : min(end, found.end() + 80)]
        # "Episode 12. Today …"
        names_itself = found[1].isdigit() and found.start() < 40 and not self.masked[: found.start()].strip()
        return not names_itself and self._is_ours(before) and not self._is_of_another(after)


def _numbers(written: str) -> Iterator[int]:
    """The numbers of "2 to 4, seven and #9"."""
    for found in _RANGE_OR_NUMBER.finditer(written):
        low, high = int(found[1] or 0), int(found[2] or 0)
        if low < high <= low + LONGEST_RANGE:
            yield from range(low, high + 1)
        else:
            yield number_of(found[0].casefold())
