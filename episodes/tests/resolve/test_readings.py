"""A resolve reads only what is new. It leaves what a resolve that reads everything leaves, byte for byte."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone
from hypothesis.extra.django import TestCase

from episodes import models
from episodes.curation import InvalidChange
from episodes.models import (
    DECISION_KINDS,
    Capture,
    Decision,
    Document,
    EntryReading,
    Episode,
    EpisodeReading,
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
from episodes.notes import read_notes
from episodes.resolve import load_inputs
from episodes.resolve.write import compute_catalog, update_catalog

from ..curation.acts import ACTS
from ..curation.conftest import WORDS, feed, small_show, staff
from ..ingest.conftest import run, take
from ..kept import made_once
from .histories import Tables, catalog_tables, differences

GUESTS = ("Ana Roe", "Bo de Wit", "Ivan Petrov (@ivan)", "Chi Okoro")


def catalog_rows() -> Tables:
    states = models.CatalogState.objects.values_list("podcast__slug", "sources")
    return catalog_tables() | {"CatalogState": sorted(map(repr, states))}


def spoken(n: int, version: int = 0) -> str:
    """Notes that name guests, other episodes, code, links, and a repository in another spelling."""
    other = WORDS[(n + 1 + version) % len(WORDS)]
    return (
        f"Today {GUESTS[n % len(GUESTS)]} joins me. {'Listen to' if n % 2 else 'See'} the episode all about {other} {n + 1}"
        f" first, and episode {n + 2}. KettleImpl calls pour_water_{n}. https://github.com/{'Small' if n % 3 else 'small'}"
        f"/Talks/issues/{n} and https://example.org/{version}/{n}"
    )


def ingest(folder: Path, source: str, episodes: int, version: int) -> None:
    page = feed(range(episodes), cut=source == "other", text=lambda n: spoken(n, version if n < 2 else 0))
    (folder / f"{source}.xml").write_bytes(page)
    # Another show may have a source of that name by then.
    ran = run(folder / f"{source}.xml", "--podcast", "small-talks", "--source", source, "--accept")
    if "an administrator can resume it" in ran.err:  # one of the acts archived or removed it
        raise InvalidChange(ran.err)
    assert ran.code == 0, ran.err


def start(folder: Path) -> User:
    podcast = Podcast.objects.create(
        slug="small-talks", title="Small Talks", feed_url="https://small.example/feed", has_symbols=True
    )
    for rank, slug in enumerate(("feed", "other"), 1):
        Source.objects.create(podcast=podcast, slug=slug, reader="feed", rank=rank, may_create=rank == 1)
    for place, word in enumerate(("kettles", "pianos")):
        Topic.objects.create(slug=f"topic-{place}", name=f"Topic {place}", rules={"title": [word], "notes": [word]})
    ingest(folder, "feed", 3, 0)
    return staff("carla", "administrator")


def assert_readings_change_nothing(podcast: Podcast) -> None:
    podcast = Podcast.objects.get(pk=podcast.pk)
    update_catalog(podcast)
    with_readings = catalog_rows()
    assert compute_catalog(podcast).result.episodes == ()
    for reading in (EntryReading, EpisodeReading):
        reading.objects.all().delete()
    update_catalog(podcast)
    assert differences(with_readings, catalog_rows()) == {}


class Incremental(TestCase):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def test_vanished_entry_makes_new_pages(self):
        start(self.folder)
        path = self.folder / "feed.xml"
        versions = []
        # The second and third list as many entries, and no episode changes.
        for numbers in (range(5), range(4), range(1, 5)):
            path.write_bytes(feed(numbers))
            assert run(path, "--source", "feed").code == 0
            versions.append(models.CatalogVersion.latest())
        assert len(set(versions)) == 3

    def test_rebuild_writes_over_what_others_wrote(self):
        start(self.folder)
        Episode.objects.update(title="By hand")
        call_command("rebuild", verbosity=0)
        assert not Episode.objects.filter(title="By hand").exists()

    def test_editorial_numbers_of_a_source_resolve_again(self):
        start(self.folder)
        path = self.folder / "feed.xml"
        number = b"<itunes:episode xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>7</itunes:episode>"
        path.write_bytes(path.read_bytes().replace(b"<item>", b"<item>" + number, 1))
        assert run(path, "--source", "feed").code == 0
        Source.objects.filter(slug="feed").update(editorial=[7])
        update_catalog(Podcast.objects.get(slug="small-talks"))
        assert Episode.objects.get(number=7).provenance["description_text"]["editorial"] is True

    def test_another_release_reads_everything_again(self):
        start(self.folder)
        with mock.patch.object(load_inputs, "fingerprint_of_readers", return_value="another"):
            assert len(update_catalog(Podcast.objects.get(slug="small-talks")).episodes) == 3

    def test_outline_of_another_release_is_read_again(self):
        start(self.folder)
        EpisodeReading.objects.update(outline={"title": "Of another form"})
        update_catalog(Podcast.objects.get(slug="small-talks"))
        assert_readings_change_nothing(Podcast.objects.get(slug="small-talks"))

    def test_an_import_reads_only_new_notes(self):
        start(self.folder)
        read: list[str] = []

        def looked_at(title: str, *_: object, **__: object) -> tuple[()]:
            read.append(title)
            return ()

        with mock.patch.object(read_notes, "find_code_symbol_uses", side_effect=looked_at):
            ingest(self.folder, "feed", 4, 0)
        assert "All about needles 3" in read
        assert len(read) <= 2  # one other refers to it by its number

    def test_other_rules_and_another_title_are_read_again(self):
        user = start(self.folder)
        Topic.objects.filter(slug="topic-0").update(rules={"notes": ["KettleImpl"]})
        ACTS["override_title"](user, 0, 7)
        assert {e.slug for e in Episode.objects.filter(topic_uses__topic__slug="topic-0")} == set(
            Episode.objects.values_list("slug", flat=True)
        )


ENTRY = {"source": "feed", "item_key": "small-1"}


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
    source = podcast.sources.get(slug="feed")
    document = Document.objects.create(source=source, address="https://x/1.vtt", kind="companion")
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
    "words of all transcripts": lambda podcast: Decision.objects.create(
        podcast=podcast, kind="show-words", key="kettle", value="Kettle"
    ),
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


@pytest.mark.parametrize("change", CHANGES.values(), ids=[*CHANGES])
def test_readings_change_nothing_after_another_input(talks: Podcast, change: Callable[[Podcast], object]) -> None:
    change(talks)
    assert_readings_change_nothing(talks)


@pytest.mark.parametrize("change", OTHERS.values(), ids=[*OTHERS])
def test_what_no_resolve_reads_changes_nothing(talks: Podcast, change: Callable[[Podcast], object]) -> None:
    change(talks)
    assert compute_catalog(Podcast.objects.get(pk=talks.pk)).result.episodes == ()


def test_judgements_say_what_is_alone_apart_and_unwanted(talks: Podcast) -> None:
    """An episode of its own keeps all others off, unless its detail says that what surely is the same joins it."""
    verdicts = (("new", ""), ("new", "what surely is the same joins it"), ("ignore", ""), ("same", ""), ("kept", ""))
    for n, (value, detail) in enumerate((*verdicts, ("different", ""), ("repeats", ""))):
        about = {"source": "feed", "item_key": f"{n}", "other_source": "other", "other_key": "x"}
        Decision.objects.create(podcast=talks, kind="match", value=value, detail=detail, **about)
    found = load_inputs.load_decisions(talks, {})
    entries = [("feed", f"{n}") for n in range(7)]
    assert found.own_episodes == {entries[0], entries[1]}
    assert found.never_joined == {entries[0]}
    assert found.not_episodes == {entries[2]}
    assert [(one.entry, one.is_same, one.is_inherited) for one in found.match_decisions] == [
        (entries[3], True, False), (entries[4], True, True), (entries[5], False, False), (entries[6], False, False),
    ]  # fmt: skip
    assert [(one.later_entry, one.kind) for one in found.rerun_decisions] == [(entries[6], "repeats")]
