"""Configuration: the shows, their sources, and the topic vocabulary; written by `loaddata` and the
admin, never by a rebuild. Before them the addresses of pages that end with a slug, and what all
things have in common that episodes share."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import quote

from django.core.validators import RegexValidator
from django.db import models
from django.urls import get_script_prefix, reverse

from ..records import Channel, Show
from ..text.private_addresses import carries_secret, mask_address, mask_secrets

SLUG = "slug"
UNQUOTED = "!$&'()*+,;=/~:@"  # as `reverse` does
# Readers of what a show or a curator says itself; of any other reader the source says whose it is.
OWN_READERS = ("feed", "by-hand")

TRANSCRIPTS_SLUG = (
    "transcripts"  # the reader of files that somebody brought (ingest/transcript_import.py)
)


def page_address(view: str, slug: str) -> str:
    """The address of the page of this view and slug."""
    # A page has a hundred of them, and `reverse` needs longer for each than to print it: the part
    # that stays is looked up once.
    before, after = _around(view, get_script_prefix())
    return f"{before}{quote(slug, safe=UNQUOTED)}{after}"


@lru_cache(maxsize=100)
def _around(view: str, script_prefix: str) -> tuple[str, str]:
    before, _, after = reverse(view, args=(SLUG,)).rpartition(SLUG)
    return before, after


class BrowsableSubject(models.Model):
    """Something that episodes have in common, with a page of its own that lists them."""

    view: ClassVar[str]  # the name of its page's address
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
    """The rank of a show that is added now: behind all that are there."""
    last: int = Podcast.objects.aggregate(last=models.Max("rank", default=0))["last"]
    return last + 1


class KeyedManager(models.Manager[Keyed]):
    def get_by_natural_key(self, *key: str | None) -> Keyed:
        """The row of these columns that files know it by; a show is named by its own."""
        columns = (name.replace("podcast", "podcast__slug") for name in self.model.natural_columns)
        return self.get(**dict(zip(columns, key, strict=True)))


class NaturallyKeyed(models.Model):
    """A row that files of configuration name by what does not differ from database to database."""

    natural_columns: ClassVar[tuple[str, ...]] = ("slug",)

    class Meta:
        abstract = True

    def natural_key(self) -> tuple[str | None, ...]:
        values = (getattr(self, name) for name in self.natural_columns)
        return tuple(getattr(value, "slug", value) for value in values)


class PodcastManager(KeyedManager["Podcast"]):
    def several(self) -> bool:
        """True where there is more than one show, so that a source needs the name of its show in
        front."""
        # To know of a second one, nobody has to count all.
        return self.listed()[1:2].exists()

    def listed(self) -> models.QuerySet[Podcast]:
        """All but the removed ones."""
        return self.exclude(status=Status.REMOVED)


class Status(models.TextChoices):
    """The states of a show or source: if it is imported, and if it is shown."""

    ACTIVE = "active", "Active"
    PAUSED = "paused", "Paused"
    ARCHIVED = "archived", "Archived"
    REMOVED = "removed", "Removed"


CLOSED_STATUSES = (Status.ARCHIVED, Status.REMOVED)  # nothing more is imported


class FeedAccess(models.TextChoices):
    """Who may see the address of a show's feed."""

    AUTOMATIC = "automatic", "Automatic"
    PUBLIC = "public", "Public"
    SECRET = "secret", "Secret"


class Podcast(NaturallyKeyed):
    """A show. Its row is also the lock that lets one ingest at a time write about it."""

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
        # A file of shows that does not say the rank leaves that of a show that is there, and who may
        # see its feed's address; rows of the database are `args`.
        missing = {"rank", "feed_access"} - kwargs.keys()
        if missing and "slug" in kwargs:
            known = Podcast.objects.filter(slug=kwargs["slug"]).values(*missing)
            kwargs |= known.first() or {}
        super().__init__(*args, **kwargs)

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return page_address("show", self.slug)

    @property
    def has_secret_feed(self) -> bool:
        """True if only administrators may see the address of its feed: they decide, else the address
        or the feed does."""
        if self.feed_access == FeedAccess.AUTOMATIC:
            return bool(self.said.get("blocked")) or carries_secret(self.feed_url)
        return self.feed_access == FeedAccess.SECRET

    @property
    def public_feed_url(self) -> str:
        """The address of its feed for everybody, "" if that is secret."""
        return "" if self.has_secret_feed else self.feed_url

    @property
    def display_feed_url(self) -> str:
        """The address of its feed for lists and messages."""
        return mask_address(self.feed_url) if self.has_secret_feed else self.feed_url

    def hides(self, address: str) -> bool:
        """Return True for an address with a token, unless an administrator made the feed's public."""
        return self.feed_access != FeedAccess.PUBLIC and carries_secret(address)

    @property
    def channel(self) -> Channel:
        """The values that its feed gives now."""
        return Channel.from_payload(self.said)

    @property
    def show(self) -> Show:
        words = tuple(map(str, self.not_code))
        # Read once: each of these would parse the stored values anew.
        channel = self.channel
        return Show(
            self.slug,
            self.title,
            self.feed_url,
            self.site_url,
            self.author,
            self.language,
            self.has_symbols,
            words,
            channel.owner,
            channel.people,
            channel.description,
            channel.categories,
        )


class SourceQuerySet(models.QuerySet["Source"]):
    def active(self) -> Self:
        """The sources that are imported by themselves; the others only when a person asks for them."""
        return self.filter(status=Status.ACTIVE, podcast__status=Status.ACTIVE)

    def fetchable(self) -> Self:
        """The sources with an address; the others have saved copies only."""
        return self.exclude(address="")


class SourceManager(KeyedManager["Source"]):
    pass


class Source(NaturallyKeyed):
    """A place that says things about a show's episodes: its feed, a listing site, the host's
    blog."""

    natural_columns = ("podcast", "slug")

    podcast = models.ForeignKey(
        Podcast, models.CASCADE, related_name="sources", verbose_name="show"
    )
    # Not a SlugField: the source of any other site is named by its host, which has dots.
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
    # Not a part of the address: that is on pages and in messages, and this is on none.
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
    # Only such a source can lose an entry: another list may have no room for it any more.
    complete = models.BooleanField(
        "lists all episodes",
        default=False,
        help_text="An episode that is missing from it is gone from there; it stays in the catalog.",
    )
    # A directory has a page of its own for each episode, which is not the episode's page.
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
        # Files of sources from before there was `own` do not say it; rows of the database come as
        # `args`.
        if not args:
            kwargs.setdefault("own", kwargs.get("reader") in OWN_READERS)
        super().__init__(*args, **kwargs)

    def __str__(self) -> str:
        return self.slug

    def name(self, *, several: bool) -> str:
        """The source as commands and curators call it: `feed`, or where there are several shows
        `my-show · feed`."""
        return f"{self.podcast.slug} · {self.slug}" if several else self.slug

    def label(self, *, several: bool) -> str:
        """The source as readers see it: `RSS feed`, or where there are several shows `My Show · RSS
        feed`."""
        return f"{self.podcast.title} · {self.heading}" if several else self.heading

    @property
    def heading(self) -> str:
        return self.title or self.slug

    def hides(self, address: str) -> bool:
        """Return True if only administrators may see this address of it or of one of its documents."""
        is_secret_feed = self.reader == "feed" and self.podcast.has_secret_feed
        return is_secret_feed or self.podcast.hides(address)

    def public(self, address: str) -> str:
        """Return the address for everybody, "" if it is secret."""
        return "" if self.hides(address) else address

    def for_display(self, address: str) -> str:
        """Return the address as lists and messages may show it."""
        return mask_address(address) if self.hides(address) else address

    @property
    def display_address(self) -> str:
        return self.for_display(self.address)

    @property
    def display_moved_to(self) -> str:
        return self.for_display(self.moved_to)

    @property
    def display_login(self) -> str:
        """The server of its login alone."""
        return mask_address(self.login)

    def conceal(self, text: str) -> str:
        """Return words about it with the secret addresses in them masked."""
        return mask_secrets(text, self.hides)

    @property
    def is_closed(self) -> bool:
        """True where nothing more is imported from it."""
        return self.status in CLOSED_STATUSES


class Topic(BrowsableSubject, NaturallyKeyed):
    """A subject that people browse by, with the terms that propose it (notes/topics.py says how
    they are read).

    Its rules are those of one show, or, where it names none, of all.
    """

    view = "topic"
    redirect_kind = "topic"  # of the redirects to it, which is also their column
    # By its show too: a file of topics for one show never takes those of another over.
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
