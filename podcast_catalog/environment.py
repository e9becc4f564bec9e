"""Reads settings from the environment: a value that a setting does not take ends every command,
with what it takes."""

import os
import re
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from episodes.text.fingerprints import fingerprint, fingerprint_of_files

Value = TypeVar("Value")
SWITCH = {
    "on": True,
    "true": True,
    "yes": True,
    "1": True,
    "off": False,
    "false": False,
    "no": False,
    "0": False,
}
MAX_NUMBER = 1_000_000
POSTGRES = ("postgres:", "postgresql:")
# Patterns of what settings take.
HOST_PATTERN = r"\*|\.?[\w.-]+|\[[\da-fA-F:.]+\]"
HOST_AND_PORT = r"([^\s:/@\[\]]+|\[[\da-fA-F:.]+\]):\d+"
MAIL_ADDRESS = r"[^@]*[^@\s]@[^@\s][^@]*"  # with or without a name


# Settings that may be in a file, whose path is NAME_FILE: secrets of Docker and systemd are files.
SECRETS = (
    "SECRET_KEY",
    "SECRET_KEY_FALLBACKS",
    "DATABASE_URL",
    "CACHE_URL",
    "EMAIL_URL",
    "WEBHOOK_URL",
    "PING_URL",
    "METRICS_TOKEN",
    "SENTRY_DSN",
)
KNOWN_SETTINGS = {
    "PROMETHEUS_MULTIPROC_DIR",
    *(f"{name}_FILE" for name in SECRETS),
}  # and all that are read
MISSPELT = 0.9  # likeness to a setting


def read_secret_files() -> None:
    for name in SECRETS:
        if path := os.environ.get(f"{name}_FILE"):
            os.environ[name] = Path(path).read_text().strip()


def refuse_misspelt() -> None:
    """To be called when all settings are read: one by another name would be at its default.

    Raises:
        ImproperlyConfigured: a variable of the environment is called almost like a setting that is
            not set.
    """
    for name in sorted(os.environ.keys() - KNOWN_SETTINGS):
        meant = next(iter(get_close_matches(name, KNOWN_SETTINGS, 1, MISSPELT)), name)
        if meant not in os.environ:
            raise ImproperlyConfigured(
                f"{name} is no setting. Rename it if {meant} is meant, else set {meant} as well."
            )


def read_setting(
    name: str,
    default: Value,
    takes: str,
    read: Callable[[str], Value],
    *,
    secret: bool = False,
) -> Value:
    """The value that `read` makes of a setting; it raises ValueError or LookupError for what the
    setting does not take. One that is blank is at its default.

    Raises:
        ImproperlyConfigured: it does not take this value, which is named unless it is `secret`.
    """
    given = env_text(name).strip()
    return parse_setting(name, given, takes, read, secret=secret) if given else default


def parse_setting(
    name: str, given: str, takes: str, read: Callable[[str], Value], *, secret: bool
) -> Value:
    try:
        return read(given)
    except (ValueError, LookupError):
        wrong = "" if secret else f", not {given!r}"
        raise ImproperlyConfigured(f"{name} takes {takes}{wrong}.") from None


def env_text(name: str, default: str = "") -> str:
    KNOWN_SETTINGS.add(name)
    return os.environ.get(name, default)


def env_switch(name: str, default: bool) -> bool:
    return read_setting(name, default, "on or off", lambda given: SWITCH[given.lower()])


def env_number(name: str, default: int, least: int = 0, most: int = MAX_NUMBER) -> int:
    takes = f"a whole number from {least} to {most}"
    return read_setting(name, default, takes, lambda given: check_range(int(given), least, most))


def env_interval(name: str, default: list[int]) -> list[int]:
    """The shortest and the longest time, in minutes."""

    def read(given: str) -> list[int]:
        shortest, longest = map(int, given.split(","))
        return [check_range(shortest, 1, longest), check_range(longest, 1, MAX_NUMBER)]

    return read_setting(
        name, default, "the shortest and the longest time in minutes, such as 30,1440", read
    )


def check_range(value: int, least: int, most: int) -> int:
    if not least <= value <= most:
        raise ValueError(value)
    return value


def env_choice(name: str, default: str, *choices: str) -> str:
    takes = f"{', '.join(choices[:-1])} or {choices[-1]}"
    named = {one.lower(): one for one in choices}
    return read_setting(name, default, takes, lambda given: named[given.lower()])


def env_list(name: str, default: list[str], takes: str, pattern: str) -> list[str]:
    """Values separated by commas, each of that pattern."""

    def read(given: str) -> list[str]:
        return [_matching(one.strip(), pattern) for one in given.split(",") if one.strip()]

    return read_setting(name, default, f"{takes}, separated by commas", read)


def env_matching(name: str, takes: str, pattern: str, default: str = "") -> str:
    """A value of that pattern, or the default."""
    return read_setting(name, default, takes, lambda given: _matching(given, pattern))


def _matching(given: str, pattern: str) -> str:
    if not re.fullmatch(pattern, given):
        raise ValueError(given)
    return given


def env_address(name: str, takes: str, *schemes: str) -> str:
    """An address with one of the schemes, or none. It may hold a password, so no message shows
    it."""

    def read(given: str) -> str:
        parts = urlsplit(given)
        has_host = parts.hostname and parts.port != 0
        if parts.scheme not in schemes or (
            parts.scheme.startswith(("http", "smtp")) and not has_host
        ):
            raise ValueError(name)
        return given

    return read_setting(name, "", takes, read, secret=True)


def env_database(name: str, default: str, takes: str, *kinds: str) -> str:
    """The address of a database of one of the kinds; it may hold a password, too. A blank one is
    refused: what was to be filled in must not end in another database."""
    given = env_text(name, default).strip()

    def read(address: str) -> str:
        if not (address.startswith(kinds) and environ.Env.db_url_config(address)["NAME"]):
            raise ValueError(name)
        return address

    return parse_setting(name, given, takes, read, secret=True)


def program_fingerprint(folder: Path, *settings: str) -> str:
    """Return the fingerprint of the program and of settings that pages show."""
    parts = ("episodes", "podcast_catalog", "static", "templates")
    files = fingerprint_of_files(*(folder / part for part in parts))
    return fingerprint(files, settings)


def env_sentry(name: str) -> str:
    """The address of a project at a server with Sentry's protocol, or none."""

    def read(given: str) -> str:
        from sentry_sdk.utils import Dsn

        return str(Dsn(given))

    return read_setting(
        name, "", "an address such as https://KEY@sentry.example.org/1", read, secret=True
    )
