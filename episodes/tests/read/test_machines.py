"""Pages and addresses as search engines, browsers, feed readers and those who share a link see them."""

import io
import json
import re
from importlib import import_module
from unittest import mock
from xml.etree import ElementTree

import fastjsonschema
import pytest
from django.core.management import call_command
from django.test import Client
from PIL import Image

from episodes.models import (
    Capture,
    CodeName,
    Credit,
    Decision,
    Document,
    Episode,
    EpisodeLink,
    IngestRun,
    Item,
    Link,
    Person,
    Podcast,
    Revision,
    Topic,
    start_new_version,
)
from episodes.outputs import json_ld, load_credits_into_episodes, sitemap
from episodes.outputs.markdown import escape_markdown
from episodes.site import load_shows_and_sections

from ..examples import examples
from ..tables import cases
from .pages import see

CASES = cases("read_machines")

pytestmark = pytest.mark.usefixtures("catalog")

SITE = "http://testserver"
SHOW = "PyTorch Developer Podcast"
share_card = import_module("episodes.outputs.pictures")
MAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


@pytest.mark.parametrize("address, feeds", CASES["pages_link_their_feeds"])
def test_pages_link_their_feeds(client: Client, address: str, feeds: list[str]) -> None:
    page = see(client, address)
    assert [link.attributes["href"] for link in page.tree.css("link[rel=alternate]")] == feeds
    linked = [a.attributes["href"] or "" for a in page.tree.css(".formats a")]
    assert linked[:4] == [*feeds, feeds[0].replace(".rss", ".csv")]
    for feed in linked:
        assert client.get(feed).status_code == 200


def in_sitemaps(client: Client) -> list[list[str]]:
    answer = client.get("/sitemap.xml")
    assert answer.headers["Content-Type"].startswith("application/xml")
    parts = [ElementTree.fromstring(answer.content)]
    if parts[0].tag == f"{MAP}sitemapindex":
        files = [(file.findtext(f"{MAP}loc") or "").removeprefix(SITE) for file in parts[0]]
        parts = [ElementTree.fromstring(client.get(file).content) for file in files]
    return [[url.findtext(f"{MAP}loc") or "" for url in part] for part in parts]


def test_the_sitemap_holds_every_page_once(client: Client) -> None:
    locations = [location for part in in_sitemaps(client) for location in part]
    assert len(set(locations)) == len(locations)
    topics = Topic.objects.filter(uses__isnull=False)
    rows = [*Episode.objects.all(), *topics, *Person.objects.all(), *CodeName.objects.all()]
    assert {SITE + row.get_absolute_url() for row in rows} | {f"{SITE}/episodes/", f"{SITE}/names/"} <= set(locations)
    for location in locations[:: examples(4, 1)]:
        assert client.get(location.removeprefix(SITE)).status_code == 200
    vmap = client.get("/sitemap-episodes.xml").content.decode().partition("/vmap/")[2]
    assert re.match(r"</loc><lastmod>2\d\d\d-\d\d-\d\d</lastmod>", vmap)


def test_long_sitemap_is_split(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [location for part in in_sitemaps(client) for location in part]
    monkeypatch.setattr(sitemap.RowSitemap, "limit", 50)
    parts = in_sitemaps(client)
    assert max(map(len, parts)) == 50
    assert [location for part in parts for location in part] == whole
    for file in ("nope.xml", "episodes.xml?p=0", "episodes.xml?p=99"):
        assert client.get(f"/sitemap-{file}").status_code == 404


def test_empty_catalog_has_outputs(client: Client) -> None:
    for model in (IngestRun, Revision, Episode, Item, Capture, Document, Decision, Podcast, Topic):
        model._default_manager.all().delete()
    for address in ("/episodes.rss", "/episodes.atom", "/shows.opml", "/sitemap.xml"):
        ElementTree.fromstring(client.get(address).content)
    assert client.get("/episodes.json").json()["items"] == []
    assert client.get("/manifest.webmanifest").json()["name"] == "Podcast catalog"


def test_citation_escapes_markup() -> None:
    assert escape_markdown("__torch_function__ [C++] {100%}\n$x") == "\\_\\_torch\\_function\\_\\_ \\[C++\\] {100%} $x"


@pytest.mark.parametrize("title, replacement, line", CASES["markdown_link_has_title_and_replacement"])
def test_markdown_link_has_title_and_replacement(client: Client, title: str, replacement: str, line: str) -> None:
    link = Link.objects.create(key="arxiv.org/abs/2106.0001", kind="paper", title=title, replacement=replacement)
    vmap = Episode.objects.get(slug="vmap")
    EpisodeLink.objects.create(episode=vmap, link=link, url="https://arxiv.org/abs/2106.0001", position=999)
    assert see(client, "/episodes/vmap.md").html.splitlines()[-1] == line


def test_llms_txt_describes_single_show_only(client: Client) -> None:
    Podcast.objects.update(description="On how PyTorch is made.")
    assert "\n> On how PyTorch is made.\n" in see(client, "/llms.txt").html
    Podcast.objects.update(description="")
    start_new_version()
    assert "\n> " not in see(client, "/llms.txt").html
    beside = Podcast.objects.create(slug="looms", title="Looms", description="On looms.")
    Episode.objects.create(podcast=beside, slug="reeds", title="Reeds", order=1)
    start_new_version()
    assert "\n> " not in see(client, "/llms.txt").html


def test_the_export_keeps_to_its_schema(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads(see(client, "/data/export.schema.json").html)
    call_command("export")
    fastjsonschema.validate(schema, json.loads(capsys.readouterr().out))


CARDS = [
    ("Кернелы и Java", "Кернелы и Java"), ("Πυρήνες", "Πυρήνες"), ("W" * 90, "W" * 90), ("a " * 250, None), (" ", None),
    ("深入理解自动求导", SHOW), ("مقدمة", SHOW), ("深 and Java", SHOW),
]  # fmt: skip


@pytest.mark.parametrize("title, drawn", CARDS)
def test_any_title_fits_on_card(client: Client, title: str, drawn: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    draw_line = mock.Mock(wraps=share_card._draw_line)
    monkeypatch.setattr(share_card, "_draw_line", draw_line)
    Episode.objects.filter(slug="vmap").update(title=title)
    picture = Image.open(io.BytesIO(client.get("/episodes/vmap/card.png").content))
    assert (picture.format, picture.size) == ("PNG", (1200, 630))
    # The title keeps its margins, and stands between the show and the line above the topics.
    light = picture.convert("L")
    line, paper = (light.crop((600, y, 601, y + 1)).tobytes() for y in (480, 490))
    assert line < paper
    # The cover, at 860 pixels, has a margin, too.
    ink = light.point(lambda light: 255 * (light < 160))
    left, top, right, bottom = ink.crop((15, 120, 860, 470)).getbbox() or (65, 20, 66, 21)
    assert (left >= 60, top >= 5, right <= 860 - 50 - 15 + 5, bottom <= 480 - 120 + 5) == (True,) * 4
    *words, above, _, below = [call.args[1] for call in draw_line.call_args_list]
    assert above == SHOW
    assert below.startswith("Episode 34 · 21 June 2021")
    assert drawn is None or "".join(words).replace(" ", "") == drawn.replace(" ", "")


@pytest.mark.parametrize("name, kind", [("Tape and Hiss", "image/png"), ("深入", ""), ("Лента", "image/png")])
def test_pages_without_picture_share_site_name(client: Client, name: str, kind: str) -> None:
    Podcast.objects.update(title=name)
    answer = client.get("/card.png")
    assert answer.headers.get("Content-Type", "") == kind or answer.headers["Location"] == "/static/img/card.png"
    Episode.objects.filter(slug="vmap").update(title="深入")
    assert client.get("/episodes/vmap/card.png").status_code == (200 if kind else 302)


def test_card_of_several_shows_has_their_covers(client: Client) -> None:
    def colours_of_covers() -> list[object]:
        card = Image.open(io.BytesIO(client.get("/card.png").content)).convert("RGB")
        # A corner of each of four places.
        return [card.getpixel((x, y)) for y in (74, 210) for x in (862, 998)]

    paper = (252, 249, 243)
    assert paper not in colours_of_covers()
    for slug in ("a", "b"):
        Podcast.objects.create(slug=slug, title=slug)
    assert [colour == paper for colour in colours_of_covers()] == [False, False, False, True]


def absolute(address: str) -> str:
    return f"https://pods.example{address}"


def test_episode_json_ld_has_hosts_and_guests() -> None:
    found = Episode.objects.for_list().get(slug="vmap")
    found.credits.all().delete()
    for name, role in (("Ann", "host"), ("Bo", "guest"), ("Cy", "editor")):
        Credit.objects.create(episode=found, person=Person.objects.create(slug=f"{name}-1", name=name), role=role)
    load_credits_into_episodes([found])
    said = json_ld.episode_json_ld(found, absolute, load_shows_and_sections())
    assert [person["name"] for person in said["author"]] == ["Ann"]
    assert [person["name"] for person in said["actor"]] == ["Ann", "Bo"]
    assert (said["episodeNumber"], "partOfSeason" in said) == (34, False)
    found.audio_url = ""
    assert "associatedMedia" not in json_ld.episode_json_ld(found, absolute, load_shows_and_sections())


def test_shows_json_ld_is_one_or_graph() -> None:
    whole = absolute("/episodes/")
    one = json_ld.shows_json_ld(load_shows_and_sections(), absolute, "")
    assert (one["@type"], one["url"]) == ("PodcastSeries", whole)
    Podcast.objects.create(slug="zebras", title="Zebras", rank=9)
    start_new_version()
    urls = [f"{whole}?podcast=pytorch-developer-podcast", f"{whole}?podcast=zebras"]
    assert [show["url"] for show in json_ld.shows_json_ld(load_shows_and_sections(), absolute, "")["@graph"]] == urls
    assert json_ld.shows_json_ld(load_shows_and_sections(), absolute, "zebras")["url"] == urls[1]
    found = Episode.objects.for_list().get(slug="vmap")
    load_credits_into_episodes([found])
    assert json_ld.episode_json_ld(found, absolute, load_shows_and_sections())["partOfSeries"]["url"] == urls[0]
