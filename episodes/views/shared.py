"""Pages of what episodes share, shows and paths among it: an index of all of a kind, and a page of
each."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse

from ..models import Counts, Topic
from ..site import Site
from .page import show_page
from .pages import page_links


def index_page(
    request: HttpRequest, section: str, of_site: Site, page: Page[Any], title: str, **context: Any
) -> HttpResponse:
    """A page of the index of a section: what all indexes show, and the context of this one."""
    usual = page_links(request, page, reverse(section)) | {
        "section": section,
        "site": of_site,
        "title": title,
    }
    return show_page(request, f"episodes/{section}.html", usual | context)


def moved(former: QuerySet[Any], field: str, slug: str, index: str) -> HttpResponse:
    """The way from an address that something had to the one it has; that of a deleted one leads to
    the index."""
    row = get_object_or_404(former.select_related(field), slug=slug)
    return redirect(getattr(row, field) or index, permanent=True)


def topics_of(counts: Counts, topics: QuerySet[Topic]) -> list[tuple[Topic, int]]:
    """The topics of counted episodes with their numbers, those of most episodes first."""
    used = counts.of("topic")
    return sorted(
        ((topic, used[str(topic.pk)]) for topic in topics.filter(pk__in=used)),
        key=lambda row: -row[1],
    )
