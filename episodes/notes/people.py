"""People who are heard in an episode, hosts and guests, by what the feed declares and the words of
title and notes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from rapidfuzz.distance import OSA

from ..identity import short_hash, slug_of
from ..records import Show
from ..text.addresses import without_addresses, without_mail
from ..text.normalize import fold, plain_letters
from ..text.sentences import Sentences
from ..text.urls import page_key
from ..text.vocabulary import Phrases, alternatives, lists_of, load, word_set
from .guests_in_titles import names_in_title
from .names_of_people import UPPER, PersonName, name_at, names_before, names_from, tidy

HOST, GUEST = "host", "guest"
SIDES = ("before", "after")  # of the phrases in data/people.toml
MOST_PEOPLE = 200  # of an episode
MOST_MENTIONS = 2000
SPELLING = 0.9  # of the letters of two spellings of one name are the same
MOST_BEFORE = 240  # characters before a verb in which its subject is looked for
HABIT = 3  # episodes of a show in which the same words, or the same place in titles, name people
SHARE = 2  # one in so many of the names at a place has to be a guest by the notes as well

_DATA = load(__file__, "people")
_LISTS = lists_of(_DATA["lists"])
_WORDS = _DATA["words"]
_ABOUT = word_set(_WORDS["about"])
_NOT_NOW = Phrases(_WORDS["not_now"])
_SPONSORED = Phrases(_WORDS["sponsored"], after=r"[^.\n]*")
# Lines that are a handle alone are passed over.
_NEXT_LINE = r"\n(?:[ \t]*@[\w.-]+[ \t]*\n)*[ \t]*(?:[-–—*•·][ \t]*)?"
_HEADINGS = {heading: role for role, headings in _DATA["headings"].items() for heading in headings}
_LISTED = re.compile(
    rf"^[ \t]*(?:special )?({alternatives(_HEADINGS)})[ \t]*[:：]?[ \t]*{_NEXT_LINE}",
    re.IGNORECASE | re.MULTILINE,
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
    r"(?:\s*[,;/|]|\s*[&+•·](?=\s)|\s+(?:and|with|und|et|y|e|и|en|och|og)(?=\s))+\s*|\([^()]*\)",
    re.I,
)
PLACE = "place"  # of a name in a title, which may be the guests'
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
        if self.handle:
            return f"@{self.handle.casefold()}"
        return identity_of(self.name, self.address, self.show)

    @property
    def page(self) -> str:
        """The address that tells who it is; "" beside a handle."""
        return "" if self.handle else self.address

    @property
    def signs(self) -> set[str]:
        """The marks of it that other episodes may have as well."""
        return set() if self.field == PLACE else {self.cue, fold(self.name)}

    @property
    def is_told_guest(self) -> bool:
        """True for a guest whom texts name and no feed lists."""
        return self.role == GUEST and self.field != "person"

    @property
    def order(self) -> tuple[int, int, bool, str, str]:
        return (FIELDS.index(self.field), self.position, self.role != HOST, self.name, self.cue)

    def is_same(self, other: FoundCredit) -> bool:
        """True for one person; what a feed lists twice is the same only in the same role."""
        if self.field == other.field == "person":
            return (self.identity, self.role) == (other.identity, other.role)
        return is_spelling(*sorted((self.name, other.name), key=len))

    def with_more(self, other: FoundCredit) -> FoundCredit:
        """The credit with the fuller of its own and another name of the same person."""
        return replace(self, name=max(self.name, other.name, key=lambda name: name.count(" ")))


def identity_of(name: str, address: str, show: str) -> str:
    """The identity of somebody without a handle. The name is part of it, since people share the
    address of a network."""
    slug = person_slug(name)
    return f"{slug} {page_key(address)}" if address.strip() else f"{slug}@{show}"


def people(
    text: str,
    title: str,
    feed_people: Sequence[tuple[str, str, str]],
    show: Show,
    linked: Container[str] = (),
) -> tuple[FoundCredit, ...]:
    """The people whom an episode's feed, notes and title name, each place that does: and, where the
    feed lists no host, the show's people, author, or the hosts of its description.

    `text` is the plain text of the notes, `feed_people` are (name, role, address), `linked` the
    words of links. Who has words, and a handle or a link of their own, needs no other sign. Linear
    in the text.
    """
    declared = list(islice(_declared(feed_people, show.slug), MOST_PEOPLE))
    hosts = _hosts(declared)
    if not hosts:
        declared += islice(_declared(show.people, show.slug), MOST_PEOPLE)
        hosts = _hosts(declared) or _authors(show) or _described(show)
    names = {name for one in hosts for name in (one.name, one.name.split()[0])}
    prose, rules = without_addresses(text), _rules(tuple(sorted(names)))
    named = chain(
        _listed(prose, show.slug),
        _told(prose, rules, show.slug),
        _told(without_addresses(title), rules, show.slug),
        _in_title(title, prose, declared, show.slug),
    )
    others = (one for one in named if one.role != GUEST or one.name not in names)
    known = (replace(one, cue="") if _has_page(one, linked) else one for one in others)
    return (*declared, *islice(known, MOST_MENTIONS), *hosts)


def _has_page(one: FoundCredit, linked: Container[str]) -> bool:
    return one.field == "notes" and (bool(one.handle) or (" " in one.name and one.name in linked))


def heard(
    named: Sequence[Sequence[FoundCredit]], texts: Sequence[str]
) -> list[tuple[FoundCredit, ...]]:
    """One credit a person for each episode of a show, of those that two signs name; `texts` are the
    title and notes of each.

    Words that lead to a name are one sign. The other is that another place of title or notes has
    it, that another episode credits the same person, or that the show names people with such words
    as a habit.
    """
    told = ({sign for one in own for sign in one.signs} for own in named)
    signs = Counter(chain.from_iterable(told))
    sure = [
        [one for one in own if _is_believed(one, signs, text)]
        for own, text in zip(named, map(fold, texts), strict=True)
    ]
    places = _places_of_guests(named, sure)
    credited = [
        one_each([*known, *(one for one in own if one.field == PLACE and one.cue in places)])
        for own, known in zip(named, sure, strict=True)
    ]
    return _with_regulars(credited)


def _is_believed(one: FoundCredit, signs: Mapping[str, int], text: str) -> bool:
    name = fold(one.name)
    is_habit = not one.cue or signs[one.cue] >= HABIT
    is_elsewhere = signs[name] > 1 or (" " in name and text.count(name) > 1)
    return one.field != PLACE and (is_habit or is_elsewhere)


def _places_of_guests(
    named: Sequence[Sequence[FoundCredit]], sure: Sequence[Sequence[FoundCredit]]
) -> set[str]:
    """The places in titles where most of the names are those of people who are guests by the notes,
    or stand before what somebody speaks about: "Ada Roe on clouds".

    So the show itself says whether "Ada Roe: Clouds" is about its guest or about the subject of a
    biography.
    """
    every: Counter[str] = Counter()
    agreed: Counter[str] = Counter()
    for own, known in zip(named, sure, strict=True):
        guests = {fold(one.name) for one in known if one.role == GUEST}
        placed = [one for one in own if one.field == PLACE]
        every.update({one.cue for one in placed})
        agreed.update(
            {
                one.cue
                for one in placed
                if fold(one.name) in guests or one.cue.rpartition(" ")[2] in _ABOUT
            }
        )
    return {place for place, count in agreed.items() if count >= max(HABIT, every[place] / SHARE)}


def _with_regulars(credited: list[tuple[FoundCredit, ...]]) -> list[tuple[FoundCredit, ...]]:
    """The credits with those as hosts who are guests by the texts in most episodes of a show."""
    guests = Counter(one.name for own in credited for one in own if one.is_told_guest)
    least = max(HABIT, len(credited) / 2)
    return [
        tuple(
            replace(one, role=HOST) if one.is_told_guest and guests[one.name] > least else one
            for one in own
        )
        for own in credited
    ]


def one_each(found: Iterable[FoundCredit]) -> tuple[FoundCredit, ...]:
    """One credit a person within the episode, and one for each role that the feed lists; the first
    mention of somebody gives role and words."""
    known: list[FoundCredit] = []
    for one in sorted(set(found), key=lambda credit: credit.order):
        place = next((place for place, other in enumerate(known) if one.is_same(other)), None)
        if place is not None:
            known[place] = known[place].with_more(one)
        elif len(known) < MOST_PEOPLE:
            known.append(one)
    return tuple(known)


def settle(heard: Iterable[Sequence[FoundCredit]]) -> dict[str, str]:
    """The identity to use for each identity of one show, given the credits of its episodes.
    Spellings of a name at one address are one person; a bare name goes to the handle or address
    that is known to bear it, if that is one only. Order-free."""
    named: dict[str, dict[str, str]] = defaultdict(dict)  # by address and identity
    shared = {""}  # addresses of two people of one episode
    for own in heard:
        here = {one.identity: one for one in own}
        pages = Counter(one.page for one in here.values())
        shared.update(page for page, count in pages.items() if count > 1)
        for identity, one in here.items():
            named[one.page][identity] = max(one.name, named[one.page].get(identity, ""))
    settled: dict[str, str] = {}
    for page, names in named.items():
        settled |= dict(zip(names, names, strict=True)) if page in shared else _spelled(page, names)
    return settled | _bare(named, settled)


def _bare(named: Mapping[str, Mapping[str, str]], settled: Mapping[str, str]) -> dict[str, str]:
    """The identity for each name without handle or address that one person alone is known to
    bear."""
    bearers: dict[str, set[str]] = defaultdict(set)
    for identity, name in chain.from_iterable(names.items() for names in named.values()):
        bearers[fold(name)].add(settled[identity])
    others = {who: bearers[fold(name)] - {who} for who, name in named.get("", {}).items()}
    return {who: min(known) for who, known in others.items() if len(known) == 1 and who[0] != "@"}


def _spelled(page: str, names: Mapping[str, str]) -> dict[str, str]:
    """The identity of the fullest name at an address for its spellings, else itself.

    The address alone, by which older decisions name somebody, is that of the only person there.
    """
    fullest = max(names, key=lambda who: (who.count("-"), len(who), who))
    spelled = {
        who: fullest if is_spelling(name, names[fullest]) else who for who, name in names.items()
    }
    return spelled | ({page: fullest} if len({*spelled.values()}) == 1 else {})


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


def _hosts(declared: Iterable[FoundCredit]) -> list[FoundCredit]:
    return [one for one in declared if HOST in one.role.replace("-", " ").split()]


# --- Declared in the feed -------------------------------------------------------------------------


def _declared(feed_people: Iterable[tuple[str, str, str]], show: str) -> Iterator[FoundCredit]:
    for index, (written, role, address) in enumerate(feed_people):
        if name := tidy(written):
            # A person without a role is a host (podcast namespace).
            role = " ".join(role.casefold().split()) or HOST
            page = page_key(address) if address.strip() else ""
            yield FoundCredit(name, role, name, "person", index, show, address=page)


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
    about = _SPONSORED.sub(lambda _: "", without_addresses(show.description))
    named = _told(about, (*_rules(()), *_DESCRIBED), show.slug)
    return [replace(one, field="author") for one in named if one.role == HOST]


# --- Named in the notes ---------------------------------------------------------------------------


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
def _rules(hosts: tuple[str, ...]) -> tuple[_Rule, ...]:
    """The rules of data/people.toml, with the hosts' own names among those who ask and are
    asked."""
    names = f"|(?-i:(?:{alternatives(hosts)})(?: and (?:{alternatives(hosts)}))?)" if hosts else ""
    lists = _LISTS | {"we": f"(?:i|we{names})(?!\\w)", "us": f"(?:me|us{names})(?!\\w)"}
    return tuple(
        _Rule(
            side, table["role"], table["full"], Phrases(table["phrases"], lists, after=_AFTER[side])
        )
        for side in SIDES
        for table in _DATA[side]
    )


_DESCRIBED = (
    _Rule("before", HOST, True, Phrases(_WORDS["described"], _LISTS)),
    _Rule("after", HOST, True, Phrases(_WORDS["describe"])),
)
# "joined by Leeds's Ada Roe" names her; "Ada Roe is joined by" is about others.
_AFTER = {"before": rf"(?-i:{UPPER}\w*['’]s )?", "after": r"(?!(?:with|by|at)\b)"}


def _in_title(
    title: str, text: str, declared: Sequence[FoundCredit], show: str
) -> Iterator[FoundCredit]:
    """The names in the title; a feed that lists the guests has named them all."""
    if all(one.role != GUEST for one in declared):
        for name, place in names_in_title(title, text):
            yield FoundCredit(
                name.name,
                GUEST,
                name.name,
                PLACE if place else "title",
                name.start,
                show,
                name.handle,
                cue=place,
            )


def _in_notes(name: PersonName, role: str, cue: str, show: str) -> FoundCredit:
    return FoundCredit(
        name.name, role, name.name, "notes", name.start, show, name.handle, "", fold(cue)
    )


def _told(text: str, rules: Iterable[_Rule], show: str) -> Iterator[FoundCredit]:
    """The people named beside the phrases of the rules, but in what speaks of another time, or of
    what does not happen."""
    spans = Sentences(text)
    for rule in rules:
        for cue in rule.phrases.finditer(text):
            start, end = spans.around(cue.start())
            start = max(start, cue.start() - MOST_BEFORE)
            if cue.end() > end or _NOT_NOW.search(text[start : cue.start()]):
                continue
            for name in rule.names(text, start, cue, end):
                if name.is_full or not rule.full:
                    yield _in_notes(name, rule.role, f"{rule.role} {rule.full}", show)


def _listed(text: str, show: str) -> Iterator[FoundCredit]:
    """The people who have lines of their own below "Guests:"."""
    for heading in _LISTED.finditer(text):
        place = heading.end()
        while found := name_at(text, place, _end_of_line(text, place)):
            rest = _REST_OF_LINE.match(text, found.end)
            if rest is None or not found.is_full:
                break
            yield _in_notes(found, _HEADINGS[heading[1].casefold()], heading[1], show)
            place = rest.end()


def _end_of_line(text: str, place: int) -> int:
    return place + len(text[place : place + MOST_BEFORE].partition("\n")[0])
