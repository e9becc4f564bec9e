"""Review of held entries: one decision, the next one follows; remembered, and taken back with one press."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.admin.inbox import listed
from episodes.models import Change, Decision, Episode, Held, Item, Podcast

from ..examples import LONG
from .conftest import episode, logged_in, said

REVIEW = "/admin/episodes/dismissed/inbox/held/"
HOSTILE = ["", "\0", "x", "-1", "9" * 40, "²", "\ufffd", "a" * 10_000]


@pytest.fixture
def client(curator: User, doubtful: Podcast) -> Client:
    return logged_in(curator)


def held(n: int) -> Item:
    return Item.objects.get(key=f"guid:odd-{n}")


def form(n: int) -> dict[str, str]:
    """The form that the page of an entry sends."""
    row = next(row for row in listed(9) if row.kind.slug == "held" and row.target.item == held(n))
    return {"kind": "held", "row": str(row.target.pk), "token": row.token}


def decide(client: Client, n: int, act: str, **more: str) -> str:
    answer = client.post(REVIEW, {**form(n), "act": act, **more}, follow=True)
    assert answer.status_code == 200
    return said(answer)


def undo_last(client: Client) -> str:
    return said(
        client.post(f"/admin/episodes/change/{Change.objects.latest('id').pk}/change/", {"next": REVIEW}, follow=True)
    )


def test_both_sides_stand_side_by_side_with_what_speaks_for_and_against(client: Client) -> None:
    page = said(client.get(REVIEW))
    assert "<b>1 of 3</b>" in page
    assert "<li>equal title</li>" in page
    assert re.search("<li>against: .* days apart</li>", page)
    assert "9 December 2023" in page
    assert "1 May 2021" in page
    assert "Quite another talk" in page


def test_the_queue_is_cleared_one_after_another(client: Client) -> None:
    page = decide(client, 1, "same", **{"with": episode(0).slug, "reason": "re-run"})
    assert "Matched “All about kettles 0” to “All about kettles 0”." in page
    assert "<b>1 of 2</b>" in page
    assert "All about mirrors 2" in page
    assert held(1).attachment.episode == episode(0)
    page = decide(client, 2, "new")
    assert held(2).attachment.episode != episode_of_feed(2)
    assert "All about organs 4" in page
    page = decide(client, 3, "ignore")
    assert "Nothing is left here" in page
    verdicts = Decision.objects.filter(kind="match").order_by("id").values_list("value", "reason", "made_by__username")
    same, *apart, new, none = verdicts
    assert [same, new, none] == [("same", "re-run", "carla"), ("new", "", "carla"), ("ignore", "", "carla")]
    assert apart == [("different", "", "carla")] * 2, "a new episode is kept off both entries of its candidate"


def episode_of_feed(n: int) -> Episode:
    return Item.objects.get(key=f"guid:small-{n}").attachment.episode


def test_different_from_its_only_candidate_leaves_it_to_be_a_new_one_or_none(client: Client) -> None:
    decide(client, 1, "different", **{"with": episode(0).slug})
    assert Decision.objects.filter(kind="match", value="different").exists()
    assert not episode(0).attachments.filter(item=held(1)).exists()


def test_later_goes_on_to_the_next_and_comes_round_again(client: Client) -> None:
    assert "All about mirrors 2" in said(client.get(f"{REVIEW}?at=1"))
    assert "All about organs 4" in said(client.get(f"{REVIEW}?at=2"))
    page = said(client.get(f"{REVIEW}?at=3"))
    assert "All about kettles 0" in page
    assert "<b>1 of 3</b>" in page
    assert not Change.objects.exists()


def test_the_last_decision_is_taken_back_with_one_press(client: Client) -> None:
    page = decide(client, 1, "new")
    assert f"/admin/episodes/change/{Change.objects.get().pk}/change/" in page
    assert "Undone: made new episode of entry" in undo_last(client)
    assert client.get(REVIEW).context["row"].target.item == held(1)
    assert Held.objects.filter(item=held(1)).exists()


def test_another_episode_can_be_searched_for(client: Client) -> None:
    page = said(client.get(f"{REVIEW}?row={form(1)['row']}&q=organs"))
    assert f"with={episode_of_feed(4).slug}" in page
    decide(client, 1, "same", **{"with": "all-about-organs-4"})
    assert held(1).attachment.episode == episode_of_feed(4)


def test_two_who_decide_at_once_do_not_overrule_each_other(client: Client) -> None:
    sent = form(1)
    decide(client, 1, "ignore")
    answer = client.post(REVIEW, {**sent, "act": "new"}, follow=True)
    assert "was settled by you or somebody else" in said(answer)
    assert Decision.objects.get(kind="match").value == "ignore"


def test_a_candidate_that_is_none_is_not_matched(client: Client) -> None:
    assert "Choose one of the buttons." in decide(client, 1, "same", **{"with": "nothing"})
    assert not Decision.objects.filter(kind="match").exists()


SENT = ["row", "act", "with", "token", "at", "q", "reason", "kind", "show", "all"]


@pytest.mark.parametrize("name", SENT)
def test_no_value_breaks_the_review(client: Client, name: str) -> None:
    # In CI a third of the values in each field; every value comes into some field.
    for value in HOSTILE if LONG else HOSTILE[SENT.index(name) % 3 :: 3]:
        data = {**form(1), "act": "later", "with": ""} | {name: value}
        assert client.post(REVIEW, data, follow=True).status_code == 200, value
        assert client.get(REVIEW, data).status_code == 200, value
    assert not Decision.objects.filter(kind="match").exists()


@pytest.mark.parametrize("act", ["same", "different", "new", "ignore"])
def test_only_curators_decide(doubtful: Podcast, viewer: User, act: str) -> None:
    data = {**form(1), "act": act, "with": episode_of_feed(0).slug}
    page = said(logged_in(viewer).get(REVIEW))
    assert "only curators can decide" in page
    assert 'name="act"' not in page
    assert logged_in(viewer).post(REVIEW, data).status_code == 403
    assert "login" in logged_in(None).post(REVIEW, data)["Location"]
    nobody = logged_in(User.objects.create_user("nobody", is_staff=True))
    assert nobody.get(REVIEW).status_code == nobody.post(REVIEW, data).status_code == 403
    assert not Decision.objects.filter(kind="match").exists()


def test_a_viewer_takes_nothing_back(client: Client, viewer: User) -> None:
    decide(client, 1, "ignore")
    assert logged_in(viewer).post(f"/admin/episodes/change/{Change.objects.get().pk}/change/").status_code == 403
    assert Decision.objects.get(kind="match").ended_at is None


def test_only_kinds_that_are_compared_have_a_review(client: Client) -> None:
    for kind in ("source", "nothing"):
        assert client.get(f"/admin/episodes/dismissed/inbox/{kind}/")["Location"] == "/admin/episodes/dismissed/inbox/"
