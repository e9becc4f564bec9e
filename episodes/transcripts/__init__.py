"""Transcripts and chapters: decoding, choosing, paragraphs; pure."""

from .chapters import ParsedChapter, parse_chapters
from .choosing import (
    CHAPTERS,
    MACHINE_MADE,
    TRANSCRIPT,
    OfferedChapters,
    OfferedTranscript,
    check_file,
    choose_chapters,
    offer,
    offered_addresses,
    offered_by,
    read_transcript,
)
from .corrections import WordCorrection, corrected, places_of
from .files import AUDIO_ENDING, parse_transcript
from .formats import MOST_BYTES, TYPES, ending_of

__all__ = [
    "AUDIO_ENDING",
    "CHAPTERS",
    "MACHINE_MADE",
    "MOST_BYTES",
    "TRANSCRIPT",
    "TYPES",
    "OfferedChapters",
    "OfferedTranscript",
    "ParsedChapter",
    "WordCorrection",
    "check_file",
    "choose_chapters",
    "corrected",
    "ending_of",
    "offer",
    "offered_addresses",
    "offered_by",
    "parse_chapters",
    "parse_transcript",
    "places_of",
    "read_transcript",
]
