"""The addresses of a copy: the file of each address, and how pages of the copy name it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape, unescape
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, unquote, urldefrag, urljoin, urlsplit

from ..text.fingerprints import stable_hash

# An address of a start page that Django leaves as it is.
HOME_ADDRESS = re.compile(
    r"https?://(?:[a-z\d.-]+|\[[a-f\d:]+\])(?::\d{1,5})?(?:/[\w~-][\w.~-]*)*/?", re.ASCII
)
_EPISODE_LIST = "/episodes/"


class LinkedText(NamedTuple):
    """A page or file as the copy has it, and the addresses of the site that it names."""

    text: str
    addresses: list[str]


@dataclass(frozen=True)
class CopyAddresses:
    """The addresses of a copy. `home` is the address of its start page without the last slash.

    In this package an address of the site is the rest behind `home`: `/episodes/?page=2`.
    """

    home: str

    @property
    def prefix(self) -> str:
        """Return the path of the start page; "" at the root of a host."""
        return urlsplit(self.home).path

    def site_address(self, link: str, page_address: str) -> str | None:
        """Return a link on a page as an address of the site; None for a link to another site."""
        absolute, _ = urldefrag(urljoin(self.home + page_address, unescape(link)))
        if not absolute.startswith(f"{self.home}/"):
            return None
        return absolute[len(self.home) :]

    def convert_page(self, html: str, page_address: str) -> LinkedText:
        """Return a page as the copy has it, without links and forms that only a server could answer."""
        linked_addresses: dict[str, None] = {}

        def keep_alternate(link: re.Match[str]) -> str:
            return link[0] if self._has_file(link[1], page_address) else ""

        def keep_form(form: re.Match[str]) -> str:
            return form[0] if self.site_address(form[1], page_address) == _EPISODE_LIST else ""

        def keep_link(link: re.Match[str]) -> str:
            return "" if self._is_served(link[1], page_address) else link[0]

        def convert_attribute(attribute: re.Match[str]) -> str:
            return self._convert_attribute(attribute, page_address, linked_addresses)

        html = _ALTERNATE_LINK.sub(keep_alternate, html)
        html = _FORM.sub(keep_form, html)
        html = _TEXT_LINK.sub(keep_link, html)
        html = _ADDRESS_ATTRIBUTE.sub(convert_attribute, html)
        return LinkedText(html, _with_files(linked_addresses))

    def _convert_attribute(
        self, attribute: re.Match[str], page_address: str, linked_addresses: dict[str, None]
    ) -> str:
        """Return an attribute of a page as the copy has it.

        Add its address to the keys of `linked_addresses`.
        """
        link_start, name, value = attribute.groups(default="")
        address = self.site_address(value, page_address)
        if address is None or address.startswith("/static/"):
            return attribute[0]
        path, _, query = address.partition("?")
        if not file_path_of_address(address):
            linked_addresses[path] = None
            # The copy's script answers filters. Other links lead nowhere.
            if _is_answered_by_script(path, query) or not link_start:
                return attribute[0]
            return link_start
        linked_addresses[address] = None
        if not query or _is_answered_by_script(path, query):
            return attribute[0]
        start = self.home if value.startswith("http") else self.prefix
        return f'{link_start} {name}="{escape(start + path_in_copy(address))}"'

    def _has_file(self, link: str, page_address: str) -> bool:
        """Return True for a link to a file of the copy, or to another site."""
        address = self.site_address(link, page_address)
        return address is None or bool(file_path_of_address(address))

    def _is_served(self, link: str, page_address: str) -> bool:
        """Return True for a link to an address of the site that only a server can answer."""
        address = self.site_address(link, page_address)
        return address is not None and _is_served_only(address)

    def convert_non_page(self, text: str) -> LinkedText:
        """Return a file that is no page, such as a feed, a sitemap or Markdown, as the copy has it."""

        def keep_row(row: re.Match[str]) -> str:
            return "" if self._is_served(row[1], "/") else row[0]

        text = _SITEMAP_ROW.sub(keep_row, text)
        site_address = re.compile(rf"{re.escape(self.home)}(/[^\s\"'<>\\&()\]#]*)")
        addresses = _with_files(dict.fromkeys(site_address.findall(text)))
        for address in addresses:
            if "?page=" in address:
                text = text.replace(self.home + address, self.home + path_in_copy(address))
        return LinkedText(text, addresses)


# Links to other forms of a page. A feed of some episodes of a list has no file.
_ALTERNATE_LINK = re.compile(r'<link rel="alternate"[^>]*? href="([^"]*)"[^>]*>\n?')
_FORM = re.compile(r'<form\b[^>]*? action="([^"]*)".*?</form>', re.DOTALL)
_TEXT_LINK = re.compile(r'<a\b[^>]*? href="([^"]*)"[^>]*>[^<]*</a>')
# Attributes of our own pages that hold addresses, in links with the beginning of the tag.
_ADDRESS_ATTRIBUTE = re.compile(r'(<a\b[^>]*?)? (href|src|content)="([^"]*)"')
_SITEMAP_ROW = re.compile(r"<url><loc>([^<]*)</loc>.*?</url>", re.DOTALL)


def _with_files(addresses: Iterable[str]) -> list[str]:
    """Return the addresses that have a file in the copy."""
    return [address for address in addresses if file_path_of_address(address)]


def _is_answered_by_script(path: str, query: str) -> bool:
    """Return True for an address that the copy's script answers (static/js/published.js)."""
    parameters = dict(parse_qsl(query))
    if not parameters or not path.startswith(_EPISODE_LIST):
        return False
    known_filters = {
        *("q", "topic", "year", "month", "person", "podcast"),
        *("length", "min_minutes", "max_minutes", "sort"),
    }
    # Of the page of an episode the script reads every parameter.
    return path != _EPISODE_LIST or parameters.keys() <= known_filters


def _is_served_only(path: str) -> bool:
    """Return True for an address that only a server can answer."""
    served = r"/(?:admin|mcp|search|sources\.json|suggest|time|healthz|readyz|livez|llms-full\.txt)(?:/|$)"
    return re.match(served, path) is not None


def file_path_of_address(address: str) -> str:
    """Return the path of the file for an address of the site; "" if the copy has no such file."""
    path, _, query = address.partition("?")
    parameters = dict(parse_qsl(query, keep_blank_values=True))
    has_other_parameters = not parameters.keys() <= {"key", "page"}
    if has_other_parameters or _is_served_only(path) or path.startswith("/static/"):
        return ""
    if key := parameters.get("key"):
        # The key of a link has characters that no file name takes.
        path += f"{stable_hash(key, 16)}/"
    name = unquote(path).lstrip("/")
    page = parameters.get("page", "1")
    if name.endswith("/") or not name:
        return f"{name}index.html" if page == "1" else f"{name}page/{page}/index.html"
    stem, dot, ending = name.rpartition(".")
    if not dot:
        return ""  # a name without an ending redirects to another page
    return name if page == "1" else f"{stem}.page-{page}.{ending}"


def path_in_copy(address: str) -> str:
    """Return the path at which the copy serves the file of an address: `/topics/` for `topics/index.html`."""
    return f"/{quote(file_path_of_address(address).removesuffix('index.html'))}"
