"""The form of an episode: a changed field is locked by itself, what sources say stays in sight, nobody is overwritten."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from episodes.admin.editing import TopicListForm
from episodes.admin.episode import EpisodeMatches, find_exact_and_similar_episodes, upstream_changes_by_override
from episodes.curation import InvalidChange, add_list_entry, override_fields, undo_change, withdraw_episode
from episodes.models import Change, Decision, Episode, Item, Podcast, Redirect, Revision, Source, Topic

from ..curation.conftest import feed, staff
from ..ingest.conftest import take
from ..tables import cases
from .conftest import at, do, episode, form_of, logged_in, said

CASES = cases("admin_episode")


def test_topics_are_listed_in_their_order(client: Client, curator: User) -> None:
    for topic in ("music", "household"):
        if not episode(1).topics.filter(slug=topic).exists():
            add_list_entry(curator, episode(1), "topic", topic)
    Topic.objects.filter(slug="household").update(position=7)
    names = [entry["name"] for entry in TopicListForm(episode(1), {}).iterate_entries_as_template_rows()]
    assert names == ["Music", "Household"]
    episode(1).topic_uses.filter(topic__slug="music").update(confidence="low")
    doubtful = {
        entry["name"]: entry["doubtful"] for entry in TopicListForm(episode(1), {}).iterate_entries_as_template_rows()
    }
    assert doubtful == {"Music": True, "Household": False}
    Topic.objects.filter(slug="household").update(position=0)
    assert [entry["name"] for entry in TopicListForm(episode(1), {}).iterate_entries_as_template_rows()] == [
        "Household",
        "Music",
    ]


def test_only_typed_values_are_written_and_locked(client: Client) -> None:
    data = form_of(client, at(episode(1)))
    answer = client.post(at(episode(1)), data, follow=True)
    assert "No changes to save" in said(answer)
    assert not Change.objects.exists()
    take("feed", feed(range(5)).replace(b"what they are made of", b"what they cost"), "--accept")
    answer = client.post(at(episode(1)), data | {"title": "Ladders, explained", "reason": "clearer"}, follow=True)
    assert answer.redirect_chain[-1][0] == "/admin/episodes/episode/ladders-explained/change/"
    row = Decision.objects.get(kind="value")
    assert (row.field, row.value, row.reason, str(row.made_by)) == ("title", "Ladders, explained", "clearer", "carla")
    assert said(answer).count("field locked") == 1
    assert "Set by carla" in said(answer)


def test_address_of_another_episode_is_refused(client: Client, curator: User) -> None:
    mine, other = episode(1), episode(2)
    data = form_of(client, at(mine)) | {"slug": other.slug.upper(), "number": "7"}
    answer = client.post(at(mine), data)
    assert f"“{other.slug}” is, or was, the address of All about mirrors 2 ({other.get_absolute_url()})" in said(answer)
    assert {f["field"].name: f["input"].value() for f in answer.context["fields"]}["slug"] == other.slug.upper()
    assert not Decision.objects.filter(kind="value").exists()
    override_fields(curator, other, {"slug": "mirrors"})
    with pytest.raises(InvalidChange, match=r"is, or was, the address of All about mirrors 2 \(/episodes/mirrors/\)"):
        override_fields(curator, mine, {"slug": other.slug})
    third = Podcast.objects.create(slug="a-show", title="A Show")
    source = Source.objects.create(podcast=third, slug="feed", reader="feed")
    Redirect.objects.create(kind="episode", slug="kept", source=source, item_key="guid:1", document="file:x", entry="0")
    with pytest.raises(InvalidChange, match="“kept” is, or was, the address of an episode of A Show"):
        override_fields(curator, mine, {"slug": "kept"})


@pytest.mark.parametrize("field", ["url", "audio_url"])
def test_non_web_address_is_refused(curator: User, talks: Podcast, field: str) -> None:
    for value in ("javascript:alert(1)", "data:text/html,x", "//evil.example/a.mp3", "file:///a.mp3"):
        with pytest.raises(InvalidChange, match="is not a web address"):
            override_fields(curator, episode(1), {field: value})
    assert not Decision.objects.filter(kind="value").exists()


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
    assert "Added to the topics: Music. Added to the people. Removed." in saved
    half = Episode.objects.get(title="Half a title")
    assert (half.people.get().name, half.topics.filter(slug="music").count()) == ("Kim Lee", 1)
    assert not half.mentions.filter(link__key="gh:small/talks#2").exists()
    assert Change.objects.count() == 4


@pytest.mark.parametrize(
    "typed, message",
    [
        ("tunes", "Added to the topics: Music."),
        ("household", "Household was among the topics already. Later imports keep it."),
    ],
)
def test_typed_topic_is_named_in_message(client: Client, typed: str, message: str) -> None:
    Topic.objects.filter(slug="music").update(aliases=["Tunes"])
    form = form_of(client, at(episode(0))) | {"new_topic": typed}
    assert message in said(client.post(at(episode(0)), form, follow=True))


@pytest.mark.parametrize("wrong, told", CASES["form_is_saved_whole_or_not"])
def test_form_is_saved_whole_or_not(client: Client, wrong: dict[str, str], told: str) -> None:
    name = "" if "new_role" in wrong else "Kim"
    data = form_of(client, at(episode(1))) | {"title": "Half a title", "new_person": name}
    remove = do(episode(1), "remove", kind="link", key="gh:small/talks#2")
    answer = client.post(remove, data | wrong)
    assert told in said(answer)
    assert 'value="Half a title"' in said(answer)
    if name:
        assert 'value="Kim"' in said(answer)
    assert not Change.objects.exists()


@pytest.mark.parametrize(
    "typed", [{"new_topic": "weaving"}, {"new_about": "weaving", "new_start": "0:01", "new_end": "0:05"}]
)
def test_topic_of_another_show_is_refused(client: Client, typed: dict[str, str]) -> None:
    loom = Podcast.objects.create(slug="loom", title="Loom")
    topic = Topic.objects.create(slug="weaving", name="Weaving", podcast=loom)
    data = form_of(client, at(episode(1))) | typed
    assert "Weaving is a topic of another show." in said(client.post(at(episode(1)), data))
    assert not Decision.objects.exists()
    # A declared topic is of all shows whose feeds have the keyword.
    topic.declared = True
    topic.save()
    client.post(at(episode(1)), data)
    assert Decision.objects.count() == 1


def test_reference_is_to_another_episode_of_the_show(client: Client) -> None:
    loom = Podcast.objects.create(slug="loom", title="Loom")
    elsewhere = Episode.objects.create(podcast=loom, slug="reeds", title="Reeds", order=1)
    here = at(episode(1))
    for wrong in (episode(1), elsewhere):
        answer = client.post(here, form_of(client, here) | {"new_reference": wrong.slug})
        assert "Choose another episode of this show." in said(answer)
    assert not Decision.objects.exists()
    client.post(here, form_of(client, here) | {"new_reference": episode(2).slug})
    assert Decision.objects.get().kind == "reference"


def test_second_curator_overwrites_nothing(client: Client, talks: Podcast) -> None:
    old = at(episode(1))
    data = form_of(client, old) | {"number": "12"}
    other = logged_in(staff("otto", "curator"))
    other.post(old, form_of(other, old) | {"title": "Theirs"})
    shown = {row["field"].name: row["input"].value() for row in client.post(old, data).context["fields"]}
    assert (shown["title"], shown["number"]) == ("Theirs", "12")
    answer = client.post(old, data | {"title": "Mine"})
    text = said(answer)
    assert answer.status_code == 200
    for words in ("otto", 'value="Mine"', "Current value: “Theirs”", "The field is empty now."):
        assert words in text
    assert list(Decision.objects.filter(kind="value").values_list("value", flat=True)) == ["Theirs"]
    again = form_of(client, "/admin/episodes/episode/theirs/change/") | {"title": "Mine"}
    client.post("/admin/episodes/episode/theirs/change/", again)
    assert Decision.objects.get(kind="value", ended_at=None).value == "Mine"


def test_upstream_changed_since_is_told_with_both_values(client: Client) -> None:
    client.post(at(episode(1)), form_of(client, at(episode(1))) | {"duration_seconds": "600", "number": "1"})
    # What a source said at that very moment was seen.
    first = Revision.objects.get(item__attachment__episode=episode(1), item__document__source__slug="feed")
    Decision.objects.update(made_at=first.recorded_at)
    title, root = b"<title>All about ladders 1</title>", b'<rss version="2.0"'
    changed = feed(range(5)).replace(title, title + b"<itunes:episode>9</itunes:episode>")
    space = b' xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
    take("feed", changed.replace(root, root + space), "--accept")
    text = said(client.get(at(episode(1))))
    assert text.count("Changed upstream since you edited") == 1
    assert "feed changed from “nothing” to “9”" in text
    assert '>1</span> <span class="name">Changed upstream since' in said(client.get("/admin/"))


@pytest.mark.parametrize("kind, new, key", CASES["what_is_added_can_be_removed_and_brought_back"])
def test_added_items_can_be_removed_and_restored(client: Client, kind: str, new: dict[str, str], key: str) -> None:
    def keys() -> list[str]:
        lists = {found.kind: found for found in client.get(at(episode(1))).context["lists"]}
        return [entry["key"] for entry in lists[kind].iterate_entries_as_template_rows()]

    here = at(episode(1))
    client.post(here, form_of(client, here) | new)
    assert key in keys()
    client.post(do(episode(1), "remove", kind=kind, key=key), form_of(client, here))
    assert key not in keys()
    assert not Decision.objects.filter(value="added", ended_at=None).exists()
    removal = Decision.objects.get(value="removed", ended_at=None)
    client.post(do(episode(1), "bring_back", kind=kind, key=removal.key), form_of(client, here))
    assert not Decision.objects.filter(value="removed", ended_at=None).exists()


@pytest.mark.parametrize("verb", ["take", "release", "remove", "bring_back", "keep"])
def test_no_forged_button_breaks_the_form(client: Client, verb: str) -> None:
    here = at(episode(1))
    sent = form_of(client, here)
    forged = [("nothing", "1"), ("title", "9999999"), ("title", "x"), ("reference", "no\0ne"), ("topic", "x" * 9999)]
    for about in ({}, *({"kind": kind, "key": key} for kind, key in [*forged, ("moment", "music x-y"), ("link", "x")])):
        sent["seen"] = ""  # so that no change before is a reason to refuse
        answer = client.post(do(episode(1), verb, **about), sent, follow=True)
        assert answer.status_code == 200, about
        assert not Decision.objects.filter(value="added").exists()
    assert client.post(do(episode(1), "no-such"), sent).status_code == 404
    assert client.get(do(episode(1), verb)).status_code == 302


def test_unknown_address_is_not_found(client: Client) -> None:
    for address in ("nothing", "%00", "9" * 40, "%ED%A0%80", "a" * 3000):
        for name in ("change", "merge", "split", "history"):
            assert client.get(f"/admin/episodes/episode/{address}/{name}/").status_code == 404, address


def test_title_has_at_most_2000_letters_and_one(client: Client, curator: User) -> None:
    here = at(episode(1))
    for length, is_refused in ((2001, True), (2000, False)):
        client.post(here, form_of(client, here) | {"title": "x" * length})
        assert Episode.objects.filter(title="x" * length).exists() != is_refused
    for blank in ("", "  ", "\n", "\u200b"):
        with pytest.raises(InvalidChange, match="Title: enter one, or press Unlock"):
            override_fields(curator, episode(2), {"title": blank})
        override_fields(curator, episode(2), {"description_text": blank})
    assert {row.field for row in Decision.objects.filter(kind="value")} == {"title", "description_text"}


@pytest.mark.on_both
@pytest.mark.parametrize("typed, exact", CASES["an_episode_is_named_by_title_or_by_season_and_number"])
def test_episode_is_named_by_title_or_number(talks: Podcast, typed: str, exact: bool) -> None:
    Episode.objects.filter(pk=episode(1).pk).update(season=2, number=5)
    assert find_exact_and_similar_episodes(typed, talks).exact == ([episode(1)] if exact else [])
    assert find_exact_and_similar_episodes(typed, talks, excluded_episode=episode(1)) == EpisodeMatches([], [])


def test_source_that_comes_to_agree_is_unchanged(talks: Podcast, curator: User) -> None:
    override_fields(curator, episode(1), {"title": "Ladders, explained"})
    for title, changes in (("Ladders, explained", 0), ("Ladders again", 1)):
        take("feed", feed(range(5)).replace(b"All about ladders 1", title.encode()))
        assert len(upstream_changes_by_override(Decision.objects.in_force("value"))) == changes


def new_episode(**values: str) -> dict[str, str]:
    return {"podcast": str(Podcast.objects.get().pk), "title": "The lost one", **values}


def test_episode_is_added_by_hand_and_undone(client: Client, curator: User) -> None:
    typed = {"number": "12", "published": "2021-04-30", "duration_seconds": "600"}
    data = new_episode(description_text="Two\r\n\r\nparagraphs.", **typed)
    shown = client.post(reverse("admin:episodes_episode_add"), new_episode(_preview="1"))
    assert [(name, was, now) for name, _, was, now in shown.context["rows"]] == [("The lost one", "", "an episode")]
    assert not Change.objects.exists()
    answer = client.post(reverse("admin:episodes_episode_add"), data, follow=True)
    found = Episode.objects.get(slug="the-lost-one")
    assert answer.redirect_chain[-1][0] == reverse("admin:episodes_episode_change", args=(found.slug,))
    assert (found.number, found.published_precision, found.duration_seconds) == (12, "day", 600)
    assert found.description_text.startswith("Two")
    undo_change(curator, Change.objects.get())
    assert not Episode.objects.filter(slug="the-lost-one").exists()


@pytest.mark.parametrize(
    "values, told, address",
    [
        ({"title": "The lost one"}, "“The lost one” was added.", "episode/the-lost-one/change/"),
        ({"title": "All about ladders 1", "published": "2023-12-09"}, "needs review", "inbox/?kind=held"),
        ({"published": "2021-05-02"}, "is this episode, which the show has already.", "ladders-1/change/"),
        ({"published": "2021-05-03", "title": "All about mirrors 2"}, "was taken out", "mirrors-2/change/"),
    ],
)
def test_addition_says_what_became_of_it(
    client: Client, curator: User, values: dict[str, str], told: str, address: str
) -> None:
    withdraw_episode(curator, episode(2), "hidden")
    typed = new_episode(**{"title": "All about ladders 1", **values})
    answer = client.post(reverse("admin:episodes_episode_add"), typed, follow=True)
    assert told in said(answer)
    assert answer.redirect_chain[-1][0].endswith(address)


def test_a_value_that_cannot_be_is_refused(client: Client) -> None:
    for values in ({"title": ""}, {"podcast": "x"}, {"number": "many"}, {"url": "javascript:alert(1)"}):
        shown = client.post(reverse("admin:episodes_episode_add"), new_episode(**values))
        assert shown.status_code == 200
        assert "complaint" in said(shown)
    assert not Change.objects.exists()
