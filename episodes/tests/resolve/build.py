"""Short ways to make entries for tests of matching and merging."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from episodes.identity import (
    MatchKeys,
    SortableEpisode,
    ids_newest_first,
    match_entries,
    merge_values,
    prepare_entry_for_merge,
)
from episodes.records import (
    Decisions,
    EntryData,
    MatchDecision,
    MatchingResult,
    MergedValues,
    RankedEntry,
    Show,
    SourceEntry,
)

SHOW = Show("show", "The Widget Show", "https://feeds.example/widgets", "https://widgets.example")
LONG = (
    "We walk through how widgets are made, from the first sketch to the finished part, and stop where it gets difficult: "
    "tolerances, coatings, and the people who have to mount them on a cold morning in a draughty hall."
)
OTHER = (
    "Gears have teeth and teeth have angles. This one is about pressure angles, why twenty degrees won, what an undercut "
    "is and how to avoid it, and which machine is to be bought first by somebody who starts from nothing."
)


TEXTS = {
    "LONG": LONG,
    "OTHER": OTHER,
    "SIXTY": "x" * 60,
    "SHORT": "All that there is to say about springs and coils.",
    "SOON": "Show notes for this episode are coming soon, please come back later.",
    "BOILERPLATE": "Welcome to The Widget Show, the only show about widgets, gears and springs, made every week in a shed "
    "by the sea. ",
}


def entry_of(case: Mapping[str, Any]) -> SourceEntry:
    """An entry of a table; `page` is the episode's own page, `named` is for an entry of a page that names its show."""
    said = dict(case)
    page, is_named, is_confirmed = said.pop("page", ""), said.pop("named", False), said.pop("is_confirmed", True)
    if is_named:
        said |= {"source": "page", "may_create": False, "show": "The Widget Show", "names_show": True}
    for name in {"text", "html"} & said.keys():
        said[name] = said[name].format_map(TEXTS)
    rank = said.pop("rank", None)
    made = entry(said.pop("title"), said.pop("text", ""), **said)
    made = replace(made, values=replace(made.values, url=page), is_confirmed=is_confirmed)
    return made if rank is None else replace(made, rank=rank)


def entry(
    title: str = "", text: str = "", *, source: str = "feed", position: int = 1, key: str = "", **said: Any
) -> SourceEntry:
    """One entry; `day`, `minutes`, `seconds` are short for what a source prints; other names go to Entry or Said."""
    ranks = {"feed": 1, "listing": 2, "other": 4, "page": 100}
    own = {
        name: said.pop(name)
        for name in list(said)
        if name in ("absences", "gone_version", "first_version", "may_create", "is_publisher", "document", "url")
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
        values=EntryData(title=title, text=text, **said),
        rank=ranks.get(source, 50),
        url=own.pop("url", f"https://{source}.example/"),
        **own,
    )


def matching_of(
    entries: Sequence[SourceEntry], rulings: Sequence[MatchDecision] = (), show: Show = SHOW, **decided: Any
) -> MatchingResult:
    kinds: dict[str, Any] = {name: frozenset(refs) for name, refs in decided.items()}
    decisions = Decisions(match_decisions=tuple(rulings), **kinds)
    return match_entries(
        entries, {e.ref: MatchKeys(e.values, show, has_own_title=e.may_create) for e in entries}, decisions
    )


def voices(*entries: SourceEntry) -> list[RankedEntry]:
    ordered = sorted(entries, key=lambda one: one.order)
    return [prepare_entry_for_merge(one, MatchKeys(one.values, SHOW)) for one in ordered]


def merged(*entries: SourceEntry, **overrides: str) -> MergedValues:
    return merge_values(voices(*entries), overrides)


def episode(name: str, number: int | None = None, day: int | None = None, season: int | None = None) -> SortableEpisode:
    return SortableEpisode(name, number, datetime(2021, 1, day, tzinfo=UTC) if day else None, name, season)


def names(*episodes: SortableEpisode, lists: tuple[str, ...] = ()) -> str:
    """The names of the episodes, newest first; a list is a word of names."""
    return "".join(map(str, ids_newest_first(episodes, [list(listed) for listed in lists])))


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
