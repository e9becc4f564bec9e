"""Sources of several shows that have one slug are told apart by their show, everywhere a curator reads of them."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from episodes.curation import save_row
from episodes.models import Change, IngestRun, Podcast, Source, Topic
from episodes.resolve import background, resolve_all_waiting

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


def test_the_start_page_names_the_shows_of_sources_in_trouble(beside: Source, curator: User) -> None:
    assert "tall-tales · feed" in said(logged_in(curator).get("/admin/"))


def test_the_readings_say_of_which_show_they_are(beside: Source, curator: User) -> None:
    page = said(logged_in(curator).get(RUNS))
    assert 'class="field-source_of_show">Tall Tales · feed</td>' in page
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


def test_topic_resolves_only_its_shows(
    beside: Source, talks: Podcast, administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(background, "MAX_EPISODES_IN_REQUEST", -1)

    def waiting_after(podcast: Podcast | None) -> set[str]:
        topic.podcast = podcast
        save_row(administrator, topic)
        return {podcast.slug for podcast in resolve_all_waiting()}

    topic = Topic(slug="ladders", name="Ladders")
    list(resolve_all_waiting())
    assert waiting_after(talks) == {"small-talks"}
    assert Change.objects.get(verb="add topic").podcast == talks
    # It goes from one show and comes to the other.
    assert waiting_after(beside.podcast) == {"small-talks", "tall-tales"}
    assert waiting_after(None) == {"small-talks", "tall-tales"}
