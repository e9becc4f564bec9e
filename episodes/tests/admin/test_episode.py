"""The form of an episode: a changed field is locked by itself, what sources say stays in sight, nobody is overwritten."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.admin.editing import TopicListForm
from episodes.admin.episode import EpisodeMatches, find_episode_matches, upstream_changes_by_override
from episodes.curation import InvalidChange, add_list_entry, override_fields
from episodes.models import Change, Decision, Episode, Item, Podcast, Redirect, Revision, Source, Topic

from ..curation.conftest import feed, staff
from ..ingest.conftest import take
from ..tables import cases
from .conftest import at, do, episode, form_of, logged_in, said

CASES = cases("admin_episode")

FORGED: list[dict[str, str]] = [
    {},
    {"kind": "nothing", "key": "1"},
    {"kind": "title", "key": "9999999"},
    {"kind": "title", "key": "x"},
    {"kind": "reference", "key": "no\0ne"},
    {"kind": "topic", "key": "x" * 9999},
    {"kind": "link", "key": "x"},
]
VERBS = ("take", "release", "remove", "bring_back", "keep")


@pytest.fixture
def client(curator: User, talks: Podcast) -> Client:
    return logged_in(curator)


def test_a_changed_field_is_locked_and_no_other(client: Client) -> None:
    data = form_of(client, at(episode(1))) | {"title": "Ladders, explained", "reason": "clearer"}
    answer = client.post(at(episode(1)), data, follow=True)
    assert answer.redirect_chain[-1][0] == "/admin/episodes/episode/ladders-explained/change/"
    row = Decision.objects.get(kind="value")
    assert (row.field, row.value, row.reason, str(row.made_by)) == ("title", "Ladders, explained", "clearer", "carla")
    assert said(answer).count("field locked") == 1
    assert "Set by carla" in said(answer)


def test_topics_are_listed_in_their_order(client: Client, curator: User) -> None:
    for topic in ("music", "household"):
        if not episode(1).topics.filter(slug=topic).exists():
            add_list_entry(curator, episode(1), "topic", topic)
    Topic.objects.filter(slug="household").update(position=7)
    names = [entry["name"] for entry in TopicListForm(episode(1), {}).entries()]
    assert names == ["Music", "Household"]
    episode(1).topic_uses.filter(topic__slug="music").update(confidence="low")
    doubtful = {entry["name"]: entry["doubtful"] for entry in TopicListForm(episode(1), {}).entries()}
    assert doubtful == {"Music": True, "Household": False}
    Topic.objects.filter(slug="household").update(position=0)
    assert [entry["name"] for entry in TopicListForm(episode(1), {}).entries()] == ["Household", "Music"]


def test_nothing_changed_is_nothing_written(client: Client) -> None:
    answer = client.post(at(episode(1)), form_of(client, at(episode(1))), follow=True)
    assert "No changes to save" in said(answer)
    assert not Change.objects.exists()


def test_source_change_meanwhile_is_not_typed(client: Client) -> None:
    data = form_of(client, at(episode(1))) | {"number": "7"}
    take("feed", feed(range(5)).replace(b"what they are made of", b"what they cost"), "--accept")
    client.post(at(episode(1)), data)
    assert list(Decision.objects.filter(kind="value").values_list("field", flat=True)) == ["number"]


def test_address_of_another_episode_is_refused(client: Client) -> None:
    mine, other = episode(1), episode(2)
    data = form_of(client, at(mine)) | {"slug": other.slug.upper(), "number": "7"}
    answer = client.post(at(mine), data)
    assert f"“{other.slug}” is, or was, the address of All about mirrors 2 ({other.get_absolute_url()})" in said(answer)
    assert {f["field"].name: f["input"].value() for f in answer.context["fields"]}["slug"] == other.slug.upper()
    assert not Decision.objects.filter(kind="value").exists()
    assert episode(2).slug == other.slug


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_only_title_must_not_be_blank(curator: User, talks: Podcast, blank: str) -> None:
    with pytest.raises(InvalidChange, match="Title: enter one, or release it"):
        override_fields(curator, episode(1), {"title": blank})
    override_fields(curator, episode(1), {"description_text": blank})
    assert [row.field for row in Decision.objects.filter(kind="value")] == ["description_text"]


@pytest.mark.parametrize("field", ["url", "audio_url"])
@pytest.mark.parametrize("value", ["javascript:alert(1)", "data:text/html,x", "//evil.example/a.mp3", "file:///a.mp3"])
def test_non_web_address_is_refused(curator: User, talks: Podcast, field: str, value: str) -> None:
    with pytest.raises(InvalidChange, match="is not a web address"):
        override_fields(curator, episode(1), {field: value})
    assert not Decision.objects.filter(kind="value").exists()


def test_only_own_former_address_is_reusable(client: Client, curator: User) -> None:
    mine, other = episode(1), episode(2)
    override_fields(curator, other, {"slug": "mirrors"})
    answer = client.post(at(mine), form_of(client, at(mine)) | {"slug": other.slug})
    assert f"“{other.slug}” is, or was, the address of All about mirrors 2 (/episodes/mirrors/)" in said(answer)
    assert not Decision.objects.filter(kind="value", value=other.slug).exists()
    override_fields(curator, episode(2), {"slug": other.slug})
    assert episode(2).slug == other.slug


def test_an_address_that_was_another_shows_is_refused(client: Client, curator: User) -> None:
    third = Podcast.objects.create(slug="a-show", title="A Show")
    source = Source.objects.create(podcast=third, slug="feed", reader="feed")
    Redirect.objects.create(kind="episode", slug="kept", source=source, item_key="guid:1", document="file:x", entry="0")
    with pytest.raises(InvalidChange, match="“kept” is, or was, the address of an episode of A Show"):
        override_fields(curator, episode(1), {"slug": "kept"})


def test_field_is_taken_and_released(client: Client) -> None:
    item = Item.objects.get(attachment__episode=episode(1), document__source__slug="other")
    take = do(episode(1), "take", kind="description_text", key=item.pk)
    client.post(take, form_of(client, at(episode(1))))
    assert Decision.objects.get(kind="value", ended_at=None).value.endswith("what they are made of and who needs them")
    release = do(episode(1), "release", key="description_text")
    client.post(release, form_of(client, at(episode(1))))
    assert not Decision.objects.filter(kind="value", ended_at=None).exists()
    assert "where they come from" in episode(1).description_text


def test_what_is_typed_is_saved_with_any_button(client: Client) -> None:
    beside = {"new_person": "Kim Lee", "new_role": "guest", "new_relation": "prerequisite", "new_topic": "music"}
    data = form_of(client, at(episode(1))) | beside | {"title": "Half a title"}
    remove = do(episode(1), "remove", kind="link", key="gh:small/talks#2")
    saved = said(client.post(remove, data, follow=True))
    assert "Saved: title." in saved
    assert "Added to the topics. Added to the people. Removed." in saved
    half = Episode.objects.get(title="Half a title")
    assert (half.people.get().name, half.topics.filter(slug="music").count()) == ("Kim Lee", 1)
    assert not half.mentions.filter(link__key="gh:small/talks#2").exists()
    assert Change.objects.count() == 4


@pytest.mark.parametrize("wrong, told", CASES["form_is_saved_whole_or_not"])
def test_form_is_saved_whole_or_not(client: Client, wrong: dict[str, str], told: str) -> None:
    data = form_of(client, at(episode(1))) | {
        "title": "Half a title",
        "new_person": "" if "new_role" in wrong else "Kim",
    }
    remove = do(episode(1), "remove", kind="link", key="gh:small/talks#2")
    answer = client.post(remove, data | wrong)
    assert told in said(answer)
    assert 'value="Half a title"' in said(answer)
    if "new_role" not in wrong:
        assert 'value="Kim"' in said(answer)
    assert not Change.objects.exists()


def test_second_curator_overwrites_nothing(client: Client, talks: Podcast) -> None:
    data = form_of(client, at(episode(1))) | {"title": "Mine", "number": "12"}
    other = logged_in(staff("otto", "curator"))
    old = at(episode(1))
    other.post(old, form_of(other, old) | {"title": "Theirs"})
    answer = client.post(old, data)
    text = said(answer)
    assert answer.status_code == 200
    assert "otto" in text
    assert 'value="Mine"' in text
    assert "Current value: “Theirs”" in text
    assert list(Decision.objects.filter(kind="value").values_list("value", flat=True)) == ["Theirs"]
    again = form_of(client, "/admin/episodes/episode/theirs/change/") | {"title": "Mine"}
    client.post("/admin/episodes/episode/theirs/change/", again)
    assert Decision.objects.get(kind="value", ended_at=None).value == "Mine"


def test_field_changed_by_other_is_refreshed(client: Client) -> None:
    data = form_of(client, at(episode(1))) | {"number": "12"}
    old = at(episode(1))
    override_fields(staff("otto", "curator"), episode(1), {"title": "Theirs"})
    shown = {row["field"].name: row["input"].value() for row in client.post(old, data).context["fields"]}
    assert (shown["title"], shown["number"]) == ("Theirs", "12")


def test_upstream_changed_since_is_told_with_both_values(client: Client) -> None:
    client.post(at(episode(1)), form_of(client, at(episode(1))) | {"duration_seconds": "600", "number": "1"})
    # What a source said at that very moment was seen.
    first = Revision.objects.get(item__attachment__episode=episode(1), item__document__source__slug="feed")
    Decision.objects.update(made_at=first.recorded_at)
    changed = feed(range(5)).replace(
        b"<title>All about ladders 1</title>", b"<title>All about ladders 1</title><itunes:episode>9</itunes:episode>"
    )
    changed = changed.replace(
        b'<rss version="2.0"', b'<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
    )
    take("feed", changed, "--accept")
    text = said(client.get(at(episode(1))))
    assert text.count("Changed upstream since you edited") == 1
    assert "feed changed from “nothing” to “9”" in text
    assert '>1</span> <span class="name">Changed upstream since' in said(client.get("/admin/"))


@pytest.mark.parametrize("kind, new, key", CASES["what_is_added_can_be_removed_and_brought_back"])
def test_added_items_can_be_removed_and_restored(client: Client, kind: str, new: dict[str, str], key: str) -> None:
    def keys() -> list[str]:
        lists = {found.kind: found for found in client.get(at(episode(1))).context["lists"]}
        return [entry["key"] for entry in lists[kind].entries()]

    here = at(episode(1))
    client.post(here, form_of(client, here) | new)
    assert key in keys()
    client.post(do(episode(1), "remove", kind=kind, key=key), form_of(client, here))
    assert key not in keys()
    assert not Decision.objects.filter(value="added", ended_at=None).exists()
    removal = Decision.objects.get(value="removed", ended_at=None)
    client.post(do(episode(1), "bring_back", kind=kind, key=removal.key), form_of(client, here))
    assert not Decision.objects.filter(value="removed", ended_at=None).exists()


@pytest.mark.parametrize("verb", VERBS)
def test_no_forged_button_breaks_the_form(client: Client, verb: str) -> None:
    here = at(episode(1))
    for about in FORGED:
        data = form_of(client, here)
        answer = client.post(do(episode(1), verb, **about), data, follow=True)
        assert answer.status_code == 200, about
        assert not Decision.objects.filter(value="added").exists()
    assert client.post(do(episode(1), "no-such"), form_of(client, here)).status_code == 404
    assert client.get(do(episode(1), verb)).status_code == 302


@pytest.mark.parametrize("address", ["nothing", "%00", "9" * 40, "%ED%A0%80", "a" * 3000])
def test_unknown_address_is_not_found(client: Client, address: str) -> None:
    for name in ("change", "merge", "split", "history"):
        assert client.get(f"/admin/episodes/episode/{address}/{name}/").status_code == 404


@pytest.mark.parametrize("length, is_refused", [(2000, False), (2001, True)])
def test_a_title_has_2000_characters(client: Client, length: int, is_refused: bool) -> None:
    data = form_of(client, at(episode(1))) | {"title": "x" * length}
    client.post(at(episode(1)), data)
    assert Episode.objects.filter(title="x" * length).exists() != is_refused


@pytest.mark.on_both
@pytest.mark.parametrize("typed, exact", CASES["an_episode_is_named_by_title_or_by_season_and_number"])
def test_episode_is_named_by_title_or_number(talks: Podcast, typed: str, exact: bool) -> None:
    Episode.objects.filter(pk=episode(1).pk).update(season=2, number=5)
    assert find_episode_matches(talks, typed).exact == ([episode(1)] if exact else [])
    assert find_episode_matches(talks, typed, without=episode(1)) == EpisodeMatches([], [])


def test_source_that_comes_to_agree_is_unchanged(talks: Podcast, curator: User) -> None:
    override_fields(curator, episode(1), {"title": "Ladders, explained"})
    for title, changes in (("Ladders, explained", 0), ("Ladders again", 1)):
        take("feed", feed(range(5)).replace(b"All about ladders 1", title.encode()))
        assert len(upstream_changes_by_override(Decision.objects.in_force("value"))) == changes
