"""Addresses in show notes and the kind of thing that each leads to: an issue, a source file, a
paper, a talk …"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from urllib.parse import unquote

from ..text.addresses import PlainText
from ..text.markup import flatten
from ..text.urls import Parts, canonical, is_route, split, without_tail
from ..text.vocabulary import alternatives, load, place

_DATA = load(__file__, "links")

# Patterns for the names in braces in the paths of data/links.toml.
_PARTS = {
    "repo": rf"(?!(?:{alternatives(_DATA['not_owners'])})/)(?P<repo>[\w.-]+/[\w.-]+?)(?:\.git)?(?=[/?]|$)",
    "file": r"(?P<file>[^?]*[^/?])/?(?=\?|$)",
    "n": r"(?P<n>\d+)(?!\w)",
    "sha": r"(?P<sha>[0-9a-fA-F]{6,64})(?!\w)",
    "gist": r"(?P<gist>[0-9a-f]{8,})",
    "arxiv": r"(?P<arxiv>\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v(?P<version>\d+))?(?:\.pdf)?/?(?=\?|$)",
    "video": r"(?P<video>[\w-]{11})(?![\w-])",
    "id": r"(?P<id>[\w-]+)",
    "doi": r"(?P<doi>10\.\d{4,9}/[^?]+)",
    "version": r"(?P<version>stable|latest|main|master|nightly|dev|devel|current|release|(?:[a-z]+-)?v?\d+(?:\.\w+)+|v\d\w*)",
    "edition": r"(?P<version>current|devel|\d{1,2}(?:\.\d+)*)",
    "release": r"v?\d[^/?]*",
    "name": r"(?P<name>[^/?.]*[^\d/?.][^/?.]*)",
    "post": r"(?P<post>\d+)",
    "page": r"(?P<page>[^/?]+)",
    # The page of an episode, not its audio or transcript, and not the list of all.
    "own": (
        r"(?P<page>(?!index\.)(?![^/?]*\.(?:m4[abv]|mp[34]|og[ag]|opus|wav|txt|vtt|srt|xml|rss|json"
        r"|pdf|jpe?g|png)/?(?:\?|$))[^/?]+)"
    ),
    "host": r"(?P<host>\w+\.\w+)(?=/)",
    "begin": r"(?=\w)",
    "year": r"(?:19|20)\d\d",
    "month": r"\d\d?",
    "end": r"/?(?=\?|$)",
}
_REPOSITORY = re.compile(r"\Agh:([\w.-]+/[\w.-]+)")


@cache
def _template(written: str) -> re.Pattern[str]:
    """The pattern of a path or place in data/links.toml; a word at its end is a whole part."""
    return re.compile(
        place(written, _PARTS) + ("" if written[-1] in "/}]*" else "(?=[/?]|$)"), re.IGNORECASE
    )


_BRANCHES = [
    place(branch.rstrip("/"), _PARTS) + "(?=/[^/?])" * branch.endswith("/")
    for branch in _DATA["branches"]
]
_PARTS["ref"] = f"(?P<ref>(?>{'|'.join(_BRANCHES)}|[^/?]+))"


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The thing that a link leads to: its kind and its typed identity (contract: link kinds and
    keys)."""

    kind: str
    key: str


def identify_link(address: str, own_sites: frozenset[str] = frozenset()) -> LinkTarget:
    """The target of an address. `own_sites`, hosts without "www.", serve this show's episode pages.
    Equal for an address and its canonical form; never raises."""
    parts = split(address)
    if parts is None:
        return LinkTarget("other", canonical(address))
    if parts.site in own_sites and (own := _template(_DATA["episode"]).match(parts.path)):
        name = without_tail(f"/{own['page']}", parts.host).lstrip("/")
        return LinkTarget("episode", f"episode:{_readable(name)}")
    kind, key, found = _ruled(parts)
    values = {name: _FOLDS.get(name, str)(value) for name, value in found.items()}
    return LinkTarget(
        kind, key.format(site=parts.site, **values) if key else _page(kind, parts, found)
    )


def folded_key(key: str) -> str:
    """A key with the name of its repository in small letters: GitHub takes any case."""
    return _REPOSITORY.sub(lambda found: found[0].lower(), key)


@cache
def _rules_of(site: str) -> list[tuple[str, re.Pattern[str], str]]:
    """The rules for a host: kind, path and key."""
    return [
        (rule["kind"], _template(path), rule.get("key", ""))
        for rule in _DATA["rules"]
        if any(fnmatchcase(site, host) for host in rule["hosts"].split())
        for path in rule["paths"]
    ]


def _ruled(parts: Parts) -> tuple[str, str, dict[str, str]]:
    """Kind and key by the first rule that fits, with the parts that its path names."""
    asked = f"{parts.path}?{parts.query}".removesuffix("?")
    for kind, path, key in _rules_of(parts.site):
        if found := path.match(asked):
            return kind, key, found.groupdict("")
    return "other", "", {}


def _readable(path: str) -> str:
    plain = unquote(path, errors="replace")
    return plain if plain.isprintable() and "\ufffd" not in plain else path


_FOLDS: dict[str, Callable[[str], str]] = {
    "sha": str.lower,
    "arxiv": str.lower,
    "file": _readable,
    "doi": lambda name: _readable(name).rstrip("/").lower(),
}


def _page(kind: str, parts: Parts, found: Mapping[str, str]) -> str:
    """The address of a page; of a known kind without the place on it, in one spelling for the hosts
    that serve it, and of documentation whatever version it is of."""
    if kind == "other":
        return parts.address()
    page = f"{parts.site if kind in {'docs', 'wiki'} else parts.host}{parts.path}"
    for written, same in _DATA["same_pages"]:
        if known := _template(written).match(page):
            rest = page[known.end() :].removeprefix("/" * same.endswith("/"))
            page = same.format(**known.groupdict()) + rest
    if found.get("version"):
        newest = "latest" if ".readthedocs." in page else "stable"
        page = page.replace(f"/{found['version']}/", f"/{newest}/", 1)
    fragment = parts.fragment if is_route(parts.fragment) else ""
    host, slash, path = page.partition("/")
    return parts._replace(host=host, path=slash + path, fragment=fragment).address()


def flat_of(html: str, text: str) -> PlainText:
    """The notes as a reader sees them, be they markup or, without any, text."""
    return flatten(html) if html.strip() else PlainText(text, ())
