"""What is looked for first, to pass a text over quickly, never hides anything from the slower look behind it."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from episodes.notes import people, reference_phrases, topics
from episodes.text.addresses import _LOOKS, BLANK, without_addresses
from episodes.text.normalize import MARKS, TAIL, fold, folded_opening, is_marked, without_marks
from episodes.text.vocabulary import Phrases

RULES = [rule.phrases for rule in people._rules(("Ada Roe", "Bo"))]
OTHERS = [
    phrases
    for module in (people, reference_phrases, topics)
    for one in vars(module).values()
    for phrases in (one if isinstance(one, tuple) else (one,))
    if isinstance(phrases, Phrases)
]
EVERY = [*RULES, *OTHERS, *(phrases for _, phrases in reference_phrases.BEFORE)]
SPACES = st.sampled_from([" ", " ", " ", ", ", ". ", "\n", "-", "'", "’", ": ", ""])
SIGNS = ["İ", "ı", "ſ", "K", "A.", "...", "Ada Roe", "Bo", "ǰ"]


def _words(phrases: Phrases) -> list[str]:
    written = " ".join([*phrases.written, *(re.sub(r"\\.|[^\w ]", " ", pattern) for pattern in phrases.lists.values())])
    return re.sub(r"[\[\]<>/^*]|\.\.\.", " ", written).split()


@settings(max_examples=300)
@given(st.sampled_from(EVERY), st.data())
def test_a_text_that_is_passed_over_holds_none_of_the_phrases(phrases, data):
    words = st.sampled_from([*_words(phrases), *SIGNS])
    cased = words.flatmap(lambda word: st.sampled_from([word, word.upper(), word.capitalize()]))
    text = "".join(map("".join, data.draw(st.lists(st.tuples(cased, SPACES), max_size=12))))
    if not phrases.may_be_in(text):
        assert phrases.pattern.search(text) is None


def test_a_phrase_without_choices_is_found_as_it_is_written():
    plain = [(phrases, one) for phrases in EVERY for one in phrases.written if not re.search(r"[\[\]<>/^*.]", one)]
    assert plain
    assert all(phrases.may_be_in(f"so {one} so") and phrases.may_be_in(one.upper()) for phrases, one in plain)


ADDRESSES = [
    "https://a.org/b",
    "x+y://z",
    "www.a",
    "WWW.b",
    "me@a.b",
    "roe.com",
    "a.de/x",
    "a.de.",
    "a.comx",
    "b.py",
    "é.io(",
]


@given(st.lists(st.sampled_from([*ADDRESSES, " ", "\n", ".", "x", "://", "@", "(", "\r"]), max_size=12).map("".join))
def test_addresses_are_blanked_line_by_line_as_in_the_whole_text(text):
    assert without_addresses(text) == _LOOKS.sub(lambda found: BLANK * len(found[0]), text)


@given(st.lists(st.sampled_from([*MARKS, "Read More", " ", "\n", "words", "\u3000"]), max_size=8).map("".join))
def test_marks_of_a_cut_are_seen_as_the_pattern_sees_them(text):
    assert is_marked(text) == (TAIL.search(text) is not None)
    assert without_marks(text) == TAIL.sub("", text)


@given(st.text(alphabet=st.sampled_from("aB_*`' \n\0“–é\u0301ßﬁ"), max_size=200), st.integers(1, 20))
def test_the_opening_is_that_of_the_whole_text_folded(text, length):
    assert folded_opening(text, length) == fold(text)[:length]
    assert fold(text.encode("ascii", "ignore").decode() + "é").removesuffix("é").strip() == fold(
        text.encode("ascii", "ignore").decode()
    )
