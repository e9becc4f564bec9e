"""The catalog: what people read; a function of evidence and decisions, written by `resolve/`
alone."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from functools import cached_property
from itertools import islice
from typing import Any, Self, TypeVar

from django.db import connection, models
from django.db.models import Exists, F, OuterRef, Prefetch, Q, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.http import urlencode

from ..records import NO_DATE
from ..text.link_labels import LINK_KIND_NAMES
from ..text.numbering import format_heading, format_numbering, prints_number
from ..text.spoken_time import Speech
from .configuration import BrowsableSubject, Podcast, Topic, page_address
from .decisions import Decision
from .evidence import Item

HAS_EPISODES = Q(episode_count__gt=0)  # counted things that an episode has
Row = TypeVar("Row")
NAME_COLUMNS = (
    "slug",
    "title",
    "number",
    "season",
    "order",
    "podcast",
)  # the columns of a line about an episode
UNKNOWN = "unknown"  # in place of a year or a length
MAX_QUERY_TERMS = 16  # of what a reader types, for episodes and for links; the rest is not searched
QUERY_BATCH_SIZE = 200  # rows that one statement names, with several rows of another table for each


def batches(values: Collection[Row], size: int = QUERY_BATCH_SIZE) -> Iterator[list[Row]]:
    """The values in lists that one statement takes: databases limit how many it may name."""
    # No list of all of them: there may be a million.
    rest = iter(values)
    while some := list(islice(rest, size)):
        yield some


def newest(is_single_show: bool | None = None) -> tuple[str, ...]:
    """The fields that sort episodes newest first: over several shows by date, within one in its own
    order.

    Without `is_single_show` the database is asked whether there are several. Of equal dates that of the
    show that was added first comes first. An index has each of these orders, and its reverse.
    """
    if is_single_show is None:
        is_single_show = not Podcast.objects.several()
    return ("-podcast_id", "-order") if is_single_show else ("-sorted_at", "podcast_id", "-order")


# A list of ids as one value: a database takes as long to read thousands of values as to answer.
IDS = {
    "sqlite": "SELECT value FROM json_each(%s)",
    "postgresql": "SELECT value::bigint FROM json_array_elements_text(%s)",
}


def ids_subquery(ids: Collection[int]) -> RawSQL:
    """These ids for a lookup with `in`, however many they are."""
    return RawSQL(IDS[connection.vendor], [json.dumps([*ids])])


class EpisodeQuerySet(models.QuerySet["Episode"]):
    def of_shows(self, podcasts: Sequence[Podcast]) -> Self:
        """All episodes of these shows, newest first; those of one moment by the show's slug, so
        that it is no matter which show was added first."""
        rows = self.filter(podcast__in=podcasts)
        # Its own order can be another than that of the dates.
        if len(podcasts) == 1:
            return rows.newest_first(is_single_show=True)
        return rows.order_by("-sorted_at", "podcast__slug", "-order")

    def listed(self) -> Self:
        """The episodes that lists show: without the ones for which another episode stands."""
        return self.filter(listed=True)

    def newest_first(self, *, is_single_show: bool | None = None) -> Self:
        return self.order_by(*newest(is_single_show))

    def sorted_by(self, sort: str, *, is_single_show: bool | None = None) -> Self:
        """In the order of that name; unknown lengths come last, and equals are newest first."""
        equals = newest(is_single_show)
        match sort:
            case "oldest":
                return self.newest_first(is_single_show=is_single_show).reverse()
            # Databases differ in where they sort NULL by themselves.
            case "shortest":
                return self.order_by(F("duration_seconds").asc(nulls_last=True), *equals)
            case "longest":
                return self.order_by(F("duration_seconds").desc(nulls_last=True), *equals)
        return self.order_by(*equals)

    def in_batches(self) -> Iterator[Episode]:
        """All of them, however many, with what was to be prefetched: no statement names more rows
        than a batch has."""
        return self.iterator(QUERY_BATCH_SIZE)

    def with_name_columns(self) -> Self:
        """With what a line about an episode shows, and no more."""
        return self.only(*NAME_COLUMNS)

    def for_list(self) -> Self:
        """With what a card shows, in a fixed number of queries."""
        uses = EpisodeTopic.objects.select_related("topic").order_by(
            "topic__position", "topic__slug"
        )
        return self.select_related("podcast").prefetch_related(Prefetch("topic_uses", uses))

    def about(self, topic: str) -> Self:
        """Episodes that have the topic of this slug."""
        return self.filter(_among(EpisodeTopic, topic__slug=topic))

    def about_all(self, topics: Iterable[int]) -> Self:
        """Episodes that have every one of these topics, by their ids, of which databases know how
        common each is."""
        found = self
        for topic in topics:
            # A topic has many episodes, so they are found sooner along the order of the list than
            # by sorting all of them.
            found = found.filter(
                Exists(EpisodeTopic.objects.filter(episode=OuterRef("pk"), topic=topic))
            )
        return found

    def in_year(self, year: str) -> Self:
        """Episodes of a year, or those whose date nobody knows."""
        return (
            self.filter(published_at__isnull=True)
            if year == UNKNOWN
            else self.filter(published_at__year=int(year))
        )

    def in_month(self, month: str) -> Self:
        """Episodes of a month such as `2021-03`."""
        year, number = month.split("-")
        return self.filter(published_at__year=int(year), published_at__month=int(number))

    def in_length_band(self, band: str) -> Self:
        """Episodes of a band of lengths: `15-20`, `60-`; or those whose length nobody knows."""
        if band == UNKNOWN:
            return self.filter(duration_seconds__isnull=True)
        least, most = band.split("-")
        longer = self.lasting_at_least(int(least))
        return longer.filter(duration_seconds__lt=int(most) * 60) if most else longer

    def lasting_at_least(self, minutes: int) -> Self:
        return self.filter(duration_seconds__gte=minutes * 60)

    def lasting_at_most(self, minutes: int) -> Self:
        return self.filter(duration_seconds__lte=minutes * 60)

    def with_person(self, slug: str) -> Self:
        return self.filter(_among(Credit, person__slug=slug))

    def linking_to(self, kind: str) -> Self:
        return self.filter(_among(EpisodeLink, link__kind=kind))

    def told_by(self, source: str) -> Self:
        """Episodes that the source of this slug lists."""
        return self.filter(_among(Attachment, item__document__source__slug=source))

    def with_a_number_twice(self) -> Self:
        """Episodes whose number another one of their show and season has."""
        # NULL equals nothing in SQL, and shows without seasons count through.
        season = Coalesce("season", Value(-1))
        same = self.model.objects.annotate(own_season=season).filter(
            podcast=OuterRef("podcast"),
            number=OuterRef("number"),
            own_season=Coalesce(OuterRef("season"), Value(-1)),
        )
        return self.filter(Exists(same.exclude(pk=OuterRef("pk"))))

    def among(self, ids: Collection[int]) -> Self:
        """The episodes with these ids; there may be any number of them."""
        return self.filter(pk__in=ids_subquery(ids))


class LinkQuerySet(models.QuerySet[Any]):
    def with_words(self, typed: str) -> Self:
        """The links that have each of the first words somewhere in key, kind, title or the
        addresses that publish them."""
        found = self
        words = list(dict.fromkeys(typed.split()))
        for word in words[:MAX_QUERY_TERMS]:
            # No joins: a long query would need more of them than a database takes.
            published = Q(url__icontains=word) | Q(text__has_letters=word)
            mentions = EpisodeLink.objects.filter(published).order_by().values("link")
            own = Q(key__icontains=word) | Q(kind__icontains=word) | Q(title__has_letters=word)
            found = found.filter(own | Q(pk__in=mentions))
        return found


def _among(model: type[models.Model], **conditions: object) -> Q:
    """The episodes to which a row of this model belongs that meets the conditions."""
    rows = model._default_manager.filter(**conditions)
    # A join would give an episode once for each of its rows.
    return Q(pk__in=rows.order_by().values("episode"))


class CountedSubject(BrowsableSubject):
    """A shared thing that is found in the episodes; `resolve` makes its row, and counts its
    episodes there."""

    # A column, so that the database sorts and pages an index without counting.
    episode_count = models.PositiveIntegerField("episodes", default=0, editable=False)

    class Meta:
        abstract = True


class Person(CountedSubject):
    """Somebody who speaks in an episode, as one of the sources credits them."""

    view = "person"
    slug = models.SlugField(max_length=230, unique=True, allow_unicode=True)
    name = models.CharField(max_length=300)
    identity = models.CharField(
        max_length=2000, blank=True, help_text="An @handle, a web address, or name@show."
    )
    url = models.TextField("web page", blank=True)
    image_url = models.TextField("photo", blank=True)

    class Meta:
        ordering = ("slug",)
        verbose_name_plural = "people"
        indexes = (
            models.Index(fields=("identity",), name="person_identity"),
            models.Index(fields=("name",), name="person_name"),
            models.Index(fields=("-episode_count", "name", "slug"), name="person_most_episodes"),
        )

    def roles_in_shows(self) -> str:
        """Return a person's roles: `host of Small Talks, guest of Rope Hour`."""
        # By the reverse alphabet hosts come before guests.
        rows = Credit.objects.filter(person=self).order_by("episode__podcast__rank", "-role")
        pairs = rows.values_list("role", "episode__podcast__title")
        return ", ".join(f"{role} of {title}" for role, title in dict.fromkeys(pairs))


class Link(CountedSubject):
    """A thing that notes point to, under its typed identity, and the place that the index of links
    lists it at."""

    key = models.CharField(max_length=2100, unique=True)
    kind = models.CharField(max_length=20, choices=LINK_KIND_NAMES.items())
    title = models.TextField(blank=True)
    labelled = models.BooleanField(
        default=False, help_text="A curator set the title, so it beats the link text in notes."
    )
    summary = models.TextField(blank=True)
    replacement = models.TextField(blank=True, help_text="The address that replaces a dead one.")
    kind_order = models.PositiveSmallIntegerField(default=0, editable=False)
    repository = models.TextField(
        blank=True, editable=False, help_text="The GitHub repository that keeps it."
    )
    heading = models.TextField(
        blank=True, editable=False, help_text="The repository, where it is listed under that."
    )
    directory = models.TextField(
        blank=True, editable=False, help_text="Of a source file, in its repository."
    )
    sort_key = models.TextField(
        blank=True, editable=False, help_text="The key with numbers that sort as numbers."
    )

    objects = LinkQuerySet.as_manager()

    class Meta:
        ordering = ("kind", "key")
        indexes = (
            models.Index(
                fields=("repository", "directory", "kind", "episode_count"), name="link_repository"
            ),
            models.Index(
                fields=(
                    "kind_order",
                    "kind",
                    "heading",
                    "directory",
                    "-episode_count",
                    "sort_key",
                ),
                name="link_in_index",
            ),
        )

    def __str__(self) -> str:
        return self.key

    def get_absolute_url(self) -> str:
        # The key is in the query string, because its `#` and `?` would end a path.
        return f"{reverse('link')}?{urlencode({'key': self.key})}"


class EpisodeValues(models.Model):
    """The best value that is known for every field of an episode, and who gave it."""

    PRECISIONS = (("instant", "date and time"), ("day", "date"))

    # Letters of every script stay, so that a title of any language has its words in the address.
    slug = models.SlugField("address", max_length=255, unique=True, allow_unicode=True)
    title = models.TextField(blank=True)
    number = models.PositiveIntegerField(null=True, blank=True)
    season = models.PositiveIntegerField(null=True, blank=True)
    published_at = models.DateTimeField("published", null=True, blank=True)
    # A date without a time is that day in every time zone, which no instant is.
    published_precision = models.CharField(max_length=10, blank=True, choices=PRECISIONS)
    duration_seconds = models.PositiveIntegerField("length", null=True, blank=True)
    # Many pages give whole minutes, and those are no contradiction to a feed's seconds.
    duration_exact = models.BooleanField(default=True)
    description_text = models.TextField("show notes", blank=True)
    description_html = models.TextField(blank=True)
    description_truncated = models.BooleanField("truncated notes", default=False)
    guid = models.TextField(blank=True)
    url = models.TextField("page", blank=True)
    audio_url = models.TextField("audio", blank=True)
    audio_type = models.TextField(blank=True)
    episode_type = models.CharField(max_length=10, blank=True)
    # Null, because a feed that says nothing does not say no.
    explicit = models.BooleanField(null=True, blank=True)
    image_url = models.TextField(blank=True)
    details = models.JSONField(default=list, blank=True)
    provenance = models.JSONField(default=dict)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.heading

    def get_absolute_url(self) -> str:
        return page_address("episode", self.slug)

    @property
    def heading(self) -> str:
        """The title, or what stands for it where none is known."""
        return format_heading(self.title, self.season, self.number)

    @property
    def numbering(self) -> str:
        """`S2 E5`; `5` where the show counts through."""
        return format_numbering(self.season, self.number)

    @property
    def separate_numbering(self) -> str:
        """The numbering to show beside the title: "" if there is none, or if the heading has it."""
        is_printed = prints_number(self.heading, self.season, self.number)
        return "" if is_printed else self.numbering

    @property
    def is_video(self) -> bool:
        return self.audio_type.startswith("video/")

    @property
    def is_document(self) -> bool:
        """True where the enclosed file is nothing that plays: a handout, a picture."""
        return self.audio_type.startswith(
            ("image/", "text/", "application/pdf", "application/epub")
        )

    @property
    def season_name(self) -> str:
        return next((row.get("name", "") for row in self.details if row["kind"] == "season"), "")

    @property
    def duration(self) -> timedelta | None:
        return None if self.duration_seconds is None else timedelta(seconds=self.duration_seconds)


class Episode(EpisodeValues):
    """One episode of a show, with the best value that is known for every field."""

    podcast = models.ForeignKey(
        Podcast, models.CASCADE, related_name="episodes", verbose_name="show"
    )
    order = models.PositiveIntegerField(help_text="Its place in the show; the oldest is 1.")
    # An undated episode needs a place too: a second after the one before it in its show.
    sorted_at = models.DateTimeField(
        default=NO_DATE,
        help_text="The date that sorts it among the episodes of other shows.",
    )
    # Not unique: feeds repeat GUIDs, and two shows may use one.
    guid_hash = models.CharField(
        max_length=64, blank=True, help_text="Equal for GUIDs that podcast apps may treat as one."
    )
    # Clients know an episode by its GUID, so ours has to be one of a kind and never change.
    own_guid = models.CharField(
        max_length=50, blank=True, help_text="Used in feeds where the GUID is shared or missing."
    )
    listed = models.BooleanField(
        default=True, help_text="Lists and feeds show it, not another episode in its place."
    )
    summary = models.TextField(
        blank=True, help_text="A line or two of the notes, without what the show repeats in them."
    )
    versions = models.JSONField(
        default=list,
        blank=True,
        help_text="The episodes that it replaces or repeats, or that do so to it, as curators accepted it.",
    )
    conflicts = models.JSONField(default=list)
    repeats = models.JSONField(
        default=list,
        blank=True,
        help_text="Earlier episodes that it may replace or repeat, not decided yet: {of, kind, evidence}.",
    )
    related = models.JSONField(
        default=list,
        blank=True,
        help_text="Episodes that it has something in common with, best first: [slug, reason].",
    )

    topics = models.ManyToManyField(Topic, through="EpisodeTopic", related_name="episodes")
    links = models.ManyToManyField(Link, through="EpisodeLink", related_name="episodes")
    people = models.ManyToManyField(Person, through="Credit", related_name="episodes")

    objects = EpisodeQuerySet.as_manager()

    class Meta:
        ordering = ("podcast", "-order")
        constraints = (
            models.CheckConstraint(
                condition=Q(published_at__isnull=True, published_precision="")
                | Q(published_at__isnull=False, published_precision__in=("instant", "day")),
                name="episode_date_says_how_exact",
            ),
        )
        indexes = (
            models.Index(fields=("-published_at",), name="episode_published"),
            # With what is counted of a list: a row lies behind its notes.
            models.Index(
                fields=(
                    "-sorted_at",
                    "podcast",
                    "-order",
                    "listed",
                    "published_at",
                    "duration_seconds",
                    "id",
                ),
                name="episode_newest",
            ),
            models.Index(
                fields=("podcast", "-sorted_at"),
                condition=Q(listed=True),
                name="episode_newest_of_show",
            ),
            models.Index(fields=("guid_hash",), name="episode_guid"),
            models.Index(fields=("podcast", "order"), name="episode_order"),
        )

    @cached_property
    def topics_in_order(self) -> list[Topic]:
        """Its topics as pages list them; to be fetched with the rows of a list."""
        return [use.topic for use in self.topic_uses.all()]


class EpisodeTopic(models.Model):
    """A topic of an episode with the words that proposed it."""

    episode = models.ForeignKey(Episode, models.CASCADE, related_name="topic_uses")
    topic = models.ForeignKey(Topic, models.CASCADE, related_name="uses")
    term = models.CharField(max_length=200)
    field = models.CharField(max_length=20)
    position = models.PositiveIntegerField(default=0)
    confidence = models.CharField(max_length=10, default="high")

    class Meta:
        ordering = ("episode", "topic")
        constraints = (
            models.UniqueConstraint(fields=("episode", "topic"), name="topic_once_an_episode"),
        )


class EpisodeLink(models.Model):
    """A link in the notes of an episode, with the address as it was published."""

    episode = models.ForeignKey(Episode, models.CASCADE, related_name="mentions")
    link = models.ForeignKey(Link, models.CASCADE, related_name="mentions")
    position = models.PositiveIntegerField()
    url = models.TextField()
    text = models.CharField(max_length=500, blank=True)
    said = models.JSONField(
        default=dict,
        blank=True,
        help_text="The kind, title and replacement of the link by the show.",
    )

    class Meta:
        ordering = ("episode", "position")
        constraints = (
            models.UniqueConstraint(fields=("episode", "link"), name="link_once_an_episode"),
        )


class Credit(models.Model):
    """A person's part in an episode, with the name the notes use."""

    episode = models.ForeignKey(Episode, models.CASCADE, related_name="credits")
    person = models.ForeignKey(Person, models.CASCADE, related_name="credits")
    role = models.CharField(max_length=20)
    credited_as = models.CharField(max_length=300, blank=True)
    full_name = models.CharField(
        max_length=300, blank=True, help_text="The fullest name in this episode."
    )
    corrected = models.JSONField(
        default=dict, blank=True, help_text="The name, page and photo that curators set."
    )
    evidence = models.TextField(blank=True, help_text="The words of title or notes that say so.")

    class Meta:
        ordering = ("episode", "person", "role")
        constraints = (
            models.UniqueConstraint(
                fields=("episode", "person", "role"), name="credit_once_a_role"
            ),
        )


class Reference(models.Model):
    """One episode that names another: to hear first, to see also, or to follow up."""

    KINDS = tuple((k, k) for k in ("prerequisite", "see-also", "follow-up"))

    episode = models.ForeignKey(Episode, models.CASCADE, related_name="references")
    target = models.ForeignKey(Episode, models.CASCADE, related_name="referred_by")
    kind = models.CharField(max_length=15, choices=KINDS)
    evidence = models.TextField(blank=True, help_text="The sentence that mentions it.")

    class Meta:
        ordering = ("episode", "target")
        constraints = (
            models.UniqueConstraint(
                fields=("episode", "target", "kind"), name="reference_once_a_kind"
            ),
        )


class Transcript(models.Model):
    """The words of an episode, from the file that its feed names or that somebody brought."""

    episode = models.OneToOneField(Episode, models.CASCADE, related_name="transcript")
    url = models.TextField()
    sha256 = models.CharField(max_length=64, help_text="The hash of its file.")
    text = models.TextField(help_text="Plain text for search.")
    cues = models.JSONField(
        default=list, help_text="Paragraphs: [start in seconds or null, speaker, text]."
    )
    times = models.JSONField(
        default=list,
        help_text="Of words within them: [place in the lines of all texts, second].",
    )
    machine_made = models.BooleanField(
        null=True, help_text="A program wrote it down; empty where nothing says so."
    )
    corrections = models.JSONField(
        default=list, help_text="Of words by curators: [key of the decision, right words]."
    )
    lost = models.JSONField(default=list, help_text="Those that have no place in it.")

    def speech(self, length: int | None) -> Speech:
        """Its words with the second of each, in an episode of this length in seconds."""
        return Speech(self.cues, self.times, length)


class Chapter(models.Model):
    """A part of an episode with the second at which it begins."""

    episode = models.ForeignKey(Episode, models.CASCADE, related_name="chapters")
    start = models.PositiveIntegerField()
    title = models.TextField()
    url = models.TextField(blank=True)

    class Meta:
        ordering = ("episode", "start")
        constraints = (
            models.UniqueConstraint(fields=("episode", "start"), name="chapter_once_a_second"),
        )


class CodeName(CountedSubject):
    """A name of code that titles or notes use: `torch.nn`, `AOTAutograd`,
    `native_functions.yaml`."""

    view = "name"
    slug = models.SlugField(max_length=200, unique=True, allow_unicode=True)
    name = models.CharField(max_length=200, unique=True)
    letter = models.CharField(
        max_length=5, blank=True, editable=False, help_text="Empty: it begins with a digit or sign."
    )
    sort_name = models.TextField(
        blank=True, editable=False, help_text="Without case and the signs before it."
    )

    class Meta:
        ordering = ("name",)
        verbose_name = "symbol"


class CodeMention(models.Model):
    """A name of code in an episode, with the sentence around it."""

    episode = models.ForeignKey(Episode, models.CASCADE, related_name="code_mentions")
    name = models.ForeignKey(CodeName, models.CASCADE, related_name="mentions")
    field = models.CharField(max_length=20)
    position = models.PositiveIntegerField(help_text="0-based offset in that field.")
    sentence = models.TextField(blank=True)

    class Meta:
        ordering = ("episode", "field", "position")
        constraints = (
            models.UniqueConstraint(
                fields=("episode", "name", "field", "position"), name="code_mention_once_a_place"
            ),
        )


class Attachment(models.Model):
    """An entry that belongs to an episode: how the catalog knows who said what."""

    episode = models.ForeignKey(Episode, models.CASCADE, related_name="attachments")
    item = models.OneToOneField(Item, models.CASCADE, related_name="attachment")
    reasons = models.JSONField(default=list)

    class Meta:
        ordering = ("episode", "item")


# A table of its own, so that no list, count or join of readers' pages can show a row of it.
class WithdrawnEpisode(EpisodeValues):
    """An episode that a curator took out: what its sources say of it, and what its address answers.
    No page shows it."""

    podcast = models.ForeignKey(
        Podcast, models.CASCADE, related_name="withdrawn", verbose_name="show"
    )
    decision = models.ForeignKey(Decision, models.CASCADE, related_name="+")
    replaced_by = models.ForeignKey(
        Episode,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        help_text="Its addresses redirect there.",
    )

    class Meta:
        ordering = ("-decision__made_at", "slug")
        verbose_name = "taken-out episode"


class WithdrawnEntry(models.Model):
    """An entry that belongs to an episode that was taken out."""

    episode = models.ForeignKey(WithdrawnEpisode, models.CASCADE, related_name="attachments")
    item = models.OneToOneField(
        Item, models.CASCADE, related_name="withdrawn", verbose_name="entry"
    )
    reasons = models.JSONField(default=list)

    class Meta:
        ordering = ("episode", "item")


class Held(models.Model):
    """An entry that could not be placed without doubt, with its candidates and the reasons in
    words."""

    podcast = models.ForeignKey(Podcast, models.CASCADE, related_name="held", verbose_name="show")
    item = models.OneToOneField(Item, models.CASCADE, related_name="held", verbose_name="entry")
    candidates = models.JSONField(default=list)

    class Meta:
        ordering = ("podcast", "item")
        verbose_name = "entry that needs review"
        verbose_name_plural = "entries that need review"


class EntryReading(models.Model):
    """What was read of the newest revision of an entry, so that it is read once. A resolve without it
    reads the same."""

    item = models.OneToOneField(Item, models.CASCADE, primary_key=True, related_name="reading")
    fingerprint = models.CharField(
        max_length=32, help_text="Of the revision, the show and the program."
    )
    match_keys = models.JSONField(help_text="The values that matching compares.")


class EpisodeReadingQuerySet(models.QuerySet["EpisodeReading"]):
    def failed(self) -> Self:
        """The episodes of shown shows with a text that could not be read."""
        shown = Podcast.objects.listed().order_by()
        failed = self.exclude(failures={}).filter(episode__podcast__in=shown.values("pk"))
        return failed.select_related("episode__podcast").order_by("episode__podcast", "episode")


class EpisodeReading(models.Model):
    """What was read of an episode, so that it is read once. A resolve without it reads the same."""

    episode = models.OneToOneField(
        Episode, models.CASCADE, primary_key=True, related_name="reading"
    )
    outline_fingerprint = models.CharField(
        max_length=32, help_text="Of the entries and decisions that the outline was read from."
    )
    outline = models.JSONField(help_text="What the passes over its show need of it.")
    text = models.TextField(blank=True, help_text="The notes as text, in which topics are found.")
    tags = models.JSONField(default=list, help_text="The topics that the rules assign.")
    tags_fingerprint = models.CharField(
        max_length=32, blank=True, help_text="Of what the tags follow from beside the text."
    )
    fingerprint = models.CharField(
        max_length=32, help_text="Of all that the episode was made from."
    )
    failures = models.JSONField(
        default=dict, help_text="The entries of which a text could not be read, with the error."
    )

    objects = EpisodeReadingQuerySet.as_manager()
