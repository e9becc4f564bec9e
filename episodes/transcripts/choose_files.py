"""Chooses among the files beside the audio of an episode, offered by feeds or imported: the transcript to
read, and the source of its chapters."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import ClassVar, NamedTuple, TypeVar

from ..records import ResolvedEpisode, SourceEntry
from ..text.timecodes import MAX_SECONDS
from ..text.urls import enclosure_key
from .chapters import ParsedChapter, chapters_of_rows, longest_chapter_list_in_notes, parse_chapters
from .formats import FORMATS, TIMED_FORMATS, declared_format, read_cues
from .transcript_cues import Cue, join_into_paragraphs

TRANSCRIPT, CHAPTERS, CHAPTER = "transcript", "chapters", "chapter"
# Extras of an imported transcript: the name of its file without endings, its first words, and
# whether they have times.
FILE, WORDS, TIMES = "file", "words", "times"
MACHINE_MADE = "machine-made"  # as the `rel` of a transcript
ExtraRows = Iterable[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class LinkedTranscript:
    """A transcript that a feed names, or that was imported. Values may be ""."""

    role: ClassVar = TRANSCRIPT
    address: str
    content_type: str = ""
    language: str = ""
    rel: str = ""
    # Whether it is of another audio file, and the priority of its source.
    rank: tuple[bool, int] = field(default=(False, 0), kw_only=True)
    has_times: bool | None = field(default=None, kw_only=True)  # None if only the format tells

    @property
    def is_machine_made(self) -> bool:
        return self.rel == MACHINE_MADE

    @property
    def is_timed(self) -> bool:
        if self.has_times is not None:
            return self.has_times
        return declared_format(self.content_type, self.address) in TIMED_FORMATS


@dataclass(frozen=True, slots=True)
class ChaptersFile:
    """A file of chapters that a feed names, and its type."""

    role: ClassVar = CHAPTERS
    address: str
    content_type: str = ""


class OfferedChapter(NamedTuple):
    """A chapter in the feed itself."""

    start: str
    title: str = ""
    address: str = ""
    image: str = ""


Offered = TypeVar("Offered", LinkedTranscript, ChaptersFile, OfferedChapter)
# The name and the number of values of each kind of row.
_ROW_KINDS = {
    LinkedTranscript: (TRANSCRIPT, 4),
    ChaptersFile: (CHAPTERS, 2),
    OfferedChapter: (CHAPTER, 4),
}


@dataclass(frozen=True, slots=True)
class EpisodeFiles:
    """The files beside an episode: its transcripts, the best first, and its chapters."""

    transcripts: tuple[LinkedTranscript, ...] = ()
    chapters: tuple[ChaptersFile, ...] = ()


def files_of_rows(rows: ExtraRows, language: str = "") -> EpisodeFiles:
    all_rows = list(rows)
    transcripts = rank_distinct_transcripts(
        offers_of_kind_in_extras(all_rows, LinkedTranscript), language
    )
    return EpisodeFiles(tuple(transcripts), tuple(offers_of_kind_in_extras(all_rows, ChaptersFile)))


def ranked_transcripts_and_chapters_files(
    episode: ResolvedEpisode, language: str = ""
) -> EpisodeFiles:
    """Return the files beside an episode, the best transcript first, then files that its entries
    offered in earlier revisions.

    A former file counts until the new one has been read. Without a new one it is withdrawn.
    """
    audio = episode.merged.values.get("audio_url")  # an AudioFile, or None
    audio_url = audio.url if audio else ""
    current_transcripts: list[LinkedTranscript] = []
    former_transcripts: list[LinkedTranscript] = []
    current_chapters: list[ChaptersFile] = []
    former_chapters: list[ChaptersFile] = []
    imported = [entry for entry in episode.entries if entry.is_transcript]
    for entry in (*episode.trusted_entries, *imported):
        current_rows, former_rows = entry.values.extras, entry.former_files
        current_transcripts += _transcripts_in_rows_of_entry(current_rows, entry, audio_url)
        former_transcripts += _transcripts_in_rows_of_entry(former_rows, entry, audio_url)
        current_chapters += offers_of_kind_in_extras(current_rows, ChaptersFile)
        former_chapters += offers_of_kind_in_extras(former_rows, ChaptersFile)
    transcripts = rank_distinct_transcripts(current_transcripts, language)
    if transcripts:  # else the former ones are withdrawn
        transcripts += rank_distinct_transcripts(former_transcripts, language)
    chapters = current_chapters
    if chapters:  # else the former ones are withdrawn
        chapters += former_chapters
    # Each file once: a former file may still be offered.
    return EpisodeFiles(tuple(dict.fromkeys(transcripts)), tuple(dict.fromkeys(chapters)))


def _transcripts_in_rows_of_entry(
    rows: ExtraRows, entry: SourceEntry, audio_url: str
) -> Iterator[LinkedTranscript]:
    """Yield transcripts with facts of their entry. The times of a transcript of another audio file may not fit,
    so its rank is worse."""
    # Only imported files tell whether they have times.
    times = entry.values.extra(TIMES)  # ["yes"], ["no"] or []
    has_times = times == ["yes"] if times else None
    # The same file has the same key at another address, and "" is an unknown file.
    audio_key = enclosure_key(entry.values.audio_url)
    is_of_other_audio = audio_key not in ("", enclosure_key(audio_url))
    for transcript in offers_of_kind_in_extras(rows, LinkedTranscript):
        yield replace(
            transcript,
            rank=(is_of_other_audio, entry.rank),
            # An imported transcript is its own document, so it has no address.
            address=transcript.address or entry.document,
            has_times=has_times,
        )


def addresses_of_episode_files(entries: Iterable[SourceEntry]) -> tuple[str, ...]:
    """Return the addresses of the transcripts and chapters that the entries offer now or offered before."""
    addresses = []
    for entry in entries:
        rows = (*entry.values.extras, *entry.former_files)
        for transcript in offers_of_kind_in_extras(rows, LinkedTranscript):
            # An imported transcript is its own document.
            addresses.append(transcript.address or entry.document)
        for chapters in offers_of_kind_in_extras(rows, ChaptersFile):
            addresses.append(chapters.address)
    return tuple(dict.fromkeys(addresses))


def offers_of_kind_in_extras(extra_rows: ExtraRows, kind: type[Offered]) -> list[Offered]:
    """Return the offers of one kind in rows such as ("chapters", address, type)."""
    kind_name, value_count = _ROW_KINDS[kind]
    offers = []
    for row_name, *values in extra_rows:
        if row_name == kind_name and values:
            # A row may have more values than its kind.
            offers.append(kind(*values[:value_count]))
    return offers


def rank_distinct_transcripts(
    transcripts: Iterable[LinkedTranscript], language: str = ""
) -> list[LinkedTranscript]:
    """Return transcripts, the one to read first, each address once."""
    ranked = sorted(
        transcripts, key=lambda transcript: _best_transcript_first_key(transcript, language)
    )
    by_address: dict[str, LinkedTranscript] = {}
    for transcript in ranked:
        by_address.setdefault(transcript.address, transcript)
    return list(by_address.values())


def _best_transcript_first_key(transcript: LinkedTranscript, language: str) -> tuple[object, ...]:
    """Return a key that sorts better transcripts first. Captions are cut to fit a screen, so they come
    after other files of their format."""
    languages = {_main_language(transcript.language), _main_language(language)}
    languages.discard("")  # unknown
    is_in_other_language = len(languages) > 1
    formats = [*FORMATS, ""]  # the most detailed first, an unknown one last
    format_index = formats.index(declared_format(transcript.content_type, transcript.address))
    is_captions = "captions" in transcript.rel.lower().split()
    is_of_other_audio, source_priority = transcript.rank
    # False sorts before True.
    return (
        is_in_other_language,
        is_of_other_audio,
        source_priority,
        not transcript.is_timed,
        transcript.is_machine_made,
        format_index,
        is_captions,
    )


def _main_language(code: str) -> str:
    """Return "en" for "en-GB"."""
    return code.strip().lower().replace("_", "-").partition("-")[0]


def read_paragraphs_and_word_times(
    body: bytes, content_type: str, address: str
) -> tuple[list[list[object]], list[list[float]]]:
    """Return (paragraphs, times) of a transcript.

    A paragraph is [start in seconds or None, speaker, text]. A time is [position, second] of a word. The
    position is in the texts of all paragraphs, joined by line breaks: [120, 31.5] is the word at character 120.

    Raises:
        ValueError: it cannot be read, or has no words.
    """
    paragraphs: list[list[object]] = []
    time_by_interval: dict[float, list[float]] = {}  # by number of eight seconds
    paragraph_start = 0  # its position in the texts of all paragraphs
    for paragraph in join_into_paragraphs(read_cues(body, content_type, address)):
        paragraphs.append([paragraph.start, paragraph.speaker, paragraph.text])
        for position_in_paragraph, second in paragraph.times:
            # One time in eight seconds is enough, because people speak evenly. A later time
            # replaces an earlier time of the same eight seconds.
            interval = second // 8
            time_by_interval[interval] = [paragraph_start + position_in_paragraph, second]
        paragraph_start += len(paragraph.text) + len("\n")
    return paragraphs, list(time_by_interval.values())


def choose_first_chapters_before_end(
    lists_of_files: Iterable[tuple[ParsedChapter, ...]], episode: ResolvedEpisode
) -> tuple[ParsedChapter, ...]:
    """Return the chapters of the first file that has any, else of the feed, else of the notes.

    Chapters more than a minute after the end are left out. Advertisements move the last one a little.
    """
    length = episode.merged.length
    end_second = MAX_SECONDS
    # A length in whole minutes does not tell where the episode ends.
    if length and length.exact:
        end_second = length.low + 60
    rows = chain.from_iterable(entry.values.extras for entry in episode.trusted_entries)
    feed_chapters = chapters_of_rows(offers_of_kind_in_extras(rows, OfferedChapter))
    for chapters in (*lists_of_files, feed_chapters):
        before_end = tuple(chapter for chapter in chapters if chapter.start < end_second)
        if before_end:
            return before_end
    return longest_chapter_list_in_notes(episode.merged.text, end_second)


def raise_unless_transcript_or_chapters(
    role: str, body: bytes, declared_type: str, content_type: str, address: str
) -> None:
    """Raise an error if a file is no transcript of its declared type, or no file of chapters.

    Raises:
        ValueError: it is not. The message says why.
    """
    if role == CHAPTERS:
        parse_chapters(body)
        return
    cues = read_cues(body, declared_type or content_type, address)
    # Messages of servers are shorter.
    text_of_cues_or_raise_if_short(cues, min_words_without_times=40)


def text_of_cues_or_raise_if_short(cues: Sequence[Cue], min_words_without_times: int) -> str:
    """Return the words of all cues as one text.

    Raises:
        ValueError: they have no times and are fewer than `min_words_without_times`, so they may be a server's message.
    """
    text = " ".join(cue.text for cue in cues)
    # In scripts without spaces ten characters count as a word.
    word_count = max(len(text.split()), len(text) // 10)
    has_times = any(cue.start is not None for cue in cues)
    if not has_times and word_count < min_words_without_times:
        raise ValueError(f"a few words in place of a transcript: {text[:80]}")
    return text
