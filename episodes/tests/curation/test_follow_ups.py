"""A change shows at once in the episode that it is about; what follows in others comes after the commit."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from episodes.curation import (
    Impossible,
    add,
    add_episode,
    judge,
    merge,
    override,
    remove,
    rolled_back,
    save_row,
    split,
    take_out,
    undo,
)
from episodes.models import (
    CatalogState,
    Change,
    Credit,
    Decision,
    Episode,
    Held,
    Item,
    Podcast,
    Source,
    Topic,
    WithdrawnEpisode,
)
from episodes.resolve import apply, catch_up, follow_ups, waiting
from episodes.resolve.apply import prepared
from episodes.schedule import JOBS, Work
from podcast_catalog import checks

from ..admin.conftest import talks_show
from ..forks import Fork, Forks
from ..ingest.conftest import command, run, take
from ..kept import made_once
from ..patience import PATIENCE, until
from ..processes import change, migrated, rows
from ..resolve.histories import differences, everything
from .conftest import bring_back, export, feed
from .test_kills import setup

__all__ = ["migrated"]


@pytest.fixture
def later(db: None, monkeypatch: pytest.MonkeyPatch) -> Podcast:
    """The small show, whose changes are followed up when a test says so."""
    made_once(talks_show)
    monkeypatch.setattr(follow_ups, "MAX_EPISODES_IN_REQUEST", 0)
    return Podcast.objects.get()


def named(title: str) -> int:
    return Episode.objects.filter(title=title).count()


def at(place: int) -> Episode:
    return Episode.objects.order_by("order")[place]


def items(place: int) -> list[Item]:
    return list(Item.objects.filter(attachment__episode=at(place)).order_by("pk"))


def merged(user: User) -> Episode:
    merge(user, at(0), at(1))
    return at(0)


def add_kim(user: User, *roles: str) -> None:
    for role in roles:
        add(user, at(0), "person", "@kim", f"{role} Kim Lee")


def take_kim_out(user: User) -> None:
    add_kim(user, "guest")
    remove(user, at(0), "person", "@kim")


def out_and_back(user: User) -> None:
    take_out(user, at(0), "hidden")
    bring_back(user, WithdrawnEpisode.objects.get())


# What a curator does, and what has to be seen of it at once.
AT_ONCE: dict[str, tuple[Callable[[User], object], Callable[[], object]]] = {
    "a title": (lambda user: override(user, at(0), {"title": "Mine"}), lambda: Episode.objects.get(slug="mine").title),
    "an address": (lambda user: override(user, at(0), {"slug": "own"}), lambda: Episode.objects.filter(slug="own")),
    "a date": (
        lambda user: override(user, at(0), {"published": "2020-02-29"}),
        lambda: Episode.objects.filter(sorted_at__year=2020),
    ),
    "notes": (
        lambda user: override(user, at(0), {"description_text": "See https://example.net/own and kettle_lid."}),
        lambda: at(0).mentions.filter(url="https://example.net/own"),
    ),
    "a topic": (lambda user: add(user, at(0), "topic", Topic.objects.all()[0].slug), lambda: at(0).topics.all()),
    "a person": (
        lambda user: add_kim(user, "guest"),
        lambda: Credit.objects.filter(episode=at(0), person__slug="kim-lee"),
    ),
    "another role": (
        lambda user: add_kim(user, "guest", "host"),
        lambda: Credit.objects.get(episode=at(0), person__identity="@kim").role == "host",
    ),
    "nobody": (
        take_kim_out,
        lambda: not Credit.objects.filter(person__identity="@kim").exists(),
    ),
    "one of two": (merged, lambda: Episode.objects.count() == 4 and len(items(0)) == 4),
    "two of one": (lambda user: split(user, at(0), items(0)[1:]), lambda: Episode.objects.count() == 6),
    "one taken out": (
        lambda user: take_out(user, at(0), "replaced", at(1)),
        lambda: WithdrawnEpisode.objects.filter(replaced_by=at(0)),
    ),
    "one brought back": (
        out_and_back,
        lambda: Episode.objects.count() == 5,
    ),
    "one by hand": (
        lambda user: add_episode(user, Podcast.objects.get(), {"title": "Never listed"}),
        lambda: named("Never listed"),
    ),
}


@pytest.mark.parametrize("act, seen", AT_ONCE.values(), ids=[*AT_ONCE])
def test_a_change_is_seen_at_once_and_is_as_a_rebuild_makes_it_after_the_follow_up(
    later: Podcast, curator: User, act: Callable[[User], object], seen: Callable[[], object]
) -> None:
    act(curator)
    assert seen()
    assert {state.podcast for state in waiting()} <= {later}  # what was taken out comes with the whole show
    list(catch_up())
    assert seen()
    followed = everything(but=("CatalogState",))
    call_command("rebuild", verbosity=0)
    assert differences(followed, everything(but=("CatalogState",))) == {}


ODD = """<rss version="2.0"><channel><title>Small Talks</title><item><title>All about kettles 0</title>
<guid isPermaLink="false">odd</guid><pubDate>09 Dec 2023 13:00:00 GMT</pubDate><description>Quite another talk,
which says nothing of where anything comes from, and is held for its title alone.</description></item></channel></rss>"""


@pytest.fixture
def odd(later: Podcast) -> Item:
    """An entry that is held with the oldest episode as its candidate."""
    Source.objects.create(podcast=later, slug="odd", reader="feed", rank=50, address="https://odd.example/feed")
    take("odd", ODD.encode())
    assert [one["episode"] for one in Held.objects.get().candidates] == [at(0).slug]
    return Item.objects.get(key="guid:odd")


def place(item: Item) -> str:
    """The address of the episode that an entry belongs to; "waits" for one that is held."""
    held = Held.objects.filter(item=item).exists()
    return "waits" * held + "".join(Episode.objects.filter(attachments__item=item).values_list("slug", flat=True))


# What a curator says of the entry that is held, where it is then, and how many episodes there are.
OF_HELD: dict[str, tuple[Callable[[User, Item], object], str, int]] = {
    "the same": (lambda user, item: judge(user, item, "same", at(0)), "all-about-kettles-0", 5),
    "its own": (lambda user, item: judge(user, item, "new"), r"all-about-kettles-0-[0-9a-f]{8}", 6),
    "none": (lambda user, item: judge(user, item, "ignore"), "", 5),
}


@pytest.mark.parametrize("act, where, episodes", OF_HELD.values(), ids=[*OF_HELD])
def test_a_held_entry_is_placed_without_the_rest_of_its_show(
    odd: Item,
    curator: User,
    act: Callable[[User, Item], object],
    where: str,
    episodes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = items(0)
    monkeypatch.setattr(follow_ups, "apply", None)
    act(curator, odd)
    assert re.fullmatch(where, place(odd))
    assert Episode.objects.count() == episodes
    assert not Held.objects.exists()
    assert {place(item) for item in before} == {"all-about-kettles-0"}
    assert len(waiting()) == 1


def test_what_is_none_of_its_candidates_takes_the_show(odd: Item, curator: User) -> None:
    judge(curator, odd, "different", at(0))
    assert (place(odd), waiting()) == ("", [])  # its source makes no episodes


def test_a_new_episode_is_none_of_those_that_it_could_be(odd: Item, curator: User) -> None:
    theirs = {item.key for item in items(0)}
    judge(curator, odd, "new")
    apart = Decision.objects.in_force("match").filter(value="different")
    assert {row.other_key for row in apart} == theirs
    assert {row.item_key for row in apart} == {odd.key}
    judge(curator, odd, "new")  # its own entry is not apart from itself
    assert not apart.filter(other_key=odd.key).exists()


def test_an_entry_alone_that_leaves_its_episode_takes_the_show(later: Podcast, curator: User) -> None:
    first, second = items(0)
    judge(curator, second, "same", at(1))
    assert (place(first), place(second)) == ("all-about-kettles-0", "all-about-ladders-1")
    judge(curator, second, "ignore")
    assert place(second) == ""
    assert waiting() == []


def test_an_episode_goes_on_without_what_was_split_off(later: Podcast, curator: User) -> None:
    merge(curator, at(0), at(1))
    list(catch_up())
    before = at(0)
    first = [item for item in items(0) if item.key[-1] == "0"]
    rest = [item for item in items(0) if item not in first]
    split(curator, before, first)
    assert {Episode.objects.get(attachments__item=item).pk for item in rest} == {before.pk}
    own = Episode.objects.get(attachments__item=first[0])
    assert (own.pk != before.pk, own.order) == (True, 1)  # it is the oldest
    guids = sorted(Episode.objects.values_list("own_guid", flat=True))
    assert len({*guids} - {""}) == 5
    list(catch_up())
    assert sorted(Episode.objects.values_list("own_guid", flat=True)) == guids


def test_what_the_rules_make_one_stays_one_when_an_entry_is_split_off(
    odd: Item, curator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = items(0)
    judge(curator, odd, "same", at(0))
    list(catch_up())
    with monkeypatch.context() as alone:
        alone.setattr(follow_ups, "apply", None)  # without the show
        split(curator, at(0), [odd])
    assert {place(item) for item in both} == {"all-about-kettles-0"}
    assert place(odd) not in ("", "waits", "all-about-kettles-0")
    placed = {item.key: place(item) for item in Item.objects.all()}
    list(catch_up())
    assert {item.key: place(item) for item in Item.objects.all()} == placed


def test_what_is_no_episode_without_what_was_split_off_takes_the_show(later: Podcast, curator: User) -> None:
    first, second = items(0)
    split(curator, at(0), [first])
    assert (place(first), place(second)) == ("all-about-kettles-0", "")
    assert waiting() == []


def test_an_undone_judgement_takes_the_show(odd: Item, curator: User) -> None:
    judge(curator, odd, "same", at(0))
    undo(curator, Change.objects.latest("pk"))
    assert place(odd) == "waits"
    assert Held.objects.get().candidates
    assert waiting() == []


def test_a_merge_and_a_split_cost_as_little_in_a_large_show(later: Podcast, curator: User) -> None:
    def cost(act: Callable[[], object]) -> int:
        with CaptureQueriesContext(connection) as asked:
            act()
        list(catch_up())
        return len(asked)

    def of_both() -> tuple[int, int]:
        one = cost(lambda: merge(curator, at(0), at(1)))
        return one, cost(lambda: split(curator, at(0), items(0)[2:]))

    of_both()
    small = of_both()
    take("feed", feed(range(60)))
    assert of_both() == small


def test_an_address_that_another_episode_has_waits_for_the_order(later: Podcast, curator: User) -> None:
    slug = at(1).slug
    override(curator, at(1), {"title": at(0).title})
    assert at(1).slug == slug
    list(catch_up())
    assert at(1).slug != slug


def test_a_preview_is_the_real_thing_whatever_it_takes(later: Podcast, administrator: User) -> None:
    topic = Topic(slug="new", name="New", rules={"title": ["kettles"]}, podcast=later)
    uses = lambda: Episode.objects.filter(topics__slug="new").count()  # noqa: E731
    assert rolled_back(lambda: save_row(administrator, topic), uses) == 1
    assert rolled_back(lambda: override(administrator, at(0), {"title": "Mine"}), lambda: named("Mine")) == 1
    assert (uses(), named("Mine"), waiting()) == (0, 0, [])


@dataclass
class Workers:
    """Web workers, whose changes are followed up by processes that take until they may end."""

    database: str
    folder: Path
    forks: Forks

    def edit(self, name: str, times: int = 1) -> Fork:
        return self.forks.begin("edit", self.folder, name, times)

    def has(self, name: str) -> bool:
        return (self.folder / name).exists()

    def let_go(self) -> None:
        (self.folder / "go").touch()

    @property
    def processes(self) -> list[int]:
        return [int(path.name.removeprefix("process-")) for path in self.folder.glob("process-*")]

    @property
    def waiting(self) -> list[tuple[object, ...]]:
        return rows(self.database, "SELECT podcast_id FROM episodes_catalogstate WHERE waiting_since IS NOT NULL")


@pytest.fixture
def workers(migrated: str, tmp_path: Path) -> Iterator[Workers]:
    (tmp_path / "setup.json").write_text(setup("https://small.example/feed"))
    (tmp_path / "feed.xml").write_bytes(feed(range(5)))
    with Forks(migrated, tmp_path) as forks:
        forks.run("loaddata", tmp_path / "setup.json", "-v", "0")
        forks.run("ingest", tmp_path / "feed.xml", "--source", "feed")
        forks.run("decide", "Before")
        # As if whatever followed it up had been killed long ago.
        change(migrated, "UPDATE episodes_catalogstate SET waiting_since = '2020-02-29 12:00:00+00:00'")
        made = Workers(migrated, tmp_path, forks)
        try:
            yield made
        finally:
            made.let_go()


def test_one_process_follows_up_what_several_workers_change_meanwhile(workers: Workers) -> None:
    killed = workers.edit("killed")
    until(lambda: workers.processes)
    killed.send(signal.SIGKILL)  # its process goes on
    others = [workers.edit(name, times=8) for name in "ab"]
    until(lambda: workers.has("edited-a") and workers.has("edited-b"))
    workers.let_go()
    assert [workers.forks.ended(other) for other in others] == [0, 0]
    assert (len(workers.processes), workers.waiting) == (1, [])


def test_what_a_killed_process_left_is_followed_up_with_the_next_change(workers: Workers) -> None:
    first = workers.edit("first")
    until(lambda: workers.processes)
    os.kill(workers.processes[0], signal.SIGKILL)
    assert workers.forks.ended(first) == 0
    assert len(workers.waiting) == 1
    workers.let_go()
    assert workers.forks.ended(workers.edit("second")) == 0
    assert (len(workers.processes), workers.waiting) == (2, [])


def test_what_waits_is_told_by_the_command(later: Podcast, curator: User) -> None:
    override(curator, at(0), {"title": "Mine"})
    assert command("rebuild", "--pending").out == "small-talks: changes worked in\n"
    assert waiting() == []
    Podcast.objects.create(slug="other", title="Other")
    save_row(curator, Topic(slug="new", name="New", rules={"title": ["kettles"]}))
    assert len(waiting()) == 2


def test_an_undo_before_the_follow_up_leaves_the_catalog_as_it_was(later: Podcast, curator: User) -> None:
    before = export()
    override(curator, at(0), {"title": "Mine"})
    undo(curator, Change.objects.get())
    list(catch_up())
    assert export() == before


def test_a_change_that_comes_meanwhile_has_its_own_turn(
    later: Podcast, curator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(podcast: Podcast) -> Any:
        made = prepared(podcast)
        if not Change.objects.filter(verb="edit")[1:].exists():
            override(curator, at(0), {"number": "77"})
        return made

    monkeypatch.setattr(follow_ups, "prepared", slow)
    override(curator, at(0), {"title": "Mine"})
    assert list(catch_up()) == [later]
    assert Episode.objects.get(title="Mine").number == 77


def test_an_import_that_comes_meanwhile_is_not_overwritten(
    later: Podcast, curator: User, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "longer.xml").write_bytes(feed(range(7)))

    def slow(podcast: Podcast) -> Any:
        made = prepared(podcast)
        if Episode.objects.count() == 5:
            assert run(tmp_path / "longer.xml", "--source", "feed").code == 0
        return made

    monkeypatch.setattr(follow_ups, "prepared", slow)
    override(curator, at(0), {"title": "Mine"})
    list(catch_up())
    assert (Episode.objects.count(), named("Mine"), waiting()) == (7, 1, [])


def test_the_schedule_follows_up_what_no_process_did(later: Podcast, curator: User) -> None:
    override(curator, at(0), {"title": "Mine"})
    job = JOBS["follow_ups"]
    (show,) = job.due(timezone.now())
    job.run(Work(), show)
    assert waiting() == [] == job.due(timezone.now())
    job.run(Work(), "999999")  # a show that was deleted meanwhile


def test_curators_are_told_what_waits(later: Podcast, curator: User, client: Client) -> None:
    client.force_login(curator)
    said = "Small Talks: the latest changes are shown, but not yet what follows"
    page = reverse("admin:episodes_episode_changelist")
    with time_machine.travel(timezone.now(), tick=False):
        assert said not in client.get(page).content.decode()
        override(curator, at(0), {"title": "Mine"})
        assert said in client.get(page).content.decode()


def test_what_waits_for_long_is_warned_of(later: Podcast, curator: User) -> None:
    override(curator, at(0), {"title": "Mine"})
    assert not [*checks.changes_are_worked_in(None)]
    CatalogState.objects.update(waiting_since=timezone.now() - timedelta(hours=2))
    (warning,) = checks.changes_are_worked_in(None)
    assert warning.msg == "Changes wait to be worked in for more than an hour: Small Talks."


def test_a_show_is_written_as_a_whole(later: Podcast, curator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise Impossible

    override(curator, at(0), {"title": "Mine"})
    monkeypatch.setattr(follow_ups, "apply", broken)
    with pytest.raises(Impossible), transaction.atomic():
        list(catch_up())
    assert len(waiting()) == 1
    assert apply(later)
    assert waiting() == []


def waits_for_a_second() -> bool:
    """True where another statement has waited for a lock that long."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' "
            "AND clock_timestamp() - query_start > interval '1.1 s'"
        )
        return cursor.fetchone() is not None


@pytest.mark.only_on("postgresql")
@pytest.mark.django_db(transaction=True)
def test_a_change_waits_for_an_import_of_its_show_longer_than_a_page_may_take(small: Podcast) -> None:
    def hold() -> None:
        try:
            with transaction.atomic():
                Podcast.objects.select_for_update().get()
                held.set()
                until(lambda: ended.is_set() or waits_for_a_second())
        finally:
            connection.close()

    held, ended, root = Event(), Event(), User.objects.create_superuser("root")
    importing = Thread(target=hold)
    importing.start()
    held.wait(PATIENCE)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '1s'")
    try:
        save_row(root, Topic(slug="new", name="New", podcast=small))
    finally:
        ended.set()
        with connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")
        importing.join()
    assert Topic.objects.filter(slug="new").exists()


def test_a_catalog_waits_since_the_first_change_that_it_has_not_followed(small: Podcast) -> None:
    first, second = timezone.now(), timezone.now() + timedelta(hours=1)
    for moment in (first, second):
        CatalogState.change(small, moment)
    assert CatalogState.objects.get(podcast=small).waiting_since == first
