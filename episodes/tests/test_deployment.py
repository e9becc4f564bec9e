"""Running the site for others: the log, the metrics, the checks before it goes out, and the files in deploy/."""

import json
import logging
import os
import re
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest
import time_machine
from django.conf import settings
from django.core.checks import run_checks
from django.core.exceptions import PermissionDenied
from django.core.management import get_commands, load_command_class
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory, override_settings
from django.utils import timezone

from episodes import ingest
from episodes.ingest import ImportTarget, LoadedDocument, Unreachable
from episodes.models import IngestRun, Podcast, Source, SourceSchedule
from episodes.records import FetchedDocument
from episodes.schedule import lock_file
from podcast_catalog import checks, errors, logs, metrics, serve
from podcast_catalog.timed_sqlite import OwnerOnlyFileConnection

from .ingest.conftest import command
from .loopback import Loopback
from .patience import PATIENCE
from .tables import cases
from .test_settings import read_again

CASES = cases("deployment")

DEPLOY = Path(settings.BASE_DIR) / "deploy"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> pytest.LogCaptureFixture:
    """Lines that are logged meanwhile, as JSON."""
    monkeypatch.setattr(caplog.handler, "formatter", logs.formatter())
    caplog.set_level(logging.INFO)
    caplog.set_level(logging.INFO, "episodes")
    caplog.set_level(logging.INFO, "podcast_catalog")
    return caplog


def logged(lines: pytest.LogCaptureFixture) -> list[dict[str, object]]:
    return [json.loads(line) for line in lines.text.splitlines()]


def test_request_and_its_logs_are_json_lines(lines: pytest.LogCaptureFixture) -> None:
    def answered(request: HttpRequest) -> HttpResponse:
        try:
            raise ValueError("ünlike")
        except ValueError:
            logging.getLogger("some.library").exception("slow: %s", "a", extra={"show": "a-show", "source": "feed"})
        return HttpResponse("x")

    request = RequestFactory().get("/episodes/?q=secret", headers={"x-request-id": "of-the-proxy"})
    answer = logs.log_requests(answered)(request)
    said, line = logged(lines)
    assert answer.headers["X-Request-ID"] == said["request_id"] == line["request_id"] == "of-the-proxy"
    assert (said["event"], said["show"], said["source"]) == ("slow: a", "a-show", "feed")
    assert "ValueError: ünlike" in str(said["exception"])
    assert (line["method"], line["path"], line["status"], line["level"]) == ("GET", "/episodes/", 200, "info")
    assert "secret" not in lines.text


@pytest.mark.parametrize("given", ["", "two\nlines", 'a "quote"', "x" * 65])
def test_an_id_that_is_none_is_replaced(lines: pytest.LogCaptureFixture, given: str) -> None:
    request = RequestFactory().get("/")
    request.META["HTTP_X_REQUEST_ID"] = given
    answer = logs.log_requests(lambda request: HttpResponse("x"))(request)
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["X-Request-ID"])


REFUSED = {
    "/": ("evil.example", "DisallowedHost: Invalid HTTP_HOST header: 'evil.example'."),
    "/search/suggest?" + "a&" * 1001: ("localhost", "TooManyFieldsSent: The number of GET/POST parameters"),
}
ASK = "from django.test import Client; print(Client(HTTP_HOST='{}').get('{}').status_code)"


def test_a_request_that_is_refused_is_one_line() -> None:
    quiet = {"PYTHONWARNINGS": "ignore", "ALLOWED_HOSTS": "localhost"}
    code = "; ".join(ASK.format(host, path) for path, (host, _) in REFUSED.items())
    text = run(code, **quiet)
    assert text.stdout == "400\n" * len(REFUSED)
    events = map(json.loads, run(code, **quiet, LOG_FORMAT="json").stderr.splitlines())
    for line, event, (_, said) in zip(text.stderr.splitlines(), events, REFUSED.values(), strict=True):
        assert re.fullmatch(rf"\S+ \S+ WARNING django.security.{re.escape(said)}.*", line)
        assert f"{event['logger']}: {event['event']}".startswith(f"django.security.{said}")
        assert event["level"] == "warning"
        assert "exception" not in event


@pytest.mark.parametrize("error, is_shown", [(PermissionDenied(), False), (ValueError(), True)])
def test_denied_request_is_logged_without_traceback(error: Exception, is_shown: bool) -> None:
    record = logging.LogRecord("django.request", logging.WARNING, "", 0, "Forbidden", (), (type(error), error, None))
    assert errors.lower_refusals_to_warnings(record)
    assert bool(record.exc_info) is is_shown


def test_refused_request_is_no_sentry_error() -> None:
    code = (
        "import logging, sentry_sdk; found = []; "
        "sentry_sdk.get_client().options['before_send'] = lambda *event: found.append(event); "
        f"{ASK.format('evil.example', '/')}; "
        "logging.getLogger('some.library').error('x'); print(len(found))"
    )
    done = run(code, ALLOWED_HOSTS="localhost", SENTRY_DSN="https://key@sentry.example/1")
    assert done.stdout == "400\n1\n", done.stderr


FEED = FetchedDocument(
    b"<rss version='2.0'><channel><title>A show</title><item><title>One</title>"
    b"<description>Words.</description></item></channel></rss>"
)


@pytest.mark.usefixtures("db")
@pytest.mark.parametrize(
    "answer, outcome", [(FEED, "taken"), (Unreachable("no answer"), "failed"), (KeyError("ours"), "failed")]
)
def test_every_poll_is_a_log_line(
    lines: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, answer: FetchedDocument | Exception, outcome: str
) -> None:
    podcast, address = Podcast.objects.create(slug="a-show", title="A show"), "https://a.example/feed"
    source = Source.objects.create(podcast=podcast, slug="feed", reader="feed", may_create=True, address=address)

    def load(target: ImportTarget, *_: object) -> LoadedDocument:
        if isinstance(answer, KeyError):
            raise answer
        if isinstance(answer, FetchedDocument):
            return LoadedDocument(target, answer)
        return LoadedDocument(target, error=answer)

    monkeypatch.setattr(ingest, "load_document_or_error", load)
    ingest.fetch_and_import_source(source, ingest.ImportOptions(files=False), timezone.now)
    said = [line for line in logged(lines) if str(line["logger"]).startswith("episodes.")]
    level = "info" if outcome == "taken" else "warning"
    assert level == said[-1]["level"]
    assert {(line["show"], line["source"]) for line in said} == {("a-show", "feed")}
    assert [line["outcome"] for line in said if "outcome" in line] == [outcome]
    assert len(said) == (2 if isinstance(answer, KeyError) else 1)


TOKEN = {"authorization": "Bearer a-token"}
MIDDLEWARE = ["podcast_catalog.metrics.count_requests_and_serve_metrics", *settings.MIDDLEWARE]
WITH_METRICS = {"METRICS_TOKEN": "a-token", "MIDDLEWARE": MIDDLEWARE}


@pytest.mark.usefixtures("catalog")
@override_settings(**WITH_METRICS)
def test_metrics_cover_requests_and_catalog(client: Client) -> None:
    with override_settings(ALLOWED_HOSTS=["podcasts.example.org"], SECURE_SSL_REDIRECT=True):
        assert Client().get("/metrics", headers={**TOKEN, "host": "10.0.0.7:8000"}).status_code == 200
    client.get("/episodes/")
    client.get("/no-such-page")
    client.generic("BREW", "/episodes/")
    answer = client.get("/metrics", headers=TOKEN)
    said = answer.content.decode()
    assert answer.headers["Cache-Control"] == "no-store"
    assert re.search(r'catalog_requests_total\{method="GET",status="200",view="(episodes|none)"\} [1-9]', said)
    assert 'method="other"' in said
    assert not re.search("BREW|no-such-page", said), "strangers make no series"
    assert 'catalog_episodes{show="pytorch-developer-podcast"} 82.0' in said
    assert "\ncatalog_database_up 1.0\n" in said
    for name in ("sources_failing", "sources_due", "sources_late_seconds", "last_success_age_seconds"):
        assert re.search(rf"^catalog_{name} \d", said, re.MULTILINE)


def test_schedule_lock_is_beside_database() -> None:
    with mock.patch.dict(connection.settings_dict, NAME="/srv/catalog/db.sqlite3"):
        assert lock_file() == Path("/srv/catalog/db.sqlite3.schedule")


@pytest.mark.django_db
@override_settings(**WITH_METRICS)
def test_failing_sources_are_counted(client: Client) -> None:
    before = client.get("/metrics", headers=TOKEN).content.decode()
    assert "\ncatalog_sources_due 0.0\n" in before
    assert "catalog_last_success_age_seconds" not in before
    podcast, now = Podcast.objects.create(slug="mill", title="Mill"), timezone.now()
    for number, outcome in enumerate(("taken", "failed", "taken")):
        address = f"https://{number}.a.example/"
        source = Source.objects.create(podcast=podcast, slug=f"s-{number}", reader="feed", address=address)
        failing = {"failures": 1, "failing_since": now} if outcome == "failed" else {}
        SourceSchedule.objects.create(source=source, next_at=now + timedelta(days=1), **failing)
        at = now - timedelta(days=3 - number)
        IngestRun.objects.create(source=source, started_at=at, finished_at=at, outcome=outcome)
    IngestRun.objects.filter(source__slug="s-2").delete()
    said = client.get("/metrics", headers=TOKEN).content.decode()
    assert "\ncatalog_sources_failing 1.0\n" in said
    age = re.search(r"^catalog_last_success_age_seconds (\S+)", said, re.MULTILINE)
    assert age is not None
    assert round(float(age[1]) / 86_400) == 3


@pytest.mark.django_db
@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer other"}, {"authorization": "Bearer ä"}])
def test_metrics_are_for_whoever_has_the_token(client: Client, headers: dict[str, str]) -> None:
    with override_settings(**WITH_METRICS):
        answer = client.get("/metrics", headers=headers)
        assert (answer.status_code, b"catalog_" in answer.content) == (401, False)
    assert Client().get("/metrics", headers=TOKEN).status_code == 404, "without one in the settings there are none"


def test_metrics_answer_without_the_database() -> None:
    code = (
        "from django.test import Client; Client().get('/livez'); "
        "answer = Client().get('/metrics', headers={'authorization': 'Bearer a-token'}); "
        "print(answer.status_code, answer.content.decode())"
    )
    done = run(code, METRICS_TOKEN="a-token", DATABASE_URL="postgres://nobody@127.0.0.1:1/none", LOG_LEVEL="WARNING")
    assert done.stdout.startswith("200 ")
    assert "\ncatalog_database_up 0.0\n" in done.stdout
    assert 'status="200",view="none"} 1.0' in done.stdout
    assert "catalog_episodes" not in done.stdout
    assert not re.search("ERROR|Traceback", done.stderr)


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", f"import django; django.setup(); {code}"]
    known = {**os.environ, "DJANGO_SETTINGS_MODULE": "podcast_catalog.settings", **environment}
    return subprocess.run(command, cwd=settings.BASE_DIR, env=known, capture_output=True, text=True)


@pytest.mark.parametrize("setting", ["MEDIA_ROOT", "BACKUP_FOLDER"])
def test_unwritable_folder_stops_deployment(setting: str, tmp_path: Path) -> None:
    with override_settings(**{setting: str(tmp_path / "new")}):
        assert not [*checks.check_folders_and_free_space(None)]
    with override_settings(**{setting: "/proc/no-such-folder"}):
        (error,) = checks.check_folders_and_free_space(None)
    assert (error.id, "/proc/no-such-folder" in error.msg) == ("catalog.E001", True)


def test_silent_cache_server_is_reported() -> None:
    assert not [*checks.check_page_cache_answers(None)]
    with Loopback() as server:
        location = f"redis://{server.pair}"
    silent = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": location}
    with override_settings(CACHES={"default": silent}):
        (told,) = checks.check_page_cache_answers(None)
    assert (told.id, "CACHE_URL" in told.msg) == ("catalog.W009", True)


@pytest.mark.usefixtures("catalog")
def test_sources_that_are_late_are_told() -> None:
    source = Source.objects.exclude(address="")[0]
    SourceSchedule.objects.create(source=source, next_at=timezone.now() - timedelta(hours=23))
    assert not [*checks.check_late_sources(None)]
    with time_machine.travel(timezone.now() + timedelta(hours=2)):
        (told,) = checks.check_late_sources(None)
    assert (told.id, told.msg) == ("catalog.W003", "1 source was due more than a day ago.")


@pytest.mark.usefixtures("catalog")
def test_doctor_names_failing_sources_with_reasons() -> None:
    first, second, paused = Source.objects.order_by("pk")[:3]
    for source, outcome in ((first, "failed"), (second, "refused"), (paused, "failed")):
        run = {"started_at": timezone.now(), "finished_at": timezone.now(), "reason": "no bread"}
        IngestRun.objects.create(source=source, outcome=outcome, **run)
    Source.objects.filter(pk=paused.pk).update(status="paused")
    (warning,) = checks.check_failing_sources(None)
    assert warning.id == "catalog.W010"
    assert warning.msg.splitlines() == [
        "2 of 6 failing, see /sources/:",
        f"    {second.slug}: refused: no bread",
        f"    {first.slug}: failing: no bread",
    ]
    told = command("doctor")
    assert (told.code, f"✗ sources: {warning.msg}\n" in told.err) == (1, True)


@pytest.mark.parametrize("hosts, words", CASES["allowed_hosts_without_a_name_is_warned_of"])
def test_allowed_hosts_without_a_name_is_warned_of(hosts: list[str], words: str) -> None:
    with override_settings(ALLOWED_HOSTS=hosts):
        warnings = run_checks(tags=["security"], include_deployment_checks=True)
    (message,) = [warning.msg for warning in warnings if warning.id == "catalog.W011"]
    assert words in message


@pytest.mark.only_on("postgresql")
@pytest.mark.django_db
@pytest.mark.parametrize("seconds, ids", [(3, []), (-60, ["catalog.W007"]), (60, ["catalog.W007"])])
def test_clocks_that_differ_are_told(seconds: int, ids: list[str]) -> None:
    with time_machine.travel(timezone.now() + timedelta(seconds=seconds), tick=False):
        assert [told.id for told in checks.check_database_clock(None)] == ids


def test_silent_mail_server_is_reported() -> None:
    with Loopback() as server:
        silent = {"EMAIL_HOST": server.host, "EMAIL_PORT": server.port}
    silent["EMAIL_BACKEND"] = "django.core.mail.backends.smtp.EmailBackend"
    with override_settings(EMAIL_URL="", **silent):
        assert not [*checks.check_mail_server_by_login(None)]  # none is set
    with override_settings(EMAIL_URL="smtp://mail.example", **silent):
        (told,) = checks.check_mail_server_by_login(None)
    assert (told.id, "refused" in told.msg) == ("catalog.W008", True)


@pytest.mark.django_db
@override_settings(ALLOWED_HOSTS=["podcasts.example.org"])
def test_doctor_finds_nothing_or_remedies(monkeypatch: pytest.MonkeyPatch) -> None:
    well = command("doctor")
    assert (well.code, well.err) == (0, "")
    assert "✓ migrations\n✓ schedule\n✓ waiting changes\n✓ sources\n" in well.out
    assert well.out.endswith("All is well. 0 sources, at podcasts.example.org.\n")
    with override_settings(ALLOWED_HOSTS=["*"]):
        hosts = command("doctor", "-q")
    assert (hosts.code, hosts.out) == (1, "")
    assert hosts.err.startswith("✗ settings: ALLOWED_HOSTS has *")
    monkeypatch.setattr(checks, "MIN_FREE_BYTES", 1 << 62)
    MigrationRecorder.Migration.objects.filter(app="axes").latest("pk").delete()
    ill = command("doctor")
    assert (ill.code, "All is well" in ill.out) == (1, False)
    assert re.search(
        r"(?s)✗ folders and free space: .*MB left.*✗ migrations: .*not applied: axes\.0.*\n    Run manage.py migrate.",
        ill.err,
    )


@pytest.mark.parametrize("name", ["alerts.yml", "dashboard.json"])
def test_what_is_watched_is_measured(name: str) -> None:
    figures = set(re.findall(r"catalog_\w+", (DEPLOY / name).read_text()))
    assert figures
    for figure in figures:
        assert f'"{re.sub("_(total|bucket)$", "", figure)}"' in Path(metrics.__file__).read_text()


@pytest.mark.parametrize("name", sorted(name for name, app in get_commands().items() if app == "episodes"))
def test_a_command_tells_how_it_is_used(name: str) -> None:
    told = load_command_class("episodes", name).create_parser("manage.py", name).format_help()
    assert told.startswith(f"usage: manage.py {name}")


def test_what_deploy_starts_copies_and_sets_is_there() -> None:
    files = [path.read_text() for path in DEPLOY.rglob("*") if path.is_file()]
    started = {match for text in files for match in re.findall(r'manage\.py[" ,]+([a-z_]+)', text)}
    assert {"migrate", "collectstatic"} < started <= get_commands().keys()
    kept = (Path(settings.BASE_DIR) / ".dockerignore").read_text()
    for folder in re.findall(r"^COPY (?!--from)(\S+)", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE):
        assert f"!{folder}\n" in kept
        assert (Path(settings.BASE_DIR) / folder).exists()
    explained = (Path(settings.BASE_DIR) / ".env.example").read_text()
    for name in re.findall(r"^(?:# )?([A-Z_]+)=", (DEPLOY / "catalog.env.example").read_text(), re.MULTILINE):
        assert re.search(rf"^(# )?{name}=", explained, re.MULTILINE), name


@pytest.mark.parametrize(
    "more, promised",
    [({}, (31536000, False, False)),
     ({"HSTS_SECONDS": "300", "HSTS_SUBDOMAINS": "on", "HSTS_PRELOAD": "on"}, (300, True, True))],
)  # fmt: skip
def test_https_promises_the_future_of_this_host_alone(
    monkeypatch: pytest.MonkeyPatch, more: dict[str, str], promised: tuple[int, bool, bool]
) -> None:
    for name, value in {"HTTPS": "on", **more}.items():
        monkeypatch.setenv(name, value)
    read = read_again()
    names = ("SECURE_HSTS_SECONDS", "SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_PRELOAD")
    assert tuple(read[name] for name in names) == promised


def make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}  # of the make that runs us
    command = ["make", *words, f"BIN={Path(sys.executable).parent}"]
    return subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, timeout=PATIENCE)


def test_key_and_database_files_are_private(tmp_path: Path) -> None:
    path = tmp_path / "catalog.sqlite3"
    with closing(sqlite3.connect(path.as_posix(), factory=OwnerOnlyFileConnection)) as database:
        database.execute("CREATE TABLE accounts (name TEXT)")
    assert path.stat().st_mode & 0o777 == 0o600
    make(tmp_path, "--file", str(Path(settings.BASE_DIR) / "Makefile"), ".env").check_returncode()
    assert (tmp_path / ".env").read_text().startswith("SECRET_KEY=")
    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600


def test_another_process_keeps_the_log_that_connections_write_to(tmp_path: Path) -> None:
    """If a process opens and closes the file itself, it loses its locks, and the last writes to the log with them."""
    path = (tmp_path / "catalog.sqlite3").as_posix()
    visit = f"import sqlite3; c = sqlite3.connect({path!r}); print(*c.execute('SELECT name FROM accounts')); c.close()"
    with closing(sqlite3.connect(path, factory=OwnerOnlyFileConnection, isolation_level=None)) as first:
        first.execute("PRAGMA journal_mode=wal")
        first.execute("CREATE TABLE accounts (name TEXT)")
        with closing(sqlite3.connect(path, factory=OwnerOnlyFileConnection)):
            subprocess.run([sys.executable, "-c", visit], check=True, timeout=PATIENCE)
            first.execute("INSERT INTO accounts VALUES ('ada')")
            shown = subprocess.run([sys.executable, "-c", visit], capture_output=True, text=True, timeout=PATIENCE)
    assert shown.stdout == "('ada',)\n"


def test_busy_port_is_reported_first() -> None:
    ready = (".venv/installed", ".env", "staticfiles/staticfiles.json")
    with socket.socket() as other:
        # Another server shares its port with whoever asks for that, as granian does.
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = make(Path(settings.BASE_DIR), *(f"--old-file={file}" for file in ready), "serve", f"PORT={port}")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.match(rf"Port {port} cannot be used \(.*Address already in use", done.stderr)


@pytest.mark.parametrize("port", ["", "0", "65536", "-1", "abc"])
def test_what_is_no_port_is_refused(port: str) -> None:
    assert serve.port_problem(port).startswith(f"PORT={port} is not a port. ")
