"""The links of an episode as its page shows them: named, and under the kinds of thing they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .link_labels import KINDS, Name, named
from .models import Episode, EpisodeLink


@dataclass(frozen=True)
class Mention:
    """A link: its kind, where it leads, the address the notes give, its name, and whether that is a name of code."""

    kind: str
    leads_to: str
    published: str
    name: Name
    is_code: bool


def mentioned(episode: Episode) -> list[Mention]:
    """The links of an episode in the order of its notes. A link to an episode of the catalog leads to its page here."""
    found = list(episode.mentions.all())
    here = _episodes(found)
    mentions = []
    for m in found:
        target = here.get(m.link.key)
        title = target.heading if target else m.link.title
        name = named(m.link.key)
        if title:
            name = Name(title, name.place, title)
        leads_to = target.get_absolute_url() if target else m.url
        is_code = m.link.key.startswith("gh:") and not title
        mentions.append(Mention(m.link.kind, leads_to, m.url, name, is_code))
    return mentions


def _episodes(mentions: Sequence[EpisodeLink]) -> dict[str, Episode]:
    """The episodes of the catalog that are mentioned, by the keys of their links."""
    slugs = [m.link.key.partition(":")[2] for m in mentions if m.link.kind == "episode"]
    if not slugs:
        return {}
    rows = Episode.objects.filter(slug__in=slugs).only("slug", "title", "number")
    return {f"episode:{e.slug}": e for e in rows}


def grouped(mentions: Sequence[Mention]) -> list[tuple[str, str, list[Mention]]]:
    """Kind, heading and links, in the order of the kinds."""
    kinds = [*KINDS, *sorted({m.kind for m in mentions} - KINDS.keys())]
    groups = [(kind, KINDS.get(kind, kind), [m for m in mentions if m.kind == kind]) for kind in kinds]
    return [group for group in groups if group[2]]
