"""Transcripts and chapters: decoding, choosing, paragraphs; pure."""
