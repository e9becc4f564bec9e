"""Admin screen of symbols: those that are another one's spelling, and words that are none."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin

from ..curation import Thing
from ..models import CodeMention, CodeName, Episode, Podcast
from .corrections import SCREENS, ThingAdmin, ThingJoinView


class SymbolForm(forms.Form):
    """A symbol has nothing to type: it is another one, or none."""

    def __init__(self, *args: Any, row: CodeName, thing: Thing, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)

    def values(self) -> dict[str, str]:
        return {}


@admin.register(CodeName)
class SymbolAdmin(ThingAdmin):
    kind, key_field = "symbol", "name"
    mentions, column, inner_order = CodeMention, "name", ("name__name",)
    thing_form = SymbolForm
    joins = True
    hide_words = "Not a symbol"
    screens = (*SCREENS, ("merge", "<path:object_id>/merge/", ThingJoinView))
    list_display = ("name", "episode_count")
    search_fields = ("name",)

    def words_hidden(self) -> list[tuple[str, str]]:
        shows = ((str(show), ", ".join(show.show.not_code)) for show in Podcast.objects.all())
        return [(show, words) for show, words in shows if words]

    def worded(self, mention: CodeMention) -> str:
        return mention.name.name

    def said(self, **of: Any) -> list[tuple[Episode, str]]:
        """Each episode and symbol once."""
        return list(dict.fromkeys(super().said(**of)))

    def uses(self, row: CodeName) -> list[tuple[Episode, str]]:
        sentences: dict[int, str] = {}
        for mention in row.mentions.order_by("episode", "field", "position"):
            sentences.setdefault(mention.episode_id, mention.sentence)
        return [(episode, sentences[episode.pk]) for episode, _ in super().uses(row)]
