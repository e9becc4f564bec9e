"""Transcripts and chapters: decoding, choosing, paragraphs; pure."""

from .choosing import check_file, offer, offered_by, read_chapters, read_transcript
from .corrections import WordCorrection, corrected, places_of
from .offered import CHAPTERS, TRANSCRIPT

__all__ = [
    "CHAPTERS",
    "TRANSCRIPT",
    "WordCorrection",
    "check_file",
    "corrected",
    "offer",
    "offered_by",
    "places_of",
    "read_chapters",
    "read_transcript",
]
