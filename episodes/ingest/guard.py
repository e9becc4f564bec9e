"""The guard against implausible changes (rule 22): over half of a document at once. A list of the
newest may move on all the same, and a change that stays or grows is imported, so that no feed is
refused for ever (docs/design.md)."""

from collections.abc import Mapping
from datetime import datetime

from ..gather import store
from ..identity import item_keys
from ..listings import is_show
from ..models import Capture
from ..records import DocumentRejected, EntryData
from ..text.normalize import fold
from ..text.urls import enclosure_key, page_key
from .listings import reading_of

IMPLAUSIBLE = "suspiciously large change"  # how the reason of such a refusal begins
DAYS = 3  # on which the same must have been read
Entries = Mapping[str, EntryData]  # by key


class ImplausibleChange(DocumentRejected):
    """A version in which too much would vanish or change at once."""


def check(version: store.Version, now: datetime, *, strict: bool) -> None:
    """Let a version pass that may follow the known one; `strict`: another guid, audio file or page
    is a change too, as at every address that is not the show's own.

    Raises:
        ImplausibleChange: it would change too much, and has neither been read on three days nor
            grown since it was stopped.
    """
    document, before = version.document, version.before
    has_moved_on = len(before) == 1 or document.items.filter(gone_version__isnull=False).exists()
    moves = version.reading.channel is not None and has_moved_on and _is_named(version)
    complete = document.source.complete
    reason = implausible(before, version.entries, complete=complete, strict=strict, moves=moves)
    if reason and not _stays(version, now):
        raise ImplausibleChange(
            f"{IMPLAUSIBLE}: {reason}. The last good copy stays. If the change is correct, import "
            "it with --accept"
        )


def implausible(
    before: Entries,
    now: Entries,
    *,
    complete: bool = True,
    strict: bool = False,
    moves: bool = False,
) -> str:
    """The reason to refuse a version, "" where there is none: over half of the known entries vanish
    or become others.

    New dates, filled blanks and additions are no change. Where a list `moves`, an entry that is
    dated after all that was known takes the place of one that is gone; in a source that is not
    complete any new one does, as a page of the newest ten loses its oldest with every new one,
    unless nothing at all is left of what it said.
    """
    gone, others, moved = difference(before, now)
    newest = max((said.published for said in before.values()), default="")
    replaced = 0
    if moves:
        replaced = sum(now[key].published > newest > "" for key in now.keys() - before.keys())
    elif not complete and gone < len(before):
        replaced = len(now) - (len(before) - gone)
    gone, changed = max(0, gone - replaced), len(others | moved if strict else others)
    if (gone + changed) * 2 <= len(before):
        return ""
    return f"{gone} of {len(before)} items would vanish and {changed} would change completely"


def difference(before: Entries, now: Entries) -> tuple[int, set[str], set[str]]:
    """The number of known entries that are gone, the keys of those whose title and text both
    changed, and of those with another guid, audio file or page. An entry without its key is looked
    for by its title, then by its text."""
    changed = {key: said for key, said in before.items() if now.get(key) != said}
    strangers = now.values() if changed.keys() - now.keys() else ()  # to fold all texts takes long
    named = {name: said for said in strangers for name in (_text(said), fold(said.title))}
    named.pop("", None)
    gone, others, moved = 0, set[str](), set[str]()
    for key, said in changed.items():
        entry = now.get(key) or named.get(fold(said.title)) or named.get(_text(said))
        if entry is None:
            gone += 1
            continue
        is_retitled = fold(said.title) not in ("", fold(entry.title))
        if is_retitled and _text(said) not in ("", _text(entry)):
            others.add(key)
        signs = (
            {said.guid, entry.guid},
            {enclosure_key(said.audio_url), enclosure_key(entry.audio_url)},
            {page_key(said.url), page_key(entry.url)},
        )
        if any(len(pair - {""}) == 2 for pair in signs):
            moved.add(key)
    return gone, others, moved


def _text(said: EntryData) -> str:
    return fold(said.text or said.html)


def _stays(version: store.Version, now: datetime) -> bool:
    """True where the guard stopped the same state on two days before, or with fewer entries, so that
    each could follow the one before it, and something ties it to the show."""
    document, later, days = version.document, version.reading.entries, {now.date()}
    good = Capture.objects.filter(document=document, version__isnull=False).latest("version")
    # What could not be read says nothing about the state.
    stopped = Capture.objects.filter(
        document=document, refused__startswith=IMPLAUSIBLE, taken_at__gt=good.taken_at
    ).order_by("taken_at", "pk")
    last_of_day = {capture.taken_at.date(): capture for capture in stopped}
    for capture in reversed(last_of_day.values()):
        page = store.page_of(document, capture)
        try:
            earlier = reading_of(document.source, page, vouched=document.vouched).entries
        except DocumentRejected:  # an older version of the program could read it
            return False
        before = dict(zip(item_keys(earlier), earlier, strict=True))
        after = dict(zip(item_keys(later, before), later, strict=True))
        if implausible(before, after, moves=True):
            return False
        days.add(capture.taken_at.date())
        # A feed that grows was not replaced by an error page or by a stranger's.
        if before.keys() < after.keys() or len(days) == DAYS:
            return _is_tied(version)
        later = earlier
    return False


def _is_tied(version: store.Version) -> bool:
    """True for a document with its show's name, or with an entry or a title that it had before."""
    known = set(version.document.items.values_list("key", flat=True))
    known |= {fold(said.title) for said in version.before.values()}
    names = {*version.entries, *(fold(said.title) for said in version.entries.values())}
    return _is_named(version) or bool(known & names - {""})


def _is_named(version: store.Version) -> bool:
    """True where the document has the name of its show, or the one that the feed gave it last."""
    show, podcast = version.reading.show, version.document.source.podcast
    return is_show(show, podcast.title) or is_show(show, podcast.channel.title)
