"""Every setting that `.env.example` explains: what it takes, and that anything else is refused by its name."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from episodes.tests.patience import PATIENCE
from podcast_catalog import environment
from podcast_catalog import settings as real

ROOT = Path(settings.BASE_DIR)
# Names, and examples of values.
EXPLAINED = dict(re.findall(r"^(?:# )?([A-Z_]+)=(.*)$", (ROOT / ".env.example").read_text(), re.MULTILINE))
NUMBER = ("abc", "-3", "1.5", "9" * 30)
SWITCH = ("maybe", "2", "perhaps")
ADDRESS = ("foo", "ftp://a.example", "https://", "https://a.example:port/")
BAD: dict[str, tuple[str, ...]] = {
    "SECRET_KEY": ("",),
    "DATABASE_URL": ("", "foo", "mysql://a@b/c", "postgres://a:secret@b:port/c", "postgres://a:secret@b"),
    "ALLOWED_HOSTS": ("http://x", "a.example,b.example:8000", "a.example/path", "a b"),
    "ACCENT": ("red", "0a6b5", "#0a6b5e0"),
    "ISSUES_URL": ("foo", "javascript:alert(1)", "https://"),
    "FETCH_ALLOW": ("foo", "http://a.example:80", "a.example:80,b.example", ":80"),
    "USER_AGENT": ("caté/1", "a\nb"),
    "IMAGES": ("sometimes",),
    **dict.fromkeys(("DOCUMENT_MB", "READ_MB", "MOST_ITEMS", "SOURCE_MB"), (*NUMBER, "0")),
    **dict.fromkeys(("HSTS_SECONDS", "TRUSTED_PROXIES", "READ_SECONDS", "NOTIFY_FAILURES"), NUMBER),
    **dict.fromkeys(("STATEMENT_TIMEOUT", "PAGES_KEPT", "CLIENT_REQUESTS"), NUMBER),
    **dict.fromkeys(
        ("DEBUG", "HTTPS", "HSTS_SUBDOMAINS", "HSTS_PRELOAD", "FIRST_RUN_FETCH", "MCP", "SUGGESTIONS"), SWITCH
    ),
    **dict.fromkeys(("FEEDS_EVERY", "PAGES_EVERY"), ("abc", "30", "30,abc", "0,30", "60,30", "1,2,3")),
    **dict.fromkeys(("CHECK_LINKS", "LINK_TITLES"), ("nope", *SWITCH)),
    "HOST_SLOTS": ("feeds.example.org", "feeds.example.org=0", "=3", "a.example=100"),
    "EMAIL_URL": ("foo", "https://a.example", "smtp://", "smtp+tls://u:secret@a.example:port"),
    "EMAIL_FROM": ("foo",),
    "ADMINS": ("foo", "ops@example.org,foo"),
    "TWO_FACTOR_ROLES": ("admin", "curator,root"),
    **dict.fromkeys(("WEBHOOK_URL", "PING_URL", "PUBLISH_ADDRESS"), ADDRESS),
    "CACHE_URL": ("foo", "http://u:secret@a.example", "memcached://a.example"),
    "LOG_FORMAT": ("xml",),
    "LOG_LEVEL": ("foo", "LOUD"),
    "SENTRY_DSN": ("foo", "https://sentry.example.org/1"),
}
ANY_TEXT = {
    "BACKUP_FOLDER", "PUBLISH_FOLDER", "SITE_DESCRIPTION", "SITE_NAME", "MEDIA_ROOT", "METRICS_TOKEN",
    "PROMETHEUS_MULTIPROC_DIR", "SECRET_KEY_FALLBACKS",
}  # fmt: skip


def read_again() -> dict[str, object]:
    """The settings as a process with this environment reads them."""
    return runpy.run_path(str(real.__file__), run_name="podcast_catalog.read_again")


def test_every_setting_is_here() -> None:
    assert BAD.keys() | ANY_TEXT == EXPLAINED.keys()


DEFAULTS = {
    "DEBUG": False, "HTTPS": False, "hsts_seconds": 31_536_000,
    "SECURE_HSTS_INCLUDE_SUBDOMAINS": False, "SECURE_HSTS_PRELOAD": False,
    "TRUSTED_PROXIES": 0, "SUGGESTIONS": True, "FIRST_RUN_FETCH": True, "IMAGES": "keep", "DOCUMENT_MB": 20,
    "READ_SECONDS": 60, "READ_MB": 1_000, "MOST_ITEMS": 100_000, "SOURCE_MB": 1_000,
    "FEEDS_EVERY": (30, 1_440), "PAGES_EVERY": (1_440, 10_080),
    "CHECK_LINKS": True, "LINK_TITLES": False, "NOTIFY_FAILURES": 3, "PAGES_KEPT": 32,
    "USER_AGENT": "podcast-catalog/1.0.0 (+podcast archive)",
    "CLIENT_REQUESTS": 6_000, "MCP": True, "LOG_FORMAT": "text", "LOG_LEVEL": "WARNING",
}  # fmt: skip


def test_unset_settings_have_explained_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in EXPLAINED.keys() - {"SECRET_KEY", "ALLOWED_HOSTS"}:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", "sqlite:////srv/catalog/db.sqlite3")
    found = read_again()
    assert {name: tuple(x) if isinstance(x := found[name], list) else x for name in DEFAULTS} == DEFAULTS
    database = cast(Any, found["DATABASES"])["default"]
    assert (database["OPTIONS"]["timeout"], database["OPTIONS"]["transaction_mode"]) == (60, "IMMEDIATE")


@pytest.mark.parametrize("name", BAD)
def test_invalid_setting_is_refused_by_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in BAD[name]:
        monkeypatch.setenv(name, value)
        with pytest.raises(ImproperlyConfigured, match=f"^{name} (takes|is missing)") as refusal:
            read_again()
        assert "\n" not in str(refusal.value)
        assert "secret" not in str(refusal.value)


def test_cache_server_replaces_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CACHE_URL", "rediss://u:secret@cache.example:6379/1")
    prefixes = []
    for name, accent in (("One", ""), ("One", ""), ("Another", ""), ("One", "#123456")):
        monkeypatch.setenv("SITE_NAME", name)
        monkeypatch.setenv("ACCENT", accent)
        caches = cast(Any, read_again()["CACHES"])
        # Clients are counted where no server has to be asked.
        assert caches.pop("clients")["BACKEND"].rpartition(".")[2] == "LocMemCache"
        assert {(cache["BACKEND"], cache["LOCATION"]) for cache in caches.values()} == {
            ("django.core.cache.backends.redis.RedisCache", "rediss://u:secret@cache.example:6379/1")
        }
        (prefix,) = {cache["KEY_PREFIX"] for cache in caches.values()}
        prefixes.append(prefix)
    assert prefixes[0] == prefixes[1]
    assert len({*prefixes}) == 3


def test_a_release_is_known_by_its_files(tmp_path: Path) -> None:
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "page.html").write_text("one")
    one = environment.program_fingerprint(tmp_path)
    (tmp_path / "templates" / "page.pyc").write_text("two")
    assert environment.program_fingerprint(tmp_path) == one
    (tmp_path / "templates" / "page.html").write_text("two")
    assert environment.program_fingerprint(tmp_path) != one


@pytest.mark.parametrize("name", ["HTTPS", "CHECK_LINKS", "TRUSTED_PROXIES", "FEEDS_EVERY", "IMAGES", "LOG_LEVEL"])
def test_a_blank_setting_is_at_its_default(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name, raising=False)
    default = read_again().get(name)
    monkeypatch.setenv(name, " ")
    assert read_again().get(name) == default


@pytest.mark.parametrize("name", environment.SECRETS)
def test_a_secret_may_be_in_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "in the environment")
    monkeypatch.setenv(f"{name}_FILE", str(tmp_path / "secret"))
    (tmp_path / "secret").write_text("of the file\n")
    environment.read_secret_files()
    assert os.environ[name] == "of the file"


def test_closed_output_ends_command_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "manage.py", "help"]
    done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    os.close(writer)
    assert (done.returncode, done.stderr) == (130, "Stopped. What was not finished was not saved.\n")


@pytest.mark.parametrize(
    "name, value, expected",
    [
        ("SECRET_KEY_FALLBACKS", "one two\nthree", ["one", "two", "three"]),
        ("SITE_NAME", "$ four random words", "$ four random words"),
        *(("CHECK_LINKS", value, True) for value in ("on", "True", "yes", "1")),
        *(("CHECK_LINKS", value, False) for value in ("off", "FALSE", "no", "0")),
    ],
)
def test_setting_is_read(name: str, value: str, expected: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert read_again()[name] == expected


@pytest.mark.parametrize("name, meant", [("DATABSE_URL", "DATABASE_URL"), ("ALOWED_HOSTS", "ALLOWED_HOSTS")])
def test_misspelt_setting_is_named_and_no_other(name: str, meant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOG_LEVEL", "ERROR")
    for of_others in ("OLD_DATABASE_URL", "HTTPS_PROXY", "EMAIL_HOST", "SITE", "LOGLEVEL"):
        monkeypatch.setenv(of_others, "x")
    assert read_again()["LOG_LEVEL"] == "ERROR"
    monkeypatch.setenv(name, "x")
    monkeypatch.delenv(meant, raising=False)
    with pytest.raises(ImproperlyConfigured, match=f"^{name} is no setting. Rename it if {meant} is meant, else"):
        read_again()


def test_every_example_is_taken(tmp_path: Path) -> None:
    examples = {name: value for name, value in EXPLAINED.items() if value} | {"SECRET_KEY": "x" * 60}
    (tmp_path / "redis.py").touch()  # the package that CACHE_URL needs
    examples |= {"PYTHONPATH": str(tmp_path)}
    done = manage("shell", "--no-imports", "-c", "from django.conf import settings; print(settings.HTTPS)", **examples)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("STATEMENT_TIMEOUT", "abc", "A setting is wrong: STATEMENT_TIMEOUT takes a whole number from 0 to 1000000, not 'abc'."),
        ("SECRET_KEY_FILE", "/nowhere/key", "/nowhere/key: No such file or directory."),
    ],
)  # fmt: skip
def test_command_names_a_wrong_setting(name: str, value: str, message: str) -> None:
    done = manage("run_schedule", **{name: value})
    assert (done.returncode, done.stdout, done.stderr) == (3, "", f"{message}\n")


def manage(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", *words]
    return subprocess.run(command, cwd=ROOT, env=os.environ | more, capture_output=True, text=True, timeout=PATIENCE)
