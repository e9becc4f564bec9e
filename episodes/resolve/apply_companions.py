"""Writes the transcripts and chapters of a show's episodes from the files that its feeds name, and
from those that somebody brought."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ..models import Capture, Chapter, Podcast, Transcript, batches
from ..records import Resolved, ResolvedEpisode
from ..transcripts import (
    OfferedChapters,
    OfferedTranscript,
    WordCorrection,
    corrected,
    offered_by,
    read_chapters,
    read_transcript,
)
from .inputs import corrected_words
from .rows import delete, sync

Stored = dict[str, Capture]  # by address the newest one


def write_companions(
    podcast: Podcast, result: Resolved, episodes: Mapping[str, int], scope: Mapping[str, Any]
) -> None:
    """Write the transcripts, with the words that curators corrected, and the chapters of these
    episodes, which are all of `scope`."""
    offers = [offered_by(episode, podcast.language) for episode in result.episodes]
    files: list[OfferedTranscript | OfferedChapters] = []
    for offer in offers:
        files += [*offer.transcripts, *offer.chapters]
    stored = _stored(podcast, {file.address for file in files})
    transcripts = {
        row.episode_id: row
        for row in Transcript.objects.filter(**scope).defer("text", "cues", "times")
    }
    kept: set[int] = set()
    marks: dict[tuple[int, int], dict[str, str]] = {}
    corrections = _corrections(podcast, result)
    for episode, offered in zip(result.episodes, offers, strict=True):
        pk, own = episodes[episode.slug], corrections.get(episode.slug, [])
        if _transcript(pk, offered.transcripts, stored, own, transcripts.get(pk)):
            kept.add(pk)
        bodies = [stored[one.address].body for one in offered.chapters if one.address in stored]
        marks |= _chapters(pk, bodies, episode)
    delete(Transcript.objects.all(), [row.pk for pk, row in transcripts.items() if pk not in kept])
    sync(Chapter, ("episode_id", "start"), marks, scope)


def _corrections(podcast: Podcast, result: Resolved) -> dict[str, list[WordCorrection]]:
    """The corrections of words of each episode by its address, the first one first."""
    words = corrected_words(podcast)
    named = {(source, key) for source, key, _, _ in words}
    slugs = {
        entry.ref[::2]: slug for slug, entry in result.each("entries") if entry.ref[::2] in named
    }
    found: defaultdict[str, list[WordCorrection]] = defaultdict(list)
    for source, key, place, right in words:
        found[slugs.get((source, key), "")].append(WordCorrection.from_key(place, right))
    return found


def _stored(podcast: Podcast, addresses: Collection[str]) -> Stored:
    rows = Capture.objects.filter(
        document__source__podcast=podcast, document__kind="companion", version__isnull=False
    )
    stored: Stored = {}
    for some in batches(addresses):
        own = rows.filter(document__address__in=some).select_related("document")
        stored |= {capture.document.address: capture for capture in own.order_by("version")}
    return stored


def _transcript(
    episode: int,
    offered: Sequence[OfferedTranscript],
    stored: Stored,
    corrections: Sequence[WordCorrection],
    there: Transcript | None,
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
            "corrections": [[fix.key, fix.right] for fix in corrections],
        }
        if there is not None and told == {name: getattr(there, name) for name in told}:
            return True
        content_type = one.content_type or capture.content_type
        try:
            cues, times = read_transcript(capture.body, content_type, one.address)
        except ValueError:
            continue
        cues, times, lost = corrected(cues, times, corrections)
        fields = {
            **told,
            "text": "\n".join(_with_names(cues)),
            "cues": cues,
            "times": times,
            "lost": [[fix.key, fix.right] for fix in lost],
        }
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
