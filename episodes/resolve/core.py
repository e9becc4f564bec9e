"""The core: what decisions about entries change in the episodes of these entries, read and written
for them alone.

References to other episodes, who somebody is in the whole show, and the order come with the
follow-up (follow_ups.py), which makes the same catalog as a rebuild. Until then these stay as
they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from django.db.models import Max

from ..identity import candidates
from ..models import (
    Attachment,
    CodeMention,
    Counts,
    Credit,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Item,
    Person,
    Podcast,
    SourceCount,
    Status,
    WithdrawnEntry,
    WithdrawnEpisode,
)
from ..notes import Memory, enrich
from ..records import CreditData, Decisions, Resolved, ResolvedEpisode, Ruling, SourceEntry
from .apply import (
    remember_addresses,
    taken_from,
    write_attachments,
    write_episodes,
    write_links,
    write_names,
    write_topics,
)
from .apply_counts import COUNTED, OF_TOPIC, Uses, add_to_counts, counts_of, write_uses
from .apply_people import forget_people, name_people, write_people
from .apply_withdrawn import columns
from .catalog import BY_HAND, Draft, addressed, drafts_of, grouped, own_guids_of, with_texts
from .inputs import Ref, decisions, evidence, topic_rules

EntryKey = tuple[str, str]  # source and key


@dataclass(frozen=True)
class Touched:
    """The episodes that decisions name, with the entries of each as the catalog has them."""

    episodes: dict[int, Episode]
    entries: list[SourceEntry]
    ids: dict[Ref, int]
    episode_of: dict[Ref, int]

    @classmethod
    def of(cls, podcast: Podcast, named: Collection[EntryKey]) -> Touched:
        rows = Item.objects.filter(
            document__source__podcast=podcast, key__in={key for _, key in named}
        ).order_by()
        columns = ("document__source__slug", "key", "pk", "attachment__episode")
        own = {row[2]: row[3] for row in rows.values_list(*columns) if row[:2] in named}
        attached = Attachment.objects.filter(episode__in={*own.values()} - {None}).order_by()
        groups = dict(attached.values_list("item", "episode"))
        entries, ids = evidence(podcast, pk__in={*groups, *own}, is_post=False)
        episode_of = {ref: groups[pk] for ref, pk in ids.items() if pk in groups}
        return cls(Episode.objects.in_bulk({*groups.values()}), entries, ids, episode_of)

    def groups(self) -> list[list[SourceEntry]]:
        """The entries of each episode."""
        found: dict[int, list[SourceEntry]] = {}
        for entry in self.entries:
            if entry.ref in self.episode_of:
                found.setdefault(self.episode_of[entry.ref], []).append(entry)
        return list(found.values())

    def waits(self, group: Sequence[SourceEntry], decided: Decisions) -> bool:
        """True for entries that wait for somebody's word: they make no episode before the whole
        show was asked."""
        return not any(
            e.ref in self.episode_of or e.source == BY_HAND or e.ref[::2] in decided.alone
            for e in group
        )

    def concerns_the_show(self, decided: Decisions) -> bool:
        """True where an episode is or was taken out, or where a decision cannot tell two entries
        apart, which belong to different episodes."""
        pairs = {(entry.ref[::2], self.episode_of.get(entry.ref)) for entry in self.entries}
        keys = {key for key, _ in pairs}
        return (
            len(pairs) > len(keys)
            or any(withdrawal.entry in keys for withdrawal in decided.withdrawals)
            or WithdrawnEntry.objects.filter(item__in=self.ids.values()).exists()
        )


def update_episodes(
    podcast: Podcast, named: Collection[EntryKey], judged: Collection[EntryKey]
) -> bool:
    """Bring the episodes of these entries up to date; `judged` are those that may now belong to
    another one. False where that takes the whole show."""
    touched, decided = Touched.of(podcast, named), decisions(podcast)
    if podcast.status == Status.REMOVED or touched.concerns_the_show(decided):
        return False
    scope = {"episode__in": list(touched.episodes)}
    uses, counts = Uses.of(**scope), _stored_counts(podcast, touched)
    resolved, drafts = _resolved(podcast, touched, judged, decided)
    _free_addresses(touched, resolved.episodes)
    episodes = write_episodes(podcast, resolved, {"pk__in": list(touched.episodes)}, whole=False)
    own = {"episode__in": list(episodes.values())}
    links = write_links(podcast, resolved, episodes, own, retitle=False)
    names = write_names(resolved, episodes, own)
    topics = write_topics(resolved, episodes, own)
    people = _decide_people(drafts, episodes)
    has_gone = len(touched.episodes) > len(resolved.episodes)
    if has_gone or people or (links, names) != (uses.pairs[EpisodeLink], uses.pairs[CodeMention]):
        now = Uses.of(**own)
        left = Person.objects.filter(
            pk__in=uses.ids(Credit) - now.ids(Credit), credits__isnull=True
        )
        name_people((), forget_people(left))
        write_uses(uses, now, differing=True)
    listed = [
        (episodes[e.slug], *_counted(columns(e.merged))) for e in resolved.episodes if e.listed
    ]
    add_to_counts(podcast, counts, counts_of(podcast, listed, topics))
    if judged:
        items = {"item__in": list(touched.ids.values())}
        write_attachments(podcast, resolved, episodes, touched.ids, items, keep=True)
    remember_addresses(podcast, resolved)
    return True


def _stored_counts(podcast: Podcast, touched: Touched) -> dict[str, Counts]:
    listed = [(pk, *_counted(vars(row))) for pk, row in touched.episodes.items() if row.listed]
    topics = EpisodeTopic.objects.filter(episode__in=touched.episodes).order_by()
    return counts_of(podcast, listed, topics.values_list(*OF_TOPIC))


def _counted(values: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(values[name] for name in COUNTED[1:])


def _resolved(
    podcast: Podcast,
    touched: Touched,
    judged: Collection[EntryKey],
    decided: Decisions,
) -> tuple[Resolved, dict[str, Draft]]:
    """The touched episodes as they should be, and the drafts by their addresses."""
    show, memory = podcast.show, Memory()
    matching, known = grouped(touched.entries, _as_grouped(touched, judged, decided), show, memory)
    groups = [group for group in matching.groups if not touched.waits(group, decided)]
    found = drafts_of(groups, decided, known, memory, None, _refuted(podcast))
    rows = _with_addresses(podcast, _continued(found, touched), touched)
    drafts = [draft for draft, _ in rows]
    guids = own_guids_of(drafts, show)
    texts = with_texts(drafts, show, topic_rules(podcast), decided, memory)
    newest = _newest(podcast) if None in (row for _, row in rows) else 0
    episodes = tuple(
        _as_stored(
            replace(episode, order=newest + episode.order, own_guid=guids[episode.slug]), draft, row
        )
        for (episode, _), (draft, row) in zip(texts, rows, strict=True)
    )
    result = Resolved(episodes, matching.held, matching.ignored, matching.reasons)
    return result, {draft.slug: draft for draft in drafts}


def _newest(podcast: Podcast) -> int:
    return Episode.objects.filter(podcast=podcast).aggregate(last=Max("order"))["last"] or 0


def _as_grouped(touched: Touched, judged: Collection[EntryKey], decided: Decisions) -> Decisions:
    """The decisions, and that entries stay together, and seek nothing else, which nobody judged
    now."""
    kept = [
        [entry.ref[::2] for entry in group if entry.ref[::2] not in judged]
        for group in touched.groups()
    ]
    together = [Ruling(key, group[0], same=True, kept=True) for group in kept for key in group[1:]]
    alone = decided.alone.union(*(group[:1] for group in kept))
    return replace(decided, rulings=(*decided.rulings, *together), alone=alone)


def _refuted(podcast: Podcast) -> Mapping[str, frozenset[str]]:
    """By field the sources that are not used, as the last follow-up found them."""
    unused: dict[str, set[str]] = {}
    rows = SourceCount.objects.filter(source__podcast=podcast).exclude(refuted=[])
    for source, fields in rows.values_list("source__slug", "refuted"):
        for field in fields:
            unused.setdefault(field, set()).add(source)
    return {field: frozenset(sources) for field, sources in unused.items()}


def _continued(drafts: Sequence[Draft], touched: Touched) -> list[tuple[Draft, Episode | None]]:
    """The drafts, oldest first, each with the episode that it goes on from: that of most of its
    entries."""
    rows: dict[int, Episode] = {}
    for pk, episode in sorted(touched.episodes.items(), key=lambda pair: pair[1].order):
        shares = Counter(
            place
            for place, draft in enumerate(drafts)
            for entry in draft.entries
            if place not in rows and touched.episode_of.get(entry.ref) == pk
        )
        rows |= {place: episode for place, _ in shares.most_common(1)}
    oldest_first = sorted(
        range(len(drafts)), key=lambda place: rows[place].order if place in rows else inf
    )
    return [(drafts[place], rows.get(place)) for place in oldest_first]


def _with_addresses(
    podcast: Podcast, rows: Sequence[tuple[Draft, Episode | None]], touched: Touched
) -> list[tuple[Draft, Episode | None]]:
    """The drafts with addresses that no other episode of the show has. One that another has as well
    is given by the follow-up, which knows the order: until then an episode keeps its own."""
    drafts = addressed([draft for draft, _ in rows], taken_from(podcast), podcast.show)
    wanted = {"podcast": podcast, "slug__in": [draft.slug for draft in drafts]}
    shown = Episode.objects.filter(**wanted).exclude(pk__in=touched.episodes)
    out = WithdrawnEpisode.objects.filter(**wanted)
    taken = {*shown.values_list("slug", flat=True), *out.values_list("slug", flat=True)}
    found = []
    for draft, (_, row) in zip(drafts, rows, strict=True):
        if draft.slug in taken:
            marked = (
                slug for slug in candidates(draft.slug, None, draft.name) if slug not in taken
            )
            draft = replace(draft, slug=row.slug if row else next(marked))
            taken.add(draft.slug)
        found.append((draft, row))
    return found


def _as_stored(episode: ResolvedEpisode, draft: Draft, row: Episode | None) -> ResolvedEpisode:
    """The episode with what only the whole show tells, as the catalog has it."""
    if row is None:
        return replace(episode, sorted_at=draft.at or episode.sorted_at)
    moment = draft.merged.moment
    at = (
        draft.at
        if draft.at and (moment.at if moment else None) != row.published_at
        else row.sorted_at
    )
    return replace(episode, order=row.order, sorted_at=at, own_guid=row.own_guid, listed=row.listed)


def _free_addresses(touched: Touched, episodes: Sequence[ResolvedEpisode]) -> None:
    """Move rows away that get another address: two may exchange theirs."""
    slugs = {episode.order: episode.slug for episode in episodes}
    moving = [row.pk for row in touched.episodes.values() if slugs.get(row.order) != row.slug]
    if len(moving) > 1:
        for pk in moving:
            Episode.objects.filter(pk=pk).update(slug=f"moving-{pk}")


def _decide_people(drafts: Mapping[str, Draft], episodes: Mapping[str, int]) -> bool:
    """Take out and put in the people that curators named; the others stay as they are. True where
    there are any."""
    about = {slug: draft.decided for slug, draft in drafts.items() if draft.decided.keys("person")}
    if not about:
        return False
    scope = {"episode__in": [episodes[slug] for slug in about]}
    stored: dict[int, list[CreditData]] = {}
    before = set()
    for row in Credit.objects.filter(**scope).select_related("person").order_by("pk"):
        credit = CreditData(
            row.person.identity, row.role, row.credited_as, row.full_name, row.corrected
        )
        stored.setdefault(row.episode_id, []).append(credit)
        before.add(row.person_id)
    people = {
        slug: enrich.with_decided_people(stored.get(episodes[slug], ()), decided)
        for slug, decided in about.items()
    }
    write_people(people, episodes, before, scope)
    return True
