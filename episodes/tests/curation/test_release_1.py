"""A catalog of the first release, with every kind of decision, history, addresses and accounts, goes on in this one.

Its database and backup (`tests/data/release-1`) were made by that release's own code, and so was what it exported, what
each of its addresses answered, and what it exported after every change had been undone, the newest first.
"""

import gzip
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from .. import processes
from ..examples import LONG
from ..forks import Forks

DATA = Path(__file__).parents[1] / "data" / "release-1"
database = processes.database
pytestmark = pytest.mark.django_db

ANSWERS = """
import json, warnings
from pathlib import Path
from django.conf import settings
from django.test import Client, override_settings
warnings.simplefilter("ignore")  # no static files are collected
plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
answers = {}
with override_settings(STORAGES={**settings.STORAGES, "staticfiles": plain}):
    for address in json.loads(Path(%r).read_text()):
        answer = Client().get(address, headers={"host": "localhost"})
        answers[address] = [answer.status_code, answer.headers.get("Location", "")]
print(json.dumps(answers))
"""
UNDO = """
from django.contrib.auth.models import User
from django.db import transaction
from episodes.curation import UndoConflict, undo_change
from episodes.models import Change
count = 0
for change in Change.objects.order_by("-pk"):
    try:
        with transaction.atomic():
            undo_change(User.objects.get(username="ada"), change)
    except UndoConflict:
        continue
    count += 1
print(count)
"""


@pytest.fixture
def forks(database: str, tmp_path: Path) -> Iterator[Forks]:
    with Forks(database, tmp_path) as own:
        yield own


def unpacked(path: Path) -> None:
    path.write_bytes(gzip.decompress((DATA / "database.gz").read_bytes()))


def exported(forks: Forks) -> str:
    """The export without a key that came later: there were no transcripts."""
    return forks.run("export").replace('   "transcript": null,\n', "")


def is_as_it_was(forks: Forks) -> None:
    """Equal in export and addresses, and in the long run after all changes are undone."""
    assert exported(forks) == (DATA / "export.json").read_text()
    answers = json.loads(forks.run("shell", "--no-imports", "-c", ANSWERS % str(DATA / "addresses.json")))
    assert answers == json.loads((DATA / "addresses.json").read_text())
    if not LONG:
        return
    # 101 by the old code; eight of them were rows of the inbox that are put off no longer.
    assert forks.run("shell", "--no-imports", "-c", UNDO) == "93\n"
    forks.run("rebuild")
    assert exported(forks) == (DATA / "export-undone.json").read_text()


def test_its_backup_is_restored_on_either_database(forks: Forks) -> None:
    restored = forks.run("restore", DATA / "release-1.catalog")
    assert "1 show, 17 entries, 110 changes, 3 accounts" in restored
    is_as_it_was(forks)


@pytest.mark.long  # its backup, above, is rows of the same tables that go through the same migrations
@pytest.mark.only_on("sqlite")
def test_its_database_is_migrated(forks: Forks, database: str) -> None:
    unpacked(Path(database.removeprefix("sqlite:///")))
    forks.run("migrate", "--verbosity", "0")
    forks.run("rebuild")
    is_as_it_was(forks)


@pytest.mark.only_on("sqlite")
def test_older_backup_names_version_to_use(database: str, tmp_path: Path) -> None:
    first, *rows, last = gzip.decompress((DATA / "release-1.catalog").read_bytes()).splitlines(keepends=True)
    older = [first.replace(b"0036_indexes_of_history_and_people", b"0021_topic_proposals"), *rows]
    end = json.loads(last)
    end["end"]["sha256"] = sha256(b"".join(older)).hexdigest()
    file = tmp_path / "older.catalog"
    file.write_bytes(gzip.compress(b"".join([*older, json.dumps(end).encode() + b"\n"])))
    process = processes.start(database, "restore", file)
    assert "restore it with that version, and make a backup with it." in process.communicate()[1]
    assert process.returncode == 1
