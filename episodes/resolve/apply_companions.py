"""Writes the transcripts and chapters of a show's episodes from the files that its feeds name, and
from those that somebody brought."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..models import Capture, Chapter, Podcast, Transcript
from ..records import Resolved, ResolvedEpisode
from ..transcripts import OfferedTranscript, offered_by, read_chapters, read_transcript
from .rows import delete, sync

Stored = dict[str, Capture]  # by address the newest one


def write_companions(podcast: Podcast, result: Resolved, episodes: Mapping[str, int]) -> None:
    stored = _stored(podcast)
    transcripts = {
        row.episode_id: row
        for row in Transcript.objects.filter(episode__podcast=podcast).defer("text", "cues")
    }
    kept: set[int] = set()
    marks: dict[tuple[int, int], dict[str, str]] = {}
    for episode in result.episodes:
        pk, offered = episodes[episode.slug], offered_by(episode, podcast.language)
        if _transcript(pk, offered.transcripts, stored, transcripts.get(pk)):
            kept.add(pk)
        files = [stored[one.address].body for one in offered.chapters if one.address in stored]
        marks |= _chapters(pk, files, episode)
    delete(Transcript.objects.all(), [row.pk for pk, row in transcripts.items() if pk not in kept])
    sync(Chapter, ("episode_id", "start"), marks, {"episode__podcast": podcast})


def _stored(podcast: Podcast) -> Stored:
    rows = Capture.objects.filter(
        document__source__podcast=podcast, document__kind="companion", version__isnull=False
    )
    return {
        capture.document.address: capture
        for capture in rows.select_related("document").order_by("version")
    }


def _transcript(
    episode: int, offered: Sequence[OfferedTranscript], stored: Stored, there: Transcript | None
) -> bool:
    """Write the best transcript that can be read; one that is written already is not read again."""
    for one in offered:
        if one.address not in stored:
            continue
        capture = stored[one.address]
        told = {
            "url": one.address,
            "sha256": capture.sha256,
            "machine_made": one.is_machine_made or None,
        }
        if there is not None and told == {name: getattr(there, name) for name in told}:
            return True
        content_type = one.content_type or capture.content_type
        try:
            cues = read_transcript(capture.body, content_type, one.address)
        except ValueError:
            continue
        fields = {**told, "text": "\n".join(_with_names(cues)), "cues": cues}
        Transcript.objects.update_or_create(episode_id=episode, defaults=fields)
        return True
    return False


def _with_names(cues: Sequence[Sequence[object]]) -> Iterator[str]:
    """The words of each paragraph, behind the speaker's name where another begins to speak."""
    last: object = ""
    for _, speaker, words in cues:
        yield f"{speaker}: {words}" if speaker and speaker != last else str(words)
        last = speaker


def _chapters(
    pk: int, files: Sequence[bytes], episode: ResolvedEpisode
) -> dict[tuple[int, int], dict[str, str]]:
    found: dict[tuple[int, int], dict[str, str]] = {}
    for chapter in read_chapters(files, episode):
        found.setdefault((pk, int(chapter.start)), {"title": chapter.title, "url": chapter.url})
    return found
