"""Entries that nobody vouched for: they come last, and join an episode by an identifier that they alone have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from episodes.records import SourceEntry

from ..resolve.build import LONG, OTHER, entry, outcome

AUDIO = "https://cdn.widgets.example/springs.mp3"


def stranger(title: str, **said: Any) -> SourceEntry:
    return replace(entry(title, OTHER, source="page", may_create=False, **said), vouched=False)


@pytest.mark.parametrize("said", [{"guid": "spring-1"}, {"audio_url": AUDIO}])
def test_an_identifier_joins_them_to_the_episode_that_has_it(said: dict[str, Any]) -> None:
    known = entry("Springs", LONG, own=True, **said)
    assert outcome(known, stranger("Coils", **said)) == "same"
    assert outcome(known, stranger("Coils")) == "ignored"
    assert outcome(known, stranger("Wires", **said), stranger("Coils", **said)) == "ignored", "two have it"
