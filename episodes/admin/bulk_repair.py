"""Repairs of all rows that a list shows: the choice of a repair, its form, its preview, and the repair as one
batch of changes."""

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.http import urlencode
from django.utils.text import Truncator

from .. import curation
from ..fields import FIELDS_BY_NAME, NOTES_FIELD, OVERRIDABLE_FIELDS, SOURCED_FIELDS
from ..models import (
    TRANSCRIPTS_SLUG,
    WITHDRAWAL_KINDS,
    CodeName,
    Episode,
    Person,
    Podcast,
    Source,
    Topic,
)
from ..text.fingerprints import fingerprint
from ..text.formatting import format_count
from ..text.link_labels import LINK_KIND_NAMES, LINK_KIND_PLURALS
from .base import (
    ActionView,
    SubjectGone,
    list_url,
    row_id_of,
    row_url,
    trim_common_start,
)
from .saved_filters import ForgetFilterView, SaveFilterView, filter_query

PREVIEW_PAGE_SIZE = 100
MAX_LISTED_ROWS = 200  # of the rows that a repair leaves as they are, by reason
MAX_TEXT_LENGTH = 320  # characters of a text in a preview

# An address decides about one episode, so each has its own screen for it.
FIELD_CHOICES = [(field.name, field.label) for field in OVERRIDABLE_FIELDS if field.name != "slug"]
TEXT_FIELD_CHOICES = [
    (name, FIELDS_BY_NAME[name].label)
    for name in ("title", "description_text", "url", "audio_url", "image_url")
]
# The field of each problem that the list of episodes is filtered by.
FIELD_OF_PROBLEM = {
    "date": "published",
    "audio": "audio_url",
    "title": "title",
    "notes": "description_text",
    "number": "number",
}
SOURCE_OF_EPISODE = "attachments__item__document__source"  # the path of the filter
ROLE_CHOICES = [("guest", "guest"), ("host", "host"), ("co-host", "co-host")]


# --- The forms of repairs ----------------------------------------------------------------------


class RepairForm(forms.Form):
    """The values that a curator chooses for a repair."""

    label: ClassVar[str]
    hint: ClassVar[str]
    use_required_attribute = False

    def repair(self) -> curation.Repair:
        raise NotImplementedError


class WordsForm(RepairForm):
    """Words, and the words to put in their place."""

    wrong = forms.CharField(label="Replace", max_length=300)
    right = forms.CharField(
        label="With", max_length=300, required=False, help_text="Empty: the words are removed."
    )

    @property
    def words(self) -> curation.WordReplacement:
        return curation.WordReplacement(self.cleaned_data["wrong"], self.cleaned_data["right"])


def decided_field() -> forms.BooleanField:
    return forms.BooleanField(
        label="Also change what a curator decided before",
        required=False,
        help_text="Otherwise locked values stay, and topics that somebody added or removed.",
    )


class SetFieldForm(RepairForm):
    label = "Set a field"
    hint = "All get the same value, which is locked."
    field = forms.ChoiceField(choices=FIELD_CHOICES)
    value = forms.CharField(
        widget=forms.Textarea({"rows": 2}),
        max_length=200_000,
        required=False,
        help_text="Empty: no value.",
    )
    replaces_decisions = decided_field()

    def clean(self) -> None:
        data = self.cleaned_data
        try:
            curation.clean_typed_value(data.get("field", ""), data.get("value", ""))
        except curation.InvalidChange as refusal:
            raise ValidationError({"value": str(refusal)}) from None

    def repair(self) -> curation.Repair:
        return curation.SetField(
            field_name=self.cleaned_data["field"],
            value=self.cleaned_data["value"],
            replaces_decisions=self.cleaned_data["replaces_decisions"],
        )


class ReplaceWordsForm(WordsForm):
    label = "Replace words"
    hint = (
        "Whole words, spelled as you type them. Corrected notes become plain text, as in the form of "
        "an episode."
    )
    field_order = ("field",)
    field = forms.ChoiceField(choices=TEXT_FIELD_CHOICES)
    replaces_decisions = decided_field()

    def repair(self) -> curation.Repair:
        return curation.ReplaceWords(
            field_name=self.cleaned_data["field"],
            words=self.words,
            replaces_decisions=self.cleaned_data["replaces_decisions"],
        )


class TakeSourceValueForm(RepairForm):
    label = "Take a source’s value"
    hint = "Each episode gets the value that the source has for it, which is locked."
    field = forms.ChoiceField(choices=FIELD_CHOICES)
    source = forms.ChoiceField()
    replaces_decisions = decided_field()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sources = Source.objects.exclude(reader=TRANSCRIPTS_SLUG).order_by("slug")
        slugs = sources.values_list("slug", flat=True).distinct()
        field: Any = self.fields["source"]
        field.choices = [(slug, slug) for slug in slugs]

    def repair(self) -> curation.Repair:
        return curation.TakeSourceValue(
            field_name=self.cleaned_data["field"],
            source=self.cleaned_data["source"],
            replaces_decisions=self.cleaned_data["replaces_decisions"],
        )


class TypeValuesForm(RepairForm):
    label = "Type or paste values"
    hint = (
        "Each episode gets the value of its own line. Two columns of a spreadsheet can be pasted."
    )
    field = forms.ChoiceField(choices=FIELD_CHOICES)
    lines = forms.CharField(
        widget=forms.Textarea({"rows": 8, "spellcheck": "false"}),
        max_length=500_000,
        help_text="One line an episode: its address or number, a blank or tab, and the value. "
        "For example: 46 13:45",
    )
    replaces_decisions = decided_field()

    def repair(self) -> curation.Repair:
        return curation.TypeValues(
            field_name=self.cleaned_data["field"],
            lines=self.cleaned_data["lines"],
            replaces_decisions=self.cleaned_data["replaces_decisions"],
        )


class LockForm(RepairForm):
    label = "Lock a field"
    hint = "The present value stays, whatever sources say later."
    field = forms.ChoiceField(choices=FIELD_CHOICES)

    def repair(self) -> curation.Repair:
        return curation.LockField(field_name=self.cleaned_data["field"])


class UnlockForm(RepairForm):
    label = "Unlock a field"
    hint = "The field follows the sources again."
    field = forms.ChoiceField(choices=FIELD_CHOICES)

    def repair(self) -> curation.Repair:
        return curation.UnlockField(field_name=self.cleaned_data["field"])


class AddTopicForm(RepairForm):
    label = "Add a topic"
    hint = "Later imports keep it."
    topic = forms.ModelChoiceField(Topic.objects.order_by("name"), to_field_name="slug")
    replaces_decisions = decided_field()
    repair_class: ClassVar[type[curation.TopicRepair]] = curation.AddTopic

    def repair(self) -> curation.Repair:
        return self.repair_class(
            topic=self.cleaned_data["topic"],
            replaces_decisions=self.cleaned_data["replaces_decisions"],
        )


class RemoveTopicForm(AddTopicForm):
    label = "Remove a topic"
    hint = "Later imports do not bring it back."
    repair_class = curation.RemoveTopic


class AddPersonForm(RepairForm):
    label = "Add a person"
    hint = "A person of the show with this name is found. For anybody else a page is made."
    name = forms.CharField(max_length=300)
    role = forms.ChoiceField(choices=ROLE_CHOICES)

    def repair(self) -> curation.Repair:
        return curation.AddPerson(name=self.cleaned_data["name"], role=self.cleaned_data["role"])


class RemovePersonForm(RepairForm):
    label = "Remove a person"
    hint = "Later imports do not bring the person back."
    name = forms.CharField(max_length=300)

    def repair(self) -> curation.Repair:
        return curation.RemovePerson(name=self.cleaned_data["name"])


class CloseConflictsForm(RepairForm):
    label = "Close conflicts"
    hint = "They are not a problem as long as the sources have these values."
    field = forms.ChoiceField(choices=[(field.name, field.label) for field in SOURCED_FIELDS])

    def repair(self) -> curation.Repair:
        return curation.CloseConflicts(field_name=self.cleaned_data["field"])


class MarkRerunsForm(RepairForm):
    label = "Mark as re-runs"
    hint = "Each is marked together with the earlier episode of its show that has the same title."
    verdict = forms.ChoiceField(
        label="Each",
        choices=[("repeats", "is a re-run"), ("replaces", "replaces the earlier one")],
    )
    rerun_words = forms.CharField(
        label="Words of re-runs",
        max_length=100,
        required=False,
        help_text="Words in their titles that the earlier titles do not have, such as “Rerun”.",
    )

    def repair(self) -> curation.Repair:
        return curation.MarkReruns(
            rerun_words=self.cleaned_data["rerun_words"], verdict=self.cleaned_data["verdict"]
        )


class WithdrawManyForm(RepairForm):
    label = "Take out"
    hint = "They leave every list, search and feed. Their addresses answer 410."
    kind = forms.ChoiceField(
        label="As", choices=[(kind, WITHDRAWAL_KINDS[kind]) for kind in ("no-episode", "hidden")]
    )

    def repair(self) -> curation.Repair:
        return curation.WithdrawEpisodes(kind=self.cleaned_data["kind"])


class RenameForm(WordsForm):
    label = "Replace words in names"
    hint = "Whole words, spelled as you type them."

    def repair(self) -> curation.Repair:
        return curation.RenamePeople(field_name="name", words=self.words)


class RelabelForm(RenameForm):
    label = "Replace words in labels"

    def repair(self) -> curation.Repair:
        return curation.RelabelLinks(field_name="label", words=self.words)


class RenameTopicsForm(RenameForm):
    hint = "Whole words, spelled as you type them. The addresses of topics stay."

    def repair(self) -> curation.Repair:
        return curation.RenameTopics(column="name", words=self.words)


class ReplaceInAddressesForm(WordsForm):
    label = "Replace a part of addresses"
    hint = "The links lead to the new addresses, in every episode."

    def repair(self) -> curation.Repair:
        return curation.ReplaceInAddresses(field_name="replacement", words=self.words)


class ArchivedCopiesForm(RepairForm):
    label = "Use archived copies"
    hint = "Each link leads to the Internet Archive’s copy nearest to its first episode."

    def repair(self) -> curation.Repair:
        return curation.UseArchivedCopies(field_name="replacement")


class SetLinkKindForm(RepairForm):
    label = "Set the kind"
    hint = "In every episode of every show."
    kind = forms.ChoiceField(choices=[(kind, LINK_KIND_NAMES[kind]) for kind in LINK_KIND_PLURALS])

    def repair(self) -> curation.Repair:
        return curation.SetLinkKind(field_name="kind", kind=self.cleaned_data["kind"])


class SetGroupForm(RepairForm):
    label = "Set the group"
    hint = "The list of topics has a heading for each group."
    group = forms.CharField(max_length=50, required=False, help_text="Empty: no group.")

    def repair(self) -> curation.Repair:
        return curation.SetTopicGroup(column="group", group=self.cleaned_data["group"])


class HideForm(RepairForm):
    label = "Hide"
    hint = "They leave every page and export, and later imports do not bring them back."

    def repair(self) -> curation.Repair:
        return curation.HideRows()


class NotPeopleForm(HideForm):
    label = "Not people"


class NotSymbolsForm(HideForm):
    label = "Not symbols"


class DeleteForm(HideForm):
    label = "Delete"
    hint = "Their addresses redirect to the list of topics."


class MergeRowsForm(RepairForm):
    """Merges the rows into a row of the same table."""

    label = "Merge into one"
    hint = "Episodes show it in place of the others. Their addresses redirect."
    model: ClassVar[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = self.model._default_manager.order_by("name", "slug")
        self.fields["into"] = forms.ModelChoiceField(rows, to_field_name="slug")

    def repair(self) -> curation.Repair:
        return curation.MergeRows(into=self.cleaned_data["into"])


class MergePeopleForm(MergeRowsForm):
    model = Person


class MergeSymbolsForm(MergeRowsForm):
    model = CodeName


class MergeTopicsForm(MergeRowsForm):
    model = Topic


RepairForms = Mapping[str, type[RepairForm]]
# By the part of the address that names the repair.
EPISODE_REPAIRS: RepairForms = {
    "set": SetFieldForm,
    "replace": ReplaceWordsForm,
    "source": TakeSourceValueForm,
    "type": TypeValuesForm,
    "add-topic": AddTopicForm,
    "remove-topic": RemoveTopicForm,
    "add-person": AddPersonForm,
    "remove-person": RemovePersonForm,
    "lock": LockForm,
    "unlock": UnlockForm,
    "conflicts": CloseConflictsForm,
    "re-runs": MarkRerunsForm,
    "take-out": WithdrawManyForm,
}
PEOPLE_REPAIRS: RepairForms = {
    "rename": RenameForm,
    "merge": MergePeopleForm,
    "hide": NotPeopleForm,
}
LINK_REPAIRS: RepairForms = {
    "label": RelabelForm,
    "kind": SetLinkKindForm,
    "address": ReplaceInAddressesForm,
    "archive": ArchivedCopiesForm,
    "hide": HideForm,
}
SYMBOL_REPAIRS: RepairForms = {"merge": MergeSymbolsForm, "hide": NotSymbolsForm}
TOPIC_REPAIRS: RepairForms = {
    "rename": RenameTopicsForm,
    "group": SetGroupForm,
    "merge": MergeTopicsForm,
    "delete": DeleteForm,
}


# --- The screens -------------------------------------------------------------------------------


class ListedRowsView(ActionView):
    """A screen about all rows that a list shows. The address has the filters of the list."""

    def load_subject(self) -> None:
        """Find the rows that the list shows.

        Raises:
            SubjectGone: the list does not know the filter, or has too many rows or none.
        """
        url = list_url(self.model_admin.opts.model_name)
        try:
            changelist = self.model_admin.get_changelist_instance(self.request)
        except IncorrectLookupParameters:
            raise SubjectGone(url, "The list has no such filter.") from None
        self.selection: QuerySet[Any] = changelist.queryset
        self.count = int(changelist.result_count)
        query = self.request.GET.urlencode()
        self.list_address = f"{url}?{query}"
        if self.count == 0:
            raise SubjectGone(self.list_address, "No row to repair.")
        if self.count > curation.MAX_REPAIRED_ROWS:
            raise SubjectGone(
                self.list_address,
                f"The list shows {self.count:,} rows. Repair at most "
                f"{curation.MAX_REPAIRED_ROWS:,} at once: filter the list first.",
            )

    def count_rows(self, count: int) -> str:
        opts = self.model_admin.opts
        return format_count(count, str(opts.verbose_name), str(opts.verbose_name_plural))

    @property
    def counted_rows(self) -> str:
        return self.count_rows(self.count)


class ChooseRepairView(ListedRowsView):
    """The repairs of the rows that a list shows."""

    template_name = "admin/curation/choose_repair.html"
    title = "Repair {view.counted_rows}"

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self.http_method_not_allowed(request)

    def context(self) -> dict[str, Any]:
        opts = self.model_admin.opts
        query = self.request.GET.urlencode()
        repairs = []
        for kind, form_class in self.model_admin.repairs.items():
            url = reverse(f"admin:episodes_{opts.model_name}_repair_rows", args=(kind,))
            repairs.append((f"{url}?{query}", form_class.label, form_class.hint))
        return {"repairs": repairs, "list_address": self.list_address}


class RepairView(ListedRowsView):
    """The form of a repair, its preview, and the repair of all rows that the list shows."""

    template_name = "admin/curation/bulk_repair.html"
    title = "{view.form_class.label}: {view.counted_rows}"
    batch: curation.Batch

    def load_subject(self) -> None:
        super().load_subject()
        kind = self.kwargs["kind"]
        choice_url = reverse(f"admin:episodes_{self.model_admin.opts.model_name}_repair")
        choice_url = f"{choice_url}?{self.request.GET.urlencode()}"
        if kind not in self.model_admin.repairs:
            raise SubjectGone(choice_url, "There is no such repair.")
        self.form_class = self.model_admin.repairs[kind]
        self.crumbs = [(choice_url, "Repair")]
        self.left_out = set(self.request.POST.getlist("leave_out"))

    def get_initial(self) -> dict[str, Any]:
        """Return the values that the filters of the list suggest: what it is filtered to is often repaired."""
        parameters = self.request.GET
        problem = parameters.get("needs", "")
        topic_id = row_id_of(parameters.get("topics__id__exact", ""))
        source_id = row_id_of(parameters.get(f"{SOURCE_OF_EPISODE}__id__exact", ""))
        sources = Source.objects.filter(pk=source_id)
        return {
            "field": parameters.get("conflict") or FIELD_OF_PROBLEM.get(problem),
            "wrong": parameters.get("q", ""),
            "topic": Topic.objects.filter(pk=topic_id).first(),
            "source": sources.values_list("slug", flat=True).first(),
        }

    def rows_to_repair(self, repair: curation.Repair) -> QuerySet[Any]:
        """Return the rows of the list, with their notes only if the repair is about them."""
        if getattr(repair, "field_name", "") == NOTES_FIELD.name:
            return self.selection.defer(None)
        return self.selection

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the preview first, and again if the form was changed since."""
        self.form = self.get_form()
        form_token, _, self.plan_token = self.token.partition(" ")
        if self.form.is_valid() and form_token != self.form_token:
            return self.render_preview()
        return super().post(request, *args, **kwargs)

    @property
    def form_token(self) -> str:
        return fingerprint(str(self.form.cleaned_data))

    def make_change(self) -> None:
        """Repair the rows as the preview showed it, or raise EditConflict if they would change otherwise."""
        repair = self.form.repair()
        shows = Podcast.objects.all()
        if self.model_admin.model is Episode:
            shows = shows.filter(pk__in=self.selection.order_by().values("podcast"))
        self.batch = curation.repair_rows(
            self.request.user,
            repair,
            self.rows_to_repair(repair),
            shows,
            token=self.plan_token,
            left_out=self.left_out,
            reason=self.reason,
        )
        for refusal in self.batch.refusals:
            messages.error(self.request, f"Not done: {refusal}")

    def format_success_message(self) -> str:
        return f"{self.form.label}: done for {self.count_rows(len(self.batch.changes))}."

    def get_success_url(self) -> str:
        """Return the address of the batch's last change, whose page shows all. Without changes return the list's."""
        changes = self.batch.changes
        return row_url(changes[-1]) if changes else self.list_address

    def respond_to_refusal(self) -> HttpResponse:
        return self.render_preview()

    def build_preview(self) -> dict[str, Any]:
        """Return the template values of the preview: a page of the changes, and all rows that stay."""
        repair = self.form.repair()
        plan = repair.plan(self.rows_to_repair(repair))
        self.token = f"{self.form_token} {plan.token}"
        page = Paginator(plan.repairs, PREVIEW_PAGE_SIZE).get_page(
            self.request.POST.get("_preview")
        )
        changes = []
        for planned in page:
            before, after = trim_common_start(planned.before, planned.after)
            change = {
                "key": planned.key,
                "name": str(planned.row),
                "url": address_of_row(planned.row),
                "before": Truncator(before).chars(MAX_TEXT_LENGTH),
                "after": Truncator(after).chars(MAX_TEXT_LENGTH),
                "is_left_out": planned.key in self.left_out,
            }
            changes.append(change)
        keys_of_page = {planned.key for planned in page}
        return {
            "page": page,
            "changes": changes,
            "left_out_elsewhere": sorted(self.left_out - keys_of_page),
            "change_count": len(plan.repairs),
            "counted_changes": self.count_rows(len(plan.repairs)),
            "untouched": describe_untouched_rows(plan),
        }

    def context(self) -> dict[str, Any]:
        return {"token": self.token, "list_address": self.list_address}


def describe_untouched_rows(plan: curation.RepairPlan) -> list[dict[str, Any]]:
    """Return the rows that a plan leaves as they are, by reason, the rarest reason first."""
    groups = []
    for reason, rows in sorted(plan.untouched.items(), key=lambda group: len(group[1])):
        names_and_addresses = [(str(row), address_of_row(row)) for row in rows[:MAX_LISTED_ROWS]]
        group = {
            "reason": reason,
            "count": len(rows),
            "rows": names_and_addresses,
            "more": len(rows) - len(names_and_addresses),
        }
        groups.append(group)
    return groups


def address_of_row(row: Any) -> str:
    # Only of a repair by typed lines: a line without an episode.
    return "" if isinstance(row, str) else row_url(row)


class BulkRepairAdmin:
    """A table with repairs of all rows that its list shows."""

    repairs: ClassVar[RepairForms]
    actions: Any = ("repair",)
    opts: Any
    admin_site: Any

    def get_urls(self) -> list[Any]:
        wrap = self.admin_site.admin_view
        name = f"episodes_{self.opts.model_name}_repair"
        choose_repair = wrap(ChooseRepairView.as_view(model_admin=self))
        repair_rows = wrap(RepairView.as_view(model_admin=self))
        save_filter = wrap(SaveFilterView.as_view(model_admin=self))
        forget_filter = wrap(ForgetFilterView.as_view(model_admin=self))
        return [
            path("repair/", choose_repair, name=name),
            path("repair/<slug:kind>/", repair_rows, name=f"{name}_rows"),
            path("save-filter/", save_filter, name=f"episodes_{self.opts.model_name}_save_filter"),
            path(
                "forget-filter/",
                forget_filter,
                name=f"episodes_{self.opts.model_name}_forget_filter",
            ),
            *cast(Any, super()).get_urls(),
        ]

    def has_curate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(curation.CURATE)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        query = filter_query(request.GET)
        saved = curation.find_saved_filter(str(self.opts.object_name), query)
        context = {
            "repair_address": f"{self.repair_url}?{query}",
            "filter_query": query,
            "saved_filter": saved,
            "save_url_name": f"admin:episodes_{self.opts.model_name}_save_filter",
            "forget_url_name": f"admin:episodes_{self.opts.model_name}_forget_filter",
        }
        return cast(HttpResponse, cast(Any, super()).changelist_view(request, context))

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions: dict[str, Any] = cast(Any, super()).get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    @admin.action(description="Repair…", permissions=["curate"])
    def repair(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse:
        """Lead to the repairs of the ticked rows, or of all rows that the list shows."""
        query = request.GET.urlencode()
        if request.POST.get("select_across") != "1":
            query = urlencode({"pk__in": ",".join(request.POST.getlist(ACTION_CHECKBOX_NAME))})
        return HttpResponseRedirect(f"{self.repair_url}?{query}")

    @property
    def repair_url(self) -> str:
        return reverse(f"admin:episodes_{self.opts.model_name}_repair")
