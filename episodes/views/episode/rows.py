"""The rows that the page of an episode shows, in a fixed number of plain queries: Django takes
longer to write a query with many joins than the database to answer it."""

from collections.abc import Sequence

from django.db.models import OuterRef, Prefetch, Subquery, prefetch_related_objects

from ...models import Attachment, Capture, Episode, IngestRun, Revision, Topic, Transcript
from ...text.speech import Speech

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


def episode_at(slug: str) -> Episode | None:
    """The episode with this address, its show, its transcript and its topics."""
    # The plain text is for search alone; the page is made of the cues.
    rows = Episode.objects.select_related("podcast", "transcript").defer("transcript__text")
    episode: Episode | None = rows.filter(slug=slug).first()
    if episode:
        topics = Topic.objects.defer("rules").filter(uses__episode=episode)
        episode.topics_in_order = list(topics.order_by("position", "slug"))
    return episode


def speech_of(episode: Episode) -> Speech:
    """The speech of an episode; an empty one where it has no transcript."""
    transcript: Transcript = getattr(episode, "transcript", Transcript())
    return transcript.speech(episode.duration_seconds)


def entries_of(episode: Episode) -> Sequence[Attachment]:
    """The entries of an episode with all that they ever said, those of the best source first."""
    entries = list(ENTRIES.filter(episode=episode))
    versions = Prefetch("item__revisions", Revision.objects.order_by("-version"))
    prefetch_related_objects(entries, versions)
    return entries
