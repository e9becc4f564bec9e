"""The rows that the page of an episode shows, in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Prefetch, Q, QuerySet, Subquery
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
    add_shows_and_topics,
)

MOST_FORMER = 100


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
PARTS = (
    Prefetch("chapters", Chapter.objects.order_by("start")),
    Prefetch("credits", Credit.objects.select_related("person").order_by("person_id", "role")),
    Prefetch(
        "attachments",
        Attachment.objects.select_related("item__document__source").order_by(
            "item__document__source__rank", "item__document__source__slug", "item__position"
        ),
    ),
    Prefetch("attachments__item__revisions", Revision.objects.order_by("-version")),
)


def rows_of(slug: str) -> EpisodeRows | None:
    """The episode at this address with everything its page shows; None where there is none."""
    rows = Episode.objects.filter(slug=slug).select_related("transcript").defer("transcript__text")
    found = rows.prefetch_related(*PARTS).first()
    if found is None:
        return None
    add_shows_and_topics([found])
    links = list(_links(found.pk))
    references = list(Reference.objects.filter(Q(episode=found) | Q(target=found)).order_by("pk"))
    related = list(Related.objects.filter(episode=found).order_by("place"))
    earlier, later = neighbours(found)
    known = _others(found, links, references, related)
    return EpisodeRows(
        episode=found,
        links=links,
        names=list(CodeName.objects.filter(mentions__episode=found).order_by("sort_name", "name").distinct()),
        references=_led(references, known, "episode", "target"),
        related=_led(related, known, "other"),
        former=list(FormerAddress.objects.filter(slug=slug).order_by("id")[:MOST_FORMER]),
        read=_last_seen(found),
        earlier=earlier,
        later=later,
        here={f"episode:{row.slug}": row for row in known.values()},
    )


def _links(pk: int) -> QuerySet[EpisodeLink]:
    mentions = EpisodeLink.objects.filter(link=OuterRef("link")).order_by().values("link").annotate(n=Count("pk"))
    rows = EpisodeLink.objects.filter(episode=pk).select_related("link").defer("link__summary").order_by("position")
    return rows.annotate(n=Coalesce(Subquery(mentions.values("n")), 0))


def _read(items: Iterable[Item]) -> dict[int, datetime]:
    """When each document of these entries was last read well."""
    good = IngestRun.objects.filter(document__in={item.document_id for item in items}, outcome__in=IngestRun.GOOD)
    return dict(good.order_by().values_list("document").annotate(at=Max("started_at")))


def _left(pk: int) -> dict[int, datetime]:
    """When the last versions were taken that list the entries which are gone."""
    last = Capture.objects.filter(
        document__items__attachment__episode=pk, version=F("document__items__gone_version") - 1
    )
    return dict(last.order_by().values_list("document__items", "taken_at"))


def _last_seen(found: Episode) -> dict[int, datetime]:
    """When each entry was last seen in its document; of those that are gone before they went."""
    items = [attachment.item for attachment in found.attachments.all()]
    listed = [item for item in items if item.gone_version is None]
    read, left = _read(listed), _left(found.pk) if len(listed) < len(items) else {}
    return left | {item.pk: read[item.document_id] for item in listed if item.document_id in read}


def _others(
    found: Episode, links: Sequence[EpisodeLink], references: Sequence[Reference], related: Sequence[Related]
) -> dict[int, Episode]:
    """The episodes that these rows name, by their ids."""
    ids = {pk for row in references for pk in (row.episode_id, row.target_id)} | {row.other_id for row in related}
    keys = [mention.link.key for mention in links]
    slugs = [key.removeprefix("episode:") for key in keys if key.startswith("episode:")]
    rows = Episode.objects.filter(Q(pk__in=ids) | Q(slug__in=slugs)).only(*NAMED, "published_at", "listed").order_by()
    return {row.pk: row for row in rows} | {found.pk: found}


def _led(rows: Iterable[Any], known: Mapping[int, Episode], *names: str) -> list[Any]:
    """The rows of which all these episodes are known, with them."""
    led = [row for row in rows if all(getattr(row, f"{name}_id") in known for name in names)]
    for row in led:
        for name in names:
            setattr(row, name, known[getattr(row, f"{name}_id")])
    return led


def neighbours(episode: Episode) -> tuple[Episode | None, Episode | None]:
    """The listed episodes before and after it in its show."""
    rows = Episode.objects.listed().filter(podcast=episode.podcast_id).only(*NAMED, "published_at", "listed")
    before = rows.filter(order__lt=episode.order).order_by("-order").first()
    return before, rows.filter(order__gt=episode.order).order_by("order").first()
