"""The start page: what needs a look, counted, one click from a list of just as many; and what was changed lately."""

import re

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from episodes.curation import override_fields, undo_change
from episodes.models import Change, Episode, Podcast

from .conftest import episode, logged_in, said


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
    override_fields(curator, Episode.objects.get(number=34), {"title": "Vmap, explained"})
    page = said(client.get("/admin/"))
    assert "Vmap, explained" in page
    assert f"/admin/episodes/change/{Change.objects.get().pk}/change/?next=" in page
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
    assert queries() == few <= 32


def test_start_page_takes_extra_context(rf: RequestFactory, curator: User, catalog: None) -> None:
    request = rf.get("/admin/")
    request.user = curator
    context = admin.site.index(request, {"title": "Another title"}).context_data
    assert context is not None
    assert context["title"] == "Another title"


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


def test_duplicate_numbers_are_counted_and_listed(talks: Podcast, curator: User) -> None:
    for n, number in ((1, "46"), (2, "46"), (3, "47")):
        override_fields(curator, episode(n), {"number": number})
    client = logged_in(curator)
    assert "episodes/episode/?needs=number" in said(client.get("/admin/"))
    page = said(client.get("/admin/episodes/episode/?needs=number"))
    assert "All about ladders 1" in page
    assert "All about mirrors 2" in page
    assert "All about needles 3" not in page


@pytest.mark.parametrize(
    "need, lacking",
    [
        ("title", {"title": ""}),
        ("date", {"published_at": None, "published_precision": ""}),
        ("audio", {"audio_url": ""}),
        ("notes", {"description_truncated": True}),
    ],
)
def test_episodes_that_lack_something_are_listed(
    talks: Podcast, curator: User, need: str, lacking: dict[str, object]
) -> None:
    Episode.objects.update(
        title="Looms", published_at=timezone.now(), audio_url="https://audio.example/1.mp3", description_truncated=False
    )
    client, one = logged_in(curator), Episode.objects.all()[1]
    assert not client.get(f"/admin/episodes/episode/?needs={need}").context["cl"].result_list
    Episode.objects.filter(pk=one.pk).update(**lacking)
    assert list(client.get(f"/admin/episodes/episode/?needs={need}").context["cl"].result_list) == [one]
