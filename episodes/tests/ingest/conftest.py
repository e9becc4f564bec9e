"""A configured catalog, and functions that run commands and return their output."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.conf import LazySettings, settings
from django.core.management import call_command
from django.core.management.base import CommandError

from episodes.models import Podcast
from episodes.outputs.catalog_json import dump_json

from ..kept import made_once
from ..loopback import Loopback

FIXTURES = Path(settings.BASE_DIR) / "fixtures"
PAGES = sorted((FIXTURES / "pages").glob("*.txt"))
DOCUMENTS = [FIXTURES / "feed.xml", *PAGES]


@dataclass(frozen=True)
class Ran:
    """The output and the exit code of a command."""

    out: str
    err: str
    code: int

    @property
    def as_real(self) -> Ran:
        """Return the output without the words that a dry run adds to each summary line."""
        return replace(self, out=self.out.replace(" (dry run: nothing saved)\n", "\n"))


@pytest.fixture
def ready(db: None) -> None:
    """Load the shipped show, sources and topics, without documents."""
    made_once(configured)


def configured() -> None:
    call_command("loaddata", "sources", "topics", verbosity=0)


def of_the_feed(*titles: str) -> str:
    """Return the shipped feed with only these items, as importing all takes a second."""

    def kept(item: re.Match[str]) -> str:
        return item[0] if any(f"<title>{title}</title>" in item[0] for title in titles) else ""

    return re.sub(r"\s*<item>.*?</item>", kept, (FIXTURES / "feed.xml").read_text(), flags=re.DOTALL)


def run(*args: object, **options: object) -> Ran:
    return command("ingest", *args, **options)


def imported(source: str, body: bytes, *args: str) -> Ran:
    """Import a document of a source."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{source}.xml"
        path.write_bytes(body)
        return run(path, "--source", source, *args)


def take(source: str, body: bytes, *args: str) -> None:
    """Import a document of a source. Fail if it is refused."""
    ran = imported(source, body, *args)
    assert ran.code == 0, ran.err


def command(name: str, *args: object, **options: object) -> Ran:
    """Run a command in this process."""
    out, err, code = StringIO(), StringIO(), 0
    try:
        call_command(name, *map(str, args), stdout=out, stderr=err, **options)
    except SystemExit as stop:
        code = int(stop.code or 0)
    except CommandError as error:
        err.write(str(error))
        code = error.returncode
    return Ran(out.getvalue(), err.getvalue(), code)


def run_feed(path: Path, **options: object) -> Ran:
    return run(path, source="feed", **options)


def export() -> str:
    return dump_json(list(Podcast.objects.order_by("slug")))


@pytest.fixture
def web(db: None, settings: LazySettings) -> Iterator[Loopback]:
    """Provide a server that may be fetched from."""
    with Loopback({}) as server:
        settings.FETCH_ALLOW = server.allow
        yield server


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str, bytes | str], Path]:
    def write(name: str, content: bytes | str) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
