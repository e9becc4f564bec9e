"""Readers' pages come from the replica of `REPLICA_URL`; writing, signing in and the admin stay with the primary.

A second database stands for a replica that lags behind: what it shows differs, so a page tells where it came from.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.conf import settings

from .patience import PATIENCE
from .processes import migrated, new_database

__all__ = ["migrated"]
NOWHERE = "postgres://catalog@127.0.0.1:1/nothing"

VISITS = """
import django, json
django.setup()
from django.conf import settings
settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
from django.contrib.auth.models import User
from django.test import Client
from episodes.models import Podcast
reader, curator = Client(HTTP_HOST="localhost"), Client(HTTP_HOST="localhost")
said = {"readers": reader.get("/shows/"), "again": reader.get("/shows/"), "search": reader.get("/episodes/?q=primary")}
said |= {"feed": reader.get("/shows.opml"), "episode": reader.get("/episodes/one/"), "probe": reader.get("/healthz")}
others = ("", "episodes/", "episodes/?q=onn", "timeline/", "time/", "topics/", "paths/", "links/", "people/", "names/")
others += ("sources/", "changes/", "about/", "data/", "episodes.rss", "episodes.json", "episodes.csv", "sitemap.xml")
others += ("llms.txt", "nothing/")
statuses = [reader.get("/" + name).status_code for name in others]
assert statuses == [200] * (len(others) - 1) + [404], list(zip(others, statuses))
if settings.DATABASES["default"]["PORT"] != 1:
    curator.force_login(User.objects.create_superuser("curator"))
    said |= {"curator": curator.get("/shows/"), "admin": curator.get("/admin/episodes/podcast/")}
    Podcast.objects.filter(slug="show").update(description="written")
said = {name: [answer.status_code, answer.content.decode()] for name, answer in said.items()}
print(json.dumps(said))
"""


@pytest.fixture
def replica(migrated: str, tmp_path: Path) -> Iterator[str]:
    """A copy of the primary in which the only show has another title."""
    add = (
        "from episodes.models import Podcast, Episode; from django.utils import timezone;"
        "show = Podcast.objects.create(slug='show', title='On the primary', rank=1);"
        "Episode.objects.create(podcast=show, slug='one', order=1, title='On the primary', sorted_at=timezone.now())"
    )
    subprocess.run(
        [sys.executable, "manage.py", "shell", "-c", add], env=os.environ | {"DATABASE_URL": migrated}, check=True
    )
    with new_database(tmp_path, migrated.rpartition("/")[2]) as address:
        with psycopg.connect(address, autocommit=True) as server:
            for table in ("podcast", "episode"):
                server.execute(f"UPDATE episodes_{table} SET title = 'On the replica'".encode())
        yield address


def told(answer: tuple[int, str]) -> list[str]:
    """The titles in a page: where it came from."""
    assert answer[0] == 200
    return [title for title in ("On the primary", "On the replica") if title in answer[1]]


def visits(primary: str, replica: str) -> dict[str, tuple[int, str]]:
    """The status and the body of each answer of one process."""
    ran = subprocess.run(
        [sys.executable, "-c", VISITS],
        cwd=settings.BASE_DIR,
        env=os.environ
        | {"DATABASE_URL": primary, "REPLICA_URL": replica, "DJANGO_SETTINGS_MODULE": "podcast_catalog.settings"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert ran.returncode == 0, ran.stderr
    return {name: (status, body) for name, (status, body) in json.loads(ran.stdout.splitlines()[-1]).items()}


@pytest.mark.only_on("postgresql")
def test_readers_get_the_replica_and_who_is_signed_in_the_primary(migrated: str, replica: str) -> None:
    said = visits(migrated, replica)
    assert {name: told(answer) for name, answer in said.items()} == {
        "readers": ["On the replica"],
        "again": ["On the replica"],
        "feed": ["On the replica"],
        "episode": ["On the replica"],
        "search": ["On the replica"],
        "probe": [],
        "curator": ["On the primary"],
        "admin": ["On the primary"],
    }
    with psycopg.connect(migrated) as primary, psycopg.connect(replica) as other:
        written = "SELECT description FROM episodes_podcast"
        assert primary.execute(written).fetchall() == [("written",)]
        assert other.execute(written).fetchall() == [("",)]


@pytest.mark.only_on("postgresql")
def test_readers_are_served_while_the_primary_is_down(replica: str) -> None:
    said = visits(NOWHERE, replica)
    assert [told(answer) for answer in said.values()] == [["On the replica"]] * 5 + [[]]


def test_a_replica_of_sqlite_is_refused() -> None:
    ran = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=settings.BASE_DIR,
        env=os.environ | {"DATABASE_URL": "sqlite:///x.sqlite3", "REPLICA_URL": "postgres://catalog@localhost/catalog"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 3
    assert "REPLICA_URL takes a replica of DATABASE_URL, which must be PostgreSQL" in ran.stderr
