"""The copy: every address that pages of it name, made anew where what it shows has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.contrib.staticfiles.storage import staticfiles_storage
from django.contrib.staticfiles.utils import get_files
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.template.response import SimpleTemplateResponse
from django.templatetags.static import static
from django.test import RequestFactory
from django.test.utils import override_settings
from django.urls import get_script_prefix, resolve, set_script_prefix

from ..views import not_found
from .addresses import Addresses, file_of, public
from .digests import Digests, digests, everywhere
from .folder import Folder, FolderRefused
from .search_index import search_index

# Where to begin: all else is named by one of these.
SEEDS = (
    *("/", "/sitemap.xml", "/robots.txt", "/manifest.webmanifest", "/opensearch.xml", "/sw.js"),
    *("/llms.txt", "/shows.opml", "/sources.json", "/changes.rss", "/data/export.schema.json"),
    *("/links.csv", "/links.md", "/theme.css"),
)
# Lists of everything of a kind change with the things of that kind alone.
INDEXES = ("/links/", "/people/", "/names/")
# These show every reading of a source, also one that changed nothing.
OF_READINGS = ("/sources/", "/sources.json", "/changes/", "/changes.rss")


class Published(NamedTuple):
    """The outcome of a run: files in the copy, and how many were written, deleted, made anew."""

    files: int
    written: int
    deleted: int
    made: int


def publish(
    path: Path, home: str, watch: Callable[[str], None] = lambda message: None
) -> Published:
    """Bring the copy in a folder up to date; `home` is the address of its start page.

    Raises:
        FolderRefused: the folder, or a file in it, is not ours, or the static files are missing.
        OSError: the folder cannot be read or written.
    """
    if not staticfiles_storage.exists("css/site.css"):
        raise FolderRefused("The static files are missing. Run manage.py collectstatic first.")
    addresses = Addresses(home.rstrip("/"))
    folder, before = Folder(path), get_script_prefix()
    copy = _Copy(folder, addresses, digests(), watch)
    try:
        set_script_prefix(f"{addresses.prefix}/")
        # The host is that of the copy, where nothing answers assistants.
        with override_settings(ALLOWED_HOSTS=["*"], MCP=False):
            copy.make()
    finally:
        set_script_prefix(before)
    return Published(len(folder.files), folder.written, folder.deleted, copy.made)


class _Copy:
    """A run: what it knows of the last one, and what it has made so far."""

    def __init__(
        self, folder: Folder, addresses: Addresses, now: Digests, watch: Callable[[str], None]
    ) -> None:
        self.folder, self.addresses, self.things, self.watch = folder, addresses, now, watch
        self.everywhere = everywhere(addresses.home)
        known = folder.known if folder.known.get("everywhere") == self.everywhere else {}
        # By the address of each page and file those that it names.
        self.before: dict[str, list[str]] = known.get("pages", {})
        then = {address: tuple(digest) for address, digest in known.get("things", {}).items()}
        both = now.keys() | then.keys()
        self.changed = {address for address in both if now.get(address) != then.get(address)}
        # Other pages tell of an episode more than what its row has.
        self.retold = {
            address
            for address in self.changed
            if address.startswith("/episodes/")
            or now.get(address, ())[:1] != then.get(address, ())[:1]
        }
        changed_pages = (self.before.get(address, ()) for address in self.changed)
        self.touched = {owner_of(named) for page in changed_pages for named in page}
        self.pages: dict[str, list[str]] = {}
        self.seen: set[str] = set()
        self.made = 0
        parts = urlsplit(addresses.home)
        self.factory = RequestFactory(HTTP_HOST=parts.netloc, SCRIPT_NAME=parts.path)

    def make(self) -> None:
        """Write what has changed and delete what is gone."""
        # What a changed page names may have to name it in turn, so these come first.
        for address in sorted(self.retold & self.things.keys()):
            if address.startswith("/episodes/"):
                self.visit(address)
        waiting = [*SEEDS, *(named for page in self.pages.values() for named in page)]
        while waiting:
            address = waiting.pop()
            if address not in self.pages:
                self.visit(address)
                waiting += self.pages.get(address, ())
        kept = {file_of(address) for address in self.pages}
        for name in get_files(staticfiles_storage, ["admin", "*.gz", "*.br"]):
            kept.add(f"static/{name}")
            with staticfiles_storage.open(name) as file:
                self.folder.write(f"static/{name}", file.read())
        own = {
            "404.html": self.page("/404/", not_found(self.request("/404/")))[0],
            ".nojekyll": b"",
            "search.json": search_index().encode(),
        }
        for name, body in own.items():
            self.folder.write(name, body)
        self.folder.end(
            {*kept, *own},
            {"everywhere": self.everywhere, "things": self.things, "pages": self.pages},
        )

    def visit(self, address: str) -> None:
        """Keep what is at an address, or make it anew, once."""
        if address in self.seen or not file_of(address):
            return
        self.seen.add(address)
        if self.is_current(address):
            self.pages[address] = self.before[address]
            return
        made = self.answer(address)
        if made is None:
            return
        body, named = made
        self.folder.write(file_of(address), body)
        self.pages[address] = named
        self.made += 1
        if owner_of(address) in self.changed:
            self.touched |= set(map(owner_of, named))
        if not self.made % 100:
            self.watch(f"{self.made:,} pages made")

    def is_current(self, address: str) -> bool:
        """True for what the last run wrote, if nothing that it shows has changed since."""
        if address not in self.before or not (self.folder.path / file_of(address)).exists():
            return False
        owner = owner_of(address)
        if owner in self.things:
            has_changed = owner in self.changed or (
                owner in self.touched and file_of(address).endswith(".html")
            )
            return not has_changed and self.retold.isdisjoint(map(owner_of, self.before[address]))
        if owner in INDEXES:
            return not any(one.startswith(owner) for one in self.changed)
        # The name of an image changes with its bytes.
        return address.startswith("/media/") or not (self.changed or address in OF_READINGS)

    def answer(self, address: str) -> tuple[bytes, list[str]] | None:
        """What the copy has at an address, and the addresses that it names; None for nothing."""
        request = self.request(address)
        try:
            view, args, kwargs = resolve(request.path_info)
            response = view(request, *args, **kwargs)
            if isinstance(response, SimpleTemplateResponse):  # Django's own sitemaps
                response.render()
        except Http404:
            return None
        if response.status_code in (301, 302):
            return self.led_on(address, response.headers["Location"])
        if response.status_code != 200:
            return None
        return self.page(address, response)

    def page(self, address: str, response: HttpResponse) -> tuple[bytes, list[str]]:
        kind = response.headers["Content-Type"]
        if kind.startswith("image/"):
            return response.content, []
        text = response.content.decode()
        if not kind.startswith("text/html"):
            text, named = self.addresses.text_in_copy(text)
            return text.encode(), named
        text, named = self.addresses.page_in_copy(text, address)
        script = f'<script type="module" src="{static("js/published.js")}"></script>\n</head>'
        return text.replace("</head>", script, 1).encode(), named

    def led_on(self, address: str, location: str) -> tuple[bytes, list[str]] | None:
        """A page that leads on to another; of a file the static file that stands in for it."""
        there = self.addresses.inner(location, address) or ""
        if there.startswith("/static/") and not address.endswith("/"):
            with staticfiles_storage.open(there.removeprefix("/static/")) as file:
                return file.read(), []
        if not address.endswith("/") or not file_of(there):
            return None
        text = render_to_string(
            "moved.html", {"address": self.addresses.prefix + public(there)}, using="jinja2"
        )
        return text.encode(), [there]

    def request(self, address: str) -> HttpRequest:
        return self.factory.get(address, secure=self.addresses.home.startswith("https"))


def owner_of(address: str) -> str:
    """The address of the thing that a page or file is of: `/topics/autograd/` for
    `/topics/autograd.rss?page=2`; of an index that of its first page."""
    path, _, query = address.partition("?")
    if key := dict(parse_qsl(query)).get("key"):
        return f"{path}?{urlencode({'key': key})}"
    kind, _, rest = path[1:].partition("/")
    slug = rest.partition("/")[0].partition(".")[0]
    return f"/{kind}/{slug}/" if slug else path
