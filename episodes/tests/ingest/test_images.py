"""Covers and images of episodes that a live feed names are fetched once, kept small, and made again when they are lost."""

import os
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.utils import timezone
from PIL import Image as Pillow

from episodes.gather import FetchRun
from episodes.ingest import ImportOptions, fetch_and_import_source
from episodes.models import Episode, Image, Podcast, Source
from episodes.tests.loopback import Loopback, Request

from .conftest import Ran, run

RED, BLUE = (200, 30, 20), (20, 30, 200)


def jpeg(color: tuple[int, int, int] = RED, side: int = 300) -> bytes:
    file = BytesIO()
    Pillow.new("RGB", (side, side), color).save(file, "JPEG")
    return file.getvalue()


def sent(body: bytes, **headers: str) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "image/jpeg", **headers}, body


@pytest.fixture(autouse=True)
def looms(web: Loopback, settings: Any, tmp_path: Path) -> None:
    """Serve a show with three episodes: its cover, and an image of the first and of the third."""
    settings.MEDIA_ROOT = tmp_path / "media"
    podcast = Podcast.objects.create(slug="looms", title="Looms Weekly", language="en")
    about = {"rank": 1, "may_create": True, "complete": True, "own": True, "address": web.address("/feed")}
    Source.objects.create(podcast=podcast, slug="feed", reader="feed", **about)
    web.routes |= {
        "/feed": sent(feed(web)),
        "/cover.jpg": sent(jpeg()),
        "/1.jpg": sent(jpeg(BLUE)),
        "/3.jpg": sent(jpeg()),
    }


def feed(
    web: Loopback, cover: str = "/cover.jpg", images: tuple[str, ...] = ("/1.jpg", "/cover.jpg", "/3.jpg")
) -> bytes:
    items = "".join(
        f"<item><title>Loom {n}</title><guid>{n}</guid><pubDate>Sat, 0{n} May 2021 10:00:00 GMT</pubDate>"
        f"<description>Number {n} is about looms and their weavers.</description>"
        f'<itunes:image href="{web.address(image)}"/></item>'
        for n, image in enumerate(images, 1)
    )
    return f"""<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"><channel>
      <title>Looms Weekly</title><itunes:image href="{web.address(cover)}"/>{items}</channel></rss>""".encode()


def asked(web: Loopback) -> list[str]:
    """The paths of the images that were asked for since the last time."""
    paths = [request.path for request in web.requests if request.path != "/feed"]
    web.requests.clear()
    return paths


def later(**time: float) -> Ran:
    with time_machine.travel(timezone.now() + timedelta(**time), tick=False):
        return run("feed")


def test_images_are_off_by_default(web: Loopback) -> None:
    fetch_and_import_source(Source.objects.get(), ImportOptions(allowed_private_hosts=web.allow), timezone.now)
    assert (Episode.objects.count(), asked(web)) == (3, [])


def test_cover_then_newest_images_once(web: Loopback) -> None:
    ran = run("feed")
    assert (ran.code, ran.err) == (0, "feed: images stored: 3\n")
    assert asked(web) == ["/cover.jpg", "/3.jpg", "/1.jpg"]
    assert all(default_storage.exists(name) for image in Image.objects.all() for name in (image.large, image.small))
    assert set(Image.objects.values_list("width", "height", "trouble")) == {(300, 300, "")}
    assert run("feed").err == ""
    assert asked(web) == []


def test_import_without_images_or_network_fetches_none(web: Loopback, settings: Any, tmp_path: Path) -> None:
    saved = tmp_path / "feed.xml"
    saved.write_bytes(feed(web))
    run(saved, "--source", "feed")
    run("feed", "--dry-run")
    rows = "".join(f"<li>Loom {n}, {n} May 2021</li>" for n in (1, 2, 3))
    web.routes["/list"] = (200, {"Content-Type": "text/html"}, f"<h1>Looms Weekly</h1><ul>{rows}</ul>".encode())
    assert "3 matched" in run(web.address("/list"), "--podcast", "looms").out
    assert asked(web) == ["/list"]
    settings.IMAGES = "off"
    run("feed")
    assert (asked(web), Image.objects.count()) == ([], 0)
    assert not Path(settings.MEDIA_ROOT).exists()


def test_lost_image_files_are_fetched_again(web: Loopback, settings: Any) -> None:
    def cover(request: Request) -> tuple[int, dict[str, str], bytes]:
        return (304, {}, b"") if "if-none-match" in request.headers else sent(jpeg(), ETag='"1"')

    web.routes["/cover.jpg"] = cover
    run("feed")
    asked(web)
    files = sorted(os.listdir(settings.MEDIA_ROOT))
    lost = Image.objects.get(address=web.address("/cover.jpg"))
    default_storage.delete(lost.small)
    call_command("tidy", verbosity=0)
    assert run("feed").err == "feed: images stored: 1\n"
    assert asked(web) == ["/cover.jpg"]
    assert sorted(os.listdir(settings.MEDIA_ROOT)) == files


def test_cover_is_checked_monthly(web: Loopback) -> None:
    web.routes["/cover.jpg"] = sent(jpeg(), ETag='"1"')
    run("feed")
    old = Image.objects.get(address=web.address("/cover.jpg"))
    asked(web)
    web.routes["/cover.jpg"] = (304, {}, b"")
    assert later(days=31).err == ""
    assert web.requests[-1].headers["if-none-match"] == '"1"'
    assert asked(web) == ["/cover.jpg"]
    web.routes["/cover.jpg"] = sent(jpeg(BLUE), ETag='"2"')
    assert later(days=40).err == ""
    assert later(days=62).err == "feed: images stored: 1\n"
    new = Image.objects.get(address=web.address("/cover.jpg"))
    assert new.name != old.name
    assert default_storage.exists(new.large)
    assert not default_storage.exists(old.large)
    web.routes["/cover.jpg"] = (404, {}, b"")
    later(days=93)
    assert default_storage.exists(Image.objects.get(address=web.address("/cover.jpg")).large)


def test_missing_image_is_reported_and_backs_off(web: Loopback, client: Any) -> None:
    web.routes["/3.jpg"] = sent(b"<!doctype html><title>Oops</title>")
    web.routes["/1.jpg"] = (404, {}, b"")
    ran = run("feed")
    assert ran.code == 0
    assert ran.err.splitlines() == [
        "feed: images stored: 1; failed: 2, see /sources/",
        f"  {web.address('/3.jpg')}: not a JPEG, PNG, WebP or GIF image",
        f"  {web.address('/1.jpg')} answered 404 Not Found",
    ]
    assert Episode.objects.count() == 3
    page = client.get("/sources/").content.decode()
    assert "2 images unavailable" in page
    assert "/1.jpg answered 404 Not Found" in page
    asked(web)
    requests = [later(days=days) and len(asked(web)) for days in (0.9, 1.1, 2.9, 3.2, 7, 7.4)]
    assert requests == [0, 2, 0, 2, 0, 2]
    web.routes["/3.jpg"] = sent(jpeg())
    assert later(days=90).err.startswith("feed: images stored: 1; failed: 1, see /sources/")
    assert Image.objects.get(address=web.address("/3.jpg")).trouble == ""


def test_image_server_may_ask_to_wait(web: Loopback) -> None:
    web.routes["/cover.jpg"] = (429, {"Retry-After": "864000"}, b"")  # ten days, of which a week is granted
    run("feed")
    assert asked(web) == ["/cover.jpg"]
    later(days=6.9)
    assert asked(web) == ["/3.jpg", "/1.jpg"]
    later(days=7.1)
    assert asked(web) == ["/cover.jpg"]


@pytest.mark.on_both
def test_missing_images_never_delay_the_others(web: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FetchRun.iterate_rows_to_fetch_and_count_attempts.__globals__, "MAX_FILES_PER_RUN", 2)
    for name in ("/cover.jpg", "/3.jpg"):
        del web.routes[name]
    run("feed")
    assert asked(web) == ["/cover.jpg", "/3.jpg"]
    later(days=2)
    assert asked(web) == ["/cover.jpg", "/1.jpg"]


def test_bad_image_address_is_trouble(web: Loopback) -> None:
    run("feed")
    Episode.objects.filter(slug="loom-1").update(image_url="http://[::1")
    Episode.objects.filter(slug="loom-2").update(image_url="https://10.0.0.1/cover.jpg")
    Episode.objects.filter(slug="loom-3").update(image_url=f"https://images.example/{'ü' * 600}.jpg")
    assert "failed: 2" in run("feed").err
    assert Image.objects.exclude(trouble="").count() == 2


def test_unwritable_image_folder_is_reported_once(web: Loopback, settings: Any) -> None:
    Path(settings.MEDIA_ROOT).write_text("a file in place of the folder")
    ran = run("feed")
    assert ran.code == 0
    assert "images cannot be stored" in ran.err
    assert Episode.objects.count() == 3
    assert asked(web) == ["/cover.jpg"]
    Path(settings.MEDIA_ROOT).unlink()
    assert run("feed").err == "feed: images stored: 3\n"
