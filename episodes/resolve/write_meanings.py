"""Writes the meaning of titles, notes and transcripts, which search compares with the meaning of a query."""

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import NamedTuple

from .. import meaning
from ..models import Episode, EpisodeMeaning, start_new_version
from ..text.fingerprints import fingerprint
from ..text.sentences import sentence_spans
from .sync_rows import Scope

PIECE_LENGTH = 300  # characters of a transcript that get a vector, if they are whole sentences
MAX_SENTENCE_LENGTH = 450  # a longer one is cut: a text without punctuation is one sentence
MAX_PIECES = 500  # of a transcript, some two hours of speech


def delete_stale_meanings(scope: Scope) -> None:
    """Delete vectors of episodes with another title, notes, transcript or topics than the vectors are of. They
    are computed anew in the background."""
    meanings = EpisodeMeaning.objects.filter(**scope)
    stored_fingerprints = dict(meanings.values_list("episode", "fingerprint"))
    episodes = Episode.objects.filter(pk__in=list(stored_fingerprints))
    episodes = episodes.select_related("transcript").prefetch_related("topics")
    columns = ("title", "description_text", "transcript__sha256", "transcript__corrections")
    stale_ids = []
    for episode in episodes.only(*columns):
        if stored_fingerprints[episode.pk] != _fingerprint_of_texts(episode):
            stale_ids.append(episode.pk)
    EpisodeMeaning.objects.filter(episode__in=stale_ids).delete()


def has_missing_meanings() -> bool:
    return meaning.has_encoder() and Episode.objects.filter(meaning=None).exists()


def write_missing_meanings(must_stop: Callable[[], bool] = lambda: False) -> None:
    """Compute the vectors of episodes that have none, in batches. Each batch is its own transaction."""
    if not has_missing_meanings():
        return
    without_meaning = Episode.objects.filter(meaning=None).select_related("transcript")
    without_meaning = without_meaning.prefetch_related("topics")
    while has_missing_meanings() and not must_stop():
        # Without transcripts it takes a fifth of a second, with an hour of speech in each some ten seconds.
        episodes = list(without_meaning.order_by("pk")[:10])
        rows = _build_meaning_rows(episodes)
        # Another process may have encoded them meanwhile.
        EpisodeMeaning.objects.bulk_create(rows, ignore_conflicts=True)
    # Pages with results of searches are cached under a version.
    start_new_version()


def _build_meaning_rows(episodes: Sequence[Episode]) -> list[EpisodeMeaning]:
    texts = [_text_of(episode) for episode in episodes]
    topic_names = [_topic_names_of(episode) for episode in episodes]
    vectors = meaning.encode_texts(texts, topic_names)
    rows = []
    for episode, vector in zip(episodes, vectors, strict=True):
        row = EpisodeMeaning(
            episode=episode,
            vector=vector,
            transcript_signs=meaning.encode_texts_as_sign_bits(_pieces_of_transcript(episode)),
            fingerprint=_fingerprint_of_texts(episode),
        )
        rows.append(row)
    return rows


def _fingerprint_of_texts(episode: Episode) -> str:
    values = [_text_of(episode), _topic_names_of(episode)]
    transcript = getattr(episode, "transcript", None)
    if transcript is not None:
        # Its text follows from its file and the corrected words.
        values += [transcript.sha256, transcript.corrections]
    return fingerprint(*values)


def _text_of(episode: Episode) -> str:
    # What a show says of an episode first. With 800 characters fewer queries found their episode.
    return f"{episode.title}. {episode.description_text[:300]}"


def _topic_names_of(episode: Episode) -> list[str]:
    names = []
    for topic in sorted(episode.topics.all(), key=lambda topic: topic.slug):
        names += [topic.name, *topic.aliases]
    return names


def _pieces_of_transcript(episode: Episode) -> list[str]:
    transcript = getattr(episode, "transcript", None)
    if transcript is None:
        return []
    return split_into_pieces(transcript.text)[:MAX_PIECES]


def split_into_pieces(text: str) -> list[str]:
    """Return the whole text in pieces: as many whole sentences as have PIECE_LENGTH characters together,
    or one longer sentence.

    A sentence of more than MAX_SENTENCE_LENGTH characters is cut between words.
    """
    spans: list[_Span] = []
    for sentence_start, sentence_end in sentence_spans(text):
        if spans and sentence_end - spans[-1].start <= PIECE_LENGTH:
            # The sentence still fits in the last piece.
            spans[-1] = spans[-1]._replace(end=sentence_end)
        else:
            spans.append(_Span(sentence_start, sentence_end))
    pieces = []
    for span in spans:
        # `wrap` cuts a longer text, and returns a list.
        pieces += wrap(text[span.start : span.end], MAX_SENTENCE_LENGTH)
    return pieces


class _Span(NamedTuple):
    """The offsets of a piece in its text."""

    start: int
    end: int
