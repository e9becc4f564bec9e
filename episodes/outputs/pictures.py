"""Images of shows and episodes as pages and feeds show them: kept by us, linked where they are, or
none (IMAGES)."""

from collections.abc import Collection
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from ..models import Episode, Image, Person, Podcast

SMALL = 150  # pixels of the small file's longer side


@dataclass(frozen=True)
class Picture:
    """An image to show: its address, its size where it is known, and a small copy where there is
    one."""

    address: str
    width: int = 0
    height: int = 0
    small: str = ""

    def fitted(self, size: int) -> tuple[int, int]:
        """Width and height in a square of `size` pixels, never enlarged; the square where its own
        size is unknown."""
        if not self.width:
            return size, size
        scale = min(1, size / max(self.width, self.height))
        return max(1, round(self.width * scale)), max(1, round(self.height * scale))

    @property
    def srcset(self) -> str:
        """Both files with their widths, for a browser to choose from; "" where there is one."""
        return (
            f"{self.small} {self.fitted(SMALL)[0]}w, {self.address} {self.width}w"
            if self.small
            else ""
        )


def picture(thing: Podcast | Episode | Person) -> Picture | None:
    """The show's cover; of an episode its own image, else the cover; a person's photo. Looked up
    once for each `thing`."""
    if "picture" not in vars(thing):
        add_pictures([thing])
    found: Picture | None = vars(thing)["picture"]
    return found


def add_pictures(things: Collection[Podcast | Episode | Person]) -> None:
    """Look up the pictures of many shows or episodes at once: `picture` then asks the database for
    none of them."""
    addresses = {address for thing in things for address in _addresses(thing)}
    known = {}
    if settings.IMAGES == "link":
        # The policy of the pages allows no other scheme.
        secure = (address for address in addresses if address.startswith("https://"))
        known = {address: Picture(address) for address in secure}
    elif settings.IMAGES == "keep":
        kept = Image.objects.exclude(name="").in_bulk(addresses, field_name="address")
        for image in kept.values():
            files = [reverse("media", args=(name,)) for name in (image.large, image.small)]
            known[image.address] = Picture(files[0], image.width, image.height, files[1])
    for thing in things:
        vars(thing)["picture"] = next(filter(None, map(known.get, _addresses(thing))), None)


def _addresses(thing: Podcast | Episode | Person) -> tuple[str, ...]:
    """The addresses that the feed or a curator names, the best first."""
    return (
        (thing.image_url, thing.podcast.image_url)
        if isinstance(thing, Episode)
        else (thing.image_url,)
    )
