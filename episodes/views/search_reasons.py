"""Why episodes are in the results of a search: the texts and moments that hold its words."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..models import Chapter, Credit, Episode, EpisodeLink
from ..search import Query, SearchResults, excerpts, find_term_numbers, parse_query
from ..text import link_labels
from ..text.formatting import format_time
from .episode_filter import EpisodeFilter
from .moments import MAX_MOMENTS, Reason, TimedMoment, moment_reasons_by_episode


def result_reasons_by_episode(
    filters: EpisodeFilter, episodes: Sequence[Episode]
) -> dict[int, list[Reason]]:
    """Return, by id, why the episodes of a page match if their cards do not show it."""
    if not filters.is_search:
        return {}
    reasons = match_reasons_by_episode(episodes, filters.selection.first("q"))
    missing_reasons = missing_words_reasons_by_episode(filters.unfiltered_results, episodes)
    for episode_id, missing in missing_reasons.items():
        reasons[episode_id] = [*missing, *reasons.get(episode_id, ())]
    return reasons


def match_reasons_by_episode(
    episodes: Sequence[Episode], query_text: str
) -> dict[int, list[Reason]]:
    """Return, by id, the texts with words that a card lacks, and the moments that say the words."""
    query = parse_query(query_text)
    # The numbers of a query's terms are their positions: of `vmap cuda`, "cuda" has the number 1.
    missing_terms_by_episode = term_numbers_missing_from_cards_by_episode(episodes, query)
    reasons: defaultdict[int, list[Reason]] = defaultdict(list)
    iterators = (
        _indexed_texts_of_topics,
        _indexed_texts_of_links,
        _indexed_texts_of_people,
        _indexed_texts_of_chapters,
    )
    for iterate_texts in iterators:
        incomplete = [episode for episode in episodes if missing_terms_by_episode[episode.pk]]
        for text in iterate_texts(incomplete):
            missing_terms = missing_terms_by_episode[text.episode_id]
            new_terms = missing_terms & find_term_numbers(text.indexed, query)
            if new_terms:
                # One text is enough to show where a word is, so neither further texts nor moments are
                # shown for it.
                missing_terms_by_episode[text.episode_id] = missing_terms - new_terms
                excerpt = excerpts.split_around_terms(text.display, query)
                reasons[text.episode_id].append(Reason(text.label, excerpt))
    # The terms that are still missing may be in the transcript alone.
    moment_reasons = moment_reasons_by_episode(episodes, query, missing_terms_by_episode)
    for episode_id, moments in moment_reasons.items():
        reasons[episode_id] += moments
    return reasons


def missing_words_reasons_by_episode(
    results: SearchResults, episodes: Sequence[Episode]
) -> dict[int, list[Reason]]:
    """Return, by id, the line “Missing: words” of each episode that lacks words of the query."""
    query = results.prepared_query.query
    reasons = {}
    for episode in episodes:
        # The positions of the terms that no text of the episode has.
        missing_numbers = sorted(results.missing_terms.get(episode.pk, ()))
        if missing_numbers:
            words = [query.terms[number].typed for number in missing_numbers]
            # An episode without any of the words was found by the meaning of its texts.
            has_some_word = len(words) < len(query.terms)
            label = "Missing" if has_some_word else "Similar in meaning; missing"
            reasons[episode.pk] = [Reason(label, missing=words)]
    return reasons


def term_numbers_missing_from_cards_by_episode(
    episodes: Sequence[Episode], query: Query
) -> dict[int, set[int]]:
    """Return, by id, the numbers of the terms that neither title nor notes of an episode have."""
    numbers = set(range(len(query.terms)))
    missing = {}
    for episode in episodes:
        text = f"{episode.heading}\n{episode.description_text}"
        missing[episode.pk] = numbers - find_term_numbers(text, query)
    return missing


class _IndexedText(NamedTuple):
    """A topic, link, person or chapter of an episode: how it is shown, and what the index has of it."""

    episode_id: int
    label: str
    display: str
    indexed: str


def _indexed_texts_of_topics(episodes: Sequence[Episode]) -> Iterator[_IndexedText]:
    for episode in episodes:
        for topic in episode.topics_in_order:
            yield _IndexedText(episode.pk, "Topic", display=topic.name, indexed=topic.name)
            for alias in map(str, topic.aliases):
                name_with_alias = f"{topic.name} ({alias})"
                yield _IndexedText(episode.pk, "Topic", display=name_with_alias, indexed=alias)


def _indexed_texts_of_links(episodes: Sequence[Episode]) -> Iterator[_IndexedText]:
    mentions = EpisodeLink.objects.filter(episode__in=episodes).order_by("position")
    rows = mentions.values_list("episode", "url", "link__key", "link__kind", "link__title")
    short_kinds = {"github-pr": "PR"}  # as readers type it
    for episode_id, url, key, link_kind, title in rows:
        kind = link_labels.LINK_KIND_NAMES.get(link_kind, "Link")
        name = link_labels.title_or_name_of_link(title, key)
        short_kind = short_kinds.get(link_kind, "")
        # A title may be as long as its page, so only the beginning is read.
        indexed = f"{key} {url} {kind} {short_kind} {title}"[:2_000]
        yield _IndexedText(episode_id, kind, display=name, indexed=indexed)


def _indexed_texts_of_people(episodes: Sequence[Episode]) -> Iterator[_IndexedText]:
    credit_rows = Credit.objects.filter(episode__in=episodes).order_by("person", "role")
    for episode_id, role, name in credit_rows.values_list("episode", "role", "person__name"):
        yield _IndexedText(episode_id, role.capitalize(), display=name, indexed=name)


def _indexed_texts_of_chapters(episodes: Sequence[Episode]) -> Iterator[_IndexedText]:
    for chapter in Chapter.objects.filter(episode__in=episodes).order_by("start"):
        label = f"Chapter at {format_time(chapter.start)}"
        title = chapter.title
        yield _IndexedText(chapter.episode_id, label, display=title, indexed=title)


def first_playable_moments(
    episodes: Sequence[Episode], reasons_by_episode: Mapping[int, Sequence[Reason]]
) -> list[TimedMoment]:
    """Return the playable moments in the order of the episodes, at most MAX_MOMENTS."""
    moments = []
    for episode in episodes:
        for reason in reasons_by_episode.get(episode.pk, ()):
            if reason.playable:
                moments.append(reason.playable)
    return moments[:MAX_MOMENTS]
