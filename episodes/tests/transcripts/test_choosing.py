"""Which of the transcripts that an episode's entries offer is read first."""

import pytest

from episodes.records import AudioFile, EntryData, Merged, ResolvedEpisode, SourceEntry
from episodes.transcripts import offered_by


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
def test_transcript_and_audio_are_of_one_recording_where_both_have_one(heard: str, first: list[str]) -> None:
    """Transcripts of two recordings that were merged; what somebody brought says of no audio that it is another."""
    entries = (
        entry("a", 1, "https://looms.example/a.mp3"),
        entry("b", 2, "https://looms.example/b.mp3"),
        entry("own", 100, is_transcript=True),
    )
    merged = Merged({"audio_url": AudioFile(heard, "audio/mpeg") if heard else None})
    offer = offered_by(ResolvedEpisode("looms", 1, merged, entries))
    names = [one.address.removeprefix("file:").removeprefix("https://looms.example/") for one in offer.transcripts]
    assert [name.removesuffix(".vtt") for name in names] == first
