"""Users with each role, and a small show for tests of decisions."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, User

from episodes.curation import episode_changes, save_source_and_show_feed, undo_change
from episodes.models import Podcast, Source, Topic, WithdrawnEpisode
from episodes.outputs.catalog_json import dump_json

SHOW = "Small Talks"
WORDS = ("kettles", "ladders", "mirrors", "needles", "organs", "pianos")


def staff(name: str, role: str) -> User:
    """Create a user with a role who may log in to the admin."""
    user = User.objects.create_user(name, password="secret", is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return User.objects.get(pk=user.pk)


@pytest.fixture
def viewer(db: None) -> User:
    return staff("vera", "viewer")


@pytest.fixture
def curator(db: None) -> User:
    return staff("carla", "curator")


@pytest.fixture
def administrator(db: None) -> User:
    return staff("ada", "administrator")


def set_status(user: User, source: Source, status: str) -> None:
    source.status = status
    save_source_and_show_feed(user, source)


def bring_back(user: User, withdrawn: WithdrawnEpisode) -> None:
    """Undo the change that withdrew an episode."""
    decision_row = ["episodes.decision", withdrawn.decision_id]
    changes = episode_changes(withdrawn).filter(undone_at=None)
    undo_change(user, next(change for change in changes if decision_row in [row[:2] for row in change.rows]))


@pytest.fixture
def small(db: None) -> Podcast:
    return small_show()


def small_show() -> Podcast:
    """Create a show with two sources, and two topics."""
    address = "https://small.example/feed"
    podcast = Podcast.objects.create(slug="small-talks", title=SHOW, feed_url=address, has_symbols=True)
    common = {"podcast": podcast, "reader": "feed"}
    Source.objects.create(slug="feed", rank=1, may_create=True, complete=True, address=address, **common)
    Source.objects.create(slug="other", rank=2, address="https://other.example/feed", **common)
    Topic.objects.create(slug="household", name="Household", position=0, rules={"title": ["kettles"]})
    Topic.objects.create(slug="music", name="Music", position=1, rules={"title": ["pianos"]})
    return podcast


def feed(numbers: range, cut: bool = False, text: Callable[[int], str] | None = None, name: str = SHOW) -> bytes:
    """Return a feed with these episodes, newest first. With `cut`, texts are cut and guids missing, as on other sites."""
    items = "".join(
        f"<item><title>All about {WORDS[n % len(WORDS)]} {n}</title><pubDate>{n + 1:02} May 2021 13:00:00 GMT</pubDate>"
        f"<description>{(text or notes)(n)[: 90 if cut else None]}{'…' if cut else ''}</description>"
        f"{'' if cut else f'<guid isPermaLink=%false%>small-{n}</guid>'.replace('%', chr(34))}</item>"
        for n in reversed(numbers)
    )
    return f'<rss version="2.0"><channel><title>{name}</title>{items}</channel></rss>'.encode()


def notes(n: int) -> str:
    return (
        f"Episode {n} is about {WORDS[n % len(WORDS)]}: where they come from, what they are made of and who needs them at "
        f"all. See https://example.org/{WORDS[n % len(WORDS)]}/{n} and https://github.com/small/talks/issues/{n + 1}"
    )


def export() -> str:
    return dump_json(list(Podcast.objects.order_by("slug")))
