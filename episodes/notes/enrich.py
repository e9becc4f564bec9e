"""The links, topics, names of code, people and other episodes in the notes of a show's episodes."""

import html as entities
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
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
    Show,
    SourceEntry,
    SymbolUse,
    TopicTag,
)
from ..text.addresses import BLANK, PlainText, addresses_in
from ..text.normalize import without_marks
from ..text.urls import canonical, page_key, site_of
from .attempts import Attempts
from .code_names import code_names
from .corrections import LINK, PERSON, SYMBOL, Corrections
from .credits import (
    DeclaredPeople,
    PersonCredit,
    credits_in_text,
    episode_credits,
    without_linking_sentences,
)
from .declared_topics import name_key
from .links import flat_of, folded_key, identify_link
from .references import (
    EpisodeNames,
    FoundReference,
    PossibleMention,
    find_possible_mentions,
    may_refer,
    references,
    strongest,
)

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
    """One text of an episode's notes: its markup, its plain text, and whether it is cut."""

    html: str
    text: str
    cut: bool
    sites: frozenset[str]  # that serve the show's own pages
    attempts: Attempts

    @cached_property
    def flat(self) -> PlainText:
        """The text that positions count in: what a reader sees."""
        return flat_of(self.html, self.text)

    @cached_property
    def links(self) -> tuple[EpisodeLinkData, ...]:
        """Each thing that is linked, once, at its first place."""
        return self.attempts.run("links", partial(_links, self), ())

    @cached_property
    def mentions(self) -> tuple[PossibleMention, ...]:
        """The places that may name another episode."""
        # Most texts have none, which is seen sooner than their markup is read.
        if not may_refer(self.text):
            return ()
        find = partial(find_possible_mentions, self.flat.text)
        return self.attempts.run("references", find, ())

    def credits_in(self, show: Show) -> tuple[PersonCredit, ...]:
        """Return the credits that the text gives."""

        def read() -> tuple[PersonCredit, ...]:
            links = [(link.position, link.url) for link in self.links]
            return credits_in_text(without_linking_sentences(self.flat.text, links), show)

        return self.attempts.run("people", read, ())


def parsed(
    merged: Merged, entries: Sequence[RankedEntry], show: Show, attempts: Attempts
) -> list[NotesAsRead]:
    """Return the notes as shown, then every other text of the episode's sources."""
    given = [(text.voice.said.html, text.plain, text.cut) for text in texts(entries)]
    if not merged.provenance["description_text"].locked:
        # The text shown was made from one of these: the same words, and the same links.
        shown = next((text for text in given if text[1:] == (merged.text, merged.notes.cut)), None)
        given = [text for text in given if text != shown]
    sites = own_sites(show)
    different = dict.fromkeys([(merged.notes.html, merged.text, merged.notes.cut), *given])
    return [NotesAsRead(*text, sites, attempts) for text in different]


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


def raw_links(
    notes: Sequence[NotesAsRead], show: Show, decided: EpisodeDecisions
) -> tuple[EpisodeLinkData, ...]:
    """Return the links of the notes as shown, then those that only other sources have or a curator
    added, one a key, without those that a curator removed."""
    every: dict[str, EpisodeLinkData] = {}
    for link in chain.from_iterable(note.links for note in notes):
        every.setdefault(folded_key(link.key), link)
    removed = every.keys() & set(map(folded_key, decided.removals(LINK)))
    for address, words in decided.additions(LINK):
        link = _link(address, words, 0, own_sites(show))
        link = every.setdefault(folded_key(link.key), link)
        every[folded_key(link.key)] = replace(link, text=words or link.text)
    return tuple(
        replace(link, position=position)
        for position, (key, link) in enumerate(every.items(), 1)
        if key not in removed
    )


def corrected_links(
    links: Iterable[EpisodeLinkData], corrections: Corrections
) -> tuple[EpisodeLinkData, ...]:
    """Return links with their corrections, without those that a curator hid."""
    shown = []
    for link in links:
        values: dict[str, Any] = {
            "kind": link.kind,
            **corrections.of(LINK, folded_key(link.key)),
        }
        if "hidden" not in values:
            shown.append(replace(link, **values))
    return tuple(shown)


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


def raw_symbols(note: NotesAsRead, title: str, show: Show) -> tuple[SymbolUse, ...]:
    """Return the names of code in a title and in the notes as shown. None in a show that is not about
    code, whose names of products look alike."""
    if not show.has_symbols:
        return ()
    find = partial(code_names, title, note.text, show.not_code, note.cut)
    nothing: tuple[SymbolUse, ...] = ()
    return tuple(note.attempts.run("code", find, nothing))


def corrected_symbols(uses: Iterable[SymbolUse], corrections: Corrections) -> tuple[SymbolUse, ...]:
    """Return symbols under the names that curators joined, without those that they hid."""
    shown = []
    for use in uses:
        name = corrections.joined(SYMBOL, use.name)
        if "hidden" not in corrections.of(SYMBOL, name):
            shown.append(replace(use, name=name))
    return tuple(shown)


def topics(
    tags: Iterable[TopicTag],
    keywords: Iterable[str],
    declared: Mapping[str, DeclaredTopic],
    decided: EpisodeDecisions,
    slugs: Collection[str],
) -> tuple[TopicTag, ...]:
    """Return the topics that rules assigned and keywords declare and nobody removed, and those that a
    curator added. `slugs` are those of all topics that the show may have."""
    by_slug = {one.topic: one for one in tags}
    for position, keyword in enumerate(sorted(set(keywords)) if declared else ()):
        if topic := declared.get(name_key(keyword)):
            tag = TopicTag(topic.slug, keyword, "keywords", position, "high")
            by_slug.setdefault(topic.slug, tag)
    kept = {slug: one for slug, one in by_slug.items() if decided.keeps("topic", slug)}
    for slug, _ in decided.additions("topic"):
        if slug in slugs:
            kept[slug] = TopicTag(slug, "", "curator", 0, "high")
    return tuple(kept.values())


# --- People ---------------------------------------------------------------------------------------


def read_credits(
    notes: Sequence[NotesAsRead], entries: Iterable[SourceEntry], title: str, show: Show
) -> tuple[PersonCredit, ...]:
    """Return the people whom the feed, the notes and the title of an episode credit. `entries` are
    those that count."""
    people: list[tuple[str, str, str]] = []
    authors: list[str] = []
    for entry in entries:
        people += entry.said.people
        authors += [entry.said.author] if entry.said.author else []
    declared = DeclaredPeople(list(dict.fromkeys(people)), list(dict.fromkeys(authors)))
    noted = [credit for note in notes for credit in note.credits_in(show)]
    read = partial(episode_credits, declared, title, noted, show)
    return tuple(notes[0].attempts.run("credits", read, ()))


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


def read_references(
    slug: str, notes: Sequence[NotesAsRead], names: EpisodeNames
) -> tuple[FoundReference, ...]:
    """Return the references of all texts of an episode together.

    A text that is cut off in the middle of an address has the link that another text has in full.
    """
    every = {
        link.key: (target, link.url)
        for note in notes
        for link in note.links
        if (target := names.linked(link.key, page_key(link.url)))
    }
    references_of_notes: list[FoundReference] = []
    for note in notes:
        mentions = [mention for one in note.mentions if (mention := names.find(one))]
        if every or mentions:
            links = _links_to_episodes(note, every)
            read = partial(references, slug, note.flat.text, links, mentions)
            references_of_notes += note.attempts.run("references", read, ())
    return strongest(references_of_notes)


def _links_to_episodes(
    note: NotesAsRead, every: Mapping[str, tuple[str, str]]
) -> list[tuple[str, str, int]]:
    """Return the links to episodes that a text has: (slug, address, position)."""
    positions = {link.key: link.position for link in note.links}
    text = without_marks(note.flat.text).rstrip()
    begun = "".join(text[-LONGEST_KEY:].split()[-1:])
    beginning = canonical(begun).rstrip("/") or BLANK
    return [
        (slug, url, positions.get(key, len(text) - len(begun)))
        for key, (slug, url) in every.items()
        if key in positions or canonical(url).startswith(beginning)
    ]


def with_decided_references(
    found: Iterable[FoundReference],
    slug: str,
    decided: EpisodeDecisions,
    slugs: Mapping[str, str],
) -> tuple[ReferenceData, ...]:
    """Return the references of an episode, by slug, without those that a curator removed, and with
    those that a curator added; `slugs` are the targets by the entries that decisions name."""
    kept = {one.target: (one.kind, one.evidence) for one in found}
    result = dict(kept)
    for key in decided.removals("reference"):
        result.pop(slugs.get(key, ""), None)
    for key, kind in decided.additions("reference"):
        if key in slugs:
            result[slugs[key]] = (kind, kept.get(slugs[key], ("", ""))[1])
    result.pop(slug, None)
    return tuple(
        ReferenceData(kind, target, words) for target, (kind, words) in sorted(result.items())
    )
