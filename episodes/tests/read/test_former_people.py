"""The page of a person who is no longer credited."""

import pytest
from django.core.management import call_command
from django.test import Client

from episodes.models import Decision, Redirect

from ..curation.conftest import small_show

pytestmark = pytest.mark.django_db
PAGE = "/people/bo-lund/"


@pytest.fixture
def former(db: None) -> None:
    """A show that credited somebody until an upgrade."""
    small_show()
    Redirect.objects.create(kind="person", slug="bo-lund", identity="bo-lund@small-talks")


def test_former_person_has_a_page(former: None, client: Client) -> None:
    for _ in range(2):
        page = client.get(PAGE)
        assert page.status_code == 200
        text = page.content.decode()
        assert "<h1>Bo Lund</h1>" in text
        assert "No longer credited on any episode" in text
        call_command("rebuild", verbosity=0)


def test_former_person_is_in_no_list(former: None, client: Client) -> None:
    for address in ("/people/", "/people/?q=lund", "/sitemap.xml", "/episodes/?q=lund"):
        assert PAGE not in client.get(address).content.decode()
    assert client.get("/people/bo-lund.rss").status_code == 404


def test_curator_names_or_hides_former_person(former: None, client: Client) -> None:
    Decision.objects.create(kind="correct-person", key="bo-lund@small-talks", field="name", value="Bo Ågren-Lund")
    assert "<h1>Bo Ågren-Lund</h1>" in client.get(PAGE).content.decode()

    Decision.objects.create(kind="correct-person", key="bo-lund@small-talks", field="hidden", value="yes")
    assert client.get(PAGE).status_code == 410
