"""Tests in a real browser, without JavaScript: what a person with any device meets."""
