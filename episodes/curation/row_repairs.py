"""The repairs of many people, links, symbols and topics: names, kinds, addresses, merges, and hiding."""

import copy
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db.models import Min, QuerySet

from ..fields import complete_web_address_or_empty
from ..models import EpisodeLink, Link, Topic
from ..text.link_labels import LINK_KIND_NAMES
from .bulk_repair import NothingToRepair, Repair, RowRepair, WordRepair
from .configuration import delete_topic_or_path, merge_topics, require_unique_names, save_row
from .corrections import CorrectionSubject, hide_subject, merge_subjects, save_corrections
from .history import AnyUser, InvalidChange


class CorrectRows(Repair):
    """Corrects a field of people or links."""

    field_name: ClassVar[str]

    def present_value(self, row: Any) -> str:
        """Return the value of the field as pages show it."""
        raise NotImplementedError

    def new_value(self, present_value: str) -> str:
        """Return the new value of the field.

        Raises:
            NothingToRepair: the row keeps its value.
        """
        raise NotImplementedError

    def plan_row_repair_or_raise(self, row: Any) -> RowRepair:
        before = self.present_value(row)
        after = self.new_value(before)
        if before == after:
            raise NothingToRepair("already has it")
        return RowRepair(row, before=before, after=after, value=after)

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        subject = CorrectionSubject.from_row(row_repair.row)
        save_corrections(user, subject, {self.field_name: row_repair.value}, reason=reason)


class RenamePeople(CorrectRows, WordRepair):
    """Replaces words in the names of people."""

    field_name = "name"

    def present_value(self, row: Any) -> str:
        return str(row.name)

    def new_value(self, present_value: str) -> str:
        return require_name(self.replace_words_or_raise(present_value))


def require_name(name: str) -> str:
    if not name:
        raise NothingToRepair("nothing would be left of its name")
    return name


@dataclass(kw_only=True)
class SetLinkKind(CorrectRows):
    field_name = "kind"
    kind: str

    def present_value(self, row: Link) -> str:
        return row.kind

    def new_value(self, present_value: str) -> str:
        return self.kind

    def plan_row_repair_or_raise(self, row: Link) -> RowRepair:
        row_repair = super().plan_row_repair_or_raise(row)
        before = LINK_KIND_NAMES.get(row_repair.before, row_repair.before)
        return RowRepair(row, before, LINK_KIND_NAMES[self.kind], self.kind)


class FirstMentionRepair(CorrectRows):
    """A repair of links that knows address, text and date of their first mentions, by the id of the link."""

    text_by_link_id: dict[int, str]
    address_by_link_id: dict[int, str]
    date_by_link_id: dict[int, Any]

    def set_repair_attributes_from_rows(self, rows: QuerySet[Any]) -> None:
        """Load the address and the text of each link in its first episode, and the date of the episode."""
        mentions = EpisodeLink.objects.filter(link__in=rows.order_by().values("pk"))
        # The first mention comes last, so it stays.
        mentions = mentions.order_by("-episode__order", "-position")
        self.address_by_link_id = dict(mentions.values_list("link", "url"))
        self.text_by_link_id = dict(mentions.values_list("link", "text"))
        dates = mentions.order_by().values("link").annotate(at=Min("episode__published_at"))
        self.date_by_link_id = dict(dates.values_list("link", "at"))

    def first_address_or_key(self, link: Link) -> str:
        # A link that no episode mentions has only its key.
        return self.address_by_link_id.get(link.pk, link.key)


class RelabelLinks(FirstMentionRepair, WordRepair):
    """Replaces words in the labels of links. A link without a label has the words of its first mention."""

    field_name = "label"

    def present_value(self, row: Link) -> str:
        return row.title or self.text_by_link_id.get(row.pk, "")

    def new_value(self, present_value: str) -> str:
        return require_name(self.replace_words_or_raise(present_value))


class ReplaceInAddresses(FirstMentionRepair, WordRepair):
    """Replaces a part of the addresses that links lead to."""

    field_name = "replacement"

    def present_value(self, row: Link) -> str:
        return row.replacement or self.first_address_or_key(row)

    def new_value(self, present_value: str) -> str:
        new_address = self.replace_words_or_raise(present_value)
        if not complete_web_address_or_empty(new_address):
            raise NothingToRepair("the new address would be no web address")
        return new_address


class UseArchivedCopies(FirstMentionRepair):
    """Lets links lead to their copies in the Internet Archive."""

    field_name = "replacement"

    def plan_row_repair_or_raise(self, row: Link) -> RowRepair:
        if row.replacement:
            raise NothingToRepair("has a replacement already")
        address = self.first_address_or_key(row)
        copy_url = archived_copy_url(address, self.date_by_link_id.get(row.pk))
        return RowRepair(row, before=address, after=copy_url, value=copy_url)


def archived_copy_url(address: str, first_date: Any) -> str:
    """Return the address of the Internet Archive's copy of a page that is closest to a date, or the newest
    for None."""
    # With "2" in place of a day the archive shows its newest copy.
    time = f"{first_date:%Y%m%d}" if first_date else "2"
    return f"https://web.archive.org/web/{time}/{address}"


class TopicColumnRepair(Repair):
    """Changes a column of topics."""

    column: ClassVar[str]

    def new_value(self, topic: Topic) -> str:
        """Return the new value of the column.

        Raises:
            NothingToRepair: the topic keeps its value.
        """
        raise NotImplementedError

    def plan_row_repair_or_raise(self, row: Topic) -> RowRepair:
        before = str(getattr(row, self.column))
        after = self.new_value(row)
        if before == after:
            raise NothingToRepair("already has it")
        # A changed copy that is never saved, only to learn whether its names are free.
        changed_topic = copy.copy(row)
        setattr(changed_topic, self.column, after)
        try:
            require_unique_names(changed_topic)
        except InvalidChange as refusal:
            raise NothingToRepair(str(refusal)) from None
        return RowRepair(row, before=before, after=after, value=after)

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        topic = Topic.objects.get(pk=row_repair.row.pk)
        setattr(topic, self.column, row_repair.value)
        save_row(user, topic, reason=reason)


class RenameTopics(TopicColumnRepair, WordRepair):
    column = "name"

    def new_value(self, topic: Topic) -> str:
        name = self.replace_words_or_raise(topic.name)
        # As many as the column holds.
        if not 1 <= len(name) <= 100:
            raise NothingToRepair("the name would not have 1 to 100 characters")
        return name


@dataclass(kw_only=True)
class SetTopicGroup(TopicColumnRepair):
    column = "group"
    group: str

    def new_value(self, topic: Topic) -> str:
        return self.group


class HideRows(Repair):
    """Hides people, links or symbols, or deletes topics."""

    def plan_row_repair_or_raise(self, row: Any) -> RowRepair:
        after = "deleted" if isinstance(row, Topic) else "hidden"
        return RowRepair(row, "shown", after)

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        if isinstance(row_repair.row, Topic):
            delete_topic_or_path(user, Topic.objects.get(pk=row_repair.row.pk), reason=reason)
        else:
            hide_subject(user, CorrectionSubject.from_row(row_repair.row), reason=reason)


@dataclass(kw_only=True)
class MergeRows(Repair):
    """Merges people, symbols or topics into one of them, or into another."""

    into: Any

    def plan_row_repair_or_raise(self, row: Any) -> RowRepair:
        if row.pk == self.into.pk:
            raise NothingToRepair("the others are merged into it")
        # `merge_topics` refuses it: episodes of other shows would lose the topic.
        if isinstance(row, Topic) and self.into.podcast_id not in (None, row.podcast_id):
            raise NothingToRepair(f"{self.into} is a topic of one show only")
        return RowRepair(row, str(row), str(self.into))

    def repair_row(self, user: AnyUser, row_repair: RowRepair, reason: str) -> None:
        if isinstance(row_repair.row, Topic):
            # Loaded again, because each merge gives it more names and terms.
            into = Topic.objects.get(pk=self.into.pk)
            merge_topics(user, row_repair.row, into, reason=reason)
        else:
            target = CorrectionSubject.from_row(self.into)
            merge_subjects(user, CorrectionSubject.from_row(row_repair.row), target, reason=reason)
