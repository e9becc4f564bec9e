"""Summaries: the first sentences of notes, and what a show repeats in them."""

import pytest

from episodes.text.summaries import (
    keys_of_repeated_sentences,
    keys_of_sentences,
    read_first_sentences,
    shorten_prose,
    summarize,
    summary_of_text,
)

from ..tables import cases

CASES = cases("text_summaries")

TOWNS = ("Lund", "Turku", "Bergen")
OTHERS = [f"Talk number {word}." for word in ("one", "two", "three", "four", "five", "six")]


def summaries(notes: list[tuple[str, str]], show: str = "") -> list[str]:
    read = [read_first_sentences(text) for _, text in notes]
    shared = keys_of_repeated_sentences([keys_of_sentences(sentences) for sentences in read])
    return [summarize(title, sentences, shared, show) for (title, _), sentences in zip(notes, read, strict=True)]


def summaries_of(*texts: str) -> list[str]:
    """Return the summaries of three of nine notes."""
    return summaries([("", text) for text in (*texts, *OTHERS)])[:3]


@pytest.mark.parametrize("text", CASES["sentence_of_a_third_is_left_out"])
def test_sentence_of_a_third_is_left_out(text: str) -> None:
    ordinals = ("three hundred and first", "twelfth", "hundredth")
    notes = [text.format(town=TOWNS[n], n=n, ordinal=ordinals[n]) for n in range(3)]
    assert summaries_of(*notes) == [f"We visit {town}." for town in TOWNS]
    # Of two notes among nine it stays.
    assert len(summaries_of(*notes[:2])[0]) > len("We visit Lund.")


@pytest.mark.parametrize(
    "text",
    ["In this episode we talk about {}.", "Ada Roe talks to somebody from {} on the Loom Hour podcast."],
)
def test_sentences_that_only_begin_alike_stay(text: str) -> None:
    notes = [text.format(town) for town in TOWNS]
    assert summaries_of(*notes) == notes
    assert summaries([("", "We visit Lund.")]) == ["We visit Lund."]
    assert summaries([("", "We visit Lund.")] * 2) == ["", ""]


@pytest.mark.parametrize("title, text, summary", CASES["heading_with_the_title_is_left_out"])
def test_heading_with_the_title_is_left_out(title: str, text: str, summary: str) -> None:
    assert summaries([(title, text)], "Loom Hour") == [summary]


@pytest.mark.parametrize("text, shown", CASES["addresses_are_no_prose"] + CASES["lines_of_lists_are_joined_by_points"])
def test_teaser_leaves_addresses_and_joins_lists(text: str, shown: str) -> None:
    assert summary_of_text(text) == shown


def test_summary_ends_at_a_word() -> None:
    assert shorten_prose("word " * 33) == "word " * 33
    assert shorten_prose("word " * 33 + "more") == "word " * 32 + "word…"
