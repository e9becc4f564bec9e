"""People who are heard in an episode, hosts and guests, by what the feed declares and the words of
title and notes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from rapidfuzz.distance import OSA

from ..identity import short_hash, slug_of
from ..records import Show
from ..text.addresses import without_addresses, without_mail
from ..text.normalize import fold, plain_letters
from ..text.sentences import Sentences
from ..text.urls import page_key
from ..text.vocabulary import Phrases, alternatives, lists_of, load, phrase_pattern
from .guests_in_titles import PLACE, is_about, names_in_title
from .names_of_people import UPPER, PersonName, name_at, names_before, names_from, tidy

HOST, GUEST = "host", "guest"
SIDES = ("before", "after")  # of the phrases in data/people.toml
MOST_PEOPLE = 200  # of an episode
MOST_MENTIONS = 2000
SPELLING = 0.9  # of the letters of two spellings of one name are the same
MOST_LABEL = 6  # words before a colon
MOST_BEFORE = 240  # characters before a verb in which its subject is looked for
HABIT = 3  # episodes of a show in which the same words, or the same place in titles, name people

_DATA = load(__file__, "people")
_LISTS = lists_of(_DATA["lists"])
_WORDS = _DATA["words"]
_NOT_NOW = re.compile(
    rf"{phrase_pattern(_WORDS['not_now'])}|(?<!\w)(?:{alternatives(_WORDS['none'])})\s+\Z", re.I
)
_SPONSORED = Phrases(_WORDS["sponsored"], after=r"[^.\n]*")
_LABELS = {
    language: [(role, Phrases(words)) for role, words in roles.items()]
    for language, roles in _DATA["labels"].items()
}
# Lines that are a handle alone are passed over.
_NEXT_LINE = r"\n(?:[ \t]*@[\w.-]+[ \t]*\n)*[ \t]*(?:[-–—*•·▼・][ \t]*)?"
# A few words before a colon, or a line of its own above a list of names.
_LABEL = re.compile(
    r"(?:^|(?<=[.!?…。！？(（\[【『/|·•;；▼\u3000])|(?<=\s[–—-]\s))[^\w\n]{0,6}"
    r"(?P<words>[^\W\d_][^.!?…。！？:：(（\[【)）/|;；\n\u3000]{1,60}?)"
    rf"(?:(?P<colon>(?<!\d)\s?[:：](?!//)|\s[–—-](?=\s))|(?=[ \t]*\n))(?P<alone>[ \t]*{_NEXT_LINE})?\s*",
    re.MULTILINE,
)
_REST_OF_LINE = re.compile(
    rf"(?:[ \t]*(?:[(,–—|:-]|(?:from|of|at|von|из)[ \t])[^\n]*)?[ \t]*(?:{_NEXT_LINE}|\Z)"
)
# Between a name and its verb: where somebody is from, or what they are.
_BEFORE_VERB = re.compile(
    r"(?:['’]s|['’]re)?[\s,]*(?:\([^()]*\))?(?:\s*(?:from|of|at)(?:\s+[A-Z][\w.&'’-]*){1,4})?"
    r"(?:,\s+[a-z][^,.;:()\n]{2,100},)?[\s,]*(?:and\s+|who\s+)?"
)
_BETWEEN_AUTHORS = re.compile(
    r"(?:\s*[,;|]|\s/\s|\s*[&+•·](?=\s)|\s+(?:and|with|und|et|y|e|и|en|och|og)(?=\s))+\s*|\([^()]*\)",
    re.I,
)
FIELDS = ("person", "notes", "title", PLACE, "author")  # the most trusted first


@dataclass(frozen=True, slots=True)
class FoundCredit:
    """A person who is heard in an episode, and the place that says so.

    `name` is the name at its fullest, `credited_as` as published there, `handle` without its "@" or
    "". `field` is person (`podcast:person`, `position` the index), author, notes or
    title (`position` the offset there), or place, of a name in the title that is a guest's where
    such names are. `address` is the key of the page that the feed gives, `cue` are the words of the
    notes by which somebody is heard, or those beside a name in the title.
    """

    name: str
    role: str  # host | guest | co-host, or what the feed says
    credited_as: str
    field: str
    position: int
    show: str
    handle: str = ""
    address: str = ""
    cue: str = ""

    @property
    def identity(self) -> str:
        """`@handle`, else the name with the address that the feed gives, else `name@show`: two
        people of one name in two shows are two, two of one name with two handles are too, and two
        names at one address as well."""
        by_name = identity_of(self.name, self.address, self.show)
        return f"@{self.handle.casefold()}" if self.handle else by_name

    @property
    def signs(self) -> set[str]:
        """The marks of it that other episodes may have as well."""
        return set() if self.field == PLACE else {self.cue, fold(self.name)}

    @property
    def is_told_guest(self) -> bool:
        """True for a guest whom texts name and no feed lists."""
        return self.role == GUEST and self.field != "person"

    def among(self, guests: Mapping[str, int], most: float) -> FoundCredit:
        """The credit as a host's, if it is a guest's who is told in more than `most` episodes."""
        is_host = self.is_told_guest and guests[self.name] > most
        return replace(self, role=HOST) if is_host else self

    @property
    def order(self) -> tuple[int, int, bool, str, str]:
        return (FIELDS.index(self.field), self.position, self.role != HOST, self.name, self.cue)

    def is_same(self, other: FoundCredit) -> bool:
        """True for one person; what a feed lists twice is the same only in the same role."""
        if self.field == other.field == "person":
            return (self.identity, self.role) == (other.identity, other.role)
        return is_spelling(*sorted((self.name, other.name), key=len))


def identity_of(name: str, address: str, show: str) -> str:
    """The identity of somebody without a handle. The name is part of it, since people share the
    address of a network."""
    slug = person_slug(name)
    return f"{slug} {page_key(address)}" if address.strip() else f"{slug}@{show}"


def people(
    text: str, title: str, feed_people: Sequence[tuple[str, str, str]], show: Show
) -> tuple[FoundCredit, ...]:
    """The people whom an episode's feed, notes and title name, each place that does: and, where the
    feed lists no host, the show's people, author, or the hosts of its description.

    `text` is the plain text of the notes, `feed_people` are (name, role, address). A feed that
    lists a guest has named them all. Linear in the text.
    """
    declared = _declared(feed_people, show.slug)
    hosts = _hosts(declared)
    if not hosts:
        declared += _declared(show.people, show.slug)
        described = _described(show)
        labelled = [one for one in described if not one.cue]
        hosts = _hosts(declared) or labelled or _authors(show) or described
    names = {name for one in hosts for name in (one.name, one.name.split()[0])}
    prose, rules = without_addresses(text), _rules(frozenset(names))
    texts = ((prose, ""), (without_addresses(title), "label"))
    told = [*chain.from_iterable(_listed(each, show.language, sign) for each, sign in texts)]
    told += chain.from_iterable(_told(each, rules) for each, _ in texts)
    named = [_credit(name, role, "notes", show, cue) for name, role, cue in told[:MOST_MENTIONS]]
    led = {one.name for one in named if one.role == HOST and not one.cue}
    hosts = [one for one in hosts if one.field == "person" or not led or one.name in led]
    if GUEST not in {one.role for one in declared}:
        titled = names_in_title(title, prose)
        named += [_credit(name, GUEST, field, show, place) for name, field, place in titled]
    others = (one for one in named if one.role != GUEST or one.name not in names)
    return (*declared, *others, *hosts)


def heard(
    named: Sequence[Sequence[FoundCredit]], texts: Sequence[str]
) -> list[tuple[FoundCredit, ...]]:
    """One credit a person for each episode of a show, of those that two signs name; `texts` are the
    title and notes of each.

    Words that lead to a name are one sign. The other is that another place of title or notes has
    it, a handle beside it, that another episode credits the same person, or that the show names
    people with such words as a habit. Who is a guest by the texts in most episodes is a host.
    """
    signs = Counter(chain.from_iterable(set().union(*(one.signs for one in own)) for own in named))
    together = list(zip(named, map(fold, texts), strict=True))
    sure = [[one for one in own if _is_believed(one, signs, text, ())] for own, text in together]
    places = _places_of_guests(named, sure)
    credited = [
        one_each(one for one in own if _is_believed(one, signs, text, places))
        for own, text in together
    ]
    guests = Counter(one.name for one in chain.from_iterable(credited) if one.is_told_guest)
    most = max(HABIT, len(credited) / 2)
    return [tuple(one.among(guests, most) for one in own) for own in credited]


def _is_believed(
    one: FoundCredit, signs: Mapping[str, int], text: str, places: Container[str]
) -> bool:
    if one.field == PLACE:
        return one.cue in places
    name = fold(one.name)
    is_habit = not one.cue or signs[one.cue] >= HABIT
    is_elsewhere = signs[name] > 1 or (" " in name and text.count(name) > 1)
    return is_habit or is_elsewhere


def _places_of_guests(
    named: Sequence[Sequence[FoundCredit]], sure: Sequence[Sequence[FoundCredit]]
) -> set[str]:
    """The places in titles where most of the names are those of people who are guests by the notes,
    or stand before what somebody speaks about: "Ada Roe on clouds".

    So the show itself says whether "Ada Roe: Clouds" is about its guest or about the subject of a
    biography.
    """
    counts: Counter[tuple[str, bool]] = Counter()  # by place, and True where a guest is named
    for own, known in zip(named, sure, strict=True):
        guests = {fold(one.name) for one in known if one.role == GUEST}
        placed = [(one.cue, fold(one.name)) for one in own if one.field == PLACE]
        counts.update({(place, is_about(place) or name in guests) for place, name in placed})
    return {
        place
        for (place, is_guest), count in counts.items()
        if is_guest and count >= max(HABIT, counts[place, False])
    }


def one_each(found: Iterable[FoundCredit]) -> tuple[FoundCredit, ...]:
    """One credit a person within the episode, and one for each role that the feed lists; the first
    mention of somebody gives role and words, the fullest one the name."""
    known: list[FoundCredit] = []
    for one in sorted(set(found), key=lambda credit: credit.order):
        place = next((place for place, other in enumerate(known) if one.is_same(other)), None)
        if place is not None:
            name = max(known[place].name, one.name, key=lambda name: name.count(" "))
            known[place] = replace(known[place], name=name)
        elif len(known) < MOST_PEOPLE:
            known.append(one)
    return tuple(known)


def settle(heard: Sequence[Sequence[FoundCredit]]) -> dict[str, str]:
    """The identity to use for each identity of one show, given the credits of its episodes.
    Spellings of a name at one address are one person, but where an episode has two people there; a
    bare name goes to the handle or address that is known to bear it, if that is one only.
    Order-free.

    The address alone, by which older decisions name somebody, is that of the only person there.
    """
    every = sorted(chain.from_iterable(heard), key=lambda one: one.name)
    names = {one.identity: one.name for one in every}
    at: dict[str, set[str]] = defaultdict(set)  # identities by address
    for one in every:
        at[one.address].add(one.identity)
    shared = {""}
    for own in heard:
        here = Counter(address for address, _ in {(one.address, one.identity) for one in own})
        shared.update(address for address, count in here.items() if count > 1)
    settled = dict(zip(names, names, strict=True))
    for address in at.keys() - shared:
        fullest = max(at[address], key=lambda who: (who.count("-"), len(who), who))
        spelled = {who for who in at[address] if is_spelling(names[who], names[fullest])}
        settled |= dict.fromkeys(spelled, fullest)
        settled |= {address: fullest} if spelled == at[address] else {}
    return settled | _bare(names, at[""], settled)


def _bare(
    names: Mapping[str, str], bare: Iterable[str], settled: Mapping[str, str]
) -> dict[str, str]:
    """The identity for each of the names without handle or address that one person alone is known
    to bear."""
    bearers: dict[str, set[str]] = defaultdict(set)
    for who, name in names.items():
        bearers[fold(name)].add(settled[who])
    others = {who: bearers[fold(names[who])] - {who} for who in bare if who[0] != "@"}
    return {who: min(known) for who, known in others.items() if len(known) == 1}


def is_spelling(name: str, fullest: str) -> bool:
    """True for "J. Roe" and "Jane" beside "Jane Roe", and for names that differ in one letter of
    ten."""
    name, fullest = plain_letters(name), plain_letters(fullest)
    is_short = all(f" {part.rstrip('.')}" in f" {fullest}" for part in name.split())
    return is_short or OSA.normalized_similarity(name, fullest) >= SPELLING


def person_slug(name: str, identity: str = "") -> str:
    """The address of a person's page: letters of every script stay; a name without any goes by
    eight hex digits.

    Two people may get the same: `slugs.assign` keeps them apart, with the identity as what tells
    them apart.
    """
    return slug_of(name) or f"person-{short_hash(identity or name)}"


# --- Declared in the feed -------------------------------------------------------------------------


def _declared(feed_people: Sequence[tuple[str, str, str]], show: str) -> list[FoundCredit]:
    """The credits of a feed's own list."""
    # A person without a role is a host (podcast namespace).
    named = ((tidy(name), role, address) for name, role, address in feed_people[:MOST_PEOPLE])
    return [
        FoundCredit(
            name,
            " ".join(role.casefold().split()) or HOST,
            name,
            "person",
            index,
            show,
            address=page_key(address).strip(),
        )
        for index, (name, role, address) in enumerate(named)
        if name
    ]


def _hosts(declared: Iterable[FoundCredit]) -> list[FoundCredit]:
    return [one for one in declared if HOST in one.role.replace("-", " ").split()]


def _authors(show: Show) -> list[FoundCredit]:
    """The hosts whom the author of a show names."""
    parts = map(tidy, _BETWEEN_AUTHORS.split(without_mail(show.author[:400])))
    return [
        FoundCredit(name.name, HOST, part, "author", index, show.slug)
        for index, part in enumerate(parts)
        if (name := name_at(part, 0, len(part))) and name.end == len(part) and name.is_full
    ]


def _described(show: Show) -> list[FoundCredit]:
    """The hosts whom the show's own description names."""
    about = _SPONSORED.pattern.sub(lambda _: "", without_addresses(show.description))
    told = [*_listed(about, show.language, ""), *_told(about, (*_rules(frozenset()), *_DESCRIBED))]
    return [_credit(name, role, "author", show, cue) for name, role, cue in told if role == HOST]


# --- Named in the notes ---------------------------------------------------------------------------


Told = tuple[PersonName, str, str]  # somebody, their role, and the words that lead to them


class _Rule(NamedTuple):
    """Phrases beside which people are named, their role, and whether that takes a first and a last
    name."""

    side: str  # of the name on which the phrases are
    role: str
    full: bool
    phrases: Phrases

    def names(self, text: str, start: int, cue: re.Match[str], end: int) -> Iterable[PersonName]:
        """The names beside a phrase in the sentence text[start:end]."""
        if self.side == "before":
            return names_from(text, cue.end(), end)
        return names_before(text, start, cue.start(), _BEFORE_VERB)


@lru_cache(maxsize=256)
def _rules(hosts: frozenset[str]) -> tuple[_Rule, ...]:
    """The rules of data/people.toml, with the hosts' own names among those who ask and are
    asked."""
    names = f"|(?-i:(?:{alternatives(hosts)})(?: and (?:{alternatives(hosts)}))?)" if hosts else ""
    lists = _LISTS | {"we": f"(?:i|we{names})(?!\\w)", "us": f"(?:me|us{names})(?!\\w)"}
    return tuple(
        _Rule(side, row["role"], row["full"], Phrases(row["phrases"], lists, after=_AFTER[side]))
        for side in SIDES
        for row in _DATA[side]
    )


_DESCRIBED = (
    _Rule("before", HOST, True, Phrases(_WORDS["described"], _LISTS)),
    _Rule("after", HOST, True, Phrases(_WORDS["describe"])),
)
# "joined by Leeds's Ada Roe" names her; "Ada Roe is joined by" is about others.
_AFTER = {"before": rf"(?-i:{UPPER}\w*['’]s )?", "after": r"(?!(?:with|by|at)\b)"}


def _credit(name: PersonName, role: str, field: str, show: Show, cue: str) -> FoundCredit:
    """The credit of a name; a handle beside it is a sign of its own, which needs no other."""
    told_by = "" if name.handle and field == "notes" else fold(cue if name.sure else name.name)
    return FoundCredit(
        name.name, role, name.name, field, name.start, show.slug, name.handle, "", told_by
    )


def _told(text: str, rules: Iterable[_Rule]) -> Iterator[Told]:
    """The people named beside the phrases of the rules, but in what speaks of another time, or of
    what does not happen."""
    spans = Sentences(text)
    for rule in rules:
        for cue in rule.phrases.pattern.finditer(text):
            start, end = spans.around(cue.start())
            start = max(start, cue.start() - MOST_BEFORE)
            if cue.end() > end or _NOT_NOW.search(text[start : cue.start()]):
                continue
            for name in rule.names(text, start, cue, end):
                if name.is_full or not rule.full:
                    yield name, rule.role, f"{rule.role} {rule.full}"


def _listed(text: str, language: str, sign: str) -> Iterator[Told]:
    """The people behind "Guests:", or in lines of their own below it."""
    for label in _LABEL.finditer(text):
        role = _role_of(label["words"], language[:2].casefold(), bool(label["colon"]))
        told_by = sign if label["colon"] else "heading"
        place = label.end() if role else len(text)
        while names := names_from(text, place, _end_of_line(text, place)):
            yield from ((name, role, told_by) for name in names if name.is_full)
            rest = _REST_OF_LINE.match(text, names[-1].end)
            is_list = label["alone"] and rest and names[-1].is_full
            place = rest.end() if is_list else len(text)


@lru_cache(maxsize=4096)
def _role_of(label: str, language: str, colon: bool) -> str:
    """The role that a label gives: "Guests of the week", "Redaktion und Moderation", or "".

    Without a colon it is no more than the word for a role.
    """
    if len(label.split()) <= MOST_LABEL and not _NOT_NOW.search(label):
        for role, phrases in (*_LABELS.get(language, ()), *_LABELS["any"]):
            if (phrases.pattern.search if colon else phrases.pattern.fullmatch)(label):
                return role
    return ""


def _end_of_line(text: str, place: int) -> int:
    return place + len(text[place : place + MOST_BEFORE].partition("\n")[0])
