"""The search index of a copy, which its script reads (static/js/published.js)."""

import json
from collections import defaultdict
from typing import Any

from ..models import CodeMention, Credit, Episode, EpisodeLink
from ..text.formatting import format_day, format_minutes

MAX_NOTES = 4_000_000  # characters of all notes together


def search_index_json() -> str:
    """Return the listed episodes as JSON, newest first: the values of cards and filters, and all words.

    `words` are the words of topics, people, symbols and links.
    """
    people_slugs, words = _people_and_words_by_episode()
    listed = Episode.objects.listed()
    # A browser loads all notes at once, so each episode gets an equal part of the limit.
    max_length = MAX_NOTES // max(1, listed.count())
    rows = []
    for episode in listed.newest_first(is_single_show=False).for_list().in_batches():
        rows.append(
            {
                **_card_values(episode),
                "people": people_slugs[episode.pk],
                "words": " · ".join([*_topic_names(episode), *words[episode.pk]]),
                "text": episode.description_text[:max_length],
            }
        )
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def _people_and_words_by_episode() -> tuple[
    defaultdict[int, list[str]], defaultdict[int, list[str]]
]:
    """Return two dicts by the episode's id: the slugs of its people, and the words to search.

    The words are names of people and symbols, and keys and titles of links.
    """
    people_slugs = defaultdict[int, list[str]](list)
    words = defaultdict[int, list[str]](list)
    for episode_id, slug, name in Credit.objects.values_list(
        "episode", "person__slug", "person__name"
    ):
        people_slugs[episode_id].append(slug)
        words[episode_id].append(name)
    symbols = CodeMention.objects.order_by().values_list("episode", "name__name").distinct()
    for episode_id, name in symbols.iterator():
        words[episode_id].append(name)
    links = EpisodeLink.objects.order_by().values_list("episode", "link__key", "link__title")
    for episode_id, key, title in links.iterator():
        words[episode_id] += [key, title]
    return people_slugs, words


def _card_values(episode: Episode) -> dict[str, Any]:
    """Return the values of an episode that cards and filters of the copy's script need, by name."""
    return {
        "address": episode.get_absolute_url(),
        "title": episode.heading,
        "number": episode.separate_numbering,
        "show": episode.podcast.title,
        "podcast": episode.podcast.slug,
        "date": str(episode.published_at or "")[:10],
        "day": format_day(episode.published_at) or "Undated",
        "seconds": episode.duration_seconds,
        "length": format_minutes(episode.duration_seconds),
        "topics": [topic.slug for topic in episode.topics_in_order],
    }


def _topic_names(episode: Episode) -> list[str]:
    """Return the names and aliases of an episode's topics."""
    names = []
    for topic in episode.topics_in_order:
        names += [topic.name, *map(str, topic.aliases)]
    return names
