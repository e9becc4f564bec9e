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


def task_2_autograd_under_fifteen_minutes_is_answered_with_those_of_unknown_length(reader: Reader) -> None:
    reader.search("autograd under 15 minutes")
    expect(reader.page.get_by_text("Understood as")).to_contain_text("15 min")
    assert reader.steps == 1
    reader.page.goto(f"{reader.home}/episodes/?topic=autograd&max_minutes=15")
    reader.follow("Length unknown", ".facets")
    expect(reader.page.get_by_role("heading", level=1)).to_contain_text("3 episodes about Autograd, length unknown")


def task_4_what_to_hear_before_aotautograd_stands_before_it_in_its_learning_path(reader: Reader) -> None:
    reader.follow("Paths", ".masthead")
    title = reader.page.get_by_role("link", name="From eager to Inductor")
    route = reader.page.locator(".path", has=title).locator("ol a")
    expect(route.first).to_have_text("PyTorch 2.0")
    first = [one.strip() for one in route.all_inner_texts()][:4]
    assert first == ["PyTorch 2.0", "torchdynamo", "Functionalization", "AOTAutograd"]
    assert reader.steps == 1
    reader.click(route.nth(3))
    expect(reader.page.locator(".in-paths")).to_contain_text("Part 4 of 9")


def task_5_every_pull_request_of_a_repository_is_two_filters_away(reader: Reader) -> None:
    reader.follow("Links", ".masthead")
    reader.follow("Pull requests", ".facets")
    reader.follow("pytorch/pytorch", ".facets")
    expect(reader.page.get_by_role("heading", level=1)).to_contain_text("10 pull requests")
    assert reader.page.locator("main a[href*='github.com/pytorch/pytorch/pull/']").count() == 10
    assert reader.steps == 3


def task_6_a_topic_is_followed_in_a_podcast_app(reader: Reader) -> None:
    reader.follow("Autograd", ".facets")
    expect(reader.page.get_by_role("heading", level=1)).to_contain_text("about Autograd")
    reader.click(reader.page.get_by_text("Subscribe to this list").first)
    app = reader.page.get_by_role("link", name="AntennaPod").first
    expect(app).to_be_visible()
    assert "episodes.rss%3Ftopic%3Dautograd" in (app.get_attribute("href") or "")
    assert reader.steps == 2


def task_9_a_moment_is_shared_as_link_and_markdown(reader: Reader) -> None:
    reader.page.goto(f"{reader.home}/episodes/compiled-autograd/?t=12:34")
    reader.click(reader.page.get_by_text("Cite or share"))
    for text in reader.page.locator(".cite pre").all_inner_texts():
        assert "/episodes/compiled-autograd/?t=754" in text
    assert reader.page.locator(".cite pre").count() == 2
    assert reader.steps == 1


def task_10_the_one_about_tensor_deallocation_order_is_among_the_first(reader: Reader) -> None:
    reader.search("the one about tensor deallocation order")
    expect(reader.page.get_by_role("status").filter(has_text="No exact match")).to_be_visible()
    assert "Reference counting" in reader.titles[:3]
    reader.follow("Reference counting", "main article")
    expect(reader.page.get_by_role("heading", level=1)).to_have_text("Reference counting")
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
    assert len(TASKS) == 10
