"""Adds episodes that no source lists, as entries of the source `by-hand`."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from django.utils import timezone

from ..fields import BY_HAND, BY_NAME
from ..ingest import by_hand
from ..models import ADDED, Decision, Item, Podcast
from ..records import EntryData
from .entries import item_ref, on_entry
from .history import CURATE, Impossible, Recorder, User, about_episode, changing, require
from .verbs import clean


@dataclass(frozen=True)
class NewEpisode:
    """An episode to add: the entry that states it, and its topics by slug."""

    said: EntryData
    values: Mapping[str, str]
    topics: Sequence[str] = ()


def new_episode(values: Mapping[str, str], topics: Sequence[str] = ()) -> NewEpisode:
    """The episode that these values, as they were typed, are of.

    Raises:
        Impossible: it has no title, or a value is none for its field.
    """
    given = {
        field.name: clean(field.name, values[field.name])
        for field in BY_HAND
        if field.name in values
    }
    if not given.get("title"):
        raise Impossible("Title: an episode needs one.")
    return NewEpisode(_said(given), given, topics)


def add_episode(
    user: User, podcast: Podcast, values: Mapping[str, str], *, reason: str = ""
) -> Item:
    """Add an episode. Sources that list it later are matched with it, and their values win over
    these.

    Raises:
        Impossible: it has no title, or a value is none for its field.
    """
    new = new_episode(values)
    with _adding(user, podcast, new, reason) as record:
        (item,) = by_hand(podcast, [new.said], timezone.now())
        _keep(record, podcast, item, new, reason)
    return item


def add_episodes(
    user: User, podcast: Podcast, wanted: Sequence[NewEpisode], *, reason: str = ""
) -> None:
    """Add several episodes, within a batch, by one version of the document of what is added by
    hand."""
    require(user, CURATE)
    items = by_hand(podcast, [new.said for new in wanted], timezone.now())
    for item, new in zip(items, wanted, strict=True):
        with _adding(user, podcast, new, reason) as record:
            _keep(record, podcast, item, new, reason)


def _adding(
    user: User, podcast: Podcast, new: NewEpisode, reason: str
) -> AbstractContextManager[Recorder]:
    about = about_episode(podcast, "by-hand", f"guid:{new.said.guid}")
    return changing(user, "add episode", new.said.title, about, podcasts=[podcast], reason=reason)


def _keep(record: Recorder, podcast: Podcast, item: Item, new: NewEpisode, reason: str) -> None:
    # Evidence is never deleted: to take this back is to say that the entry is no episode.
    hidden = Decision(
        kind="match",
        **on_entry(podcast, item_ref(item), ""),
        value="ignore",
        ended_at=timezone.now(),
    )
    record.save_ended(hidden)
    for slug in new.topics:
        record.decide("topic", **on_entry(podcast, item_ref(item), reason), key=slug, value=ADDED)
    for name, value in new.values.items():
        field = BY_NAME[name]
        record.tell(field.label.lower(), "", field.told(value))


def _said(given: Mapping[str, str]) -> EntryData:
    """The entry that states these values."""
    parsed = ((BY_NAME[name], BY_NAME[name].parse(value)) for name, value in given.items() if value)
    stated = [field.as_entry(value) for field, value in parsed if value is not None]
    return EntryData(
        guid=f"by-hand-{uuid.uuid4()}",
        **{name: value for one in stated for name, value in one.items()},
    )
