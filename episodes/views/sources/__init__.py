"""The sources: which place knows which episode, what each lost, and how each is doing."""

from itertools import groupby

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from ...models import Image
from ...site import site
from ..lists.selection import Selection
from ..page import show_page
from ..pages import page_links, paged
from .coverage import as_json, asked_show, in_order, last_runs, places, ranked

PER_PAGE = 40
PER_PAGE_OF_JSON = 500
MOST_IMAGES = 200


@require_safe
def sources(request: HttpRequest) -> HttpResponse:
    """The sources with their coverage; with several shows those in trouble first, each folded to a
    line."""
    podcast = asked_show(request.GET.get("podcast", ""))
    of_site = site()
    page = paged(request, in_order(podcast), PER_PAGE)
    # Those in trouble come first, so there are two groups at most.
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


@require_safe
def sources_json(request: HttpRequest) -> HttpResponse:
    """The state of every source, worst first, for programs that watch over them."""
    now, podcast = timezone.now(), asked_show(request.GET.get("podcast", ""))
    page = paged(request, ranked(podcast, now), PER_PAGE_OF_JSON)
    runs = last_runs(list(page))
    following = request.build_absolute_uri(reverse("sources-json")) + _chosen(podcast).query(
        page.number + 1
    )
    body = {
        "checked": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "total": page.paginator.count,
        "next_url": following if page.has_next() else None,
        "sources": [as_json(source, runs.get(source.last_run)) for source in page],
    }
    answer = JsonResponse(body, json_dumps_params={"ensure_ascii": False})
    # It changes with every reading and with the time, not with the catalog.
    answer["Cache-Control"] = "no-store"
    return answer


def _chosen(podcast: str) -> Selection:
    return Selection({}, ("podcast",)).replaced(podcast=podcast)
