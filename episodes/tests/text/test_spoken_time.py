"""The second of each place in a transcript, known or estimated between two known ones, and the ends of sentences."""

from typing import Any

import pytest

from episodes.text.sentences import sentence_spans
from episodes.text.spoken_time import Speech

from ..tables import cases

CASES = cases("text_speech")

# Twenty characters a paragraph; ten a second in the first one, as it goes on until the next begins.
CUES: list[list[Any]] = [
    [None, "", "Untimed words first."],
    [10.0, "Nora", "x" * 20],
    [None, "", "y" * 20],
    [60.0, "", "z" * 20],
]
TIMES = [[31, 14.0]]  # the eleventh character of the second paragraph


# At least five characters a second, and then silence. The 42nd is in a paragraph without a time of its own.
SECONDS = [(0, None), (20, None), (21, 10), (26, 11), (30, 11), (31, 14), (36, 15), (42, 16), (63, 60), (83, 64)]
# The last words end with the audio, or with the speech.
LAST_SECONDS = [(82, 61, None), (82, 60, 61), (82, 60, 60), (82, 60, 10)]


@pytest.mark.parametrize("place, second, length", [*((*pair, 600) for pair in SECONDS), *LAST_SECONDS])
def test_unknown_second_lies_between_known_ones(place: int, second: int | None, length: int | None) -> None:
    assert Speech(CUES, TIMES, length).second(place) == second


def test_known_seconds_never_go_back() -> None:
    speech = Speech(CUES, TIMES, 600)
    assert speech.second_range(21, 41) == (10.0, 16.0)
    assert speech.known_times == [(-1, 0.0), (21, 10.0), (31, 14.0), (63, 60.0), (84, 600.0)]
    cues = [[start, "", "x" * 9] for start in (10.0, 40.0, 30.0, 40.0, 50.0)]
    assert [second for _, second in Speech(cues, [[25, 35.0]], 45).known_times] == [0, 10, 40, 40, 40, 40, 50, 50]


@pytest.mark.parametrize("start, end, numbers", CASES["paragraphs_of_a_time_are_those_around_it"])
def test_paragraphs_of_a_time_are_those_around_it(start: int, end: int, numbers: list[int]) -> None:
    assert [*Speech(CUES, TIMES, 600).paragraph_numbers(start, end)] == numbers


@pytest.mark.parametrize("cues", [[], [[None, "", "Looms."]]])
def test_words_without_any_time_have_none(cues: list[list[Any]]) -> None:
    speech = Speech(cues)
    assert (speech.second(0), [*speech.paragraph_numbers(0, 9)]) == (None, [])


@pytest.mark.parametrize("place, number", [(0, 1), (20, 1), (21, 2), (82, 4)])
def test_places_have_paragraphs(place: int, number: int) -> None:
    assert Speech(CUES).paragraph_number(place) == number


def test_sentences_end_at_punctuation_and_speakers() -> None:
    speech = Speech([[0.0, "Nora", "Looms hum. They stop"], [9.0, "Ilse", "and hum."]])
    spans = [*speech.sentence_spans(1), *speech.sentence_spans(2)]
    assert [speech.text[start:end] for start, end in spans] == ["Looms hum.", "They stop", "and hum."]


def test_only_long_sentences_end_at_pauses() -> None:
    words = f"{'hum and ' * 20}stop {'and hum ' * 20}on"
    pause_at = words.index("stop")
    times = [[pause_at, 12.0], [pause_at + 5, 20.0]]
    assert Speech([[0.0, "", words[:300]]], times).sentence_spans(1) == [(0, 300)]
    assert Speech([[0.0, "", words]], times).sentence_spans(1) == [(0, pause_at + 4), (pause_at + 5, len(words))]


@pytest.mark.parametrize("text, expected", CASES["an_abbreviation_ends_no_sentence_wherever_it_is"])
def test_an_abbreviation_ends_no_sentence_wherever_it_is(text, expected):
    assert [text[start:end] for start, end in sentence_spans(text)] == expected
