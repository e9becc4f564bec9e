"""Fragments of pages that are kept (models/snapshot.py): the same bytes as made anew, of bounded size, with nothing of a reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase
from pytest_django import DjangoAssertNumQueries

from episodes.curation import override
from episodes.models import Bounded, Episode, Podcast, Reference, Shown, Topic, snapshot
from episodes.models.bounded import OF_AN_ENTRY
from episodes.models.snapshot import FRAGMENTS, Snapshot, _Memory

from ..curation import test_laws as laws
from ..curation.conftest import staff
from ..examples import tries
from ..kept import made_once

# A version counts from its commit on in PostgreSQL, which keeps nothing in a transaction.
committed = pytest.mark.django_db(transaction=True)

PAGES = (
    "/", "/episodes/", "/episodes/?page=2", "/episodes/?sort=oldest", "/episodes/?year=2021", "/episodes/?min_minutes=1",
    "/episodes/?year=unknown", "/shows/", "/timeline/", "/nothing/here/",
)  # fmt: skip


def seen(*more: str) -> list[bytes]:
    reader = Client()
    return [reader.get(address).content for address in (*PAGES, *more)]


def forget() -> None:
    """As in a process that has just begun."""
    _Memory.last = Snapshot("", {}, {})
    for kept in FRAGMENTS.values():
        kept.forget()


class Decided(TestCase):
    """Each example starts from the small show with both of its documents."""

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    @settings(max_examples=tries(15, 60), suppress_health_check=list(HealthCheck))
    @given(laws.STEPS)
    def test_after_any_decision_and_import_pages_are_as_made_anew(self, steps):
        made_once(laws.Laws.import_both)
        user = staff("carla", "administrator")
        own = ("/topics/topic-0/", "/topics/topic-1/", "/episodes/?topic=topic-0", "/episodes/?podcast=small-talks")
        for step in steps:
            seen(*own)
            laws.decide(user, self.folder, [step])
            kept = seen(*own)
            forget()
            assert seen(*own) == kept


def edited(user: User) -> None:
    override(user, Episode.objects.get(slug="vmap"), {"title": "Another title", "duration_seconds": "600"})


def imported(user: User) -> None:
    call_command("rebuild", verbosity=0)


def renamed_show(user: User) -> None:
    Podcast.objects.filter(slug="other").update(title="Ünlike others", slug="unlike", language="ar")


def renamed_topic(user: User) -> None:
    Topic.objects.filter(slug="autograd").update(name="Gradients <>", slug="gradients", group="Elsewhere")


def removed_show(user: User) -> None:
    Podcast.objects.filter(slug="other").update(status="removed")


def listened_first(user: User) -> None:
    one, two = Episode.objects.filter(topics__slug__in=("autograd", "gradients")).order_by("pk")[:2]
    Reference.objects.create(episode=one, target=two, kind="prerequisite")


CHANGES = (edited, imported, renamed_show, renamed_topic, removed_show, listened_first)


def another_show(slug: str = "other", count: int = 3) -> Podcast:
    show = Podcast.objects.create(slug=slug, title=slug.capitalize(), description="Words.")
    for order in range(1, count + 1):
        at = datetime(2021, 2, order, tzinfo=UTC)
        Episode.objects.create(
            podcast=show, slug=f"{slug}-{order}", title=f"{slug} {order}", order=order, sorted_at=at,
            published_at=at, published_precision="day",
        )  # fmt: skip
    return show


@committed
@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("changes", [*((one,) for one in CHANGES), CHANGES], ids=lambda some: some[-1].__name__)
def test_a_change_shows_as_on_pages_made_anew(changes: Sequence[Callable[[User], None]]) -> None:
    another_show()
    user = User.objects.create_superuser("carla")
    for change in changes:
        before = seen("/topics/autograd/", "/topics/gradients/")
        change(user)
        kept = seen("/topics/autograd/", "/topics/gradients/")
        assert kept != before or change is imported or len(changes) > 1
        forget()
        assert seen("/topics/autograd/", "/topics/gradients/") == kept


@committed
@pytest.mark.usefixtures("catalog")
def test_another_setting_shows_at_once(settings: LazySettings) -> None:
    another_show()
    seen()
    settings.SITE_NAME = "Our podcasts"
    kept = seen()
    forget()
    assert seen() == kept


@committed
@pytest.mark.usefixtures("catalog")
def test_the_same_page_again_asks_for_the_version_alone(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    seen("/topics/autograd/")
    for address in (*PAGES[:-1], "/topics/autograd/"):
        with django_assert_num_queries(1, info=address):
            Client().get(address)


@committed
@pytest.mark.usefixtures("catalog")
def test_a_change_of_one_show_leaves_the_cards_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    another_show()
    seen()
    read: list[str] = []

    def noted(shown: Shown, ids: Sequence[int]) -> list[Episode]:
        found = Episode.objects.in_bulk(ids)
        read.extend(found[pk].podcast.slug for pk in ids)
        return rows_of(shown, ids)

    rows_of = Shown.rows_of
    monkeypatch.setattr(Shown, "rows_of", noted)
    Episode.objects.filter(slug="other-2").update(title="Other")
    for address in ("/episodes/", "/episodes/?sort=oldest", "/timeline/"):
        Client().get(address)
    assert set(read) == {"other"}


@committed
@pytest.mark.usefixtures("catalog")
def test_a_fragment_holds_nothing_of_who_asks_and_where() -> None:
    curator = Client()
    curator.force_login(User.objects.create_superuser("zaphod"))
    for address in PAGES:
        curator.get(address, headers={"host": "one.example"}, secure=True)
        curator.get(address, {"fbclid": "one.example"})
    texts = [held.text for kept in FRAGMENTS.values() for _, held in kept._held.values()]
    assert texts
    assert not any(b"zaphod" in text or b"csrf" in text or b"fbclid" in text for text in texts)
    kept = seen()
    assert not any(b"one.example" in page for page in kept)
    forget()
    assert seen() == kept


@committed
@pytest.mark.usefixtures("catalog")
def test_made_up_addresses_and_hosts_push_out_no_card(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    most = 60_000
    monkeypatch.setitem(FRAGMENTS, True, Bounded(most))
    seen("/topics/autograd/")
    before = set(FRAGMENTS[False]._held)
    reader = Client()
    for number in range(40):
        reader.get(f"/episodes/?min_minutes={number + 1}&q={'' if number % 2 else f'word{number}'}")
        reader.get(f"/episodes/?nonsense{number}={number}&topic=none-{number}")
        for address in ("/", "/topics/autograd/"):
            reader.get(address, headers={"host": f"host-{number}.example"})
    assert 0 < FRAGMENTS[True].bytes <= most
    after = set(FRAGMENTS[False]._held)
    assert before <= after
    assert not any("host-" in repr(name) or "word" in repr(name) for name in after)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 700)), max_size=60), st.integers(0, 3_000))
def test_a_memory_never_holds_more_than_it_may(puts: list[tuple[int, int]], most: int) -> None:
    memory: Bounded[int] = Bounded(most)
    last: dict[int, int] = {}
    for name, size in puts:
        memory.put(name, size, size)
        last[name] = size
        held = {key: value for key in last if (value := memory.get(key)) is not None}
        assert memory.bytes == sum(size + OF_AN_ENTRY for size in held.values()) <= most
        assert all(last[key] == value for key, value in held.items())
        assert (name in held) == (size + OF_AN_ENTRY <= most)


def test_what_was_used_longest_ago_goes_first() -> None:
    memory: Bounded[str] = Bounded(2 * (OF_AN_ENTRY + 1))
    memory.put("a", "a", 1)
    memory.put("b", "b", 1)
    memory.get("a")
    memory.put("c", "c", 1)
    assert [memory.get(name) for name in "abc"] == ["a", None, "c"]


@pytest.mark.django_db
def test_nothing_is_kept_of_a_version_that_nobody_knows() -> None:
    now = Snapshot("", {}, {})
    assert now.printed("name", lambda: "one") == "one"
    assert now.printed("name", lambda: "two") == "two"
    assert snapshot().version == "" or now.fragment("name") is None
