"""Tests in a real browser, without JavaScript and with it: what a person with any device meets."""
