"""The core: what values and lists that curators decide change in the episodes of these entries,
read and written for them alone.

References to other episodes, who somebody is in the whole show, the order and the counts beside
lists come with the follow-up (follow_ups.py), which makes the same catalog as a rebuild. Until
then these stay as they were.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ..models import (
    Attachment,
    Credit,
    Episode,
    EpisodeLink,
    Item,
    Person,
    Podcast,
    Redirect,
    SourceCount,
)
from ..notes import Memory, enrich
from ..records import CreditData, Resolved, ResolvedEpisode, SourceEntry
from .apply import digest_of, episode_rows, remember_addresses, taken_from, write_parts
from .apply_companions import write_companions
from .apply_counts import write_uses
from .apply_people import write_credits
from .catalog import Draft, addressed, drafts_of, keys_of, with_texts
from .inputs import decisions, evidence, topic_rules
from .rows import sync

EntryKey = tuple[str, str]  # source and key


def update_episodes(podcast: Podcast, named: Collection[EntryKey]) -> bool:
    """Bring the episodes of these entries up to date. False where that takes the whole show: where
    an entry has no episode yet, where an episode is taken out, and where two exchange addresses."""
    groups, decided = _touched(podcast, named), decisions(podcast)
    out = {withdrawal.entry for withdrawal in decided.withdrawals}
    entries = [entry for group in groups.values() for entry in group]
    if not all(groups.values()) or out.intersection(entry.ref[::2] for entry in entries):
        return False
    rows = list(Episode.objects.filter(pk__in=groups).order_by("order"))
    show, memory = podcast.show, Memory()
    known = keys_of(entries, show, memory)
    own = [groups[row.pk] for row in rows]
    found = drafts_of(own, decided, known, memory, None, _refuted(podcast))
    drafts = _with_addresses(podcast, found, rows)
    moves = {draft.slug for draft, row in zip(drafts, rows, strict=True) if draft.slug != row.slug}
    if moves.intersection(row.slug for row in rows):
        return False
    texts = with_texts(drafts, show, topic_rules(podcast), decided, memory)
    single = [episode for episode, _ in texts]
    resolved = [_as_stored(*of_one) for of_one in zip(single, drafts, rows, strict=True)]
    _write(podcast, Resolved(tuple(resolved), link_titles=_titles(rows)), drafts, rows)
    return True


def _touched(podcast: Podcast, named: Collection[EntryKey]) -> dict[int, list[SourceEntry]]:
    """By episode the entries of the episodes that these entries belong to; under None nothing,
    where one of them belongs to none."""
    items = Item.objects.filter(
        document__source__podcast=podcast, key__in={key for _, key in named}
    ).order_by()
    episodes = items.values_list("document__source__slug", "key", "attachment__episode")
    groups: dict[int, list[SourceEntry]] = {row[2]: [] for row in episodes if row[:2] in named}
    attached = Attachment.objects.filter(episode__in=groups.keys() - {None}).order_by()
    entries, ids = evidence(podcast, attachment__in=attached.values("pk"))
    episode_of = dict(attached.values_list("item", "episode"))
    for entry in sorted(entries, key=lambda entry: entry.order):
        groups[episode_of[ids[entry.ref]]].append(entry)
    return groups


def _refuted(podcast: Podcast) -> Mapping[str, frozenset[str]]:
    """By field the sources that are not used, as the last follow-up found them."""
    unused: dict[str, frozenset[str]] = defaultdict(frozenset)
    rows = SourceCount.objects.filter(source__podcast=podcast)
    for source, fields in rows.values_list("source__slug", "refuted"):
        for field in fields:
            unused[field] |= {source}
    return unused


def _with_addresses(
    podcast: Podcast, found: Sequence[Draft], rows: Sequence[Episode]
) -> list[Draft]:
    """The drafts with addresses that no other episode has or had. One that another had is given by
    the follow-up, which knows the order: until then an episode keeps its own."""
    drafts = addressed(found, taken_from(podcast), podcast.show)
    slugs = [draft.slug for draft in drafts]
    others = Episode.objects.filter(slug__in=slugs).exclude(pk__in=[row.pk for row in rows])
    own = {digest_of(entry) for draft in found for entry in draft.entries}
    ledger = Redirect.objects.of("episode").filter(slug__in=slugs).exclude(entry__in=own)
    taken = {*others.values_list("slug", flat=True), *ledger.values_list("slug", flat=True)}
    return [
        replace(draft, slug=row.slug) if draft.slug in taken else draft
        for draft, row in zip(drafts, rows, strict=True)
    ]


def _as_stored(episode: ResolvedEpisode, draft: Draft, row: Episode) -> ResolvedEpisode:
    """The episode with what only the whole show tells, as the catalog has it."""
    at = row.sorted_at if draft.at in (None, row.published_at) else draft.at
    return replace(episode, order=row.order, sorted_at=at, own_guid=row.own_guid, listed=row.listed)


def _titles(rows: Sequence[Episode]) -> dict[str, tuple[str, str]]:
    """The titles and summaries of the links that the episodes had, by key."""
    mentions = EpisodeLink.objects.filter(episode__in=rows).exclude(said={})
    said = mentions.values_list("link__key", "said")
    return {key: (own["title"], own["summary"]) for key, own in said}


def _write(
    podcast: Podcast, resolved: Resolved, drafts: Sequence[Draft], rows: Sequence[Episode]
) -> None:
    ids = {e.slug: row.pk for e, row in zip(resolved.episodes, rows, strict=True)}
    wanted = episode_rows(podcast, resolved.episodes)
    written = {(ids[slug],): {**values, "slug": slug} for slug, values in wanted.items()}
    sync(Episode, ("pk",), written, {"pk__in": list(ids.values())})
    scope = {"episode__in": list(ids.values())}
    touched = write_parts(resolved, ids, scope)
    touched[Person] = write_credits(_people(drafts, ids), ids, scope)
    write_companions(podcast, resolved, ids, scope)
    write_uses(touched)
    remember_addresses(podcast, resolved)


def _people(drafts: Sequence[Draft], ids: Mapping[str, int]) -> dict[str, Sequence[CreditData]]:
    """The people whom the catalog has, with those that curators put in and without those that they
    took out."""
    stored: dict[int, list[CreditData]] = defaultdict(list)
    rows = Credit.objects.filter(episode__in=ids.values()).order_by("pk")
    for row in rows.select_related("person"):
        own = (row.person.identity, row.role, row.credited_as, row.full_name, row.corrected)
        stored[row.episode_id].append(CreditData(*own))
    return {
        draft.slug: enrich.with_decided_people(stored[ids[draft.slug]], draft.decided)
        for draft in drafts
    }
