"""Tests of the way from a document to the catalog: commands, order, repetition, bad input."""
