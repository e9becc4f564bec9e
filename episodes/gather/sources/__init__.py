"""The readers of feeds and of sites, each a module of this folder (`Reader`)."""

import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from ...records import FetchedDocument, ParsedPage, Show


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """The functions for the documents of a site, or of a kind.

    `recognises` tells them from other documents by their content. `read` returns the entries of a
    document as it has them. It raises DocumentRejected for another document, and WrongShow for one
    about another show.
    """

    title: str  # the site's name for people
    hosts: tuple[str, ...] = ()  # with pages that it reads
    min_with_text: float  # share of entries with text or audio that a good document has at least
    recognises: Callable[[FetchedDocument], bool]
    read: Callable[[FetchedDocument, Show], ParsedPage]


@cache
def readers() -> dict[str, Reader]:
    """Return all readers by name. The name of `player_fm.py` is `player-fm`."""
    readers_by_name = {}
    for module_info in pkgutil.iter_modules(__path__):  # in the order of their names
        module = import_module(f"{__name__}.{module_info.name}")
        name = module_info.name.replace("_", "-")
        readers_by_name[name] = module.READER
    return readers_by_name
