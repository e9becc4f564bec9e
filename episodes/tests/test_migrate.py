"""One `manage.py migrate` at a time, whatever the number of machines that are upgraded."""

from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connection, transaction

pytestmark = [pytest.mark.django_db, pytest.mark.only_on("postgresql")]
ADVISORY_LOCKS = (
    "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


def migrate(app: str = "contenttypes") -> None:
    call_command("migrate", app, verbosity=0)


def held() -> int:
    with connection.cursor() as cursor:
        cursor.execute(ADVISORY_LOCKS)
        return int(cursor.fetchone()[0])


@pytest.fixture
def other_machine() -> Iterator[None]:
    """A `migrate` of another machine that has begun."""
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SET lock_timeout = '10s'")
        cursor.execute("SELECT pg_advisory_lock(%s)", [0x6D696772617465])  # "migrate" in ASCII
        yield
    other.close()


@pytest.mark.usefixtures("other_machine")
def test_a_second_migrate_waits_for_the_first() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL lock_timeout = '100ms'")
    with pytest.raises(OperationalError, match="lock timeout"), transaction.atomic():
        migrate()
    assert held() == 1  # the other machine's


def test_lock_is_released_after_failure() -> None:
    migrate()
    assert held() == 0
    with pytest.raises(CommandError):
        migrate("no_such_app")
    assert held() == 0
