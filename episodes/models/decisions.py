"""Decisions: what curators decided, hung on evidence by source and item key; written by the admin,
ended, never deleted."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from ..fields import OVERRIDABLE
from .actions import in_words
from .configuration import Podcast


class Decision(models.Model):
    """What every decision has: which show it is about, who made it, when, why, and whether it still
    holds."""

    podcast = models.ForeignKey(Podcast, models.PROTECT, related_name="+", verbose_name="show")
    reason = models.TextField(blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="curator",
    )
    made_at = models.DateTimeField("decided", default=timezone.now)
    ended_at = models.DateTimeField("ended", null=True, blank=True)

    class Meta:
        abstract = True
        ordering = ("-made_at", "-id")


class EntryDecision(Decision):
    """A decision about one entry of a source."""

    source = models.SlugField(max_length=200)
    item_key = models.CharField("entry key", max_length=600)

    class Meta(Decision.Meta):
        abstract = True


class Override(EntryDecision):
    """A curator's own value of one field; the field is locked until the row is ended."""

    FIELDS = tuple((field.name, field.label) for field in OVERRIDABLE)

    field = models.CharField(max_length=30, choices=FIELDS)
    value = models.TextField(
        blank=True,
        help_text="Dates look like 2021-08-18 or 2021-08-18T13:00:00Z. Empty means unknown.",
    )

    class Meta(Decision.Meta):
        verbose_name = "locked field"
        constraints = (
            models.UniqueConstraint(
                fields=("podcast", "source", "item_key", "field"),
                condition=Q(ended_at__isnull=True),
                name="override_one_in_force_a_field",
            ),
        )

    def __str__(self) -> str:
        return f"{self.item_key}: {self.field}"


class Judgement(EntryDecision):
    """Two entries are the same episode, or are not, whatever the rules say; or one entry is an
    episode of its own, or none at all, and then there is no other."""

    VERDICTS = (
        ("same", "the same episode"),
        ("kept", "the same episode (kept after a merge)"),
        ("different", "different episodes"),
        ("new", "an episode of its own"),
        ("ignore", "not an episode"),
        ("replaces", "the later one replaces the other"),
        ("repeats", "the later one is a rebroadcast of the other"),
        ("unrelated", "the later one has nothing to do with the other"),
    )
    JOINING = ("same", "kept")
    PAIRS = (*JOINING, "different", "replaces", "repeats", "unrelated")
    OF_REPEATS = (
        "replaces",
        "repeats",
        "unrelated",
    )  # of two episodes, each named by an entry; they stay two

    other_source = models.SlugField(max_length=200, blank=True)
    other_key = models.CharField(max_length=600, blank=True)
    verdict = models.CharField(max_length=10, choices=VERDICTS)

    class Meta(Decision.Meta):
        verbose_name = "match"
        verbose_name_plural = "matches"
        constraints = (
            models.UniqueConstraint(
                fields=("podcast", "source", "item_key", "other_source", "other_key"),
                condition=Q(ended_at__isnull=True),
                name="judgement_one_in_force_a_pair",
            ),
        )

    def __str__(self) -> str:
        both = f"{self.item_key} and {self.other_key}" if self.other_key else self.item_key
        return f"{both}: {self.verdict}"


class Withdrawal(EntryDecision):
    """An episode that is taken out of the catalog, whatever sources list it: the one that this
    entry belongs to."""

    KINDS = (
        ("no-episode", "Not an episode"),
        ("hidden", "Hidden"),
        ("replaced", "Replaced by another episode"),
    )

    kind = models.CharField(max_length=10, choices=KINDS)
    address = models.SlugField(
        max_length=255, allow_unicode=True, help_text="Its address, which no other episode gets."
    )
    other_source = models.SlugField(
        max_length=200, blank=True, help_text="The source of an entry of the other episode."
    )
    other_key = models.CharField(max_length=600, blank=True)

    class Meta(Decision.Meta):
        verbose_name = "episode taken out"
        verbose_name_plural = "episodes taken out"
        constraints = (
            models.UniqueConstraint(
                fields=("podcast", "source", "item_key"),
                condition=Q(ended_at__isnull=True),
                name="withdrawal_one_in_force_an_entry",
            ),
        )

    def __str__(self) -> str:
        return f"{self.item_key}: {self.get_kind_display()}"


KEYS = "A topic's slug, a link's key, a person's identity, the source and key of an entry of the other episode, or a conflict."


class ListDecision(EntryDecision):
    """A decision about one entry of an episode's lists, in force at most once."""

    KINDS = (
        ("topic", "Topic"),
        ("link", "Link"),
        ("person", "Person"),
        ("reference", "Other episode"),
        ("conflict", "Conflict"),
    )

    kind = models.CharField(max_length=10, choices=KINDS)

    class Meta(Decision.Meta):
        abstract = True
        constraints = (
            models.UniqueConstraint(
                fields=("podcast", "source", "item_key", "kind", "key"),
                condition=Q(ended_at__isnull=True),
                name="%(class)s_one_in_force_an_entry",
            ),
        )


class Removal(ListDecision):
    """A topic, link, person or reference that stays away although a source or rule proposes it."""

    key = models.CharField(max_length=2000, help_text=KEYS)

    def __str__(self) -> str:
        return f"{self.item_key}: no {self.kind} {self.key}"


class Addition(ListDecision):
    """A topic, link, person or reference that a curator added to an episode."""

    key = models.CharField(max_length=2000, help_text=KEYS + " For a link, its address.")
    detail = models.CharField(
        max_length=400,
        blank=True,
        help_text="The text of a link, the role and name of a person, or the kind of a reference.",
    )

    def __str__(self) -> str:
        return f"{self.item_key}: {self.kind} {self.key}"


class TopicRefusal(Decision):
    """A topic that is not proposed for the show again."""

    key = models.CharField(max_length=200, help_text="The key of the proposal.")
    name = models.CharField(max_length=100)

    class Meta(Decision.Meta):
        verbose_name = "refused topic"
        constraints = (
            models.UniqueConstraint(
                fields=("podcast", "key"),
                condition=Q(ended_at__isnull=True),
                name="topic_refusal_one_in_force",
            ),
        )

    def __str__(self) -> str:
        return self.name


class Correction(Decision):
    """A curator's own value of something that many episodes name: a person, a link, a symbol.

    It is hung on the thing's natural key, because its row is made anew by a rebuild, and holds for
    every show unless it names one. What a field means, `notes/corrections.py` says.
    """

    KINDS = (("person", "Person"), ("link", "Link"), ("symbol", "Symbol"))
    FIELDS = (
        ("name", "Name"),
        ("url", "Web page"),
        ("image", "Photo"),
        ("label", "Link text"),
        ("kind", "Kind"),
        ("replacement", "Replacement address"),
        ("same", "Same as"),
        ("hidden", "Hidden"),
    )

    podcast = models.ForeignKey(  # type: ignore[assignment]
        Podcast,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="show",
        help_text="Empty for every show.",
    )
    kind = models.CharField(max_length=10, choices=KINDS)
    key = models.CharField(
        max_length=2000, help_text="A person's identity, a link's key, or a symbol."
    )
    field = models.CharField(max_length=20, choices=FIELDS)
    value = models.TextField(help_text="For “Same as”, the key of the other.")
    name = models.CharField(max_length=300, blank=True, help_text="Its name when this was decided.")

    class Meta(Decision.Meta):
        constraints = (
            models.UniqueConstraint(
                fields=("kind", "key", "field"),
                condition=Q(ended_at__isnull=True, podcast__isnull=True),
                name="correction_one_in_force",
            ),
            models.UniqueConstraint(
                fields=("podcast", "kind", "key", "field"),
                condition=Q(ended_at__isnull=True, podcast__isnull=False),
                name="correction_one_in_force_a_show",
            ),
        )

    def __str__(self) -> str:
        return f"{self.kind} {self.name or self.key}: {self.field}"


class Dismissed(models.Model):
    """A row of the inbox that a curator called no problem; no catalog follows from it.

    It names the row by its evidence, so it finds the row again after a rebuild. The row comes back
    as soon as it says something else.
    """

    kind = models.SlugField(max_length=40)
    key = models.CharField(
        max_length=2100, help_text="The slug of a source or path, or a link's key."
    )
    about = models.CharField(max_length=64, unique=True, help_text="SHA-256 of kind, show and key.")
    digest = models.CharField(max_length=64, help_text="Of what the row says.")
    subject = models.CharField(max_length=300, help_text="What it is about, in words.")
    reason = models.TextField(blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="by",
    )
    made_at = models.DateTimeField("when", default=timezone.now)

    class Meta:
        ordering = ("-made_at", "-id")
        verbose_name = "dismissed row"

    def __str__(self) -> str:
        return f"{self.subject}: not a problem"


class Change(models.Model):
    """One thing a person changed: who, when, what it was before and after, and how to take it
    back."""

    made_at = models.DateTimeField("when", default=timezone.now)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="who",
    )
    podcast = models.ForeignKey(
        Podcast, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name="show"
    )
    verb = models.CharField("action", max_length=40)
    subject = models.CharField(max_length=500, help_text="The name of what was changed.")
    about = models.CharField(max_length=300, help_text="The key of what was changed.")
    about_too = models.CharField(
        max_length=300, blank=True, help_text="The key of the second of two."
    )
    reason = models.TextField(blank=True)
    told = models.JSONField(default=list, help_text="Lines to show: [what, before, after].")
    rows = models.JSONField(
        default=list,
        help_text="For undo: [model, key, fields before or null, fields after or null].",
    )
    lot = models.CharField(
        max_length=32, blank=True, help_text="Equal for changes that were made together."
    )
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("-made_at", "-id")
        indexes = (
            models.Index(fields=("-made_at", "-id"), name="change_newest"),
            models.Index(fields=("about", "-made_at"), name="change_about"),
            models.Index(
                fields=("about_too",), name="change_about_too", condition=~Q(about_too="")
            ),
            models.Index(fields=("lot",), name="change_lot", condition=~Q(lot="")),
        )
        permissions = (
            ("curate", "Can decide about the catalog: episodes, topics, held entries"),
            ("configure", "Can set up shows and sources"),
        )

    def __str__(self) -> str:
        return f"{self.action}: {self.subject}"

    @property
    def action(self) -> str:
        return in_words(self.verb)

    @property
    def sets_up(self) -> bool:
        """True where it changed a show or source, which only administrators may."""
        return any(row[0] in ("episodes.podcast", "episodes.source") for row in self.rows)
