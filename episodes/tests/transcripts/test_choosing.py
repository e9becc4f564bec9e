"""Which of the transcripts that an episode's entries offer is read first."""

import json
from dataclasses import replace

import pytest

from episodes.records import AudioFile, DurationRange, EntryData, MergedValues, ResolvedEpisode, SourceEntry
from episodes.transcripts import (
    choose_first_chapters_before_end,
    parse_chapters,
    parse_transcript_file_as_entry,
    ranked_transcripts_and_chapters_files,
)


def entry(source: str, rank: int, audio: str = "", *, is_transcript: bool = False) -> SourceEntry:
    address = "" if is_transcript else f"https://looms.example/{source}.vtt"
    said = EntryData(audio_url=audio, extras=(("transcript", address, "text/vtt", "", ""),))
    document = f"file:{source}" if is_transcript else "https://looms.example/feed"
    return SourceEntry(source, document, source, 1, said, rank, is_transcript=is_transcript)


@pytest.mark.parametrize(
    "heard, first",
    [
        ("https://looms.example/a.mp3?x=1", ["a", "own", "b"]),
        ("https://looms.example/b.mp3", ["b", "own", "a"]),
        ("", ["own", "a", "b"]),
    ],
)
def test_transcript_and_audio_are_one_recording(heard: str, first: list[str]) -> None:
    """Transcripts of two recordings that were merged; what somebody brought says of no audio that it is another."""
    feed_entries = [entry(name, rank, f"https://looms.example/{name}.mp3") for rank, name in enumerate("ab", 1)]
    entries = (*feed_entries, entry("own", 100, is_transcript=True))
    merged = MergedValues({"audio_url": AudioFile(heard, "audio/mpeg") if heard else None})
    offer = ranked_transcripts_and_chapters_files(ResolvedEpisode("looms", 1, merged, entries))
    names = [one.address.removeprefix("file:").removeprefix("https://looms.example/") for one in offer.transcripts]
    assert [name.removesuffix(".vtt") for name in names] == first


ASH = " ".join(f"The ash by the well is {n} years old." for n in range(20))
TIMED_BY_MACHINE = {"words": [{"word": word, "start": n, "confidence": 0.9} for n, word in enumerate(ASH.split())]}

TIMED = f"Nora 0:01\n{ASH}\n\nIlse 1:40\n{ASH}"
SRT = f"1\n00:00:01,000 --> 00:01:40,000\n{ASH}\n"


def brought(name: str, body: str) -> SourceEntry:
    values = parse_transcript_file_as_entry(name, body.encode())
    return SourceEntry("own", f"file:{name}", name, 1, values, 100, is_transcript=True)


@pytest.mark.parametrize(
    "files, order, by_machine",
    [
        ({"ash.md": ASH, "ash.json": json.dumps(TIMED_BY_MACHINE)}, ["ash.json", "ash.md"], [True, False]),
        ({"ash.txt": ASH, "ash.md": TIMED}, ["ash.md", "ash.txt"], [False, False]),
        ({"ash.json": json.dumps({"text": ASH}), "ash.txt": TIMED}, ["ash.txt", "ash.json"], [False, False]),
        ({"ash.srt": SRT, "ash.json": json.dumps(TIMED_BY_MACHINE)}, ["ash.srt", "ash.json"], [False, True]),
        ({"a.md": ASH, "b.md": f"---\ngenerator: Whisper\n---\n{ASH}"}, ["a.md", "b.md"], [False, True]),
    ],
)  # fmt: skip
def test_times_come_first_and_programs_last(files: dict[str, str], order: list[str], by_machine: list[bool]) -> None:
    entries = tuple(brought(name, body) for name, body in files.items())
    offer = ranked_transcripts_and_chapters_files(ResolvedEpisode("ash", 1, MergedValues({"audio_url": None}), entries))
    assert [one.address.removeprefix("file:") for one in offer.transcripts] == order
    assert [one.is_machine_made for one in offer.transcripts] == by_machine


def test_former_chapters_count_until_renewed() -> None:
    new, former = (("chapters", f"https://looms.example/{name}.json", "application/json") for name in ("new", "former"))

    def chapters(now: tuple[tuple[str, ...], ...], before: tuple[tuple[str, ...], ...]) -> list[str]:
        one = replace(entry("a", 1), values=EntryData(extras=now), former_files=before)
        offer = ranked_transcripts_and_chapters_files(ResolvedEpisode("looms", 1, MergedValues({}), (one,)))
        return [file.address for file in offer.chapters]

    assert chapters((new,), (former,)) == ["https://looms.example/new.json", "https://looms.example/former.json"]
    assert chapters((new,), (new,)) == ["https://looms.example/new.json"]
    assert chapters((), (former,)) == [], "without a new one it is withdrawn"


@pytest.mark.parametrize("high, count", [(100, 2), (101, 4)])
def test_chapter_far_beyond_end_is_ignored(high: int, count: int) -> None:
    rows = [{"startTime": at, "title": f"Part {at}"} for at in (0, 159, 160, 161)]
    merged = MergedValues({"duration_seconds": DurationRange(100, high)})
    episode = ResolvedEpisode("looms", 1, merged, (entry("a", 1),))
    assert (
        len(choose_first_chapters_before_end([parse_chapters(json.dumps({"chapters": rows}).encode())], episode))
        == count
    )
