"""Reads links, topics, symbols, people and references in the notes of episodes, and applies decisions."""

import html as entities
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

from ..fields import notes_choices_marked_if_cut
from ..records import (
    CreditData,
    DeclaredTopic,
    EpisodeLinkData,
    MergedValues,
    RankedEntry,
    ReferenceData,
    Show,
    SourceEntry,
    SymbolUse,
    TopicTag,
)
from ..text.addresses import PlainText, find_spans_of_web_addresses
from ..text.normalize import strip_cut_marks
from ..text.urls import canonical_url, page_key, site_of
from .attempts import Attempts
from .corrections import LINK, PERSON, SYMBOL, Corrections
from .credits import (
    DeclaredPeople,
    PersonCredit,
    blank_sentences_linking_other_episodes,
    credits_in_text,
    episode_credits,
)
from .declared_topics import name_key
from .links import fold_link_key, identify_link, plain_text_of_notes
from .references import (
    EpisodeLinkInText,
    EpisodeNames,
    PossibleMention,
    ReferenceMatch,
    find_possible_mentions,
    find_strongest_references,
    may_refer,
    strongest_references,
)
from .symbols import find_code_symbol_uses

MAX_KEY_LENGTH = 2000  # bytes, because databases index no longer values
# '<a href="https://loom.example/" rel="nofollow">the loom</a>': all sanitised links are written so.
_SANITISED_LINK = re.compile(r'<a href="(?P<address>[^"]*)"[^>]*>(?P<words>.*?)</a>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class EpisodeDecisions:
    """Curators' decisions about one episode.

    The detail of an addition is the words of a link, role and name of a person, or the kind of a
    reference.
    """

    overrides: dict[str, str] = field(default_factory=dict)  # values by field
    removed: frozenset[tuple[str, str]] = frozenset()  # (kind, key)
    added: tuple[tuple[str, str, str], ...] = ()  # (kind, key, detail)

    def keeps(self, kind: str, key: str) -> bool:
        return (kind, key) not in self.removed

    def removals(self, kind: str) -> set[str]:
        return {key for removed_kind, key in self.removed if removed_kind == kind}

    def additions(self, kind: str) -> list[tuple[str, str]]:
        return [(key, detail) for added_kind, key, detail in self.added if added_kind == kind]


@dataclass(frozen=True)
class ParsedNotes:
    """One text of an episode's notes: its markup, its plain text, and whether it is cut."""

    html: str
    text: str
    cut: bool
    sites: frozenset[str]  # hosts of the show's own pages
    attempts: Attempts

    @cached_property
    def plain_text(self) -> PlainText:
        """Return the text as a reader sees it. Positions are positions in it."""
        return plain_text_of_notes(self.html, self.text)

    @cached_property
    def links(self) -> tuple[EpisodeLinkData, ...]:
        return self.attempts.run_or_default("links", partial(_links_of_note, self), ())

    @cached_property
    def mentions(self) -> tuple[PossibleMention, ...]:
        # Most texts name none. This test is faster than reading their markup.
        if not may_refer(self.text):
            return ()
        find = partial(find_possible_mentions, self.plain_text.text)
        return self.attempts.run_or_default("references", find, ())

    def credits_in(self, show: Show) -> tuple[PersonCredit, ...]:
        def read() -> tuple[PersonCredit, ...]:
            links = [(link.position, link.url) for link in self.links]
            return credits_in_text(
                blank_sentences_linking_other_episodes(self.plain_text.text, links), show
            )

        return self.attempts.run_or_default("people", read, ())


class _NotesText(NamedTuple):
    """One text of an episode's notes, before it is parsed."""

    html: str  # "" if the source gives no markup
    plain: str
    is_cut: bool


def parse_all_notes_displayed_first(
    merged: MergedValues, ranked_entries: Sequence[RankedEntry], show: Show, attempts: Attempts
) -> list[ParsedNotes]:
    """Return the notes as pages show them, then every other text of the episode's sources."""
    displayed = _NotesText(merged.notes.html, merged.text, merged.notes.cut)
    texts_of_sources = []
    for choice in notes_choices_marked_if_cut(ranked_entries):
        text = _NotesText(choice.ranked_entry.values.html, choice.plain, choice.cut)
        texts_of_sources.append(text)
    other_texts = texts_of_sources
    # Notes that a curator wrote come from no source.
    is_written_by_curator = merged.provenance["description_text"].locked
    if not is_written_by_curator:
        other_texts = _texts_without_source_of_displayed(displayed, texts_of_sources)
    all_texts = dict.fromkeys([displayed, *other_texts])  # each once
    sites = publisher_hosts(show)
    return [ParsedNotes(text.html, text.plain, text.is_cut, sites, attempts) for text in all_texts]


def _texts_without_source_of_displayed(
    displayed: _NotesText, texts: list[_NotesText]
) -> list[_NotesText]:
    """Leave out the text of which `displayed` is the sanitised form. Parsing both would find the same
    words and links twice."""
    for source in texts:
        if (source.plain, source.is_cut) == (displayed.plain, displayed.is_cut):
            return [text for text in texts if text != source]
    return texts


def _links_of_note(note: ParsedNotes) -> tuple[EpisodeLinkData, ...]:
    links: dict[str, EpisodeLinkData] = {}
    for span in find_spans_of_web_addresses(note.plain_text, is_cut=note.cut):
        link = _make_link(span.address, span.words, span.start, note.sites)
        # "replace": notes may have half of a surrogate pair, which cannot be encoded.
        key_bytes = link.key.encode("utf-8", "replace")
        if len(key_bytes) <= MAX_KEY_LENGTH:
            links.setdefault(fold_link_key(link.key), link)
    max_links = 2000  # against hostile notes: no real text has so many
    return tuple(links.values())[:max_links]


def _make_link(address: str, words: str, position: int, sites: frozenset[str]) -> EpisodeLinkData:
    target = identify_link(address, sites)
    return EpisodeLinkData(target.kind, target.key, address, words, position)


def merge_links_with_decisions(
    notes: Sequence[ParsedNotes], show: Show, decisions: EpisodeDecisions
) -> tuple[EpisodeLinkData, ...]:
    """Return the links of the notes as shown, then links of other sources, then links that a curator
    added: one for each key, without removed links."""
    link_by_folded_key: dict[str, EpisodeLinkData] = {}
    for note in notes:
        for link in note.links:
            link_by_folded_key.setdefault(fold_link_key(link.key), link)
    # Before the additions, because a removal does not hide a link that only a curator added.
    removed_keys = link_by_folded_key.keys() & set(map(fold_link_key, decisions.removals(LINK)))
    _add_links_of_curators(link_by_folded_key, show, decisions)
    remaining = []
    # Positions count the removed links too.
    for position, (key, link) in enumerate(link_by_folded_key.items(), 1):
        if key not in removed_keys:
            remaining.append(replace(link, position=position))
    return tuple(remaining)


def _add_links_of_curators(
    link_by_folded_key: dict[str, EpisodeLinkData], show: Show, decisions: EpisodeDecisions
) -> None:
    for address, words in decisions.additions(LINK):
        # Its position is given to it later, with all others.
        added = _make_link(address, words, position=0, sites=publisher_hosts(show))
        key = fold_link_key(added.key)
        if key not in link_by_folded_key:
            link_by_folded_key[key] = added
        elif words:
            # A link of the notes gets the words that the curator gave.
            link_by_folded_key[key] = replace(link_by_folded_key[key], text=words)


def visible_links_with_corrections(
    links: Iterable[EpisodeLinkData], corrections: Corrections
) -> tuple[EpisodeLinkData, ...]:
    visible = []
    for link in links:
        # The fields of a link's correction are named like attributes: label, kind, replacement.
        values: dict[str, Any] = dict(corrections.values_of(LINK, fold_link_key(link.key)))
        if "hidden" not in values:
            visible.append(replace(link, **values))
    return tuple(visible)


def correct_links_in_html(html: str, show: Show, corrections: Corrections) -> str:
    """Return notes with replaced addresses of links, each with the former address in its title. Of
    a hidden link only the words stay."""
    if not corrections.keys(LINK):
        return html
    sites = publisher_hosts(show)

    def link_markup_after_corrections(link_match: re.Match[str]) -> str:
        markup = link_match[0]  # `<a href="https://loom.example/" rel="nofollow">the loom</a>`
        address = link_match["address"]
        key = identify_link(entities.unescape(address), sites).key
        values = corrections.values_of(LINK, fold_link_key(key))
        if "hidden" in values:
            return link_match["words"]
        replacement = values.get("replacement")
        if not replacement:
            return markup
        # `address` is escaped already, because it was taken from markup.
        attributes = f'"{entities.escape(replacement)}" title="Instead of {address}"'
        return markup.replace(f'"{address}"', attributes, 1)

    return _SANITISED_LINK.sub(link_markup_after_corrections, html)


def publisher_hosts(show: Show) -> frozenset[str]:
    """Return the hosts, without "www.", of the show's own pages."""
    return frozenset({site_of(show.site_url)} - {""})


def find_code_symbols_in_title_and_notes(
    note: ParsedNotes, title: str, show: Show
) -> tuple[SymbolUse, ...]:
    """Return the symbols in a title and in the notes as shown, or () for a show that is not about
    code: its names of products would look like symbols."""
    if not show.has_symbols:
        return ()
    find = partial(find_code_symbol_uses, title, note.text, show.not_code, is_cut=note.cut)
    return note.attempts.run_or_default("code", find, ())


def visible_symbols_under_final_names(
    uses: Iterable[SymbolUse], corrections: Corrections
) -> tuple[SymbolUse, ...]:
    visible = []
    for use in uses:
        name = corrections.find_final_key(SYMBOL, use.name)
        if "hidden" not in corrections.values_of(SYMBOL, name):
            visible.append(replace(use, name=name))
    return tuple(visible)


def combine_topic_tags(
    rule_tags: Iterable[TopicTag],
    keywords: Iterable[str],
    declared_topics: Mapping[str, DeclaredTopic],
    decisions: EpisodeDecisions,
    existing_slugs: Collection[str],
) -> tuple[TopicTag, ...]:
    """Return the tags of an episode: by rules, by keywords, and as curators added them, without
    removed ones.

    `rule_tags` are the tags that the rules gave, `keywords` are sorted, `declared_topics` are topics by the
    `name_key` of a keyword, and `existing_slugs` are all topics that the show may have.
    """
    tag_by_slug = {tag.topic: tag for tag in rule_tags}
    for position, keyword in enumerate(keywords):
        topic = declared_topics.get(name_key(keyword))
        if topic:
            tag = TopicTag(
                topic=topic.slug,
                term=keyword,
                field="keywords",
                position=position,
                confidence="high",
            )
            # A tag by a rule stays.
            tag_by_slug.setdefault(topic.slug, tag)
    for slug in decisions.removals("topic"):
        tag_by_slug.pop(slug, None)
    # A curator's addition replaces any other tag. Its topic may have been deleted since.
    for slug, _ in decisions.additions("topic"):
        if slug in existing_slugs:
            tag_by_slug[slug] = TopicTag(
                topic=slug, term="", field="curator", position=0, confidence="high"
            )
    return tuple(tag_by_slug.values())


# --- People ---------------------------------------------------------------------------------------


def collect_episode_credits(
    notes: Sequence[ParsedNotes], entries: Iterable[SourceEntry], title: str, show: Show
) -> tuple[PersonCredit, ...]:
    """Return the credits that the feed, the notes and the title of an episode give. `entries` are the
    trusted ones."""
    people: list[tuple[str, str, str]] = []  # (name, role, address)
    authors: list[str] = []
    for entry in entries:
        people += entry.values.people
        if entry.values.author:
            authors.append(entry.values.author)
    # Several sources give the same people. `dict.fromkeys` drops equal ones and keeps the order.
    declared = DeclaredPeople(list(dict.fromkeys(people)), list(dict.fromkeys(authors)))
    credits_in_notes: list[PersonCredit] = []
    for note in notes:
        credits_in_notes += note.credits_in(show)
    # Each episode has a displayed text at least, and its texts share their attempts, which log a failure
    # and give () for it.
    attempts = notes[0].attempts
    read = partial(episode_credits, declared, title, credits_in_notes, show)
    return attempts.run_or_default("credits", read, ())


@dataclass(frozen=True)
class PersonRegistry:
    """The identities of the people of a show: as its sources settle them, and as curators join them."""

    unified_identities: Mapping[str, str]  # the identity to use, by identity of the sources
    corrections: Corrections

    @cached_property
    def _corrections_by_identity_in_use(self) -> Mapping[str, dict[str, str]]:
        values_by_identity = defaultdict[str, dict[str, str]](dict)
        # Identities in use come last (False sorts before True), so that their corrections replace corrections
        # of former identities of the same people.
        former_first = sorted(self.corrections.keys(PERSON), key=self.is_in_use)
        for identity in former_first:
            values = self.corrections.values_of(PERSON, identity)
            # The correction "same" merges this identity itself. `is_merged` also finds a merge of the identity
            # that the sources use for it.
            is_of_merged_person = "same" in values or self.is_merged(identity)
            # The name and photo of a merged person are not for the other person, whose name pages show. They count
            # again when the merge is undone.
            if not is_of_merged_person:
                values_by_identity[self.find_identity(identity)].update(values)
        return values_by_identity

    def is_in_use(self, identity: str) -> bool:
        return self.find_identity(identity) == identity

    def find_identity(self, identity: str) -> str:
        return self.corrections.find_final_key(PERSON, identity, self.unified_identities)[
            :MAX_KEY_LENGTH
        ]

    def is_merged(self, identity: str) -> bool:
        """Return whether a curator merged a person into another one. Identities that the sources
        alone settle are no merge."""
        without_curators = Corrections()
        by_sources = without_curators.find_final_key(PERSON, identity, self.unified_identities)
        return self.find_identity(identity) != by_sources[:MAX_KEY_LENGTH]

    def settled_credit(self, credit: PersonCredit) -> CreditData:
        data = self.make_credit(credit.identity, credit.role, credit.credited_as, credit.name)
        return replace(data, evidence=credit.evidence)

    def make_credit(self, identity: str, role: str, credited_as: str, full_name: str) -> CreditData:
        """Return the credit of the person who has an identity. Leave the full name of a merged
        person blank, because pages show another person's name."""
        return CreditData(
            identity=self.find_identity(identity),
            # As long as their columns.
            role=role[:20],
            credited_as=credited_as[:300],
            full_name="" if self.is_merged(identity) else full_name[:300],
        )

    def visible_credits_with_corrections(
        self, people: Iterable[CreditData]
    ) -> tuple[CreditData, ...]:
        visible = []
        for credit in people:
            values = self._corrections_by_identity_in_use.get(credit.identity, {})
            if "hidden" not in values:
                visible.append(replace(credit, corrected=values))
        return tuple(visible)


def credits_after_decisions(
    person_credits: Iterable[CreditData], decisions: EpisodeDecisions, registry: PersonRegistry
) -> tuple[CreditData, ...]:
    removed_identities = set(map(registry.find_identity, decisions.removals(PERSON)))
    added_credits = _added_credits_by_identity(decisions, registry)
    credit_by_identity_and_role: dict[tuple[str, str], CreditData] = {}
    for credit in person_credits:
        if credit.identity in removed_identities:
            continue
        if credit.identity in added_credits:
            # Adding a person who is credited already changes the role.
            credit = replace(credit, role=added_credits[credit.identity].role)
        credit_by_identity_and_role.setdefault((credit.identity, credit.role), credit)
    # A credit of the sources stays in place of an equal addition, because it has evidence.
    for credit in added_credits.values():
        credit_by_identity_and_role.setdefault((credit.identity, credit.role), credit)
    return tuple(credit_by_identity_and_role.values())


def _added_credits_by_identity(
    decisions: EpisodeDecisions, registry: PersonRegistry
) -> dict[str, CreditData]:
    credits_by_identity = {}
    for identity, role_and_name in decisions.additions(PERSON):
        role, _, name = role_and_name.partition(" ")  # "guest Ada Roe"
        credit = registry.make_credit(identity, role, credited_as=name, full_name=name)
        # The identity in use, which may be another than the decision has.
        credits_by_identity[credit.identity] = credit
    return credits_by_identity


# --- Other episodes -------------------------------------------------------------------------------


def find_references_in_all_notes(
    own_slug: str, notes: Sequence[ParsedNotes], names: EpisodeNames
) -> tuple[ReferenceMatch, ...]:
    # Of all notes, because a text that is cut off in the middle of an address has the link that another text
    # has in full.
    address_by_link_key = _episode_addresses_by_link_key(notes, names)
    references_of_notes: list[ReferenceMatch] = []
    for note in notes:
        # None for words that name no episode of this show.
        mentions = list(filter(None, map(names.find_mention_of_episode, note.mentions)))
        links_of_note = _find_known_links_in_note(note, address_by_link_key)
        read = partial(
            find_strongest_references, own_slug, note.plain_text.text, links_of_note, mentions
        )
        references_of_notes += note.attempts.run_or_default("references", read, ())
    return strongest_references(references_of_notes)


class _EpisodeAddress(NamedTuple):
    """An address in notes that leads to an episode."""

    slug: str
    address: str


def _episode_addresses_by_link_key(
    notes: Sequence[ParsedNotes], names: EpisodeNames
) -> dict[str, _EpisodeAddress]:
    address_by_link_key = {}
    for note in notes:
        for link in note.links:
            target = names.find_slug_of_link(link.key, page_key(link.url))
            if target:
                address_by_link_key[link.key] = _EpisodeAddress(target, link.url)
    return address_by_link_key


def _find_known_links_in_note(
    note: ParsedNotes, address_by_link_key: Mapping[str, _EpisodeAddress]
) -> list[EpisodeLinkInText]:
    """Return the links of `address_by_link_key` that this text has, in full or cut off at its end."""
    position_by_link_key = {link.key: link.position for link in note.links}
    text = strip_cut_marks(note.plain_text.text).rstrip()
    end_of_text = text[-MAX_KEY_LENGTH:]  # no address is longer
    last_word = re.split(r"\s", end_of_text)[-1]
    position_of_last_word = len(text) - len(last_word)
    # "… and https://loom.example/spri…": the last word is the beginning of one of the addresses.
    is_address_cut = note.cut and "://" in last_word
    cut_address = canonical_url(last_word).rstrip("/") if is_address_cut else ""
    links_of_note = []
    for key, (slug, address) in address_by_link_key.items():
        if key in position_by_link_key:
            links_of_note.append(EpisodeLinkInText(slug, address, position_by_link_key[key]))
        elif cut_address and canonical_url(address).startswith(cut_address):
            links_of_note.append(EpisodeLinkInText(slug, address, position_of_last_word))
    return links_of_note


def references_after_decisions(
    references: Iterable[ReferenceMatch],
    own_slug: str,
    decisions: EpisodeDecisions,
    slug_by_entry: Mapping[str, str],
) -> tuple[ReferenceData, ...]:
    """Return the references of the episode `own_slug`, sorted by target, with curators' removals and
    additions. Decisions name a target by an entry, as a key of `slug_by_entry`."""
    kind_by_target = {}
    evidence_by_target = {}
    for reference in references:
        kind_by_target[reference.target] = reference.kind
        evidence_by_target[reference.target] = reference.evidence
    # The entry of a decision may belong to no episode now. Then the decision waits.
    for entry_key in decisions.removals("reference"):
        if entry_key in slug_by_entry:
            kind_by_target.pop(slug_by_entry[entry_key], None)
    for entry_key, kind in decisions.additions("reference"):
        if entry_key in slug_by_entry:
            kind_by_target[slug_by_entry[entry_key]] = kind
    # Two episodes may have become one since the decision, and an episode does not refer to itself.
    kind_by_target.pop(own_slug, None)
    return tuple(
        ReferenceData(kind, target, evidence_by_target.get(target, ""))
        for target, kind in sorted(kind_by_target.items())
    )
