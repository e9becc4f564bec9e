"""Steps of learning paths: they follow their episodes through all that becomes of these."""

import json
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from episodes import curation
from episodes.models import Change, Episode, Item, LearningPath, LoadedPath, Podcast, Redirect, load_paths_with_episodes

from ..ingest.conftest import take
from ..kept import made_once
from .conftest import export, feed, small_show

WALKED = ["all-about-mirrors-2", "all-about-kettles-0", "all-about-ladders-1"]


@pytest.fixture
def path(db: None) -> LearningPath:
    made_once(five)
    return a_path()


def five() -> None:
    small_show()
    take("feed", feed(range(5)))


def a_path() -> LearningPath:
    steps = [{"episode": slug, "why": f"Here because of {slug}."} for slug in WALKED]
    return LearningPath.objects.create(podcast=Podcast.objects.get(), slug="walk", title="A walk", steps=steps)


def walked() -> LoadedPath:
    (route,) = load_paths_with_episodes([LearningPath.objects.get()])
    return route


def episode(n: int) -> Episode:
    return Episode.objects.get(attachments__item__key=f"guid:small-{n}")


def exported() -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(export())["paths"]
    return found


def test_step_follows_its_episode_and_back(path: LearningPath, curator: User) -> None:
    curation.override_fields(curator, episode(0), {"title": "Kettles, explained", "slug": "kettles"})
    assert walked().episodes == [episode(2), episode(0), episode(1)]
    steps = exported()[0]["steps"]
    assert isinstance(steps, list)
    assert steps[1] == {"episode": "kettles", "why": "Here because of all-about-kettles-0."}
    path.steps = [*path.steps[:1], {"episode": "kettles", "why": ""}]
    curation.save_row(curator, path)
    curation.undo_change(curator, Change.objects.get(verb="edit"))
    assert walked().episodes == [episode(2), episode(0)]


def test_step_follows_merge_undo_and_split(path: LearningPath, curator: User) -> None:
    curation.merge_episodes(curator, episode(4), episode(0))
    assert Episode.objects.count() == 4
    assert walked().episodes == [episode(2), episode(4), episode(1)]
    assert not walked().missing_steps
    curation.undo_change(curator, Change.objects.get())
    assert walked().episodes == [episode(2), episode(0), episode(1)]
    take("other", feed(range(4), cut=True))
    elsewhere = Item.objects.filter(attachment__episode=episode(0), document__source__slug="other")
    curation.split_episode(curator, episode(0), list(elsewhere))
    assert walked().episodes == [episode(2), episode(0), episode(1)]


@pytest.mark.parametrize("order", [("feed", "other"), ("other", "feed"), ("other", "feed", "other", "feed")])
def test_path_loaded_first_finds_its_episodes(small: Podcast, order: tuple[str, ...]) -> None:
    a_path()
    assert walked().steps == []
    bodies = {"feed": feed(range(5)), "other": feed(range(4), cut=True)}
    for source in order:
        take(source, bodies[source])
    steps = exported()[0]["steps"]
    assert isinstance(steps, list)
    assert [step["episode"] for step in steps] == WALKED


def test_lost_or_merged_episode_leaves_the_others(path: LearningPath, curator: User) -> None:
    curation.decide_match(curator, Item.objects.get(key="guid:small-0"), "ignore")
    route = walked()
    assert [part.number for part in route.steps] == [1, 2]
    assert route.episodes == [episode(2), episode(1)]
    assert [step.episode for step in route.missing_steps] == ["all-about-kettles-0"]
    curation.undo_change(curator, Change.objects.get())
    assert walked().episodes == [episode(2), episode(0), episode(1)]
    curation.merge_episodes(curator, episode(1), episode(2))
    route = walked()
    assert [part.number for part in route.steps] == [1, 2]
    assert route.episodes == [episode(1), episode(0)]
    assert [step.episode for step in route.repeated_steps] == ["all-about-ladders-1"]
    for steps in ([], {}, "x", [1, None, "x", {}, {"episode": ""}, {"why": "x"}]):
        LearningPath.objects.update(steps=steps)
        assert not walked().steps, "what a file has instead of steps is ignored"
        assert not walked().missing_steps


def test_deleted_path_returns_with_former_addresses(path: LearningPath, curator: User) -> None:
    path.slug = "stroll"
    curation.save_row(curator, path)
    before = exported()
    curation.delete_topic_or_path(curator, LearningPath.objects.get())
    assert not exported()
    assert {old.slug: old.path for old in Redirect.objects.filter(kind="path")} == {"walk": None, "stroll": None}
    curation.undo_change(curator, Change.objects.get(verb="delete learning path"))
    assert exported() == before
    assert set(Redirect.objects.filter(kind="path").values_list("slug", "path__slug")) == {("walk", "stroll")}


def test_queries_do_not_grow_with_paths(
    path: LearningPath, curator: User, django_assert_num_queries: Callable[..., object]
) -> None:
    for n in range(3):
        curation.override_fields(curator, episode(n), {"slug": f"moved-{n}"})
    for n in range(20):
        LearningPath.objects.create(slug=f"walk-{n}", title="Again", steps=path.steps)
    with django_assert_num_queries(4):  # type: ignore[attr-defined]
        found = load_paths_with_episodes(LearningPath.objects.all())
    assert all(len(route.steps) == 3 for route in found)
