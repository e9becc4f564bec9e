"""Finds the documents that a command line names."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from os.path import isfile
from pathlib import Path

from django.db.models import QuerySet

from ..gather import LISTING, readers
from ..models import Document, Podcast, Source, SourceQuerySet, Status
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
    found: list[Target] = []
    for name in names:
        found += _target(name, sources, options)
    for source in () if names else sources.active():
        with suppress(Unknown):  # it has no document
            found += _of_source(source, options)
    return found


def sources_of(options: Options) -> SourceQuerySet:
    found = Source.objects.select_related("podcast")
    if options.podcast:
        if not Podcast.objects.filter(slug=options.podcast).exists():
            shows = ", ".join(Podcast.objects.values_list("slug", flat=True))
            raise Unknown(f"unknown show: {options.podcast!r}; known shows: {shows}")
        found = found.filter(podcast__slug=options.podcast)
    return found


def _target(name: str, sources: SourceQuerySet, options: Options) -> list[Target]:
    asked = printable(name)  # no database takes half a character
    named = sources.filter(slug=asked)
    if len(named) > 1:
        raise Unknown(f"{name!r} is a source of several shows; choose one with --podcast")
    if named:
        return _of_source(named[0], options)
    if options.offline:
        return _stored(name, Document.objects.filter(address=asked))
    if is_web_address(name):
        return [Target(name, address=name)]
    if isfile(name):
        return [Target(printable(Path(name).name), path=Path(name))]
    known = f"known sources: {_list(sources)}"
    raise Unknown(
        f"{printable(name)[:200]!r} is not a known source, http(s) address or file; {known}"
    )


def _stored(name: str, documents: QuerySet[Document]) -> list[Target]:
    listings = documents.filter(kind="listing", captures__version__isnull=False).distinct()
    if not listings:
        raise Unknown(
            f"{printable(name)[:200]!r} was never stored; --offline uses stored documents only"
        )
    return [
        Target(name, document.source, document.url, document=document)
        for document in listings.select_related("source__podcast")
    ]


def _of_source(source: Source, options: Options) -> list[Target]:
    name = source.name(several=Podcast.objects.several())
    if source.podcast.status == Status.REMOVED or source.is_closed:
        raise Unknown(f"{name} is archived or removed; an administrator can resume it in the admin")
    if options.offline:
        return _stored(name, Document.objects.filter(source=source))
    if not source.address:
        raise Unknown(
            f"{source.slug} has no address to fetch; ingest a saved copy of its page instead"
        )
    return [Target(name, source, source.address)]


def reader_titles() -> list[tuple[str, str]]:
    """The readers that a source can name, with the sites they read."""
    known = [(name, reader.TITLE) for name, reader in readers().items() if name != "by-hand"]
    return [*known, (LISTING, "Any page that lists known episodes")]


def _list(sources: SourceQuerySet) -> str:
    slugs = sources.order_by("slug").values_list("slug", flat=True).distinct()
    return ", ".join(slugs) or "none yet (add a show: manage.py add_show ADDRESS)"
