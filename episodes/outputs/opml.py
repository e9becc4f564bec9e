"""The feeds of the shows, topics and paths as OPML, which podcast apps and feed readers import at
once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from xml.etree.ElementTree import Element

from django.urls import reverse
from django.utils.http import urlencode

from ..models import LearningPath, Podcast, Topic
from .xml import add, document, root


def write(
    title: str,
    shows: Iterable[Podcast],
    topics: Iterable[Topic],
    paths: Sequence[LearningPath],
    absolute: Callable[[str], str],
) -> str:
    """Every show with its own feed and with its list here; then the topics; then the paths, where
    there are any."""
    opml = root("opml", {"version": "2.0"})
    add(add(opml, "head"), "title", title)
    body = add(opml, "body")
    for show in shows:
        group = add(body, "outline", text=show.title)
        if show.feed_url:
            _feed(group, f"{show.title} (its own feed)", show.feed_url, show.site_url)
        query = f"?{urlencode({'podcast': show.slug})}"
        feed = reverse("episodes-as", args=("rss",)) + query
        _feed(group, show.title, absolute(feed), absolute(reverse("episodes") + query))
    group = add(body, "outline", text="Topics")
    for topic in topics:
        feed = reverse("topic-as", args=(topic.slug, "rss"))
        _feed(group, topic.name, absolute(feed), absolute(topic.get_absolute_url()))
    if paths:
        group = add(body, "outline", text="Learning paths")
    for path in paths:
        feed = reverse("path-as", args=(path.slug, "rss"))
        _feed(group, path.title, absolute(feed), absolute(path.get_absolute_url()))
    return document(opml)


def _feed(group: Element, name: str, feed: str, page: str) -> None:
    # The feed comes last, as in the examples of OPML: podget takes the last address of an outline.
    add(group, "outline", type="rss", text=name, htmlUrl=page, xmlUrl=feed)
