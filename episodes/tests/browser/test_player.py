"""The player in chromium: it goes on from page to page, has a queue, and says what it plays and why it does not."""

import re
from collections.abc import Callable

import pytest
from django.db.models import Value
from django.db.models.functions import Concat
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect
from pytest_django.live_server_helper import LiveServer

from episodes.models import Chapter, Episode, Podcast, Transcript

from .listening import AUDIO, SOUND, becomes_true, context, page, wait


def at(page: Page) -> float:
    return float(page.evaluate("document.querySelector('.dock audio').currentTime"))


def seek(page: Page, seconds: float) -> None:
    page.evaluate(f"document.querySelector('.dock audio').currentTime = {seconds}")


def played_from(page: Page) -> float:
    """Wait until the audio plays, pause it, and return the position at which it began."""
    wait(page, "!audio.paused && window.began !== undefined")
    page.evaluate("document.querySelector('.dock audio').pause()")
    return float(page.evaluate("window.began"))


__all__ = ["context", "page"]

VMAP = "/episodes/vmap/"
TOPIC = "/topics/autograd/"
IN_ORDER = [
    "Why is autograd so complicated", "Inference mode", "gradcheck",
    "Double backwards", "Compiled autograd", "The life and death of Variable",
]  # fmt: skip
CUES = [[t, "", "Words. " * 90] for t in range(0, 120, 10)]

pytestmark = [pytest.mark.pages, pytest.mark.filterwarnings("default::ResourceWarning")]


@pytest.fixture(autouse=True)
def sounds(page: Page, live_server: LiveServer) -> None:
    """Every episode has sound, and vmap two chapters."""
    page.goto("about:blank")
    Episode.objects.update(audio_url=Concat(Value(SOUND), "slug", Value(".wav")))
    vmap = Episode.objects.get(slug="vmap")
    for start, title in ((0, "Welcome"), (60, "Batching")):
        Chapter.objects.create(episode=vmap, start=start, title=title)


@pytest.fixture
def go(page: Page, live_server: LiveServer) -> Callable[[str], object]:
    return lambda address: page.goto(live_server.url + address)


def button(page: Page, name: str) -> Locator:
    return page.locator(".dock").get_by_role("button", name=name)


def playing(page: Page, title: str) -> None:
    expect(page.locator(".desk a")).to_have_text(title)
    wait(page, "!audio.paused && audio.currentTime > 0")


@pytest.mark.parametrize("width", [360, pytest.param(1440, marks=pytest.mark.long)])
def test_sound_goes_on_over_ten_pages(page: Page, go: Callable[[str], object], width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    go("/episodes/?q=vmap")
    page.evaluate("window.same = true")
    page.locator("article", has=page.get_by_role("link", name="vmap", exact=True)).locator(".play").click()
    playing(page, "vmap")
    expect(page.locator("article .play.on")).to_have_text("Pause 2 min")
    heard = at(page)
    for number, (name, address) in enumerate(
        (
            ("Topics", "/topics/"), ("Autograd", TOPIC), ("gradcheck", "/episodes/gradcheck/"),
            ("Paths", "/paths/"), ("Where memory goes", "/paths/where-memory-goes/"), ("Links", "/links/"),
            ("People", "/people/"), ("Playlist for your time", "/time/"), ("Timeline", "/timeline/"), ("About this catalog", "/about/"),
        )
    ):  # fmt: skip
        link = page.get_by_role("link", name=name, exact=True).first
        link.click()
        page.wait_for_url(f"**{address}")
        expect(page.locator("main")).to_be_focused()
        assert page.evaluate("document.querySelector('[rel=canonical]').href") == page.url
        assert page.locator("link[rel=stylesheet]").count() == 1
        assert page.title() == page.locator("body > p[role=status]").inner_text(), number
        assert page.evaluate("[scrollY, document.documentElement.scrollWidth]") == [0, width]
    assert page.locator(".masthead [aria-current]").count() == 0
    page.go_back()
    expect(page.locator(".masthead [aria-current]")).to_have_text("Timeline")
    page.go_back()
    page.get_by_label("I have").fill("45")
    page.get_by_role("button", name="Make a playlist").click()
    page.wait_for_url("**/time/?minutes=45*")
    expect(page.get_by_role("heading", level=2).first).to_contain_text("episode")
    added = "<a href='/episodes/vmap/?t=100#links'>Said at 1:40</a>"
    page.evaluate(f'document.querySelector("main").innerHTML += "{added}"')
    page.get_by_text("Said at 1:40").click()
    page.wait_for_url("**/?t=100#links")
    expect(page.locator("#links:target")).to_be_in_viewport()
    # Where it began, not where it is by now: on a busy machine seconds pass.
    began_at_100 = "[...Array(audio.played.length).keys()].some((n) => Math.round(audio.played.start(n)) === 100)"
    wait(page, f"!audio.paused && {began_at_100}")
    page.locator("h1").click()
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url("**/topics/")
    page.locator("#q").press_sequentially("gradch")
    page.keyboard.press("ArrowDown")
    becomes_true(page, "document.querySelectorAll('#hits a').length")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/episodes/gradcheck/")
    page.locator(".masthead").get_by_role("link", name="Episodes").click()
    page.get_by_role("searchbox").press_sequentially("vmap", delay=20)
    expect(page.locator("h1")).to_contain_text("“vmap”")
    assert page.evaluate("window.same")
    assert at(page) > heard
    wait(page, "!audio.paused")


# Lines of the name in the player of which its lower edge shows only a part.
LINES_CUT = """
    const name = document.querySelector(".desk > p"), edge = name.getBoundingClientRect().bottom;
    const lines = document.createRange();
    lines.selectNodeContents(name);
    return [...lines.getClientRects()].filter((line) => line.top < edge - 2 && line.bottom > edge + 2).length;
"""


@pytest.mark.parametrize("words", [1, 4, 9, 40])
def test_phone_shows_whole_lines_of_title(page: Page, go: Callable[[str], object], words: int) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    Episode.objects.filter(slug="vmap").update(title="Batching " * words)
    Podcast.objects.update(title="A show whose name takes lines of its own, too")
    go(VMAP)
    page.locator(".player .go").click()
    playing(page, ("Batching " * words).strip())
    assert page.evaluate(f"() => {{{LINES_CUT}}}") == 0
    assert page.locator(".tools").evaluate("tools => tools.getBoundingClientRect().bottom <= innerHeight")


def test_other_pages_open_the_ordinary_way(page: Page, go: Callable[[str], object], context: BrowserContext) -> None:
    go(f"{VMAP}?t=5")
    page.evaluate("window.same = true")
    with context.expect_page():
        page.get_by_role("link", name="Topics").first.click(modifiers=["Control"])
    page.evaluate("document.querySelector('.cite').open = true; location.hash = 'links'")
    assert page.evaluate("window.same && document.querySelector('.cite').open")
    page.evaluate("document.querySelector('main').innerHTML = '<a href=\"/admin/login/\">x</a>'")
    page.locator("main a").click()
    page.wait_for_url("**/admin/login/")
    assert page.locator(".dock").count() == 0
    # Before the page, which may fetch what it links.
    page.route("**/paths/", lambda route: route.fulfill(content_type="text/plain", body="no page"))
    go(f"{VMAP}?t=5")
    page.get_by_role("link", name="Paths").first.click()
    expect(page.locator("body")).to_have_text("no page")


def test_start_page_welcomes_back(page: Page, go: Callable[[str], object]) -> None:
    go("/")
    expect(page.get_by_role("heading", name="New here?")).to_be_visible()
    becomes_true(page, "localStorage.newest")
    go(VMAP)
    page.locator(".player .play").click()
    playing(page, "vmap")
    seek(page, 65)
    button(page, "Close player").click()
    page.evaluate(
        "localStorage.newest = JSON.stringify(JSON.parse(localStorage.newest).slice(2)); sessionStorage.clear()"
    )
    go("/")
    expect(page.get_by_role("heading", name="Welcome back")).to_be_visible()
    expect(page.locator(".begin .go-on a").first).to_have_text("vmap")
    expect(page.locator(".begin .news")).to_have_text("2 new since your last visit")
    page.locator(".begin .play").click()
    playing(page, "vmap")
    assert at(page) >= 65


def test_list_is_played_in_order(page: Page, go: Callable[[str], object]) -> None:
    Podcast.objects.create(slug="another", title="Another", rank=9)
    for address in ("/paths/where-memory-goes/", "/time/?minutes=45", "/shows/pytorch-developer-podcast/"):
        go(address)
        expect(page.locator(".play-all")).to_be_visible()
    go(TOPIC)
    expect(page.locator(".add").first).to_be_hidden()
    page.get_by_role("button", name="Play all").click()
    playing(page, IN_ORDER[0])
    page.get_by_role("button", name="Next").click()
    playing(page, IN_ORDER[1])
    seek(page, 119.7)
    playing(page, IN_ORDER[2])
    assert page.evaluate("localStorage['at:/episodes/inference-mode/']") == "0"
    page.reload()
    expect(page.locator(".desk a")).to_have_text(IN_ORDER[2])
    page.get_by_role("button", name="Queue (3)").click()
    rows = page.get_by_role("dialog", name="Up next").get_by_role("listitem")
    assert rows.locator("a").all_inner_texts() == IN_ORDER[3:]
    assert rows.locator("small").all_inner_texts() == ["PyTorch Developer Podcast"] * 3
    page.get_by_role("button", name=f"Move {IN_ORDER[4]} up").click()
    assert rows.locator("a").all_inner_texts() == [IN_ORDER[4], IN_ORDER[3], IN_ORDER[5]]
    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text(f"{IN_ORDER[4]}: 1 of 3")
    expect(page.get_by_role("button", name=f"Move {IN_ORDER[4]} down")).to_be_focused()
    page.keyboard.press("Enter")
    assert rows.locator("a").all_inner_texts() == IN_ORDER[3:]
    rows.nth(2).locator("small").drag_to(rows.nth(0).locator("small"))
    assert rows.locator("a").all_inner_texts() == [IN_ORDER[5], *IN_ORDER[3:5]]
    rows.nth(0).locator("small").drag_to(rows.nth(2).locator("small"))
    assert rows.locator("a").all_inner_texts() == IN_ORDER[3:]
    page.get_by_role("button", name=f"Remove {IN_ORDER[3]}").click()
    expect(page.get_by_role("button", name=f"Remove {IN_ORDER[4]}")).to_be_focused()
    assert rows.locator("a").all_inner_texts() == IN_ORDER[4:]
    page.keyboard.press("Escape")
    page.locator("article", has_text=IN_ORDER[0]).locator(".add").click()
    page.locator("article", has_text=IN_ORDER[4]).locator(".play").click()
    playing(page, IN_ORDER[4])
    page.get_by_role("button", name="Queue (2)").click()
    assert rows.locator("a").all_inner_texts() == [IN_ORDER[5], IN_ORDER[0]]
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.get_by_role("button", name="Pause")).to_be_focused()
    expect(page.get_by_role("button", name="Next")).to_be_hidden()
    page.get_by_role("button", name="Close player").click()
    expect(page.locator(".dock")).to_be_hidden()
    wait(page, "audio.paused && !audio.src")
    page.reload()
    expect(page.locator(".dock")).to_be_hidden()


def test_range_starts_and_stops_at_its_times(page: Page, go: Callable[[str], object]) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    go("/about/")
    page.evaluate("localStorage['at:/episodes/vmap/'] = 80")
    go(f"{VMAP}?t=42-43")
    expect(page.locator(".clock")).to_have_text("0:42 / 2:00")
    expect(page.locator(".desk small")).to_have_text("Welcome · PyTorch Developer Podcast")
    expect(page.locator(".player [role=status]")).to_have_text("Starts at 0:42")
    assert page.locator(".dial").evaluate("(dial) => dial.style.getPropertyValue('--marks').split('2px').length") == 3
    assert not [url for url in asked if url.startswith(SOUND)]
    page.keyboard.press(" ")
    wait(page, "window.began >= 42 && audio.paused")
    assert 42.7 < at(page) < 50
    go("/about/")
    assert page.evaluate("localStorage['at:/episodes/vmap/']") == "80"
    go(f"{VMAP}?t=42-43")
    page.keyboard.press(" ")
    wait(page, "audio.currentTime > 42.7 && audio.paused")
    page.get_by_role("button", name="Play", exact=True).click()
    wait(page, "audio.currentTime > 43.6 && !audio.paused")
    page.keyboard.press(" ")
    wait(page, "audio.paused")
    assert 43 < float(page.evaluate("localStorage['at:/episodes/vmap/']")) < 60
    seek(page, 70)
    expect(page.locator(".desk small")).to_contain_text("Batching")
    page.get_by_role("button", name="Copy link at current time").click()
    expect(page.locator(".dock > [role=status]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"{VMAP}?t=70")
    told = page.evaluate("[navigator.mediaSession.metadata.title, navigator.mediaSession.metadata.artist]")
    assert told == ["vmap", "PyTorch Developer Podcast"]


@pytest.fixture
def moments(sounds: None) -> None:
    """Two moments of vmap, and one of gradcheck."""
    for slug, starts in (("vmap", (10.0, 40.0)), ("gradcheck", (70.0,))):
        cues: list[list[float | str]] = []
        for start in starts:
            cues += [[start, "", "A kumquat sings."], [start + 2, "", "Nothing. " * 30]]
        text = "\n".join(str(cue[2]) for cue in cues)
        Transcript.objects.create(episode=Episode.objects.get(slug=slug), url="", sha256="", text=text, cues=cues)


def plays_row(page: Page, number: int) -> None:
    expect(page.locator(".playlist li[aria-current]")).to_have_count(1)
    expect(page.locator(".playlist li").nth(number)).to_have_attribute("aria-current", "true")
    wait(page, "!audio.paused && audio.currentTime > 0")


@pytest.mark.usefixtures("moments")
def test_moments_play_one_after_another(page: Page, go: Callable[[str], object]) -> None:
    go("/episodes/?q=kumquat")
    page.evaluate("window.same = true")
    page.get_by_role("link", name="Play 3 moments").click()
    page.wait_for_url("**/moments/?q=kumquat")
    titles = page.locator(".playlist .range").evaluate_all("(links) => links.map((link) => link.dataset.title)")
    first_of_vmap = titles.index("vmap")
    page.locator(".playlist .range").nth(first_of_vmap).click()
    plays_row(page, first_of_vmap)
    expect(page.locator(".desk small")).to_contain_text(f"Moment {first_of_vmap + 1} of 3")
    plays_row(page, first_of_vmap + 1)
    assert at(page) >= 40
    page.keyboard.press("ArrowLeft")
    plays_row(page, first_of_vmap)
    assert at(page) < 40
    button(page, "Next").click()
    plays_row(page, first_of_vmap + 1)
    button(page, "Whole episode").click()
    expect(page.locator(".playlist li[aria-current]")).to_have_count(0)
    wait(page, "!audio.paused && audio.currentTime > 43")
    assert page.evaluate("window.same")


@pytest.mark.usefixtures("moments")
def test_shared_moments_play_from_any(page: Page, go: Callable[[str], object]) -> None:
    queued = [{"path": f"/episodes/{slug}/", "title": slug, "seconds": 120} for slug in ("vmap", "inference-mode")]
    go("/about/")
    page.evaluate("(queued) => { localStorage.queue = JSON.stringify(queued); }", queued)
    go("/moments/?q=kumquat")
    page.get_by_role("button", name="Play all").click()
    for number in range(3):
        plays_row(page, number)
        if number < 2:
            page.keyboard.press("ArrowRight")
    last = page.locator(".playlist .range").nth(2).get_attribute("data-title")
    wait(page, "audio.paused")
    page.reload()
    expect(page.locator(".desk a")).to_have_text(str(last))
    button(page, "Next").click()
    playing(page, "Inference mode")
    page.locator(".playlist .onward").nth(0).click()
    wait(page, "!audio.paused && audio.currentTime > 0")
    expect(page.locator(".desk small")).not_to_contain_text("Moment")
    page.get_by_role("link", name="Topics").first.click()
    page.wait_for_url("**/topics/")
    wait(page, "!audio.paused")


def test_waiting_player_shows_where_it_resumes(page: Page, go: Callable[[str], object]) -> None:
    go("/about/")
    page.evaluate(
        "localStorage['at:/episodes/vmap/'] = 80;"
        "localStorage.queue = JSON.stringify([{ path: '/episodes/vmap/', title: 'vmap', seconds: 120 }])"
    )
    page.reload()
    expect(page.locator(".clock")).to_have_text("1:20 / 2:00")
    page.get_by_role("button", name="Copy link at current time").click()
    expect(page.locator(".dock > [role=status]")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()").endswith(f"{VMAP}?t=80")
    for _ in range(2):
        button(page, "+30 s").click()
    expect(page.locator(".clock")).to_have_text("2:00 / 2:00")
    button(page, "−15 s").click()
    expect(page.locator(".clock")).to_have_text("1:45 / 2:00")
    page.get_by_role("button", name="Play", exact=True).click()
    assert 105 <= played_from(page) < 110


def test_time_in_notes_plays_there(page: Page, go: Callable[[str], object]) -> None:
    go(VMAP)
    page.evaluate("window.same = true")
    page.locator("h1").click()
    page.keyboard.press(".")  # which is the player's alone
    expect(page.locator(".dock")).to_be_hidden()
    page.locator(".notes a.time", has_text="0:42").click()
    wait(page, "!audio.paused && window.began >= 42 && window.began < 50")
    assert page.url.endswith("?t=42")
    button(page, "+30 s").focus()
    for key in (".", ".", ","):
        page.keyboard.press(key)
    assert page.evaluate("document.querySelector('.dock audio').playbackRate") == 1.25
    page.evaluate("document.activeElement.blur(); document.querySelector('.dock audio').pause()")
    before = at(page)
    page.keyboard.press("ArrowRight")
    assert at(page) == pytest.approx(before + 30, abs=0.5)
    page.locator(".dial").focus()
    page.keyboard.press("ArrowLeft")
    assert at(page) == pytest.approx(before + 15, abs=0.5)
    button(page, "−15 s back").click()
    assert at(page) == pytest.approx(before, abs=0.5)
    page.locator(".dial").fill("100")
    assert at(page) == pytest.approx(100, abs=0.5)
    page.get_by_label("Speed").select_option("1.5")
    page.locator(".dock").get_by_label("Volume").fill("0.5")
    page.go_back()
    go(f"{VMAP}?t=5")
    audio = "document.querySelector('.dock audio')"
    assert page.evaluate(f"[{audio}.playbackRate, {audio}.volume]") == [1.5, 0.5]


def test_listening_resumes_unless_nearly_finished(page: Page, go: Callable[[str], object]) -> None:
    go(VMAP)
    page.locator("a.time", has_text="0:42").click()
    wait(page, "audio.currentTime >= 42")
    go("/about/")
    page.evaluate("localStorage.removeItem('queue')")
    go(VMAP)
    kept = float(page.evaluate("localStorage['at:/episodes/vmap/']"))
    assert kept >= 42
    expect(page.locator(".player [role=status]")).to_have_text(f"Resumes at {int(kept) // 60}:{int(kept) % 60:02}")
    page.keyboard.press(" ")
    assert played_from(page) == pytest.approx(kept, abs=5)
    page.get_by_role("link", name="Topics").first.click()
    page.wait_for_url("**/topics/")
    seek(page, 118)
    becomes_true(page, "localStorage.heard === '[\"/episodes/vmap/\"]'")
    page.go_back()
    expect(page.get_by_role("button", name="Played")).to_have_attribute("aria-pressed", "true")
    assert page.evaluate("localStorage['at:/episodes/vmap/']") == "0"


def test_space_pauses_after_click_on_play(page: Page, go: Callable[[str], object]) -> None:
    go(VMAP)
    page.locator("a.play").first.click()
    wait(page, "audio.currentTime > 0 && !audio.paused")
    page.keyboard.press(" ")
    wait(page, "audio.paused")
    assert page.evaluate("scrollY") == 0


def test_sleep_timer_stops_playing(page: Page, go: Callable[[str], object]) -> None:
    go(TOPIC)
    page.get_by_role("button", name="Play all").click()
    playing(page, IN_ORDER[0])
    sleep = page.get_by_label("Sleep timer")
    sleep.select_option("15")
    page.evaluate("Date.now = ((now) => () => now() + 899_000)(Date.now)")
    wait(page, f"!audio.paused && audio.currentTime > {at(page) + 0.6}")
    page.evaluate("Date.now = ((now) => () => now() + 2_000)(Date.now)")
    wait(page, "audio.paused")
    expect(sleep).to_have_value("")
    page.keyboard.press(" ")
    sleep.select_option("end")
    seek(page, 119.7)
    wait(page, "audio.ended")
    expect(page.locator(".desk a")).to_have_text(IN_ORDER[0])
    expect(sleep).to_have_value("")


def test_spoken_paragraph_is_marked_and_followed(page: Page, go: Callable[[str], object]) -> None:
    page.emulate_media(reduced_motion="reduce")
    vmap = Episode.objects.get(slug="vmap")
    Transcript.objects.create(episode=vmap, url=f"{SOUND}vmap.vtt", sha256="0" * 64, text="Words.", cues=CUES)
    go(VMAP)
    spoken = page.locator("#transcript [aria-current=true]")
    follow = page.get_by_role("button", name="Follow the transcript")
    expect(spoken).to_have_count(0)
    # Play at the head leaves the page where it is, also when the next paragraph is heard.
    page.locator(".player .play").click()
    expect(spoken).to_have_attribute("data-t", "0")
    seek(page, 25)
    expect(spoken).to_have_attribute("data-t", "20")
    assert page.evaluate("scrollY") == 0
    follow.click()
    expect(spoken).to_be_in_viewport(ratio=1)
    expect(follow).to_be_hidden()
    # Who reads along is taken along, until one looks elsewhere.
    seek(page, 55)
    expect(spoken).to_have_attribute("data-t", "50")
    expect(spoken).to_be_in_viewport(ratio=1)
    expect(follow).to_be_hidden()
    page.mouse.wheel(0, -5000)
    expect(follow).to_be_visible()
    seek(page, 75)
    expect(spoken).to_have_attribute("data-t", "70")
    expect(spoken).not_to_be_in_viewport()
    page.locator(".masthead").get_by_role("link", name="Topics").click()
    page.wait_for_url("**/topics/")
    expect(follow).to_be_hidden()
    page.go_back()
    expect(spoken).to_have_attribute("data-t", re.compile("70|80"))
    # What is clicked in the transcript is in sight.
    page.locator("#p2").evaluate("one => one.scrollIntoView()")
    page.locator("#p2 .time").click()
    expect(spoken).to_have_attribute("data-t", "10")
    expect(follow).to_be_hidden()
    page.locator(".dial").press("Home")
    expect(spoken).to_have_attribute("data-t", "0")
    expect(spoken).to_be_in_viewport(ratio=1)


def test_unplayable_audio_offers_remedies(page: Page, go: Callable[[str], object], trouble: list[str]) -> None:
    page.route(AUDIO, lambda route: route.fulfill(status=404, body="gone"))
    go(VMAP)
    page.keyboard.press(" ")
    told = page.locator(".dock").get_by_role("alert")
    expect(told).to_have_text("The file could not be played. Open the file or go to Simplecast.")
    expect(told.get_by_role("link", name="Open the file")).to_have_attribute("href", AUDIO)
    page.unroute(AUDIO)
    page.get_by_role("button", name="Play", exact=True).click()
    playing(page, "vmap")
    expect(told).to_be_hidden()
    page.route("**/episodes/gradcheck/", lambda route: route.abort())
    page.locator(".masthead").get_by_role("link", name="Topics").click()
    page.get_by_role("link", name="Autograd", exact=True).click()
    page.locator("article", has_text="gradcheck").locator(".play").click()
    expect(told).to_have_text("This episode could not be loaded. Try again, or open its page.")
    expect(page.locator(".desk a")).to_have_text("gradcheck")
    page.unroute("**/episodes/gradcheck/")
    page.get_by_role("button", name="Play", exact=True).click()
    playing(page, "gradcheck")
    expect(told).to_be_hidden()
    trouble.clear()


def test_video_plays_on_its_page_alone(page: Page, go: Callable[[str], object]) -> None:
    Episode.objects.filter(slug="vmap").update(audio_type="video/mp4")
    go(TOPIC)
    page.locator(".play").first.click()
    playing(page, IN_ORDER[0])
    page.locator("#q").fill("vmap")
    page.keyboard.press("Enter")
    card = page.locator("article", has=page.get_by_role("link", name="vmap", exact=True))
    expect(card.locator(".play")).to_have_count(0)
    page.evaluate("localStorage['at:/episodes/vmap/'] = 30")
    card.get_by_role("link", name="vmap", exact=True).click()
    page.wait_for_url(f"**{VMAP}")
    video = page.locator(".player video")
    assert video.evaluate("(one) => one.currentTime") == 30
    page.locator("a.time", has_text="0:42").click()
    wait(page, "audio.paused")
    becomes_true(page, "(({ paused, currentTime }) => !paused && currentTime >= 42)(document.querySelector('video'))")
    page.locator("h1").click()
    page.keyboard.press(" ")
    wait(page, "!audio.paused")
    assert video.evaluate("(one) => one.paused")
    page.evaluate("localStorage['at:/episodes/vmap/'] = 30")
    go(f"{VMAP}?t=5-6")
    video.evaluate("(one) => one.play()")
    becomes_true(page, "(({ paused, currentTime }) => paused && currentTime > 5)(document.querySelector('video'))")
    assert page.evaluate("localStorage['at:/episodes/vmap/']") == "30"


def test_without_script_no_control_is_dead(browser: Browser, page: Page, live_server: LiveServer) -> None:
    plain = browser.new_context(java_script_enabled=False).new_page()
    for address in ("/", VMAP, TOPIC, "/time/?minutes=45"):
        plain.goto(live_server.url + address)
        for control in plain.locator("button:visible").all():
            assert control.inner_text() in ("Search", "Make a playlist")
    plain.goto(f"{live_server.url}/time/")
    plain.get_by_label("I have").fill("45")
    plain.get_by_role("button", name="Make a playlist").click()
    expect(plain.locator("main article").nth(1)).to_be_visible()
    plain.goto(live_server.url + TOPIC)
    expect(plain.locator(".play-all")).to_be_hidden()
    plain.locator(".play").first.click()
    expect(plain.locator("audio")).to_be_visible()
    expect(plain.locator(".player .play")).to_be_hidden()
    plain.context.close()
