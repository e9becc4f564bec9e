"""The history, with undo, and the read-only tables of decisions, evidence and imports."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import ChangeList
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from ..curation import (
    CONFIGURE,
    LOGIN_VERBS,
    decisions_in_force,
    episode_changes,
    undo_change,
    undo_changes,
    undo_refusal_or_empty,
)
from ..models import (
    ENTRY_LOOKUP,
    Attachment,
    Capture,
    Change,
    Decision,
    IngestRun,
    Item,
    Revision,
    WithdrawnEntry,
    past_tense_of_action,
)
from ..text.encodings import UndecodableError, decode_bytes
from ..text.formatting import describe_import_results, format_count
from .base import (
    ActionView,
    NoWritePermissions,
    ReadOnlyAdmin,
    SafeChangeList,
    ShowFilter,
    SourceFilter,
    SubjectGone,
    episode_url,
    find_withdrawn,
    list_url,
    options_filter,
    row_id_of,
    safe_next_url,
    shorten_value,
)
from .episode import find_episode_or_404


def visible_changes(rows: QuerySet[Change], user: Any) -> QuerySet[Change]:
    """Return the changes that a person may see. Only administrators see logins and their addresses."""
    if user.has_perm(CONFIGURE):
        return rows
    return rows.exclude(verb__in=LOGIN_VERBS)


def last_changes_of_batches(changes: QuerySet[Change]) -> QuerySet[Change]:
    """Return changes that were made alone, and of each batch the last change."""
    later = changes.filter(lot=OuterRef("lot"), pk__gt=OuterRef("pk")).exclude(lot="")
    return changes.exclude(Exists(later.order_by()))


def set_batch_summaries(changes: Sequence[Any]) -> None:
    """Set `batch_summary` of each change that ends a batch, for a list that shows a batch as one line."""
    # The changes of a batch have the same `lot`. A change alone has the lot "", which is in no batch here.
    lots = [change.lot for change in changes]
    changes_in_batches = Change.objects.filter(lot__in=lots).exclude(lot="").defer("rows")
    batch_by_lot = defaultdict(list)
    for change_in_batch in changes_in_batches.order_by("pk"):
        batch_by_lot[change_in_batch.lot].append(change_in_batch)
    for change in changes:
        batch = batch_by_lot[change.lot]
        subject_count = len({change_in_batch.subject for change_in_batch in batch})
        # A suggestion and its correction are two changes of one subject, which their own words describe.
        if subject_count > 1:
            change.batch_summary = _describe_batch_and_clear_differing_lines(
                change, batch, subject_count
            )


def _describe_batch_and_clear_differing_lines(
    last_change: Change, batch: Sequence[Change], subject_count: int
) -> str:
    """Return in words what a batch did to how many rows, such as "added Debugging to 11 episodes". Clear
    the lines of its last change, unless the whole batch has them."""
    kind, _, _ = last_change.about.partition(":")  # "episode" of "episode:…"
    noun = kind if kind in ("episode", "topic") else "row"
    count = format_count(subject_count, noun, f"{noun}s")
    # Each line of `told` is a label, the old text and the new text: ["topic", "", "Debugging"].
    is_same_for_all = all(change.told == last_change.told for change in batch)
    if is_same_for_all and last_change.told:
        _label, before, after = last_change.told[0]
        sentences = {"add": f"added {after} to {count}", "remove": f"removed {before} from {count}"}
        verb, _, _ = last_change.verb.partition(" ")  # "add" of "add topic"
        if verb in sentences:
            return sentences[verb]
    if not is_same_for_all:
        last_change.told = []
    return f"{last_change.action}: {count}"


class HistoryList(SafeChangeList):
    """The history. A batch is one line."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.full_result_count = last_changes_of_batches(self.root_queryset).count()
        self.result_list: Any = list(self.result_list)
        set_batch_summaries(self.result_list)


class ActionFilter(admin.AllValuesFieldListFilter):
    """The actions of the history, in words."""

    def choices(self, changelist: Any) -> Any:
        choice_of_all, *choices_of_verbs = super().choices(changelist)
        yield choice_of_all
        for choice in choices_of_verbs:
            verb, bracket, count = str(choice["display"]).partition(" (")
            yield {**choice, "display": f"{capfirst(past_tense_of_action(verb))}{bracket}{count}"}


class ShowOfBatchFilter(ShowFilter):
    """The shows of the history. The line of a batch counts for the show of each of its changes."""

    def get_facet_counts(self, pk_attname: str, filtered_qs: Any) -> dict[str, Count]:
        counts: dict[str, Count] = super().get_facet_counts(pk_attname, filtered_qs)
        for value, _name in self.lookup_choices:
            show_id = int(value)
            # A batch is one line. Its changes, which have one `lot`, may be of several shows. A change alone has "".
            changes_in_batches = Change.objects.filter(podcast=show_id).exclude(lot="")
            is_of_show = Q(podcast=show_id) | Q(lot__in=changes_in_batches.values("lot"))
            # Django looks up the count of a choice by the key "VALUE__c".
            counts[f"{value}__c"] = Count(pk_attname, filter=is_of_show)
        return counts


class UndoChangeView(ActionView):
    """A change with later changes of the same subject. Its buttons undo it, or all changes of its batch.

    A curator may undo the decisions of others.
    """

    template_name = "admin/curation/change.html"
    title = "{view.change.subject}"
    viewers_may_read = True

    def set_view_attributes_from_address(self) -> None:
        rows = Change.objects.select_related("made_by", "undone_by", "podcast")
        self.visible_rows = visible_changes(rows, self.request.user)
        self.change = self.find_change_or_404()
        self.batch = self.find_batch()
        self.not_undone = [change for change in self.batch if not change.undone_at]

    def find_change_or_404(self) -> Change:
        return get_object_or_404(self.visible_rows, pk=row_id_of(self.kwargs["pk"]))

    def find_batch(self) -> list[Change]:
        is_in_batch = Q(lot=self.change.lot) & ~Q(lot="")
        batch = self.visible_rows.filter(is_in_batch | Q(pk=self.change.pk))
        return list(batch.order_by("pk"))

    def make_change(self) -> None:
        """Undo the change, or with the button "all" its whole batch. Set `self.message`."""
        if "all" in self.request.POST and len(self.batch) > 1:
            undo_changes(self.request.user, self.not_undone)
            self.message = f"{format_count(len(self.not_undone), 'change', 'changes')} undone."
        else:
            undo_change(self.request.user, self.change)
            self.message = f"Undone: {self.change.action}, {self.change.subject}."

    def get_success_url(self) -> str:
        return safe_next_url(self.request) or list_url("change")

    def context(self) -> dict[str, Any]:
        change = self.change
        # Later changes may have to be undone first.
        later = self.visible_rows.filter(about=change.about, pk__gt=change.pk)
        return {
            "change": change,
            "batch": self.batch,
            "standing": len(self.not_undone),
            "no_undo": undo_refusal_or_empty(self.request.user, change),
            "later": later[:20],
            "next": self.get_success_url(),
        }


class UndoWithdrawalView(UndoChangeView):
    """The change that withdrew an episode. Its undo restores the episode.

    There are several if withdrawn episodes have become one.
    """

    @cached_property
    def changes_that_withdrew_episode(self) -> list[Change]:
        """Return the changes that withdrew the episode of the address, the newest first.

        Raises:
            SubjectGone: the episode is not withdrawn. Its own page is shown.
        """
        withdrawn = find_withdrawn(unquote(self.kwargs["slug"]))
        if withdrawn is None:
            raise SubjectGone(episode_url(find_episode_or_404(self.kwargs["slug"])))
        decisions = decisions_in_force(withdrawn, "withdrawal")
        withdrawal_ids = {decision.pk for decision in decisions}
        changes = []
        for change in episode_changes(withdrawn).filter(undone_at=None):
            has_withdrawn_episode = not withdrawal_ids.isdisjoint(changed_decision_ids(change))
            if has_withdrawn_episode:
                changes.append(change)
        return changes

    def find_change_or_404(self) -> Change:
        # A list, because there may be none.
        ids_of_newest = [change.pk for change in self.changes_that_withdrew_episode[:1]]
        # Also 404 if the user may not see the change.
        return get_object_or_404(self.visible_rows, pk__in=ids_of_newest)

    def find_batch(self) -> list[Change]:
        return self.changes_that_withdrew_episode


def changed_decision_ids(change: Change) -> set[Any]:
    decision_ids = set()
    for table, row_id, *_before_and_after in change.rows:
        if table == "episodes.decision":
            decision_ids.add(row_id)
    return decision_ids


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin):
    list_display = ("made_at", "made_by", "done", "description", "undone_by")
    list_display_links = ("made_at", "done")
    list_filter = (
        ("made_by", admin.RelatedOnlyFieldListFilter),
        ("verb", ActionFilter),
        ("podcast", ShowOfBatchFilter),
    )
    list_select_related = ("made_by", "undone_by", "podcast")
    search_fields = ("subject", "reason", "told", "made_by__username")
    date_hierarchy = "made_at"
    show_facets = admin.ShowFacets.ALWAYS
    list_per_page = 50

    @admin.display(description="action", ordering="verb")
    def done(self, change: Any) -> str:
        return capfirst(change.batch_summary or f"{change.action}: {change.subject}")

    @admin.display(description="before → after")
    def description(self, change: Change) -> SafeString:
        rows = []
        for label, before, after in change.told:
            rows.append((label, shorten_value(before), shorten_value(after)))
        line = '<div><b>{}</b> <del class="was">{}</del> → <ins class="now">{}</ins></div>'
        lines = format_html_join("", line, rows)
        reason = f"Reason: {shorten_value(change.reason)}" if change.reason else ""
        return format_html("<div>{}<div>{}</div></div>", lines, reason)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Change]:
        return visible_changes(super().get_queryset(request), request.user)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return HistoryList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Change], search_term: str
    ) -> tuple[QuerySet[Change], bool]:
        """Return the changes that match, of each batch only the last."""
        # Django calls this last, without words, too: a batch may have changes that no filter keeps.
        rows, may_have_duplicates = super().get_search_results(request, queryset, search_term)
        return last_changes_of_batches(rows), may_have_duplicates

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return self.respond(UndoChangeView, request, pk=object_id)


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    """Decisions in force and ended ones, each with the title of its episode in the column `episode`."""

    date_hierarchy = "made_at"
    list_select_related = ("podcast", "made_by")
    list_display = ("made_at", "kind", "subject", "decided", "reason", "made_by", "ended_at")
    list_display_links = ("made_at",)
    list_filter = (
        "kind",
        options_filter(
            "state",
            "state",
            {"force": ("In force", Q(ended_at=None)), "ended": ("Ended", ~Q(ended_at=None))},
        ),
        ("made_by", admin.RelatedOnlyFieldListFilter),
        ("podcast", ShowFilter),
    )
    search_fields = ("item_key", "other_key", "key", "value", "detail", "reason")
    # Without the account that decided: Django would link it, and curators may not see accounts.
    fields = ("podcast", "made_at", "kind", "subject", "decided", "reason", "ended_at")
    readonly_fields = ("subject", "decided")

    def get_queryset(self, request: HttpRequest) -> Any:
        """Return decisions with a column `episode`: the title of the episode (withdrawn or not) of their entry, or
        the title that an unmatched entry has itself."""
        # ENTRY_LOOKUP compares with columns of the listed decision.
        attachments = Attachment.objects.filter(**ENTRY_LOOKUP).order_by()
        # Without the default order, by the decision that withdrew the episode: the join for it would hide the
        # listed decision from ENTRY_LOOKUP.
        withdrawn_entries = WithdrawnEntry.objects.filter(**ENTRY_LOOKUP).order_by()
        newest_first = Revision.objects.filter(**ENTRY_LOOKUP).order_by("-version")
        entry_titles = newest_first.values(text=KeyTextTransform("title", "payload"))
        # The first title that is not NULL. An entry has no row in at least one of the first two tables.
        title = Coalesce(
            Subquery(attachments.values("episode__title")[:1]),
            Subquery(withdrawn_entries.values("episode__title")[:1]),
            Subquery(entry_titles[:1]),
            output_field=TextField(),
        )
        return super().get_queryset(request).annotate(episode=title)

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **kwargs: Any
    ) -> Any:
        row = context["original"]
        context["title"] = f"{self.subject(row)}: {self.decided(row)}"
        context["subtitle"] = ""  # Django's has the whole row in words
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description="about")
    def subject(self, row: Any) -> str:
        # The key of an entry is shown only if nothing else names it.
        return str(row.episode or row.item_key or row.detail or row.key)

    @admin.display(description="decision", ordering="value")
    def decided(self, row: Any) -> str:
        parts = (row.field_label, row.value_label, row.detail or row.key)
        return shorten_value(": ".join(filter(None, parts)))


# --- Evidence ----------------------------------------------------------------------------------


MAX_BODY = 20_000  # characters of a stored document that its page shows


class RevisionInline(NoWritePermissions, admin.TabularInline):
    extra, show_change_link = 0, True
    model = Revision
    fields = ("version", "recorded_at", "content")
    readonly_fields = ("content",)

    @admin.display(description="content")
    def content(self, revision: Revision) -> SafeString:
        text = json.dumps(revision.payload, indent=1, ensure_ascii=False)
        concealed = revision.item.document.source.conceal(text)
        # Django puts it into a paragraph, which can have no <pre>.
        return format_html('<code class="stored">{}</code>', concealed[:MAX_BODY])


@admin.register(Capture)
class CaptureAdmin(ReadOnlyAdmin):
    """The stored versions of documents."""

    list_display = ("document", "version", "taken_at", "refusal", "foreign")
    list_filter = (("document__source", SourceFilter),)
    list_select_related = ("document__source__podcast",)
    date_hierarchy = "taken_at"
    # Deferred, because the parsed entries of a document are as large as the document.
    exclude = ("reading", "refused")
    deferred_columns = ("reading",)
    readonly_fields = ("refusal", "body")

    @admin.display(description="as it came")
    def body(self, capture: Capture) -> str:
        body = capture.body
        try:
            text = decode_bytes(body, capture.content_type)
        except UndecodableError:
            # Evidence is shown as far as it is text.
            text = body.replace(b"\0", b"").decode("utf-8", "replace")
        # Concealed, because a private feed may contain its secret address. Cut afterwards, because a part of an
        # address is not recognised.
        concealed = capture.document.source.conceal(text)
        return format_html("<pre>{}</pre>", concealed[:MAX_BODY])

    @admin.display(description="refused")
    def refusal(self, capture: Capture) -> str:
        return capture.display_refusal


@admin.register(Item)
class ItemAdmin(ReadOnlyAdmin):
    """The entries of documents."""

    list_display = ("heading", "document__source", "position", "first_version", "gone_version")
    list_filter = (("document__source", SourceFilter), "is_post")
    list_select_related = ("document__source",)
    prefetched_relations = ("revisions",)
    search_fields = ("attachment__episode__title", "key")
    search_help_text = "Search title of the episode, or key"
    inlines = (RevisionInline,)


@admin.register(IngestRun)
class IngestRunAdmin(ReadOnlyAdmin):
    """The imports of sources."""

    list_display = ("started_at", "source_of_show", "outcome", "reason_text", "result")
    fields = (
        "started_at", "finished_at", "source", "document", "outcome", "reason_text", "result",
    )  # fmt: skip
    readonly_fields = ("reason_text", "result")
    list_filter = ("outcome", ("source__podcast", ShowFilter), ("source", SourceFilter))
    list_select_related = ("source__podcast", "document__source")
    search_fields = ("source__podcast__title", "source__slug", "reason")
    date_hierarchy = "started_at"

    @admin.display(description="source", ordering="source__slug")
    def source_of_show(self, run: IngestRun) -> str:
        # Most sources are called feed, so the show is named as well.
        return run.source.label(several=True)

    @admin.display(description="reason")
    def reason_text(self, run: IngestRun) -> str:
        return run.display_reason

    @admin.display(description="entries")
    def result(self, run: IngestRun) -> str:
        words = {
            "new": "new",
            "matched": "matched",
            "held": "to review",
            "ignored": "ignored",
            "unchanged": "unchanged",
            "gone": "gone",
            "broken": "read in part",
        }
        return describe_import_results(f"{run.counts.get('items', 0)} read", run.counts, words)
