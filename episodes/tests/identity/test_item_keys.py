"""Every entry of a document has a key of its own, which neither its place nor what is filled in later changes."""

from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from episodes.identity.entry_keys import choose_entry_keys, restore_former_keys, split_into_unique_entries_and_repeats
from episodes.records import EntryData

from ..listings.pages import SAVED, read, saved

WORDS = st.sampled_from(["", "a", "b", "A ", "a~2", "x" * 501, "x" * 501 + "y", "…", "'"])
ENTRIES = st.lists(st.builds(EntryData, title=WORDS, text=WORDS, guid=WORDS, url=WORDS), max_size=8)


@given(ENTRIES)
def test_keys_are_unique_and_fit_their_column(entries: list[EntryData]):
    keys = choose_entry_keys(entries)
    assert len(set(keys)) == len(keys) == len(entries)
    assert all(0 < len(key) <= 600 for key in keys)


@given(ENTRIES, st.randoms(use_true_random=False))
def test_keys_ignore_order_of_entries(entries: list[EntryData], random):
    shuffled = random.sample(range(len(entries)), len(entries))
    before = sorted(zip(choose_entry_keys(entries), entries, strict=True), key=repr)
    again = [entries[place] for place in shuffled]
    assert sorted(zip(choose_entry_keys(again), again, strict=True), key=repr) == before


@given(ENTRIES)
def test_keys_stay_when_the_same_document_comes_again(entries: list[EntryData]):
    keys = choose_entry_keys(entries)
    assert choose_entry_keys(entries, dict(zip(keys, entries, strict=True))) == keys


def test_later_guid_keeps_the_key():
    before = [EntryData(title="Guards", text="one"), EntryData(title="Shapes", text="two")]
    keys = choose_entry_keys(before)
    now = [replace(said, guid=f"g{n}", url=f"https://show.example/{n}") for n, said in enumerate(before)]
    assert choose_entry_keys([EntryData(title="New", guid="n"), *now], dict(zip(keys, before, strict=True))) == [
        "guid:n",
        *keys,
    ]


def test_a_guid_that_two_entries_carry_names_neither():
    assert choose_entry_keys([EntryData(title="One", guid="x"), EntryData(title="Two", guid="x")]) == [
        "title:one",
        "title:two",
    ]


def test_guid_moves_between_entries_of_one_text():
    ants, bees, cats = [
        EntryData(title=title, text="Talk of animals.", published=f"2024-02-0{day}")
        for day, title in enumerate(("Ants", "Bees", "Cats"), 1)
    ]
    before = {"guid:1": replace(bees, guid="1"), "guid:2": replace(ants, guid="2")}
    now = [replace(cats, guid="1"), replace(bees, guid="2"), replace(ants, guid="3")]
    assert choose_entry_keys(now, before) == ["title:cats", "title:bees", "guid:3"]
    corrected = [replace(cats, guid="1"), replace(ants, guid="2")]
    assert choose_entry_keys(corrected, before) == ["guid:1", "guid:2"]


def test_shipped_documents_have_stable_keys():
    for name in SAVED:
        keys = choose_entry_keys(read(name, saved(name)).entries)
        assert len(set(keys)) == len(keys)
        assert not [key for key in keys if key.startswith("content:")]


@given(st.integers(2, 6), st.integers(1, 8), st.booleans(), st.integers(1, 9))
def test_positional_guids_never_share_a_key(size: int, step: int, noted: bool, days: int):
    first = date(2024, 1, 1)

    def version(newest: int) -> list[EntryData]:
        return [
            EntryData(
                title=f"Topic {number}",
                guid=str(place),
                published=(first + timedelta(days=number * days)).isoformat(),
                text=f"Notes of number {number}" if noted else "",
            )
            for place, number in enumerate(range(newest, newest - size, -1))
        ]

    listed: dict[str, EntryData] = {}
    gone: dict[str, EntryData] = {}
    titles: dict[str, str] = {}
    for newest in range(10, 40, min(step, size - 1)):
        entries = version(newest)
        keys = choose_entry_keys(entries, listed, gone)
        gone |= listed
        listed = dict(zip(keys, entries, strict=True))
        assert choose_entry_keys(entries, listed, gone) == keys
        for key, said in listed.items():
            assert titles.setdefault(key, said.title) == said.title


MISREAD = [
    EntryData(title="AT&T;", date_raw="Mon, 4 Mar 2024", text="One"),
    EntryData(title="R&D;", audio_url="https://a.example/2.mp3", text="Two"),
    EntryData(title="Q&A;", text="Three"),
]
REPAIRED = [replace(entry, title=entry.title.removesuffix(";"), text=f"{entry.text}!") for entry in MISREAD]


def test_repaired_title_keeps_its_key_after_an_upgrade() -> None:
    """By date or file. If an entry has neither, nothing tells that it is the same."""
    listed = dict(zip(choose_entry_keys(MISREAD), MISREAD, strict=True))
    keys = choose_entry_keys(REPAIRED, listed)
    assert restore_former_keys(keys, REPAIRED, listed, is_parser_new=True) == ["title:at&t;", "title:r&d;", "title:q&a"]
    assert restore_former_keys(keys, REPAIRED, listed, is_parser_new=False) == keys


def test_former_key_stays_in_later_versions() -> None:
    listed = {"title:at&t;": REPAIRED[0], "title:gone": EntryData(title="Gone")}
    later = [replace(REPAIRED[0], date_raw="another", guid="g1"), EntryData(title="New", guid="g2")]
    keys = restore_former_keys(choose_entry_keys(later, listed), later, listed, is_parser_new=False)
    assert keys == ["title:at&t;", "guid:g2"]


def test_former_key_stays_with_listed_entry() -> None:
    """The page of Ants is of Bees now. Both have one text, which proves nothing."""
    ants = EntryData(title="Ants", url="https://a.example/new", text="Talk of animals.", published="2024-02-01")
    bees = replace(ants, title="Bees", published="2024-02-02")
    later = [bees, replace(ants, url="https://a.example/ants")]
    listed = {"title:ants;": ants}
    keys = restore_former_keys(choose_entry_keys(later, listed), later, listed, is_parser_new=False)
    assert keys == ["url:https://a.example/new", "title:ants;"]


def test_date_of_two_entries_keeps_no_key() -> None:
    listed = {f"title:{n}": EntryData(title=n, date_raw="today") for n in ("a;", "b;")}
    entries = [EntryData(title="a", date_raw="today"), EntryData(title="b", date_raw="today")]
    assert restore_former_keys(["title:a", "title:b"], entries, listed, is_parser_new=True) == ["title:a", "title:b"]


FERRY = EntryData(guid="f", title="Ferry", published="2024-03-04", audio_url="https://a.example/1.mp3")


@given(st.permutations([FERRY, replace(FERRY, published="2024-05-06", html="Again")]))
def test_guid_with_one_file_is_one_entry(entries: list[EntryData]) -> None:
    assert split_into_unique_entries_and_repeats(entries) == ((entries[0],), [entries[1]])


def test_guid_with_other_titles_is_two_entries() -> None:
    pairs = [
        replace(FERRY, published="2024-05-06", audio_url="https://a.example/2.mp3"),
        replace(FERRY, published="2024-05-06", title="Harbour"),
        replace(FERRY, published="2024-05-06", audio_url=""),
    ]
    for other in pairs:
        assert split_into_unique_entries_and_repeats([FERRY, other]) == ((FERRY, other), [])
    retitled = replace(FERRY, title="The ferry")
    assert split_into_unique_entries_and_repeats([FERRY, retitled]) == ((FERRY,), [retitled])
