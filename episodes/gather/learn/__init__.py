"""Learns a site's layout by example: from one page of it and the entries that the general reader finds there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from ...records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show
from ..by_layout import Layout, TextLayout, read_layout, sheet_of
from ..forms import tokens
from ..html import address_of, lines, title_of, tree_of
from ..listing import read as read_any
from ..names import PART_BREAK, SITE_BREAK, heads, is_show, normalize_show_name, show_above
from ..text import decode, is_html
from .from_lines import from_lines
from .from_markup import from_markup
from .parts import Around, numeric

FEWEST = 2
SIGN_IN = 10  # first lines of saved text in which the site's name may stand
ENOUGH = 0.5  # of what the general reader finds
STRANGE = 0.3  # what an entry too many costs, beside one that is right
NEAR, FAR = 0.005, 0.1  # how much better a layout has to be that says more, or reads HTML line by line
MOST_PAGES = 2_000_000  # bytes of a page that is an example


@dataclass(frozen=True, slots=True)
class Learned:
    """A layout, what it makes of the page that it was learned from, and the share of the entries it gives as they are."""

    layout: Layout | TextLayout
    reading: ParsedPage
    share: float
    known: int  # entries that the general reader found


def learn(page: FetchedDocument, show: Show, known: Sequence[EntryData]) -> Learned:
    """The layout by which most of the page's entries are found.

    `known` is what other sources say about the show's episodes, as for `listing.read`.

    Raises:
        DocumentRejected: it is no text, is another show's, or has fewer than two entries that can be found again by a layout.
    """
    if len(page.body) > MOST_PAGES:
        raise DocumentRejected("it is too large for an example; save a page with fewer entries")
    entries = read_any(page, show, known).entries
    if len(entries) < FEWEST:
        raise DocumentRejected(
            f"{len(entries)} entries on it are known as episodes of {show.title}, {FEWEST} are needed"
        )
    titled = tuple(said for said in entries if said.title)
    entries = titled if len(titled) * 2 > len(entries) else entries
    best: Learned | None = None
    for layout in _layouts(page, entries, show):
        found = _tried(page, show, layout, entries)
        if found and (best is None or found.share > best.share + (FAR if _changes(best.layout, layout) else NEAR)):
            best = found
    if best is None or best.share < ENOUGH or len(best.reading.entries) < FEWEST:
        raise DocumentRejected(
            f"the general reader finds {len(entries)} entries on it, but they stand in no order that a layout could say, "
            "or nothing above them names the show"
        )
    return best


def _changes(before: Layout | TextLayout, after: Layout | TextLayout) -> bool:
    return isinstance(before, Layout) and isinstance(after, TextLayout)


def _layouts(page: FetchedDocument, entries: Sequence[EntryData], show: Show) -> Iterator[Layout | TextLayout]:
    text = decode(page)
    markup = is_html(text)
    html = tree_of(text).css_first("html") if markup else None
    around = Around(show.title, ((html.attributes.get("lang") or "") if html else "").lower().split("-")[0])
    sign, order = sign_of(page, show, entries), numeric(entries)
    seen: set[Layout | TextLayout] = set()
    every: list[Layout | TextLayout] = [*(from_markup(page, entries, around) if markup else ())]
    for layout in (*every, *from_lines(page, entries, around)):
        layout = replace(layout, sign=sign, numeric=order)
        if layout not in seen:
            seen.add(layout)
            yield _named(page, layout, show)


def _named(page: FetchedDocument, layout: Layout | TextLayout, show: Show) -> Layout | TextLayout:
    """The layout, told in which words the page names the show, where that is more than the name."""
    try:
        sheet = sheet_of(page, layout)
    except DocumentRejected:
        return layout
    if any(entry.show for entry in sheet.entries) or show_above(sheet.above, show.title, sheet.title) == show.title:
        return layout
    for text in (*(line.text for line in sheet.above), sheet.title):
        if any(entry.title and entry.title in text for entry in sheet.entries):
            continue
        found = list(tokens(text, sheet.language, show.title))
        words = [piece for kind, piece in found if kind == "word"]
        if len(text) < 200 and words and [kind for kind, _ in found].count("show") == 1:
            form = "".join(f"{{{kind}}}" if kind not in ("", "word") else piece for kind, piece in found)
            return replace(layout, above=form.replace("{clock}", "{time}").replace("{length}", "{time}"))
    return layout


def _tried(
    page: FetchedDocument, show: Show, layout: Layout | TextLayout, entries: Sequence[EntryData]
) -> Learned | None:
    try:
        reading = read_layout(page, show, layout)
    except DocumentRejected:
        return None
    return Learned(layout, reading, share(reading.entries, entries), len(entries))


def share(found: Sequence[EntryData], wanted: Sequence[EntryData]) -> float:
    """How much of the entries is found as they are, 0 to 1; entries that are not among them cost something."""
    by_name = {_name(said): said for said in reversed(found)}
    points = sum(_alike(by_name[_name(said)], said) for said in wanted if _name(said) in by_name)
    names = {_name(said) for said in wanted}
    strange = sum(_name(said) not in names for said in found)
    return (points - STRANGE * strange) / max(1, len(wanted))


def _name(said: EntryData) -> str:
    return normalize_show_name(said.title) or normalize_show_name(said.text)[:40]


def _alike(one: EntryData, other: EntryData) -> float:
    """1 where an entry says all that the other does, a half where only the title is right."""
    checks = []
    if other.published:
        checks.append(one.published[:10] == other.published[:10])
    if other.seconds_low is not None and other.seconds_high is not None:
        low, high = one.seconds_low, one.seconds_high
        checks.append(low is not None and high is not None and low <= other.seconds_high and other.seconds_low <= high)
    if other.url:
        checks.append(one.url == other.url)
    if other.text:
        checks.append(normalize_show_name(one.text) == normalize_show_name(other.text))
        checks.append(normalize_show_name(one.text).startswith(normalize_show_name(other.text)[:40]))
    if other.number is not None:
        checks.append(one.number == other.number)
    return 0.5 + 0.5 * (sum(checks) / len(checks) if checks else 1)


def sign_of(page: FetchedDocument, show: Show, entries: Sequence[EntryData]) -> str:
    """What the site calls itself on its pages: what its host is called too, else the last part of an HTML page's title,
    or the first line of saved text."""
    host = squashed(urlsplit(page.address or address_of(page)).hostname or "")
    if is_html(decode(page)):
        title = title_of(page)
        parts = [part for chunk in SITE_BREAK.split(title) for part in PART_BREAK.split(chunk)][::-1]
        near = [*parts, *title.split()]
    else:
        near = [line.text for line in lines(page)[:SIGN_IN]]
        parts = near[:1]
    named = [text for text in near if len(squashed(text)) > 2 and squashed(text) in host]
    return next((text for text in (*named, *parts) if _can_be_sign(text, show, entries)), "")


def _can_be_sign(text: str, show: Show, entries: Sequence[EntryData]) -> bool:
    title = normalize_show_name(text)
    own = f" {normalize_show_name(show.title)} " in f" {title} " or is_show(text, show.title) or heads(text, show.title)
    return (
        bool(title)
        and not own
        and len(title) < 60
        and all(title != normalize_show_name(said.title) for said in entries)
    )


def squashed(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())
