"""Decisions about a selection: looked at, made together, each in the history of its episode, taken back as one."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from episodes.admin.bulk import ACTIONS
from episodes.curation import changes_of
from episodes.models import Change, Decision, Episode, Podcast

from ..curation.conftest import export, staff
from .conftest import episode, logged_in, said

LIST = "admin:episodes_episode_changelist"
DEED = "admin:episodes_episode_several"
DONE = "admin:episodes_episode_several_done"


@pytest.fixture
def client(curator: User, talks: Podcast) -> Client:
    return logged_in(curator)


def chosen(client: Client, action: str, *numbers: int) -> str:
    """The selection that the list hands to the form of an action."""
    data = {"action": action, "_selected_action": [str(episode(n).pk) for n in numbers]}
    shown = client.post(reverse(LIST), data)
    assert shown.status_code == 200
    return str(shown.context["selection"])


def test_a_topic_is_added_to_those_that_lack_it_and_taken_back_together(client: Client) -> None:
    before = export()
    data = {"selection": chosen(client, "add_topic", 0, 1, 2), "topic": "household", "reason": "for the house"}
    shown = client.post(reverse(DEED), data | {"_look": "1"})
    assert [row.name for row in shown.context["rows"]] == ["All about mirrors 2", "All about ladders 1"]
    assert shown.context["others"] == 1
    assert export() == before
    assert not Change.objects.exists()
    answer = client.post(reverse(DEED), data | {"_do": "1"}, follow=True)
    assert "Add a topic: done for 2 episodes." in said(answer)
    assert Episode.objects.filter(topics__slug="household").count() == 3
    assert [c.reason for c in changes_of(episode(1))] == ["for the house"]
    done = answer.redirect_chain[-1][0]
    answer = client.post(done, follow=True)
    assert "2 changes undone." in said(answer)
    assert export() == before
    assert client.post(done).status_code == 302
    assert Change.objects.count() == 4


@pytest.mark.parametrize(
    "action, given, value",
    [
        ("remove_topic", {"topic": "household"}, "removed"),
        ("add_topic", {"topic": "music"}, "added"),
    ],
)
def test_every_deed_shows_what_it_would_do_and_does_it(client, action, given, value) -> None:
    before = export()
    data = {"selection": chosen(client, action, 0, 1), **given}
    lines = client.post(reverse(DEED), data).context["rows"]
    assert lines
    assert export() == before
    client.post(reverse(DEED), data | {"_do": "1"})
    assert Decision.objects.filter(value=value).count() == len(lines)
    assert export() != before
    # Done once more it changes nothing.
    data = {"selection": chosen(client, action, 0, 1), **given} if action != "remove_topic" else data
    client.post(reverse(DEED), data | {"_do": "1"})
    assert Decision.objects.filter(value=value).count() == len(lines)


def test_a_selection_that_is_none_is_refused(client: Client, talks: Podcast) -> None:
    good = chosen(client, "add_topic", 1)
    for selection in ("", "x", "\0", good[:-1], "[1, 2]", '["none", []]', '[[], [["a", "b"]]]', '{"a": 1}', "[]"):
        answer = client.post(reverse(DEED), {"selection": selection, "topic": "household", "_do": "1"}, follow=True)
        assert "Select the episodes again" in said(answer)
    assert client.get(reverse(DEED)).status_code == 302
    for topic in ("none", "", "\0", "x" * 10_000):
        shown = client.post(reverse(DEED), {"selection": good, "topic": topic, "_do": "1"})
        assert shown.status_code == 200
    assert not Change.objects.exists()


def test_every_deed_opens_for_one_episode_and_says_what_is_missing(client: Client) -> None:
    for name in ACTIONS:
        selection = chosen(client, name.replace("-", "_"), 1)
        assert client.post(reverse(DEED), {"selection": selection, "_do": "1"}).status_code == 200
    assert not Change.objects.exists()


def test_what_was_changed_since_stands_in_the_way_of_taking_all_back(client: Client, curator: User) -> None:
    data = {"selection": chosen(client, "add_topic", 1, 2), "topic": "household", "_do": "1"}
    client.post(reverse(DEED), data)
    client.post(reverse(DEED), {"selection": chosen(client, "remove_topic", 1), "topic": "household", "_do": "1"})
    lot = Change.objects.earliest("pk").lot
    assert Change.objects.filter(lot=lot).count() == 2
    answer = client.post(f"{reverse(DONE)}?lot={lot}", follow=True)
    assert "Nothing was undone" in said(answer)
    assert not Change.objects.exclude(undone_at=None).exists()


def test_the_history_leads_to_what_was_done_together_and_another_curator_may_take_it_back(client: Client) -> None:
    client.post(reverse(DEED), {"selection": chosen(client, "add_topic", 1, 2), "topic": "household", "_do": "1"})
    other = logged_in(staff("zoe", "curator"))
    made = reverse("admin:episodes_change_change", args=(Change.objects.latest("id").pk,))
    assert made in other.get(reverse("admin:episodes_change_changelist")).content.decode()
    (address,) = set(re.findall(r'href="(/admin/[^"]*\?lot=\w+)"', other.get(made).content.decode()))
    other.post(address)
    assert Change.objects.filter(undone_by__username="zoe").count() == 2
    for nothing in ("", "x", "\0", "x" * 5_000):
        assert other.get(reverse(DONE), {"lot": nothing}).status_code == 200
