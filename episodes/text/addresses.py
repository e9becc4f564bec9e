"""Addresses in prose and in the links of markup."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from .public_addresses import is_public_ip
from .urls import canonical_address_parts_or_none, is_web_url

# Ends of hosts in addresses without a scheme, as in "name.com/path". Endings of files and of code
# (py, sh, md, rs, so, is, to, at, me, in …) are left out.
_HOST_ENDINGS = "com|org|net|edu|gov|io|dev|ai|fm|app|tv|info|de|fr|uk|ch|nl|eu|jp|ca|au|nz|se|dk|fi|cz|es|kr|cn|tw|ru|ua|br"
_SHORT_HOSTS = r"youtu\.be|goo\.gl|bit\.ly|t\.co|git\.io|aka\.ms|fb\.me|hf\.co|huggingface\.co|lobste\.rs|docs\.rs"


# A character of an address. Letters of other scripts are (Тензор), unless glued to a Latin letter or
# digit. Dashes, quotes and the ellipsis are not. Another address begins only in the query, or behind
# the time of an archive.
_ADDRESS_CHARACTER = (
    r"(?:(?!(?<![=?])(?<!\d/)https?://)(?:[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~\u00c0-\u024f]"
    r"|(?<![0-9A-Za-z])(?![\x00-\u024f])\w))"
)
_HOST_NAME = r"(?:[A-Za-z0-9-]{1,63}\.){1,8}"
WRITTEN_ADDRESS = re.compile(
    rf"[Hh][Tt][Tt][Pp][Ss]?://{_ADDRESS_CHARACTER}*"
    r"|(?<![\w@./\-%&=?#~+$\\])(?<!javascript:)(?<!vbscript:)(?<!data:)(?<!mailto:)(?<!file:)"
    rf"(?:(?:{_HOST_NAME}(?:{_HOST_ENDINGS})|{_SHORT_HOSTS})(?::\d{{1,5}})?/{_ADDRESS_CHARACTER}*|www\.{_HOST_NAME}[a-z]{{2,24}}(?![\w-])(?:/{_ADDRESS_CHARACTER}*)?)"
)
# An address in prose, by its looks alone. Names, sentences and titles are not searched in it.
LOOKS_LIKE_ADDRESS = re.compile(
    r"[a-z][a-z0-9+.-]{0,20}://\S+|www\.\S+|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}"
    rf"|(?<![\w./-])(?:[\w-]{{1,63}}\.){{1,4}}(?:{_HOST_ENDINGS})(?:/\S*|(?![\w.(]|\.\w))",
    re.IGNORECASE,
)
# A part of each of these addresses. It is found many times faster.
_MAY_HAVE_ADDRESS = re.compile(rf"://|@|(?:www\.)|\.(?:{_HOST_ENDINGS})(?![\w(])", re.IGNORECASE)
BLANK_CHARACTER = "\0"  # neither word nor space
_FINAL_ELLIPSIS = re.compile(r"(?:\.{3}|…)\Z")
_END_OR_ELLIPSIS = re.compile(r"…|‥|\.{3}|\s*\Z")


class LinkAnchor(NamedTuple):
    """A link at text[start:end]."""

    start: int
    end: int
    href: str


@dataclass(frozen=True, slots=True)
class PlainText:
    """Markup as the text a reader sees, with a line for each block, and its links."""

    text: str
    anchors: tuple[LinkAnchor, ...]


@dataclass(frozen=True, slots=True)
class TextSpan:
    """An address at text[start:end], or a link there: its `words`, and its index among the links."""

    start: int
    end: int
    address: str
    link_index: int = -1  # of a bare address
    words: str = ""


def find_spans_of_web_addresses(plain_text: PlainText, *, is_cut: bool) -> list[TextSpan]:
    """Return the span of every http(s) address of a text and of its links, in their order, as often
    as it occurs.

    The words of links are not searched: `<a href="https://a.example/1">a.example/…</a>` is one address. If the
    text `is_cut`, an address that touches its end is left out. Linear. Never raises.
    """
    spans = spans_of_complete_links(plain_text, is_cut=is_cut)
    without_links = _blank_words_of_links(plain_text)
    for match in WRITTEN_ADDRESS.finditer(without_links):
        start, end = match.span()
        span = _public_address_span_or_none(without_links, start, end, is_cut_text=is_cut)
        if span:
            spans.append(span)
    return sorted(spans, key=lambda span: span.start)


def spans_of_complete_links(plain_text: PlainText, *, is_cut: bool) -> list[TextSpan]:
    spans = []
    for index, link in enumerate(plain_text.anchors):
        is_incomplete = is_cut and _is_link_target_cut_off(plain_text.text, link)
        if not is_incomplete:
            words = plain_text.text[link.start : link.end]
            spans.append(TextSpan(link.start, link.end, link.href, link_index=index, words=words))
    return spans


def _blank_words_of_links(plain_text: PlainText) -> str:
    """Return the text with blanks in place of the words of its links, so that positions stay."""
    without_links = ""
    last_end = 0
    for start, end, _ in plain_text.anchors:
        without_links += plain_text.text[last_end:start]
        without_links += BLANK_CHARACTER * (end - start)
        last_end = end
    return without_links + plain_text.text[last_end:]


def _is_link_target_cut_off(text: str, anchor: LinkAnchor) -> bool:
    """Return whether a site made a link of an address that was cut off before: the words are the whole
    address of the link, up to an ellipsis or the end of the text. For `https://a.example/pa…` the link leads to
    `https://a.example/pa`. A link whose words differ from its address is never cut."""
    words = text[anchor.start : anchor.end].strip()
    address = _FINAL_ELLIPSIS.sub("", words)
    target = _FINAL_ELLIPSIS.sub("", anchor.href).rstrip("/")
    if target != address_with_scheme(address).rstrip("/"):
        return False
    ends_in_ellipsis = address != words
    return ends_in_ellipsis or _END_OR_ELLIPSIS.match(text, anchor.end) is not None


def _public_address_span_or_none(
    text: str, start: int, end: int, *, is_cut_text: bool
) -> TextSpan | None:
    """Return the span of the address at the head of text[start:end], without punctuation of the
    sentence around it, or None if it is cut off or of a private host."""
    up_to_bracket = _up_to_unpaired_bracket(text[start:end])
    end_with_punctuation = start + len(up_to_bracket)
    address = up_to_bracket.rstrip(".,;:!?'*").removesuffix("'s")
    if _is_address_cut_at(text, address, end_with_punctuation, is_cut_text=is_cut_text):
        return None
    if not is_public_link(address):
        return None
    return TextSpan(start, start + len(address), address)


def _up_to_unpaired_bracket(address: str) -> str:
    """Return "https://loom.example/wiki/Warp_(weft)" of the same with ")." behind it: its own brackets are pairs,
    and the last bracket is of a remark around it."""
    # Characters, and pairs of brackets. It matches any text, if only with "".
    pairs = re.match(
        r"(?: [^()\[\]] | \([^()\[\]]*\) | \[[^()\[\]]*\] )*", address, flags=re.VERBOSE
    )
    return pairs[0]  # type: ignore[index]


def _is_address_cut_at(text: str, address: str, end: int, *, is_cut_text: bool) -> bool:
    """Return whether an address that ends at a position of a text is cut off there."""
    ellipsis_or_end = _END_OR_ELLIPSIS.match(text, end)
    if ellipsis_or_end is None:
        return False  # "example.org/page is": words follow
    if is_cut_text:
        return True  # a cut text may lack a part of an address at its end, or before an ellipsis
    # "example.org…" lacks a path. "example.org/page…" is complete: some sites end all their texts with "…".
    _, _, host_and_path = address_with_scheme(address).partition("://")
    is_bare_host = "/" not in host_and_path
    is_ellipsis = ellipsis_or_end[0].strip() != ""
    lacks_path = is_bare_host and is_ellipsis
    lacks_middle_of_path = text.startswith("/", ellipsis_or_end.end())  # "example.org/…/page"
    return lacks_path or lacks_middle_of_path


def blank_addresses(text: str) -> str:
    """Return a text of the same length with BLANK_CHARACTER in place of its addresses."""
    blanked_lines = []
    for line in text.split("\n"):
        if _MAY_HAVE_ADDRESS.search(line):  # saves time: most lines have none
            line = LOOKS_LIKE_ADDRESS.sub(blanks_of_same_length, line)
        blanked_lines.append(line)
    return "\n".join(blanked_lines)


def blanks_of_same_length(match: re.Match[str]) -> str:
    return BLANK_CHARACTER * len(match[0])


def drop_mail_addresses(authors: str) -> str:
    """Return the names of authors without their mail addresses, or all if there are only addresses."""
    # "ada@x.example (Ada Roe)" becomes "Ada Roe".
    names = re.sub(
        r"<?[^\s<>(),;]{1,64}@[^\s<>(),;]{1,255}>?(?:\s*\(([^()]{0,200})\))?", r"\1", authors
    )
    # "Ada Roe (ada@x.example)" has empty brackets now.
    names = re.sub(r"\(\s*\)", "", names)
    return " ".join(names.split()).strip(",; ") or authors


def address_with_scheme(address: str) -> str:
    return address if is_web_url(address) else f"https://{address.removeprefix('//')}"


@lru_cache(maxsize=4096)  # each form of the notes has the same addresses
def is_public_link(address: str) -> bool:
    """Return whether this is an http(s) address of a public host. It may lack its scheme."""
    parts = canonical_address_parts_or_none(address)
    if parts is None or not _has_well_written_host(address):
        return False
    # Hosts of the reader's own machine or network.
    if parts.host.endswith((".localhost", ".local", ".internal", ".home.arpa")):
        return False
    # Browsers take such a host for an IP address: "[::1]", "10.0.0.1", "10.0.0.0x1".
    is_ip = re.fullmatch(r"\[.*\]|.*\.(?:\d+|0x[0-9a-f]*)", parts.host) is not None
    return not is_ip or is_public_ip(parts.host.strip("[]"))


def _has_well_written_host(address: str) -> bool:
    """Return False for "https://loom", and for errors that a canonical form hides: "https://loom.example.",
    "https://loom .example" with a tab in it, "https://loom.example:/"."""
    well_written = re.match(
        r"""
        https?://
        (?: [^\s/?\#@]*@ )?                      # "name:password@"
        (?: (?:[\w-]+\.)+ (?:[\w-]{2,}|\d)       # "loom.example", "10.0.0.1"
        | \[[0-9a-f:.]+\] )                      # "[::1]"
        (?: :\d+ )?                              # ":8000"
        (?= [/?\#] | $ )
        """,
        address_with_scheme(address),
        flags=re.IGNORECASE | re.VERBOSE,
    )
    return well_written is not None
