"""What all tests share: static files without a manifest, and the catalog of the shipped documents."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import SimpleTestCase, override_settings
from pytest_django.plugin import DjangoDbBlocker

from episodes.models import Podcast

from .examples import LONG
from .kept import Rows, catalog_models, put_back, rows_of

TESTS = Path(__file__).parent
# What depends on the database: writers, locks, search, time limits, values that one database takes and the other does
# not. CI runs it on both, and the rest on SQLite; `make test-all` runs everything that asks a database on both.
ON_BOTH = (
    "admin/test_accounts.py",
    "admin/test_bad_filters.py",
    "admin/test_bulk.py",
    "admin/test_held.py",
    "admin/test_logins.py",
    "admin/test_merging.py",
    "admin/test_sources.py",
    "admin/test_spreadsheet.py",
    "admin/test_topics.py",
    "curation",
    "ingest/test_addresses.py",
    "ingest/test_bad_input.py",
    "ingest/test_companions.py",
    "ingest/test_images.py",
    "ingest/test_order.py",
    "ingest/test_settled.py",
    "ingest/test_side_by_side.py",
    "ingest/test_tidy.py",
    "ingest/test_upgrade.py",
    "read/test_bad_values.py",
    "read/test_bounds.py",
    "read/test_hostile_requests.py",
    "read/test_kept_pages.py",
    "read/test_search.py",
    "read/test_search_as_typed.py",
    "read/test_search_index.py",
    "read/test_snapshot.py",
    "resolve",
    "schedule",
)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out tests that are about the other database, and in the second suite those that are about none."""
    # The catalog stays in a worker's database once it is there; tests that want none come first.
    items.sort(key=lambda item: (_has_transactions(item), "catalog" in getattr(item, "fixturenames", ())))
    elsewhere = {item for item in items if _is_elsewhere(item)}
    if elsewhere:
        config.hook.pytest_deselected(items=list(elsewhere))
        items[:] = [item for item in items if item not in elsewhere]


def _is_elsewhere(item: pytest.Item) -> bool:
    only = item.get_closest_marker("only_on")
    if only and connection.vendor not in only.args:
        return True
    if os.environ.get("SECOND_DATABASE") != "true":
        return False
    if not isinstance(item, pytest.Function):
        return False
    # What asks no database, or looks at pages that the first one gave, is as it was there.
    if not _asks_database(item) or item.get_closest_marker("pages") is not None:
        return True
    return not (LONG or only or _is_on_both(item.path))


def _is_on_both(path: Path) -> bool:
    return any(path.is_relative_to(TESTS / name) for name in ON_BOTH)


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
    """A file for SQLite, as in real use: a database in memory is one connection, and when two requests of a browser use it
    at once, one waits for Python while it holds the connection, the other for the connection while it holds Python."""
    if connection.vendor == "sqlite":
        kept = os.environ.get("TEST_DATABASE")
        connection.settings_dict["TEST"]["NAME"] = kept or str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(autouse=True, scope="session")
def quick_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests need neither the manifest that `collectstatic` writes, nor folders of the checkout, nor passwords that are
    hard to guess."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    storages = {**settings.STORAGES, "staticfiles": plain}
    # A hash that is slow to guess is slow to make, too.
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    static, media = tmp_path_factory.mktemp("static"), tmp_path_factory.mktemp("media")
    with override_settings(
        STORAGES=storages, STATIC_ROOT=static, MEDIA_ROOT=media, PASSWORD_HASHERS=hashers, PAGES_KEPT=0
    ):
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
