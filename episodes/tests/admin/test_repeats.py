"""Review of what may have been published before: one decision, the next one follows, taken back with one press."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.admin.inbox import listed
from episodes.models import Change, Decision, Episode, Podcast

from ..curation.test_repeats import at, twice
from .conftest import logged_in, said

__all__ = ["twice"]

REVIEW = "/admin/episodes/dismissed/inbox/repeat/"


@pytest.fixture
def client(curator: User, twice: Podcast) -> Client:
    return logged_in(curator)


def form(guid: str) -> dict[str, str]:
    """What the page of a pair sends."""
    row = next(row for row in listed(9) if row.kind.slug == "repeat" and row.target == at(guid))
    return {"kind": "repeat", "row": str(row.target.pk), "token": row.token}


def decide(client: Client, guid: str, act: str, **more: str) -> str:
    answer = client.post(REVIEW, {**form(guid), "act": act, **more}, follow=True)
    assert answer.status_code == 200
    return said(answer)


def test_both_sides_stand_side_by_side_with_what_they_have_in_common(client: Client) -> None:
    page = said(client.get(f"{REVIEW}?row={form('fixed')['row']}"))
    assert "of 2</b>" in page
    assert '<li class="for">equal title</li>' in page
    assert '<li class="for">says that it was published before</li>' in page
    assert "The later one replaces the other." in page
    assert page.index("All about kettles 0 (fixed audio)</a>") < page.index("All about kettles 0</a>")


def test_the_start_page_counts_the_proposals_and_leads_to_them(client: Client) -> None:
    (need,) = [n for n in client.get("/admin/").context["needs"] if n["name"] == "Published twice?"]
    assert (need["count"], need["address"]) == (2, "/admin/episodes/dismissed/inbox/?kind=repeat")


def test_the_proposals_are_decided_one_after_another(client: Client) -> None:
    page = decide(client, "fixed", "replaces", reason="was silent")
    assert "replaces “All about kettles 0” in lists and feeds" in page
    assert "<b>1 of 1</b>" in page
    assert "Nothing is left here." in decide(client, "rerun", "unrelated")
    verdicts = Decision.objects.filter(kind="match").order_by("id").values_list("value", "reason", "made_by__username")
    assert list(verdicts) == [("replaces", "was silent", "carla"), ("unrelated", "", "carla")]
    assert not at("small-0").listed


def test_later_goes_on_to_the_next(client: Client) -> None:
    first = client.get(REVIEW).context["row"].target
    assert client.get(f"{REVIEW}?at=1").context["row"].target != first


def test_the_last_decision_is_taken_back_with_one_press(client: Client) -> None:
    decide(client, "fixed", "replaces")
    answer = client.post(f"/admin/episodes/change/{Change.objects.get().pk}/change/", {"next": REVIEW}, follow=True)
    assert "Undone" in said(answer)
    assert Episode.objects.exclude(repeats=[]).count() == 2
    assert at("small-0").listed


def test_an_earlier_episode_that_is_gone_since_is_named_and_nothing_can_be_decided(client: Client) -> None:
    found = {"of": "gone-for-good", "kind": "replaces", "evidence": ["equal title"]}
    Episode.objects.filter(pk=at("fixed").pk).update(repeats=[found])
    page = said(client.get(f"{REVIEW}?row={form('fixed')['row']}"))
    assert "gone-for-good" in page
    assert 'name="act"' not in page
    assert sum(row.kind.slug == "repeat" for row in listed(9)) == 2


@pytest.mark.parametrize("act", ["replaces", "repeats", "unrelated"])
def test_only_curators_decide(twice: Podcast, viewer: User, act: str) -> None:
    data = {**form("fixed"), "act": act}
    page = said(logged_in(viewer).get(REVIEW))
    assert "only curators can decide" in page
    assert 'name="act"' not in page
    assert logged_in(viewer).post(REVIEW, data).status_code == 403
    assert "login" in logged_in(None).post(REVIEW, data)["Location"]
    nobody = logged_in(User.objects.create_user("nobody", is_staff=True))
    assert nobody.get(REVIEW).status_code == nobody.post(REVIEW, data).status_code == 403
    assert not Decision.objects.filter(kind="match").exists()
