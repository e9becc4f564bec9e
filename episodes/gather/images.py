"""Fetches the images that feeds and curators name and keeps them small in the file storage; the
only module that writes Image."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Exists, OuterRef

from ..models import Episode, Image, Person, Podcast, batches, raise_version
from ..records import DocumentRejected, FetchedDocument
from .fetch import Unreachable, fetch
from .fetch_run import FetchRun, patience
from .reading import read_image

ACCEPT = "image/webp, image/png, image/jpeg, image/gif;q=0.9, */*;q=0.1"
MOST_BYTES = 10_000_000
LONGEST_ADDRESS = 1_000  # bytes: what a database can index
COVER_LASTS = timedelta(days=30)  # after which it is asked whether it changed
UNNAMED_LASTS = timedelta(days=30)
NEVER = datetime(1, 1, 1, tzinfo=UTC)


def fetch_images(
    podcast: Podcast,
    name: str,
    *,
    allow: frozenset[str],
    clock: Callable[[], datetime],
    watch: Callable[[str], None] = lambda message: None,
) -> str:
    """Fetch the images of a show that are not kept yet; what came of it in words, "" where there
    was nothing.

    The cover comes first, then images that were never asked for, those of people and of the newest
    episodes first. `name` is what `watch` calls the show.
    """
    run, kept = FetchRun(), 0
    for address in _waiting(podcast, clock()):
        if not run.may_ask(address):
            continue
        watch(f"{name}: fetching {address}")
        run.asked.add(address)
        try:
            kept += _take(address, run, allow, clock)
        except OSError as error:
            run.troubles.append(f"images cannot be stored: {error}")
            break
    return run.told(kept, "images stored")


def _waiting(podcast: Podcast, now: datetime) -> list[str]:
    """The addresses to ask, in this order."""
    cover = podcast.image_url
    people = Person.objects.filter(credits__episode__podcast=podcast)
    episodes = Episode.objects.filter(podcast=podcast).order_by("-order")
    named = [cover]
    for rows in (people, episodes):
        named += rows.exclude(image_url="").values_list("image_url", flat=True)
    images = {address: Image(address=address) for address in named if _fits(address)}
    for some in batches(list(images)):
        images |= {image.address: image for image in Image.objects.filter(address__in=some)}
    due = [
        image for image in images.values() if _is_due(image, now, is_cover=image.address == cover)
    ]
    due.sort(key=lambda image: (image.address != cover, image.asked_at or NEVER))
    return [image.address for image in due]


def _fits(address: str) -> bool:
    return 0 < len(address.encode("utf-8", "replace")) <= LONGEST_ADDRESS


def _is_due(image: Image, now: datetime, *, is_cover: bool) -> bool:
    if image.not_before and image.not_before > now:
        return False
    return not _is_kept(image) or (is_cover and (image.asked_at or NEVER) + COVER_LASTS <= now)


def _is_kept(image: Image) -> bool:
    """True where both files are there; a restored database can know files that are lost."""
    return bool(image.name) and all(
        default_storage.exists(name) for name in (image.large, image.small)
    )


def _take(
    address: str, run: FetchRun, allow: frozenset[str], clock: Callable[[], datetime]
) -> bool:
    """Ask for an image and keep it, True where it is a new one; where that fails, the files that
    are there stay.

    Raises:
        OSError: the storage takes no file.
    """
    image, _ = Image.objects.get_or_create(address=address)
    shown = _shown(image)
    before = image.name = image.name if _is_kept(image) else ""
    etag, last_modified = (image.etag, image.last_modified) if before else ("", "")
    try:
        page = fetch(
            address,
            etag=etag,
            last_modified=last_modified,
            accept=ACCEPT,
            allow=allow,
            max_bytes=MOST_BYTES,
        )
        if page is not None:
            _keep(image, page)
        image.trouble, image.not_before = "", None
    except (Unreachable, DocumentRejected) as trouble:
        wait = max(run.failed(address, trouble), patience(image.asked_at, image.not_before))
        image.trouble, image.not_before = str(trouble)[:1000], clock() + wait
    image.asked_at = clock()
    with transaction.atomic():
        image.save()
        if _shown(image) != shown:
            raise_version()
    if before not in ("", image.name):
        _delete_files(Image(name=before))
    return image.name not in ("", before)


def _shown(image: Image) -> tuple[object, ...]:
    """The part of a row that pages show."""
    return image.name, image.width, image.height, image.trouble


def _keep(image: Image, page: FetchedDocument) -> None:
    """Write the files, under a name that changes with the bytes, so that browsers may keep them for
    ever.

    Raises:
        DocumentRejected: it is no image that can be kept.
        OSError: the storage takes no file.
    """
    try:
        made = read_image(page.body)
    except DocumentRejected as error:
        raise DocumentRejected(
            f"{error} ({page.content_type[:100] or 'without a type'})"
        ) from error
    image.name = f"{_hash(image.address.encode(errors='replace'), 32)}-{_hash(page.body, 8)}"
    image.width, image.height = made.width, made.height
    image.etag, image.last_modified = page.etag[:500], page.last_modified[:500]
    default_storage.save(image.large, ContentFile(made.large))
    default_storage.save(image.small, ContentFile(made.small))


def tidy_images(now: datetime, *, dry_run: bool = False) -> int:
    """Delete the images that no show, person or episode names and nobody asked for in a month;
    their number."""
    of_people, of_episodes = (
        Exists(model._default_manager.filter(image_url=OuterRef("address")))
        for model in (Person, Episode)
    )
    shows = Podcast.objects.all()
    covers = {cover for show in shows for cover in (show.image_url, show.channel.image_url)}
    unnamed = Image.objects.filter(~of_people, ~of_episodes)
    unnamed = unnamed.exclude(asked_at__gt=now - UNNAMED_LASTS)
    unused = [image for image in unnamed.iterator() if image.address not in covers]
    for image in [] if dry_run else unused:
        image.delete()
        _delete_files(image)
    return len(unused)


def _hash(value: bytes, length: int) -> str:
    return hashlib.sha256(value).hexdigest()[:length]


def _delete_files(image: Image) -> None:
    for name in (image.large, image.small):
        default_storage.delete(name)
