"""Moments of transcripts that say the searched words or name a topic or a person, and episodes to hear first."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.http import urlencode

from ..models import (
    MAX_MOMENT_SECONDS,
    Episode,
    LoadedPath,
    Person,
    Reference,
    Topic,
    Transcript,
    moments_of_topic,
)
from ..search import (
    Moment,
    Passage,
    Query,
    distinct_moments_of_passages,
    excerpts,
    find_passages,
    query_for_names,
)
from ..text.formatting import format_count, format_length, format_time


@dataclass(frozen=True)
class TimedMoment:
    """Whole sentences of an episode, and the seconds in which they are said."""

    episode: Episode
    start: int
    end: int
    text: Sequence[str]  # in parts, every second part is marked
    address: str  # of the episode's page, which plays on from the start

    @property
    def time_range(self) -> str:
        """Return `5:24–5:41`."""
        return f"{format_time(self.start)}–{format_time(self.end)}"

    @property
    def range_address(self) -> str:
        return f"{self.episode.get_absolute_url()}?t={self.start}-{self.end}"


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
    playable: TimedMoment | None = None  # the moment of the text, if the player can play it


# -- moments that say searched words ---------------------------------------------------------------


def moment_reasons_by_episode(
    episodes: Sequence[Episode], query: Query, missing_terms_by_episode: Mapping[int, Set[int]]
) -> dict[int, list[Reason]]:
    """Return, by id, the lines `Said at 12:34: …` for moments of an episode.

    The last line has the number of further moments, and the address of a page that marks all of them.
    """
    reasons_by_episode = {}
    for moments in find_best_moments_per_transcript(episodes, query, missing_terms_by_episode):
        reasons = []
        for moment in moments.best:
            reasons.append(moment_reason(moments.episode, moment, query.typed))
        # There are more only behind the best ones, so there is a last line.
        if moments.more:
            page = moments.episode.get_absolute_url()
            all_address = f"{page}?{urlencode({'q': query.typed})}"
            reasons[-1] = replace(reasons[-1], more=moments.more, all_address=all_address)
        reasons_by_episode[moments.episode.pk] = reasons
    return reasons_by_episode


def moment_reason(episode: Episode, moment: Moment, query_text: str) -> Reason:
    """Return `Said at 12:34: …` for a moment, or `Said in the transcript: …` without a time."""
    address = moment_address(episode, moment, query_text)
    if moment.second is None:
        return Reason("Said", moment.text, "in the transcript", address)
    timed_moment = _timed_moment(episode, moment, moment.second, address)
    playable = timed_moment if episode.is_playable else None
    at = f"at {format_time(moment.second)}"
    return Reason("Said", moment.text, at, address, playable=playable)


def _timed_moment(episode: Episode, moment: Moment, start: int, address: str) -> TimedMoment:
    # A short sentence may begin and end within one second.
    end = min(max(moment.end, start + 1), start + MAX_MOMENT_SECONDS)
    return TimedMoment(episode, start, end, moment.text, address)


def moment_address(episode: Episode, moment: Moment, query_text: str) -> str:
    """Return the address of the episode's page that plays the moment, with the words of the query marked.

    Without a time it opens at the paragraph.
    """
    page = episode.get_absolute_url()
    query = urlencode({"q": query_text})
    if moment.second is None:
        return f"{page}?{query}#p{moment.paragraph}"
    return f"{page}?t={moment.second}&{query}#moment"


def first_marked_words(moment: Moment) -> str:
    """Return the first marked words of a moment: the second of its parts, if it has several."""
    return "".join(moment.text[1:2])


class EpisodeMoments(NamedTuple):
    """The best moments of an episode, and how many more have all words."""

    episode: Episode
    transcript: Transcript
    best: list[Moment]
    more: int


def find_best_moments_per_transcript(
    episodes: Sequence[Episode],
    query: Query,
    unwritten_terms_by_episode: Mapping[int, Set[int]],
) -> list[EpisodeMoments]:
    """Find the moments of episodes that say all words, at most three of each. Return a row for each
    episode with a transcript, also without a moment.

    `unwritten_terms_by_episode` has the numbers of the terms that the other texts of an episode lack. If no
    moment has all words, return the best moment with one of these terms.
    """
    max_moments = 3
    episodes_by_id = {episode.pk: episode for episode in episodes}
    rows = []
    for transcript in Transcript.objects.filter(episode__in=episodes_by_id):
        episode = episodes_by_id[transcript.episode_id]
        # The words of the transcript with their times.
        speech = transcript.speech(episode.duration_seconds)
        # A passage reaches from the first to the last of some terms. A moment is the sentences around it.
        passages_best_first = find_passages(speech.text, query)
        complete = excerpts.with_all_terms(passages_best_first, query)
        best: Sequence[Passage] = complete
        if not best:
            unwritten_terms = unwritten_terms_by_episode.get(episode.pk, set())
            best = _at_most_one_passage_with_term(passages_best_first, unwritten_terms)
        best_moments = distinct_moments_of_passages(speech, best, query, max_moments)
        more = max(0, len(complete) - max_moments)  # 0 without complete passages
        rows.append(EpisodeMoments(episode, transcript, best_moments, more))
    return rows


def _at_most_one_passage_with_term(passages: Sequence[Passage], terms: Set[int]) -> list[Passage]:
    for passage in passages:
        has_any_term = not passage.terms.isdisjoint(terms)
        if has_any_term:
            return [passage]
    return []


# -- moments about a topic, and with a person ------------------------------------------------------

MAX_MOMENTS = 20  # that are played one after another


def find_curated_and_spoken_moments(topic: Topic) -> list[TimedMoment]:
    """Return the moments that curators chose for a topic, then the passages that name it most often.

    There are at most two passages of each episode.
    """
    moments = _moments_from_curators(topic)
    curated_ids = {moment.episode.pk for moment in moments}
    about_topic = Episode.objects.listed().with_all_topics([topic.pk])
    transcripts = Transcript.objects.filter(
        episode__in=about_topic.exclude(pk__in=curated_ids), episode__topic_uses__topic=topic
    )
    # The field is the part of an episode that names the topic. Of the names of fields "title" is the
    # last in the alphabet, so episodes with the topic in their titles come first.
    titles_first = transcripts.order_by("-episode__topic_uses__field", "-episode")
    names = (topic.name, *map(str, topic.aliases))
    # A passage that names it only once may be about something else.
    moments += _two_best_moments_per_episode(names, titles_first, min_nearby_names=2)
    return moments[:MAX_MOMENTS]


def _moments_from_curators(topic: Topic) -> list[TimedMoment]:
    # A decision about a moment has the slug that the topic had at that time.
    slugs = [topic.slug, *topic.former.values_list("slug", flat=True)]
    moments = []
    for curated in moments_of_topic(slugs):
        text = [curated.label] if curated.label else []
        page = f"{curated.episode.get_absolute_url()}?t={curated.start}"
        moments.append(TimedMoment(curated.episode, curated.start, curated.end, text, page))
    return moments


def find_playable_moments_naming_person(person: Person) -> list[TimedMoment]:
    """Return moments that name a person, only of the newest episodes that credit the person."""
    episodes = Episode.objects.with_person(person.slug)
    transcripts = Transcript.objects.filter(episode__in=episodes)
    newest_first = transcripts.order_by("-episode__sorted_at", "-episode")
    # The episodes are with this person, so a passage that names the person once is enough.
    moments = _two_best_moments_per_episode([person.name], newest_first, min_nearby_names=1)
    return playable_moments(moments[:MAX_MOMENTS])


def _two_best_moments_per_episode(
    names: Iterable[str], transcripts: QuerySet[Transcript], min_nearby_names: int
) -> list[TimedMoment]:
    """Return the two moments of each episode that have these names most often, the best first.

    Read at most 20 transcripts. Leave out moments without a time, and passages with fewer than
    `min_nearby_names` of the names in them and close behind them.
    """
    query = query_for_names(names)
    rows = transcripts.select_related("episode__podcast").defer("text")
    best_moments = []
    for transcript in rows[:20]:  # they are long
        episode = transcript.episode
        # The words of the transcript with their times.
        speech = transcript.speech(episode.duration_seconds)
        all_passages = find_passages(speech.text, query)
        passages = _passages_with_most_names_first(all_passages, min_nearby_names)
        # Passages in the same sentences are one moment.
        for moment in distinct_moments_of_passages(speech, passages, query, 2):
            if moment.second is not None:
                # The page marks the first name in the moment.
                address = moment_address(episode, moment, first_marked_words(moment))
                best_moments.append(_timed_moment(episode, moment, moment.second, address))
    # Every second part of a text is a name, so a moment with more names has more parts.
    best_moments.sort(key=lambda moment: len(moment.text), reverse=True)
    return best_moments


def _passages_with_most_names_first(
    passages: Iterable[Passage], min_nearby_names: int
) -> list[Passage]:
    # `nearby_occurrences` counts the names in a passage and close behind it.
    frequent = [passage for passage in passages if passage.nearby_occurrences >= min_nearby_names]
    return sorted(frequent, key=lambda passage: passage.nearby_occurrences, reverse=True)


def playable_moments(moments: Iterable[TimedMoment]) -> list[TimedMoment]:
    return [moment for moment in moments if moment.episode.is_playable]


def playable_context(playable: Sequence[TimedMoment]) -> dict[str, Any]:
    """Return the values for a link to the page that plays these moments."""
    return {"playable": playable, "playable_summary": summarize_moments(playable)}


def summarize_moments(moments: Iterable[TimedMoment]) -> str:
    """Return `8 moments, 2 min 40 s`."""
    lengths = [moment.end - moment.start for moment in moments]
    count = format_count(len(lengths), "moment", "moments")
    # The length of no moments is "".
    return f"{count}, {format_length(sum(lengths), exact=True)}".removesuffix(", ")


# -- prerequisites ---------------------------------------------------------------------------------

Prerequisites = Mapping[int, Set[int]]  # by the id of an episode, the ids of its prerequisites


def load_prerequisite_ids_by_episode() -> Prerequisites:
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


def listen_first_lines_by_episode(
    episodes: Iterable[Episode], prerequisites: Prerequisites
) -> dict[int, list[Reason]]:
    """Return, by id, the line “Listen first: …” for each of these episodes that has prerequisites."""
    ids_with_prerequisites = prerequisites.keys() & {episode.pk for episode in episodes}
    # All prerequisites are loaded in one query.
    all_prerequisite_ids: set[int] = set()
    for episode_id in ids_with_prerequisites:
        all_prerequisite_ids.update(prerequisites[episode_id])
    rows = Episode.objects.filter(pk__in=all_prerequisite_ids).with_name_columns()
    oldest_first = list(rows.order_by("podcast", "order"))
    reasons = {}
    for episode_id in ids_with_prerequisites:
        to_hear_first = [row for row in oldest_first if row.pk in prerequisites[episode_id]]
        reasons[episode_id] = [Reason("Listen first", episodes=to_hear_first)]
    return reasons


def pairs_of_late_prerequisite_and_episode(
    loaded_path: LoadedPath, prerequisites: Prerequisites
) -> list[tuple[Episode, Episode]]:
    """Return pairs of episodes in the wrong order on a path: a prerequisite, and an episode before it."""
    pairs = []
    # `combinations` keeps the order of the path in each pair.
    for earlier, later in combinations(loaded_path.episodes, 2):
        if later.pk in prerequisites.get(earlier.pk, ()):
            pairs.append((later, earlier))
    return pairs
