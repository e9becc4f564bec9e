"""The form of an episode: own value beside every source's, what is locked, what is listed, and what
was changed before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect

from ..curation import (
    Impossible,
    Stale,
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
from ..fields import (
    BY_NAME,
    EPISODE_TYPE,
    EXPLICIT,
    OVERRIDABLE,
    TYPES,
    Field,
)
from ..models import (
    REMOVED,
    TRANSCRIPTS,
    Change,
    CodeName,
    Decision,
    Episode,
    Reference,
    Topic,
    Transcript,
    chosen_moments,
)
from ..text.formatting import clock, position
from ..text.link_labels import ONE
from . import upstream
from .base import date, number_in, page_of, row_at, said_in
from .episode import EpisodeAction, conflicts, entries_of, warn_of_number
from .finding import EpisodeField

MOST_CHANGES = 200
TALL = 6  # lines of the box of a long text
CHOICES = {EPISODE_TYPE: TYPES, EXPLICIT: ("yes", "no")}
ROLES = ("host", "guest", "co-host")
PRESET = {"new_role", "new_relation"}  # inputs beside *Add* that are never empty
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


def widget_of(field: Field[Any]) -> forms.Widget:
    """The input of a field: a list where its values are few."""
    if field in CHOICES:
        return forms.Select(choices=[("", "not known"), *((one, one) for one in CHOICES[field])])
    if field.long:
        return forms.Textarea({"rows": TALL})
    return forms.TextInput({"data-picker": field.picker} if field.picker else None)


class ValueField(forms.CharField):
    """A value of a field of an episode, typed in any way that `curation.clean` understands."""

    def __init__(self, field: Field[Any], **kwargs: Any) -> None:
        longest = 200_000 if field.long else 2000
        super().__init__(max_length=longest, widget=widget_of(field), **kwargs)
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


def field_rows(
    episode: Episode, entries: Entries, typed: Mapping[str, str]
) -> list[dict[str, Any]]:
    """The fields of the form, each with its input, its lock and what the sources have."""
    form = ValuesForm(typed, episode)
    locks = {row.field: row for row in in_force(episode, "value")}
    moved = upstream.changed(Decision.objects.filter(pk__in=[row.pk for row in locks.values()]))
    rows = []
    for field in OVERRIDABLE:
        value, lock = field.of(episode), locks.get(field.name)
        rows.append(
            {
                "field": field,
                "input": form[field.name],
                "unsaved": field.name in form.changed_data,
                "words": "" if value is None else field.worded(value),
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
    """The inputs that add an entry to a list of an episode."""

    use_required_attribute = False

    def __init__(self, episode: Episode, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"auto_id": "add_%s", **kwargs})
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
    new_role = forms.ChoiceField(label="Role", choices=[(role, role) for role in ROLES])
    new_handle = forms.CharField(label="@handle or page, if known", max_length=500, required=False)

    def entry(self) -> tuple[str, str]:
        given = self.cleaned_data
        key = person_key(self.episode.podcast, given["new_person"], given["new_handle"])
        return key, f"{given['new_role']} {given['new_person']}"


class AddReference(AddingForm):
    new_relation = forms.ChoiceField(label="Relation", choices=Reference.KINDS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
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


def lists_of(episode: Episode, sent: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "kind": kind,
            "label": label,
            "entries": list(entries(episode)),
            "removed": removed_entries(episode, kind),
            "adding": adding(episode, initial=sent),
        }
        for kind, (label, entries, adding) in KINDS.items()
    ]


def removed_entries(episode: Episode, kind: str) -> list[ListedEntry]:
    """The entries of a list that curators removed; of conflicts, those that they closed."""
    found = []
    for row in in_force(episode, kind, value=REMOVED):
        words = f"by {row.made_by or 'somebody'} on {date(row.made_at)}. {row.reason}"
        found.append(ListedEntry(row.key, name_in_list(episode.podcast, kind, row.key), words))
    return found


# --- The screen --------------------------------------------------------------------------------


Outcome = tuple[
    str, Iterable[str]
]  # of a button: the message, and the fields that have got their value


class EpisodeView(EpisodeAction):
    """Does what one button is for; what was typed beside it is kept, and shown again until it is
    saved.

    The buttons of the form send it to the addresses of their verbs.
    """

    template_name = "admin/curation/episode.html"
    title = "{view.episode.heading}"
    done = "{view.message}"

    def prepare(self) -> None:
        super().prepare()
        self.crumbs = ()
        self.verb = VERBS.get(self.kwargs.get("verb", "save"))
        if self.verb is None:
            raise Http404
        self.sent = {name: str(value) for name, value in self.request.POST.items()}
        self.values = ValuesForm(self.sent, self.episode)
        self.typed = self.values.typed()
        self.since: list[Change] | None = None

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "verb" in kwargs or self.episode.slug != unquote(kwargs["slug"]):
            return HttpResponseRedirect(page_of(self.episode))
        self.form = self.get_form()
        return self.page()

    def act(self) -> None:
        asked = {name: str(value).replace("\0", "") for name, value in self.request.GET.items()}
        self.choice = said_in(self.request, asked.get("choice", ""))
        verb: Any = self.verb
        self.message, saved = verb(self, asked.get("kind", ""), asked.get("key", ""))
        self.left = {name: value for name, value in self.typed.items() if name not in saved}

    def succeeded(self) -> HttpResponse:
        answer, lists = super().succeeded(), self.lists_typed_in()
        if self.left:
            messages.warning(self.request, f"Not saved yet: {labels(self.left)}.")
        if lists:
            messages.warning(self.request, f"Not added yet: {', '.join(lists).lower()}.")
        if not (self.left or lists):
            return answer
        self.typed = self.left
        self.sent = {name: value for name, value in self.sent.items() if name.startswith("new_")}
        return self.page()

    def lists_typed_in(self) -> list[str]:
        """The labels of the lists that have something typed beside *Add*."""
        forms_of = ((label, form(self.episode, self.sent)) for label, _, form in KINDS.values())
        return [label for label, form in forms_of if {*form.changed_data} - PRESET]

    def refused(self, refusal: Exception) -> HttpResponse:
        if isinstance(refusal, Stale):
            last = number_in(self.request, "last")
            self.since = list(changes_of(self.now()).filter(pk__gt=last))
        return self.page()

    def now(self) -> Episode:
        """The episode as it is after a change, under whatever row."""
        return episode_of(self.item) or self.episode

    # --- Buttons ---

    def save(self, kind: str, key: str) -> Outcome:
        if not self.values.is_valid():
            raise Impossible("Not saved. Correct the marked fields.")
        if not self.typed:
            return "No changes to save.", ()
        override(self.request.user, self.episode, self.typed, **self.how)
        warn_of_number(self.request, self.now())
        return f"Saved: {labels(self.typed)}. Locked: sources no longer change it.", self.typed

    def take(self, name: str, entry: str) -> Outcome:
        own = {str(row.item_id): (row, said) for row, said in self.entries}
        if entry not in own or name not in BY_NAME:
            raise Impossible("That entry no longer belongs to this episode.")
        (row, said), field = own[entry], BY_NAME[name]
        override(self.request.user, self.episode, {name: field.text_in(said)}, **self.how)
        return f"{field.label}: taken from {row.item.document.source.heading}.", (name,)

    def release(self, kind: str, name: str) -> Outcome:
        release(self.request.user, self.episode, [name], **self.how)
        return "The field follows the sources again.", (name,)

    def remove(self, kind: str, key: str) -> Outcome:
        remove(self.request.user, self.episode, kind, key, **self.how)
        return "Removed. Later imports do not bring it back, but you can.", ()

    def bring_back(self, kind: str, key: str) -> Outcome:
        bring_back(self.request.user, self.episode, kind, key, **self.how)
        return "Brought back.", ()

    def keep(self, kind: str, key: str) -> Outcome:
        """With what a person, or another episode, is to this one."""
        add(self.request.user, self.episode, kind, key, self.choice, **self.how)
        return "Kept. Later imports do not change it.", ()

    def add(self, kind: str, key: str) -> Outcome:
        if kind not in KINDS:
            raise Impossible("Choose one of the buttons.")
        label, _, form = KINDS[kind]
        adding = form(self.episode, self.sent)
        if not adding.is_valid():
            raise Impossible(next(iter(adding.errors.values()))[0])
        key, detail = adding.entry()
        was = add(self.request.user, self.episode, kind, key, detail, **self.how)
        instead = f", in place of “{was}”" if was else ""
        self.sent = {k: value for k, value in self.sent.items() if k not in adding.fields}
        return f"Added to the {label.lower()}{instead}.", ()

    # --- The page ---

    def context(self) -> dict[str, Any]:
        episode = self.now()
        entries = entries_of(episode)
        changes = list(changes_of(episode).select_related("podcast")[:MOST_CHANGES])
        symbols = CodeName.objects.filter(mentions__episode=episode)
        show = Episode.objects.filter(podcast=episode.podcast).named()
        return {
            "episode": episode,
            "fields": field_rows(episode, entries, self.typed),
            "conflicts": conflicts(episode),
            "closed": removed_entries(episode, "conflict"),
            "lists": lists_of(episode, self.sent),
            "entries": entries,
            "changes": changes,
            "seen": token(episode),
            "last": changes[0].pk if changes else 0,
            "since": self.since,
            "sent": self.sent,
            "transcript": Transcript.objects.filter(episode=episode).exists(),
            "symbols": symbols.distinct().order_by("name"),
            "older": show.filter(order__lt=episode.order).order_by("-order").first(),
            "newer": show.filter(order__gt=episode.order).order_by("order").first(),
        }


VERBS: dict[str, Callable[[EpisodeView, str, str], Outcome]] = {
    "save": EpisodeView.save,
    "take": EpisodeView.take,
    "release": EpisodeView.release,
    "remove": EpisodeView.remove,
    "bring_back": EpisodeView.bring_back,
    "keep": EpisodeView.keep,
    "add": EpisodeView.add,
}


def labels(names: Iterable[str]) -> str:
    return ", ".join(BY_NAME[name].label.lower() for name in names)
