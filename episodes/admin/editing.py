"""The form of an episode: own value beside every source, what is locked, what is listed, and what
was changed before; and the form of a new one that no source lists."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib.admin.utils import unquote
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.formats import date_format

from ..curation import (
    EPISODE_LISTS,
    InvalidChange,
    add_episode,
    add_to_list,
    address_problem,
    anchor_entry,
    clean_value,
    decisions_in_force,
    episode_changes,
    episode_of_entry,
    episode_token,
    override,
    person_key,
    remove_from_list,
    restore_to_list,
    unlock_fields,
)
from ..fields import BY_HAND, BY_NAME, EPISODE_TYPE, EXPLICIT, OVERRIDABLE, TITLE, TYPES, Field
from ..models import (
    REMOVED,
    TRANSCRIPTS,
    CodeName,
    Decision,
    Episode,
    Podcast,
    Reference,
    Topic,
    Transcript,
    chosen_moments,
)
from ..text.formatting import clock, position
from ..text.link_labels import ONE
from .base import ActionView, episode_url, request_value, row_url
from .episode import (
    EpisodeAction,
    EpisodeField,
    describe_conflicts,
    topic_reason,
    upstream_changes,
    warn_of_duplicate_number,
)
from .inbox import inbox_url

MOST_CHANGES = 200
CHOICES = {EPISODE_TYPE: TYPES, EXPLICIT: ("yes", "no")}
ROLES = ("host", "guest", "co-host")
# Inputs that are never empty.
PRESET = {"new_role": ROLES[0], "new_relation": Reference.KINDS[0][0]}
Entries = Sequence[tuple[Any, Any]]  # of an episode, each with what it says


# --- Fields ------------------------------------------------------------------------------------


def normalize_text(value: str) -> str:
    return value.replace("\r\n", "\n").replace("\0", "").strip()


class ValueField(forms.CharField):
    """A value of a field of an episode, typed in any way that `curation.clean` understands."""

    def __init__(self, field: Field[Any], **kwargs: Any) -> None:
        longest = 200_000 if field.long else 2000
        widget: forms.Widget = forms.TextInput(
            {"data-picker": field.picker} if field.picker else None
        )
        if field in CHOICES:
            widget = forms.Select(
                choices=[("", "not known"), *((one, one) for one in CHOICES[field])]
            )
        elif field.long:
            widget = forms.Textarea({"rows": 6})
        super().__init__(max_length=longest, widget=widget, **kwargs)
        self.name = field.name

    def has_changed(self, initial: Any, data: Any) -> bool:
        # Browsers send line ends of their own, which are no change.
        return data is not None and normalize_text(initial or "") != normalize_text(data)

    def clean(self, value: Any) -> str:
        typed = str(super().clean(value))
        try:
            clean_value(self.name, typed)
        except InvalidChange as refusal:
            raise ValidationError(str(refusal)) from None
        return typed


class ValuesForm(forms.Form):
    """The fields of an episode; changed are those that differ from what the form had shown,
    whatever a source says meanwhile. Only these are checked."""

    use_required_attribute = False

    def __init__(self, data: Mapping[str, str], episode: Episode) -> None:
        super().__init__(data)
        self.episode = episode
        for field in OVERRIDABLE:
            name, shown = field.name, field.in_form(episode)
            how = {"initial": shown, "show_hidden_initial": True, "required": False}
            self.fields[name] = ValueField(field, **how)
            # What was not sent is as it is shown.
            self.data = {name: shown, f"initial-{name}": shown, **self.data}

    def typed(self) -> dict[str, str]:
        return {name: normalize_text(str(self.data[name])) for name in self.changed_data}

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if taken := address_problem(slug, self.episode.podcast, [self.episode]):
            raise ValidationError(taken)
        return slug

    def clean(self) -> None:
        # A value that a source gave, however odd, is in nobody's way.
        for name in self.errors.keys() - {*self.changed_data}:
            del self.errors[name]


def field_rows(form: ValuesForm, entries: Entries) -> list[dict[str, Any]]:
    """The fields of the form, each with its input, its lock and what the sources have."""
    episode = form.episode
    locks = {row.field: row for row in decisions_in_force(episode, "value")}
    moved = upstream_changes(Decision.objects.filter(pk__in=[row.pk for row in locks.values()]))
    rows = []
    for field in OVERRIDABLE:
        lock = locks.get(field.name)
        rows.append(
            {
                "field": field,
                "input": form[field.name],
                "unsaved": field.name in form.changed_data,
                "words": field.in_words(field.of(episode)),
                "values": source_values(field, field.shown(episode), entries),
                "lock": lock,
                "moved": moved.get(lock.pk) if lock else None,
            }
        )
    return rows


def source_values(field: Field[Any], value: str, entries: Entries) -> list[dict[str, Any]]:
    """The values that sources give a field, each once, by rank, with the entry to take it from; a
    transcript gives none."""
    values: dict[str, list[tuple[Any, Any]]] = {}
    for attachment, said in entries:
        # What a transcript says of an episode is no value of it.
        if attachment.item.document.source.reader != TRANSCRIPTS:
            values.setdefault(field.text_in(said), []).append((attachment, said))
    values.pop("", None)
    return [
        {
            "words": field.words(given),
            "sources": ", ".join(dict.fromkeys(a.item.document.source.heading for a, _ in who)),
            "entry": who[0][0].item_id,
            "is_shown": normalize_text(given) == normalize_text(value),
        }
        for given, who in values.items()
    ]


# --- Lists -------------------------------------------------------------------------------------


class EntryListForm(forms.Form):
    """A list of an episode: its entries, those that curators removed, and the inputs that add one,
    which may all stay empty.

    An entry has a key, a name and perhaps a detail, an address, the screen on which it is corrected
    for all episodes, and what it is to this one with what else it can be.
    """

    kind: ClassVar[str]
    label: ClassVar[str]
    use_required_attribute = False

    def __init__(self, episode: Episode, data: Mapping[str, str]) -> None:
        # The role that a new form starts with was not typed.
        sent = {**PRESET, **data} if data else None
        super().__init__(sent, auto_id="add_%s", empty_permitted=True)
        self.episode = episode

    def entries(self) -> Iterator[dict[str, Any]]:
        raise NotImplementedError

    def removed(self) -> list[dict[str, Any]]:
        return removed_entries(self.episode, self.kind)

    def entry(self) -> tuple[str, str]:
        """Key and detail of the entry that was typed."""
        raise NotImplementedError


class TopicListForm(EntryListForm):
    kind, label = "topic", "Topics"
    new_topic = forms.ModelChoiceField(
        Topic.objects.order_by("name"), label="Topic", to_field_name="slug"
    )

    def entries(self) -> Iterator[dict[str, Any]]:
        for use in self.episode.topic_uses.select_related("topic").order_by(
            "topic__position", "topic__slug"
        ):
            yield {
                "key": use.topic.slug,
                "name": use.topic.name,
                "detail": topic_reason(use),
                "doubtful": use.confidence == "low",
            }

    def entry(self) -> tuple[str, str]:
        return self.cleaned_data["new_topic"].slug, ""


class LinkListForm(EntryListForm):
    kind, label = "link", "Links"
    new_link = forms.CharField(
        label="Address", max_length=2000, widget=forms.TextInput({"inputmode": "url"})
    )
    new_words = forms.CharField(label="Link text", max_length=400, required=False)

    def entries(self) -> Iterator[dict[str, Any]]:
        for mention in self.episode.mentions.select_related("link"):
            link = mention.link
            yield {
                "key": link.key,
                "name": (link.title or mention.text or mention.url)[:200],
                "detail": f"{ONE.get(link.kind, link.kind)} · {link.key[:160]}",
                "address": mention.url,
                "screen": row_url(link),
            }

    def entry(self) -> tuple[str, str]:
        return self.cleaned_data["new_link"], self.cleaned_data["new_words"]


class PersonListForm(EntryListForm):
    kind, label = "person", "People"
    new_person = forms.CharField(label="Name", max_length=300)
    new_role = forms.ChoiceField(
        label="Role", choices=[(role, role) for role in ROLES], initial=PRESET["new_role"]
    )
    new_handle = forms.CharField(label="@handle or page, if known", max_length=500, required=False)

    def entries(self) -> Iterator[dict[str, Any]]:
        for credit in self.episode.credits.select_related("person"):
            person, roles = credit.person, dict.fromkeys((*ROLES, credit.role))
            yield {
                "key": person.identity,
                "name": person.name,
                "detail": person.identity,
                "screen": row_url(person),
                "choice": credit.role,
                "choices": [(f"{role} {person.name}", role) for role in roles],
            }

    def entry(self) -> tuple[str, str]:
        given = self.cleaned_data
        key = person_key(self.episode.podcast, given["new_person"], given["new_handle"])
        return key, f"{given['new_role']} {given['new_person']}"


class ReferenceListForm(EntryListForm):
    kind, label = "reference", "Other episodes"
    new_reference = EpisodeField(label="Episode")
    new_relation = forms.ChoiceField(
        label="Relation", choices=Reference.KINDS, initial=PRESET["new_relation"]
    )

    def __init__(self, episode: Episode, data: Mapping[str, str]) -> None:
        super().__init__(episode, data)
        self.fields["new_reference"].of(episode)  # type: ignore[attr-defined]

    def entries(self) -> Iterator[dict[str, Any]]:
        for reference in self.episode.references.select_related("target"):
            yield {
                "key": " ".join(anchor_entry(reference.target)),
                "name": reference.target.heading,
                "detail": f"“{reference.evidence[:200]}”" if reference.evidence else "",
                "address": episode_url(reference.target),
                "choice": reference.kind,
                "choices": [(kind, kind) for kind, _ in Reference.KINDS],
            }

    def entry(self) -> tuple[str, str]:
        given = self.cleaned_data
        return " ".join(anchor_entry(given["new_reference"])), given["new_relation"]


class MomentListForm(EntryListForm):
    kind, label = "moment", "Moments"
    new_about = forms.ModelChoiceField(
        Topic.objects.order_by("name"), label="Topic", to_field_name="slug"
    )
    new_start = forms.CharField(label="From", max_length=20)
    new_end = forms.CharField(label="To", max_length=20)
    new_quote = forms.CharField(label="Caption", max_length=400, required=False)

    def entries(self) -> Iterator[dict[str, Any]]:
        for moment in chosen_moments(
            pk__in=[row.pk for row in decisions_in_force(self.episode, "moment")]
        ):
            name, words = f"{moment.topic} {moment.clock}", moment.words
            yield {"key": moment.key, "name": name, "detail": words, "address": moment.address}

    def entry(self) -> tuple[str, str]:
        given, length = self.cleaned_data, self.episode.duration_seconds
        start, end = position(given["new_start"]), position(given["new_end"])
        if length and end and end > length:
            raise InvalidChange(f"The episode ends at {clock(length)}.")
        return f"{given['new_about'].slug} {start}-{end}", given["new_quote"]


LISTS: tuple[type[EntryListForm], ...] = (
    TopicListForm,
    LinkListForm,
    PersonListForm,
    ReferenceListForm,
    MomentListForm,
)


def removed_entries(episode: Episode, kind: str) -> list[dict[str, Any]]:
    """The entries of a list that curators removed; of conflicts, those that they closed."""
    found = []
    for row in decisions_in_force(episode, kind, value=REMOVED):
        found.append(
            {
                "key": row.key,
                "name": EPISODE_LISTS[kind].name(episode.podcast, row.key),
                "detail": f"by {row.made_by or 'somebody'} on {date_format(row.made_at)}. {row.reason}",
            }
        )
    return found


# --- The screen --------------------------------------------------------------------------------


# Buttons whose verb takes nothing more, with the message after it.
BUTTONS: dict[str, tuple[Callable[..., None], str]] = {
    "release": (unlock_fields, "The field follows the sources again."),
    "remove": (remove_from_list, "Removed. Later imports do not bring it back, but you can."),
    "bring_back": (restore_to_list, "Brought back."),
}


class EpisodeView(EpisodeAction):
    """Saves what was typed in the fields and beside the lists, and does what the button is for.

    The buttons of the form send it to the addresses of their verbs.
    """

    viewers_may_look = True
    template_name = "admin/curation/episode.html"
    title = "{view.episode.heading}"
    done = "{view.message}"

    def prepare(self) -> None:
        super().prepare()
        self.crumbs = ()
        if self.kwargs.get("verb", "take") not in ("take", "keep", *BUTTONS):
            raise Http404
        self.sent = {name: str(value) for name, value in self.request.POST.items()}
        self.values = ValuesForm(self.sent, self.episode)
        self.lists = [form(self.episode, self.sent) for form in LISTS]

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        # A former address, or that of a button, leads to the form.
        if "verb" in kwargs or self.episode.slug != unquote(kwargs["slug"]):
            return HttpResponseRedirect(episode_url(self.episode))
        self.form = self.get_form()
        return self.page()

    def act(self) -> None:
        asked = {name: str(value).replace("\0", "") for name, value in self.request.GET.items()}
        with transaction.atomic():
            # All is saved or nothing; a refusal leaves everything that was typed.
            told = [self.save_values(), *map(self.add, self.lists)]
            if verb := self.kwargs.get("verb"):
                told.append(self.press(verb, asked.get("kind", ""), asked.get("key", "")))
        self.message = " ".join(words for words in told if words) or "No changes to save."

    @property
    def how(self) -> dict[str, str]:
        """The arguments of a verb; only the first one finds the episode as the form had it."""
        arguments, self.seen = super().how, ""
        return arguments

    def save_values(self) -> str:
        """Save the values that were typed in the fields; a message about them, "" for none."""
        typed = self.values.typed()
        if not self.values.is_valid():
            raise InvalidChange("Not saved. Correct the marked fields.")
        if not typed:
            return ""
        override(self.request.user, self.episode, typed, **self.how)
        warn_of_duplicate_number(self.request, episode_of_entry(self.item) or self.episode)
        names = ", ".join(BY_NAME[name].label.lower() for name in typed)
        return f"Saved: {names}. Locked: sources no longer change it."

    def add(self, form: EntryListForm) -> str:
        """Save the values that were typed beside a list; a message about them, "" for none."""
        if not form.is_valid():
            raise InvalidChange(f"{form.label}: {next(iter(form.errors.values()))[0]}")
        if not form.has_changed():
            return ""
        was = add_to_list(self.request.user, self.episode, form.kind, *form.entry(), **self.how)
        instead = f", in place of “{was}”" if was else ""
        return f"Added to the {form.label.lower()}{instead}."

    def press(self, verb: str, kind: str, key: str) -> str:
        """Do what a button is for; a message about it. The key is that of an entry in a list of
        this kind, or the name of a field."""
        user, episode = self.request.user, self.episode
        if verb == "take":
            return self.take(kind, key)
        if verb == "keep":
            # With what a person, or another episode, is to this one.
            choice = request_value(self.request, self.request.GET.get("choice", ""))
            add_to_list(user, episode, kind, key, choice, **self.how)
            return "Kept. Later imports do not change it."
        act, words = BUTTONS[verb]
        act(user, episode, *((key,) if verb == "release" else (kind, key)), **self.how)
        return words

    def take(self, name: str, entry: str) -> str:
        """Give a field the value that an entry has."""
        own = {str(row.item_id): (row, said) for row, said in self.entries}
        if entry not in own or name not in BY_NAME:
            raise InvalidChange("That entry no longer belongs to this episode.")
        (row, said), field = own[entry], BY_NAME[name]
        override(self.request.user, self.episode, {name: field.text_in(said)}, **self.how)
        return f"{field.label}: taken from {row.item.document.source.heading}."

    # --- The page ---

    def context(self) -> dict[str, Any]:
        episode = self.episode
        show = Episode.objects.filter(podcast=episode.podcast).named()
        return {
            "episode": episode,
            "fields": field_rows(ValuesForm(self.values.typed(), episode), self.entries),
            "conflicts": describe_conflicts(episode),
            "closed": removed_entries(episode, "conflict"),
            "lists": self.lists,
            "entries": self.entries,
            "changes": episode_changes(episode).select_related("podcast")[:MOST_CHANGES],
            "seen": episode_token(episode),
            "sent": self.sent,
            "transcript": Transcript.objects.filter(episode=episode).exists(),
            "symbols": CodeName.objects.filter(mentions__episode=episode)
            .distinct()
            .order_by("name"),
            "older": show.filter(order__lt=episode.order).order_by("-order").first(),
            "newer": show.filter(order__gt=episode.order).order_by("order").first(),
        }


class EpisodeForm(forms.Form):
    """The fields that a source could state, each as text that `curation.clean` understands."""

    podcast = forms.ModelChoiceField(
        Podcast.objects.order_by("title"), label="show", empty_label=None
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in BY_HAND:
            how = {"label": field.label.lower(), "help_text": field.hint or field.expects}
            self.fields[field.name] = ValueField(field, required=field is TITLE, **how)


class AddEpisodeView(ActionView):
    form_class = EpisodeForm
    title = "Add an episode"
    explanation = (
        "For an episode that no source lists. If a source lists it later, the two are matched and "
        "the source’s values win."
    )
    done = "“{view.form.cleaned_data[title]}” was added."

    def act(self) -> None:
        values = dict(self.form.cleaned_data)
        podcast = values.pop("podcast")
        self.item = add_episode(self.request.user, podcast, values, reason=self.reason)

    def look(self) -> dict[tuple[str, str], str]:
        return {
            (episode.heading, episode_url(episode)): "an episode"
            for episode in Episode.objects.filter(title=self.form.cleaned_data["title"])
        }

    def get_success_url(self) -> str:
        episode = episode_of_entry(self.item)
        if episode is None:
            # It resembles an episode so much that somebody has to look.
            return inbox_url(kind="held")
        warn_of_duplicate_number(self.request, episode)
        return episode_url(episode)
