"""A curator's decision about two episodes of which one may be a new edition of the other."""

from __future__ import annotations

from ..models import Episode, Judgement
from .entries import Ref, anchor, on_entry, refs
from .history import Impossible, User, about_episode, changing

WORDS = {
    "replaces": "“{}” replaces “{}”",
    "repeats": "“{}” is a rebroadcast of “{}”",
    "unrelated": "“{}” has nothing to do with “{}”",
}


def judge_repeat(user: User, later: Episode, earlier: Episode, verdict: str, *, reason: str = "") -> None:
    """Say what one episode is to an earlier one: it "replaces" or "repeats" it, or is "unrelated". They stay two.

    Raises:
        Impossible: they are one, or of two shows, or the verdict is none of these.
    """
    if later.pk == earlier.pk or later.podcast_id != earlier.podcast_id:
        raise Impossible("Choose two episodes of one show.")
    if verdict not in WORDS:
        raise Impossible("Choose one of the buttons.")
    podcast, one, other = later.podcast, anchor(later), anchor(earlier)
    about = about_episode(podcast, *one)
    with changing(user, f"judge {verdict}", later.heading, about, podcasts=[podcast], reason=reason) as record:
        for row in _between(later, earlier, one, other):
            record.end(row)
        row = Judgement(**on_entry(podcast, one, reason), other_source=other[0], other_key=other[1], verdict=verdict)
        record.save(row)
        record.tell("published before", "", WORDS[verdict].format(later.heading, earlier.heading))


def _between(later: Episode, earlier: Episode, one: Ref, other: Ref) -> list[Judgement]:
    """Earlier judgements that the new one replaces: on the same question, and all about these very entries."""
    pairs = {frozenset((mine, theirs)) for mine in refs(later) for theirs in refs(earlier)}
    found = []
    for row in Judgement.objects.filter(podcast=later.podcast, ended_at=None, verdict__in=Judgement.PAIRS):
        pair = frozenset(((row.source, row.item_key), (row.other_source, row.other_key)))
        if pair == frozenset((one, other)) or (pair in pairs and row.verdict in Judgement.OF_REPEATS):
            found.append(row)
    return found
