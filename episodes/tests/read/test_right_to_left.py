"""Titles and names that run from right to left move nothing that stands beside them."""

import re
from html.parser import HTMLParser
from unicodedata import bidirectional

import pytest
from django.test import Client

from episodes.models import Chapter, Episode, LearningPath, Link, Person, Podcast

from .pages import see
from .rows import complete

pytestmark = pytest.mark.usefixtures("catalog")

SHOW, TITLE, OTHER, CHAPTER, PERSON, LINK, PATH = WORDS = (
    "كل يوم", "حلقة الطقس", "פרק אחר", "الأمطار", "ליאת כהן", "صفحة عن الطقس", "الطريق إلى الطقس",
)  # fmt: skip
# What begins a line of its own, and what a browser sets apart from the text around it.
BLOCKS = frozenset("body main header footer nav section aside article div p ul ol li dl dt dd h1 h2 h3 h4 tr td th caption "
    "figure figcaption form label select option summary details blockquote pre dialog table thead tbody".split())  # fmt: skip
VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
NOT_TEXT = frozenset("head script style svg datalist pre".split())
ISOLATED = re.compile("\u2068[^\u2069]*\u2069")


@pytest.fixture
def weather(catalog: None) -> None:
    """The shipped show, in English as its feed says, beside another one, with names in other scripts."""
    Podcast.objects.create(slug="other", title=OTHER, rank=2)
    Podcast.objects.filter(rank=1).update(title=SHOW)
    Episode.objects.filter(slug__in=("vmap", "weak-references")).update(title=TITLE)
    Episode.objects.filter(slug__in=("batching", "reference-counting")).update(title=OTHER)
    repeat = {"is": "repeats", "slug": "vmap", "heading": TITLE, "published": "2030-05-06"}
    Episode.objects.filter(slug="batching").update(versions=[repeat], related=[["vmap", "1 topic"]])
    Chapter.objects.create(episode=Episode.objects.get(slug="vmap"), start=12, title=CHAPTER)
    Person.objects.filter(slug="edward-yang").update(name=PERSON)
    Link.objects.update(title=LINK)
    LearningPath.objects.update(title=PATH)
    complete()


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
            last_block = max((place for place, (tag, _) in enumerate(self.open) if tag in BLOCKS), default=0)
            inside = [apart for tag, apart in self.open[last_block:] if tag not in BLOCKS]
            self.line.append((ISOLATED.sub("", data), any(inside)))

    def end_line(self) -> None:
        own = "".join(text for text, apart in self.line if not apart)
        rest = "".join(text for text, _ in self.line)
        from_right = any(bidirectional(letter) in ("R", "AL") for letter in own)
        if from_right and any(bidirectional(letter) in ("L", "EN") for letter in rest):
            self.found.append(" ".join(rest.split()))
        self.line = []


PAGES = (
    "/", "/episodes/", "/episodes/?podcast=pytorch-developer-podcast&year=2021", "/episodes/?person=edward-yang&year=2021", "/episodes/vmap/",
    "/episodes/batching/", "/episodes/weak-references/", "/topics/functorch/", "/people/", "/people/edward-yang/",
    "/shows/", "/shows/pytorch-developer-podcast/", "/links/", "/links/?kind=github-pr", "/links/item/?key=gh:pytorch/xla%232871",
    "/timeline/", "/paths/", "/paths/where-memory-goes/", "/sources/", "/time/?minutes=45", f"/topics/{TITLE}/",
    f"/episodes/?q={TITLE}&year=2021", f"/episodes/?q={OTHER}+zzzz", f"/episodes/?q=zzzz+{OTHER}&as_typed=1",
)  # fmt: skip


def test_mixed_directions_are_isolated(weather: None, client: Client) -> None:
    for address in PAGES:
        page = client.get(address).content.decode()
        assert any(words in page for words in WORDS), address
        assert Mixed(page).found == [], address


def test_titles_isolate_such_words(weather: None, client: Client) -> None:
    page = see(client, f"/episodes/?q={TITLE}&year=2021")
    assert f"1 episode matching \u2068“{TITLE}”\u2069, 2021" in page.one("title").text()
    feed = client.get("/episodes.rss", {"podcast": "pytorch-developer-podcast", "year": "2021"}).content.decode()
    assert f"<title>{SHOW}: episodes, 2021</title>" in feed


def test_other_words_stay_as_they_are(client: Client) -> None:
    assert "\u2068" not in see(client, "/episodes/?q=autograd&year=2021&topic=autograd").html
