"""Reads an episode: merges the values of its entries, and finds links, people and symbols in its notes.

The passes over a whole show need only its outline, which is stored. An episode that has a
stored outline is read again only if it is written.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import chain
from typing import Any, NamedTuple, Self

from ..fields import PUBLISHED_FIELD, TITLE_FIELD
from ..identity import MatchKeys, entry_with_plain_text_and_number, make_slug, merge_values
from ..notes import (
    LINK,
    Attempts,
    Corrections,
    PersonCredit,
    PossibleMention,
    TopicRule,
    find_topic_tags,
    fold_link_key,
    read_notes,
)
from ..records import (
    EpisodeLinkData,
    MergedValues,
    RankedEntry,
    Show,
    SourceEntry,
    SymbolUse,
    TopicTag,
    trusted_only,
)
from ..text.normalize import folded_opening
from ..text.show_notes import notes_to_safe_html, to_text
from ..text.summaries import Sentence, keys_of_sentences, read_first_sentences
from ..text.urls import page_key
from ..transcripts import addresses_of_episode_files


@dataclass(frozen=True)
class ReadingRules:
    """The inputs of a reading beside the entries and decisions of its episode."""

    show: Show
    topic_rules: Sequence[TopicRule]
    corrections: Corrections


class OutlineLink(NamedTuple):
    """A link of the notes as far as it relates episodes; `page` is its `page_key`."""

    kind: str
    key: str
    url: str
    page: str
    is_visible: bool  # no curator removed it, nor hid it


@dataclass(frozen=True, slots=True)
class EpisodeOutline:
    """The values of an episode that the passes over its show need, without its notes."""

    title: str = ""
    title_source: str = ""  # of the title before a curator's
    number: int | None = None
    season: int | None = None
    published: str = ""  # PublicationDate.isoformat()
    published_source: str | None = None
    name: str = ""  # tells it from others of the same title
    opening: str = ""
    pages: tuple[str, ...] = ()  # `page_key`s of its page addresses
    keywords: tuple[str, ...] = ()
    credits: tuple[PersonCredit, ...] = ()
    links: tuple[OutlineLink, ...] = ()  # without corrections
    symbols: tuple[str, ...] = ()  # without corrections
    sentences: tuple[str, ...] = ()  # `keys_of_sentences`
    mentions: tuple[PossibleMention, ...] = ()
    files: tuple[str, ...] = ()  # addresses of transcripts and chapters that are offered

    @property
    def visible_link_keys(self) -> list[str]:
        return [link.key for link in self.links if link.is_visible]

    def payload(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Self:
        """Return a stored outline.

        Raises:
            TypeError, KeyError: it is of a release that stored other values.
        """
        # JSON has lists in place of tuples.
        values: dict[str, Any] = {}
        for name, value in payload.items():
            values[name] = tuple(value) if isinstance(value, list) else value
        values["credits"] = tuple(PersonCredit(**row) for row in payload["credits"])
        values["links"] = tuple(OutlineLink(*row) for row in payload["links"])
        values["mentions"] = tuple(_mention_from_json(row) for row in payload["mentions"])
        return cls(**values)


@dataclass(frozen=True, slots=True)
class StoredReading:
    """The stored outline, text and tags of an episode, for the next resolve."""

    outline: EpisodeOutline
    text: str  # of the notes, for topics
    tags: tuple[TopicTag, ...]  # by the rules
    # Of the inputs of the tags beside the text; "" if they could not be found.
    tags_fingerprint: str


def _mention_from_json(row: Sequence[Any]) -> PossibleMention:
    mention = PossibleMention(*row)
    return mention._replace(words=tuple(mention.words), word_ends=tuple(mention.word_ends))


def read_match_keys(entry: SourceEntry, show: Show, attempts: Attempts) -> MatchKeys:
    """Return the match keys of an entry. Each is computed when it is first used."""

    def plain(html: str) -> str:
        return attempts.run_or_default("plain", partial(to_text, html), "")

    return MatchKeys(entry.values, show, to_plain=plain, has_own_title=entry.may_create)


class EpisodeReader:
    """The values and mentions of an episode, from its entries and the decisions about it. Each part is
    read when it is first used."""

    def __init__(
        self,
        entries: tuple[SourceEntry, ...],
        decided: read_notes.EpisodeDecisions,
        rules: ReadingRules,
        match_keys: Mapping[tuple[str, str, str], MatchKeys],
        attempts: Mapping[tuple[str, str, str], Attempts],
    ) -> None:
        """`match_keys` and `attempts` are of all entries of the show. Attempts log a text that cannot be read."""
        self.entries = entries
        self.decided = decided
        self.rules = rules
        self.match_keys = match_keys
        # A failure that is of no single entry is noted with the first.
        self.attempts = [attempts[entry.ref] for entry in entries]

    @cached_property
    def ranked_entries(self) -> list[RankedEntry]:
        return [
            entry_with_plain_text_and_number(entry, self.match_keys[entry.ref])
            for entry in trusted_only(self.entries)
        ]

    @cached_property
    def merged(self) -> MergedValues:
        merged = merge_values(self.ranked_entries, self.decided.overrides, self._to_html)
        return with_open_conflicts_only(merged, self.decided)

    def _to_html(self, html: str, text: str, cut: bool) -> str:
        return self.attempts[0].run_or_default(
            "shown", partial(notes_to_safe_html, html, text, cut), ""
        )

    @cached_property
    def notes(self) -> list[read_notes.ParsedNotes]:
        return read_notes.parse_all_notes_displayed_first(
            self.merged, self.ranked_entries, self.rules.show, self.attempts[0]
        )

    @cached_property
    def links_without_removed(self) -> tuple[EpisodeLinkData, ...]:
        return read_notes.merge_links_with_decisions(self.notes, self.rules.show, self.decided)

    @property
    def links(self) -> tuple[EpisodeLinkData, ...]:
        return read_notes.visible_links_with_corrections(
            self.links_without_removed, self.rules.corrections
        )

    @cached_property
    def keywords(self) -> tuple[str, ...]:
        keywords: set[str] = set()
        for ranked in self.ranked_entries:
            keywords.update(ranked.values.keywords)
        return tuple(sorted(keywords))

    def find_tags_by_rules(self, outline: EpisodeOutline, text: str) -> tuple[TopicTag, ...]:
        find = partial(
            find_topic_tags,
            outline.title,
            text,
            link_keys=outline.visible_link_keys,
            keywords=outline.keywords,
            rules=self.rules.topic_rules,
            show_title=self.rules.show.title,
        )
        return tuple(self.attempts[0].run_or_default("topics", find, ()))

    @cached_property
    def raw_symbols(self) -> tuple[SymbolUse, ...]:
        return read_notes.find_code_symbols_in_title_and_notes(
            self.notes[0], self.merged.title, self.rules.show
        )

    @property
    def symbols(self) -> tuple[SymbolUse, ...]:
        return read_notes.visible_symbols_under_final_names(
            self.raw_symbols, self.rules.corrections
        )

    @property
    def html(self) -> str:
        show = self.rules.show
        corrections = self.rules.corrections
        return read_notes.correct_links_in_html(self.merged.notes.html, show, corrections)

    @cached_property
    def sentences(self) -> list[Sentence]:
        return read_first_sentences(self.merged.text)

    def read_episode_outline(self) -> EpisodeOutline:
        """Return the values of the episode that are compared with other episodes of its show, to order them
        and to find addresses, references, known people and repeated sentences. Corrections of links and
        symbols come later."""
        merged = self.merged
        # The title that the sources give, even if a curator gave another one.
        sourced_title = TITLE_FIELD.choose_sourced_value(self.ranked_entries)
        # Without transcripts, and without unconfirmed entries if others are confirmed.
        trusted_entries = [ranked.entry for ranked in self.ranked_entries]
        # The first 80 characters of the notes. With the title and identifiers they tell the episode from others.
        opening = folded_opening(merged.text, 80)
        name = self._build_distinct_name(opening)
        pages = [page_key(entry.values.url) for entry in trusted_entries if entry.values.url]
        person_credits = read_notes.collect_episode_credits(
            self.notes, trusted_entries, merged.title, self.rules.show
        )
        symbols = [use.name for use in self.raw_symbols]
        sentences = sorted(keys_of_sentences(self.sentences))
        mentions = chain.from_iterable(note.mentions for note in self.notes)
        return EpisodeOutline(
            title=merged.title,
            title_source=sourced_title.source,
            number=merged.number,
            season=merged.season,
            published=PUBLISHED_FIELD.to_text(merged.moment),
            published_source=merged.provenance["published"].source,
            name=name,
            opening=opening,
            # `dict.fromkeys` drops equal texts and keeps the order.
            pages=tuple(dict.fromkeys(pages)),
            keywords=self.keywords,
            credits=person_credits,
            links=tuple(self._iterate_visible_and_removed_links()),
            symbols=tuple(dict.fromkeys(symbols)),
            sentences=tuple(sentences),
            mentions=tuple(mentions),
            # A transcript is an entry, too.
            files=addresses_of_episode_files(self.entries),
        )

    @property
    def failures(self) -> dict[str, str]:
        failures = {}
        for attempts in self.attempts:
            failures.update(attempts.failures)
        return failures

    def _iterate_visible_and_removed_links(self) -> Iterator[OutlineLink]:
        """Yield the links without those that a curator removed, then the removed links. A removed link to an
        episode is still a reference."""
        visible_keys = set()
        for link in self.links_without_removed:
            visible_keys.add(link.key)
            yield OutlineLink(link.kind, link.key, link.url, page_key(link.url), is_visible=True)
        links_of_notes = chain.from_iterable(note.links for note in self.notes)
        link_by_key = {link.key: link for link in links_of_notes}  # each once
        for key, link in link_by_key.items():
            if key not in visible_keys:
                yield OutlineLink(link.kind, key, link.url, page_key(link.url), is_visible=False)

    def _build_distinct_name(self, opening: str) -> str:
        """Return a text of slug, opening and identifiers that tells the episode from others of its
        title. It does not depend on the order of imports."""
        parts = [make_slug(self.merged.title), opening]
        for field in ("guid", "audio_url", "url"):
            parts.append(self._first_value_of_ranked_entries(field))
        # A control character that is in none of them.
        return "\x1f".join(parts)

    def _first_value_of_ranked_entries(self, field: str) -> str:
        """Return the value of the best-ranked entry that has one, or "". `field` is the name of an
        attribute of EntryData."""
        for ranked in self.ranked_entries:
            value: str = getattr(ranked.values, field)
            if value:
                return value
        return ""


def with_link_corrections(outline: EpisodeOutline, corrections: Corrections) -> EpisodeOutline:
    """Return a copy of the outline, with the kinds of links that curators gave. Links that they hid
    are marked as not visible."""
    if not corrections.keys(LINK):
        return outline
    links = []
    for link in outline.links:
        values = corrections.values_of(LINK, fold_link_key(link.key))
        is_visible = link.is_visible and "hidden" not in values
        links.append(link._replace(kind=values.get("kind", link.kind), is_visible=is_visible))
    return replace(outline, links=tuple(links))


def with_open_conflicts_only(
    merged: MergedValues, decided: read_notes.EpisodeDecisions
) -> MergedValues:
    conflicts = []
    for conflict in merged.conflicts:
        # An override settles which value is right. A curator may also close a conflict without one.
        is_overridden = conflict.field in decided.overrides
        is_closed = not decided.keeps("conflict", conflict.key)
        if not is_overridden and not is_closed:
            conflicts.append(conflict)
    return replace(merged, conflicts=tuple(conflicts))
