"""Years of imports: what `tidy` takes away, and that nobody notices."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.test import Client

from episodes.gather import (
    delete_and_count_spare_images,
    delete_unneeded_evidence,
    evidence,
    evidence_size_in_bytes,
)
from episodes.models import (
    Capture,
    Change,
    Content,
    Document,
    Episode,
    Image,
    IngestRun,
    Person,
    Podcast,
    Revision,
    Source,
    SourceSchedule,
)
from episodes.records import FetchedDocument

from ..curation import conftest
from .conftest import command, export, run

small, feed = conftest.small, conftest.feed
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
RUNS_KEPT = timedelta(days=30)
pytestmark = pytest.mark.django_db


@pytest.fixture
def taken(small: Podcast, tmp_path: Path) -> Callable[..., None]:
    def take(at: datetime, body: bytes, *words: str) -> None:
        (tmp_path / "feed.xml").write_bytes(body)
        with time_machine.travel(at, tick=False):
            run(tmp_path / "feed.xml", "--source", "feed", *words)

    return take


def versions() -> list[int | None]:
    return list(Capture.objects.filter(version__isnull=False).order_by("version").values_list("version", flat=True))


@pytest.mark.on_both
def test_repeated_old_runs_keep_the_last(taken: Any) -> None:
    for day in (0, 1):
        for hour in range(4):
            taken(NOW + timedelta(days=day, hours=hour), feed(range(3)))
    # The first run of the first day took the feed.
    assert delete_unneeded_evidence(NOW + RUNS_KEPT + timedelta(hours=12)).runs == 2
    first, later, an_hour = NOW, NOW + timedelta(days=1), timedelta(hours=1)
    assert list(IngestRun.objects.order_by("started_at").values_list("outcome", "started_at")) == [
        ("taken", first),
        ("unchanged", first + 3 * an_hour),
        *(("unchanged", later + n * an_hour) for n in range(4)),
    ]
    assert delete_unneeded_evidence(NOW + RUNS_KEPT + timedelta(hours=12)).runs == 0
    assert delete_unneeded_evidence(NOW + RUNS_KEPT + timedelta(days=9)).runs == 3


def test_runs_are_grouped_by_source_and_document(small: Podcast) -> None:
    source, other = Source.objects.order_by("rank")
    document = Document.objects.create(source=source, address="https://example.org/feed.xml")
    listed = ((source, None), (source, document), (other, None))
    for of_source, of_document in listed:
        for minute in range(3):
            at = NOW + timedelta(minutes=minute)
            evidence.record_run(of_source, of_document, at, at, "failed", "no answer", {})
    assert delete_unneeded_evidence(NOW + timedelta(days=60)).runs == 6
    assert set(IngestRun.objects.values_list("source", "document", "started_at")) == {
        (one.pk, getattr(document_, "pk", None), NOW + timedelta(minutes=2)) for one, document_ in listed
    }


def test_versions_with_changed_entries_stay(taken: Any) -> None:
    plain, comment = feed(range(4)), b"<!-- %d --></rss>"
    changed = plain.replace(b"All about mirrors", b"Much about mirrors")
    states = [
        plain,  # 1: stays
        plain.replace(b"</rss>", comment % 2),
        plain.replace(b"</rss>", comment % 3),
        changed,  # 4: an entry says something else
        changed.replace(b"</rss>", comment % 5),
        feed(range(5)),  # 6: one came
        feed(range(5)).replace(b"</rss>", comment % 7),
        feed(range(5)).replace(b"</rss>", comment % 8),  # 8: the last with the one that goes
        feed(range(1, 5)),  # 9: one went
        feed(range(1, 5)).replace(b"</rss>", comment % 10),
        feed(range(1, 5)).replace(b"</rss>", comment % 11),  # 11: the newest
    ]
    for n, state in enumerate(states):
        taken(NOW + timedelta(hours=n), state, "--accept")
    before, page = export(), Client().get("/changes/").content
    assert versions() == list(range(1, 12))
    assert delete_unneeded_evidence(NOW).captures == 5
    assert versions() == [1, 4, 6, 8, 9, 11]
    command("rebuild")
    assert export() == before
    assert Client().get("/changes/").content == page
    taken(NOW + timedelta(days=1), feed(range(1, 6)))
    assert versions()[-2:] == [11, 12]
    assert delete_unneeded_evidence(NOW).captures == 1


def test_last_refused_copies_of_three_days_stay(taken: Any) -> None:
    taken(NOW, feed(range(3)))
    for n in range(8):
        taken(NOW + timedelta(hours=12 * n), f"<html>sign in {n}</html>".encode())
    assert delete_unneeded_evidence(NOW).captures == 5
    kept = Capture.objects.filter(version=None).order_by("taken_at")
    assert [capture.body for capture in kept] == [f"<html>sign in {n}</html>".encode() for n in (4, 6, 7)]


@pytest.mark.on_both
def test_same_bytes_are_stored_once(taken: Any) -> None:
    a, b = feed(range(9)), feed(range(8))
    for n, state in enumerate((a, b, a, b)):
        taken(NOW + timedelta(hours=n), state, "--accept")
    assert (Capture.objects.count(), Content.objects.count()) == (4, 2)
    assert [capture.body for capture in Capture.objects.order_by("version")] == [a, b, a, b]
    assert all(len(content.packed) < content.size / 3 for content in Content.objects.all())
    Capture.objects.filter(version__in=(1, 3)).delete()
    done = delete_unneeded_evidence(NOW)
    assert (done.contents, Content.objects.count()) == (1, 1)
    assert 0 < done.bytes < len(a) / 3


def test_dry_run_reports_and_deletes_nothing(taken: Any) -> None:
    for n in range(5):
        taken(NOW + timedelta(hours=n), feed(range(3)).replace(b"</rss>", b"<!-- %d --></rss>" % n))
    Change.objects.create(verb="log in", subject="ada", about="account:1", made_at=NOW - timedelta(days=200))
    said = [command("tidy", *words).out for words in (("--dry-run",), (), ())]
    assert said[0].startswith(
        "would free: 4 import runs, 0 revisions, 3 stored versions, 3 contents (0.0 MB), 0 images"
    )
    assert said[0].endswith(" 1 logins\n")
    assert said[1] == said[0].replace("would free", "freed")
    assert said[2].startswith("freed: 0 import runs, 0 revisions, 0 stored versions, 0 contents (0.0 MB)")


def test_unused_images_go_after_a_month(taken: Any, small: Podcast) -> None:
    taken(NOW, feed(range(1)))
    days = {"cover": 99, "chosen": 99, "photo": 99, "old": 31, "young": 29}
    names = {name: f"{n:032x}-{n:08x}" for n, name in enumerate(days)}
    small.said, small.image_url = {"image_url": "https://x.example/cover"}, "https://x.example/chosen"
    small.save()
    Person.objects.create(slug="ada", name="Ada", identity="@ada", image_url="https://x.example/photo")
    for name, age in days.items():
        asked_at = NOW - timedelta(days=age)
        Image.objects.create(address=f"https://x.example/{name}", name=names[name], asked_at=asked_at)
        for size in (600, 150):
            default_storage.save(f"{names[name]}-{size}.webp", ContentFile(b"x"))
    assert delete_and_count_spare_images(NOW, dry_run=True) == 1
    assert default_storage.exists(f"{names['old']}-600.webp")
    assert delete_and_count_spare_images(NOW) == 1
    remaining = {"cover", "chosen", "photo", "young"}
    assert {image.address.rpartition("/")[2] for image in Image.objects.all()} == remaining
    assert {name for name in names if default_storage.exists(f"{names[name]}-150.webp")} == remaining
    assert delete_and_count_spare_images(NOW) == 0


def test_expired_sessions_go() -> None:
    now = datetime.now(UTC)
    for key, day in (("over", -1), ("open", 1)):
        Session.objects.create(session_key=key, session_data="", expire_date=now + timedelta(days=day))
    assert command("tidy", "--dry-run").code == 0
    assert Session.objects.count() == 2
    assert command("tidy").code == 0
    assert Session.objects.get().session_key == "open"


REVISIONS_KEPT = timedelta(days=90)


@pytest.fixture
def hourly(taken: Any) -> None:
    for hour in range(0, 48, 4):
        taken(NOW + timedelta(hours=hour), feed(range(3)).replace(b"ladders 1<", b"ladders 1, take %d<" % hour))


def changes_of_titles() -> dict[str, str]:
    """The text of each change by its GUID, as `/changes.rss` has them."""
    channel = ET.fromstring(Client().get("/changes.rss").content).find("channel")
    assert channel is not None
    return {item.findtext("guid", ""): item.findtext("description", "") for item in channel.iter("item")}


def test_old_revisions_are_thinned_and_nothing_shown_changes(hourly: None) -> None:
    call_command("rebuild", verbosity=0)
    exported, steps = export(), changes_of_titles()
    address = Episode.objects.get(title__contains="take 44").get_absolute_url()
    page = Client().get(address).content
    before = Revision.objects.count()
    late = NOW + REVISIONS_KEPT + timedelta(days=3)
    done = delete_unneeded_evidence(late)
    assert (done.revisions, Revision.objects.count()) == (7, before - 7)
    assert done.captures > 4
    call_command("rebuild", verbosity=0)
    assert export() == exported
    assert Client().get(address).content == page
    remaining = changes_of_titles()
    assert 0 < len(remaining) < len(steps)
    assert remaining.keys() <= steps.keys()
    assert delete_unneeded_evidence(late).revisions == 0


def test_large_source_is_on_the_health_board(taken: Any, admin_client: Client) -> None:
    taken(NOW, feed(range(3)))
    small_size = evidence_size_in_bytes(Source.objects.get(slug="feed"))
    taken(NOW + timedelta(days=1), feed(range(40)))
    assert command("tidy").code == 0
    assert SourceSchedule.objects.get(source__slug="feed").stored_bytes > small_size > 0
    assert "Sources with much evidence" not in admin_client.get("/admin/").content.decode()
    SourceSchedule.objects.update(stored_bytes=1_000_000_001)
    assert "Sources with much evidence" in admin_client.get("/admin/").content.decode()


PAGE = "https://lists.example/small-talks"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages of any site that are read again."""
    found: list[str] = []
    reparse = evidence.reparse_if_outdated_and_detect_change

    def counted(document: Document, parse: Any, fingerprint: str) -> bool:
        def parse_and_count(page: FetchedDocument) -> Any:
            found.append(page.body.decode())
            return parse(page)

        return reparse(document, parse_and_count, fingerprint)

    monkeypatch.setattr(evidence, "reparse_if_outdated_and_detect_change", counted)
    return found


def page(taken_at: datetime, body: bytes, path: Path) -> None:
    path.write_bytes(body)
    with time_machine.travel(taken_at, tick=False):
        assert run(path, "--url", PAGE, "--podcast", "small-talks", "--accept").code == 0


def listing(*numbers: int, comment: str = "") -> bytes:
    rows = "".join(f"<li><h2>All about {conftest.WORDS[n]} {n}</h2><p>{conftest.notes(n)}</p></li>" for n in numbers)
    return f"<html><body><h1>Small Talks</h1><ul>{rows}</ul>{comment}</body></html>".encode()


def test_page_is_not_read_again_needlessly(taken: Any, reads: list[str], tmp_path: Path) -> None:
    taken(NOW, feed(range(3)))
    page(NOW, listing(0, 1, 2), tmp_path / "page.html")
    taken(NOW, feed(range(3)).replace(b"</rss>", b"<!-- 1 --></rss>"))
    first = len(reads)
    taken(NOW, feed(range(3)).replace(b"</rss>", b"<!-- 2 --></rss>"))
    assert len(reads) == first
    taken(NOW, feed(range(4)))
    assert len(reads) == first + 1


def test_version_a_month_older_is_not_read(taken: Any, reads: list[str], tmp_path: Path) -> None:
    taken(NOW, feed(range(3)))
    for n in range(3):
        page(NOW + timedelta(days=20 * n), listing(*range(n + 1), comment=f"<p>{n}</p>"), tmp_path / "page.html")
        taken(NOW + timedelta(days=20 * n), feed(range(3)).replace(b"</rss>", b"<!-- %d --></rss>" % n))
    reads.clear()
    taken(NOW + timedelta(days=60), feed(range(4)))
    assert [f"<p>{n}</p>" in body for n, body in zip((1, 2), reads, strict=True)] == [True] * 2
    assert Document.objects.get(address=PAGE).items.filter(gone_version=None).count() == 3
