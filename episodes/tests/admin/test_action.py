"""The pattern of a screen that changes something: a new one is a verb, and the rest comes with it."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.exceptions import PermissionDenied
from django.test import Client, RequestFactory

from episodes.admin.episode import EpisodeAction
from episodes.curation import judge, override
from episodes.models import Change, Episode, Podcast

from ..curation.conftest import export
from .conftest import episode, said


class TakeOutView(EpisodeAction):
    """A screen of the least words: it takes an episode out."""

    title = "Take out {view.episode.heading}"
    done = "“{view.episode}” was taken out."

    def act(self) -> None:
        for entry, _ in self.entries:
            judge(self.request.user, entry.item, "ignore", reason=self.reason)


class RenumberView(EpisodeAction):
    title = "Renumber {view.episode.heading}"

    def act(self) -> None:
        override(self.request.user, self.episode, {"number": "9"}, seen=self.seen_first, reason=self.reason)


@pytest.fixture
def send(rf: RequestFactory, talks: Podcast, client: Client, curator: User) -> Any:
    """Opens a screen about the second episode, or posts to it; gives the answer and its messages."""
    client.force_login(curator)

    def sent(view: type[EpisodeAction], user: User = curator, **data: str) -> tuple[Any, list[str]]:
        request: Any = rf.post("/", data) if data else rf.get("/")
        request.user, request.session = user, client.session
        request._messages = CookieStorage(request)
        answer = view.as_view(model_admin=admin.site._registry[Episode])(request, slug="all-about-ladders-1")
        return answer, [str(message) for message in request._messages]

    return sent


def test_a_preview_is_the_real_thing_and_leaves_nothing_behind(send: Any) -> None:
    before = export()
    shown, _ = send(RenumberView, _preview="1")
    assert ("Number", "9") in {(row.name, row.after) for row in shown.context_data["rows"]}
    assert "<td>9</td>" in said(shown.render())
    assert (export(), Change.objects.count()) == (before, 0)


def test_what_is_posted_without_asking_for_the_preview_is_done_and_told(send: Any) -> None:
    answer, told = send(TakeOutView, _save="1", reason="an advertisement")
    assert answer.status_code == 302
    assert told == ["“All about ladders 1” was taken out."]
    assert not Episode.objects.filter(slug="all-about-ladders-1").exists()
    assert {change.reason for change in Change.objects.all()} == {"an advertisement"}


def test_nobody_writes_over_what_somebody_did_since_the_form_was_opened(send: Any, administrator: User) -> None:
    shown, _ = send(RenumberView)
    override(administrator, episode(1), {"number": "7"})
    answer, told = send(RenumberView, _save="1", seen=shown.context_data["seen"])
    assert answer.status_code == 200
    assert "since you opened this form" in told[0]
    assert episode(1).number == 7


def test_viewers_see_the_form_and_change_nothing(send: Any, viewer: User) -> None:
    assert send(TakeOutView, viewer)[0].status_code == 200
    for button in ("_preview", "_save"):
        with pytest.raises(PermissionDenied):
            send(TakeOutView, viewer, **{button: "1"})
    assert not Change.objects.exists()
