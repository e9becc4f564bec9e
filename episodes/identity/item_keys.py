"""Gives each entry of a document the key that stays its own from version to version."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from ..records import EntryData
from ..text.fingerprints import stable_hash
from ..text.normalize import fold, folded_opening
from ..text.urls import enclosure_key

TELLING = 80  # characters of a text that name an entry
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
    version says, by key: an entry that has got a guid since keeps the key it had without one.
    `gone` is what entries said last that are no longer listed: only the same ones come back under
    their keys.
    """
    names = [_names(said) for said in entries]
    # Feeds give every item one guid, or the show's home page for its page.
    shared = Counter(name for own in names for name in own)
    # The newest version has the say where a key was used before and is again.
    known = {**gone, **listed}
    keys: list[str] = []
    seen: Counter[str] = Counter()
    for own, said in zip(names, entries, strict=True):
        unique = [name for name in own if shared[name] == 1]
        # Not under a name that the document had for quite another entry: a guid may be a place in
        # a list, or "latest".
        still = [n for n in unique if not _is_another(known.get(n, said), said)] or unique
        if not still:
            content = repr(sorted(said.payload().items()))
            still = [f"content:{stable_hash(content, 32)}"]
        # The best name comes first, but one that the document knows already is kept: a guid filled
        # in is no new entry.
        key = next((name for name in still if name in listed), still[0])
        seen[key] += 1
        keys.append(key if seen[key] == 1 else f"{key}~{seen[key]}")
    return keys


def keep_former_keys(
    keys: Sequence[str],
    entries: Sequence[EntryData],
    listed: Mapping[str, EntryData],
    *,
    is_reader_new: bool,
) -> list[str]:
    """Return the keys of entries, with former keys for entries whose title or text is read otherwise
    than when they got their keys. Curators' decisions hang on keys.

    `keys` are those of `item_keys`, `listed` is the newest version by key. An entry whose key is not
    one of its names is found by its names. If another release of the program read `listed`, an
    entry is found by its date or its file as well.
    """
    stable_keys = list(keys)
    former_keys = defaultdict[str, set[str]](set)
    for key in listed.keys() - set(keys):
        for name in _lasting_names(key, listed[key], is_reader_new=is_reader_new):
            former_keys[name].add(key)
    for index, entry in enumerate(entries):
        if keys[index] in listed or not former_keys:
            continue
        for name in [*_names(entry), *_raw_names(entry)]:
            candidates = former_keys[name].difference(stable_keys)
            if len(candidates) == 1 and not _is_another(listed[min(candidates)], entry):
                stable_keys[index] = min(candidates)
                break
    return stable_keys


def _lasting_names(key: str, entry: EntryData, *, is_reader_new: bool) -> list[str]:
    """Return the names by which an entry that is listed no longer is found under another key."""
    names = _names(entry)
    lasting = [] if key in names else names
    return lasting + _raw_names(entry) if is_reader_new else lasting


def _raw_names(entry: EntryData) -> list[str]:
    """Return names that no reader makes anew: the date as it is written, and the audio file."""
    values = (("date", entry.date_raw), ("file", enclosure_key(entry.audio_url)))
    return [f"{kind}:{value}" for kind, value in values if value]


def _is_another(before: EntryData, now: EntryData) -> bool:
    """True if title and date were known and are both otherwise, and the text is, where there is
    one."""
    if not (
        _differ(before.published[:10], now.published[:10])
        and _differ(fold(before.title), fold(now.title))
    ):
        return False  # before the texts are folded, which takes long
    texts = fold(before.text or before.html), fold(now.text or now.html)
    return texts == ("", "") or _differ(*texts)


def _differ(before: str, now: str) -> bool:
    return bool(before and now) and before != now


def _names(said: EntryData) -> list[str]:
    text = folded_opening(said.text or said.html, TELLING)
    found = (("guid", said.guid), ("url", said.url), ("title", fold(said.title)), ("text", text))
    names = []
    for kind, value in found:
        data = value.encode("utf-8", "surrogatepass")
        if len(data) > LONGEST:
            beginning = data[: LONGEST - 20].decode("utf-8", "ignore")
            value = f"{beginning}~{stable_hash(data, 16)}"
        names += [f"{kind}:{value}"] if value else []
    return names


def without_repeats(
    entries: Sequence[EntryData],
) -> tuple[tuple[EntryData, ...], list[EntryData]]:
    """Return the entries, each once, and the repeats."""
    unique, repeats = [], []
    seen: set[object] = set()
    for entry in entries:
        contents = _contents(entry)
        if seen.isdisjoint(contents):
            unique.append(entry)
        else:
            repeats.append(entry)
        seen.update(contents)
    return tuple(unique), repeats


def _contents(entry: EntryData) -> list[object]:
    """Return what no two entries of a document have in common: under one guid two of title, date
    and audio file, else all values."""
    if not entry.guid:
        return [entry]
    title, file = fold(entry.title), enclosure_key(entry.audio_url)
    contents: list[object] = [("date", entry.guid, title, entry.published)]
    if file:
        contents.append(("title and file", entry.guid, title, file))
        contents.append(("date and file", entry.guid, entry.published, file))
    return contents
