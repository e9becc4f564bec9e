"""Transcripts as programs write them become paragraphs, and say which episode they are of."""

import json
from contextlib import nullcontext
from typing import Any

import pytest

from episodes.transcripts import formats, parse_transcript_file_as_entry, read_paragraphs_and_word_times
from episodes.transcripts.formats import read_cues
from episodes.transcripts.transcript_cues import Cue, join_into_paragraphs

from ..tables import cases

CASES = cases("transcripts_files")

SPEECH = " ".join(f"We card the wool for the {n}th time." for n in range(12))


@pytest.mark.parametrize("name, content, expected", CASES["programs"])
def test_the_files_of_programs_are_read(name: str, content: str, expected: str) -> None:
    cues = read_cues(content.encode(), "", name)
    assert [[cue.start, cue.end, cue.speaker, cue.text] for cue in cues] == json.loads(expected)


@pytest.mark.parametrize("content", [
    {"results": []}, {"results": {"channels": {}}}, {"events": [{"segs": "x"}]}, {"transcription": "x"}, {"words": 5}, {"segments": []}, {}, [], "5",
])  # fmt: skip
def test_json_without_words_is_refused(content: Any) -> None:
    with pytest.raises(ValueError, match=r"JSON|words"):
        read_cues(json.dumps(content).encode(), "", "x.json")


def test_unbroken_text_is_cut_at_sentences() -> None:
    sentence = "We card the wool once more."
    long = " ".join([sentence] * (1_200 // len(sentence) + 1))
    found = join_into_paragraphs([Cue(None, None, "Ada", long)])
    assert " ".join(cue.text for cue in found) == long
    assert all(cue.text.endswith(".") and cue.speaker == "Ada" for cue in found)
    assert all(400 <= len(cue.text) <= 400 + len(sentence) for cue in found[:-1])
    short = long[:1_199]
    assert join_into_paragraphs([Cue(None, None, "", short)]) == (Cue(None, None, "", short),)
    lines = "\n".join([sentence] * 60)
    assert 1 < len(read_paragraphs_and_word_times(lines.encode(), "text/plain", "x.txt")[0]) < 10


@pytest.mark.parametrize("path, head, title, file", CASES["names_come_from_front_matter_and_file"])
def test_names_come_from_front_matter_and_file(path: str, head: str, title: str, file: str) -> None:
    values = parse_transcript_file_as_entry(path, f"{head}{SPEECH}".encode())
    assert (values.title, values.extra("file")) == (title, [file])


def test_front_matter_tells_what_it_tells() -> None:
    front = "date: 2021-05-06T10:00:00Z\nepisode-number: 012\nseason: 2\nguid: g 1\naudio: https://a.example/12.mp3\nlang: en\nlink: https://a.example/12\ntags:\n  - x: y\n"
    said = parse_transcript_file_as_entry("x.txt", f"---\n{front}---\n{SPEECH}".encode())
    assert (said.published, said.number, said.season, said.guid) == ("2021-05-06", 12, 2, "g 1")
    assert (said.audio_url, said.url) == ("https://a.example/12.mp3", "https://a.example/12")
    file = (("file", "x"), ("words", SPEECH[:300]), ("times", "no"))
    assert said.extras == (("transcript", "", "text/plain", "en", ""), *file)
    odd = parse_transcript_file_as_entry("x.txt", f"---\ndate: 2021-13-45\nepisode: twelve\n---\n{SPEECH}".encode())
    assert (odd.published, odd.number) == ("", None)


@pytest.mark.parametrize("name, content, rel, language, length", [
    ("a.json", {"metadata": {"duration": 61.4}, "results": {"channels": [{"alternatives": [{"words": [
        {"word": "wool", "start": n, "end": n + 1, "confidence": 1} for n in range(50)]}]}]}}, "machine-made", "", (50, 110)),
    ("a.json", {"language": "de", "segments": [{"start": n, "end": n + 1, "body": "wool"} for n in range(50)]}, "", "de", (50, 110)),
    ("a.json", {"language": "english", "segments": [{"start": n, "text": "wool"} for n in range(50)]}, "", "", (49, 109)),
    ("a.json", {"language": 7, "segments": [{"start": n, "text": "wool"} for n in range(50)]}, "", "", (49, 109)),
    ("a.en.vtt", f"WEBVTT\n\n0:01 --> 0:59\n{SPEECH}\n", "", "en", (59, 119)),
    ("torch.nn.txt", SPEECH, "", "", (None, None)),
    ("a.txt", f"---\nmachine_made: yes\n---\n{SPEECH}", "machine-made", "", (None, None)),
    ("a.txt", f"---\nmachine_made: no\n---\n{SPEECH}", "", "", (None, None)),
    ("a.txt", f"---\ngenerator: Whisper large\n---\n{SPEECH}", "machine-made", "", (None, None)),
    ("a.txt", f"---\ntranscribed_by: Ada\n---\n{SPEECH}", "", "", (None, None)),
])  # fmt: skip
def test_file_names_author_language_length(
    name: str, content: Any, rel: str, language: str, length: tuple[int | None, int | None]
) -> None:
    body = content if isinstance(content, str) else json.dumps(content)
    said = parse_transcript_file_as_entry(name, body.encode())
    assert said.extras[0][3:] == (language, rel)
    assert (said.seconds_low, said.seconds_high) == length
    assert parse_transcript_file_as_entry(name, body.encode(), machine_made=True).extras[0][4] == "machine-made"


def test_few_words_are_no_transcript_in_any_script() -> None:
    for text in ("We card the wool, spin it and weave a", "羊毛を梳いて糸を紡ぐ。" * 9):
        with pytest.raises(ValueError, match="a few words"):
            parse_transcript_file_as_entry("x.txt", text.encode())
    for text in ("We card the wool, spin it and weave a cloth.", "羊毛を梳いて糸を紡ぐ。" * 10):
        assert parse_transcript_file_as_entry("x.txt", text.encode()).title == "x"
    short_recording = parse_transcript_file_as_entry("x.srt", b"1\n0:01 --> 0:02\nHello.\n")
    assert short_recording.extras[-2:] == (("words", "Hello."), ("times", "yes"))


def test_untimed_lines_beside_timed_ones_are_ignored() -> None:
    credit_below = b"[0:01] We card the wool.\n\n[0:09] We spin it.\n\nTyped by Ada.\n"
    title_above = b"Carding\n\n[0:01] We card.\n\n[0:09] We spin.\n"
    assert parse_transcript_file_as_entry("x.txt", credit_below).extra("times") == ["yes"]
    assert parse_transcript_file_as_entry("x.txt", title_above).extra("times") == ["yes"]


@pytest.mark.parametrize(
    "said, encoding, content_type, text", CASES["text_in_an_encoding_that_nothing_tells_is_refused"]
)
def test_unknown_encoding_is_refused(said: str, encoding: str, content_type: str, text: str) -> None:
    body = said.encode(encoding)
    with nullcontext() if text else pytest.raises(ValueError, match="save it as UTF-8"):
        assert formats.decode_text_or_raise(body, content_type) == text
