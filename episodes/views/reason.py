"""Why an episode is on a page, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..models import Episode


@dataclass(frozen=True)
class Reason:
    """A line beneath an episode: `Topic: Autograd`, `Said at 12:34: …`, `Missing: words`, `Listen
    first: …`."""

    label: str
    text: Sequence[str] = ()  # in parts, of which every second is marked
    at: str = ""  # a position in the audio
    address: str = ""  # of that position
    more: int = 0  # further passages that say the same
    whole: str = ""  # the address at which all of them are marked
    missing: Sequence[str] = ()
    episodes: Sequence[Episode] = ()
