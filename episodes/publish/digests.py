"""Digests of what pages show, by which a copy knows the pages that have to be made anew."""

from collections import defaultdict
from itertools import pairwise
from typing import Any, NamedTuple
from zlib import crc32

from django.conf import settings
from django.db.models import Case, F, Max, Model, Q, When

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

THINGS: tuple[Any, ...] = (Podcast, Topic, Person, Link, CodeName, Episode)
# What is told of a thing on its own pages, and on those of both where it is between two.
PARTS: tuple[type[Model], ...] = (
    *(EpisodeTopic, EpisodeLink, Credit, CodeMention, Reference, Chapter, Transcript, Attachment),
)
# The columns that name the things which a row tells of.
OWNERS: dict[str, type[Model]] = {
    "podcast_id": Podcast,
    "topic_id": Topic,
    "person_id": Person,
    "link_id": Link,
    "name_id": CodeName,
    "episode_id": Episode,
    "target_id": Episode,
}
# What is on any page: the program, its settings, what is told of sources and shows.
EVERYWHERE: tuple[type[Model], ...] = (Podcast, Source, LearningPath)
# Columns that no page but an index shows, and those that follow from a file and its corrections.
UNSHOWN = {"episode_count", "text", "cues", "times"}
# Rows of a page are numbered; in a feed each new episode moves all others.
ROW = Case(When(~Q(item__document__source__reader="feed"), then=F("item__position")))
# Pages of episodes say how many others have a link.
BESIDE: dict[type[Model], dict[str, Any]] = {
    Attachment: {
        "gone": F("item__gone_version"),
        "said": Max("item__revisions__version"),
        "row": ROW,
    },
    Link: {"episodes_with_it": F("episode_count")},
}


class Told(NamedTuple):
    """Digests of a thing: of what other pages tell of it, of all that is told of itself, and of that
    with what is told of the episodes around it."""

    briefly: int
    whole: int
    around: int


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


def arrangement() -> int:
    """A digest of the order and the counts of the episode list, which are on each of its pages."""
    placed = "pk", "order", "sorted_at", "listed", "published_at", "duration_seconds"
    tables = (
        Episode.objects.order_by("pk").values_list(*placed),
        EpisodeTopic.objects.order_by("pk").values_list("episode", "topic"),
        Topic.objects.order_by("pk").values_list("slug", "name", "group", "position"),
    )
    return crc32(repr([*map(list, tables)]).encode("utf-8", "replace"))


def digests() -> dict[str, Told]:
    """Digests of each thing by its address."""
    images = dict(Image.objects.values_list("address", "name"))
    own: dict[tuple[type[Model], int], int] = {}
    whole = defaultdict[tuple[type[Model], int], int](int)
    beside: list[tuple[tuple[type[Model], int], int]] = []  # things, each with an episode
    for model in (*THINGS, *PARTS):
        names = [f.attname for f in model._meta.concrete_fields if f.name not in UNSHOWN]
        rows = model._default_manager.order_by().values("pk", *names, **BESIDE.get(model, {}))
        for row in rows.iterator():
            said = row | {"image": images.get(row.get("image_url", ""))}
            own[model, row["pk"]] = digest = crc32(repr(said).encode("utf-8", "replace"))
            whole[model, row["pk"]] += digest
            for name in OWNERS.keys() & row.keys():
                thing = OWNERS[name], row[name]
                whole[thing] += digest
                # An episode's page has the names of things without links to theirs.
                whole[Episode, row.get("episode_id", 0)] += own.get(thing, 0)
                beside.append((thing, row.get("episode_id", row["pk"])))
    in_order = Episode.objects.listed().order_by("podcast", "order").values_list("pk", flat=True)
    for one, following in pairwise(in_order):
        beside += [((Episode, one), following), ((Episode, following), one)]
    # What a page counts of its episodes, such as people or years, may follow from any row of theirs.
    around = whole.copy()
    for thing, episode in beside:
        around[thing] += whole[Episode, episode]
    # Lists tell of an episode more than its row.
    own |= {thing: digest for thing, digest in whole.items() if thing[0] is Episode}
    return {
        thing.get_absolute_url(): Told(
            own[model, thing.pk], whole[model, thing.pk], around[model, thing.pk]
        )
        for model in THINGS
        for thing in model._default_manager.only("key" if model is Link else "slug")
    }
