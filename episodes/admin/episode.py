"""Parts that the screens about one episode share: finding it, its entries, conflicts, and its
preview."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest
from django.utils.functional import cached_property

from ..curation import episode_of, token
from ..fields import BY_NAME, OVERRIDABLE
from ..models import Episode, Item, WithdrawnEpisode
from ..records import FieldConflict
from ..text.formatting import counted
from .action import ActionView, Unavailable
from .base import episode_at, page_of, way_back, withdrawn_at


def episode_named(address: str) -> Episode:
    """The episode that an address of the admin is about.

    Raises:
        Unavailable: it was taken out; its own screen tells of it.
    """
    slug = unquote(address)
    if withdrawn := withdrawn_at(slug):
        raise Unavailable(page_of(withdrawn))
    episode = episode_at(slug)
    if episode is None:
        raise Http404("No episode has or had this address.")
    return episode


def warn_of_number(request: HttpRequest, episode: Episode) -> None:
    """Tell that other episodes of the show, and season, have the number of this one too."""
    if same := list(episode.with_same_number()[:3]):
        names = ", ".join(f"“{other.heading}”" for other in same)
        messages.warning(request, f"Number {episode.numbering} is also the number of {names}.")


def entries_of(episode: Episode | WithdrawnEpisode) -> list[tuple[Any, Any]]:
    """The entries of an episode with what they say now, as they rank."""
    rows: Any = episode.attachments.select_related("item__document__source")
    ranked = sorted(
        rows.prefetch_related("item__revisions").order_by(),
        key=lambda a: (a.item.gone_version is not None, a.item.document.source.rank, a.item_id),
    )
    return [(row, row.item.said) for row in ranked]


def conflicts(episode: Episode) -> list[dict[str, str]]:
    """The conflicts between sources that need a decision, in words."""
    found = []
    for row in (FieldConflict(**row) for row in episode.conflicts):
        field = BY_NAME[row.field]
        one, other = field.words(row.value)[:120], field.words(row.other_value)[:120]
        words = f"{row.source} has “{one}”, {row.other_source} has “{other}”."
        found.append({"key": row.key, "label": field.label, "words": words})
    return found


def topics_of(episode: Episode) -> str:
    return ", ".join(sorted(topic.name for topic in episode.topics.all()))


def facts(episode: Episode) -> dict[str, str]:
    """An episode as a preview compares it."""
    entries = (
        f"{row.item.document.source.heading}: {said.title or said.text[:80]}"
        for row, said in entries_of(episode)
    )
    links = counted(episode.mentions.count(), "link", "links")
    others = counted(episode.references.count(), "other episode", "other episodes")
    credited = sorted(f"{one.person.name} ({one.role})" for one in episode.credits.all())
    return {
        **{field.label: field.words(field.shown(episode)) for field in OVERRIDABLE},
        "Topics": topics_of(episode),
        "People": ", ".join(credited),
        "Contains": f"{links}, {others}",
        "Entries": "; ".join(entries),
    }


class EpisodeAction(ActionView):
    """A change of one episode, previewed at once; it leads back to the episode that has its first
    entry then."""

    parts: Sequence[str] = ("",)  # names of the episodes that are previewed

    def prepare(self) -> None:
        self.episode = episode_named(self.kwargs["slug"])
        self.entries = entries_of(self.episode)
        self.item: Item | None = self.entries[0][0].item if self.entries else None
        self.crumbs = [(page_of(self.episode), self.episode.heading)]

    @cached_property
    def items(self) -> Sequence[Item | None]:
        """An entry of each episode that is previewed: it stays when the episode's row does not."""
        return [self.item]

    def context(self) -> dict[str, Any]:
        return {"episode": self.episode, "seen": token(self.episode)}

    def look(self) -> Any:
        found = {}
        for part, item in zip(self.parts, self.items, strict=True):
            episode = episode_of(item)
            for label, words in facts(episode).items() if episode else ():
                found[f"{part}{label}", ""] = words
        return found

    def get_success_url(self) -> str:
        return way_back(self.request) or page_of(episode_of(self.item) or self.episode)
