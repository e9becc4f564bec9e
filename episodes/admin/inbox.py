"""The screens of the inbox: all rows with their buttons, the review, which shows a row beside a candidate, and
the start page, which counts the rows."""

from collections.abc import Sequence
from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode

from .. import curation
from ..models import Change, EpisodeReading, Podcast, large_sources
from ..text.formatting import format_count
from .base import (
    ActionView,
    OptionsFilter,
    SubjectGone,
    is_row_id,
    list_url,
    request_row_id,
    request_value,
)
from .history import last_changes_of_batches, set_batch_summaries
from .inbox_sections import (
    INBOX_SECTIONS,
    InboxRow,
    InboxSection,
    first_inbox_rows,
    inbox_url,
    sections_by_slug,
)
from .saved_filters import load_saved_filters_with_row_counts

# --- The inbox and the review -------------------------------------------------------------------


ROWS_PER_PAGE = 50


class RowsForm(forms.Form):
    """Rows of a section, as their buttons name them. A `token` shows whether a row is still the same."""

    kind = forms.ChoiceField(choices=[(section.slug, section.label) for section in INBOX_SECTIONS])
    act = forms.CharField(max_length=40, required=False)
    row = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    token = forms.Field(widget=forms.MultipleHiddenInput, required=False)
    all = forms.IntegerField(required=False)  # how many rows the page showed, if all are meant


class InboxView(ActionView):
    """Lists the rows that need a person, and answers a row, or several rows of a section."""

    form_class = RowsForm
    template_name = "admin/curation/inbox.html"
    title = "Inbox"
    is_below_list = False
    viewers_may_read = True
    selected_rows: list[InboxRow]

    def set_view_attributes_from_address(self) -> None:
        parameters = self.request.GET
        self.for_viewer = not self.request.user.has_perm(self.permission)
        self.sections = sections_by_slug(for_viewer=self.for_viewer)
        # The review of a section has it in the path of its address, the list of rows in a parameter.
        slug = self.kwargs.get("kind", parameters.get("kind", ""))
        self.section = self.sections.get(slug)  # None: all sections
        # The parameters of this page's address, to come back to it after an answer.
        self.query = {"kind": slug} if self.section else {}
        if slug not in ("", *self.sections):
            messages.warning(self.request, f"No kind is called “{slug[:40]}”. This is all of them.")
        if "page" in parameters:
            self.query["page"] = parameters["page"][:20]

    def get_success_url(self) -> str:
        """Return the address of the same page, at the row that took the place of the answered one."""
        return inbox_url(**self.query, at=request_row_id(self.request, "at"))

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Select the rows that the form names, and press its button. Raise SubjectGone if none is as shown."""
        # Only to find the rows. `super().post` makes the form again.
        form = self.get_form()
        self.selected_rows = self.find_unchanged_rows(form.cleaned_data) if form.is_valid() else []
        if not self.selected_rows:
            raise SubjectGone(
                self.get_success_url(),
                "This row has changed since you opened the page, or was settled by you or somebody else.",
            )
        return super().post(request, *args, **kwargs)

    def find_unchanged_rows(self, form_values: dict[str, Any]) -> list[InboxRow]:
        """Return the rows that a form names and that are still as its page showed them.

        With `all` (the number of rows that the page showed), return all rows of the section if there are as many.
        """
        section = self.sections[form_values["kind"]]
        row_count_of_page = form_values["all"]
        if row_count_of_page:
            ids = section.ids()
            # The form names no rows, so their number has to be enough.
            return section.rows_by_id(ids) if len(ids) == row_count_of_page else []
        row_ids = [int(number) for number in form_values["row"] if is_row_id(number)]
        rows = section.rows_by_id(row_ids)
        return [row for row in rows if row.token in form_values["token"]]

    def press_button_and_set_message(self, row: InboxRow) -> None:
        buttons = {button.name: button for button in row.buttons}
        button = buttons.get(self.form.cleaned_data["act"])
        if button is None:
            raise curation.InvalidChange("Choose one of the buttons.")
        row.reason = self.reason
        row.section.store_answer_of_button(self.request.user, row, button.name)
        self.message = button.message_template.format(row=row)

    def make_change(self) -> None:
        """Press the button for each selected row, several as one batch. Set `self.message`."""
        # A single row shows its own message. For several rows, the message counts them.
        if len(self.selected_rows) == 1:
            self.press_button_and_set_message(self.selected_rows[0])
            return
        with curation.open_change_batch({row.show for row in self.selected_rows}) as batch:
            for row in self.selected_rows:
                with batch.attempt(row.subject):
                    self.press_button_and_set_message(row)
        for refusal in batch.refusals:
            messages.error(self.request, f"Not done: {refusal}")
        answered = len(self.selected_rows) - len(batch.refusals)
        self.message = f"Done: {format_count(answered, 'row', 'rows')}."

    def respond_to_refusal(self) -> HttpResponse:
        raise SubjectGone(self.get_success_url())

    def context(self) -> dict[str, Any]:
        counts = [section.queryset().count() for section in self.sections.values()]
        if self.section:
            ids = self.section.ids()
            total = len(ids)
            page = Paginator(ids, ROWS_PER_PAGE).get_page(self.query.get("page"))
            rows = self.section.rows_by_id(list(page))
        else:
            total = sum(counts)
            page = None
            rows = first_inbox_rows(10, for_viewer=self.for_viewer)  # of each section
        # An answered row is gone, so the next row has its index now. After the last row, take the row
        # before it.
        last_index = max(len(rows) - 1, 0)
        selected_index = min(request_row_id(self.request, "at"), last_index)
        return {
            "rows": rows,
            "at": selected_index,
            "jump": "at" in self.request.GET,  # after an answer, focus the row
            "page": page,
            "total": total,
            "section": self.section,
            "kinds": self.kinds_with_counts(counts),
            # The template adds the number of a page.
            "query": urlencode({**self.query, "page": ""}),
            "several": Podcast.objects.several(),
        }

    def kinds_with_counts(self, counts: Sequence[int]) -> list[tuple[str, str, bool]]:
        """Return slug, label with the number of rows, and whether it is shown, for each section."""
        kinds = []
        for section, count in zip(self.sections.values(), counts, strict=True):
            kinds.append((section.slug, f"{section.label} ({count})", section == self.section))
        return kinds


class ReviewView(InboxView):
    """The rows of a section one after another, each beside its candidate. A decision leads to the next row.

    `row` is the row at the index in the address, or None if no row waits.
    """

    title = "{view.section.label}"
    row: InboxRow | None = None

    def set_view_attributes_from_address(self) -> None:
        super().set_view_attributes_from_address()
        if self.section is None or not self.section.review_template:
            raise SubjectGone(inbox_url())
        self.template_name = self.section.review_template
        self.crumbs = [(inbox_url(kind=self.section.slug), "Inbox")]
        ids = self.section.ids()
        self.total = len(ids)
        self.index = self.requested_index(ids)
        rows = self.section.rows_by_id(ids[self.index : self.index + 1])
        if rows:  # else nothing waits
            self.row = rows[0]
            self.set_sent_values(self.row)
            self.section.set_picked_candidate_and_buttons(self.row)

    def set_sent_values(self, row: InboxRow) -> None:
        # The slug of the episode to compare with, and the words of a search.
        row.parameters = {
            "with": request_value(self.request, "with"),
            "q": request_value(self.request, "q"),
        }
        row.reason = self.reason

    def requested_index(self, ids: Sequence[int]) -> int:
        row_id = request_row_id(self.request, "row")
        if row_id in ids:
            return ids.index(row_id)
        # After the last row comes the first again.
        return request_row_id(self.request, "at") % max(len(ids), 1)

    def find_unchanged_rows(self, form_values: dict[str, Any]) -> list[InboxRow]:
        return [self.row] if self.row and self.row.token in form_values["token"] else []

    def get_success_url(self) -> str:
        return inbox_url(self.kwargs["kind"], at=self.index)

    def respond_to_refusal(self) -> HttpResponse:
        return self.render_page()

    def context(self) -> dict[str, Any]:
        section = cast(InboxSection, self.section)
        context = {
            "total": self.total,
            "at": self.index,
            "row": self.row,
            "next": self.index + 1,
            "list": inbox_url(kind=section.slug),
        }
        if self.row:
            context.update(section.review_context(self.row))
        return context


# --- The start page ----------------------------------------------------------------------------


def start_page_context(request: HttpRequest) -> dict[str, Any]:
    """Return the template values of the start page.

    These are the sections of the inbox and filters of lists, with counts, the last changes, and the faults
    that need an operator.
    """
    sections = nonempty_inbox_sections(for_viewer=not request.user.has_perm(curation.CURATE))
    # An import is a change without rows, and no work of a person.
    rows = Change.objects.exclude(rows=[]).select_related("made_by", "undone_by", "podcast")
    changes = list(last_changes_of_batches(rows)[:10])
    set_batch_summaries(changes)
    return {
        "inbox_address": inbox_url(),
        "total": sum(section["count"] for section in sections),
        "needs": sections,
        "missing": nonempty_start_page_filters(request),
        "saved": load_saved_filters_with_row_counts(request),
        "recent": changes,
        "large_sources": large_sources(),
        "unread": EpisodeReading.objects.failed()[:20],
    }


def nonempty_inbox_sections(*, for_viewer: bool) -> list[dict[str, Any]]:
    sections = []
    for slug, section in sections_by_slug(for_viewer=for_viewer).items():
        count = section.queryset().count()
        if count:
            described = {
                "name": section.label,
                "hint": section.hint,
                "address": inbox_url(kind=slug),
                "count": count,
            }
            sections.append(described)
    return sections


def nonempty_start_page_filters(request: HttpRequest) -> list[dict[str, Any]]:
    """Return name, count and address of each filter of a list that finds rows which need a look."""
    filters = []
    for model_admin in cast(Any, admin.site).lists.values():
        # The tables of other packages have no such filter. OptionsFilter itself has no options.
        start_filter = getattr(model_admin, "start_page_filter", OptionsFilter)
        for name, (label, condition) in start_filter.options.items():
            count = model_admin.get_queryset(request).filter(condition).count()
            if count:
                query = f"?{start_filter.parameter_name}={name}"
                address = list_url(model_admin.opts.model_name, query)
                filters.append({"name": label, "count": count, "address": address})
    return filters
