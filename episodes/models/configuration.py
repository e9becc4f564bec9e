"""Configuration: shows, their sources, and topics. `loaddata` and the admin write it, and a rebuild
never changes it. Also the addresses of pages that end with a slug."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import quote

from django.core.validators import RegexValidator
from django.db import models
from django.urls import get_script_prefix, reverse

from ..records import Channel, Show
from ..text.private_addresses import (
    carries_secret,
    mask_address,
    mask_parts_of_secret_address,
    mask_secrets,
)

TRANSCRIPTS_SLUG = "transcripts"  # of the source of imported files (ingest/transcript_import.py)


def page_address(view: str, slug: str) -> str:
    before, after = _address_around_slug(view, get_script_prefix())
    # `reverse` leaves the same characters unquoted.
    quoted_slug = quote(slug, safe="!$&'()*+,;=/~:@")
    return f"{before}{quoted_slug}{after}"


# A page has a hundred addresses, and `reverse` is slow.
@lru_cache(maxsize=100)
def _address_around_slug(view: str, script_prefix: str) -> tuple[str, str]:
    before, _, after = reverse(view, args=("slug",)).rpartition("slug")
    return before, after


class BrowsableSubject(models.Model):
    """A topic, person or symbol: its page lists the episodes that have it."""

    view: ClassVar[str]  # the name of the URL of its page
    name: str
    slug: str

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return page_address(self.view, self.slug)


Keyed = TypeVar("Keyed", bound="NaturallyKeyed")


def next_rank() -> int:
    last_rank: int = Podcast.objects.aggregate(last=models.Max("rank", default=0))["last"]
    return last_rank + 1


class KeyedManager(models.Manager[Keyed]):
    def get_by_natural_key(self, *key: str | None) -> Keyed:
        """Return the row with these values of its natural columns. The value for a show is its slug."""
        lookups = [name.replace("podcast", "podcast__slug") for name in self.model.natural_columns]
        return self.get(**dict(zip(lookups, key, strict=True)))


class NaturallyKeyed(models.Model):
    """A row that files of configuration name by columns that are equal in all databases."""

    natural_columns: ClassVar[tuple[str, ...]] = ("slug",)

    class Meta:
        abstract = True

    def natural_key(self) -> tuple[str | None, ...]:
        values = (getattr(self, name) for name in self.natural_columns)
        return tuple(getattr(value, "slug", value) for value in values)


class PodcastManager(KeyedManager["Podcast"]):
    def several(self) -> bool:
        """Return whether there is more than one show, so that names of sources need the name of their
        show."""
        # Reading the second show is faster than counting all.
        return self.listed()[1:2].exists()

    def listed(self) -> models.QuerySet[Podcast]:
        return self.exclude(status=Status.REMOVED)


class Status(models.TextChoices):
    """The states of a show or source, which tell whether it is imported and shown."""

    ACTIVE = "active", "Active"
    PAUSED = "paused", "Paused"
    ARCHIVED = "archived", "Archived"
    REMOVED = "removed", "Removed"


CLOSED_STATUSES = (Status.ARCHIVED, Status.REMOVED)  # never imported again


class FeedAccess(models.TextChoices):
    """The people who may see the address of a show's feed."""

    AUTOMATIC = "automatic", "Automatic"
    PUBLIC = "public", "Public"
    SECRET = "secret", "Secret"


class Podcast(NaturallyKeyed):
    """A show. Its row is also the lock that lets one import at a time write about it.

    An object that `loaddata` makes from a file without rank or feed access gets the stored ones.
    """

    # Not the id, which another database may give in another order.
    rank = models.PositiveIntegerField(
        default=next_rank,
        help_text="Its place among the shows, set when it is added and never changed. 1 is the first show.",
    )
    slug = models.SlugField(max_length=200, unique=True)
    title = models.CharField(max_length=500)
    feed_url = models.CharField("feed address", max_length=2000, blank=True)
    feed_access = models.CharField(
        "feed address is",
        max_length=10,
        choices=FeedAccess.choices,
        default=FeedAccess.AUTOMATIC,
        db_default=FeedAccess.AUTOMATIC,
        help_text="Nobody but administrators sees a secret address. Automatic: secret if it has a token, or if the feed "
        "asks directories not to list it (itunes:block, podcast:block).",
    )
    site_url = models.CharField("site address", max_length=2000, blank=True)
    author = models.CharField(max_length=500, blank=True)
    language = models.CharField(max_length=20, blank=True)
    description = models.TextField(blank=True)
    image_url = models.CharField("cover", max_length=2000, blank=True)
    status = models.CharField(
        max_length=10,
        choices=Status.choices,
        default=Status.ACTIVE,
        help_text="Paused and archived shows stay visible but are not imported. Removed shows are hidden; their data is kept.",
    )
    said = models.JSONField(
        "feed values",
        default=dict,
        blank=True,
        editable=False,
        help_text="Updated by each import of its feed.",
    )
    has_symbols = models.BooleanField(
        "symbols",
        default=False,
        db_default=False,
        help_text="For shows about programming: list the functions, classes and files that titles and notes name.",
    )
    not_code = models.JSONField(
        "words that are not symbols",
        default=list,
        blank=True,
        help_text="Words in this show that look like symbols but are not.",
    )

    objects = PodcastManager()

    class Meta:
        ordering = ("rank", "slug")
        verbose_name = "show"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Fill in the stored rank and feed access of an existing show. `loaddata` makes objects from files,
        which may lack both, and saves all columns, so that both would get their defaults."""
        # Django passes rows of the database as `args`, so these are left alone.
        missing_columns = {"rank", "feed_access"} - kwargs.keys()
        if missing_columns and "slug" in kwargs:
            stored_rows = Podcast.objects.filter(slug=kwargs["slug"]).values(*missing_columns)
            stored_values = stored_rows.first() or {}
            kwargs.update(stored_values)
        super().__init__(*args, **kwargs)

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return page_address("show", self.slug)

    @property
    def primary_language(self) -> str:
        """Return the code of its language without a region: `pt` of `pt-BR`."""
        code, _, _ = self.language.lower().replace("_", "-").partition("-")
        return code

    @property
    def has_secret_feed(self) -> bool:
        """Return whether only administrators may see the address of the feed. They decide, else a token in the
        address or the feed itself."""
        if self.feed_access == FeedAccess.AUTOMATIC:
            return bool(self.said.get("blocked")) or carries_secret(self.feed_url)
        return self.feed_access == FeedAccess.SECRET

    @property
    def public_feed_url(self) -> str:
        return "" if self.has_secret_feed else self.feed_url

    @property
    def display_feed_url(self) -> str:
        return mask_address(self.feed_url) if self.has_secret_feed else self.feed_url

    def hides(self, address: str) -> bool:
        """Return whether an address has a token, and no administrator made the address of the feed public."""
        return self.feed_access != FeedAccess.PUBLIC and carries_secret(address)

    def public(self, address: str) -> str:
        return "" if self.hides(address) else address

    @property
    def display_image_url(self) -> str:
        return mask_address(self.image_url) if self.hides(self.image_url) else self.image_url

    @property
    def channel(self) -> Channel:
        return Channel.from_payload(self.said)

    @property
    def show(self) -> Show:
        # The property parses the stored values at each use.
        channel = self.channel
        return Show(
            slug=self.slug,
            title=self.title,
            feed_url=self.feed_url,
            site_url=self.site_url,
            author=self.author,
            language=self.language,
            has_symbols=self.has_symbols,
            not_code=tuple(map(str, self.not_code)),
            owner=channel.owner,
            people=channel.people,
            description=channel.description,
            categories=channel.categories,
        )


class SourceQuerySet(models.QuerySet["Source"]):
    def active(self) -> Self:
        return self.filter(status=Status.ACTIVE, podcast__status=Status.ACTIVE)

    def fetchable(self) -> Self:
        """Return the sources with an address. All other sources have saved copies only."""
        return self.exclude(address="")


class SourceManager(KeyedManager["Source"]):
    pass


class Source(NaturallyKeyed):
    """A source of values of a show's episodes: its feed, a directory, the host's blog."""

    natural_columns = ("podcast", "slug")

    podcast = models.ForeignKey(
        Podcast, models.CASCADE, related_name="sources", verbose_name="show"
    )
    # Not a SlugField, because the slug may be the name of a host, which has dots.
    slug = models.CharField(
        max_length=200, validators=[RegexValidator(r"\A[\w.-]+\Z", "Letters, digits, . - and _.")]
    )
    title = models.CharField(max_length=200)
    reader = models.SlugField(
        "parser", max_length=50, blank=True, help_text="The parser for its pages."
    )
    address = models.CharField(
        max_length=2000,
        blank=True,
        help_text="The page to import. Empty if there are only saved copies.",
    )
    # Not a part of the address, which pages and messages show.
    login = models.CharField(
        "name and password",
        max_length=2000,
        blank=True,
        editable=False,
        help_text="For its server alone, as https://name:password@host.",
    )
    moved_to = models.CharField(
        "proposed address",
        max_length=2000,
        blank=True,
        editable=False,
        help_text="The new address that the server or the feed announces. A person decides whether to follow it.",
    )
    status = models.CharField(
        max_length=10,
        choices=Status.choices,
        default=Status.ACTIVE,
        help_text="A paused source is imported only when named. Archived sources are not imported any more. "
        "Removed sources are hidden; their data is kept.",
    )
    rank = models.PositiveSmallIntegerField(
        default=100, help_text="When sources differ, the lowest rank wins."
    )
    may_create = models.BooleanField(
        "adds episodes",
        default=False,
        help_text="Entries that match no episode become new episodes.",
    )
    # A list of the newest episodes drops entries that are still published.
    complete = models.BooleanField(
        "lists all episodes",
        default=False,
        help_text="An episode that is missing from it is gone from there; it stays in the catalog.",
    )
    own = models.BooleanField(
        "official",
        default=False,
        help_text="The show’s feed, website or blog. Only official sources set the page, audio and GUID of an episode.",
    )
    shipped_file = models.CharField(
        max_length=200, blank=True, help_text="Its saved copy in fixtures/, if there is one."
    )
    editorial = models.JSONField(
        "editorial summaries",
        default=list,
        blank=True,
        help_text="The numbers of episodes whose notes in this source were written for the catalog.",
    )

    objects = SourceManager.from_queryset(SourceQuerySet)()

    class Meta:
        ordering = ("podcast", "rank", "slug")
        constraints = (
            models.UniqueConstraint(
                fields=("podcast", "slug"), name="source_slug_unique_in_podcast"
            ),
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Fill in `own`, which files of an older release lack."""
        # Rows of the database come as `args`.
        if not args:
            kwargs.setdefault("own", kwargs.get("reader") in ("feed", "by-hand"))
        super().__init__(*args, **kwargs)

    def __str__(self) -> str:
        return self.slug

    def name(self, *, several: bool) -> str:
        """Return the name for commands and curators: `feed`, or `my-show · feed` if there are several
        shows."""
        return f"{self.podcast.slug} · {self.slug}" if several else self.slug

    def label(self, *, several: bool) -> str:
        """Return the name for readers: `RSS feed`, or `My Show · RSS feed` if there are several
        shows."""
        return f"{self.podcast.title} · {self.heading}" if several else self.heading

    @property
    def heading(self) -> str:
        return self.title or self.slug

    def hides(self, address: str) -> bool:
        """Return whether only administrators may see an address of the source or of its documents."""
        is_secret_feed = self.reader == "feed" and self.podcast.has_secret_feed
        return is_secret_feed or self.podcast.hides(address)

    def public(self, address: str) -> str:
        return "" if self.hides(address) else address

    def for_display(self, address: str) -> str:
        return mask_address(address) if self.hides(address) else address

    @property
    def display_address(self) -> str:
        return self.for_display(self.address)

    @property
    def display_moved_to(self) -> str:
        return self.for_display(self.moved_to)

    @property
    def display_login(self) -> str:
        return mask_address(self.login)

    def conceal(self, text: str) -> str:
        text = mask_secrets(text, self.hides)
        for address in (self.address, self.moved_to):
            if self.hides(address):
                text = mask_parts_of_secret_address(text, address)
        return text

    @property
    def is_closed(self) -> bool:
        return self.status in CLOSED_STATUSES


class Topic(BrowsableSubject, NaturallyKeyed):
    """A subject that people browse by, with the terms that assign it (notes/topics.py).

    The rules are for the topic's show, or for all shows without one.
    """

    view = "topic"
    redirect_kind = "topic"  # the kind, and the column, of redirects to it
    # With the show, so that a file of topics of one show never replaces topics of another show.
    natural_columns = ("slug", "podcast")
    podcast = models.ForeignKey(
        Podcast, models.CASCADE, null=True, blank=True, related_name="topics", verbose_name="show"
    )
    slug = models.SlugField(max_length=100, unique=True)
    name = models.CharField(max_length=100)
    group = models.CharField(max_length=50, blank=True)
    position = models.PositiveSmallIntegerField(default=0)
    description = models.TextField(blank=True)
    aliases = models.JSONField(default=list, blank=True)
    rules = models.JSONField(default=dict, blank=True)
    declared = models.BooleanField(
        default=False,
        editable=False,
        help_text="Made of keywords of a feed, and not edited since.",
    )

    objects = KeyedManager["Topic"]()

    class Meta:
        ordering = ("position", "slug")

    def may_be_of_show(self, show_id: int) -> bool:
        """Return True for a topic of this show, or of all shows."""
        return self.podcast_id in (show_id, None)

    def may_be_added_in_show(self, show_id: int) -> bool:
        # Feeds of several shows may have the keyword of a declared topic, which is stored with the first.
        return self.may_be_of_show(show_id) or self.declared
