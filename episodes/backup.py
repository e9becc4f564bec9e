"""Backups: everything that cannot be rebuilt, in one file for either database (docs/operating.md).

A file is lines of JSON, compressed, with a digest and counts at the end. It shows one moment of the
database, however long the writing takes and whatever is written meanwhile. It is written whole or not at
all. It is restored into an empty database, whole and with the catalog that follows from it, or not at
all."""

import gzip
import json
import os
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import cache
from glob import escape
from hashlib import sha256
from pathlib import Path
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
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model
from django.utils.text import get_text_list

from .gather import LimitExceeded, iterate_rows_in_limited_process
from .models import consistent_snapshot
from .records import CountCallback
from .text.formatting import format_count

FORMAT = 1  # raised when older versions of this module could not read a file

# Migrations fill these, so an empty database may have rows of them.
FILLED_BY_MIGRATIONS = ("auth.group", "auth.group_permissions")
# Accounts and roles, configuration, evidence, decisions, history, redirects. The rest is rebuilt.
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
    "episodes.savedfilter",
)
# Advice for a backup with tables or migrations that this version does not have.
USE_ITS_VERSION = (
    "Upgrade to the newer version that made it. If it was made before commit a0bfab09, "
    "restore it with that commit, make a backup with it, and restore that one here."
)
ROWS_AT_ONCE = 500
PERMISSION_COLUMN = "permission_id"  # ids differ between databases, so a backup has names


class InvalidBackup(Exception):
    """The file cannot be used, or the database cannot take it: why and what to do, in one line."""


# --- Writing -------------------------------------------------------------------------------------


@dataclass
class BackupContents:
    """The first line of a backup: when and from which schema it was made, and the rows of each table."""

    made_at: str
    schema: dict[str, str]  # the last migration of each app
    rows: dict[str, int] = field(default_factory=dict)


class BackupWriter:
    """Writes lines of JSON, and computes their checksum."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.digest = sha256()

    def write_line(self, value: Any) -> None:
        text = json.dumps(value, default=encode_time_or_bytes, separators=(",", ":"))
        line = text.encode() + b"\n"
        self.digest.update(line)
        self.file.write(line)


def write_backup_and_return_contents(path: Path, now: datetime) -> BackupContents:
    """Write a backup file, read it back as a check, and return its contents. It replaces a file at `path`.

    Raises:
        InvalidBackup: the database waits for a migration, or the file does not hold the rows that were written.
    """
    contents = BackupContents(now.isoformat(timespec="seconds"), _last_migrations_by_app_or_raise())
    # The counts of rows are added below. At the end of the block the file is read back, and compared
    # with `contents`.
    with open_backup_and_verify_when_written(path, contents) as file, consistent_snapshot():
        writer = BackupWriter(file)
        writer.write_line(
            {"backup": FORMAT, "made_at": contents.made_at, "schema": contents.schema}
        )
        for label in BACKED_UP_TABLES:
            contents.rows[label] = _write_table_and_count_rows(writer, label)
        writer.write_line({"end": {"rows": contents.rows, "sha256": writer.digest.hexdigest()}})
    return contents


def _write_table_and_count_rows(writer: BackupWriter, table_label: str) -> int:
    model = apps.get_model(table_label)
    writer.write_line({"table": table_label, "columns": column_names(model)})
    row_count = 0
    for row in iterate_table_rows(table_label, model):
        writer.write_line(row)
        row_count += 1
    return row_count


def _last_migrations_by_app_or_raise() -> dict[str, str]:
    """Return the last migration of each app with tables that are backed up.

    Raises:
        InvalidBackup: the database waits for a migration.
    """
    executor = MigrationExecutor(connection)
    last_migrations = executor.loader.graph.leaf_nodes()  # pairs of app and name
    if executor.migration_plan(last_migrations):
        raise InvalidBackup("The database needs an upgrade: run `manage.py migrate` first.")
    apps_of_tables = set()
    for label in BACKED_UP_TABLES:
        app, _, _ = label.partition(".")  # `episodes` of `episodes.podcast`
        apps_of_tables.add(app)
    return {app: name for app, name in sorted(last_migrations) if app in apps_of_tables}


def column_names(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def iterate_table_rows(table_label: str, model: type[Model]) -> Iterator[Sequence[Any]]:
    """Yield the values of all rows of a table, by id, with few of them in memory at once.

    The id of a permission is replaced by its names, as another database has other ids.
    """
    columns = column_names(model)
    # A row of stored bytes can take 20 MB.
    chunk_size = 1 if table_label == "episodes.content" else ROWS_AT_ONCE
    rows = model._default_manager.order_by("pk").values_list(*columns).iterator(chunk_size)
    if PERMISSION_COLUMN not in columns:
        yield from rows
        return
    permission_index = columns.index(PERMISSION_COLUMN)
    names_by_id = permission_name_parts_by_id()
    for row in rows:
        values = list(row)
        permission_id = values[permission_index]
        values[permission_index] = names_by_id[permission_id]
        yield values


def permission_name_parts_by_id() -> dict[int, list[str]]:
    columns = ("pk", "content_type__app_label", "content_type__model", "codename", "name")
    names_by_id = {}
    for permission_id, *names in Permission.objects.values_list(*columns):
        names_by_id[permission_id] = names
    return names_by_id


def encode_time_or_bytes(time_or_bytes: object) -> str:
    """Return a time (ISO 8601) or bytes (base64) as text for JSON. `Field.to_python` converts it back.

    Raises:
        TypeError: it is another type.
    """
    if isinstance(time_or_bytes, datetime):
        return time_or_bytes.isoformat()
    if isinstance(time_or_bytes, bytes | memoryview):
        return b64encode(time_or_bytes).decode()
    raise TypeError(f"{type(time_or_bytes).__name__} in a backup")


@contextmanager
def open_backup_and_verify_when_written(
    path: Path, contents: BackupContents
) -> Iterator[IO[bytes]]:
    """Open a file for the lines of a backup. Give it its name when it was read back and has `contents`.

    Until then it is called `NAME.….part`. Only its owner may read it, because it holds accounts.

    Raises:
        InvalidBackup: no file can be made there, or its data could not be read back.
    """
    try:
        remove_stale_parts(path)
        descriptor, part_path = create_locked_part_file(path)
    except OSError as error:
        raise InvalidBackup(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            # Without name and time the same rows give the same bytes.
            with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as zipped:
                yield cast(IO[bytes], zipped)
            file.flush()
            # Wait until the disk has the data: the system keeps it in memory for a while.
            os.fsync(file.fileno())
            # Read back before it replaces the last good backup.
            if not has_contents(part_path, contents):
                raise InvalidBackup(
                    f"{path} was not written: its data could not be read back. Is the disk damaged?"
                )
        os.replace(part_path, path)
    finally:
        # After an error. A file that was renamed is not there any more.
        part_path.unlink(missing_ok=True)


def has_contents(path: Path, expected: BackupContents) -> bool:
    try:
        return verify_backup(path) == expected
    except InvalidBackup:
        return False


def create_locked_part_file(path: Path) -> tuple[int, Path]:
    """Create a file `NAME.….part` for a backup that is being written. Return its descriptor and path.

    The file is locked until the process ends, so other backups do not delete it as a stale one.
    """
    while True:
        # A random name, so that two backups at once do not write into one file.
        descriptor, name = mkstemp(suffix=".part", prefix=f"{path.name}.", dir=path.parent)
        flock(descriptor, LOCK_EX)
        # A deleted file has no link to it left.
        is_deleted = os.fstat(descriptor).st_nlink == 0
        if not is_deleted:
            return descriptor, Path(name)
        # Another backup deleted it before it was locked, as a stale one. Try again.
        os.close(descriptor)


def remove_stale_parts(path: Path) -> None:
    for part_path in path.parent.glob(f"{escape(path.name)}.*.part"):
        # A backup that is still written keeps its file locked, which is an OSError here.
        with suppress(OSError), part_path.open("rb") as file:
            flock(file, LOCK_EX | LOCK_NB)
            part_path.unlink()


# --- Reading -------------------------------------------------------------------------------------


T = TypeVar("T")


def iterate_backup_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a backup.

    Raises:
        InvalidBackup: the file is not a backup, or is cut off or damaged.
    """
    first_bytes_of_gzip = b"\x1f\x8b"
    with open(path, "rb") as file:
        if file.read(2) != first_bytes_of_gzip:
            raise InvalidBackup(f"{path} is not a backup made by `manage.py backup`.")
        file.seek(0)
        try:
            yield from gzip.GzipFile(fileobj=file)
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise damaged_backup_error(path) from None


def damaged_backup_error(path: Path) -> InvalidBackup:
    return InvalidBackup(f"{path} is cut off or damaged; use another backup.")


@dataclass
class RowBatch:
    """Some rows of a table, which are loaded together."""

    table: str
    columns: Sequence[str]
    rows: list[Sequence[Any]] = field(default_factory=list)
    begins_at: int = 0  # byte of the file's text


class BackupReader:
    """A backup as rows, one after another. Its contents are complete after the last row."""

    def __init__(self, path: Path) -> None:
        """Open the backup and read its first line into `contents`.

        Raises:
            InvalidBackup: it is not a backup, or was made by a newer version.
        """
        self.path = path
        self._lines = iterate_backup_lines(path)
        self._digest = sha256()
        self._counts: Counter[str] = Counter()
        self._bytes_read = 0
        self.contents = self._read_contents_of_first_line()

    def _read_contents_of_first_line(self) -> BackupContents:
        # {"backup": 1, "made_at": "2026-01-31T04:00:00+00:00", "schema": {"auth": "0012_…", …}}
        first_line = self._parse_next_line()
        if not isinstance(first_line, dict) or "backup" not in first_line:
            raise InvalidBackup(f"{self.path} is not a backup made by `manage.py backup`.")
        with self._errors_as_damage():
            is_newer = first_line["backup"] > FORMAT
        # A newer format cannot be read, not even the rest of this line. Older formats can.
        if is_newer:
            raise InvalidBackup(
                f"{self.path} was made by a newer version of this software; upgrade first, then restore it."
            )
        with self._errors_as_damage():
            schema = {str(app): str(name) for app, name in first_line["schema"].items()}
            return BackupContents(str(first_line["made_at"]), schema)

    def iterate_batches(self) -> Iterator[RowBatch]:
        """Yield all rows in batches: of one table, at most ROWS_AT_ONCE rows, and about 10 MB.

        At the end, check counts and checksum, and complete `contents`.

        Raises:
            InvalidBackup: they are not the rows that were written.
        """
        # Lines of a table: {"table": "auth.user", "columns": ["id", …]}, then [1, …] for each row.
        batch = RowBatch(table="", columns=())
        with self._errors_as_damage():
            while True:
                # The last line has the checksum of all lines before it.
                checksum_before_line = self._digest.hexdigest()
                line = self._parse_next_line()
                is_row = not isinstance(line, dict)
                if is_row:
                    batch.rows.append(line)
                    self._counts[batch.table] += 1
                    if self._is_full(batch):
                        yield batch
                        batch = RowBatch(batch.table, batch.columns, begins_at=self._bytes_read)
                else:
                    # The head of the next table, or the end. Both end the rows of the table before it.
                    if batch.rows:
                        yield batch
                    if "end" in line:
                        break
                    batch = RowBatch(line["table"], line["columns"], begins_at=self._bytes_read)
                    self._begin_table(batch.table)
        self._require_intact_end(line["end"], checksum_before_line)
        self.contents.rows = dict(self._counts)

    def _is_full(self, batch: RowBatch) -> bool:
        max_bytes = 10_000_000
        return len(batch.rows) == ROWS_AT_ONCE or self._bytes_read - batch.begins_at > max_bytes

    def _begin_table(self, table: str) -> None:
        if table not in BACKED_UP_TABLES:
            raise InvalidBackup(
                f"{self.path} has rows of {table}, which cannot be restored here. {USE_ITS_VERSION}"
            )
        self._counts[table] = 0

    def _require_intact_end(self, written_end: Any, checksum: str) -> None:
        """Compare the end that the last line declares with the rows and the checksum before it.

        Raises:
            InvalidBackup: they differ, or it is not the last line.
        """
        # This reads the end of the compressed file too, which holds a checksum.
        has_more = next(self._lines, None) is not None
        expected_end = {"rows": dict(self._counts), "sha256": checksum}
        if has_more or written_end != expected_end:
            raise InvalidBackup(
                f"{self.path} is damaged: it does not hold the rows that were written. Use another backup."
            )

    @contextmanager
    def _errors_as_damage(self) -> Iterator[None]:
        """Raise InvalidBackup in the block for lines of another shape than `write_backup_and_return_contents` writes."""
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError):
            raise damaged_backup_error(self.path) from None

    def _parse_next_line(self) -> Any:
        try:
            line = next(self._lines)
            self._digest.update(line)
            self._bytes_read += len(line)
            return json.loads(line)
        except (StopIteration, ValueError, RecursionError):
            raise damaged_backup_error(self.path) from None


def verify_backup(path: Path) -> BackupContents:
    """Read a whole backup and return its contents.

    Raises:
        InvalidBackup: it is not whole, or cannot be read within the limits of a document.
    """
    # The last contents are complete.
    *_, contents = _within_limits(path, _iterate_contents)
    return contents


def _iterate_contents(path: Path) -> Iterator[BackupContents]:
    """Yield the contents after each batch, complete at the end. Each step has the limits of a document."""
    reader = BackupReader(path)
    for _ in reader.iterate_batches():
        yield reader.contents
    yield reader.contents


def _iterate_batches(path: Path) -> Iterator[RowBatch]:
    yield from BackupReader(path).iterate_batches()


def _within_limits(path: Path, read: Callable[[Path], Iterator[T]]) -> Iterator[T]:
    """Yield what `read` yields. Each value is read within the limits of a document: memory and time.

    Raises:
        InvalidBackup: a limit is exceeded.
    """
    try:
        yield from iterate_rows_in_limited_process(read(path))
    except LimitExceeded as reason:
        raise InvalidBackup(f"{path} cannot be read: {reason}.") from None


# --- Restoring -----------------------------------------------------------------------------------

MigrationKey = tuple[str, str]  # app and name


def require_empty_and_fitting_database(contents: BackupContents) -> None:
    """Raise InvalidBackup if the database already has rows, or if its tables do not fit the backup."""
    # For its errors: the backup is of another version.
    _migrations_to_restore_into(MigrationExecutor(connection), contents)
    # The tables that exist may have the columns of another version, so no model is used.
    existing_tables = set(connection.introspection.table_names())
    must_be_empty = set(BACKED_UP_TABLES) - set(FILLED_BY_MIGRATIONS)
    # People know these. Other tables are named only if these are empty.
    main_labels = ["episodes.podcast", "episodes.episode", "auth.user"]
    other_labels = sorted(must_be_empty - set(main_labels))
    rows = _describe_rows(main_labels, existing_tables) or _describe_rows(
        other_labels, existing_tables
    )
    if rows:
        raise InvalidBackup(
            f"The database is not empty: it has {rows}. Restore into an empty database. "
            "Nothing was changed."
        )


def _describe_rows(table_labels: Iterable[str], existing_tables: Collection[str]) -> str:
    """Return the numbers of rows, such as "3 shows, 18 episodes and 1 account". Leave out empty tables."""
    counts_in_words = []
    for label in table_labels:
        table = apps.get_model(label)._meta.db_table
        # A database without tables gets them during the restore.
        if table not in existing_tables:
            continue
        row_count = _count_rows_of_table(table)
        if row_count:
            counts_in_words.append(format_count(row_count, *_words_for_rows(label)))
    return get_text_list(counts_in_words, "and")


def _words_for_rows(table_label: str) -> tuple[str, str]:
    # Pages have other words for some tables than their models.
    words_of_pages = {
        "auth.user": ("account", "accounts"),
        "episodes.podcast": ("show", "shows"),
        "episodes.capture": ("stored document", "stored documents"),
    }
    meta = apps.get_model(table_label)._meta
    words_of_model = str(meta.verbose_name), str(meta.verbose_name_plural)
    return words_of_pages.get(table_label, words_of_model)


def _count_rows_of_table(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")
        (row_count,) = cursor.fetchone()
    return int(row_count)


def fill_empty_database_from_backup(
    path: Path, contents: BackupContents, on_progress: CountCallback
) -> None:
    """Fill an empty database, with or without tables, from a backup. The caller has checked that the database is
    empty and that the backup is complete.

    The rows of an earlier version are upgraded by the migrations since then. `on_progress` is called with
    counts of rows, then of shows that are rebuilt.

    Raises:
        InvalidBackup: the rows do not fit. No row was restored.
    """
    executor = MigrationExecutor(connection)
    migrations = _migrations_to_restore_into(executor, contents)
    # First make the tables as they were when the backup was made. Its rows fit no others.
    executor.migrate(migrations)
    with _transaction_with_final_checks():
        historical_apps = executor.loader.project_state(migrations).apps
        # Each batch is read within the limits of memory and time that a document has.
        batches = _within_limits(path, _iterate_batches)
        reported_batches = _batches_with_progress_reported(batches, contents, on_progress)
        _insert_rows_and_replace_default_roles(reported_batches, historical_apps)
        # The remaining migrations, and the steps that Django takes after them. `rebuild` renews the catalog.
        call_command("migrate", verbosity=0, renew_catalog=False)
        _begin_ids_after_restored_rows()
        call_command("rebuild", verbosity=0, on_progress=on_progress)


def _begin_ids_after_restored_rows() -> None:
    """Let the ids of new rows begin after the restored ones, which came with their ids."""
    models = [apps.get_model(label) for label in BACKED_UP_TABLES]
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


def _migrations_to_restore_into(
    executor: MigrationExecutor, contents: BackupContents
) -> list[MigrationKey]:
    """Return the migrations (app, name) to apply before rows are restored: those of the backup, and the last
    ones of apps that it does not have.

    A migration of the backup that was squashed since is replaced by the squashed one.

    Raises:
        InvalidBackup: this version does not know a migration of the backup, or the database already has tables
            of a later version than the backup.
    """
    loader = executor.loader
    migrations = _known_migrations_of_backup_or_raise(loader, contents)
    # No row is restored into tables of other apps, such as sessions. So these are made as they are now.
    for app, name in loader.graph.leaf_nodes():
        if app not in contents.schema:
            migrations.append((app, name))
    # The steps from the present tables to these migrations, each with whether it undoes a migration.
    plan = executor.migration_plan(migrations)
    # For tables of a later version, the plan would undo migrations.
    has_later_tables = any(is_backwards for _, is_backwards in plan)
    if has_later_tables:
        raise InvalidBackup(
            "The backup was made by an earlier version of this software; restore it into a database without tables: "
            "they are made as they were then, and upgraded with the rows."
        )
    return migrations


def _known_migrations_of_backup_or_raise(
    loader: MigrationLoader, contents: BackupContents
) -> list[MigrationKey]:
    # The backup names the last migration of each app. It may have been squashed since.
    replacement_by_last_squashed = {}
    for key, replacement in loader.replacements.items():
        replacement_by_last_squashed[replacement.replaces[-1]] = key
    migrations = [replacement_by_last_squashed.get(key, key) for key in contents.schema.items()]
    unknown = sorted(set(migrations) - loader.graph.nodes.keys())
    if unknown:
        unknown_names = ", ".join(f"{app} {name}" for app, name in unknown)
        raise InvalidBackup(
            f"The backup was made by another version of this software ({unknown_names}). {USE_ITS_VERSION}"
        )
    return migrations


@contextmanager
def _transaction_with_final_checks() -> Iterator[None]:
    """Run the block in one transaction with foreign keys off, and check them at its end.

    Raises:
        InvalidBackup: the rows do not fit the tables, or not together.
    """
    # Before the transaction, because SQLite ignores this within one.
    connection.disable_constraint_checking()
    try:
        with transaction.atomic():
            yield
            connection.check_constraints()
    # These errors mean that values do not fit their columns, or the steps that rebuild from them.
    except (
        IntegrityError,
        DataError,
        ValidationError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
    ) as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise InvalidBackup(
            f"The backup does not fit together; nothing was restored ({reason})."
        ) from error
    finally:
        connection.enable_constraint_checking()


def _batches_with_progress_reported(
    batches: Iterable[RowBatch], contents: BackupContents, on_progress: CountCallback
) -> Iterator[RowBatch]:
    row_count = 0
    total = sum(contents.rows.values())
    for batch in batches:
        on_progress(row_count, total, "rows")
        yield batch
        row_count += len(batch.rows)


def _insert_rows_and_replace_default_roles(
    batches: Iterator[RowBatch], historical_apps: Apps
) -> None:
    """Insert the rows of a backup in place of the roles that migrations made.

    `historical_apps` have the models as they were when the backup was made.
    """
    for label in FILLED_BY_MIGRATIONS:
        historical_apps.get_model(label)._default_manager.all().delete()
    for batch in batches:
        # The columns are given by name: their order differs between versions.
        row_builder = RowBuilder(historical_apps, batch.table, batch.columns)
        rows = [row_builder.build_row(values) for values in batch.rows]
        row_builder.model._default_manager.bulk_create(rows)
    if connection.vendor == "postgresql":
        # PostgreSQL cannot alter a table while its foreign keys wait to be checked.
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class RowBuilder:
    """Makes models of the rows of one table, as the models were when the backup was made."""

    def __init__(self, apps: Apps, label: str, columns: Sequence[str]) -> None:
        self.apps = apps
        self.model = apps.get_model(label)
        fields_by_column = {field.attname: field for field in self.model._meta.concrete_fields}
        self.fields = [fields_by_column[column] for column in columns]

    def build_row(self, values: Sequence[Any]) -> Model:
        values_by_column = {}
        for model_field, value in zip(self.fields, values, strict=True):
            column = model_field.attname
            if column == PERMISSION_COLUMN:
                # In place of its id a backup has the names of a permission.
                values_by_column[column] = self._find_or_create_permission_id(*value)
            else:
                values_by_column[column] = model_field.to_python(value)
        row: Model = self.model(**values_by_column)
        return row

    @cache  # noqa: B019  a builder lives as long as its batch
    def _find_or_create_permission_id(self, app: str, model: str, codename: str, name: str) -> int:
        # Django creates the permissions of new models only after all migrations.
        content_types = self.apps.get_model("contenttypes.contenttype").objects
        permissions = self.apps.get_model("auth.permission").objects
        content_type, _ = content_types.get_or_create(app_label=app, model=model)
        permission, _ = permissions.get_or_create(
            content_type=content_type, codename=codename, defaults={"name": name}
        )
        return int(permission.pk)
