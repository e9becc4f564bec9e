"""Whom the notes begin with is a guest where they speak, in shows that have guests."""

import pytest

from episodes.notes import people_named as reading
from episodes.notes.people_named import names_opening

from .test_guests_in_titles import guests_of

LONG = "wool " * 29  # 145 letters


def opening(text):
    return [told.name.name for told, field in names_opening(text) if (told.cue, field) == ("opening", "place")]


@pytest.mark.parametrize(
    "text, names",
    [
        ("Ada Roe explains looms.", ["Ada Roe"]),
        ("Ada Roe and Bo Ek explain looms.", ["Ada Roe", "Bo Ek"]),
        ("Ada Roe (Loom Mill) explains looms.", ["Ada Roe"]),
        ("Ada Roe, a weaver of wool, explains looms.", ["Ada Roe"]),
        ("Ada Roe from the old mill explains looms.", ["Ada Roe"]),
        ("Ada Roe will explain looms.", ["Ada Roe"]),
        ("Ada Roe uns erzählt von Garn.", ["Ada Roe"]),
        ("Ada Roe nous raconte la laine.", ["Ada Roe"]),
        ("Ada Roe opowiada o tkaniu.", ["Ada Roe"]),
        ("Ada Roe leitet eine Weberei.", ["Ada Roe"]),
        ("Ada Roe y Bo Ek discuten sobre lana.", ["Ada Roe", "Bo Ek"]),
        ("Ada Roe wraca z nową lokomotywą.", ["Ada Roe"]),
        ("Looms, by which Ada Roe explains. Bo Ek tells.", ["Ada Roe", "Bo Ek"]),
        ("Ada Roe weaves. Bo Ek explains looms.", ["Bo Ek"]),  # not only the first
        ("Ada Roe weaves.", []),
        ("Ada Roe explainsome.", []),
        ("Ada Roe: explains looms.", []),
        ("Ada explains looms.", []),
        ("Loom Mill explains. A loom mill stands.", []),  # small elsewhere
        ("Sur Roe explains looms.", []),
        ("In Ada Roe explains looms.", []),
        ("No Ada Roe explains looms.", []),  # Portuguese for "in the"
        ("Loom & Ada Roe explains looms.", []),
        ("Looms with Ada Roe, a weaver, explains.", []),  # no subject
        ("Ada Roe weaves. Roe explains looms.", ["Ada Roe"]),
        ("Ada Roe explains looms", []),  # a heading
        ("Ada Roe explains looms:", []),
        ("Next week Ada Roe explains looms.", []),
        ("Not this week. Ada Roe explains looms.", ["Ada Roe"]),
    ],
)
def test_who_speaks_where_notes_begin_opens_them(text, names):
    assert opening(text) == names


@pytest.mark.parametrize(
    "text, names",
    [
        ("Ada Roe weaves. She explains how.", ["Ada Roe"]),
        ("Ada Roe weaves. She slowly explains how.", ["Ada Roe"]),
        ("Ada Roe webt. Hier erzählt sie davon.", ["Ada Roe"]),
        ("Ada Roe weaves. Bo Ek bakes. She explains how.", []),  # behind another name
        ("Why does Ada Roe weave? She explains how.", []),
        ("Ada Roe weaves. Somebody explains how.", []),
        ("Ada Roe weaves. Sheila explains how.", []),
        (f"Ada Roe weaves. {LONG * 2}{'wool ' * 10} She explains how.", ["Ada Roe"]),
        (f"Ada Roe weaves. {LONG * 4} She explains how.", []),
    ],
)
def test_who_speaks_by_a_pronoun_is_the_first_one_named(text, names):
    assert opening(text) == names


@pytest.mark.parametrize("letters, names", [(149, ["Ada Roe"]), (150, [])])
def test_notes_begin_with_their_first_letters(letters, names):
    assert reading.OPENING_LENGTH == 150
    assert opening(f"{'x' * (letters - 1)} Ada Roe explains looms.") == names


@pytest.mark.parametrize("others, is_heard", [(8, True), (9, False)])
def test_whom_notes_begin_with_is_heard_in_a_show_with_guests_whose_notes_often_begin_with_names(others, is_heard):
    """As three of twelve do, and not three of thirteen."""
    told = [
        (f"Looms {n}", f"Ida Falk weaves. {name} explains how looms are made.")
        for n, name in enumerate(("Ada Roe", "Liv Lund", "Ed Moss"))
    ]
    bare = [(f"Clay {n}", "All about clay.") for n in range(others)]
    assert guests_of([*told, *bare])[0] == []
    assert guests_of([*told, ("Felt", "Guest: Bo Ek"), *bare])[0] == ["guest Ada Roe"] * is_heard


def test_whom_notes_name_first_and_who_speaks_is_heard_in_a_show_that_has_guests():
    looms, clay = ("Looms", "Ada Roe explains how they are made."), [(f"Clay {n}", "On clay.") for n in range(99)]
    assert guests_of([looms, *clay])[0] == []
    assert guests_of([looms, ("Felt", "Guest: Bo Ek"), *clay])[0] == ["guest Ada Roe"]


@pytest.mark.parametrize(
    "text, names",
    [
        ("Zyggax Roe explains looms.", []),  # no first name
        ("Summer Roe explains looms.", ["Summer Roe"]),
        ("Summer Roe explains looms of summer.", []),  # a word of the text
        ("Summer Roe explains looms of midsummer.", ["Summer Roe"]),
        ("Анна Рова рассказывает о льне.", ["Анна Рова"]),
    ],
)
def test_only_names_with_a_first_name_open_notes(text, names):
    assert opening(text) == names


@pytest.mark.parametrize(
    "label, names",
    [
        ("Avec :", True),
        ("With:", True),
        ("Mit:", True),
        ("Met:", True),
        ("Working with:", False),
        ("Avec", False),
        ("Avec\n", False),
    ],
)
def test_a_label_may_be_the_word_for_with(label, names):
    assert guests_of([("Looms", f"On looms.\n{label} Ana Roe")])[0] == (["guest Ana Roe"] if names else [])


@pytest.mark.parametrize("name", ['Ana "Nan" Roe', "Ana “Nan” Roe", "Ana „Nan“ Roe", "Ana «Nan» Roe"])
def test_a_name_may_have_another_in_quotes(name):
    assert guests_of([("Looms", f"Guest: {name}")])[0] == [f"guest {name}"]


@pytest.mark.parametrize(
    "listed, names",
    [
        ("Ana Roe (old looms), Zyggax Lund (old wool)", ["Ana Roe", "Zyggax Lund"]),
        ("Ana Roe, Zyggax Lund (old wool)", ["Ana Roe"]),  # it may be what she is
        ("Ana Roe (she/her), Port Zyggax", ["Ana Roe"]),  # or where
    ],
)
def test_between_names_with_brackets_a_comma_leads_to_somebody_else(listed, names):
    assert guests_of([("Looms", f"Guests: {listed}")])[0] == [f"guest {name}" for name in names]


@pytest.mark.parametrize(
    "text, names",
    [
        ("織物師の堀内和也さんと話しました。", ["堀内和也"]),  # 和 is "and" elsewhere
        ("港から浜口さよさんが来てくださいました。", ["浜口さよ"]),
    ],
)
def test_a_japanese_name_is_whole(text, names):
    assert guests_of([("織物", text)])[0] == [f"guest {name}" for name in names]
