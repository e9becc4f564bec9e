"""The table of fields: every row has all its parts, and everything that lists fields has every row."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import call_command

from episodes.admin.editing import EpisodeForm
from episodes.curation import InvalidChange, normalize_typed_text_or_raise
from episodes.curation.csv_download import DOWNLOAD_COLUMNS
from episodes.fields import (
    ADD_EPISODE_FIELDS,
    CSV_COLUMNS,
    FACT_FIELDS,
    FIELDS,
    FIELDS_BY_NAME,
    MORE,
    NUMBER_FIELD,
    OVERRIDABLE_FIELDS,
    SEASON_FIELD,
    SOURCED_FIELDS,
    STATED_FIELDS,
    Field,
)
from episodes.models import DECISION_KINDS, Episode
from episodes.outputs.catalog_json import export_fields, sort_rows
from episodes.records import DurationRange, EntryData
from episodes.views.source_changes import iterate_field_change_phrases

from .resolve.build import entry, merged
from .tables import cases

CASES = cases("fields")

# For each field what an entry says, as a curator would type it.
TYPED = {
    "title": "Springs", "number": "5", "season": "2", "published": "2021-06-01", "duration_seconds": "754",
    "description_text": "How springs are wound.", "slug": "springs", "guid": "seven",
    "url": "https://widgets.example/springs", "audio_url": "https://widgets.example/springs.mp3",
    "episode_type": "bonus", "explicit": "yes", "image_url": "https://widgets.example/springs.png",
    "details": "location | Bath | geo:51,2",
}  # fmt: skip
SAID = EntryData(
    title="Springs", number=5, season=2, published="2021-06-01", date_raw="1 June 2021", seconds_low=754,
    seconds_high=754, text="How springs are wound.", guid="seven", url="https://widgets.example/springs",
    audio_url="https://widgets.example/springs.mp3", audio_type="audio/mpeg",
    episode_type="bonus", explicit="yes", image_url="https://widgets.example/springs.png",
    extras=(("location", "Bath", "geo:51,2", ""), ("chapter", "0:00", "Start")),
)  # fmt: skip
row = pytest.mark.parametrize("field", FIELDS, ids=lambda field: field.name)


@row
def test_field_has_name_and_form(field: Field[Any]) -> None:
    assert field.label
    assert FIELDS_BY_NAME[field.name] is field
    assert field.parse("\0 none of these") is not None or field.expects, "what is refused must be told what is taken"


@row
def test_field_reads_entry_and_typed_value(field: Field[Any]) -> None:
    typed = TYPED[field.name]
    assert field.text_of_entry(SAID) == (typed if field.stated else "")
    assert field.text_of_entry(EntryData()) == field.display_entry_value(EntryData()) == ""
    assert field.to_text(field.parse(typed)) == typed
    assert field.display(typed)


@row
def test_a_row_is_stored_shown_and_exported(field: Field[Any]) -> None:
    columns = {column.name for column in Episode._meta.concrete_fields}
    value = field.value_of_entry(SAID) if field.stated else field.parse(TYPED[field.name])
    assert field.episode_columns(value).keys() <= columns, "a column and its migration are missing"
    episode, empty = Episode(**field.episode_columns(value)), Episode(**field.episode_columns(None))
    assert (field.text_of_episode(episode), field.text_of_episode(empty)) == (TYPED[field.name], "")
    assert field.name in export_fields(episode)
    assert not export_fields(empty)[field.name]


@pytest.mark.parametrize("text", CASES["a_line_that_is_no_detail_is_refused"])
def test_a_line_that_is_no_detail_is_refused(text: str) -> None:
    assert MORE.parse(text) is None


@row
def test_a_row_is_overridden_everywhere_or_nowhere(field: Field[Any]) -> None:
    places = {
        "decisions": field.name in DECISION_KINDS["value"].fields,
        "download": field.name in DOWNLOAD_COLUMNS,
        "by hand": field.name in EpisodeForm().fields or not field.stated,
    }
    assert set(places.values()) == {field.overridable}, places


@pytest.mark.parametrize("field", ADD_EPISODE_FIELDS, ids=lambda field: field.name)
def test_stated_field_is_what_it_reads(field: Field[Any]) -> None:
    typed = TYPED[field.name]
    stated = EntryData(**field.entry_attributes(field.parse(typed)))
    assert field.text_of_entry(stated) == normalize_typed_text_or_raise(field.name, typed)


@pytest.mark.parametrize("field", STATED_FIELDS, ids=lambda field: field.name)
def test_field_is_merged_and_its_changes_shown(field: Field[Any]) -> None:
    one = merged(entry("Springs"))
    assert field.name in one.values
    assert (field in SOURCED_FIELDS) == (field.name in one.provenance)
    without = EntryData(**{name: getattr(SAID, name) for name in SAID.payload() if name not in _told_by(field)})
    assert len(list(iterate_field_change_phrases(without, SAID))) == 1


def _told_by(field: Field[Any]) -> set[str]:
    also = {"published": {"date_raw"}, "audio_url": {"audio_type"}, "details": {"extras"}}
    return set(field.entry_attributes(field.value_of_entry(SAID))) | also.get(field.name, set())


def test_csv_columns_grow_at_the_end() -> None:
    columns = set(CSV_COLUMNS) - {"podcast", "topics"}
    assert {field.name for field in FACT_FIELDS} <= columns <= {field.name for field in FIELDS}
    grown = ("podcast", "slug", "number", "title", "published", "duration_seconds", "topics", "url", "description_text")
    assert CSV_COLUMNS[: len(grown)] == grown


def test_entry_values_are_read_as_far_as_possible() -> None:
    spans = [DurationRange.of(780, exact) for exact in (True, False)]
    assert [(span.low, span.high) for span in spans] == [(780, 780), (780, 839)]
    notes = EntryData(html="<p>One.</p><p>Two.</p><script>three()</script>")
    assert FIELDS_BY_NAME["description_text"].text_of_entry(notes) == "One.\nTwo."
    said = EntryData(date_raw="soon", length_raw="a while")
    for name, text in (("published", "soon"), ("duration_seconds", "a while")):
        field = FIELDS_BY_NAME[name]
        assert (field.text_of_entry(said), field.value_of_entry(said)) == (text, None)


def test_unknown_values_sort_at_ends() -> None:
    values = (("b", 2), ("b", None), ("a", 9), ("b", 1), (None, 3))
    rows = sort_rows([{"source": source, "position": position} for source, position in values], "source", "position")
    assert [(row["source"], row["position"]) for row in rows] == [(None, 3), ("a", 9), ("b", 1), ("b", 2), ("b", None)]


def test_season_is_exported_as_number_or_null() -> None:
    at = datetime(2021, 6, 1, tzinfo=UTC)
    episode = Episode(season=2, number=5, published_at=at, published_precision="day")
    assert json.dumps(export_fields(episode, (NUMBER_FIELD, SEASON_FIELD))) == '{"number": 5, "season": 2}'
    assert export_fields(Episode(), OVERRIDABLE_FIELDS)["season"] is None


@pytest.mark.django_db
def test_every_column_has_its_migration() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.parametrize("field, typed, stored", CASES["read"])
def test_typed_value_is_read_in_every_form(field: str, typed: str, stored: str) -> None:
    assert normalize_typed_text_or_raise(field, typed) == stored


@pytest.mark.parametrize("field, refusal, values", CASES["refused"])
def test_unreadable_or_ambiguous_value_is_refused(field: str, refusal: str, values: list[str]) -> None:
    for typed in values:
        with pytest.raises(InvalidChange, match=refusal):
            normalize_typed_text_or_raise(field, typed)
