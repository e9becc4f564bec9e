"""The fields of an episode as its form shows them: the value, what every source says, who locked
it, what changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..curation import Impossible, clean, holder_of, in_force, trouble_with_address
from ..fields import NOTES, OVERRIDABLE, Field
from ..models import Attachment, Decision, Episode, WithdrawnEntry
from ..records import EntryData
from . import upstream
from .upstream import SourceChange

Words = tuple[Attachment | WithdrawnEntry, EntryData]
TALL, LOW = 9, 4
SHORT = 200  # characters


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
    def was(self) -> str:
        return digest(self.shown)

    @property
    def height(self) -> int:
        """Lines of the box of a long text."""
        return TALL if len(self.typed) > SHORT else LOW

    @property
    def unsaved(self) -> bool:
        return normal(self.typed) != normal(self.shown)


def normal(value: str) -> str:
    return value.replace("\r\n", "\n").replace("\0", "").strip()


def digest(value: str) -> str:
    """Fingerprint of a value in the form: tells what was typed from what a source changed in the
    meantime."""
    return sha256(normal(value).encode("utf-8", "replace")).hexdigest()[:12]


def typed_in(episode: Episode, form: Mapping[str, str]) -> dict[str, str]:
    """The fields that differ from what the form had shown."""
    there = {field: form[field.name] for field in OVERRIDABLE if field.name in form}
    return {
        field.name: normal(value)
        for field, value in there.items()
        if digest(value) != (form.get(f"was_{field.name}") or digest(field.in_form(episode)))
    }


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
