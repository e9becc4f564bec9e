"""Who is told of what: each incident once when it begins, a source also when it is over, and a digest every week."""

import json
import smtplib
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.core import mail

from episodes.ingest import IMPLAUSIBLE_REASON
from episodes.models import IngestRun, Podcast, Source, SourceSchedule, Status
from episodes.schedule import Notice, build_weekly_digest, resend_or_delete_unsent_notices
from episodes.tests.ingest.conftest import command
from episodes.tests.loopback import Loopback

from .conftest import FEED, Clock, Runner, add_source


@pytest.fixture
def hook(web: Loopback, settings: Any) -> str:
    web.routes["/hook"] = (200, {}, b"ok")
    settings.WEBHOOK_URL = web.address("/hook")
    return web.address("/hook")


@pytest.fixture(autouse=True)
def _people(settings: Any) -> None:
    settings.NOTIFY_PEOPLE, settings.DEFAULT_FROM_EMAIL = ["ops@example.org"], "catalog@example.org"


def calls(web: Loopback) -> list[dict[str, object]]:
    return [json.loads(request.body) for request in web.requests if request.path == "/hook"]


def fail(web: Loopback, clock: Clock, runner: Runner, times: int) -> None:
    web.routes["/looms"] = (404, {}, b"")
    for _ in range(times):
        SourceSchedule.objects.update(next_at=clock())
        runner.read()
        clock.passes(minutes=5)


def test_failing_source_is_reported_once_and_its_recovery(
    web: Loopback, clock: Clock, hook: str, runner: Runner, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["*", "looms.example"]
    add_source(web)
    fail(web, clock, runner, 2)
    assert (calls(web), mail.outbox) == ([], [])
    fail(web, clock, runner, 3)
    (call,) = calls(web)
    reason = f"{web.address('/looms')} answered 404 Not Found"
    links = {
        "admin_url": f"http://looms.example/admin/episodes/source/{Source.objects.get().pk}/change/",
        "url": "http://looms.example/sources/?podcast=looms",
    }
    text = f"[Looms] Looms · feed is failing\nLooms · feed: failing: {reason}"
    assert (call["event"], call["text"]) == ("source.failing", "\n  ".join([text, *links.values()]))
    failing = {"podcast": "looms", "source": "feed", "state": "failing", "failures": 3, "reason": reason}
    assert call["sources"] == [failing | links | {"show": "Looms", "title": "feed"}]
    assert (mail.outbox[0].subject, mail.outbox[0].to) == ("[Looms] Looms · feed is failing", ["ops@example.org"])
    web.routes["/looms"] = (200, {}, FEED)
    SourceSchedule.objects.update(next_at=clock())
    for _ in range(2):
        runner.read()
    assert [call["event"] for call in calls(web)] == ["source.failing", "source.recovered"]
    assert len(mail.outbox) == 2


def test_paused_source_has_not_recovered(web: Loopback, clock: Clock, runner: Runner) -> None:
    add_source(web)
    fail(web, clock, runner, 3)
    Podcast.objects.update(status=Status.PAUSED)
    clock.passes(minutes=5)
    runner.read()
    assert [message.subject for message in mail.outbox] == ["[Looms] Looms · feed is failing"]


def test_unsent_notice_stops_nothing_and_is_logged_once(
    web: Loopback, clock: Clock, settings: Any, runner: Runner, caplog: pytest.LogCaptureFixture
) -> None:
    settings.WEBHOOK_URL = web.address("/nowhere")
    add_source(web)
    with mock.patch("django.core.mail.EmailMessage.send", side_effect=smtplib.SMTPServerDisconnected("gone")):
        fail(web, clock, runner, 5)
    assert IngestRun.objects.count() == 5
    assert caplog.text.count("could not be sent by mail (SMTPServerDisconnected: gone)") == 1
    assert caplog.text.count("could not be sent by webhook") == 1


def test_failed_notice_is_sent_again(web: Loopback, clock: Clock, hook: str) -> None:
    web.routes["/hook"] = (503, {}, b"")
    Notice("source.failing", "feed is failing", ("feed: failing",), {"sources": []}).send_and_store_failures(clock())
    web.routes["/hook"] = (200, {}, b"ok")
    clock.passes(minutes=4)
    resend_or_delete_unsent_notices(clock())
    assert len(calls(web)) == 1
    clock.passes(minutes=1)
    resend_or_delete_unsent_notices(clock())
    first, second = calls(web)
    assert second == first
    clock.passes(days=2)
    resend_or_delete_unsent_notices(clock())
    assert (len(calls(web)), len(mail.outbox)) == (2, 1), "by mail it arrived at once"


def test_notice_is_given_up_after_ten_failures(web: Loopback, clock: Clock, hook: str) -> None:
    web.routes["/hook"] = (503, {}, b"")
    Notice("test", "A test").send_and_store_failures(clock())
    for _ in range(12):
        clock.passes(hours=6)
        resend_or_delete_unsent_notices(clock())
    assert len(calls(web)) == 10


def test_webhook_may_be_private_but_leads_nowhere_else(web: Loopback, settings: Any) -> None:
    settings.NOTIFY_PEOPLE, settings.WEBHOOK_URL = [], web.address("/moved")
    web.routes |= {"/moved": (302, {"Location": web.address("/elsewhere")}, b""), "/elsewhere": (200, {}, b"")}
    assert Notice("test", "A test").send_and_return_errors_by_channel() == {
        "webhook": f"{web.address('/moved')} answered 302 Found"
    }
    (request,) = web.requests
    assert (request.path, request.method) == ("/moved", "POST")
    assert request.headers["content-type"] == "application/json"


def test_refused_change_is_reported_daily(web: Loopback, clock: Clock, hook: str, runner: Runner) -> None:
    source = add_source(web)
    runner.read()
    reason = f"{IMPLAUSIBLE_REASON}: 4 of 5"
    IngestRun.objects.create(source=source, started_at=clock(), finished_at=clock(), outcome="refused", reason=reason)
    SourceSchedule.objects.update(next_at=clock() + timedelta(days=9))
    for _ in range(4):
        clock.passes(hours=12.1)
        runner.read()
    assert [message.subject for message in mail.outbox] == ["[Looms] Looms · feed is waiting for you"] * 2
    assert f"feed: refused: {reason}" in mail.outbox[0].body
    assert [call["event"] for call in calls(web)] == ["source.waiting"] * 2


def test_the_digest_is_mailed_once_a_week(web: Loopback, clock: Clock, hook: str, runner: Runner) -> None:
    add_source(web)
    runner.read()
    clock.passes(days=6.9)
    runner.read()
    assert mail.outbox == []
    clock.passes(days=0.2)
    for _ in range(2):
        runner.read()
    (message,) = mail.outbox
    assert message.subject == "[Looms] Weekly digest, 5 January to 12 January 2026"
    assert calls(web) == []


def test_digest_counts_the_week_and_waiting_entries(web: Loopback, clock: Clock, runner: Runner) -> None:
    add_source(web)
    runner.read()
    more = b"<item><title>Dobby</title><guid>2</guid><description>Reeds.</description></item></channel>"
    web.routes["/looms"] = (200, {}, FEED.replace(b"Cards.", b"Other cards.").replace(b"</channel>", more))
    clock.passes(days=2)
    runner.read()
    web.routes["/looms"] = (404, {}, b"")
    clock.passes(days=2)
    runner.read()
    numbers = [line.rpartition(": ")[2] for line in build_weekly_digest(clock()).lines]
    assert numbers == ["3", "0", "1", "0"]
    clock.passes(days=4)
    assert build_weekly_digest(clock()).lines[0].endswith(": 2")


def test_the_test_says_what_happened_to_each_channel(web: Loopback, hook: str, settings: Any) -> None:
    assert command("notify", "--test").out == "mail: sent\nwebhook: sent\n"
    text = "[Podcast catalog] A test: notices arrive here."
    assert calls(web) == [{"text": text, "event": "test", "site": "Podcast catalog"}]
    settings.WEBHOOK_URL = web.address("/nowhere")
    ran = command("notify", "--test")
    assert (ran.code, ran.out) == (1, "mail: sent\n")
    assert "webhook: http://127.0.0.1" in ran.err


def test_digest_is_mailed_or_says_what_to_set(db: None, settings: Any) -> None:
    assert command("notify", "--digest").out == "mail: sent\n"
    assert "Sources in trouble" in str(mail.outbox[0].body)
    settings.NOTIFY_PEOPLE = []
    ran = command("notify", "--test")
    assert (ran.code, "mail needs EMAIL_URL and ADMINS, a webhook needs WEBHOOK_URL" in ran.err) == (1, True)
