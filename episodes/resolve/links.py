"""Finds the addresses in show notes and says what each of them is: an issue, a source file, a paper, a talk …"""

from __future__ import annotations

import html as entities
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

import nh3

from ..text.public_addresses import is_public
from .urls import Parts, canonical, is_route, split, without_tail

# --- What an address is ----------------------------------------------------------------------------------------------

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


# --- Where the addresses are -----------------------------------------------------------------------------------------

# Ends of names that make "name/path" an address without a scheme. Those that also end names of files and of code
# (py, sh, md, rs, so, is, to, at, me, in …) stay out.
ENDINGS = "com|org|net|edu|gov|io|dev|ai|fm|app|tv|info|de|fr|uk|ch|nl|eu|jp|ca|au|nz|se|dk|fi|cz|es|kr|cn|tw|ru|ua|br"
SHORT_HOSTS = r"youtu\.be|goo\.gl|bit\.ly|t\.co|git\.io|aka\.ms|fb\.me|hf\.co|huggingface\.co|lobste\.rs|docs\.rs"

# Sites that take another address as the rest of their own; elsewhere "/https://" is the next address, glued on.
WRAPPERS = re.compile(
    r"https?://(?:web\.archive\.org|archive\.(?:is|ph|today|org)|r\.jina\.ai|12ft\.io|via\.hypothes\.is|sci-hub\.\w+"
    r"|webcache\.googleusercontent\.com|(?:\w+\.)?podtrac\.com|pdst\.fm|op3\.dev|chrt\.fm|chtbl\.com|mgln\.ai)/",
    re.IGNORECASE,
)

# Where an address must end because of what it is, whatever word is glued to it.
WHOLE = (
    r"https?://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull|discussions)/\d+(?=[^\W\d_])",
    r"https?://(?:\w+\.)?youtube\.com/watch\?v=[\w-]{11}(?=[\w-])",
    r"https?://youtu\.be/[\w-]{11}(?=[\w-])",
    r"https?://arxiv\.org/(?:abs|pdf)/\d{4}\.\d{5}(?:v\d+)?(?=[^\W\d_])(?!v\d)",
    r"https?://docs\.google\.com/\w+/d/[\w-]+/(?:edit|view|preview)#(?=[A-Z])",
    r"https?://[\w.-]+/t/[^/?#\s]+/\d+(?=[^\W\d_])",
    r"https?://[^?#\s]+/[^/?#\s]+?\.(?:html?|pdf|py|ipynb|md|rst|txt|ya?ml|json|c|cc|cpp|cu|cuh|h|hpp)(?=[A-Z][a-z][^/\s]*$)",
)

# What may stand in an address. Letters of other scripts do (Тензор), unless glued to a Latin letter or digit; marks
# and symbols outside ASCII, dashes, quotes and the ellipsis among them, do not.
_INSIDE = r"(?:[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~\u00c0-\u024f]|(?<![0-9A-Za-z])(?![\x00-\u024f])\w)"
_NAME = r"(?:[A-Za-z0-9-]{1,63}\.){1,8}"
_RUN = re.compile(
    rf"[Hh][Tt][Tt][Pp][Ss]?://{_INSIDE}*"
    r"|(?<![\w@./\-%&=?#~+$\\])(?<!javascript:)(?<!vbscript:)(?<!data:)(?<!mailto:)(?<!file:)"
    rf"(?:(?:{_NAME}(?:{ENDINGS})|{SHORT_HOSTS})(?::\d{{1,5}})?/{_INSIDE}*|www\.{_NAME}[a-z]{{2,24}}(?![\w-])(?:/{_INSIDE}*)?)"
)
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_ELLIPSIS = re.compile(r"\.{3}|…|‥")
_CUT = re.compile(r"(?:…|‥|\.{3}|\s*\Z)")
_HOST = re.compile(
    r"(?:https?:)?//(?:[^\s/?#@]*@)?(?:(?:[\w-]+\.)+(?:[\w-]{2,}|\d)|\[[0-9a-f:.]+\])(?::\d+)?(?=[/?#]|$)",
    re.IGNORECASE,
)
# A host that browsers take for an IP address, and names that stand for the reader's own machine or network.
_NUMERIC = re.compile(r"\[.*\]|.*\.(?:\d+|0x[0-9a-f]*)")
_OWN_NETWORK = re.compile(r".*\.(?:localhost|local|internal|home\.arpa)")
_KNOWN_HOST = re.compile(rf"https?://[^/?#]*\.(?:{ENDINGS})(?::\d+)?[/?#]?", re.IGNORECASE)
_WHOLE = tuple(re.compile(pattern, re.IGNORECASE if "A-Z" not in pattern else 0) for pattern in WHOLE)
_TRAILING = ".,;:!?'*&"
_POSSESSIVE = re.compile(r"'s\Z")


@dataclass(frozen=True, slots=True)
class FoundLink:
    """An address in the notes: as published, the words it is linked from ("" where it stands bare), and where it (or
    those words) begins in the text: `Flat.text` where the notes are markup, else the text given."""

    address: str
    text: str
    position: int


@dataclass(frozen=True, slots=True)
class PlainText:
    """Markup as the text a reader sees: a line for each block; of each link first and last place and address; and the
    `edges` where bold words and the like begin or end."""

    text: str
    anchors: tuple[tuple[int, int, str], ...]
    edges: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TextSpan:
    """An address that stands at text[start:end]; `anchor` is the place of its link among those given, -1 if bare."""

    start: int
    end: int
    address: str
    anchor: int = -1


@dataclass(frozen=True, slots=True)
class TextPiece:
    """One tag or one stretch of text of markup that is balanced; `raw` as it stands there, `text` decoded."""

    raw: str
    tag: str = ""
    closing: bool = False
    href: str = ""
    text: str = ""


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
        for span in found_in(flat, cut)
    )


def found_in(flat: PlainText, cut: bool) -> list[TextSpan]:
    """The addresses of a text and of its links, in their order; what is inside a link is not looked for."""
    linked = [
        TextSpan(start, end, _ELLIPSIS.sub("", href) if _ELLIPSIS.search(href[-4:]) else href, place)
        for place, (start, end, href) in enumerate(flat.anchors)
        if not (cut and _is_cut_anchor(flat.text, start, end, href))
    ]
    bare = list(_bare(_masked(flat), flat.edges, cut))
    return sorted(linked + bare, key=lambda span: (span.start, span.end))


def link_address(address: str) -> str:
    """Where a published address leads: itself, with the scheme it may lack."""
    if _SCHEME.match(address):
        return address
    return f"https:{address}" if address.startswith("//") else f"https://{address}"


def _bare(text: str, edges: Sequence[int], cut: bool) -> Iterator[TextSpan]:
    for run in _RUN.finditer(text):
        for start, end in _glued(text, run.start(), run.end()):
            yield from _trimmed(text, start, _label_after(text, edges, start, end), cut)


def _label_after(text: str, edges: Sequence[int], start: int, end: int) -> int:
    """Where words in bold with a capital are glued to an address ("https://a.org/b<b>Docs:</b>"), else its end."""
    inside = edges[bisect_right(edges, start) : bisect_left(edges, end)]
    return next((edge for edge in inside if text[edge].isupper()), end)


def _glued(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where each of several addresses without anything between them stands."""
    for scheme in _SCHEME.finditer(text, start + 1, end):
        if not _is_nested(text, start, scheme.start()):
            yield start, scheme.start()
            start = scheme.start()
    yield start, end


def _is_nested(text: str, start: int, place: int) -> bool:
    before = text[place - 1]
    if before == "/":
        return WRAPPERS.match(text, start) is not None
    return before == "=" or (before == "?" and place - start > len("https://"))


def _trimmed(text: str, start: int, end: int, cut: bool) -> Iterator[TextSpan]:
    """The address at the head of text[start:end], without marks that belong to the sentence around it."""
    ellipsis = _ELLIPSIS.search(text, start, end)
    if ellipsis and "/compare/" not in text[start : ellipsis.start()]:
        end = ellipsis.start()
    whole = next((found.end() for pattern in _WHOLE if (found := pattern.match(text, start, end))), end)
    closed = _balanced(text, start, whole)
    touches = closed == end and _CUT.match(text, end) is not None
    if touches and cut:
        return
    address = _POSSESSIVE.sub("", text[start:closed].rstrip(_TRAILING))
    left_out = _ELLIPSIS.match(text, end) if touches else None
    if left_out and (text.startswith("/", left_out.end()) or not _has_path_or_known_host(address)):
        return
    if is_link(address):
        yield TextSpan(start, start + len(address), address)


def _balanced(text: str, start: int, end: int) -> int:
    """Where the address ends that brackets around it, or a remark in brackets glued to it, leave."""
    opened: list[int] = []
    for place in range(start, end):
        character = text[place]
        if character in "([":
            opened.append(place)
        elif character in ")]":
            if not opened:
                return place
            opened.pop()
    return opened[0] if opened else end


def is_link(address: str) -> bool:
    """The test for an http(s) address, with or without its scheme, of a host that every reader can reach."""
    parts = split(address) if _HOST.match(link_address(address)) else None
    return parts is not None and _is_reachable(parts.host)


def _is_reachable(host: str) -> bool:
    if _NUMERIC.fullmatch(host):
        return is_public(host.strip("[]"))
    return _OWN_NETWORK.fullmatch(host) is None


def _has_path_or_known_host(address: str) -> bool:
    place = link_address(address).partition("://")[2]
    return "/" in place or _KNOWN_HOST.fullmatch(link_address(address)) is not None


def _masked(flat: PlainText) -> str:
    parts, after = [], 0
    for start, end, _ in flat.anchors:
        parts += [flat.text[after:start], "\0" * (end - start)]
        after = end
    return "".join(parts) + flat.text[after:]


def _is_cut_anchor(text: str, start: int, end: int, href: str) -> bool:
    """Whether a link was made of an address that the text's end cuts off; one behind words is whole in any case."""
    words = text[start:end].strip()
    if _ELLIPSIS.search(href[-4:]):
        return True
    bare = _ELLIPSIS.sub("", words)
    at_cut = _CUT.match(text, end) is not None or words != bare
    return at_cut and bool(bare) and link_address(bare).rstrip("/") == link_address(href).rstrip("/")


# --- Markup ----------------------------------------------------------------------------------------------------------

BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "dd",
        "details",
        "div",
        "dl",
        "dt",
        "figcaption",
        "figure",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "tfoot",
        "thead",
        "tr",
        "ul",
    ]
)
VOID = frozenset(["br", "hr"])
INLINE = frozenset(["a", "b", "br", "code", "em", "i", "strong", "td", "th"])
GONE = frozenset(
    [
        "audio",
        "button",
        "canvas",
        "embed",
        "iframe",
        "math",
        "noembed",
        "noframes",
        "noscript",
        "object",
        "option",
        "select",
        "script",
        "style",
        "svg",
        "template",
        "textarea",
        "title",
        "video",
        "xmp",
    ]
)
MANY_TAGS = 10_000  # far beyond any notes; the parser is slower than linear on nesting

_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)((?:\s+[a-z]+="[^"]*")*)\s*/?>')
_HREF = re.compile(r'\shref="([^"]*)"')
_IS_MARKUP = re.compile(r"<[A-Za-z/!?]")
_AUTOLINK = re.compile(r"<(https?://[^<>\s]+)>", re.IGNORECASE)
_ANY_TAG = re.compile(r"<[A-Za-z/!?][^<>]*>")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\xad]")  # and soft hyphens, which no reader sees
_LONE = re.compile(r"[\ud800-\udfff]")
_SPACES = re.compile(r"(\s+)")


def is_markup(html: str) -> bool:
    """Whether a field that may hold markup does; else it is text with entities at most."""
    return (
        len(html) - len(html.replace("<", "")) <= MANY_TAGS and _IS_MARKUP.search(_AUTOLINK.sub("", html)) is not None
    )


def storable(text: str) -> str:
    """The text without control characters and halves of characters, which neither parsers nor databases take."""
    return _LONE.sub("\ufffd", _CONTROLS.sub("", text))


def plain(html: str) -> str:
    """The text of a field that holds no markup; what looks like a tag in far too long a row of them is dropped."""
    text = storable(html)
    if len(text) - len(text.replace("<", "")) > MANY_TAGS:
        text = _ANY_TAG.sub(" ", text)
    return storable(entities.unescape(_AUTOLINK.sub(r"\1", text)))


def pieces(html: str, tags: frozenset[str] = BLOCKS | INLINE) -> list[TextPiece]:
    """Markup in pieces, with these tags, balanced; scripts, styles and what a browser runs or embeds are gone."""
    cleaned = cleaned_markup(html, tags)
    result, after = [], 0
    for found in _TAG.finditer(cleaned):
        if found.start() > after:
            result.append(_text_piece(cleaned[after : found.start()]))
        href = _HREF.search(found[3])
        result.append(TextPiece(found[0], found[2], bool(found[1]), entities.unescape(href[1]).strip() if href else ""))
        after = found.end()
    if after < len(cleaned):
        result.append(_text_piece(cleaned[after:]))
    return result


def cleaned_markup(html: str, tags: frozenset[str]) -> str:
    """Markup with only these tags and only http(s) links, safe to show, balanced."""
    return nh3.clean(
        _AUTOLINK.sub(r"&lt;\1&gt;", storable(html)),
        tags=set(tags),
        clean_content_tags=set(GONE),
        attributes={"a": {"href"}},
        url_schemes={"http", "https"},
        url_relative=_absolute,
        link_rel="nofollow noopener noreferrer",
    )


def flatten(html: str) -> PlainText:
    """Markup as text: blocks, list items and line breaks each on an own line, white space collapsed, entities decoded.

    Markup without a tag is text, whose own lines count.
    """
    if not is_markup(html):
        return PlainText("\n".join(line for raw in plain(html).splitlines() if (line := " ".join(raw.split()))), ())
    return _Flattener().flat(pieces(html))


class _Flattener:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.pending = ""
        self.pre = 0
        self.anchors: list[tuple[int, int, str]] = []
        self.edges: list[int] = []
        self.open: tuple[int, str] | None = None

    def flat(self, found: Sequence[TextPiece]) -> PlainText:
        for piece in found:
            if not piece.tag:
                self._text(piece.text)
            elif piece.tag == "a":
                self._anchor(piece)
            else:
                self._break(piece)
        return PlainText("".join(self.parts), tuple(self.anchors), tuple(self.edges))

    def _break(self, piece: TextPiece) -> None:
        if piece.tag in BLOCKS or piece.tag == "br":
            self.pending = "\n"
        elif piece.tag in {"td", "th"}:
            self.pending = self.pending or " "
        elif piece.tag:
            self.edges.append(self.length)
        if piece.tag == "pre":
            self.pre += -1 if piece.closing else 1

    def _text(self, text: str) -> None:
        for part in _SPACES.split(text):
            if part and part.isspace():
                self.pending = "\n" if self.pending == "\n" or (self.pre and "\n" in part) else " "
            elif part:
                self._write(part)

    def _write(self, word: str) -> None:
        if self.parts and self.pending:
            self._append(self.pending)
        self.pending = ""
        if self.open and self.open[0] < 0:
            self.open = (self.length, self.open[1])
        self._append(word)

    def _append(self, text: str) -> None:
        self.parts.append(text)
        self.length += len(text)

    def _anchor(self, piece: TextPiece) -> None:
        if not piece.closing:
            self.open = (-1, piece.href) if is_link(piece.href) else None
        elif self.open:
            start, href = self.open
            self.anchors.append((start if start >= 0 else self.length, self.length, href))
            self.open = None


def _absolute(address: str) -> str | None:
    """The address of a link that lacks its scheme; None for one that only means something on its own site."""
    stripped = address.strip()
    if stripped.startswith("//") or _RUN.fullmatch(stripped):
        return stripped
    return None


def _text_piece(raw: str) -> TextPiece:
    return TextPiece(raw, text=storable(entities.unescape(raw)))
