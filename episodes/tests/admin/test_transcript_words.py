"""The screen that corrects words of a transcript, and the list of those that are gone."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.curation import undo_change
from episodes.models import Change, Decision, Episode, Transcript

from ..curation.test_words import RIGHT, SAID, Bring, bring, ladders, shown
from ..tables import cases
from .conftest import at, logged_in, said

CASES = cases("admin_transcript_words")

__all__ = ["bring"]


@pytest.fixture
def client(curator: User, bring: Bring) -> Client:
    return logged_in(curator)


def sent(client: Client, **more: str) -> dict[str, str]:
    seen = client.get(at(ladders(), "words")).context["token"]
    return {"seen": seen, "wrong": "jackard", "place": "0", "right": "Jacquard", "reason": "a name", **more}


def test_words_are_found_previewed_and_corrected(client: Client) -> None:
    assert at(ladders(), "words") in said(client.get(at(ladders())))
    address = at(ladders(), "words")
    assert "[jackard]" not in said(client.get(address))
    page = said(client.get(address, {"wrong": "jackard", "right": "Jacquard"}))
    assert page.count("[jackard]") == 2
    assert "Everywhere in this transcript (2 places)" in page
    page = said(client.post(address, sent(client, _preview="1")))
    assert "Paragraph 1" in page
    assert RIGHT in page
    assert (shown(), Change.objects.count()) == (SAID, 0)
    answer = client.post(address, sent(client), follow=True)
    assert answer.redirect_chain == [(at(ladders()), 302)]
    assert shown() == RIGHT
    assert Change.objects.get().reason == "a name"
    page = said(client.get(address))
    assert "<del>jackard</del> → Jacquard" in page
    assert "not in this transcript" not in page
    assert "Jacquard: jackard" in said(client.get("/admin/episodes/decision/"))


def test_words_are_corrected_wherever_they_are_said(client: Client) -> None:
    client.post(at(ladders(), "words"), sent(client, place="everywhere", right=" Jacquard\n "))
    assert shown() == SAID.replace("jackard", "Jacquard")


@pytest.mark.parametrize("right", ["Jacquard", "jack", "jackards"])
def test_a_preview_begins_shortly_before_the_words(client: Client, bring: Bring, right: str) -> None:
    bring(f"{'far ' * 90}before the jackard")
    rows = client.post(at(ladders(), "words"), sent(client, _preview="1", right=right)).context["rows"]
    ((name, _, before, after),) = rows
    assert name == "Paragraph 1"
    assert before.endswith("far before the jackard")
    assert 60 < len(before) < 100
    assert after == before.replace("jackard", right)


def test_one_place_is_not_offered_as_every_place(client: Client) -> None:
    page = said(client.get(at(ladders(), "words"), {"wrong": "there", "right": "here"}))
    assert page.count("[there]") == 1
    assert "Everywhere" not in page


@pytest.mark.parametrize("more, told", CASES["what_cannot_be_done_is_told_and_changes_nothing"])
def test_impossible_correction_is_reported(client: Client, more: dict[str, str], told: str) -> None:
    assert told in said(client.post(at(ladders(), "words"), sent(client, **more)))
    assert (shown(), Decision.objects.count()) == (SAID, 0)


def test_an_episode_without_a_transcript_leads_back(client: Client) -> None:
    address = at(ladders(), "words")
    Transcript.objects.all().delete()
    assert "This episode has no transcript." in said(client.get(address, follow=True))
    assert address not in said(client.get(at(ladders())))


def test_lost_corrections_are_listed_and_undone(client: Client, curator: User, bring: Bring) -> None:
    client.post(at(ladders(), "words"), sent(client))
    assert listed(client) == []
    bring("Quite another talk.")
    assert listed(client) == [ladders()]
    page = said(client.get(at(ladders(), "words")))
    assert '<a href="?wrong=jackard&amp;right=Jacquard">Find its new place</a>' in page
    undo_change(curator, Change.objects.latest("pk"))
    assert listed(client) == []


def listed(client: Client) -> list[Episode]:
    return list(client.get("/admin/episodes/episode/?needs=words").context["cl"].result_list)


def test_equal_contexts_are_one_choice(client: Client, bring: Bring) -> None:
    around = "one two three four five jackard six seven eight nine ten"
    bring(f"{around} {around}\n\n00:40.000 --> 00:50.000\nWell, {around} and a jackard")
    page = said(client.get(at(ladders(), "words"), {"wrong": "jackard", "right": "Jacquard"}))
    assert "Paragraphs 1, 1, 2 (3 places): …two three four five [jackard] six seven eight nine…" in page
    assert "Paragraph 2: …nine ten and a [jackard]" in page
    assert "Everywhere in this transcript (4 places)" in page
    assert 'name="right" value="Jacquard"' in page
    client.post(at(ladders(), "words"), sent(client))
    assert (shown().count("Jacquard"), shown().count("jackard")) == (3, 1)
