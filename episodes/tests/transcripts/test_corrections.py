"""Names that transcripts misspell, and corrected words, found again by the words around them."""

import pytest

from episodes.transcripts import WordCorrection, iterate_paragraph_numbers_and_corrections
from episodes.transcripts import correct_transcript_and_list_unmatched as corrected_with_times
from episodes.transcripts.misheard_names import MisheardName, find_misheard_names

from ..tables import cases

CASES = cases("transcripts_corrections")

CUES = [
    [0.0, "Nora", "We use the jackard loom here, and a jackard loom there."],
    [9.0, "Ilse", "A jackards loom (the jackard) is old."],
]  # fmt: skip


def corrected(cues: list[list[object]], corrections: list[WordCorrection]) -> tuple[list[object], list[WordCorrection]]:
    rows, _, lost = corrected_with_times(cues, [], corrections)
    return [words for _, _, words in rows], lost


def test_place_is_known_by_its_context() -> None:
    first, second, third = iterate_paragraph_numbers_and_corrections(CUES, "jackard")
    assert [number for number, _ in (first, second, third)] == [1, 1, 2]
    assert first[1] == WordCorrection("We use the ", "jackard", " loom here, and a")
    assert second[1] == WordCorrection("loom here, and a ", "jackard", " loom there. A jackards")
    assert third[1] == WordCorrection("A jackards loom (the ", "jackard", ") is old.")


@pytest.mark.parametrize(
    "wrong, count", [("jackard loom", 2), ("jackard\nloom", 2), ("ackard", 0), ("there. A", 0), ("(the", 1), ("a.*", 0)]
)
def test_only_whole_words_are_a_place(wrong: str, count: int) -> None:
    assert len(list(iterate_paragraph_numbers_and_corrections(CUES, wrong))) == count


def test_scripts_without_spaces_have_places_too() -> None:
    cues = [[0.0, "", "織機は古いです。織機は新しい。"]]
    first, second = (place for _, place in iterate_paragraph_numbers_and_corrections(cues, "織機"))
    assert (first.before, second.before) == ("", "織機は古いです。")
    right, lost = corrected(cues, [WordCorrection(second.before, "織機", second.after, "しょっき")])
    assert (right, lost) == (["織機は古いです。しょっきは新しい。"], [])
    long_words = [[0.0, "", f"{'x' * 90} jackard {'y' * 90}"]]
    ((_, place),) = iterate_paragraph_numbers_and_corrections(long_words, "jackard")
    assert (len(place.before), len(place.after)) == (60, 60)
    assert corrected(long_words, [place])[1] == []


@pytest.mark.parametrize("n, right", [(0, "We use the Jacquard loom here, and a jackard loom there."),
                                      (1, "We use the jackard loom here, and a Jacquard loom there.")])  # fmt: skip
def test_one_place_is_corrected_and_no_other(n: int, right: str) -> None:
    _, place = [*iterate_paragraph_numbers_and_corrections(CUES, "jackard")][n]
    cues, _, lost = corrected_with_times(CUES, [], [WordCorrection.from_key(place.key, "Jacquard")])
    assert (cues, lost) == ([[0.0, "Nora", right], CUES[1]], [])


def test_without_context_all_words_are_corrected() -> None:
    cues, lost = corrected(CUES, [WordCorrection("", "jackard", "", r"\1 Jacquard\n")])
    assert cues == [
        r"We use the \1 Jacquard\n loom here, and a \1 Jacquard\n loom there.",
        r"A jackards loom (the \1 Jacquard\n) is old.",
    ]
    assert lost == []


@pytest.mark.parametrize(
    "text, kept", CASES["a_correction_holds_in_another_version_where_the_words_around_are_the_same"]
)
def test_correction_survives_in_another_version(text: str, kept: bool) -> None:
    _, place = next(iterate_paragraph_numbers_and_corrections(CUES, "jackard"))
    correction = WordCorrection.from_key(place.key, "Jacquard")
    cues, lost = corrected([[0.0, "", words] for words in text.split("\n")], [correction])
    changed = text.replace("jackard", "Jacquard") if kept else text
    assert ("\n".join(map(str, cues)), lost) == (changed, [] if kept else [correction])


def test_corrections_apply_in_sequence() -> None:
    first = WordCorrection("", "jackard", "", "Jacquard")
    second = WordCorrection("", "Jacquard loom", "", "Jacquard machine")
    assert corrected(CUES, [first, second])[1] == []
    assert corrected(CUES, [second, first])[1] == [second]
    split = WordCorrection("", "jackard loom", "", "Jacquard")
    assert corrected([[0.0, "", "A jackard"], [1.0, "", "loom."]], [split])[1] == [split]


@pytest.mark.parametrize("right, moved", [("Jacquard", 1), ("X", -6), ("jackard", 0)])
def test_times_move_with_the_words(right: str, moved: int) -> None:
    text = str(CUES[0][2])
    first, second = text.index("jackard"), text.rindex("jackard")
    times = [[0, 0.5], [first, 1.0], [first + 3, 2.0], [first + 7, 3.0], [second, 4.0], [second + 7, 5.0], [60, 9.0]]
    correction = WordCorrection("", "jackard", "", right)
    in_second, behind = [second + moved, 4.0], [second + 7 + 2 * moved, 5.0]
    expected = [[0, 0.5], [first, 1.0], [first + 7 + moved, 3.0], in_second, behind, [60 + 2 * moved, 9.0]]
    assert corrected_with_times(CUES, times, [correction])[1] == expected


NAMES = ["PyTorch", "ghstack", "DataLoader"]
NOTES = ["PyTorch in python, with a patch by the pirate torch bearers."]
SPOKEN = [
    "We use pytorch and a data loader. The pie torch has python.",
    "Today pytorch again. Pie torch with g h stack, and a python project.",
    "In pytruch the pirate torch. The pytruch needs patches, and g h stack.",
    "A data loader of pytorch. Patching pytruch.",
    *["Another talk."] * 4,
]


def misheard(names: list[str] = NAMES) -> list[MisheardName]:
    return find_misheard_names(SPOKEN, names, NOTES)


def test_words_near_to_names_are_found() -> None:
    assert misheard() == [
        MisheardName("pytruch", "PyTorch", 3, 2),
        MisheardName("data loader", "DataLoader", 2, 2),
        MisheardName("g h stack", "ghstack", 2, 2),
        MisheardName("pie torch", "PyTorch", 2, 2),
    ]


def test_words_of_the_notes_are_no_errors() -> None:
    words = {row.words for row in misheard()}
    assert words.isdisjoint({"python", "pirate torch", "patching", "project"})


def test_single_error_is_nearer_to_name() -> None:
    spoken = [*SPOKEN, "Of pyturch, and of oftorch."]
    words = {row.words for row in find_misheard_names(spoken, NAMES, NOTES)}
    assert "pyturch" in words
    assert "oftorch" not in words


def test_name_is_written_as_in_notes() -> None:
    (misheard,) = find_misheard_names(["Auto grad, and auto grad."], ["Autograd"], ["How autograd works."])
    assert misheard == MisheardName("auto grad", "autograd", 2, 1)


def test_part_of_coined_name_is_coined() -> None:
    spoken = ["Autograph, and autograph again.", "With autograd.", *["Another talk."] * 4]
    assert find_misheard_names(spoken, ["Autograd"], ["Notes."]) == []
    (misheard,) = find_misheard_names(spoken, ["Autograd"], ["How AOTAutograd works."])
    assert misheard == MisheardName("autograph", "Autograd", 2, 1)


def errors_and_names(spoken: list[str], names: list[str], notes: str) -> dict[str, str]:
    others = ["Another talk."] * 12  # no word of a few transcripts is frequent
    return {row.words: row.name for row in find_misheard_names([*spoken, *others], names, [notes])}


def test_word_in_place_of_name_is_found() -> None:
    names, notes = ["Tensor classes"], "How a TensorImpl works."
    spoken = [
        "A lazy tensor, then sparse tensors. The lazy sensor knows a sparse sensor.",
        "All lazy tensors, a tensor. Sparse sensors and a lazy sensor.",
        "A tensor, two tensors. The kitchen denser, and a noisy denser. That kitchen denser.",
    ]
    assert errors_and_names(spoken, names, notes) == {"sensor": "Tensor", "sensors": "Tensors"}
    assert errors_and_names(spoken, names, f"{notes} It has a sensor.") == {}


def test_misheard_part_of_name_is_found() -> None:
    spoken = ["The torch script. A torch grip compiles.", "This torch script. So torch grip is typed. Built systems."]
    names = ["TorchScript", "build system"]
    apart = {"torch script": "TorchScript"}
    assert errors_and_names(spoken, names, "Notes.") == {"torch grip": "TorchScript", **apart}


def test_name_of_four_letters_is_found() -> None:
    spoken = ["All of a ten, and a ten core. In kuda, then kuda. Of CUDA, CUDA, aten, APIs and TPUs. Up is up is."]
    names = ["ATen", "CUDA", "APIs", "TPU"]
    assert errors_and_names(spoken, names, "Notes.") == {"a ten": "ATen", "kuda": "CUDA"}


def test_form_of_a_written_word_is_no_error() -> None:
    spoken = ["Of PyTorch, PyTorch and PyTorch. Fast pytouchs, and more pytouchs."]
    assert errors_and_names(spoken, ["PyTorch"], "A pytouch.") == {}
    assert errors_and_names(spoken, ["PyTorch"], "Notes.") == {"pytouchs": "PyTorch"}


def test_words_of_an_identifier_are_right() -> None:
    spoken = ["It requires grad, and requires grad again. They require grad. They require grad."]
    assert errors_and_names(spoken, ["requires_grad"], "Set requires_grad.") == {}


def test_error_is_likelier_beside_right_name() -> None:
    right, near = "PyObject, and PyObject. " * 5, "The project, a project."
    assert errors_and_names([right + near], ["PyObject"], "Notes.") == {"project": "PyObject"}
    assert errors_and_names([right, near], ["PyObject"], "Notes.") == {}


@pytest.mark.parametrize("name", ["torch.compile", "torch compile"])
def test_name_of_real_words_is_less_likely(name: str) -> None:
    spoken = ["You have torch compile. Recompile. Recompile."]
    assert errors_and_names(spoken, [name], "Notes.") == {}
    assert errors_and_names(spoken, ["TorchCompile"], "Notes.") == {"recompile": "TorchCompile"}


@pytest.mark.parametrize("spoken, name", [
    ("The dispatch. This patch, and this patch.", "dispatch"),
    ("Of PyTorch and PyTorch. The pytor, and a pytor.", "PyTorch"),
    ("It has DataLoads. The data loaded, and more data loaded.", "DataLoads"),
    ("Data loading. The data loader, a data loader.", "data loading"),
    ("Torch grip.", "TorchScript"),
])  # fmt: skip
def test_right_words_are_no_errors(spoken: str, name: str) -> None:
    assert errors_and_names([spoken], [name], "This is a patch.") == {}


def test_show_without_names_has_no_errors() -> None:
    assert find_misheard_names(SPOKEN, [], ["Notes."]) == []
    assert find_misheard_names([], NAMES, NOTES) == []
