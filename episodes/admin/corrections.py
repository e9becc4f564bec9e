"""Screens for people, links and symbols: form, preview, episodes and history. They are merged into others,
and hidden. Topics have the same screens."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import Min, Model, OuterRef, Q, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.functional import cached_property

from .. import curation
from ..models import (
    Change,
    CodeMention,
    CodeName,
    Credit,
    Episode,
    EpisodeLink,
    Link,
    LinkCheck,
    Person,
    batches,
)
from ..text.link_labels import LINK_KIND_NAMES, LINK_KIND_PLURALS, link_name_of_key
from .base import (
    AddressField,
    CuratedAdmin,
    NamedRowField,
    NoWritePermissions,
    ReaderTexts,
    RowAction,
    RowView,
    ShowFilter,
    episode_url,
    list_url,
    options_filter,
    row_url,
)
from .bulk_repair import BulkRepairAdmin

NEWEST_EPISODES_FIRST = ("-episode__sorted_at", "episode")


# --- Screens -----------------------------------------------------------------------------------


class SharedRowView(RowView):
    """The form of a topic, person, link or symbol, with its episodes and its history."""

    template_name = "admin/curation/shared_row.html"
    success_message = "Saved. Later imports keep it."

    def get_success_url(self) -> str:
        """Return the screen of the row, whatever its number now. Return the list if it is gone."""
        key_field = self.model_admin.key_field
        key = {key_field: getattr(self.form.instance, key_field)}
        row = self.model_admin.model._default_manager.filter(**key).first()
        return row_url(row) if row else list_url(self.model_admin.opts.model_name)

    def row_context(self) -> dict[str, Any]:
        model_admin = self.model_admin
        changes = Change.objects.filter(about=model_admin.history_key(self.row))
        return {
            "uses": model_admin.find_distinct_uses_with_descriptions(
                **{model_admin.use_column: self.row}
            ),
            "changes": changes.select_related("made_by", "undone_by", "podcast")[:15],
            "links_to_merge_and_delete": self.links_to_merge_and_delete(),
            **model_admin.row_context(self.row),
        }

    def links_to_merge_and_delete(self) -> list[tuple[str, str]]:
        if not self.may:
            return []
        screens_and_labels = [("delete", self.model_admin.delete_label)]
        # Links cannot be merged, so they have no screen for it.
        if self.model_admin.screens:
            screens_and_labels.insert(0, ("merge", "Merge into another"))
        links = []
        for screen, label in screens_and_labels:
            url_name = f"admin:episodes_{self.model_admin.opts.model_name}_{screen}"
            links.append((reverse(url_name, args=(self.row.pk,)), label))
        return links


class MergeRowView(RowAction):
    """Merges a row into another row of the table, which the form names."""

    viewers_may_read = True
    title = "Merge “{view.row}” into another"
    explanation = (
        "Episodes that have it will show the other one instead, now and after later imports. Its "
        "names move, and the old address will redirect. You can undo this in History."
    )
    success_message = "“{view.row}” was merged into “{view.into}”. Later imports do the same."
    prefill_parameter = "into"

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        # Curation refuses an impossible target, and gives the reason.
        field: Any = NamedRowField(self.model_admin.use_model, self.model_admin.use_column)
        field.queryset = field.queryset.exclude(pk=self.row.pk)
        form.fields["into"] = field
        return form

    @property
    def into(self) -> Any:
        return getattr(self.form, "cleaned_data", {}).get("into")

    @cached_property
    def episode_ids(self) -> set[int]:
        ids_of_target = self.model_admin.episode_ids_of_row(self.into)
        return super().episode_ids.union(ids_of_target)

    def current_texts_for_preview(self) -> Any:
        return self.model_admin.episode_texts(self.into, self.episode_ids)

    def make_change(self) -> None:
        self.model_admin.merge_rows(self.request.user, self.row, self.into, **self.change_options)
        self.success_url = row_url(self.into)

    def context(self) -> dict[str, Any]:
        tokens = [self.model_admin.token(row) for row in (self.row, self.into) if row]
        return {"token": " ".join(tokens), "into": self.into}


class SharedRowAdmin(CuratedAdmin):
    """A table of rows that episodes share. People, links and symbols are corrected by their natural keys, as
    the catalog makes their rows."""

    permission = curation.CURATE
    row_view = SharedRowView
    screens: ClassVar[Any] = (("merge", "<path:object_id>/merge/", MergeRowView),)
    key_field: ClassVar[str] = "pk"
    use_model: ClassVar[type[Model]]  # the uses of rows by episodes
    use_column: ClassVar[str]  # of the row
    use_order: ClassVar[Sequence[str]]
    delete_label = "Hide"
    delete_explanation = (
        "It will disappear from every page and export, and later imports will not bring it back. "
        "You can undo this in History."
    )
    deleted_message = "“{view.row}” is hidden; later imports do not bring it back."

    # The catalog makes these rows.
    has_add_permission = NoWritePermissions.has_add_permission

    def row_text_in_episode(self, use: Any) -> str:
        """Return the row in the words of an episode's page."""
        raise NotImplementedError

    def find_distinct_uses_with_descriptions(self, **conditions: Any) -> list[tuple[Any, str]]:
        """Return pairs of a use (in an episode) and its description, for the uses that meet the conditions.

        Uses in the same episode with the same description are returned once.
        """
        uses: Any = self.use_model._default_manager.filter(**conditions)
        uses = uses.select_related("episode__podcast", self.use_column).order_by(*self.use_order)
        # Notes are long, and a host is in hundreds of episodes.
        long_columns = (
            "episode__description_text",
            "episode__description_html",
            "episode__provenance",
            "episode__conflicts",
        )
        uses = uses.defer(*long_columns)
        distinct_uses = {}
        for use in uses:
            words = self.row_text_in_episode(use)
            distinct_uses[use.episode_id, words] = (use, words)
        return list(distinct_uses.values())

    def episode_ids_of_row(self, row: Any) -> Iterable[int]:
        uses = self.use_model._default_manager.filter(**{self.use_column: row})
        return uses.values_list("episode", flat=True)

    def episode_texts(self, row: Any, episode_ids: Collection[int]) -> ReaderTexts:
        """Return the words of episodes, also of other rows: one may replace the row."""
        uses = []
        for ids in batches(sorted(episode_ids)):
            uses += self.find_distinct_uses_with_descriptions(episode__in=ids)
        return join_texts_by_heading_and_url((use.episode, words) for use, words in uses)

    def token(self, row: Any) -> str:
        return curation.CorrectionSubject.from_row(row).token

    def history_key(self, row: Any) -> str:
        return curation.CorrectionSubject.from_row(row).history_key

    def save(self, user: Any, form: Any, **options: str) -> None:
        curation.save_corrections(user, form.subject, form.changed_values(), **options)

    def row_context(self, row: Any) -> dict[str, Any]:
        subject = curation.CorrectionSubject.from_row(row)
        merged = subject.corrections_of_kind.filter(field="same", value=subject.key)
        return {
            "corrections": subject.corrections().select_related("made_by"),
            "merged_rows": merged.order_by("detail", "key"),
        }

    def merge_rows(self, user: Any, row: Any, into: Any, **options: str) -> None:
        subject = curation.CorrectionSubject.from_row(row)
        target = curation.CorrectionSubject.from_row(into)
        curation.merge_subjects(user, subject, into=target, **options)

    def delete_row(self, user: Any, row: Any, **options: Any) -> None:
        curation.hide_subject(user, curation.CorrectionSubject.from_row(row), **options)


def join_texts_by_heading_and_url(
    episodes_with_texts: Iterable[tuple[Episode, str]],
) -> ReaderTexts:
    """Return the different texts of each episode, separated by commas, by (heading, address)."""
    texts_by_page: dict[tuple[str, str], list[str]] = {}
    for episode, text in episodes_with_texts:
        page = (episode.heading, episode_url(episode))
        texts_by_page.setdefault(page, []).append(text)
    # `dict.fromkeys` drops equal texts and keeps the order.
    return {page: ", ".join(dict.fromkeys(parts)) for page, parts in texts_by_page.items()}


class CorrectionForm(forms.Form):
    """The fields of a row that a curator can correct. Empty ones follow the notes."""

    def __init__(self, *args: Any, instance: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.instance = instance
        self.subject = curation.CorrectionSubject.from_row(instance)
        # An empty field follows the notes, so only corrections are filled in.
        self.initial = dict(self.subject.corrections().values_list("field", "value"))

    def changed_values(self) -> dict[str, str]:
        return dict(self.cleaned_data)


# --- People ------------------------------------------------------------------------------------


class PersonForm(CorrectionForm):
    name = forms.CharField(
        required=False, max_length=300, help_text="Empty: the fullest name that the notes use."
    )
    url = AddressField(required=False, max_length=2000, label="Web page")
    image = AddressField(
        required=False,
        max_length=2000,
        label="Photo",
        help_text="The address of an image. It is fetched with the next import of a live feed.",
    )

    def __init__(self, *args: Any, instance: Person, **kwargs: Any) -> None:
        super().__init__(*args, instance=instance, **kwargs)
        # Corrections of an identity that was merged into this person count as well.
        self.initial = {"url": instance.url, "image": instance.image_url, "name": instance.name}

    def changed_values(self) -> dict[str, str]:
        # An unchanged name is not a correction: it goes on following the notes.
        return {name: self.cleaned_data[name] for name in self.changed_data}


@admin.register(Person)
class PersonAdmin(BulkRepairAdmin, SharedRowAdmin):
    key_field = "identity"
    use_model, use_column = Credit, "person"
    use_order = (*NEWEST_EPISODES_FIRST, "person__name", "role")
    row_form = PersonForm
    delete_label = "Not a person"
    list_display = ("name", "episode_count", "identity", "url")
    list_filter = (("credits__episode__podcast", ShowFilter), "credits__role")
    show_facets = admin.ShowFacets.NEVER  # Django would count the credits
    search_fields = ("name", "slug", "identity", "credits__credited_as")
    ordering = ("name", "slug")

    def row_text_in_episode(self, credit: Credit) -> str:
        role = credit.role
        if credit.credited_as not in ("", credit.person.name):
            role = f"{role}, credited as {credit.credited_as}"
        return f"{credit.person.name} ({role})"


# --- Links -------------------------------------------------------------------------------------


class LinkForm(CorrectionForm):
    label = forms.CharField(
        required=False, max_length=300, help_text="Empty: the words of the notes or the address."
    )
    kind = forms.ChoiceField(
        required=False,
        choices=[("", "automatic"), *((kind, LINK_KIND_NAMES[kind]) for kind in LINK_KIND_PLURALS)],
    )
    replacement = AddressField(
        required=False,
        max_length=2000,
        help_text="Where it leads instead, for example a copy of a dead page in an archive.",
    )

    @property
    def archived_copy_url(self) -> str:
        """Return the address of the link's copy in the Internet Archive, or "" if the link is replaced.

        The copy is the one closest to the first episode that names the link.
        """
        link = self.instance
        # A replaced link leads to a good page already.
        if link.replacement:
            return ""
        mentions = link.mentions
        first_date = mentions.aggregate(at=Min("episode__published_at"))["at"]
        # The first mention may be in an undated episode, so the order of the show finds its address.
        first_url = mentions.order_by("episode__order").values_list("url", flat=True).first()
        return curation.archived_copy_url(first_url or link.key, first_date)

    def changed_values(self) -> dict[str, str]:
        """Return the corrections to save. The button "use proposed" sets the archived copy as replacement."""
        values = dict(self.cleaned_data)
        if "use_proposed" in self.data:
            values["replacement"] = self.archived_copy_url
        return values


@admin.register(Link)
class LinkAdmin(BulkRepairAdmin, SharedRowAdmin):
    key_field = "key"
    use_model, use_column = EpisodeLink, "link"
    use_order = (*NEWEST_EPISODES_FIRST, "position")
    row_form = LinkForm
    screens = ()
    list_display = ("key", "title", "kind", "state")
    # Links that are gone or often failed, and have no replacement.
    in_trouble = Q(replacement="", key__in=LinkCheck.objects.in_trouble().order_by().values("key"))
    start_page_filter = options_filter(
        "state", "state", {"trouble": ("Links in trouble", in_trouble)}
    )
    list_filter = (start_page_filter, "kind")
    search_fields = ("key", "title")

    def get_queryset(self, request: HttpRequest) -> Any:
        # A key has one row, which every check overwrites.
        checks = LinkCheck.objects.filter(key=OuterRef("key"))
        columns = {}
        for name in ("outcome", "asked_at", "failing_since", "note"):
            columns[name] = Subquery(checks.values(name)[:1])
        return super().get_queryset(request).annotate(**columns)

    def episode_texts(self, row: Link, episode_ids: Collection[int]) -> ReaderTexts:
        """Return the words of episodes for this link alone. Nothing replaces a link, and notes have many others."""
        uses = self.find_distinct_uses_with_descriptions(link=row.pk)
        return join_texts_by_heading_and_url((use.episode, words) for use, words in uses)

    def row_context(self, row: Any) -> dict[str, Any]:
        facts = [("Key", row.key), ("Status", self.state(row)), ("Answer", row.note or "–")]
        published_url = getattr(row.mentions.first(), "url", "")
        return {**super().row_context(row), "facts": facts, "published_url": published_url}

    def row_text_in_episode(self, mention: EpisodeLink) -> str:
        link = mention.link
        name = link.title or mention.text or link_name_of_key(link.key).full_name
        kind = link.get_kind_display().lower()
        if link.replacement:
            return f"{name} ({kind}, leads to {link.replacement})"
        return f"{name} ({kind})"

    @admin.display(description="status", ordering="outcome")
    def state(self, link: Any) -> str:
        if not link.outcome:
            return "not checked yet"
        since = f" since {date_format(link.failing_since)}" if link.failing_since else ""
        return f"{link.outcome}{since}, checked {date_format(link.asked_at)}"


# --- Symbols -----------------------------------------------------------------------------------


@admin.register(CodeName)
class SymbolAdmin(BulkRepairAdmin, SharedRowAdmin):
    """The symbols. A symbol has no fields to correct: it is merged or hidden."""

    key_field = "name"
    use_model, use_column = CodeMention, "name"
    use_order = (*NEWEST_EPISODES_FIRST, "field", "position")
    row_form = CorrectionForm
    delete_label = "Not a symbol"
    list_display = ("name", "episode_count")
    search_fields = ("name",)

    def row_text_in_episode(self, mention: CodeMention) -> str:
        return mention.name.name
