"""Topics in the admin: names and rules change with a look ahead, merge and go with their addresses alive."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from episodes.curation import merge_topics, remove_list_entry, row_token, undo_change
from episodes.models import Change, Decision, Episode, Podcast, Redirect, Topic

from ..tables import cases
from .conftest import do, episode, said

CASES = cases("admin_topics")


def topic(slug: str = "household") -> Topic:
    return Topic.objects.get(slug=slug)


def at(slug: str = "household", name: str = "change") -> str:
    return reverse(f"admin:episodes_topic_{name}", args=(topic(slug).pk,))


def form(which: str = "household", /, **changed: str) -> dict[str, str]:
    row = topic(which)
    lists = {kind: "\r\n".join(row.rules.get(kind, ())) for kind in ("title", "notes", "links", "excludes")}
    data = {"name": row.name, "slug": row.slug, "group": row.group, "podcast": "", "position": str(row.position)}
    names = "\r\n".join(row.aliases)
    return {**data, "description": row.description, "aliases": names, **lists, "seen": row_token(row), **changed}


def having(slug: str) -> set[str]:
    return set(Episode.objects.filter(topics__slug=slug).values_list("title", flat=True))


def test_new_term_adds_episodes_and_undo_removes(client: Client, curator: User) -> None:
    answer = client.post(at(), form(title="kettles\r\n\r\n ladders \r\nkettles", _save="1"))
    assert answer.status_code == 302
    assert topic().rules == {"title": ["kettles", "ladders"]}
    assert having("household") == {"All about kettles 0", "All about ladders 1"}
    undo_change(curator, Change.objects.get())
    assert having("household") == {"All about kettles 0"}


def test_preview_shows_gains_and_losses(client: Client) -> None:
    before = row_token(topic())
    shown = client.post(at(), form(title="ladders\r\nmirrors", _preview="1"))
    assert sorted((name, was, now) for name, _, was, now in shown.context["rows"]) == [
        ("All about kettles 0", "“kettles” in the title", ""),
        ("All about ladders 1", "", "“ladders” in the title"),
        ("All about mirrors 2", "", "“mirrors” in the title"),
    ]
    assert "ladders mirrors" in said(shown)
    assert row_token(topic()) == before
    assert not Change.objects.exists()
    assert having("household") == {"All about kettles 0"}


def test_new_topic_is_previewed_and_added(client: Client) -> None:
    add = reverse("admin:episodes_topic_add")
    data = {"name": "Glass", "slug": "glass", "position": "3", "aliases": "Looking glass", "title": "mirror*"}
    shown = client.post(add, data | {"_preview": "1"})
    assert "<b>1</b> episode would change." in said(shown)
    assert not Topic.objects.filter(slug="glass").exists()
    shown = client.post(add, data | {"hints": "they come\nmade of\nneeds them", "_preview": "1"})
    assert "“they come + made of” in the notes</td> <td>3: <b>one point short</b>" in said(shown)
    assert client.post(add, data).status_code == 302
    assert having("glass") == {"All about mirrors 2"}
    assert topic("glass").aliases == ["Looking glass"]


@pytest.mark.parametrize(
    "changed, complaint",
    [
        *CASES["invalid_topic_is_refused_with_reason"],
        ({"notes": "k" * 60_001}, "at most 60000 characters"),
        ({"name": "x" * 10_000}, "at most 100 characters"),
    ],
)
def test_invalid_topic_is_refused_with_reason(client: Client, changed: dict[str, str], complaint: str) -> None:
    before = row_token(topic())
    for button in ("_save", "_preview"):
        shown = client.post(at(), form(**changed, **{button: "1"}))
        assert shown.status_code == 200
        assert complaint in said(shown).replace("&#x27;", "'")
    assert row_token(topic()) == before
    assert not Change.objects.exists()


def test_overtaken_form_writes_nothing(client: Client) -> None:
    merge = {"into": "music", "seen": client.get(at(name="merge"), {"into": "music"}).context["token"]}
    client.post(at("music"), form("music", description="Changed."))
    assert "Somebody changed “Music” since" in said(client.post(at(name="merge"), merge))
    for into in ("household", "none", "", "\0", "x" * 5000):
        assert client.post(at(name="merge"), {"into": into}).status_code == 200
    assert Topic.objects.count() == 2
    mine, theirs = form(description="Mine."), form(description="Theirs.")
    client.post(at(), theirs)
    shown = client.post(at(), mine)
    assert "Somebody changed “Household” since you opened this form" in said(shown)
    assert topic().description == "Theirs."
    assert "Mine." in said(shown)
    address = at()
    topic().delete()
    assert client.post(address, mine).status_code == 302


def test_renamed_topic_redirects(client: Client) -> None:
    client.post(at(), form(slug="home", name="Home"))
    answer = client.get("/topics/household/")
    assert (answer.status_code, answer["Location"]) == (301, "/topics/home/")
    listed = client.get("/episodes/?topic=household")
    assert said(listed).count("<article") == 1
    assert "unknown topic" not in said(listed)
    client.post(at("home"), form("home", slug="household"))
    assert client.get("/topics/household/").status_code == 200
    assert client.get("/topics/home/")["Location"] == "/topics/household/"


def test_new_topic_takes_over_former_address(client: Client) -> None:
    client.post(at(), form(slug="home", name="Home"))
    data = {"name": "Household", "slug": "household", "position": "9", "title": "ladders"}
    client.post(reverse("admin:episodes_topic_add"), data)
    assert not Redirect.objects.filter(kind="topic").filter(slug="household").exists()
    assert client.get("/topics/household/").status_code == 200
    assert having("household") == {"All about ladders 1"}


@pytest.mark.on_both
def test_merged_topics_keep_names_terms_decisions_and_addresses(client: Client, curator: User) -> None:
    shown = client.get(at(name="merge"), {"into": "music"})
    assert [name for name, *_ in shown.context["rows"]] == ["All about kettles 0"]
    assert topic().name == "Household"
    data = {"into": "music", "seen": shown.context["token"]}
    assert client.post(at(name="merge"), data).status_code == 302
    assert topic("music").aliases == ["Household"]
    assert client.get("/topics/household/")["Location"] == "/topics/music/"
    listed = said(client.get("/episodes/?topic=household")).count("<article")
    assert listed == Episode.objects.filter(topics__slug="music").count()
    undo_change(curator, Change.objects.get())
    assert client.get("/topics/household/").status_code == 200


def test_removed_topic_stays_removed_in_merge(curator: User, talks: Podcast) -> None:
    kettles = Episode.objects.get(title="All about kettles 0")
    remove_list_entry(curator, kettles, "topic", "household")
    merge_topics(curator, topic(), topic("music"))
    assert "kettles" in topic("music").rules["title"]
    assert having("music") == set()


def test_deleted_topic_redirects_and_returns(client: Client, curator: User) -> None:
    assert "All about kettles 0" in said(client.get(at(name="delete")))
    client.post(at(name="delete"), {"seen": row_token(topic())})
    answer = client.get("/topics/household/")
    assert (answer.status_code, answer["Location"]) == (301, "/topics/")
    assert "unknown topic" in said(client.get("/episodes/?topic=household"))
    undo_change(curator, Change.objects.get())
    assert client.get("/topics/household/").status_code == 200
    client.post(at(name="delete"), {"seen": "stale"})
    assert topic()


def test_doubtful_topics_are_found_kept_and_taken_out(client: Client) -> None:
    client.post(at(), form(links="gh:small/talks"))
    listed = client.get(reverse("admin:episodes_topic_changelist"), {"needs": "doubtful"})
    assert [row.slug for row in listed.context["cl"].result_list] == ["household"]
    assert sum("doubtful" in words for _, words in client.get(at()).context["uses"]) == 4
    one, two = episode(1), episode(2)
    for found, verb in ((one, "keep"), (two, "remove")):
        answer = client.post(do(found, verb, kind="topic", key="household"), {"next": at()})
        assert answer["Location"] == at()
    assert Decision.objects.get(value="added").key == Decision.objects.get(value="removed").key == "household"
    assert one.topic_uses.get().confidence == "high"
    assert not episode(2).topics.exists()


def test_unused_and_rare_topics_are_listed(client: Client) -> None:
    Topic.objects.create(slug="none", name="None")
    expected = {"once": {"household"}, "unused": {"none", "music"}, "odd": {"none", "music", "household"}}
    for use, slugs in expected.items():
        listed = client.get(reverse("admin:episodes_topic_changelist"), {"use": use})
        assert {row.slug for row in listed.context["cl"].result_list} == slugs
