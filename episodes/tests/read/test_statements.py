"""Statement statements give what their querysets give; and the page of an episode takes few of them."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import models
from django.test import Client

from episodes.models import Episode, Person, Statement, Together, Topic
from episodes.views.episode import rows

from .test_bounded_work import statements


def told(row: Any, but: Any = None) -> Any:
    """All that a row holds: its values, what was computed for it, and its related rows."""
    if not isinstance(row, models.Model):
        return row
    related = {name: told(value, row) for name, value in row._state.fields_cache.items() if value is not but}
    return (type(row), {name: value for name, value in vars(row).items() if name != "_state"}, related)


def same(found: list[Any], queryset: models.QuerySet[Any, Any]) -> None:
    assert sorted(map(repr, map(told, found))) == sorted(map(repr, map(told, queryset)))


EPISODES = Statement(lambda slugs, least: Episode.objects.filter(slug__in=slugs, order__gte=least).order_by("order"))
BOTH = Together(
    topics=lambda slug, pk: Topic.objects.filter(slug=slug),
    episodes=lambda slug, pk: Episode.objects.filter(models.Q(pk=pk) | models.Q(slug=slug)).values_list(
        "pk", "published_at"
    ),
    people=lambda slug, pk: Person.objects.filter(credits__episode=pk).annotate(n=models.Count("pk")).order_by(),
)


@pytest.mark.usefixtures("catalog")
def test_the_rows_of_every_episode_are_those_of_the_querysets() -> None:
    for episode in Episode.objects.all():
        same(rows.EPISODE(episode.slug), rows.EPISODE.make(episode.slug))
        parts = rows.PARTS(episode.pk, episode.slug)
        for name, make in rows.PARTS.parts.items():
            same(parts[name], make(episode.pk, episode.slug))
        beside = rows.BESIDE(episode.podcast_id, episode.order)
        for name, make in rows.BESIDE.parts.items():
            same(beside[name], make(episode.podcast_id, episode.order))
        same(rows.LEFT(episode.pk), rows.LEFT.make(episode.pk))
    ids = [*Episode.objects.values_list("pk", flat=True)[:7]]
    same(rows.OTHERS(ids, ["vmap", "no-such"]), rows.OTHERS.make(ids, ["vmap", "no-such"]))


@pytest.mark.usefixtures("catalog")
@pytest.mark.parametrize("slug", ["vmap", "", "%s", "%%", "'; --", "\ue0000", "é", "2000000000"])
@pytest.mark.parametrize("pk", [1, 0, -1, 2_000_000_000, 2_000_000_001, 1 << 40])
def test_any_value_is_taken_as_the_queryset_takes_it(slug: str, pk: int) -> None:
    found = BOTH(slug, pk)
    for name, make in BOTH.parts.items():
        same(found[name], make(slug, pk))
    for slugs in ([slug], [slug, "vmap"], {"vmap"}):
        assert EPISODES(slugs, 2) == list(EPISODES.make(slugs, 2))


@pytest.mark.usefixtures("catalog")
def test_a_value_that_a_statement_changes_before_it_asks_is_refused() -> None:
    with pytest.raises(ValueError, match="as they are"):
        Statement(lambda word: Episode.objects.filter(title__contains=word))("vmap")


@pytest.mark.usefixtures("catalog")
def test_an_episode_takes_five_statements_at_most(client: Client) -> None:
    client.get("/episodes/vmap/")
    for episode in Episode.objects.all():
        # On PostgreSQL one of them asks whether the transaction has changed anything.
        assert len(statements(client, episode.get_absolute_url())) <= 5


@pytest.mark.only_on("sqlite")
@pytest.mark.usefixtures("catalog")
def test_an_episode_that_lists_leave_out_takes_six(client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(listed=False)
    client.get("/episodes/compiler-collectives/")
    assert len(statements(client, "/episodes/vmap/")) <= 6
