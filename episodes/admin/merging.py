"""Merging two episodes and splitting one, each field of a merge with a choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.http import urlencode

from ..curation import episode_of, merge, move, split, token
from ..fields import OVERRIDABLE
from ..models import Episode, Item
from ..text.formatting import counted
from .base import page_of
from .episode import EpisodeAction, EpisodeSummary, entries_of
from .finding import EpisodeField, near


@dataclass(frozen=True)
class FieldChoice:
    """A field of both episodes and of the merged one."""

    name: str
    label: str
    one: str
    other: str
    result: str
    differs: bool


def choices(
    one: EpisodeSummary, other: EpisodeSummary, merged: EpisodeSummary
) -> list[FieldChoice]:
    return [
        FieldChoice(
            field.name,
            field.label,
            field.words(one.values[field.name]),
            field.words(other.values[field.name]),
            field.words(merged.values[field.name]),
            one.values[field.name] != other.values[field.name],
        )
        for field in OVERRIDABLE
    ]


class OtherEpisodeForm(forms.Form):
    """Names another episode of the same show."""

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["with"] = EpisodeField(episode.podcast, episode, required=False)

    @property
    def matches(self) -> list[Episode]:
        field: Any = self.fields["with"]
        return list(field.matches)


class MergeForm(OtherEpisodeForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["with"].required = True
        sides = [("one", ""), ("other", "")]
        for field in OVERRIDABLE:
            self.fields[f"of_{field.name}"] = forms.ChoiceField(choices=sides, required=False)

    def values(self, **sides: Episode) -> dict[str, str]:
        """The fields that are taken from one side."""
        chosen = ((field, self.cleaned_data[f"of_{field.name}"]) for field in OVERRIDABLE)
        return {field.name: field.shown(sides[side]) for field, side in chosen if side}


class MergeView(EpisodeAction):
    """Finds the other episode, shows the merged one beside both, and takes each field from where
    the curator says."""

    form_class = MergeForm
    template_name = "admin/curation/merge.html"
    title = "Merge {view.episode.heading}"
    done = (
        "“{view.episode.heading}” and “{view.form.cleaned_data[with].heading}” are one episode now. "
        "Both addresses lead here; undo it below."
    )
    filled_by_address = "with"

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "episode": self.episode}

    def act(self) -> None:
        one, other = self.episode, self.form.cleaned_data["with"]
        values = self.form.values(one=one, other=other)
        merge(self.request.user, one, other, values, seen=self.seen, reason=self.reason)

    @cached_property
    def items(self) -> list[Item]:
        return [
            entries_of(episode)[0][0].item
            for episode in (self.episode, self.form.cleaned_data["with"])
        ]

    def compare(self, before: list[EpisodeSummary], after: list[EpisodeSummary]) -> dict[str, Any]:
        (one, other), merged = before, after[0]
        return {
            "left": one,
            "right": other,
            "result": merged,
            "choices": choices(one, other, merged),
        }

    def context(self) -> dict[str, Any]:
        one, other = self.episode, getattr(self.form, "cleaned_data", {}).get("with")
        if other is not None:
            return {"one": one, "other": other, "seen": [token(one), token(other)]}
        return {"one": one, "results": self.form.matches or near(one)}


class SplitForm(OtherEpisodeForm):
    items = forms.MultipleChoiceField(
        error_messages={"required": "Select the entries that belong elsewhere."}
    )


class SplitView(EpisodeAction):
    """Makes some of an episode's entries a new episode, or entries of another one, and shows both
    before."""

    form_class = SplitForm
    template_name = "admin/curation/split.html"
    title = "Split or move entries of {view.episode.heading}"
    done = "Split."
    filled_by_address = "items"
    seen_fields = ("token",)

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "episode": self.episode}

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        form.fields["items"].choices = [
            (str(attachment.item_id), "") for attachment, _ in self.entries
        ]
        return form

    @property
    def target(self) -> Episode | None:
        """The episode that the entries go to; None for a new one."""
        return getattr(self.form, "cleaned_data", {}).get("with")

    @property
    def chosen(self) -> list[Item]:
        sent = self.request.POST if self.request.method == "POST" else self.request.GET
        ids = set(sent.getlist("items"))
        return [attachment.item for attachment, _ in self.entries if str(attachment.item_id) in ids]

    @cached_property
    def items(self) -> list[Item]:
        away = self.chosen
        stay = [attachment.item for attachment, _ in self.entries if attachment.item not in away]
        return [*stay[:1], *away[:1]]

    def act(self) -> None:
        how = {"seen": self.seen_first, "reason": self.reason}
        if self.target:
            move(self.request.user, self.episode, self.chosen, self.target, **how)
        else:
            split(self.request.user, self.episode, self.chosen, **how)
        self.item = self.items[0]

    def done_message(self) -> str:
        found = episode_of(self.items[1])
        assert found is not None, "its entry was just given one"
        what = (
            f"Moved {counted(len(self.chosen), 'entry', 'entries')} to"
            if self.target
            else "Split. New episode:"
        )
        return format_html('{} <a href="{}">{}</a>.', what, page_of(found), found.heading)

    def context(self) -> dict[str, Any]:
        return {
            "episode": self.episode,
            "entries": self.entries,
            "chosen": {item.pk for item in self.chosen},
            "token": token(self.episode),
            "matches": self.form.matches,
            "asked": urlencode([("items", item.pk) for item in self.chosen]),
            "target": self.target,
            "second": "Moved to" if self.target else "New episode",
        }
