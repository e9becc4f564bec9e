"""Digests of what pages show, by which a copy knows the pages that have to be made anew."""

from __future__ import annotations

from collections import defaultdict
from zlib import crc32

from django.conf import settings
from django.db.models import Max, Model

from podcast_catalog.environment import release

from ..models import (
    Attachment,
    Chapter,
    CodeMention,
    CodeName,
    Credit,
    Decision,
    Episode,
    EpisodeLink,
    EpisodeTopic,
    Image,
    LearningPath,
    Link,
    Person,
    Podcast,
    Reference,
    Source,
    Topic,
    Transcript,
)
from ..site import site

THINGS: tuple[type[Model], ...] = (Podcast, Topic, Person, Link, CodeName, Episode)
# What is told of a thing on its own pages, and on those of both where it is between two.
PARTS: tuple[type[Model], ...] = (
    *(EpisodeTopic, EpisodeLink, Credit, CodeMention, Reference, Chapter, Transcript, Attachment),
)
# What is on any page: the program, its settings, what is told of sources and shows.
EVERYWHERE: tuple[type[Model], ...] = (Podcast, Source, LearningPath)
# Columns that no page but an index shows, and those that follow from a file and its corrections.
UNSHOWN = {"text", "cues", "times"}
BESIDE = {Attachment: ("item__gone_version", Max("item__revisions__version"))}

Digests = dict[str, tuple[int, int]]


def everywhere(home: str) -> str:
    """A digest of what may be on any page."""
    own = release(settings.BASE_DIR, home, settings.SITE_NAME, settings.SITE_DESCRIPTION)
    covers = Image.objects.filter(address__in=Podcast.objects.values("image_url"))
    tables = [
        *(model._default_manager.all() for model in EVERYWHERE),
        Decision.objects.in_force("moment"),
    ]
    rows = [list(table.order_by("pk").values_list()) for table in tables]
    shown = rows, sorted(covers.values_list("address", "name")), sorted(site().filled)
    return f"{own}-{crc32(repr(shown).encode('utf-8', 'replace')):08x}"


def digests() -> Digests:
    """By the address of each thing a digest of its row, and one of all that its own pages say."""
    images = dict(Image.objects.values_list("address", "name"))
    own: dict[tuple[type[Model], int], int] = {}
    whole = defaultdict[tuple[type[Model], int], int](int)
    for model in (*THINGS, *PARTS):
        fields = [field for field in model._meta.concrete_fields if _is_shown(model, field.name)]
        owners = [
            (place, field.related_model)
            for place, field in enumerate(fields)
            if field.related_model in THINGS
        ]
        names = [field.attname for field in fields]
        image = names.index("image_url") if "image_url" in names else 0
        columns = ("pk", *names, *BESIDE.get(model, ()))
        for row in model._default_manager.order_by().values_list(*columns).iterator():
            digest = crc32(repr((row[1:], images.get(row[image + 1]))).encode("utf-8", "replace"))
            if model in THINGS:
                own[model, row[0]] = digest
            things = [(owner, row[place + 1]) for place, owner in owners]
            for thing in things:
                whole[thing] += digest
                if thing[0] is not Episode and things[0][0] is Episode:
                    # An episode's page has the names of things without links to theirs.
                    whole[things[0]] += own[thing]
    return {
        thing.get_absolute_url(): (own[model, thing.pk], whole[model, thing.pk])
        for model in THINGS
        for thing in model._default_manager.only(*_named(model)).iterator()
        if (model, thing.pk) in own
    }


def _is_shown(model: type[Model], name: str) -> bool:
    """True for a column that pages other than those of the row's own kind may show."""
    return name not in UNSHOWN and (model is Link or name != "episode_count")


def _named(model: type[Model]) -> tuple[str]:
    return ("key" if model is Link else "slug",)
