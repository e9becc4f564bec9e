"""The one table of decisions: what the database holds its rows to."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from episodes.curation import add_list_entry, confirm_overrides, merge_episodes, override_fields, remove_list_entry
from episodes.curation.decide import decisions_in_force, lock_fields, record_episode_change
from episodes.models import DECISION_KINDS, Decision, Episode, Podcast

from ..ingest.conftest import take
from .conftest import feed


def columns(name: str) -> dict[str, Any]:
    """The columns of a kind."""
    kind = DECISION_KINDS[name]
    named = {column: "x" for column in kind.subject if column != "podcast_id"}
    return {**named, "field": next(iter(kind.fields), ""), "value": next(iter(kind.values), "x")}


def make(podcast: Podcast | None, kind: str, **values: Any) -> Decision:
    with transaction.atomic():
        return Decision.objects.create(podcast=podcast, kind=kind, **values)


def test_merge_keeps_the_later_override(small: Podcast, curator: User) -> None:
    take("feed", feed(range(2)))
    for number in (0, 1):
        override_fields(curator, Episode.objects.get(guid=f"small-{number}"), {"season": f"{number + 3}"})
    merge_episodes(curator, Episode.objects.get(guid="small-0"), Episode.objects.get(guid="small-1"))
    one, made = Episode.objects.get(), Decision.objects.filter(kind="value").count()
    assert [row.value for row in decisions_in_force(one, "value", field="season")] == ["3", "4"]
    with record_episode_change(curator, "edit", one, "", "") as record:
        lock_fields(record, one, {"season": "4"}, "")
    assert Decision.objects.filter(kind="value").count() == made, "it is in force already"
    with record_episode_change(curator, "edit", one, "", "") as record:
        lock_fields(record, one, {"season": "3"}, "")
    assert Decision.objects.filter(kind="value").count() == made + 1


@pytest.mark.parametrize("kind", DECISION_KINDS)
def test_subject_and_field_have_one_decision(small: Podcast, kind: str) -> None:
    first = make(small, kind, **columns(kind))
    with pytest.raises(IntegrityError):
        make(small, kind, **columns(kind))
    first.ended_at = timezone.now()
    first.save()
    make(small, kind, **columns(kind))


def test_decision_is_named_by_its_subject() -> None:
    about = {"item_key": "guid:1", "detail": "d", "key": "k"}
    for column, named in about.copy().items():
        assert str(Decision(kind="value", **about)).endswith(f": {named}")
        del about[column]


@pytest.mark.parametrize("kind", DECISION_KINDS)
def test_decision_names_only_its_subject(small: Podcast, kind: str) -> None:
    is_of_entry = DECISION_KINDS[kind].is_of_entry
    wrong: list[dict[str, Any]] = [{"item_key": "" if is_of_entry else "x"}, {"kind": "no-such-kind"}]
    if DECISION_KINDS[kind].values:
        wrong.append({"value": "no-such-value"})
    for values in wrong:
        row = Decision(podcast=small, **{"kind": kind, **columns(kind), **values})
        row.about = "x"
        with pytest.raises(IntegrityError), transaction.atomic():
            Decision.objects.bulk_create([row])
    if "podcast_id" not in DECISION_KINDS[kind].optional_columns:
        with pytest.raises(IntegrityError):
            make(None, kind, **columns(kind))


def test_addition_and_removal_replace_each_other(small: Podcast, curator: User) -> None:
    take("feed", feed(range(2)))
    found = Episode.objects.get(guid="small-0")
    for verb in (remove_list_entry, add_list_entry, remove_list_entry, add_list_entry):
        verb(curator, found, "topic", "music")
        assert Decision.objects.in_force("topic").count() == 1
    override_fields(curator, found, {"number": "7"}, reason="a guest said so")
    assert Decision.objects.in_force("topic", "value").count() == 2
    confirm_overrides(curator, Episode.objects.get(guid="small-0"), "number")
    row = Decision.objects.in_force("value").get()
    assert (row.value, row.reason) == ("7", "a guest said so")


def test_subject_hash_equals_stored_ones() -> None:
    common = {"podcast_id": 3, "source": "feed"}
    value = Decision(kind="value", item_key="guid:1", **common)
    assert value.subject_hash() == "4c81b47c75f30905dd280d255b445e0505f2eb8a1dd60d7a1a282c1555fb9beb"
    dismissal = Decision(kind="dismissal", key="x", **common)
    assert dismissal.subject_hash() == "2932b9400fd9a1b972b0675dda8b9e566413f247fa81c8fe389296d77527113c"
