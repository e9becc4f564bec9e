"""Names of code are found as they are spelled, with the sentence around them, and no product, person or address."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from episodes.notes.symbols import find_code_symbol_uses
from episodes.records import SymbolUse
from episodes.tests.growth import assert_even_growth_for_text
from episodes.text.show_notes import to_text

from ..tables import cases

CASES = cases("notes_symbols")

FIXTURES = Path(__file__).parents[3] / "fixtures"

# Written by reading the shipped feed.
KEY = set(
    """
    AOTAutograd AOTInductor ATen AutoNonVariableTypeMode DTensor DataLoader PackedTensorAccessor PyObject SymInt TORCH_TRACE
    TensorAccessor TensorImpl TensorIterator TorchScript VariableTracker __array_function__ __torch_function__ backward
    derivatives.yaml intrusive_ptr native_functions.yaml no_grad num_workers requires_grad torch.add torch.nn torch.ops
    torch.save torch.use_deterministic_algorithms
    """.split()
)


def names(text, title="", **more):
    return list(dict.fromkeys(one.name for one in find_code_symbol_uses(title, text, **more)))


def test_shipped_symbols_are_exactly_found():
    found = set()
    for item in ET.parse(FIXTURES / "feed.xml").getroot().iter("item"):
        found |= set(names(to_text(item.findtext("description") or ""), item.findtext("title") or ""))
    assert found == KEY


@pytest.mark.parametrize("text, expected", CASES["a_name_is_found_in_every_form_that_code_has"])
def test_symbol_is_found_in_every_form(text, expected):
    assert names(text) == expected.split()


@pytest.mark.parametrize("text", CASES["what_only_looks_like_code_is_no_name"])
def test_what_only_looks_like_code_is_no_name(text):
    assert names(text) == []


def test_shows_stop_list_extends_the_default():
    assert names("AcmeCloud runs TensorImpl") == ["AcmeCloud", "TensorImpl"]
    assert names("AcmeCloud runs TensorImpl", not_code=["acmecloud"]) == ["TensorImpl"]


def test_underscores_that_a_site_ate_come_back():
    assert names("what torch_function__ is", title="__torch_function__") == ["__torch_function__"]
    assert names("torch_function__ (through its predecessor __array_function) is") == [
        "__torch_function__",
        "__array_function__",
    ]
    assert names("the private __array_function is") == ["__array_function"]


def test_symbol_at_cut_is_ignored():
    assert names("why TensorImpl and TensorAcc", is_cut=True) == ["TensorImpl"]


def test_symbol_has_field_position_and_sentence():
    text = "First, e.g. this. Then TensorImpl holds it! Last."
    assert find_code_symbol_uses("On TensorImpl", text) == (
        SymbolUse("TensorImpl", "title", 3, "On TensorImpl"),
        SymbolUse("TensorImpl", "notes", 23, "Then TensorImpl holds it!"),
    )


def test_long_sentence_is_cut_around_symbol():
    text = "word " * 100 + "TensorImpl" + " word" * 100
    (name,) = find_code_symbol_uses("", text)
    assert name.name in name.sentence
    assert len(name.sentence) <= 250
    assert name.sentence.startswith("… word")
    assert name.sentence.endswith("word …")


@pytest.mark.parametrize(
    "piece", ["a", "_", "a_", "a.", "a::", "a/", "a-", "AbCd", "AbCd ", "`a`", "a@", "www.", "\n", "e.g. ", "é"]
)
def test_work_for_a_long_text_grows_evenly(piece):
    assert_even_growth_for_text(lambda text: find_code_symbol_uses(text, text), piece)
