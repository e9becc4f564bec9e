"""Parts that the screens about one episode share: finding it, its entries, and its preview."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.admin.utils import unquote
from django.http import Http404, HttpRequest
from django.utils.functional import cached_property

from ..curation import episode_of, token
from ..fields import OVERRIDABLE
from ..models import Attachment, Episode, Item, WithdrawnEntry, WithdrawnEpisode
from ..records import EntryData
from ..text.formatting import counted
from .action import ActionView, Unavailable
from .base import episode_at, page_of, page_of_withdrawn, way_back, withdrawn_at


def episode_named(address: str) -> Episode:
    """The episode that an address of the admin is about.

    Raises:
        Unavailable: it was taken out; its own screen tells of it.
    """
    slug = unquote(address)
    episode = episode_at(slug)
    if (episode is None or episode.slug != slug) and (withdrawn := withdrawn_at(slug)):
        raise Unavailable(page_of_withdrawn(withdrawn))
    if episode is None:
        raise Http404("No episode has or had this address.")
    return episode


def warn_of_number(request: HttpRequest, episode: Episode | None) -> None:
    """Tell that other episodes of the show, and season, have the number of this one too."""
    same = list(episode.with_same_number()[:3]) if episode else []
    if episode and same:
        names = ", ".join(f"“{other.heading}”" for other in same)
        messages.warning(
            request,
            f"Number {episode.numbering} is also the number of {names}. See “Published twice?”.",
        )


def entries_of(
    episode: Episode | WithdrawnEpisode,
) -> list[tuple[Attachment | WithdrawnEntry, EntryData]]:
    """The entries of an episode with what they say now, as they rank."""
    rows: Iterable[Any] = (
        episode.attachments.select_related("item__document__source")
        .prefetch_related("item__revisions")
        .order_by()
    )
    ranked = sorted(
        rows,
        key=lambda a: (a.item.gone_version is not None, a.item.document.source.rank, a.item_id),
    )
    return [(row, row.item.said) for row in ranked]


@dataclass(frozen=True)
class EpisodeSummary:
    """An episode as a preview saw it: what is left of it when the change is rolled back."""

    heading: str
    values: dict[str, str]
    counts: str
    entries: list[str]

    @property
    def rows(self) -> list[tuple[str, str]]:
        """The fields in words."""
        return [(field.label, field.words(self.values[field.name])) for field in OVERRIDABLE]


def summary(episode: Episode) -> EpisodeSummary:
    entries = [
        f"{a.item.document.source.heading}: {said.title or said.text[:80]}"
        for a, said in entries_of(episode)
    ]
    counts = (
        counted(episode.topic_uses.count(), "topic", "topics"),
        counted(episode.mentions.count(), "link", "links"),
        counted(episode.credits.count(), "person", "people"),
        counted(episode.references.count(), "other episode", "other episodes"),
    )
    values = {field.name: field.shown(episode) for field in OVERRIDABLE}
    return EpisodeSummary(episode.heading, values, ", ".join(counts).lower(), entries)


class EpisodeAction(ActionView):
    """A change of one episode, previewed at once; it leads back to the episode that has its first
    entry then."""

    viewers_may_look = True

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

    def look(self) -> list[EpisodeSummary]:
        return [summary(episode) for item in self.items if (episode := episode_of(item))]

    def get_success_url(self) -> str:
        return way_back(self.request) or page_of(episode_of(self.item) or self.episode)
