"""Transcripts as programs write them become paragraphs, and say which episode they are of."""

import json
from contextlib import nullcontext
from typing import Any

import pytest

from episodes.transcripts import formats, parse_transcript_file, read_paragraphs_and_times
from episodes.transcripts.formats import read_cues
from episodes.transcripts.transcript_cues import Cue, join_into_paragraphs

from ..tables import cases

CASES = cases("transcripts_files")

SPEECH = " ".join(f"We card the wool for the {n}th time." for n in range(12))


def read(name: str, content: Any) -> list[tuple[float | None, float | None, str, str]]:
    text = content if isinstance(content, str) else json.dumps(content)
    return [(cue.start, cue.end, cue.speaker, cue.text) for cue in read_cues(text.encode(), "", name)]


def words(*rows: dict[str, Any]) -> list[dict[str, Any]]:
    return list(rows)


@pytest.mark.parametrize("name, content, expected", [
    ("deepgram.json", {"metadata": {"duration": 9.5}, "results": {"channels": [{"alternatives": [
        {"transcript": "hi wool", "words": [
            {"word": "hi", "punctuated_word": "Hi.", "start": 0.5, "end": 0.75, "confidence": 0.9, "speaker": 0},
            {"word": "wool", "start": 1, "end": 1.5, "confidence": 0.9, "speaker": 1},
        ]}, {"words": [{"word": "worse", "start": 0, "end": 1}]},
     ]}]}},
     [(0.5, 0.75, "Speaker 0", "Hi."), (1.0, 1.5, "Speaker 1", "wool")]),
    ("two-channels.json", {"results": {"channels": [
        {"alternatives": [{"words": [{"word": "left", "start": 2, "end": 3}]}]},
        {"alternatives": [{"words": [{"word": "right", "start": 1, "end": 2}]}]},
     ]}},
     [(1.0, 2.0, "Speaker 1", "right"), (2.0, 3.0, "Speaker 0", "left")]),
    ("without-words.json", {"results": {"channels": [{"alternatives": [{"transcript": "All at once."}]}]}},
     [(None, None, "", "All at once.")]),
    ("whisper.json", {"text": " Hi.", "language": "en", "segments": [
        {"id": 0, "start": 0.0, "end": 2.5, "text": " Hi.", "avg_logprob": -0.2, "words": [{"word": " Hi."}]}]},
     [(0.0, 2.5, "", "Hi.")]),
    ("whisper-cpp.json", {"systeminfo": "AVX", "result": {"language": "de"}, "transcription": [
        {"timestamps": {"from": "00:00:01,500"}, "offsets": {"from": 1500, "to": 4000}, "text": " Wolle."},
        {"offsets": None, "text": " Ohne Zeit."}]},
     [(1.5, 4.0, "", "Wolle."), (None, None, "", "Ohne Zeit.")]),
    ("assembly.json", {"audio_duration": 12, "text": "Hi wool", "words": [
        {"text": "Hi", "start": 250, "end": 500, "speaker": "A"}, {"text": "wool", "start": 11000, "end": 11500, "speaker": None}]},
     [(0.25, 0.5, "Speaker A", "Hi"), (11.0, 11.5, "Speaker A", "wool")]),
    ("seconds.json", {"duration": 12, "words": [{"word": "Hi", "start": 1, "end": 2}]}, [(1.0, 2.0, "", "Hi")]),
    ("talk.en.json3", {"wireMagic": "pb3", "events": [
        {"tStartMs": 0, "dDurationMs": 9000, "id": 1, "wpWinPosId": 1},
        {"tStartMs": 1200, "dDurationMs": 3000, "segs": [{"utf8": "card"}, {"utf8": " the", "tOffsetMs": 300}, {"utf8": " wool"}]},
        {"tStartMs": 2100, "aAppend": 1, "segs": [{"utf8": "\n"}]}]},
     [(1.2, None, "", "card the wool")]),
    ("lines.jsonl", '{"start": 0.0, "end": 1.0, "text": "One."}\n{"start": 1.0, "end": 2.0, "text": "Two."}\n',
     [(0.0, 1.0, "", "One."), (1.0, 2.0, "", "Two.")]),
    ("list.json", [{"start": 3, "end": 4, "text": "Three."}], [(3.0, 4.0, "", "Three.")]),
    ("text.json", {"text": "All at once."}, [(None, None, "", "All at once.")]),
    ("raw-tab.json", '{"text": "All\tat once."}', [(None, None, "", "All at once.")]),
    ("talk.sbv", "0:00:01.000,0:00:02.500\nCard the wool.\n\n0:00:03.000,0:00:04.000\nSpin it.\n",
     [(1.0, 2.5, "", "Card the wool."), (3.0, 4.0, "", "Spin it.")]),
    ("notes.md", "---\ntitle: Wool\n---\nFirst [the file](https://a.example/x).\n\n# Wool\n\n**Ada:** We *card* it.\n\n> Yes.\n\n---\n\n## Later\n\nSpun.\n",
     [(None, None, "Ada", "We card it."), (None, None, "Ada", "Yes."), (None, None, "Ada", "Later"), (None, None, "Ada", "Spun.")]),
    ("toml.txt", "+++\ntitle = 'Wool'\n+++\nSpun.\n", [(None, None, "", "Spun.")]),
    ("marks.md", "It is `wool`, *very* _fine_ wool: __init__, a * b * c, 2*3*4, [one _two_](https://a.example/(x) \"y\").\n\n*Laughter*\n",
     [(None, None, "", "It is wool, very fine wool: __init__, a * b * c, 2*3*4, one two."), (None, None, "", "*Laughter*")]),
    ("changes.txt", ">> We card it.\n>> We spin it.\n", [(None, None, "", "We card it."), (None, None, "", "We spin it.")]),
])  # fmt: skip
def test_the_files_of_programs_are_read(name: str, content: Any, expected: list[Any]) -> None:
    assert read(name, content) == expected


@pytest.mark.parametrize("content", [
    {"results": []}, {"results": {"channels": {}}}, {"events": [{"segs": "x"}]}, {"transcription": "x"}, {"words": 5}, {"segments": []}, {}, [], "5",
])  # fmt: skip
def test_json_without_words_is_refused(content: Any) -> None:
    with pytest.raises(ValueError, match=r"JSON|words"):
        read("x.json", content)


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
    assert 1 < len(read_paragraphs_and_times(lines.encode(), "text/plain", "x.txt")[0]) < 10


@pytest.mark.parametrize("path, head, title, file", CASES["names_come_from_front_matter_and_file"])
def test_names_come_from_front_matter_and_file(path: str, head: str, title: str, file: str) -> None:
    values = parse_transcript_file(path, f"{head}{SPEECH}".encode())
    assert (values.title, values.extra("file")) == (title, [file])


def test_front_matter_tells_what_it_tells() -> None:
    front = "date: 2021-05-06T10:00:00Z\nepisode-number: 012\nseason: 2\nguid: g 1\naudio: https://a.example/12.mp3\nlang: en\nlink: https://a.example/12\ntags:\n  - x: y\n"
    said = parse_transcript_file("x.txt", f"---\n{front}---\n{SPEECH}".encode())
    assert (said.published, said.number, said.season, said.guid) == ("2021-05-06", 12, 2, "g 1")
    assert (said.audio_url, said.url) == ("https://a.example/12.mp3", "https://a.example/12")
    assert said.extras == (
        ("transcript", "", "text/plain", "en", ""),
        ("file", "x"),
        ("words", SPEECH[:300]),
        ("times", "no"),
    )
    odd = parse_transcript_file("x.txt", f"---\ndate: 2021-13-45\nepisode: twelve\n---\n{SPEECH}".encode())
    assert (odd.published, odd.number) == ("", None)


@pytest.mark.parametrize("name, content, rel, language, length", [
    ("a.json", {"metadata": {"duration": 61.4}, "results": {"channels": [{"alternatives": [{"words": words(
        *({"word": "wool", "start": n, "end": n + 1, "confidence": 1} for n in range(50)))}]}]}}, "machine-made", "", (50, 110)),
    ("a.json", {"language": "de", "segments": [{"start": n, "end": n + 1, "body": "wool"} for n in range(50)]}, "", "de", (50, 110)),
    ("a.json", {"language": "english", "segments": [{"start": n, "text": "wool"} for n in range(50)]}, "", "", (49, 109)),
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
    said = parse_transcript_file(name, body.encode())
    assert said.extras[0][3:] == (language, rel)
    assert (said.seconds_low, said.seconds_high) == length
    assert parse_transcript_file(name, body.encode(), machine_made=True).extras[0][4] == "machine-made"


def test_few_words_are_no_transcript_in_any_script() -> None:
    for text in ("We card the wool, spin it and weave a", "羊毛を梳いて糸を紡ぐ。" * 9):
        with pytest.raises(ValueError, match="a few words"):
            parse_transcript_file("x.txt", text.encode())
    for text in ("We card the wool, spin it and weave a cloth.", "羊毛を梳いて糸を紡ぐ。" * 10):
        assert parse_transcript_file("x.txt", text.encode()).title == "x"


def test_short_recording_has_times() -> None:
    assert parse_transcript_file("x.srt", b"1\n0:01 --> 0:02\nHello.\n").extras[-2:] == (
        ("words", "Hello."),
        ("times", "yes"),
    )


@pytest.mark.parametrize(
    "said, encoding, content_type, text", CASES["text_in_an_encoding_that_nothing_tells_is_refused"]
)
def test_unknown_encoding_is_refused(said: str, encoding: str, content_type: str, text: str) -> None:
    body = said.encode(encoding)
    with nullcontext() if text else pytest.raises(ValueError, match="save it as UTF-8"):
        assert formats.decode_text(body, content_type) == text
