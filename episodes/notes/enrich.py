"""The links, topics, names of code, people and other episodes in the notes of a show's episodes."""

import html as entities
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any

from ..fields import texts
from ..records import (
    CreditData,
    DeclaredTopic,
    EpisodeLinkData,
    Merged,
    RankedEntry,
    ReferenceData,
    ResolvedEpisode,
    Show,
    SymbolUse,
    TopicTag,
)
from ..text.addresses import BLANK, PlainText, addresses_in
from ..text.fingerprints import fingerprint
from ..text.normalize import without_marks
from ..text.urls import canonical, page_key, site_of
from .code_names import code_names
from .corrections import LINK, PERSON, SYMBOL, Corrections
from .credits import (
    DeclaredPeople,
    PersonCredit,
    credits_in_text,
    episode_credits,
    without_linking_sentences,
)
from .declared_topics import TopicNames, name_key
from .links import flat_of, folded_key, identify_link
from .memory import Memory, TextMemory, rows
from .person_identity import settle_identities
from .references import (
    EpisodeNames,
    FoundReference,
    NamedTarget,
    know,
    may_refer,
    references,
    strongest,
)
from .topics import TopicRule, tag

LONGEST_KEY = (
    2000  # bytes: no database indexes more, and no address that leads somewhere is as long
)
LONGEST_NAME = 300
MOST_LINKS = 2000  # of a text
# As sanitised notes have it.
_LINK = re.compile(r'<a href="(?P<address>[^"]*)"[^>]*>(?P<words>.*?)</a>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class EpisodeDecisions:
    """The decisions of curators about one episode: values by field, (kind, key) of what was
    removed, and (kind, key, detail) of what was added; the detail is the words of a link, role and
    name of a person, kind of a reference."""

    overrides: dict[str, str] = field(default_factory=dict)
    removed: frozenset[tuple[str, str]] = frozenset()
    added: tuple[tuple[str, str, str], ...] = ()

    def keeps(self, kind: str, key: str) -> bool:
        """True for what nobody removed."""
        return (kind, key) not in self.removed

    def removals(self, kind: str) -> set[str]:
        return {key for one, key in self.removed if one == kind}

    def additions(self, kind: str) -> list[tuple[str, str]]:
        return [(key, rest) for one, key, rest in self.added if one == kind]


@dataclass(frozen=True)
class NotesAsRead:
    """One text of an episode's notes: its markup, its plain text, whether it is cut, and what was
    found in it before."""

    html: str
    text: str
    cut: bool
    sites: frozenset[str]  # that serve the show's own pages
    memory: TextMemory

    @cached_property
    def flat(self) -> PlainText:
        """The text that positions count in: what a reader sees."""
        return flat_of(self.html, self.text)

    @cached_property
    def links(self) -> tuple[EpisodeLinkData, ...]:
        """Each thing that is linked, once, at its first place."""
        return self.memory.recall("links", None, partial(_links, self), rows(EpisodeLinkData))


def parsed(
    merged: Merged, entries: Sequence[RankedEntry], show: Show, memory: Memory
) -> list[NotesAsRead]:
    """The notes as shown, then every other text of the episode's sources."""
    given = [(text.voice.said.html, text.plain, text.cut) for text in texts(entries)]
    if not merged.provenance["description_text"].locked:
        # The text shown was made from one of these: the same words, and the same links.
        shown = next((text for text in given if text[1:] == (merged.text, merged.notes.cut)), None)
        given = [text for text in given if text != shown]
    sites = own_sites(show)
    different = dict.fromkeys([(merged.notes.html, merged.text, merged.notes.cut), *given])
    at = entries[0].entry.address
    return [NotesAsRead(*text, sites, memory.of(*text, sorted(sites), at=at)) for text in different]


def _links(note: NotesAsRead) -> tuple[EpisodeLinkData, ...]:
    found: dict[str, EpisodeLinkData] = {}
    for span in addresses_in(note.flat, note.cut):
        link = _link(span.address, span.words, span.start, note.sites)
        if len(link.key.encode("utf-8", "replace")) <= LONGEST_KEY:
            found.setdefault(folded_key(link.key), link)
    return tuple(found.values())[:MOST_LINKS]


def _link(address: str, words: str, position: int, sites: frozenset[str]) -> EpisodeLinkData:
    target = identify_link(address, sites)
    return EpisodeLinkData(target.kind, target.key, address, words, position)


def links(
    notes: Sequence[NotesAsRead], show: Show, decided: EpisodeDecisions, corrections: Corrections
) -> Iterator[EpisodeLinkData]:
    """The links of the notes as shown, then those that only other sources have or a curator added;
    one a key."""
    every: dict[str, EpisodeLinkData] = {}
    for link in chain.from_iterable(note.links for note in notes):
        every.setdefault(folded_key(link.key), link)
    removed = every.keys() & set(map(folded_key, decided.removals(LINK)))
    for address, words in decided.additions(LINK):
        link = _link(address, words, 0, own_sites(show))
        link = every.setdefault(folded_key(link.key), link)
        every[folded_key(link.key)] = replace(link, text=words or link.text)
    for position, (key, link) in enumerate(every.items(), 1):
        values: dict[str, Any] = {"kind": link.kind, **corrections.of(LINK, key)}
        if key not in removed and "hidden" not in values:
            yield replace(link, position=position, **values)


def with_corrected_links(html: str, show: Show, corrections: Corrections) -> str:
    """Notes to show in which a link that is replaced leads to its replacement and says what it
    stands for, and one that is hidden is its words alone."""
    sites = own_sites(show)

    def corrected(link: re.Match[str]) -> str:
        key = identify_link(entities.unescape(link["address"]), sites).key
        values = corrections.of(LINK, folded_key(key))
        if "hidden" in values:
            return link["words"]
        if instead := values.get("replacement"):
            new = f'"{entities.escape(instead)}" title="Instead of {link["address"]}"'
            return link[0].replace(f'"{link["address"]}"', new, 1)
        return link[0]

    return _LINK.sub(corrected, html) if corrections.keys(LINK) else html


def own_sites(show: Show) -> frozenset[str]:
    """The hosts, without "www.", that serve the show's own pages."""
    return frozenset({site_of(show.site_url)} - {""})


def symbols(
    note: NotesAsRead, title: str, show: Show, corrections: Corrections
) -> tuple[SymbolUse, ...]:
    """The names of code in a title and in the notes as shown; under one name those that a curator
    says are one. None in a show that is not about code, whose names of products look alike."""
    if not show.has_symbols:
        return ()
    given = (title, show.not_code)
    found = note.memory.recall(
        "code",
        given,
        lambda: code_names(title, note.text, show.not_code, note.cut),
        rows(SymbolUse),
    )
    named = (replace(use, name=corrections.joined(SYMBOL, use.name)) for use in found)
    return tuple(use for use in named if "hidden" not in corrections.of(SYMBOL, use.name))


class Tagger:
    """Finds the topics of episodes by the rules of a show and by what its keywords declare."""

    def __init__(
        self,
        rules: Sequence[TopicRule],
        show: Show,
        declared: Mapping[str, DeclaredTopic],
        names: TopicNames,
    ) -> None:
        self.rules, self.show, self.declared = tuple(rules), show.title, declared
        self.slugs = {rule.slug for rule in rules} | names.declared
        self.digest = fingerprint(self.rules, self.show)

    def topics(
        self,
        note: NotesAsRead,
        merged: Merged,
        keys: Sequence[str],
        keywords: Iterable[str],
        decided: EpisodeDecisions,
    ) -> tuple[TopicTag, ...]:
        """Return the topics that rules assign and keywords declare and nobody removed, and those that a
        curator added."""
        keywords = tuple(sorted(set(keywords)))
        given = (merged.title, tuple(keys), keywords, self.digest)
        find = partial(tag, merged.title, merged.text, keys, keywords, self.rules, self.show)
        tags = {one.topic: one for one in note.memory.recall("topics", given, find, rows(TopicTag))}
        for position, keyword in enumerate(keywords):
            if topic := self.declared.get(name_key(keyword)):
                declared = TopicTag(topic.slug, keyword, "keywords", position, "high")
                tags.setdefault(topic.slug, declared)
        kept = {slug: one for slug, one in tags.items() if decided.keeps("topic", slug)}
        for slug in self.slugs & dict(decided.additions("topic")).keys():
            kept[slug] = TopicTag(slug, "", "curator", 0, "high")
        return tuple(kept.values())


# --- People ---------------------------------------------------------------------------------------


def read_credits(
    notes: Sequence[Sequence[NotesAsRead]], episodes: Sequence[ResolvedEpisode], show: Show
) -> list[tuple[PersonCredit, ...]]:
    """Return the people whom the feed, the notes and the title of each episode credit."""
    person_credits = []
    for own_notes, episode in zip(notes, episodes, strict=True):
        people: list[tuple[str, str, str]] = []
        authors: list[str] = []
        for entry in episode.trusted:
            people += entry.said.people
            authors += [entry.said.author] if entry.said.author else []
        declared = DeclaredPeople(list(dict.fromkeys(people)), list(dict.fromkeys(authors)))
        noted = [credit for note in own_notes for credit in _credits_in(note, show)]
        given = (declared, episode.merged.title, noted, show)
        memory = own_notes[0].memory
        read = partial(episode_credits, *given)
        person_credits.append(memory.recall("credits", given, read, rows(PersonCredit)))
    return person_credits


def _credits_in(note: NotesAsRead, show: Show) -> tuple[PersonCredit, ...]:
    """Return the credits that one text gives."""

    def read() -> tuple[PersonCredit, ...]:
        links = [(link.position, link.url) for link in note.links]
        return credits_in_text(without_linking_sentences(note.flat.text, links), show)

    return note.memory.recall("people", (show.slug, show.language), read, rows(PersonCredit))


def credited(
    person_credits: Sequence[Sequence[PersonCredit]],
    decided: Sequence[EpisodeDecisions],
    corrections: Corrections,
) -> list[tuple[CreditData, ...]]:
    """Return the people of each episode, one identity a person over the whole show; `credits` and
    `decided` are by episode."""
    everybody = Everybody(settle_identities(person_credits), corrections)
    return [
        everybody.corrected(with_decided_people(map(everybody.credit, own), fixed, everybody))
        for own, fixed in zip(person_credits, decided, strict=True)
    ]


class Everybody:
    """The identities of the people of a show: by its sources, and over these by its curators."""

    def __init__(self, settled: Mapping[str, str], corrections: Corrections) -> None:
        self.settled, self.corrections = settled, corrections
        self.values: dict[str, dict[str, str]] = defaultdict(dict)
        # What is said of the identity that stands comes last, and so counts over what is said of a
        # name it bears.
        for key in sorted(corrections.keys(PERSON), key=lambda key: (self.who(key) == key, key)):
            values = corrections.of(PERSON, key)
            # What was said of somebody who turned out to be another is kept for the day they are
            # parted.
            if "same" not in values and not self.is_merged(key):
                self.values[self.who(key)] |= values

    def who(self, identity: str) -> str:
        return self.corrections.joined(PERSON, identity, self.settled)[:LONGEST_KEY]

    def is_merged(self, identity: str) -> bool:
        """Return whether a curator made somebody else of the person that the sources name."""
        by_sources = Corrections().joined(PERSON, identity, self.settled)[:LONGEST_KEY]
        return self.who(identity) != by_sources

    def credit(self, credit: PersonCredit) -> CreditData:
        values = self.credit_of(credit.identity, credit.role, credit.credited_as, credit.name)
        return replace(values, evidence=credit.evidence)

    def credit_of(self, identity: str, role: str, credited_as: str, full_name: str) -> CreditData:
        """Return the credit of the person who has an identity. Leave the full name of a merged
        person blank, because the other person's name is shown."""
        return CreditData(
            identity=self.who(identity),
            role=role[:20],
            credited_as=credited_as[:LONGEST_NAME],
            full_name="" if self.is_merged(identity) else full_name[:LONGEST_NAME],
        )

    def corrected(self, found: Iterable[CreditData]) -> tuple[CreditData, ...]:
        """The credits of those who are somebody, with what curators say of them."""
        return tuple(
            replace(one, corrected=values)
            for one in found
            if "hidden" not in (values := self.values.get(one.identity, {}))
        )


def with_decided_people(
    found: Iterable[CreditData], decided: EpisodeDecisions, everybody: Everybody
) -> tuple[CreditData, ...]:
    """Return the credits of an episode without those that a curator removed, with the roles that a
    curator gave, and with those that a curator added."""
    removed = set(map(everybody.who, decided.removals(PERSON)))
    added: dict[str, CreditData] = {}
    for key, detail in decided.additions(PERSON):
        role, _, name = detail.partition(" ")
        added[everybody.who(key)] = everybody.credit_of(key, role, name, name)
    decided_credits = []
    for credit in found:
        if credit.identity in added:
            credit = replace(credit, role=added[credit.identity].role)
        if credit.identity not in removed:
            decided_credits.append(credit)
    decided_credits += added.values()
    first = {(credit.identity, credit.role): credit for credit in reversed(decided_credits)}
    return tuple(reversed(first.values()))


# --- Other episodes -------------------------------------------------------------------------------


def with_references(
    episodes: Sequence[ResolvedEpisode],
    notes: Sequence[Sequence[NotesAsRead]],
    show: Show,
    decided: Sequence[EpisodeDecisions],
) -> list[ResolvedEpisode]:
    """The episodes, oldest first, with the references that their notes make to each other."""
    targets = []
    for one in episodes:
        pages = {page_key(entry.said.url) for entry in one.trusted if entry.said.url}
        targets.append(NamedTarget(one.slug, one.merged.title, one.merged.number, tuple(pages)))
    known = know(targets)
    slugs = {
        f"{entry.source} {entry.key}": episode.slug
        for episode in episodes
        for entry in episode.entries
    }
    result = []
    for episode, own, fixed in zip(episodes, notes, decided, strict=True):
        named = {one.target: (one.kind, one.evidence) for one in _references(episode, own, known)}
        found = with_decided_references(named, fixed, slugs)
        found.pop(episode.slug, None)
        made = tuple(
            ReferenceData(kind, slug, words) for slug, (kind, words) in sorted(found.items())
        )
        result.append(replace(episode, references=made))
    return result


def with_decided_references(
    kept: Mapping[str, tuple[str, str]], decided: EpisodeDecisions, slugs: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """Kind and words of the references by target, without those removed, and with those that a
    curator added; `slugs` are the targets by the entries that decisions name."""
    found = dict(kept)
    for key in decided.removals("reference"):
        found.pop(slugs.get(key, ""), None)
    for key, kind in decided.additions("reference"):
        if key in slugs:
            found[slugs[key]] = (kind, kept.get(slugs[key], ("", ""))[1])
    return found


def _references(
    episode: ResolvedEpisode, notes: Sequence[NotesAsRead], known: EpisodeNames
) -> tuple[FoundReference, ...]:
    """The references of all texts together.

    A text that is cut off in the middle of an address has the link that another text has in full.
    """
    every = {
        link.key: (slug, link.url)
        for note in notes
        for link in note.links
        if (slug := known.linked(link.key, page_key(link.url)))
    }
    told: list[FoundReference] = []
    for note in notes:
        # Most texts refer to no episode, which is seen sooner than their markup is read.
        if not every and not may_refer(note.text):
            continue
        own = {link.key: link.position for link in note.links}
        text = without_marks(note.flat.text).rstrip()
        begun = "".join(text[-LONGEST_KEY:].split()[-1:])
        beginning = canonical(begun).rstrip("/") or BLANK
        links = [
            (slug, url, own.get(key, len(text) - len(begun)))
            for key, (slug, url) in every.items()
            if key in own or canonical(url).startswith(beginning)
        ]
        given = (episode.slug, links, known.digest)
        find = partial(references, episode.slug, note.flat.text, links, known)
        told.extend(note.memory.recall("references", given, find, rows(FoundReference)))
    return strongest(told)
