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
    "outputs",
    "page",
    "people_and_names",
    "shows",
    "suggestions",
    "times",
    "topics",
]
