"""Episodes in the making: their order, their addresses, and which of them are withdrawn; pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import NamedTuple

from ..identity import (
    ReservedSlugs,
    SlugRequest,
    SortableEpisode,
    make_guids_in_cluster_order,
    make_slug,
    make_unique_slugs,
    sort_ids_newest_first,
)
from ..notes import read_notes
from ..records import (
    ResolvedWithdrawal,
    Show,
    SourceEntry,
    WithdrawalData,
    cluster_by_entry,
    trusted_only,
)
from .read_episodes import EpisodeOutline, EpisodeReader, StoredReading


@dataclass(frozen=True, slots=True)
class Draft:
    """An episode in the making: its entries, the decisions about it, its outline, and later its
    address."""

    reading: EpisodeReader
    stored: StoredReading
    outline: EpisodeOutline  # with corrected links
    fingerprint: str  # of the inputs of the outline
    at: datetime | None  # sorts it; None if the date is unknown or still ahead
    withdrawal: WithdrawalData | None = None
    slug: str = ""
    own_guid: str = ""  # its identifier in our feeds

    @property
    def entries(self) -> tuple[SourceEntry, ...]:
        return self.reading.entries

    @property
    def decided(self) -> read_notes.EpisodeDecisions:
        return self.reading.decided

    @property
    def pinned_slug(self) -> str:
        if self.withdrawal:
            return self.withdrawal.address  # that the episode had when a curator withdrew it
        return self.decided.overrides.get("slug", "")

    @property
    def title_of_slug(self) -> str:
        return self.pinned_slug or self.outline.title


def sort_oldest_first(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts in the order of their show, which `sort_ids_newest_first` defines, but the oldest
    first: by season and number, else date, else position in a list, else name."""
    sortable = []
    for index, draft in enumerate(drafts):
        outline = draft.outline
        row = SortableEpisode(index, outline.number, draft.at, outline.name, outline.season)
        sortable.append(row)
    newest_first = sort_ids_newest_first(sortable, _draft_indexes_of_each_document(drafts))
    return [drafts[index] for index in reversed(newest_first)]


def _draft_indexes_of_each_document(drafts: Sequence[Draft]) -> list[list[int]]:
    """Return for each document the indexes of its drafts in the order of its list, the document of the best
    rank first: [[2, 0], [1, 2]]. Drafts without number and date are sorted by it."""
    listed_by_document = defaultdict(list)
    for index, draft in enumerate(drafts):
        # As for its values, unconfirmed entries count only for an episode without confirmed ones.
        for entry in trusted_only(draft.entries):
            is_still_listed = entry.gone_version is None
            if is_still_listed:
                # If an episode has two entries in a document, the first position counts.
                listed = _ListedDraft(entry.position, entry.key, index)
                listed_by_document[entry.document_order].append(listed)
    indexes_of_each_document = []
    for _, listed_drafts in sorted(listed_by_document.items()):
        indexes_of_each_document.append([listed.draft_index for listed in sorted(listed_drafts)])
    return indexes_of_each_document


class _ListedDraft(NamedTuple):
    """The place of an episode in the list of a document. The order of the fields sorts it."""

    position: int
    entry_key: str  # only so that equal positions have an order
    draft_index: int


class SlugClaim(NamedTuple):
    """A title of an episode, now or in an earlier version of its source, that claims an address."""

    version: int  # 0 if a curator decided it
    first_published: str  # the date that the episode had at first
    draft_index: int  # of the drafts, the oldest first
    request: SlugRequest
    is_present: bool  # of the title that the episode has now

    def precedence(self) -> tuple[object, ...]:
        # Of titles of one draft and version, the present one comes first.
        is_former = not self.is_present
        return (self.version, self.first_published, self.draft_index, is_former)


def drafts_with_slugs_and_guids(
    oldest_first: Sequence[Draft], select_reserved_slugs: ReservedSlugs, show: Show
) -> list[Draft]:
    """Return copies of the drafts with `slug` and `own_guid` set. The slug is made from the title."""
    # Former titles claim their slugs, too, so that no import takes an address from an episode that had it.
    claims = _slug_claims_by_precedence(oldest_first)
    requests = [claim.request for claim in claims]
    unique_slugs = make_unique_slugs(requests, select_reserved_slugs, show.slug)
    present_slug_by_index = {}
    for claim, unique_slug in zip(claims, unique_slugs, strict=True):
        # The slugs of former titles are only kept free.
        if claim.is_present:
            present_slug_by_index[claim.draft_index] = unique_slug
    guids = make_guids_in_cluster_order(
        show.slug, [trusted_only(draft.entries) for draft in oldest_first]
    )
    drafts = []
    for index, draft in enumerate(oldest_first):
        slug = present_slug_by_index[index]
        drafts.append(replace(draft, slug=slug, own_guid=guids[index]))
    return drafts


def _slug_claims_by_precedence(oldest_first: Sequence[Draft]) -> list[SlugClaim]:
    """Return the claims of all drafts. The first of equal ones gets the address: curators' decisions come
    first, then titles by the version in which a source first had them, then episodes that were older at
    first: a corrected date moves no address."""
    claims = []
    for index, draft in enumerate(oldest_first):
        outline = draft.outline
        # A text that no other episode of the same title has.
        identity = outline.opening or outline.name
        present_slug = make_slug(draft.title_of_slug)
        first_dates = [entry.first_published for entry in _entries_that_title_came_from(draft)]
        first_published = min(filter(None, first_dates), default="")
        for slug, (version, title) in _titles_with_first_version_by_slug(draft).items():
            request = SlugRequest(title, outline.number, identity)
            is_present = slug == present_slug
            claims.append(SlugClaim(version, first_published, index, request, is_present))
    claims.sort(key=SlugClaim.precedence)
    return claims


class _TitleVersion(NamedTuple):
    """A title of an episode, and the first version in which its source had it."""

    version: int
    title: str


def _titles_with_first_version_by_slug(draft: Draft) -> dict[str, _TitleVersion]:
    """Return each present and former title of an episode by the slug that the title makes, with its first
    version: {"quantized-jit": (7, "Quantized JIT"), "jit": (2, "JIT")}. An address that a curator gave has
    version 0, before all versions of sources."""
    title_entries = _entries_that_title_came_from(draft)
    title_by_slug = _sourced_title_versions_by_slug(title_entries)
    present_title = draft.title_of_slug
    present_slug = make_slug(present_title)
    if draft.pinned_slug:
        title_by_slug[present_slug] = _TitleVersion(0, present_title)
    else:
        # A title of no source, such as an override, counts since the first entry.
        first_version = min(entry.first_version for entry in title_entries)
        title_by_slug.setdefault(present_slug, _TitleVersion(first_version, present_title))
    return title_by_slug


def _entries_that_title_came_from(draft: Draft) -> Sequence[SourceEntry]:
    entries = trusted_only(draft.entries)
    of_title_source = [entry for entry in entries if entry.source == draft.outline.title_source]
    # A title that only a curator gave has no source. Then the titles of all sources count.
    return of_title_source or entries


def _sourced_title_versions_by_slug(entries: Sequence[SourceEntry]) -> dict[str, _TitleVersion]:
    titles = chain.from_iterable(entry.titles for entry in entries)
    title_by_slug = {}
    # The newest version comes first. So the first version of a title comes last, and stays.
    for version, title in sorted(titles, reverse=True):
        title_by_slug[make_slug(title)] = _TitleVersion(version, title)
    return title_by_slug


def remaining_drafts_newest_published_last(drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts that are not withdrawn, oldest first. The newest published episode is moved to
    the end, because an episode that is only announced is never the newest of a show."""
    remaining = [draft for draft in drafts if draft.withdrawal is None]
    # Sorted again: the position of an episode without a date may have followed from a withdrawn one.
    remaining = sort_oldest_first(remaining)
    published = [draft for draft in remaining if not _is_only_announced(draft)]
    if published:
        newest_published = published[-1]
        remaining.remove(newest_published)
        remaining.append(newest_published)
    return remaining


def _is_only_announced(draft: Draft) -> bool:
    # A date that is still ahead gives no `at`. An episode without a date counts as published.
    has_date = draft.outline.published != ""
    return has_date and draft.at is None


def withdrawn_episodes_with_replacements(drafts: Sequence[Draft]) -> tuple[ResolvedWithdrawal, ...]:
    index_by_entry = cluster_by_entry(draft.entries for draft in drafts)  # the index in `drafts`
    withdrawn = []
    for draft in drafts:
        if draft.withdrawal:
            row = ResolvedWithdrawal(
                slug=draft.slug,
                merged=draft.reading.merged,
                entries=draft.entries,
                decision=draft.withdrawal,
                replaced_by=_final_replacement_slug(draft.withdrawal, drafts, index_by_entry),
            )
            withdrawn.append(row)
    return tuple(withdrawn)


def _final_replacement_slug(
    withdrawal: WithdrawalData,
    drafts: Sequence[Draft],
    index_by_entry: Mapping[tuple[str, str], int],
) -> str:
    """Return the slug of the episode at the end of a chain of replacements: the withdrawn A is replaced by
    B, which was withdrawn later and replaced by C. Return "" if the chain ends without an episode, or is a
    circle."""
    visited_indexes: set[int] = set()
    index = index_by_entry.get(withdrawal.replacement)
    while index is not None and index not in visited_indexes:
        visited_indexes.add(index)
        draft = drafts[index]
        if draft.withdrawal is None:
            return draft.slug
        index = index_by_entry.get(draft.withdrawal.replacement)
    return ""
