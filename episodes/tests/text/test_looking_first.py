"""Quick first looks, which pass a text over, never hide anything from the slower look behind them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.text.addresses import _LOOKS, BLANK, without_addresses
from episodes.text.normalize import TAIL, WORDS_OF_CUT, fold, folded_opening, is_cut, is_marked, without_marks

ADDRESSES = [
    "https://a.org/b", "x+y://z", "www.a", "WWW.b", "me@a.b", "roe.com", "a.de/x", "a.de.", "a.comx", "b.py",
    "é.io(",
]  # fmt: skip


@given(st.lists(st.sampled_from([*ADDRESSES, " ", "\n", ".", "x", "://", "@", "(", "\r"]), max_size=12).map("".join))
def test_addresses_are_blanked_line_by_line(text):
    assert without_addresses(text) == _LOOKS.sub(lambda found: BLANK * len(found[0]), text)


@given(
    st.lists(
        st.sampled_from([*WORDS_OF_CUT, "...", "…", "→", "Read More", " ", "\n", "words", "\u3000"]), max_size=8
    ).map("".join)
)
def test_cut_marks_match_their_pattern(text):
    assert is_marked(text) == (TAIL.search(text) is not None)
    assert without_marks(text) == TAIL.sub("", text)


@given(st.text(alphabet=st.sampled_from("aB_*`' \n\0“–é\u0301ßﬁ"), max_size=200), st.integers(1, 20))
def test_folded_opening_equals_folded_text(text, length):
    assert folded_opening(text, length) == fold(text)[:length]
    assert fold(text.encode("ascii", "ignore").decode() + "é").removesuffix("é").strip() == fold(
        text.encode("ascii", "ignore").decode()
    )


EXCERPT = "We talk about clouds and how they are made by people who know about them, and much more"


@pytest.mark.parametrize(
    "ending, cut",
    [
        (" […]", True), (" [...]", True), ("… Continue Reading →", True), (". Weiterlesen →", True),
        ("...Read more »", True), (" [Read more...]", True), ("… Läs mer →", True), (".", False),
        (". See Settings → General", False), ("\nMore →", False), (" →", False), (" […] later", False),
    ],
)  # fmt: skip
def test_a_text_that_leads_on_is_cut(ending: str, cut: bool) -> None:
    assert is_cut(EXCERPT + ending) == cut
    assert (without_marks(EXCERPT + ending).rstrip(".") == EXCERPT) == (cut or ending == ".")


def test_leading_words_work_in_paragraphs() -> None:
    assert is_cut("Clouds.\nMuch more … Läs mer →")
    assert is_cut("Clouds.\nRead more »")
    assert not is_cut("Clouds.\nMuch more. Läs mer →")
