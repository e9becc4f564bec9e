"""Lists for the time somebody has: reads what is asked, and fills the minutes."""

from __future__ import annotations

from collections.abc import Sequence

from django import forms

from ...models import Podcast, Topic
from ..lists.filters import EpisodeFilters, KnownValue, ListFilter

NAMES = ("minutes", "topic", "podcast", "sort")
ORDERS = {"newest": "Newest first", "oldest": "Oldest first"}
MOST_MINUTES = 24 * 60


class TimeBudget(EpisodeFilters):
    """The parameters of a list for the time there is: how long, about what, of which show,
    beginning with which."""

    minutes = ListFilter(forms.IntegerField, min_value=1, max_value=MOST_MINUTES)
    topic = ListFilter(KnownValue, "about", model=Topic)
    podcast = ListFilter(KnownValue, "of_show", model=Podcast)
    sort = ListFilter(forms.ChoiceField, choices=list(ORDERS.items()))

    names = NAMES

    @property
    def budget(self) -> int:
        """The minutes that were asked for; 0 where none were, or none that can be read."""
        return self.cleaned.get("minutes") or 0

    @property
    def order(self) -> str:
        return self.selection.one("sort") or "newest"


def fitting(lengths: Sequence[int], seconds: int) -> list[int]:
    """The places of those that fit into `seconds` together; `lengths` are seconds in the order of
    preference, and each is taken that still fits."""
    chosen, left = [], seconds
    for place, length in enumerate(lengths):
        if length <= left:
            chosen.append(place)
            left -= length
    return chosen
