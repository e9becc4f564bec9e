"""Files of spreadsheets as CSV: read whatever program wrote them, and written; hostile ones are
refused early."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from ..text.formulas import harmless

LARGEST_SHEET = 5_000_000
MOST_COLUMNS = 200
MOST_ROWS = 20_000
DELIMITERS = ",;\t"
UNICODE_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig", "UTF-8"),
    (b"\xff\xfe\x00\x00", "utf-32", "UTF-32"),
    (b"\xff\xfe", "utf-16", "UTF-16"),
    (b"\xfe\xff", "utf-16", "UTF-16"),
)
WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")  # XLSX and ODS, and old Excel files

csv.field_size_limit(LARGEST_SHEET)  # our own sheets have notes longer than Python's default limit


class Unreadable(Exception):
    """The file is no sheet; the message is for the person."""


@dataclass
class Table:
    """The cells of a sheet as text, with their row numbers; the first row names the columns."""

    rows: list[tuple[int, list[str]]]
    encoding: str  # for the person


def read_table(body: bytes, headers: Collection[str]) -> Table:
    """The cells of a CSV file; `headers` are names of columns, by which its delimiter is told.

    Raises:
        Unreadable: it is too large, damaged, of another format, or has too many rows or columns.
    """
    if len(body) > LARGEST_SHEET:
        raise Unreadable(f"The file is larger than {LARGEST_SHEET // 1_000_000} MB.")
    if body.startswith(WORKBOOKS):
        raise Unreadable("This is a workbook. Save its sheet as CSV UTF-8.")
    text, encoding = _decoded(body)
    return Table(list(enumerate(_csv_rows(text, headers), 1)), encoding)


def _decoded(body: bytes) -> tuple[str, str]:
    """The text, and the name of its encoding."""
    marked = (pair for mark, *pair in UNICODE_MARKS if body.startswith(mark))
    encoding, name = next(marked, ["utf-8", "UTF-8"])
    try:
        return body.decode(encoding), name
    except UnicodeDecodeError:
        raise Unreadable(
            "The file’s text is damaged, or in an unknown encoding. Save it as CSV UTF-8."
        ) from None


def _csv_rows(text: str, headers: Collection[str]) -> list[list[str]]:
    first, _, rest = text.partition("\n")
    text = rest if first.strip('"\r')[:-1] == "sep=" else text
    header = text.replace("\r", "\n").partition("\n")[0]
    # Counted before anything is done for each column: a line of commas would make millions of them.
    _judge_columns(1 + max(header.count(sign) for sign in DELIMITERS))
    delimiter = max(
        DELIMITERS,
        key=lambda sign: len(
            {name.strip(' "').lower() for name in header.split(sign)} & set(headers)
        ),
    )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = list(islice(reader, MOST_ROWS + 2))
    except csv.Error as error:
        raise Unreadable(
            f"Line {reader.line_num} cannot be read as cells: {error}. A quotation mark may be missing."
        ) from None
    _judge_rows(len(rows))
    return rows


def _judge_columns(count: int) -> None:
    if count > MOST_COLUMNS:
        raise Unreadable(
            f"The first row has {count:,} columns; at most {MOST_COLUMNS} can be read."
        )


def _judge_rows(count: int) -> None:
    if count > MOST_ROWS + 1:
        raise Unreadable(f"The file has more than {MOST_ROWS:,} rows; upload it in parts.")


def write_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """UTF-8 with the mark that spreadsheets know it by; no cell is run as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return out.getvalue().encode("utf-8-sig", "replace")
