"""Searches of a catalog with more episodes than anybody reads: what very many hold is looked for among the newest."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from episodes.models import Episode, Podcast
from episodes.resolve.counts import update_facet_counts_of_show_and_site
from episodes.search import prepare_query, ranking, search_episodes

from .pages import see

pytestmark = pytest.mark.django_db

COUNT = 12


@pytest.fixture(autouse=True)
def loom(monkeypatch: pytest.MonkeyPatch) -> None:
    """A show of twelve episodes, one a year from 2001 on, all about cloth; the first one alone about felt."""
    monkeypatch.setattr(ranking, "LARGE_CATALOG", COUNT - 1)
    monkeypatch.setattr(ranking, "SAMPLE_SIZE", 4)
    monkeypatch.setattr(ranking, "MAX_RESULTS", 5)
    podcast = Podcast.objects.create(slug="loom", title="The loom")
    for number in range(1, COUNT + 1):
        at = datetime(2000 + number, 1, 1, tzinfo=UTC)
        Episode.objects.create(
            podcast=podcast,
            slug=f"e{number}",
            order=number,
            title=f"Cloth {'and felt' if number == 1 else number}",
            sorted_at=at,
            published_at=at,
            published_precision="day",
        )
    update_facet_counts_of_show_and_site(podcast)


def found(words: str, size: int) -> tuple[list[str], bool]:
    answer = search_episodes(prepare_query(words), size)
    slugs = dict(Episode.objects.values_list("pk", "slug"))
    return [slugs[pk] for pk in answer.ids], answer.is_cut


def test_common_word_ranks_only_newest() -> None:
    # Four of the four newest hold it, so about twelve of twelve: more than twice what is listed.
    assert found("cloth", COUNT) == (["e9", "e12", "e11", "e10"], True)


def test_small_catalog_ranks_all() -> None:
    # Of equal places the shorter title comes first, then the newer episode.
    assert found("cloth", COUNT - 1) == (["e9", "e8", "e7", "e6", "e5"], True)


def test_best_are_listed_if_more_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "MAX_RESULTS", 4)
    for slug, title in (("e1", "Wool"), ("e2", "On wool"), ("e3", "On wool")):
        Episode.objects.filter(slug=slug).update(title=title)
    Episode.objects.filter(slug__in=["e4", "e8"]).update(description_text="Of wool.")
    assert found("wool", 0) == (["e1", "e3", "e2", "e8"], True)


def test_equal_results_of_two_shows_are_newest_first() -> None:
    Episode.objects.filter(slug="e5").update(title="Wool")
    mill = Podcast.objects.create(slug="mill", title="The mill")
    old = datetime(1990, 1, 1, tzinfo=UTC)
    Episode.objects.create(
        podcast=mill, slug="m1", order=1, title="Wool", sorted_at=old, published_at=old, published_precision="day"
    )
    assert found("wool", 0) == (["e5", "m1"], False)


def test_a_rare_word_is_found_in_the_oldest() -> None:
    assert found("felt", COUNT) == (["e1"], False)
    assert found("cloth felt", COUNT) == (["e1"], False)


def test_filters_apply_before_newest(client: Client) -> None:
    page = see(client, "/episodes/?q=cloth&year=2002")
    assert page.entries == ["/episodes/e2/"]
    assert page.one("h1").text().startswith("1 episode ")
    assert see(client, "/episodes/?q=cloth").one("h1").text().startswith("4+ episodes ")


def test_suggestions_are_among_newest(client: Client) -> None:
    offered = client.get("/search/suggest", {"q": "cloth"}).content.decode()
    assert "/episodes/e12/" in offered
    assert "/episodes/e8/" not in offered


def test_single_word_counts_like_its_list(client: Client) -> None:
    page = see(client, "/episodes/?q=cloth+zebra+aardvark")
    (count,) = page.tree.css("[aria-label='Results of single words'] small")
    # 12 episodes say it. Its list has those of the newest 4.
    assert count.text() == "4"
