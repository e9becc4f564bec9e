"""Every output of an invented show, byte for byte as a person has read it (episodes/tests/data/outputs)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client

from episodes.models import Chapter, Episode, LearningPath, Podcast, Topic, Transcript
from episodes.outputs import catalog_json, dump_rss

from .pages import see
from .rows import complete

pytestmark = pytest.mark.on_both

OUTPUTS = Path(__file__).parent.parent / "data" / "outputs"
CUES = [[0.5, "Ed <x>", "Hello & --> bye"], [None, "", "more"], [61, "", "end"]]
# The name of a file, and the address of what it holds.
ADDRESSES = {
    **{f"list.{form}": f"/episodes.{form}" for form in ("rss", "atom", "json", "csv")},
    "topic.rss": "/topics/yarn.rss",
    "path.atom": "/paths/first.atom",
    "episode.md": "/episodes/what-is-a-warp.md", "chapters.json": "/episodes/what-is-a-warp/chapters.json",
    "transcript.vtt": "/episodes/what-is-a-warp/transcript.vtt", "shows.opml": "/shows.opml", "llms.txt": "/llms.txt",
    "opensearch.xml": "/opensearch.xml", "robots.txt": "/robots.txt", "links.csv": "/links.csv", "links.md": "/links.md",
    "sitemap-episodes.xml": "/sitemap-episodes.xml", "manifest.json": "/manifest.webmanifest",
}  # fmt: skip
PAGES = {"episode.ld.json": "/episodes/what-is-a-warp/?t=65", "list.ld.json": "/episodes/"}


@pytest.fixture
def loom(db: None) -> None:
    Topic.objects.create(slug="yarn", name="Yarn & warp", rules={"title": ["warp"]})
    with time_machine.travel(datetime(2030, 1, 2, 3, 4, tzinfo=UTC), tick=False):
        call_command("ingest", str(OUTPUTS / "feed.xml"), url="https://loom.example/feed", verbosity=0)
        warp = Episode.objects.get(slug="what-is-a-warp")
        steps = [{"episode": "ткани", "why": "Cloth first."}, {"episode": "what-is-a-warp", "why": "Then the warp."}]
        LearningPath.objects.create(slug="first", title="First steps", steps=steps, author="Ann")
        Chapter.objects.create(episode=warp, start=60, title="What <it> is", url="javascript:alert(1)")
        Transcript.objects.create(episode=warp, url="https://loom.example/t", sha256="", text="Hello", cues=CUES)
        complete()


def test_every_output_equals_its_golden_file(loom: None, client: Client, tmp_path: Path) -> None:
    made = {name: client.get(address).content.decode() for name, address in ADDRESSES.items()}
    for name, address in PAGES.items():
        page = see(client, address)
        made[name] = page.one("script[type='application/ld+json']").text() + "\n".join(
            n.text() for n in page.tree.css(".cite pre")
        )
    shows = list(Podcast.objects.all())
    made |= {"export.json": catalog_json.dump_json(shows), "export.rss": dump_rss(shows)}
    for name, text in made.items():
        (tmp_path / name).write_text(text, newline="")
        assert text == (OUTPUTS / name).read_bytes().decode(), f"read {tmp_path / name}, and keep it if it is right"
