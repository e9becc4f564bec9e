"""Feeds that are made to hold up who reads them, or that name an encoding which they are not in."""

from __future__ import annotations

import pytest

from episodes.gather.sources import feed
from episodes.records import FetchedDocument, Show

from .test_explain import SPACES

HEAVY = {
    "categories": "<category>{}</category>",
    "itunes categories": '<itunes:category text="{}"/>',
}


@pytest.mark.parametrize("written", HEAVY.values(), ids=HEAVY.keys())
def test_a_feed_of_endless_categories_is_read_in_a_moment(written: str) -> None:
    many = "".join(written.format(n) for n in range(30_000))
    body = f"<rss {SPACES}><channel><title>Show</title><item><title>One</title>{many}</item></channel></rss>"
    reading = feed.read(FetchedDocument(body.encode()), Show("", ""))
    assert [said.title for said in reading.entries] == ["One"]


def test_a_tag_of_endless_attributes_is_left_out() -> None:
    many = " ".join(f'a{n}="b"' for n in range(30_000))
    body = f"<rss><channel><title>Show</title><item><title>One</title><enclosure {many}/></item></channel></rss>"
    assert [said.title for said in feed.read(FetchedDocument(body.encode()), Show("", "")).entries] == ["One"]


def test_a_feed_that_calls_ascii_utf_16_is_read() -> None:
    body = b'<?xml version="1.0" encoding="UTF-16"?><rss><channel><title>Show</title><item><title>A</title></item></channel></rss>'
    assert feed.read(FetchedDocument(body), Show("", "")).show == "Show"
