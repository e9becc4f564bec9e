"""Writes the catalog: reads a show's evidence and decisions, resolves them, and changes only the
rows that differ."""

import gc
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Any

from django.db import models

from ..fields import NOTES, STATED
from ..gather import LimitedBatch
from ..identity import guid_hash, is_ahead, short_hash, slug_of
from ..models import (
    Attachment,
    Capture,
    CatalogState,
    Chapter,
    CodeMention,
    CodeName,
    Decision,
    EntryReading,
    Episode,
    EpisodeLink,
    EpisodeReading,
    EpisodeTopic,
    Held,
    Link,
    LinkCheck,
    Person,
    Podcast,
    Redirect,
    Reference,
    Status,
    Topic,
    Transcript,
    WithdrawnEntry,
    WithdrawnEpisode,
    any_number,
    batches,
    raise_version,
)
from ..notes import folded_key, identify_link, identity_of, read_notes
from ..records import (
    DeclaredTopic,
    DocumentRejected,
    Merged,
    Resolved,
    ResolvedEpisode,
    ResolvedWithdrawal,
    SourceEntry,
)
from ..text.link_labels import of_link, of_symbol
from ..transcripts import (
    OfferedChapters,
    OfferedTranscript,
    ParsedChapter,
    WordCorrection,
    choose_chapters,
    corrected,
    offered_by,
    parse_chapters,
    read_transcript,
)
from .apply_shared import (
    renew_statistics,
    source_counts,
    write_all_uses,
    write_counts,
    write_credits,
    write_uses,
)
from .catalog import Stored, resolve
from .load import (
    Evidence,
    Ref,
    StoredEpisode,
    corrected_words,
    decisions,
    fingerprint_of_entry,
    last_reading,
    load_episodes,
    load_evidence,
    load_stored,
    topic_names,
    topic_rules,
)
from .rows import BATCH, all_ids, delete, ids_of, sync


def taken_by_others(podcast: Podcast, slugs: Collection[str]) -> set[str]:
    """Those of these addresses that are other shows'. An address is that of the first show in the
    ledger for ever, whatever became of its episode."""
    # By the ledger and not by the episodes: an address outlives its episode.
    owners: dict[str, int] = {}
    for some in batches(slugs):
        ledger = Redirect.objects.filter(kind="episode", slug__in=some).order_by("-id")
        owners |= ledger.values_list("slug", "source__podcast")  # the first row comes last
    return {slug for slug, owner in owners.items() if owner != podcast.pk}


def owner_of(slug: str) -> Podcast | None:
    """The show whose address this is; None for one that never was public."""
    rows = Redirect.objects.filter(kind="episode").filter(slug=slug).order_by("id")
    return Podcast.objects.filter(pk__in=rows.values("source__podcast")[:1]).first()


@dataclass(frozen=True)
class Prepared:
    """The catalog of a show as it should be, with what it takes to write it."""

    result: Resolved
    evidence: Evidence
    stored: Stored
    episodes: Sequence[StoredEpisode]


def prepared(podcast: Podcast) -> Prepared:
    """Return the catalog of a show as its evidence and decisions make it now. Write nothing."""
    episodes = load_episodes(podcast)
    if Podcast.objects.filter(pk=podcast.pk, status=Status.REMOVED).exists():
        # Whatever the row at hand says; what was gathered and decided stays, for the day it is back.
        return Prepared(Resolved(()), Evidence([], {}, {}), Stored(), episodes)
    with _without_collecting():
        evidence, decided = load_evidence(podcast), decisions(podcast)
        rules, names = topic_rules(podcast), topic_names()
        stored = load_stored(podcast, evidence, rules, episodes)
        taken, read_at = partial(taken_by_others, podcast), last_reading(podcast)
        given = evidence.entries, decided, podcast.show, rules
        result = resolve(*given, taken, stored, read_at, names)
    return Prepared(result, evidence, stored, episodes)


def apply(podcast: Podcast, what: Prepared | None = None) -> Resolved:
    """Bring the catalog of one show up to date with its evidence and decisions. Call it inside a
    transaction.

    `what` was prepared before, of a state that nobody has written the catalog from since.
    """
    with _without_collecting():
        return _write(podcast, what or prepared(podcast))


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


def _write(podcast: Podcast, what: Prepared) -> Resolved:
    result, items = what.result, what.evidence.items
    wanted = episode_rows(podcast, result)
    ids = _rename_episodes(what)
    known = [ids[slug] for slug in wanted if slug in ids]
    ids |= write_episodes(wanted, {"pk__in": any_number(known)})
    is_changed = bool(wanted) | _write_places(podcast, what)
    gone = {ids[slug] for slug in ids.keys() - {place.slug for place in result.places}}
    _add_declared_topics(podcast, result.declared_topics)
    # What those that are gone had is deleted row by row, so that it is known whose counts change.
    scope = {"episode__in": any_number([*(ids[slug] for slug in wanted), *gone])}
    touched = write_parts(result, ids, scope)
    people = {episode.slug: episode.people for episode in result.episodes}
    touched[Person] = write_credits(people, ids, scope)
    # Only now: a reference needs the rows of both.
    references = {
        (ids[slug], ids[r.episode], r.kind): {"evidence": r.evidence}
        for slug, r in result.each("references")
    }
    sync(Reference, ("episode_id", "target_id", "kind"), references, scope)
    write_companions(podcast, result, ids, scope)
    is_changed |= _write_withdrawn(podcast, result, ids, items)
    _write_attachments(result, ids, items, scope)
    is_changed |= _write_held(podcast, result, items)
    delete(Episode.objects.all(), gone)
    write_uses(touched)
    remember_addresses(podcast, result)
    _write_readings(podcast, what, ids)
    if is_changed or gone:
        write_counts(podcast)
        renew_statistics(len(result.places) - len(what.episodes))
    if CatalogState.made(podcast, source_counts(podcast), is_changed=is_changed or bool(gone)):
        # In the same transaction: readers see the pages of before, or all of this.
        raise_version()
    return result


def _rename_episodes(what: Prepared) -> dict[str, int]:
    """Give rows the new addresses of their episodes. Return the ids of all rows by address."""
    ids = {episode.slug: episode.pk for episode in what.episodes}
    current = {place.slug for place in what.result.places}
    without_episode = {pk: slug for slug, pk in ids.items() if slug not in current}
    attached = Attachment.objects.filter(episode__in=any_number(without_episode)).order_by()
    row_of_item = dict(attached.values_list("item", "episode")) if without_episode else {}
    for episode in what.result.episodes:
        if episode.slug in ids:
            continue
        rows = (row_of_item.get(what.evidence.items[entry.ref]) for entry in episode.entries)
        row = next((pk for pk in rows if pk in without_episode), None)
        if row is not None:
            Episode.objects.filter(pk=row).update(slug=episode.slug)
            del ids[without_episode.pop(row)]
            ids[episode.slug] = row
    return ids


def _write_places(podcast: Podcast, what: Prepared) -> bool:
    """Write the order of all episodes and those that they are related to. Return whether it changed."""
    result = what.result
    before = {episode.slug: (episode.order, episode.sorted_at) for episode in what.episodes}
    moved = {
        (place.slug,): {"order": place.order, "sorted_at": place.sorted_at}
        for place in result.places
        if before.get(place.slug, ()) != (place.order, place.sorted_at)
    }
    scope = {"podcast": podcast}
    changed = sync(Episode, ("slug",), moved, scope, keep_others=True) if moved else set()
    if result.related is not None:
        related = {
            (slug,): {"related": [[one.slug, one.reason] for one in others]}
            for slug, others in result.related.items()
        }
        changed |= sync(Episode, ("slug",), related, scope, keep_others=True)
    return bool(changed)


def _write_readings(podcast: Podcast, what: Prepared, ids: Mapping[str, int]) -> None:
    """Store what was read for the first time."""
    result, evidence = what.result, what.evidence
    episodes = {episode.slug: episode for episode in result.episodes}
    readings = []
    for place in result.places:
        reading = result.readings[place.outline_fingerprint]
        episode = episodes.get(place.slug)
        is_stored = what.stored.readings.get(place.outline_fingerprint) == reading
        if episode is None and is_stored:
            continue
        failures = episode.failures if episode else {}
        row = EpisodeReading(
            episode_id=ids[place.slug],
            # What could not be read is read again.
            outline_fingerprint="" if failures else place.outline_fingerprint,
            outline=reading.outline.payload(),
            text=reading.text,
            tags=[asdict(tag) for tag in reading.tags],
            tags_fingerprint=reading.tags_fingerprint,
            fingerprint="" if failures else place.fingerprint,
            failures=failures,
        )
        readings.append(row)
    _replace(EpisodeReading, "episode", readings)
    entries = []
    for entry in evidence.entries:
        is_new = entry.ref not in what.stored.match_keys
        if entry.is_listed and is_new and entry.ref in result.match_keys:
            row_of_entry = EntryReading(
                item_id=evidence.items[entry.ref],
                fingerprint=fingerprint_of_entry(podcast, evidence.revisions[entry.ref]),
                match_keys=result.match_keys[entry.ref].payload(),
            )
            entries.append(row_of_entry)
    _replace(EntryReading, "item", entries)


def _replace(model: type[models.Model], key: str, rows: Sequence[models.Model]) -> None:
    fields = [field.name for field in model._meta.concrete_fields if field.name != key]
    model._default_manager.bulk_create(
        rows,
        batch_size=BATCH,
        update_conflicts=True,
        unique_fields=[key],
        update_fields=fields,
    )


def _add_declared_topics(podcast: Podcast, topics: Sequence[DeclaredTopic]) -> None:
    """Add the topics that a feed declares and no show has. Their addresses are public, so they stay."""
    there = ids_of(Topic, "slug", {topic.slug for topic in topics})
    Topic.objects.bulk_create(
        [
            Topic(podcast=podcast, slug=topic.slug, name=topic.name, declared=True)
            for topic in topics
            if topic.slug not in there
        ]
    )


def page_identity(address: str) -> str:
    """The typed identity of what an address leads to, in the notes of any show."""
    return folded_key(identify_link(address).key)


def link_key(podcast: Podcast, address: str) -> str:
    """The typed identity of what an address leads to, in the notes of this show."""
    return folded_key(identify_link(address, read_notes.own_sites(podcast.show)).key)


def person_identity(podcast: Podcast, name: str, address: str = "") -> str:
    """The identity of somebody whom a curator names: `@handle`, else the name with the address, else within
    this show."""
    return (
        address.casefold() if address.startswith("@") else identity_of(name, address, podcast.slug)
    )


def clear(podcasts: Collection[Podcast]) -> None:
    """Throw the catalog of shows away, for `apply` to make it again; the ledger of former addresses
    stays."""
    for model in (
        Episode,
        WithdrawnEpisode,
        Held,
        CatalogState,
    ):
        rows = model._default_manager.filter(podcast__in=podcasts)
        delete(rows, list(rows.order_by().values_list("pk", flat=True)))
    EntryReading.objects.filter(item__document__source__podcast__in=podcasts).delete()
    # Once for all: between two shows it would give people addresses that were never public.
    Link.objects.filter(mentions__isnull=True).delete()
    CodeName.objects.filter(mentions__isnull=True).delete()
    Person.objects.filter(credits__isnull=True).delete()
    write_all_uses()


Scope = Mapping[
    str, Any
]  # the rows that are brought up to date: the show's, or those of some of its episodes


def write_episodes(wanted: Mapping[str, dict[str, Any]], scope: Scope) -> dict[str, int]:
    """Write the rows of episodes, which are given by their addresses, and give their ids; others
    stay for the moment."""
    rows = {(slug,): values for slug, values in wanted.items()}
    sync(Episode, ("slug",), rows, scope, keep_others=True)
    return ids_of(Episode, "slug", list(wanted))


def episode_rows(podcast: Podcast, result: Resolved) -> dict[str, dict[str, Any]]:
    """Return the columns of the rows of the episodes, by slug."""
    # Source and number of the summaries that were written for the catalog.
    editorial = {
        (source, number)
        for source, numbers in podcast.sources.values_list("slug", "editorial")
        for number in numbers
    }
    rows = {}
    for episode in result.episodes:
        m = episode.merged
        notes = m.provenance[NOTES.name]
        written = replace(notes, editorial=(notes.source, m.number) in editorial)
        # A summary that was written for the catalog is told from the show's own words.
        provenance = {**m.provenance, NOTES.name: written}
        rows[episode.slug] = {
            **_columns(m),
            "podcast_id": podcast.pk,
            "order": episode.order,
            "sorted_at": episode.sorted_at,
            "own_guid": episode.own_guid,
            "listed": episode.listed,
            "summary": episode.summary,
            "guid_hash": guid_hash(m.values["guid"] or ""),
            "provenance": {name: known.payload() for name, known in provenance.items()},
            "conflicts": [asdict(conflict) for conflict in m.conflicts],
            "versions": list(episode.versions),
            "repeats": list(episode.proposed_repeats),
            "related": [[one.slug, one.reason] for one in episode.related],
        }
    return rows


def _columns(merged: Merged) -> dict[str, Any]:
    """The columns that hold the values of an episode."""
    each = (field.columns(merged.values[field.name]) for field in STATED)
    return {column: value for own in each for column, value in own.items()}


def write_parts(
    result: Resolved, episodes: Mapping[str, int], scope: Scope
) -> dict[type[models.Model], set[int]]:
    """Write the links, topics and symbols of episodes, and give the links and symbols whose
    episodes changed."""
    topics = ids_of(Topic, "slug", {t.topic for _, t in result.each("topics")})
    tags = {
        (episodes[slug], topics[t.topic]): {
            "term": t.term,
            "field": t.field,
            "position": t.position,
            "confidence": t.confidence,
        }
        for slug, t in result.each("topics")
    }
    sync(EpisodeTopic, ("episode_id", "topic_id"), tags, scope)
    # A name alone decides its address, so that it does not depend on who came first.
    used = {
        name: {"slug": f"{slug_of(name)}-{short_hash(name)}", **of_symbol(name)}
        for name in sorted({n.name for _, n in result.each("names")})
    }
    names = all_ids(CodeName, "name", used)
    uses = {
        (episodes[slug], names[n.name], n.field, n.position): {"sentence": n.sentence}
        for slug, n in result.each("names")
    }
    symbols = sync(CodeMention, ("episode_id", "name_id", "field", "position"), uses, scope)
    links = _write_links(result, episodes, scope)
    return {Link: links, CodeName: {name for _, name, *_ in symbols}}


def _write_links(result: Resolved, episodes: Mapping[str, int], scope: Scope) -> set[int]:
    """Write links, and where they are with what the show says of them; give those that changed."""
    said = {}  # what the show says of each
    for _, link in result.each("links"):
        title, summary = result.link_titles.get(link.key, (link.label, ""))
        said[link.key] = {
            "kind": link.kind,
            "title": title,
            "summary": summary,
            "labelled": bool(link.label),
            "replacement": link.replacement,
        }
    used = {key: {**own, **of_link(key, own["kind"])} for key, own in said.items()}
    links = all_ids(Link, "key", used)
    mentions = {
        (episodes[slug], links[link.key]): {
            "position": link.position,
            "url": link.url,
            "text": link.text[:500],
            "said": said[link.key],
        }
        for slug, link in result.each("links")
    }
    touched = {link for _, link in sync(EpisodeLink, ("episode_id", "link_id"), mentions, scope)}
    _describe_links(touched)
    return touched


def retitle(keys: Collection[str]) -> None:
    """Give links with these keys the titles that their pages have now, where no show names them."""
    if _describe_links(list(Link.objects.filter(key__in=keys).values_list("pk", flat=True))):
        raise_version()


def _describe_links(links: Collection[int]) -> bool:
    """Write what the first show that has each of these links says of it, and the title of its page
    where that has none; True where something changed."""
    changed = False
    for some in batches(links):
        own = EpisodeLink.objects.filter(link__in=some).exclude(said={})
        said = own.order_by("-episode__podcast__rank").values_list("link", "link__key", "said")
        # Only for a link that no show names: the page's own title is the last resort.
        checks = LinkCheck.objects.filter(key__in=Link.objects.filter(pk__in=some).values("key"))
        titles = dict(checks.exclude(title="").values_list("key", "title"))
        # The first show that has a link comes last, and counts: a later one renames nothing.
        wanted = {
            (pk,): {
                **own,
                "title": own["title"] or titles.get(key, ""),
                **of_link(key, own["kind"]),
            }
            for pk, key, own in said
        }
        changed |= bool(sync(Link, ("pk",), wanted, {"pk__in": some}, keep_others=True))
    return changed


def _write_attachments(
    result: Resolved,
    episodes: Mapping[str, int],
    items: Mapping[Ref, int],
    scope: Mapping[str, Any],
) -> None:
    """Write which entries belong to the episodes that changed."""
    attached = {
        (items[entry.ref],): {
            "episode_id": episodes[slug],
            "reasons": list(result.reasons.get(entry.ref, ())),
        }
        for slug, entry in result.each("entries")
    }
    # Some were another episode's, which has changed or is gone then.
    before = Attachment.objects.filter(**scope).values_list("item", flat=True)
    of_both = {*before, *(item for (item,) in attached)}
    sync(Attachment, ("item_id",), attached, {"item__in": any_number([*of_both])})


def _write_held(podcast: Podcast, result: Resolved, items: Mapping[Ref, int]) -> bool:
    """Write which entries wait. Return whether that changed."""
    out = {episode.slug for episode in result.withdrawn}
    held = {
        (items[entry.ref],): {
            "podcast_id": podcast.pk,
            "candidates": [
                {"episode": result.slugs[c.ref], "reasons": list(c.reasons)}
                | ({"withdrawn": True} if result.slugs[c.ref] in out else {})
                for c in candidates
            ],
        }
        for entry, candidates in result.held
    }
    return bool(sync(Held, ("item_id",), held, {"item__document__source__podcast": podcast}))


def _write_withdrawn(
    podcast: Podcast, result: Resolved, episodes: Mapping[str, int], ids: Mapping[Ref, int]
) -> bool:
    """Write the episodes of a show that were taken out, with their entries: rows that no page of
    readers asks for. Return whether they changed."""
    rows = Decision.objects.in_force("withdrawal").filter(podcast=podcast)
    decisions = {row.entry: row.pk for row in rows}
    wanted = {
        (one.slug,): {
            **_columns(one.merged),
            "provenance": {name: known.payload() for name, known in one.merged.provenance.items()},
            "podcast_id": podcast.pk,
            "decision_id": decisions[one.decision.entry],
            "replaced_by_id": episodes.get(one.replaced_by),
        }
        for one in result.withdrawn
    }
    changed = sync(WithdrawnEpisode, ("slug",), wanted, {"podcast": podcast})
    there = ids_of(WithdrawnEpisode, "slug", [one.slug for one in result.withdrawn])
    entries = {
        (ids[entry.ref],): {
            "episode_id": there[one.slug],
            "reasons": list(result.reasons.get(entry.ref, ())),
        }
        for one in result.withdrawn
        for entry in one.entries
    }
    of_show = {"item__document__source__podcast": podcast}
    return bool(changed | sync(WithdrawnEntry, ("item_id",), entries, of_show))


def remember_addresses(podcast: Podcast, result: Resolved) -> None:
    """Add to the ledger which entries every current address stands for."""
    sources = dict(podcast.sources.values_list("slug", "pk"))
    changed: list[ResolvedEpisode | ResolvedWithdrawal] = [*result.episodes, *result.withdrawn]
    now = {
        (e.slug, sources[entry.source], digest_of(entry)): entry
        for e in changed
        for entry in e.entries
        if not entry.is_transcript
    }
    for some in batches({slug for slug, *_ in now}):
        known = Redirect.objects.filter(kind="episode").filter(
            source__podcast=podcast, slug__in=some
        )
        for row in known.values_list("slug", "source_id", "entry"):
            now.pop(row, None)
    rows = [
        Redirect(
            kind="episode",
            slug=slug,
            source_id=source,
            document=one.document,
            item_key=one.key,
            entry=entry,
        )
        for (slug, source, entry), one in now.items()
    ]
    Redirect.objects.bulk_create(rows, batch_size=BATCH)


def digest_of(entry: SourceEntry) -> str:
    return sha256(f"{entry.document}\n{entry.key}".encode()).hexdigest()


# -- transcripts and chapters, of the files that feeds name and of those that somebody brought -----

CompanionFiles = dict[str, Capture]  # by address the newest one
TranscriptFile = tuple[bytes, str, str]  # bytes, type, address
ParsedTranscript = tuple[list[list[object]], list[list[float]]]  # as of `read_transcript`
# The columns that tell a transcript from others: what is written with equal ones is right already.
TOLD = ("url", "sha256", "machine_made", "corrections")


def write_companions(
    podcast: Podcast, result: Resolved, episodes: Mapping[str, int], scope: Mapping[str, Any]
) -> None:
    """Write the transcripts, with the words that curators corrected, and the chapters of these
    episodes, which are all of `scope`."""
    offers = {e.slug: offered_by(e, podcast.language) for e in result.episodes}
    files: Iterator[tuple[OfferedTranscript | OfferedChapters, ...]]
    files = ((*own.transcripts, *own.chapters) for own in offers.values())
    stored = _stored(podcast, {file.address for file in chain.from_iterable(files)})
    rows = Transcript.objects.filter(**scope).order_by().values("episode", *TOLD)
    there = {row.pop("episode"): row for row in rows}
    corrections = _corrections(podcast, result)
    transcripts: dict[tuple[int], dict[str, Any]] = {}
    marks: dict[tuple[int, int], dict[str, str]] = {}
    with LimitedBatch(_parse_transcript) as batch:
        for episode in result.episodes:
            pk, own = episodes[episode.slug], corrections[episode.slug]
            offered = offers[episode.slug].transcripts
            if read := _transcript(offered, stored, own, there.get(pk), batch):
                transcripts[pk,] = read
    with LimitedBatch(parse_chapters) as batch_of_chapters:
        for episode in result.episodes:
            listed = _chapter_lists(offers[episode.slug].chapters, stored, batch_of_chapters)
            for part in choose_chapters(listed, episode):
                mark = episodes[episode.slug], int(part.start)
                marks.setdefault(mark, {"title": part.title, "url": part.url})
    new = {key: fields for key, fields in transcripts.items() if "text" in fields}
    # Those of episodes that offer none any more; what is right already is not in `new`, and stays.
    gone = there.keys() - chain.from_iterable(transcripts)
    sync(
        Transcript,
        ("episode_id",),
        new,
        {"episode__in": any_number([*chain.from_iterable(new), *gone])},
    )
    sync(Chapter, ("episode_id", "start"), marks, scope)


def _corrections(podcast: Podcast, result: Resolved) -> defaultdict[str, list[WordCorrection]]:
    """The words that curators corrected by the slugs of episodes, the first one first."""
    slugs = {entry.ref[::2]: slug for slug, entry in result.each("entries")}
    found = defaultdict[str, list[WordCorrection]](list)
    for source, key, place, right in corrected_words(podcast):
        found[slugs.get((source, key), "")].append(WordCorrection.from_key(place, right))
    return found


def _chapter_lists(
    offered: Sequence[OfferedChapters],
    stored: CompanionFiles,
    batch: LimitedBatch[bytes, tuple[ParsedChapter, ...]],
) -> list[tuple[ParsedChapter, ...]]:
    """Return the chapters of each stored file that can be read."""
    lists = []
    for file in offered:
        if file.address in stored:
            with suppress(ValueError, DocumentRejected):
                lists.append(batch.parse(stored[file.address].body))
    return lists


def _stored(podcast: Podcast, addresses: Collection[str]) -> CompanionFiles:
    rows = Capture.objects.filter(
        document__source__podcast=podcast, document__kind="companion", version__isnull=False
    )
    stored: CompanionFiles = {}
    for some in batches(addresses):
        own = rows.filter(document__address__in=some).select_related("document")
        stored |= {capture.document.address: capture for capture in own.order_by("version")}
    return stored


def _transcript(
    offered: Sequence[OfferedTranscript],
    stored: CompanionFiles,
    corrections: Sequence[WordCorrection],
    there: Mapping[str, Any] | None,
    batch: LimitedBatch[TranscriptFile, ParsedTranscript],
) -> dict[str, Any]:
    """The columns of the best transcript that can be read: of one that is `there`, which is not read
    again, those that tell it from others; nothing where none can be read."""
    for one in (one for one in offered if one.address in stored):
        capture = stored[one.address]
        keys = [[fix.key, fix.right] for fix in corrections]
        values = one.address, capture.sha256, one.is_machine_made or None, keys
        told: dict[str, Any] = dict(zip(TOLD, values, strict=True))
        # Read before, and of hours: not again.
        if told == there:
            return told
        content_type = one.content_type or capture.content_type
        try:
            cues, times = batch.parse((capture.body, content_type, one.address))
        except (ValueError, DocumentRejected):
            continue
        cues, times, lost = corrected(cues, times, corrections)
        left = [[fix.key, fix.right] for fix in lost]
        return {**told, "text": _spoken(cues), "cues": cues, "times": times, "lost": left}
    return {}


def _parse_transcript(file: TranscriptFile) -> ParsedTranscript:
    return read_transcript(*file)


def _spoken(cues: Sequence[Sequence[Any]]) -> str:
    """The text of a transcript, with a speaker's name before the words where another begins to
    speak."""
    speakers = [None, *(speaker for _, speaker, _ in cues)]
    return "\n".join(
        f"{speaker}: {words}" if speaker and speaker != last else str(words)
        for (_, speaker, words), last in zip(cues, speakers, strict=False)
    )
