"""Shows as pages, one or several of them, in their languages and with their seasons; removed and back."""

import html
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import feedparser
import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from episodes.curation import preview_import, save_row, undo_change
from episodes.models import Change, Decision, Episode, Podcast, Source, WithdrawnEpisode, start_new_version
from episodes.outputs.catalog_json import dump_json
from episodes.records import FetchedDocument

from ..curation.conftest import curator, small
from ..ingest.conftest import run
from ..ingest.test_add_show import add
from ..ingest.test_identity_of_feeds import feed, item
from ..kept import made_once
from ..loopback import Loopback
from ..tables import cases
from .pages import Seen, see
from .rows import complete

CASES = cases("read_shows")

__all__ = ["curator", "small"]
pytestmark = pytest.mark.django_db

DETAILS = (
    '<podcast:soundbite xmlns:podcast="https://podcastindex.org/namespace/1.0" startTime="33" duration="9">A bit'
    '</podcast:soundbite><podcast:location xmlns:podcast="https://podcastindex.org/namespace/1.0">Bath</podcast:location>'
    "<itunes:episodeType>bonus</itunes:episodeType><itunes:explicit>true</itunes:explicit>"
)
SAID = (
    "<language>{}</language><itunes:author>Ann</itunes:author><description>{}</description>"
    '<podcast:funding xmlns:podcast="https://podcastindex.org/namespace/1.0" url="https://pay.example/">Tip us'
    "</podcast:funding><itunes:category text='Arts'/>"
)


def bring(tmp_path: Path, name: str, language: str = "en", count: int = 2, more: str = "") -> Podcast:
    items = (item(f"{name} {n}", f"{name} {n}", n) for n in range(1, count + 1))
    body = feed(name, *items, channel=SAID.format(language, f"All about {name}"))
    path = tmp_path / f"{name}.xml"
    path.write_text(body.replace("</item>", f"{more}</item>"))
    assert run(path, url=f"https://{name.lower()}.example/feed").code == 0
    return Podcast.objects.get(title=name)


@pytest.fixture
def two(db: None) -> tuple[Podcast, Podcast]:
    made_once(bees_and_salt)
    return Podcast.objects.get(slug="bees"), Podcast.objects.get(slug="salt")


def bees_and_salt() -> None:
    with TemporaryDirectory() as folder:
        bring(Path(folder), "Bees")
        bring(Path(folder), "Salt", more=DETAILS)


def test_show_page_lists_its_episodes(client: Client, two: tuple[Podcast, Podcast]) -> None:
    page = see(client, "/shows/bees/")
    words = (
        "All about Bees", "Ann", "2 episodes", "https://bees.example/feed", "2024", "Tip us", "Arts",
        "/episodes.rss?podcast=bees",
    )  # fmt: skip
    assert [each for each in words if each not in page.html] == []
    assert "Salt" not in page.html
    assert page.entries == ["/episodes/bees-2/", "/episodes/bees-1/"]
    assert page.one(".seek [name=podcast]").attributes["value"] == "bees"
    assert client.get("/shows/none/").status_code == 404
    Podcast.objects.filter(slug="bees").update(author="Bees")
    assert "<span>Bees</span>" not in see(client, "/shows/bees/").html
    for address in ("/", "/shows/", "/episodes/bees-1/"):
        assert 'href="/shows/bees/"' in see(client, address).html
    details = ("<span>bonus</span>", "<span>explicit</span>", 'href="?t=33"', "A bit", "Bath")
    assert [words for words in details if words not in see(client, "/episodes/salt-1/").html] == []
    assert "<span>bonus</span>" not in see(client, "/episodes/bees-1/").html


def test_partial_details_break_no_page(client: Client, db: None, tmp_path: Path) -> None:
    said = (
        '<p:alternateEnclosure><p:source uri="https://a.example/1.ogg"/></p:alternateEnclosure>',
        *('<p:location geo="geo:1,2"/>', '<p:location osm="R1"/>', '<p:license url="https://l.example"/>'),
        *("<p:contentLink>Live</p:contentLink>", '<p:funding url="https://f.example"/>'),
        *('<p:socialInteract uri="https://s.example/1"/>', '<p:soundbite startTime="5"/>'),
    )
    namespace = ' xmlns:p="https://podcastindex.org/namespace/1.0"'
    more = "".join(re.sub(r"^<p:\w+", rf"\g<0>{namespace}", one) for one in said)
    bring(tmp_path, "Bees", more=more)
    # A channel can have chapters and transcripts, too.
    details = [["location", "", "geo:1,2", ""], ["chapter", "0:10", "Hives", "", ""]]
    details += [["transcript", "https://t.example/", "", "", ""]]
    Podcast.objects.update(said={**Podcast.objects.get().said, "details": details})
    for address in ("/", "/shows/bees/", "/episodes/bees-1/", "/episodes.rss"):
        assert client.get(address).status_code == 200, address
    assert "https://a.example/1.ogg" in client.get("/episodes.rss").content.decode()


def test_feed_repeats_valid_soundbites_only(client: Client, db: None, tmp_path: Path) -> None:
    times = [("5", "30"), ("6.5", "30.25"), ("-5", "abc"), ("1:05", "30"), ("7", "")]
    namespace = 'xmlns:podcast="https://podcastindex.org/namespace/1.0"'
    bites = [f'<podcast:soundbite {namespace} startTime="{start}" duration="{length}"/>' for start, length in times]
    bring(tmp_path, "Bees", count=1, more="".join(bites))
    repeated = client.get("/episodes.rss").content.decode()
    assert re.findall(r'startTime="([^"]*)"', repeated) == ["5", "6.5"]


@pytest.mark.parametrize("enclosure, kind", CASES["outputs_have_playable_type"])
def test_outputs_have_playable_type(client: Client, db: None, tmp_path: Path, enclosure: str, kind: str) -> None:
    path, swarms = tmp_path / "bees.xml", "<item><title>Swarms</title><description>In May.</description>"
    path.write_text(feed("Bees", f"{swarms}<enclosure {enclosure}/></item>"))
    assert run(path, url="https://bees.example/feed").code == 0
    page = see(client, "/episodes/swarms/")
    structured = json.loads(page.one("script[type='application/ld+json']").text())
    rss = client.get("/episodes.rss").content.decode()
    assert structured.get("associatedMedia", {}).get("encodingFormat", "") == kind
    assert re.findall('<enclosure [^>]*type="([^"]*)"', rss) == [kind][: len(kind)]
    assert (len(page.tree.css("audio")), len(page.tree.css("video"))) == (kind[:5] == "audio", kind[:5] == "video")


@pytest.mark.parametrize("language, words", CASES["texts_of_a_show_are_in_its_language"])
def test_texts_of_a_show_are_in_its_language(
    client: Client, db: None, tmp_path: Path, language: str, words: str
) -> None:
    bring(tmp_path, "Bees", language)
    for address in ("/shows/bees/", "/episodes/bees-1/", "/"):
        page = client.get(address).content.decode()
        assert (words in page, 'onclick="' in page) == (True, False)


def test_list_filters_by_language(client: Client, two: tuple[Podcast, Podcast]) -> None:
    assert "Language" not in facet_names(see(client, "/episodes/"))
    Podcast.objects.filter(slug="salt").update(language="pt_BR")
    start_new_version()
    page = see(client, "/episodes/?language=pt")
    assert page.one("h1").text() == "2 episodes in Portuguese"
    assert page.entries == ["/episodes/salt-2/", "/episodes/salt-1/"]
    assert ("/episodes/", 2, True) in page.choices
    assert "Language" in facet_names(page)
    assert "no show is in the language “fi”" in see(client, "/episodes/?language=fi").text


def facet_names(page: Seen) -> set[str]:
    return {heading.text() for heading in page.tree.css(".facets h2")}


def test_facets_fold_shows_and_hide_single_values(client: Client, two: tuple[Podcast, Podcast]) -> None:
    assert "Year" not in facet_names(see(client, "/episodes/"))
    assert not see(client, "/episodes/").tree.css(".more")
    for number in range(8):
        show = Podcast.objects.create(slug=f"s{number}", title=f"Show {number}")
        Episode.objects.create(podcast=show, slug=f"e{number}", title="Tea", order=1, listed=True)
    complete()
    start_new_version()
    page = see(client, "/episodes/")
    assert [row.text().split()[0] for row in page.tree.css("section > ul > li")[:2]] == ["Bees", "Salt"]
    assert len(page.tree.css(".more li")) == 2


def test_removed_show_disappears_and_returns(client: Client, two: tuple[Podcast, Podcast], admin_user: User) -> None:
    before = dump_json(list(Podcast.objects.all()))
    salt = two[1]
    salt.status = "removed"
    save_row(admin_user, salt)
    assert not Episode.objects.filter(podcast=salt).exists()
    for address in ("/shows/salt/", "/episodes/salt-1/"):
        assert client.get(address).status_code == 410
    for address in ("/", "/shows/", "/time/", "/about/", "/sources/", "/shows.opml", "/sitemap.xml", "/episodes.rss"):
        assert "Salt" not in client.get(address, follow=True).content.decode()
    assert "was removed" in add("https://salt.example/feed").err or run("feed", podcast="salt").code == 2
    call_command("rebuild", verbosity=0)
    assert not Episode.objects.filter(podcast=salt).exists()
    undo_change(admin_user, Change.objects.order_by("id").last())  # type: ignore[arg-type]
    assert dump_json(list(Podcast.objects.all())) == before
    assert client.get("/shows/salt/").status_code == 200


@pytest.mark.parametrize("status", ["paused", "archived"])
def test_resting_show_is_shown_not_fetched(client: Client, two: tuple[Podcast, Podcast], status: str) -> None:
    Podcast.objects.update(status=status)
    assert run().out == run().err == ""
    assert status in client.get("/shows/bees/").content.decode().lower()


def test_administrator_adds_show_by_address(
    admin_client: Client, db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = feed("Bees", item("First"), channel=SAID.format("sv", "All about Bees")).encode()
    page = FetchedDocument(body, "https://bees.example/feed")
    monkeypatch.setattr("episodes.admin.shows.fetch_feed_or_linked_feed", lambda address, allow: page)
    form = reverse("admin:episodes_podcast_add")
    assert form in admin_client.get("/admin/episodes/podcast/").content.decode()
    seen = admin_client.post(form, {"address": "bees.example", "_preview": "1"}).content.decode()
    for words in ("Bees", "All about Bees", "sv", "First", "Add this show"):
        assert words in " ".join(seen.split())
    assert not Podcast.objects.exists()
    done = admin_client.post(form, {"address": "bees.example", "_save": "1"}, follow=True).content.decode()
    assert "Bees was added: 1 episode." in done
    assert Change.objects.filter(verb="add show").exists() or Change.objects.filter(verb__startswith="add").count() == 2
    again = admin_client.post(form, {"address": "bees.example", "_preview": "1"}).content.decode()
    assert "This show has already been added" in again
    assert "is here already" in admin_client.post(form, {"address": "bees.example", "_save": "1"}).content.decode()
    assert Podcast.objects.count() == 1


def test_administrator_follows_moved_feed(admin_client: Client, two: tuple[Podcast, Podcast]) -> None:
    source = Source.objects.get(podcast=two[0])
    Source.objects.filter(pk=source.pk).update(moved_to="https://new.example/feed")
    assert "Review the move" in admin_client.get(f"/admin/episodes/source/{source.pk}/change/").content.decode()
    move = reverse("admin:episodes_source_change", args=(source.pk,)) + "?moved=1"
    form = admin_client.get(move).context["form"]
    assert form["address"].value() == "https://new.example/feed"
    sent = {name: form[name].value() for name in form.fields if form[name].value() not in (None, False)}
    admin_client.post(move, {**sent, "_save": "1"})
    # Opened once more the form has the address that is there.
    assert admin_client.get(move).context["form"]["address"].value() == "https://new.example/feed"
    source.refresh_from_db()
    assert (source.address, source.moved_to) == ("https://new.example/feed", "")
    assert source.podcast.feed_url == "https://new.example/feed"
    assert not source.documents.exclude(address="https://new.example/feed").exists()


def test_site_has_configured_name_and_colour(
    client: Client, two: tuple[Podcast, Podcast], settings: LazySettings
) -> None:
    assert client.get("/theme.css").status_code == 404
    settings.SITE_NAME, settings.ACCENT = "Our podcasts", "0a6b5e"
    page = client.get("/").content.decode()
    assert '<a class="name" href="/">Our podcasts</a>' in page
    assert 'href="/theme.css"' in page
    assert "--accent: light-dark(#0a6b5e, " in client.get("/theme.css").content.decode()


def test_number_redirects_to_first_shows_episode(client: Client, two: tuple[Podcast, Podcast]) -> None:
    Episode.objects.filter(slug="bees-2").update(number=7, season=2)
    Episode.objects.filter(slug="bees-1").update(number=7, season=1)
    Episode.objects.filter(slug="salt-1").update(number=8)
    for address in ("/7", "/episodes/7/"):
        answer = client.get(address)
        assert (answer.status_code, answer["Location"]) == (302, "/episodes/bees-1/")
    for address in ("/8", "/episodes/8/", "/episodes/²/", f"/episodes/{'9' * 40}/", "/999999999"):
        assert client.get(address).status_code == 404
    for slug, season, successor in (("a", 2, "bees-2"), ("b", 1, "bees-1")):
        key = {"podcast": two[0], "source": "feed", "item_key": slug}
        decision = Decision.objects.create(kind="withdrawal", value="replaced", **key)
        WithdrawnEpisode.objects.create(
            podcast=two[0], slug=slug, title=slug, number=9, season=season, decision=decision,
            replaced_by=Episode.objects.get(slug=successor),
        )  # fmt: skip
    assert client.get("/9")["Location"] == "/episodes/bees-1/", "of its first season"


def test_source_preview_fetches_no_companions(admin_user: User, db: None, settings: LazySettings) -> None:
    named = (
        '<podcast:transcript xmlns:podcast="https://podcastindex.org/namespace/1.0" url="HOST" type="text/vtt"/></item>'
    )
    with Loopback({}) as web:
        settings.FETCH_ALLOW = web.allow
        body = feed("Bees", item("First").replace("</item>", named.replace("HOST", web.address("/t.vtt"))))
        web.routes["/feed"] = (200, {"Content-Type": "application/rss+xml"}, body.encode())
        podcast, address = Podcast.objects.create(slug="bees", title="Bees"), web.address("/feed")
        source = Source(podcast=podcast, slug="feed", reader="feed", address=address, rank=1, may_create=True)
        tried = preview_import(admin_user, source)
    assert (tried.ok, [entry.match_result for entry in tried.entries]) == (True, ["new"])
    assert [request.path for request in web.requests] == ["/feed"]


NAMES = ("PyTorch Developer Podcast", "Kernel Corner")
FEED = """<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
<title>Kernel Corner</title><link>https://kernelcorner.example</link><description>Kernels.</description>
<item><title>Scheduling</title><guid>k1</guid><pubDate>Mon, 03 Jun 2024 08:00:00 GMT</pubDate><description>Who is next.</description></item>
<item><title>Memory layout</title><guid>k2</guid><pubDate>Mon, 10 Jun 2024 08:00:00 GMT</pubDate><description>Pages.</description></item>
</channel></rss>"""


@pytest.fixture
def beside(catalog: None, tmp_path: Path) -> None:
    bring_another(tmp_path)


def bring_another(folder: Path) -> None:
    (folder / "feed.xml").write_text(FEED)
    call_command("ingest", str(folder / "feed.xml"), url="https://kernelcorner.example/feed.xml", verbosity=0)


def test_several_shows_can_be_chosen(catalog: None, client: Client, tmp_path: Path) -> None:
    pages = (
        ("/episodes/", "<h2>Show</h2>"),
        ("/episodes/vmap/", '"/shows/pytorch-developer-podcast/"><bdi>'),
        ("/sources/", "PyTorch Developer Podcast</bdi> · <bdi>The"),
    )
    assert [words in html.unescape(see(client, address).html) for address, words in pages] == [False] * 3
    assert "PyTorch Developer Podcast Runtime" not in see(client, "/topics/").text
    bring_another(tmp_path)
    client = Client()
    assert [words in html.unescape(see(client, address).html) for address, words in pages] == [True] * 3
    Episode.objects.filter(podcast__slug="kernel-corner").update(listed=False)
    start_new_version()
    assert "PyTorch Developer Podcast Runtime" in see(client, "/topics/").text
    Episode.objects.all().update(listed=True)
    start_new_version()
    chosen = see(client, "/episodes/", podcast="kernel-corner")
    assert len(chosen.entries) == 2
    assert "Kernel Corner: 2 episodes" in " ".join(chosen.html.split())
    assert chosen.html.count('"PodcastSeries"') == 1
    assert '"name":"Kernel Corner","url":"http://testserver/episodes/?podcast=kernel-corner"' in chosen.html


def test_shows_and_sources_are_sorted_and_named(beside: None, client: Client) -> None:
    Episode.objects.filter(slug="vmap").update(order=9_999)
    first = [see(client, f"/episodes/{query}").entries[0] for query in ("?podcast=pytorch-developer-podcast", "")]
    assert first == ["/episodes/vmap/", "/episodes/compiler-collectives/"]
    choices = see(client, "/episodes/").tree.css(".facets a[href*='podcast=']:not([href*='source='])")
    assert ["kernel" in (choice.attributes["href"] or "") for choice in choices] == [False, True]
    lines = [line.text() for line in see(client, "/sources/").tree.css("summary > b")]
    assert lines[0] == "PyTorch Developer Podcast · The show's RSS feed"
    assert list(dict.fromkeys(line.partition(" · ")[0] for line in lines)) == list(NAMES)
    named = re.findall(f'<outline text="({"|".join(NAMES)})">', see(client, "/shows.opml").html)
    assert named == sorted(NAMES)
    covers = [link.attributes["href"] for link in see(client, "/shows/").tree.css(".shows a[href^='/shows/']")]
    assert list(dict.fromkeys(covers)) == ["/shows/kernel-corner/", "/shows/pytorch-developer-podcast/"]
    Source.objects.get(podcast__slug="kernel-corner").runs.update(outcome="failed", reason="no answer")
    lines = [line.text() for line in see(client, "/sources/").tree.css("summary > b")]
    assert lines[0] == "Kernel Corner · The show's RSS feed"
    feeds = see(client, "/episodes/?source=feed&podcast=kernel-corner")
    assert len(feeds.entries) == 2
    assert "listed by The show's RSS feed" in feeds.text
    assert "PyTorch Developer Podcast · " not in see(client, "/episodes/vmap/").html


@pytest.mark.usefixtures("beside")
@pytest.mark.parametrize("most", [2, 51])
def test_list_of_one_show_bears_its_name(client: Client, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr("episodes.site.MAX_SITE_SHOWS", most)
    Podcast.objects.create(slug="aside", title="Aside")
    for address in ("/episodes/", "/episodes.rss", "/episodes.atom", "/episodes.json"):
        text = client.get(address, {"podcast": "kernel-corner", "year": "2024"}).content.decode()
        (named, *_) = re.findall(r"<title>[^<]*|\"title\": \"[^\"]*", text)
        assert "Kernel Corner" in named
        assert "kernel-corner" not in named


def test_changes_have_feeds_by_show_and_episode(beside: None, tmp_path: Path, client: Client) -> None:
    changed = FEED.replace("Memory layout", "Memory layouts").replace("<title>vmap", "<title>vmaps")
    (tmp_path / "feed.xml").write_text(changed)
    run(tmp_path / "feed.xml", url="https://kernelcorner.example/feed.xml")
    episode = Episode.objects.get(title="Memory layouts")

    def told(address: str) -> list[str]:
        feed = feedparser.parse(client.get(address).content)
        assert [link.href for link in feed.feed.links if link.rel == "self"] == [f"http://testserver{address}"]
        assert not feed.bozo
        return sorted(entry.title for entry in feed.entries)

    everything = told("/changes.rss")
    assert told("/shows/kernel-corner/changes.rss") == everything
    assert "Memory layouts" in everything
    assert told("/shows/pytorch-developer-podcast/changes.rss") == []
    assert told(f"{episode.get_absolute_url()}changes.rss") == ["Memory layouts"]
    assert client.get("/shows/nope/changes.rss").status_code == 404
    assert client.get("/episodes/nope/changes.rss").status_code == 404
    for page in (episode.get_absolute_url(), "/shows/kernel-corner/"):
        assert see(client, page).one(f'a[href="{page}changes.rss"]')


ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
WORDS = ("kettles", "ladders", "mirrors", "needles")
EPISODES = [(1, 1), (1, 2), (2, 1), (2, 2)]


def counted_feed(*, seasons: bool = True, titled: bool = False) -> str:
    """A feed of two seasons that both count from 1, newest first; `titled`: only its titles say so."""
    items = ""
    for place, (season, number) in reversed(list(enumerate(EPISODES))):
        title = f"{f'S{season}E{number}: ' * titled}All about {WORDS[place]}"
        counted = f"<itunes:episode>{number}</itunes:episode>{f'<itunes:season>{season}</itunes:season>' * seasons}"
        items += (
            f"<item><title>{title}</title>{counted * (not titled)}"
            f"<pubDate>{place + 1:02} May 2021 13:00:00 GMT</pubDate><guid isPermaLink='false'>small-{place}</guid>"
            f"<description>What {WORDS[place]} are made of, where they come from and who needs them.</description></item>"
        )
    return (
        f'<rss version="2.0" xmlns:itunes="{ITUNES[1:-1]}"><channel><title>Small Talks</title>{items}</channel></rss>'
    )


def ingest(tmp_path: Path, text: str) -> None:
    (tmp_path / "feed.xml").write_text(text)
    assert run(tmp_path / "feed.xml", "--source", "feed").code == 0


@pytest.mark.parametrize("titled", [False, True])
def test_seasons_become_catalog_order(small: Podcast, tmp_path: Path, titled: bool) -> None:
    ingest(tmp_path, counted_feed(titled=titled))
    rows = Episode.objects.order_by("order").values_list("slug", "season", "number")
    assert [(slug.split("-")[-1], *counted) for slug, *counted in rows] == [
        ("kettles", 1, 1), ("ladders", 1, 2), ("mirrors", 2, 1), ("needles", 2, 2),
    ]  # fmt: skip
    assert not Episode.objects.exclude(conflicts=[]).exists()


def test_pages_and_lists_say_season_and_number(small: Podcast, tmp_path: Path, client: Client) -> None:
    ingest(tmp_path, counted_feed())
    page = see(client, "/episodes/all-about-mirrors/")
    assert page.one(".opening .number").text() == "Episode S2 E1"
    assert page.one("a[rel=prev]").text().startswith("S1 E2")
    assert page.one("a[rel=next]").text().startswith("S2 E2")
    assert "episode S2 E1" in page.text
    listed = see(client, "/episodes/")
    assert [node.text() for node in listed.tree.css("article .number")] == ["S2 E2", "S2 E1", "S1 E2", "S1 E1"]
    assert "Season" in page.one(".provenance").text()


def test_show_without_seasons_never_mentions_them(small: Podcast, tmp_path: Path, client: Client) -> None:
    ingest(tmp_path, counted_feed(seasons=False))
    page = see(client, "/episodes/all-about-mirrors/")
    assert "season" not in page.html.lower()
    assert "itunes:season" not in client.get("/episodes.rss").content.decode()


def test_search_finds_show_by_name(tmp_path: Path, client: Client) -> None:
    def named(query: str) -> list[str | None]:
        page, box = see(client, f"/episodes/?q={query}"), client.get(f"/search/suggest?q={query}").content.decode()
        addresses = [a.attributes["href"] for a in page.tree.css('[aria-label="Matching pages"] a[href^="/shows/"]')]
        assert ("/shows/bees/" in box) == bool(addresses)
        return addresses

    bring(tmp_path, "Bees")
    assert [named(query) for query in ("bee", "bees and", "zz")] == [[], [], []], "the only show"
    bring(tmp_path, "Salt")
    assert [named(query) for query in ("bee", "bees and", "zz")] == [["/shows/bees/"], [], []]
