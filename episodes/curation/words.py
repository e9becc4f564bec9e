"""Corrects words of an episode's transcript."""

from __future__ import annotations

from ..models import Episode, Transcript
from ..resolve import WordCorrection
from .entries import anchor, in_force, on_entry
from .history import Impossible, User
from .verbs import changing_episode

LONGEST = 200  # characters of the words


def correct_words(
    user: User, episode: Episode, correction: WordCorrection, *, seen: str = "", reason: str = ""
) -> None:
    """Give words of the transcript a curator's own, in every version of the file that has the same
    words around them. It takes the place of a correction of these words that is lost.

    Raises:
        Impossible: the transcript has no such words there, or these are no others. Stale: somebody
        was faster.
    """
    wrong, right = correction.wrong, correction.right
    if not right or right == wrong or len(right) > LONGEST:
        raise Impossible(f"Type the right words, up to {LONGEST} characters.")
    with changing_episode(user, "correct words", episode, seen, reason) as record:
        transcript = Transcript.objects.filter(episode=episode).first() or Transcript()
        if not correction.pattern.search(transcript.speech(None).text):
            raise Impossible(f"The transcript does not have “{wrong}” there.")
        lost = {"value": right, "key__in": [key for key, _ in transcript.lost]}
        for row in in_force(episode, "words", detail=wrong, **lost)[:1]:
            record.end(row)
        where = on_entry(episode.podcast, anchor(episode), reason)
        record.decide("words", **where, key=correction.key, value=right, detail=wrong)
        record.tell("transcript", wrong, right)
