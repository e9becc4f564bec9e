"""The pages that are measured, with addresses that fit the catalog that is there.

A page that readers ask for in many ways has several addresses: asked for in turn, none is the one that was asked for last.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import quote

from django.db.models import Count

from episodes.models import CodeName, Episode, EpisodeTopic, Link, Person, Podcast, Topic
from episodes.search.terms import STOP_WORDS

VARIANTS = 8
ON_A_PAGE, ON_TIMELINE = 25, 100  # episodes
LOOKED_AT = 500  # episodes whose words are counted
WORD = re.compile(r"[a-z]{5,12}")


class Page(NamedTuple):
    name: str
    paths: list[str]
    kind: str = "page"  # page | filtered | search | machine


def pages() -> list[Page]:
    """Every public page and format that this catalog has something for; `{}` stands for what varies."""
    return [page for page in (*_lists(), *_searches(), *_single(), *_indexes(), *_machines()) if page.paths]


def _lists() -> Iterable[Page]:
    topics, years, shows = _topics(), _years(), _slugs(Podcast.objects.order_by("rank"))
    two = list(pairwise(topics))
    both = [(topic, year) for topic in topics for year in years][: 5 * VARIANTS : 5]
    last = max(1, Episode.objects.count() // ON_A_PAGE)
    deep = [last - place * max(1, last // 50) for place in range(VARIANTS)]
    filtered = "filtered"
    yield Page("list", ["/episodes/"])
    yield Page("list, deep page", [f"/episodes/?page={number}" for number in deep if number > 0], filtered)
    yield Page("list of a topic", [f"/episodes/?topic={topic}" for topic in topics], filtered)
    yield Page("list of topic and year", [f"/episodes/?topic={topic}&year={year}" for topic, year in both], filtered)
    yield Page("list of two topics", [f"/episodes/?topic={one}&topic={other}" for one, other in two], filtered)
    yield Page("list of a year", [f"/episodes/?year={year}" for year in years], filtered)
    yield Page("list of a show", [f"/episodes/?podcast={show}" for show in shows], filtered)
    yield Page(
        "list by length", [f"/episodes/?sort=longest&min_minutes={n}" for n in range(10, 10 + VARIANTS)], filtered
    )
    if person := _slugs(_most_used(Person.objects, "credits")):
        yield Page("list of a person", [f"/episodes/?person={slug}" for slug in person], filtered)


def _searches() -> Iterable[Page]:
    common, middling, rare = _words()
    topics, years = _topics(), _years()
    code = list(_most_used(CodeName.objects, "mentions").values_list("name", flat=True)[:VARIANTS])
    pairs = [f"{one} {other}" for one, other in zip(common, middling, strict=False)]
    typos = [word[:2] + word[3] + word[2] + word[4:] for word in middling if word[2] != word[3]]
    narrowed = [
        f"{_asked(word)}&topic={topics[0]}&year={year}" for word, year in zip(common, years * VARIANTS, strict=False)
    ]
    searches = {
        "common word": map(_asked, common),
        "rare word": map(_asked, rare),
        "two words": map(_asked, pairs),
        "name of code": map(_asked, code),
        "typo": map(_asked, typos),
        "prefix": (_asked(word[:4]) for word in common),
        "word, topic and year": narrowed,
        "nothing found": (_asked(f"qzx{word[::-1]}vq") for word in rare),
    }
    for name, paths in searches.items():
        yield Page(f"search: {name}", list(paths), "search")


def _single() -> Iterable[Page]:
    episodes = list(Episode.objects.order_by("pk").values_list("slug", flat=True)[: 20 * VARIANTS : 20])
    keys = list(_most_used(Link.objects, "mentions").values_list("key", flat=True)[:VARIANTS])
    people, names = _slugs(_most_used(Person.objects, "credits")), _slugs(_most_used(CodeName.objects, "mentions"))
    yield Page("episode", [_at("episodes", slug) for slug in episodes])
    yield Page("show", [_at("shows", slug) for slug in _slugs(Podcast.objects.order_by("rank"))])
    yield Page("topic", [_at("topics", slug) for slug in _topics()])
    yield Page("link", [f"/links/item/?key={quote(key, safe='')}" for key in keys])
    yield Page("person", [_at("people", slug) for slug in people])
    yield Page("name of code", [_at("names", slug) for slug in names])
    yield Page("404", [f"/episodes/there-is-none-{number}/" for number in range(VARIANTS)])


def _indexes() -> Iterable[Page]:
    for name in ("shows", "topics", "links", "people", "names", "timeline", "time", "sources", "changes", "about"):
        yield Page(f"/{name}/", [f"/{name}/"])
    pages = Episode.objects.count() // ON_TIMELINE
    yield Page(
        "/timeline/, deep page", [f"/timeline/?page={number}" for number in range(pages, 1, -1)][:VARIANTS], "filtered"
    )
    yield Page(
        "/time/ for some minutes", [f"/time/?minutes={number}" for number in range(40, 40 + VARIANTS)], "filtered"
    )


def _machines() -> Iterable[Page]:
    for form in ("rss", "atom", "json", "csv", "m3u"):
        yield Page(f"list as {form}", [f"/episodes.{form}"], "machine")
    yield Page("topic as rss", [f"/topics/{slug}.rss" for slug in _topics()], "machine")
    for path in (
        "/changes.rss",
        "/shows.opml",
        "/sitemap.xml",
        "/sitemap-1.xml",
        "/robots.txt",
        "/healthz",
    ):
        yield Page(path, [path], "machine")


def _topics() -> list[str]:
    """The most used first."""
    used = EpisodeTopic.objects.order_by().values_list("topic").annotate(count=Count("*")).order_by("-count", "topic")
    slugs = dict(Topic.objects.values_list("pk", "slug"))
    return [slugs[pk] for pk, _ in used[: VARIANTS + 1]]


def _years() -> list[int]:
    """The last years with episodes, the newest first."""
    newest = Episode.objects.filter(published_at__isnull=False).order_by("-published_at")
    last = newest.values_list("published_at", flat=True).first()
    return [last.year - back for back in range(VARIANTS)] if last else []


def _slugs(rows) -> list[str]:  # type: ignore[no-untyped-def]
    return list(rows.values_list("slug", flat=True)[:VARIANTS])


def _most_used(rows, by: str):  # type: ignore[no-untyped-def]
    return rows.order_by().annotate(count=Count(by)).filter(count__gt=0).order_by("-count", "pk")


def _at(index: str, slug: str) -> str:
    return f"/{index}/{quote(slug)}/"


def _asked(words: str) -> str:
    return f"/episodes/?q={quote(words)}"


def _words() -> tuple[list[str], list[str], list[str]]:
    """Words of many notes, of some, and of few; as they are spread over the catalog."""
    ids = list(Episode.objects.order_by("pk").values_list("pk", flat=True))
    some = ids[:: max(1, len(ids) // LOOKED_AT)]
    texts = Episode.objects.filter(pk__in=some[: 2 * LOOKED_AT]).values_list("description_text", flat=True)
    used = Counter(word for text in texts for word in set(WORD.findall(text)) - STOP_WORDS)
    ranked = sorted(used, key=lambda word: (-used[word], word))
    middle = max(VARIANTS, len(ranked) // 20)
    return ranked[:VARIANTS], ranked[middle : middle + VARIANTS], ranked[-VARIANTS:]
