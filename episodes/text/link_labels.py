"""Labels of links for readers: names of kinds, and short names of targets."""

import re
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote

from .addresses import blank_addresses
from .urls import is_web_url, safe_urlsplit

MAX_LINK_TITLE_LENGTH = 150

# The kinds of the contract in the order in which a page shows them, each with the heading it stands
# under.
LINK_KIND_PLURALS = {
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

# Singular.
LINK_KIND_NAMES = {
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

# Names for sites with addresses that do not name their targets.
TITLES_OF_OPAQUE_ADDRESSES = {
    "gdoc": "Google document",
    "youtube": "Video on YouTube",
    "vimeo": "Video on Vimeo",
    "openreview": "Paper on OpenReview",
    "gist": "Gist",
}

# A text of only these words does not name the target of a link: "this blog post", "read more here".
POINTING = frozenset(
    "a an and article at blog by check click code details discussion doc docs document documentation episode for from "
    "full github here in info is issue it link links more my notes of on our out page paper please post pr pull read "
    "request see site source that the their these this to tutorial video watch web website wiki you your".split()
)


class LinkName(NamedTuple):
    """The names of a link: `name` if its `location` is shown beside it, such as a repository, and
    `full_name` if not."""

    name: str
    location: str
    full_name: str


# A key as a pattern, and the three parts of its name.
SPELLINGS = tuple(
    (re.compile(pattern, re.DOTALL), (name, location, full_name))
    for pattern, name, location, full_name in (
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
def link_name_of_key(link_key: str) -> LinkName:
    """Return the names of a link by its key: `gh:pytorch/pytorch:torch/csrc/a.cpp` has the name
    `torch/csrc/a.cpp` and the location `pytorch/pytorch`."""
    for pattern, templates in SPELLINGS:
        match = pattern.fullmatch(link_key)
        if match:
            name, location, full_name = map(match.expand, templates)
            return LinkName(
                name=_decoded_and_shortened(name),
                location=_decoded_and_shortened(location),
                full_name=_decoded_and_shortened(full_name),
            )
    name = _decoded_and_shortened(link_key)
    return LinkName(name=name, location="", full_name=name)


def title_or_name_of_link(title: str, key: str) -> str:
    """Return the title of a link, else the full name in its key. A search gives the key as the title."""
    return link_name_of_key(key).full_name if title in ("", key) else title


def _repository_of_link(link_key: str) -> str:
    """Return the GitHub repository in the key of a link: `pytorch/pytorch`, or ""."""
    match = re.match(r"gh:([^:#@/]+/[^:#@/]+)(?=[:#@/]|\Z)", link_key)
    return match[1] if match else ""


def _directory_of_source_file(link_key: str) -> str:
    # "gh:pytorch/pytorch:torch/csrc/a.cpp" is in "torch/csrc".
    _, _, path = link_key.partition(f"gh:{_repository_of_link(link_key)}:")
    return path.rpartition("/")[0]


def descriptive_link_text(text: str) -> str:
    """Return the text of a link if it names the target, or "" for addresses, numbers and "this post"."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    names_target = not POINTING.issuperset(words) and blank_addresses(text) == text
    return _decoded_and_shortened(" ".join(text.split())) if names_target else ""


def title_from_address_or_empty(link_key: str, link_kind: str, address: str) -> str:
    """Return a title made of words in the path of an address: "TH to ATen porting guide", or ""."""
    site_or_scheme, _, _ = link_key.partition(":")  # "youtube" of "youtube:dQw4w9WgXcQ", or "https"
    if site_or_scheme in TITLES_OF_OPAQUE_ADDRESSES:
        return TITLES_OF_OPAQUE_ADDRESSES[site_or_scheme]
    # "gh:pytorch/xla" is already a name, which says more than words of its address. A page of a wiki
    # there is named by its address: "gh:pytorch/pytorch/wiki/TH-to-ATen-porting-guide".
    is_page = link_kind == "wiki" or site_or_scheme.startswith("http")
    return _title_from_wordiest_part(safe_urlsplit(address).path) if is_page else ""


def _title_from_wordiest_part(path: str) -> str:
    # The part with the most words. Of equal parts the last, because `max` returns the first.
    words_of_last_parts_first = map(_words_of_path_part, reversed(path.split("/")))
    words = max(words_of_last_parts_first, key=len)
    title = " ".join(words)[:MAX_LINK_TITLE_LENGTH]
    # One word may be a name that begins with a small letter: "numpy".
    if len(words) > 1:
        title = title[:1].upper() + title[1:]
    return title


def _words_of_path_part(part: str) -> list[str]:
    """Return ["porting", "guide"] for "porting-guide.html", and [] for "index.html", "12" and "en"."""
    name = re.sub(r"\.\w{1,5}\Z", "", unquote(part))
    if re.fullmatch(r"index|\d+|.{1,2}", name):
        return []
    return re.findall(r"[^-_+\s]+", name)


def safe_href(address: str) -> str:
    """Return an address that a browser may follow, or "". A source could name one that runs a script."""
    return address if is_web_url(address) else ""


def _decoded_and_shortened(text: str) -> str:
    plain = "".join(filter(str.isprintable, unquote(text)))
    # 80 characters: 39, "…" and 40.
    return plain if len(plain) <= 80 else f"{plain[:39]}…{plain[-40:]}"


# --- Columns by which the indexes of links and symbols are sorted and grouped --------------------

# A repository has so many links of these kinds that they are listed under its name.
REPOSITORY_KINDS = ("github-issue", "github-pr", "github-commit", "github-code")
KIND_ORDER = {kind: position for position, kind in enumerate(LINK_KIND_PLURALS)}


def link_index_columns(key: str, kind: str) -> dict[str, Any]:
    """Return the columns of a link for the index of links, which ignores case and lists #260 before
    #13246."""
    # All numbers have 18 digits. "\\1" sorts before letters.
    sort_key = re.sub("[0-9]{1,18}", lambda number: f"\1{number[0]:0>18}", key.lower())
    repository = _repository_of_link(key)
    return {
        "kind_order": KIND_ORDER.get(kind, len(LINK_KIND_PLURALS)),
        "repository": repository,
        "heading": repository if kind in REPOSITORY_KINDS else "",
        "directory": _directory_of_source_file(key),
        "sort_key": sort_key[:120],  # PostgreSQL indexes 2,704 bytes of all columns together
    }


def symbol_index_columns(name: str) -> dict[str, str]:
    """Return the columns of a symbol for the index of symbols, which ignores case and signs before a
    name: `__torch_function__` sorts as `torch_function__`."""
    bare = (re.sub(r"^[\W_]+", "", name) or name).casefold()
    first = bare[:1].upper()
    return {"letter": first if first.isalpha() else "", "sort_name": bare}
