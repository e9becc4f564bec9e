"""The screens of shows and sources: added by an address or a list, edited, imported, paused and moved."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Any, cast
from urllib.parse import quote, urlencode

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.text import capfirst
from django.utils.translation import ngettext

from .. import curation
from ..fields import complete_web_address_or_empty
from ..ingest import (
    IMPLAUSIBLE_REASON,
    fetch_feed_or_linked_feed,
    max_document_bytes,
    preview_show,
    reader_titles,
    unpack_document,
)
from ..models import (
    PROBLEM_STATES,
    SOURCE_STATES,
    Episode,
    IngestRun,
    Podcast,
    Source,
    Status,
    annotate_source_states,
)
from ..records import DocumentRejected, FetchedDocument
from ..text.formatting import format_count, format_episode_count
from ..text.private_addresses import split_login
from ..text.urls import add_scheme
from .base import (
    ActionView,
    AddressField,
    CuratedAdmin,
    LinesField,
    ReaderTexts,
    RowAction,
    RowView,
    ShowFilter,
    episode_url,
    list_url,
    name_and_no_url,
    options_filter,
    request_value,
    row_url,
    single_show_id,
)
from .episode import EpisodeAction

KEEPS_GUIDS = (
    "the GUIDs of its episodes in our feeds are made of it, so podcast apps would download them "
    "again. The title can be changed."
)


# --- Forms -------------------------------------------------------------------------------------


def disable_fields(form: forms.BaseForm, **reasons: str) -> None:
    for name, reason in reasons.items():
        form.fields[name].disabled = True
        form.fields[name].help_text = f"Cannot be changed: {reason}"


class ShowForm(forms.ModelForm):
    """A show. A new one has no feed fields: a show with a feed is added by the address of the feed.

    The slug of a show with episodes is fixed.
    """

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
        """Adapt the form: a new show has no feed fields, and a show with episodes keeps its slug."""
        super().__init__(*args, **kwargs)
        # A field that was not sent keeps its value.
        self.fields["status"].required = False
        self.fields["feed_access"].required = False
        if self.instance._state.adding:
            del self.fields["feed_url"]
            del self.fields["feed_access"]
        elif self.instance.episodes.exists():
            disable_fields(self, slug=KEEPS_GUIDS)

    def clean_feed_url(self) -> str:
        # A login is stored with the source.
        address, _ = split_login(self.cleaned_data["feed_url"])
        return address


def validate_size(upload: Any) -> None:
    if upload.size > max_document_bytes():
        raise ValidationError(f"The file is larger than {max_document_bytes() // 1_000_000} MB.")


@dataclass(frozen=True)
class UploadedDocument:
    """A saved page, feed or list of subscriptions, decompressed."""

    name: str
    body: bytes


class DocumentField(forms.FileField):
    """A file with a document. The cleaned value is the unpacked document with its name, or None without a file."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validators=[validate_size], **kwargs)

    def clean(self, data: Any, initial: Any = None) -> UploadedDocument | None:
        upload = super().clean(data, initial)
        if not upload:
            return None
        try:
            return UploadedDocument(upload.name, unpack_document(upload.read()))
        except DocumentRejected as rejection:
            raise ValidationError(f"{upload.name}: {rejection}.") from None


class AddShowForm(forms.Form):
    """An address or a file of a feed or subscription list. Validation fetches the address.

    Its cleaned values are not its fields, but `page`, the document, and `subscriptions`, the shows that the
    document lists, or [] for a feed.
    """

    address = forms.CharField(
        max_length=2000,
        required=False,
        help_text="The show's feed, or a page that links it, such as its website.",
    )
    saved_page = DocumentField(
        required=False,
        label="or a file",
        help_text="A list of subscriptions (OPML), or a saved copy of the feed at this address.",
    )

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        try:
            page = self.uploaded_document_or_none() or self.fetch_document()
            subscriptions = curation.read_subscriptions_and_mark_existing(page)
            # A saved feed without its address could not be polled.
            if not page.address and not subscriptions:
                raise curation.InvalidChange(
                    "Enter the address of the feed, or of a page that links it."
                )
        except curation.InvalidChange as refusal:
            self.add_error("address", str(refusal))
            return data
        return {"page": page, "subscriptions": subscriptions}

    def uploaded_document_or_none(self) -> FetchedDocument | None:
        """Return the uploaded file as a document of the typed address, or None if no file was sent."""
        upload = self.cleaned_data.get("saved_page")
        if not upload:
            return None
        typed_address = self.cleaned_data.get("address", "")
        address, login = split_login(complete_web_address_or_empty(add_scheme(typed_address)))
        return FetchedDocument(upload.body, address, name="file", login=login)

    def fetch_document(self) -> FetchedDocument:
        with curation.raise_rejections_as_invalid_change(suffix="."):
            return fetch_feed_or_linked_feed(
                self.cleaned_data.get("address", ""), settings.FETCH_ALLOW
            )


class SourceForm(forms.ModelForm):
    """The form of a source. For a new source, validation fetches the page at its address to fill in empty fields."""

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
            "status": "Paused: imported only when somebody asks for it. Archived: nothing more is imported; "
            "what it listed stays. Removed: what it listed is kept as evidence, too, but shown nowhere.",
            "address": "The page to import; empty if there are only saved copies. A name and a password "
            "(https://name:password@example.org/feed) are stored apart and never shown.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Adapt the form: a new source begins with its address, and a source with documents keeps show and slug."""
        super().__init__(*args, **kwargs)
        reader: Any = self.fields["reader"]
        reader.choices = reader_choices(self.instance.reader)
        # A field that was not sent keeps its value.
        self.fields["status"].required = False
        if self.instance._state.adding:
            # The other fields can be filled in from the page at the address.
            self.order_fields(["address"])
            self.fields["slug"].required = False
            self.fields["title"].required = False
            self.initial["podcast"] = single_show_id()
        elif self.instance.documents.exists():
            disable_fields(
                self, podcast="its entries belong to episodes of this show.", slug=KEEPS_GUIDS
            )

    def clean_address(self) -> str:
        address, login = split_login(self.cleaned_data["address"])
        # A new address replaces the login, which must not be sent to another server.
        if "address" in self.changed_data:
            self.instance.login = login
        return address

    def clean(self) -> dict[str, Any]:
        """Return the values. For a new source, fill in empty fields from the page at its address."""
        data = cast(dict[str, Any], super().clean())
        is_new = self.instance._state.adding
        is_complete = data.get("slug") and data.get("title")
        # A preview shows the entries of the page, so it is fetched in any case.
        needs_page = "_preview" in self.data or not is_complete
        if is_new and needs_page and "address" not in self.errors:
            return self.fetch_page_and_return_completed_values(data)
        return data

    def fetch_page_and_return_completed_values(self, values: dict[str, Any]) -> dict[str, Any]:
        login = self.instance.login
        try:
            # The fetched page is kept for the preview, which shows its entries.
            self.page, description = curation.fetch_and_describe_page(values["address"], login)
        except curation.InvalidChange as refusal:
            self.add_error("address", str(refusal))
            return values
        described = {
            "reader": description.reader,
            "slug": description.slug,
            "title": description.title,
        }
        filled_in = {name: value for name, value in described.items() if not values.get(name)}
        # The form is shown again with these values. `data` of a request cannot be changed, so it is copied.
        self.data = {**dict(self.data.items()), **filled_in}
        return {**values, **filled_in}


def reader_choices(present_reader: str) -> list[tuple[str, str]]:
    # The present reader comes first, even if this release does not have it.
    label_by_name = {present_reader: present_reader, "": "none"}
    for name, title in reader_titles():
        label_by_name[name] = f"{title} ({name})"
    return list(label_by_name.items())


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
    """A transcript of one episode."""

    field_order = ("transcripts", "machine_made")

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["transcripts"].help_text = "One file. Its name does not matter."


class AddTranscriptView(EpisodeAction):
    form_class = EpisodeTranscriptForm
    template_name = "admin/curation/transcript.html"
    title = "Add a transcript of {view.episode.heading}"
    success_message = "The transcript was added to “{view.episode.heading}”."

    def make_change(self) -> None:
        curation.import_transcript_for_episode(
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
    read_only_explanation = "Read-only: only administrators can edit shows."

    def row_context(self) -> dict[str, Any]:
        edited = []
        for name, value in curation.feed_values_of_edited_columns(self.row).items():
            edited.append((self.form.fields[name].label, value))
        return {
            "sources": self.row.sources.annotate(listed=Count("documents__items")),
            "edited": edited,
        }


class SavedPageForm(forms.Form):
    """A page that was saved in a browser, with its address and source if they are known.

    The only cleaned value is `page`, the document to import.
    """

    saved_page = DocumentField(
        label="File",
        help_text="A page that lists episodes, as a browser saves it (HTML), or a saved feed. It may be "
        "compressed (.gz).",
    )
    address = AddressField(
        max_length=2000,
        required=False,
        help_text="Where the page is on the web. Leave it empty if you do not know.",
    )
    source = forms.ModelChoiceField(
        queryset=Source.objects.none(),
        required=False,
        to_field_name="slug",
        empty_label="Find it by the page",
        help_text="Choose one if the page is a copy of its page. That confirms what it says.",
    )

    def __init__(self, *args: Any, podcast: Podcast, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.podcast = podcast
        sources = podcast.sources.active().order_by("rank", "slug")
        field = cast(Any, self.fields["source"])
        field.queryset = sources
        field.label_from_instance = attrgetter("heading")

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if self.errors:
            return data
        upload = data["saved_page"]
        address, login = split_login(data["address"])
        page = FetchedDocument(upload.body, address, name=upload.name, login=login)
        return {"page": curation.SavedPage(self.podcast, page, getattr(data["source"], "slug", ""))}


class ImportSavedPageView(RowAction):
    """Imports a page of a show that somebody saved. Its preview has the outcome of each entry."""

    permission = curation.CONFIGURE
    form_class = SavedPageForm
    template_name = "admin/curation/saved_page.html"
    title = "Import a saved page of {view.row}"

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "podcast": self.row}

    def get_initial(self) -> dict[str, Any]:
        return {
            "source": request_value(self.request, "source"),
            "address": request_value(self.request, "address"),
        }

    def make_change(self) -> None:
        accept = "_accept" in self.request.POST
        page = self.form.cleaned_data["page"]
        source, self.message = curation.import_saved_page_and_return_source_and_outcome(
            self.request.user, page, accept=accept
        )
        self.success_url = row_url(source)

    def build_preview_context(self) -> dict[str, Any]:
        page = self.form.cleaned_data["page"]
        return {"import_preview": curation.preview_saved_page(self.request.user, page)}

    def context(self) -> dict[str, Any]:
        return {"max_megabytes": max_document_bytes() // 1_000_000}


class ImportTranscriptsView(RowAction):
    """Imports transcripts of a show. Its preview has the outcome of each file."""

    template_name = "admin/curation/transcripts.html"
    form_class = TranscriptsForm
    title = "Transcripts of {view.row}"

    def make_change(self) -> None:
        self.result = curation.import_show_transcripts_and_return_result(
            self.request.user,
            self.row,
            self.form.cleaned_data["transcripts"],
            machine_made=self.form.cleaned_data["machine_made"],
        )
        self.success_url = row_url(self.row)

    def respond_to_success(self, change_id: str) -> HttpResponse:
        for line in self.result.problems[:20]:
            messages.warning(self.request, f"File {line}")
        return super().respond_to_success(change_id)

    def format_success_message(self) -> str:
        episodes = curation.episodes_of_transcripts(self.row, self.result)
        if not episodes:
            return "No transcript was added to an episode."
        values = [(episode_url(episode), episode.heading) for episode in episodes[:5]]
        text = ngettext(
            "The transcript was added to {links}.",
            "{counts}. The first were added to {links}.",
            len(episodes),
        )
        links = format_html_join(", ", '<a href="{}">{}</a>', values)
        return format_html(text, links=links, counts=self.result.counts_in_words)

    def context_of_comparison(self, before: Any, after: Any) -> dict[str, Any]:
        return {"result": self.result}

    def context(self) -> dict[str, Any]:
        return {"max_megabytes": max_document_bytes() // 1_000_000}


class ShowWordCorrectionForm(forms.Form):
    """Wrong and right words of all transcripts of a show. `cleaned_data["correction"]` is the correction."""

    wrong = forms.CharField(
        label="Wrong words",
        max_length=200,
        help_text="Written in small letters, they are found with capitals as well.",
    )
    right = forms.CharField(label="Right words", max_length=200)

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if not self.errors:
            wrong = " ".join(data["wrong"].split())
            right = " ".join(data["right"].split())
            data["correction"] = curation.WordCorrection.of_show(wrong, right)
        return data


class CorrectShowWordsView(RowAction):
    """Corrects words in all transcripts of a show. Its preview has every place."""

    viewers_may_read = True
    form_class = ShowWordCorrectionForm
    template_name = "admin/curation/show_words.html"
    title = "Correct words in all transcripts of {view.row}"
    explanation = (
        "The correction holds in every transcript of the show, also in those to come. You can undo "
        "it in History."
    )
    success_message = "Corrected in all transcripts. Later ones will be corrected as well."
    prefill_parameter = "wrong"

    def make_change(self) -> None:
        correction = self.form.cleaned_data["correction"]
        curation.correct_show_words(self.request.user, self.row, correction, reason=self.reason)
        self.success_url = self.request.path

    def build_preview_context(self) -> dict[str, Any]:
        correction = self.form.cleaned_data["correction"]
        occurrences = curation.find_words_to_correct_or_raise(self.row, correction)
        episode_count = len({occurrence.episode.pk for occurrence in occurrences})
        return {
            "occurrences": occurrences[:500],  # with more, a page is slow
            "counted_occurrences": format_count(len(occurrences), "place", "places"),
            "counted_episodes": format_episode_count(episode_count),
            "more": len(occurrences) - 500,
            "right": correction.right,
        }

    def context(self) -> dict[str, Any]:
        return {"changes": curation.show_word_changes(self.row)}


class AddShowView(ActionView):
    """Adds the show of a feed, or all shows of a list, and previews their feeds."""

    template_name = "admin/curation/add_show.html"
    form_class = AddShowForm
    permission = curation.CONFIGURE
    title = "Add a show"

    def make_change(self) -> None:
        user = self.request.user
        data = self.form.cleaned_data
        if subscriptions := data.get("subscriptions"):
            count = curation.add_and_count_subscribed_shows(user, subscriptions)
            shows = format_count(count, "show", "shows")
            self.message = f"Added: {shows}. The schedule imports them."
            self.success_url = list_url("podcast")
        else:
            podcast = curation.add_show(user, data["page"])
            self.message = f"{podcast} was added: {format_episode_count(podcast.episodes.count())}."
            self.success_url = row_url(podcast)

    def build_preview_context(self) -> dict[str, Any]:
        data = self.form.cleaned_data
        # A list of many shows is previewed without their feeds.
        if subscriptions := data.get("subscriptions"):
            return {"subscriptions": subscriptions}
        # The form has the page already. Only its parsing may fail.
        feed_page = data["page"]
        with curation.raise_rejections_as_invalid_change():
            return {"feed_preview": preview_show(feed_page)}


# --- Screens of sources ------------------------------------------------------------------------


class SourceView(RowView):
    """A source. Its preview shows the entries that an import would bring."""

    template_name = "admin/curation/source.html"
    read_only_explanation = "Read-only: only administrators can edit sources."

    def get_initial(self) -> dict[str, Any]:
        new_address = getattr(self.row, "moved_to", "")
        if new_address and "moved" in self.request.GET:
            return {"address": new_address}
        return {}

    def row_context(self) -> dict[str, Any]:
        effects = {
            Status.PAUSED: "imported only when somebody asks for it",
            Status.ARCHIVED: "nothing more is imported; what it listed stays",
            Status.REMOVED: "nothing more is imported, and what it listed is kept but shown nowhere",
        }
        # The values that the form for the import of a saved page begins with.
        import_form_values = {"source": self.row.slug}
        has_secret = self.row.address != self.row.display_address
        # An address with a secret must not be a part of another one.
        if not has_secret:
            import_form_values["address"] = self.row.address
        import_form_url = reverse("admin:episodes_podcast_saved_page", args=(self.row.podcast_id,))
        query = urlencode(import_form_values, quote_via=quote)
        return {
            "status_effect": effects.get(self.row.status, ""),
            "import_form_url": f"{import_form_url}?{query}",
        }

    def current_texts_for_preview(self) -> ReaderTexts:
        """Return whether each episode of the show has a transcript, as text by episode, for the preview."""
        # Only a new status is previewed so: with a removed source, readers lose its episodes and transcripts.
        # Load no notes: a show may have thousands of long ones.
        rows: Any = Episode.objects.filter(podcast=self.row.podcast).only("title", "slug")
        texts = {}
        for episode in rows.annotate(transcript_url=F("transcript__url")):
            words = "shown"
            if episode.transcript_url:
                words = f"shown, with {episode.transcript_url}"
            texts[name_and_no_url(episode.heading)] = words
        return texts

    def build_preview_context(self) -> dict[str, Any]:
        # A new status does not depend on the source's page, so no page is fetched.
        if self.row and "status" in self.form.changed_data:
            return super().build_preview_context()
        # The form has fetched the page before anything is locked.
        source = self.form.save(commit=False)
        return {
            "import_preview": curation.preview_import(self.request.user, source, self.form.page)
        }


class ImportSourceView(RowAction):
    """Imports a source, or previews its import."""

    permission = curation.CONFIGURE
    template_name = "admin/curation/read.html"
    title = "Import {view.row.heading}"

    def make_change(self) -> None:
        accept = "_accept" in self.request.POST
        self.message = curation.import_and_describe_outcome(
            self.request.user, self.row, accept=accept
        )
        self.success_url = self.request.path

    def build_preview_context(self) -> dict[str, Any]:
        return {"import_preview": curation.preview_import(self.request.user, self.row)}

    def context(self) -> dict[str, Any]:
        runs = list(self.row.runs.select_related("document")[:5])
        # An import that was refused as implausible can be accepted.
        acceptable = bool(runs) and runs[0].reason.startswith(IMPLAUSIBLE_REASON)
        return {"source": self.row, "runs": runs, "acceptable": acceptable}


def with_import_state(sources: QuerySet[Any]) -> Any:
    """Return sources with the state of their last import, and `at`, when an import last worked."""
    runs = IngestRun.objects.filter(source=OuterRef("pk")).order_by("-started_at", "-id")
    times_of_good_runs = runs.filter(outcome__in=IngestRun.GOOD).values("finished_at")
    rows = annotate_source_states(sources, timezone.now())
    return rows.annotate(at=Subquery(times_of_good_runs[:1]))


def describe_import_state(source: Any) -> str:
    """Return the reason of the last import, else the meaning of the state, as a sentence."""
    words = source.conceal(source.reason) or SOURCE_STATES[source.state]
    # A sentence that begins with an address is not capitalized.
    begins_with_address = "://" in words.partition(" ")[0]
    if not begins_with_address:
        words = capfirst(words)
    return words if words.endswith((".", "?", "!")) else f"{words}."


# --- The lists ---------------------------------------------------------------------------------


@admin.register(Podcast)
class PodcastAdmin(CuratedAdmin):
    row_form = ShowForm
    row_view = ShowView
    screens = (
        ("by_hand", "by-hand/", ShowView),
        ("transcripts", "<path:object_id>/transcripts/", ImportTranscriptsView),
        ("saved_page", "<path:object_id>/saved-page/", ImportSavedPageView),
        ("words", "<path:object_id>/words/", CorrectShowWordsView),
    )
    list_display = ("title", "slug", "status", "feed", "author", "language")
    list_filter = ("status",)
    search_fields = ("title", "slug", "author")

    def masked_values(self, row: Podcast) -> dict[str, str]:
        return {"feed_url": row.display_feed_url, "image_url": row.display_image_url}

    @admin.display(description="feed address")
    def feed(self, podcast: Podcast) -> str:
        return podcast.display_feed_url

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        return self.respond(AddShowView, request)


@admin.register(Source)
class SourceAdmin(CuratedAdmin):
    """The sources, the ones in trouble first, each with the reason."""

    row_form = SourceForm
    row_view = SourceView
    screens = (("read", "<path:object_id>/read/", ImportSourceView),)
    list_display = ("name", "health", "imported", "slug", "rank", "page")
    list_filter = (
        options_filter(
            "state",
            "state",
            {
                "trouble": ("In trouble", Q(state__in=PROBLEM_STATES)),
                "fine": ("Imported", Q(state="ok")),
                "new": ("Not imported yet", Q(state="new")),
                "paused": ("Paused or closed", Q(state="paused")),
            },
        ),
        ("podcast", ShowFilter), "status", "may_create", "complete", "own",
    )  # fmt: skip
    list_select_related = ("podcast",)
    # Without the address: by searching for parts, people could guess a secret one.
    search_fields = ("slug", "title", "schedule__host", "podcast__title")
    search_help_text = "Search name, title, host or show"

    def masked_values(self, row: Source) -> dict[str, str]:
        return {"address": row.display_address}

    @admin.display(description="source", ordering="podcast__title")
    def name(self, source: Source) -> str:
        # Most sources are called feed, so the show is named as well.
        return source.label(several=True)

    @admin.display(description="address")
    def page(self, source: Source) -> str:
        return source.display_address

    def get_queryset(self, request: HttpRequest) -> Any:
        return with_import_state(Source.objects.all())

    def get_ordering(self, request: HttpRequest) -> tuple[str, ...]:
        return ("severity", "podcast__rank", "rank", "slug")

    def save(self, user: Any, form: Any, **options: str) -> None:
        curation.save_source_and_show_feed(user, form.save(commit=False), **options)

    @admin.display(description="state", ordering="severity")
    def health(self, source: Any) -> str:
        labels = {"ok": "OK", "new": "not imported yet"}
        label = labels.get(source.state, str(source.state))
        if source.state in PROBLEM_STATES:
            return f"{label}: {describe_import_state(source)}"
        return label

    @admin.display(description="last import", ordering="at")
    def imported(self, source: Any) -> str:
        return date_format(source.at, "DATETIME_FORMAT") if source.at else "never"
