"""An episode that no source lists is added by hand, and taken back like everything else."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from episodes.curation import undo_change
from episodes.models import Change, Episode, Podcast

from .conftest import logged_in, said

ADD = "admin:episodes_episode_add"


@pytest.fixture
def client(curator: User, talks: Podcast) -> Client:
    return logged_in(curator)


def form(**values: str) -> dict[str, str]:
    return {"podcast": str(Podcast.objects.get().pk), "title": "The lost one", **values}


def test_episode_is_added_by_hand_and_undone(client: Client, curator: User) -> None:
    data = form(number="12", published="2021-04-30", duration_seconds="600", description_text="Two\r\n\r\nparagraphs.")
    answer = client.post(reverse(ADD), data, follow=True)
    found = Episode.objects.get(slug="the-lost-one")
    assert answer.redirect_chain[-1][0] == reverse("admin:episodes_episode_change", args=(found.slug,))
    assert (found.number, found.published_precision, found.duration_seconds) == (12, "day", 600)
    assert found.description_text.startswith("Two")
    undo_change(curator, Change.objects.get())
    assert not Episode.objects.filter(slug="the-lost-one").exists()


def test_an_episode_is_seen_before_it_is_added(client: Client) -> None:
    shown = client.post(reverse(ADD), form(_preview="1"))
    assert [(name, was, now) for name, _, was, now in shown.context["rows"]] == [("The lost one", "", "an episode")]
    assert not Change.objects.exists()


@pytest.mark.parametrize(
    "values", [{"title": ""}, {"podcast": "x"}, {"number": "many"}, {"url": "javascript:alert(1)"}]
)
def test_a_value_that_cannot_be_is_refused(client: Client, values: dict[str, str]) -> None:
    shown = client.post(reverse(ADD), form(**values))
    assert shown.status_code == 200
    assert "complaint" in said(shown)
    assert not Change.objects.exists()
