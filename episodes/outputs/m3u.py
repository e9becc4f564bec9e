"""The episodes of a list that can be heard, as a playlist."""

from __future__ import annotations

from .listing import Listing, audio


def write(listing: Listing) -> str:
    """Extended M3U: a line with length and title, and one with the address; -1 is a length nobody
    knows."""
    lines = ["#EXTM3U", f"#PLAYLIST:{_line(listing.title)}"]
    for e in listing.episodes:
        if heard := audio(e):
            length = -1 if e.duration_seconds is None else e.duration_seconds
            lines += [f"#EXTINF:{length},{_line(e.heading)}", "".join(heard[0].split())]
    return "\n".join((*lines, ""))


def _line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
