"""A known show, its stored values and pages, and a stranger's server that tries to change them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from episodes.curation import add_list_entry, override_fields, remove_list_entry
from episodes.models import Decision, Document, Episode, Person, Podcast, Redirect, SourceSchedule, Topic
from episodes.outputs.catalog_json import dump_json
from episodes.tests.loopback import Loopback, Route

from .conftest import Ran, command, run

SHOW, SLUG = "Bee Talk", "bee-talk"
NAMES = ("Wax", "Honey", "Hives", "Queens")
GUID = "9b024349-ccf0-5f69-a609-6b82873eab3c"
RSS = {"Content-Type": "application/rss+xml"}
HTML = {"Content-Type": "text/html; charset=utf-8"}
SITE = "https://bees.example"
SPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom" '
    'xmlns:podcast="https://podcastindex.org/namespace/1.0" xmlns:psc="http://podlove.org/simple-chapters"'
)


def feed(title: str, *items: str, channel: str = "") -> bytes:
    return (
        f'<rss version="2.0" {SPACES}><channel><title>{title}</title>{channel}{"".join(items)}</channel></rss>'.encode()
    )


def item(title: str, day: int, /, **more: str) -> str:
    """Return an item of a stranger's feed. `more` replaces one of its elements, or adds one."""
    elements = {
        "guid": f"<guid isPermaLink='false'>stranger-{day}</guid>",
        "audio": f'<enclosure url="https://stranger.example/{day}.mp3" type="audio/mpeg" length="9"/>',
        "date": f"<pubDate>{day:02} Apr 2024 09:00:00 GMT</pubDate>",
        "notes": f"<description>Buy what we sell on day {day}, and then buy it once more for your friends.</description>",
    } | more
    return f"<item><title>{title}</title>{''.join(elements.values())}</item>"


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
        return self.serves((200, RSS, feed(title, *(items or OTHERS), channel=channel)), path)

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
    web.routes["/feed.xml"] = (200, RSS | {"ETag": '"1"'}, feed(SHOW, *items, channel=channel))
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
    web.routes["/other.xml"] = (200, RSS, feed("Looms Weekly", item("Jacquard", 1), item("Dobby", 2)))
    assert command("add_show", web.address("/other.xml")).code == 0  # so that the catalog has several shows
