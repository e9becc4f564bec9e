"""The search index of a copy, which its script reads (static/js/published.js)."""

import json
from collections import defaultdict
from typing import Any

from ..models import CodeMention, Credit, Episode, EpisodeLink
from ..text.formatting import format_day, format_minutes

MAX_INDEXED_NOTES = 4_000_000  # characters of all notes together


def search_index_json() -> str:
    """Return the listed episodes as JSON, newest first: the values of cards and filters, and all words.

    `words` are the words of topics, people, symbols and links.
    """
    people_by_episode = _people_slugs_and_names_by_episode()
    words_by_episode = _words_of_symbols_and_links_by_episode()
    listed = Episode.objects.listed()
    # A browser loads all notes at once, so each episode gets an equal part of the limit.
    max_characters = MAX_INDEXED_NOTES // max(1, listed.count())
    rows = []
    for episode in listed.newest_first(is_single_show=False).for_list().in_batches():
        people = people_by_episode[episode.pk]
        names = [name for _, name in people]
        words = [*_topic_names_and_aliases(episode), *names, *words_by_episode[episode.pk]]
        row = _card_values(episode)
        row["people"] = [slug for slug, _ in people]  # for the filter by person
        row["words"] = " · ".join(words)
        row["text"] = episode.description_text[:max_characters]
        rows.append(row)
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def _people_slugs_and_names_by_episode() -> defaultdict[int, list[tuple[str, str]]]:
    people_by_episode = defaultdict[int, list[tuple[str, str]]](list)
    people = Credit.objects.values_list("episode", "person__slug", "person__name")
    for episode_id, slug, name in people:
        people_by_episode[episode_id].append((slug, name))
    return people_by_episode


def _words_of_symbols_and_links_by_episode() -> defaultdict[int, list[str]]:
    words_by_episode = defaultdict[int, list[str]](list)
    symbols = CodeMention.objects.order_by().values_list("episode", "name__name").distinct()
    for episode_id, name in symbols.iterator():
        words_by_episode[episode_id].append(name)
    links = EpisodeLink.objects.order_by().values_list("episode", "link__key", "link__title")
    for episode_id, key, title in links.iterator():
        words_by_episode[episode_id] += [key, title]
    return words_by_episode


def _card_values(episode: Episode) -> dict[str, Any]:
    iso_day = str(episode.published_at or "")[:10]  # `2021-06-21`, "" without a date
    return {
        "address": episode.get_absolute_url(),
        "title": episode.heading,
        "number": episode.separate_numbering,
        "show": episode.podcast.title,
        "podcast": episode.podcast.slug,
        "language": episode.podcast.primary_language,
        "date": iso_day,
        "day": format_day(episode.published_at) or "Undated",
        "seconds": episode.duration_seconds,
        "length": format_minutes(episode.duration_seconds),
        "topics": [topic.slug for topic in episode.topics_in_order],
    }


def _topic_names_and_aliases(episode: Episode) -> list[str]:
    names = []
    for topic in episode.topics_in_order:
        names.append(topic.name)
        names += [str(alias) for alias in topic.aliases]
    return names
