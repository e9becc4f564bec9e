"""Reads listing pages: a document in, entries out; pure."""
