"""Short ways to make entries for tests of matching and merging."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from episodes.identity.match_keys import MatchKeys
from episodes.identity.matching import match
from episodes.records import Decisions, EntryData, Matching, Ruling, Show, SourceEntry

SHOW = Show("show", "The Widget Show", "https://feeds.example/widgets", "https://widgets.example")
LONG = (
    "We walk through how widgets are made, from the first sketch to the finished part, and stop where it gets difficult: "
    "tolerances, coatings, and the people who have to mount them on a cold morning in a draughty hall."
)
OTHER = (
    "Gears have teeth and teeth have angles. This one is about pressure angles, why twenty degrees won, what an undercut "
    "is and how to avoid it, and which machine is to be bought first by somebody who starts from nothing."
)


def entry(
    title: str = "", text: str = "", *, source: str = "feed", position: int = 1, key: str = "", **said: Any
) -> SourceEntry:
    """One entry; `day`, `minutes`, `seconds` are short for what a source prints; other names go to Entry or Said."""
    ranks = {"feed": 1, "listing": 2, "other": 4, "page": 100}
    own = {
        name: said.pop(name)
        for name in list(said)
        if name in ("absences", "gone_version", "first_version", "may_create", "own", "document", "url")
    }
    if day := said.pop("day", ""):
        said |= {"published": day, "date_raw": day}
    if minutes := said.pop("minutes", 0):
        said |= {"seconds_low": minutes * 60, "seconds_high": minutes * 60 + 59}
    if seconds := said.pop("seconds", 0):
        said |= {"seconds_low": seconds, "seconds_high": seconds}
    return SourceEntry(
        source=source,
        document=own.pop("document", f"https://{source}.example/"),
        key=key or f"{title}|{text[:40]}|{said.get('guid', '')}|{said.get('published', '')}|{position}",
        position=position,
        said=EntryData(title=title, text=text, **said),
        rank=ranks.get(source, 50),
        url=own.pop("url", f"https://{source}.example/"),
        **own,
    )


def matching_of(
    entries: Sequence[SourceEntry], rulings: Sequence[Ruling] = (), show: Show = SHOW, **decided: Any
) -> Matching:
    kinds: dict[str, Any] = {name: frozenset(refs) for name, refs in decided.items()}
    decisions = Decisions(rulings=tuple(rulings), **kinds)
    return match(entries, {e.ref: MatchKeys(e.said, show, has_own_title=e.may_create) for e in entries}, decisions)


def outcome(*entries: SourceEntry) -> str:
    """The fate of the last entry beside those before it: `same`, `different`, `held` or `ignored`."""
    found = matching_of(entries)
    last = entries[-1]
    if any(e.ref == last.ref for e, _ in found.held):
        return "held"
    if any(e.ref == last.ref for e in found.ignored):
        return "ignored"
    (group,) = [group for group in found.groups if any(e.ref == last.ref for e in group)]
    return "same" if len(group) > 1 else "different"
