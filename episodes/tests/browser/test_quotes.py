"""A transcript in chromium: its words are selected, copied with a link, and shown where that leads; and the checkers."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from episodes.models import Chapter, Episode, Transcript

PAGE = "/episodes/vmap/"
ADDRESSES = (PAGE, f"{PAGE}?q=cloth+zebra", f"{PAGE}?q=zebra", f"{PAGE}?t=3-6", f"{PAGE}?t=6&q=shuttle")
CUES = [
    [0.0, "Nora", "Welcome to a talk about looms. Looms make cloth, not carpets."],
    [6.0, "Ilse", "A shuttle flies. " * 20 + "It is vmap."],
    [40.0, "", "Cards make cloth too."],
]  # fmt: skip
# From within the second sentence of the first paragraph to within the first of the second.
SELECT = """() => {
    const [from, to] = ["#p1", "#p2"].map((id) => document.querySelector(`${id} > span:not(.time)`).firstChild);
    const range = new Range();
    range.setStart(from, 37);
    range.setEnd(to, 9);
    getSelection().addRange(range);
}"""

# What a selection changes is there when two frames are drawn.
DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"

pytestmark = pytest.mark.filterwarnings("default::ResourceWarning")


@pytest.fixture
def said(catalog: None) -> None:
    vmap = Episode.objects.get(slug="vmap")
    Episode.objects.filter(pk=vmap.pk).update(audio_url="https://audio.example.org/a.mp3")
    Transcript.objects.create(episode=vmap, url="https://example.org/t", sha256="", text="", cues=CUES)
    Chapter.objects.create(episode=vmap, start=6, title="Shuttles")


@pytest.fixture(params=[(360, "dark"), pytest.param((1440, "light"), marks=pytest.mark.long)], ids=str)
def page(browser: Browser, request: pytest.FixtureRequest, live_server: LiveServer, said: None) -> Iterator[Page]:
    width, scheme = request.param
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context.new_page()
    context.close()


def test_sentences_of_selection_are_copied_with_link(page: Page, live_server: LiveServer) -> None:
    page.goto(live_server.url + PAGE)
    button = page.locator(".quoting button")
    expect(button).to_have_count(0)
    page.evaluate(SELECT)
    expect(button).to_have_text("Copy quote with link")
    button.click()
    expect(button).to_have_text("Copied")
    copied = str(page.evaluate("navigator.clipboard.readText()"))
    words, _, link = copied.partition(" — ")
    assert words == "“Looms make cloth, not carpets. A shuttle flies.”"
    assert link == f"PyTorch Developer Podcast, 34. vmap (0:03) {live_server.url}{PAGE}?t=3-8"
    page.goto(link.split()[-1])
    expect(page).to_have_url(f"{live_server.url}{PAGE}?t=3-8")
    expect(page.locator(".quote p")).to_have_text(["Nora Looms make cloth, not carpets.", "Ilse A shuttle flies."])
    page.evaluate("getSelection().removeAllRanges()")
    expect(page.locator(".quoting:visible")).to_have_count(0)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))")
    page.evaluate(DRAWN)
    expect(page.locator(".quoting:visible")).to_have_count(0)


def test_selected_words_come_into_form(page: Page, live_server: LiveServer) -> None:
    page.goto(live_server.url + PAGE)
    # From within "talk" to within "about".
    page.evaluate(
        "const words = document.querySelector('#p1 > span:not(.time)').firstChild;"
        " getSelection().setBaseAndExtent(words, 15, words, 19)"
    )
    page.locator(".quoting a").click()
    expect(page.get_by_label("What is wrong?")).to_have_value("words")
    expect(page.get_by_label("Words in the transcript")).to_have_value("talk about")
    expect(page.get_by_label("What should it be?")).to_have_value("talk about")
    page.get_by_label("What is wrong?").select_option("title")
    expect(page.get_by_label("Words in the transcript")).to_be_hidden()
    expect(page.locator(".now")).to_have_text("Now Title vmap", use_inner_text=True)


@pytest.mark.parametrize("last, offered", [(180, 1), (181, 0)])
def test_overlong_selection_is_no_quote(page: Page, live_server: LiveServer, last: int, offered: int) -> None:
    Transcript.objects.update(cues=[[0.0, "", "Looms."], [last - 1.0, "", "Cloth"], [last, "", "Cards."]])
    page.goto(live_server.url + PAGE)
    page.evaluate(
        "getSelection().setBaseAndExtent(document.querySelector('#p1 > span:not(.time)'), 0,"
        " document.querySelector('#p2 > span:not(.time)'), 1)"
    )
    page.evaluate(DRAWN)
    expect(page.locator(".quoting button:visible")).to_have_count(offered)
