"""The pages of episodes and topics, the page about the site, former addresses, the health check and the pages for errors."""

import gzip
import re
from typing import Any
from unittest.mock import patch
from urllib.parse import unquote

import brotli
import pytest
from django.conf import settings
from django.core.files.storage import FileSystemStorage
from django.db import OperationalError
from django.template.loader import render_to_string
from django.test import Client
from PIL import ImageFont

from episodes.models import Episode, LearningPath, Topic
from podcast_catalog.page_cache import BROTLI_QUALITY
from podcast_catalog.static_files import minified, text_with_inlined_imports

from .pages import see

pytestmark = pytest.mark.usefixtures("catalog")


def test_an_episode_shows_what_is_known_of_it(client: Client) -> None:
    page = see(client, "/episodes/vmap/")
    assert page.one("a[rel=prev]").attributes["href"] == "/episodes/expect-tests/"
    assert page.one("a[rel=next]").attributes["href"] == "/episodes/random-number-generators/"
    for words in ("34", "vmap", "21 June 2021", "17 min", "What is vmap?", "functorch and vmap", "Expect tests"):
        assert words in page.text
    assert "17 min 0 s" not in page.text
    assert [n.text() for n in page.tree.css("h1")] == ["vmap"]
    Episode.objects.filter(slug="vmap").update(audio_url="https://example.org/a.mp3?x=1&y=2")
    audio = see(client, "/episodes/vmap/").one("audio").attributes
    assert (audio["src"], audio["preload"], "controls" in audio) == ("https://example.org/a.mp3?x=1&y=2", "none", True)


def test_title_may_break_after_underscore(client: Client) -> None:
    title = "What's torch.use_deterministic & co?"
    Episode.objects.filter(slug="vmap").update(title=title)
    heading = see(client, "/episodes/vmap/").one("h1")
    assert heading.text() == title
    assert "use_<wbr>deterministic" in (heading.html or "")


def test_page_names_source_of_each_field(client: Client) -> None:
    found = see(client, "/episodes/code-generation/").one(".provenance")
    words = " ".join(found.text().split())
    assert "pod.casts.io: 16 min" in words
    assert "Feed (archived copy)" in words
    assert "matched by: same title" in words


@pytest.mark.parametrize("slug", ["nope", "a%00b", "%ED%A0%80", "x" * 300, "a b", "日本", "..", "vmap%2F"])
def test_never_an_address_is_not_found(client: Client, slug: str) -> None:
    assert client.get(f"/episodes/{slug}/").status_code == 404
    assert client.get(f"/topics/{slug}/").status_code == 404


def test_the_topic_index_groups_and_counts(client: Client) -> None:
    Topic.objects.create(slug="unused", name="Not used yet", group="Runtime")
    page = see(client, "/topics/")
    assert page.text.startswith("40 topics")
    assert "Autograd 6" in page.text
    assert "No episodes yet: Not used yet" in page.text


def test_topic_leads_to_its_group_in_the_index(client: Client) -> None:
    Topic.objects.filter(slug="autograd").update(group="Ableitungen für alle")
    (link,) = see(client, "/topics/autograd/").tree.css(".opening a[href*='#']")
    index, _, anchor = (link.attributes["href"] or "").partition("#")
    assert see(client, index).one(f"[id='{unquote(anchor)}']").text() == "Ableitungen für alle"


def test_topic_follows_path_or_age(client: Client) -> None:
    about = Episode.objects.filter(topic_uses__topic__slug="autograd").order_by("order")
    by_age = [episode.get_absolute_url() for episode in about]
    (path,) = LearningPath.objects.filter(slug="autograd-beyond-the-basics")
    steps = [f"/episodes/{step.episode}/" for step in path.well_formed_steps]
    LearningPath.objects.create(title="A", slug="a", steps=path.steps[-1:], published=True)  # with fewer of them
    page = see(client, "/topics/autograd/")
    assert page.entries[:5] == [step for step in steps if step in by_age]
    assert page.entries[5:] == [address for address in by_age if address not in steps]
    assert [a.attributes["href"] for a in page.tree.css(".opening .begin a")] == page.entries[:1]
    assert f"In the order of {path.title}" in page.text
    assert "6 episodes · 50+ min" in page.text
    assert "autodiff" in page.text
    path.steps = path.steps[:3]  # three of six are no more than half of them
    path.save()
    page = see(client, "/topics/autograd/")
    assert page.entries == by_age
    assert "Oldest first" in page.text


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/livez"])
def test_probe_ignores_host_and_proxy(client: Client, settings: Any, address: str) -> None:
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["podcasts.example.org"], True
    answer = Client().get(address, headers={"Host": "10.0.0.7:8000"})
    assert (answer.status_code, answer.content, answer.headers["Cache-Control"]) == (200, b"ok", "no-store")
    assert Client().post(address, headers={"Host": "10.0.0.7:8000"}).status_code == 405
    assert Client().get("/episodes/", headers={"Host": "podcasts.example.org"}).status_code == 301


def test_process_without_database_is_not_ready(client: Client) -> None:
    with patch("django.db.connection.cursor", side_effect=OperationalError):
        answers = [client.get(f"/{name}") for name in ("livez", "readyz", "healthz")]
    assert [answer.status_code for answer in answers] == [200, 503, 503]
    assert {answer.headers["Cache-Control"] for answer in answers} == {"no-store"}


def test_list_itself_answers_in_place_of_suggestions(client: Client) -> None:
    assert "data-suggest" not in see(client, "/episodes/").one("#q").attributes
    assert see(client, "/topics/").one("#q").attributes["data-suggest"] == "/search/suggest"


def test_styles_and_scripts_are_a_few_kilobytes(client: Client) -> None:
    page = see(client, "/")
    for selector, name, most in (("link[rel=stylesheet]", "href", 8_200), ("script[type=module]", "src", 11_000)):
        address = page.one(selector).attributes[name] or ""
        assert 500 < served_bytes(address.removeprefix("/static/")) <= most
    fonts = settings.BASE_DIR / "static" / "fonts"
    latin = ("literata.woff2", "public-sans.woff2", "jetbrains-mono.woff2")
    assert sum((fonts / name).stat().st_size for name in latin) <= 62_000
    assert 2_000 < served_bytes("js/player.js") <= 6_700


@pytest.mark.parametrize("name", ["literata", "public-sans"])
def test_fonts_have_every_letter_of_european_words(name: str) -> None:
    static = settings.BASE_DIR / "static"
    rules = (static / "css" / "fonts.css").read_text()
    found = re.search(rf"{name}-extended.*?unicode-range: ([^;]+);", rules, re.DOTALL)
    assert found
    extended: set[int] = set()
    for span in found[1].split(", "):  # such as U+100-130
        start, _, end = span.removeprefix("U+").partition("-")
        extended.update(range(int(start, 16), int(end or start, 16) + 1))
    missing = []
    for letter in "éñüßœıłąńŚżřůőșğİėēđ’„–—…":
        ending = "-extended" if ord(letter) in extended else ""
        font = ImageFont.truetype(static / "fonts" / f"{name}{ending}.woff2", 40)
        if bytes(font.getmask(letter)) == bytes(font.getmask("\uffff")):
            missing.append(letter)
    assert missing == []


@pytest.mark.parametrize("address", ["/", "/episodes/?q=autograd"])
def test_list_takes_seven_kilobytes(client: Client, address: str) -> None:
    page = client.get(address).content
    assert 2_000 < len(brotli.compress(page, quality=BROTLI_QUALITY)) <= 7_000


def served_bytes(name: str) -> int:
    """Return the size of a style sheet or script with its imports, as a browser receives it."""
    storage = FileSystemStorage(settings.BASE_DIR / "static")
    names = (f"{folder}/{file}" for folder in ("css", "js") for file in storage.listdir(folder)[1])
    sources = {name: (storage, name) for name in names}
    text = text_with_inlined_imports(sources, name, inlined_names=set())
    return len(gzip.compress(minified(text, name).encode()))


def test_the_foot_of_every_page_leads_on(client: Client) -> None:
    links = {a.attributes["href"] for a in see(client, "/").tree.css(".colophon a")}
    assert {"/people/", "/names/", "/time/", "/sources/", "/changes/", "/about/", "/data/"} <= links
    for address in links:
        assert see(client, address or "").status == 200


def test_an_address_without_a_page_becomes_a_search(client: Client) -> None:
    page = see(client, "/episodes/functional_modules-2021.html")
    assert page.status == 404
    assert page.one("main input[name=q]").attributes["value"] == "functional modules 2021"
    assert {"/episodes/", "/topics/"} <= {a.attributes["href"] for a in page.tree.css("main a")}


@pytest.mark.parametrize("name", ["400.html", "500.html", "503.html"])
def test_plain_error_pages_need_no_database(name: str, django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        page = render_to_string(name)
    assert page.startswith("<!doctype html>")
    assert 'href="/episodes/"' in page
