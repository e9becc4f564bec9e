"""Corrected words of a transcript: shown everywhere, through imports and rebuilds, until somebody ends them."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from episodes.curation import (
    EditConflict,
    InvalidChange,
    WordCorrection,
    correct_transcript_words,
    episode_token,
    iterate_paragraph_numbers_and_corrections,
    merge_episodes,
    run_and_roll_back,
    split_episode,
    undo_change,
)
from episodes.gather import evidence
from episodes.models import Change, Decision, Document, Episode, Transcript
from episodes.records import FetchedDocument
from episodes.resolve import update_catalog

from ..ingest.conftest import take
from ..kept import made_once
from ..tables import cases
from .conftest import feed, small_show

CASES = cases("curation_words")

VTT = "WEBVTT\n\n00:00.000 --> 00:09.000\n{}\n"
SAID = "We use the jackard loom here, and then a jackard loom there."
ADDRESS = "https://files.example/1.vtt"
Bring = Callable[[str], None]


@pytest.fixture
def bring(db: None) -> Bring:
    """Bring a version of the transcript of the episode about ladders; the first is there already."""
    made_once(with_a_transcript)
    return bring_words


def with_a_transcript() -> None:
    small_show()
    named = f'<podcast:transcript url="{ADDRESS}" type="text/vtt"/></item>'
    space = b'version="2.0" xmlns:podcast="https://podcastindex.org/namespace/1.0"'
    body = feed(range(3)).replace(b'version="2.0"', space).split(b"</item>")
    take("feed", b"</item>".join([body[0], body[1] + named.encode()[:-7], *body[2:]]))
    bring_words(SAID)


def bring_words(words: str) -> None:
    document = Document.objects.get(address=ADDRESS)
    evidence.store_companion_file_and_detect_change(
        document, FetchedDocument(VTT.format(words).encode(), ADDRESS), timezone.now()
    )
    update_catalog(document.source.podcast)


def ladders() -> Episode:
    return Episode.objects.get(title__contains="ladders")


def shown() -> str:
    return Transcript.objects.get(episode=ladders()).text


def first(right: str = "Jacquard") -> WordCorrection:
    _, place = next(
        iterate_paragraph_numbers_and_corrections(Transcript.objects.get(episode=ladders()).cues, "jackard")
    )
    return WordCorrection.from_key(place.key, right)


RIGHT = SAID.replace("jackard", "Jacquard", 1)


def test_corrected_words_show_everywhere_at_once(bring: Bring, curator: User, client: Client) -> None:
    correct_transcript_words(curator, ladders(), first(), reason="a name")
    assert shown() == RIGHT
    page = ladders().get_absolute_url()
    assert RIGHT in client.get(page).content.decode()
    assert RIGHT in client.get(f"{page}transcript.vtt").content.decode()
    assert page in client.get("/episodes/", {"q": "jacquard"}).content.decode()
    change = Change.objects.get()
    assert (change.told, change.reason) == ([["transcript", "jackard", "Jacquard"]], "a name")
    undo_change(curator, change)
    assert shown() == SAID
    long = WordCorrection("", "jackard", "", "x" * 200)
    assert run_and_roll_back(lambda: correct_transcript_words(curator, ladders(), long), shown).count("x" * 200) == 2
    assert shown() == SAID


def test_correction_survives_rebuilds_and_imports(bring: Bring, curator: User) -> None:
    correct_transcript_words(curator, ladders(), first())
    call_command("rebuild", verbosity=0)
    assert shown() == RIGHT
    bring(f"Welcome. {SAID}")
    assert shown() == f"Welcome. {RIGHT}"
    bring("Quite another talk.")
    assert (shown(), len(Transcript.objects.get().lost)) == ("Quite another talk.", 1)
    bring(SAID)
    assert (shown(), Transcript.objects.get().lost) == (RIGHT, [])
    bring("Quite another talk.")
    undo_change(curator, Change.objects.latest("pk"))
    assert Transcript.objects.get().lost == []


def test_second_correction_replaces_the_first(bring: Bring, curator: User) -> None:
    place = first()
    correct_transcript_words(curator, ladders(), place)
    undo_change(curator, Change.objects.get())
    correct_transcript_words(curator, ladders(), WordCorrection.from_key(place.key, "Jacquard’s"))
    assert shown() == SAID.replace("jackard", "Jacquard’s", 1)
    assert Decision.objects.filter(ended_at=None).count() == 1


@pytest.mark.parametrize("place, right, why", CASES["what_corrects_nothing_is_refused"])
def test_what_corrects_nothing_is_refused(bring: Bring, curator: User, place: str, right: str, why: str) -> None:
    with pytest.raises(InvalidChange, match=why):
        correct_transcript_words(curator, ladders(), WordCorrection.from_key(place, right))
    assert (shown(), Change.objects.count()) == (SAID, 0)


def test_only_curators_may_and_nobody_overwrites_somebody_else(bring: Bring, curator: User, viewer: User) -> None:
    with pytest.raises(PermissionDenied):
        correct_transcript_words(viewer, ladders(), first())
    seen = episode_token(ladders())
    correct_transcript_words(curator, ladders(), first())
    with pytest.raises(EditConflict):
        correct_transcript_words(curator, ladders(), WordCorrection("", "jackard", "", "Jacquard"), token=seen)


def test_a_correction_goes_where_its_entry_goes(bring: Bring, curator: User) -> None:
    correct_transcript_words(curator, ladders(), first())
    kettles = Episode.objects.get(title__contains="kettles")
    merge_episodes(curator, kettles, ladders(), {})
    assert Transcript.objects.get().text == RIGHT
    whole = Transcript.objects.get().episode
    own = [row.item for row in whole.attachments.all() if "ladders" in row.item.values.title]
    split_episode(curator, whole, own)
    assert (Transcript.objects.get().text, Transcript.objects.get().episode) == (RIGHT, ladders())


def test_lost_correction_is_placed_anew(bring: Bring, curator: User) -> None:
    lost = [
        place
        for _, place in iterate_paragraph_numbers_and_corrections(
            Transcript.objects.get(episode=ladders()).cues, "jackard"
        )
    ]
    for place in lost:
        correct_transcript_words(curator, ladders(), WordCorrection.from_key(place.key, "Jacquard"))
    correct_transcript_words(curator, ladders(), WordCorrection("", "then", "", "later"))
    bring("Quite another jackard talk.")
    assert len(Transcript.objects.get().lost) == 3
    for right, left in (("Jacquards", 3), ("Jacquard", 2)):  # other words are another correction
        correct_transcript_words(curator, ladders(), first(right))
        assert shown() == f"Quite another {right} talk."
        assert len(Transcript.objects.get().lost) == left
        undo_change(curator, Change.objects.latest("pk"))
        assert len(Transcript.objects.get().lost) == 3
