"""The fields of an episode as its form shows them: the value, what every source says, who locked
it, what changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.safestring import SafeString

from ..curation import Impossible, clean, holder_of, in_force, trouble_with_address
from ..fields import EPISODE_TYPE, EXPLICIT, NOTES, OVERRIDABLE, TYPES, Field
from ..models import Attachment, Decision, Episode, WithdrawnEntry
from ..records import EntryData
from . import upstream
from .upstream import SourceChange

Words = tuple[Attachment | WithdrawnEntry, EntryData]
TALL, LOW = 9, 4  # lines of the box of a long text
SHORT = 200  # characters
CHOICES = {EPISODE_TYPE: TYPES, EXPLICIT: ("yes", "no")}


@dataclass(frozen=True)
class SourceValue:
    """A value that some sources give, and the entry to take it from."""

    value: str
    words: str
    sources: str
    entry: int
    is_shown: bool
    cut: bool


@dataclass
class FormField:
    """One field of the form."""

    field: Field[Any]
    shown: str
    typed: str
    words: str
    values: list[SourceValue]
    lock: Decision | None = None
    moved: Sequence[SourceChange] = ()
    error: str = ""
    holder: Episode | None = None  # of the address that was typed

    @property
    def unsaved(self) -> bool:
        return normal(self.typed) != normal(self.shown)

    @property
    def input(self) -> SafeString:
        """The input with what was typed, and beside it the value that the form had shown."""
        name, widget = self.field.name, widget_of(self.field, self.typed)
        hidden = forms.HiddenInput().render(f"initial-{name}", self.shown)
        return hidden + widget.render(name, self.typed, {"id": f"id_{name}"})

    @property
    def readonly(self) -> SafeString:
        """The value for somebody who may not change it."""
        widget = forms.Textarea({"rows": LOW}) if self.field.long else forms.TextInput()
        return widget.render(
            self.field.name, self.typed, {"id": f"id_{self.field.name}", "readonly": True}
        )


def widget_of(field: Field[Any], value: str = "") -> forms.Widget:
    """The input of a field: a list where its values are few."""
    if field in CHOICES:
        return forms.Select(choices=[("", "not known"), *((one, one) for one in CHOICES[field])])
    if field.long:
        return forms.Textarea({"rows": TALL if len(value) > SHORT else LOW})
    return forms.TextInput({"data-picker": field.picker} if field.picker else None)


class ValueField(forms.CharField):
    """A value of a field of an episode, typed in any way that `curation.clean` understands."""

    def __init__(self, field: Field[Any], **kwargs: Any) -> None:
        longest = 200_000 if field.long else 2000
        super().__init__(max_length=longest, widget=widget_of(field), **kwargs)
        self.name = field.name

    def has_changed(self, initial: Any, data: Any) -> bool:
        return data is not None and normal(initial or "") != normal(data)

    def clean(self, value: Any) -> str:
        typed = str(super().clean(value))
        try:
            clean(self.name, typed)
        except Impossible as refusal:
            raise ValidationError(str(refusal)) from None
        return typed


class ValuesForm(forms.Form):
    """The fields of an episode; changed are those that differ from what the form had shown,
    whatever a source says meanwhile."""

    def __init__(self, data: Mapping[str, str], episode: Episode) -> None:
        super().__init__(data)
        for field in OVERRIDABLE:
            shown, was = field.in_form(episode), f"initial-{field.name}" in data
            self.fields[field.name] = ValueField(field, initial=shown, show_hidden_initial=was)

    def typed(self) -> dict[str, str]:
        return {name: normal(str(self.data[name])) for name in self.changed_data}


def normal(value: str) -> str:
    return value.replace("\r\n", "\n").replace("\0", "").strip()


def rows(episode: Episode, entries: Sequence[Words], typed: Mapping[str, str]) -> list[FormField]:
    locks = {row.field: row for row in in_force(episode, "value")}
    own = Decision.objects.filter(pk__in=[lock.pk for lock in locks.values()])
    moved = upstream.changed(own)
    return [
        FormField(
            field=field,
            shown=field.in_form(episode),
            typed=typed.get(field.name, field.in_form(episode)),
            words=_worded(field, episode),
            values=source_values(field, field.shown(episode), entries),
            lock=lock,
            moved=moved.get(lock.pk, []) if lock else [],
            error=trouble(episode, field.name, typed[field.name]) if field.name in typed else "",
            holder=_holder(episode, typed.get("slug", "")) if field.name == "slug" else None,
        )
        for field, lock in ((field, locks.get(field.name)) for field in OVERRIDABLE)
    ]


def _worded(field: Field[Any], episode: Episode) -> str:
    """The value in words, where those say more than it does itself."""
    value = field.of(episode)
    return "" if value is None else field.worded(value)


def source_values(field: Field[Any], value: str, entries: Sequence[Words]) -> list[SourceValue]:
    """The values that sources give a field, each once, by rank."""
    values: dict[str, list[Words]] = {}
    for attachment, words in entries:
        values.setdefault(field.text_in(words), []).append((attachment, words))
    values.pop("", None)
    return [
        SourceValue(
            given,
            field.words(given),
            ", ".join(dict.fromkeys(a.item.document.source.heading for a, _ in who)),
            who[0][0].item_id,
            normal(given) == normal(value),
            field is NOTES and all(words.cut for _, words in who),
        )
        for given, who in values.items()
    ]


def _holder(episode: Episode, typed: str) -> Episode | None:
    """The other episode of the show that has the address."""
    holder = holder_of(typed)
    return (
        holder
        if holder and holder.pk != episode.pk and holder.podcast_id == episode.podcast_id
        else None
    )


def trouble(episode: Episode, name: str, value: str) -> str:
    """The reason why a field of the episode cannot have a value; "" where it can."""
    try:
        clean(name, value)
    except Impossible as refusal:
        return str(refusal)
    return trouble_with_address(value, episode.podcast, [episode]) if name == "slug" else ""
