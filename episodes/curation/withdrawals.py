"""Takes episodes out of the catalog, which undo brings back; adds those that no source lists."""

from __future__ import annotations

import uuid
from collections.abc import Mapping

from django.utils import timezone

from ..fields import BY_NAME
from ..ingest import by_hand
from ..models import TAKEN_OUT, Episode, Item, Podcast
from ..records import EntryData
from .entries import anchor, in_force, item_ref, on_entry
from .history import Impossible, User, about_episode, changing
from .verbs import changing_episode, clean, of_one_show

IN_CATALOG = "in the catalog"
REPLACED = "replaced"


def take_out(
    user: User,
    episode: Episode,
    kind: str,
    other: Episode | None = None,
    *,
    seen: str = "",
    reason: str = "",
) -> None:
    """Take an episode out, whatever sources list it from now on; its addresses are gone, or lead to
    the `other` one that replaces it.

    Raises:
        Impossible: there is no such kind, or no other episode of this show. Stale: somebody was
        faster.
    """
    if kind not in TAKEN_OUT:
        raise Impossible("Choose why it is taken out.")
    source, key = anchor(of_one_show(episode, other)) if kind == REPLACED else ("", "")
    label = f"replaced by {other}" if source else TAKEN_OUT[kind].lower()
    with changing_episode(user, "take out", episode, seen, reason) as record:
        # One that is in force names an episode that has become one with this since.
        for row in in_force(episode, "withdrawal"):
            record.end(row)
        record.decide(
            "withdrawal",
            **on_entry(episode.podcast, anchor(episode), reason),
            value=kind,
            detail=episode.slug,
            other_source=source,
            other_key=key,
        )
        record.tell(IN_CATALOG, "yes", f"no: {label}")


def add_episode(
    user: User, podcast: Podcast, values: Mapping[str, str], *, reason: str = ""
) -> Item:
    """Add an episode. Sources that list it later are matched with it, and their values win over
    these.

    Raises:
        Impossible: it has no title, or a value is none for its field.
    """
    given = {name: clean(name, value) for name, value in values.items()}
    if not given.get("title"):
        raise Impossible("Title: an episode needs one.")
    said = _said(given)
    about = about_episode(podcast, "by-hand", f"guid:{said.guid}")
    with changing(
        user, "add episode", said.title, about, podcasts=[podcast], reason=reason
    ) as record:
        (item,) = by_hand(podcast, [said], timezone.now())
        # Evidence is never deleted: to take this back is to say that the entry is no episode.
        record.decide_at_undo("match", **on_entry(podcast, item_ref(item), ""), value="ignore")
        for name, value in given.items():
            field = BY_NAME[name]
            record.tell(field.label.lower(), "", field.told(value))
    return item


def _said(given: Mapping[str, str]) -> EntryData:
    """The entry that states these values."""
    columns: dict[str, object] = {"guid": f"by-hand-{uuid.uuid4()}"}
    for name, value in given.items():
        parsed = BY_NAME[name].parse(value) if value else None
        if parsed is not None:
            columns |= BY_NAME[name].as_entry(parsed)
    return EntryData(**columns)  # type: ignore[arg-type]
