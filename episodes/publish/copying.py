"""The copy: every address that pages of it name, made anew where what it shows has changed, and the
index by which it is searched."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit
from zlib import crc32

from django.contrib.staticfiles.storage import staticfiles_storage
from django.contrib.staticfiles.utils import get_files
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse
from django.templatetags.static import static
from django.test import RequestFactory
from django.test.utils import override_script_prefix, override_settings
from django.urls import resolve

from ..models import CodeMention, Credit, Episode, EpisodeLink
from ..text.formatting import day, minutes
from ..views import page
from .addresses import Addresses, file_of
from .digests import Told, arrangement, digests, everywhere
from .folder import Folder, FolderRefused

# Where to begin: all else is named by one of these.
SEEDS = (
    *("/", "/sitemap.xml", "/robots.txt", "/manifest.webmanifest", "/opensearch.xml", "/sw.js"),
    *("/llms.txt", "/shows.opml", "/changes.rss", "/data/export.schema.json"),
    *("/links.csv", "/links.md", "/theme.css"),
)
# Lists of everything of a kind change with the things of that kind alone.
INDEXES = ("/links/", "/people/", "/names/")
# These show every reading of a source, also one that changed nothing.
OF_READINGS = ("/sources/", "/changes/", "/changes.rss")
NOTHING = Told(0, 0, 0)


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
    addresses, folder = Addresses(home.rstrip("/")), Folder(path)
    copy = _Copy(folder, addresses, digests(), watch)
    # The host is that of the copy, where nothing answers assistants, or takes suggestions.
    with (
        override_script_prefix(f"{addresses.prefix}/"),
        override_settings(ALLOWED_HOSTS=["*"], MCP=False, SUGGESTIONS=False),
    ):
        copy.make()
    return Published(len(folder.files), folder.written, folder.deleted, copy.made)


class _Copy:
    """A run: what it knows of the last one, and what it has made so far."""

    def __init__(
        self,
        folder: Folder,
        addresses: Addresses,
        now: dict[str, Told],
        watch: Callable[[str], None],
    ) -> None:
        self.folder, self.addresses, self.things, self.watch = folder, addresses, now, watch
        self.everywhere, self.arrangement = everywhere(addresses.home), arrangement()
        # By the address of each page and file its digest, and the addresses that it names.
        self.before: dict[str, list[Any]] = {}
        if folder.known.get("everywhere") == self.everywhere:
            self.before = folder.known["pages"]
        self.kinds = defaultdict[str, int](int)
        for address, told in now.items():
            self.kinds[f"/{address.split('/')[1]}/"] += told.whole
        self.pages: dict[str, list[Any]] = {}
        self.made = 0
        parts = urlsplit(addresses.home)
        self.factory = RequestFactory(HTTP_HOST=parts.netloc, SCRIPT_NAME=parts.path)

    def make(self) -> None:
        """Write what has changed and delete what is gone."""
        waiting, seen = [*SEEDS], set[str]()
        for address in waiting:  # which grows
            if address not in seen:
                seen.add(address)
                waiting += self.visit(address)
        bodies = {
            "404.html": self.page("/404/", page.not_found(self.request("/404/")))[0],
            ".nojekyll": b"",
            "search.json": search_index().encode(),
        }
        for name in get_files(staticfiles_storage, ["admin", "*.gz", "*.br"]):
            with staticfiles_storage.open(name) as file:
                bodies[f"static/{name}"] = file.read()
        for name, body in bodies.items():
            self.folder.write(name, body)
        state = {"everywhere": self.everywhere, "pages": self.pages}
        self.folder.end({*map(file_of, self.pages), *bodies}, state)

    def visit(self, address: str) -> list[str]:
        """Keep what is at an address, or make it anew, and give the addresses that it names."""
        known, *named = self.before.get(address) or [None]
        digest = self.digest(address, named)
        is_current = known == digest and address not in OF_READINGS
        if not (is_current and self.folder.has(file_of(address))):
            body, named = self.answer(address)
            if not body:
                return []
            self.folder.write(file_of(address), body)
            self.made += 1
            self.watch(f"{self.made:,} pages made")
            digest = self.digest(address, named)
        self.pages[address] = [digest, *named]
        return named

    def digest(self, address: str, named: list[str]) -> int:
        """A digest of what a page or file shows: of the thing that it is of, or of all that is on a
        list, and of what it tells of the things that it names."""
        owner = owner_of(address)
        shown: object = self.kinds  # anything may be on it
        if thing := self.things.get(owner):
            # A feed names what it tells of; a table may have no address of ours.
            is_of_itself = named and not file_of(address).endswith(".html")
            shown = thing.whole if is_of_itself else thing.around
        elif owner in INDEXES:
            shown = self.kinds[owner]
        elif address.startswith("/media/"):
            shown = ""  # the name of an image changes with its bytes
        elif owner.startswith("/episodes") and named:
            shown = self.arrangement
        others = [(one, self.things.get(owner_of(one), NOTHING).briefly) for one in named]
        return crc32(repr((shown, others)).encode())

    def answer(self, address: str) -> tuple[bytes, list[str]]:
        """The file of the copy at an address, and the addresses that it names; b"" for none.

        At an address that leads on it has what is there.
        """
        if address.startswith("/static/"):
            with staticfiles_storage.open(address.removeprefix("/static/")) as file:
                return file.read(), []
        request = self.request(address)
        try:
            view, args, kwargs = resolve(request.path_info)
            response = view(request, *args, **kwargs)
        except Http404:
            return b"", []
        if isinstance(response, SimpleTemplateResponse):  # Django's own sitemaps
            response.render()
        if response.status_code in (301, 302):
            return self.answer(str(self.addresses.inner(response.headers["Location"], address)))
        return self.page(address, response) if response.status_code == 200 else (b"", [])

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

    def request(self, address: str) -> HttpRequest:
        return self.factory.get(address, secure=self.addresses.home.startswith("https"))


@cache
def owner_of(address: str) -> str:
    """The address of the thing that a page or file is of: `/topics/autograd/` for
    `/topics/autograd.rss?page=2`; of an index that of its first page."""
    path, _, query = address.partition("?")
    if key := dict(parse_qsl(query)).get("key"):
        return f"{path}?{urlencode({'key': key})}"
    kind, _, rest = path[1:].partition("/")
    slug = rest.partition("/")[0].partition(".")[0]
    return f"/{kind}/{slug}/" if slug else path


MOST_TEXT = 4_000_000  # characters of all notes together


def search_index() -> str:
    """The episodes of the lists as JSON, newest first: what a card shows and filters ask for, and
    the words that are searched (`words` are of topics, people, symbols and links)."""
    words = defaultdict[int, list[str]](list)
    people = defaultdict[int, list[str]](list)
    for episode, slug, name in Credit.objects.values_list(
        "episode", "person__slug", "person__name"
    ):
        people[episode].append(slug)
        words[episode].append(name)
    symbols = CodeMention.objects.order_by().values_list("episode", "name__name").distinct()
    links = EpisodeLink.objects.order_by().values_list("episode", "link__key", "link__title")
    told: Iterable[tuple[Any, ...]] = chain(symbols.iterator(), links.iterator())
    for episode, *names in told:
        words[episode] += names
    listed = Episode.objects.listed()
    most = MOST_TEXT // max(1, listed.count())
    found = []
    for e in listed.newest_first(one_show=False).for_list().in_batches():
        topics = e.topics_in_order
        aliases = [str(name) for topic in topics for name in (topic.name, *topic.aliases)]
        found.append(
            {
                "address": e.get_absolute_url(),
                "title": e.heading,
                "number": e.number_beside_title,
                "show": e.podcast.title,
                "podcast": e.podcast.slug,
                "date": str(e.published_at or "")[:10],
                "day": day(e.published_at) or "Undated",
                "seconds": e.duration_seconds,
                "length": minutes(e.duration_seconds),
                "topics": [topic.slug for topic in topics],
                "people": people[e.pk],
                "words": " · ".join([*aliases, *words[e.pk]]),
                "text": e.description_text[:most],
            }
        )
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))
