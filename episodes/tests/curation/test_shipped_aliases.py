"""Aliases that `fixtures/topics.json` ships reach existing catalogs, unless a curator edited the topic's."""

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from episodes.curation import add_shipped_aliases_and_resolve, merge_topics, save_row, undo_change
from episodes.models import Change, EpisodeTopic, Podcast, Topic
from episodes.resolve import update_catalog

from ..ingest.conftest import configured
from ..kept import made_once

pytestmark = pytest.mark.django_db
ALIASES_OF_1_0 = ["GPU", "GPUs", "NVIDIA", "CUDA streams", "kernel launches"]
ALIASES = [
    *ALIASES_OF_1_0, "graphics cards", "video cards", "GPU programming", "GPU architecture", "graphics processors",
    "thread blocks", "streaming multiprocessors", "device synchronization", "parallel processors",
]  # fmt: skip


@pytest.fixture
def cuda(request: pytest.FixtureRequest) -> Topic:
    """Return the topic as version 1.0 shipped it, with episodes if the test takes the catalog."""
    if "catalog" not in request.fixturenames:
        made_once(configured)
    topic = Topic.objects.get(slug="cuda")
    topic.aliases = ALIASES_OF_1_0
    topic.save()
    return topic


def aliases_after_upgrade() -> list[str]:
    add_shipped_aliases_and_resolve()
    return list(Topic.objects.get(slug="cuda").aliases)


def test_existing_catalog_gets_aliases_once(cuda: Topic) -> None:
    call_command("migrate", verbosity=0)
    assert Topic.objects.get(slug="cuda").aliases == ALIASES
    assert aliases_after_upgrade() == ALIASES
    change = Change.objects.get()
    assert (change.action, change.subject) == ("added aliases", "CUDA and GPUs")


@pytest.mark.on_both
def test_general_word_finds_episodes_of_topic(catalog: None, cuda: Topic, client: Client) -> None:
    assert "All about NVIDIA GPUs" not in client.get("/episodes/", {"q": "graphics card"}).text
    aliases_after_upgrade()
    assert "All about NVIDIA GPUs" in client.get("/episodes/", {"q": "graphics card"}).text


def test_shipped_aliases_change_no_tags(catalog: None) -> None:
    tags = set(EpisodeTopic.objects.values_list("episode__slug", "topic__slug"))
    Topic.objects.update(aliases=[])
    update_catalog(Podcast.objects.get())
    assert set(EpisodeTopic.objects.values_list("episode__slug", "topic__slug")) == tags


def test_edited_aliases_stay(cuda: Topic, curator: User) -> None:
    cuda.aliases = ["GPU"]
    save_row(curator, cuda)
    assert aliases_after_upgrade() == ["GPU"]
    undo_change(curator, Change.objects.get())
    assert aliases_after_upgrade() == ALIASES_OF_1_0


def test_merged_topic_keeps_its_aliases(cuda: Topic, curator: User) -> None:
    merge_topics(curator, Topic.objects.create(slug="chips", name="Chips", podcast=cuda.podcast), cuda)
    assert aliases_after_upgrade() == [*ALIASES_OF_1_0, "Chips"]


def test_topic_with_another_edit_gets_aliases(cuda: Topic, curator: User) -> None:
    cuda.description = "Graphics hardware."
    save_row(curator, cuda)
    assert aliases_after_upgrade() == ALIASES


def test_undone_aliases_stay_away(cuda: Topic, curator: User) -> None:
    aliases_after_upgrade()
    undo_change(curator, Change.objects.get())
    assert aliases_after_upgrade() == ALIASES_OF_1_0


def test_name_of_another_topic_is_left_out(cuda: Topic) -> None:
    Topic.objects.create(slug="video-cards", name="Video cards")
    assert aliases_after_upgrade() == [alias for alias in ALIASES if alias != "video cards"]
