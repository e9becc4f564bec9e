"""Writes the reader of a site that a layout was learned for: the text of its module, as a person would begin it."""

from __future__ import annotations

import re
from dataclasses import fields

from ..records import DocumentRejected, FetchedDocument, ParsedPage, Show
from .by_layout import Layout, TextLayout, read_layout
from .learn import Learned

MODULE = '''"""Reads {about}; begun by `manage.py new_source` from one page of it."""

from __future__ import annotations

from ...records import FetchedDocument, ParsedPage, Show
from ..by_layout import {kind}, read_layout, recognised

TITLE = {title}
HOSTS{typed} = {hosts}
MIN_ENTRIES = {entries}
MIN_WITH_TEXT = {texts}

LAYOUT = {kind}(
{layout})


def recognises(page: FetchedDocument) -> bool:
    return recognised(page, LAYOUT)


def read(page: FetchedDocument, show: Show) -> ParsedPage:
    """The entries in the order of the page.

    Raises:
        DocumentRejected: it has none, or does not say that they are the show's.
    """
    return read_layout(page, show, LAYOUT)
'''
OTHER = "A page of {title}\n\nAnother Show\nNothing on it stands like an entry.\n"
ORDER = ("entry", "spread", "lines", "title", "title_form", "date", "length", "text", "link", "show")


def module(learned: Learned, title: str, host: str) -> str:
    """The text of a reader's module, formatted as the others are."""
    layout, entries = learned.layout, learned.reading.entries
    texts = sum(bool(said.text) for said in entries) / len(entries)
    defaults = {field.name: field.default for field in fields(layout)}
    names = sorted(defaults, key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
    said = {name: getattr(layout, name) for name in names if getattr(layout, name) != defaults[name]}
    return MODULE.format(
        about=re.sub(r'[\\"]', "'", f"{title}'s list of a show's episodes"),
        kind=type(layout).__name__,
        title=literal(title),
        typed="" if host else ": tuple[str, ...]",
        hosts=literal((host,) if host else ()),
        entries=1,
        texts=round(texts / 2, 1),
        layout="".join(f"    {name}={literal(value, 4)},\n" for name, value in said.items()),
    )


def literal(value: object, indent: int = 0) -> str:
    """A value as Python's formatters write it: double quotes, a tuple on one line where it fits."""
    if isinstance(value, tuple):
        parts = [literal(part, indent + 4) for part in value]
        line = f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        if len(line) <= 80:
            return line
        inner = "".join(f"{' ' * (indent + 4)}{part},\n" for part in parts)
        return f"(\n{inner}{' ' * indent})"
    if not isinstance(value, str):
        return repr(value)
    printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in value.replace("\\", "\\\\"))
    return f"'{printable}'" if '"' in value and "'" not in value else '"' + printable.replace('"', '\\"') + '"'


def other_page(title: str) -> str:
    """A page of the site that its reader refuses."""
    return OTHER.format(title=title)


def refusal(page: FetchedDocument, show: Show, layout: Layout | TextLayout) -> str:
    """What the reader says of a page that it refuses; "" where it takes it."""
    try:
        read_layout(page, show, layout)
    except DocumentRejected as refused:
        return str(refused)
    return ""


def takes_any_show(page: FetchedDocument, learned: Learned, show: Show) -> bool:
    """Whether the page would be taken for any show's: where it names ours, another could stand."""
    other = Show("another-show", "Another Show of That Site")
    try:
        return bool(read_layout(page, other, learned.layout).entries) and learned.reading.show == show.title
    except DocumentRejected:
        return False


def payload(reading: ParsedPage, address: str, show: str = "") -> dict[str, object]:
    """What the expected file of a page says (`episodes/tests/data/README.md`)."""
    about = {name: value for name, value in (("address", address), ("show", show)) if value}
    said: dict[str, object] = {"page": about} if about else {}
    entries = [entry.payload() for entry in reading.entries]
    return {**said, "show": reading.show, "foreign": reading.foreign, "posts": reading.posts, "entries": entries}
