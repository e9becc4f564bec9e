"""An administrator's changes of shows and sources: added, changed, imported for a person who asks
for it, within limits that a request can wait for; and previews of that, which are rolled back."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from typing import IO, Any

from django.db import OperationalError, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone
from django.utils.text import Truncator

from ..fields import PUBLISHED, differing, plain_notes
from ..ingest import (
    Loaded,
    Options,
    PageDescription,
    Subscription,
    Target,
    TranscriptImportResult,
    Unreachable,
    describe,
    feed_columns,
    feed_row,
    fetch_page,
    import_options,
    import_transcripts,
    load,
    parse_subscriptions,
    preview,
    said_by_key,
    same_address,
    show_row,
    take,
    transcript_file,
    uploaded_files,
)
from ..models import Attachment, Document, Episode, FeedAccess, Held, Item, Podcast, Source
from ..records import Channel, DocumentRejected, EntryData, FetchedDocument
from ..text.private_addresses import split_login
from .decide import decide_match, withdraw_episode
from .history import (
    CONFIGURE,
    CURATE,
    AnyUser,
    InvalidChange,
    batch_changes,
    record_event,
    require_permission,
    rolled_back,
)
from .things import save_row

MOST = 200
NEWS = ("gone", "changed", "new", "")  # what wants a look first
LONGEST = 160  # characters of a value
Entries = Mapping[tuple[str, str], EntryData]  # by document and key
ACCEPT = "Look at the differences; if they are right, accept them."
RETRY = "Check the address and the parser, or try again later; manage.py ingest waits longer."


def request_limits(**more: Any) -> Options:
    """Options of an import for a person: a request fetches one document, and waits no longer."""
    return import_options(files=False, seconds=20.0, **more)


@contextmanager
def report_rejections(before: str = "", after: str = "") -> Iterator[None]:
    """Tell a person what cannot be reached or read, between these words.

    Raises:
        Impossible: says what.
    """
    try:
        yield
    except (Unreachable, DocumentRejected) as trouble:
        raise InvalidChange(f"{before}{trouble}{after}") from None


def read_subscriptions(page: FetchedDocument) -> list[Subscription]:
    """The shows of a list of subscriptions (OPML), those that are here already with that as their
    trouble; none of another file.

    Raises:
        Impossible: it cannot be read.
    """
    with report_rejections():
        listed = parse_subscriptions(page) or ()
    sources = list(Source.objects.filter(reader="feed").select_related("podcast"))
    found = []
    for subscription in listed:
        known = _at(subscription.address, sources)
        note = f"already here: {known.podcast}" if known else ""
        found.append(replace(subscription, trouble=subscription.trouble or note))
    return found


def _at(address: str, sources: Iterable[Source]) -> Source | None:
    """The one of the sources that has this address."""
    # One address is spelled in several ways.
    return {same_address(one.address): one for one in sources}.get(same_address(address))


def add_subscribed_shows(user: AnyUser, listed: Iterable[Subscription]) -> int:
    """Set up the shows of a list that are new; the schedule imports them."""
    require_permission(user, CONFIGURE)
    new = {one.address: one.title for one in listed if not one.trouble}
    with transaction.atomic():
        for address, title in new.items():
            plain, login = split_login(address)
            podcast = show_row(Channel(title=title), plain, login)
            save_row(user, podcast)
            save_row(user, feed_row(podcast, plain, login))
    return len(new)


def add_show(user: AnyUser, page: FetchedDocument) -> Podcast:
    """Add the show of a feed with its episodes. That it is another show than any known is the
    user's word.

    Raises:
        Impossible: the feed is a known show's, or cannot be imported.
    """
    require_permission(user, CONFIGURE)
    with report_rejections():
        found = preview(page)
    if found.known:
        raise InvalidChange(f"{found.known.podcast} is here already, with this feed.")
    with transaction.atomic():
        podcast = show_row(found.channel, page.address, page.login)
        save_row(user, podcast)
        source = feed_row(podcast, page.address, page.login)
        save_row(user, source)
        report = take(Loaded(Target(page.address, source), page), Options(), timezone.now)
        if report.exit_code:
            raise InvalidChange(f"The feed cannot be imported: {report.reason}")
    return podcast


def save_source(user: AnyUser, source: Source, *, seen: str = "", reason: str = "") -> None:
    """Make or change a source. What is stored of one that moves stays the same document; if it is a
    show's feed, the show's feed address changes with it.

    Raises:
        Impossible: another source of the show has its new address. Stale: somebody was faster.
    """
    podcast, before = source.podcast, Source.objects.filter(pk=source.pk).first()
    is_feed = source.reader == "feed"
    feed_before = podcast.feed_url, podcast.feed_access
    with transaction.atomic():
        if before and before.address != source.address:
            # The move that was announced is settled by this.
            source.moved_to = ""
            others = podcast.sources.exclude(pk=source.pk).exclude(address="")
            if same := _at(source.address, others):
                name = same.name(several=True)
                raise InvalidChange(f"{source.display_address} is the address of {name} already.")
            if is_feed and podcast.feed_url == before.address:
                podcast.feed_url = source.address
        if is_feed and source.login and podcast.feed_access == FeedAccess.AUTOMATIC:
            podcast.feed_access = FeedAccess.SECRET
        if (podcast.feed_url, podcast.feed_access) != feed_before:
            save_row(user, podcast, reason=reason)
        save_row(user, source, seen=seen, reason=reason)


def edited_show_columns(podcast: Podcast) -> dict[str, str]:
    """The columns of a show that an administrator edited, with what its feed has for them now."""
    if not podcast.said:
        return {}
    return {
        name: value
        for name, value in feed_columns(podcast.channel).items()
        if getattr(podcast, name) != value
    }


def preview_source(
    user: AnyUser,
    source: Source,
    page: FetchedDocument | None = None,
) -> dict[str, Any]:
    """Preview of an import: the source is saved, read from `page` or its address, and all of it is
    rolled back.

    `line` is what an import would print; `acceptable`: it is refused as implausible, and the
    `entries` are those that accepting it would bring; `known`: the source was read before, and they
    are those that differ.

    Raises:
        Impossible: there is nothing to read.
        PermissionDenied: the user may not set up sources.
    """
    require_permission(user, CONFIGURE)
    target = Target(source.slug, source=source)
    loaded = Loaded(target, page)
    if page is None:
        _name(source)
        # No lock is held while a server thinks about its answer.
        options = request_limits(accept=True, now=True)
        loaded = load(replace(target, address=source.address), options, timezone.now())
        # Nothing that the page names is fetched for a try.
        loaded = replace(loaded, target=target)
    tried = _tried(user, loaded, source, accept=False)
    if not tried["acceptable"]:
        return tried
    # What a person would accept is shown, too, before they are asked.
    return _tried(user, loaded, source, accept=True) | {
        "ok": False,
        "line": tried["line"],
        "acceptable": True,
    }


def _tried(user: AnyUser, loaded: Loaded, source: Source, *, accept: bool) -> dict[str, Any]:
    def tried() -> dict[str, Any]:
        before = said_by_key(source)
        newest = Item.objects.aggregate(last=Max("pk", default=0))["last"]
        report = take(loaded, Options(accept=accept), timezone.now)
        rows = [] if report.exit_code else list(_rows(source, before, newest))
        counts = Counter(row["news"] or "same" for row in rows)
        # An entry that is held is counted by its news as well.
        counts["held"] = sum(row["fate"] == "held" for row in rows)
        news = [row for row in rows if row["news"]]
        return {
            "ok": not report.exit_code,
            "line": report.line,
            "acceptable": report.acceptable,
            "known": bool(before),
            "entries": sorted(news, key=lambda row: NEWS.index(row["news"]))[:MOST],
            "more": max(0, len(news) - MOST),
            "counts": counts,
        }

    return rolled_back(lambda: save_source(user, source), tried)


def _rows(source: Source, before: Entries, newest: int) -> Iterator[dict[str, Any]]:
    """Each entry of a source after an import, and those that are gone, with its fate and the
    episode that it met; `newest` is the number of the last entry that was there before."""
    now = said_by_key(source)
    # The row of an episode is another one when its address changes, those of entries stay.
    old = Attachment.objects.filter(episode__podcast=source.podcast_id, item__lte=newest)
    known = set(old.values_list("episode", flat=True))
    rows = Attachment.objects.filter(item__document__source=source).select_related(
        "episode", "item__document"
    )
    episodes = {(row.item.document.address, row.item.key): row.episode for row in rows}
    waiting = Held.objects.filter(item__document__source=source)
    fates = dict.fromkeys(waiting.values_list("item__document__address", "item__key"), "held")
    fates |= {place: "matched" if e.pk in known else "new" for place, e in episodes.items()}
    for place, said in {**before, **now}.items():
        changes = tuple(
            (field.label, Truncator(was).chars(LONGEST), Truncator(is_now).chars(LONGEST))
            for field, was, is_now in differing(before.get(place, said), said)
        )
        news = "changed" if changes else ""
        if place not in before:
            news = "new"
        elif place not in now:
            news = "gone"
        yield {
            "title": said.title or plain_notes(said)[:80],
            "published": PUBLISHED.words_in(said),
            "fate": fates.get(place, "ignored"),
            "episode": getattr(episodes.get(place), "heading", ""),
            "news": news,
            "changes": changes,
        }


def import_source(user: AnyUser, source: Source, *, accept: bool = False) -> str:
    """Import a source from its address now; `accept` lets a change through that looks implausible.
    The outcome in one sentence, for a person who does not know commands.

    Raises:
        Impossible: the source has no address, is archived or removed, the database is busy, or the
        document was not taken.
        PermissionDenied: the user may not.
    """
    require_permission(user, CONFIGURE)
    name = _name(source)
    # A person who asks is not kept waiting for as long as a server asked programs to wait.
    options = request_limits(accept=accept, now=True)
    # The history and commands call it alike.
    subject = source.name(several=Podcast.objects.several())
    target = Target(subject, source=source, address=source.address)
    try:
        report = take(load(target, options, timezone.now()), options, timezone.now)
    except OperationalError:
        raise InvalidChange(
            f"{name} was not imported: another import is writing, or this one takes too long for a "
            "page. Nothing was changed. Try again in a minute, or run manage.py ingest "
            f"--podcast {source.podcast.slug} {source.slug}."
        ) from None
    counts = report.line.removeprefix(f"{report.source}: ")
    line = f"{name}: {counts}.{f' Note: {report.note}.' if report.note else ''}"
    if report.exit_code:
        why, advice = report.reason.removeprefix(f"{source.display_address}: "), RETRY
        if report.acceptable:
            why, advice = why.partition(". ")[0], ACCEPT
        place = f"{name} ({source.display_address})"
        line = f"{place}: not imported: {why}. The last good copy stays. {advice}"
    told, verb = [["result", "", line]], "accept import" if accept else "import"
    record_event(user, verb, source, subject, source.podcast, told)
    if report.exit_code:
        raise InvalidChange(line)
    return line


def _name(source: Source) -> str:
    """The show and the slug of a source that can be imported, as a person reads them.

    Raises:
        Impossible: it has no address, or is closed.
    """
    name = f"{source.podcast.title} · {source.slug}"
    if source.is_closed:
        raise InvalidChange(f"{name} is {source.status}. Resume it to import it again.")
    if not source.address:
        raise InvalidChange(
            f"{name} has no address. Give it one, or import a saved copy with manage.py ingest FILE."
        )
    return name


def import_show_transcripts(
    user: AnyUser,
    podcast: Podcast,
    file: IO[bytes],
    *,
    machine_made: bool = False,
) -> TranscriptImportResult:
    """Import a transcript of a show, or a zip file of them.

    Raises:
        Impossible: nothing more is imported of the show, or a file is no archive that can be read.
        PermissionDenied: the user may not.
    """
    require_permission(user, CURATE)
    with report_rejections("Not imported: ", "."):
        files = uploaded_files(file)
        result = import_transcripts(podcast, files, timezone.now, machine_made=machine_made)
    record_event(
        user, "bring transcripts", podcast, podcast.title, podcast, [["result", "", result.line]]
    )
    return result


def add_transcript(
    user: AnyUser,
    episode: Episode,
    file: IO[bytes],
    *,
    machine_made: bool = False,
    reason: str = "",
) -> None:
    """Import a file as a transcript of an episode, whatever its name and front matter say.

    Raises:
        Impossible: nothing more is imported of the show, or the file is no transcript.
        PermissionDenied: the user may not.
    """
    require_permission(user, CURATE)
    # In a folder of its own: every episode may have a file called transcript.vtt.
    path = f"{episode.slug}/{file.name.rpartition('/')[2]}"
    transcript = transcript_file(path, partial(nullcontext, file))
    with report_rejections("Not imported: ", "."), transaction.atomic():
        result = import_transcripts(
            episode.podcast, [transcript], timezone.now, machine_made=machine_made, accept=True
        )
        if result.exit_code:
            raise DocumentRejected(result.lines[0])
        document = Document.objects.filter(
            source__podcast=episode.podcast, address__in=result.addresses
        )
        decide_match(user, Item.objects.get(document__in=document), "same", episode, reason=reason)


def describe_page(address: str, login: str = "") -> tuple[FetchedDocument, PageDescription]:
    """The page at an address, and what it says of itself.

    Raises:
        Impossible: nothing answers, or it cannot be read.
    """
    with report_rejections(after=". Check the address."):
        page = fetch_page(address, request_limits(), login)
        return page, describe(page)


# -- pages that an older release confirmed by their host -------------------------------------------


def single_document_entries() -> QuerySet[Attachment]:
    """Return the entries of episodes that no other document created."""
    creating = Attachment.objects.filter(
        item__document__vouched=True, item__document__source__may_create=True
    )
    others = creating.filter(episode=OuterRef("episode")).exclude(
        item__document=OuterRef("item__document")
    )
    return creating.filter(~Exists(others))


def documents_confirmed_by_host() -> QuerySet[Document]:
    """Return the documents that only their host confirmed, if episodes exist because of them alone.

    A host proves nothing, but older releases accepted it.
    """
    episodes = single_document_entries().filter(item__document=OuterRef("pk"))
    return Document.objects.filter(Exists(episodes), confirmed_by_host=True)


def withdraw_episodes_of(user: AnyUser, document: Document, *, reason: str = "") -> int:
    """Withdraw the episodes that exist because of this document alone. Return their number.

    Their addresses answer 410. All of it is one batch of the history.
    """
    entries = single_document_entries().filter(item__document=document)
    episodes = Episode.objects.filter(attachments__in=entries).distinct()
    acts = [
        (str(episode), partial(withdraw_episode, user, episode, "no-episode", reason=reason))
        for episode in episodes.select_related("podcast")
    ]
    with batch_changes([document.source.podcast]) as batch:
        refused = batch.each(acts)
    return len(acts) - len(refused)
