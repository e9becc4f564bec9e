"""The repairs of many episodes: of a field, of topics and people, of conflicts, re-runs and withdrawals."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any

from django.db.models import QuerySet, Subquery
from django.utils import timezone

from ..fields import FIELDS_BY_NAME, NUMBER_FIELD, Field
from ..models import (
    ENTRY_LOOKUP,
    TRANSCRIPTS_SLUG,
    VERDICTS,
    WITHDRAWAL_KINDS,
    Attachment,
    Credit,
    Decision,
    Episode,
    EpisodeTopic,
    Item,
    Podcast,
    Topic,
)
from ..records import FieldConflict
from ..resolve import update_catalog
from ..text.formulas import unescape_formula
from .bulk_repair import NothingToRepair, Repair, RepairPlan, RowRepair, WordRepair
from .corrections import CorrectionSubject
from .decide import (
    add_list_entry,
    decide_rerun,
    find_or_compute_person_identity,
    normalize_typed_text_or_raise,
    override_fields,
    remove_list_entry,
    require_topic_of_show,
    sorted_items,
    unlock_fields,
    withdraw_episode,
)
from .history import AnyUser, InvalidChange, run_and_roll_back

Episodes = QuerySet[Episode]


def ids_of(episodes: Episodes) -> QuerySet[Any]:
    """Return the ids of episodes as a subquery. A list of them may be too long for a statement."""
    return episodes.order_by().values("pk")


def load_items_by_episode_id(
    episodes: Episodes, *, loads_values: bool = False
) -> dict[int, list[Item]]:
    """Return the entries of each episode by its id, in their order. With `loads_values`, also load their values."""
    rows: Any = Attachment.objects.filter(episode__in=ids_of(episodes)).order_by()
    # A transcript has no values, and no decision hangs on it.
    rows = rows.exclude(item__document__source__reader=TRANSCRIPTS_SLUG)
    if loads_values:
        rows = rows.prefetch_related("item__revisions")
    items: dict[int, list[Item]] = defaultdict(list)
    for attachment in rows.select_related("item__document__source"):
        items[attachment.episode_id].append(attachment.item)
    return {episode_id: sorted_items(group) for episode_id, group in items.items()}


def decisions_about(episodes: Episodes, kind: str, **conditions: Any) -> QuerySet[Any]:
    """Return the decisions in force of a kind about episodes, with the id of the episode as `episode`."""
    # ENTRY_LOOKUP finds the entry of each decision by columns of the decision.
    episode_ids = Attachment.objects.filter(**ENTRY_LOOKUP).values("episode")
    rows: QuerySet[Any] = Decision.objects.in_force(kind).filter(**conditions)
    rows = rows.annotate(episode=Subquery(episode_ids[:1]))
    return rows.filter(episode__in=ids_of(episodes))


def group_by_episode(decisions: QuerySet[Any]) -> dict[int, list[Decision]]:
    decisions_by_episode: dict[int, list[Decision]] = defaultdict(list)
    for decision in decisions.select_related("made_by"):
        decisions_by_episode[decision.episode].append(decision)
    return decisions_by_episode


def name_of_maker(decision: Decision) -> str:
    return str(decision.made_by or "a curator")


# --- A field -----------------------------------------------------------------------------------


@dataclass(kw_only=True)
class FieldRepair(Repair):
    """A repair that overrides a field with a value. A value that a curator locked stays, unless
    `replaces_decisions` is set."""

    field_name: str
    replaces_decisions: bool = False
    locks: Mapping[int, list[Decision]] = field(init=False)

    @property
    def episode_field(self) -> Field[Any]:
        return FIELDS_BY_NAME[self.field_name]

    def set_repair_attributes_from_rows(self, rows: Episodes) -> None:
        self.locks = group_by_episode(self.lock_rows(rows))

    def lock_rows(self, episodes: Episodes) -> QuerySet[Any]:
        return decisions_about(episodes, "value", field=self.field_name)

    def new_text_or_raise(self, episode: Episode, present_text: str) -> str:
        """Return the new value as a person would type it.

        Raises:
            NothingToRepair: the episode keeps its value.
        """
        raise NotImplementedError

    def plan_row_repair_or_raise(self, row: Episode) -> RowRepair:
        present_text = self.episode_field.text_of_episode(row)
        try:
            value = normalize_typed_text_or_raise(
                self.field_name, self.new_text_or_raise(row, present_text)
            )
        except InvalidChange as refusal:
            raise NothingToRepair(str(refusal)) from None
        if value == present_text:
            raise NothingToRepair("already has it")
        locks = self.locks.get(row.pk)  # the last one counts
        if locks and not self.replaces_decisions:
            raise NothingToRepair(f"locked by {name_of_maker(locks[-1])}")
        before = self.episode_field.display_full(present_text)
        after = self.episode_field.display_full(value)
        return RowRepair(row, before, after, value)

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        override_fields(user, row_repair.row, {self.field_name: row_repair.value}, reason=reason)


@dataclass(kw_only=True)
class SetField(FieldRepair):
    """Gives all episodes the same value."""

    value: str

    def new_text_or_raise(self, episode: Episode, present_text: str) -> str:
        return self.value


@dataclass(kw_only=True)
class ReplaceWords(FieldRepair, WordRepair):
    """Replaces words in a text."""

    def new_text_or_raise(self, episode: Episode, present_text: str) -> str:
        return self.replace_words_or_raise(present_text)


@dataclass(kw_only=True)
class TakeSourceValue(FieldRepair):
    """Gives each episode the value that a source has for it."""

    source: str  # its slug
    items: Mapping[int, list[Item]] = field(init=False)

    def set_repair_attributes_from_rows(self, rows: Episodes) -> None:
        super().set_repair_attributes_from_rows(rows)
        self.items = load_items_by_episode_id(rows, loads_values=True)

    def new_text_or_raise(self, episode: Episode, present_text: str) -> str:
        """Return the value of the source's first entry that has one."""
        is_listed_by_source = False
        for item in self.items.get(episode.pk, ()):
            if item.document.source.slug != self.source:
                continue
            is_listed_by_source = True
            text = self.episode_field.text_of_entry(item.values)
            if text:
                return text
        if is_listed_by_source:
            raise NothingToRepair(f"{self.source} has no value for it")
        raise NothingToRepair(f"{self.source} does not list it")


@dataclass(kw_only=True)
class SetTypedValues(FieldRepair):
    """Gives each episode the value behind its address or number, in lines such as `46 13:45`."""

    lines: str
    text_by_address_or_number: dict[str, str] = field(init=False)

    def set_repair_attributes_from_rows(self, rows: Episodes) -> None:
        super().set_repair_attributes_from_rows(rows)
        self.text_by_address_or_number = {}
        for line in self.lines.splitlines():
            if not line.strip():
                continue
            # Cells that were copied from a spreadsheet have a tab between them, and those of our CSV may have a
            # quote before "=".
            address_or_number, _, text = line.strip().replace("\t", " ").partition(" ")
            self.text_by_address_or_number[address_or_number] = unescape_formula(text.strip())

    def new_text_or_raise(self, episode: Episode, present_text: str) -> str:
        # The number of an episode without one is "", with which no line begins.
        text_by_number = self.text_by_address_or_number.get(NUMBER_FIELD.text_of_episode(episode))
        text = self.text_by_address_or_number.get(episode.slug, text_by_number)
        if text is None:
            raise NothingToRepair("no line has its address or number")
        return text

    def add_problems_without_row(self, plan: RepairPlan, rows: Episodes) -> None:
        unused = dict(self.text_by_address_or_number)
        for episode in rows:
            unused.pop(episode.slug, None)
            unused.pop(NUMBER_FIELD.text_of_episode(episode), None)
        for address_or_number in unused:
            plan.leave(address_or_number, "no selected episode has this address or number")


class LockField(FieldRepair):
    """Locks the present value of a field, so that no source changes it."""

    def plan_row_repair_or_raise(self, row: Episode) -> RowRepair:
        locks = self.locks.get(row.pk)
        if locks:
            raise NothingToRepair(f"locked by {name_of_maker(locks[-1])} already")
        text = self.episode_field.text_of_episode(row)
        if not text:
            raise NothingToRepair("has no value")
        words = self.episode_field.display_full(text)
        return RowRepair(row, words, f"{words} (locked)", text)


@dataclass(kw_only=True)
class UnlockField(FieldRepair):
    """Ends the overrides of a field, so that it follows the sources again."""

    first_entry_id_by_episode_id: dict[int, int] = field(init=False)
    unlocked_attachment_by_entry_id: Mapping[int, Attachment] = field(init=False)

    def set_repair_attributes_from_rows(self, rows: Episodes) -> None:
        super().set_repair_attributes_from_rows(rows)
        self.first_entry_id_by_episode_id = {}
        for episode_id, items in load_items_by_episode_id(rows).items():
            self.first_entry_id_by_episode_id[episode_id] = items[0].pk
        # Try it: end the locks, load the episodes as they are then, and roll back. An episode with another
        # title may have another id then. Its entries keep their ids, so they lead to it.
        end_locks = partial(self._end_locks_and_resolve, rows)
        self.unlocked_attachment_by_entry_id = run_and_roll_back(end_locks, self._load_attachments)

    def _end_locks_and_resolve(self, episodes: Episodes) -> None:
        locks = self.lock_rows(episodes).order_by()
        shows = list(Podcast.objects.filter(pk__in=locks.values("podcast")))
        # Without a line in the history, because `run_and_roll_back` undoes it.
        locks.update(ended_at=timezone.now())
        for podcast in shows:
            update_catalog(podcast)

    def _load_attachments(self) -> dict[int, Attachment]:
        rows = Attachment.objects.select_related("episode")
        entry_ids = list(self.first_entry_id_by_episode_id.values())
        return rows.in_bulk(entry_ids, field_name="item_id")

    def plan_row_repair_or_raise(self, row: Episode) -> RowRepair:
        if row.pk not in self.locks:
            raise NothingToRepair("not locked")
        before = self.episode_field.display_full(self.episode_field.text_of_episode(row))
        # The episode as it was when all these locks were ended, before that was rolled back.
        entry_id = self.first_entry_id_by_episode_id[row.pk]
        unlocked_episode = self.unlocked_attachment_by_entry_id[entry_id].episode
        text = self.episode_field.text_of_episode(unlocked_episode)
        after = self.episode_field.display_full(text) or "no source has a value"
        return RowRepair(row, f"{before} (locked)", after)

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        unlock_fields(user, row_repair.row, self.field_name, reason=reason)


# --- Topics and people -------------------------------------------------------------------------


@dataclass(kw_only=True)
class TopicRepair(Repair):
    """Adds a topic, or removes one. What a curator decided about the topic of an episode stays, unless
    `replaces_decisions` is set."""

    topic: Topic
    replaces_decisions: bool = False
    decisions_by_episode_id: Mapping[int, list[Decision]] = field(init=False)
    topic_names_by_episode_id: dict[int, list[str]] = field(init=False)

    def set_repair_attributes_from_rows(self, rows: Episodes) -> None:
        decisions = decisions_about(rows, "topic", key=self.topic.slug)
        self.decisions_by_episode_id = group_by_episode(decisions)
        self.topic_names_by_episode_id = defaultdict(list)
        uses = EpisodeTopic.objects.filter(episode__in=ids_of(rows)).order_by("topic__name")
        for episode_id, name in uses.values_list("episode", "topic__name"):
            self.topic_names_by_episode_id[episode_id].append(name)

    def require_no_decision_of_curator(self, episode: Episode) -> None:
        decisions = self.decisions_by_episode_id.get(episode.pk)
        if decisions and not self.replaces_decisions:
            maker = name_of_maker(decisions[-1])
            raise NothingToRepair(f"{decisions[-1].value_label} by {maker}")

    def build_repair(self, episode: Episode, names: Iterable[str]) -> RowRepair:
        before = ", ".join(self.topic_names_by_episode_id[episode.pk])
        return RowRepair(episode, before, after=", ".join(sorted(names)))


class AddTopic(TopicRepair):
    def plan_row_repair_or_raise(self, row: Episode) -> RowRepair:
        names = self.topic_names_by_episode_id[row.pk]
        if self.topic.name in names:
            raise NothingToRepair("already has it")
        try:
            require_topic_of_show(row, self.topic)
        except InvalidChange as refusal:
            raise NothingToRepair(str(refusal)) from None
        self.require_no_decision_of_curator(row)
        return self.build_repair(row, [*names, self.topic.name])

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        add_list_entry(user, row_repair.row, "topic", self.topic.slug, reason=reason)


class RemoveTopic(TopicRepair):
    def plan_row_repair_or_raise(self, row: Episode) -> RowRepair:
        names = self.topic_names_by_episode_id[row.pk]
        if self.topic.name not in names:
            raise NothingToRepair("does not have it")
        self.require_no_decision_of_curator(row)
        return self.build_repair(row, [name for name in names if name != self.topic.name])

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        remove_list_entry(user, row_repair.row, "topic", self.topic.slug, reason=reason)


@dataclass(kw_only=True)
class PersonRepair(Repair):
    """Adds a person in a role, or removes a person."""

    name: str
    role: str = ""
    identity_by_show_id: dict[int, str] = field(init=False)
    why_hidden_by_show_id: dict[int, str] = field(init=False)
    # Of all people of the episodes, as words by identity: {"@ada": ["Ada Roe (guest)"]}.
    credits_by_episode_id: dict[int, dict[str, list[str]]] = field(init=False)

    def set_repair_attributes_from_rows(self, rows: Episodes) -> None:
        self.identity_by_show_id = {}
        self.why_hidden_by_show_id = {}
        self.credits_by_episode_id = defaultdict(dict)
        for podcast in Podcast.objects.filter(pk__in=rows.order_by().values("podcast")):
            identity = find_or_compute_person_identity(podcast, self.name)
            self.identity_by_show_id[podcast.pk] = identity
            subject = CorrectionSubject("person", identity, self.name)
            self.why_hidden_by_show_id[podcast.pk] = subject.why_hidden_or_empty()
        # Of everybody, because the plan lists all people of an episode before and after.
        credit_rows = Credit.objects.filter(episode__in=ids_of(rows)).select_related("person")
        for credit in credit_rows.order_by("role", "person__name"):
            words = f"{credit.person.name} ({credit.role})"
            credits_of_episode = self.credits_by_episode_id[credit.episode_id]
            # A feed may give one person two roles.
            credits_of_episode.setdefault(credit.person.identity, []).append(words)

    def build_repair(self, episode: Episode, new_credit: str) -> RowRepair:
        """Return the repair that gives the person a credit such as "Ada Roe (guest)" in place of all present ones.
        With "" it removes the person."""
        identity = self.identity_by_show_id[episode.podcast_id]
        present_credits = self.credits_by_episode_id[episode.pk]  # words by identity
        new_credits = dict(present_credits)
        if new_credit:
            new_credits[identity] = [new_credit]
        else:
            new_credits.pop(identity)
        before = ", ".join(chain.from_iterable(present_credits.values()))
        after = ", ".join(chain.from_iterable(new_credits.values()))
        return RowRepair(episode, before, after, identity)


class AddPerson(PersonRepair):
    def plan_row_repair_or_raise(self, row: Episode) -> RowRepair:
        identity = self.identity_by_show_id[row.podcast_id]
        present_credits = self.credits_by_episode_id[row.pk].get(identity, ())
        if any(words.endswith(f"({self.role})") for words in present_credits):
            raise NothingToRepair("already has the person in this role")
        if why_hidden := self.why_hidden_by_show_id[row.podcast_id]:
            raise NothingToRepair(why_hidden)
        return self.build_repair(row, f"{self.name} ({self.role})")

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        detail = f"{self.role} {self.name}"
        add_list_entry(user, row_repair.row, "person", row_repair.value, detail, reason=reason)


class RemovePerson(PersonRepair):
    def plan_row_repair_or_raise(self, row: Episode) -> RowRepair:
        identity = self.identity_by_show_id[row.podcast_id]
        if identity not in self.credits_by_episode_id[row.pk]:
            raise NothingToRepair("does not have the person")
        return self.build_repair(row, new_credit="")

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        remove_list_entry(user, row_repair.row, "person", row_repair.value, reason=reason)


# --- Conflicts, re-runs, withdrawals -----------------------------------------------------------


@dataclass(kw_only=True)
class CloseConflicts(Repair):
    """Decides that the conflicts of a field are no problem."""

    field_name: str

    def plan_row_repair_or_raise(self, row: Episode) -> RowRepair:
        episode_field = FIELDS_BY_NAME[self.field_name]
        keys = []
        descriptions = []  # "13:45 / 14:02"
        for stored_conflict in row.conflicts:
            conflict = FieldConflict(**stored_conflict)
            if conflict.field != self.field_name:
                continue
            keys.append(conflict.key)
            value = episode_field.display(conflict.value)
            other_value = episode_field.display(conflict.other_value)
            descriptions.append(f"{value} / {other_value}")
        if not keys:
            raise NothingToRepair(f"no conflict of its {episode_field.label.lower()}")
        before = "; ".join(descriptions)
        return RowRepair(row, before, after="not a problem", value=keys)

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        remove_list_entry(user, row_repair.row, "conflict", *row_repair.value, reason=reason)


@dataclass(kw_only=True)
class MarkReruns(Repair):
    """Marks each episode as a re-run of the earlier episode of its show that has the same title.

    `rerun_words` are words that only the titles of re-runs have, so they are not compared.
    """

    rerun_words: str
    verdict: str  # "repeats" or "replaces"
    episodes_by_title: dict[tuple[int, str], list[Episode]] = field(init=False)

    def set_repair_attributes_from_rows(self, rows: Episodes) -> None:
        self.episodes_by_title = defaultdict(list)
        # All episodes of the shows, because the earlier one need not be selected.
        episodes = Episode.objects.filter(podcast__in=rows.order_by().values("podcast"))
        large = ("description_text", "description_html", "provenance")
        for episode in episodes.select_related("podcast").defer(*large).order_by("order"):
            key = (episode.podcast_id, self._comparable_title(episode))
            self.episodes_by_title[key].append(episode)

    def _comparable_title(self, episode: Episode) -> str:
        # With the words "rerun", "Rerun: Broken Builds" is "broken builds".
        title = " ".join(episode.title.split()).casefold()
        rerun_words = " ".join(self.rerun_words.split()).casefold()
        return title.replace(rerun_words, "").strip(" :–-|()[]")

    def plan_row_repair_or_raise(self, row: Episode) -> RowRepair:
        episodes_with_title = self.episodes_by_title[row.podcast_id, self._comparable_title(row)]
        earlier = [episode for episode in episodes_with_title if episode.order < row.order]
        # Of several earlier ones a person has to choose the original.
        if len(earlier) != 1:
            raise NothingToRepair(f"{len(earlier)} earlier episodes have its title")
        original = earlier[0]
        # The episodes that it is decided to be a re-run or the original of.
        related_slugs = [version["slug"] for version in row.versions]
        if original.slug in related_slugs:
            raise NothingToRepair("marked already")
        after = f"{VERDICTS[self.verdict]}: {original.heading}"
        return RowRepair(row, "an episode of its own", after, original)

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        decide_rerun(user, row_repair.row, row_repair.value, self.verdict, reason=reason)


@dataclass(kw_only=True)
class WithdrawEpisodes(Repair):
    """Takes episodes out of the catalog."""

    kind: str

    def plan_row_repair_or_raise(self, row: Episode) -> RowRepair:
        label = WITHDRAWAL_KINDS[self.kind].lower()
        return RowRepair(row, "in the catalog", f"taken out: {label}", self.kind)

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        withdraw_episode(user, row_repair.row, self.kind, reason=reason)
