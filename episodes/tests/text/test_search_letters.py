"""The fold of search, and the places of folded words in their text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from episodes.search import parse_query
from episodes.search.excerpts import marked
from episodes.search.terms import words_in
from episodes.text.search_letters import fold_for_search, fold_with_places

LETTERS = "aZ0éİßœС# ＃Ｃ+²½ﬁ①ｶﾞﾀ第回ёйϊςاكَـשָ한\u1100\u1161हि№™\u0301\u0327\u3099-_"


@pytest.mark.parametrize(
    "text, folded",
    [
        ("第１２回　ＡＩ", "第 12 回 ai"),
        ("船とＡＩとＱ＆Ａの夜", "船と ai と q&a の夜"),
        ("ｶﾞｰﾄﾞ", "ガード"),
        ("H₂O, mc², 2½", "h2o, mc2, 21⁄2"),
        ("ﬂight Ⅳ", "flight iv"),
        ("№5 Go™", " no 5 go tm "),
        ("الكِتَاب أحمد", "الكتاب احمد"),
        ("שָׁלוֹם", "שלום"),
        ("Ἀθῆναι ΣΟΦΟΣ σοφός ᾳ", "αθηναι σοφοσ σοφοσ α"),
        ("Ёлка и й, Київ", "елка и й, київ"),
        ("İstanbul ışık Straße Łódź", "istanbul isik strasse lodz"),
        ("Ｃ＋＋ Ｃ＃ c#", "c plus  plus  c sharp  c sharp "),
    ],
)
def test_letters_are_folded_for_search(text: str, folded: str) -> None:
    assert fold_for_search(text) == folded
    assert fold_for_search(folded) == folded


@example("½½é́")
@given(st.text(st.sampled_from(LETTERS), max_size=20) | st.text(max_size=20))
def test_places_lead_to_the_folded_letters(text: str) -> None:
    folded = fold_with_places(text)
    assert folded.text == fold_for_search(text)
    done = 0
    for word, start, end in words_in(text):
        assert 0 <= start < end <= len(text)
        assert end >= done  # "½" is two words at one place
        assert word in fold_for_search(text[start:end])
        done = end


@pytest.mark.parametrize(
    "text, words, marks",
    [
        ("第１２回 ＡＩと船", "12回 船", "第[１２回] ＡＩと[船]"),
        ("船とＡＩ、第１２回", "ai 12", "船と[ＡＩ]、第[１２]回"),
        ("½ tide and ½ moon", "1/2 moon", "[½] tide and [½] [moon]"),
        ("Part Ⅳ of H₂O", "iv h2o", "Part [Ⅳ] of [H₂O]"),
        ("A ﬁnal ﬂight", "final flight", "A [ﬁnal] [ﬂight]"),
        ("قصة الكِتَاب", "الكتاب", "قصة [الكِتَاب]"),
        ("Ἀθῆναι, πόλις", "αθηναι ΠΟΛΙΣ", "[Ἀθῆναι], [πόλις]"),
        ("ｸﾗﾌﾞ と 船", "クラブ", "[ｸﾗﾌﾞ] と 船"),
        ("Go™ and №5", "go 5", "[Go]™ and №[5]"),
        ("On C++ and C#", "C++ C#", "On [C++] and [C#]"),
        ("gpt4.5 and GPT-4", "gpt4.5", "[gpt4.5] and GPT-4"),
    ],
)
def test_marks_stand_in_the_text_itself(text: str, words: str, marks: str) -> None:
    parts = marked(text, parse_query(words))
    assert "".join(f"[{part}]" if number % 2 else part for number, part in enumerate(parts)) == marks
