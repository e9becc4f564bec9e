"""Files of spreadsheets: reads CSV and XLSX whatever program wrote them, and writes both; hostile ones are refused early."""

from __future__ import annotations

import csv
import io
import re
import warnings
import zlib
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE
from openpyxl.reader.excel import ExcelReader
from openpyxl.styles import Font
from openpyxl.styles.numbers import BUILTIN_FORMATS, BUILTIN_FORMATS_MAX_SIZE
from openpyxl.styles.stylesheet import apply_stylesheet
from openpyxl.worksheet._reader import DATA_TAG, FORMULA_TAG, ROW_TAG, VALUE_TAG, WorkSheetParser
from openpyxl.xml.functions import iterparse

from ..text.formulas import harmless

LARGEST_SHEET = 5_000_000
MOST_COLUMNS = 200
MOST_ROWS = 20_000
DELIMITERS = ",;\t"
# Of an XLSX file, which is a ZIP archive of XML: what its parts hold, before anything reads them as XML.
LARGEST_UNPACKED = 40_000_000
MOST_PARTS = 1_000
MOST_MARKS = 2_500_000  # elements begin and end with one; a cell has four
MOST_TEXTS = 200_000  # that cells refer to
MOST_BETWEEN_ROWS = 20_000  # elements
MOST_MARKS_BESIDE = 50_000  # in parts other than cells and their texts, such as styles
OF_CELLS = ("xl/worksheets/", "xl/sharedStrings")
UNICODE_MARKS = (
    (b"\xef\xbb\xbf", "utf-8-sig", "UTF-8"),
    (b"\xff\xfe\x00\x00", "utf-32", "UTF-32"),
    (b"\xff\xfe", "utf-16", "UTF-16"),
    (b"\xfe\xff", "utf-16", "UTF-16"),
)
ROW_BEGINS, CELL_BEGINS, TEXT_BEGINS = (re.compile(rb"<(?:\w+:)?%b[ />]" % tag) for tag in (b"row", b"c", b"si"))
NO_TEXT = frozenset(map(chr, (*range(1, 9), *range(14, 32), 127)))
OLD_EXCEL = b"\xd0\xcf\x11\xe0"
# What openpyxl and zipfile raise for files that are damaged, encrypted, or made to look like workbooks.
DAMAGED = (
    ArithmeticError, AttributeError, BadZipFile, LookupError, OSError, RuntimeError, SyntaxError, TypeError, ValueError,
    zlib.error,
)  # fmt: skip

csv.field_size_limit(LARGEST_SHEET)  # our own sheets have notes longer than Python's default limit


TOO_MANY_CELLS = "The workbook has too many cells. Delete unused ones, or use CSV."


class Unreadable(Exception):
    """The file is no sheet; the message is for the person."""


@dataclass
class Table:
    """The cells of a sheet as text, with their row numbers; the first row names the columns."""

    rows: list[tuple[int, list[str]]]
    how: str  # the file's format and encoding, for the person
    guessed: bool = False  # the encoding was guessed, so special characters may be wrong
    notes: list[str] = field(default_factory=list)


def read_table(body: bytes, headers: Collection[str]) -> Table:
    """The cells of a CSV or XLSX file; `headers` are names of columns, by which the delimiter of a CSV file is told.

    Raises:
        Unreadable: it is too large, damaged, of another format, or has too many rows or columns.
    """
    if len(body) > LARGEST_SHEET:
        raise Unreadable(f"The file is larger than {LARGEST_SHEET // 1_000_000} MB.")
    if body.startswith(OLD_EXCEL):
        raise Unreadable("This is an old Excel file (.xls) or a protected one. Save it as XLSX or CSV UTF-8.")
    if body.startswith(b"PK\x03\x04"):
        return _read_xlsx(body)
    text, encoding, guessed = _decoded(body)
    rows = list(enumerate(_csv_rows(text, headers), 1))
    return Table(rows, f"CSV, {encoding}", guessed)


# --- CSV -------------------------------------------------------------------------------------------------------------


def _decoded(body: bytes) -> tuple[str, str, bool]:
    """The text, the name of its encoding, and whether that is a guess."""
    for mark, encoding, name in UNICODE_MARKS:
        if body.startswith(mark):
            return _in(body, encoding), name, False
    if body[:400].count(0) * 3 > len(body[:400]):
        return _in(body, "utf-16-le" if body[1:2] == b"\0" else "utf-16-be"), "UTF-16", False
    try:
        return body.decode("utf-8"), "UTF-8", False
    except UnicodeDecodeError:
        text = _in(body, "cp1252")
    if NO_TEXT & set(text):
        raise Unreadable("This is not a sheet. Save it as XLSX or CSV UTF-8.")
    return text, "Windows-1252", True


def _in(body: bytes, encoding: str) -> str:
    try:
        return body.decode(encoding)
    except UnicodeDecodeError:
        raise Unreadable("The file’s text is damaged, or in an unknown encoding. Save it as CSV UTF-8.") from None


def _csv_rows(text: str, headers: Collection[str]) -> list[list[str]]:
    first, _, rest = text.partition("\n")
    text = rest if first.strip('"\r')[:-1] == "sep=" else text
    header = text.replace("\r", "\n").partition("\n")[0]
    # Counted before anything is done for each column: a line of commas would make millions of them.
    _judge_columns(1 + max(header.count(sign) for sign in DELIMITERS))
    delimiter = max(
        DELIMITERS, key=lambda sign: len({name.strip(' "').lower() for name in header.split(sign)} & set(headers))
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
        raise Unreadable(f"The first row has {count:,} columns; at most {MOST_COLUMNS} can be read.")


def _judge_rows(count: int) -> None:
    if count > MOST_ROWS + 1:
        raise Unreadable(f"The file has more than {MOST_ROWS:,} rows; upload it in parts.")


def write_csv(rows: Iterable[Sequence[str]]) -> bytes:
    """UTF-8 with the mark that spreadsheets know it by; no cell is run as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerows([harmless(cell) for cell in row] for row in rows)
    return out.getvalue().encode("utf-8-sig", "replace")


# --- XLSX ------------------------------------------------------------------------------------------------------------


def _read_xlsx(body: bytes) -> Table:
    try:
        with ZipFile(io.BytesIO(body)) as archive, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of styles and dates that openpyxl does without
            _judge_archive(archive)
            return _first_sheet(body)
    except DAMAGED:
        raise Unreadable("The file cannot be read as an XLSX workbook. Save it again as XLSX or CSV UTF-8.") from None


def _judge_archive(archive: ZipFile) -> None:
    """Refuse an archive that would unpack to more than can be read, from its directory and a count of its marks.

    A part never unpacks to more than its directory says: zipfile stops there.
    """
    parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    if unpacked > LARGEST_UNPACKED or len(parts) > MOST_PARTS:
        raise Unreadable(
            f"The file unpacks to {unpacked / 1_000_000:,.0f} MB in {len(parts):,} parts; at most "
            f"{LARGEST_UNPACKED // 1_000_000} MB can be read. Delete empty rows, pictures and formatting, or use CSV."
        )
    if not {part.compress_type for part in parts} <= {ZIP_STORED, ZIP_DEFLATED}:
        raise BadZipFile
    if sum(_judge_part(part.filename, archive.read(part)) for part in parts) > MOST_MARKS:
        raise Unreadable(TOO_MANY_CELLS)


def _judge_part(name: str, content: bytes) -> int:
    """The marks of a part, unless these are too many for what it is."""
    marks = content.count(b"<")
    if name.startswith(OF_CELLS):
        _judge_cells(content)
    elif marks > MOST_MARKS_BESIDE and name.endswith((".xml", ".rels")):
        raise Unreadable("The workbook has too many styles or names. Copy its cells into a new file, or use CSV.")
    return marks


def _judge_cells(content: bytes) -> None:
    """Refuse a part with more rows, columns or texts than can be read."""
    _judge_rows(_count(ROW_BEGINS, content, MOST_ROWS + 2))
    _judge_columns(max(_count(CELL_BEGINS, row, LARGEST_UNPACKED) for row in content.split(b"row>")))
    if _count(TEXT_BEGINS, content, MOST_TEXTS + 1) > MOST_TEXTS:
        raise Unreadable(TOO_MANY_CELLS)


def _count(pattern: re.Pattern[bytes], content: bytes, most: int) -> int:
    return sum(1 for _ in islice(pattern.finditer(content), most))


def _first_sheet(body: bytes) -> Table:
    """The cells of the first sheet that is not hidden."""
    reader = ExcelReader(io.BytesIO(body), read_only=True, keep_links=False)
    reader.read_manifest()
    reader.read_strings()
    reader.read_workbook()
    apply_stylesheet(reader.archive, reader.wb)
    sheets = [(sheet, rel) for sheet, rel in reader.parser.find_sheets() if rel.Type.endswith("/worksheet")]
    shown = [pair for pair in sheets if pair[0].state == "visible"]
    if not shown:
        raise Unreadable("The workbook has no sheet that is shown.")
    sheet, rel = shown[0]
    with reader.archive.open(rel.target) as source:
        rows = list(_rows_of(_Cells(source, reader)))
    more = f"Only the first sheet, “{sheet.name}”, was read." if len(shown) > 1 else ""
    return Table(rows or [(1, [])], "XLSX", notes=[more] if more else [])


class _Cells(WorkSheetParser):
    """The rows of a sheet, with formulas as they are written: nothing is worked out."""

    def __init__(self, source: Any, reader: ExcelReader) -> None:
        book: Any = reader.wb
        super().__init__(
            source, reader.shared_strings, epoch=book.epoch, date_formats=book._date_formats,
            timedelta_formats=book._timedelta_formats,
        )  # fmt: skip
        self.book = book

    def parse_formula(self, element: Any) -> str:
        written = element.findtext(FORMULA_TAG)
        return f"={written}" if written else element.findtext(VALUE_TAG) or ""

    def parse(self) -> Generator[tuple[int, list[dict[str, Any]]], None, None]:
        """Rows alone, each forgotten once it is read; other parts of a sheet are passed over."""
        since_row = 0
        for _, element in iterparse(self.source):
            since_row += 1
            if since_row > MOST_BETWEEN_ROWS:
                raise Unreadable(TOO_MANY_CELLS)
            if element.tag == ROW_TAG:
                yield self.parse_row(element)
                element.clear()
                since_row = 0
            elif element.tag == DATA_TAG:
                return

    def format_of(self, cell: dict[str, Any]) -> str:
        number = self.book._cell_styles[cell["style_id"]].numFmtId
        if number < BUILTIN_FORMATS_MAX_SIZE:
            return BUILTIN_FORMATS.get(number, "")
        return str(self.book._number_formats[number - BUILTIN_FORMATS_MAX_SIZE])


def _rows_of(cells: _Cells) -> Iterator[tuple[int, list[str]]]:
    for line, row in cells.parse():
        found = {cell["column"]: _as_text(cell, cells) for cell in row if cell["value"] is not None}
        last = max((column for column, text in found.items() if text), default=0)
        if last:
            _judge_rows(line)
            _judge_columns(last)
        yield line, [found.get(column, "") for column in range(1, last + 1)]


def _as_text(cell: dict[str, Any], cells: _Cells) -> str:
    """A cell as a person reads it in the spreadsheet."""
    value = cell["value"]
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(" ", "seconds").removesuffix(" 00:00:00")
    if isinstance(value, time | timedelta):
        return _clock(value, "s" in cells.format_of(cell).lower())
    return value.isoformat() if isinstance(value, date) else str(value)


def _clock(value: time | timedelta, with_seconds: bool) -> str:
    """A time as its cell shows it: whoever typed 13:45 for minutes and seconds has it shown as 13:45."""
    if isinstance(value, time):
        value = timedelta(hours=value.hour, minutes=value.minute, seconds=value.second)
    minutes, seconds = divmod(round(value.total_seconds()), 60)
    shown = f"{minutes // 60}:{minutes % 60:02}"
    return f"{shown}:{seconds:02}" if with_seconds or seconds else shown


def write_xlsx(rows: Iterable[Sequence[str]], widths: Sequence[int]) -> bytes:
    """A workbook of one sheet, all of it text: no cell is a formula, and no program reads dates or numbers into it."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Episodes")
    sheet.freeze_panes = "A2"
    for place, width in enumerate(widths):
        sheet.column_dimensions[_letters(place)].width = width
    bold = Font(bold=True)
    for line, row in enumerate(rows):
        cells = [WriteOnlyCell(sheet, ILLEGAL_CHARACTERS_RE.sub("", harmless(text))) for text in row]
        for cell in cells:
            cell.data_type = "s"
            if not line:
                cell.font = bold
        sheet.append(cells)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _letters(place: int) -> str:
    return (chr(64 + place // 26) if place > 25 else "") + chr(65 + place % 26)
