"""The start page: what needs a look, counted, one click from a list of just as many; links and sources in trouble."""

import re
from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from episodes.curation import CorrectionSubject, override_fields, save_corrections, save_row, undo_change
from episodes.models import Change, Episode, IngestRun, Link, LinkCheck, Podcast, Source, Topic
from episodes.resolve import background, resolve_all_waiting

from ..read.test_sources import each_state
from ..tables import cases
from .conftest import logged_in, said


@pytest.fixture
def client(curator: User, catalog: None) -> Client:
    return logged_in(curator)


def needs(client: Client) -> dict[str, tuple[int, str]]:
    """Counts of the start page by name, with the address of each list."""
    context = client.get("/admin/").context
    return {one["name"]: (one["count"], one["address"]) for one in (*context["needs"], *context["missing"])}


def test_every_count_equals_its_list(client: Client) -> None:
    found = needs(client)
    assert "Topics to confirm" in found
    for name, (count, address) in found.items():
        context = client.get(address).context
        assert (context["total"] if "total" in context else context["cl"].result_count) == count, name


def test_the_last_changes_stand_there_with_undo(client: Client, curator: User) -> None:
    override_fields(curator, Episode.objects.get(number=34), {"title": "Vmap, explained", "number": "35"})
    page = said(client.get("/admin/"))
    assert "Vmap, explained" in page
    assert f"/admin/episodes/change/{Change.objects.get().pk}/change/?next=" in page
    assert "episodes/episode/?needs=number" in page
    alike = client.get("/admin/episodes/episode/?needs=number").context["cl"].result_list
    assert [row.number for row in alike] == [35, 35]
    undo_change(curator, Change.objects.get())
    assert "undone by carla" in said(client.get("/admin/"))


def test_queries_do_not_grow_with_rows(client: Client, curator: User) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as caught:
            client.get("/admin/")
        return len(caught)

    # A step of a path, whose episode is found by its former address from now on.
    override_fields(curator, Episode.objects.get(number=61), {"title": "A"})
    few = queries()
    for number in range(40, 46):
        override_fields(curator, Episode.objects.get(number=number), {"title": f"B {number}", "url": ""})
    assert queries() == few <= 36


def test_one_search_finds_rows_of_all_lists(client: Client, viewer: User) -> None:
    page = client.get("/admin/find/", {"q": "vmap"})
    found = {own.opts.object_name: rows for own, rows in page.context["found"]}
    assert "Episode" in found
    for address in re.findall(r'<li><a href="([^"]+)">', said(page)):
        assert client.get(address, follow=True).status_code == 200, address
    assert 'action="/admin/find/"' in said(client.get("/admin/"))
    for words in ("", "\0", "%", "x" * 10_000, "nothing-like-it"):
        assert client.get("/admin/find/", {"q": words}).context["found"] == []
    lists = [own.opts.object_name for own, _ in logged_in(viewer).get("/admin/find/", {"q": "a"}).context["found"]]
    assert "User" not in lists
    assert logged_in(None).get("/admin/find/").status_code == 302


def test_episodes_that_lack_something_are_listed(client: Client) -> None:
    whole = {"title": "Looms", "published_at": timezone.now(), "published_precision": "day"}
    whole |= {"audio_url": "https://audio.example/1.mp3", "description_truncated": False}
    lacking: dict[str, dict[str, object]] = {
        "title": {"title": ""},
        "date": {"published_at": None, "published_precision": ""},
        "audio": {"audio_url": ""},
        "notes": {"description_truncated": True},
    }
    one = Episode.objects.all()[1]
    for need, values in lacking.items():
        Episode.objects.update(**whole)
        assert not client.get(f"/admin/episodes/episode/?needs={need}").context["cl"].result_list
        Episode.objects.filter(pk=one.pk).update(**values)
        assert list(client.get(f"/admin/episodes/episode/?needs={need}").context["cl"].result_list) == [one]


LINKS = "/admin/episodes/link/"


@pytest.fixture
def checked(talks: Podcast) -> list[Link]:
    """The links of the small show: one gone, one failing, one often failing, one there; the others not asked yet."""
    links = list(Link.objects.order_by("key"))
    first, last = datetime(2021, 6, 1, tzinfo=UTC), datetime(2021, 7, 2, tzinfo=UTC)
    keys = [*(link.key for link in links[:4]), "https://old.example/"]  # which is in no notes any more
    for key, outcome, failures in zip(
        keys, "gone unreached unreached there gone".split(), (1, 2, 3, 0, 1), strict=True
    ):
        since, note = first if failures else None, "it answered 404 Not Found" if outcome == "gone" else ""
        checked = {"outcome": outcome, "failures": failures, "failing_since": since, "asked_at": last, "note": note}
        LinkCheck.objects.create(key=key, **checked)
    return links


def listed(client: Client, query: str) -> list[str]:
    return [link.key for link in client.get(LINKS + query).context["cl"].result_list]


def test_links_in_trouble_are_counted_and_listed(checked: list[Link], curator: User) -> None:
    client = logged_in(curator)
    page = said(client.get(LINKS))
    for words in ("gone since 1 Jun 2021", "unreached since 1 Jun 2021", "2 Jul 2021", "not checked yet", "Issue"):
        assert words in page
    assert "never" not in page, "the status says so already"
    assert ">github-issue<" not in page
    assert needs(client)["Links in trouble"] == (2, "/admin/episodes/link/?state=trouble")
    assert set(listed(client, "?state=trouble")) == {checked[0].key, checked[2].key}
    save_corrections(curator, CorrectionSubject.from_row(checked[0]), {"replacement": "https://copy.example/"})
    assert listed(client, "?state=trouble") == [checked[2].key]
    LinkCheck.objects.all().delete()
    assert "Links in trouble" not in needs(client)


CASES = cases("admin_home")

__all__ = ["each_state"]
SOURCES = "/admin/episodes/source/"


@pytest.fixture
def looker(viewer: User, each_state: None) -> Client:
    return logged_in(viewer)


@pytest.mark.parametrize("query, states", CASES["the_worst_come_first_and_the_list_can_be_narrowed"])
def test_worst_sources_come_first_and_are_filtered(looker: Client, query: str, states: list[str]) -> None:
    page = looker.get(SOURCES + query)
    assert [row.state for row in page.context["cl"].result_list] == states
    assert ("late: Its next attempt is more than a day overdue" in said(page)) == ("late" in states)


def test_a_source_in_trouble_says_why(looker: Client) -> None:
    page = said(looker.get(SOURCES))
    assert "refused: The feed is cut off." in page
    assert "not imported yet" in page
    IngestRun.objects.filter(reason="the feed is cut off").update(reason="Is this a feed?")
    page = said(looker.get(SOURCES))
    assert "refused: Is this a feed?" in page
    assert "a feed?." not in page


RUNS = reverse("admin:episodes_ingestrun_changelist")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def beside(talks: Podcast, administrator: User) -> Source:
    show = Podcast.objects.create(slug="tall-tales", title="Tall Tales")
    source = Source(podcast=show, slug="feed", reader="feed", rank=0, address="https://tall.example/feed")
    save_row(administrator, source)
    IngestRun.objects.create(source=source, started_at=NOW, finished_at=NOW, outcome="failed", reason="gone")
    return source


def test_pages_say_of_which_show_a_source_is(beside: Source, curator: User) -> None:
    client = logged_in(curator)
    assert "tall-tales · feed" in said(client.get("/admin/"))
    page = said(client.get(RUNS))
    assert 'class="field-source_of_show">Tall Tales · feed</td>' in page
    assert "Small Talks · feed" in page
    for model in ("capture", "item"):
        changes = client.get(reverse(f"admin:episodes_{model}_changelist")).context["cl"]
        choices = [choice["display"] for spec in changes.filter_specs for choice in spec.choices(changes)]
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
