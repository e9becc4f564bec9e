"""Tests of what notes hold."""
