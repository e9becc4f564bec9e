"""A backup of which tables are of different moments is refused by `loaddata` or `rebuild`, or does no harm."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError, transaction

from episodes.curation import add, override, remove
from episodes.models import Capture, Change, Decision, Document, Episode, Item, Podcast, Revision

from ..ingest.conftest import run
from .conftest import export, feed
from .test_backup import KEPT, emptied

Tables = dict[str, list[dict[str, Any]]]
CHANGED = feed(range(5)).replace(b"All about mirrors", b"Much about mirrors")
IMPORTS = {"changed": CHANGED, "came": feed(range(6)), "went": feed(range(1, 5))}
IMPORTS["all"] = feed(range(1, 6)).replace(b"All about mirrors", b"Much about mirrors")
CUTS = ("document", "capture", "item", "revision", "ingestrun", "formeraddress")


@pytest.fixture
def taken(small: Podcast, tmp_path: Path) -> Callable[[bytes], int]:
    """Takes a state of the feed, and gives the exit code; the first one is taken already."""

    def take(body: bytes) -> int:
        (tmp_path / "feed.xml").write_bytes(body)
        return run(tmp_path / "feed.xml", "--source", "feed", "--accept").code

    assert take(feed(range(5))) == 0
    return take


@pytest.fixture
def dumped(tmp_path: Path) -> Callable[[], Tables]:
    """The tables of a backup."""

    def dump() -> Tables:
        call_command("dumpdata", *KEPT, output=str(tmp_path / "kept.json"), verbosity=0)
        rows = json.loads((tmp_path / "kept.json").read_text())
        return {name: [row for row in rows if row["model"] == name] for name in KEPT}

    return dump


@pytest.fixture
def restored(tmp_path: Path) -> Callable[[Tables, Tables, str], str]:
    """Restores a backup whose tables are early ones up to a table, and late ones from there; what refused it, or ""."""

    def restore(early: Tables, late: Tables, cut: str) -> str:
        place = KEPT.index(f"episodes.{cut}")
        rows = [row for n, name in enumerate(KEPT) for row in (late if n >= place else early)[name]]
        (tmp_path / "torn.json").write_text(json.dumps(rows))
        emptied()
        try:
            with transaction.atomic():
                call_command("loaddata", str(tmp_path / "torn.json"), verbosity=0)
        except IntegrityError:
            return "loaddata"
        try:
            call_command("rebuild", stdout=StringIO())
        except CommandError as error:
            refused, code = str(error), error.returncode
        else:
            return ""
        assert code == 1
        assert not Episode.objects.exists()
        return refused

    return restore


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("what", IMPORTS)
def test_a_torn_backup_is_refused_or_the_next_import_takes_up_from_it(
    taken: Any, dumped: Any, restored: Any, what: str, cut: str
) -> None:
    early = dumped()
    assert taken(IMPORTS[what]) == 0
    refused = restored(early, dumped(), cut)
    if not refused:
        assert taken(feed(range(7)).replace(b"All about needles", b"Little about needles")) == 0


@pytest.mark.parametrize(
    "what, cut, told",
    [
        ("changed", "item", "entries changed in version 2, but the newest version is 1"),
        ("changed", "revision", "entries changed in version 2, but the newest version is 1"),
        ("came", "item", "entries added in version 2, but the newest version is 1"),
        ("went", "item", "entries removed in version 2, but the newest version is 1"),
    ],
)
def test_a_tear_that_loads_is_told_by_rebuild_with_the_document_that_it_is_in(
    taken: Any, dumped: Any, restored: Any, what: str, cut: str, told: str
) -> None:
    early = dumped()
    assert taken(IMPORTS[what]) == 0
    refused = restored(early, dumped(), cut)
    assert f"\n  feed: {Document.objects.get().address}: {told}" in refused
    assert "restore another one" in refused


def test_decisions_that_the_history_tells_of_and_are_not_there_are_told(
    taken: Any, dumped: Any, restored: Any, curator: User
) -> None:
    early = dumped()
    episode = Episode.objects.get(title__endswith=" 0")
    remove(curator, episode, "topic", "household")
    add(curator, episode, "topic", "music")
    override(curator, episode, {"title": "Mine"})
    refused = restored(early, dumped(), "change")
    assert "history: 3 decisions it refers to are missing" in refused


def test_a_whole_backup_of_decisions_is_restored(taken: Any, dumped: Any, restored: Any, curator: User) -> None:
    override(curator, Episode.objects.get(title__endswith=" 0"), {"title": "Mine"})
    before, whole = export(), dumped()
    assert restored(whole, whole, "change") == ""
    assert export() == before


def test_other_holes_are_told_and_nothing_is_written(taken: Any, curator: User) -> None:
    assert taken(CHANGED) == 0
    override(curator, Episode.objects.get(title__endswith=" 0"), {"title": "Mine"})
    Capture.objects.filter(version=1).delete()
    Revision.objects.filter(item=Item.objects.all()[0]).delete()
    Decision.objects.filter(kind="value").delete()
    before = set(Episode.objects.values_list("pk", "title"))
    with pytest.raises(CommandError) as told:
        call_command("rebuild")
    assert [line.rpartition(": ")[2] for line in str(told.value).splitlines()[1:]] == [
        "entries added in version 1, which is missing",
        "entries changed in version 1, which is missing",
        "1 entries have no text",
        "1 decisions it refers to are missing",
    ]
    assert set(Episode.objects.values_list("pk", "title")) == before
    assert Change.objects.count() == 1
