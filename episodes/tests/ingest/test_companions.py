"""Transcripts and chapters that a feed names are fetched once, kept as evidence, and belong to their episodes."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.core.management import call_command

from episodes.gather import LimitExceeded
from episodes.gather.fetch import Unreachable
from episodes.ingest import companion_files
from episodes.ingest.polling import are_files_paused, pause_files
from episodes.models import Document, Episode, Podcast, Source, Transcript
from episodes.tests.loopback import Loopback

from .conftest import export, run


def later(**time: float) -> time_machine.travel:
    return time_machine.travel(datetime.now(UTC) + timedelta(**time), tick=False)


VTT = b"""WEBVTT

00:00:00.000 --> 00:00:04.000
<v Nora>Welcome to a talk about looms.</v>

00:00:04.500 --> 00:00:09.000
<v Nora>Their shuttles fly on jacquard cards.</v>
"""
CHAPTERS = (
    b'{"version": "1.2.0", "chapters": [{"startTime": 0, "title": "Looms"}, {"startTime": 75.5, "title": "Cards"}]}'
)


@pytest.fixture(autouse=True)
def looms(web: Loopback) -> None:
    """Serve a show with two episodes, and a transcript and chapters of the first."""
    podcast = Podcast.objects.create(slug="looms", title="Looms Weekly", language="en")
    about = {"rank": 1, "may_create": True, "complete": True, "address": web.address("/feed")}
    Source.objects.create(podcast=podcast, slug="feed", reader="feed", **about)
    web.routes |= {
        "/feed": (200, {"Content-Type": "application/rss+xml"}, feed(web)),
        "/1.vtt": (200, {"Content-Type": "text/vtt"}, VTT),
        "/1.json": (200, {"Content-Type": "application/json+chapters"}, CHAPTERS),
    }


def feed(server: Loopback, more: str = "") -> bytes:
    return f"""<rss version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"
      xmlns:psc="http://podlove.org/simple-chapters"><channel><title>Looms Weekly</title>
      <item><title>Jacquard</title><guid>1</guid><pubDate>Sat, 01 May 2021 10:00:00 GMT</pubDate>
        <description>1:15 the cards. {more}</description><enclosure url="https://audio.example/1.mp3" type="audio/mpeg" length="1"/>
        <podcast:transcript url="{server.address("/gone.srt")}" type="application/srt"/>
        <podcast:transcript url="{server.address("/1.vtt")}" type="text/vtt"/>
        <podcast:chapters url="{server.address("/1.json")}" type="application/json+chapters"/></item>
      <item><title>Dobby</title><guid>2</guid><pubDate>Sat, 08 May 2021 10:00:00 GMT</pubDate><description>Heddles.</description>
        <psc:chapters><psc:chapter start="00:00:00" title="Heddles"/><psc:chapter start="00:01:00" title="Reeds"/></psc:chapters></item>
      </channel></rss>""".encode()


def the_feed(server: Loopback) -> bytes:
    route = server.routes["/feed"]
    assert not callable(route)
    return route[2]


@pytest.mark.on_both
def test_fetched_feed_brings_transcripts_and_chapters(web: Loopback) -> None:
    ran = run("feed")
    assert (ran.code, ran.err) == (0, "feed: transcripts and chapters read: 2\n")
    assert Transcript.objects.get().text == "Nora: Welcome to a talk about looms. Their shuttles fly on jacquard cards."
    chapters = Episode.objects.order_by("order", "chapters__start").values_list("chapters__start", "chapters__title")
    assert list(chapters.filter(slug="jacquard")) == [(0, "Looms"), (75, "Cards")]
    assert list(chapters.filter(slug="dobby")) == [(0, "Heddles"), (60, "Reeds")]


def test_stored_files_are_not_fetched_again(web: Loopback) -> None:
    run("feed")
    before, asked = export(), len(web.requests)
    web.routes["/feed"] = (200, {}, feed(web, "More."))
    run("feed")
    assert [r.path for r in web.requests[asked:]] == ["/feed"]
    for name in ("/feed", "/1.vtt", "/1.json"):
        del web.routes[name]
    call_command("rebuild", verbosity=0)
    assert (Transcript.objects.count(), Episode.objects.filter(chapters__isnull=False).distinct().count()) == (1, 2)
    assert export().count("More.") == 1 + before.count("More.")


def test_missing_file_is_reported_and_loses_nothing(web: Loopback) -> None:
    del web.routes["/1.vtt"]
    ran = run("feed")
    assert ran.code == 0
    assert ran.err.splitlines()[0] == "feed: transcripts and chapters read: 1; failed: 1, see /sources/"
    assert "/1.vtt answered 404 Not Found" in ran.err
    assert Episode.objects.count() == 2
    web.routes["/1.vtt"] = (200, {"Content-Type": "text/vtt"}, VTT)
    web.routes["/feed"] = (200, {}, feed(web, "More."))
    assert "/1.vtt" not in run("feed").err
    with later(hours=1.1):
        assert "transcripts and chapters read: 1" in run("feed").err
    assert Transcript.objects.count() == 1


def test_a_saved_feed_asks_nobody(web: Loopback, tmp_path) -> None:
    (tmp_path / "feed.xml").write_bytes(feed(web))
    assert run(tmp_path / "feed.xml", "--source", "feed").err == ""
    assert not web.requests


def test_dry_run_fetches_no_transcripts(web: Loopback) -> None:
    dry = run("feed", dry_run=True)
    assert [request.path for request in web.requests] == ["/feed"]
    assert dry.err == ""
    assert not Document.objects.exists()
    assert dry.as_real.out == run("feed").out
    assert run("feed", dry_run=True).err == ""


SORRY = b"Sorry, too many requests. Please try again later, when fewer people ask for the same thing as you do at this very moment."


GONE = b"<html><body><p>The page you are looking for is gone. Try the search.</body></html>"


@pytest.mark.parametrize(
    "kind, served, body",
    [
        ("application/json", "text/plain", SORRY), ("text/vtt", "text/plain", SORRY), ("text/vtt", "text/html", GONE),
    ],
)  # fmt: skip
def test_wrong_file_is_refused_and_retried(web: Loopback, kind: str, served: str, body: bytes) -> None:
    named = feed(web).replace(b"/1.vtt", b"/said").replace(b'type="text/vtt"', f'type="{kind}"'.encode())
    web.routes["/feed"] = (200, {}, named)
    web.routes["/said"] = (200, {"Content-Type": served}, body)
    assert "/said: not a transcript file" in run("feed").err
    assert not Transcript.objects.exists()
    good = b'{"segments": [{"startTime": 0, "body": "It works."}]}' if kind == "application/json" else VTT
    web.routes["/said"] = (200, {"Content-Type": kind}, good)
    web.routes["/feed"] = (200, {}, the_feed(web).replace(b"Heddles.", b"More heddles."))
    with later(hours=1.1):
        run("feed")
    assert Transcript.objects.count() == 1


@pytest.mark.parametrize("served", ["text/plain", "application/octet-stream", "application/srt"])
def test_transcript_has_format_of_feed(web: Loopback, served: str) -> None:
    """Without its first line a file does not say itself that an empty line ends what is said."""
    named = feed(web).replace(b"/1.vtt", b"/said")
    body = VTT.removeprefix(b"WEBVTT\n\n").replace(b"looms.</v>\n", b"looms.</v>\n\nNot said.\n")
    web.routes |= {"/feed": (200, {}, named), "/said": (200, {"Content-Type": served}, body)}
    run("feed")
    said = Transcript.objects.get()
    assert said.text == "Nora: Welcome to a talk about looms. Their shuttles fly on jacquard cards."
    assert said.cues[0][0] is not None


def test_new_address_replaces_transcript_once_parsed(web: Loopback) -> None:
    run("feed")
    web.routes["/feed"] = (200, {}, feed(web).replace(b"/1.vtt", b"/2.vtt").replace(b"/1.json", b"/2.json"))
    run("feed")
    assert Transcript.objects.get().url.endswith("/1.vtt")
    assert Episode.objects.get(slug="jacquard").chapters.count() == 2
    web.routes["/2.vtt"] = (200, {"Content-Type": "text/vtt"}, VTT.replace(b"looms", b"new looms"))
    web.routes["/feed"] = (200, {}, the_feed(web).replace(b"Heddles.", b"More heddles."))
    with later(hours=1.1):
        run("feed")
    assert "new looms" in Transcript.objects.get().text
    web.routes["/feed"] = (200, {}, re.sub(rb"<podcast:[^>]*/>", b"", the_feed(web)))
    run("feed", "--accept")
    assert not Transcript.objects.exists()


def test_missing_file_backs_off(web: Loopback) -> None:
    del web.routes["/1.vtt"]

    def asked(hours: float) -> int:
        web.requests.clear()
        with later(hours=hours):
            run("feed")
        return sum(request.path == "/1.vtt" for request in web.requests)

    assert [asked(hours) for hours in (0, 0.9, 1.1, 2.9, 3.2, 7.1, 7.4)] == [1, 0, 1, 0, 1, 0, 1]


@pytest.mark.parametrize("answer", [(404, {}, b""), (200, {"Content-Type": "text/plain"}, SORRY)])
def test_next_best_file_substitutes(web: Loopback, answer) -> None:
    second = f'<podcast:transcript url="{web.address("/2.srt")}" type="application/srt"/><podcast:transcript'
    web.routes["/feed"] = (200, {}, feed(web).replace(b"<podcast:transcript", second.encode(), 1))
    web.routes |= {"/1.vtt": answer, "/2.srt": (200, {}, VTT.partition(b"\n\n")[2])}
    shown = []
    for hours in (0, 1.1, 3.2):
        if hours == 3.2:
            web.routes["/1.vtt"] = (200, {}, VTT)
        with later(hours=hours):
            run("feed")
        asked = [sum(request.path == path for request in web.requests) for path in ("/1.vtt", "/2.srt", "/gone.srt")]
        shown.append((asked, [one.url[-6:] for one in Transcript.objects.all()]))
    assert shown == [([1, 0, 0], []), ([2, 1, 0], ["/2.srt"]), ([3, 1, 0], ["/1.vtt"])]


def test_file_whose_reading_was_killed_comes_last(web: Loopback, monkeypatch) -> None:
    asked = []

    def killed(role: str, body: bytes, *_: object) -> None:
        asked.append(role)
        raise KeyboardInterrupt

    monkeypatch.setattr(companion_files, "raise_unless_transcript_or_chapters", killed)
    for _ in range(2):
        web.routes["/feed"] = (200, {}, the_feed(web).replace(b"Heddles.", b"Heddles and reeds."))
        with pytest.raises(KeyboardInterrupt):
            run("feed")
    assert asked == ["transcript", "chapters"]
    with later(hours=1.1), pytest.raises(KeyboardInterrupt):
        run("feed")
    assert asked[2:] == ["transcript"]


def test_run_ends_after_file_over_limit(web: Loopback, monkeypatch) -> None:
    asked = []

    def takes_too_much(role: str, body: bytes, *_: object) -> None:
        asked.append(role)
        raise LimitExceeded("reading it takes more than 20 s of CPU time")

    monkeypatch.setattr(companion_files, "raise_unless_transcript_or_chapters", takes_too_much)
    assert "/1.vtt: reading it takes more than 20 s of CPU time" in run("feed").err
    assert asked == ["transcript"]
    # A feed that names another such file each time costs no more.
    web.routes["/feed"] = (200, {}, the_feed(web).replace(b"/1.vtt", b"/2.vtt"))
    web.routes["/2.vtt"] = web.routes["/1.vtt"]
    with later(hours=23):
        run("feed")
    assert asked == ["transcript"]
    with later(hours=25):
        run("feed")
    assert len(asked) == 2


def test_file_over_limit_pauses_its_source_alone() -> None:
    looms = Source.objects.get(slug="feed")
    other = Source.objects.create(podcast=looms.podcast, slug="other", reader="feed")
    now = datetime.now(UTC)
    pause_files(looms, now)
    assert are_files_paused(looms, now)
    assert not are_files_paused(other, now)


def test_silent_host_is_skipped_for_run(web: Loopback, monkeypatch) -> None:
    asked = []

    def silent(address: str, *_: object) -> None:
        asked.append(address)
        raise Unreachable(f"{address}: no answer within 30 seconds")

    monkeypatch.setattr(companion_files, "fetch_page", silent)
    assert "failed: 1" in run("feed").err
    assert len(asked) == 1
