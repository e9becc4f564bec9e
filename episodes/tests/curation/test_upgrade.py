"""Upgrades of a database and restores of a backup made by commit a0bfab09, and refusals of older ones.

The database and the backup (`tests/data/a0bfab09`) have every kind of decision, history, addresses and accounts. That
commit made them, its export, and its export after every change had been undone, the newest first.
"""

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .. import processes
from ..examples import LONG
from ..forks import Forks
from .test_backup_command import sign
from .test_kills import Database

DATA = Path(__file__).parents[1] / "data" / "a0bfab09"
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
UNDO_NEWEST = """
from django.contrib.auth.models import User
from episodes.curation import undo_change
from episodes.models import Change
undo_change(User.objects.get(username="ada"), Change.objects.filter(verb=%r).latest("pk"))
"""
# Rows as commit a0bfab09 wrote them, by the models of its schema.
FILL = """
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone
apps = MigrationLoader(connection).project_state(("episodes", "0001_release_1")).apps
def create(name, **values):
    return apps.get_model("episodes", name).objects.create(**values)
podcast = create("Podcast", slug="kiln", title="Kiln Post", rank=1)
source = create("Source", podcast=podcast, slug="feed", reader="feed", own=True, may_create=True)
document = create("Document", source=source, address="https://kiln.example/feed", vouched=True)
item = create("Item", document=document, key="guid:1", position=1, first_version=1)
payload = {"title": "Glass", "guid": "1"}
create("Revision", item=item, version=1, payload=payload, recorded_at=timezone.now())
create("Decision", kind="value", podcast=podcast, source="feed", item_key="guid:1", field="title", value="Sand", about="a")
episode = create("Episode", podcast=podcast, slug="sand", title="Sand", order=1)
create("Attachment", episode=episode, item=item)
"""
TABLES = {
    True: "SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2",
    False: "SELECT table_name, column_name, data_type FROM information_schema.columns"
    " WHERE table_schema = 'public' ORDER BY 1, 2",
}
APPLIED = "SELECT app, name FROM django_migrations ORDER BY 1, 2"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    return processes.new_address(tmp_path_factory.mktemp("upgrades"))


@pytest.fixture(scope="module")
def module_forks(address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    with Forks(address, tmp_path_factory.mktemp("forks")) as forks:
        yield forks


@contextmanager
def state_after(address: str, forks: Forks, *words: object) -> Iterator[tuple[Database, str]]:
    """Run a command on an empty database. Yield a copy of what it leaves, and its output."""
    database = Database(address)
    copy = database.named(f"{Path(database.name).stem}_{words[0]}")
    with processes.new_database(address):
        output = forks.run(*words)
        database.copy(copy)
    yield copy, output
    copy.drop()


@pytest.fixture(scope="module")
def release_1(address: str, module_forks: Forks) -> Iterator[Database]:
    with state_after(address, module_forks, "migrate", "episodes", "0001_release_1", "--verbosity", "0") as (copy, _):
        yield copy


@pytest.fixture(scope="module")
def restored(address: str, module_forks: Forks) -> Iterator[tuple[Database, str]]:
    with state_after(address, module_forks, "restore", DATA / "backup.catalog") as copy_and_output:
        yield copy_and_output


@pytest.fixture
def database(address: str, db: None) -> Iterator[str]:
    """Create an empty database, at the same address for all tests. Yield the address."""
    with processes.new_database(address):
        yield address


@pytest.fixture
def forks(module_forks: Forks, database: str) -> Forks:
    """Return processes with an empty database."""
    return module_forks


@pytest.fixture
def at_release_1(release_1: Database, database: str) -> None:
    """Give the database the tables of release 1."""
    release_1.copy(Database(database))


def forget(database: str, condition: str) -> None:
    processes.change(database, f"DELETE FROM django_migrations WHERE app = 'episodes' AND {condition}")


def remember(database: str, names: list[str]) -> None:
    rows = ", ".join(f"('episodes', '{name}', '2026-11-01')" for name in names)
    processes.change(database, f"INSERT INTO django_migrations (app, name, applied) VALUES {rows}")


def schema(database: str) -> list[list[tuple[object, ...]]]:
    tables = TABLES[database.startswith("sqlite")]
    return [processes.rows(database, query) for query in (tables, APPLIED)]


def assert_same_catalog(forks: Forks) -> None:
    """Compare export and addresses, and in the long run the export after all changes are undone."""
    assert forks.run("export") == (DATA / "export.json").read_text()
    answers = json.loads(forks.run("shell", "--no-imports", "-c", ANSWERS % str(DATA / "addresses.json")))
    assert answers == json.loads((DATA / "addresses.json").read_text())
    if not LONG:
        return
    assert forks.run("shell", "--no-imports", "-c", UNDO) == "93\n"
    forks.run("rebuild")
    assert forks.run("export") == (DATA / "export-undone.json").read_text()


@pytest.mark.on_both
def test_database_is_migrated_once(forks: Forks, database: str, at_release_1: None) -> None:
    forks.run("migrate", "--verbosity", "0")
    forks.run("migrate", "--check")
    groups = processes.rows(database, "SELECT name FROM auth_group ORDER BY id")
    assert groups == [("viewer",), ("curator",), ("administrator",)]
    before = schema(database)
    forget(database, "name = '0001_release_1'")
    forks.run("migrate", "--verbosity", "0")
    assert schema(database) == before


@pytest.mark.on_both
def test_filled_database_is_migrated(forks: Forks, database: str, at_release_1: None) -> None:
    forks.run("shell", "--no-imports", "-c", FILL)
    forget(database, "name = '0001_release_1'")
    forks.run("migrate", "--verbosity", "0")
    before = forks.run("export")
    assert [episode["title"] for episode in json.loads(before)["episodes"]] == ["Sand"]
    forks.run("rebuild")
    (episode,) = json.loads(forks.run("export"))["episodes"]
    assert (episode["slug"], episode["title"], episode["provenance"]["title"]) == ("sand", "Sand", "curator")


@pytest.mark.on_both
def test_older_database_is_refused_unchanged(forks: Forks, database: str, at_release_1: None) -> None:
    names = [str(name) for app, name in processes.rows(database, APPLIED) if app == "episodes"]
    for forgotten in ("name = '0370_no_details_of_links'", "name < '0360'", "name > '0001_sq'"):
        forget(database, f"(name = '0001_release_1' OR {forgotten})")
        remember(database, ["0001_initial"])
        before = schema(database)
        migration = forks.begin("migrate")
        assert forks.ended(migration) == 1
        assert "Run `manage.py migrate` with that commit first" in migration.err
        assert schema(database) == before
        forget(database, "true")
        remember(database, names)


@pytest.mark.only_on("sqlite")
def test_restore_refuses_older_database(forks: Forks, database: str, at_release_1: None) -> None:
    forget(database, "name IN ('0001_release_1', '0370_no_details_of_links')")
    before = schema(database)
    restore = forks.begin("restore", DATA / "backup.catalog")
    assert forks.ended(restore) != 0
    assert "The database is older than commit a0bfab09" in restore.err
    assert schema(database) == before


def test_backup_is_restored_on_either_database(forks: Forks, restored: tuple[Database, str], database: str) -> None:
    copy, output = restored
    assert "1 show, 17 entries, 110 changes, 3 accounts" in output
    copy.copy(Database(database))
    assert_same_catalog(forks)


@pytest.mark.only_on("sqlite")
def test_change_before_upgrade_is_undone(forks: Forks, restored: tuple[Database, str], database: str) -> None:
    restored[0].copy(Database(database))
    forks.run("shell", "--no-imports", "-c", UNDO_NEWEST % "take out")
    slugs = [episode["slug"] for episode in json.loads(forks.run("export"))["episodes"]]
    assert "all-about-kettles-0" in slugs
    forks.run("shell", "--no-imports", "-c", UNDO_NEWEST % "undo")
    assert forks.run("export") == (DATA / "export.json").read_text()


@pytest.mark.long  # the backup above has the rows that are no part of the catalog
@pytest.mark.only_on("sqlite")
def test_sqlite_file_is_migrated(forks: Forks, database: str) -> None:
    file = Path(database.removeprefix("sqlite:///"))
    file.write_bytes(gzip.decompress((DATA / "database.gz").read_bytes()))
    forks.run("migrate", "--verbosity", "0")
    forks.run("rebuild")
    assert_same_catalog(forks)


@pytest.mark.only_on("sqlite")
def test_older_backup_names_version_to_use(forks: Forks, tmp_path: Path) -> None:
    *rows, last = gzip.decompress((DATA / "backup.catalog").read_bytes()).splitlines(keepends=True)
    changes = {b"0370_no_details_of_links": b"0340_dismissals", b"episodes.decision": b"episodes.override"}
    for old, new in changes.items():
        sign(tmp_path / "older.catalog", [*(row.replace(old, new) for row in rows), last])
        restore = forks.begin("restore", tmp_path / "older.catalog")
        assert forks.ended(restore) == 1
        assert "If it was made before commit a0bfab09, restore it with that commit" in restore.err
