"""A curator's corrections of people, links and symbols: of the thing itself, wherever and whenever
it is named."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256

from django.db.models import Max, QuerySet

from ..models import Change, CodeName, Decision, Link, Person
from ..resolve import link_identity
from .history import Impossible, Recorder, User, changing, check_fresh

NAMES = {"same": "same as", "image": "photo", "url": "web page"}
PLURALS = {"person": "people", "symbol": "symbols"}


@dataclass(frozen=True)
class Thing:
    """Something that corrections are about: its kind and natural key, and what it is called."""

    kind: str
    key: str
    name: str

    @classmethod
    def of(cls, row: Person | Link | CodeName) -> Thing:
        if isinstance(row, Person):
            return cls("person", row.identity, row.name)
        if isinstance(row, Link):
            return cls("link", link_identity(row.key), row.title or row.key)
        return cls("symbol", row.name, row.name)

    @property
    def about(self) -> str:
        """The key of its history."""
        return f"{self.kind}:{sha256(self.key.encode()).hexdigest()[:32]}"

    @property
    def decided(self) -> str:
        """The kind of the decisions that correct it."""
        return f"correct-{self.kind}"

    def corrections(self) -> QuerySet[Decision]:
        """The corrections in force about it."""
        return Decision.objects.in_force(self.decided).filter(key=self.key)

    def others(self) -> QuerySet[Decision]:
        """The decisions in force that others are the same as this one."""
        same = Decision.objects.in_force(self.decided).filter(field="same", value=self.key)
        return same.order_by("detail", "key")


def thing_token(thing: Thing) -> str:
    """Token by which a form notices that a thing was corrected since it was opened, or that it is
    another."""
    last = Change.objects.filter(about=thing.about).aggregate(last=Max("pk"))["last"]
    return sha256(f"{thing.about} {last}".encode()).hexdigest()[:16]


@contextmanager
def _correcting(user: User, verb: str, thing: Thing, seen: str, reason: str) -> Iterator[Recorder]:
    with changing(user, verb, thing.name, thing.about, reason=reason) as record:
        check_fresh(thing.name, seen, thing_token(thing))
        yield record


def correct(
    user: User,
    thing: Thing,
    values: Mapping[str, str],
    *,
    seen: str = "",
    reason: str = "",
) -> None:
    """Give a thing a curator's values, on every page and for every later import. An empty value
    ends a correction.

    Raises:
        Stale: somebody was faster.
    """
    with _correcting(user, f"correct {thing.kind}", thing, seen, reason) as record:
        for field, typed in values.items():
            value = " ".join(typed.replace("\0", "").split())
            before = _put(record, thing, field, value, reason)
            record.tell(NAMES.get(field, field), before, value)


def join(user: User, one: Thing, into: Thing, *, seen: str = "", reason: str = "") -> None:
    """Say that a person or a symbol is another one; what names the first means the second from then
    on.

    Raises:
        Impossible: they are one. Stale: somebody was faster.
    """
    leads = dict(
        Decision.objects.in_force(one.decided).filter(field="same").values_list("key", "value")
    )
    way, onward = set(), into.key
    while onward and onward not in way:
        way.add(onward)
        onward = leads.get(onward, "")
    if one.key in way:
        raise Impossible(f"{one.name} and {into.name} are one already.")
    with _correcting(user, f"merge {one.kind}", one, seen, reason) as record:
        _put(record, one, "same", into.key, reason)
        record.tell(PLURALS[one.kind], f"{one.name}, {into.name}", into.name)


def hide(user: User, thing: Thing, *, seen: str = "", reason: str = "") -> None:
    """Say that something is no person or no symbol, or a link that is not to be shown: it stays
    away.

    Raises:
        Stale: somebody was faster.
    """
    with _correcting(user, f"hide {thing.kind}", thing, seen, reason) as record:
        _put(record, thing, "hidden", "yes", reason)
        record.tell("hidden", "", "yes")


def thing_of(row: Decision) -> Thing:
    """The thing that a correction is about, by the name that it had then."""
    return Thing(row.kind.removeprefix("correct-"), row.key, row.detail or row.key)


def _put(record: Recorder, thing: Thing, field: str, value: str, reason: str) -> str:
    """Put a value in place of what was decided of this field, which is given back; "" only ends
    that."""
    earlier = thing.corrections().filter(field=field, podcast=None).first()
    before = earlier.value if earlier else ""
    if value and value != before:
        subject = {"key": thing.key, "detail": thing.name[:300]}
        record.decide(thing.decided, **subject, field=field, value=value, reason=reason)
    elif earlier and not value:
        record.end(earlier)
    return before
