"""Tasks that readers come with, each done from the start page in the fewest steps: a click, or words and Enter."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.pages, pytest.mark.filterwarnings("default::ResourceWarning")]


class Reader:
    """Somebody at the start page whose steps are counted."""

    def __init__(self, page: Page, home: str) -> None:
        self.page, self.home, self.steps = page, home, 0

    def begin(self) -> None:
        self.page.goto(self.home)
        self.steps = 0

    def search(self, words: str) -> None:
        box = self.page.locator(".masthead input[name=q]")
        box.fill(words)
        box.press("Enter")
        self.page.wait_for_url("**/?q=*")
        self.steps += 1

    def click(self, what: Locator) -> None:
        what.click()
        self.steps += 1

    def follow(self, name: str, within: str = "main") -> None:
        self.click(self.page.locator(within).get_by_role("link", name=name, exact=True).first)

    @property
    def titles(self) -> list[str]:
        return self.page.locator("main article h2").all_inner_texts()


@pytest.fixture(params=[True, False], ids=["with scripts", "without scripts"])
def reader(
    browser: Browser, request: pytest.FixtureRequest, live_server: LiveServer, catalog: None
) -> Iterator[Reader]:
    context = browser.new_context(java_script_enabled=request.param, service_workers="block")
    yield Reader(context.new_page(), live_server.url)
    context.close()


def task_1_the_episodes_about_the_dispatcher_come_first(reader: Reader) -> None:
    reader.search("dispatcher")
    expect(reader.page.get_by_role("heading", level=1)).to_contain_text("dispatcher")
    titles = ("History and constraints of the dispatcher", "Dispatcher questions with Sherlock")
    assert set(reader.titles[:2]) == set(titles)
    reader.follow(titles[0])
    expect(reader.page.get_by_role("heading", level=1)).to_have_text(titles[0])
    assert reader.steps == 2


def task_6_a_topic_is_followed_in_a_podcast_app(reader: Reader) -> None:
    reader.follow("Autograd", ".facets")
    expect(reader.page.get_by_role("heading", level=1)).to_contain_text("about Autograd")
    reader.click(reader.page.get_by_text("Subscribe to this list").first)
    app = reader.page.get_by_role("link", name="AntennaPod").first
    expect(app).to_be_visible()
    assert "episodes.rss%3Ftopic%3Dautograd" in (app.get_attribute("href") or "")
    assert reader.steps == 2


def task_11_what_to_hear_first_and_what_builds_on_it_lead_to_each_other(reader: Reader) -> None:
    reader.page.goto(f"{reader.home}/episodes/weak-references/")
    before = reader.page.locator(".sides section").filter(has_text="Previous")
    first = before.locator("li", has_text="Listen to this first")
    assert first.locator("bdi").all_inner_texts() == ["PyObject preservation", "Reference counting"]
    first.get_by_role("link", name="Reference counting").click()
    after = reader.page.locator(".sides section").filter(has_text="Next")
    assert "Builds on this" in after.locator("li", has_text="Weak references").inner_text()


def task_12_the_keyboard_reaches_the_first_episode_in_a_few_steps(reader: Reader) -> None:
    reader.page.keyboard.press("Tab")
    assert reader.page.locator(":focus").inner_text() == "Skip to episodes"
    reader.page.keyboard.press("Enter")
    reader.page.keyboard.press("Tab")
    assert reader.page.evaluate("document.activeElement.matches('article:first-of-type h2 a')")


def task_13_a_mark_of_the_timeline_says_its_episode_on_hover_and_focus(reader: Reader) -> None:
    reader.page.goto(f"{reader.home}/timeline/")
    mark = reader.page.locator('.year li li a[href="/episodes/vmap/"]')
    for reach in (mark.hover, mark.focus):
        expect(mark.locator(".label")).to_have_css("opacity", "0")
        reach()
        expect(mark.locator(".label")).to_have_css("opacity", "1")
        reader.page.mouse.move(0, 0)
        mark.blur()


TASKS = [task for name, task in globals().items() if name.startswith("task_")]


def test_every_task_takes_fewest_steps(reader: Reader) -> None:
    for task in TASKS:
        reader.begin()
        task(reader)
    assert len(TASKS) == 5
