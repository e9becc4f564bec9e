"""The ledger of public addresses of episodes: an address is that of the first show that had it, for ever,
whatever became of its episode."""

from collections.abc import Collection
from hashlib import sha256

from ..models import Podcast, Redirect, batches
from ..records import ResolvedEpisode, ResolvedShow, ResolvedWithdrawal, SourceEntry
from .sync_rows import BATCH_SIZE


def select_slugs_of_other_shows(podcast: Podcast, slugs: Collection[str]) -> set[str]:
    owners: dict[str, int] = {}
    for batch in batches(slugs):
        rows = Redirect.objects.filter(kind="episode", slug__in=batch)
        # The first row of a slug comes last, and stays.
        owners.update(rows.order_by("-id").values_list("slug", "source__podcast"))
    return {slug for slug, owner in owners.items() if owner != podcast.pk}


def show_of_slug(slug: str) -> Podcast | None:
    rows = Redirect.objects.filter(kind="episode", slug=slug).order_by("id")
    return Podcast.objects.filter(pk__in=rows.values("source__podcast")[:1]).first()


def add_episode_addresses_to_ledger(podcast: Podcast, result: ResolvedShow) -> None:
    """Add a row to the ledger for each entry of a changed episode, with the address of the episode, so that
    the address leads to the entry's episode for ever."""
    source_ids = dict(podcast.sources.values_list("slug", "pk"))
    changed: list[ResolvedEpisode | ResolvedWithdrawal] = [*result.episodes, *result.withdrawn]
    rows = []
    for episode in changed:
        for entry in episode.entries:
            # An imported transcript belongs to an episode, and never is an episode.
            if entry.is_transcript:
                continue
            redirect = Redirect(
                kind="episode",
                slug=episode.slug,
                source_id=source_ids[entry.source],
                document=entry.document,
                item_key=entry.key,
                entry=_hash_entry(entry),
            )
            rows.append(redirect)
    # An entry that had the address before keeps its earlier row.
    Redirect.objects.bulk_create(rows, batch_size=BATCH_SIZE, ignore_conflicts=True)


def _hash_entry(entry: SourceEntry) -> str:
    # For a unique index. Document and key together may be longer than a database can index.
    return sha256(f"{entry.document}\n{entry.key}".encode()).hexdigest()
