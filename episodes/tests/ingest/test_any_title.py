"""No title and no notes stop a show: hostile ones are imported, and a fault in reading one episode
costs it alone."""

import json
import re
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from episodes.models import Credit, Episode, EpisodeReading, Podcast
from episodes.notes import read_notes
from episodes.resolve import read_episodes

from ..admin.test_roles import HOSTILE as TYPED
from ..curation.conftest import export
from ..examples import examples
from ..kept import made_once
from ..notes.test_links import HOSTILE as OF_LINKS
from ..read.test_payloads import BARE, SCHEMES
from ..read.test_search import HOSTILE as SEARCHED
from ..tables import cases
from .conftest import Ran, run

pytestmark = pytest.mark.django_db

BOARD = "/admin/"
OWN = [*cases("ingest_any_title")["titles"], "(" * 300, "A" * 5_000, "Ada Roe, " * 400, "with Ada " * 400]
UNSTORABLE = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
SPACES = (
    'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0"'
)


def imported(folder: Path, *episodes: tuple[str, str]) -> Ran:
    texts = ((escape(UNSTORABLE.sub("", text)) for text in episode) for episode in episodes)
    items = "".join(_item(number, *episode) for number, episode in enumerate(texts))
    path = folder / "feed.xml"
    path.write_text(f"<rss version='2.0' {SPACES}><channel><title>Talks</title>{items}</channel></rss>")
    return run(path, url="https://talks.example/feed")


def _item(number: int, title: str, notes: str) -> str:
    hours, minutes = divmod(number, 60)
    return (
        f"<item><title>{title}</title><guid isPermaLink='false'>talk-{number}</guid><description>{notes}</description>"
        f"<itunes:author>{title}</itunes:author><podcast:person>{title}</podcast:person>"
        f"<pubDate>Mon, 05 Feb 2024 {hours:02}:{minutes:02}:00 GMT</pubDate>"
        f'<enclosure url="https://talks.example/{number}.mp3" type="audio/mpeg" length="9"/></item>'
    )


def test_hostile_titles_are_imported_whole(tmp_path: Path) -> None:
    others = [*TYPED, *OF_LINKS, *BARE, *SCHEMES, *SEARCHED]
    titles = dict.fromkeys([*OWN, *others[:: examples(4, 1)]])
    ran = imported(tmp_path, *((title, f"{title} {number}") for number, title in enumerate(titles)))
    assert (ran.code, ran.err) == (0, "")
    assert f"{len(titles)} items: {len(titles)} new, 0 matched, 0 held, 0 ignored" in ran.out
    assert Episode.objects.count() == len(titles)
    assert not EpisodeReading.objects.failed().exists()
    again = imported(tmp_path, *((title, f"{title} {number}") for number, title in enumerate(titles)))
    assert f"{len(titles)} unchanged" in again.out


TALKS = (
    (
        "Looms",
        "Ana Roe weaves. My guest is Ana Roe. We use weave_looms. https://looms.example/ See our episode about Reels.",
    ),
    (
        "Reeds",
        "Bo Ek weaves. My guest is Bo Ek. We use weave_reeds, BROKEN. https://reeds.example/ See our episode about Looms.",
    ),
    (
        "Reels",
        "Cy Lund weaves. My guest is Cy Lund. We use weave_reels. https://reels.example/ See our episode about Looms.",
    ),
)
READERS = [
    (read_episodes, "to_text"), (read_episodes, "notes_to_safe_html"), (read_notes, "find_spans_of_web_addresses"), (read_notes, "find_code_symbol_uses"), (read_episodes, "find_topic_tags"),
    (read_notes, "credits_in_text"), (read_notes, "find_strongest_references"),
]  # fmt: skip


def break_reader(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
    """Let a reader fail on the second episode."""
    read = getattr(module, name)

    def reader(*texts: Any, **more: Any) -> Any:
        if "BROKEN" in str(texts) or texts == ("Reeds",):
            raise IndexError("list index out of range")
        return read(*texts, **more)

    monkeypatch.setattr(module, name, reader)


def others() -> list[dict[str, Any]]:
    return [episode for episode in json.loads(export())["episodes"] if episode["slug"] != "reeds"]


def three_talks() -> None:
    with TemporaryDirectory() as folder:
        assert imported(Path(folder), *TALKS).code == 0
    Podcast.objects.update(has_symbols=True)
    call_command("rebuild", verbosity=0)


@pytest.mark.parametrize("module, name", READERS, ids=[name for _, name in READERS])
def test_fault_in_notes_costs_one_episode(
    module: Any, name: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made_once(three_talks)
    whole, whole_others = export(), others()
    with monkeypatch.context() as broken:
        break_reader(broken, module, name)
        call_command("rebuild", verbosity=0)
    entry = "https://talks.example/feed guid:talk-1"
    assert [row.failures for row in EpisodeReading.objects.failed()] == [{entry: "IndexError"}]
    assert {getattr(record, "entry", None) for record in caplog.records if record.exc_info} == {entry}
    assert Episode.objects.count() == 3
    assert others() == whole_others
    call_command("rebuild", verbosity=0)
    assert not EpisodeReading.objects.failed().exists()
    assert export() == whole


def test_failed_entry_is_read_with_next_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        break_reader(broken, read_notes, "credits_in_text")
        assert imported(tmp_path, *TALKS).code == 0
        assert imported(tmp_path, *TALKS, ("Kettles", "Fourth.")).code == 0
        assert EpisodeReading.objects.failed().get().failures == {
            "https://talks.example/feed guid:talk-1": "IndexError"
        }
    assert imported(tmp_path, *TALKS, ("Kettles", "Fourth, in short.")).code == 0
    assert not EpisodeReading.objects.failed().exists()
    assert Credit.objects.filter(episode__slug="reeds", role="guest").get().person.name == "Bo Ek"


def test_health_board_names_failed_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: Client) -> None:
    client.force_login(User.objects.create_superuser("ada"))
    assert imported(tmp_path, TALKS[0]).code == 0
    assert "could not be read" not in client.get(BOARD).content.decode()
    break_reader(monkeypatch, read_notes, "credits_in_text")
    assert imported(tmp_path, *TALKS).code == 0
    board = " ".join(client.get(BOARD).content.decode().split())
    assert "<b>Talks</b>: https://talks.example/feed guid:talk-1 (IndexError)</li>" in board
    assert "guid:talk-0" not in board


@pytest.mark.parametrize("fault", [MemoryError, OSError])
def test_machine_fault_is_not_the_texts(
    fault: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reader(*texts: Any) -> Any:
        raise fault

    monkeypatch.setattr(read_notes, "credits_in_text", reader)
    with pytest.raises(fault):
        imported(tmp_path, *TALKS)
    assert not Episode.objects.exists()


@pytest.mark.parametrize("length", [500, examples(10_000, 100_000)])
def test_long_title_is_cut(client: Client, tmp_path: Path, length: int) -> None:
    imported(tmp_path, ("T" * length, "Notes."), ("Short", "Other notes."))
    assert [len(e.title) for e in Episode.objects.order_by("pk")] == [min(length, 500), 5]
    assert client.get("/").status_code == 200
    assert imported(tmp_path, ("T" * length, "Notes."), ("Short", "Other notes.")).out.endswith(
        "2 unchanged since last time\n"
    )
    path = tmp_path / "other.xml"
    path.write_text(f"<rss><channel><title>{'S' * length}</title>{_item(1, 'One', 'Notes.')}</channel></rss>")
    assert len(run(path, url="https://other.example/feed").err) < 700
    assert len(Podcast.objects.get(feed_url="https://other.example/feed").title) == min(length, 500)
