"""Gives each entry of a document a key that it keeps from version to version. Pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from ..records import EntryData
from ..text.fingerprints import stable_hash
from ..text.normalize import fold, folded_opening
from ..text.urls import enclosure_key

NO_ITEMS: Mapping[str, EntryData] = {}


def choose_entry_keys(
    entries: Sequence[EntryData],
    listed_by_key: Mapping[str, EntryData] = NO_ITEMS,
    removed_by_key: Mapping[str, EntryData] = NO_ITEMS,
) -> list[str]:
    """Return a key for each entry: its guid, else its page, its folded title, the beginning of its
    text, or a hash of all its values.

    A name that two entries share is no key. `listed_by_key` has the entries of the document's newest version
    by key: an entry keeps its key there. `removed_by_key` has the entries that only older versions list: an
    entry comes back under its key if it is still the same.
    """
    names_of_entries = [_key_names(entry) for entry in entries]
    # Feeds give every item one guid, or the show's home page for its page.
    name_uses = Counter(chain.from_iterable(names_of_entries))
    former_by_key = {**removed_by_key, **listed_by_key}
    keys = []
    key_uses: Counter[str] = Counter()
    for entry, names in zip(entries, names_of_entries, strict=True):
        unique_names = [name for name in names if name_uses[name] == 1]
        key = _choose_entry_key(entry, unique_names, listed_by_key, former_by_key)
        key_uses[key] += 1
        # Entries with the same values have the same hash: the second one gets "~2".
        if key_uses[key] > 1:
            key = f"{key}~{key_uses[key]}"
        keys.append(key)
    return keys


def _choose_entry_key(
    entry: EntryData,
    unique_names: Sequence[str],
    listed_by_key: Mapping[str, EntryData],
    former_by_key: Mapping[str, EntryData],
) -> str:
    """Return the first of the names that `listed_by_key` has as a key, else the first name, else a hash of
    all values. Prefer names that no different entry had before.

    `unique_names` are names of no other entry. `former_by_key` has the entries of all versions,
    `listed_by_key` has the entries of the newest version.
    """
    # A guid such as "latest" or "3" moves on to another entry in the next version.
    lasting_names = []
    for name in unique_names:
        former_entry = former_by_key.get(name)
        if former_entry is None or not _is_different_entry(former_entry, entry):
            lasting_names.append(name)
    candidates = lasting_names or unique_names
    # The key of an entry stays the same if the feed adds a guid later.
    for name in candidates:
        if name in listed_by_key:
            return name
    if candidates:
        return candidates[0]
    values = repr(sorted(entry.payload().items()))
    return f"content:{stable_hash(values, 32)}"


def restore_former_keys(
    keys: Sequence[str],
    entries: Sequence[EntryData],
    listed_by_key: Mapping[str, EntryData],
    *,
    is_parser_new: bool,
) -> list[str]:
    """Return the keys, but give an entry that would lose its key its former key. Curators' decisions hang on
    keys.

    `keys` are the results of `choose_entry_keys`, `listed_by_key` has the entries of the newest version by
    key. An entry with a new key may be a listed entry that another release of the program read otherwise
    (`is_parser_new`), or whose values have changed since it got its key. It is found by a name in common.
    """
    former_keys_by_name = defaultdict[str, set[str]](set)
    # The keys of listed entries that no entry has now.
    vanished_keys = listed_by_key.keys() - set(keys)
    for key in vanished_keys:
        names = _lookup_names_of_vanished_entry(
            key, listed_by_key[key], is_parser_new=is_parser_new
        )
        for name in names:
            former_keys_by_name[name].add(key)
    stable_keys = list(keys)
    # Most often no key has vanished. Folding the texts of new entries would be slow.
    if not former_keys_by_name:
        return stable_keys
    for index, entry in enumerate(entries):
        if keys[index] not in listed_by_key:
            former_key = _only_former_key_or_blank(
                entry, former_keys_by_name, listed_by_key, stable_keys
            )
            stable_keys[index] = former_key or keys[index]
    return stable_keys


def _only_former_key_or_blank(
    entry: EntryData,
    former_keys_by_name: Mapping[str, set[str]],
    listed_by_key: Mapping[str, EntryData],
    used_keys: Sequence[str],
) -> str:
    """Return the key of the only listed entry that has a name in common with this one, or ""."""
    for name in [*_key_names(entry), *_raw_key_names(entry)]:
        # Another entry of this version may have got a former key already.
        candidates = former_keys_by_name.get(name, set()).difference(used_keys)
        if len(candidates) != 1:
            continue
        (key,) = candidates
        if not _is_different_entry(listed_by_key[key], entry):
            return key
    return ""


def _lookup_names_of_vanished_entry(
    key: str, entry: EntryData, *, is_parser_new: bool
) -> list[str]:
    """Return the names by which to find a listed entry, as no entry has its key now."""
    names = []
    key_names = _key_names(entry)
    # The key is a name that the entry had at first. As long as it is among the names, `choose_entry_keys`
    # gives it to an entry with these names. So the names help only if they have changed since.
    is_key_outdated = key not in key_names
    if is_key_outdated:
        names += key_names
    if is_parser_new:
        names += _raw_key_names(entry)
    return names


def _is_different_entry(old: EntryData, new: EntryData) -> bool:
    """Return whether an entry with the key of an old one is a different entry: title and date both
    differ, and the text does not prove that it is the same."""
    has_other_day = _are_both_set_and_differ(old.published[:10], new.published[:10])
    if not has_other_day or not _are_both_set_and_differ(fold(old.title), fold(new.title)):
        return False
    # Last, as it takes long to fold a text.
    old_text = fold(old.text or old.html)
    has_equal_text = old_text != "" and old_text == fold(new.text or new.html)
    return not has_equal_text


def _are_both_set_and_differ(old: str, new: str) -> bool:
    return bool(old and new) and old != new


def _key_names(entry: EntryData) -> list[str]:
    """Return the values that can be the key of an entry, the best first."""
    text = folded_opening(entry.text or entry.html, 80)
    value_by_kind = {
        "guid": entry.guid,
        "url": entry.url,
        "title": fold(entry.title),
        "text": text,
    }
    return _names_with_kind_prefix(value_by_kind)


def _raw_key_names(entry: EntryData) -> list[str]:
    """Return names that do not depend on the reader: the date as it is written, and the audio file."""
    value_by_kind = {"date": entry.date_raw, "file": enclosure_key(entry.audio_url)}
    return _names_with_kind_prefix(value_by_kind)


def _names_with_kind_prefix(value_by_kind: Mapping[str, str]) -> list[str]:
    """Return "kind:value" for each value. A long value is cut, and a hash stands for the rest."""
    names = []
    for kind, value in value_by_kind.items():
        data = value.encode("utf-8", "surrogatepass")
        # A database cannot index more bytes. 480 leave room for the hash of 16.
        if len(data) > 500:
            beginning = data[:480].decode("utf-8", "ignore")
            value = f"{beginning}~{stable_hash(data, 16)}"
        if value:
            names.append(f"{kind}:{value}")
    return names


def split_into_unique_entries_and_repeats(
    entries: Sequence[EntryData],
) -> tuple[tuple[EntryData, ...], list[EntryData]]:
    unique = []
    repeats = []
    seen_keys: set[object] = set()
    for entry in entries:
        entry_keys = _keys_shared_by_equal_entries(entry)
        if seen_keys.isdisjoint(entry_keys):
            unique.append(entry)
        else:
            repeats.append(entry)
        seen_keys.update(entry_keys)
    return tuple(unique), repeats


def _keys_shared_by_equal_entries(entry: EntryData) -> list[object]:
    """Return values that two different entries never share: with a guid, any two of title, date
    and audio file, else all values."""
    if not entry.guid:
        return [entry]
    title = fold(entry.title)
    file = enclosure_key(entry.audio_url)
    keys: list[object] = [("title and date", entry.guid, title, entry.published)]
    if file:
        keys.append(("title and file", entry.guid, title, file))
        keys.append(("date and file", entry.guid, entry.published, file))
    return keys
