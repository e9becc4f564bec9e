"""Laws of decisions: they outlive every ingest, and taken back they leave nothing behind."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from episodes.admin.inbox import Filters, Inbox, acts_of
from episodes.curation import (
    Impossible,
    Thing,
    accept_topic,
    add,
    add_episode,
    anchor,
    assign,
    bring_back,
    close_conflict,
    correct,
    delete_path,
    delete_topic,
    end_correction,
    follow_feed,
    hide,
    ignore,
    join,
    join_topic,
    judge,
    judge_repeat,
    keep,
    make_episode,
    merge,
    merge_topics,
    move,
    override,
    put_back,
    refuse_topic,
    release,
    remove,
    reopen_conflict,
    rolled_back,
    save_configuration,
    save_path,
    save_topic,
    set_status,
    split,
    take_address,
    take_out,
    take_up,
    together,
    undo,
)
from episodes.models import (
    Change,
    CodeName,
    Correction,
    Episode,
    FormerAddress,
    Item,
    LearningPath,
    Link,
    Person,
    Podcast,
    Removal,
    Source,
    Topic,
    TopicProposal,
    WithdrawnEpisode,
)
from episodes.records import FieldConflict

from ..examples import tries
from ..ingest.conftest import run, take
from ..kept import made_once
from .conftest import export, feed, notes, staff
from .test_backup import KEPT, emptied

ACTS: dict[str, Callable[[User, int, int], object]] = {}


def act(what: Callable[[User, int, int], object]) -> Callable[[User, int, int], object]:
    ACTS[what.__name__] = what
    return what


def episode(n: int) -> Episode:
    found = list(Episode.objects.order_by("order"))
    if not found:
        raise Impossible("All were taken out.")
    return found[n % len(found)]


def episode_with(item: Item) -> Episode:
    return Episode.objects.get(attachments__item=item)


@act
def title(user: User, n: int, m: int) -> None:
    override(user, episode(n), {"title": f"Another title {m}"})


@act
def several_fields(user: User, n: int, m: int) -> None:
    override(user, episode(n), {"number": str(m + 100), "published": "2020-02-29", "description_text": f"Words {m}."})


@act
def free(user: User, n: int, m: int) -> None:
    release(user, episode(n), ["title", "number"])


@act
def take_topic_out(user: User, n: int, m: int) -> None:
    found = episode(n)
    for use in found.topic_uses.all()[:1]:
        remove(user, found, "topic", use.topic.slug)


@act
def put_topic_in(user: User, n: int, m: int) -> None:
    add(user, episode(n), "topic", Topic.objects.order_by("slug")[m % Topic.objects.count()].slug)


@act
def take_link_out(user: User, n: int, m: int) -> None:
    found = episode(n)
    for mention in found.mentions.all()[:1]:
        remove(user, found, "link", mention.link.key)


@act
def put_link_in(user: User, n: int, m: int) -> None:
    add(user, episode(n), "link", f"https://example.net/added/{m}", "words")


@act
def bring_link_back(user: User, n: int, m: int) -> None:
    bring_back(user, episode(n), "link", f"gh:small/talks#{n + 1}")


@act
def person(user: User, n: int, m: int) -> None:
    add(user, episode(n), "person", "@kim", "guest Kim Lee")


@act
def merge_two(user: User, n: int, m: int) -> None:
    merge(user, episode(n), episode(m), {"title": "Two in one"} if m % 2 else None)


@act
def split_one(user: User, n: int, m: int) -> None:
    found = episode(n)
    items = list(Item.objects.filter(attachment__episode=found).order_by("pk"))
    split(user, found, items[1:])


@act
def move_entries(user: User, n: int, m: int) -> None:
    found = episode(n)
    items = list(Item.objects.filter(attachment__episode=found).order_by("pk"))
    move(user, found, items[1:], episode(m))


@act
def take_one_out(user: User, n: int, m: int) -> None:
    take_out(user, episode(n), ("no-episode", "hidden", "replaced")[m % 3], episode(m))


@act
def put_one_back(user: User, n: int, m: int) -> None:
    found = list(WithdrawnEpisode.objects.order_by("slug"))
    if found:
        put_back(user, found[n % len(found)])


@act
def exchange_addresses(user: User, n: int, m: int) -> None:
    take_address(user, episode(n), episode(m), "" if n % 2 else f"own-{m}")


@act
def close_a_conflict(user: User, n: int, m: int) -> None:
    for row in episode(n).conflicts[:1]:
        close_conflict(user, episode(n), FieldConflict(**row).key)


@act
def no_episode(user: User, n: int, m: int) -> None:
    items = list(Item.objects.order_by("pk"))
    ignore(user, items[n % len(items)])


@act
def published_before(user: User, n: int, m: int) -> None:
    judge_repeat(user, episode(n), episode(m), ("replaces", "repeats", "unrelated")[m % 3])


@act
def by_hand(user: User, n: int, m: int) -> None:
    add_episode(user, Podcast.objects.get(), {"title": f"Never listed {m}", "published": "2021-03-0" + str(m % 9 + 1)})


@act
def new_topic(user: User, n: int, m: int) -> None:
    save_topic(user, Topic(slug=f"new-{m}", name=f"New {m}", rules={"title": ["ladders"]}))


@act
def rename_topic(user: User, n: int, m: int) -> None:
    topic = Topic.objects.order_by("slug")[n % Topic.objects.count()]
    topic.slug, topic.name = f"renamed-{m}", f"Renamed {m}"
    save_topic(user, topic)


@act
def join_topics(user: User, n: int, m: int) -> None:
    topics = list(Topic.objects.order_by("slug"))
    merge_topics(user, topics[n % len(topics)], topics[m % len(topics)])


@act
def source_status(user: User, n: int, m: int) -> None:
    set_status(
        user, Source.objects.get(slug=("feed", "other")[n % 2]), ("paused", "removed", "archived", "active")[m % 4]
    )


def things(model: type[Person | Link | CodeName]) -> list[Thing]:
    found = [Thing.of(row) for row in model._default_manager.order_by("pk")]
    if not found:
        raise Impossible("The episodes that had one were taken out.")
    return found


@act
def correct_person(user: User, n: int, m: int) -> None:
    for thing in things(Person)[n % 3 : n % 3 + 1]:
        correct(user, thing, {"name": f"Kim {m}", "url": "https://kim.example/"}, aliases=[f"Kim the {m}."])


@act
def join_people(user: User, n: int, m: int) -> None:
    with transaction.atomic():  # who cannot be merged is not added either
        add(user, episode(n), "person", "@lee", "guest Lee")
        people = things(Person)
        join(user, people[n % len(people)], people[m % len(people)])


@act
def no_person(user: User, n: int, m: int) -> None:
    for thing in things(Person)[m % 3 : m % 3 + 1]:
        hide(user, thing)


@act
def correct_link(user: User, n: int, m: int) -> None:
    found = things(Link)
    values = {"label": f"Label {m}", "kind": "paper", "replacement": f"https://web.archive.org/web/2021/{m}"}
    correct(user, found[n % len(found)], values)


@act
def hide_link(user: User, n: int, m: int) -> None:
    found = things(Link)
    hide(user, found[n % len(found)])


@act
def join_symbols(user: User, n: int, m: int) -> None:
    override(user, episode(n), {"description_text": "The kettle_lid is no KettleLid."})
    found = things(CodeName)
    join(user, found[n % len(found)], found[m % len(found)])


@act
def no_symbol(user: User, n: int, m: int) -> None:
    for thing in things(CodeName)[m % 2 : m % 2 + 1]:
        hide(user, thing, podcast=Podcast.objects.get())


@act
def details_and_image(user: User, n: int, m: int) -> None:
    override(user, episode(n), {"details": f"location | Bath {m}", "image_url": f"https://images.example/{m}.png"})


@act
def a_button_of_the_inbox(user: User, n: int, m: int) -> None:
    inbox = Inbox(user)
    found = inbox.page(0, 50)
    if found:
        row = found[n % len(found)]
        buttons = acts_of(row, inbox.assignee(row))
        buttons[m % len(buttons)].do(user, row)


@act
def keep_mine(user: User, n: int, m: int) -> None:
    keep(user, episode(n), ["title", "number", "published"])


@act
def a_row_brought_back(user: User, n: int, m: int) -> None:
    for row in Inbox(user, Filters(aside=True)).page(0, 50)[:1]:
        take_up(user, row.key)


@act
def judge_entry(user: User, n: int, m: int) -> None:
    items = list(Item.objects.filter(withdrawn=None).order_by("pk"))
    judge(user, items[n % len(items)], episode(m), ("same", "different")[m % 2])


@act
def entry_alone(user: User, n: int, m: int) -> None:
    items = list(Item.objects.order_by("pk"))
    make_episode(user, items[n % len(items)])


@act
def reopen_a_conflict(user: User, n: int, m: int) -> None:
    for row in Removal.objects.filter(kind="conflict", ended_at=None)[:1]:
        for found in Episode.objects.filter(attachments__item__key=row.item_key)[:1]:
            reopen_conflict(user, found, row.key)


@act
def relation(user: User, n: int, m: int) -> None:
    add(user, episode(n), "reference", " ".join(anchor(episode(m))), ("prerequisite", "see-also", "follow-up")[m % 3])


@act
def no_relation(user: User, n: int, m: int) -> None:
    remove(user, episode(n), "reference", " ".join(anchor(episode(m))))


@act
def role(user: User, n: int, m: int) -> None:
    for credit in episode(n).credits.all()[:1]:
        add(user, episode(n), "person", credit.person.identity, f"{('host', 'guest')[m % 2]} {credit.person.name}")


@act
def person_out(user: User, n: int, m: int) -> None:
    for credit in episode(n).credits.all()[:1]:
        remove(user, episode(n), "person", credit.person.identity)


@act
def end_a_correction(user: User, n: int, m: int) -> None:
    rows = list(Correction.objects.filter(ended_at=None).order_by("pk"))
    if rows:
        end_correction(user, rows[n % len(rows)])


@act
def show_texts(user: User, n: int, m: int) -> None:
    podcast = Podcast.objects.get()
    podcast.title, podcast.description, podcast.author = f"Small Talks {m}", f"Words {n}.", ""
    save_configuration(user, podcast)


@act
def as_the_feed_says(user: User, n: int, m: int) -> None:
    follow_feed(user, Podcast.objects.get(), ["title", "description"])


@act
def source_title(user: User, n: int, m: int) -> None:
    source = Source.objects.get(slug=("feed", "other")[n % 2])
    source.title, source.rank = f"Source {m}", m + 1
    save_configuration(user, source)


@act
def new_path(user: User, n: int, m: int) -> None:
    steps = [{"episode": episode(n).slug, "why": "First."}, {"episode": episode(m).slug, "why": ""}]
    save_path(user, LearningPath(slug=f"path-{m}-{LearningPath.objects.count()}", title=f"Path {m}", steps=steps))


@act
def rename_or_delete_path(user: User, n: int, m: int) -> None:
    for path in LearningPath.objects.order_by("pk")[:1]:
        if m % 2:
            delete_path(user, path)
            continue
        path.slug = f"renamed-{m}-{path.pk}"
        save_path(user, path)


@act
def no_topic(user: User, n: int, m: int) -> None:
    topics = list(Topic.objects.order_by("slug"))
    if len(topics) > 1:
        delete_topic(user, topics[n % len(topics)])


@act
def judge_a_proposal(user: User, n: int, m: int) -> None:
    proposals = list(TopicProposal.objects.order_by("name"))
    if proposals:
        found = proposals[n % len(proposals)]
        into = Topic.objects.order_by("slug")[m % Topic.objects.count()]
        (lambda: accept_topic(user, found), lambda: join_topic(user, found, into), lambda: refuse_topic(user, found))[
            m % 3
        ]()


@act
def give_a_row(user: User, n: int, m: int) -> None:
    rows = Inbox(user).page(0, 50)
    if rows:
        assign(user, rows[n % len(rows)].key, None if m % 3 else user)


@act
def several_at_once(user: User, n: int, m: int) -> None:
    with together("edit", Podcast.objects.all()) as batch:
        batch.each(
            (found.title, partial(override, user, found, {"explicit": ("yes", "no")[m % 2]}))
            for found in Episode.objects.order_by("order")[: n % 3 + 1]
        )


def noted(user: User) -> list[tuple[object, ...]]:
    """The rows of the inbox with what was noted about them."""
    rows = [row for aside in (False, True) for row in Inbox(user, Filters(aside=aside)).page(0, 500)]
    return sorted((row.kind.slug, row.subject, row.words, row.held_back, str(row.note)) for row in rows)


# Adding an episode by hand makes a GUID, another each time.
REPEATABLE = sorted(ACTS.keys() - {"by_hand"})
STEPS = st.lists(
    st.tuples(st.sampled_from([*ACTS, "ingest", "ingest"]), st.integers(0, 9), st.integers(0, 9)),
    min_size=1,
    max_size=6,
)


def ingest_another(folder: Path, n: int) -> None:
    """A document in another state than before: longer, or with another's words."""
    page, source = (feed(range(4 + n % 3)), "feed") if n % 2 else (feed(range(3 + n % 3), cut=True), "other")
    (folder / f"{source}.xml").write_bytes(page)
    ran = run(folder / f"{source}.xml", "--source", source, "--accept")
    assert ran.code == 0, ran.err


def decide(user: User, folder: Path, steps: list[tuple[str, int, int]]) -> None:
    for name, n, m in steps:
        if name == "ingest":
            for source in Source.objects.filter(status__in=("archived", "removed")):
                set_status(user, source, "active")
            ingest_another(folder, n)
            continue
        try:
            with transaction.atomic():  # of an act of two parts either both are done or none
                ACTS[name](user, n, m)
        except Impossible:
            continue


class Laws(TestCase):
    """Each example starts from the small show with both of its documents."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    def start(self) -> User:
        made_once(self.import_both)
        return staff("carla", "administrator")

    @staticmethod
    def import_both() -> None:
        podcast = Podcast.objects.create(slug="small-talks", title="Small Talks", feed_url="https://small.example/feed")
        common = {"podcast": podcast, "reader": "feed"}
        Source.objects.create(slug="feed", rank=1, may_create=True, complete=True, **common)
        Source.objects.create(slug="other", rank=2, **common)
        for place, word in enumerate(("kettles", "pianos")):
            Topic.objects.create(slug=f"topic-{place}", name=f"Topic {place}", rules={"title": [word]})
        for source, page in (("feed", feed(range(4))), ("other", feed(range(4), cut=True))):
            take(source, page)

    @settings(max_examples=tries(10, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def test_decisions_and_their_undo_leave_the_export_as_the_documents_alone_make_it(self, steps):
        user = self.start()
        decide(user, self.folder, steps)
        for change in Change.objects.order_by("-id"):
            undo(user, change)
        after = export()
        hidden = '"by-hand"'
        assert hidden not in after
        ingests = [step for step in steps if step[0] == "ingest"]
        Change.objects.all().delete()
        self.fresh(ingests)
        assert json.loads(export()) == json.loads(after)

    def fresh(self, ingests: list[tuple[str, int, int]]) -> None:
        """The same documents in a database that nobody ever decided anything in."""
        from episodes import models as nouns

        for model in (
            nouns.TopicRefusal,
            nouns.LearningPath,
            nouns.FormerPath,
            nouns.FormerTopic,
            nouns.InboxNote,
            nouns.WithdrawnEpisode,
            nouns.Withdrawal,
            nouns.Override,
            nouns.Judgement,
            nouns.Removal,
            nouns.Addition,
            nouns.Correction,
            nouns.FormerAddress,
            nouns.Held,
        ):
            model._default_manager.all().delete()
        for name in ("Episode", "Revision", "Item", "IngestRun", "Capture", "Document", "Source", "Topic", "Podcast"):
            getattr(nouns, name)._default_manager.all().delete()
        User.objects.all().delete()
        self.import_both()  # rows of people and links are left from before, so that none can be put back
        user = staff("carla", "administrator")
        decide(user, self.folder, ingests)

    @settings(max_examples=tries(10, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def test_a_rebuild_and_the_undo_of_an_undo_change_nothing(self, steps):
        user = self.start()
        decide(user, self.folder, steps)
        before = export()
        call_command("rebuild", verbosity=0)
        assert export() == before
        last = Change.objects.first()
        if last is not None:
            undo(user, undo(user, last))
            assert export() == before

    @settings(max_examples=tries(10, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS, st.sampled_from(REPEATABLE), st.integers(0, 9), st.integers(0, 9))
    @example([("title", 0, 0)], "join_symbols", 0, 0)
    def test_a_preview_is_what_is_done_and_leaves_nothing(self, steps, name, n, m):
        user = self.start()
        decide(user, self.folder, steps)
        before, inbox = export(), noted(user)
        try:
            seen = rolled_back(lambda: ACTS[name](user, n, m), export)
        except Impossible:
            seen = before
        assert (export(), noted(user)) == (before, inbox)
        decide(user, self.folder, [(name, n, m)])
        assert export() == seen

    @settings(max_examples=tries(5, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def test_decisions_outlive_a_backup_and_the_undo_of_an_undo_after_it(self, steps):
        user = self.start()
        decide(user, self.folder, steps)
        before, inbox, file = export(), noted(user), str(self.folder / "kept.json")
        call_command("dumpdata", *KEPT, output=file, verbosity=0)
        emptied()
        call_command("loaddata", file, verbosity=0)
        call_command("rebuild", verbosity=0)
        user = User.objects.get(username="carla")
        assert (export(), noted(user)) == (before, inbox)
        for last in Change.objects.all()[:1]:
            undo(user, undo(user, last))
            assert export() == before

    @settings(max_examples=tries(10, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def test_every_change_is_told_in_words(self, steps):
        user = self.start()
        decide(user, self.folder, steps)
        for change in Change.objects.all():
            assert change.action != change.verb or change.verb.startswith(("set aside", "split"))
            assert not re.search(
                r"[{\[]['\"]|None|guid:", " ".join(map(str, (part for line in change.told for part in line)))
            )

    @settings(max_examples=tries(10, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS, st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=6))
    def test_the_inbox_and_its_notes_outlive_a_rebuild_and_the_undo_of_an_undo(self, steps, presses):
        user = self.start()
        decide(user, self.folder, [*steps, *(("a_button_of_the_inbox", n, m) for n, m in presses)])
        before, catalog = noted(user), export()
        call_command("rebuild", verbosity=0)
        assert (noted(user), export()) == (before, catalog)
        last = Change.objects.first()
        if last is not None:
            undo(user, undo(user, last))
            assert (noted(user), export()) == (before, catalog)

    @settings(max_examples=tries(10, 25), suppress_health_check=list(HealthCheck))
    @given(st.lists(st.integers(0, 9), max_size=4))
    def test_what_was_corrected_and_taken_out_stays_so_whatever_is_ingested(self, states):
        user = self.start()
        found = Episode.objects.get(title="All about kettles 0")
        remove(user, found, "topic", "topic-0")
        remove(user, found, "link", "gh:small/talks#1")
        override(user, found, {"title": "Kettles", "description_text": notes(0) + " Corrected."})
        for n in states:
            ingest_another(self.folder, n)
        found = Episode.objects.get(title="Kettles")
        assert found.description_text.endswith("Corrected.")
        assert not found.topic_uses.exists()
        assert "gh:small/talks#1" not in [m.link.key for m in found.mentions.select_related("link")]

    @settings(max_examples=tries(10, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def test_an_address_once_published_answers_for_ever(self, steps):
        user = self.start()
        decide(user, self.folder, steps)
        for slug in FormerAddress.objects.values_list("slug", flat=True).distinct():
            address, met = f"/episodes/{slug}/", []
            while (answer := self.client.get(address)).status_code == 301:
                assert address not in met
                met.append(address)
                address = answer.headers["Location"]
            assert answer.status_code in (200, 410)

    @settings(max_examples=tries(10, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS, st.integers(0, 9), st.integers(0, 9))
    def test_a_move_is_a_split_and_a_merge(self, steps, n, m):
        user = self.start()
        decide(user, self.folder, steps)
        try:
            found, target = episode(n), episode(m)
            stays, *items = Item.objects.filter(attachment__episode=found).order_by("pk")
            there = Item.objects.filter(attachment__episode=target).earliest("pk")
            move(user, found, items, target)
        except Impossible:
            return
        moved = export()
        undo(user, Change.objects.latest("id"))
        split(user, episode_with(stays), items)
        merge(user, episode_with(there), episode_with(items[0]))
        assert export() == moved

    @settings(max_examples=tries(10, 25), suppress_health_check=list(HealthCheck))
    @given(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=4))
    def test_what_was_taken_out_stays_out_whatever_is_ingested(self, n, states):
        user = self.start()
        gone = episode(n)
        take_out(user, gone, "hidden")
        for state in states:
            ingest_another(self.folder, state)
        assert not Episode.objects.filter(title=gone.title).exists()
        assert self.client.get(gone.get_absolute_url()).status_code == 410
