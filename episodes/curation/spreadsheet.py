"""The catalog as a CSV sheet for a spreadsheet, and the changes that people made in it."""

import csv
import io
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.db.models import QuerySet

from ..fields import CSV_COLUMNS, FIELDS_BY_NAME, OVERRIDABLE_FIELDS
from ..gather import within_limits
from ..models import (
    ADDED,
    QUERY_BATCH_SIZE,
    REMOVED,
    Episode,
    batches,
    episodes_by_slug,
    topic_slugs_by_name,
)
from ..text.fingerprints import fingerprint
from ..text.formulas import escape_formula, unescape_formula
from .decide import (
    clean_typed_value,
    decide_list_entry,
    lock_fields,
    record_episode_change,
)
from .history import AnyUser, Batch, InvalidChange, batch_changes
from .sources import report_rejections

# The slug is not edited: it says which episode a row is about.
COLUMN_LABELS = {field.name: field.label for field in OVERRIDABLE_FIELDS if field.name != "slug"}
COLUMN_LABELS["topics"] = "Topics"
EDITABLE_COLUMNS = tuple(COLUMN_LABELS)
SHEET_COLUMNS = tuple(dict.fromkeys((*CSV_COLUMNS, *EDITABLE_COLUMNS, "as_downloaded")))
MAX_SHEET_BYTES = 5_000_000
MAX_COLUMNS = 200
MAX_ROWS = 20_000
FINGERPRINT_LENGTH = 6  # characters, of a cell
TOPICS_OF_EPISODES = "topic_uses__topic"


@dataclass(frozen=True)
class CellDifference:
    """A cell that differs from the catalog. `doubt` is the reason why it is not ticked."""

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
        """Return the name of the cell in a form. It differs as soon as either value does."""
        return fingerprint(self.episode.slug, self.field, self.now, self.new)


@dataclass
class SheetDifferences:
    """The cells of a sheet that differ from the catalog, and its problems in words."""

    cells: list[CellDifference] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    row_count: int = 0


# --- Out ---------------------------------------------------------------------------------------


def render_sheet(episodes: QuerySet[Episode]) -> bytes:
    """Return the CSV file (bytes) with a row for each episode, in the order of the query.

    It begins with a byte order mark, by which spreadsheets recognize UTF-8. No cell runs as a formula.
    """
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerow(SHEET_COLUMNS)
    rows: Any = episodes.select_related("podcast").prefetch_related(TOPICS_OF_EPISODES)
    for episode in rows.iterator(QUERY_BATCH_SIZE):
        values = cell_texts_by_column(episode)
        fingerprints = [_cell_fingerprint(values[name]) for name in EDITABLE_COLUMNS]
        values["slug"] = episode.slug
        values["podcast"] = episode.podcast.slug
        values["as_downloaded"] = "".join(fingerprints)
        writer.writerow([escape_formula(values[name]) for name in SHEET_COLUMNS])
    return out.getvalue().encode("utf-8-sig", "replace")


def cell_texts_by_column(episode: Episode) -> dict[str, str]:
    """Return the present text of each editable cell of an episode, by column."""
    values = {}
    for name in EDITABLE_COLUMNS:
        if name == "topics":
            slugs = sorted(use.topic.slug for use in episode.topic_uses.all())
            values[name] = " ".join(slugs)
        else:
            values[name] = FIELDS_BY_NAME[name].text_of_episode(episode)
    return values


# All below 32 but the tab, the line feed and the carriage return. `translate` deletes what maps to None.
_WITHOUT_CONTROL_CHARACTERS = dict.fromkeys((*range(9), 11, 12, *range(14, 32)))


def normalize_cell(value: str) -> str:
    """Return a value without the differences that spreadsheets make on their own: other line breaks,
    spaces around it, and lost control characters."""
    value = value.replace("\r\n", "\n").replace("\r", "\n")
    return value.translate(_WITHOUT_CONTROL_CHARACTERS).strip()


def _cell_fingerprint(value: str) -> str:
    return fingerprint(normalize_cell(value))[:FINGERPRINT_LENGTH]


# --- In ----------------------------------------------------------------------------------------


def compare_sheet_with_catalog(text: str) -> SheetDifferences:
    """Return the cells of a sheet (CSV text) that differ from the catalog, and the problems of its rows.

    Raises:
        InvalidChange: the text is not CSV, too large, or has no column of slugs.
    """
    with report_rejections():
        columns, *rows = within_limits(_parse_and_check_csv, text)
    sheet = SheetDifferences()
    unknown_columns = set(columns).difference(SHEET_COLUMNS, {""})
    for name in sorted(unknown_columns):
        sheet.problems.append(f"The column “{name[:40]}” is not read.")
    records = _records_by_row_number(columns, rows, sheet)
    episodes = _episodes_by_slug(records.values())
    topic_slugs = topic_slugs_by_name()
    for line, record in records.items():
        slug = record["slug"]
        if slug in episodes:
            _add_row_differences(line, record, episodes[slug], topic_slugs, sheet)
        else:
            sheet.problems.append(f"Row {line}: there is no episode “{slug[:80]}”.")
    return sheet


def _records_by_row_number(
    columns: Sequence[str], rows: Iterable[Sequence[str]], sheet: SheetDifferences
) -> dict[int, dict[str, str]]:
    """Return {column: cell} of each row that is not blank, by the number of the row in the sheet.

    Add problems and the number of rows to `sheet`.
    """
    records = {}
    # The first row of a sheet has the names of the columns.
    for line, row in enumerate(rows, start=2):
        cells_beyond_columns = row[len(columns) :]
        # An unquoted comma in a cell moves all later cells into wrong columns.
        if any(cells_beyond_columns):
            sheet.problems.append(f"Row {line} has more cells than there are columns.")
        elif any(row):
            cells = [unescape_formula(cell) for cell in row]
            record = dict(zip(columns, cells, strict=False))
            record["slug"] = normalize_cell(record.get("slug", ""))
            records[line] = record
    sheet.row_count = len(records)
    return records


def _episodes_by_slug(records: Iterable[Mapping[str, str]]) -> dict[str, Episode]:
    """Return the episodes of records, by the slug in the record, which may be a former address."""
    rows = Episode.objects.select_related("podcast").prefetch_related(TOPICS_OF_EPISODES)
    slugs = {record["slug"] for record in records}
    episodes: dict[str, Episode] = {}
    for batch in batches(sorted(slugs)):
        episodes.update(episodes_by_slug(batch, rows))
    return episodes


def _parse_and_check_csv(text: str) -> list[list[str]]:
    """Return the rows of a sheet. The first has the names of the columns, in small letters.

    Raises:
        InvalidChange: it is too large, or not a table with slugs.
    """
    header = text.replace("\r", "\n").partition("\n")[0]
    # Spreadsheets of some countries write semicolons, as the comma is in their numbers.
    delimiter = max(",;\t", key=header.count)
    # Checked before the cells are parsed: a line of commas would make millions of columns.
    count = 1 + header.count(delimiter)
    if count > MAX_COLUMNS:
        raise InvalidChange(f"The first row has {count:,} columns; at most {MAX_COLUMNS} are read.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        # The header, the rows, and one more that shows that there are too many.
        all_rows = list(islice(reader, 1 + MAX_ROWS + 1))
    except csv.Error as error:
        raise InvalidChange(
            f"Line {reader.line_num} cannot be read as cells: {error}. "
            "A quotation mark may be missing."
        ) from None
    header_row, *rows = all_rows or [[]]  # an empty file has not even a header
    if len(rows) > MAX_ROWS:
        raise InvalidChange(f"The file has more than {MAX_ROWS:,} rows; upload it in parts.")
    columns = [name.strip().lower() for name in header_row]
    known_columns = [name for name in columns if name in SHEET_COLUMNS]
    has_duplicates = len(known_columns) > len(set(known_columns))
    if "slug" not in columns or has_duplicates:
        raise InvalidChange(
            "The first row must name the columns, each once; “slug” says which episode is meant."
        )
    return [columns, *rows]


def _add_row_differences(
    line: int,
    record: Mapping[str, str],
    episode: Episode,
    topic_slugs: Mapping[str, str],
    sheet: SheetDifferences,
) -> None:
    """Add to `sheet` the cells of a row that a person changed since the download.

    A row without fingerprints of the download adds all cells that differ from the catalog.
    """
    fingerprints_at_download = _fingerprints_by_column(record.get("as_downloaded", "").strip())
    for name, now in cell_texts_by_column(episode).items():
        # A column that the sheet does not have is not changed.
        typed = normalize_cell(record.get(name, now))
        fingerprint_now = _cell_fingerprint(now)
        fingerprint_at_download = fingerprints_at_download.get(name, fingerprint_now)
        is_as_in_catalog = typed == normalize_cell(now)
        is_as_downloaded = _cell_fingerprint(typed) == fingerprint_at_download
        if is_as_in_catalog or is_as_downloaded:
            continue
        try:
            new = _clean_typed_cell(name, typed, topic_slugs)
        except InvalidChange as problem:
            sheet.problems.append(f"Row {line}, {problem}")
            continue
        # The same value in another notation, such as "1:05" for "01:05".
        if new == now:
            continue
        doubt = _describe_loss(name, now, typed)
        if fingerprint_at_download != fingerprint_now:
            doubt = "changed in the catalog since the download"
        sheet.cells.append(CellDifference(line, episode, name, now, new, doubt))


def _fingerprints_by_column(downloaded: str) -> dict[str, str]:
    """Return the fingerprints that the cells had at the download, by column, or {} if they cannot be read.

    `downloaded` is the cell that has all fingerprints of the row, one after another.
    """
    length = FINGERPRINT_LENGTH
    parts = [downloaded[start : start + length] for start in range(0, len(downloaded), length)]
    # A value of another length is of an earlier version, or was edited.
    if len(parts) != len(EDITABLE_COLUMNS):
        return {}
    return dict(zip(EDITABLE_COLUMNS, parts, strict=True))


def _clean_typed_cell(name: str, typed: str, topic_slugs: Mapping[str, str]) -> str:
    """Return the value to store for a cell. Topics are separated by blanks, commas or semicolons."""
    if name != "topics":
        return clean_typed_value(name, typed)
    slugs = set()
    for topic in typed.casefold().replace(",", " ").replace(";", " ").split():
        if topic not in topic_slugs:
            raise InvalidChange(f"Topics: there is no topic “{topic[:60]}”. Enter slugs.")
        slugs.add(topic_slugs[topic])
    return " ".join(sorted(slugs))


def _describe_loss(name: str, now: str, new: str) -> str:
    """Return in words what is lost if a new value replaces the present one, or ""."""
    if not new:
        return "would be empty"
    # Spreadsheets drop the rest of a cell beyond some 32,700 characters without a word.
    if len(new) >= 32_000 and normalize_cell(now).startswith(new):
        return "the spreadsheet cut the text off"
    field = FIELDS_BY_NAME.get(name)  # None for topics
    if field and now:
        present_value = field.parse(now)
        new_value = field.parse_typed(new)
        # 17 May 2024 refines May 2024, so the sheet would lose the day.
        if present_value is not None and field.refines(present_value, new_value):
            return "less exact than now"
    return ""


# --- Applied -----------------------------------------------------------------------------------


def apply_sheet(
    user: AnyUser, text: str, ticked_tokens: Collection[str], *, reason: str = ""
) -> Batch:
    """Decide the ticked cells of a sheet, as one batch, and return it.

    The batch's refusals tell how many ticked cells no longer differ, because somebody changed the episode.
    """
    # A first comparison finds the shows to lock, so that changes of other shows need not wait.
    shows = {cell.episode.podcast for cell in _ticked_cells(text, ticked_tokens)}
    values_by_episode: dict[Episode, dict[str, str]] = defaultdict(dict)
    applied_count = 0
    with batch_changes(shows, "spreadsheet") as batch:
        # A second comparison, now that nobody else can change these shows.
        for cell in _ticked_cells(text, ticked_tokens):
            if cell.episode.podcast in shows:
                values_by_episode[cell.episode][cell.field] = cell.new
                applied_count += 1
        for episode, new_values in values_by_episode.items():
            with batch.attempt(episode.heading):
                _apply_row(user, episode, new_values, reason)
    lost_count = len(set(ticked_tokens)) - applied_count
    if lost_count:
        batch.refusals.append(
            f"{lost_count} of the cells: changed since you saw them. Upload the sheet again."
        )
    return batch


def _ticked_cells(text: str, ticked_tokens: Collection[str]) -> list[CellDifference]:
    return [cell for cell in compare_sheet_with_catalog(text).cells if cell.token in ticked_tokens]


def _apply_row(user: AnyUser, episode: Episode, values: dict[str, str], reason: str) -> None:
    """Decide the changed fields and topics of one episode."""
    old_topics = cell_texts_by_column(episode)["topics"].split()
    # Topics are a list and not a field.
    fields = {name: value for name, value in values.items() if name != "topics"}
    new_topics = values["topics"].split() if "topics" in values else old_topics
    changed_topics = set(new_topics).symmetric_difference(old_topics)
    with record_episode_change(user, "edit", episode, token="", reason=reason) as record:
        lock_fields(record, episode, fields, reason)
        for slug in sorted(changed_topics):
            value = ADDED if slug in new_topics else REMOVED
            decide_list_entry(record, episode, "topic", slug, value, reason=reason)
