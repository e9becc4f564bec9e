"""A run of publish: every page that the start page leads to is rendered again if its rows have changed."""

from collections import defaultdict, deque
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.contrib.staticfiles.storage import staticfiles_storage
from django.contrib.staticfiles.utils import get_files
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse
from django.templatetags.static import static
from django.test import RequestFactory
from django.test.utils import override_script_prefix, override_settings
from django.urls import resolve

from ..records import CountCallback, ignore_count
from ..text.fingerprints import fingerprint
from ..views import former_addresses
from .copy_addresses import CopyAddresses, file_path_of_address_or_empty
from .copy_folder import CopyFolder, FolderRefused, open_copy_folder
from .page_fingerprints import list_fingerprint, row_fingerprints_by_address, site_fingerprint
from .search_index import search_index_json


class Published(NamedTuple):
    """The outcome of a run: files in the copy, and how many were written, deleted, made anew."""

    files: int
    written: int
    deleted: int
    rendered: int


def publish_site(path: Path, home: str, on_progress: CountCallback = ignore_count) -> Published:
    """Bring the copy in a folder up to date. `home` is the address of its start page.

    `on_progress` is called with the number of pages that are done, and of all that are known.

    Raises:
        FolderRefused: the folder, or a file in it, is not ours, another run writes to it, or the
            static files are missing.
        OSError: the folder cannot be read or written.
    """
    if not staticfiles_storage.exists("css/site.css"):
        raise FolderRefused("The static files are missing. Run manage.py collectstatic first.")
    addresses = CopyAddresses(home.rstrip("/"))
    with open_copy_folder(path) as folder:
        copy = _SiteCopy(folder, addresses, on_progress)
        # The host is that of the copy, where nothing answers assistants, or takes suggestions.
        with (
            override_script_prefix(f"{addresses.prefix}/"),
            override_settings(ALLOWED_HOSTS=["*"], MCP=False, SUGGESTIONS=False),
        ):
            copy.update_files_and_save_state()
    return Published(
        files=len(folder.files),
        written=folder.written,
        deleted=folder.deleted,
        rendered=copy.rendered,
    )


# Addresses to begin with. Pages and files lead from these to the rest.
_START_ADDRESSES = (
    "/",
    "/sitemap.xml",
    "/robots.txt",
    "/manifest.webmanifest",
    "/opensearch.xml",
    "/sw.js",
    "/llms.txt",
    "/shows.opml",
    "/changes.rss",
    "/data/export.schema.json",
    "/links.csv",
    "/links.md",
    "/theme.css",
)
# Indexes of all rows of a kind change with the rows of that kind alone.
_INDEXES = ("/links/", "/people/", "/names/")
# These show the time of every fetch, also of one that changed nothing.
_PAGES_WITH_FETCH_TIMES = ("/sources/", "/changes/", "/changes.rss")


class _CopiedFile(NamedTuple):
    """A file of the copy, and the addresses of the site that it names."""

    body: bytes
    addresses: list[str]


class _PageState(NamedTuple):
    """What a run remembers of a page or file, for the next run."""

    fingerprint: str  # of the rows that it shows and names
    addresses: list[str]  # of the site, that it names


class _SiteCopy:
    """A run of publish. It renders only pages whose fingerprint differs from that of the last run."""

    def __init__(
        self, folder: CopyFolder, addresses: CopyAddresses, on_progress: CountCallback
    ) -> None:
        """Compute the fingerprints of this run, and load the pages of the last one.

        A page is rendered again if its fingerprint has changed: a hash of the values that it may show.
        """
        self.folder = folder
        self.addresses = addresses
        self.on_progress = on_progress
        self.rendered = 0
        self.known_addresses = set[str]()
        # Of the program, the settings, the shows and their sources, which any page may show.
        self.site_fingerprint = site_fingerprint(addresses.home)
        # Of the order and counts of all episodes, for the pages of the episode list.
        self.list_fingerprint = list_fingerprint()
        # Of the values of a row, by the address of its page: `/topics/autograd/`.
        self.rows_by_address = row_fingerprints_by_address()
        # Of all rows of a kind, by the address of their index: `/topics/`.
        self.fingerprints_by_index_address = self._fingerprints_by_index_address()
        # Of all rows, for pages that may show any of them, such as the start page and the timeline.
        self.all_rows_fingerprint = fingerprint(self.fingerprints_by_index_address)
        # The pages of the last run and of this run, by address.
        self.last_pages: dict[str, _PageState] = {}
        self.pages: dict[str, _PageState] = {}
        is_site_unchanged = folder.last_list.get("everywhere") == self.site_fingerprint
        if is_site_unchanged:
            self.last_pages = _parse_pages_of_last_run(folder.last_list["pages"])
        home = urlsplit(addresses.home)
        # The pages of a site at `https://example.org/podcasts` name addresses below `/podcasts`.
        self.factory = RequestFactory(HTTP_HOST=home.netloc, SCRIPT_NAME=home.path)

    def _fingerprints_by_index_address(self) -> dict[str, str]:
        row_fingerprints = defaultdict[str, list[str]](list)
        for address, row in self.rows_by_address.items():
            # The index of `/topics/autograd/` is `/topics/`.
            first_part, _, _ = address.removeprefix("/").partition("/")
            row_fingerprints[f"/{first_part}/"].append(row.all_values)
        return {index: fingerprint(sorted(rows)) for index, rows in row_fingerprints.items()}

    def update_files_and_save_state(self) -> None:
        self._update_pages_reachable_from_start()
        further_bodies = self._further_bodies_by_path()
        for file_path, body in further_bodies.items():
            self.folder.write_if_changed(file_path, body)
        current_paths = [file_path_of_address_or_empty(address) for address in self.pages]
        current_paths += further_bodies.keys()
        # The state that the next run loads: each page is a list of its fingerprint, then addresses.
        stored_pages = {}
        for address, page in self.pages.items():
            stored_pages[address] = [page.fingerprint, *page.addresses]
        state = {"everywhere": self.site_fingerprint, "pages": stored_pages}
        self.folder.delete_other_files_and_save_list(current_paths, state)

    def _update_pages_reachable_from_start(self) -> None:
        # The start page leads to all pages, through other pages.
        waiting = deque(_START_ADDRESSES)
        self.known_addresses.update(_START_ADDRESSES)
        while waiting:
            for address in self._update_page_and_return_links(waiting.popleft()):
                if address not in self.known_addresses:
                    self.known_addresses.add(address)
                    waiting.append(address)

    def _further_bodies_by_path(self) -> dict[str, bytes]:
        """Return the files of the copy that no page of the site is rendered to, by their path in it."""
        not_found = former_addresses.answer_not_found(self._request("/404/"))
        bodies = {
            "404.html": self._convert_response_and_collect_addresses("/404/", not_found).body,
            ".nojekyll": b"",  # GitHub Pages then serves all files as they are
            "search.json": search_index_json().encode(),
        }
        # The copy has no admin, and only our own server sends the compressed files.
        for name in get_files(staticfiles_storage, ignore_patterns=["admin", "*.gz", "*.br"]):
            with staticfiles_storage.open(name) as file:
                bodies[f"static/{name}"] = file.read()
        return bodies

    def _update_page_and_return_links(self, address: str) -> list[str]:
        """Render an address if it has changed since the last run. Return the addresses that it names."""
        last_page = self.last_pages.get(address)
        if last_page and self._is_current(address, last_page):
            self.pages[address] = last_page
            return last_page.addresses
        copied = self._file_following_redirects_or_none(address)
        if copied is None:
            return []
        self.folder.write_if_changed(file_path_of_address_or_empty(address), copied.body)
        self.rendered += 1
        # Pages lead to further pages. Until those are known, the last run has the better count.
        page_count = max(len(self.known_addresses), len(self.last_pages))
        self.on_progress(len(self.pages), page_count, "pages")
        page_fingerprint = self._page_fingerprint(address, copied.addresses)
        self.pages[address] = _PageState(page_fingerprint, copied.addresses)
        return copied.addresses

    def _is_current(self, address: str, last_page: _PageState) -> bool:
        if address in _PAGES_WITH_FETCH_TIMES:
            return False
        if not self.folder.has_finished_file(file_path_of_address_or_empty(address)):
            return False
        return last_page.fingerprint == self._page_fingerprint(address, last_page.addresses)

    # -- fingerprints ------------------------------------------------------------------------------

    def _page_fingerprint(self, address: str, linked_addresses: list[str]) -> str:
        """Return the fingerprint of all rows that a page depends on: the rows that it shows, and the brief
        values of the rows that it links, such as their titles."""
        linked_rows = []
        for linked_address in linked_addresses:
            row = self.rows_by_address.get(page_address_of_displayed_row(linked_address))
            linked_rows.append((linked_address, row.brief if row else ""))
        # Each page and feed links something, among it the episodes that it shows. Only a CSV table shows episodes
        # without a link.
        links_episodes = bool(linked_addresses)
        unlinked = self._fingerprint_of_unlinked_values(address, links_episodes=links_episodes)
        return fingerprint(unlinked, linked_rows)

    def _fingerprint_of_unlinked_values(self, address: str, *, links_episodes: bool) -> str:
        """Return the narrowest fingerprint that changes with the values on a page, "" if it shows none.

        Values of rows that the page links are left out: `_page_fingerprint` adds these.
        """
        row_address = page_address_of_displayed_row(address)  # `/topics/a/` of `/topics/a.rss`
        row = self.rows_by_address.get(row_address)
        if row:
            # A feed links all episodes that it shows, so the values of the row are enough. An HTML page counts
            # more episodes than it links, and a table links none.
            is_page = file_path_of_address_or_empty(address).endswith(".html")
            links_all_its_episodes = links_episodes and not is_page
            if links_all_its_episodes:
                return row.all_values
            return row.all_values_and_episodes
        if row_address in _INDEXES:
            return self.fingerprints_by_index_address.get(row_address, "")
        # An image or drawn cover with other bytes has another address.
        if address.startswith(("/media/", "/covers/")):
            return ""
        # `/episodes/?page=2` and `/episodes.rss` link their episodes. Their order and counts are of all episodes.
        # The page of an episode is not meant: it is the page of a row, above.
        if row_address.startswith("/episodes") and links_episodes:
            return self.list_fingerprint
        # Such as the start page, and `/episodes.csv` with the values of all episodes.
        return self.all_rows_fingerprint

    # -- rendering ---------------------------------------------------------------------------------

    def _file_following_redirects_or_none(self, address: str) -> _CopiedFile | None:
        """Return the file at an address, or at the address that it redirects to; None without a page there."""
        if address.startswith("/static/"):
            with staticfiles_storage.open(address.removeprefix("/static/")) as file:
                return _CopiedFile(file.read(), addresses=[])
        try:
            response = self._call_view(address)
        except Http404:
            return None
        if response.status_code in (301, 302):
            target = self.addresses.site_address(response.headers["Location"], address)
            # A page of another site has no file in the copy.
            if target is None:
                return None
            return self._file_following_redirects_or_none(target)
        if response.status_code != 200:
            return None
        return self._convert_response_and_collect_addresses(address, response)

    def _call_view(self, address: str) -> HttpResponse:
        request = self._request(address)
        view, args, kwargs = resolve(request.path_info)
        # Without middleware, which is about visitors and their browsers.
        response: HttpResponse = view(request, *args, **kwargs)
        # Django's own sitemaps are rendered late.
        if isinstance(response, SimpleTemplateResponse):
            response.render()
        return response

    def _convert_response_and_collect_addresses(
        self, address: str, response: HttpResponse
    ) -> _CopiedFile:
        """Return an answer as the copy has it: images unchanged, pages with the copy's script."""
        content_type = response.headers["Content-Type"]
        if content_type.startswith("image/"):
            return _CopiedFile(response.content, addresses=[])
        text = response.content.decode()
        is_page = content_type.startswith("text/html")
        if not is_page:
            file = self.addresses.convert_non_page_and_collect_addresses(text)
            return _CopiedFile(file.text.encode(), file.addresses)
        page = self.addresses.convert_page_and_collect_addresses(text, address)
        script = f'<script type="module" src="{static("js/published.js")}"></script>'
        html = page.text.replace("</head>", f"{script}\n</head>", 1)
        return _CopiedFile(html.encode(), page.addresses)

    def _request(self, address: str) -> HttpRequest:
        is_secure = self.addresses.home.startswith("https")
        return self.factory.get(address, secure=is_secure)


def _parse_pages_of_last_run(stored_pages: dict[str, list[Any]]) -> dict[str, _PageState]:
    """Return the pages of the last run. In its file each is a list: a fingerprint, then addresses."""
    states = {}
    for address, values in stored_pages.items():
        # A person may have emptied a list.
        if values:
            page_fingerprint, *linked_addresses = values
            states[address] = _PageState(page_fingerprint, linked_addresses)
    return states


@cache
def page_address_of_displayed_row(page_or_file_address: str) -> str:
    """Return the address of the main page of the row that a page or file shows.

    That is `/topics/autograd/` for `/topics/autograd.rss?page=2`. For an index it is its first page.
    """
    path, _, query = page_or_file_address.partition("?")
    # The page of a link has its key in the query: `/links/about/?key=pytorch.org`.
    key = dict(parse_qsl(query)).get("key")
    if key:
        return f"{path}?{urlencode({'key': key})}"
    kind, _, remainder = path.removeprefix("/").partition("/")
    file_name, _, _ = remainder.partition("/")
    slug, _, _ = file_name.partition(".")
    return f"/{kind}/{slug}/" if slug else path
