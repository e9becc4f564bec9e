"""The pages of readers; `urls.py` says at which address each is."""

__all__ = [
    "about",
    "changes",
    "episode",
    "links",
    "lists",
    "mcp",
    "moments",
    "outputs",
    "page",
    "people_and_names",
    "shows",
    "suggestions",
    "times",
    "topics",
]
