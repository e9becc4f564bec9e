"""Summaries: the first sentences of notes, and what a show repeats in them."""

import pytest

from episodes.text.summaries import cut, summaries, teaser

TOWNS = ("Lund", "Turku", "Bergen")
OTHERS = [f"Talk number {word}." for word in ("one", "two", "three", "four", "five", "six")]


def summaries_of(*texts: str) -> list[str]:
    """Return the summaries of three of nine notes."""
    return summaries([("", text) for text in (*texts, *OTHERS)])[:3]


@pytest.mark.parametrize(
    "text",
    [
        "Thanks to Anvil & Sons, who forge anything. We visit {town}.",
        "We visit {town}.\nThanks to Anvil & Sons, who forge anything.",
        "THANKS TO ANVIL & SONS!\nWe visit {town}.\nThe links",
        # Another number, day, or name on a site says the same, and another ordinal in words.
        "Welcome to episode 1{n} of Loom Hour. We visit {town}.",
        "The tip of 2026-06-0{n} from us.\nWe visit {town}.",
        "Follow us: @loom, @weaves_{town}\nWe visit {town}.",
        "Welcome to the {ordinal} episode of Loom Hour, the show about weaving. We visit {town}.",
        "Willkommen zur {n}0. Folge von Webstuhl.\nWe visit {town}.",
    ],
)
def test_sentence_of_a_third_is_left_out(text: str) -> None:
    ordinals = ("three hundred and first", "twelfth", "hundredth")
    notes = [text.format(town=TOWNS[n], n=n, ordinal=ordinals[n]) for n in range(3)]
    assert summaries_of(*notes) == [f"We visit {town}." for town in TOWNS]
    # Of two notes among nine it stays.
    assert len(summaries_of(*notes[:2])[0]) > len("We visit Lund.")


def test_sentences_that_only_begin_alike_stay() -> None:
    notes = [f"In this episode we talk about {town}." for town in TOWNS]
    assert summaries_of(*notes) == notes


def test_only_sentence_with_another_name_stays() -> None:
    notes = [f"Ada Roe talks to somebody from {town} on the Loom Hour podcast." for town in TOWNS]
    assert summaries_of(*notes) == notes


def test_sentence_of_the_only_note_stays() -> None:
    assert summaries([("", "We visit Lund.")]) == ["We visit Lund."]
    assert summaries([("", "We visit Lund.")] * 2) == ["", ""]


@pytest.mark.parametrize(
    "title, text, summary",
    [
        ("Faros", "FAROS\nThe lights of the coast.", "The lights of the coast."),
        ("#16 Faros", "16: Faros | Loom Hour\nThe lights.", "The lights."),
        ("Why? Because.", "Why? Because.\nThe lights.", "The lights."),
        ("Faros", "Faros are lights.\nThey turn.", "Faros are lights. They turn."),
        ("Faros", "Faros", ""),
        ("", "The lights.", "The lights."),
    ],
)
def test_heading_with_the_title_is_left_out(title: str, text: str, summary: str) -> None:
    assert summaries([(title, text)], "Loom Hour") == [summary]


@pytest.mark.parametrize(
    "text, shown",
    [
        # A sentence or line that ends in an address only points somewhere.
        ("Of looms. Slides: https://a.example/1 More.", "Of looms. Slides: a.example More."),
        ("Of looms. The show notes are at https://a.example/27.", "Of looms."),
        ("Site: https://a.example | Shop: www.b.example\nOf looms.", "Of looms."),
        ("https://a.example/1 https://b.example\nOf looms.", "Of looms."),
        ("Write to ada@looms.example\nOf looms.", "Of looms."),
        ("The plans: https://looms.example/plans", "The plans: looms.example"),
        ("https://looms.example/plans", ""),
        # In the middle its site stands for it, and in brackets nothing.
        ("Visit https://looms.example/a?b=1 for more.", "Visit looms.example for more."),
        ("More (see https://looms.example/a). Of reeds.", "More. Of reeds."),
        ("Ada Roe (@ada.r), a weaver.", "Ada Roe, a weaver."),
        ("We ask @ada (of 2019) and thank @bo", "We ask @ada (of 2019) and thank @bo"),
        ("We weave at Looms.org.", "We weave at Looms.org."),
    ],
)
def test_addresses_are_no_prose(text: str, shown: str) -> None:
    assert teaser(text) == shown


@pytest.mark.parametrize(
    "text, shown",
    [
        ("Follow-up:\nHAM radio\nHomePod (again)\niCloud", "Follow-up: HAM radio · HomePod (again) · iCloud"),
        ("We visit Lund. Looms\nReeds\n", "We visit Lund. Looms · Reeds"),
        ("A line that goes\non below", "A line that goes on below"),
        (f"{'Long ' * 13}line\nAnother", f"{'Long ' * 13}line Another"),
        (f"- In London\n- {'very ' * 13}far\n- Home.\n* Away", f"In London · {'very ' * 13}far · Home. Away"),
        ("0:42 — Looms\n[1:03:20] Reeds, again, 9:30", "Looms · Reeds, again, 9:30"),
        ("-5 degrees", "-5 degrees"),
        ("Of looms. Further reading:", "Of looms."),
    ],
)
def test_lines_of_lists_are_joined_by_points(text: str, shown: str) -> None:
    assert teaser(text) == shown


def test_summary_ends_at_a_word() -> None:
    assert cut("word " * 33, 0) == "word " * 33
    assert cut("word " * 33 + "more", 0) == "word " * 32 + "word…"
