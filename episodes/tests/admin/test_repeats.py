"""Review of what may have been published before: one decision, the next one follows, taken back with one press."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.models import Change, Decision, Podcast, Repeat

from ..curation.test_repeats import at, twice
from .conftest import logged_in, said

__all__ = ["twice"]

REVIEW = "/admin/episodes/repeat/review/"
HOSTILE = ["", "\0", "x", "-1", "9" * 40, "²", "\ufffd", "a" * 10_000]


@pytest.fixture
def client(curator: User, twice: Podcast) -> Client:
    return logged_in(curator)


def pair(guid: str) -> str:
    return str(Repeat.objects.get(episode=at(guid)).pk)


def decide(client: Client, guid: str, act: str, **more: str) -> str:
    answer = client.post(REVIEW, {"pair": pair(guid), "act": act, **more}, follow=True)
    assert answer.status_code == 200
    return said(answer)


def test_both_sides_stand_side_by_side_with_what_they_have_in_common(client: Client) -> None:
    page = said(client.get(f"{REVIEW}?pair={pair('fixed')}"))
    assert "of 2</b>" in page
    assert '<li class="for">equal title</li>' in page
    assert '<li class="for">says that it was published before</li>' in page
    assert "The later one replaces the other." in page
    assert page.index("All about kettles 0 (fixed audio)</a>") < page.index("All about kettles 0</a>")


def test_the_start_page_counts_the_proposals_and_leads_to_them(client: Client) -> None:
    (need,) = [n for n in client.get("/admin/").context["needs"] if n.name == "Published twice?"]
    assert (need.count, need.address) == (2, "/admin/episodes/dismissed/inbox/?kind=repeat")


def test_the_proposals_are_decided_one_after_another(client: Client) -> None:
    page = decide(client, "fixed", "replaces", reason="was silent")
    assert "replaces “All about kettles 0” in lists and feeds" in page
    assert "<b>1 of 1</b>" in page
    assert "No proposals." in decide(client, "rerun", "unrelated")
    verdicts = Decision.objects.filter(kind="match").order_by("id").values_list("value", "reason", "made_by__username")
    assert list(verdicts) == [("replaces", "was silent", "carla"), ("unrelated", "", "carla")]
    assert not at("small-0").listed


def test_later_goes_on_to_the_next_and_decides_nothing(client: Client) -> None:
    first = client.get(REVIEW).context["pair"]
    answer = client.post(REVIEW, {"pair": str(first.pk), "act": "later"}, follow=True)
    assert answer.context["pair"] != first
    assert not Change.objects.exists()


def test_the_last_decision_is_taken_back_with_one_press(client: Client) -> None:
    decide(client, "fixed", "replaces")
    answer = client.post(REVIEW, {"undo": str(Change.objects.get().pk)}, follow=True)
    assert "Undone" in said(answer)
    assert Repeat.objects.filter(accepted=False).count() == 2
    assert at("small-0").listed


def test_two_who_decide_at_once_do_not_overrule_each_other(client: Client) -> None:
    number = pair("fixed")
    decide(client, "fixed", "replaces")
    assert "already been decided" in said(client.post(REVIEW, {"pair": number, "act": "unrelated"}, follow=True))
    assert Decision.objects.get(kind="match").value == "replaces"


@pytest.mark.parametrize("name", ["pair", "act", "undo", "after", "reason"])
def test_no_value_breaks_the_review(client: Client, name: str) -> None:
    for value in HOSTILE:
        data = {"pair": pair("fixed"), "act": "later"} | {name: value}
        assert client.post(REVIEW, data, follow=True).status_code == 200, value
        assert client.get(REVIEW, data).status_code == 200, value
    assert not Decision.objects.filter(kind="match").exists()


@pytest.mark.parametrize("act", ["replaces", "repeats", "unrelated"])
def test_only_curators_decide(twice: Podcast, viewer: User, act: str) -> None:
    data = {"pair": pair("fixed"), "act": act}
    page = said(logged_in(viewer).get(REVIEW))
    assert "only curators can decide" in page
    assert 'name="act"' not in page
    assert logged_in(viewer).post(REVIEW, data).status_code == 403
    assert "login" in logged_in(None).post(REVIEW, data)["Location"]
    nobody = logged_in(User.objects.create_user("nobody", is_staff=True))
    assert nobody.get(REVIEW).status_code == nobody.post(REVIEW, data).status_code == 403
    assert not Decision.objects.filter(kind="match").exists()


def test_the_list_leads_to_the_review(client: Client) -> None:
    decide(client, "rerun", "repeats")
    assert REVIEW in said(client.get("/admin/episodes/repeat/"))
    assert client.get(f"/admin/episodes/repeat/{pair('fixed')}/change/")["Location"] == f"{REVIEW}?pair={pair('fixed')}"
    assert client.get(f"/admin/episodes/repeat/{'9' * 20}/change/")["Location"] == "/admin/episodes/repeat/"
    assert client.post(f"/admin/episodes/repeat/{pair('fixed')}/change/").status_code == 403
