"""Dates and lengths as pages and feeds print them; what cannot be read stays unknown."""

import json
import runpy
import tomllib
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from episodes.dates import (
    feed_length_seconds_range,
    find_time_mentions,
    parse_typed_dates,
    printed_length_seconds_range,
    read_date,
    read_feed_date,
)
from episodes.dates.words import CLDR
from episodes.records import PublicationDate, publication_date_of_isoformat

from ..tables import cases

CASES = cases("listings_dates")


@pytest.mark.parametrize("text, expected", CASES["a_date_is_an_instant_or_a_day"])
def test_a_date_is_an_instant_or_a_day(text: str, expected: str):
    found = read_date(text)
    assert found is not None
    assert found.isoformat() == expected
    assert publication_date_of_isoformat(found.isoformat()) == found


@pytest.mark.parametrize("text", CASES["what_is_no_date_stays_unknown"])
def test_what_is_no_date_stays_unknown(text: str):
    assert read_date(text) is None
    assert read_feed_date(text) is None


@pytest.mark.parametrize("text, expected", CASES["a_feed_may_write_dates_as_programs_do"])
def test_a_feed_may_write_dates_as_programs_do(text: str, expected: str):
    found = read_feed_date(text)
    assert found is not None
    assert found.isoformat() == expected


FORMS = tomllib.loads((Path(__file__).parent.parent / "data" / "date_forms.toml").read_text("utf-8"))
TWO_YEARS = [date(2023, 1, 1) + timedelta(number) for number in range(365 + 366)]


def forms_of(kind: str) -> list[tuple[str, str]]:
    return [(language, form) for language, names in FORMS.items() for form in names.get(kind, ())]


def written_days(language: str, form: str) -> Iterator[tuple[str, str]]:
    """Yield each day of two years in ISO 8601 and as the form has it."""
    names = FORMS[language]
    months, weekdays = names["months"].split(), names["weekdays"].split()
    short, days = names.get("short", "").split() or months, names.get("days", "").split() or weekdays
    for day in TWO_YEARS:
        if day.month in names.get("ambiguous", ()):
            continue
        yield day.isoformat(), form.format(
            d=day.day, dd=f"{day.day:02}", _d=f"{day.day:2}", m=day.month, mm=f"{day.month:02}", y=day.year,
            month=months[day.month - 1], mon=short[day.month - 1],
            weekday=weekdays[day.weekday()], day=days[day.weekday()],
        )  # fmt: skip


def iso(found: PublicationDate | None) -> str:
    return found.isoformat() if found else ""


@pytest.mark.parametrize("language, form", forms_of("instants"))
def test_instant_is_read_on_every_day(language: str, form: str):
    for day, text in written_days(language, form):
        assert iso(read_feed_date(text)) == f"{day}T07:08:09Z", text


@pytest.mark.parametrize("language, form", forms_of("written"))
def test_day_is_read_on_every_day(language: str, form: str):
    for day, text in written_days(language, form):
        assert iso(read_date(text)) == day, text
        assert [iso(at) for at in parse_typed_dates(text)] == [day], text


@pytest.mark.parametrize("language, form", forms_of("odd"))
def test_odd_time_leaves_the_day(language: str, form: str):
    for day, text in written_days(language, form):
        assert iso(read_feed_date(text)) == day, text


@pytest.mark.parametrize("text", CASES["unclear_date_stays_unknown"])
def test_unclear_date_stays_unknown(text: str):
    assert read_feed_date(text) is None


@given(st.text(max_size=40) | st.from_regex(r"[-+:,.TZ0-9 ()]{1,40}", fullmatch=True))
def test_no_text_stops_the_reader_of_feed_dates(text: str):
    known = read_date(text)
    assert known is None or read_feed_date(text) == known


@pytest.mark.parametrize("text, span", CASES["a_length_is_the_span_that_its_words_allow"])
def test_length_is_span_of_its_words(text: str, span: list[int]):
    assert printed_length_seconds_range(text) == tuple(span) == feed_length_seconds_range(text)


@pytest.mark.parametrize(
    "text",
    ["", "0", "0:00", "00:00:00", "16:75", "4:61", "1:61:00", "1:99:00", "²", "a while", "about 1 hour", "PT", "P", "PT0S", "-5", "16.5", "5 episodes",
     "9999999", "200 hours", "PT99999999999999999999S", "PT999999999H", "9" * 5000, "PT" + "9" * 5000 + "S"],
)  # fmt: skip
def test_what_is_no_length_stays_unknown(text: str):
    assert feed_length_seconds_range(text) is None


@pytest.mark.parametrize("text, length", CASES["a_feed_may_write_clocks_as_none_shows_them"])
def test_feed_clocks_may_be_impossible(text: str, length: int):
    assert feed_length_seconds_range(text) == (length, length)


def test_bare_number_is_length_in_feeds_only():
    assert feed_length_seconds_range("993") == (993, 993)
    assert printed_length_seconds_range("993") is None


@given(st.text() | st.from_regex(r"[\d:PTHMS ,.-]{0,40}|\d{1,4}-\d\d-\d\d[T ]\d\d:\d\d[+-]\d{4}", fullmatch=True))
def test_no_text_stops_date_and_length_readers(text: str):
    found, span = read_date(text), feed_length_seconds_range(text)
    assert found is None or publication_date_of_isoformat(found.isoformat()) == found
    assert span is None or 0 < span[0] <= span[1] < 8 * 86_400


@pytest.mark.parametrize("text, days", CASES["a_blank_may_part_day_and_month_from_the_year"])
def test_blank_may_split_date(text: str, days: list[str]):
    assert [day.isoformat() for mark in find_time_mentions(text) for day in mark.days] == days


@pytest.mark.parametrize(
    "text, date",
    [
        ("Ada · Friday, 14 October 2022 · 72 min", "Friday, 14 October 2022"), ("terça-feira, 4 de agosto de 2024", None),
        ("Fri. 14.10.2022", None), ("月曜日 2023-05-01", None),
        # No day of the week, or none right in front of the date.
        ("Alien, 14 October 2022", "14 October 2022"), ("Good Friday – 14 October 2022", "14 October 2022"),
    ],
)  # fmt: skip
def test_weekday_is_part_of_date(text: str, date: str | None):
    mark, *_ = find_time_mentions(text)
    assert text[mark.start : mark.end] == (date or text)


def test_a_verse_is_no_clock() -> None:
    assert find_time_mentions("Romans 8:18-27") == ()
    assert find_time_mentions("8:18 - 27 ropes")[0].kind == "clock"


def test_hours_below_a_date_are_when() -> None:
    assert [mark.kind for mark in find_time_mentions("4 August 2024\n5h30")] == ["date", "time"]
    assert [mark.seconds_range for mark in find_time_mentions("4 August 2024 · in Lyon · 5h30")][-1] == (19_800, 19_859)


@pytest.mark.parametrize("text, day", CASES["dates_in_many_languages_and_glued"])
@pytest.mark.parametrize("around", ["{}", "{}Batching", "Batching {} 16 min"])
def test_dates_in_many_languages_and_glued(text: str, day: str, around: str):
    found = [mark for mark in find_time_mentions(around.format(text)) if mark.kind == "date"]
    assert [mark.days for mark in found] == [[date.fromisoformat(day)]]


@pytest.mark.parametrize(
    "text, span",
    [
        ("16 min", (960, 1019)), ("16 Min.", (960, 1019)), ("13分", (780, 839)), ("1 h 2 min", (3720, 3779)), ("1 Std. 2 Min.", (3720, 3779)),
        ("1 hour, 2 minutes and 3 seconds", (3723, 3723)), ("16 minPlay", (960, 1019)), ("Aug 4, 202416 min", (960, 1019)),
    ],
)  # fmt: skip
def test_lengths_in_many_languages(text: str, span: tuple[int, int]):
    found = [mark.seconds_range for mark in find_time_mentions(text) if mark.kind == "length"]
    assert len(found) == 1
    assert found[0] is not None
    assert found[0][0] == span[0]


@pytest.mark.parametrize("text", CASES["no_length"])
def test_no_length(text: str):
    assert [mark for mark in find_time_mentions(text) if mark.kind in ("length", "date")] == []


def test_stored_date_words_are_babels() -> None:
    made = runpy.run_path(str(settings.BASE_DIR / ".ci" / "cldr.py"))["words"]()
    kept = json.loads(CLDR.read_text("utf-8"))
    assert json.loads(json.dumps(made)) == kept
