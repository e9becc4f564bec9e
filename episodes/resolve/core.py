"""Updates some episodes of a show without resolving the whole: those of the entries that a curator's
decisions are about, or that a new version of a document brings.

An entry is where the catalog has it, unless a curator judged otherwise: a judgement counts over all
rules of matching. A new one is an episode of its own where it meets no other (signals.py). Where
the rules place entries anew after a judgement, references to other episodes, who somebody is in the
whole show, the order and the counts beside lists come with the follow-up (follow_ups.py), which
makes the same catalog as a rebuild. Until then these stay as they were.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations, groupby, product
from math import inf

from django.db.models import Q
from django.db.models.functions import Left

from ..identity import (
    BEGINNING,
    EntryKeysData,
    days_around,
    judged_groups,
    match,
    may_be_the_same,
    shares_identifier,
    short_hash,
    slug_of,
)
from ..models import (
    TRANSCRIPTS,
    Attachment,
    CatalogState,
    Credit,
    Decision,
    Document,
    EntryKeys,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Held,
    Item,
    ParsedNotes,
    Person,
    Podcast,
    Redirect,
)
from ..notes import Corrections, Memory, enrich, name_key
from ..records import CreditData, Decisions, DeclaredTopic, Resolved, Ruling, SourceEntry
from .apply import (
    digest_of,
    episode_rows,
    remember_addresses,
    taken_by_others,
    write_companions,
    write_entry_keys,
    write_episodes,
    write_parts,
)
from .apply_shared import write_credits, write_uses
from .catalog import (
    Draft,
    addressed,
    drafts_of,
    entry_keys_of,
    keys_of,
    rank_entries,
    with_texts,
)
from .inputs import (
    Ref,
    decisions,
    digest_of_rules,
    evidence,
    last_reading,
    topic_names,
    topic_rules,
)
from .rows import delete, sync

MOST_BESIDE = 30  # other notes of the show, by which what they repeat is known until the follow-up

EntryKey = tuple[str, str]  # source and key
Group = list[SourceEntry]


@dataclass(frozen=True)
class Touched:
    """The entries that decisions name or a document brought, and all others of their episodes, and
    where the catalog has them; without those that waited and are no episode."""

    entries: Sequence[SourceEntry]  # in the order of matching
    ids: Mapping[Ref, int]  # of items
    episodes: Mapping[int, int]  # by item

    def episode_of(self, entry: SourceEntry) -> int:
        """The episode that has the entry; a number below 0 for one that waits or is new."""
        return self.episodes.get(self.ids[entry.ref], -self.ids[entry.ref])

    def owners(self, entries: Sequence[SourceEntry]) -> Counter[int]:
        """The episodes that have some of these entries, with how many."""
        return Counter(own for own in map(self.episode_of, entries) if own > 0)

    @property
    def together(self) -> list[Group]:
        """The entries of each episode, and alone each that waits or is new."""
        in_order = sorted(self.entries, key=self.episode_of)
        return [list(own) for _, own in groupby(in_order, key=self.episode_of)]

    @property
    def rulings(self) -> list[Ruling]:
        """What the catalog has as one, as if somebody had judged so."""
        pairs = chain.from_iterable(combinations(own, 2) for own in self.together)
        return [Ruling(one.ref[::2], other.ref[::2], same=True) for one, other in pairs]


class TakesTheShow(Exception):
    """A change for which the whole show has to be resolved."""


def update_episodes(podcast: Podcast, named: Collection[EntryKey]) -> None:
    """Bring the episodes of these entries up to date.

    Raises:
        TakesTheShow: in these cases: an entry has no place yet, goes on waiting for one, or is a
            transcript; an episode or an entry of it is taken out; entries of several episodes, or
            those left of one, make none, or one that neither judgements nor rules of matching
            make of them alone.
    """
    items = Item.objects.filter(
        document__source__podcast=podcast, key__in={key for _, key in named}
    ).order_by()
    rows = items.values_list("pk", "document__source__slug", "key")
    decided = decisions(podcast)
    touched = _touched(podcast, {pk for pk, *ref in rows if tuple(ref) in named}, decided)
    memory = Memory()
    groups = _as_judged(podcast, touched, decided, memory)
    _update(podcast, touched, groups, decided, memory)


def place_items(podcast: Podcast, items: Collection[int]) -> None:
    """Bring the episodes of the items that came, changed or went with a version of a document up to
    date; a new one becomes an episode.

    Raises:
        TakesTheShow: something else changed as well or waits; what is new or changed in more than
            texts and links of its own could meet another entry, was judged, or may be no episode;
            or an address is not free, or a date still to come.
    """
    decided, memory = decisions(podcast), Memory()
    # Under other rules any entry of the show could read otherwise; what waits may move these too.
    current = CatalogState.objects.filter(podcast=podcast, waiting_since=None)
    if not current.filter(digest__startswith=digest_of_rules(podcast, decided)).exists():
        raise TakesTheShow
    changed = _write_changed_keys(podcast, items, memory)
    # An item that only left its document is an entry of its episode still, with less to say.
    attached = set(Attachment.objects.filter(item__in=items).values_list("item", flat=True))
    touched = _touched(podcast, attached | changed, decided, changed)
    _update(podcast, touched, touched.together, decided, memory, placing=True)
    rows = [ParsedNotes(podcast=podcast, digest=d, payload=p) for d, p in memory.used.items()]
    ParsedNotes.objects.bulk_create(rows, ignore_conflicts=True)  # for the follow-up


def _write_changed_keys(podcast: Podcast, items: Collection[int], memory: Memory) -> set[int]:
    """Write the keys of these items, and give the items that are new or of which matching sees
    another value now.

    Raises:
        TakesTheShow: one of these was judged, may be no episode, or could meet another entry or
            let others meet.
    """
    entries, ids = evidence(podcast, pk__in=items, is_post=False)
    known = keys_of(entries, podcast.show, memory)
    read = entry_keys_of(entries, known)
    now = {ids[ref]: EntryKeysData(**values) for ref, values in read.items()}
    rows = EntryKeys.objects.filter(item__in=now).values_list("item", *EntryKeysData._fields)
    before = {pk: EntryKeysData(*values) for pk, *values in rows}
    changed = {
        pk: {keys, before.get(pk, keys)} for pk, keys in now.items() if keys != before.get(pk)
    }
    write_entry_keys(podcast, read, ids, {"item__in": items})
    # Each is an episode by itself, wherever else it could belong.
    are_episodes = all(
        e.vouched and e.may_create and known[e.ref].day and not known[e.ref].empty for e in entries
    )
    if changed and (
        not are_episodes or _others_move(podcast, changed) or _meet_others(podcast, changed)
    ):
        raise TakesTheShow
    return set(changed)


def _others_move(podcast: Podcast, changed: Collection[int]) -> bool:
    """Return True if transcripts that somebody brought could be of another episode now, or if one of
    the entries was judged."""
    items = Item.objects.filter(pk__in=changed).order_by()
    keys = items.values("key")
    transcripts = Document.objects.filter(source__podcast=podcast, source__reader=TRANSCRIPTS)
    transcripts = transcripts.exclude(pk__in=items.values("document"))
    judged = Decision.objects.in_force("match", "withdrawal").filter(podcast=podcast)
    judged = judged.filter(Q(item_key__in=keys) | Q(other_key__in=keys))
    return transcripts.exists() or judged.exists()


def _meet_others(podcast: Podcast, own: Mapping[int, Collection[EntryKeysData]]) -> bool:
    """True where one of these items, by the values that it had or has, could be of one episode with
    another entry of the show."""
    # By the former values as well: what met them may be free to meet something else now.
    near = _near(podcast, list(chain.from_iterable(own.values())))
    # These items are among them: their keys are written, and each has a day.
    place_of = {item: place for item, place, _ in near}
    return any(
        shares_identifier(keys, other) or (place != place_of[pk] and may_be_the_same(keys, other))
        for (pk, both), (item, place, other) in product(own.items(), near)
        for keys in both
        if item != pk
    )


def _near(
    podcast: Podcast, own: Sequence[EntryKeysData]
) -> list[tuple[int, tuple[int, int | None], EntryKeysData]]:
    """The items that may have to be compared with others of these keys, each with the document and
    version that it is gone from, and its keys.

    A near title counts on a day that agrees; as the day may be that of another entry of the
    episode, all of those are looked at, and all that wait.
    """
    days = days_around([keys.day for keys in own if keys.day])
    rows = EntryKeys.objects.filter(podcast=podcast)
    with_day = Attachment.objects.filter(item__in=rows.filter(day__in=days).values("item"))
    like = Q(day__in=days) | Q(item__held__isnull=False)
    like |= Q(item__attachment__episode__in=with_day.values("episode"))
    for name in ("guid", "audio", "page", "title", "beginning"):
        like |= Q(**{f"{name}__in": {getattr(keys, name) for keys in own} - {""}})
    columns = ("item", "item__document", "item__gone_version", *EntryKeysData._fields)
    found = rows.annotate(beginning=Left("opening", BEGINNING)).filter(like)
    return [
        (item, (document, gone), EntryKeysData(*keys))
        for item, document, gone, *keys in found.values_list(*columns)
    ]


def _update(
    podcast: Podcast,
    touched: Touched,
    groups: Sequence[Group],
    decided: Decisions,
    memory: Memory,
    *,
    placing: bool = False,
) -> None:
    """Make episodes of these groups; what only a resolve of the whole show can decide stays as the
    catalog has it. With `placing` these were imported: their addresses are those that the whole
    show gives them."""
    show = podcast.show
    there = list(Episode.objects.filter(pk__in=touched.episodes.values()))
    before = _rows_before(groups, touched, there)
    # As the show has them: of two of one title the older keeps the plain address.
    oldest = sorted(groups, key=lambda group: getattr(before.get(group[0].ref), "order", inf))
    entries = rank_entries(oldest, keys_of(touched.entries, show, memory))
    found = drafts_of(oldest, entries, decided, memory, last_reading(podcast))
    drafts = addressed(found, partial(taken_by_others, podcast), show)
    rows = [
        before.get(draft.entries[0].ref) or Episode(slug=f"{draft.slug}-{short_hash(draft.name)}")
        for draft in drafts
    ]
    drafts = _with_addresses(drafts, rows, touched, {row.slug: row for row in there}, placing)
    beside = podcast.episodes.exclude(pk__in=[row.pk for row in there]).order_by("-order")
    others = beside.values_list("title", "description_text")[:MOST_BESIDE]
    tagger = enrich.Tagger(topic_rules(podcast), show, _declared_topics(podcast), topic_names())
    texts, _ = with_texts(drafts, show, tagger, decided, memory, others)
    # After a split the first entry, of which it is made, may be another draft's.
    guids = {draft.own_guid for draft in drafts} | {""}
    episodes = []
    for episode, draft, row in zip(texts, drafts, rows, strict=True):
        # No two have one, and those stay that two documents of a source make longer.
        own_guid = draft.own_guid if row.own_guid in guids else row.own_guid
        at = row.sorted_at if draft.at in (None, row.published_at) else draft.at
        # A new one that has no place yet comes behind those that are not later, for the moment.
        order = row.order or 1 + podcast.episodes.filter(sorted_at__lte=at).count()
        episodes.append(
            replace(episode, order=order, listed=row.listed, sorted_at=at, own_guid=own_guid)
        )
    mentions = EpisodeLink.objects.filter(episode__in=there).exclude(said={})
    said = mentions.values_list("link__key", "said")
    titles = {key: (own["title"], own["summary"]) for key, own in said}
    _write(podcast, Resolved(tuple(episodes), link_titles=titles), drafts, rows, touched)


def _declared_topics(podcast: Podcast) -> dict[str, DeclaredTopic]:
    """Return the topics that the show's keywords declared at the last follow-up, by the key of the
    keyword."""
    rows = EpisodeTopic.objects.filter(episode__podcast=podcast, field="keywords").order_by()
    values = rows.values_list("term", "topic__slug", "topic__name").distinct()
    return {name_key(term): DeclaredTopic(slug, name) for term, slug, name in values}


def _touched(
    podcast: Podcast,
    own: Collection[int],
    decided: Decisions,
    new: Collection[int] = (),
) -> Touched:
    """The entries of these items and of the episodes that have them; some items are new."""
    episodes = Attachment.objects.filter(item__in=own).order_by().values("episode")
    attached = Attachment.objects.filter(episode__in=episodes).order_by()
    waiting = Held.objects.filter(item__in=own).order_by().values_list("item", flat=True)
    places = dict(attached.values_list("item", "episode"))
    entries, ids = evidence(podcast, pk__in=[*places, *waiting, *new])
    out = {withdrawal.entry for withdrawal in decided.withdrawals} | decided.unwanted
    wanted = [entry for entry in entries if entry.ref[::2] not in out]
    known = {ids[entry.ref] for entry in wanted}
    stated = {ids[entry.ref] for entry in entries if not entry.is_transcript}
    if not (stated.issuperset(own) and known.issuperset(places)):
        raise TakesTheShow
    return Touched(sorted(wanted, key=lambda entry: entry.order), ids, places)


def _as_judged(
    podcast: Podcast, touched: Touched, decided: Decisions, memory: Memory
) -> list[Group]:
    """The entries of each episode, together as judged, else as they are in the catalog. What was
    split off comes last.

    Raises:
        TakesTheShow: entries of several episodes, or those left of one, are one that neither
            judgements nor the rules of matching make of them alone; an episode has only entries
            left that make none; or an entry goes on waiting.
    """
    judged = judged_groups(touched.entries, {}, decided.rulings).group_of
    # An entry is where the catalog has it unless a curator judged otherwise.
    together = judged_groups(touched.entries, {}, [*decided.rulings, *touched.rulings])
    sizes = touched.owners(touched.entries)
    known = keys_of(touched.entries, podcast.show, memory)
    going_on, split_off = list[Group](), list[Group]()
    for found in together.of(touched.entries):
        group = sorted(found, key=lambda entry: entry.order)
        is_split_off = not decided.alone.isdisjoint(entry.ref[::2] for entry in group)
        (split_off if is_split_off else going_on).append(group)
        before = touched.owners(group)
        if not (is_split_off or (before and any(entry.may_create for entry in group))):
            raise TakesTheShow
        # What joined those left may have been the entry that went.
        is_as_it_was = len(before) < 2 and before.items() <= sizes.items()
        is_judged = len(judged[group[0].ref]) == len(group)
        if not (
            is_as_it_was or is_judged or match(group, known, decided).groups == (tuple(group),)
        ):
            raise TakesTheShow
    return [*going_on, *split_off]


def _rows_before(
    groups: Sequence[Group], touched: Touched, there: Sequence[Episode]
) -> dict[Ref, Episode | None]:
    """By its first entry the episode that a group goes on from: that of its first entry which no
    other group does."""
    left, found = {row.pk: row for row in there}, {}
    for group in groups:
        # Each row once: of an episode that was split one part goes on under its address.
        rows = (left.pop(touched.episode_of(entry), None) for entry in group)
        found[group[0].ref] = next(filter(None, rows), None)
    return found


def _with_addresses(
    drafts: Sequence[Draft],
    rows: Sequence[Episode],
    touched: Touched,
    holders: Mapping[str, Episode],
    placing: bool,
) -> list[Draft]:
    """The drafts with addresses that no other episode has or had. One that another had is given by
    the follow-up, which knows the order: until then an episode keeps its own.

    Raises:
        TakesTheShow: with `placing`, an address that is not that of the title, or is another's; or
            a date that is still to come.
    """
    slugs = [draft.slug for draft in drafts]
    own = set(map(digest_of, touched.entries))
    ledger = Redirect.objects.filter(kind="episode").filter(slug__in=slugs).exclude(entry__in=own)
    taken = set(ledger.values_list("slug", flat=True))
    pairs = zip(drafts, rows, strict=True)
    found = [
        replace(draft, slug=row.slug)
        if draft.slug in taken or holders.get(draft.slug, row) != row
        else draft
        for draft, row in pairs
    ]
    titled = [replace(draft, slug=slug_of(draft.shown_title)) for draft in drafts]
    is_sure = found == titled and not taken and all(draft.at for draft in drafts)
    if placing and not is_sure:
        raise TakesTheShow
    return found


def _write(
    podcast: Podcast,
    resolved: Resolved,
    drafts: Sequence[Draft],
    rows: Sequence[Episode],
    touched: Touched,
) -> None:
    # First, so that an episode under another address is found by that, and not made anew.
    for draft, row in zip(drafts, rows, strict=True):
        Episode.objects.filter(pk=row.pk).exclude(slug=draft.slug).update(slug=draft.slug)
    written = episode_rows(podcast, resolved.episodes)
    ids = write_episodes(written, {"slug__in": list(written)})
    # Of two that were merged: links and people count one episode less.
    gone = {*touched.episodes.values()} - {*ids.values()}
    scope = {"episode__in": [*ids.values(), *gone]}
    uses = write_parts(resolved, ids, scope)
    stored: dict[int, list[CreditData]] = defaultdict(list)
    in_order = Credit.objects.filter(episode__in=ids.values()).order_by("pk")
    for credit in in_order.select_related("person"):
        stored[credit.episode_id].append(
            CreditData(
                credit.person.identity,
                credit.role,
                credit.credited_as,
                credit.full_name,
                credit.corrected,
                credit.evidence,
            )
        )
    # With those whom curators put in, and without those whom they took out.
    everybody = enrich.Everybody({}, Corrections())
    people = {
        draft.slug: enrich.with_decided_people(stored[ids[draft.slug]], draft.decided, everybody)
        for draft in drafts
    }
    uses[Person] = write_credits(people, ids, scope)
    attached = {
        (touched.ids[entry.ref],): {"episode_id": ids[slug]}
        for slug, entry in resolved.each("entries")
    }
    items = {"item__in": list(touched.ids.values())}
    sync(Attachment, ("item_id",), attached, items)
    Held.objects.filter(**items).delete()  # every entry has its place now
    delete(Episode.objects.all(), gone)
    write_companions(podcast, resolved, ids, scope)
    write_uses(uses)
    remember_addresses(podcast, resolved)
