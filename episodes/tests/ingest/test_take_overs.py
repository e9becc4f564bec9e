"""Strangers who claim to be, to know or to replace a known show: nothing of it changes without a person's word."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from episodes.curation import add_list_entry, override_fields, remove_list_entry
from episodes.models import Decision, Document, Episode, Link, Person, Podcast, Redirect, SourceSchedule, Topic
from episodes.outputs.catalog_json import dump_json
from episodes.tests.kept import Rows, catalog_models, put_back, rows_of
from episodes.tests.loopback import Loopback, Route

from ..examples import LONG
from ..tables import cases
from .conftest import Ran, command, run
from .known_show import RSS, item
from .known_show import feed as rss

SHOW, SLUG = "Bee Talk", "bee-talk"
NAMES = ("Wax", "Honey", "Hives", "Queens")
GUID = "9b024349-ccf0-5f69-a609-6b82873eab3c"
HTML = {"Content-Type": "text/html; charset=utf-8"}
SITE = "https://bees.example"


POST = "https://blog.ezyang.com/2024/02/all-on-queens/"
BLOG = f"""<!doctype html><html><head><meta charset="utf-8"><title>Bees – ezyang’s blog</title></head><body>
<div class="h"><h1><a href="https://blog.ezyang.com/">ezyang’s blog</a></h1><p>the arc of software</p></div>
<h1>Bees</h1><article><h2><a href="{POST}">All on queens</a></h2><div class="meta">February 5, 2024</div>
<p>This paragraph was invented for the tests, and it has more than twelve words in it, so that it counts.</p>
<p><a href="{POST}">Read more...</a></p></article></body></html>"""


def known_item(web: Loopback, name: str, day: int) -> str:
    """Return an item of the known show, with long notes, a link and a guest."""
    notes = (
        f"Everything that two keepers know about {name.lower()}, from the first warm day of the year to the last one. "
        f"See https://bees.example/more/{day} and https://github.com/bees/talk/issues/{day}"
    )
    if name == "Queens":
        notes += f" and {POST} for more"
    return (
        f"<item><title>{name}</title><guid isPermaLink='false'>bee-{day}</guid><link>{SITE}/{name.lower()}</link>"
        f"<pubDate>{day:02} Feb 2024 10:00:00 GMT</pubDate><itunes:duration>{day}:30</itunes:duration>"
        f"<itunes:episode>{day}</itunes:episode><description>{notes}</description>"
        f'<enclosure url="https://cdn.bees.example/{day}.mp3" type="audio/mpeg" length="9"/>'
        f'<podcast:person role="guest" href="https://ann.example/">Ann Bee</podcast:person>'
        f'<podcast:transcript url="{web.address(f"/{day}.vtt")}" type="text/vtt"/></item>'
    )


def known_items(web: Loopback) -> list[str]:
    return [known_item(web, name, day) for day, name in enumerate(NAMES, 1)]


def doctored(web: Loopback) -> list[str]:
    """Return the items of the known show with audio at another host and an advert in the notes."""
    items = [known.replace("cdn.bees.example", "cdn.stranger.example") for known in known_items(web)]
    return [known.replace("Everything that two keepers", "Buy gold, then read what two keepers") for known in items]


@dataclass
class World:
    """The servers of the known show and of a stranger, the commands of a person, and the state of the show."""

    web: Loopback
    stranger: Loopback
    folder: Path

    def serves(self, route: Route, path: str = "/feed.xml") -> str:
        self.stranger.routes[path] = route
        return self.stranger.address(path)

    def feed(self, title: str, *items: str, channel: str = "", path: str = "/feed.xml") -> str:
        return self.serves((200, RSS, rss(title, *(items or OTHERS), channel=channel)), path)

    def page(self, body: str, path: str = "/list", headers: dict[str, str] = HTML) -> str:
        return self.serves((200, headers, body.encode()), path)

    def file(self, name: str, body: str | bytes) -> Path:
        path = self.folder / name
        path.write_bytes(body if isinstance(body, bytes) else body.encode())
        return path

    def ingest(self, *what: object, **options: object) -> Ran:
        return run(*what, **options)

    def add(self, what: object, **options: object) -> Ran:
        return command("add_show", what, **options)

    def subscribe(self, *items: str, title: str = "Free Money", channel: str = "") -> Ran:
        """Add the stranger's show."""
        return self.add(self.feed(title, *items, channel=channel))

    def portrait(self, *, pages: bool = True) -> dict[str, Any]:
        """Return the rows, the export and the pages of the known show."""
        podcast = Podcast.objects.get(slug=SLUG)
        # If the show's own feed was read in the meantime, it is due at another time.
        is_asked = any(request.path == "/feed.xml" for request in self.web.requests)
        return {
            "export": dump_json([podcast]),
            "show": _values(Podcast.objects.filter(pk=podcast.pk)),
            "sources": _values(podcast.sources.exclude(slug__in=self.hosts)),
            "due": None if is_asked else _values(SourceSchedule.objects.filter(source__podcast=podcast)),
            "decisions": _values(Decision.objects.filter(podcast=podcast)),
            "addresses": _values(Redirect.objects.filter(kind="episode", source__podcast=podcast)),
            "documents": _values(
                Document.objects.filter(source__podcast=podcast).exclude(kind="listing", vouched=False), but="asked_at"
            ),
            "topics": _values(Topic.objects.all()),
            "people": _values(Person.objects.filter(credits__episode__podcast=podcast).distinct()),
            "pages": dict(_pages(podcast)) if pages else None,
        }

    @property
    def hosts(self) -> list[str]:
        """Return the slugs of the sources that pages of the stranger create."""
        return [self.stranger.host, "saved-pages"]


OTHERS = (item("Gold", 1), item("Silver", 2), item("Copper", 3))


def _values(rows: Any, but: str = "") -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != but} for row in rows.order_by("pk").values()]


def _pages(podcast: Podcast) -> Iterator[tuple[str, str]]:
    client = Client()
    slugs = Episode.objects.filter(podcast=podcast).values_list("slug", flat=True)
    addresses = [f"/shows/{SLUG}/", *(f"/episodes/{slug}{ending}" for slug in slugs for ending in ("/", ".md"))]
    people = Person.objects.filter(credits__episode__podcast=podcast).distinct().order_by("identity")
    addresses += [f"/people/{slug}/" for slug in people.values_list("slug", flat=True)]
    for address in (*addresses, "/1"):
        answer = client.get(address)
        yield address, f"{answer.status_code} {answer.headers.get('Location', '')} {answer.content.decode()}"


def know(web: Loopback, folder: Path) -> None:
    channel = (
        f"<link>{SITE}</link><description>On bees.</description><language>en</language><itunes:author>Nora Keeper</itunes:author>"
        f'<podcast:guid>{GUID}</podcast:guid><itunes:image href="https://cdn.bees.example/cover.png"/>'
        f'<atom:link rel="self" href="{web.address("/feed.xml")}"/>'
    )
    web.routes["/feed.xml"] = (200, RSS | {"ETag": '"1"'}, rss(SHOW, *known_items(web), channel=channel))
    for day, name in enumerate(NAMES, 1):
        said = f"WEBVTT\n\n00:00:00.000 --> 00:00:04.000\n<v Nora>Welcome to a talk about {name}.</v>\n"
        web.routes[f"/{day}.vtt"] = (200, {"Content-Type": "text/vtt"}, said.encode())
    Topic.objects.create(slug="keeping", name="Keeping", rules={"title": ["hives", "wax"]})
    assert command("add_show", web.address("/feed.xml")).code == 0
    podcast = Podcast.objects.get()
    for rank, reader in ((5, "player-fm"), (4, "numbered-list")):
        podcast.sources.create(slug=reader, reader=reader, rank=rank, may_create=True)
    blog = "https://blog.ezyang.com/category/bees/"
    podcast.sources.create(slug="blog", reader="ezyang-blog", address=blog, own=True)
    page = folder / "blog.html"
    page.write_text(BLOG)
    assert run(page, url=blog, podcast=SLUG).code == 0
    carla = User.objects.create_superuser("carla")
    wax, honey = (Episode.objects.get(title=title) for title in ("Wax", "Honey"))
    override_fields(carla, wax, {"title": "All about wax", "slug": "about-wax"})
    add_list_entry(carla, honey, "link", "https://bees.example/honey-book", "The book")
    remove_list_entry(carla, Episode.objects.get(title="Hives"), "topic", "keeping")
    web.routes["/other.xml"] = (200, RSS, rss("Looms Weekly", item("Jacquard", 1), item("Dobby", 2)))
    assert command("add_show", web.address("/other.xml")).code == 0  # so that the catalog has several shows


pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class Attack:
    tried: str
    act: Callable[[World], Ran]
    code: int
    says: str
    listed: bool = False  # a page may list the show's episodes, which changes none of their values


ADVICE = r".* --podcast bee-talk --source feed, .* --moved-from bee-talk.* --new\n\Z"
NAMED, ADDRESS, EPISODES = (
    f"it {how} Bee Talk, but is not at{ADVICE}"
    for how in ("has a title like that of", "gives the address of", "lists the episodes of")
)
BY_GUID = f"it has the podcast:guid of Bee Talk, but is not at{ADVICE}"
BY_FILE = r"it has a title like that of Bee Talk, but a file's name and words do not tell .* --podcast bee-talk --source feed.* --url\n\Z"
ADDED = r"\A[\w-]+ · feed: \d+ items: \d+ new"
SAYS = {"NAMED": (1, NAMED), "ADDRESS": (1, ADDRESS), "BY_GUID": (1, BY_GUID), "ADDED": (0, ADDED)}


@dataclass
class Servers:
    """Both servers, and the rows and answers of the known show, which is imported once."""

    web: Loopback
    stranger: Loopback
    rows: Rows = field(default_factory=list)
    routes: dict[str, Route] = field(default_factory=dict)
    portrait: dict[str, Any] = field(default_factory=dict)


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with Loopback() as web, Loopback(host="127.0.0.2") as stranger:
        yield Servers(web, stranger)


@pytest.fixture
def world(servers: Servers, db: None, settings: Any, tmp_path: Path) -> World:
    web, stranger = servers.web, servers.stranger
    settings.IMAGES = "off"
    settings.READ_SECONDS = 0  # these documents are small
    settings.FETCH_ALLOW = web.allow | stranger.allow
    known = World(web, stranger, tmp_path)
    if not servers.rows:
        know(web, tmp_path)
        servers.rows = rows_of([User, *catalog_models()])
        web.requests.clear()
        servers.routes, servers.portrait = dict(web.routes), known.portrait()
    else:
        put_back(servers.rows)
    web.routes, stranger.routes = dict(servers.routes), {}
    web.requests.clear()
    return known


def from_table(case: dict[str, Any]) -> Callable[[World], Ran]:
    def act(world: World) -> Ran:
        channel = case.get("channel", "").replace("KNOWN", world.web.address("/feed.xml"))
        items = [
            item(f"A{n}", n, **{name: text.replace("{n}", str(n)) for name, text in case.get("item", {}).items()})
            for n in (1, 2)
        ]
        return world.ingest(world.feed(case.get("title", "Free Money"), *items, channel=channel))

    return act


def lists(*items: str) -> Callable[[World], Ran]:
    return lambda world: world.ingest(world.feed("Free Money", *items))


def becomes(*items: str, title: str = "Free Money", channel: str = "") -> Callable[[World], Ran]:
    """A show that was added as any other, whose feed is another one day."""

    def act(world: World) -> Ran:
        assert world.subscribe().code == 0
        told = channel.replace("KNOWN", world.web.address("/feed.xml"))
        world.feed(title, *(items or OTHERS), channel=told)
        return world.ingest("feed", podcast="free-money")

    return act


def page(body: str, headers: dict[str, str] = HTML) -> Callable[[World], Ran]:
    return lambda world: world.ingest(world.page(body, headers=headers))


def at_own_host(path: str) -> Callable[[World], Ran]:
    def act(world: World) -> Ran:
        world.web.routes[path] = (200, RSS, rss(SHOW, *OTHERS))
        return world.ingest(world.web.address(path))

    return act


def is_a_post_under_a_known_name(world: World) -> Ran:
    post = re.search("<article>.*</article>", BLOG, re.S)
    assert post
    more = post[0].replace("All on queens", "All on gold")
    lie = BLOG.replace("</article>", f"</article>{more}").replace("This paragraph", "Buy gold: this paragraph")
    return world.ingest(world.file("blog.html", lie))


def names_file(path: str, kind: str, element: str = "transcript") -> Callable[[World], Ran]:
    """A feed calls something at the known show's server its own file, and then the known show is read again."""

    def act(world: World) -> Ran:
        named = f'<podcast:{element} url="{world.web.address(path)}" type="{kind}"/>'
        world.ingest(world.feed("Free Money", *(item(f"A{n}", n, file=named) for n in (1, 2))))
        assert world.ingest("feed", podcast=SLUG).code == 0
        return world.ingest(world.web.address("/feed.xml"))

    return act


def redirect(world: World, status: int = 301) -> str:
    """Return an address of the stranger that redirects to the known feed."""
    return world.serves((status, {"Location": world.web.address("/feed.xml")}, b""))


def redirects(status: int) -> Callable[[World], Ran]:
    return lambda world: world.ingest(redirect(world, status))


def redirects_later(world: World) -> Ran:
    world.subscribe()
    redirect(world)
    return world.ingest("feed", podcast="free-money")


def declares_the_feed(world: World) -> Ran:
    link = f'<link rel="alternate" type="application/rss+xml" href="{world.web.address("/feed.xml")}">'
    return world.add(world.page(f"<html><title>{SHOW}</title>{link}</html>"))


def at_its_own_address(*answer: Any) -> Callable[[World], Ran]:
    def act(world: World) -> Ran:
        world.web.routes["/feed.xml"] = answer
        return world.ingest("feed", podcast=SLUG)

    return act


def is_redirected(world: World) -> Ran:
    return at_its_own_address(301, {"Location": world.feed("Free Money")}, b"")(world)


def opml(channel: str = "") -> Callable[[World], Ran]:
    def act(world: World) -> Ran:
        feed = world.feed("Free Money", channel=channel.replace("KNOWN", world.web.address("/feed.xml")))
        outline = f'<outline type="rss" text="{SHOW}" title="{SHOW}" htmlUrl="{SITE}" xmlUrl="{feed}"/>'
        return world.add(world.file("all.opml", f'<opml version="2.0"><body>{outline}</body></opml>'))

    return act


def series(*episodes: Mapping[str, object]) -> str:
    whole = {
        "@context": "https://schema.org", "@type": "PodcastSeries", "name": SHOW, "url": SITE, "webFeed": "https://stranger.example/",
        "episode": [{"@type": "PodcastEpisode", "partOfSeries": {"@type": "PodcastSeries", "name": SHOW}, **one} for one in episodes],
    }  # fmt: skip
    return f'<html>{HEADS}<h1>{SHOW}</h1><script type="application/ld+json">{json.dumps(whole)}</script></html>'


OWN_GUID = f"<podcast:guid>{GUID}</podcast:guid>"
SELF = '<atom:link rel="self" href="KNOWN"/>'
AUDIO = '<enclosure url="https://cdn.bees.example/{}.mp3" type="audio/mpeg" length="9"/>'
PAGES = [f"{SITE}/{name.lower()}" for name in NAMES]
DAYS = list(enumerate(NAMES, 1))
same_guids = [item(f"Advert {n}", n, guid=f"<guid isPermaLink='false'>bee-{n}</guid>") for n, _ in DAYS]
same_audio = [item(f"Advert {n}", n, audio=AUDIO.format(n)) for n, _ in DAYS]
same_pages = [
    item(NAMES[n], n + 11, link=f"<link>{url}</link>", guid=f"<guid>{url}</guid>") for n, url in enumerate(PAGES)
]
same_days = [item(name, n, date=f"<pubDate>0{n} Feb 2024 10:00:00 GMT</pubDate>") for n, name in DAYS]
same_guids_and_titles = [item(name, n, guid=f"<guid>bee-{n}</guid>") for n, name in DAYS]
same_titles = [item(name, n) for n, name in DAYS]
GIFT = item(
    "Gift", 9, person='<podcast:person href="https://ann.example/">Ann Bee, Queen of Discounts</podcast:person>'
)
PLAIN = {"Content-Type": "text/plain"}
NUMBERED = "".join(f"\n{n}) Advert number {n}\nBuy what we sell, which is number {n} of all." for n in range(1, 7))
PLAYER = "".join(
    f"\nAdvert number {n} is read here, and what it says is long enough to be notes. continue reading"
    for n in range(1, 7)
)
HEADS = f'<title>{SHOW}</title><link rel="canonical" href="{SITE}/"><meta property="og:url" content="{SITE}/">'
ROWS = "".join(f'<li><a href="/{n}">{name}</a> 0{n} Feb 2024</li>' for n, name in DAYS)
OTHER_ROWS = ROWS.replace("Wax", "Gold").replace("Honey", "Silver")[:60]
# The page of the one episode with the audio of another.
MIXED = [
    {
        "name": name,
        "datePublished": f"2024-02-0{n}",
        "url": PAGES[n % 4],
        "identifier": f"bee-{n % 4 + 1}",
        "associatedMedia": {"contentUrl": f"https://cdn.bees.example/{(n + 1) % 4 + 1}.mp3"},
    }
    for n, name in DAYS
]
LISTED = r"\Abee-talk · 127.0.0.2: \d+ items: 0 new"
KNOWN_STILL = r"\Abee-talk · feed: 4 items: 0 new, 4 matched, 0 held, 0 ignored; 4 unchanged"
HERE = "bee-talk: already here: Bee Talk, 4 episodes"
GONE = "failed: .* answered 410 Gone. The server says it is gone for good"
FOR_SALE = b"<html><title>bees.example is for sale</title><p>Buy it!</html>"
ATTACKS = [
    *(Attack(f"a feed {case['tried']}", from_table(case), *SAYS[case["says"]]) for case in cases("ingest_take_overs")["feeds"]),
    Attack("a feed copies the show, with its audio and pages at another host, under its name",
           lambda world: world.ingest(world.feed(SHOW, *doctored(world.web)), podcast=SLUG), 1, "this feed is at"),
    Attack("a feed at another path of the show's own host has its title", at_own_host("/feed2.xml"), 1, NAMED),
    Attack("a feed at the known address with a query", at_own_host("/feed.xml?from=stranger"), 1, NAMED),
    Attack("a feed is added as a show by its address", lambda world: world.add(world.feed(SHOW, channel=OWN_GUID)), 1, ADVICE),
    Attack("a feed of the same title is imported under the show's name",
           lambda world: world.ingest(world.feed(SHOW), podcast=SLUG), 1, "this feed is at .* but the feed of Bee Talk is at"),
    Attack("a saved feed calls itself the show",
           lambda world: world.ingest(world.file("feed.xml", rss(SHOW, *OTHERS))), 2, BY_FILE),
    Attack("a saved page in the layout of the show's blog has the name of its saved page",
           is_a_post_under_a_known_name, 0, r"\Abee-talk · blog: 2 items: 0 new"),
    Attack("an address carries the known host as a user name",
           lambda world: world.ingest(world.feed(SHOW).replace("http://", f"http://{world.web.pair}@")),
           1, "is not at the address of that show's feed"),
    Attack("a feed is a copy with adverts between the episodes",
           lambda world: lists(*known_items(world.web), item("Gold", 1))(world), 1, EPISODES),
    Attack("a feed has its titles and days", lists(*same_days), 1, EPISODES),
    Attack("a feed has its titles and guids", lists(*same_guids_and_titles), 0, ADDED),
    Attack("a feed has its guids", lists(*same_guids), 0, ADDED),
    Attack("a feed has its audio files", lists(*same_audio), 0, ADDED),
    Attack("a feed has its titles and episode pages", lists(*same_pages), 0, ADDED),
    Attack("a feed has its titles, and so would have the addresses of its episodes", lists(*same_titles), 0, ADDED),
    Attack("an item would have the address that a curator chose", lists(item("About wax", 1), item("Wax", 2)), 0, ADDED),
    Attack("a feed names the show's transcript as its own", names_file("/1.vtt", "text/vtt"), 0, KNOWN_STILL),
    Attack("a feed names the show's feed as its transcript", names_file("/feed.xml", "text/plain"), 0, KNOWN_STILL),
    Attack("a feed names the show's feed as its transcript in HTML", names_file("/feed.xml", "text/html"), 0, KNOWN_STILL),
    Attack("a feed names the show's feed as its chapters",
           names_file("/feed.xml", "application/json+chapters", "chapters"), 0, KNOWN_STILL),
    *(Attack(f"a stranger's address redirects to the show's feed ({status})", redirects(status), 1, ADVICE)
      for status in (301, 302, 307, 308)),
    Attack("a show is added at an address that redirects to the known feed for good",
           lambda world: world.add(redirect(world)), 0, HERE),
    Attack("a subscribed feed redirects to the known one", redirects_later, 1, "3 of 3 items would vanish"),
    Attack("a page of a stranger declares the known feed", declares_the_feed, 0, HERE),
    Attack("its address serves another show", at_its_own_address(200, RSS, rss("Free Money", *OTHERS)),
           1, "refused: .*4 of 4 items would vanish.*import it with --accept"),
    Attack("its address serves a page that is for sale", at_its_own_address(200, RSS, FOR_SALE),
           1, "refused: .*an HTML page in place of a feed: bees.example is for sale"),
    Attack("its address serves an empty feed", at_its_own_address(200, RSS, rss(SHOW).replace(b"<item>", b"<x>")),
           1, "refused: .*it lists no episodes any more"),
    Attack("its address is gone", at_its_own_address(410, {}, b""), 1, GONE),
    Attack("its address redirects to a stranger's feed", is_redirected, 1, "4 of 4 items would vanish"),
    Attack("a subscribed feed takes the show's title", becomes(title=SHOW), 0, ADDED),
    Attack("a subscribed feed takes its address, guid and new address",
           becomes(channel=f"{OWN_GUID}{SELF}<itunes:new-feed-url>KNOWN</itunes:new-feed-url>"), 0, ADDED),
    Attack("a subscribed feed adds episodes with its titles and guids", becomes(*OTHERS, *same_guids_and_titles), 0, ADDED),
    Attack("a subscribed feed becomes a copy of it", becomes(*same_days), 0, ADDED),
    Attack("a subscribed feed calls its people and links the show's",
           becomes(*OTHERS, GIFT, channel=f"<link>{SITE}</link>"), 0, ADDED),
    Attack("a list of subscriptions calls a stranger's feed by the show's name", opml(), 0, "free-money: added Free Money"),
    Attack("a list of subscriptions leads to a feed that gives the known address", opml(SELF), 1, ADVICE),
    Attack("a page says by canonical and og:url that it is the show's own",
           page(f"<html>{HEADS}<h1>{SHOW}</h1><ol>{ROWS}</ol></html>"), 0, LISTED, listed=True),
    Attack("a page lists episodes that the show does not have",
           page(f"<html>{HEADS}<h1>{SHOW}</h1><ol>{OTHER_ROWS}</ol></html>"), 0, LISTED),
    Attack("a page in the layout of a list that may add episodes", page(f"{SHOW}{NUMBERED}", PLAIN), 0, LISTED),
    Attack("a page in the layout of a directory that may add episodes", page(f"{SHOW} public{PLAYER}", PLAIN), 0, LISTED),
    Attack("a page says that two episodes are one, with the page of the one and the audio of the other",
           page(series(*MIXED)), 0, LISTED, listed=True),
]  # fmt: skip


@pytest.mark.parametrize("one", [pytest.param(one, id=one.tried) for one in ATTACKS])
def test_stranger_changes_nothing_of_known_show(servers: Servers, world: World, one: Attack) -> None:
    ran = one.act(world)
    said = ran.out + ran.err
    assert (ran.code, bool(re.search(one.says, said))) == (one.code, True), said
    assert "Traceback" not in said
    # Pages follow from the rest, and what is refused has written nothing that they could show.
    assert_same(servers.portrait, world.portrait(pages=LONG and not ran.code), world if one.listed else None)
    assert Podcast.objects.filter(title=SHOW, slug=SLUG).count() == 1


def test_redirect_to_doctored_copy_is_reported(world: World) -> None:
    """The show's own address is the show's, whatever it serves; but nobody shall miss that it serves something else."""
    world.web.routes["/feed.xml"] = (302, {"Location": world.feed(SHOW, *doctored(world.web))}, b"")
    ran = world.ingest("feed", podcast=SLUG)
    assert (ran.code, ran.out[:45]) == (0, "bee-talk · feed: 4 items: 0 new, 4 matched, 0")
    assert "bee-talk · feed: 4 of 4 entries have another guid, audio file or page than before" in ran.err


def test_show_may_change_guids_and_files(world: World) -> None:
    items = known_items(world.web)
    moved = [known.replace("cdn.bees", "audio.hives").replace(">bee-", ">hive-") for known in items]
    world.web.routes["/feed.xml"] = (200, RSS, rss(SHOW, *moved))
    ran = world.ingest("feed", podcast=SLUG)
    assert (ran.code, " 0 new, 4 matched, 0 held" in ran.out) == (0, True)
    assert "4 of 4 entries have another guid, audio file or page" in ran.err
    world.web.routes["/feed.xml"] = (200, RSS, rss(SHOW, *moved, item("Swarms", 5)))
    assert world.ingest("feed", podcast=SLUG).err == "", "it is told once"


OTHER_AUDIO = ("cdn.bees", "cdn.stranger")


@pytest.mark.parametrize(
    "lies, code, change, options",
    [
        (2, 0, OTHER_AUDIO, {}), (3, 1, OTHER_AUDIO, {}), (3, 1, (">bee-", ">lie-"), {}),
        (3, 1, (f"<link>{SITE}", "<link>https://x.y"), {}), (3, 1, OTHER_AUDIO, {"url": "https://mirror.example/feed.xml"}),
    ],
)  # fmt: skip
def test_mostly_changed_copy_elsewhere_is_refused(
    world: World, lies: int, code: int, change: tuple[str, str], options: dict[str, str]
) -> None:
    true = known_items(world.web)
    copy = [*(one.replace(*change) for one in true[:lies]), *true[lies:]]
    says = {"podcast": SLUG, "source": "feed", **options}
    assert world.ingest(world.file("copy.xml", rss(SHOW, *true, item("More", 5))), **says).code == 0
    path = world.file("copy.xml", rss(SHOW, *copy, item("More", 5)))
    ran = world.ingest(path, **says)
    told = "0 of 5 items would vanish and 3 would change completely"
    assert (ran.code, told in ran.err) == (code, bool(code))
    assert world.ingest(path, **says, accept=True).code == 0


def test_link_keeps_first_shows_name(world: World, client: Client) -> None:
    address, theirs = f"{SITE}/more/1", "https://stranger.example/own"
    labelled = "<description><![CDATA[<p><a href='{}'>HACKED {}</a> and more of it</p>]]></description>"
    early = "<pubDate>01 Jan 2001 10:00:00 GMT</pubDate>"
    links = ((address, "label"), (theirs, "name"))
    items = [item(f"A{n}", n, date=early, notes=labelled.format(*link)) for n, link in enumerate(links, 1)]
    assert world.subscribe(*items).code == 0
    for page in ("/links/", "/links.csv", "/links.md"):
        answer = client.get(page)
        assert (answer.status_code, "HACKED label" in answer.content.decode()) == (200, False), page
    key = Link.objects.get(key__endswith="bees.example/more/1").key
    (heading,) = re.findall("<h1.*?</h1>", client.get("/links/item/", {"key": key}).content.decode(), re.S)
    assert "HACKED" not in heading
    assert "HACKED name" in client.get("/links.csv").content.decode(), "a link of one show alone has the name it gives"


def assert_same(before: dict[str, Any], after: dict[str, Any], listed: World | None) -> None:
    if listed:
        after["export"] = unlisted(after["export"], listed)
        before, after = (
            {name: part for name, part in one.items() if name not in ("pages", "addresses")} for one in (before, after)
        )
    for name, part in before.items():
        if name in ("due", "pages") and after[name] is None:
            continue
        assert after[name] == part, name


def unlisted(export: str, world: World) -> str:
    """The export without the places of the stranger that list an episode."""
    data = json.loads(export)
    for episode in data["episodes"]:
        episode["sources"] = [source for source in episode["sources"] if source["source"] not in world.hosts]
    data["held"] = [one for one in data["held"] if one["source"] not in world.hosts]
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
