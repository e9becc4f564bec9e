"""Changes in the entries of sources, newest first: as a page and as RSS."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from django.db.models import F, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.feedgenerator import Rss201rev2Feed
from django.utils.text import Truncator
from django.utils.xmlutils import SimplerXMLGenerator
from django.views.decorators.http import require_safe

from ..fields import NOTES_FIELD, iterate_field_changes
from ..models import Episode, Item, Podcast, Revision
from ..outputs import without_control_characters
from ..records import EntryData
from ..site import Site, load_shows_and_sections
from .former_addresses import decorate_episode_file_view
from .rendering import render_page


@require_safe
def newest_changes_page(request: HttpRequest) -> HttpResponse:
    current_site = load_shows_and_sections()
    days = []
    changes = find_newest_changes(current_site)
    for day, group in groupby(changes, key=lambda change: change.at.date()):
        days.append((day, list(group)))
    context = {"section": "changes", "site": current_site, "days": days}
    return render_page(request, "episodes/changes.html", context)


@require_safe
def changes_rss(request: HttpRequest) -> HttpResponse:
    return _source_changes_feed(
        request,
        find_newest_changes(load_shows_and_sections()),
        "Source changes",
        reverse("changes"),
    )


@require_safe
@decorate_episode_file_view("/changes.rss", Episode.objects.all())
def changes_of_episode(request: HttpRequest, episode: Episode) -> HttpResponse:
    changes = find_newest_changes(load_shows_and_sections(), attachment__episode=episode)
    title = f"Source changes: {episode}"
    return _source_changes_feed(request, changes, title, episode.get_absolute_url())


@require_safe
def changes_of_show(request: HttpRequest, slug: str) -> HttpResponse:
    show = get_object_or_404(Podcast.objects.listed(), slug=slug)
    changes = find_newest_changes(load_shows_and_sections(), document__source__podcast=show)
    title = f"Source changes: {show}"
    return _source_changes_feed(request, changes, title, show.get_absolute_url())


class _ChangesFeed(Rss201rev2Feed):
    """An RSS feed with the date of its newest item. Without items it has no date."""

    def add_root_elements(self, handler: SimplerXMLGenerator) -> None:
        # Without items Django would write the time of the request, and each request would give another feed.
        if self.items:
            super().add_root_elements(handler)
            return
        handler.addQuickElement("title", self.feed["title"])
        handler.addQuickElement("link", self.feed["link"])
        handler.addQuickElement("description", self.feed["description"])
        handler.addQuickElement("atom:link", None, {"rel": "self", "href": self.feed["feed_url"]})
        handler.addQuickElement("language", self.feed["language"])


def _source_changes_feed(
    request: HttpRequest, changes: Iterable["UpstreamChange"], title: str, page_address: str
) -> HttpResponse:
    absolute = request.build_absolute_uri
    page = absolute(page_address)
    feed = _ChangesFeed(
        title=without_control_characters(title),
        link=page,
        description="Edits detected in the sources, newest first.",
        language="en",
        feed_url=absolute(request.path),
    )
    for change in changes:
        description = f"{change.source}: {'; '.join(change.sentences)}"
        link = absolute(change.page) if change.page else page
        feed.add_item(
            # Django's writer raises an error for characters that XML cannot carry.
            title=without_control_characters(change.heading),
            link=link,
            description=without_control_characters(description),
            unique_id=f"change:{without_control_characters(change.key)}",
            # RSS takes a guid for the address of a page unless the feed says that it is none.
            unique_id_is_permalink=False,
            pubdate=change.at,
        )
    content_type = "application/rss+xml; charset=utf-8"
    return HttpResponse(feed.writeString("utf-8"), content_type=content_type)


@dataclass(frozen=True)
class UpstreamChange:
    """A difference between two versions of a document in one of its entries."""

    at: datetime
    document: int
    version: int
    heading: str
    page: str  # the address of its episode's page; "" for none
    sentences: tuple[str, ...]
    source: str

    @property
    def key(self) -> str:
        return f"{self.document}:{self.version}:{self.heading}"


def find_newest_changes(current_site: Site, **item_lookups: Any) -> list[UpstreamChange]:
    """Return the newest changes of entries with these values, at most 200.

    The first version of a document is no change.
    """
    max_changes = 200
    # The lookups are about entries: `attachment__episode` is `item__attachment__episode` of a revision.
    revision_lookups = {f"item__{name}": value for name, value in item_lookups.items()}
    revisions = _revisions_after_first_version().filter(**revision_lookups)
    gone_entries = _entries_gone_from_complete_sources().filter(**item_lookups)
    # All of the newest changes may be of one kind, so each query may return the maximum.
    events = _merge_into_events(revisions[:max_changes], gone_entries[:max_changes])
    changes = []
    for event in events:
        change = _build_upstream_change(event, current_site)
        # A change has no sentences if only values that readers do not see have changed.
        if change.sentences:
            changes.append(change)
    changes.sort(key=lambda change: (change.at, change.key), reverse=True)
    return changes[:max_changes]


def _merge_into_events(
    revisions: Iterable[Any], gone_entries: Iterable[Any]
) -> Collection["_EntryEvent"]:
    """Return an event for each revision and each entry that is gone.

    An episode can get a new entry and lose its old one in one version. That is one event.
    """
    event_by_key: dict[tuple[int, int, int | str], _EntryEvent] = {}
    for revision in revisions:
        key = _event_key(revision.item, revision.version)
        event_by_key[key] = _EntryEvent(
            at=revision.recorded_at,
            version=revision.version,
            entry=revision.item,
            before=revision.before,
            after=revision.payload,
        )
    for entry in gone_entries:
        key = _event_key(entry, entry.gone_version)
        if key not in event_by_key:
            event_by_key[key] = _EntryEvent(
                at=entry.gone_at,
                version=entry.gone_version,
                entry=entry,
                before=entry.before,
                after=None,
            )
        # After a new guid the event of the new entry has no earlier values. The entry that is gone has them.
        elif event_by_key[key].before is None:
            event_by_key[key].before = entry.before
    return event_by_key.values()


@dataclass
class _EntryEvent:
    """The change of one entry in one version of its document.

    A new guid makes an old entry go and a new one come.
    """

    at: datetime
    version: int
    entry: Item
    before: Any  # the stored values, None if the entry is new
    after: Any  # the stored values, None if the entry is gone


def _revisions_after_first_version() -> QuerySet[Any]:
    # Each has the values `before`: the payload of the last revision of its entry before it.
    payloads = Revision.objects.order_by("-version").values("payload")
    earlier = payloads.filter(item=OuterRef("item"), version__lt=OuterRef("version"))
    # Entries that a curator withdrew are left out. The column of the joined table is named, because
    # without it PostgreSQL takes most entries for withdrawn, and plans badly.
    return (
        Revision.objects.filter(version__gt=1, item__withdrawn__item=None)
        .annotate(before=Subquery(earlier[:1]))
        .select_related("item__document__source__podcast", "item__attachment__episode")
        .order_by("-recorded_at", "-id")
    )


def _entries_gone_from_complete_sources() -> QuerySet[Any]:
    """Return the entries that are gone from complete sources, newest first, with the values `before`.

    A list of the newest episodes drops older entries all the time, which is no news.
    """
    # `gone_version` is the first version of the document without the entry, so `gone_at` is the time at
    # which that version was fetched. `before` has the values of the entry's last revision.
    payloads = Revision.objects.order_by("-version").values("payload")
    last = payloads.filter(item=OuterRef("pk"), version__lt=OuterRef("gone_version"))
    return (
        Item.objects.filter(
            document__captures__version=F("gone_version"),
            document__source__complete=True,
            withdrawn__item=None,
        )
        .annotate(gone_at=F("document__captures__taken_at"), before=Subquery(last[:1]))
        .select_related("document__source__podcast", "attachment__episode")
        .order_by("-gone_at", "-id")
    )


def _event_key(entry: Item, version: int) -> tuple[int, int, int | str]:
    """Return a key for a document, version and episode. An entry without an episode has its own key."""
    attachment = getattr(entry, "attachment", None)
    episode_or_entry = attachment.episode_id if attachment else entry.key
    return entry.document_id, version, episode_or_entry


def _build_upstream_change(event: _EntryEvent, current_site: Site) -> UpstreamChange:
    """Return an event in words. It has no sentences if no value that readers see has changed."""
    entry = event.entry
    source = entry.document.source.label(several=current_site.several)
    newest_values, sentences = _newest_values_and_sentences(event, source)
    page_of_episode = ""
    # An entry that waits for a curator has no episode yet.
    if hasattr(entry, "attachment"):
        page_of_episode = entry.attachment.episode.get_absolute_url()
    return UpstreamChange(
        at=event.at,
        document=entry.document.pk,
        version=event.version,
        # An entry without a title is named by the beginning of its text.
        heading=newest_values.title or newest_values.text[:60] or entry.key,
        page=page_of_episode,
        sentences=sentences,
        source=source,
    )


def _newest_values_and_sentences(
    event: _EntryEvent, source: str
) -> tuple[EntryData, tuple[str, ...]]:
    if event.before is None:
        return EntryData.from_payload(event.after), (f"new in {source}",)
    old_values = EntryData.from_payload(event.before)
    if event.after is None:
        return old_values, (f"no longer in {source}",)
    new_values = EntryData.from_payload(event.after)
    return new_values, tuple(iterate_field_change_phrases(old_values, new_values))


def iterate_field_change_phrases(entry_before: EntryData, entry_after: EntryData) -> Iterator[str]:
    """Yield a phrase for each field that differs: `title changed from “A” to “B”`."""
    for field, old, new in iterate_field_changes(entry_before, entry_after):
        if field is NOTES_FIELD:
            change = f"{len(old):,} characters to {len(new):,} characters"
        else:
            change = f"{_quote_or_nothing(old)} to {_quote_or_nothing(new)}"
        yield f"{field.label.lower()} changed from {change}"


def _quote_or_nothing(value: str) -> str:
    """Return a value in quotes, at most 120 characters; `nothing` for ""."""
    return f"“{Truncator(value).chars(120)}”" if value else "nothing"
