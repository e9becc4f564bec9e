"""The sources: which place knows which episode, what each lost, and how each is doing."""

from __future__ import annotations

from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Image
from ...site import site
from ..lists.selection import Selection
from ..page import show_page
from ..pages import page_links, paged
from .coverage import places
from .health import asked_show, in_order

PER_PAGE = 40
MOST_IMAGES = 200


@require_safe
def sources(request: HttpRequest) -> HttpResponse:
    """The sources with their coverage; with several shows those in trouble first, each folded to a
    line."""
    podcast = asked_show(request.GET.get("podcast", ""))
    of_site = site()
    page = paged(request, in_order(podcast), PER_PAGE)
    groups = groupby(places(list(page)), lambda place: of_site.several and place.source.is_wrong)
    context = page_links(request, page, reverse("sources"), _chosen(podcast)) | {
        "section": "sources",
        "site": of_site,
        "groups": [(is_in_trouble, list(members)) for is_in_trouble, members in groups],
        "podcast": podcast,
        "compact": of_site.several,
        "images": Image.objects.exclude(trouble="").order_by("address")[:MOST_IMAGES],
    }
    return show_page(request, "episodes/sources.html", context)


def _chosen(podcast: str) -> Selection:
    return Selection({}, ("podcast",)).replaced(podcast=podcast)
