"""Admin screen of symbols: those that are another one's spelling, and words that are none."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet

from ..curation import Thing
from ..models import CodeMention, CodeName, Episode, Podcast
from .corrections import SCREENS, UNSHOWN, ThingAdmin, ThingJoinView


class SymbolForm(forms.Form):
    """A symbol has nothing to type: it is another one, or none."""

    def __init__(self, *args: Any, row: CodeName, thing: Thing, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    def values(self) -> dict[str, str]:
        return {}


@admin.register(CodeName)
class SymbolAdmin(ThingAdmin):
    kind, key_field = "symbol", "name"
    thing_form = SymbolForm
    joins = True
    hide_words = "Not a symbol"
    screens = (*SCREENS, ("merge", "<path:object_id>/merge/", ThingJoinView))
    list_display = ("name", "episode_count")
    search_fields = ("name",)

    def words_hidden(self) -> list[tuple[str, str]]:
        shows = ((str(show), ", ".join(show.show.not_code)) for show in Podcast.objects.all())
        return [(show, words) for show, words in shows if words]

    def said(self) -> list[tuple[Episode, str]]:
        return self._mentions(CodeMention.objects.all())

    def uses(self, row: CodeName) -> list[tuple[Episode, str]]:
        found = self._mentions(CodeMention.objects.filter(name=row))
        sentences: dict[int, str] = {}
        for mention in CodeMention.objects.filter(name=row).order_by(
            "episode", "field", "position"
        ):
            sentences.setdefault(mention.episode_id, mention.sentence)
        return [(episode, sentences.get(episode.pk, "")) for episode, _ in found]

    def _mentions(self, rows: QuerySet[CodeMention]) -> list[tuple[Episode, str]]:
        """Each episode and symbol once."""
        shown = rows.select_related("episode", "name").defer(
            *(f"episode__{name}" for name in UNSHOWN)
        )
        ordered = shown.order_by("-episode__sorted_at", "episode", "name__name")
        return list({(m.episode_id, m.name_id): (m.episode, m.name.name) for m in ordered}.values())
