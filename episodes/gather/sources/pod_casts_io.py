"""pod.casts.io's topic pages, which mix shows: title, "Show - August 18, 2021 13:00 - 13 minutes
★★★★★", text."""

from __future__ import annotations

from ...listings import Lines

TITLE = "pod.casts.io"
HOSTS = ("pod.casts.io",)
MIN_WITH_TEXT = 0.5

LAYOUT = Lines(
    like='with a line like "Show - August 18, 2021 13:00 - 13 minutes"',
    begin=r"{title}\n{show} [-–] {date}(?: [-–] (?P<length>[^★☆–-]+?))?(?: [-–] no ratings yet|[ –-]*[★☆].*)?",
    noise=".+ artwork",
    cut_at=280,  # before the site collapses white space it is 297
)
recognises, read = LAYOUT.recognises, LAYOUT.read
