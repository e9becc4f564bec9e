"""Scripts that come in by every way, feeds, pages, transcripts, chapters and people, and come out of none as such."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from selectolax.lexbor import LexborHTMLParser

import podcast_catalog.admin_urls  # noqa: F401  registers the tables
from episodes.curation import add_list_entry, override_fields, render_episodes_csv_bytes
from episodes.fields import OVERRIDABLE_FIELDS
from episodes.models import CodeName, Decision, Episode, LearningPath, Link, Person, Podcast, Source, Topic
from episodes.tests.examples import examples
from episodes.tests.loopback import Loopback

BARE = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"'><svg onload=alert(1)>", "</title></textarea><script>alert(1)</script>",
    "<a href=javascript:alert(1)>x</a>", "<iframe srcdoc='<script>alert(1)</script>'>", "]]><script>alert(1)</script>", "--><script>alert(1)</script>",
    "{{ 7|add:7 }}{% debug %}", "<math><mtext><style><img src onerror=alert(1)>", "<scr<script>ipt>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;",
    "\\u003cscript\\u003ealert(1)", "=cmd|' /C calc'!A0", "<form action=//evil.example><input name=q>", "<base href=//evil.example>",
)  # fmt: skip
SCHEMES = (
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", " java\tscript:alert(1)", "data:text/html,<script>alert(1)</script>",
    "vbscript:x",
)  # fmt: skip
REPAIR = "/admin/episodes/episode/repair/type/"
SCRIPTS = re.compile(r"^\s*(?:javascript|data|vbscript):", re.I)
SPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0"'
)


def feed(web: Loopback) -> bytes:
    """A feed with a payload in each place; an item for each payload."""
    items = "".join(_item(web, number, escape(bare)) for number, bare in enumerate(BARE, 1))
    all_of_it = escape(" ".join(BARE))
    channel = (
        f"<description>{all_of_it}</description><itunes:author>{escape(BARE[0])}</itunes:author><copyright>{all_of_it}</copyright>"
        f"<link>javascript:alert(1)</link><language>{escape(BARE[1])}</language><itunes:image href='javascript:alert(1)'/>"
        f"<category>{escape(BARE[1])}</category><podcast:funding url='javascript:alert(1)'>{all_of_it}</podcast:funding>"
    )
    return f"<rss version='2.0' {SPACES}><channel><title>Bees {escape(BARE[0])}</title>{channel}{items}</channel></rss>".encode()


def _item(web: Loopback, number: int, text: str) -> str:
    scheme = escape(SCHEMES[number % len(SCHEMES)])
    links = "".join(f'&lt;a href="{escape(escape(one))}"&gt;x&lt;/a&gt;' for one in SCHEMES)
    return (
        f"<item><title>{text} {number}</title><guid>{text}{number}</guid><link>{scheme}</link><author>{text}</author>"
        f"<pubDate>{number:02} May 2021 13:00:00 GMT</pubDate><description>{text} {links} https://example.org/{number}</description>"
        f'<enclosure url="{scheme}" type="audio/mpeg"/><itunes:image href="{scheme}"/><category>{text}</category>'
        f'<podcast:person href="{scheme}" img="{scheme}" role="guest">{text} Smith</podcast:person>'
        f'<podcast:location geo="{scheme}">{text}</podcast:location><podcast:license url="{scheme}">{text}</podcast:license>'
        f'<podcast:transcript url="{web.address(f"/{number}.vtt")}" type="text/vtt"/>'
        f'<podcast:chapters url="{web.address(f"/{number}.json")}" type="application/json+chapters"/></item>'
    )


@pytest.fixture
def everywhere(db: None, settings: Any, tmp_path: Path) -> User:
    curator = User.objects.create_superuser("<b onclick=alert(1)>carla")
    with Loopback() as web:
        settings.FETCH_ALLOW, settings.IMAGES, settings.READ_SECONDS = web.allow, "off", 0
        for number, bare in enumerate(BARE, 1):
            cue = f"WEBVTT\n\n00:00:00.000 --> 00:00:04.000\n<v {bare}>{bare} and what they say about it\n"
            web.routes[f"/{number}.vtt"] = (200, {"Content-Type": "text/vtt"}, cue.encode())
            chapter = {"startTime": 0, "title": bare, "url": SCHEMES[0], "img": SCHEMES[3]}
            body = json.dumps({"version": "1.2.0", "chapters": [chapter]}).encode()
            web.routes[f"/{number}.json"] = (200, {"Content-Type": "application/json+chapters"}, body)
        web.routes["/feed"] = (200, {"Content-Type": "application/rss+xml"}, feed(web))
        Topic.objects.create(slug="bees", name=BARE[0], description=BARE[1], group=BARE[0], rules={"title": ["alert"]})
        call_command("add_show", web.address("/feed"), stdout=io.StringIO(), stderr=io.StringIO())
    podcast = Podcast.objects.get()
    rows = "".join(f"<li><a href='{SCHEMES[0]}'>{escape(bare)} {n}</a> {n} May 2021" for n, bare in enumerate(BARE, 1))
    page = tmp_path / "page.html"
    page.write_text(f"<html><title>{escape(podcast.title)}</title><h1>{escape(podcast.title)}</h1><ul>{rows}</ul>")
    Source.objects.filter(slug="feed").update(title=BARE[0])
    call_command("ingest", page, podcast=podcast.slug, stdout=io.StringIO(), stderr=io.StringIO())
    for place in (1, 2, 3):
        texts, address = {"title": BARE[0], "description_text": " ".join(BARE)}, f"https://example.org/{BARE[0]}"
        override_fields(curator, Episode.objects.get(order=place), texts, reason=BARE[1])
        add_list_entry(curator, Episode.objects.get(order=place), "link", address, BARE[1])
        add_list_entry(
            curator, Episode.objects.get(order=place), "person", f"{BARE[0]} Jones", f"guest {BARE[0]} Jones"
        )
    by_repair(curator)
    steps = [{"episode": episode.slug, "why": BARE[0]} for episode in Episode.objects.all()[:2]]
    LearningPath.objects.create(slug="path", title=BARE[0], description=BARE[1], author=BARE[0], steps=steps)
    return curator


def by_repair(curator: User) -> None:
    """Send a payload in typed values, in the name of a filter, and in refused forms."""
    client = Client()
    client.force_login(curator, "django.contrib.auth.backends.ModelBackend")
    slugs = list(Episode.objects.values_list("slug", flat=True))
    lines = [f"{slug} {BARE[number % len(BARE)]} {number}" for number, slug in enumerate(slugs)]
    for field in (field for field in OVERRIDABLE_FIELDS if field.name != "slug"):
        form = {"field_name": field.name, "lines": "\n".join([*lines, *BARE]), "replaces_decisions": "on"}
        shown = client.post(REPAIR, form)
        assert_harmless(REPAIR, shown.headers["Content-Type"], shown.content.decode())
        done = client.post(REPAIR, {**form, "seen": shown.context.get("token", "")}, follow=True)
        assert_harmless(REPAIR, done.headers["Content-Type"], done.content.decode())
    client.post(f"/admin/episodes/episode/save-filter/?q={quote(BARE[0])}", {"name": BARE[1][:80]})


def addresses() -> Iterator[str]:
    for name in "episodes topics links people names timeline time about sources changes data paths shows".split():
        yield reverse(name)
    for ending in ("rss", "json", "csv", "atom"):
        yield from (f"/episodes.{ending}", f"/topics/bees.{ending}")
    yield from (
        "/links.csv", "/links.md", "/llms.txt", "/llms-full.txt", "/changes.rss", "/shows.opml", "/sources.json", "/topics/bees/",
        "/paths/path/", "/opensearch.xml", "/manifest.webmanifest", "/sitemap.xml", "/episodes/?q=%3Cscript%3Ealert(1)%3C/script%3E",
        f"/{quote(BARE[1])}", f"/episodes/?{urlencode({BARE[1]: BARE[0], 'topic': BARE[1]})}",
    )  # fmt: skip
    for slug in Episode.objects.values_list("slug", flat=True):
        yield from (f"/episodes/{slug}{end}" for end in ("/", ".md", "/chapters.json", "/transcript.vtt"))
    for model in (Podcast, Person, CodeName):
        yield from (row.get_absolute_url() for row in model._default_manager.all()[:: examples(3, 1)])
    yield from (reverse("link") + f"?key={key}" for key in Link.objects.values_list("key", flat=True)[:10])


def of_the_admin() -> Iterator[str]:
    yield from ("/admin/", "/admin/inbox/")
    for model in admin.site._registry:
        name = f"{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"admin:{name}_changelist")
        for row in model._default_manager.all()[:3]:
            yield reverse(f"admin:{name}_change", args=[row.pk])


def assert_pages_are_harmless(client: Client, addresses: Iterator[str], others: set[int], least: int) -> None:
    seen = 0
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code in {200, *others}, address
        seen += answer.status_code == 200
        assert_harmless(address, answer.headers["Content-Type"], answer.getvalue().decode())
    assert seen > least


def test_nothing_runs_what_came_in(everywhere: User) -> None:
    client = Client()
    assert_pages_are_harmless(client, addresses(), {301, 404, 410}, 80)
    client.force_login(everywhere, "django.contrib.auth.backends.ModelBackend")
    assert_pages_are_harmless(client, of_the_admin(), {302, 404}, 30)
    titles = set(Episode.objects.values_list("title", flat=True))
    assert {f"{bare} {number}" for number, bare in enumerate(BARE)} <= titles
    assert Decision.objects.filter(kind="value", field="title").count() >= len(BARE)
    cells = [cell for row in csv.reader(io.StringIO(client.get("/episodes.csv").content.decode())) for cell in row]
    sheet = render_episodes_csv_bytes(Episode.objects.all()).decode("utf-8-sig")
    cells += [cell for row in csv.reader(io.StringIO(sheet)) for cell in row]
    assert any("calc" in cell for cell in cells)
    assert not [cell for cell in cells if cell[:1] in tuple("=+-@\t\r＝＋－＠")]


def assert_harmless(address: str, kind: str, text: str) -> None:
    if "html" in kind:
        assert not list(active(text)), (address, list(active(text)))
    elif "xml" in kind:
        for element in ET.fromstring(text).iter():
            led_to = [element.get(name, "") for name in ("url", "href", "src", "uri", "img", "xmlUrl", "htmlUrl")]
            assert not any(map(SCRIPTS.match, led_to)), (address, led_to)
            name = element.tag.rpartition("}")[2]
            assert not (name in ("link", "url", "id") and SCRIPTS.match(element.text or "")), address
            # Only these are markup to who reads them; the others are text.
            notes = [element.text] if name in ("encoded", "content") else []
            notes += [element.findtext("description")] if name == "item" else []
            found = [what for one in notes for what in active(one or "")]
            assert not found, (address, found)
    elif "json" in kind:
        json.loads(text)
    elif "csv" in kind:
        assert not any(cell[:1] in ("=", "+", "@") for row in csv.reader(io.StringIO(text)) for cell in row), address
    else:
        assert kind.startswith("text/") or "mpegurl" in kind, (address, kind)


def active(text: str) -> Iterator[str]:
    for node in LexborHTMLParser(text).css("*"):
        if node.tag in ("script", "iframe", "object", "embed", "base", "style", "svg script"):
            own = node.tag == "script" and ("src" in node.attributes or "json" in (node.attributes.get("type") or ""))
            if not own or not (node.attributes.get("src") or "/").startswith("/"):
                yield node.html or ""
        for name, value in node.attributes.items():
            leads_on = name in ("href", "src", "action", "formaction", "data", "poster", "srcset")
            is_script = SCRIPTS.match(value or "") and not (value or "").startswith("data:image/")
            if name.startswith("on") or (leads_on and is_script):
                yield f"{node.tag} {name}={value}"
