"""Images on pages, in feeds and where a link is shared: our own copies, the publisher's, or none."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from django.conf import settings as configured
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client

from episodes.models import Episode, Image, Person, Podcast

from ..test_settings import read_again
from .pages import Seen, see

pytestmark = pytest.mark.usefixtures("images")

SITE = "http://testserver"
COVER, OWN = "https://images.example/cover.jpg", "https://images.example/vmap.png"
COVER_NAME, OWN_NAME = f"{'c' * 32}-{'1' * 8}", f"{'d' * 32}-{'2' * 8}"
BYTES = b"RIFF....WEBP of a cover"


@pytest.fixture
def images(catalog: None, settings: Any, tmp_path: Path) -> None:
    """The show's cover, and an image of its own for one episode, both kept."""
    settings.MEDIA_ROOT = tmp_path
    Image.objects.create(address=COVER, name=COVER_NAME, width=600, height=600)
    Image.objects.create(address=OWN, name=OWN_NAME, width=400, height=300)
    # As the feed would name them.
    Podcast.objects.update(image_url=COVER)
    Episode.objects.filter(slug="vmap").update(image_url=OWN)
    for image in Image.objects.all():
        for name in (image.large, image.small):
            default_storage.save(name, ContentFile(BYTES))


def metas(page: Seen, prefix: str) -> list[str]:
    found = page.tree.css(f'meta[property^="{prefix}"], meta[name^="{prefix}"]')
    return [meta.attributes["content"] or "" for meta in found]


def of(page: Seen) -> dict[str, str | None]:
    return dict(page.one("img.picture").attributes)


def test_episode_shows_image_or_cover(client: Client) -> None:
    small, large = f"/media/{OWN_NAME}-150.webp", f"/media/{OWN_NAME}-600.webp"
    assert of(see(client, "/episodes/vmap/")) == {
        "class": "picture", "src": small, "srcset": f"{small} 150w, {large} 400w", "sizes": "96px", "width": "96",
        "height": "72", "alt": "", "loading": "lazy", "decoding": "async",
    }  # fmt: skip
    # Without an image of its own that is kept it shows the cover.
    found = of(see(client, "/episodes/strides/"))
    assert found["src"] == f"/media/{COVER_NAME}-150.webp"
    assert (found["width"], found["height"]) == ("96", "96")
    Episode.objects.filter(slug="strides").update(image_url="https://images.example/not-kept.png")
    assert of(see(client, "/episodes/strides/")) == found


def test_shared_episode_shows_its_image(client: Client) -> None:
    page = see(client, "/episodes/vmap/")
    assert metas(page, "og:image") == [f"{SITE}/media/{OWN_NAME}-600.webp", "400", "300", "vmap"]
    assert metas(page, "twitter:card") == ["summary"]
    for address in ("/episodes/", "/topics/", "/links/"):
        assert metas(see(client, address), "og:image")[0] == f"{SITE}/media/{COVER_NAME}-600.webp"
    Podcast.objects.create(slug="other", title="Other")
    assert metas(see(client, "/episodes/"), "og:image")[0] == f"{SITE}/card.png"


def channel_images(client: Client, query: str = "") -> set[bool]:
    """True for each of the feeds that names the cover as its own image."""
    address = f"{SITE}/media/{COVER_NAME}-600.webp"
    texts = {kind: client.get(f"/episodes.{kind}{query}").content.decode() for kind in ("rss", "atom", "json")}
    return {
        f'<itunes:image href="{address}"/>' in texts["rss"] and f"<url>{address}</url>" in texts["rss"],
        f"<logo>{address}</logo>" in texts["atom"],
        json.loads(texts["json"])["icon"] == address,
    }


def test_feeds_have_cover_of_their_show(client: Client) -> None:
    assert channel_images(client) == {True}
    Podcast.objects.create(slug="other", title="Other")
    assert channel_images(client) == {False}
    assert channel_images(client, "?podcast=pytorch-developer-podcast") == {True}


def test_stored_image_is_served_and_cacheable(client: Client) -> None:
    answer = client.get(f"/media/{COVER_NAME}-600.webp")
    assert (answer.status_code, answer.content) == (200, BYTES)
    assert answer["Content-Type"] == "image/webp"
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "Set-Cookie" not in answer
    again = client.get(f"/media/{COVER_NAME}-600.webp", headers={"if-none-match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    default_storage.delete(f"{COVER_NAME}-600.webp")
    answer = client.get(f"/media/{COVER_NAME}-600.webp")
    assert (answer.status_code, answer["Cache-Control"]) == (404, "no-cache")
    assert see(client, "/episodes/strides/").status == 200


@pytest.mark.parametrize(
    "name",
    ["secret.txt", "../secret.txt", "..%2fsecret.txt", "%2e%2e/secret.txt", f"../media/{COVER_NAME}-600.webp", f"{COVER_NAME}-600.webp/",
     f"{COVER_NAME}-600.webp%0a", f"{COVER_NAME}-600.webp%00", f"{COVER_NAME}-601.webp", f"{COVER_NAME}.webp", f"{'e' * 32}-{'1' * 8}-600.webp",
     ""],
)  # fmt: skip
def test_nothing_else_is_served(client: Client, name: str) -> None:
    default_storage.save("secret.txt", ContentFile(b"secret"))
    default_storage.save(f"{'e' * 32}-{'1' * 8}-600.webp", ContentFile(b"in the folder, but not in the table"))
    assert client.get(f"/media/{name}").status_code == 404


# The same on every machine, in every version of Python and for ever: browsers keep it for a year.
DRAWN = "/covers/60de5e3916eb9e3e"


def test_drawn_cover_replaces_missing_images(client: Client, settings: Any) -> None:
    settings.IMAGES = "off"
    page = see(client, "/episodes/vmap/")
    cover = client.get(f"{DRAWN}.svg")
    # The page contains it.
    kind, _, drawing = str(of(page)["src"]).partition(",")
    assert (kind, unquote(drawing)) == ("data:image/svg+xml", cover.content.decode())
    assert metas(page, "og:image")[0] == f"{SITE}/episodes/vmap/card.png"
    assert channel_images(client) == {False}
    assert client.get(f"/media/{COVER_NAME}-600.webp").status_code == 404
    assert (cover["Content-Type"], cover["Cache-Control"]) == ("image/svg+xml", "public, max-age=31536000, immutable")
    assert sha256(cover.content).hexdigest() == "684fcd18eb334246fe862bce8f24fb78b18b2e8c691b6cdfa069973fc5d1441a"
    png = client.get(f"{DRAWN}.png")
    assert (png["Content-Type"], png.content[:4]) == ("image/png", b"\x89PNG")
    assert client.get("/covers/0123456789abcdef.svg").status_code == 404
    card = client.get("/shows/pytorch-developer-podcast/card.png")
    assert (card["Content-Type"], card.content[:4]) == ("image/png", b"\x89PNG")


def test_people_show_stored_faces(client: Client) -> None:
    assert not see(client, "/people/").tree.css(".picture")
    Person.objects.filter(slug="edward-yang").update(image_url=OWN)
    index = see(client, "/people/")
    assert of(index)["src"] == f"/media/{OWN_NAME}-150.webp"
    # Beside a face everybody has a picture.
    pictures = [str(image.attributes["src"]) for image in index.tree.css(".everybody .picture")]
    assert len(pictures) == len(index.tree.css(".everybody .person"))
    drawn = unquote("".join(pictures))
    assert ">H</text>" in drawn  # Horace
    assert ">EU</text>" in drawn  # Eli Uriegas
    assert of(see(client, "/people/edward-yang/"))["src"] == f"/media/{OWN_NAME}-150.webp"


@pytest.mark.parametrize(
    "environment, name, value",
    [
        ({"IMAGES": "keep"}, "IMG_SRC", ["'self'", "data:"]),
        ({"IMAGES": "off"}, "IMG_SRC", ["'self'", "data:"]),
        ({"DATABASE_URL": "sqlite:////srv/catalog/db.sqlite3"}, "MEDIA_ROOT", Path("/srv/catalog/media")),
        ({"DATABASE_URL": "sqlite:///db.sqlite3"}, "MEDIA_ROOT", configured.BASE_DIR / "media"),
        ({"DATABASE_URL": "postgres://catalog@localhost/catalog"}, "MEDIA_ROOT", configured.BASE_DIR / "media"),
        ({"MEDIA_ROOT": "/srv/images"}, "MEDIA_ROOT", Path("/srv/images")),
    ],
)
def test_settings_control_images(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], name: str, value: object
) -> None:
    for key, given in environment.items():
        monkeypatch.setenv(key, given)
    read: Any = read_again()
    found = [str(each) for each in read["SECURE_CSP"]["img-src"]] if name == "IMG_SRC" else Path(read["MEDIA_ROOT"])
    assert found == value
