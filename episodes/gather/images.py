"""Fetches the images of shows, people and episodes, and stores two small WebP images of each. Only this
module writes Image.

The bytes of the server and their metadata are not stored."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import F, Q, QuerySet

from ..models import Episode, Image, Person, Podcast, start_new_version
from ..text.fingerprints import stable_hash
from .fetch import FetchRun, fetch
from .parse_document import within_seconds

MAX_IMAGE_SECONDS = 10  # of CPU time: 20 times as long as the largest accepted image takes


def fetch_missing_images_and_summarize(
    podcast: Podcast,
    show_name: str,
    *,
    allowed_private_hosts: frozenset[str],
    clock: Callable[[], datetime],
    on_progress: Callable[[str], None] = lambda message: None,
) -> str:
    """Fetch the images of a show that are not stored yet. Return a note for the report, "" if there was
    none to fetch: "images stored: 3; failed: 1, see /sources/".

    The cover comes first, then images that were never fetched: of people, then of the newest
    episodes. `show_name` is for messages to `on_progress`.
    """
    run = FetchRun(show_name, timedelta(days=1), clock, on_progress)
    _create_missing_image_rows(podcast)
    due_images = _find_due_images(podcast, clock())
    stored_count = 0
    for image in run.iterate_rows_to_fetch_and_count_attempts(due_images):
        # The run has counted this attempt as a failure. Stored in advance, this stays if the image ends
        # the process.
        stored_image = Image.objects.filter(pk=image.pk)
        failures = image.failures  # before a fetch that succeeds sets it to 0
        stored_image.update(asked_at=image.asked_at, not_before=image.not_before, failures=failures)
        try:
            is_new = _fetch_and_store_image_if_changed(image, run, allowed_private_hosts)
        # Our storage takes no file. A failed request raises no error here.
        except OSError as error:
            stored_image.update(not_before=None, failures=failures - 1)  # the image is not at fault
            run.troubles.append(f"images cannot be stored: {error}")
            break
        if is_new:
            stored_count += 1
    return run.summary_or_blank(stored_count, "images stored")


def _create_missing_image_rows(podcast: Podcast) -> None:
    # In this order they are fetched: the cover, people, the newest episodes.
    people = Person.objects.filter(credits__episode__podcast=podcast).values("image_url")
    episodes = Episode.objects.filter(podcast=podcast).order_by("-order").values("image_url")
    addresses = [podcast.image_url]
    for rows in (people, episodes):
        without_row = rows.exclude(image_url__in=Image.objects.order_by().values("address"))
        addresses += without_row.values_list("image_url", flat=True)
    new_images = []
    for address in dict.fromkeys(addresses):  # each once
        byte_count = len(address.encode("utf-8", "replace"))
        # An empty address is none, and a database cannot index a longer one.
        if 0 < byte_count <= 1_000:
            new_images.append(Image(address=address))
    # The cover may have a row already. It is ignored.
    Image.objects.bulk_create(new_images, ignore_conflicts=True)


def _find_due_images(podcast: Podcast, now: datetime) -> list[Image]:
    """Return the images to fetch: the cover, images that were never fetched in the order of their rows,
    then images that were fetched before, the longest ago first."""
    people = Person.objects.filter(credits__episode__podcast=podcast).values("image_url")
    episodes = Episode.objects.filter(podcast=podcast).order_by().values("image_url")
    cover = Q(address=podcast.image_url)
    is_of_show = cover | Q(address__in=people) | Q(address__in=episodes)
    # A cover is fetched again after a month.
    is_old_cover = cover & Q(asked_at__lte=now - timedelta(days=30))
    has_no_file = Q(name="")
    images = Image.objects.filter(is_of_show).filter(has_no_file | is_old_cover)
    due = images.exclude(not_before__gt=now).order_by(F("asked_at").asc(nulls_first=True), "pk")
    # The cover first, as it is on every page of the show. False sorts before True.
    return sorted(due, key=lambda image: image.address != podcast.image_url)


def _fetch_and_store_image_if_changed(
    image: Image, run: FetchRun, allowed_private_hosts: frozenset[str]
) -> bool:
    """Fetch an image and save its row, also after a failure. Return True if its files are new."""
    old_name = image.name
    old_trouble = image.trouble
    run.fetch_or_none_and_set_row_outcome(
        image, partial(_fetch_image_into_unsaved_row, image, allowed_private_hosts)
    )
    has_new_files = image.name != old_name  # a name has a hash of the bytes
    with transaction.atomic():
        image.save()
        # Pages show the image and its trouble, so cached pages of the old version must not be sent.
        if has_new_files or image.trouble != old_trouble:
            start_new_version()
    # Only after the commit: until then pages name the old files.
    if old_name and has_new_files:
        _delete_files(Image(name=old_name))
    return has_new_files


def _fetch_image_into_unsaved_row(image: Image, allowed_private_hosts: frozenset[str]) -> None:
    """Fetch an image if it changed, write its files, and set the columns of its row. The caller saves the
    row. The name of a file changes with its bytes, so that browsers may keep it for ever.

    Raises:
        Unreachable: nothing answers.
        DocumentRejected: it is no image that can be kept.
        OSError: the storage takes no file.
    """
    # Imported here, because Pillow takes long to load, and few commands fetch images.
    from .thumbnails import make_thumbnails

    page = fetch(
        image.address,
        etag=image.etag,
        last_modified=image.last_modified,
        accept="image/webp, image/png, image/jpeg, image/gif;q=0.9, */*;q=0.1",
        allowed_private_hosts=allowed_private_hosts,
        max_bytes=10_000_000,
    )
    if page is None:
        return  # not modified
    thumbnails = within_seconds(MAX_IMAGE_SECONDS, make_thumbnails, page.body)
    # `image.large` and `image.small` are paths of files, made of the name.
    image.name = f"{stable_hash(image.address, 32)}-{stable_hash(page.body, 8)}"
    image.width = thumbnails.width
    image.height = thumbnails.height
    image.etag = page.etag[:500]  # the size of the columns
    image.last_modified = page.last_modified[:500]
    default_storage.save(image.large, ContentFile(thumbnails.large))
    default_storage.save(image.small, ContentFile(thumbnails.small))


def delete_and_count_spare_images(now: datetime, *, dry_run: bool = False) -> int:
    """Delete the images that no show, person or episode has and that were not fetched for a month. Delete
    images with lost files, too, so that they are fetched again. Return their number.

    With `dry_run`, delete nothing.
    """
    unused = _images_without_owner().exclude(asked_at__gt=now - timedelta(days=30))
    stored = Image.objects.exclude(name="")
    # The small file is written after the large one.
    lost = [image for image in stored if not default_storage.exists(image.small)]
    # By id, because an unused image may be lost, too.
    spare_by_id = {image.pk: image for image in (*unused, *lost)}
    if not dry_run:
        for image in spare_by_id.values():
            image.delete()
            _delete_files(image)
    return len(spare_by_id)


def _images_without_owner() -> QuerySet[Image]:
    covers: set[str] = set()
    for show in Podcast.objects.all():
        # The cover that pages show, and the cover of the feed, if it is another.
        covers.update((show.image_url, show.channel.image_url))
    images = Image.objects.exclude(address__in=covers)
    images = images.exclude(address__in=Person.objects.order_by().values("image_url"))
    return images.exclude(address__in=Episode.objects.order_by().values("image_url"))


def _delete_files(image: Image) -> None:
    for name in (image.large, image.small):
        default_storage.delete(name)
