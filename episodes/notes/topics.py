"""Assigns topics to episodes by rules that curators write, each with its evidence.

A rule has five lists of terms: `title`, `notes` and `links` are for these fields. `hints` are weaker
terms for title and notes. `excludes` are phrases that are blanked out of title and notes first.

A term matches whole words, in any case:

    memory leak        also "memory-leak", "memory_leak" and across a line break
    vectoriz*          a word that begins so
    =TH                exactly these capitals, for names that are words or too short
    C++, torch.nn      signs are part of the term. `_` does not belong to a word: torch_function
                       matches __torch_function__, and torch_function__ on pages that eat the markup

In notes and links an ending says how strong a mention must be to count in full. Weaker mentions
count as hints:

    dispatcher@about   in a question, or behind "talk about the", or as the first words:
                       "What is the dispatcher", "The dispatcher decides …"
    NCCL@start         begins within the first 160 characters
    CUDA@3             at least three times (for links: in three links)
    Docker@once        anywhere: a single mention makes the topic

Each different term gives a topic its TOPIC_POINTS once. A topic is assigned from MIN_POINTS on, and from one
more beside a topic of more than MANY_POINTS, because the episode is about that one. If no topic has
MIN_POINTS, the topics with the most points are assigned, so that rules of a few terms work as one
expects. A single hint never makes a topic.

Addresses in notes do not count: they are links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from ..records import TopicTag
from ..text.addresses import blank_addresses, blanks_of_same_length
from ..text.vocabulary import load_vocabulary, pattern_of_phrases
from ..text.word_forms import long_form_and_abbreviation

EARLY_LENGTH = 160  # characters at the beginning of notes; a mention there counts more
# Tried on some four hundred labelled episodes. One point more or less changes little.
TOPIC_POINTS = {
    "name": 10,  # the title or a keyword of the feed is the topic's name or an alias
    "title": 7,  # a term of the title, in the title
    "title hint": 2,
    "notes": 2,  # a term of the notes
    "hint": 1,  # also a weaker mention of a term of the notes
    "links": 2,
    "once": 5,  # a term of the notes with the ending @once
    "early": 2,  # more for a term of the notes at their beginning
    "subject": 1,  # more for a term that the notes ask or talk about
}
HINT_KINDS = {"title": "title hint", "notes": "hint"}  # by field
MIN_POINTS = 4
MANY_POINTS = 14
MAX_TERM_LENGTH = 200
TERM_LISTS = ("title", "notes", "links", "hints", "excludes")

_PHRASES_BEFORE_SUBJECT = pattern_of_phrases(load_vocabulary(__file__, "topics")["asked"])
# "@about" and "@3", with a mark; "@abuot" without one, to report it.
_ENDING = re.compile(r"@(?:(?P<mark>start|about|once|[1-9][0-9]?)|\w{1,20})\Z")
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class TopicRule:
    """The terms that make one topic, in the notation above.

    `aliases` are plain names, or a name with its abbreviation in brackets. A keyword or a title that
    equals the slug or an alias makes the topic without any term. The topic's own name does so only
    if it is among the aliases.
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
        """Return the rule of a stored topic. `rules` has lists of terms by TERM_LISTS. Values of other
        types are left out, so that a half-written rule still works."""
        names: list[str] = []
        for alias in _stripped_texts_of_list(list(aliases)):
            pair = long_form_and_abbreviation(alias)  # of "Just in time (JIT)"
            names += pair if pair else [alias]
        terms = {
            list_name: _stripped_texts_of_list(rules.get(list_name)) for list_name in TERM_LISTS
        }
        return cls(slug, aliases=tuple(names), **terms)


def _stripped_texts_of_list(possible_list: Any) -> tuple[str, ...]:
    """Return the texts of a list without spaces around them. Leave out values of other types and
    blank ones."""
    if not isinstance(possible_list, list | tuple):
        return ()
    terms = []
    for term in possible_list:
        if isinstance(term, str) and term.strip():
            terms.append(term.strip())
    return tuple(terms)


def find_topic_tags(
    title: str,
    text: str,
    link_keys: Sequence[str],
    keywords: Sequence[str],
    rules: Sequence[TopicRule],
    show_title: str = "",
) -> tuple[TopicTag, ...]:
    """Return the topics of an episode, by slug.

    `text` is the plain text of the notes, `link_keys` are link identities such as `gh:pytorch/xla`,
    and `keywords` are the feed's.
    """
    scored = score_topics(title, text, link_keys, keywords, rules, show_title)
    most_points = max((topic.points for topic in scored), default=0)
    # If no topic has MIN_POINTS, those with the most points are assigned.
    needed_points = min(most_points, MIN_POINTS)
    # The episode is about that topic, so other topics need one point more.
    if most_points > MANY_POINTS:
        needed_points += 1
    return tuple(topic.tag for topic in scored if topic.points >= needed_points)


def score_topics(
    title: str,
    text: str,
    link_keys: Sequence[str],
    keywords: Sequence[str],
    rules: Sequence[TopicRule],
    show_title: str,
) -> list[ScoredTopic]:
    """Return the topics with any points for an episode, by slug, also those with too few points."""
    title_prose = _Prose("title", title, title.lower())
    notes = blank_addresses(text)
    # Only notes have phrases such as "we talk about", behind which a term gets more points.
    before_subject = _pattern_before_subject(show_title)
    notes_prose = _Prose("notes", notes, notes.lower(), before_subject)
    names = _folded_names_of_episode(title, keywords)
    scored = []
    for rule in sorted(rules, key=lambda rule: rule.slug):
        terms_by_list = _parsed_terms_by_list(rule)
        hits = [
            *_hits_in_names(names, _topic_names_by_folded_name(rule)),
            *_hits_in_prose(title_prose, terms_by_list),
            *_hits_in_prose(notes_prose, terms_by_list),
            *_topic_hits_in_links(link_keys, terms_by_list["links"]),
        ]
        topic = _score_topic_or_none(rule.slug, hits)
        if topic:
            scored.append(topic)
    return scored


@dataclass(frozen=True, slots=True)
class _EpisodeName:
    """The title or a keyword of an episode, folded."""

    field: str
    index: int
    folded: str


def _folded_names_of_episode(title: str, keywords: Iterable[str]) -> list[_EpisodeName]:
    names = [_EpisodeName("title", 0, _fold_name(title))]
    for index, keyword in enumerate(keywords):
        names.append(_EpisodeName("keywords", index, _fold_name(keyword)))
    return names


# --- Texts ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Prose:
    """The title or the notes of an episode."""

    field: str  # title or notes
    text: str
    lower: str  # the text in small letters
    before_subject: re.Pattern[str] | None = None  # None for a title, which has no such words

    def text_with_blanks_for_terms(self, terms: Iterable[_Term]) -> str:
        text = self.text
        for term in terms:
            # A fast test before the pattern.
            if term.longest_word in self.lower:
                text = term.pattern.sub(blanks_of_same_length, text)
        return text

    def is_subject(self, text: str, position: int) -> bool:
        if self.before_subject is None:  # a title
            return False
        max_length = 60  # characters: "Today we are going to talk about the "
        start = max(0, position - max_length)
        return self.before_subject.search(text, start, position) is not None


@lru_cache(maxsize=64)
def _pattern_before_subject(show_title: str) -> re.Pattern[str]:
    """Return a pattern for the words right before the subject of notes: a question, a phrase such as
    "talk about", or the beginning. Articles and words of the show's title may stand between, as in
    "What is the PyTorch dispatcher"."""
    names = "".join(f"|{re.escape(word)}(?:['’]s)?" for word in _WORD.findall(show_title))
    articles = rf"(?:(?:an?|the|our|this{names})\s+){{0,3}}\Z"
    opening = r"\A\W*(?:(?:what|how|why)\s+)?"
    return re.compile(rf"(?:{_PHRASES_BEFORE_SUBJECT}|{opening}){articles}", re.IGNORECASE)


# --- Terms ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Term:
    """A term of a rule, ready to be found."""

    written: str  # as the curator wrote it
    longest_word: str  # in small letters: a fast test before the pattern
    pattern: re.Pattern[str]
    min_mentions: int = 1  # mentions that it needs to count in full
    ending: str = ""  # its ending without "@": about, start, once or a number

    def has_enough_mentions_for_ending(
        self, mentions: Sequence[re.Match[str]], mentions_as_subject: Sequence[re.Match[str]]
    ) -> bool:
        # "@about" counts mentions as the subject, "@start" early mentions.
        counted = mentions
        if self.ending == "about":
            counted = mentions_as_subject
        elif self.ending == "start":
            counted = [mention for mention in mentions if mention.start() < EARLY_LENGTH]
        return len(counted) >= self.min_mentions


def describe_term_fault(list_name: str, written: str) -> str:
    """Return the fault of a term in one of TERM_LISTS, in words, or ""."""
    words, ending = _split_ending(written)
    if _parse_term_or_none(written) is None:
        return "a term needs a letter or a digit"
    if len(written) > MAX_TERM_LENGTH:
        return f"a term has at most {MAX_TERM_LENGTH} characters"
    has_misspelled_ending = not ending and _ENDING.search(written)  # "@abuot"
    if has_misspelled_ending:
        return "an ending is @about, @start, @once or a number such as @3"
    may_have_ending = list_name == "notes" or (list_name == "links" and ending.isdecimal())
    if ending and not may_have_ending:
        return "in links an ending is a number; titles, hints and excludes take none"
    if "*" in words.rstrip("*"):  # "vector*s"
        return "a star can only end a term"
    return ""


def _split_ending(written: str) -> tuple[str, str]:
    """Return a term without its ending, and the ending without "@": ("CUDA", "3") for "CUDA@3". The
    ending is "" if there is none, or no valid one."""
    ending = _ENDING.search(written)
    mark = ending.groupdict("")["mark"] if ending else ""
    # Without an ending this drops only an "@" that ends the term.
    return written.removesuffix(f"@{mark}"), mark


def _parse_term_or_none(written: str) -> _Term | None:
    """Return a term, or None if it has no letter or digit and would match everywhere."""
    words_with_signs, ending = _split_ending(written)  # "CUDA" and "3" of "CUDA@3"
    is_exact = words_with_signs.startswith("=")  # "=TH"
    is_prefix = words_with_signs.endswith("*")  # "vectoriz*"
    words = words_with_signs.removeprefix("=").removesuffix("*").strip()
    alphanumeric_words = _WORD.findall(words)
    if not alphanumeric_words:
        return None
    # Between words also "-", "_" and line breaks, but no long gap.
    body = r"[\s_-]{1,9}".join(map(re.escape, words.split()))
    # Before and behind the term no letter or digit. But the sign at the end of "C++" needs nothing behind it.
    before = r"(?<![^\W_])" if words[0].isalnum() else ""
    after = r"(?![^\W_])" if words[-1].isalnum() and not is_prefix else ""
    case_flag = re.NOFLAG if is_exact else re.IGNORECASE
    return _Term(
        written=written,
        longest_word=max(alphanumeric_words, key=len).lower(),
        pattern=re.compile(before + body + after, case_flag),
        min_mentions=int(ending) if ending.isdecimal() else 1,  # 3 for "CUDA@3"
        ending=ending,
    )


@lru_cache(maxsize=2048)
def _parsed_terms_by_list(rule: TopicRule) -> Mapping[str, tuple[_Term, ...]]:
    terms_by_list = {}
    for list_name in TERM_LISTS:
        written_terms: tuple[str, ...] = getattr(rule, list_name)
        # None for a term of signs alone.
        terms_by_list[list_name] = tuple(filter(None, map(_parse_term_or_none, written_terms)))
    return terms_by_list


@lru_cache(maxsize=2048)
def _topic_names_by_folded_name(rule: TopicRule) -> Mapping[str, str]:
    """Return the names of a topic by their folded forms. Of equal forms the slug counts, then the
    first alias."""
    names: dict[str, str] = {}
    for name in (rule.slug, *rule.aliases):
        names.setdefault(_fold_name(name), name)
    names.pop("", None)  # of a name of signs alone, which would equal any other
    return names


def _fold_name(name: str) -> str:
    """Return the words of a name in small letters, with a "+" or "#" behind them: "C++" is not "C"."""
    return " ".join(re.findall(r"[^\W_+#]+[+#]*", name.casefold()))


# --- Hits and points ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _TopicHit:
    """A term or name of a topic in an episode: its kind in TOPIC_POINTS, its first position, and the text
    that matched."""

    kind: str
    written: str  # the term or name, as the curator wrote it
    field: str  # title, keywords, notes or links
    position: int  # in the text, or in the list of keywords or links
    matched: str = ""
    is_subject: bool = False

    @property
    def is_hint(self) -> bool:
        return self.kind in HINT_KINDS.values()

    @property
    def points(self) -> int:
        points = TOPIC_POINTS[self.kind]
        if self.kind == "notes" and self.position < EARLY_LENGTH:
            points += TOPIC_POINTS["early"]
        # The notes ask or talk about the term.
        if self.is_subject:
            points += TOPIC_POINTS["subject"]
        return points

    @property
    def order(self) -> tuple[int, bool, int, int, str]:
        """Return a key that sorts stronger hits first."""
        field_order = ("title", "keywords", "notes", "links").index(self.field)
        points = TOPIC_POINTS[self.kind]
        return (-points, not self.is_subject, field_order, self.position, self.written)

    def overlaps(self, other: _TopicHit) -> bool:
        latest_start = max(self.position, other.position)
        first_end = min(self.position + len(self.matched), other.position + len(other.matched))
        return self.field == other.field and latest_start < first_end


@dataclass(frozen=True, slots=True)
class ScoredTopic:
    """A topic with its points for an episode, and its strongest term."""

    points: int
    tag: TopicTag


def _score_topic_or_none(slug: str, hits: Iterable[_TopicHit]) -> ScoredTopic | None:
    """Return a topic with its points and its strongest hit, or None without a hit or with a single
    hint."""
    strongest_first = sorted(_keep_first_of_overlapping_hits(hits), key=lambda hit: hit.order)
    is_single_hint = len(strongest_first) == 1 and strongest_first[0].is_hint
    if not strongest_first or is_single_hint:
        return None
    best = strongest_first[0]
    evidence = best.written
    if best.is_hint:
        # Then all hits are hints, and there are at least two.
        evidence += f" + {strongest_first[1].written}"
    points = sum(hit.points for hit in strongest_first)
    tag = TopicTag(
        topic=slug,
        term=evidence[:MAX_TERM_LENGTH],
        field=best.field,
        position=best.position,
        # Fewer points are a link, or a mention deep in the notes.
        confidence="high" if points >= 5 else "low",
    )
    return ScoredTopic(points, tag)


def _keep_first_of_overlapping_hits(hits: Iterable[_TopicHit]) -> list[_TopicHit]:
    separate_hits: list[_TopicHit] = []
    # Hints come last (False sorts before True), so that no hint displaces a longer term around it.
    # Else the order of the terms in the rule decides.
    hints_last = sorted(hits, key=lambda hit: hit.is_hint)
    for hit in hints_last:
        # Two terms for the same words count once.
        if not any(map(hit.overlaps, separate_hits)):
            separate_hits.append(hit)
    return separate_hits


def _hits_in_names(
    names: Iterable[_EpisodeName], topic_names: Mapping[str, str]
) -> list[_TopicHit]:
    hits = []
    for name in names:
        if name.folded in topic_names:
            hits.append(_TopicHit("name", topic_names[name.folded], name.field, name.index))
    return hits


def _topic_hits_in_links(link_keys: Sequence[str], terms: Iterable[_Term]) -> list[_TopicHit]:
    hits = []
    for term in terms:
        matching = [index for index, key in enumerate(link_keys) if term.pattern.search(key)]
        if len(matching) >= term.min_mentions:
            hit = _TopicHit(kind="links", written=term.written, field="links", position=matching[0])
            hits.append(hit)
    return hits


def _hits_in_prose(
    prose: _Prose, terms_by_list: Mapping[str, tuple[_Term, ...]]
) -> list[_TopicHit]:
    # Terms are found only outside of excluded phrases.
    text_without_excludes = prose.text_with_blanks_for_terms(terms_by_list["excludes"])
    hits: list[_TopicHit] = []
    for list_name in (prose.field, "hints"):
        for term in terms_by_list[list_name]:
            # A fast test before the pattern.
            if term.longest_word in prose.lower:
                hit = _find_hit_of_term(prose, text_without_excludes, term, list_name)
                if hit:
                    hits.append(hit)
    return hits


def _find_hit_of_term(
    prose: _Prose, text_without_excludes: str, term: _Term, list_of_term: str
) -> _TopicHit | None:
    """Return the hit of a term at its first mention in the text, or None without a mention.

    A term may end with the strength that a mention needs, such as @about or @3. The hit of a term @about is at
    the first mention that is a subject.
    """
    max_mentions = 100  # a limit against hostile texts; no ending asks for more
    mentions = list(islice(term.pattern.finditer(text_without_excludes), max_mentions))
    if not mentions:
        return None
    mentions_as_subject = [
        mention for mention in mentions if prose.is_subject(text_without_excludes, mention.start())
    ]
    first_mention = mentions[0]
    if term.ending == "about" and mentions_as_subject:
        first_mention = mentions_as_subject[0]
    # A term of another list than the field's, or mentioned more weakly than its ending demands, is a hint.
    kind = HINT_KINDS[prose.field]
    is_term_of_field = list_of_term == prose.field
    if is_term_of_field and term.has_enough_mentions_for_ending(mentions, mentions_as_subject):
        # The kind of a term @once has so many points that a single mention makes the topic.
        kind = "once" if term.ending == "once" else prose.field
    return _TopicHit(
        kind=kind,
        written=term.written,
        field=prose.field,
        position=first_mention.start(),
        matched=first_mention[0],
        is_subject=bool(mentions_as_subject),
    )
