"""Where what an episode's page says comes from, in words: field by field, and place by place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from ...models import Attachment, Episode, Podcast
from ...text.formatting import day, length
from .first_and_last_seen import Confirmed

NAMES = {
    "title": "Title",
    "number": "Number",
    "published": "Date",
    "duration_seconds": "Length",
    "description_text": "Notes",
}
LONGEST = 240


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
    agree: str
    others: list[OtherValue]
    since: str  # "since 3 May 2021, last confirmed 21 November 2026"; "" for a curator's value


@dataclass(frozen=True)
class ListedPlace:
    """Where a source lists the episode, and why its entry was taken for this one."""

    source: str
    position: int | None
    url: str
    document: str
    reasons: list[str]


@dataclass(frozen=True)
class Directory:
    """A directory that lists the episode, and the address of its page about it, "" where it has none."""

    source: str
    url: str


def source_titles(podcast: Podcast, *, several: bool) -> dict[str, str]:
    """What the show's sources are called, by slug."""
    titles = {source.slug: source.label(several=several) for source in podcast.sources.select_related("podcast")}
    return titles | {"curator": "the curator"}


def fields(episode: Episode, titles: Mapping[str, str], said: Mapping[tuple[str, str], Confirmed]) -> list[FieldSource]:
    """Every field in which a source is named or differs, and those that no source knows."""
    conflicts = {(c.get("field"), c.get("other_value")) for c in episode.conflicts}
    found = []
    for name, label in NAMES.items():
        known = episode.provenance.get(name) or {}
        source = known.get("source") or ""
        others = [
            OtherValue(in_words(name, value), _listed(sources, titles), (name, value) in conflicts)
            for value, sources in known.get("others", ())
        ]
        title = titles.get(source, source)
        if known.get("editorial"):
            title = f"{title}, a summary written for the catalog"
        agreeing = [slug for slug in known.get("agree", ()) if slug != source]
        found.append(FieldSource(label, title, _listed(agreeing, titles), others, _since(said.get((source, name)))))
    return found


def _since(said: Confirmed | None) -> str:
    return f"said since {day(said.first)}, last confirmed {day(said.last)}" if said else ""


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


def listings(attachments: Iterable[Attachment], titles: Mapping[str, str]) -> list[Directory]:
    """The directories that list the episode now, each once, with the first page of its own that it gives."""
    found: dict[str, str] = {}
    for a in attachments:
        source = a.item.document.source
        if not source.own and a.item.gone_version is None:
            found[source.slug] = found.get(source.slug) or a.item.said.url
    return [Directory(titles.get(slug, slug), url) for slug, url in found.items()]


def in_words(name: str, value: str) -> str:
    """A value as a source gave it, the way the page writes such values; as it is where it cannot be read."""
    if name == "duration_seconds" and value.isascii() and value.isdecimal() and len(value) < 8:
        return length(int(value), exact=True)
    if name == "published":
        return _moment(value)
    return value if len(value) <= LONGEST else f"{value[: LONGEST - 1]}…"


def _moment(value: str) -> str:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return value
    if len(value) <= len("2021-08-18") or moment.tzinfo is None:
        return day(moment.replace(tzinfo=UTC))
    return f"{day(moment)}, {moment.astimezone(UTC):%H:%M} UTC"


def _listed(slugs: Iterable[str], titles: Mapping[str, str]) -> str:
    return ", ".join(titles.get(slug, slug) for slug in slugs)
