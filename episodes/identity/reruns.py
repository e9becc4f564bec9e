"""Lists the episodes of a show that were published before, as curators judged, and proposes those
with a title that says so; pure."""

import re
from collections.abc import Iterable, Mapping, Sequence

from ..records import JudgedRepeat, RepeatData, ResolvedEpisode, Show
from ..text.normalize import words
from .match_keys import MARKERS, bare_title

REPLACES, REPEATS = "replaces", "repeats"
MAX_TITLE = 500  # characters that are looked at
RERUN_WORDS = "|".join(re.escape(word) for word, kind in MARKERS.items() if kind == "rerun")
# "The knee (R)", "[Re-run] The knee", "The knee (rebroadcast from 2019)"
RERUN = re.compile(rf"[\[(【](?:r|(?:{RERUN_WORDS})(?!\w)[^\[\]()【】]{{0,40}})[\])】]")

Pair = tuple[int, int]  # an earlier and a later episode, by their positions in the order of age


def find_reruns(
    episodes: Sequence[ResolvedEpisode], show: Show, judged: Iterable[JudgedRepeat] = ()
) -> list[RepeatData]:
    """Return the pairs of episodes that curators judged to be one published twice, and proposals.

    The later of two is `episode`. A proposal takes a title that says it is a re-run, and that is
    without these words the title of an older episode. A judged pair is not proposed again, nor is
    an episode that is a re-run already or that lists leave out.
    """
    by_age = sorted(episodes, key=lambda episode: (episode.sorted_at, episode.order))
    decided = _decided_pairs(by_age, judged)
    rows = []
    for (old, new), kind in sorted(decided.items()):
        if kind in (REPLACES, REPEATS):
            rows.append(RepeatData(by_age[new].slug, by_age[old].slug, kind, (), accepted=True))
    settled = {row.episode for row in rows} | unlisted(rows)
    for old, new in _titled_pairs(by_age, show):
        earlier, later = by_age[old].slug, by_age[new].slug
        if (old, new) not in decided and settled.isdisjoint((earlier, later)):
            rows.append(RepeatData(later, earlier, REPEATS, ("its title says so",)))
    return rows


def _titled_pairs(by_age: Sequence[ResolvedEpisode], show: Show) -> list[Pair]:
    """Return each episode with a title of a re-run, and the first older one of that title."""
    pairs = []
    first_with: dict[str, int] = {}
    for position, episode in enumerate(by_age):
        title = bare_title(episode.merged.title[:MAX_TITLE], show.title)[0]
        rest = RERUN.sub(" ", title)
        key = " ".join(words(bare_title(rest, show.title)[0]))
        if rest != title and key in first_with:
            pairs.append((first_with[key], position))
        if key:
            first_with.setdefault(key, position)
    return pairs


def _decided_pairs(
    by_age: Sequence[ResolvedEpisode], judged: Iterable[JudgedRepeat]
) -> Mapping[Pair, str]:
    """Return the last judgement of each pair of episodes."""
    positions = {}
    for position, episode in enumerate(by_age):
        for entry in episode.entries:
            positions[entry.ref[::2]] = position
    decided = {}
    for judgement in judged:
        pair = {positions[ref] for ref in (judgement.one, judgement.other) if ref in positions}
        if len(pair) == 2:
            decided[min(pair), max(pair)] = judgement.kind
    return decided


def unlisted(rows: Iterable[RepeatData]) -> set[str]:
    """Return the slugs that lists hide because an accepted re-run or its original represents them."""
    stands_in = {
        (row.of, row.episode) if row.kind == REPLACES else (row.episode, row.of)
        for row in rows
        if row.accepted
    }
    listed = {after for _, after in stands_in} - {before for before, _ in stands_in}
    reached: set[str] = set()
    # From those that nothing stands for backwards. A circle of judgements leaves nobody out.
    while more := {before for before, after in stands_in if after in listed | reached} - reached:
        reached |= more
    return reached
