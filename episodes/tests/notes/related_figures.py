"""Agreement of related episodes with a hand-made key."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from episodes.gather.sources import readers
from episodes.notes.related import Traits, collect_traits, related_episodes_by_slug
from episodes.notes.topics import TopicRule
from episodes.records import Decisions, EntryData, FetchedDocument, ResolvedEpisode, Show, SourceEntry
from episodes.resolve.pipeline import resolve_show

ROOT = Path(__file__).parents[3]
FIXTURES = ROOT / "fixtures"
KEY: dict[str, list[str]] = json.loads((ROOT / "episodes" / "tests" / "data" / "related_key.json").read_text("utf-8"))[
    "episodes"
]
TOPICS = [entry["fields"] for entry in json.loads((FIXTURES / "topics.json").read_text("utf-8"))]
MOST = 5

Answers = Mapping[str, Sequence[str]]  # by slug, the best first


@cache
def shipped() -> tuple[Traits, ...]:
    return tuple(collect_traits(_resolved()))


@cache
def key() -> dict[str, tuple[str, ...]]:
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
    return resolve_show(
        [_entry(place, said) for place, said in enumerate(found.entries, 1)], Decisions(), show, rules
    ).episodes


def _entry(place: int, said: EntryData) -> SourceEntry:
    return SourceEntry("feed", "feed.xml", f"{said.number}|{said.title}", place, said, rank=1)


def agreement() -> float:
    """Mean nDCG of the answers by the key, of which the first gives 5 points and the last 1."""
    answers, figures = by_score(shipped()), []
    for slug, wanted in key().items():
        gains = {other: MOST - place for place, other in enumerate(wanted)}
        got = [gains.get(other, 0) for other in answers[slug]]
        figures.append(_dcg(got) / _dcg(sorted(gains.values(), reverse=True)))
    return sum(figures) / len(figures)


def _dcg(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def by_score(episodes: Sequence[Traits]) -> Answers:
    """The key speaks also of those that an episode refers to."""
    bare = [replace(episode, references=()) for episode in episodes]
    return {slug: [one.slug for one in found] for slug, found in related_episodes_by_slug(bare, MOST).items()}
