"""The form of an episode: its overrides beside the values of every source, its lists and its history. And
the form of a new episode that no source lists."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib.admin.utils import unquote
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.formats import date_format
from django.utils.safestring import SafeString

from ..curation import (
    InvalidChange,
    add_episode_and_return_entry,
    add_list_entry,
    decisions_in_force,
    end_removal_of_list_entry,
    episode_changes,
    episode_of_entry,
    episode_token,
    find_list,
    find_or_compute_person_identity,
    first_anchor,
    name_of_maker,
    normalize_typed_text_or_raise,
    open_change_batch,
    override_fields,
    remove_list_entry,
    require_same_show,
    slug_problem_or_empty,
    unlock_fields,
)
from ..fields import (
    ADD_EPISODE_FIELDS,
    EPISODE_TYPE_FIELD,
    EPISODE_TYPE_VALUES,
    EXPLICIT_FIELD,
    FIELDS_BY_NAME,
    OVERRIDABLE_FIELDS,
    TITLE_FIELD,
    Field,
)
from ..models import (
    REMOVED,
    TRANSCRIPTS_SLUG,
    CodeName,
    Decision,
    Episode,
    EpisodeTopic,
    Held,
    Podcast,
    Reference,
    Transcript,
    WithdrawnEntry,
    decided_moments,
)
from ..text.formatting import format_time, seconds_of_time_parameter
from ..text.link_labels import LINK_KIND_NAMES
from .base import ActionView, ReaderTexts, TopicField, episode_url, request_value, row_url
from .episode import (
    CurrentEntry,
    EpisodeAction,
    EpisodeField,
    open_conflicts_with_sentences,
    topic_reason,
    upstream_changes_by_override,
    warn_of_duplicate_number,
)
from .inbox_sections import inbox_url

# --- Fields ------------------------------------------------------------------------------------


def normalize_text(value: str) -> str:
    """Return a value without zero bytes, and with the line ends of the catalog."""
    return value.replace("\r\n", "\n").replace("\0", "").strip()


class ValueField(forms.CharField):
    """A value of a field of an episode. The cleaned value is the text as it was typed, after a check by
    `normalize_typed_text_or_raise`."""

    def __init__(self, field: Field[Any], **kwargs: Any) -> None:
        choices = {EPISODE_TYPE_FIELD: EPISODE_TYPE_VALUES, EXPLICIT_FIELD: ("yes", "no")}
        max_length = 2000  # characters
        widget: forms.Widget = forms.TextInput()
        if field in choices:
            options = [(choice, choice) for choice in choices[field]]
            widget = forms.Select(choices=[("", "not known"), *options])
        elif field.is_multiline:
            max_length = 200_000
            widget = forms.Textarea({"rows": 6})
        elif field.input_type:
            # A script adds a picker of this type, such as "date", beside the text.
            widget = forms.TextInput({"data-picker": field.input_type})
        super().__init__(max_length=max_length, widget=widget, **kwargs)
        self.name = field.name

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        # HTML has no limit of characters for a choice.
        return {} if isinstance(widget, forms.Select) else super().widget_attrs(widget)

    def has_changed(self, initial: Any, data: Any) -> bool:
        # Browsers send line ends of their own, which are no change.
        return normalize_text(initial) != normalize_text(data)

    def clean(self, value: Any) -> str:
        # The text is returned as it was typed. Curation parses it again when it is saved.
        typed = str(super().clean(value))
        try:
            normalize_typed_text_or_raise(self.name, typed)
        except InvalidChange as refusal:
            raise ValidationError(str(refusal)) from None
        return typed


class OverridesForm(forms.Form):
    """The fields of an episode.

    A field is changed if it differs from the value that the form had shown, whatever a source says
    meanwhile. Only changed fields are checked.
    """

    use_required_attribute = False

    def __init__(self, data: Mapping[str, str], episode: Episode) -> None:
        super().__init__(data)
        self.episode = episode
        for field in OVERRIDABLE_FIELDS:
            initial = field.form_text(episode)
            self.fields[field.name] = ValueField(
                field, initial=initial, show_hidden_initial=True, required=False
            )
            # A field that was not sent is unchanged. The form compares it with its hidden initial value.
            unchanged = {field.name: initial, f"initial-{field.name}": initial}
            self.data = {**unchanged, **self.data}

    def changed_values(self) -> dict[str, str]:
        return {name: normalize_text(str(self.data[name])) for name in self.changed_data}

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        problem = slug_problem_or_empty(slug, self.episode.podcast, [self.episode])
        if problem:
            raise ValidationError(problem)
        return slug

    def clean(self) -> None:
        # Unchanged fields are not validated: an odd value of a source must not block the others.
        for name in set(self.errors).difference(self.changed_data):
            del self.errors[name]


def form_field_rows(form: OverridesForm, entries: Sequence[CurrentEntry]) -> list[dict[str, Any]]:
    """Return a dict for each field of the form: its input, lock, values of the sources and upstream changes."""
    episode = form.episode
    # An override locks its field: sources no longer change it.
    lock_by_field = {lock.field: lock for lock in decisions_in_force(episode, "value")}
    lock_ids = [lock.pk for lock in lock_by_field.values()]
    upstream_changes = upstream_changes_by_override(Decision.objects.filter(pk__in=lock_ids))
    rows = []
    for field in OVERRIDABLE_FIELDS:
        lock = lock_by_field.get(field.name)
        lock_id = getattr(lock, "pk", 0)  # no row has 0
        present_value = field.value_of_episode(episode)
        displayed_text = field.text_of_episode(episode)
        row = {
            "field": field,
            "input": form[field.name],
            "unsaved": field.name in form.changed_data,
            "notes": " · ".join(filter(None, (field.describe(present_value), field.hint))),
            "values": distinct_values_with_sources(field, displayed_text, entries),
            "lock": lock,
            "upstream_changes": upstream_changes.get(lock_id, []),
        }
        rows.append(row)
    return rows


def distinct_values_with_sources(
    field: Field[Any], displayed_value: str, entries: Sequence[CurrentEntry]
) -> list[dict[str, Any]]:
    """Return a dict for each different value that sources have for a field, by rank of its first entry.

    Each has the displayed text, the sources, the id of the first entry, and whether the episode shows it.
    """
    rows = []
    for value, entries_with_value in _entries_by_value(field, entries).items():
        # Each source once, in the order of its first entry.
        headings = dict.fromkeys(entry.source_heading for entry in entries_with_value)
        row = {
            "text": field.display(value),
            "sources": ", ".join(headings),
            "entry_id": entries_with_value[0].attachment.item_id,
            "is_shown": normalize_text(value) == normalize_text(displayed_value),
        }
        rows.append(row)
    return rows


def _entries_by_value(
    field: Field[Any], entries: Sequence[CurrentEntry]
) -> dict[str, list[CurrentEntry]]:
    entries_by_value: dict[str, list[CurrentEntry]] = {}
    for entry in entries:
        value = field.text_of_entry(entry.values)
        # A transcript has no values for the episode.
        is_transcript = entry.item.document.source.reader == TRANSCRIPTS_SLUG
        if value and not is_transcript:
            entries_by_value.setdefault(value, []).append(entry)
    return entries_by_value


# --- Lists -------------------------------------------------------------------------------------


ROLES = ("host", "guest", "co-host")


class EntryListForm(forms.Form):
    """A list of an episode: its entries, the removed ones, and the inputs that add one.

    The inputs may all stay empty. An entry has a key, a name, and perhaps a detail, an address, the
    screen where it is corrected for all episodes, and a role or relation with its alternatives.
    """

    kind: ClassVar[str]
    label: ClassVar[str]
    choice_label: ClassVar[str] = ""  # of the role or relation of an entry
    preset: ClassVar[Mapping[str, str]] = {}  # inputs that are never empty
    use_required_attribute = False

    def __init__(self, episode: Episode, data: Mapping[str, str]) -> None:
        # A preset input that was not sent has its initial value, so that it counts as unchanged.
        super().__init__({**self.preset, **data}, auto_id="add_%s", empty_permitted=True)
        self.episode = episode

    def iterate_entries_as_template_rows(self) -> Iterator[dict[str, Any]]:
        raise NotImplementedError

    def removed(self) -> list[dict[str, Any]]:
        return removed_list_entries(self.episode, self.kind)

    def describe_addition(self) -> str:
        """Return the message for an entry that is going to be added."""
        return f"Added to the {self.label.lower()}."

    def render_choice(
        self, number: int, name: str, choices: Sequence[tuple[str, str]], value: str
    ) -> SafeString:
        """Return the choice of the role or relation of the entry with this number, from 1."""
        select = forms.Select({"aria-label": f"{self.choice_label} of {name}"}, choices)
        return select.render(f"{self.kind}_{number}", value)

    def checked_entry_key_and_detail(self) -> tuple[str, str]:
        """Return the key of the typed entry, and its detail, such as the role and name of a person or the
        quote of a moment.

        Raises:
            InvalidChange: the list cannot have the entry.
        """
        raise NotImplementedError


class TopicListForm(EntryListForm):
    kind, label = "topic", "Topics"
    new_topic = TopicField(EpisodeTopic, "topic", label="Topic")

    def describe_addition(self) -> str:
        topic = self.cleaned_data["new_topic"]
        if self.episode.topic_uses.filter(topic=topic).exists():
            return f"{topic} was among the topics already. Later imports keep it."
        return f"Added to the topics: {topic}."

    def iterate_entries_as_template_rows(self) -> Iterator[dict[str, Any]]:
        uses = self.episode.topic_uses.select_related("topic")
        for use in uses.order_by("topic__position", "topic__slug"):
            yield {
                "key": use.topic.slug,
                "name": use.topic.name,
                "detail": topic_reason(use),
                "address": "",  # the name is no link
                "doubtful": use.confidence == "low",
            }

    def checked_entry_key_and_detail(self) -> tuple[str, str]:
        return self.cleaned_data["new_topic"].slug, ""


class LinkListForm(EntryListForm):
    kind, label = "link", "Links"
    new_link = forms.CharField(
        label="Address", max_length=2000, widget=forms.TextInput({"inputmode": "url"})
    )
    new_words = forms.CharField(label="Link text", max_length=400, required=False)

    def iterate_entries_as_template_rows(self) -> Iterator[dict[str, Any]]:
        for mention in self.episode.mentions.select_related("link"):
            link = mention.link
            name = link.title or mention.text or mention.url
            kind = LINK_KIND_NAMES.get(link.kind, link.kind)
            # An address may have 2000 characters, so the page has only the first two lines.
            yield {
                "key": link.key,
                "name": name[:200],
                "detail": f"{kind} · {link.key[:160]}",
                "address": mention.url,
                "screen": row_url(link),
            }

    def checked_entry_key_and_detail(self) -> tuple[str, str]:
        return self.cleaned_data["new_link"], self.cleaned_data["new_words"]


class PersonListForm(EntryListForm):
    kind, label, choice_label = "person", "People", "Role"
    preset: ClassVar[Mapping[str, str]] = {"new_role": ROLES[0]}
    new_person = forms.CharField(label="Name", max_length=300)
    new_role = forms.ChoiceField(
        label="Role", choices=[(role, role) for role in ROLES], initial=ROLES[0]
    )
    new_handle = forms.CharField(label="@handle or page, if known", max_length=500, required=False)

    def iterate_entries_as_template_rows(self) -> Iterator[dict[str, Any]]:
        for number, credit in enumerate(self.episode.credits.select_related("person"), 1):
            person = credit.person
            # A feed may give a role of its own.
            roles = dict.fromkeys((*ROLES, credit.role))
            # The decision stores the value of the choice: "guest Ada Roe".
            choices = [(f"{role} {person.name}", role) for role in roles]
            yield {
                "key": person.identity,
                "name": person.name,
                "detail": person.identity,
                "address": "",  # the name is no link
                "screen": row_url(person),
                "choice": credit.role,
                "choice_input": self.render_choice(
                    number, person.name, choices, f"{credit.role} {person.name}"
                ),
            }

    def checked_entry_key_and_detail(self) -> tuple[str, str]:
        # The identity of a person, and "guest Ada Roe".
        name = self.cleaned_data["new_person"]
        role = self.cleaned_data["new_role"]
        key = find_or_compute_person_identity(
            self.episode.podcast, name, self.cleaned_data["new_handle"]
        )
        return key, f"{role} {name}"


class ReferenceListForm(EntryListForm):
    kind, label, choice_label = "reference", "Other episodes", "Relation"
    preset: ClassVar[Mapping[str, str]] = {"new_relation": Reference.KINDS[0][0]}
    new_reference = EpisodeField(label="Episode")
    new_relation = forms.ChoiceField(
        label="Relation", choices=Reference.KINDS, initial=Reference.KINDS[0][0]
    )

    def __init__(self, episode: Episode, data: Mapping[str, str]) -> None:
        super().__init__(episode, data)
        field: Any = self.fields["new_reference"]
        field.limit_to_other_episodes(episode)

    def iterate_entries_as_template_rows(self) -> Iterator[dict[str, Any]]:
        references = self.episode.references.select_related("target")
        for number, reference in enumerate(references, 1):
            target = reference.target
            # "SOURCE KEY" of an entry. Decisions name an episode by it.
            key = " ".join(first_anchor(target))
            # "" if a curator added the reference.
            sentence = reference.evidence[:200]  # two lines at most
            yield {
                "key": key,
                "name": target.heading,
                "detail": f"“{sentence}”" if sentence else "",
                "address": episode_url(target),
                "choice": reference.kind,
                "choice_input": self.render_choice(
                    number, target.heading, Reference.KINDS, reference.kind
                ),
            }

    def checked_entry_key_and_detail(self) -> tuple[str, str]:
        target = require_same_show(self.episode, self.cleaned_data["new_reference"])
        return " ".join(first_anchor(target)), self.cleaned_data["new_relation"]


class MomentListForm(EntryListForm):
    kind, label = "moment", "Moments"
    new_about = TopicField(EpisodeTopic, "topic", label="Topic")
    new_start = forms.CharField(label="From", max_length=20)
    new_end = forms.CharField(label="To", max_length=20)
    new_quote = forms.CharField(label="Caption", max_length=400, required=False)

    def iterate_entries_as_template_rows(self) -> Iterator[dict[str, Any]]:
        decision_ids = [row.pk for row in decisions_in_force(self.episode, "moment")]
        for moment in decided_moments(pk__in=decision_ids):
            yield {
                "key": moment.key,
                "name": f"{moment.topic} {moment.time_range}",
                "detail": moment.label,
                "address": moment.address,
            }

    def checked_entry_key_and_detail(self) -> tuple[str, str]:
        """Return the key "SLUG START-END" (seconds) and the quote of the typed moment.

        Raises:
            InvalidChange: the end is after the end of the episode.
        """
        topic = self.cleaned_data["new_about"]
        quote = self.cleaned_data["new_quote"]
        # None for a text that is no time. `add_list_entry` refuses the key then.
        start = seconds_of_time_parameter(self.cleaned_data["new_start"])
        end = seconds_of_time_parameter(self.cleaned_data["new_end"])
        duration = self.episode.duration_seconds
        if duration and end and end > duration:
            raise InvalidChange(f"The episode ends at {format_time(duration)}.")
        return f"{topic.slug} {start}-{end}", quote


def removed_list_entries(episode: Episode, kind: str) -> list[dict[str, Any]]:
    """Return key, name and detail (who, when, why) of the entries that curators removed from a list.

    A removed conflict is a closed one.
    """
    entries = []
    for row in decisions_in_force(episode, kind, value=REMOVED):
        entry = {
            "key": row.key,
            "name": find_list(kind).display_name(episode.podcast, row.key),
            "detail": f"by {name_of_maker(row)} on {date_format(row.made_at)}. {row.reason}",
        }
        entries.append(entry)
    return entries


# --- The screen --------------------------------------------------------------------------------


class EpisodeView(EpisodeAction):
    """One form that saves the fields, the inputs beside the lists, and the action of the pressed button.

    The buttons of the form send it to addresses with the name of their action. A method `press_…` does
    the action of a button, adds to `messages`, and returns nothing.
    """

    viewers_may_read = True
    template_name = "admin/curation/episode.html"
    title = "{view.episode.heading}"

    def set_view_attributes_from_address(self) -> None:
        super().set_view_attributes_from_address()
        self.crumbs = ()  # this is the screen of the episode, which other screens lead back to
        button = self.kwargs.get("verb")
        if button not in (None, *self.buttons):
            raise Http404
        self.sent = self.request.POST.dict()
        self.overrides_form = OverridesForm(self.sent, self.episode)
        list_forms = (
            TopicListForm,
            LinkListForm,
            PersonListForm,
            ReferenceListForm,
            MomentListForm,
        )
        self.list_forms = [form_class(self.episode, self.sent) for form_class in list_forms]

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        # A former address, or the address of a button, leads to the form.
        is_button = "verb" in kwargs
        if is_button or self.episode.slug != unquote(kwargs["slug"]):
            return HttpResponseRedirect(episode_url(self.episode))
        self.form = self.get_form()
        return self.render_page()

    def make_change(self) -> None:
        """Save the fields, add the typed entries, and press the button of the address. Set `self.message`."""
        self.messages: list[str] = []
        # All is saved or nothing, and undone together. After a refusal the form still has everything that was typed.
        with open_change_batch([self.episode.podcast]):
            self.save_fields_and_add_message()
            for form in self.list_forms:
                self.add_typed_list_entry(form)
            if button := self.kwargs.get("verb"):
                self.press_button(button)
        if self.overrides_form.changed_values():
            # The change may have replaced the row of the episode, which its entry finds again.
            changed_episode = episode_of_entry(self.item) or self.episode
            warn_of_duplicate_number(self.request, changed_episode)
        self.message = " ".join(self.messages) or "No changes to save."

    @property
    def change_options(self) -> dict[str, str]:
        """Return the arguments `token` and `reason` of the next change, as the form sent them.

        The token is in the first change only, because the episode differs from the form afterwards.
        """
        options = super().change_options
        self.token = ""
        return options

    def save_fields_and_add_message(self) -> None:
        if not self.overrides_form.is_valid():
            raise InvalidChange("Not saved. Correct the marked fields.")
        values = self.overrides_form.changed_values()
        if values:
            override_fields(self.request.user, self.episode, values, **self.change_options)
            labels = ", ".join(FIELDS_BY_NAME[name].label.lower() for name in values)
            self.messages.append(f"Saved: {labels}. Locked: sources no longer change it.")

    def add_typed_list_entry(self, form: EntryListForm) -> None:
        if not form.is_valid():
            errors_of_first_field = next(iter(form.errors.values()))
            raise InvalidChange(f"{form.label}: {errors_of_first_field[0]}")
        if form.has_changed():
            key, detail = form.checked_entry_key_and_detail()
            message = form.describe_addition()
            user = self.request.user
            add_list_entry(user, self.episode, form.kind, key, detail, **self.change_options)
            self.messages.append(message)

    # --- The buttons. Their addresses have `kind` and `key` of an entry of a list ---

    def press_button(self, name: str) -> None:
        parameters = self.request.GET
        # PostgreSQL refuses NUL.
        kind = str(parameters.get("kind", "")).replace("\0", "")
        key = str(parameters.get("key", "")).replace("\0", "")
        self.buttons[name](self, kind, key)

    def press_keep_with_role_or_relation(self, kind: str, key: str) -> None:
        """Keep an entry of a list for later imports, or change its role or relation."""
        # The parameter has the name of the select in the form, because each entry has its own.
        select_name = self.request.GET.get("choice", "")
        detail = request_value(self.request, select_name)
        user = self.request.user
        add_list_entry(user, self.episode, kind, key, detail, **self.change_options)
        self.messages.append("Kept. Later imports do not change it.")

    def press_remove(self, kind: str, key: str) -> None:
        remove_list_entry(self.request.user, self.episode, kind, key, **self.change_options)
        self.messages.append("Removed. Later imports do not bring it back, but you can.")

    def press_restore(self, kind: str, key: str) -> None:
        end_removal_of_list_entry(self.request.user, self.episode, kind, key, **self.change_options)
        self.messages.append("Brought back.")

    def press_unlock(self, kind: str, field_name: str) -> None:
        unlock_fields(self.request.user, self.episode, field_name, **self.change_options)
        self.messages.append("The field follows the sources again.")

    def press_take_source_value(self, field_name: str, item_id: str) -> None:
        entries = {str(entry.attachment.item_id): entry for entry in self.entries}
        if item_id not in entries or field_name not in FIELDS_BY_NAME:
            raise InvalidChange("That entry no longer belongs to this episode.")
        entry = entries[item_id]
        field = FIELDS_BY_NAME[field_name]
        values = {field_name: field.text_of_entry(entry.values)}
        override_fields(self.request.user, self.episode, values, **self.change_options)
        self.messages.append(f"{field.label}: taken from {entry.source_heading}.")

    # By the last part of their address.
    buttons: ClassVar[Mapping[str, Callable[[Any, str, str], None]]] = {
        "keep": press_keep_with_role_or_relation,
        "remove": press_remove,
        "bring_back": press_restore,
        "release": press_unlock,
        "take": press_take_source_value,
    }

    # --- The page ---

    def context(self) -> dict[str, Any]:
        episode = self.episode
        # After a refusal, changed fields keep the typed values. All others show the present ones.
        form = OverridesForm(self.overrides_form.changed_values(), episode)
        symbols = CodeName.objects.filter(mentions__episode=episode).distinct().order_by("name")
        has_transcript = Transcript.objects.filter(episode=episode).exists()
        changes = episode_changes(episode).select_related("podcast")
        episodes = Episode.objects.filter(podcast=episode.podcast).with_name_columns()
        # `order` is the position of an episode in its show, the oldest first.
        older = episodes.filter(order__lt=episode.order).order_by("order").last()
        newer = episodes.filter(order__gt=episode.order).order_by("order").first()
        return {
            "episode": episode,
            "fields": form_field_rows(form, self.entries),
            "conflicts": open_conflicts_with_sentences(episode),
            "closed_conflicts": removed_list_entries(episode, "conflict"),
            "lists": self.list_forms,
            "entries": self.entries,
            "changes": changes[:200],
            "token": episode_token(episode),
            "reason": self.sent.get("reason", ""),
            "has_transcript": has_transcript,
            "symbols": symbols,
            "older": older,
            "newer": newer,
        }


class EpisodeForm(forms.Form):
    """The fields that a source could have, each as text that `normalize_typed_text_or_raise` understands."""

    podcast = forms.ModelChoiceField(
        Podcast.objects.order_by("title"), label="show", empty_label=None
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in ADD_EPISODE_FIELDS:
            self.fields[field.name] = ValueField(
                field,
                required=field is TITLE_FIELD,
                label=field.label.lower(),
                help_text=field.hint or field.expects,
            )


class AddEpisodeView(ActionView):
    """Adds an episode, and leads to its screen, or to the inbox if a curator has to match it first."""

    form_class = EpisodeForm
    title = "Add an episode"
    explanation = (
        "For an episode that no source lists. If a source lists it later, the two are matched and "
        "the source’s values win."
    )
    preview_noun, preview_verb = "episode", "be added"

    def make_change(self) -> None:
        values = dict(self.form.cleaned_data)
        podcast = values.pop("podcast")
        self.item = add_episode_and_return_entry(
            self.request.user, podcast, values, reason=self.reason
        )

    def current_texts_for_preview(self) -> ReaderTexts:
        episodes = Episode.objects.filter(title=self.form.cleaned_data["title"])
        return {(episode.heading, episode_url(episode)): "an episode" for episode in episodes}

    def format_success_message(self) -> str:
        title = self.form.cleaned_data["title"]
        episode = episode_of_entry(self.item)
        if Held.objects.filter(item=self.item).exists():
            return f"“{title}” needs review: it may be an episode that the show has already."
        if WithdrawnEntry.objects.filter(item=self.item).exists():
            return f"“{title}” is an episode that was taken out. It stays out."
        if episode and episode.attachments.exclude(item=self.item).exists():
            return f"“{title}” is this episode, which the show has already. It got one more entry."
        return f"“{title}” was added."

    def get_success_url(self) -> str:
        """Return the address of the episode, and warn if another one has its number."""
        withdrawn = WithdrawnEntry.objects.filter(item=self.item).first()
        if withdrawn:
            return episode_url(withdrawn.episode)
        episode = episode_of_entry(self.item)
        if episode is None:
            # It is so similar to an episode that a curator has to decide.
            return inbox_url(kind="held")
        warn_of_duplicate_number(self.request, episode)
        return episode_url(episode)
