"""The category page of the host's blog: posts that end in "Read more...", which give title and
summary to links."""

from ...listings import LineLayout
from . import Reader

layout = LineLayout(
    site_name="ezyang's blog",
    entry_description='post that ends in "Read more..."',
    end=r"^read more|\bread more\s*(?:\.\.\.|…|»|→)",
    noise="image",
    all_paragraphs=True,
    title_line=True,
    min_prose_words=12,  # words that no title and no line below it has
)
READER = Reader(
    title="ezyang's blog",
    hosts=("blog.ezyang.com",),
    min_with_text=0.5,
    recognises=layout.recognises,
    read=layout.parse_page_of_show,
)
