"""The index of links and the pages of links: what they list, how they are searched, and that their counts are true."""

import csv
import io
from datetime import UTC, datetime
from unittest.mock import patch

import pytest
from django.test import Client

from episodes.models import Episode, EpisodeLink, Link, LinkCheck
from episodes.text.link_labels import LINK_KIND_PLURALS, descriptive_link_text

from ..tables import cases
from .pages import Seen, asked, first, see
from .rows import complete

CASES = cases("read_links")

pytestmark = pytest.mark.usefixtures("catalog")

README = "gh:pytorch/pytorch:aten/src/ATen/native/README.md"


def own_page(key: str) -> str:
    return Link(key=key).get_absolute_url()


def listed(page: Seen) -> list[str]:
    return ["".join(p.text().split()) for p in page.tree.css(".references section > ul > li > p > *:first-child")]


def sections(page: Seen) -> dict[str, int]:
    headings = (h.text().rsplit(None, 1) for h in page.tree.css(".references h2"))
    return {name.strip(): int(count) for name, count in headings}


def test_every_link_is_listed_once(client: Client) -> None:
    pages = [see(client, "/links/"), see(client, "/links/", page=2)]
    shown = [a.attributes["href"] for p in pages for a in p.tree.css(".references section > ul > li > p > a")]
    assert len(shown) == len(set(shown)) == pages[0].total == Link.objects.count()
    assert [len(listed(p)) for p in pages] == [100, Link.objects.count() - 100]
    assert pages[1].one("a[rel=prev]").attributes["href"] == "/links/"
    assert [a.text() for a in pages[1].tree.css(".pages li a")] == ["1", "2"]


def test_links_are_sorted_by_kind_and_repository(client: Client) -> None:
    page = see(client, "/links/")
    names = list(sections(page))
    headings = [heading for kind, heading in LINK_KIND_PLURALS.items() if kind != "episode"]
    assert names == ["Episodes", *(heading for heading in headings if heading in names)]
    issues = first(page.tree, ".references section:nth-of-type(2)")
    assert [h.text() for h in issues.css("h3")] == ["pytorch/pytorch", "pytorch/xla", "zdevito/ATen"]
    assert listed(page)[5:8] == ["pytorch/pytorch#260", "pytorch/pytorch#7535", "pytorch/pytorch#13246"]
    own = first(page.tree, ".references section:nth-of-type(1)")
    looks = [{a.attributes.get("class") for a in each.css("ul > li > p > *:first-child")} for each in (own, issues)]
    assert looks == [{"titled"}, {"code"}], "names of repositories look like code"


def test_most_mentioned_link_comes_first(client: Client) -> None:
    key = "gh:pytorch/pytorch#54987"
    for place, slug in enumerate(("vmap", "strides", "cmake")):
        episode, link = Episode.objects.get(slug=slug), Link.objects.get(key=key)
        EpisodeLink.objects.create(episode=episode, link=link, position=90 + place, url="https://a.b")
    complete()
    page = see(client, "/links/?kind=github-pr")
    row = first(page.tree, ".references section > ul > li")
    assert "pytorch/pytorch#54987" in row.text()
    assert [a.attributes["href"] for a in row.css("li li a")] == [
        "/episodes/conjugate-views/", "/episodes/cmake/", "/episodes/vmap/", Link(key=key).get_absolute_url(),
    ]  # fmt: skip
    assert first(row, ".all").text() == "all 4 episodes"
    assert len(page.tree.css(".all")) == 1


def add(slug: str, key: str, kind: str, url: str, text: str = "", title: str = "") -> None:
    link, _ = Link.objects.get_or_create(key=key, defaults={"kind": kind, "title": title})
    EpisodeLink.objects.create(episode=Episode.objects.get(slug=slug), link=link, position=90, url=url, text=text)
    complete()


@pytest.mark.parametrize(
    "text, title, name", CASES["a_link_is_called_by_its_own_title_the_notes_words_or_those_of_its_address"]
)
def test_link_name_falls_back_to_address(client: Client, text: str, title: str, name: str) -> None:
    url = "https://forum.example.org/t/torch-deploy-the-build/238"
    add("vmap", "https://forum.example.org/t/238", "forum", url, text, title)
    row = see(client, "/links/", q="forum.example").one(".references section li p")
    assert " ".join(first(row, "a").text().split()) == name
    assert first(row, "small").text().startswith("forum.example.org")
    assert see(client, own_page("https://forum.example.org/t/238")).one("h1").text() == name


def test_numbered_link_keeps_its_number_as_name(client: Client) -> None:
    url = "https://github.com/pytorch/pytorch/pull/777"
    add("vmap", "gh:pytorch/pytorch#777", "github-pr", url, "The great rewrite")
    assert listed(see(client, "/links/", q="great rewrite")) == ["pytorch/pytorch#777"]


def test_address_as_words_is_shown_once(client: Client) -> None:
    key = "https://charts.example/sandbanks"
    add("vmap", key, "other", key, "charts.example/sandbanks")
    assert see(client, "/links/", q="sandbanks").one(".references section li p").text().split() == [
        "charts.example/sandbanks"
    ]


def rows(client: Client, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(address).content.decode())))


@pytest.mark.parametrize("query", ["", "?kind=github-pr", "?q=torch", "?repository=pytorch/rfcs"])
def test_files_list_what_page_lists(client: Client, query: str) -> None:
    page = see(client, f"/links/{query}")
    shown = [a.attributes["href"] for a in page.tree.css(".references section > ul > li > p > a")]
    addresses = [row["url"].removeprefix("http://testserver") for row in rows(client, f"/links.csv{query}")]
    assert addresses[:100] == shown
    assert len(addresses) == page.total
    text = client.get(f"/links.md{query}").content.decode()
    assert text.startswith(f"# {page.one('h1').text().strip()}\n")
    assert len([line for line in text.splitlines() if line.startswith("- ")]) == page.total
    files = [a.attributes["href"] for a in page.tree.css(".formats a")]
    assert [name.partition("?")[0] for name in files if name] == ["/links.csv", "/links.md"]
    assert all(asked(name or "") == asked(query) for name in files)


def test_files_of_many_links_come_in_parts(client: Client) -> None:
    with patch("episodes.views.link_index.LINKS_PER_FILE", 60):
        answer = client.get("/links.csv")
        assert answer.headers["Link"] == '<http://testserver/links.csv?page=2>; rel="next"'
        parts = [*rows(client, "/links.csv"), *rows(client, "/links.csv?page=2")]
        assert len({row["key"] for row in parts}) == len(parts) == Link.objects.count()
        assert "[More links](http://testserver/links.md?page=2)" in client.get("/links.md").content.decode()
        assert client.get("/links.csv?page=3").status_code == 404


def test_files_are_harmless_and_cached(client: Client) -> None:
    add("vmap", "https://example.org/a", "other", "https://example.org/>a(b", '=HYPERLINK("x"), [a](b)')
    (row,) = rows(client, "/links.csv?q=hyperlink")
    assert row["title"].startswith("'=HYPER")
    text = client.get("/links.md?q=hyperlink").content.decode()
    assert '- [=HYPERLINK("x"), \\[a\\](b)](<https://example.org/%3Ea(b>)' in text
    answer = client.get("/links.md")
    assert client.get("/links.md", headers={"if-none-match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize(
    "query", ["", "?kind=docs", "?repository=pytorch/xla", "?q=torch&kind=github-code", "?q=zzz&kind=paper"]
)
def test_link_facet_equals_filtered_total(client: Client, query: str) -> None:
    page = see(client, f"/links/{query}")
    pages = [page, *(see(client, a.attributes["href"] or "") for a in page.tree.css(".pages a[rel=next]"))]
    assert sum({name: n for p in pages for name, n in sections(p).items()}.values()) == page.total
    for address, count, chosen in page.choices:
        assert count == (page.total if chosen else see(client, address).total), address


@pytest.mark.parametrize("words, name", CASES["words_find_key_title_address_and_kind"])
def test_words_find_key_title_address_kind(client: Client, words: str, name: str) -> None:
    assert listed(see(client, "/links/", q=words)) == [name]


def test_repository_excludes_its_namesakes(client: Client) -> None:
    before = see(client, "/links/?repository=pytorch/xla").total
    for name, kind in (("2#1", "github-issue"), ("/wiki/Home", "wiki"), ("@0123456789abcdef", "github-commit")):
        add("vmap", f"gh:pytorch/xla{name}", kind, f"https://example.org/{kind}")
    page = see(client, "/links/?repository=pytorch/xla")
    assert page.total == before + 2
    assert "pytorch/xla2" not in page.one(".references").text()


@pytest.mark.parametrize(
    "query, words", [*CASES["bad_link_filter_is_ignored_with_note"], (f"?q={'x' * 10_000}", "we can’t search for")]
)
def test_bad_link_filter_is_ignored_with_note(client: Client, query: str, words: str) -> None:
    page = see(client, f"/links/{query}")
    assert (page.status, page.total, bool(page.notes)) == (200, Link.objects.count(), bool(words))
    assert words in page.notes


def test_chosen_filters_are_named_and_removable(client: Client) -> None:
    page = see(client, "/links/?q=torch&kind=github-pr&repository=pytorch/rfcs")
    assert page.text.startswith("3 pull requests in pytorch/rfcs matching “torch”")
    chips = [sorted(asked(a.attributes["href"] or "")) for a in page.tree.css(".chip")]
    assert chips == [["kind", "repository"], ["q", "repository"], ["kind", "q"]]
    address = "http://testserver/links/?q=torch&kind=github-pr&repository=pytorch%2Frfcs"
    assert page.one("link[rel=canonical]").attributes["href"] == address
    assert see(client, "/links/?kind=paper&q=arxiv").text.startswith("No papers matching")


def test_link_page_shows_addresses_and_episodes(client: Client) -> None:
    other = "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md"
    link = Link.objects.get(key=README)
    EpisodeLink.objects.create(episode=Episode.objects.get(slug="vmap"), link=link, position=50, url=other)
    page = see(client, own_page(README))
    assert page.entries == [e.get_absolute_url() for e in link.episodes.order_by("order")]
    assert "Mentioned in 3 episodes" in page.text
    counted = see(client, "/episodes/code-generation/").one(f".links small a[href='{own_page(README)}']")
    assert counted.text() == "also in 1 other episode"
    addresses = [a.attributes["href"] for a in page.tree.css(".details a")]
    assert addresses == ["/links/?repository=pytorch%2Fpytorch", other.replace("main", "master"), other]
    assert page.one("link[rel=canonical]").attributes["href"] == f"http://testserver{own_page(README)}"


def test_gone_link_says_so(client: Client) -> None:
    since = datetime(2030, 1, 2, tzinfo=UTC)
    add("vmap", "https://z.example/", "other", "https://z.example/")
    LinkCheck.objects.create(key="https://z.example/", outcome="there", asked_at=since)
    LinkCheck.objects.create(key=README, outcome="gone", asked_at=since, failures=1, failing_since=since)
    assert "since 2 January 2030" in see(client, own_page(README)).text
    assert "since 2 January 2030" not in see(client, own_page("https://z.example/")).text


@pytest.mark.parametrize("query", ["", "?key=", "?key=nope", "?key=%00", "?key=%ED%A0%80", f"?key={'x' * 5000}"])
def test_unmentioned_link_has_no_page(client: Client, query: str) -> None:
    Link.objects.create(key="gh:no/body", kind="github-repo")
    assert client.get(f"/links/item/{query}").status_code == 404
    assert client.get("/links/item/?key=gh:no/body").status_code == 404
    assert client.get(f"{own_page(README)}&page=2").status_code == 404


@pytest.mark.parametrize(
    "text, name",
    [
        ("Autograd mechanics", "Autograd mechanics"), ("  the  vmap\npaper ", "the vmap paper"), ("torch.nn", "torch.nn"), ("", ""),
        *((text, "") for text in ("read more here", "This issue", "#1234", "https://example.org/a", "www.example.org", "example.org/autograd")),
    ],
)  # fmt: skip
def test_pointing_text_is_no_name(text: str, name: str) -> None:
    assert descriptive_link_text(text) == name
