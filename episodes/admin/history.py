"""The history: who changed what and when, and the way back; and, read only, the tables of decisions
and of evidence: what was gathered, when, and what came of it."""

import json
from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from ..curation import (
    CONFIGURE,
    LOGIN_VERBS,
    decisions_in_force,
    episode_changes,
    undo,
    undo_all,
    undo_refusal,
)
from ..models import (
    OF_ENTRY,
    Attachment,
    Capture,
    Change,
    Decision,
    IngestRun,
    Item,
    Revision,
    WithdrawnEntry,
    in_words,
)
from ..text.formatting import counted
from .base import (
    ActionView,
    NoWritePermissions,
    ReadOnlyAdmin,
    ShowFilter,
    SourceFilter,
    SubjectGone,
    episode_url,
    find_withdrawn,
    is_row_id,
    list_url,
    options_filter,
    safe_next_url,
    shorten_value,
)
from .episode import find_episode_or_404

MOST_LATER = 20
MOST_TOLD = 4  # lines of a change that the list shows


def visible_changes(rows: QuerySet[Change], user: Any) -> QuerySet[Change]:
    """The history for this person: logins, with the addresses they came from, are for
    administrators."""
    return rows if user.has_perm(CONFIGURE) else rows.exclude(verb__in=LOGIN_VERBS)


class ActionFilter(admin.AllValuesFieldListFilter):
    """The actions that there were, in words."""

    def choices(self, changelist: Any) -> Any:
        for choice in super().choices(changelist):
            verb, bracket, count = str(choice["display"]).partition(" (")
            yield {**choice, "display": f"{capfirst(in_words(verb))}{bracket}{count}"}


class ChangeView(ActionView):
    """A change with what was changed after it, and the buttons that undo it, or all that was made
    together with it: a curator may undo what others decided."""

    template_name = "admin/curation/change.html"
    title = "{view.change.subject}"
    viewers_may_look = True

    def prepare(self) -> None:
        number = str(self.kwargs.get("pk", ""))
        rows = Change.objects.select_related("made_by", "undone_by", "podcast")
        self.seen_rows = visible_changes(rows, self.request.user)
        self.change = get_object_or_404(self.seen_rows, pk=int(number) if is_row_id(number) else 0)
        self.batch = list(self.seen_rows.filter(lot=self.change.lot).exclude(lot="").order_by("pk"))
        self.standing = [change for change in self.batch if not change.undone_at]

    def act(self) -> None:
        if "all" in self.request.POST:
            undo_all(self.request.user, self.standing)
            self.done = f"{counted(len(self.standing), 'change', 'changes')} undone."
        else:
            undo(self.request.user, self.change)
            self.done = f"Undone: {self.change.action}, {self.change.subject}."

    def done_message(self) -> str:
        return self.done

    def get_success_url(self) -> str:
        return safe_next_url(self.request) or list_url("change")

    def context(self) -> dict[str, Any]:
        change = self.change
        # What came later may have to be undone first.
        return {
            "change": change,
            "batch": self.batch,
            "standing": len(self.standing),
            "no_undo": undo_refusal(self.request.user, change),
            "later": self.seen_rows.filter(about=change.about, pk__gt=change.pk)[:MOST_LATER],
            "next": self.get_success_url(),
        }


class WithdrawnView(ChangeView):
    """The change that took an episode out, whose undo brings it back; several where episodes that
    were taken out each by itself have become one."""

    def prepare(self) -> None:
        withdrawn = find_withdrawn(unquote(self.kwargs["slug"]))
        if withdrawn is None:
            raise SubjectGone(episode_url(find_episode_or_404(self.kwargs["slug"])))
        own = [["episodes.decision", row.pk] for row in decisions_in_force(withdrawn, "withdrawal")]
        found = [
            one
            for one in episode_changes(withdrawn).filter(undone_at=None)
            if any(row[:2] in own for row in one.rows)
        ]
        self.kwargs["pk"] = found[0].pk if found else 0
        super().prepare()
        self.batch = self.standing = found


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin):
    list_display = ("made_at", "made_by", "done", "subject", "what", "undone_by")
    list_display_links = ("made_at", "done")
    list_filter = (
        ("made_by", admin.RelatedOnlyFieldListFilter),
        ("verb", ActionFilter),
        ("podcast", ShowFilter),
    )
    list_select_related = ("made_by", "undone_by", "podcast")
    search_fields = ("subject", "reason", "told", "made_by__username")
    date_hierarchy = "made_at"
    show_facets = admin.ShowFacets.ALWAYS
    list_per_page = 50

    @admin.display(description="action", ordering="verb")
    def done(self, change: Change) -> str:
        return capfirst(change.action)

    @admin.display(description="before → after")
    def what(self, change: Change) -> SafeString:
        told, more = change.told[:MOST_TOLD], len(change.told) - MOST_TOLD
        lines = format_html_join(
            "",
            '<div><b>{}</b> <del class="was">{}</del> → <ins class="now">{}</ins></div>',
            ((what, shorten_value(was), shorten_value(now)) for what, was, now in told),
        )
        rest = f"and {more} more" if more > 0 else ""
        reason = f"Reason: {shorten_value(change.reason)}" if change.reason else ""
        return format_html("<div>{}<div>{}</div><div>{}</div></div>", lines, rest, reason)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Change]:
        return visible_changes(super().get_queryset(request), request.user)

    def change_view(
        self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        return self.respond(ChangeView, request, pk=object_id)


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    """Decisions in force and ended ones: rows stay."""

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
    # Who decided is left out: it would link an account, which curators may not see.
    fields = ("podcast", "made_at", "kind", "subject", "decided", "reason", "ended_at")
    readonly_fields = ("subject", "decided")

    def get_queryset(self, request: HttpRequest) -> Any:
        """With the title of the episode that an entry belongs to, taken out or not."""
        tables: tuple[Any, ...] = (Attachment.objects, WithdrawnEntry.objects)
        titles = (table.filter(**OF_ENTRY).values("episode__title")[:1] for table in tables)
        title = Coalesce(*(Subquery(title) for title in titles))
        return super().get_queryset(request).annotate(episode=title)

    def render_change_form(
        self, request: HttpRequest, context: Any, *args: Any, **named: Any
    ) -> Any:
        row = context["original"]
        context["title"], context["subtitle"] = f"{self.subject(row)}: {self.decided(row)}", ""
        return super().render_change_form(request, context, *args, **named)

    @admin.display(description="about")
    def subject(self, row: Any) -> str:
        # A key of an entry says nothing to a person; it is the last resort.
        return str(row.episode or row.item_key or row.detail or row.key)

    @admin.display(description="decision", ordering="value")
    def decided(self, row: Any) -> str:
        """The decision on the subject: a field's value, a member of a list, or a verdict."""
        return shorten_value(
            ": ".join(filter(None, (row.field_label, row.value_label, row.detail or row.key)))
        )


# --- Evidence ----------------------------------------------------------------------------------


SHOWN = 20_000  # characters of a kept document that its page shows
COUNTS = {
    "items": "read",
    "new": "new",
    "matched": "matched",
    "held": "to review",
    "ignored": "ignored",
    "unchanged": "unchanged",
    "gone": "gone",
    "broken": "read in part",
}


class RevisionInline(NoWritePermissions, admin.TabularInline):
    extra, show_change_link = 0, True
    model = Revision
    fields = ("version", "recorded_at", "content")
    readonly_fields = ("content",)

    @admin.display(description="content")
    def content(self, revision: Revision) -> SafeString:
        source = revision.item.document.source
        said = source.conceal(json.dumps(revision.payload, indent=1, ensure_ascii=False))
        return format_html("<pre>{}</pre>", said[:SHOWN])


@admin.display(description="as it came")
def capture_body(capture: Capture) -> str:
    text = capture.body.decode("utf-8", "replace")[:SHOWN]
    # A private feed may hold its own address.
    return format_html("<pre>{}</pre>", capture.document.source.conceal(text))


@admin.display(description="refused")
def capture_refusal(capture: Capture) -> str:
    return capture.display_refusal


admin.site.register(
    Capture,
    ReadOnlyAdmin,
    list_display=("document", "version", "taken_at", capture_refusal, "foreign"),
    list_filter=(("document__source", SourceFilter),),
    list_select_related=("document__source__podcast",),
    date_hierarchy="taken_at",
    # What was read of a document is as large as it.
    exclude=("reading", "refused"),
    deferred=("reading",),
    readonly_fields=(capture_refusal, capture_body),
)
admin.site.register(
    Item,
    ReadOnlyAdmin,
    list_display=("heading", "document__source", "position", "first_version", "gone_version"),
    list_filter=(("document__source", SourceFilter), "is_post"),
    list_select_related=("document__source",),
    prefetched=("revisions",),
    search_fields=("attachment__episode__title", "key"),
    search_help_text="Search title of the episode, or key",
    inlines=(RevisionInline,),
)


@admin.display(description="entries")
def run_counts(run: IngestRun) -> str:
    """The counts of an import in words."""
    words = (f"{run.counts[name]} {COUNTS[name]}" for name in COUNTS if run.counts.get(name))
    return ", ".join(words)


@admin.display(description="source", ordering="source__slug")
def run_source(run: IngestRun) -> str:
    """The source with its show, which tells it from the others that are called feed."""
    return run.source.label(several=True)


@admin.display(description="reason")
def run_reason(run: IngestRun) -> str:
    return run.display_reason


admin.site.register(
    IngestRun,
    ReadOnlyAdmin,
    list_display=(
        "started_at", run_source, "outcome", run_reason, run_counts,
    ),
    fields=("started_at", "finished_at", "source", "document", "outcome", run_reason, run_counts),
    readonly_fields=(run_reason, run_counts),
    list_filter=("outcome", ("source__podcast", ShowFilter), ("source", SourceFilter)),
    list_select_related=("source__podcast", "document__source"),
    search_fields=("source__podcast__title", "source__slug", "reason"),
    date_hierarchy="started_at",
)  # fmt: skip
