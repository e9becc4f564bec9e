"""Evidence, decisions and configuration are all that has to be kept: dumped, loaded into an empty database and rebuilt,
they make the same catalog."""

import gzip
import stat
from pathlib import Path

import pytest
from django.contrib.auth.models import User

from episodes import backup
from episodes import models as nouns
from episodes.admin.inbox_sections import first_inbox_rows
from episodes.backup import BackupContents, InvalidBackup, open_backup_for_writing

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


def test_backup_has_no_name_before_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup, "has_contents", lambda *_: True)
    path = tmp_path / "it"
    for content in (b"first", b"second"):
        before = list(tmp_path.glob("it"))
        with open_backup_for_writing(path, BackupContents("", {})) as file:
            file.write(content)
            assert list(tmp_path.glob("it")) == before
        assert gzip.decompress(path.read_bytes()) == content
        assert list(tmp_path.iterdir()) == [path]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_failed_backup_says_why(tmp_path: Path) -> None:
    path = tmp_path / "it"
    with (
        pytest.raises(InvalidBackup, match="could not be read back"),
        open_backup_for_writing(path, BackupContents("", {})) as file,
    ):
        file.write(b"{}")
    assert list(tmp_path.iterdir()) == []
