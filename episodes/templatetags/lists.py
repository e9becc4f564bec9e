"""Each cell of an admin list with the label of its column, for phones."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst

register = template.Library()


@register.filter
def labelled(
    cells: Sequence[SafeString], headers: Sequence[Mapping[str, Any]]
) -> Iterator[SafeString]:
    """The cells of a row, as Django renders them, with their labels as data."""
    for cell, header in zip(cells, headers, strict=False):
        text = header["text"] if "action-checkbox" not in header.get("class_attrib", "") else ""
        label = format_html(' data-label="{}"', capfirst(text)) if text else ""
        yield mark_safe(cell[:3] + label + cell[3:])  # behind `<td` or `<th`
