"""Lists the re-runs of a show as curators decided. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..records import RerunData, RerunDecision, ResolvedEpisode

EpisodePair = tuple[int, int]  # an earlier and a later episode, by their positions in order of age


def find_reruns(
    episodes: Sequence[ResolvedEpisode], decisions: Iterable[RerunDecision]
) -> list[RerunData]:
    """Return the re-runs of a show, oldest original first. The later of two episodes is the re-run."""
    by_age = sorted(episodes, key=lambda episode: (episode.sorted_at, episode.order))
    reruns = []
    for (old, new), kind in sorted(_verdicts_by_pair(by_age, decisions).items()):
        if kind in ("replaces", "repeats"):
            reruns.append(RerunData(by_age[new].slug, by_age[old].slug, kind))
    return reruns


def _verdicts_by_pair(
    episodes_by_age: Sequence[ResolvedEpisode], decisions: Iterable[RerunDecision]
) -> Mapping[EpisodePair, str]:
    """Return replaces, repeats or unrelated by pair of positions. Leave out decisions about entries
    that are not, or no longer, in two episodes."""
    position_of = {}
    for position, episode in enumerate(episodes_by_age):
        for entry in episode.entries:
            position_of[entry.source_key] = position
    decided = {}
    for decision in decisions:
        first = position_of.get(decision.later_entry)
        second = position_of.get(decision.earlier_entry)
        if first is not None and second is not None and first != second:
            decided[min(first, second), max(first, second)] = decision.kind
    return decided


def slugs_hidden_by_reruns(reruns: Iterable[RerunData]) -> set[str]:
    """Return the slugs that lists hide because a re-run or its original represents them."""
    shown_instead_of = defaultdict[str, set[str]](set)
    represented = set()
    for rerun in reruns:
        is_replaced = rerun.kind == "replaces"
        hidden, shown = (rerun.of, rerun.episode) if is_replaced else (rerun.episode, rerun.of)
        shown_instead_of[shown].add(hidden)
        represented.add(hidden)
    # Start at the episodes that nothing represents. A circle of decisions has no such episode, so it
    # hides nothing.
    waiting = [slug for slug in shown_instead_of if slug not in represented]
    unlisted_slugs: set[str] = set()
    while waiting:
        newly_hidden = shown_instead_of[waiting.pop()] - unlisted_slugs
        unlisted_slugs |= newly_hidden
        waiting += newly_hidden
    return unlisted_slugs
