"""Lists for the time somebody has: reads what is asked, and fills the minutes as well as they
can be filled."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from django import forms

from ...models import Podcast, Topic
from ..lists.filters import EpisodeFilters, KnownValue, ListFilter

NAMES = ("minutes", "topic", "podcast", "sort")
ORDERS = {"newest": "Newest first", "oldest": "Oldest first"}
MOST_MINUTES = 24 * 60
STEP = 10  # seconds: what lengths are rounded up to, so that a list surely fits
GOOD_ENOUGH = (
    60  # seconds: of lists that leave as little as this more than the best does, the order decides
)


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


def best_fill(lengths: Sequence[int], seconds: int) -> list[int]:
    """The places of those that together fill `seconds` best and never exceed them.

    `lengths` are positive seconds in the order of preference: of all lists that leave hardly more
    than the best one does, the one that takes the earliest. A sum that some of the lengths make is
    a bit of a number, so that a length is added to all sums at once.
    """
    steps = [-(-length // STEP) for length in lengths]
    room = (1 << seconds // STEP + 1) - 1
    # The sums that those from each place on make.
    sums = list(
        accumulate(reversed(steps), lambda found, step: (found | found << step) & room, initial=1)
    )[::-1]
    best = sums[0].bit_length() - 1
    least = max(best - GOOD_ENOUGH // STEP, min(1, best))
    good = (1 << best + 1) - (1 << least)
    chosen, used = [], 0
    for place, step in enumerate(steps):
        if used + step <= best and sums[place + 1] << used + step & good:
            chosen.append(place)
            used += step
    return chosen
