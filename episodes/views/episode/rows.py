"""The rows that the page of an episode shows, in a fixed number of queries."""

from __future__ import annotations

from django.db.models import OuterRef, Prefetch, Q, Subquery

from ...models import (
    NAMED,
    Attachment,
    Capture,
    Chapter,
    Credit,
    Episode,
    EpisodeLink,
    EpisodeQuerySet,
    IngestRun,
    Reference,
    Related,
    Revision,
)

# What the page shows of another episode; notes can be long.
OTHER = (*NAMED, "published_at", "listed")
PREREQUISITES_FIRST = Q(kind="prerequisite")


def columns_of(path: str) -> list[str]:
    """These columns of the episode to which the path leads."""
    return [f"{path}__{name}" for name in OTHER]


OWN_REFERENCES = (
    Reference.objects.select_related("target")
    .only("kind", "episode", *columns_of("target"))
    .annotate(is_first=PREREQUISITES_FIRST)
    .order_by("-is_first", "target__podcast_id", "target__order", "kind")
)
REFERENCES_TO_IT = (
    Reference.objects.select_related("episode")
    .only("kind", "target", *columns_of("episode"))
    .annotate(is_first=PREREQUISITES_FIRST)
    .order_by("-is_first", "episode__podcast_id", "episode__order", "kind")
)
RELATED = (
    Related.objects.filter(other__listed=True)
    .select_related("other")
    .only("reasons", "episode", *columns_of("other"))
    .order_by("place")
)

# Each entry with the times at which its document was last read well, and, if it is gone, last read
# with it.
GOOD_READINGS = IngestRun.objects.filter(
    document=OuterRef("item__document"), outcome__in=IngestRun.GOOD
)
LAST_LISTINGS = Capture.objects.filter(
    document=OuterRef("item__document"), version=OuterRef("item__gone_version") - 1
).order_by()
ENTRIES = (
    Attachment.objects.select_related("item__document__source")
    .annotate(
        read_at=Subquery(GOOD_READINGS.order_by("-started_at").values("started_at")[:1]),
        left_at=Subquery(LAST_LISTINGS.values("taken_at")),
    )
    .order_by("item__document__source__rank", "item__document__source__slug", "item__position")
)


def whole_episodes() -> EpisodeQuerySet:
    """Episodes with all that their pages show of them."""
    return (
        Episode.objects.for_list()
        .select_related("podcast", "transcript")
        .defer("transcript__text")
        .prefetch_related(
            Prefetch("chapters", Chapter.objects.order_by("start")),
            Prefetch(
                "credits", Credit.objects.select_related("person").order_by("person_id", "role")
            ),
            Prefetch(
                "mentions",
                EpisodeLink.objects.select_related("link")
                .defer("link__summary")
                .order_by("position"),
            ),
            Prefetch("references", OWN_REFERENCES),
            Prefetch("referred_by", REFERENCES_TO_IT),
            Prefetch("related", RELATED),
            Prefetch("attachments", ENTRIES),
            Prefetch("attachments__item__revisions", Revision.objects.order_by("-version")),
        )
    )


def neighbours(episode: Episode) -> tuple[Episode | None, Episode | None]:
    """The listed episodes before and after it in its show."""
    rows = Episode.objects.listed().filter(podcast=episode.podcast_id).only(*OTHER)
    before = rows.filter(order__lt=episode.order).order_by("-order").first()
    return before, rows.filter(order__gt=episode.order).order_by("order").first()
