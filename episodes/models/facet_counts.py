"""What lists show of episodes: the rows of some ids with their shows and topics, in a fixed number of
queries; and the counts by month, length, topic and show beside every list."""

from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set
from itertools import pairwise
from typing import TypeVar

from django.db import connection, models
from django.db.models import CharField, Func, Model, Q, QuerySet

from .catalog import UNKNOWN, Episode, EpisodeQuerySet, EpisodeTopic, ids_subquery
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


def load_for_cards(ids: Iterable[int], known: Iterable[Podcast | Topic] = ()) -> list[Episode]:
    """The episodes of these ids, in their order, with shows and topics: with these where they are
    among them."""
    rows = load_in_order(ids, Episode.objects.only(*CARD_COLUMNS))
    attach_shows_and_topics(rows, known)
    return rows


def load_in_order(ids: Iterable[int], rows: EpisodeQuerySet) -> list[Episode]:
    """The rows of these ids, in the order of the ids."""
    ids = list(ids)
    by_id = rows.order_by().in_bulk(ids)
    return [by_id[pk] for pk in ids if pk in by_id]


def attach_shows_and_topics(
    episodes: Sequence[Episode], known: Iterable[Podcast | Topic] = ()
) -> None:
    """Give each episode its show and its topics (`topics_in_order`); equal ones are one object, and
    `known` ones are not read again.

    The uses of topics that Django prefetches hold their episode, in a circle that keeps the texts
    of a whole feed in memory.
    """
    known = list(known)
    shows = _by_id(Podcast.objects.all(), {episode.podcast_id for episode in episodes}, known)
    uses = EpisodeTopic.objects.filter(episode__in=ids_subquery([row.pk for row in episodes]))
    topics: defaultdict[int, list[int]] = defaultdict(list)
    for episode, topic in uses.order_by("topic__position", "topic__slug").values_list(
        "episode", "topic"
    ):
        topics[episode].append(topic)
    used = _by_id(Topic.objects.defer("rules"), set().union(*topics.values()), known)
    for row in episodes:
        row.podcast = shows[row.podcast_id]
        row.topics_in_order = [used[pk] for pk in topics[row.pk] if pk in used]


def _by_id(rows: QuerySet[Row], ids: Set[int], known: Iterable[Model]) -> dict[int, Row]:
    """The rows of these ids, the known ones among them, by their ids."""
    found = {row.pk: row for row in known if isinstance(row, rows.model)}
    return found | rows.in_bulk(ids - found.keys())


MAX_COUNTED_EPISODES = 5_000  # episodes of a filtered list whose facets are counted

BORDERS = (0, 15, 20, 30, 60)  # minutes
# As addresses name them: `0-15`, `15-20`, …, `60-`. A length on a border is in the longer band.
LENGTH_BANDS = (
    *(f"{least}-{most}" for least, most in pairwise(map(str, BORDERS))),
    f"{BORDERS[-1]}-",
    UNKNOWN,
)
# The month of an instant in UTC: `2021-06`, "" for none. Django's own function calls Python for each
# row of SQLite.
MONTH = {
    "sqlite": "coalesce(substr(%(expressions)s, 1, 7), '')",
    "postgresql": "coalesce(to_char(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM'), '')",
}
IN_BAND = " ".join(
    f"WHEN seconds < {60 * most} THEN 'band:{band}'"
    for most, band in zip(BORDERS[1:], LENGTH_BANDS, strict=False)
)
# The counts of some episodes, each with its name: `few` are their ids, months, seconds and shows.
# To join them with the topics, databases would read the topics of all episodes.
COUNTED = f"""
    WITH few (id, month, seconds, podcast) AS MATERIALIZED ({{}})
    SELECT 'month:' || month, count(*) FROM few GROUP BY month
    UNION ALL
    SELECT CASE {IN_BAND} WHEN seconds IS NULL THEN 'band:{UNKNOWN}' ELSE 'band:{LENGTH_BANDS[-2]}' END, count(*)
    FROM few GROUP BY 1
    UNION ALL
    SELECT 'show:' || podcast, count(*) FROM few GROUP BY podcast
    UNION ALL
    SELECT 'topic:' || topic_id, count(*)
    FROM episodes_episodetopic WHERE episode_id IN (SELECT id FROM few) GROUP BY topic_id
    UNION ALL
    SELECT 'seconds', coalesce(sum(seconds), 0) FROM few
    UNION ALL
    SELECT 'timed', count(seconds) FROM few
    UNION ALL
    SELECT 'episodes', count(*) FROM few"""


class FacetCounts(Counter[str]):
    """Numbers under `episodes`, `seconds`, `timed`, and under `month:2021-03`, `band:15-20`,
    `topic:7`, `show:1`; stored ones also under `audible`.

    The month of an undated episode is empty; topics and shows are named by their ids. `matches` is
    the number of episodes in the whole set where only its newest are counted.
    """

    def of_facet(self, facet: str) -> dict[str, int]:
        """The numbers of one facet by its values: `of("month")["2021-03"]`."""
        prefix = f"{facet}:"
        return {name[len(prefix) :]: n for name, n in self.items() if name.startswith(prefix)}

    def by_year(self) -> Counter[str]:
        """The numbers of the months by their years; "" for the undated ones."""
        years = Counter[str]()
        for month, n in self.of_facet("month").items():
            years[month[:4]] += n
        return years


class EpisodeCount(models.Model):
    """The counts of a show's listed episodes, or of all shows', as a whole or under one topic or
    year.

    Written with the catalog, so that no page counts these sets of episodes.
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
    """The band of lengths that an episode is in."""
    if seconds is None:
        return UNKNOWN
    return LENGTH_BANDS[bisect(BORDERS, seconds // 60) - 1]


def load_counts(found: EpisodeQuerySet, about: str = "", show: str = "") -> FacetCounts:
    """The counts of these episodes: the stored ones of a show, by its slug, or of all shows for "",
    as a whole or under a topic or year (`about`); where none are stored, counted now."""
    of_show = Q(podcast__slug=show) if show else Q(podcast=None)
    stored = EpisodeCount.objects.filter(of_show, about=about).values_list("counts", flat=True)
    counts = stored.first()
    return FacetCounts(counts, matches=counts["episodes"]) if counts else count_newest(found)


def load_counts_by_show() -> defaultdict[int, FacetCounts]:
    """Return the stored counts of the listed episodes of each show, by its id."""
    stored = EpisodeCount.objects.filter(podcast__isnull=False, about="")
    counts = defaultdict(FacetCounts)
    for podcast_id, numbers in stored.values_list("podcast", "counts"):
        counts[podcast_id] = FacetCounts(numbers)
    return counts


def count_newest(found: EpisodeQuerySet) -> FacetCounts:
    """The counts of some episodes; of more than `MAX_COUNTED_EPISODES` those of the newest. `matches` is
    the whole number."""
    # An index has all of it, in this order.
    # To count the facets of a hundred thousand would take longer than any page may.
    counts = count_all(found.newest_first(is_single_show=False)[:MAX_COUNTED_EPISODES])
    if counts["episodes"] == MAX_COUNTED_EPISODES:
        counts["matches"] = found.order_by().count()
    return counts


def count_all(few: EpisodeQuerySet) -> FacetCounts:
    """The counts of all these episodes."""
    month = Func("published_at", template=MONTH[connection.vendor], output_field=CharField())
    rows = few.values_list("pk", month, "duration_seconds", "podcast")
    sql, values = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(COUNTED.format(sql), values)
        counts = FacetCounts(dict(cursor.fetchall()))
    counts["matches"] = counts["episodes"]
    return counts
