"""The catalog: the tables that people read. They follow from evidence and decisions, and only
`resolve/` writes them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from functools import cached_property
from itertools import islice
from typing import Any, Self, TypeVar

from django.db import connection, models
from django.db.models import Exists, F, OuterRef, Prefetch, Q, Value
from django.db.models.expressions import OrderBy, RawSQL
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.http import urlencode

from ..records import NO_DATE
from ..text.link_labels import LINK_KIND_NAMES, safe_href
from ..text.numbering import format_heading, format_numbering, prints_number
from ..text.spoken_time import Speech
from .configuration import BrowsableSubject, Podcast, Topic, page_address
from .decisions import Decision
from .evidence import Item

HAS_EPISODES = Q(episode_count__gt=0)
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
MAX_QUERY_TERMS = 16  # words of a query for episodes or links. More are not searched.
QUERY_BATCH_SIZE = 200  # rows that one statement names, with several rows of another table for each


def batches(values: Collection[Row]) -> Iterator[list[Row]]:
    """Yield the values in lists that are short enough for one statement. Databases limit the number of
    values in one."""
    # An iterator makes no list of all values, which may be a million.
    remaining = iter(values)
    while batch := list(islice(remaining, QUERY_BATCH_SIZE)):
        yield batch


def newest_first_fields(is_single_show: bool | None) -> tuple[str, ...]:
    """Return the fields that sort episodes newest first: episodes of several shows by date, episodes
    of a single show in its own order.

    Without `is_single_show` the database is asked whether there are several shows. Of equal dates the
    date of the oldest show comes first. There is an index for each order and its reverse.
    """
    if is_single_show is None:
        is_single_show = not Podcast.objects.several()
    if is_single_show:
        return ("-podcast_id", "-order")
    return ("-sorted_at", "podcast_id", "-order")


def ids_subquery(ids: Collection[int]) -> RawSQL:
    """Return a subquery of these ids for a lookup with `in`. It takes any number of ids."""
    # A list of ids as one value, because databases read thousands of values slowly.
    if connection.vendor == "sqlite":
        select_ids = "SELECT value FROM json_each(%s)"
    else:
        select_ids = "SELECT value::bigint FROM json_array_elements_text(%s)"
    return RawSQL(select_ids, [json.dumps([*ids])])


def joined_sql(column: str) -> str:
    """Return SQL for the values of many rows in one, with commas. To read a row for each takes five times
    as long."""
    if connection.vendor == "sqlite":
        return f"group_concat({column})"
    return f"string_agg(CAST({column} AS text), ',')"


class EpisodeQuerySet(models.QuerySet["Episode"]):
    def of_shows(self, podcasts: Sequence[Podcast]) -> Self:
        """Return all episodes of these shows, newest first.

        Of equal dates the slug of the show decides, so that the order of adding shows does not matter.
        """
        rows = self.filter(podcast__in=podcasts)
        # The order of a show may differ from the order of dates.
        if len(podcasts) == 1:
            return rows.newest_first(is_single_show=True)
        return rows.order_by("-sorted_at", "podcast__slug", "-order")

    def listed(self) -> Self:
        """Return the episodes that lists show: without episodes that another episode represents."""
        return self.filter(listed=True)

    def newest_first(self, *, is_single_show: bool | None = None) -> Self:
        return self.order_by(*newest_first_fields(is_single_show))

    def sorted_by(self, sort: str, *, is_single_show: bool | None = None) -> Self:
        """Return the episodes in an order: oldest, shortest, longest, or else newest. Unknown lengths come
        last, and of equal lengths the newest comes first."""
        newest_first = newest_first_fields(is_single_show)
        # Databases differ in the default place of NULL.
        shortest_first = F("duration_seconds").asc(nulls_last=True)
        longest_first = F("duration_seconds").desc(nulls_last=True)
        orders: dict[str, tuple[OrderBy | str, ...]] = {
            "shortest": (shortest_first, *newest_first),
            "longest": (longest_first, *newest_first),
        }
        episodes = self.order_by(*orders.get(sort, newest_first))
        return episodes.reverse() if sort == "oldest" else episodes

    def in_batches(self) -> Iterator[Episode]:
        """Return an iterator over any number of episodes. Related rows are prefetched for a batch at a
        time, so that no statement names too many rows."""
        return self.iterator(QUERY_BATCH_SIZE)

    def with_name_columns(self) -> Self:
        return self.only(*NAME_COLUMNS)

    def for_list(self) -> Self:
        uses = EpisodeTopic.objects.select_related("topic").order_by(
            "topic__position", "topic__slug"
        )
        return self.select_related("podcast").prefetch_related(Prefetch("topic_uses", uses))

    def with_topic(self, slug: str) -> Self:
        return self.filter(_has_row(EpisodeTopic, topic__slug=slug))

    def with_all_topics(self, topic_ids: Iterable[int]) -> Self:
        episodes = self
        for topic_id in topic_ids:
            # A topic has many episodes. Testing episodes in the order of the list is faster than
            # sorting all episodes of the topic.
            uses = EpisodeTopic.objects.filter(episode=OuterRef("pk"), topic=topic_id)
            episodes = episodes.filter(Exists(uses))
        return episodes

    def in_year(self, year: str) -> Self:
        if year == UNKNOWN:
            return self.filter(published_at__isnull=True)
        return self.filter(published_at__year=int(year))

    def in_month(self, month: str) -> Self:
        year, number = month.split("-")
        return self.filter(published_at__year=int(year), published_at__month=int(number))

    def in_length_band(self, band: str) -> Self:
        """Return the episodes of a band of lengths such as `15-20` or `60-` in minutes, or the episodes
        without a length for "unknown"."""
        if band == UNKNOWN:
            return self.filter(duration_seconds__isnull=True)
        min_minutes, max_minutes = band.split("-")
        episodes = self.lasting_at_least(int(min_minutes))
        # The last band, `60-`, has no upper limit.
        if max_minutes:
            # Less, because a length on a border is in the longer band.
            episodes = episodes.filter(duration_seconds__lt=int(max_minutes) * 60)
        return episodes

    def lasting_at_least(self, minutes: int) -> Self:
        return self.filter(duration_seconds__gte=minutes * 60)

    def lasting_at_most(self, minutes: int) -> Self:
        return self.filter(duration_seconds__lte=minutes * 60)

    def with_person(self, slug: str) -> Self:
        return self.filter(_has_row(Credit, person__slug=slug))

    def in_language(self, code: str) -> Self:
        """Return the episodes of shows in a language, such as `pt` for `pt-BR`."""
        with_region = Q(language__istartswith=f"{code}-") | Q(language__istartswith=f"{code}_")
        return self.filter(
            podcast__in=Podcast.objects.filter(Q(language__iexact=code) | with_region)
        )

    def with_link_kind(self, kind: str) -> Self:
        return self.filter(_has_row(EpisodeLink, link__kind=kind))

    def with_source(self, slug: str) -> Self:
        return self.filter(_has_row(Attachment, item__document__source__slug=slug))

    def with_duplicate_numbers(self) -> Self:
        """Return the episodes that share show, season and number with another episode."""
        # Shows without seasons number all their episodes. In SQL, NULL does not equal NULL, so -1 stands
        # for an unknown season.
        unknown_season = Value(-1)
        with_season = self.model.objects.annotate(known_season=Coalesce("season", unknown_season))
        same_number = with_season.filter(
            podcast=OuterRef("podcast"),
            number=OuterRef("number"),
            known_season=Coalesce(OuterRef("season"), unknown_season),
        )
        duplicates = same_number.exclude(pk=OuterRef("pk"))
        return self.filter(Exists(duplicates))

    def with_ids(self, ids: Collection[int]) -> Self:
        return self.filter(pk__in=ids_subquery(ids))


def subjects_in_several_shows(subjects: models.QuerySet[Any]) -> models.QuerySet[Any]:
    """Return the links or people with listed episodes of several shows, most shows first.

    Each has the number of its shows (`show_count`).
    """
    is_listed = Q(episodes__listed=True)
    show_count = models.Count("episodes__podcast", filter=is_listed, distinct=True)
    # One episode is of one show, so most rows need no counting.
    with_several_episodes = subjects.filter(episode_count__gt=1)
    counted: models.QuerySet[Any] = with_several_episodes.annotate(show_count=show_count)
    # Of equal counts in the order of their own lists, because a rebuild may give them other ids.
    in_several = counted.filter(show_count__gt=1)
    return in_several.order_by("-show_count", "-episode_count", *subjects.model._meta.ordering)


class LinkQuerySet(models.QuerySet[Any]):
    def in_several_shows(self, chosen: str) -> Self:
        shared = subjects_in_several_shows(Link.objects.all())
        return self.filter(pk__in=shared.order_by().values("pk"))

    def with_all_words(self, typed: str) -> Self:
        """Return the links that have every typed word in their key, kind or title, or in their
        addresses and words in notes. Words after the first MAX_QUERY_TERMS do not count."""
        links = self
        unique_words = list(dict.fromkeys(typed.split()))
        # More words would need more joins than a database takes.
        for word in unique_words[:MAX_QUERY_TERMS]:
            in_mention = Q(url__icontains=word) | Q(text__has_letters=word)
            mentions = EpisodeLink.objects.filter(in_mention).order_by().values("link")
            in_link = Q(key__icontains=word) | Q(kind__icontains=word) | Q(title__has_letters=word)
            links = links.filter(in_link | Q(pk__in=mentions))
        return links


def _has_row(model: type[models.Model], **conditions: object) -> Q:
    rows = model._default_manager.filter(**conditions)
    # A join would repeat an episode for each of its rows.
    return Q(pk__in=rows.order_by().values("episode"))


class CountedSubject(BrowsableSubject):
    """A person, link or symbol that episodes have in common. `resolve` writes its row and counts its
    episodes."""

    # Stored, so that the database sorts and pages an index without counting.
    episode_count = models.PositiveIntegerField("episodes", default=0, editable=False)

    class Meta:
        abstract = True


class Person(CountedSubject):
    """A person who speaks in an episode, as a source credits them."""

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
    """The target of links in notes, under its typed identity, with its position in the index of
    links."""

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
        # In the query string, because the `#` and `?` of a key would end a path.
        return f"{reverse('link')}?{urlencode({'key': self.key})}"


class EpisodeValues(models.Model):
    """The best value of every field of an episode, and its source."""

    PRECISIONS = (("instant", "date and time"), ("day", "date"))

    # Letters of every script stay, so that a title of any language has its words in the address.
    slug = models.SlugField("address", max_length=255, unique=True, allow_unicode=True)
    title = models.TextField(blank=True)
    number = models.PositiveIntegerField(null=True, blank=True)
    season = models.PositiveIntegerField(null=True, blank=True)
    published_at = models.DateTimeField("published", null=True, blank=True)
    # A date without a time is one day in every time zone. An instant is not.
    published_precision = models.CharField(max_length=10, blank=True, choices=PRECISIONS)
    duration_seconds = models.PositiveIntegerField("length", null=True, blank=True)
    # Many pages give whole minutes, which do not contradict the seconds of a feed.
    duration_exact = models.BooleanField(default=True)
    description_text = models.TextField("show notes", blank=True)
    description_html = models.TextField(blank=True)
    description_truncated = models.BooleanField("truncated notes", default=False)
    guid = models.TextField(blank=True)
    url = models.TextField("page", blank=True)
    audio_url = models.TextField("audio", blank=True)
    audio_type = models.TextField(blank=True)
    episode_type = models.CharField(max_length=10, blank=True)
    # Null if the feed does not tell.
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
        """Return the title, or the numbering or a placeholder without one."""
        return format_heading(self.title, self.season, self.number)

    @property
    def numbering(self) -> str:
        """Return season and number: `S2 E5`, or `5` without a season."""
        return format_numbering(self.season, self.number)

    @property
    def separate_numbering(self) -> str:
        """Return the numbering to show beside the title: "" if there is none, or if the heading has it."""
        is_printed = prints_number(self.heading, self.season, self.number)
        return "" if is_printed else self.numbering

    @property
    def is_video(self) -> bool:
        return self.audio_type.startswith("video/")

    @property
    def is_document(self) -> bool:
        """Return True if the enclosed file cannot be played: a handout, a picture."""
        return self.audio_type.startswith(
            ("image/", "text/", "application/pdf", "application/epub")
        )

    @property
    def is_playable(self) -> bool:
        """Return True if the player plays it from page to page. A video plays on its own page."""
        is_sound = not self.is_video and not self.is_document
        return is_sound and bool(safe_href(self.audio_url))

    @property
    def season_name(self) -> str:
        for detail in self.details:
            if detail["kind"] == "season":
                return str(detail.get("name", ""))
        return ""

    @property
    def duration(self) -> timedelta | None:
        return None if self.duration_seconds is None else timedelta(seconds=self.duration_seconds)


class Episode(EpisodeValues):
    """An episode of a show, with the best value of every field."""

    podcast = models.ForeignKey(
        Podcast, models.CASCADE, related_name="episodes", verbose_name="show"
    )
    order = models.PositiveIntegerField(help_text="Its place in the show; the oldest is 1.")
    # Of an undated episode: a second after the episode before it in its show.
    sorted_at = models.DateTimeField(
        default=NO_DATE,
        help_text="The date that sorts it among the episodes of other shows.",
    )
    # Not unique: feeds repeat GUIDs, and two shows may use one.
    guid_hash = models.CharField(
        max_length=64, blank=True, help_text="Equal for GUIDs that podcast apps may treat as one."
    )
    # Clients identify an episode by its GUID, so ours is unique and never changes.
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
            # With the columns that a list counts, because rows with notes are slow to read.
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
        """Return the topics in the order of pages. Lists prefetch them."""
        return [use.topic for use in self.topic_uses.all()]


class EpisodeTopic(models.Model):
    """A topic of an episode, with the term that assigned it."""

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
    """A link in the notes of an episode, with its address as published."""

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
    """A person's role in an episode, with the name as published."""

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
    """A reference of an episode to another one: to hear before it, after it, or beside it."""

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
    """The words of an episode, from a file that its feed names or that was imported."""

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
        """Return the words with the second of each. `length` is the length of the episode in seconds."""
        return Speech(self.cues, self.times, length)


class WordProposal(models.Model):
    """Words of a show's transcripts that are likely a misspelled name. A job of the schedule finds them,
    and a curator decides."""

    podcast = models.ForeignKey(Podcast, models.CASCADE, related_name="+", verbose_name="show")
    wrong = models.CharField(max_length=200)
    right = models.CharField(max_length=200)
    place_count = models.PositiveIntegerField()
    episode_count = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("podcast", "wrong"), name="word_proposal_once"),
        )

    def __str__(self) -> str:
        return f"{self.wrong} → {self.right}"


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
    """An entry of an episode, and the reasons of its match."""

    episode = models.ForeignKey(Episode, models.CASCADE, related_name="attachments")
    item = models.OneToOneField(Item, models.CASCADE, related_name="attachment")
    reasons = models.JSONField(default=list)

    class Meta:
        ordering = ("episode", "item")

    @property
    def reasons_in_words(self) -> str:
        """Return the reasons for readers: "same title; same length"."""
        return "; ".join(self.reasons).replace("equal ", "same ")


# In a separate table, so that no list, count or join of readers' pages can show it.
class WithdrawnEpisode(EpisodeValues):
    """A withdrawn episode: the values of its sources, and the target of its address. No page shows
    it."""

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
    """An entry of a withdrawn episode."""

    episode = models.ForeignKey(WithdrawnEpisode, models.CASCADE, related_name="attachments")
    item = models.OneToOneField(
        Item, models.CASCADE, related_name="withdrawn", verbose_name="entry"
    )
    reasons = models.JSONField(default=list)

    class Meta:
        ordering = ("episode", "item")


class Held(models.Model):
    """An unmatched entry, with its candidates and the reasons in words."""

    podcast = models.ForeignKey(Podcast, models.CASCADE, related_name="held", verbose_name="show")
    item = models.OneToOneField(Item, models.CASCADE, related_name="held", verbose_name="entry")
    candidates = models.JSONField(default=list)

    class Meta:
        ordering = ("podcast", "item")
        verbose_name = "entry that needs review"
        verbose_name_plural = "entries that need review"


class EntryReading(models.Model):
    """The match keys of the newest revision of an entry. A cache: a resolve without it computes the
    same keys."""

    item = models.OneToOneField(Item, models.CASCADE, primary_key=True, related_name="reading")
    fingerprint = models.CharField(
        max_length=32, help_text="Of the revision, the show and the program."
    )
    match_keys = models.JSONField(help_text="The values that matching compares.")


class EpisodeMeaning(models.Model):
    """The meaning of an episode's title, notes, topics and transcript, for search. It is not exported. A row
    is deleted when one of these changes, and made anew by a job."""

    episode = models.OneToOneField(
        Episode, models.CASCADE, primary_key=True, related_name="meaning"
    )
    vector = models.BinaryField(
        db_column="signs", help_text="Each dimension of the vector, a byte with a sign each."
    )
    transcript_signs = models.BinaryField(
        default=bytes,
        help_text="Of the vector of each piece of the transcript, the sign of each dimension in a bit.",
    )
    fingerprint = models.CharField(
        max_length=32,
        help_text="Of the title, the beginning of the notes, the names of topics, and the transcript.",
    )

    class Meta:
        default_permissions = ()


class EpisodeReadingQuerySet(models.QuerySet["EpisodeReading"]):
    def failed(self) -> Self:
        """Return the episodes with a text that could not be read, without episodes of removed shows."""
        shows = Podcast.objects.listed().order_by()
        failed = self.exclude(failures={}).filter(episode__podcast__in=shows.values("pk"))
        return failed.select_related("episode__podcast").order_by("episode__podcast", "episode")


class EpisodeReading(models.Model):
    """The values that a resolve read from an episode. A cache: a resolve without it reads the same."""

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

    @property
    def failures_in_words(self) -> str:
        return "; ".join(f"{entry} ({error})" for entry, error in self.failures.items())
