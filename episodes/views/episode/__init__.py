"""One episode, and the way from its former addresses."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from ...fields import by_kind
from ...models import (
    Episode,
    FormerAddress,
    Item,
    LearningPath,
    Owner,
    Podcast,
    Status,
    WithdrawnEpisode,
    former_owners,
    routes,
)
from ...outputs import citing, json_ld
from ...search import teaser
from ...site import site
from ...text.formatting import day
from ...text.link_labels import followable
from ...text.normalize import words
from ..errors import gone
from ..links.mentions import mentioned
from ..page import share_image, show_page
from ..paths import places as places_in_paths
from ..people.index import credited
from .first_and_last_seen import confirmed
from .links import notes_and_links
from .listening import asked_start, listening
from .nearby import nearby
from .provenance import fields, places, shared_since, source_titles, sources
from .rows import MOST_FORMER, EpisodeRows, rows_of

LONGEST_NUMBER = 9  # digits that a database takes
TAKEN_OUT = "This episode was taken out of the catalog."


@require_safe
def episode(request: HttpRequest, slug: str) -> HttpResponse:
    """All that is known of an episode; an address it once had leads to the one it has."""
    rows = rows_of(slug)
    if rows is None:
        return elsewhere(request, slug)
    found = rows.episode
    mentions = mentioned(rows.links, rows.here)
    start, complaints = asked_start(request.GET.get("t", ""), found)
    shown = {row.target.get_absolute_url() for row in rows.named}
    notes, links = notes_and_links(found.description_html, mentions, shown)
    of_site = site()
    seen = confirmed(rows.attachments, rows.read)
    titles = source_titles(found.podcast)
    routed = routes(LearningPath.objects.shown())
    told = fields(found, titles, seen)
    audible = bool(followable(found.audio_url))
    cited = citation(found, start, request)
    context = {
        "section": "episodes",
        "episode": found,
        "shared_title": shared_title(found),
        "description": description(found),
        "og_type": "article",
        "share_image": share_image(request, found),
        "structured": json_ld.episode(found, request.build_absolute_uri, of_site),
        "audible": audible,
        "is_played": audible and not found.is_document,
        "transcript": getattr(found, "transcript", None),
        "is_editorial": bool(found.provenance.get("description_text", {}).get("editorial")),
        "start": start,
        "complaints": complaints,
        "listening": listening(found, rows.attachments, start),
        "nearby": nearby(rows),
        "paths": places_in_paths(found, routed),
        "also_here": also_here(rows) if of_site.several else [],
        "site": of_site,
        "details": {kind: rows for kind, rows in by_kind(found.details).items() if kind != "season"},
        "notes": notes,
        "links": links,
        "labels": {m.published: m.name.whole for m in mentions},
        "people": credited(found.credits.all()),
        "names": rows.names,
        "fields": told,
        "shared_since": shared_since(told),
        "address": cited.address,
        "markdown": citing.markdown(cited),
        "bibtex": citing.bibtex(cited),
        "sources": sources(found, titles),
        "checked": max((one.last for one in seen.values()), default=None),
        "places": places(rows.attachments, titles),
        "report": settings.ISSUES_URL.replace("{slug}", quote(found.slug)),
        "canonical": request.build_absolute_uri(found.get_absolute_url()),
    }
    return show_page(request, "episodes/episode.html", context)


def shared_title(episode: Episode) -> str:
    """`34. vmap`; the title alone where it has the number."""
    has_number = episode.number is None or str(episode.number) in words(episode.heading)
    return episode.heading if has_number else f"{episode.numbering}. {episode.heading}"


def description(episode: Episode) -> str:
    """The opening of its notes; where it has none, what it is."""
    published = f", {day(episode.published_at)}" if episode.published_at else ""
    return teaser(episode.description_text) or f"{episode.heading}: an episode of {episode.podcast.title}{published}."


def citation(episode: Episode, start: int | None, request: HttpRequest) -> citing.Cited:
    """The episode's address, with the second asked for, and what to paste into notes and papers."""
    address = request.build_absolute_uri(episode.get_absolute_url())
    return citing.Cited(
        title=episode.heading,
        show=episode.podcast.title,
        address=f"{address}?t={start}" if start else address,
        key=f"{episode.podcast.slug}:{episode.slug}",
        number=episode.numbering,
        day=episode.published_at,
        speakers=list(dict.fromkeys(c.person.name for c in episode.credits.all() if c.role == "host")),
        author=episode.podcast.author,
    )


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


def also_here(rows: EpisodeRows) -> list[Episode]:
    """Other episodes that this address stood for once, as when another show's episode of the same title came to it."""
    own = {(row.item.document.source_id, row.item.key) for row in rows.attachments}
    others = [entry for entry in rows.former if (entry.source_id, entry.item_key) not in own]
    if not others:
        return []
    episodes = [item.attachment.episode for item in items_of(others) if hasattr(item, "attachment")]
    return list({episode.pk: episode for episode in episodes if episode.pk != rows.episode.pk}.values())


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
