"""Steps of the benchmark within Django, each in a process of its own: `python -m bench.inside WHAT …`."""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import django

django.setup()

import feedparser  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402
from django.utils import timezone  # noqa: E402

from episodes.ingest import Options, add_shows  # noqa: E402
from episodes.models import Topic  # noqa: E402
from episodes.resolve.apply_statistics import LARGE, renew_statistics  # noqa: E402

from . import addresses, feeds  # noqa: E402
from .copying import copy  # noqa: E402

SHIPPED = 83


def topics() -> None:
    """Topics of all shows, each found by its own name."""
    for place, name in enumerate(feeds.TOPICS):
        word = name.lower()
        Topic.objects.create(slug=word, name=name, position=place, rules={"title": [word], "notes": [word]})


def fill(size: str, seed: str) -> None:
    """Fill an empty catalog: with what is shipped, or with generated feeds by the catalog's own import."""
    if int(size) == SHIPPED:
        call_command("first_run", verbosity=0)
        return
    topics()
    with tempfile.TemporaryDirectory() as folder:
        for show, count in enumerate(feeds.sizes_of_shows(int(size)), start=1):
            path = Path(folder) / f"{show}.xml"
            path.write_bytes(feeds.feed(int(seed), show, count))
            for added in add_shows(str(path), Options(url=feeds.address(show)), timezone.now):
                if not added.ok:
                    sys.exit(f"{added.line}")
    renew_statistics(LARGE)


def write_feeds(folder: str, size: str, seed: str) -> None:
    """Feeds of one show as an import meets them one after the other."""
    count = int(size)
    versions = {
        "first": feeds.feed(int(seed), 1, count),
        "one new": feeds.feed(int(seed), 1, count + 1),
        "one changed": feeds.feed(int(seed), 1, count, changed=count // 2),
        "dated anew": feeds.feed(int(seed), 1, count, built="Mon, 02 Jan 2023 03:04:05 GMT"),
    }
    for name, body in versions.items():
        (Path(folder) / f"{name}.xml").write_bytes(body)


def parse(path: str) -> None:
    """The seconds of CPU that feedparser needs for a feed."""
    body = Path(path).read_bytes()
    began = time.process_time()
    found = feedparser.parse(body)
    json.dump({"seconds": time.process_time() - began, "items": len(found.entries)}, sys.stdout)


def pages() -> None:
    """Every page with its addresses, and the number of statements that it takes."""
    logging.disable(logging.WARNING)  # of pages that are not there
    found = addresses.pages()
    client = Client(SERVER_NAME="127.0.0.1")
    client.get(found[0].paths[0])  # what is looked up once a process
    rows = []
    for page in found:
        with CaptureQueriesContext(connection) as asked:
            client.get(page.paths[0])
        rows.append({"name": page.name, "paths": page.paths, "kind": page.kind, "statements": len(asked)})
    json.dump(rows, sys.stdout)


WHAT: dict[str, Callable[..., None]] = {
    "copy": lambda times: copy(int(times)),
    "feeds": write_feeds,
    "fill": fill,
    "pages": pages,
    "parse": parse,
    "topics": topics,
}

if __name__ == "__main__":
    WHAT[sys.argv[1]](*sys.argv[2:])
