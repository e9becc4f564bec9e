"""A site that is not known: the show's name, then "1) Title" and a text that is cut at 200
characters."""

from __future__ import annotations

from ...listings import Lines

TITLE = "Numbered list"
HOSTS: tuple[str, ...] = ()
MIN_WITH_TEXT = 0.5

LAYOUT = Lines(
    like='of the form "1) Title"',
    begin=r"{rank}(?:\)\s*|\.\s+|\.$){title}?",
    cut=r"\bshow more",
    ends=r"\bshow less",
    cut_at=190,  # before the site collapses white space it is 200
)
recognises, read = LAYOUT.recognises, LAYOUT.read
