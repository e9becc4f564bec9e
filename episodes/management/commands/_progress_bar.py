"""The count of a long work, with the time that is left, for a person at a terminal."""

from typing import Any

from tqdm import tqdm


class ProgressBar(tqdm):  # type: ignore[misc]
    """A line such as "12 of 61 shows, about 2 min". It goes away when the work ends, and comes after a second."""

    def __init__(self, *, total: int, unit: str) -> None:
        super().__init__(
            total=total,
            unit=unit,
            delay=1,
            leave=False,
            bar_format="{n_fmt} of {total_fmt} {unit}{time_left}",
        )

    @property
    def format_dict(self) -> dict[str, Any]:
        """Add `time_left` to the values that the format can have."""
        values: dict[str, Any] = super().format_dict
        seconds = 0.0
        if self.n and values["total"]:
            seconds = values["elapsed"] / self.n * (values["total"] - self.n)
        return {**values, "time_left": describe_time_left(seconds)}


def describe_time_left(seconds: float) -> str:
    """Return ", about 2 min", or "" if the time is not known."""
    if not seconds:
        return ""
    if seconds < 60:
        return f", about {seconds:.0f} s"
    minutes = seconds / 60
    return f", about {minutes:.0f} min" if minutes < 60 else f", about {minutes / 60:.0f} h"
