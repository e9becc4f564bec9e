"""Counts the episodes of links, symbols, people, shows, topics and years, and the values in the entries
of each source. Renews the statistics of the database."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any

from django.apps import apps
from django.db import connection
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, StrIndex

from ..models import (
    CodeMention,
    CodeName,
    Credit,
    Episode,
    EpisodeCount,
    EpisodeLink,
    EpisodeTopic,
    FacetCounts,
    Link,
    Person,
    Podcast,
    Revision,
    batches,
    length_band,
)
from .people import store_names_and_slugs_of_people
from .sync_rows import BATCH_SIZE

# A model with a count of episodes, the model of its mentions, and the mention's field for it.
COUNTED: tuple[tuple[Any, Any, str], ...] = (
    (Link, EpisodeLink, "link"),
    (CodeName, CodeMention, "name"),
    (Person, Credit, "person"),
)


def update_or_delete_counted_rows(
    changed_ids_by_model: Mapping[Any, Collection[int]],
) -> None:
    """Update the episode counts of the links, symbols and people with these ids (by model), and the
    names of the people. Delete rows without an episode."""
    for model, mentions, field in COUNTED:
        for batch in batches(changed_ids_by_model[model]):
            rows = model.objects.filter(pk__in=batch)
            _update_episode_counts(rows, mentions, field)
            rows.filter(episode_count=0).delete()
    store_names_and_slugs_of_people(changed_ids_by_model[Person])


def write_all_episode_counts() -> None:
    for model, mentions, field in COUNTED:
        _update_episode_counts(model.objects.all(), mentions, field)


def _update_episode_counts(rows: QuerySet[Any], mention_model: Any, field: str) -> None:
    mentions_of_row = mention_model.objects.filter(**{field: OuterRef("pk")}).order_by()
    # `values` groups all mentions of the row, so that they give one number.
    grouped_mentions = mentions_of_row.values(field)
    number_of_episodes = grouped_mentions.annotate(n=Count("episode", distinct=True)).values("n")
    # A row without mentions has no group, so NULL becomes 0.
    episode_count = Coalesce(Subquery(number_of_episodes), 0)
    # Lock the rows in one order, so that two imports never wait for each other.
    differing = rows.exclude(episode_count=episode_count).order_by("pk").select_for_update()
    ids = list(differing.values_list("pk", flat=True))
    for batch in batches(ids):
        # The database counts again, because another import may have written before the lock.
        rows.model.objects.filter(pk__in=batch).update(episode_count=episode_count)


def update_facet_counts_of_show_and_site(podcast: Podcast) -> None:
    """Replace the share of a show's episodes in its own counts and in the counts of all shows. There is
    a row of counts for each topic and year, and with the subject "" for all episodes."""
    old_counts = _stored_facet_counts_by_subject(podcast)
    new_counts = _count_facets_by_subject(podcast)
    changed_subjects = [
        subject
        for subject in {*old_counts, *new_counts}
        if old_counts[subject] != new_counts[subject]
    ]
    locked_rows = _lock_or_create_count_rows_of_show_and_site(podcast, changed_subjects)
    for row in locked_rows:
        # If the show went from 3 to 5 episodes, its row and the row of all shows get 2 more. A new sum
        # over all shows would take longer with each show.
        counts = FacetCounts(row.counts)
        counts.update(new_counts[row.about])
        counts.subtract(old_counts[row.about])
        counts_without_zeros = +counts  # by an operator of Counter
        row.counts = dict(sorted(counts_without_zeros.items()))
    EpisodeCount.objects.bulk_update(locked_rows, ["counts"], batch_size=BATCH_SIZE)
    _count_rows_of_show_and_site(podcast).filter(counts={}).delete()


def _stored_facet_counts_by_subject(podcast: Podcast) -> defaultdict[str, FacetCounts]:
    counts_by_subject: defaultdict[str, FacetCounts] = defaultdict(FacetCounts)
    stored_rows = EpisodeCount.objects.filter(podcast=podcast)
    for subject, counts in stored_rows.values_list("about", "counts"):
        counts_by_subject[subject] = FacetCounts(counts)
    return counts_by_subject


def _lock_or_create_count_rows_of_show_and_site(
    podcast: Podcast, subjects: Collection[str]
) -> list[EpisodeCount]:
    new_rows = []
    for subject in sorted(subjects):
        new_rows.append(EpisodeCount(podcast=podcast, about=subject))
        new_rows.append(EpisodeCount(podcast=None, about=subject))
    # Rows that are there already stay.
    EpisodeCount.objects.bulk_create(new_rows, batch_size=BATCH_SIZE, ignore_conflicts=True)
    rows = _count_rows_of_show_and_site(podcast).filter(about__in=subjects)
    # Locked in one order, so that two imports never wait for each other.
    return list(rows.order_by("about", "podcast_id").select_for_update())


def _count_rows_of_show_and_site(podcast: Podcast) -> QuerySet[EpisodeCount]:
    # A row without a show has the counts of all shows.
    return EpisodeCount.objects.filter(Q(podcast=podcast) | Q(podcast=None))


def _count_facets_by_subject(podcast: Podcast) -> defaultdict[str, FacetCounts]:
    """Return the counts of a show's listed episodes by subject: "" for all, `topic:7`, `year:2021`.

    An episode of March 2021 with topic 7 adds 1 to the facets `month:2021-03`, `topic:7` and more, under
    each of these three subjects.
    """
    topic_facets_by_episode = _topic_facets_by_episode(podcast)
    counts_by_subject: defaultdict[str, FacetCounts] = defaultdict(FacetCounts)
    listed = Episode.objects.listed().filter(podcast=podcast).order_by()
    columns = ("pk", "published_at", "duration_seconds", "audio_url")
    for pk, published, seconds, audio_url in listed.values_list(*columns):
        topic_facets = topic_facets_by_episode[pk]
        subjects = {"", *topic_facets}
        month = ""  # of an undated episode
        if published:
            month = f"{published:%Y-%m}"
            subjects.add(f"year:{published:%Y}")
        facets = [
            "episodes",
            f"month:{month}",
            f"show:{podcast.pk}",
            *topic_facets,
            *_facets_of_length_and_audio(seconds, audio_url),
        ]
        for subject in subjects:
            counts = counts_by_subject[subject]
            counts.update(facets)  # adds 1 to each
            counts["seconds"] += seconds or 0
    return counts_by_subject


def _facets_of_length_and_audio(seconds: int | None, audio_url: str) -> list[str]:
    facets = [f"band:{length_band(seconds)}"]
    if audio_url:
        facets.append("audible")
    if seconds is not None:
        facets.append("timed")  # the sum of all lengths is of these episodes
    return facets


def _topic_facets_by_episode(podcast: Podcast) -> defaultdict[int, list[str]]:
    facets_by_episode: defaultdict[int, list[str]] = defaultdict(list)
    uses = EpisodeTopic.objects.filter(episode__podcast=podcast, episode__listed=True).order_by()
    for episode_id, topic_id in uses.values_list("episode", "topic"):
        facets_by_episode[episode_id].append(f"topic:{topic_id}")
    return facets_by_episode


def entry_statistics_by_source_slug(podcast: Podcast) -> dict[str, dict[str, Any]]:
    """Return the numbers of a source's entries by its slug, in the form that `CatalogState.sources` stores:
    {"feed": {"counts": {"listed": 80, "audio": 79, …, "total": 82}}}. `total` is the number of the show's
    episodes."""
    columns = _entry_count_columns()
    entries = _current_entries_with_link_positions(podcast).order_by()
    rows = entries.values("item__document__source").annotate(**columns)  # one row for each source
    counts_by_source_id = {row.pop("item__document__source"): row for row in rows}
    counts_without_entries = dict.fromkeys(columns, 0)
    episode_count = Episode.objects.filter(podcast=podcast).count()
    counts_by_slug = {}
    for pk, slug in podcast.sources.values_list("pk", "slug"):
        counts = counts_by_source_id.get(pk, counts_without_entries)
        counts_by_slug[slug] = {"counts": {**counts, "total": episode_count}}
    return counts_by_slug


def _current_entries_with_link_positions(podcast: Podcast) -> Any:
    """Return the newest revisions of the entries that the sources of a show list now, with the positions of
    the first addresses in their texts: 1 or more, 0 without any."""
    newer = Revision.objects.filter(item=OuterRef("item"), version__gt=OuterRef("version"))
    newest_revisions = Revision.objects.filter(
        ~Exists(newer), item__document__source__podcast=podcast, item__gone_version=None
    )
    text = Coalesce(KT("payload__text"), KT("payload__html"), Value(""), output_field=TextField())
    return newest_revisions.filter(item__is_post=False).annotate(
        http_position=StrIndex(text, Value("http://")),
        https_position=StrIndex(text, Value("https://")),
    )


def _entry_count_columns() -> dict[str, Count]:
    """Return aggregates over the entries of `_current_entries_with_link_positions`."""
    # Entries that belong to an episode.
    listed = Q(item__attachment__isnull=False)
    has_text = Q(payload__has_key="text") | Q(payload__has_key="html")
    has_link = Q(http_position__gt=0) | Q(https_position__gt=0)
    # A payload has only the fields that have a value.
    conditions = {
        "title": Q(payload__has_key="title"),
        "date": Q(payload__has_key="published"),
        "length": Q(payload__has_key="seconds_low"),
        "notes": has_text,
        "cut": has_text & Q(payload__cut=True),
        "links": has_link,
        "audio": Q(payload__has_key="audio_url"),
    }
    columns = {
        "listed": Count("pk", filter=listed),
        "held": Count("pk", filter=Q(item__held__isnull=False)),
        "episodes": Count("item__attachment__episode", filter=listed, distinct=True),
    }
    for name, condition in conditions.items():
        columns[name] = Count("pk", filter=listed & condition)
    return columns


def renew_planner_statistics(episode_count_change: int) -> None:
    """Renew the counts of rows by which the database plans queries, if the number of episodes has
    changed. Without them SQLite reads and sorts all episodes to show the newest.

    PostgreSQL counts by itself within minutes, which is too late only after a large import.
    """
    if episode_count_change == 0:
        return
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            # The number of rows that ANALYZE reads of each index: enough for a plan, and the same few
            # milliseconds for any catalog.
            cursor.execute("PRAGMA analysis_limit=400")
            # Only tables of the catalog. The rest grow between its changes, and old counts are worse
            # than none.
            for model in apps.get_app_config("episodes").get_models():
                if model.__module__.endswith(".models.catalog"):
                    cursor.execute(f'ANALYZE "{model._meta.db_table}"')
        elif episode_count_change >= 1_000:
            cursor.execute("ANALYZE")
