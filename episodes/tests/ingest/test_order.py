"""Any order, any number of times, dry or stopped half-way: the same documents make the same catalog."""

import itertools
import json
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.db import transaction

from episodes.ingest import ImportOptions, ImportTarget, importer, iterate_import_reports
from episodes.models import Attachment, Capture, Document, Episode, Held, IngestRun, Item, Podcast, Revision

from ..examples import LONG
from .conftest import DOCUMENTS, PAGES, command, export, run
from .test_add_show import Write
from .test_identity_of_feeds import feed, item

CATALOG = (Attachment, Capture, Document, Episode, Held, Item, Revision)


def take(path: Path) -> None:
    (report,) = iterate_import_reports(
        [ImportTarget(path.name, path=path)], ImportOptions(), lambda: datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert not report.exit_code


def test_some_orders_make_the_same_catalog(ready: None) -> None:
    """The feed is first and in the middle; in the long run each document is first and last twice."""
    turned = [(*DOCUMENTS[n:], *DOCUMENTS[:n]) for n in range(0, len(DOCUMENTS), 1 if LONG else 3)]
    assert_one_catalog([*turned, *(order[::-1] for order in turned if LONG)])


@pytest.mark.long
@pytest.mark.only_on("sqlite")  # PostgreSQL keeps what savepoints wrote until the transaction ends, and reads past it
def test_all_orders_make_the_same_catalog(ready: None) -> None:
    assert_one_catalog(list(itertools.permutations(DOCUMENTS)))


def assert_one_catalog(orders: list[tuple[Path, ...]]) -> None:
    """Walk the orders as a tree: what two of them have in common is ingested once."""
    exports: set[str] = set()

    def walk(taken: tuple[Path, ...]) -> int:
        if len(taken) == len(DOCUMENTS):
            exports.add(export())
            return 1
        leaves = 0
        for path in DOCUMENTS:
            if any(order[: len(taken) + 1] == (*taken, path) for order in orders):
                with transaction.atomic():
                    take(path)
                    leaves += walk((*taken, path))
                    transaction.set_rollback(True)
        return leaves

    assert walk(()) == len(orders)
    assert [text.count('"podcast": ') for text in exports] == [82]


def test_shipped_documents_make_82_episodes(catalog: None) -> None:
    data = json.loads(export())
    assert (len(data["episodes"]), data["held"]) == (82, [])
    places = Counter(source["source"] for e in data["episodes"] for source in e["sources"])
    assert places == {"snapshot": 82, "player-fm": 46, "pod-casts-io": 30, "numbered-list": 10}
    # Every list runs from new to old, so a wrong attachment would break its order somewhere.
    for name in places:
        listed = sorted(
            (s["position"], -e["number"]) for e in data["episodes"] for s in e["sources"] if s["source"] == name
        )
        assert [number for _, number in listed] == sorted(number for _, number in listed)


def test_second_ingest_writes_only_its_run(catalog: None, monkeypatch: pytest.MonkeyPatch) -> None:
    before, rows = export(), [model.objects.count() for model in CATALOG]
    ran = run(*DOCUMENTS)
    assert ran.out.splitlines() == [
        "snapshot: 82 items: 0 new, 82 matched, 0 held, 0 ignored; 82 unchanged since last time",
        "ezyang-blog: 6 items: 0 new, 0 matched, 0 held, 6 ignored; 6 unchanged since last time",
        "numbered-list: 10 items: 0 new, 10 matched, 0 held, 0 ignored; 10 unchanged since last time",
        "player-fm: 46 items: 0 new, 46 matched, 0 held, 0 ignored; 46 unchanged since last time",
        "pod-casts-io: 30 items: 0 new, 30 matched, 0 held, 0 ignored; 30 unchanged since last time",
    ]
    assert run(offline=True).code == 0
    monkeypatch.setattr(sys.modules["episodes.resolve.write"], "resolve_show", None)
    page = next(path for path in DOCUMENTS if "ezyang" in path.name)
    assert run(page).out == f"{ran.out.splitlines()[1]}\n", "an unchanged page of posts resolves nothing"
    assert (export(), [model.objects.count() for model in CATALOG]) == (before, rows)


@pytest.mark.parametrize("order", [pytest.param(DOCUMENTS, marks=pytest.mark.long), DOCUMENTS[::-4]])
def test_dry_run_equals_run_and_writes_nothing(ready: None, order: list[Path]) -> None:
    empty = export()
    dry = run(*order, dry_run=True)
    assert (export(), IngestRun.objects.count(), Document.objects.count()) == (empty, 0, 0)
    assert dry.as_real == run(*order)


@pytest.mark.on_both
def test_interrupted_run_leaves_former_state(ready: None, monkeypatch: pytest.MonkeyPatch) -> None:
    run(DOCUMENTS[0])
    before, rows = export(), [model.objects.count() for model in CATALOG]

    def killed(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(importer, "_entry_counts_for_summary_line", killed)
    with pytest.raises(KeyboardInterrupt), transaction.atomic():
        take(PAGES[2])
    assert (export(), [model.objects.count() for model in CATALOG]) == (before, rows)


def test_order_of_adding_shows_is_irrelevant(db: None, file: Write) -> None:
    """All episodes are of one moment, so nothing but the shows can order them."""

    def exports(*slugs: str) -> set[str]:
        with transaction.atomic():
            for slug in slugs:
                Podcast.objects.create(slug=slug, title=slug.title(), rank=len(slug) + 5 * (slug == "mites"))
                body = feed(slug.title(), item(f"First {slug}", f"{slug} 1"), item(f"More {slug}", f"{slug} 2"))
                assert run(file("feed.xml", body), podcast=slug).code == 0
            made = {command("export", format=name).out for name in ("json", "csv", "rss")}
            transaction.set_rollback(True)
        return made

    made = exports("wasps", "bees", "mites")
    assert made == exports("mites", "wasps", "bees")
    assert len(made) == 3
    assert all(text.index("More bees") < text.index("More mites") < text.index("More wasps") for text in made)
