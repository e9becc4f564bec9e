"""Evidence, decisions and configuration are all that has to be kept: dumped, loaded into an empty database and rebuilt,
they make the same catalog."""

import gzip
import os
import shutil
import stat
from pathlib import Path
from tempfile import mkstemp

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import call_command

from episodes import models as nouns
from episodes.admin.inbox import first_inbox_rows
from episodes.backup import RowLoader, open_backup_file
from episodes.curation import (
    CorrectionSubject,
    add_to_list,
    hide_subject,
    merge_episodes,
    override,
    remove_from_list,
    save_corrections,
    save_row,
    split_episode,
)
from episodes.models import (
    Change,
    CodeName,
    Decision,
    Episode,
    IngestRun,
    Item,
    LearningPath,
    Link,
    Person,
    Podcast,
    Redirect,
    Topic,
)

from ..ingest.conftest import run
from ..read.test_shows import FEED as BESIDE
from .conftest import export, staff

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


def test_what_is_not_kept_is_the_catalog_the_search_index_and_what_can_be_asked_again() -> None:
    every = {model._meta.label_lower for model in apps.get_app_config("episodes").get_models()}
    assert every - set(KEPT) <= {f"episodes.{name}" for name in PEOPLE_READ | ASKED_AGAIN} | {
        label for label in every if "search" in label or "_" in label
    }


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


def test_why_a_backup_is_none_is_told_also_where_its_file_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("os.O_TMPFILE", raising=False)  # as on a system without files without a name

    def verify(part: Path) -> None:
        part.unlink()
        raise ValueError("it does not fit together")

    with pytest.raises(ValueError, match="it does not fit together"), open_backup_file(tmp_path / "it", verify) as file:
        file.write(b"{}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("values", [[1], [1, "curator", "more"]])
def test_a_row_with_more_or_fewer_values_than_columns_is_none(values: list[object]) -> None:
    loader = RowLoader(apps, "auth.group", ["id", "name"])
    assert loader.row([1, "curator"]).pk == 1
    with pytest.raises(ValueError, match=r"zip\(\)"):
        loader.row(values)


@pytest.mark.long  # in brief: test_decisions_outlive_a_backup_and_the_undo_of_an_undo_after_it
@pytest.mark.django_db
def test_evidence_and_decisions_loaded_into_an_empty_database_make_the_same_catalog(
    catalog: None, tmp_path: Path
) -> None:
    user = staff("carla", "curator")
    vmap, batching = Episode.objects.get(slug="vmap"), Episode.objects.get(slug="batching")
    override(user, vmap, {"title": "vmap, explained", "description_text": "Own words."}, reason="clearer")
    remove_from_list(user, batching, "topic", batching.topic_uses.all()[0].topic.slug)
    add_to_list(user, batching, "link", "https://example.org/slides", "slides")
    merge_episodes(user, Episode.objects.get(slug="strides"), Episode.objects.get(slug="memory-layout"))
    found = Episode.objects.filter(attachments__item__document__source__slug="player-fm").exclude(slug="batching")[0]
    split_episode(user, found, list(Item.objects.filter(attachment__episode=found, document__source__slug="player-fm")))
    (tmp_path / "feed.xml").write_text(BESIDE)
    assert run(tmp_path / "feed.xml", "--url", "https://kernelcorner.example/feed.xml").code == 0
    topic = Topic.objects.get(slug="autograd")
    topic.slug, topic.name = "automatic-differentiation", "Automatic differentiation"
    save_row(user, topic)
    path = LearningPath.objects.get(slug="where-memory-goes")
    path.slug, path.steps = "memory", [*path.steps, {"episode": "memory-layout", "why": "Merged with strides."}]
    save_row(user, path)
    Decision.objects.create(kind="refusal", podcast=Podcast.objects.all()[0], key="tin", detail="Tin")
    save_corrections(user, CorrectionSubject.of(Person.objects.order_by("slug")[0]), {"name": "Somebody Else"})
    save_corrections(user, CorrectionSubject.of(Link.objects.order_by("key")[0]), {"label": "A label", "kind": "paper"})
    hide_subject(user, CorrectionSubject.of(CodeName.objects.order_by("name")[0]))
    former, names = (
        list(Redirect.objects.filter(kind="person").values_list("slug", "identity")),
        list(CodeName.objects.values_list("name")),
    )
    IngestRun.objects.filter(source__slug="feed").update(outcome="failed", reason="not reached")
    row = next(row for row in first_inbox_rows(500) if row.section.slug == "source")
    row.section.press(user, row, row.buttons[0].name)
    needed = inbox()
    assert (row.section.slug, row.subject) not in needed
    before, file = export(), tmp_path / "kept.json"
    call_command("dumpdata", *KEPT, output=str(file), verbosity=0)
    addresses = Redirect.objects.filter(kind="episode").count()
    emptied()
    assert '"episodes": []' in export() or '"episodes":[]' in export().replace(" ", "")
    call_command("loaddata", str(file), verbosity=0)
    call_command("rebuild", verbosity=0)
    assert export() == before
    assert inbox() == needed
    assert Redirect.objects.filter(kind="episode").count() == addresses
    assert list(Redirect.objects.filter(kind="person").values_list("slug", "identity")) == former
    assert list(CodeName.objects.values_list("name")) == names
    assert Redirect.objects.filter(kind="path").get().path == LearningPath.objects.get(slug="memory")
    assert Change.objects.filter(made_by__username="carla").count() == 12
