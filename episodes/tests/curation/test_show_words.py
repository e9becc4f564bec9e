"""Words that are corrected in all transcripts of a show, those to come included."""

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.core.management import call_command

from episodes.curation import (
    InvalidChange,
    WordCorrection,
    correct_show_words,
    correct_transcript_words,
    find_words_to_correct_or_raise,
    override_fields,
    undo_change,
)
from episodes.models import Change, Decision, Podcast, Transcript

from .test_words import SAID, Bring, bring, first, ladders, shown

__all__ = ["bring"]

JACQUARD = WordCorrection.of_show("jackard", "Jacquard")
RIGHT = SAID.replace("jackard", "Jacquard")


def show() -> Podcast:
    return Podcast.objects.get()


def test_words_of_show_hold_in_later_transcripts(bring: Bring, curator: User) -> None:
    correct_show_words(curator, show(), JACQUARD, reason="a name")
    assert shown() == RIGHT
    bring("Quite another talk.")
    assert Transcript.objects.get().lost == []
    bring("A Jackard at last.")
    assert shown() == "A Jacquard at last."
    call_command("rebuild", verbosity=0)
    assert shown() == "A Jacquard at last."
    change = Change.objects.get()
    assert (change.told, change.reason) == ([["all transcripts", "jackard", "Jacquard"]], "a name")
    undo_change(curator, change)
    assert shown() == "A Jackard at last."


def test_capital_letter_is_matched_exactly(bring: Bring, curator: User) -> None:
    bring("The Pirate project has no pirate.")
    correct_show_words(curator, show(), WordCorrection.of_show("Pirate", "PyTorch"))
    assert shown() == "The PyTorch project has no pirate."


def test_corrections_apply_in_their_order(bring: Bring, curator: User) -> None:
    correct_transcript_words(curator, ladders(), first("Jackard"))
    correct_show_words(curator, show(), JACQUARD)
    assert shown() == RIGHT
    last_word = WordCorrection("and then a ", "Jacquard", " loom there.", "jackard")
    correct_transcript_words(curator, ladders(), last_word)
    assert shown() == SAID.replace("jackard", "Jacquard", 1)
    undo_change(curator, Change.objects.get(told=[["all transcripts", "jackard", "Jacquard"]]))
    assert shown() == SAID.replace("jackard", "Jackard", 1)
    assert Transcript.objects.get().lost == [[last_word.key, "jackard"]]


def test_places_have_their_time_and_sound(bring: Bring, curator: User) -> None:
    assert [place.sound_address for place in find_words_to_correct_or_raise(show(), JACQUARD)] == ["", ""]
    override_fields(curator, ladders(), {"audio_url": "https://cdn.example/1.mp3"})
    left, right = find_words_to_correct_or_raise(show(), JACQUARD)
    assert (left.before, left.words, left.after[:12]) == ("We use the ", "jackard", " loom here, ")
    assert (left.paragraph, left.time, right.time) == (1, "0:00", "0:02")
    assert right.address == f"{ladders().get_absolute_url()}?t=2#moment"
    assert right.sound_address == "https://cdn.example/1.mp3#t=0,10"


@pytest.mark.parametrize(
    "wrong, right, reason",
    [
        ("zebra", "Zebra", "No transcript of Small Talks has “zebra”."),
        ("jackard", "jackard", "Type the right words"),
        ("jackard", "", "Type the right words"),
        ("loom", "Loom", "“loom” is corrected already. Undo that first."),
    ],
)
def test_impossible_correction_is_refused(bring: Bring, curator: User, wrong: str, right: str, reason: str) -> None:
    correct_show_words(curator, show(), WordCorrection.of_show("loom", "Loom"))
    with pytest.raises(InvalidChange, match=reason):
        correct_show_words(curator, show(), WordCorrection.of_show(wrong, right))
    assert Decision.objects.count() == 1


def test_viewers_may_not_correct(bring: Bring, viewer: User) -> None:
    with pytest.raises(PermissionDenied):
        correct_show_words(viewer, show(), JACQUARD)
    assert shown() == SAID
