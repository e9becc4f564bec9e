"""Gives each entry of a document the key that stays its own from version to version (rules.md 1)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence

from ..folding import fold
from ..records import Said

LONGEST = 500  # characters; longer names are told apart by their hash


def item_keys(entries: Sequence[Said], listed: Collection[str] = ()) -> list[str]:
    """One key an entry: its guid, else its page, else its folded title, else the beginning of its text.

    A name that two entries share names neither; an entry with nothing of its own is known by all it says, and, where
    even that is the same, by its count. `listed` are the keys of the document's newest version: an entry that has got
    a guid since keeps the key it had without one.
    """
    names = [_names(said) for said in entries]
    shared = Counter(name for own in names for name in set(own))
    unique = [[name for name in own if shared[name] == 1] for own in names]
    # The best name comes first, but one that the document knows already is kept: a guid filled in is no new entry.
    keys = [next((name for name in own if name in listed), own[0] if own else "") for own in unique]
    return _numbered([key or _by_content(said) for key, said in zip(keys, entries, strict=True)])


def _names(said: Said) -> list[str]:
    text = fold(said.text or said.html)[:80]
    found = (("guid", said.guid), ("url", said.url), ("title", fold(said.title)), ("text", text))
    return [f"{kind}:{_short(value)}" for kind, value in found if value]


def _short(value: str) -> str:
    if len(value) <= LONGEST:
        return value
    return f"{value[: LONGEST - 20]}~{hashlib.sha256(value.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _by_content(said: Said) -> str:
    content = repr(sorted(said.payload().items())).encode("utf-8", "surrogatepass")
    return f"content:{hashlib.sha256(content).hexdigest()[:32]}"


def _numbered(keys: list[str]) -> list[str]:
    seen: Counter[str] = Counter()
    numbered = []
    for key in keys:
        seen[key] += 1
        numbered.append(key if seen[key] == 1 else f"{key}~{seen[key]}")
    return numbered
