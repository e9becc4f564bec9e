"""Evidence: the publications of sources, unchanged. Only gather/evidence.py writes it, and only `tidy`
deletes any, by the rules of docs/design.md."""

import zlib
from typing import Self

from django.db import models
from django.db.models import Exists, OuterRef, Q

from ..fields import plain_notes
from ..records import EntryData
from ..text.fingerprints import stable_hash
from ..text.formatting import describe_xml_repair
from .configuration import Podcast, Source


class DocumentQuerySet(models.QuerySet["Document"]):
    def confirmed(self) -> Self:
        return self.filter(vouched=True)

    def stored(self) -> Self:
        """Return the documents with a version."""
        versions = Capture.objects.versions().filter(document=OuterRef("pk"))
        return self.filter(Exists(versions))


class Document(models.Model):
    """One address of a source. A saved file without an address is `file:NAME`. An unconfirmed one is
    `file:DIGEST/NAME`, because a file's name proves nothing."""

    KINDS = (("listing", "lists episodes"), ("companion", "a transcript or chapters"))

    # Evidence is never deleted along with something else.
    source = models.ForeignKey(Source, models.PROTECT, related_name="documents")
    address = models.CharField(max_length=2000)
    kind = models.CharField(max_length=10, choices=KINDS, default="listing")
    vouched = models.BooleanField(
        "confirmed",
        default=False,
        help_text="Its source's address, a shipped file, --source or a person confirmed it.",
    )
    show_confirmed = models.BooleanField(
        default=False, help_text="A person said which show the document is about."
    )
    confirmed_by_host = models.BooleanField(
        default=False, help_text="Only the host of its address confirmed it, in an older release."
    )
    # With these two headers the server answers 304 for an unchanged document.
    etag = models.CharField(max_length=500, blank=True)
    last_modified = models.CharField(max_length=500, blank=True)
    not_before = models.DateTimeField(
        null=True, blank=True, help_text="The server asked not to be contacted before this time."
    )
    asked_at = models.DateTimeField(
        "last fetched",
        null=True,
        blank=True,
        help_text="The last request for a transcript or chapters.",
    )
    trouble = models.TextField("problem", blank=True, help_text="Why that request failed.")
    failures = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="Failed requests in a row for a transcript or chapters."
    )

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ("source", "address")
        constraints = (
            models.UniqueConstraint(
                fields=("source", "address"), name="document_address_unique_in_source"
            ),
        )

    def __str__(self) -> str:
        return f"{self.source}: {self.display_address}"

    @property
    def podcast(self) -> Podcast:
        return self.source.podcast

    @property
    def url(self) -> str:
        return "" if self.address.startswith("file:") else self.address

    @property
    def public_url(self) -> str:
        return self.source.public(self.url)

    @property
    def display_address(self) -> str:
        """Return the address or the name of the file for lists and messages."""
        return self.source.for_display(self.url) or self.address.removeprefix("file:")

    @property
    def reason_without_link(self) -> str:
        """Return the reason why a page has no link to the document."""
        return "private address" if self.url else f"archived copy: {self.display_address}"

    @property
    def display_trouble(self) -> str:
        return self.source.conceal(self.trouble)


class Content(models.Model):
    """The compressed bytes of versions. Equal versions share a row."""

    sha256 = models.CharField(max_length=64, primary_key=True, help_text="Of the bytes.")
    packed = models.BinaryField()
    size = models.PositiveIntegerField(help_text="Of the bytes.")

    @classmethod
    def from_bytes(cls, body: bytes) -> Self:
        return cls(sha256=stable_hash(body), packed=zlib.compress(body), size=len(body))

    @property
    def body(self) -> bytes:
        # A buffer that grows would take twice the memory.
        return zlib.decompress(self.packed, bufsize=self.size)


class CaptureQuerySet(models.QuerySet["Capture"]):
    def versions(self) -> Self:
        """Return the accepted states."""
        return self.filter(version__isnull=False)


class Capture(models.Model):
    """A stored state of a document. An accepted state is the next version of the document. A refused
    state has no number.

    `tidy` deletes versions without news, so numbers can be missing.
    """

    document = models.ForeignKey(Document, models.PROTECT, related_name="captures")
    version = models.PositiveIntegerField(null=True, blank=True)
    sha256 = models.CharField(max_length=64, help_text="Of its content.")
    content_type = models.CharField(max_length=500, blank=True)
    taken_at = models.DateTimeField("fetched")
    refused = models.TextField("refused", blank=True, help_text="Why it was not imported.")
    is_partial = models.BooleanField(
        default=False, help_text="Only its new entries were taken: the rest looks wrong."
    )
    foreign = models.PositiveIntegerField(
        "entries of other shows",
        default=0,
        help_text="The number of entries that name another show.",
    )
    fingerprint = models.CharField(
        max_length=32,
        blank=True,
        db_column="read_by",
        help_text="Of a feed: of all that its entries were read by.",
    )
    reading = models.BinaryField(
        null=True, help_text="Of a page of any site: what it was last understood to say."
    )

    objects = CaptureQuerySet.as_manager()

    class Meta:
        ordering = ("document", "-taken_at", "-id")
        verbose_name = "copy"
        verbose_name_plural = "copies"
        constraints = (
            models.UniqueConstraint(
                fields=("document", "version"), name="capture_version_unique_in_document"
            ),
            models.CheckConstraint(
                condition=Q(version__isnull=True, refused__gt="")
                | Q(version__isnull=False, refused=""),
                name="capture_is_a_version_or_refused",
            ),
        )

    def __str__(self) -> str:
        state = f"version {self.version}" if self.version else "refused"
        return f"{self.document} ({state})"

    @property
    def display_refusal(self) -> str:
        return self.document.source.conceal(self.refused)

    @property
    def body(self) -> bytes:
        return Content.objects.get(pk=self.sha256).body


class IngestRun(models.Model):
    """An attempt to import a document of a source, and its result.

    `tidy` keeps the last of the old attempts of a day with the same result.
    """

    GOOD = ("taken", "unchanged")

    OUTCOMES = (
        ("taken", "imported"),
        ("unchanged", "unchanged"),
        ("refused", "refused"),
        ("failed", "failed"),
    )

    source = models.ForeignKey(Source, models.PROTECT, related_name="runs")
    document = models.ForeignKey(
        Document, models.PROTECT, null=True, blank=True, related_name="runs"
    )
    started_at = models.DateTimeField("started")
    finished_at = models.DateTimeField("finished")
    outcome = models.CharField("result", max_length=20, choices=OUTCOMES)
    reason = models.TextField(blank=True)
    counts = models.JSONField(default=dict)

    class Meta:
        ordering = ("-started_at", "-id")
        verbose_name = "import"
        indexes = (
            models.Index(fields=("source", "-started_at", "-id"), name="run_newest"),
            models.Index(fields=("source", "outcome", "-finished_at"), name="run_newest_outcome"),
        )

    def __str__(self) -> str:
        return f"{self.source}, {self.started_at:%-d %b %Y, %H:%M}: {self.get_outcome_display()}"

    @property
    def document_address(self) -> str:
        return self.document.display_address if self.document else ""

    @property
    def display_reason(self) -> str:
        return self.source.conceal(self.reason)

    @property
    def xml_trouble(self) -> str:
        return describe_xml_repair(self.counts)


class Item(models.Model):
    """An entry of a document. Decisions name it by its source and its key, which does not depend on its
    position."""

    document = models.ForeignKey(Document, models.PROTECT, related_name="items")
    key = models.CharField(max_length=600)
    position = models.PositiveIntegerField(
        help_text="Its place in the last version that lists it, from 1."
    )
    is_post = models.BooleanField(
        "blog post", default=False, help_text="Gives a link its title; never becomes an episode."
    )
    first_version = models.PositiveIntegerField("since version")
    gone_version = models.PositiveIntegerField(
        "gone since version", null=True, blank=True, help_text="The first version without it."
    )
    absences = models.JSONField(
        default=list,
        editable=False,
        help_text="For each time it was gone: the first version without it, and that in which it came back.",
    )

    class Meta:
        ordering = ("document", "position", "key")
        verbose_name = "entry"
        verbose_name_plural = "entries"
        constraints = (
            models.UniqueConstraint(fields=("document", "key"), name="item_key_unique_in_document"),
            models.CheckConstraint(
                condition=Q(gone_version__isnull=True)
                | Q(gone_version__gt=models.F("first_version")),
                name="item_goes_after_it_came",
            ),
        )

    def __str__(self) -> str:
        return self.key

    @property
    def values(self) -> EntryData:
        return self.revisions.all()[0].values

    @property
    def heading(self) -> str:
        values = self.values
        return values.title or plain_notes(values)[:80] or self.key


class Revision(models.Model):
    """The values of an entry from a version of its document on."""

    item = models.ForeignKey(Item, models.PROTECT, related_name="revisions", verbose_name="entry")
    version = models.PositiveIntegerField()
    payload = models.JSONField("content")
    recorded_at = models.DateTimeField("recorded")

    class Meta:
        ordering = ("item", "-version")
        verbose_name = "entry version"
        constraints = (
            models.UniqueConstraint(fields=("item", "version"), name="revision_unique_in_version"),
        )
        indexes = (models.Index(fields=("-recorded_at",), name="revision_recorded"),)

    def __str__(self) -> str:
        return f"{self.item} (version {self.version})"

    @property
    def values(self) -> EntryData:
        return EntryData.from_payload(self.payload)
