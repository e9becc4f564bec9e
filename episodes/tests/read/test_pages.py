"""The pages of episodes and topics, former addresses, the health check and the pages for errors."""

from __future__ import annotations

import gzip
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import brotli
import pytest
from django.conf import settings
from django.db import OperationalError
from django.template.loader import render_to_string
from django.test import Client

from episodes.models import Attachment, Episode, EpisodeLink, EpisodeTopic, LearningPath, Link, Podcast, Redirect, Topic
from podcast_catalog.kept_pages import BROTLI_QUALITY
from podcast_catalog.static_files import SPARE

from .pages import see
from .rows import complete

pytestmark = pytest.mark.usefixtures("catalog")


def test_an_episode_shows_what_is_known_of_it(client: Client) -> None:
    page = see(client, "/episodes/vmap/")
    for words in ("34", "vmap", "21 June 2021", "17 min", "What is vmap?", "functorch and vmap", "Expect tests"):
        assert words in page.text
    assert "17 min 0 s" not in page.text
    assert [n.text() for n in page.tree.css("h1")] == ["vmap"]


def test_a_title_may_break_after_an_underscore_and_keeps_its_apostrophe(client: Client) -> None:
    title = "What's torch.use_deterministic & co?"
    Episode.objects.filter(slug="vmap").update(title=title)
    heading = see(client, "/episodes/vmap/").one("h1")
    assert heading.text() == title
    assert "use_<wbr>deterministic" in (heading.html or "")


def test_the_page_says_where_each_field_comes_from_and_what_others_say(client: Client) -> None:
    found = see(client, "/episodes/code-generation/").one(".provenance")
    words = " ".join(found.text().split())
    assert "pod.casts.io: 16 min" in words
    assert "Feed (archived copy)" in words
    assert "equal title" in words


def test_audio_is_played_natively_and_loads_nothing_before(client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(audio_url="https://example.org/a.mp3?x=1&y=2")
    audio = see(client, "/episodes/vmap/").one("audio")
    assert audio.attributes["src"] == "https://example.org/a.mp3?x=1&y=2"
    assert audio.attributes["preload"] == "none"
    assert "controls" in audio.attributes


def test_neighbours_lead_back_and_forth(client: Client) -> None:
    page = see(client, "/episodes/vmap/")
    assert page.one("a[rel=prev]").attributes["href"] == "/episodes/expect-tests/"
    assert page.one("a[rel=next]").attributes["href"] == "/episodes/random-number-generators/"


def test_a_former_address_leads_to_the_episode_its_entry_belongs_to(client: Client) -> None:
    row = Attachment.objects.filter(episode__slug="vmap").select_related("item__document")[0]
    document = row.item.document
    gone = {"source": document.source, "document": document.address}
    Redirect.objects.create(kind="episode", slug="old-name", item_key="no longer attached", entry="1", **gone)
    Redirect.objects.create(kind="episode", slug="old-name", item_key=row.item.key, entry="2", **gone)
    other = Attachment.objects.filter(episode__slug="cmake", item__document=document)[0]
    Redirect.objects.create(kind="episode", slug="old-name", item_key=other.item.key, entry="3", **gone)
    answer = client.get("/episodes/old-name/")
    assert (answer.status_code, answer.headers["Location"]) == (301, "/episodes/vmap/")


@pytest.mark.parametrize("slug", ["nope", "a%00b", "%ED%A0%80", "x" * 300, "a b", "日本", "..", "vmap%2F"])
def test_what_was_never_an_address_is_not_found(client: Client, slug: str) -> None:
    assert client.get(f"/episodes/{slug}/").status_code == 404
    assert client.get(f"/topics/{slug}/").status_code == 404


def test_the_topic_index_groups_and_counts(client: Client) -> None:
    Topic.objects.create(slug="unused", name="Not used yet", group="Runtime")
    page = see(client, "/topics/")
    assert page.text.startswith("40 topics")
    assert "Autograd 6" in page.text
    assert "No episodes yet: Not used yet" in page.text


def test_a_topic_lists_its_episodes_oldest_first_unless_a_path_has_most_of_them(client: Client) -> None:
    by_age = [
        e.get_absolute_url() for e in Episode.objects.filter(topic_uses__topic__slug="autograd").order_by("order")
    ]
    (path,) = LearningPath.objects.filter(slug="autograd-beyond-the-basics")
    steps = [f"/episodes/{step.episode}/" for step in path.kept]
    page = see(client, "/topics/autograd/")
    assert page.entries[:5] == [step for step in steps if step in by_age]
    assert page.entries[5:] == [address for address in by_age if address not in steps]
    assert [a.attributes["href"] for a in page.tree.css(".opening .begin a")] == page.entries[:1]
    assert f"in the order of {path.title}" in page.text
    assert "6 episodes · at least 50 min" in page.text
    assert "autodiff" in page.text
    path.steps = path.steps[:3]  # three of six are no more than half of them
    path.save()
    page = see(client, "/topics/autograd/")
    assert page.entries == by_age
    assert "oldest first" in page.text


def menu(client: Client) -> list[str]:
    return [link.text() for link in see(client, "/links/").tree.css("nav[aria-label=Site] a")]


def test_topics_are_in_the_menu_where_an_episode_has_one(client: Client) -> None:
    assert menu(client) == ["Episodes", "Topics", "Paths", "Links", "Timeline"]
    uses = EpisodeTopic.objects.all()
    Episode.objects.filter(topic_uses__isnull=False).update(listed=False)
    complete()
    assert menu(client) == ["Episodes", "Paths", "Links", "Timeline"]
    Episode.objects.update(listed=True)
    complete()
    assert "Topics" in menu(client)
    uses.delete()
    complete()
    assert "Topics" not in menu(client)
    assert see(client, "/topics/").status == 200


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/livez"])
def test_a_probe_needs_neither_the_name_of_the_site_nor_the_headers_of_a_proxy(
    client: Client, settings: Any, address: str
) -> None:
    settings.ALLOWED_HOSTS, settings.SECURE_SSL_REDIRECT = ["podcasts.example.org"], True
    answer = Client().get(address, headers={"Host": "10.0.0.7:8000"})
    assert (answer.status_code, answer.content, answer.headers["Cache-Control"]) == (200, b"ok", "no-store")
    assert Client().post(address, headers={"Host": "10.0.0.7:8000"}).status_code == 405
    assert Client().get("/episodes/", headers={"Host": "podcasts.example.org"}).status_code == 301


def test_a_process_lives_without_a_database_and_is_not_ready(client: Client) -> None:
    with patch("django.db.connection.cursor", side_effect=OperationalError):
        answers = [client.get(f"/{name}") for name in ("livez", "readyz", "healthz")]
    assert [answer.status_code for answer in answers] == [200, 503, 503]
    assert {answer.headers["Cache-Control"] for answer in answers} == {"no-store"}


def test_a_page_that_is_not_there_helps(client: Client) -> None:
    page = see(client, "/nothing-here/")
    assert page.status == 404
    assert {"/episodes/", "/topics/"} <= {a.attributes["href"] for a in page.tree.css("main a")}


def test_the_page_for_failures_needs_no_database(django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        assert "Something broke" in render_to_string("500.html")


@pytest.mark.parametrize(
    "address, most",
    [
        ("/", 20),
        ("/episodes/?topic=autograd&topic=pt2&q=torch&year=2024", 25),
        ("/episodes/?q=zzzz", 18),
        ("/episodes/?source=player-fm", 17),
        ("/episodes/vmap/", 20),
        ("/topics/", 7),
        ("/topics/autograd/", 18),
        ("/healthz", 1),
    ],
)
def test_a_page_asks_the_database_a_few_questions(client: Client, django_assert_max_num_queries, address, most) -> None:
    client.get("/episodes/cmake/")  # what many pages share is read once for each version of the catalog
    client.get("/")
    with django_assert_max_num_queries(most):
        client.get(address)


@pytest.mark.parametrize("page, entries", [(1, 25), (4, 7)])
def test_the_number_of_questions_does_not_grow_with_the_page(
    client: Client, django_assert_num_queries, page: int, entries: int
) -> None:
    client.get("/timeline/")  # reads what many pages share, and prints no card
    with django_assert_num_queries(8):
        assert len(see(client, "/episodes/", page=page).entries) == entries


HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>{{ 7|add:7 }}"


def test_every_page_shows_hostile_text_as_text(client: Client) -> None:
    Podcast.objects.update(title=HOSTILE)
    Topic.objects.filter(slug="functorch").update(
        name=HOSTILE[:100], group=HOSTILE[:50], description=HOSTILE, aliases=[HOSTILE]
    )
    link = Link.objects.create(key=f"https://example.org/{HOSTILE}", kind="other", title=HOSTILE)
    vmap = Episode.objects.get(slug="vmap")
    EpisodeLink.objects.create(episode=vmap, link=link, position=99, url=f"https://example.org/{HOSTILE}", text=HOSTILE)
    vmap.title = vmap.description_text = HOSTILE
    vmap.url = vmap.audio_url = "javascript:alert(1)"
    vmap.provenance = {"title": {"source": HOSTILE, "agree": [HOSTILE], "others": [[HOSTILE, [HOSTILE]]]}}
    vmap.published_at, vmap.published_precision = datetime(2021, 6, 21, tzinfo=UTC), "day"
    vmap.save()
    vmap.attachments.update(reasons=[HOSTILE])
    for address, query in (
        ("/", {}),
        ("/episodes/", {"q": HOSTILE}),
        ("/episodes/", {"q": "alert"}),
        ("/episodes/", {"topic": HOSTILE, "year": HOSTILE, HOSTILE: HOSTILE}),
        ("/episodes/", {"topic": "functorch"}),
        ("/episodes/vmap/", {}),
        ("/episodes/random-number-generators/", {}),
        ("/topics/", {}),
        ("/topics/functorch/", {}),
        (f"/{HOSTILE}", {}),
    ):
        page = see(client, address, **query)
        assert not page.tree.css("script:not([src]):not([type='application/ld+json']), img, [onerror]"), address
        assert 'href="javascript:' not in page.html
        assert "javascript:" not in page.html
        assert "14" not in page.one("h1").text()


KEY = "gh:pytorch/xla%232871"


def test_pages_bring_no_style_or_script_of_their_own(client: Client) -> None:
    for address in (
        "/", "/episodes/?q=vmap", "/episodes/vmap/", "/topics/", "/topics/autograd/", "/links/", f"/links/item/?key={KEY}",
        "/people/", "/people/edward-yang/", "/names/", "/names/vmap/", "/nope",
    ):  # fmt: skip
        assert not see(client, address).tree.css("style, script:not([src]):not([type='application/ld+json']), [style]")


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/episodes/vmap/",
        "/topics/",
        "/topics/autograd/",
        "/timeline/",
        "/time/",
        "/about/",
        "/links/",
        "/sources/",
        "/paths/",
    ],
)
def test_a_page_asks_for_one_style_sheet_and_one_script_of_a_few_kilobytes(client: Client, address: str) -> None:
    page = see(client, address)
    for selector, name, most in (("link[rel=stylesheet]", "href", 6_500), ("script[src]", "src", 8_700)):
        (asked_for,) = [node.attributes[name] or "" for node in page.tree.css(selector)]
        whole = with_imports(settings.BASE_DIR / asked_for.lstrip("/"), set())
        assert 500 < len(gzip.compress(whole.encode())) <= most


def test_the_player_is_at_most_six_kilobytes() -> None:
    assert 2_000 < len(gzip.compress(with_imports(settings.BASE_DIR / "static/js/player.js", set()).encode())) <= 6_000


@pytest.mark.parametrize("address", ["/", "/episodes/", "/episodes/?q=autograd"])
def test_a_list_takes_at_most_seven_kilobytes_on_the_wire(client: Client, address: str) -> None:
    page = client.get(address).content
    assert 2_000 < len(brotli.compress(page, quality=BROTLI_QUALITY)) <= 7_000


def with_imports(path: Path, seen: set[Path]) -> str:
    """A file with what it imports, each once, as it is served."""
    if path in seen:
        return ""
    seen.add(path)
    text = SPARE.sub("", path.read_text())
    names = re.findall(r'^(?:@import "|import "\./)([\w-]+\.\w+)";', text, re.MULTILINE)
    return "".join(with_imports(path.with_name(name), seen) for name in names) + text


def test_the_fonts_keep_to_their_budget() -> None:
    sizes = {font.stem: font.stat().st_size for font in (settings.BASE_DIR / "static" / "fonts").glob("*.woff2")}
    assert sizes.pop("literata") + sizes.pop("jetbrains-mono") <= 40_000
    # A page loads those of other scripts only where it has letters of them.
    assert {name.rpartition("-")[2] for name in sizes} == {"cyrillic", "greek"}
    assert max(sizes.values()) <= 30_000
