"""Learning paths as readers get them: the index, a path, its feeds, and its place on other pages."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.conf import settings
from django.test import Client

from episodes.models import Episode, LearningPath, Reference, load_paths_with_episodes
from episodes.views.moments import load_prerequisite_ids_by_episode

from .pages import Seen, see

PATH = "/paths/where-memory-goes/"
STEPS = [
    "history-and-constraints-of-tensor", "reference-counting", "pyobject-preservation", "weak-references", "shared-memory",
    "dataloader-with-multiple-workers-leaks-memory",
]  # fmt: skip

pytestmark = pytest.mark.usefixtures("catalog")


def memory() -> LearningPath:
    return LearningPath.objects.get(slug="where-memory-goes")


def hrefs(page: Seen, selector: str) -> list[str]:
    return [node.attributes["href"] or "" for node in page.tree.css(selector)]


def listed(*slugs: str) -> list[str]:
    return [f"/episodes/{slug}/" for slug in slugs]


@pytest.mark.parametrize("row", json.loads((Path(settings.BASE_DIR) / "fixtures" / "paths.json").read_text()))
def test_shipped_steps_say_why_and_respect_prerequisites(row: dict[str, Any]) -> None:
    steps = row["fields"]["steps"]
    assert 5 <= len(steps) <= 9
    assert all(Episode.objects.filter(slug=step["episode"]).count() == 1 for step in steps)
    assert all(step["why"].endswith(".") and len(step["why"]) < 160 for step in steps)
    assert len({step["episode"] for step in steps}) == len(steps)
    assert row["fields"]["author"] == "this site"
    place = {step["episode"]: nth for nth, step in enumerate(steps)}
    for each in Reference.objects.filter(kind="prerequisite", episode__slug__in=place, target__slug__in=place):
        assert place[each.target.slug] < place[each.episode.slug]


def test_path_index_lists_episodes_in_order(client: Client) -> None:
    page = see(client, "/paths/")
    assert hrefs(page, ".path h2 a") == [path.get_absolute_url() for path in LearningPath.objects.all()]
    assert hrefs(page, f"[aria-labelledby=path-{memory().slug}] .route a") == listed(*STEPS)
    assert "9 episodes 2 h 8+ min" in page.text


def test_path_shows_numbered_steps(client: Client) -> None:
    page = see(client, PATH)
    assert page.entries == listed(*STEPS)
    assert [node.text(strip=True) for node in page.tree.css(".steps .number")] == [f"Part{n}" for n in range(1, 7)]
    assert [node.text() for node in page.tree.css(".steps .reason")] == [
        step.reason for step in memory().well_formed_steps
    ]
    assert "6 episodes" in page.text
    assert "Curated by this site" in page.text
    bar = page.one(".path .progress progress").attributes
    assert (bar["max"], bar["value"]) == ("6", "0")


def test_episode_says_its_part_of_path(client: Client) -> None:
    nav = see(client, "/episodes/weak-references/").one(".in-paths")
    words = "Learning paths Where memory goes Part 4 of 6 · next: Shared memory"
    assert " ".join(nav.text(separator=" ").split()) == words
    twice = see(client, "/episodes/automatic-mixed-precision/")
    assert len(twice.tree.css(".in-paths [rel=next]")) == 2
    last = see(client, f"/episodes/{STEPS[-1]}/").one(".in-paths small")
    assert last.text().strip() == "Part 6 of 6"
    assert not see(client, "/episodes/vmap/").tree.css(".in-paths")


def test_topic_and_path_name_paths_and_prerequisites(client: Client) -> None:
    page = see(client, "/topics/refcounting/")
    assert hrefs(page, ".beside a[href^='/paths/where']") == [PATH]
    assert "Where memory goes 3 of these episodes" in page.text
    assert not see(client, "/topics/xla/").tree.css(".beside a[href^='/paths/w']")
    for address in (PATH, "/topics/refcounting/"):
        needs = see(client, address).one("article:has([href='/episodes/weak-references/']) .why")
        assert needs.text() == "Listen first: PyObject preservation, Reference counting"


def test_an_unpublished_path_is_nowhere(client: Client) -> None:
    places = ("/paths/", "/topics/refcounting/", "/episodes/weak-references/", "/sitemap-paths.xml", "/shows.opml")
    for published, status in ((True, 200), (False, 404)):
        LearningPath.objects.filter(slug="where-memory-goes").update(published=published)
        assert see(client, PATH).status == see(client, f"{PATH[:-1]}.rss").status == status
        assert {"where-memory-goes" in see(client, address).html for address in places} == {published}
    LearningPath.objects.update(published=False)
    assert "/paths/" not in hrefs(see(client, "/"), ".masthead nav a")
    assert "No learning paths yet." in see(client, "/paths/").text


def test_path_feeds_follow_its_order(client: Client) -> None:
    feed = json.loads(see(client, f"{PATH[:-1]}.json").html)
    assert feed["home_page_url"] == f"http://testserver{PATH}"
    assert [item["url"] for item in feed["items"]] == [f"http://testserver{address}" for address in listed(*STEPS)]
    rss = ET.fromstring(see(client, f"{PATH[:-1]}.rss").html)
    headings = [episode.heading for episode in load_paths_with_episodes([memory()])[0].episodes]
    assert [item.findtext("title") for item in rss.iter("item")] == headings
    feeds = [f"{PATH[:-1]}.{form}" for form in ("rss", "atom", "json")]
    assert hrefs(see(client, PATH), "link[rel=alternate]") == feeds
    assert see(client, f"{PATH[:-1]}.pdf").status == 404


def test_follow_up_has_its_prerequisite() -> None:
    a, b, c, d = Episode.objects.order_by("order")[:4]
    Reference.objects.all().delete()
    for episode, kind, target in ((a, "follow-up", b), (c, "prerequisite", a), (a, "see-also", d)):
        Reference.objects.create(episode=episode, kind=kind, target=target)
    assert load_prerequisite_ids_by_episode() == {b.pk: {a.pk}, c.pk: {a.pk}}
