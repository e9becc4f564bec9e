"""What readers of listings share: an entry made of what is printed, the paragraph around a line, whose page it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..records import EntryData, Show, WrongShow
from .dates import moment, printed_length
from .html import TextLine


def entry(
    title: TextLine | None,
    text: str,
    cut: bool | None,
    printed: Iterable[str],
    *,
    show: str = "",
) -> EntryData:
    """An entry with the title and the link of a line.

    The first of `printed` that is a date, and the first that is a length, are its own.
    """
    parts = list(printed)
    date = next((part for part in parts if moment(part)), "")
    length = next((part for part in parts if printed_length(part)), "")
    at, span = moment(date), printed_length(length)
    return EntryData(
        title=title.text if title else "",
        text=text,
        cut=cut,
        show=show,
        url=next(iter(title.links), "") if title else "",
        date_raw=date,
        published=at.isoformat() if at else "",
        length_raw=length,
        seconds_low=span[0] if span else None,
        seconds_high=span[1] if span else None,
    )


def paragraph(found: Sequence[TextLine], place: int, stop: int | None = None) -> tuple[int, int]:
    """Where the paragraph begins and ends that a line belongs to: nothing but `<br>` stands within it."""
    stop = len(found) if stop is None else stop
    start, end = place, min(place + 1, stop)
    while 0 < start < stop and found[start].glued:
        start -= 1
    while end < stop and found[end].glued:
        end += 1
    return start, end


def check_show(named: str, show: Show) -> None:
    """Refuse a page that names another show above its list, or none.

    Raises:
        DocumentRejected: says which.
    """
    if named != show.title:
        raise WrongShow(
            f"it is about another show: {named}, not {show.title}" if named else "it names no show above its list"
        )
