"""Further filters of the list of episodes."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast
from django.http import HttpRequest

from ..fields import FIELDS_BY_NAME, SOURCED_FIELDS


class ConflictFilter(admin.SimpleListFilter):
    """The fields that sources contradict each other about."""

    title = "conflict"
    parameter_name = "conflict"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(field.name, field.label) for field in SOURCED_FIELDS]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        name = str(self.value())
        if name not in FIELDS_BY_NAME:
            return queryset
        # Within a value, quotation marks are escaped, so only the name of a field is found.
        rows: QuerySet[Any] = queryset.annotate(conflicts_text=Cast("conflicts", TextField()))
        return rows.filter(conflicts_text__contains=f'"field": "{name}"')
