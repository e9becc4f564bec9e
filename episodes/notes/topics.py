"""Assigns the topics an episode is about, by rules that a curator reads and writes, each with its
evidence.

A rule has five lists of terms: `title`, `notes` and `links` are for these fields; `hints` are words
that say less, for title and notes; `excludes` are phrases that are blanked out of title and notes
before its terms are looked for.

A term is written as it reads, and matches whole words, in any case:

    memory leak        also "memory-leak", "memory_leak" and across a line break
    vectoriz*          a word that begins so
    =TH                exactly these capitals, for names that are words or too short
    C++, torch.nn      signs are part of the term; `_` does not belong to a word: torch_function is
                       in __torch_function__, and in torch_function__ on pages that eat the markup

In the notes and links an ending says how strong a mention must be to count in full; weaker ones
count as hints:

    dispatcher@about   asked, told or opened with: "What is the dispatcher", "talk about the
                       dispatcher", "The dispatcher decides …" as the first words
    NCCL@start         begins within the first 160 characters
    CUDA@3             at least three times (for links: in three links)
    Docker@once        anywhere: a single mention makes the topic

Each topic gets points for what is found (POINTS), once for each different term. It is assigned from
ENOUGH points on; beside a topic of many, whose episode it clearly is, it takes one more. Where none
has so many, those with the most are assigned, so that rules of a few terms work as one expects; a
single hint never makes a topic.

In the notes addresses never count: they are links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count, islice, repeat
from typing import Any

from ..records import TopicTag
from ..text.addresses import BLANK, without_addresses
from ..text.vocabulary import load, phrase_pattern
from ..text.word_forms import long_and_short

START = 160
# Points, tried on some four hundred labelled episodes; that each may be off by one or two changes
# little.
POINTS = {
    "name": 10,  # the whole title, or a keyword of the feed, is the topic's name or an alias
    "title": 7,  # a term of the title, in the title
    "title hint": 2,
    "notes": 2,  # a term of the notes; at the start two more, asked or told about one more
    "hint": 1,  # also a weaker mention of a term of the notes
    "links": 2,
    # A term of the notes of which one mention is enough, whatever else the episode is about.
    "once": 5,
    "early": 2,
    "asked": 1,
}
HINTS = {"title": "title hint", "notes": "hint"}
ENOUGH = 4
MANY = 14  # points of a topic beside which others take one more
DOUBTFUL = 5  # points below which a proposal is of low confidence
LONGEST = 200  # characters of a term that the catalog keeps
HIGH, LOW = "high", "low"
FIELDS = ("title", "keywords", "notes", "links")  # the strongest first
LISTS = ("title", "notes", "links", "hints", "excludes")  # of terms

MOST_MENTIONS = 100  # of a term that are looked at

_DATA = load(__file__, "topics")
_ASKED = phrase_pattern(_DATA["asked"])
_OPENING = r"\A\W*(?:(?:what|how|why)\s+)?"
_WINDOW = 60  # characters before a subject in which the words lie that ask about it
_ENDING = re.compile(r"@(?:(?P<mark>start|about|once|[1-9][0-9]?)|\w{1,20})\Z")
_NEVER = re.compile(r"(?!)")  # titles ask nothing
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"[^\W_+#]+[+#]*")  # "C++" is not "C"


@dataclass(frozen=True, slots=True)
class TopicRule:
    """The terms that make one topic, in the notation above; `aliases` are plain names, or a name
    with its abbreviation in brackets.

    A keyword, or a whole title, that equals the slug or an alias makes the topic without any term;
    to let the topic's own name do so, give it among the aliases.
    """

    slug: str
    title: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()

    @classmethod
    def from_fields(cls, slug: str, aliases: Iterable[str], rules: Mapping[str, Any]) -> TopicRule:
        """From the fields of a topic: `rules` maps title, notes, links, hints and excludes to
        lists; what is missing, of another type or empty is left out, so that a half-written rule
        makes less and breaks nothing."""
        named = [
            name for alias in _terms(list(aliases)) for name in long_and_short(alias) or (alias,)
        ]
        return cls(slug, aliases=tuple(named), **{name: _terms(rules.get(name)) for name in LISTS})


def _terms(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list | tuple) else ()
    return tuple(term.strip() for term in listed if isinstance(term, str) and term.strip())


def tag(
    title: str,
    text: str,
    link_keys: Sequence[str],
    keywords: Sequence[str],
    rules: Sequence[TopicRule],
    show: str = "",
) -> tuple[TopicTag, ...]:
    """At most one proposal a topic, by slug.

    `text` is the plain text of the notes, `link_keys` are link identities such as `gh:pytorch/xla`,
    `keywords` the feed's own, `show` is the show's title. Raises nothing: a title or text that is
    empty says nothing.
    """
    about = without_addresses(text)
    prose = (
        _Prose("title", title, title.lower(), _NEVER),
        _Prose("notes", about, about.lower(), _asked_about(show)),
    )
    keys = zip(repeat("keywords"), count(), map(_folded, keywords), strict=False)
    names = [("title", 0, _folded(title)), *keys]
    proposals: list[tuple[int, TopicTag]] = []
    for rule in sorted(rules, key=lambda rule: rule.slug):
        hits = [
            _TopicHit("name", _names(rule)[name], field, index)
            for field, index, name in names
            if name in _names(rule)
        ]
        for field in prose:
            hits += _in_prose(field, _parsed(rule))
        proposals += _proposed(rule.slug, [*hits, *_in_links(link_keys, _parsed(rule)["links"])])
    most = max((points for points, _ in proposals), default=0)
    needed = min(most, ENOUGH) + (most > MANY)
    return tuple(topic for points, topic in proposals if points >= needed)


# --- The texts ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Prose:
    field: str
    text: str
    lower: str
    asked: re.Pattern[str]  # ends right before what it asks about

    def without(self, terms: Iterable[_Term]) -> str:
        text = self.text
        for term in terms:
            if term.needle in self.lower:
                text = term.pattern.sub(lambda match: BLANK * len(match[0]), text)
        return text


@lru_cache(maxsize=64)
def _asked_about(show: str) -> re.Pattern[str]:
    """The words right before a thing that notes are about: a question, or none at their
    beginning."""
    names = "".join(f"|{re.escape(word)}(?:['’]s)?" for word in _WORD.findall(show))
    articles = rf"(?:(?:an?|the|our|this{names})\s+){{0,3}}\Z"
    return re.compile(rf"(?:{_ASKED}|{_OPENING}){articles}", re.IGNORECASE)


# --- The terms ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Term:
    written: str
    needle: str  # lower-case word that any match contains: a cheap test before the pattern
    pattern: re.Pattern[str]
    times: int = 1
    mark: str = ""

    def is_met(self, mentions: Sequence[re.Match[str]], subjects: Sequence[re.Match[str]]) -> bool:
        """True where the mentions are as strong as the term's ending asks for."""
        early = [one for one in mentions if one.start() < START]
        counted = {"about": subjects, "start": early}.get(self.mark, mentions)
        return len(counted) >= self.times


def trouble_with_term(kind: str, written: str) -> str:
    """The reason why a term of the list `kind` (title, notes, links, hints, excludes) means
    nothing, or not what was meant; "" for a good one. What is stored is read as well as it can be
    all the same."""
    words, mark = _split(written)
    takes_ending = {"notes": True, "links": f"0{mark}".isdecimal()}.get(kind, not mark)
    checks = (
        (_parse(written) is None, "a term needs a letter or a digit"),
        (len(written) > LONGEST, f"a term has at most {LONGEST} characters"),
        (
            not mark and _ENDING.search(written),
            "an ending is @about, @start, @once or a number such as @3",
        ),
        (
            not takes_ending,
            "in links an ending is a number; titles, hints and excludes take none",
        ),
        ("*" in words.rstrip("*"), "a star can only end a term"),
    )
    return next((message for is_wrong, message in checks if is_wrong), "")


def _split(written: str) -> tuple[str, str]:
    """A term and its ending, "" where it has none that is known."""
    found = _ENDING.search(written)
    mark = found.groupdict("")["mark"] if found else ""
    return (written.removesuffix(f"@{mark}"), mark)


def _parse(written: str) -> _Term | None:
    """The term that is meant; None for one without a letter or digit, which would match
    everywhere."""
    words, mark = _split(written)
    exact, prefix = words.startswith("="), words.endswith("*")
    words = words.removeprefix("=").removesuffix("*").strip()
    tokens = _WORD.findall(words)
    if not tokens:
        return None
    body = r"[\s_-]{1,9}".join(map(re.escape, words.split()))
    before = r"(?<![^\W_])" if words[0].isalnum() else ""
    after = r"(?![^\W_])" if words[-1].isalnum() and not prefix else ""
    pattern = re.compile(before + body + after, 0 if exact else re.IGNORECASE)
    return _Term(
        written, max(tokens, key=len).lower(), pattern, int(mark) if mark.isdecimal() else 1, mark
    )


@lru_cache(maxsize=2048)
def _parsed(rule: TopicRule) -> Mapping[str, tuple[_Term, ...]]:
    return {name: tuple(filter(None, map(_parse, getattr(rule, name)))) for name in LISTS}


@lru_cache(maxsize=2048)
def _names(rule: TopicRule) -> Mapping[str, str]:
    """The names of a topic as written, by what is compared of them."""
    names = (*reversed(rule.aliases), rule.slug)
    return {folded: name for name in names if (folded := _folded(name))}


def _folded(name: str) -> str:
    return " ".join(_NAME.findall(name.casefold()))


# --- Hits and points ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _TopicHit:
    """A term that was found: the kind it counts as, its first place, and the text that matched."""

    kind: str
    written: str
    field: str
    position: int
    matched: str = ""
    asked: bool = False

    @property
    def is_hint(self) -> bool:
        return self.kind in HINTS.values()

    @property
    def kinds(self) -> list[str]:
        """The kinds that it has points for."""
        is_early = self.kind == "notes" and self.position < START
        return [self.kind, *["early"] * is_early, *["asked"] * self.asked]

    @property
    def rank(self) -> tuple[int, bool, int, int, str]:
        field = FIELDS.index(self.field)
        return (-POINTS[self.kind], not self.asked, field, self.position, self.written)

    def overlaps(self, other: _TopicHit) -> bool:
        """True for a word within a longer term, or of the same place."""
        latest = max(self.position, other.position)
        earliest = min(self.position + len(self.matched), other.position + len(other.matched))
        return self.field == other.field and latest < earliest


def _proposed(slug: str, hits: Iterable[_TopicHit]) -> Iterator[tuple[int, TopicTag]]:
    """The topic with its points and its strongest hit; a lone hint makes none."""
    found: list[_TopicHit] = []
    for hit in sorted(hits, key=lambda hit: hit.is_hint):
        # Not what says the same again: a word within a term.
        if not any(map(hit.overlaps, found)):
            found.append(hit)
    ranked = sorted(found, key=lambda hit: hit.rank)
    if [hit.is_hint for hit in found] not in ([], [True]):
        best = ranked[0]
        written = " + ".join(hit.written for hit in ranked[: 1 + best.is_hint])[:LONGEST]
        points = sum(POINTS[kind] for hit in found for kind in hit.kinds)
        confidence = LOW if points < DOUBTFUL else HIGH
        yield points, TopicTag(slug, written, best.field, best.position, confidence)


def _in_links(keys: Sequence[str], terms: Iterable[_Term]) -> Iterator[_TopicHit]:
    for term in terms:
        matching = [index for index, key in enumerate(keys) if term.pattern.search(key)]
        if len(matching) >= term.times:
            yield _TopicHit("links", term.written, "links", matching[0])


def _in_prose(prose: _Prose, terms: Mapping[str, tuple[_Term, ...]]) -> Iterator[_TopicHit]:
    """The first mention of each term in a title or in notes; of one that must be asked about, the
    first that is."""
    text = prose.without(terms["excludes"])
    for kind in (prose.field, "hints"):
        for term in [term for term in terms[kind] if term.needle in prose.lower]:
            mentions = list(islice(term.pattern.finditer(text), MOST_MENTIONS))
            subjects = [
                one
                for one in mentions
                if prose.asked.search(text, max(0, one.start() - _WINDOW), one.start())
            ]
            is_full = kind == prose.field and term.is_met(mentions, subjects)
            for first in [*(subjects if term.mark == "about" else ()), *mentions][:1]:
                in_full = term.mark if term.mark in POINTS else kind
                counted = in_full if is_full else HINTS[prose.field]
                at = first.start()
                yield _TopicHit(counted, term.written, prose.field, at, first[0], bool(subjects))
