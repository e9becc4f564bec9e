"""Lists the re-runs of a show as curators decided. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..records import RerunData, RerunDecision, ResolvedEpisode, cluster_by_entry


class EpisodePair(NamedTuple):
    """Two episodes, by their positions in order of age."""

    earlier: int
    later: int


def list_decided_reruns(
    episodes: Sequence[ResolvedEpisode], decisions: Iterable[RerunDecision]
) -> list[RerunData]:
    """Return the re-runs of a show, oldest original first. The later of two episodes is the re-run."""
    by_age = sorted(episodes, key=lambda episode: (episode.sorted_at, episode.order))
    reruns = []
    for pair, kind in sorted(_decided_kind_by_pair(by_age, decisions).items()):
        if kind in ("replaces", "repeats"):
            original, rerun = by_age[pair.earlier], by_age[pair.later]
            reruns.append(RerunData(episode=rerun.slug, of=original.slug, kind=kind))
    return reruns


def _decided_kind_by_pair(
    episodes_by_age: Sequence[ResolvedEpisode], decisions: Iterable[RerunDecision]
) -> Mapping[EpisodePair, str]:
    """Return "replaces", "repeats" or "unrelated" for each pair of episodes with a decision. Leave out
    decisions about entries that are not, or no longer, in two episodes."""
    position_by_entry = cluster_by_entry(episode.entries for episode in episodes_by_age)
    kind_by_pair = {}
    # The oldest decision comes first, so the last decision about a pair stays.
    for decision in decisions:
        later = position_by_entry.get(decision.later_entry)
        earlier = position_by_entry.get(decision.earlier_entry)
        # An entry may be gone, and two entries may have become one episode.
        if later is None or earlier is None or later == earlier:
            continue
        # The dates may have changed since the decision, so the positions decide which is the earlier.
        pair = EpisodePair(min(later, earlier), max(later, earlier))
        kind_by_pair[pair] = decision.kind
    return kind_by_pair


def slugs_hidden_by_reruns(reruns: Iterable[RerunData]) -> set[str]:
    """Return the slugs that lists hide because a re-run or its original represents them."""
    represented_by = _represented_slugs_by_slug(reruns)
    all_represented = set[str]().union(*represented_by.values())
    # Start at the episodes that nothing represents. A circle of decisions has no such episode, so it
    # hides nothing.
    to_visit = [slug for slug in represented_by if slug not in all_represented]
    hidden_slugs: set[str] = set()
    while to_visit:
        slug = to_visit.pop()
        newly_hidden = represented_by.get(slug, set()) - hidden_slugs
        hidden_slugs |= newly_hidden
        # A hidden episode may represent further ones.
        to_visit += newly_hidden
    return hidden_slugs


def _represented_slugs_by_slug(reruns: Iterable[RerunData]) -> Mapping[str, set[str]]:
    """Return, for each episode that lists show in place of others, the slugs of these."""
    represented_by = defaultdict[str, set[str]](set)
    for rerun in reruns:
        # A re-run that replaces its original is shown. A re-run that only repeats it is hidden.
        if rerun.kind == "replaces":
            represented_by[rerun.episode].add(rerun.of)
        else:
            represented_by[rerun.of].add(rerun.episode)
    return represented_by
