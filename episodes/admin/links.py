"""Admin screen of links: what notes point to, whether it was still there when it was asked for, and since when not."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from ..models import Link, LinkCheck
from .base import Option, OptionsFilter, ReadOnly
from .inbox_kinds import links_in_trouble

SHOWN = ("outcome", "asked_at", "failures", "failing_since", "note")


class LinkTroubleFilter(OptionsFilter):
    """The links that are gone or were not reached time after time, and those that nobody asked for yet."""

    title, parameter_name = "links in trouble", "trouble"
    options: ClassVar[dict[str, Option]] = {
        "yes": ("Yes", lambda rows: rows.filter(pk__in=links_in_trouble().order_by().values("pk"))),
        "unasked": ("Not checked yet", lambda rows: rows.exclude(key__in=LinkCheck.objects.order_by().values("key"))),
    }


@admin.register(Link)
class LinkAdmin(ReadOnly):
    list_display = ("key", "state", "asked", "kind", "title")
    list_filter = (LinkTroubleFilter, "kind")
    search_fields = ("key", "title")
    readonly_fields = ("state", "asked", "answer")
    show_facets = admin.ShowFacets.ALWAYS

    def get_queryset(self, request: HttpRequest) -> QuerySet[Link]:
        check = LinkCheck.objects.filter(key=OuterRef("key"))
        rows: QuerySet[Link] = super().get_queryset(request)
        return rows.annotate(**{name: Subquery(check.values(name)[:1]) for name in SHOWN})

    @admin.display(description="status", ordering="outcome")
    def state(self, link: Any) -> str:
        match link.outcome:
            case None:
                return "not checked yet"
            case "there":
                return "there"
            case "gone":
                return f"gone since {link.failing_since:%Y-%m-%d}"
        day = f"{link.failing_since:%Y-%m-%d}"
        return f"unreachable on {day}" if link.failures == 1 else f"unreachable {link.failures} times since {day}"

    @admin.display(description="asked", ordering="asked_at", empty_value="never")
    def asked(self, link: Any) -> str | None:
        return f"{link.asked_at:%Y-%m-%d}" if link.asked_at else None

    @admin.display(description="answer")
    def answer(self, link: Any) -> str:
        return link.note or ""
