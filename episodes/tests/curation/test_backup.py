"""Evidence, decisions and configuration are all that has to be kept: dumped, loaded into an empty database and rebuilt,
they make the same catalog."""

import gzip
import os
import shutil
import stat
from pathlib import Path
from tempfile import mkstemp

import pytest
from django.contrib.auth.models import User

from episodes import models as nouns
from episodes.admin.inbox_sections import first_inbox_rows
from episodes.backup import open_backup_file

# As README says.
KEPT = (
    "auth.user auth.group episodes.podcast episodes.source episodes.topic episodes.learningpath "
    "episodes.document episodes.content episodes.capture episodes.item episodes.revision episodes.ingestrun "
    "episodes.decision episodes.change episodes.redirect episodes.suggestion"
).split()
PEOPLE_READ = {
    "person", "link", "episode", "episodetopic", "episodecount", "episodelink", "credit", "reference", "transcript", "chapter",
    "codename", "codemention", "attachment", "held", "withdrawnepisode", "withdrawnentry",
}  # fmt: skip
# What the next runs of `check_links`, `rebuild` and `ingest` find out anew.
ASKED_AGAIN = {
    "catalogstate", "entryreading", "episodereading", "image", "linkcheck", "catalogversion",
    "sourceschedule", "schedulemark", "unsentnotice",
}  # fmt: skip


def emptied() -> None:
    """Leave nothing that a backup holds, nor what follows from it."""
    for name in ("WithdrawnEpisode", "Episode", "Held", "Link", "Person", "CodeName", "Redirect", "Change", "Decision",
                 "Revision", "Item", "IngestRun", "Capture", "Content", "Document", "LearningPath", "Topic",
                 "Source", "Podcast"):  # fmt: skip
        getattr(nouns, name)._default_manager.all().delete()
    User.objects.all().delete()


def inbox() -> list[tuple[str, str]]:
    return sorted((row.section.slug, row.subject) for row in first_inbox_rows(500))


def simulate_unnamed_files(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let files without a name work on every file system, as they do where O_TMPFILE is known."""
    open_named = os.open

    def open_file(path: str, flags: int, *mode: int) -> int:
        if flags & os.O_TMPFILE != os.O_TMPFILE:
            return open_named(path, flags, *mode)
        descriptor, name = mkstemp(dir=folder)
        os.unlink(name)
        return descriptor

    def link(source: Path, name: Path, **_: int) -> None:
        name.touch(0o600)
        shutil.copyfile(source, name)

    monkeypatch.setattr(os, "open", open_file)
    monkeypatch.setattr(os, "link", link)


@pytest.mark.parametrize("unnamed_files", ["of the system", "simulated", "none"])
def test_backup_has_no_name_before_it_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unnamed_files: str
) -> None:
    if unnamed_files == "simulated":
        simulate_unnamed_files(monkeypatch, tmp_path)
    elif unnamed_files == "none":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    path = tmp_path / "backups" / "it"
    path.parent.mkdir()
    for content in (b"first", b"second"):
        before = list(path.parent.glob("it"))
        with open_backup_file(path, lambda part: None) as file:
            file.write(content)
            # Whatever ends the process here leaves no backup, and without a name nothing at all.
            assert list(path.parent.glob("it")) == before
            if unnamed_files == "simulated":
                assert list(path.parent.iterdir()) == before
        assert gzip.decompress(path.read_bytes()) == content
        assert list(path.parent.iterdir()) == [path]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_failed_backup_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("os.O_TMPFILE", raising=False)  # as on a system without files without a name

    def verify(part: Path) -> None:
        part.unlink()
        raise ValueError("it does not fit together")

    with pytest.raises(ValueError, match="it does not fit together"), open_backup_file(tmp_path / "it", verify) as file:
        file.write(b"{}")
    assert list(tmp_path.iterdir()) == []
