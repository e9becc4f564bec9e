"""Faults of the machine and of the database in words, by the codes of errors."""

import errno
import sqlite3
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Fault:
    """A failure that no code can mend, and advice to a person."""

    cause: str
    advice: str
    detail: str = ""  # for the operator alone

    def __str__(self) -> str:
        detail = f" ({self.detail})" if self.detail else ""
        return f"{self.cause}{detail}. {self.advice}"


READ_ONLY = Fault(
    "The database is read-only",
    "Let the user that runs this write to it: its file and folder, or server.",
)
FULL = Fault("The disk is full", "Free some space, then try again.")
LOCKED = Fault("The database is locked by another process", "Try again when that one has ended.")
DAMAGED = Fault(
    "The database is damaged", "Restore the last backup into an empty one (docs/operating.md)."
)
LOST = Fault(
    "The database cannot be opened",
    "Check DATABASE_URL, and that the file and its folder can be read and written.",
)
UNREACHABLE = Fault(
    "The database server cannot be reached", "Check that it runs, and the address in DATABASE_URL."
)
STOPPED = Fault("The database server ended the connection", "Try again when it runs.")
BUSY = Fault(
    "The database server has no connection left", "Try again later, or raise its max_connections."
)
DATABASE_TOO_SLOW = Fault(
    "The database took too long", "Try again later, or raise STATEMENT_TIMEOUT."
)
REFUSED = Fault(
    "The database refuses this user",
    "Check the name and password in DATABASE_URL, and what it may do.",
)
TABLES_OF_OTHER_VERSION = Fault(
    "The database does not have the tables of this version",
    "Run `manage.py migrate`. If nothing is left to migrate, this is a bug: report it with the log.",
)
NO_MEMORY = Fault("The memory is full", "Stop other programs, or give this one more.")
NO_FILES = Fault("Too many files are open", "Raise the limit (ulimit -n), or stop other programs.")
PROTECTED = Fault(
    "A file or folder may not be written", "Give the user that runs this the permission."
)
LONG = Fault("The name of a file is too long", "Choose a shorter one.")
DISK = Fault("The disk cannot be read or written", "Check it, and whether it is full.")

OF_SQLITE = {
    sqlite3.SQLITE_READONLY: READ_ONLY,
    sqlite3.SQLITE_READONLY_DBMOVED: LOST,
    sqlite3.SQLITE_FULL: FULL,
    sqlite3.SQLITE_BUSY: LOCKED,
    sqlite3.SQLITE_LOCKED: LOCKED,
    sqlite3.SQLITE_CORRUPT: DAMAGED,
    sqlite3.SQLITE_NOTADB: DAMAGED,
    sqlite3.SQLITE_CANTOPEN: LOST,
    sqlite3.SQLITE_IOERR: DISK,
    sqlite3.SQLITE_INTERRUPT: DATABASE_TOO_SLOW,
    sqlite3.SQLITE_NOMEM: NO_MEMORY,
}
# By the beginning of the code, the longest first (PostgreSQL's appendix A).
OF_POSTGRESQL = (
    ("25006", READ_ONLY),
    ("53100", FULL),
    ("53200", NO_MEMORY),
    ("53300", BUSY),
    ("55P03", LOCKED),
    ("40P01", LOCKED),
    ("57014", DATABASE_TOO_SLOW),
    ("42P01", TABLES_OF_OTHER_VERSION),
    ("42703", TABLES_OF_OTHER_VERSION),
    ("23502", TABLES_OF_OTHER_VERSION),
    ("42501", REFUSED),
    ("3D000", LOST),
    ("58P01", DAMAGED),
    ("58030", DISK),
    ("57P", STOPPED),
    ("XX", DAMAGED),
    ("28", REFUSED),
    ("08", UNREACHABLE),
)
FAULTS_BY_ERRNO = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EROFS: PROTECTED,
    errno.EACCES: PROTECTED,
    errno.EPERM: PROTECTED,
    errno.EMFILE: NO_FILES,
    errno.ENFILE: NO_FILES,
    errno.ENOMEM: NO_MEMORY,
    errno.EIO: DISK,
    errno.ENAMETOOLONG: LONG,
}


def find_fault(error: BaseException | None) -> Fault | None:
    """Return the fault behind an error or its causes, or None for an error of this program."""
    while error is not None:
        fault = _fault_of_error_or_none(error)
        if fault:
            return fault
        error = error.__cause__
    return None


def _fault_of_error_or_none(error: BaseException) -> Fault | None:
    if isinstance(error, sqlite3.Error):
        return _fault_of_sqlite_error(error)
    # Its classes are not imported: only PostgreSQL needs the package.
    if type(error).__module__.startswith("psycopg"):
        return _fault_of_postgresql_error(error)
    if isinstance(error, OSError) and error.errno in FAULTS_BY_ERRNO:
        return replace(FAULTS_BY_ERRNO[error.errno], detail=str(error.filename or ""))
    return NO_MEMORY if isinstance(error, MemoryError) else None


def _fault_of_sqlite_error(error: sqlite3.Error) -> Fault | None:
    messages_of_other_version = (
        "no such table",
        "no such column",
        "table ",  # "table episodes has no column named season"
        # Before `migrate` a table may still have a column that this version dropped. New rows leave
        # it out, and NOT NULL refuses them.
        "NOT NULL constraint failed",
    )
    if str(error).startswith(messages_of_other_version):
        return replace(TABLES_OF_OTHER_VERSION, detail=str(error))
    # Errors of Python's module itself have no code, such as for a closed connection.
    code = getattr(error, "sqlite_errorcode", -1)
    # An extended code, such as SQLITE_IOERR_READ, has its general code in its lowest byte.
    general_code = code & 0xFF
    return OF_SQLITE.get(code, OF_SQLITE.get(general_code))


def _fault_of_postgresql_error(error: BaseException) -> Fault | None:
    # The code that the server sends with each error: "53100" for a full disk.
    sqlstate = getattr(error, "sqlstate", None)
    connection_errors = ("OperationalError", "InterfaceError", "ConnectionTimeout", "PoolTimeout")
    is_without_answer = sqlstate is None and type(error).__name__ in connection_errors
    if is_without_answer:
        first_line, _, _ = str(error).strip().partition("\n")
        return replace(UNREACHABLE, detail=first_line.strip())
    for beginning, fault in OF_POSTGRESQL:
        if str(sqlstate).startswith(beginning):
            return fault
    return None
