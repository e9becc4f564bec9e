"""Proposes the topics an episode is about, by rules that a curator reads and writes, each with its evidence.

A rule has five lists of terms: `title`, `notes` and `links` are for where they stand; `hints` are words that say less,
for title and notes; `excludes` are phrases that are blanked out of title and notes before its terms are looked for.

A term is written as it reads, and matches whole words, in any case:

    memory leak        also "memory-leak", "memory_leak" and across a line break
    vectoriz*          a word that begins so
    =TH                exactly these capitals, for names that are words or too short
    C++, torch.nn      signs stand for themselves; `_` does not belong to a word: torch_function is in
                       __torch_function__, and in torch_function__ on pages that eat the markup

In the notes and links an ending says how strong a mention must be to count in full; weaker ones count as hints:

    dispatcher@about   asked, told or opened with: "What is the dispatcher", "talk about the dispatcher",
                       "The dispatcher decides …", "How the dispatcher …" as the first words
    NCCL@start         begins within the first 160 characters
    CUDA@3             at least three times (for links: in three links)

Each topic gets points for what is found (POINTS), once for each different term. It is proposed from ENOUGH points on;
beside a topic of many, whose episode it clearly is, it takes one more. Where none has so many, those with the most are
proposed, so that rules of a few terms work as one expects; a single hint never makes a topic.

In the notes these never count: addresses (they are links), what follows "Further reading", and asides that name a thing
as an example, for contrast, as another episode's or as what this one is not about ("such as XLA", "unlike XLA", "the
previous episode about XLA", "nothing to do with XLA", "XLA is another story").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from ..records import TopicTag
from ..text.addresses import BLANK, without_addresses
from ..text.sentences import sentences
from ..text.vocabulary import Phrases, lists_of, load, phrase_pattern

START = 160
# Points, tried on some four hundred labelled episodes; that each may be off by one or two changes little.
POINTS = {
    "name": 10,  # the whole title, or a keyword of the feed, is the topic's name or an alias
    "title": 7,  # a term of the title, in the title
    "title hint": 2,
    "notes": 2,  # a term of the notes; at the start two more, asked or told about one more
    "hint": 1,  # also a weaker mention of a term of the notes
    "links": 2,
}
HINTS = ("hint", "title hint")
AT_START = 2
ASKED = 1
MOST = {"title": 2, "title hint": 2, "notes": 4, "hint": 4, "links": 2, "start": 2, "asked": 2}  # that count
ENOUGH = 4
MANY = 14  # points of a topic beside which others take one more
DOUBTFUL = 5  # points below which a proposal is of low confidence
LONGEST = 200  # characters of a term that the catalog keeps
HIGH, LOW = "high", "low"
FIELDS = ("title", "keywords", "notes", "links")  # the strongest first

MOST_MENTIONS = 100  # of a term that are looked at

_SAID = load(__file__, "topics")
_PHRASES: dict[str, list[str]] = _SAID["phrases"]
_LISTS = lists_of(_SAID["lists"])
_CLAUSE = r"(?:(?![.?!](?:\s|\Z))[^;:()\n]){1,80}"
_PART = r"(?:(?![.?!](?:\s|\Z))[^,;:()\n]){1,60}"
# What is named in passing, or as what the notes are not about.
_NOT_MEANT = (
    Phrases(_PHRASES["aside"], _LISTS, after=_CLAUSE),
    re.compile(r"(?<=[a-z]s),? like\s" + _CLAUSE, re.IGNORECASE),
    re.compile(r"(?<![\w.+/-])[\w.+/-]{1,60},? for (?:example|instance)\b", re.IGNORECASE),
    Phrases(_PHRASES["denial"], _LISTS, after=_PART),
    Phrases(_PHRASES["is_not"], after=f"(?!{phrase_pattern(_PHRASES['but_not'])}){_PART}"),
)
_PUT_OFF = Phrases(_PHRASES["put_off"])
_READING = Phrases(_PHRASES["reading"])
_ASKED = phrase_pattern(_PHRASES["asked"], _LISTS)
_OPENING = r"\A\W*(?:(?:what|how|why)\s)?"
_WINDOW = 60
_ENDING = re.compile(r"@(start|about|[1-9][0-9]?)\Z")
_UNKNOWN_ENDING = re.compile(r"(?<=.)@\w{1,20}\Z")
_SPACES = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class TopicRule:
    """What makes one topic; the lists hold terms in the notation above, `aliases` plain names.

    A keyword, or a whole title, that equals the slug or an alias makes the topic without any term; to let the topic's
    own name do so, give it among the aliases.
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
        """From the fields of a topic: `rules` maps title, notes, links, hints and excludes to lists; what is missing, of
        another type or empty is left out, so that a half-written rule makes less and breaks nothing."""
        return cls(
            slug=slug,
            title=_terms(rules.get("title")),
            notes=_terms(rules.get("notes")),
            links=_terms(rules.get("links")),
            hints=_terms(rules.get("hints")),
            excludes=_terms(rules.get("excludes")),
            aliases=_terms(list(aliases)),
        )


@dataclass(frozen=True, slots=True)
class _Term:
    written: str
    needle: str  # lower-case word that any match contains: a cheap test before the pattern
    pattern: re.Pattern[str]
    times: int
    start: bool
    about: bool

    def is_met(self, found: Sequence[re.Match[str]], asked: re.Match[str] | None) -> bool:
        """True where the mentions found are as strong as the term's ending asks for."""
        if len(found) < self.times or (self.about and not asked):
            return False
        return not self.start or found[0].start() < START


@dataclass(frozen=True, slots=True)
class _Compiled:
    title: tuple[_Term, ...]
    notes: tuple[_Term, ...]
    links: tuple[_Term, ...]
    hints: tuple[_Term, ...]
    excludes: tuple[_Term, ...]
    names: Mapping[str, str]  # folded -> as written


def tag(
    title: str,
    text: str,
    link_keys: Sequence[str],
    keywords: Sequence[str],
    rules: Sequence[TopicRule],
    show: str = "",
) -> tuple[TopicTag, ...]:
    """At most one proposal a topic, by slug.

    `text` is the plain text of the notes, `link_keys` are link identities such as `gh:pytorch/xla`, `keywords` the
    feed's own, `show` is the show's title. Raises nothing: a title or text that is empty says nothing.
    """
    about = _meant(text)
    folded = [_fold(keyword) for keyword in keywords]
    fields = _Fields(title, title.lower(), about, about.lower(), _fold(title), link_keys, folded, _asked_about(show))
    weighed = sorted(((*_weighed(rule, fields), rule.slug) for rule in rules), key=lambda one: one[0])
    best = {slug: (points, tag) for points, tag, slug in weighed if tag}
    most = max((points for points, _ in best.values()), default=0)
    needed = ENOUGH + (most > MANY) if most >= ENOUGH else most
    return tuple(tag for _, (points, tag) in sorted(best.items()) if points >= needed)


def _meant(text: str) -> str:
    """The notes with blanks in place of addresses and of what is only named in passing, without what is for reading."""
    about = without_addresses(text)
    reading = _READING.search(about)
    about = about[: reading.start()] if reading else about
    for pattern in _NOT_MEANT:
        about = _blank(about, pattern)
    for start, end in sentences(about):
        if _PUT_OFF.search(about, start, end):
            about = about[:start] + BLANK * (end - start) + about[end:]
    return about


@lru_cache(maxsize=64)
def _asked_about(show: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What stands before a thing that notes are about: anywhere, and at their beginning."""
    names = "".join(f"|{re.escape(word)}(?:['’]s)?" for word in _WORD.findall(show))
    articles = rf"(?:(?:an?|the|our|this{names})\s){{0,3}}\Z"
    anywhere, first = (re.compile(before + articles, re.IGNORECASE) for before in (_ASKED, _OPENING))
    return anywhere, first


@dataclass(frozen=True, slots=True)
class _Fields:
    title: str
    title_lower: str
    notes: str
    notes_lower: str
    title_folded: str
    links: Sequence[str]
    keywords: Sequence[str]
    asked: tuple[re.Pattern[str], re.Pattern[str]]


@dataclass(frozen=True, slots=True)
class _TopicHits:
    """A term that was found: what it counts as, where it first is, and what of it matched."""

    kind: str
    written: str
    field: str
    position: int
    matched: str = ""
    asked: bool = False


def _weighed(rule: TopicRule, fields: _Fields) -> tuple[int, TopicTag | None]:
    """The points of a topic, and the strongest of what it gets them for."""
    found = list(_distinct(_evidence(_compile(rule), fields)))
    hints = [one for one in found if one.kind in HINTS]
    if not found or (len(hints) == len(found) < 2):
        return 0, None
    points = _points(found)
    best = min(found, key=_rank)
    written = best.written
    if best.kind in HINTS and len(hints) > 1:
        written = f"{best.written} + {next(one.written for one in hints if one is not best)}"[:LONGEST]
    return points, TopicTag(rule.slug, written, best.field, best.position, LOW if points < DOUBTFUL else HIGH)


def _points(found: Sequence[_TopicHits]) -> int:
    counted = Counter(one.kind for one in found)
    points = sum(POINTS[kind] * min(count, MOST.get(kind, 1)) for kind, count in counted.items())
    points += AT_START * min(sum(one.kind == "notes" and one.position < START for one in found), MOST["start"])
    return points + ASKED * min(sum(one.asked for one in found), MOST["asked"])


def _rank(one: _TopicHits) -> tuple[int, bool, int, int, str]:
    return (-POINTS[one.kind], not one.asked, FIELDS.index(one.field), one.position, one.written)


def _distinct(found: Iterable[_TopicHits]) -> Iterator[_TopicHits]:
    """What was found without what says the same again: another form of a word, a word within a term."""
    taken: list[tuple[str, int, int]] = []
    seen: set[tuple[str, str]] = set()
    for one in found:
        start, end = one.position, one.position + len(one.matched)
        if one.matched and any(one.field == field and start < high and low < end for field, low, high in taken):
            continue
        said = (one.kind, _fold(one.matched).removesuffix("s") or one.written)
        if one.kind not in HINTS or said not in seen:
            yield one
        seen.add(said)
        taken.append((one.field, start, end))


def _evidence(compiled: _Compiled, fields: _Fields) -> Iterator[_TopicHits]:
    """What is found of a topic, the strongest kinds first."""
    if fields.title_folded in compiled.names:
        yield _TopicHits("name", compiled.names[fields.title_folded], "title", 0)
    for index, keyword in enumerate(fields.keywords):
        if keyword in compiled.names:
            yield _TopicHits("name", compiled.names[keyword], "keywords", index)
    yield from _in_title(compiled, fields)
    yield from _in_notes(compiled, fields)
    for term in compiled.links:
        hits = [index for index, key in enumerate(fields.links) if term.pattern.search(key)]
        if len(hits) >= term.times:
            yield _TopicHits("links", term.written, "links", hits[0])


def _sought(text: str, lower: str, full: Iterable[_Term], compiled: _Compiled) -> tuple[str, list[tuple[_Term, bool]]]:
    """The text without what is excluded, and the terms that may be in it; with each whether it is one that counts in full
    or a hint."""
    terms = [(term, True) for term in full] + [(term, False) for term in compiled.hints]
    candidates = [(term, counts) for term, counts in terms if term.needle in lower]
    return _without(text, lower, compiled.excludes) if candidates else "", candidates


def _in_title(compiled: _Compiled, fields: _Fields) -> Iterator[_TopicHits]:
    title, candidates = _sought(fields.title, fields.title_lower, compiled.title, compiled)
    for term, counts in candidates:
        if found := term.pattern.search(title):
            kind = "title" if counts else "title hint"
            yield _TopicHits(kind, term.written, "title", found.start(), found[0])


def _in_notes(compiled: _Compiled, fields: _Fields) -> Iterator[_TopicHits]:
    notes, candidates = _sought(fields.notes, fields.notes_lower, compiled.notes, compiled)
    weaker: list[_TopicHits] = []
    for term, counts in candidates:
        if found := list(islice(term.pattern.finditer(notes), MOST_MENTIONS)):
            asked = next((one for one in found if _is_subject(fields, notes, one.start())), None)
            is_full = counts and term.is_met(found, asked)
            where = asked if asked and is_full and term.about else found[0]
            kind = "notes" if is_full else "hint"
            hit = _TopicHits(kind, term.written, "notes", where.start(), where[0], asked is not None)
            if is_full:
                yield hit
            else:
                weaker.append(hit)
    yield from weaker


def _is_subject(fields: _Fields, notes: str, position: int) -> bool:
    before = _SPACES.sub(" ", notes[max(0, position - _WINDOW) : position])
    anywhere, first = fields.asked
    return bool(anywhere.search(before)) or (position < _WINDOW and bool(first.match(before)))


def _blank(text: str, pattern: re.Pattern[str] | Phrases) -> str:
    return pattern.sub(lambda match: BLANK * len(match[0]), text)


def _without(text: str, lower: str, excludes: Iterable[_Term]) -> str:
    for term in excludes:
        if term.needle in lower:
            text = _blank(text, term.pattern)
    return text


def _fold(name: str) -> str:
    # `+` and `#` stay: "C++" is not "C"
    return " ".join(re.findall(r"[^\W_+#]+[+#]*", name.casefold()))


def _terms(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        return ()
    return tuple(term.strip() for term in value if isinstance(term, str) and term.strip())


@lru_cache(maxsize=2048)
def _compile(rule: TopicRule) -> _Compiled:
    names = {_fold(name): name for name in (*reversed(rule.aliases), rule.slug)}
    names.pop("", None)
    return _Compiled(
        title=_parse_all(rule.title),
        notes=_parse_all(rule.notes),
        links=_parse_all(rule.links),
        hints=_parse_all(rule.hints),
        excludes=_parse_all(rule.excludes),
        names=names,
    )


def trouble_with_term(kind: str, written: str) -> str:
    """Why a term of the list `kind` (title, notes, links, hints, excludes) means nothing, or not what was meant; "" for a good
    one. What is stored is read as well as it can be all the same."""
    words, mark = _split(written)
    if _parse(written) is None:
        return "a term needs a letter or a digit"
    if len(written) > LONGEST:
        return f"a term has at most {LONGEST} characters"
    if not mark and _UNKNOWN_ENDING.search(written):
        return "an ending is @about, @start or a number such as @3"
    if mark and kind != "notes" and not (kind == "links" and mark.isdecimal()):
        return "in links an ending is a number; titles, hints and excludes take none"
    return "a star stands only at the end of a term" if "*" in words.rstrip("*") else ""


def _split(written: str) -> tuple[str, str]:
    """A term and its ending, "" where it has none."""
    found = _ENDING.search(written)
    return (written[: found.start()], found[1]) if found else (written, "")


def _parse_all(terms: Iterable[str]) -> tuple[_Term, ...]:
    return tuple(term for term in map(_parse, terms) if term is not None)


def _parse(written: str) -> _Term | None:
    """The term that is meant; None for one without a letter or digit, which would match everywhere."""
    words, mark = _split(written)
    exact = words.startswith("=")
    prefix = words.endswith("*")
    words = words.removeprefix("=").removesuffix("*").strip()
    tokens = _WORD.findall(words)
    if not tokens:
        return None
    body = r"[\s_-]{1,9}".join(re.escape(part) for part in words.split())
    before = r"(?<![^\W_])" if words[0].isalnum() else ""
    after = r"(?![^\W_])" if words[-1].isalnum() and not prefix else ""
    pattern = re.compile(before + body + after, 0 if exact else re.IGNORECASE)
    times = int(mark) if mark.isdecimal() else 1
    return _Term(written, max(tokens, key=len).lower(), pattern, times, mark == "start", mark == "about")
