"""Sources of several shows that have one slug are told apart by their show, everywhere a curator reads of them."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from episodes.curation import save_row
from episodes.models import CatalogState, Change, IngestRun, Podcast, Source, Topic

from .conftest import logged_in, said

RUNS = reverse("admin:episodes_ingestrun_changelist")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def beside(talks: Podcast, administrator: User) -> Source:
    """The feed of a second show, in trouble."""
    show = Podcast.objects.create(slug="tall-tales", title="Tall Tales")
    source = Source(podcast=show, slug="feed", reader="feed", rank=0, address="https://tall.example/feed")
    save_row(administrator, source)
    IngestRun.objects.create(source=source, started_at=NOW, finished_at=NOW, outcome="failed", reason="gone")
    return source


def test_the_readings_say_of_which_show_they_are(beside: Source, curator: User) -> None:
    page = said(logged_in(curator).get(RUNS))
    assert 'class="field-source">Tall Tales · feed</td>' in page
    assert "Tall Tales · feed" in page
    assert "Small Talks · feed" in page


@pytest.mark.parametrize("model", ["capture", "item"])
def test_a_filter_by_source_names_the_show(beside: Source, curator: User, model: str) -> None:
    page = logged_in(curator).get(reverse(f"admin:episodes_{model}_changelist"))
    choices = [c["display"] for spec in page.context["cl"].filter_specs for c in spec.choices(page.context["cl"])]
    assert choices[:4] == ["All", "Small Talks · feed", "Small Talks · other", "Tall Tales · feed"]


def test_sources_of_the_only_show_are_named_alone(talks: Podcast, curator: User) -> None:
    IngestRun.objects.update(outcome="failed")
    client = logged_in(curator)
    for address in ("/admin/", RUNS):
        assert "small-talks · " not in said(client.get(address))
    assert "field-source__podcast" not in said(client.get(RUNS))


def test_topic_of_one_show_affects_it_alone(beside: Source, talks: Podcast, administrator: User) -> None:
    def made() -> set[tuple[str, str]]:
        return set(CatalogState.objects.values_list("podcast__slug", "token"))

    def saved(podcast: Podcast | None) -> set[str]:
        """The shows of which the catalog is made anew when the topic becomes one of this show."""
        before, topic.podcast = made(), podcast
        save_row(administrator, topic)
        return {slug for slug, _ in made() - before}

    topic = Topic(slug="ladders", name="Ladders")
    both = {"small-talks", "tall-tales"}
    assert saved(talks) == {"small-talks"}
    assert Change.objects.get(verb="add topic").podcast == talks
    assert saved(beside.podcast) == both, "it is gone from the one and new in the other"
    assert saved(None) == both
