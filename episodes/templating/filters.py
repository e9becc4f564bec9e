"""What templates say of values: text and data, never markup."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

from django.utils.text import slugify

from ..models import Episode, Podcast
from ..text import formatting

LONGEST_LANGUAGE = 20
RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa ha-arab he iw ks ku-arab ps sd syr ug ur yi".split())
BREAK = re.compile(r"(?<=.[/_#])(?=\w)")
HOST = re.compile(r"https?://(?:www\.)?([^/?#:@]*)", re.IGNORECASE)


def duration(episode: Episode) -> str:
    """How long it lasts, to the second where that is known; "" where nothing is."""
    return formatting.length(episode.duration_seconds, episode.duration_exact)


def machine_day(episode: Episode) -> str:
    """The date for `<time datetime>`."""
    at = episode.published_at
    if at is None:
        return ""
    return f"{at:%Y-%m-%dT%H:%MZ}" if episode.published_precision == "instant" else f"{at:%Y-%m-%d}"


def in_words(published: str) -> str:
    """The day of a date that the catalog wrote as text (`2021-06-21`), as pages say it."""
    return formatting.day(datetime.fromisoformat(published[:10]).replace(tzinfo=UTC))


def language(show: Podcast) -> dict[str, str]:
    """`lang` and `dir` of a show's texts, where they are not those of the page."""
    return _language(show.language)


@lru_cache(maxsize=100)
def _language(code: str) -> dict[str, str]:
    code = code.lower().replace("_", "-")
    if code.partition("-")[0] == "en":
        return {}
    letters = code.replace("-", "")
    if not (letters.isascii() and letters.isalnum() and 1 < len(code) <= LONGEST_LANGUAGE):
        return {"dir": "auto"}
    return {"lang": code, "dir": "rtl" if code.partition("-")[0] in RIGHT_TO_LEFT else "ltr"}


@lru_cache(maxsize=500)
def hue(group: str) -> str:
    """The class that gives a topic group its colour."""
    return f"g-{slugify(group)}"


def pieces(text: str) -> list[str]:
    """A path or a name, cut where it may break: after its slashes, underscores and number signs, but the first."""
    return BREAK.split(text)


def clock(seconds: float) -> str:
    """A position in the audio as a clock shows it: `12:34`, `1:02:03`."""
    return formatting.clock(int(seconds))


def host(address: str) -> str:
    """The host of a web address without its `www.`; anything else as it is."""
    found = HOST.match(address)
    return found[1] if found else address
