"""One change of the configuration or the catalog: who may, what its line of history says, and what its undo needs."""

from contextlib import nullcontext
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import Group, User
from django.core import serializers
from django.core.exceptions import PermissionDenied

from episodes.curation import (
    CorrectionSubject,
    InvalidChange,
    UndoConflict,
    compare_sheet_with_catalog,
    merge_topics,
    record_account_change,
    save_corrections,
    save_source,
    undo_change,
)
from episodes.curation.configuration import describe_column_value
from episodes.curation.history import (
    CONFIGURE,
    Recorder,
    episode_history_key,
    record_change,
    require_permission,
)
from episodes.curation.spreadsheet import normalize_cell
from episodes.models import Change, Decision, Episode, Podcast, Source, Topic

from ..ingest.conftest import take
from .conftest import feed


@pytest.fixture
def mill(db: None) -> Podcast:
    return Podcast.objects.create(slug="mill", title="Mill", author="Ada Roe")


def renamed(user: User, show: Podcast, title: str, *, of: list[Podcast] | None, subject: str = "Mill") -> Change:
    """The change that gives a show a title."""
    with record_change(user, "edit", subject, f"podcast:{show.pk}", podcasts=of, permission=CONFIGURE) as record:
        show.title = title
        record.save(show)
    return Change.objects.latest("pk")


def test_a_change_of_one_show_is_that_shows(mill: Podcast, administrator: User) -> None:
    loom = Podcast.objects.create(slug="loom", title="Loom")
    assert renamed(administrator, mill, "Old Mill", of=[mill]).podcast == mill
    assert renamed(administrator, mill, "New Mill", of=[mill, loom]).podcast is None
    loom.delete()
    assert renamed(administrator, mill, "Mill", of=None).podcast is None, "of all shows, which are one"


def test_superuser_needs_staff(db: None) -> None:
    require_permission(User.objects.create_user("sue", is_superuser=True, is_staff=True), CONFIGURE)
    with pytest.raises(PermissionDenied):
        require_permission(User.objects.create_user("bo", is_superuser=True, is_staff=False), CONFIGURE)


def test_a_conflict_names_nobody_whose_account_is_gone(mill: Podcast, administrator: User, curator: User) -> None:
    first = renamed(administrator, mill, "Old Mill", of=[mill])
    other = User.objects.create_superuser("gone")
    renamed(other, mill, "New Mill", of=[mill])
    with pytest.raises(UndoConflict, match=r"\(gone, "):
        undo_change(administrator, first)
    Change.objects.filter(made_by=other).update(made_by=None)
    with pytest.raises(UndoConflict, match=r"\(somebody, "):
        undo_change(administrator, first)


def test_undo_survives_new_and_dropped_columns(mill: Podcast, administrator: User) -> None:
    change = renamed(administrator, mill, "Old Mill", of=[mill])
    ((label, key, before, after),) = change.rows
    for fields in (before, after):
        del fields["author"]
    change.rows = [[label, key, before | {"colour": "red"}, after]]
    change.save()
    undo_change(administrator, change)
    mill.refresh_from_db()
    assert (mill.title, mill.author) == ("Mill", "Ada Roe")


def test_decision_at_undo_comes_into_force_then(mill: Podcast, administrator: User) -> None:
    with record_change(administrator, "edit", "Mill", "podcast:1", podcasts=[mill], permission=CONFIGURE) as record:
        record.save(Topic(slug="clay", name="Clay"))
        record.decide_at_undo("correct-symbol", key="clay", field="same", value="kilns")
    assert not Decision.objects.in_force("correct-symbol").exists()
    undo_change(administrator, Change.objects.latest("pk"))
    assert [row.value for row in Decision.objects.in_force("correct-symbol")] == ["kilns"]


@pytest.mark.parametrize("microsecond", [0, 456, 999, 1000, 123456])
def test_what_a_backup_gives_back_can_be_undone(mill: Podcast, administrator: User, microsecond: int) -> None:
    made_at = datetime(2026, 3, 2, 8, 30, 5, microsecond, tzinfo=UTC)
    with record_change(administrator, "edit", "Mill", "podcast:1", podcasts=[mill], permission=CONFIGURE) as record:
        record.decide("correct-symbol", key="clay", field="same", value="kilns", made_at=made_at)
    change = Change.objects.latest("pk")
    dump = serializers.serialize("json", Decision.objects.all())
    Decision.objects.all().delete()
    for row in serializers.deserialize("json", dump):
        row.save()
    undo_change(administrator, change)
    assert not Decision.objects.in_force("correct-symbol").exists()


def test_role_change_is_about_the_role(administrator: User) -> None:
    role = Group.objects.get(name="curator")
    record_account_change(administrator, "edit role", role, [])
    record_account_change(administrator, "edit role", role, [["name", "a", "b"]])
    record_account_change(None, "edit account", administrator, [["name", "a", "b"]])
    assert list(Change.objects.order_by("pk").values_list("about", "subject")) == [
        (f"role:{role.pk}", "curator"),
        (f"account:{administrator.pk}", "ada"),
    ]


def test_values_of_columns_in_words() -> None:
    for value, words in ((True, "yes"), (False, "no"), (None, ""), (0, "0"), (["a", "b"], "a, b")):
        assert describe_column_value(value) == words
    assert describe_column_value({"title": ["a"], "text": []}) == "title: a"


def test_unchanged_value_is_no_row(mill: Podcast, administrator: User) -> None:
    record = Recorder(administrator)
    record.save(mill)
    record.describe("title", 5, "5")
    record.describe("feed_url", "a", "b")
    assert (record.rows, record.lines) == ([], [["feed url", "a", "b"]])


def labels() -> list[str]:
    return [row.value for row in Decision.objects.in_force("correct-link")]


def test_correction_is_made_once_and_ended(db: None, curator: User) -> None:
    link = CorrectionSubject("link", "a.example", "x" * 301)
    for value, there, changes in (("B", ["B"], 1), ("B", ["B"], 1), ("", [], 2), ("", [], 2), ("C", ["C"], 3)):
        save_corrections(curator, link, {"label": value})
        assert (labels(), Change.objects.count()) == (there, changes)
    assert {row.detail for row in Decision.objects.all()} == {"x" * 300}


@pytest.mark.parametrize(
    "of, into, is_refused",
    [("", "", False), ("mill", "", False), ("mill", "mill", False), ("", "mill", True), ("loom", "mill", True)],
)
def test_topic_merges_only_into_wider_topic(mill: Podcast, curator: User, of: str, into: str, is_refused: bool) -> None:
    shows = {"": None, "mill": mill, "loom": Podcast.objects.create(slug="loom", title="Loom")}
    clay = Topic.objects.create(slug="clay", name="Clay", podcast=shows[of])
    kilns = Topic.objects.create(slug="kilns", name="Kilns", podcast=shows[into])
    refusal = pytest.raises(InvalidChange, match="Kilns is a topic of one show only")
    with refusal if is_refused else nullcontext():
        merge_topics(curator, clay, kilns)
    assert Topic.objects.filter(slug="clay").exists() == is_refused


def test_announced_move_is_settled_by_another_address(small: Podcast, administrator: User) -> None:
    Source.objects.filter(slug="other").update(moved_to="https://n.example/")
    source = Source.objects.get(slug="other")
    source.title = "New"
    save_source(administrator, source)
    assert Source.objects.get(slug="other").moved_to == "https://n.example/"
    source.address = "https://b.example/"
    save_source(administrator, source)
    assert Source.objects.get(slug="other").moved_to == ""


def test_unchanged_feed_keeps_announced_move(small: Podcast) -> None:
    address = Source.objects.get(slug="feed").address
    take("feed", feed(range(2)), "--url", address)
    Source.objects.filter(slug="feed").update(moved_to="https://n.example/")
    take("feed", feed(range(2)), "--url", address)
    assert Source.objects.get(slug="feed").moved_to == "https://n.example/"


def test_signs_that_spreadsheets_drop_are_no_difference() -> None:
    kept = [number for number in range(32) if normalize_cell(f"a{chr(number)}b") != "ab"]
    assert kept == [9, 10, 13]
    assert normalize_cell("a\rb\r\nc ") == "a\nb\nc"


def test_problems_of_sheet_are_quoted_shortly(mill: Podcast) -> None:
    Episode.objects.create(podcast=mill, slug="warp", title="Warp", order=1)
    sheet = compare_sheet_with_catalog(f"slug,topics,{'c' * 41}\n{'e' * 81},,\nwarp,{'t' * 61},\n")
    assert sheet.problems == [
        f"The column “{'c' * 40}” is not read.",
        f"Row 2: there is no episode “{'e' * 80}”.",
        f"Row 3, Topics: there is no topic “{'t' * 60}”. Enter slugs.",
    ]
    assert sheet.cells == []


def test_key_of_stored_history_is_stable(db: None) -> None:
    assert episode_history_key(Podcast(pk=7), "feed", "guid:1") == "episode:7:7e1bab0abe470c43db47d0996de86f79"
