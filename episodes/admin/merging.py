"""Merging two episodes and splitting one: what would come of it is shown first, and every field can be chosen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from ..curation import Conflict, Impossible, Stale, merge, rehearsed, split, token
from ..fields import OVERRIDABLE
from ..models import Episode, Item
from ..text.formatting import counted
from .base import attempt, episode_at, episode_of, is_id, listing, page_of, said_in, screen
from .editing import entries_of, there
from .finding import found

NEAR = 3  # episodes before and after, offered where nothing is searched for


@dataclass(frozen=True)
class Seen:
    """An episode as it was seen in a rehearsal: what is left of it when that is taken back."""

    heading: str
    slug: str
    values: dict[str, str]
    counts: str
    entries: list[str]

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The fields in words."""
        return [(field.label, field.words(self.values[field.name])) for field in OVERRIDABLE]


@dataclass(frozen=True)
class FieldChoice:
    """A field of both episodes and of what would come of them."""

    name: str
    label: str
    one: str
    other: str
    result: str
    differs: bool


def look(episode: Episode) -> Seen:
    entries = [f"{a.item.document.source.slug}: {said.title or said.text[:80]}" for a, said in entries_of(episode)]
    counts = (
        counted(episode.topic_uses.count(), "topic", "topics"),
        counted(episode.mentions.count(), "link", "links"),
        counted(episode.credits.count(), "person", "people"),
        counted(episode.references.count(), "other episode", "other episodes"),
    )
    values = {field.name: field.shown(episode) for field in OVERRIDABLE}
    return Seen(episode.heading, episode.slug, values, ", ".join(counts).lower(), entries)


def _entry(episode: Episode) -> Item:
    return entries_of(episode)[0][0].item


def merging(owner: admin.ModelAdmin, request: HttpRequest, address: str) -> HttpResponse:
    one = there(owner, request, address)
    other = episode_at(said_in(request, "with")) if said_in(request, "with") else None
    if request.method == "POST":
        return _merge(request, one, other)
    crumbs = [(listing("episode"), "Episodes"), (page_of(one), one.heading)]
    more: dict[str, Any] = {"one": one, "other": other, "query": said_in(request, "q")}
    if other is None:
        more["results"] = found(one.podcast, more["query"], without=one) if more["query"] else near(one)
    else:
        more |= _preview(request, lambda: merge(request.user, one, other), [one], [_entry(one)])
        more |= _choices(look(one), look(other), more["after"])
        more["seen"] = [token(one), token(other)]
    return screen(owner, request, "merge", f"Merge {one.heading}", crumbs, **more)


def near(episode: Episode) -> list[Episode]:
    """The neighbours of an episode in its show: what was published twice stands close together."""
    show = Episode.objects.filter(podcast=episode.podcast, order__range=(episode.order - NEAR, episode.order + NEAR))
    return list(show.exclude(pk=episode.pk).newest_first(one_show=True))


def _preview(request: HttpRequest, act: Callable[[], None], kept: list[Episode], items: list[Item]) -> dict[str, Any]:
    """What would come of it, tried out and taken back."""
    if not may(request.user):
        raise PermissionDenied("Only curators may do that.")
    try:
        return {"after": rehearsed(act, lambda: [look(e) for item in items if (e := episode_of(item))])}
    except (Impossible, Stale, Conflict) as refusal:
        return {"after": [], "refusal": str(refusal)}


def may(user: AbstractUser | AnonymousUser) -> bool:
    return user.has_perm("episodes.curate")


def _choices(one: Seen, other: Seen, after: list[Seen]) -> dict[str, Any]:
    result = after[0].values if after else {}
    rows = [
        FieldChoice(
            field.name,
            field.label,
            field.words(one.values[field.name]),
            field.words(other.values[field.name]),
            field.words(result.get(field.name, "")),
            one.values[field.name] != other.values[field.name],
        )
        for field in OVERRIDABLE
    ]
    return {"left": one, "right": other, "choices": rows}


def _merge(request: HttpRequest, one: Episode, other: Episode | None) -> HttpResponse:
    if not may(request.user):
        raise PermissionDenied("Only curators may do that.")
    back = page_of(one, "merge")
    if other is None:
        attempt(request, _nothing, "")
        return HttpResponseRedirect(back)
    sides = {"one": one, "other": other}
    chosen = ((field, request.POST.get(f"of_{field.name}", "")) for field in OVERRIDABLE)
    values = {field.name: field.shown(sides[side]) for field, side in chosen if side in sides}
    seen = request.POST.getlist("seen")[:2]
    item, reason = _entry(one), said_in(request, "reason")
    done = f"“{one.heading}” and “{other.heading}” are one episode now. Both addresses lead here; undo it below."
    if attempt(request, lambda: merge(request.user, one, other, values, seen=seen, reason=reason), done):
        return HttpResponseRedirect(f"{back}?with={other.slug}")
    return HttpResponseRedirect(page_of(episode_of(item) or one))


def _nothing() -> None:
    raise Impossible("Choose the other episode.")


def splitting(owner: admin.ModelAdmin, request: HttpRequest, address: str) -> HttpResponse:
    episode = there(owner, request, address)
    sent = request.POST if request.method == "POST" else request.GET
    chosen = [int(number) for number in sent.getlist("items") if is_id(number)]
    items = list(
        Item.objects.filter(pk__in=chosen[:500], attachment__episode=episode).select_related("document__source")
    )
    if request.method == "POST":
        return _split(request, episode, items)
    crumbs = [(listing("episode"), "Episodes"), (page_of(episode), episode.heading)]
    more: dict[str, Any] = {"episode": episode, "entries": entries_of(episode), "chosen": {i.pk for i in items}}
    if items:
        stay = [a.item for a, _ in entries_of(episode) if a.item not in items]
        more |= _preview(request, lambda: split(request.user, episode, items), [episode], [*stay[:1], items[0]])
        more["token"] = token(episode)
    return screen(owner, request, "split", f"Split {episode.heading}", crumbs, **more)


def _split(request: HttpRequest, episode: Episode, items: list[Item]) -> HttpResponse:
    if not may(request.user):
        raise PermissionDenied("Only curators may do that.")
    stay = next((a.item for a, _ in entries_of(episode) if a.item not in items), None)
    seen, reason = said_in(request, "token"), said_in(request, "reason")
    done = "They are two episodes now; the other one is in the list beside this. Undo it below."
    if attempt(request, lambda: split(request.user, episode, items, seen=seen, reason=reason), done):
        return HttpResponseRedirect(page_of(episode, "split"))
    return HttpResponseRedirect(page_of(episode_of(stay) or episode))
