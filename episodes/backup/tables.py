"""The tables that a backup holds, and their rows as values of JSON."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django.apps.registry import Apps
from django.contrib.auth.models import Permission
from django.db.models import Model

FORMAT = 1  # raised when older versions of this module could not read a file

# Accounts and roles, configuration, evidence, decisions, history, the ledger of addresses. What
# follows from them is rebuilt.
KEPT = (
    "auth.group",
    "auth.group_permissions",
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
# Migrations fill these, so an empty database may have rows of them.
FILLED_BY_MIGRATIONS = ("auth.group", "auth.group_permissions")
AT_ONCE = 500  # rows that are read together
LARGE_AT_ONCE = {"episodes.content": 1}  # a row can take 20 MB

PERMISSION = "permission_id"  # of another number in each database, so it is named


def columns_of(model: type[Model]) -> list[str]:
    return [field.attname for field in model._meta.concrete_fields]


def rows_of(label: str, model: type[Model]) -> Iterator[Sequence[Any]]:
    """All rows by id, few of them in memory at once."""
    columns = columns_of(model)
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


def plain(value: object) -> str:
    """A value that JSON has no type for, as text; `Field.to_python` is the way back."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} in a backup")


class Loader:
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
