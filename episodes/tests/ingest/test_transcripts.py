"""Transcripts that somebody brings come to the right episode, or wait with a reason; they are evidence as all is."""

import json
import os
import stat
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from episodes.curation import decide_match, override_fields, split_episode
from episodes.gather import evidence
from episodes.ingest import transcript_files as archives
from episodes.models import Attachment, Decision, Document, Episode, Held, Item, Podcast, Redirect, Source, Transcript
from episodes.records import FetchedDocument
from episodes.resolve import resolve_waiting_show
from episodes.transcripts import TYPES_BY_EXTENSION, formats

from ..kept import made_once
from ..tables import cases
from .conftest import Ran, command, export, run

CASES = cases("ingest_transcripts")

SPEECH = " ".join(f"The bobbin winds warp and weft, cards and shuttles, for the {n}th time." for n in range(12))
ITEMS = (
    # title, guid, audio, number, date, duration
    ("C++ looms", "g-1", "a1.mp3", 1, "03 May 2021", "10:00"),
    ("C looms", "g-2", "a2.mp3", 2, "04 May 2021", "10:10"),
    ("Jacquard's cards", "g-3", "default_tc.mp3", 3, "05 May 2021", "20:00"),
    ("Shuttles", "g-4", "default_tc.mp3", 4, "06 May 2021", "30:00"),
    ("Questions", "g-5", "a5.mp3", 5, "07 May 2021", "5:00"),
    ("Questions", "g-6", "a6.mp3", 6, "07 Jul 2021", "15:00"),
    ("Weft &amp; warp, part 2", "g-7", "a7.mp3", 7, "08 Jul 2021", "16:00"),
    ("Spinning wheels", "g-8", "a8.mp3", 8, "09 Jul 2021", "17:00"),
)  # fmt: skip


def feed(*more: str) -> str:
    items = "".join(
        f"<item><title>{title}</title><guid>{guid}</guid><pubDate>{day} 10:00:00 GMT</pubDate>"
        f'<enclosure url="https://looms.example/{audio}?x=1" type="audio/mpeg"/><itunes:episode>{number}</itunes:episode>'
        f"<itunes:duration>{length}</itunes:duration><description>Notes on {title}, and how it came about.</description>"
        f"{''.join(more) if number == 1 else ''}</item>"
        for title, guid, audio, number, day, length in ITEMS
    )
    spaces = 'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:podcast="https://podcastindex.org/namespace/1.0"'
    return f'<rss version="2.0" {spaces}><channel><title>Looms Weekly</title>{items}</channel></rss>'


@pytest.fixture
def looms(db: None, tmp_path: Path) -> Path:
    made_once(_looms)
    folder = tmp_path / "words"
    folder.mkdir()
    return folder


def _looms() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "feed.xml"
        path.write_text(feed())
        assert run(path, url="https://looms.example/feed").code == 0


def bring(path: object, *args: str) -> Ran:
    return command("transcripts", path, *args)


def at(name: str) -> str:
    """The title and number of the episode that a file was matched to; "held" or "" else."""
    own = Attachment.objects.filter(item__key=f"words/{name}").first()
    if own:
        return f"{own.episode.number} {own.episode.title}"
    return "held" if Held.objects.filter(item__key=f"words/{name}").exists() else ""


def written(front: str) -> str:
    """A transcript with front matter, under a heading, or as captions until a time."""
    if front.startswith("until "):
        return f"WEBVTT\n\n0:01 --> 0:02\n{SPEECH}\n\n0:50 --> {front[6:]}\nGood bye.\n"
    return f"---\n{front}\n---\n{SPEECH}" if ":" in front else f"{front}\n\n{SPEECH}"


@pytest.mark.parametrize("name, front, episode", CASES["a_file_comes_to_the_episode_that_it_names"])
def test_file_reaches_its_named_episode(looms: Path, name: str, front: str, episode: str) -> None:
    before = Episode.objects.values_list("title", "published_at", "description_text", "duration_seconds", "slug")
    known, ledger = list(before), Redirect.objects.count()
    (looms / name).write_text(written(front))
    ran = bring(looms)
    assert at(name) == episode, ran.out
    counted = "0 matched, 1 held" if episode == "held" else "1 matched, 0 held"
    assert ran.out.startswith(f"transcripts: 1 file: {counted}, 0 ignored; 0 unchanged since last time\n")
    assert (f"{name}: held: " in ran.out) == (episode == "held")
    assert ran.code == 0
    # It says nothing of any episode but its words.
    assert (list(before.all()), Redirect.objects.count()) == (known, ledger)
    shown = Transcript.objects.filter(text__contains="bobbin").values_list("episode__title", flat=True)
    assert list(shown) == ([] if episode == "held" else [episode.partition(" ")[2]])


def test_unmatched_file_names_its_candidates(looms: Path) -> None:
    (looms / "questions.txt").write_text(SPEECH)
    (looms / "ep 5 shuttles.txt").write_text(SPEECH)
    (looms / "x.md").write_text(SPEECH)
    out = bring(looms).out
    assert "questions.txt: held: questions (equal title) or questions-6 (equal title)" in out
    assert (
        "ep 5 shuttles.txt: held: shuttles (equal title, against: different episode numbers) or "
        "questions (the same episode number 5)" in out
    )
    assert "x.md: held: no episode has its guid, audio file, title or number" in out


def test_curators_slug_and_title_name_episode(looms: Path, admin_user: User) -> None:
    override_fields(admin_user, Episode.objects.get(number=1), {"title": "Looms of today"})
    override_fields(admin_user, Episode.objects.get(number=2), {"slug": "old-looms"})
    (looms / "looms-of-today.txt").write_text(SPEECH)
    (looms / "old-looms.txt").write_text(f"Indeed. {SPEECH}")
    assert "2 matched" in bring(looms).out
    assert (at("looms-of-today.txt"), at("old-looms.txt")) == ("1 Looms of today", "2 C looms")


def test_folder_of_something_else_needs_accept(looms: Path) -> None:
    for number in range(11):
        (looms / f"recipe {number} of soup.txt").write_text(SPEECH)
    for path in (looms / "Shuttles.txt", looms / "C looms.txt"):
        path.write_text(SPEECH)
    for more in ([], ["--dry-run"]):
        refused = bring(looms, *more)
        assert (refused.code, refused.out) == (1, "")
        assert "11 of 13 files are of no episode of Looms Weekly, such as words/recipe 0 of soup.txt." in refused.err
    assert not Document.objects.filter(kind="companion").exists()
    assert not Source.objects.filter(slug="transcripts").exists()
    assert bring("").code == 2  # not the folder where we are
    assert bring(looms / "recipe 1 of soup.txt", "--dry-run").code == 0
    (looms / "cover.png").write_bytes(b"")
    assert bring(looms / "cover.png").code == 1
    assert "2 matched, 11 held" in bring(looms, "--accept").out
    assert "13 unchanged" in bring(looms).out  # those that wait already are no reason to refuse


@pytest.mark.on_both
def test_imported_again_only_changed_files_differ(looms: Path) -> None:
    paths = [looms / "Shuttles.txt", looms / "C looms.txt"]
    for path in paths:
        path.write_text(SPEECH)
    assert "2 matched" in bring(looms, "--dry-run").out
    assert not Document.objects.filter(kind="companion").exists()
    bring(looms)
    known = export()
    assert bring(looms).out.endswith("2 matched, 0 held, 0 ignored; 2 unchanged since last time\n")
    paths[0].write_text(f"Reeds, too. {SPEECH}")
    ran = bring(looms)
    assert ran.code == 0
    assert ran.out.endswith("2 matched, 0 held, 0 ignored; 1 unchanged since last time\n")
    paths[1].unlink()
    assert bring(looms).out.endswith("1 matched, 0 held, 0 ignored; 1 unchanged since last time\n")
    assert sorted(Transcript.objects.values_list("text", flat=True))[0].startswith("Reeds, too.")
    assert Transcript.objects.count() == 2  # a file that is missing stays
    assert Document.objects.get(address="file:transcripts/words/Shuttles.txt").captures.count() == 2
    assert export() == known
    before = list(Transcript.objects.order_by("url").values_list("url", "text", "cues"))
    assert command("rebuild").code == 0
    assert list(Transcript.objects.order_by("url").values_list("url", "text", "cues")) == before


def test_reimported_file_updates_its_machine_mark(looms: Path) -> None:
    path = looms / "Shuttles.srt"
    path.write_text(f"1\n0:01 --> 0:02\n{SPEECH}\n\n2\n0:50 --> 29:30\nGood bye.\n")
    for mark, told in (
        ([], "0 unchanged"),
        (["--machine-made"], "0 unchanged"),
        (["--machine-made"], "1 unchanged"),
        ([], "0 unchanged"),
    ):
        assert told in bring(looms, *mark).out
        (shown,) = Transcript.objects.all()
        assert (shown.url, bool(shown.machine_made)) == ("file:transcripts/words/Shuttles.srt", bool(mark))
        assert Document.objects.filter(kind="companion").count() == 1
    # Of two with times the one that a person wrote is shown, whatever its format; and it before one without times.
    (looms / "Shuttles.json").write_text(json.dumps({"segments": [{"start": 1, "end": 1770, "text": SPEECH}]}))
    (looms / "Shuttles.md").write_text(SPEECH)
    path.unlink()
    bring(looms, "--machine-made")
    assert Transcript.objects.get().url.endswith("Shuttles.srt")


def test_transcript_with_times_is_shown(looms: Path) -> None:
    length = 1800 / len(SPEECH.split())
    words = [{"word": word, "start": n * length, "confidence": 0.9} for n, word in enumerate(SPEECH.split())]
    (looms / "Shuttles.md").write_text(SPEECH)
    (looms / "shuttles.json").write_text(json.dumps({"words": words}))
    ran = bring(looms)
    assert "words/Shuttles.md: matched: “Shuttles” shows file:transcripts/words/shuttles.json" in ran.out
    assert Transcript.objects.get().machine_made


def test_ambiguous_show_must_be_named(looms: Path, tmp_path: Path) -> None:
    (looms / "Shuttles.txt").write_text(SPEECH)
    assert bring(looms / "nothing").code == 2
    assert bring(looms, "--podcast", "else").code == 2
    other = Podcast.objects.create(slug="other", title="Other")
    ran = bring(looms)
    assert (ran.code, "--podcast" in ran.err) == (2, True)
    ran = bring(looms, "--podcast", "looms-weekly", "-q")
    assert (ran.code, ran.out) == (0, "")
    assert at("Shuttles.txt") == "4 Shuttles"
    other.status = "removed"
    other.save()
    assert bring(looms, "--podcast", "other").code == 1
    assert "1 matched" in bring(looms).out


def entry(name: str) -> Item:
    return Item.objects.select_related("document__source__podcast").get(key=f"words/{name}")


def test_curators_decision_is_final(looms: Path, admin_user: User) -> None:
    for name in ("questions.txt", "odd.txt", "Shuttles.txt"):
        (looms / name).write_text(SPEECH)
    bring(looms)
    decide_match(admin_user, entry("questions.txt"), "same", Episode.objects.get(number=6))
    decide_match(admin_user, entry("odd.txt"), "ignore")
    split_episode(admin_user, Episode.objects.get(number=4), [entry("Shuttles.txt")])
    resolve_waiting_show(Podcast.objects.get())
    out = bring(looms).out
    assert [at(name) for name in ("questions.txt", "odd.txt", "Shuttles.txt")] == ["6 Questions", "", "held"]
    assert out.startswith("transcripts: 3 files: 1 matched, 1 held, 1 ignored; 3 unchanged since last time")
    assert "odd.txt: ignored: a curator decided so" in out
    # It never is an episode, nor does it carry what is decided about one.
    assert Episode.objects.count() == len(ITEMS)
    Source.objects.filter(slug="transcripts").update(rank=0)
    override_fields(admin_user, Episode.objects.get(number=6), {"title": "Answers"})
    assert {row.source for row in Decision.objects.filter(kind="value")} == {"feed"}
    assert command("rebuild").code == 0
    assert (at("questions.txt"), Transcript.objects.count()) == ("6 Answers", 1)


def test_transcript_survives_retitled_episode(looms: Path, tmp_path: Path) -> None:
    (looms / "Shuttles.txt").write_text(SPEECH)
    bring(looms)
    for title, now in (("Flying shuttles", "4 Flying shuttles"), ("Shuttles", "4 Shuttles")):
        (tmp_path / "feed.xml").write_text(feed().replace(">Shuttles<", f">{title}<"))
        run(tmp_path / "feed.xml", url="https://looms.example/feed")
        assert at("Shuttles.txt") == now
    # A title that two episodes have or had tells of neither.
    (tmp_path / "feed.xml").write_text(feed().replace(">Shuttles<", ">Wefts<").replace(">C looms<", ">Shuttles<"))
    run(tmp_path / "feed.xml", url="https://looms.example/feed")
    assert at("Shuttles.txt") == "held"


def test_declared_and_imported_transcript_compete_by_rank(looms: Path, tmp_path: Path) -> None:
    offered = '<podcast:transcript url="https://looms.example/1.txt" type="text/plain"/>'
    (tmp_path / "feed.xml").write_text(feed(offered))
    run(tmp_path / "feed.xml", url="https://looms.example/feed")
    declared = FetchedDocument(f"Declared. {SPEECH}".encode(), "https://looms.example/1.txt")
    evidence.store_companion_file_and_detect_change(
        Document.objects.get(address=declared.address), declared, timezone.now()
    )
    (looms / "x.vtt").write_text("WEBVTT\n\nNOTE g\n\n0:01 --> 9:55\n" + SPEECH)
    (looms / "a1.vtt").write_text((looms / "x.vtt").read_text())
    out = bring(looms / "a1.vtt").out
    assert "a1.vtt: matched: “C++ looms” shows https://looms.example/1.txt" in out
    Source.objects.filter(slug="transcripts").update(rank=0)
    assert command("rebuild").code == 0
    assert Transcript.objects.get().url == "file:transcripts/a1.vtt"
    Source.objects.filter(slug="transcripts").update(status="removed")
    assert command("rebuild").code == 0
    assert Transcript.objects.get().url == "https://looms.example/1.txt"
    assert "its source transcripts is removed" in bring(looms).err


def packed(path: Path, *members: tuple[str, bytes], how: int = ZIP_DEFLATED) -> Path:
    with ZipFile(path, "w", how) as archive:
        for name, body in members:
            archive.writestr(name, body)
    return path


def test_unreadable_files_are_reported_one_by_one(looms: Path, tmp_path: Path) -> None:
    body = SPEECH.encode()
    names = (
        "Shuttles.txt", "other/Shuttles.txt", "../../C looms.txt", "README.md", "LICENSE", ".hidden.txt", ".git/x.txt",
        "ep1.MP3", "x.mp3.txt", "a\x1b[31m\nb.txt",
    )  # fmt: skip
    members = [
        *((f"words/{name}", body) for name in names),
        ("__MACOSX/words/Shuttles.txt", body),
        ("words/inner.zip", b"PK"),
        ("words/bomb.txt", b"a" * 500_000),
        ("words/empty.txt", b""),
        ("words/broken.json", b'{"segments": ['),
        ("words/sorry.txt", b"No transcript\n"),
        ("words/picture.srt", b"\x89PNG\r\n\x1a\n" + bytes(99)),
    ]
    path = packed(tmp_path / "words.zip", *members)
    ran = bring(path)
    assert ran.code == 1
    summary, *failed = ran.err.splitlines()
    assert summary == "transcripts: 11 files: 3 matched, 3 held, 5 ignored; 0 unchanged since last time"
    told = dict(line.strip().split(": ", 1) for line in (*failed, *ran.out.splitlines()))
    # Quietly only what failed is told, and a dry run is called one.
    quiet = bring(path, "--dry-run", "-q")
    assert (quiet.out, quiet.err.splitlines()[1:]) == ("", failed)
    assert quiet.err.splitlines()[0].endswith("since last time (dry run: nothing saved)")
    assert {"inner.zip"} == {Path(name).name for name, words in told.items() if words.startswith("ignored")} - {
        Path(line.partition(": ")[0]).name for line in failed
    }
    formats = f"none of the formats that are read ({', '.join(TYPES_BY_EXTENSION)})"
    assert {name: words.removeprefix("ignored: ") for name, words in told.items() if "ignored" in words} == {
        "words/inner.zip": formats,
        "words/empty.txt": "the file is empty",
        "words/broken.json": "JSON that cannot be read",
        "words/sorry.txt": "a few words in place of a transcript: No transcript",
        "words/picture.srt": "not a text file",
    }
    assert told["words/a?[31m?b.txt"].startswith("held: no episode")
    assert told["words/other/Shuttles.txt"] == "matched: “Shuttles” shows file:transcripts/words/Shuttles.txt"


def test_dangerous_archives_and_links_are_refused(looms: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret.txt").write_text(SPEECH)
    (looms / "Shuttles.txt").symlink_to(tmp_path / "secret.txt")
    (looms / "loop").symlink_to(looms)
    (looms / "C looms.srt").mkdir()
    ran = bring(looms)
    assert ran.err.startswith("transcripts: 0 files")
    assert not Document.objects.filter(kind="companion").exists()
    (tmp_path / "cut.zip").write_bytes(packed(tmp_path / "a.zip", ("a.txt", b"a" * 99)).read_bytes()[:60])
    assert "is not a zip file that can be read" in bring(tmp_path / "cut.zip").err
    body = SPEECH.encode()
    whole = packed(tmp_path / "b.zip", ("Shuttles.txt", body), how=ZIP_STORED)
    whole.write_bytes(whole.read_bytes().replace(b"bobbin", b"BOBBIN", 1))
    assert "Shuttles.txt: ignored: cannot be read: Bad CRC-32" in bring(whole).err
    twice = packed(tmp_path / "c.zip", ("Shuttles.txt", body), ("shuttles.txt", body), ("a/../b.txt", body))
    # Nothing is unpacked to disk, so a path that leads out of the archive is only a name.
    for out in ("/x.txt", "\\x.txt"):
        assert "1 held" in bring(packed(tmp_path / "d.zip", (out, body))).out
    link = ZipInfo("Shuttles.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with ZipFile(tmp_path / "link.zip", "w") as archive:
        archive.writestr(link, SPEECH)
    assert bring(tmp_path / "link.zip").err.startswith("transcripts: 0 files")
    assert "2 matched" in bring(packed(tmp_path / "e.zip", ("x//C looms.txt", body), ("Shuttles.txt", body))).out
    monkeypatch.setattr(archives, "MAX_UNPACKED", 3 * len(body) - 1)
    assert "c.zip unpacks to more than" in bring(twice).err
    monkeypatch.setattr(archives, "MAX_UNPACKED", 3 * len(body))
    assert bring(twice).out.startswith("transcripts: 3 files: 2 matched, 1 held, 0 ignored")
    os.mkfifo(tmp_path / "pipe")
    assert "is not a folder or file" in bring(tmp_path / "pipe").err
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x.txt").write_bytes(body)
    monkeypatch.setattr(archives, "MAX_READ", len(body))
    monkeypatch.setattr(formats, "MAX_TRANSCRIPT_BYTES", len(body) - 1)
    for path in (twice, tmp_path / "secret.txt", tmp_path / "folder"):
        assert "ignored: larger than" in bring(path).err


def test_duplicate_file_name_is_reported(looms: Path) -> None:
    for name in (b"\xe9.txt", b"\xe8.txt"):
        Path(os.fsdecode(os.fsencode(looms) + b"/" + name)).write_text(SPEECH)
    (looms / ".DS_Store").write_bytes(b"\0")
    ran = bring(looms)
    assert "?.txt: ignored: another file has this name" in ran.err
    assert ran.err.startswith("transcripts: 2 files: ")


def test_paths_contain_folder_and_archive_names(looms: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder, number in (("s1", 6), ("s2", 5)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "01.md").write_text(written(f"episode: {number}"))
        assert "1 matched" in bring(f"{tmp_path / folder}/").out
    known = {"file:transcripts/s1/01.md": 6, "file:transcripts/s2/01.md": 5}
    assert dict(Transcript.objects.values_list("url", "episode__number")) == known
    monkeypatch.chdir(tmp_path / "s1")
    body = written("episode: 6").encode()
    for path in (".", "../s2/../s1", packed(tmp_path / "s1.zip", ("01.md", body))):
        assert "1 unchanged" in bring(path).out
    assert "1 unchanged" in bring(packed(tmp_path / "s1.zip", ("s1/01.md", body))).out
    # A file by itself has only its name, and an archive keeps the folders in it.
    assert "01.md: matched: “Questions” shows file:transcripts/01.md" in bring("01.md").out + bring(".").out
    bring(packed(tmp_path / "all.zip", ("s1/01.md", body), ("02.md", body)))
    bring(packed(tmp_path / "more.zip", ("s1/01.md", body)))
    keys = Item.objects.filter(key__endswith=".md").order_by("key").values_list("key", flat=True)
    assert list(keys) == ["01.md", "all/02.md", "all/s1/01.md", "more/s1/01.md", "s1/01.md", "s2/01.md"]
