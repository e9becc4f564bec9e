"""What all tests share: static files without a manifest, and the catalog of the shipped documents."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import models
from django.test import override_settings

Rows = list[tuple[type[models.Model], list[models.Model]]]


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
