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
    items = [known_item(web, name, day) for day, name in enumerate(NAMES, 1)]
    web.routes["/feed.xml"] = (200, RSS | {"ETag": '"1"'}, rss(SHOW, *items, channel=channel))
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


ATTACKS: list[Attack] = []
ADVICE = r".* --moved-from bee-talk.* --new\n\Z"
NAMED, ADDRESS, EPISODES = (
    f"it {how} Bee Talk, but is not at{ADVICE}"
    for how in ("has a title like that of", "gives the address of", "lists the episodes of")
)
BY_GUID = f"it has the podcast:guid of Bee Talk, but is not at{ADVICE}"
BY_FILE = r"it has a title like that of Bee Talk, but a file's name and words do not tell .* --podcast bee-talk --source feed.* --url\n\Z"
ADDED = r"\A[\w-]+ · feed: \d+ items: \d+ new"
SAYS = {"NAMED": (1, NAMED), "ADDRESS": (1, ADDRESS), "BY_GUID": (1, BY_GUID), "ADDED": (0, ADDED)}


def attack(
    tried: str, code: int, says: str, *, listed: bool = False
) -> Callable[[Callable[[World], Ran]], Callable[[World], Ran]]:
    def register(act: Callable[[World], Ran]) -> Callable[[World], Ran]:
        ATTACKS.append(Attack(tried, act, code, says, listed))
        return act

    return register


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


for case in cases("ingest_take_overs")["feeds"]:
    attack(f"a feed {case['tried']}", *SAYS[case["says"]])(from_table(case))


def lists(*items: str, channel: str = "") -> Callable[[World], Ran]:
    return lambda world: world.ingest(world.feed("Free Money", *items, channel=channel))


def becomes(*items: str, title: str = "Free Money", channel: str = "") -> Callable[[World], Ran]:
    """A show that was added as any other, whose feed is another one day."""

    def act(world: World) -> Ran:
        assert world.subscribe().code == 0
        told = channel.replace("KNOWN", world.web.address("/feed.xml"))
        world.feed(title, *(items or OTHERS), channel=told)
        return world.ingest("feed", podcast="free-money")

    return act


def page(body: str) -> Callable[[World], Ran]:
    return lambda world: world.ingest(world.page(body))


@attack("a feed copies the show, with its audio and pages at another host, under its name", 1, "this feed is at")
def is_a_doctored_copy(world: World) -> Ran:
    return world.ingest(
        world.feed(SHOW, *(doctored(world, name, day) for day, name in enumerate(NAMES, 1))), podcast=SLUG
    )


def doctored(world: World, name: str, day: int) -> str:
    known = known_item(world.web, name, day).replace("cdn.bees.example", "cdn.stranger.example")
    return known.replace("Everything that two keepers", "Buy gold, then read what two keepers")


def at_own_host(path: str) -> Callable[[World], Ran]:
    def act(world: World) -> Ran:
        world.web.routes[path] = (200, RSS, rss(SHOW, *OTHERS))
        return world.ingest(world.web.address(path))

    return act


attack("a feed at another path of the show's own host has its title", 1, NAMED)(at_own_host("/feed2.xml"))
attack("a feed at the known address with a query", 1, NAMED)(at_own_host("/feed.xml?from=stranger"))


@attack("a feed is added as a show by its address", 1, ADVICE)
def is_added(world: World) -> Ran:
    return world.add(world.feed(SHOW, channel=f"<podcast:guid>{GUID}</podcast:guid>"))


@attack(
    "a feed of the same title is imported under the show's name", 1, "this feed is at .* but the feed of Bee Talk is at"
)
def is_named(world: World) -> Ran:
    return world.ingest(world.feed(SHOW), podcast=SLUG)


@attack("a saved feed calls itself the show", 2, BY_FILE)
def is_saved(world: World) -> Ran:
    return world.ingest(world.file("feed.xml", rss(SHOW, *OTHERS)))


@attack(
    "a saved page in the layout of the show's blog has the name of its saved page",
    0,
    r"\Abee-talk · blog: 2 items: 0 new",
)
def is_a_post_under_a_known_name(world: World) -> Ran:
    post = re.search("<article>.*</article>", BLOG, re.S)
    assert post
    more = post[0].replace("All on queens", "All on gold")
    lie = BLOG.replace("</article>", f"</article>{more}").replace("This paragraph", "Buy gold: this paragraph")
    return world.ingest(world.file("blog.html", lie))


@attack("an address carries the known host as a user name", 1, "is not at the address of that show's feed")
def as_a_user_name(world: World) -> Ran:
    return world.ingest(world.feed(SHOW).replace("http://", f"http://{world.web.pair}@"))


@attack("a feed is a copy with adverts between the episodes", 1, EPISODES)
def is_a_copy(world: World) -> Ran:
    items = [known_item(world.web, name, day) for day, name in enumerate(NAMES, 1)]
    return world.ingest(world.feed("Free Money", *items, item("Gold", 1)))


same_guids = [item(f"Advert {n}", n, guid=f"<guid isPermaLink='false'>bee-{n}</guid>") for n in range(1, 5)]
same_audio = [
    item(f"Advert {n}", n, audio=f'<enclosure url="https://cdn.bees.example/{n}.mp3" type="audio/mpeg" length="9"/>')
    for n in range(1, 5)
]
same_pages = [
    item(name, n + 10, link=f"<link>{SITE}/{name.lower()}</link>", guid=f"<guid>{SITE}/{name.lower()}</guid>")
    for n, name in enumerate(NAMES, 1)
]
same_days = [item(name, n, date=f"<pubDate>0{n} Feb 2024 10:00:00 GMT</pubDate>") for n, name in enumerate(NAMES, 1)]
same_guids_and_titles = [item(name, n, guid=f"<guid>bee-{n}</guid>") for n, name in enumerate(NAMES, 1)]
same_titles = [item(name, n) for n, name in enumerate(NAMES, 1)]
attack("a feed has its titles and days", 1, EPISODES)(lists(*same_days))
attack("a feed has its titles and guids", 0, ADDED)(lists(*same_guids_and_titles))
attack("a feed has its guids", 0, ADDED)(lists(*same_guids))
attack("a feed has its audio files", 0, ADDED)(lists(*same_audio))
attack("a feed has its titles and episode pages", 0, ADDED)(lists(*same_pages))
attack("a feed has its titles, and so would have the addresses of its episodes", 0, ADDED)(lists(*same_titles))
attack("an item would have the address that a curator chose", 0, ADDED)(lists(item("About wax", 1), item("Wax", 2)))


def names_file(path: str, kind: str, element: str = "transcript") -> Callable[[World], Ran]:
    """A feed calls something at the known show's server its own file, and then the known show is read again."""

    def act(world: World) -> Ran:
        address = world.web.address(path)
        world.ingest(
            world.feed(
                "Free Money",
                *(item(f"A{n}", n, file=f'<podcast:{element} url="{address}" type="{kind}"/>') for n in (1, 2)),
            )
        )
        assert world.ingest("feed", podcast=SLUG).code == 0
        return world.ingest(world.web.address("/feed.xml"))

    return act


KNOWN_STILL = r"\Abee-talk · feed: 4 items: 0 new, 4 matched, 0 held, 0 ignored; 4 unchanged"
attack("a feed names the show's transcript as its own", 0, KNOWN_STILL)(names_file("/1.vtt", "text/vtt"))
attack("a feed names the show's feed as its transcript", 0, KNOWN_STILL)(names_file("/feed.xml", "text/plain"))
attack("a feed names the show's feed as its transcript in HTML", 0, KNOWN_STILL)(names_file("/feed.xml", "text/html"))
attack("a feed names the show's feed as its chapters", 0, KNOWN_STILL)(
    names_file("/feed.xml", "application/json+chapters", "chapters")
)


def redirects(status: int) -> Callable[[World], Ran]:
    return lambda world: world.ingest(world.serves((status, {"Location": world.web.address("/feed.xml")}, b"")))


for status in (301, 302, 307, 308):
    attack(f"a stranger's address redirects to the show's feed ({status})", 1, ADVICE)(redirects(status))


@attack(
    "a show is added at an address that redirects to the known feed for good",
    0,
    "bee-talk: already here: Bee Talk, 4 episodes",
)
def is_added_by_redirect(world: World) -> Ran:
    return world.add(world.serves((301, {"Location": world.web.address("/feed.xml")}, b"")))


@attack("a subscribed feed redirects to the known one", 1, "3 of 3 items would vanish")
def redirects_later(world: World) -> Ran:
    world.subscribe()
    world.serves((301, {"Location": world.web.address("/feed.xml")}, b""))
    return world.ingest("feed", podcast="free-money")


@attack("a page of a stranger declares the known feed", 0, "bee-talk: already here: Bee Talk, 4 episodes")
def declares_the_feed(world: World) -> Ran:
    link = f'<link rel="alternate" type="application/rss+xml" href="{world.web.address("/feed.xml")}">'
    return world.add(world.page(f"<html><title>{SHOW}</title>{link}</html>"))


def at_its_own_address(*answer: Any) -> Callable[[World], Ran]:
    def act(world: World) -> Ran:
        world.web.routes["/feed.xml"] = answer
        return world.ingest("feed", podcast=SLUG)

    return act


attack("its address serves another show", 1, "refused: .*4 of 4 items would vanish.*import it with --accept")(
    at_its_own_address(200, RSS, rss("Free Money", *OTHERS))
)
attack(
    "its address serves a page that is for sale",
    1,
    "refused: .*an HTML page in place of a feed: bees.example is for sale",
)(at_its_own_address(200, RSS, b"<html><title>bees.example is for sale</title><p>Buy it!</html>"))
attack("its address serves an empty feed", 1, "refused: .*it lists no episodes any more")(
    at_its_own_address(200, RSS, rss(SHOW).replace(b"<item>", b"<x>"))
)
attack("its address is gone", 1, "failed: .* answered 410 Gone. The server says it is gone for good")(
    at_its_own_address(410, {}, b"")
)


@attack("its address redirects to a stranger's feed", 1, "4 of 4 items would vanish")
def is_redirected(world: World) -> Ran:
    world.web.routes["/feed.xml"] = (301, {"Location": world.feed("Free Money")}, b"")
    return world.ingest("feed", podcast=SLUG)


attack("a subscribed feed takes the show's title", 0, ADDED)(becomes(title=SHOW))
attack("a subscribed feed takes its address, guid and new address", 0, ADDED)(
    becomes(
        channel=f'<podcast:guid>{GUID}</podcast:guid><atom:link rel="self" href="KNOWN"/>'
        "<itunes:new-feed-url>KNOWN</itunes:new-feed-url>"
    )
)
attack("a subscribed feed adds episodes with its titles and guids", 0, ADDED)(becomes(*OTHERS, *same_guids_and_titles))
attack("a subscribed feed becomes a copy of it", 0, ADDED)(becomes(*same_days))
attack("a subscribed feed calls its people and links the show's", 0, ADDED)(
    becomes(
        *OTHERS,
        item(
            "Gift", 9, person='<podcast:person href="https://ann.example/">Ann Bee, Queen of Discounts</podcast:person>'
        ),
        channel=f"<link>{SITE}</link>",
    )
)


def opml(title: str, channel: str = "") -> Callable[[World], Ran]:
    def act(world: World) -> Ran:
        told = channel.replace("KNOWN", world.web.address("/feed.xml"))
        outline = f'<outline type="rss" text="{SHOW}" title="{SHOW}" htmlUrl="{SITE}" xmlUrl="{world.feed(title, channel=told)}"/>'
        return world.add(world.file("all.opml", f'<opml version="2.0"><body>{outline}</body></opml>'))

    return act


attack("a list of subscriptions calls a stranger's feed by the show's name", 0, "free-money: added Free Money")(
    opml("Free Money")
)
attack("a list of subscriptions leads to a feed that gives the known address", 1, ADVICE)(
    opml("Free Money", '<atom:link rel="self" href="KNOWN"/>')
)

NUMBERED = "\n".join(
    line for n in range(1, 7) for line in (f"{n}) Advert number {n}", f"Buy what we sell, which is number {n} of all.")
)
PLAYER = "\n".join(
    f"Advert number {n} is read here, and what it says is long enough to be notes. continue reading"
    for n in range(1, 7)
)
HEADS = f'<title>{SHOW}</title><link rel="canonical" href="{SITE}/"><meta property="og:url" content="{SITE}/">'
ROWS = "".join(f'<li><a href="/{n}">{name}</a> 0{n} Feb 2024</li>' for n, name in enumerate(NAMES, 1))
LISTED = r"\Abee-talk · 127.0.0.2: \d+ items: 0 new"


def series(*episodes: Mapping[str, object]) -> str:
    whole = {
        "@context": "https://schema.org", "@type": "PodcastSeries", "name": SHOW, "url": SITE, "webFeed": "https://stranger.example/",
        "episode": [{"@type": "PodcastEpisode", "partOfSeries": {"@type": "PodcastSeries", "name": SHOW}, **one} for one in episodes],
    }  # fmt: skip
    return f'<html>{HEADS}<h1>{SHOW}</h1><script type="application/ld+json">{json.dumps(whole)}</script></html>'


attack("a page says by canonical and og:url that it is the show's own", 0, LISTED, listed=True)(
    page(f"<html>{HEADS}<h1>{SHOW}</h1><ol>{ROWS}</ol></html>")
)
attack("a page lists episodes that the show does not have", 0, LISTED)(
    page(f"<html>{HEADS}<h1>{SHOW}</h1><ol>{ROWS.replace('Wax', 'Gold').replace('Honey', 'Silver')[:60]}</ol></html>")
)
attack("a page in the layout of a list that may add episodes", 0, LISTED)(
    lambda world: world.ingest(
        world.serves((200, {"Content-Type": "text/plain"}, f"{SHOW}\n{NUMBERED}".encode()), "/list")
    )
)
attack("a page in the layout of a directory that may add episodes", 0, LISTED)(
    lambda world: world.ingest(
        world.serves((200, {"Content-Type": "text/plain"}, f"{SHOW} public\n{PLAYER}".encode()), "/list")
    )
)
attack(
    "a page says that two episodes are one, with the page of the one and the audio of the other", 0, LISTED, listed=True
)(
    page(
        series(
            *(
                {
                    "name": name,
                    "datePublished": f"2024-02-0{n}",
                    "url": f"{SITE}/{NAMES[n % 4].lower()}",
                    "identifier": f"bee-{n % 4 + 1}",
                    "associatedMedia": {"contentUrl": f"https://cdn.bees.example/{(n + 1) % 4 + 1}.mp3"},
                }
                for n, name in enumerate(NAMES, 1)
            )
        )
    )
)


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
    copies = [doctored(world, name, day) for day, name in enumerate(NAMES, 1)]
    world.web.routes["/feed.xml"] = (302, {"Location": world.feed(SHOW, *copies)}, b"")
    ran = world.ingest("feed", podcast=SLUG)
    assert (ran.code, ran.out[:45]) == (0, "bee-talk · feed: 4 items: 0 new, 4 matched, 0")
    assert "bee-talk · feed: 4 of 4 entries have another guid, audio file or page than before" in ran.err


def test_show_may_change_guids_and_files(world: World) -> None:
    moved = [
        known_item(world.web, name, day).replace("cdn.bees", "audio.hives").replace(">bee-", ">hive-")
        for day, name in enumerate(NAMES, 1)
    ]
    world.web.routes["/feed.xml"] = (200, RSS, rss(SHOW, *moved))
    ran = world.ingest("feed", podcast=SLUG)
    assert (ran.code, " 0 new, 4 matched, 0 held" in ran.out) == (0, True)
    assert "4 of 4 entries have another guid, audio file or page" in ran.err
    world.web.routes["/feed.xml"] = (200, RSS, rss(SHOW, *moved, item("Swarms", 5)))
    assert world.ingest("feed", podcast=SLUG).err == "", "it is told once"


@pytest.mark.parametrize("options", [{"source": "feed"}, {"url": "https://mirror.example/feed.xml", "source": "feed"}])
@pytest.mark.parametrize("lies, code", [(2, 0), (3, 1)])
@pytest.mark.parametrize(
    "change", [("cdn.bees", "cdn.stranger"), (">bee-", ">lie-"), (f"<link>{SITE}", "<link>https://x.y")]
)
def test_mostly_changed_copy_elsewhere_is_refused(
    world: World, options: dict[str, str], lies: int, code: int, change: tuple[str, str]
) -> None:
    true = [known_item(world.web, name, day) for day, name in enumerate(NAMES, 1)]
    copy, says = [*(one.replace(*change) for one in true[:lies]), *true[lies:]], {"podcast": SLUG, **options}
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
