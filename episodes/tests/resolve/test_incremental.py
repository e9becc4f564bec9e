"""An import reads only what is new; it leaves what a resolve of everything leaves, byte for byte."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db.models import Model
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from episodes import models
from episodes.curation import Impossible
from episodes.models import Capture, Episode, ParsedNotes, Podcast, Source, Topic
from episodes.notes import enrich
from episodes.notes.memory import Memory
from episodes.records import Resolved
from episodes.resolve import inputs
from episodes.resolve.apply import apply, prepared

from ..curation.acts import ACTS
from ..curation.conftest import WORDS, feed, staff
from ..examples import examples
from ..ingest.conftest import run
from .histories import REFUSED

GUESTS = ("Ana Roe", "Bo de Wit", "Ivan Petrov (@ivan)", "Chi Okoro")
# What a resolve writes, and what tells one row from another, whatever its number.
ROWS: dict[type[Model], tuple[str, ...]] = {
    models.EpisodeLink: ("episode__slug", "link__key", "link__kind", "position", "url", "text", "said"),
    models.EpisodeTopic: ("episode__slug", "topic__slug", "term", "field", "position", "confidence"),
    models.CodeMention: ("episode__slug", "name__name", "field", "position", "sentence"),
    models.Credit: ("episode__slug", "person__identity", "person__name", "role", "credited_as", "full_name"),
    models.Reference: ("episode__slug", "target__slug", "kind", "evidence"),
    models.Episode: ("slug", "related", "repeats", "versions"),
    models.Attachment: ("item__key", "episode__slug", "reasons"),
    models.Held: ("item__key", "candidates"),
    models.ParsedNotes: ("digest", "payload"),
    models.Link: ("key", "kind", "heading", "title", "episode_count"),
    models.EpisodeCount: ("podcast__slug", "about", "counts"),
    models.CatalogState: ("podcast__slug", "sources"),
}


def rows() -> Iterator[tuple[str, list[str]]]:
    for model, fields in ROWS.items():
        yield model.__name__, sorted(map(repr, model._default_manager.values_list(*fields)))


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
        raise Impossible(ran.err)
    assert ran.code == 0, ran.err


IMPORT = st.tuples(st.sampled_from(["feed", "other"]), st.integers(2, 6), st.integers(0, 2))
DECISION = st.tuples(st.sampled_from([*ACTS]), st.integers(0, 9), st.integers(0, 9))


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


class Incremental(TestCase):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def take(self, user: User, name: str, n: int, m: int) -> None:
        with suppress(*REFUSED):
            ingest(self.folder, name, n, m) if name in ("feed", "other") else ACTS[name](user, n, m)

    @settings(max_examples=examples(6, 100), suppress_health_check=list(HealthCheck))
    @given(st.lists(st.one_of(IMPORT, DECISION, DECISION), min_size=1, max_size=6))
    @example([("another_show", 0, 0), ("feed", 2, 0)])
    # What is undone already is refused.
    @example([("several_at_once", 0, 0), ("take_back", 0, 0), ("take_back", 1, 0)])
    def test_equal_inputs_make_equal_catalogs(self, steps):
        user = start(self.folder)
        podcast = Podcast.objects.get(slug="small-talks")
        made: dict[str, Resolved] = {}
        for name, n, m in steps:
            self.take(user, name, n, m)
            podcast = Podcast.objects.get(pk=podcast.pk)
            found = prepared(podcast)
            assert made.setdefault(found.inputs, found.result) == found.result

    def test_a_feed_that_is_only_dated_anew_resolves_nothing(self):
        start(self.folder)
        path = self.folder / "feed.xml"
        path.write_bytes(path.read_bytes().replace(b"</title>", b"</title><lastBuildDate>Today</lastBuildDate>", 1))
        with mock.patch.object(
            sys.modules["episodes.resolve.apply"], "resolve", side_effect=AssertionError("resolved")
        ):
            ran = run(path, "--source", "feed")
        assert ran.out == "feed: 3 items: 0 new, 3 matched, 0 held, 0 ignored; 3 unchanged since last time\n"
        assert Capture.objects.filter(document__source__slug="feed").count() == 2

    def test_what_somebody_else_wrote_is_written_over_by_a_rebuild(self):
        start(self.folder)
        podcast = Podcast.objects.get(slug="small-talks")
        assert apply(podcast) is None
        Episode.objects.update(title="By hand")
        assert apply(podcast) is None  # nothing tells it of what others write
        call_command("rebuild", verbosity=0)
        assert not Episode.objects.filter(title="By hand").exists()
        assert apply(podcast) is None

    def test_other_editorial_summaries_of_a_source_resolve_again(self):
        start(self.folder)
        path = self.folder / "feed.xml"
        number = b"<itunes:episode xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'>7</itunes:episode>"
        path.write_bytes(path.read_bytes().replace(b"<item>", b"<item>" + number, 1))
        assert run(path, "--source", "feed").code == 0
        Source.objects.filter(slug="feed").update(editorial=[7])
        assert apply(Podcast.objects.get(slug="small-talks"))
        assert Episode.objects.get(number=7).provenance["description_text"]["editorial"] is True

    def test_another_release_resolves_again(self):
        start(self.folder)
        with mock.patch.object(inputs, "_code", return_value="another"):
            assert apply(Podcast.objects.get(slug="small-talks"))

    def test_an_import_reads_the_notes_of_new_episodes_only(self):
        start(self.folder)
        read: list[str] = []

        def looked_at(title: str, *_: object) -> tuple[()]:
            read.append(title)
            return ()

        with mock.patch.object(enrich, "code_names", side_effect=looked_at):
            ingest(self.folder, "feed", 4, 0)
        assert read == ["All about needles 3"]

    def test_what_no_notes_need_any_more_is_forgotten(self):
        start(self.folder)
        before = set(ParsedNotes.objects.values_list("digest", flat=True))
        ingest(self.folder, "feed", 3, 1)
        after = set(ParsedNotes.objects.values_list("digest", flat=True))
        assert len(before) == len(after)
        assert before - after

    def test_other_rules_and_another_title_are_read_again(self):
        user = start(self.folder)
        Topic.objects.filter(slug="topic-0").update(rules={"notes": ["KettleImpl"]})
        ACTS["title"](user, 0, 7)
        assert {e.slug for e in Episode.objects.filter(topic_uses__topic__slug="topic-0")} == set(
            Episode.objects.values_list("slug", flat=True)
        )


def test_what_is_remembered_depends_on_all_that_is_given():
    memory = Memory()
    note = memory.of("text")
    assert note.recall("words", ("a",), lambda: [1]) == [1]
    assert note.recall("words", ("a",), lambda: [2]) == [1]
    assert note.recall("words", ("b",), lambda: [2]) == [2]
    later = Memory(memory.used)
    assert later.of("text").recall("words", ("a",), lambda: [3]) == [1]
    assert (later.changed.keys(), later.unused) == (memory.used.keys(), [])
    assert later.of("another text").recall("words", ("a",), lambda: [3]) == [3]
