"""player.fm's list of a series: texts that end in "continue reading", with titles only where
headings give them."""

from ...listings import LineLayout
from . import Reader

layout = LineLayout(
    entry_description='entry that ends in "continue reading"',
    end=r"\bcontinue reading",
    # The interface says "public" behind a series' name, which it may shorten to its first words.
    show_heading="{start} (?:public|público|öffentlich|відкриті|公開)",
    noise="{name}",
    cut_mark=r"(?<=[\s\S]{350})(?:…|\.{3})",
    # Texts that are not cut have dots too, or the series' name glued to their last address.
    ignored_ending="…|(?<=[#/]){start}",
)
READER = Reader(
    title="Player FM",
    hosts=("player.fm", "ru.player.fm", "uk.player.fm", "www.player.fm"),
    min_with_text=0.9,
    recognises=layout.recognises,
    read=layout.parse_page_of_show,
)
