"""What forms and addresses of the admin carry is read within limits, and what they say is quoted within limits."""

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.core.exceptions import ValidationError
from django.test import RequestFactory

from episodes.admin.base import (
    AddressField,
    LinesField,
    ShowFilter,
    request_value,
    safe_next_url,
)
from episodes.models import Podcast

from ..tables import cases
from .conftest import logged_in

CASES = cases("admin_forms")

BROWSER = RequestFactory()


@pytest.mark.parametrize(
    "sent, said", [(" a\0b ", "ab"), ("x" * 2000, "x" * 2000), ("x" * 2001, "x" * 2000), (None, "")]
)
def test_request_value_is_cut(sent: str | None, said: str) -> None:
    values = {} if sent is None else {"q": sent}
    assert request_value(BROWSER.get("/", values), "q") == said
    assert request_value(BROWSER.post("/?q=other", values), "q") == said


@pytest.mark.parametrize("address, is_secure, way", CASES["the_way_back_leads_to_this_site_alone"])
def test_the_way_back_leads_to_this_site_alone(address: str, is_secure: bool, way: str) -> None:
    assert safe_next_url(BROWSER.get("/", {"next": address}, secure=is_secure)) == way


@pytest.mark.parametrize(
    "choices, chosen, is_shown",
    [
        (0, None, False),
        (1, None, False),
        (2, None, True),
        (200, None, True),
        (201, None, False),
        (1, "7", True),
        (201, "7", True),
    ],
)
def test_show_filter_offers_two_to_two_hundred(choices: int, chosen: str | None, is_shown: bool) -> None:
    shows: Any = ShowFilter.__new__(ShowFilter)
    shows.lookup_val, shows.lookup_choices = chosen, [(str(n), f"Show {n}") for n in range(choices)]
    assert shows.has_output() == is_shown


@pytest.mark.parametrize(
    "typed, address",
    [("", ""), ("  ", ""), ("example.org/p", "https://example.org/p"), (" http://a.example/ ", "http://a.example/")],
)
def test_an_address_is_completed(typed: str, address: str) -> None:
    assert AddressField(required=False).clean(typed) == address


def test_lines_are_read_once_each_without_blanks() -> None:
    assert LinesField().clean(" b \n\na\r\nb\n") == ["b", "a"]
    assert LinesField().prepare_value(["b", 1]) == "b\n1"
    assert LinesField().clean("x" * 60_000) == ["x" * 60_000]
    with pytest.raises(ValidationError, match="60000"):
        LinesField().clean("x" * 60_001)


def test_lists_name_the_show_where_there_are_several(curator: User, talks: Podcast) -> None:
    address, heading = "/admin/episodes/episode/", 'class="sortable column-podcast'
    assert heading not in logged_in(curator).get(address).content.decode()
    Podcast.objects.create(slug="loom", title="Loom")
    assert heading in logged_in(curator).get(address).content.decode()


def test_pages_below_a_list_lead_back_to_it(curator: User, talks: Podcast) -> None:
    page = logged_in(curator).get("/admin/episodes/topic/add/")
    assert [str(address) for address, _ in page.context["crumbs"]] == ["/admin/episodes/topic/"]


def test_app_page_lists_its_own_tables(administrator: User) -> None:
    page = logged_in(administrator).get("/admin/auth/").content.decode()
    content = page.partition('id="content"')[2]
    assert "/admin/auth/user/" in content
    assert "/admin/episodes/episode/" not in content


def test_an_account_is_deleted_by_superusers_alone(administrator: User, curator: User) -> None:
    address = f"/admin/auth/user/{curator.pk}/delete/"
    administrator.user_permissions.add(Permission.objects.get(codename="delete_user"))
    assert logged_in(administrator).get(address).status_code == 403
    root = User.objects.create_superuser("root")
    assert logged_in(root).get(address).status_code == 200
