"""An entry beside an episode, field by field, with the words that only one of the two has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ..fields import BY_HAND, NOTES, Field
from ..models import Episode, EpisodeValues
from ..records import EntryData

COMPARED = tuple(field for field in BY_HAND if field is not NOTES)
OPENING = 160  # words of a text that are compared
WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class ComparedField:
    """A field of both sides. `verdict` is equal, differs or one-sided."""

    label: str
    one: str
    other: str
    verdict: str


def lines(said: EntryData, episode: EpisodeValues | None) -> list[ComparedField]:
    """The fields of which either side says anything: an entry, and an episode that it may be."""
    return _compared(
        (field, field.text_in(said), field.shown(episode) if episode else "") for field in COMPARED
    )


def sides(one: Episode, other: Episode) -> list[ComparedField]:
    """The fields of which either of two episodes says anything."""
    return _compared((field, field.shown(one), field.shown(other)) for field in COMPARED)


def _compared(rows: Iterable[tuple[Field[Any], str, str]]) -> list[ComparedField]:
    return [
        ComparedField(field.label, field.words(one), field.words(other), _verdict(one, other))
        for field, one, other in rows
        if one or other
    ]


def _verdict(one: str, other: str) -> str:
    if one == other:
        return "equal"
    return "differs" if one and other else "one-sided"


def openings(one: str, other: str) -> tuple[SafeString, SafeString]:
    """The beginnings of two texts; what the other lacks is marked in each."""
    left, right = WORD.findall(one)[:OPENING], WORD.findall(other)[:OPENING]
    if not left or not right:
        return _plain(left), _plain(right)
    steps = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return (
        format_html_join(
            " ", "{}", ((_marked(left[a:b], step, "del"),) for step, a, b, _, _ in steps if b > a)
        ),
        format_html_join(
            " ", "{}", ((_marked(right[c:d], step, "ins"),) for step, _, _, c, d in steps if d > c)
        ),
    )


def _plain(words: Sequence[str]) -> SafeString:
    return format_html("{}", " ".join(words))


def _marked(words: Sequence[str], step: str, tag: str) -> SafeString:
    text = " ".join(words)
    if step == "equal":
        return format_html("{}", text)
    return (
        format_html("<del>{}</del>", text) if tag == "del" else format_html("<ins>{}</ins>", text)
    )
