"""Actions on a selection of episodes: chosen in the list, previewed, done together, and undone
together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import cached_property

from .. import curation
from ..fields import OVERRIDABLE
from ..models import (
    BATCH,
    TAKEN_OUT,
    Attachment,
    Change,
    Credit,
    Decision,
    Episode,
    Person,
    Podcast,
    Topic,
    batches,
)
from ..text.formatting import counted
from .action import ActionView, Unavailable
from .base import listing
from .listed import ROLES

MOST_LISTED = 200
MOST_REFUSED = 20


class BulkAction(forms.Form):
    """A change of each selected episode, and the form of its arguments."""

    label = ""
    verb: Callable[..., None]
    offered: tuple[str, str] = (
        "",
        "",
    )  # a field that offers what the episodes have, and the way to them
    reason = forms.CharField(max_length=500, required=False, help_text="Why (shown in History).")

    def __init__(self, *args: Any, episodes: Sequence[Episode], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields([name for name in self.fields if name != "reason"])
        self.episodes = episodes
        name, way = self.offered
        if name and len(episodes) <= BATCH:  # else everything stays to be chosen from
            field: Any = self.fields[name]
            ids = [episode.pk for episode in episodes]
            field.queryset = field.queryset.filter(**{f"{way}__in": ids}).distinct()

    def concerned(self) -> QuerySet[Episode]:
        """The episodes that it would change, selected or not."""
        return Episode.objects.all()

    def arguments(self, episode: Episode) -> Sequence[Any]:
        """The verb's arguments for an episode."""
        raise NotImplementedError


class TopicAction(BulkAction):
    topic = forms.ModelChoiceField(Topic.objects.order_by("name"), to_field_name="slug")

    def having(self) -> QuerySet[Episode]:
        return Episode.objects.filter(topics=self.cleaned_data["topic"])

    def arguments(self, episode: Episode) -> Sequence[Any]:
        return ("topic", self.cleaned_data["topic"].slug)


class AddTopic(TopicAction):
    label = "Add a topic"
    verb = staticmethod(curation.add)

    def concerned(self) -> QuerySet[Episode]:
        return Episode.objects.exclude(pk__in=self.having().values("pk"))


class RemoveTopic(TopicAction):
    label = "Remove a topic"
    verb = staticmethod(curation.remove)
    offered = ("topic", "uses__episode")

    def concerned(self) -> QuerySet[Episode]:
        return self.having()


class AddPerson(BulkAction):
    label = "Add a person"
    verb = staticmethod(curation.add)
    name = forms.CharField(max_length=200)
    handle = forms.CharField(
        max_length=500, required=False, help_text="@handle or address, if known."
    )
    role = forms.ChoiceField(choices=[(role, role) for role in ROLES], initial="guest")

    def key(self, podcast: Podcast) -> str:
        return curation.person_key(podcast, self.cleaned_data["name"], self.cleaned_data["handle"])

    def concerned(self) -> QuerySet[Episode]:
        keys = {self.key(show) for show in {episode.podcast for episode in self.episodes}}
        there = Credit.objects.filter(person__identity__in=keys, role=self.cleaned_data["role"])
        return Episode.objects.exclude(pk__in=there.values("episode"))

    def arguments(self, episode: Episode) -> Sequence[Any]:
        words = f"{self.cleaned_data['role']} {self.cleaned_data['name']}"
        return ("person", self.key(episode.podcast), words)


class RemovePerson(BulkAction):
    label = "Remove a person"
    verb = staticmethod(curation.remove)
    offered = ("person", "credits__episode")
    person = forms.ModelChoiceField(Person.objects.order_by("name"), to_field_name="slug")

    def concerned(self) -> QuerySet[Episode]:
        uses = self.cleaned_data["person"].credits
        return Episode.objects.filter(pk__in=uses.values("episode"))

    def arguments(self, episode: Episode) -> Sequence[Any]:
        return ("person", self.cleaned_data["person"].identity)


class Release(BulkAction):
    label = "Unlock fields"
    verb = staticmethod(curation.release)
    fields_ = forms.MultipleChoiceField(
        label="Fields",
        choices=[(field.name, field.label) for field in OVERRIDABLE],
        widget=forms.CheckboxSelectMultiple,
    )

    def concerned(self) -> QuerySet[Episode]:
        locks = Decision.objects.in_force("value").filter(
            field__in=self.cleaned_data["fields_"],
            podcast=OuterRef("podcast"),
            source=OuterRef("attachments__item__document__source__slug"),
            item_key=OuterRef("attachments__item__key"),
        )
        return Episode.objects.filter(Exists(locks))

    def arguments(self, episode: Episode) -> Sequence[Any]:
        return (self.cleaned_data["fields_"],)


class TakeOut(BulkAction):
    label = "Take out"
    verb = staticmethod(curation.take_out)
    kind = forms.ChoiceField(
        label="As",
        choices=[(kind, label) for kind, label in TAKEN_OUT.items() if kind != curation.REPLACED],
        help_text="Sources cannot bring them back; you can, under “Taken out”. Their addresses say that they were removed.",
    )

    def arguments(self, episode: Episode) -> Sequence[Any]:
        return (self.cleaned_data["kind"],)


ACTIONS: dict[str, type[BulkAction]] = {
    "add-topic": AddTopic,
    "remove-topic": RemoveTopic,
    "add-person": AddPerson,
    "remove-person": RemovePerson,
    "release": Release,
    "take-out": TakeOut,
}


# --- The preview -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PreviewLine:
    """The changes of one episode: (field, before, after)."""

    heading: str
    changes: list[tuple[str, str, str]]


def facts(items: Iterable[int]) -> dict[int, dict[str, str]]:
    """Displayed values of the episodes that these entries belong to."""
    credited = Prefetch("episode__credits", Credit.objects.select_related("person"))
    rows = Attachment.objects.select_related("episode").prefetch_related(
        "episode__topics", credited
    )
    return {
        row.item_id: _facts(row.episode)
        for some in batches(list(items))
        for row in rows.filter(item__in=some)
    }


def _facts(episode: Episode) -> dict[str, str]:
    return {
        **{field.label.lower(): field.shown(episode) for field in OVERRIDABLE},
        "topics": ", ".join(sorted(topic.name for topic in episode.topics.all())),
        "people": ", ".join(sorted(f"{c.person.name} ({c.role})" for c in episode.credits.all())),
    }


def changed(before: dict[str, str], after: dict[str, str]) -> list[tuple[str, str, str]]:
    if not after:
        return [("catalog", "shown", "taken out")]
    return [
        (what, was, after.get(what, ""))
        for what, was in before.items()
        if was != after.get(what, "")
    ]


def episodes_at(slugs: Sequence[str]) -> list[Episode]:
    rows = Episode.objects.select_related("podcast")
    by_slug = {e.slug: e for some in batches(slugs) for e in rows.filter(slug__in=some)}
    return [by_slug[slug] for slug in slugs if slug in by_slug]


def entries_of(episodes: Sequence[Episode]) -> dict[int, str]:
    """An entry of each episode, which stays when its row does not, with the episode's name."""
    items: dict[int, int] = {}
    for some in batches([e.pk for e in episodes]):
        rows = Attachment.objects.filter(episode__in=some)
        items |= dict(rows.values_list("episode", "item"))
    return {items[e.pk]: e.heading for e in episodes if e.pk in items}


# --- The screens -----------------------------------------------------------------------------------------------------


class BatchView(ActionView):
    """A change of many episodes: what is refused is told, the rest is done, and the batch is undone
    as one."""

    what = ""
    batch: curation.Batch
    refusals: Sequence[str]

    def get_success_url(self) -> str:
        if made := len(self.batch.made):
            messages.success(
                self.request, f"{self.what}: done for {counted(made, 'episode', 'episodes')}."
            )
        else:
            messages.warning(self.request, "No changes.")
        for why in self.refusals[:MOST_REFUSED]:
            messages.error(self.request, f"Not done: {why}")
        if more := len(self.refusals[MOST_REFUSED:]):
            messages.error(self.request, f"and {more} more not done.")
        return batch_at(self.batch.name if self.batch.made else "")


def batch_at(name: str) -> str:
    """The screen of what was changed together under a name; "" for nothing."""
    return reverse("admin:episodes_episode_several_done") + (f"?lot={name}" if name else "")


class BulkView(BatchView):
    """The form of an action, for the selection that the list of episodes signed and handed over."""

    template_name = "admin/curation/bulk.html"
    title = "{view.what}"
    name: str
    slugs: list[str]  # of the selected episodes
    episodes: list[Episode]

    def prepare(self) -> None:
        try:
            name, *slugs = json.loads(self.request.POST.get("selection", ""))
            self.slugs = [str(slug) for slug in slugs]
            self.name = next(known for known in ACTIONS if known == name)
        except (ValueError, TypeError, StopIteration):
            raise Unavailable(listing("episode"), "Select the episodes again.") from None
        self.episodes = episodes_at(self.slugs)

    def begin(self, name: str, episodes: list[Episode]) -> HttpResponse:
        """The empty form for a new selection."""
        self.name, self.episodes = name, episodes
        self.slugs = [episode.slug for episode in episodes]
        self.form = ACTIONS[name](episodes=episodes)
        return self.page()

    def get_form_class(self) -> Any:
        return ACTIONS[self.name]

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "episodes": self.episodes}

    @property
    def what(self) -> str:  # type: ignore[override]
        return ACTIONS[self.name].label

    @cached_property
    def concerned(self) -> list[Episode]:
        wanted = set(self.form.concerned().values_list("pk", flat=True))
        return [episode for episode in self.episodes if episode.pk in wanted]

    @cached_property
    def names(self) -> dict[int, str]:
        return entries_of(self.concerned)

    def asks(self) -> bool:
        return "_do" not in self.request.POST

    def act(self) -> None:
        acts = [(episode.heading, partial(self.act_on, episode)) for episode in self.concerned]
        shows = {e.podcast_id: e.podcast for e in self.concerned}
        with curation.together(self.what.lower(), shows.values()) as self.batch:
            refused = self.batch.each(acts)
        gone = set(self.slugs) - {episode.slug for episode in self.episodes}
        self.refusals = [
            *refused,
            *(f"{slug}: not found; its address changed or it was removed." for slug in gone),
        ]

    def act_on(self, episode: Episode) -> None:
        reason = self.form.cleaned_data["reason"]
        self.form.verb(self.request.user, episode, *self.form.arguments(episode), reason=reason)

    def look(self) -> dict[int, dict[str, str]]:
        return facts(self.names)

    def compare(
        self, before: dict[int, dict[str, str]], after: dict[int, dict[str, str]]
    ) -> dict[str, Any]:
        lines = [
            PreviewLine(name, changed(before[item], after.get(item, {})))
            for item, name in self.names.items()
        ]
        others = len(self.episodes) - len(self.concerned)
        return {"lines": lines, "refused": self.refusals, "others": others}

    def context(self) -> dict[str, Any]:
        return {
            "selection": json.dumps([self.name, *self.slugs]),
            "count": len(self.episodes),
            "episodes": self.episodes[:MOST_LISTED],
        }


class BatchDoneView(ActionView):
    """The changes of a batch, and their undo: a curator may undo what others decided."""

    template_name = "admin/curation/bulk_done.html"
    title = "Bulk edit"
    done = "{view.count} undone."

    def prepare(self) -> None:
        self.batch = self.request.GET.get("lot", "").replace("\0", "")[:32]
        self.changes = (
            list(Change.objects.filter(lot=self.batch).order_by("pk")) if self.batch else []
        )
        self.standing = [change for change in self.changes if change.undone_at is None]
        self.count = counted(len(self.standing), "change", "changes")

    def act(self) -> None:
        curation.undo_all(self.request.user, self.standing)

    def get_success_url(self) -> str:
        return batch_at(self.batch)

    def context(self) -> dict[str, Any]:
        return {
            "changes": self.changes,
            "standing": len(self.standing),
            "history": listing("change"),
        }


Action = Callable[[Any, HttpRequest, QuerySet[Episode]], HttpResponse | None]


def action(name: str, form: type[BulkAction]) -> Action:
    """An action of the list that leads to its form."""

    @admin.action(description=f"{form.label}…", permissions=["curate"])
    def begin(model_admin: Any, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        rows = (
            queryset.select_related("podcast").prefetch_related(None).order_by("podcast", "-order")
        )
        view = BulkView(model_admin=model_admin)
        view.setup(request)
        return view.begin(name, list(rows))

    begin.__name__ = name.replace("-", "_")
    return begin
