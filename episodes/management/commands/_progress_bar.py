"""The count of a long work, with the time that is left, for a person at a terminal."""

from math import ceil
from typing import Any

from tqdm import tqdm


class ProgressBar(tqdm):  # type: ignore[misc]
    """A line such as "12 of 61 shows, about 2 min". It comes after a second, and goes away when the work ends."""

    def __init__(self, *, is_shown: bool) -> None:
        super().__init__(
            total=0,
            disable=not is_shown,
            delay=1,
            leave=False,
            bar_format="{n_fmt} of {total_fmt} {unit}{time_left}",
        )
        self.unit = ""

    def show(self, done: int, total: int, unit: str) -> None:
        # The total may grow: publish finds further pages on the way.
        self.total = total
        # Another unit is another part of the work, which begins at 0.
        if unit != self.unit:
            self.unit = unit
            self.reset()
        # `update` adds to `n`, the count on the screen.
        self.update(done - self.n)

    @property
    def format_dict(self) -> dict[str, Any]:
        """Add `time_left` to the values that the format can have."""
        values: dict[str, Any] = super().format_dict
        values["time_left"] = ""
        if self.n:
            seconds = values["elapsed"] / self.n * (self.total - self.n)
            values["time_left"] = f", about {ceil(seconds / 60)} min"
        return values
