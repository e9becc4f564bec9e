"""The rows that the page of an episode shows, in three statements; four where an entry is gone from its document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from ...models import (
    NAMED,
    Attachment,
    Capture,
    Chapter,
    CodeName,
    Credit,
    Episode,
    EpisodeLink,
    FormerAddress,
    IngestRun,
    Item,
    Reference,
    Related,
    Revision,
    Snapshot,
    Statement,
    Together,
    fetched,
)

MOST_FORMER = 100

Parts = dict[str, list[Any]]  # rows by what they are


@dataclass(frozen=True)
class EpisodeRows:
    """An episode with its chapters, credits and entries, and the rows of other things that its page shows."""

    episode: Episode
    links: list[EpisodeLink]  # each with `n`, the number of episodes that mention it
    names: list[CodeName]
    references: list[Reference]  # from it and to it
    related: list[Related]
    former: list[FormerAddress]  # of its address
    read: dict[int, datetime]  # when each entry was last seen in its document
    earlier: Episode | None
    later: Episode | None
    here: dict[str, Episode]  # the episodes that links lead to, by the keys of these

    @property
    def attachments(self) -> list[Attachment]:
        return list(self.episode.attachments.all())

    @property
    def named(self) -> list[Reference]:
        """The references of its own notes."""
        return [row for row in self.references if row.episode_id == self.episode.pk]


# Explicit orders: the models' default orders would join episodes and shows.
EPISODE = Statement(
    lambda slug: Episode.objects.filter(slug=slug).select_related("transcript").defer("transcript__text").order_by()
)
OTHERS = Statement(
    lambda ids, slugs: (
        Episode.objects.filter(Q(pk__in=ids) | Q(slug__in=slugs)).only(*NAMED, "published_at", "listed").order_by()
    )
)


def _links(pk: int, slug: str) -> QuerySet[EpisodeLink]:
    mentions = EpisodeLink.objects.filter(link=OuterRef("link")).order_by().values("link").annotate(n=Count("pk"))
    found = EpisodeLink.objects.filter(episode=pk).select_related("link").defer("link__summary").order_by()
    return found.annotate(n=Coalesce(Subquery(mentions.values("n")), 0))


def _read(pk: int, slug: str) -> QuerySet[IngestRun, tuple[int, datetime]]:
    """When the documents that list the episode now were last read well."""
    items = Item.objects.filter(attachment__episode=pk, gone_version=None).order_by()
    good = IngestRun.objects.filter(document__in=items.values("document"), outcome__in=IngestRun.GOOD).order_by()
    return good.values_list("document").annotate(at=Max("started_at"))


def _left(pk: int) -> QuerySet[Capture, tuple[int, datetime]]:
    """When the last versions were taken that list the entries which are gone."""
    last = Capture.objects.filter(
        document__items__attachment__episode=pk, version=F("document__items__gone_version") - 1
    )
    return last.order_by().values_list("document__items", "taken_at")


LEFT = Statement(_left)
PARTS = Together(
    chapters=lambda pk, slug: Chapter.objects.filter(episode=pk).order_by(),
    credits=lambda pk, slug: Credit.objects.filter(episode=pk).select_related("person").order_by(),
    names=lambda pk, slug: CodeName.objects.filter(mentions__episode=pk).order_by().distinct(),
    links=_links,
    references=lambda pk, slug: Reference.objects.filter(Q(episode=pk) | Q(target=pk)).order_by(),
    related=lambda pk, slug: Related.objects.filter(episode=pk).order_by(),
    attachments=lambda pk, slug: (
        Attachment.objects.filter(episode=pk).select_related("item__document__source").order_by()
    ),
    revisions=lambda pk, slug: Revision.objects.filter(
        item__in=Attachment.objects.filter(episode=pk).order_by().values("item")
    ).order_by(),
    read=_read,
    former=lambda pk, slug: FormerAddress.objects.filter(slug=slug).order_by("id")[:MOST_FORMER],
)


def rows_of(slug: str, now: Snapshot) -> EpisodeRows | None:
    """The episode at this address with everything its page shows; None where there is none."""
    found: Episode | None = EPISODE.first(slug)
    if found is None:
        return None
    now.share([found])
    parts = PARTS(found.pk, slug)
    _attach(found, parts)
    before, after = neighbours(found, now)
    known = _others(found, parts, (before or 0, after or 0))
    return EpisodeRows(
        episode=found,
        links=sorted(parts["links"], key=lambda row: row.position),
        names=parts["names"],
        references=sorted(parts["references"], key=lambda row: row.pk),
        related=sorted(parts["related"], key=lambda row: row.place),
        former=sorted(parts["former"], key=lambda row: row.pk),
        read=_last_seen(found, dict(parts["read"])),
        earlier=known.get(before or 0),
        later=known.get(after or 0),
        here={f"episode:{row.slug}": row for row in known.values()},
    )


def _last_seen(found: Episode, read: dict[int, datetime]) -> dict[int, datetime]:
    """When each entry was last seen, given when the documents were read; of those that are gone before they went."""
    items = [attachment.item for attachment in found.attachments.all()]
    left = dict(LEFT(found.pk)) if any(item.gone_version is not None for item in items) else {}
    return left | {
        item.pk: read[item.document_id] for item in items if item.gone_version is None and item.document_id in read
    }


def _others(found: Episode, parts: Parts, sides: Iterable[int]) -> dict[int, Episode]:
    """The episodes that rows name, by their ids; the rows get theirs. A row of one that was deleted meanwhile is left out."""
    references, related = parts["references"], parts["related"]
    ids = {pk for row in references for pk in (row.episode_id, row.target_id)} | {row.other_id for row in related}
    keys = [mention.link.key for mention in parts["links"]]
    slugs = [key.removeprefix("episode:") for key in keys if key.startswith("episode:")]
    known = {row.pk: row for row in OTHERS(ids.union(sides), slugs or [found.slug])} | {found.pk: found}
    parts["references"] = _led(references, known, "episode", "target")
    parts["related"] = _led(related, known, "other")
    return known


def _led(rows: Iterable[Any], known: Mapping[int, Episode], *names: str) -> list[Any]:
    """The rows of which all these episodes are known, with them."""
    led = [row for row in rows if all(getattr(row, f"{name}_id") in known for name in names)]
    for row in led:
        for name in names:
            setattr(row, name, known[getattr(row, f"{name}_id")])
    return led


def _attach(found: Episode, parts: Parts) -> None:
    """Give the episode its rows, and its entries what they said, the newest first."""
    revisions: dict[int, list[Revision]] = {}
    for revision in sorted(parts["revisions"], key=lambda row: -row.version):
        revisions.setdefault(revision.item_id, []).append(revision)
    attachments = sorted(parts["attachments"], key=lambda row: _rank(row.item))
    for attachment in attachments:
        fetched(attachment.item, "revisions", revisions.get(attachment.item_id, []))
    fetched(found, "attachments", attachments)
    fetched(found, "chapters", sorted(parts["chapters"], key=lambda row: row.start))
    fetched(found, "credits", sorted(parts["credits"], key=lambda row: (row.person_id, row.role)))


def _rank(item: Item) -> tuple[int, str, int]:
    source = item.document.source
    return (source.rank, source.slug, item.position)


def neighbours(episode: Episode, now: Snapshot) -> tuple[int | None, int | None]:
    """The ids of the listed episodes before and after it; None for none."""
    shelf = now.shelves.get(episode.podcast_id)
    place = shelf.place(episode.pk) if shelf else None
    if shelf is not None and place is not None:
        return shelf.id_at(place + 1), shelf.id_at(place - 1)
    beside = BESIDE(episode.podcast_id, episode.order)
    return next(iter(beside["before"]), None), next(iter(beside["after"]), None)


# For an episode that lists leave out.
BESIDE = Together(
    before=lambda show, order: (
        Episode.objects.listed()
        .filter(podcast=show, order__lt=order)
        .order_by("-order")
        .values_list("pk", flat=True)[:1]
    ),
    after=lambda show, order: (
        Episode.objects.listed()
        .filter(podcast=show, order__gt=order)
        .order_by("order")
        .values_list("pk", flat=True)[:1]
    ),
)
