"""How titles say why episodes were found by words: as a mention only where all of them say the words themselves."""

from __future__ import annotations

from typing import NamedTuple

from ...models import Topic
from ...search import parse_query, terms_in
from ...text.formatting import isolated
from .filters import EpisodeFilter
from .selection import Selection


class FoundBy(NamedTuple):
    """Words to be put behind `1 episode` and behind `episodes`, and the whole title where it is another."""

    one: str
    many: str
    title: str = ""


def found_by(listed: EpisodeFilter, chosen: Selection, count: int) -> FoundBy | None:
    """How the words of `chosen`, which is what is asked of `listed`, found `count` episodes; None without words."""
    words = chosen.one("q")
    if not words:
        return None
    quoted = f"“{isolated(words)}”"
    if listed.is_near:
        close = f"close to {quoted}"
        return FoundBy(close, close)
    mentioning = listed.search.mentioning
    if listed.passing <= mentioning:
        return FoundBy(f"that mentions {quoted}", f"that mention {quoted}")
    if not mentioning and not chosen.replaced(q="").narrows() and (known := _covering(words, listed)):
        topic, name = known
        about = f"about {isolated(topic.name)}"
        covers = "" if name == topic.name else ", which covers {}"
        it = "it" if name.lower() == words.lower() else isolated(name)
        phrase = about + covers.format(isolated(name))
        return FoundBy(phrase, phrase, f"No episode says {quoted}. {count:,} {about}{covers.format(it)}")
    return FoundBy(f"that matches {quoted}", f"that match {quoted}")


def _covering(words: str, listed: EpisodeFilter) -> tuple[Topic, str] | None:
    """The one topic that all these episodes were found by, with the name of it that has the words."""
    query, counts = parse_query(words), listed.counts()
    for topic in listed.topics.values():
        if counts[f"topic:{topic.pk}"] == counts["matches"]:
            for name in (topic.name, *map(str, topic.aliases)):
                if len(terms_in(name, query)) == len(query.terms):
                    return topic, name
    return None
