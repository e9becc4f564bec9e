"""Decisions about a selection: looked at, made together, each in the history of its episode, taken back as one."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from episodes.curation import episode_changes
from episodes.models import Change, Episode, Podcast

from ..curation.conftest import export, staff
from .conftest import episode, logged_in, said

LIST = "/admin/episodes/episode/"


@pytest.fixture
def client(curator: User, talks: Podcast) -> Client:
    return logged_in(curator)


def chosen(action: str, *numbers: int, **given: str) -> dict[str, object]:
    """The selection that the list sends, with what was typed in the form of the action."""
    return {"action": action, "_selected_action": [str(episode(n).pk) for n in numbers], **given}


def test_topic_is_added_in_bulk_and_undone(client: Client) -> None:
    before = export()
    asked = client.post(LIST, chosen("add_topic", 0, 1, 2))
    assert "3 episodes selected" in said(asked)
    assert not asked.context["form"].errors, "nothing was sent yet that could be wrong"
    data = chosen("add_topic", 0, 1, 2, topic="household", reason="for the house")
    shown = client.post(LIST, data | {"_preview": "1"})
    assert [name for name, *_ in shown.context["rows"]] == ["All about mirrors 2", "All about ladders 1"]
    assert (export(), Change.objects.count()) == (before, 0)
    answer = client.post(LIST, data | {"_do": "1"}, follow=True)
    assert "Add a topic: done for 2 episodes." in said(answer)
    assert Episode.objects.filter(topics__slug="household").count() == 3
    assert [c.reason for c in episode_changes(episode(1))] == ["for the house"]
    client.post(LIST, data | {"_do": "1"})
    assert Change.objects.count() == 2, "done once more it changes nothing"
    done = answer.redirect_chain[-1][0]
    assert "2 changes undone." in said(client.post(done, {"all": "1"}, follow=True))
    assert export() == before
    assert client.post(done, {"all": "1"}).status_code == 302
    assert Change.objects.count() == 4


@pytest.mark.parametrize("topic", ["none", "", "\0", "x" * 10_000])
def test_a_topic_that_is_none_is_refused(client: Client, topic: str) -> None:
    shown = client.post(LIST, chosen("add_topic", 1, topic=topic) | {"_do": "1"})
    assert shown.context["form"].errors
    assert not Change.objects.exists()


def test_later_change_blocks_undo_of_all(client: Client) -> None:
    client.post(LIST, chosen("add_topic", 1, 2, topic="household") | {"_do": "1"})
    client.post(LIST, chosen("remove_topic", 1, topic="household") | {"_do": "1"})
    lot = Change.objects.earliest("pk").lot
    assert Change.objects.filter(lot=lot).count() == 2
    made = reverse("admin:episodes_change_change", args=(Change.objects.earliest("pk").pk,))
    answer = client.post(made, {"all": "1"}, follow=True)
    assert "Nothing was undone" in said(answer)
    assert not Change.objects.exclude(undone_at=None).exists()


def test_history_leads_to_the_batch(client: Client) -> None:
    client.post(LIST, chosen("add_topic", 1, 2, topic="household") | {"_do": "1"})
    other = logged_in(staff("zoe", "curator"))
    made = reverse("admin:episodes_change_change", args=(Change.objects.latest("id").pk,))
    assert made in said(other.get(reverse("admin:episodes_change_changelist")))
    assert "Undo all 2 changes" in said(other.get(made))
    other.post(made, {"all": "1"})
    assert Change.objects.filter(undone_by__username="zoe").count() == 2
