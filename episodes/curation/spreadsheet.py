"""The catalog as a sheet that people edit in a spreadsheet, and what they changed in it when it comes back."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import islice

from django.db.models import Prefetch, QuerySet

from ..fields import BY_NAME, CSV, OVERRIDABLE
from ..models import BATCH, Attachment, Episode, EpisodeTopic, FormerTopic, Topic, batches
from ..text.formulas import as_meant, harmless
from .addresses import trouble_with_address
from .entries import entries, tokens
from .history import Batch, Impossible, User, together
from .lists import add, remove
from .verbs import clean, override

FIELDS = tuple(field.name for field in OVERRIDABLE)
EDITED = (*FIELDS, "topics")
COLUMNS = (*CSV, *(name for name in FIELDS if name not in CSV), "source", "item_key", "as_downloaded")
LARGEST_SHEET = 5_000_000
MOST_COLUMNS = 200
MOST_ROWS = 20_000
DELIMITERS = ",;\t"
CELL = 32_000  # a little less than what a spreadsheet keeps of a cell; the rest it drops without a word
DIGEST = 6


class Unreadable(Exception):
    """The file is no sheet; the message is for the person."""


@dataclass(frozen=True)
class Cell:
    """A difference: of a field its value, of the topics one that comes or goes. `doubt`: why it is not ticked."""

    field: str
    now: str
    new: str
    doubt: str = ""


@dataclass
class SheetRow:
    """An episode of the sheet with what is different in it."""

    line: int
    slug: str
    heading: str
    token: str
    cells: list[Cell] = field(default_factory=list)


@dataclass
class Spreadsheet:
    """The content of a sheet: rows with differences, and its problems in words."""

    rows: list[SheetRow] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    read: int = 0


# --- Out -------------------------------------------------------------------------------------------------------------


def write_sheet(episodes: QuerySet[Episode]) -> bytes:
    """The sheet of some episodes, in the order of the query; UTF-8 with the mark that spreadsheets know it by."""
    uses = EpisodeTopic.objects.select_related("topic")
    rows = list(episodes.select_related("podcast").prefetch_related(Prefetch("topic_uses", uses)).iterator(BATCH))
    known = entries(rows)
    seen = tokens(rows, known)
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for episode in rows:
        values = values_of(episode)
        source, key = known[episode.pk][0] if known[episode.pk] else ("", "")
        anchored = {"podcast": episode.podcast.slug, "source": source, "item_key": key}
        state = f"{seen[episode.pk]}-{''.join(digest(values[name]) for name in EDITED)}"
        whole = {**values, **anchored, "as_downloaded": state}
        writer.writerow([harmless(whole[name]) for name in COLUMNS])
    return out.getvalue().encode("utf-8-sig", "replace")


def values_of(episode: Episode) -> dict[str, str]:
    topics = " ".join(sorted(use.topic.slug for use in episode.topic_uses.all()))
    return {**{name: BY_NAME[name].shown(episode) for name in FIELDS}, "topics": topics}


def even(value: str) -> str:
    """A value without what spreadsheets change on their own."""
    return value.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").strip()


def digest(value: str) -> str:
    return sha256(even(value).encode("utf-8", "replace")).hexdigest()[:DIGEST]


# --- In --------------------------------------------------------------------------------------------------------------


def read_sheet(body: bytes) -> Spreadsheet:
    """Differences in a sheet that comes back.

    Raises:
        Unreadable: it is too large, in an unknown encoding, or its columns are none of ours, or too many, or named twice.
    """
    sheet = Spreadsheet()
    records = _records(body, sheet)
    finder = _Finder()
    taken: dict[int, int] = {}
    for line, record in records:
        sheet.read += 1
        episode = finder.find(record)
        if episode is None:
            sheet.problems.append(f"Row {line}: no episode is “{_name(record)}”.")
        elif episode.pk in taken:
            sheet.problems.append(f"Row {line}: the same episode as row {taken[episode.pk]}; only that one was read.")
        else:
            taken[episode.pk] = line
            row = SheetRow(line, episode.slug, episode.heading, _downloaded(record)[0] or finder.tokens[episode.pk])
            row.cells = list(_cells(episode, record, line, sheet.problems, finder))
            if row.cells:
                sheet.rows.append(row)
    return sheet


def _records(body: bytes, sheet: Spreadsheet) -> list[tuple[int, dict[str, str]]]:
    if len(body) > LARGEST_SHEET:
        raise Unreadable(f"The file is larger than {LARGEST_SHEET // 1_000_000} MB.")
    names, *rows = _rows(_decoded(body)) or [[]]
    names = [name.strip().lower() for name in names]
    _judge(names)
    sheet.problems += [f"The column “{name[:40]}” is not read." for name in dict.fromkeys(names) if name not in COLUMNS]
    found = []
    for line, row in enumerate(rows, 2):
        if any(row[len(names) :]):
            sheet.problems.append(f"Row {line} has more cells than there are columns; those were not read.")
        if any(row):
            found.append((line, {n: as_meant(cell) for n, cell in zip(names, row, strict=False) if n in COLUMNS}))
    return found


def _rows(text: str) -> list[list[str]]:
    first, _, rest = text.partition("\n")
    if re.fullmatch(r"\"?sep=.\"?\r?", first):
        text = rest
    header = re.split(r"[\r\n]", text, maxsplit=1)[0]
    # Counted before anything is done for each column: a line of commas would make millions of them.
    columns = 1 + max(header.count(sign) for sign in DELIMITERS)
    if columns > MOST_COLUMNS:
        raise Unreadable(f"The first row has {columns:,} columns; at most {MOST_COLUMNS} can be read.")
    delimiter = max(DELIMITERS, key=lambda sign: len({n.strip().strip('"') for n in header.split(sign)} & set(COLUMNS)))
    try:
        rows = list(islice(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), MOST_ROWS + 2))
    except csv.Error as error:
        raise Unreadable(f"The file cannot be read as rows and columns: {error}.") from None
    if len(rows) > MOST_ROWS + 1:
        raise Unreadable(f"The file has more than {MOST_ROWS:,} rows; upload it in parts.")
    return rows


def _judge(names: Sequence[str]) -> None:
    """Refuse column names that do not say what to read."""
    if not set(names) & {"slug", "item_key"}:
        raise Unreadable(
            "The first row must name the columns; “slug”, or “source” and “item_key”, say which episode is meant."
        )
    twice = [f"“{name}”" for name, count in Counter(names).items() if count > 1 and name in COLUMNS]
    if twice:
        raise Unreadable(f"The first row names a column more than once: {', '.join(twice)}. Leave one of each.")


def _decoded(body: bytes) -> str:
    encoding = "utf-16" if body[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return body.decode(encoding)
    except UnicodeDecodeError:
        raise Unreadable("The file is neither UTF-8 nor UTF-16. In Excel, save it as “CSV UTF-8”.") from None


def _name(record: Mapping[str, str]) -> str:
    return (record.get("slug") or record.get("title") or record.get("item_key") or "")[:80]


def _downloaded(record: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The episode's token at the download, and digests of its cells, by column; {} for a sheet without them, or another
    version's."""
    token, _, digests = record.get("as_downloaded", "").strip().partition("-")
    if len(digests) != DIGEST * len(EDITED):
        return token[:16], {}
    return token[:16], {name: digests[place * DIGEST :][:DIGEST] for place, name in enumerate(EDITED)}


class _Finder:
    """All episodes with what tells them, asked for once."""

    def __init__(self) -> None:
        uses = EpisodeTopic.objects.select_related("topic")
        every = Episode.objects.select_related("podcast").prefetch_related(Prefetch("topic_uses", uses)).order_by("pk")
        self.episodes = list(every.in_batches())
        self.tokens = tokens(self.episodes)
        by_id = {e.pk: e for e in self.episodes}
        rows = Attachment.objects.values_list(
            "episode", "episode__podcast__slug", "item__document__source__slug", "item__key"
        )
        self.by_entry = {(show, source, key): by_id[pk] for pk, show, source, key in rows if pk in by_id}
        self.by_slug = {e.slug: e for e in self.episodes}
        self.topics = {slug: slug for slug in Topic.objects.values_list("slug", flat=True)}
        former = FormerTopic.objects.exclude(topic=None).values_list("slug", "topic__slug")
        self.topics |= {old: str(now) for old, now in former if old not in self.topics}

    def find(self, record: Mapping[str, str]) -> Episode | None:
        where = tuple(record.get(name, "").strip() for name in ("podcast", "source", "item_key"))
        found = self.by_entry.get((where[0], where[1], where[2]))
        if found is None and not where[2]:
            found = self.by_slug.get(record.get("slug", "").strip())
        return found if found is None or where[0] in ("", found.podcast.slug) else None


def _cells(
    episode: Episode, record: Mapping[str, str], line: int, problems: list[str], finder: _Finder
) -> Iterator[Cell]:
    """The cells that a person changed since the sheet was made; without that knowledge, those that differ."""
    now, (_, downloaded) = values_of(episode), _downloaded(record)
    for name in EDITED:
        # Without the entry's key the address only says which episode is meant.
        if name not in record or (name == "slug" and not record.get("item_key")):
            continue
        new, before = even(record[name]), downloaded.get(name)
        if new == even(now[name]) or digest(new) == before:
            continue
        try:
            _check(episode, name, new, now[name])
            doubt = "" if before in (None, digest(now[name])) else "changed in the catalog since the download"
            yield from (
                _topics(now[name], new, doubt, finder) if name == "topics" else _field(name, now[name], new, doubt)
            )
        except Impossible as trouble:
            problems.append(f"Row {line}, {trouble}")


def _check(episode: Episode, name: str, new: str, now: str) -> None:
    """Refuse what cannot be meant.

    Raises:
        Impossible: the spreadsheet cut the text off, or the address is another episode's.
    """
    if len(new) >= CELL and even(now).startswith(new):
        raise Impossible(f"{name}: the spreadsheet cut the text off; it was not read.")
    if name == "slug" and (taken := trouble_with_address(new, episode.podcast, [episode])):
        raise Impossible(f"slug: {taken}")


def _field(name: str, now: str, new: str, doubt: str) -> Iterator[Cell]:
    try:
        value = clean(name, new)
    except Impossible as trouble:
        raise Impossible(f"{trouble} Not “{new[:60]}”.") from None
    if value != now:
        yield Cell(name, now, value, doubt or ("would be empty" if not value else ""))


def _topics(now: str, new: str, doubt: str, finder: _Finder) -> Iterator[Cell]:
    slugs = new.replace(",", " ").replace(";", " ").split()
    if unknown := [slug for slug in slugs if slug not in finder.topics]:
        raise Impossible(f"topics: there is no topic “{unknown[0][:60]}”.")
    had, wanted = set(now.split()), {finder.topics[slug] for slug in slugs}
    yield from (Cell("topics", "", slug, doubt) for slug in sorted(wanted - had))
    yield from (Cell("topics", slug, "", doubt) for slug in sorted(had - wanted))


# --- Applied ---------------------------------------------------------------------------------------------------------


def apply_rows(user: User, rows: Sequence[SheetRow], *, reason: str = "") -> tuple[Batch, list[str]]:
    """Make overrides, additions and removals of the cells; an episode that somebody changed since is told, and left."""
    episodes = Episode.objects.select_related("podcast")
    by_slug = {e.slug: e for some in batches([row.slug for row in rows]) for e in episodes.filter(slug__in=some)}
    podcasts = {e.podcast_id: e.podcast for e in by_slug.values()}
    with together("spreadsheet", podcasts.values()) as batch:
        refused = batch.each((row.heading, partial(_apply, user, by_slug.get(row.slug), row, reason)) for row in rows)
    return batch, refused


def _apply(user: User, episode: Episode | None, row: SheetRow, reason: str) -> None:
    if episode is None:
        raise Impossible("its address changed or it is gone since you downloaded the sheet; download it again.")
    values = {cell.field: cell.new for cell in row.cells if cell.field != "topics"}
    override(user, episode, values, seen=row.token, reason=reason)
    for cell in (cell for cell in row.cells if cell.field == "topics"):
        change = add if cell.new else remove
        change(user, episode, "topic", cell.new or cell.now, seen=row.token, reason=reason)
