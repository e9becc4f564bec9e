"""Lists in other formats: the same episodes in the same order, whatever is asked for and whatever stands in them."""

import csv
import io
import json
import random
from collections.abc import Iterable
from datetime import UTC, datetime
from urllib.parse import urlencode
from xml.etree import ElementTree

import feedparser
import pytest
from django.conf import LazySettings
from django.test import Client

from episodes.fields import plain_notes
from episodes.models import (
    Document,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Held,
    Item,
    Podcast,
    Redirect,
    Topic,
    Transcript,
    start_new_version,
)
from episodes.outputs.catalog_json import dump_json, export_episode, prefetch_export_relations
from episodes.outputs.episode_files import render_vtt
from episodes.text.spoken_time import Speech

from ..tables import cases
from .pages import see
from .rows import complete

CASES = cases("read_outputs")

pytestmark = pytest.mark.usefixtures("catalog")

SITE = "http://testserver"
LIST_FORMATS = ("rss", "atom", "json", "csv")
CHOICES: dict[str, list[str]] = {
    "q": ["torch", "autograd", '"memory"', "C++", "dispatcher", "vmap", "zzzz", "pr 130935"],
    "topic": ["autograd", "pt2", "functorch", "nope"],
    "year": ["2021", "2022", "2024", "unknown", "abc"],
    "person": ["edward-yang", "horace-he", "nobody"],
    "source": ["player-fm", "pod-casts-io", "snapshot"],
    "link_kind": ["paper", "github-pr", "docs"],
    "min_minutes": ["10", "15", "-1"],
    "max_minutes": ["15", "20"],
    "sort": ["newest", "oldest", "shortest", "longest", "match"],
    "podcast": ["pytorch-developer-podcast", "other"],
}
SPACES = {
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "podcast": "https://podcastindex.org/namespace/1.0",
}


def addresses(count: int = 12) -> list[str]:
    dice = random.Random(7)
    found = [""]
    while len(found) < count:
        names = dice.sample(sorted(CHOICES), dice.randint(1, 3))
        query = urlencode([(name, dice.choice(CHOICES[name])) for name in names])
        found += [f"?{query}"] if f"?{query}" not in found else []
    return found


def body(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return answer.content.decode()


def on_pages(client: Client, query: str) -> list[str]:
    first = see(client, f"/episodes/{query}")
    join = "&" if query else "?"
    last = -(-first.total // 25)
    rest = [see(client, f"/episodes/{query}{join}page={n}") for n in range(2, last + 1)]
    return [entry.split("/")[2] for page in (first, *rest) for entry in page.entries]


def slugs_in(ending: str, text: str) -> list[str]:
    if ending == "csv":
        return [row["slug"] for row in csv.DictReader(io.StringIO(text, newline=""))]
    if ending == "json":
        return [item["url"].split("/")[-2] for item in json.loads(text)["items"]]
    feed = feedparser.parse(text)
    assert not feed.bozo, feed.get("bozo_exception")
    ElementTree.fromstring(text)
    return [entry.link.split("/")[-2] for entry in feed.entries]


def item(client: Client, slug: str, address: str = "/episodes.rss") -> ElementTree.Element:
    items = ElementTree.fromstring(body(client, address)).findall("channel/item")
    return next(found for found in items if (found.findtext("link") or "").endswith(f"/{slug}/"))


@pytest.mark.parametrize("query", addresses())
def test_every_format_lists_the_same_episodes(client: Client, query: str) -> None:
    shown = on_pages(client, query)
    for ending in LIST_FORMATS:
        assert slugs_in(ending, body(client, f"/episodes.{ending}{query}")) == shown, ending


@pytest.mark.parametrize("kind, slug, name, query", [
    ("topic", "autograd", "topics", ""), ("person", "edward-yang", "people", "&year=2021&sort=oldest"),
])  # fmt: skip
def test_topic_or_person_list_is_filtered_list(client: Client, kind: str, slug: str, name: str, query: str) -> None:
    shown = on_pages(client, f"?{kind}={slug}{query}")
    assert shown
    for ending in LIST_FORMATS:
        assert slugs_in(ending, body(client, f"/{name}/{slug}.{ending}?{query[1:]}")) == shown


@pytest.mark.parametrize(
    "ending, kind", [("rss", "application/rss+xml"), ("atom", "application/atom+xml"), ("json", "application/feed+json"), ("csv", "text/csv")]
)  # fmt: skip
def test_formats_declare_type_and_ignore_bad_values(client: Client, ending: str, kind: str) -> None:
    address = f"/episodes.{ending}"
    answer, head = client.get(address), client.head(address)
    assert answer.headers["Content-Type"] == f"{kind}; charset=utf-8"
    assert head.headers["ETag"] == answer.headers["ETag"]
    bad = body(client, f"{address}?topic=nope&year=abc&sort=up&min_minutes=-1&q=%00&source=%ED%A0%80&x=1&page=0")
    assert slugs_in(ending, bad) == slugs_in(ending, answer.content.decode())


def test_unknown_list_is_not_found_and_former_redirects(client: Client) -> None:
    for address in ("/episodes.xml", "/topics/nope.rss", "/people/nope.rss", "/topics/a.b.rss", "/episodes.RSS"):
        assert client.get(address).status_code == 404
    Redirect.objects.create(kind="topic", slug="autodiff", topic=Topic.objects.get(slug="autograd"))
    answer = client.get("/topics/autodiff.rss")
    assert (answer.status_code, answer.headers["Location"]) == (301, "/topics/autograd.rss")


@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠", "'=", " =", "\n+"])
def test_no_cell_runs_as_formula(client: Client, sign: str) -> None:
    Episode.objects.filter(slug="vmap").update(title=f"{sign}1+1", description_text=f"{sign}2", url=f"{sign}x")
    rows = csv.DictReader(io.StringIO(body(client, "/episodes.csv"), newline=""))
    row = next(r for r in rows if r["slug"] == "vmap")
    assert (row["title"], row["description_text"], row["url"]) == (f"'{sign}1+1", f"'{sign}2", f"'{sign}x")


HOSTILE = "a\x08\x0b\x1b]]>\ud7ff\ufffe</title><script>&amp; <b>ü 🎙\r\n=1"


@pytest.mark.parametrize("ending", ["rss", "atom", "json"])
def test_forbidden_characters_are_left_out(client: Client, ending: str) -> None:
    Podcast.objects.update(title=HOSTILE, author=HOSTILE, description=HOSTILE)
    texts = dict.fromkeys(("title", "description_text", "guid", "audio_type"), HOSTILE)
    texts |= {"description_html": f"<p>{HOSTILE}</p>", "audio_url": "javascript:alert(1)"}
    Episode.objects.filter(slug="vmap").update(**texts)
    text = body(client, f"/topics/functorch.{ending}")
    assert "vmap" in slugs_in(ending, text)
    assert not set("\x08\x0b\x1b\ufffe") & set(text)
    assert "javascript:" not in text
    if ending != "json":
        titles = [node.text or "" for node in ElementTree.fromstring(text).iter() if node.tag.endswith("title")]
        assert any("]]>\ud7ff</title><script>&amp; <b>ü 🎙" in title for title in titles)


def test_transcript_without_times_is_not_offered(client: Client) -> None:
    Transcript.objects.create(episode=Episode.objects.get(slug="vmap"), url="", sha256="", cues=[[None, "", "Hello"]])
    vmap = item(client, "vmap")
    assert [vmap.find(f"podcast:{name}", SPACES) for name in ("chapters", "transcript")] == [None, None]
    for name in ("chapters.json", "transcript.vtt"):
        assert client.get(f"/episodes/vmap/{name}").status_code == 404


@pytest.mark.parametrize("cues, known, length, captions", CASES["captions"])
def test_captions_are_parts_of_sentences(
    cues: list[list[object]], known: list[list[float]], length: int, captions: list[str]
) -> None:
    _, *shown = render_vtt(Speech(cues, known, length=length)).split("\n\n")
    assert [caption.strip() for caption in shown] == captions


@pytest.mark.parametrize(
    "entry, document, exported",
    [
        ("https://a.example/e", "https://a.example/d", "https://a.example/e"),
        ("", "https://a.example/d", "https://a.example/d"),
        ("", "file:saved.html", None),
    ],
)
def test_exported_source_falls_back_to_document(entry: str, document: str, exported: str | None) -> None:
    item = Item.objects.filter(attachment__episode__slug="vmap", gone_version=None).latest("pk")
    revision = item.revisions.latest("pk")
    revision.payload["url"] = entry
    revision.save()
    Document.objects.filter(pk=item.document_id).update(address=document)
    (vmap,) = prefetch_export_relations(Episode.objects.filter(slug="vmap"))
    urls = [one["url"] for one in export_episode(vmap)["sources"] if one["source"] == item.document.source.slug]
    assert urls == [exported]


def test_unmatched_entry_without_text_exports_null() -> None:
    bare = next(item for item in Item.objects.all() if not plain_notes(item.values))
    Held.objects.create(podcast=Podcast.objects.get(), item=bare)
    (held,) = json.loads(dump_json([Podcast.objects.get()]))["held"]
    assert (held["title"], held["text"]) == (bare.values.title, None)


MIDSUMMER = datetime(2021, 6, 21, tzinfo=UTC)


def test_day_is_its_midnight_in_utc(client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(published_at=MIDSUMMER, sorted_at=MIDSUMMER, published_precision="day")
    assert item(client, "vmap").findtext("pubDate") == "Mon, 21 Jun 2021 00:00:00 +0000"
    found = next(i for i in json.loads(body(client, "/episodes.json"))["items"] if i["_episode"]["slug"] == "vmap")
    assert (found["date_published"], found["_episode"]["published"]) == ("2021-06-21T00:00:00Z", "2021-06-21")


def test_cut_notes_say_so_in_markdown(client: Client) -> None:
    sentence = "(The notes are cut off here in every source.)"
    assert sentence not in body(client, "/episodes/vmap.md")
    Episode.objects.filter(slug="vmap").update(description_truncated=True)
    complete()
    assert sentence in body(client, "/episodes/vmap.md")


def test_hostile_addresses_stay_addresses_in_markdown(client: Client) -> None:
    hostile = "https://l.example/p)[click](javascript:alert(1)"
    Episode.objects.filter(slug="vmap").update(audio_url="https://l.example/1.mp3?<script>")
    EpisodeLink.objects.filter(episode__slug="vmap").update(url=hostile)
    complete()
    text = body(client, "/episodes/vmap.md")
    assert "- Audio: https://l.example/1.mp3?%3Cscript%3E\n" in text
    assert f"](<{hostile}>)" in text


def more_rows(count: int) -> None:
    show = Podcast.objects.get()
    last = Episode.objects.order_by("-order")[0].order
    rows = [Episode(podcast=show, slug=f"more-{n}", order=last + n, title=f"More {n}") for n in range(1, count + 1)]
    Episode.objects.bulk_create(rows)
    topic = Topic.objects.get(slug="autograd")
    made: Iterable[Episode] = Episode.objects.filter(slug__startswith="more-")
    EpisodeTopic.objects.bulk_create(EpisodeTopic(episode=e, topic=topic, term="x", field="title") for e in made)


@pytest.mark.parametrize("ending", LIST_FORMATS)
def test_long_list_links_to_next_part(client: Client, ending: str) -> None:
    total = Episode.objects.filter(topic_uses__topic__slug="autograd").count() + 501
    more_rows(501)
    complete()
    address, pages = f"/topics/autograd.{ending}?sort=oldest", []
    while address:
        answer = client.get(address)
        text = answer.content.decode()
        pages.append(slugs_in(ending, text))
        link = answer.headers.get("Link", "")
        following = link.removeprefix("<").split(">")[0]
        assert not link or link.endswith('>; rel="next"')
        if ending == "json":
            assert json.loads(text).get("next_url", "") == following
        elif ending != "csv":
            links = ElementTree.fromstring(text).iter(f"{{{SPACES['atom']}}}link")
            nexts = [node.get("href") for node in links if node.get("rel") == "next"]
            assert nexts == ([following] if following else [])
        address = following.removeprefix(SITE)
    assert [len(page) for page in pages] == [500, total - 500]
    assert len({slug for page in pages for slug in page}) == total
    unchanged = {"if-none-match": answer.headers["ETag"]}
    assert client.get(f"/topics/autograd.{ending}?page=3", headers=unchanged).status_code == 404


@pytest.mark.parametrize("ending", LIST_FORMATS)
def test_queries_do_not_grow_with_list(client: Client, django_assert_max_num_queries, ending: str) -> None:
    Episode.objects.update(audio_url="https://example.org/a.mp3")
    more_rows(300)
    with django_assert_max_num_queries(23):
        client.get(f"/episodes.{ending}?topic=autograd&q=more&sort=oldest&source=snapshot")
    with django_assert_max_num_queries(18):
        client.get(f"/episodes.{ending}")


@pytest.mark.parametrize(
    "address", ["/episodes.rss?year=2021", "/topics/autograd.json", "/shows.opml", "/sitemap.xml", "/episodes.csv"]
)
def test_unchanged_output_is_not_sent_again(client: Client, django_assert_max_num_queries, address: str) -> None:
    first = client.get(address)
    tag, date = first.headers["ETag"], first.headers["Last-Modified"]
    with django_assert_max_num_queries(4):
        again = client.get(address, headers={"if-none-match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(address, headers={"if-modified-since": date}).status_code == 304
    other = f"{address}{'&' if '?' in address else '?'}min_minutes=1"
    assert client.get(other, headers={"if-none-match": tag}).status_code == 200
    Episode.objects.filter(slug="vmap").update(title="Another title")
    start_new_version()
    assert client.get(address, headers={"if-none-match": tag}).status_code == 200


@pytest.mark.parametrize("setting, value", [("SITE_NAME", "Another name"), ("IMAGES", "off")])
def test_changed_setting_sends_feed_again(client: Client, settings: LazySettings, setting: str, value: str) -> None:
    tag = client.get("/episodes.rss").headers["ETag"]
    setattr(settings, setting, value)
    assert client.get("/episodes.rss", headers={"if-none-match": tag}).status_code == 200
