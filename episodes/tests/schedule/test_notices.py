"""Who is told of what: each incident once when it begins, a source also when it is over, and a digest every week."""

from __future__ import annotations

import json
import smtplib
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext

from episodes.models import (
    IngestRun,
    Podcast,
    ScheduleMark,
    Source,
    SourceSchedule,
    Status,
    UnsentNotice,
)
from episodes.schedule import Notice, digest, send_notices
from episodes.schedule.channels import Channels
from episodes.schedule.outbox import send, send_again
from episodes.tests.ingest.conftest import command
from episodes.tests.loopback import Loopback

from .conftest import FEED, START, Clock, add_source, not_found, worker

PEOPLE = ("ops@example.org",)


@pytest.fixture
def hook(web: Loopback) -> str:
    web.routes["/hook"] = (200, {}, b"ok")
    return web.address("/hook")


def calls(web: Loopback) -> list[dict[str, object]]:
    return [json.loads(request.body) for request in web.requests if request.path == "/hook"]


def fail(web: Loopback, clock: Clock, times: int, **named: object) -> None:
    web.routes["/looms"] = not_found
    for _ in range(times):
        SourceSchedule.objects.update(next_at=clock())
        worker(web, clock, **named).read()  # type: ignore[arg-type]
        clock.passes(minutes=5)


def test_a_source_that_fails_three_times_is_reported_once_and_again_when_it_works(
    web: Loopback, clock: Clock, hook: str
) -> None:
    add_source(web)
    fail(web, clock, 2, webhook=hook, people=PEOPLE)
    assert (calls(web), mail.outbox) == ([], [])
    fail(web, clock, 3, webhook=hook, people=PEOPLE)
    (call,) = calls(web)
    assert call["event"] == "source.failing"
    assert str(call["text"]).startswith("[Looms] feed is failing\nfeed: failing (3 times in a row): http://127.0.0.1:")
    assert call["sources"] == [
        {"podcast": "looms", "source": "feed", "state": "failing", "failures": 3,
         "reason": f"{web.address('/looms')} answered 404 Not Found"}
    ]  # fmt: skip
    assert (mail.outbox[0].subject, mail.outbox[0].to) == ("[Looms] feed is failing", ["ops@example.org"])
    web.routes["/looms"] = (200, {}, FEED)
    SourceSchedule.objects.update(next_at=clock())
    for _ in range(2):
        worker(web, clock, webhook=hook, people=PEOPLE).read()
    assert [call["event"] for call in calls(web)] == ["source.failing", "source.recovered"]
    assert len(mail.outbox) == 2


def test_many_sources_that_fail_together_are_one_notice(web: Loopback, clock: Clock) -> None:
    for name in ("looms", "reeds", "heddles"):
        add_source(web, name)
        web.routes[f"/{name}"] = not_found
    worker(web, clock, people=PEOPLE, failures=1).read()
    (message,) = mail.outbox
    assert message.subject == "[Podcast catalog] 3 sources are failing"
    assert str(message.body).count("· feed: failing: ") == 3


def test_sources_in_trouble_are_told_with_as_many_statements_as_one(web: Loopback, clock: Clock) -> None:
    def statements(sources: int) -> int:
        with CaptureQueriesContext(connection) as run:
            text = digest(clock() - timedelta(days=7), clock()).text
        assert text.count("answered 404 Not Found") == sources
        return len(run)

    for name in ("looms", "reeds", "heddles"):
        add_source(web, name)
        web.routes[f"/{name}"] = not_found
    worker(web, clock, failures=1).read()
    several = statements(3)
    Podcast.objects.exclude(slug="looms").update(status=Status.PAUSED)
    assert several == statements(1)


def test_a_source_that_is_paused_meanwhile_has_not_recovered(web: Loopback, clock: Clock) -> None:
    add_source(web)
    fail(web, clock, 3, people=PEOPLE)
    Podcast.objects.update(status=Status.PAUSED)
    clock.passes(minutes=5)
    worker(web, clock, people=PEOPLE).read()
    assert [message.subject for message in mail.outbox] == ["[Looms] feed is failing"]
    assert not ScheduleMark.objects.filter(key__startswith="source").exists()


def test_nobody_is_told_of_failures_where_their_number_is_0(web: Loopback, clock: Clock) -> None:
    add_source(web)
    fail(web, clock, 4, people=PEOPLE, failures=0)
    assert mail.outbox == []


def test_a_notice_that_cannot_be_sent_stops_nothing_and_is_logged_once(
    web: Loopback, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def down(*_: object) -> None:
        raise smtplib.SMTPServerDisconnected("gone")

    monkeypatch.setattr("django.core.mail.EmailMessage.send", down)
    add_source(web)
    fail(web, clock, 5, people=PEOPLE, webhook=web.address("/nowhere"))
    assert IngestRun.objects.count() == 5
    assert caplog.text.count("could not be sent by mail (SMTPServerDisconnected: gone)") == 1
    assert caplog.text.count("could not be sent by webhook") == 1


def test_a_notice_that_failed_is_sent_by_a_later_run_once_by_the_channel_that_failed(
    web: Loopback, clock: Clock, hook: str
) -> None:
    add_source(web)
    web.routes["/hook"] = (503, {}, b"")
    fail(web, clock, 3, webhook=hook, people=PEOPLE)
    row = UnsentNotice.objects.get()
    assert (row.channel, row.trouble) == ("webhook", "the webhook answered 503 Service Unavailable")
    first = calls(web)
    clock.passes(minutes=-1)
    send_notices.run(worker(web, clock, webhook=hook, people=PEOPLE).work, "")
    assert calls(web) == first
    web.routes["/hook"] = (200, {}, b"ok")
    clock.passes(minutes=1)
    for _ in range(2):
        send_notices.run(worker(web, clock, webhook=hook, people=PEOPLE).work, "")
    assert calls(web) == [*first, *first]
    assert not UnsentNotice.objects.exists()
    assert len(mail.outbox) == 1


def test_a_notice_is_tried_six_times_ever_more_seldom_and_then_shown_for_a_week(web: Loopback, clock: Clock) -> None:
    hook, tried = web.address("/nowhere"), []
    channels = Channels(webhook=hook)
    send(channels, Notice("test", "A test"), clock())
    for step in [timedelta(minutes=30)] * 97 + [timedelta(days=1)] * 10:
        clock.now += step
        before = len(web.requests)
        send_again(channels, clock())
        tried += [clock() - START] if len(web.requests) > before else []
        if clock() - START == timedelta(days=2):
            assert (UnsentNotice.objects.get().tries, UnsentNotice.objects.get().next_at) == (6, None)
    assert [at / timedelta(hours=1) for at in tried] == [0.5, 1, 3, 11, 35]
    assert not UnsentNotice.objects.exists()


def test_of_two_processes_one_sends_a_notice_again(
    web: Loopback, clock: Clock, hook: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    send(Channels(webhook=web.address("/nowhere")), Notice("test", "A test"), clock())
    clock.passes(hours=1)
    channels, sent = Channels(webhook=hook), Channels.send

    def meanwhile(self: Channels, name: str, notice: Notice) -> str:
        monkeypatch.setattr(Channels, "send", sent)
        send_again(self, clock())
        return self.send(name, notice)

    monkeypatch.setattr(Channels, "send", meanwhile)
    send_again(channels, clock())
    assert len(calls(web)) == 1


def test_a_channel_that_was_turned_off_is_tried_no_more(web: Loopback, clock: Clock) -> None:
    send(Channels(webhook=web.address("/nowhere")), Notice("test", "A test"), clock())
    clock.passes(hours=1)
    send_again(Channels(), clock())
    assert not UnsentNotice.objects.exists()


def test_a_webhook_may_be_private_but_leads_nowhere_else(web: Loopback) -> None:
    secret = web.address("/elsewhere")
    web.routes |= {"/moved": (302, {"Location": secret}, b""), "/elsewhere": (200, {}, b"")}
    trouble = Channels(webhook=web.address("/moved")).try_all(Notice("test", "A test"))
    assert trouble == {"webhook": f"{web.address('/moved')} answered 302 Found"}
    assert [request.path for request in web.requests] == ["/moved"]
    request = web.requests[0]
    assert (request.method, request.headers["content-type"]) == ("POST", "application/json")
    assert "not an http or https address" in Channels(webhook="ftp://example.org/").call(Notice("test", "A test"))


def test_the_digest_is_mailed_once_a_week(web: Loopback, clock: Clock) -> None:
    add_source(web)
    runner = worker(web, clock, people=PEOPLE)
    runner.read()
    clock.passes(days=6.9)
    runner.read()
    assert mail.outbox == []
    clock.passes(days=0.2)
    web.routes["/looms"] = (200, {}, FEED.replace(b"Cards.", b"Cards and heddles."))
    for _ in range(2):
        worker(web, clock, people=PEOPLE).read()
    (message,) = mail.outbox
    assert message.subject == "[Looms] Weekly digest, 5 January to 12 January 2026"
    parts = str(message.body).split("\n\n")
    assert (
        parts[1:]
        == [
            "New episodes\n- none",
            "Entries changed by their sources, see /changes/\n- 0",
            "Entries waiting for review\n- 0",
            "Sources in trouble\n- none",
            "Dead links in show notes\n- 0\n",
        ]
        or "Jacquard" in parts[1]
    )


def test_the_digest_names_what_is_new_what_changed_and_what_is_in_trouble(web: Loopback, clock: Clock) -> None:
    add_source(web)
    begun = clock()
    clock.passes(minutes=1)
    runner = worker(web, clock)
    runner.read()
    clock.passes(days=2)
    more = b"<item><title>Dobby</title><guid>2</guid><description>Reeds.</description></item></channel>"
    web.routes["/looms"] = (200, {}, FEED.replace(b"Cards.", b"Other cards.").replace(b"</channel>", more))
    runner.read()
    web.routes["/looms"] = not_found
    clock.passes(days=2)
    runner.read()
    week = digest(begun, clock()).text
    assert "New episodes\n- Jacquard\n- Dobby\n" in week
    assert "Entries changed by their sources, see /changes/\n- 1\n" in week
    assert "Sources in trouble\n- feed: failing: http://127.0.0.1:" in week
    later = digest(begun + timedelta(days=1), clock()).text
    assert "New episodes\n- Dobby\n\n" in later


# --- The command -----------------------------------------------------------------------------------------------------


def test_the_test_says_what_happened_to_each_channel(web: Loopback, hook: str, settings: object) -> None:
    settings.NOTIFY_PEOPLE, settings.WEBHOOK_URL = list(PEOPLE), hook  # type: ignore[attr-defined]
    assert command("notify", "--test").out == "mail: sent\nwebhook: sent\n"
    (call,) = calls(web)
    assert call == {
        "text": "[Podcast catalog] A test: notices arrive here.",
        "event": "test",
        "site": "Podcast catalog",
    }
    settings.WEBHOOK_URL = web.address("/nowhere")  # type: ignore[attr-defined]
    ran = command("notify", "--test")
    assert (ran.code, ran.out) == (1, "mail: sent\n")
    assert "webhook: http://127.0.0.1" in ran.err


def test_without_a_channel_it_says_what_to_set(db: None) -> None:
    ran = command("notify", "--test")
    assert ran.code == 1
    assert "mail needs EMAIL_URL and ADMINS, a webhook needs WEBHOOK_URL" in ran.err
    assert Source.objects.count() == 0


def test_the_digest_can_be_had_now(db: None, settings: object) -> None:
    settings.NOTIFY_PEOPLE = list(PEOPLE)  # type: ignore[attr-defined]
    assert command("notify", "--digest").out == "mail: sent\n"
    assert "Sources in trouble" in str(mail.outbox[0].body)
