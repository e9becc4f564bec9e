"""Adds an episode that no source lists, as an entry of the source `by-hand`."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace

from django.utils import timezone

from ..ingest import by_hand
from ..models import Item, Judgement, Podcast
from ..records import EntryData
from .history import User, about_episode, changing
from .verbs import Impossible, clean, item_ref

FIELDS = ("title", "number", "published", "duration_seconds", "description_text", "url", "audio_url")


def give_own(user: User, podcast: Podcast, values: Mapping[str, str], *, reason: str = "") -> Item:
    """Add an episode. Sources that list it later are matched with it, and their values win over these.

    Raises:
        Impossible: it has no title, or a value is none for its field.
    """
    given = {name: clean(name, value) for name, value in values.items() if name in FIELDS}
    if not given.get("title"):
        raise Impossible("title: an episode needs one.")
    said = _said(given)
    about = about_episode(podcast, "by-hand", f"guid:{said.guid}")
    with changing(user, "add episode", said.title, about, podcasts=[podcast], reason=reason) as record:
        item = by_hand(podcast, said, timezone.now())
        # Evidence is never deleted: to take this back is to say that the entry is no episode.
        source, key = item_ref(item)
        hidden = Judgement(podcast=podcast, source=source, item_key=key, verdict="ignore", ended_at=timezone.now())
        record.save_ended(hidden)
        for name, value in given.items():
            record.tell(name, "", value)
    return item


def _said(given: Mapping[str, str]) -> EntryData:
    seconds = int(given["duration_seconds"]) if given.get("duration_seconds") else None
    said = EntryData(
        title=given["title"],
        text=given.get("description_text", ""),
        cut=False,
        guid=f"by-hand-{uuid.uuid4()}",
        published=given.get("published", ""),
        date_raw=given.get("published", ""),
        seconds_low=seconds or None,
        seconds_high=seconds or None,
        url=given.get("url", ""),
        audio_url=given.get("audio_url", ""),
    )
    return replace(said, number=int(given["number"])) if given.get("number") else said
