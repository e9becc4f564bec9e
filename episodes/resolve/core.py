"""The core: what curators' decisions change in the episodes of these entries, read and written for
them alone.

An entry is where the catalog has it, unless a curator judged otherwise: a judgement counts over all
rules of matching. Where these place entries anew after it, references to other episodes, who
somebody is in the whole show, the order and the counts beside lists come with the follow-up
(follow_ups.py), which makes the same catalog as a rebuild. Until then these stay as they were.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from ..identity import judged_groups, own_guids, short_hash
from ..models import (
    Attachment,
    Credit,
    Episode,
    EpisodeLink,
    Held,
    Item,
    Person,
    Podcast,
    Redirect,
    SourceCount,
)
from ..notes import Memory, enrich
from ..records import NO_DATE, CreditData, Decisions, Resolved, ResolvedEpisode, SourceEntry
from .apply import (
    digest_of,
    episode_rows,
    remember_addresses,
    taken_from,
    write_episodes,
    write_parts,
)
from .apply_counts import write_uses
from .apply_people import write_credits
from .catalog import Draft, addressed, drafts_of, keys_of, with_texts
from .inputs import Ref, decisions, evidence, topic_rules
from .rows import delete, sync

EntryKey = tuple[str, str]  # source and key
Group = list[SourceEntry]


@dataclass(frozen=True)
class Touched:
    """The entries that decisions name and all others of their episodes, and where the catalog has
    them."""

    entries: Sequence[SourceEntry]  # in the order of matching
    ids: Mapping[Ref, int]  # of items
    episodes: Mapping[int, int]  # by item
    held: Mapping[int, list[dict[str, Any]]]  # by item that waits its candidates

    def episode_of(self, entry: SourceEntry) -> int:
        """The episode that has the entry; 0 for none."""
        return self.episodes.get(self.ids[entry.ref], 0)


def update_episodes(podcast: Podcast, named: Collection[EntryKey]) -> bool:
    """Bring the episodes of these entries up to date. False where that takes the whole show: where
    an entry is nowhere yet, where an episode is taken out, and where two exchange addresses."""
    touched, decided = _touched(podcast, named), decisions(podcast)
    out = {withdrawal.entry for withdrawal in decided.withdrawals}
    if touched is None or out.intersection(entry.ref[::2] for entry in touched.entries):
        return False
    there = list(Episode.objects.filter(pk__in=touched.episodes.values()).order_by("order"))
    groups = _as_judged(touched, decided, there)
    show, memory = podcast.show, Memory()
    known, own = keys_of(touched.entries, show, memory), [group for group, _ in groups]
    found = drafts_of(own, decided, known, memory, None, _refuted(podcast))
    drafts, rows = _with_addresses(podcast, found, [rows for _, rows in groups], there)
    moves = {draft.slug for draft, row in zip(drafts, rows, strict=True) if draft.slug != row.slug}
    if moves.intersection(row.slug for row in there):
        return False
    texts = with_texts(drafts, show, topic_rules(podcast), decided, memory)
    single = [episode for episode, _ in texts]
    resolved = [_as_stored(*of_one) for of_one in zip(single, drafts, rows, strict=True)]
    _write(podcast, Resolved(tuple(resolved), link_titles=_titles(there)), drafts, rows, touched)
    _let_wait(touched, decided, {entry.ref for group in own for entry in group}, there)
    return True


def _touched(podcast: Podcast, named: Collection[EntryKey]) -> Touched | None:
    """None where one of the entries is neither in an episode nor waits."""
    items = Item.objects.filter(
        document__source__podcast=podcast, key__in={key for _, key in named}
    ).order_by()
    rows = items.values_list("pk", "document__source__slug", "key")
    own = {pk for pk, *ref in rows if tuple(ref) in named}
    episodes = Attachment.objects.filter(item__in=own).order_by().values("episode")
    attached = Attachment.objects.filter(episode__in=episodes).order_by()
    held = Held.objects.filter(item__in=own).order_by()
    places = dict(attached.values_list("item", "episode"))
    waiting = dict(held.values_list("item", "candidates"))
    entries, ids = evidence(podcast, pk__in=[*places, *waiting])
    in_order = sorted(entries, key=lambda entry: entry.order)
    return Touched(in_order, ids, places, waiting) if own <= {*ids.values()} else None


def _as_judged(
    touched: Touched, decided: Decisions, there: Sequence[Episode]
) -> list[tuple[Group, list[Episode]]]:
    """The entries of each episode, together as judged, else as they are; and the episodes that it
    goes on from, oldest first. One goes on where its first entry is that was not split off. New
    ones come last."""
    wanted = [entry for entry in touched.entries if entry.ref[::2] not in decided.unwanted]
    groups = judged_groups(wanted, {}, decided.rulings)
    together: dict[int, list[Ref]] = defaultdict(list)
    for entry in wanted:
        together[touched.episode_of(entry)].append(entry.ref)
    for own in [together[row.pk] for row in there]:
        for one, other in combinations(own, 2):
            groups.join(one, other, "", ruled=True)
    every = {id(group): group for group in groups.group_of.values()}
    alone = {id(groups.group_of[e.ref]) for e in wanted if e.ref[::2] in decided.alone}
    made: dict[int, list[Episode]] = {}
    for row in there:
        keys = [id(groups.group_of[ref]) for ref in together[row.pk]]
        for key in sorted(keys, key=alone.__contains__)[:1]:
            made.setdefault(key, []).append(row)
    for entry in wanted:
        key = id(groups.group_of[entry.ref])
        if key in alone or touched.episode_of(entry):
            made.setdefault(key, [])
    return [(sorted(every[key], key=lambda e: e.order), rows) for key, rows in made.items()]


def _refuted(podcast: Podcast) -> Mapping[str, frozenset[str]]:
    """By field the sources that are not used, as the last follow-up found them."""
    unused: dict[str, frozenset[str]] = defaultdict(frozenset)
    rows = SourceCount.objects.filter(source__podcast=podcast)
    for source, fields in rows.values_list("source__slug", "refuted"):
        for field in fields:
            unused[field] |= {source}
    return unused


def _with_addresses(
    podcast: Podcast,
    found: Sequence[Draft],
    before: Sequence[Sequence[Episode]],
    there: Sequence[Episode],
) -> tuple[list[Draft], list[Episode]]:
    """The drafts with addresses that no other episode has or had, and their rows. One that another
    had is given by the follow-up, which knows the order: until then an episode keeps its own."""
    drafts = addressed(found, taken_from(podcast), podcast.show)
    slugs = [draft.slug for draft in drafts]
    others = Episode.objects.filter(slug__in=slugs).exclude(pk__in=[row.pk for row in there])
    own = {digest_of(entry) for draft in found for entry in draft.entries}
    ledger = Redirect.objects.of("episode").filter(slug__in=slugs).exclude(entry__in=own)
    taken = {*others.values_list("slug", flat=True), *ledger.values_list("slug", flat=True)}
    rows = [_row(podcast, *of_one) for of_one in zip(drafts, before, strict=True)]
    theirs = {row.slug for row in there}
    return [
        replace(draft, slug=row.slug)
        if draft.slug in (taken if row.pk else taken | theirs)
        else draft
        for draft, row in zip(drafts, rows, strict=True)
    ], rows


def _row(podcast: Podcast, draft: Draft, before: Sequence[Episode]) -> Episode:
    """The row that an episode goes on from, if there is any that of its address; else a new one,
    behind those that are not later."""
    for row in sorted(before, key=lambda row: row.slug != draft.slug):
        return row
    return Episode(
        slug=f"{draft.slug}-{short_hash(draft.name)}",
        order=podcast.episodes.filter(sorted_at__lte=draft.at or NO_DATE).count(),
        own_guid=own_guids(podcast.slug, [draft.trusted])[0],
    )


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
    podcast: Podcast,
    resolved: Resolved,
    drafts: Sequence[Draft],
    rows: Sequence[Episode],
    touched: Touched,
) -> None:
    for draft, row in zip(drafts, rows, strict=True):
        Episode.objects.filter(pk=row.pk).exclude(slug=draft.slug).update(slug=draft.slug)
    written = episode_rows(podcast, resolved.episodes)
    ids = write_episodes(written, {"slug__in": list(written)})
    gone = {*touched.episodes.values()} - {*ids.values()}
    scope = {"episode__in": [*ids.values(), *gone]}
    uses = write_parts(resolved, ids, scope)
    uses[Person] = write_credits(_people(drafts, ids), ids, scope)
    attached = {
        (touched.ids[entry.ref],): {"episode_id": ids[slug]}
        for slug, entry in resolved.each("entries")
    }
    sync(Attachment, ("item_id",), attached, {"item__in": list(touched.ids.values())})
    delete(Episode.objects.all(), gone)
    write_uses(uses)
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


def _let_wait(
    touched: Touched, decided: Decisions, placed: Collection[Ref], there: Sequence[Episode]
) -> None:
    """Let wait what still does, without the candidates that it was judged with."""
    judged, wanted = {row.slug for row in there}, {}
    for entry in touched.entries:
        if entry.ref not in placed and entry.ref[::2] not in decided.unwanted:
            item = touched.ids[entry.ref]
            left = [one for one in touched.held[item] if one["episode"] not in judged]
            wanted[item,] = {"candidates": left}
    sync(Held, ("item_id",), wanted, {"item__in": list(touched.ids.values())})
