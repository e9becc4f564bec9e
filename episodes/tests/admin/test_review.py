"""The review: an entry, a pair or a proposed topic beside what it may be; one decision, and the next one follows."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.admin.inbox_sections import first_inbox_rows
from episodes.models import Decision, Episode, Item, Podcast

from ..curation.test_repeats import at, twice
from .conftest import episode, logged_in, said

__all__ = ["twice"]

REVIEW = "/admin/inbox/"


@pytest.fixture
def client(curator: User) -> Client:
    return logged_in(curator)


def form(kind: str, target: object) -> dict[str, str]:
    """The form that the page of a row sends."""
    row = next(
        row
        for row in first_inbox_rows(20)
        if row.section.slug == kind and target in (row.target, getattr(row.target, "item", 0))
    )
    return {"kind": kind, "row": str(row.target.pk), "token": row.token}


def decide(client: Client, kind: str, target: object, act: str, **more: str) -> str:
    answer = client.post(f"{REVIEW}{kind}/", {**form(kind, target), "act": act, **more}, follow=True)
    assert answer.status_code == 200
    return said(answer)


def look(client: Client, kind: str, target: object, **more: str) -> str:
    return said(client.get(f"{REVIEW}{kind}/", {"row": form(kind, target)["row"], **more}))


def verdicts() -> list[tuple[str, str, str]]:
    rows = Decision.objects.filter(kind="match").order_by("id")
    return list(rows.values_list("value", "reason", "made_by__username"))


# --- Entries that are held ---------------------------------------------------------------------------------------------


def held(n: int) -> Item:
    return Item.objects.get(key=f"guid:odd-{n}")


def episode_of_feed(n: int) -> Episode:
    return Item.objects.get(key=f"guid:small-{n}").attachment.episode


def test_entry_is_compared_with_its_candidate(client: Client, doubtful: Podcast) -> None:
    page = said(client.get(f"{REVIEW}held/"))
    assert re.search("<li>against: .* days apart</li>", page)
    for words in ("<b>1 of 3</b>", "<li>equal title</li>", "9 December 2023", "1 May 2021", "Quite another talk"):
        assert words in page


def test_the_queue_is_cleared_one_after_another(client: Client, doubtful: Podcast) -> None:
    page = decide(client, "held", held(1), "same", **{"with": episode(0).slug, "reason": "re-run"})
    assert "Matched “All about kettles 0” to “All about kettles 0”." in page
    assert "<b>1 of 2</b>" in page
    assert "All about mirrors 2" in page
    assert held(1).attachment.episode == episode(0)
    assert "All about organs 4" in decide(client, "held", held(2), "new")
    assert held(2).attachment.episode != episode_of_feed(2)
    assert "Nothing is left here" in decide(client, "held", held(3), "ignore")
    same, *apart, new, none = verdicts()
    assert [same, new, none] == [("same", "re-run", "carla"), ("new", "", "carla"), ("ignore", "", "carla")]
    assert apart == [("different", "", "carla")] * 2, "a new episode is kept off both entries of its candidate"


def test_difference_from_only_candidate_leaves_entry_unmatched(client: Client, doubtful: Podcast) -> None:
    decide(client, "held", held(1), "different", **{"with": episode(0).slug})
    assert Decision.objects.filter(kind="match", value="different").exists()
    assert not episode(0).attachments.filter(item=held(1)).exists()


def test_later_cycles_through_the_queue(client: Client, doubtful: Podcast) -> None:
    for at_, words in ((1, "All about mirrors 2"), (2, "All about organs 4"), (3, "<b>1 of 3</b>")):
        assert words in said(client.get(f"{REVIEW}held/?at={at_}"))
    assert not Decision.objects.exists()


def test_other_episode_can_be_searched(client: Client, doubtful: Podcast) -> None:
    assert f"with={episode_of_feed(4).slug}" in look(client, "held", held(1), q="organs")
    assert "Choose one of the buttons." in decide(client, "held", held(1), "same", **{"with": "nothing"})
    assert not Decision.objects.filter(kind="match").exists()
    decide(client, "held", held(1), "same", **{"with": "all-about-organs-4"})
    assert held(1).attachment.episode == episode_of_feed(4)


@pytest.mark.on_both
def test_concurrent_decisions_do_not_overrule(client: Client, doubtful: Podcast) -> None:
    sent = form("held", held(1))
    decide(client, "held", held(1), "ignore")
    answer = client.post(f"{REVIEW}held/", {**sent, "act": "new"}, follow=True)
    assert "was settled by you or somebody else" in said(answer)
    assert Decision.objects.get(kind="match").value == "ignore"


@pytest.mark.parametrize("kind", ["source", "nothing"])
def test_only_kinds_that_are_compared_have_a_review(client: Client, kind: str) -> None:
    assert client.get(f"{REVIEW}{kind}/")["Location"] == REVIEW


# --- Episodes that may be published twice ------------------------------------------------------------------------------


def test_rerun_is_previewed_before_it_is_marked(client: Client, twice: Podcast) -> None:
    address = f"/admin/episodes/episode/{at('fixed').slug}/re-run/"
    answer = client.get(address, {"other": at("small-0").slug, "kind": "replaces"})
    preview = said(answer)
    assert "Lists: All about kettles 0" in preview
    assert "left out" in preview
    assert verdicts() == []
    client.post(address, {**answer.context["form"].data.dict(), "reason": "was silent"})
    assert verdicts() == [("replaces", "was silent", "carla")]
    assert (at("small-0").listed, at("fixed").listed) == (False, True)


def test_rerun_needs_another_episode(client: Client, twice: Podcast) -> None:
    address = f"/admin/episodes/episode/{at('fixed').slug}/re-run/"
    for other in ("", at("fixed").slug, "nothing"):
        client.post(address, {"other": other, "kind": "repeats"})
    assert verdicts() == []
