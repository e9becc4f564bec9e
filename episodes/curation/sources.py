"""An administrator's changes of shows and sources: added, changed, and imported within limits that a
request can wait for. A preview makes the change and rolls it back."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import IO, Any, NamedTuple

from django.db import OperationalError, transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone
from django.utils.text import Truncator

from ..fields import PUBLISHED_FIELD, iterate_field_changes, plain_notes
from ..ingest import (
    ImportOptions,
    ImportTarget,
    LoadedDocument,
    PageDescription,
    Subscription,
    TranscriptImportResult,
    Unreachable,
    address_key,
    build_transcript_file_or_trouble,
    build_unsaved_podcast,
    current_entries_by_address_and_key,
    describe_source_for_page,
    fetch_page,
    files_of_upload,
    find_or_create_source,
    import_document,
    import_options,
    import_transcripts,
    load_document_or_error,
    parse_subscriptions,
    podcast_columns_of_channel,
    preview_show,
    sources_of_named_show_or_all,
    unsaved_feed_source,
)
from ..models import Attachment, Document, Episode, FeedAccess, Held, Item, Podcast, Source
from ..records import Channel, DocumentRejected, EntryData, FetchedDocument
from ..text.formatting import describe_import_results, format_count
from ..text.private_addresses import split_login
from .configuration import save_row
from .decide import decide_match, withdraw_episode
from .history import (
    CONFIGURE,
    CURATE,
    AnyUser,
    InvalidChange,
    open_change_batch,
    record_event,
    require_permission,
)


def request_limits(**options: Any) -> ImportOptions:
    """Return options for an import in a request: one document, and at most 20 seconds."""
    return import_options(files=False, seconds=20.0, **options)


@contextmanager
def raise_rejections_as_invalid_change(prefix: str = "", suffix: str = "") -> Iterator[None]:
    """Raise InvalidChange, with the reason, for a document that cannot be fetched or read."""
    try:
        yield
    except (Unreachable, DocumentRejected) as rejection:
        raise InvalidChange(f"{prefix}{rejection}{suffix}") from None


# --- Shows -------------------------------------------------------------------------------------


def read_subscriptions_and_mark_existing(document: FetchedDocument) -> list[Subscription]:
    """Return all shows of a list of subscriptions (OPML), or [] for another file.

    A show that the catalog has gets the note "already here" in `problem`.

    Raises:
        InvalidChange: the file cannot be read.
    """
    with raise_rejections_as_invalid_change():
        subscriptions = parse_subscriptions(document) or ()
    feeds = list(Source.objects.filter(reader="feed").select_related("podcast"))
    marked = []
    for subscription in subscriptions:
        existing_feed = _source_at(subscription.address, feeds)
        # A problem of the parser, such as an address that is none, stays.
        if existing_feed and not subscription.problem:
            problem = f"already here: {existing_feed.podcast}"
            subscription = replace(subscription, problem=problem)
        marked.append(subscription)
    return marked


def _source_at(address: str, sources: Iterable[Source]) -> Source | None:
    # Compared in canonical form, because an address can be spelled in several ways.
    by_address = {address_key(source.address): source for source in sources}
    return by_address.get(address_key(address))


def add_and_count_subscribed_shows(user: AnyUser, subscriptions: Iterable[Subscription]) -> int:
    """Add the shows of a list of subscriptions that have no `problem`, and return their number.

    Their episodes come with the next run of the schedule.
    """
    require_permission(user, CONFIGURE)
    title_by_address = {}  # a list may have an address twice
    for subscription in subscriptions:
        if not subscription.problem:
            title_by_address[subscription.address] = subscription.title
    with transaction.atomic():
        for address, title in title_by_address.items():
            # https://name:password@host/feed, for a feed with a login
            feed_url, login = split_login(address)
            _save_show_and_return_feed_source(user, Channel(title=title), feed_url, login)
    return len(title_by_address)


def _save_show_and_return_feed_source(
    user: AnyUser, channel: Channel, feed_url: str, login: str
) -> Source:
    podcast = build_unsaved_podcast(channel, feed_url, login)
    save_row(user, podcast)
    source = unsaved_feed_source(podcast, feed_url, login)
    save_row(user, source)
    return source


def add_show(user: AnyUser, feed_document: FetchedDocument) -> Podcast:
    """Add the show of a feed with its episodes, and return it.

    Raises:
        InvalidChange: a show has this feed already, or the feed cannot be imported.
    """
    require_permission(user, CONFIGURE)
    with raise_rejections_as_invalid_change():
        feed_preview = preview_show(feed_document)
    if feed_preview.existing_source:
        raise InvalidChange(
            f"{feed_preview.existing_source.podcast} is here already, with this feed."
        )
    with transaction.atomic():
        source = _save_show_and_return_feed_source(
            user, feed_preview.channel, feed_document.address, feed_document.login
        )
        # Without the `address` of a target, the transcripts that the feed links are not fetched now.
        target = ImportTarget(name=feed_document.address, source=source)
        loaded = LoadedDocument(target, feed_document)
        report = import_document(loaded, ImportOptions(), timezone.now)
        if report.exit_code:
            raise InvalidChange(f"The feed cannot be imported: {report.reason}")
    return source.podcast


def feed_values_of_edited_columns(podcast: Podcast) -> dict[str, str]:
    """Return the present values of the feed, by the name of the column that an administrator changed."""
    if not podcast.said:  # no feed was read yet
        return {}
    edited = {}
    for name, value in podcast_columns_of_channel(podcast.channel).items():
        if getattr(podcast, name) != value:
            edited[name] = value
    return edited


# --- Sources -----------------------------------------------------------------------------------


def save_source_and_show_feed(
    user: AnyUser, source: Source, *, token: str = "", reason: str = ""
) -> None:
    """Add or change a source. If a show's feed moves or gets a login, change the feed columns of the show, too.

    Raises:
        InvalidChange: another source of the show has the new address.
        EditConflict: somebody was faster.
    """
    podcast = source.podcast
    stored = Source.objects.filter(pk=source.pk).first()
    # A new source has not moved.
    old_address = stored.address if stored else source.address
    feed_columns_before = (podcast.feed_url, podcast.feed_access)
    with transaction.atomic():
        # Changes columns of `source` and `podcast`, and saves neither.
        _adapt_source_and_show_to_address(source, old_address)
        if (podcast.feed_url, podcast.feed_access) != feed_columns_before:
            save_row(user, podcast, reason=reason)
        save_row(user, source, token=token, reason=reason)


def _adapt_source_and_show_to_address(source: Source, old_address: str) -> None:
    """Change columns of a source, and of its show if the source is its feed, as the address and login of
    the source require. Save neither.

    Raises:
        InvalidChange: another source of the show has the new address.
    """
    podcast = source.podcast
    is_feed = source.reader == "feed"
    if old_address != source.address:
        # A move that the feed announced is settled by the new address.
        source.moved_to = ""
        _require_free_address(source)
        is_feed_of_show = is_feed and podcast.feed_url == old_address
        if is_feed_of_show:
            podcast.feed_url = source.address
    # A feed with a login is for administrators alone, unless one of them decided about access.
    if is_feed and source.login and podcast.feed_access == FeedAccess.AUTOMATIC:
        podcast.feed_access = FeedAccess.SECRET


def _require_free_address(source: Source) -> None:
    sources = source.podcast.sources.exclude(pk=source.pk).exclude(address="")
    holder = _source_at(source.address, sources)
    if holder:
        name = holder.name(several=True)
        raise InvalidChange(f"{source.display_address} is the address of {name} already.")


def fetch_and_describe_page(address: str, login: str) -> tuple[FetchedDocument, PageDescription]:
    """Fetch a page and return it, with the reader, slug and title that its source would have.

    Raises:
        InvalidChange: the server does not answer, or the page cannot be read.
    """
    with raise_rejections_as_invalid_change(suffix=". Check the address."):
        page = fetch_page(address, request_limits(), login)
        return page, describe_source_for_page(page)


def import_and_describe_outcome(user: AnyUser, source: Source, *, accept: bool = False) -> str:
    """Import a source from its address and return the outcome in a sentence.

    `accept` lets an implausible change through.

    Raises:
        InvalidChange: the source is closed or has no address, the database is busy, or the document
            was rejected.
        PermissionDenied: the user may not.
    """
    require_permission(user, CONFIGURE)
    name = _name_of_importable_source_or_raise(source)
    # `now` ignores the pause that the server asked for, because a person waits.
    options = request_limits(accept=accept, now=True)
    # The name in the history, as commands write it. `name` is for the sentences of the page.
    subject = source.name(several=Podcast.objects.several())
    target = ImportTarget(subject, source=source, address=source.address)
    try:
        loaded = load_document_or_error(target, options, timezone.now())
        report = import_document(loaded, options, timezone.now)
    except OperationalError:
        raise InvalidChange(
            f"{name} was not imported: another import is writing, or this one takes too long for a "
            "page. Nothing was changed. Try again in a minute, or run manage.py ingest "
            f"--podcast {source.podcast.slug} {source.slug}."
        ) from None
    has_failed = report.exit_code != 0
    if has_failed:
        outcome = _describe_import_failure(source, name, report)
    else:
        outcome = f"{source.podcast.title} · {_describe_success(source, report)}"
    verb = "accept import" if accept else "import"
    record_event(user, verb, source, subject, source.podcast, [["result", "", outcome]])
    # Only now, because the history has failures, too.
    if has_failed:
        raise InvalidChange(outcome)
    return outcome


def _describe_success(source: Source, report: Any) -> str:
    note = f" Note: {report.note}." if report.note else ""
    return f"{source.heading}: {report.counts_in_words}.{note}"


def _describe_import_failure(source: Source, name: str, report: Any) -> str:
    failure = report.reason.removeprefix(f"{source.display_address}: ")
    advice = "Check the address and the parser, or try again later; manage.py ingest waits longer."
    if report.acceptable:
        # The other sentences of the reason are advice for the command line.
        failure = failure.partition(". ")[0]
        advice = "Look at the differences; if they are right, accept them."
    subject = f"{name} ({source.display_address})"
    return f"{subject}: not imported: {failure}. The last good copy stays. {advice}"


def _name_of_importable_source_or_raise(source: Source) -> str:
    """Return "SHOW · SLUG" of a source that can be imported now.

    Raises:
        InvalidChange: the source has no address, or is closed.
    """
    name = f"{source.podcast.title} · {source.slug}"
    if source.is_closed:
        raise InvalidChange(f"{name} is {source.status}. Resume it to import it again.")
    if not source.address:
        raise InvalidChange(f"{name} has no address. Give it one, or import a saved page.")
    return name


# --- Preview of an import ------------------------------------------------------------------------


class EntryOutcome(NamedTuple):
    """The words for an entry that is in no present episode, and the class of their element."""

    words: str
    css_class: str


@dataclass
class EntryPreview:
    """An entry of a source after an import, or one that the source no longer lists."""

    title: str
    published: str
    match_result: str  # new, matched, held, ignored
    news: str  # new, changed, gone or same
    changes: list[tuple[str, str, str]]  # label, before, after
    episode: str = ""  # the heading of its episode

    @property
    def outcome(self) -> EntryOutcome | None:
        """Return None for an entry that becomes a part of a present episode."""
        if self.news == "gone":
            return EntryOutcome("no longer listed", "doubt")
        outcomes = {
            "new": EntryOutcome("a new episode", "now"),
            "held": EntryOutcome("needs review", "doubt"),
            "ignored": EntryOutcome("ignored", "quiet"),
        }
        return outcomes.get(self.match_result)


@dataclass
class ImportPreview:
    """The outcome of an import that was rolled back."""

    line: str  # as `ingest` prints it
    ok: bool
    acceptable: bool  # refused as implausible, so that a person can accept it
    has_earlier_import: bool
    entries: list[EntryPreview] = field(default_factory=list)  # new, changed or gone
    more: int = 0  # how many more such entries there are
    counts: Counter[str] = field(default_factory=Counter)
    explanations: tuple[str, ...] = ()  # a line for each entry, as `ingest --explain` prints it

    @property
    def news_in_words(self) -> str:
        total = self.counts.total() - self.counts["held"]
        words = {
            "new": "new",
            "changed": "changed",
            "gone": "gone",
            "held": "in need of review",
            "same": "unchanged",
        }
        return describe_import_results(format_count(total, "entry", "entries"), self.counts, words)


def preview_import(
    user: AnyUser, source: Source, page: FetchedDocument | None = None
) -> ImportPreview:
    """Save and import a source from `page` or its address, roll both back, and return the outcome.

    For an implausible change, return the entries that accepting it would bring.

    Raises:
        InvalidChange: there is nothing to read.
        PermissionDenied: the user may not set up sources.
    """
    require_permission(user, CONFIGURE)
    # Without the `address` of a target, the import fetches nothing that the page links.
    target = ImportTarget(name=source.slug, source=source)
    loaded = LoadedDocument(target, page)
    if page is None:
        # Loaded before the preview begins, because the preview holds locks.
        loaded = replace(_load_document_at_address(source), target=target)

    def import_source(*, accept: bool) -> ImportPreview:
        save_source_and_show_feed(user, source)
        return _import_and_preview(loaded, source, ImportOptions(accept=accept))

    return _preview_accepting_if_implausible(import_source)


def _load_document_at_address(source: Source) -> LoadedDocument:
    """Return the document at the address of a source, or the error why it cannot be loaded.

    Raises:
        InvalidChange: the source has no address, or is closed.
    """
    _name_of_importable_source_or_raise(source)
    # `accept` loads the document even if it has not changed since the last import. `now` ignores the pause
    # that the server asked for, because a person waits.
    options = request_limits(accept=True, now=True)
    target = ImportTarget(source.slug, source=source, address=source.address)
    return load_document_or_error(target, options, timezone.now())


def _preview_accepting_if_implausible(
    import_and_describe: Callable[..., ImportPreview],
) -> ImportPreview:
    """Run an import, roll it back, and return the outcome. If it was refused as implausible, return the
    refusal with the entries that accepting it would bring."""
    with transaction.atomic():
        preview = import_and_describe(accept=False)
        transaction.set_rollback(True)
    is_refused_as_implausible = preview.acceptable
    if not is_refused_as_implausible:
        return preview
    with transaction.atomic():
        accepted_preview = import_and_describe(accept=True)
        transaction.set_rollback(True)
    return replace(accepted_preview, ok=False, line=preview.line, acceptable=True)


def _import_and_preview(
    loaded: LoadedDocument, source: Source, options: ImportOptions
) -> ImportPreview:
    """Import a document of a source, and return the outcome. The caller rolls it back."""
    values_before = current_entries_by_address_and_key(source)
    last_item_id_before = Item.objects.aggregate(last=Max("pk", default=0))["last"]
    report = import_document(loaded, options, timezone.now)
    has_worked = report.exit_code == 0
    line = report.summary
    entries = []
    if has_worked:
        line = f"{source.heading}: {report.counts_in_words}."
        entries = _compare_entries_after_import(source, values_before, last_item_id_before)
    preview = ImportPreview(
        line=line,
        ok=has_worked,
        acceptable=report.acceptable,
        has_earlier_import=bool(values_before),
        explanations=report.entry_lines,
    )
    _set_listed_entries_and_counts(preview, entries)
    return preview


def _set_listed_entries_and_counts(preview: ImportPreview, entries: Sequence[EntryPreview]) -> None:
    """Set entries, counts and `more` of a preview. Only entries with news are listed: gone, changed, new."""
    most_important_first = ("gone", "changed", "new")
    with_news = [entry for entry in entries if entry.news != "same"]
    with_news.sort(key=lambda entry: most_important_first.index(entry.news))
    preview.entries = with_news[:200]
    preview.more = len(with_news) - len(preview.entries)
    preview.counts = Counter(entry.news for entry in entries)
    # Unmatched entries are counted twice: here, and by their news above.
    preview.counts["held"] = sum(entry.match_result == "held" for entry in entries)


Values = Mapping[tuple[str, str], EntryData]  # by document and key


def _compare_entries_after_import(
    source: Source, values_before: Values, last_item_id_before: int
) -> list[EntryPreview]:
    """Compare the entries of a source after an import, which has run, with their values before it.

    Return also entries that are gone. The caller rolls the import back.

    An item with an id above `last_item_id_before` came with the import.
    """
    values_after = current_entries_by_address_and_key(source)
    episodes = _episodes_by_address_and_key(source)
    match_results = _match_results_by_entry(source, episodes, last_item_id_before)
    entries = []
    for entry_key, values in {**values_before, **values_after}.items():
        # A new entry, and one that is gone, is compared with itself: nothing differs.
        changes = _describe_changes(values_before.get(entry_key, values), values)
        news = "same"
        if entry_key not in values_before:
            news = "new"
        elif entry_key not in values_after:
            news = "gone"
        elif changes:
            news = "changed"
        # An entry without an episode that is not held either was ignored.
        entry = EntryPreview(
            title=values.title or plain_notes(values)[:80],
            published=PUBLISHED_FIELD.display_entry_value(values),
            match_result=match_results.get(entry_key, "ignored"),
            news=news,
            changes=changes,
            episode=getattr(episodes.get(entry_key), "heading", ""),
        )
        entries.append(entry)
    return entries


def _episodes_by_address_and_key(source: Source) -> dict[tuple[str, str], Episode]:
    episodes = {}
    attachments = Attachment.objects.filter(item__document__source=source)
    for attachment in attachments.select_related("episode", "item__document"):
        item = attachment.item
        episodes[item.document.address, item.key] = attachment.episode
    return episodes


def _match_results_by_entry(
    source: Source, episodes: Mapping[tuple[str, str], Episode], last_item_id_before: int
) -> dict[tuple[str, str], str]:
    """Return the result of matching each entry, by (address of its document, key).

    "held" is unmatched, "matched" belongs to an episode from before the import, and "new" made an episode.
    `episodes` are the episodes of matched and new entries, by the same keys.
    """
    # Found by their entries, because an episode gets a new row when its address changes.
    old_attachments = Attachment.objects.filter(
        episode__podcast=source.podcast_id, item__lte=last_item_id_before
    )
    old_episodes = set(old_attachments.values_list("episode", flat=True))
    held = Held.objects.filter(item__document__source=source)
    match_results = dict.fromkeys(held.values_list("item__document__address", "item__key"), "held")
    for entry_key, episode in episodes.items():
        match_results[entry_key] = "matched" if episode.pk in old_episodes else "new"
    return match_results


def _describe_changes(before: EntryData, after: EntryData) -> list[tuple[str, str, str]]:
    changes = []
    for changed_field, old, new in iterate_field_changes(before, after):
        changes.append((changed_field.label, Truncator(old).chars(160), Truncator(new).chars(160)))
    return changes


# --- Saved pages ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class SavedPage:
    """A page that a person saved in a browser, about a show. Without the slug of a source it is found by the
    address, the bytes or the layout, as `ingest FILE` does."""

    podcast: Podcast
    page: FetchedDocument
    source_slug: str = ""

    def import_options(self, *, accept: bool = False) -> ImportOptions:
        return request_limits(
            podcast=self.podcast.slug,
            source=self.source_slug,
            url=self.page.address,
            accept=accept,
            explain=True,
        )

    @property
    def loaded(self) -> LoadedDocument:
        # Without a source in the target the page is confirmed as one on the command line is.
        return LoadedDocument(ImportTarget(self.page.name), self.page)

    def find_or_create_source(self) -> Source:
        """Return the source of the page, a new one if it is of another site.

        Raises:
            InvalidChange: several sources fit, or the page is a feed of another show.
        """
        options = self.import_options()
        with raise_rejections_as_invalid_change(f"{self.page.name}: ", "."):
            return find_or_create_source(self.page, options, sources_of_named_show_or_all(options))


def preview_saved_page(user: AnyUser, saved_page: SavedPage) -> ImportPreview:
    """Import a saved page, roll it back, and return the outcome.

    For an implausible change, return the entries that accepting it would bring.

    Raises:
        InvalidChange: no source fits.
        PermissionDenied: the user may not.
    """
    require_permission(user, CONFIGURE)

    def import_page(*, accept: bool) -> ImportPreview:
        source = saved_page.find_or_create_source()
        return _import_and_preview(
            saved_page.loaded, source, saved_page.import_options(accept=accept)
        )

    return _preview_accepting_if_implausible(import_page)


def import_saved_page_and_return_source_and_outcome(
    user: AnyUser, saved_page: SavedPage, *, accept: bool
) -> tuple[Source, str]:
    """Import a saved page. Return its source, and the outcome in a sentence.

    Raises:
        InvalidChange: no source fits, the page was rejected, or the database is busy. Nothing was saved.
        PermissionDenied: the user may not.
    """
    require_permission(user, CONFIGURE)
    name = saved_page.page.name
    try:
        with transaction.atomic():
            source = saved_page.find_or_create_source()
            options = saved_page.import_options(accept=accept)
            report = import_document(saved_page.loaded, options, timezone.now)
            if report.exit_code:
                # A new source is rolled back, too.
                raise InvalidChange(f"{name}: not imported: {report.reason}. Nothing was saved.")
            outcome = _describe_success(source, report)
            lines_of_history = [["file", "", name], ["result", "", outcome]]
            subject = source.name(several=Podcast.objects.several())
            record_event(user, "import", source, subject, source.podcast, lines_of_history)
    except OperationalError:
        raise InvalidChange(
            f"{name} was not imported: another import is writing. Nothing was saved. Try again in a minute."
        ) from None
    return source, outcome


# --- Transcripts -------------------------------------------------------------------------------


def import_show_transcripts_and_return_result(
    user: AnyUser, podcast: Podcast, file: IO[bytes], *, machine_made: bool
) -> TranscriptImportResult:
    """Import a transcript of a show, or a zip file of transcripts, and return the result.

    Raises:
        InvalidChange: nothing more is imported of the show, or the archive cannot be read.
        PermissionDenied: the user may not.
    """
    require_permission(user, CURATE)
    with raise_rejections_as_invalid_change("Not imported: ", "."):
        files = files_of_upload(file)
        result = import_transcripts(podcast, files, timezone.now, machine_made=machine_made)
    lines = [["result", "", result.summary]]
    record_event(user, "bring transcripts", podcast, podcast.title, podcast, lines)
    return result


def episodes_of_transcripts(podcast: Podcast, result: TranscriptImportResult) -> list[Episode]:
    documents = Document.objects.filter(source__podcast=podcast, address__in=result.path_by_address)
    episodes = Episode.objects.filter(attachments__item__document__in=documents)
    return list(episodes.distinct())


def import_transcript_for_episode(
    user: AnyUser,
    episode: Episode,
    file: IO[bytes],
    *,
    machine_made: bool,
    reason: str,
) -> None:
    """Import a file as a transcript of an episode, whatever its name and front matter say.

    Raises:
        InvalidChange: nothing more is imported of the show, or the file is not a transcript.
        PermissionDenied: the user may not.
    """
    require_permission(user, CURATE)
    _, _, file_name = file.name.rpartition("/")
    # The slug makes the path unique: every episode may have a file called transcript.vtt.
    path = f"{episode.slug}/{file_name}"
    # The upload is open already. `nullcontext` stands for the opening of a file.
    transcript = build_transcript_file_or_trouble(path, partial(nullcontext, file))
    with raise_rejections_as_invalid_change("Not imported: ", "."), transaction.atomic():
        # `accept`, because a file that fits no episode of the show would be refused.
        result = import_transcripts(
            episode.podcast, [transcript], timezone.now, machine_made=machine_made, accept=True
        )
        if result.exit_code:
            raise DocumentRejected(result.problems[0])
        # A single file has a single document, with a single entry.
        (address,) = result.path_by_address
        item = Item.objects.get(
            document__source__podcast=episode.podcast, document__address=address
        )
        # Whatever episode its words fit, it belongs to this one.
        decide_match(user, item, "same", episode, reason=reason)


# --- Pages that an older release confirmed by their host -------------------------------------------


def single_document_entries() -> QuerySet[Attachment]:
    """Return the entries of episodes that no other document created."""
    creating = Attachment.objects.filter(
        item__document__vouched=True, item__document__source__may_create=True
    )
    from_other_documents = creating.filter(episode=OuterRef("episode")).exclude(
        item__document=OuterRef("item__document")
    )
    return creating.filter(~Exists(from_other_documents))


def documents_confirmed_by_host() -> QuerySet[Document]:
    """Return the documents that only their host confirmed, if episodes exist because of them alone.

    A host proves nothing, but older releases accepted it.
    """
    entries = single_document_entries().filter(item__document=OuterRef("pk"))
    return Document.objects.filter(Exists(entries), confirmed_by_host=True)


def withdraw_and_count_unshared_episodes(
    user: AnyUser, document: Document, *, reason: str = ""
) -> int:
    """Withdraw the episodes that no document but this one lists. Return their number.

    Their addresses answer 410. The history has them as one batch.
    """
    entries = single_document_entries().filter(item__document=document)
    episodes = Episode.objects.filter(attachments__in=entries).distinct()
    with open_change_batch([document.source.podcast]) as batch:
        for episode in episodes.select_related("podcast"):
            with batch.attempt(str(episode)):
                withdraw_episode(user, episode, "no-episode", reason=reason)
    # A closed batch has its changes. An episode that cannot be withdrawn adds no change.
    return len(batch.changes)
