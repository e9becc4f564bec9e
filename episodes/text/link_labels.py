"""Labels of links for readers: the name of the kind, and a short name of what the key is about."""

import re
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote

from .addresses import without_addresses
from .urls import is_web, taken_apart

LONGEST = 80
LONGEST_TITLE = 150

# The kinds of the contract in the order in which a page shows them, each with the heading it stands
# under.
KINDS = {
    "episode": "Episodes",
    "github-issue": "Issues",
    "github-pr": "Pull requests",
    "github-commit": "Commits",
    "github-code": "Source files",
    "github-repo": "Repositories",
    "docs": "Documentation",
    "paper": "Papers",
    "blog": "Blog posts",
    "forum": "Forum threads",
    "wiki": "Wiki pages",
    "gdoc": "Google documents",
    "video": "Videos",
    "other": "Web pages",
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
    "blog": "Blog post",
    "forum": "Forum thread",
    "wiki": "Wiki page",
    "gdoc": "Google document",
    "video": "Video",
    "other": "Web page",
}

# What sites are called whose addresses say nothing of what they lead to.
OPAQUE = {
    "gdoc": "Google document",
    "youtube": "Video on YouTube",
    "vimeo": "Video on Vimeo",
    "openreview": "Paper on OpenReview",
    "gist": "Gist",
}

_WORDS = re.compile(r"[^-_+\s]+")
_ENDING = re.compile(r"\.\w{1,5}\Z")  # of a file
_NO_NAME = re.compile(r"\A(?:index|\d+|.{1,2})\Z")
_LETTERS = re.compile(r"[^\W\d_]+")
REPOSITORY = re.compile(r"gh:([^:#@/]+/[^:#@/]+)(?:[:#@/].*)?", re.DOTALL)
# A text of nothing but these points at a link without naming it: "this blog post", "read more
# here".
POINTING = frozenset(
    "a an and article at blog by check click code details discussion doc docs document documentation episode for from "
    "full github here in info is issue it link links more my notes of on our out page paper please post pr pull read "
    "request see site source that the their these this to tutorial video watch web website wiki you your".split()
)


class LinkName(NamedTuple):
    """The names of a link: beside the place that keeps it, of that place, and where nothing beside
    the link names the place."""

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


@lru_cache(maxsize=2_000)
def named(key: str) -> LinkName:
    """The name of what a key stands for: `("torch/csrc/jit/OVERVIEW.md", "pytorch/pytorch", …)`."""
    for pattern, parts in SPELLINGS:
        if found := pattern.fullmatch(key):
            return LinkName(*map(_readable, map(found.expand, parts)))
    return LinkName(_readable(key), "", _readable(key))


def repository(key: str) -> str:
    """The GitHub repository that keeps what a key stands for: `pytorch/pytorch`; "" where none
    does."""
    found = REPOSITORY.fullmatch(key)
    return found[1] if found else ""


def directory(key: str) -> str:
    """The directory of a source file inside its repository: `torch/csrc/jit`; "" at the top and for
    what is no file."""
    _, _, path = key.partition(f"gh:{repository(key)}:")
    return path.rpartition("/")[0]


def telling(text: str) -> str:
    """The text of a link where it names what the link leads to; "" for addresses, numbers and "this
    post"."""
    words = _LETTERS.findall(text.lower())
    is_telling = not POINTING.issuperset(words) and without_addresses(text) == text
    return _readable(" ".join(text.split())) if is_telling else ""


def title_of_address(key: str, kind: str, address: str) -> str:
    """A title made of the words in an address: "TH to ATen porting guide"; "" where it has none."""
    scheme = key.partition(":")[0]
    if scheme in OPAQUE:
        return OPAQUE[scheme]
    if kind != "wiki" and not scheme.startswith("http"):
        return ""
    parts = reversed(taken_apart(address).path.split("/"))
    named = (_NO_NAME.sub("", _ENDING.sub("", unquote(part))) for part in parts)
    words = max(map(_WORDS.findall, named), key=len)
    title = " ".join(words)[:LONGEST_TITLE]
    return title[:1].upper() + title[1:] if len(words) > 1 else title


def followable(address: str) -> str:
    """An address that a browser may follow from a page, else "": a source could name one that runs
    a script."""
    return address if is_web(address) else ""


def _readable(text: str) -> str:
    plain = "".join(filter(str.isprintable, unquote(text)))
    half = LONGEST // 2
    return plain if len(plain) <= LONGEST else f"{plain[: half - 1]}…{plain[-half:]}"


# --- Columns by which the indexes of links and symbols are sorted and grouped --------------------

# Of these a repository keeps so many that they are listed under its name.
KEPT = ("github-issue", "github-pr", "github-commit", "github-code")
LONGEST_SORT_KEY = 120  # with the columns before it no more than an index of PostgreSQL takes
KIND_ORDER = {kind: place for place, kind in enumerate(KINDS)}


def of_link(key: str, kind: str) -> dict[str, Any]:
    """The columns of a link that place it in the index of links, any case alike and #260 before
    #13246."""
    # A number has as many digits as the longest, behind what sorts first.
    sort_key = re.sub("[0-9]{1,18}", lambda number: f"\1{number[0]:0>18}", key.lower())
    return {
        "kind_order": KIND_ORDER.get(kind, len(KINDS)),
        "repository": repository(key),
        "heading": repository(key) if kind in KEPT else "",
        "directory": directory(key),
        "sort_key": sort_key[:LONGEST_SORT_KEY],
    }


def of_symbol(name: str) -> dict[str, str]:
    """The columns of a symbol that place it in the index of symbols, without case and the signs
    before it: `__torch_function__` sorts as `torch_function__`."""
    bare = (re.sub(r"^[\W_]+", "", name) or name).casefold()
    first = bare[:1].upper()
    return {"letter": first if first.isalpha() else "", "sort_name": bare}
