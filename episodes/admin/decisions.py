"""Admin tables of decisions: read only, each row with its episode and its history; decisions are made where their subject is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from ..curation import about_episode
from ..fields import BY_NAME
from ..models import (
    Addition,
    Attachment,
    Item,
    Judgement,
    Link,
    Override,
    Person,
    Removal,
    Topic,
    Withdrawal,
    WithdrawnEntry,
)
from .base import EndedFilter, ListingAdmin, ReadOnly, listing, moment, page_of, page_of_withdrawn

Ref = tuple[int, str, str]  # show, source and key of an entry
Named = tuple[str, str]  # a title, and the address of its page
IN_FORCE = "in force"
QUOTED = 200


def named_entries(refs: Iterable[Ref]) -> dict[Ref, Named]:
    """The episodes that entries belong to; of an entry without one, its own title."""
    refs = set(refs)
    where = {"key__in": {key for _, _, key in refs}, "document__source__slug__in": {source for _, source, _ in refs}}
    items = Item.objects.filter(**where).select_related("document__source").prefetch_related("revisions")
    names: dict[Ref, Named] = {}
    by_item = {item.pk: (item.document.source.podcast_id, item.document.source.slug, item.key) for item in items}
    for item in items:
        names[by_item[item.pk]] = item.heading, reverse("admin:episodes_item_change", args=(item.pk,))
    for entry in WithdrawnEntry.objects.filter(item__in=by_item).select_related("episode"):
        names[by_item[entry.item_id]] = entry.episode.heading, page_of_withdrawn(entry.episode)
    for row in Attachment.objects.filter(item__in=by_item).select_related("episode"):
        names[by_item[row.item_id]] = row.episode.heading, page_of(row.episode)
    return names


class DecisionList(ListingAdmin):
    """A page of decisions, with the names of what they are about in a few queries."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list = with_names(self.result_list)


def with_names(decisions: Iterable[Any]) -> list[Any]:
    """The decisions with the names and addresses of what they are about."""
    rows = list(decisions)
    names = named_entries(ref for row in rows for ref in (_ref(row), _other(row)))
    words = _key_names(rows)
    for row in rows:
        row.named, row.other_named = names.get(_ref(row)), names.get(_other(row))
        row.key_words = words.get((getattr(row, "kind", ""), getattr(row, "key", "")), "")
    return rows


def _ref(row: Any) -> Ref:
    return row.podcast_id, row.source, row.item_key


def _other(row: Any) -> Ref:
    """The entry of the other episode, where there is one."""
    if getattr(row, "kind", "") == "reference":
        source, _, key = row.key.partition(" ")
        return row.podcast_id, source, key
    return row.podcast_id, getattr(row, "other_source", ""), getattr(row, "other_key", "")


def _key_names(rows: Iterable[Any]) -> Mapping[tuple[str, str], str]:
    """The names of topics, people and links that decisions refer to by key, and conflicts in words."""
    keys = {(row.kind, row.key) for row in rows if hasattr(row, "key")}
    topics = Topic.objects.filter(slug__in=[key for kind, key in keys if kind == "topic"])
    people = Person.objects.filter(identity__in=[key for kind, key in keys if kind == "person"])
    links = Link.objects.filter(key__in=[key for kind, key in keys if kind == "link"])
    return {
        **{("conflict", key): conflict_in_words(key) for kind, key in keys if kind == "conflict"},
        **{("link", link.key): link.title or link.key for link in links},
        **{("topic", topic.slug): topic.name for topic in topics},
        **{("person", person.identity): person.name for person in people},
    }


def conflict_in_words(key: str) -> str:
    """`Title: Vmap / vmap` of the key of a conflict."""
    name, *values = key.split("\n")
    field = BY_NAME.get(name)
    return f"{field.label if field else name}: {' / '.join(field.words(v) if field else v for v in values)}"


def linked(named: Named | None) -> SafeString | str:
    return format_html('<a href="{}">{}</a>', named[1], named[0][:QUOTED]) if named else "an entry that is gone"


class DecisionAdmin(ReadOnly):
    """Decisions in force and ended ones: rows stay."""

    own: ClassVar[tuple[str, ...]] = ()  # the columns that this kind of decision alone has
    date_hierarchy = "made_at"
    list_select_related = ("podcast", "made_by")
    list_display_links = ("when",)
    search_fields: ClassVar[tuple[str, ...]] = ("item_key", "reason")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ListingAdmin]:
        return DecisionList

    def get_list_display(self, request: HttpRequest) -> Any:
        return ("when", "about", *self.own, "reason", "who", "state", "history")

    def get_list_filter(self, request: HttpRequest) -> Any:
        kinds = [field.name for field in self.opts.concrete_fields if field.choices]
        by = ("made_by", admin.RelatedOnlyFieldListFilter)
        return (*kinds, ("ended_at", EndedFilter), by, ("podcast", admin.RelatedOnlyFieldListFilter))

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        row = super().get_object(request, object_id, from_field)
        return row if row is None else with_names([row])[0]

    def heading_of(self, row: Any) -> str:
        title = row.named[0] if row.named else "An entry that is gone"
        return f"{title}: {self.decided(row)}"[:QUOTED]

    def decided(self, row: Any) -> str:
        """The decision in words, for the title of its page."""
        raise NotImplementedError

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return ("when", "who", "state", "podcast", "about", *self.own, "reason")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.get_fields(request, obj)

    @admin.display(description="when", ordering="made_at")
    def when(self, row: Any) -> str:
        return moment(row.made_at)

    @admin.display(description="by", ordering="made_by")
    def who(self, row: Any) -> str:
        return str(row.made_by or "somebody")

    @admin.display(description="state", ordering="ended_at")
    def state(self, row: Any) -> str:
        return f"ended {moment(row.ended_at)}" if row.ended_at else IN_FORCE

    @admin.display(description="episode")
    def about(self, row: Any) -> SafeString | str:
        return linked(row.named)

    @admin.display(description="other episode")
    def other(self, row: Any) -> SafeString | str:
        return linked(row.other_named) if _other(row)[2] else "–"

    @admin.display(description="history")
    def history(self, row: Any) -> SafeString:
        return format_html('<a href="{}">History</a>', self.history_at(row))

    def history_at(self, row: Any) -> str:
        return listing("change", f"?about={about_episode(row.podcast, row.source, row.item_key)}")


@admin.register(Override)
class OverrideAdmin(DecisionAdmin):
    own = ("field", "value_shown")

    def decided(self, row: Override) -> str:
        return f"{row.get_field_display().lower()} locked"

    @admin.display(description="value", ordering="value")
    def value_shown(self, row: Override) -> str:
        field = BY_NAME.get(row.field)
        words = field.words(row.value) if field else row.value
        return words[:QUOTED] or "–"


@admin.register(Judgement)
class JudgementAdmin(DecisionAdmin):
    own = ("verdict", "other")
    search_fields = ("item_key", "other_key", "reason")

    def decided(self, row: Any) -> str:
        other = f" (“{row.other_named[0]}”)" if row.other_named else ""
        return f"{row.get_verdict_display()}{other}"


@admin.register(Withdrawal)
class WithdrawalAdmin(DecisionAdmin):
    own = ("kind", "other", "address")
    search_fields = ("item_key", "address", "reason")

    def decided(self, row: Any) -> str:
        other = f" (“{row.other_named[0]}”)" if row.other_named else ""
        return f"{row.get_kind_display().lower()}{other}"


@admin.register(Addition, Removal)
class ListDecisionAdmin(DecisionAdmin):
    own = ("kind", "what")
    search_fields = ("item_key", "key", "reason")

    def decided(self, row: Any) -> str:
        if row.kind == "conflict":
            return f"conflict closed ({row.key_words})"
        name = row.other_named[0] if row.other_named else self.what(row)
        verb = "added" if isinstance(row, Addition) else "removed"
        return f"{row.get_kind_display().lower()} {verb} ({name})"

    @admin.display(description="what", ordering="key")
    def what(self, row: Any) -> SafeString | str:
        if row.kind == "reference":
            return linked(row.other_named)
        detail = getattr(row, "detail", "")
        words = (detail if row.kind == "link" else "") or row.key_words or detail or " / ".join(row.key.split("\n"))
        return words[:QUOTED]
