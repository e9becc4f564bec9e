"""Laws of every page: each kind of page is asked for once and held to all of them; no address breaks on what nobody means well."""

import random
from collections.abc import Iterator
from itertools import pairwise
from urllib.parse import quote, urlencode

import pytest
from django.test import Client

from episodes.models import CodeMention, CodeName, Credit, Episode, Person, Reference

from ..tables import cases
from .pages import questions, see
from .rows import complete

CASES = cases("read_walk")

pytestmark = pytest.mark.usefixtures("catalog")

SITE = "http://testserver"
PAGES, FILES = CASES["pages"], CASES["files"]


@pytest.mark.parametrize("address", PAGES)
def test_every_page_keeps_the_laws_of_pages(client: Client, address: str) -> None:
    page = see(client, address)
    assert page.status == (404 if address == "/nope/" else 200)
    assert not page.tree.css("style, script:not([src]):not([type='application/ld+json']), [style]")
    assert [len(page.tree.css(each)) for each in ("link[rel=stylesheet]", "script[src]")] == [1, 2]
    levels = [int((h.tag or "h0")[1]) for h in page.tree.css("main :is(h1, h2, h3, h4)")]
    assert (levels[0], levels.count(1)) == (1, 1)
    assert all(after <= before + 1 for before, after in pairwise(levels)), "a level of headings is skipped"
    attributes = [meta.attributes for meta in page.tree.css("meta[content]")]
    metas = {each.get("property") or each.get("name"): each["content"] for each in attributes}
    assert page.one("title").text().startswith(metas["og:title"] or "?")
    assert metas["og:description"] == metas["description"]
    card = f"{address}card.png" if address.startswith("/episodes/") and "?" not in address else "/card.png"
    assert metas["og:image"] == SITE + card
    assert (metas["og:site_name"], metas["twitter:card"]) == ("PyTorch Developer Podcast", "summary_large_image")
    assert page.one("link[rel=manifest]").attributes["href"] == "/manifest.webmanifest"


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_pages_and_files_are_only_read(client: Client, method: str) -> None:
    for address in (*PAGES[:-1], *FILES):
        assert getattr(client, method)(address).status_code == 405, address
    assert {client.head(address).content for address in FILES} == {b""}


def many_of_everything() -> None:
    """Give two episodes very many symbols and people, and one of them very many references."""
    names = CodeName.objects.bulk_create(CodeName(slug=f"name{n}", name=f"name{n}") for n in range(30))
    people = Person.objects.bulk_create(Person(slug=f"person{n}", name=f"Person {n}") for n in range(30))
    vmap, others = Episode.objects.get(slug="vmap"), list(Episode.objects.exclude(slug="vmap")[:30])
    pairs = [(episode, n) for n in range(30) for episode in (vmap, others[0])]
    CodeMention.objects.bulk_create(CodeMention(episode=e, name=names[n], field="x", position=0) for e, n in pairs)
    Credit.objects.bulk_create(Credit(episode=e, person=people[n], role="x") for e, n in pairs)
    for each in others:
        Reference.objects.create(episode=vmap, target=each, kind="see-also")
        Reference.objects.create(episode=each, target=vmap, kind="see-also")
    complete()


def test_pages_need_few_queries(client: Client) -> None:
    many_of_everything()
    limits: dict[str, int] = dict(CASES["a_page_asks_the_database_a_few_questions_however_much_there_is"])
    needed = {address: questions(client, address) for address in limits}
    assert {address: count for address, count in needed.items() if count > limits[address]} == {}


MARKUP = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
VALUES = (
    "", "0", "-1", "1e999", "9" * 40, "9" * 5000, "NaN", "Infinity", "0x10", "१२", "1.5", "2021-13-45", "\x00", "a\x00b", "\ud800",
    "%", "%00", "%ff", "'", '"', "\\", ";--", "') OR 1=1 --", "NEAR(", "AND OR NOT", '"unclosed', "*", "a:*", "!", "&|!()<->",
    "{{7*7}}", "${x}", "../../etc/passwd", "javascript:alert(1)", "x" * 10_000, "a " * 3000, "\u202e", "\ufeff", "ﷺ" * 50,
    "🧨" * 300, MARKUP, f"</title>{MARKUP}", f"]]>{MARKUP}", "autograd", "vmap", "newest",
)  # fmt: skip
REQUESTS, PARTS, FEW = 3000, 12, 1


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
        path = chance.choice(CASES["addresses"]).replace("{}", encoded(value())[:6000])
        pairs = [(chance.choice(CASES["parameters"]), value()) for _ in range(chance.randrange(5))]
        if chance.random() < 0.02:
            pairs += [("topic", "autograd")] * 900
        query = urlencode([(name.encode(), text.encode("utf-8", "surrogatepass")) for name, text in pairs])
        yield f"{path}?{query}"


@pytest.mark.on_both
@pytest.mark.parametrize("seed", [*range(FEW), *(pytest.param(n, marks=pytest.mark.long) for n in range(FEW, PARTS))])
def test_no_request_breaks_or_injects(client: Client, seed: int) -> None:
    client.raise_request_exception = False
    for address in requests(seed):
        answer = client.get(address)
        assert answer.status_code < 500, address[:500]
        body = answer.getvalue()
        if answer.headers.get("Content-Type", "").startswith("text/html"):
            assert b"<script>alert" not in body, address[:500]
            assert b"<img src=x" not in body, address[:500]
