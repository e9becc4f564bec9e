"""The addresses of the site in a copy: which file each is, and how pages of the copy name it."""

import re
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from html import escape, unescape
from urllib.parse import parse_qsl, quote, unquote, urldefrag, urljoin, urlsplit

# What only a server can answer.
SERVED_ONLY = re.compile(
    r"/(?:admin|mcp|search|sources\.json|suggest|time|healthz|readyz|livez|llms-full\.txt)(?:/|$)"
)
# The filters that the copy's script knows (static/js/published.js).
FILTERS = {
    *("q", "topic", "year", "month", "person", "podcast"),
    *("length", "min_minutes", "max_minutes", "sort"),
}
# A start page whose address Django spells as it is given.
HOME = re.compile(
    r"https?://(?:[a-z\d.-]+|\[[a-f\d:]+\])(?::\d{1,5})?(?:/[\w~-][\w.~-]*)*/?", re.ASCII
)
LIST = "/episodes/"
# Attributes of our own pages that hold addresses; of links with the beginning of their tags.
REFERENCE = re.compile(r'(<a\b[^>]*?)? (href|src|content)="([^"]*)"')
# Other forms of a page; a feed of some episodes of a list has no file.
ALTERNATE = re.compile(r'<link rel="alternate"[^>]*? href="([^"]*)"[^>]*>\n?')
LINK = re.compile(r'<a\b[^>]*? href="([^"]*)"[^>]*>[^<]*</a>')
SITEMAP_ROW = re.compile(r"<url><loc>([^<]*)</loc>.*?</url>", re.DOTALL)
FORM = re.compile(r'<form\b[^>]*? action="([^"]*)".*?</form>', re.DOTALL)


@dataclass(frozen=True)
class Addresses:
    """Addresses of a copy whose start page is `home`, without its slash. Inside this package an
    address of the site is what follows that: `/episodes/?page=2`."""

    home: str

    @property
    def prefix(self) -> str:
        """The path of the start page; "" at the root of a host."""
        return urlsplit(self.home).path

    def inner(self, given: str, page: str) -> str | None:
        """An address on a page as one of the site; None for one elsewhere."""
        whole, _ = urldefrag(urljoin(self.home + page, unescape(given)))
        return whole[len(self.home) :] if whole.startswith(f"{self.home}/") else None

    def page_in_copy(self, html: str, page: str) -> tuple[str, list[str]]:
        """A page as the copy has it, and the addresses of the site that it names.

        What only a server could answer leads nowhere: such links and forms go.
        """
        named: dict[str, None] = {}
        html = ALTERNATE.sub(lambda link: link[0] if self.is_kept(link[1], page) else "", html)
        html = FORM.sub(lambda form: form[0] if self.inner(form[1], page) == LIST else "", html)
        html = LINK.sub(lambda link: "" if self.is_served(link[1], page) else link[0], html)
        html = REFERENCE.sub(partial(self._reference, page, named), html)
        return html, [*filter(file_of, named)]

    def _reference(self, page: str, named: dict[str, None], found: re.Match[str]) -> str:
        """An attribute of a page as the copy has it; what it names is added to `named`."""
        link, name, given = found.groups(default="")
        address = self.inner(given, page)
        if address is None or address.startswith("/static/"):
            return found[0]
        path, _, query = address.partition("?")
        is_file = bool(file_of(address))
        named[address if is_file else path] = None
        if is_filter(path, query) or (is_file and not query):
            return found[0]
        if not is_file:
            return link or found[0]
        start = self.home if given.startswith("http") else self.prefix
        return f'{link} {name}="{escape(start + public(address))}"'

    def is_kept(self, given: str, page: str) -> bool:
        """True for an address elsewhere, and for one of which the copy has the file."""
        address = self.inner(given, page)
        return address is None or bool(file_of(address))

    def is_served(self, given: str, page: str) -> bool:
        """True for an address at which only a server answers."""
        return bool(SERVED_ONLY.match(self.inner(given, page) or ""))

    def text_in_copy(self, text: str) -> tuple[str, list[str]]:
        """The same of a file that is no page: a feed, a sitemap, Markdown."""
        text = SITEMAP_ROW.sub(lambda row: "" if self.is_served(row[1], "/") else row[0], text)
        pattern = rf"{re.escape(self.home)}(/[^\s\"'<>\\&()\]#]*)"
        named = [*filter(file_of, dict.fromkeys(re.findall(pattern, text)))]
        for address in named:
            if "?page=" in address:
                text = text.replace(self.home + address, self.home + public(address))
        return text, named


def is_filter(path: str, query: str) -> bool:
    """True for an address that the copy's script makes of the list, or of an episode's page."""
    asked = dict(parse_qsl(query))
    return path.startswith(LIST) and bool(asked) and (path != LIST or asked.keys() <= FILTERS)


def file_of(address: str) -> str:
    """The file of an address of the site; "" where the copy has none."""
    path, _, query = address.partition("?")
    asked = dict(parse_qsl(query, keep_blank_values=True))
    if (
        SERVED_ONLY.match(path)
        or not asked.keys() <= {"key", "page"}
        or path.startswith("/static/")
    ):
        return ""
    if key := asked.get("key"):
        path += f"{sha256(key.encode()).hexdigest()[:16]}/"
    name, number = unquote(path).lstrip("/"), asked.get("page", "1")
    if name.endswith("/") or not name:
        return f"{name}{'' if number == '1' else f'page/{number}/'}index.html"
    stem, dot, ending = name.rpartition(".")
    # A name without an ending leads on to another page.
    return (name if number == "1" else f"{stem}.page-{number}.{ending}") if dot else ""


def public(address: str) -> str:
    """The path at which the copy serves the file of an address."""
    return f"/{quote(file_of(address).removesuffix('index.html'))}"
