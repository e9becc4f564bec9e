"""A site that is not known: the show's name, then "1) Title" and a text that is cut at 200
characters."""

from ...listings import LineLayout
from . import Reader

layout = LineLayout(
    entry_description='entry of the form "1) Title"',
    begin=r"(?P<rank>\d{1,4})(?:\)\s*|\.\s+|\.$)(?P<title>.{1,400})?",
    # Texts are cut at 200 characters, before the site collapses white space.
    cut_mark=r"\bshow more|(?<=[\s\S]{190})\s?(?:…|\.{3})",
    ignored_ending=r"\bshow less",
)
READER = Reader(
    title="Numbered list",
    min_with_text=0.5,
    recognises=layout.recognises,
    read=layout.parse_page_of_show,
)
