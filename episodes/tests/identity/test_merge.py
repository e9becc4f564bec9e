"""One value a field out of many sayings: ranks, precision, cut texts, conflicts, overrides."""

from dataclasses import replace
from typing import Any

import pytest

from episodes.records import AudioFile, DurationRange, MergedValues, NotesText, trusted_only

from ..resolve.build import LONG, OTHER, entry, merged


def test_where_nobody_gives_notes_they_are_empty() -> None:
    assert (MergedValues({}).text, MergedValues({}).notes.html, MergedValues({}).notes.cut) == (
        "",
        "",
        NotesText("").cut,
    )


@pytest.mark.parametrize(
    "vouched, counts", [((True, False), [0]), ((False, False), [0, 1]), ((False, True), [1]), ((True, True), [0, 1])]
)
def test_confirmed_entries_outweigh_unconfirmed_ones(vouched: tuple[bool, ...], counts: list[int]) -> None:
    entries = [replace(entry("Springs", key=f"{n}"), is_confirmed=one) for n, one in enumerate(vouched)]
    words = replace(entry("Springs", key="words"), is_transcript=True)
    assert trusted_only([*entries, words]) == tuple(entries[n] for n in counts)


def winner(result: MergedValues, field: str) -> Any:
    return result.provenance[field].source


def test_best_source_wins_and_conflicts_remain() -> None:
    result = merged(entry("Springs", number=3), entry("Springs!", source="listing", number=4))
    assert (result.title, result.number) == ("Springs", 3)
    assert result.provenance["title"].others == (("Springs!", ("listing",)),)


def test_an_empty_value_never_replaces_a_known_one() -> None:
    result = merged(entry("", LONG), entry("Springs", source="other", day="2021-06-01"))
    assert (result.title, winner(result, "title"), winner(result, "published")) == ("Springs", "other", "other")


def test_an_instant_beats_its_day_whoever_says_it() -> None:
    result = merged(entry("a", day="2021-06-01"), entry("a", source="other", published="2021-06-01T13:00:00Z"))
    assert (result.moment and result.moment.isoformat(), winner(result, "published")) == (
        "2021-06-01T13:00:00Z",
        "other",
    )


def test_other_day_gives_way_to_rank() -> None:
    result = merged(entry("a", day="2021-06-01"), entry("a", source="other", published="2021-06-02T13:00:00Z"))
    assert (result.moment and result.moment.isoformat(), winner(result, "published")) == ("2021-06-01", "feed")


def test_exact_length_beats_its_minutes() -> None:
    assert merged(entry("a", minutes=13), entry("a", source="other", seconds=790)).length == DurationRange(790, 790)
    assert merged(entry("a", minutes=13), entry("a", source="other", seconds=900)).length == DurationRange(780, 839)


@pytest.mark.parametrize("mark", ["…", "...", "...Show More", " … Read more", ""])
def test_continued_text_is_cut(mark: str) -> None:
    result = merged(entry("a", LONG[:120] + mark), entry("a", LONG, source="other"))
    assert (result.text, result.notes.cut, winner(result, "description_text")) == (LONG, False, "other")


def test_a_cut_text_never_beats_a_whole_one() -> None:
    result = merged(entry("a", LONG, cut=True), entry("a", "Short and whole.", source="other", cut=False))
    assert (result.text, result.notes.cut) == ("Short and whole.", False)


def test_longest_cut_text_of_line_wins() -> None:
    result = merged(entry("a", LONG[:100], cut=True), entry("a", LONG[:200], source="other", cut=True))
    assert (result.text, result.notes.cut) == (LONG[:200].rstrip(), True)


def test_where_texts_go_apart_rank_wins() -> None:
    result = merged(entry("a", LONG[:90] + " and so on"), entry("a", LONG, source="other"))
    assert winner(result, "description_text") == "feed"
    cut = merged(entry("a", LONG[:90] + " and", cut=True), entry("a", OTHER, source="other", cut=True))
    assert winner(cut, "description_text") == "feed"


def test_spacing_and_markup_make_no_difference() -> None:
    one = entry("a", "It's about __torch_function__ and\nwhat `it` does.")
    other = entry("a", f"It’s about torch_function  and what it does. {OTHER}", source="other")
    assert winner(merged(one, other), "description_text") == "other"


@pytest.mark.parametrize("words", ["[Mer]", "Leave a comment", "x" * 60])
def test_few_words_behind_text_are_furniture(words: str) -> None:
    result = merged(entry("a", LONG), entry("a", f"{LONG} {words}", source="other"))
    assert (result.text, result.notes.cut, winner(result, "description_text")) == (LONG, False, "feed")
    other = (f"{LONG} {words}", ("other",))
    assert result.provenance["description_text"].others == (other,)


@pytest.mark.parametrize(
    "words, said",
    [
        ("x" * 61, {}),  # more than a few
        ("one more word…", {}),  # it is cut itself, so it goes on
        ("one more word", {"cut": True}),
        ("one more word.", {"cut": False}),  # its site tells where its texts end
    ],
)
def test_continuing_words_are_no_furniture(words: str, said: dict[str, Any]) -> None:
    result = merged(entry("a", LONG), entry("a", f"{LONG} {words}", source="other", **said))
    assert (winner(result, "description_text"), len(result.text) > len(LONG)) == ("other", True)


def test_few_words_complete_a_marked_cut() -> None:
    result = merged(entry("a", f"{LONG} …"), entry("a", f"{LONG} one more word.", source="other"))
    assert (result.text, result.notes.cut) == (f"{LONG} one more word.", False)


@pytest.mark.parametrize(
    "text, said, cut",
    [
        ("How would you go about doing it...", {"cut": False}, False),
        ("And then there were none...", {}, False),
        ("To be continued…", {}, False),
        ("x" * 79 + "…", {}, True),  # as short as sites cut
        ("x" * 78 + "…", {}, False),
        ("x" * 70 + "\n" + "x" * 90 + " ...", {}, False),  # what cuts texts leaves no paragraphs
        ("x" * 190 + " ...\n", {}, True),
        ("x" * 190, {}, False),
        ("How would you go about … Read more", {}, True),
        ("x" * 70 + "\n" + "x" * 90 + "\nContinue reading", {}, True),
    ],
)
def test_ellipsis_marks_cut_of_long_paragraph(text: str, said: dict[str, Any], cut: bool) -> None:
    result = merged(entry("a", text, **said))
    assert (result.notes.cut, result.text != text) == (cut, cut)


def test_sources_that_agree_name_the_best_ranked() -> None:
    result = merged(entry("", LONG), entry("Springs", source="listing"), entry("Springs", source="other"))
    assert (winner(result, "title"), result.provenance["title"].agree) == ("listing", ("listing", "other"))


def test_what_cannot_both_be_right_is_a_conflict() -> None:
    result = merged(
        entry("a", day="2021-06-01", seconds=600, number=1),
        entry("b", source="other", day="2021-09-01", seconds=1200, number=2),
    )
    assert [c.field for c in result.conflicts] == ["title", "number", "published", "duration_seconds"]


def test_small_differences_are_no_conflict() -> None:
    one = entry("Springs", day="2021-06-01", seconds=600)
    assert merged(one, entry("SPRINGS", source="other", day="2021-06-02", minutes=10)).conflicts == ()


def test_only_publisher_sets_page_audio_guid() -> None:
    audio = "https://files.example/a.m4a"
    directory = entry(
        "Springs", source="listing", is_publisher=False, guid="seven", audio_url=audio, audio_type="audio/mp4"
    )
    result = merged(entry("Springs"), directory)
    assert (result.values["guid"], result.values["audio_url"]) == (None, None)
    site = entry("Springs", source="other", guid="site-7", audio_url="https://own.example/a.mp3")
    result = merged(entry("Springs"), directory, site)
    assert (result.values["guid"], result.values["audio_url"]) == (
        "site-7",
        AudioFile("https://own.example/a.mp3", "audio/mpeg"),
    )


def test_override_locks_only_its_field() -> None:
    result = merged(entry("Springs", LONG, cut=True, number=3), title="Coils", description_text="Mine.", number="")
    assert (result.title, result.text, result.notes.cut, result.number) == ("Coils", "Mine.", False, None)
    assert (winner(result, "title"), winner(result, "number")) == ("curator", None)
    assert result.provenance["number"].locked
    assert result.provenance["title"].others == (("Springs", ("feed",)),)
    assert merged(entry("Springs", number=3), title="Coils").number == 3


def test_curators_notes_are_shown() -> None:
    said = entry("Springs", LONG, html=f"<p>{LONG}</p>")
    assert merged(said, description_text="Mine.").notes.html == "<p>Mine.</p>"
    assert merged(said, description_text="").notes.html == ""


def test_another_audio_address_leaves_the_old_type_behind() -> None:
    said = entry("Springs", audio_url="https://files.example/a.m4a", audio_type="audio/mp4")
    result = merged(said, audio_url="https://files.example/a.ogg")
    assert result.values["audio_url"] == AudioFile("https://files.example/a.ogg", "audio/ogg")


@pytest.mark.parametrize(
    "value, expected", [("2021-06-01", "2021-06-01"), ("2021-06-01T10:00:00Z", "2021-06-01T10:00:00Z")]
)
def test_date_override_may_be_an_instant(value: str, expected: str) -> None:
    moment = merged(entry("a", day="2020-01-01"), published=value).moment
    assert moment is not None
    assert moment.isoformat() == expected
