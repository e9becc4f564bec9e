"""Links in trouble are counted on the start page and listed behind it; a link says how it was found, and when."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.curation import CorrectionSubject, save_corrections
from episodes.models import Link, LinkCheck, Podcast

from .conftest import logged_in, said
from .test_home import needs

LIST = "/admin/episodes/link/"


@pytest.fixture
def checked(talks: Podcast) -> list[Link]:
    """The links of the small show: one gone, one failing, one often failing, one there; the others not asked yet."""
    links = list(Link.objects.order_by("key"))
    first, last = datetime(2021, 6, 1, tzinfo=UTC), datetime(2021, 7, 2, tzinfo=UTC)
    for link, (outcome, failures) in zip(
        links, (("gone", 1), ("unreached", 2), ("unreached", 3), ("there", 0)), strict=False
    ):
        LinkCheck.objects.create(
            key=link.key, outcome=outcome, failures=failures, failing_since=first if failures else None, asked_at=last,
            note="it answered 404 Not Found" if outcome == "gone" else "",
        )  # fmt: skip
    # One whose link is in no notes any more.
    LinkCheck.objects.create(key="https://old.example/", outcome="gone", failures=1, failing_since=first, asked_at=last)
    return links


def listed(client: Client, query: str = "") -> list[str]:
    answer = client.get(LIST + query)
    assert answer.status_code == 200
    return [link.key for link in answer.context["cl"].result_list]


def test_links_in_trouble_are_counted_and_listed(checked: list[Link], curator: User) -> None:
    client = logged_in(curator)
    assert needs(client)["Links in trouble"] == (2, "/admin/episodes/link/?state=trouble")
    assert set(listed(client, "?state=trouble")) == {checked[0].key, checked[2].key}
    save_corrections(curator, CorrectionSubject.from_row(checked[0]), {"replacement": "https://copy.example/"})
    assert listed(client, "?state=trouble") == [checked[2].key]
    LinkCheck.objects.all().delete()
    assert "Links in trouble" not in needs(client)


def test_link_list_says_how_and_when_found(checked: list[Link], viewer: User) -> None:
    page = said(logged_in(viewer).get(LIST))
    for words in ("gone since 1 Jun 2021", "unreached since 1 Jun 2021", "2 Jul 2021", "not checked yet", "Issue"):
        assert words in page
    assert "never" not in page, "the status says so already"
    assert ">github-issue<" not in page
