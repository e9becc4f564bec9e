"""Only new and changed items of a feed are read, and the catalog is the same as if all were."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from episodes.gather.sources import feed
from episodes.models import Capture, Revision
from episodes.records import EntryData

from .conftest import export, of_the_feed, run

FEED = of_the_feed("Compiler collectives", "Higher order operators", "AOTInductor", "vmap", "TensorIterator")
ITEM = re.compile(r"<item>.*?</item>\s*", re.S)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The titles of the items that are read, in their turn."""
    seen: list[str] = []
    whole = feed.read_entry_of_item

    def watched(entry: Any, element: Any, **addresses: str) -> EntryData:
        said = whole(entry, element, **addresses)
        seen.append(said.title)
        return said

    monkeypatch.setattr(feed, "read_entry_of_item", watched)
    return seen


def versions() -> tuple[str, str]:
    """The feed without its newest item, and with another title for its oldest."""
    items = ITEM.findall(FEED)
    retitled = re.sub(r"<title>.*?</title>", "<title>The very first of all</title>", items[-1], count=1, flags=re.S)
    return FEED.replace(items[0], ""), FEED.replace(items[-1], retitled)


@override_settings(READ_SECONDS=0)  # in this process, where it can be watched
def test_only_new_and_changed_items_are_read(
    ready: None, file: Callable[[str, bytes | str], Path], read: list[str]
) -> None:
    before, now = versions()
    url = "https://feeds.simplecast.com/OB5FkIl8"
    assert run(file("before.xml", before), source="feed", url=url).code == 0
    assert len(read) == len(ITEM.findall(before))
    read.clear()
    assert run(file("now.xml", now), source="feed", url=url).code == 0
    assert len(read) == 2
    assert read[1] == "The very first of all"
    incremental = export(), list(Revision.objects.order_by("pk").values_list("item__key", "version"))
    Capture.objects.update(fingerprint="")
    read.clear()
    assert run("feed", offline=True).code == 0
    assert re.match("feed: [0-9]+ items: 0 new", run(url, offline=True).out), "by its address, too"
    assert len(read) == len(ITEM.findall(now))
    assert (export(), list(Revision.objects.order_by("pk").values_list("item__key", "version"))) == incremental
    assert all(
        Capture.objects.filter(version__isnull=False).order_by("-version").values_list("fingerprint", flat=True)[:1]
    )
