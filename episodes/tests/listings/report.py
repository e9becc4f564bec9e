"""Runs the general reader over pages with keys and tells, page by page, what it attached, held and made wrong.

`python -m episodes.tests.listings.report [FOLDER]` prints the table; with `--write` it pins the figures of each page.
"""

import json
import re
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from episodes.gather.sources import readers
from episodes.identity.item_keys import item_keys, without_repeats
from episodes.listings.any_page import parse as read
from episodes.listings.show_names import is_show
from episodes.records import DocumentRejected, EntryData, FetchedDocument, Matching, ParsedPage, Show, SourceEntry
from episodes.text.normalize import fold

from ..examples import examples
from ..resolve.build import matching_of
from .pages import DATA, SAVED, SHOW, saved

import os
GIVEN = bool(os.environ.get("GIVEN"))
FOLDER = DATA / "listings"
LISTINGS = ("pod-casts-io", "numbered-list", "player-fm")
SHIPPED = ("feed", *LISTINGS)
OURS = Show(SHOW.slug, SHOW.title, SHOW.feed_url, SHOW.site_url, "Edward Yang, Team PyTorch", "en")
REPEAT = re.compile(rb"<!--repeat-->(.*?)<!--/repeat-->", re.S)


@dataclass
class Outcome:
    """The result of one page; `wrong` and `missed` in words."""

    name: str
    due: int = 0
    attached: int = 0
    held: int = 0
    extra: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    refused: str = ""
    seconds: float = 0.0

    def figures(self) -> dict[str, int]:
        """The pinned counts of a page: values that are wrong or missing are faults."""
        return {"due": self.due, "attached": self.attached, "held": self.held, "faults": len(self.fields)}


@cache
def known() -> tuple[EntryData, ...]:
    return readers()["feed"].read(saved("feed"), OURS).entries


def listed(source: str, found: tuple[EntryData, ...], *, create: bool, rank: int) -> list[SourceEntry]:
    said, _ = without_repeats(found)
    keys = item_keys(said)
    return [
        SourceEntry(source, source, key, place, one, rank, create, host=source)
        for place, (key, one) in enumerate(zip(keys, said, strict=True), 1)
    ]


@cache
def catalog() -> tuple[SourceEntry, ...]:
    """The entries of the shipped documents: the feed's first."""
    found = listed("feed", known(), create=True, rank=1)
    for rank, name in enumerate(LISTINGS, 2):
        own = readers()[name].read(saved(name), OURS).entries
        ours = tuple(said for said in own if not said.show or is_show(said.show, OURS.title))
        found += listed(name, ours, create=True, rank=rank)
    return tuple(found)


def matched(reading: ParsedPage) -> Matching:
    return matching_of([*catalog(), *listed("podhub.example", reading.entries, create=False, rank=100)], show=OURS)


def pairs(folder: Path = FOLDER) -> list[Path]:
    return sorted(path.parent for path in folder.glob("*/expected.json"))


def page_of(folder: Path, key: dict[str, Any]) -> FetchedDocument:
    path = next(path for path in folder.iterdir() if path.name.startswith("page."))
    body = path.read_bytes()
    repeats = key.get("repeat") or 1
    # `make test` reads a tenth of the largest pages.
    body = REPEAT.sub(lambda match: match[1] * max(1, examples(repeats // 10, repeats)), body)
    return FetchedDocument(body, key.get("url", ""), name=path.name)


def outcome(folder: Path) -> Outcome:
    key = json.loads((folder / "expected.json").read_text("utf-8"))
    result = Outcome(folder.name, len(key["attached"]))
    start = time.perf_counter()
    try:
        reading = read(page_of(folder, key), OURS, [entry.said for entry in catalog()], given=GIVEN)
    except DocumentRejected as refusal:
        result.refused = str(refusal)
        reading = ParsedPage()
        if not key["refusable"]:
            result.wrong.append(f"refused: {refusal}")
    result.seconds = time.perf_counter() - start
    _judge(result, key, matched(reading))
    return result


def _judge(result: Outcome, key: dict[str, Any], matching: Matching) -> None:
    due = {one["number"]: one for one in key["attached"]}
    maybe = {fold(title) for title in key["maybe"]}
    taken: dict[int, EntryData] = {}
    for group in matching.groups:
        feed = next((e for e in group if e.source == "feed"), None)
        for entry in group:
            if entry.source in SHIPPED:
                continue
            number = feed.said.number if feed else None
            if number is not None and number in due:
                taken[number] = entry.said
                result.fields.extend(_fields(entry.said, due[number]))
            elif fold(entry.said.title) in maybe or (feed and fold(feed.said.title) in maybe):
                result.extra += 1
            else:
                result.wrong.append(f"attached {entry.said.title!r} to {number}")
    result.attached = len(taken)
    result.missed = [one["title"] for number, one in due.items() if number not in taken]
    allowed = {fold(title) for title in key["held"]} | maybe
    allowed |= {fold(due[number]["title"] or "") for number in due if number not in taken}
    for entry, candidates in matching.held:
        if entry.source in SHIPPED:
            continue
        result.held += 1
        if fold(entry.said.title) not in allowed and not (not entry.said.title and candidates):
            result.wrong.append(f"held {entry.said.title!r}")
    held = {fold(entry.said.title) for entry, _ in matching.held if entry.source not in SHIPPED}
    result.missed.extend(f"not held: {title}" for title in key["held"] if fold(title) not in held)


def _fields(said: EntryData, due: dict[str, Any]) -> list[str]:
    trouble = []
    date, wanted = said.published[:10], due["date"] or ""
    if date != wanted and not (due.get("date_may_be_null") and not date):
        trouble.append(f"{due['title']}: date {date or 'none'}, not {wanted or 'any'}")
    if due["seconds"] is None:
        if said.seconds_low is not None:
            trouble.append(f"{due['title']}: a length of {said.seconds_low} that is not there")
    elif said.seconds_low is None or said.seconds_high is None:
        trouble.append(f"{due['title']}: no length")
    elif said.seconds_high < due["seconds"][0] or said.seconds_low > due["seconds"][1]:
        trouble.append(f"{due['title']}: length {said.seconds_low}, not {due['seconds']}")
    if (due["cut"] is None) != (not said.text) or (said.text and said.cut not in (due["cut"], None)):
        trouble.append(f"{due['title']}: cut {said.cut}, not {due['cut']} ({said.text[-30:]!r})")
    if (
        due["url"]
        and said.url.rstrip("/") != due["url"].rstrip("/")
        and not (due.get("url_may_be_null") and not said.url)
    ):
        trouble.append(f"{due['title']}: url {said.url or 'none'}, not {due['url']}")
    if not due["url"] and said.url:
        trouble.append(f"{due['title']}: url {said.url}, which is not its own")
    return trouble


def shipped() -> dict[str, tuple[int, int, int, list[str]]]:
    """For each shipped listing: entries, placed by its own reader, by the general one, and what that did otherwise."""
    found = {}
    feed = listed("feed", known(), create=True, rank=1)
    for name in LISTINGS:
        own = readers()[name].read(saved(name), OURS)
        general = read(FetchedDocument(saved(name).body, name=SAVED[name]), OURS, known(), given=True)
        by_own, by_general = (_placed(feed, reading) for reading in (own, general))
        other = [
            f"{text!r}: {by_general[text]}, not {by_own.get(text)}"
            for text in by_general
            if by_general[text] != by_own.get(text, by_general[text])
        ]
        found[name] = (len(own.entries), len(by_own), len(by_general), other)
    return found


def _placed(feed: list[SourceEntry], reading: ParsedPage) -> dict[str, int | None]:
    """By the first characters of the text, else the title: the number of the episode an entry was attached to."""
    matching = matching_of([*feed, *listed("podhub.example", reading.entries, create=False, rank=100)], show=OURS)
    placed: dict[str, int | None] = defaultdict(lambda: None)
    for group in matching.groups:
        number = next((e.said.number for e in group if e.source == "feed"), None)
        for entry in group:
            if entry.source != "feed":
                placed[fold(entry.said.text or entry.said.title)[:40]] = number
    return dict(placed)


def main(arguments: list[str]) -> None:
    write = "--write" in arguments
    folders = [Path(argument) for argument in arguments if argument != "--write"]
    results = [outcome(folder) for folder in pairs(*folders[:1])]
    if write:
        pinned = {one.name: one.figures() for one in results}
        (FOLDER / "results.json").write_text(json.dumps(pinned, indent=1) + "\n", "utf-8")
    for one in results:
        print(f"{one.name:24} {one.figures()}  {one.extra} maybe  {one.seconds:5.2f} s  {one.refused}")
        for line in [*(f"WRONG {x}" for x in one.wrong), *(f"missed {x}" for x in one.missed), *one.fields]:
            print("     ", line)
    attached, due = (sum(getattr(one, name) for one in results) for name in ("attached", "due"))
    print(f"{attached}/{due} attached, {sum(len(one.wrong) for one in results)} wrong", *shipped().items(), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
