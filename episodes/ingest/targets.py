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
    rows = sources_of(options)
    sources = list(rows)
    if options.source not in {"", *(source.slug for source in sources)}:
        raise Unknown(f"unknown source: {options.source!r}; known sources: {_list(sources)}")
    if options.url and not is_web_address(options.url):
        raise Unknown(
            f"--url takes an http(s) address of at most {LONGEST_ADDRESS} characters, not {options.url[:80]!r}"
        )
    if options.url and list(map(isfile, names)) != [True]:
        raise Unknown(
            "--url gives the original address of one saved file; pass exactly one file with it"
        )
    if names:
        return [target for name in names for target in _target(name, sources, options)]
    found: list[Target] = []
    for source in rows.active():
        with suppress(Unknown):  # it has no document
            found += _of_source(source, options)
    return found


def sources_of(options: Options) -> SourceQuerySet:
    found = Source.objects.select_related("podcast")
    if options.podcast:
        if not Podcast.objects.filter(slug=options.podcast).exists():
            shows = ", ".join(Podcast.objects.values_list("slug", flat=True)) or "none yet"
            raise Unknown(f"unknown show: {options.podcast!r}; known shows: {shows}")
        found = found.filter(podcast__slug=options.podcast)
    return found


def _target(name: str, sources: Sequence[Source], options: Options) -> list[Target]:
    named = with_slug(name, sources)
    if len(named) > 1:
        raise Unknown(f"{name!r} is a source of several shows; choose one with --podcast")
    if named:
        return _of_source(named[0], options)
    if options.offline:
        return _stored(name, Document.objects.filter(address=name))
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
    if Status.REMOVED in (source.podcast.status, source.status) or source.is_closed:
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


def with_slug(name: str, sources: Sequence[Source]) -> list[Source]:
    return [s for s in sources if s.slug == name]


def _list(sources: Sequence[Source]) -> str:
    return (
        ", ".join(sorted({s.slug for s in sources}))
        or "none yet (add a show: manage.py add_show ADDRESS)"
    )
