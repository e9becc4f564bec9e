"""A curator's morning in chromium: the held queue by keys, a title, a merge and a split; then everything is ingested again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect
from pytest_django.live_server_helper import LiveServer

from episodes.migrations._roles import make_roles
from episodes.models import Change, Decision, Episode, Held, Podcast, Source

from ..admin.conftest import HELD
from ..curation.conftest import export, feed, small, staff
from ..ingest.conftest import run
from .conftest import listened_to

__all__ = ["small"]

pytestmark = pytest.mark.filterwarnings("default::ResourceWarning")


@pytest.fixture
def curator(transactional_db: None) -> User:
    """The live server's tests empty the tables, and with them the roles that a migration made."""
    make_roles(apps, connection.schema_editor())
    return staff("carla", "curator")


@pytest.fixture
def documents(small: Podcast, tmp_path: Path) -> list[tuple[Path, str]]:
    """Three sources of the small show; nothing of one can be placed without doubt."""
    Source.objects.create(podcast=small, slug="odd", reader="feed", rank=50, address="https://odd.example/feed")
    pages = {"feed": feed(range(5)), "other": feed(range(4), cut=True), "odd": HELD.encode()}
    for source, page in pages.items():
        (tmp_path / f"{source}.xml").write_bytes(page)
    taken = [(tmp_path / f"{source}.xml", source) for source in pages]
    ingest(taken)
    return taken


def ingest(documents: list[tuple[Path, str]]) -> None:
    for path, source in documents:
        ran = run(path, "--source", source, "--accept")
        assert ran.code == 0, ran.err


@pytest.fixture(params=[pytest.param((1440, "light"), marks=pytest.mark.long), (360, "dark")], ids=str)
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    width, scheme = request.param
    made = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, service_workers="block")
    yield made
    made.close()


@pytest.fixture
def page(
    context: BrowserContext, live_server: LiveServer, documents: object, curator: User, trouble: list[str]
) -> Iterator[Page]:
    opened = listened_to(context, trouble)
    opened.goto(f"{live_server.url}/admin/")
    opened.fill("#id_username", "carla")
    opened.fill("#id_password", "secret")
    opened.click("[type=submit]")
    expect(opened.get_by_role("heading", name="Needs attention")).to_be_visible()
    yield opened
    opened.close()


def test_a_curators_morning(
    page: Page, live_server: LiveServer, documents: list[tuple[Path, str]], trouble: list[str]
) -> None:
    clear_the_queue(page)
    correct_a_title(page, live_server)
    merge_two(page, live_server)
    split_them_again(page)
    take_one_out_and_bring_it_back(page, live_server)
    assert trouble == []
    decided = export()
    ingest(documents[::-1])
    ingest(documents)
    assert export() == decided
    assert not Held.objects.exists()
    assert Episode.objects.filter(title="Ladders, explained").exists()


WIDER = """() => [document.documentElement, ...document.querySelectorAll(".results")]
    .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => box.textContent.trim().slice(0, 40))"""


def test_long_words_stay_within_page_and_list(page: Page, live_server: LiveServer) -> None:
    word = "Donaudampfschifffahrtsgesellschaft" * 4
    Podcast.objects.update(title=word)
    Episode.objects.update(title=word)
    Source.objects.update(title=word, address=f"https://{word}.example/{word}")
    page.goto(f"{live_server.url}/admin/episodes/episode/all-about-ladders-1/change/")
    page.fill("[name=title]", word * 2)
    page.click(".save-bar button")
    expect(page.get_by_text("Saved: title")).to_be_visible()
    own, form = page.url, page.url.split("/admin/")[0] + "/admin/episodes/"
    for width in (360, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        for address in (own, *(f"{form}{table}/" for table in ("episode", "podcast", "source", "change", "capture"))):
            page.goto(address)
            assert page.evaluate(WIDER) == [], (address, width)


def press(page: Page, key: str) -> None:
    """Press a key once the page listens to keys."""
    page.wait_for_load_state("load")
    page.keyboard.press(key)


def clear_the_queue(page: Page) -> None:
    """Same, taken back, same again; new; no episode: all by keys."""
    page.get_by_role("link", name="Needs review unclear").click()
    expect(page.get_by_text("3 items.")).to_be_visible()
    press(page, "Enter")
    expect(page.get_by_text("1 of 3")).to_be_visible()
    press(page, "s")
    expect(page.get_by_text("1 of 2")).to_be_visible()
    press(page, "u")
    expect(page.get_by_text("Undone")).to_be_visible()
    expect(page.get_by_text("1 of 3")).to_be_visible()
    for key, what in (("s", "1 of 2"), ("l", "2 of 2"), ("n", "1 of 1"), ("i", "Nothing is left here")):
        press(page, key)
        expect(page.get_by_text(what)).to_be_visible()
    verdicts = Decision.objects.filter(kind="match", ended_at=None).values_list("value", flat=True)
    # A new episode is kept off the only entry of its candidate too.
    assert sorted(verdicts) == ["different", "ignore", "new", "same"]


def correct_a_title(page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/admin/episodes/episode/?q=ladders")
    page.get_by_role("link", name="All about ladders 1").click()
    page.get_by_label("Title").fill("Ladders, explained")
    page.get_by_label("Title").press("Enter")
    expect(page.get_by_text("Saved: title.")).to_be_visible()
    expect(page.locator(".field.locked")).to_have_count(1)


def merge_two(page: Page, live_server: LiveServer) -> None:
    page.get_by_role("link", name="Merge with another").click()
    page.wait_for_url("**/merge/")
    page.get_by_label("The other episode").fill("mirrors 2")
    page.get_by_role("button", name="Preview").click()
    page.locator("input[name=of_published][value=other]").check()
    page.get_by_role("button", name="Merge").click()
    expect(page.get_by_text("are one episode now")).to_be_visible()
    page.goto(f"{live_server.url}/episodes/all-about-mirrors-2/")
    expect(page.get_by_role("heading", name="Ladders, explained")).to_be_visible()


def split_them_again(page: Page) -> None:
    page.goto(page.url.replace("/episodes/", "/admin/episodes/episode/", 1) + "change/")
    page.get_by_label("All about mirrors 2").first.check()
    page.get_by_label("All about mirrors 2").last.check()
    page.get_by_role("button", name="Split selected into a new episode").click()
    expect(page.get_by_text("What moves: Address")).to_be_visible()
    page.get_by_role("button", name="Split or move").click()
    expect(page.get_by_text("Split. New episode: All about mirrors 2")).to_be_visible()
    assert Episode.objects.filter(title="All about mirrors 2").exists()
    assert Change.objects.filter(verb="split").exists()


def take_one_out_and_bring_it_back(page: Page, live_server: LiveServer) -> None:
    """First hidden, then, with one entry less, with another in its place."""
    page.goto(f"{live_server.url}/admin/episodes/episode/all-about-mirrors-2/change/")
    page.get_by_role("link", name="Take out…").click()
    expect(page.get_by_text("“This page was removed” (410)")).to_be_visible()
    page.get_by_role("button", name="Take out").click()
    expect(page.get_by_text("was taken out: hidden")).to_be_visible()
    page.get_by_role("button", name="Undo this").click()
    expect(page.get_by_text("Undone: took out")).to_be_visible()
    page.get_by_label("All about mirrors 2").last.check()
    page.get_by_label("or move to").fill("needles 3")
    page.get_by_role("button", name="Move selected…").click()
    expect(page.get_by_text("What moves: Title")).to_be_visible()
    page.get_by_role("button", name="Split or move").click()
    expect(page.get_by_text("Moved 1 entry to All about needles 3")).to_be_visible()
    page.get_by_role("link", name="Take out…").click()
    page.get_by_label("Replaced by another episode").check()
    page.get_by_label("Replaced by", exact=True).fill("needles 3")
    page.get_by_role("button", name="Take out").click()
    expect(page.get_by_text("was taken out: replaced")).to_be_visible()
    page.goto(f"{live_server.url}/episodes/all-about-mirrors-2/")
    expect(page.get_by_role("heading", name="All about needles 3")).to_be_visible()


def test_leaving_asks_first_and_help_lists_keys(page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/admin/inbox/held/")
    page.keyboard.press("?")
    expect(page.locator("dialog#keys")).to_contain_text("New episode")
    page.keyboard.press("Escape")
    page.goto(f"{live_server.url}/admin/episodes/episode/all-about-ladders-1/change/")
    page.get_by_label("Title").fill("Half")
    asked: list[str] = []

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", accept)
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", name="Needs attention")).to_be_visible()
    assert asked == ["beforeunload"]
    assert not Change.objects.exclude(rows=[]).exists()  # but the login
