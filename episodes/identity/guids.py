"""Gives each episode an identifier of our own, for feeds in which that of its source cannot serve;
pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from uuid import NAMESPACE_URL, uuid5

from ..records import SourceEntry


def own_guids(show: str, groups: Sequence[Sequence[SourceEntry]]) -> list[str]:
    """A URN for each episode's entries, made of the show and the first entry that its best-ranked
    source ever had for it.

    Entries keep their keys and are never deleted, so it stays when title, number, address or guid
    change.
    """
    first = [min(group, key=_age) for group in groups]
    # Two documents of a source can use one key for different episodes.
    uses = Counter((entry.source, entry.key) for entry in first)
    return [_urn(show, *(e.ref if uses[e.source, e.key] > 1 else (e.source, e.key))) for e in first]


def _age(entry: SourceEntry) -> tuple[int, str, int, str, str]:
    return (entry.rank, entry.source, entry.first_version, entry.key, entry.document)


def _urn(*names: str) -> str:
    return uuid5(NAMESPACE_URL, "\0".join(names)).urn


def guid_hash(guid: str) -> str:
    """The same for guids that clients may take for one: case and white space apart; "" for none."""
    folded = "".join(filter(str.isprintable, guid)).replace(" ", "").casefold()
    return sha256(folded.encode("utf-8", "surrogatepass")).hexdigest() if folded else ""
