"""Where what an episode's page says comes from, in words: field by field, and place by place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...fields import SOURCED
from ...models import Attachment, Episode, Podcast
from ...records import Provenance
from ...text.formatting import day
from .first_and_last_seen import Confirmed


@dataclass(frozen=True)
class OtherValue:
    """What some sources say instead, and whether both cannot be right."""

    value: str
    sources: str
    conflicts: bool


@dataclass(frozen=True)
class FieldSource:
    """A field of an episode: whose value is shown, who else says so, and what is said instead."""

    name: str
    source: str
    agree: str  # "Player FM agrees"; "" for nobody
    others: list[OtherValue]
    since: str  # "first seen 3 May 2021, last checked 21 November 2026"; "" for a curator's value


@dataclass(frozen=True)
class ListedPlace:
    """Where a source lists the episode, and why its entry was taken for this one."""

    source: str
    position: int | None  # None where it is listed no more
    url: str
    document: str
    reasons: list[str]


def source_titles(podcast: Podcast) -> dict[str, str]:
    """What the show's sources are called, by slug."""
    titles = {source.slug: source.label(several=False) for source in podcast.sources.all()}
    return titles | {"curator": "the curator"}


def fields(episode: Episode, titles: Mapping[str, str], said: Mapping[tuple[str, str], Confirmed]) -> list[FieldSource]:
    """Every field in which a source is named or differs, and those that no source knows."""
    conflicts = {(c.get("field"), c.get("other_value")) for c in episode.conflicts}
    found = []
    for field in SOURCED:
        known = Provenance.from_payload(episode.provenance.get(field.name))
        source = known.source or ""
        others = [
            OtherValue(field.words(other.value), _listed(other.sources, titles), (field.name, other.value) in conflicts)
            for other in known.others
        ]
        if source or others or not field.optional:
            title = titles.get(source, source) + (" (summary written for the catalog)" if known.editorial else "")
            agreeing = [slug for slug in known.agree if slug != source]
            found.append(
                FieldSource(
                    field.label, title, _agree(agreeing, titles), others, _since(said.get((source, field.name)))
                )
            )
    return found


def _agree(slugs: Sequence[str], titles: Mapping[str, str]) -> str:
    return f"{_listed(slugs, titles)} {'agrees' if len(slugs) == 1 else 'agree'}" if slugs else ""


def _since(said: Confirmed | None) -> str:
    return f"first seen {day(said.first)}, last checked {day(said.last)}" if said else ""


def shared_since(fields: Iterable[FieldSource]) -> str:
    """When sources were first seen to say them all, and last; "" where that differs from field to field."""
    since = {field.since for field in fields if field.source}
    return since.pop() if len(since) == 1 else ""


def places(attachments: Iterable[Attachment], titles: Mapping[str, str]) -> list[ListedPlace]:
    return [
        ListedPlace(
            titles.get(a.item.document.source.slug, a.item.document.source.slug),
            a.item.position if a.item.gone_version is None else None,
            a.item.document.url,
            a.item.document.address.removeprefix("file:"),
            [str(reason) for reason in a.reasons],
        )
        for a in attachments
    ]


def sources(episode: Episode, titles: Mapping[str, str]) -> list[str]:
    """The sources whose values are shown, that of the title first."""
    known = (Provenance.from_payload(episode.provenance.get(field.name)).source for field in SOURCED)
    return list(dict.fromkeys(titles.get(slug, slug) for slug in known if slug))


def _listed(slugs: Iterable[str], titles: Mapping[str, str]) -> str:
    return ", ".join(titles.get(slug, slug) for slug in slugs)
