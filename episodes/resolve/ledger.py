"""The ledger of public addresses of episodes: an address is that of the first show that had it, for ever,
whatever became of its episode."""

from collections.abc import Collection
from hashlib import sha256
from typing import NamedTuple

from ..models import Podcast, Redirect, batches
from ..records import ResolvedEpisode, ResolvedShow, ResolvedWithdrawal, SourceEntry
from .sync_rows import BATCH_SIZE


def find_slugs_of_other_shows(podcast: Podcast, slugs: Collection[str]) -> set[str]:
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
    """Add to the ledger the entries that the current address of each changed episode stands for."""
    source_ids = dict(podcast.sources.values_list("slug", "pk"))
    entry_of_address: dict[_LedgerKey, SourceEntry] = {}
    changed: list[ResolvedEpisode | ResolvedWithdrawal] = [*result.episodes, *result.withdrawn]
    for episode in changed:
        for entry in episode.entries:
            if not entry.is_transcript:
                source_id = source_ids[entry.source]
                key = _LedgerKey(episode.slug, source_id, _hash_entry(entry))
                entry_of_address[key] = entry
    slugs = {key.slug for key in entry_of_address}
    for batch in batches(slugs):
        stored = Redirect.objects.filter(kind="episode", source__podcast=podcast, slug__in=batch)
        for row in stored.values_list("slug", "source_id", "entry"):
            entry_of_address.pop(_LedgerKey(*row), None)
    new_rows = []
    for key, entry in entry_of_address.items():
        redirect = Redirect(
            kind="episode",
            slug=key.slug,
            source_id=key.source_id,
            document=entry.document,
            item_key=entry.key,
            entry=key.entry_hash,
        )
        new_rows.append(redirect)
    Redirect.objects.bulk_create(new_rows, batch_size=BATCH_SIZE)


class _LedgerKey(NamedTuple):
    """An address and an entry that it stands for."""

    slug: str
    source_id: int
    entry_hash: str


def _hash_entry(entry: SourceEntry) -> str:
    return sha256(f"{entry.document}\n{entry.key}".encode()).hexdigest()
