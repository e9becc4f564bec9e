"""Proposes topics for a show from the keywords of its feed and from words that some of its episodes share; pure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from ..records import ProposedTopic, TopicEvidence
from ..text.addresses import without_addresses
from ..text.normalize import fold
from ..text.sentences import WORD
from .topic_words import BOILERPLATE, GIVEN_NAMES, SharedWords, shared_words, topic_key
from .topics import LONGEST, TopicRule, patterns_of, term_patterns

KEYWORD, WORDS = "keyword", "words"
MOST = 30  # proposals for a show
FEWEST = 3  # episodes that a topic joins
SMALLEST = 0.02  # the share of the episodes that a topic joins
LARGEST = 0.4  # the share of the episodes that a topic joins at most
ALL = 200  # episodes: in a smaller show every one counts
GROWTH = 32  # a larger show counts anew when it has grown by a 32nd to a 16th
SAMPLE = 500  # episodes that words are learned from, spread over the show; the others are only looked through
LONGEST_NOTES = 6000  # characters that are read
LONGEST_NAME = 60
ALIKE = 0.8  # the share of episodes from which two are one topic
PART = 0.5  # the share of its episodes from which a word is only a part of longer terms
CANDIDATES = 60  # that are looked for in all episodes
MOST_USES = 200  # episodes of a proposal that are listed, the newest first
ACRONYM = 4  # letters up to which capitals tell an acronym from a word


@dataclass(frozen=True)
class ProposingEpisode:
    """The parts of an episode that topics are proposed from, and the slugs of the topics that it has."""

    slug: str
    title: str
    text: str
    keywords: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()

    @cached_property
    def notes(self) -> str:
        return without_addresses(self.text[:LONGEST_NOTES])

    @cached_property
    def lower(self) -> str:
        return f"{self.title}\n{self.notes}".lower()


@dataclass(slots=True)
class _Candidate:
    key: str
    name: str
    source: str
    terms: tuple[str, ...]
    score: float
    uses: dict[int, TopicEvidence] = field(default_factory=dict)  # by the place of the episode

    @property
    def rank(self) -> tuple[bool, float, str]:
        return (self.source != KEYWORD, -self.score, self.key)


def proposed_topics(
    episodes: Sequence[ProposingEpisode],
    show: str,
    author: str,
    rules: Sequence[TopicRule] = (),
    refused: Collection[str] = (),
) -> tuple[ProposedTopic, ...]:
    """At most MOST proposals, the best first; `episodes` are the oldest first, `refused` keys of proposals."""
    people = _folded(author, *(name for one in episodes for name in one.people))
    own = _folded(show) | _initials(show) | BOILERPLATE
    found = [*_keywords(episodes), *_words(episodes, people)]
    fitting = [one for one in found if _fits(one, len(episodes)) and _is_subject(one.name, own, people)]
    return tuple(map(_proposal, _different(_new(fitting, episodes, rules, refused))[:MOST]))


def proposing_count(episodes: int) -> int:
    """The number of episodes, from the oldest on, that topics are proposed from. For a large show it grows in steps, so that
    not every new episode has all of them read again."""
    step = max(1, (1 << episodes.bit_length()) // GROWTH)
    return episodes if episodes <= ALL else episodes - episodes % step


def _folded(*texts: str) -> set[str]:
    return {fold(word) for text in texts for word in WORD.findall(text)}


def _fits(one: _Candidate, episodes: int) -> bool:
    return max(FEWEST, SMALLEST * episodes) <= len(one.uses) <= LARGEST * episodes


def _is_subject(name: str, own: Collection[str], people: Collection[str]) -> bool:
    """False for the show's name, what any show says of itself, and people."""
    folded = [fold(word) for word in WORD.findall(name)]
    is_person = all(word in people or word in GIVEN_NAMES for word in folded)
    return bool(folded) and len(name) <= LONGEST_NAME and not is_person and not all(w in own for w in folded)


def _initials(show: str) -> set[str]:
    """What a show of several words may be called for short: "ADO" for "Arrested DevOps"."""
    written = ("".join(word[0] for word in WORD.findall(show)), "".join(filter(str.isupper, show)))
    return {fold(letters[:end]) for letters in written for end in range(2, len(letters) + 1)}


def _keywords(episodes: Sequence[ProposingEpisode]) -> Iterator[_Candidate]:
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    uses: dict[str, dict[int, TopicEvidence]] = defaultdict(dict)
    for place, episode in enumerate(episodes):
        for position, word in enumerate(episode.keywords):
            if key := topic_key(word):
                forms[key][word] += 1
                uses[key].setdefault(place, TopicEvidence(episode.slug, "keywords", position, word))
    for key, written in forms.items():
        if len(uses[key]) >= FEWEST:
            in_texts = Counter(use.words for _, use in _uses(tuple(written), episodes))
            yield _Candidate(
                key, _name(in_texts or written), KEYWORD, tuple(sorted(written)), len(uses[key]), uses[key]
            )


def _words(episodes: Sequence[ProposingEpisode], people: Collection[str]) -> Iterator[_Candidate]:
    sample = episodes[:: -(-len(episodes) // SAMPLE) or 1]
    found = shared_words([one.title for one in sample], [one.notes for one in sample], people)
    often = {key: one for key, one in found.items() if FEWEST <= len(one.episodes) <= LARGEST * len(sample)}
    whole = _without_parts(often)
    for key in sorted(whole, key=lambda key: (-whole[key].score, key))[:CANDIDATES]:
        one = whole[key]
        terms = _terms(one.forms)
        yield _Candidate(key, _name(one.forms), WORDS, terms, one.score, dict(_uses(terms, episodes)))


def _without_parts(found: Mapping[str, SharedWords]) -> dict[str, SharedWords]:
    """The words and phrases but those that are mostly a part of longer ones."""
    holders: dict[str, set[int]] = defaultdict(set)
    for one in found.values():
        words = WORD.findall(one.forms.most_common(1)[0][0])
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                if end - start < len(words):
                    holders[topic_key(" ".join(words[start:end]))] |= one.episodes
    return {key: one for key, one in found.items() if len(holders[key] & one.episodes) < PART * len(one.episodes)}


def _terms(forms: Counter[str]) -> tuple[str, ...]:
    """The forms as terms of a rule, each once whatever the case; those of an acronym keep their capitals."""
    found: dict[str, str] = {}
    for form in sorted(forms, key=lambda form: (-forms[form], form)):
        is_acronym = len(form) <= ACRONYM and form.isupper()
        found.setdefault(" ".join(form.casefold().replace("-", " ").split()), f"={form}" if is_acronym else form)
    return tuple(found.values())


def _name(forms: Counter[str]) -> str:
    """The form that is written most, in one number where both are; with a capital at its beginning."""
    written = min(forms, key=lambda form: (-forms[form], form))
    return written[:1].upper() + written[1:] if written.islower() else written


def _uses(terms: Sequence[str], episodes: Sequence[ProposingEpisode]) -> Iterator[tuple[int, TopicEvidence]]:
    """The first place of a term in each episode: in the title, else in the notes."""
    patterns = term_patterns(terms)
    for place, episode in enumerate(episodes):
        present = [pattern for needle, pattern in patterns if needle in episode.lower]
        if present and (use := _first_use(episode, present)):
            yield place, use


def _first_use(episode: ProposingEpisode, patterns: Sequence[re.Pattern[str]]) -> TopicEvidence | None:
    for name, text in (("title", episode.title), ("notes", episode.notes)):
        hits = filter(None, (pattern.search(text) for pattern in patterns))
        if first := min(hits, key=lambda match: match.start(), default=None):
            return TopicEvidence(episode.slug, name, first.start(), first[0][:LONGEST])
    return None


def _new(
    found: Iterable[_Candidate],
    episodes: Sequence[ProposingEpisode],
    rules: Sequence[TopicRule],
    refused: Collection[str],
) -> Iterator[_Candidate]:
    """Those that nobody refused, and that no topic covers: by its name, by a term, or in nearly all their episodes."""
    taken = {*refused, *map(topic_key, chain.from_iterable((rule.slug, *rule.aliases) for rule in rules))}
    patterns = [pattern for rule in rules for pattern in patterns_of(rule)]
    for one in found:
        is_own = one.key not in taken and _most_shared(one, episodes) < ALIKE * len(one.uses)
        if is_own and not any(pattern.search(one.name) for pattern in patterns):
            yield one


def _most_shared(one: _Candidate, episodes: Sequence[ProposingEpisode]) -> int:
    """The number of its episodes that have one and the same topic."""
    shared = Counter(topic for place in one.uses for topic in episodes[place].topics)
    return max(shared.values(), default=0)


def _different(found: Iterable[_Candidate]) -> list[_Candidate]:
    """The best first, without those that join nearly the same episodes as a better one."""
    kept: list[_Candidate] = []
    for one in sorted(found, key=lambda one: one.rank):
        if not any(one.key == other.key or _alike(one.uses.keys(), other.uses.keys()) for other in kept):
            kept.append(one)
    return kept


def _alike(one: Collection[int], other: Collection[int]) -> bool:
    shared = len(set(one) & set(other))
    return shared >= ALIKE * (len(one) + len(other) - shared)


def _proposal(one: _Candidate) -> ProposedTopic:
    newest = sorted(one.uses, reverse=True)[:MOST_USES]
    uses = tuple(one.uses[place] for place in newest)
    return ProposedTopic(one.key, one.name, one.source, one.terms, len(one.uses), uses)
