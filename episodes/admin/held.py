"""Review of held entries: an entry beside a candidate, one decision by button or key, and the next one follows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.utils.http import urlencode

from ..curation import Impossible, ignore, judge, make_episode, undo
from ..fields import NOTES, plain_notes
from ..models import Change, Episode, Held, Item
from .base import ReadOnly, SourceFilter, attempt, episode_at, is_id, listing, said_in, screen
from .comparing import lines, openings
from .finding import found

VERBS = ("judge same", "judge different", "new episode", "ignore")
DONE = {
    "same": "“{item}” is {episode}.",
    "different": "“{item}” is not {episode}.",
    "new": "“{item}” is an episode of its own.",
    "ignore": "“{item}” is no episode.",
}


def queue() -> QuerySet[Held]:
    return Held.objects.select_related("podcast", "item__document__source").order_by("item_id")


def review_at(**where: int | str) -> str:
    return f"{reverse('admin:episodes_held_review')}?{urlencode(where)}"


@admin.register(Held)
class HeldAdmin(ReadOnly):
    list_display = ("heading", "podcast", "source", "best")
    list_filter = ("podcast", ("item__document__source", SourceFilter))
    list_select_related = ("item__document__source", "podcast")
    search_fields = ("item__key",)
    change_list_template = "admin/curation/held_list.html"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("item__revisions")

    def get_urls(self) -> list[Any]:
        review = self.admin_site.admin_view(self.review)
        return [path("review/", review, name="episodes_held_review"), *super().get_urls()]

    @admin.display(description="entry", ordering="item__key")
    def heading(self, held: Held) -> str:
        return held.item.heading

    @admin.display(description="source")
    def source(self, held: Held) -> str:
        return held.item.document.source.slug

    @admin.display(description="best candidate")
    def best(self, held: Held) -> str:
        return str(held.candidates[0]["episode"]) if held.candidates else "none"

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return super().changelist_view(request, {"title": "Held entries", **(extra_context or {})})

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if request.method == "POST":
            raise PermissionDenied("Held entries are decided about in their review.")
        held = Held.objects.filter(pk=object_id).first() if is_id(object_id) else None
        return HttpResponseRedirect(review_at(item=held.item_id) if held else listing("held"))

    def review(self, request: HttpRequest) -> HttpResponse:
        if not self.has_view_permission(request):
            raise PermissionDenied
        if request.method == "POST" and not request.user.has_perm("episodes.curate"):
            raise PermissionDenied("Only curators may do that.")
        return self._act(request) if request.method == "POST" else self._show(request)

    def _show(self, request: HttpRequest) -> HttpResponse:
        total = Held.objects.count()
        held = _wanted(said_in(request, "item"), said_in(request, "after"))
        more: dict[str, Any] = {"total": total, "held": held, "last": last_of(request), "query": said_in(request, "q")}
        if held is not None:
            after = said_in(request, "after")
            more["wrapped"] = is_id(after) and held.item_id <= int(after)
            more |= _side_by_side(held, said_in(request, "with"), more["query"])
            more["place"] = Held.objects.filter(item_id__lte=held.item_id).count()
        return screen(self, request, "held", "Held entries", [(listing("held"), "All held")], **more)

    def _act(self, request: HttpRequest) -> HttpResponse:
        if "undo" in request.POST:
            return self._undo(request)
        number = said_in(request, "item")
        held = queue().filter(item=int(number)).first() if is_id(number) else None
        if held is None:
            attempt(request, _gone, "")
            return HttpResponseRedirect(review_at(after=number if is_id(number) else 0))
        act, item = said_in(request, "act"), held.item
        if act == "later":
            return HttpResponseRedirect(review_at(after=item.pk))
        episode = episode_at(said_in(request, "with")) if act in ("same", "different") else None
        done = DONE.get(act, "").format(item=item.heading, episode=f"“{episode.heading}”" if episode else "")
        reason = said_in(request, "reason")
        refused = attempt(request, lambda: _decide(request, item, act, episode, reason), done)
        still = refused or Held.objects.filter(item=item).exists()
        return HttpResponseRedirect(review_at(item=item.pk) if still else review_at(after=item.pk))

    def _undo(self, request: HttpRequest) -> HttpResponse:
        number = said_in(request, "undo")
        last = Change.objects.filter(pk=number, verb__in=VERBS).first() if is_id(number) else None
        if last is None:
            attempt(request, _gone, "")
            return HttpResponseRedirect(review_at())
        attempt(request, lambda: undo(request.user, last), f"Taken back: {last.verb} of “{last.subject}”.")
        item = _item_of(last)
        return HttpResponseRedirect(review_at(item=item.pk) if item else review_at())


def _decide(request: HttpRequest, item: Item, act: str, episode: Episode | None, reason: str) -> None:
    if act in ("same", "different"):
        if episode is None or episode.podcast_id != item.document.source.podcast_id:
            raise Impossible("Choose the episode that it is, or is not.")
        judge(request.user, item, episode, act, reason=reason)
    elif act == "new":
        make_episode(request.user, item, reason=reason)
    elif act == "ignore":
        ignore(request.user, item, reason=reason)
    else:
        raise Impossible("Choose one of the buttons.")


def _gone() -> None:
    raise Impossible("This was decided already, by you or by somebody else.")


def _wanted(item: str, after: str) -> Held | None:
    """The entry that is asked for, else the first after another, else the first of all."""
    rows = queue()
    if is_id(item) and (held := rows.filter(item=int(item)).first()) is not None:
        return held
    following = rows.filter(item_id__gt=int(after)).first() if is_id(after) else None
    return following or rows.first()


def _side_by_side(held: Held, chosen: str, query: str) -> dict[str, Any]:
    """The entry and its candidates, of which one is compared: the chosen one, else the best."""
    reasons = {str(c["episode"]): [str(r) for r in c["reasons"]] for c in held.candidates}
    known, meant = _candidates(reasons), _meant(held, chosen)
    candidates = known if meant is None or meant in known else [*known, meant]
    episode = meant or next(iter(candidates), None)
    said = held.item.said
    own = reasons.get(episode.slug, []) if episode else []
    return {
        "item": held.item,
        "candidates": candidates,
        "episode": episode,
        "lines": lines(said, episode),
        "texts": openings(plain_notes(said), NOTES.shown(episode) if episode else ""),
        "speaking_for": [r for r in own if not r.startswith("against: ")],
        "against": [r.removeprefix("against: ") for r in own if r.startswith("against: ")],
        "results": found(held.podcast, query),
    }


def _candidates(slugs: Iterable[str]) -> list[Episode]:
    episodes = {e.slug: e for e in Episode.objects.filter(slug__in=list(slugs)).select_related("podcast")}
    return [episodes[slug] for slug in slugs if slug in episodes]


def _meant(held: Held, chosen: str) -> Episode | None:
    """The episode of the show that was chosen, by an address it has or had."""
    episode = episode_at(chosen) if chosen else None
    return episode if episode and episode.podcast_id == held.podcast_id else None


def last_of(request: HttpRequest) -> Change | None:
    """What this person decided last in the review and has not taken back."""
    mine = Change.objects.filter(made_by=request.user.pk, verb__in=VERBS, undone_at=None)
    return mine.first()


def _item_of(change: Change) -> Item | None:
    """The entry that a judgement of the review was about."""
    for _, _, before, after in change.rows:
        row = after or before or {}
        if row.get("source"):
            return Item.objects.filter(
                document__source__podcast=change.podcast_id,
                document__source__slug=row["source"],
                key=row["item_key"],
                held__isnull=False,
            ).first()
    return None
