"""The form of an episode: own value beside every source, what is locked, what is listed, and what
was changed before; and the form of a new one that no source lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.admin.utils import unquote
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect

from .. import curation
from ..curation import (
    Impossible,
    add,
    anchor,
    bring_back,
    changes_of,
    clean,
    episode_of,
    in_force,
    name_in_list,
    override,
    person_key,
    release,
    remove,
    token,
    trouble_with_address,
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
from . import upstream
from .action import ActionView
from .base import date, page_of, row_at, said_in
from .episode import EpisodeAction, conflicts, warn_of_number
from .finding import EpisodeField
from .inbox import inbox_at

MOST_CHANGES = 200
TALL = 6  # lines of the box of a long text
CHOICES = {EPISODE_TYPE: TYPES, EXPLICIT: ("yes", "no")}
ROLES = ("host", "guest", "co-host")
# Inputs that are never empty.
PRESET = {"new_role": ROLES[0], "new_relation": Reference.KINDS[0][0]}
HERE = {
    "title": "in the title",
    "notes": "in the notes",
    "links": "among the links",
    "curator": "added by hand",
}
Entries = Sequence[tuple[Any, Any]]  # of an episode, each with what it says


# --- Fields ------------------------------------------------------------------------------------


def normal(value: str) -> str:
    return value.replace("\r\n", "\n").replace("\0", "").strip()


class ValueField(forms.CharField):
    """A value of a field of an episode, typed in any way that `curation.clean` understands."""

    def __init__(self, field: Field[Any], **kwargs: Any) -> None:
        longest = 200_000 if field.long else 2000
        widget: forms.Widget = forms.TextInput(
            {"data-picker": field.picker} if field.picker else None
        )
        if field in CHOICES:
            own = ((one, one) for one in CHOICES[field])
            widget = forms.Select(choices=[("", "not known"), *own])
        elif field.long:
            widget = forms.Textarea({"rows": TALL})
        super().__init__(max_length=longest, widget=widget, **kwargs)
        self.name = field.name

    def has_changed(self, initial: Any, data: Any) -> bool:
        return data is not None and normal(initial or "") != normal(data)

    def clean(self, value: Any) -> str:
        typed = str(super().clean(value))
        try:
            clean(self.name, typed)
        except Impossible as refusal:
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
        return {name: normal(str(self.data[name])) for name in self.changed_data}

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if taken := trouble_with_address(slug, self.episode.podcast, [self.episode]):
            raise ValidationError(taken)
        return slug

    def clean(self) -> None:
        for name in self.errors.keys() - {*self.changed_data}:
            del self.errors[name]


def field_rows(form: ValuesForm, entries: Entries) -> list[dict[str, Any]]:
    """The fields of the form, each with its input, its lock and what the sources have."""
    episode = form.episode
    locks = {row.field: row for row in in_force(episode, "value")}
    moved = upstream.changed(Decision.objects.filter(pk__in=[row.pk for row in locks.values()]))
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
        if attachment.item.document.source.reader != TRANSCRIPTS:
            values.setdefault(field.text_in(said), []).append((attachment, said))
    values.pop("", None)
    return [
        {
            "words": field.words(given),
            "sources": ", ".join(dict.fromkeys(a.item.document.source.heading for a, _ in who)),
            "entry": who[0][0].item_id,
            "is_shown": normal(given) == normal(value),
        }
        for given, who in values.items()
    ]


# --- Lists -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ListedEntry:
    """A row of a list: what it is, why it is there, and under what it is taken out."""

    key: str
    name: str
    detail: str = ""
    doubtful: bool = False
    address: str = ""
    screen: str = ""  # of the thing itself, where it is corrected for all episodes
    choice: str = ""  # what it is to the episode, and what else it can be
    choices: Sequence[tuple[str, str]] = ()  # the decision's detail, and its words


def topics_of(episode: Episode) -> Iterator[ListedEntry]:
    uses = episode.topic_uses.select_related("topic").order_by("topic__position", "topic__slug")
    for use in uses:
        where = HERE.get(use.field, use.field)
        words, doubtful = f"“{use.term}” {where}" if use.term else where, use.confidence == "low"
        yield ListedEntry(use.topic.slug, use.topic.name, words, doubtful)


def links_of(episode: Episode) -> Iterator[ListedEntry]:
    for mention in episode.mentions.select_related("link"):
        link = mention.link
        name = (link.title or mention.text or mention.url)[:200]
        words = f"{ONE.get(link.kind, link.kind)} · {link.key[:160]}"
        yield ListedEntry(link.key, name, words, address=mention.url, screen=row_at(link))


def people_of(episode: Episode) -> Iterator[ListedEntry]:
    for credit in episode.credits.select_related("person"):
        person, roles = credit.person, dict.fromkeys((*ROLES, credit.role))
        yield ListedEntry(
            person.identity,
            person.name,
            person.identity,
            screen=row_at(person),
            choice=credit.role,
            choices=[(f"{role} {person.name}", role) for role in roles],
        )


def references_of(episode: Episode) -> Iterator[ListedEntry]:
    for reference in episode.references.select_related("target"):
        words = f"“{reference.evidence[:200]}”" if reference.evidence else ""
        yield ListedEntry(
            " ".join(anchor(reference.target)),
            reference.target.heading,
            words,
            address=page_of(reference.target),
            choice=reference.kind,
            choices=[(kind, kind) for kind, _ in Reference.KINDS],
        )


def moments_of(episode: Episode) -> Iterator[ListedEntry]:
    own = [row.pk for row in in_force(episode, "moment")]
    for moment in chosen_moments(pk__in=own):
        name = f"{moment.topic} {moment.clock}"
        yield ListedEntry(moment.key, name, moment.words, address=moment.address)


class AddingForm(forms.Form):
    """The inputs that add an entry to a list of an episode; they may all stay empty."""

    use_required_attribute = False

    def __init__(self, episode: Episode, data: Mapping[str, str] | None) -> None:
        super().__init__(data and {**PRESET, **data}, auto_id="add_%s", empty_permitted=True)
        self.episode = episode

    def entry(self) -> tuple[str, str]:
        """Key and detail of the entry."""
        raise NotImplementedError


class AddTopic(AddingForm):
    new_topic = forms.ModelChoiceField(
        Topic.objects.order_by("name"), label="Topic", to_field_name="slug"
    )

    def entry(self) -> tuple[str, str]:
        return self.cleaned_data["new_topic"].slug, ""


class AddLink(AddingForm):
    new_link = forms.CharField(
        label="Address", max_length=2000, widget=forms.TextInput({"inputmode": "url"})
    )
    new_words = forms.CharField(label="Link text", max_length=400, required=False)

    def entry(self) -> tuple[str, str]:
        return self.cleaned_data["new_link"], self.cleaned_data["new_words"]


class AddPerson(AddingForm):
    new_person = forms.CharField(label="Name", max_length=300)
    new_role = forms.ChoiceField(
        label="Role", choices=[(role, role) for role in ROLES], initial=PRESET["new_role"]
    )
    new_handle = forms.CharField(label="@handle or page, if known", max_length=500, required=False)

    def entry(self) -> tuple[str, str]:
        given = self.cleaned_data
        key = person_key(self.episode.podcast, given["new_person"], given["new_handle"])
        return key, f"{given['new_role']} {given['new_person']}"


class AddReference(AddingForm):
    new_relation = forms.ChoiceField(
        label="Relation", choices=Reference.KINDS, initial=PRESET["new_relation"]
    )

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        field = EpisodeField(self.episode.podcast, self.episode, label="Episode")
        self.fields = {"new_reference": field, **self.fields}

    def entry(self) -> tuple[str, str]:
        given = self.cleaned_data
        return " ".join(anchor(given["new_reference"])), given["new_relation"]


class AddMoment(AddingForm):
    new_about = forms.ModelChoiceField(
        Topic.objects.order_by("name"), label="Topic", to_field_name="slug"
    )
    new_start = forms.CharField(label="From", max_length=20)
    new_end = forms.CharField(label="To", max_length=20)
    new_quote = forms.CharField(label="Caption", max_length=400, required=False)

    def entry(self) -> tuple[str, str]:
        given = self.cleaned_data
        start, end = position(given["new_start"]), position(given["new_end"])
        length = self.episode.duration_seconds
        if length and end and end > length:
            raise Impossible(f"The episode ends at {clock(length)}.")
        return f"{given['new_about'].slug} {start}-{end}", given["new_quote"]


# For each list: its label, its entries, and the form that adds one.
KINDS: Mapping[str, tuple[str, Callable[..., Iterator[ListedEntry]], type[AddingForm]]] = {
    "topic": ("Topics", topics_of, AddTopic),
    "link": ("Links", links_of, AddLink),
    "person": ("People", people_of, AddPerson),
    "reference": ("Other episodes", references_of, AddReference),
    "moment": ("Moments", moments_of, AddMoment),
}


def removed_entries(episode: Episode, kind: str) -> list[ListedEntry]:
    """The entries of a list that curators removed; of conflicts, those that they closed."""
    found = []
    for row in in_force(episode, kind, value=REMOVED):
        words = f"by {row.made_by or 'somebody'} on {date(row.made_at)}. {row.reason}"
        found.append(ListedEntry(row.key, name_in_list(episode.podcast, kind, row.key), words))
    return found


# --- The screen --------------------------------------------------------------------------------


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
        self.buttons: dict[str, Callable[[str, str], str]] = {
            "take": self.take,
            "release": self.release,
            "remove": self.remove,
            "bring_back": self.bring_back,
            "keep": self.keep,
        }
        if self.kwargs.get("verb", "take") not in self.buttons:
            raise Http404
        self.sent = {name: str(value) for name, value in self.request.POST.items()}
        self.values = ValuesForm(self.sent, self.episode)
        self.adding = {
            kind: form(self.episode, self.sent or None) for kind, (_, _, form) in KINDS.items()
        }

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "verb" in kwargs or self.episode.slug != unquote(kwargs["slug"]):
            return HttpResponseRedirect(page_of(self.episode))
        self.form = self.get_form()
        return self.page()

    def act(self) -> None:
        asked = {name: str(value).replace("\0", "") for name, value in self.request.GET.items()}
        with transaction.atomic():
            told = [self.save_values(), *map(self.add, self.adding)]
            if verb := self.kwargs.get("verb"):
                told.append(self.buttons[verb](asked.get("kind", ""), asked.get("key", "")))
        self.message = " ".join(words for words in told if words) or "No changes to save."

    @property
    def how(self) -> dict[str, str]:
        """The arguments of a verb; only the first one finds the episode as the form had it."""
        arguments, self.seen = super().how, []
        return arguments

    def save_values(self) -> str:
        """Save the values that were typed in the fields; a message about them, "" for none."""
        typed = self.values.typed()
        if not self.values.is_valid():
            raise Impossible("Not saved. Correct the marked fields.")
        if not typed:
            return ""
        override(self.request.user, self.episode, typed, **self.how)
        warn_of_number(self.request, episode_of(self.item) or self.episode)
        names = ", ".join(BY_NAME[name].label.lower() for name in typed)
        return f"Saved: {names}. Locked: sources no longer change it."

    def add(self, kind: str) -> str:
        """Save the values that were typed beside a list; a message about them, "" for none."""
        form, label = self.adding[kind], KINDS[kind][0]
        if not form.is_valid():
            raise Impossible(f"{label}: {next(iter(form.errors.values()))[0]}")
        if not form.has_changed():
            return ""
        was = add(self.request.user, self.episode, kind, *form.entry(), **self.how)
        instead = f", in place of “{was}”" if was else ""
        return f"Added to the {label.lower()}{instead}."

    # --- Buttons ---

    def take(self, name: str, entry: str) -> str:
        own = {str(row.item_id): (row, said) for row, said in self.entries}
        if entry not in own or name not in BY_NAME:
            raise Impossible("That entry no longer belongs to this episode.")
        (row, said), field = own[entry], BY_NAME[name]
        override(self.request.user, self.episode, {name: field.text_in(said)}, **self.how)
        return f"{field.label}: taken from {row.item.document.source.heading}."

    def release(self, kind: str, name: str) -> str:
        release(self.request.user, self.episode, [name], **self.how)
        return "The field follows the sources again."

    def remove(self, kind: str, key: str) -> str:
        remove(self.request.user, self.episode, kind, key, **self.how)
        return "Removed. Later imports do not bring it back, but you can."

    def bring_back(self, kind: str, key: str) -> str:
        bring_back(self.request.user, self.episode, kind, key, **self.how)
        return "Brought back."

    def keep(self, kind: str, key: str) -> str:
        """With what a person, or another episode, is to this one."""
        choice = said_in(self.request, self.request.GET.get("choice", ""))
        add(self.request.user, self.episode, kind, key, choice, **self.how)
        return "Kept. Later imports do not change it."

    # --- The page ---

    def context(self) -> dict[str, Any]:
        episode = self.episode
        lists = [
            {
                "kind": kind,
                "label": label,
                "entries": list(entries(episode)),
                "removed": removed_entries(episode, kind),
                "adding": self.adding[kind],
            }
            for kind, (label, entries, _) in KINDS.items()
        ]
        symbols = CodeName.objects.filter(mentions__episode=episode)
        show = Episode.objects.filter(podcast=episode.podcast).named()
        return {
            "episode": episode,
            "fields": field_rows(ValuesForm(self.values.typed(), episode), self.entries),
            "conflicts": conflicts(episode),
            "closed": removed_entries(episode, "conflict"),
            "lists": lists,
            "entries": self.entries,
            "changes": changes_of(episode).select_related("podcast")[:MOST_CHANGES],
            "seen": token(episode),
            "sent": self.sent,
            "transcript": Transcript.objects.filter(episode=episode).exists(),
            "symbols": symbols.distinct().order_by("name"),
            "older": show.filter(order__lt=episode.order).order_by("-order").first(),
            "newer": show.filter(order__gt=episode.order).order_by("order").first(),
        }


class EpisodeForm(forms.Form):
    """The fields that a source could state, each as text that `curation.clean` understands."""

    podcast = forms.ModelChoiceField(
        Podcast.objects.order_by("title"), label="show", empty_label=None
    )
    reason = forms.CharField(
        required=False, max_length=500, help_text="Where you know it from (shown in History)."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in BY_HAND:
            how = {"label": field.label.lower(), "help_text": field.hint or field.expects}
            self.fields[field.name] = ValueField(field, required=field is TITLE, **how)
        self.fields["reason"] = self.fields.pop("reason")

    def values(self) -> dict[str, str]:
        return {field.name: self.cleaned_data[field.name] for field in BY_HAND}


class AddEpisodeView(ActionView):
    """A title that the show has already is asked about first."""

    form_class = EpisodeForm
    template_name = "admin/curation/by_hand.html"
    title = "Add an episode"
    done = "“{view.form.cleaned_data[title]}” was added."

    def asks(self) -> bool:
        given = self.form.cleaned_data
        rows = Episode.objects.filter(podcast=given["podcast"], title__iexact=given["title"])
        self.alike = list(rows[:5])
        return "anyway" not in self.request.POST and bool(self.alike)

    def preview(self) -> dict[str, Any]:
        return {"alike": self.alike}

    def act(self) -> None:
        given = self.form.cleaned_data
        self.item = curation.add_episode(
            self.request.user, given["podcast"], self.form.values(), reason=given["reason"]
        )

    def succeeded(self) -> HttpResponse:
        self.address = inbox_at(kind="held")
        if episode := curation.episode_of(self.item):
            warn_of_number(self.request, episode)
            self.address = page_of(episode)
        return super().succeeded()

    def get_success_url(self) -> str:
        return self.address
