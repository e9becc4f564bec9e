"""The targets of addresses in show notes: an issue, a source file, a paper, a talk …"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from urllib.parse import unquote

from ..text.addresses import PlainText
from ..text.markup import plain_text_of_markup
from ..text.urls import (
    UrlParts,
    canonical_address_parts_or_none,
    canonical_url,
    drop_id_suffix,
    is_fragment_route,
)
from ..text.vocabulary import load_vocabulary, pattern_of_wildcard_address, pattern_of_words

_DATA = load_vocabulary(__file__, "links")

# Patterns for the names in braces in the paths of data/links.toml.
_PATH_PARTS = {
    "repo": rf"(?!(?:{pattern_of_words(_DATA['not_owners'])})/)(?P<repo>[\w.-]+/[\w.-]+?)(?:\.git)?(?=[/?]|$)",
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


@cache
def _path_pattern(written: str) -> re.Pattern[str]:
    """Return the pattern of a path or page in data/links.toml. A word at its end is a whole part:
    "/pull" matches "/pull/12" and not "/pulls"."""
    ends_in_word = written[-1] not in "/}]*"
    end = "(?=[/?]|$)" if ends_in_word else ""
    return re.compile(pattern_of_wildcard_address(written, _PATH_PARTS) + end, re.IGNORECASE)


_BRANCHES = []
for _branch in _DATA["branches"]:
    # "release/" is the first part of the name of a branch, so another part must follow.
    _more = "(?=/[^/?])" if _branch.endswith("/") else ""
    _BRANCHES.append(pattern_of_wildcard_address(_branch.rstrip("/"), _PATH_PARTS) + _more)
_PATH_PARTS["ref"] = f"(?P<ref>(?>{'|'.join(_BRANCHES)}|[^/?]+))"


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """The target of a link: its kind and its typed identity."""

    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class LinkRule:
    """A rule for the paths of a site. Without a key the address of the page is the key."""

    kind: str
    path: re.Pattern[str]
    key: str


def identify_link(address: str, publisher_sites: frozenset[str] = frozenset()) -> LinkTarget:
    """Return the target of an address, the same for its canonical form. Never raises.

    `publisher_sites` are hosts, without "www.", of this show's episode pages.
    """
    parts = canonical_address_parts_or_none(address)
    if parts is None:
        return LinkTarget("other", canonical_url(address))
    episode = _path_pattern(_DATA["episode"]).match(parts.path)  # "/podcast/clouds"
    if episode and parts.site in publisher_sites:
        # Some hosts put an id behind the name: "clouds-Ab12cd_-".
        name = drop_id_suffix(f"/{episode['page']}", parts.host).lstrip("/")
        return LinkTarget("episode", f"episode:{_unquote_path(name)}")
    path_and_query = f"{parts.path}?{parts.query}".removesuffix("?")
    # The first rule counts. "/ada/loom/issues/12" has the values {"repo": "ada/loom", "n": "12"}.
    for rule in _link_rules_of_site(parts.site):
        match = rule.path.match(path_and_query)
        if match:
            values = match.groupdict(default="")
            return LinkTarget(rule.kind, _make_link_key(rule, parts, values))
    return LinkTarget("other", parts.address())


def fold_link_key(key: str) -> str:
    """Return a key with its repository in small letters, because GitHub takes any case."""
    return re.sub(r"\Agh:([\w.-]+/[\w.-]+)", lambda repository: repository[0].lower(), key)


@cache
def _link_rules_of_site(site: str) -> list[LinkRule]:
    rules = []
    for rule in _DATA["rules"]:
        # "developer.mozilla.org", "*.edu"
        if any(fnmatchcase(site, host) for host in rule["hosts"].split()):
            for path in rule["paths"]:
                rules.append(LinkRule(rule["kind"], _path_pattern(path), rule.get("key", "")))
    return rules


def _make_link_key(rule: LinkRule, parts: UrlParts, values: Mapping[str, str]) -> str:
    """Return the key that all spellings of an address have in common, such as "doi:10.1000/182"."""
    # The kind "other" is of a PDF on any site, which keeps its whole address.
    if rule.kind == "other":
        return parts.address()
    if not rule.key:
        return _canonical_page_address(rule.kind, parts, values.get("version", ""))
    # The template of the rule uses some of these values. The others may be "".
    doi = _unquote_path(values.get("doi", "")).rstrip("/").lower()
    normalized_values = {
        "site": parts.site,
        "sha": values.get("sha", "").lower(),
        "arxiv": values.get("arxiv", "").lower(),
        "file": _unquote_path(values.get("file", "")),
        "doi": doi,
    }
    return rule.key.format_map({**values, **normalized_values})


def _unquote_path(path: str) -> str:
    """Return a path with its escapes as characters, or as it is if one cannot be printed."""
    plain = unquote(path, errors="replace")
    return plain if plain.isprintable() and "\ufffd" not in plain else path


def _canonical_page_address(kind: str, parts: UrlParts, version: str) -> str:
    """Return the address of a page, the same for all hosts that serve the page and for all versions of
    documentation. `version` is the version in the address, or ""."""
    # Documentation and wikis are taken to be the same without "www.". Other sites may not be.
    host = parts.site if kind in {"docs", "wiki"} else parts.host
    page = _page_at_main_host(f"{host}{parts.path}")  # "docs.loom.example/2.1/guide"
    if version:  # "2.1" becomes "stable"
        # Every project on Read the Docs has "latest", but "stable" only after its first release.
        newest = "latest" if ".readthedocs." in page else "stable"
        page = page.replace(f"/{version}/", f"/{newest}/", 1)
    main_host, slash, path = page.partition("/")
    # A fragment that is a route ("#/guide") names a page. Any other names a place on it, and is dropped.
    fragment = parts.fragment if is_fragment_route(parts.fragment) else ""
    return parts._replace(host=main_host, path=slash + path, fragment=fragment).address()


def _page_at_main_host(page: str) -> str:
    """Return the address of the same page at the host that stands for all hosts that serve it. Both
    addresses are without scheme."""
    # "{name}.m.wikipedia.org/" and "{name}.wikipedia.org/"
    for beginning_pattern, main_beginning in _DATA["same_pages"]:
        match = _path_pattern(beginning_pattern).match(page)
        if match:
            other_beginning: str = main_beginning.format(**match.groupdict())
            return other_beginning + page[match.end() :].removeprefix("/")
    return page


def plain_text_of_notes(html: str, text: str) -> PlainText:
    return plain_text_of_markup(html) if html.strip() else PlainText(text, ())
