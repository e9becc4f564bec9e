"""The inbox: everything that needs a person in one list, settled by one press each, remembered, and taken back."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from episodes.admin.inbox import PER_PAGE, Filters, Inbox
from episodes.admin.inbox_kinds import InboxRow
from episodes.curation import Impossible, assign, override, save_path, take_out
from episodes.models import (
    Change,
    Episode,
    EpisodeTopic,
    Held,
    InboxNote,
    IngestRun,
    LearningPath,
    Link,
    LinkCheck,
    Override,
    Podcast,
    Repeat,
    Source,
    Topic,
    TopicProposal,
)

from ..curation.conftest import WORDS, export, feed, notes, staff
from ..ingest.conftest import imported, run, take
from ..kept import made_once
from .conftest import doubtful_show, episode, logged_in, said

INBOX = "/admin/episodes/inboxnote/inbox/"
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


def rows(user: User, **asked: object) -> list[InboxRow]:
    return Inbox(user, Filters(**asked)).page(0, PER_PAGE)  # type: ignore[arg-type]


def the_row(user: User, kind: str, n: int = 0, **asked: object) -> InboxRow:
    return rows(user, kind=kind, **asked)[n]


def press(client: Client, row: InboxRow, act: str, query: str = "", **more: str) -> str:
    sent = {"row": f"{row.kind.slug}:{row.target.pk}", "token": row.token, "act": act, **more}
    answer = client.post(INBOX + query, sent, follow=True)
    assert answer.status_code == 200
    return said(answer)


def count(user: User, kind: str, **asked: object) -> int:
    return Inbox(user, Filters(**asked)).counts()[kind]  # type: ignore[arg-type]


def test_every_kind_has_rows_in_words_that_lead_to_their_screens(client: Client, curator: User) -> None:
    page = said(client.get(INBOX))
    found = {row.kind.slug for row in rows(curator)}
    assert {"held", "source", "upstream", "audio", "path", "link", "proposal", "notes"} >= found - {"conflict", "topic"}
    assert {"held", "source", "upstream", "audio", "path", "link"} <= found
    assert "yours is “My ladders”; feed now has “All about ladders, revised 1”" in page
    assert "“all-about-needles-3” is gone" in page
    for row in rows(curator):
        assert row.words
        assert client.get(row.address, follow=True).status_code == 200, row


def test_a_reason_is_told_once(curator: User, busy: Podcast) -> None:
    words = "https://odd.example/feed could not be reached: connection refused"
    IngestRun.objects.filter(source__slug="odd").update(outcome="failed", reason=words)
    assert the_row(curator, "source").words == f"{words}."
    LinkCheck.objects.update(note="https://gone.example/x answered 404 Not Found", failures=4, outcome="unreached")
    said_of_link = the_row(curator, "link").words
    assert said_of_link.startswith("https://gone.example/x answered 404 Not Found (4 times in a row). In “")


def test_sources_are_named_by_their_titles(curator: User, busy: Podcast) -> None:
    Source.objects.filter(slug="feed").update(title="The show’s feed")
    assert "(listed by The show’s feed" in the_row(curator, "audio").words


def test_counts_are_those_of_the_rows_listed(curator: User, busy: Podcast) -> None:
    counts = Inbox(curator).counts()
    for kind, number in counts.items():
        assert len(rows(curator, kind=kind)) == number
    assert sum(counts.values()) == len(rows(curator)) == len(rows(curator, by_age=True))


def test_a_held_entry_with_one_clean_candidate_is_accepted_by_one_press(client: Client, curator: User) -> None:
    held = Held.objects.order_by("pk")[0]
    assert not the_row(curator, "held").acts, "its candidate has something against it"
    held.candidates = [{"episode": episode(0).slug, "reasons": ["equal title"]}]
    held.save()
    item = held.item
    row = the_row(curator, "held")
    assert "Matched “All about kettles 0”" in press(client, row, "same")
    assert item.attachment.episode == episode(0)
    assert count(curator, "held") == 2


def test_two_candidates_without_anything_against_them_are_for_the_review(client: Client, curator: User) -> None:
    held = Held.objects.order_by("pk")[0]
    held.candidates = [{"episode": episode(n).slug, "reasons": ["equal title"]} for n in (0, 2)]
    held.save()
    row = the_row(curator, "held")
    assert "Choose one of the buttons" in press(client, row, "same")
    assert Held.objects.count() == 3


def test_keep_mine_is_remembered_until_the_source_changes_again(client: Client, curator: User, tmp_path: Path) -> None:
    press(client, the_row(curator, "upstream"), "keep")
    assert count(curator, "upstream") == 0
    assert Episode.objects.get(title="My ladders")
    call_command("rebuild", verbosity=0)
    assert count(curator, "upstream") == 0
    (tmp_path / "feed.xml").write_bytes(feed(range(5)).replace(b"ladders 1<", b"ladders, once more 1<"))
    assert run(tmp_path / "feed.xml", "--source", "feed", "--accept").code == 0
    assert "once more" in the_row(curator, "upstream").words


def test_use_theirs_releases_the_field(client: Client, curator: User) -> None:
    press(client, the_row(curator, "upstream"), "theirs")
    assert not Override.objects.filter(field="title", ended_at=None).exists()
    assert Episode.objects.filter(title="All about ladders, revised 1").exists()


def test_conflicts_are_closed_by_one_press(client: Client, curator: User) -> None:
    Episode.objects.filter(pk=episode(0).pk).update(
        conflicts=[{"field": "title", "source": "feed", "value": "A", "other_source": "other", "other_value": "B"}]
    )
    row = the_row(curator, "conflict")
    assert "feed has “A”, other has “B”" in row.words
    press(client, row, "closed")
    assert count(curator, "conflict") == 0


def test_a_repeat_and_a_topic_are_settled_by_one_press(client: Client, curator: User) -> None:
    pair = Repeat.objects.create(episode=episode(4), of=episode(0), kind="repeats", evidence=["equal text"])
    press(client, the_row(curator, "repeat"), "unrelated")
    assert not Repeat.objects.filter(pk=pair.pk).exists()
    use = EpisodeTopic.objects.create(
        episode=episode(2), topic=Topic.objects.get(slug="music"), term="music", field="notes", confidence="low"
    )
    press(client, the_row(curator, "topic"), "confirm")
    assert EpisodeTopic.objects.get(episode=use.episode, topic=use.topic).confidence == "high"
    assert count(curator, "topic") == 0


def test_a_proposed_topic_is_accepted_or_refused(client: Client, curator: User, busy: Podcast) -> None:
    for place, name in enumerate(("Copper", "Iron")):
        TopicProposal.objects.create(
            podcast=busy, key=name.lower(), place=place, name=name, source="words", terms=[name.lower()], count=2
        )
    press(client, the_row(curator, "proposal"), "accept")
    assert Topic.objects.filter(name="Copper").exists()


def test_what_is_no_problem_comes_back_only_when_it_says_something_else(client: Client, curator: User) -> None:
    press(client, the_row(curator, "link"), "fine")
    assert count(curator, "link") == 0
    aside = the_row(curator, "link", aside=True)
    assert "Not a problem, says carla" in said(client.get(INBOX + "?aside=1"))
    call_command("rebuild", verbosity=0)
    assert count(curator, "link") == 0
    check = LinkCheck.objects.get(key=aside.target.key)
    check.outcome, check.failures = "unreached", 3
    check.save()
    assert count(curator, "link") == 1
    assert count(curator, "link", aside=True) == 0


def test_later_comes_back_by_itself(client: Client, curator: User) -> None:
    press(client, the_row(curator, "audio"), "day")
    assert count(curator, "audio") == count(curator, "audio", aside=True) + Episode.objects.count() - 2
    note = InboxNote.objects.get()
    assert note.until
    assert timedelta(hours=23) < note.until - timezone.now() <= timedelta(days=1)
    InboxNote.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert count(curator, "audio") == Episode.objects.count()
    assert count(curator, "audio", aside=True) == 0


def test_a_row_that_was_set_aside_is_brought_back(client: Client, curator: User) -> None:
    press(client, the_row(curator, "path"), "week")
    assert count(curator, "path") == 0
    press(client, the_row(curator, "path", aside=True), "back", "?aside=1")
    assert count(curator, "path") == 1


def test_rows_are_assigned_taken_and_given_back(client: Client, curator: User) -> None:
    dora, vera = staff("dora", "curator"), staff("veronica", "viewer")
    held, source = the_row(curator, "held"), the_row(curator, "source")
    press(client, held, "mine")
    press(client, source, "assign", to=str(dora.pk))
    assert [row.kind.slug for row in rows(curator, whose="mine")] == ["held"]
    assert [row.kind.slug for row in rows(dora, whose="mine")] == ["source"]
    assert len(rows(curator, whose="none")) == len(rows(curator)) - 2
    assert "Assigned to you: 1" in said(client.get("/admin/"))
    with pytest.raises(Impossible):
        assign(curator, held.key, vera)
    with pytest.raises(PermissionDenied):
        assign(vera, held.key, curator)
    press(client, the_row(curator, "held"), "free")
    assert rows(curator, whose="mine") == []


def test_what_somebody_had_who_may_not_curate_any_more_is_nobodys(client: Client, curator: User) -> None:
    dora = staff("dora", "curator")
    press(client, the_row(curator, "source"), "assign", to=str(dora.pk))
    User.objects.filter(pk=dora.pk).update(is_active=False)
    assert len(rows(curator, whose="none")) == len(rows(curator))


def test_an_assigned_row_stays_assigned_when_it_is_set_aside_and_says_something_else(
    client: Client, curator: User
) -> None:
    press(client, the_row(curator, "link"), "mine")
    press(client, the_row(curator, "link"), "week")
    LinkCheck.objects.update(outcome="unreached", failures=3)
    assert [row.kind.slug for row in rows(curator, whose="mine")] == ["link"]


def test_notes_follow_an_entry_whichever_source_ranks_first(client: Client, curator: User) -> None:
    row = next(row for row in rows(curator, kind="audio") if len(row.key.refs) > 1)
    press(client, row, "fine")
    InboxNote.objects.update(source=row.key.refs[1][0], item_key=row.key.refs[1][1])
    assert [aside.subject for aside in rows(curator, kind="audio", aside=True)] == [row.subject]


def test_every_note_is_in_the_history_and_undone_without_touching_the_catalog(client: Client, curator: User) -> None:
    before = export()
    for act in ("mine", "day"):
        press(client, the_row(curator, "audio"), act)
    press(client, the_row(curator, "audio", aside=True), "back", "?aside=1")
    assert list(Change.objects.values_list("verb", flat=True)[:3]) == ["bring back row", "set aside", "assign"]
    for _ in range(3):
        last = re.search(r'name="undo" value="(\d+)"', said(client.get(INBOX)))
        assert last
        assert "Undone: " in said(client.post(INBOX, {"undo": last[1]}, follow=True))
    assert not InboxNote.objects.filter(ended_at=None).exists()
    assert export() == before


def test_a_row_that_changed_since_the_page_was_opened_is_not_settled(client: Client, curator: User) -> None:
    row = the_row(curator, "link")
    LinkCheck.objects.update(outcome="unreached", failures=3)
    assert "This row has changed since you opened the page" in press(client, row, "fine")
    assert not InboxNote.objects.exists()


def test_the_next_row_stands_in_the_place_of_a_settled_one(client: Client, curator: User) -> None:
    sent = rows(curator)[2]
    after = rows(curator)[3].subject
    answer = client.post(
        f"{INBOX}?kind=", {"row": f"{sent.kind.slug}:{sent.target.pk}", "token": sent.token, "act": "week", "at": "2"}
    )
    assert answer.headers["Location"] == f"{INBOX}?at=2"
    page = said(client.get(answer.headers["Location"]))
    assert re.search(rf'<li class="at">.*?autofocus>{re.escape(after)}', page, re.S)


def test_other_screens_lead_back_to_the_inbox_as_it_was(client: Client) -> None:
    client.get(f"{INBOX}?kind=audio&sort=age")
    assert f'href="{INBOX}?kind=audio&amp;sort=age"' in said(client.get("/admin/episodes/held/review/"))


def test_the_oldest_row_comes_first_where_that_is_asked_for(curator: User, busy: Podcast) -> None:
    LinkCheck.objects.update(failing_since=datetime(2020, 1, 1, tzinfo=UTC))
    found = rows(curator, by_age=True)
    assert found[0].kind.slug == "link"
    ages = [row.since for row in found if row.since]
    assert ages == sorted(ages)


def test_a_viewer_looks_and_presses_nothing(client: Client, curator: User, viewer: User) -> None:
    looker, row = logged_in(viewer), the_row(curator, "link")
    assert 'name="act"' not in said(looker.get(INBOX))
    assert looker.post(INBOX, {"row": f"link:{row.target.pk}", "token": row.token, "act": "fine"}).status_code == 403
    assert logged_in(None).get(INBOX).status_code == 302


@pytest.mark.parametrize("value", HOSTILE)
def test_no_address_and_no_form_breaks_it(client: Client, value: str) -> None:
    names = ("kind", "show", "whose", "sort", "aside", "page", "at")
    assert client.get(INBOX, dict.fromkeys(names, value)).status_code == 200
    answer = client.post(INBOX, dict.fromkeys(("row", "token", "act", "to", "at"), value), follow=True)
    assert answer.status_code == 200
    assert not InboxNote.objects.exists()


def test_a_page_takes_as_many_queries_however_many_rows_and_notes_there_are(
    client: Client, curator: User, busy: Podcast, tmp_path: Path
) -> None:
    def queries(address: str) -> int:
        client.get(address)
        with CaptureQueriesContext(connection) as caught:
            assert client.get(address).status_code == 200
        return len(caught)

    press(client, the_row(curator, "audio"), "fine")
    pages = (INBOX, f"{INBOX}?sort=age", f"{INBOX}?kind=audio", "/admin/")
    few = [queries(page) for page in pages]
    (tmp_path / "feed.xml").write_bytes(feed(range(90), text=lambda n: f"{WORDS[n % 6]} {n}: {notes(n)}"))
    assert run(tmp_path / "feed.xml", "--source", "feed", "--accept").code == 0
    for n in range(30):
        press(client, the_row(curator, "audio", n), "week")
    assert all(now <= before for now, before in zip([queries(page) for page in pages], few, strict=True))
    assert max(few) <= 60
