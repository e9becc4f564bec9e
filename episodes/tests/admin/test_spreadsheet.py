"""The sheet goes out harmless, comes back as it went whatever a spreadsheet writes, and lands as decisions only where ticked."""

import csv
import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from episodes.curation import episode_changes, override_fields, remove_list_entry
from episodes.curation.spreadsheet import SHEET_COLUMNS
from episodes.models import Change, Decision, Episode
from episodes.text.formulas import escape_formula, unescape_formula

from ..curation.conftest import export, feed, staff
from ..ingest.conftest import take
from ..tables import cases
from .conftest import episode, logged_in, said

CASES = cases("admin_spreadsheet")

SHEET = "admin:episodes_episode_sheet"
DIFFERENCES = "admin:episodes_episode_sheet_differences"
Rows = list[dict[str, str]]


def downloaded(client: Client) -> Rows:
    body = client.get(reverse(SHEET) + "?all=1").content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(body, newline="")))


def written(rows: Rows, delimiter: str = ",", columns: tuple[str, ...] = SHEET_COLUMNS, end: str = "\r\n") -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", delimiter=delimiter, lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def uploaded(client: Client, body: bytes | str, name: str = "episodes.csv") -> Any:
    data = body.encode() if isinstance(body, str) else body
    return client.post(reverse(SHEET), {"sheet": SimpleUploadedFile(name, data, "text/csv")}, follow=True)


def cells(answer: Any) -> list[tuple[str, str, str, str]]:
    return [(c.field, c.now, c.new, c.doubt) for c, *_ in answer.context["cells"]]


def tick(client: Client, shown: Any, *only: str) -> Any:
    ticked = [cell.token for cell, *_ in shown.context["cells"] if not only or cell.field in only]
    return client.post(reverse(DIFFERENCES), {"cell": ticked}, follow=True)


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r\n＝ aé"), max_size=8))
def test_cell_round_trip_is_exact_and_harmless(value: str) -> None:
    assert unescape_formula(escape_formula(value)) == value
    assert escape_formula(value)[:1] not in set("=+-@\t\r\n＝")


def test_formulas_go_out_as_text_and_return(client: Client, curator: User) -> None:
    for n, title in enumerate(("=HYPERLINK(1)", "'=quoted", "@SUM(A1)", "-1+1|cmd")):
        override_fields(curator, episode(n), {"title": f"{title} {n}"})
    rows = downloaded(client)
    assert not [v for row in rows for v in row.values() if v.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert cells(uploaded(client, written(rows))) == []
    rows[0]["title"] = "'=1+1"
    (cell,) = cells(uploaded(client, written(rows)))
    assert cell[2] == "=1+1"


def test_what_any_spreadsheet_writes_is_read(client: Client) -> None:
    rows = downloaded(client)
    rows[1]["title"] = 'Néw; "quoted", and\ttabbed'
    rows[2]["description_text"] = "First line\n\nsecond; line, with “signs” 日本"
    changed = [("title", rows[1]["title"]), ("description_text", rows[2]["description_text"])]
    for encoding, delimiter, end in (("utf-8", ",", "\n"), ("utf-8-sig", ";", "\r\n"), ("utf-8", "\t", "\n")):
        found = cells(uploaded(client, written(rows, delimiter, end=end).encode(encoding)))
        assert [(field, new) for field, _, new, _ in found] == changed


def test_ticked_cells_become_decisions_one_change_an_episode(client: Client) -> None:
    rows = downloaded(client)
    rows[0] |= {"title": "Better", "number": "50", "topics": "music"}
    rows[1] |= {"published": "2021-06-01", "description_text": ""}
    rows[4] |= {"topics": ""}
    shown = uploaded(client, written(rows))
    assert ("description_text", "would be empty") in {(field, doubt) for field, _, _, doubt in cells(shown)}
    answer = tick(client, shown, "title", "number", "topics")
    assert "Spreadsheet: done for 2 episodes." in said(answer)
    found = Episode.objects.get(title="Better")
    assert found.number == 50
    assert {use.topic.slug for use in found.topic_uses.all()} == {"music"}
    assert set(Decision.objects.filter(kind="value").values_list("field", flat=True)) == {"title", "number"}
    assert Decision.objects.get(value="added").key == "music"
    assert Decision.objects.get(value="removed").key == "household"
    (change,) = episode_changes(found)
    assert [line[0] for line in change.told] == ["title", "number", "topic"]
    assert Change.objects.count() == 2
    before = export()
    client.post(reverse("admin:episodes_change_change", args=(change.pk,)), {"all": "1"})
    assert not Decision.objects.filter(kind="value", ended_at=None).exists()
    assert export() != before


def test_change_since_upload_or_download_is_reported(client: Client) -> None:
    rows = downloaded(client)
    rows[0]["title"], rows[1]["title"], slug = "Mine", "Mine too", rows[0]["slug"]
    shown = uploaded(client, written(rows))
    override_fields(staff("zoe", "curator"), Episode.objects.get(slug=slug), {"title": "Hers"})
    assert "1 of the cells: changed since you saw them" in said(tick(client, shown))
    titles = set(Episode.objects.values_list("title", flat=True))
    assert titles & {"Mine", "Mine too", "Hers"} == {"Mine too", "Hers"}
    rows = downloaded(client)
    take("feed", feed(range(5)).replace(b"All about mirrors", b"Much about mirrors"), "--accept")
    assert episode(2).title == "Much about mirrors 2"
    assert cells(uploaded(client, written(rows))) == []
    next(row for row in rows if row["title"].endswith("2"))["title"] = "Mirrors"
    (cell,) = cells(uploaded(client, written(rows)))
    assert cell == ("title", "Much about mirrors 2", "Mirrors", "changed in the catalog since the download")


@pytest.mark.parametrize("change, complaint", CASES["what_cannot_be_used_is_told_by_row"])
def test_what_cannot_be_used_is_told_by_row(client: Client, change: dict[str, str], complaint: str) -> None:
    rows = downloaded(client)
    rows[0] |= change
    shown = uploaded(client, written(rows))
    assert complaint in " ".join(shown.context["problems"])
    assert cells(shown) == []


def test_rows_and_columns_may_be_missing(client: Client, curator: User) -> None:
    former, second = episode(0).slug, episode(1).slug
    override_fields(curator, episode(0), {"slug": "another-name"})
    shown = uploaded(client, f"title,slug\r\nChanged,{former}\r\nHello,{second},world\r\nHello,{second},\r\n")
    assert shown.context["problems"] == ["Row 3 has more cells than there are columns."]
    assert [(field, new) for field, _, new, _ in cells(shown)] == [("title", "Changed"), ("title", "Hello")]


def test_problems_and_differences_come_in_parts(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = downloaded(client)
    monkeypatch.setattr("episodes.admin.catalog.MAX_PROBLEMS", 1)
    answer = uploaded(client, written([{**row, "number": "x"} for row in rows]))
    assert (len(answer.context["problems"]), answer.context["skipped"]) == (1, len(rows))
    text = written(rows).replace("audio_url", "shoe_size", 1)
    assert uploaded(client, text).context["problems"] == ["The column “shoe_size” is not read."]
    monkeypatch.setattr("episodes.admin.catalog.MAX_DIFFERENCES", 3)
    changed = [{**row, "title": row["title"] + "!", "number": str(90 + n)} for n, row in enumerate(rows)]
    shown = uploaded(client, written(changed))
    assert (len(cells(shown)), shown.context["more"]) == (3, 7)


@pytest.mark.parametrize("body, complaint", CASES["a_file_that_is_no_sheet_is_refused"])
def test_a_file_that_is_no_sheet_is_refused(client: Client, body: str, complaint: str) -> None:
    assert complaint in said(uploaded(client, body))


@pytest.mark.parametrize(
    "body, complaint",
    [
        ("slug,title\r\nx,Mañana".encode("cp1252"), "Save the sheet as CSV UTF-8"),
        (b"PK\x03\x04" + bytes(range(256)), "Save the sheet as CSV UTF-8."),
        (b"slug,title\r\n" + b"x" * 5_000_000, "larger than 5 MB"),
        (b"slug," * 199 + b"slug,slug\r\nx", "The first row has 201 columns; at most 200 are read."),
        (b"slug\r\n" + b"\r\n" * (20_001), "The file has more than 20,000 rows; upload it in parts."),
    ],
)
def test_unreadable_or_large_sheet_is_refused(client: Client, body: bytes, complaint: str) -> None:
    assert complaint in said(uploaded(client, body))


@pytest.mark.parametrize("line", ["slug," * 200_000, "," * (5_000_000 - 1), "slug;" + "\t" * 1_000_000])
def test_columns_are_counted_first(client: Client, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(csv, "reader", lambda *_, **__: pytest.fail("the columns were read"))
    assert "at most 200 are read" in said(uploaded(client, line))


def test_maximum_of_rows_and_columns_is_read(client: Client) -> None:
    slug = episode(0).slug
    names = ",".join(["slug", *(f"note{n}" for n in range(199))])
    shown = uploaded(client, f"{names}\r{slug}\r" + "\r" * 19_999)
    assert shown.context["read"] == 1
    assert cells(shown) == []


@pytest.mark.on_both
def test_hostile_cells_break_nothing(client: Client) -> None:
    rows = downloaded(client)
    for value in ("\0", "a\0b", "x" * 20_000, "\ud7ff\ue000", "<script>", "{{ 1 }}", "%s%n", "9" * 400, "²"):
        changed = [{**rows[0], **dict.fromkeys(SHEET_COLUMNS, value)}]
        assert uploaded(client, written(changed)).status_code == 200
        by_key = [{**rows[0], "as_downloaded": value}]
        assert uploaded(client, written(by_key)).status_code == 200
    tick(client, uploaded(client, written([{**rows[0], "title": "nul\0 inside"}])))
    assert Episode.objects.filter(title="nul inside").exists()


def test_upload_is_used_once(client: Client) -> None:
    (row, *_), before = downloaded(client), Session.objects.count()
    first, second = (uploaded(client, written([{**row, "title": title}])) for title in ("Mine", "Another"))
    assert "Upload the sheet again" in said(tick(client, first))
    assert "Upload it again" in said(client.get(reverse(DIFFERENCES), follow=True))
    uploaded(client, written([{**row, "title": "Another"}]))
    assert len(str(dict(client.session.items()))) < 1_000
    assert Session.objects.count() == before + 1
    forged = {"cell": ["2-99", "x", "", "9" * 5000, "\0"]}
    assert "No changes." in said(client.post(reverse(DIFFERENCES), forged, follow=True))
    assert "Upload it again" in said(tick(client, second))
    assert not Decision.objects.filter(kind="value").exists()
    tick(client, uploaded(client, written([{**row, "title": "Mine, again"}])))
    assert Session.objects.count() == before
    assert Episode.objects.filter(title="Mine, again").exists()


def test_a_selection_is_downloaded_and_a_viewer_may(client: Client, viewer: User, curator: User) -> None:
    remove_list_entry(curator, episode(0), "topic", "household")
    data = {"action": "download", "_selected_action": [episode(1).pk, episode(3).pk]}
    for browser in (client, logged_in(viewer)):
        answer = browser.post(reverse("admin:episodes_episode_changelist"), data)
        assert answer["Content-Type"] == "text/csv; charset=utf-8"
        assert len(list(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))) == 3


def test_nothing_is_ticked_that_loses_exactness(client: Client, curator: User) -> None:
    override_fields(curator, episode(0), {"duration_seconds": "825", "description_text": "words " * 8_000})
    (one,) = (row for row in downloaded(client) if row["title"] == episode(0).title)
    cut = one["description_text"][:32_767]
    one |= {"number": "2", "duration_seconds": "13 min", "published": "2021-05-01", "description_text": cut}
    doubts = {(field, new): doubt for field, _, new, doubt in cells(uploaded(client, written([one])))}
    assert doubts == {
        ("number", "2"): "",
        ("duration_seconds", "780"): "less exact than now",
        ("published", "2021-05-01"): "less exact than now",
        ("description_text", cut): "the spreadsheet cut the text off",
    }
    another = {"slug": one["slug"], "duration_seconds": "14 min"}
    (changed,) = cells(uploaded(client, written([another], columns=("slug", "duration_seconds"))))
    assert changed[2:] == ("840", "")
