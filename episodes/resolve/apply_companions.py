"""Writes the transcripts and chapters of a show's episodes from the files that its feeds name, and
from those that somebody brought."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from ..models import Capture, Chapter, Podcast, Transcript, any_number, batches
from ..records import Resolved
from ..transcripts import (
    MACHINE_MADE,
    OfferedChapters,
    OfferedTranscript,
    WordCorrection,
    corrected,
    offered_by,
    read_chapters,
    read_transcript,
)
from .inputs import corrected_words
from .rows import sync

Stored = dict[str, Capture]  # by address the newest one
# The columns that tell a transcript from others: what is written with equal ones is right already.
TOLD = ("url", "sha256", "machine_made", "corrections")


def write_companions(
    podcast: Podcast, result: Resolved, episodes: Mapping[str, int], scope: Mapping[str, Any]
) -> None:
    """Write the transcripts, with the words that curators corrected, and the chapters of these
    episodes, which are all of `scope`."""
    offers = {e.slug: offered_by(e, podcast.language) for e in result.episodes}
    files: Iterator[tuple[OfferedTranscript | OfferedChapters, ...]]
    files = ((*own.transcripts, *own.chapters) for own in offers.values())
    stored = _stored(podcast, {file.address for file in chain.from_iterable(files)})
    rows = Transcript.objects.filter(**scope).order_by().values("episode", *TOLD)
    there = {row.pop("episode"): row for row in rows}
    corrections = _corrections(podcast, result)
    transcripts: dict[tuple[int], dict[str, Any]] = {}
    marks: dict[tuple[int, int], dict[str, str]] = {}
    for episode in result.episodes:
        pk, own = episodes[episode.slug], corrections[episode.slug]
        if read := _transcript(offers[episode.slug].transcripts, stored, own, there.get(pk)):
            transcripts[pk,] = read
        for part in read_chapters(_bodies(offers[episode.slug].chapters, stored), episode):
            marks.setdefault((pk, int(part.start)), {"title": part.title, "url": part.url})
    new = {key: fields for key, fields in transcripts.items() if "text" in fields}
    # Those of episodes that offer none any more; what is right already is not in `new`, and stays.
    gone = there.keys() - chain.from_iterable(transcripts)
    sync(
        Transcript,
        ("episode_id",),
        new,
        {"episode__in": any_number([*chain.from_iterable(new), *gone])},
    )
    sync(Chapter, ("episode_id", "start"), marks, scope)


def _corrections(podcast: Podcast, result: Resolved) -> defaultdict[str, list[WordCorrection]]:
    """The words that curators corrected by the slugs of episodes, the first one first."""
    slugs = {entry.ref[::2]: slug for slug, entry in result.each("entries")}
    found = defaultdict[str, list[WordCorrection]](list)
    for source, key, place, right in corrected_words(podcast):
        found[slugs.get((source, key), "")].append(WordCorrection.from_key(place, right))
    return found


def _bodies(offered: Sequence[OfferedChapters], stored: Stored) -> list[bytes]:
    return [stored[one.address].body for one in offered if one.address in stored]


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
    offered: Sequence[OfferedTranscript],
    stored: Stored,
    corrections: Sequence[WordCorrection],
    there: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The columns of the best transcript that can be read: of one that is `there`, which is not read
    again, those that tell it from others; nothing where none can be read."""
    for one in (one for one in offered if one.address in stored):
        capture = stored[one.address]
        keys = [[fix.key, fix.right] for fix in corrections]
        values = one.address, capture.sha256, one.rel == MACHINE_MADE or None, keys
        told: dict[str, Any] = dict(zip(TOLD, values, strict=True))
        # Read before, and of hours: not again.
        if told == there:
            return told
        content_type = one.content_type or capture.content_type
        try:
            cues, times = read_transcript(capture.body, content_type, one.address)
        except ValueError:
            continue
        cues, times, lost = corrected(cues, times, corrections)
        left = [[fix.key, fix.right] for fix in lost]
        return {**told, "text": _spoken(cues), "cues": cues, "times": times, "lost": left}
    return {}


def _spoken(cues: Sequence[Sequence[Any]]) -> str:
    """The text of a transcript, with a speaker's name before the words where another begins to
    speak."""
    speakers = [None, *(speaker for _, speaker, _ in cues)]
    return "\n".join(
        f"{speaker}: {words}" if speaker and speaker != last else str(words)
        for (_, speaker, words), last in zip(cues, speakers, strict=False)
    )
