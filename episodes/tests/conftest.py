"""What all tests share: static files without a manifest, and the catalog of the shipped documents."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import caches
from django.core.management import call_command
from django.db import connection
from django.test import SimpleTestCase, override_settings
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django.plugin import DjangoDbBlocker

from episodes.models import Podcast
from episodes.resolve import apply, follow_ups

from .examples import LONG
from .kept import Rows, catalog_models, put_back, rows_of
from .patience import PATIENCE
from .processes import TEMPLATE

TESTS = Path(__file__).parent
# On a busy machine any example takes long; that says nothing of the code.
hypothesis_settings.register_profile(
    "unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
hypothesis_settings.load_profile("unhurried")
# What depends on the database: writers, locks, search, time limits, triggers, values that only one of the databases takes,
# every curator's verb once and every import once. CI runs it on both, and the rest on SQLite; `make test-all`
# runs everything that asks a database on both. Files, folders, or tests of a file.
ON_BOTH = (
    "admin/test_accounts.py::test_failures_that_come_at_once_are_counted_one_after_another",
    "admin/test_accounts.py::test_guessing_makes_one_row_an_hour_and_no_page_anew",
    "admin/test_bad_filters.py",
    "admin/test_bulk.py",
    "admin/test_held.py::test_two_who_decide_at_once_do_not_overrule_each_other",
    "admin/test_held.py::test_no_value_breaks_the_review",
    "admin/test_inbox.py::test_every_kind_has_rows_in_words_that_lead_to_their_screens",
    "admin/test_logins.py::test_odd_names_break_nothing",
    "admin/test_logins.py::test_failures_are_forgotten_after_a_day_and_hold_no_password",
    "admin/test_logins.py::test_many_names_from_one_48_of_ipv6_have_to_wait_as_well",
    "admin/test_logins.py::test_strangers_do_not_keep_the_owner_out_at_an_address_that_is_known",
    "admin/test_merging.py::test_nothing_is_merged_over_what_another_did_meanwhile",
    "admin/test_merging.py::test_no_value_breaks_a_merge",
    "admin/test_merging.py::test_no_value_breaks_a_split",
    "admin/test_sources.py",
    "admin/test_spreadsheet.py::test_hostile_cells_break_nothing",
    "admin/test_spreadsheet.py::test_ticked_cells_become_decisions_one_change_an_episode",
    "admin/test_topics.py::test_what_cannot_be_is_refused_with_a_word_on_why",
    "admin/test_topics.py::test_merged_topics_keep_names_terms_decisions_and_addresses",
    "admin/test_topics.py::test_doubtful_topics_are_found_kept_and_taken_out",
    "curation/test_backup.py",
    "curation/test_backup_command.py::test_the_same_catalog_comes_back_on_either_database",
    "curation/test_backup_command.py::test_nothing_that_is_written_meanwhile_is_in_it",
    "curation/test_backup_command.py::test_backups_beside_an_import_and_a_curator_are_whole",
    "curation/test_laws.py",
    "curation/test_moments.py",
    "curation/test_paths.py::test_a_path_is_the_same_after_a_rebuild",
    "curation/test_follow_ups.py",
    "curation/test_repeats.py::test_undo_restores_every_byte",
    "curation/test_topic_proposals.py::test_undo_restores_every_byte",
    "curation/test_withdrawals.py::test_what_is_taken_out_is_on_no_page",
    "ingest/test_addresses.py",
    "ingest/test_bad_input.py",
    "ingest/test_companions.py::test_a_feed_that_is_fetched_brings_its_transcripts_and_chapters",
    "ingest/test_companions.py::test_words_that_are_said_lead_to_where_they_are_said_and_chapters_are_found_too",
    "ingest/test_images.py::test_a_run_asks_for_some_and_the_next_goes_on",
    "ingest/test_images.py::test_an_address_that_is_none_or_private_is_a_trouble_and_one_too_long_is_left_out",
    "ingest/test_order.py::test_some_orders_of_the_shipped_documents_make_the_same_catalog",
    "ingest/test_order.py::test_a_run_that_stops_half_way_leaves_the_state_before_it",
    "ingest/test_order.py::test_reading_stored_documents_again_changes_nothing",
    "ingest/test_settled.py::test_the_same_state_on_three_days_is_taken",
    "ingest/test_side_by_side.py",
    "ingest/test_tidy.py::test_runs_of_an_old_day_are_one_row_that_says_how_many_and_when",
    "ingest/test_tidy.py::test_the_same_bytes_are_kept_once_and_compressed",
    "ingest/test_tidy.py::test_a_dry_run_says_the_same_and_deletes_nothing",
    "ingest/test_tidy.py::test_images_that_nothing_names_go_after_a_month",
    "ingest/test_transcripts.py::test_a_curator_decides_and_nothing_overrules_it",
    "ingest/test_transcripts.py::test_brought_again_nothing_changes_and_a_changed_file_is_a_new_version",
    "read/test_bad_values.py",
    "read/test_bounds.py",
    "read/test_hostile_requests.py",
    "read/test_kept_pages.py",
    # What is found, in which order, and what was meant is compared between the databases for every query of the key.
    "read/test_moments.py",
    "read/test_search.py::test_both_databases_find_the_same_in_the_same_order",
    "read/test_search.py::test_nothing_that_is_typed_is_an_error",
    "read/test_search.py::test_no_mixture_is_an_error",
    "read/test_search.py::test_a_search_goes_with_every_filter",
    "read/test_search.py::test_the_outputs_hold_what_the_list_holds",
    "read/test_search.py::test_a_match_is_marked_where_it_stands",
    "read/test_search_as_typed.py",
    "read/test_search_index.py",
    "read/test_counts.py",
    "resolve",
    "schedule/test_worker.py",
    "schedule/test_workers.py",
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
    return not (LONG or only or _is_on_both(item))


def _is_on_both(item: pytest.Function) -> bool:
    if f"{item.path.relative_to(TESTS)}::{item.originalname}" in ON_BOTH:
        return True
    return any(item.path.is_relative_to(TESTS / name) for name in ON_BOTH)


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
    """A file that is a copy of the migrated one is not made anew."""
    return django_db_keepdb or bool(TEMPLATE and connection.vendor == "sqlite")


@pytest.fixture(autouse=True, scope="session")
def quick_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests need neither the manifest that `collectstatic` writes, nor folders of the checkout, nor passwords that are
    hard to guess, nor limits for strangers, who wait longer on a busy machine."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    storages = {**settings.STORAGES, "staticfiles": plain}
    # A hash that is slow to guess is slow to make, too.
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    static, media = tmp_path_factory.mktemp("static"), tmp_path_factory.mktemp("media")
    folders = {"STATIC_ROOT": static, "MEDIA_ROOT": media}
    limits = {"CLIENT_REQUESTS": 0}
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
def followed_up_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows from a change is there with it; no process is started for it (curation/test_follow_ups.py)."""
    monkeypatch.setattr(follow_ups, "soon", lambda podcast, *, started: apply(podcast))


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
