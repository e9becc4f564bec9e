"""Lists the episodes of a show that were published before, as curators judged, and proposes episodes
with a title that says so. Pure."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from ..records import RerunData, RerunDecision, ResolvedEpisode, Show
from ..text.normalize import folded_words
from .match_keys import MARKERS, bare_title

RERUN_WORDS = "|".join(re.escape(word) for word, kind in MARKERS.items() if kind == "rerun")
# "The knee (R)", "[Re-run] The knee", "The knee (rebroadcast from 2019)"
RERUN = re.compile(rf"[\[(【](?:r|(?:{RERUN_WORDS})(?!\w)[^\[\]()【】]{{0,40}})[\])】]")

EpisodePair = tuple[int, int]  # an earlier and a later episode, by their positions in order of age


def find_reruns(
    episodes: Sequence[ResolvedEpisode], show: Show, judged: Iterable[RerunDecision] = ()
) -> list[RerunData]:
    """Return the pairs of episodes that curators judged to be one published twice, and proposals.

    The later of two is `episode`. A proposal takes a title that says it is a re-run, and that is
    without these words the title of an older episode. A judged pair is not proposed again, nor is
    an episode that is a re-run already or that lists leave out.
    """
    by_age = sorted(episodes, key=lambda episode: (episode.sorted_at, episode.order))
    decided = _decided_pairs(by_age, judged)
    reruns = []
    for (old, new), kind in sorted(decided.items()):
        if kind in ("replaces", "repeats"):
            reruns.append(RerunData(by_age[new].slug, by_age[old].slug, kind, (), accepted=True))
    settled = {rerun.episode for rerun in reruns} | hidden_slugs(reruns)
    for old, new in _pairs_by_title(by_age, show):
        earlier, later = by_age[old].slug, by_age[new].slug
        if (old, new) not in decided and settled.isdisjoint((earlier, later)):
            reruns.append(RerunData(later, earlier, "repeats", ("its title says so",)))
    return reruns


def _decided_pairs(
    by_age: Sequence[ResolvedEpisode], judged: Iterable[RerunDecision]
) -> Mapping[EpisodePair, str]:
    """Return the last judgement of each pair of episodes."""
    position_of = {}
    for position, episode in enumerate(by_age):
        for entry in episode.entries:
            position_of[entry.source_key] = position
    decided = {}
    for judgement in judged:
        first, second = (
            position_of.get(judgement.later_entry),
            position_of.get(judgement.earlier_entry),
        )
        if first is not None and second is not None and first != second:
            decided[min(first, second), max(first, second)] = judgement.kind
    return decided


def _pairs_by_title(by_age: Sequence[ResolvedEpisode], show: Show) -> list[EpisodePair]:
    """Return each episode with a title of a re-run, and the first older one of that title."""
    pairs = []
    first_with: dict[str, int] = {}
    for position, episode in enumerate(by_age):
        title = bare_title(episode.merged.title[:500], show.title).title
        original_title = RERUN.sub(" ", title)
        key = " ".join(folded_words(bare_title(original_title, show.title).title))
        if original_title != title and key in first_with:
            pairs.append((first_with[key], position))
        if key:
            first_with.setdefault(key, position)
    return pairs


def hidden_slugs(reruns: Iterable[RerunData]) -> set[str]:
    """Return the slugs that lists hide because an accepted re-run or its original represents them."""
    shown_instead_of = defaultdict[str, set[str]](set)
    represented = set()
    for rerun in reruns:
        if not rerun.accepted:
            continue
        is_replaced = rerun.kind == "replaces"
        hidden, shown = (rerun.of, rerun.episode) if is_replaced else (rerun.episode, rerun.of)
        shown_instead_of[shown].add(hidden)
        represented.add(hidden)
    # From episodes that nothing represents. Judgements in a circle hide no episode.
    waiting = [slug for slug in shown_instead_of if slug not in represented]
    unlisted_slugs: set[str] = set()
    while waiting:
        hidden_slugs = shown_instead_of[waiting.pop()] - unlisted_slugs
        unlisted_slugs |= hidden_slugs
        waiting += hidden_slugs
    return unlisted_slugs
