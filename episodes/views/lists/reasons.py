"""Why an episode was found, where neither its title nor its notes show it: a topic, a link, a
person, words that are said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from django.utils.http import urlencode

from ...models import Chapter, Credit, Episode, EpisodeLink, Transcript
from ...search import Moment, Query, Speech, excerpts, parse_query, passages, terms_in
from ...text.formatting import clock
from ...text.link_labels import ONE, named
from ..reason import Reason

MOST = 3  # moments of an episode


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
    for pk, lines in moments(episodes, query, missing).items():
        found[pk] += lines
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


def moments(
    episodes: Sequence[Episode], query: Query, missing: Mapping[int, Set[int]]
) -> dict[int, list[Reason]]:
    """For each episode the best moments at which all words are said together; else the one that
    says most of them, and some that are `missing` elsewhere."""
    own = {episode.pk: episode for episode in episodes}
    words = {number for number, term in enumerate(query.terms) if not term.fact}
    found = {}
    for transcript in Transcript.objects.filter(episode__in=own):
        episode = own[transcript.episode_id]
        cues = transcript.cues or [[None, "", transcript.text]]
        speech = Speech(cues, episode.duration_seconds)
        said = passages(speech.text, query)
        together = [passage for passage in said if passage.terms >= words]
        some = (one for one in said if one.terms & missing[episode.pk])
        shown = together[:MOST] or [*islice(some, 1)]
        lines = [_line(episode, speech.moment(passage, query), query) for passage in shown]
        if len(together) > MOST:
            whole = f"{episode.get_absolute_url()}?{urlencode({'q': query.typed})}"
            lines[-1] = replace(lines[-1], more=len(together) - MOST, whole=whole)
        found[episode.pk] = lines
    return found


def _line(episode: Episode, moment: Moment, query: Query) -> Reason:
    """A moment with the address that plays it; one without a time leads to its paragraph."""
    page, words = episode.get_absolute_url(), urlencode({"q": query.typed})
    if moment.second is None:
        return Reason(
            "Said", moment.text, "in the transcript", f"{page}?{words}#p{moment.paragraph}"
        )
    address = f"{page}?t={moment.second}&{words}"
    return Reason("Said at", moment.text, clock(moment.second), address)
