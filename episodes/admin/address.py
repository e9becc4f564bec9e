"""Gives an episode the address of another one: exchanged, or with a new address for the other."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.functional import cached_property

from ..curation import episode_of, take_address, token
from ..models import Episode, Item
from .episode import EpisodeAction, entries_of
from .finding import EpisodeField


class ExchangeForm(forms.Form):
    holder = EpisodeField()
    address = forms.CharField(required=False, max_length=255)


class AddressView(EpisodeAction):
    """Shows both episodes with their addresses before and after."""

    form_class = ExchangeForm
    template_name = "admin/curation/address.html"
    title = "Address of {view.episode.heading}"
    done = "Both addresses were set. Undo it below."
    filled_by_address = "holder"
    viewers_may_look = False

    @property
    def holder(self) -> Episode:
        holder: Episode = self.form.cleaned_data["holder"]
        return holder

    @cached_property
    def items(self) -> list[Item]:
        return [entries_of(episode)[0][0].item for episode in (self.episode, self.holder)]

    def act(self) -> None:
        address = self.form.cleaned_data["address"]
        how = {"seen": self.seen_first, "reason": self.reason}
        take_address(self.request.user, self.episode, self.holder, address, **how)

    def look(self) -> list[Episode]:  # type: ignore[override]
        return [episode for item in self.items if (episode := episode_of(item))]

    def compare(self, before: list[Episode], after: list[Episode]) -> dict[str, Any]:
        return {"rows": list(zip(before, after, strict=True))}

    def context(self) -> dict[str, Any]:
        known = getattr(self.form, "cleaned_data", {})
        return {
            "episode": self.episode,
            "holder": known.get("holder"),
            "address": known.get("address", ""),
            "seen": token(self.episode),
        }
