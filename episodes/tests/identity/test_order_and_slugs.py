"""The one order of a show, and the addresses of its episodes."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.identity import SortableEpisode
from episodes.identity.order import instants_for_sorting, sort_ids_newest_first
from episodes.identity.slugs import (
    SlugRequest,
    guid_hash,
    make_guids_in_cluster_order,
    make_slug,
    make_unique_slugs,
    short_hash,
)

from ..resolve.build import entry
from ..tables import cases


def episode(name: str, number: int | None = None, day: int | None = None, season: int | None = None) -> SortableEpisode:
    return SortableEpisode(name, number, datetime(2021, 1, day, tzinfo=UTC) if day else None, name, season)


def names(*episodes: SortableEpisode, lists: tuple[str, ...] = ()) -> str:
    """Return the names of the episodes, newest first, as one word. Each of `lists` is a word of names."""
    return "".join(map(str, sort_ids_newest_first(episodes, [list(listed) for listed in lists])))


@pytest.mark.parametrize("episodes, lists, order", cases("identity_order")["orders"])
def test_episodes_have_one_order(episodes: list[dict[str, Any]], lists: list[str], order: str) -> None:
    assert names(*(episode(**fields) for fields in episodes), lists=tuple(lists)) == order


@given(
    st.lists(st.tuples(st.one_of(st.none(), st.integers(1, 9)), st.one_of(st.none(), st.integers(1, 28)))), st.randoms()
)
def test_order_is_total_and_stable(rows: list[tuple[int | None, int | None]], chance: object) -> None:
    episodes = [episode(str(place), number, day) for place, (number, day) in enumerate(rows)]
    lists = [[e.id for e in episodes[::2]], [e.id for e in episodes[1::2]]]
    one = sort_ids_newest_first(episodes, lists)
    chance.shuffle(episodes)  # type: ignore[attr-defined]
    assert sort_ids_newest_first(episodes, lists) == one
    assert sorted(map(str, one)) == sorted(e.name for e in episodes)


@pytest.mark.parametrize(
    "title, slug",
    [
        ("torch.nn", "torch-nn"),
        ("Multiple dispatch in __torch_function__", "multiple-dispatch-in-torch-function"),
        ("C++ frontend", "c-frontend"),
        ("Let's talk about the PyTorch dispatcher", "lets-talk-about-the-pytorch-dispatcher"),
        ("Подкаст о тензорах", "подкаст-о-тензорах"),
        ("हिंदी पॉडकास्ट: भाग 1।", "हिंदी-पॉडकास्ट-भाग-1"),
        ("ภาษาไทยวันนี้", "ภาษาไทยวันนี้"),
        ("Café ❤️ 1️⃣", "café-1"),
        ("12½ jokes", "12-1-2-jokes"),
        ("½ price, H₂O", "1-2-price-h2o"),
        ("  ??? ", ""),
        ("a" * 500, "a" * 200),
        ("字" * 100, "字" * 66),  # bytes count
        ("\ud800字", "字"),
    ],
)
def test_a_slug_keeps_the_letters_of_every_script(title: str, slug: str) -> None:
    assert make_slug(title) == slug


def test_oldest_namesake_keeps_plain_slug() -> None:
    assert make_unique_slugs([SlugRequest("vmap", 1, "a"), SlugRequest("vmap", 9, "b")]) == ["vmap", "vmap-9"]
    plain, hashed = make_unique_slugs([SlugRequest("vmap", None, "a"), SlugRequest("vmap", None, "b")])
    assert plain == "vmap"
    assert hashed.startswith("vmap-")
    assert len(hashed) == len("vmap-") + 8


def test_untitled_episode_has_number_or_opening() -> None:
    assert make_unique_slugs([SlugRequest("", 59, "x")]) == ["episode-59"]
    assert make_unique_slugs([SlugRequest("", None, "x")])[0].startswith("untitled-")


def test_slugs_of_other_shows_are_left_alone() -> None:
    mark = short_hash("show")
    assert make_unique_slugs([SlugRequest("vmap", 3, "a")], {"vmap"}.intersection, "show") == [f"vmap-{mark}"]
    assert make_unique_slugs(
        [SlugRequest("vmap", 3, "a"), SlugRequest("vmap", 9, "b")], {"vmap"}.intersection, "show"
    ) == [
        f"vmap-{mark}",
        f"vmap-{mark}-9",
    ]
    assert make_unique_slugs([SlugRequest("", 3, "a")], {"episode-3"}.intersection, "show") == [f"episode-3-{mark}"]
    assert make_unique_slugs([SlugRequest("vmap", None, "a")], {"vmap", f"vmap-{mark}"}.intersection, "show") == [
        f"vmap-{mark}-{short_hash('a')}"
    ]


@given(
    st.lists(
        st.builds(
            SlugRequest,
            st.sampled_from(["", "a", "a 1", "a-1", "b"]),
            st.one_of(st.none(), st.integers(0, 2)),
            st.sampled_from("xy"),
        )
    ),
    st.sets(st.sampled_from(["a", "a-1", "b", "episode-0", "untitled"])),
)
def test_slugs_are_always_unique_and_never_empty(wanted: list[SlugRequest], taken: set[str]) -> None:
    slugs = make_unique_slugs(wanted, taken.intersection)
    assert len(set(slugs)) == len(slugs)
    assert all(slugs)
    assert not taken & set(slugs)


DATES = st.none() | st.datetimes(datetime(1900, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC))


@given(st.lists(DATES, max_size=12))
def test_instant_is_date_or_keeps_place(dates: list[datetime | None]) -> None:
    found = instants_for_sorting(dates)
    assert len(found) == len(dates)
    latest = None
    for place, (date, at) in enumerate(zip(dates, found, strict=True)):
        contradicts = date is not None and latest is not None and date < latest
        assert date is None or at == date or (not contradicts and at - date < len(dates) * timedelta(seconds=1))
        assert place == 0 or contradicts or at > found[place - 1]
        latest = date or latest


def test_instants_do_not_leave_what_a_calendar_has() -> None:
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    assert instants_for_sorting([None, first]) == [first, first + timedelta(seconds=1)]
    assert instants_for_sorting([last, None]) == [last, last]


def test_own_guid_comes_from_best_first_entry() -> None:
    old, new = entry("A", key="guid:1"), entry("A", key="guid:2", first_version=2)
    listed = entry("A", source="listing", key="title:a")
    assert make_guids_in_cluster_order("show", [[old]]) == make_guids_in_cluster_order("show", [[listed, new, old]])
    assert make_guids_in_cluster_order("show", [[old]]) != make_guids_in_cluster_order("another", [[old]])


def test_one_key_in_two_documents_makes_two_guids() -> None:
    pages = [entry("Q&A", key="title:q&a", document=f"https://feed.example/{n}") for n in (1, 2)]
    first, second = make_guids_in_cluster_order("show", [[page] for page in pages])
    assert first != second


def test_equivalent_guids_have_one_hash() -> None:
    assert guid_hash("Tag:A B") == guid_hash(" tag:a\tb ") == guid_hash("tag:ab\x07") != guid_hash("tag:abc")
    assert guid_hash(" \n") == ""


def test_thousands_of_equals_are_numbered_at_once() -> None:
    asked: list[int] = []

    def none(slugs: Collection[str]) -> Collection[str]:
        asked.append(len(slugs))
        return ()

    slugs = make_unique_slugs([SlugRequest("Same", None, "notes")] * 3000, none)
    stem = f"same-{short_hash('notes')}"
    assert slugs == ["same", stem, *(f"{stem}-{place}" for place in range(2, 3000))]
    assert len(asked) < 100
