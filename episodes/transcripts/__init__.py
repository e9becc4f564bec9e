"""Transcripts and chapters: decoding, choosing, paragraphs; pure."""

from .choosing import (
    CHAPTERS,
    MACHINE_MADE,
    TRANSCRIPT,
    OfferedChapters,
    OfferedTranscript,
    check_file,
    offer,
    offered_by,
    read_chapters,
    read_transcript,
)
from .corrections import WordCorrection, corrected, places_of
from .files import AUDIO_ENDING, entry_of
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
    "WordCorrection",
    "check_file",
    "corrected",
    "ending_of",
    "entry_of",
    "offer",
    "offered_by",
    "places_of",
    "read_chapters",
    "read_transcript",
]
