"""The catalog: what people read; a function of evidence and decisions, written by `resolve/`
alone (`apply*.py`, `core.py`, `rows.py`)."""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from typing import Self

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.http import urlencode

from ..records import NO_DATE, UNREAD
from ..text.link_labels import ONE
from ..text.numbering import numbering, numbers_of
from ..text.speech import Speech
from .configuration import Podcast, Topic
from .decisions import Decision
from .evidence import Item
from .querysets import EpisodeQuerySet, LinkQuerySet
from .shared import CountedThing, address


class Person(CountedThing):
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
            models.Index(fields=("-episode_count", "name", "slug"), name="person_most_episodes"),
        )


class Link(CountedThing):
    """A thing that notes point to, under its typed identity, and the place that the index of links
    lists it at."""

    key = models.CharField(max_length=2100, unique=True)
    kind = models.CharField(max_length=20, choices=ONE.items())
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
        return address("episode", self.slug)

    @property
    def heading(self) -> str:
        """The title, or what stands for it where none is known."""
        if self.title:
            return self.title
        # Not by truth, because a feed may number its trailer 0.
        return f"Episode {self.numbering}" if self.number is not None else "Untitled episode"

    @property
    def numbering(self) -> str:
        """`S2 E5`; `5` where the show counts through."""
        return numbering(self.season, self.number)

    @property
    def number_beside_title(self) -> str:
        """The numbering that is shown beside the title: "" for none, and where the heading has it."""
        said = set(numbers_of(self.heading))
        return "" if (self.season, self.number) in said else self.numbering

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
    proposed_people = models.JSONField(
        default=list,
        blank=True,
        help_text="People whom one sign alone names, not decided yet: {identity, role, name, evidence}.",
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

    def with_same_number(self) -> models.QuerySet[Episode]:
        """Other episodes of the show that have its number in its season."""
        if self.number is None:
            return Episode.objects.none()
        # Django compares a season of None by IS NULL.
        same = Episode.objects.filter(
            podcast=self.podcast_id, season=self.season, number=self.number
        )
        return same.exclude(pk=self.pk)


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

    def __str__(self) -> str:
        return f"{self.episode}: {self.topic}"


class EpisodeLink(models.Model):
    """A link in the notes of an episode, with the address as it was published."""

    episode = models.ForeignKey(Episode, models.CASCADE, related_name="mentions")
    link = models.ForeignKey(Link, models.CASCADE, related_name="mentions")
    position = models.PositiveIntegerField()
    url = models.TextField()
    text = models.CharField(max_length=500, blank=True)
    details = models.JSONField(
        default=dict,
        blank=True,
        help_text="Further parts of the link: branch or commit, lines, start in seconds.",
    )
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

    def __str__(self) -> str:
        return self.url


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

    def __str__(self) -> str:
        return f"{self.person}, {self.role}"


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

    def __str__(self) -> str:
        return f"{self.episode} → {self.target}: {self.kind}"


class TopicProposal(models.Model):
    """A topic that a show may have, from its keywords or words, until a curator accepts or refuses
    it."""

    SOURCES = (
        ("keyword", "keyword or category of the feed"),
        ("words", "words of titles and notes"),
    )

    podcast = models.ForeignKey(
        Podcast, models.CASCADE, related_name="proposed_topics", verbose_name="show"
    )
    key = models.CharField(max_length=200, help_text="Equal for spellings of one name.")
    place = models.PositiveSmallIntegerField(help_text="1 is the best of its show.")
    name = models.CharField(max_length=100)
    source = models.CharField(max_length=10, choices=SOURCES)
    terms = models.JSONField(default=list, help_text="Terms of its rule, or keywords.")
    count = models.PositiveIntegerField("episodes")
    uses = models.JSONField(
        default=list, help_text="The newest uses: [episode, field, position, words]."
    )

    class Meta:
        ordering = ("podcast", "place")
        verbose_name = "proposed topic"
        constraints = (
            models.UniqueConstraint(fields=("podcast", "key"), name="topic_proposal_once_a_show"),
        )

    def __str__(self) -> str:
        return self.name


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

    def __str__(self) -> str:
        return f"Transcript of {self.episode}"

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

    def __str__(self) -> str:
        return f"{self.start}: {self.title}"


class CodeName(CountedThing):
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

    def __str__(self) -> str:
        return f"{self.name} in {self.episode}"


class Attachment(models.Model):
    """An entry that belongs to an episode: how the catalog knows who said what."""

    episode = models.ForeignKey(Episode, models.CASCADE, related_name="attachments")
    item = models.OneToOneField(Item, models.CASCADE, related_name="attachment")
    reasons = models.JSONField(default=list)

    class Meta:
        ordering = ("episode", "item")

    def __str__(self) -> str:
        return f"{self.item} → {self.episode}"


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

    def __str__(self) -> str:
        return f"{self.item} → {self.episode}"


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

    def __str__(self) -> str:
        return str(self.item)


class EntryKeys(models.Model):
    """The values of an entry by which others of its show can be told to be of the same episode
    (identity/meeting.py): an import asks these whom a new entry could meet."""

    item = models.OneToOneField(Item, models.CASCADE, primary_key=True, related_name="entry_keys")
    podcast = models.ForeignKey(Podcast, models.CASCADE, related_name="+")
    guid = models.TextField(blank=True)
    audio = models.TextField(blank=True)
    page = models.TextField(blank=True)
    title = models.TextField(blank=True)
    opening = models.TextField(blank=True, help_text="The beginning of the squashed text.")
    day = models.DateField(null=True, blank=True)
    # Where it is as before, matching would leave the entry where it is.
    digest = models.CharField(max_length=32, help_text="The hash of all that matching looks at.")

    class Meta:
        ordering = ("podcast", "item")

    def __str__(self) -> str:
        return str(self.item)


class ParsedNotesQuerySet(models.QuerySet["ParsedNotes"]):
    def unread(self) -> Self:
        """A row for each show with entries of which a text could not be read: what went wrong, by
        entry."""
        shown = Podcast.objects.shown().order_by()
        return self.filter(digest=UNREAD, podcast__in=shown.values("pk")).select_related("podcast")


class ParsedNotes(models.Model):
    """Findings in one text of notes, so that it is read once (notes/memory.py): a resolve without
    them finds the same."""

    podcast = models.ForeignKey(Podcast, models.CASCADE, related_name="parsed_notes")
    digest = models.CharField(
        max_length=32, help_text="The hash of the text and of the parser’s version."
    )
    payload = models.JSONField()

    objects = ParsedNotesQuerySet.as_manager()

    class Meta:
        ordering = ("podcast", "digest")
        constraints = (
            models.UniqueConstraint(fields=("podcast", "digest"), name="one_reading_of_notes"),
        )

    def __str__(self) -> str:
        return self.digest
