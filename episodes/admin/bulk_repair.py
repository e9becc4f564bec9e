"""Repairs of all rows that a list shows: the choice of a repair, its form, its preview, and the repair as one
batch of changes."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
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
    CatalogAdmin,
    SubjectGone,
    list_url,
    row_id_of,
    row_url,
    shorten_equal_start,
)
from .saved_filters import ForgetFilterView, SaveFilterView, normalized_filter_query

SOURCE_OF_EPISODE = "attachments__item__document__source"  # the path of the filter


# --- The forms of repairs ----------------------------------------------------------------------


class RepairForm(forms.Form):
    """The values that a curator chooses for a repair. Its inputs are called like the fields of the repair."""

    label: ClassVar[str]
    hint: ClassVar[str]
    repair_class: ClassVar[type[curation.Repair]]
    use_required_attribute = False

    def repair(self) -> curation.Repair:
        return self.repair_class(**self.cleaned_data)


class WordsForm(RepairForm):
    """Words, and the words to put in their place."""

    hint = "Whole words, spelled as you type them."
    wrong = forms.CharField(label="Replace", max_length=300)
    right = forms.CharField(
        label="With", max_length=300, required=False, help_text="Empty: the words are removed."
    )


def overridable_field(*names: str) -> forms.ChoiceField:
    """Return an input for one of these fields of an episode, or of all that a curator can override."""
    fields = [FIELDS_BY_NAME[name] for name in names] or OVERRIDABLE_FIELDS
    # An address decides about one episode, so each has its own screen for it.
    choices = [(field.name, field.label) for field in fields if field.name != "slug"]
    return forms.ChoiceField(label="Field", choices=choices)


def decided_field() -> forms.BooleanField:
    return forms.BooleanField(
        label="Also change what a curator decided before",
        required=False,
        help_text="Otherwise locked values stay, and topics that somebody added or removed.",
    )


class SetFieldForm(RepairForm):
    label = "Set a field"
    hint = "All get the same value, which is locked."
    repair_class = curation.SetField
    field_name = overridable_field()
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
            curation.normalize_typed_text_or_raise(
                data.get("field_name", ""), data.get("value", "")
            )
        except curation.InvalidChange as refusal:
            raise ValidationError({"value": str(refusal)}) from None


class ReplaceWordsForm(WordsForm):
    label = "Replace words"
    hint = (
        "Whole words, spelled as you type them. Corrected notes become plain text, as in the form of "
        "an episode."
    )
    repair_class = curation.ReplaceWords
    field_order = ("field_name",)
    field_name = overridable_field("title", "description_text", "url", "audio_url", "image_url")
    replaces_decisions = decided_field()


class TakeSourceValueForm(RepairForm):
    label = "Take a source’s value"
    hint = "Each episode gets the value that the source has for it, which is locked."
    repair_class = curation.TakeSourceValue
    field_name = overridable_field()
    source = forms.ChoiceField()
    replaces_decisions = decided_field()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Transcripts have no values of fields.
        sources = Source.objects.exclude(reader=TRANSCRIPTS_SLUG).order_by("slug")
        slugs = sources.values_list("slug", flat=True).distinct()
        field: Any = self.fields["source"]
        field.choices = [(slug, slug) for slug in slugs]


class SetTypedValuesForm(RepairForm):
    label = "Type or paste values"
    hint = (
        "Each episode gets the value of its own line. Two columns of a spreadsheet can be pasted."
    )
    repair_class = curation.SetTypedValues
    field_name = overridable_field()
    lines = forms.CharField(
        widget=forms.Textarea({"rows": 8, "spellcheck": "false"}),
        max_length=500_000,
        help_text="One line per episode: its address or number, a blank or tab, and the value. "
        "For example: 46 13:45",
    )
    replaces_decisions = decided_field()


class LockForm(RepairForm):
    label = "Lock a field"
    hint = "The present value stays, whatever sources say later."
    repair_class = curation.LockField
    field_name = overridable_field()


class UnlockForm(RepairForm):
    label = "Unlock a field"
    hint = "The field follows the sources again."
    repair_class = curation.UnlockField
    field_name = overridable_field()


class AddTopicForm(RepairForm):
    label = "Add a topic"
    hint = "Later imports keep it."
    repair_class: ClassVar[type[curation.Repair]] = curation.AddTopic
    topic = forms.ModelChoiceField(Topic.objects.order_by("name"), to_field_name="slug")
    replaces_decisions = decided_field()


class RemoveTopicForm(AddTopicForm):
    label = "Remove a topic"
    hint = "Later imports do not bring it back."
    repair_class = curation.RemoveTopic


class AddPersonForm(RepairForm):
    label = "Add a person"
    hint = "A person of the show with this name is found. For anybody else a page is made."
    repair_class = curation.AddPerson
    name = forms.CharField(max_length=300)
    role = forms.ChoiceField(choices=[("guest", "guest"), ("host", "host"), ("co-host", "co-host")])


class RemovePersonForm(RepairForm):
    label = "Remove a person"
    hint = "Later imports do not bring the person back."
    repair_class = curation.RemovePerson
    name = forms.CharField(max_length=300)


class CloseConflictsForm(RepairForm):
    label = "Close conflicts"
    hint = "They are not a problem as long as the sources have these values."
    repair_class = curation.CloseConflicts
    field_name = overridable_field(*(field.name for field in SOURCED_FIELDS))


class MarkRerunsForm(RepairForm):
    label = "Mark as re-runs"
    hint = "An episode is marked with the earlier episode of its show that has the same title."
    repair_class = curation.MarkReruns
    verdict = forms.ChoiceField(
        label="The later one",
        choices=[("repeats", "is a re-run"), ("replaces", "replaces the earlier one")],
    )
    rerun_words = forms.CharField(
        label="Words of re-runs",
        max_length=100,
        required=False,
        help_text="Words in their titles that the earlier titles do not have, such as “Rerun”.",
    )


class WithdrawManyForm(RepairForm):
    label = "Take out"
    hint = "An episode leaves every list, search and feed. Its addresses answer 410."
    repair_class = curation.WithdrawEpisodes
    kind = forms.ChoiceField(
        label="As", choices=[(kind, WITHDRAWAL_KINDS[kind]) for kind in ("no-episode", "hidden")]
    )


class RenameForm(WordsForm):
    label = "Replace words in names"
    repair_class = curation.RenamePeople


class RelabelForm(WordsForm):
    label = "Replace words in labels"
    repair_class = curation.RelabelLinks


class RenameTopicsForm(WordsForm):
    label = "Replace words in names"
    hint = "Whole words, spelled as you type them. The addresses of topics stay."
    repair_class = curation.RenameTopics


class ReplaceInAddressesForm(WordsForm):
    label = "Replace a part of addresses"
    hint = "The links lead to the new addresses, in every episode."
    repair_class = curation.ReplaceInAddresses


class ArchivedCopiesForm(RepairForm):
    label = "Use archived copies"
    hint = "Each link leads to the Internet Archive’s copy nearest to its first episode."
    repair_class = curation.UseArchivedCopies


class SetLinkKindForm(RepairForm):
    label = "Set the kind"
    hint = "In every episode of every show."
    repair_class = curation.SetLinkKind
    kind = forms.ChoiceField(choices=[(kind, LINK_KIND_NAMES[kind]) for kind in LINK_KIND_PLURALS])


class SetGroupForm(RepairForm):
    label = "Set the group"
    hint = "The list of topics has a heading for each group."
    repair_class = curation.SetTopicGroup
    group = forms.CharField(max_length=50, required=False, help_text="Empty: no group.")


class HideForm(RepairForm):
    label = "Hide"
    hint = "A hidden row leaves every page and export. Later imports do not bring it back."
    repair_class = curation.HideRows


class NotPeopleForm(HideForm):
    label = "Not people"


class NotSymbolsForm(HideForm):
    label = "Not symbols"


class DeleteForm(HideForm):
    label = "Delete"
    hint = "The address of a deleted topic redirects to the list of topics."


class MergeRowsForm(RepairForm):
    """Merges the rows into a row of the same table."""

    label = "Merge into one"
    hint = "Episodes show it in place of the merged rows. Former addresses redirect."
    repair_class = curation.MergeRows
    model: ClassVar[Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = self.model._default_manager.order_by("name", "slug")
        self.fields["into"] = forms.ModelChoiceField(rows, to_field_name="slug")


class MergePeopleForm(MergeRowsForm):
    model = Person


class MergeSymbolsForm(MergeRowsForm):
    model = CodeName


class MergeTopicsForm(MergeRowsForm):
    model = Topic


# By the model of the list, and the part of the address that names the repair.
REPAIRS: Mapping[str, Mapping[str, type[RepairForm]]] = {
    "episode": {
        "set": SetFieldForm,
        "replace": ReplaceWordsForm,
        "source": TakeSourceValueForm,
        "type": SetTypedValuesForm,
        "add-topic": AddTopicForm,
        "remove-topic": RemoveTopicForm,
        "add-person": AddPersonForm,
        "remove-person": RemovePersonForm,
        "lock": LockForm,
        "unlock": UnlockForm,
        "conflicts": CloseConflictsForm,
        "re-runs": MarkRerunsForm,
        "take-out": WithdrawManyForm,
    },
    "person": {"rename": RenameForm, "merge": MergePeopleForm, "hide": NotPeopleForm},
    "link": {
        "label": RelabelForm,
        "kind": SetLinkKindForm,
        "address": ReplaceInAddressesForm,
        "archive": ArchivedCopiesForm,
        "hide": HideForm,
    },
    "codename": {"merge": MergeSymbolsForm, "hide": NotSymbolsForm},
    "topic": {
        "rename": RenameTopicsForm,
        "group": SetGroupForm,
        "merge": MergeTopicsForm,
        "delete": DeleteForm,
    },
}


# --- The screens -------------------------------------------------------------------------------


class ListedRowsView(ActionView):
    """A screen about all rows that a list shows. The address has the filters of the list."""

    def set_view_attributes_from_address(self) -> None:
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
        self.require_repairable_count()

    def require_repairable_count(self) -> None:
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
        for kind, form_class in REPAIRS[opts.model_name].items():
            url = reverse(f"admin:episodes_{opts.model_name}_repair_rows", args=(kind,))
            repairs.append((f"{url}?{query}", form_class.label, form_class.hint))
        return {"repairs": repairs, "list_address": self.list_address}


class RepairView(ListedRowsView):
    """The form of a repair, its preview, and the repair of all rows that the list shows, stored as `batch`.

    The kind of repair in the address chooses the form from REPAIRS.
    """

    template_name = "admin/curation/bulk_repair.html"
    title = "{view.form_class.label}: {view.counted_rows}"
    batch: curation.Batch

    def set_view_attributes_from_address(self) -> None:
        super().set_view_attributes_from_address()
        choice_url = f"{self.model_admin.repair_url}?{self.request.GET.urlencode()}"
        form_class = REPAIRS[self.model_admin.opts.model_name].get(self.kwargs["kind"])
        if form_class is None:
            raise SubjectGone(choice_url, "There is no such repair.")
        self.form_class = form_class
        self.crumbs = [(choice_url, "Repair")]
        self.left_out = set(self.request.POST.getlist("leave_out"))

    def get_initial(self) -> dict[str, Any]:
        """Return the values that the filters of the list suggest: what it is filtered to is often repaired."""
        parameters = self.request.GET
        fields_by_problem = {
            "date": "published",
            "audio": "audio_url",
            "title": "title",
            "notes": "description_text",
            "number": "number",
        }
        field_of_problem = fields_by_problem.get(parameters.get("needs", ""))
        topic_id = row_id_of(parameters.get("topics__id__exact", ""))
        source_id = row_id_of(parameters.get(f"{SOURCE_OF_EPISODE}__id__exact", ""))
        sources = Source.objects.filter(pk=source_id)
        return {
            "field_name": parameters.get("conflict") or field_of_problem,
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
        # The page of the preview sent "FORM-TOKEN PLAN-TOKEN", see `build_preview_context`.
        previewed_form_token, _, self.plan_token = self.token.partition(" ")
        if self.form.is_valid():
            is_changed_since_preview = previewed_form_token != self.present_form_token
            if is_changed_since_preview:
                return self.render_preview()
        # Shows an invalid form again, or makes the change.
        return super().post(request, *args, **kwargs)

    @property
    def present_form_token(self) -> str:
        return fingerprint(str(self.form.cleaned_data))

    def make_change(self) -> None:
        """Repair the rows as the preview showed it, and set `batch`.

        Raises:
            EditConflict: they would change in another way.
        """
        repair = self.form.repair()
        # These shows are locked meanwhile. Rows of all other tables may be in episodes of any show.
        shows = Podcast.objects.all()
        if self.model_admin.model is Episode:
            shows = shows.filter(pk__in=self.selection.order_by().values("podcast"))
        self.batch = curation.repair_rows_and_return_batch(
            self.request.user,
            repair,
            self.rows_to_repair(repair),
            shows,
            token=self.plan_token,
            left_out_keys=self.left_out,
            reason=self.reason,
        )
        for refusal in self.batch.refusals:
            messages.error(self.request, f"Not done: {refusal}")

    def format_success_message(self) -> str:
        return f"{self.form.label}: done for {self.count_rows(len(self.batch.changes))}."

    def get_success_url(self) -> str:
        changes = self.batch.changes
        return row_url(changes[-1]) if changes else self.list_address

    def respond_to_refusal(self) -> HttpResponse:
        return self.render_preview()

    def build_preview_context(self) -> dict[str, Any]:
        repair = self.form.repair()
        plan = repair.build_plan(self.rows_to_repair(repair))
        paginator = Paginator(plan.repairs, per_page=100)
        # The value of each preview button is the number of a page.
        page = paginator.get_page(self.request.POST.get("_preview"))
        changes = [self.describe_planned_change(planned) for planned in page]
        keys_of_page = {planned.key for planned in page}
        change_count = len(plan.repairs)
        return {
            # The next form sends both back, so that `post` notices a change of either.
            "token": f"{self.present_form_token} {plan.token}",
            "page": page,
            "page_number": page.number,
            "preview_label": "Preview again",
            "changes": changes,
            # Rows that the curator has unticked on other pages: the form sends them along.
            "left_out_elsewhere": sorted(self.left_out - keys_of_page),
            "change_count": change_count,
            "counted_changes": self.count_rows(change_count),
            "untouched": untouched_row_groups(plan),
        }

    def describe_planned_change(self, planned: Any) -> dict[str, Any]:
        before, after = shorten_equal_start(planned.before, planned.after)
        return {
            "key": planned.key,
            "name": str(planned.row),
            "url": address_of_row(planned.row),
            "before": Truncator(before).chars(320),
            "after": Truncator(after).chars(320),
            "is_left_out": planned.key in self.left_out,
        }

    def context(self) -> dict[str, Any]:
        return {
            "list_address": self.list_address,
            # A preview replaces these values.
            "token": self.token,
            "changes": [],
            "page_number": 1,
            "preview_label": "Preview",
        }


def untouched_row_groups(plan: curation.RepairPlan) -> list[dict[str, Any]]:
    """Return a dict for each reason why rows stay as they are, the rarest first, with its first 200 rows."""
    groups = []
    rarest_first = sorted(plan.untouched, key=lambda reason: len(plan.untouched[reason]))
    for reason in rarest_first:
        rows = plan.untouched[reason]
        names_and_addresses = [(str(row), address_of_row(row)) for row in rows[:200]]
        group = {
            "reason": reason,
            "count": len(rows),
            "rows": names_and_addresses,
            "more": len(rows) - len(names_and_addresses),
            "is_unfolded": len(rows) <= 10,  # when the page is opened
        }
        groups.append(group)
    return groups


def address_of_row(row: Any) -> str:
    # Only of a repair by typed lines: a line without an episode.
    return "" if isinstance(row, str) else row_url(row)


class BulkRepairAdmin(CatalogAdmin):
    """A table with repairs of all rows that its list shows."""

    list_screens = (
        ("repair", "repair/", ChooseRepairView),
        ("repair_rows", "repair/<slug:kind>/", RepairView),
        ("save_filter", "save-filter/", SaveFilterView),
        ("forget_filter", "forget-filter/", ForgetFilterView),
    )
    actions: Any = ("repair",)

    def has_curate_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(curation.CURATE)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        query = normalized_filter_query(request.GET)
        saved = curation.find_saved_filter(str(self.opts.object_name), query)
        context = {
            "repair_address": f"{self.repair_url}?{query}",
            "filter_query": query,
            "saved_filter": saved,
            "save_url_name": f"admin:episodes_{self.opts.model_name}_save_filter",
            "forget_url_name": f"admin:episodes_{self.opts.model_name}_forget_filter",
        }
        return super().changelist_view(request, context)

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        actions = super().get_actions(request)
        actions.pop("delete_selected", None)
        return actions

    @admin.action(description="Repair…", permissions=["curate"])
    def repair(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse:
        """Lead to the repairs of the ticked rows, or of all rows that the list shows."""
        query = request.GET.urlencode()
        # Django sends "1" if all rows of the list are meant, and not only the ticked ones of the page.
        if request.POST.get("select_across") != "1":
            query = urlencode({"pk__in": ",".join(request.POST.getlist(ACTION_CHECKBOX_NAME))})
        return HttpResponseRedirect(f"{self.repair_url}?{query}")

    @property
    def repair_url(self) -> str:
        return reverse(f"admin:episodes_{self.opts.model_name}_repair")
