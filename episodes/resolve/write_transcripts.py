"""Writes transcripts and chapters, from the files that feeds offer and from imported ones."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..gather import LimitedBatch
from ..models import Capture, Chapter, Podcast, Transcript, batches, ids_subquery
from ..records import DocumentRejected, ResolvedShow
from ..transcripts import (
    ChaptersFile,
    EpisodeFiles,
    LinkedTranscript,
    ParsedChapter,
    WordCorrection,
    choose_first_chapters_before_end,
    correct_transcript_and_list_unmatched,
    parse_chapters,
    ranked_transcripts_and_chapters_files,
    read_paragraphs_and_word_times,
)
from .load_inputs import load_corrected_words
from .sync_rows import Scope, sync_and_return_changed_keys

VersionByAddress = dict[str, Capture]  # the newest version of each file, by address
TranscriptFile = tuple[bytes, str, str]  # bytes, type, address
ParsedTranscript = tuple[
    list[list[object]], list[list[float]]
]  # as of `read_paragraphs_and_word_times`
# A stored transcript with the same values in these columns is up to date.
KEY_COLUMNS = ("url", "sha256", "machine_made", "corrections")


def write_transcripts_and_chapters(
    podcast: Podcast, result: ResolvedShow, episode_ids: Mapping[str, int], scope: Scope
) -> None:
    """Write the transcripts, with the words that curators corrected, and the chapters of the episodes
    in `scope`."""
    files_by_slug = {}  # that the entries of an episode link
    addresses: set[str] = set()
    for episode in result.episodes:
        files = ranked_transcripts_and_chapters_files(episode, podcast.language)
        files_by_slug[episode.slug] = files
        addresses.update(transcript.address for transcript in files.transcripts)
        addresses.update(chapters.address for chapters in files.chapters)
    version_by_address = _load_newest_versions_by_address(podcast, addresses)
    corrections = _word_corrections_by_slug(podcast, result)
    _write_best_transcripts(files_by_slug, version_by_address, corrections, episode_ids, scope)
    _write_chapters(result, files_by_slug, version_by_address, episode_ids, scope)


def _write_best_transcripts(
    files_by_slug: Mapping[str, EpisodeFiles],
    version_by_address: VersionByAddress,
    corrections_by_slug: Mapping[str, Sequence[WordCorrection]],
    episode_ids: Mapping[str, int],
    scope: Scope,
) -> None:
    """Write the best readable transcript of each episode. Do not parse it again if it is stored already."""
    stored_key_values_by_id = {}
    for row in Transcript.objects.filter(**scope).order_by().values("episode", *KEY_COLUMNS):
        episode_id = row.pop("episode")
        stored_key_values_by_id[episode_id] = row
    up_to_date_ids = set()
    new_rows = {}
    # Files come from strangers, so a separate process with limits of time and memory parses them.
    with LimitedBatch(_parse_transcript) as batch:
        for slug, files in files_by_slug.items():
            episode_id = episode_ids[slug]
            stored_key_values = stored_key_values_by_id.get(episode_id)
            columns = _best_readable_transcript_columns(
                files,
                version_by_address,
                corrections_by_slug.get(slug, ()),
                stored_key_values,
                batch,
            )
            # Key values alone, without words, are returned only if they are stored already. Both are None for an
            # episode without a transcript.
            if columns == stored_key_values:
                up_to_date_ids.add(episode_id)
            elif columns:
                new_rows[(episode_id,)] = columns
    # Rows of these ids without a new row are deleted.
    outdated_ids = stored_key_values_by_id.keys() - up_to_date_ids
    new_ids = {episode_id for (episode_id,) in new_rows}
    of_changed_episodes = {"episode__in": ids_subquery(outdated_ids | new_ids)}
    sync_and_return_changed_keys(Transcript, ("episode_id",), new_rows, of_changed_episodes)


def _best_readable_transcript_columns(
    files: EpisodeFiles,
    version_by_address: VersionByAddress,
    corrections: Sequence[WordCorrection],
    stored_key_values: Mapping[str, Any] | None,
    batch: LimitedBatch[TranscriptFile, ParsedTranscript],
) -> dict[str, Any] | None:
    """Return the columns of the best readable transcript, or None. If it is stored already, do not parse it,
    and return only the columns of KEY_COLUMNS."""
    best_first = files.transcripts
    for transcript in best_first:
        version = version_by_address.get(transcript.address)
        if version is None:
            continue  # the file is not fetched yet
        key_values = _key_values(transcript, version, corrections)
        if key_values == stored_key_values:
            return key_values
        type_by_feed_or_server = transcript.content_type or version.content_type
        try:
            parsed = batch.parse_within_limits(
                (version.body, type_by_feed_or_server, transcript.address)
            )
        except (ValueError, DocumentRejected):
            continue  # the next best one may be readable
        return {**key_values, **_columns_of_words(parsed, corrections)}
    return None


def _write_chapters(
    result: ResolvedShow,
    files_by_slug: Mapping[str, EpisodeFiles],
    version_by_address: VersionByAddress,
    episode_ids: Mapping[str, int],
    scope: Scope,
) -> None:
    """Write the chapters of the changed episodes, from files that feeds link, else from the feed or the notes."""
    rows: dict[tuple[int, int], dict[str, str]] = {}
    # A separate process with limits of time and memory parses the files of strangers.
    with LimitedBatch(parse_chapters) as batch:
        for episode in result.episodes:
            chapter_files = files_by_slug[episode.slug].chapters
            chapters_of_files = _chapters_of_each_readable_file(
                chapter_files, version_by_address, batch
            )
            for chapter in choose_first_chapters_before_end(chapters_of_files, episode):
                key = (episode_ids[episode.slug], int(chapter.start))  # in seconds
                # Of two chapters in the same second the first one stays.
                rows.setdefault(key, {"title": chapter.title, "url": chapter.url})
    sync_and_return_changed_keys(Chapter, ("episode_id", "start"), rows, scope)


def _load_newest_versions_by_address(
    podcast: Podcast, addresses: Collection[str]
) -> VersionByAddress:
    versions = Capture.objects.versions().filter(
        document__source__podcast=podcast, document__kind="companion"
    )
    newest: VersionByAddress = {}
    for batch in batches(addresses):
        rows = versions.filter(document__address__in=batch).select_related("document")
        # The newest version comes last, and stays.
        for version in rows.order_by("version"):
            newest[version.document.address] = version
    return newest


def _word_corrections_by_slug(
    podcast: Podcast, result: ResolvedShow
) -> defaultdict[str, list[WordCorrection]]:
    """Return the words that curators corrected in the transcript of each changed episode, or in all of the
    show, in the order of the corrections."""
    slug_by_entry = {}
    for slug, entry in result.iterate_parts("entries"):
        slug_by_entry[entry.source_key] = slug
    corrections = defaultdict[str, list[WordCorrection]](list)
    for decision in load_corrected_words(podcast):
        correction = WordCorrection.from_key(decision.key, decision.value)
        if correction.is_of_show:
            for episode in result.episodes:
                corrections[episode.slug].append(correction)
        # Other corrections name an entry of their episode, which may be unchanged.
        elif decision.entry in slug_by_entry:
            corrections[slug_by_entry[decision.entry]].append(correction)
    return corrections


def _key_values(
    transcript: LinkedTranscript, version: Capture, corrections: Sequence[WordCorrection]
) -> dict[str, Any]:
    return {  # of KEY_COLUMNS
        "url": transcript.address,
        "sha256": version.sha256,
        "machine_made": transcript.is_machine_made or None,  # None if it is not known
        "corrections": [[correction.key, correction.right] for correction in corrections],
    }


def _columns_of_words(
    parsed: ParsedTranscript, corrections: Sequence[WordCorrection]
) -> dict[str, Any]:
    cues, times, unmatched = correct_transcript_and_list_unmatched(*parsed, corrections)
    # Words of the whole show need not be in each of its transcripts.
    lost = [correction for correction in unmatched if not correction.is_of_show]
    return {
        "text": _text_with_speaker_names(cues),
        "cues": cues,
        "times": times,
        "lost": [[correction.key, correction.right] for correction in lost],
    }


def _parse_transcript(file: TranscriptFile) -> ParsedTranscript:
    return read_paragraphs_and_word_times(*file)


def _text_with_speaker_names(cues: Iterable[Sequence[Any]]) -> str:
    """Return the words of all cues, one a line, with "Name: " before the first words of each
    speaker's turn."""
    lines = []
    last_speaker = None
    for _, speaker, words in cues:
        if speaker and speaker != last_speaker:
            lines.append(f"{speaker}: {words}")
        else:
            lines.append(str(words))
        last_speaker = speaker
    return "\n".join(lines)


def _chapters_of_each_readable_file(
    chapter_files: Sequence[ChaptersFile],
    stored_version_by_address: VersionByAddress,
    batch: LimitedBatch[bytes, tuple[ParsedChapter, ...]],
) -> list[tuple[ParsedChapter, ...]]:
    lists = []
    for file in chapter_files:
        if file.address in stored_version_by_address:
            with suppress(ValueError, DocumentRejected):
                lists.append(
                    batch.parse_within_limits(stored_version_by_address[file.address].body)
                )
    return lists
