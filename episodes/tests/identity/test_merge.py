"""One value a field out of many sayings: ranks, precision, cut texts, conflicts, overrides."""

from dataclasses import replace
from typing import Any

import pytest

from episodes.records import AudioFile, MergedValues, NotesText, trusted_only

from ..resolve.build import LONG, TEXTS, entry, entry_of, merged
from ..tables import cases


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


def described(result: MergedValues) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(result, name) for name in ("title", "season", "number", "text")}
    values |= {
        "cut": result.notes.cut,
        "html": result.notes.html,
        "moment": result.moment and result.moment.isoformat(),
    }
    values["length"] = result.length and [result.length.low, result.length.high]
    values["conflicts"] = [conflict.field for conflict in result.conflicts]
    for field, provenance in result.provenance.items():
        values |= {f"{field}_from": provenance.source, f"{field}_agree": list(provenance.agree)}
        values[f"{field}_others"] = [[value, list(sources)] for value, sources in provenance.others]
    return {name: "none" if value is None else value for name, value in values.items()}


def with_texts(value: Any) -> Any:
    if isinstance(value, list):
        return [with_texts(part) for part in value]
    return value.format_map(TEXTS) if isinstance(value, str) else value


@pytest.mark.parametrize("case", cases("identity_merge")["merges"], ids=lambda case: case["case"])
def test_entries_merge(case: dict[str, Any]) -> None:
    result = described(merged(*map(entry_of, case["entries"]), **case.get("overrides", {})))
    expected = {name: with_texts(value) for name, value in case["merged"].items()}
    assert {name: result[name] for name in expected} == expected


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
    assert (result.provenance["title"].source, result.provenance["number"].source) == ("curator", None)
    assert result.provenance["number"].locked
    assert result.provenance["title"].others == (("Springs", ("feed",)),)
    assert merged(entry("Springs", number=3), title="Coils").number == 3


def test_another_audio_address_leaves_the_old_type_behind() -> None:
    said = entry("Springs", audio_url="https://files.example/a.m4a", audio_type="audio/mp4")
    result = merged(said, audio_url="https://files.example/a.ogg")
    assert result.values["audio_url"] == AudioFile("https://files.example/a.ogg", "audio/ogg")
