"""The links of an episode as its page shows them: named, and under the kinds of thing they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .link_labels import KINDS, named
from .models import Episode


@dataclass(frozen=True)
class Mention:
    """A link: its kind, where it leads, its name, where that is kept, and whether that is code or a page of a site."""

    kind: str
    address: str
    name: str
    place: str
    is_code: bool
    is_page: bool
    is_titled: bool

    @property
    def whole(self) -> str:
        """The name where nothing beside it says the place."""
        if self.is_code or self.is_titled or not self.place:
            return self.name
        return f"{self.place} {self.name}" if self.name.startswith("#") or not self.is_page else f"{self.place}/{self.name}"


def mentioned(episode: Episode) -> list[Mention]:
    """The links of an episode in the order of its notes. A link to an episode of the catalog leads to its page here."""
    found = list(episode.mentions.all())
    slugs = [m.link.key.partition(":")[2] for m in found if m.link.kind == "episode"]
    here = {e.slug: e for e in Episode.objects.filter(slug__in=slugs).only("slug", "title", "number")} if slugs else {}
    mentions = []
    for m in found:
        name, place = named(m.link.key)
        target = here.get(m.link.key.partition(":")[2]) if m.link.kind == "episode" else None
        mentions.append(
            Mention(
                m.link.kind,
                target.get_absolute_url() if target else m.url,
                target.heading if target else m.link.title or name,
                place,
                m.link.key.startswith("gh:") and not m.link.title,
                m.link.key.startswith("http"),
                bool(target or m.link.title),
            )
        )
    return mentions


def grouped(mentions: Sequence[Mention]) -> list[tuple[str, str, list[Mention]]]:
    """Kind, heading and links, in the order of the kinds."""
    kinds = [*KINDS, *sorted({m.kind for m in mentions} - KINDS.keys())]
    groups = [(kind, KINDS.get(kind, kind), [m for m in mentions if m.kind == kind]) for kind in kinds]
    return [group for group in groups if group[2]]
