"""One episode, and the way from its former addresses."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from django.conf import settings
from django.db.models import Prefetch, Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from ...fields import by_kind
from ...models import (
    NAMED,
    Attachment,
    Chapter,
    CodeMention,
    Credit,
    Episode,
    FormerAddress,
    Item,
    LearningPath,
    Owner,
    Podcast,
    Reference,
    Related,
    Revision,
    Snapshot,
    Status,
    WithdrawnEpisode,
    former_owners,
    routes,
    snapshot,
)
from ...site import site
from ...text.normalize import words
from ..errors import gone
from ..links.mentions import mentioned
from ..names.index import used_in
from ..paths import places as places_in_paths
from ..people.index import credited
from .first_and_last_seen import confirmed
from .links import notes_and_links
from .listening import asked_start, listening
from .nearby import Others, nearby
from .provenance import fields, places, source_titles, sources

MOST_FORMER = 100
LONGEST_NUMBER = 9  # digits that a database takes
TAKEN_OUT = "This episode was taken out of the catalog."


@require_safe
def episode(request: HttpRequest, slug: str) -> HttpResponse:
    """All that is known of an episode; an address it once had leads to the one it has."""
    now = snapshot()
    found = whole(slug, now)
    if found is None:
        return elsewhere(request, slug)
    mentions = mentioned(found)
    around = others_of(found, now)
    start, complaints = asked_start(request.GET.get("t", ""), found)
    shown = {reference.target.get_absolute_url() for reference in around.named}
    notes, links = notes_and_links(found.description_html, mentions, shown)
    of_site = site(now)
    seen = confirmed(found.attachments.all())
    titles = now.kept(("sources", found.podcast_id), lambda: source_titles(found.podcast))
    routed = now.kept("routes", lambda: routes(LearningPath.objects.shown()))
    context = {
        "section": "episodes",
        "episode": found,
        "shared_title": shared_title(found),
        "start": start,
        "complaints": complaints,
        "listening": listening(found, found.attachments.all(), start),
        "nearby": nearby(found, around),
        "paths": places_in_paths(found, routed),
        "also_here": also_here(found) if of_site.several else [],
        "site": of_site,
        "details": {kind: rows for kind, rows in by_kind(found.details).items() if kind != "season"},
        "notes": notes,
        "links": links,
        "labels": {m.published: m.name.whole for m in mentions},
        "people": credited(found.credits.all()),
        "names": used_in(found.code_mentions.all()),
        "fields": fields(found, titles, seen),
        "sources": sources(found, titles),
        "checked": max((one.last for one in seen.values()), default=None),
        "places": places(found.attachments.all(), titles),
        "report": settings.ISSUES_URL.replace("{slug}", quote(found.slug)),
        "canonical": request.build_absolute_uri(found.get_absolute_url()),
    }
    return render(request, "episodes/episode.html", context)


def shared_title(episode: Episode) -> str:
    """`34. vmap`; the title alone where it has the number."""
    has_number = episode.number is None or str(episode.number) in words(episode.heading)
    return episode.heading if has_number else f"{episode.numbering}. {episode.heading}"


def elsewhere(request: HttpRequest, slug: str, ending: str = "/") -> HttpResponse:
    """The way from an address that is no episode's now; `ending` names one of its files, such as `.md`.

    Raises:
        Http404: it never was one.
    """
    if FormerAddress.objects.filter(slug=slug).exists():
        return formerly(request, slug, ending)
    if slug.isascii() and slug.isdecimal():
        return numbered(request, slug, ending)
    raise Http404("Episode not found.")


def formerly(request: HttpRequest, slug: str, ending: str) -> HttpResponse:
    """The way from an address that was once public: it leads somewhere for ever, unless a person took away what it led to."""
    if of_removed_show(slug):
        return gone(request, "This show was removed from the catalog.")
    owner = former_owners([slug]).get(slug)
    if owner is not None and owner.leads_to is None:
        return gone(request, TAKEN_OUT)
    return HttpResponsePermanentRedirect(with_ending(moved_to(slug, owner), ending))


def with_ending(address: str, ending: str) -> str:
    """A file of the episode whose page has this address; a search has no files."""
    return address if "?" in address else address.rstrip("/") + ending


def whole(slug: str, now: Snapshot) -> Episode | None:
    """The episode at this address with everything its page shows but other episodes."""
    attachments = Attachment.objects.select_related("item__document__source").order_by(
        "item__document__source__rank", "item__document__source__slug", "item__position"
    )
    attachments = attachments.prefetch_related(Prefetch("item__revisions", Revision.objects.order_by("-version")))
    # Explicit orders: the models' default orders would join episodes and shows.
    found = (
        Episode.objects.filter(slug=slug)
        .select_related("transcript")
        .defer("transcript__text")
        .prefetch_related(
            Prefetch("chapters", Chapter.objects.order_by("start")),
            Prefetch("attachments", attachments),
            Prefetch("credits", Credit.objects.select_related("person").order_by("person_id", "role")),
            Prefetch("code_mentions", CodeMention.objects.select_related("name").order_by("field", "position")),
        )
        .order_by()
        .first()
    )
    now.share(filter(None, [found]))
    return found


def others_of(found: Episode, now: Snapshot) -> Others:
    """The episodes that its page leads to: those it names, those that name it, its neighbours, and the related ones."""
    references = Reference.objects.filter(Q(episode=found) | Q(target=found)).order_by("pk")
    related = Related.objects.filter(episode=found).order_by("place")
    sides = neighbours(found, now)
    ids = {pk for row in references for pk in (row.episode_id, row.target_id)} | {row.other_id for row in related}
    rows = Episode.objects.filter(pk__in=ids.union(filter(None, sides))).order_by()
    known = {row.pk: row for row in rows.only(*NAMED, "published_at", "listed")} | {found.pk: found}
    for reference in references:
        reference.episode, reference.target = known[reference.episode_id], known[reference.target_id]
    for row in related:
        row.other = known[row.other_id]
    before, after = sides
    return Others(found.pk, list(references), list(related), known.get(before or 0), known.get(after or 0))


def neighbours(episode: Episode, now: Snapshot) -> tuple[int | None, int | None]:
    """The ids of the listed episodes before and after it; 0 or None for none."""
    shelf = now.shelves.get(episode.podcast_id)
    if shelf is not None and episode.pk in shelf.ids:
        place, listed_ids = shelf.ids.index(episode.pk), [0, *shelf.ids, 0]
        return listed_ids[place + 2], listed_ids[place]
    listed = Episode.objects.listed().filter(podcast=episode.podcast_id)
    return (
        listed.filter(order__lt=episode.order).order_by("-order").values_list("pk", flat=True).first(),
        listed.filter(order__gt=episode.order).order_by("order").values_list("pk", flat=True).first(),
    )


def also_here(found: Episode) -> list[Episode]:
    """Other episodes that this address stood for once, as when another show's episode of the same title came to it."""
    own = {(row.item.document.source_id, row.item.key) for row in found.attachments.all()}
    entries = FormerAddress.objects.filter(slug=found.slug).order_by("id")[:MOST_FORMER]
    others = [entry for entry in entries if (entry.source_id, entry.item_key) not in own]
    if not others:
        return []
    episodes = [item.attachment.episode for item in items_of(others) if hasattr(item, "attachment")]
    return list({episode.pk: episode for episode in episodes if episode.pk != found.pk}.values())


def items_of(entries: Iterable[FormerAddress]) -> list[Item]:
    """The entries that the ledger names, in its order, those that are still known."""
    entries = list(entries)
    items = Item.objects.filter(
        key__in={e.item_key for e in entries}, document__address__in={e.document for e in entries}
    ).select_related("attachment__episode__podcast", "held", "document")
    there = {(item.document.source_id, item.document.address, item.key): item for item in items}
    return [item for e in entries if (item := there.get((e.source_id, e.document, e.item_key)))]


@require_safe
def numbered(request: HttpRequest, number: str, ending: str = "/") -> HttpResponse:
    """The way to the episode of a number: the first show's, of its first season where numbers restart; else to what
    replaces the one that was taken out."""
    if len(number) > LONGEST_NUMBER:
        raise Http404("No episode has this number.")
    of_number = {"podcast": Podcast.objects.shown().first(), "number": int(number)}
    found = Episode.objects.filter(**of_number).order_by("season", "order").only("slug").first()
    if found is None:
        withdrawn = WithdrawnEpisode.objects.filter(**of_number).select_related("replaced_by")
        first = withdrawn.order_by("season", "slug").first()
        if first is None:
            raise Http404("No episode has this number.")
        if first.replaced_by is None:
            return gone(request, TAKEN_OUT)
        found = first.replaced_by
    return redirect(with_ending(found.get_absolute_url(), ending))


def of_removed_show(slug: str) -> bool:
    """True for an address of a show that was removed, and of no other."""
    shows = FormerAddress.objects.filter(slug=slug).values_list("source__podcast__status", flat=True)[:MOST_FORMER]
    return {*shows} == {Status.REMOVED}


def moved_to(slug: str, owner: Owner | None) -> str:
    """Where an address leads that was once an episode's.

    To the episode that it stands for, or that replaces this one; to what a held entry may belong to; else to a search for
    its words: an address once published leads somewhere for ever.
    """
    if owner is not None and owner.leads_to is not None:
        return Episode.objects.only("slug").get(pk=owner.leads_to).get_absolute_url()
    entries = list(FormerAddress.objects.filter(slug=slug).order_by("id")[:MOST_FORMER])
    known = items_of(entries)
    candidates = (c["episode"] for item in known if hasattr(item, "held") for c in item.held.candidates)
    candidate = next(candidates, None)
    if candidate is not None:
        return reverse("episode", args=(candidate,))
    return f"{reverse('episodes')}?{urlencode({'q': slug.replace('-', ' ')})}"
