"""Tests of transcripts and chapters."""
