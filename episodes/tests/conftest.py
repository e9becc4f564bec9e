"""What all tests share: static files without a manifest, and the catalog of the shipped documents."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection, models
from django.test import SimpleTestCase, override_settings

Rows = list[tuple[type[models.Model], list[models.Model]]]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out tests that are about the other database, and in the second suite those that are about none."""
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
    asks = item.get_closest_marker("django_db") or {"db", "transactional_db", "live_server"} & {*item.fixturenames}
    in_case = item.cls is not None and issubclass(item.cls, SimpleTestCase)
    return not (asks or in_case) or item.get_closest_marker("pages") is not None


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
        connection.settings_dict["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(autouse=True, scope="session")
def plain_static_files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests need neither the manifest nor the folder that `collectstatic` writes."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    storages = {**settings.STORAGES, "staticfiles": plain}
    with override_settings(STORAGES=storages, STATIC_ROOT=tmp_path_factory.mktemp("static")):
        yield


@pytest.fixture(scope="session")
def kept_rows() -> Rows:
    """The rows of the shipped catalog, kept by the first test that ingests them: the others need not do so again."""
    return []


@pytest.fixture
def catalog(db: None, kept_rows: Rows) -> None:
    """The shipped show with all its documents ingested."""
    if not kept_rows:
        call_command("first_run", verbosity=0)
        kept_rows += [(m, list(m._default_manager.all())) for m in apps.get_app_config("episodes").get_models()]
        return
    for model, rows in kept_rows:
        model._default_manager.bulk_create(rows)
