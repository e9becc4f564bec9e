"""Between shows an address belongs to the show that had it first, whatever is ingested later."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from episodes.curation import episode_at_address, override_fields
from episodes.identity.slugs import short_hash
from episodes.ingest import ImportOptions, ImportTarget, iterate_import_reports
from episodes.models import Episode, Person, Podcast, Redirect, Source
from episodes.resolve.write import update_catalog

from ..examples import examples
from ..tables import cases
from .conftest import export, run

CASES = cases("ingest_addresses")

Item = tuple[str, str]  # guid and title
SLUGS = ("zebra", "camel", "adder")  # the later a show was added, the earlier it stands in the alphabet


def add_show(slug: str, **more: object) -> Podcast:
    podcast = Podcast.objects.create(slug=slug, title=f"All About {slug}", **more)
    Source.objects.create(podcast=podcast, slug="feed", reader="feed", rank=1, may_create=True, complete=True)
    return podcast


def take(folder: Path, podcast: Podcast, items: list[Item], author: str = "") -> None:
    listed = "".join(
        f"<item><title>{title}</title><guid isPermaLink='false'>{guid}</guid>"
        f"<pubDate>{place:02} May 2021 13:00:00 GMT</pubDate><description>{podcast.slug} {guid}</description></item>"
        for place, (guid, title) in reversed(list(enumerate(items, 1)))
    )
    space = "xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'"
    path = folder / "feed.xml"
    channel = f"<title>{podcast.title}</title><itunes:author>{author}</itunes:author>"
    path.write_text(f"<rss version='2.0' {space}><channel>{channel}{listed}</channel></rss>")
    target = ImportTarget("feed", source=podcast.sources.get(slug="feed"), path=path)
    (report,) = iterate_import_reports([target], ImportOptions(accept=True), lambda: datetime(2026, 1, 1, tzinfo=UTC))
    assert not report.exit_code, report


def addresses(podcast: Podcast) -> list[str]:
    return list(Episode.objects.filter(podcast=podcast).order_by("order").values_list("slug", flat=True))


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["add", "add", "add", "rename", "again", "rebuild"]),
        st.sampled_from(SLUGS),
        st.sampled_from(["vmap", "vmap 2", "xla", "???"]),
    ),
    min_size=2,
    max_size=7,
)


class Laws(TestCase):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    @settings(max_examples=examples(5, 25), suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def test_address_never_leads_to_another_show(self, steps):
        shows = {slug: add_show(slug) for slug in SLUGS}
        feeds: dict[str, list[Item]] = {slug: [] for slug in SLUGS}
        public: dict[str, Podcast] = {}
        for what, slug, title in steps:
            self.change(feeds[slug], what, title)
            if what == "rebuild":
                call_command("rebuild", verbosity=0)
            elif feeds[slug]:
                take(self.folder, shows[slug], feeds[slug])
            for episode in Episode.objects.select_related("podcast"):
                assert public.setdefault(episode.slug, episode.podcast) == episode.podcast
            for address, podcast in public.items():
                found = Episode.objects.filter(slug=address).first() or episode_at_address(address)
                assert found is not None
                assert found.podcast == podcast
        before = export()
        call_command("rebuild", verbosity=0)
        assert export() == before

    def change(self, items: list[Item], what: str, title: str) -> None:
        if what == "add":
            items.append((f"guid-{len(items)}", title))
        elif what == "rename" and items:
            items[0] = (items[0][0], title)


@pytest.fixture
def two(db: None, tmp_path: Path) -> tuple[Podcast, Podcast]:
    """A show, and one that was added later and stands before it in the alphabet, both with an episode on vmap."""
    first, second = add_show("zebra"), add_show("adder")
    take(tmp_path, first, [("guid-0", "vmap"), ("guid-1", "XLA")])
    take(tmp_path, second, [("guid-0", "vmap"), ("guid-1", "Strides")])
    return first, second


def test_redirecting_former_address_is_taken(two: tuple[Podcast, Podcast], tmp_path: Path) -> None:
    first, second = two
    take(tmp_path, first, [("guid-0", "Vectorised map"), ("guid-1", "XLA")])
    update_catalog(second)
    assert addresses(first)[0] == "vectorised-map"
    assert addresses(second)[0] == f"vmap-{short_hash('adder')}"
    answer = Client().get("/episodes/vmap/")
    assert (answer.status_code, answer["Location"]) == (301, "/episodes/vectorised-map/")


@pytest.mark.on_both
def test_rebuild_gives_first_show_its_addresses(two: tuple[Podcast, Podcast], tmp_path: Path) -> None:
    third = add_show("aardvark")
    take(tmp_path, third, [("guid-0", "Strides")])
    Redirect.objects.filter(kind="episode").all().delete()
    Podcast.objects.filter(pk=third.pk).update(rank=0)
    call_command("rebuild", verbosity=0)
    assert addresses(third) == ["strides"]
    assert addresses(two[0]) == ["vmap", "xla"]
    assert addresses(two[1])[1] == f"strides-{short_hash('adder')}"


def test_first_namesake_has_plain_address(db: None, tmp_path: Path) -> None:
    first, second = add_show("zebra"), add_show("adder")
    take(tmp_path, first, [("guid-0", "vmap")], author="Kim Lee")
    take(tmp_path, second, [("guid-0", "XLA")], author="Kim Lee")
    assert Person.objects.get(slug="kim-lee").identity == "kim-lee@zebra"


def test_new_show_is_ranked_last(ready: None, tmp_path: Path) -> None:
    assert Podcast.objects.get().rank == 1
    page = tmp_path / "feed.xml"
    page.write_text(
        "<rss version='2.0'><channel><title>Ants</title><link>https://ants.example</link>"
        "<item><title>Workers</title><guid>1</guid><description>Who does what.</description></item></channel></rss>"
    )
    assert run(page, "--url", "https://ants.example/feed.xml").code == 0
    add_show("zebra", rank=7)
    for _ in range(2):
        load(tmp_path, *({"slug": slug, "title": slug} for slug in ("yak", "bee", "zebra")))
    assert list(Podcast.objects.values_list("slug", "rank"))[1:] == [("ants", 2), ("zebra", 7), ("yak", 8), ("bee", 9)]


def load(folder: Path, *rows: Mapping[str, object], model: str = "podcast") -> None:
    file = folder / "rows.json"
    file.write_text(json.dumps([{"model": f"episodes.{model}", "fields": row} for row in rows]))
    call_command("loaddata", str(file), verbosity=0)


DAILY = [("1", "Daily"), ("2", "Daily"), ("3", "Daily")]


def test_curators_title_frees_no_address(db: None, tmp_path: Path, client: Client) -> None:
    podcast, user = add_show("zebra"), User.objects.create_superuser("curator")
    take(tmp_path, podcast, DAILY)
    first, second, third = addresses(podcast)
    override_fields(user, Episode.objects.get(slug=first), {"title": "The very first"})
    assert addresses(podcast) == ["the-very-first", second, third]
    # Nor at the next change of an equal, before and after what follows.
    override_fields(user, Episode.objects.get(slug=second), {"season": "2"})
    assert addresses(podcast) == ["the-very-first", second, third]
    assert Redirect.objects.filter(kind="episode").filter(slug=first).count() == 1  # it was nobody else's meanwhile
    update_catalog(podcast)
    take(tmp_path, podcast, [*DAILY, ("4", "Daily")])
    assert addresses(podcast)[:3] == ["the-very-first", second, third]
    assert client.get(f"/episodes/{first}/")["Location"] == "/episodes/the-very-first/"


@pytest.mark.django_db
@pytest.mark.parametrize("versions, slugs", CASES["an_address_never_comes_to_mean_another_episode_of_the_show"])
def test_address_never_changes_its_episode(tmp_path: Path, versions: list[list[Item]], slugs: dict[str, str]) -> None:
    looms = add_show("looms")
    for version in versions:
        take(tmp_path, looms, version)
    hashes = {
        f"{title}-{guid}": f"{title}-{short_hash(f'looms {guid}')}" for title in ("rope", "flour") for guid in "ab"
    }
    expected = {guid: hashes.get(slug, slug) for guid, slug in slugs.items()}
    found = dict(Episode.objects.values_list("guid", "slug"))
    assert found == expected
    before = export()
    call_command("rebuild")
    assert export() == before


def test_later_show_never_takes_an_address(two: tuple[Podcast, Podcast]) -> None:
    first, second = two
    assert addresses(first) == ["vmap", "xla"]
    assert addresses(second) == [f"vmap-{short_hash('adder')}", "strides"]
