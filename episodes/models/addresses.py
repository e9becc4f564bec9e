"""The ledger of addresses that were once public, and episodes by their addresses: the one that they
have, and all that they ever had (docs/design.md, the ledger)."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from .catalog import Attachment, Episode, EpisodeQuerySet, Held, WithdrawnEntry
from .configuration import Podcast, Source, Topic


class Redirect(models.Model):
    """An address that was once public, and what it leads to: an episode by one of its entries, a
    person by their identity, a topic or path by its row. A rebuild leaves it as it is.

    A number is one that an earlier release learned from titles. It leads to its episode unless
    another one has it now.

    Rows of episodes and people are only ever added. The show of an episode's address is that of its
    first row: no other show's episode ever gets it. The address of a topic or path that was deleted
    leads to none.
    """

    kind = models.CharField(max_length=10)  # episode | number | person | topic | path
    slug = models.SlugField(max_length=255, allow_unicode=True)
    source = models.ForeignKey(Source, models.CASCADE, null=True, related_name="+")
    document = models.CharField(max_length=2000, blank=True)
    item_key = models.CharField(max_length=600, blank=True)
    # An address and a key are longer together than an index takes.
    entry = models.CharField(
        max_length=64, blank=True, help_text="SHA-256 of document and key, for the index."
    )
    identity = models.CharField(max_length=2000, blank=True)
    # Not deleted with its topic: the address was public, and stays known.
    topic = models.ForeignKey(Topic, models.SET_NULL, null=True, related_name="former")
    path = models.ForeignKey("LearningPath", models.SET_NULL, null=True, related_name="former")

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("slug", "source", "entry"),
                condition=Q(kind="episode"),
                name="redirect_once_an_entry",
            ),
            models.UniqueConstraint(
                fields=("slug", "identity"),
                condition=Q(kind="person"),
                name="redirect_once_a_person",
            ),
            models.UniqueConstraint(
                fields=("slug", "kind"),
                condition=Q(kind__in=("path", "topic")),
                name="redirect_once_a_topic",
            ),
        )


# The entry of a row of the ledger, by the columns that the indexes begin with.
ENTRY = {
    "item__document__source": OuterRef("source"),
    "item__document__address": OuterRef("document"),
    "item__key": OuterRef("item_key"),
}


@dataclass(frozen=True)
class Owner:
    """The episode that an address which no episode has now stands for: one of the catalog, or one
    that was taken out.

    `leads_to` is the row of the episode that the address leads to; None where it leads nowhere any
    more.
    """

    leads_to: int | None
    withdrawn: bool


def episodes_by_slug(
    slugs: Collection[str], rows: EpisodeQuerySet | None = None
) -> dict[str, Episode]:
    """Episodes by addresses that they have or had, or that of an episode which they replace; an
    address of none is left out."""
    rows = Episode.objects.with_name_columns() if rows is None else rows
    found = {episode.slug: episode for episode in rows.filter(slug__in=slugs)}
    owners = owners_of_former_slugs(set(slugs) - found.keys())
    moved = rows.in_bulk({owner.leads_to for owner in owners.values()})
    return found | {
        slug: moved[owner.leads_to] for slug, owner in owners.items() if owner.leads_to in moved
    }


def owners_of_former_slugs(slugs: Collection[str]) -> dict[str, Owner]:
    """The owners of addresses that no episode has: one that was taken out keeps the address it had;
    else the earliest entry in the ledger decides that belongs to any."""
    return _owners(entries_of_former_slugs(slugs))


def owner_of_number(podcast: Podcast, number: int) -> Owner | None:
    """Return the owner of a number that an earlier release learned, or None."""
    ledger = Redirect.objects.filter(kind="number", slug=number, source__podcast=podcast)
    return _owners(_with_owners(ledger)).get(str(number))


def _owners(ledger: QuerySet[Any]) -> dict[str, Owner]:
    # Reversed, because a dict keeps the last of equal keys, and the earliest entry is to decide.
    rows = [row for row in ledger.reverse() if row.leads_to or row.withdrawn_at]
    # Stable, and the last one stays: the owner that keeps the address counts over all others.
    rows.sort(key=lambda row: row.withdrawn_at == row.slug)
    return {row.slug: Owner(row.leads_to, bool(row.withdrawn_at)) for row in rows}


def entries_of_former_slugs(slugs: Collection[str]) -> QuerySet[Any]:
    """The entries that these addresses stood for, in the order of the ledger, each with what it
    belongs to now.

    `leads_to` is its episode, or the one that replaces its episode; `withdrawn_at` the address of
    its episode if that was taken out; `candidates` are those of an entry that needs review.
    """
    return _with_owners(Redirect.objects.filter(kind="episode", slug__in=slugs))


def _with_owners(ledger: QuerySet[Redirect]) -> QuerySet[Any]:
    attached = Attachment.objects.filter(**ENTRY).order_by()
    withdrawn = WithdrawnEntry.objects.filter(**ENTRY).order_by()
    held = Held.objects.filter(**ENTRY).order_by()
    return ledger.order_by("id").annotate(
        leads_to=Coalesce(
            Subquery(attached.values("episode")),
            Subquery(withdrawn.values("episode__replaced_by")),
        ),
        withdrawn_at=Subquery(withdrawn.values("episode__slug")),
        candidates=Subquery(held.values("candidates")),
    )
