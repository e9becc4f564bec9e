"""Work that grows with the square of its input is noticed, in Python and in regular expressions."""

import re

import pytest

from .growth import assert_even_growth


def count_pairs(size: int) -> int:
    return sum(abs(left - right) for left in range(size) for right in range(size))


def search_blanks(size: int) -> None:
    re.search(r"\s+$", " " * size + "x")


def copy_each_end(size: int) -> None:
    text = "x" * size
    for start in range(size):
        text[start:].split()


@pytest.mark.parametrize("work, size", [(count_pairs, 30), (search_blanks, 500), (copy_each_end, 500)])
def test_square_growth_fails(work, size) -> None:
    with pytest.raises(AssertionError):
        assert_even_growth(work, size)


@pytest.mark.parametrize("work", [lambda size: re.search(r"\s$", " " * size + "x"), lambda size: sorted(range(size))])
def test_even_growth_passes(work) -> None:
    assert_even_growth(work, 1_000)
