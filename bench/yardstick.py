"""`python -m bench.yardstick FOLDER`: how right the catalog is on feeds and pages with a key, beside
what feedparser alone reads. docs/yardstick.md has the format. It fills a database of its own.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import normalize

import feedparser

Row = dict[str, str]
Counts = Counter[str]
EXPECTED = "expected"  # begins the name of the column with the episodes of a feed
ADDRESS = re.compile(r"https?://\S+")
LINES = (  # of the table: its words, the count of what is right, and of what
    ("feeds with all their episodes", "feeds right", "feeds"),
    ("dates, lengths and audio equal to the feed's", "fields right", "fields"),
    ("episodes in the order of their dates", "order right", "order"),
    ("entries of pages attached", "attached", "listed"),
    ("attached wrongly", "wrong", "listed"),
    ("episodes that pages let in", "let in", "listed"),
    ("numbers right", "number right", "number due"),
    ("numbers wrong", "number wrong", "number due"),
    ("people: precision", "people right", "people shown"),
    ("people: recall", "people right", "people due"),
    ("links: recall", "link right", "link due"),
)


def main(folder: Path) -> None:
    """Score a folder in a new catalog and print the table."""
    if not (folder / "manifest.csv").is_file():
        sys.exit(f"{folder} is no folder with a manifest.csv (docs/yardstick.md has its format)")
    with tempfile.TemporaryDirectory() as temporary:
        os.environ.update(
            SECRET_KEY="yardstick-" + "x" * 60,
            DEBUG="off",
            ALLOWED_HOSTS="localhost",
            DATABASE_URL=f"sqlite:///{temporary}/catalog.sqlite3",
            DJANGO_SETTINGS_MODULE="podcast_catalog.settings",
        )
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        print(table(*score(folder)))


def table(ours: Counts, theirs: Counts) -> str:
    """The figures as Markdown; those that the folder has no key for are left out."""
    lines = ["| figure | catalog | feedparser alone |", "|---|--:|--:|"]
    for words, right, due in LINES:
        if ours[due]:
            cells = (
                f"{one[right]:,} / {one[due]:,}" if one[due] else "–" for one in (ours, theirs)
            )
            lines.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join(lines)


def score(folder: Path) -> tuple[Counts, Counts]:
    """Import the feeds and pages of a folder and count what is right, in the catalog and by
    feedparser; faults are printed to the error stream."""
    from episodes.models import Episode

    ours, theirs = Counter[str](), Counter[str]()
    slugs, parsed = {}, {}
    listed = _rows(folder / "manifest.csv")
    for row in (row for row in listed if row["kind"] == "feed"):
        body = (folder / row["file"]).read_bytes()
        body = gzip.decompress(body) if row["file"].endswith(".gz") else body
        parsed[row["show"]] = feedparser.parse(body)
        slugs[row["show"]] = _import_feed(row, body)
        _score_feed(row, slugs[row["show"]], parsed[row["show"]], ours, theirs)
    before = Episode.objects.count()
    key = defaultdict[str, Counts](Counter)
    for row in _rows(folder / "pages_key.csv"):
        key[row["page"]][fold(next(text for name, text in row.items() if "title" in name))] += 1
    for row in (row for row in listed if row["kind"] == "page" and slugs.get(row["show"])):
        _score_page(folder / row["file"], row, slugs[row["show"]], key, ours)
    ours["let in"] = Episode.objects.count() - before
    _score_values(_rows(folder / "values_key.csv"), slugs, parsed, ours, theirs)
    return ours, theirs


def fold(text: str) -> str:
    """A title in lower case, without markup and signs."""
    text = normalize("NFKC", re.sub(r"<[^>]*>", "", text)).casefold()
    return " ".join(re.sub(r"[\W_]+", " ", text).split())


def _rows(path: Path) -> list[Row]:
    text = path.read_text("utf-8") if path.exists() else ""
    return list(csv.DictReader(text.splitlines()))


def _address(row: Row) -> str:
    """The address in a row of the manifest, else one that is nobody's."""
    found = ADDRESS.search(row.get("address") or row.get("note") or "")
    return found[0] if found else f"https://{row['kind']}s.example.org/{row['show']}/{row['file']}"


def _ingest(path: Path, **options: str) -> None:
    from django.core.management import call_command

    output = io.StringIO()
    try:
        with redirect_stdout(output), redirect_stderr(output):
            call_command("ingest", str(path), **options)
    except SystemExit:
        print(path.name, output.getvalue(), file=sys.stderr)


def _import_feed(row: Row, body: bytes) -> str:
    """Import a feed; the slug of its show, "" where it was refused."""
    from episodes.models import Podcast

    before = set(Podcast.objects.values_list("slug", flat=True))
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary, f"{row['show']}.xml")
        path.write_bytes(body)
        _ingest(path, url=_address(row))
    return next(iter(Podcast.objects.exclude(slug__in=before).values_list("slug", flat=True)), "")


def _score_feed(row: Row, slug: str, feed: Any, ours: Counts, theirs: Counts) -> None:
    from episodes.models import Episode

    episodes = list(Episode.objects.filter(podcast__slug=slug).order_by("order"))
    wanted = next((text for name, text in row.items() if name.startswith(EXPECTED)), "")
    for counts, number in ((ours, len(episodes)), (theirs, len(feed.entries))):
        counts["feeds"] += 1
        counts["feeds right"] += number == int(wanted or len(feed.entries))
    by_guid = {episode.guid: episode for episode in episodes}
    for entry in feed.entries:
        found = by_guid.get(entry.get("id", ""))
        for stated, shown in _fields(entry, found) if found else ():
            ours["fields"] += 1
            ours["fields right"] += stated == shown
    dates = [episode.published_at for episode in episodes if episode.published_at]
    ours["order"] += max(0, len(dates) - 1)
    ours["order right"] += sum(one <= other for one, other in pairwise(dates))


def _fields(entry: Any, episode: Any) -> Iterator[tuple[Any, Any]]:
    """The values that feedparser reads of an entry, each with that of the catalog."""
    if at := entry.get("published_parsed"):
        yield tuple(at[:5]), episode.published_at and tuple(episode.published_at.timetuple()[:5])
    if (length := entry.get("itunes_duration", "")).isdecimal():
        yield int(length), episode.duration_seconds
    for enclosure in entry.get("enclosures", ())[:1]:
        yield enclosure.get("href"), episode.audio_url


def _score_page(path: Path, row: Row, slug: str, key: dict[str, Counts], ours: Counts) -> None:
    """Import a page and compare what its entries are attached to with the key."""
    from episodes.models import Attachment, Document

    before = set(Document.objects.values_list("pk", flat=True))
    _ingest(path, podcast=slug, url=_address(row))
    own = Attachment.objects.exclude(item__document__in=before)
    attached = Counter(fold(title) for title in own.values_list("episode__title", flat=True))
    due = key[path.name]
    ours["listed"] += due.total()
    ours["attached"] += (due & attached).total()
    ours["wrong"] += (attached - due).total()
    for title in (due - attached) + (attached - due):
        print(f"{path.name}: {title}", file=sys.stderr)


def _score_values(
    rows: Iterable[Row], slugs: dict[str, str], parsed: dict[str, Any], ours: Counts, theirs: Counts
) -> None:
    """Compare numbers, people and links with the key, episode by episode."""
    due = defaultdict[tuple[str, str, str], set[str]](set)
    for row in rows:
        due[row["show"], fold(row["title"]), row["field"]] |= {row["value"]} - {""}
    for (show, title, field), values in due.items():
        theirs_of = [e for e in parsed[show].entries if fold(e.get("title", "")) == title]
        for counts, shown in (
            (ours, _shown(slugs[show], title, field)),
            (theirs, {text for entry in theirs_of for text in _read(entry, field)}),
        ):
            wanted, got = (set(map(str.casefold, texts)) for texts in (values, shown))
            name = "people" if field in ("host", "guest") else field
            counts[f"{name} due"] += len(wanted)
            counts[f"{name} shown"] += len(got)
            counts[f"{name} right"] += len(wanted & got)
            counts[f"{name} wrong"] += len(got - wanted)


def _shown(slug: str, title: str, field: str) -> set[str]:
    """The values of an episode in the catalog."""
    from episodes.models import Episode

    every = Episode.objects.filter(podcast__slug=slug)
    found = [episode for episode in every if fold(episode.title) == title]
    if field == "number":
        return {str(episode.number) for episode in found if episode.number is not None}
    if field == "link":
        return {use.url for episode in found for use in episode.mentions.all()}
    return {
        credit.person.name for episode in found for credit in episode.credits.filter(role=field)
    }


def _read(entry: Any, field: str) -> list[str]:
    """The values that feedparser reads of an entry; it tells no hosts from guests."""
    if field == "link":
        return [link.href for link in entry.get("links", ()) if link.get("rel") == "alternate"]
    name = {"number": "itunes_episode", "host": "author"}.get(field, "")
    return [entry[name]] if entry.get(name) else []


if __name__ == "__main__":
    main(Path(*sys.argv[1:2]))
