"""The address of a private feed is nowhere that readers, programs, logs and messages get to see."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core import mail
from django.test import Client, override_settings
from django.urls import URLPattern, reverse
from django.utils import timezone

from episodes.ingest import find_selected_or_all_targets, import_options, iterate_import_reports
from episodes.models import Episode, FeedAccess, IngestRun, LearningPath, Person, Podcast, Suggestion, Topic
from episodes.outputs import LIST_FORMATS
from episodes.publish import publish_site
from episodes.schedule import Notice, send_incident_notices
from episodes.urls import urlpatterns

from ..ingest.conftest import Ran, command
from ..kept import made_once
from ..loopback import Loopback
from ..private_feeds import FEEDS, PASSWORDS, PrivateFeed, leaks, serve

MESSAGES: list[str] = []


@pytest.fixture
def server(db: None, settings: LazySettings) -> Iterator[Loopback]:
    with Loopback() as server:
        settings.FETCH_ALLOW = server.allow
        yield server


@pytest.fixture
def messages(db: None) -> list[str]:
    """The words of commands about the private shows, which at first work and then fail, and of the log."""
    made_once(troubled_shows)
    return MESSAGES


class Records(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        MESSAGES.append(str(vars(record)))


def troubled_shows() -> None:
    log, records = logging.getLogger("episodes"), Records()
    level = log.level
    log.addHandler(records)
    log.setLevel(logging.INFO)
    with Loopback() as server, override_settings(FETCH_ALLOW=server.allow, IMAGES="off"):
        for feed in FEEDS:
            add_and_fail(server, feed)
    log.setLevel(level)
    log.removeHandler(records)


def add_and_fail(server: Loopback, feed: PrivateFeed) -> None:
    ran: list[Ran] = []
    there, moved = f"/elsewhere/{feed.secret}", {"Location": f"/elsewhere/{feed.secret}?token={feed.secret}"}
    serve(server, feed)
    works = server.routes[feed.path]
    ran.append(command("add_show", feed.address(server), dry_run=True))
    ran.append(command("add_show", feed.address(server)))
    ran.append(command("ingest", "feed", podcast=feed.slug))
    server.routes[feed.path] = (200, {"Content-Type": "text/html"}, b"<title>Log in</title><p>No list.")
    ran.append(command("ingest", "feed", podcast=feed.slug))
    server.routes[feed.path] = (301, moved, b"")
    ran.append(command("ingest", "feed", podcast=feed.slug))
    server.routes[there] = works
    ran.append(command("ingest", "feed", podcast=feed.slug))
    server.routes[there] = (500, {}, b"down")
    options = import_options(podcast=feed.slug)
    reports = iterate_import_reports(
        find_selected_or_all_targets(["feed"], options), options, timezone.now, on_progress=MESSAGES.append
    )
    MESSAGES.extend(report.summary for report in reports)
    MESSAGES.extend(f"{each.out}{each.err}" for each in ran)


def values(pattern: URLPattern) -> list[dict[str, str]]:
    """The arguments with which an address is asked for: all that the catalog has of the kind of its first part."""
    folder = str(pattern.pattern).partition("/")[0]
    of_folder: dict[str, Any] = {
        "episodes": Episode, "shows": Podcast, "topics": Topic, "paths": LearningPath, "people": Person,
    }  # fmt: skip
    wanted = pattern.pattern.converters
    if not wanted:
        return [{}]
    if "slug" in wanted and folder in of_folder:
        slugs = of_folder[folder].objects.exclude(slug__endswith="-2").values_list("slug", flat=True)
        endings = list(LIST_FORMATS) if "ending" in wanted else [""]
        return [{"slug": slug, "ending": ending} if ending else {"slug": slug} for slug in slugs for ending in endings]
    samples = {
        "ending": [{"ending": ending} for ending in LIST_FORMATS],
        "slug": [{"slug": "some-symbol"}],
        "section": [{"section": name} for name in ("indexes", "episodes", "shows", "people", "topics", "paths")],
        "name": [{"name": f"{'0' * 32}-{'0' * 8}-600.webp"}],
        "cover": [{"cover": f"{'0' * 16}.svg"}],
        "number": [{"number": "1"}],
        "token": [{"token": token} for token in Suggestion.objects.values_list("token", flat=True)],
    }
    (name,) = wanted
    return samples[name]


def addresses() -> Iterator[str]:
    for pattern in urlpatterns:
        for arguments in values(pattern):
            address = reverse(str(pattern.name), kwargs=arguments)
            yield address
            if not arguments:
                yield from (f"{address}?podcast={slug}" for slug in ("kelp-hour", "rust-hour"))


def test_no_address_shows_a_secret_one(client: Client, messages: list[str]) -> None:
    Topic.objects.create(slug="hours", name="Hours")
    LearningPath.objects.create(slug="all", title="All", steps=[{"episode": "kelp-hour-1", "why": "First."}])
    show = Podcast.objects.get(slug="kelp-hour")
    Suggestion.objects.create(
        kind="episode", podcast=show, page="/episodes/kelp-hour-1/", field="title", token="t" * 43
    )
    faults = []
    for address in addresses():
        answer = client.get(address)
        assert answer.status_code in (200, 301, 302, 404, 405, 410), address
        body = answer.getvalue().decode(errors="replace")
        faults += [(address, secret) for secret in leaks(f"{body}{answer.headers}")]
    assert faults == []


def test_assistants_get_no_secret_address(client: Client, messages: list[str]) -> None:
    def call(method: str, **params: object) -> str:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return client.post("/mcp", json.dumps(message), content_type="application/json").content.decode()

    tools = json.loads(call("tools/list"))["result"]["tools"]
    words = {"query": "hour", "podcast": "kelp-hour", "slug": "kelp-hour-1", "episode": "kelp-hour-1"}
    words |= {"person": "kelp", "link": "hour"}
    for tool in tools:
        properties = tool["inputSchema"]["properties"]
        arguments = {name: value for name, value in words.items() if name in properties}
        assert leaks(call("tools/call", name=tool["name"], arguments=arguments)) == []


def test_no_copy_or_export_has_secret_address(messages: list[str], tmp_path: Path, settings: LazySettings) -> None:
    settings.STATIC_ROOT = tmp_path / "static"
    (tmp_path / "static" / "css").mkdir(parents=True)
    (tmp_path / "static" / "css" / "site.css").write_text("")
    Podcast.objects.update(feed_access=FeedAccess.PUBLIC)
    publish_site(tmp_path / "copy", "https://me.example/talks")
    assert leaks((tmp_path / "copy" / "shows.opml").read_text()) != []
    Podcast.objects.update(feed_access=FeedAccess.SECRET)
    publish_site(tmp_path / "copy", "https://me.example/talks")
    files = [path for path in (tmp_path / "copy").rglob("*") if path.is_file()]
    assert len(files) > 10
    assert [path.name for path in files if leaks(path.read_bytes().decode(errors="replace"))] == []
    for form in ("json", "csv"):
        assert leaks(command("export", format=form).out) == []
    for feed in FEEDS:
        assert leaks(command("export", format="rss", podcast=feed.slug).out) == []
    exported = json.loads(command("export").out)
    assert {show["feed_url"] for show in exported["podcasts"]} == {None}
    assert {row["url"] for episode in exported["episodes"] for row in episode["sources"]} == {None}


def test_commands_logs_and_notices_hide_secret_addresses(messages: list[str], settings: LazySettings) -> None:
    settings.NOTIFY_FAILURES, settings.NOTIFY_PEOPLE = 1, ["ops@example.org"]
    send_incident_notices(timezone.now())
    (notice,) = mail.outbox
    assert notice.body.count("answered 500") == len(FEEDS)
    assert len(messages) > 8 * len(FEEDS)
    doctor = command("doctor")
    assert [text for text in (*messages, notice.body, doctor.out, doctor.err) if leaks(str(text))] == []


def test_old_secret_messages_are_hidden(
    client: Client, messages: list[str], settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for feed in FEEDS:
        runs = IngestRun.objects.filter(source__podcast__slug=feed.slug)
        runs.update(reason=f"https://feeds.example{feed.path} answered 500")
    notices: list[str] = []
    monkeypatch.setattr(Notice, "send_and_store_failures", lambda notice, now: notices.append(str(notice)))
    settings.NOTIFY_FAILURES = 1
    send_incident_notices(timezone.now())
    pages = [client.get(address).getvalue().decode() for address in ("/sources/", "/sources.json")]
    assert [page.count("https://feeds.example/…") for page in pages] == [len(FEEDS), len(FEEDS)]
    assert leaks(" ".join([*pages, *notices])) == []


def test_adding_a_private_show_says_so(server: Loopback) -> None:
    note = "the address of its feed is secret, so readers see it nowhere; an administrator can change that in the form"
    for feed in FEEDS:
        serve(server, feed)
        assert f"{note} of the show" in command("add_show", feed.address(server)).err


def test_an_administrator_makes_an_address_public(client: Client, messages: list[str]) -> None:
    Podcast.objects.update(feed_access=FeedAccess.PUBLIC)
    addresses = {feed.slug: Podcast.objects.get(slug=feed.slug).feed_url for feed in FEEDS}
    opml = client.get("/shows.opml").getvalue().decode()
    assert all(f'xmlUrl="{address}"' in opml for address in addresses.values())
    exported = json.loads(command("export").out)["podcasts"]
    assert {show["slug"]: show["feed_url"] for show in exported} == addresses
    assert [password for password in PASSWORDS if password in opml] == []


def test_an_address_without_a_token_stays_public(client: Client, server: Loopback) -> None:
    feed = PrivateFeed("Fern Hour", "fern-hour", "/fern?format=xml&id=4711", "fern")
    serve(server, feed)
    assert "secret" not in command("add_show", feed.address(server)).err
    assert f'xmlUrl="{server.address("/fern?format=xml&amp;id=4711")}"' in client.get("/shows.opml").getvalue().decode()
    Podcast.objects.update(feed_access=FeedAccess.SECRET)
    assert "/fern" not in client.get("/shows.opml").getvalue().decode()
    assert "/fern" not in client.get("/sources/").getvalue().decode()
