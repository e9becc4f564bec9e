"""Why an episode was found, where neither its title nor its notes show it: a topic, a link, a person, words that are said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString

from . import excerpts
from .link_labels import ONE, named
from .models import Credit, Episode, EpisodeLink, Transcript
from .search_terms import Query, read, spans


class Text(NamedTuple):
    """A text of an episode that may hold a term: its label, how it is shown, and what of it is indexed."""

    episode: int
    label: str
    shown: str
    indexed: str


def reasons(episodes: Sequence[Episode], words: str) -> dict[int, list[SafeString]]:
    """For each episode what holds the terms that its card would not show, safe to show; asks only for what is missing."""
    query = read(words)
    missing = {e.pk: left for e in episodes if (left := _missing(e, query))}
    found: dict[int, list[SafeString]] = {}
    for texts in (_topics, _links, _people, _transcripts):
        if not any(missing.values()):
            break
        for text in texts([e for e in episodes if missing.get(e.pk)]):
            held = {span.term for span in spans(text.indexed, query)} & missing[text.episode]
            if held:
                missing[text.episode] -= held
                words_of = excerpts.around if texts is _transcripts else excerpts.marked
                line = format_html("{}: {}", text.label, words_of(text.shown, words))
                found.setdefault(text.episode, []).append(line)
    return found


def _missing(episode: Episode, query: Query) -> set[int]:
    held = {s.term for text in (episode.heading, episode.description_text) for s in spans(text, query)}
    return set(range(len(query.terms))) - held


def _topics(episodes: Sequence[Episode]) -> Iterator[Text]:
    for episode in episodes:
        for use in episode.topic_uses.all():
            names = [use.topic.name, *map(str, use.topic.aliases)]
            for name in names:
                yield Text(episode.pk, "Topic", use.topic.name if name == names[0] else f"{names[0]} ({name})", name)


def _links(episodes: Sequence[Episode]) -> Iterator[Text]:
    rows = EpisodeLink.objects.filter(episode__in=[e.pk for e in episodes]).select_related("link").order_by("position")
    for row in rows:
        link, name = row.link, named(row.link.key).whole
        kind = ONE.get(link.kind, "Link")
        yield Text(row.episode_id, kind, link.title or name, f"{link.key} {row.url} {kind} {link.title} PR"[:2_000])


def _people(episodes: Sequence[Episode]) -> Iterator[Text]:
    rows = (
        Credit.objects.filter(episode__in=[e.pk for e in episodes]).select_related("person").order_by("person", "role")
    )
    for row in rows:
        yield Text(row.episode_id, row.role.capitalize(), row.person.name, row.person.name)


def _transcripts(episodes: Sequence[Episode]) -> Iterator[Text]:
    for episode, text in Transcript.objects.filter(episode__in=[e.pk for e in episodes]).values_list("episode", "text"):
        yield Text(episode, "Said", text, text)
