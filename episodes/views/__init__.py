"""The pages of readers; `urls.py` says at which address each is."""

__all__ = [
    "about_site",
    "episode",
    "links",
    "lists",
    "mcp",
    "moments",
    "outputs",
    "page",
    "shows",
    "sources",
    "suggestions",
    "things",
    "times",
]
