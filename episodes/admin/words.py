"""Corrects words of a transcript: finds them, shows each place, and previews the paragraphs that
change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

from django import forms

from ..curation import (
    WordCorrection,
    correct_words,
    episode_of,
    in_force,
    places_of,
    token,
)
from ..models import Transcript
from .action import Unavailable, Words
from .base import page_of, said_in
from .episode import EpisodeAction

EVERYWHERE = "everywhere"
MOST_PLACES = 200


class WordsForm(forms.Form):
    """The right words, and the places that get them."""

    right = forms.CharField(label="Right words", max_length=200)
    place = forms.ChoiceField(label="Where", widget=forms.RadioSelect)

    def __init__(self, *args: Any, places: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["place"]
        field.choices = places.items()
        self.initial["place"] = next(iter(places), "")


class WordsView(EpisodeAction):
    """Gives words of an episode's transcript a curator's own, in one place or wherever they are
    said."""

    form_class = WordsForm
    template_name = "admin/curation/words.html"
    title = "Correct words of {view.episode.heading}"
    done = "Corrected. New versions of the transcript keep it."

    def prepare(self) -> None:
        super().prepare()
        self.cues = cues_of(self.episode)
        if not self.cues:
            raise Unavailable(page_of(self.episode), "This episode has no transcript.")
        self.wrong = " ".join(said_in(self.request, "wrong").split())
        self.initial = {"right": said_in(self.request, "right")}
        # Places with the same words around them are corrected together.
        self.places: defaultdict[WordCorrection, list[int]] = defaultdict(list)
        for paragraph, one in places_of(self.cues, self.wrong) if self.wrong else ():
            self.places[one].append(paragraph)

    def get_form_kwargs(self) -> dict[str, Any]:
        here = {str(number): place_label(*one) for number, one in enumerate(self.places.items())}
        count = sum(map(len, self.places.values()))
        everywhere = {EVERYWHERE: f"Everywhere in this transcript ({count} places)"}
        shown = dict(islice(here.items(), MOST_PLACES))
        return {
            **super().get_form_kwargs(),
            "places": shown | (everywhere if len(here) > 1 else {}),
        }

    def act(self) -> None:
        right, place = (self.form.cleaned_data[name] for name in ("right", "place"))
        one = WordCorrection("", self.wrong, "")
        if place != EVERYWHERE:
            one = [*self.places][int(place)]
        correction = WordCorrection(one.before, one.wrong, one.after, " ".join(right.split()))
        correct_words(self.request.user, self.episode, correction, **self.how)

    def look(self) -> Words:
        """The paragraphs of the transcript."""
        cues = cues_of(episode_of(self.item))
        return {(f"Paragraph {n}", ""): str(said) for n, (_, _, said) in enumerate(cues, 1)}

    def context(self) -> dict[str, Any]:
        lost = Transcript.objects.get(episode=self.episode).lost
        corrections = [
            (row, [row.key, row.value] in lost) for row in in_force(self.episode, "words")
        ]
        return {
            "episode": self.episode,
            "seen": token(self.episode),
            "wrong": self.wrong,
            "places": self.places,
            "corrections": corrections,
        }


def place_label(place: WordCorrection, paragraphs: Sequence[int]) -> str:
    """A place of words in words; several places where the words around them are the same."""
    where = ", ".join(map(str, paragraphs))
    several = f"s {where} ({len(paragraphs)} places)" if len(paragraphs) > 1 else f" {where}"
    return f"Paragraph{several}: …{place.before}[{place.wrong}]{place.after}…"


def cues_of(episode: Any) -> Sequence[Sequence[Any]]:
    """The paragraphs of the transcript of an episode as it is now."""
    row = Transcript.objects.filter(episode=episode).first()
    return row.cues if row else ()
