"""People who are heard in an episode, hosts and guests, by what the feed declares and the words of
title and notes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple

from rapidfuzz.distance import OSA

from ..identity import short_hash, slug_of
from ..text.addresses import without_addresses, without_mail
from ..text.normalize import fold, plain_letters
from ..text.sentences import Sentences
from ..text.urls import page_key
from ..text.vocabulary import Phrases, alternatives, lists_of, load, phrase_pattern
from . import guests_in_titles
from .names_of_people import PersonName, name_at, names_before, names_from, tidy

HOST, GUEST = "host", "guest"
SIDES = ("before", "before_here", "after", "after_here")  # of the phrases in data/people.toml
MOST_PEOPLE = 200  # of an episode
MOST_MENTIONS = 2000
LONG_NAME = 12  # characters
SPELLING = 0.9  # of the letters of two spellings of one name are the same
OPENING = 40  # characters of a sentence that may say which episode it speaks of
MOST_BEFORE = 240  # characters before a verb in which its subject is looked for

_DATA = load(__file__, "people")
_LISTS = lists_of(_DATA["lists"])
_WORDS = _DATA["words"]
_HERE = Phrases(_WORDS["here"])
_NOT_NOW = Phrases(_WORDS["not_now"])
_ELSEWHERE = Phrases(_WORDS["elsewhere"], after=r"(?:(?:an?|the|some|this|my|our|\w+)\s+){0,3}\Z")
_COULD_BE_ELSEWHERE = Phrases(_WORDS["could_be_elsewhere"])
_AFTERWARDS = Phrases(_WORDS["afterwards"], before=r"\n[ \t]*", after=r"[.:]?[ \t]*(?=\n|\Z)")
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
_OF_OTHERS = re.compile(r"(?<!thanks )\b(?:by|of|from|for|to|the)\s\Z", re.I)  # "led by Jack Cao"
_BETWEEN_AUTHORS = re.compile(
    r"(?:\s*[,;/|]|\s*[&+•·](?=\s)|\s+(?:and|with|und|et|y|e|и|en|och|og)(?=\s))+\s*|\([^()]*\)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class FoundCredit:
    """A person who is heard in an episode, and the place that says so.

    `name` is the name at its fullest, `credited_as` as published there, `handle` without its "@" or
    "". `field` is person (`podcast:person`, `position` the index), author, show-author, notes or
    title (`position` the offset there). `identity` is `@handle`, else the name with the address
    that the feed gives, else `name@show`: two people of one name in two shows are two, two of one
    name with two handles are too, and two names at one address as well.
    """

    name: str
    role: str  # host | guest | co-host, or what the feed says
    credited_as: str
    handle: str
    field: str
    position: int
    identity: str

    @property
    def is_bare(self) -> bool:
        """True where nothing but the name tells who it is."""
        return self.identity == f"{person_slug(self.name)}@{self.identity.rpartition('@')[2]}"

    @property
    def address(self) -> str:
        """The address in the identity; "" where there is none."""
        return self.identity.partition(" ")[2]


FIELDS = ("person", "notes", "title", "author", "show-author")  # the most trusted first


@dataclass(frozen=True, slots=True)
class _Mention:
    """A person at one place of a feed, its notes or titles; `address` as the feed gives it, or
    ""."""

    name: str
    role: str
    written: str
    field: str
    position: int
    handle: str = ""
    address: str = ""

    @property
    def order(self) -> tuple[int, int, bool, str]:
        return (FIELDS.index(self.field), self.position, self.role != HOST, self.name)

    def identity(self, show: str) -> str:
        return (
            f"@{self.handle.casefold()}"
            if self.handle
            else identity_of(self.name, self.address, show)
        )

    def is_same(self, other: _Mention) -> bool:
        if self.identity("") == other.identity(""):
            return True
        # Two handles, or two addresses of one name, are two people.
        if (self.handle and other.handle) or self.field == other.field == "person":
            return False
        short, long = sorted((fold(self.name), fold(other.name)), key=len)
        # A first name, or the first of several, is that of the one who is named in full beside it;
        # and of two long names that differ in one letter, one is misspelled.
        return f"{long} ".startswith(f"{short} ") or (
            len(short) >= LONG_NAME and OSA.distance(short, long) == 1
        )

    def with_more(self, other: _Mention) -> _Mention:
        """The mention with what another of the same person adds: a fuller name, a handle."""
        name = max(self.name, other.name, key=lambda name: name.count(" "))
        return replace(
            self,
            name=name,
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
    """The people who are heard in an episode, one credit each: as the feed lists them, then as they
    appear in the notes and the title, then, where the feed lists no host, the show's authors: of
    these the item's, if it names any.

    `text` is the plain text of the notes, `feed_people` are (name, role, address), `show` the
    show's slug, which names without handle or address are bound to. `vouched` are further names
    that the show gives as its own, which an item's author may bear. Linear in the text; raises
    nothing.
    """
    declared = list(_declared(feed_people))
    listed = [mention for mention in declared if HOST in mention.role.replace("-", " ").split()]
    authors = [] if listed else _hosts(author, show_author, vouched)
    hosts = {
        name for mention in (*listed, *authors) for name in (mention.name, mention.name.split()[0])
    }
    rules = _rules(tuple(sorted(hosts)))
    prose = without_addresses(text)
    titled = (_titled(name) for name in guests_in_titles.named(title, prose))
    heard = (*islice(_heard(prose, rules), MOST_MENTIONS), *titled)
    others = (mention for mention in heard if mention.role != GUEST or mention.name not in hosts)
    return _one_each((*declared, *others, *authors), show)


def _one_each(mentions: Iterable[_Mention], show: str) -> tuple[FoundCredit, ...]:
    """One credit a person within the episode, and one for each role that the feed lists; the first
    mention of somebody gives role and words."""
    known: list[_Mention] = []
    # Of those with an element of their own, which come first, only identity and role count.
    declared: dict[tuple[str, str], int] = {}
    for mention in sorted(set(mentions), key=lambda one: one.order):
        is_declared, key = mention.field == "person", (mention.identity(""), mention.role)
        alike = (
            ()
            if is_declared
            else (place for place, one in enumerate(known) if mention.is_same(one))
        )
        place = declared.get(key) if is_declared else next(iter(alike), None)
        if place is not None:
            known[place] = known[place].with_more(mention)
        elif len(known) < MOST_PEOPLE:
            declared[key] = len(known)
            known.append(mention)
    return tuple(
        FoundCredit(
            one.name, one.role, one.written, one.handle, one.field, one.position, one.identity(show)
        )
        for one in known
    )


def settle(heard: Iterable[Sequence[FoundCredit]]) -> dict[str, str]:
    """The identity to use for each identity of one show, given the credits of its episodes.
    Spellings of a name at one address are one person; a bare name goes to the handle or address
    that is known to bear it, if that is one only. Order-free."""
    by_identity = [{credit.identity: credit for credit in own} for own in heard]
    found = sorted(
        chain.from_iterable(own.values() for own in by_identity),
        key=lambda credit: (credit.identity, credit.name),
    )
    at_once = (Counter(credit.address for credit in own.values()) for own in by_identity)
    shared = {address for counts in at_once for address, count in counts.items() if count > 1}
    settled = {credit.identity: credit.identity for credit in found} | _spellings(found, shared)
    return settled | _of_bare_names(found, settled)


def _of_bare_names(found: Sequence[FoundCredit], settled: Mapping[str, str]) -> dict[str, str]:
    """The identity for each name without handle or address that one person alone is known to
    bear."""
    bearers: dict[str, set[str]] = defaultdict(set)
    for credit in found:
        if not credit.is_bare:
            bearers[fold(credit.name)].add(settled[credit.identity])
    known = ((credit.identity, bearers[fold(credit.name)]) for credit in found if credit.is_bare)
    return {identity: min(people) for identity, people in known if len(people) == 1}


def _spellings(heard: Iterable[FoundCredit], shared: Collection[str]) -> dict[str, str]:
    """The identity of the fullest name for its spellings, at each address of one person.

    An address alone, by which older decisions name somebody, is that of the only person there.
    """
    names: dict[str, dict[str, str]] = defaultdict(dict)
    for credit in heard:
        names[credit.address][credit.identity] = plain_letters(credit.name)
    settled: dict[str, str] = {}
    for address in names.keys() - {"", *shared}:
        here = names[address]
        fullest = max(here, key=lambda who: (who.count("-"), len(who), who))
        alike = [who for who, name in here.items() if _is_spelling(name, here[fullest])]
        settled |= dict.fromkeys(alike, fullest)
        if len(alike) == len(here):
            settled[address] = fullest
    return settled


def _is_spelling(name: str, fullest: str) -> bool:
    """True for "J. Roe" beside "Jane Roe", and for names that differ in one letter of ten."""
    words = fullest.split()
    is_short = all(any(w.startswith(part.rstrip(".")) for w in words) for part in name.split())
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
    known = [
        _Mention(one.name, one.role, one.credited_as, one.field, one.position, one.handle)
        for one in found
    ]
    return (
        *found,
        *_one_each((one for one in map(_titled, names) if not any(map(one.is_same, known))), show),
    )


# --- Declared in the feed --------------------------------------------------------------------------------------------


def _declared(feed_people: Iterable[tuple[str, str, str]]) -> Iterator[_Mention]:
    for index, (written, role, address) in enumerate(feed_people):
        if name := tidy(written):
            role = (
                " ".join(role.casefold().split()) or HOST
            )  # a person without a role is a host (podcast namespace)
            yield _Mention(name, role, name, "person", index, address=address)


def _hosts(author: str, show_author: str, vouched: Iterable[str]) -> list[_Mention]:
    """The authors of an item whom its show names too, else the show's: a feed of lectures or of
    other shows' episodes gives the author of each."""
    of_show = _authors(show_author, "show-author")
    known = {
        fold(mention.name) for mention in chain(of_show, *(_authors(name, "") for name in vouched))
    }
    return [
        mention for mention in _authors(author, "author") if fold(mention.name) in known
    ] or of_show


def _authors(author: str, field: str) -> list[_Mention]:
    parts = map(tidy, _BETWEEN_AUTHORS.split(without_mail(author[:400])))
    names = [(index, part, name_at(part, 0, len(part))) for index, part in enumerate(parts)]
    return [
        _Mention(name.name, HOST, part, field, index)
        for index, part, name in names
        if name and name.end == len(part) and name.is_full
    ]


# --- Named in the notes ----------------------------------------------------------------------------------------------


class _Rule(NamedTuple):
    """Phrases beside which people are named, their role, and whether that takes a first and a last
    name."""

    side: str  # of the name on which the phrases are; with "_here" in sentences about this episode
    role: str
    full: bool
    phrases: Phrases

    @classmethod
    def read(cls, side: str, table: dict[str, Any], lists: dict[str, str]) -> _Rule:
        """A rule of data/people.toml."""
        unless = f"(?!{phrase_pattern(table['unless'], lists)})" if "unless" in table else ""
        only = f"(?={phrase_pattern(table['only'], lists)})" if "only" in table else ""
        phrases = Phrases(table["phrases"], lists, after=unless + only)
        return cls(side, table["role"], table["full"], phrases)


@lru_cache(maxsize=256)
def _rules(hosts: tuple[str, ...]) -> tuple[_Rule, ...]:
    """The rules with the hosts' own names among those who ask and are asked."""
    names = f"|(?-i:(?:{alternatives(hosts)})(?: and (?:{alternatives(hosts)}))?)" if hosts else ""
    lists = _LISTS | {"we": f"(?:i|we{names})(?!\\w)", "us": f"(?:me|us{names})(?!\\w)"}
    return tuple(_Rule.read(side, table, lists) for side in SIDES for table in _DATA[side])


def _titled(name: PersonName) -> _Mention:
    return _Mention(name.name, GUEST, name.name, "title", name.start, name.handle)


def _heard(text: str, rules: Iterable[_Rule]) -> Iterator[_Mention]:
    after = _AFTERWARDS.search(text)
    text = text[: after.start()] if after else text
    for role, name in chain(_listed(text), _told(text, rules)):
        yield _Mention(name.name, role, name.name, "notes", name.start, name.handle)


def _told(text: str, rules: Iterable[_Rule]) -> Iterator[tuple[str, PersonName]]:
    """The people named beside the phrases of the rules."""
    spans = Sentences(text)
    for rule in rules:
        for cue in rule.phrases.finditer(text):
            start, end = spans.around(cue.start())
            names = _beside(rule, cue, text, start, end) if cue.end() <= end else ()
            yield from ((rule.role, name) for name in names if name.is_full or not rule.full)


def _beside(
    rule: _Rule, cue: re.Match[str], text: str, start: int, end: int
) -> Iterable[PersonName]:
    """The names beside a phrase in the sentence text[start:end]."""
    first = max(start, cue.start() - MOST_BEFORE)
    before, opening = text[first : cue.start()], text[start : min(end, start + OPENING)]
    is_elsewhere = _COULD_BE_ELSEWHERE.match(cue[0]) and _ELSEWHERE.search(before)
    is_of_another = rule.side.endswith("_here") and not _HERE.match(opening)
    # Of another episode, or of what does not happen.
    clause = before.rpartition(",")[2][-60:]
    is_not_now = _NOT_NOW.search(opening[: len(before)]) or _NOT_NOW.search(clause)
    if is_elsewhere or is_of_another or is_not_now:
        return ()
    if rule.side.startswith("before"):
        return names_from(text, cue.end(), end, in_list=cue[0].rstrip().endswith(":"))
    return names_before(text, first, cue.start(), _BEFORE_VERB, _OF_OTHERS)


def _listed(text: str) -> Iterator[tuple[str, PersonName]]:
    """The names that have lines of their own below "Guests:"."""
    for heading in _LISTED.finditer(text):
        role, place = _HEADINGS[heading[1].casefold()], heading.end()
        while found := name_at(text, place, _end_of_line(text, place)):
            rest = _REST_OF_LINE.match(text, found.end)
            if rest is None or not found.is_full:
                break
            yield role, found
            place = rest.end()


def _end_of_line(text: str, place: int) -> int:
    return place + len(text[place : place + MOST_BEFORE].partition("\n")[0])
