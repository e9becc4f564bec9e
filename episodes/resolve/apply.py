"""Writes the catalog: reads a show's evidence and decisions, resolves them, and changes only the rows that differ."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

from django.db import models
from django.db.models import Q

from ..fields import NOTES
from ..identity import guid_hash, short_hash, slug_of
from ..models import (
    Addition,
    Attachment,
    CodeMention,
    CodeName,
    Correction,
    Credit,
    Document,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    FormerAddress,
    FormerTopic,
    Held,
    Item,
    Judgement,
    Link,
    Override,
    ParsedNotes,
    PendingUpdate,
    Person,
    Podcast,
    Reference,
    Related,
    Removal,
    Repeat,
    Revision,
    Status,
    Topic,
    TopicProposal,
    TopicRefusal,
    Withdrawal,
    WithdrawnEpisode,
    batches,
)
from ..notes import (
    Memory,
    TopicRule,
    folded_key,
    identify_link,
    own_sites,
    person_slug,
    topic_key,
    trouble_with_term,
)
from ..records import (
    CorrectedValue,
    Decisions,
    EntryData,
    EpisodeLinkData,
    JudgedRepeat,
    Resolved,
    ResolvedEpisode,
    Ruling,
    SourceEntry,
    WithdrawalData,
)
from ..text.urls import page_key
from ..transcripts import CHAPTERS, TRANSCRIPT
from .apply_companions import write_companions
from .apply_people import forget_people, name_people, write_people
from .apply_statistics import renew_statistics
from .apply_withdrawn import columns, write_withdrawn
from .catalog import resolve
from .rows import BATCH, delete, ids_of, sync

Ref = tuple[str, str, str]
VERSION_OF = {"replaces": "replaced", "repeats": "repeated"}  # what the earlier of two episodes is, then


def evidence(podcast: Podcast) -> tuple[list[SourceEntry], dict[Ref, int]]:
    """All that the show's sources say now, and the item's id for each entry."""
    items = Item.objects.filter(document__source__podcast=podcast)
    items = items.exclude(document__source__status=Status.REMOVED).order_by()
    documents = Document.objects.filter(pk__in=items.values("document")).select_related("source")
    of_document = {document.pk: _of_document(document) for document in documents}
    said, before = _said(podcast)
    columns = ("pk", "document_id", "key", "position", "first_version", "gone_version", "is_post")
    entries, ids = [], {}
    for pk, document, key, position, first_version, gone_version, is_post in items.values_list(*columns).iterator(2000):
        entry = SourceEntry(
            key=key,
            position=position,
            said=EntryData.from_payload(said[pk]),
            first_version=first_version,
            gone_version=gone_version,
            is_post=is_post,
            before=tuple(before.get(pk, ())),
            **of_document[document],
        )
        entries.append(entry)
        ids[entry.ref] = pk
    return entries, ids


def _of_document(document: Document) -> dict[str, Any]:
    """What all entries of a document have in common."""
    source = document.source
    return {
        "source": source.slug,
        "document": document.address,
        "rank": source.rank,
        "may_create": source.may_create,
        "own": source.own,
        "url": document.url,
        "host": urlsplit(document.url or source.address).hostname or "",
        "configured": document.address == source.address,
        "vouched": source.reader != "listing" or document.show_given,
    }


def _said(podcast: Podcast) -> tuple[dict[int, dict[str, Any]], dict[int, list[tuple[str, ...]]]]:
    """By item what it says now, and the files that it offered beside the audio before, the latest first."""
    rows = Revision.objects.filter(item__document__source__podcast=podcast).order_by("version")
    newest: dict[int, dict[str, Any]] = {}
    before: dict[int, list[tuple[str, ...]]] = {}
    for item, payload in rows.values_list("item_id", "payload").iterator(2000):
        if item in newest:
            files = [tuple(extra) for extra in newest[item].get("extras", ()) if extra[0] in (TRANSCRIPT, CHAPTERS)]
            if files:
                before[item] = [*files, *before.get(item, ())]
        newest[item] = payload
    return newest, before


def decisions(podcast: Podcast) -> Decisions:
    """The curators' decisions about the show that are in force, oldest first: the last word wins."""

    def in_force(model: type[models.Model], *fields: str) -> list[tuple[Any, ...]]:
        rows = model._default_manager.filter(podcast=podcast, ended_at__isnull=True).order_by("made_at", "id")
        return list(rows.values_list("source", "item_key", *fields))

    # What was decided about a topic holds for what it was merged into.
    topics = dict(FormerTopic.objects.exclude(topic=None).values_list("slug", "topic__slug"))
    judged = in_force(Judgement, "other_source", "other_key", "verdict")
    return Decisions(
        rulings=tuple(
            Ruling((source, key), (other, other_key), verdict in Judgement.JOINING, verdict == "kept")
            for source, key, other, other_key, verdict in judged
            if verdict in Judgement.PAIRS
        ),
        overrides=tuple(
            ((source, key), name, value) for source, key, name, value in in_force(Override, "field", "value")
        ),
        removals=tuple(
            ((source, key), kind, topics.get(what, what) if kind == "topic" else what)
            for source, key, kind, what in in_force(Removal, "kind", "key")
        ),
        additions=tuple(
            ((source, key), kind, topics.get(what, what) if kind == "topic" else what, detail)
            for source, key, kind, what, detail in in_force(Addition, "kind", "key", "detail")
        ),
        alone=frozenset((source, key) for source, key, *_, verdict in judged if verdict == "new"),
        unwanted=frozenset((source, key) for source, key, *_, verdict in judged if verdict == "ignore"),
        repeats=tuple(
            JudgedRepeat((source, key), (other, other_key), verdict)
            for source, key, other, other_key, verdict in judged
            if verdict in Judgement.OF_REPEATS
        ),
        withdrawals=_withdrawals(podcast),
        refused_topics=_refused_topics(podcast),
        corrections=_corrections(podcast),
    )


def _withdrawals(podcast: Podcast) -> tuple[WithdrawalData, ...]:
    rows = Withdrawal.objects.filter(podcast=podcast, ended_at=None).order_by("made_at", "id")
    return tuple(
        WithdrawalData((row.source, row.item_key), row.kind, row.address, (row.other_source, row.other_key))
        for row in rows
    )


def _corrections(podcast: Podcast) -> tuple[CorrectedValue, ...]:
    """Those for every show, then those for this one, which count over them."""
    rows = Correction.objects.filter(Q(podcast=podcast) | Q(podcast=None), ended_at=None).order_by("made_at", "id")
    ordered = sorted(rows, key=lambda row: row.podcast_id is not None)
    return tuple(CorrectedValue(row.kind, row.key, row.field, row.value) for row in ordered)


def _refused_topics(podcast: Podcast) -> frozenset[str]:
    """Keys of the proposals that a curator refused, and of topics that one deleted."""
    refused = TopicRefusal.objects.filter(podcast=podcast, ended_at=None).values_list("key", flat=True)
    deleted = FormerTopic.objects.filter(topic=None).values_list("slug", flat=True)
    return frozenset((*refused, *map(topic_key, deleted)))


def topic_rules(podcast: Podcast) -> list[TopicRule]:
    """The rules of the show's own topics and of those that are everybody's."""
    topics = Topic.objects.filter(Q(podcast=podcast) | Q(podcast=None)).order_by("slug")
    return [TopicRule.from_fields(t.slug, [t.name, *t.aliases], t.rules) for t in topics]


def term_trouble(kind: str, term: str) -> str:
    """Why a term of a topic's rule cannot be used, in words; "" for a good one."""
    return trouble_with_term(kind, term)


def resolved(podcast: Podcast, memory: Memory | None = None) -> tuple[Resolved, dict[Ref, int]]:
    """What the catalog of the show should be, and the item's id for each entry."""
    if Podcast.objects.filter(pk=podcast.pk, status=Status.REMOVED).exists():  # whatever the row at hand says
        return Resolved(()), {}  # what was gathered and decided stays, for the day it comes back
    entries, ids = evidence(podcast)
    given = decisions(podcast), podcast.show, topic_rules(podcast), taken_from(podcast)
    return resolve(entries, *given, memory), ids


def taken_from(podcast: Podcast) -> Callable[[Collection[str]], set[str]]:
    """A function that picks out the addresses that are other shows'. An address is that of the first show in the ledger for
    ever, whatever became of its episode; one that is not in the ledger is that of its present episode's show."""

    def among(slugs: Collection[str]) -> set[str]:
        return set().union(*(_theirs(podcast, some) for some in batches(slugs)))

    return among


def _theirs(podcast: Podcast, slugs: Sequence[str]) -> set[str]:
    ledger = (
        FormerAddress.objects.filter(slug__in=slugs).order_by().values_list("slug").annotate(first=models.Min("id"))
    )
    theirs = dict(ledger.exclude(source__podcast=podcast))
    others = Episode.objects.exclude(podcast=podcast).filter(slug__in=slugs)
    now = set(others.order_by().values_list("slug", flat=True))
    ours = dict(ledger.filter(source__podcast=podcast)) if theirs or now else {}
    return {slug for slug, first in theirs.items() if slug not in ours or first < ours[slug]} | (now - ours.keys())


def owner_of(slug: str) -> Podcast | None:
    """The show whose address this is; None for one that never was public."""
    first = FormerAddress.objects.filter(slug=slug).select_related("source__podcast").order_by("id").first()
    return first.source.podcast if first else None


def address_of(value: str) -> str:
    """The address that a title or a curator's words make; "" for words without a letter or digit."""
    return slug_of(value)


@dataclass(frozen=True)
class Prepared:
    """What the catalog of a show should be, with what it takes to write it."""

    result: Resolved
    ids: dict[Ref, int]
    memory: Memory


def prepared(podcast: Podcast) -> Prepared:
    """The catalog of a show as its evidence and decisions make it now. Writes nothing."""
    memory = Memory(dict(ParsedNotes.objects.filter(podcast=podcast).values_list("digest", "payload")))
    with _without_collecting():
        result, ids = resolved(podcast, memory)
    return Prepared(result, ids, memory)


def apply(podcast: Podcast, what: Prepared | None = None) -> Resolved:
    """Bring the catalog of one show up to date with its evidence and decisions. Call it inside a transaction.

    `what` was prepared before, of a state that nobody has written the catalog from since.
    """
    if what is None:
        PendingUpdate.objects.filter(podcast=podcast).delete()
        what = prepared(podcast)
    with _without_collecting():
        return _apply(podcast, what)


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Let nobody look for garbage: what a resolve makes lives to its end, and looking through it takes a fifth longer."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _apply(podcast: Podcast, what: Prepared) -> Resolved:
    result, ids = what.result, what.ids
    before = Episode.objects.filter(podcast=podcast).count()
    titled, before_it = _titled_links(podcast), _in_use(podcast)
    displaced = _displace(podcast, [e.slug for e in result.episodes])
    episodes = _write_episodes(podcast, result)
    _write_links(podcast, result, episodes, before_it[EpisodeLink])
    _write_topics(podcast, result, episodes)
    _write_names(podcast, result, episodes, before_it[CodeMention])
    write_people(podcast, result, episodes, before_it[Credit])
    _write_references(podcast, result, episodes)
    _write_repeats(podcast, result, episodes)
    _write_proposed_topics(podcast, result)
    write_companions(podcast, result, episodes)
    write_withdrawn(podcast, result, episodes, ids)
    _write_attachments(podcast, result, episodes, ids)
    _remember_addresses(podcast, result)
    _remember_notes(podcast, what.memory)
    renew_statistics(len(result.episodes) - before)
    for other in [*displaced, *_shows_with(titled - _titled_links(podcast))]:
        _apply(other, prepared(other))
    return result


def _displace(podcast: Podcast, slugs: Sequence[str]) -> list[Podcast]:
    """Take back the addresses that other shows' episodes came to before the ledger decided; resolve these shows again."""
    shows: set[int] = set()
    others = Episode.objects.exclude(podcast=podcast)
    for start in range(0, len(slugs), BATCH):
        rows = others.filter(slug__in=slugs[start : start + BATCH])
        shows |= set(rows.values_list("podcast", flat=True))
        rows.delete()
    if shows:
        forget_unused()
    return list(Podcast.objects.filter(pk__in=shows))


def link_key(podcast: Podcast, address: str) -> str:
    """The typed identity of what an address leads to, in the notes of this show."""
    return folded_key(identify_link(address, own_sites(podcast.show)).key)


def link_identity(key: str) -> str:
    """The key under which a link is corrected, however its repository is spelled."""
    return folded_key(key)


def person_identity(podcast: Podcast, name: str, address: str = "") -> str:
    """Who somebody is whom a curator names: `@handle`, else the address, else the name within this show."""
    if address.startswith("@"):
        return address.casefold()
    return page_key(address) if address else f"{person_slug(name)}@{podcast.slug}"


def clear(podcast: Podcast) -> None:
    """Throw the show's catalog away, for `apply` to make it again; the ledger of former addresses stays."""
    episodes = Episode.objects.filter(podcast=podcast)
    delete(episodes, list(episodes.order_by().values_list("pk", flat=True)))
    WithdrawnEpisode.objects.filter(podcast=podcast).delete()
    Held.objects.filter(podcast=podcast).delete()
    TopicProposal.objects.filter(podcast=podcast).delete()
    ParsedNotes.objects.filter(podcast=podcast).delete()
    forget_unused()


def forget_unused() -> None:
    """Delete the links, names of code and people of no episode, in all shows. Resolving a show deletes only those that it had
    itself; this is for episodes that were deleted in another way."""
    Link.objects.filter(mentions__isnull=True).delete()
    CodeName.objects.filter(mentions__isnull=True).delete()
    name_people((), forget_people(Person.objects.filter(credits__isnull=True)))


def _write_episodes(podcast: Podcast, result: Resolved) -> dict[str, int]:
    """Write the episodes, and give their ids by slug."""
    editorial = _editorial(podcast)
    wanted = {(e.slug,): _values(podcast, e, editorial) for e in result.episodes}
    _tell_versions(wanted, result)
    _make_room(podcast, {slug: values["order"] for (slug,), values in wanted.items()})
    sync(Episode, ("slug",), wanted, {"podcast": podcast})
    return dict(Episode.objects.filter(podcast=podcast).order_by().values_list("slug", "pk"))


def _tell_versions(wanted: Mapping[tuple[str], dict[str, Any]], result: Resolved) -> None:
    """Let episodes that replace or repeat each other say so, whatever page shows one of them."""
    published = {e.slug: e.merged.moment.isoformat() if e.merged.moment else "" for e in result.episodes}
    for repeat in result.repeats:
        if repeat.accepted:
            for one, other, relation in (
                (repeat.episode, repeat.of, repeat.kind),
                (repeat.of, repeat.episode, VERSION_OF[repeat.kind]),
            ):
                heading = Episode(**wanted[other,]).heading
                version = {"is": relation, "slug": other, "heading": heading, "published": published[other]}
                wanted[one,]["versions"].append(version)


def _make_room(podcast: Podcast, orders: Mapping[str, int]) -> None:
    """Move the rows whose place changes, or that go, out of the way: places are unique, and databases check row by row."""
    there = list(Episode.objects.filter(podcast=podcast).order_by().values_list("pk", "slug", "order"))
    moving = [pk for pk, slug, order in there if orders.get(slug) != order]
    ceiling = max([*orders.values(), *(order for _, _, order in there)], default=0) + 1
    for some in batches(moving):
        Episode.objects.filter(pk__in=some).update(order=models.F("order") + ceiling)


def _editorial(podcast: Podcast) -> set[tuple[str | None, int | None]]:
    """Source and episode number of every summary that was written for the catalog."""
    rows = podcast.sources.exclude(editorial=[]).values_list("slug", "editorial")
    return {(source, number) for source, numbers in rows for number in numbers}


def _values(
    podcast: Podcast, episode: ResolvedEpisode, editorial: Collection[tuple[str | None, int | None]]
) -> dict[str, Any]:
    """The columns of an episode's row."""
    m = episode.merged
    notes = m.provenance[NOTES.name]
    written = replace(notes, editorial=(notes.source, m.number) in editorial)
    return {
        **columns(m),
        "podcast_id": podcast.pk,
        "order": episode.order,
        "sorted_at": episode.sorted_at,
        "own_guid": episode.own_guid,
        "listed": episode.listed,
        "versions": [],
        "guid_hash": guid_hash(m.values["guid"] or ""),
        "provenance": {name: known.payload() for name, known in {**m.provenance, NOTES.name: written}.items()},
        "conflicts": [conflict.payload() for conflict in m.conflicts],
    }


def _write_links(podcast: Podcast, result: Resolved, episodes: Mapping[str, int], before: Collection[int]) -> None:
    """Links, and where they are; `before` are those that the show's episodes had."""
    titled = {
        (link.key,): _of_link(link, *result.link_titles.get(link.key, ("", "")))
        for e in result.episodes
        for link in e.links
    }
    for keys in batches(list(titled)):
        shared = {"key__in": [key for (key,) in keys]}
        # What a link is called is said by the first show that has it: a later one renames nothing.
        earlier = Link.objects.filter(mentions__episode__podcast__rank__lt=podcast.rank, **shared)
        theirs = set(earlier.order_by().values_list("key", flat=True))
        own = {key: titled[key] for key in keys if key[0] not in theirs}
        sync(Link, ("key",), own, shared, keep_others=True)
    links = ids_of(Link, "key", [key for (key,) in titled])
    wanted = {
        (episodes[e.slug], links[noted.key]): {
            "position": noted.position,
            "url": noted.url,
            "text": noted.text[:500],
            "details": noted.details,
        }
        for e in result.episodes
        for noted in e.links
    }
    sync(EpisodeLink, ("episode_id", "link_id"), wanted, {"episode__podcast": podcast})
    delete(Link.objects.filter(mentions__isnull=True), set(before) - set(links.values()))


def _in_use(podcast: Podcast) -> dict[type[models.Model], set[int]]:
    """The ids of the links, names of code and people that a show's episodes have, by the table that says so."""
    found: dict[type[models.Model], set[int]] = {}
    for model, field in ((EpisodeLink, "link"), (CodeMention, "name"), (Credit, "person")):
        rows = model._default_manager.filter(episode__podcast=podcast).order_by()
        found[model] = set(rows.values_list(field, flat=True).distinct())
    return found


def _titled_links(podcast: Podcast) -> set[int]:
    """The links of a show that have a title, and that other shows have as well."""
    own = Link.objects.filter(mentions__episode__podcast=podcast).exclude(title="")
    others = EpisodeLink.objects.filter(link=models.OuterRef("pk")).exclude(episode__podcast=podcast)
    return set(own.filter(models.Exists(others)).order_by().values_list("pk", flat=True))


def _shows_with(links: Collection[int]) -> list[Podcast]:
    """The shows that have these links, so that they can say what they are called."""
    shows: set[int] = set()
    for some in batches(links):
        shows |= set(EpisodeLink.objects.filter(link__in=some).values_list("episode__podcast", flat=True))
    return list(Podcast.objects.filter(pk__in=shows))


def _of_link(link: EpisodeLinkData, title: str, summary: str) -> dict[str, Any]:
    own = {"kind": link.kind, "labelled": bool(link.label), "replacement": link.replacement}
    return {"title": title, "summary": summary, **own}


def _write_topics(podcast: Podcast, result: Resolved, episodes: Mapping[str, int]) -> None:
    topics = dict(Topic.objects.values_list("slug", "pk"))
    wanted = {
        (episodes[e.slug], topics[t.topic]): {
            "term": t.term[:200],
            "field": t.field,
            "position": t.position,
            "confidence": t.confidence,
        }
        for e in result.episodes
        for t in e.topics
    }
    sync(EpisodeTopic, ("episode_id", "topic_id"), wanted, {"episode__podcast": podcast})


def _write_names(podcast: Podcast, result: Resolved, episodes: Mapping[str, int], before: Collection[int]) -> None:
    """Names of code, each once however it is spelled elsewhere, and where it stands."""
    used = sorted({n.name for e in result.episodes for n in e.names})
    there = ids_of(CodeName, "name", used)
    # A name alone decides its address, so that it does not depend on who came first.
    made = [
        CodeName(name=name, slug=f"{slug_of(name) or 'name'}-{short_hash(name)}") for name in used if name not in there
    ]
    names = there | {name.name: name.pk for name in CodeName.objects.bulk_create(made, batch_size=BATCH)}
    wanted = {
        (episodes[e.slug], names[n.name], n.field, n.position): {"sentence": n.sentence}
        for e in result.episodes
        for n in e.names
    }
    key = ("episode_id", "name_id", "field", "position")
    sync(CodeMention, key, wanted, {"episode__podcast": podcast})
    delete(CodeName.objects.filter(mentions__isnull=True), set(before) - set(names.values()))


def _write_references(podcast: Podcast, result: Resolved, episodes: Mapping[str, int]) -> None:
    wanted = {
        (episodes[e.slug], episodes[r.episode], r.kind): {"evidence": r.evidence, "forward": r.forward}
        for e in result.episodes
        for r in e.references
    }
    scope = {"episode__podcast": podcast}
    sync(Reference, ("episode_id", "target_id", "kind"), wanted, scope)
    related = {
        (episodes[e.slug], episodes[r.episode]): {"place": place, "reasons": list(r.reasons)}
        for e in result.episodes
        for place, r in enumerate(e.related, 1)
    }
    sync(Related, ("episode_id", "other_id"), related, scope)


def _write_repeats(podcast: Podcast, result: Resolved, episodes: Mapping[str, int]) -> None:
    wanted = {
        (episodes[r.episode], episodes[r.of]): {
            "kind": r.kind,
            "evidence": list(r.evidence),
            "accepted": r.accepted,
        }
        for r in result.repeats
    }
    sync(Repeat, ("episode_id", "of_id"), wanted, {"episode__podcast": podcast})


def _write_proposed_topics(podcast: Podcast, result: Resolved) -> None:
    wanted = {
        (podcast.pk, one.key): {
            "place": place,
            "name": one.name,
            "source": one.source,
            "terms": list(one.terms),
            "count": one.count,
            "uses": [[use.episode, use.field, use.position, use.words] for use in one.uses],
        }
        for place, one in enumerate(result.proposed_topics, 1)
    }
    sync(TopicProposal, ("podcast_id", "key"), wanted, {"podcast": podcast})


def _write_attachments(podcast: Podcast, result: Resolved, episodes: Mapping[str, int], ids: Mapping[Ref, int]) -> None:
    attached = {
        (ids[entry.ref],): {"episode_id": episodes[e.slug], "reasons": list(result.reasons.get(entry.ref, ()))}
        for e in result.episodes
        for entry in e.entries
    }
    sync(Attachment, ("item_id",), attached, {"item__document__source__podcast": podcast})
    slugs = {entry.ref: e.slug for e in result.every for entry in e.entries}
    gone = {entry.ref for e in result.withdrawn for entry in e.entries}
    held = {
        (ids[entry.ref],): {
            "podcast_id": podcast.pk,
            "candidates": [
                {"episode": slugs[c.ref], "reasons": list(c.reasons)} | ({"withdrawn": True} if c.ref in gone else {})
                for c in candidates
                if c.ref in slugs
            ],
        }
        for entry, candidates in result.held
    }
    sync(Held, ("item_id",), held, {"podcast": podcast})


def _remember_addresses(podcast: Podcast, result: Resolved) -> None:
    """Add to the ledger which entries every current address stands for."""
    sources = dict(podcast.sources.values_list("slug", "pk"))
    rows = FormerAddress.objects.filter(source__podcast=podcast)
    there = set(rows.values_list("slug", "source_id", "document", "item_key"))
    now = [(e.slug, sources[n.source], n.document, n.key) for e in result.every for n in e.entries]
    FormerAddress.objects.bulk_create(
        [
            FormerAddress(
                slug=slug,
                source_id=source,
                document=document,
                item_key=key,
                entry=sha256(f"{document}\n{key}".encode()).hexdigest(),
            )
            for slug, source, document, key in now
            if (slug, source, document, key) not in there
        ],
        batch_size=BATCH,
    )


def _remember_notes(podcast: Podcast, memory: Memory) -> None:
    """Keep what was found in notes for the next resolve, and nothing that it did not need."""
    rows = [ParsedNotes(podcast=podcast, digest=digest, payload=parts) for digest, parts in memory.changed.items()]
    ParsedNotes.objects.bulk_create(
        rows,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["podcast", "digest"],
        update_fields=["payload"],
    )
    for some in batches(memory.unused):
        ParsedNotes.objects.filter(podcast=podcast, digest__in=some).delete()
