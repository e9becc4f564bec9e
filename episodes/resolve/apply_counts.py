"""Writes how many episodes a show has, as a whole and under each topic and year, and adds the difference to all shows'."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from ..models import Counts, Episode, EpisodeCount, EpisodeTopic, Podcast, band_of
from .rows import BATCH, sync


def write_counts(podcast: Podcast) -> None:
    """Bring the stored counts up to date with the rows of a show's catalog."""
    stored = EpisodeCount.objects.filter(podcast=podcast).values_list("about", "counts")
    before = {about: Counts(counts) for about, counts in stored}
    after = counts_of(podcast)
    rows = {(podcast.pk, about): {"counts": _payload(counts)} for about, counts in after.items()}
    sync(EpisodeCount, ("podcast_id", "about"), rows, {"podcast": podcast})
    changed = sorted(about for about in before.keys() | after.keys() if before.get(about) != after.get(about))
    _add({about: (before.get(about, Counts()), after.get(about, Counts())) for about in changed})


def counts_of(podcast: Podcast) -> dict[str, Counts]:
    """The counts of a show's listed episodes by what they are about: everything, a topic or a year."""
    uses: defaultdict[int, list[int]] = defaultdict(list)
    listed = EpisodeTopic.objects.filter(episode__podcast=podcast, episode__listed=True).order_by()
    for episode, topic in listed.values_list("episode", "topic"):
        uses[episode].append(topic)
    counted: defaultdict[str, Counts] = defaultdict(Counts)
    columns = ("pk", "published_at", "duration_seconds", "audio_url")
    rows = Episode.objects.listed().filter(podcast=podcast).order_by().values_list(*columns)
    for episode, published, seconds, audio_url in rows.iterator():
        month = f"{published:%Y-%m}" if published else ""
        topics = [f"topic:{topic}" for topic in uses[episode]]
        for about in ("", *topics, *([f"year:{month[:4]}"] if month else [])):
            counts = counted[about]
            counts.add(1, seconds or 0, int(bool(audio_url)), month, band_of(seconds), podcast.pk)
            counts.update(topics)
    return counted


def _add(changes: Mapping[str, tuple[Counts, Counts]]) -> None:
    """Replace a show's former counts by its present ones within those of all shows."""
    missing = [EpisodeCount(podcast=None, about=about) for about in changes]
    EpisodeCount.objects.bulk_create(missing, batch_size=BATCH, ignore_conflicts=True)
    # In one order, so that two imports never wait for each other.
    rows = EpisodeCount.objects.filter(podcast=None, about__in=changes).order_by("about").select_for_update()
    for row in rows:
        before, after = changes[row.about]
        counts = Counts(row.counts)
        counts.update(after)
        counts.subtract(before)
        row.counts = _payload(counts)
        row.save(update_fields=["counts"])
    EpisodeCount.objects.filter(podcast=None, counts={}).delete()


def _payload(counts: Counts) -> dict[str, int]:
    return {name: n for name, n in sorted(counts.items()) if n}
