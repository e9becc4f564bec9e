"""`manage.py backup` and `restore`: one moment of a catalog in a file, and the same catalog from it on either database."""

import gzip
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection

from episodes import backup as backups
from episodes.backup import (
    BACKED_UP_TABLES,
    BackupContents,
    InvalidBackup,
    iterate_table_rows,
    open_backup_and_verify_when_written,
)
from episodes.curation import add_list_entry, merge_episodes, override_fields, remove_list_entry, undo_change
from episodes.models import Change, Episode, Podcast, Revision, Topic

from .. import processes
from ..admin.conftest import episode
from ..forks import Forks
from ..ingest.conftest import Ran, command, take
from ..kept import made_once
from ..patience import PATIENCE
from ..processes import migrated_file
from .conftest import feed
from .test_paths import five

DATA = Path(__file__).parents[1] / "data" / "a0bfab09"
database, migrated = processes.database, processes.migrated


PEOPLE_READ = {
    "person", "link", "episode", "episodetopic", "episodecount", "episodelink", "credit", "reference", "transcript", "chapter",
    "codename", "codemention", "attachment", "held", "withdrawnepisode", "withdrawnentry",
}  # fmt: skip
# What the next runs of `check_links`, `rebuild`, `ingest` and the schedule find out anew.
ASKED_AGAIN = {
    "catalogstate", "entryreading", "episodereading", "image", "linkcheck", "catalogversion",
    "sourceschedule", "schedulemark", "unsentnotice", "wordproposal", "episodemeaning",
}  # fmt: skip


def backup(path: Path, *words: str) -> Ran:
    return command("backup", path, *words)


@pytest.fixture
def root(db: None) -> User:
    """Somebody who may do everything, in the small show with five episodes."""
    made_once(five)
    return User.objects.create_superuser("root", password="secret")


def edited(user: User) -> None:
    remove_list_entry(user, episode(0), "topic", "household")
    add_list_entry(user, episode(1), "link", "https://example.org/slides", "slides")
    merge_episodes(user, episode(2), episode(3))
    override_fields(user, episode(4), {"number": "44"})
    undo_change(user, Change.objects.latest("id"))
    override_fields(user, episode(0), {"title": "Mine"}, reason="clearer")


def edited_show() -> None:
    five()
    edited(User.objects.get())


def test_every_table_is_kept_or_derived() -> None:
    theirs = {"admin.logentry", "auth.permission", "contenttypes.contenttype", "sessions.session"}
    # These are a day old at most.
    axes = {model._meta.label_lower for model in apps.get_app_config("axes").get_models()}
    every = {model._meta.label_lower for model in apps.get_models(include_auto_created=True)}
    made_again = theirs | axes | {f"episodes.{name}" for name in PEOPLE_READ | (ASKED_AGAIN - {"linkcheck"})}
    made_again |= {label for label in every if "search" in label or "_" in label}
    assert every - set(BACKED_UP_TABLES) == made_again - set(BACKED_UP_TABLES)
    assert set(BACKED_UP_TABLES) <= every


@pytest.mark.on_both
@pytest.mark.django_db(transaction=True)
def test_same_catalog_returns_on_either_database(root: User, migrated: str, tmp_path: Path) -> None:
    edited(root)
    before, file = command("export").out, tmp_path / "kept"
    (tmp_path / "feed.xml").write_bytes(feed(range(7)))
    assert backup(file).code == 0
    others = [migrated] if connection.vendor == "sqlite" else [migrated_file(tmp_path / "away.sqlite3"), migrated]
    for number, url in enumerate(others):
        with Forks(url, tmp_path) as forks:
            forks.run("restore", file)
            assert forks.run("export") == before
            forks.run("rebuild")
            assert forks.run("export") == before
            file = tmp_path / f"again{number}"
            forks.run("backup", file)
            done = forks.run("ingest", tmp_path / "feed.xml", "--source", "feed")
            assert done.startswith("feed: 7 items: 2 new, 5 matched")
    rows = [_rows(path) for path in (tmp_path / "kept", file)]
    assert rows[0] == rows[1]
    assert any(label == "auth.user" and "root" in row and root.password in row for label, row in rows[0])
    assert (tmp_path / "kept").stat().st_mode & 0o777 == 0o600


def _rows(path: Path) -> list[tuple[str, list[Any]]]:
    """The rows of a backup with their tables; ids of what migrations fill may differ."""
    found, label = [], ""
    for line in gzip.decompress(path.read_bytes()).splitlines():
        said = json.loads(line)
        if isinstance(said, dict):
            label = said.get("table", "")
        else:
            found.append((label, said[1:] if label == "auth.group_permissions" else said))
    return sorted(found, key=str)


@pytest.mark.on_both
@pytest.mark.django_db(transaction=True)
def test_concurrent_writes_are_not_in_backup(root: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = []

    def others() -> None:
        try:
            take("feed", feed(range(6)).replace(b"All about mirrors", b"Much about mirrors"), "--accept")
            done.append("import")
            override_fields(root, Episode.objects.order_by("order")[0], {"title": "Mine"})
        finally:
            connection.close()

    def rows(name: str, model: Any) -> Iterator[Any]:
        if name == "episodes.decision":
            thread = Thread(target=others)
            thread.start()
            thread.join(PATIENCE)
        return iterate_table_rows(name, model)

    assert backup(tmp_path / "before").code == 0
    monkeypatch.setattr(backups, "iterate_table_rows", rows)
    assert backup(tmp_path / "meanwhile").code == 0
    assert done == ["import"]
    assert Change.objects.count() == 1
    assert _rows(tmp_path / "meanwhile") == _rows(tmp_path / "before")


@pytest.fixture
def kept(db: None, tmp_path: Path) -> Path:
    made_once(edited_show, User.objects.create_superuser("root", password="secret"))
    assert backup(tmp_path / "kept").code == 0
    return tmp_path / "kept"


def test_nonempty_database_is_left_alone(kept: Path) -> None:
    before = command("export").out
    done = command("restore", kept)
    assert (done.code, done.out) == (1, "")
    assert "The database is not empty: it has 1 show, 4 episodes and 1 account." in done.err
    assert command("export").out == before


@pytest.mark.django_db
def test_restore_names_rows_without_shows(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert backup(kept).code == 0
    Topic.objects.create(slug="kettles", name="Kettles")
    assert "The database is not empty: it has 1 topic" in command("restore", kept).err


def test_damaged_file_is_refused(kept: Path) -> None:
    whole = kept.read_bytes()
    for size in (60, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        kept.write_bytes(whole[:size])
        done = backup(kept, "--check")
        assert (done.code, done.err) == (1, f"{kept} is cut off or damaged; use another backup."), size
    assert command("restore", kept).code == 1
    lines = gzip.decompress(whole).splitlines(keepends=True)
    changed = [line.replace(b"Mine", b"Nine") for line in lines]
    for tampered in (changed, lines[:50] + lines[51:], [*lines[:50], lines[50], *lines[50:]]):
        kept.write_bytes(gzip.compress(b"".join(tampered)))
        done = backup(kept, "--check")
        assert done.code == 1
        assert "does not hold the rows that were written" in done.err


def test_backup_of_newer_version_is_refused(kept: Path) -> None:
    head, *rest = gzip.decompress(kept.read_bytes()).splitlines(keepends=True)
    said = json.loads(head)
    later_migration = {**said["schema"], "episodes": "9999_later"}
    later_heads = [
        ({**said, "schema": later_migration}, "Upgrade to the newer version that made it"),
        ({**said, "backup": 99}, "made by a newer version of this software"),
        ({"backup": 99, "made": said["made_at"]}, "made by a newer version of this software"),
    ]
    for newer, words in later_heads:
        lines = [json.dumps(newer).encode() + b"\n", *rest]
        sign(kept, lines)
        done = command("restore", kept)
        assert done.code == 1
        assert words in done.err


def sign(path: Path, lines: list[bytes]) -> None:
    body = b"".join(lines[:-1])
    end = json.loads(lines[-1])
    end["end"]["sha256"] = sha256(body).hexdigest()
    path.write_bytes(gzip.compress(body + json.dumps(end).encode() + b"\n"))


def _spoil(path: Path, fault: str) -> None:
    """Give a backup a fault, and count and sign its lines as `backup` does."""
    lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]
    tables = {line["table"]: at for at, line in enumerate(lines) if isinstance(line, dict) and "table" in line}
    show, revision = tables["episodes.podcast"], tables["episodes.revision"]
    match fault:
        case "sessions.session" | "episodes.person":
            lines[-1:-1] = [{"table": fault, "columns": ["id"]}, [1]]
        case "no columns":
            del lines[show]["columns"]
        case "no schema":
            lines[0]["schema"] = ["episodes"]
        case "an unknown column":
            lines[show]["columns"][1] = "no_such_column"
        case "a text for a number":
            lines[show + 1][0] = "first"
        case "no row":
            lines[show + 1] = 5
        case "a short row":
            lines[show + 1].pop()
        case "a list for a payload":
            lines[revision + 1][lines[revision]["columns"].index("payload")] = ["no", "payload"]
    counted: dict[str, int] = {}
    table = ""
    for line in lines[1:-1]:
        if isinstance(line, dict):
            table = str(line.get("table"))
            counted[table] = 0
        else:
            counted[table] += 1
    lines[-1]["end"]["rows"] = counted
    sign(path, [json.dumps(line).encode() + b"\n" for line in lines])


@pytest.mark.parametrize(
    "fault, words",
    [
        ("sessions.session", "has rows of sessions.session, which cannot be restored here"),
        ("episodes.person", "has rows of episodes.person, which cannot be restored here"),
        ("no columns", "is cut off or damaged"),
        ("no schema", "is cut off or damaged"),
    ],
)
def test_backup_of_another_shape_is_refused(kept: Path, fault: str, words: str) -> None:
    _spoil(kept, fault)
    done = command("restore", kept)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 0)
    assert words in done.err


@pytest.mark.django_db(transaction=True)
def test_bad_values_are_refused_in_a_line(kept: Path, migrated: str, tmp_path: Path) -> None:
    whole = kept.read_bytes()
    with Forks(migrated, tmp_path) as forks:
        for fault in ("an unknown column", "a text for a number", "no row", "a short row", "a list for a payload"):
            kept.write_bytes(whole)
            _spoil(kept, fault)
            child = forks.begin("restore", kept)
            assert forks.ended(child) == 1, fault
            assert "The backup does not fit together; nothing was restored (" in child.err
            assert child.err.count("\n") == 1
            assert processes.rows(migrated, "SELECT count(*) FROM episodes_podcast, auth_user") == [(0,)]
        kept.write_bytes(whole)
        out = forks.run("restore", kept)
    assert out.startswith("These accounts of the backup may manage accounts: 'root'\n")
    assert "restored 1 show" in out


@pytest.mark.django_db
def test_restore_without_accounts_names_none(migrated: str, tmp_path: Path) -> None:
    assert backup(tmp_path / "kept").code == 0
    with Forks(migrated, tmp_path) as forks:
        out = forks.run("restore", tmp_path / "kept")
    assert out.startswith("restored 0 shows")


@pytest.mark.django_db
def test_another_file_is_no_backup(tmp_path: Path) -> None:
    for content in (b"", b"podcast", b"PK\3\4", gzip.compress(b"{}\n"), gzip.compress(b"[1]\n")):
        (tmp_path / "other").write_bytes(content)
        done = backup(tmp_path / "other", "--check")
        assert (done.code, done.err) == (1, f"{tmp_path / 'other'} is not a backup made by `manage.py backup`.")


def test_existing_file_needs_overwrite_and_whole_backup(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kept.read_bytes()
    done = backup(kept)
    assert (done.code, done.err) == (2, f"{kept} exists already; choose another name, or pass --overwrite")

    def fail(label: str, model: Any) -> Iterator[Any]:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(backups, "iterate_table_rows", fail)
        with pytest.raises(OSError, match="no space"):
            backup(kept, "--overwrite")
    monkeypatch.setattr(os, "fsync", lambda descriptor: os.ftruncate(descriptor, 100))
    done = backup(kept, "--overwrite")
    expected = f"{kept} was not written: its data could not be read back. Is the disk damaged?"
    assert (done.code, done.err) == (1, expected)
    assert kept.read_bytes() == before
    assert [path.name for path in kept.parent.glob("kept*")] == ["kept"]


@pytest.mark.django_db
def test_unwritable_file_is_named_as_given(tmp_path: Path) -> None:
    done = backup(tmp_path / "none" / "kept")
    assert (done.code, done.err) == (1, f"{tmp_path}/none/kept cannot be written: No such file or directory.")
    os.mkfifo(tmp_path / "device")
    for path in (tmp_path / "device", tmp_path):
        assert backup(path, "--overwrite").code == 2
    assert (tmp_path / "device").is_fifo()


@pytest.mark.django_db
def test_backup_never_enters_later_tables(tmp_path: Path) -> None:
    done = command("restore", DATA / "backup.catalog")
    assert done.code == 1
    assert "restore it into a database without tables" in done.err
    assert not Podcast.objects.exists()
    assert not Revision.objects.exists()


def test_the_commands_say_so_without_a_traceback(tmp_path: Path) -> None:
    """A process of its own, as a timer starts it."""
    empty = {"DATABASE_URL": f"sqlite:///{tmp_path}/empty.sqlite3"}
    words = [sys.executable, "-W", "error", str(Path(settings.BASE_DIR) / "manage.py"), "backup", str(tmp_path / "new")]
    done = subprocess.run(words, env=os.environ | empty, capture_output=True, text=True, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "CommandError: The database needs an upgrade: run `manage.py migrate` first.\n"
    assert not (tmp_path / "new").exists()


def test_missing_backup_is_wrong_usage(tmp_path: Path) -> None:
    for words in (["restore"], ["backup", "--check"]):
        for path in (tmp_path / "none", tmp_path):
            with pytest.raises(CommandError, match="There is no file") as refused:
                call_command(*words, path)
            assert refused.value.returncode == 2


def test_concurrent_backups_of_one_name_are_whole(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed, other = kept.with_name("kept.killed.part"), kept.with_name("kept2.killed.part")
    for part in (killed, other):
        part.write_bytes(b"hashes of passwords")
    others = []

    def meanwhile(label: str, model: Any) -> Iterator[Any]:
        if not others:
            others.append("another run")
            assert backup(kept, "--overwrite").code == 0
        return iterate_table_rows(label, model)

    monkeypatch.setattr(backups, "iterate_table_rows", meanwhile)
    assert backup(kept, "--overwrite").code == 0
    assert (backup(kept, "--check").code, others) == (0, ["another run"])
    assert (killed.exists(), other.exists()) == (False, True), "parts of a killed run go"


def test_backup_has_no_name_before_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, contents = tmp_path / "it", BackupContents("", {})
    with (
        pytest.raises(InvalidBackup, match="could not be read back"),
        open_backup_and_verify_when_written(path, contents) as file,
    ):
        file.write(b"{}")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(backups, "has_contents", lambda *_: True)
    for content in (b"first", b"second"):
        before = list(tmp_path.glob("it"))
        with open_backup_and_verify_when_written(path, contents) as file:
            file.write(content)
            assert list(tmp_path.glob("it")) == before
        assert gzip.decompress(path.read_bytes()) == content
        assert list(tmp_path.iterdir()) == [path]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
