"""An entry that meets no other leaves matching as it is: the law by which an import places new entries alone."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from episodes.identity import EntryKeysData, MatchKeys, entry_keys, may_be_the_same, shares_identifier
from episodes.records import Matching, SourceEntry

from ..examples import tries
from ..resolve.build import LONG, OTHER, SHOW, entry, matching_of

GREETING = "Welcome to the widget show, where two people who know little talk about a lot of widgets for hours. "
TITLES = (
    "",
    "Kettles",
    "Kettles",
    "The Widget Show: Kettles",
    "Ladders of the north",
    "Ladders of the north!",
    "Bonus",
)
TEXTS = ("", "Soon.", LONG, LONG[:45], LONG[:120] + OTHER, GREETING + LONG, GREETING + OTHER, GREETING[:50] + OTHER)
DAYS = ("", "2021-05-01", "2021-05-02", "2021-05-04", "2021-09-01")
entries = st.lists(
    st.builds(
        entry,
        st.sampled_from(TITLES),
        st.sampled_from(TEXTS),
        source=st.sampled_from(("feed", "other", "listing")),
        day=st.sampled_from(DAYS),
        seconds=st.sampled_from((0, 600, 3000)),
        guid=st.sampled_from(("", "", "a", "b", "c")),
        number=st.sampled_from((None, None, 1, 2)),
        gone_version=st.sampled_from((None, None, 3, 4)),
    ),
    max_size=9,
)


def values(one: SourceEntry) -> EntryKeysData:
    return entry_keys(one, MatchKeys(one.said, SHOW))


def meets(new: SourceEntry, other: SourceEntry) -> bool:
    side_by_side = (new.ref[:2], new.gone_version) == (other.ref[:2], other.gone_version)
    both = values(new), values(other)
    return shares_identifier(*both) or (not side_by_side and may_be_the_same(*both))


def in_order(given: Sequence[SourceEntry]) -> list[SourceEntry]:
    """The entries with different keys, each at its place in its list."""
    return [replace(one, key=f"{place}", position=place) for place, one in enumerate(given)]


def told(matching: Matching) -> tuple[set[Any], set[Any], set[Any], dict[Any, Any]]:
    return set(map(frozenset, matching.groups)), set(matching.held), set(matching.ignored), matching.reasons


@settings(max_examples=tries(75, 5000), suppress_health_check=list(HealthCheck), deadline=None)
@given(entries.filter(len), st.booleans())
def test_an_entry_that_meets_no_other_is_alone_and_changes_nothing(found: list[SourceEntry], at_the_end: bool) -> None:
    *others, new = in_order(found)
    new = replace(new, position=99 if at_the_end else -1, document="https://feed.example/", source="feed", rank=1)
    new = replace(new, may_create=True, gone_version=None)
    assume(not any(meets(new, other) for other in others) and not MatchKeys(new.said, SHOW).empty)
    groups, held, ignored, reasons = told(matching_of(others))
    assert told(matching_of([*others, new])) == ({*groups, frozenset((new,))}, held, ignored, reasons)
