"""Episodes for lists, with their shows and topics, in a fixed number of queries, and the counts by month,
length, topic and show beside every list."""

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence, Set
from typing import TypeVar

from django.db import connection, models
from django.db.models import BigIntegerField, Func, Model, Q, QuerySet

from .catalog import UNKNOWN, Episode, EpisodeQuerySet, EpisodeTopic, ids_subquery, joined_sql
from .configuration import Podcast, Topic

Row = TypeVar("Row", bound=Model)
# The columns that a card shows.
CARD_COLUMNS = (
    "slug",
    "podcast",
    "title",
    "number",
    "season",
    "published_at",
    "published_precision",
    "duration_seconds",
    "duration_exact",
    "description_text",
    "summary",
    "description_truncated",
    "audio_url",
    "audio_type",
    "episode_type",
    "versions",
)


def load_for_cards(ids: Iterable[int], loaded_rows: Iterable[Podcast | Topic]) -> list[Episode]:
    """Return the episodes with these ids, in their order, with shows and topics. The shows and
    topics in `loaded_rows` are not loaded again."""
    episodes = load_in_order(ids, Episode.objects.only(*CARD_COLUMNS))
    attach_shows_and_topics_to_episodes(episodes, loaded_rows)
    return episodes


def load_in_order(ids: Iterable[int], rows: EpisodeQuerySet) -> list[Episode]:
    ids = list(ids)
    by_id = rows.order_by().in_bulk(ids)
    return [by_id[pk] for pk in ids if pk in by_id]


def attach_shows_and_topics_to_episodes(
    episodes: Sequence[Episode], already_loaded: Iterable[Podcast | Topic] = ()
) -> None:
    """Set the show (`podcast`) and the topics (`topics_in_order`) of each episode. The shows and
    topics in `already_loaded` are not loaded again.

    Django's prefetching would make circles of objects that keep the texts of a whole feed in memory.
    """
    loaded_rows = list(already_loaded)
    show_ids = {episode.podcast_id for episode in episodes}
    show_by_id = _loaded_or_fetched_rows_by_id(Podcast.objects.all(), show_ids, loaded_rows)
    topic_ids_by_episode = _ordered_topic_ids_by_episode_id(episodes)
    topic_ids = set[int]().union(*topic_ids_by_episode.values())
    topic_rows = Topic.objects.defer("rules")
    topic_by_id = _loaded_or_fetched_rows_by_id(topic_rows, topic_ids, loaded_rows)
    for episode in episodes:
        episode.podcast = show_by_id[episode.podcast_id]
        topic_ids_of_episode = topic_ids_by_episode[episode.pk]
        # A topic may have been deleted since its uses were read.
        episode.topics_in_order = [
            topic_by_id[topic_id] for topic_id in topic_ids_of_episode if topic_id in topic_by_id
        ]


def _ordered_topic_ids_by_episode_id(episodes: Sequence[Episode]) -> defaultdict[int, list[int]]:
    topic_ids_by_episode: defaultdict[int, list[int]] = defaultdict(list)
    episode_ids = ids_subquery([episode.pk for episode in episodes])
    uses = EpisodeTopic.objects.filter(episode__in=episode_ids)
    ordered_uses = uses.order_by("topic__position", "topic__slug")
    for episode_id, topic_id in ordered_uses.values_list("episode", "topic"):
        topic_ids_by_episode[episode_id].append(topic_id)
    return topic_ids_by_episode


def _loaded_or_fetched_rows_by_id(
    rows: QuerySet[Row], ids: Set[int], loaded_rows: Iterable[Model]
) -> dict[int, Row]:
    loaded_by_id = {row.pk: row for row in loaded_rows if isinstance(row, rows.model)}
    missing_ids = ids - loaded_by_id.keys()
    return {**loaded_by_id, **rows.in_bulk(missing_ids)}


MAX_COUNTED_EPISODES = 5_000  # episodes of a filtered list that are counted

# The names of bands in addresses. A length on a border is in the longer band.
LENGTH_BANDS = ("0-15", "15-20", "20-30", "30-60", "60-", UNKNOWN)
# The months, lengths, shows and topics of some episodes, each as one text. Python counts the values in
# a fifth of the time that the database takes to sort them. CROSS JOIN keeps SQLite from reading the topics
# of all episodes.
_JOINED_VALUES = """
    WITH few (id, published, seconds, podcast) AS MATERIALIZED ({episodes})
    SELECT count(*), count(seconds), coalesce(sum(seconds), 0), {month}, {show}, {band},
        (SELECT {topic} FROM few CROSS JOIN episodes_episodetopic WHERE episode_id = few.id)
    FROM few"""
_BAND = """CASE
    WHEN seconds IS NULL THEN 'unknown'
    WHEN seconds < 900 THEN '0-15'
    WHEN seconds < 1200 THEN '15-20'
    WHEN seconds < 1800 THEN '20-30'
    WHEN seconds < 3600 THEN '30-60'
    ELSE '60-'
END"""


class FacetCounts(Counter[str]):
    """Numbers under `episodes`, `seconds`, `timed`, and under `month:2021-03`, `band:15-20`,
    `topic:7`, `show:1`. Stored counts are also under `audible`.

    The month of an undated episode is empty. Topics and shows are named by their ids. `matches` is
    the number of all episodes if only the newest are counted.
    """

    def counts_of_facet_by_value(self, facet: str) -> dict[str, int]:
        """Return the counts of one facet by its values: `counts_of_facet_by_value("month")["2021-03"]`."""
        prefix = f"{facet}:"
        counts = {}
        for name, count in self.items():
            if name.startswith(prefix):
                counts[name.removeprefix(prefix)] = count
        return counts

    def add_joined_values(self, facet: str, joined: str | None) -> None:
        # Without rows the database joins nothing. The month of an undated episode is "".
        facet_values = [] if joined is None else joined.split(",")
        for value, count in Counter(facet_values).items():
            self[f"{facet}:{value}"] = count

    def counts_by_year(self) -> Counter[str]:
        """Return the counts by year, with "" for undated episodes."""
        counts = Counter[str]()
        for month, count in self.counts_of_facet_by_value("month").items():
            year, _, _ = month.partition("-")
            counts[year] += count
        return counts


class EpisodeCount(models.Model):
    """The counts of the listed episodes of a show or of all shows, in total, for a topic or for a
    year.

    `resolve` writes them with the catalog, so that no page counts these episodes.
    """

    podcast = models.ForeignKey(
        Podcast, models.CASCADE, null=True, related_name="+", help_text="Empty: all shows."
    )
    about = models.CharField(
        max_length=40, blank=True, help_text="topic:ID or year:YYYY; empty: everything."
    )
    counts = models.JSONField(default=dict)

    class Meta:
        constraints = (
            # In SQL no NULL equals another, so rows of all shows need a constraint of their own.
            models.UniqueConstraint(fields=("podcast", "about"), name="episode_count_of_show"),
            models.UniqueConstraint(
                fields=("about",), condition=Q(podcast=None), name="episode_count_of_all_shows"
            ),
        )


def length_band(seconds: int | None) -> str:
    if seconds is None:
        return UNKNOWN
    minutes_at_which_bands_start = (0, 15, 20, 30, 60)
    return LENGTH_BANDS[bisect(minutes_at_which_bands_start, seconds // 60) - 1]


def load_or_count_facets(
    episodes: EpisodeQuerySet, about: str = "", show_slug: str = ""
) -> FacetCounts:
    """Return the counts of these episodes: the stored counts of a show, or of all shows. Without stored
    counts the episodes are counted.

    `about` is a topic or year as in `EpisodeCount.about`.
    """
    of_show = Q(podcast__slug=show_slug) if show_slug else Q(podcast=None)
    stored = EpisodeCount.objects.filter(of_show, about=about).values_list("counts", flat=True)
    stored_counts = stored.first()
    if stored_counts:
        return FacetCounts(stored_counts, matches=stored_counts["episodes"])
    return count_facets_of_newest_episodes(episodes)


def load_counts_by_show() -> defaultdict[int, FacetCounts]:
    # A row about a topic or year names it in `about`.
    stored = EpisodeCount.objects.filter(podcast__isnull=False, about="")
    counts = defaultdict(FacetCounts)
    for podcast_id, numbers in stored.values_list("podcast", "counts"):
        counts[podcast_id] = FacetCounts(numbers)
    return counts


def count_facets_of_newest_episodes(episodes: EpisodeQuerySet) -> FacetCounts:
    """Return the counts of the newest `MAX_COUNTED_EPISODES` episodes. `matches` counts all episodes."""
    # An index of the database has this order and all counted columns.
    newest = episodes.newest_first(is_single_show=False)[:MAX_COUNTED_EPISODES]
    counts = count_facets(newest)
    if counts["episodes"] == MAX_COUNTED_EPISODES:  # there may be more
        counts["matches"] = episodes.order_by().count()
    return counts


def count_facets_of_ids(ids: Collection[int], catalog_size: int) -> FacetCounts:
    """Return the counts of the episodes with these ids, in a catalog of about `catalog_size` episodes."""
    # Measured: from about a quarter of all episodes on, the whole index is read faster than the rows of the ids.
    are_many = len(ids) > catalog_size / 4
    if connection.vendor == "sqlite" and are_many:
        # For a condition on `id` SQLite looks up the row of each id, with its notes. `+id` is in no index, so
        # SQLite reads the index of the order, which has all counted columns.
        unindexed_id = Func("pk", template="+%(expressions)s", output_field=BigIntegerField())
        ordered = Episode.objects.newest_first(is_single_show=False)
        episodes = ordered.alias(unindexed_id=unindexed_id)
        return count_facets(episodes.filter(unindexed_id__in=ids_subquery(ids)))
    return count_facets(Episode.objects.with_ids(ids))


def count_facets(episodes: EpisodeQuerySet) -> FacetCounts:
    """Return the counts of months, shows, lengths and topics.

    The database only joins the values of each facet by commas, and Python counts them. To count them, the
    database would sort the episodes again for each facet.
    """
    rows = episodes.values_list("pk", "published_at", "duration_seconds", "podcast")
    episodes_sql, values = rows.query.sql_with_params()
    # SQL that joins the values of a facet to a text such as "2021-03,2021-03,2021-06", in any order.
    joins_by_facet = {
        "month": joined_sql(_month_sql()),
        "show": joined_sql("podcast"),
        "band": joined_sql(_BAND),
        "topic": joined_sql("topic_id"),
    }
    with connection.cursor() as cursor:
        cursor.execute(_JOINED_VALUES.format(episodes=episodes_sql, **joins_by_facet), values)
        episode_count, timed, seconds, month, show, band, topic = cursor.fetchone()
    # `timed` is the number of episodes with a length, `seconds` the sum of their lengths.
    counts = FacetCounts({"episodes": episode_count, "seconds": seconds, "timed": timed})
    joined_values = {"month": month, "show": show, "band": band, "topic": topic}
    for facet, joined in joined_values.items():
        counts.add_joined_values(facet, joined)
    # If `episodes` has a limit, the caller replaces this by the number without it.
    counts["matches"] = counts["episodes"]
    return counts


def _month_sql() -> str:
    # The month of an instant in UTC such as `2021-06`, or "". Django's function calls Python for each row of
    # SQLite.
    if connection.vendor == "sqlite":
        return "coalesce(substr(published, 1, 7), '')"
    return "coalesce(to_char(published AT TIME ZONE 'UTC', 'YYYY-MM'), '')"
