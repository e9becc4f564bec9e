"""Names that transcripts misspell."""

from episodes.transcripts.misheard_names import MisheardName, find_misheard_names

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


def test_single_error_begins_like_its_name() -> None:
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


def test_show_without_names_has_no_errors() -> None:
    assert find_misheard_names(SPOKEN, [], ["Notes."]) == []
    assert find_misheard_names([], NAMES, NOTES) == []
