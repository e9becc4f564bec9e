"""Places where curators or operators once could not go on, D1 to D12: each has tests that find it again.

D1 a third show is added by the address of its feed: `ELSEWHERE`
D2 no episode loses its address without a word: `ELSEWHERE`
D3 a source is named with its show: `ELSEWHERE`
D4 the newest episodes of several shows come first by date: here
D5 an episode that a feed made is taken out: `ELSEWHERE`
D6 a conflict can be closed, also by the curator's own value: here and `ELSEWHERE`
D7 seasons put episodes in order: here and `ELSEWHERE`
D8 two episodes of one number are told of: here and `ELSEWHERE`
D9 words and kinds of links, and people, are corrected: here and `ELSEWHERE`
D10 a listing page becomes a source in the admin, and is imported there: `ELSEWHERE`
D11 a show or source that was read is paused or removed: here and `ELSEWHERE`
D12 metrics, logs, notices, and health behind HTTPS: here and `ELSEWHERE`
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from episodes.curation import Thing, correct, override, save_configuration, undo
from episodes.models import Change, Episode, Link, Podcast, Source, Status

from ..curation.conftest import feed
from ..ingest.conftest import run
from .conftest import episode, logged_in, said

TESTS = settings.BASE_DIR / "episodes" / "tests"
ELSEWHERE = {
    "D1": ("ingest/test_identity_of_feeds.py", "test_any_number_of_shows_is_added_by_their_addresses"),
    "D2": ("admin/test_taking_out.py", "test_the_address_of_another_is_refused_by_its_name"),
    "D3": ("admin/test_several_shows.py", "test_the_start_page_names_the_shows_of_sources_in_trouble"),
    "D5": ("admin/test_taking_out.py", "test_an_episode_is_taken_out_seen_in_the_list_and_brought_back"),
    "D6": ("admin/test_taking_out.py", "test_a_conflict_is_closed_and_reopened_in_the_form"),
    "D7": ("identity/test_seasons.py", "test_a_show_that_uses_seasons_is_ordered_by_season_number_and_date"),
    "D8": ("admin/test_taking_out.py", "test_a_number_that_another_has_is_saved_with_a_warning"),
    "D9": ("curation/test_corrections.py", "test_words_given_for_a_link_of_the_notes_are_shown"),
    "D10": ("admin/test_sources.py", "test_a_listing_page_is_filled_in_tried_and_saved_as_a_source"),
    "D11": ("admin/test_sources.py", "test_a_removed_source_is_previewed_kept_as_evidence_and_comes_back"),
    "D12": ("test_deployment.py", "test_metrics_answer_inside_under_whatever_name_and_without_https"),
}


@pytest.mark.parametrize("file, name", ELSEWHERE.values(), ids=ELSEWHERE)
def test_the_tests_that_are_named_here_are_there(file: str, name: str) -> None:
    assert f"def {name}(" in (TESTS / file).read_text()


@pytest.fixture
def later_show(talks: Podcast, tmp_path: Path) -> Podcast:
    """Another show, before the first by its name, whose episodes are older and newer than those of the first."""
    podcast = Podcast.objects.create(slug="bee-talk", title="Bee Talk", feed_url="https://bees.example/feed", rank=2)
    Source.objects.create(podcast=podcast, slug="feed", reader="feed", rank=1, may_create=True, own=True)
    page = (
        feed(range(2))
        .replace(b"Small Talks", b"Bee Talk")
        .replace(b"small-", b"bee-")
        .replace(b"All about", b"Bees and")
    )
    page = page.replace(b"01 May 2021", b"01 May 2020").replace(b"02 May 2021", b"02 May 2024")
    (tmp_path / "bees.xml").write_bytes(page)
    ran = run(tmp_path / "bees.xml", "--podcast", "bee-talk", "--source", "feed")
    assert ran.code == 0, ran.err
    return podcast


def test_d4_the_newest_of_several_shows_come_first_by_date_whatever_the_shows_are_called(later_show: Podcast) -> None:
    titles = ["Bees and ladders 1", *(f"All about {word}" for word in ("organs 4", "needles 3", "mirrors 2"))]
    for address, pattern in (
        ("/episodes/", r'<a[^>]*href="/episodes/[^"]+/"[^>]*>([^<]+ \d)<'),
        ("/episodes.rss", r"<title>([^<]+ \d)<"),
    ):
        found = re.findall(pattern, said(Client().get(address)))
        assert [title for title in found if title[-1].isdigit()][:4] == titles, address
        assert found[-1] == "Bees and kettles 0"


def test_d6_a_curators_own_value_closes_the_conflict_of_its_field(
    talks: Podcast, curator: User, tmp_path: Path
) -> None:
    other = feed(range(4), cut=True).replace(b"03 May 2021", b"20 May 2021")
    (tmp_path / "other.xml").write_bytes(
        other.replace(b"<item><title>All about mirrors 2", b"<item><guid>small-2</guid><title>All about mirrors 2")
    )
    assert run(tmp_path / "other.xml", "--source", "other", "--accept").code == 0
    assert [one["field"] for one in episode(2).conflicts] == ["published"]
    client = logged_in(curator)
    assert "Conflicts between sources" in said(client.get("/admin/"))
    override(curator, episode(2), {"published": "2021-05-20"})
    assert episode(2).conflicts == []
    assert "sources contradict each other" not in said(client.get("/admin/"))
    undo(curator, Change.objects.latest("id"))
    assert episode(2).conflicts != []


def test_d7_numbers_that_restart_with_each_season_are_in_order_and_no_conflict(small: Podcast, tmp_path: Path) -> None:
    page = feed(range(4)).decode()
    for n, (season, number) in enumerate(((1, 1), (1, 2), (2, 1), (2, 2))):
        tags = f"<itunes:season>{season}</itunes:season><itunes:episode>{number}</itunes:episode>"
        page = page.replace(f" {n}</title>", f" {n}</title>{tags}")
    page = page.replace('version="2.0"', 'version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"')
    (tmp_path / "feed.xml").write_text(page)
    assert run(tmp_path / "feed.xml", "--source", "feed").code == 0
    rows = Episode.objects.order_by("order").values_list("title", "season", "number", "conflicts")
    assert [(title[-1], season, number) for title, season, number, _ in rows] == [
        ("0", 1, 1), ("1", 1, 2), ("2", 2, 1), ("3", 2, 2),
    ]  # fmt: skip
    assert not any(conflicts for *_, conflicts in rows)


def test_d8_two_episodes_of_one_number_are_counted_and_listed(talks: Podcast, curator: User) -> None:
    for n, number in ((1, "46"), (2, "46"), (3, "47")):
        override(curator, episode(n), {"number": number})
    client = logged_in(curator)
    assert "episodes/episode/?needs=number" in said(client.get("/admin/"))
    page = said(client.get("/admin/episodes/episode/?needs=number"))
    assert "All about ladders 1" in page
    assert "All about mirrors 2" in page
    assert "All about needles 3" not in page


def test_d9_the_words_and_kind_of_a_link_are_a_curators(talks: Podcast, curator: User) -> None:
    link = Link.objects.get(key="gh:small/talks#2")
    page = said(logged_in(curator).get(f"/admin/episodes/link/{link.pk}/change/"))
    assert all(f'name="{name}"' in page for name in ("label", "kind", "replacement"))
    correct(curator, Thing.of(link), {"label": "The ladder issue", "kind": "paper"})
    for address in (episode(1).get_absolute_url(), "/links/?kind=paper"):
        assert "The ladder issue" in said(Client().get(address))


def test_d11_a_show_that_was_read_is_removed_and_comes_back(talks: Podcast, administrator: User) -> None:
    address = episode(1).get_absolute_url()
    talks.status = Status.REMOVED
    save_configuration(administrator, talks)
    assert Client().get(address).status_code == 410
    undo(administrator, Change.objects.latest("id"))
    assert Client().get(address).status_code == 200


@pytest.mark.django_db
def test_d12_health_is_told_to_a_probe_that_knows_no_host_and_speaks_no_https(settings: object) -> None:
    settings.SECURE_SSL_REDIRECT, settings.ALLOWED_HOSTS = True, ["podcasts.example.org"]  # type: ignore[attr-defined]
    for address in ("/healthz", "/readyz", "/livez"):
        assert Client(SERVER_NAME="10.0.0.7").get(address).status_code == 200
