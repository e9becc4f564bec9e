"""Gives each entry of a document the key that stays its own from version to version."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

from ..records import EntryData
from ..text.normalize import fold, folded_opening

TELLING = 80  # characters of a text that tell an entry from others
LONGEST = 500  # bytes: what a database can index; longer names are told apart by their hash


NO_ITEMS: Mapping[str, EntryData] = {}


def item_keys(
    entries: Sequence[EntryData],
    listed: Mapping[str, EntryData] = NO_ITEMS,
    gone: Mapping[str, EntryData] = NO_ITEMS,
) -> list[str]:
    """One key an entry: its guid, else its page, else its folded title, else the beginning of its
    text.

    A name that two entries share names neither; an entry with nothing of its own is known by all it
    says, and, where even that is the same, by its count. `listed` is what the document's newest
    version says, by key: an entry that has got a guid since keeps the key it had without one, and
    one that was only given another title keeps its key. `gone` is what entries said last that are
    no longer listed: only the same ones come back under their keys.
    """
    names = [_names(said) for said in entries]
    shared = Counter(name for own in names for name in set(own))
    unique = [[name for name in own if shared[name] == 1] for own in names]
    unique = _with_passed_on(unique, entries, listed)
    # The best name comes first, but one that the document knows already is kept: a guid filled in
    # is no new entry.
    known = {**gone, **listed}
    unique = [_still(own, said, known) for own, said in zip(unique, entries, strict=True)]
    keys = [next((name for name in own if name in listed), own[0] if own else "") for own in unique]
    keys = [key or _by_content(said) for key, said in zip(keys, entries, strict=True)]
    return _numbered(_retitled(keys, entries, listed))


def _still(names: list[str], said: EntryData, known: Mapping[str, EntryData]) -> list[str]:
    """The names without those under which the document had quite another entry: a guid "latest"
    names nothing."""
    return [name for name in names if name not in known or not _another(known[name], said)] or names


def _with_passed_on(
    names: list[list[str]], entries: Sequence[EntryData], listed: Mapping[str, EntryData]
) -> list[list[str]]:
    """The names, where guids are places in a list: an entry that moved on to another guid keeps the
    key it had, which is no name of the entry that has the guid now."""
    moved = dict(_moved(names, entries, listed))
    passed_on = set(moved.values())
    return [
        [moved[place]] if place in moved else [name for name in own if name not in passed_on]
        for place, own in enumerate(names)
    ]


def _moved(
    names: Sequence[Sequence[str]], entries: Sequence[EntryData], listed: Mapping[str, EntryData]
) -> Iterator[tuple[int, str]]:
    """The places of entries that moved on, each with the key it had: another has its guid, or it
    has another's."""
    key_of = _by_title_and_date(listed.items())
    holder = {own[0]: said for own, said in zip(names, entries, strict=True) if own}
    for known, place in _by_title_and_date(enumerate(entries)).items():
        said, best, key = entries[place], next(iter(names[place]), ""), key_of.get(known, "")
        others = (
            (holder.get(key, said), listed.get(best, said)) if key and best and best != key else ()
        )
        if any(fold(other.title) not in ("", known[0]) for other in others):
            yield place, key


Place = TypeVar("Place")


def _by_title_and_date(entries: Iterable[tuple[Place, EntryData]]) -> dict[tuple[str, str], Place]:
    """Entries by title and date, where both are known and no other entry has the same."""
    found: dict[tuple[str, str], list[Place]] = {}
    for place, said in entries:
        if said.title and said.published:
            found.setdefault((fold(said.title), said.published), []).append(place)
    return {known: places[0] for known, places in found.items() if len(places) == 1}


def _another(before: EntryData, now: EntryData) -> bool:
    """True if title, text and date were known and are all otherwise."""
    return (
        _differ(before.published[:10], now.published[:10])
        and _differ(fold(before.title), fold(now.title))
        and _differ(fold(before.text or before.html), fold(now.text or now.html))
    )


def _differ(before: str, now: str) -> bool:
    return bool(before and now) and before != now


def _retitled(
    keys: list[str], entries: Sequence[EntryData], listed: Mapping[str, EntryData]
) -> list[str]:
    """The keys, with those of items that are gone given to the entries that have the whole of their
    text."""
    kept = set(keys)
    gone = _by_text((key, said) for key, said in listed.items() if key not in kept)
    if not gone:
        return keys
    new = _by_text(
        (key, said) for key, said in zip(keys, entries, strict=True) if key not in listed
    )
    for text, (key, said) in new.items():
        if text in gone and not (
            said.guid and gone[text][1].guid and said.guid != gone[text][1].guid
        ):
            keys[keys.index(key)] = gone[text][0]
    return keys


def _by_text(items: Iterable[tuple[str, EntryData]]) -> dict[str, tuple[str, EntryData]]:
    """Items by their whole text, where it is long enough to tell one from another and only one has
    it."""
    found: dict[str, list[tuple[str, EntryData]]] = {}
    for key, said in items:
        if len(text := fold(said.text or said.html)) >= TELLING:
            found.setdefault(text, []).append((key, said))
    return {text: same[0] for text, same in found.items() if len(same) == 1}


def _names(said: EntryData) -> list[str]:
    text = folded_opening(said.text or said.html, TELLING)
    found = (("guid", said.guid), ("url", said.url), ("title", fold(said.title)), ("text", text))
    return [f"{kind}:{_short(value)}" for kind, value in found if value]


def _short(value: str) -> str:
    data = value.encode("utf-8", "surrogatepass")
    if len(data) <= LONGEST:
        return value
    return (
        f"{data[: LONGEST - 20].decode('utf-8', 'ignore')}~{hashlib.sha256(data).hexdigest()[:16]}"
    )


def without_repeats(entries: Sequence[EntryData]) -> list[EntryData]:
    """The entries, each once: what is said twice to the letter, or under one guid with one title
    and date, is one."""
    found: list[EntryData] = []
    seen: set[object] = set()
    for said in entries:
        marks: set[object] = {said}
        if said.guid:
            marks.add((said.guid, fold(said.title), said.published))
        if not marks & seen:
            found.append(said)
        seen |= marks
    return found


def _by_content(said: EntryData) -> str:
    content = repr(sorted(said.payload().items())).encode("utf-8", "surrogatepass")
    return f"content:{hashlib.sha256(content).hexdigest()[:32]}"


def _numbered(keys: list[str]) -> list[str]:
    seen: Counter[str] = Counter()
    numbered = []
    for key in keys:
        seen[key] += 1
        numbered.append(key if seen[key] == 1 else f"{key}~{seen[key]}")
    return numbered
