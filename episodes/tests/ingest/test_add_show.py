"""`manage.py add_show`: shows by the address of a feed, of a page that links one, or by a list of subscriptions."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from episodes.models import Document, Episode, Podcast, Source, Status

from ..loopback import Loopback
from .conftest import Ran, command, run
from .test_identity_of_feeds import feed, item

RSS = {"Content-Type": "application/rss+xml"}
HTML = {"Content-Type": "text/html"}
Write = Callable[[str, bytes | str], Path]


def show(title: str, *names: str, channel: str = "") -> bytes:
    items = (
        item(name, f"{title} {name}", day).replace(
            "</item>", f'<enclosure url="https://cdn.example/{title}/{day}.mp3" type="audio/mpeg"/></item>'
        )
        for day, name in enumerate(names or ("First", "Second"), 1)
    )
    return feed(title, *items, channel=channel).encode()


def add(name: object, **options: object) -> Ran:
    return command("add_show", name, **options)


def test_show_is_added_once_by_address(web: Loopback) -> None:
    web.routes["/feed"] = (200, RSS, show("Bee Talk"))
    assert add(web.address("/feed")) == Ran("bee-talk: added Bee Talk, 2 episodes\n", "", 0)
    assert add(web.address("/feed")) == Ran("bee-talk: already here: Bee Talk, 2 episodes\n", "", 0)
    assert Podcast.objects.get().feed_url == web.address("/feed")


def test_dry_run_reports_feed_and_writes_nothing(web: Loopback) -> None:
    channel = "<language>sv</language><itunes:author>Ann</itunes:author>"
    web.routes["/feed"] = (200, RSS, show("Bee Talk", channel=channel))
    ran = add(web.address("/feed"), dry_run=True)
    assert ran == Ran("Bee Talk: would add Bee Talk: 2 items\n", "", 0)
    assert not Podcast.objects.exists()


PAGES = {
    "a declared feed": '<link rel="alternate" type="application/rss+xml" href="feed.xml">',
    "a feed behind that of comments": '<link rel="alternate" type="application/rss+xml" title="Comments" href="/comments">'
    '<link rel="alternate" type="application/rss+xml" href="/feed.xml">',
    "a podcast's feed behind a blog's": '<link rel="alternate" type="application/rss+xml" href="/blog">'
    '<link rel="alternate" type="application/rss+xml" href="/feed.xml">',
    "data of a directory": r'<script>window.data = {"feedUrl":"http:\/\/HOST\/feed.xml"}</script>',
    "data that is no JSON": r'<script>d = {"feedUrl":"http:\x2F\x2FHOST\x2Ffeed.xml", "feed_url":"it\'s"}</script>',
    "a link": '<p><a href="/about">About</a> <a href="/feed.xml">RSS</a>',
    "a link for apps": '<p><a href="feed://HOST/feed.xml">Subscribe</a>',
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES.keys())
def test_a_page_leads_to_its_podcasts_feed(web: Loopback, page: str) -> None:
    web.routes["/feed.xml"] = (200, RSS, show("Bee Talk"))
    web.routes["/blog"] = (200, RSS, feed("Bee Blog", item("Post")).encode())
    web.routes["/"] = (200, HTML, f"<html><title>Bees</title>{page.replace('HOST', web.pair)}".encode())
    assert add(web.address("/")) == Ran("bee-talk: added Bee Talk, 2 episodes\n", "", 0)


def test_page_without_feed_is_reported(web: Loopback) -> None:
    web.routes["/"] = (200, HTML, b"<html><title>Bees</title><p>Nothing here.")
    ran = add(web.address("/"))
    assert ran.code == 1
    assert ran.err == f"{web.address('/')}: not a feed, and the page links none: “Bees”\n"


def test_moved_feed_is_added_at_new_address(web: Loopback) -> None:
    web.routes["/old"] = (301, {"Location": "/new"}, b"")
    web.routes["/new"] = (200, RSS, show("Bee Talk"))
    assert add(web.address("/old")).code == 0
    assert Podcast.objects.get().feed_url == web.address("/new")
    assert add(web.address("/old")).out == "bee-talk: already here: Bee Talk, 2 episodes\n"


def opml(*outlines: str) -> str:
    return f'<?xml version="1.0"?><opml version="2.0"><body><outline text="All">{"".join(outlines)}</outline></body></opml>'


def test_every_show_of_a_list_is_added(web: Loopback, file: Write) -> None:
    for name in ("Bee Talk", "Salt", "Looms"):
        web.routes[f"/{name[0]}"] = (200, RSS, show(name, f"{name} begins", f"{name} goes on"))
    host = web.pair
    path = file(
        "subscriptions.opml",
        opml(
            f'<outline type="rss" text="Bees" xmlUrl="http://{host}/B"/>',
            f'<outline type="rss" text="Bees again" xmlUrl="http://{host}/B"/>',
            f'<outline type="rss" text="Salt &amp; sea" xmlurl="feed://{host}/S?a=1&b=2"/>',
            f'<outline type="rss" text="Dead" xmlUrl="http://{host}/gone"/>',
            '<outline type="rss" text="Local" xmlUrl="file:///etc/passwd"/>',
            '<outline type="rss" text="Nothing"/>',
            f'<outline type="link" text="A page" url="http://{host}/L"/>',
        ),
    )
    web.routes["/S?a=1&b=2"] = web.routes["/S"]
    ran = add(path)
    assert ran.code == 1
    assert ran.out.splitlines() == [
        "bee-talk: added Bee Talk, 2 episodes",
        "salt: added Salt, 2 episodes",
        "looms: added Looms, 2 episodes",
    ]
    assert ran.err.splitlines() == [
        f"Dead: http://{host}/gone answered 404 Not Found",
        "Local: 'file:///etc/passwd' is not an http(s) address",
        "Nothing: no feed address",
    ]
    assert add(path).out.splitlines() == [
        "bee-talk: already here: Bee Talk, 2 episodes",
        "salt: already here: Salt, 2 episodes",
        "looms: already here: Looms, 2 episodes",
    ]


def test_remote_list_explains_how_to_add(web: Loopback) -> None:
    web.routes["/all"] = (200, RSS, opml('<outline text="B" xmlUrl="https://b.example"/>').encode())
    assert "manage.py add_show FILE" in add(web.address("/all")).err


def test_a_show_moves_to_one_address(web: Loopback, file: Write) -> None:
    web.routes["/feed"] = (200, RSS, show("Bee Talk"))
    add(web.address("/feed"))
    outlines = [f'<outline text="{n}" xmlUrl="https://{n}.example/f"/>' for n in ("a", "b")]
    ran = add(file("all.opml", opml(*outlines)), moved_from="bee-talk")
    assert ran.code == 2
    assert "the address of one feed" in ran.err


@pytest.mark.parametrize(
    "content, words",
    [
        ("<opml><body/></opml>", "lists no feed"),
        ("<opml><body><outline", "not well-formed"),
        ("", "the document is empty"),
        ("some words", "neither a feed nor an OPML file"),
        ('<!DOCTYPE opml [<!ENTITY a "b">]><opml><body/></opml>', "defines its own XML entities"),
        (show("Bee Talk"), "this is a saved feed: give its original address with --url"),
    ],
)
def test_unusable_file_says_why(db: None, file: Write, content: str | bytes, words: str) -> None:
    ran = add(file("list.opml", content))
    assert (ran.code, ran.out) == (1, "")
    assert words in ran.err
    assert not Podcast.objects.exists()


def test_saved_feed_gets_its_original_address(db: None, file: Write) -> None:
    ran = add(file("bees.xml", show("Bee Talk")), url="https://bees.example/feed")
    assert (ran.code, ran.err) == (0, "")
    assert Source.objects.get(podcast__title="Bee Talk").address == "https://bees.example/feed"


def test_compressed_feed_is_added_and_imported(db: None, file: Write) -> None:
    zipped = file("bees.xml.gz", gzip.compress(show("Bee Talk")))
    assert add(zipped, url="https://bees.example/feed").code == 0
    assert Episode.objects.count() == 2
    more = file("more.xml.gz", gzip.compress(show("Bee Talk", "First", "Second", "Third")))
    assert command("ingest", more, url="https://bees.example/feed").code == 0
    assert Episode.objects.count() == 3
    damaged = add(file("cut.xml.gz", gzip.compress(show("Ant Talk"))[:-9]), url="https://ants.example/feed")
    assert damaged.code == 1
    assert "it is a damaged gzip file" in damaged.err


@pytest.mark.parametrize(
    "name, url", [("", "bees"), ("https://bees.example/", "https://b.example/"), ("missing.xml", "https://b.example/")]
)
def test_original_address_needs_a_file(db: None, file: Write, name: str, url: str) -> None:
    ran = add(name or file("bees.xml", show("Bee Talk")), url=url)
    assert (ran.code, "--url gives the original" in ran.err) == (2, True)
    assert f"{name!r} is no file" in ran.err or not name
    assert not Podcast.objects.exists()


@pytest.mark.parametrize("title", ["", "\u200b\u2060"])  # of which nothing can be seen
def test_untitled_feed_is_sent_to_ingest(web: Loopback, title: str) -> None:
    web.routes["/feed"] = (200, RSS, show(title))
    ran = add(web.address("/feed"))
    assert (ran.code, "ingest it with --podcast SLUG" in ran.err) == (1, True)


def test_neither_address_nor_file_is_wrong_usage(db: None) -> None:
    assert add("bees").code == add("ftp://bees.example/feed").code == 2


def test_lookalike_title_is_reported(web: Loopback, file: Write) -> None:
    title = "\u0412ee T\u0430lk"  # with two Cyrillic letters
    feeds = {"/a": ("Bee Talk", "Wax", "Honey"), "/b": (title, "Gold", "Silver"), "/c": (title, "Copper", "Tin")}
    web.routes |= {path: (200, RSS, show(*names)) for path, names in feeds.items()}
    add(web.address("/a"))
    ran = run(web.address("/b"))
    assert (ran.code, "it has a title like that of Bee Talk" in ran.err) == (1, True)
    note = "it has a title like that of another show: bee-talk\n"
    for name in (web.address("/b"), file("all.opml", opml(f'<outline text="C" xmlUrl="{web.address("/c")}"/>'))):
        ran = add(name)
        assert (ran.code, ran.err.endswith(note)) == (0, True)


def test_direction_marks_leave_titles(web: Loopback) -> None:
    """Marks of direction and joiners stay: Hebrew, Persian and many emoji are written with them."""
    stay = "\u200fשעוה\u200e \u0645\u06cc\u200c\u0631\u0648\u062f 👩\u200d🌾"
    web.routes["/feed"] = (200, RSS, show("\u202eeeB\u202c Talk\u2066", f"\u202d{stay}\u2069", "B &amp;#x202e;ee"))
    assert add(web.address("/feed")).code == 0
    assert Podcast.objects.get().title == "eeB Talk"
    assert set(Episode.objects.values_list("title", flat=True)) == {stay, "B ee"}


def test_moved_show_keeps_episodes_and_guard(web: Loopback) -> None:
    names = ("Wax", "Honey", "Hives")
    web.routes |= {"/old": (200, RSS, show("Bee Talk", *names)), "/new": (200, RSS, show("Bee Talk", *names, "Queens"))}
    add(web.address("/old"))
    assert "lists the episodes of Bee Talk" in add(web.address("/new")).err
    ran = add(web.address("/new"), moved_from="bee-talk")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("/new; 4 episodes\n")
    assert (Podcast.objects.get().feed_url, Document.objects.get().address) == (web.address("/new"),) * 2
    web.routes["/advert"] = (200, RSS, show("Advert", "A", "B", "C"))
    assert "import it with --accept" in add(web.address("/advert"), moved_from="bee-talk").err
    assert Source.objects.get().address == web.address("/new"), "a move that is refused is taken back"


def test_refused_move_or_return_says_why(web: Loopback) -> None:
    web.routes |= {"/bees": (200, RSS, show("Bee Talk")), "/salt": (200, RSS, show("Salt", "Sea", "Rock"))}
    add(web.address("/bees"))
    add(web.address("/salt"))
    Podcast.objects.create(slug="feedless", title="Feedless")
    assert "this address is the feed of Salt" in add(web.address("/salt"), moved_from="bee-talk").err
    assert "no show with a feed has the slug feedless" in add(web.address("/bees"), moved_from="feedless").err
    Podcast.objects.filter(slug="salt").update(status=Status.REMOVED)
    assert "Salt was removed; an administrator can bring it back" in add(web.address("/salt")).err
    assert Source.objects.filter(reader="feed").count() == 2


def test_source_of_two_shows_needs_the_show(web: Loopback) -> None:
    web.routes |= {"/bees": (200, RSS, show("Bee Talk")), "/salt": (200, RSS, show("Salt", "Sea", "Rock"))}
    add(web.address("/bees"))
    add(web.address("/salt"))
    assert run("feed") == Ran("", "'feed' is a source of several shows; choose one with --podcast", 2)
    assert run("feed", podcast="salt").code == 0


def test_move_of_unknown_show_fetches_nothing(web: Loopback) -> None:
    web.routes["/old"] = (200, RSS, show("Bee Talk"))
    add(web.address("/old"))
    web.requests.clear()
    ran = add(web.address("/new"), moved_from="salt")
    assert (ran.code, ran.err) == (2, "unknown show: 'salt'; known shows: bee-talk")
    assert web.requests == []


def test_a_feed_proposes_where_it_moved(web: Loopback) -> None:
    web.routes["/feed"] = (
        200,
        RSS,
        show("Bee Talk", channel="<itunes:new-feed-url>https://new.example/</itunes:new-feed-url>"),
    )
    add(web.address("/feed"))
    assert Source.objects.get().moved_to == "https://new.example/"
    web.routes["/feed"] = (200, RSS, show("Bee Talk", "First", "Second", "Third"))
    run("feed")
    assert Source.objects.get().moved_to == ""
    web.routes["/feed"] = (308, {"Location": "/other"}, b"")
    web.routes["/other"] = (200, RSS, show("Bee Talk", "First", "Second", "Third", "Fourth"))
    advice = "accept that in the admin, or with add_show --moved-from bee-talk"
    assert run("feed").err == f"feed: the feed moved to {web.address('/other')}; {advice}\n"
    assert Source.objects.get().moved_to == web.address("/other")
    assert Source.objects.get().address == web.address("/feed")
    web.routes["/feed"] = (302, {"Location": "/other"}, b"")
    assert run("feed").err == ""


def test_show_follows_feed_until_edited(web: Loopback) -> None:
    said = "<language>sv</language><itunes:author>{}</itunes:author><description>{}</description>"
    web.routes["/feed"] = (200, RSS, show("Bee Talk", channel=said.format("Ann", "On bees")))
    add(web.address("/feed"))
    Podcast.objects.update(author="Ann B.")
    web.routes["/feed"] = (200, RSS, show("Bee Talk", channel=said.format("Bob", "On all bees")))
    run("feed")
    podcast = Podcast.objects.get()
    assert (podcast.author, podcast.description, podcast.channel.author) == ("Ann B.", "On all bees", "Bob")
