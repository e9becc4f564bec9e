"""The introduction to search on the start page: what can be found, with examples from the catalog itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import BooleanField, ExpressionWrapper, Q
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.text import get_text_list

from ..models import CodeName, Episode, Link, Person, Podcast, Topic, Transcript
from ..search import Moment, distinct_moments_of_passages, find_passages, query_for_names
from ..site import Site
from ..text.formatting import format_count, format_episode_count
from .episode_filter import EpisodeFilter
from .moments import first_marked_words, moment_reason
from .search_suggestions import direct_hit_of_link

_MAX_EXAMPLES = 3


@dataclass(frozen=True)
class Example:
    """A link into the catalog that shows what can be found."""

    label: str  # `a topic`
    text: Sequence[str]  # in parts, every second part is marked
    detail: str  # `6 episodes`
    address: str
    css_class: str = ""
    is_audible: bool = False
    podcast: Podcast | None = None  # the text is in its language


@dataclass(frozen=True)
class SearchIntroduction:
    """A line about what can be found, and at most three examples."""

    line: str
    examples: Sequence[Example]


def build_introduction_unless_empty_catalog(
    filters: EpisodeFilter, current_site: Site
) -> SearchIntroduction | None:
    """Return the line and the examples for the whole catalog; None without episodes.

    `filters` are the filters of the whole list. The line depends on the kinds of content in the catalog.
    """
    counts = filters.facet_counts()
    # Each kind of example costs queries, so no more are made than are shown.
    examples = list(islice(_iterate_examples(filters), _MAX_EXAMPLES))
    if not examples:
        return None
    transcript_count = Transcript.objects.filter(episode__listed=True).count()
    # Of a very large catalog only the newest episodes are in "episodes" and "audible". "matches" counts all.
    is_mostly_audible = counts["audible"] * 2 >= counts["episodes"]
    searchable = _describe_searchable_content(transcript_count, counts["matches"], current_site)
    next_step = _describe_use_of_results(examples[0], is_mostly_audible=is_mostly_audible)
    return SearchIntroduction(f"{searchable} {next_step}", examples)


def _describe_searchable_content(
    transcript_count: int, episode_count: int, current_site: Site
) -> str:
    """Return a sentence about what is searchable: every word, if most episodes have a transcript, else the
    notes, links, topics and so on."""
    have_most_a_transcript = transcript_count * 2 >= episode_count
    if have_most_a_transcript:
        return f"Every word of {format_episode_count(transcript_count)} is searchable."
    # "The notes, links and topics of 82 episodes are searchable, and every word of 3 transcripts."
    nouns = ["notes"]
    searchable_kinds = {
        "links": "links",
        "topics": "topics",
        "names": "symbols",
        "people": "people",
    }
    for kind, noun in searchable_kinds.items():
        has_pages_of_kind = kind in current_site.filled
        if has_pages_of_kind:
            nouns.append(noun)
    sentence = (
        f"The {get_text_list(nouns, 'and')} of {format_episode_count(episode_count)} are searchable"
    )
    if transcript_count:
        transcripts = format_count(transcript_count, "transcript", "transcripts")
        sentence += f", and every word of {transcripts}"
    return f"{sentence}."


def _describe_use_of_results(first_example: Example, *, is_mostly_audible: bool) -> str:
    """Return a sentence about the use of a result. It promises sound only if most results have it."""
    if first_example.is_audible:
        return "Find the minute, hear it, share it."
    if is_mostly_audible:
        return "Find the episode, hear it, share it."
    return "Find the sentence, read on from there, share it."


def _iterate_examples(filters: EpisodeFilter) -> Iterator[Example]:
    """Yield examples, the most telling first. A small catalog has only the last kinds."""
    yield from _yield_spoken_title_example()
    yield from _yield_most_frequent_subject_example("a symbol", CodeName.objects, "code")
    yield from _yield_most_frequent_topic_example(filters)
    yield from _yield_most_frequent_link_example()
    yield from _yield_most_frequent_subject_example("a person", Person.objects)
    yield from _yield_newest_title_examples()


def _yield_spoken_title_example() -> Iterator[Example]:
    """Yield a whole sentence of a transcript that names its episode, from the newest episode with one.

    Episodes with sound come first.
    """
    has_sound = ExpressionWrapper(~Q(episode__audio_url=""), BooleanField())
    transcripts = Transcript.objects.filter(episode__listed=True).exclude(episode__title="")
    with_sound_and_newest_first = transcripts.order_by(
        has_sound.desc(), "-episode__sorted_at", "-episode"
    )
    rows = with_sound_and_newest_first.select_related("episode__podcast").defer("text")
    for transcript in rows[:8]:  # they are long
        episode = transcript.episode
        query = query_for_names([episode.title])
        # The words of the transcript with their times.
        speech = transcript.speech(episode.duration_seconds)
        passages = find_passages(speech.text, query)
        # Of at most ten moments that name the title, the first with a good sentence.
        for moment in distinct_moments_of_passages(speech, passages, query, 10):
            if _is_quotable(moment):
                yield _spoken_example(episode, moment)
                return


def _is_quotable(moment: Moment) -> bool:
    sentence = "".join(moment.text)
    is_of_good_length = 40 <= len(sentence) <= 150
    # Scripts without capital letters have none to begin with.
    begins_sentence = not sentence[:1].islower()
    ends_sentence = sentence.endswith((".", "!", "?", "。", "！", "？", "؟", "।"))
    return is_of_good_length and begins_sentence and ends_sentence


def _spoken_example(episode: Episode, moment: Moment) -> Example:
    reason = moment_reason(episode, moment, first_marked_words(moment))
    detail = f"{episode.heading}, {reason.at}"
    return Example(
        label="a sentence",
        text=reason.text,
        detail=detail,
        address=reason.address,
        css_class="quote",
        is_audible=reason.playable is not None,
        podcast=episode.podcast,
    )


def _yield_most_frequent_subject_example(
    label: str, subjects: Any, css_class: str = ""
) -> Iterator[Example]:
    by_count = subjects.filter(episode_count__gt=0).order_by("-episode_count", "slug")
    for subject in by_count[:1]:
        detail = format_episode_count(subject.episode_count)
        yield Example(label, [subject.name], detail, subject.get_absolute_url(), css_class)


def _yield_most_frequent_topic_example(filters: EpisodeFilter) -> Iterator[Example]:
    counts = filters.facet_counts()

    def count_of(topic: Topic) -> int:
        return counts[f"topic:{topic.pk}"]

    best_topic = max(filters.topics.values(), key=count_of, default=None)
    if best_topic and count_of(best_topic):
        detail = format_episode_count(count_of(best_topic))
        yield Example("a topic", [best_topic.name], detail, best_topic.get_absolute_url())


def _yield_most_frequent_link_example() -> Iterator[Example]:
    # The other kinds are often sponsors and the show's own pages.
    kinds = (
        "paper",
        "docs",
        "video",
        "wiki",
        "forum",
        "github-repo",
        "github-issue",
        "github-pr",
        "github-code",
    )
    links = Link.objects.filter(kind__in=kinds, episode_count__gt=0)
    for link in links.order_by("-episode_count", "key")[:1]:
        hit = direct_hit_of_link(link.key, link.title, link.kind)
        detail = format_episode_count(link.episode_count)
        yield Example("a link", [hit.name], f"{hit.kind}, {detail}", hit.address)


def _yield_newest_title_examples() -> Iterator[Example]:
    titled = Episode.objects.listed().exclude(title="").select_related("podcast")
    for episode in titled.newest_first()[:_MAX_EXAMPLES]:
        address = f"{reverse('episodes')}?{urlencode({'q': episode.title})}"
        yield Example("a title", [episode.heading], episode.podcast.title, address)
