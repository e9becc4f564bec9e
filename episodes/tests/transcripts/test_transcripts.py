"""Transcripts of every format become cues and paragraphs; hostile files are refused with a reason."""

import json
import math
from dataclasses import astuple
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from episodes.tests.examples import examples
from episodes.tests.growth import assert_even_growth_for_text
from episodes.tests.patience import cpu_limit
from episodes.transcripts import read_paragraphs_and_word_times
from episodes.transcripts.choose_files import LinkedTranscript, offers_of_kind_in_extras, rank_distinct_transcripts
from episodes.transcripts.formats import decode_text_or_raise, read_cues
from episodes.transcripts.transcript_cues import Cue, join_into_paragraphs

from ..tables import cases

CASES = cases("transcripts_transcripts")

DATA = Path(__file__).parents[1] / "data" / "transcripts"
DOCUMENTS = sorted(path for path in DATA.iterdir() if not path.name.endswith(".expected.json"))
SCRAPS = [
    "WEBVTT", "\n", "\n\n", "\r\n", "00:00:01.000 --> 00:00:02.000\n", "1\n", "0:05 --> \n", "9:00 --> 0:00 line:0\n", "99999:99:99 --> 1:00", "NOTE", "STYLE",
    "<v Ada>", "</v>", "<i>", "Ada: ", "hello", "hello world.", "&amp;", "&#0;", "&#xd800;", "<p>", "</p>", "<cite>", "</cite>", "<time>", "0:03", "</time>",
    "<html>", "<script>", '{"segments": [', '{"startTime": 1, "body": "a"},', "]}", "\x00", "\ud83d", ">> ", "[music]",
]  # fmt: skip
KINDS = ["", "text/vtt", "application/srt", "application/json", "text/html; charset=latin-1", "text/plain", "x"]
FILES = ["", "https://a.org/t.vtt", "https://a.org/t.srt", "t.json", "t.html", "http://[", "t.txt?x=.vtt"]
TYPES, NAMES = st.sampled_from(KINDS), st.sampled_from(FILES)
VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
KEYS = st.sampled_from(["speaker", "startTime", "endTime", "body", "text", "start"])
SEGMENTS = st.lists(VALUES | st.dictionaries(KEYS, VALUES))


def read(text, content_type="", address=""):
    return read_cues(text if isinstance(text, bytes) else text.encode(), content_type, address)


def assert_sane(found):
    starts = [cue.start for cue in found if cue.start is not None]
    assert starts == sorted(starts)
    for cue in found:
        times = [at for at in (cue.start, cue.end) if at is not None]
        assert all(math.isfinite(at) and at >= 0 for at in times)
        assert times == sorted(times)
        assert cue.end is None or cue.start is not None
        assert cue.text == " ".join(cue.text.split()) != ""
        assert cue.speaker == " ".join(cue.speaker.split())
        json.dumps(astuple(cue), ensure_ascii=False).encode()
        assert "\x00" not in cue.text + cue.speaker


def assert_says_why(error):
    assert type(error) is ValueError  # none of its kinds, as a UnicodeError is
    assert str(error)


def assert_read_or_refused(body, content_type="", address=""):
    try:
        found = read_cues(body, content_type, address)
    except ValueError as error:
        assert_says_why(error)
        return
    assert found
    assert_sane(found)
    joined = join_into_paragraphs(found)
    assert 0 < len(joined) <= len(found)
    assert_sane(joined)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_transcript_gives_what_its_expected_file_says(document):
    expected = json.loads(document.with_suffix(".expected.json").read_text("utf-8"))
    found = read_cues(document.read_bytes(), "", document.name)
    assert_sane(found)
    assert [list(astuple(cue))[:4] for cue in found] == expected["cues"]
    assert [list(astuple(cue))[:4] for cue in join_into_paragraphs(found)] == expected["paragraphs"]
    # The content decides the format.
    assert read_cues(document.read_bytes(), "application/octet-stream", "https://a.org/download") == found


@given(st.binary(), TYPES, NAMES)
def test_any_bytes_are_read_or_refused(body, content_type, address):
    assert_read_or_refused(body, content_type, address)


@given(st.lists(st.sampled_from(SCRAPS)).map("".join), TYPES, NAMES, st.sampled_from(["utf-8", "utf-16", "utf-16-be"]))
def test_scraps_of_all_formats_are_read_or_refused(text, content_type, address, encoding):
    assert_read_or_refused(text.encode(encoding, "surrogatepass"), content_type, address)


@given(SEGMENTS)
def test_any_segments_are_read_or_refused(segments):
    assert_read_or_refused(json.dumps({"version": "1.0.0", "segments": segments}).encode())


@pytest.mark.parametrize("piece", CASES["work_for_a_long_transcript_grows_evenly"])
def test_work_for_a_long_transcript_grows_evenly(piece):
    def read(text):
        body = text.encode()
        assert_read_or_refused(body)
        assert_read_or_refused(b"WEBVTT\n\n0:00 --> 0:01\n" + body)
        assert_read_or_refused(body, "text/html", "t.html")

    assert_even_growth_for_text(read, piece)


PIECES = ["a", "a ", "a\n", "\n", "<p>", "[", "0:00 --> 0:01\nab\n\n"]


@pytest.mark.parametrize("piece", PIECES[:: examples(2, 1)])
def test_twenty_megabytes_are_read_or_refused(piece):
    with cpu_limit():
        assert_read_or_refused((piece * (20_000_000 // len(piece))).encode())


@pytest.mark.parametrize(
    "body, content_type, address, reason",
    [
        (b"", "", "", "empty"), (b" \n\xef\xbb\xbf", "", "", "empty|no words"), (b"\xff\xfe", "", "", "empty"),
        (b"WEBVTT\n\nNOTE nothing", "", "", "no words"), (b"%PDF-1.7 text", "text/plain", "", "not a text file"),
        (b"\x00\x01\x02\x03" * 100, "", "", "not a text file"), (b"a" * 20_000_001, "", "", "larger"),
        (b"<!doctype html><p>Please log in.", "text/html", "https://a.org/1.vtt", "HTML page in place"),
        (b"<html><body>Not found", "application/json", "https://a.org/1.json", "HTML page in place"),
        (b'<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', "", "", "no HTML"),
        (b'{"error": "gone"}', "", "", "without segments"), (b'{"segments": [', "", "", "cannot be read"),
        (b"gone", "application/json", "", "cannot be read"), (b"[" * 100_000, "application/json", "", "cannot be read"),
    ],
    ids=range(14),
)  # fmt: skip
def test_unreadable_file_is_refused_with_reason(body, content_type, address, reason):
    with pytest.raises(ValueError, match=reason):
        read_cues(body, content_type, address)


@pytest.mark.parametrize("encoding, content_type", CASES["every_encoding_is_understood"])
def test_every_encoding_is_understood(encoding, content_type):
    text = "1\n00:00:01,000 --> 00:00:02,000\nZoë said: naïve façade, für später.\n"
    assert read(text.encode(encoding), content_type) == (Cue(1.0, 2.0, "", "Zoë said: naïve façade, für später."),)


def test_times_that_cannot_be_are_unknown():
    starts = [-1, "NaN", 10**400, 604_800, True, None, "x", [1]]
    rows = [{"startTime": start, "body": f"said at {place}, it was"} for place, start in enumerate(starts)]
    body = json.dumps({"segments": rows}).replace("604800", "1e400")
    assert {cue.start for cue in read(body)} == {None}


def test_impossible_milliseconds_are_unknown():
    rows = [{"offsets": {"from": start}, "text": f"words {len(str(start))}"} for start in (10**400, -(10**400), -1)]
    assert {cue.start for cue in read(json.dumps({"transcription": rows}))} == {None}


@pytest.mark.parametrize("arrow", CASES["timings_are_read_in_every_spelling"])
def test_timings_are_read_in_every_spelling(arrow):
    assert read(f"WEBVTT\n\n{arrow}\nhi") == read(f"{arrow}\nhi") == (Cue(1.0, 2.0, "", "hi"),)


def test_number_of_next_caption_is_no_word():
    found = read("1\n0:01 --> 0:02\nThe years were\n1983\n\n2\n0:02 --> 0:03\nand\n1984\n")
    assert [cue.text for cue in found] == ["The years were 1983", "and 1984"]


def test_lines_converted_twice_end_no_caption():
    srt = "1\n00:00:01,000 --> 00:00:02,000\nThe warp\n\n2\n00:00:03,000 --> 00:00:04,000\nand the weft\n"
    found = read(srt.replace("\n", "\r\r\n"))
    assert found == (Cue(1.0, 2.0, "", "The warp"), Cue(3.0, 4.0, "", "and the weft"))


def test_a_colon_in_speech_names_nobody():
    lines = "\n\n".join(f"0:{at:02} --> 0:{at + 1:02}\nso it goes on and on" for at in range(0, 58, 2))
    assert {cue.speaker for cue in read(f"{lines}\n\n0:58 --> 0:59\nKernels: all of them")} == {""}


def test_repeated_words_stay_unless_rolling():
    texts = ["Does it hold?", "Yes.", "Yes.", "It does hold.", "We checked.", "Then go on.", "Ready."]
    said = [Cue(float(at), at + 1.0, "", text) for at, text in enumerate(texts)]
    assert join_into_paragraphs(said)[0].text.count("Yes.") == 2
    assert join_into_paragraphs([said[0], said[0], said[1]])[0].text == "Does it hold? Yes."
    growing = [Cue(float(at), at + 1.0, "", f"So does it hold{more}") for at, more in enumerate(["", " in", " in all"])]
    assert join_into_paragraphs(growing)[0].text == "So does it hold in all"


def test_paragraphs_end_at_speaker_pause_sentence():
    def rows(speaker, start, text, count):
        return [Cue(start + place, start + place + 1.0, speaker, f"{text} {place}.") for place in range(count)]

    bob = [*rows("Bob", 3.0, "two", 2), *rows("Bob", 9.0, "three", 2), *rows("Bob", 20.0, "x" * 90, 6)]
    found = join_into_paragraphs([*rows("Ada", 0.0, "one", 3), *bob])
    assert [(cue.start, cue.end, cue.speaker) for cue in found] == [
        (0.0, 3.0, "Ada"), (3.0, 5.0, "Bob"), (9.0, 11.0, "Bob"), (20.0, 25.0, "Bob"), (25.0, 26.0, "Bob"),
    ]  # fmt: skip


@pytest.mark.parametrize("end, starts", [(".", [0.0, 30.0]), ("", [0.0])])
def test_long_paragraph_ends_at_a_sentence(end, starts):
    said = [Cue(float(at), at + 10.0, "Ada", f"number {at}{end}") for at in (0, 10, 20, 30, 40)]
    assert [cue.start for cue in join_into_paragraphs(said)] == starts
    words = [Cue(float(at), at + 1.0, "", f"word{at}{end}") for at in range(2000)]
    assert max(len(cue.text) for cue in join_into_paragraphs(words)) < 1300


@pytest.mark.parametrize("end, whole", [(9.0, 9.0), (None, 5.0)])
def test_timed_paragraph_ends_with_last_cue(end: float | None, whole: float) -> None:
    (found,) = join_into_paragraphs([Cue(0.0, 5.0, "Ada", "Looms are"), Cue(5.0, end, "Ada", "tall.")])
    assert (found.end, found.text) == (whole, "Looms are tall.")


def test_best_transcript_has_language_and_content():
    extras = (
        ("chapters", "https://a.org/c", "application/json"),
        ("transcript", "https://a.org/es", "application/json", "es", ""),
        ("transcript", "https://a.org/plain", "text/plain", "", ""),
        ("transcript", "https://a.org/html", "text/html", "en", ""),
        ("transcript", "https://a.org/captions.srt", "", "en-GB", "captions"),
        ("transcript", "https://a.org/srt", "application/x-subrip", "", ""),
        ("transcript", "https://a.org/vtt", "text/vtt; charset=utf-8", "EN_us", "captions"),
        ("transcript", "https://a.org/what", "application/pdf", "", ""),
        ("transcript", "https://a.org/html", "text/plain", "en", ""),
        ("transcript", "https://a.org/old.json"),
        ("transcript", "https://a.org/auto.json", "", "", "machine-made"),
        ("transcript",),
    )
    transcripts = offers_of_kind_in_extras(extras, LinkedTranscript)
    found = rank_distinct_transcripts(transcripts, "en-us")
    names = [offer.address.rpartition("/")[2] for offer in found]
    assert names == ["old.json", "vtt", "srt", "captions.srt", "auto.json", "html", "plain", "what", "es"]
    assert found[5].content_type == "text/html", "of one address what says most"
    assert rank_distinct_transcripts(transcripts)[0] == LinkedTranscript(
        "https://a.org/es", "application/json", "es", ""
    )
    assert rank_distinct_transcripts(()) == []


@pytest.mark.parametrize("text, expected", CASES["speakers"])
def test_speakers_are_known_by_marks_and_names(text, expected):
    assert [[cue.speaker, cue.text] for cue in read(text)] == expected


@pytest.mark.parametrize("part", [b"\n", b"<"])
def test_million_lines_are_the_limit(part):
    assert len(decode_text_or_raise(part * 1_000_000)) == 1_000_000
    with pytest.raises(ValueError, match="more lines or tags"):
        decode_text_or_raise(part * 1_000_001)


def test_times_in_paragraph_are_eight_seconds_apart():
    words = [(0, "Looms"), (1, "hum."), (7.9, "They"), (8, "rest."), (30, "New.")]
    rows = [{"start": at, "end": at + 7, "word": word} for at, word in words]
    cues, times = read_paragraphs_and_word_times(json.dumps({"segments": rows}).encode(), "", "")
    assert cues == [[0, "", "Looms hum. They rest."], [30, "", "New."]]
    assert times == [[11, 7.9], [16, 8]]
