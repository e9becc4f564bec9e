"""Why an episode was found, where neither its title nor its notes show it: a topic, a link, a
person, words that are said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...models import Chapter, Credit, Episode, EpisodeLink
from ...search import Query, excerpts, parse_query, terms_in
from ...text.formatting import clock
from ...text.link_labels import ONE, named
from ..moments import lines
from ..reason import Reason


class SearchedText(NamedTuple):
    """A text of an episode that may hold a term: its label, how it is shown, and what of it is
    indexed."""

    episode: int
    label: str
    shown: str
    indexed: str


def reasons(episodes: Sequence[Episode], words: str) -> dict[int, list[Reason]]:
    """For each episode what holds the terms that its card would not show, and the moments at which
    they are said together."""
    query = parse_query(words)
    missing = not_on_cards(episodes, query)
    found: defaultdict[int, list[Reason]] = defaultdict(list)
    for text in _texts([e for e in episodes if missing[e.pk]]):
        if not any(missing.values()):
            break  # the other texts need not be read
        if held := terms_in(text.indexed, query) & missing[text.episode]:
            missing[text.episode] -= held
            found[text.episode].append(Reason(text.label, excerpts.marked(text.shown, words)))
    for pk, said in lines(episodes, query, missing).items():
        found[pk] += said
    return found


def not_on_cards(episodes: Sequence[Episode], query: Query) -> dict[int, set[int]]:
    """For each episode the numbers of the terms that neither its title nor its notes have."""
    numbers = set(range(len(query.terms)))
    return {e.pk: numbers - terms_in(f"{e.heading}\n{e.description_text}", query) for e in episodes}


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
