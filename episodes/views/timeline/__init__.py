"""Every show by year and month."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Episode, Topic, for_cards
from ...site import site
from ..lists.facets import in_groups
from ..page import show_page
from ..pages import page_links, paged
from .bands import bands, wholes


@require_safe
def timeline(request: HttpRequest) -> HttpResponse:
    """Every episode in its month, as long as it lasts; those without a date beneath."""
    oldest = Episode.objects.listed().order_by("podcast", "order").values_list("pk", flat=True)
    page = paged(request, oldest)
    rows = for_cards(page)
    groups = dict.fromkeys(topic.group for topic in in_groups(Topic.objects.all()))
    context = page_links(request, page, reverse("timeline")) | {
        "section": "timeline",
        "site": site(),
        "several": Episode.objects.listed().order_by().values("podcast").distinct()[1:2].exists(),
        "bands": bands(rows, wholes(rows), list(groups)),
    }
    return show_page(request, "episodes/timeline.html", context)
