"""Backups: all that cannot be rebuilt, in one file that either database takes (docs/operating.md).

A file is lines of JSON, compressed, with a digest and counts at the end. It shows one moment of the
database, however long the writing takes and whatever others write meanwhile, and is written whole or
not at all. It is restored into an empty database: all of it with the catalog that follows from it, or
nothing."""

import gzip
import json
import os
import zlib
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import cache
from glob import escape
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from tempfile import mkstemp
from typing import IO, Any, TypeVar, cast

from django.apps import apps
from django.apps.registry import Apps
from django.contrib.auth.models import Permission
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import DataError, IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Model

from .gather import TooMuch, stream_within_limits
from .models import one_moment

FORMAT = 1  # raised when older versions of this module could not read a file

# Migrations fill these, so an empty database may have rows of them.
FILLED_BY_MIGRATIONS = ("auth.group", "auth.group_permissions")
# Accounts and roles, configuration, evidence, decisions, history, the ledger of addresses. What
# follows from them is rebuilt.
BACKED_UP_TABLES = (
    *FILLED_BY_MIGRATIONS,
    "auth.user",
    "auth.user_groups",
    "auth.user_user_permissions",
    "otp_totp.totpdevice",
    "episodes.podcast",
    "episodes.source",
    "episodes.topic",
    "episodes.learningpath",
    "episodes.document",
    "episodes.content",
    "episodes.capture",
    "episodes.item",
    "episodes.revision",
    "episodes.ingestrun",
    "episodes.decision",
    "episodes.change",
    "episodes.redirect",
    "episodes.linkcheck",
    "episodes.suggestion",
)
# Tables that earlier releases kept, and migrations made into others.
KEPT_BY_EARLIER_RELEASES = (
    "episodes.addition",
    "episodes.correction",
    "episodes.dismissed",
    "episodes.formeraddress",
    "episodes.formerpath",
    "episodes.formerperson",
    "episodes.formertopic",
    "episodes.inboxnote",
    "episodes.judgement",
    "episodes.override",
    "episodes.removal",
    "episodes.topicrefusal",
    "episodes.withdrawal",
)
RESTORABLE = {*BACKED_UP_TABLES, *KEPT_BY_EARLIER_RELEASES}
AT_ONCE = 500  # rows that are read together
LARGE_AT_ONCE = {"episodes.content": 1}  # a row can take 20 MB

ADMINISTRATOR = "administrator"  # a role
ACCOUNT_TABLES = ("auth.group", "auth.user", "auth.user_groups")
PERMISSION = "permission_id"  # of another number in each database, so it is named


def column_names(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def table_rows(label: str, model: type[Model]) -> Iterator[Sequence[Any]]:
    """All rows by id, few of them in memory at once."""
    columns = column_names(model)
    rows = model._default_manager.order_by("pk").values_list(*columns)
    some = rows.iterator(LARGE_AT_ONCE.get(label, AT_ONCE))
    if PERMISSION not in columns:
        yield from some
        return
    names = ("pk", "content_type__app_label", "content_type__model", "codename", "name")
    named = {pk: [*words] for pk, *words in Permission.objects.values_list(*names)}
    place = columns.index(PERMISSION)
    for row in some:
        yield [*row[:place], named[row[place]], *row[place + 1 :]]


def to_json_value(value: object) -> str:
    """A value that JSON has no type for, as text; `Field.to_python` is the way back."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} in a backup")


class RowLoader:
    """Makes rows of one table of a backup; `apps` are the models as they were when it was made."""

    def __init__(self, apps: Apps, label: str, columns: Sequence[str]) -> None:
        self.apps = apps
        self.model = apps.get_model(label)
        by_name = {field.attname: field for field in self.model._meta.concrete_fields}
        self.fields = [by_name[name] for name in columns]

    def row(self, values: Sequence[Any]) -> Model:
        found = {
            field.attname: self._permission(*value)
            if field.attname == PERMISSION
            else field.to_python(value)
            for field, value in zip(self.fields, values, strict=True)
        }
        made: Model = self.model(**found)
        return made

    @cache  # noqa: B019  a loader lives as long as its table
    def _permission(self, app: str, model: str, codename: str, name: str) -> int:
        """The permission's number here; Django makes those that are missing only after all
        migrations."""
        kind, _ = self.apps.get_model("contenttypes.contenttype").objects.get_or_create(
            app_label=app, model=model
        )
        permissions = self.apps.get_model("auth.permission").objects
        found, _ = permissions.get_or_create(
            content_type=kind, codename=codename, defaults={"name": name}
        )
        return int(found.pk)


GZIP = b"\x1f\x8b"
T = TypeVar("T")


class BadBackup(Exception):
    """The file cannot be used, or the database cannot take it: why and what to do, in one line."""


@contextmanager
def open_backup_file(path: Path, verify: Callable[[Path], None]) -> Iterator[IO[bytes]]:
    """A file for the lines, which gets its name when `verify` raises nothing; only its owner may
    read it.

    Others may not, because it holds accounts.

    Raises:
        BadBackup: no file can be made there.
    """
    try:
        remove_stale_parts(path)
        descriptor, part = create_unnamed_part(path.parent) or create_locked_part(path)
    except OSError as error:
        raise BadBackup(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as zipped:
                yield cast(IO[bytes], zipped)
            file.flush()
            os.fsync(file.fileno())
            # Read back before it takes the place of the last good one.
            verify(part)
            if part.is_relative_to(OPEN_FILES):
                part = name_part(part, path)
        os.replace(part, path)
    except BaseException:
        if not part.is_relative_to(OPEN_FILES):
            part.unlink(missing_ok=True)
        raise


OPEN_FILES = Path("/proc/self/fd")  # where Linux has the files of a process by their descriptors


def create_unnamed_part(folder: Path) -> tuple[int, Path] | None:
    """Make a file without a name, which goes with this process. Return None if the system or the
    file system of the folder cannot do so."""
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
    except (AttributeError, OSError):
        return None
    return descriptor, OPEN_FILES / str(descriptor)


def name_part(part: Path, path: Path) -> Path:
    """Give a file without a name one in the folder of the backup."""
    name = path.with_name(f"{path.name}.{token_hex(4)}.part")
    # Only with a folder does Python follow the link to the open file. The absolute path ignores it.
    os.link(part, name, src_dir_fd=0)
    return name


def create_locked_part(path: Path) -> tuple[int, Path]:
    """Make a file for a backup that is being written. Its lock ends with the process."""
    while True:
        # A name of its own, so that two backups at once do not write into one file.
        descriptor, name = mkstemp(".part", f"{path.name}.", path.parent)
        flock(descriptor, LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, Path(name)
        # Another backup took it for a stale one before it was locked.
        os.close(descriptor)


def remove_stale_parts(path: Path) -> None:
    """Remove what backups of this name left that were killed while they were written."""
    for part in path.parent.glob(f"{escape(path.name)}.*.part"):
        with suppress(OSError), part.open("rb") as file:
            flock(file, LOCK_EX | LOCK_NB)
            part.unlink()


def backup_lines(path: Path) -> Iterator[bytes]:
    """The lines of a backup.

    Raises:
        BadBackup: it is none, or is cut off or damaged.
    """
    with open(path, "rb") as file:
        if file.read(len(GZIP)) != GZIP:
            raise BadBackup(f"{path} is not a backup made by `manage.py backup`.")
        file.seek(0)
        try:
            yield from gzip.GzipFile(fileobj=file)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise BadBackup(f"{path} is cut off or damaged; use another backup.") from None


@dataclass
class Contents:
    """The first line of a backup: when and from which schema it was made, and the rows of each
    table."""

    made_at: str
    schema: dict[str, str]  # by app the name of its last migration
    rows: dict[str, int] = field(default_factory=dict)
    # Names of the accounts that may manage accounts.
    administrators: list[str] = field(default_factory=list, compare=False)


BackupRow = tuple[str, Sequence[str], Sequence[Any]]  # table, its columns, its values
BATCH_BYTES = 10_000_000  # of lines


@dataclass
class RowBatch:
    """Some rows of one table that are loaded together."""

    table: str
    columns: Sequence[str]
    rows: list[Sequence[Any]] = field(default_factory=list)
    begins_at: int = 0  # byte of the file's text


class BackupReader:
    """A backup as rows, one after another. What it says of itself is known from the beginning, its
    rows from the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines = backup_lines(path)
        self._digest = sha256()
        self._counted: Counter[str] = Counter()
        self._account_rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self._bytes_read = 0
        head = self._next()
        if not isinstance(head, dict) or "backup" not in head:
            raise BadBackup(f"{path} is not a backup made by `manage.py backup`.")
        with self._sound():
            is_newer = head["backup"] > FORMAT
            schema = {str(app): str(migration) for app, migration in head["schema"].items()}
            self.contents = Contents(str(head["made_at"]), schema)
        # Each later version reads the formats before its own.
        if is_newer:
            raise BadBackup(
                f"{path} was made by a newer version of this software; upgrade first, then restore it."
            )

    def rows(self) -> Iterator[BackupRow]:
        """All rows; raises BadBackup at the end where they are not those that were written."""
        table, columns = "", list[str]()
        before = self._digest.hexdigest()
        with self._sound():
            while not isinstance(said := self._next(), dict) or "end" not in said:
                if isinstance(said, dict):
                    table, columns = said["table"], said["columns"]
                    if table not in RESTORABLE:
                        raise BadBackup(f"{self.path} has rows of {table}, which no backup has.")
                    self._counted[table] = 0
                else:
                    self._counted[table] += 1
                    if table in ACCOUNT_TABLES:
                        self._account_rows[table].append(dict(zip(columns, said, strict=True)))
                    yield table, columns, said
                before = self._digest.hexdigest()
            self.contents.administrators = self._administrators()
        # The end of the compressed file is read too, which holds a checksum.
        if next(self._lines, None) is not None or said["end"] != {
            "rows": dict(self._counted),
            "sha256": before,
        }:
            raise BadBackup(
                f"{self.path} is damaged: it does not hold the rows that were written. Use another backup."
            )
        self.contents.rows = dict(self._counted)

    def _administrators(self) -> list[str]:
        rows = self._account_rows
        groups = [row["id"] for row in rows["auth.group"] if row["name"] == ADMINISTRATOR]
        members = [row["user_id"] for row in rows["auth.user_groups"] if row["group_id"] in groups]
        return [
            str(row["username"])
            for row in rows["auth.user"]
            if row["is_superuser"] or row["id"] in members
        ]

    @contextmanager
    def _sound(self) -> Iterator[None]:
        """Read lines that may be of another shape than `save` writes.

        Raises:
            BadBackup: they are.
        """
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError):
            raise BadBackup(f"{self.path} is cut off or damaged; use another backup.") from None

    def batches(self) -> Iterator[RowBatch]:
        """Yield all rows, as many together as fit into memory.

        Raises:
            BadBackup: they are not the rows that were written.
        """
        batch = RowBatch("", ())
        for table, columns, values in self.rows():
            is_same_table = (table, columns) == (batch.table, batch.columns)
            size = self._bytes_read - batch.begins_at
            if not is_same_table or len(batch.rows) == AT_ONCE or size > BATCH_BYTES:
                if batch.rows:
                    yield batch
                batch = RowBatch(table, columns, begins_at=self._bytes_read)
            batch.rows.append(values)
        if batch.rows:
            yield batch

    def _next(self) -> Any:
        try:
            line = next(self._lines)
            self._digest.update(line)
            self._bytes_read += len(line)
            return json.loads(line)
        except (StopIteration, ValueError, RecursionError):
            raise BadBackup(f"{self.path} is cut off or damaged; use another backup.") from None


def verify_backup(path: Path) -> Contents:
    """Read a whole backup.

    Raises:
        BadBackup: it is not whole, or cannot be read within the limits of a document.
    """
    *_, contents = _within_limits(path, _verify_in_steps)
    return contents


def _verify_in_steps(path: Path) -> Iterator[Contents]:
    reader = BackupReader(path)
    for _ in reader.batches():
        yield reader.contents
    yield reader.contents


def _batches_of(path: Path) -> Iterator[RowBatch]:
    yield from BackupReader(path).batches()


def _within_limits(path: Path, read: Callable[[Path], Iterator[T]]) -> Iterator[T]:
    try:
        yield from stream_within_limits(read(path))
    except TooMuch as reason:
        raise BadBackup(f"{path} cannot be read: {reason}.") from None


def write_backup(path: Path, now: datetime) -> Contents:
    """Write a backup and read it again, before it takes the place of another.

    Raises:
        BadBackup: the database waits for a migration, or the file does not hold what was written.
    """
    executor = MigrationExecutor(connection)
    last_migrations = executor.loader.graph.leaf_nodes()
    if executor.migration_plan(last_migrations):
        raise BadBackup("The database needs an upgrade: run `manage.py migrate` first.")
    names = {label.partition(".")[0] for label in BACKED_UP_TABLES}
    schema = dict(sorted(node for node in last_migrations if node[0] in names))
    contents = Contents(now.isoformat(timespec="seconds"), schema)

    def verify(part: Path) -> None:
        with suppress(BadBackup):
            if verify_backup(part) == contents:
                return
        raise BadBackup(
            f"{path} was not written: its data could not be read back. Is the disk damaged?"
        )

    digest = sha256()

    def write(value: Any) -> None:
        line = json.dumps(value, default=to_json_value, separators=(",", ":")).encode() + b"\n"
        digest.update(line)
        file.write(line)

    with open_backup_file(path, verify) as file, one_moment():
        write({"backup": FORMAT, "made_at": contents.made_at, "schema": contents.schema})
        for label in BACKED_UP_TABLES:
            model = apps.get_model(label)
            write({"table": label, "columns": column_names(model)})
            contents.rows[label] = 0
            for row in table_rows(label, model):
                write(row)
                contents.rows[label] += 1
        write({"end": {"rows": contents.rows, "sha256": digest.hexdigest()}})
    return contents


# -- restored --------------------------------------------------------------------------------------

Node = tuple[str, str]  # app and name of a migration
# How it fails if values are of another kind than their columns, or than what rebuilds from them.
UNFIT = (
    IntegrityError,
    DataError,
    ValidationError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
)


def check_can_restore(contents: Contents) -> None:
    """Check whether the database can take a backup.

    Raises:
        BadBackup: it has rows, or tables of a later version.
    """
    _targets(MigrationExecutor(connection), contents)
    # A database that has rows is refused; its columns may be those of another version.
    tables = set(connection.introspection.table_names())
    for label in sorted({*BACKED_UP_TABLES} - {*FILLED_BY_MIGRATIONS}):
        meta = apps.get_model(label)._meta
        if meta.db_table in tables:
            with connection.cursor() as cursor:
                table = connection.ops.quote_name(meta.db_table)
                cursor.execute(f"SELECT 1 FROM {table} LIMIT 1")
                if cursor.fetchone():
                    raise BadBackup(
                        f"The database is not empty: it has {meta.verbose_name_plural}. Restore into an empty database; "
                        "nothing was changed."
                    )


def restore_backup(path: Path, contents: Contents) -> None:
    """Fill an empty database, with or without tables, from a backup; both were checked. A backup of an
    earlier version is upgraded on the way.

    Raises:
        BadBackup: why it cannot be restored; nothing was.
    """
    executor = MigrationExecutor(connection)
    targets = _targets(executor, contents)
    # First the tables as they were when the backup was made: its rows fit no others.
    executor.migrate(targets)
    with _whole():
        _load(_within_limits(path, _batches_of), executor.loader.project_state(targets).apps)
        # The rest of the migrations, and what Django does after them.
        call_command("migrate", verbosity=0, renew_catalog=False)
        # New rows get numbers after those that came with the backup.
        kept = [apps.get_model(label) for label in BACKED_UP_TABLES]
        with connection.cursor() as cursor:
            for statement in connection.ops.sequence_reset_sql(no_style(), kept):
                cursor.execute(statement)
        call_command("rebuild", verbosity=0)


def _targets(executor: MigrationExecutor, contents: Contents) -> list[Node]:
    """The migrations of the backup, each as the one that stands for it today, and the last ones of
    what has no rows in it.

    Raises:
        BadBackup: it is of a later version, or older than the migrations that are kept.
    """
    loader = executor.loader
    squashed = {squash.replaces[-1]: name for name, squash in loader.replacements.items()}
    wanted = [squashed.get(node, node) for node in contents.schema.items()]
    if unknown := sorted({*wanted} - loader.graph.nodes.keys()):
        raise BadBackup(
            "The backup was made by a newer version of this software, or one before 23 November 2026 "
            f"({', '.join(map(' '.join, unknown))}). Upgrade to the newer version; or take the version of "
            "commit ee5dc27, restore it with that version, and make a backup with it."
        )
    if any(backwards for _, backwards in executor.migration_plan(wanted)):
        raise BadBackup(
            "The backup was made by an earlier version of this software; restore it into a database without tables: "
            "they are made as they were then, and upgraded with the rows."
        )
    leaves = loader.graph.leaf_nodes()
    return [*wanted, *(node for node in leaves if node[0] not in contents.schema)]


@contextmanager
def _whole() -> Iterator[None]:
    """One transaction, in which tables may still change; foreign keys are checked before it
    ends.

    Raises:
        BadBackup: the rows do not fit the tables, or not together.
    """
    connection.disable_constraint_checking()
    try:
        with transaction.atomic():
            yield
            connection.check_constraints()
    except UNFIT as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise BadBackup(
            f"The backup does not fit together; nothing was restored ({reason})."
        ) from error
    finally:
        connection.enable_constraint_checking()


def _load(batches: Iterator[RowBatch], then: Apps) -> None:
    for label in FILLED_BY_MIGRATIONS:
        then.get_model(label)._default_manager.all().delete()
    for batch in batches:
        # By the columns that the file names: a later version may have others in another order.
        loader = RowLoader(then, batch.table, batch.columns)
        rows = [loader.row(values) for values in batch.rows]
        loader.model._default_manager.bulk_create(rows)
    if connection.vendor == "postgresql":
        # A table with checks that wait cannot be changed.
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
