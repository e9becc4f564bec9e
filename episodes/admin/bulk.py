"""Decisions about a selection of episodes: chosen in the list, looked at before they are made, taken back together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path

from .. import curation
from ..fields import OVERRIDABLE
from ..models import BATCH, Attachment, Change, Credit, Episode, EpisodeTopic, Item, Override, Person, Topic, batches
from ..text.formatting import counted
from .base import attempt, listing, lot_at, screen
from .listed import ROLES

SALT = "episodes.admin.bulk"
ONE_DAY = 86_400
CURATE = "episodes.curate"


class Deed(forms.Form):
    """What is done to each of the selected episodes."""

    label = ""
    reason = forms.CharField(max_length=500, required=False, help_text="Why; it stands in the history.")

    def __init__(self, *args: Any, episodes: Sequence[Episode], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order_fields(["topic", "person", "name", "handle", "role", "fields_", "reason"])
        self.offer(episodes)

    def offer(self, episodes: Sequence[Episode]) -> None:
        """Offer what makes sense for these episodes."""

    def concerned(self, episodes: Sequence[Episode]) -> set[int]:
        """The ids of those that it would change."""
        raise NotImplementedError

    def act(self, user: Any, episode: Episode, **how: Any) -> None:
        raise NotImplementedError


class OneTopic(Deed):
    topic = forms.ModelChoiceField(Topic.objects.order_by("name"), to_field_name="slug")

    def having(self, episodes: Sequence[Episode], **more: Any) -> set[int]:
        ids = {e.pk for e in episodes}
        return ids & set(self.cleaned_data["topic"].uses.filter(**more).values_list("episode", flat=True))


class AddTopic(OneTopic):
    label = "Add a topic"

    def concerned(self, episodes: Sequence[Episode]) -> set[int]:
        return {e.pk for e in episodes} - self.having(episodes)

    def act(self, user: Any, episode: Episode, **how: Any) -> None:
        curation.add(user, episode, "topic", self.cleaned_data["topic"].slug, **how)


class KeepTopic(AddTopic):
    label = "Confirm a doubtful topic"

    def concerned(self, episodes: Sequence[Episode]) -> set[int]:
        return self.having(episodes, confidence="low")


class RemoveTopic(OneTopic):
    label = "Take a topic out"

    def offer(self, episodes: Sequence[Episode]) -> None:
        ids = {e.pk for e in episodes}
        there = {topic for topic, episode in EpisodeTopic.objects.values_list("topic", "episode") if episode in ids}
        self.fields["topic"].queryset = Topic.objects.filter(pk__in=there).order_by("name")  # type: ignore[attr-defined]

    def concerned(self, episodes: Sequence[Episode]) -> set[int]:
        return self.having(episodes)

    def act(self, user: Any, episode: Episode, **how: Any) -> None:
        curation.remove(user, episode, "topic", self.cleaned_data["topic"].slug, **how)


class AddPerson(Deed):
    label = "Add a person"
    name = forms.CharField(max_length=200)
    handle = forms.CharField(max_length=500, required=False, help_text="@handle or address, where one is known.")
    role = forms.ChoiceField(choices=[(role, role) for role in ROLES], initial="guest")

    def concerned(self, episodes: Sequence[Episode]) -> set[int]:
        given = self.cleaned_data
        keys = {e.podcast_id: curation.person_key(e.podcast, given["name"], given["handle"]) for e in episodes}
        people = Person.objects.filter(identity__in=set(keys.values()), credits__role=given["role"])
        there = set(people.values_list("credits__episode", "identity"))
        return {e.pk for e in episodes if (e.pk, keys[e.podcast_id]) not in there}

    def act(self, user: Any, episode: Episode, **how: Any) -> None:
        given = self.cleaned_data
        key = curation.person_key(episode.podcast, given["name"], given["handle"])
        curation.add(user, episode, "person", key, f"{given['role']} {given['name']}", **how)


class RemovePerson(Deed):
    label = "Take a person out"
    person = forms.ModelChoiceField(Person.objects.order_by("name"), to_field_name="slug")

    def offer(self, episodes: Sequence[Episode]) -> None:
        ids = {e.pk for e in episodes}
        there = {person for person, episode in Credit.objects.values_list("person", "episode") if episode in ids}
        if len(there) <= BATCH:  # else everybody stays to be chosen from
            self.fields["person"].queryset = Person.objects.filter(pk__in=there).order_by("name")  # type: ignore[attr-defined]

    def concerned(self, episodes: Sequence[Episode]) -> set[int]:
        return {e.pk for e in episodes} & set(self.cleaned_data["person"].credits.values_list("episode", flat=True))

    def act(self, user: Any, episode: Episode, **how: Any) -> None:
        curation.remove(user, episode, "person", self.cleaned_data["person"].identity, **how)


class Release(Deed):
    label = "Release fields"
    fields_ = forms.MultipleChoiceField(
        label="Fields",
        choices=[(field.name, field.label) for field in OVERRIDABLE],
        widget=forms.CheckboxSelectMultiple,
    )

    def concerned(self, episodes: Sequence[Episode]) -> set[int]:
        rows = Override.objects.filter(ended_at=None, field__in=self.cleaned_data["fields_"])
        locked = set(rows.values_list("podcast", "source", "item_key"))
        known = curation.entries(episodes)
        return {e.pk for e in episodes if any((e.podcast_id, *ref) in locked for ref in known[e.pk])}

    def act(self, user: Any, episode: Episode, **how: Any) -> None:
        curation.release(user, episode, self.cleaned_data["fields_"], **how)


DEEDS: dict[str, type[Deed]] = {
    "add-topic": AddTopic,
    "keep-topic": KeepTopic,
    "remove-topic": RemoveTopic,
    "add-person": AddPerson,
    "remove-person": RemovePerson,
    "release": Release,
}


@dataclass(frozen=True)
class PreviewLine:
    """What would become of one episode: (what, before, after)."""

    heading: str
    changes: list[tuple[str, str, str]]


def facts(items: Iterable[int]) -> dict[int, dict[str, str]]:
    """What people see of the episodes that these entries belong to."""
    credited = Prefetch("episode__credits", Credit.objects.select_related("person"))
    rows = Attachment.objects.select_related("episode").prefetch_related("episode__topics", credited)
    found = {}
    for row in (row for some in batches(list(items)) for row in rows.filter(item__in=some)):
        episode = row.episode
        found[row.item_id] = {
            **{field.label.lower(): field.shown(episode) for field in OVERRIDABLE},
            "topics": ", ".join(sorted(topic.name for topic in episode.topics.all())),
            "people": ", ".join(sorted(f"{c.person.name} ({c.role})" for c in episode.credits.all())),
        }
    return found


def differences(
    before: dict[int, dict[str, str]], after: dict[int, dict[str, str]], names: dict[int, str]
) -> list[PreviewLine]:
    lines = []
    for item, name in names.items():
        was, now = before.get(item, {}), after.get(item, {})
        lines.append(
            PreviewLine(name, [(what, was[what], now.get(what, "")) for what in was if was[what] != now.get(what, "")])
        )
    return lines


Action = Callable[[Any, HttpRequest, QuerySet[Episode]], HttpResponse | None]


def action(name: str, deed: type[Deed]) -> Action:
    """An action of the list that leads to the deed's form."""

    @admin.action(description=f"{deed.label}…", permissions=["curate"])
    def begin(owner: Several, request: HttpRequest, queryset: QuerySet[Episode]) -> HttpResponse:
        episodes = list(queryset.select_related("podcast").prefetch_related(None).order_by("podcast", "-order"))
        tokens = curation.tokens(episodes)
        chosen = [(e.slug, tokens[e.pk]) for e in episodes]
        return owner.deed_page(request, name, deed(episodes=episodes), chosen, episodes)

    begin.__name__ = name.replace("-", "_")
    return begin


class Several(admin.ModelAdmin):
    """The part of the list of episodes that acts on a selection."""

    actions: Any = tuple(action(name, deed) for name, deed in DEEDS.items())

    def has_curate_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_staff and request.user.has_perm(CURATE))

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view
        own = [
            path("several/", view(self.deed_view), name="episodes_episode_several"),
            path("several/done/", view(self.done_view), name="episodes_episode_several_done"),
        ]
        return [*own, *super().get_urls()]

    def deed_page(
        self, request: HttpRequest, name: str, form: Deed, chosen: Sequence[tuple[str, str]], episodes: Sequence[Episode],
        **more: Any,
    ) -> HttpResponse:  # fmt: skip
        signed = signing.dumps([request.user.pk, name, chosen], salt=SALT, compress=True)
        crumbs = [(listing("episode"), "Episodes")]
        context = {"form": form, "selection": signed, "count": len(episodes), "episodes": episodes[:200], **more}
        return screen(self, request, "bulk", form.label, crumbs, **context)

    def deed_view(self, request: HttpRequest) -> HttpResponse:
        """Look ahead, or do it."""
        if not self.has_curate_permission(request):
            raise PermissionDenied
        if request.method != "POST":
            return self.back(request, "")
        try:
            owner, name, chosen = signing.loads(request.POST.get("selection", ""), salt=SALT, max_age=ONE_DAY)
        except signing.BadSignature:
            return self.back(request, "That selection cannot be read any more. Select the episodes again.")
        if owner != request.user.pk or name not in DEEDS:
            return self.back(request, "That selection is somebody else's. Select the episodes again.")
        tokens = dict(chosen)
        episodes = episodes_at(list(tokens))
        form = DEEDS[name](request.POST, episodes=episodes)
        if not form.is_valid():
            return self.deed_page(request, name, form, chosen, episodes)
        wanted = form.concerned(episodes)
        concerned = [e for e in episodes if e.pk in wanted]
        run = partial(carry_out, request.user, form, concerned, tokens)
        if "_do" in request.POST:
            lot, refused = run()
            return self.finished(request, lot, [*refused, *gone(tokens, episodes)], form.label)
        names = entries_of(concerned)
        before, refused = facts(names), []
        after = curation.rehearsed(lambda: refused.extend(run()[1]), lambda: facts(names)) if concerned else {}
        more = {
            "lines": differences(before, after, names),
            "refused": [*refused, *gone(tokens, episodes)],
            "others": len(episodes) - len(concerned),
        }
        return self.deed_page(request, name, form, chosen, episodes, looked=True, **more)

    def back(self, request: HttpRequest, why: str) -> HttpResponse:
        if why:
            messages.error(request, why)
        return HttpResponseRedirect(listing("episode"))

    def finished(self, request: HttpRequest, lot: curation.Lot, refused: Sequence[str], what: str) -> HttpResponse:
        if lot.made:
            messages.success(request, f"{what}: done for {counted(len(lot.made), 'episode', 'episodes')}.")
        else:
            messages.warning(request, "Nothing was changed.")
        for why in refused[:20]:
            messages.error(request, f"Not done: {why}")
        if len(refused) > 20:
            messages.error(request, f"and {len(refused) - 20} more were not done.")
        return HttpResponseRedirect(lot_at(lot.name if lot.made else ""))

    def done_view(self, request: HttpRequest) -> HttpResponse:
        """What was changed together, and the way back: whoever may decide may take back what others decided."""
        if not self.has_curate_permission(request):
            raise PermissionDenied
        name = request.GET.get("lot", "")[:32]
        changes = list(Change.objects.filter(lot=name).order_by("pk")) if name and "\0" not in name else []
        if request.method == "POST":
            standing = [change for change in changes if change.undone_at is None]
            attempt(
                request,
                lambda: curation.undo_all(request.user, standing),
                f"{counted(len(standing), 'change', 'changes')} taken back.",
            )
            return HttpResponseRedirect(lot_at(name))
        standing = [change for change in changes if change.undone_at is None]
        crumbs = [(listing("episode"), "Episodes")]
        context = {"changes": changes, "standing": len(standing), "history": listing("change")}
        return screen(self, request, "bulk_done", "Changed together", crumbs, **context)


def episodes_at(slugs: Sequence[str]) -> list[Episode]:
    found: dict[str, Episode] = {}
    for some in batches(slugs):
        rows = Episode.objects.select_related("podcast").filter(slug__in=some)
        found |= {e.slug: e for e in rows}
    return [found[slug] for slug in slugs if slug in found]


def gone(tokens: dict[str, str], episodes: Sequence[Episode]) -> list[str]:
    return [f"{slug}: it has another address now, or is gone." for slug in tokens.keys() - {e.slug for e in episodes}]


def entries_of(episodes: Sequence[Episode]) -> dict[int, str]:
    """An entry of each episode, which stays when its row does not, with the episode's name."""
    items: dict[int, int] = {}
    for some in batches([e.pk for e in episodes]):
        items |= dict(Item.objects.filter(attachment__episode__in=some).values_list("attachment__episode", "pk"))
    return {items[e.pk]: e.heading for e in episodes if e.pk in items}


def carry_out(
    user: Any, form: Deed, episodes: Sequence[Episode], tokens: dict[str, str]
) -> tuple[curation.Lot, list[str]]:
    how = {"reason": form.cleaned_data["reason"]}
    shows = {e.podcast_id: e.podcast for e in episodes}
    with curation.together(form.label.lower(), shows.values()) as lot:
        refused = curation.each(
            lot, ((e.heading, partial(form.act, user, e, seen=tokens[e.slug], **how)) for e in episodes)
        )
    return lot, refused
