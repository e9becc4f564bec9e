"""Proposes topics for a show from the keywords of its feed and from proper names in its notes.

A proper name is a word, or up to three in a row, that has a capital inside a sentence. That tells
it from other words without a list of these, in every language but those whose nouns all have one.
"""

from __future__ import annotations

import re
from calendar import day_name, month_name
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from ..records import ProposedTopic, TopicEvidence
from ..text.addresses import without_addresses
from ..text.normalize import fold
from ..text.sentences import WORD, sentences
from ..text.vocabulary import load, word_set
from .names_of_people import UPPER
from .related import singular
from .topics import LONGEST, TopicRule, patterns_of, term_patterns

KEYWORD, WORDS = "keyword", "words"
MOST = 30  # proposals for a show
FEWEST = 3  # episodes that a topic joins
SMALLEST = 0.02  # the share of the episodes that a topic joins
LARGEST = 0.4  # the share of the episodes that a topic joins at most
ALL = 200  # episodes: in a smaller show every one counts
GROWTH = 32  # a larger show counts anew when it has grown by a 32nd to a 16th
LONGEST_NOTES = 6000  # characters that are read
LONGEST_NAME = 60
ALIKE = 0.8  # the share of episodes from which two are one topic
CANDIDATES = 240  # names that are looked for in all episodes
MOST_USES = 200  # episodes of a proposal that are listed, the newest first
ACRONYM = 4  # letters up to which capitals tell an acronym from a word
PROPER = 0.7  # the share of mentions with a capital from which a word is a name
HEADLINE = 0.6  # the share of words with a capital from which a line is set like a title
REPEATED = 3  # episodes from which a line is what the show says every time

_DATA = load(__file__, "topic_proposals")
_NEVER = word_set(fold(_DATA["boilerplate"])) | set(map(fold, [*day_name, *month_name]))
# A name behind another word of its sentence; "I" and "S2" are none, "C++" is one.
_TOKEN = rf"(?![A-Za-z]?\d)(?=[a-z]{{0,2}}{UPPER})[^\W_]{{1,40}}(?:(?<!\b\w)|[+#])[+#]*"
_NAME = re.compile(rf"(?<=[\w,;] )\.?{_TOKEN}(?:[ .-]{_TOKEN}){{0,2}}")


@dataclass(frozen=True)
class ProposingEpisode:
    """The parts of an episode that topics are proposed from, and the slugs of its topics."""

    slug: str
    title: str
    text: str
    keywords: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()

    @cached_property
    def notes(self) -> str:
        return without_addresses(self.text[:LONGEST_NOTES])

    @property
    def lines(self) -> set[str]:
        return {self.notes[start:end] for start, end in sentences(self.notes)}

    @cached_property
    def lower(self) -> str:
        return f"{self.title}\n{self.notes}".lower()


@dataclass(slots=True)
class _Candidate:
    key: str
    source: str
    forms: Counter[str] = field(default_factory=Counter)
    uses: dict[int, TopicEvidence] = field(default_factory=dict)  # by the place of the episode

    @property
    def name(self) -> str:
        """The form that is written most, with a capital at its beginning."""
        written = min(self.forms, key=lambda form: (-self.forms[form], form))
        return written[:1].upper() + written[1:] if written.islower() else written

    @property
    def terms(self) -> tuple[str, ...]:
        """The forms as terms of a rule; those of an acronym keep their capitals."""
        terms: dict[str, str] = {}
        for form in sorted(self.forms, key=lambda form: (-self.forms[form], form)):
            is_acronym = len(form) <= ACRONYM and form.isupper()
            terms.setdefault(fold(form).replace("-", " "), f"={form}" if is_acronym else form)
        return tuple(terms.values())

    @property
    def rank(self) -> tuple[bool, int, int, str]:
        """Keywords first, then the names of most episodes, of two words before those of one."""
        return (self.source != KEYWORD, -len(self.uses), -self.name.count(" "), self.key)


def proposed_topics(
    episodes: Sequence[ProposingEpisode],
    show: str,
    author: str,
    rules: Sequence[TopicRule] = (),
    refused: Collection[str] = (),
) -> tuple[ProposedTopic, ...]:
    """At most MOST proposals, the best first; `episodes` are the oldest first, `refused` keys."""
    people = _folded(author, *(name for one in episodes for name in one.people))
    own = _folded(show) | _NEVER
    candidates = [*_keywords(episodes), *_proper_names(episodes)]
    fitting = [
        one
        for one in candidates
        if max(FEWEST, SMALLEST * len(episodes)) <= len(one.uses) <= LARGEST * len(episodes)
        and len(one.name) <= LONGEST_NAME
        and not _folded(one.name) <= own
        and 2 * len(_folded(one.name) & people) <= len(_folded(one.name))
    ]
    ranked = sorted(_new(fitting, episodes, rules, refused), key=lambda one: one.rank)
    best = {one.key: one for one in reversed(ranked)}  # a keyword before the name it equals
    return tuple(map(_proposal, [one for one in ranked if best[one.key] is one][:MOST]))


def proposing_count(episodes: int) -> int:
    """The number of episodes, from the oldest on, that topics are proposed from.

    For a large show it grows in steps, so that not every new episode has all of them read again.
    """
    step = max(1, (1 << episodes.bit_length()) // GROWTH)
    return episodes if episodes <= ALL else episodes - episodes % step


def topic_key(words: str) -> str:
    """Equal for "LLM" and "LLMs", for "web development" and "Web-Development"."""
    *before, last = WORD.findall(words) or [""]
    last = last[:-1] if last.endswith("s") and last[:-1].isupper() else last
    return "".join([*map(fold, before), singular(fold(last))])


def _folded(*texts: str) -> set[str]:
    return {fold(word) for text in texts for word in WORD.findall(text)}


def _keywords(episodes: Sequence[ProposingEpisode]) -> Iterable[_Candidate]:
    candidates: dict[str, _Candidate] = {}
    for place, episode in enumerate(episodes):
        for position, word in enumerate(episode.keywords):
            if key := topic_key(word):
                one = candidates.setdefault(key, _Candidate(key, KEYWORD))
                one.forms[word] += 1
                evidence = TopicEvidence(episode.slug, "keywords", position, word)
                one.uses.setdefault(place, evidence)
    return candidates.values()


def _proper_names(episodes: Sequence[ProposingEpisode]) -> Iterator[_Candidate]:
    """The names that most sentences have, with their first place in each episode."""
    counted = Counter(chain.from_iterable(one.lines for one in episodes))
    lines = [line for line, count in counted.items() if count < REPEATED and not _is_headline(line)]
    plain = Counter(word for line in lines for word in WORD.findall(line) if word.islower())
    if plain["und"] > plain["and"]:
        return  # German writes every noun with a capital
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for name in chain.from_iterable(map(_NAME.findall, lines)):
        forms[topic_key(name)][name] += 1
    often = sorted(forms, key=lambda key: (-forms[key].total(), key))[:CANDIDATES]
    for key in often:
        small = sum(plain[form.lower()] for form in forms[key])
        if forms[key].total() >= PROPER * (forms[key].total() + small):
            one = _Candidate(key, WORDS, forms[key])
            one.uses = dict(_uses(one.terms, episodes))
            yield one


def _is_headline(line: str) -> bool:
    words: list[str] = WORD.findall(line)
    return sum(word[0].isupper() for word in words) > HEADLINE * len(words)


def _uses(
    terms: Sequence[str], episodes: Sequence[ProposingEpisode]
) -> Iterator[tuple[int, TopicEvidence]]:
    """The first place of a term in each episode: in the title, else in the notes."""
    patterns = term_patterns(terms)
    for place, episode in enumerate(episodes):
        present = [pattern for needle, pattern in patterns if needle in episode.lower]
        hits = (
            (field, hit.start(), hit[0][:LONGEST])
            for field, text in (("title", episode.title), ("notes", episode.notes))
            for hit in chain.from_iterable(pattern.finditer(text) for pattern in present)
        )
        first = min(hits, key=lambda hit: (hit[0] != "title", hit[1]), default=None)
        if first:
            yield place, TopicEvidence(episode.slug, *first)


def _new(
    candidates: Iterable[_Candidate],
    episodes: Sequence[ProposingEpisode],
    rules: Sequence[TopicRule],
    refused: Collection[str],
) -> Iterator[_Candidate]:
    """Those that nobody refused and no topic covers: by name, term, or in nearly all episodes."""
    names = chain.from_iterable((rule.slug, *rule.aliases) for rule in rules)
    taken = {*refused, *map(topic_key, names)}
    patterns = list(chain.from_iterable(map(patterns_of, rules)))
    for one in candidates:
        shared = Counter(topic for place in one.uses for topic in episodes[place].topics)
        is_covered = max(shared.values(), default=0) >= ALIKE * len(one.uses)
        is_named = any(pattern.search(one.name) for pattern in patterns)
        if one.key not in taken and not is_covered and not is_named:
            yield one


def _proposal(one: _Candidate) -> ProposedTopic:
    newest = sorted(one.uses, reverse=True)[:MOST_USES]
    uses = tuple(one.uses[place] for place in newest)
    return ProposedTopic(one.key, one.name, one.source, one.terms, len(one.uses), uses)
