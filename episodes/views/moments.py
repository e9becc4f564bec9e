"""Why an episode is on a page: moments at which words are said together, with the addresses that
play them, and episodes that are to be heard before others."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations, islice
from operator import itemgetter
from typing import NamedTuple

from django.utils.http import urlencode

from ..models import Episode, Reference, Route, Topic, Transcript, moments_about
from ..search import Moment, Query, excerpts, moment_of, named_query, passages
from ..text.formatting import clock


@dataclass(frozen=True)
class Reason:
    """A line beneath an episode: `Topic: Autograd`, `Said at 12:34: …`, `Missing: words`, `Listen
    first: …`."""

    label: str
    text: Sequence[str] = ()  # in parts, of which every second is marked
    at: str = ""  # a position in the audio
    address: str = ""  # of that position
    more: int = 0  # further passages that say the same
    whole: str = ""  # the address at which all of them are marked
    missing: Sequence[str] = ()
    episodes: Sequence[Episode] = ()


MOST = 3  # of an episode
MOST_READ = 12  # transcripts of a topic's episodes
MOST_FOUND = 5
OFTEN = 2  # times that a passage has to name the topic
NOTHING: Mapping[int, Set[int]] = {}


class Said(NamedTuple):
    """An episode with its best moments, and the number of others that say all words too."""

    episode: Episode
    moments: list[Moment]
    more: int


def said(
    episodes: Sequence[Episode], query: Query, missing: Mapping[int, Set[int]] = NOTHING
) -> dict[int, Said]:
    """For each episode the moments at which all words are said together; else the one that says
    most of them, and some that are `missing` elsewhere."""
    own = {episode.pk: episode for episode in episodes}
    found = {}
    for transcript in Transcript.objects.filter(episode__in=own):
        pk, episode = transcript.episode_id, own[transcript.episode_id]
        speech = transcript.speech(episode.duration_seconds)
        every = passages(speech.text, query)
        together = excerpts.together(every, query)
        some = (passage for passage in every if passage.terms & missing.get(pk, set()))
        shown = together[:MOST] or islice(some, 1)
        moments = [moment_of(speech, passage, query) for passage in shown]
        found[pk] = Said(episode, moments, max(0, len(together) - MOST))
    return found


class TopicMoment(NamedTuple):
    """A passage about a topic: its episode, its time in words, its address and its words in
    parts."""

    episode: Episode
    at: str
    address: str
    text: Sequence[str]


def of_topic(topic: Topic, episodes: Sequence[Episode]) -> list[TopicMoment]:
    """The moments that curators chose for a topic, then the passages of these episodes that name
    it most, one of each that has none; those with the topic in their titles are read first."""
    # A decision about a moment has the slug that the topic had at that time.
    chosen = moments_about([topic.slug, *topic.former.values_list("slug", flat=True)])
    query = named_query((topic.name, *map(str, topic.aliases)))
    own = {one.pk: one for one in episodes if one.pk not in {row.episode.pk for row in chosen}}
    # Of the names of fields "title" is the last.
    rows = Transcript.objects.filter(episode__in=own, episode__topic_uses__topic=topic)
    found = []
    # Transcripts are long, so only a few are read for one page.
    for transcript in rows.order_by("-episode__topic_uses__field", "-episode")[:MOST_READ]:
        episode = own[transcript.episode_id]
        speech = transcript.speech(episode.duration_seconds)
        best = max(passages(speech.text, query), key=lambda passage: passage.hits, default=None)
        if best and best.hits >= OFTEN:
            moment = moment_of(speech, best, query)
            line = _line(episode, moment, moment.text[1])
            found.append((best.hits, TopicMoment(episode, line.at, line.address, line.text)))
    found.sort(key=itemgetter(0), reverse=True)
    return [
        *(TopicMoment(one.episode, f"at {one.clock}", one.address, [one.words]) for one in chosen),
        *(moment for _, moment in found[:MOST_FOUND]),
    ]


def address(episode: Episode, moment: Moment, words: str) -> str:
    """Return the address of the episode's page that opens at the moment, with the words marked and
    ready to play. Without a time it opens at the paragraph."""
    page, query = episode.get_absolute_url(), urlencode({"q": words})
    if moment.second is None:
        return f"{page}?{query}#p{moment.paragraph}"
    return f"{page}?t={moment.second}&{query}#moment"


def lines(
    episodes: Sequence[Episode], query: Query, missing: Mapping[int, Set[int]]
) -> dict[int, list[Reason]]:
    """For each episode `Said at 12:34: …` for its moments, and the way to those that are not
    shown."""
    rows = {}
    for pk, (episode, moments, more) in said(episodes, query, missing).items():
        rows[pk] = [_line(episode, moment, query.typed) for moment in moments]
        if more:
            whole = f"{episode.get_absolute_url()}?{urlencode({'q': query.typed})}"
            rows[pk][-1] = replace(rows[pk][-1], more=more, whole=whole)
    return rows


def _line(episode: Episode, moment: Moment, words: str) -> Reason:
    at = "in the transcript" if moment.second is None else f"at {clock(moment.second)}"
    return Reason("Said", moment.text, at, address(episode, moment, words))


Needs = Mapping[int, Set[int]]  # ids of episodes: those to be heard first


def needs() -> Needs:
    """Prerequisites of every episode that has any: its own, and the episodes that call it their
    follow-up."""
    stated = Reference.objects.order_by()
    own = stated.filter(kind="prerequisite").values_list("episode", "target")
    before: defaultdict[int, set[int]] = defaultdict(set)
    for episode, first in own.union(
        stated.filter(kind="follow-up").values_list("target", "episode")
    ):
        before[episode].add(first)
    return dict(before)


def listen_first(episodes: Iterable[Episode], before: Needs) -> dict[int, list[Reason]]:
    """A line for each of these episodes that needs others: “Listen first: …”, by its id."""
    needing = [episode.pk for episode in episodes if episode.pk in before]
    wanted = set[int]().union(*(before[pk] for pk in needing))
    rows = Episode.objects.filter(pk__in=wanted).named().order_by("podcast", "order")
    return {
        pk: [Reason("Listen first", episodes=[row for row in rows if row.pk in before[pk]])]
        for pk in needing
    }


def reversed_in(route: Route, before: Needs) -> list[tuple[Episode, Episode]]:
    """Pairs of a path in which the episode that comes later is needed by the one before it; the
    needed one is second."""
    pairs = combinations(route.episodes, 2)
    return [(first, later) for later, first in pairs if first.pk in before.get(later.pk, ())]
