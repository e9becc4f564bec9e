"""Review of held entries: an entry beside a candidate, one decision by button or key, and the next
one follows."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from ..curation import Impossible, ignore, judge, make_episode
from ..fields import NOTES, plain_notes
from ..models import Episode, Held, Item, WithdrawnEpisode
from .base import ShowFilter, SourceFilter, episode_at, number_in, said_in, withdrawn_at
from .comparing import lines, openings
from .finding import find_episodes
from .review import QueueView, ReviewedAdmin, UndoLastView, review_at

VERBS = ("judge same", "judge different", "new episode", "ignore")
DECIDED = "This entry has already been decided, by you or somebody else."


def queue() -> QuerySet[Held]:
    return Held.objects.select_related("podcast", "item__document__source").order_by("item_id")


class UndoHeldView(UndoLastView):
    """Undoes a decision of the review, and shows its entry again."""

    verbs = VERBS
    decided = DECIDED
    start = "admin:episodes_held_review"

    def get_success_url(self) -> str:
        rows = (after or before or {} for _, _, before, after in self.change.rows)
        row: dict[str, Any] = next((row for row in rows if row.get("source")), {})
        entries = Held.objects.filter(podcast=self.change.podcast_id, item__key=row.get("item_key"))
        held = entries.filter(item__document__source__slug=row.get("source")).first()
        return review_at("held", item=held.item_id) if held else review_at("held")


class ReviewView(QueueView):
    """Shows an entry beside a candidate and decides about it; the next one follows."""

    template_name = "admin/curation/held.html"
    title = "Needs review"
    list_name = "All entries that need review"
    undo_view = UndoHeldView
    row_name = "item"

    def prepare(self) -> None:
        self.button = said_in(self.request, "act")
        self.after = number_in(self.request, "after")
        self.held = self.row_of(queue(), "item_id")
        chosen = candidate_at(said_in(self.request, "with"))
        ours = (
            chosen is not None
            and self.held is not None
            and chosen.podcast_id == self.held.podcast_id
        )
        self.chosen = chosen if ours else None

    def act(self) -> None:
        if self.button not in DECISIONS:
            raise Impossible("Choose one of the buttons.")
        decide, self.done = DECISIONS[self.button]
        decide(self)

    def decide_pair(self) -> None:
        if self.chosen is None:
            raise Impossible("Choose an episode first.")
        judge(self.request.user, self.item, self.chosen, self.button, reason=self.reason)

    def make_new(self) -> None:
        make_episode(self.request.user, self.item, reason=self.reason)

    def ignore(self) -> None:
        ignore(self.request.user, self.item, reason=self.reason)

    def postpone(self) -> None:
        """Leave it for later."""

    @property
    def item(self) -> Item:
        assert self.held is not None, "a post has one"
        item: Item = self.held.item
        return item

    def get_success_url(self) -> str:
        item = self.item.pk
        stays = self.button != "later" and Held.objects.filter(item=item).exists()
        return review_at("held", item=item) if stays else review_at("held", after=item)

    def context(self) -> dict[str, Any]:
        query = said_in(self.request, "q")
        context = super().context() | {
            "total": Held.objects.count(),
            "held": self.held,
            "query": query,
        }
        if self.held is not None:
            context |= side_by_side(self.held, self.chosen)
            exact, others = find_episodes(self.held.podcast, query)
            context["results"] = [*exact, *others]
            context["wrapped"] = self.held.item_id <= self.after
            context["place"] = Held.objects.filter(item_id__lte=self.held.item_id).count()
        return context


# What each button does, and the message.
DECISIONS: dict[str, tuple[Callable[[ReviewView], None], str]] = {
    "same": (ReviewView.decide_pair, "Matched “{view.item.heading}” to “{view.chosen}”."),
    "different": (
        ReviewView.decide_pair,
        "Marked “{view.item.heading}” as different from “{view.chosen}”.",
    ),
    "new": (ReviewView.make_new, "Added “{view.item.heading}” as a new episode."),
    "ignore": (ReviewView.ignore, "Marked “{view.item.heading}” as not an episode."),
    "later": (ReviewView.postpone, ""),
}


Candidate = Episode | WithdrawnEpisode


def candidate_at(address: str) -> Candidate | None:
    """The episode of an address, even if it was taken out: an entry that belongs to it goes with
    it."""
    return withdrawn_at(address) or episode_at(address)


def side_by_side(held: Held, chosen: Candidate | None) -> dict[str, Any]:
    """The entry, its candidates, and a comparison with one of them: the chosen one, else the
    best."""
    reasons = {str(c["episode"]): [str(r) for r in c["reasons"]] for c in held.candidates}
    candidates = candidates_of(reasons, chosen)
    episode = chosen or next(iter(candidates), None)
    own = reasons.get(episode.slug, []) if episode else []
    said = held.item.said
    return {
        "item": held.item,
        "candidates": candidates,
        "episode": episode,
        "withdrawn": isinstance(episode, WithdrawnEpisode),
        "lines": lines(said, episode),
        "texts": openings(plain_notes(said), NOTES.shown(episode) if episode else ""),
        "speaking_for": [r for r in own if not r.startswith("against: ")],
        "against": [r.removeprefix("against: ") for r in own if r.startswith("against: ")],
    }


def candidates_of(slugs: Collection[str], chosen: Candidate | None) -> list[Candidate]:
    known: dict[str, Candidate] = {}
    for model in (Episode, WithdrawnEpisode):
        known |= {
            e.slug: e
            for e in model._default_manager.filter(slug__in=slugs).select_related("podcast")
        }
    candidates = [known[slug] for slug in slugs if slug in known]
    return candidates if chosen is None or chosen in candidates else [*candidates, chosen]


@admin.register(Held)
class HeldAdmin(ReviewedAdmin):
    place: ClassVar = {"item": "item_id"}
    screens = (("review", "review/", ReviewView),)
    list_display = ("heading", "podcast", "source", "best")
    list_filter = (("podcast", ShowFilter), ("item__document__source", SourceFilter))
    list_select_related = ("item__document__source", "podcast")
    search_fields = ("item__key",)
    tools = (("review", "Review them one by one"),)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("item__revisions")

    @admin.display(description="entry", ordering="item__key")
    def heading(self, held: Held) -> str:
        return held.item.heading

    @admin.display(description="source")
    def source(self, held: Held) -> str:
        return held.item.document.source.heading

    @admin.display(description="best candidate")
    def best(self, held: Held) -> str:
        return str(held.candidates[0]["episode"]) if held.candidates else "none"
