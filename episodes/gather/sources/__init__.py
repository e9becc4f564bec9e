"""The readers, one module a site; each says what it reads (`recognises`), and reads it (`read`).

A reader is a module with
- TITLE, the site's name for people,
- HOSTS, the names of hosts whose pages it reads,
- MIN_WITH_TEXT, the share of entries with text that a good document has at least,
- recognises(page), True for a document of that kind by its content,
- read(page, show), its entries, verbatim; raises DocumentRejected;
and is found by its file name.
"""

import pkgutil
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from ...records import FetchedDocument, ParsedPage, Show


class Reader(Protocol):
    TITLE: str
    HOSTS: tuple[str, ...]
    MIN_WITH_TEXT: float

    def recognises(self, page: FetchedDocument) -> bool: ...

    def read(self, page: FetchedDocument, show: Show) -> ParsedPage: ...


@cache
def readers() -> dict[str, Reader]:
    """Return all readers by name. `player_fm.py` is `player-fm`."""
    result = {}
    for name in sorted(module.name for module in pkgutil.iter_modules(__path__)):
        result[name.replace("_", "-")] = cast(Reader, import_module(f"{__name__}.{name}"))
    return result
