"""Tests of reading listing pages."""
