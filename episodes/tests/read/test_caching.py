"""Answers as they are sent: compressed, with a tag by which a browser asks whether they changed; what is personal is not kept."""

from __future__ import annotations

import gzip
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from episodes.models import Episode, Podcast

pytestmark = pytest.mark.usefixtures("catalog")

PAGES = ("/episodes/", "/episodes/vmap/", "/topics/autograd/", "/about/")


@pytest.mark.parametrize("address", [*PAGES, "/episodes.rss", "/shows.opml"])
def test_what_is_asked_for_again_is_sent_again_only_when_it_changed(client: Client, address: str) -> None:
    plain = client.get(address)
    packed = client.get(address, headers={"accept-encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 2
    for answer, encoding in ((plain, "identity"), (packed, "gzip"), (packed, "identity")):
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert answer.headers["Cache-Control"] == "no-cache"
        asked = {"if-none-match": answer.headers["ETag"], "accept-encoding": encoding}
        again = client.get(address, headers=asked)
        assert (again.status_code, again.content) == (304, b"")
        assert "Accept-Encoding" in again.headers["Vary"]
        assert again.headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("address", PAGES)
def test_a_page_that_says_something_else_is_sent_again(client: Client, address: str) -> None:
    tag = client.get(address).headers["ETag"]
    Podcast.objects.update(title="Another name")
    Episode.objects.filter(slug="vmap").update(title="Another title")
    assert client.get(address, headers={"if-none-match": tag}).status_code == 200


def test_the_pages_of_the_admin_are_not_kept(client: Client) -> None:
    client.force_login(User.objects.create_superuser("ada"))
    answer = client.get("/admin/", headers={"accept-encoding": "gzip"})
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
    assert "ETag" not in answer.headers
    assert "Cookie" in answer.headers["Vary"]


def test_a_feed_of_changes_without_any_is_the_same_a_day_later(client: Client) -> None:
    first = client.get("/changes.rss")
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        assert client.get("/changes.rss").headers["ETag"] == first.headers["ETag"]
