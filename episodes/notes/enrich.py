"""What the notes of an episode hold beside its fields: links, topics, names of code, people, other episodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from operator import attrgetter
from urllib.parse import urlsplit

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
from ..text.urls import page_key
from .code_names import code_names
from .episode_names import EpisodeNames, NamedTarget, NamesAtHand, know, words_of
from .links import details, flat_of, folded_key, identify_link, mentions_in, spelled, spellings
from .memory import Memory, TextMemory, digest, rows
from .people import FoundCredit, people, settle
from .reference_phrases import PREREQUISITE
from .references import FoundReference, references_to, strongest
from .related import telling_words
from .topics import TopicRule, tag

LONGEST_KEY = 2000  # bytes: no database indexes more, and no address that leads somewhere is as long
LONGEST_NAME = 300
AUTHORS = ("author", "show-author")


@dataclass(frozen=True, slots=True)
class EpisodeDecisions:
    """What curators decided about one episode: values by field, (kind, key) of what was taken out, and what was added
    as (kind, key, detail): words of a link, role and name of a person, kind of a reference."""

    overrides: dict[str, str] = field(default_factory=dict)
    removed: frozenset[tuple[str, str]] = frozenset()
    added: tuple[tuple[str, str, str], ...] = ()

    def keeps(self, kind: str, key: str) -> bool:
        """True for what nobody took out."""
        return (kind, key) not in self.removed

    def additions(self, kind: str) -> list[tuple[str, str]]:
        return [(key, rest) for what, key, rest in self.added if what == kind]


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A link of the notes, where it first stands in their text, and the identity of the page it leads to."""

    link: EpisodeLinkData
    page: str


@dataclass(frozen=True)
class NotesAsRead:
    """One text of an episode's notes: its markup and plain text, whether it is cut, and what is known of it."""

    html: str
    text: str
    cut: bool
    hosts: frozenset[str]  # that serve the show's own pages
    memory: TextMemory

    @cached_property
    def flat(self) -> PlainText:
        """The text that positions count in: what a reader sees."""
        return flat_of(self.html, self.text)

    @cached_property
    def links(self) -> tuple[LinkedPage, ...]:
        """Each thing that is linked, once, where it first stands."""
        return self.memory.recall("links", None, lambda: _links(self), _read_links)


def parsed(merged: Merged, voices: Sequence[RankedEntry], show: Show, memory: Memory) -> list[NotesAsRead]:
    """The notes as shown, then every other text of the episode's sources."""
    said = [(text.voice.said.html, text.plain, text.cut) for text in texts(voices)]
    if not merged.provenance["description_text"].locked:
        # What is shown was made of one of these: the same words, and the same links.
        shown = next((one for one in said if one[1:] == (merged.text, merged.cut)), None)
        said = [one for one in said if one != shown]
    everything = dict.fromkeys([(merged.html, merged.text, merged.cut), *said])
    hosts = own_hosts(show)
    return [NotesAsRead(*one, hosts, memory.of(*one, sorted(hosts))) for one in everything]


def _links(note: NotesAsRead) -> tuple[LinkedPage, ...]:
    found: dict[str, LinkedPage] = {}
    for mention in mentions_in(note.flat, note.cut):
        target = identify_link(mention.address, note.hosts)
        if target.key not in found and len(target.key.encode("utf-8", "replace")) <= LONGEST_KEY:
            link = _link(target.kind, target.key, mention.address, mention.text, mention.position)
            found[target.key] = LinkedPage(link, page_key(mention.address))
    return tuple(found.values())


def _read_links(stored: Iterable[tuple[Sequence[object], str]]) -> tuple[LinkedPage, ...]:
    return tuple(LinkedPage(EpisodeLinkData(*link), page) for link, page in stored)  # type: ignore[arg-type]


def _link(kind: str, key: str, address: str, words: str, position: int) -> EpisodeLinkData:
    return EpisodeLinkData(kind, key, address, words, position, details(address))


def links(notes: Sequence[NotesAsRead], show: Show, decided: EpisodeDecisions) -> Iterator[EpisodeLinkData]:
    """The links of the notes as shown, then those that only other sources have; one a key, as first published."""
    # How a repository is spelled does not matter.
    gone = {folded_key(key) for kind, key in decided.removed if kind == "link"}
    seen: dict[str, int] = {}
    for noted in (page.link for note in notes for page in note.links):
        if noted.key not in seen:
            seen[noted.key] = len(seen) + 1
            if noted.key not in gone:
                yield replace(noted, position=seen[noted.key])
    for address, words in decided.additions("link"):
        target = identify_link(address, own_hosts(show))
        if target.key not in seen:
            seen[target.key] = len(seen) + 1
            yield _link(target.kind, target.key, address, words, seen[target.key])


def spell(episodes: Sequence[ResolvedEpisode]) -> list[ResolvedEpisode]:
    """The episodes with each repository in the keys of their links as the show spells it."""
    names = spellings(link.url for episode in episodes for link in episode.links if link.key.startswith("gh:"))
    return [
        replace(episode, links=tuple(replace(link, key=spelled(link.key, names)) for link in episode.links))
        if any(link.key.startswith("gh:") for link in episode.links)
        else episode
        for episode in episodes
    ]


def own_hosts(show: Show) -> frozenset[str]:
    return frozenset({urlsplit(show.site_url).hostname or ""} - {""})


def symbols(note: NotesAsRead, title: str, show: Show) -> tuple[SymbolUse, ...]:
    """The names of code in a title and in the notes as shown."""
    given = (title, show.not_code)
    return note.memory.recall(
        "code", given, lambda: code_names(title, note.text, show.not_code, note.cut), rows(SymbolUse)
    )


def words(note: NotesAsRead) -> tuple[str, ...]:
    """The words of the notes that can say what they are about."""
    return note.memory.recall("words", None, lambda: telling_words(note.text), tuple)


class Tagger:
    """Proposes topics by the rules of a show."""

    def __init__(self, rules: Sequence[TopicRule], show: Show) -> None:
        self.rules, self.show = tuple(rules), show.title
        self.known = {rule.slug for rule in rules}
        self.digest = digest(self.rules, self.show)

    def topics(
        self, note: NotesAsRead, merged: Merged, keys: Sequence[str], keywords: Iterable[str], decided: EpisodeDecisions
    ) -> tuple[TopicTag, ...]:
        """The topics that the rules propose and nobody took out, and those that a curator added."""
        said = tuple(sorted(set(keywords)))
        given = (merged.title, tuple(keys), said, self.digest)
        tags = note.memory.recall(
            "topics", given, lambda: tag(merged.title, merged.text, keys, said, self.rules, self.show), rows(TopicTag)
        )
        found = {t.topic: t for t in tags if decided.keeps("topic", t.topic)}
        for key, _ in decided.additions("topic"):
            if key in self.known:
                found[key] = TopicTag(key, "", "curator", 0, "high")
        return tuple(found.values())


# --- People ----------------------------------------------------------------------------------------------------------


def credits_of(notes: Sequence[NotesAsRead], episode: ResolvedEpisode, show: Show) -> tuple[FoundCredit, ...]:
    """Who is heard in an episode, by all its texts and all that its feeds declare; one credit a person."""
    said = [entry.said for entry in episode.entries]
    declared = tuple(dict.fromkeys(chain.from_iterable(one.people for one in said)))
    author = next((one.author for one in said if one.author), "")
    given = (declared, author, show.author, show.slug, episode.merged.title)
    found: dict[str, FoundCredit] = {}
    for note in list(filter(attrgetter("text"), notes)) or notes[:1]:
        for credit in note.memory.recall("people", given, partial(_people, note, *given), rows(FoundCredit)):
            known = found.setdefault(credit.identity, credit)
            # Of two texts a guest's part counts over what an author's name gives.
            if known.field in AUTHORS and credit.field == "notes":
                found[credit.identity] = credit
    return tuple(found.values())


def _people(
    note: NotesAsRead, declared: tuple[tuple[str, str, str], ...], author: str, show_author: str, slug: str, title: str
) -> tuple[FoundCredit, ...]:
    linked = [(start, end) for start, end, _ in note.flat.anchors] if note.flat.text == note.text else []
    return people(note.text, declared, author, show_author, slug, title, linked)


def credited(
    heard: Sequence[tuple[FoundCredit, ...]], decided: Sequence[EpisodeDecisions]
) -> list[tuple[CreditData, ...]]:
    """Each episode's people, one identity a person over the whole show; `heard` and `decided` by episode."""
    settled = settle(credit for own in heard for credit in own)
    return [tuple(_settled(own, settled, fixed)) for own, fixed in zip(heard, decided, strict=True)]


def _settled(given: Iterable[FoundCredit], settled: dict[str, str], decided: EpisodeDecisions) -> Iterator[CreditData]:
    seen = set()
    for credit in given:
        identity = settled[credit.identity][:LONGEST_KEY]
        if (identity, credit.role) not in seen and decided.keeps("person", identity):
            seen.add((identity, credit.role))
            yield CreditData(identity, credit.role[:20], credit.credited_as[:LONGEST_NAME], credit.name[:LONGEST_NAME])
    for identity, said in decided.additions("person"):
        role, _, name = said.partition(" ")
        if (identity, role) not in seen:
            seen.add((identity, role))
            yield CreditData(identity, role, name, name)


# --- Other episodes --------------------------------------------------------------------------------------------------


def with_references(
    episodes: Sequence[ResolvedEpisode],
    notes: Sequence[Sequence[NotesAsRead]],
    show: Show,
    decided: Sequence[EpisodeDecisions],
) -> list[ResolvedEpisode]:
    """The episodes, oldest first, with the references that their notes make to each other."""
    known = know([_target(episode) for episode in episodes])
    order = {episode.slug: episode.order for episode in episodes}
    names = {f"{e.source} {e.key}": episode.slug for episode in episodes for e in episode.entries}
    found = [_named(episode, own, known, show) for episode, own in zip(episodes, notes, strict=True)]
    result = []
    for episode, own, fixed in zip(episodes, found, decided, strict=True):
        said = _decided(own, fixed, names)
        made = (
            ReferenceData(kind, slug, words, kind == PREREQUISITE and order[slug] > order[episode.slug])
            for slug, (kind, words) in sorted(said.items())
            if slug != episode.slug
        )
        result.append(replace(episode, references=tuple(made)) if said else episode)
    return result


def _decided(
    found: Iterable[FoundReference], decided: EpisodeDecisions, names: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """Kind and words of the references by target, but those taken out, and with those that a curator added."""
    away = {names.get(key) for kind, key in decided.removed if kind == "reference"}
    said = {r.target: (r.kind, r.evidence) for r in found if r.target not in away}
    return said | {names[key]: (kind, "") for key, kind in decided.additions("reference") if key in names}


def _target(episode: ResolvedEpisode) -> NamedTarget:
    pages = {page_key(entry.said.url) for entry in episode.entries if entry.said.url}
    return NamedTarget(episode.slug, episode.merged.title, episode.merged.number, tuple(sorted(pages)))


def _named(
    episode: ResolvedEpisode, notes: Sequence[NotesAsRead], known: EpisodeNames, show: Show
) -> tuple[FoundReference, ...]:
    """What the texts together say; an address that a text lacks counts there as one of another text's."""
    everywhere = {page.link.key: page for note in notes for page in note.links}
    found: list[FoundReference] = []
    for note in notes:
        positions = {page.link.key: page.link.position for page in note.links}
        given = [
            (target, page.link.url, positions.get(key, -1))
            for key, page in everywhere.items()
            if (target := known.linked(key, page.page))
        ]
        words: tuple[str, ...] = note.memory.recall("words of names", None, partial(_words_of_names, note), tuple)
        at_hand = known.within(words, [target for target, _, _ in given], episode.slug)
        if given or at_hand.names_another(episode.slug):
            said = (episode.slug, given, at_hand, show.title)
            found.extend(
                note.memory.recall("references", said, partial(_references, note, *said), rows(FoundReference))
            )
    return strongest(found)


def _words_of_names(note: NotesAsRead) -> tuple[str, ...]:
    return words_of(note.flat.text)


def _references(
    note: NotesAsRead, slug: str, links: Sequence[tuple[str, str, int]], known: NamesAtHand, show: str
) -> tuple[FoundReference, ...]:
    text = note.flat.text + ("…" if note.cut else "")  # tells an address at its end for cut
    return references_to(slug, text, links, known, show)
