"""Summaries: what stays of notes, and what a show repeats in them."""

import pytest

from episodes.text.summaries import cut, summaries, teaser

SPONSOR = "Thanks to Anvil & Sons, who forge anything."


def _of(*texts: str) -> list[str]:
    """Summaries of these notes among nine others that say nothing twice."""
    others = [f"Talk number {word}." for word in "one two three four five six seven eight nine".split()]
    return summaries([("", text) for text in (*texts, *others)])[: len(texts)]


@pytest.mark.parametrize(
    "text, shown",
    [
        (f"{SPONSOR} We visit {{}}.", "We visit {}."),
        (f"We visit {{}}.\n{SPONSOR}", "We visit {}."),
        (f"We visit {{}}. {SPONSOR.upper()}", "We visit {}."),
        ("Shop: https://{}.example/a\nWe visit {}.\n---", "We visit {}."),
        # What is between is kept, but where many notes have it.
        (f"We visit {{}}. {SPONSOR} It rains in {{}}.", "We visit {}. It rains in {}."),
    ],
)
def test_sentences_that_three_notes_begin_or_end_with_are_left_out(text: str, shown: str) -> None:
    towns = ("Lund", "Turku", "Bergen")
    filled = [text.replace("{}", town) for town in towns]
    assert _of(*filled) == [shown.replace("{}", town) for town in towns]
    if "---" not in text:  # signs and addresses alone say nothing in any number
        assert _of(*filled[:2]) == [teaser(own) for own in filled[:2]]


def test_a_sentence_and_a_line_of_three_notes_are_left_out_between_others() -> None:
    towns = ("Lund", "Turku", "Bergen")
    told = [f"We visit {t}. Well.\nThe links\nIf you like us, tell us. It rains in {t}." for t in towns]
    kept = [f"Talk {'very ' * n}long." for n in range(60)]
    made = summaries([("", text) for text in (*told, *kept)])
    assert made[:3] == [f"We visit {t}. It rains in {t}." for t in towns]
    assert "The links" in summaries([("", text) for text in (*told[:2], *kept)])[0]


@pytest.mark.parametrize(
    "show, line",
    [
        ("The Side Bench", "Ten percent off at Anvil & Sons with the code BENCH10."),
        ("Le Phare Ébloui", "Votre pain est offert avec le code EBLOUI."),
        ("Kod Molası", "KODMOLASI koduyla ilk ay sunucu size tamamen bedava."),
        ("The Long Table", "Bread for you, and more of it, at anvil.example/longtable."),
        ("The Long Table", "Write to all of us here at hello@thelongtable.example."),
        ("Il faro di sotto", "Seguici anche su Instagram: @ilfarodisotto"),
    ],
)
def test_a_line_with_the_name_of_the_show_in_a_code_or_an_address_is_left_out(show: str, line: str) -> None:
    told = "We visit Lund, where it rains."
    assert summaries([("", f"{line}\n{told}")], show) == [told]
    assert summaries([("", f"{line}\n{told}")]) != [told]
    assert summaries([("", line)], show) == [teaser(line)]  # where there is nothing else


@pytest.mark.parametrize(
    "line",
    [
        "The long bench, and the side of it, LONG and short, and all of it.",
        "The plans are at anvil.example/bench/plans for all who ask for them.",
        "RADIO from the sea is what we hear, and nothing else but the rain.",  # as the show has it
    ],
)
def test_other_words_of_the_name_leave_a_line_as_it_is(line: str) -> None:
    assert summaries([("", f"{line}\nAnd Lund.")], "RADIO of the Side Bench") == [line]


@pytest.mark.parametrize(
    "show, line",
    [
        ("Nasacast", "NASA sends a probe to Mars, and it will be there in the rain of June."),  # a part of a word
        ("Long Table", "The plans of @____ are here, and those at anvil.example/---- as well."),
    ],
)
def test_whole_words_of_the_name_alone_tell_that_a_line_is_of_the_show(show: str, line: str) -> None:
    assert summaries([("", f"{line}\nAnd Lund.")], show) == [line]


def test_in_a_show_of_few_episodes_a_summary_ends_with_the_first_paragraph_no_shorter_than_the_next() -> None:
    short, told = (
        "Who lives there, in the very last house?",
        "We visit Lund, and ask for the last house of all, in the rain of June.",
    )
    notes = [("", f"{short}\n{told}\nMade by Ada Roe, in her house.\nReeds")]
    assert summaries(notes) == [f"{short} {told}"]
    others = [("", f"Talk {'very ' * n}long.") for n in range(10)]
    assert summaries([*notes, *others])[0] == f"{short} {told} Made by Ada Roe, in her house. Reeds"
    looms = [("", "Why do looms weave, and who has them all?\nReeds\nHouses")]
    assert summaries(looms) == ["Why do looms weave, and who has them all? Reeds · Houses"]


def test_in_a_show_of_few_episodes_two_notes_make_a_sentence_furniture_but_no_line_of_a_list() -> None:
    told = [("", f"{SPONSOR} We visit {town}.\nLooms and reeds") for town in ("Lund", "Turku")]
    assert summaries(told) == ["We visit Lund. Looms and reeds", "We visit Turku. Looms and reeds"]
    others = [("", f"Talk {'very ' * n}long.") for n in range(9)]
    assert summaries([*told, *others])[0] == f"{SPONSOR} We visit Lund. Looms and reeds"
    japanese = [("", f"{word}の話です。\nこの番組はことばの橋の提供でお送りします。") for word in "雨猫"]
    assert summaries(japanese) == ["雨の話です。", "猫の話です。"]


@pytest.mark.parametrize(
    "text", ["Follow us all: @loom, @{}_weaves", "The tip of 2026-06-0{n} from us.", "Of 0{n}.06.2026"]
)
def test_a_sentence_with_another_day_or_handle_is_the_same(text: str) -> None:
    towns = ("Lund", "Turku", "Bergen")
    filled = [f"We visit {t}.\n{text.format(t, n=n)}" for n, t in enumerate(towns, 1)]
    assert _of(*filled) == [f"We visit {t}." for t in towns]


@pytest.mark.parametrize(
    "text, shown",
    [
        ("Ada Roe (@ada.r), a weaver.", "Ada Roe, a weaver."),
        ("With Ada Roe (www.looms.example/@ada ) at home.", "With Ada Roe at home."),
        ("Guest: Ada Roe, weaver, @ada\nOf looms.", "Guest: Ada Roe, weaver · Of looms."),
        ("織機の話。X：@ada_r", "織機の話。"),
        ("We ask @ada (of 2019) and thank @bo", "We ask @ada (of 2019) and thank @bo"),
    ],
)
def test_a_teaser_has_no_handles_but_those_of_a_sentence(text: str, shown: str) -> None:
    assert teaser(text) == shown


def test_a_text_of_several_parts_is_theirs_but_not_one_of_half_the_show() -> None:
    part = "The whole trial, in three parts."
    assert _of(part, part, part) == [part] * 3  # of twelve
    assert _of(*[part] * 9) == [""] * 9
    assert summaries([("", part)] * 2) == [part] * 2


@pytest.mark.parametrize(
    "title, text, shown",
    [
        ("Faros", "FAROS\nThe lights of the coast.", "The lights of the coast."),
        ("Why? Because.", "Why? Because.\nThe lights.", "The lights."),
        ("Faros", "Faros are lights.\nThey turn.", "Faros are lights. They turn."),
        ("Faros", "Faros", ""),
        ("", "The lights.", "The lights."),
    ],
)
def test_a_line_that_is_the_title_is_not_said_again(title: str, text: str, shown: str) -> None:
    assert summaries([(title, text)]) == [shown]


@pytest.mark.parametrize(
    "line",
    [
        "Episode 16: Faros & Olas Del Mar, una noche",
        "Folge 16 Faros y Olas del Mar, una noche",  # one word of nine is another
        "9 juni 2020",
        "June 9, 2020",
        "9. Juni 2020",
        "El Faro de Abajo",
    ],
)
def test_headings_of_the_title_and_the_day_are_not_said_again_before_the_text(line: str) -> None:
    title, told = "#16 Faros y olas del mar, una noche", "We visit Lund, where it rains."
    assert summaries([(title, f"{line}\n{told}")], "El faro de abajo") == [told]
    assert summaries([(title, f"---\n{title}\n{line}\n{told}")], "El faro de abajo") == [told]
    assert summaries([(title, f"{told}\n{line}")]) != [told]  # a line of a list


@pytest.mark.parametrize(
    "line", ["Faros y olas, en la noche larga", "9 juni 2020: Faros, reeds, looms", "Top 10 van 2020"]
)
def test_a_first_line_that_says_more_than_the_title_stays(line: str) -> None:
    told = "We visit Lund, where it rains."
    assert summaries([("Faros y olas", f"{line}\n{told}")]) == [teaser(f"{line}\n{told}")]


def test_the_title_in_a_repeated_last_line_does_not_tell_it_apart_but_in_a_first_one() -> None:
    titles = ("Faros", "Olas? Sí.", "Redes")
    notes = [(t, f"What is {t} now\nWe ask {t}.\nThe post {t} appeared first.") for t in titles]
    made = summaries(notes)
    assert made == [teaser(f"What is {t} now\nWe ask {t}.") for t in titles]


def test_a_teaser_has_no_addresses_and_ends_at_a_word() -> None:
    text = "Of looms. Slides: https://a.example/1 (https://a.example/2) More. Further reading:"
    assert teaser(text) == "Of looms. More."
    assert teaser("Of looms. Slides: at home.") == "Of looms. Slides: at home."
    most = "forty letters in eight words, of " + "a" * 7
    assert teaser(f"Of looms. {most}:") == "Of looms."
    assert teaser(f"Of looms. {most}a:") == f"Of looms. {most}a:"
    assert cut("word " * 33, 0) == "word " * 33
    assert cut("word " * 33 + "more", 0) == "word " * 32 + "word…"


@pytest.mark.parametrize(
    "text, shown",
    [
        ("Visit https://looms.example/a?b=1 for more.", "Visit looms.example for more."),
        ("More (see https://www.looms.example/a). Of reeds.", "More (see looms.example). Of reeds."),
        ("Of reeds, at https://looms.example.", "Of reeds, at looms.example."),
        ("Hear it at looms.org/27. See https://looms.example, too.", "Hear it at looms.org. See looms.example, too."),
        ("Atelier : www.looms.example\nOf reeds.", "Of reeds."),
        ("詳しくは https://looms.example をご覧ください。", "詳しくは looms.example をご覧ください。"),
        ("Of reeds.\nhttps://looms.example/a\nOf looms.", "Of reeds. Of looms."),
        ("織機の話。サイト：https://looms.example/a", "織機の話。"),
    ],
)
def test_no_sentence_has_a_hole_in_place_of_an_address(text: str, shown: str) -> None:
    assert teaser(text) == shown


@pytest.mark.parametrize(
    "text, shown",
    [
        ("Follow-up:\nHAM radio\nHomePod (again)\niCloud", "Follow-up: HAM radio · HomePod (again) · iCloud"),
        ("We visit Lund. Looms\nReeds\n", "We visit Lund. Looms · Reeds"),
        ("A line that goes\non below", "A line that goes on below"),
        (f"{'Long ' * 13}line\nAnother", f"{'Long ' * 13}line Another"),  # broken for its length
        (f"- In London\n- {'very ' * 13}far\n- Home.\n* Away", f"In London · {'very ' * 13}far · Home. Away"),
        ("0:42 — Looms\n[1:03:20] Reeds, again, 9:30", "Looms · Reeds, again, 9:30"),
        ("-5 degrees", "-5 degrees"),
    ],
)
def test_lines_of_a_list_are_parted_by_points_without_their_bullets_and_times(text: str, shown: str) -> None:
    assert teaser(text) == shown
