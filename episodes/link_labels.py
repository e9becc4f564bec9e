"""How a reader meets a link: the name of its kind, and a short name for what its key stands for."""

from __future__ import annotations

import re
from urllib.parse import unquote

LONGEST = 80

# The kinds of the contract in the order in which a page shows them, each with the heading it stands under.
KINDS = {
    "episode": "Episodes",
    "github-issue": "Issues",
    "github-pr": "Pull requests",
    "github-commit": "Commits",
    "github-code": "Source files",
    "github-repo": "Repositories",
    "docs": "Documentation",
    "paper": "Papers",
    "blog": "Posts",
    "forum": "Discussions",
    "wiki": "Wiki pages",
    "gdoc": "Google documents",
    "video": "Videos",
    "other": "Elsewhere",
}

# A key as a pattern, its name, and what stands beside the name: where it is kept.
SPELLINGS = tuple(
    (re.compile(pattern, re.DOTALL), name, place)
    for pattern, name, place in (
        (r"gh:([^:#@]+):(.+)", r"\2", r"\1"),
        (r"gh:(.+?)/wiki/(.+)", r"\2", r"\1"),
        (r"gh:(.+@\w{10})\w*", r"\1", ""),
        (r"gh:(.+)", r"\1", ""),
        (r"gist:(.+)", r"\1", "gist.github.com"),
        (r"arxiv:(.+)", r"arXiv \1", ""),
        (r"doi:(.+)", r"doi \1", ""),
        (r"openreview:(\w{8})\w*", r"\1…", "openreview.net"),
        (r"youtube:(.+)", r"\1", "youtube.com"),
        (r"vimeo:(.+)", r"\1", "vimeo.com"),
        (r"gdoc:(.{8}).*", r"\1…", "docs.google.com"),
        (r"episode:(.+)", r"\1", ""),
        (r"https?://(?:www\.)?([^/]+)/(?:t|questions|comments)/(\w+)", r"#\2", r"\1"),
        (r"https?://(?:www\.)?([^/]+)/(.+?)/?", r"\2", r"\1"),
        (r"https?://(?:www\.)?([^/]+)/?", r"\1", ""),
    )
)


def named(key: str) -> tuple[str, str]:
    """A short name for a key and the place it is in: `("torch/csrc/jit/OVERVIEW.md", "pytorch/pytorch")`."""
    for pattern, name, place in SPELLINGS:
        if found := pattern.fullmatch(key):
            return _readable(found.expand(name)), _readable(found.expand(place))
    return _readable(key), ""


def _readable(text: str) -> str:
    plain = "".join(c for c in unquote(text) if c.isprintable())
    if len(plain) <= LONGEST:
        return plain
    half = LONGEST // 2
    return f"{plain[: half - 1]}…{plain[-half:]}"
