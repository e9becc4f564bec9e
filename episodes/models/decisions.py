"""The decisions of curators, and their kinds. A decision names an entry by source and key, or a subject
by its natural key. The admin writes decisions and ends them. They are never deleted."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from django.conf import settings
from django.db import models
from django.utils import timezone

from ..fields import OVERRIDABLE_FIELDS
from ..text.fingerprints import stable_hash
from .configuration import Podcast

# The columns that name the subject of a decision, by the kind of subject.
ENTRY = ("podcast_id", "source", "item_key")
OTHER_ENTRY = ("other_source", "other_key")
LIST_MEMBER = (*ENTRY, "key")
SHOW_KEY = ("podcast_id", "key")
INBOX_ROW = ("podcast_id", "source", "key")
DISMISSAL_KIND = "dismissal"  # of a row of the inbox. The catalog does not depend on it.
# A filter for rows that belong to the entry of a decision.
ENTRY_LOOKUP = {
    "item__key": models.OuterRef("item_key"),
    "item__document__source__slug": models.OuterRef("source"),
    "item__document__source__podcast": models.OuterRef("podcast"),
}
ADDED, REMOVED = "added", "removed"
VERDICTS = {
    "same": "the same episode",
    "kept": "the same episode (kept after a merge)",
    "different": "different episodes",
    "new": "an episode of its own",
    "ignore": "not an episode",
    "replaces": "the later one replaces the other",
    "repeats": "the later one is a rebroadcast of the other",
    "unrelated": "the later one has nothing to do with the other",
}
JOINING_VERDICTS = ("same", "kept")
RERUN_VERDICTS = ("replaces", "repeats", "unrelated")  # of two episodes, which stay two
PAIR_VERDICTS = (*JOINING_VERDICTS, "different", *RERUN_VERDICTS)
WITHDRAWAL_KINDS = {
    "no-episode": "Not an episode",
    "hidden": "Hidden",
    "replaced": "Replaced by another episode",
}
CORRECTABLE_FIELDS = {
    "person": {"name": "Name", "url": "Web page", "image": "Photo", "same": "Same as"},
    "link": {"label": "Link text", "kind": "Kind", "replacement": "Replacement address"},
    "symbol": {"same": "Same as"},
}


@dataclass(frozen=True)
class DecisionKind:
    """A kind of decision."""

    label: str
    subject: tuple[str, ...]  # the columns that name its subject
    values: Mapping[str, str] = field(default_factory=dict)  # words by value, or empty for any text
    fields: Mapping[str, str] = field(default_factory=dict)  # labels by field
    optional_columns: tuple[str, ...] = ()  # that only some rows fill

    @property
    def is_of_entry(self) -> bool:
        return "item_key" in self.subject

    def constraint_on_rows(self) -> models.Q:
        """Return the condition that every row of this kind meets: it names its show and entry,
        leaves columns of other subjects blank, and has one of the values, if the kind has a list of them."""
        text_columns_of_subjects = {"source", "item_key", *OTHER_ENTRY, "key"}
        # `other_source` and `other_key` for a topic of an episode, which names one entry and a key.
        blank_columns = text_columns_of_subjects - {*self.subject, *self.optional_columns}
        # Sorted, so that the constraint equals the one of the migration.
        blank_values = dict.fromkeys(sorted(blank_columns), "")
        condition = models.Q(**blank_values)
        if "podcast_id" not in self.optional_columns:
            condition &= models.Q(podcast__isnull=False)
        if self.is_of_entry:
            condition &= ~models.Q(source="") & ~models.Q(item_key="")
        if self.values:
            condition &= models.Q(value__in=sorted(self.values))
        return condition


_LIST_VALUES = {ADDED: "added", REMOVED: "removed"}
LIST_DECISION_KINDS = ("topic", "link", "person", "reference", "conflict")
DECISION_KINDS = {
    "value": DecisionKind(
        "Locked field", ENTRY, fields={each.name: each.label for each in OVERRIDABLE_FIELDS}
    ),
    "match": DecisionKind("Match", (*ENTRY, *OTHER_ENTRY), VERDICTS),
    "withdrawal": DecisionKind(
        "Episode taken out", ENTRY, WITHDRAWAL_KINDS, optional_columns=OTHER_ENTRY
    ),
    "topic": DecisionKind("Topic of an episode", LIST_MEMBER, _LIST_VALUES),
    "link": DecisionKind("Link of an episode", LIST_MEMBER, _LIST_VALUES),
    "person": DecisionKind("Person of an episode", LIST_MEMBER, _LIST_VALUES),
    "reference": DecisionKind("Other episode", LIST_MEMBER, _LIST_VALUES),
    "conflict": DecisionKind("Conflict", LIST_MEMBER, {REMOVED: "not a problem"}),
    "words": DecisionKind("Words of a transcript", LIST_MEMBER),
    "show-words": DecisionKind("Words of all transcripts", SHOW_KEY),
    "moment": DecisionKind("Moment of a topic", LIST_MEMBER, _LIST_VALUES),
    "refusal": DecisionKind("Refused topic", SHOW_KEY),
    DISMISSAL_KIND: DecisionKind("Dismissed in inbox", INBOX_ROW, optional_columns=("podcast_id",)),
    **{
        f"correct-{thing}": DecisionKind(
            f"Correction of a {thing}",
            SHOW_KEY,
            fields={**fields, "hidden": "Hidden"},
            optional_columns=("podcast_id",),
        )
        for thing, fields in CORRECTABLE_FIELDS.items()
    },
}
CORRECTION_KINDS = tuple(f"correct-{thing}" for thing in CORRECTABLE_FIELDS)


class DecisionQuerySet(models.QuerySet["Decision"]):
    def in_force(self, *kinds: str) -> Self:
        """Return the decisions of these kinds that are in force, oldest first. The last one counts."""
        return self.filter(kind__in=kinds, ended_at=None).order_by("made_at", "id")


class Decision(models.Model):
    """A curator's decision about a subject, with its value, reason, person and time.

    The subject is an entry, two entries, a member of a list of the entry's episode, or the natural key
    of a person, link or symbol. It is no row of the catalog, because a rebuild replaces them.
    """

    kind = models.CharField(
        max_length=20, choices=[(name, kind.label) for name, kind in DECISION_KINDS.items()]
    )
    podcast = models.ForeignKey(
        Podcast,
        # A decision is never deleted, and so neither is a show that has one.
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name="show",
        help_text="Empty for every show.",
    )
    source = models.SlugField(max_length=200, blank=True)
    item_key = models.CharField("entry key", max_length=600, blank=True)
    other_source = models.SlugField(
        max_length=200, blank=True, help_text="The source of an entry of the other episode."
    )
    other_key = models.CharField(max_length=600, blank=True)
    key = models.CharField(
        max_length=2000,
        blank=True,
        help_text="A topic's slug, a link's key, or its address where it was added, a person's "
        "identity, a symbol, the source and key of an entry of the other episode, a conflict, a "
        "proposal, wrong words of a transcript on a line between those before and after them, wrong "
        "words of all transcripts, or a topic’s slug with the first second of a moment and the one "
        "after its last.",
    )
    field = models.CharField(max_length=30, blank=True)
    value = models.TextField(
        blank=True,
        help_text="Dates look like 2021-08-18 or 2021-08-18T13:00:00Z. Empty means unknown. For "
        "“Same as”, the key of the other; for what is no problem, the state that it has.",
    )
    detail = models.CharField(
        max_length=400,
        blank=True,
        help_text="The text of a link, the role and name of a person, the kind of a reference, the "
        "address of an episode that was taken out, which no other one gets, the wrong words of a "
        "transcript, what a moment is called, or the name of a thing when this was decided.",
    )
    about = models.CharField(
        max_length=64, editable=False, help_text="SHA-256 of the kind and the subject."
    )
    former = models.CharField(
        max_length=40,
        blank=True,
        editable=False,
        help_text="Its table and number before all decisions were one table.",
    )
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

    objects = DecisionQuerySet.as_manager()

    class Meta:
        ordering = ("-made_at", "-id")
        indexes = (
            models.Index(
                fields=("podcast", "item_key"),
                name="decision_entry",
                condition=models.Q(ended_at=None),
            ),
            models.Index(
                fields=("kind", "podcast"), name="decision_kind", condition=models.Q(ended_at=None)
            ),
        )
        constraints = (
            models.UniqueConstraint(
                fields=("about", "field"),
                condition=models.Q(ended_at=None),
                name="decision_one_in_force",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=sorted(DECISION_KINDS)), name="decision_kinds"
            ),
            *(
                models.CheckConstraint(
                    condition=~models.Q(kind=name) | kind.constraint_on_rows(),
                    name=f"decision_{name.replace('-', '_')}",
                )
                for name, kind in DECISION_KINDS.items()
            ),
        )

    def __str__(self) -> str:
        return f"{self.get_kind_display()}: {self.item_key or self.detail or self.key}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.about = self.subject_hash()
        super().save(*args, **kwargs)

    def subject_hash(self) -> str:
        """Return the hash of the kind and the subject. Its keys are too long for an index."""
        # Optional columns are not part of the subject.
        subject = [getattr(self, column) for column in DECISION_KINDS[self.kind].subject]
        return stable_hash(json.dumps([self.kind, *subject]))

    @property
    def entry(self) -> tuple[str, str]:
        return self.source, self.item_key

    @property
    def other(self) -> tuple[str, str]:
        return self.other_source, self.other_key

    @property
    def value_label(self) -> str:
        return DECISION_KINDS[self.kind].values.get(self.value, self.value)

    @property
    def field_label(self) -> str:
        return DECISION_KINDS[self.kind].fields.get(self.field, self.field)


# Past tenses of actions with stored names that say little to a person.
_PAST_OF_ACTION = {
    "release": "unlocked",
    "keep": "kept own value",
    "keep apart": "kept apart",
    "judge same": "matched entry",
    "judge different": "ruled out match",
    "judge replaces": "marked as replacement",
    "judge repeats": "marked as rebroadcast",
    "judge unrelated": "marked as unrelated",
    "new episode": "made new episode of entry",
    "ignore": "marked as not an episode",
    "remove conflict": "closed conflict",
    "bring back conflict": "reopened conflict",
    "take address": "took over address",
    "dismiss": "dismissed in inbox",
    "set aside": "set aside in inbox",
    "bring back row": "brought back to inbox",
    "assign": "assigned in inbox",
    "unassign": "unassigned in inbox",
    "accept topic": "accepted proposed topic",
    "join topic": "joined proposed topic with another",
    "refuse topic": "refused proposed topic",
    "accept suggestion": "accepted reader’s suggestion",
    "refuse suggestion": "refused reader’s suggestion",
    "spreadsheet": "changed by spreadsheet",
    "failed login": "failed to log in",
}


def path_of_merges(key: str, next_key_by_key: Mapping[str, str]) -> list[str]:
    """Return the keys from a key on, along `next_key_by_key`, up to the end or to a circle."""
    path = [key]
    # The last key has no next one, so it leads to itself.
    next_key = next_key_by_key.get(key, key)
    while next_key not in path:
        path.append(next_key)
        next_key = next_key_by_key.get(next_key, next_key)
    return path


def past_tense_of_action(verb: str) -> str:
    """Return the stored verb of a change in the past tense: `judge same` → `matched entry`, `add topic` → `added topic`."""
    if verb in _PAST_OF_ACTION:
        return _PAST_OF_ACTION[verb]
    first_word, space, object_words = verb.partition(" ")
    irregular = {
        "bring": "brought",
        "hide": "hid",
        "log": "logged",
        "send": "sent",
        "split": "split",
        "take": "took",
        "undo": "undid",
    }
    past_tense = irregular.get(first_word, first_word.removesuffix("e") + "ed")
    # Pages call a reference "other episode".
    return past_tense + space + object_words.replace("reference", "other episode")


class Change(models.Model):
    """A change by a person: who, when, the state before and after, and the rows for undo."""

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

    # What a whole batch did, if a list shows the batch as one line.
    batch_summary = ""

    class Meta:
        ordering = ("-made_at", "-id")
        indexes = (
            models.Index(fields=("-made_at", "-id"), name="change_newest"),
            models.Index(fields=("about", "-made_at"), name="change_about"),
            models.Index(
                fields=("about_too",), name="change_about_too", condition=~models.Q(about_too="")
            ),
            models.Index(fields=("lot",), name="change_lot", condition=~models.Q(lot="")),
        )
        permissions = (
            ("curate", "Can decide about the catalog: episodes, topics, held entries"),
            ("configure", "Can set up shows and sources"),
        )

    def __str__(self) -> str:
        return f"{self.action}: {self.subject}"

    @property
    def action(self) -> str:
        return past_tense_of_action(self.verb)

    @property
    def sets_up(self) -> bool:
        """Return whether it changed a show or source, which only administrators may do."""
        changed_models = {model for model, *_ in self.rows}
        return not changed_models.isdisjoint(("episodes.podcast", "episodes.source"))
