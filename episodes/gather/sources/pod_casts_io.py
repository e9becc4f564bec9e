"""pod.casts.io's topic pages, which mix shows: title, "Show - August 18, 2021 13:00 - 13 minutes
★★★★★", text."""

from ...listings import LineLayout
from . import Reader

layout = LineLayout(
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
READER = Reader(
    title="pod.casts.io",
    hosts=("pod.casts.io",),
    min_with_text=0.5,
    recognises=layout.recognises,
    read=layout.parse_page_of_show,
)
