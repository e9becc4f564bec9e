"""The board of sources: the worst first, with their shows, the reason in words, and where to go from there."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from episodes.models import IngestRun

from ..read.test_sources import add, each_state
from .conftest import logged_in, said

__all__ = ["each_state"]
BOARD = "/admin/episodes/source/health/"


def names(page: str) -> list[str]:
    return re.findall(r'<details class="source-health (\w+)', page)


@pytest.fixture
def client(viewer: User, each_state: None) -> Client:
    return logged_in(viewer)


def test_the_board_has_every_source_with_its_show_the_worst_first(client: Client) -> None:
    page = said(client.get(BOARD))
    assert names(page) == ["gone", "gone", "refused", "failing", "late", "new", "ok", "paused"]
    assert "Show 3 · Feed" in page
    assert "The feed is cut off." in page
    assert "3 entries, <b>1 ignored</b>" in page
    assert re.search(r"9, since \d+ \w+ 20\d\d", page)


@pytest.mark.parametrize(
    "query, found",
    [
        ("?state=trouble", ["gone", "gone", "refused", "failing", "late"]),
        ("?state=late", ["late"]),
        ("?podcast=show-4", ["failing"]),
        ("?state=late&podcast=show-4", []),
        ("?state=nonsense&page=x", ["gone", "gone", "refused", "failing", "late", "new", "ok", "paused"]),
    ],
)
def test_the_board_can_be_narrowed(client: Client, query: str, found: list[str]) -> None:
    assert names(said(client.get(BOARD + query))) == found


def test_the_board_leads_on(client: Client) -> None:
    page = said(client.get(f"{BOARD}?podcast=show-3"))
    links = re.findall(r'<a class="button[^"]*" href="([^"]+)"', page)
    assert len(links) == 3
    assert [client.get(link).status_code for link in links if link.startswith("/")] == [200, 200]
    imports = said(client.get(next(link for link in links if "ingestrun" in link)))
    assert "the feed is cut off" in imports
    assert "no answer" not in imports


def test_the_board_comes_in_pages(viewer: User, db: None) -> None:
    for number in range(60):
        add(number)
    client = logged_in(viewer)
    assert len(names(said(client.get(BOARD)))) == 25
    assert len(names(said(client.get(f"{BOARD}?page=3")))) == 10


def test_a_source_that_is_fine_is_one_line_and_one_in_trouble_says_why_once(client: Client) -> None:
    run = IngestRun.objects.get(source__podcast__slug="show-4")
    IngestRun.objects.filter(pk=run.pk).update(
        reason="https://4.example/ could not be reached: host not found: 4.example"
    )
    lines = {}
    for row in LexborHTMLParser(said(client.get(BOARD))).css("details.source-health"):
        assert "open" not in row.attributes
        summary = row.css_first("summary")
        assert summary is not None
        lines[str(row.attributes["class"]).split()[1]] = re.sub(r"\s+", " ", summary.text(separator=" ")).strip()
    assert re.fullmatch(r"OK Show 1 · Feed \d+ \w+ 20\d\d", lines["ok"])
    assert lines["failing"].endswith(
        "Show 4 · Feed https://4.example/ could not be reached: host not found: 4.example."
    )
    assert lines["late"].endswith("Its next attempt is more than a day overdue: is the schedule running?")


def test_imports_are_filtered_by_show(client: Client) -> None:
    page = said(client.get("/admin/episodes/ingestrun/"))
    assert "By show" in page
    show = re.search(r"source__podcast__id__exact=(\d+)\">Show 3<", page)
    assert show is not None
    narrowed = said(client.get(f"/admin/episodes/ingestrun/?source__podcast__id__exact={show[1]}"))
    assert "the feed is cut off" in narrowed
    assert "no answer" not in narrowed
    assert "show-4 · feed" not in narrowed


def test_a_stranger_and_a_person_without_a_role_do_not_see_the_board(db: None) -> None:
    assert logged_in(None).get(BOARD).status_code == 302
    nobody = User.objects.create_user("nora", password="p", is_staff=True)
    assert logged_in(nobody).get(BOARD).status_code == 403
