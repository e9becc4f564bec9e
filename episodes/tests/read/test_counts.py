"""The figures beside lists: counted up to a limit, and stored with the catalog for sets that are larger."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db.models import Count as CountOf
from django.db.models import F, Q
from django.test import Client

from episodes.models import (
    CodeName,
    Episode,
    EpisodeCount,
    FacetCounts,
    Link,
    Person,
    Podcast,
    Topic,
    count_facets_of_newest_episodes,
    length_band,
)
from episodes.models import facet_counts as module
from episodes.resolve.counts import update_facet_counts_of_show_and_site, update_or_delete_counted_rows
from episodes.resolve.write import clear_catalog, update_catalog

from .pages import see

pytestmark = [pytest.mark.django_db, pytest.mark.on_both]

LENGTHS = {
    None: "unknown", 0: "0-15", 899: "0-15", 900: "15-20", 1_199: "15-20", 1_200: "20-30", 1_799: "20-30",
    1_800: "30-60", 3_599: "30-60", 3_600: "60-", 90_000: "60-",
}  # fmt: skip


def show_of(slug: str, *episodes: dict[str, object]) -> Podcast:
    podcast = Podcast.objects.create(slug=slug, title=slug)
    for order, fields in enumerate(episodes, 1):
        topics = fields.pop("topics", ())
        at = datetime(2020, 1, order, tzinfo=UTC)
        row = Episode.objects.create(podcast=podcast, slug=f"{slug}-{order}", order=order, sorted_at=at, **fields)
        for topic in topics:  # type: ignore[attr-defined]
            row.topic_uses.create(topic=topic, term="x", field="title")
    update_facet_counts_of_show_and_site(podcast)
    return podcast


def about() -> Iterator[tuple[str, Q]]:
    yield "", Q()
    for topic in Topic.objects.all():
        yield f"topic:{topic.pk}", Q(topics=topic)
    for year in {at.year for at in Episode.objects.values_list("published_at", flat=True) if at}:
        yield f"year:{year}", Q(published_at__year=year)


def stored_are_counted() -> bool:
    """True if the stored counts of each set are what counting its episodes gives, for each show and for all."""
    listed = Episode.objects.listed()
    expected = {}
    for name, condition in about():
        for podcast in (None, *Podcast.objects.values_list("pk", flat=True)):
            found = listed.filter(condition, **({} if podcast is None else {"podcast": podcast}))
            counts = count_facets_of_newest_episodes(found)
            counts["audible"] = found.exclude(audio_url="").count()
            if counts["episodes"]:
                expected[podcast, name] = {key: n for key, n in counts.items() if n and key != "matches"}
    rows = EpisodeCount.objects.values_list("podcast", "about", "counts")
    return {(podcast, name): counts for podcast, name, counts in rows} == expected


def test_length_on_border_is_longer_band() -> None:
    assert {seconds: length_band(seconds) for seconds in LENGTHS} == LENGTHS
    episodes: list[dict[str, object]] = [{"duration_seconds": seconds} for seconds in LENGTHS]
    show_of("one", *episodes)
    assert count_facets_of_newest_episodes(Episode.objects.all()).counts_of_facet_by_value("band") == Counter(
        LENGTHS.values()
    )


def test_counts_are_by_month_length_topic_and_show() -> None:
    topic = Topic.objects.create(slug="nix", name="Nix")
    june = datetime(2021, 6, 30, 23, 59, tzinfo=UTC)
    date = {"published_at": june, "published_precision": "instant"}
    one = show_of("one", {**date, "duration_seconds": 600, "topics": [topic]}, {"audio_url": "https://a.example/1.mp3"})
    other = show_of("other", {"duration_seconds": 60, "listed": False}, {"duration_seconds": 60, "topics": [topic]})
    counts = count_facets_of_newest_episodes(Episode.objects.listed())
    assert counts == FacetCounts(
        {"matches": 3, "episodes": 3, "seconds": 660, "timed": 2, "month:2021-06": 1, "month:": 2,
         "band:0-15": 2, "band:unknown": 1, f"topic:{topic.pk}": 2, f"show:{one.pk}": 2, f"show:{other.pk}": 1}
    )  # fmt: skip
    assert counts.counts_of_facet_by_value("month") == {"2021-06": 1, "": 2}
    assert counts["episodes"] - counts["month:"] == 1
    assert stored_are_counted()


def test_stored_counts_follow_what_changes(catalog: None) -> None:
    show = Podcast.objects.get()
    other = show_of("other", {"duration_seconds": 60}, {"published_at": datetime(2024, 2, 1, tzinfo=UTC), "published_precision": "day"})  # fmt: skip
    assert stored_are_counted()
    Episode.objects.filter(podcast=other, order=1).update(listed=False)
    update_facet_counts_of_show_and_site(other)
    assert stored_are_counted()
    Episode.objects.filter(podcast=show).update(duration_seconds=None)
    update_facet_counts_of_show_and_site(show)
    assert stored_are_counted()
    Podcast.objects.filter(pk=show.pk).update(status="removed")
    update_catalog(Podcast.objects.get(pk=show.pk))
    assert stored_are_counted()
    assert not EpisodeCount.objects.filter(podcast=show).exists()


def test_only_newest_are_counted(catalog: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_COUNTED_EPISODES", 2)
    listed = Episode.objects.listed()
    counts = count_facets_of_newest_episodes(listed)
    assert counts["matches"] == 82
    assert counts["episodes"] == 2
    newest = list(listed.newest_first()[:2])
    assert counts.counts_of_facet_by_value("month") == {
        f"{newest[0].published_at:%Y-%m}": 1,
        f"{newest[1].published_at:%Y-%m}": 1,
    }
    monkeypatch.setattr(module, "MAX_COUNTED_EPISODES", 82)
    assert count_facets_of_newest_episodes(listed)["episodes"] == 82


def test_stored_counts_are_read_where_there_are_some(catalog: None, client: Client) -> None:
    topic = Topic.objects.get(slug="autograd")
    for name in ("", f"topic:{topic.pk}", "year:2021"):
        row = EpisodeCount.objects.get(podcast=None, about=name)
        row.counts |= {"band:0-15": 1_234}
        row.save()
    for query in ("", "?topic=autograd", "?year=2021"):
        assert "1,234" in see(client, f"/episodes/{query}").text, query
    for query in (
        "topic=autograd&year=2021",
        "topic=autograd&topic=cuda",
        "year=unknown",
        "q=tensor",
        "q=tensor&min_minutes=1",
    ):
        assert "1,234" not in see(client, f"/episodes/?{query}").text, query


def uses_are_counted() -> bool:
    """True if every link, symbol and person says in how many episodes it is."""
    for model, uses in ((Link, "mentions"), (CodeName, "mentions"), (Person, "credits")):
        counted = model._default_manager.annotate(n=CountOf(f"{uses}__episode", distinct=True))
        if counted.exclude(episode_count=F("n")).exists():
            return False
    return True


def all_uses() -> dict[Any, list[int]]:
    return {model: list(model._default_manager.values_list("pk", flat=True)) for model in (Link, CodeName, Person)}


def share_everything(podcast: Podcast) -> None:
    """Give the episodes of a show the links, symbols and people of the shipped episodes."""
    for episode in Episode.objects.filter(podcast=podcast):
        rows = zip(Link.objects.all()[:5], CodeName.objects.all()[:5], Person.objects.all()[:5], strict=True)
        for number, (link, symbol, person) in enumerate(rows):
            episode.mentions.create(link=link, position=number, url="https://a.example/")
            episode.code_mentions.create(name=symbol, field="notes", position=number)
            episode.credits.create(person=person, role="guest")
            episode.credits.create(person=person, role="author")


def test_link_symbol_person_counts_are_true(catalog: None) -> None:
    assert uses_are_counted()
    assert all(model._default_manager.filter(episode_count__gt=1).exists() for model in (Link, CodeName, Person))
    show, other = Podcast.objects.get(), show_of("other", {}, {})
    share_everything(other)
    assert not uses_are_counted()
    update_or_delete_counted_rows(all_uses())
    assert uses_are_counted()
    Episode.objects.filter(podcast=other, order=1).delete()
    update_or_delete_counted_rows(all_uses())
    assert uses_are_counted()
    for status in ("removed", "active"):
        Podcast.objects.filter(pk=show.pk).update(status=status)
        update_catalog(Podcast.objects.get(pk=show.pk))
        assert uses_are_counted()
    clear_catalog([show])
    assert uses_are_counted()
