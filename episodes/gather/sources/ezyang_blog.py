"""The category page of the host's blog: posts that end in "Read more...", which give title and
summary to links."""

from ...listings import LineLayout

TITLE = "ezyang's blog"
HOSTS = ("blog.ezyang.com",)
MIN_WITH_TEXT = 0.5

LAYOUT = LineLayout(
    site_name=TITLE,
    entry_description='post that ends in "Read more..."',
    end=r"^read more|\bread more\s*(?:\.\.\.|…|»|→)",
    noise="image",
    all_paragraphs=True,
    title_line=True,
    min_prose_words=12,  # words that no title and no line below it has
)
recognises, read = LAYOUT.recognises, LAYOUT.read_entries_of_show
