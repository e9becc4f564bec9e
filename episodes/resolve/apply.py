"""Writes the catalog: reads a show's evidence and decisions, resolves them, and changes only the
rows that differ."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from django.db import models

from ..fields import NOTES
from ..identity import guid_hash, is_ahead, short_hash, slug_of
from ..models import (
    Attachment,
    CatalogState,
    CodeMention,
    CodeName,
    Credit,
    Decision,
    Document,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Held,
    Item,
    Link,
    ParsedNotes,
    Person,
    Podcast,
    Redirect,
    Reference,
    Related,
    Repeat,
    Status,
    Topic,
    TopicProposal,
    WithdrawnEpisode,
    batches,
    raise_version,
)
from ..notes import (
    Memory,
    folded_key,
    identify_link,
    identity_of,
    own_sites,
    trouble_with_term,
)
from ..records import (
    EpisodeLinkData,
    Resolved,
    ResolvedEpisode,
)
from ..text.filing import of_link, of_symbol
from .apply_companions import write_companions
from .apply_counts import Uses, write_all_uses, write_counts, write_source_counts, write_uses
from .apply_people import forget_people, name_people, write_people
from .apply_statistics import renew_statistics
from .apply_withdrawn import columns, write_withdrawn
from .catalog import Posts, resolve
from .inputs import Ref, decisions, digest_of_inputs, evidence, last_reading, topic_rules
from .rows import BATCH, delete, ids_of, sync

VERSION_OF = {
    "replaces": "replaced",
    "repeats": "repeated",
}  # what the earlier of two episodes is, then


def term_trouble(kind: str, term: str) -> str:
    """The reason why a term of a topic's rule cannot be used; "" for a good one."""
    return trouble_with_term(kind, term)


def resolved(podcast: Podcast, memory: Memory | None = None) -> tuple[Resolved, dict[Ref, int]]:
    """The catalog of the show as it should be, and the item's id for each entry."""
    if Podcast.objects.filter(
        pk=podcast.pk, status=Status.REMOVED
    ).exists():  # whatever the row at hand says
        return Resolved(()), {}  # what was gathered and decided stays, for the day it comes back
    entries, ids = evidence(podcast)
    given = decisions(podcast), podcast.show, topic_rules(podcast), taken_from(podcast)
    return resolve(entries, *given, memory, last_reading(podcast)), ids


def posts_met(document: Document) -> int:
    """The number of a document's posts that links of its show's catalog lead to."""
    podcast = document.source.podcast
    posts = Posts(evidence(podcast, is_post=True)[0])
    addresses = (
        EpisodeLink.objects.filter(episode__podcast=podcast)
        .order_by()
        .values_list("url", flat=True)
    )
    met = {
        post.ref: post
        for address in addresses.distinct().iterator(2000)
        if (post := posts.at(address))
    }
    return sum(
        (post.source, post.document) == (document.source.slug, document.address)
        for post in met.values()
    )


def taken_from(podcast: Podcast) -> Callable[[Collection[str]], set[str]]:
    """A function that picks out the addresses that are other shows'. An address is that of the
    first show in the ledger for ever, whatever became of its episode; one that is not in the ledger
    is that of its present episode's show."""

    def among(slugs: Collection[str]) -> set[str]:
        return set().union(*(_theirs(podcast, some) for some in batches(slugs)))

    return among


def _theirs(podcast: Podcast, slugs: Sequence[str]) -> set[str]:
    ledger = Redirect.objects.of("episode").filter(slug__in=slugs).order_by()
    first = ledger.values("slug").annotate(first=models.Min("id")).values("first")
    owners = dict(Redirect.objects.filter(pk__in=first).values_list("slug", "source__podcast"))
    others = Episode.objects.exclude(podcast=podcast).filter(slug__in=slugs)
    now = set(others.order_by().values_list("slug", flat=True))
    return {slug for slug, owner in owners.items() if owner != podcast.pk} | (now - owners.keys())


def owner_of(slug: str) -> Podcast | None:
    """The show whose address this is; None for one that never was public."""
    rows = Redirect.objects.of("episode").filter(slug=slug).order_by("id")
    first = rows.values_list("source__podcast", flat=True).first()
    return Podcast.objects.filter(pk=first or 0).first()


def address_of(value: str) -> str:
    """The address that a title or a curator's words make; "" for words without a letter or
    digit."""
    return slug_of(value)


@dataclass(frozen=True)
class Prepared:
    """The catalog of a show as it should be, with what it takes to write it, and the digest of its
    inputs."""

    result: Resolved
    ids: dict[Ref, int]
    memory: Memory
    inputs: str


def prepared(podcast: Podcast, inputs: str = "") -> Prepared:
    """The catalog of a show as its evidence and decisions make it now; `inputs` is their digest
    where it is known. Writes nothing."""
    inputs = inputs or digest_of_inputs(podcast)
    memory = Memory(
        dict(ParsedNotes.objects.filter(podcast=podcast).values_list("digest", "payload"))
    )
    with _without_collecting():
        result, ids = resolved(podcast, memory)
    return Prepared(result, ids, memory, inputs)


def apply(podcast: Podcast, what: Prepared | None = None) -> Resolved | None:
    """Bring the catalog of one show up to date with its evidence and decisions; None where it was
    made from the very same ones. Call it inside a transaction.

    `what` was prepared before, of a state that nobody has written the catalog from since.
    """
    if what is None:
        inputs = digest_of_inputs(podcast)
        same = CatalogState.objects.filter(podcast=podcast, digest=inputs, waiting_since=None)
        if same.exists() and not _date_has_come(podcast):
            return None
        what = prepared(podcast, inputs)
    with _without_collecting():
        return _apply(podcast, what)


def release(podcast: Podcast) -> None:
    """Bring the catalog of a show up to date where a date was ahead until the last reading."""
    if _date_has_come(podcast):
        apply(podcast)


def _date_has_come(podcast: Podcast) -> bool:
    """True where an episode waits for a date that has come; only those that wait sort before it."""
    waiting = Episode.objects.filter(podcast=podcast, sorted_at__lt=models.F("published_at"))
    first = waiting.aggregate(at=models.Min("published_at"))["at"]
    return first is not None and not is_ahead(first, last_reading(podcast))


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Pause garbage collection: a resolve frees nothing before it ends, and scanning costs a fifth
    more time."""
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
    scope = {"episode__podcast": podcast}
    of_items = {"item__document__source__podcast": podcast}
    shared, uses = _shared_links(podcast), Uses.of(**scope)
    displaced = _displace(podcast, [e.slug for e in result.episodes])
    _make_room(podcast, {e.slug: e.order for e in result.episodes})
    episodes = write_episodes(podcast, result, {"podcast": podcast})
    write_links(podcast, result, episodes, scope)
    write_topics(result, episodes, scope)
    write_names(result, episodes, scope)
    write_people({e.slug: e.people for e in result.episodes}, episodes, uses.ids(Credit), scope)
    write_uses(uses, Uses.of(**scope))
    _write_references(podcast, result, episodes)
    _write_repeats(podcast, result, episodes)
    _write_proposed_topics(podcast, result)
    write_companions(podcast, result, episodes)
    write_withdrawn(podcast, result, episodes, ids)
    write_attachments(podcast, result, episodes, ids, of_items)
    remember_addresses(podcast, result)
    _remember_notes(podcast, what.memory)
    write_counts(podcast)
    write_source_counts(podcast)
    renew_statistics(len(result.episodes) - before)
    CatalogState.made(podcast, what.inputs)
    raise_version()
    for other in [*displaced, *_shows_with(shared - _shared_links(podcast))]:
        _apply(other, prepared(other))
    return result


def _displace(podcast: Podcast, slugs: Sequence[str]) -> list[Podcast]:
    """Take back the addresses that other shows' episodes came to before the ledger decided; resolve
    these shows again."""
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
    """The identity of somebody whom a curator names: `@handle`, else the name with the address, else within
    this show."""
    return (
        address.casefold() if address.startswith("@") else identity_of(name, address, podcast.slug)
    )


def clear(podcasts: Collection[Podcast]) -> None:
    """Throw the catalog of shows away, for `apply` to make it again; the ledger of former addresses
    stays."""
    for model in (Episode, WithdrawnEpisode, Held, TopicProposal, ParsedNotes, CatalogState):
        rows = model._default_manager.filter(podcast__in=podcasts)
        delete(rows, list(rows.order_by().values_list("pk", flat=True)))
    # Once for all: between two shows it would give people addresses that were never public.
    forget_unused()


def forget_unused() -> None:
    """Delete the links, names of code and people of no episode, in all shows, and count the
    episodes of the others. Resolving a show looks only at those that it had itself; this is for
    episodes that were deleted in another way."""
    Link.objects.filter(mentions__isnull=True).delete()
    CodeName.objects.filter(mentions__isnull=True).delete()
    name_people((), forget_people(Person.objects.filter(credits__isnull=True)))
    write_all_uses()


Scope = Mapping[
    str, Any
]  # the rows that are brought up to date: the show's, or those of some of its episodes


def write_episodes(
    podcast: Podcast, result: Resolved, scope: Scope, *, whole: bool = True
) -> dict[str, int]:
    """Write the episodes, and give their ids by slug. A part of them keeps its places, and its rows
    whatever their addresses."""
    editorial = _editorial(podcast)
    wanted = {(e.slug,): _values(podcast, e, editorial) for e in result.episodes}
    if whole:
        _tell_versions(wanted, result)
        sync(Episode, ("slug",), wanted, scope)
    else:
        placed = {(values.pop("order"),): values | {"slug": s} for (s,), values in wanted.items()}
        sync(Episode, ("order",), placed, scope)
    return ids_of(Episode, "slug", [e.slug for e in result.episodes])


def _tell_versions(wanted: Mapping[tuple[str], dict[str, Any]], result: Resolved) -> None:
    """Let episodes that replace or repeat each other say so, whatever page shows one of them."""
    for values in wanted.values():
        values["versions"] = []
    published = {
        e.slug: e.merged.moment.isoformat() if e.merged.moment else "" for e in result.episodes
    }
    for repeat in result.repeats:
        if repeat.accepted:
            for one, other, relation in (
                (repeat.episode, repeat.of, repeat.kind),
                (repeat.of, repeat.episode, VERSION_OF[repeat.kind]),
            ):
                heading = Episode(**wanted[other,]).heading
                version = {
                    "is": relation,
                    "slug": other,
                    "heading": heading,
                    "published": published[other],
                }
                wanted[one,]["versions"].append(version)


def _make_room(podcast: Podcast, orders: Mapping[str, int]) -> None:
    """Move the rows whose place changes, or that go, out of the way: places are unique, and
    databases check row by row."""
    there = list(
        Episode.objects.filter(podcast=podcast).order_by().values_list("pk", "slug", "order")
    )
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
        "guid_hash": guid_hash(m.values["guid"] or ""),
        "provenance": {
            name: known.payload() for name, known in {**m.provenance, NOTES.name: written}.items()
        },
        "conflicts": [conflict.payload() for conflict in m.conflicts],
    }


def _write_titles(podcast: Podcast, titled: Mapping[tuple[str], dict[str, Any]]) -> None:
    """Write the titles of links: the first show that has one says it, a later one renames nothing."""
    for keys in batches(list(titled)):
        shared = {"key__in": [key for (key,) in keys]}
        earlier = Link.objects.filter(mentions__episode__podcast__rank__lt=podcast.rank, **shared)
        theirs = set(earlier.order_by().values_list("key", flat=True))
        sync(
            Link,
            ("key",),
            {key: titled[key] for key in keys if key[0] not in theirs},
            shared,
            keep_others=True,
        )


def write_links(
    podcast: Podcast,
    result: Resolved,
    episodes: Mapping[str, int],
    scope: Scope,
    *,
    retitle: bool = True,
) -> set[tuple[int, int]]:
    """Links, and where they are; `retitle`: the whole show was asked what its links are called.
    Gives the links with their episodes."""
    titled = {
        (link.key,): _of_link(link, *result.link_titles.get(link.key, (link.label, "")))
        for _, link in result.each("links")
    }
    known = {} if retitle else ids_of(Link, "key", [key for (key,) in titled])
    new = {key: values for key, values in titled.items() if key[0] not in known}
    _write_titles(podcast, new)
    links = known | ids_of(Link, "key", [key for (key,) in new])
    wanted = {
        (episodes[slug], links[noted.key]): {
            "position": noted.position,
            "url": noted.url,
            "text": noted.text[:500],
            "details": noted.details,
        }
        for slug, noted in result.each("links")
    }
    sync(EpisodeLink, ("episode_id", "link_id"), wanted, scope)
    return {(link, episode) for episode, link in wanted}


def _shared_links(podcast: Podcast) -> set[int]:
    """The links of a show that later shows have as well."""
    own = Link.objects.filter(mentions__episode__podcast=podcast)
    later = EpisodeLink.objects.filter(
        link=models.OuterRef("pk"), episode__podcast__rank__gt=podcast.rank
    )
    return set(own.filter(models.Exists(later)).order_by().values_list("pk", flat=True))


def _shows_with(links: Collection[int]) -> list[Podcast]:
    """The shows that have these links, where one of them may now say another title, kind or
    replacement."""
    corrected = Decision.objects.in_force("correct-link").filter(key=models.OuterRef("link__key"))
    posts = Item.objects.filter(
        document__source__podcast=models.OuterRef("episode__podcast"), is_post=True
    )
    may_differ = models.Exists(corrected.exclude(podcast=None)) | models.Exists(posts)
    shows: set[int] = set()
    for some in batches(links):
        rows = EpisodeLink.objects.filter(~models.Q(link__title="") | may_differ, link__in=some)
        shows |= set(rows.order_by().values_list("episode__podcast", flat=True))
    return list(Podcast.objects.filter(pk__in=shows))


def _of_link(link: EpisodeLinkData, title: str, summary: str) -> dict[str, Any]:
    own = {"kind": link.kind, "labelled": bool(link.label), "replacement": link.replacement}
    return {"title": title, "summary": summary, **own, **of_link(link.key, link.kind)}


def write_topics(
    result: Resolved, episodes: Mapping[str, int], scope: Scope
) -> list[tuple[int, int]]:
    """Topics of the episodes; gives both."""
    topics = ids_of(Topic, "slug", {t.topic for _, t in result.each("topics")})
    wanted = {
        (episodes[slug], topics[t.topic]): {
            "term": t.term[:200],
            "field": t.field,
            "position": t.position,
            "confidence": t.confidence,
        }
        for slug, t in result.each("topics")
    }
    sync(EpisodeTopic, ("episode_id", "topic_id"), wanted, scope)
    return list(wanted)


def write_names(
    result: Resolved, episodes: Mapping[str, int], scope: Scope
) -> set[tuple[int, int]]:
    """Names of code, each once however it is spelled elsewhere, and where it stands. Gives the
    names with their episodes."""
    used = sorted({n.name for _, n in result.each("names")})
    there = ids_of(CodeName, "name", used)
    # A name alone decides its address, so that it does not depend on who came first.
    made = [
        CodeName(name=name, slug=f"{slug_of(name) or 'name'}-{short_hash(name)}", **of_symbol(name))
        for name in used
        if name not in there
    ]
    names = there | {
        name.name: name.pk for name in CodeName.objects.bulk_create(made, batch_size=BATCH)
    }
    wanted = {
        (episodes[slug], names[n.name], n.field, n.position): {"sentence": n.sentence}
        for slug, n in result.each("names")
    }
    sync(CodeMention, ("episode_id", "name_id", "field", "position"), wanted, scope)
    return {(name, episode) for episode, name, *_ in wanted}


def _write_references(podcast: Podcast, result: Resolved, episodes: Mapping[str, int]) -> None:
    wanted = {
        (episodes[slug], episodes[r.episode], r.kind): {
            "evidence": r.evidence,
            "forward": r.forward,
        }
        for slug, r in result.each("references")
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


def write_attachments(
    podcast: Podcast,
    result: Resolved,
    episodes: Mapping[str, int],
    ids: Mapping[Ref, int],
    scope: Scope,
    *,
    keep: bool = False,
) -> None:
    """Write which entries belong to which episodes, and which wait; `keep` the reasons that the
    whole show gave."""
    there = dict(Attachment.objects.filter(**scope).values_list("item", "reasons")) if keep else {}
    attached = {
        (ids[entry.ref],): {
            "episode_id": episodes[slug],
            "reasons": there.get(ids[entry.ref], list(result.reasons.get(entry.ref, ()))),
        }
        for slug, entry in result.each("entries")
    }
    sync(Attachment, ("item_id",), attached, scope)
    slugs = {entry.ref: e.slug for e in result.every for entry in e.entries}
    gone = {entry.ref for e in result.withdrawn for entry in e.entries}
    held = {
        (ids[entry.ref],): {
            "podcast_id": podcast.pk,
            "candidates": [
                {"episode": slugs[c.ref], "reasons": list(c.reasons)}
                | ({"withdrawn": True} if c.ref in gone else {})
                for c in candidates
                if c.ref in slugs
            ],
        }
        for entry, candidates in result.held
    }
    sync(Held, ("item_id",), held, scope)


def remember_addresses(podcast: Podcast, result: Resolved) -> None:
    """Add to the ledger which entries every current address stands for."""
    now = [(e.slug, *entry.ref) for e in result.every for entry in e.entries]
    there: set[tuple[Any, ...]] = set()
    for some in batches({slug for slug, *_ in now}):
        rows = Redirect.objects.of("episode").filter(source__podcast=podcast, slug__in=some)
        there |= set(rows.values_list("slug", "source__slug", "document", "item_key"))
    if there.issuperset(now):
        return
    sources = dict(podcast.sources.values_list("slug", "pk"))
    Redirect.objects.bulk_create(
        [
            Redirect(
                kind="episode",
                slug=slug,
                source_id=sources[source],
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
    rows = [
        ParsedNotes(podcast=podcast, digest=digest, payload=parts)
        for digest, parts in memory.changed.items()
    ]
    ParsedNotes.objects.bulk_create(
        rows,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=["podcast", "digest"],
        update_fields=["payload"],
    )
    for some in batches(memory.unused):
        ParsedNotes.objects.filter(podcast=podcast, digest__in=some).delete()
