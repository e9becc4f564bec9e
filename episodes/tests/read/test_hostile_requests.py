"""Three thousand requests that nobody means well by: no public address breaks on any, and none says it back as markup."""

from __future__ import annotations

import random
from collections.abc import Iterator
from urllib.parse import quote, urlencode

import pytest
from django.test import Client

pytestmark = pytest.mark.usefixtures("catalog")

ADDRESSES = (
    "/", "/episodes/", "/episodes.rss", "/episodes.json", "/episodes.csv", "/episodes.atom",
    "/episodes/vmap/", "/episodes/{}/", "/episodes/{}/chapters.json", "/episodes/vmap/transcript.vtt", "/topics/",
    "/topics/autograd/", "/topics/{}/", "/topics/autograd.rss", "/topics/{}.json", "/links/", "/links/item/", "/people/",
    "/people/edward-yang/", "/people/{}/", "/people/{}.csv", "/names/", "/names/{}/", "/timeline/", "/time/", "/about/",
    "/sources/", "/sources.json", "/changes/", "/changes.rss", "/shows.opml", "/sitemap.xml", "/robots.txt", "/manifest.webmanifest",
    "/healthz", "/{}", "/admin/{}",
)  # fmt: skip
NAMES = (
    "q topic year person source link_kind min_minutes max_minutes sort as_typed page podcast kind repository key minutes order t "
    "after before unknown topic[] q[a][b] page__gt"
).split()
MARKUP = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
VALUES = (
    "", "0", "-1", "1e999", "9" * 40, "9" * 5000, "NaN", "Infinity", "0x10", "१२", "1.5", "2021-13-45", "\x00", "a\x00b", "\ud800",
    "%", "%00", "%ff", "'", '"', "\\", ";--", "') OR 1=1 --", "NEAR(", "AND OR NOT", '"unclosed', "*", "a:*", "!", "&|!()<->",
    "{{7*7}}", "${x}", "../../etc/passwd", "javascript:alert(1)", "x" * 10_000, "a " * 3000, "\u202e", "\ufeff", "ﷺ" * 50,
    "🧨" * 300, MARKUP, f"</title>{MARKUP}", f"]]>{MARKUP}", "autograd", "vmap", "newest",
)  # fmt: skip
REQUESTS, PARTS, FEW = 3000, 12, 2


def encoded(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


def requests(seed: int) -> Iterator[str]:
    chance = random.Random(seed)

    def value() -> str:
        if chance.random() < 0.3:
            # A character of any plane, halves of characters among them.
            return "".join(chr(chance.randrange(0x110000)) for _ in range(chance.randrange(1, 6)))
        return chance.choice(VALUES)

    for _ in range(REQUESTS // PARTS):
        path = chance.choice(ADDRESSES).replace("{}", encoded(value())[:6000])
        pairs = [(chance.choice(NAMES), value()) for _ in range(chance.randrange(5))]
        if chance.random() < 0.02:
            pairs += [("topic", "autograd")] * 900
        query = urlencode([(name.encode(), text.encode("utf-8", "surrogatepass")) for name, text in pairs])
        yield f"{path}?{query}"


@pytest.mark.parametrize("seed", [*range(FEW), *(pytest.param(n, marks=pytest.mark.long) for n in range(FEW, PARTS))])
def test_no_request_breaks_a_page_or_comes_back_as_markup(client: Client, seed: int) -> None:
    client.raise_request_exception = False
    for address in requests(seed):
        answer = client.get(address)
        assert answer.status_code < 500, address[:500]
        body = answer.getvalue()
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            assert b"<script>alert" not in body, address[:500]
            assert b"<img src=x" not in body, address[:500]
