"""Learning paths as readers get them: the index, a path, its feeds, and its place on other pages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from episodes.curation import add, anchor, save_path, undo
from episodes.models import Change, Episode, LearningPath, Podcast, Redirect, Reference, routes
from episodes.views.listen_first import needs

from ..curation.conftest import staff
from .pages import Seen, see

PATH = "/paths/where-memory-goes/"
STEPS = [
    "history-and-constraints-of-tensor", "reference-counting", "pyobject-preservation", "weak-references", "shared-memory",
    "dataloader-with-multiple-workers-leaks-memory",
]  # fmt: skip

pytestmark = pytest.mark.usefixtures("catalog")


@pytest.fixture
def curator(db: None) -> User:
    return staff("carla", "curator")


def memory() -> LearningPath:
    return LearningPath.objects.get(slug="where-memory-goes")


def hrefs(page: Seen, selector: str) -> list[str]:
    return [node.attributes["href"] or "" for node in page.tree.css(selector)]


def listed(*slugs: str) -> list[str]:
    return [f"/episodes/{slug}/" for slug in slugs]


# --- What is shipped -------------------------------------------------------------------------------------------------


@pytest.fixture(params=json.loads((Path(settings.BASE_DIR) / "fixtures" / "paths.json").read_text()))
def shipped(request: pytest.FixtureRequest) -> dict[str, Any]:
    found: dict[str, Any] = request.param["fields"]
    return found


def test_every_shipped_step_is_an_episode_that_is_there_and_says_why(shipped: dict[str, Any]) -> None:
    steps = shipped["steps"]
    assert 5 <= len(steps) <= 9
    assert all(Episode.objects.filter(slug=step["episode"]).count() == 1 for step in steps)
    assert all(step["why"].endswith(".") and len(step["why"]) < 160 for step in steps)
    assert len({step["episode"] for step in steps}) == len(steps)
    assert shipped["author"] == "this site"


def test_no_shipped_step_comes_before_one_that_its_notes_ask_for(shipped: dict[str, Any]) -> None:
    place = {step["episode"]: nth for nth, step in enumerate(shipped["steps"])}
    for row in Reference.objects.filter(kind="prerequisite", episode__slug__in=place, target__slug__in=place):
        assert place[row.target.slug] < place[row.episode.slug]


def test_loading_the_shipped_paths_again_changes_nothing(client: Client) -> None:
    before = list(LearningPath.objects.values())
    call_command("loaddata", "paths", verbosity=0)
    assert list(LearningPath.objects.values()) == before


# --- Pages -----------------------------------------------------------------------------------------------------------


def test_the_index_lists_every_path_with_its_episodes_in_order(client: Client) -> None:
    page = see(client, "/paths/")
    assert hrefs(page, ".path h2 a") == [path.get_absolute_url() for path in LearningPath.objects.all()]
    assert hrefs(page, f"[aria-labelledby=path-{memory().slug}] .route a") == listed(*STEPS)
    assert "9 episodes at least 2 h 8 min" in page.text


def test_a_path_shows_its_parts_by_number_with_their_sentences(client: Client) -> None:
    page = see(client, PATH)
    assert page.entries == listed(*STEPS)
    assert [node.text(strip=True) for node in page.tree.css(".steps .number")] == [f"Part{n}" for n in range(1, 7)]
    assert [node.text() for node in page.tree.css(".steps .reason")] == [step.why for step in memory().kept]
    assert "6 episodes" in page.text
    assert "By this site" in page.text


def test_progress_needs_the_number_of_parts_alone_and_is_empty_without_marks(client: Client) -> None:
    bar = see(client, PATH).one(".path .progress progress").attributes
    assert (bar["max"], bar["value"]) == ("6", "0")
    assert len(see(client, "/paths/").tree.css(".path .progress")) == 5


def test_an_episode_says_which_part_it_is_and_what_comes_next(client: Client) -> None:
    nav = see(client, "/episodes/weak-references/").one(".in-paths")
    assert " ".join(nav.text(separator=" ").split()) == (
        "Learning paths Where memory goes Part 4 of 6 · next: Shared memory"
    )
    twice = see(client, "/episodes/automatic-mixed-precision/")
    assert len(twice.tree.css(".in-paths [rel=next]")) == 2
    last = see(client, f"/episodes/{STEPS[-1]}/").one(".in-paths")
    assert "last part" in last.text()
    assert not see(client, "/episodes/vmap/").tree.css(".in-paths")


def test_a_topic_names_the_paths_through_it(client: Client) -> None:
    page = see(client, "/topics/refcounting/")
    assert hrefs(page, ".beside a[href^='/paths/where']") == [PATH]
    assert "Where memory goes 3 of these episodes" in page.text
    assert not see(client, "/topics/xla/").tree.css(".beside a[href^='/paths/w']")


def test_the_menu_names_paths_where_there_are_any(client: Client) -> None:
    assert "/paths/" in hrefs(see(client, "/"), ".masthead nav a")
    LearningPath.objects.update(published=False)
    assert "/paths/" not in hrefs(see(client, "/"), ".masthead nav a")
    assert "No learning paths yet." in see(client, "/paths/").text


def test_an_unpublished_path_is_nowhere(client: Client) -> None:
    LearningPath.objects.filter(slug="where-memory-goes").update(published=False)
    assert see(client, PATH).status == 404
    assert see(client, f"{PATH[:-1]}.rss").status == 404
    for address in ("/paths/", "/topics/refcounting/", "/episodes/weak-references/", "/sitemap.xml", "/shows.opml"):
        assert "where-memory-goes" not in see(client, address).html


def test_a_renamed_path_answers_at_its_old_address_in_every_format(client: Client, curator: User) -> None:
    path = memory()
    path.slug = "memory"
    save_path(curator, path)
    assert client.get(PATH).headers["Location"] == "/paths/memory/"
    assert client.get(f"{PATH[:-1]}.csv").headers["Location"] == "/paths/memory.csv"
    path.delete()
    assert client.get(PATH).headers["Location"] == "/paths/"
    assert client.get(f"{PATH[:-1]}.csv").status_code == 404
    assert Redirect.objects.of("path").count() == 1


def test_a_path_without_a_show_goes_through_several(client: Client) -> None:
    other = Podcast.objects.create(slug="other", title="Other Talks")
    Episode.objects.create(podcast=other, slug="elsewhere", order=1, title="Elsewhere")
    steps = [{"episode": "vmap", "why": "Here."}, {"episode": "elsewhere", "why": "There."}]
    LearningPath.objects.create(slug="both", title="Both", steps=steps)
    page = see(client, "/paths/both/")
    assert page.entries == listed("vmap", "elsewhere")
    assert "Other Talks" in page.text
    assert "<title>Podcast catalog: Both</title>" in see(client, "/paths/both.rss").html


# --- What to hear first ----------------------------------------------------------------------------------------------


def test_a_path_and_a_topic_say_what_to_hear_first(client: Client) -> None:
    for address in (PATH, "/topics/refcounting/"):
        page = see(client, address)
        needs = page.one("article:has([href='/episodes/weak-references/']) .why")
        assert needs.text() == "Listen first: PyObject preservation, Reference counting"


def test_a_prerequisite_that_a_curator_adds_is_told_and_undo_takes_it_away(client: Client, curator: User) -> None:
    trees, graphs = (Episode.objects.get(slug=slug) for slug in ("cuda-graph-trees", "cuda-graphs"))
    add(curator, trees, "reference", " ".join(anchor(graphs)), "prerequisite")
    page = see(client, "/paths/keeping-a-gpu-busy/")
    assert page.one(".why").text() == "Listen first: CUDA graphs"
    undo(curator, Change.objects.get())
    assert not see(client, "/paths/keeping-a-gpu-busy/").tree.css(".why")


# --- For programs ----------------------------------------------------------------------------------------------------


def test_every_feed_of_a_path_has_its_episodes_in_its_order(client: Client) -> None:
    feed = json.loads(see(client, f"{PATH[:-1]}.json").html)
    assert feed["title"] == "PyTorch Developer Podcast: Where memory goes"
    assert feed["home_page_url"] == f"http://testserver{PATH}"
    assert [item["url"] for item in feed["items"]] == [f"http://testserver{address}" for address in listed(*STEPS)]
    rss = ET.fromstring(see(client, f"{PATH[:-1]}.rss").html)
    assert [item.findtext("title") for item in rss.iter("item")] == [e.heading for e in routes([memory()])[0].episodes]
    assert see(client, f"{PATH[:-1]}.atom").html.count("<entry>") == 6
    assert see(client, f"{PATH[:-1]}.csv").html.count("\n") >= 7
    assert hrefs(see(client, PATH), "link[rel=alternate]") == [
        f"{PATH[:-1]}.{form}" for form in ("rss", "atom", "json")
    ]
    assert see(client, f"{PATH[:-1]}.pdf").status == 404


def test_paths_are_in_the_sitemap_and_the_opml(client: Client) -> None:
    locations = [node.text for node in ET.fromstring(see(client, "/sitemap-paths.xml").html).iter() if node.text]
    assert f"http://testserver{PATH}" in locations
    assert "http://testserver/paths/" in see(client, "/sitemap-indexes.xml").html
    outlines = ET.fromstring(see(client, "/shows.opml").html).findall("body/outline[@text='Learning paths']/outline")
    assert f"http://testserver{PATH[:-1]}.rss" in [node.attrib["xmlUrl"] for node in outlines]


def test_a_follow_up_has_the_episode_that_names_it_for_prerequisite() -> None:
    a, b, c, d = Episode.objects.order_by("order")[:4]
    Reference.objects.all().delete()
    for episode, kind, target in ((a, "follow-up", b), (c, "prerequisite", a), (a, "see-also", d)):
        Reference.objects.create(episode=episode, kind=kind, target=target)
    assert needs() == {b.pk: {a.pk}, c.pk: {a.pk}}
