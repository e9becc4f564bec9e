"""The category page of the host's blog: posts that end in "Read more...", which give title and
summary to links."""

from ...listings import LineLayout

TITLE = "ezyang's blog"
HOSTS = ("blog.ezyang.com",)
MIN_WITH_TEXT = 0.5

LAYOUT = LineLayout(
    sign=TITLE,
    like='post that ends in "Read more..."',
    end=r"^read more|\bread more\s*(?:\.\.\.|…|»|→)",
    noise="image",
    whole=True,
    titled=True,
    prose=12,  # words that no title and no line below it has
)
recognises, read = LAYOUT.recognises, LAYOUT.read
