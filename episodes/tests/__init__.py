"""The tests of the app, and what they share."""
