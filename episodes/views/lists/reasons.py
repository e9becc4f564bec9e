"""Why an episode was found, where neither its title nor its notes show it: a topic, a link, a
person, words that are said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from ...models import Chapter, Credit, Episode, EpisodeLink, Transcript
from ...search import excerpts, parse_query, terms_in
from ...text.formatting import clock
from ...text.link_labels import ONE, named
from ..reason import Reason


class SearchedText(NamedTuple):
    """A text of an episode that may hold a term: its label, how it is shown, and what of it is
    indexed."""

    episode: int
    label: str
    shown: str
    indexed: str


def reasons(episodes: Sequence[Episode], words: str) -> dict[int, list[Reason]]:
    """For each episode what holds the terms that its card would not show."""
    query = parse_query(words)
    numbers = set(range(len(query.terms)))
    missing = {
        e.pk: numbers - terms_in(f"{e.heading}\n{e.description_text}", query) for e in episodes
    }
    found: defaultdict[int, list[Reason]] = defaultdict(list)
    for text in _texts([e for e in episodes if missing[e.pk]]):
        if not any(missing.values()):
            break  # the other texts need not be read
        if held := terms_in(text.indexed, query) & missing[text.episode]:
            missing[text.episode] -= held
            found[text.episode].append(Reason(text.label, excerpts.marked(text.shown, words)))
    said = {e.pk: e for e in episodes if missing[e.pk]}
    for transcript in Transcript.objects.filter(episode__in=said):
        found[transcript.episode_id] += _said(
            said[transcript.episode_id], transcript, missing[transcript.episode_id], words
        )
    return found


def _texts(episodes: Sequence[Episode]) -> Iterator[SearchedText]:
    """Topics, links, people and chapters of episodes."""
    for episode in episodes:
        for topic in episode.topics_in_order:
            yield SearchedText(episode.pk, "Topic", topic.name, topic.name)
            for alias in map(str, topic.aliases):
                yield SearchedText(episode.pk, "Topic", f"{topic.name} ({alias})", alias)
    of = {"episode__in": [episode.pk for episode in episodes]}
    for mention in EpisodeLink.objects.filter(**of).select_related("link").order_by("position"):
        link, kind = mention.link, ONE.get(mention.link.kind, "Link")
        indexed = f"{link.key} {mention.url} {kind} {link.title} PR"[:2_000]
        yield SearchedText(mention.episode_id, kind, link.title or named(link.key).whole, indexed)
    for credit in Credit.objects.filter(**of).select_related("person").order_by("person", "role"):
        yield SearchedText(
            credit.episode_id, credit.role.capitalize(), credit.person.name, credit.person.name
        )
    for chapter in Chapter.objects.filter(**of).order_by("start"):
        yield SearchedText(
            chapter.episode_id, f"Chapter at {clock(chapter.start)}", chapter.title, chapter.title
        )


def _said(episode: Episode, transcript: Transcript, terms: Set[int], words: str) -> list[Reason]:
    """The first paragraph said with a missing term, behind its place in the audio, which leads
    there."""
    query = parse_query(words)
    # A phrase may begin in one paragraph and end in the next.
    for paragraph, (start, _, text) in enumerate(
        [*transcript.cues, (None, "", transcript.text)], 1
    ):
        if terms_in(str(text), query) & terms:
            said = excerpts.around(str(text), words)
            if start is None:
                return [Reason("Said", said)]
            address = f"{episode.get_absolute_url()}?t={int(start)}#p{paragraph}"
            return [Reason("Said at", said, clock(int(start)), address)]
    return []
