"""Files for programs beside the feeds: Markdown, llms.txt, OpenSearch, the schema of the export, pictures of shared links."""

from __future__ import annotations

import io
import json
from xml.etree import ElementTree

import fastjsonschema
import pytest
from django.core.management import call_command
from django.test import Client
from PIL import Image

from episodes.models import Episode
from episodes.views import texts

from .pages import see

pytestmark = pytest.mark.usefixtures("catalog")


def text(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def test_an_episode_reads_well_as_markdown(client: Client) -> None:
    found = text(client, "/episodes/vmap.md")
    assert found.startswith(
        "# vmap\n\n- Show: PyTorch Developer Podcast\n- Episode: 34\n- Published: 21 June 2021\n- Length: 17 min\n"
    )
    assert "\n## Notes\n\nWhat is vmap?" in found
    assert "\n## Links\n\n- [" in found
    assert client.get("/episodes/vmap.md").headers["Content-Type"] == "text/markdown; charset=utf-8"


def test_signs_of_markdown_in_a_title_are_text(client: Client) -> None:
    assert text(client, "/episodes/torch-function.md").startswith(r"# \_\_torch\_function\_\_")


def test_the_markdown_of_an_address_that_moved_leads_to_the_one_it_has(client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(slug="batching-by-vmap")
    answer = client.get("/episodes/vmap.md")
    assert (answer.status_code, answer.headers["Location"]) == (301, "/episodes/batching-by-vmap.md")
    assert client.get("/episodes/no-such-episode.md").status_code == 404


def test_language_models_find_every_episode_and_its_text(client: Client) -> None:
    listed = text(client, "/llms.txt")
    assert listed.startswith("# PyTorch Developer Podcast\n\n> ")
    for slug in Episode.objects.values_list("slug", flat=True):
        assert f"](http://testserver/episodes/{slug}.md)" in listed
    assert client.get("/llms-full.txt").status_code == 410


def test_of_many_episodes_language_models_are_given_the_newest(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_LISTED", 10)
    newest = Episode.objects.newest_first().values_list("slug", flat=True)
    listed = text(client, "/llms.txt")
    assert [f"/episodes/{slug}.md)" in listed for slug in newest] == [True] * 10 + [False] * (len(newest) - 10)


def test_a_browser_can_search_the_site_from_its_address_bar(client: Client) -> None:
    found = ElementTree.fromstring(text(client, "/opensearch.xml"))
    names = {child.tag.partition("}")[2]: child for child in found}
    assert len(names["ShortName"].text or "") <= 16
    templates = [child.get("template") for child in found if child.tag.endswith("Url")]
    assert templates[0] == "http://testserver/episodes/?q={searchTerms}"
    assert see(client, "/episodes/").one('link[rel="search"]').attributes["href"] == "/opensearch.xml"


def test_the_export_keeps_to_its_schema(client: Client, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads(text(client, "/data/export.schema.json"))
    call_command("export")
    valid = fastjsonschema.compile(schema)
    valid(json.loads(capsys.readouterr().out))


def test_every_address_on_the_page_about_data_answers(client: Client) -> None:
    shown = see(client, "/data/")
    addresses = {
        node.attributes["href"] for node in shown.tree.css("main a") if (node.attributes["href"] or "").startswith("/")
    }
    assert len(addresses) > 12
    for address in addresses:
        assert client.get(str(address), follow=True).status_code == 200, address


@pytest.mark.parametrize("slug", ["vmap", "dataloader-with-multiple-workers-leaks-memory"])
def test_a_shared_link_shows_a_card_of_the_episode(client: Client, slug: str) -> None:
    shown = see(client, f"/episodes/{slug}/")
    address = str(shown.one('meta[property="og:image"]').attributes["content"])
    assert address == f"http://testserver/episodes/{slug}/card.png"
    picture = Image.open(io.BytesIO(client.get(address).content))
    assert (picture.format, picture.size) == ("PNG", (1200, 630))


@pytest.mark.parametrize("title", ["深入理解自动求导", "مقدمة", "Кернелы"])
def test_a_title_that_the_font_lacks_shows_the_picture_of_the_site(client: Client, title: str) -> None:
    Episode.objects.filter(slug="vmap").update(title=title)
    answer = client.get("/episodes/vmap/card.png")
    assert answer.status_code == 302
    assert answer.headers["Location"].endswith("card.png")


@pytest.mark.parametrize("title", ["x" * 500, "W" * 90, "a " * 200, "&<>\"'", " "])
def test_any_title_fits_on_its_card(client: Client, title: str) -> None:
    Episode.objects.filter(slug="vmap").update(title=title)
    assert client.get("/episodes/vmap/card.png").status_code == 200


def test_the_service_worker_is_about_the_whole_site_but_the_admin(client: Client) -> None:
    answer = client.get("/sw.js")
    assert answer.headers["Content-Type"].startswith("text/javascript")
    assert 'startsWith("/admin/")' in answer.content.decode()
