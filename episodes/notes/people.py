"""People who are heard in an episode, hosts and guests, by what the feed declares and the words of
title and notes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from rapidfuzz.distance import OSA

from ..identity import short_hash, slug_of
from ..records import Show
from ..text.addresses import without_mail
from ..text.normalize import fold, plain_letters
from ..text.sentences import sentences
from ..text.urls import page_key
from ..text.vocabulary import Phrases, alternatives, any_phrase, load
from .names_of_people import (
    NAME_BEFORE_PARTICLE,
    full_names,
    has_given_name,
    may_be_person,
    name_at,
    tidy,
)
from .people_named import (
    FIRST,
    GUEST,
    HOST,
    LISTED,
    OPENING,
    PLACE,
    Told,
    is_of_thing,
    named_in,
    names_in_title,
    names_opening,
)

MOST_PEOPLE = 200  # of an episode
MOST_MENTIONS = 2000
SPELLING = 0.9  # of the letters of two spellings of one name are the same
LONGEST_EVIDENCE = 300  # characters
OFTEN = 0.25  # of the titles of a show with guests name people in one place: so it names its guests
NAMED_AGAIN = 0.2  # of the notes name those of the description who present a show
HABIT = 3  # episodes of a show in which the same words, or the same place in titles, name people

_WORDS = load(__file__, "people")["words"]
_TURNS = Phrases(_WORDS["turns"], after=rf"(?!\s*{alternatives(_WORDS['or'])}\s)")
_FICTION = Phrases(_WORDS["fiction"])
_SPONSORED = Phrases(_WORDS["sponsored"], after=r"[^.\n]*")
_BETWEEN_AUTHORS = re.compile(
    r"(?:\s{0,3}[,;|]|\s/\s|\s{0,3}[&+•·](?=\s)|\s{1,3}(?:and|with|und|et|y|e|и|en|och|og)(?=\s)){1,9}\s{0,3}|\([^()]*\)",
    re.I,
)
AUTHOR = "author"
CHANNEL = "channel"  # the cue of those whom a feed declares for all its episodes
FIELDS = ("person", "notes", "title", PLACE, AUTHOR)  # the most trusted first
# After a host's first name, what keeps them from an episode, and before it that it goes without them.
_AWAY = rf"(?i:{any_phrase(_WORDS['away'])})"
_WITHOUT = rf"(?i:{alternatives(_WORDS['none'])})\s"


@dataclass(frozen=True, slots=True)
class FoundCredit:
    """A person who is heard in an episode, and the place that says so.

    `name` is the name at its fullest, `credited_as` as published there, `handle` without its "@" or
    "". `field` is person (`podcast:person`, `position` the index), author, notes or
    title (`position` the offset there), or place, of a name in the title that is a guest's where
    such names are. `address` is the key of the page that the feed gives, `cue` are the words of the
    notes by which somebody is heard, or those beside a name in the title, or CHANNEL. `sure` is True of what
    needs no second sign, and of a place whose name the notes have as well, or is a person's;
    `evidence` is the sentence or the title that says so, or "" for what the feed declares.
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
    sure: bool = False
    evidence: str = ""

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
    def is_of_show(self) -> bool:
        """True for a host of the show, whom the episode itself does not name."""
        return self.role == HOST and (self.field == AUTHOR or self.cue == CHANNEL)

    @property
    def is_told_guest(self) -> bool:
        """True for a guest whom texts name and no feed lists."""
        return self.role == GUEST and self.field != "person"

    @property
    def order(self) -> tuple[int, int, bool, str, str, str]:
        place = (FIELDS.index(self.field), self.position, self.role != HOST)
        return (*place, self.name, self.cue, self.evidence)

    def is_same(self, other: FoundCredit) -> bool:
        """True for one person; what a feed lists twice is the same only in the same role."""
        if self.field == other.field == "person":
            return (self.identity, self.role) == (other.identity, other.role)
        return is_spelling(self.name, other.name)


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
    usual: Sequence[FoundCredit] = (),
) -> tuple[FoundCredit, ...]:
    """The people whom an episode's feed, notes and title name, each place that does: and, where the
    feed lists no host, the show's people, or its `usual` hosts.

    `text` is the plain text of the notes, `feed_people` are (name, role, address). A feed that
    lists a guest has named them all. Linear in the text.
    """
    declared = _declared(feed_people, show.slug)
    if not _hosts(declared):
        declared += _declared(show.people, show.slug, CHANNEL)
    hosts = _hosts(declared) or usual
    names = frozenset(name for one in hosts for name in (one.name, one.name.split()[0]))
    told = chain(
        named_in(text, show.language, names, "instead"), named_in(title, show.language, names)
    )
    named = [_credit(one, "notes", show) for one in islice(told, MOST_MENTIONS)]
    if GUEST not in {one.role for one in declared}:
        placed = chain(names_in_title(title, text), names_opening(text))
        named += [_credit(one, field, show) for one, field in placed]
    nobody = {*names, *(one.name for one in named if one.role == HOST and one.sure)}
    others = (one for one in named if one.role != GUEST or not _is_nobody(one, nobody, show))
    return (*declared, *others, *hosts)


def _is_nobody(one: FoundCredit, nobody: Container[str], show: Show) -> bool:
    """True for no guest: a host, whom the show's title names, and who has a part in a play, as those
    do who are listed there or open what is said of it."""
    has_part = one.cue in (LISTED, OPENING, FIRST) and _is_fiction(show)
    return one.name in nobody or one.name in show.title or has_part


def hosts_of(show: Show, about: str, texts: Sequence[str]) -> list[FoundCredit]:
    """The hosts of a show: those of a label in what it says of itself, else those whom that presents,
    with its author where that is one of them, else its author, or those of its description `about`
    whom its notes name again."""
    described = _SPONSORED.pattern.sub("", show.description)
    named = named_in(described, show.language, frozenset(), "described")
    told = [_credit(one, AUTHOR, show) for one in named if one.role == HOST]
    others = _whom_nothing_presents(show, about, texts)
    # An author beside whom the show presents others alone is its publisher, that of a play its writer.
    is_publisher = told and {one.name for one in told}.isdisjoint(_authors(show))
    if is_publisher or _is_fiction(show):
        others = []
    told += [
        FoundCredit(name, HOST, name, AUTHOR, place, show.slug, sure=True)
        for place, name in enumerate(others)
    ]
    believed = {one.evidence for one in told if one.sure or may_be_person(one.name)}
    return [*one_each(one for one in told if not believed or one.evidence in believed)]


def _is_fiction(show: Show) -> bool:
    return "Fiction" in show.categories or bool(_FICTION.pattern.search(show.description))


def _whom_nothing_presents(show: Show, about: str, texts: Sequence[str]) -> list[str]:
    """A show's author, else the people of its description whom its notes name again; these where
    the author stands in no notes, or in the description, with the author if that is a person."""
    authors, again = _authors(show), _named_again(show, about, texts)
    is_said = any(re.search(_part_of(name), text) for name in authors for text in texts)
    described = [name for name in authors if name in about]
    if again and (described or not is_said):
        people = filter(has_given_name, described)
        with_them = (name for name in people if not is_of_thing(about, about.find(name)))
        return [*dict.fromkeys([*again, *with_them])]
    return authors or again


def _authors(show: Show) -> list[str]:
    """The people whom the author of a show names, but not the show itself; none of what goes on
    behind a name."""
    if fold(show.author) == fold(show.title):
        return []
    parts = map(tidy, _BETWEEN_AUTHORS.split(without_mail(show.author[:400])))
    names = ((part, name_at(part, 0, len(part))) for part in parts)
    return [
        name.name
        for part, name in names
        if name and name.end == len(part) and (name.is_full or has_given_name(name.name))
    ]


def _named_again(show: Show, about: str, texts: Sequence[str]) -> list[str]:
    """The people of a show's description whom NAMED_AGAIN of its notes name again, be it by the first
    or the last name alone, and those whom the description joins with them; but not the show itself."""
    together = [
        {one.name for one in names if " " in one.name and not is_of_thing(about, one.begin)}
        for names in full_names(about, nested=True)
    ]
    together += ({name} for name in NAME_BEFORE_PARTICLE.findall(about))
    least = max(HABIT, len(texts) * NAMED_AGAIN)
    again = {
        name
        for name in set().union(*together)
        if sum(map(bool, map(re.compile(_part_of(name)).search, texts))) >= least
    }
    title = fold(show.title)
    return sorted(
        name
        for name in set().union(*(names for names in together if names & again))
        if fold(name) not in (title, title.partition(" ")[2])
    )


def _part_of(name: str) -> str:
    """A pattern for the first or the last name of somebody, in scripts without spaces for the
    signs alone with which a name begins or ends."""
    if " " not in name:
        short, long = (f"{name[:end]}(?!{name[end : end + 1]})" for end in (2, 3))
        return f"(?:{short}|{long}|(?<!{name[-3:-2]}){name[-2:]})"
    return rf"(?<!\w)(?:{alternatives((name.split()[0], name.split()[-1]))})(?!\w)"


def with_hosts_of_the_day(
    named: Sequence[Sequence[FoundCredit]], texts: Sequence[str], about: str
) -> list[list[FoundCredit]]:
    """The credits of the episodes of a show, with its hosts only where they present: not where notes
    name others or say that they are away, and, where they take turns, only where notes name them.

    `about` is what the show says of itself, `texts` are titles and notes without what they repeat.
    """
    usual = {(one.name, one.cue) for one in chain.from_iterable(named) if one.is_of_show}
    # Whom a channel lists presents where nothing else is said.
    found = {name for name, cue in usual if cue != CHANNEL}
    take_turns = _named_in_turn(texts, found) or _said_to_take_turns(
        about, {name for name, _ in usual}
    )
    return [
        [one for one in own if not one.is_of_show or _presents(one, own, text, take_turns)]
        for own, text in zip(named, texts, strict=True)
    ]


def _named_in_turn(texts: Sequence[str], usual: Collection[str]) -> bool:
    """True where HABIT notes give the full name of one host alone, and not always the same: who
    presents together goes by first names."""
    in_full = [[name for name in usual if " " in name and name in text] for text in texts]
    alone = [names[0] for names in in_full if len(names) == 1]
    return len(alone) >= HABIT and len(set(alone)) > 1


def _said_to_take_turns(about: str, usual: Collection[str]) -> bool:
    """True where a sentence on the show that names a host says so."""
    told = (about[start:end] for start, end in sentences(about))
    of_hosts = (sentence for sentence in told if any(name in sentence for name in usual))
    return any(map(_TURNS.pattern.search, of_hosts))


def _presents(one: FoundCredit, own: Iterable[FoundCredit], text: str, take_turns: bool) -> bool:
    """True for a host of the show who is not away, where notes name no other as host."""
    part = _part_of(one.name)
    told = any(other.role == HOST and other.sure and other.field == "notes" for other in own)
    is_away = re.search(rf"{part}\s*{_AWAY}|{_WITHOUT}{part}", text)
    is_due = not take_turns or re.search(part, text)
    return is_due is not None and not told and not is_away


def heard(
    named: Sequence[Sequence[FoundCredit]], texts: Sequence[str]
) -> list[tuple[FoundCredit, ...]]:
    """One credit a person for each episode of a show, of those that the words name surely; `texts`
    are the title and notes of each.

    A label ("Guest:") is enough, and a sentence with a full stop. What names people elsewhere needs
    a second sign: that title and notes have the name twice, a handle beside it, that another
    episode credits the same person, or that the show names people so in HABIT episodes. Who is a
    guest by the texts in most episodes is a host.
    """
    signs = Counter(chain.from_iterable(set().union(*(one.signs for one in own)) for own in named))
    folded = list(map(fold, texts))

    def believed(places: Container[str]) -> list[list[FoundCredit]]:
        return [
            [one for one in own if _is_believed(one, signs, text, places)]
            for own, text in zip(named, folded, strict=True)
        ]

    places = _places_of_guests(named, believed(()))
    return _with_usual_hosts(list(map(one_each, believed(places))))


def _with_usual_hosts(credited: list[tuple[FoundCredit, ...]]) -> list[tuple[FoundCredit, ...]]:
    """The credits, with those who are guests by the texts in most episodes as hosts."""
    guests = Counter(one.name for one in chain.from_iterable(credited) if one.is_told_guest)
    hosts = {name for name, count in guests.items() if count > max(HABIT, len(credited) / 2)}
    return [
        tuple(
            replace(one, role=HOST) if one.is_told_guest and one.name in hosts else one
            for one in own
        )
        for own in credited
    ]


def heard_by_a_word(named: Iterable[FoundCredit]) -> tuple[FoundCredit, ...]:
    """One credit a person whom an episode's words name, be it by one sign alone."""
    return one_each(one for one in named if one.evidence and one.field != PLACE)


def _is_believed(
    one: FoundCredit, signs: Mapping[str, int], text: str, places: Container[str]
) -> bool:
    if one.field == PLACE:
        return one.cue in places
    name = fold(one.name)
    is_again = " " in name and text.count(name) > 1
    return one.sure or signs[one.cue] >= HABIT or signs[name] > 1 or is_again


def _places_of_guests(
    named: Sequence[Sequence[FoundCredit]], sure: Sequence[Sequence[FoundCredit]]
) -> set[str]:
    """The places in titles, and the beginning of notes, of a show with guests where most names are
    those of people who are guests by other signs; those where OFTEN is a person, and not always the
    same; and that of whoever opens the notes and speaks there.

    So the show itself says whether "Ada Roe: Clouds" is about its guest or about the subject of a
    biography, and whether somebody speaks in "Star Walks on ice".
    """
    guests = [{fold(one.name) for one in known if one.role == GUEST} for known in sure]
    named_at: dict[str, set[str]] = defaultdict(set)
    guests_at: dict[str, set[str]] = defaultdict(set)
    for own, known in zip(named, guests, strict=True):
        for one in own:
            if one.field == PLACE and one.sure:
                name = fold(one.name)
                named_at[one.cue].add(name)
                guests_at[one.cue] |= {name} & known
    often = max(HABIT, len(named) * OFTEN)
    places = {
        place
        for place, names in named_at.items()
        if len(names) >= often or len(guests_at[place]) >= max(HABIT, len(names - guests_at[place]))
    }
    return places | {FIRST} if any(guests) else set()


def one_each(found: Iterable[FoundCredit]) -> tuple[FoundCredit, ...]:
    """One credit a person within the episode, and one for each role that the feed lists; the first
    mention of somebody gives role and words, the fullest one the name, without what may be a trade."""
    known: list[FoundCredit] = []
    for one in sorted(set(found), key=lambda credit: credit.order):
        place = next((place for place, other in enumerate(known) if one.is_same(other)), None)
        if place is not None:
            longer, shorter = sorted(
                (known[place].name, one.name), key=lambda name: name.count(" "), reverse=True
            )
            # "Weaver Ada Roe" beside "the weaver Ada Roe"
            is_behind_job = " " in shorter and longer.endswith(f" {shorter}")
            name = shorter if is_behind_job else longer
            known[place] = replace(known[place], name=name)
        elif len(known) < MOST_PEOPLE:
            known.append(one)
    return tuple(known)


def settle(heard: Sequence[Sequence[FoundCredit]]) -> dict[str, str]:
    """The identity to use for each identity of one show, given the credits of its episodes.
    Spellings of a name at one address are one person, but where an episode has two people there; a
    bare name goes to the handle or address that is known to bear it, if that is one only.
    Order-free.

    The address alone, by which older decisions name somebody, is that of the only person there;
    so is a name alone, by which decisions name somebody who has had no address before.
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
    bare = {identity_of(one.name, "", one.show): one.name for one in every}
    return settled | _bare(names, bare, settled)


def _bare(
    names: Mapping[str, str], bare: Mapping[str, str], settled: Mapping[str, str]
) -> dict[str, str]:
    """The identity for each of the names without handle or address that one person alone is known
    to bear."""
    bearers: dict[str, set[str]] = defaultdict(set)
    for who, name in names.items():
        bearers[fold(name)].add(settled[who])
    others = {who: bearers[fold(name)] - {who} for who, name in bare.items()}
    return {who: min(known) for who, known in others.items() if len(known) == 1}


def is_spelling(*names: str) -> bool:
    """True for "J. Roe" and "Jane" beside "Jane Roe", and for two names that differ in one letter
    of ten."""
    name, fullest = sorted(map(plain_letters, names), key=len)
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


def _declared(
    feed_people: Sequence[tuple[str, str, str]], show: str, cue: str = ""
) -> list[FoundCredit]:
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
            cue=cue,
            sure=True,
        )
        for index, (name, role, address) in enumerate(named)
        if name
    ]


def _hosts(declared: Iterable[FoundCredit]) -> list[FoundCredit]:
    return [one for one in declared if HOST in one.role.replace("-", " ").split()]


def _credit(told: Told, field: str, show: Show) -> FoundCredit:
    """The credit of a name; a handle beside it is a sign of its own. A name that may be a trade is
    nobody's habit."""
    name = told.name
    sure = bool(name.handle) or (told.sure and name.sure)
    cue = told.cue if name.sure else fold(name.name)
    return FoundCredit(
        name.name,
        told.role,
        name.name,
        field,
        name.start,
        show.slug,
        handle=name.handle,
        cue=cue,
        sure=sure,
        evidence=told.evidence[:LONGEST_EVIDENCE],
    )
