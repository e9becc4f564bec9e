"""Shared by all tests: static files without a manifest, and the catalog of the shipped documents."""

from __future__ import annotations

import gc
import os
import random
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection
from django.template import engines
from django.test import SimpleTestCase, TransactionTestCase, override_settings
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django.plugin import DjangoDbBlocker

from episodes import meaning
from episodes.models import Podcast

from .examples import SECOND, examples
from .kept import Rows, Snapshot, catalog_models, put_back, rows_of
from .patience import PATIENCE
from .processes import TEMPLATE

TESTS = Path(__file__).parent
# Of the condition `date` (.ci/conditions.py).
if test_date := os.environ.get("TEST_DATE"):
    time_machine.travel(test_date).start()
# On a busy machine any example may take long.
hypothesis_settings.register_profile(
    "unhurried",
    deadline=None,
    max_examples=examples(30, 100),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
hypothesis_settings.load_profile("unhurried")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Return True for files without tests for the second database, so that they are not imported."""
    if not SECOND or not collection_path.name.startswith("test_"):
        return None
    text = collection_path.read_text()
    return None if "only_on(" in text or "mark.on_both" in text else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests of the other database, and in the second suite tests of no database."""
    if order := os.environ.get("TEST_ORDER"):  # another order, the same for the same text
        random.Random(order).shuffle(items)
    # The catalog stays in a worker's database, so tests without it come first.
    items.sort(key=lambda item: (_has_transactions(item), "catalog" in getattr(item, "fixturenames", ())))
    left_out = {item for item in items if _is_for_other_database(item)}
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish() -> None:
    """Collect garbage rarely, and never among the modules that are loaded by now."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _is_for_other_database(item: pytest.Item) -> bool:
    only = item.get_closest_marker("only_on")
    if only and connection.vendor not in only.args:
        return True
    if os.environ.get("SECOND_DATABASE") != "true" or not isinstance(item, pytest.Function):
        return False
    # Tests without a query, or of pages, have the same result on both databases.
    if not _uses_database(item) or item.get_closest_marker("pages") is not None:
        return True
    return SECOND and not only and not item.get_closest_marker("on_both")


def _is_case(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and item.cls is not None and issubclass(item.cls, SimpleTestCase)


def _uses_database(item: pytest.Item) -> bool:
    names = {"db", "transactional_db", "live_server"} & {*getattr(item, "fixturenames", ())}
    return bool(item.get_closest_marker("django_db") or names or _is_case(item))


def _has_transactions(item: pytest.Item) -> bool:
    """Return True if a test commits, so that the database is emptied after it."""
    mark = item.get_closest_marker("django_db")
    names = {"transactional_db", "live_server"} & {*getattr(item, "fixturenames", ())}
    return bool(names) or (mark is not None and bool(mark.kwargs.get("transaction")))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Count skipped tests as failed if CI=true."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        report.outcome = "failed"
    return report


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Use a file for SQLite: in a database in memory two requests share a connection, and wait for each other."""
    test = connection.settings_dict["TEST"]
    if connection.vendor == "sqlite":
        connection.settings_dict["OPTIONS"]["timeout"] = PATIENCE
        test["NAME"] = os.environ.get("TEST_DATABASE") or str(tmp_path_factory.mktemp("database") / "test.sqlite3")
        if TEMPLATE:
            shutil.copy(TEMPLATE, test["NAME"])
    elif TEMPLATE:
        test["TEMPLATE"] = TEMPLATE


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_keepdb: bool) -> bool:
    return django_db_keepdb or bool(TEMPLATE and connection.vendor == "sqlite")


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Snapshot | None]:
    """Restore a SQLite database after each test that commits: Django's flush and new rows take longer."""
    if connection.vendor != "sqlite":
        yield None
        return
    snapshot = Snapshot()
    with django_db_blocker.unblock():
        snapshot.take()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", lambda test: snapshot.restore())
        yield snapshot
    snapshot.copy.close()


@pytest.fixture(autouse=True, scope="session")
def without_encoder() -> Iterator[None]:
    """Turn off search by meaning: the last digits of vectors differ between processors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meaning, "has_encoder", lambda: False)
        yield


@pytest.fixture(autouse=True, scope="session")
def quick_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Turn off the manifest, slow hashes, limits, and the process for each document."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    storages = {**settings.STORAGES, "staticfiles": plain}
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    static, media = tmp_path_factory.mktemp("static"), tmp_path_factory.mktemp("media")
    folders = {"STATIC_ROOT": static, "MEDIA_ROOT": media}
    limits = {"CLIENT_REQUESTS": 0, "READ_SECONDS": 0}
    with override_settings(STORAGES=storages, PASSWORD_HASHERS=hashers, PAGES_KEPT=0, **folders, **limits):
        yield


class _UndefinedVariable(str):
    """The text that Django's templates show for an undefined variable, which fails the test."""

    def __contains__(self, part: object) -> bool:
        return True  # Django then asks for the text with the variable's name

    def __mod__(self, variable: object) -> str:
        pytest.fail(f"a template has no variable {variable}")


@pytest.fixture(autouse=True, scope="session")
def strict_templates() -> Iterator[None]:
    """Fail if a template of the admin shows an undefined variable."""
    templates: Any = engines["django"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(templates.engine, "string_if_invalid", _UndefinedVariable("%s"))
        yield


@pytest.fixture(scope="session")
def kept_rows(django_db_setup: Snapshot | None, django_db_blocker: DjangoDbBlocker) -> Rows:
    """Import the shipped catalog at its first use, and return its rows."""
    with django_db_blocker.unblock():
        call_command("first_run", verbosity=0)
        if django_db_setup:
            django_db_setup.take()
        return rows_of(catalog_models())


@pytest.fixture
def catalog(kept_rows: Rows, db: None) -> None:
    """Provide the shipped catalog. Insert its rows again if a test with transactions emptied the database."""
    if not Podcast.objects.exists():
        put_back(kept_rows)


@pytest.fixture(autouse=True)
def _empty_caches() -> None:
    """Empty the caches before each test."""
    for cache in caches.all(initialized_only=True):
        cache.clear()


@pytest.fixture(autouse=True)
def _empty_without_catalog(request: pytest.FixtureRequest) -> None:
    """Delete the catalog for a test that does not use it."""
    names = request.fixturenames
    # Test cases create their data in `setUpTestData`, before the first test with the catalog.
    if "catalog" in names or "kept_rows" in names or _is_case(request.node) or not _uses_database(request.node):
        return
    request.getfixturevalue("transactional_db" if _has_transactions(request.node) else "db")
    if Podcast.objects.exists():
        for model in reversed(catalog_models()):
            rows = model._base_manager.all()
            rows._raw_delete(rows.db)
