"""Lines beneath episodes: moments of transcripts that say the searched words, and episodes to hear first."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

from django.utils.http import urlencode

from ..models import Episode, LoadedPath, Reference, Topic, Transcript, moments_of_topic
from ..search import (
    Moment,
    Passage,
    Query,
    excerpts,
    find_passages,
    moment_of_passage,
    query_for_names,
)
from ..text.formatting import format_time


@dataclass(frozen=True)
class Reason:
    """A line beneath an episode: `Topic: Autograd`, `Said at 12:34: …`, `Missing: words`, `Listen
    first: …`."""

    label: str
    text: Sequence[str] = ()  # in parts, every second part is marked
    at: str = ""  # a position in the audio
    address: str = ""  # of that position
    more: int = 0  # further passages with the same words
    all_address: str = ""  # the address at which all of them are marked
    missing: Sequence[str] = ()
    episodes: Sequence[Episode] = ()


# -- moments that say searched words ---------------------------------------------------------------


def moment_reasons_by_episode(
    episodes: Sequence[Episode], query: Query, missing_terms_by_episode: Mapping[int, Set[int]]
) -> dict[int, list[Reason]]:
    """Return, by id, the lines `Said at 12:34: …` for moments of an episode.

    The last line has the number of further moments, and the address of a page that marks all of them.
    """
    reasons_by_episode = {}
    for moments in find_moments_of_episodes(episodes, query, missing_terms_by_episode):
        reasons = []
        for moment in moments.best:
            reasons.append(_moment_reason(moments.episode, moment, query.typed))
        if moments.more:
            page = moments.episode.get_absolute_url()
            all_address = f"{page}?{urlencode({'q': query.typed})}"
            reasons[-1] = replace(reasons[-1], more=moments.more, all_address=all_address)
        reasons_by_episode[moments.episode.pk] = reasons
    return reasons_by_episode


def _moment_reason(episode: Episode, moment: Moment, query_text: str) -> Reason:
    """Return `Said at 12:34: …` for a moment, or `Said in the transcript: …` without a time."""
    at = "in the transcript" if moment.second is None else f"at {format_time(moment.second)}"
    return Reason("Said", moment.text, at, moment_address(episode, moment, query_text))


def moment_address(episode: Episode, moment: Moment, query_text: str) -> str:
    """Return the address of the episode's page that plays the moment, with the words of the query marked.

    Without a time it opens at the paragraph.
    """
    page = episode.get_absolute_url()
    query = urlencode({"q": query_text})
    if moment.second is None:
        return f"{page}?{query}#p{moment.paragraph}"
    return f"{page}?t={moment.second}&{query}#moment"


class EpisodeMoments(NamedTuple):
    """The best moments of an episode, and how many more have all words."""

    episode: Episode
    transcript: Transcript
    best: list[Moment]
    more: int


_MOMENTS_PER_EPISODE = 3


def find_moments_of_episodes(
    episodes: Sequence[Episode],
    query: Query,
    missing_terms_by_episode: Mapping[int, Set[int]],
) -> list[EpisodeMoments]:
    """Find the moments of episodes that say all words, at most three of each.

    `missing_terms_by_episode` has the terms that the other texts of an episode lack. If no moment has
    all words, return the best moment with one of these terms.
    """
    episodes_by_id = {episode.pk: episode for episode in episodes}
    moments = []
    for transcript in Transcript.objects.filter(episode__in=episodes_by_id):
        episode = episodes_by_id[transcript.episode_id]
        speech = transcript.speech(episode.duration_seconds)
        # Passages come with the best first.
        passages = find_passages(speech.text, query)
        complete = excerpts.with_all_terms(passages, query)
        best: Sequence[Passage] = complete[:_MOMENTS_PER_EPISODE]
        if not best:
            missing_terms = missing_terms_by_episode.get(episode.pk, set())
            best = _first_passage_with_any(passages, missing_terms)
        best_moments = [moment_of_passage(speech, passage, query) for passage in best]
        more = max(0, len(complete) - _MOMENTS_PER_EPISODE)
        moments.append(EpisodeMoments(episode, transcript, best_moments, more))
    return moments


def _first_passage_with_any(passages: Sequence[Passage], terms: Set[int]) -> list[Passage]:
    """Return a list with the first passage that has any of these terms; [] without such a passage."""
    for passage in passages:
        if not passage.terms.isdisjoint(terms):
            return [passage]
    return []


# -- moments about a topic -------------------------------------------------------------------------


class TopicMoment(NamedTuple):
    """A passage about a topic: its episode, its time in words, its address and its words in parts."""

    episode: Episode
    at: str
    address: str
    text: Sequence[str]


def find_topic_moments(topic: Topic, episodes: Sequence[Episode]) -> list[TopicMoment]:
    """Return the moments that curators chose for a topic, then the passages that name it most often.

    There is at most one passage of each episode, and at most five together.
    """
    # A decision about a moment has the slug that the topic had at that time.
    slugs = [topic.slug, *topic.former.values_list("slug", flat=True)]
    curated = moments_of_topic(slugs)
    topic_moments = []
    for moment in curated:
        at = f"at {moment.time_range}"
        topic_moments.append(TopicMoment(moment.episode, at, moment.address, [moment.label]))
    curated_ids = {moment.episode.pk for moment in curated}
    remaining = [episode for episode in episodes if episode.pk not in curated_ids]
    return topic_moments + _best_moments_about(topic, remaining)[:5]


class _CountedMoment(NamedTuple):
    """A passage about a topic, and how often it names the topic."""

    hits: int
    moment: TopicMoment


_MAX_TRANSCRIPTS_PER_PAGE = 12  # they are long


def _best_moments_about(topic: Topic, episodes: Sequence[Episode]) -> list[TopicMoment]:
    """Return the passage of each episode that names the topic most, at least twice, the best first.

    Read at most 12 transcripts.
    """
    aliases = [str(alias) for alias in topic.aliases]
    query = query_for_names((topic.name, *aliases))
    episodes_by_id = {episode.pk: episode for episode in episodes}
    transcripts = Transcript.objects.filter(
        episode__in=episodes_by_id, episode__topic_uses__topic=topic
    )
    # Episodes with the topic in their titles come first: "title" is the last of the fields.
    in_order = transcripts.order_by("-episode__topic_uses__field", "-episode")
    counted_moments = []
    for transcript in in_order[:_MAX_TRANSCRIPTS_PER_PAGE]:
        episode = episodes_by_id[transcript.episode_id]
        speech = transcript.speech(episode.duration_seconds)
        passages = find_passages(speech.text, query)
        best = max(passages, key=lambda passage: passage.hits, default=None)
        if best and best.hits >= 2:
            moment = moment_of_passage(speech, best, query)
            # The second part of the text is the first name of the topic in it, which the page marks.
            first_name = moment.text[1]
            reason = _moment_reason(episode, moment, first_name)
            topic_moment = TopicMoment(episode, reason.at, reason.address, reason.text)
            counted_moments.append(_CountedMoment(best.hits, topic_moment))
    counted_moments.sort(key=lambda counted: counted.hits, reverse=True)
    return [counted.moment for counted in counted_moments]


# -- prerequisites ---------------------------------------------------------------------------------

Prerequisites = Mapping[int, Set[int]]  # by the id of an episode, the ids of its prerequisites


def load_prerequisites() -> Prerequisites:
    """Return, by id, the ids of the prerequisites of each episode.

    An episode that another one follows up is a prerequisite of that one, too.
    """
    references = Reference.objects.order_by()
    prerequisites = references.filter(kind="prerequisite").values_list("episode", "target")
    follow_ups = references.filter(kind="follow-up").values_list("target", "episode")
    prerequisite_ids: defaultdict[int, set[int]] = defaultdict(set)
    for episode_id, prerequisite_id in prerequisites.union(follow_ups):
        prerequisite_ids[episode_id].add(prerequisite_id)
    return dict(prerequisite_ids)


def prerequisite_reasons_by_episode(
    episodes: Iterable[Episode], prerequisites: Prerequisites
) -> dict[int, list[Reason]]:
    """Return, by id, the line “Listen first: …” for each of these episodes that has prerequisites."""
    ids = [episode.pk for episode in episodes if episode.pk in prerequisites]
    all_prerequisites = set[int]()
    for episode_id in ids:
        all_prerequisites.update(prerequisites[episode_id])
    rows = (
        Episode.objects.filter(pk__in=all_prerequisites)
        .with_name_columns()
        .order_by("podcast", "order")
    )
    reasons = {}
    for episode_id in ids:
        own_prerequisites = [row for row in rows if row.pk in prerequisites[episode_id]]
        reasons[episode_id] = [Reason("Listen first", episodes=own_prerequisites)]
    return reasons


def prerequisites_after_their_episodes(
    loaded_path: LoadedPath, prerequisites: Prerequisites
) -> list[tuple[Episode, Episode]]:
    """Return pairs of episodes in the wrong order on a path: a prerequisite, and an episode before it."""
    pairs = []
    # `combinations` keeps the order of the path in each pair.
    for earlier, later in combinations(loaded_path.episodes, 2):
        if later.pk in prerequisites.get(earlier.pk, ()):
            pairs.append((later, earlier))
    return pairs
