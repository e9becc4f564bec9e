"""The inputs of the catalog of a show: its evidence and the decisions of its curators, and a digest
of them all."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Count, Max, Q, QuerySet

from ..models import (
    ADDED,
    CORRECTIONS,
    DECISION_KINDS,
    JOINING,
    LISTS,
    OF_REPEATS,
    PAIRS,
    REMOVED,
    TRANSCRIPTS,
    Capture,
    Decision,
    Document,
    IngestRun,
    Item,
    Podcast,
    Redirect,
    Revision,
    Source,
    Status,
    Topic,
)
from ..notes import TopicNames, TopicRule, topic_key
from ..records import (
    CorrectedValue,
    Decisions,
    EntryData,
    JudgedRepeat,
    Ruling,
    SourceEntry,
    WithdrawalData,
)
from ..text.fingerprints import fingerprint, fingerprint_of_code
from ..text.urls import host_of
from ..transcripts import CHAPTERS, TRANSCRIPT

Ref = tuple[str, str, str]
HALF = 16  # signs of a digest that is part of another
OF_SOURCE = (
    "slug",
    "rank",
    "may_create",
    "own",
    "reader",
    "address",
    "editorial",
)  # what a catalog depends on
CODE = ("dates", "identity", "notes", "resolve", "text", "transcripts", "fields.py", "records.py")
_code = partial(
    fingerprint_of_code, *CODE, libraries=("nh3", "PyStemmer", "rapidfuzz", "webencodings")
)


def evidence(podcast: Podcast, **only: Any) -> tuple[list[SourceEntry], dict[Ref, int]]:
    """All that the show's sources say now, or `only` some of it, and the item's id for each
    entry."""
    items = _items(podcast).filter(**only)
    documents = Document.objects.filter(pk__in=items.values("document")).select_related("source")
    of_document: dict[int, dict[str, Any]] = {
        document.pk: {
            "source": document.source.slug,
            "document": document.address,
            "rank": document.source.rank,
            "may_create": document.source.may_create,
            "own": document.source.own,
            "url": document.url,
            "host": host_of(document.url or document.source.address),
            "configured": document.address == document.source.address,
            "vouched": document.vouched,
            "is_transcript": document.source.reader == TRANSCRIPTS,
        }
        for document in documents
    }
    said, before, titles = _said(podcast, only)
    columns = ("position", "first_version", "gone_version", "is_post")
    entries, ids = [], {}
    for item in items.values("pk", "document", "key", "absences", *columns).iterator(2000):
        pk = item["pk"]
        entry = SourceEntry(
            key=item["key"],
            said=EntryData.from_payload(said.pop(pk)),
            absences=tuple(map(tuple, item["absences"])),
            before=tuple(before[pk]),
            titles=tuple((version, title) for title, version in titles[pk].items()),
            **{name: item[name] for name in columns},
            **of_document[item["document"]],
        )
        entries.append(entry)
        ids[entry.ref] = pk
    return entries, ids


def _said(
    podcast: Podcast, only: Mapping[str, Any]
) -> tuple[dict[int, dict[str, Any]], dict[int, list[tuple[str, ...]]], dict[int, dict[str, int]]]:
    """By item what it says now, the files that it offered beside the audio before, the latest
    first, and the version in which it first had each title."""
    wanted = {f"item__{name}": value for name, value in only.items()}
    rows = Revision.objects.filter(item__document__source__podcast=podcast, **wanted).order_by(
        "version"
    )
    # In the order of versions, so that the last one stays.
    newest: dict[int, dict[str, Any]] = {}
    before: dict[int, list[tuple[str, ...]]] = defaultdict(list)
    titles: dict[int, dict[str, int]] = defaultdict(dict)
    columns = ("item_id", "version", "payload")
    for item, version, payload in rows.values_list(*columns).iterator(2000):
        titles[item].setdefault(payload.get("title", ""), version)
        if item in newest:
            files = [
                tuple(extra)
                for extra in newest[item].get("extras", ())
                if extra[0] in (TRANSCRIPT, CHAPTERS)
            ]
            before[item][:0] = files
        newest[item] = payload
    return newest, before, titles


def last_reading(podcast: Podcast) -> datetime | None:
    """When a document of the show was read last, changed or not; None before the first reading.

    The reading at hand has its copy already, and gets its line as an import at the end.
    """
    runs = IngestRun.objects.filter(source__podcast=podcast, outcome__in=IngestRun.GOOD)
    runs = runs.exclude(source__reader=TRANSCRIPTS)
    # Refused copies say nothing of when the show was read.
    copies = Capture.objects.filter(document__source__podcast=podcast, version__isnull=False)
    copies = copies.exclude(document__source__reader=TRANSCRIPTS)
    times = runs.aggregate(at=Max("started_at"))["at"], copies.aggregate(at=Max("taken_at"))["at"]
    return max(filter(None, times), default=None)


def decisions(podcast: Podcast) -> Decisions:
    """The curators' decisions about the show's entries, the things that they name and the topics
    that it proposes, which are in force, oldest first: the last word wins."""
    every = Decision.objects.in_force(*DECISION_KINDS)
    rows = list(every.filter(Q(podcast=podcast) | Q(podcast=None)))
    # By former addresses too: a decision holds for the topic that its own was merged into.
    topics = dict(Redirect.objects.filter(kind="topic").values_list("slug", "topic__slug"))
    deleted = (slug for slug, topic in topics.items() if topic is None)
    return Decisions(
        **_judged(_of(rows, "match")),
        **_listed(_of(rows, *LISTS), topics),
        overrides=tuple((row.entry, row.field, row.value) for row in _of(rows, "value")),
        withdrawals=tuple(
            WithdrawalData(row.entry, row.value, row.detail, row.other)
            for row in _of(rows, "withdrawal")
        ),
        # Those for every show come before those for this one, which count over them.
        corrections=tuple(
            CorrectedValue(row.kind.removeprefix("correct-"), row.key, row.field, row.value)
            for row in sorted(_of(rows, *CORRECTIONS), key=lambda row: row.podcast_id is not None)
        ),
        refused_topics=frozenset(
            (*(row.key for row in _of(rows, "refusal")), *map(topic_key, deleted))
        ),
    )


def corrected_words(podcast: Podcast) -> list[tuple[str, str, str, str]]:
    """The words of transcripts that curators corrected, the first correction first: source and key
    of an entry, place, and right words."""
    rows = Decision.objects.in_force("words").filter(podcast=podcast)
    return list(rows.values_list("source", "item_key", "key", "value"))


def _of(rows: Sequence[Decision], *kinds: str) -> list[Decision]:
    return [row for row in rows if row.kind in kinds]


def _judged(rows: Sequence[Decision]) -> dict[str, Any]:
    """The judgements of single entries, and of two of them."""

    def entries(verdict: str) -> frozenset[tuple[str, str]]:
        return frozenset(row.entry for row in rows if row.value == verdict)

    return {
        "rulings": tuple(
            Ruling(row.entry, row.other, row.value in JOINING, row.value == "kept")
            for row in rows
            if row.value in PAIRS
        ),
        "alone": entries("new"),
        "apart": frozenset(row.entry for row in rows if row.value == "new" and not row.detail),
        "unwanted": entries("ignore"),
        "repeats": tuple(
            JudgedRepeat(row.entry, row.other, row.value) for row in rows if row.value in OF_REPEATS
        ),
    }


def _listed(rows: Sequence[Decision], topics: Mapping[str, str | None]) -> dict[str, Any]:
    """The members of lists that were put in and taken out; a decision about a topic holds for the
    topic that it was merged into."""

    def member(row: Decision) -> tuple[tuple[str, str], str, str]:
        merged = topics.get(row.key) if row.kind == "topic" else None
        return row.entry, row.kind, merged or row.key

    return {
        "removals": tuple(member(row) for row in rows if row.value == REMOVED),
        "additions": tuple((*member(row), row.detail) for row in rows if row.value == ADDED),
    }


def topic_rules(podcast: Podcast) -> list[TopicRule]:
    """The rules of the show's own topics and of those that are everybody's."""
    topics = Topic.objects.filter(Q(podcast=podcast) | Q(podcast=None), declared=False)
    topics = topics.order_by("slug")
    return [TopicRule.from_fields(t.slug, [t.name, *t.aliases], t.rules) for t in topics]


def topic_names() -> TopicNames:
    """Return the names of the topics of all shows."""
    topics = Topic.objects.order_by("slug").values_list("slug", "name", "aliases")
    former = Redirect.objects.filter(kind="topic", topic__isnull=False)
    return TopicNames.collect(
        ((slug, (name, *aliases)) for slug, name, aliases in topics),
        dict(former.order_by("slug").values_list("slug", "topic__slug")),
        Topic.objects.filter(declared=True).values_list("slug", flat=True),
    )


def _decided_names(podcast: Podcast) -> list[Any]:
    """Return the names of topics that may be in the show's keywords, but not of declared topics: those
    are the same whichever show declares them first."""
    revisions = Revision.objects.filter(item__document__source__podcast=podcast)
    if not revisions.filter(payload__has_key="keywords").exists():
        return []
    topics = Topic.objects.filter(declared=False).order_by("slug")
    former = Redirect.objects.filter(kind="topic", topic__isnull=False).order_by("slug")
    return [
        *topics.values_list("slug", "name", "aliases"),
        *former.values_list("slug", "topic__slug"),
    ]


def digest_of_inputs(podcast: Podcast) -> str:
    """A digest of all that the catalog of a show is made from, the program included: while it
    stays, so does the catalog. It begins with that of all but the entries.

    Revisions are only ever added, so that their number and the newest tell of any change.
    """
    items = (
        _items(podcast)
        .order_by("pk")
        .values_list("pk", "position", "first_version", "gone_version", "is_post", "absences")
    )
    of_show = {"document__source__podcast": podcast}
    companions = Capture.objects.filter(
        **of_show, document__kind="companion", version__isnull=False
    )
    revisions = Revision.objects.filter(item__document__source__podcast=podcast)
    # Of rows that are only ever added.
    last = (rows.aggregate(count=Count("pk"), last=Max("pk")) for rows in (revisions, companions))
    said = fingerprint(list(items), *last)
    return digest_of_rules(podcast, decisions(podcast)) + said[:HALF]


def digest_of_rules(podcast: Podcast, decided: Decisions) -> str:
    """A digest of all that the catalog of a show is made from beside its entries and companions."""
    of_source = (f"source__{name}" for name in OF_SOURCE)
    documents = Document.objects.filter(source__podcast=podcast, kind="listing").order_by("pk")
    # Their documents are too many to be listed, and all alike.
    brought = Source.objects.filter(podcast=podcast, reader=TRANSCRIPTS).order_by("pk")
    values = (getattr(decided, name) for name in decided.__dataclass_fields__)
    rules = fingerprint(
        _code(),
        podcast.show,
        podcast.rank,
        podcast.status == Status.REMOVED,
        list(documents.values_list("pk", "address", "vouched", *of_source)),
        list(brought.values_list("pk", *OF_SOURCE)),
        [sorted(v) if isinstance(v, frozenset) else v for v in values],
        topic_rules(podcast),
        _decided_names(podcast),
        corrected_words(podcast),
    )
    return rules[:HALF]


def _items(podcast: Podcast) -> QuerySet[Item]:
    """The entries of the show's sources but those that were removed."""
    items = Item.objects.filter(document__source__podcast=podcast)
    return items.exclude(document__source__status=Status.REMOVED).order_by()
