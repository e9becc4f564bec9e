"""Filters of templates that give text and data, never markup."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from functools import lru_cache

from django.utils.text import slugify

from ..models import Episode, Podcast
from ..text import formatting
from ..text.link_labels import followable

RIGHT_TO_LEFT = frozenset("ar arc ckb dv fa ha-arab he iw ks ku-arab ps sd syr ug ur yi".split())
BREAK = re.compile(r"(?<=[^\s_][/#])(?=\w)|(?<=[^\W_]_)(?=[^\W_])")
HOST = re.compile(r"\Ahttps?://(?:www\.)?([^/?#:@]*).*", re.IGNORECASE | re.DOTALL)
LANGUAGE = re.compile("(?=-*[a-z0-9])[a-z0-9-]{2,20}")


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
    code = show.language.lower().replace("_", "-")
    if code.partition("-")[0] == "en":
        return {}
    if not LANGUAGE.fullmatch(code):
        return {"dir": "auto"}
    return {"lang": code, "dir": "rtl" if code.partition("-")[0] in RIGHT_TO_LEFT else "ltr"}


def playable(episode: Episode) -> bool:
    """True where its file is sound that goes on from page to page; a video plays on its own page."""
    other = episode.is_video or episode.is_document
    return bool(followable(episode.audio_url)) and not other


@lru_cache
def hue(group: str) -> str:
    """The class that gives a topic group its colour."""
    return f"g-{slugify(group)}"


def pieces(text: str) -> list[str]:
    """A path or a name, cut where it may break: after its slashes, underscores and number signs,
    but those it begins or ends with."""
    return BREAK.split(text)


def host(address: str) -> str:
    """The host of a web address without its `www.`; anything else as it is."""
    return HOST.sub(r"\1", address)
