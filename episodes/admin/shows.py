"""Shows and sources: added by an address or a list, edited in forms of our own that go through
curation; and what administrators do with a source: import, pause, archive, remove, move."""

from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.text import capfirst

from .. import curation
from ..fields import web_address
from ..ingest import IMPLAUSIBLE, find_feed, largest, preview, reader_titles
from ..models import STATES, TROUBLE, Episode, IngestRun, Podcast, Source, with_state
from ..records import FetchedDocument
from ..text.formatting import counted, episodes
from ..text.private_addresses import split_login
from ..text.urls import with_scheme
from .base import (
    ActionView,
    AddressField,
    CuratedAdmin,
    LinesField,
    ReaderTexts,
    RowAction,
    RowView,
    ShowFilter,
    list_url,
    options_filter,
    row_url,
    single_show_id,
)
from .episode import EpisodeAction

RUNS = 5  # readings that the screen of an import shows
LINES = 20  # files of which a message says what became of them
KEEPS_GUIDS = (
    "the GUIDs of its episodes in our feeds are made of it, so podcast apps would download them "
    "again. The title can be changed."
)
STATUS = (
    "Paused: imported only when somebody asks for it. Archived: nothing more is imported; what it "
    "listed stays. Removed: what it listed is kept as evidence, too, but shown nowhere."
)
LABELS = {"ok": "OK", "new": "not imported yet"}


# --- Forms -------------------------------------------------------------------------------------


def disable_fields(form: forms.BaseForm, **why: str) -> None:
    """Let fields stay as they are, as something hangs on them, and say why."""
    for name, words in why.items():
        form.fields[name].disabled = True
        form.fields[name].help_text = f"Cannot be changed: {words}"


class ShowForm(forms.ModelForm):
    """A show. One without a feed is added by it."""

    not_code = LinesField(
        label="Words that are not symbols",
        help_text="Words in this show that look like symbols but are not, one per line.",
    )

    class Meta:
        model = Podcast
        fields = (
            "title", "slug", "feed_url", "feed_access", "site_url", "author", "language", "description",
            "image_url", "status", "has_symbols", "not_code",
        )  # fmt: skip
        field_classes = dict.fromkeys(("feed_url", "site_url", "image_url"), AddressField)
        widgets = {"description": forms.Textarea(attrs={"rows": 4})}  # noqa: RUF012
        error_messages = {"slug": {"unique": "Another show has this slug. Choose another one."}}  # noqa: RUF012
        help_texts = {  # noqa: RUF012
            "image_url": "The address of an image. It is fetched with the next import of a live feed."
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["status"].required = self.fields["feed_access"].required = False
        if self.instance._state.adding:
            # A show that has a feed is added by it.
            del self.fields["feed_url"], self.fields["feed_access"]
        elif self.instance.episodes.exists():
            disable_fields(self, slug=KEEPS_GUIDS)

    def clean_feed_url(self) -> str:
        # A name and a password are kept with the source.
        return split_login(self.cleaned_data["feed_url"])[0]


def validate_size(upload: Any) -> None:
    """Refuse a file that is larger than a document may be."""
    if upload.size > largest():
        raise ValidationError(f"The file is larger than {largest() // 1_000_000} MB.")


class AddShowForm(forms.Form):
    address = forms.CharField(
        max_length=2000,
        required=False,
        help_text="The show's feed, or a page that links it, such as its website.",
    )
    saved_page = forms.FileField(
        required=False,
        validators=[validate_size],
        label="or a file",
        help_text="A list of subscriptions (OPML), or a saved copy of the feed at this address.",
    )

    def clean(self) -> dict[str, Any]:
        """The shows that are meant: those of a list, or the feed."""
        given = self.cleaned_data
        upload, typed = given.get("saved_page"), given.get("address", "")
        # A saved copy counts as read from the address beside it.
        page = None
        if upload:
            original, login = split_login(web_address(with_scheme(typed)))
            page = FetchedDocument(upload.read(), original, name="file", login=login)
        try:
            with curation.report_rejections(after="."):
                page = page or find_feed(typed, settings.FETCH_ALLOW)
            listed = curation.read_subscriptions(page)
            if not (page.address or listed):
                raise curation.InvalidChange(
                    "Enter the address of the feed, or of a page that links it."
                )
            return {"page": page, "listed": listed}
        except curation.InvalidChange as refusal:
            self.add_error("address", str(refusal))
            return given


class SourceForm(forms.ModelForm):
    """A source. A new one is filled in with what its page says of itself."""

    page: FetchedDocument | None = None
    reader = forms.ChoiceField(
        label="Parser", help_text="The parser for its pages.", required=False
    )

    class Meta:
        model = Source
        fields = (
            "podcast", "slug", "title", "address", "reader", "rank", "may_create", "complete",
            "own", "status",
        )  # fmt: skip
        field_classes = {"address": AddressField}  # noqa: RUF012
        help_texts = {  # noqa: RUF012
            "status": STATUS,
            "address": "The page to import; empty if there are only saved copies. A name and a password "
            "(https://name:password@example.org/feed) are stored apart and never shown.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        titles = {name: f"{title} ({name})" for name, title in reader_titles()}
        own = {self.instance.reader: self.instance.reader, "": "none"}
        self.fields["reader"].choices = [*{**own, **titles}.items()]  # type: ignore[attr-defined]
        self.fields["status"].required = False
        if self.instance._state.adding:
            # The rest can be filled in from the page at the address.
            self.order_fields(["address"])
            self.fields["slug"].required = self.fields["title"].required = False
            self.initial["podcast"] = single_show_id()
        elif self.instance.documents.exists():
            disable_fields(
                self, podcast="its entries belong to episodes of this show.", slug=KEEPS_GUIDS
            )

    def clean_address(self) -> str:
        address, login = split_login(self.cleaned_data["address"])
        # A login is for the server of the address that it was typed with.
        if "address" in self.changed_data:
            self.instance.login = login
        return address

    def clean(self) -> dict[str, Any]:
        data = cast(dict[str, Any], super().clean())
        wanted = "_preview" in self.data or not (data.get("slug") and data.get("title"))
        if not (self.instance._state.adding and wanted) or "address" in self.errors:
            return data
        try:
            self.page, described = curation.describe_page(data["address"], self.instance.login)
        except curation.InvalidChange as refusal:
            self.add_error("address", str(refusal))
            return data
        # What the page says is put into the fields that were left empty.
        columns = {
            "reader": described.reader,
            "slug": described.slug,
            "title": described.title,
        }
        found = {name: value for name, value in columns.items() if not data.get(name)}
        self.data = {**dict(self.data.items()), **found}
        return {**data, **found}


class TranscriptsForm(forms.Form):
    transcripts = forms.FileField(
        validators=[validate_size],
        label="File",
        help_text="A transcript, or a zip file of any number of them.",
    )
    machine_made = forms.BooleanField(
        required=False, help_text="A program wrote them down, and nobody checked."
    )


class EpisodeTranscriptForm(TranscriptsForm):
    """A transcript of the episode on whose page it is sent."""

    field_order = ("transcripts", "machine_made")

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["transcripts"].help_text = "One file. Its name does not matter."


class AddTranscriptView(EpisodeAction):
    form_class = EpisodeTranscriptForm
    template_name = "admin/curation/transcript.html"
    title = "Add a transcript of {view.episode.heading}"
    done = "The transcript was added to “{view.episode.heading}”."

    def act(self) -> None:
        curation.add_transcript(
            self.request.user,
            self.episode,
            self.form.cleaned_data["transcripts"],
            machine_made=self.form.cleaned_data["machine_made"],
            reason=self.reason,
        )


# --- Screens of shows --------------------------------------------------------------------------


class ShowView(RowView):
    permission = curation.CONFIGURE
    form_class = ShowForm
    template_name = "admin/curation/show.html"

    def of_row(self) -> dict[str, Any]:
        edited = [
            (self.form.fields[name].label, value)
            for name, value in curation.edited_show_columns(self.row).items()
        ]
        return {
            "sources": self.row.sources.annotate(listed=Count("documents__items")),
            "edited": edited,
        }


class ImportTranscriptsView(RowAction):
    """Imports transcripts of a show. Its preview is the outcome of each."""

    template_name = "admin/curation/transcripts.html"
    form_class = TranscriptsForm
    title = "Transcripts of {view.row}"
    done = "Imported. {view.result.line}."

    def act(self) -> None:
        self.result = curation.import_show_transcripts(
            self.request.user,
            self.row,
            self.form.cleaned_data["transcripts"],
            machine_made=self.form.cleaned_data["machine_made"],
        )
        self.success_url = row_url(self.row)

    def done_message(self) -> str:
        for line in self.result.lines[:LINES]:
            messages.warning(self.request, f"File {line}")
        return super().done_message()

    def compare(self, before: Any, after: Any) -> dict[str, Any]:
        return {"result": self.result}

    def context(self) -> dict[str, Any]:
        return {"most": largest() // 1_000_000}


class AddShowView(ActionView):
    """A new show by one address, or all of a list: what their feeds say, and what adding them would
    do."""

    template_name = "admin/curation/add_show.html"
    form_class = AddShowForm
    permission = curation.CONFIGURE
    title = "Add a show"
    done = "{view.added}"

    def act(self) -> None:
        user, given = self.request.user, self.form.cleaned_data
        if listed := given.get("listed"):
            count = curation.add_subscribed_shows(user, listed)
            self.added = f"Added: {counted(count, 'show', 'shows')}. The schedule imports them."
            self.success_url = list_url("podcast")
        else:
            podcast = curation.add_show(user, given["page"])
            self.added = f"{podcast} was added: {episodes(podcast.episodes.count())}."
            self.success_url = row_url(podcast)

    def previewed(self) -> dict[str, Any]:
        given = self.form.cleaned_data
        if listed := given.get("listed"):
            return {"listed": listed}
        with curation.report_rejections():
            return {"shown": preview(given["page"])}


# --- Screens of sources ------------------------------------------------------------------------


class SourceView(RowView):
    """A source; its preview is what an import would bring."""

    template_name = "admin/curation/source.html"

    def get_initial(self) -> dict[str, Any]:
        """With the new address of one that moved, where that is to be reviewed."""
        moved = getattr(self.row, "moved_to", "")
        return {"address": moved} if moved and "moved" in self.request.GET else {}

    def look(self) -> ReaderTexts:
        """The episodes of the show and their transcripts, some of which come or go."""
        # Notes of all episodes would be read for nothing.
        rows: Any = Episode.objects.filter(podcast=self.row.podcast).only("title", "slug")
        return {
            (episode.heading, ""): f"shown, with {episode.words}" if episode.words else "shown"
            for episode in rows.annotate(words=F("transcript__url"))
        }

    def previewed(self) -> dict[str, Any]:
        """The page is fetched before anything is locked."""
        # A new status is no matter of what the page says.
        if self.row and "status" in self.form.changed_data:
            return super().previewed()
        source = self.form.save(commit=False)
        return {"tried": curation.preview_source(self.request.user, source, self.form.page)}


class ImportSourceView(RowAction):
    """Imports a source, or shows what importing it would change."""

    permission = curation.CONFIGURE
    template_name = "admin/curation/read.html"
    title = "Import {view.row}"
    done = "{view.line}"

    def act(self) -> None:
        accept = "_accept" in self.request.POST
        self.line = curation.import_source(self.request.user, self.row, accept=accept)
        self.success_url = self.request.path

    def previewed(self) -> dict[str, Any]:
        return {"tried": curation.preview_source(self.request.user, self.row)}

    def context(self) -> dict[str, Any]:
        runs = list(self.row.runs.select_related("document")[:RUNS])
        # A reading that was refused as implausible, which a person can overrule.
        acceptable = bool(runs) and runs[0].reason.startswith(IMPLAUSIBLE)
        return {"source": self.row, "runs": runs, "acceptable": acceptable}


def with_import_state(sources: QuerySet[Any]) -> Any:
    """Sources with the states of their last imports, and when one last worked."""
    runs = IngestRun.objects.filter(source=OuterRef("pk")).order_by("-started_at", "-id")
    # Of a source in trouble people ask when it last worked.
    good = runs.filter(outcome__in=IngestRun.GOOD).values("finished_at")
    return with_state(sources, timezone.now()).annotate(at=Subquery(good[:1]))


def describe_import_state(source: Any) -> str:
    """The reason of the last import, else what the state means."""
    words = source.conceal(source.reason) or STATES[source.state]
    # An address at the beginning keeps its spelling.
    begun = words if "://" in words.partition(" ")[0] else capfirst(words)
    return begun if words[-1:] in ".?!" else f"{begun}."


# --- The lists ---------------------------------------------------------------------------------


@admin.register(Podcast)
class PodcastAdmin(CuratedAdmin):
    own_form = ShowForm
    view = ShowView
    screens = (
        ("by_hand", "by-hand/", ShowView),
        ("transcripts", "<path:object_id>/transcripts/", ImportTranscriptsView),
    )
    list_display = ("title", "slug", "status", "feed", "author", "language")
    list_filter = ("status",)
    search_fields = ("title", "slug", "author")

    def masked(self, row: Podcast) -> dict[str, str]:
        return {"feed_url": row.display_feed_url}

    @admin.display(description="feed address")
    def feed(self, podcast: Podcast) -> str:
        return podcast.display_feed_url

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return self.respond(AddShowView, request)


@admin.register(Source)
class SourceAdmin(CuratedAdmin):
    """The sources, those in trouble first, each with the reason."""

    own_form = SourceForm
    view = SourceView
    screens = (("read", "<path:object_id>/read/", ImportSourceView),)
    list_display = (
        "slug", "podcast", "title", "health", "imported", "rank", "page",
    )  # fmt: skip
    list_filter = (
        options_filter(
            "state",
            "state",
            {
                "trouble": ("In trouble", Q(state__in=TROUBLE)),
                "fine": ("Imported", Q(state="ok")),
                "new": ("Not imported yet", Q(state="new")),
                "paused": ("Paused or closed", Q(state="paused")),
            },
        ),
        ("podcast", ShowFilter), "status", "may_create", "complete", "own",
    )  # fmt: skip
    list_select_related = ("podcast",)
    # Not the address: part by part, a search could guess a secret one.
    search_fields = ("slug", "title", "schedule__host", "podcast__title")
    search_help_text = "Search name, title, host or show"

    def masked(self, row: Source) -> dict[str, str]:
        return {"address": row.display_address}

    @admin.display(description="address")
    def page(self, source: Source) -> str:
        return source.display_address

    def get_queryset(self, request: HttpRequest) -> Any:
        return with_import_state(Source.objects.all())

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return ("severity", "podcast__rank", "rank", "slug")

    def save(self, user: Any, form: Any, **how: str) -> None:
        curation.save_source(user, form.save(commit=False), **how)

    @admin.display(description="state", ordering="severity")
    def health(self, source: Any) -> str:
        label = LABELS.get(source.state, source.state)
        return f"{label}: {describe_import_state(source)}" if source.state in TROUBLE else label

    @admin.display(description="last import", ordering="at")
    def imported(self, source: Any) -> str:
        return date_format(source.at, "DATETIME_FORMAT") if source.at else "never"
