"""Merging two episodes and splitting one, each field of a merge with a choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.functional import cached_property
from django.utils.html import format_html
from django.utils.http import urlencode

from ..curation import episode_of, merge, move_entries, split, token
from ..fields import OVERRIDABLE
from ..models import Episode, Item
from ..text.formatting import counted
from .base import page_of
from .episode import EpisodeAction, entries_of, facts
from .finding import EpisodeField, near


class OtherEpisodeForm(forms.Form):
    """Names another episode of the same show."""

    required = False

    def __init__(self, *args: Any, episode: Episode, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        how: Any = {"required": self.required, "label": "the other episode"}
        self.fields["with"] = EpisodeField(episode.podcast, episode, **how)
        self.order_fields(["with"])

    @property
    def other(self) -> Episode | None:
        return getattr(self, "cleaned_data", {}).get("with")

    @property
    def matches(self) -> list[Episode]:
        field: Any = self.fields["with"]
        return list(field.matches)


class PairAction(EpisodeAction):
    """A change of an episode and another one."""

    viewers_may_look = False

    def get_form_kwargs(self) -> dict[str, Any]:
        return {**super().get_form_kwargs(), "episode": self.episode}

    @cached_property
    def items(self) -> Sequence[Item | None]:
        return [entries_of(one)[0][0].item for one in (self.episode, self.form.other)]


class MergeForm(OtherEpisodeForm):
    required = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sides = [("one", ""), ("other", "")]
        for field in OVERRIDABLE:
            self.fields[f"of_{field.name}"] = forms.ChoiceField(choices=sides, required=False)

    def values(self, **sides: Episode) -> dict[str, str]:
        """The fields that are taken from one side."""
        chosen = ((field, self.cleaned_data[f"of_{field.name}"]) for field in OVERRIDABLE)
        return {field.name: field.shown(sides[side]) for field, side in chosen if side}


class MergeView(PairAction):
    """Finds the other episode, shows the merged one beside both, and takes each field from where
    the curator says."""

    form_class = MergeForm
    template_name = "admin/curation/merge.html"
    title = "Merge {view.episode.heading}"
    done = (
        "“{view.episode.heading}” and “{view.form.other.heading}” are one episode now. "
        "Both addresses lead here; undo it below."
    )
    filled_by_address = "with"

    def act(self) -> None:
        one, other = self.episode, self.form.other
        values = self.form.values(one=one, other=other)
        merge(self.request.user, one, other, values, seen=self.seen, reason=self.reason)

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
        one, other = self.episode, self.form.other
        if other is None:
            return {"one": one, "results": self.form.matches or near(one)}
        return {"one": one, "other": other, "seen": [token(one), token(other)]}


class SplitForm(OtherEpisodeForm):
    items = forms.MultipleChoiceField(
        error_messages={"required": "Select the entries that belong elsewhere."}
    )


class SplitView(PairAction):
    """Makes some of an episode's entries a new episode, or entries of another one, and shows both
    before."""

    form_class = SplitForm
    template_name = "admin/curation/split.html"
    title = "Split or move entries of {view.episode.heading}"
    done = "Split."
    filled_by_address = "items"
    parts = ("What stays: ", "What moves: ")

    def get_form(self, form_class: Any = None) -> Any:
        form = super().get_form(form_class)
        form.fields["items"].choices = [(str(row.item_id), "") for row, _ in self.entries]
        sent = self.request.POST if self.request.method == "POST" else self.request.GET
        ids = set(sent.getlist("items"))
        self.chosen = [row.item for row, _ in self.entries if str(row.item_id) in ids]
        return form

    @cached_property
    def items(self) -> Sequence[Item | None]:
        stay = [row.item for row, _ in self.entries if row.item not in self.chosen]
        return [next(iter(stay), None), next(iter(self.chosen), None)]

    def act(self) -> None:
        user, target = self.request.user, self.form.other
        if target:
            move_entries(user, self.episode, self.chosen, target, **self.how)
        else:
            split(user, self.episode, self.chosen, **self.how)
        self.item = self.items[0]

    def done_message(self) -> str:
        found = episode_of(self.items[1])
        assert found is not None, "its entry was just given one"
        moved = f"Moved {counted(len(self.chosen), 'entry', 'entries')} to"
        what = moved if self.form.other else "Split. New episode:"
        return format_html('{} <a href="{}">{}</a>.', what, page_of(found), found.heading)

    def context(self) -> dict[str, Any]:
        return super().context() | {
            "entries": self.entries,
            "chosen": {item.pk for item in self.chosen},
            "matches": self.form.matches,
            "asked": urlencode([("items", item.pk) for item in self.chosen]),
            "target": self.form.other,
        }
