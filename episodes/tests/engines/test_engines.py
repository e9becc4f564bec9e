"""The site works in Firefox and WebKit (Safari's engine) as it does in Chromium (../browser)."""

import json
import re

import pytest
from django.contrib.auth.models import User
from django.db.models import Value
from django.db.models.functions import Concat
from django.test import Client
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from episodes.models import Episode, IngestRun, Podcast, Source, Transcript

from ..admin.conftest import doubtful, talks
from ..browser.conftest import silence
from ..browser.test_sweep import NOWHERE, SCREENS, pages
from ..curation.conftest import small
from ..loopback import Loopback, Reply, Request
from .tabs import Tab

__all__ = ["doubtful", "silence", "small", "talks"]

pytestmark = [pytest.mark.pages, pytest.mark.filterwarnings("default::ResourceWarning")]

UNFOLD = "document.querySelectorAll('details').forEach((element) => { element.open = true; })"
SPILL = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
HEADING = "document.querySelector('h1').textContent"
FOCUSED = "document.activeElement"
AUDIO = "document.querySelector('.dock audio')"
CHOOSE_THEME = """((theme) => {
    const choice = document.querySelector(".theme select");
    choice.value = theme;
    choice.dispatchEvent(new Event("change", { bubbles: true }));
})"""


def faults_of(tab: Tab, site: LiveServer, addresses: list[str]) -> list[str]:
    """Open every address, wide and on a phone. Return what its console complains of and how far it scrolls sideways."""
    faults = []
    for address in addresses:
        tab.open(site.url + address)
        tab.evaluate(UNFOLD)
        for width in (1440, 360):
            tab.resize(width, 900)
            spill = tab.evaluate(SPILL)
            if spill > 0:
                faults.append(f"{address} scrolls sideways by {spill} of {width} px")
        if not tab.evaluate("Boolean(document.querySelector('h1').textContent.trim())"):
            faults.append(f"{address} has no heading")
        faults += [f"{address}: {complaint}" for complaint in tab.take_complaints()]
    return faults


def visit(tab: Tab, address: str) -> None:
    """Open a page of the readers and wait until its scripts have begun: the player is there."""
    tab.open(address)
    tab.wait("document.querySelector('.dock')")


def log_in(tab: Tab, site: LiveServer) -> None:
    User.objects.create_superuser("root", password="secret")
    tab.open(f"{site.url}/admin/")
    tab.click("#id_username")
    tab.type("root")
    tab.click("#id_password")
    tab.type("secret")
    tab.press("Enter")
    tab.wait("location.pathname === '/admin/' && document.readyState === 'complete'")


def test_pages_answer_without_complaints_and_fit(tab: Tab, site: LiveServer, client: Client, catalog: None) -> None:
    addresses = [address for address in pages(client) if address != NOWHERE]
    assert faults_of(tab, site, addresses) == []
    tab.open(site.url + NOWHERE)
    assert tab.evaluate(SPILL) == 0
    tab.take_complaints()  # some consoles name the status


def test_admin_answers_without_complaints_and_fits(tab: Tab, site: LiveServer, doubtful: Podcast) -> None:
    log_in(tab, site)
    assert faults_of(tab, site, [f"/admin/{screen}" for screen in SCREENS]) == []


def test_link_leads_to_a_folded_passage(tab: Tab, site: LiveServer, catalog: None) -> None:
    cues = [[20.0 * number, "", f"Loom {number} weaves. " + "They weave all day. " * 40] for number in range(30)]
    text = "\n".join(str(words) for *_, words in cues)
    Transcript.objects.create(episode=Episode.objects.get(slug="vmap"), url="u", sha256="", text=text, cues=cues)
    page = f"{site.url}/episodes/vmap/"
    top = "document.querySelector('{}').getBoundingClientRect().top"
    for address, selector in (("#p20", "#p20"), ("?q=21", "#p22"), ("?t=400&q=weave#moment", "#moment")):
        visit(tab, f"{site.url}/topics/")
        visit(tab, page + address)
        tab.wait("document.querySelector('#transcript details').open")
        if "#" in address:
            tab.wait(f"scrollY > 0 && {top.format(selector)} > 0 && {top.format(selector)} < innerHeight")
    visit(tab, page)
    assert tab.evaluate("document.querySelector('#transcript details').open") is False
    tab.evaluate("void (location.hash = '#p9')")
    tab.wait(f"scrollY > 0 && {top.format('#p9')} > 0 && {top.format('#p9')} < innerHeight")


def test_search_suggests_while_typing(tab: Tab, site: LiveServer, catalog: None) -> None:
    visit(tab, f"{site.url}/topics/")
    tab.press("Control+k")
    tab.wait(f"{FOCUSED}.id === 'q'")
    tab.evaluate("document.querySelector('#q').value = 'autog'")
    tab.press("r")  # one key, so that there is one answer
    options = "[...document.querySelectorAll('#hits [role=option]')]"
    tab.wait(f"{options}.some((option) => option.innerText.includes('Autograd'))")
    tab.press("ArrowDown")
    tab.wait("document.querySelector('#hits [aria-selected=true]')")
    address = tab.evaluate("document.querySelector('#hits [aria-selected=true]').href")
    tab.press("Enter")
    tab.wait(f"location.href === {json.dumps(address)}")


def test_filters_change_the_list_in_place(tab: Tab, site: LiveServer, catalog: None) -> None:
    visit(tab, f"{site.url}/episodes/")
    tab.evaluate("window.same = true")
    tab.click(".facets a[href*='topic=autograd']")
    tab.wait(f"{HEADING}.includes('6 episodes about Autograd')")
    tab.click(".sorts a", "Oldest")
    tab.wait("location.search.includes('sort=oldest')")
    tab.evaluate("history.go(-2)")
    tab.wait(f"{HEADING}.includes('82 episodes')")
    assert tab.evaluate("window.same")


def test_theme_is_kept(tab: Tab, site: LiveServer, catalog: None) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    visit(tab, f"{site.url}/episodes/")
    light = tab.evaluate(paper)
    tab.evaluate(f"{CHOOSE_THEME}('dark')")
    dark = tab.evaluate(paper)
    assert dark != light
    visit(tab, f"{site.url}/topics/")
    assert tab.evaluate(paper) == dark
    tab.evaluate(f"{CHOOSE_THEME}('light')")
    assert tab.evaluate(paper) == light


def test_keys_move_explain_and_lead(tab: Tab, site: LiveServer, catalog: None) -> None:
    visit(tab, f"{site.url}/episodes/")
    tab.type("jj")
    tab.wait(f"{FOCUSED} === document.querySelectorAll('main article h2 a')[1]")
    tab.press("?")
    tab.wait("document.querySelector('#keys').open")
    tab.press("Escape")
    tab.wait("!document.querySelector('#keys').open")
    tab.press("/")
    tab.wait(f"{FOCUSED}.id === 'q'")
    tab.press("Escape")
    tab.wait(f"{FOCUSED} === document.body")
    tab.evaluate("Date.now = () => 0")  # both keys come within a moment
    tab.type("gt")
    tab.wait("location.pathname === '/topics/'")


def test_player_goes_on_while_pages_change(tab: Tab, site: LiveServer, catalog: None, silence: bytes) -> None:
    with Loopback() as host:
        for slug in Episode.objects.values_list("slug", flat=True):
            host.routes[f"/{slug}.wav"] = lambda request: in_parts(request, silence)
        Episode.objects.update(audio_url=Concat(Value(host.address()), "slug", Value(".wav")))
        visit(tab, f"{site.url}/topics/autograd/")
        tab.evaluate("window.same = true")
        tab.evaluate(f"{AUDIO}.muted = true")  # without a sound card Firefox plays nothing else
        tab.click(".play-all")
        tab.wait(f"!{AUDIO}.paused && {AUDIO}.currentTime > 0")
        title = tab.evaluate("document.querySelector('.desk a').textContent")
        tab.click("h1")
        tab.press(" ")
        tab.wait(f"{AUDIO}.paused")
        tab.press(" ")
        tab.wait(f"!{AUDIO}.paused")
        tab.click(".masthead a", "Paths")
        tab.wait("location.pathname === '/paths/' && document.title.startsWith('Learning paths')")
        time = tab.evaluate(f"{AUDIO}.currentTime")
        tab.wait(f"!{AUDIO}.paused && {AUDIO}.currentTime > {time}")
        assert tab.evaluate("window.same && document.querySelector('.desk a').textContent") == title
        tab.click(".dock button", "Next")
        tab.wait(f"document.querySelector('.desk a').textContent !== {json.dumps(title)} && {AUDIO}.currentTime > 0")
        tab.click(".dock .play")
        tab.wait(f"{AUDIO}.paused")
        visit(tab, f"{site.url}/about/")  # which ends what the player still loads


def in_parts(request: Request, sound: bytes) -> Reply:
    """Answer a request for a range of bytes. Players seek by them."""
    asked = re.match(r"bytes=(\d+)-(\d*)", request.headers.get("range", ""))
    if not asked:
        return 200, {"Content-Type": "audio/wav", "Accept-Ranges": "bytes"}, sound
    first, last = int(asked[1]), int(asked[2] or len(sound) - 1)
    content_range = f"bytes {first}-{last}/{len(sound)}"
    return 206, {"Content-Type": "audio/wav", "Content-Range": content_range}, sound[first : last + 1]


def test_path_marks_played_episodes(tab: Tab, site: LiveServer, catalog: None) -> None:
    visit(tab, f"{site.url}/episodes/reference-counting/")
    tab.click(".toggle")
    tab.wait("document.querySelector('.toggle').ariaPressed === 'true'")
    visit(tab, f"{site.url}/paths/where-memory-goes/")
    tab.wait("document.querySelector('.progress').textContent.trim() === '1 of 6 played'")
    assert tab.evaluate("document.querySelector('progress').value") == 1
    visit(tab, f"{site.url}/paths/")
    tab.wait("document.querySelector('.route li.heard').textContent.trim() === 'Reference counting'")


def test_read_pages_are_there_offline(browser_tab: Tab, site: LiveServer, catalog: None) -> None:
    is_kept = "caches.match('{}').then(Boolean)"
    for address in ("/about/", "/episodes/vmap/"):
        browser_tab.open(site.url + address)
        browser_tab.wait(is_kept.format(address))
    assert browser_tab.take_complaints() == []
    site.stop()
    # A connection that the browser opened in advance is still answered.
    browser_tab.wait("fetch('/livez').then(() => false, () => true)")
    browser_tab.open(f"{site.url}/episodes/vmap/")
    assert browser_tab.evaluate(HEADING) == "vmap"
    browser_tab.open(f"{site.url}/topics/")
    assert browser_tab.evaluate(HEADING) == "Read offline"
    browser_tab.wait("document.querySelector('#saved').textContent.includes('vmap')")


def test_inbox_is_settled_by_keys(tab: Tab, site: LiveServer, doubtful: Podcast) -> None:
    now = timezone.now()
    for slug in ("gone", "lost"):
        address = f"https://{slug}.example"
        source = Source.objects.create(podcast=doubtful, slug=slug, reader="feed", rank=60, address=address)
        IngestRun.objects.create(source=source, started_at=now, finished_at=now, outcome="failed", reason="no answer")
    log_in(tab, site)
    tab.open(f"{site.url}/admin/inbox/?kind=source")
    tab.wait("document.querySelectorAll('.inbox > li').length === 2")
    tab.wait("document.querySelector('.inbox > .at:first-child')")
    tab.press("j")
    tab.wait("document.querySelector('.inbox > .at:last-child')")
    tab.press("p")
    tab.wait("document.querySelector('.inbox > .at:only-child')")
    tab.press("u")
    tab.wait("document.querySelectorAll('.inbox > li').length === 2")


def test_choices_are_underlined_and_selects_plain(tab: Tab, site: LiveServer, catalog: None) -> None:
    tab.open(f"{site.url}/episodes/")
    assert style(tab, ".sorts [aria-current]", "textDecorationLine") == "underline"
    tab.open(f"{site.url}/time/?minutes=45")
    assert style(tab, ".budget [aria-current]", "textDecorationLine") == "underline"
    assert style(tab, ".fields button", "textDecorationLine") == "underline"
    assert style(tab, "select", "appearance") == "none"


def style(tab: Tab, selector: str, name: str) -> str:
    return str(tab.evaluate(f"getComputedStyle(document.querySelector({json.dumps(selector)})).{name}"))
