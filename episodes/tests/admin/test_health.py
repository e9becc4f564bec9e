"""The list of sources: those in trouble first, each with the reason and its next attempt."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.models import IngestRun

from ..read.test_sources import each_state
from ..tables import cases
from .conftest import logged_in, said

CASES = cases("admin_health")

__all__ = ["each_state"]
LIST = "/admin/episodes/source/"


@pytest.fixture
def client(viewer: User, each_state: None) -> Client:
    return logged_in(viewer)


@pytest.mark.parametrize("query, states", CASES["the_worst_come_first_and_the_list_can_be_narrowed"])
def test_worst_sources_come_first_and_are_filtered(client: Client, query: str, states: list[str]) -> None:
    page = client.get(LIST + query)
    assert [row.state for row in page.context["cl"].result_list] == states
    assert ("late: Its next attempt is more than a day overdue" in said(page)) == ("late" in states)


def test_a_source_in_trouble_says_why(client: Client) -> None:
    assert "refused: The feed is cut off." in said(client.get(LIST))
    IngestRun.objects.filter(reason="the feed is cut off").update(reason="Is this a feed?")
    page = said(client.get(LIST))
    assert "refused: Is this a feed?" in page
    assert "a feed?." not in page
