"""The digest of what a catalog is made from: it tells any change of a row that a resolve reads, and no other."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone

from episodes.models import (
    DECISION_KINDS,
    Capture,
    Decision,
    Document,
    IngestRun,
    Item,
    LearningPath,
    Podcast,
    Redirect,
    Revision,
    Source,
    Status,
    Topic,
)
from episodes.resolve.inputs import _judged, digest_of_inputs

from ..curation.conftest import feed, small_show
from ..ingest.conftest import take
from ..kept import made_once

ENTRY = {"source": "feed", "item_key": "small-1"}


def test_judgements_say_what_is_alone_apart_and_unwanted() -> None:
    """An episode of its own keeps all others off, unless its detail says that what surely is the same joins it."""
    verdicts = (("new", ""), ("new", "what surely is the same joins it"), ("ignore", ""), ("same", ""), ("kept", ""))
    rows = [
        Decision(
            kind="match",
            source="feed",
            item_key=f"{n}",
            other_source="other",
            other_key="x",
            value=value,
            detail=detail,
        )
        for n, (value, detail) in enumerate((*verdicts, ("different", ""), ("repeats", "")))
    ]
    found = _judged(rows)
    entries = [("feed", f"{n}") for n in range(7)]
    assert found["alone"] == {entries[0], entries[1]}
    assert found["apart"] == {entries[0]}
    assert found["unwanted"] == {entries[2]}
    assert [(one.one, one.same, one.kept) for one in found["rulings"]] == [
        (entries[3], True, False), (entries[4], True, True), (entries[5], False, False), (entries[6], False, False),
    ]  # fmt: skip
    assert [(one.one, one.kind) for one in found["repeats"]] == [(entries[6], "repeats")]


@pytest.fixture
def talks(db: None) -> Podcast:
    made_once(three_talks)
    return Podcast.objects.get()


def three_talks() -> None:
    small_show()
    take("feed", feed(range(3)))


def decided(kind: str, **values: Any) -> Callable[[Podcast], object]:
    entry = ENTRY if DECISION_KINDS[kind].is_of_entry else {}
    return lambda podcast: Decision.objects.create(kind=kind, podcast=podcast, **entry, **values)


def revised(podcast: Podcast) -> None:
    item = Item.objects.earliest("pk")
    Revision.objects.create(item=item, version=9, payload={"title": "Another"}, recorded_at=timezone.now())


def with_a_transcript(podcast: Podcast) -> None:
    document = Document.objects.create(
        source=podcast.sources.get(slug="feed"), address="https://x/1.vtt", kind="companion"
    )
    Capture.objects.create(document=document, version=1, sha256="0" * 64, taken_at=timezone.now())


CHANGES: dict[str, Callable[[Podcast], object]] = {
    "a place": lambda podcast: Item.objects.update(position=F("position") + 1),
    "an entry that is gone": lambda podcast: Item.objects.filter(position=1).update(gone_version=2),
    "an entry that is a post": lambda podcast: Item.objects.filter(position=1).update(is_post=True),
    "an entry that was there before": lambda podcast: Item.objects.filter(position=1).update(first_version=0),
    "what an entry says": revised,
    "a transcript": with_a_transcript,
    "whose page it is": lambda podcast: Document.objects.update(vouched=False),
    "the rank of a source": lambda podcast: Source.objects.filter(slug="feed").update(rank=7),
    "what a source may create": lambda podcast: Source.objects.filter(slug="feed").update(may_create=False),
    "the show's own source": lambda podcast: Source.objects.filter(slug="feed").update(own=False),
    "a removed source": lambda podcast: Source.objects.filter(slug="feed").update(status=Status.REMOVED),
    "a removed show": lambda podcast: Podcast.objects.update(status=Status.REMOVED),
    "the title of the show": lambda podcast: Podcast.objects.update(title="Large Talks"),
    "its language": lambda podcast: Podcast.objects.update(language="de"),
    "its words": lambda podcast: Podcast.objects.update(not_code=["Kettle"]),
    "its symbols": lambda podcast: Podcast.objects.update(has_symbols=False),
    "its rank": lambda podcast: Podcast.objects.update(rank=9),
    "a rule": lambda podcast: Topic.objects.filter(slug="music").update(rules={"title": ["kettles"]}),
    "a merged topic": lambda podcast: [
        Decision.objects.create(podcast=podcast, kind="topic", key="old", value="removed", **ENTRY),
        Redirect.objects.create(kind="topic", slug="old", topic=Topic.objects.get(slug="music")),
    ],
    "a deleted topic": lambda podcast: Redirect.objects.create(kind="topic", slug="gone"),
    "an override": decided("value", field="title", value="Mine"),
    "a removal": decided("topic", key="music", value="removed"),
    "an addition": decided("topic", key="music", value="added"),
    "a judgement": decided("match", other_source="other", other_key="x", value="same"),
    "an entry alone": decided("match", value="new"),
    "an unwanted entry": decided("match", value="ignore"),
    "a withdrawal": decided("withdrawal", value="hidden"),
    "a refusal": decided("refusal", key="tea", detail="Tea"),
    "a correction": decided("correct-link", key="https://x", field="label", value="X"),
    "a correction for all shows": lambda podcast: Decision.objects.create(
        podcast=None, kind="correct-link", key="https://x", field="label", value="X"
    ),
}
OTHERS: dict[str, Callable[[Podcast], object]] = {
    "nothing": lambda podcast: None,
    "another reading": lambda podcast: IngestRun.objects.update(outcome="unchanged"),
    "another copy": lambda podcast: Capture.objects.create(
        document=Document.objects.get(), version=2, sha256="0" * 64, taken_at=timezone.now()
    ),
    "when it was asked": lambda podcast: Document.objects.update(etag="1", asked_at=timezone.now()),
    "an ended decision": decided("value", field="title", value="Mine", ended_at=timezone.now()),
    "another show": lambda podcast: Podcast.objects.create(slug="another", title="Another"),
    "a learning path": lambda podcast: LearningPath.objects.create(slug="first", title="First"),
}


def digest_after(change: Callable[[Podcast], object], podcast: Podcast) -> str:
    change(podcast)
    return digest_of_inputs(Podcast.objects.get(pk=podcast.pk))


@pytest.mark.parametrize("name", CHANGES)
def test_another_input_makes_another_digest(talks: Podcast, name: str) -> None:
    before = digest_of_inputs(talks)
    assert digest_after(CHANGES[name], talks) != before


@pytest.mark.parametrize("name", OTHERS)
def test_what_no_resolve_reads_leaves_the_digest(talks: Podcast, name: str) -> None:
    before = digest_of_inputs(talks)
    assert digest_after(OTHERS[name], talks) == before
