"""Finds the documents that a command line names."""

from __future__ import annotations

from collections.abc import Sequence
from os.path import isfile
from pathlib import Path

from django.db.models import Q

from ..gather import LISTING, readers
from ..models import CLOSED, Document, Podcast, Source, SourceQuerySet, Status
from .shapes import LONGEST_ADDRESS, Options, Target, Unknown, is_web_address, printable


def targets(names: Sequence[str], options: Options) -> list[Target]:
    """The documents that the command line names; without names, those of every active source that
    has any.

    Raises:
        Unknown: a name is no source, no address and no file, or the options contradict.
    """
    sources = sources_of(options)
    if options.source and not sources.filter(slug=options.source):
        raise Unknown(f"unknown source: {options.source!r}; known sources: {_list(sources)}")
    if options.url and not (is_web_address(options.url) and list(map(isfile, names)) == [True]):
        raise Unknown(
            "--url gives the original http(s) address of exactly one saved file, of at most "
            f"{LONGEST_ADDRESS} characters, not {options.url[:80]!r}"
        )
    if names:
        return [target for name in names for target in _targets(name, sources, options)]
    if options.offline:
        return _stored(Q(source__in=sources.active()))
    return [_of_source(source) for source in sources.active().fetchable()]


def sources_of(options: Options) -> SourceQuerySet:
    found = Source.objects.select_related("podcast")
    if options.podcast:
        if not Podcast.objects.filter(slug=options.podcast).exists():
            shows = ", ".join(Podcast.objects.values_list("slug", flat=True))
            raise Unknown(f"unknown show: {options.podcast!r}; known shows: {shows}")
        found = found.filter(podcast__slug=options.podcast)
    return found


def _targets(name: str, sources: SourceQuerySet, options: Options) -> list[Target]:
    asked = printable(name)  # no database takes half a character
    named = sources.filter(slug=asked)
    if len(named) > 1:
        raise Unknown(f"{name!r} is a source of several shows; choose one with --podcast")
    if options.offline:
        stored = _stored(Q(source__in=named) | Q(address=asked))
        if not stored:
            raise Unknown(
                f"{asked[:200]!r} was never stored, or is archived; --offline uses stored documents only"
            )
        return stored
    if named:
        return [_of_source(named[0])]
    if is_web_address(name):
        return [Target(name, address=name)]
    if isfile(name):
        return [Target(printable(Path(name).name), path=Path(name))]
    known = f"known sources: {_list(sources)}"
    raise Unknown(f"{asked[:200]!r} is not a known source, http(s) address or file; {known}")


def _stored(wanted: Q) -> list[Target]:
    """The stored documents that list episodes."""
    stored = Document.objects.filter(wanted, kind="listing", captures__version__isnull=False)
    closed = Q(source__status__in=CLOSED) | Q(source__podcast__status=Status.REMOVED)
    documents = stored.exclude(closed).select_related("source__podcast").distinct()
    return [Target(one.address, one.source, one.url, document=one) for one in documents]


def _of_source(source: Source) -> Target:
    if source.podcast.status == Status.REMOVED or source.is_closed:
        raise Unknown(
            f"{source.slug} is archived or removed; an administrator can resume it in the admin"
        )
    if not source.address:
        raise Unknown(
            f"{source.slug} has no address to fetch; ingest a saved copy of its page instead"
        )
    return Target(source.name(several=Podcast.objects.several()), source, source.address)


def reader_titles() -> list[tuple[str, str]]:
    """The readers that a source can name, with the sites they read."""
    known = [(name, reader.TITLE) for name, reader in readers().items() if name != "by-hand"]
    return [*known, (LISTING, "Any page that lists known episodes")]


def _list(sources: SourceQuerySet) -> str:
    slugs = sources.order_by("slug").values_list("slug", flat=True).distinct()
    return ", ".join(slugs) or "none yet (add a show: manage.py add_show ADDRESS)"
