"""Images of shows and episodes in the file storage, and the last checks of the links in notes.

Only gather/images.py writes images, and only gather/link_checks.py writes checks.
"""

from typing import Self

from django.db import models

from ..text.private_addresses import mask_secrets


class Image(models.Model):
    """An image at an address that a feed names. A cache: a lost image is fetched again."""

    address = models.CharField(max_length=1000, unique=True)
    name = models.CharField(
        max_length=50,
        blank=True,
        # The view of the files searches for it at each request.
        db_index=True,
        help_text="The name of its files: a hash of the address and one of the bytes.",
    )
    width = models.PositiveIntegerField(default=0, help_text="The width of the large file.")
    height = models.PositiveIntegerField(default=0)
    etag = models.CharField(max_length=500, blank=True)
    last_modified = models.CharField(max_length=500, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True, help_text="The last request.")
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="Not fetched again before this time."
    )
    trouble = models.TextField(blank=True, help_text="Why that request failed.")
    failures = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Failed requests in a row."
    )

    class Meta:
        ordering = ("address",)

    @property
    def display_trouble(self) -> str:
        return mask_secrets(f"{self.address}: {self.trouble}")

    @property
    def large(self) -> str:
        return f"{self.name}-600.webp"

    @property
    def small(self) -> str:
        return f"{self.name}-150.webp"


class LinkCheckQuerySet(models.QuerySet["LinkCheck"]):
    def in_trouble(self) -> Self:
        """Return the links that a person should look at: the server says that they are gone, or three
        checks in a row failed."""
        return self.filter(models.Q(outcome="gone") | models.Q(failures__gte=3))


class LinkCheck(models.Model):
    """The result of the last request for a link. It names the link by its key, so that it outlives the
    rows of the catalog."""

    OUTCOMES = (("there", "there"), ("gone", "gone"), ("unreached", "not reached"))

    key = models.CharField(max_length=2100, unique=True)
    outcome = models.CharField(max_length=10, choices=OUTCOMES)
    note = models.TextField(blank=True, help_text="The problem, with the address that was checked.")
    asked_at = models.DateTimeField()
    failures = models.PositiveIntegerField(
        default=0, help_text="Failed checks in a row, up to the last one."
    )
    failing_since = models.DateTimeField(
        null=True, blank=True, help_text="The first failed check of these."
    )
    host = models.CharField(
        max_length=255, blank=True, help_text="The host of the last check, after redirects."
    )
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="The host asked not to be contacted before this time."
    )

    title = models.TextField(blank=True, help_text="The title that the page gave itself.")
    titled_at = models.DateTimeField(null=True, blank=True)

    objects = LinkCheckQuerySet.as_manager()

    class Meta:
        ordering = ("key",)
        constraints = (
            models.CheckConstraint(
                condition=models.Q(outcome="there", failures=0, failing_since__isnull=True)
                | (
                    ~models.Q(outcome="there")
                    & models.Q(failures__gt=0, failing_since__isnull=False)
                ),
                name="link_check_says_since_when_it_fails",
            ),
        )
