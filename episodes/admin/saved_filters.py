"""The names of filters: saved beside a list, and counted on the start page."""

from copy import copy
from typing import Any, cast

from django import forms
from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, QueryDict
from django.utils.http import urlencode

from ..curation import find_saved_filter, forget_filter, save_filter_for_all_curators
from ..models import SavedFilter
from .base import ActionView, SubjectGone, list_url


def normalized_filter_query(parameters: QueryDict) -> str:
    """Return the filter of a list's address, in one order whatever order it was put together in."""
    filters = parameters.copy()
    # These choose no rows: page, order, all, the mark of a wrong filter, counts.
    for name in ("p", "o", "all", "e", "_facets"):
        filters.pop(name, None)
    # The search field is sent also if it is empty.
    if not filters.get("q"):
        filters.pop("q", None)
    return urlencode(sorted(filters.lists()), doseq=True)


class NameForm(forms.Form):
    name = forms.CharField(max_length=80, help_text="The start page shows it, with its count.")


class SaveFilterView(ActionView):
    """Saves the filter of the address under a name."""

    form_class: Any = NameForm
    title = "Save this filter"
    success_message = "The filter was saved. The start page shows it."

    def set_view_attributes_from_address(self) -> None:
        self.list_name = str(self.model_admin.opts.object_name)
        self.query = normalized_filter_query(self.request.GET)
        url = list_url(self.list_name.lower())
        if not self.query:
            raise SubjectGone(url, "Filter the list first.")
        self.success_url = f"{url}?{self.query}"

    def make_change(self) -> None:
        name = self.form.cleaned_data["name"]
        save_filter_for_all_curators(self.request.user, self.list_name, self.query, name)


class ForgetFilterView(SaveFilterView):
    """Deletes the name of the filter of the address."""

    form_class = forms.Form
    title = "Forget this filter"
    success_message = "The filter was forgotten."

    def make_change(self) -> None:
        saved = find_saved_filter(self.list_name, self.query)
        if saved:
            forget_filter(self.request.user, saved)


def load_saved_filters_with_row_counts(request: HttpRequest) -> list[dict[str, Any]]:
    """Return name, count and address of each saved filter of the lists that the person may see.

    The count is None if the list has no such filter any more.
    """
    admins = cast(Any, admin.site).lists
    filters = []
    for saved in SavedFilter.objects.all():
        # A later version may not have the list any more.
        model_admin = admins.get(saved.list_name)
        if model_admin is None or not model_admin.has_view_permission(request):
            continue
        described = {
            "name": saved.name,
            "list": model_admin.list_name,
            "count": _count_filtered_rows_or_none(request, model_admin, saved.query),
            "address": list_url(saved.list_name.lower(), f"?{saved.query}"),
        }
        filters.append(described)
    return filters


def _count_filtered_rows_or_none(request: HttpRequest, model_admin: Any, query: str) -> int | None:
    """Return the number of rows that a list shows with a filter, or None if it cannot be used."""
    list_request = copy(request)
    list_request.GET = QueryDict(query)
    try:
        return int(model_admin.get_changelist_instance(list_request).result_count)
    except (IncorrectLookupParameters, SuspiciousOperation):
        return None
