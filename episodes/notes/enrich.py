"""What the notes of an episode hold beside its fields: links, topics, names of code, people, other episodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from urllib.parse import urlsplit

from ..identity.merging import RankedEntry, texts
from ..records import (
    CreditData,
    EpisodeLinkData,
    Merged,
    ReferenceData,
    ResolvedEpisode,
    Show,
    SourceEntry,
    SymbolUse,
    TopicTag,
)
from ..text.urls import page_key
from .code_names import code_names
from .episode_names import EpisodeNames, NamedTarget, know
from .links import FoundLink, details, flat_of, folded, identify, mentions_in, spelled, spellings
from .people import FoundCredit, people, settle
from .reference_phrases import PREREQUISITE
from .references import FoundReference, references, strongest
from .topics import TopicRule, tag

LONGEST_KEY = 2000  # bytes: no database indexes more, and no address that leads somewhere is as long
LONGEST_NAME = 300


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

    def keeps_link(self, key: str) -> bool:
        """True for a link that nobody took out; how its repository is spelled does not matter."""
        return key not in {folded(gone) for kind, gone in self.removed if kind == "link"}

    def additions(self, kind: str) -> list[tuple[str, str]]:
        return [(key, rest) for what, key, rest in self.added if what == kind]


@dataclass(frozen=True, slots=True)
class ParsedNotes:
    """One text of an episode's notes, read once: its plain text, the text that positions count in (`flat`: of markup,
    what a reader sees), whether it is cut, and its links by key: the kind, and where it first stands."""

    text: str
    flat: str
    cut: bool
    links: Mapping[str, tuple[str, FoundLink]]
    anchors: tuple[tuple[int, int], ...]  # what is linked in `flat`


def told(merged: Merged, voices: Sequence[RankedEntry], show: Show) -> list[ParsedNotes]:
    """The notes as shown, then every other text of the episode's sources."""
    said = [(text.voice.entry.said.html, text.plain, text.cut) for text in texts(voices)]
    if not merged.provenance["description_text"]["locked"]:
        # What is shown was made of one of these: the same words, and the same links.
        shown = next((one for one in said if one[1:] == (merged.text, merged.cut)), None)
        said = [one for one in said if one != shown]
    everything = dict.fromkeys([(merged.html, merged.text, merged.cut), *said])
    return [_read(*one, own_hosts(show)) for one in everything]


@lru_cache(maxsize=8192)  # a resolve asks again for what the last one asked
def _read(html: str, text: str, cut: bool, hosts: frozenset[str]) -> ParsedNotes:
    flat = flat_of(html, text)
    found: dict[str, tuple[str, FoundLink]] = {}
    for mention in mentions_in(flat, cut):
        target = identify(mention.address, hosts)
        found.setdefault(target.key, (target.kind, mention))
    return ParsedNotes(text, flat.text, cut, found, tuple((start, end) for start, end, _ in flat.anchors))


def links(notes: Sequence[ParsedNotes], show: Show, decided: EpisodeDecisions) -> Iterator[EpisodeLinkData]:
    """The links of the notes as shown, then those that only other sources have; one a key, as first published."""
    seen: set[str] = set()
    for note in notes:
        for key, (kind, mention) in note.links.items():
            if key in seen or len(key.encode("utf-8", "replace")) > LONGEST_KEY:
                continue
            seen.add(key)
            if decided.keeps_link(key):
                yield EpisodeLinkData(kind, key, mention.address, mention.text, len(seen), details(mention.address))
    for address, words in decided.additions("link"):
        target = identify(address, own_hosts(show))
        if target.key not in seen:
            seen.add(target.key)
            yield EpisodeLinkData(target.kind, target.key, address, words, len(seen), details(address))


def spell(episodes: Sequence[ResolvedEpisode]) -> list[ResolvedEpisode]:
    """The episodes with each repository in the keys of their links as the show spells it."""
    names = spellings(link.url for episode in episodes for link in episode.links)
    return [
        replace(episode, links=tuple(replace(link, key=spelled(link.key, names)) for link in episode.links))
        for episode in episodes
    ]


def own_hosts(show: Show) -> frozenset[str]:
    return frozenset({urlsplit(show.site_url).hostname or ""} - {""})


@lru_cache(maxsize=8192)  # a resolve asks again for what the last one asked
def code(title: str, text: str, cut: bool, stop: tuple[str, ...]) -> tuple[SymbolUse, ...]:
    return code_names(title, text, stop, cut)


def topics(
    merged: Merged,
    noted: Sequence[EpisodeLinkData],
    entries: Iterable[SourceEntry],
    rules: Sequence[TopicRule],
    decided: EpisodeDecisions,
    show: Show,
) -> tuple[TopicTag, ...]:
    """The topics that the rules propose and nobody took out, and those that a curator added."""
    keywords = tuple(sorted({word for entry in entries for word in entry.said.keywords}))
    tags = _tags(merged.title, merged.text, tuple(link.key for link in noted), keywords, tuple(rules), show.title)
    known = {rule.slug for rule in rules}
    found = {t.topic: t for t in tags if decided.keeps("topic", t.topic)}
    for key, _ in decided.additions("topic"):
        if key in known:
            found[key] = TopicTag(key, "", "curator", 0, "high")
    return tuple(found.values())


@lru_cache(maxsize=8192)  # a resolve asks again for what the last one asked
def _tags(
    title: str, text: str, keys: tuple[str, ...], keywords: tuple[str, ...], rules: tuple[TopicRule, ...], show: str
) -> tuple[TopicTag, ...]:
    return tag(title, text, keys, keywords, rules, show)


# --- People ----------------------------------------------------------------------------------------------------------


def credits_of(notes: Sequence[ParsedNotes], episode: ResolvedEpisode, show: Show) -> tuple[FoundCredit, ...]:
    """Who is heard in an episode, by all its texts and all that its feeds declare; one credit a person."""
    said = [entry.said for entry in episode.entries]
    declared = tuple(dict.fromkeys(person for one in said for person in one.people))
    author = next((one.author for one in said if one.author), "")
    texts = {note.text: note.anchors if note.text == note.flat else () for note in reversed(notes) if note.text}
    found: dict[str, FoundCredit] = {}
    for text in [*reversed(texts)] or [""]:
        for credit in _people(
            text, declared, author, show.author, show.slug, episode.merged.title, texts.get(text, ())
        ):
            known = found.get(credit.identity)
            # Of two texts the fuller name counts, and a guest's part over what an author's name gives.
            if known is None or (known.field in ("author", "show-author") and credit.field == "notes"):
                found[credit.identity] = credit
    return tuple(found.values())


_people = lru_cache(maxsize=8192)(people)  # a resolve asks again for what the last one asked


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
    notes: Sequence[Sequence[ParsedNotes]],
    show: Show,
    decided: Sequence[EpisodeDecisions],
) -> list[ResolvedEpisode]:
    """The episodes, oldest first, with the references that their notes make to each other."""
    known = know([_target(episode) for episode in episodes])
    order = {episode.slug: episode.order for episode in episodes}
    names = {f"{e.source} {e.key}": episode.slug for episode in episodes for e in episode.entries}
    result = []
    for episode, own, fixed in zip(episodes, notes, decided, strict=True):
        away = {names[key] for kind, key in fixed.removed if kind == "reference" and key in names}
        said = {r.target: (r.kind, r.evidence) for r in _named(episode, own, known, show) if r.target not in away}
        said |= {names[key]: (kind, "") for key, kind in fixed.additions("reference") if key in names}
        result.append(
            replace(
                episode,
                references=tuple(
                    ReferenceData(kind, slug, words, kind == PREREQUISITE and order[slug] > order[episode.slug])
                    for slug, (kind, words) in sorted(said.items())
                    if slug != episode.slug
                ),
            )
        )
    return result


def _target(episode: ResolvedEpisode) -> NamedTarget:
    pages = {page_key(entry.said.url) for entry in episode.entries if entry.said.url}
    return NamedTarget(episode.slug, episode.merged.title, episode.merged.number, tuple(sorted(pages)))


def _named(
    episode: ResolvedEpisode, notes: Sequence[ParsedNotes], known: EpisodeNames, show: Show
) -> tuple[FoundReference, ...]:
    """What the texts together say; an address that a text lacks counts there as one of another text's."""
    everywhere = {key: mention.address for note in notes for key, (_, mention) in note.links.items()}
    found: list[FoundReference] = []
    for note in notes:
        given = [
            (key, note.links[key][1].address, note.links[key][1].position) if key in note.links else (key, address, -1)
            for key, address in everywhere.items()
        ]
        text = note.flat + ("…" if note.cut else "")  # tells an address at its end for cut
        found.extend(references(episode.slug, text, given, known, show.title))
    return strongest(found)
