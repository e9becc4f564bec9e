"""Transcripts and chapters: decoding, choosing, paragraphs; pure."""

from .choosing import check_file, offer, offered_by, read_chapters, read_transcript
from .offered import CHAPTERS, TRANSCRIPT

__all__ = [
    "CHAPTERS",
    "TRANSCRIPT",
    "check_file",
    "offer",
    "offered_by",
    "read_chapters",
    "read_transcript",
]
