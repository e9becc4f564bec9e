"""Gathers evidence: fetches documents, reads them, and keeps what they said."""
