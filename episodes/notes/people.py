"""Finds who is heard in an episode, hosts and guests, in what the feed declares and in the words of title and notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from ..identity import short_hash, slug_of
from ..text.addresses import BLANK, without_addresses
from ..text.normalize import fold
from ..text.sentences import sentences
from ..text.urls import page_key
from ..text.vocabulary import Phrases, alternatives, lists_of, load, phrase_pattern
from .names_of_people import PersonName, is_organisation, name_at, names_from, starts, tidy

HOST, GUEST, CO_HOST = "host", "guest", "co-host"
MOST_PEOPLE = 200  # that notes are believed to credit
MOST_BEFORE = 240  # characters before a verb in which its subject is looked for

_DATA = load(__file__, "people")
_LISTS = lists_of(_DATA["lists"])
_WORDS: dict[str, list[str]] = {name: said for name, said in _DATA["words"].items() if isinstance(said, list)}
_HERE, _THEY, _BILL, _OTHER_TIME, _DENIED = (
    Phrases(_WORDS[name]) for name in ("here", "they", "bill", "other_time", "denied")
)
_ELSEWHERE = Phrases(_WORDS["elsewhere"], after=r"(?:(?:an?|the|some|this|my|our|\w+)\s+){0,3}\Z")
_COULD_BE_ELSEWHERE = Phrases(_WORDS["could_be_elsewhere"])
_AFTERWARDS = Phrases(_WORDS["afterwards"], before=r"\n[ \t]*", after=r"[.:]?[ \t]*(?=\n|\Z)")
_BILL_ENDS = re.compile(
    rf"(?:\s+(?:from|of|at)\s+[^,;:.]{{1,60}})?[\s.!]*\Z|,\s+{phrase_pattern(_WORDS['bill_goes_on'])}", re.IGNORECASE
)
_LISTED = re.compile(rf"^[ \t]*(?:special )?({alternatives(_DATA['words']['listed'])})[ \t]*:?[ \t]*\n", re.I | re.M)
_LISTED_REST = re.compile(r"[ \t]*(?:[,(–—|:-]|\n|\Z)")
_BEFORE_VERB = re.compile(
    r"(?:['’]s|['’]re)?[\s,]*(?:\([^()]*\))?(?:\s*(?:from|of|at)(?:\s+[A-Z][\w.&'’-]*){1,4})?[\s,]*(?:and\s+|who\s+)?"
)
_CLAUSE = re.compile(r",\s(?:so|but)\s\Z")
_OF_OTHERS = re.compile(
    r"(?<!thanks )\b(?:by|of|from|for|to)\s\Z", re.IGNORECASE
)  # "the team, led by Jack Cao, joins us"
_APPOSITIVE = re.compile(
    r"\s*(?:\Z|[(,–—-]|(?:who|from|of|at|here|also|again|today|recently|is|will|has|have|finally|kindly)\b)",
    re.IGNORECASE,
)
_NOT_IN_TITLE = Phrases(_WORDS["not_in_title"], after=r"\Z")
_IN_TITLE = Phrases(_WORDS["in_title"])
_TITLE_GOES_ON = Phrases(_WORDS["separate"], before=r"\s*(?:\Z|[–—|:()\[\]#,.!?-]|", after=")")
_MAIL = re.compile(r"\s*\S+@\S+\s*\((?P<name>[^()]+)\)\s*|(?P<plain>[^<>@]+)<[^<>]*@[^<>]*>\s*")
_AUTHORS_APART = re.compile(r"\s*[,;/|&+•·]\s+|\s+(?:and|with|und|et|y|e|и)\s+|\s*[;/|]\s*", re.IGNORECASE)
_BESIDE_AUTHOR = re.compile(r"\([^()]*\)|^(?:by|hosted by|with)\s+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class FoundCredit:
    """Somebody who is heard in an episode, and where that is said.

    `name` is the name at its fullest, `credited_as` as published there, `handle` without its "@" or "". `field` is
    person (`podcast:person`, `position` the index), author, show-author, notes or title (`position` the offset there).
    `identity` is `@handle`, else the address that the feed gives, else `name@show`: two people of one name in two
    shows are two, and two of one name with two handles are too.
    """

    name: str
    role: str  # host | guest | co-host, or what the feed says
    credited_as: str
    handle: str
    field: str
    position: int
    identity: str


FIELDS = ("person", "notes", "title", "author", "show-author")  # the most trusted first


def people(
    text: str,
    feed_people: Sequence[tuple[str, str, str]],
    author: str,
    show_author: str,
    show: str = "",
    title: str = "",
    links: Sequence[tuple[int, int]] = (),
) -> tuple[FoundCredit, ...]:
    """Who is heard in an episode, one credit each: as the feed lists them, then as they appear in the notes and the
    title, then the hosts that the author's name gives (the item's, else the show's).

    `text` is the plain text of the notes, `feed_people` are (name, role, address), `show` the show's slug, which
    names without handle or address are bound to; `links` are first and last place of what is linked in the text: an
    "interview with" somebody there is another one. Linear in the text; raises nothing.
    """
    declared = [_declared(index, *person, show=show) for index, person in enumerate(feed_people)]
    authors = _authors(author, "author", show) or _authors(show_author, "show-author", show)
    hosts = {name for credit in authors for name in (credit.name, credit.name.split()[0])}
    said = without_addresses(text)
    rules = _rules(tuple(sorted(hosts)))
    for start, end in links:
        if rules.credits_somebody(said[start:end]):
            said = said[:start] + BLANK * (end - start) + said[end:]
    noted = [*_noted(said, show, rules), *_titled(title, said, show)]
    guests = [credit for credit in noted if credit.role != GUEST or credit.name not in hosts]
    return _merged([*filter(None, declared), *guests, *authors])


def settle(given: Iterable[FoundCredit]) -> dict[str, str]:
    """For each identity of one show the one that stands for it: a bare name goes to the handle or address that is known
    to bear it, if that is one only. Order-free."""
    bearers: dict[str, set[str]] = {}
    bare: dict[str, str] = {}
    for credit in given:
        if credit.identity == _identity(credit.name, "", "", credit.identity.rpartition("@")[2]):
            bare[credit.identity] = fold(credit.name)
        else:
            bearers.setdefault(fold(credit.name), set()).add(credit.identity)
    settled = {identity: identity for known in bearers.values() for identity in known}
    for identity, name in bare.items():
        known = bearers.get(name, set())
        settled[identity] = next(iter(known)) if len(known) == 1 else identity
    return {identity: settled[identity] for identity in sorted(settled)}


def person_slug(name: str, identity: str = "") -> str:
    """The address of a person's page: letters of every script stay; a name without any goes by eight hex digits.

    Two people may get the same: `slugs.assign` keeps them apart, with the identity as what tells them apart.
    """
    return slug_of(name) or f"person-{short_hash(identity or name)}"


# --- What the feed declares ------------------------------------------------------------------------------------------


def _declared(index: int, name: str, role: str, address: str, *, show: str) -> FoundCredit | None:
    plain = tidy(name)
    if not plain or is_organisation(plain):
        return None
    said = " ".join(role.casefold().split()) or HOST  # a person without a role is a host (podcast namespace)
    return FoundCredit(plain, said, plain, "", "person", index, _identity(plain, "", address, show))


def _authors(author: str, said_in: str, show: str) -> list[FoundCredit]:
    mail = _MAIL.fullmatch(author[:400])
    written = (mail["name"] or mail["plain"]) if mail else author
    found = []
    for index, part in enumerate(_AUTHORS_APART.split(written[:400])):
        name = tidy(_BESIDE_AUTHOR.sub("", part))
        whole = name_at(name, 0, len(name))
        if whole and whole.end == len(name) and whole.is_full:
            found.append(FoundCredit(whole.name, HOST, name, "", said_in, index, _identity(whole.name, "", "", show)))
    return found


def _identity(name: str, handle: str, address: str, show: str) -> str:
    if handle:
        return f"@{handle.casefold()}"
    return page_key(address) if address.strip() else f"{person_slug(name)}@{show}"


# --- What the notes say ----------------------------------------------------------------------------------------------


class _Rule(NamedTuple):
    """Phrases beside which somebody is named, what they are then, and whether that takes a first and a last name."""

    role: str
    full: bool
    pattern: Phrases

    def takes(self, found: Iterable[PersonName]) -> Iterator[tuple[str, PersonName]]:
        return ((self.role, person) for person in found if person.is_full or not self.full)


class _Rules(NamedTuple):
    before: tuple[_Rule, ...]
    after: tuple[_Rule, ...]
    after_here: tuple[_Rule, ...]

    def credits_somebody(self, words: str) -> bool:
        return any(rule.pattern.search(words) for rule in (*self.before, *self.after))


@lru_cache(maxsize=256)
def _rules(hosts: tuple[str, ...]) -> _Rules:
    """The rules with the hosts' own names among those who ask and are asked."""
    names = "".join(f"|(?-i:{name}(?: and {name})?)" for name in [alternatives(hosts)] if hosts)
    lists = _LISTS | {"we": f"(?:i|we{names})(?!\\w)", "us": f"(?:me|us{names})(?!\\w)"}

    def rule(table: dict[str, list[str]], role: str, full: bool) -> _Rule:
        unless = f"(?!{phrase_pattern(table['unless'])})" if "unless" in table else ""
        only = f"(?={phrase_pattern(table['only'])})" if "only" in table else ""
        return _Rule(role, full, Phrases(table["phrases"], lists, after=unless + only))

    return _Rules(
        *(tuple(rule(t, t["role"], t["full"]) for t in _DATA[side]) for side in ("before", "after", "after_here"))
    )


def _noted(text: str, show: str, rules: _Rules) -> list[FoundCredit]:
    after = _AFTERWARDS.search(text)
    said = text[: after.start()] if after else text
    earliest: dict[tuple[str, str], FoundCredit] = {}
    for role, found in _heard(said, rules):
        identity = _identity(found.name, found.handle, "", show)
        credit = FoundCredit(found.name, role, found.name, found.handle, "notes", found.start, identity)
        known = earliest.setdefault((identity, role), credit)
        if credit.position < known.position:
            earliest[identity, role] = credit
        if len(earliest) >= MOST_PEOPLE:
            break
    return sorted(earliest.values(), key=lambda credit: (credit.position, credit.role != HOST, credit.name))


def _heard(text: str, rules: _Rules) -> Iterator[tuple[str, PersonName]]:
    yield from _listed(text)
    for start, end in sentences(text):
        sentence = _Sentence(text, start, end)
        yield from sentence.bill()
        yield from sentence.they()
        for rule in rules.before:
            yield from rule.takes(sentence.behind(rule.pattern))
        for rule in (*rules.after, *(rules.after_here if sentence.is_here else ())):
            yield from rule.takes(sentence.in_front_of(rule.pattern))


def _listed(text: str) -> Iterator[tuple[str, PersonName]]:
    """Those who stand in lines of their own under "Guests:"."""
    for heading in _LISTED.finditer(text):
        who = heading[1].casefold()
        role = CO_HOST if who.startswith("co") else HOST if who.startswith("host") else GUEST
        for line in re.finditer(r"[ \t]*(?:[-–—*•·][ \t]*)?(\S[^\n]*)(?:\n|\Z)", text[heading.end() :]):
            place = heading.end() + line.start(1)
            found = name_at(text, place, len(text))
            if not found or not found.is_full or not _LISTED_REST.match(text, found.end):
                break
            yield role, found


class _Sentence:
    """One sentence of notes, and who is named where in it."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.start, self.end = text, start, end
        self.opening = text[start : min(end, start + 40)]
        self.is_here = _HERE.match(self.opening) is not None

    def bill(self) -> Iterator[tuple[str, PersonName]]:
        """Those whom a sentence names that says nothing else: "With Ada Lovelace and Charles Babbage."."""
        begins = _BILL.match(self.text[self.start : self.end])
        names = list(names_from(self.text, self.start + begins.end(), self.end)) if begins else []
        if names and all(name.is_full for name in names) and _BILL_ENDS.match(self.text, names[-1].end, self.end):
            yield from ((GUEST, name) for name in names)

    def they(self) -> Iterator[tuple[str, PersonName]]:
        """Those of whom a sentence tells from its beginning, where it says later that "she's here to"."""
        if _THEY.search(self.text, self.start, self.end) and not _OTHER_TIME.search(self.opening):
            yield from ((GUEST, name) for name in names_from(self.text, self.start, self.end) if name.is_full)

    def behind(self, pattern: Phrases) -> Iterator[PersonName]:
        for cue in pattern.finditer(self.text, self.start, self.end):
            before = self.text[max(self.start, cue.start() - 100) : cue.start()]
            elsewhere = _COULD_BE_ELSEWHERE.match(cue[0]) and _ELSEWHERE.search(before)
            if not elsewhere and not self._is_not_now(before):
                is_list = self.text[: cue.end()].rstrip().endswith(":")
                yield from names_from(self.text, cue.end(), self.end, trade=is_list)

    def in_front_of(self, pattern: Phrases) -> Iterator[PersonName]:
        for cue in pattern.finditer(self.text, self.start, self.end):
            if not self._is_not_now(self.text[max(self.start, cue.start() - MOST_BEFORE) : cue.start()]):
                yield from self._leading(cue.start()) or self._nearest(cue.start())

    def _is_not_now(self, before: str) -> bool:
        """True where it speaks of another episode, or of what does not happen."""
        clause = before.rpartition(",")[2]
        head = self.opening[: len(before)]
        return any((_OTHER_TIME.search(head), _OTHER_TIME.search(clause), _DENIED.search(clause[-60:])))

    def _leading(self, end: int) -> list[PersonName]:
        """The names that it begins with, where these are what the verb at `end` is of."""
        names = list(names_from(self.text, self.start, end)) if end - self.start <= MOST_BEFORE else []
        if not names or not _APPOSITIVE.match(self.text, names[-1].end, end):
            return []
        nearest = self._nearest(end)  # "Kenji is out sick, so Sofia joins us"
        return (
            []
            if nearest and _CLAUSE.search(self.text, max(self.start, nearest[0].start - 6), nearest[0].start)
            else names
        )

    def _nearest(self, end: int) -> list[PersonName]:
        """The names that stand right before a verb."""
        for place in starts(self.text, max(self.start, end - MOST_BEFORE), end):
            names = list(names_from(self.text, place, end))
            if names and _BEFORE_VERB.fullmatch(self.text, names[-1].end, end):
                return [] if _OF_OTHERS.search(self.text, max(self.start, place - 16), place) else names
        return []


# --- What the title says ---------------------------------------------------------------------------------------------


def _titled(title: str, text: str, show: str) -> Iterator[FoundCredit]:
    """Those whom a title names behind "with", if the notes name them too: "Clouds with Ada Roe – Ep 103"."""
    for cue in _IN_TITLE.finditer(title):
        names = list(names_from(title, cue.end(), len(title)))
        goes_on = names and _TITLE_GOES_ON.match(title, names[-1].end)
        if not goes_on or _NOT_IN_TITLE.search(title[: cue.start()].rstrip()):
            continue
        for found in names:
            if found.is_full and found.name in text:
                identity = _identity(found.name, found.handle, "", show)
                yield FoundCredit(found.name, GUEST, found.name, found.handle, "title", found.start, identity)


# --- One credit each -------------------------------------------------------------------------------------------------


def _merged(given: Sequence[FoundCredit]) -> tuple[FoundCredit, ...]:
    """One credit a person within the episode; the first that speaks of somebody gives role and words."""
    found: list[FoundCredit] = []
    for credit in sorted(given, key=lambda credit: FIELDS.index(credit.field)):
        place = next((at for at, known in enumerate(found) if _same(known, credit)), None)
        if place is None:
            found.append(credit)
        else:
            found[place] = _fuller(found[place], credit)
    return tuple(found)


def _same(one: FoundCredit, other: FoundCredit) -> bool:
    if one.identity == other.identity:
        return True
    # Two handles, or two addresses of one name, are two people.
    if (one.handle and other.handle) or one.field == other.field == "person":
        return False
    names = fold(one.name).split(), fold(other.name).split()
    short, long = sorted(names, key=len)
    # A lone first name is that of the one who is named in full beside it.
    return names[0] == names[1] or (len(short) == 1 and long[:1] == short)


def _fuller(known: FoundCredit, other: FoundCredit) -> FoundCredit:
    """What is known of somebody with what else is said; a lone first name takes the full one's."""
    name = max(known.name, other.name, key=lambda name: len(name.split()))
    handle = known.handle or other.handle
    identity = other.identity if name == other.name else known.identity
    if known.field == "person" and "@" not in known.identity:
        identity = known.identity
    if handle:
        identity = f"@{handle.casefold()}"
    # A host whom the notes call by the first name alone is no guest.
    is_host = other.role == HOST and other.field != "notes" and known.field == "notes" and " " not in known.name
    return replace(known, name=name, handle=handle, identity=identity, role=HOST if is_host else known.role)
