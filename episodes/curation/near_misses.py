"""Episodes that the terms of a topic miss by a few points, to show beside the ones that they reach."""

from collections import defaultdict
from dataclasses import dataclass

from django.db.models import QuerySet

from ..models import Episode, EpisodeLink, EpisodeTopic, Topic
from ..resolve import MIN_POINTS, TopicRule, score_topics


@dataclass(frozen=True)
class NearMiss:
    """An episode with terms of a topic that give too few points."""

    episode: Episode
    strongest_use: EpisodeTopic  # not stored: the strongest term, and where it is
    points: int

    @property
    def missing_points(self) -> int:
        """Return how many points it lacks, at least 1: beside a much stronger topic enough points do not count."""
        return max(MIN_POINTS - self.points, 1)


def find_episodes_just_missing_topic(topic: Topic) -> list[NearMiss]:
    """Return the episodes in which the terms of a topic have 1 to MIN_POINTS points, the most first. The topic
    may be an unsaved one of a form.

    From MIN_POINTS on an episode has the topic, but with exactly MIN_POINTS it lacks it beside a much stronger
    topic. So those with exactly MIN_POINTS are returned, too, and the caller leaves out the ones with the topic.
    """
    rule = TopicRule.from_fields(topic.slug, [topic.name, *topic.aliases], topic.rules)
    episodes = Episode.objects.select_related("podcast").order_by("-published_at", "pk")
    if topic.podcast_id:
        episodes = episodes.filter(podcast=topic.podcast_id)
    link_keys_by_episode = _link_keys_by_episode(episodes)
    near_misses = []
    columns = ("podcast", "slug", "title", "season", "number", "description_text")
    for episode in episodes.only(*columns, "podcast__title").iterator(500):
        scores = score_topics(
            episode.title,
            episode.description_text,
            link_keys_by_episode[episode.pk],
            keywords=(),  # no column of an episode has them
            rules=[rule],
            show_title=episode.podcast.title,
        )
        # One score for the one rule, or none for an episode without points.
        for score in scores:
            if score.points <= MIN_POINTS:
                strongest_use = EpisodeTopic(term=score.tag.term, field=score.tag.field)
                near_misses.append(NearMiss(episode, strongest_use, score.points))
    return sorted(near_misses, key=lambda near_miss: -near_miss.points)


def _link_keys_by_episode(episodes: QuerySet[Episode]) -> defaultdict[int, list[str]]:
    link_keys = defaultdict[int, list[str]](list)
    mentions = EpisodeLink.objects.filter(episode__in=episodes.order_by().values("pk"))
    for episode_id, key in mentions.values_list("episode", "link__key"):
        link_keys[episode_id].append(key)
    return link_keys
