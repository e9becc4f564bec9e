"""The form of an episode: own value beside every source's, what is locked, what is listed, and what
was changed before."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect

from ..curation import (
    Impossible,
    Stale,
    Thing,
    add,
    bring_back,
    changes_of,
    episode_of,
    hide,
    override,
    release,
    remove,
    token,
)
from ..fields import BY_NAME, NUMBER, SEASON
from ..models import Change, CodeMention, CodeName, Episode, Person
from ..text.formatting import episodes
from . import fields, listed
from .base import is_id, page_of, said_in
from .conflicts import closed_conflicts, conflicts
from .episode import EpisodeAction, entries_of, warn_of_number

MOST_CHANGES = 200
LONGEST_NAME = 2200  # of a field of the form that is about one entry of a list
Outcome = tuple[
    str, Iterable[str]
]  # of a button: the message, and the fields that have got their value


class VerbForm(forms.Form):
    """The part of the episode that a button is about, as its address names it."""

    kind = forms.CharField(required=False, max_length=50)
    key = forms.CharField(required=False, max_length=LONGEST_NAME, strip=False)
    choice = forms.CharField(required=False, max_length=50)  # the name of a field beside the button


class EpisodeView(EpisodeAction):
    """Does what one button is for; what was typed beside it is kept, and shown again until it is
    saved.

    The buttons of the form send it to the addresses of their verbs.
    """

    template_name = "admin/curation/episode.html"
    title = "{view.episode.heading}"
    done = "{view.message}"
    seen_fields = ("token",)

    def prepare(self) -> None:
        super().prepare()
        self.crumbs = ()
        self.verb = VERBS.get(self.kwargs.get("verb", "save"))
        if self.verb is None:
            raise Http404
        self.sent = {name: str(value) for name, value in self.request.POST.items()}
        self.typed = fields.ValuesForm(self.sent, self.episode).typed()
        self.how = {"seen": self.seen_first, "reason": self.reason}
        self.matches: list[Episode] = []
        self.since: list[Change] | None = None

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if "verb" in kwargs or self.episode.slug != unquote(kwargs["slug"]):
            return HttpResponseRedirect(page_of(self.episode))
        return super().get(request, *args, **kwargs)

    def act(self) -> None:
        about = VerbForm(self.request.GET)
        if not about.is_valid() or self.verb is None:
            raise Impossible("Choose one of the buttons.")
        asked = about.cleaned_data
        if asked["kind"] not in listed.KINDS and self.verb is VERBS["add"]:
            raise Impossible("Choose one of the buttons.")
        self.choice = said_in(self.request, asked["choice"])
        self.message, saved = self.verb(self, asked["kind"], asked["key"].replace("\0", ""))
        self.left = {name: value for name, value in self.typed.items() if name not in saved}

    def succeeded(self) -> HttpResponse:
        if self.matches:
            messages.warning(self.request, "Several episodes fit; choose one of them below.")
            return self.page()
        answer = super().succeeded()
        if not self.left:
            return answer
        messages.warning(self.request, f"Not saved yet: {labels(self.left)}.")
        self.typed, self.sent = self.left, {}
        return self.page()

    def refused(self, refusal: Exception) -> HttpResponse:
        if isinstance(refusal, Stale):
            last = self.sent.get("last", "")
            self.since = list(changes_of(self.now()).filter(pk__gt=last)) if is_id(last) else []
        return self.page()

    def now(self) -> Episode:
        """The episode as it is after a change, under whatever row."""
        return episode_of(self.item) or self.episode

    # --- Buttons ---

    def save(self, kind: str, key: str) -> Outcome:
        if any(fields.trouble(self.episode, name, value) for name, value in self.typed.items()):
            raise Impossible("Not saved. Correct the marked fields.")
        if not self.typed:
            return "No changes to save.", ()
        override(self.request.user, self.episode, self.typed, **self.how)
        if {NUMBER.name, SEASON.name} & self.typed.keys():
            warn_of_number(self.request, self.now())
        return f"Saved: {labels(self.typed)}. Locked: sources no longer change it.", self.typed

    def take(self, name: str, entry: str) -> Outcome:
        row, said = next(
            ((row, said) for row, said in self.entries if str(row.item_id) == entry), (None, None)
        )
        if row is None or said is None or name not in BY_NAME:
            raise Impossible("That entry no longer belongs to this episode.")
        field = BY_NAME[name]
        override(self.request.user, self.episode, {name: field.text_in(said)}, **self.how)
        return f"{field.label}: taken from {row.item.document.source.heading}.", (name,)

    def release(self, kind: str, name: str) -> Outcome:
        if name not in BY_NAME:
            raise Impossible("Unknown field.")
        release(self.request.user, self.episode, [name], **self.how)
        return f"{BY_NAME[name].label} follows the sources again.", (name,)

    def remove(self, kind: str, key: str) -> Outcome:
        if kind == "reference":
            key = listed.reference_key(self.episode.podcast, key)
        remove(self.request.user, self.episode, kind, key, **self.how)
        return "Removed. Later imports will not add it again; “Bring back” does.", ()

    def bring_back(self, kind: str, key: str) -> Outcome:
        bring_back(self.request.user, self.episode, kind, key, **self.how)
        return "Brought back.", ()

    def keep(self, kind: str, key: str) -> Outcome:
        add(self.request.user, self.episode, kind, key, **self.how)
        return "Kept.", ()

    def close(self, kind: str, key: str) -> Outcome:
        remove(self.request.user, self.episode, "conflict", key, **self.how)
        return "Closed. It comes back only if a source changes one of these values.", ()

    def reopen(self, kind: str, key: str) -> Outcome:
        bring_back(self.request.user, self.episode, "conflict", key, **self.how)
        return "Reopened.", ()

    def add(self, kind: str, key: str) -> Outcome:
        chosen = self.sent.get("chosen_reference")  # among several that fit
        data = self.sent | ({"new_reference": chosen} if chosen else {})
        adding = listed.ADDING[kind](self.episode, data)
        if not adding.is_valid():
            self.matches = adding.matches
            if self.matches:
                return "", ()
            raise Impossible(next(iter(adding.errors.values()))[0])
        key, detail = adding.entry()
        add(self.request.user, self.episode, kind, key, detail, **self.how)
        return f"Added to the {listed.KINDS[kind].lower()}.", ()

    def change(self, kind: str, key: str) -> Outcome:
        """What a person, or another episode, is to this one."""
        chosen = self.choice
        if kind == "person":
            name = Person.objects.filter(identity=key).values_list("name", flat=True).first()
            chosen = f"{chosen} {name or ''}"
        if kind == "reference":
            key = listed.reference_key(self.episode.podcast, key)
        add(self.request.user, self.episode, kind, key, chosen, **self.how)
        return "Changed. Later imports keep it.", ()

    def no_symbol(self, kind: str, name: str) -> Outcome:
        show = self.episode.podcast
        uses = CodeMention.objects.filter(name__name=name, episode__podcast=show)
        touched = episodes(uses.aggregate(n=Count("episode", distinct=True))["n"])
        hide(self.request.user, Thing("symbol", name, name), podcast=show, reason=self.reason)
        return (
            f"“{name}” is no longer a symbol in {show}: {touched} changed. History undoes it.",
            (),
        )

    # --- The page ---

    def context(self) -> dict[str, Any]:
        episode = self.now()
        entries = entries_of(episode)
        changes = list(changes_of(episode).select_related("podcast")[:MOST_CHANGES])
        return {
            "episode": episode,
            "fields": fields.rows(episode, entries, self.typed),
            "conflicts": conflicts(episode),
            "closed_conflicts": closed_conflicts(episode),
            "lists": listed.lists(episode, self.sent),
            "entries": entries,
            "changes": changes,
            "token": token(episode),
            "last": max((change.pk for change in changes), default=0),
            "since": self.since,
            "sent": self.sent,
            "matches": self.matches,
            "symbols": CodeName.objects.filter(mentions__episode=episode)
            .distinct()
            .order_by("name"),
            "neighbours": neighbours(episode),
        }


VERBS: dict[str, Callable[[EpisodeView, str, str], Outcome]] = {
    "take": EpisodeView.take,
    "release": EpisodeView.release,
    "remove": EpisodeView.remove,
    "bring_back": EpisodeView.bring_back,
    "keep": EpisodeView.keep,
    "add": EpisodeView.add,
    "close": EpisodeView.close,
    "reopen": EpisodeView.reopen,
    "change": EpisodeView.change,
    "no_symbol": EpisodeView.no_symbol,
    "save": EpisodeView.save,
}


def labels(names: Iterable[str]) -> str:
    return ", ".join(BY_NAME[name].label.lower() for name in names)


def neighbours(episode: Episode) -> dict[str, Episode | None]:
    show = Episode.objects.filter(podcast=episode.podcast).named()
    return {
        "older": show.filter(order__lt=episode.order).order_by("-order").first(),
        "newer": show.filter(order__gt=episode.order).order_by("order").first(),
    }
