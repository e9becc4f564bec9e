"""The one shape of the inbox: a kind declares the rows of the catalog that it lists, what each says
in words, and the buttons that settle it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.http import urlencode

from ..models import Dismissed, Podcast
from .corrections import Words

LONGEST = 120  # characters of a value that a row quotes


@dataclass(frozen=True)
class Act:
    """A button of a row: its letter, what it does, and the message after it."""

    name: str
    label: str
    letter: str
    do: Callable[[Any, InboxRow], object]
    done: str


@dataclass
class InboxRow:
    """One thing that needs a person. `says` is what it is about: another thing is another row."""

    kind: Kind
    target: Any
    show: Podcast | None
    subject: str
    words: str
    says: object
    other: Any = None  # what an act needs beside the target
    asked: Mapping[str, str] = field(default_factory=dict)  # what a curator typed beside the row

    @property
    def acts(self) -> Sequence[Act]:
        """The buttons in the inbox, where a row is not compared with anything."""
        return self.kind.acts_of(self)

    @property
    def address(self) -> str:
        return self.kind.address(self)

    @property
    def reason(self) -> str:
        return self.asked.get("reason", "")

    @property
    def digest(self) -> str:
        return sha256(json.dumps(self.says, sort_keys=True).encode()).hexdigest()

    @property
    def token(self) -> str:
        """Another one as soon as the row says something else, or another row has its number."""
        return sha256(f"{self.subject} {self.digest}".encode()).hexdigest()[:16]


class Kind:
    """Rows of one kind: their name, and what they are in the catalog.

    A kind with a `review` has a screen that shows a row beside what it may be.
    """

    slug: ClassVar[str]
    label: ClassVar[str]
    hint: ClassVar[str]
    acts: ClassVar[Sequence[Act]]
    of_show = "podcast"  # the way from a row to its show
    order: Sequence[str] = ("pk",)
    review = ""  # the template of a row's comparison

    def __init__(self, dismissed: Sequence[Dismissed] = ()) -> None:
        self.dismissed = dismissed

    def rows(self) -> QuerySet[Any]:
        """The rows of the catalog that it lists."""
        raise NotImplementedError

    def row(self, target: Any) -> InboxRow:
        """A row of the catalog in words."""
        raise NotImplementedError

    def read(self, rows: QuerySet[Any]) -> list[InboxRow]:
        """The rows in words, in a fixed number of queries."""
        return [self.row(target) for target in rows]

    def address(self, row: InboxRow) -> str:
        """The screen on which more than one press is possible."""
        return review_at(self.slug, row=row.target.pk)

    def open(self, show: Podcast | None = None) -> QuerySet[Any]:
        """The rows that wait for somebody."""
        rows = self.rows().order_by(*self.order)
        return rows.filter(**{self.of_show: show}) if show else rows

    def acts_of(self, row: InboxRow) -> Sequence[Act]:
        return self.acts

    # --- The review ---

    def consider(self, row: InboxRow, asked: Mapping[str, str]) -> None:
        """Take what a curator chose beside the row."""
        row.asked = asked

    def choices(self, row: InboxRow) -> Sequence[Act]:
        """The buttons in the review; the preview shows what the first would do."""
        return self.acts

    def detail(self, row: InboxRow) -> dict[str, Any]:
        """Values for the template of the review."""
        return {}

    def look(self, row: InboxRow) -> Words:
        """The episodes that a preview compares, before and after the first of the choices."""
        return {}


def review_at(kind: str, **asked: str | int) -> str:
    address = reverse("admin:episodes_dismissed_review", args=(kind,))
    return f"{address}?{urlencode(asked)}".removesuffix("?")


def quoted(value: object) -> str:
    """A value on one line, as a row quotes it."""
    text = " ".join(str(value).split())
    return f"{text[:LONGEST]}…" if len(text) > LONGEST else text
