"""The rows of an admin list, each cell with the label of its column, for phones."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import template
from django.contrib.admin.templatetags.admin_list import ResultList, result_list
from django.contrib.admin.views.main import ChangeList
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst

register = template.Library()


@register.inclusion_tag("admin/change_list_results.html")
def labelled_result_list(changelist: ChangeList) -> dict[str, Any]:
    """Return what Django's tag `result_list` gives to its template, with labels in the cells."""
    context: dict[str, Any] = result_list(changelist)
    rows = []
    for row in context["results"]:
        rows.append(ResultList(row.form, label_cells(row, context["result_headers"])))
    return {**context, "results": rows}


def label_cells(
    cells: Sequence[SafeString], headers: Sequence[Mapping[str, Any]]
) -> Iterator[SafeString]:
    """Yield the cells of a row, as Django renders them, with their labels as data."""
    for cell, header in zip(cells, headers, strict=True):
        # The checkbox of a row and an icon need no label.
        is_checkbox = "action-checkbox" in header.get("class_attrib", "")
        if is_checkbox or not header["text"]:
            yield cell
        else:
            label = format_html(' data-label="{}"', capfirst(header["text"]))
            after_tag_name = len("<td")  # or `<th`
            yield mark_safe(cell[:after_tag_name] + label + cell[after_tag_name:])
