"""Merges two episodes, splits one, takes one out of the catalog, and corrects words of its
transcript."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django import forms
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import format_html

from ..curation import (
    REPLACED,
    WordCorrection,
    correct_words,
    episode_of,
    in_force,
    led_to,
    merge,
    places_of,
    split,
    take_out,
    token,
)
from ..fields import OVERRIDABLE
from ..models import (
    TAKEN_OUT,
    Episode,
    Item,
    LearningPath,
    Podcast,
    Transcript,
    former_owners,
    routes,
)
from ..text.formatting import counted
from .action import Unavailable, Words
from .base import page_of
from .episode import EpisodeAction, EpisodeField, OtherForm, entries_of, facts

EVERYWHERE = "everywhere"
MOST_PLACES = 200


# --- Merge -------------------------------------------------------------------------------------


class MergeForm(OtherForm):
    other = EpisodeField(label="the other episode")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sides = [("one", ""), ("other", "")]
        for field in OVERRIDABLE:
            self.fields[f"of_{field.name}"] = forms.ChoiceField(choices=sides, required=False)


class MergeView(EpisodeAction):
    """Shows the merged episode beside both, and takes each field from where the curator says."""

    form_class = MergeForm
    template_name = "admin/curation/merge.html"
    title = "Merge {view.episode.heading}"
    done = (
        "“{view.episode.heading}” and “{view.form.cleaned_data[other].heading}” are one episode "
        "now. Both addresses lead here; undo it below."
    )
    filled_by_address = "other"

    @cached_property
    def items(self) -> Sequence[Item | None]:
        return [self.item, entries_of(self.form.cleaned_data["other"])[0][0].item]

    def act(self) -> None:
        given = self.form.cleaned_data
        sides = {"one": self.episode, "other": given["other"]}
        chosen = ((field, given[f"of_{field.name}"]) for field in OVERRIDABLE)
        values = {field.name: field.shown(sides[side]) for field, side in chosen if side}
        merge(self.request.user, self.episode, given["other"], values, **self.how)

    def look(self) -> list[dict[str, str]]:
        return [facts(episode) for item in self.items if (episode := episode_of(item))]

    def compare(self, before: Any, after: Any) -> dict[str, Any]:
        (one, other), merged = before, after[0]
        names = {field.label: field.name for field in OVERRIDABLE}
        choices = [
            (names.get(label, ""), label, one[label], other[label], words)
            for label, words in merged.items()
        ]
        return {"choices": choices}

    def context(self) -> dict[str, Any]:
        other = getattr(self.form, "cleaned_data", {}).get("other")
        seen = " ".join(token(one) for one in (self.episode, other) if one)
        return {"one": self.episode, "other": other, "seen": seen}


# --- Split -------------------------------------------------------------------------------------


class SplitForm(OtherForm):
    field_order = ("items",)
    items = forms.MultipleChoiceField(
        label="Entries that belong to a different episode",
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": "Select the entries that belong elsewhere."},
    )
    other = EpisodeField(label="to (empty: a new episode)", required=False)

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, episode=episode, **kwargs)
        field: Any = self.fields["items"]
        field.choices = [
            (row.item_id, f"{row.item.document.source.heading}: {said.title or said.text[:100]}")
            for row, said in entries_of(episode)
        ]


class SplitView(EpisodeAction):
    """Makes some of an episode's entries a new episode, or entries of another one, and shows both
    before."""

    form_class = SplitForm
    title = "Split or move entries of {view.episode.heading}"
    done = "Split."
    filled_by_address = "items"
    parts = ("What stays: ", "What moves: ")

    @property
    def chosen(self) -> list[Item]:
        ids = self.form.cleaned_data["items"]
        return [row.item for row, _ in self.entries if str(row.item_id) in ids]

    @cached_property
    def items(self) -> Sequence[Item | None]:
        stay = [row.item for row, _ in self.entries if row.item not in self.chosen]
        return [next(iter(stay), None), self.chosen[0]]

    def act(self) -> None:
        target = self.form.cleaned_data["other"]
        split(self.request.user, self.episode, self.chosen, target, **self.how)
        self.item = self.items[0]

    def done_message(self) -> str:
        found = episode_of(self.items[1])
        assert found is not None, "its entry was just given one"
        moved = f"Moved {counted(len(self.chosen), 'entry', 'entries')} to"
        what = moved if self.form.cleaned_data["other"] else "Split. New episode:"
        return format_html('{} <a href="{}">{}</a>.', what, page_of(found), found.heading)


# --- Take out ----------------------------------------------------------------------------------


def appearances(podcast: Podcast, slug: str) -> Words:
    """The words about an episode at each place where readers meet it."""
    shown = Episode.objects.filter(podcast=podcast)
    found = {
        (reverse("episode", args=(slug,)), ""): answer(slug),
        (f"Episodes of {podcast}", ""): str(shown.count()),
    }
    for episode in shown.filter(slug=slug):
        named = (*episode.topics.all(), *episode.people.all())
        found |= {(f"Page of {one}", ""): "lists it" for one in named}
    for route in routes(LearningPath.objects.all()):
        if slug in {step.episode for step in route.path.kept}:
            found[f"Path {route.path}", ""] = counted(len(route.parts), "step", "steps")
    return found


def answer(slug: str) -> str:
    """The answer of an address, in words."""
    episode = led_to(slug)
    if episode is None:
        return "“This page was removed” (410)" if former_owners([slug]) else "not found"
    path = episode.get_absolute_url()
    return "shows it" if episode.slug == slug else f"redirects to {path}"


class TakeOutForm(OtherForm):
    field_order = ("kind",)
    kind = forms.ChoiceField(label="As", choices=[*TAKEN_OUT.items()], widget=forms.RadioSelect)
    other = EpisodeField(label="replaced by", required=False)

    def clean(self) -> None:
        given = self.cleaned_data
        if given.get("kind") == REPLACED and not given.get("other") and not self.errors:
            self.add_error("other", "Name the other episode.")


class TakeOutView(EpisodeAction):
    """Takes an episode out, and shows before where readers miss it."""

    form_class = TakeOutForm
    title = "Take out {view.episode.heading}"
    explanation = (
        "“Not an episode” is for adverts, trailers of other shows and test uploads; “Hidden” hides "
        "it from readers; replaced, its addresses redirect to the other episode. Sources cannot "
        "bring it back; you can, at any time."
    )
    done = (
        "“{view.episode.heading}” was taken out: {view.label}. "
        "Sources cannot bring it back; you can."
    )
    filled_by_address = "kind"

    @property
    def label(self) -> str:
        return TAKEN_OUT[self.form.cleaned_data["kind"]].lower()

    def act(self) -> None:
        given = self.form.cleaned_data
        take_out(self.request.user, self.episode, given["kind"], given["other"], **self.how)

    def look(self) -> Words:
        return appearances(self.episode.podcast, self.episode.slug)


# --- Words of the transcript -------------------------------------------------------------------


def cues_of(episode: Any) -> Sequence[Sequence[Any]]:
    """The paragraphs of the transcript of an episode as it is now."""
    row = Transcript.objects.filter(episode=episode).first()
    return row.cues if row else ()


def place_label(place: WordCorrection, paragraphs: Sequence[int]) -> str:
    """A place of words in words; several places where the words around them are the same."""
    where = ", ".join(map(str, paragraphs))
    several = f"s {where} ({len(paragraphs)} places)" if len(paragraphs) > 1 else f" {where}"
    return f"Paragraph{several}: …{place.before}[{place.wrong}]{place.after}…"


class WordsForm(forms.Form):
    """Words of the transcript, the right ones, and the place that gets them, once they are found
    in several."""

    wrong = forms.CharField(label="Wrong words", max_length=200)
    right = forms.CharField(label="Right words", max_length=200)
    place = forms.ChoiceField(label="Where", widget=forms.RadioSelect, required=False)

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        words = " ".join(str(self.data.get("wrong", "")).replace("\0", "").split())
        # Places with the same words around them are corrected together.
        places: defaultdict[WordCorrection, list[int]] = defaultdict(list)
        for paragraph, one in places_of(cues_of(episode), words) if words else ():
            places[one].append(paragraph)
        self.places = {str(number): one for number, one in enumerate(places)}
        labels = [place_label(*one) for one in places.items()][:MOST_PLACES]
        choices = [(str(number), label) for number, label in enumerate(labels)]
        if len(places) > 1:
            count = sum(map(len, places.values()))
            choices.append((EVERYWHERE, f"Everywhere in this transcript ({count} places)"))
            self.places[EVERYWHERE] = WordCorrection("", words, "")
        field: Any = self.fields["place"]
        field.choices = choices

    def clean(self) -> dict[str, Any]:
        """With the correction of the place that was chosen, or the only one."""
        given = self.cleaned_data
        place = given.get("place") or ("0" if len(self.places) == 1 else "")
        if not self.places:
            self.add_error("wrong", "The transcript does not have these words, spelled like this.")
        elif not place:
            self.add_error("place", "Choose where.")
        elif not self.errors:
            found, right = self.places[place], " ".join(given["right"].split())
            given["one"] = WordCorrection(found.before, found.wrong, found.after, right)
        return given


class WordsView(EpisodeAction):
    """Gives words of an episode's transcript a curator's own, in one place or wherever they are
    said."""

    form_class = WordsForm
    template_name = "admin/curation/words.html"
    title = "Correct words of {view.episode.heading}"
    done = "Corrected. New versions of the transcript keep it."
    filled_by_address = "wrong"

    def prepare(self) -> None:
        super().prepare()
        if not cues_of(self.episode):
            raise Unavailable(page_of(self.episode), "This episode has no transcript.")

    def act(self) -> None:
        correct_words(self.request.user, self.episode, self.form.cleaned_data["one"], **self.how)

    def look(self) -> Words:
        """The paragraphs of the transcript."""
        cues = cues_of(episode_of(self.item))
        return {(f"Paragraph {n}", ""): str(said) for n, (_, _, said) in enumerate(cues, 1)}

    def context(self) -> dict[str, Any]:
        lost = Transcript.objects.get(episode=self.episode).lost
        rows = in_force(self.episode, "words")
        corrections = [(row, [row.key, row.value] in lost) for row in rows]
        return {**super().context(), "corrections": corrections}
