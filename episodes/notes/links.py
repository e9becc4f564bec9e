"""Finds the addresses in show notes and says what each of them is: an issue, a source file, a paper, a talk …"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from ..text.addresses import PlainText, addresses_in
from ..text.markup import flatten
from ..text.urls import Parts, canonical, is_route, split, without_tail

# Spellings that occur inside the patterns below as {name}.
WORDS = {
    "repo": r"(?!(?:about|apps|collections|customer-stories|enterprise|explore|features|login|marketplace|notifications"
    r"|orgs|pricing|readme|search|security|settings|site|sponsors|stars|topics|trending|users)/)"
    r"(?P<repo>[\w.-]+/[\w.-]+?)(?:\.git)?(?=[/?]|$)",
    # A branch may hold slashes and nothing in an address says where it ends: these are the customary ones that do.
    "ref": r"(?P<ref>(?>refs/(?:heads|tags)/[^/?]+|gh/[^/?]+/\d+/(?:orig|head|base)|releases?/v?\d[^/?]*|viable/strict"
    r"|(?:feature|features|users)/[^/?]+(?=/[^/?])|[^/?]+))",
    "file": r"(?P<file>[^?]*[^/?])/?(?=\?|$)",
    "n": r"(?P<n>\d+)(?!\w)",
    "sha": r"(?P<sha>[0-9a-fA-F]{6,64})(?!\w)",
    "arxiv": r"(?P<arxiv>\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v(?P<version>\d+))?(?:\.pdf)?/?(?=\?|$)",
    "video": r"(?P<video>[\w-]{11})(?![\w-])",
    "id": r"(?P<id>[\w-]+)",
    "doi": r"(?P<doi>10\.\d{4,9}/[^?]+)",
    "version": r"(?P<version>stable|latest|main|master|nightly|dev|devel|current|release|(?:[a-z]+-)?v?\d+(?:\.\w+)+|v\d\w*)",
    "edition": r"(?P<version>current|devel|\d{1,2}(?:\.\d+)*)",
    "end": r"/?(?=\?|$)",
}

# kind, hosts (of which * is any part), path and query, key; the first line that fits holds. Without a key it is the
# canonical address of the page. "www." does not count.
RULES = (
    ("github-issue", "github.com", r"/{repo}/issues/{n}", "gh:{repo}#{n}"),
    ("github-pr", "github.com", r"/{repo}/pull/{n}", "gh:{repo}#{n}"),
    ("github-commit", "github.com", r"/{repo}/commits?/{sha}", "gh:{repo}@{sha}"),
    ("github-repo", "github.com", r"/{repo}/(?:tree|blob)/{ref}{end}", "gh:{repo}"),
    ("github-code", "github.com", r"/{repo}/(?:blob|tree|raw|blame|edit)/{ref}/{file}", "gh:{repo}:{file}"),
    ("github-code", "raw.githubusercontent.com", r"/{repo}/{ref}/{file}", "gh:{repo}:{file}"),
    ("github-code", "colab.research.google.com", r"/github/{repo}/blob/{ref}/{file}", "gh:{repo}:{file}"),
    ("github-code", "gist.github.com", r"/(?:[\w-]+/)?(?P<id>[0-9a-f]{8,})", "gist:{id}"),
    ("wiki", "github.com", r"/{repo}/wiki/{file}", "gh:{repo}/wiki/{file}"),
    ("wiki", "github.com", r"/{repo}/wiki{end}", "gh:{repo}/wiki"),
    ("forum", "github.com", r"/{repo}/discussions/{n}", "gh:{repo}#{n}"),
    ("github-repo", "github.com", r"/{repo}{end}", "gh:{repo}"),
    ("video", "youtube.com *.youtube.com", r"/(?:watch)?/?\?(?:.*&)?v={video}", "youtube:{video}"),
    ("video", "youtube.com *.youtube.com youtube-nocookie.com", r"/(?:embed|shorts|live|v)/{video}", "youtube:{video}"),
    ("video", "youtu.be", r"/{video}", "youtube:{video}"),
    ("video", "youtube.com *.youtube.com youtu.be", r"/(?:watch|playlist|embed|shorts|live|clip)\b", ""),
    ("video", "vimeo.com player.vimeo.com", r"/(?:video/)?{n}", "vimeo:{n}"),
    ("video", "*.twitch.tv twitch.tv loom.com", r"/(?:videos|share)/", ""),
    ("gdoc", "docs.google.com", r"/(?:a/[^/]+/)?(?:\w+/)?(?:u/\d+/)?d/(?:e/)?{id}", "gdoc:{id}"),
    ("gdoc", "drive.google.com colab.research.google.com", r"/(?:\w+/)*?(?:d|folders|drive)/{id}", "gdoc:{id}"),
    ("gdoc", "drive.google.com docs.google.com", r"/\w+\?(?:.*&)?id={id}", "gdoc:{id}"),
    ("gdoc", "docs.google.com", r"/", ""),
    ("paper", "arxiv.org *.arxiv.org ar5iv.org alphaxiv.org", r"/(?:abs|pdf|html|ps|src)/{arxiv}", "arxiv:{arxiv}"),
    ("paper", "huggingface.co hf.co", r"/papers/{arxiv}", "arxiv:{arxiv}"),
    ("paper", "doi.org dx.doi.org", r"/10\.48550/arxiv\.{arxiv}", "arxiv:{arxiv}"),
    ("paper", "openreview.net", r"/pdf/(?P<id>[\w-]+)\.pdf", "openreview:{id}"),
    ("paper", "openreview.net", r"/\w+\?(?:.*&)?id={id}", "openreview:{id}"),
    ("paper", "doi.org dx.doi.org", r"/{doi}", "doi:{doi}"),
    ("paper", "dl.acm.org *.wiley.com", r"/doi/(?:\w+/)?{doi}", "doi:{doi}"),
    ("paper", "papers.nips.cc papers.neurips.cc proceedings.* aclanthology.org jmlr.org *.thecvf.com", r"/.", ""),
    ("paper", "*.semanticscholar.org semanticscholar.org", r"/paper/", ""),
    ("paper", "ieeexplore.ieee.org dl.acm.org link.springer.com sciencedirect.com usenix.org", r"/\w+/.", ""),
    ("forum", "stackoverflow.com *.stackexchange.com serverfault.com superuser.com askubuntu.com mathoverflow.net",
     r"/q(?:uestions)?/{n}", "https://{site}/questions/{n}"),
    ("forum", "*", r"/t/(?:[^/?]*[^\d/?][^/?]*/)?{n}(?:/(?P<post>\d+))?{end}", "https://{site}/t/{n}"),
    ("forum", "stackoverflow.com *.stackexchange.com news.ycombinator.com groups.google.com", r"/.", ""),
    ("forum", "reddit.com *.reddit.com", r"/r/(?P<sub>\w+)/comments/{id}", "https://reddit.com/comments/{id}"),
    ("forum", "discuss.* *-discuss.* discourse.* forum.* forums.* community.* lists.* lobste.rs", r"/", ""),
    ("wiki", "*.wikipedia.org wikipedia.org *.fandom.com wiki.*", r"/", ""),
    ("blog", "blog.* blogs.* *.blog medium.com *.medium.com *.substack.com", r"/", ""),
    ("blog", "*.wordpress.com *.ghost.io *.tumblr.com", r"/", ""),
    ("blog", "*.blogspot.com dev.to *.hashnode.dev towardsdatascience.com engineering.* jvns.ca horace.io", r"/", ""),
    ("blog", "*", r"/(?:[\w~-]+/)*blogs?(?:/|{end})", ""),
    ("docs", "docs.* doc.* *.docs.* *.readthedocs.io *.readthedocs.org *.rtfd.io", r"(?:/[^/?]+)*?/{version}/", ""),
    ("docs", "docs.* doc.* *.docs.* *.readthedocs.io *.readthedocs.org *.rtfd.io *.cppreference.com", r"/", ""),
    ("docs", "pytorch.org *.pytorch.org numpy.org scipy.org cmake.org tensorflow.org", r"/\w[^?]*?/{version}/", ""),
    ("docs", "pytorch.org", r"/(?:docs|tutorials|cppdocs|audio|vision|text|xla|functorch|ignite|data)(?:/|{end})", ""),
    ("docs", "pytorch.org", r"/(?:ao|executorch|torchx|torchtune|serve|TensorRT|hub|get-started)(?:/|{end})", ""),
    ("docs", "numpy.org cmake.org", r"/(?:doc|neps|devdocs|documentation|cmake/help)(?:/|{end})", ""),
    ("docs", "peps.python.org packaging.python.org man7.org learn.microsoft.com devdocs.io", r"/.", ""),
    ("docs", "tensorflow.org", r"/(?:api_docs|guide|tutorials|versions|xla)\b", ""),
    ("docs", "developer.mozilla.org mlir.llvm.org scikit-learn.org onnx.ai triton-lang.org", r"/.", ""),
    ("docs", "openxla.org nvidia.github.io pytorch.github.io", r"/.", ""),
    ("docs", "postgresql.org", r"/docs/{edition}/", ""),
    ("docs", "*", r"/(?:[^/?]+/)*?(?:docs?|documentation|manual|reference)/(?:[^/?]+/){0,2}{version}/", ""),
    ("paper", "*", r"/[^?]*\.pdf{end}", ""),
    ("wiki", "*", r"/(?:[\w~-]+/)*wiki/.", ""),
    ("docs", "*", r"/(?:[^/?]+/)*(?:docs?|documentation|onlinedocs|manual|reference|tutorials?)(?:/|{end})", ""),
    ("blog", "*", r"/(?:[\w~-]+/)?(?:19|20)\d\d/\d\d?/(?:\d\d?/)?[^/?]+", ""),
    ("blog", "*", r"/(?:[\w~-]+/)?posts?/.", ""),
)  # fmt: skip

# Places of "host/path" that serve the same pages: pattern, and how it is spelled in a key.
SAME_PAGES = (
    (r"^docs\.pytorch\.org/(?=\w)", "pytorch.org/"),
    (r"^([\w-]+)\.(?:readthedocs\.org|rtfd\.io|rtfd\.org)/", r"\1.readthedocs.io/"),
    (r"^docs\.jax\.dev/", "jax.readthedocs.io/"),
    (r"^docs\.python\.org/3(?:\.\d+)?/", "docs.python.org/3/"),
    (r"^(?:www\.)?python\.org/dev/peps/(pep-\d+)", r"peps.python.org/\1"),
    (r"^docs\.nvidia\.com/cuda/archive/[\d.]+/", "docs.nvidia.com/cuda/"),
    (r"^(\w+)\.m\.wikipedia\.org/", r"\1.wikipedia.org/"),
    (r"^m\.(?=\w+\.\w+/)", ""),
)

# GitHub takes any case in the names of owners and repositories; keys take lower case but for names known otherwise.
SPELLED = {name.lower(): name for name in ("zdevito/ATen", "NVIDIA/apex", "NVIDIA/cutlass", "NVIDIA/Megatron-LM")}


_EPISODE = re.compile(r"/(?:.*/)?(?:episodes?|podcasts?|e|ep)/([^/?]+)/?(?=\?|$)")
_LINES = re.compile(r"L(\d+)(?:C\d+)?(?:-L?(\d+)(?:C\d+)?)?")
_SECONDS = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s?)?")
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d\d)")
_START = re.compile(r"(?:^|[?&#])(?:t|start|time_continue)=([\dhms:]{1,12})(?=[&#]|$)")


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """What a link leads to: its kind and its typed identity (contract: link kinds and keys)."""

    kind: str
    key: str


@lru_cache(maxsize=8192)  # a resolve asks again for what the last one asked
def identify(address: str, own_hosts: frozenset[str] = frozenset()) -> LinkTarget:
    """What an address leads to. `own_hosts` serve this show's episode pages. Equal for an address and its canonical
    form; never raises."""
    parts = split(address)
    if parts is None:
        return LinkTarget("other", canonical(address))
    slug = _episode(parts, own_hosts)
    if slug:
        return LinkTarget("episode", f"episode:{slug}")
    kind, key, found = _ruled(parts)
    if kind == "other":
        return LinkTarget(kind, parts.address())
    return LinkTarget(kind, key.format(site=parts.site, **_folded(found)) if key else _page(kind, parts, found))


def details(address: str) -> dict[str, object]:
    """What identity leaves out, where the address says it: `ref` (branch, tag or sha), `lines` (first, last), `start`
    in seconds, `version` of docs or a paper, `post` in a thread, `section` of a page. Never raises."""
    parts = split(address)
    if parts is None:
        return {}
    kind, _, found = _ruled(parts)
    said: dict[str, object] = {name: found[name] for name in ("ref", "version", "post") if found.get(name)}
    lines = _lines(parts.fragment) if kind == "github-code" else None
    start = _start(parts) if kind in {"video", "other"} else None
    if lines:
        said["lines"] = lines
    elif start is not None:
        said["start"] = start
    elif parts.fragment and kind != "other" and not is_route(parts.fragment):
        said["section"] = unquote(parts.fragment)
    return said


def _compiled(hosts: str, path: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    globs = (re.escape(host).replace(r"\*", r"[\w.-]+") for host in hosts.split())
    for name, pattern in WORDS.items():
        path = path.replace(f"{{{name}}}", pattern)
    return re.compile("|".join(globs)), re.compile(path, re.IGNORECASE)


_RULES = tuple((kind, *_compiled(hosts, path), key) for kind, hosts, path, key in RULES)
_SAME_PAGES = tuple((re.compile(pattern), spelled) for pattern, spelled in SAME_PAGES)


def _ruled(parts: Parts) -> tuple[str, str, dict[str, str]]:
    asked = parts.path + (f"?{parts.query}" if parts.query else "")
    for kind, host, path, key in _RULES:
        if host.fullmatch(parts.site) and (found := path.match(asked)):
            return kind, key, {name: value for name, value in found.groupdict().items() if value is not None}
    return "other", "", {}


def _folded(found: dict[str, str]) -> dict[str, str]:
    folds = {"repo": _repository, "file": _readable, "sha": str.lower, "doi": _doi, "arxiv": str.lower}
    return {name: folds.get(name, str)(value) for name, value in found.items()}


def _repository(name: str) -> str:
    return SPELLED.get(name.lower(), name.lower())


def _readable(path: str) -> str:
    plain = unquote(path, errors="replace")
    return plain if plain.isprintable() and "\ufffd" not in plain else path


def _doi(name: str) -> str:
    return _readable(name).rstrip("/").lower()


def _page(kind: str, parts: Parts, found: dict[str, str]) -> str:
    """The address of a page without place on the page, in one spelling for the hosts and versions that serve it."""
    place = f"{parts.site if kind in {'docs', 'wiki'} else parts.host}{parts.path}"
    for pattern, spelled in _SAME_PAGES if not parts.port else ():
        place = pattern.sub(spelled, place)
    if kind == "docs" and found.get("version"):
        place = place.replace(f"/{found['version']}/", "/latest/" if ".readthedocs." in place else "/stable/", 1)
    query = "&".join(part for part in parts.query.split("&") if kind != "docs" or not part.startswith("highlight="))
    fragment = parts.fragment if is_route(parts.fragment) else ""
    host, slash, path = place.partition("/")
    return parts._replace(host=host, path=slash + path, query=query, fragment=fragment).address()


def _among(parts: Parts, hosts: Iterable[str]) -> bool:
    return parts.site in {host.lower().removeprefix("www.") for host in hosts}


def _episode(parts: Parts, own_hosts: frozenset[str]) -> str:
    found = _EPISODE.match(parts.path) if _among(parts, own_hosts) else None
    if found is None:
        return ""
    slug = found[1]
    if parts.host.endswith(".simplecast.com"):
        slug = without_tail(f"/{slug}").lstrip("/")
    return _readable(slug)


def _lines(fragment: str) -> tuple[int, int] | None:
    found = _LINES.fullmatch(fragment[:40])
    if found is None:
        return None
    first, last = int(found[1]), int(found[2] or found[1])
    return min(first, last), max(first, last)


def _start(parts: Parts) -> int | None:
    found = _START.search(f"?{parts.query}#{parts.fragment}")
    if found is None:
        return None
    spelled = _CLOCK.fullmatch(found[1]) or _SECONDS.fullmatch(found[1])
    if spelled is None:
        return None
    hours, minutes, seconds = (int(group or 0) for group in spelled.groups())
    return hours * 3600 + minutes * 60 + seconds


@dataclass(frozen=True, slots=True)
class FoundLink:
    """An address in the notes: as published, the words it is linked from ("" where it stands bare), and where it (or
    those words) begins in the text: `Flat.text` where the notes are markup, else the text given."""

    address: str
    text: str
    position: int


def mentions(html: str, text: str, cut: bool) -> tuple[FoundLink, ...]:
    """Every http(s) address in the notes, in their order, as often as it occurs. Markup rules where there is any.

    `cut` says that the text stops before its end: an address that touches the cut is none. Linear; never raises.
    """
    return mentions_in(flat_of(html, text), cut)


def flat_of(html: str, text: str) -> PlainText:
    """The notes as a reader sees them, be they markup or, without any, text."""
    return flatten(html) if html.strip() else PlainText(text, ())


def mentions_in(flat: PlainText, cut: bool) -> tuple[FoundLink, ...]:
    """The mentions of notes that were made flat already."""
    return tuple(
        FoundLink(span.address, flat.text[span.start : span.end] if span.anchor >= 0 else "", span.start)
        for span in addresses_in(flat, cut)
    )
