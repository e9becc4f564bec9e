"""The fields of an episode as its form shows them: the value, what every source says, who locked it, what changed since."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from ..curation import Impossible, trouble_with_address
from ..curation.verbs import clean, in_force, shown
from ..models import Attachment, Episode, Override
from ..records import EntryData
from ..views.episode.provenance import in_words
from . import upstream
from .upstream import UpstreamValues, said_as

LABELS = {
    "title": ("Title", ""),
    "number": ("Number", "Decides the order of the show."),
    "published": ("Published", "A day (2021-08-18) or an instant (2021-08-18T13:00:00Z)."),
    "duration_seconds": ("Length in seconds", ""),
    "description_text": ("Notes", ""),
    "slug": ("Address", "Follows the title until it is set here; old addresses go on leading here."),
    "url": ("Page", "The pages of directories are never used by themselves."),
    "audio_url": ("Audio", ""),
}
Words = tuple[Attachment, EntryData]


@dataclass(frozen=True)
class Saying:
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

    name: str
    label: str
    hint: str
    shown: str
    typed: str
    words: str
    sayings: list[Saying]
    lock: Override | None = None
    moved: list[UpstreamValues] = field(default_factory=list)
    error: str = ""

    @property
    def was(self) -> str:
        return digest(self.shown)

    @property
    def unsaved(self) -> bool:
        return normal(self.typed) != normal(self.shown)


def normal(value: str) -> str:
    return value.replace("\r\n", "\n").replace("\0", "").strip()


def digest(value: str) -> str:
    """What the form carries to learn what was typed, whatever a source said in the meantime."""
    return sha256(normal(value).encode("utf-8", "replace")).hexdigest()[:12]


def typed_in(episode: Episode, form: Mapping[str, str]) -> dict[str, str]:
    """The fields that differ from what the form had shown."""
    there = {name: form[name] for name in LABELS if name in form}
    return {
        name: normal(value)
        for name, value in there.items()
        if digest(value) != (form.get(f"was_{name}") or digest(shown(episode, name)))
    }


def rows(episode: Episode, entries: Sequence[Words], typed: Mapping[str, str]) -> list[FormField]:
    locks = {row.field: row for row in in_force(Override, episode)}
    moved = upstream.changed(locks.values())
    found = []
    for name, (label, hint) in LABELS.items():
        value, lock = shown(episode, name), locks.get(name)
        row = FormField(
            name, label, hint, value, typed.get(name, value), _worded(name, value), said(episode, name, value, entries)
        )
        row.lock, row.moved = lock, moved.get(lock.pk, []) if lock else []
        row.error = trouble(episode, name, typed[name]) if name in typed else ""
        found.append(row)
    return found


def _worded(name: str, value: str) -> str:
    """The value in words, where those say more than it does itself."""
    return in_words(name, value) if value and name in ("published", "duration_seconds") else ""


def said(episode: Episode, name: str, value: str, entries: Sequence[Words]) -> list[Saying]:
    """What sources say of a field, each value once, as they rank."""
    known = episode.provenance.get(name) or {}
    agree = set() if known.get("locked") else set(known.get("agree", ()))
    values: dict[str, list[tuple[Attachment, EntryData]]] = {}
    for attachment, words in entries:
        if given := saying(episode, name, attachment.item.document.source.slug, words):
            values.setdefault(given, []).append((attachment, words))
    return [
        Saying(
            given,
            in_words(name, given),
            ", ".join(dict.fromkeys(a.item.document.source.slug for a, _ in who)),
            who[0][0].item_id,
            normal(given) == normal(value) or any(a.item.document.source.slug in agree for a, _ in who),
            name == "description_text" and all(words.cut for _, words in who),
        )
        for given, who in values.items()
    ]


def saying(episode: Episode, name: str, source: str, words: EntryData) -> str:
    """What an entry says of a field. Of its notes the catalog knows the plain text; a source may give markup alone."""
    if name != "description_text":
        return said_as(name, words)
    known = episode.provenance.get(name) or {}
    if source in known.get("agree", ()):
        return shown(episode, name)
    others = (str(text) for text, sources in known.get("others", ()) if source in sources)
    return next(others, said_as(name, words))


def trouble(episode: Episode, name: str, value: str) -> str:
    """Why a value is none for this field of the episode; "" where it is one."""
    try:
        clean(name, value)
    except Impossible as refusal:
        return str(refusal)
    return trouble_with_address(value, episode.podcast, [episode]) if name == "slug" else ""
