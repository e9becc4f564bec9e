"""Episodes by their addresses: the one that they have, and all that they ever had (docs/design.md, the ledger)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db.models import Value

from .catalog import Attachment, Episode, FormerAddress, WithdrawnEntry
from .querysets import EpisodeQuerySet, batches

Entry = tuple[int, str, str]  # source, document and key of an entry
COLUMNS = ("item__document__source", "item__document__address", "item__key")


@dataclass(frozen=True)
class Owner:
    """The episode that an address which no episode has now stands for: one of the catalog, or one that was taken out.

    `leads_to` is the row of the episode that the address leads to; None where it leads nowhere any more.
    """

    leads_to: int | None
    withdrawn_at: str = ""  # the address that it keeps

    @property
    def withdrawn(self) -> bool:
        return bool(self.withdrawn_at)


def episodes_at(slugs: Collection[str], rows: EpisodeQuerySet | None = None) -> dict[str, Episode]:
    """Episodes by addresses that they have or had, or that of an episode which they replace; an address of none is left
    out."""
    rows = Episode.objects.named() if rows is None else rows
    found: dict[str, Episode] = {}
    for some in batches(slugs):
        found |= {episode.slug: episode for episode in rows.filter(slug__in=some)}
    owners = former_owners([slug for slug in slugs if slug not in found])
    led = {slug: owner.leads_to for slug, owner in owners.items() if owner.leads_to}
    for ids in batches(set(led.values())):
        moved = {episode.pk: episode for episode in rows.filter(pk__in=ids)}
        found |= {slug: moved[pk] for slug, pk in led.items() if pk in moved}
    return found


def former_owners(slugs: Collection[str]) -> dict[str, Owner]:
    """The owners of addresses that no episode has: one that was taken out keeps the address it had; else the earliest entry
    in the ledger decides that belongs to any."""
    found: dict[str, Owner] = {}
    for some in batches(slugs):
        ledger = FormerAddress.objects.filter(slug__in=some).order_by("id")
        named = list(ledger.values_list("slug", "source", "document", "item_key"))
        owners = _owners({(source, document, key) for _, source, document, key in named})
        rows = [(slug, owners[tuple(entry)]) for slug, *entry in named if tuple(entry) in owners]
        for slug, owner in sorted(rows, key=lambda row: row[1].withdrawn_at != row[0]):
            found.setdefault(slug, owner)
    return found


def _owners(entries: Collection[Entry]) -> dict[Any, Owner]:
    """The episodes that entries belong to, by source, document and key."""
    found: dict[Any, Owner] = {}
    for some in batches(entries):
        # By all three columns: the indexes begin with the source of a document, and with the document of an entry.
        named = {f"{column}__in": set(values) for column, values in zip(COLUMNS, zip(*some, strict=True), strict=True)}
        attached = Attachment.objects.filter(**named).order_by().values_list(*COLUMNS, "episode", Value(""))
        withdrawn = WithdrawnEntry.objects.filter(**named).order_by()
        rows = attached.union(withdrawn.values_list(*COLUMNS, "episode__replaced_by", "episode__slug"))
        found |= {entry: Owner(leads_to, address) for *names, leads_to, address in rows if (entry := tuple(names))}
    return found
