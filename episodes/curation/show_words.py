"""Words that are corrected in all transcripts of a show, those to come included."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from ..models import (
    DISMISSAL_KIND,
    Change,
    Decision,
    Episode,
    Podcast,
    Transcript,
    WordProposal,
)
from ..resolve import WordCorrection
from ..text.formatting import format_time
from .decide import require_right_words
from .history import AnyUser, InvalidChange, open_change_recorder, row_history_key

CORRECT_WORDS = "correct words"  # the action in the history


@dataclass(frozen=True)
class WordsOccurrence:
    """Wrong words in a transcript, with the text before and after them."""

    episode: Episode
    paragraph: int  # from 1
    second: int | None
    before: str
    words: str
    after: str

    @property
    def time(self) -> str:
        return "" if self.second is None else format_time(self.second)

    @property
    def address(self) -> str:
        page = self.episode.get_absolute_url()
        if self.second is None:
            return f"{page}#p{self.paragraph}"
        return f"{page}?t={self.second}#moment"

    @property
    def sound_address(self) -> str:
        """Return the address of the audio around the words, or "" without audio or time."""
        if self.second is None or not self.episode.audio_url:
            return ""
        # Between two known times a second is a guess, so it begins a little before and ends behind.
        start = max(0, self.second - 4)
        return f"{self.episode.audio_url}#t={start},{self.second + 8}"


def find_transcript_words_to_correct(
    podcast: Podcast, correction: WordCorrection
) -> list[WordsOccurrence]:
    """Return each place at which a correction changes words in the transcripts of a show, the newest
    episode first."""
    transcripts = Transcript.objects.filter(episode__podcast=podcast).select_related("episode")
    # Without notes: they are long, and a show may have thousands of episodes.
    transcripts = transcripts.defer(
        "text", "episode__description_text", "episode__description_html"
    )
    occurrences = []
    for transcript in transcripts.order_by("-episode__order").iterator(100):
        speech = transcript.speech(transcript.episode.duration_seconds)
        for match in correction.pattern.finditer(speech.text):
            words = match["wrong"]
            # The pattern may ignore case, and then also finds the right words.
            if words == correction.right:
                continue
            start, end = match.span("wrong")
            # Eight words, in at most 80 characters, because some scripts have no spaces between words.
            words_before = speech.text[max(0, start - 80) : start].split(" ")[-8:]
            words_after = speech.text[end : end + 80].split(" ")[:8]
            occurrence = WordsOccurrence(
                episode=transcript.episode,
                paragraph=speech.paragraph_number(start),
                second=speech.second(start),
                before=" ".join(words_before),
                words=words,
                after=" ".join(words_after),
            )
            occurrences.append(occurrence)
    return occurrences


def find_words_to_correct_or_raise(
    podcast: Podcast, correction: WordCorrection
) -> list[WordsOccurrence]:
    """Return the words that a new correction changes in the transcripts of a show.

    Raises:
        InvalidChange: no transcript has the words, they are corrected already, or nothing is corrected.
    """
    require_right_words(correction)
    corrections = Decision.objects.in_force("show-words").filter(
        podcast=podcast, key=correction.key
    )
    if corrections.exists():
        raise InvalidChange(f"“{correction.wrong}” is corrected already. Undo that first.")
    occurrences = find_transcript_words_to_correct(podcast, correction)
    if not occurrences:
        raise InvalidChange(f"No transcript of {podcast} has “{correction.wrong}”.")
    return occurrences


def correct_show_words(
    user: AnyUser, podcast: Podcast, correction: WordCorrection, *, reason: str = ""
) -> None:
    """Decide that words are corrected in all transcripts of a show, those to come included. The next resolve
    corrects them.

    Raises:
        InvalidChange: no transcript has the words, they are corrected already, or they equal the right ones.
    """
    with open_change_recorder(
        user,
        CORRECT_WORDS,
        str(podcast),
        row_history_key(podcast),
        podcasts=[podcast],
        reason=reason,
    ) as recorder:
        # Checked after the show is locked, so that two people cannot correct the same words.
        find_words_to_correct_or_raise(podcast, correction)
        recorder.store_decision_and_end_earlier(
            "show-words",
            podcast=podcast,
            key=correction.key,
            value=correction.right,
            detail=correction.wrong,
            reason=reason,
        )
        recorder.describe("all transcripts", correction.wrong, correction.right)


def show_word_changes(podcast: Podcast) -> QuerySet[Change]:
    changes = Change.objects.filter(about=row_history_key(podcast), verb=CORRECT_WORDS)
    return changes.select_related("made_by", "undone_by")


def waiting_word_proposals() -> QuerySet[WordProposal]:
    """Return the proposals of words that no curator corrected or dismissed, the most frequent first."""
    corrected = Decision.objects.in_force("show-words").filter(
        podcast=OuterRef("podcast"), key=OuterRef("wrong")
    )
    dismissed = Decision.objects.in_force(DISMISSAL_KIND).filter(
        podcast=OuterRef("podcast"), field=CORRECT_WORDS, key=OuterRef("wrong")
    )
    rows = WordProposal.objects.exclude(Exists(corrected.order_by()))
    rows = rows.exclude(Exists(dismissed.order_by())).select_related("podcast")
    return rows.order_by("-place_count", "podcast", "wrong")


def dismiss_word_proposal(user: AnyUser, proposal: WordProposal) -> None:
    """Decide that words of a show's transcripts are no misspelled name."""
    podcast = proposal.podcast
    subject = f"“{proposal.wrong}”"
    # No catalog depends on a dismissal, so no show is locked or resolved.
    with open_change_recorder(
        user, "dismiss", subject, row_history_key(podcast), podcasts=[]
    ) as recorder:
        recorder.store_decision_and_end_earlier(
            DISMISSAL_KIND,
            podcast=podcast,
            key=proposal.wrong,
            field=CORRECT_WORDS,
            value=proposal.right,
            detail=proposal.wrong,  # only for people who read the decision
        )
        recorder.describe("inbox", "open", "not a problem")
