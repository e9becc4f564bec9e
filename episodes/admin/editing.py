"""The form of an episode: own value beside every source's, what is locked, what is listed, and what was changed before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect

from ..curation import Impossible, Stale, add, bring_back, changes_of, override, release, remove, token
from ..fields import BY_NAME
from ..models import Attachment, Episode, Item, Reference, Topic
from ..records import EntryData
from . import fields, listed
from .base import attempt, episode_at, episode_of, is_id, listing, page_of, said_in, screen

RECENT = 15
ACTS = ("take", "release", "remove", "bring_back", "keep", "add", "save")


@dataclass
class Sent:
    """What a form brought: the fields that were typed in, what is to be done, and what the form had been shown."""

    typed: dict[str, str]
    act: str
    what: str
    seen: str
    reason: str
    form: Mapping[str, str]
    matches: list[Episode] = field(default_factory=list)


def page(owner: admin.ModelAdmin, request: HttpRequest, address: str) -> HttpResponse:
    episode = there(owner, request, address)
    if request.method == "POST":
        return _act(owner, request, episode)
    if episode.slug != unquote(address):
        return HttpResponseRedirect(page_of(episode))
    return _show(owner, request, episode)


def history(owner: admin.ModelAdmin, request: HttpRequest, address: str) -> HttpResponse:
    episode = there(owner, request, address)
    more = {"episode": episode, "changes": changes_of(episode).select_related("podcast")[:500]}
    crumbs = [(listing("episode"), "Episodes"), (page_of(episode), episode.heading)]
    return screen(owner, request, "episode_history", f"History of {episode.heading}", crumbs, **more)


def there(owner: admin.ModelAdmin, request: HttpRequest, address: str) -> Episode:
    """The episode that is meant, for who may see it."""
    if not owner.has_view_permission(request):
        raise PermissionDenied
    episode = episode_at(unquote(address))
    if episode is None:
        raise Http404("No episode has, or had, this address.")
    return episode


def entries_of(episode: Episode) -> list[tuple[Attachment, EntryData]]:
    """The entries of an episode with what they say now, as they rank."""
    rows = episode.attachments.select_related("item__document__source").prefetch_related("item__revisions")
    ranked = sorted(rows, key=lambda a: (a.item.gone_version is not None, a.item.document.source.rank, a.item_id))
    return [(row, row.item.said) for row in ranked]


def _show(
    owner: admin.ModelAdmin, request: HttpRequest, episode: Episode, sent: Sent | None = None, *, stale: bool = False
) -> HttpResponse:
    entries = entries_of(episode)
    changes = list(changes_of(episode).select_related("podcast")[:RECENT])
    last = max((change.pk for change in changes), default=0)
    seen_last = sent.form.get("last", "") if sent else ""
    since = [c for c in changes if c.pk > int(seen_last)] if stale and is_id(seen_last) else []
    more = {
        "episode": episode,
        "fields": fields.rows(episode, entries, sent.typed if sent else {}),
        "conflicts": _conflicts(episode),
        "lists": listed.lists(episode),
        "entries": entries,
        "changes": changes,
        "token": token(episode),
        "last": last,
        "since": since,
        "stale": stale,
        "sent": sent.form if sent else {},
        "matches": sent.matches if sent else [],
        "topics": Topic.objects.exclude(uses__episode=episode).order_by("group", "name"),
        "roles": listed.ROLES,
        "relations": [kind for kind, _ in Reference.KINDS],
        "neighbours": _neighbours(episode),
    }
    return screen(owner, request, "episode", episode.heading, [(listing("episode"), "Episodes")], **more)


def _conflicts(episode: Episode) -> list[dict[str, str]]:
    """What sources say that cannot both be right, under the fields' labels."""
    return [conflict | {"field": BY_NAME[conflict["field"]].label} for conflict in episode.conflicts]


def _neighbours(episode: Episode) -> dict[str, Episode | None]:
    show = Episode.objects.filter(podcast=episode.podcast).named()
    return {
        "older": show.filter(order__lt=episode.order).order_by("-order").first(),
        "newer": show.filter(order__gt=episode.order).order_by("order").first(),
    }


def _act(owner: admin.ModelAdmin, request: HttpRequest, episode: Episode) -> HttpResponse:
    if not request.user.has_perm("episodes.curate"):
        raise PermissionDenied("Only curators may do that.")
    form = {name: str(value) for name, value in request.POST.items()}
    act = next((name for name in ACTS if name in form), "save")
    sent = Sent(
        fields.typed_in(episode, form),
        act,
        said_in(request, act),
        form.get("token", ""),
        said_in(request, "reason"),
        form,
    )
    item = Item.objects.filter(attachment__episode=episode).order_by("gone_version", "pk").first()
    refused = attempt(request, lambda: _do(request, episode, sent), "")
    episode = episode_of(item) or episode
    if refused:
        return _show(owner, request, episode, sent, stale=isinstance(refused, Stale))
    if sent.matches:
        messages.warning(request, "Several episodes fit; choose one of them below.")
        return _show(owner, request, episode, sent)
    left = {name: value for name, value in sent.typed.items() if name not in _saved(sent)}
    if not left:
        return HttpResponseRedirect(page_of(episode))
    messages.warning(request, f"Not saved yet: {_labels(left)}.")
    sent.typed, sent.form = left, {}
    return _show(owner, request, episode, sent)


def _saved(sent: Sent) -> set[str]:
    """The fields that have got their value by what was done."""
    if sent.act == "save":
        return set(sent.typed)
    return {sent.what.partition(":")[0]} if sent.act in ("take", "release") else set()


def _do(request: HttpRequest, episode: Episode, sent: Sent) -> None:
    """Do the one thing that was asked for, and say what it was."""
    kind, _, key = sent.what.partition(":")
    how = {"seen": sent.seen, "reason": sent.reason}
    verbs: dict[str, Callable[[], str]] = {
        "save": lambda: _save(request, episode, sent),
        "take": lambda: _take(request, episode, kind, key, how),
        "release": lambda: _release(request, episode, sent.what, how),
        "remove": lambda: _list(remove, request, episode, kind, key, how),
        "bring_back": lambda: _list(bring_back, request, episode, kind, key, how),
        "keep": lambda: _list(add, request, episode, kind, key, how),
        "add": lambda: _add(request, episode, sent, how),
    }
    if done := verbs[sent.act]():
        messages.success(request, done)


def _save(request: HttpRequest, episode: Episode, sent: Sent) -> str:
    wrong = [trouble for name, value in sent.typed.items() if (trouble := fields.trouble(episode, name, value))]
    if wrong:
        raise Impossible(" ".join(wrong))
    if not sent.typed:
        return "Nothing was changed, so nothing was written."
    override(request.user, episode, sent.typed, seen=sent.seen, reason=sent.reason)
    return f"Saved: {_labels(sent.typed)}. It stays so until it is released."


def _labels(names: Iterable[str]) -> str:
    return ", ".join(BY_NAME[name].label.lower() for name in names)


def _take(request: HttpRequest, episode: Episode, name: str, entry: str, how: Mapping[str, str]) -> str:
    item = Item.objects.filter(attachment__episode=episode, pk=entry).first() if is_id(entry) else None
    field = BY_NAME.get(name)
    if item is None or field is None:
        raise Impossible("That entry is no longer one of this episode's.")
    override(request.user, episode, {name: field.text_in(item.said)}, **how)
    return f"{field.label}: taken from {item.document.source.slug}."


def _release(request: HttpRequest, episode: Episode, name: str, how: Mapping[str, str]) -> str:
    if name not in BY_NAME:
        raise Impossible("There is no such field.")
    release(request.user, episode, [name], **how)
    return f"{BY_NAME[name].label} follows the sources again."


def _list(
    verb: Callable[..., None], request: HttpRequest, episode: Episode, kind: str, key: str, how: Mapping[str, str]
) -> str:
    if kind not in listed.KINDS:
        raise Impossible("There is no such list.")
    if kind == "reference" and verb is remove:
        key = listed.reference_key(episode.podcast, key)
    verb(request.user, episode, kind, key, **how)
    return {remove: "Removed; it stays out until it is brought back.", bring_back: "Brought back."}.get(verb, "Kept.")


def _add(request: HttpRequest, episode: Episode, sent: Sent, how: Mapping[str, str]) -> str:
    kind = sent.what
    if kind not in listed.KINDS:
        raise Impossible("There is no such list.")
    key, detail, sent.matches = listed.wanted(episode, kind, sent.form)
    if sent.matches:
        return ""
    add(request.user, episode, kind, key, detail, **how)
    return f"Added to the {listed.KINDS[kind].lower()}."
