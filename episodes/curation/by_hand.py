"""Adds an episode that no source lists, as an entry of the source `by-hand`."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from django.utils import timezone

from ..fields import BY_HAND, BY_NAME
from ..ingest import by_hand
from ..models import Item, Judgement, Podcast
from ..records import EntryData
from .entries import item_ref
from .history import Impossible, User, about_episode, changing
from .verbs import clean


def add_episode(user: User, podcast: Podcast, values: Mapping[str, str], *, reason: str = "") -> Item:
    """Add an episode. Sources that list it later are matched with it, and their values win over these.

    Raises:
        Impossible: it has no title, or a value is none for its field.
    """
    given = {field.name: clean(field.name, values[field.name]) for field in BY_HAND if field.name in values}
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
    """The entry that states these values."""
    parsed = ((BY_NAME[name], BY_NAME[name].parse(value)) for name, value in given.items() if value)
    stated = [field.as_entry(value) for field, value in parsed if value is not None]
    return EntryData(guid=f"by-hand-{uuid.uuid4()}", **{name: value for one in stated for name, value in one.items()})
