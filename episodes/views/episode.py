"""One episode, and the way from its former addresses."""

from __future__ import annotations

from django.db.models import Prefetch
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ..confirmed import confirmed
from ..mentions import grouped, mentioned
from ..models import Attachment, Credit, Episode, EpisodeLink, FormerAddress, Reference
from ..provenance import fields, places, source_titles
from ..querysets import EpisodeQuerySet

MOST_FORMER = 100


@require_safe
def episode(request: HttpRequest, slug: str) -> HttpResponse:
    """All that is known of an episode; an address it once had leads to the one it has."""
    found = whole(slug)
    if found is None:
        moved = moved_to(slug)
        if moved is None:
            raise Http404("There is no such episode.")
        return HttpResponsePermanentRedirect(moved.get_absolute_url())
    mentions = mentioned(found)
    titles = source_titles(found.podcast)
    context = {
        "section": "episodes",
        "episode": found,
        "earlier": neighbours(found).filter(order__lt=found.order).order_by("-order").first(),
        "later": neighbours(found).filter(order__gt=found.order).order_by("order").first(),
        "links": grouped(mentions),
        "labels": {m.published: m.name.whole for m in mentions},
        "fields": fields(found, titles, confirmed(found.attachments.all())),
        "places": places(found.attachments.all(), titles),
        "canonical": request.build_absolute_uri(found.get_absolute_url()),
    }
    return render(request, "episodes/episode.html", context)


def whole(slug: str) -> Episode | None:
    """The episode at this address with everything its page shows."""
    attachments = Attachment.objects.select_related("item__document__source").order_by(
        "item__document__source__rank", "item__document__source__slug", "item__position"
    )
    found = Episode.objects.filter(slug=slug).for_list()
    return found.prefetch_related(
        Prefetch("attachments", attachments),
        Prefetch("mentions", EpisodeLink.objects.select_related("link").order_by("position")),
        Prefetch("credits", Credit.objects.select_related("person").order_by("person__name", "role")),
        Prefetch("references", Reference.objects.select_related("target").order_by("target__order")),
    ).first()


def neighbours(episode: Episode) -> EpisodeQuerySet:
    return Episode.objects.filter(podcast=episode.podcast_id).only("slug", "title", "number", "order")


def moved_to(slug: str) -> Episode | None:
    """The episode that an entry belongs to which this address once stood for: of several, the earliest in the ledger."""
    rows = FormerAddress.objects.filter(slug=slug).order_by("id")
    entries = list(rows.values_list("source_id", "document", "item_key")[:MOST_FORMER])
    attached = Attachment.objects.filter(
        item__key__in={key for *_, key in entries}, item__document__address__in={address for _, address, _ in entries}
    ).select_related("episode", "item__document")
    there = {(a.item.document.source_id, a.item.document.address, a.item.key): a.episode for a in attached}
    return next((there[entry] for entry in entries if entry in there), None)
