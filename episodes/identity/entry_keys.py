"""Gives each entry of a document a key that it keeps from version to version. Pure."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from itertools import chain

from ..records import EntryData
from ..text.fingerprints import stable_hash
from ..text.normalize import fold, folded_opening
from ..text.urls import enclosure_key

NO_ITEMS: Mapping[str, EntryData] = {}


def choose_entry_keys(
    entries: Sequence[EntryData],
    previous_by_key: Mapping[str, EntryData] = NO_ITEMS,
    removed_by_key: Mapping[str, EntryData] = NO_ITEMS,
) -> list[str]:
    """Return a key for each entry, such as "guid:looms-12": its guid, else its page, its folded title, the
    beginning of its text, or a hash of all its values.

    A value that two entries share is no key. `previous_by_key` has the entries of the version before this one
    by key: an entry keeps its key there. `removed_by_key` has the entries that only older versions list: an
    entry comes back under its key if it is still the same.
    """
    possible_keys_by_position = [_possible_keys(entry) for entry in entries]
    # Some feeds give every item the same guid, or the show's home page for its page.
    uses_by_possible_key = Counter(chain.from_iterable(possible_keys_by_position))
    former_by_key = {**removed_by_key, **previous_by_key}
    titles_and_days = set(map(_folded_title_and_day, entries))
    keys = []
    uses_by_key: Counter[str] = Counter()
    for entry, possible_keys in zip(entries, possible_keys_by_position, strict=True):
        unique_keys = [key for key in possible_keys if uses_by_possible_key[key] == 1]
        lasting_keys = _keys_not_of_other_entries(
            unique_keys, entry, former_by_key, titles_and_days
        )
        # If other entries had all its possible keys, the entry takes one of them over.
        key = _listed_or_first_key(entry, lasting_keys or unique_keys, previous_by_key)
        uses_by_key[key] += 1
        # Entries with the same values have the same hash: the second one gets "~2".
        if uses_by_key[key] > 1:
            key = f"{key}~{uses_by_key[key]}"
        keys.append(key)
    return keys


def _listed_or_first_key(
    entry: EntryData, preferred_keys: Sequence[str], previous_by_key: Mapping[str, EntryData]
) -> str:
    """Return the preferred key that the version before lists (`previous_by_key`), else the first
    preferred key, else a hash of all values."""
    # The key of an entry stays "title:looms" if the feed adds a guid later.
    for key in preferred_keys:
        if key in previous_by_key:
            return key
    if preferred_keys:
        return preferred_keys[0]
    values = repr(sorted(entry.payload().items()))
    return f"content:{stable_hash(values, 32)}"


def _keys_not_of_other_entries(
    keys: Sequence[str],
    entry: EntryData,
    former_by_key: Mapping[str, EntryData],
    titles_and_days: Set[tuple[str, str]],
) -> list[str]:
    """Return the keys that older versions have for no entry, or for the same one.

    A guid such as "latest" or "3" moves on to another entry in the next version. `titles_and_days` are of all
    entries of this version.
    """
    lasting_keys = []
    for key in keys:
        former_entry = former_by_key.get(key)
        if former_entry is None or not _is_different_entry(former_entry, entry, titles_and_days):
            lasting_keys.append(key)
    return lasting_keys


def restore_former_keys(
    keys: Sequence[str],
    entries: Sequence[EntryData],
    previous_by_key: Mapping[str, EntryData],
    *,
    is_parser_new: bool,
) -> list[str]:
    """Return the keys, but give an entry that would lose its key its former key. Curators' decisions hang on
    keys.

    `keys` are the results of `choose_entry_keys`. `previous_by_key` has the entries of the version before, or
    of this version by an older parser. An entry loses its key in two cases:

        the new parser reads another title than the old one (`is_parser_new`)
        it got its former key here before, so its values no longer have that key

    In both cases it is found by a value in common with the previous entry.
    """
    stable_keys = list(keys)
    vanished_keys_by_value = _vanished_keys_by_value(
        keys, previous_by_key, is_parser_new=is_parser_new
    )
    # Most often no key has vanished. Folding the texts of new entries would be slow.
    if not vanished_keys_by_value:
        return stable_keys
    titles_and_days = set(map(_folded_title_and_day, entries))
    for position, entry in enumerate(entries):
        is_key_new = keys[position] not in previous_by_key
        if is_key_new:
            vanished_keys = _only_vanished_key_of_each_value(
                entry, vanished_keys_by_value, stable_keys
            )
            former_keys = _keys_not_of_other_entries(
                vanished_keys, entry, previous_by_key, titles_and_days
            )
            if former_keys:
                stable_keys[position] = former_keys[0]
    return stable_keys


def _vanished_keys_by_value(
    keys: Sequence[str], previous_by_key: Mapping[str, EntryData], *, is_parser_new: bool
) -> Mapping[str, set[str]]:
    """Return the keys of the version before that no entry has now, by each value to find the entry by,
    such as "title:looms"."""
    keys_by_value = defaultdict[str, set[str]](set)
    for key in previous_by_key.keys() - set(keys):
        values = _lookup_values_of_vanished_entry(
            key, previous_by_key[key], is_parser_new=is_parser_new
        )
        for value in values:
            keys_by_value[value].add(key)
    return keys_by_value


def _only_vanished_key_of_each_value(
    entry: EntryData, vanished_keys_by_value: Mapping[str, set[str]], used_keys: Sequence[str]
) -> list[str]:
    """Return the vanished keys of entries that had a value in common with this one, the best value first.
    Leave out values that two of them had, such as a date."""
    only_keys: list[str] = []
    for value in [*_possible_keys(entry), *_date_and_file_values(entry)]:
        # Another entry of this version may have got a vanished key already.
        vanished_keys = vanished_keys_by_value.get(value, set()).difference(used_keys)
        if len(vanished_keys) == 1:
            only_keys.extend(vanished_keys)
    return only_keys


def _lookup_values_of_vanished_entry(
    key: str, entry: EntryData, *, is_parser_new: bool
) -> list[str]:
    """Return the values by which to find an entry of the version before, as no entry has its key now."""
    values = []
    values_of_entry = _possible_keys(entry)
    # After an upgrade "AT&T;" is read as "AT&T", and keeps the key "title:at&t;". `choose_entry_keys` compares
    # values with keys, so it cannot find an entry whose key is none of its values.
    if key not in values_of_entry:
        values += values_of_entry
    # A new parser may read another title of the same entry, but no other date or file.
    if is_parser_new:
        values += _date_and_file_values(entry)
    return values


def _is_different_entry(
    old: EntryData, new: EntryData, new_titles_and_days: Set[tuple[str, str]]
) -> bool:
    """Return whether an entry with the key of an old one is a different entry: title and date both
    differ, and the text does not prove that it is the same.

    `new_titles_and_days` are of all entries in the version of the new one.
    """
    old_title_and_day = _folded_title_and_day(old)
    old_title, old_day = old_title_and_day
    new_title, new_day = _folded_title_and_day(new)
    has_other_day = _are_both_set_and_differ(old_day, new_day)
    if not has_other_day or not _are_both_set_and_differ(old_title, new_title):
        return False
    # The old entry is still listed, under another key. Its text proves nothing then, as some feeds give
    # all entries the same text.
    if old_title_and_day in new_titles_and_days:
        return True
    # Last, as it takes long to fold a text.
    old_text = fold(old.text or old.html)
    has_equal_text = old_text != "" and old_text == fold(new.text or new.html)
    return not has_equal_text


def _folded_title_and_day(entry: EntryData) -> tuple[str, str]:
    return fold(entry.title), entry.published[:10]


def _are_both_set_and_differ(old: str, new: str) -> bool:
    return bool(old and new) and old != new


def _possible_keys(entry: EntryData) -> list[str]:
    """Return the values that can be the key of an entry, the best first:
    `["guid:looms-12", "title:looms"]`."""
    text = folded_opening(entry.text or entry.html, 80)
    value_by_kind = {
        "guid": entry.guid,
        "url": entry.url,
        "title": fold(entry.title),
        "text": text,
    }
    return _short_values_with_kind_prefix(value_by_kind)


def _date_and_file_values(entry: EntryData) -> list[str]:
    """Return the values that every release of the program reads alike: the date as it is written, and the
    audio file."""
    value_by_kind = {"date": entry.date_raw, "file": enclosure_key(entry.audio_url)}
    return _short_values_with_kind_prefix(value_by_kind)


def _short_values_with_kind_prefix(value_by_kind: Mapping[str, str]) -> list[str]:
    """Return "kind:value" for each value that is not "". A long value is cut, and a hash stands for the rest:
    "text:we talk about~4be1…"."""
    prefixed_values = []
    for kind, value in value_by_kind.items():
        # Half of a surrogate pair is no valid text, but a feed may have one.
        utf8_bytes = value.encode("utf-8", "surrogatepass")
        # The index of a database takes no longer keys. 480 bytes leave room for "~" and the hash.
        if len(utf8_bytes) > 500:
            # The cut may leave a part of a letter, which "ignore" drops.
            beginning = utf8_bytes[:480].decode("utf-8", "ignore")
            value = f"{beginning}~{stable_hash(utf8_bytes, 16)}"
        if value:
            prefixed_values.append(f"{kind}:{value}")
    return prefixed_values


def split_into_unique_entries_and_repeats(
    entries: Sequence[EntryData],
) -> tuple[tuple[EntryData, ...], list[EntryData]]:
    """Return the entries of a document, and entries that repeat an earlier one of them."""
    unique = []
    repeats = []
    values_so_far: set[object] = set()
    for entry in entries:
        unique_values = _values_unique_to_entry(entry)
        if values_so_far.isdisjoint(unique_values):
            unique.append(entry)
        else:
            repeats.append(entry)
        # A third entry may repeat only the second: that may have a new title or file.
        values_so_far.update(unique_values)
    return tuple(unique), repeats


def _values_unique_to_entry(entry: EntryData) -> list[object]:
    """Return values that two different entries never share: with a guid, any two of title, date
    and audio file, else all values."""
    if not entry.guid:
        return [entry]
    title = fold(entry.title)
    file = enclosure_key(entry.audio_url)
    unique_values: list[object] = [("title and date", entry.guid, title, entry.published)]
    # Items without audio are not equal by having none.
    if file:
        unique_values.append(("title and file", entry.guid, title, file))
        unique_values.append(("date and file", entry.guid, entry.published, file))
    return unique_values
