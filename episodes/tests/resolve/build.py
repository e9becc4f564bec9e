"""Short ways to make entries for tests of matching and merging."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from episodes.identity import MatchKeys, entry_with_plain_text_and_number, merge_values
from episodes.records import EntryData, MergedValues, Show, SourceEntry

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
    """Return the entry of a table. `page` is its address, `named` tells that its page names the show."""
    values = dict(case)
    page, is_named, is_confirmed = values.pop("page", ""), values.pop("named", False), values.pop("is_confirmed", True)
    if is_named:
        values |= {"source": "page", "may_create": False, "show": "The Widget Show", "names_show": True}
    for name in {"text", "html"} & values.keys():
        values[name] = values[name].format_map(TEXTS)
    rank = values.pop("rank", None)
    made = entry(values.pop("title"), values.pop("text", ""), **values)
    made = replace(made, values=replace(made.values, url=page), is_confirmed=is_confirmed)
    return made if rank is None else replace(made, rank=rank)


def entry(
    title: str = "", text: str = "", *, source: str = "feed", position: int = 1, key: str = "", **values: Any
) -> SourceEntry:
    """Return an entry. `day`, `minutes` and `seconds` are short forms. Other names are of SourceEntry or EntryData."""
    ranks = {"feed": 1, "listing": 2, "other": 4, "page": 100}
    names = (
        "absences",
        "came_with_new_host",
        "document",
        "first_version",
        "gone_version",
        "is_publisher",
        "may_create",
        "url",
    )
    attributes = {name: values.pop(name) for name in names if name in values}
    if day := values.pop("day", ""):
        values |= {"published": day, "date_raw": day}
    if minutes := values.pop("minutes", 0):
        values |= {"seconds_low": minutes * 60, "seconds_high": minutes * 60 + 59}
    if seconds := values.pop("seconds", 0):
        values |= {"seconds_low": seconds, "seconds_high": seconds}
    return SourceEntry(
        source=source,
        document=attributes.pop("document", f"https://{source}.example/"),
        key=key or f"{title}|{text[:40]}|{values.get('guid', '')}|{values.get('published', '')}|{position}",
        position=position,
        values=EntryData(title=title, text=text, **values),
        rank=ranks.get(source, 50),
        url=attributes.pop("url", f"https://{source}.example/"),
        **attributes,
    )


def merged(*entries: SourceEntry, **overrides: str) -> MergedValues:
    ordered = sorted(entries, key=lambda entry: entry.order)
    ranked_entries = [entry_with_plain_text_and_number(row, MatchKeys(row.values, SHOW)) for row in ordered]
    return merge_values(ranked_entries, overrides)
