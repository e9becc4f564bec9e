"""Texts that their own end shows to be cut, forms of words, and quick first looks that hide nothing from the slower look."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.text.addresses import BLANK_CHARACTER, LOOKS_LIKE_ADDRESS, blank_addresses
from episodes.text.normalize import (
    CUT_MARK,
    MAX_CUT_MARK,
    WORDS_OF_CUT,
    ends_in_cut_mark,
    fold,
    folded_opening,
    is_truncated,
    strip_cut_marks,
)
from episodes.text.word_forms import are_forms_of_one_word, long_form_and_abbreviation, stem

from ..tables import cases

CASES = cases("text_normalize")


@pytest.mark.parametrize("text, cut", CASES["long_paragraph_with_dots_is_cut"])
def test_long_paragraph_with_dots_is_cut(text: str, cut: bool) -> None:
    assert is_truncated(text) is cut


@pytest.mark.parametrize(
    "word, stemmed",
    [("batched", "batch"), ("ties", "ti"), ("as", "as"), ("is", "is"), ("naïves", "naïves"), ("batches2", "batches2"), ("gäbe", "gäbe")],
)  # fmt: skip
def test_only_longer_english_words_are_stemmed(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


@pytest.mark.parametrize(
    "one, other, same",
    [("batching", "batches", True), ("function", "functional", True), ("function", "functionalization", False), ("loom", "reed", False)],
)  # fmt: skip
def test_word_forms_differ_by_ending(one: str, other: str, same: bool) -> None:
    assert (are_forms_of_one_word(one, other), are_forms_of_one_word(other, one)) == (same, same)


@pytest.mark.parametrize("name, found", CASES["a_name_with_an_abbreviation_behind_it_is_a_pair"])
def test_name_and_abbreviation_are_a_pair(name: str, found: list[str]) -> None:
    assert long_form_and_abbreviation(name) == tuple(found)


ADDRESSES = [
    "https://a.org/b", "x+y://z", "www.a", "WWW.b", "me@a.b", "roe.com", "a.de/x", "a.de.", "a.comx", "b.py",
    "é.io(",
]  # fmt: skip


@given(st.lists(st.sampled_from([*ADDRESSES, " ", "\n", ".", "x", "://", "@", "(", "\r"]), max_size=12).map("".join))
def test_addresses_are_blanked_line_by_line(text):
    assert blank_addresses(text) == LOOKS_LIKE_ADDRESS.sub(lambda found: BLANK_CHARACTER * len(found[0]), text)


CUTS = [*WORDS_OF_CUT, "...", "…", "→", "Read More", " ", "\n", "words", "\u3000"]


@given(st.lists(st.sampled_from(CUTS), max_size=8).map("".join))
def test_cut_marks_match_their_pattern(text):
    text = text[:MAX_CUT_MARK]  # marks that are longer together are looked for in their end alone
    assert ends_in_cut_mark(text) == (CUT_MARK.search(text) is not None)
    assert strip_cut_marks(text) == CUT_MARK.sub("", text)


@given(st.text(alphabet=st.sampled_from("aB_*`' \n\0“–é\u0301ßﬁ"), max_size=200), st.integers(1, 20))
def test_folded_opening_equals_folded_text(text, length):
    assert folded_opening(text, length) == fold(text)[:length]
    ascii_text = text.encode("ascii", "ignore").decode()
    assert fold(f"{ascii_text}é").removesuffix("é").strip() == fold(ascii_text)


EXCERPT = "We talk about clouds and how they are made by people who know about them, and much more"


@pytest.mark.parametrize("ending, cut", CASES["a_text_that_leads_on_is_cut"])
def test_a_text_that_leads_on_is_cut(ending: str, cut: bool) -> None:
    assert is_truncated(EXCERPT + ending) == cut
    assert (strip_cut_marks(EXCERPT + ending).rstrip(".") == EXCERPT) == (cut or ending == ".")


def test_leading_words_work_in_paragraphs() -> None:
    assert is_truncated("Clouds.\nMuch more … Läs mer →")
    assert is_truncated("Clouds.\nRead more »")
    assert not is_truncated("Clouds.\nMuch more. Läs mer →")
