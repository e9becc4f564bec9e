"""Actions on a selection of episodes: chosen in the list, previewed, done together, and undone
together."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import cached_property

from .. import curation
from ..models import Change, Episode, Topic, batches
from ..text.formatting import counted
from .action import ActionView, Unavailable, Words
from .base import listing, page_of
from .episode import topics_of

MOST_LISTED = 200


class RemoveTopic(forms.Form):
    """A change of each selected episode, and the form of its arguments."""

    label = "Remove a topic"
    verb: ClassVar[Any] = staticmethod(curation.remove)
    topic = forms.ModelChoiceField(Topic.objects.order_by("name"), to_field_name="slug")
    reason = forms.CharField(max_length=500, required=False, help_text="Why (shown in History).")

    def concerned(self) -> QuerySet[Episode]:
        """The episodes that it would change, selected or not."""
        return Episode.objects.filter(topics=self.cleaned_data["topic"])


class AddTopic(RemoveTopic):
    label = "Add a topic"
    verb = staticmethod(curation.add)

    def concerned(self) -> QuerySet[Episode]:
        return Episode.objects.exclude(pk__in=super().concerned().values("pk"))


ACTIONS: dict[str, type[RemoveTopic]] = {"add-topic": AddTopic, "remove-topic": RemoveTopic}


# --- The screens -------------------------------------------------------------------------------


class BatchView(ActionView):
    """A change of many episodes: what is refused is told, the rest is done, and the batch is undone
    as one."""

    what = ""
    batch: curation.Batch
    refusals: Sequence[str]

    def get_success_url(self) -> str:
        made = len(self.batch.made)
        done = f"{self.what}: done for {counted(made, 'episode', 'episodes')}."
        messages.info(self.request, done if made else "No changes.")
        for why in self.refusals:
            messages.error(self.request, f"Not done: {why}")
        return batch_at(self.batch.name)


def batch_at(name: str) -> str:
    """The screen of what was changed together under a name."""
    return f"{reverse('admin:episodes_episode_several_done')}?lot={name}"


class BulkView(BatchView):
    """The form of an action, for the selection that the list of episodes handed over."""

    template_name = "admin/curation/bulk.html"
    title = "{view.what}"
    slugs: list[str]  # of the selected episodes
    episodes: list[Episode]

    def prepare(self) -> None:
        try:
            self.name, *slugs = json.loads(self.request.POST.get("selection", ""))
            self.slugs = [str(slug) for slug in slugs]
            self.form_class = ACTIONS[self.name]
        except (ValueError, TypeError, LookupError):
            raise Unavailable(listing("episode"), "Select the episodes again.") from None
        self.what = self.form_class.label
        rows = Episode.objects.select_related("podcast")
        found = [e for some in batches(self.slugs) for e in rows.filter(slug__in=some)]
        self.episodes = sorted(found, key=lambda e: self.slugs.index(e.slug))

    def begin(self, name: str, episodes: list[Episode]) -> HttpResponse:
        """The empty form for a new selection."""
        self.name, self.episodes, self.what = name, episodes, ACTIONS[name].label
        self.slugs = [episode.slug for episode in episodes]
        self.form = ACTIONS[name]()
        return self.page()

    @cached_property
    def concerned(self) -> list[Any]:
        wanted = set(self.form.concerned().values_list("pk", flat=True))
        return [episode for episode in self.episodes if episode.pk in wanted]

    def asks(self) -> bool:
        return "_do" not in self.request.POST

    def act(self) -> None:
        acts = [(episode.heading, partial(self.act_on, episode)) for episode in self.concerned]
        shows = {e.podcast_id: e.podcast for e in self.concerned}
        with curation.together(self.what.lower(), shows.values()) as self.batch:
            refused = self.batch.each(acts)
        gone = set(self.slugs) - {episode.slug for episode in self.episodes}
        lost = (f"{slug}: not found; its address changed or it was removed." for slug in gone)
        self.refusals = [*refused, *lost]

    def act_on(self, episode: Episode) -> None:
        given = self.form.cleaned_data
        entry = ("topic", given["topic"].slug)
        self.form.verb(self.request.user, episode, *entry, reason=given["reason"])

    def look(self) -> Words:
        rows = Episode.objects.select_related("podcast").prefetch_related("topics")
        return {
            (episode.heading, page_of(episode)): topics_of(episode)
            for some in batches([episode.pk for episode in self.concerned])
            for episode in rows.filter(pk__in=some)
        }

    def compare(self, before: Words, after: Words) -> dict[str, Any]:
        others = len(self.episodes) - len(self.concerned)
        found = {"changing": len(self.concerned), "refused": self.refusals, "others": others}
        return super().compare(before, after) | found

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
        rows = Change.objects.filter(lot=self.batch).exclude(lot="")
        self.changes = list(rows.order_by("pk"))
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


def action(name: str, form: type[RemoveTopic]) -> Action:
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
