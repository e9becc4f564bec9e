"""A run of publish: every page that the start page leads to is rendered again if its rows have changed."""

from collections import defaultdict
from collections.abc import Callable
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

from ..text.fingerprints import fingerprint
from ..views import former_addresses
from .copy_addresses import CopyAddresses, file_path_of_address
from .copy_folder import CopyFolder, FolderRefused, open_copy_folder
from .page_fingerprints import list_fingerprint, row_fingerprints_by_address, site_fingerprint
from .search_index import search_index_json


class Published(NamedTuple):
    """The outcome of a run: files in the copy, and how many were written, deleted, made anew."""

    files: int
    written: int
    deleted: int
    rendered: int


def publish_site(
    path: Path, home: str, on_progress: Callable[[str], None] = lambda message: None
) -> Published:
    """Bring the copy in a folder up to date. `home` is the address of its start page.

    `on_progress` is called with messages about the progress.

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
            copy.update()
    return Published(len(folder.files), folder.written, folder.deleted, copy.rendered)


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
# These show every reading of a source, also one that changed nothing.
_PAGES_OF_READINGS = ("/sources/", "/changes/", "/changes.rss")


class _CopiedFile(NamedTuple):
    """A file of the copy, and the addresses of the site that it names."""

    body: bytes
    addresses: list[str]


class _SiteCopy:
    """A run: the state of the last run, and the pages that it has visited."""

    def __init__(
        self, folder: CopyFolder, addresses: CopyAddresses, on_progress: Callable[[str], None]
    ) -> None:
        """Compute the fingerprints of this run, and load the pages of the last one.

        If something that any page may show has changed, no page of the last run is used again.
        """
        self.folder, self.addresses, self.on_progress = folder, addresses, on_progress
        self.rows = row_fingerprints_by_address()
        self.fingerprints_by_kind = self._fingerprints_by_kind()
        self.site_fingerprint = site_fingerprint(addresses.home)
        self.list_fingerprint = list_fingerprint()
        # By the address of each page and file its fingerprint, and the addresses that it names.
        self.last_pages: dict[str, list[Any]] = {}
        if folder.last_list.get("everywhere") == self.site_fingerprint:
            self.last_pages = folder.last_list["pages"]
        self.pages: dict[str, list[Any]] = {}
        self.rendered = 0
        parts = urlsplit(addresses.home)
        self.factory = RequestFactory(HTTP_HOST=parts.netloc, SCRIPT_NAME=parts.path)

    def _fingerprints_by_kind(self) -> dict[str, str]:
        """Return one fingerprint of all rows of a kind, by the address of its index, such as `/topics/`."""
        by_kind = defaultdict[str, list[str]](list)
        for address, row in self.rows.items():
            kind = f"/{address.split('/')[1]}/"
            by_kind[kind].append(row.full)
        return {kind: fingerprint(sorted(rows)) for kind, rows in by_kind.items()}

    def update(self) -> None:
        """Write files that have changed, and delete files that are gone."""
        waiting = list(_START_ADDRESSES)
        visited = set[str]()
        for address in waiting:  # the list grows as pages name more addresses
            if address not in visited:
                visited.add(address)
                waiting += self._update_page_and_find_links(address)
        not_found = former_addresses.answer_not_found(self._request("/404/"))
        bodies = {
            "404.html": self._copy_response("/404/", not_found).body,
            ".nojekyll": b"",
            "search.json": search_index_json().encode(),
        }
        for name in get_files(staticfiles_storage, ["admin", "*.gz", "*.br"]):
            with staticfiles_storage.open(name) as file:
                bodies[f"static/{name}"] = file.read()
        for name, body in bodies.items():
            self.folder.write_if_changed(name, body)
        state = {"everywhere": self.site_fingerprint, "pages": self.pages}
        self.folder.delete_other_files_and_save_list(
            [*map(file_path_of_address, self.pages), *bodies], state
        )

    def _update_page_and_find_links(self, address: str) -> list[str]:
        """Render an address if it has changed since the last run. Return the addresses that it names."""
        last_fingerprint, *linked_addresses = self.last_pages.get(address) or [None]
        page_fingerprint = self._page_fingerprint(address, linked_addresses)
        is_current = (
            last_fingerprint == page_fingerprint
            and address not in _PAGES_OF_READINGS
            and self.folder.has_finished_file(file_path_of_address(address))
        )
        if not is_current:
            copied = self._render_file(address)
            if copied is None:
                return []
            self.folder.write_if_changed(file_path_of_address(address), copied.body)
            self.rendered += 1
            self.on_progress(f"{self.rendered:,} pages made")
            linked_addresses = copied.addresses
            page_fingerprint = self._page_fingerprint(address, linked_addresses)
        self.pages[address] = [page_fingerprint, *linked_addresses]
        return linked_addresses

    # -- fingerprints ------------------------------------------------------------------------------

    def _page_fingerprint(self, address: str, linked_addresses: list[str]) -> str:
        """Return the fingerprint of the rows that a page shows, and of the rows that it names."""
        linked_rows = []
        for linked_address in linked_addresses:
            row = self.rows.get(owner_address(linked_address))
            linked_rows.append((linked_address, row.brief if row else ""))
        return fingerprint(self._content_fingerprint(address, linked_addresses), linked_rows)

    def _content_fingerprint(self, address: str, linked_addresses: list[str]) -> object:
        """Return a fingerprint of the rows that a page shows.

        For a page that may show any row, return the fingerprints of all rows by kind.
        """
        owner = owner_address(address)
        if owner in self.rows:
            # A feed has the addresses of its episodes, whose rows count with these. A table may have no
            # address of ours, so the rows of the episodes count here.
            is_feed = linked_addresses and not file_path_of_address(address).endswith(".html")
            row = self.rows[owner]
            return row.full if is_feed else row.with_episodes
        if owner in _INDEXES:
            return self.fingerprints_by_kind.get(owner)
        if address.startswith("/media/"):
            return ""  # the name of an image changes with its bytes
        if owner.startswith("/episodes") and linked_addresses:
            return self.list_fingerprint
        return self.fingerprints_by_kind  # it may show any row

    # -- rendering ---------------------------------------------------------------------------------

    def _render_file(self, address: str) -> _CopiedFile | None:
        """Return the file at an address, or at the address that it redirects to; None without a page there."""
        if address.startswith("/static/"):
            with staticfiles_storage.open(address.removeprefix("/static/")) as file:
                return _CopiedFile(file.read(), [])
        request = self._request(address)
        try:
            view, args, kwargs = resolve(request.path_info)
            response = view(request, *args, **kwargs)
        except Http404:
            return None
        if isinstance(response, SimpleTemplateResponse):  # Django's own sitemaps
            response.render()
        if response.status_code in (301, 302):
            target = self.addresses.site_address(response.headers["Location"], address)
            return self._render_file(str(target))
        if response.status_code != 200:
            return None
        return self._copy_response(address, response)

    def _copy_response(self, address: str, response: HttpResponse) -> _CopiedFile:
        """Return an answer as the copy has it: images unchanged, pages with the copy's script."""
        content_type = response.headers["Content-Type"]
        if content_type.startswith("image/"):
            return _CopiedFile(response.content, [])
        text = response.content.decode()
        if not content_type.startswith("text/html"):
            file = self.addresses.convert_non_page(text)
            return _CopiedFile(file.text.encode(), file.addresses)
        page = self.addresses.convert_page(text, address)
        script = f'<script type="module" src="{static("js/published.js")}"></script>\n</head>'
        html = page.text.replace("</head>", script, 1)
        return _CopiedFile(html.encode(), page.addresses)

    def _request(self, address: str) -> HttpRequest:
        """Return a request for an address of the site, as a visitor of the copy would make it."""
        is_secure = self.addresses.home.startswith("https")
        return self.factory.get(address, secure=is_secure)


@cache
def owner_address(address: str) -> str:
    """Return the address of the row that a page or file shows.

    That is `/topics/autograd/` for `/topics/autograd.rss?page=2`. For an index it is its first page.
    """
    path, _, query = address.partition("?")
    if key := dict(parse_qsl(query)).get("key"):
        return f"{path}?{urlencode({'key': key})}"
    kind, _, remainder = path[1:].partition("/")
    slug = remainder.partition("/")[0].partition(".")[0]
    return f"/{kind}/{slug}/" if slug else path
