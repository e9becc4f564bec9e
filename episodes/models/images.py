"""Images of shows and episodes as they are kept in the file storage; written by gather/images.py
alone."""

from __future__ import annotations

from django.db import models


class Image(models.Model):
    """An image at an address that a feed names. A cache: what is lost is fetched again."""

    address = models.CharField(max_length=1000, unique=True)
    name = models.CharField(
        max_length=50,
        blank=True,
        # The view of the files looks for it at each request.
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

    class Meta:
        ordering = ("address",)

    def __str__(self) -> str:
        return self.address

    @property
    def large(self) -> str:
        """Name of the large file."""
        return f"{self.name}-600.webp"

    @property
    def small(self) -> str:
        return f"{self.name}-150.webp"
