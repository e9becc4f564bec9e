"""A copy of the public site as static files, which any web server can serve (docs/sharing.md): its
addresses, its folder, and every page that these name, made anew where what it shows has changed."""

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from functools import cache, partial
from html import escape, unescape
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple, TextIO
from urllib.parse import (
    parse_qsl,
    quote,
    unquote,
    urldefrag,
    urlencode,
    urljoin,
    urlsplit,
)

import fastjsonschema
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.contrib.staticfiles.utils import get_files
from django.db.models import Case, F, Max, Model, Q, When
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import SimpleTemplateResponse
from django.templatetags.static import static
from django.test import RequestFactory
from django.test.utils import override_script_prefix, override_settings
from django.urls import resolve

from podcast_catalog.environment import program_fingerprint

from .models import (
    Attachment,
    Chapter,
    CodeMention,
    CodeName,
    Credit,
    Decision,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Image,
    LearningPath,
    Link,
    Person,
    Podcast,
    Reference,
    Source,
    Topic,
    Transcript,
)
from .site import site
from .text.fingerprints import fingerprint, stable_hash
from .text.formatting import day, minutes
from .views import page

# -- addresses: which file each is, and how pages of the copy name it ------------------------------

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
    """Addresses of a copy whose start page is `home`, without its slash. In this module an
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
        path += f"{stable_hash(key, 16)}/"
    name, number = unquote(path).lstrip("/"), asked.get("page", "1")
    if name.endswith("/") or not name:
        return f"{name}{'' if number == '1' else f'page/{number}/'}index.html"
    stem, dot, ending = name.rpartition(".")
    # A name without an ending leads on to another page.
    return (name if number == "1" else f"{stem}.page-{number}.{ending}") if dot else ""


def public(address: str) -> str:
    """The path at which the copy serves the file of an address."""
    return f"/{quote(file_of(address).removesuffix('index.html'))}"


# -- the folder: it names its own files in a list, and touches no other ----------------------------

LIST_OF_FILES = ".published.json"
NEW_LIST = ".published.new"
BEGUN = ".published.begun"  # files that a run wrote which did not end; it is locked meanwhile
USUAL = {".git", ".nojekyll", "CNAME"}  # what a folder for GitHub Pages may have before


class FolderRefused(Exception):
    """A folder, or a file in it, that is not ours."""


class Folder:
    """A folder with the files that earlier runs wrote: their paths with their fingerprints."""

    def __init__(self, path: Path, begun: TextIO) -> None:
        self.path, self.begun = path, begun
        self.known = _read_list_of_files(path / LIST_OF_FILES)
        begun.seek(0)
        lines = begun.read().splitlines()
        # What a run wrote that did not end has no known fingerprint.
        self.files: dict[str, str] = self.known.get("files", {}) | dict.fromkeys(lines, "")
        self.written = self.deleted = 0

    def has(self, name: str) -> bool:
        """True for a file that a run wrote which ended."""
        return bool(self.files.get(name)) and (self.path / name).exists()

    def write(self, name: str, body: bytes) -> None:
        """Write a file if its bytes are others than before.

        Raises:
            FolderRefused: somebody else put a file there, or a link that leads out of the folder.
        """
        path, written = self.path / name, fingerprint(body)
        if self.files.get(name) == written and path.exists():
            return
        is_strange = name not in self.files and path.exists() and path.read_bytes() != body
        if is_strange or not self._is_inside(path):
            raise FolderRefused(f"{path} is not ours: publish did not write it. Move it away.")
        self.begun.write(f"{name}\n")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        self.files[name] = written
        self.written += 1

    def end(self, kept: Iterable[str], more: dict[str, Any]) -> None:
        """Delete what no longer belongs to the copy, and write the list of its files with `more`."""
        for name in self.files.keys() - set(kept):
            path = self.path / name
            # A list that somebody edited names no file outside.
            if self._is_inside(path) and path.is_file():
                path.unlink()
                self.deleted += 1
            del self.files[name]
        text = json.dumps(more | {"files": self.files}, ensure_ascii=False, separators=(",", ":"))
        (self.path / NEW_LIST).write_text(text)
        (self.path / NEW_LIST).replace(self.path / LIST_OF_FILES)
        (self.path / BEGUN).unlink(missing_ok=True)

    def _is_inside(self, path: Path) -> bool:
        return path.resolve().is_relative_to(self.path.resolve())


@contextmanager
def folder_at(path: Path) -> Iterator[Folder]:
    """The folder of a copy, made where there is none, and locked for other runs.

    Raises:
        FolderRefused: it cannot be made, or has files, and none of them is ours, or another run
            writes to it.
        OSError: it cannot be read or written.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FolderRefused(f"{path} cannot be made a folder: {error.strerror}.") from None
    names = {file.name for file in path.iterdir()} - USUAL
    if names and names.isdisjoint((LIST_OF_FILES, BEGUN)):
        raise FolderRefused(f"{path} has files that publish did not write. Choose an empty folder.")
    with (path / BEGUN).open("a+", buffering=1) as begun:
        try:
            flock(begun, LOCK_EX | LOCK_NB)
            if not os.fstat(begun.fileno()).st_nlink:  # another run has ended since it was opened
                raise BlockingIOError
        except BlockingIOError:
            raise FolderRefused(
                f"Another publish is writing to {path}. Run it again when that one has ended."
            ) from None
        yield Folder(path, begun)


LISTED = fastjsonschema.compile(
    {
        "type": "object",
        "required": ["files", "pages"],
        "properties": {
            "files": {
                "type": "object",
                # No file has half a character in its name.
                "propertyNames": {"pattern": "^[^\0\ud800-\udfff]*$"},
                "additionalProperties": {"type": "string"},
            },
            "pages": {
                "type": "object",
                "additionalProperties": {
                    "type": "array",
                    "items": [{}],
                    "additionalItems": {"type": "string"},
                },
            },
        },
    }
)


def _read_list_of_files(path: Path) -> dict[str, Any]:
    """The list of the last run, which somebody may have edited."""
    try:
        found: dict[str, Any] = LISTED(json.loads(path.read_text()))
    except FileNotFoundError:
        return {}
    except (ValueError, RecursionError):
        raise FolderRefused(f"{path} is damaged. Delete it with the files of the copy.") from None
    return found


# -- fingerprints of what pages show: equal ones need not be made anew -----------------------------

THINGS: tuple[Any, ...] = (Podcast, Topic, Person, Link, CodeName, Episode)
# What is told of a thing on its own pages, and on those of both where it is between two.
PARTS: tuple[type[Model], ...] = (
    *(EpisodeTopic, EpisodeLink, Credit, CodeMention, Reference, Chapter, Transcript, Attachment),
)
# The columns that name the things which a row tells of.
OWNERS: dict[str, type[Model]] = {
    "podcast_id": Podcast,
    "topic_id": Topic,
    "person_id": Person,
    "link_id": Link,
    "name_id": CodeName,
    "episode_id": Episode,
    "target_id": Episode,
}
# What is on any page: the program, its settings, what is told of sources and shows.
EVERYWHERE: tuple[type[Model], ...] = (Podcast, Source, LearningPath)
# Columns that no page but an index shows, and those that follow from a file and its corrections.
UNSHOWN = {"episode_count", "text", "cues", "times"}
# Rows of a page are numbered; in a feed each new episode moves all others.
ROW = Case(When(~Q(item__document__source__reader="feed"), then=F("item__position")))
# Pages of episodes say how many others have a link.
BESIDE: dict[type[Model], dict[str, Any]] = {
    Attachment: {
        "gone": F("item__gone_version"),
        "said": Max("item__revisions__version"),
        "row": ROW,
    },
    Link: {"episodes_with_it": F("episode_count")},
}


Thing = tuple[type[Model], int]  # a model, and the key of a row


class Fingerprints(NamedTuple):
    """Fingerprints of a thing: `brief` of the values that pages of others show, `full` of all of its own
    values, `with_episodes` of these and of the episodes around it."""

    brief: str
    full: str
    with_episodes: str


def everywhere(home: str) -> str:
    """Return the fingerprint of what may be on any page."""
    own = program_fingerprint(
        settings.BASE_DIR, home, settings.SITE_NAME, settings.SITE_DESCRIPTION
    )
    covers = Image.objects.filter(address__in=Podcast.objects.values("image_url"))
    tables = [
        *(model._default_manager.all() for model in EVERYWHERE),
        Decision.objects.in_force("moment"),
    ]
    rows = [list(table.order_by("pk").values_list()) for table in tables]
    shown = rows, sorted(covers.values_list("address", "name")), sorted(site().filled)
    return fingerprint(own, shown)


def arrangement() -> str:
    """Return the fingerprint of the order and the counts of the episode list, which are on each of its
    pages."""
    placed = "pk", "order", "sorted_at", "listed", "published_at", "duration_seconds"
    tables = (
        Episode.objects.order_by("pk").values_list(*placed),
        EpisodeTopic.objects.order_by("pk").values_list("episode", "topic"),
        Topic.objects.order_by("pk").values_list("slug", "name", "group", "position"),
    )
    return fingerprint(*map(list, tables))


def fingerprints() -> dict[str, Fingerprints]:
    """Return the fingerprints of each thing by its address."""
    images = dict(Image.objects.values_list("address", "name"))
    brief: dict[Thing, str] = {}
    parts = defaultdict[Thing, list[str]](list)
    episodes_around: list[tuple[Thing, int]] = []
    for model in (*THINGS, *PARTS):
        names = [f.attname for f in model._meta.concrete_fields if f.name not in UNSHOWN]
        rows = model._default_manager.order_by().values("pk", *names, **BESIDE.get(model, {}))
        for row in rows.iterator():
            shown = row | {"image": images.get(row.get("image_url", ""))}
            brief[model, row["pk"]] = of_row = fingerprint(shown)
            parts[model, row["pk"]].append(of_row)
            for name in OWNERS.keys() & row.keys():
                owner = OWNERS[name], row[name]
                parts[owner].append(of_row)
                # An episode's page has the names of things without links to theirs.
                parts[Episode, row.get("episode_id", 0)].append(brief.get(owner, ""))
                episodes_around.append((owner, row.get("episode_id", row["pk"])))
    in_order = Episode.objects.listed().order_by("podcast", "order").values_list("pk", flat=True)
    for earlier, later in pairwise(in_order):
        episodes_around += [((Episode, earlier), later), ((Episode, later), earlier)]
    full = {thing: fingerprint(sorted(each)) for thing, each in parts.items()}
    # What a page counts of its episodes, such as people or years, may follow from any row of theirs.
    around = {thing: [each] for thing, each in full.items()}
    for thing, episode in episodes_around:
        around[thing].append(full.get((Episode, episode), ""))
    # Lists tell of an episode more than its row.
    brief |= {thing: each for thing, each in full.items() if thing[0] is Episode}
    return {
        thing.get_absolute_url(): Fingerprints(
            brief[model, thing.pk],
            full[model, thing.pk],
            fingerprint(sorted(around[model, thing.pk])),
        )
        for model in THINGS
        for thing in model._default_manager.only("key" if model is Link else "slug")
    }


# -- the copy --------------------------------------------------------------------------------------

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
NO_FINGERPRINTS = Fingerprints("", "", "")


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
        FolderRefused: the folder, or a file in it, is not ours, another run writes to it, or the
            static files are missing.
        OSError: the folder cannot be read or written.
    """
    if not staticfiles_storage.exists("css/site.css"):
        raise FolderRefused("The static files are missing. Run manage.py collectstatic first.")
    addresses = Addresses(home.rstrip("/"))
    with folder_at(path) as folder:
        copy = _Copy(folder, addresses, fingerprints(), watch)
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
        things: dict[str, Fingerprints],
        watch: Callable[[str], None],
    ) -> None:
        self.folder, self.addresses, self.things, self.watch = folder, addresses, things, watch
        self.everywhere, self.arrangement = everywhere(addresses.home), arrangement()
        # By the address of each page and file its fingerprint, and the addresses that it names.
        self.before: dict[str, list[Any]] = {}
        if folder.known.get("everywhere") == self.everywhere:
            self.before = folder.known["pages"]
        by_kind = defaultdict[str, list[str]](list)
        for address, thing in things.items():
            by_kind[f"/{address.split('/')[1]}/"].append(thing.full)
        self.kinds = {kind: fingerprint(sorted(each)) for kind, each in by_kind.items()}
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
        shown = self.fingerprint_of(address, named)
        is_current = known == shown and address not in OF_READINGS
        if not (is_current and self.folder.has(file_of(address))):
            body, named = self.answer(address)
            if not body:
                return []
            self.folder.write(file_of(address), body)
            self.made += 1
            self.watch(f"{self.made:,} pages made")
            shown = self.fingerprint_of(address, named)
        self.pages[address] = [shown, *named]
        return named

    def fingerprint_of(self, address: str, named: list[str]) -> str:
        """Return the fingerprint of what a page or file shows: of its thing, or of all on a list, and of
        the things that it names."""
        owner = owner_of(address)
        shown: object = self.kinds  # anything may be on it
        if thing := self.things.get(owner):
            # A feed names what it tells of; a table may have no address of ours.
            is_of_itself = named and not file_of(address).endswith(".html")
            shown = thing.full if is_of_itself else thing.with_episodes
        elif owner in INDEXES:
            shown = self.kinds.get(owner)
        elif address.startswith("/media/"):
            shown = ""  # the name of an image changes with its bytes
        elif owner.startswith("/episodes") and named:
            shown = self.arrangement
        others = [
            (other, self.things.get(owner_of(other), NO_FINGERPRINTS).brief) for other in named
        ]
        return fingerprint(shown, others)

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
