"""Shared by all tests: static files without a manifest, and the catalog of the shipped documents."""

from __future__ import annotations

import gc
import os
import random
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
import time_machine
from django.conf import settings
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection
from django.test import SimpleTestCase, override_settings
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django.plugin import DjangoDbBlocker

from episodes import meaning
from episodes.models import Podcast

from .examples import SECOND, examples
from .kept import Rows, catalog_models, put_back, rows_of
from .patience import PATIENCE
from .processes import TEMPLATE

TESTS = Path(__file__).parent
# Of the condition `date` (.ci/conditions.py).
if test_date := os.environ.get("TEST_DATE"):
    time_machine.travel(test_date).start()
# On a busy machine any example takes long; that says nothing of the code.
hypothesis_settings.register_profile(
    "unhurried",
    deadline=None,
    max_examples=examples(30, 100),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
hypothesis_settings.load_profile("unhurried")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """True for files of which CI runs nothing on the second database, so that they are not even read."""
    if not SECOND or not collection_path.name.startswith("test_"):
        return None
    text = collection_path.read_text()
    return None if "only_on(" in text or "mark.on_both" in text else True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that are about the other database, and in the second suite those that are about none."""
    if order := os.environ.get("TEST_ORDER"):  # another order, the same for the same text
        random.Random(order).shuffle(items)
    # The catalog stays in a worker's database once it is there; tests that want none come first.
    items.sort(key=lambda item: (_has_transactions(item), "catalog" in getattr(item, "fixturenames", ())))
    elsewhere = {item for item in items if _is_elsewhere(item)}
    if elsewhere:
        config.hook.pytest_deselected(items=list(elsewhere))
        items[:] = [item for item in items if item not in elsewhere]


def pytest_collection_finish() -> None:
    """Modules loaded by now live to the end: no collection of garbage looks at them again, and the others come rarely."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _is_elsewhere(item: pytest.Item) -> bool:
    only = item.get_closest_marker("only_on")
    if only and connection.vendor not in only.args:
        return True
    if os.environ.get("SECOND_DATABASE") != "true" or not isinstance(item, pytest.Function):
        return False
    # What asks no database, or looks at pages that the first one gave, is as it was there.
    if not _asks_database(item) or item.get_closest_marker("pages") is not None:
        return True
    return SECOND and not only and not item.get_closest_marker("on_both")


def _is_case(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and item.cls is not None and issubclass(item.cls, SimpleTestCase)


def _asks_database(item: pytest.Item) -> bool:
    names = {"db", "transactional_db", "live_server"} & {*getattr(item, "fixturenames", ())}
    return bool(item.get_closest_marker("django_db") or names or _is_case(item))


def _has_transactions(item: pytest.Item) -> bool:
    """True where a test commits, so that the database is emptied behind it."""
    mark = item.get_closest_marker("django_db")
    names = {"transactional_db", "live_server"} & {*getattr(item, "fixturenames", ())}
    return bool(names) or (mark is not None and bool(mark.kwargs.get("transaction")))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """With CI=true a test that is skipped has failed."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        report.outcome = "failed"
    return report


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A file for SQLite: a database in memory is one connection, on which two requests wait for each other forever."""
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


@pytest.fixture(autouse=True, scope="session")
def without_encoder() -> Iterator[None]:
    """Search is lexical, except in tests about meaning: the last digits of vectors differ between processors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meaning, "has_encoder", lambda: False)
        yield


@pytest.fixture(autouse=True, scope="session")
def quick_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Do without manifest, slow hashes, limits, and a process for each document, which has tests of its own."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    storages = {**settings.STORAGES, "staticfiles": plain}
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    static, media = tmp_path_factory.mktemp("static"), tmp_path_factory.mktemp("media")
    folders = {"STATIC_ROOT": static, "MEDIA_ROOT": media}
    limits = {"CLIENT_REQUESTS": 0, "READ_SECONDS": 0}
    with override_settings(STORAGES=storages, PASSWORD_HASHERS=hashers, PAGES_KEPT=0, **folders, **limits):
        yield


@pytest.fixture(scope="session")
def kept_rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Rows:
    """The rows of the shipped catalog, which is in the database from the first test on that asks for it."""
    with django_db_blocker.unblock():
        call_command("first_run", verbosity=0)
        return rows_of(catalog_models())


@pytest.fixture
def catalog(kept_rows: Rows, db: None) -> None:
    """The shipped show with all its documents ingested; put back where a test with transactions emptied the database."""
    if not Podcast.objects.exists():
        put_back(kept_rows)


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    """No test finds a page that another has kept."""
    for cache in caches.all(initialized_only=True):
        cache.clear()


@pytest.fixture(autouse=True)
def _empty_without_catalog(request: pytest.FixtureRequest) -> None:
    """A test that does not ask for the catalog finds none."""
    names = request.fixturenames
    # Cases with data of their own class come before the first test that asks for the catalog.
    if "catalog" in names or "kept_rows" in names or _is_case(request.node) or not _asks_database(request.node):
        return
    request.getfixturevalue("transactional_db" if _has_transactions(request.node) else "db")
    if Podcast.objects.exists():
        for model in reversed(catalog_models()):
            rows = model._base_manager.all()
            rows._raw_delete(rows.db)
