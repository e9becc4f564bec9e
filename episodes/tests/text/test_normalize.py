"""Texts that their own end shows to be cut, and names that say what an abbreviation is short for."""

import pytest

from episodes.text.normalize import is_cut
from episodes.text.word_forms import is_short, long_and_short, same_word, stem

LOOMS = "Looms are tall, and reeds are thin, and both of them are older than the mill is"  # 79 characters


@pytest.mark.parametrize(
    "text, cut",
    [
        (f"{LOOMS}…", True), (f"{LOOMS[1:]}…", False), (f"{LOOMS}.", False), (f" \n{LOOMS}…\n", True),
        (f"Looms.\n{LOOMS}…", False), (f"{LOOMS[:20]} Read more…", True), ("", False),
    ],
)  # fmt: skip
def test_a_long_paragraph_that_ends_in_dots_is_cut(text: str, cut: bool) -> None:
    assert is_cut(text) is cut


@pytest.mark.parametrize(
    "word, stemmed",
    [("batched", "batch"), ("ties", "ti"), ("as", "as"), ("is", "is"), ("naïves", "naïves"), ("batches2", "batches2"), ("gäbe", "gäbe")],
)  # fmt: skip
def test_only_english_words_of_three_letters_or_more_have_another_stem(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


@pytest.mark.parametrize(
    "one, other, same",
    [("batching", "batches", True), ("function", "functional", True), ("function", "functionalization", False), ("loom", "reed", False)],
)  # fmt: skip
def test_forms_of_a_word_are_alike_but_for_an_ending(one: str, other: str, same: bool) -> None:
    assert (same_word(one, other), same_word(other, one)) == (same, same)


@pytest.mark.parametrize(
    "name, found",
    [
        ("automatic mixed precision (AMP)", ("automatic mixed precision", "AMP")), ("a (b) (c)", ("a (b)", "c")),
        ("AMP", ()), ("f(x)", ()), ("(AMP)", ()), ("precision (AMP", ()), ("precision (AMP) again", ()),
    ],
)  # fmt: skip
def test_a_name_with_an_abbreviation_behind_it_is_a_pair(name: str, found: tuple[str, ...]) -> None:
    assert long_and_short(name) == found


@pytest.mark.parametrize(
    "word, short", [("AI", False), ("AMP", True), ("abcdef", True), ("abcdefg", False), ("GPT4", False)]
)
def test_an_abbreviation_has_three_to_six_letters(word: str, short: bool) -> None:
    assert is_short(word) is short
