"""A morning of decisions in the inbox without a mouse; all of them are kept after another import and a rebuild."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from episodes.admin.inbox_sections import first_inbox_rows
from episodes.curation import override_fields
from episodes.models import Decision, Episode, IngestRun, Podcast, Source

from ..admin.conftest import HELD
from ..curation.conftest import export, feed
from ..examples import examples
from .test_curator import context, curator, ingest, page, press, small

__all__ = ["context", "curator", "page", "small"]

EPISODES, SOURCES = 12, examples(4, 20)

pytestmark = pytest.mark.filterwarnings("default::ResourceWarning")


@pytest.fixture
def documents(small: Podcast, curator: User, tmp_path: Path) -> list[tuple[Path, str]]:
    """Three entries that are held, two titles that changed upstream, and sources in trouble."""
    Source.objects.create(podcast=small, slug="odd", reader="feed", rank=50, address="https://odd.example/feed")
    pages = {"feed": feed(range(EPISODES)), "odd": HELD.encode()}
    taken = [(tmp_path / f"{source}.xml", source) for source in pages]
    for path, source in taken:
        path.write_bytes(pages[source])
    ingest(taken)
    for n in (6, 7):
        override_fields(curator, Episode.objects.get(title__endswith=f" {n}"), {"title": f"My title {n}"})
    changed = feed(range(EPISODES)).replace(b" 6</title>", b" 6!</title>").replace(b" 7</title>", b" 7!</title>")
    (tmp_path / "feed.xml").write_bytes(changed)
    ingest(taken[:1])
    now = timezone.now()
    for n in range(SOURCES):
        address = f"https://{n}.example"
        gone = Source.objects.create(podcast=small, slug=f"gone-{n}", reader="feed", rank=60, address=address)
        IngestRun.objects.create(source=gone, started_at=now, finished_at=now, outcome="failed", reason="no answer")
    return taken


def left() -> list[tuple[str, str]]:
    return [(row.section.slug, row.subject) for row in first_inbox_rows(500)]


def test_a_morning_without_a_mouse(
    page: Page, live_server: LiveServer, documents: list[tuple[Path, str]], trouble: list[str]
) -> None:
    total = len(left())
    expected = ["held"] * 3 + ["source"] * SOURCES + ["upstream"] * 2
    assert [kind for kind, _ in left()][: len(expected)] == expected
    press(page, "i")
    expect(page.get_by_text(f"{total} items.")).to_be_visible()
    open_one_and_come_back(page)
    for _ in range(3):  # the held entries need the review
        press(page, "ArrowDown")
    for key in (*"p" * SOURCES, "o", "t"):
        total = settle(page, key, total)
    press(page, "?")
    expect(page.get_by_role("heading", name="Keys")).to_be_visible()
    expect(page.get_by_role("definition").filter(has_text="Undo")).to_be_visible()
    page.keyboard.press("Escape")
    press(page, "u")
    expect(page.get_by_text(f"{total + 1} item")).to_be_visible()
    assert trouble == []
    assert Decision.objects.filter(kind="value", ended_at=None).count() == 2
    assert Decision.objects.in_force("dismissal").count() == SOURCES
    kept, decided = left(), export()
    ingest(documents[::-1])
    ingest(documents)
    call_command("rebuild", verbosity=0)
    assert (left(), export()) == (kept, decided)


def settle(page: Page, key: str, total: int) -> int:
    """Press the letter of a button: there is one row less, and the next one stands in its place."""
    press(page, key)
    expect(page.get_by_text(f"{total - 1} item")).to_be_visible()
    if total > 1:  # the script looks for its row after the page is there
        # No function of the test may poll: the policy of the page forbids to evaluate text.
        page.wait_for_selector(".at:focus, .at :focus", state="attached")
    return total - 1


def open_one_and_come_back(page: Page) -> None:
    for key in ("j", "k", "ArrowDown", "Enter"):
        press(page, key)
    page.wait_for_url("**/inbox/held/**")
    press(page, "g")
    press(page, "i")
    page.wait_for_url("**/admin/inbox/")


def test_selected_rows_are_settled_together(
    page: Page, live_server: LiveServer, documents: list[tuple[Path, str]], trouble: list[str]
) -> None:
    page.goto(f"{live_server.url}/admin/inbox/?kind=source")
    rows, settle = page.locator(".inbox [type=checkbox]"), page.locator(".together .button").first
    expect(settle).not_to_be_visible()
    rows.nth(0).check()
    expect(settle).to_be_visible()
    rows.nth(0).uncheck()
    expect(settle).not_to_be_visible()
    for row in (rows.nth(0), rows.nth(1)):
        row.check()
    settle.click()
    expect(page.get_by_text("Done: 2 rows.")).to_be_visible()
    assert (len(left()), trouble) == (3 + SOURCES - 2 + 2, [])
