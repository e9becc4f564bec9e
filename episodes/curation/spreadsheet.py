"""The catalog as a CSV sheet that people edit in a spreadsheet, and what they changed in it."""

import csv
import io
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any

from django.db.models import QuerySet

from ..fields import BY_NAME, CSV, OVERRIDABLE
from ..gather import within_limits
from ..models import ADDED, BATCH, REMOVED, Episode, batches, episodes_at
from ..text.fingerprints import fingerprint
from ..text.formulas import as_meant, harmless
from .decide import (
    changing_episode,
    clean_value,
    decide_list_entry,
    lock_fields,
    topic_slugs_by_name,
)
from .history import AnyUser, Batch, InvalidChange, batch_changes
from .sources import report_rejections

COLUMN_LABELS = {one.name: one.label for one in OVERRIDABLE if one.name != "slug"} | {
    "topics": "Topics"
}
EDITABLE_COLUMNS = tuple(COLUMN_LABELS)  # the address names the episode
SHEET_COLUMNS = tuple(dict.fromkeys((*CSV, *EDITABLE_COLUMNS, "as_downloaded")))
MAX_SHEET_BYTES = 5_000_000  # bytes
MOST_COLUMNS = 200
MOST_ROWS = 20_000
# Spreadsheets of some countries write semicolons, as the comma is in their numbers.
DELIMITERS = ",;\t"
CELL = 32_000  # a little less than what a spreadsheet keeps of a cell; it drops the rest silently
TOPICS = "topic_uses__topic"
CELL_FINGERPRINT = 6  # characters
CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32)))  # which spreadsheets drop
CLASH = "changed in the catalog since the download"


@dataclass(frozen=True)
class CellDifference:
    """A difference between the catalog and the sheet. `doubt` says why it is not ticked."""

    line: int
    episode: Episode
    field: str
    now: str
    new: str
    doubt: str

    @property
    def label(self) -> str:
        return COLUMN_LABELS[self.field]

    @property
    def token(self) -> str:
        """Its name in a form: another one as soon as either value is another."""
        return fingerprint(self.episode.slug, self.field, self.now, self.new)


@dataclass
class SheetDifferences:
    """The content of a sheet: its differences, row by row, and its problems in words."""

    cells: list[CellDifference] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    read: int = 0


# --- Out ---------------------------------------------------------------------------------------


def write_sheet(episodes: QuerySet[Episode]) -> bytes:
    """The sheet of some episodes, in the order of the query. It begins with the mark by which
    spreadsheets know UTF-8, and no cell is run as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(SHEET_COLUMNS)
    rows: Any = episodes.select_related("podcast").prefetch_related(TOPICS)
    for episode in rows.iterator(BATCH):
        values = cell_values(episode)
        values |= {
            "slug": episode.slug,
            "podcast": episode.podcast.slug,
            "as_downloaded": "".join(cell_fingerprint(values[name]) for name in EDITABLE_COLUMNS),
        }
        writer.writerow([harmless(values[name]) for name in SHEET_COLUMNS])
    return out.getvalue().encode("utf-8-sig", "replace")


def cell_values(episode: Episode) -> dict[str, str]:
    values = {name: BY_NAME[name].shown(episode) for name in EDITABLE_COLUMNS if name != "topics"}
    return values | {"topics": " ".join(sorted(use.topic.slug for use in episode.topic_uses.all()))}


def normalize_cell(value: str) -> str:
    """A value without what spreadsheets change on their own."""
    return value.replace("\r\n", "\n").replace("\r", "\n").translate(CONTROLS).strip()


def cell_fingerprint(value: str) -> str:
    """Return the short fingerprint of a value, for the column of what was downloaded."""
    return fingerprint(normalize_cell(value))[:CELL_FINGERPRINT]


# --- In ----------------------------------------------------------------------------------------


def read_sheet(text: str) -> SheetDifferences:
    """Differences in a sheet that comes back.

    Raises:
        Impossible: it is no CSV, too large, or no column says which episode is meant.
    """
    with report_rejections():
        columns, *rows = within_limits(_table, text)
    sheet = SheetDifferences()
    for name in sorted({*columns} - {"", *SHEET_COLUMNS}):
        sheet.problems.append(f"The column “{name[:40]}” is not read.")
    records: dict[int, dict[str, str]] = {}
    for line, row in enumerate(rows, 2):
        # A comma without quotation marks moves all cells behind it into wrong columns.
        if any(row[len(columns) :]):
            sheet.problems.append(f"Row {line} has more cells than there are columns.")
        elif "".join(row):
            records[line] = {"slug": "", **dict(zip(columns, map(as_meant, row), strict=False))}
    sheet.read, topics = len(records), topic_slugs_by_name()
    named: dict[str, Episode] = {}  # by addresses that they have or had
    for some in batches(sorted({normalize_cell(record["slug"]) for record in records.values()})):
        named |= episodes_at(
            some, Episode.objects.select_related("podcast").prefetch_related(TOPICS)
        )
    for line, record in records.items():
        if episode := named.get(normalize_cell(record["slug"])):
            _compare(line, record, episode, topics, sheet)
        else:
            sheet.problems.append(f"Row {line}: there is no episode “{record['slug'][:80]}”.")
    return sheet


def _table(text: str) -> list[list[str]]:
    """The cells of a sheet; the first row names the columns."""
    header = text.replace("\r", "\n").partition("\n")[0]
    delimiter = max(DELIMITERS, key=header.count)
    # Counted before anything is done for each column: a line of commas would make millions of them.
    if (count := 1 + header.count(delimiter)) > MOST_COLUMNS:
        raise InvalidChange(
            f"The first row has {count:,} columns; at most {MOST_COLUMNS} are read."
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header_row, *rows = list(islice(reader, MOST_ROWS + 2)) or [[]]
    except csv.Error as error:
        raise InvalidChange(
            f"Line {reader.line_num} cannot be read as cells: {error}. "
            "A quotation mark may be missing."
        ) from None
    if len(rows) > MOST_ROWS:
        raise InvalidChange(f"The file has more than {MOST_ROWS:,} rows; upload it in parts.")
    columns = [name.strip().lower() for name in header_row]
    read = [name for name in columns if name in SHEET_COLUMNS]
    if "slug" not in columns or len(read) > len(set(read)):
        raise InvalidChange(
            "The first row must name the columns, each once; “slug” says which episode is meant."
        )
    return [columns, *rows]


def _compare(
    line: int,
    record: Mapping[str, str],
    episode: Episode,
    topics: Mapping[str, str],
    sheet: SheetDifferences,
) -> None:
    """Add the cells that a person changed since the sheet was made, else those that differ."""
    downloaded = record.get("as_downloaded", "").strip()
    starts = range(0, len(downloaded), CELL_FINGERPRINT)
    parts = [downloaded[start : start + CELL_FINGERPRINT] for start in starts]
    # A column of another length is of an earlier version, or was edited.
    before = (
        dict(zip(EDITABLE_COLUMNS, parts, strict=False))
        if len(parts) == len(EDITABLE_COLUMNS)
        else {}
    )
    for name, now in cell_values(episode).items():
        new = normalize_cell(record.get(name, now))
        if new == normalize_cell(now) or cell_fingerprint(new) == before.get(name):
            continue
        try:
            value = _topics(new, topics) if name == "topics" else clean_value(name, new)
        except InvalidChange as trouble:
            sheet.problems.append(f"Row {line}, {trouble}")
            continue
        if value != now:
            has_changed = before.get(name, cell_fingerprint(now)) != cell_fingerprint(now)
            doubt = CLASH if has_changed else _loss(name, now, new)
            # What a person has to think about is shown unticked.
            sheet.cells.append(CellDifference(line, episode, name, now, value, doubt))


def _topics(typed: str, topics: Mapping[str, str]) -> str:
    """Topics by slug, parted by blanks, commas or semicolons, as the catalog keeps them."""
    wanted = typed.casefold().replace(",", " ").replace(";", " ").split()
    try:
        return " ".join(sorted({topics[called] for called in wanted}))
    except KeyError as unknown:
        raise InvalidChange(
            f"Topics: there is no topic “{unknown.args[0][:60]}”. Enter slugs."
        ) from None


def _loss(name: str, now: str, new: str) -> str:
    """The loss if the value of now goes, in words; "" for none."""
    if not new:
        return "would be empty"
    if len(new) >= CELL and normalize_cell(now).startswith(new):
        return "the spreadsheet cut the text off"
    stated = BY_NAME.get(name)
    before = stated.parse(now) if stated and now else None
    less = stated and before is not None and stated.refines(before, stated.typed(new))
    return "less exact than now" if less else ""


# --- Applied -----------------------------------------------------------------------------------


def apply_sheet(
    user: AnyUser, text: str, ticked: Collection[str], *, reason: str = ""
) -> tuple[Batch, list[str]]:
    """Make decisions of the ticked cells, and say how many of them are no longer different, as
    somebody changed the episode meanwhile."""

    def wanted() -> list[CellDifference]:
        return [cell for cell in read_sheet(text).cells if cell.token in ticked]

    # Read once before for the shows, so that imports and curators of others need not wait.
    shows = {cell.episode.podcast for cell in wanted()}
    values: dict[Episode, dict[str, str]] = defaultdict(dict)
    with batch_changes(shows, "spreadsheet") as batch:
        cells = [cell for cell in wanted() if cell.episode.podcast in shows]
        for cell in cells:
            values[cell.episode][cell.field] = cell.new
        refused = batch.each(
            (episode.heading, partial(_apply, user, episode, new, reason))
            for episode, new in values.items()
        )
    if lost := len(set(ticked)) - len(cells):
        refused.append(f"{lost} of the cells: changed since you saw them. Upload the sheet again.")
    return batch, refused


def _apply(user: AnyUser, episode: Episode, values: dict[str, str], reason: str) -> None:
    had = cell_values(episode)["topics"]
    topics, before = set(values.pop("topics", had).split()), set(had.split())
    with changing_episode(user, "edit", episode, "", reason) as record:
        lock_fields(record, [episode], values, reason)
        for slug in sorted(topics ^ before):
            decide_list_entry(
                record, episode, "topic", slug, ADDED if slug in topics else REMOVED, reason=reason
            )
