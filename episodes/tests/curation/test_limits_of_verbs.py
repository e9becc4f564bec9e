"""The limits of what a curator may add to an episode and make of two, each from both sides."""

import pytest
from django.contrib.auth.models import User

from episodes import curation
from episodes.curation import EditConflict, InvalidChange
from episodes.curation.decide import find_or_compute_person_identity
from episodes.models import Change, Credit, Decision, Episode, Item, Person, Podcast, Redirect, SavedFilter, Topic

from ..ingest.conftest import take
from ..kept import made_once
from ..tables import cases
from .conftest import feed, small_show

CASES = cases("curation_limits_of_verbs")


def two_talks() -> None:
    small_show()
    take("feed", feed(range(2)))


@pytest.fixture
def first(db: None) -> Episode:
    made_once(two_talks)
    return Episode.objects.get(guid="small-0")


@pytest.mark.parametrize(
    "kind, key, detail, is_taken",
    [
        *CASES["invalid_addition_is_refused"],
        ("link", "https://e.example/".ljust(2000, "x"), "", True),
        ("link", "https://e.example/".ljust(2001, "x"), "", False),
        ("person", "ada", f"guest {'A' * 394}", True),
        ("person", "ada", f"guest {'A' * 395}", False),
    ],
)
def test_invalid_addition_is_refused(
    first: Episode, curator: User, kind: str, key: str, detail: str, is_taken: bool
) -> None:
    if is_taken:
        curation.add_list_entry(curator, first, kind, key, detail)
    else:
        with pytest.raises(InvalidChange, match=f"^{kind.capitalize()}: "):
            curation.add_list_entry(curator, first, kind, key, detail)
    assert Decision.objects.in_force(kind).count() == is_taken


def test_only_episodes_of_one_show_combine(first: Episode, curator: User) -> None:
    loom = Podcast.objects.create(slug="loom", title="Loom")
    elsewhere = Episode.objects.create(podcast=loom, slug="reeds", title="Reeds", order=1)
    for other in (first, elsewhere):
        with pytest.raises(InvalidChange, match="another episode of this show"):
            curation.merge_episodes(curator, first, other)
        with pytest.raises(InvalidChange, match="another episode of this show"):
            curation.decide_rerun(curator, first, other, "repeats")
        with pytest.raises(InvalidChange, match="another episode of this show"):
            curation.withdraw_episode(curator, first, "replaced", other)
    with pytest.raises(InvalidChange, match="another episode of this show"):
        curation.withdraw_episode(curator, first, "replaced")
    assert not Change.objects.filter(verb__in=("merge", "take out")).exists()


def test_refused_change_of_episode_says_why(first: Episode, curator: User) -> None:
    item = Item.objects.get(attachment__episode=first)
    with pytest.raises(InvalidChange, match=r"^This entry belongs to the episode\. Split it off instead\.$"):
        curation.decide_match(curator, item, "different", first)
    with pytest.raises(InvalidChange, match=r"^Title: an episode needs one\.$"):
        curation.add_episode_and_return_entry(curator, first.podcast, {"season": "2"})
    item.attachment.delete()
    with pytest.raises(InvalidChange, match=r"^No entry belongs to this episode any more\.$"):
        curation.override_fields(curator, first, {"season": "2"})
    assert not Change.objects.exists()


def test_filter_with_a_long_address_is_not_kept(db: None, curator: User) -> None:
    curation.save_filter_for_all_curators(curator, "Topic", "q=".ljust(1000, "a"), "Long")
    with pytest.raises(InvalidChange, match=r"^This filter is too long to be saved\.$"):
        curation.save_filter_for_all_curators(curator, "Topic", "q=".ljust(1001, "a"), "Longer")
    assert [saved.name for saved in SavedFilter.objects.all()] == ["Long"]


def test_verbs_invent_no_reason(first: Episode, curator: User) -> None:
    def now(number: int) -> Episode:
        return Episode.objects.get(guid=f"small-{number}")

    curation.override_fields(curator, now(0), {"season": "3"})
    curation.confirm_overrides(curator, now(0), "season")
    curation.unlock_fields(curator, now(0), "season")
    curation.add_list_entry(curator, now(0), "topic", "music")
    curation.remove_list_entry(curator, now(0), "topic", "music")
    curation.end_removal_of_list_entry(curator, now(0), "topic", "music")
    curation.decide_rerun(curator, now(1), now(0), "repeats")
    item = Item.objects.get(attachment__episode=now(1))
    curation.merge_episodes(curator, now(0), now(1))
    curation.split_episode(curator, Episode.objects.get(attachments__item=item), [item])
    curation.decide_match(curator, item, "same", now(0))
    curation.decide_match(curator, item, "new")
    curation.withdraw_episode(curator, now(1), "hidden")
    curation.add_episode_and_return_entry(curator, first.podcast, {"title": "By hand"})
    assert Change.objects.count() == 13
    assert {change.reason for change in Change.objects.all()} == {""}
    assert {row.reason for row in Decision.objects.all()} == {""}
    assert set(Decision.objects.filter(kind="topic").values_list("detail", flat=True)) == {""}


def test_some_of_its_own_entries_are_split_off(first: Episode, curator: User) -> None:
    take("other", feed(range(1)))
    own, other = Episode.objects.get(pk=first.pk), Episode.objects.get(guid="small-1")
    here = list(Item.objects.filter(attachment__episode=own).order_by("pk"))
    assert len(here) == 2
    elsewhere = list(Item.objects.filter(attachment__episode=other))
    for items in ([], here, elsewhere, here[:1] + elsewhere):
        with pytest.raises(InvalidChange, match=r"^Select some of its entries, not all\."):
            curation.split_episode(curator, own, items)
    curation.decide_match(curator, here[1], "same", own)  # as the rules have it
    curation.split_episode(curator, own, here[1:])
    assert Episode.objects.count() == 3


def test_episode_may_have_its_address_back(first: Episode, curator: User) -> None:
    for name in ("guid", "colour"):
        with pytest.raises(InvalidChange, match=f"There is no field “{name}”"):
            curation.override_fields(curator, first, {name: "x"})
    was, other = first.slug, Episode.objects.get(guid="small-1")
    curation.override_fields(curator, first, {"slug": "kettles"})
    curation.override_fields(curator, Episode.objects.get(pk=first.pk), {"slug": was})
    assert Episode.objects.get(pk=first.pk).slug == was
    for slug in ("kettles", was):
        with pytest.raises(InvalidChange, match="it goes on leading there"):
            curation.override_fields(curator, other, {"slug": slug})


def test_only_new_episodes_may_be_joined(first: Episode, curator: User) -> None:
    item = Item.objects.get(attachment__episode=first)
    curation.decide_match(curator, item, "different", Episode.objects.get(guid="small-1"))
    curation.decide_match(curator, item, "new")
    rows = Decision.objects.in_force("match").order_by("pk")
    assert [(row.value, bool(row.detail)) for row in rows] == [("different", False), ("new", True)]
    take("other", feed(range(1)))
    curation.decide_match(curator, item, "ignore")
    row = Decision.objects.in_force("match").get(value="ignore")
    assert row.other_key == ""


def test_removed_topic_follows_redirects(first: Episode, curator: User) -> None:
    for name in ("household", "music"):
        Redirect.objects.create(kind="topic", slug=f"old-{name}", topic=Topic.objects.get(slug=name))
    curation.remove_list_entry(curator, first, "topic", "old-music")
    curation.end_removal_of_list_entry(curator, first, "topic", "household")
    assert Decision.objects.in_force("topic").exists()
    curation.end_removal_of_list_entry(curator, first, "topic", "music")
    assert not Decision.objects.in_force("topic").exists()


def test_person_keeps_identity_of_namesake(first: Episode) -> None:
    assert find_or_compute_person_identity(first.podcast, "ADA ROE") == "ada-roe@small-talks"
    for slug, identity in (("ada", ""), ("ada-2", "ada@elsewhere")):
        ada = Person.objects.create(identity=identity, name="Ada Roe", slug=slug)
        Credit.objects.create(episode=first, person=ada, role="guest")
    assert find_or_compute_person_identity(first.podcast, "ADA ROE") == "ada@elsewhere"


def test_addition_has_typed_reason_unless_stale(first: Episode, curator: User) -> None:
    token = curation.episode_token(first)
    curation.add_list_entry(curator, first, "topic", "music", token=token, reason="It is about pianos.")
    assert Change.objects.get().reason == "It is about pianos."
    with pytest.raises(EditConflict):
        curation.add_list_entry(curator, Episode.objects.get(pk=first.pk), "topic", "household", token=token)


def test_history_includes_moves_from_another_episode(first: Episode, curator: User) -> None:
    other, third = Episode.objects.get(guid="small-1"), first
    take("other", feed(range(1)))
    away = Item.objects.filter(attachment__episode=third, document__source__slug="other")
    curation.split_episode(curator, Episode.objects.get(pk=third.pk), list(away), other)
    for one in (third, other):
        assert [change.verb for change in curation.episode_changes(Episode.objects.get(pk=one.pk))] == ["move entries"]
    curation.override_fields(curator, Episode.objects.get(pk=other.pk), {"season": "3"})
    assert [change.verb for change in curation.episode_changes(Episode.objects.get(pk=third.pk))] == ["move entries"]
