"""The links, topics, names of code, people and other episodes in the notes of a show's episodes."""

from __future__ import annotations

import html as entities
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import TypeVar

from ..fields import texts
from ..identity import RankedEntry
from ..records import (
    CreditData,
    EpisodeLinkData,
    Merged,
    ReferenceData,
    ResolvedEpisode,
    Show,
    SymbolUse,
    TopicTag,
)
from ..text.addresses import PlainText
from ..text.normalize import fold
from ..text.release import digest
from ..text.urls import page_key, site_of
from .code_names import code_names
from .corrections import LINK, PERSON, SYMBOL, Corrections
from .guests_in_titles import at_the_guests_place, names_in
from .links import details, flat_of, folded_key, identify_link, mentions_in, spelled, spellings
from .memory import Memory, TextMemory, rows
from .names_of_people import PersonName
from .people import GUEST, FoundCredit, believed, one_each, people, settle, with_guests
from .references import (
    EpisodeNames,
    FoundReference,
    NamedTarget,
    know,
    references,
    strongest,
)
from .topics import TopicRule, tag

LONGEST_KEY = (
    2000  # bytes: no database indexes more, and no address that leads somewhere is as long
)
LONGEST_NAME = 300
MOST_LINKS = 2000  # of a text
OF_PEOPLE = ("name", "url", "image")
_HREF = '<a href="'  # as sanitised notes have it
Row = TypeVar("Row")
Key = TypeVar("Key")
Target = TypeVar("Target", str, int)


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

    def keys(self, kind: str) -> set[str]:
        """The keys of what was removed or added of a kind."""
        return {key for what, key, *_ in (*self.removed, *self.added) if what == kind}

    def additions(self, kind: str) -> list[tuple[str, str]]:
        return [(key, rest) for what, key, rest in self.added if what == kind]


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A link of the notes at its first place in their text, and the identity of the page it leads
    to."""

    link: EpisodeLinkData
    page: str


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
    def links(self) -> tuple[LinkedPage, ...]:
        """Each thing that is linked, once, at its first place."""
        return self.memory.recall("links", None, lambda: _links(self), _read_links)


def parsed(
    merged: Merged, entries: Sequence[RankedEntry], show: Show, memory: Memory
) -> list[NotesAsRead]:
    """The notes as shown, then every other text of the episode's sources."""
    given = [(text.voice.said.html, text.plain, text.cut) for text in texts(entries)]
    if not merged.provenance["description_text"].locked:
        # The text shown was made from one of these: the same words, and the same links.
        shown = next((text for text in given if text[1:] == (merged.text, merged.cut)), None)
        given = [text for text in given if text != shown]
    sites = own_sites(show)
    different = dict.fromkeys([(merged.html, merged.text, merged.cut), *given])
    at = entries[0].entry.address
    return [NotesAsRead(*text, sites, memory.of(*text, sorted(sites), at=at)) for text in different]


def _links(note: NotesAsRead) -> tuple[LinkedPage, ...]:
    found: dict[str, LinkedPage] = {}
    for mention in mentions_in(note.flat, note.cut):
        target = identify_link(mention.address, note.sites)
        if target.key not in found and len(target.key.encode("utf-8", "replace")) <= LONGEST_KEY:
            link = _link(target.kind, target.key, mention.address, mention.text, mention.position)
            found[target.key] = LinkedPage(link, page_key(mention.address))
        if len(found) == MOST_LINKS:
            break
    return tuple(found.values())


def _read_links(stored: Iterable[tuple[Sequence[object], str]]) -> tuple[LinkedPage, ...]:
    return tuple(LinkedPage(EpisodeLinkData(*link), page) for link, page in stored)  # type: ignore[arg-type]


def _link(kind: str, key: str, address: str, words: str, position: int) -> EpisodeLinkData:
    return EpisodeLinkData(kind, key, address, words, position, details(address))


def links(
    notes: Sequence[NotesAsRead], show: Show, decided: EpisodeDecisions, corrections: Corrections
) -> Iterator[EpisodeLinkData]:
    """The links of the notes as shown, then those that only other sources have or a curator added;
    one a key."""
    noted = _firsts((page.link for note in notes for page in note.links), lambda link: link.key)
    every = dict(noted)
    for address, words in decided.additions("link"):
        target = identify_link(address, own_sites(show))
        link = every.setdefault(target.key, _link(target.kind, target.key, address, words, 0))
        every[target.key] = replace(link, text=words or link.text)
    # How a repository is spelled does not matter.
    removed = noted.keys() & {folded_key(key) for kind, key in decided.removed if kind == "link"}
    for position, (key, link) in enumerate(every.items(), 1):
        if key not in removed and not corrections.hides(LINK, key):
            yield _placed(link, position, corrections.of(LINK, key))


def _placed(link: EpisodeLinkData, position: int, values: Mapping[str, str]) -> EpisodeLinkData:
    """A link at its place, with what curators say of it."""
    kind, label = values.get("kind", link.kind), values.get("label", "")
    return replace(
        link, position=position, kind=kind, label=label, replacement=values.get("replacement", "")
    )


def with_corrected_links(html: str, show: Show, corrections: Corrections) -> str:
    """Notes to show in which a link that is replaced leads to its replacement and says what it
    stands for, and one that is hidden is its words alone."""
    if not (corrections.any_of(LINK, "replacement") or corrections.any_of(LINK, "hidden")):
        return html
    sites = own_sites(show)
    before, *rest = html.split(_HREF)
    return before + "".join(_anchor(part, sites, corrections) for part in rest)


def _anchor(part: str, sites: frozenset[str], corrections: Corrections) -> str:
    """A link of the notes, from its address on, and what follows it."""
    address, _, behind = part.partition('"')
    values = corrections.of(LINK, identify_link(entities.unescape(address), sites).key)
    if "hidden" in values:
        words, _, after = behind.partition(">")[2].partition("</a>")
        return words + after
    if instead := values.get("replacement"):
        return f'{_HREF}{entities.escape(instead)}" title="Instead of {address}"{behind}'
    return _HREF + part


def _firsts(rows: Iterable[Row], key: Callable[[Row], Key]) -> dict[Key, Row]:
    """The first row of each key, by key."""
    found: dict[Key, Row] = {}
    for row in rows:
        found.setdefault(key(row), row)
    return found


def spellings_of(episodes: Sequence[ResolvedEpisode]) -> dict[str, str]:
    """The repositories, folded, as all the links of a show spell them."""
    return spellings(link.url for episode in episodes for link in episode.links)


def spell(episodes: Sequence[ResolvedEpisode], names: Mapping[str, str]) -> list[ResolvedEpisode]:
    """The episodes with each repository in the keys of their links as the show spells it."""
    return [_spelled(episode, names) for episode in episodes]


def _spelled(episode: ResolvedEpisode, names: Mapping[str, str]) -> ResolvedEpisode:
    keys = [spelled(link.key, names) for link in episode.links]
    if all(link.key == key for link, key in zip(episode.links, keys, strict=True)):
        return episode
    links = (replace(link, key=key) for link, key in zip(episode.links, keys, strict=True))
    return replace(episode, links=tuple(links))


def own_sites(show: Show) -> frozenset[str]:
    """The hosts, without "www.", that serve the show's own pages."""
    return frozenset({site_of(show.site_url)} - {""})


def symbols(
    note: NotesAsRead, title: str, show: Show, corrections: Corrections
) -> tuple[SymbolUse, ...]:
    """The names of code in a title and in the notes as shown; under one name those that a curator
    says are one."""
    given = (title, show.not_code)
    found = note.memory.recall(
        "code",
        given,
        lambda: code_names(title, note.text, show.not_code, note.cut),
        rows(SymbolUse),
    )
    kept = (
        replace(use, name=corrections.joined(SYMBOL, use.name))
        for use in found
        if not corrections.hides(SYMBOL, use.name)
    )
    shown = (use for use in kept if not corrections.hides(SYMBOL, use.name))
    return tuple(_firsts(shown, lambda use: (use.name, use.field, use.position)).values())


class Tagger:
    """Proposes topics by the rules of a show."""

    def __init__(self, rules: Sequence[TopicRule], show: Show) -> None:
        self.rules, self.show = tuple(rules), show.title
        self.known = {rule.slug for rule in rules}
        self.digest = digest(self.rules, self.show)

    def topics(
        self,
        note: NotesAsRead,
        merged: Merged,
        keys: Sequence[str],
        keywords: Iterable[str],
        decided: EpisodeDecisions,
    ) -> tuple[TopicTag, ...]:
        """The topics that the rules propose and nobody removed, and those that a curator added."""
        keywords = tuple(sorted(set(keywords)))
        given = (merged.title, tuple(keys), keywords, self.digest)
        tags = note.memory.recall(
            "topics",
            given,
            lambda: tag(merged.title, merged.text, keys, keywords, self.rules, self.show),
            rows(TopicTag),
        )
        found = {t.topic: t for t in tags if decided.keeps("topic", t.topic)}
        added = (key for key, _ in decided.additions("topic") if key in self.known)
        found |= {key: TopicTag(key, "", "curator", 0, "high") for key in added}
        return tuple(found.values())


# --- People ----------------------------------------------------------------------------------------------------------


def heard_in(
    notes: Sequence[Sequence[NotesAsRead]], episodes: Sequence[ResolvedEpisode], show: Show
) -> list[tuple[FoundCredit, ...]]:
    """The people who are heard in each episode."""
    titles, texts = [episode.merged.title for episode in episodes], [own[0].text for own in notes]
    named = [_named(own, episode, show) for own, episode in zip(notes, episodes, strict=True)]
    both = [f"{title}\n{text}" for title, text in zip(titles, texts, strict=True)]
    found = [one_each(own) for own in believed(named, both)]
    guests = [
        frozenset(fold(credit.name) for credit in own if credit.role == GUEST) for own in found
    ]
    in_titles = [_names_in(own[0].memory, title) for own, title in zip(notes, titles, strict=True)]
    titled = at_the_guests_place(titles, in_titles, texts, guests)
    return [with_guests(own, names, show.slug) for own, names in zip(found, titled, strict=True)]


def _names_in(memory: TextMemory, title: str) -> list[list[PersonName]]:
    return memory.recall("names in the title", title, partial(names_in, title), _read_names)


def _read_names(stored: Iterable[Iterable[Iterable[object]]]) -> list[list[PersonName]]:
    return [[PersonName(*name) for name in run] for run in stored]  # type: ignore[arg-type]


def _named(notes: Sequence[NotesAsRead], episode: ResolvedEpisode, show: Show) -> list[FoundCredit]:
    """The people whom an episode's texts name and its feeds declare."""
    entries = [entry.said for entry in episode.trusted]
    declared = (
        tuple(dict.fromkeys(chain.from_iterable(entry.people for entry in entries))) or show.people
    )
    author = next((entry.author for entry in entries if entry.author), "")
    # A show that has its own name for an author names nobody.
    show_author = show.author if fold(show.author) != fold(show.title) else ""
    vouched = (show.owner, *(name for name, _, _ in show.people))
    given = (declared, author, show_author, show.slug, episode.merged.title, vouched)
    return [
        credit
        for note in [note for note in notes if note.text] or notes[:1]
        for credit in note.memory.recall(
            "people", given, partial(people, note.text, *given), rows(FoundCredit)
        )
    ]


def credited(
    heard: Sequence[tuple[FoundCredit, ...]],
    decided: Sequence[EpisodeDecisions],
    corrections: Corrections,
) -> list[tuple[CreditData, ...]]:
    """Each episode's people, one identity a person over the whole show; `heard` and `decided` by
    episode."""
    everybody = Everybody(settle(heard), corrections)
    return [_credits(own, everybody, fixed) for own, fixed in zip(heard, decided, strict=True)]


class Everybody:
    """Who is who in a show: by its sources, and over these by its curators."""

    def __init__(self, settled: Mapping[str, str], corrections: Corrections) -> None:
        self.settled, self.corrections = settled, corrections
        self.values: dict[str, dict[str, str]] = {}
        self.nobody: set[str] = set()
        # What is said of the identity that stands comes last, and so counts over what is said of a
        # name it bears.
        for key in sorted(corrections.keys(PERSON), key=lambda key: (self.who(key) == key, key)):
            self._take(key, corrections.of(PERSON, key))

    def _take(self, key: str, values: Mapping[str, str]) -> None:
        if "same" in values:
            # What was said of somebody who turned out to be another is kept for the day they are
            # parted.
            return
        identity = self.who(key)
        if "hidden" in values:
            self.nobody.add(identity)
        self.values.setdefault(identity, {}).update(
            (name, values[name]) for name in OF_PEOPLE if name in values
        )

    def who(self, identity: str) -> str:
        return self.corrections.joined(PERSON, identity, self.settled)[:LONGEST_KEY]

    def same(self, identity: str) -> set[str]:
        """The identities by which a decision about one episode may name the bearer of this one."""
        return {identity, self.settled.get(identity, identity), self.who(identity)}


def _credits(
    heard: Iterable[FoundCredit], everybody: Everybody, decided: EpisodeDecisions
) -> tuple[CreditData, ...]:
    """The people of an episode. What a curator says somebody did there counts over what its sources
    say."""
    settled = everybody.settled
    removed = {
        one
        for kind, key in decided.removed
        if kind == PERSON
        for one in (key, settled.get(key, key))
    }
    did = {
        everybody.who(identity): detail.partition(" ")
        for identity, detail in decided.additions(PERSON)
    }
    found = [
        CreditData(
            everybody.who(one.identity),
            one.role[:20],
            one.credited_as[:LONGEST_NAME],
            one.name[:LONGEST_NAME],
        )
        for one in heard
        if removed.isdisjoint(everybody.same(one.identity))
    ]
    every = _with_added(found, did)
    return tuple(
        replace(one, corrected=everybody.values.get(one.identity, {}))
        for one in every
        if one.identity not in everybody.nobody
    )


def _with_added(
    found: Iterable[CreditData], did: Mapping[str, tuple[str, str, str]]
) -> Iterable[CreditData]:
    """The credits with those that curators added; by identity role and name of these."""
    kept = [
        replace(one, role=did[one.identity][0]) if one.identity in did else one for one in found
    ]
    added = [CreditData(identity, role, name, name) for identity, (role, _, name) in did.items()]
    return _firsts([*kept, *added], lambda credit: (credit.identity, credit.role)).values()


def with_decided_people(
    stored: Iterable[CreditData], decided: EpisodeDecisions
) -> tuple[CreditData, ...]:
    """The credits that an episode has, without those that a curator removed, and with those that
    one added."""
    did = {identity: detail.partition(" ") for identity, detail in decided.additions(PERSON)}
    return tuple(_with_added((one for one in stored if decided.keeps(PERSON, one.identity)), did))


# --- Other episodes --------------------------------------------------------------------------------------------------


def with_references(
    episodes: Sequence[ResolvedEpisode],
    notes: Sequence[Sequence[NotesAsRead]],
    show: Show,
    decided: Sequence[EpisodeDecisions],
) -> list[ResolvedEpisode]:
    """The episodes, oldest first, with the references that their notes make to each other."""
    known = know([_target(episode) for episode in episodes])
    slugs = {
        f"{entry.source} {entry.key}": episode.slug
        for episode in episodes
        for entry in episode.entries
    }
    result = []
    for episode, own, fixed in zip(episodes, notes, decided, strict=True):
        named = {one.target: (one.kind, one.evidence) for one in _references(episode, own, known)}
        found = with_decided_references(named, fixed, slugs)
        made = (ReferenceData(kind, slug, words) for slug, (kind, words) in sorted(found.items()))
        result.append(
            replace(episode, references=tuple(one for one in made if one.episode != episode.slug))
        )
    return result


def with_decided_references(
    kept: Mapping[Target, tuple[str, str]], decided: EpisodeDecisions, slugs: Mapping[str, Target]
) -> dict[Target, tuple[str, str]]:
    """Kind and words of the references by target, without those removed, and with those that a
    curator added; `slugs` are the targets by the entries that decisions name."""
    removed = {slugs.get(key) for kind, key in decided.removed if kind == "reference"}
    added = {slugs[key]: kind for key, kind in decided.additions("reference") if key in slugs}
    return {slug: kept[slug] for slug in kept.keys() - removed} | {
        slug: (kind, kept[slug][1] if slug in kept else "") for slug, kind in added.items()
    }


def _target(episode: ResolvedEpisode) -> NamedTarget:
    pages = {page_key(entry.said.url) for entry in episode.trusted if entry.said.url}
    return NamedTarget(
        episode.slug, episode.merged.title, episode.merged.number, tuple(sorted(pages))
    )


def _references(
    episode: ResolvedEpisode, notes: Sequence[NotesAsRead], known: EpisodeNames
) -> tuple[FoundReference, ...]:
    """The references of all texts together.

    An address that a text lacks counts there as one of another text's.
    """
    pages = {page.link.key: page for note in notes for page in note.links}
    linked = {
        key: (slug, page.link.url)
        for key, page in pages.items()
        if (slug := known.linked(key, page.page))
    }
    told: list[FoundReference] = []
    for note in notes:
        positions = {page.link.key: page.link.position for page in note.links}
        links = [(slug, url, positions.get(key, -1)) for key, (slug, url) in linked.items()]
        given = (episode.slug, links, known.digest)
        find = partial(_references_in, note, episode.slug, links, known)
        told.extend(note.memory.recall("references", given, find, rows(FoundReference)))
    return strongest(told)


def _references_in(
    note: NotesAsRead, slug: str, links: Sequence[tuple[str, str, int]], known: EpisodeNames
) -> tuple[FoundReference, ...]:
    return references(slug, note.flat.text, links, known)
