"""A memory of bounded size (models/bounded.py)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from episodes.models import Bounded
from episodes.models.bounded import OF_AN_ENTRY


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 700)), max_size=60), st.integers(0, 3_000))
def test_a_memory_never_holds_more_than_it_may(puts: list[tuple[int, int]], most: int) -> None:
    memory: Bounded[int] = Bounded(most)
    last: dict[int, int] = {}
    for name, size in puts:
        memory.put(name, size, size)
        last[name] = size
        held = {key: value for key in last if (value := memory.get(key)) is not None}
        assert memory.bytes == sum(size + OF_AN_ENTRY for size in held.values()) <= most
        assert all(last[key] == value for key, value in held.items())
        assert (name in held) == (size + OF_AN_ENTRY <= most)


def test_what_was_used_longest_ago_goes_first() -> None:
    memory: Bounded[str] = Bounded(2 * (OF_AN_ENTRY + 1))
    memory.put("a", "a", 1)
    memory.put("b", "b", 1)
    memory.get("a")
    memory.put("c", "c", 1)
    assert [memory.get(name) for name in "abc"] == ["a", None, "c"]
