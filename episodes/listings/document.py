"""A fetched document with its text, tree, rows and data, each parsed once."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from ..records import FetchedDocument
from .declared_data import iterate_embedded_json, iterate_series_names, page_rows_of_data
from .decoding import begins_like_html, decode_page
from .rows import (
    Head,
    PageRows,
    page_rows_of_html,
    page_rows_of_saved_text,
    parse_untrusted_html,
    read_head,
)


@dataclass(frozen=True)
class PageDocument(FetchedDocument):
    """A fetched document with its parts. Each part is parsed at its first use.

    Raises:
        DocumentRejected: the document is empty, is no text, or is made to hold up its parser.
    """

    @classmethod
    def from_fetched(cls, page: FetchedDocument) -> PageDocument:
        if isinstance(page, PageDocument):
            return page
        return cls(**{field.name: getattr(page, field.name) for field in fields(page)})

    @cached_property
    def text(self) -> str:
        return decode_page(self)

    @cached_property
    def tree(self) -> LexborHTMLParser | None:
        return parse_untrusted_html(self.text) if begins_like_html(self.text) else None

    @cached_property
    def rows(self) -> PageRows:
        if self.tree is None:
            return page_rows_of_saved_text(self.text, self.address)
        return page_rows_of_html(self.tree, self.address, self.head)

    @cached_property
    def rows_with_alternatives(self) -> PageRows | None:
        """Return the rows of the page without scripts and pictures, or None if it has no parts for this case."""
        alternatives = "body noscript, [href][aria-label], [href][title], [href] img[alt]"
        if self.tree is None or self.tree.css_first(alternatives) is None:
            return None
        return page_rows_of_html(self.tree, self.address, self.head, with_alternatives=True)

    @cached_property
    def data_rows(self) -> PageRows:
        return page_rows_of_data(self.data, self.head, self.address)

    @cached_property
    def data(self) -> tuple[Any, ...]:
        return tuple(iterate_embedded_json(self.text, self.tree))

    @cached_property
    def series(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(iterate_series_names(self.data)))

    @cached_property
    def head(self) -> Head:
        return read_head(self.tree) if self.tree else Head()


def require_parsable_page(page: FetchedDocument) -> None:
    """Refuse a page that cannot be parsed.

    Raises:
        DocumentRejected: the page is empty, is no text, or is made to hold up its parser.
    """
    _ = PageDocument.from_fetched(page).rows
