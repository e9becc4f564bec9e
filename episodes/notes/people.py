"""People who are heard in an episode, hosts and guests, by what the feed declares and the words of
title and notes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from rapidfuzz.distance import OSA

from ..identity import short_hash, slug_of
from ..text.addresses import without_addresses, without_mail
from ..text.normalize import fold, plain_letters
from ..text.sentences import Sentences
from ..text.urls import page_key
from ..text.vocabulary import Phrases, alternatives, lists_of, load
from . import guests_in_titles
from .names_of_people import UPPER, PersonName, name_at, names_before, names_from, tidy

HOST, GUEST = "host", "guest"
SIDES = ("before", "after")  # of the phrases in data/people.toml
MOST_PEOPLE = 200  # of an episode
MOST_MENTIONS = 2000
LONG_NAME = 12  # characters
SPELLING = 0.9  # of the letters of two spellings of one name are the same
MOST_BEFORE = 240  # characters before a verb in which its subject is looked for
HABIT = 3  # episodes of a show whose notes name people with the same words

_DATA = load(__file__, "people")
_LISTS = lists_of(_DATA["lists"])
_WORDS = _DATA["words"]
_NOT_NOW = Phrases(_WORDS["not_now"])
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
FIELDS = ("person", "notes", "title", "author", "show-author")  # the most trusted first


@dataclass(frozen=True, slots=True)
class FoundCredit:
    """A person who is heard in an episode, and the place that says so.

    `name` is the name at its fullest, `credited_as` as published there, `handle` without its "@" or
    "". `field` is person (`podcast:person`, `position` the index), author, show-author, notes or
    title (`position` the offset there). `address` is the key of the page that the feed gives, `cue`
    are the words of the notes by which somebody is heard.
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
    def order(self) -> tuple[int, int, bool, str, str]:
        return (FIELDS.index(self.field), self.position, self.role != HOST, self.name, self.cue)

    def is_same(self, other: FoundCredit) -> bool:
        """True for one person; what a feed lists twice is the same only in the same role."""
        if self.field == other.field == "person":
            return (self.identity, self.role) == (other.identity, other.role)
        if self.identity == other.identity or (self.handle and other.handle):
            return self.identity == other.identity
        short, long = sorted((fold(self.name), fold(other.name)), key=len)
        # A first name, or the first of several, is that of the one who is named in full beside it;
        # and of two long names that differ in one letter, one is misspelled.
        return f"{long} ".startswith(f"{short} ") or (
            len(short) >= LONG_NAME and OSA.distance(short, long) == 1
        )

    def with_more(self, other: FoundCredit) -> FoundCredit:
        """The credit with what another of the same person adds: a fuller name, a handle."""
        return replace(
            self,
            name=max(self.name, other.name, key=lambda name: name.count(" ")),
            handle=self.handle or other.handle,
            address=self.address or other.address,
        )


def identity_of(name: str, address: str, show: str) -> str:
    """The identity of somebody without a handle. The name is part of it, since people share the
    address of a network."""
    slug = person_slug(name)
    return f"{slug} {page_key(address)}" if address.strip() else f"{slug}@{show}"


def people(
    text: str,
    feed_people: Sequence[tuple[str, str, str]],
    author: str,
    show_author: str,
    show: str = "",
    title: str = "",
    vouched: Sequence[str] = (),
) -> tuple[FoundCredit, ...]:
    """The people whom an episode's feed, notes and title name, one credit each: as the feed lists
    them, then as they appear in the notes and the title, then, where the feed lists no host, the
    show's authors: of these the item's, if it names any.

    `text` is the plain text of the notes, `feed_people` are (name, role, address), `show` the
    show's slug, which names without handle or address are bound to. `vouched` are further names
    that the show gives as its own, which an item's author may bear. Linear in the text.
    """
    declared = list(islice(_declared(feed_people, show), MOST_PEOPLE))
    listed = [one for one in declared if HOST in one.role.replace("-", " ").split()]
    authors = [] if listed else _hosts(author, show_author, vouched, show)
    hosts = {name for one in (*listed, *authors) for name in (one.name, one.name.split()[0])}
    prose = without_addresses(text)
    heard = chain(
        _listed(prose, show),
        _told(prose, _rules(tuple(sorted(hosts))), show),
        (_titled(name, show) for name in guests_in_titles.named(title, prose)),
    )
    others = (one for one in heard if one.role != GUEST or one.name not in hosts)
    return one_each((*declared, *islice(others, MOST_MENTIONS), *authors))


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


def believed(
    found: Sequence[Sequence[FoundCredit]], texts: Sequence[str]
) -> list[list[FoundCredit]]:
    """The credits of a show's episodes without those that one sign alone names.

    Words that lead to a name are one sign. The other is that the title or another place of the
    notes has it, that another episode credits the same person, or that the show names people with
    such words as a habit.
    """
    told = ({sign for one in own for sign in (one.cue, fold(one.name))} for own in found)
    signs = Counter(chain.from_iterable(told))
    return [
        [one for one in own if _is_believed(one, signs, text)]
        for own, text in zip(found, map(fold, texts), strict=True)
    ]


def _is_believed(one: FoundCredit, signs: Mapping[str, int], text: str) -> bool:
    name = fold(one.name)
    is_habit = not one.cue or signs[one.cue] >= HABIT
    return is_habit or signs[name] > 1 or (" " in name and text.count(name) > 1)


def settle(heard: Iterable[Sequence[FoundCredit]]) -> dict[str, str]:
    """The identity to use for each identity of one show, given the credits of its episodes.
    Spellings of a name at one address are one person; a bare name goes to the handle or address
    that is known to bear it, if that is one only. Order-free."""
    named: dict[str, dict[str, str]] = defaultdict(dict)  # by address and identity
    shared = {""}  # addresses of two people of one episode
    for own in heard:
        here = {(one.page, one.identity): one.name for one in own}
        counts = Counter(page for page, _ in here)
        shared.update(page for page, count in counts.items() if count > 1)
        for (page, identity), name in here.items():
            named[page][identity] = max(name, named[page].get(identity, ""))
    settled = {identity: identity for here in named.values() for identity in here}
    for page in sorted(named.keys() - shared):
        settled |= _spellings(page, named[page])
    return settled | _bare(named, settled)


def _bare(named: Mapping[str, Mapping[str, str]], settled: Mapping[str, str]) -> dict[str, str]:
    """The identity for each name without handle or address that one person alone is known to
    bear."""
    bearers: dict[str, set[str]] = defaultdict(set)
    bare: dict[str, str] = {}
    for page, here in named.items():
        for identity, name in here.items():
            if page or identity.startswith("@"):
                bearers[fold(name)].add(settled[identity])
            else:
                bare[identity] = fold(name)
    return {who: min(bearers[name]) for who, name in bare.items() if len(bearers[name]) == 1}


def _spellings(page: str, names: Mapping[str, str]) -> dict[str, str]:
    """The identity of the fullest name at an address for its spellings.

    The address alone, by which older decisions name somebody, is that of the only person there.
    """
    fullest = max(names, key=lambda who: (who.count("-"), len(who), who))
    full_name = plain_letters(names[fullest])
    alike = [who for who, name in names.items() if _is_spelling(plain_letters(name), full_name)]
    return dict.fromkeys(alike, fullest) | ({page: fullest} if len(alike) == len(names) else {})


def _is_spelling(name: str, fullest: str) -> bool:
    """True for "J. Roe" beside "Jane Roe", and for names that differ in one letter of ten."""
    words = f" {fullest}"
    is_short = all(f" {part.rstrip('.')}" in words for part in name.split())
    return is_short or OSA.normalized_similarity(name, fullest) >= SPELLING


def person_slug(name: str, identity: str = "") -> str:
    """The address of a person's page: letters of every script stay; a name without any goes by
    eight hex digits.

    Two people may get the same: `slugs.assign` keeps them apart, with the identity as what tells
    them apart.
    """
    return slug_of(name) or f"person-{short_hash(identity or name)}"


def with_guests(
    found: tuple[FoundCredit, ...], names: Iterable[PersonName], show: str
) -> tuple[FoundCredit, ...]:
    """The credits of an episode with guests whom its title names; a feed that lists the guests has
    said it all."""
    if ("person", GUEST) in {(credit.field, credit.role) for credit in found}:
        return found
    return one_each((*found, *(_titled(name, show) for name in names)))


# --- Declared in the feed --------------------------------------------------------------------------------------------


def _declared(feed_people: Iterable[tuple[str, str, str]], show: str) -> Iterator[FoundCredit]:
    for index, (written, role, address) in enumerate(feed_people):
        if name := tidy(written):
            # A person without a role is a host (podcast namespace).
            role = " ".join(role.casefold().split()) or HOST
            page = page_key(address) if address.strip() else ""
            yield FoundCredit(name, role, name, "person", index, show, address=page)


def _hosts(author: str, show_author: str, vouched: Sequence[str], show: str) -> list[FoundCredit]:
    """The authors of an item whom its show names too, else the show's: a feed of lectures or of
    other shows' episodes gives the author of each."""
    of_show = _authors(show_author, "show-author", show)
    known = {fold(one.name) for one in of_show + _authors(", ".join(vouched), "", show)}
    return [one for one in _authors(author, "author", show) if fold(one.name) in known] or of_show


def _authors(author: str, field: str, show: str) -> list[FoundCredit]:
    parts = map(tidy, _BETWEEN_AUTHORS.split(without_mail(author[:400])))
    return [
        FoundCredit(name.name, HOST, part, field, index, show)
        for index, part in enumerate(parts)
        if (name := name_at(part, 0, len(part))) and name.end == len(part) and name.is_full
    ]


# --- Named in the notes ----------------------------------------------------------------------------------------------


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


# "joined by Leeds's Ada Roe" names her; "Ada Roe is joined by" is about others.
_AFTER = {"before": rf"(?-i:{UPPER}\w*['’]s )?", "after": r"(?!(?:with|by|at)\b)"}


def _titled(name: PersonName, show: str) -> FoundCredit:
    return FoundCredit(name.name, GUEST, name.name, "title", name.start, show, name.handle)


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
