"""The pages of readers; `urls.py` says at which address each is."""

__all__ = [
    "about",
    "changes",
    "elsewhere",
    "episode",
    "links",
    "lists",
    "machines",
    "mcp",
    "moments",
    "names",
    "outputs",
    "page",
    "shows",
    "suggestions",
    "times",
    "topics",
]
