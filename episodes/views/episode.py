"""The page of an episode: all that is known of it, the places to hear it at, the episodes
around it, and which source said what, since when."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any
from urllib.parse import quote

from django.conf import settings
from django.db.models import OuterRef, Prefetch, Subquery, prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_safe

from ..fields import SOURCED, by_kind
from ..models import (
    Attachment,
    Capture,
    CodeName,
    Episode,
    IngestRun,
    Revision,
    Topic,
)
from ..outputs import add_credits, json_ld, markdown, people
from ..records import Provenance
from ..site import site
from ..text.formatting import day
from ..text.link_labels import followable
from ..text.urls import site_of
from ..text.vocabulary import load
from .links import mentioned, notes_and_links
from .page import elsewhere, share_image, show_page
from .things import credited, places
from .transcript import asked_time, quote_of, speech_of, transcript_text


@require_safe
def episode(request: HttpRequest, slug: str) -> HttpResponse:
    """All that is known of an episode; an address it once had leads to the one it has."""
    found = episode_at(slug)
    if found is None:
        return elsewhere(request, slug)
    links = found.mentions.select_related("link").defer("link__summary").order_by("position")
    mentions = mentioned(links)
    asked, complaints = asked_time(request.GET.get("t", ""), found)
    opens_at = asked.start if request.GET.get("t") else None
    speech = speech_of(found)
    quoted = quote_of(speech, asked)
    # One address for each quote: that of whole sentences.
    if quoted.span not in ("", request.GET.get("t")):
        return redirect(f"{found.get_absolute_url()}?t={quoted.span}")
    of_site, entries, around = site(), entries_of(found), nearby(found)
    named = {step["episode"].get_absolute_url() for step in chain.from_iterable(around.values())}
    notes, links_below = notes_and_links(found.description_html, mentions, named)
    add_credits([found])
    audible = bool(followable(found.audio_url))
    details = by_kind(found.details)
    details.pop("season", None)  # the line of facts has it
    chapters = list(found.chapters.order_by("start"))
    page = request.build_absolute_uri(found.get_absolute_url())
    address = f"{page}?t={asked}" if str(asked) else page
    structured = json_ld.episode(found, request.build_absolute_uri, of_site)
    if quoted:
        structured |= json_ld.clip(quoted.words, quoted.start, quoted.end, address)
    context = {
        "section": "episodes",
        "episode": found,
        "shared_title": shared_title(found),
        "description": description(found),
        "og_type": "article",
        "share_image": share_image(request, found, quoted.span),
        "structured": structured,
        "audible": audible,
        "is_played": audible and not found.is_document,
        "transcript": transcript_text(
            found,
            speech,
            chapters,
            request.GET.get("q", ""),
            opens_at,
        ),
        "is_editorial": bool(found.provenance.get("description_text", {}).get("editorial")),
        "opens_at": opens_at,
        "start": asked.start,
        "end": asked.end,
        "quote": quoted,
        "passage": quoted or quote_of(speech, asked.opening),
        "complaints": complaints,
        "listening": listening(found, entries),
        "nearby": around,
        "paths": places(found),
        "site": of_site,
        "details": details,
        "notes": notes,
        "links": links_below,
        "labels": {mention.published: mention.name.whole for mention in mentions},
        "credits": people(found),
        "chapters": chapters,
        "entries": entries,
        "people": credited(people(found)),
        "names": CodeName.objects.filter(mentions__episode=found)
        .order_by("sort_name", "name")
        .distinct(),
        "told": field_sources(found, entries),
        "address": address,
        "markdown": markdown.citation(found, address),
        "report": settings.ISSUES_URL.replace("{slug}", quote(found.slug)),
        # Without time or words: for search engines it is one page whatever passage a link names.
        "canonical": page,
    }
    return show_page(request, "episodes/episode.html", context)


def shared_title(episode: Episode) -> str:
    """`34. vmap`; the title alone where it has the number."""
    number = episode.number_beside_title
    return f"{number}. {episode.heading}" if number else episode.heading


def description(episode: Episode) -> str:
    """Its summary; where it has none, what it is."""
    published = f", {day(episode.published_at)}" if episode.published_at else ""
    return (
        episode.summary or f"{episode.heading}: an episode of {episode.podcast.title}{published}."
    )


# Each entry with the times at which its document was last read well, and, if it is gone, last read
# with it.
GOOD_READINGS = IngestRun.objects.filter(
    document=OuterRef("item__document"), outcome__in=IngestRun.GOOD
)
LAST_LISTINGS = Capture.objects.filter(
    document=OuterRef("item__document"), version=OuterRef("item__gone_version") - 1
).order_by()
ENTRIES = (
    Attachment.objects.select_related("item__document__source__podcast")
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


def entries_of(episode: Episode) -> Sequence[Attachment]:
    """The entries of an episode with all that they ever said, those of the best source first."""
    entries = list(ENTRIES.filter(episode=episode))
    prefetch_related_objects(
        entries, Prefetch("item__revisions", Revision.objects.order_by("-version"))
    )
    return entries


_DATA = load(__file__, "places")


def listening(episode: Episode, entries: Iterable[Attachment]) -> dict[str, object]:
    """The places to listen at: the episode's own page, and that or else the show's site; pages of
    others about the episode; searches if no page is known."""
    page = _place(episode.url)
    site = page or _place(episode.podcast.site_url)
    others: dict[str, dict[str, str]] = {}
    for entry in entries:
        item = entry.item
        # The page of a directory that lists the episode now, else its list.
        place = _place(item.said.url) or _place(item.document.public_url)
        if place and item.gone_version is None and not item.document.source.own:
            # A place that lists the episode in several documents is offered once.
            others[place["name"]] = place
    if site:
        # It has a line of its own.
        others.pop(site["name"], None)
    words = quote(f"{episode.podcast.title} {episode.title}".strip(), safe="")
    searches = () if page else _DATA["searches"].items()
    return {
        "page": page,
        "site": site,
        "others": list(others.values()),
        "searches": [{"name": name, "address": at.format(words)} for name, at in searches],
    }


def _place(address: str) -> dict[str, str]:
    """Somewhere to listen, as people call it; nothing for an address that nobody should follow."""
    if not followable(address):
        return {}
    host = f".{site_of(address)}"
    names = (name for end, name in _DATA["places"].items() if host.endswith(f".{end}"))
    return {"name": next(names, host[1:]), "address": address}


# What an episode that these notes name is to it, and what one is whose notes name it.
NAMED = {
    "prerequisite": "Listen to this first",
    "follow-up": "Continues this",
    "see-also": "Mentioned in the notes",
}
NAMING = {
    "prerequisite": "Builds on this",
    "follow-up": "Continued here",
    "see-also": "Mentions this",
}
PREVIOUS, NEXT = "Previous episode", "Next episode"
RELS = {PREVIOUS: "prev", NEXT: "next"}
BEFORE = {NAMED["prerequisite"], NAMING["follow-up"], PREVIOUS}
AFTER = {NAMED["follow-up"], NAMING["prerequisite"], NAMING["see-also"], NEXT}


def nearby(episode: Episode) -> dict[str, list[dict[str, Any]]]:
    """The episodes before this one, those after it, and the related ones, with what each is to this
    one; `rel` is `prev` or `next` where it is that. Each is once in the place that says most of
    it."""
    found: dict[str, list[dict[str, Any]]] = {"before": [], "after": [], "related": []}
    notes: defaultdict[int, dict[str, None]] = defaultdict(dict)
    for other, note in _notes(episode):
        notes[other][note] = None
    rows = Episode.objects.named().order_by().in_bulk(notes)
    # An import may just have deleted one.
    for pk in filter(rows.get, notes):
        said = notes[pk].keys()
        # One that is both comes before: each is listed once.
        side = "before" if said & BEFORE else "after" if said & AFTER else "related"
        rel = "".join(RELS.get(note, "") for note in said)
        found[side].append({"episode": rows[pk], "notes": list(said), "rel": rel})
    return found


def _notes(episode: Episode) -> Iterator[tuple[int, str]]:
    """The episodes around one by their ids, with what each is to it."""
    own = episode.references.order_by("target__podcast_id", "target__order", "kind")
    naming = episode.referred_by.order_by("episode__podcast_id", "episode__order", "kind")
    ids = Episode.objects.listed().filter(podcast=episode.podcast_id).values_list("pk", flat=True)
    before = ids.filter(order__lt=episode.order).order_by("-order")[:1]
    after = ids.filter(order__gt=episode.order).order_by("order")[:1]
    related = dict(episode.related)
    keys = dict(ids.filter(slug__in=related).values_list("slug", "pk"))
    # The page lists them in this order: what to hear first comes before the neighbours.
    yield from ((other, NAMED[kind]) for other, kind in _sorted(own.values_list("target", "kind")))
    yield from zip(before, [PREVIOUS], strict=False)
    yield from zip(after, [NEXT], strict=False)
    yield from (
        (other, NAMING[kind]) for other, kind in _sorted(naming.values_list("episode", "kind"))
    )
    # What is related was found when the show was resolved; some may be listed no more.
    yield from ((keys[slug], note) for slug, note in related.items() if slug in keys)


def _sorted(rows: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """References, prerequisites first."""
    return sorted(rows, key=lambda row: row[1] != "prerequisite")


# -- the sources of its values, field by field -----------------------------------------------------


@dataclass(frozen=True)
class Confirmed:
    """When a value was first and last confirmed by its source."""

    first: datetime
    last: datetime

    def __str__(self) -> str:
        return f"first seen {day(self.first)}, last checked {day(self.last)}"


def confirmed(attachments: Iterable[Any]) -> dict[tuple[str, str], Confirmed]:
    """For each (source, field) since when its newest entry has said what it says, and when it was
    last read with it."""
    found: dict[tuple[str, str], Confirmed] = {}
    # Entries that are still listed come last and so have the last word.
    for attachment in sorted(
        attachments, key=lambda a: (a.item.gone_version is None, -a.item.document_id)
    ):
        item = attachment.item
        last = attachment.left_at if item.gone_version else attachment.read_at
        revisions = [(revision.recorded_at, revision.said) for revision in item.revisions.all()]
        for field in SOURCED if last else ():
            words = [field.words_in(said) for _, said in revisions]
            # Since when it is said without a break; the newest revision comes first.
            unbroken = next((n for n, said in enumerate(words) if said != words[0]), len(words))
            if words[0]:
                first, _ = revisions[unbroken - 1]
                found[(item.document.source.slug, field.name)] = Confirmed(first, last)
    return found


def field_sources(episode: Episode, attachments: Sequence[Any]) -> dict[str, object]:
    """The sources of an episode, told by its entries: the fields in which a source is named or
    differs, and those that no source knows; whose values are shown, that of the title first; when
    an entry was last read; and since when all that is shown has been said, "" where that differs
    from field to field."""
    seen = confirmed(attachments)
    fields = list(_fields(episode, attachments, seen))
    spans = {field["since"] for field in fields if field["source"]}
    sources = dict.fromkeys(field["source"] for field in fields)
    return {
        "fields": fields,
        "sources": list(filter(None, sources)),
        "checked": max((one.last for one in seen.values()), default=None),
        "since": spans.pop() if len(spans) == 1 else "",
    }


def _fields(
    episode: Episode, attachments: Sequence[Any], seen: Mapping[tuple[str, str], Confirmed]
) -> Iterator[dict[str, Any]]:
    """Each field: whose value is shown, who else says so, what is said instead and whether both
    cannot be right, and since when (`first seen 3 May 2021, last checked 21 November 2026`; "" for
    a curator's value)."""
    every = [attachment.item.document.source for attachment in attachments]
    titles = {"curator": "the curator"} | {source.slug: source.heading for source in every}
    conflicts = {(row.get("field"), row.get("other_value")) for row in episode.conflicts}
    for field in SOURCED:
        known = Provenance.from_payload(episode.provenance.get(field.name, {}))
        slug = known.source or ""
        others = [
            {
                "value": field.words(value),
                "sources": _listed(slugs, titles),
                "conflicts": (field.name, value) in conflicts,
            }
            for value, slugs in known.others
        ]
        if slug or others or not field.optional:
            yield {
                "name": field.label + known.editorial * " (summary written for the catalog)",
                "source": titles.get(slug, slug),
                "agree": _listed(sorted({*known.agree} - {slug}), titles),
                "others": others,
                "since": str(seen.get((slug, field.name), "")),
            }


def _listed(slugs: Iterable[str], titles: Mapping[str, str]) -> str:
    return ", ".join(titles.get(slug, slug) for slug in slugs)
