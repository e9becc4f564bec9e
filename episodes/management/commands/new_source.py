"""`manage.py new_source`: begin a site's own reader, and the pair of page and expectation that it is tested with."""

from __future__ import annotations

import json
import keyword
import re
from argparse import SUPPRESS, ArgumentParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from ...gather import new_reader
from ...gather.html import address_of
from ...gather.learn import Learned, learn
from ...gather.names import names_show
from ...gather.sources import feed
from ...gather.store import known_entries
from ...gather.text import decode, is_html
from ...models import Podcast
from ...records import DocumentRejected, EntryData, FetchedDocument, Show

SLUG = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
FAINT = 0.9  # share of the entries below which the layout wants work


class Command(BaseCommand):
    help = (
        "Make the file of a site's own reader, and its test data, from a saved page. "
        "Exit 0: written; 1: the page has no two entries that can be found; 2: wrong usage, or it exists already."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="what the source is called: letters, digits and -")
        parser.add_argument("page", metavar="PAGE", type=Path, help="a saved page of the site, HTML or text")
        parser.add_argument("--url", default="", help="the address that the page is a copy of")
        parser.add_argument("--title", default="", help="the site's name, for people")
        parser.add_argument("--podcast", default="", help="the slug of the show that the page is about")
        parser.add_argument("--force", action="store_true", help="write over a reader that is there")
        parser.add_argument("--root", type=Path, default=settings.BASE_DIR, help=SUPPRESS)

    def handle(self, *args: Any, **options: Any) -> None:
        slug, root = options["slug"], options["root"]
        module = root / "episodes" / "gather" / "sources" / f"{slug.replace('-', '_')}.py"
        data = root / "episodes" / "tests" / "data" / slug
        if not SLUG.fullmatch(slug) or keyword.iskeyword(slug):
            raise CommandError(f"{slug!r} cannot name a source: lower-case letters, digits and -", returncode=2)
        if (module.exists() or data.exists()) and not options["force"]:
            there = module if module.exists() else data
            raise CommandError(f"{there.relative_to(root)} exists already; --force writes over it", returncode=2)
        page = self.page(options["page"], options["url"])
        try:
            show, known = self.show(options["podcast"], page)
            learned = learn(page, show, known)
        except DocumentRejected as refused:
            raise CommandError(f"{options['page']}: {refused}; nothing was written", returncode=1) from None
        host = (urlsplit(page.address).hostname or "").removeprefix("www.")
        title = options["title"] or learned.layout.sign or host or slug
        written = write(module, data, page, show, learned, title, host)
        self.report(written, root, learned, slug, module.stem)
        if new_reader.takes_any_show(page, learned, show):
            self.stderr.write("It would take the same page for another show's: say in LAYOUT where the show is named.")

    def page(self, path: Path, address: str) -> FetchedDocument:
        try:
            page = FetchedDocument(path.read_bytes(), address, name=path.name)
        except OSError as error:
            raise CommandError(f"{path}: {error.strerror}", returncode=2) from None
        try:
            return page if address else FetchedDocument(page.body, address_of(page), name=path.name)
        except DocumentRejected as refused:
            raise CommandError(f"{path}: {refused}; nothing was written", returncode=1) from None

    def show(self, slug: str, page: FetchedDocument) -> tuple[Show, list[EntryData]]:
        """The show that the page is about, and what is known of its episodes: from the catalog, else from `fixtures/`."""
        try:
            podcasts = list(Podcast.objects.all())
        except DatabaseError:
            podcasts = []
        if slug:
            podcasts = [podcast for podcast in podcasts if podcast.slug == slug]
        elif len(podcasts) > 1:
            podcasts = [podcast for podcast in podcasts if names_show(page, podcast.title)]
        if len(podcasts) > 1:
            raise CommandError("several shows are named on the page; say which with --podcast", returncode=2)
        if podcasts and (known := known_entries(podcasts[0])):
            return podcasts[0].show, known
        shown = shipped_show()
        if slug not in ("", shown.slug):
            raise CommandError(f"no podcast with episodes is called {slug!r}", returncode=2)
        body = (settings.BASE_DIR / "fixtures" / "feed.xml").read_bytes()
        return shown, list(feed.read(FetchedDocument(body), shown).entries)

    def report(self, written: list[Path], root: Path, learned: Learned, slug: str, module: str) -> None:
        found = len(learned.reading.entries)
        foreign = f", {learned.reading.foreign} of other shows left alone" if learned.reading.foreign else ""
        for path in written:
            self.stdout.write(f"wrote {path.relative_to(root)}")
        self.stdout.write(
            f"{found} entries{foreign}; the general reader finds {learned.known}, "
            f"{max(0, round(100 * learned.share))} % of what it says of them is found again"
        )
        if learned.share < FAINT:
            self.stdout.write("That is little: correct the layout before you use it.")
        self.stdout.write(
            "Next:\n"
            f"  1. read {written[2].relative_to(root)}: is every title, date and text what the page says?\n"
            f"  2. correct LAYOUT in {written[0].relative_to(root)} and the expected file, where they are not right\n"
            f"  3. pytest episodes/tests/gather/test_pages.py -k {slug}\n"
            f"  4. add the source in the admin or to fixtures/sources.json, with reader {slug!r}, and\n"
            f"     manage.py ingest PAGE --source {slug}"
        )


def write(
    module: Path, data: Path, page: FetchedDocument, show: Show, learned: Learned, title: str, host: str
) -> list[Path]:
    """Write the reader, the page with its expectation, and a page that it refuses with its own; their paths."""
    own = data / ("page.html" if is_html(decode(page)) else "page.txt")
    other = new_reader.other_page(title)
    shipped = shipped_show()
    expected = new_reader.payload(learned.reading, page.address, "" if show.title == shipped.title else show.title)
    refused = {"refused": new_reader.refusal(FetchedDocument(other.encode()), show, learned.layout)}
    files: list[tuple[Path, bytes]] = [
        (module, new_reader.module(learned, title, host).encode()),
        (own, page.body),
        (data / "page.expected.json", dump(expected)),
        (data / "other.txt", other.encode()),
        (data / "other.expected.json", dump(refused)),
    ]
    for path, body in files:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    for stale in {data / "page.html", data / "page.txt"} - {own}:
        stale.unlink(missing_ok=True)
    return [path for path, _ in files]


def dump(said: dict[str, Any]) -> bytes:
    return (json.dumps(said, ensure_ascii=False, indent=1) + "\n").encode()


def shipped_show() -> Show:
    rows = json.loads((settings.BASE_DIR / "fixtures" / "sources.json").read_text("utf-8"))
    about = next(row["fields"] for row in rows if row["model"] == "episodes.podcast")
    return Show(**{name: about[name] for name in ("slug", "title", "feed_url", "site_url", "author", "language")})
