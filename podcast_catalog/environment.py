"""Reads settings from the environment. A wrong value ends every command, with the values that it may have."""

import os
import re
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from episodes.text.fingerprints import fingerprint, fingerprint_of_program_files

MAX_NUMBER = 1_000_000
# Patterns of values.
HOST_PATTERN = r"\*|\.?[\w.-]+|\[[\da-fA-F:.]+\]"
HOST_AND_PORT = r"([^\s:/@\[\]]+|\[[\da-fA-F:.]+\]):\d+"
MAIL_ADDRESS = r"[^@]*[^@\s]@[^@\s][^@]*"  # with or without a name

# Settings that may be in a file, with its path in NAME_FILE: secrets of Docker and systemd are files.
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
# Names of settings. Each setting that is read is added.
KNOWN_SETTINGS = {"PROMETHEUS_MULTIPROC_DIR", *(f"{name}_FILE" for name in SECRETS)}


def read_secret_files() -> None:
    """Set each secret setting that has a NAME_FILE variable to the text of that file."""
    for name in SECRETS:
        path = os.environ.get(f"{name}_FILE")
        if path:
            os.environ[name] = Path(path).read_text().strip()


def refuse_names_similar_to_unset_settings() -> None:
    """Raise ImproperlyConfigured for a variable with almost the name of a setting that is not set.

    Called when all settings are read. The misspelt setting would have its default.
    """
    unknown_names = os.environ.keys() - KNOWN_SETTINGS
    for name in sorted(unknown_names):
        # At most one name: the most similar one.
        for similar in get_close_matches(name, KNOWN_SETTINGS, n=1, cutoff=0.9):
            # A setting that is set is not the one that was misspelt.
            if similar not in os.environ:
                raise ImproperlyConfigured(
                    f"{name} is no setting. Rename it if {similar} is meant, else set {similar} as well."
                )


def wrong_value_error(name: str, expected: str, value: str = "") -> ImproperlyConfigured:
    """Return the error for a value that a setting cannot have. A secret value is left out."""
    but_not = f", not {value!r}" if value else ""
    return ImproperlyConfigured(f"{name} takes {expected}{but_not}.")


def env_text(name: str, default: str = "") -> str:
    """Return a setting as it was written, or the default. Remember its name as known."""
    KNOWN_SETTINGS.add(name)
    return os.environ.get(name, default)


def stripped_value(name: str, default: str) -> str:
    return env_text(name).strip() or default


def env_switch(name: str, default: bool) -> bool:
    """Return a setting that is on or off. Raise ImproperlyConfigured for another value."""
    value = stripped_value(name, str(default)).lower()
    if value in ("on", "true", "yes", "1"):
        return True
    if value in ("off", "false", "no", "0"):
        return False
    raise wrong_value_error(name, "on or off", env_text(name).strip())


def env_number(name: str, default: int, minimum: int = 0, maximum: int = MAX_NUMBER) -> int:
    """Return a setting that is a whole number between two limits.

    Raises:
        ImproperlyConfigured: it is not.
    """
    value = stripped_value(name, str(default))
    try:
        number = int(value)
    except ValueError:
        number = None
    if number is None or not minimum <= number <= maximum:
        raise wrong_value_error(name, f"a whole number from {minimum} to {maximum}", value)
    return number


def env_shortest_and_longest_minutes(name: str, default: str) -> list[int]:
    """Return a setting of two times in minutes: [shortest, longest].

    Raises:
        ImproperlyConfigured: it is not two numbers in this order.
    """
    value = stripped_value(name, default)
    try:
        shortest, longest = (int(part) for part in value.split(","))
    # A part is no number, or there are more or fewer than two. 0 is refused below.
    except ValueError:
        shortest = 0
        longest = 0
    if not 1 <= shortest <= longest <= MAX_NUMBER:
        expected = "the shortest and the longest time in minutes, such as 30,1440"
        raise wrong_value_error(name, expected, value)
    return [shortest, longest]


def env_choice(name: str, default: str, *choices: str) -> str:
    """Return the choice that a setting names, in any case of letters.

    Raises:
        ImproperlyConfigured: it names none of them.
    """
    value = stripped_value(name, default)
    for choice in choices:
        if choice.lower() == value.lower():
            return choice
    *first_choices, last_choice = choices
    raise wrong_value_error(name, f"{', '.join(first_choices)} or {last_choice}", value)


def env_list(name: str, default: str, expected: str, pattern: str) -> list[str]:
    """Return the values of a setting, separated by commas. Each has to match a regular expression.

    Raises:
        ImproperlyConfigured: a value does not. The message describes what is `expected`.
    """
    value = stripped_value(name, default)
    parts = [part.strip() for part in value.split(",") if part.strip()]
    if not all(re.fullmatch(pattern, part) for part in parts):
        raise wrong_value_error(name, f"{expected}, separated by commas", value)
    return parts


def env_matching(name: str, expected: str, pattern: str, default: str = "") -> str:
    value = stripped_value(name, default)
    if value and not re.fullmatch(pattern, value):
        raise wrong_value_error(name, expected, value)
    return value


def env_address(name: str, expected: str, *schemes: str) -> str:
    """Return an address with one of the schemes, or "". It may hold a password, so no error shows it."""
    value = stripped_value(name, "")
    if value and not has_scheme_and_required_host(value, schemes):
        raise wrong_value_error(name, expected)
    return value


def has_scheme_and_required_host(address: str, schemes: tuple[str, ...]) -> bool:
    """Return whether an address has one of the schemes, and a host if it is of HTTP or SMTP."""
    try:
        parts = urlsplit(address)
        # Nothing listens at port 0.
        has_host = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    # An address of mail (mailto) has no host, and that of a cache (redis) may leave it out.
    needs_host = parts.scheme.startswith(("http", "smtp"))
    is_complete = has_host or not needs_host
    return parts.scheme in schemes and is_complete


def env_database(name: str, default: str, expected: str, *prefixes: str) -> str:
    """Return the address of a database with one of the prefixes. An error does not show it, as it may have a
    password in it.

    A blank value is refused: a forgotten one must not end in another database.
    """
    value = env_text(name, default).strip()
    if not value.startswith(prefixes) or not database_name(value):
        raise wrong_value_error(name, expected)
    return value


def database_name(address: str) -> str:
    """Return the name (on SQLite, the path) of the database at an address, or "" for a wrong address."""
    try:
        return str(environ.Env.db_url_config(address)["NAME"])
    except (ValueError, LookupError):
        return ""


def env_sentry_address(name: str) -> str:
    """Return a setting with the address (DSN) of a project at a Sentry server, or "" if it is not set.

    Raises:
        ImproperlyConfigured: it is not such an address.
    """
    value = stripped_value(name, "")
    if not value:
        return ""
    # Imported here: a site without Sentry starts up to a second faster.
    from sentry_sdk.utils import Dsn

    try:
        return str(Dsn(value))
    except (ValueError, LookupError):
        raise wrong_value_error(
            name, "an address such as https://KEY@sentry.example.org/1"
        ) from None


def program_fingerprint(folder: Path, *settings: str) -> str:
    """Return the fingerprint of the program and of the settings that pages show."""
    parts = ("episodes", "podcast_catalog", "static", "templates")
    files = fingerprint_of_program_files(*(folder / part for part in parts))
    return fingerprint(files, settings)
