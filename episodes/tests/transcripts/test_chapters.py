"""Chapters are read from files, from the feed and from notes; what is no chapter is left out."""

import json
import math
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.transcripts.chapters import ParsedChapter, chapters_of_rows, longest_chapter_list_in_notes, parse_chapters
from episodes.transcripts.choose_files import OfferedChapter, offers_of_kind_in_extras

from ..tables import cases

CASES = cases("transcripts_chapters")

DATA = Path(__file__).parents[1] / "data" / "chapters"
KEYS = st.sampled_from(["chapters", "startTime", "title", "url", "img", "toc"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
)
LINES = st.lists(st.sampled_from([
    "0:00", "12:34", "1:02:03", "99:99", " ", "- ", "(", ")", "Intro", "\n", "https://a.org/b", "1. ", "am", "\ud800",
])).map("".join)  # fmt: skip


def assert_sane(chapters):
    starts = [chapter.start for chapter in chapters]
    assert starts == sorted(starts)
    assert all(math.isfinite(start) and start >= 0 for start in starts)
    assert len(set(chapters)) == len(chapters) <= 1_000
    for chapter in chapters:
        assert chapter.title == " ".join(chapter.title.split()) != ""
        for address in (chapter.url, chapter.image):
            assert address == "" or address.lower().startswith(("http://", "https://"))
        json.dumps(astuple(chapter), ensure_ascii=False).encode()


def test_file_and_notes_give_what_expected_files_say():
    in_file = parse_chapters((DATA / "full.json").read_bytes())
    in_notes = longest_chapter_list_in_notes((DATA / "notes.txt").read_text("utf-8"), 4593)
    for name, chapters in (("full", in_file), ("notes", in_notes)):
        expected = json.loads((DATA / f"{name}.expected.json").read_text("utf-8"))
        assert [list(astuple(chapter)) for chapter in chapters] == expected


def test_feed_chapters_have_times_in_any_form():
    extras = (
        ("transcript", "https://a.org/t", "text/vtt", "", ""),
        ("chapter", "00:03:07.500", "Keys", "https://a.org/k", "javascript:alert(1)"),
        ("chapter", "00:00", "Intro"),
        ("chapter", "62", "Seconds", "", ""),
        ("chapter", "soon", "Never", "", ""),
        ("chapter", "1:00:00", "", "", ""),
    )
    assert chapters_of_rows(offers_of_kind_in_extras(extras, OfferedChapter)) == (
        ParsedChapter(0.0, "Intro", "", ""),
        ParsedChapter(62.0, "Seconds", "", ""),
        ParsedChapter(187.5, "Keys", "https://a.org/k", ""),
    )


@given(st.binary())
def test_any_bytes_are_chapters_or_refused(body):
    with suppress(ValueError):
        assert_sane(parse_chapters(body))


@given(st.lists(st.dictionaries(st.sampled_from(["startTime", "title", "url", "img", "toc"]), JSON)) | JSON)
def test_any_json_is_chapters_or_refused(rows):
    try:
        assert_sane(parse_chapters(json.dumps({"version": "1.2.0", "chapters": rows}).encode()))
    except ValueError:
        assert not isinstance(rows, list)


@given(st.text() | LINES)
def test_chapters_of_notes_ascend(text):
    chapters = longest_chapter_list_in_notes(text)
    assert_sane(chapters)
    assert len(chapters) != 1
    assert len({chapter.start for chapter in chapters}) == len(chapters)


@pytest.mark.parametrize(
    "body, reason",
    [
        (b"", "cannot be read"), (b"{", "cannot be read"), (b"1", "without chapters"), (b'{"chapters": {}}', "without chapters"),
        (b"<html></html>", "cannot be read"), (b'{"chapters": ' + b"[" * 100_000, "cannot be read"),
        (b"[{}," * 1_000_000 + b"{}]", "too many parts|cannot be read|too deep"), (b" " * 20_000_001, "larger"),
    ],
    ids=range(8),
)  # fmt: skip
def test_file_without_chapters_is_refused(body, reason):
    with pytest.raises(ValueError, match=reason):
        parse_chapters(body)


@pytest.mark.parametrize("line", CASES["line_that_begins_with_time_is_chapter"])
def test_line_that_begins_with_time_is_chapter(line):
    found = longest_chapter_list_in_notes(f"0:05 Before\n{line}")
    assert [chapter.start for chapter in found] == [5.0, 10.0]
    assert found[1].title.endswith("Intro")


@pytest.mark.parametrize("text", CASES["other_lines_are_no_chapters"])
def test_other_lines_are_no_chapters(text):
    assert longest_chapter_list_in_notes(text) == ()


def test_chapter_title_has_no_markup_or_zone() -> None:
    body = b'{"chapters": [{"startTime": 0, "title": "Warp &amp;amp; <b>weft</b>"}, {"startTime": 9, "title": "vector<int>"}]}'
    assert [chapter.title for chapter in parse_chapters(body)] == ["Warp &amp; weft", "vector<int>"]
    (chapter,) = chapters_of_rows([("0", "<p>Warp &amp; weft</p>", "", "")])
    assert chapter.title == "Warp & weft"
    chapters = longest_chapter_list_in_notes("0:10 At first\n0:20 Am I right?\n0:30 IT")
    assert [chapter.title for chapter in chapters] == ["At first", "Am I right?", "IT"], "none of them is a zone"
