"""Titles and names that run from right to left move nothing that stands beside them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from unicodedata import bidirectional

import pytest
from django.test import Client

from episodes.models import (
    Chapter,
    CodeMention,
    CodeName,
    Credit,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    LearningPath,
    Link,
    Person,
    Podcast,
    Reference,
    Source,
    Topic,
)

from .pages import see
from .rows import complete

pytestmark = pytest.mark.usefixtures("catalog")

SHOW, TITLE, OTHER, CHAPTER, PERSON, LINK, TOPIC, PATH = (
    "كل يوم", "حلقة الطقس", "פרק אחר", "الأمطار", "ליאת כהן", "صفحة عن الطقس", "Weather", "الطريق إلى الطقس",
)  # fmt: skip
WORDS = (SHOW, TITLE, OTHER, PERSON, LINK, TOPIC, PATH)
# What begins a line of its own, and what a browser sets apart from the text around it.
BLOCKS = frozenset("body main header footer nav section aside article div p ul ol li dl dt dd h1 h2 h3 h4 tr td th caption "
    "figure figcaption form label select option summary details blockquote pre dialog table thead tbody".split())  # fmt: skip
VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
NOT_TEXT = frozenset("head script style svg datalist pre".split())
ISOLATED = re.compile("\u2068[^\u2069]*\u2069")


@pytest.fixture
def weather(catalog: None) -> Podcast:
    """A second show, in English as its feed says, with two episodes, people, links, a topic and a path in other scripts."""
    show = Podcast.objects.create(slug="weather", title=SHOW, language="en", rank=2, author="Weather Inc.")
    Source.objects.create(podcast=show, slug="feed", title="RSS feed", reader="feed", rank=1)
    at = datetime(2030, 5, 6, 7, tzinfo=UTC)
    first, second = (
        Episode.objects.create(
            podcast=show, slug=slug, order=number, number=number, title=title, published_at=at, sorted_at=at,
            published_precision="instant", duration_seconds=600, description_text="2 words", versions=[],
        )
        for number, slug, title in ((1, "weather-1", TITLE), (2, "weather-2", OTHER))
    )  # fmt: skip
    Episode.objects.create(podcast=show, slug="weather-3", order=3, number=3, title="חדשות", sorted_at=at)
    topic = Topic.objects.create(slug="weather", name=TOPIC, group="Weather")
    person = Person.objects.create(slug="liat", name=PERSON, identity="liat")
    link = Link.objects.create(key="https://example.org/weather", kind="blog", title=LINK)
    name = CodeName.objects.create(slug="x-y", name="x_y")
    for episode in (first, second):
        EpisodeTopic.objects.create(episode=episode, topic=topic, term=TOPIC, field="title")
        Credit.objects.create(episode=episode, person=person, role="guest")
        EpisodeLink.objects.create(episode=episode, link=link, url=link.key, position=1)
        Chapter.objects.create(episode=episode, start=12, title=CHAPTER)
        CodeMention.objects.create(episode=episode, name=name, field="notes", position=0, sentence="x_y")
    Reference.objects.create(episode=second, target=first, kind="prerequisite")
    version = {"is": "repeats", "slug": "weather-1", "heading": TITLE, "published": "2030-05-06"}
    Episode.objects.filter(pk=second.pk).update(versions=[version], related=[["weather-1", "1 topic"]])
    LearningPath.objects.create(
        slug="weather", title=PATH, podcast=show, published=True,
        steps=[{"episode": "weather-1", "why": "1st"}, {"episode": "weather-2", "why": "2nd"}],
    )  # fmt: skip
    complete()
    return show


class Mixed(HTMLParser):
    """The lines of a page that mix letters of both directions, without what is set apart in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.line: list[tuple[str, bool]] = []
        self.found: list[str] = []
        self.feed(page)
        self.end_line()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in BLOCKS:
            self.end_line()
        if tag not in VOID:
            self.open.append((tag, tag == "bdi" or "dir" in dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass
        if tag in BLOCKS:
            self.end_line()

    def handle_data(self, data: str) -> None:
        tags = {tag for tag, _ in self.open}
        if not tags & NOT_TEXT:
            inside = [apart for tag, apart in self.open[self._last_block() :] if tag not in BLOCKS]
            self.line.append((ISOLATED.sub("", data), any(inside)))

    def _last_block(self) -> int:
        return max((place for place, (tag, _) in enumerate(self.open) if tag in BLOCKS), default=0)

    def end_line(self) -> None:
        own = "".join(text for text, apart in self.line if not apart)
        rest = "".join(text for text, _ in self.line)
        from_right = any(bidirectional(letter) in ("R", "AL") for letter in own)
        if from_right and any(bidirectional(letter) in ("L", "EN") for letter in rest):
            self.found.append(" ".join(rest.split()))
        self.line = []


PAGES = (
    "/", "/episodes/", "/episodes/?podcast=weather", "/episodes/?podcast=weather&year=2030", "/episodes/?person=liat&year=2030",
    "/episodes/?topic=weather&year=2030", "/episodes/weather-1/", "/episodes/weather-2/", "/topics/weather/", "/people/",
    "/people/liat/", "/names/x-y/", "/shows/", "/shows/weather/", "/links/", "/links/?kind=blog", "/links/item/?key=https://example.org/weather",
    "/timeline/", "/paths/", "/paths/weather/", "/sources/", "/about/", "/time/?minutes=45", f"/topics/{TITLE}/",
    f"/episodes/?q={TITLE}&year=2030", f"/episodes/?q={OTHER}+zzzz", f"/episodes/?q=zzzz+{OTHER}&as_typed=1",
)  # fmt: skip


@pytest.mark.usefixtures("weather")
@pytest.mark.parametrize("address", PAGES)
def test_no_line_mixes_both_directions_unless_they_are_set_apart(client: Client, address: str) -> None:
    page = client.get(address).content.decode()
    assert any(words in page for words in WORDS)
    assert Mixed(page).found == []


def test_a_line_that_mixes_both_is_found() -> None:
    assert Mixed(f"<p><a>{SHOW}</a> <small>3000 episodes</small></p>").found == [f"{SHOW} 3000 episodes"]
    assert Mixed(f"<p><a><bdi>{SHOW}</bdi></a> 3000</p><p>{SHOW}</p><h1>\u2068{SHOW}\u2069: 3</h1>").found == []


@pytest.mark.usefixtures("weather")
def test_a_title_alone_in_a_list_of_shows_leaves_the_count_in_its_place(client: Client) -> None:
    assert f"<bdi>{SHOW}</bdi></a> <small>3 episodes</small>" in see(client, "/shows/").html


@pytest.mark.usefixtures("weather")
def test_titles_of_pages_and_feeds_set_such_words_apart(client: Client) -> None:
    page = see(client, f"/episodes/?q={TITLE}&year=2030")
    assert page.one("title").text().startswith(f"1 episode matching \u2068“{TITLE}”\u2069, 2030")
    feed = client.get("/episodes.rss", {"podcast": "weather", "year": "2030"}).content.decode()
    assert f"<title>{SHOW}: episodes, 2030</title>" in feed


def test_other_words_stay_as_they_are(client: Client) -> None:
    assert "\u2068" not in see(client, "/episodes/?q=autograd&year=2021&topic=autograd").html
