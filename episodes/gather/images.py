"""Fetches the images that feeds and curators name and keeps two small WebP images of each in the file
storage; the only module that writes Image.

Nothing else of what a server sent, such as its metadata, is kept."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F, Q

from ..models import Episode, Image, Person, Podcast, raise_version
from ..text.fingerprints import stable_hash
from .fetch import FetchRun, fetch
from .parse_document import within_seconds

ACCEPT = "image/webp, image/png, image/jpeg, image/gif;q=0.9, */*;q=0.1"
MOST_BYTES = 10_000_000
MOST_SECONDS = 10  # of CPU: twenty times what the largest image takes that is kept
LONGEST_ADDRESS = 1_000  # bytes: what a database can index
PATIENCE = timedelta(days=1)
COVER_LASTS = timedelta(days=30)  # after which it is asked whether it changed
UNNAMED_LASTS = timedelta(days=30)


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
    run, kept = FetchRun(name, PATIENCE, clock, watch), 0
    for image in run.each(_waiting(podcast, clock())):
        failures = image.failures
        asked = {"asked_at": image.asked_at, "not_before": image.not_before, "failures": failures}
        row = Image.objects.filter(pk=image.pk)
        row.update(**asked)
        try:
            kept += _take(image, run, allow)
        except OSError as error:
            row.update(not_before=None, failures=failures - 1)  # the image is not at fault
            run.troubles.append(f"images cannot be stored: {error}")
            break
    return run.told(kept, "images stored")


def _waiting(podcast: Podcast, now: datetime) -> list[Image]:
    """The images to ask for, in this order; those that nobody named before get their rows."""
    people = Person.objects.filter(credits__episode__podcast=podcast).values("image_url")
    episodes = Episode.objects.filter(podcast=podcast).order_by("-order").values("image_url")
    named = [podcast.image_url]
    for rows in (people, episodes):
        fresh = rows.exclude(image_url__in=Image.objects.order_by().values("address"))
        named += fresh.values_list("image_url", flat=True)
    Image.objects.bulk_create(
        [
            Image(address=address)
            for address in dict.fromkeys(named)
            if 0 < len(address.encode("utf-8", "replace")) <= LONGEST_ADDRESS
        ],
        ignore_conflicts=True,
    )
    cover = Q(address=podcast.image_url)
    images = Image.objects.filter(
        cover | Q(address__in=people) | Q(address__in=episodes.order_by())
    )
    images = images.filter(Q(name="") | (cover & Q(asked_at__lte=now - COVER_LASTS)))
    due = images.exclude(not_before__gt=now).order_by(F("asked_at").asc(nulls_first=True), "pk")
    # The cover is on every page of the show.
    return sorted(due, key=lambda image: image.address != podcast.image_url)


def _take(image: Image, run: FetchRun, allow: frozenset[str]) -> bool:
    """Ask for an image and keep it, True where it is a new one; where that fails, the files that
    are there stay.

    Raises:
        OSError: the storage takes no file.
    """
    before, trouble_before = image.name, image.trouble
    run.ask(image, partial(_fetch, image, allow))
    with transaction.atomic():
        image.save()
        if (image.name, image.trouble) != (before, trouble_before):
            raise_version()
    # Only after the commit: until then pages name the old files.
    if before not in ("", image.name):
        _delete_files(Image(name=before))
    return image.name not in ("", before)


def _fetch(image: Image, allow: frozenset[str]) -> None:
    """Write the files of a new image, under a name that changes with the bytes, so that browsers may
    keep them for ever.

    Raises:
        Unreachable: nothing answers.
        DocumentRejected: it is no image that can be kept.
        OSError: the storage takes no file.
    """
    from .thumbnails import thumbnails  # Pillow takes long to load, and few commands fetch images.

    page = fetch(
        image.address,
        etag=image.etag,
        last_modified=image.last_modified,
        accept=ACCEPT,
        allow=allow,
        max_bytes=MOST_BYTES,
    )
    if page is None:
        return
    made = within_seconds(MOST_SECONDS, thumbnails, page.body)
    image.name = f"{stable_hash(image.address, 32)}-{stable_hash(page.body, 8)}"
    image.width, image.height = made.width, made.height
    image.etag, image.last_modified = page.etag[:500], page.last_modified[:500]
    default_storage.save(image.large, ContentFile(made.large))
    default_storage.save(image.small, ContentFile(made.small))


def tidy_images(now: datetime, *, dry_run: bool = False) -> int:
    """Delete the images that no show, person or episode names and nobody asked for in a month, and
    those whose files are lost, so that they are fetched again; their number."""
    shows = Podcast.objects.all()
    covers = {cover for show in shows for cover in (show.image_url, show.channel.image_url)}
    unnamed = Image.objects.exclude(asked_at__gt=now - UNNAMED_LASTS).exclude(address__in=covers)
    unnamed = unnamed.exclude(address__in=Person.objects.order_by().values("image_url"))
    unnamed = unnamed.exclude(address__in=Episode.objects.order_by().values("image_url"))
    kept = Image.objects.exclude(name="")
    lost = [image for image in kept if not default_storage.exists(image.small)]
    spare = {image.pk: image for image in (*unnamed, *lost)}.values()
    for image in () if dry_run else spare:
        image.delete()
        _delete_files(image)
    return len(spare)


def _delete_files(image: Image) -> None:
    for name in (image.large, image.small):
        default_storage.delete(name)
