"""Additions by JavaScript, in chromium: a list that changes in place, keys, and marks for what was heard."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from ..patience import until
from .listening import WIDE, context, page, wait

__all__ = ["context", "page"]

pytestmark = [pytest.mark.pages, pytest.mark.filterwarnings("default::ResourceWarning")]


@contextmanager
def held_back(page: Page, pattern: str) -> Iterator[None]:
    """Requests of this pattern get their answers at the end."""
    held: list[Route] = []
    over = Event()
    page.route(pattern, lambda route: route.continue_() if over.is_set() else held.append(route))
    yield
    over.set()
    for route in held:
        route.continue_()
    page.unroute(pattern)


def test_choice_changes_list_in_place(page: Page) -> None:
    page.evaluate("window.same = true")
    page.evaluate("scrollTo(0, 300)")
    choice = page.locator(".facets").get_by_role("link", name="Autograd", exact=True)
    choice.evaluate("(link) => { link.focus({ preventScroll: true }); link.click(); }")
    expect(page.get_by_role("heading", level=1)).to_contain_text("6 episodes about Autograd")
    assert "topic=autograd" in page.url
    assert page.title().startswith("6 episodes about Autograd")
    assert page.evaluate("scrollY") == 300
    assert page.locator(":focus").inner_text() == "Autograd"
    expect(page.locator("body > p[role=status]")).to_contain_text("6 episodes")
    assert "topic=autograd" in (page.locator("link[rel=canonical]").get_attribute("href") or "")
    assert page.locator(".masthead input[type=hidden]").get_attribute("value") == "autograd"
    page.get_by_role("link", name="Oldest").click()
    page.wait_for_url(re.compile("sort=oldest"))
    page.go_back()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("82 episodes")
    assert page.evaluate("window.same")


SHIFT = """new Promise((done) => new PerformanceObserver((list) => done(
    list.getEntries().reduce((sum, entry) => sum + entry.value, 0))).observe({ type: "layout-shift", buffered: true }))"""


@pytest.mark.parametrize("address", ["/", "/offline/"])
def test_controls_of_scripts_move_nothing(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.add_init_script(f"window.shift = {SHIFT};")
    home = page.url.partition("/episodes/")[0]
    page.goto(home + address, wait_until="networkidle")
    shift = page.evaluate("Promise.race([shift, new Promise((done) => setTimeout(() => done(0), 200))])")
    # A font that arrives late moves a line by a fraction.
    assert shift < 0.005


def test_choice_on_phone_shows_heading(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 780})
    page.locator(".facets > summary").click()
    page.locator(".facets").get_by_role("link", name="Autograd", exact=True).click()
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("6 episodes about Autograd")
    expect(heading).to_be_in_viewport(ratio=1)
    expect(page.locator(".facets nav")).to_be_hidden()
    expect(page.locator("main")).to_be_focused()


def test_theme_is_kept_and_needs_scripts(page: Page, browser: Browser, live_server: LiveServer) -> None:
    scheme = "getComputedStyle(document.documentElement).colorScheme"
    assert page.evaluate(scheme) == "light dark"
    page.get_by_label("Theme").select_option("Dark")
    page.goto(f"{live_server.url}/topics/")
    assert page.evaluate(scheme) == "dark"
    expect(page.get_by_label("Theme")).to_have_value("dark")
    # It is known before the page is drawn.
    blocking = "script[src*='/theme.']:not([async], [defer], [type]) ~ link[rel=stylesheet]"
    expect(page.locator(f"head > {blocking}")).to_have_count(1)
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(live_server.url)
    expect(plain.get_by_text("Theme")).to_be_hidden()
    context.close()


def test_typing_searches_and_is_one_step_back(page: Page) -> None:
    page.evaluate("window.same = true")
    page.get_by_role("searchbox").press_sequentially("autograd", delay=20)
    expect(page.get_by_role("heading", level=1)).to_contain_text("matching “autograd”")
    page.get_by_role("searchbox").press_sequentially(" vmap", delay=20)
    expect(page.get_by_role("heading", level=1)).to_contain_text("autograd vmap")
    assert page.evaluate("document.activeElement.id") == "q"
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("82 episodes")
    assert page.evaluate("window.same")


def test_typing_during_an_answer_keeps_back(page: Page) -> None:
    box = page.get_by_role("searchbox")
    with held_back(page, "**/episodes/?q=a*"):
        with page.expect_request("**/episodes/?q=a*"):
            box.press_sequentially("au", delay=20)
        box.press_sequentially("tograd", delay=20)
    expect(page.get_by_role("heading", level=1)).to_contain_text("“autograd”")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("82 episodes")


def test_failed_fetch_navigates_instead(page: Page, context: BrowserContext) -> None:
    page.evaluate("() => { window.fetch = () => Promise.reject(new Error('offline')); }")
    page.get_by_role("link", name="Oldest").click()
    expect(page.locator(".sorts [aria-current]")).to_have_text("Oldest")
    with context.expect_page() as other:
        page.get_by_role("link", name="Longest").click(modifiers=["Control"])
    other.value.wait_for_url(re.compile("sort=longest"))
    assert "sort=oldest" in page.url


def test_escape_leaves_search_and_space_closes_help(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("vmap")
    expect(page.get_by_role("heading", level=1)).to_contain_text("“vmap”")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.body")
    assert (page.get_by_role("searchbox").input_value(), "q=vmap" in page.url) == ("vmap", True)
    page.keyboard.press("?")
    page.keyboard.press("Space")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()
    first = page.locator("main article h2 a").first.get_attribute("href") or "?"
    for key in "jjko":
        page.keyboard.press(key)
    page.wait_for_url(re.compile(f"{first}"))


def test_played_episode_is_marked_and_hidden(page: Page, live_server: LiveServer) -> None:
    assert page.get_by_role("button", name="Hide played").count() == 0
    address = page.locator("main article h2 a").first.get_attribute("href") or ""
    page.goto(live_server.url + address)
    page.get_by_role("button", name="Mark as played").click()
    assert json.loads(page.evaluate("localStorage['heard']")) == [address]
    page.goto(f"{live_server.url}/episodes/")
    assert page.locator("article.heard").count() == 1
    page.get_by_role("button", name="Hide played (1)").click()
    expect(page.locator(f"article:has(a[href='{address}'])")).to_be_hidden()
    expect(page.get_by_text("1 of 25 on this page are hidden.")).to_be_visible()
    page.get_by_role("link", name="Shortest").click()
    page.wait_for_url(re.compile("shortest"))
    page.go_back()
    expect(page.get_by_text("1 of 25 on this page are hidden.")).to_be_visible()
    page.get_by_role("button", name="Hide played (1)").click()
    expect(page.locator("article.heard")).to_be_visible()


def test_nothing_breaks_where_storage_is_blocked(context: BrowserContext, page: Page, live_server: LiveServer) -> None:
    blocked = (
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    context.add_init_script(blocked)
    page.goto(f"{live_server.url}/episodes/vmap/?t=5")
    page.get_by_role("button", name="Mark as played").click()
    expect(page.get_by_role("button", name="Played")).to_have_attribute("aria-pressed", "true")
    page.get_by_label("Speed").select_option("2")
    assert page.evaluate("document.querySelector('.dock audio').playbackRate") == 2


def test_search_box_suggests_while_typing(page: Page, live_server: LiveServer) -> None:
    page.goto(f"{live_server.url}/topics/")
    page.keyboard.press("Control+k")
    box = page.get_by_role("combobox", name="Search")
    expect(box).to_be_focused()
    page.keyboard.insert_text("autogr")  # at once, so that there is one answer
    options = page.get_by_role("listbox", name="Suggestions").get_by_role("option")
    expect(options.filter(has_text="Topic").first).to_have_text("Autograd Topic")
    expect(box).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowUp")
    last = options.last.get_attribute("id") or "none"
    expect(box).to_have_attribute("aria-activedescendant", last)
    expect(options.last).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    expect(box).to_have_attribute("aria-activedescendant", "")
    page.keyboard.press("Escape")
    expect(options).to_have_count(0)
    expect(box).to_be_focused()
    box.press_sequentially("a")
    page.keyboard.press("ArrowDown")
    expect(options.first).to_be_visible()
    page.keyboard.press("ArrowDown")
    address = options.first.get_attribute("href")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{live_server.url}{address}")
    page.goto(f"{live_server.url}/topics/")
    page.keyboard.press("/")
    page.keyboard.insert_text("vmap ")
    options.filter(has_text="vmap OR …").click()
    expect(box).to_have_value("vmap OR ")
    expect(box).to_be_focused()
    page.keyboard.insert_text("jax -autog")
    expect(options.filter(has_text="vmap OR jax -autograd")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(box).to_have_value("vmap OR jax -autograd")
    page.goto(f"{live_server.url}/topics/")
    page.keyboard.press("/")
    page.keyboard.type("autograd")
    expect(options.first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{live_server.url}/episodes/?q=autograd")
    page.goto(f"{live_server.url}/episodes/")
    page.keyboard.press("Control+k")
    page.keyboard.type("autograd")
    expect(page.locator("h1")).to_contain_text("matching “autograd”")
    expect(options).to_have_count(0)


def test_back_returns_to_place_in_list(page: Page) -> None:
    page.evaluate("scrollTo(0, 1500)")
    page.locator("main article h2 a").nth(8).evaluate("(link) => link.click()")
    page.wait_for_url(re.compile("/episodes/[^?]+/$"))
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("82 episodes")
    wait(page, "scrollY === 1500")


def test_keys_of_one_letter_can_be_switched_off(page: Page, live_server: LiveServer) -> None:
    page.keyboard.press("?")
    page.get_by_role("checkbox", name="Single-key shortcuts").uncheck()
    page.keyboard.press("Escape")
    for key in "j?/":
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.matches('article a, #q')") is False
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()
    page.goto(f"{live_server.url}/episodes/vmap/?t=5")
    page.get_by_role("button", name="+30 s").focus()
    page.keyboard.press(".")
    assert page.evaluate("document.querySelector('.dock audio').playbackRate") == 1
    page.goto(f"{live_server.url}/about/#shortcuts")
    page.locator("main").get_by_role("checkbox", name="Single-key shortcuts").check()
    page.goto(live_server.url)
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.matches('article a')")


def test_visited_page_is_readable_offline(browser: Browser, live_server: LiveServer, catalog: None) -> None:
    context = browser.new_context(viewport=WIDE)  # type: ignore[arg-type]
    page = context.new_page()
    kept = "caches.open('read-1').then((all) => all.keys()).then((all) => all.map((one) => new URL(one.url).pathname))"
    page.goto(f"{live_server.url}/about/")
    until(lambda: "/about/" in page.evaluate(kept))  # the first page, too
    for address in ("/sources.json", "/episodes/vmap/", "/topics/autograd/"):
        page.goto(live_server.url + address)
    until(lambda: {"/episodes/vmap/", "/topics/autograd/"} <= set(page.evaluate(kept)))
    assert "/sources.json" not in page.evaluate(kept), "it says no-store"
    context.set_offline(True)
    page.goto(f"{live_server.url}/episodes/vmap/")
    expect(page.get_by_role("heading", level=1)).to_have_text("vmap")
    page.goto(f"{live_server.url}/topics/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Read offline")
    expect(page.locator("#saved a")).to_contain_text(["About", "vmap", "Autograd"])
    context.set_offline(False)
    page.goto(f"{live_server.url}/shows/pytorch-developer-podcast/")
    page.get_by_role("button", name="Save for offline").click()
    expect(page.get_by_role("button", name="Saved 83 pages")).to_be_disabled()
    context.set_offline(True)
    page.goto(f"{live_server.url}/episodes/strides/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Strides")
    context.close()
