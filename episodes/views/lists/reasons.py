"""Why an episode was found, where neither its title nor its notes show it: a topic, a link, a person, words that are said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from ...models import Chapter, Credit, Episode, EpisodeLink, Transcript
from ...search import Query, excerpts, parse_query, spans, terms_in
from ...text.formatting import clock
from ...text.link_labels import ONE, named
from ..reason import Reason


class SearchedText(NamedTuple):
    """A text of an episode that may hold a term: its label, how it is shown, and what of it is indexed."""

    episode: int
    label: str
    shown: str
    indexed: str


def reasons(episodes: Sequence[Episode], words: str) -> dict[int, list[Reason]]:
    """For each episode what holds the terms that its card would not show; asks only for what is missing."""
    query = parse_query(words)
    missing = {e.pk: left for e in episodes if (left := _missing(e, query))}
    found: dict[int, list[Reason]] = {}
    for texts in (_topics, _links, _people, _chapters):
        if not any(missing.values()):
            return found
        for text in texts([e for e in episodes if missing.get(e.pk)]):
            held = {span.term for span in spans(text.indexed, query)} & missing[text.episode]
            if held:
                missing[text.episode] -= held
                reason = Reason(text.label, excerpts.marked(text.shown, words))
                found.setdefault(text.episode, []).append(reason)
    said = _said([e for e in episodes if missing.get(e.pk)], missing, query, words)
    for episode, reason in said:
        found.setdefault(episode, []).append(reason)
    return found


def _missing(episode: Episode, query: Query) -> set[int]:
    missing = set(range(len(query.terms))) - terms_in(episode.heading, query)
    return missing - terms_in(episode.description_text, query) if missing else missing


def _topics(episodes: Sequence[Episode]) -> Iterator[SearchedText]:
    for episode in episodes:
        for topic in episode.topics_in_order:
            yield SearchedText(episode.pk, "Topic", topic.name, topic.name)
            for alias in map(str, topic.aliases):
                yield SearchedText(episode.pk, "Topic", f"{topic.name} ({alias})", alias)


def _links(episodes: Sequence[Episode]) -> Iterator[SearchedText]:
    rows = EpisodeLink.objects.filter(episode__in=[e.pk for e in episodes]).select_related("link").order_by("position")
    for row in rows:
        link, name = row.link, named(row.link.key).whole
        kind = ONE.get(link.kind, "Link")
        yield SearchedText(
            row.episode_id, kind, link.title or name, f"{link.key} {row.url} {kind} {link.title} PR"[:2_000]
        )


def _people(episodes: Sequence[Episode]) -> Iterator[SearchedText]:
    rows = (
        Credit.objects.filter(episode__in=[e.pk for e in episodes]).select_related("person").order_by("person", "role")
    )
    for row in rows:
        yield SearchedText(row.episode_id, row.role.capitalize(), row.person.name, row.person.name)


def _chapters(episodes: Sequence[Episode]) -> Iterator[SearchedText]:
    rows = Chapter.objects.filter(episode__in=[e.pk for e in episodes]).order_by("start")
    for row in rows:
        yield SearchedText(row.episode_id, f"Chapter at {clock(row.start)}", row.title, row.title)


def _said(
    episodes: Sequence[Episode], missing: Mapping[int, set[int]], query: Query, words: str
) -> Iterator[tuple[int, Reason]]:
    """The first paragraph said with a missing term, behind its place in the audio, which leads there."""
    by_pk = {episode.pk: episode for episode in episodes}
    for row in Transcript.objects.filter(episode__in=by_pk):
        terms = missing[row.episode_id]
        if not _holds(row.text, query, terms):
            continue
        places = ((number, *cue) for number, cue in enumerate(row.cues, 1) if _holds(str(cue[2]), query, terms))
        # A phrase may begin in one paragraph and end in the next.
        paragraph, start, _, text = next(places, (1, None, "", row.text))
        said = excerpts.around(str(text), words)
        if start is None:
            yield row.episode_id, Reason("Said", said)
        else:
            address = f"{by_pk[row.episode_id].get_absolute_url()}?t={int(start)}#p{paragraph}"
            yield row.episode_id, Reason("Said at", said, clock(int(start)), address)


def _holds(text: str, query: Query, terms: Set[int]) -> bool:
    return any(span.term in terms for span in spans(text, query))
