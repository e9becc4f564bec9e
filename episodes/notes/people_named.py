"""People whom a text names as heard: behind labels ("Guests:"), and beside phrases ("joins us")."""

import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache, partial
from operator import attrgetter
from typing import NamedTuple

from ..text.addresses import without_addresses
from ..text.sentences import Sentences, excerpt
from ..text.vocabulary import (
    Phrases,
    alternatives,
    any_phrase,
    beginning_pattern,
    lists_of,
    load,
    phrase_pattern,
)
from .names_of_people import (
    PersonName,
    full_names,
    has_given_name,
    may_be_person,
    names_before,
    names_from,
)

HOST, GUEST = "host", "guest"
LISTED = "listed"  # the cue of people behind a label
MOST_BEFORE = 240  # characters before a verb in which its subject is looked for

_DATA = load(__file__, "people")
_LISTS = lists_of(_DATA["lists"])
_WORDS = _DATA["words"]
NOT_NOW = re.compile(
    rf"{phrase_pattern(_WORDS['not_now'])}"
    rf"|(?<!\w)(?:{alternatives(_WORDS['none'])})\s+{_LISTS['guests']}",  # "no guest"
    re.IGNORECASE,
)
# By language, or of any: the roles, and the words for each.
_LABELS: dict[str, list[tuple[str, Phrases]]] = {
    language: [(role, Phrases(words)) for role, words in roles.items()]
    for language, roles in _DATA["labels"].items()
}
_LED_BY = Phrases(_WORDS["in_title"]).pattern  # "With: Ada Roe"
# Lines that are a handle alone are passed over.
_NEXT_LINE = r"\n(?:[ \t]{0,9}@[\w.-]+[ \t]{0,9}\n)*[ \t]{0,9}(?:[-–—*•·▼・][ \t]{0,9})?"
# A few words before a colon, or a line of its own above a list of names.
_LABEL = re.compile(
    r"(?:^|(?<=[.!?…。！？(（\[【『/|·•;；▼\u3000])|(?<=\s[–—-]\s))[^\w\n]{0,6}"
    r"(?P<words>[^\W\d_][^.!?…。！？:：(（\[【)）/|;；\n\u3000]{1,40}?)"
    r"(?:(?P<colon>(?<!\d)\s?[:：](?!//))|(?=[ \t]*\n))"
    rf"(?P<alone>[ \t]*{_NEXT_LINE})?\s*",
    re.MULTILINE,
)
_REST_OF_LINE = re.compile(
    rf"(?:[ \t]{{0,9}}(?:[(,–—|:-]|(?:from|of|at|von|из)[ \t])[^\n]*)?[ \t]{{0,9}}(?:{_NEXT_LINE}|\Z)"
)
# "Ada Roe, a weaver of wool; Bo Ek, clocks"
_NEXT_OF_LINE = re.compile(r"[^;\n.]{0,80};\s*")
# Between a name and its verb: where somebody is from, or what they are.
_BEFORE_VERB = re.compile(
    r"(?:['’]\w{1,4}|[이가은는])?[\s,]*(?:\([^()]*\))?(?:\s*(?:from|of|at)(?:\s+the)?(?:\s+[A-Z][\w.&'’-]*){1,4})?"
    r"(?:,\s+[a-z][^,.;:()\n]{2,100},)?[\s,]*(?:and\s+|who\s+)?"
)
OF = Phrases(_WORDS["of"], after=r"\s{1,3}\Z").pattern
# With these no name begins: "De Stelvio", "Mit Gästen".
NO_NAME = re.compile(rf"(?i:{alternatives(_WORDS['articles'] + _WORDS['small_words'])})(?!\w)")
# Before what is no person: "in Port Roe", "the Roe Lectures", "Roe Hour" in quotes.
BESIDE_THING = re.compile(
    rf"{OF.pattern}|(?i:(?<!\w){alternatives(_WORDS['articles'])}\s{{1,3}}\Z)|[\"“«„「『]\Z|&\s\Z",
    re.I,
)


def is_of_thing(text: str, place: int) -> bool:
    """True for a name that is no person's by the word before it, or by its first."""
    before = text[max(0, place - 20) : place]
    return bool(NO_NAME.match(text, place) or BESIDE_THING.search(before))


FULL_STOPS = ".!…。"  # a line without one is a heading, or the name of a page
_BEGINS_SENTENCE = re.compile(r"\s*")


class Told(NamedTuple):
    """Somebody whom a text names, their role, and what says so."""

    name: PersonName
    role: str
    cue: str  # the kind of phrase, or the place in a title
    sure: bool  # True where no second sign is needed
    evidence: str


class _Rule(NamedTuple):
    """Phrases of small letters beside which people are named, their role, whether that takes a
    first and a last name, whether it needs no second sign, and whether the first name must be
    a known one. The "subject" begins the sentence, where no name is right before the phrase."""

    side: str  # of the name on which the phrases are
    role: str
    full: bool
    sure: bool
    known: bool
    phrases: re.Pattern[str]

    def names(
        self, text: str, start: int, cue: re.Match[str], end: int, known: Container[str]
    ) -> list[PersonName]:
        """The names beside a phrase in the sentence text[start:end]; `known` are the hosts' names."""
        names = self._beside(text, start, cue, end)
        # Where no host is known, "Ada and Bo talk about …" names them.
        are_hosts = not known and self.role == HOST and len(names) > 1
        are_hosts &= all(has_given_name(name.name) for name in names)
        return [
            name
            for name in names
            if (name.is_full or not self.full or are_hosts)
            # Behind a comma alone there may be what somebody is ("Game Programmer").
            and ((name.sure and not self.known) or may_be_person(name.name))
        ]

    def _beside(self, text: str, start: int, cue: re.Match[str], end: int) -> list[PersonName]:
        if self.side == "before":
            return names_from(text, cue.end(), end)
        names = names_before(text, start, cue.start(), _BEFORE_VERB)
        if self.side == "subject" and not names:
            begins = _BEGINS_SENTENCE.match(text, start, cue.start()).end()  # type: ignore[union-attr]
            return names_from(text, begins, cue.start())
        # "In San Pedro Ada Roe meets us" and "in San Pedro meets us Ada Roe" are about her.
        return [] if names and OF.search(text, start, names[0].begin) else names


# "Ada Roe is joined by" is about others.
_AFTER = {"after": r"(?!(?:with|by|at)\b)"}


@lru_cache(maxsize=256)
def _rules(hosts: frozenset[str], *tables: str) -> tuple[re.Pattern[str], list[_Rule]]:
    """The rules of these tables of data/people.toml, with the hosts' own names among those who ask
    and are asked, and the places where one of their phrases may begin."""
    names = alternatives(map(str.lower, hosts))
    names = f"|(?:{names})(?: and (?:{names}))?" if hosts else ""
    lists = _LISTS | {"we": f"(?:i|we{names})(?!\\w)", "us": f"(?:me|us{names})(?!\\w)"}
    rows = [row for table in tables for row in _DATA[table]]
    begins = beginning_pattern([phrase for row in rows for phrase in row["phrases"]], lists)
    return re.compile(begins), [
        _Rule(
            row["side"],
            row["role"],
            row["full"],
            row.get("sure", False),
            row.get("known", False),
            re.compile(any_phrase(row["phrases"], lists) + _AFTER.get(row["side"], "")),
        )
        for row in rows
    ]


def named_in(text: str, language: str, hosts: frozenset[str], *more: str) -> Iterator[Told]:
    """The people whom a text names as heard: those of labels, and those beside phrases, but in what
    speaks of another time, or of what does not happen.

    `hosts` are the names of those who present the show, `more` other tables of phrases.
    """
    prose = without_addresses(text)
    spans = Sentences(prose)
    yield from _labelled(text, prose, language)
    lowered = prose.replace("İ", "I").lower()  # as long as the text
    for begins, rules in (_rules(hosts, "phrases", *more), _rules(frozenset(), "presence")):
        for place in map(re.Match.start, begins.finditer(lowered)):
            first, end = spans.around(place)
            start = max(0, first, place - MOST_BEFORE)
            for rule in rules:
                cue = rule.phrases.match(lowered, place, end)
                if cue is None or NOT_NOW.search(prose[start : cue.end()]):
                    continue
                for name in rule.names(prose, start, cue, end, hosts):
                    told = (min(first, name.begin), end)
                    sentence = excerpt(text, told, place, cue.end(), "…")
                    kind = f"{rule.role} {rule.full}"
                    is_told = rule.role == GUEST and prose[end - 1] in FULL_STOPS
                    yield Told(name, rule.role, kind, rule.sure or is_told, sentence)


def _labelled(text: str, prose: str, language: str) -> Iterator[Told]:
    """The people behind "Guests:", or in lines of their own below it."""
    for label in _LABEL.finditer(prose):
        is_list, place = bool(label["alone"]), label.end()
        role = _role_of(label["words"], language[:2].casefold(), bool(label["colon"]))
        while role and (names := names_from(prose, place, _end_of_line(prose, place))):
            for name in filter(attrgetter("is_full"), names):
                words = " ".join(text[label.start("words") : name.end].split())
                yield Told(name, role, LISTED, bool(label["colon"]), words)
            rest = (_REST_OF_LINE if is_list else _NEXT_OF_LINE).match(prose, names[-1].end)
            if not (rest and names[-1].is_full):
                break
            place = rest.end()


def _end_of_line(text: str, place: int) -> int:
    return place + len(text[place : place + MOST_BEFORE].partition("\n")[0])


@lru_cache(maxsize=4096)
def _role_of(label: str, language: str, colon: bool) -> str:
    """The role that a label gives: "Guests of the week", "Redaktion und Moderation", or "".

    Without a colon it is no more than the word for a role.
    """
    if colon and _LED_BY.fullmatch(label):
        return GUEST
    if not NOT_NOW.search(label):
        for role, phrases in [*_LABELS.get(language, []), *_LABELS["any"]]:
            if (phrases.pattern.search if colon else phrases.pattern.fullmatch)(label):
                return role
    return ""


# --- Names in titles -----------------------------------------------------------------------------

PLACE = "place"  # of a name in a title, which may be the guests'
MOST_TITLE = 400  # characters of a title in which names are looked for

LONGEST_ENDING = 4  # letters that a name has more of in another case
_VOWEL = "[aeiouyáéíóúýąęěäöåаеёиоуыэюяіїє]"
# The "s" of "Ada's Clouds" is not the Czech word for "with".
_NO_POSSESSIVE = r"(?<!['’])"
# "Working with", "getting started with" lead to things.
_OF_THINGS = (
    r"(?<!(?<!th)(?<!even)(?<!morn)ing )"
    r"(?<!start )(?<!started )(?<!fun )(?<!trouble )(?<!problem )(?<!deal )(?<!life )"
)
_END = rf"/?\s*(?:(?:{alternatives(_WORDS['articles'])})(?:\s|(?<=['’])))?(?:\w{{2,5}}\.\s)*\Z"
_LEADS = Phrases(_WORDS["in_title"], before=_NO_POSSESSIVE, after=_END)
_IN_TITLE = Phrases(_WORDS["in_title"], before=_NO_POSSESSIVE + _OF_THINGS, after=_END)
# "Ada Roe ile Bulutlar"
_WITH = re.compile(rf"\s+{alternatives(_WORDS['behind'])}(?!\w)", re.IGNORECASE)
# Behind these names have other endings.
_INFLECTS = re.compile(rf"(?i:(?<!\w){alternatives(_WORDS['inflects'])}\s+)\Z")
# "Ada Roe And Bo Ek"
_JOINED = re.compile(rf"(?<= )(?i:{alternatives(_WORDS['joined'])})(?= )")
_SPEAKS = rf"{alternatives(_WORDS['speaks'])}(?!\w)"
# From a name to its verb: in brackets or between commas what somebody is, and where they are from.
_SAID_OF = re.compile(
    r"(?<![\w-])([\w-]+)(?:\s*\([^()\n]*\))?(?:\s*,[^,.;:()\n]{2,100},)?"
    rf"(?:\s+(?:{alternatives(_WORDS['from'])})\s[^.;:,\n]{{2,60}}?)?"
    rf"\s+(?:{_LISTS['to_us']}){{0,2}}{_SPEAKS}",
    re.IGNORECASE,
)
_LETTERS = re.compile(r"[^\W\d_]+")
# "Loom Talk with Ada Roe: Clouds" is an episode of her show, "Clouds with Ada Roe – Ep 7" is not.
_IS_SHOW = re.compile(r":|\s[–—-]\s(?!\W*(?:\w+\W*)?\d)")
# All dashes are one, and numbers are left out: "Episode 79 –" is the same place as "Episode 103 -".
_ALIKE = str.maketrans("–—−|", "----", "0123456789")


class _Place(NamedTuple):
    """A place of names in a title, and what title and notes say of them there."""

    words: str  # the last one before the names, and the first one behind them
    leads: bool  # "with" stands beside them
    is_led: bool  # and the title is not of a show called so
    speaks: bool  # by the notes one of them does
    is_alone: bool  # nothing but a number or a word stands beside them

    def ways(self, name: str, text: str) -> Iterator[tuple[str, bool, str]]:
        """Cue, sureness and field of a name there.

        A guest's is one behind "with" where the notes have it too ("Clouds with Ada Roe – Ep 103"),
        and one of whom the notes say that they speak ("Cloud Days: Ada Roe" where "Ada explains how
        …"). A title that is a name alone may be that of a film.
        """
        is_noted, is_person = _is_noted(name, text), _is_person(name, text)
        if self.is_led or (not self.leads and (is_noted or is_person)):
            yield self.words, self.is_led or is_noted or not self.is_alone, PLACE
        start = text.find(name)
        if is_person and 0 <= start < OPENING_LENGTH and not is_of_thing(text, start):
            yield OPENING, True, PLACE
        if (self.is_led and is_noted) or (self.speaks and (self.leads or is_person)):
            yield "", True, "title"


def names_in_title(title: str, text: str) -> Iterator[tuple[Told, str]]:
    """The first and last names in a title, each as "title" where it is a guest's by itself, else
    as "place", with the last word before it and the first behind it; and as one that opens the
    notes, where it does.

    The place behind "with" is one, whatever follows: titles name guests there, and things as well
    ("Getting Started with Cast Iron").
    """
    text = text.replace(f"{title}\n", "\n")  # a title that is said again is no second sign
    title = _JOINED.sub(lambda word: word[0].lower(), title[:MOST_TITLE])
    for names in full_names(title):
        before, behind = title[: names[0].begin], title[names[-1].end :]
        is_with = _WITH.match(behind)
        leads = bool(_LEADS.pattern.search(before) or is_with)
        if not leads and is_of_thing(title, names[0].begin):
            continue
        is_led = bool(_IN_TITLE.pattern.search(before) or is_with) and not _IS_SHOW.match(behind)
        place = _Place(
            place_of(before, "" if is_led and not is_with else behind),
            leads,
            is_led,
            _speaks(title[names[0].begin : names[-1].end], text),
            len(_LETTERS.findall(before + behind)) < 2,  # "Episode 3 - Ada Roe"
        )
        for name in _as_noted(names, before, text) if is_led else map(partial(_cut, text), names):
            for cue, sure, field in place.ways(name.name, text):
                yield Told(name, GUEST, cue, sure, title), field


def _cut(text: str, name: PersonName) -> PersonName:
    """A name as far as the notes have it: "Ada Roe" of "Ada Roe Returns"."""
    short = " ".join(name.name.split()[:2])
    is_longer = name.name.istitle() and name.name not in text and short in text
    return name._replace(name=short) if is_longer else name


def _is_noted(name: str, text: str) -> bool:
    """True for a name that the notes have too, and nowhere write small, as they do subjects
    ("Machine Learning"); and for a person whom they call by the first name alone, as shows do with
    guests, and not with people whom they talk about."""
    if name in text:
        return name.lower() not in text.replace(name, "")
    first, last = name.split()[0], name.split()[-1]
    return _is_person(name, text) and last not in text and _has_word(text, first)


def _is_person(name: str, text: str) -> bool:
    """True for a name that begins with a known first name, which the text does not use as a word."""
    return has_given_name(name) and not _has_word(text, name.split()[0].lower())


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _as_noted(names: Iterable[PersonName], before: str, text: str) -> Iterator[PersonName]:
    """The names as the notes have them: behind "with" titles have other endings ("z Adą Roem"), and
    the name itself may stand nowhere."""
    for name in names:
        forms = r"\s".join(map(_without_ending, name.name.split()))
        noted = re.search(rf"(?<!\w){forms}(?!\w)", text)
        if noted and name.name not in text:
            name = name._replace(name=noted[0])
        if noted or not _INFLECTS.search(before):
            yield name


def _without_ending(word: str) -> str:
    """A pattern of the beginnings of a word, but for its last letters, perhaps with a vowel."""
    stem = max(2, len(word) - LONGEST_ENDING)
    more = "".join(f"(?:{re.escape(letter)}" for letter in word[stem:])
    return f"{re.escape(word[:stem])}{more}{')?' * len(word[stem:])}{_VOWEL}?"


def _speaks(names: str, text: str) -> bool:
    """True where the notes say of one of these names that they speak."""
    return not {said[1] for said in _SAID_OF.finditer(text)}.isdisjoint(names.split())


def place_of(before: str, behind: str) -> str:
    """The last word before a name in a title and the first one behind it."""
    words = (text.casefold().translate(_ALIKE).split() for text in (before, behind))
    return " … ".join((" ".join(next(words)[-1:]), " ".join(next(words)[:1])))


# --- Names that open the notes --------------------------------------------------------------------

OPENING = "opening"  # the place of a name with which notes begin
FIRST = "first"  # and of the first one there
OPENING_LENGTH = 150  # characters in which notes begin
MOST_NEAR = 400  # characters behind a name in which "she tells" is looked for
_THEY_SPEAK = re.compile(
    rf"(?<!\w)(?:{_LISTS['pronouns']}(?:\w+\s+)?{_SPEAKS}|{_SPEAKS}\s+{_LISTS['pronouns']})",
    re.IGNORECASE,
)


def names_opening(text: str) -> Iterator[tuple[Told, str]]:
    """The people with whose names notes begin, who speak by the word behind the name, or by what is
    said of "her" before anybody else is named. Who is named first has a place of their own."""
    opening = text[: OPENING_LENGTH + MOST_NEAR]
    spans = Sentences(opening)
    groups = [names for names in full_names(opening) if names[0].begin < OPENING_LENGTH]
    ends = [*(names[0].begin for names in groups[1:]), len(opening)]
    for names, end in zip(groups, ends, strict=False):
        first, last = spans.around(names[0].begin)
        sentence = opening[first:last]
        # A line without a full stop is a heading, or the name of a page.
        is_now = not NOT_NOW.search(opening[first : names[-1].end])
        is_now &= not _LEADS.pattern.search(opening[first : names[0].begin])
        if sentence[-1] not in FULL_STOPS or not is_now or is_of_thing(opening, names[0].begin):
            continue
        speaks = _speaks(opening[names[0].begin : names[-1].end], opening)
        is_first = names is groups[0]
        if speaks or (is_first and _THEY_SPEAK.search(opening, names[-1].end, end)):
            told = " ".join(sentence.split())
            for name in filter(lambda name: _is_person(name.name, text), names):
                for place in (OPENING, FIRST) if is_first else (OPENING,):
                    yield Told(name, GUEST, place, True, told), PLACE
