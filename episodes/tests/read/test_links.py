"""The index of links and the pages of links: what they list, how they are searched, and that their counts are true."""

from __future__ import annotations

import csv
import io
from importlib import import_module
from typing import Any
from unittest.mock import patch

import pytest
from django.db.models import Count
from django.test import Client

from episodes.models import Episode, EpisodeLink, Link
from episodes.text.filing import natural
from episodes.text.link_labels import KINDS, ONE, directory, repository, telling
from episodes.views.links.mentions import own_page

from .pages import Seen, asked, first, see
from .rows import complete

pytestmark = pytest.mark.usefixtures("catalog")

README = "gh:pytorch/pytorch:aten/src/ATen/native/README.md"


def listed(page: Seen) -> list[str]:
    """The text of each link of the index."""
    return ["".join(p.text().split()) for p in page.tree.css(".references section > ul > li > p > *:first-child")]


def sections(page: Seen) -> dict[str, int]:
    """The kinds on a page, and how many links stand under each."""
    headings = (h.text().rsplit(None, 1) for h in page.tree.css(".references h2"))
    return {name.strip(): int(count) for name, count in headings}


def test_every_link_that_is_mentioned_is_listed_once_over_the_pages(client: Client) -> None:
    pages = [see(client, "/links/"), see(client, "/links/", page=2)]
    shown = [a.attributes["href"] for p in pages for a in p.tree.css(".references section > ul > li > p > a")]
    assert len(shown) == len(set(shown)) == pages[0].total == Link.objects.count()
    assert [len(listed(p)) for p in pages] == [100, Link.objects.count() - 100]
    assert pages[1].one("a[rel=prev]").attributes["href"] == "/links/"


def test_kinds_stand_in_their_order_and_links_under_their_repositories(client: Client) -> None:
    page = see(client, "/links/")
    names = list(sections(page))
    headings = [heading for kind, heading in KINDS.items() if kind != "episode"]
    assert names == ["Episodes", *(heading for heading in headings if heading in names)]
    issues = first(page.tree, ".references section:nth-of-type(2)")
    assert [h.text() for h in issues.css("h3")] == ["pytorch/pytorch", "pytorch/xla", "zdevito/ATen"]
    assert listed(page)[5:8] == ["pytorch/pytorch#260", "pytorch/pytorch#7535", "pytorch/pytorch#13246"]
    own = first(page.tree, ".references section:nth-of-type(1)")
    looks = [{a.attributes.get("class") for a in each.css("ul > li > p > *:first-child")} for each in (own, issues)]
    assert looks == [{"titled"}, {"code"}], "names of repositories look like code"


def test_the_most_mentioned_stands_first_with_its_episodes_and_a_page_of_its_own(client: Client) -> None:
    key = "gh:pytorch/pytorch#54987"
    for place, slug in enumerate(("vmap", "strides", "cmake")):
        EpisodeLink.objects.create(
            episode=Episode.objects.get(slug=slug),
            link=Link.objects.get(key=key),
            position=90 + place,
            url="https://a.b",
        )
    complete()
    page = see(client, "/links/?kind=github-pr")
    row = first(page.tree, ".references section > ul > li")
    assert "pytorch/pytorch#54987" in row.text()
    assert [a.attributes["href"] for a in row.css("li li a")] == [
        "/episodes/conjugate-views/", "/episodes/cmake/", "/episodes/vmap/", own_page(key),
    ]  # fmt: skip
    assert first(row, ".all").text() == "all 4 episodes"
    assert len(page.tree.css(".all")) == 1


def test_source_files_are_listed_by_directory_with_their_paths(client: Client) -> None:
    names = listed(see(client, "/links/?kind=github-code&repository=pytorch/pytorch"))
    assert names[1] == "aten/src/ATen/autocast_mode.cpp"
    directories = [name.rpartition("/")[0] for name in names]
    assert directories == sorted(directories)


def add(slug: str, key: str, kind: str, url: str, text: str = "", title: str = "") -> None:
    """A link in the notes of an episode."""
    link, _ = Link.objects.get_or_create(key=key, defaults={"kind": kind, "title": title})
    EpisodeLink.objects.create(episode=Episode.objects.get(slug=slug), link=link, position=90, url=url, text=text)
    complete()


@pytest.mark.parametrize(
    "text, title, name",
    [
        ("Autograd mechanics", "", "Autograd mechanics"),
        ("Autograd mechanics", "The post’s own title", "The post’s own title"),
        ("https://example.org/a", "", "Torch deploy the build"),
        ("this blog post", "", "Torch deploy the build"),
        ("#238", "", "Torch deploy the build"),
        ("", "", "Torch deploy the build"),
    ],
)
def test_a_link_is_called_by_its_own_title_the_notes_words_or_those_of_its_address(
    client: Client, text: str, title: str, name: str
) -> None:
    url = "https://forum.example.org/t/torch-deploy-the-build/238"
    add("vmap", "https://forum.example.org/t/238", "forum", url, text, title)
    row = see(client, "/links/", q="forum.example").one(".references section li p")
    assert " ".join(first(row, "a").text().split()) == name
    assert first(row, "small").text().startswith("forum.example.org")
    assert see(client, own_page("https://forum.example.org/t/238")).one("h1").text() == name


def test_a_number_stays_a_number_whatever_the_notes_call_it(client: Client) -> None:
    add(
        "vmap",
        "gh:pytorch/pytorch#777",
        "github-pr",
        "https://github.com/pytorch/pytorch/pull/777",
        "The great rewrite",
    )
    assert listed(see(client, "/links/", q="great rewrite")) == ["pytorch/pytorch#777"]


def rows(client: Client, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(client.get(address).content.decode())))


@pytest.mark.parametrize("query", ["", "?kind=github-pr", "?q=torch", "?repository=pytorch/rfcs"])
def test_files_hold_what_the_page_lists_in_its_order(client: Client, query: str) -> None:
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


def test_a_row_of_the_csv_says_where_a_link_is_and_who_mentions_it(client: Client) -> None:
    (row,) = rows(client, "/links.csv?q=native/README.md")
    assert row == {
        "kind": "github-code",
        "key": README,
        "title": "aten/src/ATen/native/README.md",
        "url": "https://github.com/pytorch/pytorch/blob/master/aten/src/ATen/native/README.md",
        "repository": "pytorch/pytorch",
        "directory": "aten/src/ATen/native",
        "episode_count": "2",
        "episodes": "how-new-operators-are-authored code-generation",
    }


def test_the_markdown_is_grouped_as_the_page(client: Client) -> None:
    text = client.get("/links.md").content.decode()
    assert "## Source files (26)\n\n- [aten/src/README.md](<https://github.com/" in text
    assert (
        "): [11 How new operators are authored](http://testserver/episodes/how-new-operators-are-authored/), [23 Co"
        in text
    )


def test_files_of_many_links_come_in_parts(client: Client) -> None:
    with patch("episodes.views.links.PER_FILE", 60):
        answer = client.get("/links.csv")
        assert answer.headers["Link"] == '<http://testserver/links.csv?page=2>; rel="next"'
        parts = [*rows(client, "/links.csv"), *rows(client, "/links.csv?page=2")]
        assert len({row["key"] for row in parts}) == len(parts) == Link.objects.count()
        assert "[More links](http://testserver/links.md?page=2)" in client.get("/links.md").content.decode()
        assert client.get("/links.csv?page=3").status_code == 404


def test_files_are_harmless_and_asked_for_again_for_nothing(client: Client) -> None:
    add("vmap", "https://example.org/a", "other", "https://example.org/>a(b", '=HYPERLINK("x"), [a](b)')
    (row,) = rows(client, "/links.csv?q=hyperlink")
    assert row["title"].startswith("'=HYPER")
    text = client.get("/links.md?q=hyperlink").content.decode()
    assert '- [=HYPERLINK("x"), \\[a\\](b)](<https://example.org/%3Ea(b>)' in text
    answer = client.get("/links.md")
    assert client.get("/links.md", headers={"if-none-match": answer.headers["ETag"]}).status_code == 304


@pytest.mark.parametrize(
    "query",
    [
        "",
        "?q=autograd",
        "?kind=docs",
        "?repository=pytorch/xla",
        "?q=torch&kind=github-code",
        "?q=zzz&kind=paper",
    ],
)
def test_the_count_beside_a_choice_is_what_choosing_it_gives(client: Client, query: str) -> None:
    page = see(client, f"/links/{query}")
    pages = [page, *(see(client, a.attributes["href"] or "") for a in page.tree.css(".pages a[rel=next]"))]
    assert sum({name: n for p in pages for name, n in sections(p).items()}.values()) == page.total
    for address, count, chosen in page.choices:
        assert count == (page.total if chosen else see(client, address).total), address


@pytest.mark.parametrize(
    "words, name",
    [
        ("130935", "pytorch/pytorch#130935"),
        ("pytorch/pytorch#130935", "pytorch/pytorch#130935"),
        ("pull 130935", "pytorch/pytorch#130935"),
        ("https://github.com/pytorch/xla/issues/2871", "pytorch/xla#2871"),
        ("TAXONOMY operators", "AbrieftaxonomyofPyTorchoperatorsbyshapebehavior"),
        ("derivatives.yaml", "tools/autograd/derivatives.yaml"),
        ("pr rfcs 18", "pytorch/rfcs#18"),
    ],
)
def test_words_find_key_title_address_and_kind(client: Client, words: str, name: str) -> None:
    assert listed(see(client, "/links/", q=words)) == [name]


def test_signs_with_a_meaning_in_databases_are_only_signs(client: Client) -> None:
    assert see(client, "/links/", q="%%%").total == 0
    assert see(client, "/links/", repository="pytorch/py_orch").notes


def test_a_repository_keeps_what_lies_in_it_and_no_namesake(client: Client) -> None:
    episode = Episode.objects.get(slug="vmap")
    for place, key in enumerate(("gh:pytorch/xla2#1", "gh:pytorch/xla/wiki/Home", "gh:pytorch/xla@0123456789abcdef")):
        kind = "wiki" if "wiki" in key else "github-commit" if "@" in key else "github-issue"
        link = Link.objects.create(key=key, kind=kind)
        EpisodeLink.objects.create(episode=episode, link=link, position=50 + place, url="https://example.org/")
    complete()
    page = see(client, "/links/?repository=pytorch/xla")
    assert (
        page.total
        == len([k for k in Link.objects.values_list("key", flat=True) if repository(k) == "pytorch/xla"])
        == 6
    )
    assert "pytorch/xla2" not in page.one(".references").text()


@pytest.mark.parametrize(
    "query, words",
    [
        ("?kind=letter", "“letter” is not a kind of link"),
        ("?kind=%00", "is not a kind of link"),
        ("?repository=no/body", "no link leads to a repository “no/body”"),
        ("?repository=pytorch", "no link leads to a repository “pytorch”"),
        ("?repository=%00", "no link leads to a repository"),
        ("?q=%00", "we can’t search for"),
        (f"?q={'x' * 10_000}", "we can’t search for"),
        (f"?repository={'x' * 10_000}", "no link leads to a repository"),
        ("?topic=autograd", "unknown filter “topic”"),
    ],
)
def test_a_bad_value_is_left_out_with_a_note(client: Client, query: str, words: str) -> None:
    page = see(client, f"/links/{query}")
    assert (page.status, page.total) == (200, Link.objects.count())
    assert words in page.notes


@pytest.mark.parametrize("query", ["q=&kind=&repository=", "utm_source=mail", "q=%20"])
def test_what_asks_for_nothing_needs_no_note(client: Client, query: str) -> None:
    page = see(client, f"/links/?{query}")
    assert (page.status, page.notes) == (200, "")


def test_what_is_chosen_is_said_and_can_be_taken_off(client: Client) -> None:
    page = see(client, "/links/?q=torch&kind=github-pr&repository=pytorch/rfcs")
    assert page.text.startswith("3 pull requests in pytorch/rfcs matching “torch”")
    chips = [sorted(asked(a.attributes["href"] or "")) for a in page.tree.css(".chip")]
    assert chips == [["kind", "repository"], ["q", "repository"], ["kind", "q"]]
    assert page.one("link[rel=canonical]").attributes["href"] == (
        "http://testserver/links/?q=torch&kind=github-pr&repository=pytorch%2Frfcs"
    )
    assert see(client, "/links/?kind=paper&q=arxiv").text.startswith("No papers matching")


def test_the_search_of_the_masthead_stays_one_for_episodes(client: Client) -> None:
    page = see(client, "/links/?q=torch&kind=github-pr")
    assert page.one(".masthead form").attributes["action"] == "/episodes/"
    assert not page.tree.css(".masthead input[type=hidden]")
    assert page.one(".seek [name=q]").attributes["value"] == "torch"


def test_a_link_to_an_episode_leads_to_its_page_here(client: Client) -> None:
    page = see(client, "/links/?kind=episode")
    assert "/episodes/vmap/" in [a.attributes["href"] for a in page.tree.css(".references p a")]


def test_a_link_shows_its_addresses_and_its_episodes_oldest_first(client: Client) -> None:
    other = "https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/README.md"
    link = Link.objects.get(key=README)
    EpisodeLink.objects.create(episode=Episode.objects.get(slug="vmap"), link=link, position=50, url=other)
    page = see(client, own_page(README))
    assert page.entries == [e.get_absolute_url() for e in link.episodes.order_by("order")]
    assert "Mentioned in 3 episodes" in page.text
    addresses = [a.attributes["href"] for a in page.tree.css(".details a")]
    assert addresses == ["/links/?repository=pytorch%2Fpytorch", other.replace("main", "master"), other]
    assert page.one("link[rel=canonical]").attributes["href"] == f"http://testserver{own_page(README)}"


def test_a_link_of_very_many_episodes_has_several_pages(client: Client) -> None:
    with patch("episodes.views.links.PER_LIST", 1):
        page = see(client, own_page(README))
        after = page.one(".pages a[rel=next]").attributes["href"] or ""
        assert after == f"{own_page(README)}&page=2"
        assert len({*page.entries, *see(client, after).entries}) == 2


def test_every_link_of_several_episodes_answers_at_its_address(client: Client) -> None:
    for link in Link.objects.annotate(n=Count("mentions")).filter(n__gt=1):
        page = see(client, own_page(link.key))
        assert (page.status, len(page.entries)) == (200, 2)
        if link.summary:
            assert " ".join(link.summary.split()) in page.text


@pytest.mark.parametrize("query", ["", "?key=", "?key=nope", "?key=%00", "?key=%ED%A0%80", f"?key={'x' * 5000}"])
def test_what_no_notes_mention_has_no_page(client: Client, query: str) -> None:
    Link.objects.create(key="gh:no/body", kind="github-repo")
    assert client.get(f"/links/item/{query}").status_code == 404
    assert client.get("/links/item/?key=gh:no/body").status_code == 404
    assert client.get(f"{own_page(README)}&page=2").status_code == 404


def test_an_episode_says_which_of_its_links_others_mention_too(client: Client) -> None:
    page = see(client, "/episodes/code-generation/")
    found = {a.attributes["href"]: a.text() for a in page.tree.css(".links small a")}
    assert found[own_page(README)] == "also in 1 other episode"


@pytest.mark.parametrize("address", ["/links/", "/links.csv", "/links.md"])
def test_what_an_import_deletes_while_the_index_is_made_is_left_out(client: Client, address: str) -> None:
    view = import_module("episodes.views.links.index" if address == "/links/" else "episodes.views.links")
    entries = view.entries
    mentioned = Link.objects.exclude(key=README).annotate(n=Count("mentions")).filter(n__gt=1).order_by("key")

    def deleted_meanwhile(*given: Any) -> Any:
        Link.objects.filter(key=README).delete()
        EpisodeLink.objects.filter(link=mentioned[0]).delete()
        return entries(*given)

    with patch.object(view, "entries", deleted_meanwhile):
        answer = client.get(address)
    assert answer.status_code == 200
    assert "native/README.md" not in answer.content.decode()


def test_an_index_without_links_is_a_page_too(client: Client) -> None:
    EpisodeLink.objects.all().delete()
    complete()
    assert "No links yet" in see(client, "/links/").text


def test_the_number_of_questions_does_not_grow_with_the_links(client: Client, django_assert_num_queries) -> None:
    link = Link.objects.get(key=README)
    EpisodeLink.objects.bulk_create(
        EpisodeLink(episode=e, link=link, position=90, url="https://example.org/")
        for e in Episode.objects.exclude(mentions__link=link)
    )
    complete()
    with django_assert_num_queries(7):
        page = see(client, "/links/?kind=github-code")
    assert "82 episodes" in page.text
    with django_assert_num_queries(12):
        assert len(see(client, own_page(README)).entries) == 25


def test_every_kind_has_a_word_for_one() -> None:
    assert ONE.keys() == KINDS.keys()


@pytest.mark.parametrize(
    "key, name",
    [
        ("gh:pytorch/pytorch", "pytorch/pytorch"),
        ("gh:pytorch/pytorch#1", "pytorch/pytorch"),
        ("gh:pytorch/pytorch:a/b.py", "pytorch/pytorch"),
        ("gh:pytorch/pytorch@abc", "pytorch/pytorch"),
        ("gh:pytorch/pytorch/wiki/Home", "pytorch/pytorch"),
        ("gh:pytorch", ""),
        ("gist:abc", ""),
        ("https://github.com/a/b", ""),
    ],
)
def test_the_repository_of_a_key(key: str, name: str) -> None:
    assert repository(key) == name


def test_numbers_in_names_sort_as_numbers() -> None:
    assert sorted(["a#13246", "A#260", "b", "a"], key=natural) == ["a", "A#260", "a#13246", "b"]


@pytest.mark.parametrize(
    "key, name",
    [
        ("gh:pytorch/pytorch:torch/csrc/jit/OVERVIEW.md", "torch/csrc/jit"),
        ("gh:pytorch/xla:README.md", ""),
        ("gh:pytorch/pytorch#1", ""),
        ("gh:pytorch/pytorch/wiki/Home/Page", ""),
        ("https://example.org/a:b/c", ""),
    ],
)
def test_the_directory_of_a_key(key: str, name: str) -> None:
    assert directory(key) == name


@pytest.mark.parametrize(
    "text, name",
    [
        ("Autograd mechanics", "Autograd mechanics"),
        ("  the  vmap\npaper ", "the vmap paper"),
        ("torch.nn", "torch.nn"),
        ("read more here", ""),
        ("This issue", ""),
        ("#1234", ""),
        ("https://example.org/a", ""),
        ("www.example.org", ""),
        ("example.org/autograd", ""),
        ("", ""),
    ],
)
def test_a_text_names_a_link_or_only_points_at_it(text: str, name: str) -> None:
    assert telling(text) == name
