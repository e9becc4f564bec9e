"""Reads a site's list by its layout, where titles, dates, lengths and texts stand: all that most sites' readers need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from ..records import DocumentRejected, EntryData, FetchedDocument, ParsedPage, Show
from .dates import moment, seconds
from .decoding import decode, is_html
from .entries import check_show
from .forms import Form, Found, form_of, without_end
from .html import TextLine, absolute, base_of, lines, lines_in, title_of, tree_of
from .json_ld import fill
from .local_dates import Calendar, Mark, marks
from .show_names import is_show, normalize_show_name, show_above

TOP = 40  # lines in which a page says whose it is
MOST = 20_000  # entries of a page
WIDE = 40  # elements that stand beside the one that begins an entry and belong to it
DEEP = 50  # elements up to the entry that another stands in
LONG = 40  # characters that make a line a text where words are not counted by blanks
STAMPS = ("datetime", "content", "data-duration", "value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What every layout may say beside where things stand.

    `sign`: words that all pages of the site have in their title or their first or last lines, "" for none. `above`: the
    form of the line or page title that names the show ("All episodes of {show}"), where it is not the name alone. `cut`:
    what stands at the end of a text that the site cut; `ends`: what stands there and says nothing, such as a button.
    Both are forms as `forms.Form` explains. `numeric`: "dmy" or "mdy", how the site means 08/04/2024.
    """

    sign: str = ""
    above: str = ""
    cut: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    numeric: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout(Common):
    """Where things stand in HTML, as CSS selectors: `entry` in the page, the others in an entry, "" for what is not there.

    `spread`: an entry is the element of `entry` and those beside it, up to the next. `title_form`: what the title's
    element says, where that is more than the title: "{n}. {title}". `show`: the element that names an entry's show, on
    pages that mix shows.
    """

    entry: str
    spread: bool = False
    title: str = ""
    title_form: str = "{title}"
    date: str = ""
    length: str = ""
    text: str = ""
    link: str = ""
    show: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLayout(Common):
    """The forms of the lines of an entry, in their order, for saved text and for HTML read line by line.

    A form that begins with "?" may be missing; where a line has one of several forms, they stand together, the narrowest
    first. An entry begins where its lines are found up to the first that tells one (`forms.Form.hard`: not a bare title
    or text), or that says the title again.
    """

    lines: tuple[str | tuple[str, ...], ...]


def read_layout(page: FetchedDocument, show: Show, layout: Layout | TextLayout) -> ParsedPage:
    """The entries of the show in the order of the page; those of other shows are counted and left alone.

    Raises:
        DocumentRejected: it is no text, has no entry of that layout, or does not say that they are the show's.
    """
    sheet = sheet_of(page, layout)
    if not sheet.entries:
        raise DocumentRejected("it has no entry of the layout that its reader knows")
    calendar = Calendar([entry.date for entry in sheet.entries if entry.date])
    if layout.numeric:
        calendar.order = dict.fromkeys(calendar.order, layout.numeric)
    labelled = any(entry.show for entry in sheet.entries)
    if not labelled:
        _check_show(sheet, show, layout)
    ours = [entry for entry in sheet.entries if not labelled or is_show(entry.show, show.title)]
    if not ours:
        raise DocumentRejected(f"none of its {len(sheet.entries)} entries names {show.title}")
    said = (_said(entry, layout, sheet.language, calendar) for entry in ours)
    return ParsedPage(fill(tuple(said), page, show), show.title, len(sheet.entries) - len(ours))


def recognised(page: FetchedDocument, layout: Layout | TextLayout) -> bool:
    """Whether a page is the site's by its sign, and has two entries of the layout; three where the site has no sign."""
    try:
        found = lines(page)
        said = [title_of(page), *(line.text for line in (*found[:TOP], *found[-TOP:]))]
        if layout.sign and not any(
            f" {normalize_show_name(layout.sign)} " in f" {normalize_show_name(text)} " for text in said
        ):
            return False
        return len(sheet_of(page, layout).entries) >= (2 if layout.sign else 3)
    except DocumentRejected:
        return False


# -- entries as they stand on the page --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LayoutEntry:
    """What an entry says, unread."""

    title: str = ""
    text: str = ""
    date: Mark | None = None
    date_raw: str = ""
    stamp: str = ""  # a date for machines
    length_raw: str = ""
    span: tuple[int, int] | None = None
    url: str = ""
    show: str = ""
    number: int | None = None


@dataclass(frozen=True, slots=True)
class LayoutSheet:
    """A page's entries, and what stands above them."""

    entries: tuple[LayoutEntry, ...]
    above: tuple[TextLine, ...] = ()
    title: str = ""
    language: str = ""


@lru_cache(maxsize=2)  # a page is recognised before it is read
def sheet_of(page: FetchedDocument, layout: Layout | TextLayout) -> LayoutSheet:
    if isinstance(layout, Layout):
        return _from_markup(page, layout)
    return _from_lines(page, layout)


def _check_show(sheet: LayoutSheet, show: Show, layout: Layout | TextLayout) -> None:
    """Refuse a page that does not name the show above its entries."""
    if not layout.above:
        return check_show(show_above(sheet.above, show.title, sheet.title), show)
    texts = (sheet.title, *(line.text for line in sheet.above))
    names = [found.show for text in texts if (found := form_of(layout.above).read(text, sheet.language))]
    ours = any(is_show(name, show.title) for name in names)
    return check_show(show.title if ours else names[0] if names else "", show)


def _said(entry: LayoutEntry, layout: Common, language: str, calendar: Calendar) -> EntryData:
    text, cut = _text(entry.text, layout, language)
    at = moment(entry.stamp)
    return EntryData(
        title=entry.title,
        text=text,
        cut=cut,
        date_raw=entry.stamp if at else entry.date_raw,
        published=at.isoformat() if at else calendar.read(entry.date) if entry.date else "",
        length_raw=entry.length_raw if entry.span else "",
        seconds_low=entry.span[0] if entry.span else None,
        seconds_high=entry.span[1] if entry.span else None,
        number=entry.number,
        url=entry.url,
        show=entry.show,
    )


def _text(text: str, layout: Common, language: str) -> tuple[str, bool | None]:
    """A text without what the site puts at its end, and whether the site cut it: None where it never says so."""
    text, cut = without_end(text, layout.cut, language)
    if not cut:
        text, _ = without_end(text, layout.ends, language)
    return text, (cut if layout.cut and text else None)


# -- HTML -------------------------------------------------------------------------------------------------------------


def _from_markup(page: FetchedDocument, layout: Layout) -> LayoutSheet:
    text = decode(page)
    if not is_html(text):
        raise DocumentRejected("it is no HTML page, as those of its site are")
    tree = tree_of(text)
    nodes = _select(tree.root, layout.entry)[:MOST] if tree.root else []
    root = base_of(tree, page.address)
    html = tree.css_first("html")
    language = ((html.attributes.get("lang") or "") if html else "").lower().split("-")[0]
    tops = {node.mem_id for node in nodes}
    nodes = [node for node in nodes if not _within(node, tops)]
    read = (_entry([node, *beside(node, tops)] if layout.spread else [node], layout, root, language) for node in nodes)
    entries = tuple(entry for entry in read if entry.title or (entry.text and not layout.title))
    above = tuple(lines_in(tree.body, root, nodes[0])) if nodes and tree.body else ()
    return LayoutSheet(entries, above, title_of(page), language)


def _within(node: LexborNode, tops: set[int]) -> bool:
    """Whether an entry's element stands in another's: each would be read again with all that is below it."""
    above = node.parent
    for _ in range(DEEP):
        if above is None or above.mem_id in tops:
            return above is not None
        above = above.parent
    return False


def beside(node: LexborNode, tops: set[int]) -> Iterator[LexborNode]:
    """The elements that stand behind one that begins an entry, up to the next that does."""
    following = node.next
    for _ in range(WIDE):
        while following is not None and (following.tag or "-").startswith("-"):
            following = following.next
        if following is None or following.mem_id in tops:
            return
        yield following
        following = following.next


def _select(node: LexborNode, selector: str) -> list[LexborNode]:
    """The elements of a selector.

    Raises:
        DocumentRejected: it is no selector.
    """
    try:
        return node.css(selector)
    except SelectolaxError:
        raise DocumentRejected(f"{selector!r}, by which its reader finds entries, is no CSS selector") from None


def first(nodes: Sequence[LexborNode], selector: str) -> LexborNode | None:
    """The first element of a selector in an entry's elements."""
    return next((found for node in nodes for found in _select(node, selector)), None) if selector else None


def _entry(nodes: Sequence[LexborNode], layout: Layout, root: str, language: str) -> LayoutEntry:
    title, show = (words(first(nodes, selector), root) for selector in (layout.title, layout.show))
    found = form_of(layout.title_form).read(title, language) if title else None
    entry = entry_of(found) if found else LayoutEntry()
    if layout.title and not entry.title:
        return LayoutEntry()
    stamp, date_raw, date = date_in(first(nodes, layout.date), root, language)
    length_raw, span = length_in(first(nodes, layout.length), root, language)
    return replace(
        entry,
        text=words(first(nodes, layout.text), root, "\n") or entry.text,
        date=date or entry.date,
        date_raw=date_raw or entry.date_raw,
        stamp=stamp,
        length_raw=length_raw or entry.length_raw,
        span=span or entry.span,
        url=link_in(first(nodes, layout.link), root),
        show=show or entry.show,
    )


def entry_of(found: Found) -> LayoutEntry:
    return LayoutEntry(
        found.title,
        found.text,
        found.date,
        found.date_raw,
        "",
        found.length_raw,
        found.length.span if found.length else None,
        "",
        found.show,
        found.number,
    )


def words(node: LexborNode | None, root: str, between: str = " ") -> str:
    """What an element says."""
    return between.join(line.text for line in lines_in(node, root)) if node else ""


def _stamps(node: LexborNode) -> Iterator[str]:
    for one in (node, *node.css("[datetime], [content], [value]")[:20]):
        yield from (" ".join(value.split())[:60] for name in STAMPS if (value := one.attributes.get(name)))


def date_in(node: LexborNode | None, root: str, language: str) -> tuple[str, str, Mark | None]:
    """An element's date for machines, its date for people, and that date read."""
    if node is None:
        return "", "", None
    stamp = next((stamp for stamp in _stamps(node) if moment(stamp)), "")
    text = words(node, root)[:1000]
    mark = next((mark for mark in marks(text, language) if mark.kind == "date"), None)
    return stamp, text[mark.start : mark.end] if mark else "", mark


def length_in(node: LexborNode | None, root: str, language: str) -> tuple[str, tuple[int, int] | None]:
    """An element's length as printed, and in seconds."""
    if node is None:
        return "", None
    stamp = next((stamp for stamp in _stamps(node) if stamp[:1] in "Pp" and seconds(stamp)), "")
    text = words(node, root)[-1000:]
    found = [mark for mark in marks(text, language) if mark.span and mark.kind in ("length", "clock")]
    mark = next((mark for mark in found if mark.kind == "length"), found[-1] if found else None)
    if stamp or not mark:
        return stamp, seconds(stamp)
    return text[mark.start : mark.end], mark.span


def link_in(node: LexborNode | None, root: str) -> str:
    """Where an element, or the first link in it, leads to."""
    for one in (node, *node.css("a[href]")[:1]) if node else ():
        if address := absolute((one.attributes.get("href") or "") if one else "", root):
            return address
    return ""


# -- lines ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Kind:
    """A line of an entry: the forms that it may have, and whether it may be missing."""

    forms: tuple[Form, ...]
    missing: bool

    @property
    def hard(self) -> bool:
        return all(form.hard for form in self.forms)

    @property
    def titled(self) -> bool:
        return all("title" in form.fields for form in self.forms)

    def read(self, line: TextLine, language: str) -> Found | None:
        """What a line says; a text has to be prose."""
        for form in self.forms:
            prose = form.hard or "text" not in form.fields or line.is_prose or len(line.text) > LONG
            if prose and (found := form.read(line.text, language)):
                return found
        return None


def _kind(forms: str | tuple[str, ...]) -> _Kind:
    forms = (forms,) if isinstance(forms, str) else forms
    return _Kind(tuple(form_of(form.removeprefix("?")) for form in forms), any(form[:1] == "?" for form in forms))


def _from_lines(page: FetchedDocument, layout: TextLayout) -> LayoutSheet:
    found, language = lines(page), _language(page)
    kinds = [_kind(forms) for forms in layout.lines]
    head = _head(kinds)
    entries: list[LayoutEntry] = []
    start = place = 0
    while head and place < len(found) and len(entries) < MOST:
        said, end = _block(found, place, kinds, head, language)
        if said and (said.title or said.text):
            start = start if entries else place
            entries.append(said)
            place = end
        else:
            place += 1
    return LayoutSheet(tuple(entries), found[:start], title_of(page), language)


def _language(page: FetchedDocument) -> str:
    text = decode(page)
    html = LexborHTMLParser(text[:65_536]).css_first("html") if is_html(text) else None
    return ((html.attributes.get("lang") or "") if html else "").lower().split("-")[0]


def _head(kinds: Sequence[_Kind]) -> int:
    """How many lines of an entry tell that it begins: up to the first that tells one, or says the title again; 0: none."""
    titles = 0
    for n, kind in enumerate(kinds):
        if not kind.missing and (kind.hard or (titles and kind.titled)):
            return n + 1
        titles += kind.titled and not kind.missing
    return 0


def _block(
    found: Sequence[TextLine], place: int, kinds: Sequence[_Kind], head: int, language: str
) -> tuple[LayoutEntry | None, int]:
    """The entry that begins at a line, and where it ends; none where the lines have other forms."""
    entry = LayoutEntry()
    for count, kind in enumerate(kinds):
        line = found[place] if place < len(found) else None
        said = kind.read(line, language) if line else None
        if said and said.title and entry.title and normalize_show_name(said.title) != normalize_show_name(entry.title):
            said = None
        # A text that may be missing is not the next entry's first line.
        if said and kind.missing and not kind.hard and count >= head:
            said = said if _block(found, place, kinds[:head], head, language)[0] is None else None
        if said and line:
            entry = _with(entry, entry_of(said), line)
            place += 1
        elif not kind.missing:
            return None, place
    return entry, place


def _with(entry: LayoutEntry, said: LayoutEntry, line: TextLine) -> LayoutEntry:
    """An entry with what its next line says; a text may have several lines."""
    news = {f.name: value for f in fields(said) if (value := getattr(said, f.name)) not in ("", None)}
    if entry.text and said.text:
        news["text"] = f"{entry.text}\n{said.text}"
    if said.title and not entry.title and line.links:
        news["url"] = line.links[0]
    return replace(entry, **news)
