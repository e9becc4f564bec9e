"""Fingerprints of the rows that pages show: a page with equal ones need not be rendered again."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Case, F, Max, Model, Q, When

from podcast_catalog.environment import program_fingerprint

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
from ..site import load_shows_and_sections
from ..text.fingerprints import fingerprint

# Models with a page for each row.
_PAGE_MODELS: tuple[Any, ...] = (Podcast, Topic, Person, Link, CodeName, Episode)
# Models with rows that the pages of other rows show.
_DETAIL_MODELS: tuple[type[Model], ...] = (
    EpisodeTopic,
    EpisodeLink,
    Credit,
    CodeMention,
    Reference,
    Chapter,
    Transcript,
    Attachment,
)
# Columns that name a row with a page.
_PAGE_COLUMNS: dict[str, type[Model]] = {
    "podcast_id": Podcast,
    "topic_id": Topic,
    "person_id": Person,
    "link_id": Link,
    "name_id": CodeName,
    "episode_id": Episode,
    "target_id": Episode,
}

RowKey = tuple[type[Model], int]  # a model, and the id of a row


class Fingerprints(NamedTuple):
    """Fingerprints of a row with a page."""

    brief: str  # of the values that other pages show
    all_values: str  # of all its values
    all_values_and_episodes: str  # of these, and of the episodes nearby it


def row_fingerprints_by_address() -> dict[str, Fingerprints]:
    """Return the fingerprints of every row with a page, by the address of the page."""
    rows = _PageRows()
    image_names_by_address = dict(Image.objects.values_list("address", "name"))
    # In this order, because a row looks up the fingerprints of the rows that it names.
    for model in (*_PAGE_MODELS, *_DETAIL_MODELS):
        for row in _iterate_displayed_rows(model, image_names_by_address):
            rows.add_row(model, row)
    rows.add_neighbours()
    return rows.fingerprints_by_address()


def _iterate_displayed_rows(
    model: type[Model], image_names_by_address: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a model as dicts of the columns that pages show, with the name of the image."""
    # Only indexes show the count. `text`, `cues` and `times` of a transcript follow from its file and
    # its corrections, and the `text` of a link from the notes of its episode.
    unused = ("episode_count", "text", "cues", "times")
    columns = [field.attname for field in model._meta.concrete_fields if field.name not in unused]
    rows = model._default_manager.order_by().values(
        "pk", *columns, **_annotations_for_fingerprint(model)
    )
    for row in rows.iterator():
        image_address = row.get("image_url", "")
        yield {**row, "image": image_names_by_address.get(image_address)}


def _annotations_for_fingerprint(model: type[Model]) -> dict[str, Any]:
    if model is Link:
        # Pages of episodes say how many more episodes have a link.
        return {"episodes_with_it": F("episode_count")}
    if model is Attachment:
        # Pages show the number of a row in a listing page. In a feed each new episode moves all others.
        is_numbered = ~Q(item__document__source__reader="feed")
        return {
            # Whether the source has dropped the entry.
            "gone_version": F("item__gone_version"),
            # The values of an entry change only with a new revision.
            "latest_revision_version": Max("item__revisions__version"),
            "row": Case(When(is_numbered, then=F("item__position"))),
        }
    return {}


class _PageRows:
    """Rows with pages, and the fingerprints of the values on their pages."""

    def __init__(self) -> None:
        # The fingerprint of each row by itself.
        self.fingerprint_of_row: dict[RowKey, str] = {}
        # The fingerprints of all rows that are on the page of a row.
        self.fingerprints_on_page_of_row = defaultdict[RowKey, list[str]](list)
        # The episodes whose rows may change counts or lists on the page of a row.
        self.episode_ids_by_row = defaultdict[RowKey, list[int]](list)

    def add_row(self, model: type[Model], row: dict[str, Any]) -> None:
        """Add a row to its own page, and to the pages of the rows that it names by its columns.

        A credit is on the page of its episode (`episode_id`) and on the page of its person (`person_id`).
        Rows must be added before rows that name them.
        """
        row_fingerprint = fingerprint(row)
        self.fingerprint_of_row[model, row["pk"]] = row_fingerprint
        self.fingerprints_on_page_of_row[model, row["pk"]].append(row_fingerprint)
        episode_id = row["pk"] if model is Episode else row.get("episode_id")
        # In any order: the fingerprints of a page are sorted in the end.
        columns_naming_rows = _PAGE_COLUMNS.keys() & row.keys()
        for column in columns_naming_rows:
            # The key of no row if the column is null, as for a topic of all shows. No page looks it up.
            named_row = (_PAGE_COLUMNS[column], row[column])
            self.fingerprints_on_page_of_row[named_row].append(row_fingerprint)
            # A credit connects its episode with its person. That it also connects the episode with itself
            # changes nothing.
            if episode_id:
                self._connect_with_episode(named_row, episode_id)

    def _connect_with_episode(self, row_key: RowKey, episode_id: int) -> None:
        # The page of an episode shows the name of each person, and the page of a person counts episodes.
        # A row that an import has just added has no fingerprint yet.
        row_fingerprint = self.fingerprint_of_row.get(row_key, "")
        self.fingerprints_on_page_of_row[Episode, episode_id].append(row_fingerprint)
        self.episode_ids_by_row[row_key].append(episode_id)

    def add_neighbours(self) -> None:
        in_order = Episode.objects.listed().order_by("podcast", "order")
        for earlier, later in pairwise(in_order.values_list("pk", flat=True)):
            self.episode_ids_by_row[Episode, earlier].append(later)
            self.episode_ids_by_row[Episode, later].append(earlier)

    def fingerprints_by_address(self) -> dict[str, Fingerprints]:
        fingerprint_of_page = {}
        for row_key, row_fingerprints in self.fingerprints_on_page_of_row.items():
            fingerprint_of_page[row_key] = fingerprint(sorted(row_fingerprints))
        by_address = {}
        for model in _PAGE_MODELS:
            # Cards in lists also show the topics of an episode, which are on its page and not in its row.
            brief_fingerprint = fingerprint_of_page if model is Episode else self.fingerprint_of_row
            column_in_address = "key" if model is Link else "slug"
            for row in model._default_manager.only(column_in_address):
                row_key = (model, row.pk)
                # An import may have added the row after its table was read. The next run has it.
                if row_key not in brief_fingerprint:
                    continue
                by_address[row.get_absolute_url()] = Fingerprints(
                    brief=brief_fingerprint[row_key],
                    all_values=fingerprint_of_page[row_key],
                    all_values_and_episodes=self._fingerprint_with_episodes(
                        row_key, fingerprint_of_page
                    ),
                )
        return by_address

    def _fingerprint_with_episodes(
        self, row_key: RowKey, fingerprint_of_page: Mapping[RowKey, str]
    ) -> str:
        """Return the fingerprint of a page and of the pages of the episodes nearby it: its counts, such as of
        people or years, may follow from any of their rows."""
        fingerprints = [fingerprint_of_page[row_key]]
        for episode_id in self.episode_ids_by_row.get(row_key, ()):
            # An episode that an import has just added has no fingerprint yet.
            fingerprints.append(fingerprint_of_page.get((Episode, episode_id), ""))
        return fingerprint(sorted(fingerprints))


def site_fingerprint(home: str) -> str:
    """Return the fingerprint of everything that any page may show: program, settings, shows, sources, learning
    paths, and the moments that curators chose for topics."""
    program = program_fingerprint(
        settings.BASE_DIR, home, settings.SITE_NAME, settings.SITE_DESCRIPTION
    )
    tables = (
        Podcast.objects.all(),
        Source.objects.all(),
        LearningPath.objects.all(),
        Decision.objects.in_force("moment"),
    )
    rows = [list(table.order_by("pk").values_list()) for table in tables]
    covers = Image.objects.filter(address__in=Podcast.objects.values("image_url"))
    cover_files = sorted(covers.values_list("address", "name"))
    # The menu of every page leads to the kinds of pages that are not empty.
    kinds_in_menu = sorted(load_shows_and_sections().filled)
    return fingerprint(program, (rows, cover_files, kinds_in_menu))


def list_fingerprint() -> str:
    """Return the fingerprint of the order and the counts of the episode list, which each page of it shows."""
    columns = ("pk", "order", "sorted_at", "listed", "published_at", "duration_seconds")
    episodes = Episode.objects.order_by("pk").values_list(*columns)
    topic_uses = EpisodeTopic.objects.order_by("pk").values_list("episode", "topic")
    topics = Topic.objects.order_by("pk").values_list("slug", "name", "group", "position")
    return fingerprint(list(episodes), list(topic_uses), list(topics))
