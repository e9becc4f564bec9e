"""pod.casts.io's topic pages, which mix shows: title, "Show - August 18, 2021 13:00 - 13 minutes
★★★★★", text."""

from ...listings import LineLayout

TITLE = "pod.casts.io"
HOSTS = ("pod.casts.io",)
MIN_WITH_TEXT = 0.5

LAYOUT = LineLayout(
    entry_description='entry with a line like "Show - August 18, 2021 13:00 - 13 minutes"',
    begin=(
        r"(?P<title>\S.{0,400})\n(?P<show>\S.{0,300}) [-–] "
        r"(?P<date>(?:\w+\.? \d{1,2},|\d{1,2}\.? \w+\.?) \d{4}\b[^★☆–-]*?)"
        r"(?: [-–] (?P<length>[^★☆–-]+?))?(?: [-–] no ratings yet|[ –-]*[★☆].*)?"
    ),
    noise=".+ artwork",
    # Texts are cut at 297 characters, before the site collapses white space.
    cut_mark=r"(?<=[\s\S]{280})\s?(?:…|\.{3})",
)
recognises, read = LAYOUT.recognises, LAYOUT.read_entries_of_show
