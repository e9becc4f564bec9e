"""Every show by year and month."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from ...models import Snapshot, snapshot
from ..lists.facets import in_groups
from ..lists.filters import ON_CARDS, Cards
from ..pages import page_links, paged
from .bands import bands, wholes

ON_TIMELINE = ("order", *(name for name in ON_CARDS if name != "description_text"))


class OldestByShow(Sequence[int]):
    """The ids of the listed episodes, a show after the other, the oldest of each first."""

    def __init__(self, now: Snapshot) -> None:
        self.shelves = [shelf for _, shelf in sorted(now.shelves.items())]

    def __len__(self) -> int:
        return sum(shelf.count for shelf in self.shelves)

    def __getitem__(self, part: Any) -> Any:
        found: list[int] = []
        before = 0
        for shelf in self.shelves:
            oldest = reversed(shelf.ids[: shelf.count])
            found += islice(oldest, max(0, part.start - before), max(0, part.stop - before))
            before += shelf.count
        return found


@require_safe
def timeline(request: HttpRequest) -> HttpResponse:
    """Every episode in its month, as long as it lasts; those without a date beneath."""
    now = snapshot()
    page = paged(request, Cards(now, OldestByShow(now), ON_TIMELINE))
    shown = list(page.object_list)
    groups = dict.fromkeys(topic.group for topic in in_groups(now.topics.values()))
    context = page_links(request, page, reverse("timeline")) | {
        "section": "timeline",
        "bands": bands(shown, wholes(shown, now), list(groups)),
        "several": sum(bool(shelf.count) for shelf in now.shelves.values()) > 1,
    }
    return render(request, "episodes/timeline.html", context)
