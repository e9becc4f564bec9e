"""How a reader meets a link: the name of its kind, and a short name for what its key stands for."""

from __future__ import annotations

import re
from typing import NamedTuple
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

# One of each.
ONE = {
    "episode": "Episode",
    "github-issue": "Issue",
    "github-pr": "Pull request",
    "github-commit": "Commit",
    "github-code": "Source file",
    "github-repo": "Repository",
    "docs": "Documentation",
    "paper": "Paper",
    "blog": "Post",
    "forum": "Discussion",
    "wiki": "Wiki page",
    "gdoc": "Google document",
    "video": "Video",
    "other": "Page",
}

REPOSITORY = re.compile(r"gh:([^:#@/]+/[^:#@/]+)(?:[:#@/].*)?", re.DOTALL)


class LinkName(NamedTuple):
    """What a link is called: beside the place that keeps it, that place, and where nothing beside it says the place."""

    name: str
    place: str
    whole: str


# A key as a pattern, and the three parts of its name.
SPELLINGS = tuple(
    (re.compile(pattern, re.DOTALL), (name, place, whole))
    for pattern, name, place, whole in (
        (r"gh:([^:#@]+):(.+)", r"\2", r"\1", r"\2"),
        (r"gh:(.+?)/wiki/(.+)", r"\2", r"\1", r"\1 wiki: \2"),
        (r"gh:(.+@\w{10})\w*", r"\1", "", r"\1"),
        (r"gh:(.+)", r"\1", "", r"\1"),
        (r"gist:(.+)", r"\1", "gist.github.com", r"gist \1"),
        (r"arxiv:(.+)", r"arXiv \1", "", r"arXiv \1"),
        (r"doi:(.+)", r"doi \1", "", r"doi \1"),
        (r"openreview:(\w{8})\w*", r"\1…", "openreview.net", r"OpenReview \1…"),
        (r"youtube:(.+)", r"\1", "youtube.com", r"YouTube \1"),
        (r"vimeo:(.+)", r"\1", "vimeo.com", r"Vimeo \1"),
        (r"gdoc:(.{8}).*", r"\1…", "docs.google.com", r"Google document \1…"),
        (r"episode:(.+)", r"\1", "", r"\1"),
        (r"https?://(?:www\.)?([^/]+)/(?:t|questions|comments)/(\w+)", r"#\2", r"\1", r"\1 #\2"),
        (r"https?://(?:www\.)?([^/]+)/(.+?)/?", r"\2", r"\1", r"\1/\2"),
        (r"https?://(?:www\.)?([^/]+)/?", r"\1", "", r"\1"),
    )
)


def named(key: str) -> LinkName:
    """The name of what a key stands for: `("torch/csrc/jit/OVERVIEW.md", "pytorch/pytorch", …)`."""
    for pattern, parts in SPELLINGS:
        if found := pattern.fullmatch(key):
            return LinkName(*(_readable(found.expand(part)) for part in parts))
    return LinkName(_readable(key), "", _readable(key))


def repository(key: str) -> str:
    """The GitHub repository that keeps what a key stands for: `pytorch/pytorch`; "" where none does."""
    found = REPOSITORY.fullmatch(key)
    return found[1] if found else ""


def followable(address: str) -> str:
    """An address that a browser may follow from a page, else "": a source could name one that runs a script."""
    return address if address.lower().startswith(("http://", "https://")) else ""


def _readable(text: str) -> str:
    plain = "".join(c for c in unquote(text) if c.isprintable())
    if len(plain) <= LONGEST:
        return plain
    half = LONGEST // 2
    return f"{plain[: half - 1]}…{plain[-half:]}"
