"""The ledger of addresses that were once public, and episodes by their present and former addresses
(docs/design.md, the ledger)."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from .catalog import Attachment, Episode, EpisodeQuerySet, Held, WithdrawnEntry
from .configuration import Podcast, Source, Topic


class Redirect(models.Model):
    """An address that was once public, and its target: an episode by one of its entries, a person by
    their identity, a topic or path by its row. A rebuild does not change it.

    A number comes from titles that an earlier release read. It leads to its episode, unless another
    episode has the number now.

    Rows of episodes and people are never deleted. The first row of an episode's address tells its
    show: no episode of another show ever gets the address. The address of a deleted topic or path
    has no target.
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
    # The row outlives its topic: the address was public.
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


@dataclass(frozen=True)
class Owner:
    """The episode that a former address stands for, in the catalog or withdrawn."""

    leads_to: int | None  # the id of the episode to redirect to, if there is one
    withdrawn: bool


def episodes_by_present_or_former_slug(
    slugs: Collection[str], episode_rows: EpisodeQuerySet | None = None
) -> dict[str, Episode]:
    """Return episodes by their present and former addresses, and by addresses of withdrawn episodes
    that they replace. Addresses without an episode are left out.

    `episode_rows` are the episodes with the columns to load. By default these are the columns of names.
    """
    if episode_rows is None:
        episode_rows = Episode.objects.with_name_columns()
    episode_by_slug = {episode.slug: episode for episode in episode_rows.filter(slug__in=slugs)}
    other_slugs = set(slugs) - episode_by_slug.keys()
    if other_slugs:
        episode_by_slug |= _episodes_by_former_slug(other_slugs, episode_rows)
    return episode_by_slug


def _episodes_by_former_slug(
    slugs: Collection[str], episode_rows: EpisodeQuerySet
) -> dict[str, Episode]:
    owner_by_slug = owners_of_former_slugs(slugs)
    target_ids = {owner.leads_to for owner in owner_by_slug.values()}
    target_by_id = episode_rows.in_bulk(target_ids)
    target_by_slug = {}
    for slug, owner in owner_by_slug.items():
        # A withdrawn episode without a replacement leads nowhere.
        if owner.leads_to in target_by_id:
            target_by_slug[slug] = target_by_id[owner.leads_to]
    return target_by_slug


def owners_of_former_slugs(slugs: Collection[str]) -> dict[str, Owner]:
    """Return the owners of addresses that no episode of the catalog has now.

    A withdrawn episode owns the address that it had. Else the owner is the episode of the earliest row
    of the ledger with an entry that still belongs to an episode.
    """
    return _first_owners_by_slug(entries_of_former_slugs(slugs))


def owner_of_number(podcast: Podcast, number: int) -> Owner | None:
    ledger = Redirect.objects.filter(kind="number", slug=number, source__podcast=podcast)
    return _first_owners_by_slug(_annotate_present_owners_and_candidates(ledger)).get(str(number))


def _first_owners_by_slug(ledger: QuerySet[Any]) -> dict[str, Owner]:
    """Return the owner of each address in rows of `_annotate_present_owners_and_candidates`: the withdrawn
    episode that had the address last, else the episode of the earliest row that has one."""
    owner_by_slug: dict[str, Owner] = {}
    oldest_first = list(ledger)
    # A withdrawn episode may have had several addresses. It owns its last one before all others.
    last_addresses_of_withdrawn = [row for row in oldest_first if row.withdrawn_slug == row.slug]
    for row in (*last_addresses_of_withdrawn, *oldest_first):
        # A withdrawn episode leads to its replacement, if it has one. An entry may also belong to no episode.
        is_withdrawn = row.withdrawn_slug is not None
        has_owner = is_withdrawn or row.leads_to is not None
        if has_owner:
            # The first owner of an address stays.
            owner_by_slug.setdefault(row.slug, Owner(row.leads_to, withdrawn=is_withdrawn))
    return owner_by_slug


def entries_of_former_slugs(slugs: Collection[str]) -> QuerySet[Any]:
    """Return the rows of the ledger for these addresses, oldest first, each with the present state of
    its entry.

    `leads_to` is the id of its episode, or of the episode that replaces its withdrawn episode.
    `withdrawn_slug` is the address of its withdrawn episode. `candidates` are the candidates of an
    unmatched entry. Each is None if there is none.
    """
    return _annotate_present_owners_and_candidates(
        Redirect.objects.filter(kind="episode", slug__in=slugs)
    )


def _annotate_present_owners_and_candidates(ledger: QuerySet[Redirect]) -> QuerySet[Any]:
    """Return the rows, oldest first, each with the id of its present episode (`leads_to`), the address
    of its withdrawn episode, and the candidates of its unmatched entry."""
    entry_of_row = {
        "item__document__source": OuterRef("source"),
        "item__document__address": OuterRef("document"),
        "item__key": OuterRef("item_key"),
    }
    attached = Attachment.objects.filter(**entry_of_row).order_by()
    withdrawn = WithdrawnEntry.objects.filter(**entry_of_row).order_by()
    unmatched = Held.objects.filter(**entry_of_row).order_by()
    present_episode = Subquery(attached.values("episode"))
    replacement = Subquery(withdrawn.values("episode__replaced_by"))
    return ledger.order_by("id").annotate(
        leads_to=Coalesce(present_episode, replacement),
        withdrawn_slug=Subquery(withdrawn.values("episode__slug")),
        candidates=Subquery(unmatched.values("candidates")),
    )


def topic_slugs_by_casefolded_name() -> dict[str, str]:
    """Return the slugs of topics by their casefolded slugs, names, aliases and former slugs."""
    slugs = {}
    # Former slugs come first: the present names of a topic win.
    redirects = Redirect.objects.filter(kind="topic").exclude(topic=None)
    for former, slug in redirects.values_list("slug", "topic__slug"):
        slugs[former.casefold()] = str(slug)
    for slug, name, aliases in Topic.objects.values_list("slug", "name", "aliases"):
        for spelling in (*aliases, name, slug):
            slugs[spelling.casefold()] = slug
    return slugs
