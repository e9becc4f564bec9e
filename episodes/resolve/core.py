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
from itertools import chain, combinations, groupby
from math import inf
from operator import itemgetter
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
from .apply_companions import write_companions
from .apply_counts import write_uses
from .apply_people import write_credits
from .catalog import Draft, addressed, drafts_of, keys_of, voices_of, with_texts
from .inputs import Ref, decisions, evidence, topic_rules
from .rows import delete, sync

EntryKey = tuple[str, str]  # source and key
Group = list[SourceEntry]


@dataclass(frozen=True)
class Touched:
    """The entries that decisions name and all others of their episodes, and where the catalog has
    them; without those that waited and are no episode."""

    entries: Sequence[SourceEntry]  # in the order of matching
    ids: Mapping[Ref, int]  # of items
    episodes: Mapping[int, int]  # by item
    held: Mapping[int, list[dict[str, Any]]]  # by item that waits its candidates

    def episode_of(self, entry: SourceEntry) -> int:
        """The episode that has the entry; a number below 0 for one that waits."""
        return self.episodes.get(self.ids[entry.ref], -self.ids[entry.ref])


class TakesTheShow(Exception):
    """A change that the episodes of these entries do not tell alone."""


def update_episodes(podcast: Podcast, named: Collection[EntryKey]) -> None:
    """Bring the episodes of these entries up to date.

    Raises:
        TakesTheShow: an entry is nowhere yet or a transcript, an episode or an entry of it is taken out, entries
            alone are judged to be of another episode or are none by themselves, or two exchange
            addresses.
    """
    decided, show, memory = decisions(podcast), podcast.show, Memory()
    touched = _touched(podcast, named, decided)
    there = list(Episode.objects.filter(pk__in=touched.episodes.values()).order_by("order"))
    groups = _with_rows(_as_judged(touched, decided), touched, there)
    own = [group for group, _ in groups]
    voices = voices_of(own, keys_of(touched.entries, show, memory))
    found = drafts_of(own, voices, decided, memory, None, _refuted(podcast))
    drafts, rows = _with_addresses(podcast, found, [row for _, row in groups], touched)
    holders = {row.slug: row for row in there}
    if rows != [holders.get(draft.slug, row) for draft, row in zip(drafts, rows, strict=True)]:
        raise TakesTheShow
    guids = own_guids(show.slug, [draft.trusted for draft in drafts])
    for row, guid in zip(rows, guids, strict=True):
        # No two have one, and those stay that two documents of a source make longer.
        row.own_guid = guid if row.own_guid in {*guids, ""} else row.own_guid
    texts = with_texts(drafts, show, topic_rules(podcast), decided, memory)
    resolved = Resolved(
        tuple(
            _as_stored(episode, draft, row)
            for (episode, _), draft, row in zip(texts, drafts, rows, strict=True)
        ),
        link_titles=_titles(there),
    )
    _write(podcast, resolved, drafts, rows, touched)
    _let_wait(touched, {entry.ref for entry in chain.from_iterable(own)}, there)


def _touched(podcast: Podcast, named: Collection[EntryKey], decided: Decisions) -> Touched:
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
    out = {withdrawal.entry for withdrawal in decided.withdrawals} | decided.unwanted
    gone = {ids[entry.ref] for entry in entries if entry.ref[::2] in out}
    brought = {ids[entry.ref] for entry in entries if entry.is_transcript}
    if own - ({*ids.values()} - brought) or gone & places.keys():
        raise TakesTheShow
    wanted = (entry for entry in entries if ids[entry.ref] not in gone)
    return Touched(sorted(wanted, key=lambda entry: entry.order), ids, places, waiting)


def _as_judged(touched: Touched, decided: Decisions) -> list[Group]:
    """The entries of each episode, together as judged, else as they are. What was split off comes
    last."""
    judged = judged_groups(touched.entries, {}, decided.rulings)
    groups = judged_groups(touched.entries, {}, decided.rulings)
    in_order = sorted(touched.entries, key=touched.episode_of)
    for _, own in groupby(in_order, key=touched.episode_of):
        for one, other in combinations(own, 2):
            groups.join(one.ref, other.ref, "", ruled=True)
    rows, made = {*touched.episodes.values()}, []
    for group in {id(group): group for group in groups.group_of.values()}.values():
        before = rows.intersection(map(touched.episode_of, group))
        is_alone = not decided.alone.isdisjoint(entry.ref[::2] for entry in group)
        may_be_one = max(is_alone, *(entry.may_create for entry in group))
        if len(before) > 1 and len(judged.group_of[group[0].ref]) < len(group):
            raise TakesTheShow
        if before and not may_be_one:
            raise TakesTheShow
        if before or is_alone:
            made.append((is_alone, sorted(group, key=lambda entry: entry.order)))
    return [group for _, group in sorted(made, key=itemgetter(0))]


def _with_rows(
    groups: Sequence[Group], touched: Touched, there: Sequence[Episode]
) -> list[tuple[Group, Episode | None]]:
    """The groups, each with the episode that it goes on from, that of its first entry which no
    other does: the oldest first, and new ones last."""
    left, found = {row.pk: row for row in there}, []
    for group in groups:
        rows = (left.pop(touched.episode_of(entry), None) for entry in group)
        found.append((group, next(filter(None, rows), None)))
    return sorted(found, key=lambda pair: pair[1].order if pair[1] else inf)


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
    before: Sequence[Episode | None],
    touched: Touched,
) -> tuple[list[Draft], list[Episode]]:
    """The drafts with addresses that no other episode has or had, and their rows. One that another
    had is given by the follow-up, which knows the order: until then an episode keeps its own."""
    drafts = addressed(found, taken_from(podcast), podcast.show)
    slugs = [draft.slug for draft in drafts]
    others = Episode.objects.filter(slug__in=slugs).exclude(pk__in=touched.episodes.values())
    own = set(map(digest_of, touched.entries))
    ledger = Redirect.objects.of("episode").filter(slug__in=slugs).exclude(entry__in=own)
    taken = {*others.values_list("slug", flat=True), *ledger.values_list("slug", flat=True)}
    rows = [row or _new(podcast, draft) for draft, row in zip(drafts, before, strict=True)]
    return [
        replace(draft, slug=row.slug) if draft.slug in taken else draft
        for draft, row in zip(drafts, rows, strict=True)
    ], rows


def _new(podcast: Podcast, draft: Draft) -> Episode:
    """The row of an episode that was none before, behind those that are not later."""
    return Episode(
        slug=f"{draft.slug}-{short_hash(draft.name)}",
        order=podcast.episodes.filter(sorted_at__lte=draft.at or NO_DATE).count(),
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
    write_companions(podcast, resolved, ids, scope)
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


def _let_wait(touched: Touched, placed: Collection[Ref], there: Sequence[Episode]) -> None:
    """Let wait what still does, without the candidates that it was judged with."""
    judged = {row.slug for row in there}
    items = [touched.ids[entry.ref] for entry in touched.entries if entry.ref not in placed]
    left = [[one for one in touched.held[item] if one["episode"] not in judged] for item in items]
    wanted = {(item,): {"candidates": own} for item, own in zip(items, left, strict=True)}
    sync(Held, ("item_id",), wanted, {"item__in": list(touched.ids.values())})
