"""The catalog as a CSV sheet that people edit in a spreadsheet, and what they changed in it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Any

from django.db.models import Prefetch, QuerySet

from ..fields import BY_NAME, CSV, OVERRIDABLE
from ..models import ADDED, BATCH, REMOVED, Episode, EpisodeTopic, batches, episodes_at
from ..text.formulas import as_meant, harmless
from .history import Batch, Impossible, Stale, User, together
from .lists import put, topic_names
from .verbs import changing_episode, clean, lock

LABELS = {one.name: one.label for one in OVERRIDABLE if one.name != "slug"} | {"topics": "Topics"}
EDITED = tuple(LABELS)  # the address names the episode
COLUMNS = tuple(dict.fromkeys((*CSV, *EDITED, "as_downloaded")))
LARGEST_SHEET = 5_000_000
MOST_COLUMNS = 200
MOST_ROWS = 20_000
DELIMITERS = ",;\t"
CELL = 32_000  # a little less than what a spreadsheet keeps of a cell; it drops the rest silently
DIGEST = 6
CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32)))  # which spreadsheets drop
CLASH = "changed in the catalog since the download"

Record = Mapping[str, str]  # a row of the sheet, by column
csv.field_size_limit(LARGEST_SHEET)  # notes are longer than Python's default limit


class Unreadable(Exception):
    """The file is no sheet; the message is for the person."""


@dataclass(frozen=True)
class Cell:
    """A difference between the catalog and the sheet. `doubt` says why it is not ticked."""

    field: str
    now: str
    new: str
    doubt: str = ""

    @property
    def label(self) -> str:
        return LABELS[self.field]


@dataclass
class SheetRow:
    """An episode with what is different in the sheet."""

    line: int
    slug: str
    heading: str
    cells: list[Cell] = field(default_factory=list)


@dataclass
class Spreadsheet:
    """The content of a sheet: rows with differences, and its problems in words."""

    rows: list[SheetRow] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    read: int = 0


# --- Out ---------------------------------------------------------------------------------------


def write_sheet(episodes: QuerySet[Episode]) -> bytes:
    """The sheet of some episodes, in the order of the query. It begins with the mark by which
    spreadsheets know UTF-8, and no cell is run as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for episode in _with_topics(episodes).iterator(BATCH):
        values = values_of(episode)
        digests = "".join(digest(values[name]) for name in EDITED)
        values |= {"slug": episode.slug, "podcast": episode.podcast.slug, "as_downloaded": digests}
        writer.writerow([harmless(values[name]) for name in COLUMNS])
    return out.getvalue().encode("utf-8-sig", "replace")


def _with_topics(episodes: Any) -> Any:
    uses = EpisodeTopic.objects.select_related("topic")
    return episodes.select_related("podcast").prefetch_related(Prefetch("topic_uses", uses))


def values_of(episode: Episode) -> dict[str, str]:
    values = {name: BY_NAME[name].shown(episode) for name in EDITED if name != "topics"}
    return values | {"topics": " ".join(sorted(use.topic.slug for use in episode.topic_uses.all()))}


def even(value: str) -> str:
    """A value without what spreadsheets change on their own."""
    return value.replace("\r\n", "\n").replace("\r", "\n").translate(CONTROLS).strip()


def digest(value: str) -> str:
    return sha256(even(value).encode("utf-8", "replace")).hexdigest()[:DIGEST]


# --- In ----------------------------------------------------------------------------------------


def read_sheet(body: bytes) -> Spreadsheet:
    """Differences in a sheet that comes back.

    Raises:
        Unreadable: it is no CSV in UTF-8, too large, or its columns do not say what to read.
    """
    sheet = Spreadsheet()
    records = dict(_records(_table(body), sheet.problems))
    sheet.read = len(records)
    named = _named({record["slug"] for record in records.values()})
    topics = topic_names()
    for line, record in records.items():
        # Of an episode that is there twice the first row counts.
        episode = named.pop(record["slug"], None)
        if episode is None:
            sheet.problems.append(f"Row {line}: no other episode is “{record['slug'][:80]}”.")
            continue
        row = _row(line, record, episode, topics, sheet.problems)
        if row.cells:
            sheet.rows.append(row)
    return sheet


def _table(body: bytes) -> list[list[str]]:
    """The cells of a file; the first row names the columns."""
    if len(body) > LARGEST_SHEET:
        raise Unreadable(f"The file is larger than {LARGEST_SHEET // 1_000_000} MB.")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable("This is no text in UTF-8. Save the sheet as CSV UTF-8.") from None
    header = text.replace("\r", "\n").partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)
    # Counted before anything is done for each column: a line of commas would make millions of them.
    if (count := 1 + header.count(delimiter)) > MOST_COLUMNS:
        raise Unreadable(f"The first row has {count:,} columns; at most {MOST_COLUMNS} are read.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = list(islice(reader, MOST_ROWS + 2))
    except csv.Error as error:
        raise Unreadable(
            f"Line {reader.line_num} cannot be read as cells: {error}. A quotation mark may be missing."
        ) from None
    if len(rows) > MOST_ROWS + 1:
        raise Unreadable(f"The file has more than {MOST_ROWS:,} rows; upload it in parts.")
    return rows


def _records(table: list[list[str]], problems: list[str]) -> Iterator[tuple[int, Record]]:
    """The rows by their numbers, without columns that are none of ours.

    Raises:
        Unreadable: no column says which episode is meant, or one is named twice.
    """
    columns = [name.strip().lower() for name in next(iter(table), [])]
    ours = [name for name in columns if name in COLUMNS]
    if "slug" not in ours or len(set(ours)) < len(ours):
        raise Unreadable(
            "The first row must name the columns, each once; “slug” says which episode is meant."
        )
    unknown = sorted({name[:40] for name in columns} - {"", *COLUMNS})
    problems += [f"The column “{name}” is not read." for name in unknown]
    for line, row in enumerate(table[1:], 2):
        if any(row[len(columns) :]):
            problems.append(f"Row {line} has more cells than there are columns.")
        if any(row):
            cells = {"slug": "", **dict(zip(columns, map(as_meant, row), strict=False))}
            yield line, cells | {"slug": even(cells["slug"])}


def _named(slugs: Iterable[str]) -> dict[str, Episode]:
    """The episodes that rows name, by an address that they have or had."""
    rows = _with_topics(Episode.objects.all())
    found: dict[str, Episode] = {}
    for some in batches(sorted(slugs)):
        found |= episodes_at(some, rows)
    return found


def _row(
    line: int,
    record: Record,
    episode: Episode,
    topics: Mapping[str, str],
    problems: list[str],
) -> SheetRow:
    """The cells that a person changed since the sheet was made, else those that differ."""
    digests = record.get("as_downloaded", "").strip()
    parts = [digests[start : start + DIGEST] for start in range(0, len(digests), DIGEST)]
    before = dict(zip(EDITED, parts, strict=False)) if len(parts) == len(EDITED) else {}
    row = SheetRow(line, episode.slug, episode.heading)
    for name, now in values_of(episode).items():
        new = even(record.get(name, now))
        if new == even(now) or digest(new) == before.get(name):
            continue
        clash = CLASH if before.get(name, digest(now)) != digest(now) else ""
        try:
            value = _as_stored(name, now, new, topics)
        except Impossible as trouble:
            problems.append(f"Row {line}, {trouble}")
            continue
        if value != now:
            row.cells.append(Cell(name, now, value, clash or _loss(name, now, new)))
    return row


def _as_stored(name: str, now: str, new: str, topics: Mapping[str, str]) -> str:
    """A cell as the catalog keeps it; topics by slug, parted by blanks, commas or semicolons.

    Raises:
        Impossible: it is no value of its field, or the spreadsheet cut its text off.
    """
    if len(new) >= CELL and even(now).startswith(new):
        raise Impossible(f"{LABELS[name]}: the spreadsheet cut the text off; it was not read.")
    if name != "topics":
        return clean(name, new)
    wanted = new.casefold().replace(",", " ").replace(";", " ").split()
    try:
        return " ".join(sorted({topics[called] for called in wanted}))
    except KeyError as unknown:
        raise Impossible(
            f"Topics: there is no topic “{unknown.args[0][:60]}”. Enter slugs."
        ) from None


def _loss(name: str, now: str, new: str) -> str:
    """What would be lost with the value now; "" for nothing."""
    if not new:
        return "would be empty"
    if name == "topics" or not now:
        return ""
    stated = BY_NAME[name]
    before = stated.parse(now)
    less = before is not None and stated.refines(before, stated.typed(new))
    return "less exact than now" if less else ""


# --- Applied -----------------------------------------------------------------------------------


def apply_rows(
    user: User, rows: Sequence[SheetRow], *, reason: str = ""
) -> tuple[Batch, list[str]]:
    """Make decisions of the cells. An episode of which somebody changed these since is told, and
    left."""
    named = _named(row.slug for row in rows)
    shows = {episode.podcast_id: episode.podcast for episode in named.values()}
    with together("spreadsheet", shows.values()) as batch:
        refused = batch.each(
            (row.heading, partial(_apply, user, named.get(row.slug), row, reason)) for row in rows
        )
    return batch, refused


def _apply(user: User, episode: Episode | None, row: SheetRow, reason: str) -> None:
    if episode is None:
        raise Impossible("it is gone since you downloaded the sheet; download it again.")
    now = values_of(episode)
    if moved := [cell.label for cell in row.cells if now[cell.field] != cell.now]:
        raise Stale(f"somebody changed {', '.join(moved)} since you uploaded the sheet.")
    wanted = {cell.field: cell.new for cell in row.cells}
    topics, had = set(wanted.pop("topics", now["topics"]).split()), set(now["topics"].split())
    with changing_episode(user, "edit", episode, "", reason) as record:
        lock(record, [episode], wanted, reason)
        for slug in sorted(topics ^ had):
            value = ADDED if slug in topics else REMOVED
            put(record, episode, "topic", slug, value, reason=reason)
