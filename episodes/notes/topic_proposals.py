"""Proposes topics for a show from the keywords of its feed and from proper names in its notes.

A proper name is a word, or up to three in a row, that has a capital inside a sentence. That tells
it from other words without a list of these, in every language but those whose nouns all have one.
"""

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
from .person_names import UPPER
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
CANDIDATES = 240  # names that are looked for in all episodes
MOST_USES = 200  # episodes of a proposal that are listed, the newest first
ACRONYM = 4  # letters up to which capitals tell an acronym from a word
PROPER = 0.7  # the share of mentions with a capital from which a word is a name
HEADLINE = 0.6  # the share of words with a capital from which a line is set like a title

# A name behind another word of its sentence; "I" and "S2" are none, "C++" is one.
_TOKEN = rf"(?![A-Za-z]?\d)(?=[a-z]{{0,2}}{UPPER})[^\W_]{{1,40}}(?:(?<!\b\w)|[+#])[+#]*"
_PLURAL = re.compile(r"(?<=[A-Z])s\Z")  # of an acronym
_NAME = re.compile(rf"(?<=[\w,;] )\.?{_TOKEN}(?:[ .-]{_TOKEN}){{0,2}}")


@dataclass(frozen=True)
class ProposingEpisode:
    """The parts of an episode that topics are proposed from."""

    slug: str
    title: str
    text: str
    keywords: tuple[str, ...] = ()
    people: tuple[str, ...] = ()

    @cached_property
    def notes(self) -> str:
        return without_addresses(self.text[:LONGEST_NOTES])

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
    def newest(self) -> tuple[TopicEvidence, ...]:
        return tuple(self.uses[place] for place in sorted(self.uses, reverse=True)[:MOST_USES])

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
    people = chain.from_iterable(one.people for one in episodes)
    known = _folded(show, author, *people, *day_name, *month_name)
    named = chain.from_iterable((rule.slug, *rule.aliases) for rule in rules)
    taken = {*refused, *map(topic_key, named)}
    patterns = list(chain.from_iterable(map(patterns_of, rules)))
    fewest, most = max(FEWEST, SMALLEST * len(episodes)), LARGEST * len(episodes)
    new: dict[str, _Candidate] = {}  # a keyword before the name it equals
    for one in (*_keywords(episodes), *_proper_names(episodes)):
        words = _folded(one.name)
        is_known = 2 * len(words & known) > len(words) or one.key in taken
        is_covered = is_known or any(pattern.search(one.name) for pattern in patterns)
        if fewest <= len(one.uses) <= most and len(one.name) <= LONGEST_NAME and not is_covered:
            new.setdefault(one.key, one)
    best = sorted(new.values(), key=lambda one: one.rank)[:MOST]
    return tuple(
        ProposedTopic(one.key, one.name, one.source, one.terms, len(one.uses), one.newest)
        for one in best
    )


def proposing_count(episodes: int) -> int:
    """The number of episodes, from the oldest on, that topics are proposed from.

    For a large show it grows in steps, so that not every new episode has all of them read again.
    """
    step = max(1, (1 << episodes.bit_length()) // GROWTH)
    return episodes if episodes <= ALL else episodes - episodes % step


def topic_key(words: str) -> str:
    """Equal for "LLM" and "LLMs", for "web development" and "Web-Development"."""
    *before, last = ["", *WORD.findall(words)]
    last = _PLURAL.sub("", last)
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
    lines = {one.notes[start:end] for one in episodes for start, end in sentences(one.notes)}
    plain: Counter[str] = Counter()
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    for line in lines:
        words: list[str] = WORD.findall(line)
        if sum(word[0].isupper() for word in words) > HEADLINE * len(words):
            continue
        plain.update(words)
        for name in _NAME.findall(line):
            forms[topic_key(name)][name] += 1
    if plain["und"] > plain["and"]:
        return  # German writes every noun with a capital
    for key in sorted(forms, key=lambda key: (-forms[key].total(), key))[:CANDIDATES]:
        small = sum(plain[form.lower()] for form in forms[key])
        if forms[key].total() >= PROPER * (forms[key].total() + small):
            one = _Candidate(key, WORDS, forms[key])
            one.uses = dict(_uses(one.terms, episodes))
            yield one


def _uses(
    terms: Sequence[str], episodes: Sequence[ProposingEpisode]
) -> Iterator[tuple[int, TopicEvidence]]:
    """The first place of a term in each episode: in the title, else in the notes."""
    patterns = term_patterns(terms)
    for place, episode in enumerate(episodes):
        present = [pattern for needle, pattern in patterns if needle in episode.lower]
        for where, text in (("notes", episode.notes), ("title", episode.title)):
            hits = chain.from_iterable(pattern.finditer(text) for pattern in present)
            if first := min(hits, key=re.Match.start, default=None):
                yield place, TopicEvidence(episode.slug, where, first.start(), first[0][:LONGEST])
