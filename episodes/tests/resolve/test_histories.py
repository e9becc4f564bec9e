"""Whatever happened, in whatever order: the catalog is what `rebuild` makes of the evidence and decisions, byte for byte."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from html import escape
from io import BytesIO, StringIO
from typing import Any, NamedTuple

import pytest
import time_machine
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from episodes import curation
from episodes import models as nouns
from episodes.curation import InvalidChange
from episodes.fields import FIELDS_BY_NAME
from episodes.gather import evidence
from episodes.ingest import (
    ImportOptions,
    ImportTarget,
    LoadedDocument,
    TranscriptFile,
    import_document,
    import_transcripts,
)
from episodes.models import (
    LIST_DECISION_KINDS,
    Attachment,
    CatalogState,
    Change,
    Credit,
    Document,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Podcast,
    Redirect,
    Source,
    Topic,
)
from episodes.records import DocumentRejected, FetchedDocument
from episodes.resolve import background, resolve_all_waiting, update_catalog

from ..curation.acts import ACTS, REFUSED
from ..curation.conftest import staff
from ..examples import tries
from ..kept import made_once
from .histories import Tables, catalog_tables, differences

TITLES = (
    "All about kettles", "Ladders, part 1", "Ladders, part 2", "Bonus", "Bonus", "All about kettles", "Ahead", "Tea"
)  # fmt: skip
WORDS = ("kettles", "ladders", "ladders", "mirrors", "needles", "kettles", "pianos", "organs")
GUESTS = ("Ada Loom", "Bo Reed", "ada loom", "Ivan Petrov (@ivan)", "Chi Okoro", "Ada Loom", "Bo Reed", "Chi")
BREWING = (0, 3, 7)  # episodes with one keyword
START = datetime(2021, 5, 8, 12, tzinfo=UTC)  # the last episodes are ahead of it
STATES = ("", "", "title", "number", "date", "notes", "audio", "guid")  # the value that an entry has of its own
BLOG = "https://blog.ezyang.com/2021/05/"
NAMESPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0"'
)
TRANSCRIPT = "https://files.example/{}/{}.vtt"


class Entry(NamedTuple):
    """An entry of a document: the number of the episode, and the value that differs from other entries."""

    number: int
    state: str = ""


class Import(NamedTuple):
    """The import of a document of a show, with its entries from the top."""

    show: int
    source: str
    listed: tuple[Entry, ...]
    days: int = 0  # later


class Decision(NamedTuple):
    act: str
    n: int
    m: int
    undone: bool = False


class CatchUp(NamedTuple):
    """The resolve of all waiting shows."""


SOURCES = {"feed": "feed", "other": "feed", "site": "listing", "blog": "ezyang-blog"}  # with their readers
Step = Import | Decision | CatchUp

entries = st.lists(
    st.builds(Entry, st.integers(0, len(TITLES) - 1), st.sampled_from(STATES)),
    min_size=1,
    max_size=5,
    unique_by=lambda entry: entry.number,
)
imports = st.builds(
    Import,
    st.integers(0, 2),
    st.sampled_from(["feed", "feed", "other", "site", "blog", "transcript", "brought"]),
    entries.map(tuple),
    st.sampled_from((0, 0, 1, 5)),
)
decisions = st.builds(
    Decision, st.sampled_from([*ACTS]), st.integers(0, 19), st.integers(0, 19), st.sampled_from((False, False, True))
)
histories = st.lists(st.one_of(imports, decisions, decisions, st.just(CatchUp())), min_size=1, max_size=8)


def create_shows() -> None:
    """Create two shows with documents, and a third without any."""
    for place, slug in enumerate(("small-talks", "loud-talks", "new-talks")):
        podcast = Podcast.objects.create(
            slug=slug, title=slug.replace("-", " ").title(), feed_url=_address(slug, "feed"), has_symbols=True
        )
        for rank, (name, reader) in enumerate(SOURCES.items(), 1):
            first = {"may_create": True, "complete": True, "own": True} if name == "feed" else {"own": False}
            address = _address(slug, name) if reader == "feed" else ""
            Source.objects.create(podcast=podcast, slug=name, reader=reader, rank=rank, address=address, **first)
        rules = {"title": [WORDS[place]], "notes": [WORDS[place + 2]]}
        Topic.objects.create(slug=f"topic-{place}", name=f"Topic {place}", rules=rules)
    for show, source, listed in (
        (0, "feed", [Entry(n) for n in reversed(range(len(TITLES)))]),
        (1, "feed", [Entry(5), Entry(0)]),
        (0, "other", [Entry(6, "title"), Entry(1), Entry(0, "number")]),
        (0, "blog", [Entry(0)]),
        (0, "transcript", [Entry(0)]),
        (0, "brought", [Entry(1), Entry(3)]),
    ):
        import_step(Import(show, source, tuple(listed)))


def _address(show: str, source: str) -> str:
    return f"https://{show}.example/{source}"


def import_step(step: Import) -> None:
    """Import a document of a source, or transcripts of a curator. Raise InvalidChange if it is refused."""
    show = Podcast.objects.order_by("rank")[step.show]
    if step.source == "brought":
        try:
            import_transcripts(
                show, [_transcript_file(show, entry) for entry in step.listed], timezone.now, machine_made=step.days > 0
            )
        except DocumentRejected as refusal:
            raise InvalidChange(str(refusal)) from None
        return
    name, listed = step.source, step.listed
    if name == "transcript":
        _store_offered_transcript(show, listed[0])
        return
    source = Source.objects.get(podcast=show, slug=name)
    address = source.address or f"{BLOG}tag" if name == "blog" else source.address or _address(show.slug, name)
    body = {"site": _page, "blog": _posts}.get(name, _feed)(show, name, listed)
    page = FetchedDocument(body.encode(), address, "text/html" if name == "site" else "")
    report = import_document(
        LoadedDocument(ImportTarget(name, source=source), page),
        ImportOptions(accept=True, files=False),
        timezone.now,
        lambda message: None,
    )
    if report.exit_code:
        raise InvalidChange(report.reason)


def _store_offered_transcript(show: Podcast, entry: Entry) -> None:
    """Store a transcript, as fetching does. Raise InvalidChange if no feed of the show offers it."""
    address = TRANSCRIPT.format(show.slug, entry.number)
    document = Document.objects.filter(source__podcast=show, address=address).first()
    if document is None:
        raise InvalidChange("no feed offers it")
    words = f"WEBVTT\n\n00:00.000 --> 00:04.000\n<v Ada>About {WORDS[entry.number]}{entry.state}.\n"
    with transaction.atomic():
        evidence.store_companion_file_and_detect_change(
            document, FetchedDocument(words.encode(), address), timezone.now()
        )
        update_catalog(show)


def _transcript_file(show: Podcast, entry: Entry) -> TranscriptFile:
    """Return a transcript with the title of its episode as its name, and perhaps with its number."""
    n = entry.number
    name = f"{n + 1} {_title(show, entry)}" if entry.state in ("number", "guid") else _title(show, entry)
    words = f"<v Bo>On {TITLES[n]}: about {WORDS[n]}{entry.state}."
    cues = (f"0{at}:00.000 --> 0{at}:59.000\n{words}\n" for at in (0, 3, 6, 9))
    body = "\n".join(("WEBVTT\n", *cues))
    return TranscriptFile(f"words-{n}/{name}.vtt", partial(BytesIO, body.encode()))


def _title(show: Podcast, entry: Entry) -> str:
    return f"{TITLES[entry.number]}{' again' if entry.state == 'title' else ''}"


def _notes(show: Podcast, entry: Entry) -> str:
    n, other = entry.number, (entry.number + (2 if entry.state == "notes" else 1)) % len(TITLES)
    return (
        f"Number {n} is about {WORDS[n]}: where they come from, what they are made of and who needs them at all. Today "
        f"{GUESTS[other]} joins me. {'Listen to' if n % 2 else 'See'} the episode {TITLES[other]} first, and episode "
        f"{other + 1}. KettleImpl calls pour_water_{other}. https://github.com/{'Small' if n % 3 else 'small'}/Talks/"
        f"issues/{other} and {BLOG}all-about-{WORDS[other]}/ and https://{show.slug}.example/{WORDS[other]}"
    )


def _feed(show: Podcast, name: str, listed: tuple[Entry, ...]) -> str:
    return f"<rss version='2.0' {NAMESPACES}><channel><title>{show.title}</title>{''.join(_items(show, name, listed))}</channel></rss>"


def _items(show: Podcast, name: str, listed: tuple[Entry, ...]) -> Iterator[str]:
    """Yield the items of a feed. Feeds of other sites cut titles and notes, and have no guids."""
    for entry in listed:
        n, state = entry
        title, notes = _title(show, entry), escape(_notes(show, entry))
        day = START - timedelta(days=5 - n - (9 if state == "date" else 0), hours=n % 2)
        elements = f"<pubDate>{day:%d %b %Y %H:%M:%S} GMT</pubDate>"
        if show.slug != "loud-talks" and (name == "feed" or state == "number"):
            elements += f"<itunes:episode>{n + (11 if state == 'number' else 1)}</itunes:episode>"
        elements += f"<itunes:duration>{600 + n + (99 if state == 'audio' else 0)}</itunes:duration>"
        if name == "feed":
            guid = f"{show.slug}-{n}{'-new' if state == 'guid' else ''}"
            audio = f"https://cdn.example/{guid}{'-2' if state == 'audio' else ''}.mp3"
            elements += (
                f"<guid isPermaLink='false'>{guid}</guid><enclosure url='{audio}' type='audio/mpeg' length='1'/>"
            )
            elements += f"<itunes:keywords>{'brewing' if n in BREWING else WORDS[n]}</itunes:keywords>"
            elements += f"<podcast:person href='https://loom.example/ada'>{GUESTS[n]}</podcast:person>" * (n % 2)
            elements += f"<podcast:transcript url='{TRANSCRIPT.format(show.slug, n)}' type='text/vtt'/>" * (n < 2)
        else:
            title, notes = (title[:14] + "…" if n % 2 else title), notes[:150] + "…"
        yield f"<item><title>{title}</title>{elements}<description>{notes}</description></item>"


def _page(show: Podcast, name: str, listed: tuple[Entry, ...]) -> str:
    items = "".join(
        f"<div class='result'><h2><a href='/e/{entry.number}'>{_title(show, entry)}</a></h2>"
        f"<time datetime='{START - timedelta(days=5 - entry.number):%Y-%m-%d}'></time><p>{escape(_notes(show, entry))[:120]}…</p></div>"
        for entry in listed
    )
    return f"<!doctype html><title>{show.title} – Castsite</title><h1>{show.title}</h1>{items}"


def _posts(show: Podcast, name: str, listed: tuple[Entry, ...]) -> str:
    posts = (f"All about {WORDS[e.number]}\n\n{_notes(show, e)[:99]}\n\nRead more...\n" for e in listed)
    return "\n".join(("ezyang's blog", "", *posts))


def apply_step(user: User, step: Step) -> None:
    """Import or decide, or raise one of REFUSED. Both parts of a decision are stored, or none."""
    with transaction.atomic():
        if isinstance(step, Import):
            import_step(step)
        elif isinstance(step, Decision):
            ACTS[step.act](user, step.n, step.m)


def decision_tables() -> Tables:
    """Return the decisions in force and the configuration, by table, without who decided and when."""
    app = apps.get_app_config("episodes")
    decision_models = [m for m in app.get_models() if m.__module__.endswith((".decisions", ".configuration", ".paths"))]
    tables = {}
    for model in decision_models:
        names = [f.attname for f in model._meta.concrete_fields if f.name not in ("id", "made_at", "made_by", "reason")]
        rows = model._default_manager.order_by()
        if "ended_at" in names:
            rows = rows.filter(ended_at=None)
        tables[model.__name__] = sorted(map(repr, rows.values_list(*names)))
    del tables["Change"]
    return tables


def addresses() -> set[str]:
    return set(Episode.objects.values_list("slug", flat=True))


def broken_laws(public: set[str]) -> Iterator[str]:
    """Yield the laws that are broken. `public` are the addresses that episodes ever had."""
    for slug in public - addresses() - set(Redirect.objects.filter(kind="episode").values_list("slug", flat=True)):
        yield f"{slug} leads nowhere"
    if not CatalogState.objects.filter(waiting_since__isnull=False).exists():
        yield from _ignored_decisions()


def decided_by_curators() -> Any:
    return nouns.Decision.objects.filter(ended_at=None)


def _ignored_decisions() -> Iterator[str]:
    """Yield the decisions in force that the catalog does not follow."""
    episode_of = {
        (podcast, source, key): episode
        for podcast, source, key, episode in Attachment.objects.values_list(
            "episode__podcast", "item__document__source__slug", "item__key", "episode"
        )
    }
    decisions = decided_by_curators().order_by("made_at", "pk")
    rows: list[tuple[Any, Any]] = [
        (row, episode_of.get((row.podcast_id, row.source, row.item_key))) for row in decisions
    ]
    yield from _ignored_overrides(rows)
    yield from _ignored_list_decisions(rows)
    for row, episode in rows:
        if row.kind == "withdrawal" and episode and not row.other_source:
            yield f"{row} was withdrawn and is there"
        if row.kind != "match" or not episode:
            continue
        if row.value == "ignore":
            yield f"{row} is an episode"
        other = episode_of.get((row.podcast_id, row.other_source, row.other_key))
        is_one_key = (row.source, row.item_key) == (row.other_source, row.other_key)  # in two documents
        if row.value == "different" and not is_one_key and episode == other:
            yield f"{row} are one"
    for hidden in decided_by_curators().filter(kind="correct-person", field="hidden", podcast=None):
        if Credit.objects.filter(person__identity=hidden.key).exists():
            yield f"{hidden.key} is hidden and is credited"


def _ignored_overrides(rows: list[tuple[Any, Any]]) -> Iterator[str]:
    last = {(episode, row.field): row for row, episode in rows if row.kind == "value" and episode}
    for (episode, name), row in last.items():
        field = FIELDS_BY_NAME[name]
        shown = field.display_full(field.text_of_episode(Episode.objects.get(pk=episode)))
        if name != "slug" and shown != field.display_full(row.value):
            yield f"{row} does not hold: {shown}"


def _ignored_list_decisions(rows: list[tuple[Any, Any]]) -> Iterator[str]:
    topics = dict(Redirect.objects.filter(kind="topic").exclude(topic=None).values_list("slug", "topic__slug"))
    topic_slugs = set(Topic.objects.values_list("slug", "podcast"))
    there = {
        "topic": set(EpisodeTopic.objects.values_list("episode", "topic__slug")),
        "link": set(EpisodeLink.objects.values_list("episode", "link__key")),
        "person": set(Credit.objects.values_list("episode", "person__identity")),
    }
    listed = [(row, episode, topics.get(row.key, row.key)) for row, episode in rows if row.kind in LIST_DECISION_KINDS]
    decided = {(episode, row.kind, key, row.value) for row, episode, key in listed}
    for row, episode, key in listed:
        is_there = (episode, key) in there.get(row.kind, ())
        if row.value == "removed" and is_there and (episode, row.kind, key, "added") not in decided:
            yield f"{row.kind} {key} was removed and is there"
        is_known = bool({(key, None), (key, row.podcast_id)} & topic_slugs)
        is_topic = row.kind == "topic" and row.value == "added" and episode and is_known
        if is_topic and not is_there and (episode, "topic", key, "removed") not in decided:
            yield f"topic {key} was added and is not there"


JUDGING = (
    "merge_two_episodes",
    "split_one_episode",
    "move_entries",
    "decide_match",
    "make_own_episode",
    "ignore_entry",
)
UNDONE = (*JUDGING, "add_reference")  # that are taken back at once for certain
# Acts that add evidence, which stays when they are taken back.
EVIDENCE = ("add_show", "add_episode_by_hand")


class Histories(TestCase):
    client_pages = ("/", "/episodes/", "/links/", "/people/", "/names/", "/topics/", "/timeline/", "/paths/")

    @settings(max_examples=tries(7, 400), suppress_health_check=list(HealthCheck))
    @given(histories, st.booleans())
    @example([CatchUp()], False)
    @example([Decision("change_show_status", 0, 0)], False)
    @example([Import(0, "feed", (Entry(2, "notes"),)), Import(2, "feed", (Entry(2, "notes"),))], False)
    @example([Import(0, "feed", tuple(map(Entry, range(5)))), Import(0, "site", (Entry(6),), 5)], True)
    def test_any_history_leaves_what_a_rebuild_leaves(self, steps: list[Step], at_once: bool) -> None:
        with self.history_start() as (user, clock), pytest.MonkeyPatch.context() as patch:
            if not at_once:
                patch.setattr(background, "MAX_EPISODES_IN_REQUEST", 0)
            public = addresses()
            for step in steps:
                self.apply_and_perhaps_undo(user, clock, step)
                public |= addresses()
                assert list(broken_laws(public)) == []
            self.assert_rebuild_changes_nothing()
            self.assert_former_addresses_lead_somewhere()

    @contextmanager
    def history_start(self) -> Iterator[tuple[User, time_machine.Traveller]]:
        with time_machine.travel(START, tick=False) as clock:
            made_once(create_shows)
            yield staff("carla", "administrator"), clock

    def apply_and_perhaps_undo(self, user: User, clock: time_machine.Traveller, step: Step) -> None:
        if isinstance(step, CatchUp):
            list(resolve_all_waiting())
            return
        if isinstance(step, Import):
            clock.shift(step.days * 86400)
        undone = isinstance(step, Decision) and step.undone and step.act not in EVIDENCE
        before = self.tables_that_undo_restores() if undone else {}
        last = Change.objects.count()
        try:
            apply_step(user, step)
        except REFUSED:
            return
        if undone:
            for change in Change.objects.order_by("-pk")[: Change.objects.count() - last]:
                if change.rows:
                    curation.undo_change(user, change)
            assert differences(before, self.tables_that_undo_restores()) == {}

    @staticmethod
    def tables_that_undo_restores() -> Tables:
        list(resolve_all_waiting())
        return decision_tables() | catalog_tables()

    def assert_rebuild_changes_nothing(self) -> None:
        list(resolve_all_waiting())
        step_by_step, pages = catalog_tables(), self.pages()
        call_command("rebuild", stdout=StringIO())
        assert differences(step_by_step, catalog_tables()) == {}
        assert self.pages() == pages

    def pages(self) -> dict[str, bytes]:
        return {address: self.client.get(address).content for address in self.client_pages}

    def assert_former_addresses_lead_somewhere(self) -> None:
        for slug in Redirect.objects.filter(kind="episode").values_list("slug", flat=True).distinct():
            address, met = f"/episodes/{slug}/", []
            while (answer := self.client.get(address)).status_code == 301:
                assert address not in met
                met.append(address)
                address = answer.headers["Location"]
            assert answer.status_code in (200, 410), address

    @pytest.mark.on_both
    def test_every_act_does_something_and_can_be_undone(self) -> None:
        idle, turn = list(ACTS), 0
        with self.history_start() as (user, clock):
            while idle and turn < 14:
                with transaction.atomic():
                    for name in list(idle):
                        if name in UNDONE:
                            self.apply_and_perhaps_undo(
                                user, clock, Decision(name, turn * 5, turn * 2 + 1, undone=True)
                            )
                        before = written()
                        self.apply_and_perhaps_undo(user, clock, Decision(name, turn * 5, turn * 2 + 1))
                        if written() > before:
                            idle.remove(name)
                    transaction.set_rollback(True)
                turn += 1
        assert idle == []


def written() -> int:
    return Change.objects.exclude(rows=[]).count()
