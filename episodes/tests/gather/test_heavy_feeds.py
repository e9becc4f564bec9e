"""Feeds that are made to hold up who reads them, or that name an encoding which they are not in."""

from episodes.gather.sources import feed
from episodes.records import FetchedDocument, Show

from .test_feed_parts import SPACES


def test_endless_notes_and_people_are_cut() -> None:
    notes = "&lt;p&gt;One word after another.&lt;/p&gt; " * 40_000
    people = "".join(f"<podcast:person>Person N{n}</podcast:person>" for n in range(1_500))
    item = f"<item><title>One</title><description>{notes}</description>{people}</item>"
    body = f"<rss {SPACES}><channel><title>Show</title>{item}</channel></rss>"
    (said,) = feed.read(FetchedDocument(body.encode()), Show("", "")).entries
    assert len(said.html) <= 1_000_000
    assert len(said.people) == 1_000
