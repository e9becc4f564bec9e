"""Agreement of related episodes with a hand-made key, beside the baseline: `python -m episodes.tests.notes.related_figures`."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from episodes.gather.sources import readers
from episodes.notes.related import Traits, related, traits
from episodes.notes.topics import TopicRule
from episodes.records import Decisions, EntryData, FetchedDocument, ResolvedEpisode, Show, SourceEntry
from episodes.resolve.catalog import resolve

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "fixtures"
KEY: dict[str, list[str]] = json.loads((ROOT / "episodes" / "tests" / "data" / "related_key.json").read_text("utf-8"))[
    "episodes"
]
TOPICS = [entry["fields"] for entry in json.loads((FIXTURES / "topics.json").read_text("utf-8"))]
TOPIC_NAMES = {f["slug"]: f["name"] for f in TOPICS}
MOST = 5

Answers = Mapping[str, Sequence[str]]  # by slug, the best first


@dataclass(frozen=True)
class Figures:
    """Means over the episodes that the key speaks of; `right` is the share of all that is shown."""

    precision: float
    recall: float
    ndcg: float
    right: float
    shown: int

    def __str__(self) -> str:
        return f"{self.precision:7.3f}{self.recall:7.3f}{self.ndcg:8.3f}{self.right:9.3f}{self.shown:7}"


@cache
def shipped() -> tuple[Traits, ...]:
    """The episodes of the shipped feed, through the catalog's own steps."""
    return tuple(traits(episode) for episode in _resolved())


@cache
def key() -> dict[str, tuple[str, ...]]:
    """The key by slug."""
    slugs = {e.merged.title or f"#{e.merged.number}": e.slug for e in _resolved()}
    return {slugs[title]: tuple(slugs[other] for other in others) for title, others in KEY.items()}


@cache
def _resolved() -> tuple[ResolvedEpisode, ...]:
    fields = {
        entry["model"]: entry["fields"]
        for entry in reversed(json.loads((FIXTURES / "sources.json").read_text("utf-8")))
    }
    about = fields["episodes.podcast"]
    show = Show(about["slug"], about["title"], about["feed_url"], about["site_url"], about["author"], about["language"])
    found = readers()["feed"].read(FetchedDocument((FIXTURES / "feed.xml").read_bytes(), name="feed.xml"), show)
    rules = [TopicRule.from_fields(f["slug"], [f["name"], *f["aliases"]], f["rules"]) for f in TOPICS]
    return resolve(
        [_entry(place, said) for place, said in enumerate(found.entries, 1)], Decisions(), show, rules
    ).episodes


def _entry(place: int, said: EntryData) -> SourceEntry:
    return SourceEntry("feed", "feed.xml", f"{said.number}|{said.title}", place, said, rank=1)


def measured(answers: Answers, only: Iterable[str] = ()) -> Figures:
    """Agreement of the answers with the key; nDCG gives the key's first 5 points, its last 1."""
    wanted_of = {slug: key()[slug] for slug in (only or key())}
    precision, recall, ndcg, right, shown = [], [], [], 0, 0
    for slug, wanted in wanted_of.items():
        got = list(answers.get(slug, ()))[:MOST]
        hits = len(set(got) & set(wanted))
        right, shown = right + hits, shown + len(got)
        gains = {other: MOST - place for place, other in enumerate(wanted)}
        precision.append(hits / MOST)
        recall.append(hits / len(wanted))
        ndcg.append(_dcg([gains.get(other, 0) for other in got]) / _dcg(sorted(gains.values(), reverse=True)))
    p, r, n = (sum(values) / len(wanted_of) for values in (precision, recall, ndcg))
    return Figures(p, r, n, right / max(1, shown), shown)


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def baseline(episodes: Sequence[Traits], most: int = MOST) -> Answers:
    """For every episode the newest others that are about a topic of its own: what `related` has to beat."""
    newest = sorted(episodes, key=lambda e: (-e.order, e.slug))
    about: dict[str, list[int]] = defaultdict(list)
    for place, episode in enumerate(newest):
        for topic in set(episode.topics):
            about[topic].append(place)
    found = {}
    for place, episode in enumerate(newest):
        first = {other for topic in episode.topics for other in about[topic][: most + 1]} - {place}
        found[episode.slug] = tuple(newest[other].slug for other in sorted(first)[:most])
    return found


def by_score(episodes: Sequence[Traits]) -> Answers:
    """The key speaks also of those that an episode refers to."""
    bare = [replace(episode, references=()) for episode in episodes]
    return {slug: [one.slug for one in found] for slug, found in related(bare, MOST).items()}


KINDS = ("topics", "links", "names", "words")


def only(*kinds: str) -> Callable[[Sequence[Traits]], Answers]:
    gone: dict[str, Any] = {kind: () for kind in KINDS if kind not in kinds}
    return lambda episodes: by_score([replace(episode, **gone) for episode in episodes])


def without(*kinds: str) -> Callable[[Sequence[Traits]], Answers]:
    return only(*(kind for kind in KINDS if kind not in kinds))


def most_topics(episodes: Sequence[Traits]) -> Answers:
    """A stronger baseline: who shares most topics, the newest first."""
    found = {}
    for one in episodes:
        shared = {e: len({*one.topics} & {*e.topics}) for e in episodes if e != one}
        best = sorted((e for e in shared if shared[e]), key=lambda e: (-shared[e], -e.order))
        found[one.slug] = [e.slug for e in best[:MOST]]
    return found


WAYS: dict[str, Callable[[Sequence[Traits]], Answers]] = {
    "related": by_score,
    "baseline: same topic, newest": baseline,
    "baseline: most topics, newest": most_topics,
    **{f"only {name}": only(*kinds) for name, kinds in {
        "topics": ("topics",), "links": ("links",), "names of code": ("names",),
        "words": ("words",),
    }.items()},
    **{f"without {name}": without(*kinds) for name, kinds in {
        "topics": ("topics",), "links": ("links",), "names of code": ("names",), "words": ("words",),
    }.items()},
}  # fmt: skip


def table() -> str:
    """The figures of every way, and of both halves of the key."""
    lines = [f"{'':36}{'P@5':>7}{'R@5':>7}{'nDCG@5':>8}{'right of':>9}{'shown':>7}"]
    for name, way in WAYS.items():
        lines.append(f"{name:36}{measured(way(shipped()))}")
    for half, slugs in halves().items():
        for name, way in (("related", by_score), ("baseline", baseline)):
            lines.append(f"{f'{half} half: {name}':36}{measured(way(shipped()), slugs)}")
    return "\n".join(lines)


def halves() -> dict[str, list[str]]:
    """The episodes of the key by turns, oldest first."""
    slugs = [episode.slug for episode in sorted(shipped(), key=lambda e: e.order) if episode.slug in key()]
    return {"odd": slugs[::2], "even": slugs[1::2]}


if __name__ == "__main__":
    print(table())
