"""Review of proposed topics: the list of a show, one press to accept or refuse, a preview, and undo."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.admin.inbox import listed
from episodes.curation import accept_topic
from episodes.models import Change, Decision, EpisodeTopic, Podcast, Topic

from ..curation.test_topic_proposals import names, proposal, take, tides
from ..examples import LONG
from .conftest import logged_in, said
from .test_held import HOSTILE

__all__ = ["tides"]

REVIEW = "/admin/episodes/dismissed/inbox/proposal/"


@pytest.fixture
def client(curator: User, tides: Podcast) -> Client:
    return logged_in(curator)


def form(proposed: str, show: str = "Tides") -> dict[str, str]:
    """The form that the page of a proposal sends."""
    number = proposal(proposed, show).pk
    row = next(row for row in listed(20) if (row.kind.slug, row.target.pk) == ("proposal", number))
    return {"kind": "proposal", "row": str(number), "token": row.token}


def decide(client: Client, proposed: str, show: str = "Tides", **more: str) -> str:
    answer = client.post(REVIEW, {**form(proposed, show), **more}, follow=True)
    assert answer.status_code == 200
    return said(answer)


def test_a_topic_is_shown_with_the_episodes_that_it_would_join(client: Client) -> None:
    page = said(client.get(f"{REVIEW}?row={proposal('Lighthouses').pk}"))
    assert "From words of titles and notes: 3 episodes." in page
    assert all(f">Lighthouses {n}</a>" in page for n in range(3))
    assert page.count("in the title") == 3
    assert "Rope" in said(client.get("/admin/episodes/dismissed/inbox/?kind=proposal&show=tides"))


def test_notes_show_the_words_around_a_term(client: Client, tmp_path: Path) -> None:
    take(tmp_path, "Tides", notes="It was a good day. " * 10 + "They had rope for all.")
    page = said(client.get(f"{REVIEW}?row={proposal('Knots').pk}"))
    assert "keyword <b>knots</b>" in page
    page = said(client.get(REVIEW))
    assert "They had <b>rope</b> for all." not in page


def test_the_start_page_counts_the_proposals_and_leads_to_them(client: Client) -> None:
    (need,) = [n for n in client.get("/admin/").context["needs"] if n["name"] == "Proposed topics"]
    assert (need["count"], need["address"]) == (3, "/admin/episodes/dismissed/inbox/?kind=proposal")


def test_one_press_accepts_and_the_next_follows(client: Client) -> None:
    page = decide(client, "Knots", act="accept", name="Tying knots")
    assert "“Tying knots” is a topic." in page
    assert "<h2>Lighthouses</h2>" in page
    assert EpisodeTopic.objects.filter(topic__name="Tying knots").count() == 3
    assert "<h2>Lighthouses</h2>" in decide(client, "Rope", act="accept")
    assert "Nothing is left here." in decide(client, "Lighthouses", act="refuse")
    assert Decision.objects.get(kind="refusal").detail == "Lighthouses"


def test_later_goes_on_to_the_next(client: Client) -> None:
    assert "<h2>Lighthouses</h2>" in said(client.get(f"{REVIEW}?at=1"))


def test_a_name_that_a_topic_has_is_refused(client: Client, curator: User, tmp_path: Path) -> None:
    take(tmp_path, "Waves")
    accept_topic(curator, proposal("Lighthouses"))
    assert "The topic Lighthouses of Tides has one of these names" in decide(
        client, "Lighthouses", "Waves", act="accept"
    )
    assert Topic.objects.get().podcast is not None


def test_the_last_decision_is_undone_with_one_press(client: Client) -> None:
    for act in ("accept", "refuse"):
        decide(client, "Rope", act=act)
        assert names() == ["Knots", "Lighthouses"]
        last = Change.objects.latest("id").pk
        answer = client.post(f"/admin/episodes/change/{last}/change/", {"next": REVIEW}, follow=True)
        assert "Undone" in said(answer)
        assert names() == ["Knots", "Lighthouses", "Rope"]


SENT = ["row", "act", "at", "show", "reason", "name", "_preview"]


@pytest.mark.parametrize("name", SENT)
def test_no_value_breaks_the_review(client: Client, name: str) -> None:
    # In CI a third of the values in each field; every value comes into some field.
    for value in HOSTILE if LONG else HOSTILE[SENT.index(name) % 3 :: 3]:
        data = {**form("Rope"), "act": "later"} | {name: value}
        assert client.post(REVIEW, data, follow=True).status_code == 200, value
        assert client.get(REVIEW, data).status_code == 200, value
    assert not Topic.objects.exists()


@pytest.mark.parametrize("act", ["accept", "join", "refuse"])
def test_only_curators_decide(tides: Podcast, viewer: User, act: str) -> None:
    data = {**form("Rope"), "act": act}
    page = said(logged_in(viewer).get(REVIEW))
    assert "only curators can decide" in page
    assert 'name="act"' not in page
    assert logged_in(viewer).post(REVIEW, data).status_code == 403
    assert "login" in logged_in(None).post(REVIEW, data)["Location"]
    assert not Change.objects.exists()


def test_readers_never_see_a_proposal(client: Client) -> None:
    for address in ("/", "/topics/", "/shows/tides/", "/sitemap-topics.xml", "/episodes.json"):
        assert "Knots" not in Client().get(address).content.decode(), address
    assert Client().get("/topics/knots/").status_code == 404
