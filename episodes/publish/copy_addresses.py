"""The addresses of a copy: the file of each address, and how pages of the copy name it."""

import re
from dataclasses import dataclass
from functools import lru_cache
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
        return urlsplit(self.home).path

    def site_address(self, link: str, page_address: str) -> str | None:
        """Return a link on a page as an address of the site: `/topics/?page=2` for `?page=2` on `/topics/`.
        Return None for a link to another site."""
        absolute, _ = urldefrag(urljoin(self.home + page_address, unescape(link)))
        if not absolute.startswith(f"{self.home}/"):
            return None
        return absolute[len(self.home) :]

    def convert_page_and_collect_addresses(self, html: str, page_address: str) -> LinkedText:
        """Return a page as the copy has it, without links and forms that only a server could answer."""

        # Each of these returns the text that replaces a match, "" to drop it.
        def alternate_or_nothing(link: re.Match[str]) -> str:
            return link[0] if self._is_external_or_has_file(link["address"], page_address) else ""

        def form_or_nothing(form: re.Match[str]) -> str:
            target = self.site_address(form["address"], page_address)
            # The copy's script answers the filters of the episode list, and no other form.
            return form[0] if target == _EPISODE_LIST else ""

        def text_link_or_nothing(link: re.Match[str]) -> str:
            # “Playlist for your time” offers what only a server can do, so it goes with its words. The words
            # of other links without a file stay.
            is_for_server = self._is_answered_by_server_only(link["address"], page_address)
            return "" if is_for_server else link[0]

        def attribute_with_address_in_copy(attribute: re.Match[str]) -> str:
            return self._attribute_in_copy(attribute, page_address)

        html = _ALTERNATE_LINK.sub(alternate_or_nothing, html)
        html = _FORM.sub(form_or_nothing, html)
        html = _TEXT_LINK.sub(text_link_or_nothing, html)
        # Collected first, as the copy has other addresses: `/topics/page/2/` for `/topics/?page=2`.
        linked_addresses = self._linked_addresses_with_files(html, page_address)
        html = _ADDRESS_ATTRIBUTE.sub(attribute_with_address_in_copy, html)
        return LinkedText(html, linked_addresses)

    def _linked_addresses_with_files(self, html: str, page_address: str) -> list[str]:
        addresses: dict[str, None] = {}  # each once
        for attribute in _ADDRESS_ATTRIBUTE.finditer(html):
            address = self.site_address(attribute["address"], page_address)
            if address is None:
                continue
            # `/episodes/?q=graphs` is for the script of the copy, and has no file. `/episodes/` has a file.
            if not file_path_of_address_or_empty(address):
                address, _, _ = address.partition("?")
            if file_path_of_address_or_empty(address):
                addresses[address] = None
        return list(addresses)

    def _attribute_in_copy(self, attribute: re.Match[str], page_address: str) -> str:
        """Return an attribute with its address in the copy: ` href="/topics/page/2/"` for
        ` href="/topics/?page=2"`."""
        unchanged = attribute[0]
        link_start = attribute["link_start"] or ""  # such as `<a class="button"`, "" in other tags
        address = self.site_address(attribute["address"], page_address)
        # Other sites and static files keep their addresses.
        if address is None or address.startswith("/static/"):
            return unchanged
        path, _, query = address.partition("?")
        # The script of the copy reads the parameters of a search, a filter or a moment from the address.
        if _is_answered_by_script(path, query):
            return unchanged
        if not file_path_of_address_or_empty(address):
            # A link that nothing answers loses its address, and leads nowhere. Other tags keep theirs.
            link_without_address = link_start
            return link_without_address or unchanged
        # Without parameters the address is the same in the copy.
        if not query:
            return unchanged
        # Absolute addresses stay absolute.
        is_absolute = attribute["address"].startswith("http")
        start = self.home if is_absolute else self.prefix
        new_address = escape(start + path_in_copy(address))
        return f'{link_start} {attribute["name"]}="{new_address}"'

    def _is_external_or_has_file(self, link: str, page_address: str) -> bool:
        address = self.site_address(link, page_address)
        return address is None or bool(file_path_of_address_or_empty(address))

    def _is_answered_by_server_only(self, link: str, page_address: str) -> bool:
        address = self.site_address(link, page_address)
        return address is not None and _is_server_path(address)

    def convert_non_page_and_collect_addresses(self, text: str) -> LinkedText:
        """Return a file that is no page, such as a feed, a sitemap or Markdown, as the copy has it.

        Leave out rows of a sitemap with pages that need the server, and rewrite addresses of further pages of a
        list. Collect only addresses with files in the copy.
        """

        def row_unless_server_only(row: re.Match[str]) -> str:
            return "" if self._is_answered_by_server_only(row["address"], "/") else row[0]

        def address_in_copy(match: re.Match[str]) -> str:
            address = match["address"]
            # The second page of a list is a file of its own: `page/2/`.
            if "?page=" in address and file_path_of_address_or_empty(address):
                return self.home + path_in_copy(address)
            return match[0]

        text = _SITEMAP_ROW.sub(row_unless_server_only, text)
        # Any of these characters ends an address in XML, JSON, CSV or Markdown.
        address_pattern = re.compile(rf"{re.escape(self.home)}(?P<address>/[^\s\"'<>\\&(),\]#]*)")
        unique_addresses = dict.fromkeys(address_pattern.findall(text))
        addresses = list(filter(file_path_of_address_or_empty, unique_addresses))
        return LinkedText(address_pattern.sub(address_in_copy, text), addresses)


# Links to other forms of a page. A feed of some episodes of a list has no file.
_ALTERNATE_LINK = re.compile(r'<link rel="alternate"[^>]*? href="(?P<address>[^"]*)"[^>]*>\n?')
_FORM = re.compile(r'<form\b[^>]*? action="(?P<address>[^"]*)".*?</form>', re.DOTALL)
_TEXT_LINK = re.compile(r'<a\b[^>]*? href="(?P<address>[^"]*)"[^>]*>[^<]*</a>')
# Attributes of our own pages that hold addresses, in links with the beginning of the tag:
# ` src="/media/a.jpg"`, or `<a class="button" href="/topics/"`. `content` has a full address, or any text.
_ADDRESS_ATTRIBUTE = re.compile(
    r'(?P<link_start><a\b[^>]*?)? (?P<name>href|src|content(?=="https?://)|data-cover|data-artwork)="(?P<address>[^"]*)"'
)
_SITEMAP_ROW = re.compile(r"<url><loc>(?P<address>[^<]*)</loc>.*?</url>", re.DOTALL)


def _is_answered_by_script(path: str, query: str) -> bool:
    parameters = dict(parse_qsl(query))
    if not parameters or not path.startswith(_EPISODE_LIST):
        return False
    # On the page of an episode the script reads every parameter.
    is_episode_page = path != _EPISODE_LIST
    return is_episode_page or parameters.keys() <= _FILTERS_OF_SCRIPT


_FILTERS_OF_SCRIPT = {
    "q",
    "topic",
    "year",
    "month",
    "person",
    "podcast",
    "language",
    "length",
    "min_minutes",
    "max_minutes",
    "sort",
}


def _is_server_path(path: str) -> bool:
    served = r"/(?:admin|mcp|moments|search|sources\.json|suggest|time|healthz|readyz|livez|llms-full\.txt)(?:/|$)"
    return re.match(served, path) is not None


@lru_cache(maxsize=10_000)  # pages of a site have most of their links in common
def file_path_of_address_or_empty(address: str) -> str:
    """Return the path of the file for an address of the site; "" if the copy has no such file.

    `/topics/` has `topics/index.html`, `/topics/?page=2` has `topics/page/2/index.html`, and
    `/episodes.rss?page=2` has `episodes.page-2.rss`.
    """
    path, _, query = address.partition("?")
    parameters = dict(parse_qsl(query, keep_blank_values=True))
    has_other_parameters = not parameters.keys() <= {"key", "page"}
    # Static files are copied with their own names.
    if has_other_parameters or _is_server_path(path) or path.startswith("/static/"):
        return ""
    page = parameters.get("page", "1")
    # Show notes may link "?page=../admin", which must not become the path of a file.
    if not re.fullmatch(r"[1-9][0-9]{0,5}", page):
        return ""
    link_key = parameters.get("key")
    if link_key:
        # `/links/about/?key=pytorch.org`. A key may have characters that a file name cannot have.
        path += f"{stable_hash(link_key, 16)}/"
    return _file_path_of_list_page(unquote(path).lstrip("/"), page)


def _file_path_of_list_page(path: str, page: str) -> str:
    """Return the path of the file for a page of a list, "" for a path without an ending."""
    is_first_page = page == "1"
    is_folder = path.endswith("/") or not path
    if is_folder:
        return f"{path}index.html" if is_first_page else f"{path}page/{page}/index.html"
    stem, dot, ending = path.rpartition(".")
    # `/episodes` redirects to `/episodes/`.
    if not dot:
        return ""
    return path if is_first_page else f"{stem}.page-{page}.{ending}"


def path_in_copy(address: str) -> str:
    """Return the path at which the copy serves the file of an address: `/topics/` for `topics/index.html`."""
    return f"/{quote(file_path_of_address_or_empty(address).removesuffix('index.html'))}"
