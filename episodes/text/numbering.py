"""Season and episode numbers: how titles write them, and how pages do."""

from __future__ import annotations

import re

# At the beginning, or after the show's name: "S2E5", "S2-E5", "2x05", "Season 2, Episode 5",
# "Staffel 2 Folge 5". Of "16x16 tiles" and "2x12" only a leading zero or a mark behind it tells
# which of them counts episodes.
BOTH = re.compile(
    r"(?P<lead>[^-–—:|·•]{1,60}\s?[-–—:|·•]\s)?[(\[]?"
    r"(?:(?:season|staffel|saison|temporada|stagione|s)[\s.]*(?P<season>\d{1,3})[\s,:;.|·/-]*"
    r"(?:episode|épisode|episodio|episódio|folge|ep|e|no|nr|#)[\s.#]*(?P<number>\d{1,5})"
    r"|(?P<of>\d{1,2})x(?P<place>0\d|\d{2,3}(?=\s*[-–—:|.)\]])))"
    r"(?:[)\]]?\s*[-–—:|.)]+\s*|[)\]]?\s+|[)\]]?$)",
    re.IGNORECASE,
)


def season_and_number(title: str) -> tuple[int, int] | None:
    """The season and the number in it that a title begins with; None where it does not say both."""
    found = BOTH.match(title.strip())
    return numbers_in(found) if found else None


def numbers_in(found: re.Match[str]) -> tuple[int, int]:
    """Season and number of what `BOTH` found."""
    return int(found["season"] or found["of"]), int(found["number"] or found["place"])


def numbering(season: int | None, number: int | None) -> str:
    """`S2 E5`, `5` where there is no season, `S2` where there is no number; "" where there is
    neither."""
    if season is None:
        return "" if number is None else str(number)
    return f"S{season}" if number is None else f"S{season} E{number}"
