"""Every show by year and month."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import ON_CARDS, Snapshot, for_cards, snapshot
from ...site import site
from ..lists.facets import in_groups
from ..page import show_page
from ..pages import page_links, paged
from .bands import bands, wholes

ON_TIMELINE = ("order", *(name for name in ON_CARDS if name != "description_text"))


class OldestByShow(Sequence[Any]):
    """The listed episodes, a show after the other, the oldest of each first; a page of them is the ids of each show."""

    def __init__(self, now: Snapshot) -> None:
        self.shelves = sorted(now.shelves.items())

    def __len__(self) -> int:
        return sum(shelf.count for _, shelf in self.shelves)

    def __getitem__(self, part: Any) -> Any:
        found: list[tuple[int, list[int]]] = []
        before = 0
        for show, shelf in self.shelves:
            oldest = shelf.ids[: shelf.count][::-1]
            ids = oldest[max(0, part.start - before) : max(0, part.stop - before)]
            found += [(show, ids.tolist())] if ids else []
            before += shelf.count
        return found


@require_safe
def timeline(request: HttpRequest) -> HttpResponse:
    """Every episode in its month, as long as it lasts; those without a date beneath."""
    now = snapshot()
    page = paged(request, OldestByShow(now))
    several = sum(bool(shelf.count) for shelf in now.shelves.values()) > 1
    rows = for_cards(now, [pk for _, ids in page.object_list for pk in ids], ON_TIMELINE)
    groups = dict.fromkeys(topic.group for topic in in_groups(now.topics.values()))
    context = page_links(request, page, reverse("timeline")) | {
        "section": "timeline",
        "site": site(now),
        "several": several,
        "bands": bands(rows, wholes(rows, now), list(groups)),
    }
    return show_page(request, "episodes/timeline.html", context)
