"""Searches of a catalog with more episodes than anybody reads: what very many hold is looked for among the newest."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from episodes.models import Episode, Podcast
from episodes.resolve.counts import write_counts
from episodes.search import prepare_query, ranking, search_episodes, search_newest

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
    write_counts(podcast)


def found(words: str, size: int) -> tuple[list[str], bool]:
    answer = search_episodes(prepare_query(words), size)
    slugs = dict(Episode.objects.values_list("pk", "slug"))
    return [slugs[pk] for pk in answer.ids], answer.is_cut


def test_of_a_word_that_very_many_hold_only_the_newest_are_ranked() -> None:
    # Four of the four newest hold it, so about twelve of twelve: more than twice what is listed.
    assert found("cloth", COUNT) == (["e9", "e12", "e11", "e10"], True)


def test_in_a_catalog_that_is_not_large_all_are_ranked() -> None:
    # Of equal places the shorter title comes first, then the newer episode.
    assert found("cloth", COUNT - 1) == (["e9", "e8", "e7", "e6", "e5"], True)


@pytest.mark.parametrize(
    "most, answer", [(4, (["e1", "e3", "e8"], True)), (5, (["e1", "e3", "e2", "e8", "e4"], False))]
)
def test_of_more_than_are_listed_the_very_title_and_the_newest_are_ranked(
    most: int, answer: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "MAX_RESULTS", most)
    monkeypatch.setattr(ranking, "NEWEST_OF", ranking.NEWEST_OF.replace(f"{ranking.NEWEST_RANKED}", "1"))
    for slug, title in (("e1", "Wool"), ("e2", "On wool"), ("e3", "On wool")):
        Episode.objects.filter(slug=slug).update(title=title)
    Episode.objects.filter(slug__in=["e4", "e8"]).update(description_text="Of wool.")
    assert found("wool", 0) == answer


def test_where_about_twice_what_is_listed_holds_it_all_are_ranked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "LARGE_CATALOG", 9)
    assert found("cloth", 10) == (["e9", "e8", "e7", "e6", "e5"], True)


def test_a_rare_word_is_found_in_the_oldest() -> None:
    assert found("felt", COUNT) == (["e1"], False)
    assert found("cloth felt", COUNT) == (["e1"], False)


def test_as_many_as_are_listed_are_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "MAX_RESULTS", COUNT)
    slugs, is_cut = found("cloth", 0)
    assert (len(slugs), is_cut) == (COUNT, False)


def test_the_nearest_are_among_the_newest() -> None:
    assert found("cloth zebra", COUNT)[0] == ["e12", "e11", "e10", "e9"]


def test_a_size_on_the_border_leaves_nothing_out() -> None:
    listed = Episode.objects.listed()
    assert not search_newest(prepare_query("cloth"), listed, 4).is_cut
    assert search_newest(prepare_query("cloth"), listed, 5).is_cut


def test_other_filters_narrow_before_the_newest_are_taken(client: Client) -> None:
    page = see(client, "/episodes/?q=cloth&year=2002")
    assert page.entries == ["/episodes/e2/"]
    assert page.one("h1").text().startswith("1 episode ")
    assert see(client, "/episodes/?q=cloth").one("h1").text().startswith("4+ episodes ")


def test_the_suggestions_are_among_the_newest_too(client: Client) -> None:
    offered = client.get("/search/suggest", {"q": "cloth"}).content.decode()
    assert "/episodes/e12/" in offered
    assert "/episodes/e8/" not in offered
