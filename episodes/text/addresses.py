"""Finds the addresses in prose and among the links of markup."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .public_addresses import is_public
from .urls import split

# Ends of names that make "name/path" an address without a scheme. Those that also end names of
# files and of code (py, sh, md, rs, so, is, to, at, me, in …) stay out.
ENDINGS = "com|org|net|edu|gov|io|dev|ai|fm|app|tv|info|de|fr|uk|ch|nl|eu|jp|ca|au|nz|se|dk|fi|cz|es|kr|cn|tw|ru|ua|br"
SHORT_HOSTS = r"youtu\.be|goo\.gl|bit\.ly|t\.co|git\.io|aka\.ms|fb\.me|hf\.co|huggingface\.co|lobste\.rs|docs\.rs"

# Where an address must end because of what it is, whatever word is glued to it.
_WHOLE = re.compile(
    r"(?i:https?://github\.com/[\w.-]+/[\w.-]+/(?:issues|pull|discussions)/\d+(?=[^\W\d_])"
    r"|https?://(?:\w+\.)?youtube\.com/watch\?v=[\w-]{11}(?=[\w-])"
    r"|https?://youtu\.be/[\w-]{11}(?=[\w-])"
    r"|https?://arxiv\.org/(?:abs|pdf)/\d{4}\.\d{5}(?:v\d+)?(?=[^\W\d_])(?!v\d)"
    r"|https?://[\w.-]+/t/[^/?#\s]+/\d+(?=[^\W\d_]))"
    r"|https?://docs\.google\.com/\w+/d/[\w-]+/(?:edit|view|preview)#(?=[A-Z])"
    r"|https?://[^?#\s]+/[^/?#\s]+?"
    r"\.(?:html?|pdf|py|ipynb|md|rst|txt|ya?ml|json|c|cc|cpp|cu|cuh|h|hpp)(?=[A-Z][a-z][^/\s]*$)"
)

# What may stand in an address. Letters of other scripts do (Тензор), unless glued to a Latin letter
# or digit; marks and symbols outside ASCII, dashes, quotes and the ellipsis among them, do not. Nor
# does another address, but in the query of one or behind the time of an archive.
_INSIDE = (
    r"(?:(?!(?<![=?])(?<!\d/)https?://)(?:[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~\u00c0-\u024f]"
    r"|(?<![0-9A-Za-z])(?![\x00-\u024f])\w))"
)
_NAME = r"(?:[A-Za-z0-9-]{1,63}\.){1,8}"
RUN = re.compile(
    rf"[Hh][Tt][Tt][Pp][Ss]?://{_INSIDE}*"
    r"|(?<![\w@./\-%&=?#~+$\\])(?<!javascript:)(?<!vbscript:)(?<!data:)(?<!mailto:)(?<!file:)"
    rf"(?:(?:{_NAME}(?:{ENDINGS})|{SHORT_HOSTS})(?::\d{{1,5}})?/{_INSIDE}*|www\.{_NAME}[a-z]{{2,24}}(?![\w-])(?:/{_INSIDE}*)?)"
)
# An address in prose, by its looks alone: what names, sentences and titles are not to be looked for
# in.
_LOOKS = re.compile(
    r"[a-z][a-z0-9+.-]{0,20}://\S+|www\.\S+|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}"
    rf"|(?<![\w./-])(?:[\w-]{{1,63}}\.){{1,4}}(?:{ENDINGS})(?:/\S*|(?![\w.(]|\.\w))",
    re.IGNORECASE,
)
# What any of these holds, found many times faster.
_COULD_LOOK = re.compile(rf"://|@|(?:www\.)|\.(?:{ENDINGS})(?![\w(])", re.IGNORECASE)
BLANK = "\0"  # neither word nor space
_MAIL = re.compile(
    r"<?[^\s<>(),;]{1,64}@[^\s<>(),;]{1,255}>?(?:\s*\(([^()]{0,200})\))?"
)  # "ada@x.example (Ada Roe)"
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_ELLIPSIS = re.compile(r"\.{3}|…|‥")
_CUT = re.compile(r"…|‥|\.{3}|\s*\Z")
_LEFT_OUT = re.compile(r"(?:\.{3}|…|‥)\Z")
_HOST = re.compile(
    r"(?:https?:)?//(?:[^\s/?#@]*@)?(?:(?:[\w-]+\.)+(?:[\w-]{2,}|\d)|\[[0-9a-f:.]+\])(?::\d+)?(?=[/?#]|$)",
    re.IGNORECASE,
)
# A host that browsers take for an IP address, and names that stand for the reader's own machine or
# network.
_NUMERIC = re.compile(r"\[.*\]|.*\.(?:\d+|0x[0-9a-f]*)")
_OWN_NETWORK = (".localhost", ".local", ".internal", ".home.arpa")
_TRAILING = ".,;:!?'*&"


@dataclass(frozen=True, slots=True)
class PlainText:
    """Markup as the text a reader sees: a line for each block; of each link first and last place
    and address."""

    text: str
    anchors: tuple[tuple[int, int, str], ...]


@dataclass(frozen=True, slots=True)
class TextSpan:
    """An address that stands at text[start:end], or is linked from the `words` there; `anchor` is
    the place of its link among those given, -1 if bare."""

    start: int
    end: int
    address: str
    anchor: int = -1
    words: str = ""


def addresses_in(flat: PlainText, cut: bool) -> list[TextSpan]:
    """Every http(s) address of a text and of its links, in their order, as often as it occurs; what
    is inside a link is not looked for.

    `cut` says that the text stops before its end: an address that touches the cut is none. Linear;
    never raises.
    """
    linked = [
        TextSpan(start, end, _LEFT_OUT.sub("", href), place, flat.text[start:end])
        for place, (start, end, href) in enumerate(flat.anchors)
        if not (cut and _is_cut_anchor(flat.text, start, end, href))
    ]
    masked, after = "", 0
    for start, end, _ in flat.anchors:
        masked += flat.text[after:start] + BLANK * (end - start)
        after = end
    masked += flat.text[after:]
    bare = [span for run in RUN.finditer(masked) for span in _trimmed(masked, *run.span(), cut)]
    return sorted(linked + bare, key=lambda span: (span.start, span.end))


def without_addresses(text: str) -> str:
    """The text with signs that mean nothing in place of its addresses, each where it was."""
    lines = text.split("\n")
    for place, line in enumerate(lines):
        if _COULD_LOOK.search(line):
            lines[place] = _LOOKS.sub(lambda found: BLANK * len(found[0]), line)
    return "\n".join(lines)


def without_mail(authors: str) -> str:
    """The names of authors without their mail addresses; all of it where there are only
    addresses."""
    return " ".join(_MAIL.sub(r"\1", authors).split()).strip(",; ") or authors


def link_address(address: str) -> str:
    """The target of a published address: itself, with the scheme it may lack."""
    return address if _SCHEME.match(address) else f"https://{address.removeprefix('//')}"


def _trimmed(text: str, start: int, end: int, cut: bool) -> Iterator[TextSpan]:
    """The address at the head of text[start:end], without marks that belong to the sentence around
    it; none that is cut off."""
    ellipsis = _ELLIPSIS.search(text, start, end)
    if ellipsis and "/compare/" not in text[start : ellipsis.start()]:
        end = ellipsis.start()
    whole = _WHOLE.match(text, start, end)
    closed = _balanced(text, start, whole.end() if whole else end)
    address = text[start:closed].rstrip(_TRAILING).removesuffix("'s")
    # The end of a text that is cut follows, or an ellipsis in place of what an address needs: some
    # sites put one behind all that they show.
    mark = _CUT.match(text, end)
    is_bare_host = "/" not in link_address(address).partition("://")[2]
    is_cut = mark is not None and (
        cut or (is_bare_host and bool(mark[0].strip())) or text.startswith("/", mark.end())
    )
    if not (closed == end and is_cut) and is_link(address):
        yield TextSpan(start, start + len(address), address)


def _balanced(text: str, start: int, end: int) -> int:
    """The end of an address without the brackets around it, or a remark in brackets glued to
    it."""
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


@lru_cache(maxsize=4096)  # asked again for each form of the notes
def is_link(address: str) -> bool:
    """The test for an http(s) address, with or without its scheme, of a host that every reader can
    reach."""
    parts = split(address) if _HOST.match(link_address(address)) else None
    if parts is None or parts.host.endswith(_OWN_NETWORK):
        return False
    return _NUMERIC.fullmatch(parts.host) is None or is_public(parts.host.strip("[]"))


def _is_cut_anchor(text: str, start: int, end: int, href: str) -> bool:
    """True if a link was made of an address that the text's end cuts off; one behind words is whole
    in any case."""
    words = text[start:end].strip()
    bare = _LEFT_OUT.sub("", words)
    is_address = link_address(bare).rstrip("/") == link_address(href).rstrip("/")
    is_at_cut = words != bare or _CUT.match(text, end) is not None
    return _LEFT_OUT.search(href) is not None or (is_address and is_at_cut)
