"""The index by which a copy is searched, for `static/js/published.js`."""

import json
from collections import defaultdict

from ..models import CodeMention, Credit, Episode, EpisodeLink
from ..text.formatting import day, minutes

MOST_TEXT = 4_000_000  # characters of all notes together


def search_index() -> str:
    """The episodes of the lists as JSON, newest first: what a card shows and filters ask for, and the
    words that are searched (`words` are of topics, people, symbols and links)."""
    words = defaultdict[int, list[str]](list)
    people = defaultdict[int, list[str]](list)
    for episode, slug, name in Credit.objects.values_list(
        "episode", "person__slug", "person__name"
    ):
        people[episode].append(slug)
        words[episode].append(name)
    for rows in (
        CodeMention.objects.order_by().values_list("episode", "name__name").distinct(),
        EpisodeLink.objects.order_by().values_list("episode", "link__key", "link__title"),
    ):
        for episode, *names in rows.iterator():
            words[episode] += names
    listed = Episode.objects.listed()
    most = MOST_TEXT // max(1, listed.count())
    found = []
    for e in listed.newest_first(one_show=False).for_list().in_batches():
        topics = e.topics_in_order
        aliases = [str(name) for topic in topics for name in (topic.name, *topic.aliases)]
        found.append(
            {
                "address": e.get_absolute_url(),
                "title": e.heading,
                "number": e.number_beside_title,
                "show": e.podcast.title,
                "podcast": e.podcast.slug,
                "date": str(e.published_at or "")[:10],
                "day": day(e.published_at) or "Undated",
                "seconds": e.duration_seconds,
                "length": minutes(e.duration_seconds or None),
                "topics": [topic.slug for topic in topics],
                "people": people[e.pk],
                "words": " · ".join([*aliases, *words[e.pk]]),
                "text": e.description_text[:most],
            }
        )
    return json.dumps(found, ensure_ascii=False, separators=(",", ":"))
