"""One change of the configuration or the catalog, its line of history and its undo; and the one table of decisions."""

from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core import serializers
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.utils import timezone

from episodes import curation
from episodes.curation import CorrectionSubject, InvalidChange, UndoConflict
from episodes.curation.configuration import describe_column_value
from episodes.curation.decide import decisions_in_force, open_episode_change_recorder, record_overrides_of_fields
from episodes.curation.history import CONFIGURE, Recorder, episode_history_key, open_change_recorder
from episodes.models import DECISION_KINDS, Change, Decision, Episode, Podcast, Source, Topic

from ..ingest.conftest import take
from .conftest import feed


@pytest.fixture
def mill(db: None) -> Podcast:
    return Podcast.objects.create(slug="mill", title="Mill", author="Ada Roe")


def renamed(user: User, show: Podcast, title: str, *, of: list[Podcast] | None) -> Change:
    with open_change_recorder(user, "edit", "Mill", f"podcast:{show.pk}", podcasts=of, permission=CONFIGURE) as record:
        show.title = title
        record.save(show)
    return Change.objects.latest("pk")


def test_a_change_of_one_show_is_that_shows(mill: Podcast, administrator: User) -> None:
    loom = Podcast.objects.create(slug="loom", title="Loom")
    assert renamed(administrator, mill, "Old Mill", of=[mill]).podcast == mill
    assert renamed(administrator, mill, "New Mill", of=[mill, loom]).podcast is None
    loom.delete()
    assert renamed(administrator, mill, "Mill", of=None).podcast is None, "of all shows, which are one"
    assert renamed(User.objects.create_superuser("sue"), mill, "Mill", of=None)
    with pytest.raises(PermissionDenied):
        renamed(User.objects.create_user("bo", is_superuser=True, is_staff=False), mill, "Mine", of=[mill])


def test_a_conflict_names_nobody_whose_account_is_gone(mill: Podcast, administrator: User, curator: User) -> None:
    first = renamed(administrator, mill, "Old Mill", of=[mill])
    other = User.objects.create_superuser("gone")
    renamed(other, mill, "New Mill", of=[mill])
    with pytest.raises(UndoConflict, match=r"\(gone, "):
        curation.undo_change(administrator, first)
    Change.objects.filter(made_by=other).update(made_by=None)
    with pytest.raises(UndoConflict, match=r"\(somebody, "):
        curation.undo_change(administrator, first)


def test_undo_survives_new_and_dropped_columns(mill: Podcast, administrator: User) -> None:
    change = renamed(administrator, mill, "Old Mill", of=[mill])
    ((label, key, before, after),) = change.rows
    for fields in (before, after):
        del fields["author"]
    change.rows = [[label, key, before | {"colour": "red"}, after]]
    change.save()
    curation.undo_change(administrator, change)
    mill.refresh_from_db()
    assert (mill.title, mill.author) == ("Mill", "Ada Roe")


def test_decision_at_undo_comes_into_force_then(mill: Podcast, administrator: User) -> None:
    with open_change_recorder(
        administrator, "edit", "Mill", "podcast:1", podcasts=[mill], permission=CONFIGURE
    ) as record:
        record.save(Topic(slug="clay", name="Clay"))
        record.store_decision_for_undo("correct-symbol", key="clay", field="same", value="kilns")
    assert not Decision.objects.in_force("correct-symbol").exists()
    curation.undo_change(administrator, Change.objects.latest("pk"))
    assert [row.value for row in Decision.objects.in_force("correct-symbol")] == ["kilns"]


@pytest.mark.parametrize("microsecond", [0, 456, 999, 1000, 123456])
def test_what_a_backup_gives_back_can_be_undone(mill: Podcast, administrator: User, microsecond: int) -> None:
    made_at = datetime(2026, 3, 2, 8, 30, 5, microsecond, tzinfo=UTC)
    with open_change_recorder(
        administrator, "edit", "Mill", "podcast:1", podcasts=[mill], permission=CONFIGURE
    ) as record:
        record.store_decision_and_end_earlier(
            "correct-symbol", key="clay", field="same", value="kilns", made_at=made_at
        )
    change = Change.objects.latest("pk")
    dump = serializers.serialize("json", Decision.objects.all())
    Decision.objects.all().delete()
    for row in serializers.deserialize("json", dump):
        row.save()
    curation.undo_change(administrator, change)
    assert not Decision.objects.in_force("correct-symbol").exists()


def test_role_change_is_about_the_role(administrator: User) -> None:
    role = Group.objects.get(name="curator")
    curation.record_account_change(administrator, "edit role", role, [])
    curation.record_account_change(administrator, "edit role", role, [["name", "a", "b"]])
    curation.record_account_change(None, "edit account", administrator, [["name", "a", "b"]])
    assert list(Change.objects.order_by("pk").values_list("about", "subject")) == [
        (f"role:{role.pk}", "curator"),
        (f"account:{administrator.pk}", "ada"),
    ]


def test_values_are_told_in_words_if_changed(mill: Podcast, administrator: User) -> None:
    record = Recorder(administrator)
    record.save(mill)
    record.describe("title", 5, "5")
    record.describe("feed_url", "a", "b")
    assert (record.rows, record.lines) == ([], [["feed url", "a", "b"]])
    for value, words in ((True, "yes"), (False, "no"), (None, ""), (0, "0"), (["a", "b"], "a, b")):
        assert describe_column_value(value) == words
    assert describe_column_value({"title": ["a"], "text": []}) == "title: a"


def test_correction_is_made_once_and_ended(db: None, curator: User) -> None:
    link = CorrectionSubject("link", "a.example", "x" * 301)
    for value, there, changes in (("B", ["B"], 1), ("B", ["B"], 1), ("", [], 2), ("", [], 2), ("C", ["C"], 3)):
        curation.save_corrections(curator, link, {"label": value})
        labels = [row.value for row in Decision.objects.in_force("correct-link")]
        assert (labels, Change.objects.count()) == (there, changes)
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
        curation.merge_topics(curator, clay, kilns)
    assert Topic.objects.filter(slug="clay").exists() == is_refused


def test_announced_move_is_settled_by_another_address(small: Podcast, administrator: User) -> None:
    source = Source.objects.get(slug="feed")
    take("feed", feed(range(2)), "--url", source.address)
    Source.objects.filter(pk=source.pk).update(moved_to="https://n.example/")
    take("feed", feed(range(2)), "--url", source.address)
    source.refresh_from_db()
    assert source.moved_to == "https://n.example/", "the feed is unchanged"
    source.title = "New"
    curation.save_source_and_show_feed(administrator, source)
    assert Source.objects.get(slug="feed").moved_to == "https://n.example/"
    source.address = "https://b.example/"
    curation.save_source_and_show_feed(administrator, source)
    assert Source.objects.get(slug="feed").moved_to == ""


def columns(name: str) -> dict[str, Any]:
    kind = DECISION_KINDS[name]
    named = {column: "x" for column in kind.subject if column != "podcast_id"}
    return {**named, "field": next(iter(kind.fields), ""), "value": next(iter(kind.values), "x")}


def make(podcast: Podcast | None, kind: str, **values: Any) -> Decision:
    with transaction.atomic():
        return Decision.objects.create(podcast=podcast, kind=kind, **values)


def test_merge_keeps_the_later_override(small: Podcast, curator: User) -> None:
    take("feed", feed(range(2)))
    for number in (0, 1):
        curation.override_fields(curator, Episode.objects.get(guid=f"small-{number}"), {"season": f"{number + 3}"})
    curation.merge_episodes(curator, Episode.objects.get(guid="small-0"), Episode.objects.get(guid="small-1"))
    one, made = Episode.objects.get(), Decision.objects.filter(kind="value").count()
    assert [row.value for row in decisions_in_force(one, "value", field="season")] == ["3", "4"]
    with open_episode_change_recorder(curator, "edit", one, "", "") as record:
        record_overrides_of_fields(record, one, {"season": "4"}, "")
    assert Decision.objects.filter(kind="value").count() == made, "it is in force already"
    with open_episode_change_recorder(curator, "edit", one, "", "") as record:
        record_overrides_of_fields(record, one, {"season": "3"}, "")
    assert Decision.objects.filter(kind="value").count() == made + 1


@pytest.mark.parametrize("kind", DECISION_KINDS)
def test_subject_and_field_have_one_decision(small: Podcast, kind: str) -> None:
    first = make(small, kind, **columns(kind))
    with pytest.raises(IntegrityError):
        make(small, kind, **columns(kind))
    first.ended_at = timezone.now()
    first.save()
    make(small, kind, **columns(kind))


@pytest.mark.parametrize("kind", DECISION_KINDS)
def test_decision_names_only_its_subject(small: Podcast, kind: str) -> None:
    is_of_entry = DECISION_KINDS[kind].is_of_entry
    wrong: list[dict[str, Any]] = [{"item_key": "" if is_of_entry else "x"}, {"kind": "no-such-kind"}]
    if DECISION_KINDS[kind].values:
        wrong.append({"value": "no-such-value"})
    for values in wrong:
        row = Decision(podcast=small, **{"kind": kind, **columns(kind), **values})
        row.about = "x"
        with pytest.raises(IntegrityError), transaction.atomic():
            Decision.objects.bulk_create([row])
    if "podcast_id" not in DECISION_KINDS[kind].optional_columns:
        with pytest.raises(IntegrityError):
            make(None, kind, **columns(kind))


def test_addition_and_removal_replace_each_other(small: Podcast, curator: User) -> None:
    take("feed", feed(range(2)))
    found = Episode.objects.get(guid="small-0")
    for verb in (curation.remove_list_entry, curation.add_list_entry) * 2:
        verb(curator, found, "topic", "music")
        assert Decision.objects.in_force("topic").count() == 1
    curation.override_fields(curator, found, {"number": "7"}, reason="a guest said so")
    assert Decision.objects.in_force("topic", "value").count() == 2
    curation.confirm_overrides(curator, Episode.objects.get(guid="small-0"), "number")
    row = Decision.objects.in_force("value").get()
    assert (row.value, row.reason) == ("7", "a guest said so")


def test_names_and_keys_equal_stored_ones(db: None) -> None:
    common = {"podcast_id": 3, "source": "feed"}
    value = Decision(kind="value", item_key="guid:1", **common)
    assert value.subject_hash() == "4c81b47c75f30905dd280d255b445e0505f2eb8a1dd60d7a1a282c1555fb9beb"
    dismissal = Decision(kind="dismissal", key="x", **common)
    assert dismissal.subject_hash() == "2932b9400fd9a1b972b0675dda8b9e566413f247fa81c8fe389296d77527113c"
    assert episode_history_key(Podcast(pk=7), "feed", "guid:1") == "episode:7:7e1bab0abe470c43db47d0996de86f79"
    about = {"item_key": "guid:1", "detail": "d", "key": "k"}
    for column, named in about.copy().items():
        assert str(Decision(kind="value", **about)).endswith(f": {named}")
        del about[column]
