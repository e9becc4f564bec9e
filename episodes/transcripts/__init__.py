"""Transcripts and chapters: decoding, choosing, paragraphs. Pure."""

from .chapters import ParsedChapter, parse_chapters
from .choose_files import (
    CHAPTERS,
    MACHINE_MADE,
    TRANSCRIPT,
    ChaptersFile,
    EpisodeFiles,
    LinkedTranscript,
    addresses_of_episode_files,
    choose_first_chapters_before_end,
    files_of_rows,
    raise_unless_transcript_or_chapters,
    ranked_transcripts_and_chapters_files,
    read_paragraphs_and_word_times,
)
from .corrections import (
    WordCorrection,
    correct_transcript_and_list_unmatched,
    iterate_paragraph_numbers_and_corrections,
)
from .formats import MAX_TRANSCRIPT_BYTES, TYPES_BY_EXTENSION, file_extension
from .misheard_names import find_misheard_names
from .transcript_file import AUDIO_ENDING, parse_transcript_file_as_entry

__all__ = [
    "AUDIO_ENDING",
    "CHAPTERS",
    "MACHINE_MADE",
    "MAX_TRANSCRIPT_BYTES",
    "TRANSCRIPT",
    "TYPES_BY_EXTENSION",
    "ChaptersFile",
    "EpisodeFiles",
    "LinkedTranscript",
    "ParsedChapter",
    "WordCorrection",
    "addresses_of_episode_files",
    "choose_first_chapters_before_end",
    "correct_transcript_and_list_unmatched",
    "file_extension",
    "files_of_rows",
    "find_misheard_names",
    "iterate_paragraph_numbers_and_corrections",
    "parse_chapters",
    "parse_transcript_file_as_entry",
    "raise_unless_transcript_or_chapters",
    "ranked_transcripts_and_chapters_files",
    "read_paragraphs_and_word_times",
]
