"""The inbox: everything that needs a person in one list, settled by one press each, remembered, and taken back."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from episodes.admin import inbox
from episodes.admin.inbox import Inbox
from episodes.admin.inbox_kinds import InboxRow
from episodes.curation import override, save_path, take_out, undo
from episodes.models import (
    Change,
    Decision,
    Dismissed,
    Episode,
    EpisodeTopic,
    Held,
    IngestRun,
    LearningPath,
    Link,
    LinkCheck,
    Podcast,
    Topic,
    TopicProposal,
)

from ..curation.conftest import export, feed
from ..ingest.conftest import imported, run, take
from ..kept import made_once
from .conftest import doubtful_show, episode, logged_in, said

INBOX = "/admin/episodes/dismissed/inbox/"
HOSTILE = ["", "\0", "x", "-1", "9" * 40, "²", "\ufffd", "a" * 10_000, "held:1", "nothing:1", "held:x"]


@pytest.fixture
def busy(curator: User) -> Podcast:
    """The small show with a row of each kind, as far as it can have one."""
    made_once(_busy, curator)
    return Podcast.objects.get()


def _busy() -> None:
    curator = User.objects.get(username="carla")
    made_once(doubtful_show)
    override(curator, episode(1), {"title": "My ladders"})
    take("feed", feed(range(5)).replace(b"ladders 1<", b"ladders, revised 1<"), "--accept")
    path = LearningPath(slug="start", title="Start", steps=[{"episode": episode(3).slug, "why": "First."}])
    save_path(curator, path)
    take_out(curator, episode(3), "hidden")
    now = timezone.now()
    link = Link.objects.order_by("key")[0]
    LinkCheck.objects.create(key=link.key, outcome="gone", failures=1, failing_since=now, asked_at=now, note="404")
    assert imported("odd", b"<html>Please log in</html>").code == 1


@pytest.fixture
def client(curator: User, busy: Podcast) -> Client:
    return logged_in(curator)


def rows(kind: str = "") -> list[InboxRow]:
    return [row for row in Inbox().listed(50) if kind in ("", row.kind.slug)]


def count(kind: str) -> int:
    return Inbox().counts()[kind]


def press(client: Client, row: InboxRow, act: str) -> str:
    sent = {"kind": row.kind.slug, "row": row.target.pk, "token": row.token, "act": act}
    answer = client.post(INBOX, sent, follow=True)
    assert answer.status_code == 200
    return said(answer)


def test_every_kind_has_rows_in_words_that_lead_to_their_screens(client: Client) -> None:
    page = said(client.get(INBOX))
    shown = rows()
    assert {"held", "source", "upstream", "path", "link"} <= {row.kind.slug for row in shown}
    assert "yours is “My ladders”; feed now has “All about ladders, revised 1”" in page
    assert "“all-about-needles-3” is gone" in page
    for row in shown:
        assert row.words
        assert client.get(row.address, follow=True).status_code == 200, row


def test_a_reason_is_told_once(busy: Podcast) -> None:
    words = "https://odd.example/feed could not be reached: connection refused"
    IngestRun.objects.filter(source__slug="odd").update(outcome="failed", reason=words)
    assert rows("source")[0].words == f"{words}."
    note = "https://gone.example/x answered 404 Not Found"
    LinkCheck.objects.update(note=note, failures=4, outcome="unreached")
    assert rows("link")[0].words.startswith(f"{note} (4 times in a row). In “")


def test_counts_are_those_of_the_rows_listed(busy: Podcast) -> None:
    counts = Inbox().counts()
    for kind, number in counts.items():
        assert len(rows(kind)) == number
    assert sum(counts.values()) == len(rows())


def test_a_show_has_its_own_rows_alone(client: Client, busy: Podcast) -> None:
    other = Podcast.objects.create(slug="other", title="Other", rank=9)
    shows = Inbox(show=busy).counts()
    assert {**shows, "path": 1} == Inbox().counts(), "the path is of several shows"
    assert sum(Inbox(show=other).counts().values()) == 0
    assert client.get(f"{INBOX}?show=other").context["total"] == 0


def test_a_held_entry_with_one_clean_candidate_is_accepted_by_one_press(client: Client) -> None:
    held = Held.objects.order_by("pk")[0]
    assert not rows("held")[0].acts, "its candidate has something against it"
    held.candidates = [{"episode": episode(n).slug, "reasons": ["equal title"]} for n in (0, 2)]
    held.save()
    assert "Choose one of the buttons" in press(client, rows("held")[0], "same")
    held.candidates = held.candidates[:1]
    held.save()
    assert "Matched “All about kettles 0”" in press(client, rows("held")[0], "same")
    assert held.item.attachment.episode == episode(0)
    assert count("held") == 2


def test_keep_mine_is_remembered_until_the_source_changes_again(client: Client, tmp_path: Path) -> None:
    press(client, rows("upstream")[0], "keep")
    assert count("upstream") == 0
    assert Episode.objects.get(title="My ladders")
    call_command("rebuild", verbosity=0)
    assert count("upstream") == 0
    again = feed(range(5)).replace(b"ladders 1<", b"ladders, once more 1<")
    (tmp_path / "feed.xml").write_bytes(again)
    assert run(tmp_path / "feed.xml", "--source", "feed", "--accept").code == 0
    assert "once more" in rows("upstream")[0].words


def test_use_theirs_releases_the_field(client: Client) -> None:
    press(client, rows("upstream")[0], "theirs")
    assert not Decision.objects.filter(kind="value", field="title", ended_at=None).exists()
    assert Episode.objects.filter(title="All about ladders, revised 1").exists()


def test_conflicts_repeats_topics_and_proposals_are_settled_by_one_press(client: Client, busy: Podcast) -> None:
    conflict = {"field": "title", "source": "feed", "value": "A"}
    conflict |= {"other_source": "other", "other_value": "B"}
    Episode.objects.filter(pk=episode(0).pk).update(conflicts=[conflict])
    assert "feed has “A”, other has “B”" in rows("conflict")[0].words
    press(client, rows("conflict")[0], "closed")
    found = {"of": episode(0).slug, "kind": "repeats", "evidence": ["equal"]}
    Episode.objects.filter(pk=episode(4).pk).update(repeats=[found])
    press(client, rows("repeat")[0], "unrelated")
    use = {"episode": episode(2), "topic": Topic.objects.get(slug="music")}
    EpisodeTopic.objects.create(**use, term="music", field="notes", confidence="low")
    press(client, rows("topic")[0], "confirm")
    assert EpisodeTopic.objects.get(**use).confidence == "high"
    TopicProposal.objects.create(
        podcast=busy, key="copper", place=0, name="Copper", source="words", terms=["copper"], count=2
    )
    press(client, rows("proposal")[0], "accept")
    assert Topic.objects.filter(name="Copper").exists()
    assert [count(kind) for kind in ("conflict", "repeat", "topic")] == [0, 0, 0]


def test_what_is_no_problem_comes_back_only_when_it_says_something_else(client: Client) -> None:
    before = export()
    for kind in ("link", "source", "path"):
        press(client, rows(kind)[0], "fine")
        assert count(kind) == 0
    call_command("rebuild", verbosity=0)
    assert [count(kind) for kind in ("link", "source", "path")] == [0, 0, 0]
    assert "“All about" in said(client.get("/admin/episodes/dismissed/")) or Dismissed.objects.count() == 3
    LinkCheck.objects.update(outcome="unreached", failures=3)
    assert count("link") == 1
    press(client, rows("link")[0], "fine")
    assert Dismissed.objects.filter(kind="link").count() == 1
    assert export() == before


def test_dismissing_is_in_the_history_and_undone_without_touching_the_catalog(
    client: Client,
) -> None:
    before, all_rows = export(), [row.token for row in rows()]
    press(client, rows("link")[0], "fine")
    last = re.search(r'action="(/admin/episodes/change/\d+/change/)"', said(client.get(INBOX)))
    assert last
    answer = client.post(last[1], {"next": INBOX}, follow=True)
    assert "Undone: " in said(answer)
    assert answer.redirect_chain[-1][0] == INBOX
    assert not Dismissed.objects.exists()
    assert ([row.token for row in rows()], export()) == (all_rows, before)


def test_a_row_that_changed_since_the_page_was_opened_is_not_settled(client: Client) -> None:
    row = rows("link")[0]
    LinkCheck.objects.update(outcome="unreached", failures=3)
    assert "This row has changed since you opened the page" in press(client, row, "fine")
    assert not Dismissed.objects.exists()


def test_the_next_row_stands_in_the_place_of_a_settled_one(client: Client) -> None:
    place = next(n for n, row in enumerate(rows()) if row.kind.slug == "path")
    sent, after = rows()[place], rows()[place + 1].subject
    data = {"kind": "path", "row": sent.target.pk, "token": sent.token, "act": "fine", "at": place}
    answer = client.post(INBOX, data)
    assert answer.headers["Location"] == f"{INBOX}?at={place}"
    page = said(client.get(answer.headers["Location"]))
    assert re.search(rf'<li class="at">.*?autofocus>{re.escape(after)}', page, re.S)


def test_without_a_kind_the_first_rows_of_each_are_shown_and_a_kind_has_pages(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inbox, "FIRST", 2)
    monkeypatch.setattr(inbox, "PER_PAGE", 2)
    every, shown = rows("held"), client.get(INBOX).context["rows"]
    assert [row.target for row in shown if row.kind.slug == "held"] == [row.target for row in every[:2]]
    pages = [client.get(f"{INBOX}?kind=held&page={n}").context["rows"] for n in (1, 2)]
    assert [row.target for page in pages for row in page] == [row.target for row in every]
    assert "?kind=held&amp;page=2" in said(client.get(f"{INBOX}?kind=held"))


def test_several_rows_and_all_of_a_kind_are_settled_and_undone_together(client: Client) -> None:
    now = timezone.now()
    for link in Link.objects.order_by("key")[1:4]:
        LinkCheck.objects.create(key=link.key, outcome="gone", failures=1, failing_since=now, asked_at=now)
    first, second, *others = rows("link")
    sent = {"kind": "link", "act": "fine", "token": [row.token for row in (first, second, *others)]}
    assert 'name="all" value="4"' in said(client.get(f"{INBOX}?kind=link"))
    answer = client.post(f"{INBOX}?kind=link", {**sent, "row": [first.target.pk, second.target.pk]}, follow=True)
    assert "Done: 2 rows." in said(answer)
    assert count("link") == 2
    assert "was settled by you" in said(client.post(f"{INBOX}?kind=link", {**sent, "all": "4"}, follow=True))
    assert "Done: 2 rows." in said(client.post(f"{INBOX}?kind=link", {**sent, "all": "2"}, follow=True))
    assert count("link") == 0
    together = re.search(r'href="([^"]+several/done/[^"]+)" data-key="u"', said(client.get(INBOX)))
    assert together
    client.post(together[1])
    assert count("link") == 2


def test_what_was_refused_offers_no_undo_of_an_earlier_change(client: Client, curator: User) -> None:
    another, now = Link.objects.order_by("key")[1], timezone.now()
    LinkCheck.objects.create(key=another.key, outcome="gone", failures=1, failing_since=now, asked_at=now)
    assert Change.objects.filter(made_by=curator).exists()
    found = rows("link")
    sent = {"token": [row.token for row in found], "row": [row.target.pk for row in found]}
    answer = client.post(INBOX, {**sent, "kind": "link", "act": "nothing"}, follow=True)
    assert said(answer).count("Not done: ") == 2
    assert answer.context["last"] is None


def test_a_viewer_looks_and_presses_nothing(client: Client, viewer: User) -> None:
    looker, row = logged_in(viewer), rows("link")[0]
    assert 'name="act"' not in said(looker.get(INBOX))
    sent = {"kind": "link", "row": row.target.pk, "token": row.token, "act": "fine"}
    assert looker.post(INBOX, sent).status_code == 403
    assert logged_in(None).get(INBOX).status_code == 302


@pytest.mark.parametrize("value", HOSTILE)
def test_no_address_and_no_form_breaks_it(client: Client, value: str) -> None:
    names = ("kind", "show", "page", "at")
    assert client.get(INBOX, dict.fromkeys(names, value)).status_code == 200
    for kind in (value, "link"):
        sent = {**dict.fromkeys(("row", "token", "act", "at"), value), "kind": kind}
        assert client.post(INBOX, sent, follow=True).status_code == 200
    assert not Dismissed.objects.exists()


def test_a_page_takes_as_many_queries_however_many_rows_there_are(client: Client) -> None:
    def queries(address: str) -> int:
        client.get(address)
        with CaptureQueriesContext(connection) as caught:
            assert client.get(address).status_code == 200
        return len(caught)

    pages = (INBOX, f"{INBOX}?kind=topic", "/admin/")
    use = {"topic": Topic.objects.get(slug="music"), "field": "notes", "confidence": "low"}
    EpisodeTopic.objects.create(episode=episode(2), term="music", **use)
    few = [queries(page) for page in pages]
    for n in (0, 4):
        EpisodeTopic.objects.create(episode=episode(n), term="music", **use)
    assert [queries(page) for page in pages] == few
    assert max(few) <= 60


def test_the_upgrade_keeps_what_was_no_problem_and_its_undo(curator: User, busy: Podcast) -> None:
    """The rows of an earlier version as its tables had them; `keep_dismissed` reads just these."""
    row = rows("link")[0]
    kind = row.kind
    old = {"kind": "link", "source": "", "item_key": row.target.key, "about": kind.about(row)}  # type: ignore[attr-defined]
    old |= {"digest": row.digest, "subject": row.subject, "reason": "old", "made_by_id": curator.pk}
    note = SimpleNamespace(pk=7, made_at=timezone.now(), **old)
    written = [["episodes.inboxnote", 7, None, {}]]
    verbs = ("set aside", "assign")
    about = f"inbox:{old['about'][:32]}"
    changes = [
        Change.objects.create(verb=verb, about=about, subject="A link", rows=written, made_by=curator) for verb in verbs
    ]
    migration = import_module("episodes.migrations.0049_dismissed")
    migration.keep_dismissed(OldApps([note]), connection.schema_editor())
    assert count("link") == 0
    assert Dismissed.objects.get().made_by == curator
    assert Change.objects.get(pk=changes[1].pk).rows == []
    undo(curator, Change.objects.get(pk=changes[0].pk))
    assert count("link") == 1


class OldApps:
    """The models of an earlier version: these notes, and what stayed."""

    def __init__(self, notes: list[SimpleNamespace]) -> None:
        self.notes = SimpleNamespace(filter=self.of, order_by=lambda name: notes)

    def of(self, **where: object) -> SimpleNamespace:
        assert where == {"state": "fine", "ended_at": None}
        return self.notes

    def get_model(self, app: str, name: str) -> object:
        if name == "InboxNote":
            return SimpleNamespace(objects=SimpleNamespace(using=lambda alias: self.notes))
        return apps.get_model(app, name)
