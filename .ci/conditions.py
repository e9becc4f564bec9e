"""Conditions of other machines under which the tests have to pass as well.

`make test CONDITION=date` runs the tests under one of them, CI a part of the tests under the one that the commit draws.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path("episodes/tests")
BROWSER = TESTS / "browser"
# The lane of CI runs one file of tests of so many.
SHARE = 10
FONTS = Path("/usr/share/fonts/truetype")
LOCALE = "tr_TR"
LOCALE_SOURCE = Path("/usr/share/i18n/locales") / LOCALE
# Ten minutes before the end of a leap day and of a month.
DATE = "2028-02-29T23:50:00+00:00"
ONLY_FONTS = """<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""


class MissingPackageError(Exception):
    """A condition that this machine cannot make: the Debian package that is missing."""


@dataclass(frozen=True)
class Condition:
    """The difference of another machine: settings of the environment, and other work."""

    settings: dict[str, str] = field(default_factory=dict)
    busy_processes: int = 0


def only_liberation_fonts(folder: Path) -> Condition:
    """No font on the machine but Liberation."""
    fonts = sorted(FONTS.glob("liberation*"))
    if not fonts:
        raise MissingPackageError("fonts-liberation")
    configuration = folder / "fonts.conf"
    configuration.write_text(ONLY_FONTS.format(fonts=fonts[0], cache=folder / "font-cache"))
    return Condition({"FONTCONFIG_FILE": str(configuration)})


def another_date(_: Path) -> Condition:
    """Another date and hour, for the process of the tests.

    time-machine moves its clock. faketime would move those of its children too, but its sleep
    fails in Python 3.11 (Debian's version 0.9.10).
    """
    return Condition({"TEST_DATE": DATE})


def another_time_zone(_: Path) -> Condition:
    """The time zone that is farthest ahead: its day has begun while ours has not."""
    return Condition({"TZ": "Pacific/Kiritimati"})


def turkish_locale(folder: Path) -> Condition:
    """A language with other small letters: I becomes ı."""
    if not LOCALE_SOURCE.exists():
        raise MissingPackageError("locales")
    name = f"{LOCALE}.UTF-8"
    subprocess.run(["localedef", "-i", LOCALE, "-f", "UTF-8", str(folder / name)], check=True)
    return Condition({"LOCPATH": str(folder), "LC_ALL": name, "LANG": name, "LANGUAGE": "tr"})


def random_order(_: Path) -> Condition:
    """Tests in another order, the same at each run of a commit."""
    return Condition({"TEST_ORDER": commit()})


def two_busy_processes(_: Path) -> Condition:
    """Other work on two cores."""
    return Condition(busy_processes=2)


CONDITIONS = {
    "fonts": only_liberation_fonts,
    "date": another_date,
    "timezone": another_time_zone,
    "locale": turkish_locale,
    "order": random_order,
    "load": two_busy_processes,
}


# The tests that notice a condition most, if it is not all of them.
FEW_TESTS = {
    "fonts": [str(BROWSER / name) for name in ("test_conditions.py", "test_curator.py")],
}


def draw() -> tuple[str, list[str]]:
    """Return the condition that this commit draws, and the files of tests that CI runs under it."""
    number = int(commit(), 16)
    name = list(CONDITIONS)[number % len(CONDITIONS)]
    files = sorted(TESTS.rglob("test_*.py"))
    without_browser = [str(path) for path in files if BROWSER not in path.parents]
    return name, FEW_TESTS.get(name, without_browser[number % SHARE :: SHARE])


def commit() -> str:
    """Return the first digits of the commit's hash, or "0" without a repository."""
    try:
        process = subprocess.run(
            ["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return "0"
    return process.stdout[:12]


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Keep so many cores busy."""
    work = [sys.executable, "-c", "while True: pass"]
    running = [subprocess.Popen(work, env=os.environ) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()
