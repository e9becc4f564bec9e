"""The readers of feeds and of sites, each a module of this folder (`Reader`)."""

import pkgutil
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from ...records import FetchedDocument, ParsedPage, Show


class Reader(Protocol):
    """A module that reads the documents of a site, or of a kind."""

    TITLE: str  # the site's name for people
    HOSTS: tuple[str, ...]  # hosts with pages that it reads
    MIN_WITH_TEXT: float  # share of entries with text or audio that a good document has at least

    def recognises(self, page: FetchedDocument) -> bool:
        """Return True for a document of the site or kind, judged by its content."""

    def read(self, page: FetchedDocument, show: Show) -> ParsedPage:
        """Return the entries of a document as it has them.

        Raises:
            DocumentRejected: it is another document.
            WrongShow: it is about another show.
        """


@cache
def readers() -> dict[str, Reader]:
    """Return all readers by name. The name of `player_fm.py` is `player-fm`."""
    readers_by_name = {}
    for module_info in pkgutil.iter_modules(__path__):  # in the order of their names
        module = import_module(f"{__name__}.{module_info.name}")
        name = module_info.name.replace("_", "-")
        readers_by_name[name] = cast(Reader, module)
    return readers_by_name
